/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/loosen.h"

/* Steer only. */
#define PREC 256
#define MAX_STEPS 100
#define FIRST_DIGITS 3

int loosen_is_needed(const shuf_question_struct *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].reports > 1 || shuf_real_sgn(q->parts[i].delta0) > 0)
            return 1;
    return 0;
}

/* Whether it has all that delta0 and several reports add. */
static int is_seen(const round_route *route)
{
    return route->kind == ROUTE_SEEN || route->kind == ROUTE_WHOLE;
}

/* The reports of a user that the pairs do not have. */
static uint64_t reports_left(const rounds_struct *x)
{
    return is_seen(x->routes[0]) ? 1 : x->question->parts[0].reports;
}

static int has_variation(const round_route *route)
{
    return !is_seen(route) && shuf_real_sgn(route->part->delta0) > 0;
}

static int has_variations(const rounds_struct *x)
{
    size_t i;
    for (i = 0; i < x->count && !has_variation(x->routes[i]); i++)
        ;
    return i < x->count;
}

void loosen_chain(theorem_chain *chain, const rounds_struct *x)
{
    if (has_variations(x))
        chain_add(chain, "clones-delta0");
    if (reports_left(x) > 1)
        chain_add(chain, "group-privacy");
}

const char *loosen_note(const rounds_struct *x)
{
    return reports_left(x) > 1 ? "group privacy over the reports of a user: not tight"
           : has_variations(x) ? "what delta0 adds is bounded by total variation, user by user: not tight"
                               : "as if it were seen whose each report is";
}

/* c := the sum over all rounds of (2n-1) delta0/E; none := the probability that no report that is seen by itself tells all. */
static void get_variation(arb_t c, arb_t none, const rounds_struct *x)
{
    arb_t t, d;
    size_t i;
    arb_init(t);
    arb_init(d);
    arb_zero(c);
    arb_one(none);
    for (i = 0; i < x->count; i++)
    {
        const shuf_part_struct *p = x->routes[i]->part;
        if (x->routes[i]->kind == ROUTE_SEEN)
        {
            shuf_real_get_arb(d, p->delta0, PREC);
            shuf_ball_complement(d, d, PREC);
            arb_pow_ui(d, d, x->routes[i]->rounds, PREC);
            arb_mul(none, none, d, PREC);
        }
        if (!has_variation(x->routes[i]))
            continue;
        arb_set_ui(t, p->users);
        arb_mul_2exp_si(t, t, 1);
        arb_sub_ui(t, t, 1, PREC);
        arb_mul_ui(t, t, p->rounds, PREC);
        shuf_real_get_arb(d, p->delta0, PREC);
        arb_mul(t, t, d, PREC);
        shuf_real_exp(d, p->eps0, PREC);
        arb_div(t, t, d, PREC);
        arb_add(c, c, t, PREC);
    }
    arb_clear(t);
    arb_clear(d);
}

/* factor := 1 + e^s + .. + e^{(r-1)s}, added := (1 + e^s) c + 1 - none, of which the right side is factor (none h + added). */
static void get_terms(arb_t factor, arb_t none, arb_t added, const rounds_struct *x, const shuf_real_t s)
{
    arb_t e, power;
    uint64_t i;
    arb_init(e);
    arb_init(power);
    shuf_real_exp(e, s, PREC);
    get_variation(added, none, x);
    arb_add_ui(power, e, 1, PREC);
    arb_mul(added, added, power, PREC);
    arb_add_ui(added, added, 1, PREC);
    arb_sub(added, added, none, PREC);
    arb_one(power);
    arb_zero(factor);
    for (i = 0; i < reports_left(x); i++)
    {
        arb_add(factor, factor, power, PREC);
        arb_mul(power, power, e, PREC);
    }
    arb_clear(e);
    arb_clear(power);
}

/* s := eps/r, or a little less, where the bound is larger. */
static void divide(shuf_real_t s, const shuf_real_t eps, uint64_t reports)
{
    fmpz_t r;
    fmpq_t q;
    arb_t x;
    arf_t low;
    if (reports == 1)
    {
        shuf_real_set(s, eps);
        return;
    }
    fmpz_init_set_ui(r, reports);
    fmpq_init(q); arb_init(x); arf_init(low);
    if (eps->is_log)
    {
        shuf_real_get_arb(x, eps, PREC);
        arb_div_ui(x, x, reports, PREC);
        shuf_ball_least(low, x, PREC);
        shuf_real_set_arf(s, low);
    }
    else
    {
        fmpq_div_fmpz(q, eps->q, r);
        shuf_real_set_fmpq(s, q);
    }
    fmpz_clear(r); fmpq_clear(q); arb_clear(x); arf_clear(low);
}

/* The right side at eps = r s. Coq: Deployments.group_privacy_eps. */
static shuf_status value_at(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t s,
                            const shuf_options *options)
{
    arb_t factor, none, added, t;
    shuf_status status = rounds_delta(r, road, x, via, s, SHUF_DIRECTION_BOTH, options);
    if (status == SHUF_DOMAIN)
        return status;
    arb_init(factor); arb_init(none); arb_init(added); arb_init(t);
    get_terms(factor, none, added, x, s);
    arb_mul_arf(t, none, r->lo, PREC);
    arb_add(t, t, added, PREC);
    arb_mul(t, t, factor, PREC);
    arb_get_lbound_arf(r->lo, t, PREC);
    arb_mul_arf(t, none, r->hi, PREC);
    arb_add(t, t, added, PREC);
    arb_mul(t, t, factor, PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    shuf_ends_cut(r->lo, r->hi);
    if (arf_cmp_si(r->lo, 1) > 0)
        arf_one(r->lo);
    shuf_enclosure_width(r->ledger.discretisation, r);
    arb_clear(factor); arb_clear(none); arb_clear(added); arb_clear(t);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

shuf_status loosened_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t eps,
                           const shuf_options *options)
{
    shuf_real_t s;
    shuf_real_init(s);
    divide(s, eps, reports_left(x));
    value_at(r, road, x, via, s, options);
    shuf_real_clear(s);
    return r->status;
}

/* left := what h may be at s if the right side is to be at most delta, rounded down. Returns 0 if that is negative. */
static int leave(shuf_real_t left, const rounds_struct *x, const shuf_real_t s, const shuf_real_t delta)
{
    arb_t factor, none, added, t;
    arf_t low;
    int result;
    arb_init(factor); arb_init(none); arb_init(added); arb_init(t); arf_init(low);
    get_terms(factor, none, added, x, s);
    shuf_real_get_arb(t, delta, PREC);
    arb_div(t, t, factor, PREC);
    arb_sub(t, t, added, PREC);
    arb_div(t, t, none, PREC);
    arb_get_lbound_arf(low, t, PREC);
    result = arb_is_finite(t) && arf_sgn(low) >= 0;
    if (result)
        shuf_real_set_arf(left, low);
    arb_clear(factor); arb_clear(none); arb_clear(added); arb_clear(t); arf_clear(low);
    return result;
}

/* x (1 + 10^-digits / parts), rounded up */
static void widen(arf_t y, const arf_t x, slong digits, ulong parts)
{
    arb_t t;
    arb_init(t);
    arb_set_ui(t, 10);
    arb_pow_ui(t, t, (ulong) digits, PREC);
    arb_mul_ui(t, t, parts, PREC);
    arb_inv(t, t, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_mul_arf(t, t, x, PREC);
    arb_get_ubound_arf(y, t, PREC);
    arb_clear(t);
}

/*
 * s is right if h(s) is at most what is left at s, which falls with s. From the eps of h at delta, which no right s is below, go to the eps
 * of h at what is left there, again and again: the steps rise to the smallest right s, and are not beyond it. The first one need not be exact; those after it are widened and checked once they move little.
 */
shuf_status loosened_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t delta,
                             const shuf_options *options)
{
    const uint64_t reports = reports_left(x);
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t step, at;
    shuf_real_t s, left;
    arf_t top, near;
    int i, found = 0;
    shuf_enclosure_init(step); shuf_enclosure_init(at); shuf_real_init(s); shuf_real_init(left); arf_init(top);
    arf_init(near);
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    for (i = 0; i < MAX_STEPS && !found && leave(left, x, s, delta); i++)
    {
        o.digits = i == 0 ? FLINT_MIN(FIRST_DIGITS, options->digits) : options->digits + 1;
        shuf_share(&o, limit, 0.25);
        if (rounds_epsilon(step, road, x, via, left, SHUF_DIRECTION_BOTH, &o) == SHUF_DOMAIN || !arf_is_finite(step->hi) || shuf_exhausted(limit))
            break;
        if (arf_cmp(step->lo, r->lo) > 0)
            arf_set(r->lo, step->lo);
        widen(near, top, 1, 1);
        if (i > 0 && arf_cmp(step->hi, near) <= 0)
        {
            widen(near, step->hi, options->digits, 4);
            shuf_real_set_arf(s, near);
            shuf_share(&o, limit, 0.5);
            found = leave(left, x, s, delta) && rounds_delta(at, road, x, via, s, SHUF_DIRECTION_BOTH, &o) != SHUF_DOMAIN
                    && shuf_real_cmp_arf(left, at->hi) >= 0;
            if (found)
                arf_set(r->hi, near);
            widen(near, top, options->digits, 4);
            if (arf_cmp(step->hi, near) <= 0)
                break;
        }
        arf_max(top, top, step->lo);
        shuf_real_set_arf(s, top);
    }
    arf_mul_ui(r->lo, r->lo, reports, PREC, ARF_RND_FLOOR);
    if (found)
    {
        arf_mul_ui(r->hi, r->hi, reports, PREC, ARF_RND_CEIL);
        /* with little work a conversion is not one and the same function in all steps */
        if (arf_cmp(r->lo, r->hi) > 0)
            arf_zero(r->lo);
        shuf_enclosure_width(r->ledger.discretisation, r);
    }
    r->status = !found ? SHUF_DOMAIN : shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    shuf_enclosure_clear(step); shuf_enclosure_clear(at); shuf_real_clear(s); shuf_real_clear(left); arf_clear(top);
    arf_clear(near);
    return r->status;
}
