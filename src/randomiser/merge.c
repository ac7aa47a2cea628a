/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/merge.h"

#include <stdlib.h>

/* unit := v divided by its first entry that is not 0; returns 0 for a zero vector. */
static int direction(fmpq *unit, const fmpq *v, slong length)
{
    slong i, first;
    for (first = 0; first < length && fmpq_is_zero(v + first); first++)
        ;
    for (i = 0; i < length && first < length; i++)
        fmpq_div(unit + i, v + i, v + first);
    return first < length;
}

static int equal(const fmpq *a, const fmpq *b, slong length)
{
    slong i;
    for (i = 0; i < length && fmpq_equal(a + i, b + i); i++)
        ;
    return i == length;
}

slong merge_proportional(fmpq *v, slong count, slong length)
{
    fmpq *unit = _fmpq_vec_init(count * length);
    slong i, j, k, kept = 0;
    for (i = 0; i < count; i++)
    {
        if (!direction(unit + kept * length, v + i * length, length))
            continue;
        for (j = 0; j < kept && !equal(unit + j * length, unit + kept * length, length); j++)
            ;
        for (k = 0; k < length; k++)
        {
            if (j < kept)
                fmpq_add(v + j * length + k, v + j * length + k, v + i * length + k);
            else
                fmpq_swap(v + j * length + k, v + i * length + k);
        }
        kept += j == kept;
    }
    _fmpq_vec_clear(unit, count * length);
    return kept;
}

void merge_columns(shuf_randomiser_t r)
{
    slong inputs = (slong) r->inputs, outputs = (slong) r->outputs, x, y, kept;
    fmpq *column = _fmpq_vec_init(inputs * outputs);
    for (y = 0; y < outputs; y++)
        for (x = 0; x < inputs; x++)
            fmpq_set(column + y * inputs + x, r->row + x * outputs + y);
    kept = merge_proportional(column, outputs, inputs);
    if (kept >= 2)
    {
        _fmpq_vec_clear(r->row, inputs * outputs);
        r->row = _fmpq_vec_init(inputs * kept);
        r->outputs = (uint64_t) kept;
        for (y = 0; y < kept; y++)
            for (x = 0; x < inputs; x++)
                fmpq_swap(r->row + x * kept + y, column + y * inputs + x);
    }
    _fmpq_vec_clear(column, inputs * outputs);
}

/* ---- classes whose masses are balls ---- */

/* A class with the shares of its three masses in their sum. */
typedef struct
{
    arb_struct share[3], sum;
    arf_struct key; /* equal shares have nearly the same */
} ratio;

static int by_key(const void *a, const void *b)
{
    return arf_cmp(&((const ratio *) a)->key, &((const ratio *) b)->key);
}

static void ratio_init(ratio *t, const shuf_classes_t c, slong i, slong prec)
{
    arb_srcptr mass[3] = { c->p + i, c->q + i, c->w + i };
    arb_t key;
    int k;
    arb_init(key);
    arb_init(&t->sum);
    arf_init(&t->key);
    for (k = 0; k < 3; k++)
        arb_add(&t->sum, &t->sum, mass[k], prec);
    for (k = 0; k < 3; k++)
    {
        arb_init(&t->share[k]);
        arb_div(&t->share[k], mass[k], &t->sum, prec);
        /* any numbers that do not make different shares alike */
        arb_mul_ui(key, key, 1618033, prec);
        arb_add(key, key, &t->share[k], prec);
    }
    arf_set(&t->key, arb_midref(key));
    arb_clear(key);
}

static void ratio_clear(ratio *t)
{
    int k;
    for (k = 0; k < 3; k++)
        arb_clear(&t->share[k]);
    arb_clear(&t->sum);
    arf_clear(&t->key);
}

static int close(const ratio *a, const ratio *b)
{
    return arb_overlaps(&a->share[0], &b->share[0]) && arb_overlaps(&a->share[1], &b->share[1]) && arb_overlaps(&a->share[2], &b->share[2]);
}

void merge_close(shuf_classes_t c, slong prec)
{
    ratio *t = flint_malloc((size_t) FLINT_MAX(c->count, 1) * sizeof(ratio));
    slong i, last = 0, count = c->count;
    int k;
    for (i = 0; i < count; i++)
        ratio_init(t + i, c, i, prec);
    qsort(t, (size_t) count, sizeof(ratio), by_key);
    for (i = 1; i < count; i++)
    {
        if (!close(t + last, t + i))
        {
            ratio s = t[++last];
            t[last] = t[i];
            t[i] = s;
            continue;
        }
        for (k = 0; k < 3; k++)
            arb_union(&t[last].share[k], &t[last].share[k], &t[i].share[k], prec);
        arb_add(&t[last].sum, &t[last].sum, &t[i].sum, prec);
    }
    shuf_classes_clear(c);
    classes_init(c, count > 0 ? last + 1 : 0);
    for (i = 0; i < c->count; i++)
    {
        arb_mul(c->p + i, &t[i].share[0], &t[i].sum, prec);
        arb_mul(c->q + i, &t[i].share[1], &t[i].sum, prec);
        arb_mul(c->w + i, &t[i].share[2], &t[i].sum, prec);
    }
    for (i = 0; i < count; i++)
        ratio_clear(t + i);
    flint_free(t);
}
