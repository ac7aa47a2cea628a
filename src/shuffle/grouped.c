/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Reports of which only is seen in which of three sets they are, all others holding one value: proofs/mixed.md, "Three sets". One set has
 * the reports that user 1's value x makes likeliest, one those that x1 does, next to the others' value.
 */
#include "shuffle/terms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* Sets are made of so many of the classes at either end at most, and so many cases are evaluated. Steer only. */
#define MOST_UPPER 40
#define MOST_LOWER 400
#define GROUPED_CASES 2

/* Work of an estimate of two sets, and of a class. Steer only. */
#define SETS_WORK 400.0
#define CLASS_WORK 4000.0

/* A class in doubles, with value = (p - alpha q)/w. */
typedef struct
{
    double p, q, w, gain, value;
    slong class;
} weight;

/* Sums over a set. */
typedef struct
{
    double w, gain;
} total;

static int by_value(const void *a, const void *b)
{
    double x = ((const weight *) a)->value, y = ((const weight *) b)->value;
    return (x < y) - (x > y);
}

static weight *weights_init(const shuf_classes_t c, double alpha)
{
    weight *v = flint_malloc((size_t) FLINT_MAX(c->count, 1) * sizeof(weight));
    slong i;
    for (i = 0; i < c->count; i++)
    {
        weight *x = &v[i];
        x->p = steer_midpoint(c->p + i);
        x->q = steer_midpoint(c->q + i);
        x->w = steer_midpoint(c->w + i);
        x->gain = x->p - alpha * x->q;
        x->value = x->w > 0 ? x->gain / x->w : x->gain > 0 ? HUGE_VAL : -HUGE_VAL;
        x->class = i;
    }
    qsort(v, (size_t) c->count, sizeof(weight), by_value);
    return v;
}

/* About Pr[Bin <= most], of that mean. */
static double at_most(double most, double mean)
{
    double mass, sum = 0, k = most;
    int i;
    if (most < 0 || mean <= 0)
        return most >= 0;
    if (most >= mean + 8 * sqrt(mean) + 20)
        return 1;
    mass = d_exp(k * d_log(mean) - mean - d_lgamma(k + 1));
    for (i = 0; i < 2000 && k >= 0 && (k > mean || mass > 1e-6 * sum); i++)
    {
        sum += mass;
        mass *= k / mean;
        k--;
    }
    return fmin(sum, 1);
}

/* About the delta that the event says: some report in the first set, at most so many in the last. */
static double event_delta(const total *first, const total *last, const total *rest, double others, double most)
{
    const double few = at_most(most, others * last->w), fewer = at_most(most - 1, others * last->w);
    const double some = -d_expm1((others - fmin(most, others * last->w)) * d_log1p(-fmin(first->w / (first->w + rest->w), 1 - 1e-15)));
    return first->gain * few + last->gain * fewer * some + rest->gain * few * some;
}

/* The largest of the events of two sets. */
static double sets_delta(const total *first, const total *last, const total *rest, double others, double value)
{
    double best = event_delta(first, last, rest, others, 0);
    if (last->w > 0)
    {
        /* so many reports of the last set weigh as much as the least one of the first */
        const double most = fmin(floor(value * last->w / -last->gain), others);
        best = fmax(best, event_delta(first, last, rest, others, floor(most / 2)));
        best = fmax(best, event_delta(first, last, rest, others, most));
    }
    return best;
}

/* How many classes the two sets have, in order of value. Returns about the delta. */
static double choose_sets(slong *upper, slong *lower, const weight *v, slong count, double others)
{
    double best = 0, value;
    total all = { 0, 0 }, first = { 0, 0 }, last, rest;
    slong i, k;
    *upper = *lower = 0;
    for (i = 0; i < count; i++)
    {
        all.w += v[i].w;
        all.gain += v[i].gain;
    }
    for (i = 0; i < count && i < MOST_UPPER && v[i].value > 0; i++)
    {
        first.w += v[i].w;
        first.gain += v[i].gain;
        last.w = last.gain = 0;
        for (k = count; k > i + 1 && k > count - MOST_LOWER; k--)
        {
            if (k < count)
            {
                if (v[k].value >= 0)
                    break;
                last.w += v[k].w;
                last.gain += v[k].gain;
            }
            rest.w = fmax(all.w - first.w - last.w, 0);
            rest.gain = all.gain - first.gain - last.gain;
            if (last.w > 0.5)
                break;
            value = sets_delta(&first, &last, &rest, others, v[i].value);
            shuf_charge(SETS_WORK);
            if (value > best)
            {
                best = value;
                *upper = i + 1;
                *lower = count - k;
            }
        }
    }
    return best;
}

/* c := its three sets that are best at an alpha. Returns about the delta. */
static double group_classes(shuf_classes_t c, double users, double alpha)
{
    weight *v = weights_init(c, alpha);
    slong upper, lower, i, j;
    double value = choose_sets(&upper, &lower, v, c->count, users - 1);
    arb_ptr sums = _arb_vec_init(9);
    for (i = 0; i < c->count; i++)
    {
        j = i < upper ? 0 : i < c->count - lower ? 1 : 2;
        arb_add(sums + j, sums + j, c->p + v[i].class, PREC);
        arb_add(sums + 3 + j, sums + 3 + j, c->q + v[i].class, PREC);
        arb_add(sums + 6 + j, sums + 6 + j, c->w + v[i].class, PREC);
    }
    for (i = j = 0; i < 3 && c->count >= 3; i++)
    {
        if (arb_is_zero(sums + i) && arb_is_zero(sums + 3 + i) && arb_is_zero(sums + 6 + i))
            continue;
        arb_set(c->p + j, sums + i);
        arb_set(c->q + j, sums + 3 + i);
        arb_set(c->w + j, sums + 6 + i);
        j++;
    }
    /* the rest of the vectors is cleared by their full length */
    for (i = j; i < c->count && c->count >= 3; i++)
    {
        arb_zero(c->p + i);
        arb_zero(c->q + i);
        arb_zero(c->w + i);
    }
    _arb_vec_clear(sums, 9);
    flint_free(v);
    return value;
}

/* The terms of the case in the sets that are best at `at`, or then of x1 against x. Returns about the logarithm of the delta. */
static double grouped_terms_init(term_list *t, const shuf_randomiser_t randomiser, const shuffled_case *c, int exchanged,
                                 const round_struct *round, const shuf_real_t eps, double at)
{
    shuf_classes_t classes;
    double value;
    shuf_randomiser_classes(classes, randomiser, c->x, c->x1, c->reference, PREC);
    shuf_charge(CLASS_WORK * (double) classes->count);
    value = group_classes(classes, (double) round->n, fmin(d_exp(at), DBL_MAX));
    if (exchanged)
    {
        arb_ptr p = classes->p;
        classes->p = classes->q;
        classes->q = p;
    }
    terms_of_classes(t, classes, 0, round, eps);
    shuf_classes_clear(classes);
    return d_log(value);
}

/* How many values of the others are tried for a pair, the last, besides its own two. Steers only. */
#define MOST_OTHERS 3

/* The most promising cases, looked for while the work is not enough. Returns their number. */
static slong find_cases(shuffled_case *best, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps, double enough)
{
    const uint64_t others = shuf_randomiser_others(randomiser), first = others > MOST_OTHERS ? others - MOST_OTHERS : 0;
    const double at = steer_real(eps, PREC);
    shuffled_case c;
    uint64_t i, j, z;
    slong count = 0, k;
    for (i = 0; shuf_randomiser_pair(&c.x, &c.x1, randomiser, i) && !(count > 0 && shuf_work() > enough); i++)
        for (j = 0; c.x != c.x1 && j < MOST_OTHERS + 2; j++)
        {
            term_list t;
            if (j >= 2 && (!shuf_randomiser_other(&z, randomiser, first + j - 2) || z == c.x || z == c.x1))
                continue;
            c.reference = j == 0 ? c.x1 : j == 1 ? c.x : z;
            c.log_chernoff = grouped_terms_init(&t, randomiser, &c, 0, round, eps, at);
            terms_clear(&t);
            for (k = FLINT_MIN(count, GROUPED_CASES - 1); k > 0 && best[k - 1].log_chernoff < c.log_chernoff; k--)
                best[k] = best[k - 1];
            if (k < count && best[k].log_chernoff >= c.log_chernoff)
                continue;
            best[k] = c;
            count = FLINT_MIN(count + 1, GROUPED_CASES);
        }
    return count;
}

/* Coq: ShuffleCounts.counts_below. */
void largest_group(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                   const shuf_real_t eps, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuffled_case best[GROUPED_CASES];
    shuf_enclosure_t next;
    slong i, count = find_cases(best, randomiser, round, eps, limit > 0 ? limit - options->max_work / 2 : HUGE_VAL);
    shuf_enclosure_init(next);
    for (i = 0; i < count; i++)
    {
        shuf_options o = *options;
        term_list t;
        if (i > 0 && shuf_exhausted(limit))
            break;
        shuf_share(&o, limit, i + 1 < count ? 0.5 : 1);
        grouped_terms_init(&t, randomiser, &best[i], 0, round, eps, steer_real(eps, PREC));
        terms_evaluate(next, &t, round, &o);
        terms_clear(&t);
        if (i > 0 && arf_cmp(next->lo, r->lo) <= 0)
            continue;
        shuf_enclosure_set(r, next);
        where->x = best[i].x;
        where->x1 = best[i].x1;
        where->others = best[i].reference;
        where->at = steer_real(eps, PREC);
    }
    shuf_enclosure_clear(next);
}

void group_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
              int exchanged, const shuf_real_t eps, const shuf_options *options)
{
    const shuffled_case c = { where->x, where->x1, where->others, 0, 1 };
    round_struct round;
    term_list t;
    round_init(&round, sampling, eps);
    grouped_terms_init(&t, randomiser, &c, exchanged, &round, eps, where->at);
    terms_evaluate(r, &t, &round, options);
    terms_clear(&t);
    round_clear(&round);
}
