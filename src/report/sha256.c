/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/sha256.h"

#include <nettle/base16.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

void sha256_hex(char out[SHA256_SIZE], const void *data, size_t length)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, length, data);
#if NETTLE_VERSION_MAJOR >= 4
    sha256_digest(&context, digest);
#else
    sha256_digest(&context, sizeof(digest), digest);
#endif
    base16_encode_update(out, sizeof(digest), digest);
    out[SHA256_SIZE - 1] = '\0';
}
