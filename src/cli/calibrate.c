/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

/* Relative accuracy of a solution for several rounds or sampled users, unless --digits says otherwise. */
#define ROUNDS_DIGITS 4

static int on_progress(void *data, const char *line)
{
    (void) data;
    cli_show(line);
    return cli_interrupted();
}

/* What is to be solved: a pair at (eps, delta), the rounds and the rate. */
typedef struct
{
    shuf_pair_t pair;
    shuf_real_t eps, delta;
    uint64_t rounds;
    fmpq_t rate;
    shuf_solve solve;
} problem;

static int read_problem(problem *p, const cli_options *o)
{
    int status, solve_n = p->solve == SHUF_SOLVE_N;
    const char *kind;
    if ((status = cli_pair(p->pair, o, !solve_n, solve_n)) != 0 || (status = cli_epsilon(p->eps, "--eps", o->eps)) != 0
        || (status = cli_delta(p->delta, "--delta", o->delta)) != 0)
        return status;
    if (!solve_n && p->pair->kind != SHUF_PAIR_CLONES && p->pair->kind != SHUF_PAIR_CLONES_STRONGER)
        return cli_fail(EXIT_USAGE, "--solve eps0 goes with --pair clones or clones-stronger");
    if (o->rounds != NULL && (status = cli_count(&p->rounds, "--rounds", o->rounds, 1, SHUF_PLD_MAX_ROUNDS)) != 0)
        return status;
    if (o->subsample != NULL)
    {
        if ((status = cli_probability(p->rate, "--subsample", o->subsample)) != 0)
            return status;
        if (fmpq_is_zero(p->rate))
            return cli_fail(EXIT_USAGE, "--subsample is %.80s: a rational number in (0, 1] is allowed", o->subsample);
        kind = shuf_theorem_find(shuf_pair_theorem(p->pair))->kind;
        if (strcmp(kind, "lower bound") == 0 || p->pair->kind == SHUF_PAIR_TRINOMIAL)
            return cli_fail(EXIT_USAGE, "--subsample needs a pair that bounds a mechanism from above: --pair clones, "
                            "clones-stronger, krr-strong or krr-weak");
    }
    return 0;
}

static shuf_status calibrate(shuf_enclosure_t r, const problem *p, const shuf_options *budget)
{
    shuf_pld_options options = SHUF_PLD_OPTIONS_DEFAULT;
    if (p->rounds == 1 && fmpq_is_one(p->rate))
        return shuf_calibrate(r, p->pair, p->solve, p->eps, p->delta, budget);
    options.budget = *budget;
    options.progress = on_progress;
    cli_catch_interrupt();
    shuf_calibrate_rounds(r, p->pair, p->rounds, p->rate, p->solve, p->eps, p->delta, &options);
    cli_show("");
    return r->status;
}

static int print(const problem *p, shuf_enclosure_t r, const cli_options *o, slong digits)
{
    cli_result result;
    char note[160];
    int through = 0;
    memset(&result, 0, sizeof(result));
    result.quantity = p->solve == SHUF_SOLVE_N ? "n" : "eps0";
    result.theorem = shuf_pair_theorem(p->pair);
    if (!fmpq_is_one(p->rate))
    {
        result.through[through++] = "subsample-profile";
        snprintf(note, sizeof(note), "%s is the number of sampled users, %.40s of all (without replacement; neighbours replace one value)",
                 p->solve == SHUF_SOLVE_N ? "n" : "--n", o->subsample);
        result.note[0] = note;
    }
    if (p->rounds > 1)
        result.through[through] = "pld-composition";
    result.guarantee = p->solve == SHUF_SOLVE_N ? "the upper end is certified, the lower end is not"
                                                : "the lower end is certified, and so is every smaller eps0";
    return cli_print_result(&result, r, o, FLINT_MAX(digits, 14));
}

int cli_command_calibrate(const cli_options *o)
{
    problem p;
    shuf_options budget;
    shuf_enclosure_t r;
    int status, solve_n = o->solve != NULL && strcmp(o->solve, "n") == 0;

    if (o->solve == NULL || (!solve_n && strcmp(o->solve, "eps0") != 0))
        return cli_fail(EXIT_USAGE, "--solve is %s%.40s: eps0 or n is allowed", o->solve ? "" : "missing", o->solve ? o->solve : "");
    if (solve_n && o->n != NULL)
        return cli_fail(EXIT_USAGE, "--n does not go with --solve n");
    p.solve = solve_n ? SHUF_SOLVE_N : SHUF_SOLVE_EPS0;
    p.rounds = 1;
    shuf_pair_init(p.pair);
    shuf_real_init(p.eps);
    shuf_real_init(p.delta);
    fmpq_init(p.rate);
    fmpq_one(p.rate);
    shuf_enclosure_init(r);
    if ((status = read_problem(&p, o)) == 0 && (status = cli_budget(&budget, o)) == 0)
    {
        if ((p.rounds > 1 || !fmpq_is_one(p.rate)) && o->digits == NULL)
            budget.digits = ROUNDS_DIGITS;
        if (calibrate(r, &p, &budget) == SHUF_DOMAIN)
            status = cli_fail(EXIT_ACCURACY, "no n up to 1e18 is certified at (%.80s, %.80s) within the budget", o->eps, o->delta);
        else
            status = print(&p, r, o, budget.digits);
    }
    shuf_pair_clear(p.pair);
    shuf_real_clear(p.eps);
    shuf_real_clear(p.delta);
    fmpq_clear(p.rate);
    shuf_enclosure_clear(r);
    return status;
}
