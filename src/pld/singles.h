/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* singles: what single rounds say about the delta of a composition (internal): proofs/pld.md, Lemma 4. */
#ifndef SHUF_PLD_SINGLES_H
#define SHUF_PLD_SINGLES_H

#include "pld.h"

/* The ends of r, of the delta at eps, become at least as good as those that follow from single rounds; r is left alone where a law has no profile. */
void singles_narrow(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, const shuf_real_t eps, slong digits, double limit);

#endif
