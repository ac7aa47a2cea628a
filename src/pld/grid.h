/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * grid: laws of a privacy loss on a lattice, from a profile at some of its
 * points, the nodes (internal).
 *
 * A grid law has the mass mass[i] at the loss (first + at[i]) step, i < count,
 * and mass at +infinity. It stands for the pair (p, q), q_i = e^-loss p_i,
 * whose total mass may differ from one; its profile is
 * H_alpha = infinite + sum_i (p_i - alpha q_i)_+.
 */
#ifndef SHUF_PLD_GRID_H
#define SHUF_PLD_GRID_H

#include "../flint_headers.h"

typedef struct
{
    slong first, length; /* all losses are first, .., first + length - 1 steps */
    slong log2_step;     /* step = 2^log2_step */
    slong count;
    slong *at;           /* rising, from 0 to length - 1 */
    arf_ptr mass;        /* exact numbers, >= 0 */
    arf_t infinite;
} grid_law_struct;

typedef grid_law_struct grid_law_t[1];

/* At all of these losses. All masses are 0. */
void grid_law_init(grid_law_t law, slong first, slong length, slong log2_step);
void grid_law_clear(grid_law_t law);

/*
 * lo[i] <= H_{alpha_i} <= hi[i] <= 1 at alpha_i = e^{node[i] step}, i < count, node rising, for some pair of total masses 1 in
 * which Q does not see a mass of at least `infinite` of P. `upper` gets a law whose profile is >= H_alpha for
 * every alpha >= 0 (connect the dots); `lower` one whose profile is <= H_alpha
 * for every alpha >= 0 (chords lowered by their sag, convex envelope): see
 * proofs/pld.md, Lemmas 2 and 3. Both are initialised here, with losses at the nodes; count >= 2. When the thread's watch stops it
 * on its way, they are those of any profile: neither has finite losses.
 */
void grid_laws(grid_law_t upper, grid_law_t lower, const slong *node, arf_srcptr lo, arf_srcptr hi, slong count, const arf_t infinite,
               slong log2_step);

#endif
