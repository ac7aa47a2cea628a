/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * tradeoff: trade-off functions of hypothesis tests,
 *
 *   T(P,Q)(a) = inf { E_Q(1 - phi) : phi a test, E_P phi <= a },  0 <= a <= 1,
 *
 * the smallest type II error (under Q) of a test whose type I error (under P)
 * is at most a. It is convex and falls, T(P,Q)(1) = 0, and by the duality
 *
 *   T(P,Q)(a) = sup_{alpha >= 0} 1 - alpha a - H_alpha(Q||P)
 *
 * (Dong, Roth, Su, Gaussian Differential Privacy, JRSS-B 2022, Proposition
 * 2.12) a privacy profile in both directions determines it. Any alpha gives a
 * lower bound; what H can at least be between evaluated points, as it is
 * convex in alpha, gives an upper one (proofs/tradeoff.md).
 *
 * If the profile is that of a pair which dominates a mechanism, the lower end
 * is a guarantee: no test on the mechanism's output does better.
 */
#ifndef SHUF_TRADEOFF_H
#define SHUF_TRADEOFF_H

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"
#include "../law/law.h"

/*
 * r encloses the trade-off function at type1, 0 <= type1 <= 1; direction BOTH
 * is the smaller of T(P,Q) and T(Q,P). SHUF_OK, SHUF_ACCURACY (valid, wider
 * than asked: time or the profile's accuracy ran out; [0, 1 - type1] at worst)
 * or SHUF_DOMAIN (type1 outside; r = [0, 1]).
 */
shuf_status shuf_tradeoff_point(shuf_enclosure_t r, const shuf_law_struct *profile, const shuf_real_t type1,
                                shuf_direction direction, const shuf_options *options);

#endif
