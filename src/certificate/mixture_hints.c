/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/mixture_hints.h"

#include "certificate/window.h"
#include "enclosure/elementary.h"

/* Bits that hints are computed with: more than may cancel (MAX_BITS of certificate.c). Steers only. */
#define PREC 24000

/* A threshold is looked at so many bits closer than it is decided. Steers only. */
#define CLOSER 64

/* What a stratum costs besides its rows, and a block. Steer only. */
#define STRATUM_ROWS 10
#define BLOCK_ROWS 2

/* Some log2 |x|; where everything has cancelled, what is beyond any use. */
static slong exponent_of(const arb_t x)
{
    return FLINT_MAX((slong) arf_abs_bound_lt_2exp_si(arb_midref(x)), -1000000);
}

static void get_fixed(fmpz_t z, arb_t x, ulong scale)
{
    arb_mul_2exp_si(x, x, (slong) scale);
    arf_get_fmpz(z, arb_midref(x), ARF_RND_NEAR);
}

void mixture_init(mixture *m, const shuf_pair_t pair, const shuf_real_t eps, slong bits)
{
    shuf_pair_weights_t w;
    shuf_real_t loss;
    arb_t alpha, u, more, rest;
    slong certain = bits - (slong) FLINT_BIT_COUNT(pair->n) - 10;

    fmpz_init(m->per_count); fmpz_init(m->per_rest); fmpz_init(m->near);
    m->cancelled = 0.0;
    shuf_real_init(loss);
    m->nothing = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    if (m->nothing)
        return;

    shuf_pair_weights_init(w); arb_init(alpha); arb_init(u); arb_init(more); arb_init(rest);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, PREC);
    shuf_real_exp(alpha, eps, PREC);
    m->N = pair->n - 1;
    m->log_p = window_log(w->count);
    m->log_q = window_log(w->count_complement);
    m->log_rest = window_log(w->rest);
    m->log_corest = window_log(w->rest_complement);

    /* what u = w0 - alpha w1 and alpha cost; the slope costs less, and the sign change has the bits between */
    arb_mul(u, alpha, w->w1, PREC);
    arb_sub(u, w->w0, u, PREC);
    arb_sub(rest, w->w0, w->w1, PREC);
    m->cancelled = (double) FLINT_MAX(0, exponent_of(w->w0) - exponent_of(u) + exponent_of(alpha));
    certain += FLINT_MAX(0, exponent_of(rest) - exponent_of(u) + exponent_of(alpha));

    /*
     * kappa/slope = (alpha-1)/(alpha+1) w1/(w0-w1) and rise/slope = alpha/(alpha+1) + kappa/slope. As alpha w1 < w0, the former
     * is below 1/2: a threshold does for two r at least.
     */
    arb_div(rest, w->w1, rest, PREC);
    arb_sub_ui(u, alpha, 1, PREC);
    arb_add_ui(more, alpha, 1, PREC);
    arb_mul(rest, rest, u, PREC);
    arb_div(rest, rest, more, PREC);
    arb_div(more, alpha, more, PREC);
    arb_add(more, more, rest, PREC);
    m->scale = (ulong) certain + CLOSER;
    get_fixed(m->per_count, more, m->scale);
    get_fixed(m->per_rest, rest, m->scale);
    fmpz_one_2exp(m->near, CLOSER);

    shuf_pair_weights_clear(w); arb_clear(alpha); arb_clear(u); arb_clear(more); arb_clear(rest);
}

void mixture_clear(mixture *m)
{
    fmpz_clear(m->per_count); fmpz_clear(m->per_rest); fmpz_clear(m->near);
}

/* The threshold of stratum c at r: the sign change is between it and one less. */
static uint64_t threshold(const mixture *m, uint64_t c, uint64_t r)
{
    fmpz_t z;
    uint64_t t = c + 2;
    fmpz_init(z);
    fmpz_mul_ui(z, m->per_count, c + 1);
    fmpz_addmul_ui(z, m->per_rest, r);
    fmpz_sub(z, z, m->near);
    fmpz_fdiv_q_2exp(z, z, m->scale);
    if (fmpz_cmp_ui(z, c + 1) < 0)
        t = fmpz_get_ui(z) + 1;
    fmpz_clear(z);
    return t;
}

/* The least r >= least that has the threshold t, or a higher one. */
static uint64_t block_end(const mixture *m, uint64_t c, uint64_t t, uint64_t least)
{
    fmpz_t z;
    uint64_t r = least;
    if (fmpz_is_zero(m->per_rest))
        return least;
    fmpz_init_set_ui(z, t - 1);
    fmpz_mul_2exp(z, z, m->scale);
    fmpz_add(z, z, m->near);
    fmpz_submul_ui(z, m->per_count, c + 1);
    fmpz_cdiv_q(z, z, m->per_rest);
    if (fmpz_cmp_ui(z, least) > 0)
        r = fmpz_get_ui(z);
    fmpz_clear(z);
    return r;
}

/* [r, threshold, from, to, [a block, ...]] for the r from high down to low. Returns what it costs. */
static uint64_t write_row(FILE *out, const mixture *m, uint64_t c, uint64_t high, uint64_t low, double accuracy)
{
    const double half = d_log(0.5);
    uint64_t t = threshold(m, c, high), place = FLINT_MIN(t, c + 1) - 1, end;
    uint64_t from = window_lower_end(c, half, half, -accuracy, place);
    uint64_t to = window_upper_end(c, half, half, FLINT_MIN(0.0, window_log_binomial(c, half, half, place)) - accuracy, place);
    uint64_t rows = STRATUM_ROWS + (high - low) + (to - from);

    fprintf(out, "[%llu, %llu, %llu, %llu, [", (unsigned long long) high, (unsigned long long) t, (unsigned long long) from,
            (unsigned long long) to);
    for (;; high = end - 1, t--)
    {
        end = block_end(m, c, t, low);
        fprintf(out, "%llu", (unsigned long long) (high - end));
        rows += BLOCK_ROWS;
        if (end == low)
            break;
        fputs(", ", out);
    }
    fputs("]]", out);
    return rows;
}

uint64_t mixture_write(FILE *out, const mixture *m, double log_delta, double accuracy, uint64_t most)
{
    uint64_t rows = 0, top, low, high, last, c;
    double depth;

    if (m->nothing)
    {
        fputs("\"top\": 0, \"rows\": []", out);
        return 0;
    }
    top = window_upper_end(m->N, m->log_p, m->log_q, log_delta - accuracy, 0);
    low = window_lower_end(m->N, m->log_p, m->log_q, log_delta - accuracy, m->N);
    fprintf(out, "\"top\": %llu, \"rows\": [\n  ", (unsigned long long) top);
    for (c = top;; c--)
    {
        /* a stratum that is rare itself needs less */
        depth = FLINT_MIN(0.0, log_delta - FLINT_MIN(0.0, window_log_binomial(m->N, m->log_p, m->log_q, c))) - accuracy;
        high = window_upper_end(m->N - c, m->log_rest, m->log_corest, depth, 0);
        last = window_lower_end(m->N - c, m->log_rest, m->log_corest, depth, m->N - c);
        if (rows + (high - last) > most)
            return most + 1;
        rows += write_row(out, m, c, high, last, accuracy);
        if (c == low)
            break;
        fputs(",\n  ", out);
    }
    fputc(']', out);
    return rows;
}
