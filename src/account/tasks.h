/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * tasks (internal): the routes of a question, in the order in which they are
 * tried. A task yields one bound.
 */
#ifndef SHUF_ACCOUNT_TASKS_H
#define SHUF_ACCOUNT_TASKS_H

#include "answer.h"
#include "rounds.h"

typedef struct
{
    shuf_side side;          /* of privacy: upper bounds it from above */
    const round_route **routes; /* of its rounds */
    size_t count;
    int is_aside;            /* no bound, for comparison */
    shuf_via via;
    theorem_chain chain;
    int has_data;
    shuf_neighbouring_data data;
    ptrdiff_t unless;        /* not needed if that task was accurate, or its bound decided; -1: needed */
    ptrdiff_t beyond;        /* says no more than that task, nor than the best where that one could not; -1: none */
    int is_spared;           /* not tried, as another one did */
    shuf_answer_bound *known; /* unless NULL: its bound of fewer digits, than which another says more */
    ptrdiff_t tried;         /* its place among the answer's bounds; -1: not tried, or no bound */
} task;

typedef struct
{
    const shuf_question_struct *question;
    route_list *above, *below; /* of each part */
    task item[SHUF_MAX_TRIED];
    size_t count;
} task_list;

/* Whether it is of a profile that is known at nodes; whether no other on its side says more. */
int task_has_nodes(const task *x);
int task_is_best(const task *x);

/* Whether it is seldom better than the others of its side. */
int task_is_seldom(const task *x);

/* Whether it has what the others leave, so that these have the same whether it is there or not. */
int task_takes_rest(const task *x);

/* If of_class, only what the routes of the class give (routes.h). */
void tasks_init(task_list *t, const shuf_question_struct *q, int of_class);
void tasks_clear(task_list *t);

/* As if none had been tried, for more digits; what laws have prepared stays. */
void tasks_again(task_list *t);

#endif
