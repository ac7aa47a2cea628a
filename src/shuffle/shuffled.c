/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/shuffled.h"

#include <math.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "enclosure/inverse.h"
#include "enclosure/steer.h"
#include "hockey/hockey.h"
#include "shuffle/gaussian.h"
#include "shuffle/local_profile.h"
#include "shuffle/mixed.h"
#include "shuffle/terms.h"

static const struct
{
    const char *theorem;
    int upper;
    const char *sampled, *poisson;
} kinds[SHUF_SHUFFLED_KINDS] = {
    [SHUF_SHUFFLED_CLONES] = { "clones", 1, NULL, NULL },
    [SHUF_SHUFFLED_CLONES_STRONGER] = { "clones-stronger", 1, NULL, NULL },
    [SHUF_SHUFFLED_LOCAL_PROFILE] = { "local-profile", 1, "local-profile-sampled", "local-profile-poisson" },
    [SHUF_SHUFFLED_LOCAL_SWAP] = { "local-swap", 1, NULL, NULL },
    [SHUF_SHUFFLED_BLANKET] = { "blanket", 1, "blanket-sampled", "blanket-poisson" },
    [SHUF_SHUFFLED_ALL_EQUAL] = { "all-equal", 0, "alike-sampled", "alike-poisson" },
    [SHUF_SHUFFLED_THIRD] = { "third-value", 0, "alike-sampled", "alike-poisson" },
    [SHUF_SHUFFLED_MIXED] = { "mixed-data", 0, "mixed-sampled", NULL },
    [SHUF_SHUFFLED_GROUPED] = { "grouped-reports", 0, NULL, NULL },
};

const char *shuf_shuffled_theorem(shuf_shuffled_kind kind)
{
    return kinds[kind].theorem;
}

const char *shuf_shuffled_sampled_theorem(shuf_shuffled_kind kind, int is_poisson)
{
    return is_poisson ? kinds[kind].poisson : kinds[kind].sampled;
}

int shuf_shuffled_is_upper(shuf_shuffled_kind kind)
{
    return kinds[kind].upper;
}

int shuf_shuffled_is_far(const shuf_real_t eps0, uint64_t n)
{
    shuf_real_t least;
    fmpq_t users;
    int far;
    shuf_real_init(least);
    fmpq_init(users);
    fmpq_set_ui(users, n, 1);
    shuf_real_set_log_fmpq(least, users);
    far = shuf_real_cmp(eps0, least) >= 0;
    shuf_real_clear(least);
    fmpq_clear(users);
    return far;
}

const char *shuf_shuffled_premise(shuf_shuffled_kind kind, const shuf_randomiser_t randomiser)
{
    if (kinds[kind].upper && shuf_randomiser_is_line(randomiser) && randomiser->inputs == SHUF_ANY_INPUTS)
        return "noise-interval";
    if (kind == SHUF_SHUFFLED_BLANKET && randomiser->parts > 0)
        return "tuple-inputs";
    return kind <= SHUF_SHUFFLED_LOCAL_SWAP ? "local-epsilon" : NULL;
}

/*
 * r := the bound for all profiles in the ball m, r being that for q >= m (proofs/local-profile.md, Lemma 7).
 * Coq: ProfileBound.profile_bound_between.
 */
static void lower_profile(shuf_enclosure_t r, const arb_t m, const fmpq_t q, uint64_t n, slong prec)
{
    arb_t t, u;
    arf_t lo, gap;
    mag_t size;
    arb_init(t);
    arb_init(u);
    arf_init(lo);
    arf_init(gap);
    mag_init(size);
    arb_get_lbound_arf(lo, m, prec);
    if (arf_sgn(lo) > 0)
    {
        arb_set_arf(t, lo);
        arb_set_fmpq(u, q, prec);
        arb_div(t, t, u, prec);
        arb_pow_ui(t, t, n, prec);
        arb_mul_arf(t, t, r->lo, prec);
        arb_get_lbound_arf(lo, t, prec);
    }
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp(lo, r->lo) < 0)
    {
        arf_sub(gap, r->lo, lo, MAG_BITS, ARF_RND_UP);
        arf_get_mag(size, gap);
        mag_add(r->ledger.rounding, r->ledger.rounding, size);
        arf_swap(r->lo, lo);
    }
    arb_clear(t);
    arb_clear(u);
    arf_clear(lo);
    arf_clear(gap);
    mag_clear(size);
}

/* Coq: LocalProfile.local_profile_min, ProfileBound.profile_bound_monotone. */
static void local_profile(shuf_enclosure_t r, const shuf_randomiser_t randomiser, uint64_t n, const shuf_real_t eps0,
                          const shuf_real_t eps, const shuf_options *options)
{
    slong prec = PREC + 4 * options->digits;
    arb_t m;
    fmpq_t q;
    arb_init(m);
    fmpq_init(q);
    shuf_randomiser_profile(m, randomiser, eps, prec);
    shuf_ball_end(q, m, 1, prec);
    shuf_local_profile_delta(r, n, eps0, eps, q, options);
    lower_profile(r, m, q, n, prec);
    if (r->status == SHUF_OK && !shuf_enclosure_accurate(r, options->digits))
        r->status = SHUF_ACCURACY;
    arb_clear(m);
    fmpq_clear(q);
}

/* Of a sampled round: the terms E - alpha, -(alpha E - 1) and 0 (proofs/sampled-described.md). */
static void profile_terms_init(term_list *t, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0,
                               const shuf_real_t eps)
{
    arb_t E, alpha, m, u;
    arb_init(E); arb_init(alpha); arb_init(m); arb_init(u);
    shuf_real_exp(E, eps0, PREC);
    shuf_real_exp(alpha, eps, PREC);
    shuf_randomiser_profile(m, randomiser, eps, PREC);
    t->count = 3;
    t->allocated = 4;
    t->value = _arb_vec_init(4);
    t->mass = _arb_vec_init(4);
    arb_init(t->alone);
    arb_sub(t->value, E, alpha, PREC);
    arb_mul(u, alpha, E, PREC);
    arb_sub_ui(u, u, 1, PREC);
    arb_neg(t->value + 1, u);
    arb_div(t->mass, m, t->value, PREC);
    arb_add(t->mass + 1, m, alpha, PREC);
    arb_sub_ui(t->mass + 1, t->mass + 1, 1, PREC);
    arb_div(t->mass + 1, t->mass + 1, u, PREC);
    arb_one(t->mass + 2);
    arb_sub(t->mass + 2, t->mass + 2, t->mass, PREC);
    arb_sub(t->mass + 2, t->mass + 2, t->mass + 1, PREC);
    terms_thin(t, round);
    arb_clear(E); arb_clear(alpha); arb_clear(m); arb_clear(u);
}

/* An m of more than m* = (E-alpha)/(E+1) cannot be. Coq: SampledShuffle.sampled_local_profile. */
static void sampled_local_profile(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0,
                                  const shuf_real_t eps, const shuf_options *options)
{
    term_list t;
    profile_terms_init(&t, randomiser, round, eps0, eps);
    terms_evaluate(r, &t, round, options);
    /* an eps0 too near to eps, or no profile to speak of, for the precision */
    if (!arb_is_positive(t.mass) || !arb_is_positive(t.mass + 2))
        round_unknown(r);
    terms_clear(&t);
}

/* A bound of 1 where the theorem says nothing. */
static void local_swap(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0,
                       const shuf_real_t eps, const shuf_options *options)
{
    term_list t;
    if (swap_terms_init(&t, randomiser, round, eps0, eps))
    {
        terms_evaluate(r, &t, round, options);
        terms_clear(&t);
        return;
    }
    shuf_enclosure_zero(r);
    arf_one(r->lo);
    arf_one(r->hi);
}

/* Whether nothing of the round has a loss of eps or more. */
static int beyond_loss(const shuf_real_t eps0, const round_struct *round, const shuf_real_t eps)
{
    shuf_real_t lo, hi;
    int beyond;
    shuf_real_init(lo);
    shuf_real_init(hi);
    shuf_sampled_loss(lo, hi, eps0, round->rate);
    beyond = shuf_real_cmp(eps, hi) >= 0;
    shuf_real_clear(lo);
    shuf_real_clear(hi);
    return beyond;
}

/* Whether the kind bounds such a round; eps0 is NULL where it is infinite. */
static int has_bound(const shuf_randomiser_t randomiser, const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_struct *eps0)
{
    if (eps0 != NULL ? shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0 : kind <= SHUF_SHUFFLED_LOCAL_SWAP)
        return 0;
    if (kind == SHUF_SHUFFLED_GROUPED && shuf_randomiser_is_line(randomiser))
        return 0;
    if (kind == SHUF_SHUFFLED_LOCAL_SWAP && !shuf_shuffled_is_far(eps0, sampling->n))
        return 0;
    if (kind == SHUF_SHUFFLED_THIRD && !shuf_randomiser_has_third(randomiser))
        return 0;
    return fmpq_is_one(sampling->rate) || shuf_shuffled_sampled_theorem(kind, sampling->is_poisson) != NULL;
}

static int is_clones(shuf_shuffled_kind kind)
{
    return kind == SHUF_SHUFFLED_CLONES || kind == SHUF_SHUFFLED_CLONES_STRONGER;
}

/* The pair of the kind, one of the clones. */
static void set_clones(shuf_pair_t pair, shuf_shuffled_kind kind, uint64_t n, const shuf_real_t eps0)
{
    shuf_pair_set_eps0(pair, kind == SHUF_SHUFFLED_CLONES ? SHUF_PAIR_CLONES : SHUF_PAIR_CLONES_STRONGER, n, eps0);
}

/* The bound of a kind that has one, of described reports. */
static void described_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                            shuf_shuffled_kind kind, const shuf_real_t eps0, const shuf_real_t eps, const shuf_options *options)
{
    if (kind == SHUF_SHUFFLED_LOCAL_PROFILE && round->everyone)
        local_profile(r, randomiser, round->n, eps0, eps, options);
    else if (kind == SHUF_SHUFFLED_LOCAL_PROFILE)
        sampled_local_profile(r, randomiser, round, eps0, eps, options);
    else if (kind == SHUF_SHUFFLED_LOCAL_SWAP)
        local_swap(r, randomiser, round, eps0, eps, options);
    else if (kind == SHUF_SHUFFLED_GROUPED)
        largest_group(r, where, randomiser, round, eps, options);
    else if (kind == SHUF_SHUFFLED_MIXED)
        (round->everyone ? largest_mix : largest_sampled_mix)(r, where, randomiser, round, eps, options);
    else
        (shuf_randomiser_is_line(randomiser) ? largest_line_case : largest_case)(r, where, randomiser, round, kind, eps, options);
}

shuf_status shuf_shuffled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                uint64_t n, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    const shuf_sampling everyone = { n, shuf_one, 0 };
    return shuf_shuffled_sampled_delta(r, where, randomiser, &everyone, kind, eps, options);
}

/* Coq: Stronger.stronger_dominates, Stronger.clones_dominates. */
shuf_status shuf_shuffled_delta_at_once(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    double start = shuf_work();
    const uint64_t n = sampling->n;
    shuf_datasets unused;
    shuf_real_t eps0;
    shuf_pair_t pair;
    round_struct round;
    int finite, has;

    if (where == NULL)
        where = &unused;
    memset(where, 0, sizeof(*where));
    where->x1 = 1;
    round_unknown(r);
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return r->status;
    shuf_real_init(eps0);
    shuf_pair_init(pair);
    round_init(&round, sampling, eps);
    finite = shuf_randomiser_eps0(eps0, randomiser);
    has = has_bound(randomiser, sampling, kind, finite ? eps0 : NULL);
    if (has && finite && beyond_loss(eps0, &round, eps))
    {
        shuf_enclosure_zero(r);
        where->others = kind == SHUF_SHUFFLED_THIRD ? 2 : shuf_shuffled_is_upper(kind) ? SHUF_BLANKET : 0;
    }
    else if (has && is_clones(kind))
    {
        set_clones(pair, kind, n, eps0);
        shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_BOTH, options);
    }
    else if (has)
    {
        described_delta(r, where, randomiser, &round, kind, eps0, eps, options);
    }
    r->ledger.work = shuf_work() - start;
    shuf_real_clear(eps0);
    shuf_pair_clear(pair);
    round_clear(&round);
    return r->status;
}

/* Of what is left, for fewer digits than are asked for, and the most that these may have taken for one more. Steer only. */
#define FEW_DIGITS_SHARE 0.3
#define LITTLE_SHARE 0.1

shuf_status shuf_shuffled_sampled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    const double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = { 1, 0.0 };
    shuf_enclosure_t more;
    shuf_real_t eps0;
    int is_heavy;
    shuf_real_init(eps0);
    is_heavy = kind == SHUF_SHUFFLED_BLANKET && limit > 0 && shuf_randomiser_is_line(randomiser) && !shuf_randomiser_eps0(eps0, randomiser);
    shuf_real_clear(eps0);
    if (!is_heavy)
        return shuf_shuffled_delta_at_once(r, where, randomiser, sampling, kind, eps, options);
    shuf_share(&o, limit, FEW_DIGITS_SHARE);
    if (shuf_shuffled_delta_at_once(r, where, randomiser, sampling, kind, eps, &o) == SHUF_DOMAIN)
        return r->status;
    shuf_enclosure_init(more);
    more->ledger.work = r->ledger.work;
    while (o.digits < options->digits && more->ledger.work < LITTLE_SHARE * (limit - shuf_work()))
    {
        o.digits++;
        shuf_share(&o, limit, o.digits < options->digits ? FEW_DIGITS_SHARE : 1);
        shuf_shuffled_delta_at_once(more, where, randomiser, sampling, kind, eps, &o);
        shuf_enclosure_intersect(r, more);
    }
    shuf_enclosure_clear(more);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

shuf_status shuf_shuffled_named_delta(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                      uint64_t x, uint64_t x1, uint64_t others, const shuf_real_t eps, const shuf_options *options)
{
    shuffled_case c = { x, x1, others, 0, 1 };
    round_struct round;
    term_list t;
    round_unknown(r);
    if (sampling->n < 1 || sampling->n > SHUF_MAX_USERS || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return r->status;
    round_init(&round, sampling, eps);
    if (shuf_randomiser_is_line(randomiser))
    {
        line_case(r, randomiser, x, x1, others, &round, eps, options);
    }
    else
    {
        terms_init(&t, randomiser, &c, &round, eps);
        terms_evaluate(r, &t, &round, options);
        terms_clear(&t);
    }
    round_clear(&round);
    return r->status;
}

/* ---- eps(delta) and calibration ---- */

typedef struct
{
    const shuf_randomiser_struct *randomiser;
    const shuf_sampling *sampling;
    shuf_shuffled_kind kind;
    const shuf_real_struct *delta;
    shuf_real_struct *highest; /* where a lower bound was certainly above delta, */
    shuf_datasets *where;      /* and its data there; of an upper bound, of the last evaluation */
} bound_data;

static shuf_status evaluate_bound(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const bound_data *d = data;
    shuf_datasets where;
    shuf_status status = shuf_shuffled_sampled_delta(r, &where, d->randomiser, d->sampling, d->kind, eps, options);
    int upper = kinds[d->kind].upper;
    if (upper || (shuf_real_cmp_arf(d->delta, r->lo) < 0 && shuf_real_cmp(eps, d->highest) >= 0))
    {
        *d->where = where;
        if (!upper)
            shuf_real_set(d->highest, eps);
    }
    return status;
}

/* r := the delta at eps of a lower bound's data. */
static void delta_of_data(shuf_enclosure_t r, const bound_data *d, const shuf_real_t eps, const shuf_options *options)
{
    const shuf_datasets *w = d->where;
    if (d->kind == SHUF_SHUFFLED_MIXED)
        mix_of(r, d->randomiser, d->sampling, w, eps, options);
    else if (d->kind == SHUF_SHUFFLED_GROUPED)
        group_of(r, d->randomiser, d->sampling, w, 0, eps, options);
    else
        shuf_shuffled_named_delta(r, d->randomiser, d->sampling, w->x, w->x1, w->others, eps, options);
}

/* Work that there is always for a last look at the data, and how often it looks again with more digits. Steer only. */
#define LAST_LOOK 1e7
#define LAST_LOOKS 3

/*
 * A search takes other data at each eps. Those that are named at the lower end have their own eps below the upper one if they
 * are at most delta there; else eps0 is all that is known.
 */
static void check_upper_end(shuf_enclosure_t r, const bound_data *d, const shuf_real_struct *eps0, double limit, slong digits)
{
    shuf_options o = { digits, 0.0 };
    shuf_enclosure_t value;
    shuf_real_t end;
    int i, above = eps0 == NULL || shuf_real_cmp_arf(eps0, r->hi) > 0;
    if (arf_sgn(r->lo) <= 0 || !arf_is_finite(r->hi))
        return;
    shuf_enclosure_init(value);
    shuf_real_init(end);
    if (limit > 0)
        o.max_work = fmax(limit - shuf_work(), LAST_LOOK);
    shuf_real_set_arf(end, r->hi);
    for (i = 0; i < LAST_LOOKS && above; i++)
    {
        delta_of_data(value, d, end, &o);
        above = shuf_real_cmp_arf(d->delta, value->hi) < 0;
        o.digits = FLINT_MIN(o.digits + o.digits / 2 + 2, SHUF_MAX_DIGITS);
    }
    if (above)
    {
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
    }
    if (eps0 != NULL && arf_is_pos_inf(r->hi))
    {
        shuf_real_end(r->hi, eps0, 1, PREC);
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->status = SHUF_ACCURACY;
    }
    shuf_enclosure_clear(value);
    shuf_real_clear(end);
}

/* Gaussian noise: of all-equal data, which a search for the blanket's bound begins near too. */
static double gaussian_estimate(double eps, const void *data)
{
    const bound_data *d = data;
    return shuf_gaussian_log_estimate(d->sampling->n, d->randomiser->scale, eps, SHUF_DIRECTION_BOTH);
}

/* A randomiser that is not on the line: Chernoff's bound of the first pair of inputs. */
static double chernoff_estimate(double eps, const void *data)
{
    const bound_data *d = data;
    const uint64_t references = d->kind == SHUF_SHUFFLED_ALL_EQUAL ? 2 : 1;
    shuffled_case c = { 0, 1, SHUF_BLANKET, 0, 1 };
    double best = -HUGE_VAL;
    round_struct round;
    shuf_real_t at, eps0;
    term_list t;
    uint64_t i;
    shuf_real_init(at);
    shuf_real_init(eps0);
    shuf_real_set_d(at, eps);
    round_init(&round, d->sampling, at);
    shuf_randomiser_pair(&c.x, &c.x1, d->randomiser, 0);
    for (i = 0; i < references; i++)
    {
        if (d->kind == SHUF_SHUFFLED_ALL_EQUAL)
            c.reference = i == 0 ? c.x1 : c.x;
        else if (d->kind == SHUF_SHUFFLED_THIRD)
            shuf_randomiser_other(&c.reference, d->randomiser, c.x == 0 ? 1 + (c.x1 == 1) : c.x1 == 0 ? 1 + (c.x == 1) : 0);
        if (d->kind != SHUF_SHUFFLED_LOCAL_PROFILE)
            terms_init(&t, d->randomiser, &c, &round, at);
        else if (shuf_randomiser_eps0(eps0, d->randomiser))
            profile_terms_init(&t, d->randomiser, &round, eps0, at);
        terms_estimate(&c, &t, (double) round.n, steer_midpoint(round.K));
        best = fmax(best, c.log_chernoff);
        terms_clear(&t);
    }
    best += d_log(fmpq_get_d(round.rate));
    round_clear(&round);
    shuf_real_clear(at);
    shuf_real_clear(eps0);
    return best;
}

/* Whether the bound is an expected positive part of a sum of independent terms, with finitely many values. */
static int is_sum(const shuf_randomiser_t randomiser, shuf_shuffled_kind kind)
{
    return !shuf_randomiser_is_line(randomiser)
           && (kind == SHUF_SHUFFLED_LOCAL_PROFILE || kind == SHUF_SHUFFLED_BLANKET || kind == SHUF_SHUFFLED_ALL_EQUAL || kind == SHUF_SHUFFLED_THIRD);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_shuffled_sampled_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                          const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t delta, double start,
                                          const shuf_options *options)
{
    const int everyone = fmpq_is_one(sampling->rate);
    const uint64_t n = sampling->n;
    const double before = shuf_work();
    shuf_datasets unused;
    shuf_real_t eps0, highest;
    bound_data d = { randomiser, sampling, kind, delta, highest, where != NULL ? where : &unused };
    shuf_pair_t pair;
    int finite;

    shuf_real_init(eps0);
    shuf_real_init(highest);
    shuf_pair_init(pair);
    memset(d.where, 0, sizeof(*d.where));
    d.where->x1 = 1;
    finite = shuf_randomiser_eps0(eps0, randomiser);
    shuf_enclosure_unknown(r, 0);
    mag_inf(r->ledger.truncation);
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(delta) < 0 || shuf_real_cmp_si(delta, 1) > 0
        || (kind == SHUF_SHUFFLED_MIXED && (!has_events(randomiser) || n > SHUF_MIXED_MAX_USERS))
        || !has_bound(randomiser, sampling, kind, finite ? eps0 : NULL))
    {
        /* no such bound */
    }
    else if (is_clones(kind))
    {
        set_clones(pair, kind, n, eps0);
        shuf_hockey_epsilon(r, pair, delta, SHUF_DIRECTION_BOTH, options);
    }
    else
    {
        const inverse_problem p = { evaluate_bound, &d, finite && (everyone || sampling->is_poisson) ? eps0 : NULL, SHUF_MAX_EPSILON,
                                    everyone && randomiser->kind == SHUF_RANDOMISER_GAUSSIAN ? gaussian_estimate
                                    : is_sum(randomiser, kind) ? chernoff_estimate : NULL, start };
        const double limit = shuf_limit(options);
        inverse_find(r, &p, delta, options);
        if (!kinds[kind].upper)
            check_upper_end(r, &d, finite ? eps0 : NULL, limit, options->digits);
    }
    r->ledger.work = shuf_work() - before;
    shuf_real_clear(eps0);
    shuf_real_clear(highest);
    shuf_pair_clear(pair);
    return r->status;
}
