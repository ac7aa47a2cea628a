/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* mechanism: all bounds of the shuffle of a described local randomiser */
#include <string.h>

#include "cli/cli.h"

/* Digits unless --digits says otherwise: each value is a convolution, an eps takes several. */
#define DELTA_DIGITS 6
#define EPSILON_DIGITS 4
#define CALIBRATION_DIGITS 3

typedef struct
{
    const cli_options *options;
    shuf_randomiser_struct *randomiser;
    uint64_t n;
    shuf_real_t eps, delta;
    shuf_options budget;
} request;

/* ---- what is local ---- */

static int print_local(const request *q)
{
    shuf_real_t eps0;
    shuf_enclosure_t r;
    arb_t t;
    cli_result result;
    int status;

    shuf_real_init(eps0);
    shuf_enclosure_init(r);
    arb_init(t);
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "local-epsilon";
    result.guarantee = "the smallest local parameter of the randomiser, replacing one value by another";
    if (shuf_randomiser_eps0(eps0, q->randomiser))
        shuf_real_get_arb(t, eps0, 4 * q->budget.digits + 64);
    else
        arb_pos_inf(t);
    shuf_enclosure_set_arb(r, t, 4 * q->budget.digits + 64);
    status = cli_print_result(&result, r, q->options, q->budget.digits);
    shuf_real_clear(eps0);
    shuf_enclosure_clear(r);
    arb_clear(t);
    return status;
}

/* ---- what is shuffled ---- */

/* In words: the data of a lower bound, the pair of inputs of an upper one. */
static void describe(char *line, size_t size, const shuf_datasets *where, shuf_shuffled_kind kind, uint64_t n)
{
    int used = snprintf(line, size, "user 1 holds input %llu or %llu", (unsigned long long) where->x,
                        (unsigned long long) where->x1);
    line += used;
    size -= (size_t) used;
    if (shuf_shuffled_is_upper(kind))
        return;
    if (kind != SHUF_SHUFFLED_MIXED)
        snprintf(line, size, ", all others %llu", (unsigned long long) where->others);
    else
        snprintf(line, size, ", %llu others %llu, %llu others %llu", (unsigned long long) (n - 1 - where->count),
                 (unsigned long long) where->others, (unsigned long long) where->count, (unsigned long long) where->second);
}

/* Time for one more bound: the first ones leave most of it to the others. */
static shuf_options share(const request *q, double deadline, int left)
{
    shuf_options o = q->budget;
    if (o.max_seconds > 0)
        o.max_seconds = FLINT_MAX((deadline - shuf_seconds()) / left, 1e-3);
    return o;
}

static int print_bounds(const request *q)
{
    double start = shuf_seconds(), deadline = start + q->budget.max_seconds;
    int at_delta = q->options->delta != NULL, status = EXIT_DONE, printed, kind;
    shuf_shuffled_kind highest = SHUF_SHUFFLED_KINDS, lowest = SHUF_SHUFFLED_KINDS;
    shuf_enclosure_t r, best;
    cli_result result;
    char data[2][160];

    shuf_enclosure_init(r);
    shuf_enclosure_init(best);
    arf_pos_inf(best->hi);
    cli_catch_interrupt();
    for (kind = 0; kind < SHUF_SHUFFLED_KINDS && !cli_interrupted(); kind++)
    {
        shuf_shuffled_kind k = (shuf_shuffled_kind) kind;
        shuf_options o = share(q, deadline, SHUF_SHUFFLED_KINDS - kind);
        shuf_datasets where;
        shuf_status s;
        cli_show(shuf_shuffled_theorem(k));
        s = at_delta ? shuf_shuffled_epsilon(r, &where, q->randomiser, q->n, k, q->delta, &o)
                     : shuf_shuffled_delta(r, &where, q->randomiser, q->n, k, q->eps, &o);
        cli_show("");
        if (s == SHUF_DOMAIN)
            continue;
        memset(&result, 0, sizeof(result));
        result.quantity = at_delta ? "epsilon" : "delta";
        result.theorem = shuf_shuffled_theorem(k);
        describe(data[0], sizeof(data[0]), &where, k, q->n);
        if (kind >= SHUF_SHUFFLED_BLANKET)
            result.note[0] = data[0];
        if (shuf_shuffled_is_upper(k) ? arf_cmp(r->hi, best->hi) < 0 : arf_cmp(r->lo, best->lo) > 0)
        {
            if (shuf_shuffled_is_upper(k))
            {
                highest = k;
                arf_set(best->hi, r->hi);
            }
            else
            {
                lowest = k;
                arf_set(best->lo, r->lo);
                memcpy(data[1], data[0], sizeof(data[1]));
            }
        }
        printed = cli_print_result(&result, r, q->options, q->budget.digits);
        if (printed != EXIT_DONE && printed != EXIT_ACCURACY)
            status = printed;
    }
    if (status == EXIT_DONE && highest != SHUF_SHUFFLED_KINDS)
    {
        char line[240];
        memset(&result, 0, sizeof(result));
        result.quantity = at_delta ? "epsilon of the mechanism" : "delta of the mechanism";
        result.theorem = shuf_shuffled_theorem(highest);
        result.kind = "upper and lower bound";
        result.guarantee = "the upper end is the guarantee; at the lower end real data exceed it";
        if (lowest != SHUF_SHUFFLED_KINDS)
        {
            result.through[0] = shuf_shuffled_theorem(lowest);
            snprintf(line, sizeof(line), "lower end: %s", data[1]);
            result.note[0] = line;
        }
        /* the gap between the bounds is no error of theirs */
        shuf_enclosure_width(best->ledger.discretisation, best);
        best->ledger.seconds = shuf_seconds() - start;
        status = cli_print_result(&result, best, q->options, q->budget.digits);
    }
    else if (status == EXIT_DONE)
    {
        status = cli_fail(EXIT_ACCURACY, "no upper bound of the mechanism was found");
    }
    if (cli_interrupted())
        status = cli_fail(130, "interrupted");
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(best);
    return status;
}

static int print_calibration(const request *q)
{
    int line = q->randomiser->kind == SHUF_RANDOMISER_LAPLACE || q->randomiser->kind == SHUF_RANDOMISER_GAUSSIAN, status;
    const char *wanted = line ? "scale" : "eps0";
    shuf_shuffled_kind kind;
    shuf_enclosure_t r;
    cli_result result;

    if (strcmp(q->options->solve, wanted) != 0 || q->randomiser->kind == SHUF_RANDOMISER_MATRIX)
        return cli_fail(EXIT_USAGE, "--solve is \"%.40s\": %s is allowed here", q->options->solve,
                        q->randomiser->kind == SHUF_RANDOMISER_MATRIX ? "nothing (a matrix has no parameter)" : wanted);
    shuf_enclosure_init(r);
    memset(&result, 0, sizeof(result));
    if (shuf_shuffled_calibrate(r, &kind, q->randomiser, q->n, q->eps, q->delta, &q->budget) == SHUF_DOMAIN)
    {
        status = cli_fail(EXIT_ACCURACY, "no %s was found for which (eps, delta) is certified", wanted);
    }
    else
    {
        result.quantity = wanted;
        result.theorem = shuf_shuffled_theorem(kind);
        result.guarantee = line ? "certified at the upper end, not certified at the lower end"
                                : "certified at the lower end, not certified at the upper end";
        if (q->randomiser->kind == SHUF_RANDOMISER_RAPPOR)
            result.note[0] = "the parameter of replacement: the \"eps0\" of a file is half of it";
        status = cli_print_result(&result, r, q->options, q->budget.digits);
    }
    shuf_enclosure_clear(r);
    return status;
}

int cli_command_mechanism(const cli_options *o)
{
    shuf_randomiser_t randomiser;
    char error[256];
    request q;
    int status = 0;

    if (o->operands != 1)
        return cli_fail(EXIT_USAGE, "mechanism takes one file, a description as in shufbound(1)");
    if (o->n == NULL && (o->eps != NULL || o->delta != NULL || o->solve != NULL))
        return cli_fail(EXIT_USAGE, "--n is missing");
    if (o->n != NULL && o->solve != NULL && (o->eps == NULL || o->delta == NULL))
        return cli_fail(EXIT_USAGE, "--solve needs --eps and --delta");
    if (o->n != NULL && o->solve == NULL && (o->eps == NULL) == (o->delta == NULL))
        return cli_fail(EXIT_USAGE, "mechanism with --n needs either --eps or --delta");

    q.options = o;
    q.randomiser = randomiser;
    shuf_randomiser_init(randomiser);
    shuf_real_init(q.eps);
    shuf_real_init(q.delta);
    if (shuf_randomiser_load(randomiser, o->operand[0], error, sizeof(error)) != 0)
        status = cli_fail(EXIT_DATA, "%s: %s", o->operand[0], error);
    if (status == 0 && o->n != NULL)
        status = cli_users(&q.n, o->n);
    if (status == 0 && o->eps != NULL)
        status = cli_epsilon(q.eps, "--eps", o->eps);
    if (status == 0 && o->delta != NULL)
        status = cli_delta(q.delta, "--delta", o->delta);
    if (status == 0 && (status = cli_budget(&q.budget, o)) == 0)
    {
        if (o->digits == NULL)
            q.budget.digits = o->solve != NULL ? CALIBRATION_DIGITS : o->delta != NULL ? EPSILON_DIGITS : DELTA_DIGITS;
        if (o->n == NULL)
            status = print_local(&q);
        else if (o->solve != NULL)
            status = print_calibration(&q);
        else
            status = print_bounds(&q);
    }
    shuf_randomiser_clear(randomiser);
    shuf_real_clear(q.eps);
    shuf_real_clear(q.delta);
    return status;
}
