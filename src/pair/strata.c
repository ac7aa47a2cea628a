/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pair/strata.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/enclosure.h"

void strata_K(arb_t K, const strata_struct *s, ulong at)
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
} edge_struct;

/* Coq: Binomial.bin_mirror. */
static void edge_set(edge_struct *edge, const strata_struct *s, ulong start)
{
    const shuf_pair_weights_struct *w = s->weights;
    edge->start = start;
    arb_init(edge->tail);
    arb_init(edge->value);
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
        strata_K(K, s, b->start - 1);
        s->value(hi, s->context, a->start, K);
        strata_K(K, s, a->start);
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

#define BLOCKS_START 32
#define BLOCKS_MAX 200000

int strata_bracket(arb_t sum, mag_t width, ulong *blocks, const strata_struct *s, ulong first, ulong last, const arb_t aim)
{
    slong prec = s->prec;
    size_t count = 0, i;
    edge_struct *edges = NULL, *next;
    arb_t low, high, low_sum, high_sum;
    int round, stop = 0, out_of_time = 0;

    arb_init(low); arb_init(high); arb_init(low_sum); arb_init(high_sum);
    edges = flint_malloc((BLOCKS_START + 2) * sizeof(edge_struct));
    for (i = 0; i <= BLOCKS_START; i++)
    {
        ulong span = last - first + 1;
        ulong start = first + (ulong) ((double) span * (double) i / BLOCKS_START);
        if (i == BLOCKS_START)
            start = last + 1;
        if (count == 0 || start > edges[count - 1].start)
            edge_set(&edges[count++], s, start);
    }

    for (round = 0; !stop; round++)
    {
        size_t grown = 0;
        double share = 1.0 / (double) (count - 1), total = 0;
        size_t *split = flint_malloc((count - 1) * sizeof(size_t));
        arb_zero(low_sum);
        arb_zero(high_sum);
        for (i = 0; i + 1 < count; i++)
        {
            double excess;
            block_sums(low, high, s, &edges[i], &edges[i + 1]);
            arb_add(low_sum, low_sum, low, prec);
            arb_add(high_sum, high_sum, high, prec);
            /* in units of the aim */
            arb_sub(low, high, low, 53);
            arb_div(low, low, aim, 53);
            excess = arf_get_d(arb_midref(low), ARF_RND_NEAR);
            total += excess;
            split[i] = excess > share ? (size_t) FLINT_MIN(ceil(excess / share), 64.0) : 1;
            if (split[i] > edges[i + 1].start - edges[i].start)
                split[i] = edges[i + 1].start - edges[i].start;
            grown += split[i];
        }
        if (s->deadline > 0 && shuf_seconds() > s->deadline)
            out_of_time = 1;
        stop = total <= 1.0 || grown == count - 1 || grown > BLOCKS_MAX || out_of_time || round > 12;
        if (!stop)
        {
            next = flint_malloc((grown + 1) * sizeof(edge_struct));
            size_t k = 0, j;
            for (i = 0; i + 1 < count; i++)
            {
                ulong start = edges[i].start, span = edges[i + 1].start - start;
                next[k++] = edges[i];
                for (j = 1; j < split[i]; j++)
                {
                    ulong at = start + (ulong) ((double) span * (double) j / (double) split[i]);
                    /* out of time: leave the block as it is */
                    if (s->deadline > 0 && shuf_seconds() > s->deadline)
                        out_of_time = 1;
                    if (!out_of_time && at > next[k - 1].start && at < edges[i + 1].start)
                        edge_set(&next[k++], s, at);
                }
            }
            next[k++] = edges[count - 1];
            flint_free(edges);
            edges = next;
            count = k;
        }
        flint_free(split);
    }

    /* the sum is anywhere between the two: the lower one plus a discretisation error */
    *blocks += count - 1;
    arb_sub(high, high_sum, low_sum, 64);
    arb_get_mag(width, high);
    arb_set(sum, low_sum);

    for (i = 0; i < count; i++)
    {
        arb_clear(edges[i].tail);
        arb_clear(edges[i].value);
    }
    flint_free(edges);
    arb_clear(low); arb_clear(high); arb_clear(low_sum); arb_clear(high_sum);
    return !out_of_time;
}
