/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* step_renyi: Renyi divergences of a step of Poisson batches (proofs/dpsgd.md, Theorem 15; internal). */
#ifndef SHUF_BATCH_STEP_RENYI_H
#define SHUF_BATCH_STEP_RENYI_H

#include "../exact/exact.h"
#include "../pair/pair.h"
#include "step_loss.h"

/*
 * r encloses D_order(P||Q) (PQ), D_order(Q||P) (QP) or the larger one, P = N(mu, 1) with probability rate < 1, else N(0, 1), Q = N(0, 1), mu^2 = shift,
 * for a real order of 1 or more, where step_loss_exists. SHUF_OK or SHUF_ACCURACY.
 */
shuf_status step_renyi(shuf_enclosure_t r, const fmpq_t shift, const fmpq_t rate, const shuf_real_t order, shuf_direction direction,
                       const shuf_options *options);

#endif
