/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A step of Poisson sampling whose batches are cut to a size: proofs/dpsgd.md, Theorem 17. */
#include "batch/batch_law.h"

#include "binomial/binomial.h"
#include "law/closed_law.h"

#define PREC 192 /* of the probabilities that a batch is cut. Steers only */

typedef struct
{
    arb_t cut; /* tau */
    shuf_law_t whole, moved; /* of batches that are not cut, and that are */
    int is_replaced;
} truncated_struct;

/* cut := tau, joint := tau p. */
static void set_chances(arb_t cut, arb_t joint, const fmpq_t rate, uint64_t most, uint64_t all)
{
    arb_t q, rest;
    arb_init(q);
    arb_init(rest);
    arb_set_fmpq(q, rate, PREC);
    shuf_ball_complement(rest, q, PREC);
    shuf_binomial_tail(cut, all - 1, most, q, rest, PREC);
    shuf_binomial_tail(joint, all, most + 1, q, rest, PREC);
    arb_mul_ui(joint, joint, most, PREC);
    arb_div_ui(joint, joint, all, PREC);
    arb_clear(q);
    arb_clear(rest);
}

static void truncated_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const truncated_struct *x = self->data;
    arb_t t;
    arb_init(t);
    x->moved->value(v, x->moved, x->is_replaced ? SHUF_DIRECTION_PQ : direction, excess, prec);
    x->whole->value(t, x->whole, direction, excess, prec);
    arb_sub(v, v, t, prec);
    arb_mul(v, v, x->cut, prec);
    arb_add(v, v, t, prec);
    arb_clear(t);
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const truncated_struct *x = self->data, *y = other->data;
    return x->is_replaced == y->is_replaced && arb_equal(x->cut, y->cut) && x->whole->same(x->whole, y->whole) && x->moved->same(x->moved, y->moved);
}

static void truncated_clear(shuf_law_struct *self)
{
    truncated_struct *x = self->data;
    arb_clear(x->cut);
    shuf_law_clear(x->whole);
    shuf_law_clear(x->moved);
    flint_free(x);
}

static void set_above(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, const arb_t cut, const arb_t joint, int is_replaced)
{
    truncated_struct *x = flint_malloc(sizeof(*x));
    fmpq_t p, four;
    arb_t t;
    fmpq_init(p);
    fmpq_init(four);
    arb_init(t);
    arb_init(x->cut);
    arb_set(x->cut, cut);
    shuf_law_init(x->whole);
    shuf_law_init(x->moved);
    x->is_replaced = is_replaced;
    (is_replaced ? batch_law_replaced : batch_law_step)(x->whole, shift, rate);
    arb_div(t, joint, cut, PREC);
    if (arb_is_finite(t))
        shuf_ball_end(p, t, 1, PREC);
    if (!arb_is_finite(t) || fmpq_cmp(p, rate) > 0)
        fmpq_set(p, rate); /* p <= q B/(B+1) */
    fmpq_mul_2exp(four, shift, 2);
    batch_law_step(x->moved, four, p);
    shuf_law_init(law);
    shuf_law_set_closed(law, truncated_value);
    law->clear = truncated_clear;
    law->data = x;
    law->symmetric = is_replaced;
    law->same = same;
    fmpq_set(law->moment, x->moved->moment); /* a batch that is cut is moved by two records at most, one of which takes the place of the other; and so is one in which a record is replaced */
    fmpq_clear(p);
    fmpq_clear(four);
    arb_clear(t);
}

void batch_law_truncated(shuf_law_t law, const fmpq_t shift, const fmpq_t rate, uint64_t most, uint64_t all, int is_replaced, int above)
{
    arb_t cut, joint, t;
    arb_init(cut);
    arb_init(joint);
    arb_init(t);
    set_chances(cut, joint, rate, most, all);
    if (above)
    {
        set_above(law, shift, rate, cut, joint, is_replaced);
    }
    else
    {
        fmpq_t least;
        fmpq_init(least);
        shuf_ball_complement(t, cut, PREC);
        shuf_ball_mul_fmpq(t, t, rate, PREC);
        arb_add(t, t, joint, PREC);
        shuf_ball_end(least, t, 0, PREC);
        (is_replaced ? batch_law_replaced : batch_law_step)(law, shift, least);
        fmpq_clear(least);
    }
    arb_clear(cut);
    arb_clear(joint);
    arb_clear(t);
}
