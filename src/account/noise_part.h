/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* noise_part (internal): the mechanisms "additive-noise", "binomial-noise" and "sample-and-threshold" of a question, what a curator releases; rounds are releases. */
#ifndef SHUF_ACCOUNT_NOISE_PART_H
#define SHUF_ACCOUNT_NOISE_PART_H

#include "question_json.h"

/* The types' names: coins have their own, and so have samples of counts. */
#define NOISE_TYPE "additive-noise"
#define COINS_TYPE "binomial-noise"
#define SAMPLE_TYPE "sample-and-threshold"

/* Whether the object of a mechanism is one. */
int noise_part_is(const json_t *mechanism);

/* Reads the object; or what a part about it says besides. Return 0, or -1 after a message. */
int noise_part_read(shuf_part_struct *p, json_t *mechanism, const shuf_question_struct *q, const reader *r);
int noise_part_read_rounds(shuf_part_struct *p, json_t *part, const shuf_question_struct *q, const reader *r);

/* Puts the members of the part into the object, without those that the question asks for. */
void noise_part_put(json_t *object, const shuf_part_struct *p, const shuf_question_struct *q);

/* The name of the part's type; whether small counts are dropped. */
const char *noise_part_type(const shuf_part_struct *p);
int noise_part_has_threshold(const shuf_part_struct *p);

/* The part with so many coins. */
void noise_part_set_coins(shuf_part_struct *p, uint64_t coins);

/* The noise with that scale > 0. */
void noise_part_set_scale(shuf_noise_struct *x, const fmpq_t scale);

/*
 * Whether there is a law of one entry that changes by the sensitivity; whether the part is bounded by Gaussian noise, being of a vector of whole
 * numbers or having no such law; whether there is such Gaussian noise; and whether there is a bound at all.
 */
int noise_part_has_law(const shuf_part_struct *p);
int noise_part_is_compared(const shuf_part_struct *p);
int noise_part_has_gaussian(const shuf_part_struct *p);
int noise_part_is_possible(const shuf_part_struct *p);

/* sum := the Gaussian noise that bounds what the part's honest users add, whatever it had. Returns 0 if there is none: sum is their noise then. */
int noise_part_make_gaussian(shuf_noise_struct *sum, const shuf_part_struct *p);

/* The noise with another sensitivity > 0 and the same scale, its loss being rational; the largest there may be of noise on whole numbers. */
void noise_part_set_sensitivity(shuf_noise_struct *x, const fmpq_t sensitivity);
uint64_t noise_part_most_sensitivity(const shuf_noise_struct *x);

/* Whether its worst case is that of its pair and no more (pair/pair.h): coins that one record changes by one. */
/* Whether each record takes part in some of the releases of an epoch, at random: the part's batch says in which. */
int noise_part_is_allocated(const shuf_part_struct *p);

int noise_part_is_of_pair(const shuf_part_struct *p);

#endif
