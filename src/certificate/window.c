/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/window.h"

#include <math.h>
#include <string.h>

#include "enclosure/elementary.h"

/* Bits that hints are computed with. Steers only. */
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
    return d_lgamma((double) n + 1) - d_lgamma((double) k + 1) - d_lgamma((double) (n - k) + 1)
           + (double) k * log_p + (double) (n - k) * log_q;
}

uint64_t window_upper_end(uint64_t n, double log_p, double log_q, double log_target, uint64_t least)
{
    double mode = floor(((double) n + 1) * d_exp(log_p));
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

/* Rows that are looked at for the loss of precision. Steers only. */
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
    return most > -INFINITY ? FLINT_MAX(0.0, (error - most) / d_log(2.0)) : 0.0;
}

/* The sign changes of all strata: stratum c has its own at ((c+1) rise + kappa (N-c)) / slope. */
typedef struct
{
    arb_t rise, slope, kappa;
} signs;

/* rise = -v/(1-rho), slope = u/rho + rise, kappa = (alpha-1) w2 odds. Returns the bits that cancel. */
static double signs_set(signs *s, const shuf_pair_weights_t p, const shuf_real_t eps)
{
    double cancelled;
    arb_t alpha, v;
    arb_init(alpha);
    arb_init(v);
    shuf_real_exp(alpha, eps, PREC);
    arb_mul(v, alpha, p->w0, PREC);
    arb_sub(v, v, p->w1, PREC);
    arb_div(s->rise, v, p->rho_complement, PREC);
    arb_mul(s->slope, alpha, p->w1, PREC);
    arb_sub(s->slope, p->w0, s->slope, PREC);
    cancelled = FLINT_MAX(0.0, exponent_of(p->w0) - exponent_of(s->slope)) + FLINT_MAX(0.0, exponent_of(alpha))
                + FLINT_MAX(0.0, -exponent_of(p->count_complement));
    arb_div(s->slope, s->slope, p->rho, PREC);
    arb_add(s->slope, s->slope, s->rise, PREC);
    arb_sub_ui(s->kappa, alpha, 1, PREC);
    cancelled += FLINT_MAX(0.0, -exponent_of(s->kappa));
    arb_mul(s->kappa, s->kappa, p->w2, PREC);
    arb_mul(s->kappa, s->kappa, p->odds, PREC);
    arb_clear(alpha);
    arb_clear(v);
    return cancelled;
}

/* The sign change of stratum c, rounded down, from 1 to c + 1. */
static uint64_t first_threshold(const signs *s, uint64_t N, uint64_t c)
{
    uint64_t first = c + 1;
    arb_t t;
    arf_t floor_t;
    fmpz_t z;
    arb_init(t); arf_init(floor_t); fmpz_init(z);
    arb_mul_ui(t, s->rise, c + 1, PREC);
    arb_addmul_ui(t, s->kappa, N - c, PREC);
    arb_div(t, t, s->slope, PREC);
    arf_floor(floor_t, arb_midref(t));
    if (arf_cmp_d(floor_t, 1.0) < 0 || !arf_is_finite(floor_t))
        first = 1;
    else if (arf_get_fmpz(z, floor_t, ARF_RND_FLOOR), fmpz_cmp_ui(z, c + 1) <= 0)
        first = fmpz_get_ui(z);
    arb_clear(t); arf_clear(floor_t); fmpz_clear(z);
    return first;
}

static double ratio_d(const arb_t x, const arb_t y)
{
    double d;
    arb_t t;
    arb_init(t);
    arb_div(t, x, y, PREC);
    d = get_d(t);
    arb_clear(t);
    return d;
}

/* How fast the threshold can rise downwards, which it does when kappa > rise. */
static uint64_t climb_of(const signs *s)
{
    double climb;
    arb_t t;
    arb_init(t);
    arb_sub(t, s->kappa, s->rise, PREC);
    climb = ratio_d(t, s->slope);
    arb_clear(t);
    return climb > 0 ? (uint64_t) FLINT_MIN(climb, 1e6) + 2 : 2;
}

/* Coq sees at once that delta is 0. */
static int is_nothing(const shuf_pair_t pair, const shuf_real_t eps)
{
    shuf_real_t loss;
    int nothing;
    shuf_real_init(loss);
    nothing = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    return nothing;
}

uint64_t window_find(window *w, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction, double log_delta,
                     double accuracy)
{
    shuf_pair_weights_t p;
    signs s;
    uint64_t N = pair->n - 1;
    double log_rho, log_corho, log_p = 0.0, log_q = 0.0;

    memset(w, 0, sizeof(*w));
    if (is_nothing(pair, eps))
        return 0;
    shuf_pair_weights_init(p); arb_init(s.rise); arb_init(s.slope); arb_init(s.kappa);
    shuf_pair_get_weights(p, pair, direction, PREC);
    w->cancelled = signs_set(&s, p, eps);
    w->top = w->low = N;
    if (!arb_is_zero(p->count_complement))
    {
        log_p = window_log(p->count);
        log_q = window_log(p->count_complement);
        w->top = window_upper_end(N, log_p, log_q, log_delta - accuracy, 0);
        w->low = window_lower_end(N, log_p, log_q, log_delta - accuracy, N);
    }
    w->first = first_threshold(&s, N, w->top);
    if (!arb_is_zero(s.kappa) && w->top > w->low)
        w->climb = climb_of(&s);

    /* a window of Bin(top, rho) around the mode and first - 1 */
    log_rho = window_log(p->rho);
    log_corho = window_log(p->rho_complement);
    w->lost = lost_bits(w, N, ratio_d(s.rise, s.slope), ratio_d(s.kappa, s.slope), log_p, log_q, log_rho, log_corho);
    accuracy += w->lost * d_log(2.0);
    w->from = window_lower_end(w->top, log_rho, log_corho, -accuracy, w->first - 1);
    w->to = window_upper_end(w->top, log_rho, log_corho,
                             FLINT_MIN(0.0, window_log_binomial(w->top, log_rho, log_corho, w->first - 1)) - accuracy,
                             w->first - 1);

    shuf_pair_weights_clear(p); arb_clear(s.rise); arb_clear(s.slope); arb_clear(s.kappa);
    return (w->top - w->low) + (w->to - w->from);
}

void window_write(FILE *out, const window *w)
{
    fprintf(out, "[%llu, %llu, %llu, %llu, %llu, %llu]", (unsigned long long) w->top, (unsigned long long) w->low,
            (unsigned long long) w->first, (unsigned long long) w->from, (unsigned long long) w->to,
            (unsigned long long) w->climb);
}
