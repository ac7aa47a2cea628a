/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Two values among the others, and one event of each report: proofs/mixed.md. */
#include "shuffle/terms.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "enclosure/steer.h"
#include "shuffle/binary.h"
#include "shuffle/mixed.h"

int has_events(const shuf_randomiser_t randomiser)
{
    return !shuf_randomiser_is_line(randomiser) && randomiser->parts == 0;
}

/* The rows of x and x1, the outputs in decreasing order of their likelihood ratio: events are the first ones. */
typedef struct
{
    slong count;
    arb_ptr p, q;
    slong *order;
} row_pair;

static double ratio_estimate(const row_pair *rows, slong i)
{
    double q = steer_midpoint(rows->q + i), p = steer_midpoint(rows->p + i);
    return q > 0 ? p / q : p > 0 ? HUGE_VAL : 0;
}

static void rows_init(row_pair *rows, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1)
{
    slong i, j;
    if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
    {
        rows->count = (slong) randomiser->outputs;
        rows->p = _arb_vec_init(rows->count);
        rows->q = _arb_vec_init(rows->count);
        for (i = 0; i < rows->count; i++)
        {
            arb_set_fmpq(rows->p + i, randomiser->row + x * randomiser->outputs + (uint64_t) i, PREC);
            arb_set_fmpq(rows->q + i, randomiser->row + x1 * randomiser->outputs + (uint64_t) i, PREC);
        }
    }
    else
    {
        shuf_classes_t classes;
        shuf_randomiser_classes(classes, randomiser, x, x1, x1, PREC);
        rows->count = classes->count;
        rows->p = _arb_vec_init(rows->count);
        rows->q = _arb_vec_init(rows->count);
        _arb_vec_set(rows->p, classes->p, rows->count);
        _arb_vec_set(rows->q, classes->q, rows->count);
        shuf_classes_clear(classes);
    }
    rows->order = flint_malloc((size_t) rows->count * sizeof(slong));
    for (i = 0; i < rows->count; i++)
    {
        for (j = i; j > 0 && ratio_estimate(rows, rows->order[j - 1]) < ratio_estimate(rows, i); j--)
            rows->order[j] = rows->order[j - 1];
        rows->order[j] = i;
    }
}

static void rows_clear(row_pair *rows)
{
    _arb_vec_clear(rows->p, rows->count);
    _arb_vec_clear(rows->q, rows->count);
    flint_free(rows->order);
}

/* Of the first `size` outputs: the probability when z is held, one of x, x1 or (MATRIX) any input. */
static void event_probability(arb_t r, const shuf_randomiser_t randomiser, const row_pair *rows, uint64_t x, uint64_t z,
                              slong size)
{
    fmpq_t sum;
    slong i;
    fmpq_init(sum);
    arb_zero(r);
    for (i = 0; i < size; i++)
    {
        if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
            fmpq_add(sum, sum, randomiser->row + z * randomiser->outputs + (uint64_t) rows->order[i]);
        else
            arb_add(r, r, (z == x ? rows->p : rows->q) + rows->order[i], PREC);
    }
    if (randomiser->kind == SHUF_RANDOMISER_MATRIX)
        arb_set_fmpq(r, sum, PREC);
    fmpq_clear(sum);
}

/* An event of the pair x, x1, with all others holding u. */
typedef struct
{
    uint64_t x, x1, u;
    slong size;
    double log_chernoff;
} mix_case;

static int by_mix_estimate(const void *a, const void *b)
{
    double x = ((const mix_case *) a)->log_chernoff, y = ((const mix_case *) b)->log_chernoff;
    return (x < y) - (x > y);
}

/* Chernoff's bound of the two-valued report; an estimate. */
static void estimate_mix(mix_case *c, const shuf_randomiser_t randomiser, const row_pair *rows, const round_struct *round, double alpha)
{
    shuffled_case estimate;
    term_list t;
    arb_t a, p, q;
    double A, P, Q, value[2], mass[2];
    int i;
    arb_init(a); arb_init(p); arb_init(q);
    event_probability(a, randomiser, rows, c->x, c->u, c->size);
    event_probability(p, randomiser, rows, c->x, c->x, c->size);
    event_probability(q, randomiser, rows, c->x, c->x1, c->size);
    A = steer_midpoint(a);
    P = steer_midpoint(p);
    Q = steer_midpoint(q);
    value[0] = P - alpha * Q;
    value[1] = 1 - P - alpha * (1 - Q);
    mass[0] = A;
    mass[1] = 1 - A;
    t.count = t.allocated = 2;
    t.value = _arb_vec_init(2);
    t.mass = _arb_vec_init(2);
    arb_init(t.alone);
    for (i = 0; i < 2; i++)
    {
        if (mass[i] > 0)
        {
            arb_set_d(t.value + i, value[i] / mass[i]);
            arb_set_d(t.mass + i, mass[i]);
        }
        else if (value[i] > 0)
        {
            arb_set_d(t.alone, value[i]);
        }
    }
    terms_estimate(&estimate, &t, (double) round->n, steer_midpoint(round->K));
    c->log_chernoff = estimate.log_chernoff;
    terms_clear(&t);
    arb_clear(a); arb_clear(p); arb_clear(q);
}

/* Steer only. */
#define MIX_CASES 6
#define SAMPLED_MIX_CASES 3

/* The mixes, the most promising first, looked for while the work is not enough. Returns their number. */
static size_t find_mixes(mix_case **cases, const shuf_randomiser_t randomiser, const round_struct *round, uint64_t values, double alpha, double enough)
{
    size_t count = 0, allocated = 0;
    uint64_t i, x, x1, u;
    *cases = NULL;
    for (i = 0; shuf_randomiser_pair(&x, &x1, randomiser, i); i++)
    {
        row_pair rows;
        slong size;
        if (x >= values || x1 >= values)
            continue;
        if (count > 0 && shuf_work() > enough)
            break; /* the pairs so far will do */
        rows_init(&rows, randomiser, x, x1);
        for (size = 1; size < rows.count; size++)
            for (u = 0; u < values; u++)
            {
                mix_case *c;
                if (count == allocated)
                {
                    allocated = 2 * allocated + 16;
                    *cases = flint_realloc(*cases, allocated * sizeof(mix_case));
                }
                c = *cases + count++;
                c->x = x;
                c->x1 = x1;
                c->u = u;
                c->size = size;
                estimate_mix(c, randomiser, &rows, round, alpha);
            }
        rows_clear(&rows);
    }
    qsort(*cases, count, sizeof(mix_case), by_mix_estimate);
    return count;
}

/* The mixes that promise most at eps; alpha about e^eps. Returns their number. */
static size_t promising_mixes(mix_case **cases, const shuf_randomiser_t randomiser, const round_struct *round, uint64_t values,
                              const shuf_real_t eps, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    double alpha;
    arb_t t;
    arb_init(t);
    shuf_real_exp(t, eps, PREC);
    alpha = fmin(steer_midpoint(t), DBL_MAX); /* infinity times a probability of 0 is no number */
    arb_clear(t);
    return find_mixes(cases, randomiser, round, values, alpha, limit > 0 ? limit - options->max_work / 2 : HUGE_VAL);
}

#define MOST_VALUES 12 /* of a matrix with more inputs only the first ones: these bounds are from below: steers only */

/* Inputs that the others hold. */
static uint64_t mixed_values(const shuf_randomiser_t randomiser)
{
    return randomiser->kind == SHUF_RANDOMISER_MATRIX ? FLINT_MIN(randomiser->inputs, MOST_VALUES) : 2;
}

void largest_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                 const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int found = 0;
    const uint64_t n = round->n, values = mixed_values(randomiser);
    uint64_t j, v;
    size_t count, k;
    mix_case *cases;
    shuf_event_t event;
    shuf_enclosure_t next;
    row_pair rows;

    if (!has_events(randomiser) || n > SHUF_MIXED_MAX_USERS)
        return;
    shuf_event_init(event);
    shuf_enclosure_init(next);
    count = promising_mixes(&cases, randomiser, round, values, eps, options);
    for (k = 0; k < count && k < MIX_CASES; k++)
    {
        const mix_case *c = &cases[k];
        rows_init(&rows, randomiser, c->x, c->x1);
        event_probability(event->a, randomiser, &rows, c->x, c->u, c->size);
        event_probability(event->p, randomiser, &rows, c->x, c->x, c->size);
        event_probability(event->q, randomiser, &rows, c->x, c->x1, c->size);
        for (v = 0; v < values; v++)
        {
            shuf_options o = *options;
            double outer;
            if (v == c->u || (found && shuf_exhausted(limit)))
                continue;
            shuf_share(&o, limit, 0.5);
            event_probability(event->b, randomiser, &rows, c->x, v, c->size);
            outer = shuf_limit_set(limit > 0 ? shuf_work() + o.max_work / 2 : 0);
            j = shuf_mixed_worst(n, event, eps);
            shuf_limit_set(outer);
            shuf_share(&o, limit, 0.5);
            if (shuf_mixed_delta(next, n, j, event, eps, &o) == SHUF_DOMAIN || (found && arf_cmp(next->lo, r->lo) <= 0))
                continue;
            found = 1;
            shuf_enclosure_set(r, next);
            where->x = c->x;
            where->x1 = c->x1;
            where->others = c->u;
            where->second = v;
            where->count = j;
            where->event = (uint64_t) c->size;
        }
        rows_clear(&rows);
    }
    flint_free(cases);
    shuf_event_clear(event);
    shuf_enclosure_clear(next);
}

/*
 * The event of x and x1 as a bit of all users, of whom the round's report; returns 0 if there are too many.
 * Coq: KrrSampled.sampled_event_below.
 */
static int set_event_bits(binary_t bits, const shuf_randomiser_t randomiser, const row_pair *rows, uint64_t x, uint64_t x1, slong size,
                          const round_struct *round)
{
    fmpq_t users;
    int known;
    fmpq_init(users);
    fmpq_set_ui(users, round->n, 1);
    fmpq_div(users, users, round->rate);
    known = fmpz_is_one(fmpq_denref(users)) && fmpz_cmp_ui(fmpq_numref(users), COUNTS_MAX_USERS) <= 0;
    if (known)
    {
        bits->users = fmpz_get_ui(fmpq_numref(users));
        bits->absent = bits->users - round->n;
        event_probability(bits->bits->p, randomiser, rows, x, x, size);
        event_probability(bits->bits->q, randomiser, rows, x, x1, size);
        shuf_ball_complement(bits->bits->p_rest, bits->bits->p, PREC);
        shuf_ball_complement(bits->bits->q_rest, bits->bits->q, PREC);
    }
    fmpq_clear(users);
    return known;
}

void largest_sampled_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                         const shuf_real_t eps, const shuf_options *options)
{
    double limit = shuf_limit(options);
    int tried = 0, found = 0;
    size_t count, k;
    mix_case *cases;
    shuf_enclosure_t next;
    if (!has_events(randomiser))
        return;
    shuf_enclosure_init(next);
    count = promising_mixes(&cases, randomiser, round, mixed_values(randomiser), eps, options);
    for (k = 0; k < count && tried < SAMPLED_MIX_CASES; k++)
    {
        const mix_case *c = &cases[k];
        shuf_options o = *options;
        binary_data data;
        binary_t bits;
        row_pair rows;
        if (c->u != c->x1 || (found && shuf_exhausted(limit)))
            continue;
        tried++;
        shuf_share(&o, limit, 0.5);
        binary_init(bits);
        rows_init(&rows, randomiser, c->x, c->x1);
        if (set_event_bits(bits, randomiser, &rows, c->x, c->x1, c->size, round)
            && binary_delta(next, &data, bits, eps, SHUF_DIRECTION_BOTH, 1, &o) != SHUF_DOMAIN
            && data.ones > 0 && data.ones + 1 < bits->users /* of others all alike the whole reports are known */
            && (!found || arf_cmp(next->lo, r->lo) > 0))
        {
            int forward = data.direction == SHUF_DIRECTION_PQ;
            found = 1;
            shuf_enclosure_set(r, next);
            where->x = forward ? c->x : c->x1;
            where->x1 = forward ? c->x1 : c->x;
            where->others = c->x1;
            where->second = c->x;
            where->count = data.ones;
            where->event = (uint64_t) c->size;
        }
        rows_clear(&rows);
        binary_clear(bits);
    }
    flint_free(cases);
    shuf_enclosure_clear(next);
}

static void sampled_mix_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
                    const shuf_real_t eps, const shuf_options *options)
{
    const shuf_direction direction = where->x == where->second ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
    round_struct round;
    binary_t bits;
    row_pair rows;
    round_init(&round, sampling, eps);
    binary_init(bits);
    rows_init(&rows, randomiser, where->second, where->others);
    if (!set_event_bits(bits, randomiser, &rows, where->second, where->others, (slong) where->event, &round)
        || binary_delta_of(r, bits, where->count, eps, direction, options) == SHUF_DOMAIN)
        round_unknown(r);
    rows_clear(&rows);
    binary_clear(bits);
    round_clear(&round);
}

void mix_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
            const shuf_real_t eps, const shuf_options *options)
{
    const slong size = (slong) where->event;
    shuf_event_t event;
    row_pair rows;
    if (!fmpq_is_one(sampling->rate))
    {
        sampled_mix_of(r, randomiser, sampling, where, eps, options);
        return;
    }
    shuf_event_init(event);
    rows_init(&rows, randomiser, where->x, where->x1);
    event_probability(event->p, randomiser, &rows, where->x, where->x, size);
    event_probability(event->q, randomiser, &rows, where->x, where->x1, size);
    event_probability(event->a, randomiser, &rows, where->x, where->others, size);
    event_probability(event->b, randomiser, &rows, where->x, where->second, size);
    if (shuf_mixed_delta(r, sampling->n, where->count, event, eps, options) == SHUF_DOMAIN)
        round_unknown(r);
    rows_clear(&rows);
    shuf_event_clear(event);
}
