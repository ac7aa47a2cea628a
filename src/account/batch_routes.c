/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The routes of noisy SGD, by how its batches are drawn. */
#include "account/routes.h"

#include "batch/batch_law.h"

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
            set_balls(routes_push_law(r, part, "batches-allocation-above"), part, taking);
        set_fixed(routes_push_law(r, part, "batches-allocation-known"), part, taking);
        return;
    }
    batch_law_sum(routes_push_law(r, part, "batches-allocation-sum")->law, x->noise, x->steps, taking, part->rounds);
    r->item[r->count - 1].rounds = 1;
    batch_law_maximum(routes_push_law(r, part, "batches-allocation-maximum")->law, x->noise, x->steps, taking, 0);
}

/* One of the steps of an epoch; where the noise is too small for more, there is what known steps say, and the sum of all and the largest. */
static void routes_of_balls(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    const shuf_batch_struct *x = part->batch;
    set_balls(routes_push_law(r, part, "batches-balls-and-bins"), part, 1);
    if (side != SHUF_SIDE_LOWER)
        set_fixed(routes_push_law(r, part, "batches-allocation-known"), part, 1);
    else
        batch_law_maximum(routes_push_law(r, part, "batches-allocation-maximum")->law, x->noise, x->steps, 1, 0);
}

void routes_of_batch(route_list *r, const shuf_part_struct *part, shuf_side side)
{
    static const char *const exact[] = { [SHUF_BATCH_FIXED] = "batches-fixed", [SHUF_BATCH_POISSON] = "batches-poisson",
                                         [SHUF_BATCH_BALLS_AND_BINS] = "batches-balls-and-bins", [SHUF_BATCH_SHUFFLE] = "batches-fixed",
                                         [SHUF_BATCH_ALLOCATION] = "batches-fixed" };
    const shuf_batch_struct *x = part->batch;
    r->count = 0;
    if (has_whole_batches(x) || x->sampler == SHUF_BATCH_FIXED)
        set_fixed(routes_push_law(r, part, exact[x->sampler]), part, has_whole_batches(x) ? x->steps : 1);
    else if (x->sampler == SHUF_BATCH_POISSON)
        set_poisson(routes_push_law(r, part, exact[x->sampler]), part);
    else if (x->sampler == SHUF_BATCH_BALLS_AND_BINS || (x->sampler == SHUF_BATCH_ALLOCATION && shuf_batch_taking(x) == 1))
        routes_of_balls(r, part, side);
    else if (x->sampler == SHUF_BATCH_ALLOCATION)
        routes_of_allocation(r, part, side);
    else if (side == SHUF_SIDE_UPPER)
    {
        if (batch_law_clones_exists(x->noise, x->steps))
        {
            round_route *route = routes_push_law(r, part, "batches-shuffle-clones");
            batch_law_clones(route->law, x->noise, x->steps);
            route->kind = part->rounds > 1 ? ROUTE_NODES : ROUTE_LAW;
        }
        set_fixed(routes_push_law(r, part, "batches-shuffle-above"), part, 1);
        set_poisson(routes_push_law(r, part, "batches-shuffle-as-poisson"), part);
    }
    else
        batch_law_maximum(routes_push_law(r, part, "batches-shuffle-below")->law, x->noise, x->steps, 1, 1);
    r->pairs = 0;
}
