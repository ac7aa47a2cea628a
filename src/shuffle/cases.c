/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* All the cases of a bound, and the largest of them. */
#include "shuffle/terms.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "iidsum/iidsum.h"

typedef struct
{
    shuffled_case *items;
    size_t count, allocated;
} case_list;

/* Unless another one is the same but for the order of equal parts. */
static void add_case(case_list *list, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference)
{
    const uint64_t a[3] = { x, x1, reference };
    size_t i;
    for (i = 0; i < list->count && randomiser->parts > 0; i++)
    {
        const uint64_t b[3] = { list->items[i].x, list->items[i].x1, list->items[i].reference };
        if (shuf_randomiser_alike(randomiser, a, b))
            return;
    }
    if (list->count == list->allocated)
    {
        list->allocated = 2 * list->allocated + 16;
        list->items = flint_realloc(list->items, list->allocated * sizeof(shuffled_case));
    }
    list->items[list->count].x = x;
    list->items[list->count].x1 = x1;
    list->items[list->count].reference = reference;
    list->count++;
}

/* With more inputs than this a third value is tried for the first pairs only, and so many third ones, the last. Steer only. */
#define MANY_INPUTS 12
#define MANY_OTHERS 100

static void add_cases(case_list *list, const shuf_randomiser_t randomiser, shuf_shuffled_kind kind)
{
    const uint64_t others = shuf_randomiser_others(randomiser), first = others > MANY_OTHERS ? others - MANY_OTHERS : 0;
    uint64_t i, j, x, x1, z;
    for (i = 0; shuf_randomiser_pair(&x, &x1, randomiser, i); i++)
    {
        switch (kind)
        {
        case SHUF_SHUFFLED_BLANKET:
            add_case(list, randomiser, x, x1, SHUF_BLANKET);
            break;
        case SHUF_SHUFFLED_ALL_EQUAL:
            add_case(list, randomiser, x, x1, x1);
            add_case(list, randomiser, x, x1, x);
            break;
        default:
            if (randomiser->inputs > MANY_INPUTS && i >= MANY_INPUTS)
                break;
            for (j = first; shuf_randomiser_other(&z, randomiser, j); j++)
                if (z != x && z != x1)
                    add_case(list, randomiser, x, x1, z);
            break;
        }
    }
}

static int by_estimate(const void *a, const void *b)
{
    double x = ((const shuffled_case *) a)->log_chernoff, y = ((const shuffled_case *) b)->log_chernoff;
    return (x < y) - (x > y);
}

/* How many different cases are tried for a lower bound; a family has fewer. Steers only. */
#define LOWER_CASES 16

/* What is known of a case. */
typedef struct
{
    const shuffled_case *c;
    term_list terms;
    shuf_enclosure_t value;
    double work; /* that it was given; 0: as much as it needed */
} case_value;

/* The case whose end (upper: hi, else lo) is largest; a lower bound's data must have the divergence lo. */
static size_t largest_end(const case_value *values, size_t count, int upper)
{
    size_t best = 0, i;
    for (i = 1; i < count; i++)
        if ((upper ? arf_cmp(values[i].value->hi, values[best].value->hi)
                   : arf_cmp(values[i].value->lo, values[best].value->lo)) > 0)
            best = i;
    return best;
}

/* Evaluates it with that part of what is left. */
static void evaluate_case(case_value *v, const round_struct *round, double limit, double part, slong digits)
{
    shuf_options o = { digits, 0.0 };
    shuf_share(&o, limit, part);
    v->work = o.max_work;
    terms_evaluate(v->value, &v->terms, round, &o);
}

/* Whether the case with these terms is the same as one of the others, or certainly no larger than lo. */
static int is_known(const case_value *values, size_t count, const term_list *t, double theta, const round_struct *round, const arf_t lo)
{
    arf_t bound;
    int known = 0;
    size_t j;
    for (j = 0; j < count && !known; j++)
        known = terms_equal(t, &values[j].terms);
    if (!known && count > 0)
    {
        arf_init(bound);
        terms_chernoff(bound, t, theta, round);
        known = arf_is_finite(bound) && arf_cmp(bound, lo) <= 0;
        arf_clear(bound);
    }
    return known;
}

/* Cases that are estimated between two looks at the budget. Steers only. */
#define ESTIMATES 16

typedef struct
{
    const shuf_randomiser_struct *randomiser;
    shuffled_case *items;
    const round_struct *round;
    const shuf_real_struct *eps;
} estimates;

static void estimate_item(void *args, slong i)
{
    const estimates *x = args;
    term_list t;
    terms_init(&t, x->randomiser, x->items + i, x->round, x->eps);
    terms_estimate(x->items + i, &t, (double) x->round->n, steer_midpoint(x->round->K));
    terms_clear(&t);
}

/* Estimates the cases and sorts them by that. Returns 0 where there was no time for some, which are left out then. */
static int rank_cases(case_list *list, estimates *x, double limit)
{
    int complete = 1;
    size_t i;
    for (i = 0; i < list->count && complete; i += ESTIMATES)
    {
        x->items = list->items + i;
        parallel_do(estimate_item, x, (slong) FLINT_MIN(ESTIMATES, list->count - i));
        complete = !shuf_exhausted(limit);
    }
    list->count = FLINT_MIN(i, list->count);
    qsort(list->items, list->count, sizeof(shuffled_case), by_estimate);
    return complete;
}

/* What is left goes to the case that leaves the width. */
static void refine(shuf_enclosure_t r, case_value *values, size_t count, const round_struct *round, double limit, slong digits)
{
    case_value *widest = &values[largest_end(values, count, 1)];
    size_t i;
    if (limit <= 0 || limit - shuf_work() <= widest->work || shuf_enclosure_accurate(r, digits))
        return;
    evaluate_case(widest, round, limit, 1, digits);
    shuf_enclosure_set(r, values[0].value);
    for (i = 1; i < count; i++)
        shuf_enclosure_max(r, r, values[i].value);
}

void largest_case(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                  shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int upper = kind == SHUF_SHUFFLED_BLANKET, few = !upper, complete;
    case_list list = { NULL, 0, 0 };
    estimates x = { randomiser, NULL, round, eps };
    case_value *values;
    size_t i, distinct = 0, best;

    add_cases(&list, randomiser, kind);
    complete = rank_cases(&list, &x, limit);
    values = flint_malloc(FLINT_MAX(list.count, 1) * sizeof(case_value));
    for (i = 0; i < list.count && !(few && distinct == LOWER_CASES); i++)
    {
        case_value *v = &values[distinct];
        if (distinct > 0 && shuf_exhausted(limit))
        {
            complete = 0;
            break;
        }
        v->c = &list.items[i];
        terms_init(&v->terms, randomiser, v->c, round, eps);
        terms_sort(&v->terms);
        if (is_known(values, distinct, &v->terms, v->c->theta, round, r->lo))
        {
            terms_clear(&v->terms);
            continue;
        }
        shuf_enclosure_init(v->value);
        evaluate_case(v, round, limit, i + 1 < list.count ? 0.5 : 1, options->digits);
        if (distinct == 0)
            shuf_enclosure_set(r, v->value);
        else
            shuf_enclosure_max(r, r, v->value);
        distinct++;
    }
    if (distinct > 0)
    {
        if (complete)
            refine(r, values, distinct, round, limit, options->digits);
        best = largest_end(values, distinct, upper);
        where->x = values[best].c->x;
        where->x1 = values[best].c->x1;
        where->others = values[best].c->reference;
    }
    if (list.count == 0 || (upper && !complete))
        round_unknown(r);
    for (i = 0; i < distinct; i++)
    {
        terms_clear(&values[i].terms);
        shuf_enclosure_clear(values[i].value);
    }
    flint_free(values);
    flint_free(list.items);
}

/* Of more cases moments are not asked for. Steer only. */
#define MOST_MOMENTS 64

int largest_moment(arb_t log_moment, arb_t alone, double *theta, const shuf_randomiser_t randomiser, const shuffled_case *only, const round_struct *round,
                   const shuf_real_t eps)
{
    static const shuffled_case blanket = { 0, 1, SHUF_BLANKET, 0, 1 };
    case_list list = { NULL, 0, 0 };
    estimates x = { randomiser, NULL, round, eps };
    term_list t;
    arb_t m;
    size_t i;
    int known;
    arb_zero(alone);
    if (shuf_randomiser_is_line(randomiser))
        return line_moment(log_moment, theta, randomiser, only != NULL ? only : &blanket, round, eps);
    if (only != NULL)
        add_case(&list, randomiser, only->x, only->x1, only->reference);
    else
        add_cases(&list, randomiser, SHUF_SHUFFLED_BLANKET);
    known = list.count > 0 && list.count <= MOST_MOMENTS;
    if (known)
    {
        rank_cases(&list, &x, 0);
        *theta = list.items[0].theta;
    }
    arb_init(m);
    arb_neg_inf(log_moment);
    for (i = 0; i < list.count && known; i++)
    {
        terms_init(&t, randomiser, &list.items[i], round, eps);
        terms_moment(m, &t, *theta);
        arb_log(m, m, PREC);
        arb_mul_ui(m, m, round->n, PREC);
        arb_max(log_moment, log_moment, m, PREC);
        arb_max(alone, alone, t.alone, PREC);
        terms_clear(&t);
    }
    arb_set_d(m, *theta);
    arb_submul(log_moment, m, round->K, PREC);
    known = known && arb_is_finite(log_moment);
    arb_clear(m);
    flint_free(list.items);
    return known;
}
