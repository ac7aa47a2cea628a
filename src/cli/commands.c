/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* delta, epsilon, calibrate, bound, theorems */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"

static int no_operands(const cli_options *o)
{
    return o->operands > 0 ? cli_fail(EXIT_USAGE, "unexpected argument \"%.80s\"", o->operand[0]) : 0;
}

static int absent(const char *option, const void *value, const char *command)
{
    return value != NULL ? cli_fail(EXIT_USAGE, "%s does not go with %s", option, command) : 0;
}

/* The enclosure that the fast path proves. */
static void from_bound(shuf_enclosure_t r, const struct shuf_bound *b, slong digits, shuf_status status)
{
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, b->lo);
    arf_set_d(r->hi, b->hi);
    mag_set_d(r->ledger.truncation, b->truncation);
    mag_set_d(r->ledger.rounding, b->rounding);
    r->ledger.terms = b->terms;
    r->ledger.precision = 53;
    r->status = status == SHUF_OK && shuf_enclosure_accurate(r, FLINT_MIN(digits, 9)) ? SHUF_OK : SHUF_ACCURACY;
}

static int run_point(const cli_options *o, int want_epsilon)
{
    const char *command = want_epsilon ? "epsilon" : "delta";
    shuf_pair_t pair;
    shuf_real_t point;
    shuf_direction direction;
    shuf_options budget;
    shuf_enclosure_t r;
    int status;

    shuf_pair_init(pair);
    shuf_real_init(point);
    shuf_enclosure_init(r);
    if ((status = no_operands(o)) != 0 || (status = absent("--solve", o->solve, command)) != 0
        || (status = absent("--html", o->html, command)) != 0
        || (status = absent(want_epsilon ? "--eps" : "--delta", want_epsilon ? o->eps : o->delta, command)) != 0
        || (status = cli_pair(pair, o, 1, 1)) != 0 || (status = cli_direction(&direction, o)) != 0
        || (status = cli_budget(&budget, o)) != 0)
        ;
    else if ((status = want_epsilon ? cli_delta(point, "--delta", o->delta) : cli_epsilon(point, "--eps", o->eps)) == 0)
    {
        if (o->fast)
        {
            struct shuf_bound bound;
            double start = shuf_seconds();
            shuf_status s = want_epsilon ? shuf_fast_epsilon(&bound, pair, point, direction)
                                         : shuf_fast_delta(&bound, pair, point, direction);
            if (s == SHUF_DOMAIN)
            {
                status = cli_fail(EXIT_USAGE, "--fast covers clones, clones-stronger, rr2 and krr-strong up to n = 2^40%s",
                                  want_epsilon ? " and 0 < delta" : "");
            }
            else
            {
                from_bound(r, &bound, budget.digits, s);
                r->ledger.seconds = shuf_seconds() - start;
            }
        }
        else if (want_epsilon)
        {
            shuf_hockey_epsilon(r, pair, point, direction, &budget);
            if (r->status == SHUF_DOMAIN)
                status = cli_fail(EXIT_ACCURACY, "no finite epsilon was found for --delta %.80s: the largest privacy loss is "
                                  "infinite, or the budget ran out", o->delta);
        }
        else
        {
            shuf_hockey_delta(r, pair, point, direction, &budget);
        }
        if (status == 0)
            status = cli_print_result(command, r, shuf_pair_theorem(pair), o, budget.digits,
                                      want_epsilon ? "delta(epsilon) <= delta is certain at the upper end" : NULL);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(point);
    shuf_enclosure_clear(r);
    return status;
}

int cli_command_delta(const cli_options *o)
{
    return run_point(o, 0);
}

int cli_command_epsilon(const cli_options *o)
{
    return run_point(o, 1);
}

int cli_command_calibrate(const cli_options *o)
{
    shuf_pair_t pair;
    shuf_real_t eps, delta;
    shuf_options budget;
    shuf_enclosure_t r;
    int status, solve_n = o->solve != NULL && strcmp(o->solve, "n") == 0;

    if (o->solve == NULL || (!solve_n && strcmp(o->solve, "eps0") != 0))
        return cli_fail(EXIT_USAGE, "--solve is %s%.40s: eps0 or n is allowed", o->solve ? "" : "missing", o->solve ? o->solve : "");
    if (solve_n && o->n != NULL)
        return cli_fail(EXIT_USAGE, "--n does not go with --solve n");
    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_real_init(delta);
    shuf_enclosure_init(r);
    if ((status = no_operands(o)) == 0 && (status = absent("--html", o->html, "calibrate")) == 0
        && (status = absent("--direction", o->direction, "calibrate")) == 0
        && (status = o->fast ? cli_fail(EXIT_USAGE, "--fast does not go with calibrate") : 0) == 0
        && (status = cli_pair(pair, o, !solve_n, solve_n)) == 0 && (status = cli_epsilon(eps, "--eps", o->eps)) == 0
        && (status = cli_delta(delta, "--delta", o->delta)) == 0 && (status = cli_budget(&budget, o)) == 0)
    {
        if (!solve_n && pair->kind != SHUF_PAIR_CLONES && pair->kind != SHUF_PAIR_CLONES_STRONGER)
            status = cli_fail(EXIT_USAGE, "--solve eps0 goes with --pair clones or clones-stronger");
        else if (shuf_calibrate(r, pair, solve_n ? SHUF_SOLVE_N : SHUF_SOLVE_EPS0, eps, delta, &budget) == SHUF_DOMAIN)
            status = cli_fail(EXIT_ACCURACY, "no n up to 1e18 is certified at (%.80s, %.80s) within the budget", o->eps, o->delta);
        else
            status = cli_print_result(solve_n ? "n" : "eps0", r, shuf_pair_theorem(pair), o, FLINT_MAX(budget.digits, 14),
                                      solve_n ? "the upper end is certified, the lower end is not"
                                              : "the lower end is certified, and so is every smaller eps0");
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    shuf_enclosure_clear(r);
    return status;
}

int cli_command_bound(const cli_options *o)
{
    const shuf_theorem *theorem;
    shuf_real_t eps0, point;
    shuf_options budget;
    shuf_enclosure_t r;
    uint64_t n;
    int status, as_printed;

    if (o->operands != 1)
        return cli_fail(EXIT_USAGE, "bound needs one theorem: feldman21-3.1 or feldman21-3.1-as-printed");
    theorem = shuf_theorem_find(o->operand[0]);
    as_printed = strcmp(o->operand[0], "feldman21-3.1-as-printed") == 0;
    if (!as_printed && strcmp(o->operand[0], "feldman21-3.1") != 0)
        return cli_fail(EXIT_USAGE, "bound \"%.60s\" is not a closed form: feldman21-3.1 or feldman21-3.1-as-printed is allowed",
                        o->operand[0]);
    if ((o->eps != NULL) == (o->delta != NULL))
        return cli_fail(EXIT_USAGE, "bound needs either --delta (to bound epsilon) or --eps (to bound delta)");
    if (o->pair != NULL || o->fast || o->html != NULL || o->solve != NULL || o->gamma != NULL || o->k != NULL)
        return cli_fail(EXIT_USAGE, "bound takes --n, --eps0, --delta or --eps only");

    shuf_real_init(eps0);
    shuf_real_init(point);
    shuf_enclosure_init(r);
    if ((status = cli_users(&n, o->n)) == 0 && (status = cli_epsilon(eps0, "--eps0", o->eps0)) == 0
        && (status = cli_budget(&budget, o)) == 0
        && (status = o->delta != NULL ? cli_delta(point, "--delta", o->delta) : cli_epsilon(point, "--eps", o->eps)) == 0)
    {
        shuf_status s = o->delta != NULL ? shuf_feldman21_epsilon(r, n, eps0, point, as_printed, &budget)
                                         : shuf_feldman21_delta(r, n, eps0, point, as_printed, &budget);
        if (s == SHUF_DOMAIN)
            status = cli_fail(EXIT_USAGE, "outside the region of %s: %s", theorem->id, theorem->validity);
        else
            status = cli_print_result(o->delta != NULL ? "epsilon" : "delta", r, theorem->id, o, budget.digits, NULL);
    }
    shuf_real_clear(eps0);
    shuf_real_clear(point);
    shuf_enclosure_clear(r);
    return status;
}

static void print_theorem(const shuf_theorem *t)
{
    printf("%s\n  status     %s (%s)\n  statement  %s\n  validity   %s\n  source     %s\n  proof      %s\n", t->id,
           shuf_theorem_status_name(t->status), t->kind, t->statement, t->validity, t->source, t->proof);
}

static void print_theorem_json(const shuf_theorem *t)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", t->id, "status", shuf_theorem_status_name(t->status),
                               "kind", t->kind, "statement", t->statement, "validity", t->validity, "source", t->source,
                               "proof", t->proof);
    json_dumpf(object, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(object);
}

int cli_command_theorems(const cli_options *o)
{
    const shuf_theorem *all;
    size_t count, i;
    int j;

    all = shuf_theorems(&count);
    for (j = 0; j < o->operands; j++)
        if (shuf_theorem_find(o->operand[j]) == NULL)
            return cli_fail(EXIT_USAGE, "no theorem \"%.60s\"; shufbound theorems lists them", o->operand[j]);
    if (o->operands == 0 && !o->json)
    {
        for (i = 0; i < count; i++)
            printf("%-25s %-11s %-12s %.*s\n", all[i].id, shuf_theorem_status_name(all[i].status), all[i].kind,
                   (int) strcspn(all[i].source, ";("), all[i].source);
        return EXIT_DONE;
    }
    for (i = 0; o->operands == 0 && i < count; i++)
        print_theorem_json(&all[i]);
    for (j = 0; j < o->operands; j++)
    {
        if (o->json)
            print_theorem_json(shuf_theorem_find(o->operand[j]));
        else
            print_theorem(shuf_theorem_find(o->operand[j]));
    }
    return EXIT_DONE;
}
