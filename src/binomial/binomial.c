/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "binomial/binomial.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/enclosure.h"

/* log of n!, any n < 2^63. */
static void log_factorial(arb_t r, ulong n, slong prec)
{
    arb_set_ui(r, n);
    arb_add_ui(r, r, 1, prec);
    arb_hypgeom_lgamma(r, r, prec);
}

/* Coq: Binomial.bin_closed. */
void shuf_binomial_pmf(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    arb_t s, t;
    /* the logarithms below are of size n log n: carry that many more bits */
    slong wp = prec + 2 * (slong) FLINT_BIT_COUNT(n) + 16;

    if (k > n)
    {
        arb_zero(r);
        return;
    }
    if (arb_is_zero(q) || arb_is_zero(p))
    {
        arb_set_ui(r, k == (arb_is_zero(q) ? n : 0));
        return;
    }
    shuf_charge(3 * shuf_cost_lgamma(wp) + 3 * shuf_cost_exp(wp) + 8 * shuf_cost_word(wp));
    arb_init(s);
    arb_init(t);
    log_factorial(s, n, wp);
    log_factorial(t, k, wp);
    arb_sub(s, s, t, wp);
    log_factorial(t, n - k, wp);
    arb_sub(s, s, t, wp);
    arb_log(t, p, wp);
    arb_addmul_ui(s, t, k, wp);
    arb_log(t, q, wp);
    arb_addmul_ui(s, t, n - k, wp);
    arb_exp(r, s, prec);
    arb_clear(s);
    arb_clear(t);
}

/* ratio = Pr[X = k+1] / Pr[X = k] = (n-k) p / ((k+1) q), k < n. */
static void pmf_ratio(arb_t ratio, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    arb_t d;
    arb_init(d);
    arb_mul_ui(ratio, p, n - k, prec);
    arb_mul_ui(d, q, k + 1, prec);
    arb_div(ratio, ratio, d, prec);
    arb_clear(d);
}

/* Coq: Binomial.tail_ratio. */
void shuf_binomial_upper_tail_bound(arb_t bound, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    arb_t ratio, pmf;
    arb_init(ratio);
    arb_init(pmf);
    if (k > n)
    {
        arb_zero(bound);
    }
    else if (k == 0 || arb_is_zero(q))
    {
        /* q = 0: X = n */
        arb_one(bound);
    }
    else
    {
        shuf_binomial_pmf(pmf, n, k, p, q, prec);
        if (k < n)
            pmf_ratio(ratio, n, k, p, q, prec);
        shuf_ball_complement(ratio, ratio, prec);
        if (arb_is_positive(ratio))
            arb_div(bound, pmf, ratio, prec);
        else
            arb_one(bound);
        arb_get_ubound_arf(arb_midref(bound), bound, prec);
        mag_zero(arb_radref(bound));
        if (!arf_is_finite(arb_midref(bound)) || arf_cmp_si(arb_midref(bound), 1) > 0)
            arb_one(bound);
    }
    arb_clear(ratio);
    arb_clear(pmf);
}

/* Coq: Binomial.head_ratio. */
void shuf_binomial_lower_tail_bound(arb_t bound, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    /* n - X ~ Bin(n, q) */
    shuf_binomial_upper_tail_bound(bound, n, k >= n ? 0 : n - k, q, p, prec);
}

ulong shuf_binomial_cut_above(ulong n, const arb_t p, const arb_t q, const arb_t tau, slong prec)
{
    double mean = (double) n * arf_get_d(arb_midref(p), ARF_RND_NEAR);
    ulong bad = mean >= (double) n ? n : (ulong) mean, good = n;
    arb_t bound;
    double sd = sqrt(mean * arf_get_d(arb_midref(q), ARF_RND_NEAR));
    if (arb_is_zero(p))
        return 0; /* X = 0 */
    arb_init(bound);
    /*
     * The bound decreases above the mean: bisect for it, from certainly good.
     * Within sd/8 of the smallest is close enough.
     */
    while (good > bad && good - bad > (ulong) (sd / 8) + 1)
    {
        ulong c = bad + (good - bad) / 2;
        shuf_binomial_upper_tail_bound(bound, n, c + 1, p, q, prec);
        if (arb_le(bound, tau))
            good = c;
        else
            bad = c;
    }
    arb_clear(bound);
    return good;
}

ulong shuf_binomial_cut_below(ulong n, const arb_t p, const arb_t q, const arb_t tau, slong prec)
{
    return n - shuf_binomial_cut_above(n, q, p, tau, prec);
}

/* Terms between two looks at the budget. Steers only. */
#define TERMS_CHARGED 1024

/* Sum of Pr[X = j]/Pr[X = k] over j >= k, k at least the mean. Infinite when the budget ends too early. */
static void mills_by_sum(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    const double term_cost = shuf_cost_mul(prec) + 3 * shuf_cost_word(prec);
    arb_t term, ratio, left;
    ulong j;
    int late = 0;
    arb_init(term); arb_init(ratio); arb_init(left);
    arb_one(term);
    arb_one(r);
    arb_div(left, p, q, prec);
    for (j = k; j < n; j++)
    {
        arb_mul_ui(ratio, left, n - j, prec);
        arb_div_ui(ratio, ratio, j + 1, prec);
        arb_mul(term, term, ratio, prec);
        arb_add(r, r, term, prec);
        /*
         * The rest is at most term ratio/(1 - ratio), ratios decreasing;
         * at ratio < 1/2 that is below the term itself.
         */
        if ((j - k) % TERMS_CHARGED == TERMS_CHARGED - 1)
        {
            shuf_charge(TERMS_CHARGED * term_cost);
            late = shuf_interrupted();
        }
        if (late || (arf_cmpabs_2exp_si(arb_midref(ratio), -1) < 0
            ? arf_cmpabs_2exp_si(arb_midref(term), -prec - 2) < 0
            : (j % 64 == 0 && arf_cmpabs_2exp_si(arb_midref(term), -prec - 40) < 0)))
        {
            arb_t rest;
            arb_init(rest);
            shuf_ball_complement(rest, ratio, prec);
            if (arb_is_positive(rest))
            {
                arb_div(rest, ratio, rest, prec);
                arb_mul(rest, rest, term, prec);
                arb_get_ubound_arf(arb_midref(left), rest, prec);
                arf_get_mag(arb_radref(left), arb_midref(left));
                arf_zero(arb_midref(left));
                arb_add(r, r, left, prec);
                arb_clear(rest);
                break;
            }
            arb_clear(rest);
            if (late)
            {
                arb_indeterminate(r);
                break;
            }
        }
    }
    shuf_charge((double) ((j - k) % TERMS_CHARGED) * term_cost);
    arb_clear(term); arb_clear(ratio); arb_clear(left);
}

#define FEW_TERMS 32 /* steers only */

/*
 * The same by the continued fraction of I_p(a, b), a = k, b = n-k+1:
 * Pr[X >= k] = Pr[X = k] k q / (beta_0 + alpha_1/(beta_1 + ...)), where
 *   alpha_m = (a+m-1)(a+b+m-1) m (b-m) p^2 / (a+2m-1)^2,
 *   beta_m = m + m(b-m) p/(a+2m-1) + (a+m)(a - (a+b)p + 1 + m(1+q))/(a+2m+1).
 * For k >= n p all are positive, so the value lies between consecutive
 * convergents; evaluated backwards from the interval of the first tail. When
 * the budget ends, again from FEW_TERMS.
 */
static void mills_by_fraction(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, ulong terms, slong prec)
{
    const double term_cost = 3 * shuf_cost_mul(prec) + 16 * shuf_cost_word(prec);
    arb_t alpha, beta, p2, base, one_plus_q, t;
    ulong a = k, b = n - k + 1, m;
    arb_init(alpha); arb_init(beta); arb_init(p2); arb_init(base); arb_init(one_plus_q); arb_init(t);
    if (terms > b - 1)
        terms = b - 1; /* alpha_b = 0: it ends there */
    arb_mul(p2, p, p, prec);
    arb_mul_ui(base, p, n + 1, prec);
    arb_sub_ui(base, base, k + 1, prec);
    arb_neg(base, base);
    arb_add_ui(one_plus_q, q, 1, prec);

    arb_zero(r);
    for (m = terms + 1; m-- > 0;)
    {
        /* r holds alpha_{m+1}/(beta_{m+1} + ...) */
        if (m % TERMS_CHARGED == 0)
        {
            shuf_charge((double) FLINT_MIN(terms - m, (ulong) TERMS_CHARGED) * term_cost);
            if (m > FEW_TERMS && shuf_interrupted())
                m = terms = FEW_TERMS;
        }
        arb_mul_ui(beta, one_plus_q, m, prec);
        arb_add(beta, beta, base, prec);
        arb_mul_ui(beta, beta, a + m, prec);
        arb_div_ui(beta, beta, a + 2 * m + 1, prec);
        arb_mul_ui(t, p, m, prec);
        arb_mul_ui(t, t, b - m, prec);
        arb_div_ui(t, t, a + 2 * m - (m > 0), prec); /* 0 at m = 0 */
        arb_add(beta, beta, t, prec);
        arb_add_ui(beta, beta, m, prec);
        if (m == terms && terms < b - 1)
        {
            /* what is left out is >= 0: beta_m + ... is in [beta_m, infinity),
               and its reciprocal in [0, 1/beta_m] */
            arb_inv(beta, beta, prec);
            arb_mul_2exp_si(beta, beta, -1);
            arb_get_mag(arb_radref(t), beta);
            mag_set(arb_radref(beta), arb_radref(t));
        }
        else
        {
            arb_add(beta, beta, r, prec);
            arb_inv(beta, beta, prec);
        }
        if (m == 0)
            break;
        arb_mul_ui(alpha, p2, a + m - 1, prec);
        arb_mul_ui(alpha, alpha, a + b + m - 1, prec);
        arb_mul_ui(alpha, alpha, m, prec);
        arb_mul_ui(alpha, alpha, b - m, prec);
        arb_div_ui(alpha, alpha, a + 2 * m - 1, prec);
        arb_div_ui(alpha, alpha, a + 2 * m - 1, prec);
        arb_mul(r, alpha, beta, prec);
    }
    arb_mul_ui(beta, beta, k, prec);
    arb_mul(r, beta, q, prec);
    arb_clear(alpha); arb_clear(beta); arb_clear(p2); arb_clear(base); arb_clear(one_plus_q); arb_clear(t);
}

/* z - log(1+z), for |z| < 1/16, else an indeterminate value. */
static void z_minus_log1p(acb_t r, const acb_t z, slong prec)
{
    mag_t size, rest;
    slong terms, j;
    acb_t c;
    mag_init(size);
    mag_init(rest);
    acb_get_mag(size, z);
    if (mag_cmp_2exp_si(size, -4) >= 0)
    {
        acb_indeterminate(r);
    }
    else
    {
        /* sum_{j>=2} (-1)^j z^j/j; what is left after `terms` is at most
           |z|^terms/(1-|z|) < 2 |z|^terms */
        slong magnitude = mag_is_zero(size) ? -prec : MAG_EXP(size);
        if (fmpz_sgn(MAG_EXPREF(size)) < 0 && COEFF_IS_MPZ(*MAG_EXPREF(size)))
            magnitude = -prec;
        terms = 3 + prec / FLINT_MAX(1, -magnitude);
        shuf_charge((double) terms * (4 * shuf_cost_mul(prec) + 3 * shuf_cost_word(prec)));
        acb_init(c);
        acb_zero(c);
        for (j = terms - 1; j >= 2; j--)
        {
            acb_mul(c, c, z, prec);
            acb_neg(c, c);
            {
                arb_t inverse;
                arb_init(inverse);
                arb_set_ui(inverse, 1);
                arb_div_ui(inverse, inverse, (ulong) j, prec);
                arb_add(acb_realref(c), acb_realref(c), inverse, prec);
                arb_clear(inverse);
            }
        }
        acb_mul(c, c, z, prec);
        acb_mul(r, c, z, prec);
        mag_pow_ui(rest, size, (ulong) terms);
        mag_mul_2exp_si(rest, rest, 1);
        arb_add_error_mag(acb_realref(r), rest);
        arb_add_error_mag(acb_imagref(r), rest);
        acb_clear(c);
    }
    mag_clear(size);
    mag_clear(rest);
}

typedef struct
{
    arb_t up;   /* sd/t0 */
    arb_t down; /* -sd/(1-t0) */
    ulong a;    /* k - 1 */
    ulong b;    /* n - k */
} beta_density;

/*
 * exp(-a psi(u sd/t0) - b psi(-u sd/(1-t0))), psi(z) = z - log(1+z): the beta
 * density over its value at the mode t0 = a/(a+b), in units of its standard
 * deviation; the linear terms cancel at the mode.
 */
static int beta_integrand(acb_ptr r, const acb_t u, void *param, slong order, slong prec)
{
    const beta_density *f = param;
    acb_t z, s;
    (void) order; /* analytic wherever it is finite */
    if (shuf_interrupted())
    {
        acb_indeterminate(r);
        return 0;
    }
    shuf_charge(3 * shuf_cost_exp(prec) + 12 * shuf_cost_mul(prec) + 1000);
    acb_init(z);
    acb_init(s);
    acb_mul_arb(z, u, f->up, prec);
    z_minus_log1p(s, z, prec);
    acb_mul_ui(s, s, f->a, prec);
    acb_mul_arb(z, u, f->down, prec);
    z_minus_log1p(z, z, prec);
    acb_mul_ui(z, z, f->b, prec);
    acb_add(s, s, z, prec);
    acb_neg(s, s);
    acb_exp(r, s, prec);
    acb_clear(z);
    acb_clear(s);
    return 0;
}

#define EVALUATIONS_PER_BIT 50 /* steers only */

/*
 * Pr[X >= k] = integral of the Beta(k, n-k+1) density from 0 to p, for a
 * wide law and k a few standard deviations above the mean at most. The part
 * below t0 - U sd is Pr[Bin(n, t0 - U sd) >= k], bounded geometrically.
 */
static void tail_by_quadrature(arb_t r, ulong n, ulong k, const arb_t p, slong prec)
{
    beta_density f;
    arb_t t0, sd, one_minus, left, left_complement, rest, height;
    acb_t from, to, value;
    mag_t tolerance;
    acb_calc_integrate_opt_t options;
    slong wp = prec + 2 * (slong) FLINT_BIT_COUNT(n) + 16;
    double reach = sqrt(2 * d_log(2.0) * (double) (prec + 8)) + 2.0;

    if (shuf_interrupted())
    {
        arb_indeterminate(r);
        return;
    }
    arb_init(t0); arb_init(sd); arb_init(one_minus); arb_init(left);
    arb_init(left_complement); arb_init(rest); arb_init(height);
    arb_init(f.up); arb_init(f.down);
    acb_init(from); acb_init(to); acb_init(value);
    mag_init(tolerance);

    f.a = k - 1;
    f.b = n - k;
    arb_set_ui(t0, f.a);
    arb_div_ui(t0, t0, n - 1, wp);
    arb_set_ui(one_minus, f.b);
    arb_div_ui(one_minus, one_minus, n - 1, wp);
    arb_mul(sd, t0, one_minus, wp);
    arb_div_ui(sd, sd, n, wp);
    arb_sqrt(sd, sd, wp);
    arb_div(f.up, sd, t0, wp);
    arb_div(f.down, sd, one_minus, wp);
    arb_neg(f.down, f.down);

    arf_set_d(arb_midref(acb_realref(from)), -floor(reach * 64.0) / 64.0);
    arb_sub(acb_realref(to), p, t0, wp);
    arb_div(acb_realref(to), acb_realref(to), sd, wp);
    mag_set_ui_2exp_si(tolerance, 1, -prec);
    acb_calc_integrate_opt_init(options);
    options->eval_limit = EVALUATIONS_PER_BIT * prec; /* many times what it takes; after the budget's end, soon over */
    acb_calc_integrate(value, beta_integrand, &f, from, to, prec, tolerance, options, wp - (slong) FLINT_BIT_COUNT(n));

    /* density at the mode: n Pr[Bin(n-1, t0) = k-1]; du = dt/sd */
    shuf_binomial_pmf(height, n - 1, k - 1, t0, one_minus, prec + 8);
    arb_mul_ui(height, height, n, prec + 8);
    arb_mul(height, height, sd, prec + 8);
    arb_mul(r, acb_realref(value), height, prec);

    arb_mul(left, acb_realref(from), sd, wp);
    arb_add(left, left, t0, wp);
    shuf_ball_complement(left_complement, left, wp);
    shuf_binomial_upper_tail_bound(rest, n, k, left, left_complement, MAG_BITS + 34);
    arb_get_mag(arb_radref(height), rest);
    arb_add_error_mag(r, arb_radref(height));

    arb_clear(t0); arb_clear(sd); arb_clear(one_minus); arb_clear(left);
    arb_clear(left_complement); arb_clear(rest); arb_clear(height);
    arb_clear(f.up); arb_clear(f.down);
    acb_clear(from); acb_clear(to); acb_clear(value);
    mag_clear(tolerance);
}

/* r := [0, 1] for a probability of which nothing is known. */
static void keep_probability(arb_t r)
{
    if (!arb_is_finite(r))
        arb_unit_interval(r);
}

/* Costs, in multiples of a summed term, above which the next method wins. Steer only. */
#define FRACTION_TERM_COST 4.0
#define QUADRATURE_COST 40000.0

/* Pr[X >= k] for 1 <= k <= n, k above the mean n p (certain up to rounding). */
static void upper_tail(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    double mean = (double) n * arf_get_d(arb_midref(p), ARF_RND_NEAR);
    double sd = sqrt(mean * arf_get_d(arb_midref(q), ARF_RND_NEAR)) + 1.0;
    double x = FLINT_MAX((double) k - mean, 0.0) / sd + 1e-3;
    double nats = 0.7 * (double) (prec + 16);
    double sum_terms = FLINT_MIN(sd * FLINT_MIN(nats / x, sqrt(2 * nats)), (double) (n - k));
    double fraction_terms = 0.2 * (nats / x) * (nats / x) + 20;
    slong wp = prec + (slong) FLINT_BIT_COUNT(n) + 10;
    arb_t pmf, base;

    fraction_terms = FLINT_MIN(fraction_terms, (double) (n - k) + 1);
    if (FLINT_MIN(sum_terms, FRACTION_TERM_COST * fraction_terms) > QUADRATURE_COST && sd > 5000 && x < 8)
    {
        tail_by_quadrature(r, n, k, p, prec);
        keep_probability(r);
        return;
    }
    arb_init(pmf);
    arb_init(base);
    shuf_binomial_pmf(pmf, n, k, p, q, wp);
    arb_mul_ui(base, p, n, wp);
    arb_sub_ui(base, base, k, wp);
    if (sum_terms < FRACTION_TERM_COST * fraction_terms || !arb_is_nonpositive(base))
        mills_by_sum(r, n, k, p, q, wp);
    else
        mills_by_fraction(r, n, k, p, q, (ulong) fraction_terms, wp);
    arb_mul(r, r, pmf, prec);
    keep_probability(r);
    arb_clear(pmf);
    arb_clear(base);
}

void shuf_binomial_tail(arb_t r, ulong n, ulong k, const arb_t p, const arb_t q, slong prec)
{
    if (k == 0)
    {
        arb_one(r);
    }
    else if (k > n || arb_is_zero(p))
    {
        arb_zero(r);
    }
    else if (arb_is_zero(q))
    {
        arb_one(r);
    }
    else if ((double) k >= (double) n * arf_get_d(arb_midref(p), ARF_RND_NEAR))
    {
        upper_tail(r, n, k, p, q, prec);
    }
    else
    {
        /* 1 - Pr[n - X >= n-k+1] */
        upper_tail(r, n, n - k + 1, q, p, prec);
        shuf_ball_complement(r, r, prec);
    }
}
