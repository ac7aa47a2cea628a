/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* steer: what engines look at when they choose the next step; estimates, no bounds (internal). */
#ifndef SHUF_ENCLOSURE_STEER_H
#define SHUF_ENCLOSURE_STEER_H

#include <math.h>

#include "../exact/exact.h"
#include "elementary.h"
#include "enclosure.h"

/* Of an interval, what a golden section keeps: steers only. */
#define STEER_GOLDEN 0.6180339887498949

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
    d = d_log(arf_get_d(m, ARF_RND_NEAR)) + fmpz_get_d(e) * d_log(2.0);
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

/* The relative width of r, roughly. */
static inline double steer_relative_width(const shuf_enclosure_t r)
{
    arb_t w, h;
    double d;
    if (!arf_is_finite(r->hi) || arf_is_zero(r->hi))
        return arf_is_zero(r->hi) ? 0 : HUGE_VAL;
    arb_init(w);
    arb_init(h);
    arb_set_arf(w, r->hi);
    arb_set_arf(h, r->lo);
    arb_sub(h, w, h, 53);
    arb_div(h, h, w, 53);
    d = arf_get_d(arb_midref(h), ARF_RND_NEAR);
    arb_clear(w);
    arb_clear(h);
    return d;
}

/* Relative entropy of Bernoulli laws, x against p, q = 1-p. */
static inline double steer_relative_entropy(double x, double p, double q)
{
    double d = x - p, value;
    if (x <= 0)
        return q > 0 ? -d_log(q) : HUGE_VAL;
    if (x >= 1)
        return p > 0 ? -d_log(p) : HUGE_VAL;
    if (fabs(d) < 1e-4 * p && fabs(d) < 1e-4 * q)
        return d * d / (2 * p * q) * (1 + d * (1 / q - 1 / p) / 3);
    value = x * d_log(x / p) + (1 - x) * d_log((1 - x) / q);
    return value > 0 ? value : 0;
}

/* The midpoint of x; 0 or infinite where doubles end. */
static inline double steer_midpoint(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* About x, and log x, of a ball of so many bits. */
static inline double steer_real(const shuf_real_t x, slong prec)
{
    arb_t t;
    double d;
    arb_init(t);
    shuf_real_get_arb(t, x, prec);
    d = steer_midpoint(t);
    arb_clear(t);
    return d;
}

static inline double steer_log_real(const shuf_real_t x, slong prec)
{
    arb_t t;
    double d;
    arb_init(t);
    shuf_real_get_arb(t, x, prec);
    arb_log(t, t, prec);
    d = steer_midpoint(t);
    arb_clear(t);
    return d;
}

#endif
