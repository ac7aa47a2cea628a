/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* What a line of the transform says at a threshold; notation and proofs: proofs/iidsum.md, Lemmas 6 to 11. */
#include "iidsum/fourier.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "pld/polynomial.h"

#define PREC 128 /* steers only */

/* Units of work of a coefficient, of a threshold, and of both. Steer only. */
#define COEFFICIENT_WORK 10000.0
#define THRESHOLD_WORK 30000.0
#define HORNER_WORK 2.0

/* sum := that over the frequencies, with a normal number of the variance `added`; what the lost ones may add is in its radius */
static void sum_frequencies(arb_t sum, const fourier_struct *x, const arb_t K, double added)
{
    arb_t theta, other, theta2, other2, t, t2, a, b, s, c, half;
    slong k;
    arb_init(half);
    arb_set_d(half, added / 2);
    arb_init(theta); arb_init(other); arb_init(theta2); arb_init(other2); arb_init(t); arb_init(t2); arb_init(a); arb_init(b); arb_init(s); arb_init(c);
    arb_set_d(theta, x->theta);
    arb_add_si(other, theta, x->pole, PREC);
    arb_mul(theta2, theta, theta, PREC);
    arb_mul(other2, other, other, PREC);
    arb_zero(sum);
    for (k = 0; k < x->kept; k++)
    {
        /* e^a (cos b + i sin b)/(s (s + pole)), s = theta + i t */
        arb_set_d(t, x->step);
        arb_mul_si(t, t, x->index[k], PREC);
        arb_mul(t2, t, t, PREC);
        arb_mul(a, theta, K, PREC);
        arb_sub(a, x->re + k, a, PREC);
        arb_submul(a, half, t2, PREC);
        arb_mul(b, theta, other, PREC);
        arb_addmul(a, half, b, PREC);
        arb_exp(a, a, PREC);
        if (x->lost[k])
        {
            arb_add(b, theta2, t2, PREC);
            arb_div(a, a, b, PREC);
            arb_add_error(sum, a);
            if (k > 0)
                arb_add_error(sum, a);
            continue;
        }
        arb_mul(b, t, K, PREC);
        arb_sub(b, x->im + k, b, PREC);
        arb_add(c, theta, other, PREC);
        arb_mul(c, c, t, PREC);
        arb_addmul(b, half, c, PREC);
        arb_sin_cos(s, c, b, PREC);
        /* with theta' = theta + pole: ((theta theta' - t^2) cos b + (theta + theta') t sin b)/((theta^2 + t^2) (theta'^2 + t^2)) */
        arb_mul(b, theta, other, PREC);
        arb_sub(b, b, t2, PREC);
        arb_mul(c, c, b, PREC);
        arb_add(b, theta, other, PREC);
        arb_mul(b, b, t, PREC);
        arb_addmul(c, s, b, PREC);
        arb_add(b, theta2, t2, PREC);
        arb_div(c, c, b, PREC);
        arb_add(b, other2, t2, PREC);
        arb_div(c, c, b, PREC);
        arb_mul(c, c, a, PREC);
        if (k > 0)
            arb_mul_2exp_si(c, c, 1);
        arb_add(sum, sum, c, PREC);
    }
    shuf_charge(FREQUENCY_WORK * (double) x->kept);
    arb_clear(theta); arb_clear(other); arb_clear(theta2); arb_clear(other2); arb_clear(t); arb_clear(t2); arb_clear(a); arb_clear(b); arb_clear(s); arb_clear(c); arb_clear(half);
}

/* alias: what the images of K at a distance of multiples of W add, at most; top: an upper bound of E(S - K)_+. */
static void set_alias(arb_t alias, const fourier_struct *x, const arb_t K, const arb_t W, const arb_t top, double added)
{
    arb_t theta, far, q, t, u;
    arb_init(theta); arb_init(far); arb_init(q); arb_init(t); arb_init(u);
    arb_set_d(theta, x->theta);
    arb_set_d(far, x->far);
    /* below: top q/(1-q) + W q/(1-q)^2, q = e^{-theta W} */
    arb_mul(t, theta, W, PREC);
    arb_neg(t, t);
    arb_exp(q, t, PREC);
    arb_expm1(t, t, PREC);
    arb_neg(t, t);
    arb_div(u, W, t, PREC);
    arb_add(u, u, top, PREC);
    arb_mul(u, u, q, PREC);
    arb_div(alias, u, t, PREC);
    /* above, unless there is nothing: e^{(theta - far)(K + W) - theta K + added far (far + pole)/2} phi(far)^n/(e far (1 - e^{(theta-far) W})) */
    arb_add(u, K, W, PREC);
    arb_sub_arf(t, u, x->largest, PREC);
    if (!arb_is_nonnegative(t))
    {
        arb_sub(q, theta, far, PREC);
        arb_mul(u, u, q, PREC);
        arb_add(u, u, x->beyond, PREC);
        arb_mul(t, theta, K, PREC);
        arb_sub(u, u, t, PREC);
        arb_sub_ui(u, u, 1, PREC);
        arb_add_si(t, far, x->pole, PREC);
        arb_mul(t, t, far, PREC);
        arb_set_d(q, added / 2);
        arb_addmul(u, t, q, PREC);
        arb_sub(q, theta, far, PREC);
        arb_exp(u, u, PREC);
        arb_div(u, u, far, PREC);
        arb_mul(t, q, W, PREC);
        arb_expm1(t, t, PREC);
        arb_neg(t, t);
        arb_div(u, u, t, PREC);
        arb_add(alias, alias, u, PREC);
    }
    arb_clear(theta); arb_clear(far); arb_clear(q); arb_clear(t); arb_clear(u);
}

/* r := what the sum over the frequencies, over W, says of E(S - K)_+, with what is added; its radius is booked as rounding. */
static void finish(shuf_enclosure_t r, const fourier_struct *x, const arb_t K, const arb_t W, arb_t sum, double added)
{
    arb_t rest, alias, t;
    arb_init(rest); arb_init(alias); arb_init(t);
    shuf_enclosure_zero(r);
    mag_mul_2exp_si(r->ledger.rounding, arb_radref(sum), 1);
    /* (rest + skipped) e^{-theta K}, either way */
    arb_set_d(t, x->theta);
    arb_mul(t, t, K, PREC);
    shuf_ball_exp_minus(t, t, PREC);
    arb_add(rest, x->rest, x->skipped, PREC);
    arb_mul(rest, rest, t, PREC);
    arb_add_error(sum, rest);
    arb_get_ubound_arf(r->hi, sum, PREC);
    arb_set_arf(t, r->hi);
    set_alias(alias, x, K, W, t, added);
    arb_add(t, t, x->excess, PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    arb_sub(sum, sum, alias, PREC);
    arb_get_lbound_arf(r->lo, sum, PREC);
    if (!arf_is_finite(r->hi))
        arf_pos_inf(r->hi);
    if (!arf_is_finite(r->lo) || arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    arb_get_mag(r->ledger.aliasing, alias);
    arb_mul_2exp_si(rest, rest, 1);
    arb_add(rest, rest, x->excess, PREC);
    arb_get_mag(r->ledger.truncation, rest);
    r->ledger.terms = (ulong) (x->in_doubles ? x->count : x->kept);
    r->ledger.precision = 53;
    arb_clear(rest); arb_clear(alias); arb_clear(t);
}

/* sum := that of the frequencies, in doubles (product-line.md, Lemma 4) */
static void sum_in_doubles(arb_t sum, const fourier_struct *x, const arb_t K, double added)
{
    arb_t theta, other, t;
    arb_init(theta); arb_init(other); arb_init(t);
    polynomial_value(sum, &x->sum[added > x->added], K);
    /* e^{scale + added theta theta'/2 - theta K}/(theta theta'), theta' = theta + pole */
    arb_set_d(theta, x->theta);
    arb_add_si(other, theta, x->pole, PREC);
    arb_mul(other, other, theta, PREC);
    arb_div(sum, sum, other, PREC);
    arb_set_d(t, added / 2);
    arb_mul(other, other, t, PREC);
    arb_submul(other, theta, K, PREC);
    arb_add(other, other, x->scale, PREC);
    arb_exp(other, other, PREC);
    arb_mul(sum, sum, other, PREC);
    shuf_charge(HORNER_WORK * (double) x->count);
    arb_clear(theta); arb_clear(other); arb_clear(t);
}

static void read_with(shuf_enclosure_t r, const fourier_struct *x, const arb_t K, double added)
{
    arb_t sum, W;
    arb_init(sum);
    arb_init(W);
    if (x->in_doubles)
        sum_in_doubles(sum, x, K, added);
    else
        sum_frequencies(sum, x, K, added);
    polynomial_period(W, x->step, PREC);
    arb_div(sum, sum, W, PREC);
    finish(r, x, K, W, sum, added);
    arb_clear(sum);
    arb_clear(W);
}

/* v := what a normal number of that variance adds to the part in which all terms are 0: p^n d (phi(z) - z Q(z)), z = |K|/d (Lemma 12). */
static void nothing(arb_t v, const fourier_struct *x, const arb_t K, double added)
{
    arb_t d, z, tail, t;
    arb_init(d); arb_init(z); arb_init(tail); arb_init(t);
    arb_set_d(d, added);
    arb_sqrt(d, d, PREC);
    arb_abs(z, K);
    arb_div(z, z, d, PREC);
    shuf_normal_excess(tail, v, z, PREC);
    arb_mul(v, v, d, PREC);
    arb_set_d(t, x->law->zero);
    arb_pow_ui(t, t, x->terms, PREC);
    arb_mul(v, v, t, PREC);
    arb_nonnegative_part(v, v);
    if (!arb_is_finite(v))
        arb_zero(v);
    arb_clear(d); arb_clear(z); arb_clear(tail); arb_clear(t);
}

/* r, which is with what is added, becomes what it is without (Lemma 12). */
static void take_off(shuf_enclosure_t r, const fourier_struct *x, const arb_t K)
{
    shuf_enclosure_t wider;
    arb_t gap, t, none[2];
    shuf_enclosure_init(wider);
    arb_init(gap);
    arb_init(t);
    arb_init(none[0]);
    arb_init(none[1]);
    if (x->pole == 0 && x->law->zero > 0 && arf_sgn(x->top) > 0)
    {
        nothing(none[0], x, K, x->added);
        nothing(none[1], x, K, 4 * x->added);
    }
    read_with(wider, x, K, 4 * x->added);
    arb_set_arf(gap, wider->hi);
    arb_set_arf(t, r->lo);
    arb_sub(gap, gap, t, PREC);
    arb_sub(gap, gap, none[1], PREC);
    arb_add(gap, gap, none[0], PREC);
    arb_set_d(t, x->pole * x->added);
    arb_mul_ui(t, t, 3, PREC);
    arb_mul_2exp_si(t, t, -3);
    arb_exp(t, t, PREC);
    arb_mul(gap, gap, t, PREC);
    arb_nonnegative_part(gap, gap);
    arb_get_mag(r->ledger.discretisation, gap);
    arb_set_arf(t, r->lo);
    arb_sub(t, t, gap, PREC);
    arb_sub(t, t, none[0], PREC);
    arb_get_lbound_arf(r->lo, t, PREC);
    arb_set_arf(t, r->hi);
    arb_sub(t, t, none[0], PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    if (!arf_is_finite(r->hi))
        arf_pos_inf(r->hi);
    if (!arf_is_finite(r->lo) || arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    shuf_enclosure_clear(wider);
    arb_clear(gap);
    arb_clear(t);
    arb_clear(none[0]);
    arb_clear(none[1]);
}

void fourier_read(shuf_enclosure_t r, const fourier_struct *x, const arb_t K)
{
    read_with(r, x, K, x->added);
    if (x->added > 0)
        take_off(r, x, K);
}

/* ---- many thresholds ---- */

/* c := the coefficient of the k-th frequency kept */
static void coefficient(acb_t c, const fourier_struct *x, slong k)
{
    acb_t s;
    arb_t theta;
    acb_init(s);
    arb_init(theta);
    arb_set_d(theta, x->theta);
    arb_set(acb_realref(s), theta);
    arb_set_d(acb_imagref(s), x->step);
    arb_mul_si(acb_imagref(s), acb_imagref(s), x->index[k], PREC);
    /* e^{n log phi(s) - n log phi(theta) - i t centre} theta^2/s^2, twice that for k > 0 */
    arb_sub(acb_realref(c), x->re + k, x->re, PREC);
    arb_mul_arf(acb_imagref(c), acb_imagref(s), x->centre, PREC);
    arb_sub(acb_imagref(c), x->im + k, acb_imagref(c), PREC);
    acb_exp(c, c, PREC);
    acb_div_arb(s, s, theta, PREC);
    acb_mul(s, s, s, PREC);
    acb_div(c, c, s, PREC);
    if (k > 0)
        acb_mul_2exp_si(c, c, 1);
    acb_clear(s);
    arb_clear(theta);
}

/* The sum over the frequencies, times theta^2 e^{theta K}/phi(theta)^n. */
static void set_polynomial(polynomial_struct *p, const fourier_struct *x)
{
    acb_t c;
    arf_t size, part;
    slong k;
    acb_init(c); arf_init(size); arf_init(part);
    polynomial_init(p, x->count, x->step, x->centre);
    for (k = 0; k < x->kept; k++)
    {
        double modulus, off;
        coefficient(c, x, k);
        acb_get_abs_ubound_arf(size, c, 53);
        off = modulus = arf_is_finite(size) ? double_above(size) : HUGE_VAL;
        if (x->lost[k])
        {
            polynomial_set(p, x->index[k], 0, 0, modulus, off);
            continue;
        }
        /* what is not in the doubles */
        arf_set_mag(part, arb_radref(acb_realref(c)));
        arf_set_mag(size, arb_radref(acb_imagref(c)));
        arf_add(part, part, size, 53, ARF_RND_UP);
        polynomial_set(p, x->index[k], estimate(acb_realref(c)), estimate(acb_imagref(c)), modulus, double_above(part));
    }
    polynomial_finish(p);
    shuf_charge(COEFFICIENT_WORK * (double) x->kept);
    acb_clear(c); arf_clear(size); arf_clear(part);
}

void fourier_reads(shuf_enclosure_struct *r, const fourier_struct *x, arb_srcptr K, const int *wanted, slong count)
{
    polynomial_struct p;
    arb_t sum, factor, W, t;
    slong i;
    for (i = 0; i < count && (x->in_doubles || x->added > 0); i++)
        if (wanted[i])
            fourier_read(r + i, x, K + i);
    if (x->in_doubles || x->added > 0)
        return;
    arb_init(sum); arb_init(factor); arb_init(W); arb_init(t);
    polynomial_period(W, x->step, PREC);
    set_polynomial(&p, x);
    for (i = 0; i < count; i++)
    {
        if (!wanted[i])
            continue;
        polynomial_value(sum, &p, K + i);
        /* phi(theta)^n e^{-theta K}/(theta^2 W) */
        arb_set_d(t, x->theta);
        arb_mul(factor, t, K + i, PREC);
        arb_sub(factor, x->re, factor, PREC);
        arb_exp(factor, factor, PREC);
        arb_mul(t, t, t, PREC);
        arb_div(factor, factor, t, PREC);
        arb_div(factor, factor, W, PREC);
        arb_mul(sum, sum, factor, PREC);
        finish(r + i, x, K + i, W, sum, 0);
        shuf_charge(THRESHOLD_WORK + HORNER_WORK * (double) x->count);
    }
    polynomial_clear(&p);
    arb_clear(sum); arb_clear(factor); arb_clear(W); arb_clear(t);
}
