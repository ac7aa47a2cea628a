/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * noise: noise that a curator adds to a number, or to each entry of a vector, and by how much one record changes these
 * (proofs/additive-noise.md). The law of Z is symmetric and, but for STAIRCASE, log-concave; the pair is (Z, Z + sensitivity).
 */
#ifndef SHUF_NOISE_H
#define SHUF_NOISE_H

#include "../exact/exact.h"

typedef enum
{
    SHUF_NOISE_GAUSSIAN,          /* masses or densities proportional to e^-(z^2/(2 scale^2)) */
    SHUF_NOISE_LAPLACE,           /* e^-(abs(z)/scale) */
    SHUF_NOISE_STAIRCASE,         /* steps as wide as the sensitivity, of which a part gamma is high */
    SHUF_NOISE_DISCRETE_GAUSSIAN, /* as GAUSSIAN; from here on of whole numbers */
    SHUF_NOISE_DISCRETE_LAPLACE,  /* as LAPLACE; also called two-sided geometric */
    SHUF_NOISE_SKELLAM,           /* the difference of two Poisson numbers */
    SHUF_NOISE_KINDS,
    SHUF_NOISE_BINOMIAL = SHUF_NOISE_KINDS, /* its own type of mechanism: heads of fair coins */
    SHUF_NOISE_SAMPLE /* its own type: a count of reports each of which is kept with a probability */
} shuf_noise_kind;

extern const char *const shuf_noise_names[SHUF_NOISE_KINDS];

/* Described by its scale, the standard deviation, or by its variance; else by its scale or the largest loss of a release, STAIRCASE by the latter. */
int shuf_noise_has_variance(shuf_noise_kind kind);

/* Whether the noise, and what it is added to, are whole numbers. */
int shuf_noise_is_whole(shuf_noise_kind kind);

/*
 * Of discrete Gaussian and Skellam noise, whose masses are in a table: the largest variance, and sensitivity. Sizes that have no table beyond: Gaussian noise bounds them (unit_change.h); these
 * steer only. */
#define SHUF_NOISE_MAX_VARIANCE 100000000
#define SHUF_NOISE_MAX_SHIFT 100000

typedef struct
{
    shuf_noise_kind kind;
    fmpq_t sensitivity; /* more than 0; of noise on whole numbers a whole number, up to 2^60: of a vector what one entry may change by */
    uint64_t dimension; /* so many numbers, each with noise of its own */
    fmpz_t square;      /* of DISCRETE_GAUSSIAN and SKELLAM the square of the L2 norm of what one record changes, at least 1 */
    fmpq_t variance;    /* of GAUSSIAN and DISCRETE_GAUSSIAN the parameter s^2; of SKELLAM m */
    shuf_real_t loss;   /* of LAPLACE and DISCRETE_LAPLACE sensitivity/scale, of these and STAIRCASE the largest loss of a release */
    fmpq_t gamma;       /* of STAIRCASE, more than 0, up to 1 */
    uint64_t coins;     /* of BINOMIAL, 1 to SHUF_MAX_USERS */
    fmpq_t kept;        /* of SAMPLE, the probability, below 1 */
    uint64_t shares, honest; /* the noise is the sum of so many alike, of which so many are added; 1 and 1 if it is one */
    fmpq_t threshold;   /* what is less is dropped (proofs/thresholds.md); 0: nothing is. A whole number with whole numbers */
} shuf_noise_struct;

typedef shuf_noise_struct shuf_noise_t[1];

void shuf_noise_init(shuf_noise_t x);
void shuf_noise_clear(shuf_noise_t x);
void shuf_noise_set(shuf_noise_t x, const shuf_noise_t y);

/*
 * x := the noise that the honest shares of y add up to (Theorem 6): 1 share, but of DISCRETE_GAUSSIAN the honest ones, variance then being that of each.
 */
void shuf_noise_set_honest(shuf_noise_t x, const shuf_noise_t y);

#endif
