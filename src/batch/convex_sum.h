/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * convex_sum: sums of independent copies of X = exp(Z/s - 1/(2 s^2)), Z ~ N(0, 1), or of another X >= 0, between two laws with finitely many atoms, in
 * convex order (internal; proofs/dpsgd.md, Lemma 5). The mean of m of them is the likelihood ratio of an epoch of balls and bins with m steps.
 */
#ifndef SHUF_BATCH_CONVEX_SUM_H
#define SHUF_BATCH_CONVEX_SUM_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../flint_headers.h"

typedef struct
{
    int above;           /* whether it is above the sum, or below it */
    double number;       /* of copies */
    slong count;         /* of atoms */
    double *at, *mass;   /* at[0] < at[1] < .. */
    double *call, *tail; /* at atom i: E(S - at[i])_+, Pr[S > at[i]] */
    double *put, *head;  /* E(at[i] - S)_+, Pr[S < at[i]] */
    double excess;       /* above: the most that a call loses, and a put of strike 1 */
    double lost;
    double position, weight; /* relative errors of atoms and masses, at most */
} convex_sum_struct;

typedef convex_sum_struct convex_sum_t[1];

/*
 * How wide the cells are and how far they reach, in standard deviations of Z. Steers only: any cells will do. Of another X noise is NULL, and there are the
 * deviation of log X and its least and largest value, and the variance of X, about.
 */
typedef struct
{
    const fmpq *noise;
    double fineness, reach;
    double deviation, least, largest, variance;
} convex_cells;

/* Whether there are such laws for so much noise and so many copies; else the others must not be called. */
int convex_sum_exists(const convex_cells *cells, double number);

void convex_sum_init(convex_sum_t x);
void convex_sum_clear(convex_sum_t x);

/* x := one copy, above or below. */
void convex_sum_one(convex_sum_t x, const convex_cells *cells, int above);

/* The same of any X >= 0 with so many atoms, in any order; 0, or -1 if a value is not known well enough (to be cleared, too). */
int convex_sum_atoms(convex_sum_t x, arb_srcptr value, arb_srcptr mass, slong count, int above);

/* z := x + y, independent; x and y of one kind. z may be either of them. */
void convex_sum_add(convex_sum_t z, const convex_sum_t x, const convex_sum_t y, const convex_cells *cells);

/* x := so many copies, at least 1; or of what is one copy. */
void convex_sum_set(convex_sum_t x, const convex_cells *cells, uint64_t number, int above);
void convex_sum_power(convex_sum_t x, const convex_sum_t one, const convex_cells *cells, uint64_t number);

/*
 * A bound, on the side of x, of E(L - alpha)_+ (direction 0), or of E(1 - alpha L)_+ (direction 1), alpha >= 1; L is the mean of the copies.
 */
double convex_sum_value(const convex_sum_t x, double alpha, int direction);

#endif
