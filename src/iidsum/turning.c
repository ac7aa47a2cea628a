/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/iidsum.md, Lemma 9, in balls. */
#include "iidsum/turning.h"

#define PREC 160            /* Lemma 9, in balls */
#define TURN_EXPONENT (-120) /* of what a factor e^{i step x} may be off: Lemma 9, in balls */

int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step)
{
    arb_t t;
    slong j;
    int known = 1;
    x->count = q->count;
    x->next = 0;
    x->miss = miss;
    x->power = _acb_vec_init(q->count);
    x->turn = _acb_vec_init(q->count);
    arb_init(x->whole);
    arb_init(x->error);
    arb_init(t);
    for (j = 0; j < q->count; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, q->value + j, PREC);
        arb_exp(t, t, PREC);
        arb_mul(t, t, q->mass + j, PREC);
        arb_add(x->whole, x->whole, t, PREC);
        arb_add_error_mag(x->error, arb_radref(t));
        arb_get_mid_arb(acb_realref(x->power + j), t);
        arb_set_d(t, step);
        arb_mul(t, t, q->value + j, PREC);
        arb_sin_cos(acb_imagref(x->turn + j), acb_realref(x->turn + j), t, PREC);
        known &= mag_cmp_2exp_si(arb_radref(acb_realref(x->turn + j)), TURN_EXPONENT) <= 0
                 && mag_cmp_2exp_si(arb_radref(acb_imagref(x->turn + j)), TURN_EXPONENT) <= 0;
        acb_get_mid(x->turn + j, x->turn + j);
    }
    shuf_charge(TURNING_WORK * (double) q->count);
    arb_clear(t);
    return known ? 0 : -1;
}

void turning_clear(turning_struct *x)
{
    _acb_vec_clear(x->power, x->count);
    _acb_vec_clear(x->turn, x->count);
    arb_clear(x->whole);
    arb_clear(x->error);
}

void turning_next(acb_t z, turning_struct *x)
{
    arb_t t;
    slong j;
    arb_init(t);
    acb_zero(z);
    for (j = 0; j < x->count; j++)
    {
        arf_struct *re = arb_midref(acb_realref(x->power + j)), *im = arb_midref(acb_imagref(x->power + j));
        acb_add(z, z, x->power + j, PREC);
        arf_complex_mul(re, im, re, im, arb_midref(acb_realref(x->turn + j)), arb_midref(acb_imagref(x->turn + j)), PREC, ARB_RND);
    }
    /* each product adds at most 2^(TURN_EXPONENT + 2) of the whole */
    arb_set_si(t, x->next++);
    arb_mul_2exp_si(t, t, TURN_EXPONENT + 2);
    arb_mul(t, t, x->whole, PREC);
    arb_add_error_mag(t, arb_radref(x->error));
    acb_add_error_arb(z, t);
    arb_set_d(t, x->miss);
    acb_add_error_arb(z, t);
    shuf_charge(TURNING_STEP_WORK * (double) x->count);
    arb_clear(t);
}
