/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* doubles: what the engines behind fast.h share (internal). */
#ifndef SHUF_FAST_DOUBLES_H
#define SHUF_FAST_DOUBLES_H

#include "../enclosure/doubles.h"
#include "fast.h"

static inline void whole_interval(struct shuf_bound *out, double hi)
{
    out->lo = 0;
    out->hi = hi;
    out->truncation = hi;
    out->rounding = 0;
}

static inline int accurate(const struct shuf_bound *x)
{
    return x->hi - x->lo <= SHUF_FAST_ACCURACY * x->hi;
}

#endif
