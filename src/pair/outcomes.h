/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* outcomes: the outcomes of a pair one by one, where there are few of them (internal). */
#ifndef SHUF_PAIR_OUTCOMES_H
#define SHUF_PAIR_OUTCOMES_H

#include "pair.h"

/* About how many there are, as many entries as pair_outcomes needs, or 0 if that is more than `most`. */
slong pair_outcome_count(const shuf_pair_t pair, slong most);

/*
 * p[i] and q[i] enclose the masses under P and Q; outcomes with one ratio
 * p : q are taken together where that is seen, those with P = Q are one.
 * Returns their number. For a pair with SHUF_ENGINE_HOCKEY. Source:
 * proofs/renyi.md, Lemma 1.
 */
slong pair_outcomes(arb_ptr p, arb_ptr q, const shuf_pair_t pair, slong prec);

#endif
