/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/check.h"
#include "account/evaluate.h"
#include "account/loosen.h"
#include "account/one_sided.h"
#include "account/selection.h"
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

/* Whether the best ends, of whatever bounds, have the digits that are looked for: nothing else is needed then. */
static int is_settled(const shuf_answer_struct *a)
{
    const shuf_answer_bound *above = best(a, SHUF_SIDE_UPPER), *below = best(a, SHUF_SIDE_LOWER);
    shuf_enclosure_struct both;
    if (a->question->is_claim || above == NULL || below == NULL)
        return 0;
    both = *above->value;
    both.lo[0] = below->value->lo[0];
    return shuf_enclosure_accurate(&both, a->digits);
}

/* Sums of laws of rounds are in doubles, which tell nothing of a delta that is smaller. Steers only. */
#define SMALLEST_SUM (-1024)

/* Whether all that is known of it is that it is smaller than that, and another bound of its side says more. */
static int is_out_of_reach(const shuf_answer_bound *b, const shuf_answer_bound *top, const shuf_answer_struct *a)
{
    size_t i;
    if (a->question->quantity != SHUF_QUANTITY_DELTA || b->side != SHUF_SIDE_UPPER || !arf_is_zero(b->value->lo)
        || arf_cmpabs_2exp_si(top->value->hi, SMALLEST_SUM) >= 0)
        return 0;
    for (i = 0; i < b->theorems && strcmp(b->theorem[i], "pld-composition") != 0; i++)
        ;
    return i < b->theorems && b != top;
}

/* Whether another evaluation of the task may say more than what is known. */
static int may_improve(const task *x, const shuf_answer_struct *a)
{
    const shuf_answer_bound *b, *top;
    if (x->tried < 0 || is_settled(a))
        return 0;
    b = &a->tried[x->tried];
    if (b->value->status == SHUF_OK || b->side == SHUF_SIDE_NONE)
        return 0;
    if (b->side == SHUF_SIDE_EXACT)
        return 1;
    top = best(a, b->side);
    if (top == b)
        return 1;
    return b->side == SHUF_SIDE_UPPER ? arf_cmp(b->value->lo, top->value->hi) < 0 && !is_out_of_reach(b, top, a)
                                      : arf_cmp(b->value->hi, top->value->lo) > 0;
}

/* A profile at nodes is no nearer than this: more digits of its rounds are worth no other road. Steers only. */
#define NODES_WIDTH 1e-3

/* Whether it is one of nodes, or no other says more, and as near as those. */
static int is_near(const task *x, const shuf_answer_bound *b)
{
    return (task_has_nodes(x) || task_is_best(x)) && steer_relative_width(b->value) < NODES_WIDTH;
}

/* Whether nothing else stands for it: neither a bound that was good enough, nor one that no more work would make the best. */
static int is_needed(const task_list *t, const task *x, const shuf_answer_struct *a)
{
    const shuf_answer_bound *b;
    if (x->is_spared || x->unless < 0)
        return !x->is_spared;
    if (t->item[x->unless].tried < 0)
        return !t->item[x->unless].is_spared;
    if (x->beyond >= 0 && t->item[x->beyond].tried >= 0)
    {
        b = &a->tried[t->item[x->beyond].tried];
        /* that a sum is out of reach says nothing of what costs next to nothing */
        if (steer_relative_width(b->value) < NODES_WIDTH
            || (!may_improve(&t->item[x->beyond], a) && !(x->via == SHUF_VIA_STRONG_COMPOSITION && is_out_of_reach(b, best(a, SHUF_SIDE_UPPER), a))))
            return 0;
    }
    b = &a->tried[t->item[x->unless].tried];
    if (b->value->status == SHUF_OK || is_near(&t->item[x->unless], b))
        return 0;
    return b->sign == 0 || !arf_is_finite(b->value->hi); /* a verdict is no end: from below it may be the claim itself */
}

/* For want of a bound, what became of the search for one. */
static void report_search(shuf_answer_struct *a, const shuf_answer_bound *b)
{
    char *lo = b->side == SHUF_SIDE_UPPER && arf_is_finite(b->value->lo) && arf_sgn(b->value->lo) > 0 ? shuf_decimal(b->value->lo, 4, 0) : NULL;
    snprintf(a->error, sizeof(a->error), "no bound on the mechanism was found within the effort: the search for the bound by %s %s%s", b->theorem[0],
             lo != NULL ? "showed only that it is larger than " : "did not finish", lo != NULL ? lo : "");
    flint_free(lo);
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
    if (a->count == 0)
        report_search(a, &next);
    answer_bound_clear(&next);
}

static int is_finite_above(const shuf_answer_struct *a)
{
    const shuf_answer_bound *top = best(a, SHUF_SIDE_UPPER);
    return top != NULL && arf_is_finite(top->value->hi);
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
    shuf_options options = { a->digits, 0 };
    size_t i;
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
    return x->unless < 0 && !task_takes_rest(x);
}

/* Whether it is of the side that is not sought. */
static int is_aside(const task *x, const shuf_question_struct *q)
{
    return q->only != SHUF_SIDE_NONE && x->side != q->only && x->side != SHUF_SIDE_EXACT;
}

/* Whether the best end from above is 0 already: nothing from above says more, and from below one bound is enough. */
static int is_pointless(const task *x, const shuf_answer_struct *a)
{
    const shuf_answer_bound *top = best(a, SHUF_SIDE_UPPER);
    return top != NULL && arf_is_zero(top->value->hi) && (x->side == SHUF_SIDE_UPPER || (x->side == SHUF_SIDE_LOWER && best(a, SHUF_SIDE_LOWER) != NULL));
}

/* Of the work left, for one look at the best end. Steer only. */
#define VAIN_SHARE 0.1
#define VAIN_DIGITS 2

static int is_one_round_of(const task *x, const shuf_question_struct *q)
{
    return x->count == 1 && q->count == 1 && x->routes[0]->rounds == 1;
}

/* What is known on that side, or NULL. */
static arf_srcptr best_end(const shuf_answer_struct *a, shuf_side side)
{
    const shuf_answer_bound *top = side == SHUF_SIDE_UPPER || side == SHUF_SIDE_LOWER ? best(a, side) : NULL;
    return top == NULL ? NULL : side == SHUF_SIDE_UPPER ? top->value->hi : top->value->lo;
}

/*
 * Whether it is of one round of reports of several attributes, whose sums are dear, or of data that are searched for, and is no better at the
 * best end that is known, or a sum so dear that this is not seen. Its own search would be in vain; else it begins there.
 */
static int is_vain(const task *x, const shuf_answer_struct *a, double limit)
{
    const shuf_question_struct *q = a->question;
    const int upper = x->side == SHUF_SIDE_UPPER, sums = is_one_round_of(x, q) && q->parts[0].randomiser->kind == SHUF_RANDOMISER_PRODUCT;
    const shuf_law_struct *law = x->count > 0 ? x->routes[0]->law : NULL;
    arf_srcptr end = best_end(a, x->side);
    shuf_options o = { VAIN_DIGITS, 0 };
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_status status;
    int vain;
    if (q->is_claim || x->tried >= 0 || q->quantity != SHUF_QUANTITY_EPSILON || !(sums || (is_one_round_of(x, q) && x->routes[0]->data.seen != NULL))
        || law->start == NULL || loosen_is_needed(q) || end == NULL || !arf_is_finite(end))
        return 0;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_share(&o, limit, VAIN_SHARE);
    shuf_real_set_arf(eps, end);
    status = law->delta(r, NULL, law, eps, SHUF_DIRECTION_BOTH, &o);
    vain = (sums && status == SHUF_ACCURACY) || (upper ? shuf_real_cmp_arf(q->delta, r->lo) < 0 : shuf_real_cmp_arf(q->delta, r->hi) >= 0);
    if (status != SHUF_DOMAIN)
        *law->start = arf_get_d(end, ARF_RND_NEAR);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return vain;
}

/* Digits that show whether it is the best after all. Steers only. */
#define SELDOM_DIGITS 3

/* The first time, within what is left by others. One that may be the best, and lacks digits, falls short; had: what it had, if it is to count. */
static void run_first(shuf_answer_struct *a, task *x, double *had, const shuf_options *options)
{
    shuf_options few = *options;
    shuf_enclosure_struct *r;
    *had = options->max_work;
    if (!task_is_seldom(x) || options->digits <= SELDOM_DIGITS)
    {
        run(a, x, options);
        return;
    }
    few.digits = SELDOM_DIGITS;
    run(a, x, &few);
    *had = 0;
    if (x->tried < 0)
        return;
    r = a->tried[x->tried].value;
    if (r->status == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
}

/* All tasks that may say more than is known, `absent` others having their share, and what is left to those that fell short. */
static void run_list(shuf_answer_struct *a, task_list *t, size_t absent, double limit)
{
    double had[SHUF_MAX_TRIED] = { 0 };
    shuf_options options = { a->digits, 0 };
    size_t i, left;
    char line[64];
    for (i = 0, left = absent; i < t->count; i++)
        left += has_share(&t->item[i]) ? 1 : 0;
    for (i = 0; i < t->count; i++)
    {
        const size_t shares = FLINT_MAX(left, 1);
        if (left > 1 && has_share(&t->item[i]))
            left--;
        if (t->item[i].known != NULL)
        {
            t->item[i].tried = (ptrdiff_t) a->count;
            a->tried[a->count++] = *t->item[i].known;
            answer_bound_init(t->item[i].known);
            t->item[i].known = NULL;
            continue;
        }
        t->item[i].is_spared = is_aside(&t->item[i], a->question) || is_pointless(&t->item[i], a) || !is_needed(t, &t->item[i], a)
                               || (is_settled(a) && !t->item[i].is_aside) || is_vain(&t->item[i], a, limit);
        if (t->item[i].is_spared || (t->item[i].tried >= 0 && !may_improve(&t->item[i], a)))
            continue;
        snprintf(line, sizeof(line), "%.60s", t->item[i].chain.count > 0 ? t->item[i].chain.id[0] : "");
        if (shuf_progress(line))
            break;
        shuf_share(&options, limit, 1.0 / (double) shares);
        run_first(a, &t->item[i], &had[i], &options);
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

/* So many data are looked at where only eps0 is known. Steers only. */
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

/* A claim that no bound was found for is undecided all the same: the first task from above, whose bound may be anything. */
static void add_unknown(shuf_answer_struct *a, const task_list *t)
{
    shuf_answer_bound *b = &a->tried[a->count];
    size_t i;
    for (i = 0; i < t->count && t->item[i].side != SHUF_SIDE_UPPER && t->item[i].side != SHUF_SIDE_EXACT; i++)
        ;
    if (i == t->count || a->count == SHUF_MAX_TRIED || best(a, SHUF_SIDE_UPPER) != NULL)
        return;
    answer_bound_init(b);
    arf_pos_inf(b->value->hi);
    b->value->status = SHUF_ACCURACY;
    b->side = t->item[i].side;
    bound_set_chain(b, &t->item[i].chain);
    a->count++;
}

/* Where no theorem says anything. */
static shuf_status refuse(shuf_answer_struct *a)
{
    const shuf_question_struct *q = a->question;
    size_t i;
    int infinite = 0;
    for (i = 0; i < q->count; i++)
        infinite |= q->parts[i].eps0_is_infinite;
    snprintf(a->error, sizeof(a->error), "no theorem here bounds the quantity %s of such a mechanism%s", shuf_quantity_name(q->quantity),
             infinite ? ", which has no finite local eps0" : "");
    return SHUF_DOMAIN;
}

/* Whether another bound of its side says more, whatever the digits that b lacks. */
static int is_beaten(const shuf_answer_bound *b, const shuf_answer_struct *a)
{
    const shuf_answer_bound *top = b->side == SHUF_SIDE_UPPER || b->side == SHUF_SIDE_LOWER ? best(a, b->side) : NULL;
    if (top != NULL && is_out_of_reach(b, top, a))
        return 1;
    return top != NULL && b->value->status == SHUF_OK
           && (b->side == SHUF_SIDE_UPPER ? arf_cmp(b->value->lo, top->value->hi) > 0 : arf_cmp(b->value->hi, top->value->lo) < 0);
}

/* What fewer digits have found of tasks that are beaten is as good as more. place[i]: where the bound of task i is among those of `few`, or -1. */
static void set_beaten(task_list *t, shuf_answer_struct *few, const ptrdiff_t *place)
{
    size_t i;
    for (i = 0; i < t->count; i++)
        if (place[i] >= 0 && place[i] < (ptrdiff_t) few->count && is_beaten(&few->tried[place[i]], few))
            t->item[i].known = &few->tried[place[i]];
}

/* place: where the bounds of the tasks are that few digits have found, and then those of these. */
static shuf_status run_digits(shuf_answer_struct *a, task_list *t, shuf_answer_struct *few, ptrdiff_t *place, const shuf_options *options)
{
    const shuf_question_struct *q = a->question;
    shuf_status status = SHUF_OK;
    size_t i;
    a->digits = options->digits;
    set_beaten(t, few, place);
    run_list(a, t, 0, shuf_limit(options));
    a->accurate = !is_improvable(t, a);
    if (has_description(q) && !(q->is_claim && is_decided(a) && is_finite_above(a)))
        run_class(a, t, shuf_limit(options));
    if (q->is_claim && !is_decided(a))
        add_unknown(a, t);
    if (t->count == 0)
        status = refuse(a);
    for (i = 0; i < SHUF_MAX_TRIED; i++)
        place[i] = i < t->count ? t->item[i].tried : -1;
    for (i = 0; i < a->count; i++)
        if (a->tried[i].value->status == SHUF_OK && !arf_is_pos_inf(a->tried[i].value->lo) && is_beaten(&a->tried[i], a)
            && !shuf_enclosure_accurate(a->tried[i].value, options->digits))
            a->tried[i].value->status = SHUF_ACCURACY;
    return status;
}

/* ---- more digits ---- */

static int is_same_chain(const shuf_answer_bound *x, const shuf_answer_bound *y)
{
    return x->side == y->side && x->theorems == y->theorems
           && memcmp(x->theorem, y->theorem, x->theorems * sizeof(*x->theorem)) == 0;
}

/* Whether a number belongs to the bound that a choice has not fixed: a conversion is at an order, and at another one is another number. */
static int is_one_number(const shuf_answer_bound *b, const shuf_question_struct *q)
{
    return (b->side == SHUF_SIDE_EXACT || shuf_question_is_of_pair(q)) && !b->has_order && !b->has_round && !b->has_threshold;
}

/* b with the ends of `few`, an enclosure of the same number, where they are tighter; with the ledger of the narrower one. */
static void intersect(shuf_answer_bound *b, shuf_answer_bound *few)
{
    const shuf_enclosure_struct value = *b->value;
    if (arf_cmp(few->value->lo, b->value->hi) > 0 || arf_cmp(few->value->hi, b->value->lo) < 0)
        return;
    if (steer_relative_width(few->value) < steer_relative_width(b->value))
    {
        *b->value = *few->value;
        *few->value = value;
    }
    if (arf_cmp(few->value->lo, b->value->lo) > 0)
        arf_set(b->value->lo, few->value->lo);
    if (arf_cmp(few->value->hi, b->value->hi) < 0)
        arf_set(b->value->hi, few->value->hi);
}

/* The bound goes to those of a, in place of one by the same theorems that has not all digits. */
static void keep(shuf_answer_struct *a, shuf_answer_bound *few)
{
    const int is_number = is_one_number(few, a->question);
    shuf_answer_bound other;
    size_t i;
    for (i = 0; i < a->count && !(is_same_chain(&a->tried[i], few) && (is_number || a->tried[i].value->status != SHUF_OK)); i++)
        ;
    if (i == SHUF_MAX_TRIED)
        return;
    if (i < a->count && is_number && is_one_number(&a->tried[i], a->question))
    {
        intersect(&a->tried[i], few);
    }
    else
    {
        if (i == a->count)
            answer_bound_init(&a->tried[a->count++]);
        other = a->tried[i];
        a->tried[i] = *few;
        *few = other;
    }
    if (!arf_is_pos_inf(a->tried[i].value->lo) && !shuf_enclosure_accurate(a->tried[i].value, a->question->digits))
    {
        a->tried[i].value->status = SHUF_ACCURACY;
        a->accurate = 0;
    }
}

/* Whether the end of b is one that the best bound, which has all digits, does not exclude: it says no more than its digits do. */
static int is_within(const shuf_answer_bound *b, const shuf_answer_bound *top, shuf_side side, slong digits)
{
    return top != NULL && top->value->status == SHUF_OK && shuf_enclosure_accurate(top->value, digits)
           && (side == SHUF_SIDE_UPPER ? arf_cmp(b->value->hi, top->value->lo) >= 0 : arf_cmp(b->value->lo, top->value->hi) <= 0);
}

/* What fewer digits knew better is kept: an answer to more of them may have ended with its work. */
static void keep_best(shuf_answer_struct *a, shuf_answer_struct *few)
{
    static const shuf_side sides[] = { SHUF_SIDE_UPPER, SHUF_SIDE_LOWER };
    size_t i;
    if (shuf_question_is_of_pair(a->question) && few->count > 0
        && (a->count == 0 || (a->tried[0].value->status != SHUF_OK
                              && (is_one_number(&few->tried[0], a->question) || says_more(&few->tried[0], &a->tried[0], few->tried[0].side)))))
        keep(a, &few->tried[0]);
    for (i = 0; i < 2 && !shuf_question_is_of_pair(a->question); i++)
    {
        shuf_answer_bound *b = (shuf_answer_bound *) best(few, sides[i]);
        const shuf_answer_bound *top = best(a, sides[i]);
        if (b != NULL && says_more(b, top, sides[i]) && !is_within(b, top, sides[i], a->question->digits))
            keep(a, b);
    }
}

/*
 * Digits that are had before more are tried, of noisy SGD with so much work, of rounds, where few tell which bounds are beaten, and
 * of all else; and the next ones. Steer only.
 */
#define BATCH_DIGITS 6
#define BATCH_WORK 1e8
#define ROUNDS_DIGITS 2
#define FEW_DIGITS 4
#define NEXT_DIGITS 6
#define MORE_DIGITS 2

static int has_only(const shuf_question_struct *q, shuf_subject subject)
{
    size_t i;
    for (i = 0; i < q->count && q->parts[i].subject == subject; i++)
        ;
    return i == q->count;
}

/* Of fewer users digits cost little, of more even few of them cost much. Steer only. */
#define MANY_USERS 100000
#define MOST_USERS (UINT64_C(1) << 26)

/* Whether it is about rounds of mechanisms, which have several bounds, on many users. */
static int has_dear_rounds(const shuf_question_struct *q)
{
    size_t i;
    if (shuf_question_is_of_pair(q) || shuf_question_is_central(q) || (q->count == 1 && q->parts[0].rounds == 1))
        return 0;
    for (i = 0; i < q->count && q->parts[i].users >= MANY_USERS && q->parts[i].users <= MOST_USERS; i++)
        ;
    return i == q->count;
}

/* Whether it is about a mu or a rho, which ask for hundreds of points or orders, of what has several bounds. */
static int has_dear_nodes(const shuf_question_struct *q)
{
    return (q->quantity == SHUF_QUANTITY_GDP || q->quantity == SHUF_QUANTITY_ZCDP) && !shuf_question_is_of_pair(q) && !shuf_question_is_central(q);
}

/* work: what there is of it, 0 or less if there is no end of it. */
static slong first_digits(const shuf_question_struct *q, slong digits, double work)
{
    const slong few = has_only(q, SHUF_SUBJECT_BATCH) && !(work > 0 && work < BATCH_WORK) ? BATCH_DIGITS : has_dear_rounds(q) || has_dear_nodes(q) ? ROUNDS_DIGITS : FEW_DIGITS;
    return q->is_claim ? digits : FLINT_MIN(digits, few);
}

/* Up to so much work digits of the pair with noise that are there already are computed once more: mostly some come on top. Steers only. */
#define DEAR_WORK 2e9

/* Whether all that was found of the pair with noise, whose next run costs ten times the last one, has so many digits: of most other questions the next run knows far more. */
static int has_digits(const shuf_answer_struct *a, slong digits, double work)
{
    size_t i;
    for (i = 0; i < a->question->count; i++)
        if (a->question->parts[i].subject != SHUF_SUBJECT_PAIR || a->question->parts[i].pair->kind != SHUF_PAIR_GAUSSIAN)
            return 0;
    for (i = 0; i < a->count; i++)
        if (!shuf_enclosure_accurate(a->tried[i].value, digits))
            return 0;
    return work > DEAR_WORK && a->count > 0 && a->accurate;
}

/* The work ended with fewer digits than these: what was good enough for those may not be for these. */
static void set_short(shuf_answer_struct *a, const task_list *t, slong digits)
{
    size_t i;
    a->digits = digits;
    for (i = 0; i < a->count; i++)
        if (a->tried[i].value->status == SHUF_OK && !arf_is_pos_inf(a->tried[i].value->lo) && !shuf_enclosure_accurate(a->tried[i].value, digits))
            a->tried[i].value->status = SHUF_ACCURACY;
    if (is_improvable(t, a))
        a->accurate = 0;
}

/* Few digits first, then more of them with what work is left: these steps are those of every answer to more digits. */
static shuf_status run_all(shuf_answer_struct *a, const shuf_options *options)
{
    double limit = shuf_limit(options), start = shuf_work();
    shuf_options o = *options;
    shuf_answer_struct few = *a;
    shuf_status status;
    ptrdiff_t place[SHUF_MAX_TRIED];
    task_list t;
    size_t i;
    for (i = 0; i < SHUF_MAX_TRIED; i++)
        place[i] = -1;
    answer_bound_init(&a->tried[0]);
    if (one_sided_bound(&a->tried[0], a->question))
    {
        a->count = 1;
        a->accurate = 1;
        return SHUF_OK;
    }
    answer_bound_clear(&a->tried[0]);
    o.digits = first_digits(a->question, options->digits, limit - start);
    tasks_init(&t, a->question, 0);
    while ((status = run_digits(a, &t, &few, place, &o)) == SHUF_OK)
    {
        keep_best(a, &few);
        shuf_answer_clear(&few);
        if (o.digits == options->digits || shuf_exhausted(limit) || has_digits(a, options->digits, shuf_work() - start))
            break;
        few = *a;
        a->count = 0;
        o.digits = FLINT_MIN(FLINT_MAX(MORE_DIGITS * o.digits, NEXT_DIGITS), options->digits);
        shuf_share(&o, limit, 1);
        tasks_again(&t);
    }
    if (status == SHUF_OK && o.digits < options->digits && shuf_exhausted(limit))
        set_short(a, &t, options->digits);
    tasks_clear(&t);
    return status;
}

/* ---- verdicts ---- */

/* An enclosure that is wider is no close one. Steers only. */
#define CLOSE_WIDTH 1e-3

/* Whether a bound is open although what is compared with the claim is known well. */
static int is_close(const shuf_answer_bound *b)
{
    return (arf_is_finite(b->value->hi) && steer_relative_width(b->value) < CLOSE_WIDTH)
           || (b->has_delta && steer_relative_width(b->delta) < CLOSE_WIDTH);
}

/* Whether some bound of that side is open, and known well or not. */
static int is_open(const shuf_answer_struct *a, shuf_side side, int close)
{
    size_t i;
    for (i = 0; i < a->count; i++)
        if (a->tried[i].side == side && a->tried[i].sign == 0 && is_close(&a->tried[i]) == close)
            return 1;
    return 0;
}

/* From the ends alone, so that it says nothing that they do not. */
static const char *why_undecided(const shuf_answer_struct *a)
{
    if (!a->complete)
        return "the clock or an interrupt cut the computation short";
    if (a->upper == NULL)
        return "no upper bound applies, and no lower bound exceeds the claim";
    if (is_open(a, SHUF_SIDE_EXACT, 1))
        return "the exact value is too close to the claim for the accuracy and effort allowed";
    if (is_open(a, SHUF_SIDE_UPPER, 1))
        return "an upper bound is too close to the claim for the accuracy and effort allowed";
    if (is_open(a, SHUF_SIDE_LOWER, 1))
        return "a lower bound is too close to the claim for the accuracy and effort allowed";
    if (!arf_is_finite(a->upper->value->hi))
        return "no finite upper bound was found within the effort, and no lower bound exceeds the claim";
    if (is_open(a, SHUF_SIDE_EXACT, 0))
        return "the exact value is known too roughly within the effort: the claim lies between its ends";
    if (is_open(a, SHUF_SIDE_UPPER, 0))
        return "an upper bound is known too roughly within the effort: the claim lies between its ends";
    if (is_open(a, SHUF_SIDE_LOWER, 0))
        return "a lower bound is known too roughly within the effort: the claim lies between its ends";
    if (a->lower == NULL)
        return "the upper bound exceeds the claim, and there is no lower bound";
    return "the claim lies between the best lower and the best upper bound";
}

/* half := half a unit in the last place of the decimal as it is written; 0 if it is none. */
static void half_place(fmpq_t half, const char *text)
{
    const size_t whole = strspn(text, "0123456789"), part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    const char *rest = text + whole + (text[whole] == '.') + part;
    long exponent = 0;
    char *end = (char *) rest;
    fmpz_t ten;
    fmpq_zero(half);
    if (*rest == 'e' || *rest == 'E')
        exponent = strtol(rest + 1, &end, 10);
    if (whole + part == 0 || *end != '\0' || labs(exponent) > 10000)
        return;
    fmpz_init_set_ui(ten, 10);
    fmpq_set_fmpz(half, ten);
    fmpq_pow_si(half, half, exponent - (long) part);
    fmpq_div_2exp(half, half, 1);
    fmpz_clear(ten);
}

/* A claim that is certain of a number which rounds to it, if that is no more than this part of it away. Steers only: which words are used. */
#define ROUNDING 1000

static const char by_rounding[] = "by rounding only: the certified value, rounded, is the claimed value";

static int is_by_rounding(const shuf_answer_struct *a)
{
    const shuf_real_struct *c = question_claimed(a->question);
    fmpq_t room, most;
    shuf_real_t end;
    int result = 0;
    if (a->upper == NULL || !arf_is_finite(a->upper->value->hi) || c->is_log)
        return 0;
    fmpq_init(room); fmpq_init(most); shuf_real_init(end);
    half_place(room, c->text);
    fmpq_div_fmpz(most, c->q, (fmpz[]) { ROUNDING });
    if (fmpq_cmp(most, room) < 0)
        fmpq_set(room, most);
    if (fmpq_sgn(room) > 0)
    {
        fmpq_add(room, room, c->q);
        shuf_real_set_fmpq(end, room);
        result = shuf_real_cmp_arf(end, a->upper->value->hi) >= 0;
    }
    fmpq_clear(room); fmpq_clear(most); shuf_real_clear(end);
    return result;
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
    a->reason = a->verdict == SHUF_UNDECIDED ? why_undecided(a) : refuted && is_by_rounding(a) ? by_rounding : NULL;
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
    if (a->upper == NULL && a->lower == NULL && a->complete)
        return SHUF_ACCURACY; /* run has said why */
    if (a->upper == NULL && a->lower == NULL)
        return fail(a, "interrupted before any bound was found");
    a->error[0] = '\0';
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
             : shuf_question_is_central(a->question) ? central_search_evaluate(b, a->error, sizeof(a->error), a->question, options)
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

/* Of a question that is a part of the one that was asked. */
static shuf_status answer_part(shuf_answer_struct *a, const shuf_question_struct *q, const shuf_options *options)
{
    shuf_status status;
    memset(a, 0, sizeof(*a));
    a->question = q;
    a->complete = 1;
    status = run_all(a, options);
    return status == SHUF_OK ? answer_mechanism(a) : status;
}

static shuf_status answer_any(shuf_answer_struct *a)
{
    const shuf_question_struct *q = a->question;
    shuf_options options = { q->digits, q->max_work };
    if (q->form == NULL && question_check(a->error, sizeof(a->error), q) != 0)
        return SHUF_DOMAIN;
    if (q->form != NULL || q->quantity >= SHUF_QUANTITY_USERS)
        return answer_one(a, &options);
    if (q->selection != SHUF_SELECTION_NONE)
        return selection_answer(a, answer_part, &options);
    return run_all(a, &options);
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
