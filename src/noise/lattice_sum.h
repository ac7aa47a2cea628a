/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * lattice_sum (internal): many releases alike whose losses are on a lattice of their own, by the powers of a polynomial (Lemma 5 of
 * proofs/additive-noise.md).
 */
#ifndef SHUF_NOISE_LATTICE_SUM_H
#define SHUF_NOISE_LATTICE_SUM_H

#include "lattice.h"

/* One release: mass[j] under P at the loss top - j step, j < count, and up to `lost` at other losses. */
typedef struct
{
    slong count;
    arb_ptr mass;
    arb_t top, step, lost;
} lattice_round;

/* Discrete Laplace noise whose largest loss is top, a ball, in so many steps of 2 top/steps. */
void lattice_round_laplace(lattice_round *x, const arb_t top, slong steps);
/* Discrete Gaussian noise, a change of shift. */
void lattice_round_gaussian(lattice_round *x, const lattice_table *table, const fmpq_t variance, slong shift);
void lattice_round_clear(lattice_round *x);

/* So many of them: masses[j] and weighted[j], sums of those of the j largest losses under P and under Q, e^K H being known from these at every e^K >= 1. */
typedef struct
{
    slong count;
    arb_ptr masses, weighted;
    arb_t top, step, lost;
} lattice_sum;

/* Whether there would be so few losses of at least 0 that it is worth it. */
int lattice_sum_is_short(double top, double step, uint64_t rounds);

void lattice_sum_init(lattice_sum *x, const lattice_round *round, uint64_t rounds);
void lattice_sum_clear(lattice_sum *x);

/* lo := at most, hi := at least H_(e^K), K >= 0 a ball. */
void lattice_sum_divergence(arf_t lo, arf_t hi, const lattice_sum *x, const arb_t K);

#endif
