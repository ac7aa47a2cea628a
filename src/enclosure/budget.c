/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "enclosure/budget.h"

#include <math.h>
#include <time.h>

#include "enclosure/memory.h"
#include "enclosure/parallel.h"

/* Units between two looks at the watch: some milliseconds. Steers only. */
#define WATCH_UNITS 2e6

/* What a part gets when next to nothing is left, so that it can say something. Steers only. */
#define LEAST_UNITS 1e6

static _Thread_local double work;
static _Thread_local double limit_of_parts;
static _Thread_local double next_look;
static _Thread_local shuf_watch *watch;
static _Thread_local int helping; /* the watch is another thread's */

double shuf_work(void)
{
    return work;
}

void shuf_charge(double units)
{
    work += floor(units);
}

double shuf_limit(const shuf_options *options)
{
    return options->max_work > 0 ? work + options->max_work : 0;
}

/* `cut` is shared by the threads that work under one watch. */
static int is_cut(void)
{
    return __atomic_load_n(&watch->cut, __ATOMIC_RELAXED);
}

static int look(const char *line)
{
    if (watch == NULL)
        return 0;
    if (!is_cut() && ((watch->deadline > 0 && shuf_seconds() > watch->deadline)
                      || (!helping && watch->progress != NULL && memory_call(watch->progress, watch->data, line))))
        __atomic_store_n(&watch->cut, 1, __ATOMIC_RELAXED);
    return is_cut();
}

int shuf_exhausted(double limit)
{
    if (limit > 0 && work > limit)
        return 1;
    if (watch == NULL)
        return 0;
    if (work < next_look)
        return is_cut();
    next_look = work + WATCH_UNITS;
    return look("");
}

double shuf_limit_set(double limit)
{
    double before = limit_of_parts;
    limit_of_parts = limit;
    return before;
}

int shuf_interrupted(void)
{
    return shuf_exhausted(limit_of_parts);
}

void shuf_share(shuf_options *o, double limit, double part)
{
    o->max_work = limit > 0 ? fmax(floor((limit - work) * part), LEAST_UNITS) : 0;
}

shuf_watch *shuf_watch_set(shuf_watch *next)
{
    shuf_watch *before = watch;
    watch = next;
    helping = 0;
    next_look = work;
    return before;
}

int shuf_stop_flag(void *data, const char *line)
{
    (void) line;
    return __atomic_load_n((int *) data, __ATOMIC_RELAXED);
}

int shuf_progress(const char *line)
{
    return look(line);
}

void budget_save(budget_state *state)
{
    state->work = work;
    state->limit = limit_of_parts;
    state->watch = watch;
    state->helping = helping;
}

void budget_restore(const budget_state *state)
{
    work = next_look = state->work;
    limit_of_parts = state->limit;
    watch = state->watch;
    helping = state->helping;
}

/*
 * Fits of what these take on the machine that a unit is about a nanosecond of,
 * from 64 to 20000 bits; whole numbers, so that they are the same everywhere. They steer only.
 */
static double limbs(slong prec)
{
    return (double) ((prec + 63) / 64);
}

double shuf_cost_word(slong prec)
{
    return 20 + 2 * limbs(prec);
}

double shuf_cost_mul(slong prec)
{
    double n = limbs(prec);
    return floor(14 + 4 * n + 0.15625 * n * n);
}

double shuf_cost_exp(slong prec)
{
    double n = limbs(prec);
    return 120 + 60 * n + 6 * n * n;
}

double shuf_cost_lgamma(slong prec)
{
    double n = limbs(prec);
    return 1500 + 250 * n + 28 * n * n;
}

double shuf_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}
