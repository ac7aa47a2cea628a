/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * nodes: the profile of a trinomial pair at many points at once (internal).
 *
 * For every stratum one pass over b = c + 1 - a, from the top, gives the
 * tails F(j) = Pr[b <= j] and G(j) = E (j - b)_+; the value of the stratum at
 * any point is then a positive combination of the two, without cancellation.
 * In doubles, with a bound of every rounding error (proofs/nodes.md).
 */
#ifndef SHUF_HOCKEY_NODES_H
#define SHUF_HOCKEY_NODES_H

#include "../pair/pair.h"

/*
 * lo[i] <= H_{e^s[i]} <= hi[i] in the direction PQ or QP, for count points
 * 0 <= s[0] <= s[1] <= ... <= SHUF_MAX_EPSILON; lo = hi = 0 from the largest
 * loss on. Relative width about 1e-11 where the value is above 1e-280; below,
 * lo may be 0. Returns 1, or 0 (nothing filled) when the pair and the points
 * would need more than `work` elementary steps (an estimate, made first),
 * n > 2^26, memory is short, or the time ran out
 * (shuf_work() > limit > 0).
 */
int hockey_nodes(arf_ptr lo, arf_ptr hi, const shuf_pair_t pair, shuf_direction direction, arf_srcptr s, slong count,
              double work, double limit);

#endif
