/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/routes.h"

#include <string.h>

#include "account/groups_part.h"
#include "account/renyi_part.h"
#include "noise/noise_law.h"
#include "randomiser/deletion.h"
#include "batch/batch_law.h"
#include "shuffle/binary_law.h"
#include "shuffle/described_law.h"
#include "shuffle/gaussian.h"
#include "shuffle/pair_sum.h"

void chain_add(theorem_chain *chain, const char *id)
{
    /* a chain that does not fit certifies nothing */
    if (chain->count == MAX_CHAIN)
        chain->id[MAX_CHAIN - 1] = "";
    else
        chain->id[chain->count++] = id;
}

void chain_append(theorem_chain *chain, const theorem_chain *other)
{
    size_t i;
    for (i = 0; i < other->count; i++)
        chain_add(chain, other->id[i]);
}

/*
 * Coq: Monotone.trinomial_monotone, MoreUsers.trinomial_rounds_more_users, KrrPairs.krr_weak_monotone, KrrPairs.krr_strong_monotone,
 * ProfileBound.profile_bound_users, MoreUsers.blanket_more_users, MoreUsers.sampled_blanket_more_users,
 * MoreUsers.poisson_blanket_more_users, MoreUsers.poisson_profile_more_users.
 */
void chain_add_users(theorem_chain *chain, const shuf_part_struct *part)
{
    if (!fmpq_is_zero(part->honest))
        chain_add(chain, "honest-users");
    if (part->is_at_least)
        chain_add(chain, "users-at-least");
}

int chain_has(const theorem_chain *chain, const char *id)
{
    size_t i;
    for (i = 0; i < chain->count && strcmp(chain->id[i], id) != 0; i++)
        ;
    return i < chain->count;
}

void chain_add_once(theorem_chain *chain, const char *id)
{
    if (id != NULL && !chain_has(chain, id))
        chain_add(chain, id);
}

/* The theorems of a new route of the part, on which NULL is none. */
static void set_chain(round_route *route, const shuf_part_struct *part, const char *first, const char *second)
{
    if (first != NULL)
        chain_add(&route->chain, first);
    chain_add(&route->chain, second);
    chain_add_users(&route->chain, part);
}

static void route_init(round_route *route, const shuf_part_struct *part)
{
    memset(route, 0, sizeof(*route));
    route->part = part;
    shuf_pair_init(route->pair);
    shuf_sampled_init(route->sample);
    shuf_law_init(route->whole);
    shuf_law_init(route->law);
    route->rounds = part->rounds;
}

/* Makes room for a route. */
static round_route *push(route_list *r, const shuf_part_struct *part)
{
    round_route *route = &r->item[r->count];
    if (r->count++ >= MAX_ROUTES)
        flint_throw(FLINT_ERROR, "more than %d routes of a part\n", MAX_ROUTES);
    route_init(route, part);
    return route;
}

static void route_clear(round_route *route)
{
    shuf_law_clear(route->law);
    shuf_sampled_clear(route->sample);
    shuf_law_clear(route->whole);
    shuf_pair_clear(route->pair);
}

/* Takes the last route away. */
static void drop(route_list *r)
{
    round_route *route = &r->item[--r->count];
    if (route->beside != NULL)
        route_clear(route->beside);
    flint_free(route->beside);
    route_clear(route);
}

/* The law of the route's pair, which is about the users that a round takes: the part's sample, or with NULL all of them. */
static void set_law(round_route *route, const fmpq *rate, shuf_sampled_kind kind)
{
    if (rate == NULL || fmpq_is_one(rate))
    {
        fmpq_one(route->sample->gamma);
        shuf_law_set_pair(route->law, route->pair);
        return;
    }
    shuf_law_set_pair(route->whole, route->pair);
    shuf_sampled_set(route->sample, kind, route->whole, rate);
    shuf_law_set_sampled(route->law, route->sample);
}

/* Which law the pair of a route is of: of everyone, or of the sample. */
static shuf_pair_kind of_sample(const shuf_part_struct *part, shuf_pair_kind whole, shuf_pair_kind fixed, shuf_pair_kind poisson)
{
    return !shuf_part_is_sampled(part) ? whole : part->is_poisson ? poisson : fixed;
}

/* The law of a pair that eps0, perhaps k, and perhaps the sample make. */
static void set_pair(round_route *route, const shuf_part_struct *part, shuf_pair_kind kind, uint64_t k, const shuf_real_t eps0,
                     shuf_sampled_kind sampling)
{
    const int has_sample = shuf_pair_is_sampled(kind);
    if (has_sample)
        shuf_pair_set_sampled(route->pair, kind, part->sampled, k, eps0, part->rate);
    else if (shuf_pair_about(kind)->takes & SHUF_TAKES_K)
        shuf_pair_set_krr(route->pair, kind, part->sampled, k, eps0);
    else
        shuf_pair_set_eps0(route->pair, kind, part->sampled, eps0);
    set_law(route, has_sample ? NULL : part->rate, sampling);
}

/* ---- which parts ---- */

static int is_of_kind(const shuf_part_struct *part, shuf_randomiser_kind kind)
{
    return part->subject == SHUF_SUBJECT_RANDOMISER && part->randomiser->kind == kind;
}

int route_has_point(const round_route *route)
{
    return route->rounds == 1 && route->law->delta != NULL;
}

int route_is_described(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_RANDOMISER && !(part->eps0_is_infinite && part->gamma_is_given);
}

/* Nothing but the sum of the vectors is seen. */
static int is_sum(const shuf_part_struct *part)
{
    return part->release_sum;
}

static int is_rappor_sum(const shuf_part_struct *part)
{
    return part->release_sum && is_of_kind(part, SHUF_RANDOMISER_RAPPOR);
}

static int is_by_deletion(const shuf_part_struct *part)
{
    return part->is_deletion;
}

static int has_eps0(const shuf_part_struct *part)
{
    return part->subject != SHUF_SUBJECT_GROUPS && !part->eps0_is_infinite && shuf_real_cmp_si(part->eps0, SHUF_MAX_EPSILON) <= 0;
}

static int has_eps0_of_everyone(const shuf_part_struct *part)
{
    return has_eps0(part) && !shuf_part_is_sampled(part);
}

static int is_krr_with_blanket(const shuf_part_struct *part)
{
    return is_of_kind(part, SHUF_RANDOMISER_KRR) && !part->is_poisson && (part->gamma_is_given || has_eps0(part));
}

/* Reports of one bit. */
static int has_bits(const shuf_part_struct *part)
{
    return !part->release_sum && route_is_described(part) && !part->is_poisson && binary_reports(part->randomiser);
}

static int has_all_bits(const shuf_part_struct *part)
{
    return has_bits(part) && !shuf_part_is_sampled(part);
}

static int has_sampled_bits(const shuf_part_struct *part)
{
    return has_bits(part) && shuf_part_is_sampled(part);
}

/* There is no proof that the bound of a sample falls with the number of users. */
static int has_sampled_bits_exactly(const shuf_part_struct *part)
{
    return has_sampled_bits(part) && !part->is_at_least;
}

static int is_class(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_LDP && !part->is_deletion && has_eps0(part);
}

static int is_class_by_deletion(const shuf_part_struct *part)
{
    return part->is_deletion && has_eps0(part);
}

static int is_krr(const shuf_part_struct *part)
{
    return is_of_kind(part, SHUF_RANDOMISER_KRR) && has_eps0(part);
}

static int is_krr_of_three(const shuf_part_struct *part)
{
    return is_krr(part) && shuf_randomiser_has_third(part->randomiser);
}

static int is_rappor(const shuf_part_struct *part)
{
    return is_of_kind(part, SHUF_RANDOMISER_RAPPOR) && has_eps0(part);
}

/* All reports of a described randomiser are seen. */
static int has_reports(const shuf_part_struct *part)
{
    return !part->release_sum && route_is_described(part);
}

/* The same, of another randomiser than k-RR, whose pairs have it. */
static int has_alike(const shuf_part_struct *part)
{
    return has_reports(part) && !is_of_kind(part, SHUF_RANDOMISER_KRR);
}

/* They have no largest loss, so that no bound of the class is there. */
static int has_normal_reports(const shuf_part_struct *part)
{
    return has_reports(part) && is_of_kind(part, SHUF_RANDOMISER_GAUSSIAN);
}

static int has_swaps(const shuf_part_struct *part)
{
    return route_is_described(part) && has_eps0_of_everyone(part) && part->users >= SHUF_SWAP_USERS
           && shuf_shuffled_is_far(part->eps0, part->users);
}

/* Where e^eps0 is so many times the users or more, the sums of all-equal data and of a third value are mostly too hard. Steers only. */
#define GROUPS_FROM 64

/* A report has many likelihood ratios, far apart. */
static int has_groups(const shuf_part_struct *part)
{
    return has_reports(part) && is_of_kind(part, SHUF_RANDOMISER_PRODUCT) && !shuf_part_is_sampled(part) && part->users >= SHUF_SWAP_USERS
           && (part->eps0_is_infinite || shuf_shuffled_is_far(part->eps0, GROUPS_FROM * FLINT_MIN(part->users, UINT64_MAX / GROUPS_FROM)));
}

#define GROUPS_USERS 1000 /* over rounds all-equal data and a third value serve fewer: steers only */

static int has_groups_of_many(const shuf_part_struct *part)
{
    return part->users >= GROUPS_USERS && has_groups(part);
}

static int has_third(const shuf_part_struct *part)
{
    return has_alike(part) && shuf_randomiser_has_third(part->randomiser);
}

/* ---- from above ---- */

/* Which of those that a function makes; whether its data are to be the same for all mechanisms. */
typedef struct
{
    int what, named;
} choice;

/* Two bits of the sum, each a shuffle of binary responses. Coq: SumOfBits.rappor_sum. */
static int make_rappor_sum(round_route *route, const shuf_part_struct *part, choice c)
{
    shuf_real_t half;
    (void) c;
    shuf_real_init(half);
    set_chain(route, part, "rappor-sum", "clones-stronger");
    shuf_real_undo_twice(half, part->eps0); /* the eps0 of deletion */
    shuf_pair_set_eps0(route->pair, SHUF_PAIR_CLONES_STRONGER, part->users, half);
    set_law(route, part->rate, SHUF_SAMPLED_FIXED_SIZE);
    route->rounds = 2 * part->rounds;
    shuf_real_clear(half);
    return 1;
}

/* Coq: DeletionClones.clones_deletion. */
static int make_clones_deletion(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    set_chain(route, part, NULL, "clones-deletion");
    set_pair(route, part, SHUF_PAIR_CLONES_DELETION, 2, part->deletion_eps0, SHUF_SAMPLED_FIXED_SIZE);
    return 1;
}

/*
 * What is true of everything with that eps0, or of RAPPOR of any number of values.
 * Coq: Stronger.stronger_dominates, Stronger.clones_dominates, Stronger.stronger_below_clones, Rappor.rappor_local.
 */
static int make_clones(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_pair_kind kind = c.what == SHUF_PAIR_CLONES ? SHUF_PAIR_CLONES
                                                         : of_sample(part, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_CLONES_SAMPLED, SHUF_PAIR_CLONES_POISSON);
    set_chain(route, part, part->is_deletion                            ? "deletion-local"
                           : part->subject == SHUF_SUBJECT_LDP          ? NULL
                           : is_of_kind(part, SHUF_RANDOMISER_RAPPOR)   ? "rappor-local"
                                                                        : shuf_shuffled_premise(SHUF_SHUFFLED_CLONES_STRONGER, part->randomiser),
              shuf_pair_about(kind)->theorem);
    set_pair(route, part, kind, 2, part->eps0, SHUF_SAMPLED_FIXED_SIZE);
    return 1;
}

/* Coq: KrrShuffle.krr_weak_bound, KrrBelow.krr_weak_below_stronger. */
static int make_krr_weak(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    set_chain(route, part, NULL, "krr-weak");
    if (part->gamma_is_given)
        shuf_pair_set_krr_blanket(route->pair, SHUF_PAIR_KRR_WEAK, part->sampled, part->randomiser->inputs, part->gamma);
    else
        shuf_pair_set_krr_blanket_eps0(route->pair, SHUF_PAIR_KRR_WEAK, part->sampled, part->randomiser->inputs, part->eps0);
    set_law(route, part->rate, SHUF_SAMPLED_FIXED_SIZE);
    return 1;
}

/* Coq: SumOfBits.sum_of_bits_above. */
static int make_sum(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    set_chain(route, part, NULL, "sum-of-bits");
    binary_law_sum(route->law, part->randomiser, part->users);
    return 1;
}

static const char *theorem_of_bits(const shuf_part_struct *part)
{
    return shuf_part_is_sampled(part) ? "binary-reports-sampled" : "binary-reports";
}

/* Coq: BinaryReports.binary_reports, BinaryReports.binary_reports_sampled. */
static int make_bits(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    set_chain(route, part, NULL, theorem_of_bits(part));
    binary_law_worst(route->law, part->randomiser, part->users, part->sampled);
    return 1;
}

/* The theorem of a bound of a round as the part has it, sampled or not; NULL if there is none. */
static const char *theorem_of(const shuf_part_struct *part, shuf_shuffled_kind kind)
{
    return shuf_part_is_sampled(part) ? shuf_shuffled_sampled_theorem(kind, part->is_poisson) : shuf_shuffled_theorem(kind);
}

static shuf_sampling sampling_of(const shuf_part_struct *part)
{
    return (shuf_sampling) { part->sampled, part->rate, part->is_poisson };
}

/* What is seen of reports that are grouped. */
#define IN_THREE_SETS "of each report, in which of three sets it is"

/* A bound at single points, from above or from below. */
static int make_point(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_shuffled_kind kind = (shuf_shuffled_kind) c.what;
    const shuf_sampling sampling = sampling_of(part);
    if (theorem_of(part, kind) == NULL || c.named)
        return 0;
    set_chain(route, part, shuf_shuffled_premise(kind, part->randomiser), theorem_of(part, kind));
    described_law_point(route->law, part->randomiser, &sampling, kind);
    if (!shuf_shuffled_is_upper(kind))
    {
        route->one_of = part->rounds;
        route->rounds = 1;
    }
    if (kind == SHUF_SHUFFLED_MIXED)
        route->data.seen = "of each report, whether it is in an event";
    if (kind == SHUF_SHUFFLED_GROUPED)
        route->data.seen = IN_THREE_SETS;
    return 1;
}

/* A normal report by itself, however many others there are: all rounds at once. Coq: Seen.reports_seen. */
static int make_seen_report(round_route *route, const shuf_part_struct *part, choice c)
{
    shuf_noise_t noise;
    fmpq_t all;
    (void) c;
    set_chain(route, part, part->randomiser->inputs == SHUF_ANY_INPUTS ? "noise-interval" : NULL, "reports-seen");
    shuf_noise_init(noise);
    fmpq_init(all);
    fmpq_one(all);
    noise->kind = SHUF_NOISE_GAUSSIAN;
    fmpq_one(noise->sensitivity);
    fmpq_mul(noise->variance, part->randomiser->scale->q, part->randomiser->scale->q);
    noise_law(route->law, noise, all, &route->rounds);
    shuf_noise_clear(noise);
    fmpq_clear(all);
    return 1;
}

static int is_loosened(const shuf_part_struct *part)
{
    return is_class(part) && !shuf_part_is_sampled(part) && (shuf_real_sgn(part->delta0) > 0 || part->reports > 1);
}

/* Each report of the user by itself, however many others there are. Coq: Seen.local_delta0. */
static int make_seen_class(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    if (part->rounds > SHUF_MAX_USERS / part->reports)
        return 0;
    chain_add(&route->chain, "local-delta0");
    shuf_pair_set_eps0(route->pair, SHUF_PAIR_CLONES_STRONGER, 1, part->eps0);
    set_law(route, NULL, SHUF_SAMPLED_FIXED_SIZE);
    route->rounds = part->rounds * part->reports;
    return 1;
}

/* The same by their Renyi divergences, which add up. */
static int make_seen_renyi(round_route *route, const shuf_part_struct *part, choice c)
{
    (void) c;
    chain_add(&route->chain, "renyi-composition");
    chain_add(&route->chain, "renyi-conversion");
    renyi_part_law(route->law, part);
    route->rounds = 1;
    return 1;
}

/* The profile of the smallest of all of them. */
static int make_nodes_above(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_sampling sampling = sampling_of(part);
    const char *inputs = shuf_shuffled_premise(SHUF_SHUFFLED_BLANKET, part->randomiser);
    const char *local = part->eps0_is_infinite ? NULL : shuf_shuffled_premise(SHUF_SHUFFLED_LOCAL_PROFILE, part->randomiser);
    (void) c;
    set_chain(route, part, inputs != NULL ? inputs : local, theorem_of(part, SHUF_SHUFFLED_BLANKET));
    if (inputs != NULL && local != NULL && strcmp(inputs, local) != 0)
        chain_add(&route->chain, local);
    if (!part->eps0_is_infinite)
        chain_add(&route->chain, theorem_of(part, SHUF_SHUFFLED_LOCAL_PROFILE));
    if (has_swaps(part))
        chain_add(&route->chain, theorem_of(part, SHUF_SHUFFLED_LOCAL_SWAP));
    chain_add(&route->chain, "profile-nodes");
    described_law_above(route->law, part->randomiser, &sampling);
    return 1;
}

/* ---- from below: user 1 holds 0 or 1 ---- */

static void set_data(round_route *route, uint64_t others, const char *seen)
{
    route->data.x1 = 1;
    route->data.others = others;
    route->data.seen = seen;
}

/*
 * k-RR, the others all holding 0, or a third value. Of the class the smallest k, of which the pairs of a larger one are a
 * post-processing (proofs/clones-sampled.md).
 * Coq: KrrShuffle.krr_same_exact, KrrShuffle.krr_third_below, KrrShuffle.rr2_exact.
 */
static int make_krr(round_route *route, const shuf_part_struct *part, choice c)
{
    const int of_class = part->subject == SHUF_SUBJECT_LDP, third = c.what == SHUF_PAIR_KRR_THIRD;
    const uint64_t k = !of_class ? part->randomiser->inputs : third ? 3 : 2;
    const shuf_pair_kind kind = third              ? of_sample(part, SHUF_PAIR_KRR_THIRD, SHUF_PAIR_KRR_THIRD_SAMPLED, SHUF_PAIR_KRR_THIRD_POISSON)
                                : part->is_poisson ? SHUF_PAIR_KRR_SAME_POISSON
                                : of_class         ? SHUF_PAIR_RR2
                                                   : SHUF_PAIR_KRR_SAME;
    set_chain(route, part, NULL, shuf_pair_about(kind)->theorem);
    set_pair(route, part, kind, k, part->eps0, SHUF_SAMPLED_REPLACED);
    set_data(route, third ? 2 : 0, NULL);
    route->data.k = of_class ? k : 0;
    return 1;
}

/* Coq: SumOfBits.rappor_bit. */
static int make_rappor_bit(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_pair_kind kind = part->is_poisson ? SHUF_PAIR_KRR_SAME_POISSON : SHUF_PAIR_RR2;
    shuf_real_t half;
    (void) c;
    shuf_real_init(half);
    set_chain(route, part, part->is_poisson ? shuf_pair_about(kind)->theorem : NULL, "rappor-bit");
    shuf_real_undo_twice(half, part->eps0); /* the eps0 of deletion */
    set_pair(route, part, kind, 2, half, SHUF_SAMPLED_REPLACED);
    set_data(route, 0, "entry 1 of the sum of the reports");
    shuf_real_clear(half);
    return 1;
}

/*
 * The matrix of proofs/deletion.md, the others all holding 0, or 2: of a sample the latter are
 * reported, too, where user 1 is not in it.
 */
static int make_deletion(round_route *route, const shuf_part_struct *part, choice c)
{
    const uint64_t others = (uint64_t) c.what;
    shuf_randomiser_t m;
    fmpq_t w0, w1;
    fmpq *rest;
    shuf_randomiser_init(m);
    fmpq_init(w0);
    fmpq_init(w1);
    deletion_matrix(m, part->deletion_eps0);
    set_chain(route, part, NULL, "deletion-third");
    rest = &m->row[3 * others];
    fmpq_set(w0, &m->row[0]);
    fmpq_set(w1, &m->row[1]);
    if (others == 2)
    {
        /* rate w + (1 - rate) t */
        fmpq_sub(w0, w0, rest);
        fmpq_mul(w0, w0, part->rate);
        fmpq_add(w0, w0, rest);
        fmpq_sub(w1, w1, rest);
        fmpq_mul(w1, w1, part->rate);
        fmpq_add(w1, w1, rest);
    }
    shuf_pair_set_trinomial(route->pair, part->sampled, w0, w1, &rest[0], &rest[1]);
    set_law(route, others == 2 ? NULL : part->rate, SHUF_SAMPLED_REPLACED);
    set_data(route, others, NULL);
    shuf_randomiser_clear(m);
    fmpq_clear(w0);
    fmpq_clear(w1);
    return 1;
}

/*
 * Data of reports of one bit, or of a sum of bits: of one round the worst at each point, of several those that are chosen.
 * Coq: BinaryReports.binary_reports_attained, BinaryReports.binary_reports_sampled_attained, SumOfBits.sum_of_bits_data.
 */
static int make_bits_below(round_route *route, const shuf_part_struct *part, choice c)
{
    shuf_datasets where = { .x1 = 1 };
    int known = 1;
    (void) c;
    set_chain(route, part, NULL, part->release_sum ? "sum-of-bits-data" : theorem_of_bits(part));
    if (part->release_sum)
        known = binary_law_sum_data(route->law, &where, part->randomiser, part->users);
    else if (part->rounds == 1)
        binary_law_data(route->law, part->randomiser, part->users, part->sampled);
    else
        known = binary_law_rounds(route->law, &where, part->randomiser, part->users, part->sampled);
    route->data.x = where.x;
    route->data.x1 = where.x1;
    route->data.others = where.others;
    route->data.count = where.count;
    route->data.second = where.second;
    route->data.seen = part->release_sum ? "the sum of the reports" : NULL;
    return known;
}

/* Of more users the law takes longer than nodes, and with less noise than 2^LEAST_BITS or more it has no digits. Steer only. */
#define MOST_BINS 2000
#define LEAST_BITS (-3)
#define MOST_SCALE 100

static int has_scale_of_bins(const shuf_real_t scale)
{
    arf_t least;
    int result;
    arf_init(least);
    arf_set_si_2exp_si(least, 1, LEAST_BITS);
    result = !scale->is_log && shuf_real_cmp_arf(scale, least) >= 0 && shuf_real_cmp_si(scale, MOST_SCALE) <= 0;
    arf_clear(least);
    return result;
}

/* Rounds of normal reports of users who all hold the same, but one: each is an epoch of balls and bins with as many steps as users (proofs/gaussian.md, Lemma 1, and dpsgd.md, Theorem 1). */
static int has_bins(const shuf_part_struct *part)
{
    const shuf_sampling sampling = sampling_of(part);
    return has_normal_reports(part) && !shuf_part_is_sampled(part) && part->rounds > 1 && has_scale_of_bins(part->randomiser->scale) && sampling.n >= 2 && sampling.n <= MOST_BINS;
}

static int make_bins(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_sampling sampling = sampling_of(part);
    if (c.named)
        return 0;
    set_chain(route, part, NULL, theorem_of(part, SHUF_SHUFFLED_ALL_EQUAL));
    set_data(route, 1, NULL);
    batch_law_balls(route->law, part->randomiser->scale->q, sampling.n);
    route->law->delta = NULL; /* of rounds alone, and always these data */
    route->law->epsilon = NULL;
    route->law->has_cheap_points = 0;
    return 1;
}

/* The profile of one pair of data. */
static int make_nodes_below(round_route *route, const shuf_part_struct *part, choice c)
{
    const shuf_shuffled_kind kind = (shuf_shuffled_kind) c.what;
    const shuf_sampling sampling = sampling_of(part);
    if ((kind == SHUF_SHUFFLED_GROUPED && c.named) || (kind == SHUF_SHUFFLED_ALL_EQUAL && !c.named && has_bins(part)))
        return 0;
    set_chain(route, part, NULL, theorem_of(part, kind));
    chain_add(&route->chain, "profile-nodes");
    set_data(route, kind == SHUF_SHUFFLED_THIRD ? 2 : 0, kind == SHUF_SHUFFLED_GROUPED ? IN_THREE_SETS : NULL);
    described_law_below(route->law, part->randomiser, &sampling, kind, c.named);
    return 1;
}

/* ---- groups ---- */

static int is_groups(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_GROUPS;
}

static int has_groups_alike(const shuf_part_struct *part)
{
    return is_groups(part) && groups_part_k(part) != 0;
}

static int has_groups_of_krr(const shuf_part_struct *part)
{
    return is_groups(part) && groups_part_krr(part) > 0;
}

/* Over rounds both values take long where there are more users. Steers only. */
#define BOTH_USERS 50000

static int has_groups_of_both(const shuf_part_struct *part)
{
    return has_groups_of_krr(part) && (part->rounds == 1 || part->users <= BOTH_USERS);
}

/* More than one pair. */
static int has_groups_apart(const shuf_part_struct *part)
{
    return is_groups(part) && groups_part_k(part) == 0;
}

static int has_groups_of_three(const shuf_part_struct *part)
{
    return is_groups(part) && groups_part_k(part) > 2;
}

/* By clones, or by krr-weak. */
static int make_groups_pair(round_route *route, const shuf_part_struct *part, choice c)
{
    groups_entry *entry = groups_part_entries(part);
    set_chain(route, part, NULL, c.what ? "groups-weak" : "groups-clones");
    (c.what ? groups_weak : groups_clones)(route->pair, entry, part->groups, groups_part_k(part));
    set_law(route, NULL, SHUF_SAMPLED_FIXED_SIZE);
    flint_free(entry);
    return 1;
}

static int has_groups_of_bits(const shuf_part_struct *part)
{
    return is_groups(part) && groups_part_k(part) == 2;
}

/* All probabilities are between those of the group with the largest eps0: binary-reports holds for different users, too. */
static int make_groups_widest(round_route *route, const shuf_part_struct *part, choice c)
{
    groups_entry *entry = groups_part_entries(part);
    (void) c;
    set_chain(route, part, NULL, "binary-reports");
    binary_law_worst(route->law, part->group[groups_widest(entry, part->groups)].randomiser, part->users, part->users);
    flint_free(entry);
    return 1;
}

static int make_groups_shared(round_route *route, const shuf_part_struct *part, choice c)
{
    groups_entry *entry = groups_part_entries(part);
    (void) c;
    set_chain(route, part, NULL, "groups-shared");
    groups_shared(route->law, entry, part->groups);
    flint_free(entry);
    return 1;
}

static int make_groups_apart(round_route *route, const shuf_part_struct *part, choice c)
{
    groups_entry *entry = groups_part_entries(part);
    const int has_weak = groups_has_weak(entry, part->groups);
    size_t i;
    (void) c;
    set_chain(route, part, NULL, groups_part_krr(part) < part->groups ? "groups-apart" : has_weak ? "groups-weak" : "groups-clones");
    for (i = 0; i < part->groups; i++)
    {
        const shuf_part_struct *group = &part->group[i];
        chain_add_once(&route->chain, entry[i].k == 0 ? "clones-stronger" : has_weak ? "groups-weak" : "groups-clones");
        if (entry[i].k != 0 && part->users > GROUPS_WEAK_USERS)
            chain_add_once(&route->chain, "groups-clones");
        if (entry[i].k == 0 && group->subject == SHUF_SUBJECT_RANDOMISER)
            chain_add_once(&route->chain, is_of_kind(group, SHUF_RANDOMISER_RAPPOR) ? "rappor-local"
                                                                              : shuf_shuffled_premise(SHUF_SHUFFLED_CLONES_STRONGER, group->randomiser));
    }
    groups_apart(route->law, entry, part->groups);
    flint_free(entry);
    return 1;
}

/* What is looked at of the reports of krr groups. */
#define SEEN_BIT "how many reports are the first value of the user who differs, of the krr group with the largest eps0 of those whose last value it is"
#define SEEN_BOTH "how many reports are the two values of the user who differs, of the krr group with the largest eps0 of those whose last value is the first"

/* Of the groups of k-RR alone: one value, or both. */
static int make_groups_bits(round_route *route, const shuf_part_struct *part, choice c)
{
    groups_entry *entry = groups_part_entries(part);
    const int both = c.what, known = groups_bits(route->law, entry, part->groups, both);
    set_chain(route, part, groups_part_krr(part) == part->groups ? NULL : "groups-apart", both ? "groups-third" : "groups-bits");
    set_data(route, 0, both ? SEEN_BOTH : groups_part_k(part) == 2 ? "all reports; a user of the group with the largest eps0 differs" : SEEN_BIT);
    flint_free(entry);
    return known;
}

/* ---- the table ---- */

/* For which parts there is such a route, and what makes it. */
typedef struct
{
    shuf_side side;
    route_kind kind;
    int of_class; /* it holds for all mechanisms with the part's eps0, of RAPPOR for every number of values */
    int (*applies)(const shuf_part_struct *part);
    int (*make)(round_route *route, const shuf_part_struct *part, choice c); /* returns 0 if there is none after all */
    int what;
} route_row;

/* Pairs first; the cheapest first. */
static const route_row rows[] = {
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 1, is_rappor_sum, make_rappor_sum, 0 },
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 1, is_by_deletion, make_clones_deletion, 0 },
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 1, has_eps0, make_clones, SHUF_PAIR_CLONES_STRONGER },
    { SHUF_SIDE_UPPER, ROUTE_PUBLISHED, 1, has_eps0_of_everyone, make_clones, SHUF_PAIR_CLONES },
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 0, has_normal_reports, make_seen_report, 0 },
    { SHUF_SIDE_UPPER, ROUTE_MIXTURE, 0, is_krr_with_blanket, make_krr_weak, 0 },
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 0, has_groups_alike, make_groups_pair, 0 },
    { SHUF_SIDE_UPPER, ROUTE_PAIR, 0, has_groups_of_three, make_groups_pair, 1 },
    { SHUF_SIDE_UPPER, ROUTE_LAW, 0, has_groups_of_bits, make_groups_widest, 0 },
    { SHUF_SIDE_UPPER, ROUTE_POINT, 0, has_groups_of_bits, make_groups_shared, 0 },
    { SHUF_SIDE_UPPER, ROUTE_LAW, 0, has_groups_apart, make_groups_apart, 0 },
    { SHUF_SIDE_UPPER, ROUTE_SEEN, 1, is_loosened, make_seen_class, 0 },
    { SHUF_SIDE_UPPER, ROUTE_WHOLE, 1, renyi_part_has, make_seen_renyi, 0 },
    { SHUF_SIDE_UPPER, ROUTE_BEST, 0, is_sum, make_sum, 0 },
    { SHUF_SIDE_UPPER, ROUTE_BEST, 0, has_all_bits, make_bits, 0 },
    { SHUF_SIDE_UPPER, ROUTE_LAW, 0, has_sampled_bits_exactly, make_bits, 0 },
    { SHUF_SIDE_UPPER, ROUTE_POINT, 0, route_is_described, make_point, SHUF_SHUFFLED_LOCAL_PROFILE },
    { SHUF_SIDE_UPPER, ROUTE_POINT, 0, has_swaps, make_point, SHUF_SHUFFLED_LOCAL_SWAP },
    { SHUF_SIDE_UPPER, ROUTE_POINT, 0, route_is_described, make_point, SHUF_SHUFFLED_BLANKET },
    { SHUF_SIDE_UPPER, ROUTE_NODES, 0, route_is_described, make_nodes_above, 0 },

    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_class_by_deletion, make_deletion, 0 },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_class_by_deletion, make_deletion, 2 },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_class, make_krr, SHUF_PAIR_KRR_SAME },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_class, make_krr, SHUF_PAIR_KRR_THIRD },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_krr, make_krr, SHUF_PAIR_KRR_SAME },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 0, is_krr_of_three, make_krr, SHUF_PAIR_KRR_THIRD },
    { SHUF_SIDE_LOWER, ROUTE_PAIR, 1, is_rappor, make_rappor_bit, 0 },
    { SHUF_SIDE_LOWER, ROUTE_LAW, 0, has_groups_of_krr, make_groups_bits, 0 },
    { SHUF_SIDE_LOWER, ROUTE_LAW, 0, has_groups_of_both, make_groups_bits, 1 },
    { SHUF_SIDE_LOWER, ROUTE_BEST, 0, is_sum, make_bits_below, 0 },
    { SHUF_SIDE_LOWER, ROUTE_BEST, 0, has_all_bits, make_bits_below, 0 },
    { SHUF_SIDE_LOWER, ROUTE_LAW, 0, has_sampled_bits, make_bits_below, 0 },
    { SHUF_SIDE_LOWER, ROUTE_POINT, 0, has_groups, make_point, SHUF_SHUFFLED_GROUPED },
    { SHUF_SIDE_LOWER, ROUTE_POINT, 0, has_alike, make_point, SHUF_SHUFFLED_ALL_EQUAL },
    { SHUF_SIDE_LOWER, ROUTE_LAW, 0, has_bins, make_bins, 0 },
    { SHUF_SIDE_LOWER, ROUTE_NODES, 0, has_alike, make_nodes_below, SHUF_SHUFFLED_ALL_EQUAL },
    { SHUF_SIDE_LOWER, ROUTE_POINT, 0, has_third, make_point, SHUF_SHUFFLED_THIRD },
    { SHUF_SIDE_LOWER, ROUTE_NODES, 0, has_third, make_nodes_below, SHUF_SHUFFLED_THIRD },
    { SHUF_SIDE_LOWER, ROUTE_NODES, 0, has_groups_of_many, make_nodes_below, SHUF_SHUFFLED_GROUPED },
    { SHUF_SIDE_LOWER, ROUTE_POINT, 0, has_reports, make_point, SHUF_SHUFFLED_MIXED }
};

static int is_of_pair(route_kind kind)
{
    return kind == ROUTE_PAIR || kind == ROUTE_PUBLISHED || kind == ROUTE_MIXTURE;
}

/* A route of the part by a row, about `own`: the part, or one of its groups that is looked at alone. */
static void push_row(route_list *r, const route_row *row, const shuf_part_struct *part, const shuf_part_struct *own, choice c)
{
    round_route *route = push(r, part);
    route->kind = row->kind;
    /* who does not say k has no third value */
    route->needs_k = row->applies == has_third && shuf_randomiser_is_unary(own->randomiser);
    if (renyi_part_has(part))
    {
        route->part = own;
        chain_add(&route->chain, row->side == SHUF_SIDE_UPPER ? "local-renyi" : "local-renyi-below");
    }
    else if (own != part && part->groups > 1)
        chain_add(&route->chain, "groups-apart");
    if (is_groups(part) && own != part)
        route->data.group = 1 + (size_t) (own - part->group);
    if (!row->make(route, own, c))
        drop(r);
    else if (is_of_pair(row->kind))
        r->pairs = r->count;
}

#define MAX_OWNERS (1 + RENYI_CLASSES) /* size of an array */

/*
 * Whose rows there are: the part's own; of groups, besides, those of the worst class and of the worst described group, alone; one group is itself.
 * Of a Renyi divergence from above, besides, those of all classes around it.
 */
static size_t find_owners(const shuf_part_struct *owner[MAX_OWNERS], const shuf_part_struct *part, shuf_side side)
{
    const shuf_subject subjects[] = { SHUF_SUBJECT_LDP, SHUF_SUBJECT_RANDOMISER };
    size_t count = 0, i;
    for (i = 0; i < part->groups && renyi_part_has(part) && side == SHUF_SIDE_UPPER; i++)
        owner[count++] = &part->group[i];
    owner[count++] = is_groups(part) && part->groups == 1 ? &part->group[0] : part;
    for (i = 0; i < 2 && is_groups(part) && part->groups > 1 && side == SHUF_SIDE_LOWER; i++)
    {
        owner[count] = groups_part_worst(part, subjects[i]);
        count += owner[count] != NULL;
    }
    return count;
}

/* A class by a Renyi divergence has nothing from above but what all its reports have together, and the classes around it have the best pair only. */
static int has_row(const route_row *row, const shuf_part_struct *part, const shuf_part_struct *own)
{
    if (renyi_part_has(part) && row->side == SHUF_SIDE_UPPER && (own == part ? row->kind != ROUTE_WHOLE : row->kind == ROUTE_PUBLISHED))
        return 0;
    return row->applies(own);
}

void routes_of_mechanism(route_list *r, const shuf_part_struct *part, shuf_side side, int named, int of_class)
{
    const shuf_part_struct *owner[MAX_OWNERS];
    const size_t owners = find_owners(owner, part, side);
    size_t i, j;
    r->count = r->pairs = 0;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (j = 0; j < owners; j++)
            if (rows[i].side == side && (!of_class || rows[i].of_class) && has_row(&rows[i], part, owner[j]))
                push_row(r, &rows[i], part, owner[j], (choice) { rows[i].what, named });
}

/* ---- other subjects ---- */

/* Coq: Coins.binomial_noise, Coins.binomial_noise_attained, Coins.binomial_noise_rounds. */
void routes_of_pair(route_list *r, const shuf_part_struct *part, shuf_sampled_kind kind)
{
    round_route *route;
    r->count = 0;
    route = push(r, part);
    set_chain(route, part, NULL, part->subject == SHUF_SUBJECT_NOISE ? "binomial-noise" : shuf_pair_theorem(part->pair));
    shuf_pair_set(route->pair, part->pair);
    set_law(route, shuf_pair_is_sampled(part->pair->kind) ? NULL : part->rate, kind);
    if (shuf_pair_has_engine(route->pair, SHUF_ENGINE_GAUSSIAN))
        shuf_gaussian_law(route->law, route->pair);
    else if (route->law->pair != NULL && pair_sum_is_cheaper(route->pair))
        pair_sum_points(route->law);
    r->pairs = r->count;
}

round_route *routes_push_law(route_list *r, const shuf_part_struct *part, const char *theorem)
{
    round_route *route = push(r, part);
    route->kind = ROUTE_LAW;
    set_chain(route, part, NULL, theorem);
    return route;
}

round_route *routes_add_beside(round_route *route, const shuf_part_struct *part)
{
    route->beside = flint_malloc(sizeof(*route->beside));
    route_init(route->beside, part);
    route->beside->kind = route->kind;
    return route->beside;
}

void routes_hasten(route_list *r)
{
    size_t i;
    for (i = 0; i < r->count; i++)
    {
        shuf_law_hasten(r->item[i].law);
        shuf_law_hasten(r->item[i].whole);
    }
}

void routes_clear(route_list *r)
{
    while (r->count > 0)
        drop(r);
    r->pairs = 0;
}
