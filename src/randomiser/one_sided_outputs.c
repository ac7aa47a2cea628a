/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/one_sided_outputs.h"

static void of_matrix(fmpq_t p, uint64_t *x, uint64_t *x1, const shuf_randomiser_t r)
{
    uint64_t i, j, y;
    fmpq_t sum;
    fmpq_init(sum);
    for (i = 0; i < r->inputs; i++)
    {
        for (j = 0; j < r->inputs; j++)
        {
            fmpq_zero(sum);
            for (y = 0; y < r->outputs; y++)
                if (fmpq_is_zero(&r->row[j * r->outputs + y]))
                    fmpq_add(sum, sum, &r->row[i * r->outputs + y]);
            if (fmpq_cmp(sum, p) <= 0)
                continue;
            fmpq_set(p, sum);
            *x = i;
            *x1 = j;
        }
    }
    fmpq_clear(sum);
}

/* Entry by entry: of a product some entry is of that kind, of a mixture the one that is drawn. */
static void of_tuple(fmpq_t p, uint64_t *x, uint64_t *x1, const shuf_randomiser_t r)
{
    uint64_t i, first, second, place = 1;
    fmpq_t one, rest;
    fmpq_init(one);
    fmpq_init(rest);
    for (i = 0; i < r->parts; i++)
    {
        randomiser_one_sided(one, &first, &second, &r->part[i]);
        if (r->kind == SHUF_RANDOMISER_MIXTURE)
        {
            fmpq_addmul(p, one, &r->weight[i]);
        }
        else
        {
            /* p + (1 - p) one */
            fmpq_mul(rest, p, one);
            fmpq_add(p, p, one);
            fmpq_sub(p, p, rest);
        }
        *x += place * first;
        *x1 += place * second;
        place *= r->part[i].inputs;
    }
    fmpq_clear(one);
    fmpq_clear(rest);
}

void randomiser_one_sided(fmpq_t p, uint64_t *x, uint64_t *x1, const shuf_randomiser_t r)
{
    fmpq_zero(p);
    *x = 0;
    *x1 = 1;
    if (r->kind == SHUF_RANDOMISER_MATRIX)
        of_matrix(p, x, x1, r);
    if (r->parts == 0)
        return;
    *x = *x1 = 0;
    of_tuple(p, x, x1, r);
}
