/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * loss: the law of the privacy loss of krr-strong and krr-weak, by rows
 * (internal); proofs/tail.md.
 *
 * A row is m >= 1 reports of the two values and r of the others (r = 0 for
 * krr-strong, which does not look at them). Given it, N1 = a and N2 = m-a have
 * probability mass(m, r) Bin(m,1/2)(a) (constant + slope a), and the loss is
 * log((a+w)/(m-a+w)), w = kappa (m+r):
 *
 *   krr-strong  constant = 0, slope = 2/m, kappa = 0;
 *   krr-weak    constant = gamma, slope = k (1-gamma)/(m+r), kappa = gamma/(k (1-gamma)).
 *
 * All of this is multiplied by `scale`; a loss of 0 has `zero` besides.
 */
#ifndef SHUF_PLD_LOSS_H
#define SHUF_PLD_LOSS_H

#include "../enclosure/enclosure.h"
#include "tail.h"

typedef struct
{
    int strong;
    ulong others, k;
    arb_t gamma, gamma_complement;
    arb_t share, share_complement; /* 2/k, 1 - 2/k */
    arb_t count, count_complement; /* 2 gamma/k: another's report is one of the two values, at random */
    arb_t rest, rest_complement;   /* gamma (k-2)/k: one of the others, at random */
    arb_t next;                    /* rest/(1-gamma) */
    fmpq_t kappa;
    arb_t scale, zero;
    slong prec;
    /* rows kept; what is cut away has probability at most 4 tau */
    ulong first, last, first_rest, last_rest;
} loss_law;

void loss_law_init(loss_law *l);
void loss_law_clear(loss_law *l);

/* gamma < 1 unless the pair is krr-strong. */
void loss_law_set(loss_law *l, const shuf_pair_t pair, shuf_tail_law which, slong prec);

/* Chooses the rows kept. */
void loss_law_cut(loss_law *l, const arb_t tau);

/* Whether row (m, r) is among them; first_rest <= r and 1 <= m <= last. */
int loss_is_row(const loss_law *l, ulong m, ulong r);

/* mass(m, r); and from row (m, r) to (m, r+1). */
void loss_row_mass(arb_t mass, const loss_law *l, ulong m, ulong r);
void loss_row_next(arb_t mass, const loss_law *l, ulong m, ulong r);

/*
 * Several rounds (rounds.c): r, which is [0, 1], gets a better enclosure of
 * Pr[L_1 + ... + L_rounds >= eps] if there is one before the limit.
 */
void loss_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps, shuf_tail_law which,
                 const shuf_options *options, double limit);

#endif
