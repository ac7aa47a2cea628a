/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/selection.md. */
#include "account/selection.h"

#include <math.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/evaluate.h"
#include "account/selection_bounds.h"
#include "enclosure/inverse.h"

/* ---- one run ---- */

#define PREC 128 /* steers only */

typedef struct
{
    const shuf_question_struct *q;
    selection_run run;
    shuf_question_struct one; /* a question about one run */
    double limit;
    selection_runs runs;
    task_list tasks;          /* of one run */
    const task *task;         /* whose profile is taken, */
    int is_of_pair;           /* and is that of two laws, exactly; */
    slong digits;             /* of its values, */
    double task_work;         /* about its work at a point, when it is prepared, */
    arf_t at_top;             /* and at most its value at the last one */
    int is_symmetric;         /* both orders of data have one profile, or one that is above that of both */
    selection_profile profile;
    shuf_answer_bound *b;     /* where theorems and data are noted; NULL: nowhere */
    int is_full;              /* a chain had no room for a theorem */
    double start;             /* an eps that one run has: steers only */
    ulong terms;
} selection_struct;

static void selection_start(selection_struct *x, const shuf_question_struct *q, selection_run run, double limit)
{
    *x = (selection_struct) { .q = q, .run = run, .one = *q, .limit = limit };
    x->one.is_claim = 0;
    x->one.selection = SHUF_SELECTION_NONE;
    shuf_real_init(x->one.eps);
    shuf_real_init(x->one.delta);
    shuf_real_init(x->one.max_seconds); /* the clock runs already */
    selection_runs_init(&x->runs, q->selection, q->selection_mean->q, q->selection_shape->q);
    x->one.quantity = SHUF_QUANTITY_DELTA;
    tasks_init(&x->tasks, &x->one, 0);
    arf_init(x->at_top);
}

static void selection_end(selection_struct *x)
{
    shuf_real_clear(x->one.eps);
    shuf_real_clear(x->one.delta);
    shuf_real_clear(x->one.max_seconds);
    selection_runs_clear(&x->runs);
    arf_clear(x->at_top);
    selection_profile_clear(&x->profile);
    tasks_clear(&x->tasks);
}

/* What x->b rests on: the theorems of a bound, each once, so that one more has room, and its data. */
static void note(selection_struct *x, const shuf_answer_bound *of)
{
    size_t i, j;
    for (i = 0; x->b != NULL && i < of->theorems; i++)
    {
        for (j = 0; j < x->b->theorems && strcmp(x->b->theorem[j], of->theorem[i]) != 0; j++)
            ;
        x->is_full |= j >= SHUF_MAX_CHAIN - 1;
        if (j == x->b->theorems && j < SHUF_MAX_CHAIN - 1)
            x->b->theorem[x->b->theorems++] = of->theorem[i];
    }
    if (x->b == NULL)
        return;
    x->b->has_data = of->has_data;
    x->b->data = of->data;
}

/*
 * r := what bounds the quantity of one run at that point on that side, with so many digits and a share of the work left, its theorems noted; from above
 * [0, 1] or [0, inf] where nothing does. Returns whether there is a bound.
 */
static int ask(shuf_enclosure_t r, selection_struct *x, shuf_quantity quantity, const arf_t at, shuf_side side, slong digits, double share)
{
    shuf_options options = { digits, 0 };
    const shuf_answer_bound *b = NULL;
    shuf_answer_struct a;
    size_t i;
    shuf_share(&options, x->limit, share);
    x->one.quantity = quantity;
    x->one.only = side;
    x->one.digits = digits;
    x->one.max_work = options.max_work;
    shuf_real_set_arf(quantity == SHUF_QUANTITY_DELTA ? x->one.eps : x->one.delta, at);
    shuf_enclosure_zero(r);
    if (x->run(&a, &x->one, &options) == SHUF_OK)
        b = side == SHUF_SIDE_UPPER ? a.upper : a.lower;
    if (b != NULL)
    {
        shuf_enclosure_set(r, b->value);
        x->terms += b->value->ledger.terms;
        note(x, b);
    }
    else if (side == SHUF_SIDE_UPPER && quantity == SHUF_QUANTITY_DELTA)
        arf_one(r->hi);
    else if (side == SHUF_SIDE_UPPER)
        arf_pos_inf(r->hi);
    for (i = 0; i < a.count; i++)
        answer_bound_clear(&a.tried[i]);
    return b != NULL;
}

/* ---- the profile of one run ---- */

/*
 * Points of a profile; of one that is known only from above, at least, at most; for how many times as many a cheap one has work; the work for all of them; those about which a bound from below has two more, and
 * how near, in bits of the distance of the others, with many digits and with few; digits of the values, of a pair's where these are cheap, and else; shares of the work left; what is next to nothing beside the probability that one run is the best;
 * the last point, at least, and its bits, so that the same points are taken however much work there is; bits of the others; points that are added for the ratio of places. All steer only.
 */
#define POINTS 128
#define LEAST_POINTS 8
#define FEW_POINTS 24
#define CHEAP 8
#define WORK_OF_ALL 4e9
#define PLACES 20
#define NEAR_BITS 7
#define FEW_NEAR_BITS 2
#define PAIR_DIGITS 10
#define FEW_PAIR_DIGITS 4
#define FEW_DIGITS 3
#define PROFILE_SHARE 0.8
#define TOP_SHARE 0.1
#define RATIO_SHARE 0.5
#define LITTLE 1e-3
#define LEAST_TOP (-16)
#define TOP_BITS 5
#define POINT_BITS 32
#define BALANCES 3

/* b->value := what the task of one run has at that eps, in that direction, or [0, 1]. Returns 0 where it bounds nothing. */
static int ask_task(shuf_answer_bound *b, selection_struct *x, const task *t, shuf_direction direction, const arf_t at, slong digits, double share)
{
    shuf_options options = { digits, 0 };
    int found;
    x->one.quantity = SHUF_QUANTITY_DELTA;
    x->one.direction = direction;
    shuf_real_set_arf(x->one.eps, at);
    shuf_share(&options, x->limit, share);
    found = task_evaluate(b, t, &x->one, &options) == 0 && b->side != SHUF_SIDE_NONE;
    x->one.direction = x->q->direction;
    if (found)
        x->terms += b->value->ledger.terms;
    else
        shuf_enclosure_unknown(b->value, 1);
    return found;
}

/* The values at point j, of which `left` are to come; what they rest on is noted. */
static void set_values(selection_struct *x, slong j, slong left)
{
    static const shuf_direction direction[] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    selection_profile *p = &x->profile;
    shuf_answer_bound b;
    int i;
    for (i = 0; i < (x->is_symmetric ? 1 : 2); i++)
    {
        answer_bound_init(&b);
        if (ask_task(&b, x, x->task, x->is_symmetric ? SHUF_DIRECTION_BOTH : direction[i], p->eps + j, x->digits, PROFILE_SHARE / (double) left))
            note(x, &b);
        arf_set(p->lo[i] + j, b.value->lo);
        arf_set(p->hi[i] + j, b.value->hi);
        answer_bound_clear(&b);
    }
    if (x->is_symmetric)
    {
        arf_set(p->lo[1] + j, p->lo[0] + j);
        arf_set(p->hi[1] + j, p->hi[0] + j);
    }
}

/* Whether the task has one pair of data, whose divergences at every eps are its values. */
static int has_pair(const selection_struct *x, const task *t)
{
    const shuf_question_struct *q = x->q;
    size_t i;
    int of_pairs = t->side != SHUF_SIDE_UPPER, exact = t->side == SHUF_SIDE_EXACT && shuf_question_is_central(&x->one);
    for (i = 0; i < t->count; i++)
        of_pairs &= t->routes[i]->law->pair != NULL && t->routes[i]->law->sample == NULL && t->routes[i]->one_of == 0;
    for (i = 0; i < q->count && exact; i++)
        exact = route_of_central_is_exact(&q->parts[i]);
    return of_pairs || exact;
}

/* Whether both orders of its data have the same divergences. */
static int is_symmetric(const task *t)
{
    size_t i;
    int result = 1;
    for (i = 0; i < t->count; i++)
        result &= t->routes[i]->law->symmetric;
    return result;
}

/* Whether it bounds one run on that side, from below with a pair. */
static int is_of_side(const task *t, shuf_side side, int of_pair)
{
    return !t->is_aside && (t->side == side || t->side == SHUF_SIDE_EXACT) && (side == SHUF_SIDE_UPPER || of_pair);
}

/*
 * x->task := of those that bound one run on that side, from below with a pair, the one that says most at that eps; an exact one, if there is work for it.
 * What it rests on is noted, and what it says from above, or 1, is x->at_top. Returns 0 where there is none.
 */
static int find_task(selection_struct *x, shuf_side side, const arf_t at)
{
    const int is_upper = side == SHUF_SIDE_UPPER;
    const task *best = NULL;
    int *is_accurate = flint_calloc(x->tasks.count + 1, sizeof(int)), is_known = 0;
    arf_t says;
    size_t i;
    arf_init(says);
    for (i = 0; i < x->tasks.count && !is_known; i++)
    {
        const task *t = &x->tasks.item[i];
        const int of_pair = has_pair(x, t);
        shuf_answer_bound b;
        if (!is_of_side(t, side, of_pair) || (t->unless >= 0 && is_accurate[t->unless]))
            continue;
        answer_bound_init(&b);
        is_accurate[i] = ask_task(&b, x, t, SHUF_DIRECTION_BOTH, at, of_pair ? FEW_PAIR_DIGITS : FEW_DIGITS, TOP_SHARE);
        if (is_accurate[i]
            && (best == NULL || (is_upper ? arf_cmp(b.value->hi, says) < 0 : arf_cmp(b.value->lo, says) > 0)))
        {
            best = t;
            arf_set(says, is_upper ? b.value->hi : b.value->lo);
            x->b->theorems = 0;
            note(x, &b);
            arf_mul_2exp_si(b.value->lo, b.value->lo, 1);
            is_known = t->side == SHUF_SIDE_EXACT && of_pair && arf_cmp(b.value->lo, b.value->hi) >= 0;
        }
        is_accurate[i] &= b.value->status == SHUF_OK;
        answer_bound_clear(&b);
    }
    arf_one(x->at_top);
    if (best != NULL && is_upper)
        arf_set(x->at_top, says);
    x->task = best;
    x->is_of_pair = best != NULL && has_pair(x, best) && (best->side != SHUF_SIDE_EXACT || is_known);
    x->is_symmetric = !x->is_of_pair || is_symmetric(best);
    arf_clear(says);
    flint_free(is_accurate);
    return best != NULL;
}

/* A delta below 2^-1000000 has more digits than are worth writing; the eps of this one will do. Steers only. */
#define LEAST_LOG2 (-1000000)

/* top := an eps beyond which one run has a small part of what is asked for, and next to nothing. Returns 0 where there is none. */
static int find_top(arf_t top, selection_struct *x)
{
    static const double parts[] = { 0x1p-6, 0x1p-3, 1 };
    shuf_enclosure_t r;
    arb_t all, t, least;
    arf_t at;
    size_t i;
    shuf_enclosure_init(r);
    arb_init(all); arb_init(t); arb_init(least);
    arf_init(at);
    if (x->q->quantity == SHUF_QUANTITY_DELTA)
    {
        shuf_real_end(at, x->q->eps, 1, PREC);
        ask(r, x, SHUF_QUANTITY_DELTA, at, SHUF_SIDE_UPPER, FEW_DIGITS, TOP_SHARE);
        arb_set_arf(all, r->hi);
    }
    else
    {
        shuf_real_get_arb(all, x->q->delta, PREC);
        arb_div(all, all, x->runs.mean, PREC);
    }
    arb_set_d(least, LITTLE);
    arb_div(least, least, x->runs.mean, PREC);
    arf_pos_inf(top);
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]) && !arf_is_finite(top); i++)
    {
        arb_set_d(t, parts[i]);
        arb_mul(t, t, all, PREC);
        arb_min(t, t, least, PREC);
        shuf_ball_least(at, t, PREC);
        if (arf_sgn(at) > 0 && arf_cmpabs_2exp_si(at, LEAST_LOG2) < 0)
            arf_set_si_2exp_si(at, 1, LEAST_LOG2);
        ask(r, x, SHUF_QUANTITY_EPSILON, at, SHUF_SIDE_UPPER, FEW_DIGITS, TOP_SHARE);
        arf_set(top, r->hi);
    }
    shuf_enclosure_clear(r);
    arb_clear(all); arb_clear(t); arb_clear(least);
    arf_clear(at);
    return arf_is_finite(top);
}

/* Of how many points there is work for the values, up to so many. */
static slong points_within(const selection_struct *x, slong most)
{
    const double room = x->limit > 0 ? PROFILE_SHARE * (x->limit - shuf_work()) : HUGE_VAL;
    return (slong) fmax(0, fmin((double) most, fmin(room, WORK_OF_ALL) / x->task_work));
}

static void copy_point(selection_profile *p, slong j, const selection_profile *from, slong k)
{
    int i;
    arf_set(p->eps + j, from->eps + k);
    for (i = 0; i < 2; i++)
    {
        arf_set(p->lo[i] + j, from->lo[i] + k);
        arf_set(p->hi[i] + j, from->hi[i] + k);
    }
}

/* The values at the only point there is, and their work. */
static void set_last(selection_struct *x, slong digits, slong left)
{
    const double start = shuf_work();
    x->digits = digits;
    set_values(x, 0, left);
    x->task_work = fmax(shuf_work() - start, 1);
}

/*
 * The profile of one run at points up to there: the last one tells what the others take, as all have been prepared. From below none, if that is too much,
 * or nothing is known there.
 */
static void find_profile(selection_struct *x, const arf_t top, shuf_side side)
{
    const slong most = x->is_of_pair ? POINTS : FEW_POINTS;
    selection_profile last;
    slong j, count;
    int i;
    selection_profile_init(&x->profile, 1);
    arf_set_round(x->profile.eps, top, TOP_BITS, ARF_RND_UP);
    if (arf_cmpabs_2exp_si(x->profile.eps, LEAST_TOP) < 0)
        arf_set_si_2exp_si(x->profile.eps, 1, LEAST_TOP);
    set_last(x, x->is_of_pair ? FEW_PAIR_DIGITS : FEW_DIGITS, most);
    if (x->is_of_pair && points_within(x, CHEAP * POINTS) == CHEAP * POINTS)
        set_last(x, PAIR_DIGITS, most);
    /* what is known at the top is true beyond it */
    for (i = 0; i < 2; i++)
        arf_min(x->profile.hi[i], x->profile.hi[i], x->at_top);
    last = x->profile;
    count = points_within(x, most);
    if (side == SHUF_SIDE_LOWER && (count < LEAST_POINTS || arf_is_one(arf_cmp(last.hi[0], last.hi[1]) > 0 ? last.hi[0] : last.hi[1])))
    {
        selection_profile_clear(&last);
        memset(&x->profile, 0, sizeof(x->profile));
        return;
    }
    count = FLINT_MAX(count, LEAST_POINTS);
    selection_profile_init(&x->profile, count);
    copy_point(&x->profile, count - 1, &last, 0);
    for (j = 0; j < count - 1; j++)
    {
        arf_mul_si(x->profile.eps + j, last.eps, j, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_div_si(x->profile.eps + j, x->profile.eps + j, count - 1, POINT_BITS, ARF_RND_DOWN);
        set_values(x, j, count - 1 - j + (x->is_of_pair ? 2 * PLACES : 0));
    }
    selection_profile_clear(&last);
}

/* One more point before and after each of these places, which fall. */
static void refine_profile(selection_struct *x, const slong *place, slong places)
{
    selection_profile old = x->profile, *p = &x->profile;
    arf_t near;
    slong j, k = 0;
    int side;
    arf_init(near);
    arf_mul_2exp_si(near, old.eps + 1, x->digits < PAIR_DIGITS ? -FEW_NEAR_BITS : -NEAR_BITS);
    selection_profile_init(p, old.count + 2 * places);
    for (j = 0; j < old.count; j++)
    {
        const int is_place = places > 0 && place[places - 1] == j;
        places -= is_place;
        for (side = -is_place; side <= is_place; side++, k++)
        {
            copy_point(p, k, &old, j);
            arf_addmul_si(p->eps + k, near, side, PREC, ARF_RND_DOWN);
            if (side != 0)
                set_values(x, k, 2 * places + 2);
        }
    }
    selection_profile_clear(&old);
    arf_clear(near);
}

/* One more point where the ratio of places turns on it, by whatever bounds one run there. */
static void add_balance(selection_struct *x)
{
    shuf_enclosure_t r;
    int i;
    const double eps = selection_balance(&x->runs, &x->profile);
    selection_profile old = x->profile;
    slong j, k = 0;
    arf_t at;
    shuf_enclosure_init(r);
    arf_init(at);
    arf_set_d(at, eps);
    while (k < old.count && arf_cmp(old.eps + k, at) < 0)
        k++;
    if (k > 0 && k < old.count && !arf_equal(old.eps + k, at))
    {
        selection_profile_init(&x->profile, old.count + 1);
        for (j = 0; j < old.count; j++)
            copy_point(&x->profile, j + (j >= k), &old, j);
        arf_set(x->profile.eps + k, at);
        ask(r, x, SHUF_QUANTITY_DELTA, at, SHUF_SIDE_UPPER, FEW_DIGITS, TOP_SHARE);
        for (i = 0; i < 2; i++)
            arf_set(x->profile.hi[i] + k, r->hi);
        selection_profile_clear(&old);
    }
    shuf_enclosure_clear(r);
    arf_clear(at);
}

/* ---- bounds ---- */

/* b->value := what x encloses, cut to [0, most] (most < 0: no cut) */
static void set_value(shuf_answer_bound *b, const arb_t x, int most, const selection_struct *s, double start)
{
    shuf_enclosure_struct *r = b->value;
    shuf_enclosure_zero(r);
    arb_get_lbound_arf(r->lo, x, PREC);
    arb_get_ubound_arf(r->hi, x, PREC);
    if (!arf_is_finite(r->lo) || arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_is_nan(r->hi))
        arf_pos_inf(r->hi);
    if (most >= 0 && arf_cmp_si(r->hi, most) > 0)
        arf_set_si(r->hi, most);
    if (most >= 0 && arf_cmp_si(r->lo, most) > 0)
        arf_set_si(r->lo, most);
    if (arf_is_finite(r->hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms = s->terms;
    r->ledger.precision = PREC;
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, s->q->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static void end_theorems(shuf_answer_bound *b, const char *last, shuf_side side, const selection_struct *x)
{
    b->theorem[b->theorems++] = last;
    b->side = !x->is_full && bound_certifies(b, side) ? side : SHUF_SIDE_NONE;
}

/* Of a claim: which way the number is. */
static void judge(shuf_answer_bound *b, const shuf_question_struct *q)
{
    if (q->is_claim)
        b->sign = arf_is_finite(b->value->hi) && shuf_real_cmp_arf(q->eps, b->value->hi) >= 0 ? -1 : shuf_real_cmp_arf(q->eps, b->value->lo) < 0;
}

/* Theorem 1 or 3, in both orders of the data if they differ. */
typedef struct
{
    selection_above above[2];
    selection_below below[2];
    int orders;
    shuf_side side;
} selection_function;

static shuf_status read_function(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const selection_function *f = data;
    arb_t x;
    int i;
    arb_init(x);
    shuf_enclosure_zero(r);
    shuf_real_get_arb(x, eps, PREC);
    for (i = 0; i < f->orders; i++)
    {
        if (f->side == SHUF_SIDE_UPPER)
            selection_above_value(r->hi, &f->above[i], x);
        else
            selection_below_value(r->hi, &f->below[i], x);
        if (arf_cmp(r->hi, r->lo) > 0)
            arf_set(r->lo, r->hi);
    }
    arf_set(r->hi, r->lo);
    arb_clear(x);
    (void) options;
    return r->status = SHUF_OK;
}

/* Halvings: steers only. */
#define ZERO_STEPS 48

/* r := where the function falls to 0, its ends like those of inverse_find, which finds that only below a point from which on it is known to be 0. */
static void find_zero(shuf_enclosure_t r, const selection_function *f, const shuf_options *options)
{
    shuf_enclosure_t value;
    shuf_real_t at;
    arf_t x;
    int i;
    shuf_enclosure_init(value);
    shuf_real_init(at);
    arf_init(x);
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    arf_one(x);
    for (i = 0; i < ZERO_STEPS && arf_cmp_si(x, SHUF_MAX_EPSILON) <= 0; i++)
    {
        shuf_real_set_arf(at, x);
        read_function(value, at, options, f);
        arf_set(arf_is_zero(value->hi) ? r->hi : r->lo, x);
        if (arf_is_finite(r->hi))
            arf_add(x, r->lo, r->hi, PREC, ARF_RND_DOWN);
        arf_mul_2exp_si(x, x, arf_is_finite(r->hi) ? -1 : 1);
    }
    shuf_enclosure_clear(value);
    shuf_real_clear(at);
    arf_clear(x);
}

/* v := the number that is asked for, by the function; [lo, inf] where no eps has delta. */
static void solve(arb_t v, const selection_struct *x, const selection_function *f)
{
    const inverse_problem p = { .f = read_function, .data = f, .most = SHUF_MAX_EPSILON, .start = x->start };
    shuf_options options = { FLINT_MIN(x->q->digits + 2, SHUF_MAX_DIGITS), 0 };
    shuf_enclosure_t r;
    shuf_enclosure_init(r);
    if (x->q->quantity == SHUF_QUANTITY_EPSILON && shuf_real_sgn(x->q->delta) == 0)
        find_zero(r, f, &options);
    else if (x->q->quantity == SHUF_QUANTITY_EPSILON)
        inverse_find(r, &p, x->q->delta, &options);
    else
        read_function(r, x->q->eps, &options, f);
    arb_set_interval_arf(v, r->lo, r->hi, PREC);
    shuf_enclosure_clear(r);
}

/* What either theorem makes of the profile. */
static void function_init(selection_function *f, const selection_struct *x, shuf_side side)
{
    int i;
    f->side = side;
    f->orders = x->is_symmetric ? 1 : 2;
    for (i = 0; i < f->orders; i++)
        if (side == SHUF_SIDE_UPPER)
            selection_above_init(&f->above[i], &x->runs, &x->profile, i);
        else
            selection_below_init(&f->below[i], &x->runs, &x->profile, i);
}

static void function_clear(selection_function *f)
{
    int i;
    for (i = 0; i < f->orders; i++)
        if (f->side == SHUF_SIDE_UPPER)
            selection_above_clear(&f->above[i]);
        else
            selection_below_clear(&f->below[i]);
}

/* v := the smaller of it and what Theorem 1 says by the largest ratio of places alone, which needs one run at one point. */
static void take_point(arb_t v, selection_struct *x, const selection_function *f)
{
    const int has_value = x->q->quantity == SHUF_QUANTITY_DELTA;
    shuf_enclosure_t r;
    arf_t ratio, at;
    arb_t t, more;
    int i;
    shuf_enclosure_init(r);
    arf_init(ratio); arf_init(at);
    arb_init(t); arb_init(more);
    for (i = 0; i < f->orders; i++)
        arf_max(ratio, ratio, f->above[i].ratio);
    arb_set_arf(more, ratio);
    arb_log(more, more, PREC);
    if (has_value)
    {
        shuf_real_get_arb(t, x->q->eps, PREC);
        arb_sub(t, t, more, PREC);
    }
    else
    {
        shuf_real_get_arb(t, x->q->delta, PREC);
        arb_div(t, t, x->runs.mean, PREC);
    }
    arb_get_lbound_arf(at, t, PREC);
    if (arf_is_finite(ratio) && (arf_sgn(at) >= 0 || !has_value))
    {
        if (arf_sgn(at) < 0)
            arf_zero(at);
        ask(r, x, x->q->quantity, at, SHUF_SIDE_UPPER, x->q->digits, RATIO_SHARE);
        arb_set_interval_arf(t, r->lo, r->hi, PREC);
        if (has_value)
            arb_mul(t, t, x->runs.mean, PREC);
        else
            arb_add(t, t, more, PREC);
        arb_get_ubound_arf(at, t, PREC);
        arb_get_ubound_arf(ratio, v, PREC);
        if (arf_cmp(at, ratio) < 0)
            arb_swap(v, t);
    }
    shuf_enclosure_clear(r);
    arf_clear(ratio); arf_clear(at);
    arb_clear(t); arb_clear(more);
}

/* b := the bound of Theorem 1 or 3, of the profile if there is one, the theorems and data of which are in `of`. */
static void bound_by_profile(shuf_answer_bound *b, selection_struct *x, shuf_side side, const shuf_answer_bound *of, double start)
{
    const int is_upper = side == SHUF_SIDE_UPPER, has_value = x->q->quantity == SHUF_QUANTITY_DELTA;
    selection_function f;
    arb_t v;
    arb_init(v);
    if (has_value)
        arb_one(v);
    else
        arb_pos_inf(v);
    if (x->profile.count > 0)
    {
        function_init(&f, x, side);
        solve(v, x, &f);
        x->b = b;
        if (is_upper)
            take_point(v, x, &f);
        function_clear(&f);
    }
    set_value(b, v, has_value ? 1 : -1, x, start);
    x->b = b;
    note(x, of);
    end_theorems(b, is_upper ? "selection" : "selection-order", side, x);
    b->has_data &= !is_upper;
    b->note = is_upper ? "whatever it is that makes one run better than another"
                       : "where what is likelier with the one data is better, what is likelier with the other comes next, and so on by turns";
    judge(b, x->q);
    arb_clear(v);
}

/* Theorem 2. Returns whether there is a bound. Coq: Selection.selection_ties. */
static int bound_by_ties(shuf_answer_bound *b, selection_struct *x)
{
    const shuf_question_struct *q = x->q;
    const double start = shuf_work();
    shuf_enclosure_t r;
    arb_t some, t; /* the probability of a run at all */
    arf_t at;
    int found = 0;
    shuf_enclosure_init(r);
    arb_init(some); arb_init(t); arf_init(at);
    x->b = b;
    arb_one(some);
    if (q->selection == SHUF_SELECTION_POISSON)
    {
        arb_neg(some, x->runs.mean);
        arb_expm1(some, some, PREC);
        arb_neg(some, some);
    }
    shuf_real_get_arb(t, q->quantity == SHUF_QUANTITY_EPSILON ? q->delta : q->eps, PREC);
    if (q->quantity == SHUF_QUANTITY_EPSILON)
        arb_div(t, t, some, PREC);
    arb_get_ubound_arf(at, t, PREC);
    if (arf_is_finite(at) && (q->quantity == SHUF_QUANTITY_DELTA || arf_cmp_si(at, 1) < 0) && ask(r, x, q->quantity, at, SHUF_SIDE_LOWER, x->q->digits, 0.3))
    {
        arb_set_interval_arf(t, r->lo, r->hi, PREC);
        if (q->quantity == SHUF_QUANTITY_DELTA)
            arb_mul(t, t, some, PREC);
        set_value(b, t, q->quantity == SHUF_QUANTITY_DELTA ? 1 : -1, x, start);
        end_theorems(b, "selection-ties", SHUF_SIDE_LOWER, x);
        b->note = "where all runs are equally good";
        judge(b, q);
        found = 1;
    }
    shuf_enclosure_clear(r);
    arb_clear(some); arb_clear(t); arf_clear(at);
    return found;
}

/* More points of the profile, where they tell most from below. */
static void add_points(selection_struct *x)
{
    selection_function f;
    slong place[PLACES], places;
    function_init(&f, x, SHUF_SIDE_LOWER);
    places = selection_below_places(place, FLINT_MIN(PLACES, points_within(x, 2 * PLACES) / 2), &f.below[0]);
    function_clear(&f);
    refine_profile(x, place, places);
}

/* Theorem 1, and Theorem 3 if there is a pair of data, the one that says most at that eps. */
static void bound_by_profiles(shuf_answer_struct *a, selection_struct *x, const arf_t at)
{
    shuf_answer_bound of; /* has a profile's theorems and data */
    const double start = shuf_work();
    shuf_side side;
    arf_t top;
    int has_top, i;
    arf_init(top);
    answer_bound_init(&of);
    x->b = NULL;
    has_top = find_top(top, x);
    for (side = SHUF_SIDE_UPPER; side <= SHUF_SIDE_LOWER; side++)
    {
        const int is_upper = side == SHUF_SIDE_UPPER;
        x->b = &of;
        if (has_top && (is_upper || !x->is_of_pair))
        {
            selection_profile_clear(&x->profile);
            memset(&x->profile, 0, sizeof(x->profile));
            if (find_task(x, side, is_upper ? top : at))
                find_profile(x, top, side);
            for (i = 0; i < BALANCES && is_upper && x->profile.count > 0 && !x->is_of_pair; i++)
                add_balance(x);
            if (x->profile.count > 0 && x->is_of_pair)
                add_points(x);
        }
        if (!is_upper && (x->profile.count == 0 || !x->is_of_pair))
            continue;
        answer_bound_init(&a->tried[a->count]);
        bound_by_profile(&a->tried[a->count++], x, side, &of, start);
    }
    answer_bound_clear(&of);
    arf_clear(top);
}

shuf_status selection_answer(shuf_answer_struct *a, selection_run run, const shuf_options *options)
{
    selection_struct x;
    arf_t at;
    size_t i;
    arf_init(at);
    selection_start(&x, a->question, run, shuf_limit(options));
    answer_bound_init(&a->tried[a->count]);
    if (bound_by_ties(&a->tried[a->count], &x))
        arf_set(at, a->tried[a->count++].value->lo);
    else
        answer_bound_clear(&a->tried[a->count]);
    if (a->question->quantity == SHUF_QUANTITY_DELTA)
        shuf_real_end(at, a->question->eps, 0, PREC);
    x.terms = 0;
    x.start = arf_get_d(at, ARF_RND_NEAR);
    bound_by_profiles(a, &x, at);
    for (i = 0, a->accurate = 1; i < a->count; i++)
        a->accurate &= a->tried[i].value->status == SHUF_OK;
    selection_end(&x);
    arf_clear(at);
    return SHUF_OK;
}
