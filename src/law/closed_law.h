/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* closed_law (internal): laws whose divergence at a point is a formula in balls, to any precision. */
#ifndef SHUF_CLOSED_LAW_H
#define SHUF_CLOSED_LAW_H

#include "law.h"

/* The search for eps ends there, whatever may be asked of others: a formula holds for all, and little noise over many rounds gives it. Steers only. */
#define SHUF_CLOSED_MOST_EPSILON 1000000000

/* v := a ball around H_(1 + excess) in the direction PQ or QP, excess = e^eps - 1 >= 0 a ball; at most prec bits are of use. */
typedef void (*shuf_closed_value)(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec);

/*
 * evaluate, delta and epsilon of the law become those of the formula, and 0 from the law's largest loss on, if that is known.
 * The search for eps ends at SHUF_CLOSED_MOST_EPSILON.
 */
void shuf_law_set_closed(shuf_law_t law, shuf_closed_value value);

/* v := a ball around the Renyi divergence of that order, the same in both directions; is_one: of order 1, that of Kullback and Leibler. */
typedef void (*shuf_closed_renyi)(arb_t v, const shuf_law_struct *self, const arb_t order, int is_one, slong prec);

/* renyi of the law becomes that of the formula. */
void shuf_law_set_closed_renyi(shuf_law_t law, shuf_closed_renyi value);

/* v := a ball around H_(1 + excess)(P||Q) of a pair whose directions are the same. */
typedef void (*shuf_closed_base)(arb_t v, const void *base, const arb_t excess, slong prec);

/* v := a ball around the divergence of (rate P + (1-rate) Q, Q), or with QP the other way round; 0 < rate <= 1 (proofs/subsample.md). */
void shuf_closed_thinned(arb_t v, shuf_closed_base value, const void *base, const fmpq_t rate, shuf_direction direction, const arb_t excess, slong prec);

#endif
