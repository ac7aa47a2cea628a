/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* shufbound(1): certified accounting for shuffle-model differential privacy. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "config.h"

#define PAIR "pair others n k eps0 gamma w0 w1 r0 r1 sigma "
#define COMMON " digits max-seconds json explain"

static const struct
{
    const char *name;
    int (*run)(const cli_options *o);
    const char *options; /* what goes with it */
    int operands;        /* whether it takes any */
    const char *usage;
} commands[] = {
    { "delta", cli_command_delta, PAIR "eps direction rounds subsample via engine compose fast certificate" COMMON, 0,
      "PAIR --eps E [ROUNDS]      enclose delta(eps)" },
    { "epsilon", cli_command_epsilon, PAIR "delta direction rounds subsample via engine compose fast certificate" COMMON, 0,
      "PAIR --delta D [ROUNDS]    enclose eps(delta)" },
    { "renyi", cli_command_renyi, PAIR "order direction rounds subsample compose fast" COMMON, 0,
      "PAIR --order L|inf [--rounds T] [--subsample G]" },
    { "curve", cli_command_curve, PAIR "eps delta order log plot direction rounds subsample via engine compose fast" COMMON, 1,
      "PAIR [FORM ...] --eps|--delta|--order A:B:K [--log] [--plot FILE.svg]" },
    { "calibrate", cli_command_calibrate, PAIR "eps delta solve rounds subsample" COMMON, 0,
      "PAIR --eps E --delta D --solve eps0|n [--rounds T] [--subsample G]" },
    { "mechanism", cli_command_mechanism, "n eps delta solve" COMMON, 1,
      "FILE.json [--n N (--eps E | --delta D | --eps E --delta D --solve eps0|scale)]" },
    { "sgd", cli_command_sgd, "epochs blocks eps0 noise-scale clip dimension eps delta order solve via engine" COMMON, 0,
      "--epochs T --blocks M --eps0 X --delta D|--eps E|--order L" },
    { "estimate", cli_command_estimate, "k n eps delta" COMMON, 0,
      "--k K --n N --eps E --delta D  eps0 and error of frequency estimates" },
    { "audit", cli_command_audit, "html" COMMON, 1, "[--html FILE] FILE.json ...   verdicts on claims" },
    { "tail", cli_command_tail, PAIR "eps rounds law" COMMON, 0,
      "PAIR --eps E [--rounds T] [--law truthful|view]  a loss of at least eps" },
    { "tradeoff", cli_command_tradeoff, PAIR "type1 direction rounds subsample engine compose" COMMON, 0,
      "PAIR --type1 A|A:B:K [ROUNDS]  the smallest type II error of a test" },
    { "gdp", cli_command_gdp, PAIR "eps mu direction rounds subsample engine compose" COMMON, 0,
      "PAIR --eps E|A:B [--mu M] [ROUNDS]  the smallest mu of Gaussian DP, or a verdict on M" },
    { "bound", cli_command_bound, "n k eps0 delta0 gamma eps delta order" COMMON, 1,
      "[FORM --n N --eps0 X ...]  a paper's closed form, or the list of them" },
    { "vectors", cli_command_vectors, "output shard sample fast json", 1,
      "generate|check|judge|prompt FILE.json ...   test vectors" },
    { "theorems", cli_command_theorems, "json", 1, "[ID ...]                   what is proved, and where" },
};

static int usage(FILE *out)
{
    size_t i;
    fputs("usage: shufbound COMMAND [OPTIONS]\n", out);
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].usage);
    fputs("PAIR: --pair clones|clones-stronger|rr2 --n N --eps0 X\n"
          "      --pair krr-same|krr-third --n N --eps0 X --k K\n"
          "      --pair krr-strong|krr-weak --n N --gamma G --k K\n"
          "      --pair trinomial --n N --w0 W --w1 W --r0 R --r1 R\n"
          "      --pair gaussian --n N --sigma S (delta, epsilon, curve)\n"
          "      --compose FILE.json: different mechanisms, one after the other\n"
          "ROUNDS: [--rounds T] [--subsample G] [--via pld|renyi], or --via strong-composition --rounds T\n"
          "options: --digits D, --json, --explain, --fast, --max-seconds S, --direction both|pq|qp,\n"
          "         --engine tilted|exact, --certificate FILE.v (delta, epsilon)\n"
          "See shufbound(1).\n", out);
    return out == stdout ? EXIT_DONE : EXIT_USAGE;
}

int cli_run(int argc, char **argv)
{
    cli_options o;
    size_t i;
    int status;

    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return usage(stdout);
    if (strcmp(argv[1], "--version") == 0)
    {
        printf("shufbound %s\n", PACKAGE_VERSION);
        return EXIT_DONE;
    }
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
    {
        if (strcmp(argv[1], commands[i].name) == 0)
        {
            if (argc > 2 && strcmp(argv[2], "--help") == 0)
                return usage(stdout);
            status = cli_parse(&o, argc - 1, argv + 1);
            if (status == 0)
                status = cli_allow(&o, commands[i].name, commands[i].options);
            if (status == 0 && !commands[i].operands && o.operands > 0)
                status = cli_fail(EXIT_USAGE, "unexpected argument \"%.80s\"", o.operand[0]);
            if (status == 0)
                status = commands[i].run(&o);
            flint_cleanup();
            return status;
        }
    }
    return cli_fail(EXIT_USAGE, "unknown command \"%.60s\"; see shufbound --help", argv[1]);
}

int main(int argc, char **argv)
{
    return cli_run(argc, argv);
}
