/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/pair_sum.h"

#include "hockey/hockey.h"
#include "shuffle/terms.h"

/* Of fewer users strata are as cheap. Steers only. */
#define MANY_USERS 20000

/* For more digits strata are taken. Steers only. */
#define MOST_DIGITS 7

/* Lemma 9: the two counters, the other reports, and what is no report from the blanket. */
#define MOST_TERMS 4

int pair_sum_is_cheaper(const shuf_pair_t pair)
{
    return (pair->kind == SHUF_PAIR_KRR_WEAK || pair->kind == SHUF_PAIR_CLONES_DELETION) && pair->n > MANY_USERS;
}

/* A report that others give with that probability, and the differing user with p or with q. */
static void add_term(term_list *t, const arb_t p, const arb_t q, const arb_t alpha, const arb_t probability)
{
    if (arb_is_zero(probability))
        return;
    arb_mul(t->value + t->count, alpha, q, PREC);
    arb_sub(t->value + t->count, p, t->value + t->count, PREC);
    arb_div(t->value + t->count, t->value + t->count, probability, PREC);
    arb_set(t->mass + t->count++, probability);
}

static void set_terms(term_list *t, const shuf_pair_t pair, const shuf_real_t eps)
{
    shuf_pair_weights_t w;
    arb_t alpha, x, none;
    *t = (term_list) { .allocated = MOST_TERMS, .value = _arb_vec_init(MOST_TERMS), .mass = _arb_vec_init(MOST_TERMS) };
    arb_init(t->alone);
    shuf_pair_weights_init(w);
    arb_init(alpha); arb_init(x); arb_init(none);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, PREC);
    shuf_real_exp(alpha, eps, PREC);
    arb_mul(x, w->count, w->rho, PREC);
    add_term(t, w->w0, w->w1, alpha, x);
    arb_mul(x, w->count, w->rho_complement, PREC);
    add_term(t, w->w1, w->w0, alpha, x);
    arb_set(x, w->count_complement);
    if (w->rest_is_random)
    {
        arb_mul(none, x, w->rest_complement, PREC);
        arb_mul(x, x, w->rest, PREC);
    }
    add_term(t, w->w2, w->w2, alpha, x);
    arb_zero(x);
    add_term(t, x, x, alpha, none);
    shuf_pair_weights_clear(w);
    arb_clear(alpha); arb_clear(x); arb_clear(none);
}

/* By the sum, to no more digits than that. */
static shuf_status few_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                             const shuf_options *options)
{
    shuf_options few = *options;
    round_struct round;
    const shuf_sampling users = { self->pair->n, shuf_one, 0 };
    term_list t;
    (void) where;
    (void) direction;
    few.digits = FLINT_MIN(options->digits, MOST_DIGITS);
    round_init(&round, &users, eps);
    set_terms(&t, self->pair, eps);
    shuf_enclosure_zero(r);
    terms_evaluate(r, &t, &round, &few);
    terms_clear(&t);
    round_clear(&round);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status sum_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                             const shuf_options *options)
{
    if (options->digits > MOST_DIGITS)
        return shuf_hockey_delta(r, self->pair, eps, direction, options);
    return few_delta(r, where, self, eps, direction, options);
}

static shuf_status sum_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta, shuf_direction direction,
                               const shuf_options *options)
{
    shuf_law_struct few = *self;
    (void) where;
    if (shuf_real_sgn(delta) == 0 || options->digits > MOST_DIGITS)
        return shuf_hockey_epsilon(r, self->pair, delta, direction, options);
    few.delta = few_delta; /* a search asks for more digits than it is asked for */
    return shuf_law_invert(r, &few, delta, direction, SHUF_MAX_EPSILON, options);
}

void pair_sum_points(shuf_law_t law)
{
    law->delta = sum_delta;
    law->epsilon = sum_epsilon;
}
