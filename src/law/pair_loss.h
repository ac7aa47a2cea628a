/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* pair_loss: the privacy loss of a trinomial pair of many users, as a sum over few of its outcomes (internal): proofs/many-users.md. */
#ifndef SHUF_LAW_PAIR_LOSS_H
#define SHUF_LAW_PAIR_LOSS_H

#include "law.h"

/* Whether the pair is one; *strength is about the users times the smaller probability of both counts. */
int pair_loss_exists(double *strength, const shuf_pair_struct *pair);

/*
 * loss := that of such a pair, or unless gamma is NULL of P and gamma Q + (1 - gamma) P, in the direction PQ or QP, with a filter; loss is as initialised.
 * Returns 0 if it is not told: there are too few users.
 */
int pair_loss_tell(shuf_loss_t loss, const shuf_pair_struct *pair, const fmpq *gamma, shuf_direction direction, slong prec);

#endif
