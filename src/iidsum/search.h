/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* search (internal): eps(delta), the inverse of a non-increasing function that is known by enclosures. */
#ifndef SHUF_IIDSUM_SEARCH_H
#define SHUF_IIDSUM_SEARCH_H

#include "enclosure/enclosure.h"
#include "exact/exact.h"

/* r encloses f(eps), eps >= 0, within [0, 1]. The status as in shuf_iidsum_excess, or SHUF_DOMAIN. */
typedef shuf_status (*search_function)(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options,
                                       const void *data);

/*
 * r encloses the smallest eps >= 0 with f(eps) <= delta, f not increasing:
 * f(r->hi) <= delta is certain, and f(r->lo) > delta or r->lo = 0. f vanishes
 * from the eps `limit` on, if that is not NULL. SHUF_DOMAIN with [lo, +inf]
 * when no eps up to SHUF_MAX_EPSILON is found, or for delta < 0; SHUF_ACCURACY
 * when the enclosures of f or the time do not allow options->digits. Every
 * evaluation is taken to be expensive.
 */
shuf_status search_epsilon(shuf_enclosure_t r, search_function f, const void *data, const shuf_real_t delta,
                           const shuf_real_struct *limit, const shuf_options *options);

#endif
