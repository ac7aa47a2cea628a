/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* cli: what the commands of shufbound(1) share (internal). */
#ifndef SHUF_CLI_H
#define SHUF_CLI_H

#include <stdio.h>
#include <sys/types.h>

#include "modules.h"
#include "report/file.h"
#include "report/message.h"
#include "report/partial.h"

#define CLI_MAX_PAIRS 16 /* size of an array; more are refused */

/* Options as given; NULL or 0 when absent. */
typedef struct
{
    const char *pair, *mechanism, *others, *n, *honest, *reports, *k, *eps0, *delta0, *gamma, *w0, *w1, *r0, *r1, *sigma;
    const char *eps, *delta, *order, *direction, *rounds, *subsample, *scheme, *via, *compose, *type1, *mu, *rho;
    /* of dpsgd */
    const char *sampler, *noise_multiplier, *target_epsilon, *batch_size, *dataset_size, *steps, *sampling_rate, *records, *max_batch_size;
    const char *best_of, *runs, *shape;
    const char *noise, *scale, *variance, *sensitivity, *dimension, *coins, *threshold;
    const char *epochs, *blocks; /* of sgd */
    const char *solve, *digits, *max_seconds, *html, *markdown, *latex, *date, *plot, *pgfplots;
    const char *output, *shard, *sample, *tolerance; /* of vectors */
    const char *certificate; /* a file */
    const char *randomiser, *eps0_notion, *release, *neighbours, *claimed_epsilon, *claimed_delta, *id, *source; /* of claim */
    const char *jobs, *threads, *effort;
    const char *pairs[CLI_MAX_PAIRS]; /* all that were given; pair is the first */
    int pair_count;
    int json, explain, quiet, fast, log, at_least;
    const char *assumed; /* no option: what a command took for granted, to be printed with the answer */
    int operands;        /* what is left of the command line */
    char **operand;
} cli_options;

/*
 * Parses argv from its element 1 on; argv[0] is the command, and `allowed` its options with blanks between, of which a message
 * names the nearest to an unknown one. Returns 0, or EXIT_USAGE after a message.
 */
int cli_parse(cli_options *o, int argc, char **argv, const char *allowed);

/* Refuses every option that is not among `allowed`: a refusal is better than an ignored option. */
int cli_allow(const cli_options *o, const char *command, const char *allowed);

/*
 * Refuses a line that lacks what is needed, as catalogue.h has it, or parameters of its pairs. One message tells all that is
 * missing.
 */
int cli_require(const cli_options *o, const char *needs);

/*
 * The value of the i-th option that is a parameter of the result and was
 * given, and its name; NULL after the last.
 */
const char *cli_parameter(const char **name, const cli_options *o, size_t i);

/* Leaves the process after a message, and no half-written line or file. */
_Noreturn void cli_out_of_memory(void);

/*
 * Readers of one option each. They return 0, or EXIT_USAGE after one line on
 * stderr that names the option, the value and what is allowed.
 */
int cli_epsilon(shuf_real_t out, const char *option, const char *text);
/* A rational from 0 to 1. */
int cli_probability(fmpq_t out, const char *option, const char *text);
/* A whole number from `least` to `most`. */
int cli_count(uint64_t *out, const char *option, const char *text, uint64_t least, uint64_t most);
int cli_users(uint64_t *out, const char *text);
/* --shard I/N; 1/1 for NULL. */
int cli_share(partial_share *out, const char *text);
/* --threads; 1 for NULL. */
int cli_threads(int *out, const char *text);
/* --digits and --effort. */
int cli_budget(shuf_options *out, const cli_options *o);

/* ---- results ---- */

typedef struct
{
    const char *quantity;               /* "delta", "epsilon", ... */
    const char *theorem;                /* of the pair or the closed form: id in the registry */
    const char *guarantee;              /* what the ends mean, in words; or NULL */
    const char *note;                   /* what must be told with the value, or NULL */
} cli_result;

/*
 * Prints one result, text or JSON with --json. An infinite value is said in
 * words. The enclosure's printed form is charged to its ledger. Returns the
 * exit status that goes with r->status.
 */
int cli_print_result(const cli_result *result, shuf_enclosure_t r, const cli_options *o, slong digits);

/* ---- long runs ---- */

/* From now on SIGINT or SIGTERM is noted, and only a second one kills. */
void cli_catch_interrupt(void);
int cli_interrupted(void);

/*
 * From now on SIGUSR1 is noted likewise, and never kills: a parent, that process, passes on its interrupt, which its child may have had. That the
 * parent is gone is an interrupt, too.
 */
void cli_stop_with_parent(pid_t process);

/* Between begin = 1 and 0 an interrupt ends a read that waits. */
void cli_wait_for_input(int begin);

/* Shows a line as report_show, and begins every later line of the engines with it. */
void cli_show_prefix(const char *text);

/* ---- commands ---- */

int cli_command_delta(const cli_options *o);
int cli_command_epsilon(const cli_options *o);
int cli_command_renyi(const cli_options *o);
int cli_command_curve(const cli_options *o);
int cli_command_calibrate(const cli_options *o);
int cli_command_tradeoff(const cli_options *o);
int cli_command_gdp(const cli_options *o);
int cli_command_zcdp(const cli_options *o);
int cli_command_sgd(const cli_options *o);
int cli_command_dpsgd(const cli_options *o);
int cli_command_noise(const cli_options *o);
int cli_command_estimate(const cli_options *o);
int cli_command_bound(const cli_options *o);
int cli_command_theorems(const cli_options *o);
int cli_command_cite(const cli_options *o);
int cli_command_mechanism(const cli_options *o);
int cli_command_ask(const cli_options *o);
int cli_command_claim(const cli_options *o);
int cli_command_audit(const cli_options *o);
int cli_command_vectors(const cli_options *o);
int cli_command_completion(const cli_options *o);
int cli_command_help(const cli_options *o);

/* bound feldman21-5.2: an eps0 for (eps, delta), unlike the other closed forms. */
int cli_bound_feldman21_52(const cli_options *o);

#endif
