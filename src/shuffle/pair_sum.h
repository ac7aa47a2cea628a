/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * pair_sum: single points of a trinomial pair as an expectation of a sum of independent terms (internal; proofs/trinomial-pair.md, Lemma 9).
 *
 * For mixtures over the random reports of many users, the strata of which are as many as users; their price here does not rise with n.
 */
#ifndef SHUF_SHUFFLE_PAIR_SUM_H
#define SHUF_SHUFFLE_PAIR_SUM_H

#include "../law/law.h"

/* Whether points of the pair are better found so. */
int pair_sum_is_cheaper(const shuf_pair_t pair);

/* The law, that of such a pair, has its points so from here on; of many digits by strata. */
void pair_sum_points(shuf_law_t law);

#endif
