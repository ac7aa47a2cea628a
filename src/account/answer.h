/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * answer: one answer to a question.
 *
 * Every proved route that applies is tried, the cheapest first, and the best
 * end wins for the quantity that is asked: of a mechanism the smallest upper
 * end of what bounds it from above, and the largest lower end of what concrete
 * neighbouring data have. A bound counts only if every theorem of its chain
 * may certify on its side (shuf_theorem_certifies). An answer is a function of
 * the question and the version, unless a watch (enclosure/budget.h) cut it
 * short: then it is not complete, and still valid.
 */
#ifndef SHUF_ANSWER_H
#define SHUF_ANSWER_H

#include "../theorem/theorem.h"
#include "question.h"

#define SHUF_MAX_CHAIN 16 /* size of an array */
#define SHUF_MAX_TRIED 32 /* size of an array; tasks.c checks it */

/* Neighbouring data: user 1 holds `first` in the one and `second` in the other; the other users hold the same in both. */
typedef struct
{
    uint64_t first, second;
    uint64_t others;         /* what they hold, but for */
    uint64_t exceptions;     /* so many, who hold */
    uint64_t exception;
    uint64_t k;              /* of the k-RR that has the bound, of a class of randomisers; 0: the mechanism itself */
    size_t part;             /* the first part of a list that has such data: the mechanism is its own */
    size_t group;            /* of groups: 1 + the place of the one that has such data, alone; 0: they are of all those of k-RR */
    const char *seen;        /* the function of the reports that is looked at; NULL: all of them */
} shuf_neighbouring_data;

typedef struct
{
    shuf_side side;          /* of the number asked for: of a type II error, upper is what an attack reaches */
    const char *theorem[SHUF_MAX_CHAIN]; /* ids, the one that brings in the mechanism first */
    size_t theorems;
    shuf_enclosure_t value;  /* of the number asked for; [+inf, +inf] when it is infinite, hi = +inf when no finite end is known */
    shuf_enclosure_t delta;  /* of a claim: of delta at the claimed eps, where it was needed */
    int has_delta;
    int sign;                /* of a claim: of the bound minus the claim: -1 (<=), 1 (>), 0 open */
    shuf_real_t order;       /* of a conversion, or the one above the order asked for */
    shuf_real_t round_eps, round_delta; /* of each round */
    int64_t threshold;       /* of shuffled batches, in millionths: whether the largest step is at least that is what is seen */
    shuf_real_t witness;     /* the eps that decides a statement on Gaussian DP */
    int has_order, has_round, has_witness, has_threshold;
    int has_data;            /* of a bound from below */
    shuf_neighbouring_data data;
    const char *note;        /* or NULL */
} shuf_answer_bound;

typedef enum
{
    SHUF_VERDICT_NONE, /* nothing was claimed */
    SHUF_CERTIFIED,    /* a proved theorem for that class of mechanisms says so */
    SHUF_REFUTED_CLAIM, /* a mechanism of the class, on concrete neighbouring data, certainly exceeds it */
    SHUF_UNDECIDED
} shuf_verdict;

typedef struct
{
    const shuf_question_struct *question;
    shuf_answer_bound tried[SHUF_MAX_TRIED]; /* in the order in which they were tried */
    size_t count;
    const shuf_answer_bound *value, *upper, *lower; /* the best of them, or NULL; value: of a pair, a form, a search */
    shuf_verdict verdict;
    const char *reason; /* why undecided, or refuted by rounding only; or NULL */
    int accurate;       /* what decides has the digits asked for, and no route is left that could do better */
    int complete;       /* no watch cut it short */
    slong digits;       /* those that are being looked for */
    char error[256];    /* why there is no answer; "" */
} shuf_answer_struct;

typedef shuf_answer_struct shuf_answer_t[1];

/*
 * Answers. Returns SHUF_OK; SHUF_DOMAIN with a line in a->error when no
 * theorem covers the question; SHUF_ACCURACY with a line when nothing was
 * found within its effort or before a watch stopped it. What is certainly
 * infinite is an answer. q must outlive a;
 * clear a in any case.
 */
shuf_status shuf_answer(shuf_answer_t a, const shuf_question_t q);
void shuf_answer_clear(shuf_answer_t a);

const char *shuf_verdict_name(shuf_verdict verdict);

#endif
