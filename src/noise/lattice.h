/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * lattice (internal): symmetric log-concave masses on the whole numbers, H_alpha of them and themselves shifted, by Lemma 1 of
 * proofs/additive-noise.md: F(t) - alpha F(t - s) at the threshold t where p(t)/p(t - s) passes alpha.
 */
#ifndef SHUF_NOISE_LATTICE_H
#define SHUF_NOISE_LATTICE_H

#include "noise.h"

/*
 * Masses that are symmetric about odd/2, odd = 0 or 1: weights w[0..last] of odd, odd + 1, .., proportional to the masses; tail[k], k <= last + 1, encloses
 * Pr[Z >= k + odd] = Pr[Z <= -k].
 */
typedef struct
{
    slong last;
    int odd;
    arb_ptr weight, tail;
} lattice_table;

/* Whether lattice_table_init takes this noise: of BINOMIAL neither few coins, whose ends it would reach, nor too many. */
int lattice_has_table(const shuf_noise_t noise);

/*
 * The table of DISCRETE_GAUSSIAN noise, of so many shares as are honest, of SKELLAM noise, and of the heads of BINOMIAL coins less half of them, rounded down,
 * as far as LATTICE_BITS bits reach, and a shift beyond.
 */
void lattice_table_init(lattice_table *x, const shuf_noise_t noise);
void lattice_table_clear(lattice_table *x);

/* Rows of the masses of all shares together, on either side, that are worked with. */
slong lattice_share_rows(const shuf_noise_struct *noise);

/* The row of z, which may be beyond the last one; tail[1 - z] is Pr[Z < z] of z <= odd. */
slong lattice_row(const lattice_table *x, slong z);

/* So far on either side of 0 that what is beyond counts for little in any sum. */
slong lattice_table_reach(const lattice_table *x);

/* v := a ball around H_(1 + excess) with the shift, 1 <= shift <= SHUF_NOISE_MAX_SHIFT. */
void lattice_table_divergence(arb_t v, const lattice_table *x, slong shift, const arb_t excess, slong prec);

/* The same for the heads of so many fair coins, any shift of 1 or more. */
void lattice_coins_divergence(arb_t v, uint64_t coins, uint64_t shift, const arb_t excess, slong prec);

#endif
