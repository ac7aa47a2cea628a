/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/window.h"

#include <math.h>
#include <string.h>

/* Bits that hints are computed with. */
#define PREC 4096

static double get_d(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

double window_log(const arb_t x)
{
    arb_t r;
    double d;
    arb_init(r);
    arb_log(r, x, PREC);
    d = get_d(r);
    arb_clear(r);
    return d;
}

double window_log_binomial(uint64_t n, double log_p, double log_q, uint64_t k)
{
    return lgamma((double) n + 1) - lgamma((double) k + 1) - lgamma((double) (n - k) + 1)
           + (double) k * log_p + (double) (n - k) * log_q;
}

uint64_t window_upper_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t least)
{
    double mode = floor(((double) n + 1) * exp(log_p));
    uint64_t a = mode >= (double) n ? n : (uint64_t) mode, b = n, middle;
    a = FLINT_MAX(a, least);
    if (a >= n || window_log_binomial(n, log_p, log_q, n) >= log_target)
        return n;
    while (a < b)
    {
        middle = a + (b - a) / 2;
        if (window_log_binomial(n, log_p, log_q, middle) < log_target)
            b = middle;
        else
            a = middle + 1;
    }
    return a;
}

uint64_t window_lower_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t most)
{
    return n - window_upper_end(n, log_q, log_p, log_target, n - most);
}

/* Some log2 |x|. */
static double exponent_of(const arb_t x)
{
    return arb_is_zero(x) ? 0.0 : (double) arf_abs_bound_lt_2exp_si(arb_midref(x));
}

/* Rows that are looked at for the loss of precision. */
#define SAMPLES 256

/*
 * A tail carries the errors of the larger ones above it on the walk. What such
 * an error can come to beside the largest contribution of a stratum, in bits.
 * The sign changes at (c+1) rise + kappa (N-c).
 */
static double lost_bits(const window *w, uint64_t N, double rise, double kappa, double log_p, double log_q,
                        double log_rho, double log_corho)
{
    double weight, mass, place, largest_tail = -INFINITY, error = -INFINITY, most = -INFINITY;
    uint64_t step = (w->top - w->low) / SAMPLES + 1, c = w->top;
    for (;; c -= step)
    {
        place = floor(rise * ((double) c + 1) + kappa * (double) (N - c));
        if (place < (double) c + 1)
        {
            weight = w->top == w->low ? 0.0 : window_log_binomial(N, log_p, log_q, c);
            mass = window_log_binomial(c, log_rho, log_corho, place > 0 ? (uint64_t) place : 0);
            largest_tail = FLINT_MAX(largest_tail, mass);
            error = FLINT_MAX(error, weight + largest_tail);
            most = FLINT_MAX(most, weight + mass);
        }
        if (c - w->low < step)
            break;
    }
    return most > -INFINITY ? FLINT_MAX(0.0, (error - most) / log(2.0)) : 0.0;
}

/* ((c+1) rise + kappa (N-c)) / slope, the place of the sign change in stratum c. */
static void sign_change(arb_t t, const arb_t rise, const arb_t kappa, const arb_t slope, uint64_t N, uint64_t c)
{
    arb_mul_ui(t, rise, c + 1, PREC);
    arb_addmul_ui(t, kappa, N - c, PREC);
    arb_div(t, t, slope, PREC);
}

uint64_t window_find(window *w, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction, double log_delta,
                     double accuracy)
{
    shuf_pair_weights_t p;
    arb_t alpha, v, rise, slope, kappa, t;
    arf_t floor_t;
    fmpz_t z;
    shuf_real_t loss;
    uint64_t N = pair->n - 1;
    double log_rho, log_corho, log_p = 0.0, log_q = 0.0, per_rise, per_kappa;
    int nothing;

    /* Coq sees at once that delta is 0 */
    shuf_real_init(loss);
    nothing = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    if (nothing)
    {
        memset(w, 0, sizeof(*w));
        return 0;
    }

    shuf_pair_weights_init(p);
    arb_init(alpha);
    arb_init(v);
    arb_init(rise);
    arb_init(slope);
    arb_init(kappa);
    arb_init(t);
    arf_init(floor_t);
    fmpz_init(z);
    shuf_pair_get_weights(p, pair, direction, PREC);
    shuf_real_exp(alpha, eps, PREC);

    /* rise = -v/(1-rho), slope = u/rho + rise, kappa = (alpha-1) w2 odds */
    arb_mul(v, alpha, p->w0, PREC);
    arb_sub(v, v, p->w1, PREC);
    arb_div(rise, v, p->rho_complement, PREC);
    arb_mul(slope, alpha, p->w1, PREC);
    arb_sub(slope, p->w0, slope, PREC);
    w->cancelled = FLINT_MAX(0.0, exponent_of(p->w0) - exponent_of(slope)) + FLINT_MAX(0.0, exponent_of(alpha))
                   + FLINT_MAX(0.0, -exponent_of(p->count_complement));
    arb_div(slope, slope, p->rho, PREC);
    arb_add(slope, slope, rise, PREC);
    arb_sub_ui(kappa, alpha, 1, PREC);
    w->cancelled += FLINT_MAX(0.0, -exponent_of(kappa));
    arb_mul(kappa, kappa, p->w2, PREC);
    arb_mul(kappa, kappa, p->odds, PREC);

    w->top = w->low = N;
    if (!arb_is_zero(p->count_complement))
    {
        log_p = window_log(p->count);
        log_q = window_log(p->count_complement);
        w->top = window_upper_end(N, log_p, log_q, log_delta - accuracy, 0);
        w->low = window_lower_end(N, log_p, log_q, log_delta - accuracy, N);
    }

    /* the first threshold, and how fast it can rise downwards when kappa > rise */
    sign_change(t, rise, kappa, slope, N, w->top);
    w->first = w->top + 1;
    arf_floor(floor_t, arb_midref(t));
    if (arf_cmp_d(floor_t, 1.0) < 0 || !arf_is_finite(floor_t))
        w->first = 1;
    else if (arf_get_fmpz(z, floor_t, ARF_RND_FLOOR), fmpz_cmp_ui(z, w->top + 1) <= 0)
        w->first = fmpz_get_ui(z);
    w->climb = 0;
    if (!arb_is_zero(kappa) && w->top > w->low)
    {
        arb_sub(t, kappa, rise, PREC);
        arb_div(t, t, slope, PREC);
        w->climb = get_d(t) > 0 ? (uint64_t) FLINT_MIN(get_d(t), 1e6) + 2 : 2;
    }

    /* a window of Bin(top, rho) around the mode and first - 1 */
    log_rho = window_log(p->rho);
    log_corho = window_log(p->rho_complement);
    arb_div(t, rise, slope, PREC);
    per_rise = get_d(t);
    arb_div(t, kappa, slope, PREC);
    per_kappa = get_d(t);
    w->lost = lost_bits(w, N, per_rise, per_kappa, log_p, log_q, log_rho, log_corho);
    accuracy += w->lost * log(2.0);
    w->from = window_lower_end(w->top, log_rho, log_corho, -accuracy, w->first - 1);
    w->to = window_upper_end(w->top, log_rho, log_corho,
                             FLINT_MIN(0.0, window_log_binomial(w->top, log_rho, log_corho, w->first - 1)) - accuracy,
                             w->first - 1);

    shuf_pair_weights_clear(p);
    arb_clear(alpha);
    arb_clear(v);
    arb_clear(rise);
    arb_clear(slope);
    arb_clear(kappa);
    arb_clear(t);
    arf_clear(floor_t);
    fmpz_clear(z);
    return (w->top - w->low) + (w->to - w->from);
}

void window_write(FILE *out, const window *w)
{
    fprintf(out, "[%llu, %llu, %llu, %llu, %llu, %llu]", (unsigned long long) w->top, (unsigned long long) w->low,
            (unsigned long long) w->first, (unsigned long long) w->from, (unsigned long long) w->to,
            (unsigned long long) w->climb);
}
