/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * batch_law: epochs of noisy SGD as laws (law/law.h; internal). PQ is with
 * the record against without. Statements and proofs: proofs/dpsgd.md.
 */
#ifndef SHUF_BATCH_LAW_H
#define SHUF_BATCH_LAW_H

#include "../law/law.h"
#include "batch.h"

/*
 * law := N(mu, 1) with probability rate, else N(0, 1), against N(0, 1);
 * mu^2 = shift > 0, 0 < rate <= 1 (Lemma 2). rate = 1 is the Gaussian mechanism.
 * In closed form; largest losses are not known.
 */
void batch_law_step(shuf_law_t law, const fmpq_t shift, const fmpq_t rate);

/* The same of fixed batches, noise multiplier `noise`, in so many epochs, or steps in which the record always takes part. */
void batch_law_fixed(shuf_law_t law, const fmpq_t noise, uint64_t epochs);

/*
 * law := N(mu, 1) with probability rate, else N(0, 1), against N(-mu, 1) with that probability, else N(0, 1); mu^2 = shift > 0, 0 < rate <= 1:
 * a step of Poisson batches if a record is replaced (Theorem 8). In closed form; largest losses are not known.
 */
void batch_law_replaced(shuf_law_t law, const fmpq_t shift, const fmpq_t rate);

/*
 * One step of Poisson sampling, so many records of one user being removed or replaced (Theorem 13); 0 < rate < 1, shift the square of what
 * one record moves it by, over noise^2.
 */
void batch_law_group(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, uint64_t records, int is_replaced);

/* The same, replaced, of batches that have `size` of `all` records, at random, from above or below; 0 < size, size + records <= all; shift is 4/noise^2. */
void batch_law_group_of(shuf_law_t law, const fmpq_t shift, uint64_t size, uint64_t all, uint64_t records, int above);

/*
 * One step of Poisson sampling whose batches are cut to `most` of `all` records, a record being removed or replaced (Theorem 17); shift is
 * 1/noise^2, 0 < rate < 1, 0 < most < all. Above: a bound of every run; else what data have whose other gradients are 0.
 */
void batch_law_truncated(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, uint64_t most, uint64_t all, int is_replaced, int above);

/* So many epochs of a record that takes part in `taking` of `steps` steps and moves each by `moved`, from below by the sum of all steps (Theorems 5 and 11). */
void batch_law_sum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, uint64_t epochs, uint64_t moved);

/*
 * The same where there is a law for it, 1 <= taking < steps, by whether a sum over all steps that is nearly the likelihood ratio is above a threshold
 * (Theorem 14), at single points only; with the record against without.
 */
int batch_law_ratio_exists(const fmpq_t noise, uint64_t steps, uint64_t taking);
void batch_law_ratio(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, uint64_t epochs);

/* One epoch of balls-and-bins batches. */
void batch_law_balls(shuf_law_t law, const fmpq_t noise, uint64_t steps);

/* One epoch of shuffled batches, from above (Theorem 6), where there is a law for it. */
int batch_law_clones_exists(const fmpq_t noise, uint64_t steps);
void batch_law_clones(shuf_law_t law, const fmpq_t noise, uint64_t steps);

/* One epoch of balls-and-bins batches, a record being replaced, from above by two removals (Theorem 11 (c)); where batch_law_clones_exists. */
void batch_law_twice(shuf_law_t law, const fmpq_t noise, uint64_t steps);

/*
 * From below, one epoch by the largest of its steps, cut into cells: of shuffled batches (Theorem 3), or of random allocation (Theorems 5 and 11).
 * 1 <= taking <= steps of them are shifted, by `with` on the first data and by `without` on the second, which is less, at most 2 in modulus. At single points it is the better of both directions
 * by the event that the maximum is at least a threshold, or is not: `where` has it.
 */
void batch_law_maximum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without);

/*
 * The same by the sum of a whole number for each step of an epoch, modulo another one, which is nearly what the likelihood ratio of the
 * epoch depends on (Theorem 18); taking < steps.
 */
void batch_law_step_sum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without);

/*
 * The same of steps of any kind, each of which has one of so many outcomes, at most 1000: with these probabilities with the record, and without; others may be left
 * out of both (proofs/additive-noise.md, Theorem 10).
 */
void batch_law_outcome_sum(shuf_law_t law, uint64_t steps, uint64_t taking, arb_srcptr with, arb_srcptr without, slong count);

#endif
