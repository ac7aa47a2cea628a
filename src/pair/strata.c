/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pair/strata.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/parallel.h"

/* K = K_c of c = at. */
static void set_K(arb_t K, const strata_struct *s, ulong at)
{
    arb_mul_ui(K, s->kappa, s->others - at, s->prec);
    arb_div_ui(K, K, at + 1, s->prec);
}

typedef struct
{
    ulong start;  /* the block is start .. next->start - 1 */
    int below;    /* start is below the mean of C */
    arb_t tail;   /* the smaller tail: Pr[C < start] if below, else Pr[C >= start] */
    arb_t value;  /* V(start, 0), of use when kappa = 0 */
    int fresh;    /* not set yet, only its start */
    int known;    /* low and high are set: */
    arb_t low, high; /* ends of what the block contributes */
} edge_struct;

static void edge_init(edge_struct *edge, ulong start)
{
    edge->start = start;
    edge->fresh = 1;
    edge->known = 0;
    arb_init(edge->tail); arb_init(edge->value); arb_init(edge->low); arb_init(edge->high);
}

static void edge_clear(edge_struct *edge)
{
    arb_clear(edge->tail); arb_clear(edge->value); arb_clear(edge->low); arb_clear(edge->high);
}

/* Coq: Binomial.bin_mirror. */
static void edge_set(edge_struct *edge, const strata_struct *s)
{
    const shuf_pair_weights_struct *w = s->weights;
    ulong start = edge->start;
    edge->below = (double) start < (double) s->others * arf_get_d(arb_midref(w->count), ARF_RND_NEAR);
    if (!edge->below)
        shuf_binomial_tail(edge->tail, s->others, start, w->count, w->count_complement, s->prec);
    else if (start > 0)
        shuf_binomial_tail(edge->tail, s->others, s->others - start + 1, w->count_complement, w->count, s->prec);
    if (arb_is_zero(s->kappa))
    {
        arb_t K;
        arb_init(K);
        s->value(edge->value, s->context, start, K);
        arb_clear(K);
    }
}

/*
 * lo <= V(c, K_c) <= hi for every c from a->start to b->start - 1
 * Coq: Monotone.stratum_block.
 */
static void block_values(arb_t hi, arb_t lo, const strata_struct *s, const edge_struct *a, const edge_struct *b)
{
    if (arb_is_zero(s->kappa))
    {
        arb_set(hi, a->value);
        arb_set(lo, b->value);
    }
    else
    {
        arb_t K;
        arb_init(K);
        set_K(K, s, b->start - 1);
        s->value(hi, s->context, a->start, K);
        set_K(K, s, a->start);
        s->value(lo, s->context, b->start - 1, K);
        arb_clear(K);
    }
}

/*
 * Ends of what the block contributes: its mass times the bracket of its values.
 * Coq: Monotone.strata_block, Bernstein.f_strata_block.
 */
static void block_sums(arb_t low_part, arb_t high_part, const strata_struct *s, const edge_struct *a, const edge_struct *b)
{
    arb_t mass;
    slong prec = s->prec;
    arb_init(mass);
    /* Pr[a->start <= C < b->start] */
    if (a->below && b->below)
    {
        arb_sub(mass, b->tail, a->tail, prec);
    }
    else
    {
        if (a->below)
            arb_sub_ui(mass, a->tail, 1, prec);
        else
            arb_neg(mass, a->tail);
        arb_add(mass, mass, b->tail, prec);
        arb_neg(mass, mass);
    }
    block_values(high_part, low_part, s, a, b);
    arb_mul(high_part, high_part, mass, prec);
    arb_mul(low_part, low_part, mass, prec);
    arb_clear(mass);
}

/* Steer only. */
#define BLOCKS_START 32
#define BLOCKS_MAX 200000
#define ROUNDS_MAX 13

/* Edges or blocks that one item of parallel work takes, and items between two looks at the budget. Steer only. */
#define PER_ITEM 8
#define ITEMS 8

typedef struct
{
    const strata_struct *s;
    edge_struct *edges; /* the blocks are between neighbours */
    size_t count;
    double limit;       /* of one item; 0: none */
} edges_struct;

/* Sets fresh edges; one that the budget cut short stays fresh. */
static void set_edges(void *args, slong item)
{
    edges_struct *e = args;
    size_t i, end = FLINT_MIN(((size_t) item + 1) * PER_ITEM, e->count);
    double before = shuf_limit_set(e->limit);
    for (i = (size_t) item * PER_ITEM; i < end && !shuf_interrupted(); i++)
        if (e->edges[i].fresh)
        {
            edge_set(&e->edges[i], e->s);
            e->edges[i].fresh = shuf_interrupted();
        }
    shuf_limit_set(before);
}

static void set_sums(void *args, slong item)
{
    edges_struct *e = args;
    size_t i, end = FLINT_MIN(((size_t) item + 1) * PER_ITEM, e->count - 1);
    for (i = (size_t) item * PER_ITEM; i < end; i++)
        if (!e->edges[i].known)
        {
            block_sums(e->edges[i].low, e->edges[i].high, e->s, &e->edges[i], &e->edges[i + 1]);
            e->edges[i].known = 1;
        }
}

static slong items(size_t count)
{
    return (slong) ((count + PER_ITEM - 1) / PER_ITEM);
}

/* The edges of about BLOCKS_START blocks of equal length, all of them set, with or without a budget. */
static void first_edges(edges_struct *e, ulong first, ulong last)
{
    ulong span = last - first + 1;
    size_t i;
    e->edges = flint_malloc((BLOCKS_START + 1) * sizeof(edge_struct));
    for (i = 0; i <= BLOCKS_START; i++)
    {
        ulong start = first + (ulong) ((double) span * (double) i / BLOCKS_START);
        if (i == BLOCKS_START)
            start = last + 1;
        if (e->count == 0 || start > e->edges[e->count - 1].start)
            edge_init(&e->edges[e->count++], start);
    }
    e->limit = parallel_limit(e->s->limit, items(e->count));
    parallel_do(set_edges, e, items(e->count));
    for (i = 0; i < e->count; i++)
        if (e->edges[i].fresh)
            edge_set(&e->edges[i], e->s);
}

/*
 * The sums over all blocks; split[i] is the number of blocks that block i
 * should become, *grown their total. Returns the width in units of the aim.
 */
static double sum_blocks(arb_t low_sum, arb_t high_sum, size_t *split, size_t *grown, edges_struct *e, const arb_t aim)
{
    slong prec = e->s->prec;
    size_t blocks = e->count - 1, i;
    double share = 1.0 / (double) blocks, total = 0;
    arb_t t;
    arb_init(t);
    parallel_do(set_sums, e, items(blocks));
    arb_zero(low_sum);
    arb_zero(high_sum);
    *grown = 0;
    for (i = 0; i < blocks; i++)
    {
        const edge_struct *edge = &e->edges[i];
        double excess;
        arb_add(low_sum, low_sum, edge->low, prec);
        arb_add(high_sum, high_sum, edge->high, prec);
        arb_sub(t, edge->high, edge->low, 53);
        arb_div(t, t, aim, 53);
        excess = arf_get_d(arb_midref(t), ARF_RND_NEAR);
        total += excess;
        split[i] = excess > share ? (size_t) FLINT_MIN(ceil(excess / share), 64.0) : 1;
        if (split[i] > edge[1].start - edge->start)
            split[i] = edge[1].start - edge->start;
        *grown += split[i];
    }
    shuf_charge((double) blocks * (2 * shuf_cost_word(prec) + 100));
    arb_clear(t);
    return total;
}

/* Sets the fresh edges, or some of them and drops the others when the budget ends. */
static void set_or_drop(edges_struct *e)
{
    edges_struct part = *e;
    size_t i, kept = 0;
    /* a block costs several times as much as its edge when the values are its own */
    double limit = arb_is_zero(e->s->kappa) ? e->s->limit : parallel_limit(e->s->limit, 8);
    for (i = 0; i < e->count && !shuf_exhausted(limit); i += part.count)
    {
        part.edges = e->edges + i;
        part.count = FLINT_MIN(e->count - i, (size_t) (ITEMS * PER_ITEM));
        part.limit = parallel_limit(limit, items(part.count));
        parallel_do(set_edges, &part, items(part.count));
    }
    for (i = 0; i < e->count; i++)
    {
        if (e->edges[i].fresh)
            edge_clear(&e->edges[i]);
        else
            e->edges[kept++] = e->edges[i];
    }
    e->count = kept;
}

static void split_blocks(edges_struct *e, const size_t *split, size_t grown)
{
    edge_struct *next = flint_malloc((grown + 1) * sizeof(edge_struct));
    size_t i, j, count = 0;
    for (i = 0; i + 1 < e->count; i++)
    {
        ulong start = e->edges[i].start, span = e->edges[i + 1].start - start;
        next[count] = e->edges[i];
        next[count++].known = split[i] == 1;
        for (j = 1; j < split[i]; j++)
        {
            ulong at = start + (ulong) ((double) span * (double) j / (double) split[i]);
            if (at > next[count - 1].start && at < e->edges[i + 1].start)
                edge_init(&next[count++], at);
        }
    }
    next[count++] = e->edges[e->count - 1];
    flint_free(e->edges);
    e->edges = next;
    e->count = count;
    set_or_drop(e);
}

int strata_bracket(arb_t sum, mag_t width, ulong *blocks, const strata_struct *s, ulong first, ulong last, const arb_t aim)
{
    edges_struct e = { s, NULL, 0, 0 };
    arb_t high_sum;
    int round, stop = 0, late = 0;
    size_t i, grown;

    arb_init(high_sum);
    first_edges(&e, first, last);
    for (round = 0; !stop; round++)
    {
        size_t *split = flint_malloc((e.count - 1) * sizeof(size_t));
        double total = sum_blocks(sum, high_sum, split, &grown, &e, aim);
        late = shuf_exhausted(s->limit);
        stop = total <= 1.0 || grown == e.count - 1 || grown > BLOCKS_MAX || late || round == ROUNDS_MAX;
        if (!stop)
            split_blocks(&e, split, grown);
        flint_free(split);
    }

    /* the sum is anywhere between the two: the lower one plus a discretisation error */
    *blocks += e.count - 1;
    arb_sub(high_sum, high_sum, sum, 64);
    arb_get_mag(width, high_sum);
    for (i = 0; i < e.count; i++)
        edge_clear(&e.edges[i]);
    flint_free(e.edges);
    arb_clear(high_sum);
    return !late;
}
