/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/unit_change.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/enclosure.h"

#define UNIT_PREC 192 /* steers only */
#define UNIT_BITS 96  /* bits of the variance, which is rounded down; steers only */

/* v := 1/B^2, B = 2 Phi^-1((1 + p(0))/2), p(0) = e^-m I_0(m): Phi^-1((1 + p)/2) is sqrt(2) times the inverse of erf at p. */
static void of_skellam(arb_t v, const shuf_noise_t x)
{
    arb_t zero;
    arb_init(zero);
    arb_set_fmpq(v, x->variance, UNIT_PREC);
    arb_hypgeom_bessel_i_scaled(v, zero, v, UNIT_PREC);
    arb_hypgeom_erfinv(v, v, UNIT_PREC);
    arb_mul(v, v, v, UNIT_PREC);
    arb_mul_2exp_si(v, v, 3);
    arb_inv(v, v, UNIT_PREC);
    arb_clear(zero);
}

/* Nodes from 0 on that are looked at one by one, and what their number comes from: the last is 25 standard deviations out, what is added again 24. Steer only. */
#define NODES 96
#define DENSITY 12

/* s := S(t) = sum over all whole m of e^(-v (t - 2 pi m)^2/2), 0 <= t <= pi. */
static void periodic(arb_t s, const arb_t t, const arb_t v)
{
    const slong last = 1 + (slong) sqrt(8 / fmax(arf_get_d(arb_midref(v), ARF_RND_NEAR), 0.01)); /* steers only */
    arb_t pi, u;
    slong m;
    arb_init(pi);
    arb_init(u);
    arb_const_pi(pi, UNIT_PREC);
    arb_zero(s);
    for (m = -last; m <= last; m++)
    {
        arb_mul_si(u, pi, -2 * m, UNIT_PREC);
        arb_add(u, u, t, UNIT_PREC);
        arb_mul(u, u, u, UNIT_PREC);
        arb_mul(u, u, v, UNIT_PREC);
        arb_mul_2exp_si(u, u, -1);
        shuf_ball_exp_minus(u, u, UNIT_PREC);
        arb_add(s, s, u, UNIT_PREC);
    }
    /* the rest: at most twice e^(-v (2 pi m - pi)^2/2) for each m > last, and each less than the one before it by e^(-4 pi^2 v m) or more */
    arb_mul(pi, pi, pi, UNIT_PREC);
    arb_mul(pi, pi, v, UNIT_PREC);
    arb_mul_si(u, pi, -4 * last, UNIT_PREC);
    arb_exp(u, u, UNIT_PREC);
    arb_sub_ui(u, u, 1, UNIT_PREC);
    arb_mul_si(pi, pi, -(2 * last + 1) * (2 * last + 1), UNIT_PREC);
    arb_mul_2exp_si(pi, pi, -1);
    arb_exp(pi, pi, UNIT_PREC);
    arb_div(u, pi, u, UNIT_PREC);
    arb_mul_2exp_si(u, u, 1);
    arb_add_error(s, u);
    arb_clear(pi);
    arb_clear(u);
}

/*
 * zero := an upper bound of T(0), and one := T(1), of h shares with the parameter v: the sums of S^h and S^h cos over N = 2 last + 1 nodes, in which T(0) and
 * T(1) are added up with T(l) e^(-l^2/(2 h v)) for l = N, 2 N, .. further off, 0 < T(l) <= T(0). S falls from 0 to pi.
 */
static void means(arb_t zero, arb_t one, const arb_t v, ulong h)
{
    arb_t hv, last, nodes, s, t, angle, x;
    slong i;
    arb_init(hv); arb_init(last); arb_init(nodes); arb_init(s); arb_init(t); arb_init(angle); arb_init(x);
    arb_mul_ui(hv, v, h, UNIT_PREC);
    arb_set_d(last, floor(DENSITY * (1 + sqrt(arf_get_d(arb_midref(hv), ARF_RND_NEAR)))));
    arb_mul_2exp_si(nodes, last, 1);
    arb_add_ui(nodes, nodes, 1, UNIT_PREC);
    arb_const_pi(angle, UNIT_PREC);
    arb_mul_2exp_si(angle, angle, 1);
    arb_div(angle, angle, nodes, UNIT_PREC);
    arb_zero(zero);
    arb_zero(one);
    for (i = 0; i <= NODES && arf_cmp_si(arb_midref(last), i) >= 0; i++)
    {
        arb_mul_si(t, angle, i, UNIT_PREC);
        periodic(s, t, v);
        arb_pow_ui(s, s, h, UNIT_PREC);
        if (i > 0)
            arb_mul_2exp_si(s, s, 1); /* and -t */
        arb_add(zero, zero, s, UNIT_PREC);
        arb_cos(t, t, UNIT_PREC);
        arb_addmul(one, s, t, UNIT_PREC);
    }
    if (arf_cmp_si(arb_midref(last), NODES) > 0)
    {
        /* the other nodes, each at most the last one */
        arb_mul(s, s, last, UNIT_PREC);
        arb_add_error(zero, s);
        arb_add_error(one, s);
    }
    /* sqrt(h v/(2 pi)) 2 pi/N = angle sqrt(h v/(2 pi)) */
    arb_const_pi(x, UNIT_PREC);
    arb_mul_2exp_si(x, x, 1);
    arb_div(x, hv, x, UNIT_PREC);
    arb_sqrt(x, x, UNIT_PREC);
    arb_mul(x, x, angle, UNIT_PREC);
    arb_mul(zero, zero, x, UNIT_PREC);
    arb_mul(one, one, x, UNIT_PREC);
    /* what is added again to T(1) e^(-1/(2hv)): at most 2 T(0) (r + r^2 + ..), r = e^(-(N-1)^2/(2hv)) */
    arb_mul(t, last, last, UNIT_PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_div(t, t, hv, UNIT_PREC);
    arb_exp(t, t, UNIT_PREC);
    arb_sub_ui(t, t, 1, UNIT_PREC);
    arb_div(t, zero, t, UNIT_PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_add_error(one, t);
    arb_mul_2exp_si(t, hv, 1);
    arb_inv(t, t, UNIT_PREC);
    arb_exp(t, t, UNIT_PREC);
    arb_mul(one, one, t, UNIT_PREC);
    arb_clear(hv); arb_clear(last); arb_clear(nodes); arb_clear(s); arb_clear(t); arb_clear(angle); arb_clear(x);
}

/*
 * c := 1/(h v) - 2 log(1 - V/(2 (1-W))) - log(1 - W V/(1-W)^2), W = T(0) - 1 < 1 and V = 2 T(0) - 2 T(1), which bounds how concave the logarithm of the masses of
 * h shares is; of one share 1/v. Not finite if there is none.
 */
static void concavity(arb_t c, const arb_t v, ulong h)
{
    arb_t rest, twice, t;
    arb_mul_ui(c, v, h, UNIT_PREC);
    arb_inv(c, c, UNIT_PREC);
    if (h == 1)
        return;
    arb_init(rest); arb_init(twice); arb_init(t);
    means(rest, t, v, h);
    arb_sub(twice, rest, t, UNIT_PREC); /* V/2 */
    arb_sub_ui(rest, rest, 2, UNIT_PREC);
    arb_neg(rest, rest); /* 1 - W */
    if (arb_is_positive(rest))
    {
        arb_div(t, twice, rest, UNIT_PREC);
        arb_neg(twice, t);
        arb_log1p(twice, twice, UNIT_PREC);
        arb_mul_2exp_si(twice, twice, 1);
        arb_sub(c, c, twice, UNIT_PREC);
        arb_sub_ui(twice, rest, 1, UNIT_PREC); /* -W */
        arb_div(twice, twice, rest, UNIT_PREC);
        arb_mul(twice, twice, t, UNIT_PREC);
        arb_mul_2exp_si(twice, twice, 1);
        arb_log1p(twice, twice, UNIT_PREC);
        arb_sub(c, c, twice, UNIT_PREC);
    }
    else
    {
        arb_indeterminate(c);
    }
    arb_clear(rest); arb_clear(twice); arb_clear(t);
}

/* v := 1/B^2, B^2 - B^4/12 = c, which is (1 + sqrt(1 - c/3))/(2 c). Returns 0 if there is no such B. */
static int of_concavity(arb_t v, const arb_t c)
{
    arb_div_ui(v, c, 3, UNIT_PREC);
    shuf_ball_complement(v, v, UNIT_PREC);
    if (!arb_is_finite(v) || !arb_is_positive(v))
        return 0;
    arb_sqrt(v, v, UNIT_PREC);
    arb_add_ui(v, v, 1, UNIT_PREC);
    arb_div(v, v, c, UNIT_PREC);
    arb_mul_2exp_si(v, v, -1);
    return 1;
}

/* v := the largest of that for all shares, three quarters of them, ..: what the others add tells nothing more. Returns 0 if there is none. */
static int of_gaussian(arb_t v, const shuf_noise_t x)
{
    const double most = 19.73 * fmpq_get_d(x->variance); /* W is above 1 with e^most/2 shares or more, and then there is no bound: steers only */
    arb_t share, c, at;
    ulong h;
    int result = 0;
    arb_init(share); arb_init(c); arb_init(at);
    arb_set_fmpq(share, x->variance, UNIT_PREC);
    for (h = x->honest; h > 0; h -= (h + 3) / 4)
    {
        if (h > 2 && d_log(2 * (double) h) > most)
            continue;
        concavity(c, share, h);
        if (!of_concavity(at, c))
            continue;
        if (result && arb_lt(at, v))
            break; /* steers only */
        arb_swap(v, at);
        result = 1;
    }
    arb_clear(share); arb_clear(c); arb_clear(at);
    return result;
}

int noise_unit_variance(fmpq_t variance, const shuf_noise_t x)
{
    arb_t v;
    arf_t below;
    int result = 1;
    arb_init(v);
    arf_init(below);
    if (x->kind == SHUF_NOISE_SKELLAM)
        of_skellam(v, x);
    else
        result = of_gaussian(v, x);
    if (result)
    {
        arb_get_lbound_arf(below, v, UNIT_BITS);
        result = arf_is_finite(below) && arf_sgn(below) > 0;
    }
    if (result)
        arf_get_fmpq(variance, below);
    arb_clear(v);
    arf_clear(below);
    return result;
}

int noise_make_gaussian(shuf_noise_t x, int by_divergence)
{
    const int keeps = by_divergence && x->kind == SHUF_NOISE_DISCRETE_GAUSSIAN && x->honest == 1;
    if (!keeps && !noise_unit_variance(x->variance, x))
        return 0;
    fmpq_div_fmpz(x->variance, x->variance, x->square);
    x->kind = SHUF_NOISE_GAUSSIAN;
    x->honest = 1;
    fmpq_one(x->sensitivity);
    fmpz_one(x->square);
    return 1;
}
