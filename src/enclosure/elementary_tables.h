/* SPDX-License-Identifier: LGPL-3.0-or-later */

/*
 * Tables of elementary.c, every number rounded to nearest (Lemma 1 of proofs/elementary.md): 2^(j/64) and what it lacks; 1/c, with
 * ten bits, and log c for 128 cells of [0.705, 1.410); atan(j/32). The test computes each again with MPFR.
 */
#ifndef SHUFBOUND_ELEMENTARY_TABLES_H
#define SHUFBOUND_ELEMENTARY_TABLES_H

static const double powers_of_two[64][2] = {
    {0x1p0, 0}, {0x1.02c9a3e778061p0, -0x1.19083535b085dp-56},
    {0x1.059b0d3158574p0, 0x1.d73e2a475b465p-55}, {0x1.0874518759bc8p0, 0x1.186be4bb284ffp-57},
    {0x1.0b5586cf9890fp0, 0x1.8a62e4adc610bp-54}, {0x1.0e3ec32d3d1a2p0, 0x1.03a1727c57b53p-59},
    {0x1.11301d0125b51p0, -0x1.6c51039449b3ap-54}, {0x1.1429aaea92dep0, -0x1.32fbf9af1369ep-54},
    {0x1.172b83c7d517bp0, -0x1.19041b9d78a76p-55}, {0x1.1a35beb6fcb75p0, 0x1.e5b4c7b4968e4p-55},
    {0x1.1d4873168b9aap0, 0x1.e016e00a2643cp-54}, {0x1.2063b88628cd6p0, 0x1.dc775814a8495p-55},
    {0x1.2387a6e756238p0, 0x1.9b07eb6c70573p-54}, {0x1.26b4565e27cddp0, 0x1.2bd339940e9d9p-55},
    {0x1.29e9df51fdee1p0, 0x1.612e8afad1255p-55}, {0x1.2d285a6e4030bp0, 0x1.0024754db41d5p-54},
    {0x1.306fe0a31b715p0, 0x1.6f46ad23182e4p-55}, {0x1.33c08b26416ffp0, 0x1.32721843659a6p-54},
    {0x1.371a7373aa9cbp0, -0x1.63aeabf42eae2p-54}, {0x1.3a7db34e59ff7p0, -0x1.5e436d661f5e3p-56},
    {0x1.3dea64c123422p0, 0x1.ada0911f09ebcp-55}, {0x1.4160a21f72e2ap0, -0x1.ef3691c309278p-58},
    {0x1.44e086061892dp0, 0x1.89b7a04ef80dp-59}, {0x1.486a2b5c13cdp0, 0x1.3c1a3b69062fp-56},
    {0x1.4bfdad5362a27p0, 0x1.d4397afec42e2p-56}, {0x1.4f9b2769d2ca7p0, -0x1.4b309d25957e3p-54},
    {0x1.5342b569d4f82p0, -0x1.07abe1db13cadp-55}, {0x1.56f4736b527dap0, 0x1.9bb2c011d93adp-54},
    {0x1.5ab07dd485429p0, 0x1.6324c054647adp-54}, {0x1.5e76f15ad2148p0, 0x1.ba6f93080e65ep-54},
    {0x1.6247eb03a5585p0, -0x1.383c17e40b497p-54}, {0x1.6623882552225p0, -0x1.bb60987591c34p-54},
    {0x1.6a09e667f3bcdp0, -0x1.bdd3413b26456p-54}, {0x1.6dfb23c651a2fp0, -0x1.bbe3a683c88abp-57},
    {0x1.71f75e8ec5f74p0, -0x1.16e4786887a99p-55}, {0x1.75feb564267c9p0, -0x1.0245957316dd3p-54},
    {0x1.7a11473eb0187p0, -0x1.41577ee04992fp-55}, {0x1.7e2f336cf4e62p0, 0x1.05d02ba15797ep-56},
    {0x1.82589994cce13p0, -0x1.d4c1dd41532d8p-54}, {0x1.868d99b4492edp0, -0x1.fc6f89bd4f6bap-54},
    {0x1.8ace5422aa0dbp0, 0x1.6e9f156864b27p-54}, {0x1.8f1ae99157736p0, 0x1.5cc13a2e3976cp-55},
    {0x1.93737b0cdc5e5p0, -0x1.75fc781b57ebcp-57}, {0x1.97d829fde4e5p0, -0x1.d185b7c1b85d1p-54},
    {0x1.9c49182a3f09p0, 0x1.c7c46b071f2bep-56}, {0x1.a0c667b5de565p0, -0x1.359495d1cd533p-54},
    {0x1.a5503b23e255dp0, -0x1.d2f6edb8d41e1p-54}, {0x1.a9e6b5579fdbfp0, 0x1.0fac90ef7fd31p-54},
    {0x1.ae89f995ad3adp0, 0x1.7a1cd345dcc81p-54}, {0x1.b33a2b84f15fbp0, -0x1.2805e3084d708p-57},
    {0x1.b7f76f2fb5e47p0, -0x1.5584f7e54ac3bp-56}, {0x1.bcc1e904bc1d2p0, 0x1.23dd07a2d9e84p-55},
    {0x1.c199bdd85529cp0, 0x1.11065895048ddp-55}, {0x1.c67f12e57d14bp0, 0x1.2884dff483cadp-54},
    {0x1.cb720dcef9069p0, 0x1.503cbd1e949dbp-56}, {0x1.d072d4a07897cp0, -0x1.cbc3743797a9cp-54},
    {0x1.d5818dcfba487p0, 0x1.2ed02d75b3707p-55}, {0x1.da9e603db3285p0, 0x1.c2300696db532p-54},
    {0x1.dfc97337b9b5fp0, -0x1.1a5cd4f184b5cp-54}, {0x1.e502ee78b3ff6p0, 0x1.39e8980a9cc8fp-55},
    {0x1.ea4afa2a490dap0, -0x1.e9c23179c2893p-54}, {0x1.efa1bee615a27p0, 0x1.dc7f486a4b6bp-54},
    {0x1.f50765b6e454p0, 0x1.9d3e12dd8a18bp-54}, {0x1.fa7c1819e90d8p0, 0x1.74853f3a5931ep-55},
};

static const double logs[128][2] = {
    {0x1.6ap0, -0x1.62c82f2b9c795p-2}, {0x1.68p0, -0x1.5d1bdbf5809cap-2}, {0x1.66p0, -0x1.5767717455a6cp-2}, {0x1.64p0, -0x1.51aad872df82dp-2},
    {0x1.62p0, -0x1.4be5f957778a1p-2}, {0x1.608p0, -0x1.478cd5959b3d9p-2}, {0x1.5e8p0, -0x1.41b941cce0beep-2}, {0x1.5c8p0, -0x1.3bdd24eb14b6ap-2},
    {0x1.5bp0, -0x1.3772662bfd85bp-2}, {0x1.59p0, -0x1.31871c9544185p-2}, {0x1.57p0, -0x1.2b9303ab89d25p-2}, {0x1.558p0, -0x1.27161913f853dp-2},
    {0x1.538p0, -0x1.211255986160cp-2}, {0x1.52p0, -0x1.1c898c16999fbp-2}, {0x1.5p0, -0x1.1675cababa60ep-2}, {0x1.4e8p0, -0x1.11e0e2dad9cb7p-2},
    {0x1.4c8p0, -0x1.0bbccdb0d24bdp-2}, {0x1.4bp0, -0x1.071b85fcd590dp-2}, {0x1.498p0, -0x1.0274dc16c232fp-2}, {0x1.478p0, -0x1.f871b28955045p-3},
    {0x1.46p0, -0x1.ef0adcbdc5936p-3}, {0x1.448p0, -0x1.e598ed5a87e2fp-3}, {0x1.43p0, -0x1.dc1bca0abec7dp-3}, {0x1.418p0, -0x1.d293581b6b3e7p-3},
    {0x1.3f8p0, -0x1.c5cba543ae425p-3}, {0x1.3ep0, -0x1.bc286742d8cd6p-3}, {0x1.3c8p0, -0x1.b2797ee46320cp-3}, {0x1.3bp0, -0x1.a8becfc882f19p-3},
    {0x1.398p0, -0x1.9ef83d2769a34p-3}, {0x1.38p0, -0x1.9525a9cf456b4p-3}, {0x1.368p0, -0x1.8b46f8223625bp-3}, {0x1.35p0, -0x1.815c0a14357ebp-3},
    {0x1.338p0, -0x1.7764c128f2127p-3}, {0x1.32p0, -0x1.6d60fe719d21dp-3}, {0x1.31p0, -0x1.66acd4272ad51p-3}, {0x1.2f8p0, -0x1.5c940075972b9p-3},
    {0x1.2ep0, -0x1.526e5e3a1b438p-3}, {0x1.2c8p0, -0x1.483bccce6e3ddp-3}, {0x1.2b8p0, -0x1.41682bf727bcp-3}, {0x1.2ap0, -0x1.371fc201e8f74p-3},
    {0x1.288p0, -0x1.2cca0f5f5f251p-3}, {0x1.27p0, -0x1.2266f190a5acbp-3}, {0x1.26p0, -0x1.1b72ad52f67ap-3}, {0x1.248p0, -0x1.10f8e422539b1p-3},
    {0x1.238p0, -0x1.09f561ee719c3p-3}, {0x1.22p0, -0x1.fec9131dbeabbp-4}, {0x1.208p0, -0x1.e98b549671467p-4}, {0x1.1f8p0, -0x1.db5270187d927p-4},
    {0x1.1ep0, -0x1.c5e548f5bc743p-4}, {0x1.1dp0, -0x1.b78c82bb0eda1p-4}, {0x1.1b8p0, -0x1.a1ef1d8061cd4p-4}, {0x1.1a8p0, -0x1.9375e55595edep-4},
    {0x1.198p0, -0x1.84ef898e8282ap-4}, {0x1.18p0, -0x1.6f0d28ae56b4cp-4}, {0x1.17p0, -0x1.60658a93750c4p-4}, {0x1.158p0, -0x1.4a50d3aa1b04p-4},
    {0x1.148p0, -0x1.3b87598b1b6eep-4}, {0x1.138p0, -0x1.2cb0283f5de1fp-4}, {0x1.12p0, -0x1.16536eea37ae1p-4}, {0x1.11p0, -0x1.075983598e471p-4},
    {0x1.1p0, -0x1.f0a30c01162a6p-5}, {0x1.0fp0, -0x1.d276b8adb0b52p-5}, {0x1.0d8p0, -0x1.a4fe9ffa3d235p-5}, {0x1.0c8p0, -0x1.868a83083f6cfp-5},
    {0x1.0b8p0, -0x1.67f94f094bd98p-5}, {0x1.0a8p0, -0x1.494acc34d911cp-5}, {0x1.098p0, -0x1.2a7ec2214e873p-5}, {0x1.088p0, -0x1.0b94f7c196176p-5},
    {0x1.07p0, -0x1.b9fc027af9198p-6}, {0x1.06p0, -0x1.7b91b07d5b11bp-6}, {0x1.05p0, -0x1.3cea44346a575p-6}, {0x1.04p0, -0x1.fc0a8b0fc03e4p-7},
    {0x1.03p0, -0x1.7dc475f810a77p-7}, {0x1.02p0, -0x1.fe02a6b106789p-8}, {0x1.01p0, -0x1.ff00aa2b10bcp-9}, {0x1p0, 0},
    {0x1.fcp-1, 0x1.010157588de71p-7}, {0x1.f8p-1, 0x1.0205658935847p-6}, {0x1.f4p-1, 0x1.8492528c8cabfp-6}, {0x1.fp-1, 0x1.0415d89e74444p-5},
    {0x1.edp-1, 0x1.35c8bfaa1306bp-5}, {0x1.e9p-1, 0x1.788595a3577bap-5}, {0x1.e5p-1, 0x1.bbcebfc68f42p-5}, {0x1.e2p-1, 0x1.eea31c006b87cp-5},
    {0x1.dep-1, 0x1.1973bd1465567p-4}, {0x1.dbp-1, 0x1.333d7f8183f4bp-4}, {0x1.d7p-1, 0x1.55e10050e0384p-4}, {0x1.d4p-1, 0x1.700d30aeac0e1p-4},
    {0x1.d1p-1, 0x1.8a6477a91dc29p-4}, {0x1.cep-1, 0x1.a4e7640b1bc38p-4}, {0x1.cap-1, 0x1.c885801bc4b23p-4}, {0x1.c7p-1, 0x1.e3707ee30487bp-4},
    {0x1.c4p-1, 0x1.fe89139dbd566p-4}, {0x1.c1p-1, 0x1.0ce7ecdccc28dp-3}, {0x1.bep-1, 0x1.1aa2b7e23f72ap-3}, {0x1.bbp-1, 0x1.28753bc11aba5p-3},
    {0x1.b8p-1, 0x1.365fcb0159016p-3}, {0x1.b5p-1, 0x1.4462b9dc9b3dcp-3}, {0x1.b2p-1, 0x1.527e5e4a1b58dp-3}, {0x1.afp-1, 0x1.60b3100b09476p-3},
    {0x1.acp-1, 0x1.6f0128b756abcp-3}, {0x1.aap-1, 0x1.7898d85444c73p-3}, {0x1.a7p-1, 0x1.871213750e994p-3}, {0x1.a4p-1, 0x1.95a5adcf7017fp-3},
    {0x1.a1p-1, 0x1.a454082e6ab05p-3}, {0x1.9fp-1, 0x1.ae2ca6f672bd4p-3}, {0x1.9cp-1, 0x1.bd087383bd8adp-3}, {0x1.9ap-1, 0x1.c6ffbc6f00f71p-3},
    {0x1.97p-1, 0x1.d60a17f903515p-3}, {0x1.95p-1, 0x1.e020cc6235ab5p-3}, {0x1.92p-1, 0x1.ef5ade4dcffe6p-3}, {0x1.9p-1, 0x1.f991c6cb3b379p-3},
    {0x1.8dp-1, 0x1.047e60cde83b8p-2}, {0x1.8bp-1, 0x1.09aa572e6c6d4p-2}, {0x1.88p-1, 0x1.1178e8227e47cp-2}, {0x1.86p-1, 0x1.16b5ccbacfb73p-2},
    {0x1.84p-1, 0x1.1bf99635a6b95p-2}, {0x1.82p-1, 0x1.214456d0eb8d4p-2}, {0x1.7fp-1, 0x1.2941afb186b7cp-2}, {0x1.7dp-1, 0x1.2e9e2bce12286p-2},
    {0x1.7bp-1, 0x1.3401e12aecba1p-2}, {0x1.79p-1, 0x1.396ce359bbf54p-2}, {0x1.76p-1, 0x1.419b423d5e8c7p-2}, {0x1.74p-1, 0x1.4718dc271c41bp-2},
    {0x1.72p-1, 0x1.4c9e09e172c3cp-2}, {0x1.7p-1, 0x1.522ae0738a3d8p-2}, {0x1.6ep-1, 0x1.57bf753c8d1fbp-2}, {0x1.6cp-1, 0x1.5d5bddf595f3p-2},
};

static const double arcs[33] = {
    0, 0x1.ffd55bba97625p-6, 0x1.ff55bb72cfdeap-5, 0x1.7ee182602f10fp-4, 0x1.fd5ba9aac2f6ep-4,
    0x1.3d6eee8c6626cp-3, 0x1.7b97b4bce5b02p-3, 0x1.b90d7529260a2p-3, 0x1.f5b75f92c80ddp-3, 0x1.18bf5a30bf178p-2,
    0x1.362773707ebccp-2, 0x1.530ad9951cd4ap-2, 0x1.6f61941e4def1p-2, 0x1.8b24d394a1b25p-2, 0x1.a64eec3cc23fdp-2,
    0x1.c0db4c94ec9fp-2, 0x1.dac670561bb4fp-2, 0x1.f40dd0b541418p-2, 0x1.0657e94db30dp-1, 0x1.1255d9bfbd2a9p-1,
    0x1.1e00babdefeb4p-1, 0x1.2958e59308e31p-1, 0x1.345f01cce37bbp-1, 0x1.3f13fb89e96f4p-1, 0x1.4978fa3269ee1p-1,
    0x1.538f57b89061fp-1, 0x1.5d58987169b18p-1, 0x1.66d663923e087p-1, 0x1.700a7c5784634p-1, 0x1.78f6bbd5d315ep-1,
    0x1.819d0b7158a4dp-1, 0x1.89ff5ff57f1f8p-1, 0x1.921fb54442d18p-1,
};

#endif
