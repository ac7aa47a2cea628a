/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * doubles: what engines in double precision share (internal).
 *
 * Compile with -ffp-contract=off (GCC ignores the pragma in some versions)
 * and without -ffast-math: the error bounds are for IEEE doubles rounded to
 * nearest.
 */
#ifndef SHUF_ENCLOSURE_DOUBLES_H
#define SHUF_ENCLOSURE_DOUBLES_H

#include <float.h>
#include <math.h>

#include "../flint_headers.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1
#error "the fast path needs double expressions evaluated in double"
#endif
#ifdef __FAST_MATH__
#error "the fast path needs IEEE arithmetic"
#endif

/*
 * Unit roundoff: e in proofs/fast.md, u in the other pages. In bounds a factor 1.0001, 1.01, 1.05 or 1 + 1e-9 to 1e-6 pays for what is
 * of second order and for the roundings of the bound itself, and 0x1p-1060 to 0x1p-900, or 1e-280, for what underflows: proofs/fast.md,
 * Arithmetic, and likewise in the other pages.
 */
#define ROUNDOFF 0x1p-53

/* The nearest double. What a bound loses by its rounding is in the slack of that bound's lemma. */
#define DOUBLE_PI 3.14159265358979324

/* Working range: no product of two quantities that matter leaves the normal doubles. proofs/fast.md, Arithmetic. */
#define SMALLEST 1e-290
#define LARGEST 1e290

/* The largest double <= x, smallest double >= x, for a finite x >= 0. */
static inline double double_below(const arf_t x)
{
    if (arf_sgn(x) <= 0 || arf_cmpabs_2exp_si(x, -1074) < 0)
        return 0;
    return arf_get_d(x, ARF_RND_FLOOR);
}

static inline double double_above(const arf_t x)
{
    if (arf_sgn(x) <= 0)
        return 0;
    if (arf_cmpabs_2exp_si(x, -1074) < 0)
        return 0x1p-1074;
    return arf_get_d(x, ARF_RND_CEIL);
}

/* d = x (1 + e), |e| <= 1.02 ROUNDOFF. Returns 0 when that cannot be had in the working range. */
static inline int constant(double *d, const arb_t x)
{
    if (arb_rel_accuracy_bits(x) < 60 || arf_cmpabs_2exp_si(arb_midref(x), 960) > 0
        || arf_cmpabs_2exp_si(arb_midref(x), -960) < 0)
        return 0;
    *d = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    return 1;
}

/* No accuracy claimed. */
static inline double estimate(const arb_t x)
{
    if (arf_cmpabs_2exp_si(arb_midref(x), -1000) < 0)
        return 0;
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

#endif
