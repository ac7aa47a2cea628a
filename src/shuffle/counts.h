/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * counts (internal): the law f of the number of ones among independent bits of
 * two kinds, N ~ Bin(a, p) + Bin(b, q), p >= q, in doubles with bounds of all
 * errors, and the divergences
 *
 *   PQ: H_alpha(N + Bern(p) || N + Bern(q)),   QP: H_alpha(N + Bern(q) || N + Bern(p)),
 *
 * at as many alpha as are wanted, for the price of one walk over the law. See
 * proofs/binary-reports.md, Lemmas 3 to 5.
 */
#ifndef SHUF_SHUFFLE_COUNTS_H
#define SHUF_SHUFFLE_COUNTS_H

#include <stdint.h>

#include "../pair/pair.h"

/* The probabilities of a one, p >= q, and of a zero. */
typedef struct
{
    arb_t p, p_rest, q, q_rest;
} counts_bits_struct;

typedef counts_bits_struct counts_bits_t[1];

void counts_bits_init(counts_bits_t bits);
void counts_bits_clear(counts_bits_t bits);

/* Bits of the balls of p and q and of what is made of them. Steers only. */
#define COUNTS_PREC 128

/* lo <= x <= hi */
typedef struct
{
    double lo, hi;
} range_struct;

/* The nonnegative part of x. */
void range_set_arb(range_struct *r, const arb_t x);

/* What the walk needs of p and q. */
typedef struct
{
    range_struct s, t, zeros, ones; /* p (1-q), q (1-p), (1-p)(1-q), pq */
    range_struct odds_p, odds_q;
    int p_is_certain, q_is_certain, good;
} counts_steps;

/* steps->good says whether doubles reach. */
void counts_steps_set(counts_steps *steps, const counts_bits_t bits);

/* alpha = e^eps as the two directions see it. */
typedef struct
{
    range_struct gain;   /* what the differing user wins: p - alpha q, or (1-q) - alpha (1-p); hi = 0: delta is 0 */
    range_struct excess; /* alpha - 1 */
    range_struct kappa;  /* gain/(gain + excess) */
} counts_point;

void counts_point_set(counts_point *x, const counts_bits_t bits, shuf_direction direction, const arb_t eps);

/* Values next to the peak that are known from both sides. Steers only. */
#define COUNTS_OVERLAP 3

/*
 * The law on first <= c <= last; entry c - first of `mass` is f(c). `peak` is
 * about the mode, and ratios point away from it: entry c - first of `ratio` is
 * f(c+1)/f(c) from there on, and f(c)/f(c+1) before. Bits that are certain
 * are left out of N: they move it by a constant. above and below are
 * Pr[N > c]/f(c) and Pr[N < c]/f(c), the one from COUNTS_OVERLAP values
 * before the peak on, the other up to as many after it.
 */
typedef struct
{
    uint64_t support; /* N is one of 0, .., support */
    uint64_t first, peak, last;
    range_struct *ratio, *mass, *above, *below, *memory;
} counts_law;

/*
 * The law of Bin(a, p) + Bin(b, q), a + b <= COUNTS_MAX_USERS, where it is
 * roughly at least e^-below or e^-above, both at most COUNTS_CUT, of its
 * largest value, on either side, to about e^-margin of relative error. Returns 0, with nothing to clear, when doubles
 * do not reach.
 */
#define COUNTS_CUT 650.0 /* steers only */
#define COUNTS_MAX_USERS UINT64_C(1000000000) /* larger ones are refused */
int counts_law_init(counts_law *law, const counts_steps *steps, uint64_t a, uint64_t b, double below, double above, double margin);
void counts_law_clear(counts_law *law);

/* value encloses the divergence at the point. */
void counts_divergence(range_struct *value, const counts_law *law, shuf_direction direction, const counts_point *x);

/* About how far out the divergence at the point is decided: -log of f there, relative to its largest value. An estimate. */
double counts_depth(const counts_steps *steps, uint64_t a, uint64_t b, shuf_direction direction, const counts_point *x);

#endif
