/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* One round on a random subset of the users: its bound follows from the pair's by a formula. */
#include "account/rounds.h"

#include "enclosure/inverse.h"
#include "hockey/hockey.h"

/* Bits beyond the digits for the few operations on a sampled round's values. */
#define SAMPLE_PREC 256

/* lo := x/q rounded down, x >= 0, q > 0; exactly when x is rational. */
static void divide_down(shuf_real_t lo, const shuf_real_t x, const fmpq_t q)
{
    fmpq_t t;
    arb_t a, b;
    arf_t low;
    if (!x->is_log)
    {
        fmpq_init(t);
        fmpq_div(t, x->q, q);
        shuf_real_set_fmpq(lo, t);
        fmpq_clear(t);
        return;
    }
    arb_init(a);
    arb_init(b);
    arf_init(low);
    shuf_real_get_arb(a, x, SAMPLE_PREC);
    arb_set_fmpq(b, q, SAMPLE_PREC);
    arb_div(a, a, b, SAMPLE_PREC);
    arb_get_lbound_arf(low, a, SAMPLE_PREC);
    if (arf_sgn(low) < 0)
        arf_zero(low);
    shuf_real_set_arf(lo, low);
    arb_clear(a);
    arb_clear(b);
    arf_clear(low);
}

/* r := [least of lo, most of hi] times the factor, clamped below at 0. */
static void multiply(shuf_enclosure_t r, const arb_t factor)
{
    arb_t t;
    arb_init(t);
    arb_mul_arf(t, factor, r->lo, SAMPLE_PREC);
    arb_get_lbound_arf(r->lo, t, SAMPLE_PREC);
    arb_mul_arf(t, factor, r->hi, SAMPLE_PREC);
    arb_get_ubound_arf(r->hi, t, SAMPLE_PREC);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    arb_clear(t);
}

/* The ledger's parts are kept; what they lack of the width goes to the rounding. */
static void settle(shuf_enclosure_t r)
{
    mag_t width, total;
    mag_init(width);
    mag_init(total);
    shuf_enclosure_width(width, r);
    shuf_ledger_total(total, &r->ledger);
    if (mag_cmp(total, width) < 0)
        mag_add(r->ledger.rounding, r->ledger.rounding, width);
    mag_clear(width);
    mag_clear(total);
}

/* r := factor times the pair's delta at an eps of [lo, hi]; delta falls. */
static shuf_status delta_between(shuf_enclosure_t r, const round_law *law, const shuf_real_t lo, const shuf_real_t hi, const arb_t factor,
                                 shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    shuf_enclosure_t e;
    shuf_real_init(loss);
    shuf_enclosure_init(e);
    shuf_enclosure_zero(r); /* beyond SHUF_MAX_EPSILON nothing is left of any pair that has a largest loss */
    r->status = SHUF_OK;
    if (shuf_real_cmp_si(lo, SHUF_MAX_EPSILON) > 0)
    {
        if (!shuf_pair_max_loss(loss, law->route->pair))
            rounds_unknown(r, 1);
    }
    else if (shuf_hockey_delta(r, law->route->pair, lo, direction, options) != SHUF_DOMAIN)
    {
        if (shuf_real_cmp(lo, hi) != 0)
        {
            if (shuf_hockey_delta(e, law->route->pair, hi, direction, options) != SHUF_DOMAIN)
                arf_set(r->lo, e->lo);
            else
                arf_zero(r->lo);
        }
        multiply(r, factor);
        settle(r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_real_clear(loss);
    shuf_enclosure_clear(e);
    return r->status;
}

/* rate delta(eps'), e^eps' = 1 + (e^eps - 1)/rate. Coq: Subsets.subset_dominated. */
static shuf_status scaled_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, shuf_direction direction, const shuf_options *options)
{
    shuf_real_t lo, hi;
    fmpq_t inverse;
    arb_t rate;
    shuf_real_init(lo);
    shuf_real_init(hi);
    fmpq_init(inverse);
    arb_init(rate);
    fmpq_inv(inverse, law->rate);
    shuf_sampled_loss(lo, hi, eps, inverse);
    arb_set_fmpq(rate, law->rate, SAMPLE_PREC);
    delta_between(r, law, lo, hi, rate, direction, options);
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    fmpq_clear(inverse);
    arb_clear(rate);
    return r->status;
}

shuf_status one_round_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, const shuf_options *options)
{
    if (fmpq_is_one(law->rate))
        return shuf_hockey_delta(r, law->route->pair, eps, SHUF_DIRECTION_BOTH, options);
    return scaled_delta(r, law, eps, SHUF_DIRECTION_BOTH, options);
}

/*
 * H_alpha of P from rate Q + (1-rate) P, beta = rate - (alpha-1)(1-rate): beta H(P||Q) at 1 + (alpha-1)/beta, or 0.
 * Coq: Subsampling.replaced_beta, Subsampling.replaced_zero.
 */
static shuf_status replaced_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, const shuf_options *options)
{
    shuf_real_t lo, hi;
    fmpq_t rest;
    arb_t a, beta, t;
    arf_t end;
    shuf_real_init(lo);
    shuf_real_init(hi);
    fmpq_init(rest);
    arb_init(a);
    arb_init(beta);
    arb_init(t);
    arf_init(end);
    fmpq_one(rest);
    fmpq_sub(rest, rest, law->rate);
    shuf_real_get_arb(a, eps, SAMPLE_PREC);
    arb_expm1(a, a, SAMPLE_PREC);
    arb_set_fmpq(beta, law->rate, SAMPLE_PREC);
    arb_set_fmpq(t, rest, SAMPLE_PREC);
    arb_submul(beta, a, t, SAMPLE_PREC);
    if (arb_is_positive(beta))
    {
        arb_div(t, a, beta, SAMPLE_PREC);
        arb_log1p(t, t, SAMPLE_PREC);
        arb_get_lbound_arf(end, t, SAMPLE_PREC);
        if (arf_sgn(end) < 0)
            arf_zero(end);
        shuf_real_set_arf(lo, end);
        arb_get_ubound_arf(end, t, SAMPLE_PREC);
        shuf_real_set_arf(hi, end);
        delta_between(r, law, lo, hi, beta, SHUF_DIRECTION_PQ, options);
    }
    else
    {
        shuf_enclosure_zero(r);
        arb_get_ubound_arf(r->hi, beta, SAMPLE_PREC);
        if (arf_sgn(r->hi) < 0)
            arf_zero(r->hi);
        settle(r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    fmpq_clear(rest);
    arb_clear(a);
    arb_clear(beta);
    arb_clear(t);
    arf_clear(end);
    return r->status;
}

/* The other direction is as if the pair dominated: Coq: Subsampling.replaced_gamma. */
shuf_status one_round_replaced_delta(shuf_enclosure_t r, const round_law *law, const shuf_real_t eps, shuf_direction direction,
                                     const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_status status;
    if (direction == SHUF_DIRECTION_PQ)
        return replaced_delta(r, law, eps, options);
    if (direction == SHUF_DIRECTION_QP)
        return scaled_delta(r, law, eps, SHUF_DIRECTION_QP, options);
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 0.5);
    status = replaced_delta(other, law, eps, &o);
    shuf_share(&o, limit, 1);
    scaled_delta(r, law, eps, SHUF_DIRECTION_QP, &o);
    if (status == SHUF_DOMAIN || r->status == SHUF_DOMAIN)
        rounds_unknown(r, 1);
    else
    {
        shuf_enclosure_max(r, r, other);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_enclosure_clear(other);
    return r->status;
}

typedef struct
{
    const round_law *law;
    shuf_direction direction;
} replaced_data;

static shuf_status replaced_point(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const replaced_data *x = data;
    return one_round_replaced_delta(r, x->law, eps, x->direction, options);
}

shuf_status one_round_replaced_epsilon(shuf_enclosure_t r, const round_law *law, const shuf_real_t delta, shuf_direction direction,
                                       const shuf_options *options)
{
    replaced_data data = { law, direction };
    inverse_problem p = { replaced_point, &data, NULL, SHUF_MAX_EPSILON, NULL };
    return inverse_find(r, &p, delta, options);
}

/* r := [log(1 + rate (e^lo - 1)), the same of hi], where they are finite */
static void amplify(shuf_enclosure_t r, const fmpq_t rate)
{
    shuf_real_t x, lo, hi;
    arb_t t;
    shuf_real_init(x);
    shuf_real_init(lo);
    shuf_real_init(hi);
    arb_init(t);
    if (arf_is_finite(r->lo))
    {
        shuf_real_set_arf(x, r->lo);
        shuf_sampled_loss(lo, hi, x, rate);
        shuf_real_get_arb(t, lo, SAMPLE_PREC);
        arb_get_lbound_arf(r->lo, t, SAMPLE_PREC);
    }
    if (arf_is_finite(r->hi))
    {
        shuf_real_set_arf(x, r->hi);
        shuf_sampled_loss(lo, hi, x, rate);
        shuf_real_get_arb(t, hi, SAMPLE_PREC);
        arb_get_ubound_arf(r->hi, t, SAMPLE_PREC);
    }
    shuf_real_clear(x);
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    arb_clear(t);
}

shuf_status one_round_epsilon(shuf_enclosure_t r, const round_law *law, const shuf_real_t delta, const shuf_options *options)
{
    shuf_real_t before;
    shuf_status status;
    if (fmpq_is_one(law->rate))
        return shuf_hockey_epsilon(r, law->route->pair, delta, SHUF_DIRECTION_BOTH, options);
    shuf_real_init(before);
    divide_down(before, delta, law->rate);
    if (shuf_real_cmp_si(before, 1) >= 0)
    {
        shuf_enclosure_zero(r);
        status = r->status = SHUF_OK;
    }
    else
    {
        status = shuf_hockey_epsilon(r, law->route->pair, before, SHUF_DIRECTION_BOTH, options);
        amplify(r, law->rate);
        if (delta->is_log) /* delta/rate was rounded down, which makes eps larger: the lower end is not known */
            arf_zero(r->lo);
        if (arf_is_finite(r->hi))
        {
            mag_zero(r->ledger.discretisation);
            shuf_enclosure_width(r->ledger.discretisation, r);
        }
        if (status != SHUF_DOMAIN)
            status = r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    shuf_real_clear(before);
    return status;
}
