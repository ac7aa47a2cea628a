/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * proofs/fft.md proves the bound of the error. A block of 2m entries holds the
 * polynomial sum_j z_j x^j modulo x^2m - w^2; its halves become the remainders
 * modulo x^m - w and x^m + w. One twiddle factor w does for the whole block,
 * and one table for blocks of all sizes.
 */
#include "pld/fft.h"

#include <stdlib.h>

#include "enclosure/doubles.h"
#include "enclosure/memory.h"

/* The first 2^12 twiddle factors are rounded from Arb; all others are those times numbers near 1. Lemma 2. */
#define COARSE_LOG 12

/* The lowest `bits` bits of k in the opposite order. */
static size_t reverse(size_t k, int bits)
{
    size_t r = 0;
    for (; bits > 0; bits--, k >>= 1)
        r = 2 * r + (k & 1);
    return r;
}

/* ---- twiddle factors ---- */

/* Real and imaginary part of e^{-2 pi i a/2^bits} in balls of radius at most 2^-100. */
static void root_of_unity(arb_t re, arb_t im, size_t a, int bits)
{
    for (slong prec = 128;; prec *= 2)
    {
        arb_set_ui(re, (ulong) a);
        arb_mul_2exp_si(re, re, 1 - bits);
        arb_sin_cos_pi(im, re, re, prec);
        arb_neg(im, im);
        if (mag_cmp_2exp_si(arb_radref(re), -100) <= 0 && mag_cmp_2exp_si(arb_radref(im), -100) <= 0)
            return;
    }
}

/* head + tail = x up to 2^-99. */
static void split(double *head, double *tail, const arb_t x)
{
    arf_t rest;
    arf_init(rest);
    *head = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arf_set_d(rest, *head);
    arf_sub(rest, arb_midref(x), rest, 128, ARF_RND_NEAR);
    *tail = arf_get_d(rest, ARF_RND_NEAR);
    arf_clear(rest);
}

/*
 * Twiddle factor k is e^{-pi i r}, r = sum_l b_l 2^{-l-1} with the bits b_l of
 * k. The low bits give a coarse factor, head + tail, the high ones a fine one,
 * 1 + d; their product head + (tail + head d) is rounded in effect only once,
 * as d is small (Lemma 2).
 * Coq: RoundingTwiddle.twiddle_error.
 */
static void set_twiddles(double *t, double *tail, size_t count)
{
    const size_t coarse = (size_t) 1 << COARSE_LOG;
    arb_t re, im;
    arb_init(re);
    arb_init(im);
    for (size_t k = 0; k < coarse && k < count; k++)
    {
        root_of_unity(re, im, reverse(k, COARSE_LOG), COARSE_LOG + 1);
        split(t + 2 * k, tail + 2 * k, re);
        split(t + 2 * k + 1, tail + 2 * k + 1, im);
    }
    for (size_t block = 1; block < count / coarse; block++)
    {
        double *fine = t + 2 * block * coarse, x, y;
        root_of_unity(re, im, reverse(block, FFT_MAX_LOG - COARSE_LOG), FFT_MAX_LOG + 1);
        arb_sub_ui(re, re, 1, 128);
        x = arf_get_d(arb_midref(re), ARF_RND_NEAR);
        y = arf_get_d(arb_midref(im), ARF_RND_NEAR);
        for (size_t k = 0; k < 2 * coarse; k += 2)
        {
            fine[k] = t[k] + (tail[k] + (t[k] * x - t[k + 1] * y));
            fine[k + 1] = t[k + 1] + (tail[k + 1] + (t[k] * y + t[k + 1] * x));
        }
    }
    arb_clear(re);
    arb_clear(im);
}

int fft_plan_init(fft_plan_t plan, int log2_length)
{
    size_t length = (size_t) 1 << log2_length;
    double *tail = memory_claim(2 * sizeof(double) << COARSE_LOG);
    plan->length = length;
    plan->twiddle = memory_claim((length < 2 ? 2 : length) * sizeof(double));
    if (tail == NULL || plan->twiddle == NULL)
    {
        free(tail);
        free(plan->twiddle);
        return -1;
    }
    set_twiddles(plan->twiddle, tail, length / 2);
    free(tail);
    return 0;
}

void fft_plan_clear(fft_plan_t plan)
{
    free(plan->twiddle);
}

/* ---- the transform ---- */

/*
 * a and b become a + w b and a - w b.
 * Coq: RoundingFft.product_error.
 */
static inline void butterfly(double *a, double *b, double re, double im)
{
    double x = re * b[0] - im * b[1], y = re * b[1] + im * b[0];
    b[0] = a[0] - x;
    b[1] = a[1] - y;
    a[0] += x;
    a[1] += y;
}

/*
 * Two levels at once for one block of four quarters; t[2 block + 1] is
 * -i t[2 block].
 */
static inline void two_levels(double *z, size_t quarter, size_t block, const double *t)
{
    double re = t[2 * block], im = t[2 * block + 1];
    double x = t[4 * block], y = t[4 * block + 1];
    double *a = z, *b = a + 2 * quarter, *c = b + 2 * quarter, *d = c + 2 * quarter;
    for (size_t j = 0; j < 2 * quarter; j += 2)
    {
        butterfly(a + j, c + j, re, im);
        butterfly(b + j, d + j, re, im);
        butterfly(a + j, b + j, x, y);
        butterfly(c + j, d + j, y, -x);
    }
}

/* A block of a power of four entries, depth first for the caches. */
static void transform(double *z, size_t length, size_t block, const double *t)
{
    if (length == 1)
        return;
    two_levels(z, length / 4, block, t);
    for (size_t j = 0; j < 4; j++)
        transform(z + j * (length / 2), length / 4, 4 * block + j, t);
}

/* Entry k goes to the reverse of k, in tiles: the low bits of one index are the high bits of the other. */
static void reorder(double *z, int log2_length)
{
    int side = log2_length < 4 ? log2_length / 2 : 2, high = log2_length - side;
    for (size_t m = 0; m < (size_t) 1 << (high - side); m++)
    {
        size_t r = reverse(m, high - side);
        if (m > r)
            continue;
        for (size_t a = 0; a < (size_t) 1 << side; a++)
            for (size_t c = 0; c < (size_t) 1 << side; c++)
            {
                size_t k = a << high | m << side | c, l = reverse(c, side) << high | r << side | reverse(a, side);
                double x = z[2 * k], y = z[2 * k + 1];
                if (m == r && k >= l)
                    continue;
                z[2 * k] = z[2 * l];
                z[2 * k + 1] = z[2 * l + 1];
                z[2 * l] = x;
                z[2 * l + 1] = y;
            }
    }
}

static int log2_of(size_t length)
{
    int bits = 0;
    while (length >> bits > 1)
        bits++;
    return bits;
}

void fft_forward(double *z, const fft_plan_t plan)
{
    size_t length = plan->length;
    int bits = log2_of(length);
    if (bits % 2 == 0)
        transform(z, length, 0, plan->twiddle);
    else
    {
        for (size_t j = 0; j < length; j += 2)
            butterfly(z + j, z + length + j, 1, 0);
        transform(z, length / 2, 0, plan->twiddle);
        transform(z + length, length / 2, 1, plan->twiddle);
    }
    reorder(z, bits);
}

/*
 * Lemma 4: four roundings a level.
 * Coq: RoundingFftLevels.fft_forward_error.
 */
double fft_error(size_t length)
{
    return 4 * ROUNDOFF * log2_of(length);
}
