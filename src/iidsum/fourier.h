/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * fourier: E(S - K)_+ by the inverse of the transform on a line Re s = theta (internal); proofs/iidsum.md, Lemmas 6 to 9, and
 * E(1 - e^{K - S})_+ likewise, Lemma 11; where the transform falls too slowly, Lemma 12.
 */
#ifndef SHUF_IIDSUM_FOURIER_H
#define SHUF_IIDSUM_FOURIER_H

#include "iidsum.h"
#include "../pld/polynomial.h"

#define FOURIER_MOST 0x1p22 /* frequencies: k u < 10^-6 in Lemma 9 */

/* Units of work for a frequency in balls: steers only. */
#define FREQUENCY_WORK 8000.0

/* How the sums over atoms are made. */
typedef enum
{
    FOURIER_DOUBLES,     /* in doubles, */
    FOURIER_DIFFERENCES, /* what they differ by from the first, which is a ball, */
    FOURIER_FIXED,       /* in whole numbers, a thousand times finer, */
    FOURIER_BALLS        /* in balls altogether */
} fourier_how;

/* What one line of the transform knows for any K of the expected weight of S - K, x_+ or (1 - e^-x)_+. */
typedef struct
{
    const shuf_summand *law;
    uint64_t terms;
    fourier_how how;
    int pole;            /* 0 for x_+, 1 for (1 - e^-x)_+: the weight's transform is 1/(s (s + pole)) */
    double digits, limit;
    arf_t centre;        /* K where it is read best */
    double added;        /* the variance of a normal number that is read with S, and four times it (Lemma 12); else 0 */
    double theta, step;  /* frequencies k step, 0 <= k < count, */
    slong count;
    slong kept;          /* of which those that matter are index[0] = 0 < index[1] < ... */
    slong *index, room;
    arf_t top;           /* the law is cut there, +inf if it is not */
    arb_ptr re, im;      /* n log of the transform; */
    int *lost;           /* unless nothing is known but its modulus, of logarithm re at most */
    int in_doubles;      /* instead, of all frequencies (product-line.md, Lemma 4): */
    polynomial_struct sum[2]; /* with what is added, and, unless that is nothing, with four times it, */
    arb_t scale;         /* over e^scale */
    arb_t excess;        /* n E(L - top)_+ */
    arb_t rest, skipped; /* of the sum over the frequencies beyond the last one, and over those before it that do not matter, times e^{theta K} */
    arb_t beyond;        /* n log of the transform at Re s = far > theta, from above */
    double far;
    int differs;         /* whether differences have smaller roundings: steers only */
    double log_roundings; /* about log of what doubles' roundings add up to: steers only */
    arf_t largest;       /* of the sum, or +inf */
} fourier_struct;

/*
 * 0, or -1 when the law has no use for it or it is too much work (nothing to
 * clear). K is about where it will be read, log_value about the logarithm of
 * what will be found there (NAN: not known); how: at least so well;
 * what is added is fine times as wide as the digits alone ask for.
 */
int fourier_init(fourier_struct *x, const shuf_summand *law, uint64_t n, const arf_t K, int pole, double digits, double limit,
                 double log_value, fourier_how how, double fine);
void fourier_clear(fourier_struct *x);

/* log_moment := at most log E e^{theta (S - K)}, of a law that need not be cut, for the theta > 0 that seems best for the weight of that pole. Returns 0 if none is known. */
int fourier_moment(arb_t log_moment, double *theta, const shuf_summand *law, uint64_t n, const arf_t K, int pole);

/* bound := an upper bound of the expected (1 - e^{K - S})_+, of a law that need not be cut; infinite if none is known. */
void fourier_bound(arb_t bound, const shuf_summand *law, uint64_t n, const arf_t K);

/* r encloses the expected weight for every K in the ball. */
void fourier_read(shuf_enclosure_t r, const fourier_struct *x, const arb_t K);

/*
 * r[i] encloses E(S - K[i])_+ for K[i], which is finite, where wanted[i], 0 <= i < count, in doubles: as good for thresholds near each other, and a
 * hundredth of the work (Lemma 10).
 */
void fourier_reads(shuf_enclosure_struct *r, const fourier_struct *x, arb_srcptr K, const int *wanted, slong count);

/* What uniform parts of the law cut at top, times e^{theta L}, weigh, and their widths (Lemma 8). */
typedef struct
{
    slong count;
    double *mass, *width;
} fourier_parts;

void fourier_parts_init(fourier_parts *u, const shuf_summand *law, double theta, const arf_t top);
void fourier_parts_clear(fourier_parts *u);

/* A lower bound of what |E e^{(theta + i t) L}| lacks of E e^{theta L} for all |t| >= reach. */
double fourier_parts_loss(const fourier_parts *u, double reach);

#endif
