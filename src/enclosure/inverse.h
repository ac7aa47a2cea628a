/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * inverse (internal): where a non-increasing function that is known by
 * enclosures falls to a target. Every evaluation is taken to be expensive:
 * secant steps on log f, with as many digits as the step deserves.
 *
 * Searches that know less than values, or are of doubles, stand apart, and say
 * why: forms have closed formulas whose sign is cheap, calibration is told of a
 * point only whether it is certified and its number of users is a whole number,
 * fast inverts doubles, and pld reads the crossing off one finished law.
 */
#ifndef SHUF_ENCLOSURE_INVERSE_H
#define SHUF_ENCLOSURE_INVERSE_H

#include "enclosure.h"
#include "../exact/exact.h"

/*
 * r encloses f(x), x >= 0, within [0, 1]. SHUF_OK with options->digits of
 * relative accuracy, SHUF_ACCURACY with a valid enclosure that is wider,
 * SHUF_DOMAIN when x is none of its arguments.
 */
typedef shuf_status (*inverse_function)(shuf_enclosure_t r, const shuf_real_t x, const shuf_options *options, const void *data);

typedef struct
{
    inverse_function f;
    const void *data;
    const shuf_real_struct *limit; /* f vanishes from here on; and is positive just before, or steps are poor; NULL where that is not known */
    slong most;                    /* the largest x that may be asked for */
    double (*log_estimate)(double x, const void *data); /* about log f(x), x > 0, at next to no cost; NULL where there is none */
    double start;                  /* where the search begins; 0: at 0: steers only */
} inverse_problem;

/*
 * r encloses the smallest x >= 0 with f(x) <= target, f not increasing:
 * f(r->hi) <= target is certain, and f(r->lo) > target or r->lo = 0.
 * SHUF_DOMAIN with [lo, +inf] when no x up to `most` is found, or for
 * target < 0; SHUF_ACCURACY when the enclosures of f or the budget do not allow
 * options->digits.
 */
shuf_status inverse_find(shuf_enclosure_t r, const inverse_problem *p, const shuf_real_t target, const shuf_options *options);

#endif
