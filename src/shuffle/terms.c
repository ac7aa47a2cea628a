/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* One user among independent reports: proofs/blanket.md, Lemma 1, and proofs/sampled-described.md. */
#include "shuffle/terms.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "iidsum/iidsum.h"

void round_unknown(shuf_enclosure_t r)
{
    shuf_enclosure_unknown(r, 1);
    mag_one(r->ledger.truncation);
}

void round_init(round_struct *round, const shuf_sampling *sampling, const shuf_real_t eps)
{
    fmpq_t q;
    fmpq_init(q);
    round->n = sampling->n;
    round->everyone = fmpq_is_one(sampling->rate);
    fmpq_init(round->rate);
    fmpq_init(round->participation);
    fmpq_one(round->rate);
    fmpq_one(round->participation);
    fmpq_set(sampling->is_poisson ? round->participation : round->rate, sampling->rate);
    arb_init(round->K);
    arb_init(round->absent);
    shuf_real_exp(round->absent, eps, PREC);
    shuf_ball_complement(round->absent, round->absent, PREC);
    fmpq_inv(q, round->rate);
    fmpq_sub_si(q, q, 1);
    fmpq_neg(q, q);
    arb_set_fmpq(round->K, q, PREC);
    arb_mul_ui(round->K, round->K, round->n, PREC);
    arb_mul(round->K, round->absent, round->K, PREC);
    fmpq_clear(q);
}

void round_clear(round_struct *round)
{
    fmpq_clear(round->rate);
    fmpq_clear(round->participation);
    arb_clear(round->K);
    arb_clear(round->absent);
}

/*
 * Makes them those of users who take part with the round's probability: there must be room for one more.
 * Coq: PoissonShuffle.poisson_blanket, PoissonShuffle.poisson_alike, PoissonShuffle.poisson_local_profile.
 */
void terms_thin(term_list *t, const round_struct *round)
{
    arb_t participation;
    if (fmpq_is_one(round->participation))
        return;
    arb_init(participation);
    arb_set_fmpq(participation, round->participation, PREC);
    _arb_vec_scalar_mul(t->mass, t->mass, t->count, participation, PREC);
    arb_mul(t->alone, t->alone, participation, PREC);
    arb_set(t->value + t->count, round->absent);
    shuf_ball_complement(t->mass + t->count, participation, PREC);
    t->count++;
    arb_clear(participation);
}

/* Units of work of a class, and of a term of an estimate. Steer only. */
#define CLASS_WORK 4000.0
#define ESTIMATE_WORK 12.0

/* Coq: ShuffleBlanket.blanket_common, ShuffleBlanket.alike_exact, SampledShuffle.sampled_blanket, SampledShuffle.sampled_alike. */
void terms_of_classes(term_list *t, const shuf_classes_t classes, int is_blanket, const round_struct *round, const shuf_real_t eps)
{
    arb_t alpha, u, v, rest;
    slong i;
    arb_init(alpha); arb_init(u); arb_init(v); arb_init(rest);
    shuf_real_exp(alpha, eps, PREC);
    t->count = 0;
    t->allocated = classes->count + 2;
    t->value = _arb_vec_init(t->allocated);
    t->mass = _arb_vec_init(t->allocated);
    arb_init(t->alone);
    arb_one(rest);
    for (i = 0; i < classes->count; i++)
    {
        arb_set(v, classes->p + i);
        arb_submul(v, alpha, classes->q + i, PREC);
        if (arb_is_zero(classes->w + i))
        {
            arb_zero(u);
            arb_max(u, u, v, PREC);
            arb_add(t->alone, t->alone, u, PREC);
        }
        else
        {
            arb_div(t->value + t->count, v, classes->w + i, PREC);
            arb_set(t->mass + t->count, classes->w + i);
            arb_sub(rest, rest, classes->w + i, PREC);
            t->count++;
        }
    }
    if (is_blanket)
    {
        /* no report from the blanket: a term 0 */
        arb_zero(u);
        arb_max(t->mass + t->count, rest, u, PREC);
        t->count++;
    }
    terms_thin(t, round);
    arb_clear(alpha); arb_clear(u); arb_clear(v); arb_clear(rest);
}

void terms_init(term_list *t, const shuf_randomiser_t randomiser, const shuffled_case *c, const round_struct *round, const shuf_real_t eps)
{
    shuf_classes_t classes;
    shuf_randomiser_classes(classes, randomiser, c->x, c->x1, c->reference, PREC);
    shuf_charge(CLASS_WORK * (double) classes->count);
    terms_of_classes(t, classes, c->reference == SHUF_BLANKET, round, eps);
    shuf_classes_clear(classes);
}

void terms_clear(term_list *t)
{
    _arb_vec_clear(t->value, t->allocated);
    _arb_vec_clear(t->mass, t->allocated);
    arb_clear(t->alone);
}

typedef struct
{
    arb_struct value, mass;
} term;

/* By value, then by mass: the order of their midpoints. */
static int by_value(const void *a, const void *b)
{
    const term *s = a, *t = b;
    int order = arf_cmp(arb_midref(&s->value), arb_midref(&t->value));
    return order != 0 ? order : arf_cmp(arb_midref(&s->mass), arb_midref(&t->mass));
}

void terms_sort(term_list *t)
{
    term *list = flint_malloc((size_t) (t->count + 1) * sizeof(term));
    slong i;
    for (i = 0; i < t->count; i++)
    {
        list[i].value = t->value[i];
        list[i].mass = t->mass[i];
    }
    qsort(list, (size_t) t->count, sizeof(term), by_value);
    for (i = 0; i < t->count; i++)
    {
        t->value[i] = list[i].value;
        t->mass[i] = list[i].mass;
    }
    flint_free(list);
}

int terms_equal(const term_list *s, const term_list *t)
{
    slong i;
    if (s->count != t->count || !arb_equal(s->alone, t->alone))
        return 0;
    for (i = 0; i < s->count; i++)
        if (!arb_equal(s->value + i, t->value + i) || !arb_equal(s->mass + i, t->mass + i))
            return 0;
    return 1;
}

#define THETA_STEPS 60 /* steers only */

void terms_estimate(shuffled_case *c, const term_list *t, double users, double K)
{
    double *v = flint_malloc((size_t) (t->count + 1) * sizeof(double)), *w = flint_malloc((size_t) (t->count + 1) * sizeof(double));
    double largest = 0, low, high, alone = steer_midpoint(t->alone);
    slong j;
    int i;
    shuf_charge(2 * THETA_STEPS * ESTIMATE_WORK * (double) (t->count + 1));
    for (j = 0; j < t->count; j++)
    {
        v[j] = steer_midpoint(t->value + j);
        w[j] = steer_midpoint(t->mass + j);
        largest = fmax(largest, v[j]);
    }
    c->log_chernoff = -HUGE_VAL;
    c->theta = 1;
    if (largest > 0)
    {
        /* convex in theta; theta largest is between 1/n and some hundreds at the minimum */
        low = d_log(1e-3 / (largest * users));
        high = d_log(600 / largest);
        for (i = 0; i < THETA_STEPS; i++)
        {
            double at[2] = { low + (high - low) / 3, high - (high - low) / 3 }, value[2];
            int side;
            for (side = 0; side < 2; side++)
            {
                double sum = 0, theta = d_exp(at[side]);
                for (j = 0; j < t->count; j++)
                    sum += w[j] * d_expm1(theta * v[j]);
                value[side] = users * d_log1p(sum) - at[side] - theta * K;
            }
            if (value[0] < value[1])
                high = at[1];
            else
                low = at[0];
            c->log_chernoff = fmin(value[0], value[1]) - 1 - d_log(users);
        }
        c->theta = d_exp((low + high) / 2);
        if (isnan(c->log_chernoff) || !isnormal(c->theta))
        {
            /* beyond the range of doubles: nothing is known */
            c->log_chernoff = 0;
            c->theta = 1;
        }
    }
    if (alone > 0)
        c->log_chernoff = fmax(c->log_chernoff, d_log(alone)) + d_log1p(d_exp(-fabs(c->log_chernoff - d_log(alone))));
    flint_free(v);
    flint_free(w);
}

void terms_moment(arb_t sum, const term_list *t, double theta)
{
    arb_t u;
    slong j;
    arb_init(u);
    arb_zero(sum);
    for (j = 0; j < t->count; j++)
    {
        arb_set_d(u, theta);
        arb_mul(u, u, t->value + j, PREC);
        arb_exp(u, u, PREC);
        arb_addmul(sum, t->mass + j, u, PREC);
    }
    arb_clear(u);
}

void terms_chernoff(arf_t bound, const term_list *t, double theta, const round_struct *round)
{
    arb_t sum, u;
    arb_init(sum); arb_init(u);
    terms_moment(sum, t, theta);
    arb_pow_ui(sum, sum, round->n, PREC);
    arb_set_d(u, theta);
    arb_mul_ui(u, u, round->n, PREC);
    arb_div(sum, sum, u, PREC);
    arb_set_d(u, -theta);
    arb_mul(u, u, round->K, PREC);
    arb_sub_ui(u, u, 1, PREC);
    arb_exp(u, u, PREC);
    arb_mul(sum, sum, u, PREC);
    arb_add(sum, sum, t->alone, PREC);
    arb_set_fmpq(u, round->rate, PREC);
    arb_mul(sum, sum, u, PREC);
    arb_get_ubound_arf(bound, sum, PREC);
    arb_clear(sum); arb_clear(u);
}

void round_finish(shuf_enclosure_t r, const round_struct *round, const arb_t alone)
{
    mag_ptr parts[4] = { r->ledger.truncation, r->ledger.discretisation, r->ledger.aliasing, r->ledger.rounding };
    arf_ptr ends[2] = { r->lo, r->hi };
    arb_t t, rate;
    mag_t extra;
    int i;
    arb_init(t);
    arb_init(rate);
    mag_init(extra);
    arb_set_fmpq(rate, round->rate, PREC);
    for (i = 0; i < 2; i++)
    {
        arb_set_arf(t, ends[i]);
        arb_div_ui(t, t, round->n, PREC);
        arb_add(t, t, alone, PREC);
        arb_mul(t, t, rate, PREC);
        if (i == 0)
            arb_get_lbound_arf(r->lo, t, PREC);
        else
            arb_get_ubound_arf(r->hi, t, PREC);
    }
    for (i = 0; i < 4; i++)
        mag_div_ui(parts[i], parts[i], round->n);
    /* what these roundings add to the width */
    arb_get_mag(extra, t);
    mag_mul_2exp_si(extra, extra, 4 - PREC);
    mag_addmul(extra, arb_radref(alone), arb_radref(alone));
    mag_add(extra, extra, arb_radref(alone));
    mag_add(extra, extra, arb_radref(alone));
    mag_add(r->ledger.rounding, r->ledger.rounding, extra);
    shuf_ends_cut(r->lo, r->hi);
    arb_clear(t);
    arb_clear(rate);
    mag_clear(extra);
}

void terms_evaluate(shuf_enclosure_t r, const term_list *t, const round_struct *round, const shuf_options *options)
{
    shuf_summand law;
    shuf_summand_init_finite(&law, t->value, t->mass, t->count);
    shuf_iidsum_excess(r, &law, round->n, round->K, options);
    round_finish(r, round, t->alone);
    if (r->status == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
    shuf_summand_clear_finite(&law);
}
