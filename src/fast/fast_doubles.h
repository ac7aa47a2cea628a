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

/* out := the larger of both; its width is at most that of the one with the larger hi. */
static inline void take_larger(struct shuf_bound *out, const struct shuf_bound *other)
{
    out->terms += other->terms;
    if (other->hi > out->hi)
    {
        out->hi = other->hi;
        out->truncation = other->truncation;
        out->rounding = other->rounding;
    }
    if (other->lo > out->lo)
        out->lo = other->lo;
}

#endif
