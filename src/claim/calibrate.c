/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "claim/claim.h"

typedef struct
{
    const shuf_pair_struct *pair;
    const shuf_real_struct *eps, *delta;
    double deadline;
    ulong terms;
} problem;

/* Whether the pair with this eps0 and n certainly has delta(eps) <= delta. */
static int certified(problem *p, const shuf_pair_t pair)
{
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int undecided;
    if (p->deadline > 0)
    {
        o.max_seconds = p->deadline - shuf_seconds();
        if (o.max_seconds < 1e-3)
            return 0;
    }
    p->terms++;
    return shuf_hockey_compare(&undecided, pair, p->eps, p->delta, SHUF_DIRECTION_BOTH, &o) < 0;
}

static int certified_eps0(problem *p, const arf_t eps0)
{
    shuf_pair_t pair;
    shuf_real_t x;
    int result;
    shuf_pair_init(pair);
    shuf_real_init(x);
    shuf_real_set_arf(x, eps0);
    result = shuf_pair_set_eps0(pair, p->pair->kind, p->pair->n, x) == 0 && certified(p, pair);
    shuf_real_clear(x);
    shuf_pair_clear(pair);
    return result;
}

static int certified_n(problem *p, uint64_t n)
{
    shuf_pair_t pair;
    int result;
    shuf_pair_init(pair);
    shuf_pair_set(pair, p->pair);
    pair->n = n;
    result = certified(p, pair);
    shuf_pair_clear(pair);
    return result;
}

static shuf_status solve_eps0(shuf_enclosure_t r, problem *p, const shuf_options *options)
{
    slong prec = 4 * options->digits + 64;
    shuf_status status = SHUF_ACCURACY;
    arf_t x;
    arb_t t;
    arf_init(x);
    arb_init(t);
    /* eps0 = eps always does (delta(eps) is then 0) */
    shuf_real_get_arb(t, p->eps, prec);
    arb_get_lbound_arf(r->lo, t, prec);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    /* double until it no longer does */
    arf_mul_2exp_si(r->hi, r->lo, 1);
    if (arf_cmp_2exp_si(r->hi, -20) < 0)
        arf_set_d(r->hi, 0x1p-20);
    while (certified_eps0(p, r->hi) && arf_cmp_si(r->hi, SHUF_MAX_EPSILON) < 0)
    {
        arf_set(r->lo, r->hi);
        arf_mul_2exp_si(r->hi, r->hi, 1);
    }
    while (!shuf_enclosure_accurate(r, options->digits))
    {
        if (p->deadline > 0 && shuf_seconds() > p->deadline)
            break;
        arf_add(x, r->lo, r->hi, prec, ARF_RND_NEAR);
        arf_mul_2exp_si(x, x, -1);
        if (arf_cmp_2exp_si(r->hi, -200) < 0)
            break; /* eps = 0: only eps0 = 0 may do */
        if (certified_eps0(p, x))
            arf_set(r->lo, x);
        else
            arf_set(r->hi, x);
    }
    if (shuf_enclosure_accurate(r, options->digits))
        status = SHUF_OK;
    shuf_enclosure_width(r->ledger.discretisation, r);
    arf_clear(x);
    arb_clear(t);
    return status;
}

static shuf_status solve_n(shuf_enclosure_t r, problem *p)
{
    uint64_t bad = 0, good = 1;
    shuf_status status = SHUF_OK;
    while (!certified_n(p, good))
    {
        bad = good;
        if (good == SHUF_MAX_USERS || (p->deadline > 0 && shuf_seconds() > p->deadline))
            return SHUF_DOMAIN;
        good = good > SHUF_MAX_USERS / 8 ? SHUF_MAX_USERS : 8 * good;
    }
    while (good - bad > 1)
    {
        uint64_t mid = bad + (good - bad) / 2;
        if (certified_n(p, mid))
            good = mid;
        else
            bad = mid;
        if (p->deadline > 0 && shuf_seconds() > p->deadline)
        {
            status = SHUF_ACCURACY;
            break;
        }
    }
    arf_set_ui(r->lo, bad);
    arf_set_ui(r->hi, good);
    shuf_enclosure_width(r->ledger.discretisation, r);
    return status;
}

shuf_status shuf_calibrate(shuf_enclosure_t r, const shuf_pair_t pair, shuf_solve solve, const shuf_real_t eps,
                           const shuf_real_t delta, const shuf_options *options)
{
    problem p = { pair, eps, delta, 0, 0 };
    double start = shuf_seconds();
    shuf_enclosure_zero(r);
    p.deadline = options->max_seconds > 0 ? start + options->max_seconds : 0;
    if (shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0 || shuf_real_sgn(delta) < 0
        || (solve == SHUF_SOLVE_EPS0 && pair->kind != SHUF_PAIR_CLONES && pair->kind != SHUF_PAIR_CLONES_STRONGER))
        r->status = SHUF_DOMAIN;
    else if (solve == SHUF_SOLVE_EPS0)
        r->status = solve_eps0(r, &p, options);
    else
        r->status = solve_n(r, &p);
    r->ledger.terms = p.terms;
    r->ledger.seconds = shuf_seconds() - start;
    return r->status;
}
