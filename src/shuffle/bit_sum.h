/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * bit_sum: the number of ones among independent bits of different
 * probabilities (a Poisson binomial law), in doubles with bounds of all errors
 * (proofs/groups.md, Lemma 5).
 */
#ifndef SHUF_BIT_SUM_H
#define SHUF_BIT_SUM_H

#include <stdint.h>

#include "../enclosure/enclosure.h"

/* So many bits that are ones with the same probability; rest is 1 - one, each relatively accurate. */
typedef struct
{
    arb_t one, rest;
    uint64_t count;
} bit_group;

typedef struct bit_sum bit_sum;

/* The law of the sum of all bits of the groups. NULL where doubles do not reach, or the work of the limit (0: none) does not. */
bit_sum *bit_sum_new(const bit_group *group, size_t groups, double limit);
void bit_sum_free(bit_sum *s);

/*
 * One more bit, a one with probability p under P and q under Q, p >= q: lo <= H_alpha(P||Q) <= hi of the sum with it,
 * with `mirrored` of H_alpha(Q||P). gain encloses p - alpha q, mirrored (1-q) - alpha (1-p); less encloses alpha - 1 >= 0.
 */
void bit_sum_divergence(arf_t lo, arf_t hi, const bit_sum *s, const arb_t gain, const arb_t less, int mirrored);

/* The user's bit: its probability of a one under P and of a zero, and under Q, p >= q. */
typedef struct
{
    arb_t p, p_rest, q, q_rest;
} bit_pair;

/* The numbers of ones whose masses are kept: from the first on so many. */
uint64_t bit_sum_first(const bit_sum *s);
uint64_t bit_sum_length(const bit_sum *s);

/* lo <= Pr[c ones] <= hi; of a number that is not kept hi is at least the probability of all these. */
void bit_sum_mass(arf_t lo, arf_t hi, const bit_sum *s, uint64_t c);
void bit_sum_mass_d(double *lo, double *hi, const bit_sum *s, uint64_t c);

#endif
