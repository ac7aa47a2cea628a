/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* steer: what engines look at when they choose the next step; estimates, no bounds (internal). */
#ifndef SHUF_ENCLOSURE_STEER_H
#define SHUF_ENCLOSURE_STEER_H

#include <math.h>

#include "enclosure/enclosure.h"

/* log x for x >= 0, of any size. */
static inline double steer_log(const arf_t x)
{
    arf_t m;
    fmpz_t e;
    double d = -HUGE_VAL;
    if (arf_sgn(x) <= 0)
        return d;
    arf_init(m);
    fmpz_init(e);
    arf_frexp(m, e, x);
    d = log(arf_get_d(m, ARF_RND_NEAR)) + fmpz_get_d(e) * log(2.0);
    arf_clear(m);
    fmpz_clear(e);
    return d;
}

/* Whether a part of the width of r makes up most of it. */
static inline int steer_dominates(const mag_t part, const shuf_enclosure_t r)
{
    mag_t width;
    int yes;
    mag_init(width);
    shuf_enclosure_width(width, r);
    mag_mul_2exp_si(width, width, -1);
    yes = mag_cmp(part, width) > 0;
    mag_clear(width);
    return yes;
}

#endif
