/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* cli: what the commands of shufbound(1) share (internal). */
#ifndef SHUF_CLI_H
#define SHUF_CLI_H

#include "shufbound.h"

/* Exit statuses, see shufbound(1). */
enum
{
    EXIT_DONE = 0,
    EXIT_ACCURACY = 3,
    EXIT_USAGE = 64,
    EXIT_DATA = 65,
    EXIT_CANNOT_WRITE = 73
};

/* Options as given; NULL or 0 when absent. */
typedef struct
{
    const char *pair, *n, *eps0, *gamma, *k, *w0, *w1, *r0, *r1;
    const char *eps, *delta, *direction, *digits, *max_seconds, *solve, *html;
    int json, explain, fast;
    int operands;        /* what is left of the command line */
    char **operand;
} cli_options;

/* Parses argv from its element 1 on. Returns 0 or EXIT_USAGE after a message. */
int cli_parse(cli_options *o, int argc, char **argv);

/* "shufbound: " and a line on stderr. Returns status. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Readers of one option each. They return 0, or EXIT_USAGE after one line on
 * stderr that names the option, the value and what is allowed.
 */
int cli_real(shuf_real_t out, const char *option, const char *text);
int cli_epsilon(shuf_real_t out, const char *option, const char *text);
int cli_delta(shuf_real_t out, const char *option, const char *text);
int cli_users(uint64_t *out, const char *text);
int cli_pair(shuf_pair_t out, const cli_options *o, int need_n, int need_eps0);
int cli_direction(shuf_direction *out, const cli_options *o);
int cli_budget(shuf_options *out, const cli_options *o);

/*
 * Prints one result: text, or JSON with --json. quantity is "delta",
 * "epsilon", ...; guarantee, if not NULL, says in words what the ends mean.
 * The enclosure's printed form is charged to its ledger. Returns the exit
 * status that goes with r->status.
 */
int cli_print_result(const char *quantity, shuf_enclosure_t r, const char *theorem, const cli_options *o, slong digits,
                     const char *guarantee);

int cli_command_delta(const cli_options *o);
int cli_command_epsilon(const cli_options *o);
int cli_command_calibrate(const cli_options *o);
int cli_command_bound(const cli_options *o);
int cli_command_theorems(const cli_options *o);
int cli_command_audit(const cli_options *o);

#endif
