/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * tilted_stratum: one stratum, its binomial tilted to another mean x0, and the ways to
 * sum it (internal). m = c+1, a ~ Bin(m, x0), y = a/m - x0; see proofs/renyi.md,
 * Lemmas 3 to 5. The sums are those of phi over x = a/m under Bin(m, rho).
 */
#ifndef SHUF_RENYI_TILTED_STRATUM_H
#define SHUF_RENYI_TILTED_STRATUM_H

#include "stratum_power.h"

typedef struct
{
    const power_context_struct *s;
    ulong m;
    arb_t p_end[2], q_end[2]; /* p and q at x = 0 and 1 */
    arb_t x0, x0_complement;
    arb_t p0, q0, dp, dq; /* p(x0), q(x0), p'/p, q'/q there */
    arb_t tau;            /* the tilt e^(tau y) */
    arb_t scale;          /* p0^order q0^(1-order) exp(-m KL(x0||rho)); p0 at order 1 */
    double x0_d, log_negligible; /* log of an error that is negligible */
    slong prec;
} tilted_struct;

/* The stratum of c and K; no tilt yet. */
void tilted_init(tilted_struct *t, const power_context_t s, ulong c, const arb_t K);
void tilted_clear(tilted_struct *t);

/* The tilt to mean x, strictly between 0 and 1; at order 1 none: the mean is rho. */
void tilted_set(tilted_struct *t, double x);

/* v += sum over first <= a <= last of Bin(m,rho)(a) phi(a/m); needs no tilt. Indeterminate when the budget ends in it. */
void tilted_sum_directly(arb_t v, const tilted_struct *t, ulong first, ulong last);

/*
 * total += a bound of the sum of Bin(m,rho)(a) |phi(a/m)| over the a/m at least
 * `start` away from x0 on one side: pieces, each the number of its atoms times
 * the majorant. They are chosen in floating point so that each is negligible,
 * if that can be had. K is the stratum's, for choosing.
 */
void tilted_add_tail(mag_t total, const tilted_struct *t, double K, double start, int sign);

/*
 * result >= 0 is a lower bound of m KL(x0+y||x0): then Pr[beyond y] <= exp(-result),
 * beyond on the side of y. Infinite where x0+y is certainly outside [0, 1].
 */
void tilted_chernoff(arb_t result, const tilted_struct *t, const arb_t y, slong prec);

/* theta of proofs/renyi.md, Lemma 4: the part of its disk in which the series stands for the function. */
#define TILTED_INSIDE 0.75

/*
 * A plan for the series: `terms` (even) and the radius of the disk of the
 * Cauchy estimate; *terms is unchanged if there is none. Returns about the log
 * of the remainder in units of scale, at most aim if that can be had.
 */
double tilted_plan_series(slong *terms, double *radius, const tilted_struct *t, double aim);

/*
 * v := about E phi by the Taylor series of chi about x0 (of phi itself at order
 * 1), the remainder bounded by Cauchy's estimate: error bounds the remainder
 * inside |y| <= TILTED_INSIDE radius and the polynomial outside. What is left is
 * phi outside: tilted_add_tail on both sides.
 */
void tilted_sum_series(arb_t v, mag_t error, const tilted_struct *t, slong terms, double radius);

#endif
