/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "renyi/tilted_stratum.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/budget.h"
#include "enclosure/elementary.h"
#include "renyi/saddle.h"

#define TILTED_EACH(t, f) \
    do { f((t)->p_end[0]); f((t)->p_end[1]); f((t)->q_end[0]); f((t)->q_end[1]); f((t)->x0); f((t)->x0_complement); \
         f((t)->p0); f((t)->q0); f((t)->dp); f((t)->dq); f((t)->tau); f((t)->scale); } while (0)

/* r = phi at p and q: p^order q^(1-order), or p log(p/q). */
static void phi(arb_t r, const power_context_t s, const arb_t p, const arb_t q, slong prec)
{
    arb_t t;
    arb_init(t);
    if (s->is_one)
    {
        arb_div(t, p, q, prec);
        arb_log(t, t, prec);
        arb_mul(r, p, t, prec);
    }
    else if (s->small_order > 0)
    {
        arb_div(t, p, q, prec);
        arb_pow_ui(t, t, s->small_order - 1, prec);
        arb_mul(r, p, t, prec);
    }
    else
    {
        /* p (p/q)^(order-1) */
        arb_div(t, p, q, prec);
        arb_log(t, t, prec);
        arb_mul(t, t, s->order_minus_1, prec);
        arb_exp(t, t, prec);
        arb_mul(r, p, t, prec);
    }
    arb_clear(t);
}

void tilted_init(tilted_struct *t, const power_context_t s, ulong c, const arb_t K)
{
    const shuf_pair_weights_struct *w = s->weights;
    TILTED_EACH(t, arb_init);
    t->s = s;
    t->m = c + 1;
    t->prec = s->prec + (slong) FLINT_BIT_COUNT(t->m) + s->order_bits;
    shuf_charge(8 * shuf_cost_mul(t->prec) + 30 * shuf_cost_word(t->prec));
    arb_div(t->p_end[0], w->w1, w->rho_complement, t->prec);
    arb_div(t->p_end[1], w->w0, w->rho, t->prec);
    arb_div(t->q_end[0], w->w0, w->rho_complement, t->prec);
    arb_div(t->q_end[1], w->w1, w->rho, t->prec);
    arb_add(t->p_end[0], t->p_end[0], K, t->prec);
    arb_add(t->p_end[1], t->p_end[1], K, t->prec);
    arb_add(t->q_end[0], t->q_end[0], K, t->prec);
    arb_add(t->q_end[1], t->q_end[1], K, t->prec);
}

void tilted_clear(tilted_struct *t)
{
    TILTED_EACH(t, arb_clear);
}

/* value at x0 and relative slope of a linear function with these ends */
static void linear_at(arb_t value, arb_t slope, const arb_struct *end0, const arb_struct *end1, const arb_t x, const arb_t x_complement, slong prec)
{
    arb_mul(value, end0, x_complement, prec);
    arb_addmul(value, end1, x, prec);
    arb_sub(slope, end1, end0, prec);
    arb_div(slope, slope, value, prec);
}

void tilted_set(tilted_struct *t, double x)
{
    const power_context_struct *s = t->s;
    slong prec = t->prec;
    arb_t u, v;
    shuf_charge(6 * shuf_cost_exp(prec) + 24 * shuf_cost_mul(prec));
    arb_init(u);
    arb_init(v);
    if (s->is_one)
    {
        arb_set_round(t->x0, s->weights->rho, prec);
        arb_set_round(t->x0_complement, s->weights->rho_complement, prec);
        x = s->rho;
    }
    else
    {
        arb_set_d(t->x0, x);
        shuf_ball_complement(t->x0_complement, t->x0, prec);
    }
    linear_at(t->p0, t->dp, t->p_end[0], t->p_end[1], t->x0, t->x0_complement, prec);
    linear_at(t->q0, t->dq, t->q_end[0], t->q_end[1], t->x0, t->x0_complement, prec);
    if (!s->is_one)
    {
        arb_div(u, t->x0, s->weights->rho, prec);
        arb_log(u, u, prec);
        arb_div(v, t->x0_complement, s->weights->rho_complement, prec);
        arb_log(v, v, prec);
    }
    arb_sub(t->tau, u, v, prec);
    arb_mul_ui(t->tau, t->tau, t->m, prec);
    /* the scale's logarithm */
    arb_mul(u, u, t->x0, prec);
    arb_addmul(u, v, t->x0_complement, prec);
    arb_mul_ui(u, u, t->m, prec);
    arb_log(v, t->p0, prec);
    arb_mul(v, v, s->order, prec);
    arb_sub(u, v, u, prec);
    if (!s->is_one)
    {
        arb_log(v, t->q0, prec);
        arb_submul(u, v, s->order_minus_1, prec);
    }
    arb_exp(t->scale, u, prec);
    t->x0_d = x;
    arb_clear(u);
    arb_clear(v);
}

void tilted_chernoff(arb_t result, const tilted_struct *t, const arb_t y, slong prec)
{
    arb_t u, v, r;
    arb_init(u); arb_init(v); arb_init(r);
    arb_add(u, t->x0, y, prec);
    arb_sub(v, t->x0_complement, y, prec);
    if (arb_is_negative(u) || arb_is_negative(v))
    {
        arb_pos_inf(result);
    }
    else if (!arb_is_positive(u) || !arb_is_positive(v))
    {
        arb_zero(result);
    }
    else
    {
        arb_div(r, u, t->x0, prec);
        arb_log(r, r, prec);
        arb_mul(u, u, r, prec);
        arb_div(r, v, t->x0_complement, prec);
        arb_log(r, r, prec);
        arb_addmul(u, v, r, prec);
        arb_mul_ui(u, u, t->m, prec);
        arb_get_lbound_arf(arb_midref(result), u, prec);
        mag_zero(arb_radref(result));
        if (!arb_is_positive(result))
            arb_zero(result);
    }
    arb_clear(u); arb_clear(v); arb_clear(r);
}

/*
 * For x between near and far, Bin(m,rho)(mx) phi(x) <= exp(F(x)) with
 * F = order log p - m KL(x||rho) - (order-1) log q: two concave terms, taken by
 * their tangents at near, and a convex one; so the largest value is at an end.
 * This is the value there: value >= F at near (far = near), or at far.
 */
static void majorant(arb_t value, const tilted_struct *t, const arb_t near, const arb_t far, slong prec)
{
    const power_context_struct *s = t->s;
    const shuf_pair_weights_struct *w = s->weights;
    arb_t near_complement, p, slope, u, v, step;
    arb_init(near_complement); arb_init(p); arb_init(slope); arb_init(u); arb_init(v); arb_init(step);
    shuf_ball_complement(near_complement, near, prec);
    arb_sub(step, far, near, prec);
    linear_at(p, slope, t->p_end[0], t->p_end[1], near, near_complement, prec);
    arb_log(value, p, prec);
    arb_addmul(value, slope, step, prec);
    arb_mul(value, value, s->order, prec);
    /* KL(near||rho) + step d/dx = far log(near/rho) + (1-far) log((1-near)/(1-rho)) */
    arb_div(u, near, w->rho, prec);
    arb_log(u, u, prec);
    arb_div(v, near_complement, w->rho_complement, prec);
    arb_log(v, v, prec);
    arb_mul(u, u, far, prec);
    arb_sub(near_complement, near_complement, step, prec);
    arb_addmul(u, v, near_complement, prec);
    arb_mul_ui(u, u, t->m, prec);
    arb_sub(value, value, u, prec);
    if (!s->is_one)
    {
        linear_at(p, slope, t->q_end[0], t->q_end[1], far, near_complement, prec);
        arb_log(u, p, prec);
        arb_submul(value, u, s->order_minus_1, prec);
    }
    arb_clear(near_complement); arb_clear(p); arb_clear(slope); arb_clear(u); arb_clear(v); arb_clear(step);
}

/* About the larger end of the majorant. */
static double log_majorant(const power_context_t s, double m, double K, double near, double far)
{
    double p = s->p_end[0] * (1 - near) + s->p_end[1] * near + K;
    double step = (s->p_end[1] - s->p_end[0]) * (far - near) / p;
    double u = d_log1p((near - s->rho) / s->rho), v = d_log1p((s->rho - near) / s->rho_complement);
    /* log phi there, log p by its tangent */
    double value = saddle_log_phi(s, K, far) + s->lambda * (step - d_log1p(step)) - m * (far * u + (1 - far) * v);
    return fmax(value, saddle_exponent(s, m, K, near));
}

/* After so many pieces the rest is one. Steers only. */
#define MANY_PIECES 300

void tilted_add_tail(mag_t total, const tilted_struct *t, double K, double start, int sign)
{
    const power_context_struct *s = t->s;
    const slong prec = 64 + (slong) FLINT_BIT_COUNT(t->m) + s->order_bits;
    const double end = sign > 0 ? 1 : 0, m = (double) t->m;
    /* 2e-15 for the rounding of start and of this sum */
    double near_d = t->x0_d + sign * fmax(0, start - 2e-15), far_d;
    arb_t near, far, u;
    mag_t bound, term, atoms;
    int pieces = 0, tried = 0;
    if (sign * (near_d - end) > 1e-15)
        return;
    arb_init(near); arb_init(far); arb_init(u);
    mag_init(bound); mag_init(term); mag_init(atoms);
    do
    {
        int i;
        far_d = end;
        for (i = 0; i < 50 && pieces < MANY_PIECES; i++, tried++)
        {
            double width = fabs(far_d - near_d), largest = log_majorant(s, m, K, near_d, far_d);
            if (largest + d_log(m * width + 1) < t->log_negligible - 2 - 0.5 * pieces
                || (pieces > 16 && largest < saddle_exponent(s, m, K, near_d) + 1) || width * m < 1)
                break;
            far_d = near_d + (far_d - near_d) / 2;
        }
        arb_set_d(near, near_d);
        arb_set_d(far, far_d);
        if (near_d <= 0 || near_d >= 1)
        {
            /* within rounding of the end: at most the atom there and its neighbour */
            arb_set_d(near, sign > 0 ? 1 - 1e-15 : 1e-15);
            arb_set_d(far, end);
        }
        majorant(u, t, near, near, prec);
        arb_exp(u, u, prec);
        arb_get_mag(term, u);
        majorant(u, t, near, far, prec);
        arb_exp(u, u, prec);
        arb_get_mag(atoms, u);
        mag_max(term, term, atoms);
        /* atoms */
        arb_sub(u, far, near, prec);
        arb_mul_ui(u, u, t->m, prec);
        arb_get_mag(atoms, u);
        mag_addmul(bound, term, atoms);
        mag_add(bound, bound, term);
        near_d = far_d;
        pieces++;
    } while (far_d != end);
    shuf_charge(tried * 4.0 * SADDLE_COST + pieces * (8 * shuf_cost_exp(prec) + 40 * shuf_cost_mul(prec)));
    if (s->is_one)
    {
        /* |phi| <= p max_loss */
        arb_get_mag(term, s->max_loss);
        mag_mul(bound, bound, term);
    }
    mag_add(total, total, bound);
    arb_clear(near); arb_clear(far); arb_clear(u);
    mag_clear(bound); mag_clear(term); mag_clear(atoms);
}

/* Terms between two looks at the budget. Steers only. */
#define BETWEEN_LOOKS 64

/* Units of one term. */
static double term_cost(const power_context_t s, slong prec)
{
    double cost = 4 * shuf_cost_mul(prec) + 11 * shuf_cost_word(prec);
    if (s->small_order > 0)
        return cost + 1.5 * (double) FLINT_BIT_COUNT(s->small_order) * shuf_cost_mul(prec);
    return cost + 2 * shuf_cost_exp(prec);
}

void tilted_sum_directly(arb_t v, const tilted_struct *t, ulong first, ulong last)
{
    const power_context_struct *s = t->s;
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = t->prec;
    const double cost = term_cost(s, prec);
    ulong a;
    arb_t pmf, p, q, p_step, q_step, odds, term;
    arb_init(pmf); arb_init(p); arb_init(q); arb_init(p_step); arb_init(q_step); arb_init(odds); arb_init(term);
    shuf_binomial_pmf(pmf, t->m, first, w->rho, w->rho_complement, prec);
    arb_div(odds, w->rho, w->rho_complement, prec);
    arb_sub(p_step, t->p_end[1], t->p_end[0], prec);
    arb_sub(q_step, t->q_end[1], t->q_end[0], prec);
    for (a = first;; a++)
    {
        arb_mul_ui(p, p_step, a, prec);
        arb_div_ui(p, p, t->m, prec);
        arb_add(p, p, t->p_end[0], prec);
        arb_mul_ui(q, t->q_end[0], t->m - a, prec);
        arb_addmul_ui(q, t->q_end[1], a, prec);
        arb_div_ui(q, q, t->m, prec);
        phi(term, s, p, q, prec);
        arb_addmul(v, pmf, term, prec);
        if (a == last)
            break;
        if ((a - first) % BETWEEN_LOOKS == BETWEEN_LOOKS - 1)
        {
            shuf_charge(BETWEEN_LOOKS * cost);
            if (shuf_interrupted())
            {
                arb_indeterminate(v);
                break;
            }
        }
        arb_mul_ui(pmf, pmf, t->m - a, prec);
        arb_div_ui(pmf, pmf, a + 1, prec);
        arb_mul(pmf, pmf, odds, prec);
    }
    shuf_charge((double) ((a - first + 1) % BETWEEN_LOOKS) * cost);
    arb_clear(pmf); arb_clear(p); arb_clear(q); arb_clear(p_step); arb_clear(q_step); arb_clear(odds); arb_clear(term);
}
