/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* parallel: the same work for any number of threads (internal). */
#ifndef SHUF_ENCLOSURE_PARALLEL_H
#define SHUF_ENCLOSURE_PARALLEL_H

#include "budget.h"

/*
 * Runs f(args, i) for i = 0 .. count-1 on up to flint_get_num_threads()
 * threads, in no particular order. Every item begins with the caller's count
 * of work, so that limits mean the same in it, and under the caller's watch;
 * in the end the caller has been charged for all of them. So what is computed
 * depends on the split into items, which is the caller's to choose without
 * regard to threads, and on nothing else.
 */
void parallel_do(void (*f)(void *args, slong i), void *args, slong count);

/* The limit (0: none) of one of `count` items that may all run to their limit. */
double parallel_limit(double limit, slong count);

/* What a thread's budget consists of. */
typedef struct
{
    double work, limit;
    shuf_watch *watch;
    int helping; /* the watch is another thread's */
} budget_state;

void budget_save(budget_state *state);
void budget_restore(const budget_state *state);

#endif
