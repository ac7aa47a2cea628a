/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* shufbound(1): certified accounting for shuffle-model differential privacy. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "config.h"
#include "enclosure/memory.h"
#include "exact/reader.h"

#define USERS "n at-least honest reports-per-user "
#define WHAT "pair mechanism others " USERS "k eps0 gamma w0 w1 r0 r1 sigma "
#define ROUNDS " direction rounds subsample scheme via engine compose"
#define COMMON " digits effort max-seconds threads json explain"

static const struct
{
    const char *name;
    int (*run)(const cli_options *o);
    const char *options; /* what goes with it */
    int operands;        /* whether it takes any */
    const char *usage;
} commands[] = {
    { "delta", cli_command_delta, WHAT "eps fast certificate" ROUNDS COMMON, 0, "WHAT --eps E [ROUNDS]      enclose delta(eps)" },
    { "epsilon", cli_command_epsilon, WHAT "delta fast certificate" ROUNDS COMMON, 0, "WHAT --delta D [ROUNDS]    enclose eps(delta)" },
    { "renyi", cli_command_renyi, WHAT "order fast" ROUNDS COMMON, 0, "WHAT --order L|inf [ROUNDS] enclose the Renyi divergence" },
    { "curve", cli_command_curve, WHAT "eps delta order type1 log plot fast" ROUNDS COMMON, 1,
      "WHAT ... [FORM ...] --MEMBER A:B:K [--log] [--plot FILE.svg]" },
    { "calibrate", cli_command_calibrate, WHAT "eps delta solve" ROUNDS COMMON, 0,
      "WHAT --eps E --delta D --solve eps0|n|scale [ROUNDS]" },
    { "mechanism", cli_command_mechanism, USERS "eps delta solve" ROUNDS COMMON, 1,
      "FILE.json [--n N (--eps E | --delta D | --eps E --delta D --solve eps0|scale)]" },
    { "sgd", cli_command_sgd, "epochs blocks eps0 noise-scale clip dimension eps delta order solve via engine" COMMON, 0,
      "--epochs T --blocks M --eps0 X --delta D|--eps E|--order L" },
    { "dpsgd", cli_command_dpsgd, "sampler noise-multiplier steps sampling-rate epochs eps delta solve via engine" COMMON, 0,
      "--sampler S --noise-multiplier X --steps T|--sampling-rate Q --epochs E --delta D|--eps E" },
    { "ask", cli_command_ask, "jobs threads output shard", 1,
      "[--jobs N] [--output FILE [--shard I/N]] FILE|-  questions in JSON lines, answers in JSON lines; 65: an error, 66: no line" },
    { "estimate", cli_command_estimate, "k n eps delta digits effort json explain", 0,
      "--k K --n N --eps E --delta D  eps0 and error of frequency estimates" },
    { "audit", cli_command_audit, "html effort max-seconds threads json explain", 1, "[--html FILE] FILE.json ...   verdicts on claims" },
    { "tail", cli_command_tail, WHAT "eps rounds law" COMMON, 0, "WHAT --eps E [--rounds T] [--law truthful|view]  a loss of at least eps" },
    { "tradeoff", cli_command_tradeoff, WHAT "type1" ROUNDS COMMON, 0, "WHAT --type1 A|A:B:K [ROUNDS]  the smallest type II error of a test" },
    { "gdp", cli_command_gdp, WHAT "eps mu" ROUNDS COMMON, 0,
      "WHAT --eps E|A:B [--mu M] [ROUNDS]  the smallest mu of Gaussian DP, or a verdict on M" },
    { "bound", cli_command_bound, "n k eps0 delta0 gamma eps delta order digits effort json explain", 1,
      "[FORM --n N --eps0 X ...]  a paper's closed form, or the list of them" },
    { "vectors", cli_command_vectors, "output shard sample tolerance fast json", 1,
      "generate|check|judge|prompt FILE.json ...   test vectors; judge: 1 unsound, 2 undecided or unanswered" },
    { "theorems", cli_command_theorems, "json", 1, "[ID ...]                   what is proved, and where" },
    { "completion", cli_command_completion, "", 1, "bash|zsh|fish            what a shell completes" },
};

const char *cli_command(const char **options, size_t i)
{
    if (i >= sizeof(commands) / sizeof(commands[0]))
        return NULL;
    *options = commands[i].options;
    return commands[i].name;
}

static void put_what(FILE *out)
{
    fputs("WHAT: --pair clones|clones-stronger|clones-deletion|rr2 --n N --eps0 X\n"
          "      --pair krr-same|krr-third --n N --eps0 X --k K\n"
          "      --pair krr-strong|krr-weak --n N --gamma G|--eps0 X --k K\n"
          "      --pair trinomial --n N --w0 W --w1 W --r0 R --r1 R\n"
          "      --pair gaussian --n N --sigma S (delta, epsilon)\n"
          "      --mechanism FILE.json --n N: a described randomiser\n"
          "      --compose FILE.json: different mechanisms, one after the other\n"
          "      --pair clones-sampled|clones-poisson --n N --eps0 X --subsample G\n"
          "      --pair krr-third-sampled|krr-same-poisson|krr-third-poisson --n N --eps0 X --k K --subsample G\n"
          "      N is everyone; --at-least: or more; --honest H: so many, or that part, follow the protocol;\n"
          "      --reports-per-user R: through one shuffler\n"
          "      --subsample G: each round takes a part G of them,\n"
          "      with --scheme poisson each of them with probability G\n"
          "ROUNDS: [--rounds T] [--subsample G [--scheme fixed|poisson]] [--via pld|renyi|strong-composition] [--engine tilted|exact]\n"
          "options: --digits D, --effort normal|high|UNITS, --max-seconds S, --threads T, --json, --explain,\n"
          "         --fast, --direction both|pq|qp, --certificate FILE (delta, epsilon)\n"
          "See shufbound(1).\n", out);
}

/* One command, by the usage of its own. */
static int command_usage(size_t i)
{
    printf("usage: shufbound %s %s\n", commands[i].name, commands[i].usage);
    if (strstr(commands[i].usage, "WHAT") != NULL)
        put_what(stdout);
    else
        printf("options:%s%s\n", commands[i].options[0] == ' ' ? "" : " ", commands[i].options);
    return report_finish(EXIT_DONE);
}

static int usage(FILE *out)
{
    size_t i;
    fputs("usage: shufbound COMMAND [OPTIONS]\n", out);
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].usage);
    put_what(out);
    return out == stdout ? report_finish(EXIT_DONE) : EXIT_USAGE;
}

/* Each answer has been flushed: what stdio still holds is the beginning of one. */
void cli_out_of_memory(void)
{
    cli_fail(EXIT_MEMORY, "out of memory");
    report_file_abandon();
    _exit(EXIT_MEMORY);
}

static int unknown_command(const char *name)
{
    const char *names[sizeof(commands) / sizeof(commands[0]) + 1] = { NULL }, *nearest;
    size_t i;
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        names[i] = commands[i].name;
    nearest = reader_nearest(name, names);
    if (nearest != NULL)
        return cli_fail(EXIT_USAGE, "unknown command \"%.60s\": did you mean %s? see shufbound --help", name, nearest);
    return cli_fail(EXIT_USAGE, "unknown command \"%.60s\"; see shufbound --help", name);
}

static int run_line(int argc, char **argv)
{
    cli_options o;
    size_t i;
    int status, threads;

    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return usage(stdout);
    if (strcmp(argv[1], "--version") == 0)
    {
        printf("shufbound %s\n", PACKAGE_VERSION);
        return report_finish(EXIT_DONE);
    }
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
    {
        if (strcmp(argv[1], commands[i].name) == 0)
        {
            if (argc > 2 && strcmp(argv[2], "--help") == 0)
                return command_usage(i);
            status = cli_parse(&o, argc - 1, argv + 1);
            if (status == 0)
                status = cli_allow(&o, commands[i].name, commands[i].options);
            if (status == 0 && o.pair_count > 1 && commands[i].run != cli_command_curve)
                status = cli_fail(EXIT_USAGE, "--pair is given twice");
            if (status == 0)
                status = cli_threads(&threads, o.threads);
            if (status == 0 && !commands[i].operands && o.operands > 0)
                status = cli_fail(EXIT_USAGE, "unexpected argument \"%.80s\"", o.operand[0]);
            /* The threads of a pool do not come along into a new process: ask starts one where it answers. */
            if (status == 0 && commands[i].run != cli_command_ask)
                flint_set_num_threads(threads);
            if (status == 0)
                status = commands[i].run(&o);
            if (!memory_is_spoilt())
                flint_cleanup();
            return status;
        }
    }
    return unknown_command(argv[1]);
}

typedef struct
{
    int argc, status;
    char **argv;
} command_line;

static void run(void *data)
{
    command_line *l = data;
    l->status = run_line(l->argc, l->argv);
}

int cli_run(int argc, char **argv)
{
    command_line l = { argc, 0, argv };
    if (memory_try(run, &l) != 0)
        cli_out_of_memory();
    return l.status;
}

int main(int argc, char **argv)
{
    return cli_run(argc, argv);
}
