/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * sampled_law: what running a mechanism on a random subset of fixed size
 * does to its privacy profile; neighbours replace one record. The base profile
 * is that of the SAMPLED data: a shuffle of m out of n users has gamma = m/n
 * and the base profile of m users. With alpha = e^s >= 1,
 *
 *   FIXED_SIZE  H'_alpha <= gamma H_{1 + (alpha-1)/gamma}, both directions: a
 *     bound for every mechanism that the base profile dominates in each
 *     direction, whichever the order of the neighbours (Balle,
 *     Barthe, Gaboardi, NeurIPS 2018; theorem subsample-profile);
 *   REPLACED    the exact profile of (P, gamma Q + (1-gamma) P), what is seen
 *     when P is the law on all-equal data and Q that with another value in one
 *     record: a lower bound for the sampled mechanism. PQ: with
 *     beta = 1 - alpha (1-gamma) > 0, beta H_{alpha gamma/beta}(P||Q), else 0;
 *     QP: gamma H_{1 + (alpha-1)/gamma}(Q||P).
 *
 * See proofs/subsample.md.
 */
#ifndef SHUF_SAMPLED_LAW_H
#define SHUF_SAMPLED_LAW_H

#include "law.h"

typedef enum
{
    SHUF_SAMPLED_FIXED_SIZE,
    SHUF_SAMPLED_REPLACED
} shuf_sampled_kind;

typedef struct shuf_sampled_struct
{
    shuf_sampled_kind kind;
    const shuf_law_struct *base;
    fmpq_t gamma;
} shuf_sampled_struct;

typedef shuf_sampled_struct shuf_sampled_t[1];

void shuf_sampled_init(shuf_sampled_t x);
void shuf_sampled_clear(shuf_sampled_t x);

/* 0 < gamma <= 1; base must outlive x. Returns 0, or -1 (x unchanged). */
int shuf_sampled_set(shuf_sampled_t x, shuf_sampled_kind kind, const shuf_law_struct *base, const fmpq_t gamma);

/*
 * The law, which x must outlive. Single points follow from the base's, where it has them: FIXED_SIZE gives the bound of both directions,
 * of eps at a delta > 0.
 */
void shuf_law_set_sampled(shuf_law_t law, const shuf_sampled_t x);

#endif
