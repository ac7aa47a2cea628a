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
    int both;                 /* whether the larger of both directions is the profile */
    int is_begun;             /* a point has been asked for */
    shuf_pld_kept_struct kept;
} profile_data;

static shuf_status evaluate_rounds(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                                   const shuf_options *options)
{
    profile_data *d = self->data;
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
        shuf_share(&o, limit, d->is_begun ? 2.0 / (double) (count - i + 1) : 1); /* none of those that are far out takes all of it */
        d->is_begun = 1;
        shuf_real_set_arf(eps, s + i);
        d->road->kept = &d->kept;
        one = rounds_delta(r, d->road, d->rounds, d->via, eps, d->both ? SHUF_DIRECTION_BOTH : direction, &o);
        d->road->kept = NULL;
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

/* Of one round by its law alone. */
static void above_round(arf_t hi, const shuf_law_struct *self, shuf_direction direction, const arf_t s)
{
    const profile_data *d = self->data;
    const shuf_law_struct *law = d->rounds->routes[0]->law;
    law->above(hi, law, direction, s);
}

/* The law of all rounds: that of the one round itself, or one that asks the road at every point, for the larger of both directions if `both`. */
static const shuf_law_struct *law_of(shuf_law_t all, profile_data *data, const rounds_struct *x, shuf_via via, rounds_road *road, int both)
{
    *data = (profile_data) { x, via, road, both, 0, { 0, NULL } };
    if (rounds_is_one(x) && via == SHUF_VIA_ANY && !x->routes[0]->law->has_cheap_points)
        return x->routes[0]->law;
    shuf_law_init(all);
    all->evaluate = evaluate_rounds;
    all->has_single_points = 1;
    if (rounds_is_one(x) && via == SHUF_VIA_ANY && x->routes[0]->law->above != NULL)
        all->above = above_round;
    all->data = data;
    all->symmetric = both || rounds_is_symmetric(x);
    return all;
}

static shuf_status tradeoff_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    profile_data data;
    shuf_law_t all;
    shuf_status status;
    const shuf_law_struct *law = law_of(all, &data, x, via, road, 0);
    status = shuf_tradeoff_point(r, law, x->question->type1, x->question->direction, options);
    shuf_pld_kept_clear(&data.kept);
    chain_add(&road->chain, "dong22-2.12");
    return status;
}

/* Of the work of several rounds, what one round of each law may take, and its digits, at most. Steer only. */
#define ONE_ROUND_SHARE 0.15
#define ONE_ROUND_DIGITS 4

/* [lo, hi] := the mu of all rounds that follows from each round's own (proofs/tradeoff.md, Lemma 6), or [0, +inf]. */
static void composed_gdp(arf_t lo, arf_t hi, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    arb_t total;
    arb_init(total);
    arf_zero(lo);
    arf_pos_inf(hi);
    if (rounds_add_squares(total, road, x, options))
    {
        arb_sqrtpos(total, total, 128);
        arb_get_interval_arf(lo, hi, total, 64);
    }
    arb_clear(total);
}

/* r and the witness: what the nodes of all rounds say, or what each round's own does, in [lo, hi], if that is less (of laws that are known at nodes it may be another number). */
static void narrow_gdp(shuf_enclosure_t r, rounds_road *road, const shuf_law_struct *law, const rounds_struct *x, const arf_t lo, const arf_t hi,
                       const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    shuf_gdp_mu(r, road->witness, law, q->eps, q->eps_to, q->direction, hi, options);
    if (arf_cmp(hi, r->hi) < 0)
    {
        arf_set(r->hi, hi);
        if (rounds_has_nodes(x))
            arf_min(r->lo, r->lo, lo);
        chain_add(&road->chain, "dong22-3.3");
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

int rounds_moment(fmpq_t sum, const rounds_struct *x)
{
    fmpq_t t;
    size_t i;
    int result = 1;
    fmpq_init(t);
    fmpq_zero(sum);
    for (i = 0; i < x->count; i++)
    {
        result &= !fmpq_is_zero(x->routes[i]->law->moment);
        fmpq_mul_ui(t, x->routes[i]->law->moment, x->routes[i]->rounds);
        fmpq_add(sum, sum, t);
    }
    fmpq_clear(t);
    return result;
}

int rounds_are_gaussian(fmpq_t square, const rounds_struct *x)
{
    size_t i;
    int result = rounds_moment(square, x);
    for (i = 0; i < x->count; i++)
        result &= x->routes[i]->law->is_gaussian;
    fmpq_mul_2exp(square, square, 1);
    return result;
}

/* hi := a mu of which all rounds are Gaussian DP, if every law has one. */
static int gaussian_bound(arf_t hi, const rounds_struct *x)
{
    fmpq_t sum, t;
    arb_t v;
    size_t i;
    int result = 1;
    fmpq_init(sum);
    fmpq_init(t);
    arb_init(v);
    for (i = 0; i < x->count; i++)
    {
        result &= !fmpq_is_zero(x->routes[i]->law->gaussian);
        fmpq_mul_ui(t, x->routes[i]->law->gaussian, x->routes[i]->rounds);
        fmpq_add(sum, sum, t);
    }
    arb_set_fmpq(v, sum, 128);
    arb_sqrt(v, v, 128);
    arb_get_ubound_arf(hi, v, 128);
    fmpq_clear(sum);
    fmpq_clear(t);
    arb_clear(v);
    return result;
}

/* r := the root of the square, and any eps of the range shows that there is no smaller one. */
static void set_root(shuf_enclosure_t r, rounds_road *road, const fmpq_t square, const shuf_real_t eps, slong digits)
{
    const slong prec = 64 + 4 * digits;
    arb_t v;
    arb_init(v);
    arb_set_fmpq(v, square, prec);
    arb_sqrt(v, v, prec);
    shuf_enclosure_zero(r);
    shuf_enclosure_set_arb(r, v, prec);
    r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
    shuf_real_set(road->witness, eps);
    arb_clear(v);
}

static shuf_status gdp_value(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    const shuf_law_struct *law;
    profile_data data;
    double limit = shuf_limit(options), begin = shuf_work();
    shuf_options o = *options;
    shuf_law_t all;
    arf_t lo, hi;
    fmpq_t square;
    int exact;
    arf_init(lo);
    arf_init(hi);
    arf_pos_inf(hi);
    fmpq_init(square);
    exact = rounds_are_gaussian(square, x) && (via == SHUF_VIA_ANY || via == SHUF_VIA_PLD);
    if (!exact && rounds_has_several(x) && (via == SHUF_VIA_ANY || via == SHUF_VIA_PLD))
    {
        o.digits = FLINT_MIN(o.digits, ONE_ROUND_DIGITS);
        shuf_share(&o, limit, ONE_ROUND_SHARE);
        composed_gdp(lo, hi, road, x, &o);
    }
    law = law_of(all, &data, x, via, road, q->direction == SHUF_DIRECTION_BOTH);
    o.digits = options->digits;
    shuf_share(&o, limit, 1);
    if (exact)
        set_root(r, road, square, q->eps, options->digits);
    else if (arf_is_finite(hi))
        narrow_gdp(r, road, law, x, lo, hi, &o);
    else
        shuf_gdp_mu(r, road->witness, law, q->eps, q->eps_to, q->direction, gaussian_bound(hi, x) ? hi : NULL, &o);
    r->ledger.work = shuf_work() - begin;
    road->has_witness = arf_sgn(r->lo) > 0 && r->status != SHUF_DOMAIN;
    chain_add(&road->chain, "dong22-2.13");
    shuf_pld_kept_clear(&data.kept);
    arf_clear(lo);
    arf_clear(hi);
    fmpq_clear(square);
    return r->status;
}

/* Whether all of it is the Gaussian mechanism, of a mu that is at most what is claimed: no digits tell a root from itself. */
static int is_claimed(const rounds_struct *x)
{
    const shuf_real_struct *mu = x->question->mu;
    fmpq_t square, claimed;
    int result;
    fmpq_init(square);
    fmpq_init(claimed);
    result = rounds_are_gaussian(square, x) && !mu->is_log;
    fmpq_mul(claimed, mu->q, mu->q);
    result = result && fmpq_cmp(square, claimed) <= 0;
    fmpq_clear(square);
    fmpq_clear(claimed);
    return result;
}

int rounds_gdp_check(shuf_enclosure_t delta, shuf_enclosure_t gaussian, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    profile_data data;
    shuf_law_t all;
    shuf_gdp_verdict verdict;
    const shuf_law_struct *law = law_of(all, &data, x, q->via, road, q->direction == SHUF_DIRECTION_BOTH);
    rounds_road_forget(road);
    if (is_claimed(x))
    {
        chain_add(&road->chain, "dong22-2.13");
        return -1;
    }
    verdict = shuf_gdp_check(road->witness, delta, gaussian, law, q->mu, q->eps, q->eps_to, q->direction, options);
    road->has_witness = verdict == SHUF_GDP_REFUTED;
    shuf_pld_kept_clear(&data.kept);
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
    case SHUF_QUANTITY_ZCDP:
        return rounds_zcdp(r, road, x, options);
    case SHUF_QUANTITY_USERS:
    case SHUF_QUANTITY_EPS0:
    case SHUF_QUANTITY_SCALE:
    case SHUF_QUANTITY_NOISE_MULTIPLIER:
    case SHUF_QUANTITY_EPOCHS:
    case SHUF_QUANTITY_ROUNDS:
    case SHUF_QUANTITY_COINS:
    case SHUF_QUANTITY_SENSITIVITY:
    case SHUF_QUANTITIES:
        break;
    }
    return SHUF_DOMAIN;
}
