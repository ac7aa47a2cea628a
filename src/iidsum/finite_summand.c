/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "iidsum/iidsum.h"

#include <math.h>

typedef struct
{
    slong count, allocated;
    arf_ptr value;
    arb_ptr mass;
    arf_t lowest, largest;
} finite_struct;

#define ZERO_PREC 64 /* steers only */
#define ATOM_WORK 400.0 /* units of work for an atom: steers only */

static void finite_tail(arb_t mass, arb_t excess, const shuf_summand *law, const arf_t x, slong prec)
{
    const finite_struct *f = law->data;
    arf_t t;
    slong j;
    shuf_charge(ATOM_WORK * (double) f->count);
    arf_init(t);
    arb_zero(mass);
    arb_zero(excess);
    for (j = 0; j < f->count; j++)
    {
        if (arf_cmp(f->value + j, x) < 0)
            continue;
        arb_add(mass, mass, f->mass + j, prec);
        arf_sub(t, f->value + j, x, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_addmul_arf(excess, f->mass + j, t, prec);
    }
    arf_clear(t);
}

static void finite_support(arf_t lowest, arf_t largest, const shuf_summand *law)
{
    const finite_struct *f = law->data;
    arf_set(lowest, f->lowest);
    arf_set(largest, f->largest);
}

/* The atoms themselves, without an error. */
static int finite_quadrature(shuf_quadrature *q, const shuf_summand *law, double theta, double reach, const arf_t top, double tolerance, slong prec)
{
    const finite_struct *f = law->data;
    arb_t value;
    slong j;
    (void) theta; (void) reach; (void) tolerance; (void) prec;
    arb_init(value);
    for (j = 0; j < f->count; j++)
    {
        arb_set_arf(value, f->value + j);
        if (arf_cmp(f->value + j, top) < 0)
            shuf_quadrature_add(q, value, f->mass + j);
    }
    shuf_charge(ATOM_WORK * (double) f->count);
    arb_clear(value);
    return 0;
}

void shuf_summand_init_finite(shuf_summand *law, arb_srcptr value, arb_srcptr mass, slong count)
{
    finite_struct *f = flint_malloc(sizeof(*f));
    arb_t zero;
    slong j;
    f->allocated = FLINT_MAX(count, 1);
    f->value = flint_malloc((size_t) f->allocated * sizeof(arf_struct));
    f->mass = _arb_vec_init(f->allocated);
    f->count = 0;
    arf_init(f->lowest); arf_init(f->largest);
    shuf_summand_init(law);
    arb_init(zero);
    for (j = 0; j < count; j++)
    {
        slong i = f->count;
        arf_t end;
        if (arb_is_zero(mass + j))
            continue;
        arf_init(f->value + i);
        arf_set(f->value + i, arb_midref(value + j));
        arb_set(f->mass + i, mass + j);
        if (arf_is_zero(f->value + i))
            arb_add(zero, zero, mass + j, ZERO_PREC);
        mag_max(law->shift, law->shift, arb_radref(value + j));
        /* the support of the law itself, not of the midpoints */
        arf_init(end);
        arb_get_lbound_arf(end, value + j, 256);
        if (arf_is_nan(end))
            arf_neg_inf(end);
        if (i == 0 || arf_cmp(end, f->lowest) < 0)
            arf_set(f->lowest, end);
        arb_get_ubound_arf(end, value + j, 256);
        if (arf_is_nan(end))
            arf_pos_inf(end);
        if (i == 0 || arf_cmp(end, f->largest) > 0)
            arf_set(f->largest, end);
        arf_clear(end);
        f->count++;
    }
    law->zero = fmax(shuf_ball_end_d(zero, 0), 0);
    arb_clear(zero);
    law->tail = finite_tail;
    law->support = finite_support;
    law->quadrature = finite_quadrature;
    law->steps = NULL;
    law->data = f;
}

void shuf_summand_clear_finite(shuf_summand *law)
{
    finite_struct *f = (finite_struct *) law->data;
    slong j;
    for (j = 0; j < f->count; j++)
        arf_clear(f->value + j);
    flint_free(f->value);
    _arb_vec_clear(f->mass, f->allocated);
    arf_clear(f->lowest); arf_clear(f->largest); mag_clear(law->shift);
    flint_free(f);
}
