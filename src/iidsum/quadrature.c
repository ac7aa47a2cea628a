/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "iidsum/iidsum.h"

#include <string.h>

#define FIRST_SIZE 64 /* size of an array, to begin with */

void shuf_summand_init(shuf_summand *law)
{
    memset(law, 0, sizeof(*law));
    mag_init(law->shift);
}

void shuf_quadrature_init(shuf_quadrature *q)
{
    q->count = 0;
    q->allocated = FIRST_SIZE;
    q->value = _arb_vec_init(FIRST_SIZE);
    q->mass = _arb_vec_init(FIRST_SIZE);
    q->error = 0;
}

void shuf_quadrature_clear(shuf_quadrature *q)
{
    _arb_vec_clear(q->value, q->allocated);
    _arb_vec_clear(q->mass, q->allocated);
}

/* More room in a vector, as _arb_vec_init leaves it. */
static arb_ptr more(arb_ptr x, slong from, slong to)
{
    slong i;
    x = flint_realloc(x, (size_t) to * sizeof(arb_struct));
    for (i = from; i < to; i++)
        arb_init(x + i);
    return x;
}

void shuf_quadrature_add(shuf_quadrature *q, const arb_t value, const arb_t mass)
{
    if (q->count == q->allocated)
    {
        q->value = more(q->value, q->allocated, 2 * q->allocated);
        q->mass = more(q->mass, q->allocated, 2 * q->allocated);
        q->allocated *= 2;
    }
    arb_set(q->value + q->count, value);
    arb_set(q->mass + q->count, mass);
    q->count++;
}

void shuf_steps_init(shuf_steps *s)
{
    s->count = 0;
    s->allocated = FIRST_SIZE;
    s->low = flint_malloc(FIRST_SIZE * sizeof(double));
    s->width = flint_malloc(FIRST_SIZE * sizeof(double));
    s->height = flint_malloc(FIRST_SIZE * sizeof(double));
    s->group = flint_malloc(FIRST_SIZE * sizeof(slong));
}

void shuf_steps_clear(shuf_steps *s)
{
    flint_free(s->low);
    flint_free(s->width);
    flint_free(s->height);
    flint_free(s->group);
}

void shuf_steps_add(shuf_steps *s, double low, double width, double height, slong group)
{
    if (s->count == s->allocated)
    {
        size_t size = 2 * (size_t) s->allocated;
        s->low = flint_realloc(s->low, size * sizeof(double));
        s->width = flint_realloc(s->width, size * sizeof(double));
        s->height = flint_realloc(s->height, size * sizeof(double));
        s->group = flint_realloc(s->group, size * sizeof(slong));
        s->allocated *= 2;
    }
    s->low[s->count] = low;
    s->width[s->count] = width;
    s->height[s->count] = height;
    s->group[s->count] = group;
    s->count++;
}
