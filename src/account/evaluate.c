/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/answer_json.h"
#include "account/evaluate.h"
#include "account/loosen.h"
#include "account/noise_part.h"

#include <string.h>

#include "hockey/hockey.h"

/* Sign of every value in r minus x: 1, -1 (or equal), 0 open. Ends may be infinite. */
static int compare(const shuf_enclosure_t r, const shuf_real_t x)
{
    if (arf_is_pos_inf(r->lo) || shuf_real_cmp_arf(x, r->lo) < 0)
        return 1;
    return arf_is_finite(r->hi) && shuf_real_cmp_arf(x, r->hi) >= 0 ? -1 : 0;
}

/* What decides a claim otherwise, on delta or at a witness, decides it on the number: then the claimed one is an end, too. */
static void claim_decided(shuf_answer_bound *b, const shuf_question_struct *q, int sign)
{
    arb_t x;
    arf_t end;
    if (b->sign != 0 || sign == 0)
        return;
    b->sign = sign;
    arb_init(x);
    arf_init(end);
    shuf_real_get_arb(x, question_claimed(q), 256);
    if (sign < 0)
    {
        arb_get_ubound_arf(end, x, 256);
        if (arf_cmp(end, b->value->hi) < 0)
            arf_set(b->value->hi, end);
    }
    else
    {
        arb_get_lbound_arf(end, x, 256);
        if (arf_cmp(end, b->value->lo) > 0)
            arf_set(b->value->lo, end);
    }
    arb_clear(x);
    arf_clear(end);
}

/*
 * The data of a law: of its profile, which it has chosen itself, or at the point where it was looked at first, which decides a
 * claim if that needed a look of its own.
 */
static void take_datasets(shuf_answer_bound *b, const rounds_road *road, const task *x)
{
    const round_route *route = x->routes[0];
    const shuf_datasets *where = route->law->where;
    const int chosen = where != NULL;
    if (!chosen && road->has_where)
        where = &road->where;
    if (x->side != SHUF_SIDE_LOWER || where == NULL || (b->has_data && !chosen))
        return;
    b->has_data = 1;
    b->data.first = where->x;
    b->data.second = where->x1;
    b->data.others = where->others;
    b->data.exceptions = where->count;
    b->data.exception = where->second;
    b->data.part = x->data.part;
    b->data.group = route->data.group;
    b->data.seen = route->data.seen;
}

static void take_road(shuf_answer_bound *b, const rounds_road *road, const task *x)
{
    theorem_chain chain = x->chain;
    chain_append(&chain, &road->chain);
    bound_set_chain(b, &chain);
    b->has_order = road->has_order;
    b->has_round = road->has_round;
    b->has_witness = road->has_witness;
    shuf_real_set(b->order, road->order);
    shuf_real_set(b->round_eps, road->eps);
    shuf_real_set(b->round_delta, road->delta);
    shuf_real_set(b->witness, road->witness);
    b->has_threshold = road->has_where && road->where.has_threshold;
    b->threshold = road->where.threshold;
    take_datasets(b, road, x);
}

/* Digits in which a comparison is tried, and the last ones. Steer only. */
#define COMPARE_DIGITS 8
#define LAST_COMPARE_DIGITS 128

/* Whether all that is claimed is a rational number that the sum of the moments does not exceed: of Gaussian noise it is the value itself, which no digits tell from the claim. */
static int moments_are_claimed(const rounds_struct *x)
{
    const shuf_question_struct *q = x->question;
    const int is_renyi = q->quantity == SHUF_QUANTITY_RENYI;
    fmpq_t sum;
    size_t i;
    int result = !q->renyi->is_log && !(is_renyi && q->order->is_log);
    fmpq_init(sum);
    result &= rounds_moment(sum, x);
    for (i = 0; i < x->count && is_renyi; i++)
        result &= x->routes[i]->law->renyi_value != NULL;
    if (is_renyi)
        fmpq_mul(sum, sum, q->order->q);
    result &= fmpq_cmp(sum, q->renyi->q) <= 0;
    fmpq_clear(sum);
    return result;
}

/* The divergence at more and more digits, until it is on one side of the claim. */
static shuf_status claim_renyi(shuf_answer_bound *b, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_DOMAIN;
    for (o.digits = COMPARE_DIGITS; b->sign == 0 && o.digits <= LAST_COMPARE_DIGITS; o.digits *= 4)
    {
        shuf_share(&o, limit, 1);
        status = rounds_value(b->value, road, x, SHUF_VIA_ANY, &o);
        b->sign = compare(b->value, x->question->renyi);
        if (status != SHUF_OK)
            break;
    }
    if (b->sign == 0 && status != SHUF_DOMAIN && moments_are_claimed(x))
        claim_decided(b, x->question, -1);
    return status;
}

/* Where the eps leaves it open: the delta at the claimed eps, of one round of a pair as finely as it takes. */
static void claim_delta(shuf_answer_bound *b, const task *t, const rounds_struct *x, const shuf_options *options)
{
    static const slong of_pairs[] = { 4, 8, 14, 0 }, of_laws[] = { 2, 6, 0 };
    const slong *digits = rounds_has_law(x) ? of_laws : of_pairs;
    const shuf_question_struct *q = x->question;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    rounds_road road;
    int i, undecided, sign = 0;
    rounds_road_init(&road);
    for (i = 0; digits[i] > 0 && sign == 0; i++)
    {
        o.digits = digits[i];
        shuf_share(&o, limit, 1);
        if (rounds_delta(b->delta, &road, x, t->via, q->eps, SHUF_DIRECTION_BOTH, &o) == SHUF_DOMAIN)
            break;
        b->has_delta = 1;
        sign = compare(b->delta, q->delta);
        if (b->delta->status != SHUF_OK && i > 0)
            break;
    }
    if (sign > 0 || (b->has_delta && arf_is_zero(b->value->lo))) /* or no eps has data */
        take_datasets(b, &road, t);
    if (sign == 0 && rounds_is_one(x) && !rounds_has_law(x))
    {
        shuf_share(&o, limit, 1);
        sign = shuf_hockey_compare(&undecided, x->routes[0]->law->pair, q->eps, q->delta, SHUF_DIRECTION_BOTH, &o);
    }
    claim_decided(b, q, sign);
    rounds_road_clear(&road);
}

static shuf_status claim_privacy(shuf_answer_bound *b, rounds_road *road, const task *t, const rounds_struct *x, const shuf_options *options)
{
    const shuf_question_struct *q = x->question;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status;
    shuf_share(&o, limit, 0.75);
    status = rounds_value(b->value, road, x, t->via, &o);
    if (shuf_real_sgn(q->delta) == 0 && !rounds_has_law(x) && rounds_pure_epsilon(b->value, x, q->eps))
        b->sign = -1;
    else
        b->sign = compare(b->value, q->eps);
    shuf_share(&o, limit, 1);
    if (b->sign == 0 && (shuf_real_sgn(q->delta) > 0 || rounds_has_law(x)))
        claim_delta(b, t, x, &o);
    return status;
}

/* mu-Gaussian DP is claimed: the value is the delta at the witness, or nothing. */
static shuf_status claim_gdp(shuf_answer_bound *b, rounds_road *road, const rounds_struct *x, const shuf_options *options)
{
    shuf_enclosure_t gaussian;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    rounds_road other;
    shuf_status status;
    int sign;
    shuf_enclosure_init(gaussian);
    rounds_road_init(&other);
    shuf_share(&o, limit, 0.5);
    sign = rounds_gdp_check(b->delta, gaussian, &other, x, &o);
    b->has_delta = sign > 0;
    shuf_share(&o, limit, 1);
    status = rounds_value(b->value, road, x, x->question->via, &o);
    claim_decided(b, x->question, sign);
    if (sign == 0)
        b->sign = compare(b->value, x->question->mu);
    if (other.has_witness)
    {
        shuf_real_set(road->witness, other.witness);
        road->has_witness = 1;
    }
    rounds_road_clear(&other);
    shuf_enclosure_clear(gaussian);
    return status;
}

/* The side of the number itself; privacy bounded from above bounds a type II error from below. */
static shuf_side side_of_number(const shuf_question_struct *q, shuf_side side)
{
    if (q->quantity != SHUF_QUANTITY_TRADEOFF || side == SHUF_SIDE_EXACT)
        return side;
    return side == SHUF_SIDE_UPPER ? SHUF_SIDE_LOWER : side == SHUF_SIDE_LOWER ? SHUF_SIDE_UPPER : side;
}

/* What a bound is worth: nothing, unless every theorem of its chain may certify. One direction of a pair is no bound of both. */
static void settle_side(shuf_answer_bound *b, const task *x, const shuf_question_struct *q)
{
    shuf_side side = x->side;
    size_t i;
    if (!bound_certifies(b, side))
        side = SHUF_SIDE_NONE;
    for (i = 0; i < x->count; i++)
        if (side == SHUF_SIDE_UPPER && q->direction != SHUF_DIRECTION_BOTH && !x->routes[i]->law->symmetric)
            side = SHUF_SIDE_NONE;
    b->side = side_of_number(q, side);
}

/*
 * Returns -1 when nothing was found: an eps without a finite end says something from below, and where it certainly has none of a
 * pair or of a worst case; so does the delta at a claimed eps.
 */
static int settle_status(shuf_answer_bound *b, shuf_status status, const shuf_question_struct *q)
{
    int infinite = q->quantity == SHUF_QUANTITY_EPSILON && arf_is_pos_inf(b->value->lo);
    int says_something = status != SHUF_DOMAIN || b->sign != 0 || (infinite && (shuf_question_is_of_pair(q) || b->side == SHUF_SIDE_EXACT))
                         || (q->is_claim && b->has_delta) || (q->quantity == SHUF_QUANTITY_EPSILON && b->side == SHUF_SIDE_LOWER && arf_sgn(b->value->lo) > 0);
    b->value->status = infinite ? SHUF_OK : status == SHUF_DOMAIN ? SHUF_ACCURACY : status;
    return says_something ? 0 : -1;
}

/* Whether the range of eps is all that Gaussian DP is about: from 0 to the largest loss of the pair, in both directions. */
static int range_is_everything(const task *x, const shuf_question_struct *q)
{
    const round_route *route = x->routes[0];
    shuf_real_t loss;
    int all;
    shuf_real_init(loss);
    all = x->count == 1 && route->rounds == 1 && route->law->sample == NULL && shuf_real_sgn(q->eps) == 0
          && (q->direction == SHUF_DIRECTION_BOTH || route->law->symmetric)
          && shuf_law_max_loss(loss, route->law) && shuf_real_cmp(loss, q->eps_to) <= 0;
    shuf_real_clear(loss);
    return all;
}

static const char *note_of_range(const task *x, const rounds_struct *rounds)
{
    fmpq_t square;
    int in_full;
    fmpq_init(square);
    in_full = rounds_are_gaussian(square, rounds);
    fmpq_clear(square);
    if (in_full)
        return "it is that of a Gaussian mechanism: Gaussian DP in full, whatever the range";
    return range_is_everything(x, rounds->question) ? "the range reaches from 0 to the largest privacy loss: Gaussian DP in full"
                                                    : "on this range of eps only: Gaussian DP in full is every eps >= 0 in both directions";
}

/* Of the work of a task, at most, for what the points of its laws' profiles have in common. Steer only. */
#define PREPARE_SHARE 0.85
#define PREPARE_SHARE_OF_MANY 0.6

/* Of rounds of profiles known at nodes: more would be those of the polygon. Steers only. */
#define NODES_DIGITS 6

/* Of what is no bound and is told besides. Steer only. */
#define ASIDE_DIGITS 3
#define ASIDE_SHARE 0.04

/* Whether its one law answers by single points, without what those of its profile have in common. */
static int is_by_points(const task *x, const shuf_question_struct *q)
{
    return x->count == 1 && route_has_point(x->routes[0]) && x->via == SHUF_VIA_ANY && (q->quantity <= SHUF_QUANTITY_EPSILON || x->routes[0]->law->has_cheap_points);
}

/* Whether a composition may do without the profile of a law, by its loss or its powers: then it is prepared when it does not. */
static int may_do_without(const shuf_law_struct *law, const task *x, const shuf_question_struct *q)
{
    if (x->count == 1 && x->routes[0]->rounds == 1)
        return 0;
    return law->prepare_loss != NULL || (x->count == 1 && q->quantity <= SHUF_QUANTITY_EPSILON && x->via == SHUF_VIA_ANY && law->has_cheap_powers);
}

/* What the points of profiles have in common, before any of them is looked at. */
static void prepare_laws(const task *x, const shuf_question_struct *q, const shuf_options *options, double limit)
{
    shuf_options o = *options;
    size_t i;
    for (i = 0; i < x->count && q->quantity != SHUF_QUANTITY_RENYI && q->quantity != SHUF_QUANTITY_ZCDP; i++) /* whose laws may do without */
        if (x->routes[i]->law->prepare != NULL && !is_by_points(x, q) && !may_do_without(x->routes[i]->law, x, q))
        {
            shuf_share(&o, limit, (x->count == 1 ? PREPARE_SHARE : PREPARE_SHARE_OF_MANY) / (double) (x->count - i));
            x->routes[i]->law->prepare(x->routes[i]->law, &o);
        }
}

#define AND_RELEASES ", and each release changes by at most its sensitivity"

/* Which data sets are neighbours, or NULL where that is said elsewhere. */
static const char *note_of_central(const shuf_question_struct *q)
{
    static const char *const sgd[2][2][2] = { { { SHUF_NOTE_REPLACED, SHUF_NOTE_USER_REPLACED }, { SHUF_NOTE_REMOVED, SHUF_NOTE_USER_REMOVED } },
                                              { { SHUF_NOTE_REPLACED AND_RELEASES, SHUF_NOTE_USER_REPLACED AND_RELEASES },
                                                { SHUF_NOTE_REMOVED AND_RELEASES, SHUF_NOTE_USER_REMOVED AND_RELEASES } } };
    const int has_noise = shuf_question_has(q, SHUF_SUBJECT_NOISE);
    size_t i;
    if (shuf_question_has(q, SHUF_SUBJECT_BATCH) && (!has_noise || !question_removes(q)))
        return shuf_question_is_central(q) || !question_removes(q) ? sgd[has_noise][question_removes(q)][question_has_records(q)] : NULL;
    if (!has_noise)
        return NULL;
    if (!shuf_question_is_central(q))
        return "neighbours replace one user's value, and each release changes by at most its sensitivity";
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_NOISE && noise_part_has_threshold(&q->parts[i]))
            return q->parts[i].removes ? "neighbours add or remove one user, who has one value; nothing of what was dropped is seen"
                                       : "neighbours replace one user's value; nothing of what was dropped is seen";
    if (shuf_question_has(q, SHUF_SUBJECT_BATCH))
        return sgd[1][1][question_has_records(q)];
    for (i = 0; i < q->count; i++)
        if (noise_part_is_compared(&q->parts[i]))
            return shuf_part_is_sampled(&q->parts[i]) ? "neighbours change what is released of a sample by at most the sensitivity" : "neighbours change each release by at most its sensitivity";
    for (i = 0; i < q->count; i++)
        if (shuf_part_is_sampled(&q->parts[i]) || noise_part_is_allocated(&q->parts[i]))
            return "neighbours change what is released of a sample by at most the sensitivity; data in which the other records add nothing have it";
    return "neighbours change each release by at most its sensitivity; any data that change all of them by that much have it";
}

static int evaluate_rounds(shuf_answer_bound *b, const task *x, const shuf_question_struct *q, const shuf_options *options)
{
    rounds_struct rounds = { q, x->routes, x->count };
    rounds_road road;
    shuf_status status;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    prepare_laws(x, q, options, limit);
    shuf_share(&o, limit, x->is_aside ? ASIDE_SHARE : 1);
    if (task_has_nodes(x))
        o.digits = FLINT_MIN(o.digits, NODES_DIGITS);
    if (x->is_aside)
        o.digits = FLINT_MIN(o.digits, ASIDE_DIGITS);
    rounds_road_init(&road);
    if (!q->is_claim)
        status = rounds_value(b->value, &road, &rounds, x->via, &o);
    else if (q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP)
        status = claim_renyi(b, &road, &rounds, &o);
    else if (q->quantity == SHUF_QUANTITY_GDP)
        status = claim_gdp(b, &road, &rounds, &o);
    else
        status = claim_privacy(b, &road, x, &rounds, &o);
    if (status == SHUF_OK && o.digits < options->digits && !shuf_enclosure_accurate(b->value, options->digits))
        status = SHUF_ACCURACY;
    take_road(b, &road, x);
    if (q->quantity == SHUF_QUANTITY_GDP)
        b->note = note_of_range(x, &rounds);
    if (b->note == NULL)
        b->note = note_of_central(q);
    rounds_road_clear(&road);
    settle_side(b, x, q);
    return settle_status(b, status, q);
}

/* What follows from a bound of one report and pure randomisers. */
static int evaluate_loosened(shuf_answer_bound *b, const task *x, const shuf_question_struct *q, const shuf_options *options)
{
    rounds_struct rounds = { q, x->routes, x->count };
    double limit = shuf_limit(options);
    shuf_options o = *options;
    rounds_road road;
    shuf_status status;
    int sign = 0;
    prepare_laws(x, q, options, limit);
    rounds_road_init(&road);
    shuf_share(&o, limit, 0.75);
    status = q->quantity == SHUF_QUANTITY_DELTA ? loosened_delta(b->value, &road, &rounds, x->via, q->eps, &o)
                                                : loosened_epsilon(b->value, &road, &rounds, x->via, q->delta, &o);
    if (q->is_claim)
        b->sign = compare(b->value, q->eps);
    shuf_share(&o, limit, 1);
    if (q->is_claim && b->sign >= 0 && loosened_delta(b->delta, &road, &rounds, x->via, q->eps, &o) != SHUF_DOMAIN)
    {
        b->has_delta = 1;
        sign = compare(b->delta, q->delta);
        b->sign = sign < 0 ? 0 : b->sign;
        claim_decided(b, q, sign);
    }
    take_road(b, &road, x);
    b->note = loosen_note(&rounds);
    rounds_road_clear(&road);
    settle_side(b, x, q);
    return settle_status(b, status, q);
}

int task_evaluate(shuf_answer_bound *b, const task *x, const shuf_question_struct *q, const shuf_options *options)
{
    if (x->has_data)
    {
        b->has_data = 1;
        b->data = x->data;
    }
    return x->side == SHUF_SIDE_UPPER && loosen_is_needed(q) ? evaluate_loosened(b, x, q, options) : evaluate_rounds(b, x, q, options);
}
