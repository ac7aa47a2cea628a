/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The routes of what a curator adds noise to: releases, and noisy SGD. */
#include "account/noise_part.h"
#include "account/routes.h"
#include "noise/allocation_law.h"
#include "noise/noise_law.h"
#include "noise/threshold_law.h"

/* Up to this variance the way in which a vector changes matters. Steers only. */
#define MUCH_NOISE 1000000

static int has_fixed_sample(const shuf_part_struct *part)
{
    return shuf_part_is_sampled(part) && !part->is_poisson;
}

/* Whether all of the worst case is known: one of the steps of an epoch, or all. */
static int is_one_or_all(const shuf_batch_struct *x)
{
    return shuf_batch_taking(x) == 1 || fmpq_is_one(x->rate);
}

int route_of_central_is_exact(const shuf_part_struct *part)
{
    if (part->subject == SHUF_SUBJECT_BATCH)
        return route_of_batch_is_exact(part);
    if (noise_part_is_allocated(part))
        return is_one_or_all(part->batch);
    return !has_fixed_sample(part) && !noise_part_has_threshold(part) && !noise_part_is_compared(part);
}

/* Coq: Coins.noise_shares, Coins.shares_of_coins. */
static void add_shares(round_route *route, const shuf_part_struct *part)
{
    if (part->noise->shares > 1)
        chain_add(&route->chain, "noise-shares");
}

int route_of_point_is_exact(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_NOISE && noise_part_has_threshold(part) && part->removes;
}

/*
 * A release with the noise of the honest, or from above if it is compared with Gaussian noise in its place, of a sample of that rate, or with NULL of all records;
 * `rounds` as noise_law has it.
 */
static void set_release(shuf_law_t law, const shuf_part_struct *part, shuf_side side, int is_compared, const fmpq *rate, uint64_t *rounds)
{
    shuf_noise_t sum;
    shuf_noise_init(sum);
    shuf_noise_set_honest(sum, part->noise);
    if (side != SHUF_SIDE_LOWER && is_compared && !noise_part_make_gaussian(sum, part))
        flint_throw(FLINT_ERROR, "no Gaussian noise bounds this noise\n");
    (side == SHUF_SIDE_LOWER && is_compared ? noise_law_below : noise_law)(law, sum, rate != NULL ? rate : shuf_one, rounds);
    shuf_noise_clear(sum);
}

/* A subset of fixed size of the records, in each release: from below data in which what is released is 0, and the sensitivity with the other value. */
static void set_fixed_sample(round_route *route, const shuf_part_struct *part, shuf_side side, int is_compared)
{
    uint64_t one = 1;
    set_release(route->whole, part, side, is_compared, NULL, &one);
    shuf_sampled_set(route->sample, side == SHUF_SIDE_LOWER ? SHUF_SAMPLED_REPLACED : SHUF_SAMPLED_FIXED_SIZE, route->whole, part->rate);
    shuf_law_set_sampled(route->law, route->sample);
}

/* A histogram from which small counts are dropped: if a user is replaced, two buckets of it. Coq: Thresholds.two_buckets. */
static void routes_of_threshold(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    shuf_noise_t sum;
    const int is_two = side == SHUF_SIDE_UPPER && part->removes == 0;
    round_route *route = routes_push_law(r, part, part->noise->kind == SHUF_NOISE_SAMPLE ? "sample-and-threshold" : "noise-and-threshold");
    if (is_two)
    {
        chain_add(&route->chain, "two-buckets");
        route->rounds = 2 * part->rounds;
    }
    shuf_noise_init(sum);
    shuf_noise_set_honest(sum, part->noise);
    add_shares(route, part);
    threshold_law(route->law, sum, side == SHUF_SIDE_LOWER ? THRESHOLD_BELOW : is_two ? THRESHOLD_REPLACED : THRESHOLD_ABOVE, part->rounds);
    shuf_noise_clear(sum);
}

/* From below at a point: whether some round releases a count of the one bucket. */
void routes_add_some_round(route_list *r, const shuf_part_struct *part)
{
    round_route *route;
    if (part->noise->kind != SHUF_NOISE_SAMPLE || part->rounds == 1)
        return;
    route = routes_push_law(r, part, "sample-and-threshold");
    threshold_law(route->law, part->noise, THRESHOLD_SOME_ROUND, part->rounds);
    route->rounds = 1;
}

/* The sum of a number for each step of an epoch. */
static void set_sum(round_route *route, const shuf_part_struct *part)
{
    shuf_noise_t sum;
    shuf_noise_init(sum);
    shuf_noise_set_honest(sum, part->noise);
    allocation_law_below(route->law, sum, part->batch->steps, shuf_batch_taking(part->batch));
    shuf_noise_clear(sum);
}

/* So many epochs of so many steps, of each of which a record takes part in one. */
static void set_epochs(round_route *route, const shuf_part_struct *part, uint64_t epochs, uint64_t steps)
{
    shuf_noise_t sum;
    route->rounds = epochs;
    if (steps == 1)
    {
        set_release(route->law, part, SHUF_SIDE_EXACT, noise_part_is_compared(part), NULL, &route->rounds);
        return;
    }
    shuf_noise_init(sum);
    shuf_noise_set_honest(sum, part->noise);
    allocation_law(route->law, sum, steps);
    shuf_noise_clear(sum);
}

/*
 * Of k of t steps from above each is one of t/k, or of one more where some are left over; from below a number is seen.
 * Coq: Allocation.noise_allocation, AllocationAbove.allocation_above.
 */
static void routes_of_allocation(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const uint64_t steps = part->batch->steps, taking = shuf_batch_taking(part->batch), of = steps / taking, longer = steps % taking;
    round_route *route = routes_push_law(r, part, is_one_or_all(part->batch) ? "noise-allocation" : side == SHUF_SIDE_LOWER ? "noise-allocation-below" : "noise-allocation-above");
    chain_add(&route->chain, part->noise->kind == SHUF_NOISE_STAIRCASE ? "staircase-noise" : "additive-noise");
    add_shares(route, part);
    if (side == SHUF_SIDE_LOWER && !is_one_or_all(part->batch))
    {
        set_sum(route, part);
        return;
    }
    set_epochs(route, part, part->rounds * (taking - longer), of);
    if (longer > 0)
        set_epochs(routes_add_beside(route, part), part, part->rounds * longer, of + 1);
}

/* In so many entries a change by that: as many releases one after the other. */
static void set_entries(round_route *route, const shuf_part_struct *part, uint64_t entries, const fmpz_t change)
{
    shuf_part_struct one = *part;
    shuf_noise_t noise;
    shuf_noise_init(noise);
    shuf_noise_set(noise, part->noise);
    fmpq_set_fmpz(noise->sensitivity, change);
    one.noise[0] = noise[0];
    route->rounds = part->rounds * entries;
    set_release(route->law, &one, SHUF_SIDE_LOWER, noise_part_is_compared(&one), NULL, &route->rounds);
    shuf_noise_clear(noise);
}

/* Whether so many releases for each of the part's may be asked for. */
static int has_room(const shuf_part_struct *part, const fmpz_t entries)
{
    return fmpz_sgn(entries) > 0 && fmpz_cmp_ui(entries, SHUF_MAX_ROUNDS / part->rounds) <= 0;
}

/* Of a vector of whole numbers from below: one entry changes by as much as its norm allows, and others by 1, until the norm is reached. */
static void add_units(round_route *route, const shuf_part_struct *part)
{
    fmpz_t entries, change;
    fmpz_init(entries);
    fmpz_init_set_ui(change, 1);
    fmpz_mul(entries, fmpq_numref(part->noise->sensitivity), fmpq_numref(part->noise->sensitivity));
    fmpz_sub(entries, part->noise->square, entries);
    if (fmpz_cmp_ui(entries, part->noise->dimension - 1) > 0)
        fmpz_set_ui(entries, part->noise->dimension - 1);
    if (has_room(part, entries))
        set_entries(routes_add_beside(route, part), part, fmpz_get_ui(entries), change);
    fmpz_clear(entries);
    fmpz_clear(change);
}

/* The same, all entries changing by c or c + 1: more of them change, each by less, which tells more where the noise has larger tails than Gaussian noise. */
static void add_even(route_list *r, const shuf_part_struct *part)
{
    const uint64_t dimension = part->noise->dimension;
    round_route *route = NULL;
    fmpz_t change, larger, rest;
    fmpz_init(change); fmpz_init(larger); fmpz_init(rest);
    fmpz_set_ui(larger, dimension);
    fmpz_fdiv_q(change, part->noise->square, larger);
    fmpz_sqrt(change, change);
    fmpz_mul(rest, change, change);
    fmpz_mul(rest, rest, larger);
    fmpz_sub(rest, part->noise->square, rest); /* the square less d c^2, of which an entry of c + 1 takes 2 c + 1 */
    fmpz_mul_2exp(larger, change, 1);
    fmpz_add_ui(larger, larger, 1);
    fmpz_fdiv_q(larger, rest, larger); /* less than d */
    fmpz_set_ui(rest, dimension);
    fmpz_sub(rest, rest, larger);
    if (fmpz_is_zero(change) || has_room(part, rest))
    {
        if (has_room(part, larger))
        {
            fmpz_add_ui(change, change, 1);
            set_entries(route = routes_push_law(r, part, "additive-noise"), part, fmpz_get_ui(larger), change);
            fmpz_sub_ui(change, change, 1);
        }
        if (!fmpz_is_zero(change) && (route != NULL || fmpz_is_zero(larger)))
            set_entries(route != NULL ? routes_add_beside(route, part) : (route = routes_push_law(r, part, "additive-noise")), part, fmpz_get_ui(rest), change);
        if (route != NULL)
            add_shares(route, part);
    }
    fmpz_clear(change); fmpz_clear(larger); fmpz_clear(rest);
}

/*
 * What is certain of a vector of whole numbers from below. In a sample all entries are, or none, which are no releases one after the other: there one entry is all. With
 * much noise all ways to change are nearly the same.
 */
static void add_vectors(route_list *r, round_route *route, const shuf_part_struct *part)
{
    if (part->noise->dimension == 1 || shuf_part_is_sampled(part))
        return;
    add_units(route, part);
    if (fmpq_cmp_ui(part->noise->variance, MUCH_NOISE) <= 0)
        add_even(r, part);
}

static round_route *add_release(route_list *r, const shuf_part_struct *part, shuf_side side, int is_compared)
{
    const int is_staircase = part->noise->kind == SHUF_NOISE_STAIRCASE;
    round_route *route = routes_push_law(r, part, is_staircase ? "staircase-noise" : part->is_poisson ? "additive-noise-poisson" : "additive-noise");
    if (is_staircase && part->is_poisson)
        chain_add(&route->chain, "additive-noise-poisson");
    if (side != SHUF_SIDE_LOWER && is_compared)
        chain_add(&route->chain, "integer-vectors");
    add_shares(route, part);
    if (has_fixed_sample(part))
        set_fixed_sample(route, part, side, is_compared);
    else
        set_release(route->law, part, side, is_compared, part->rate, &route->rounds);
    return route;
}

void routes_add_compared(route_list *r, const shuf_part_struct *part)
{
    if (!noise_part_is_compared(part) && !shuf_part_is_sampled(part) && noise_part_has_gaussian(part))
        add_release(r, part, SHUF_SIDE_UPPER, 1);
}

static void routes_of_noise(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    round_route *route;
    if (noise_part_is_of_pair(part))
    {
        routes_of_pair(r, part, SHUF_SAMPLED_FIXED_SIZE);
        return;
    }
    r->count = 0;
    if (noise_part_has_threshold(part))
    {
        routes_of_threshold(r, part, side);
        r->pairs = r->count;
        return;
    }
    if (noise_part_is_allocated(part))
    {
        routes_of_allocation(r, part, side);
        r->pairs = r->count;
        return;
    }
    r->pairs = 0;
    if (side == SHUF_SIDE_LOWER && !noise_part_has_law(part))
        return;
    route = add_release(r, part, side, noise_part_is_compared(part));
    r->pairs = r->count; /* beside shuffles it is the one that a pair is there */
    if (side == SHUF_SIDE_LOWER && noise_part_is_compared(part))
        add_vectors(r, route, part);
}

void routes_of_central(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    (part->subject == SHUF_SUBJECT_BATCH ? routes_of_batch : routes_of_noise)(r, part, side);
}
