/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* strategy_part (internal): the members of noisy SGD that say how its noise is correlated. */
#ifndef SHUF_ACCOUNT_STRATEGY_PART_H
#define SHUF_ACCOUNT_STRATEGY_PART_H

#include "../batch/batch.h"
#include "../exact/reader.h"

/* Reads strategy, bands, every, separation and times, all else being known, and measures. Returns 0, or -1 after a message. */
int strategy_part_read(shuf_batch_struct *x, const json_t *mechanism, const reader *r);

/* Adds them to the object of a mechanism. */
void strategy_part_add(json_t *object, const shuf_batch_struct *x);

#endif
