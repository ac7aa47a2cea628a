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
    if (x->unless < 0 || t->item[x->unless].tried < 0)
        return 1;
    b = &a->tried[t->item[x->unless].tried];
    return b->value->status != SHUF_OK && b->sign == 0 && !is_near(&t->item[x->unless], b);
}

static void run(shuf_answer_struct *a, task_list *t, size_t i, const shuf_options *options)
{
    task *x = &t->item[i];
    shuf_answer_bound *b = &a->tried[a->count];
    answer_bound_init(b);
    if (task_evaluate(b, x, a->question, options) != 0)
    {
        answer_bound_clear(b);
        return;
    }
    x->tried = (ptrdiff_t) a->count++;
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
        shuf_answer_bound next, *b;
        shuf_share(&options, limit, 1);
        if (!may_improve(&t->item[i], a) || is_near(&t->item[i], &a->tried[t->item[i].tried]) || options.max_work < 2 * had[i] || shuf_exhausted(limit))
            continue;
        answer_bound_init(&next);
        b = &a->tried[t->item[i].tried];
        if (task_evaluate(&next, &t->item[i], a->question, &options) == 0 && (next.sign != 0 || says_more(&next, b, b->side)))
        {
            shuf_answer_bound old = *b;
            *b = next;
            next = old;
        }
        answer_bound_clear(&next);
    }
}

static void run_all(shuf_answer_struct *a, double limit)
{
    const shuf_question_struct *q = a->question;
    double had[SHUF_MAX_TRIED] = { 0 };
    shuf_options options;
    task_list t;
    size_t i, left;
    char line[64];
    options.digits = q->digits;
    tasks_init(&t, q);
    for (i = 0, left = 0; i < t.count; i++)
        left += t.item[i].unless < 0;
    for (i = 0; i < t.count; i++)
    {
        if (!is_needed(&t, &t.item[i], a))
            continue;
        snprintf(line, sizeof(line), "%.60s", t.item[i].chain.count > 0 ? t.item[i].chain.id[0] : "");
        if (shuf_progress(line))
            break;
        shuf_share(&options, limit, 1.0 / (double) FLINT_MAX(left, 1));
        had[i] = options.max_work;
        run(a, &t, i, &options);
        if (left > 1 && t.item[i].unless < 0)
            left--;
    }
    run_again(a, &t, had, limit);
    /* whether a route is left that could say more */
    for (i = 0, a->accurate = 1; i < t.count; i++)
        if (may_improve(&t.item[i], a))
            a->accurate = 0;
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
    double limit = shuf_limit(&options);
    if (q->form == NULL && question_check(a->error, sizeof(a->error), q) != 0)
        return SHUF_DOMAIN;
    if (q->form != NULL || q->quantity >= SHUF_QUANTITY_USERS)
        return answer_one(a, &options);
    run_all(a, limit);
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
