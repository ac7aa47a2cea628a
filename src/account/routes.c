/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/routes.h"

#include <string.h>

#include "batch/batch_law.h"
#include "randomiser/deletion.h"
#include "shuffle/binary_law.h"
#include "shuffle/described_law.h"
#include "shuffle/gaussian.h"

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

void chain_add_users(theorem_chain *chain, const shuf_part_struct *part)
{
    if (!fmpq_is_zero(part->honest))
        chain_add(chain, "honest-users");
    if (part->is_at_least)
        chain_add(chain, "users-at-least");
}

/* A new route; NULL is no theorem. */
static round_route *add(route_list *r, const shuf_part_struct *part, const char *first, const char *second)
{
    round_route *route = &r->item[r->count];
    if (r->count++ >= MAX_ROUTES)
        flint_throw(FLINT_ERROR, "more than %d routes of a part\n", MAX_ROUTES);
    memset(route, 0, sizeof(*route));
    if (first != NULL)
        chain_add(&route->chain, first);
    chain_add(&route->chain, second);
    chain_add_users(&route->chain, part);
    shuf_pair_init(route->pair);
    shuf_sampled_init(route->sample);
    shuf_law_init(route->whole);
    shuf_law_init(route->law);
    route->rounds = part->rounds;
    return route;
}

/* A new route than which no other says more. */
static round_route *add_best(route_list *r, const shuf_part_struct *part, const char *theorem)
{
    round_route *route = add(r, part, NULL, theorem);
    route->is_best = 1;
    return route;
}

/* Reports of one bit: of everyone no other route says more; of a sample, which may be too dear to look at all data, others may. */
static round_route *add_bits(route_list *r, const shuf_part_struct *part)
{
    return shuf_part_is_sampled(part) ? add(r, part, NULL, "binary-reports-sampled") : add_best(r, part, "binary-reports");
}

/* Takes the last route away. */
static void drop(route_list *r)
{
    round_route *route = &r->item[--r->count];
    shuf_law_clear(route->law);
    shuf_sampled_clear(route->sample);
    shuf_pair_clear(route->pair);
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

static int within(const shuf_real_t eps0)
{
    return shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) <= 0;
}

static int is_of_kind(const shuf_part_struct *part, shuf_randomiser_kind kind)
{
    return part->subject == SHUF_SUBJECT_RANDOMISER && part->randomiser->kind == kind;
}

int route_is_described(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_RANDOMISER && !(part->eps0_is_infinite && part->gamma_is_given);
}

/* Reports of one bit. */
static int has_bits(const shuf_part_struct *part)
{
    return route_is_described(part) && !part->is_poisson && binary_reports(part->randomiser);
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

/* At single points. */
static void add_described(route_list *r, const shuf_part_struct *part, shuf_shuffled_kind kind)
{
    const shuf_sampling sampling = sampling_of(part);
    round_route *route;
    if (theorem_of(part, kind) == NULL)
        return;
    route = add(r, part, shuf_shuffled_premise(kind, part->randomiser), theorem_of(part, kind));
    described_law_point(route->law, part->randomiser, &sampling, kind);
    if (!shuf_shuffled_is_upper(kind))
        route->rounds = 1; /* what is seen in one of them */
    if (kind == SHUF_SHUFFLED_MIXED)
        route->data.seen = "of each report, whether it is in an event";
}

/* The profile of the smallest of all of them. */
static void add_profile_above(route_list *r, const shuf_part_struct *part)
{
    const shuf_sampling sampling = sampling_of(part);
    const char *inputs = shuf_shuffled_premise(SHUF_SHUFFLED_BLANKET, part->randomiser);
    const char *local = part->eps0_is_infinite ? NULL : shuf_shuffled_premise(SHUF_SHUFFLED_LOCAL_PROFILE, part->randomiser);
    round_route *route = add(r, part, inputs != NULL ? inputs : local, theorem_of(part, SHUF_SHUFFLED_BLANKET));
    if (inputs != NULL && local != NULL && strcmp(inputs, local) != 0)
        chain_add(&route->chain, local);
    if (!part->eps0_is_infinite)
        chain_add(&route->chain, theorem_of(part, SHUF_SHUFFLED_LOCAL_PROFILE));
    chain_add(&route->chain, "profile-nodes");
    described_law_above(route->law, part->randomiser, &sampling);
}

/* That of one pair of data. */
static void add_profile_below(route_list *r, const shuf_part_struct *part, shuf_shuffled_kind kind, int named)
{
    const shuf_sampling sampling = sampling_of(part);
    round_route *route = add(r, part, NULL, theorem_of(part, kind));
    chain_add(&route->chain, "profile-nodes");
    route->data.x1 = 1;
    route->data.others = kind == SHUF_SHUFFLED_THIRD ? 2 : 0;
    described_law_below(route->law, part->randomiser, &sampling, kind, named);
}

/*
 * What is true of everything with that eps0, or of RAPPOR of any number of values.
 * Coq: Stronger.stronger_dominates, Stronger.clones_dominates, Stronger.stronger_below_clones, Rappor.rappor_local.
 */
static void add_class_above(route_list *r, const shuf_part_struct *part)
{
    const char *local = part->is_deletion ? "deletion-local" : part->subject == SHUF_SUBJECT_LDP ? NULL : is_of_kind(part, SHUF_RANDOMISER_RAPPOR) ? "rappor-local"
                                                               : shuf_shuffled_premise(SHUF_SHUFFLED_CLONES_STRONGER, part->randomiser);
    shuf_pair_kind kind;
    if (part->release_sum && is_of_kind(part, SHUF_RANDOMISER_RAPPOR))
    {
        /* two bits of the sum, each a shuffle of binary responses */
        shuf_real_t half;
        round_route *route = add(r, part, "rappor-sum", "clones-stronger");
        shuf_real_init(half);
        shuf_real_undo_twice(half, part->eps0); /* the eps0 of deletion */
        shuf_pair_set_eps0(route->pair, SHUF_PAIR_CLONES_STRONGER, part->users, half);
        set_law(route, part->rate, SHUF_SAMPLED_FIXED_SIZE);
        route->rounds = 2 * part->rounds;
        shuf_real_clear(half);
    }
    if (part->is_deletion)
        set_pair(add(r, part, NULL, "clones-deletion"), part, SHUF_PAIR_CLONES_DELETION, 2, part->deletion_eps0, SHUF_SAMPLED_FIXED_SIZE);
    if (!part->eps0_is_infinite && within(part->eps0))
    {
        kind = of_sample(part, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_CLONES_SAMPLED, SHUF_PAIR_CLONES_POISSON);
        set_pair(add(r, part, local, shuf_pair_about(kind)->theorem), part, kind, 2, part->eps0, SHUF_SAMPLED_FIXED_SIZE);
        if (!shuf_part_is_sampled(part))
        {
            set_pair(add(r, part, local, "clones"), part, SHUF_PAIR_CLONES, 2, part->eps0, SHUF_SAMPLED_FIXED_SIZE);
            r->item[r->count - 1].published = 1;
        }
    }
}

/* Coq: KrrShuffle.krr_weak_bound, KrrBelow.krr_weak_below_stronger. */
void routes_above(route_list *r, const shuf_part_struct *part, int of_class)
{
    r->count = 0;
    add_class_above(r, part);
    r->pairs = r->count;
    if (of_class)
        return;
    if (is_of_kind(part, SHUF_RANDOMISER_KRR) && !part->is_poisson && (part->gamma_is_given || within(part->eps0)))
    {
        round_route *route = add(r, part, NULL, "krr-weak");
        if (part->gamma_is_given)
            shuf_pair_set_krr_blanket(route->pair, SHUF_PAIR_KRR_WEAK, part->sampled, part->randomiser->inputs, part->gamma);
        else
            shuf_pair_set_krr_blanket_eps0(route->pair, SHUF_PAIR_KRR_WEAK, part->sampled, part->randomiser->inputs, part->eps0);
        set_law(route, part->rate, SHUF_SAMPLED_FIXED_SIZE);
    }
    r->pairs = r->count;
    if (part->release_sum)
        binary_law_sum(add_best(r, part, "sum-of-bits")->law, part->randomiser, part->users);
    else if (has_bits(part) && !(part->is_at_least && shuf_part_is_sampled(part))) /* no proof that it falls with their number */
        binary_law_worst(add_bits(r, part)->law, part->randomiser, part->users, part->sampled);
    if (route_is_described(part))
    {
        add_described(r, part, SHUF_SHUFFLED_LOCAL_PROFILE);
        add_described(r, part, SHUF_SHUFFLED_BLANKET);
        add_profile_above(r, part);
    }
}

/* Data of reports of one bit, or of a sum of bits: of one round the worst at each point, of several those that are chosen. */
static void add_bits_below(route_list *r, const shuf_part_struct *part)
{
    round_route *route = part->release_sum ? add_best(r, part, "sum-of-bits-data") : add_bits(r, part);
    shuf_datasets where = { .x1 = 1 };
    int known = 1;
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
    if (!known)
        drop(r);
}

/* k-RR, user 1 holding 0 or 1 and the others all 0. */
static void add_all_equal(route_list *r, const shuf_part_struct *part, uint64_t k, int of_class)
{
    const shuf_pair_kind kind = part->is_poisson ? SHUF_PAIR_KRR_SAME_POISSON : of_class ? SHUF_PAIR_RR2 : SHUF_PAIR_KRR_SAME;
    round_route *route = add(r, part, NULL, shuf_pair_about(kind)->theorem);
    set_pair(route, part, kind, k, part->eps0, SHUF_SAMPLED_REPLACED);
    route->data.x1 = 1;
    route->data.k = of_class ? k : 0;
}

/* The same, the others all holding a third value. */
static void add_third(route_list *r, const shuf_part_struct *part, uint64_t k, int of_class)
{
    const shuf_pair_kind kind = of_sample(part, SHUF_PAIR_KRR_THIRD, SHUF_PAIR_KRR_THIRD_SAMPLED, SHUF_PAIR_KRR_THIRD_POISSON);
    round_route *route = add(r, part, NULL, shuf_pair_about(kind)->theorem);
    set_pair(route, part, kind, k, part->eps0, SHUF_SAMPLED_REPLACED);
    route->data.x1 = 1;
    route->data.others = 2;
    route->data.k = of_class ? k : 0;
}

static void add_rappor_bit(route_list *r, const shuf_part_struct *part)
{
    const shuf_pair_kind kind = part->is_poisson ? SHUF_PAIR_KRR_SAME_POISSON : SHUF_PAIR_RR2;
    shuf_real_t half;
    round_route *route = add(r, part, part->is_poisson ? shuf_pair_about(kind)->theorem : NULL, "rappor-bit");
    shuf_real_init(half);
    shuf_real_undo_twice(half, part->eps0); /* the eps0 of deletion */
    set_pair(route, part, kind, 2, half, SHUF_SAMPLED_REPLACED);
    route->data.x1 = 1;
    route->data.seen = "entry 1 of the sum of the reports";
    shuf_real_clear(half);
}

/*
 * The matrix of proofs/deletion.md, user 1 holding 0 or 1 and the others all 0, or 2: of a sample the latter are
 * reported, too, where user 1 is not in it.
 */
static void add_deletion(route_list *r, const shuf_part_struct *part, uint64_t others)
{
    shuf_randomiser_t m;
    round_route *route;
    fmpq_t w0, w1;
    fmpq *rest;
    shuf_randomiser_init(m);
    fmpq_init(w0);
    fmpq_init(w1);
    deletion_matrix(m, part->deletion_eps0);
    route = add(r, part, NULL, "deletion-third");
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
    route->data.x1 = 1;
    route->data.others = others;
    shuf_randomiser_clear(m);
    fmpq_clear(w0);
    fmpq_clear(w1);
}

/*
 * Of the class the smallest k, of which the pairs of a larger one are a post-processing (proofs/clones-sampled.md).
 * Coq: KrrShuffle.krr_same_exact, KrrShuffle.krr_third_below, KrrShuffle.rr2_exact.
 */
static void add_pairs_below(route_list *r, const shuf_part_struct *part)
{
    if (part->eps0_is_infinite || !within(part->eps0))
        return;
    if (part->is_deletion)
    {
        add_deletion(r, part, 0);
        add_deletion(r, part, 2);
    }
    else if (part->subject == SHUF_SUBJECT_LDP)
    {
        add_all_equal(r, part, 2, 1);
        add_third(r, part, 3, 1);
    }
    else if (is_of_kind(part, SHUF_RANDOMISER_KRR))
    {
        add_all_equal(r, part, part->randomiser->inputs, 0);
        if (part->randomiser->inputs >= 3)
            add_third(r, part, part->randomiser->inputs, 0);
    }
    else if (is_of_kind(part, SHUF_RANDOMISER_RAPPOR))
    {
        add_rappor_bit(r, part);
    }
}

void routes_below(route_list *r, const shuf_part_struct *part, int named, int of_class)
{
    static const shuf_shuffled_kind kinds[] = { SHUF_SHUFFLED_ALL_EQUAL, SHUF_SHUFFLED_THIRD };
    size_t i, before;
    r->count = 0;
    if (!of_class || is_of_kind(part, SHUF_RANDOMISER_RAPPOR))
        add_pairs_below(r, part);
    r->pairs = r->count;
    if (of_class)
        return;
    if (part->release_sum || has_bits(part))
        add_bits_below(r, part);
    if (part->release_sum || !route_is_described(part))
        return;
    for (i = 0; i < 2 && !is_of_kind(part, SHUF_RANDOMISER_KRR); i++)
    {
        if (kinds[i] == SHUF_SHUFFLED_THIRD && (part->randomiser->inputs < 3 || part->randomiser->inputs == SHUF_ANY_INPUTS))
            continue;
        before = r->count;
        if (!named)
            add_described(r, part, kinds[i]);
        add_profile_below(r, part, kinds[i], named);
        for (; before < r->count; before++)
            r->item[before].needs_k = kinds[i] == SHUF_SHUFFLED_THIRD && shuf_randomiser_is_unary(part->randomiser);
    }
    if (!named)
        add_described(r, part, SHUF_SHUFFLED_MIXED);
}

void routes_of_pair(route_list *r, const shuf_part_struct *part, shuf_sampled_kind kind, int fast)
{
    round_route *route;
    r->count = 0;
    route = add(r, part, NULL, shuf_pair_theorem(part->pair));
    shuf_pair_set(route->pair, part->pair);
    set_law(route, shuf_pair_is_sampled(part->pair->kind) ? NULL : part->rate, kind);
    if (fast && route->law->pair != NULL)
        shuf_law_set_pair_fast(route->law, route->pair);
    if (shuf_pair_has_engine(route->pair, SHUF_ENGINE_GAUSSIAN))
        shuf_gaussian_law(route->law, route->pair);
    r->pairs = r->count;
}

void routes_of_noise(route_list *r, const shuf_part_struct *part)
{
    round_route *route;
    r->count = 0;
    route = add(r, part, NULL, "binomial-noise");
    shuf_pair_set(route->pair, part->pair);
    set_law(route, part->rate, SHUF_SAMPLED_FIXED_SIZE);
    r->pairs = r->count;
}

/* ---- noisy SGD ---- */

/* Whether every record is in every batch. */
static int has_whole_batches(const shuf_batch_struct *x)
{
    return fmpq_is_one(x->rate);
}

int route_of_batch_is_exact(const shuf_part_struct *part)
{
    const shuf_batch_struct *x = part->batch;
    return has_whole_batches(x)
           || (x->sampler != SHUF_BATCH_SHUFFLE && (x->sampler != SHUF_BATCH_ALLOCATION || shuf_batch_taking(x) == 1));
}

/* Steps that are independent and alike. */
static void set_poisson(round_route *route, const shuf_part_struct *part)
{
    fmpq_t shift;
    fmpq_init(shift);
    fmpq_mul(shift, part->batch->noise, part->batch->noise);
    fmpq_inv(shift, shift);
    batch_law_step(route->law, shift, part->batch->rate);
    route->rounds = part->rounds * part->batch->steps;
    fmpq_clear(shift);
}

/* All steps at once in which the record takes part, so many in an epoch, if it is known which. */
static void set_fixed(round_route *route, const shuf_part_struct *part, uint64_t taking)
{
    batch_law_fixed(route->law, part->batch->noise, part->rounds * taking);
    route->rounds = 1;
}

/* So many steps in an epoch, each one of as many of its own. */
static void set_balls(round_route *route, const shuf_part_struct *part, uint64_t taking)
{
    const shuf_batch_struct *x = part->batch;
    batch_law_balls(route->law, x->noise, x->steps / taking);
    route->rounds = part->rounds * taking;
}

/* From below by the sum of the steps, all epochs at once, and by the largest of them. From above known steps cost next to nothing. */
static void routes_of_allocation(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    const uint64_t taking = shuf_batch_taking(x);
    if (side == SHUF_SIDE_UPPER)
    {
        if (x->steps / taking > 1)
            set_balls(add(r, part, NULL, "batches-allocation-above"), part, taking);
        set_fixed(add(r, part, NULL, "batches-allocation-known"), part, taking);
        return;
    }
    batch_law_sum(add(r, part, NULL, "batches-allocation-sum")->law, x->noise, x->steps, taking, part->rounds);
    r->item[r->count - 1].rounds = 1;
    batch_law_maximum(add(r, part, NULL, "batches-allocation-maximum")->law, x->noise, x->steps, taking, 0);
}

void routes_of_batch(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    static const char *const exact[] = { [SHUF_BATCH_FIXED] = "batches-fixed", [SHUF_BATCH_POISSON] = "batches-poisson",
                                         [SHUF_BATCH_BALLS_AND_BINS] = "batches-balls-and-bins", [SHUF_BATCH_SHUFFLE] = "batches-fixed",
                                         [SHUF_BATCH_ALLOCATION] = "batches-fixed" };
    const shuf_batch_struct *x = part->batch;
    r->count = 0;
    if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED)
        set_fixed(add(r, part, NULL, exact[x->sampler]), part, has_whole_batches(x) ? x->steps : 1);
    else if (x->sampler == SHUF_BATCH_POISSON)
        set_poisson(add(r, part, NULL, exact[x->sampler]), part);
    else if (x->sampler == SHUF_BATCH_BALLS_AND_BINS || (x->sampler == SHUF_BATCH_ALLOCATION && shuf_batch_taking(x) == 1))
        set_balls(add(r, part, NULL, exact[SHUF_BATCH_BALLS_AND_BINS]), part, 1);
    else if (x->sampler == SHUF_BATCH_ALLOCATION)
        routes_of_allocation(r, part, side);
    else if (side == SHUF_SIDE_UPPER)
    {
        set_fixed(add(r, part, NULL, "batches-shuffle-above"), part, 1);
        set_poisson(add(r, part, NULL, "batches-shuffle-as-poisson"), part);
    }
    else
        batch_law_maximum(add(r, part, NULL, "batches-shuffle-below")->law, x->noise, x->steps, 1, 1);
    r->pairs = 0;
}

void routes_clear(route_list *r)
{
    while (r->count > 0)
        drop(r);
    r->pairs = 0;
}
