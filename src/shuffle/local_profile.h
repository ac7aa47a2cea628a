/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * local_profile: the bound on the shuffled delta that follows from the local
 * privacy profile (theorem local-profile, proofs/local-profile.md).
 *
 * Randomisers that are eps0-LDP and have H_alpha(R(x)||R(x')) <= m for all
 * inputs, at one alpha = e^eps, shuffle to
 *
 *   delta(eps) <= E[(W_1 + ... + W_n)_+]/n,
 *
 * W_j independent: E - alpha with probability m/(E-alpha), -(alpha E - 1) with
 * probability (m+alpha-1)/(alpha E-1), else 0, E = e^eps0. It is a divergence
 * of a trinomial pair whose weights depend on eps and m.
 */
#ifndef SHUF_LOCAL_PROFILE_H
#define SHUF_LOCAL_PROFILE_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/*
 * r encloses the bound for n users at eps, 1 <= n <= SHUF_MAX_USERS,
 * 0 <= eps0, eps <= SHUF_MAX_EPSILON, 0 <= m. It is nondecreasing in m and
 * eps0, so that an upper bound of the profile may be given. An m of
 * m* = (E-alpha)/(E+1) or more, which no eps0-LDP randomiser exceeds, counts
 * as m*: the bound is then that of clones-stronger. Exactly 0 when eps >= eps0
 * or m = 0; at most m.
 *
 * It bounds the shuffled delta at this eps and so at every larger one, in both
 * directions if m is the largest over ordered pairs of inputs. Returns
 * r->status: SHUF_OK, SHUF_ACCURACY (valid, wider than asked) or SHUF_DOMAIN
 * (outside the ranges; r = [0, 1]).
 */
shuf_status shuf_local_profile_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t eps0, const shuf_real_t eps,
                                     const fmpq_t m, const shuf_options *options);

#endif
