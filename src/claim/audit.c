/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "claim/bounds.h"
#include "subsample/profile.h"
#include "theorem/kairouz15.h"

const char *shuf_verdict_name(shuf_verdict_kind kind)
{
    return kind == SHUF_CERTIFIED ? "CERTIFIED" : kind == SHUF_REFUTED_CLAIM ? "REFUTED" : "UNDECIDED";
}

static shuf_claim_bound *add(shuf_claim_bound *bounds, size_t *count, const char *theorem, const shuf_pair_t pair)
{
    shuf_claim_bound *b = &bounds[(*count)++];
    b->theorem = theorem;
    b->sampling = b->composition = "";
    b->has_pair = pair != NULL;
    b->rounds = 1;
    shuf_pair_init(b->pair);
    if (pair != NULL)
        shuf_pair_set(b->pair, pair);
    shuf_enclosure_init(b->delta);
    shuf_enclosure_init(b->eps);
    shuf_enclosure_init(b->renyi);
    b->sign = 0;
    return b;
}

static void drop(shuf_claim_bound *bounds, size_t *count)
{
    size_t i;
    for (i = 0; i < *count; i++)
    {
        shuf_pair_clear(bounds[i].pair);
        shuf_enclosure_clear(bounds[i].delta);
        shuf_enclosure_clear(bounds[i].eps);
        shuf_enclosure_clear(bounds[i].renyi);
    }
    *count = 0;
}

/* What is left of an audit's budget, split so that every bound gets a share. */
static shuf_options share(const shuf_options *options, double deadline, slong digits)
{
    shuf_options o = *options;
    o.digits = digits;
    if (deadline > 0)
    {
        double left = deadline - shuf_seconds();
        o.max_seconds = left > 0.02 ? left / 2 : 0.01;
    }
    return o;
}

#define AUDIT_DIGITS 8
#define MAX_COMPARE_DIGITS 128

/* Sign of every value in r minus x: 1, -1 (or equal), 0 open. Ends may be infinite. */
static int compare(const shuf_enclosure_t r, const shuf_real_t x)
{
    if (arf_is_pos_inf(r->lo) || shuf_real_cmp_arf(x, r->lo) < 0)
        return 1;
    return arf_is_finite(r->hi) && shuf_real_cmp_arf(x, r->hi) >= 0 ? -1 : 0;
}

/* ---- a Renyi claim ---- */

static void audit_renyi(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    mechanism_curve_t curve;
    slong digits;
    mechanism_curve_init(curve, b->pair, b->rounds, c->mechanism);
    for (digits = AUDIT_DIGITS; b->sign == 0 && digits <= MAX_COMPARE_DIGITS; digits *= 4)
    {
        shuf_options o = share(options, deadline, digits);
        if (mechanism_curve_evaluate(b->renyi, curve, c->order, &o) == SHUF_DOMAIN)
        {
            arf_zero(b->renyi->lo);
            arf_pos_inf(b->renyi->hi);
        }
        b->sign = compare(b->renyi, c->renyi);
        if (b->renyi->status != SHUF_OK)
            break;
    }
    mechanism_curve_clear(curve);
}

/* ---- a DP claim, one round of all users ---- */

static void audit_round(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    shuf_options o = share(options, deadline, AUDIT_DIGITS);
    int undecided;
    shuf_hockey_delta(b->delta, b->pair, c->eps, SHUF_DIRECTION_BOTH, &o);
    b->sign = compare(b->delta, c->delta);
    if (b->sign == 0)
    {
        o = share(options, deadline, AUDIT_DIGITS);
        b->sign = shuf_hockey_compare(&undecided, b->pair, c->eps, c->delta, SHUF_DIRECTION_BOTH, &o);
    }
    o = share(options, deadline, 6);
    shuf_hockey_epsilon(b->eps, b->pair, c->delta, SHUF_DIRECTION_BOTH, &o);
}

/* ---- a DP claim, one round of sampled users ---- */

#define SAMPLE_PREC 192

/* r := x/q, x >= 0, q > 0: exactly when x is rational, otherwise rounded down. */
static void divide(shuf_real_t r, const shuf_real_t x, const fmpq_t q)
{
    fmpq_t t;
    arb_t a, b;
    arf_t low;
    fmpq_init(t);
    arb_init(a);
    arb_init(b);
    arf_init(low);
    if (x->is_log)
    {
        shuf_real_get_arb(a, x, SAMPLE_PREC);
        arb_set_fmpq(b, q, SAMPLE_PREC);
        arb_div(a, a, b, SAMPLE_PREC);
        arb_get_lbound_arf(low, a, SAMPLE_PREC);
        if (arf_sgn(low) < 0)
            arf_zero(low);
        shuf_real_set_arf(r, low);
    }
    else
    {
        fmpq_div(t, x->q, q);
        shuf_real_set_fmpq(r, t);
    }
    fmpq_clear(t);
    arb_clear(a);
    arb_clear(b);
    arf_clear(low);
}

/* x := the enclosure [0, end], end = 1 for a delta, infinite for an eps: nothing is known. */
static void set_unknown(shuf_enclosure_t x, int is_delta)
{
    shuf_enclosure_zero(x);
    if (is_delta)
        arf_one(x->hi);
    else
        arf_pos_inf(x->hi);
    x->status = SHUF_ACCURACY;
}

/*
 * eps(delta) of one sampled round is at most *eps, for delta > 0 or = 0.
 * Returns 0 when there is no finite bound. delta = 0 takes the largest loss,
 * exactly.
 */
static int round_epsilon(shuf_real_t eps, const shuf_pair_t pair, const shuf_mechanism_t m, const shuf_real_t delta,
                         const shuf_options *options)
{
    shuf_real_t before, lo;
    shuf_enclosure_t e;
    int found = 0;
    shuf_real_init(before);
    shuf_real_init(lo);
    shuf_enclosure_init(e);
    divide(before, delta, m->rate);
    if (shuf_real_sgn(delta) == 0)
    {
        found = shuf_pair_max_loss(before, pair);
    }
    else if (shuf_real_cmp_si(before, 1) >= 0)
    {
        shuf_real_set_str(before, "0");
        found = 1;
    }
    else
    {
        shuf_hockey_epsilon(e, pair, before, SHUF_DIRECTION_BOTH, options);
        found = arf_is_finite(e->hi);
        if (found)
            shuf_real_set_arf(before, e->hi);
    }
    if (found)
        shuf_sampled_loss(lo, eps, before, m->rate);
    shuf_real_clear(before);
    shuf_real_clear(lo);
    shuf_enclosure_clear(e);
    return found;
}

/* One round of sampled users: delta = rate delta'(eps'), e^eps' = 1 + (e^eps - 1)/rate. */
static void audit_profile(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    const shuf_mechanism_struct *m = c->mechanism;
    shuf_options o = share(options, deadline, AUDIT_DIGITS);
    shuf_real_t lo, hi;
    shuf_enclosure_t e;
    fmpq_t inverse;
    arb_t rate, t;

    shuf_real_init(lo);
    shuf_real_init(hi);
    shuf_enclosure_init(e);
    fmpq_init(inverse);
    arb_init(rate);
    arb_init(t);
    fmpq_inv(inverse, m->rate);
    arb_set_fmpq(rate, m->rate, SAMPLE_PREC);

    /* delta falls as eps' grows; beyond SHUF_MAX_EPSILON it is 0 */
    shuf_sampled_loss(lo, hi, c->eps, inverse);
    if (shuf_real_cmp_si(lo, SHUF_MAX_EPSILON) <= 0)
    {
        shuf_hockey_delta(b->delta, b->pair, lo, SHUF_DIRECTION_BOTH, &o);
        if (shuf_real_cmp(lo, hi) != 0)
        {
            o = share(options, deadline, AUDIT_DIGITS);
            if (shuf_hockey_delta(e, b->pair, hi, SHUF_DIRECTION_BOTH, &o) != SHUF_DOMAIN)
                arf_set(b->delta->lo, e->lo);
        }
        arb_mul_arf(t, rate, b->delta->lo, SAMPLE_PREC);
        arb_get_lbound_arf(b->delta->lo, t, SAMPLE_PREC);
        arb_mul_arf(t, rate, b->delta->hi, SAMPLE_PREC);
        arb_get_ubound_arf(b->delta->hi, t, SAMPLE_PREC);
        if (arf_sgn(b->delta->lo) < 0)
            arf_zero(b->delta->lo);
    }
    set_unknown(b->eps, 0);
    o = share(options, deadline, 6);
    if (round_epsilon(hi, b->pair, m, c->delta, &o))
    {
        shuf_real_get_arb(t, hi, SAMPLE_PREC);
        arb_get_ubound_arf(b->eps->hi, t, SAMPLE_PREC);
    }
    b->sign = compare(b->delta, c->delta);

    shuf_real_clear(lo);
    shuf_real_clear(hi);
    shuf_enclosure_clear(e);
    fmpq_clear(inverse);
    arb_clear(rate);
    arb_clear(t);
}

/* ---- a DP claim, the product of the rounds ---- */

#define MAX_POWER_BITS (UINT64_C(1) << 20)

/* Whether x >= count loss, certainly: exactly for rationals, and for logarithms of powers that can be written out. */
static int covers_pure(const shuf_real_t x, const shuf_real_t loss, uint64_t count)
{
    shuf_real_t total;
    fmpq_t q;
    fmpz_t times;
    int result = 0;
    shuf_real_init(total);
    fmpq_init(q);
    fmpz_init_set_ui(times, count);
    if (!loss->is_log)
    {
        fmpq_mul_fmpz(q, loss->q, times);
        shuf_real_set_fmpq(total, q);
        result = shuf_real_cmp(x, total) >= 0;
    }
    else if (fmpq_height_bits(loss->q) <= MAX_POWER_BITS / count)
    {
        fmpq_pow_si(q, loss->q, (slong) count);
        shuf_real_set_log_fmpq(total, q);
        result = shuf_real_cmp(x, total) >= 0;
    }
    shuf_real_clear(total);
    fmpq_clear(q);
    fmpz_clear(times);
    return result;
}

/*
 * A claim of delta = 0: the largest loss of all rounds decides, which is that
 * of one round times their number, for both kinds of sampling.
 */
static void set_pure(shuf_claim_bound *b, const shuf_claim_t c)
{
    const shuf_mechanism_struct *m = c->mechanism;
    shuf_real_t loss, lo, hi;
    arb_t t;
    shuf_real_init(loss);
    shuf_real_init(lo);
    shuf_real_init(hi);
    arb_init(t);
    if (shuf_pair_max_loss(loss, b->pair))
    {
        shuf_sampled_loss(lo, hi, loss, m->rate);
        shuf_real_get_arb(t, lo, SAMPLE_PREC);
        arb_mul_ui(t, t, b->rounds, SAMPLE_PREC);
        arb_get_lbound_arf(b->eps->lo, t, SAMPLE_PREC);
        shuf_real_get_arb(t, hi, SAMPLE_PREC);
        arb_mul_ui(t, t, b->rounds, SAMPLE_PREC);
        arb_get_ubound_arf(b->eps->hi, t, SAMPLE_PREC);
        b->sign = covers_pure(c->eps, hi, b->rounds) ? -1 : compare(b->eps, c->eps);
    }
    else
    {
        arf_pos_inf(b->eps->lo);
        arf_pos_inf(b->eps->hi);
        b->sign = 1;
    }
    shuf_real_clear(loss);
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    arb_clear(t);
}

#define PLD_DIGITS 4
#define SHOW_SECONDS 2.0

/*
 * The product of the rounds' privacy profiles, FIXED_SIZE sampling for upper
 * bounds, REPLACED for lower ones. delta and eps are of the same laws, so that
 * either decides. eps at the claimed delta is quick; delta at an eps far from
 * that is not, and once eps has decided it is there to be shown only.
 */
static void audit_product(shuf_claim_bound *b, const shuf_claim_t c, shuf_sampled_kind kind, const shuf_options *options,
                          double deadline)
{
    static const slong digits[] = { 1, PLD_DIGITS, 2 * PLD_DIGITS };
    shuf_pld_options o = SHUF_PLD_OPTIONS_DEFAULT;
    mechanism_profile_t profile;
    shuf_pld_part part;
    int i, sign = 0;

    mechanism_profile_init(profile, b->pair, kind, c->mechanism);
    part.profile = &profile->round;
    part.rounds = b->rounds;
    if (shuf_real_sgn(c->delta) == 0)
    {
        set_pure(b, c);
        if (b->sign < 0)
            sign = -1; /* delta is 0, as it was set */
    }
    else
    {
        o.budget = share(options, deadline, PLD_DIGITS);
        shuf_pld_epsilon(b->eps, &part, 1, c->delta, SHUF_DIRECTION_BOTH, &o);
        b->sign = compare(b->eps, c->eps);
    }
    for (i = 0; i < 3 && sign == 0 && (i < 2 || b->sign == 0); i++)
    {
        o.budget = share(options, deadline, digits[i]);
        if (b->sign != 0 && !(o.budget.max_seconds > 0 && o.budget.max_seconds < SHOW_SECONDS))
            o.budget.max_seconds = SHOW_SECONDS;
        shuf_pld_delta(b->delta, &part, 1, c->eps, SHUF_DIRECTION_BOTH, &o);
        sign = compare(b->delta, c->delta);
        if (b->delta->status != SHUF_OK && i > 0)
            break;
    }
    if (b->sign == 0)
        b->sign = sign;
    mechanism_profile_clear(profile);
}

/* ---- a DP claim, several rounds in other ways: upper bounds that need less time ---- */

/* -1 when either the delta or the eps certifies the claim, 1 when both certainly exceed it. */
static int upper_sign(const shuf_claim_bound *b, const shuf_claim_t c)
{
    int delta = compare(b->delta, c->delta), eps = compare(b->eps, c->eps);
    return delta < 0 || eps < 0 ? -1 : delta > 0 && eps > 0;
}

/*
 * The rounds' Renyi divergences added and converted at one order, the best for
 * the claimed delta: there delta(eps) <= delta and eps(delta) <= eps are the
 * same, so one search for an order serves both.
 */
static void audit_conversion(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    shuf_options o = share(options, deadline, AUDIT_DIGITS);
    mechanism_curve_t curve;
    shuf_enclosure_t divergence;
    shuf_real_t order;
    mechanism_curve_init(curve, b->pair, b->rounds, c->mechanism);
    shuf_enclosure_init(divergence);
    shuf_real_init(order);
    set_unknown(b->delta, 1);
    if (shuf_renyi_to_epsilon(b->eps, order, &curve->curve, c->delta, &o) != SHUF_DOMAIN)
    {
        o = share(options, deadline, AUDIT_DIGITS);
        if (mechanism_curve_evaluate(divergence, curve, order, &o) != SHUF_DOMAIN)
            shuf_renyi_convert_delta(b->delta, divergence, order, c->eps, SHUF_CONVERSION_CKS20, &o);
    }
    mechanism_curve_clear(curve);
    shuf_enclosure_clear(divergence);
    shuf_real_clear(order);
    b->sign = upper_sign(b, c);
}

/* Each round is (eps1, delta/(2 rounds))-DP: optimal composition of such rounds. */
static void audit_strong_composition(shuf_claim_bound *b, const shuf_claim_t c, const shuf_options *options, double deadline)
{
    const shuf_mechanism_struct *m = c->mechanism;
    shuf_options o = share(options, deadline, AUDIT_DIGITS);
    shuf_real_t eps, delta;
    fmpq_t parts;
    shuf_real_init(eps);
    shuf_real_init(delta);
    fmpq_init(parts);
    set_unknown(b->delta, 1);
    set_unknown(b->eps, 0);
    fmpz_set_ui(fmpq_numref(parts), 2 * b->rounds);
    divide(delta, c->delta, parts);
    if (round_epsilon(eps, b->pair, m, delta, &o))
    {
        o = share(options, deadline, AUDIT_DIGITS);
        shuf_kairouz15_delta(b->delta, eps, delta, b->rounds, c->eps, &o);
        o = share(options, deadline, AUDIT_DIGITS);
        shuf_kairouz15_epsilon(b->eps, eps, delta, b->rounds, c->delta, &o);
    }
    b->sign = upper_sign(b, c);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    fmpq_clear(parts);
}

/* ---- the verdict ---- */

static void audit_upper(shuf_verdict_t v, const char *theorem, const shuf_pair_t pair, uint64_t rounds, const shuf_claim_t c,
                        const shuf_options *options, double deadline)
{
    int sampled = c->mechanism->sampled < c->mechanism->n, several = rounds > 1;
    shuf_claim_bound *b = add(v->upper, &v->uppers, theorem, pair);
    b->rounds = rounds;
    if (c->kind == SHUF_CLAIM_RENYI)
    {
        b->sampling = sampled ? "subsample-dominated" : "";
        audit_renyi(b, c, options, deadline);
        return;
    }
    b->sampling = sampled ? "subsample-profile" : "";
    if (several)
    {
        b->composition = "pld-composition";
        audit_product(b, c, SHUF_SAMPLED_FIXED_SIZE, options, deadline);
    }
    else if (sampled)
    {
        audit_profile(b, c, options, deadline);
    }
    else
    {
        audit_round(b, c, options, deadline);
    }
    if (several && b->sign == 0)
    {
        b = add(v->upper, &v->uppers, theorem, pair);
        b->rounds = rounds;
        b->sampling = sampled ? "subsample-dominated" : "";
        b->composition = "renyi-conversion";
        audit_conversion(b, c, options, deadline);
        b = add(v->upper, &v->uppers, theorem, pair);
        b->rounds = rounds;
        b->sampling = sampled ? "subsample-profile" : "";
        b->composition = "kairouz15-optimal";
        audit_strong_composition(b, c, options, deadline);
    }
}

/* Products take their time: of several rounds' only the smallest, and for delta = 0 the one without rounding. */
static int is_wanted(const pair_list *pairs, size_t i, const shuf_claim_t c)
{
    if (c->kind == SHUF_CLAIM_RENYI || pairs->rounds[i] == 1)
        return 1;
    return i == (shuf_real_sgn(c->delta) == 0 ? 0 : pair_list_smallest(pairs));
}

/*
 * What a concrete mechanism of the class has, on the same data in every round,
 * independently: Renyi divergences add up exactly, privacy profiles as in
 * audit_product. If that takes too long, one round is a lower bound too.
 */
static void audit_lower(shuf_verdict_t v, const char *theorem, const shuf_pair_t pair, const shuf_claim_t c,
                        const shuf_options *options, double deadline)
{
    int sampled = c->mechanism->sampled < c->mechanism->n, several = c->mechanism->rounds > 1;
    shuf_claim_bound *b = add(v->lower, &v->lowers, theorem, pair);
    b->rounds = c->mechanism->rounds;
    if (c->kind == SHUF_CLAIM_RENYI)
    {
        audit_renyi(b, c, options, deadline);
        return;
    }
    if (sampled || several)
    {
        b->sampling = sampled ? "subsample-replaced" : "";
        b->composition = several ? "pld-composition" : "";
        audit_product(b, c, SHUF_SAMPLED_REPLACED, options, deadline);
        if (sampled || b->sign != 0)
            return;
        b = add(v->lower, &v->lowers, theorem, pair);
    }
    audit_round(b, c, options, deadline);
}

#define SHUFFLED_DIGITS 6
#define SHUFFLED_EPSILON_DIGITS 3

/* A bound from a described randomiser, one round of all users. */
static void audit_shuffled(shuf_claim_bound *b, const shuf_claim_t c, shuf_shuffled_kind kind, const shuf_options *options,
                           double deadline)
{
    shuf_options o;
    slong digits;
    for (digits = 2; b->sign == 0 && digits <= SHUFFLED_DIGITS; digits += 4)
    {
        o = share(options, deadline, digits);
        if (shuf_shuffled_delta(b->delta, NULL, c->mechanism->randomiser, c->mechanism->n, kind, c->eps, &o) == SHUF_DOMAIN)
            break;
        b->sign = compare(b->delta, c->delta);
    }
    o = share(options, deadline, SHUFFLED_EPSILON_DIGITS);
    shuf_shuffled_epsilon(b->eps, NULL, c->mechanism->randomiser, c->mechanism->n, kind, c->delta, &o);
}

/*
 * The bounds from a description of the randomiser: upper ones of one round of
 * all users, lower ones also of several. Of RAPPOR with its sum alone
 * published only upper ones.
 */
static void audit_description(shuf_verdict_t v, const shuf_claim_t c, const shuf_options *options, double start, double deadline)
{
    const shuf_mechanism_struct *m = c->mechanism;
    int kind, described = m->kind == SHUF_MECHANISM_RANDOMISER;
    if (c->kind == SHUF_CLAIM_RENYI || m->sampled < m->n || (!described && m->kind != SHUF_MECHANISM_RAPPOR && m->kind != SHUF_MECHANISM_RAPPOR_SUM))
        return;
    for (kind = SHUF_SHUFFLED_LOCAL_PROFILE; kind < SHUF_SHUFFLED_KINDS; kind++)
    {
        int upper = shuf_shuffled_is_upper((shuf_shuffled_kind) kind);
        const char *theorem = shuf_shuffled_theorem((shuf_shuffled_kind) kind);
        double until = deadline > 0 ? start + (deadline - start) * (kind + 1) / SHUF_SHUFFLED_KINDS : 0;
        if (upper ? m->rounds == 1 : described)
            audit_shuffled(upper ? add(v->upper, &v->uppers, theorem, NULL) : add(v->lower, &v->lowers, theorem, NULL), c,
                           (shuf_shuffled_kind) kind, options, until);
    }
}

/* Whether a says more than b: it decides, or its value at the claimed point, or else its eps, is the better one. */
static int better_upper(const shuf_claim_bound *a, const shuf_claim_bound *b)
{
    int order = arf_cmp(a->renyi->hi, b->renyi->hi);
    if ((a->sign < 0) != (b->sign < 0))
        return a->sign < 0;
    if (order == 0)
        order = arf_cmp(a->delta->hi, b->delta->hi);
    if (order == 0)
        order = arf_cmp(a->eps->hi, b->eps->hi);
    return order < 0;
}

static int better_lower(const shuf_claim_bound *a, const shuf_claim_bound *b)
{
    int order = arf_cmp(a->renyi->lo, b->renyi->lo);
    if ((a->sign > 0) != (b->sign > 0))
        return a->sign > 0;
    if (order == 0)
        order = arf_cmp(a->delta->lo, b->delta->lo);
    if (order == 0)
        order = arf_cmp(a->eps->lo, b->eps->lo);
    return order > 0;
}

static const char *reason(const shuf_verdict_t v, const shuf_claim_t c)
{
    size_t i;
    if (v->uppers == 0)
        return "no upper bound applies, and no lower bound exceeds the claim";
    for (i = 0; i < v->uppers; i++)
        if (v->upper[i].sign == 0)
            return "an upper bound is too close to the claim for the accuracy and time allowed";
    for (i = 0; i < v->lowers; i++)
        if (v->lower[i].sign == 0)
            return "a lower bound is too close to the claim for the accuracy and time allowed";
    if (v->lowers == 0 && c->mechanism->sampled < c->mechanism->n)
        return "the upper bound exceeds the claim, and there is no lower bound for the divergence of subsampled mechanisms";
    return "the claim lies between the best lower and the best upper bound";
}

void shuf_claim_audit(shuf_verdict_t v, const shuf_claim_t claim, const shuf_options *options)
{
    double start = shuf_seconds(), deadline = 0, halftime = 0;
    pair_list pairs;
    size_t i;

    memset(v, 0, sizeof(*v));
    v->reason = "";
    if (options->max_seconds > 0)
    {
        halftime = start + options->max_seconds / 2;
        deadline = start + options->max_seconds;
    }
    pair_list_upper(&pairs, claim->mechanism);
    for (i = 0; i < pairs.count; i++)
        if (is_wanted(&pairs, i, claim))
            audit_upper(v, pairs.theorem[i], pairs.pair[i], pairs.rounds[i], claim, options, halftime);
    pair_list_clear(&pairs);
    pair_list_lower(&pairs, claim->mechanism, claim->kind);
    for (i = 0; i < pairs.count; i++)
        audit_lower(v, pairs.theorem[i], pairs.pair[i], claim, options, deadline);
    pair_list_clear(&pairs);
    audit_description(v, claim, options, shuf_seconds(), deadline);

    for (i = 1; i < v->uppers; i++)
        if (better_upper(&v->upper[i], &v->upper[v->best_upper]))
            v->best_upper = i;
    for (i = 1; i < v->lowers; i++)
        if (better_lower(&v->lower[i], &v->lower[v->best_lower]))
            v->best_lower = i;
    if (v->uppers > 0 && v->upper[v->best_upper].sign < 0)
    {
        v->kind = SHUF_CERTIFIED;
    }
    else if (v->lowers > 0 && v->lower[v->best_lower].sign > 0)
    {
        v->kind = SHUF_REFUTED_CLAIM;
    }
    else
    {
        v->kind = SHUF_UNDECIDED;
        v->reason = reason(v, claim);
    }
}

void shuf_verdict_clear(shuf_verdict_t v)
{
    drop(v->upper, &v->uppers);
    drop(v->lower, &v->lowers);
}
