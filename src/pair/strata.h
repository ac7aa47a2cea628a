/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * strata: sums over the number of other users seen, by blocks (internal).
 *
 * A divergence of a trinomial pair is E V(C, K_C), C ~ Bin(others, count),
 * K_c = kappa (others - c)/(c+1), with V(c, K) nonnegative, nonincreasing in c
 * and in K (proofs/trinomial-pair.md, Lemma 3; proofs/renyi.md). K_c falls as
 * c grows, so the strata of a block lie between V(last, K_first) and
 * V(first, K_last), whatever its length.
 */
#ifndef SHUF_STRATA_H
#define SHUF_STRATA_H

#include "pair.h"

typedef struct
{
    ulong others;
    const shuf_pair_weights_struct *weights;
    const arb_struct *kappa;
    /* v encloses V(c, K) */
    void (*value)(arb_t v, const void *context, ulong c, const arb_t K);
    const void *context;
    slong prec;
    double limit; /* shuf_work() at which to stop; 0 means never */
} strata_struct;

/*
 * The sum over first <= C <= last lies between `low` and `low` + width. Blocks
 * that exceed their share of the width aimed at are split until the whole
 * fits. *blocks grows by their number; returns 1, or 0 when the budget ran out.
 */
int strata_bracket(arb_t low, mag_t width, ulong *blocks, const strata_struct *s, ulong first, ulong last, const arb_t aim);

#endif
