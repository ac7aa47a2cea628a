/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * power: compositions of one profile that has a way of its own for them (internal; profile.h).
 */
#ifndef SHUF_PLD_POWER_H
#define SHUF_PLD_POWER_H

#include "pld.h"

/*
 * As shuf_pld_delta and shuf_pld_epsilon, within a share of the work. Return 1, or 0 when a line may do better, or all that is left: r is what is
 * known, [0, 1] or [0, +inf] if the parts are not alike, too few, or have no such way.
 */
int pld_power_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                    shuf_direction direction, const shuf_options *options);
int pld_power_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                      shuf_direction direction, const shuf_options *options);

#endif
