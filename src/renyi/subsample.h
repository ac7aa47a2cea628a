/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * subsample: what running a mechanism on a random part of the data does to
 * its Renyi curve. See proofs/subsample.md.
 *
 * The two neighbouring relations are not interchangeable: Poisson sampling is
 * analysed for adding or removing a record, sampling a fixed number without
 * replacement for replacing one. The base curve must hold under the same
 * relation, and for the SAMPLED data: a shuffle of m out of n users has
 * gamma = m/n and the base curve of m users.
 */
#ifndef SHUF_SUBSAMPLE_H
#define SHUF_SUBSAMPLE_H

#include "renyi.h"

typedef enum
{
    SHUF_REPLACE_ONE, /* one record has another value */
    SHUF_ADD_REMOVE   /* one record more, or less */
} shuf_neighbours;

/* With B_j = exp((j-1) eps(j)) of the base curve, integer orders a >= 2; each is at most the base curve. */
typedef enum
{
    /*
     * Every record is taken with probability gamma, independently (add/remove).
     * Theorem subsample-poisson: exp((a-1) eps') is at most the larger of
     * sum_j C(a,j) (1-gamma)^(a-j) gamma^j B_j and
     * 1 + ((1-gamma)^(1-a) - 1 - (a-1) gamma) (B_2 - 1).
     */
    SHUF_SUBSAMPLE_POISSON,
    /*
     * A uniform subset of fixed size, gamma of all (replace one). Theorem
     * subsample-wang19 (Wang, Balle, Kasiviswanathan 2019, Theorem 9):
     * 1 + gamma^2 C(a,2) min{4 (B_2 - 1), B_2 min{2, (e^L - 1)^2}}
     *   + sum_{j>=3} gamma^j C(a,j) B_j min{2, (e^L - 1)^j}.
     */
    SHUF_SUBSAMPLE_FIXED_SIZE,
    /*
     * The same sampling, when the base curve is that of a pair (P, Q) which
     * dominates the mechanism in every hockey-stick divergence, as clones and
     * clones-stronger do. Theorem subsample-dominated, smaller by far when
     * most losses are small:
     * 1 + a (a-1) gamma^2 (B_2 - 1)
     *   + sum_{j>=3} gamma^j C(a,j) min{B_j - 1, (e^L - 1)^(j-2) (B_2 - 1)}.
     */
    SHUF_SUBSAMPLE_FIXED_SIZE_DOMINATED
} shuf_subsample_kind;

typedef struct
{
    shuf_subsample_kind kind;
    const shuf_renyi_curve *base;
    fmpq_t gamma;
    int has_max_loss; /* L is known; otherwise taken as infinite */
    shuf_real_t max_loss;
    struct shuf_subsample_cache *cache; /* evaluations of the base so far */
} shuf_subsample_struct;

typedef shuf_subsample_struct shuf_subsample_t[1];

void shuf_subsample_init(shuf_subsample_t s);
void shuf_subsample_clear(shuf_subsample_t s);

/*
 * base: the curve of the mechanism on the sampled data, under `neighbours`;
 * max_loss: an upper bound of its largest loss over all such neighbours, or
 * NULL. Returns 0, or -1 (s unchanged) unless neighbours is the relation of
 * `kind`, 0 <= gamma <= 1 and max_loss >= 0.
 */
int shuf_subsample_set(shuf_subsample_t s, shuf_subsample_kind kind, const shuf_renyi_curve *base,
                       shuf_neighbours neighbours, const fmpq_t gamma, const shuf_real_struct *max_loss);

shuf_neighbours shuf_subsample_neighbours(shuf_subsample_kind kind);
const char *shuf_subsample_theorem(shuf_subsample_kind kind);

/* Largest order of the sums; above it only exp((a-1) eps') <= 1 - gamma + gamma B_a is used. Steers only. */
#define SHUF_SUBSAMPLE_MAX_ORDER 100000

/*
 * The curve of the subsampled mechanism, at the integers >= 2; s and its base
 * must outlive it. Evaluations of the base are kept in s, so that s serves one
 * thread at a time. The base is evaluated at all orders up to 32 and then at
 * ever wider steps, between which (j-1) eps(j), a convex function, is bounded
 * by its chord. The width that the base's enclosures leave is booked as
 * rounding.
 */
void shuf_subsample_curve(shuf_renyi_curve *curve, const shuf_subsample_struct *s);

#endif
