/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/dpsgd.md, Theorem 15. */
#include "batch/step_renyi.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Of what is asked, bits of the arithmetic and of orders beside 1; errors are tried so many times, each that much smaller. All steer only. */
#define BITS_PER_DIGIT 4
#define GUARD_BITS 192
#define TRIES 6
#define FIRST_GUARD 6.0
#define SMALLER 1e-8

/* The largest logarithm of a moment that doubles' tolerances are for: steers only. */
#define MOST_LOG 600.0

/* v := E e^{s L}, L the loss of that direction: from the atoms; 0 or -1 */
static int moment(arb_t v, const step_loss *loss, const arb_t s, double tolerance, slong prec)
{
    shuf_summand law;
    shuf_quadrature q;
    arb_t t;
    arf_t top;
    slong j;
    int failed;
    step_loss_law(&law, loss);
    shuf_quadrature_init(&q);
    arf_init(top);
    arf_pos_inf(top);
    arb_init(t);
    failed = law.quadrature(&q, &law, steer_midpoint(s), 0, top, tolerance, prec);
    arb_zero(v);
    for (j = 0; j < q.count; j++)
    {
        arb_mul(t, s, q.value + j, prec);
        arb_exp(t, t, prec);
        arb_addmul(v, t, q.mass + j, prec);
    }
    arb_set_d(t, q.error);
    arb_add_error(v, t);
    shuf_quadrature_clear(&q);
    arf_clear(top);
    arb_clear(t);
    return failed != 0 || !arb_is_finite(v) ? -1 : 0;
}

/* v := log E e^{sL}/s to so many digits, if it can be had: the divergence of order 1 + s; else what it was before. */
static void narrow(arb_t v, const step_loss *loss, const arb_t s, slong digits)
{
    const slong prec = BITS_PER_DIGIT * digits + GUARD_BITS;
    double tolerance;
    arb_t t;
    arf_t least;
    int i;
    arb_init(t);
    arf_init(least);
    arb_get_lbound_arf(least, v, 53);
    tolerance = d_pow(10, -(double) digits - FIRST_GUARD) * d_exp(fmin(fmax(steer_midpoint(s) * arf_get_d(least, ARF_RND_NEAR), 0), MOST_LOG));
    for (i = 0; i < TRIES && arb_rel_accuracy_bits(v) < (slong) (3.33 * (double) digits) + 2; i++, tolerance *= SMALLER)
    {
        if (moment(t, loss, s, tolerance, prec) != 0 || !arb_is_positive(t))
            break;
        arb_log(t, t, prec);
        arb_div(t, t, s, prec);
        if (arb_is_finite(t) && !arb_intersection(v, v, t, prec))
            flint_throw(FLINT_ERROR, "step_renyi: two enclosures of a divergence do not meet\n");
    }
    arb_clear(t);
    arf_clear(least);
}

/* v := what is known of every order a of PQ, or of QP: from max(0, a mu^2/2 + a log q/(a-1)), or 0, to a mu^2/2, or -log(1-q) if that is less. */
static void first_bounds(arb_t v, const fmpq_t shift, const fmpq_t rate, const arb_t s, int reverse, slong prec)
{
    arb_t a, low, high;
    arb_init(a);
    arb_init(low);
    arb_init(high);
    arb_add_ui(a, s, 1, prec);
    arb_set_fmpq(high, shift, prec);
    arb_mul(high, high, a, prec);
    arb_mul_2exp_si(high, high, -1);
    arb_set_fmpq(low, rate, prec);
    if (reverse)
    {
        arb_neg(low, low);
        arb_log1p(low, low, prec);
        arb_neg(low, low);
        arb_min(high, high, low, prec);
        arb_zero(low);
    }
    else
    {
        arb_log(low, low, prec);
        arb_mul(low, low, a, prec);
        arb_div(low, low, s, prec);
        arb_add(low, low, high, prec);
        if (!arb_is_positive(low))
            arb_zero(low);
    }
    arb_union(v, low, high, prec);
    arb_clear(a);
    arb_clear(low);
    arb_clear(high);
}

/* v encloses the divergence of order 1 + s, s > 0. */
static void divergence(arb_t v, const fmpq_t shift, const fmpq_t rate, const arb_t s, int reverse, slong digits)
{
    const slong prec = BITS_PER_DIGIT * digits + GUARD_BITS;
    const step_loss loss = { shift, rate, reverse, 0 };
    first_bounds(v, shift, rate, s, reverse, prec);
    narrow(v, &loss, s, digits);
}

/* The limit at order 1, between those of the orders 1 - e and 1 + e. */
static void divergence_of_one(arb_t v, const fmpq_t shift, const fmpq_t rate, int reverse, slong digits)
{
    const slong prec = BITS_PER_DIGIT * digits + GUARD_BITS, beside = BITS_PER_DIGIT * digits + 16;
    const step_loss loss = { shift, rate, reverse, 0 };
    arb_t s, low;
    arb_init(s);
    arb_init(low);
    arb_one(s);
    arb_mul_2exp_si(s, s, -beside);
    divergence(v, shift, rate, s, reverse, digits + 2);
    arb_zero(low);
    arb_union(low, low, v, prec);
    arb_neg(s, s);
    narrow(low, &loss, s, digits + 2);
    arb_union(v, v, low, prec);
    arb_clear(s);
    arb_clear(low);
}

shuf_status step_renyi(shuf_enclosure_t r, const fmpq_t shift, const fmpq_t rate, const shuf_real_t order, shuf_direction direction,
                       const shuf_options *options)
{
    const slong prec = BITS_PER_DIGIT * options->digits + GUARD_BITS;
    const double start = shuf_work();
    arb_t s, v[2];
    int i;
    arb_init(s);
    shuf_real_get_arb(s, order, prec);
    arb_sub_ui(s, s, 1, prec);
    for (i = 0; i < 2; i++)
    {
        arb_init(v[i]);
        if (direction == (i == 0 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ))
            continue;
        if (shuf_real_cmp_si(order, 1) == 0)
            divergence_of_one(v[i], shift, rate, i, options->digits);
        else
            divergence(v[i], shift, rate, s, i, options->digits);
    }
    arb_max(v[0], v[0], v[1], prec);
    shuf_enclosure_set_value(r, v[0], prec);
    r->ledger.work = shuf_work() - start;
    arb_clear(s);
    arb_clear(v[0]);
    arb_clear(v[1]);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}
