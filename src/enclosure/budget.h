/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * budget: what a computation may spend.
 *
 * Work is a count that engines charge as they go: terms times limbs, cells,
 * transform points; one unit is about a nanosecond on the machine it was
 * calibrated on. Unlike time it is the same wherever a computation runs and
 * however busy the machine is, so that what a limit on work cuts short is a
 * function of the question. Each thread has its own count, which only its
 * differences give a meaning.
 *
 * A watch is what stops a computation from outside: a clock that the user
 * asked for, or an interrupt. What it cut short is not a function of the
 * question, and `cut` says so.
 */
#ifndef SHUF_BUDGET_H
#define SHUF_BUDGET_H

#include "../flint_headers.h"
#include "../shufbound.h"

/* How a computation is limited. */
typedef struct
{
    slong digits;    /* relative accuracy aimed at: hi - lo <= 10^-digits hi */
    double max_work; /* units of work; <= 0 means no limit */
} shuf_options;

/* 12 digits, no limit. */
#define SHUF_OPTIONS_DEFAULT { 12, 0.0 }

/* Largest number of digits that may be asked for; more are refused. */
#define SHUF_MAX_DIGITS 1000

/* What this thread has charged so far. Counts are whole numbers, exact in a double. */
double shuf_work(void);

/* Adds to it; units >= 0, a fraction is dropped. */
void shuf_charge(double units);

/* The shuf_work() at which a call with these options, beginning now, has to stop; 0 when there is no limit. */
double shuf_limit(const shuf_options *options);

/* Whether a computation has to stop: work is used up to a limit (0: none), or the thread's watch says so. */
int shuf_exhausted(double limit);

/*
 * Sets the limit (0: none) of what has no limit among its parameters, such as
 * one binomial tail, and returns the one before. An engine sets it to its own
 * while it computes.
 */
double shuf_limit_set(double limit);

/* shuf_exhausted of the limit set so. */
int shuf_interrupted(void);

/* o := options for a part that may use `part` (0 < part <= 1) of what is left up to the limit (0: none). */
void shuf_share(shuf_options *o, double limit, double part);

/*
 * Units of one operation on balls of `prec` bits: a sum, or a product or
 * quotient with a word (on the average); a product; exp or log; log gamma.
 */
double shuf_cost_word(slong prec);
double shuf_cost_mul(slong prec);
double shuf_cost_exp(slong prec);
double shuf_cost_lgamma(slong prec);

/* Tells the thread's watch, if it has one, what is being done. Returns nonzero when the computation is to stop. */
int shuf_progress(const char *line);

#endif
