/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Trade-off functions and Gaussian DP of rounds: what follows from the profile at every eps; and whatever is asked for. */
#include "account/rounds.h"
#include "tradeoff/gdp.h"
#include "tradeoff/tradeoff.h"

typedef struct
{
    const rounds_struct *rounds;
    shuf_via via;
    rounds_road *road;
} profile_data;

static shuf_status evaluate_rounds(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                   const shuf_options *options)
{
    const profile_data *d = self->data;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK, one;
    shuf_enclosure_t r;
    shuf_real_t eps;
    slong i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    for (i = 0; i < count; i++)
    {
        shuf_share(&o, limit, 1);
        shuf_real_set_arf(eps, s + i);
        one = rounds_delta(r, d->road, d->rounds, d->via, eps, direction, &o);
        if (one == SHUF_DOMAIN)
        {
            shuf_enclosure_unknown(r, 1);
            one = SHUF_ACCURACY;
        }
        status = FLINT_MAX(status, one);
        arf_set(lo + i, r->lo);
        arf_set(hi + i, r->hi);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return status;
}

/* The law of all rounds: that of the one round itself, or one that asks the road at every point. */
static const shuf_law_struct *law_of(shuf_law_t all, profile_data *data, const rounds_struct *x, shuf_via via, rounds_road *road)
{
    if (rounds_is_one(x) && via == SHUF_VIA_ANY)
        return x->routes[0]->law;
    *data = (profile_data) { x, via, road };
    shuf_law_init(all);
    all->evaluate = evaluate_rounds;
    all->data = data;
    all->symmetric = rounds_is_symmetric(x);
    return all;
}

static shuf_status tradeoff_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    profile_data data;
    shuf_law_t all;
    shuf_status status;
    const shuf_law_struct *law = law_of(all, &data, x, via, road);
    status = shuf_tradeoff_point(r, law, x->question->type1, x->question->direction, options);
    chain_add(&road->chain, "dong22-2.12");
    return status;
}

static shuf_status gdp_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    profile_data data;
    shuf_law_t all;
    shuf_status status;
    const shuf_law_struct *law = law_of(all, &data, x, via, road);
    status = shuf_gdp_mu(r, road->witness, law, q->eps, q->eps_to, q->direction, options);
    road->has_witness = arf_sgn(r->lo) > 0 && status != SHUF_DOMAIN;
    chain_add(&road->chain, "dong22-2.13");
    return status;
}

int rounds_gdp_check(shuf_enclosure_t delta, shuf_enclosure_t gaussian, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    profile_data data;
    shuf_law_t all;
    shuf_gdp_verdict verdict;
    const shuf_law_struct *law = law_of(all, &data, x, q->via, road);
    rounds_road_forget(road);
    verdict = shuf_gdp_check(road->witness, delta, gaussian, law, q->mu, q->eps, q->eps_to, q->direction, options);
    road->has_witness = verdict == SHUF_GDP_REFUTED;
    chain_add(&road->chain, "dong22-2.13");
    return verdict == SHUF_GDP_CERTIFIED ? -1 : verdict == SHUF_GDP_REFUTED;
}

/* ---- everything ---- */

shuf_status rounds_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    rounds_road_forget(road);
    switch (q->quantity)
    {
    case SHUF_QUANTITY_DELTA:
        return rounds_delta(r, road, x, via, q->eps, q->direction, options);
    case SHUF_QUANTITY_EPSILON:
        return rounds_epsilon(r, road, x, via, q->delta, q->direction, options);
    case SHUF_QUANTITY_RENYI:
        return rounds_renyi(r, road, x, options);
    case SHUF_QUANTITY_TRADEOFF:
        return tradeoff_value(r, road, x, via, options);
    case SHUF_QUANTITY_GDP:
        return gdp_value(r, road, x, via, options);
    case SHUF_QUANTITY_USERS:
    case SHUF_QUANTITY_EPS0:
    case SHUF_QUANTITY_SCALE:
    case SHUF_QUANTITY_NOISE_MULTIPLIER:
    case SHUF_QUANTITY_EPOCHS:
    case SHUF_QUANTITY_ROUNDS:
    case SHUF_QUANTITIES:
        break;
    }
    return SHUF_DOMAIN;
}
