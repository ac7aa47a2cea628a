/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "iidsum/iidsum.h"

#include <math.h>

#define RATE_PREC 192 /* steers only */

typedef struct
{
    const shuf_summand *law;
    shuf_summand rest; /* one atom */
    arb_t rate, value, mass;
} thinned_struct;

static void thinned_tail(arb_t mass, arb_t excess, const shuf_summand *self, const arf_t at, slong prec)
{
    const thinned_struct *x = self->data;
    arb_t more[2];
    arb_init(more[0]);
    arb_init(more[1]);
    x->law->tail(mass, excess, x->law, at, prec);
    arb_mul(mass, mass, x->rate, prec);
    arb_mul(excess, excess, x->rate, prec);
    x->rest.tail(more[0], more[1], &x->rest, at, prec);
    arb_add(mass, mass, more[0], prec);
    arb_add(excess, excess, more[1], prec);
    arb_clear(more[0]);
    arb_clear(more[1]);
}

static void thinned_support(arf_t lowest, arf_t largest, const shuf_summand *self)
{
    const thinned_struct *x = self->data;
    arf_t low, large;
    arf_init(low);
    arf_init(large);
    x->law->support(lowest, largest, x->law);
    x->rest.support(low, large, &x->rest);
    arf_min(lowest, lowest, low);
    arf_max(largest, largest, large);
    arf_clear(low);
    arf_clear(large);
}

/* The error of the law itself, which is more than that of a part of it. */
static int thinned_quadrature(shuf_quadrature *q, const shuf_summand *self, double theta, double reach, const arf_t top, double tolerance,
                              slong prec)
{
    const thinned_struct *x = self->data;
    slong i, before = q->count;
    if (x->law->quadrature(q, x->law, theta, reach, top, tolerance, prec) != 0)
        return -1;
    for (i = before; i < q->count; i++)
        arb_mul(q->mass + i, q->mass + i, x->rate, prec);
    if (arf_cmp(arb_midref(x->value), top) < 0)
        shuf_quadrature_add(q, x->value, x->mass);
    return 0;
}

static void thinned_steps(shuf_steps *s, const shuf_summand *self, const arf_t top)
{
    const thinned_struct *x = self->data;
    slong i, before = s->count;
    const double least = nextafter(shuf_ball_end_d(x->rate, 0), 0);
    x->law->steps(s, x->law, top);
    for (i = before; i < s->count; i++)
        s->height[i] = nextafter(s->height[i] * least, 0);
}

void shuf_summand_init_thinned(shuf_summand *law, const shuf_summand *whole, const fmpq_t rate, const arb_t value)
{
    thinned_struct *x = flint_malloc(sizeof(*x));
    x->law = whole;
    arb_init(x->rate); arb_init(x->value); arb_init(x->mass);
    arb_set_fmpq(x->rate, rate, RATE_PREC);
    shuf_ball_complement(x->mass, x->rate, RATE_PREC);
    arb_get_mid_arb(x->value, value); /* its radius is in the shift */
    shuf_summand_init_finite(&x->rest, value, x->mass, 1);
    shuf_summand_init(law);
    mag_max(law->shift, whole->shift, x->rest.shift);
    law->zero = nextafter(nextafter(whole->zero * shuf_ball_end_d(x->rate, 0), 0) + x->rest.zero, 0);
    law->tail = thinned_tail;
    law->support = thinned_support;
    law->quadrature = whole->quadrature != NULL ? thinned_quadrature : NULL;
    law->steps = whole->steps != NULL ? thinned_steps : NULL;
    law->data = x;
}

void shuf_summand_clear_thinned(shuf_summand *law)
{
    thinned_struct *x = (thinned_struct *) law->data;
    shuf_summand_clear_finite(&x->rest);
    arb_clear(x->rate); arb_clear(x->value); arb_clear(x->mass); mag_clear(law->shift);
    flint_free(x);
}
