/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/answer.h"

#include <stdio.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/check.h"
#include "account/evaluate.h"
#include "enclosure/steer.h"

const char *shuf_verdict_name(shuf_verdict verdict)
{
    static const char *const names[] = { "none", "certified", "refuted", "undecided" };
    return names[verdict];
}

/* ---- running the tasks ---- */

/* Whether b says more than a on that side of the number, NULL saying nothing. */
static int says_more(const shuf_answer_bound *b, const shuf_answer_bound *a, shuf_side side)
{
    if (a == NULL)
        return 1;
    return side == SHUF_SIDE_UPPER ? arf_cmp(b->value->hi, a->value->hi) < 0 : arf_cmp(b->value->lo, a->value->lo) > 0;
}

static const shuf_answer_bound *best(const shuf_answer_struct *a, shuf_side side)
{
    const shuf_answer_bound *found = NULL;
    size_t i;
    for (i = 0; i < a->count; i++)
        if ((a->tried[i].side == side || a->tried[i].side == SHUF_SIDE_EXACT) && says_more(&a->tried[i], found, side))
            found = &a->tried[i];
    return found;
}

/* A profile at nodes is no nearer than this: more digits of its rounds are worth no other road. */
#define NODES_WIDTH 1e-3

/* Whether it is one of nodes, or no other says more, and as near as those. */
static int is_near(const task *x, const shuf_answer_bound *b)
{
    return (x->has_nodes || x->is_best) && steer_relative_width(b->value) < NODES_WIDTH;
}

static int is_needed(const task_list *t, const task *x, const shuf_answer_struct *a)
{
    const shuf_answer_bound *b;
    if (x->is_spared || x->unless < 0)
        return !x->is_spared;
    if (t->item[x->unless].tried < 0)
        return !t->item[x->unless].is_spared;
    b = &a->tried[t->item[x->unless].tried];
    return b->value->status != SHUF_OK && b->sign == 0 && !is_near(&t->item[x->unless], b);
}

/* A bound of the task in place of the one that it has, if it says more. A class may have a road that its mechanism has not: there may be no room. */
static void run(shuf_answer_struct *a, task *x, const shuf_options *options)
{
    shuf_answer_bound next, *b = &a->tried[x->tried >= 0 ? x->tried : (ptrdiff_t) a->count];
    if (x->tried < 0 && a->count == SHUF_MAX_TRIED)
        return;
    answer_bound_init(&next);
    if (task_evaluate(&next, x, a->question, options) == 0 && (x->tried < 0 || next.sign != 0 || says_more(&next, b, b->side)))
    {
        if (x->tried >= 0)
            answer_bound_clear(b);
        else
            x->tried = (ptrdiff_t) a->count++;
        *b = next;
        return;
    }
    answer_bound_clear(&next);
}

/* Whether another evaluation of the task may say more than what is known. */
static int may_improve(const task *x, const shuf_answer_struct *a)
{
    const shuf_answer_bound *b, *top;
    if (x->tried < 0)
        return 0;
    b = &a->tried[x->tried];
    if (b->value->status == SHUF_OK || b->side == SHUF_SIDE_NONE)
        return 0;
    if (b->side == SHUF_SIDE_EXACT)
        return 1;
    top = best(a, b->side);
    if (top == b)
        return 1;
    return b->side == SHUF_SIDE_UPPER ? arf_cmp(b->value->lo, top->value->hi) < 0 : arf_cmp(b->value->hi, top->value->lo) > 0;
}

static int is_decided(const shuf_answer_struct *a)
{
    size_t i;
    for (i = 0; i < a->count; i++)
        if (bound_decides(&a->tried[i]) != 0)
            return 1;
    return 0;
}

/* What is left when all have been tried goes to those that fell short, one after the other, if it is more than they had. */
static void run_again(shuf_answer_struct *a, task_list *t, const double *had, double limit)
{
    shuf_options options;
    size_t i;
    options.digits = a->question->digits;
    for (i = 0; i < t->count && !(a->question->is_claim && is_decided(a)); i++)
    {
        shuf_share(&options, limit, 1);
        if (!may_improve(&t->item[i], a) || is_near(&t->item[i], &a->tried[t->item[i].tried]) || options.max_work < 2 * had[i] || shuf_exhausted(limit))
            continue;
        run(a, &t->item[i], &options);
    }
}

static int has_share(const task *x)
{
    return x->unless < 0 && !x->takes_rest;
}

/* All tasks that may say more than is known, `absent` others having their share, and what is left to those that fell short. */
static void run_list(shuf_answer_struct *a, task_list *t, size_t absent, double limit)
{
    double had[SHUF_MAX_TRIED] = { 0 };
    shuf_options options;
    size_t i, left;
    char line[64];
    options.digits = a->question->digits;
    for (i = 0, left = absent; i < t->count; i++)
        left += has_share(&t->item[i]) ? 1 : 0;
    for (i = 0; i < t->count; i++)
    {
        const size_t shares = FLINT_MAX(left, 1);
        if (left > 1 && has_share(&t->item[i]))
            left--;
        t->item[i].is_spared = !is_needed(t, &t->item[i], a);
        if (t->item[i].is_spared || (t->item[i].tried >= 0 && !may_improve(&t->item[i], a)))
            continue;
        snprintf(line, sizeof(line), "%.60s", t->item[i].chain.count > 0 ? t->item[i].chain.id[0] : "");
        if (shuf_progress(line))
            break;
        shuf_share(&options, limit, 1.0 / (double) shares);
        had[i] = options.max_work;
        run(a, &t->item[i], &options);
    }
    run_again(a, t, had, limit);
}

/* Whether a task is left that could say more. */
static int is_improvable(const task_list *t, const shuf_answer_struct *a)
{
    size_t i;
    for (i = 0; i < t->count; i++)
        if (may_improve(&t->item[i], a))
            return 1;
    return 0;
}

static int is_same_road(const task *x, const task *y)
{
    size_t i;
    for (i = 0; i < x->chain.count && i < y->chain.count && strcmp(x->chain.id[i], y->chain.id[i]) == 0; i++)
        ;
    return i == x->chain.count && i == y->chain.count && x->side == y->side && x->via == y->via;
}

/* So many data are looked at where only eps0 is known. */
#define CLASS_DATA 2

/*
 * Who says more of a mechanism is told no less: what is true of its class, where it fell short among the rest, has the work that
 * it has where the class is asked about.
 */
static void run_class(shuf_answer_struct *a, const task_list *all, double limit)
{
    task_list t;
    size_t i, j, data = 0;
    tasks_init(&t, a->question, 1);
    for (i = 0; i < t.count; i++)
    {
        task *x = &t.item[i];
        data += x->side == SHUF_SIDE_LOWER;
        for (j = 0; j < all->count; j++)
            if (is_same_road(x, &all->item[j]))
            {
                x->tried = all->item[j].tried;
                x->is_spared = all->item[j].is_spared;
            }
        if (x->unless >= 0 && t.item[x->unless].tried >= 0)
            x->is_spared |= !may_improve(&t.item[x->unless], a); /* nor do conversions of it */
    }
    run_list(a, &t, CLASS_DATA - FLINT_MIN(data, CLASS_DATA), limit);
    a->accurate &= !is_improvable(&t, a);
    tasks_clear(&t);
}

static int has_description(const shuf_question_struct *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_RANDOMISER)
            return 1;
    return 0;
}

static void run_all(shuf_answer_struct *a, const shuf_options *options)
{
    const shuf_question_struct *q = a->question;
    task_list t;
    tasks_init(&t, q, 0);
    run_list(a, &t, 0, shuf_limit(options));
    a->accurate = !is_improvable(&t, a);
    if (has_description(q) && !(q->is_claim && is_decided(a)))
        run_class(a, &t, shuf_limit(options));
    tasks_clear(&t);
}

/* ---- verdicts ---- */

static const char *why_undecided(const shuf_answer_struct *a)
{
    int above = 0, below = 0;
    size_t i;
    for (i = 0; i < a->count; i++)
    {
        above |= a->tried[i].side == SHUF_SIDE_UPPER || a->tried[i].side == SHUF_SIDE_EXACT;
        below |= a->tried[i].side == SHUF_SIDE_LOWER || a->tried[i].side == SHUF_SIDE_EXACT;
    }
    if (!a->complete)
        return "the clock or an interrupt cut the computation short";
    if (!above)
        return "no upper bound applies, and no lower bound exceeds the claim";
    for (i = 0; i < a->count; i++)
        if (a->tried[i].side == SHUF_SIDE_EXACT && a->tried[i].sign == 0)
            return "the exact value is too close to the claim for the accuracy and effort allowed";
    for (i = 0; i < a->count; i++)
        if (a->tried[i].side == SHUF_SIDE_UPPER && a->tried[i].sign == 0)
            return "an upper bound is too close to the claim for the accuracy and effort allowed";
    for (i = 0; i < a->count; i++)
        if (a->tried[i].side == SHUF_SIDE_LOWER && a->tried[i].sign == 0)
            return "a lower bound is too close to the claim for the accuracy and effort allowed";
    if (!below)
        return "the upper bound exceeds the claim, and there is no lower bound";
    return "the claim lies between the best lower and the best upper bound";
}

/* Returns -1 if bounds contradict each other, which no two true ones do. */
static int decide(shuf_answer_struct *a)
{
    int certified = 0, refuted = 0;
    size_t i;
    for (i = 0; i < a->count; i++)
    {
        certified |= bound_decides(&a->tried[i]) < 0;
        refuted |= bound_decides(&a->tried[i]) > 0;
    }
    if (certified && refuted)
        return -1;
    a->verdict = certified ? SHUF_CERTIFIED : refuted ? SHUF_REFUTED_CLAIM : SHUF_UNDECIDED;
    a->reason = a->verdict == SHUF_UNDECIDED ? why_undecided(a) : NULL;
    return 0;
}

/* ---- answers ---- */

static shuf_status fail(shuf_answer_struct *a, const char *what)
{
    snprintf(a->error, sizeof(a->error), "%s", what);
    return SHUF_ACCURACY;
}

static shuf_status answer_mechanism(shuf_answer_struct *a)
{
    a->upper = best(a, SHUF_SIDE_UPPER);
    a->lower = best(a, SHUF_SIDE_LOWER);
    if (a->upper != NULL && a->lower != NULL && arf_cmp(a->lower->value->lo, a->upper->value->hi) > 0)
        return fail(a, "two bounds contradict each other: please report this question");
    if (a->upper == NULL && a->lower == NULL)
        return fail(a, a->complete ? "no bound of the mechanism was found within the effort" : "interrupted before any bound was found");
    return SHUF_OK;
}

static shuf_status answer_pair(shuf_answer_struct *a)
{
    if (a->count == 0 && a->complete)
    {
        snprintf(a->error, sizeof(a->error), "no finite %s was found: the largest privacy loss is infinite, or the effort was used up",
                 shuf_quantity_name(a->question->quantity));
        return SHUF_ACCURACY;
    }
    if (a->count == 0)
        return fail(a, "interrupted before a value was found");
    a->value = &a->tried[0];
    a->accurate = a->value->value->status == SHUF_OK;
    return SHUF_OK;
}

static shuf_status answer_one(shuf_answer_struct *a, const shuf_options *options)
{
    shuf_answer_bound *b = &a->tried[0];
    shuf_status result;
    answer_bound_init(b);
    result = a->question->form != NULL ? form_evaluate(b, a->error, sizeof(a->error), a->question, options)
             : shuf_question_is_of_batch(a->question) ? batch_search_evaluate(b, a->error, sizeof(a->error), a->question, options)
                                                      : search_evaluate(b, a->error, sizeof(a->error), a->question, options);
    if (result != SHUF_OK)
    {
        answer_bound_clear(b);
        return result;
    }
    a->count = 1;
    a->value = b;
    a->accurate = b->value->status == SHUF_OK;
    return SHUF_OK;
}

static shuf_status answer_any(shuf_answer_struct *a)
{
    const shuf_question_struct *q = a->question;
    shuf_options options = { q->digits, q->max_work };
    if (q->form == NULL && question_check(a->error, sizeof(a->error), q) != 0)
        return SHUF_DOMAIN;
    if (q->form != NULL || q->quantity >= SHUF_QUANTITY_USERS)
        return answer_one(a, &options);
    run_all(a, &options);
    return SHUF_OK;
}

/* The question's clock, if it ends before one that runs. */
static void set_deadline(shuf_watch *clock, const shuf_question_struct *q)
{
    arb_t x;
    double end;
    if (shuf_real_sgn(q->max_seconds) <= 0)
        return;
    arb_init(x);
    shuf_real_get_arb(x, q->max_seconds, 64);
    end = shuf_seconds() + arf_get_d(arb_midref(x), ARF_RND_UP);
    if (clock->deadline <= 0 || end < clock->deadline)
        clock->deadline = end;
    arb_clear(x);
}

shuf_status shuf_answer(shuf_answer_t a, const shuf_question_t q)
{
    shuf_watch clock = { 0 }, *outer = shuf_watch_set(NULL);
    shuf_status result;
    memset(a, 0, sizeof(*a));
    a->question = q;
    if (outer != NULL)
        clock = *outer;
    set_deadline(&clock, q);
    clock.cut = 0;
    shuf_watch_set(&clock);
    result = answer_any(a);
    shuf_watch_set(outer);
    a->complete = !clock.cut;
    if (result != SHUF_OK || a->value != NULL)
        return result;
    if (shuf_question_is_of_pair(q))
        result = answer_pair(a);
    else
        result = answer_mechanism(a);
    if (result == SHUF_OK && q->is_claim && decide(a) != 0)
        result = fail(a, "two bounds contradict each other: please report this question");
    return result;
}

void shuf_answer_clear(shuf_answer_t a)
{
    size_t i;
    for (i = 0; i < a->count; i++)
        answer_bound_clear(&a->tried[i]);
    a->count = 0;
}
