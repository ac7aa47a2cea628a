/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/product-line.md, Lemma 5. */
#include "pld/spread.h"

#include <stdlib.h>
#include <string.h>

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "enclosure/memory.h"
#include "pld/fft.h"

#define HALF 20               /* points of the lattice on each side of an atom: Lemma 5, */
#define LEAST_LENGTH 8        /* the lattice has so many times as many as there are frequencies: Lemma 5, */
#define INTERPOLATION 1e-17   /* and so its sums are off by this: Lemma 5 */
#define WEIGHT_ROUNDINGS 85.0 /* of a weight, and of the mass that it is multiplied by: Lemma 5 */

#define PREC 128 /* steers only */

/* Units of work. Steer only. */
#define ATOM_WORK 3000.0
#define LEVEL_WORK 1.6
#define POINT_WORK 12.0

/* Of the transform; more than the longest if there are too many frequencies. */
static int log2_length(slong frequencies)
{
    int n = 7; /* more points than an atom is spread on */
    while (n <= FFT_MAX_LOG && (WORD(1) << n) < LEAST_LENGTH * frequencies)
        n++;
    return n;
}

double spread_work(slong count, slong frequencies)
{
    const int n = log2_length(frequencies);
    return ATOM_WORK * (double) count + (double) (WORD(1) << n) * (POINT_WORK + LEVEL_WORK * n);
}

/* factor[i] := 1/prod_{j != i} (i - j), i, j < 2 HALF, rounded once */
static void set_factors(double *factor)
{
    arb_t a, b;
    slong i;
    arb_init(a);
    arb_init(b);
    for (i = 0; i < 2 * HALF; i++)
    {
        arb_fac_ui(a, (ulong) i, PREC);
        arb_fac_ui(b, (ulong) (2 * HALF - 1 - i), PREC);
        arb_mul(a, a, b, PREC);
        arb_inv(a, a, PREC);
        factor[i] = arf_get_d(arb_midref(a), ARF_RND_NEAR);
        if ((2 * HALF - 1 - i) % 2 == 1)
            factor[i] = -factor[i];
    }
    arb_clear(a);
    arb_clear(b);
}

/* weight[i] := that of Lagrange's interpolation from the points i < 2 HALF at HALF - 1 + f, 0 <= f <= 1. Returns the sum of their moduli. */
static double set_weights(double *weight, const double *factor, double f)
{
    double product = 1, sum = 0;
    int i;
    for (i = 0; i < 2 * HALF; i++)
    {
        weight[i] = factor[i] * product;
        product *= f + (double) (HALF - 1 - i);
    }
    for (product = 1, i = 2 * HALF - 1; i >= 0; i--)
    {
        weight[i] *= product;
        product *= f + (double) (HALF - 1 - i);
        sum += fabs(weight[i]);
    }
    return sum;
}

/* What the atoms are together. */
typedef struct
{
    double whole;  /* the tilted masses, */
    double spread; /* the moduli of what they became, */
    double error;  /* what is not known of them, */
    int *hits;     /* how many were added up at each point, */
    int most;      /* and where it is most */
} total_struct;

/* One atom, tilted: adds it to its neighbours on the lattice, cyclically. Returns 0 if it is too large. */
static int add_atom(double *z, slong length, total_struct *total, const double *factor, const arb_t place, const arb_t tilted)
{
    double weight[2 * HALF], m, f;
    fmpz_t whole;
    arf_t t;
    slong first, i;
    int known;
    arf_init(t);
    fmpz_init(whole);
    arb_get_abs_ubound_arf(t, tilted, 53);
    known = arf_cmpabs_2exp_si(t, 900) < 0 && arb_is_finite(place);
    m = arf_cmpabs_2exp_si(t, -900) < 0 || !known ? 0 : fmax(arf_get_d(arb_midref(tilted), ARF_RND_NEAR), 0);
    if (m > 0)
    {
        arf_set_mag(t, arb_radref(tilted));
        total->error += double_above(t);
    }
    else
    {
        total->error += known ? double_above(t) : HUGE_VAL;
    }
    if (m > 0)
    {
        arf_floor(t, arb_midref(place));
        arf_get_fmpz(whole, t, ARF_RND_DOWN);
        first = (slong) fmpz_fdiv_ui(whole, (ulong) length) - (HALF - 1);
        arf_sub(t, arb_midref(place), t, ARF_PREC_EXACT, ARF_RND_DOWN);
        f = arf_get_d(t, ARF_RND_NEAR);
        /* what is not known of the place turns it by less than that */
        arf_set_mag(t, arb_radref(place));
        total->error += m * double_above(t) * (1 + 4 * ROUNDOFF);
        total->whole += m;
        total->spread += m * set_weights(weight, factor, f);
        for (i = 0; i < 2 * HALF; i++)
        {
            const slong at = (first + i + length) % length;
            z[2 * at] += m * weight[i];
            total->hits[at]++;
            total->most = FLINT_MAX(total->most, total->hits[at]);
        }
    }
    arf_clear(t);
    fmpz_clear(whole);
    return known;
}

int spread_sums(double *sums, double *off, arb_srcptr value, arb_srcptr mass, slong count, double theta, double step, slong frequencies)
{
    const int log2 = log2_length(frequencies);
    const slong length = WORD(1) << log2;
    total_struct total = { 0, 0, 0, NULL, 0 };
    double factor[2 * HALF], *z = log2 > FFT_MAX_LOG ? NULL : memory_claim(2 * (size_t) length * sizeof(double));
    fft_plan_t plan;
    arb_t rate, t, place;
    slong j, k;
    int known = 1;
    if (z == NULL || fft_plan_init(plan, log2) != 0)
    {
        free(z);
        return -1;
    }
    arb_init(rate); arb_init(t); arb_init(place);
    memset(z, 0, 2 * (size_t) length * sizeof(double));
    total.hits = flint_calloc((size_t) length, sizeof(int));
    set_factors(factor);
    /* points to a loss: length step/(2 pi) */
    arb_set_d(rate, step);
    arb_mul_si(rate, rate, length, PREC);
    arb_const_pi(t, PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_div(rate, rate, t, PREC);
    for (j = 0; j < count && known; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, value + j, PREC);
        arb_exp(t, t, PREC);
        arb_mul(t, t, mass + j, PREC);
        arb_mul(place, value + j, rate, PREC);
        known = add_atom(z, length, &total, factor, place, t);
    }
    fft_forward(z, plan);
    for (k = 0; k < frequencies; k++)
    {
        sums[2 * k] = z[2 * k];
        sums[2 * k + 1] = -z[2 * k + 1];
    }
    *off = ((fft_error((size_t) length) + WEIGHT_ROUNDINGS * ROUNDOFF + (double) total.most * ROUNDOFF) * total.spread
            + (INTERPOLATION + 4 * ROUNDOFF) * total.whole + total.error) * (1 + 1e-6) + (double) length * 0x1p-1000;
    shuf_charge(spread_work(count, frequencies));
    fft_plan_clear(plan);
    free(z);
    flint_free(total.hits);
    arb_clear(rate); arb_clear(t); arb_clear(place);
    return known && isfinite(*off) ? 0 : -1;
}
