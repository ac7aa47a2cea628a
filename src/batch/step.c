/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The step of Poisson sampling, in closed form: proofs/dpsgd.md, Lemma 2; its loss for compositions, Lemmas 3 and 6. */
#include "batch/batch_law.h"

#include "batch/step_loss.h"
#include "batch/step_renyi.h"
#include "law/closed_law.h"
#include "tradeoff/gdp.h"

typedef struct
{
    fmpq_t shift, rate;
    int is_replaced;
    step_loss loss[3]; /* of PQ and of QP, and of PQ if few steps take part */
    shuf_summand law[3];
    shuf_line *line[3]; /* the last one of each */
} step_struct;

/* The Gaussian profile. */
static void gaussian(arb_t v, const void *shift, const arb_t excess, slong prec)
{
    const fmpq *square = shift;
    arb_t mu, eps;
    arb_init(mu);
    arb_init(eps);
    arb_log1p(eps, excess, prec);
    arb_set_fmpq(mu, square, prec);
    arb_sqrt(mu, mu, prec);
    shuf_gdp_delta_arb(v, mu, eps, prec);
    arb_clear(mu);
    arb_clear(eps);
}

static void value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const step_struct *x = self->data;
    shuf_closed_thinned(v, gaussian, x->shift, x->rate, direction, excess, prec);
}

/* mu^2 order/2, if the record always takes part. */
static void renyi_value(arb_t v, const shuf_law_struct *self, const arb_t order, int is_one, slong prec)
{
    const step_struct *x = self->data;
    (void) is_one;
    shuf_ball_mul_fmpq(v, order, x->shift, prec);
    arb_mul_2exp_si(v, v, -1);
}

static shuf_status renyi(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t order, shuf_direction direction,
                         const shuf_options *options)
{
    const step_struct *x = self->data;
    return step_renyi(r, x->shift, x->rate, order, direction, options);
}

/* ---- many steps ---- */

#define FEW_PARTICIPATIONS 5.0 /* expected: then one of them alone may make the loss large. Steers only. */

/* By lines of the transform of the loss. */
static shuf_status power(shuf_enclosure_t r, const shuf_law_struct *self, uint64_t rounds, shuf_direction direction, const shuf_real_t eps,
                         const shuf_options *options)
{
    step_struct *x = self->data;
    const int which = direction == SHUF_DIRECTION_QP ? 1 : fmpq_get_d(x->rate) * (double) rounds < FEW_PARTICIPATIONS ? 2 : 0;
    return shuf_iidsum_hockey(r, &x->line[which], &x->law[which], rounds, eps, options);
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const step_struct *x = self->data, *y = other->data;
    return x->is_replaced == y->is_replaced && fmpq_equal(x->shift, y->shift) && fmpq_equal(x->rate, y->rate);
}

/* A record that always takes part. */
static int loss_of_whole(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const step_struct *x = self->data;
    (void) direction;
    arb_set_fmpq(loss->variance, x->shift, prec);
    return 1;
}

/* ---- the law ---- */

static void step_clear(shuf_law_struct *self)
{
    step_struct *x = self->data;
    int i;
    for (i = 0; i < 3; i++)
        shuf_line_free(x->line[i]);
    fmpq_clear(x->shift);
    fmpq_clear(x->rate);
    flint_free(x);
}

void batch_law_step(shuf_law_t law, const fmpq_t shift, const fmpq_t rate)
{
    step_struct *x = flint_malloc(sizeof(*x));
    int i;
    x->is_replaced = 0;
    fmpq_init(x->shift);
    fmpq_init(x->rate);
    fmpq_set(x->shift, shift);
    fmpq_set(x->rate, rate);
    for (i = 0; i < 3; i++)
    {
        x->line[i] = NULL;
        x->loss[i] = (step_loss) { x->shift, x->rate, i == 1, i == 2 };
        step_loss_law(&x->law[i], &x->loss[i]);
    }
    shuf_law_init(law);
    shuf_law_set_closed(law, value);
    if (fmpq_is_one(rate))
    {
        law->is_gaussian = 1;
        law->loss = loss_of_whole;
        shuf_law_set_closed_renyi(law, renyi_value);
    }
    else if (step_loss_exists(shift, rate))
    {
        law->renyi = renyi;
    }
    law->clear = step_clear;
    law->data = x;
    law->symmetric = fmpq_is_one(rate);
    law->same = same;
    shuf_law_set_moment(law, shift, 1);
    law->moment_is_reached = 1;
    law->power = step_loss_exists(shift, rate) ? power : NULL;
}

/* ---- a record that is replaced ---- */

/* Theorem 8. The threshold is a ball, and so is what is beyond it: one that holds the value at the root. */
static void replaced_value(arb_t v, const shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec)
{
    const step_struct *x = self->data;
    arb_t a, q, same_law, other, half, tau, t;
    (void) direction;
    arb_init(a); arb_init(q); arb_init(same_law); arb_init(other); arb_init(half); arb_init(tau); arb_init(t);
    arb_set_fmpq(a, x->shift, prec);
    arb_mul_2exp_si(half, a, -1);
    shuf_ball_exp_minus(half, half, prec);
    arb_sqrt(a, a, prec);
    arb_set_fmpq(q, x->rate, prec);
    arb_add_ui(other, excess, 1, prec);
    arb_mul(other, other, q, prec);
    shuf_ball_complement(same_law, q, prec);
    arb_mul(same_law, same_law, excess, prec);
    /* y is the positive root of q half y^2 - same_law y - other half */
    arb_mul(t, q, half, prec);
    arb_mul(tau, other, half, prec);
    arb_mul(tau, tau, t, prec);
    arb_mul_2exp_si(tau, tau, 2);
    arb_addmul(tau, same_law, same_law, prec);
    arb_sqrt(tau, tau, prec);
    arb_add(tau, tau, same_law, prec);
    arb_mul_2exp_si(t, t, 1);
    arb_div(tau, tau, t, prec);
    arb_log(tau, tau, prec);
    arb_div(tau, tau, a, prec);
    shuf_normal_tail(v, tau, prec);
    arb_mul(v, v, same_law, prec);
    arb_add(t, tau, a, prec);
    shuf_normal_tail(t, t, prec);
    arb_mul(t, t, other, prec);
    arb_add(v, v, t, prec);
    arb_sub(t, tau, a, prec);
    shuf_normal_tail(t, t, prec);
    arb_mul(t, t, q, prec);
    arb_sub(v, t, v, prec);
    arb_clear(a); arb_clear(q); arb_clear(same_law); arb_clear(other); arb_clear(half); arb_clear(tau); arb_clear(t);
}

void batch_law_replaced(shuf_law_t law, const fmpq_t shift, const fmpq_t rate)
{
    batch_law_step(law, shift, rate);
    shuf_law_set_closed(law, replaced_value);
    law->renyi = NULL;
    law->loss = NULL;
    law->symmetric = 1;
    law->power = NULL;
    shuf_law_set_moment(law, shift, 4); /* a record that is replaced moves a step by twice as much */
    law->moment_is_reached = law->is_gaussian = 0;
    ((step_struct *) law->data)->is_replaced = 1;
}

/* The Gaussian mechanism with mu^2 = factor/noise^2. */
static void gaussian_law(shuf_law_t law, const fmpq_t noise, const fmpq_t factor)
{
    fmpq_t shift;
    fmpq_init(shift);
    fmpq_mul(shift, noise, noise);
    fmpq_div(shift, factor, shift);
    batch_law_step(law, shift, shuf_one);
    fmpq_clear(shift);
}

void batch_law_fixed(shuf_law_t law, const fmpq_t noise, uint64_t epochs)
{
    fmpq_t factor;
    fmpq_init(factor);
    fmpz_set_ui(fmpq_numref(factor), epochs);
    gaussian_law(law, noise, factor);
    fmpq_clear(factor);
}

void batch_law_sum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, uint64_t epochs, uint64_t moved)
{
    fmpq_t factor;
    fmpz_t square;
    fmpq_init(factor);
    fmpz_init_set_ui(square, taking);
    fmpz_mul_ui(square, square, moved);
    fmpz_mul(square, square, square);
    fmpz_mul_ui(square, square, epochs);
    fmpq_set_fmpz(factor, square);
    fmpz_set_ui(square, steps);
    fmpq_div_fmpz(factor, factor, square);
    gaussian_law(law, noise, factor);
    fmpq_clear(factor);
    fmpz_clear(square);
}
