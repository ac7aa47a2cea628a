/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * strategy: noisy SGD with correlated noise, a matrix mechanism (internal; proofs/matrix.md). With a lower triangular matrix C, the strategy, all
 * that is released is as good as C x + z, x the sums of clipped gradients and z independent noise.
 */
#ifndef SHUF_BATCH_STRATEGY_H
#define SHUF_BATCH_STRATEGY_H

#include <stdint.h>

#include "../flint_headers.h"

typedef enum
{
    SHUF_STRATEGY_NONE,     /* C is the identity: every step has noise of its own */
    SHUF_STRATEGY_ROOT,     /* Toeplitz: the coefficients of the square root of 1/(1-x), of which `bands` are kept */
    SHUF_STRATEGY_TREE,     /* a row for each interval of the binary tree over the steps: Theorem 5 */
    SHUF_STRATEGY_TOEPLITZ, /* entry[j] stands j below the diagonal */
    SHUF_STRATEGY_ROWS      /* entry[i steps + j] is C_ij, 0 above the diagonal */
} shuf_strategy_kind;

typedef struct
{
    shuf_strategy_kind kind;
    uint64_t steps;  /* columns of C */
    uint64_t bands;  /* C_ij = 0 for i - j >= bands */
    fmpq *entry;     /* so many, or NULL */
    slong count;
    uint64_t gap;    /* a record takes part every gap-th step, */
    int is_apart;    /* or in steps that are at least so far apart; */
    uint64_t times;  /* at most so many times */
    /*
     * With known steps the square of the sensitivity is between these. With Poisson batches a record's own steps are at most `most` pairs whose
     * shift has at most the square `high`; and, for one part of the records, at least `least` pairs with at least `low`.
     */
    fmpq_t low, high;
    uint64_t least, most;
} shuf_strategy_struct;

typedef shuf_strategy_struct shuf_strategy_t[1];

#define SHUF_STRATEGY_MAX_STEPS 1000000 /* of Toeplitz strategies; more are refused */
#define SHUF_STRATEGY_MAX_ROWS 512      /* more are refused */

/* None. */
void shuf_strategy_init(shuf_strategy_t x);
void shuf_strategy_clear(shuf_strategy_t x);

/* low and high of known steps (Theorems 3 and 5), or of Poisson batches (Theorem 4), least and most too; bands <= gap for those. All else is set. */
void shuf_strategy_measure(shuf_strategy_t x, int is_poisson);

#endif
