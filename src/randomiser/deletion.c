/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/deletion.h"

/* Steer only. */
#define PREC 256
#define MOST_BITS 64

/* E := e^eps0 or less, at least 1: what is private with a smaller E is so with a larger one. */
static void ratio(fmpq_t E, const shuf_real_t eps0)
{
    shuf_real_t most;
    arb_t x;
    shuf_real_init(most);
    arb_init(x);
    fmpq_one(E);
    fmpq_mul_2exp(E, E, MOST_BITS);
    shuf_real_set_log_fmpq(most, E);
    if (shuf_real_cmp(eps0, most) < 0)
    {
        if (eps0->is_log)
        {
            fmpq_set(E, eps0->q);
        }
        else
        {
            shuf_real_exp(x, eps0, PREC);
            shuf_ball_end(E, x, 0, PREC);
        }
        if (fmpq_cmp_si(E, 1) < 0)
            fmpq_one(E);
    }
    shuf_real_clear(most);
    arb_clear(x);
}

/* Coq: DeletionThird.third_deletion, DeletionThird.third_below, DeletionThird.third_below_same. */
void deletion_matrix(shuf_randomiser_t m, const shuf_real_t eps0)
{
    fmpq_t E, p, t;
    fmpq *row = flint_malloc(9 * sizeof(fmpq));
    slong i;
    fmpq_init(E);
    fmpq_init(p);
    fmpq_init(t);
    for (i = 0; i < 9; i++)
        fmpq_init(&row[i]);
    ratio(E, eps0);
    fmpq_add_si(p, E, 1);
    fmpq_inv(p, p);
    fmpq_mul(&row[0], E, p);
    fmpq_div(&row[1], p, E);
    fmpq_set(&row[3], &row[1]);
    fmpq_set(&row[4], &row[0]);
    /* t = max(p/E, (1 + 2E - E^2) p/2) = max(p/E, (2 - (E-1)^2) p/2) */
    fmpq_sub_si(t, E, 1);
    fmpq_mul(t, t, t);
    fmpq_sub_si(t, t, 2);
    fmpq_neg(t, t);
    fmpq_mul(t, t, p);
    fmpq_div_2exp(t, t, 1);
    if (fmpq_cmp(t, &row[1]) < 0)
        fmpq_set(t, &row[1]);
    fmpq_set(&row[6], t);
    fmpq_set(&row[7], t);
    for (i = 0; i < 9; i += 3)
    {
        fmpq_sub(&row[i + 2], shuf_one, &row[i]);
        fmpq_sub(&row[i + 2], &row[i + 2], &row[i + 1]);
    }
    shuf_randomiser_clear(m);
    shuf_randomiser_init(m);
    m->kind = SHUF_RANDOMISER_MATRIX;
    m->inputs = m->outputs = 3;
    m->row = row;
    fmpq_clear(E);
    fmpq_clear(p);
    fmpq_clear(t);
}
