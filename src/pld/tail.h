/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * tail: the probability that the privacy loss of k-RR is at least eps, for the
 * pairs krr-strong and krr-weak and several rounds.
 *
 * Koskela, Heikkila and Honkela (Theorems 13 and 16) take it for delta(eps).
 * It is an upper bound of delta, and not equal to it (proofs/tail.md). N1 and
 * N2, the reports of the two values, follow their joint (multinomial) law.
 */
#ifndef SHUF_TAIL_H
#define SHUF_TAIL_H

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

/* Whose loss, of krr-strong; krr-weak has the second only. */
typedef enum
{
    SHUF_TAIL_TRUTHFUL, /* Theorem 13: L = log(N1/N2) of a differing user who does not answer at random */
    SHUF_TAIL_VIEW      /* of the adversary's view: 0 with probability gamma, else as above */
} shuf_tail_law;

/*
 * r encloses Pr[L_1 + ... + L_rounds >= eps], the L_i independent and
 * distributed as under P, 0 <= eps <= SHUF_MAX_EPSILON, 1 <= rounds <=
 * SHUF_PLD_MAX_ROUNDS. For krr-weak, e^L is (N1 + w)/(N2 + w),
 * w = gamma/(k (1-gamma)) times the number of random reports and the user's.
 *
 * One round is summed in balls, with ties L = eps decided exactly. For more
 * the losses are rounded up and down to a grid: the width is of first order
 * in the step, and 3 or 4 digits are what it gives. Where a sum of losses is
 * eps itself (eps = 0 or a logarithm of a rational) the lower end may lack
 * the probability of that, and below 1e-270 it may be 0.
 *
 * SHUF_OK, SHUF_ACCURACY (valid, wider than asked; [0, 1] at worst), or
 * SHUF_DOMAIN (r untouched) for another pair or parameters out of range.
 */
shuf_status shuf_pld_tail(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps,
                          shuf_tail_law law, const shuf_options *options);

#endif
