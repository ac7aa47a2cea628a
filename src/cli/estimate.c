/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* estimate: the eps0 for frequency estimation at (eps, delta), and the error that it leaves */
#include <string.h>

#include "cli/cli.h"
#include "randomiser/estimation.h"

#define EPS0_DIGITS 12 /* of the eps0 at which errors are evaluated */

typedef struct
{
    uint64_t n, k;
    shuf_real_t eps, delta;
    shuf_options budget;
} estimation;

/* eps0 := the lower end as a decimal, rounded down. Returns 0 unless it is positive. */
static int set_eps0(shuf_real_t eps0, const shuf_enclosure_t r)
{
    char *text = shuf_decimal(r->lo, EPS0_DIGITS, 0);
    int ok = shuf_real_set_str(eps0, text) == 0 && shuf_real_sgn(eps0) > 0;
    flint_free(text);
    return ok;
}

static int print_errors(const estimation *e, const shuf_real_t eps0, const cli_options *o)
{
    static const char *const theorems[] = { [SHUF_ESTIMATE_KRR] = "estimation-krr", [SHUF_ESTIMATE_HADAMARD] = "estimation-hadamard" };
    static const shuf_estimator order[] = { SHUF_ESTIMATE_HADAMARD, SHUF_ESTIMATE_KRR };
    cli_result result;
    shuf_enclosure_t r;
    char note[64];
    int i, status = 0;
    shuf_enclosure_init(r);
    for (i = 0; i < 2 && status == 0; i++)
    {
        memset(&result, 0, sizeof(result));
        result.quantity = "squared-error";
        result.theorem = theorems[order[i]];
        snprintf(note, sizeof(note), "at eps0 = %.40s", eps0->text);
        result.note = note;
        shuf_estimation_error(r, order[i], e->n, e->k, eps0, &e->budget);
        status = cli_print_result(&result, r, o, e->budget.digits);
    }
    shuf_enclosure_clear(r);
    return status;
}

/* The paper's choice, and whether the pair clones has at most delta there. */
static int print_paper(const estimation *e, const cli_options *o, int with_errors)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    shuf_pair_t pair;
    int status, undecided, usable, certified = 0;
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "feldman21-5.2";
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_pair_init(pair);
    if (shuf_feldman21_52_eps0(r, e->n, e->eps, e->delta, &e->budget) == SHUF_DOMAIN)
    {
        status = cli_fail(EXIT_USAGE, "outside the region of feldman21-5.2: %s", shuf_theorem_find("feldman21-5.2")->validity);
    }
    else
    {
        usable = set_eps0(eps0, r);
        if (usable && shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, e->n, eps0) == 0)
            certified = shuf_hockey_compare(&undecided, pair, e->eps, e->delta, SHUF_DIRECTION_BOTH, &e->budget) < 0;
        result.note = certified ? "checked at the lower end: the pair clones has at most this delta at this eps"
                      : usable    ? "not certified here: the pair clones was not found to have at most this delta at this eps"
                                  : "not positive: no eps0 at all";
        status = cli_print_result(&result, r, o, e->budget.digits);
        if (status == 0 && with_errors && usable)
            status = print_errors(e, eps0, o);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_pair_clear(pair);
    return status;
}

/* The largest eps0 that clones-stronger certifies. */
static int print_calibrated(const estimation *e, const cli_options *o)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    shuf_pair_t pair;
    int status, errors = 0;
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "clones-stronger";
    result.guarantee = "the lower end is certified, and so is every smaller eps0";
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    shuf_pair_init(pair);
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, e->n, eps0);
    shuf_calibrate(r, pair, SHUF_SOLVE_EPS0, e->eps, e->delta, &e->budget);
    status = cli_print_result(&result, r, o, FLINT_MAX(e->budget.digits, 14));
    if (status < EXIT_USAGE && set_eps0(eps0, r))
        errors = print_errors(e, eps0, o);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    shuf_pair_clear(pair);
    return FLINT_MAX(status, errors);
}

static int run(const cli_options *o, int with_errors)
{
    estimation e;
    int status, calibrated;
    e.k = 2;
    shuf_real_init(e.eps);
    shuf_real_init(e.delta);
    if ((status = cli_users(&e.n, o->n)) == 0 && (status = cli_epsilon(e.eps, "--eps", o->eps)) == 0
        && (status = cli_delta(e.delta, "--delta", o->delta)) == 0
        && (!with_errors || (status = cli_count(&e.k, "--k", o->k, 2, SHUF_MAX_K)) == 0) && (status = cli_budget(&e.budget, o)) == 0
        && (status = print_paper(&e, o, with_errors)) < EXIT_USAGE && with_errors)
    {
        calibrated = print_calibrated(&e, o);
        status = FLINT_MAX(status, calibrated);
    }
    shuf_real_clear(e.eps);
    shuf_real_clear(e.delta);
    return status;
}

int cli_command_estimate(const cli_options *o)
{
    return run(o, 1);
}

int cli_bound_feldman21_52(const cli_options *o)
{
    if (cli_allow(o, "bound feldman21-5.2, which takes --n --eps --delta", "n eps delta digits max-seconds json explain quiet") != 0)
        return EXIT_USAGE;
    return run(o, 0);
}
