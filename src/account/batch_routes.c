/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The routes of noisy SGD, by how its batches are drawn. */
#include "account/routes.h"

#include "batch/batch_law.h"

/* Whether every record is in every batch. */
static int has_whole_batches(const shuf_batch_struct *x)
{
    return fmpq_is_one(x->rate);
}

/* Whether a batch can be cut. */
static int is_truncated(const shuf_batch_struct *x)
{
    return x->most > 0 && x->most < x->all;
}

int route_of_batch_is_exact(const shuf_part_struct *part)
{
    const shuf_batch_struct *x = part->batch;
    if (is_truncated(x) || shuf_batch_has_strategy(x))
        return 0;
    if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED || x->sampler == SHUF_BATCH_POISSON)
        return 1;
    return part->removes && x->records == 1 && (x->sampler == SHUF_BATCH_BALLS_AND_BINS || (x->sampler == SHUF_BATCH_ALLOCATION && shuf_batch_taking(x) == 1));
}

/* out := factor over the square of the noise multiplier */
static void set_shift(fmpq_t out, const shuf_batch_struct *x, ulong factor)
{
    fmpz_t most;
    fmpz_init_set_ui(most, factor);
    fmpq_mul(out, x->noise, x->noise);
    fmpq_inv(out, out);
    fmpq_mul_fmpz(out, out, most);
    fmpz_clear(most);
}

/* Steps that are independent and alike. */
static void set_poisson(round_route *route, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    fmpq_t shift;
    fmpq_init(shift);
    set_shift(shift, x, 1);
    if (is_truncated(x))
        batch_law_truncated(route->law, shift, x->rate, x->most, x->all, !part->removes, side != SHUF_SIDE_LOWER);
    else if (x->records > 1)
        batch_law_group(route->law, shift, x->rate, x->records, !part->removes);
    else
        (part->removes ? batch_law_step : batch_law_replaced)(route->law, shift, x->rate);
    route->rounds = part->rounds * x->steps;
    fmpq_clear(shift);
}

/* All steps at once in which the record takes part, so many in an epoch, if it is known which; those of one user in the same. */
static void set_fixed(round_route *route, const shuf_part_struct *part, uint64_t taking)
{
    fmpq_t noise;
    fmpz_t records;
    fmpq_init(noise);
    fmpz_init_set_ui(records, part->batch->records);
    fmpq_div_fmpz(noise, part->batch->noise, records);
    batch_law_fixed(route->law, noise, part->rounds * taking);
    route->rounds = 1;
    fmpq_clear(noise);
    fmpz_clear(records);
}

/* So many times in an epoch one step of so many; of one, which it is is known. */
static void set_balls(round_route *route, const shuf_part_struct *part, const fmpq_t noise, uint64_t taking, uint64_t steps)
{
    if (steps == 1)
    {
        set_fixed(route, part, taking);
        return;
    }
    batch_law_balls(route->law, noise, steps);
    route->rounds = part->rounds * taking;
}

/* An epoch of shuffled batches by null clones, where there is a law for it. */
static void push_clones(route_list *r, const shuf_part_struct *part, const fmpq_t noise, const char *theorem)
{
    round_route *route;
    if (!batch_law_clones_exists(noise, part->batch->steps))
        return;
    route = routes_push_law(r, part, theorem);
    batch_law_clones(route->law, noise, part->batch->steps);
    route->kind = part->rounds > 1 ? ROUTE_NODES : ROUTE_LAW;
}

/* The largest step: beside a sum over all it is better for one epoch, at a point, or for little noise. */
static void push_maximum(route_list *r, const shuf_part_struct *part, const char *theorem, uint64_t taking, slong with,
                         slong without)
{
    round_route *route = routes_push_law(r, part, theorem);
    batch_law_maximum(route->law, part->batch->noise, part->batch->steps, taking, with, without);
    route->kind = part->rounds > 1 ? ROUTE_SELDOM : ROUTE_LAW;
}

/* ---- a record that is replaced ---- */

/* It moves a step by up to 2, of which this is the square: Theorems 7 to 12 of proofs/dpsgd.md. */
#define MOVED 4

/* Subsets: from below data that move a step in one of them by 2, or not at all. */
static void set_subset(round_route *route, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    fmpq_t shift;
    fmpq_init(shift);
    set_shift(shift, x, MOVED);
    route->rounds = part->rounds * x->steps;
    if (side == SHUF_SIDE_LOWER)
    {
        batch_law_step(route->law, shift, x->rate);
    }
    else
    {
        batch_law_step(route->whole, shift, shuf_one);
        shuf_sampled_set(route->sample, SHUF_SAMPLED_FIXED_SIZE, route->whole, x->rate);
        shuf_law_set_sampled(route->law, route->sample);
    }
    fmpq_clear(shift);
}

/* Shuffled batches: as removed, with half the noise; from below data that move one step of an epoch by 2. */
static void routes_of_replaced_shuffle(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    fmpq_t half;
    fmpq_init(half);
    fmpq_div_2exp(half, part->batch->noise, 1);
    if (side == SHUF_SIDE_LOWER)
    {
        set_balls(routes_push_law(r, part, "batches-replaced-shuffle"), part, half, 1, part->batch->steps);
    }
    else
    {
        push_clones(r, part, half, "batches-replaced-clones");
        set_fixed(routes_push_law(r, part, "batches-replaced-known"), part, MOVED);
    }
    fmpq_clear(half);
}

/* Balls and bins, and allocation: Theorem 11. */
static void routes_of_replaced_drawn(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    const uint64_t taking = shuf_batch_taking(x);
    round_route *route;
    if (side != SHUF_SIDE_LOWER)
    {
        if (batch_law_clones_exists(x->noise, x->steps / taking))
        {
            route = routes_push_law(r, part, "batches-replaced-twice");
            batch_law_twice(route->law, x->noise, x->steps / taking);
            route->rounds = part->rounds * taking;
            route->kind = route->rounds > 1 ? ROUTE_NODES : ROUTE_LAW;
        }
        set_fixed(routes_push_law(r, part, "batches-replaced-known"), part, MOVED * taking);
        return;
    }
    batch_law_sum(routes_push_law(r, part, "batches-replaced-sum")->law, x->noise, x->steps, taking, part->rounds, 2);
    r->item[r->count - 1].rounds = 1;
    batch_law_step_sum(routes_push_law(r, part, "batches-replaced-numbers")->law, x->noise, x->steps, taking, 1, -1);
    push_maximum(r, part, "batches-replaced-maximum", taking, 1, -1);
    if (taking == 1)
        set_balls(routes_push_law(r, part, "batches-replaced-removed"), part, x->noise, 1, x->steps);
}

static void routes_of_replaced(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    round_route *route;
    if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED)
    {
        route = routes_push_law(r, part, "batches-replaced-fixed");
        batch_law_fixed(route->law, x->noise, MOVED * part->rounds * (has_whole_batches(x) ? x->steps : 1));
        route->rounds = 1;
    }
    else if (x->sampler == SHUF_BATCH_POISSON)
    {
        set_poisson(routes_push_law(r, part, "batches-replaced-poisson"), part, side);
    }
    else if (x->sampler == SHUF_BATCH_SHUFFLE)
    {
        routes_of_replaced_shuffle(r, part, side);
    }
    else if (x->sampler != SHUF_BATCH_WITHOUT_REPLACEMENT)
    {
        routes_of_replaced_drawn(r, part, side);
    }
    else
    {
        set_subset(routes_push_law(r, part, side == SHUF_SIDE_LOWER ? "batches-subset-below" : "batches-subset-above"), part, side);
    }
}

/* ---- a record that is removed ---- */

/* Steps that are left over are not worth a second law where they are fewer than that part of all. Steers only. */
#define WORTH 2000

/* Of more steps than that two laws may not come to an end where one does. Steers only. */
#define SURE 1000

/*
 * Of the steps of an epoch that are taken each is one of as many of its own as there are, or of one more where so many are left over: that is less. All of
 * one step each are left to known steps.
 */
static void add_blocks(route_list *r, const shuf_part_struct *part, uint64_t taking)
{
    const uint64_t steps = part->batch->steps, of = steps / taking, left = steps % taking, longer = left < steps / WORTH + 1 ? 0 : left;
    round_route *route;
    if (of > 1 && (longer == 0 || of > SURE))
        set_balls(routes_push_law(r, part, "batches-allocation-above"), part, part->batch->noise, taking, of);
    if (longer == 0)
        return;
    route = routes_push_law(r, part, "batches-allocation-above");
    set_balls(route, part, part->batch->noise, taking - longer, of);
    set_balls(routes_add_beside(route, part), part, part->batch->noise, longer, of + 1);
}

/* From below by the sum of the steps, all epochs at once, and by the largest of them. From above known steps cost next to nothing. */
static void routes_of_allocation(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    const uint64_t taking = shuf_batch_taking(x);
    if (side == SHUF_SIDE_UPPER)
    {
        add_blocks(r, part, taking);
        set_fixed(routes_push_law(r, part, "batches-allocation-known"), part, taking);
        return;
    }
    batch_law_sum(routes_push_law(r, part, "batches-allocation-sum")->law, x->noise, x->steps, taking, part->rounds, 1);
    r->item[r->count - 1].rounds = 1;
    batch_law_maximum(routes_push_law(r, part, "batches-allocation-maximum")->law, x->noise, x->steps, taking, 1, 0);
}

/* One of the steps of an epoch; where the noise is too small for more, there is what known steps say, and the sum of all and the largest. */
static void routes_of_balls(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    set_balls(routes_push_law(r, part, "batches-balls-and-bins"), part, x->noise, 1, x->steps);
    if (side != SHUF_SIDE_LOWER)
        set_fixed(routes_push_law(r, part, "batches-allocation-known"), part, 1);
    else
        batch_law_maximum(routes_push_law(r, part, "batches-allocation-maximum")->law, x->noise, x->steps, 1, 1, 0);
}

/* ---- correlated noise ---- */

/* out := so much of the square of a sensitivity, over that of the noise multiplier */
static void set_square(fmpq_t out, const shuf_batch_struct *x, const fmpq_t square, ulong factor)
{
    set_shift(out, x, factor);
    fmpq_mul(out, out, square);
}

/* Known steps: the Gaussian mechanism of the sensitivity; moved is the square of what a step moves by, in all runs. */
static void set_matrix(round_route *route, const shuf_batch_struct *x, const fmpq_t square, uint64_t moved)
{
    fmpq_t shift;
    fmpq_init(shift);
    set_square(shift, x, square, moved);
    batch_law_step(route->law, shift, shuf_one);
    route->rounds = 1;
    fmpq_clear(shift);
}

/* Poisson batches: steps with noise of their own. */
static void set_matrix_poisson(round_route *route, const shuf_part_struct *part, shuf_side side)
{
    const shuf_strategy_struct *s = part->batch->strategy;
    const int below = side == SHUF_SIDE_LOWER;
    fmpq_t shift;
    fmpq_init(shift);
    set_square(shift, part->batch, below ? s->low : s->high, 1);
    (part->removes ? batch_law_step : batch_law_replaced)(route->law, shift, part->batch->rate);
    route->rounds = part->rounds * (below ? s->least : s->most);
    fmpq_clear(shift);
}

static void routes_of_strategy(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    const int below = side == SHUF_SIDE_LOWER;
    if (x->sampler == SHUF_BATCH_POISSON)
        set_matrix_poisson(routes_push_law(r, part, below ? "batches-matrix-poisson-below" : "batches-matrix-poisson-above"), part, side);
    else
        set_matrix(routes_push_law(r, part, below ? "batches-matrix-below" : "batches-matrix-above"), x, below ? x->strategy->low : x->strategy->high,
                   (part->removes ? 1 : MOVED) * part->rounds);
}

/* ---- all records of a user ---- */

/* Theorem 13 (d): from below against a step that is not moved. */
static void set_user_subset(round_route *route, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    fmpq_t shift;
    fmpz_t size;
    fmpq_init(shift);
    fmpz_init_set_ui(size, x->all);
    set_shift(shift, x, MOVED);
    fmpz_mul(size, size, fmpq_numref(x->rate));
    fmpz_divexact(size, size, fmpq_denref(x->rate));
    batch_law_group_of(route->law, shift, fmpz_get_ui(size), x->all, x->records, side == SHUF_SIDE_UPPER);
    route->rounds = part->rounds * x->steps;
    fmpq_clear(shift);
    fmpz_clear(size);
}

static void routes_of_user(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    const uint64_t moved = part->removes ? 1 : 2, all = has_whole_batches(x) ? x->steps : 1;
    const uint64_t taking = x->sampler == SHUF_BATCH_ALLOCATION ? shuf_batch_taking(x) : 1;
    if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED)
    {
        set_fixed(routes_push_law(r, part, "batches-user-fixed"), part, moved * moved * all);
    }
    else if (x->sampler == SHUF_BATCH_POISSON)
    {
        set_poisson(routes_push_law(r, part, "batches-user-poisson"), part, side);
    }
    else if (x->sampler == SHUF_BATCH_WITHOUT_REPLACEMENT)
    {
        set_user_subset(routes_push_law(r, part, side == SHUF_SIDE_LOWER ? "batches-user-subset-below" : "batches-user-subset-above"), part, side);
    }
    else if (side == SHUF_SIDE_LOWER)
    {
        round_route *route = routes_push_law(r, part, "batches-user-sum");
        batch_law_sum(route->law, x->noise, x->steps, taking, part->rounds, moved * x->records);
        route->rounds = 1;
    }
    else
    {
        set_fixed(routes_push_law(r, part, "batches-user-known"), part, moved * moved * taking);
    }
}

void routes_of_batch(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    static const char *const exact[] = { [SHUF_BATCH_FIXED] = "batches-fixed", [SHUF_BATCH_POISSON] = "batches-poisson",
                                         [SHUF_BATCH_BALLS_AND_BINS] = "batches-balls-and-bins", [SHUF_BATCH_SHUFFLE] = "batches-fixed",
                                         [SHUF_BATCH_ALLOCATION] = "batches-fixed" };
    const shuf_batch_struct *x = part->batch;
    if (shuf_batch_has_strategy(x))
        routes_of_strategy(r, part, side);
    else if (is_truncated(x))
        set_poisson(routes_push_law(r, part, side == SHUF_SIDE_LOWER ? "batches-truncated-below" : "batches-truncated-above"), part, side);
    else if (x->records > 1)
        routes_of_user(r, part, side);
    else if (!part->removes)
        routes_of_replaced(r, part, side);
    else if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED)
        set_fixed(routes_push_law(r, part, exact[x->sampler]), part, has_whole_batches(x) ? x->steps : 1);
    else if (x->sampler == SHUF_BATCH_POISSON)
        set_poisson(routes_push_law(r, part, exact[x->sampler]), part, side);
    else if (x->sampler == SHUF_BATCH_BALLS_AND_BINS || (x->sampler == SHUF_BATCH_ALLOCATION && shuf_batch_taking(x) == 1))
        routes_of_balls(r, part, side);
    else if (x->sampler == SHUF_BATCH_ALLOCATION)
        routes_of_allocation(r, part, side);
    else if (side == SHUF_SIDE_UPPER)
    {
        push_clones(r, part, x->noise, "batches-shuffle-clones");
        set_fixed(routes_push_law(r, part, "batches-shuffle-above"), part, 1);
        set_poisson(routes_push_law(r, part, "batches-shuffle-as-poisson"), part, side);
    }
    else
    {
        batch_law_step_sum(routes_push_law(r, part, "batches-shuffle-sum")->law, x->noise, x->steps, 1, 2, 1);
        push_maximum(r, part, "batches-shuffle-below", 1, 2, 1);
    }
}

/* Where it is known how often a record can take part, and that can happen: as if it did. */
int route_of_zcdp(route_list *r, const shuf_part_struct *part)
{
    const shuf_batch_struct *x = part->batch;
    const int all = x->sampler == SHUF_BATCH_POISSON || has_whole_batches(x);
    if (!part->removes || is_truncated(x) || shuf_batch_has_strategy(x) || (x->records > 1 && x->sampler == SHUF_BATCH_SHUFFLE && !all))
        return 0;
    set_fixed(routes_push_law(r, part, "zcdp-batches"), part, all ? x->steps : x->sampler == SHUF_BATCH_ALLOCATION ? shuf_batch_taking(x) : 1);
    return 1;
}

void routes_add_known_steps(route_list *r, const shuf_part_struct *part)
{
    const shuf_batch_struct *x = part->batch;
    if (shuf_batch_has_strategy(x))
    {
        if (x->sampler == SHUF_BATCH_POISSON)
            set_matrix(routes_push_law(r, part, "batches-matrix-poisson-known"), x, x->strategy->high, (part->removes ? 1 : MOVED) * part->rounds * x->strategy->most);
        return;
    }
    if (shuf_batch_has_free_rate(x->sampler) && !has_whole_batches(x) && !is_truncated(x))
        set_fixed(routes_push_law(r, part, x->records > 1 ? "batches-user-known" : "batches-all-known"), part, (part->removes ? 1 : MOVED) * x->steps);
}

void routes_add_ratio(route_list *r, const shuf_part_struct *part)
{
    const shuf_batch_struct *x = part->batch;
    const uint64_t taking = shuf_batch_taking(x);
    if (x->sampler != SHUF_BATCH_ALLOCATION || !part->removes || route_of_batch_is_exact(part) || !batch_law_ratio_exists(x->noise, x->steps, taking))
        return;
    batch_law_ratio(routes_push_law(r, part, "batches-allocation-ratio")->law, x->noise, x->steps, taking, part->rounds);
    r->item[r->count - 1].rounds = 1;
}
