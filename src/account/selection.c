/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/selection.md. */
#include "account/selection.h"

#include <math.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/evaluate.h"
#include "enclosure/inverse.h"

/* ---- one run ---- */

#define PREC 128 /* steers only */

typedef struct
{
    const shuf_question_struct *q;
    selection_run run;
    shuf_question_struct one; /* a question about one run */
    double limit;
    arb_t mean, odds;         /* E K; gamma/(1 - gamma), or below it */
    shuf_answer_bound *b;     /* where theorems are noted */
    int is_full;              /* a chain had no room for a theorem */
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
    arb_init(x->mean);
    arb_init(x->odds);
    shuf_real_get_arb(x->mean, q->selection_mean, PREC);
}

static void selection_end(selection_struct *x)
{
    shuf_real_clear(x->one.eps);
    shuf_real_clear(x->one.delta);
    shuf_real_clear(x->one.max_seconds);
    arb_clear(x->mean);
    arb_clear(x->odds);
}

/* The theorems of a bound that are not among those of x->b yet; one more has room. */
static void note_theorems(selection_struct *x, const shuf_answer_bound *of)
{
    size_t i, j;
    for (i = 0; i < of->theorems; i++)
    {
        for (j = 0; j < x->b->theorems && strcmp(x->b->theorem[j], of->theorem[i]) != 0; j++)
            ;
        x->is_full |= j >= SHUF_MAX_CHAIN - 1;
        if (j == x->b->theorems && j < SHUF_MAX_CHAIN - 1)
            x->b->theorem[x->b->theorems++] = of->theorem[i];
    }
}

/*
 * r := what bounds the quantity of one run at that point on that side, its theorems noted; from above [0, 1] or [0, inf] where nothing does.
 * Returns whether there is a bound.
 */
static int ask(shuf_enclosure_t r, selection_struct *x, shuf_quantity quantity, const shuf_real_t at, shuf_side side, const shuf_options *options)
{
    const shuf_answer_bound *b = NULL;
    shuf_answer_struct a;
    size_t i;
    x->one.quantity = quantity;
    x->one.only = side;
    x->one.digits = options->digits;
    x->one.max_work = options->max_work;
    shuf_real_set(quantity == SHUF_QUANTITY_DELTA ? x->one.eps : x->one.delta, at);
    shuf_enclosure_zero(r);
    if (x->run(&a, &x->one, options) == SHUF_OK)
        b = side == SHUF_SIDE_UPPER ? a.upper : a.lower;
    if (b != NULL)
    {
        shuf_enclosure_set(r, b->value);
        x->terms += b->value->ledger.terms;
        note_theorems(x, b);
        if (side == SHUF_SIDE_LOWER)
        {
            x->b->has_data = b->has_data;
            x->b->data = b->data;
        }
    }
    else if (side == SHUF_SIDE_UPPER && quantity == SHUF_QUANTITY_DELTA)
        arf_one(r->hi);
    else if (side == SHUF_SIDE_UPPER)
        arf_pos_inf(r->hi);
    for (i = 0; i < a.count; i++)
        answer_bound_clear(&a.tried[i]);
    return b != NULL;
}

/* The same with the question's digits and a share of the work left. */
static int ask_at(shuf_enclosure_t r, selection_struct *x, shuf_quantity quantity, const arf_t at, shuf_side side, double share)
{
    shuf_options options = { x->q->digits, 0 };
    shuf_real_t point;
    int found;
    shuf_real_init(point);
    shuf_real_set_arf(point, at);
    shuf_share(&options, x->limit, share);
    found = ask(r, x, quantity, point, side, &options);
    shuf_real_clear(point);
    return found;
}

/* ---- the likelihood ratio of places: Lemmas 2 and 3 ---- */

/* A number g in (0, 1), as large as doubles find it, with (1/g - 1)/log(1/g) >= mean: below the gamma of logarithmic runs. */
static double logarithmic_gamma(const arb_t mean)
{
    double low = 0x1p-60, high = 1;
    arb_t g, t, u;
    int i;
    arb_init(g); arb_init(t); arb_init(u);
    for (i = 0; i < 60; i++)
    {
        const double middle = sqrt(low * high);
        arb_set_d(g, middle);
        arb_inv(t, g, PREC);
        arb_log(u, t, PREC);
        arb_sub_ui(t, t, 1, PREC);
        arb_div(t, t, u, PREC);
        if (middle < 1 && arb_ge(t, mean))
            low = middle;
        else
            high = middle;
    }
    arb_clear(g); arb_clear(t); arb_clear(u);
    return low;
}

/* Of more than one run in the mean. */
static void set_odds(selection_struct *x)
{
    arb_t t;
    fmpq_t more;
    arb_init(t);
    fmpq_init(more);
    if (x->q->selection == SHUF_SELECTION_LOGARITHMIC)
    {
        arb_set_d(x->odds, logarithmic_gamma(x->mean));
        arb_sub_ui(t, x->odds, 1, PREC);
        arb_neg(t, t);
        arb_div(x->odds, x->odds, t, PREC);
    }
    else
    {
        /* gamma = 1/mean */
        fmpq_sub_si(more, x->q->selection_mean->q, 1);
        fmpq_inv(more, more);
        arb_set_fmpq(x->odds, more, PREC);
    }
    arb_clear(t);
    fmpq_clear(more);
}

/* r := delta/(delta + odds (e^eps - 1)), which is at most 1/2 where eps has the condition of Lemma 2, and 1 at 0; data: a pointer to the selection. */
static shuf_status try_ratio(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    selection_struct *x = *(selection_struct *const *) data;
    shuf_enclosure_t delta;
    arb_t room, t, u;
    if (shuf_real_sgn(eps) == 0)
    {
        shuf_enclosure_zero(r);
        arf_one(r->lo);
        arf_one(r->hi);
        return r->status = SHUF_OK;
    }
    shuf_enclosure_init(delta);
    arb_init(room); arb_init(t); arb_init(u);
    ask(delta, x, SHUF_QUANTITY_DELTA, eps, SHUF_SIDE_UPPER, options);
    shuf_real_get_arb(room, eps, PREC);
    arb_expm1(room, room, PREC);
    arb_mul(room, room, x->odds, PREC);
    /* it rises with delta */
    arb_set_arf(t, delta->lo);
    arb_add(u, t, room, PREC);
    arb_div(t, t, u, PREC);
    shuf_enclosure_set_arb(r, t, PREC);
    arb_set_arf(t, delta->hi);
    arb_add(u, t, room, PREC);
    arb_div(t, t, u, PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    if (!arf_is_finite(r->hi) || !arf_is_finite(r->lo))
        shuf_enclosure_unknown(r, 1);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    shuf_enclosure_clear(delta);
    arb_clear(room); arb_clear(t); arb_clear(u);
    return r->status;
}

#define RATIO_SHARE 0.7 /* of the work left: steers only */

/* r := an enclosure of the least eps1 with the condition of Lemma 2, which holds at its upper end; [lo, +inf] where none was found. */
static void find_ratio(shuf_enclosure_t r, selection_struct *x)
{
    const inverse_problem p = { .f = try_ratio, .data = &x, .most = SHUF_MAX_EPSILON };
    shuf_options options = { FLINT_MIN(x->q->digits + 2, SHUF_MAX_DIGITS), 0 };
    shuf_real_t half;
    fmpq_t q;
    fmpq_init(q);
    shuf_real_init(half);
    fmpq_set_si(q, 1, 2);
    shuf_real_set_fmpq(half, q);
    shuf_share(&options, x->limit, RATIO_SHARE);
    inverse_find(r, &p, half, &options);
    shuf_real_clear(half);
    fmpq_clear(q);
}

/* w := an enclosure, from a bound from above, of log W: Lemma 2 or 3. */
static void log_ratio(arb_t w, selection_struct *x)
{
    shuf_enclosure_t r;
    arf_t zero;
    shuf_enclosure_init(r);
    arf_init(zero);
    if (x->q->selection == SHUF_SELECTION_POISSON)
    {
        ask_at(r, x, SHUF_QUANTITY_DELTA, zero, SHUF_SIDE_UPPER, 0.5);
        arb_set_interval_arf(w, r->lo, r->hi, PREC);
        arb_mul(w, w, x->mean, PREC);
    }
    else if (shuf_real_cmp_si(x->q->selection_mean, 1) == 0)
        arb_zero(w);
    else
    {
        set_odds(x);
        find_ratio(r, x);
        arb_set_interval_arf(w, r->lo, r->hi, PREC);
        if (x->q->selection == SHUF_SELECTION_GEOMETRIC)
            arb_mul_2exp_si(w, w, 1);
    }
    shuf_enclosure_clear(r);
    arf_clear(zero);
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

/* Theorem 1. */
static void bound_above(shuf_answer_bound *b, selection_struct *x)
{
    const shuf_question_struct *q = x->q;
    const double start = shuf_work();
    shuf_enclosure_t r;
    arb_t w, t;
    arf_t at;
    shuf_enclosure_init(r);
    arb_init(w); arb_init(t); arf_init(at);
    x->b = b;
    log_ratio(w, x);
    if (q->quantity == SHUF_QUANTITY_EPSILON)
    {
        shuf_real_get_arb(t, q->delta, PREC);
        arb_div(t, t, x->mean, PREC);
        arb_get_lbound_arf(at, t, PREC);
        if (arf_sgn(at) < 0)
            arf_zero(at);
        ask_at(r, x, SHUF_QUANTITY_EPSILON, at, SHUF_SIDE_UPPER, 1);
        arb_set_interval_arf(t, r->lo, r->hi, PREC);
        arb_add(t, t, w, PREC);
        set_value(b, t, -1, x, start);
    }
    else
    {
        shuf_real_get_arb(t, q->eps, PREC);
        arb_sub(w, t, w, PREC);
        arb_get_lbound_arf(at, w, PREC);
        if (arf_is_finite(at) && arf_sgn(at) >= 0)
        {
            ask_at(r, x, SHUF_QUANTITY_DELTA, at, SHUF_SIDE_UPPER, 1);
            arb_set_interval_arf(t, r->lo, r->hi, PREC);
            arb_mul(t, t, x->mean, PREC);
        }
        else
            arb_one(t);
        set_value(b, t, 1, x, start);
    }
    end_theorems(b, "selection", SHUF_SIDE_UPPER, x);
    b->note = "whatever it is that makes one run better than another";
    judge(b, q);
    shuf_enclosure_clear(r);
    arb_clear(w); arb_clear(t); arf_clear(at);
}

/* Theorem 2. Returns whether there is a bound. */
static int bound_below(shuf_answer_bound *b, selection_struct *x)
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
        arb_neg(some, x->mean);
        arb_expm1(some, some, PREC);
        arb_neg(some, some);
    }
    shuf_real_get_arb(t, q->quantity == SHUF_QUANTITY_EPSILON ? q->delta : q->eps, PREC);
    if (q->quantity == SHUF_QUANTITY_EPSILON)
        arb_div(t, t, some, PREC);
    arb_get_ubound_arf(at, t, PREC);
    if (arf_is_finite(at) && (q->quantity == SHUF_QUANTITY_DELTA || arf_cmp_si(at, 1) < 0) && ask_at(r, x, q->quantity, at, SHUF_SIDE_LOWER, 0.3))
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

shuf_status selection_answer(shuf_answer_struct *a, selection_run run, const shuf_options *options)
{
    selection_struct x;
    size_t i;
    selection_start(&x, a->question, run, shuf_limit(options));
    answer_bound_init(&a->tried[a->count]);
    if (bound_below(&a->tried[a->count], &x))
        a->count++;
    else
        answer_bound_clear(&a->tried[a->count]);
    x.terms = 0;
    answer_bound_init(&a->tried[a->count]);
    bound_above(&a->tried[a->count++], &x);
    for (i = 0, a->accurate = 1; i < a->count; i++)
        a->accurate &= a->tried[i].value->status == SHUF_OK;
    selection_end(&x);
    return SHUF_OK;
}
