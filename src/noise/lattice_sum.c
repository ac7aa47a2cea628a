/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "noise/lattice_sum.h"

#include "enclosure/enclosure.h"

/* Of all masses and sums. Steers only. */
#define SUM_PREC 128

/* Units of work of a coefficient of the power, and a doubling of the exponent. Steers only. */
#define COEFFICIENT_WORK 1500.0

/* More coefficients, over all doublings of the exponent, are left to a grid. Steers only. */
#define MOST_COEFFICIENTS 1e6

static void round_init(lattice_round *x, slong count)
{
    x->count = count;
    x->mass = _arb_vec_init(count);
    arb_init(x->top);
    arb_init(x->step);
    arb_init(x->lost);
}

void lattice_round_clear(lattice_round *x)
{
    _arb_vec_clear(x->mass, x->count);
    arb_clear(x->top);
    arb_clear(x->step);
    arb_clear(x->lost);
}

/* Theorem 3: 1/(1+q) at the top, then (1-q) q^k/(1+q), and q^steps/(1+q) at the bottom. */
void lattice_round_laplace(lattice_round *x, const arb_t top, slong steps)
{
    arb_t q, t;
    slong k;
    round_init(x, steps + 1);
    arb_init(q);
    arb_init(t);
    arb_set(x->top, top);
    arb_div_si(t, top, steps, SUM_PREC);
    arb_mul_2exp_si(x->step, t, 1);
    arb_neg(t, t);
    arb_exp(q, t, SUM_PREC);
    arb_add_ui(t, q, 1, SUM_PREC);
    arb_inv(&x->mass[0], t, SUM_PREC);
    for (k = 1; k <= steps; k++)
        arb_mul(&x->mass[k], &x->mass[k - 1], q, SUM_PREC);
    shuf_ball_complement(t, q, SUM_PREC);
    for (k = 1; k < steps; k++)
        arb_mul(&x->mass[k], &x->mass[k], t, SUM_PREC);
    arb_clear(q);
    arb_clear(t);
}

/* Outcome z has the loss (shift^2 - 2 shift z)/(2 variance): from -reach on, to reach + shift. */
void lattice_round_gaussian(lattice_round *x, const lattice_table *table, const fmpq_t variance, slong shift)
{
    const slong reach = lattice_table_reach(table);
    slong z;
    round_init(x, 2 * reach + 1);
    for (z = -reach; z <= reach; z++)
        arb_sub(&x->mass[z + reach], &table->tail[FLINT_ABS(z)], &table->tail[FLINT_ABS(z) + 1], SUM_PREC);
    arb_mul_2exp_si(x->lost, &table->tail[reach + 1], 1);
    arb_set_si(x->step, shift);
    arb_div_fmpz(x->step, x->step, fmpq_numref(variance), SUM_PREC);
    arb_mul_fmpz(x->step, x->step, fmpq_denref(variance), SUM_PREC);
    arb_mul_si(x->top, x->step, shift + 2 * reach, SUM_PREC);
    arb_mul_2exp_si(x->top, x->top, -1);
}

int lattice_sum_is_short(double top, double step, uint64_t rounds)
{
    return top / step * (double) rounds * (double) FLINT_BIT_COUNT(rounds) <= MOST_COEFFICIENTS;
}

/* The coefficients of the power, those of losses of at least 0 and one more. */
static void set_power(arb_poly_t power, const lattice_round *round, uint64_t rounds, slong count)
{
    arb_poly_t one;
    arb_poly_init2(one, round->count);
    _arb_vec_set(one->coeffs, round->mass, round->count);
    _arb_poly_set_length(one, round->count);
    shuf_charge(COEFFICIENT_WORK * (double) count * (double) FLINT_BIT_COUNT(rounds));
    arb_poly_pow_ui_trunc_binexp(power, one, rounds, count, SUM_PREC);
    arb_poly_fit_length(power, count);
    arb_poly_clear(one);
}

void lattice_sum_init(lattice_sum *x, const lattice_round *round, uint64_t rounds)
{
    arb_poly_t power;
    arb_t t, factor;
    arf_t end;
    slong j;
    arb_init(x->top); arb_init(x->step); arb_init(x->lost); arb_init(t); arb_init(factor); arf_init(end);
    arb_poly_init(power);
    arb_mul_ui(x->top, round->top, rounds, SUM_PREC);
    arb_set(x->step, round->step);
    arb_mul_ui(x->lost, round->lost, rounds, SUM_PREC);
    arb_div(t, x->top, x->step, SUM_PREC);
    arb_get_ubound_arf(end, t, SUM_PREC);
    x->count = arf_get_si(end, ARF_RND_FLOOR) + 2;
    set_power(power, round, rounds, x->count);
    x->masses = _arb_vec_init(x->count + 1);
    x->weighted = _arb_vec_init(x->count + 1);
    /* e^-loss: from -top, each time a step more */
    shuf_ball_exp_minus(t, x->top, SUM_PREC);
    arb_exp(factor, x->step, SUM_PREC);
    for (j = 0; j < x->count; j++)
    {
        if (j < power->length)
            arb_add(&x->masses[j + 1], &x->masses[j], &power->coeffs[j], SUM_PREC);
        else
            arb_set(&x->masses[j + 1], &x->masses[j]);
        arb_set(&x->weighted[j + 1], &x->weighted[j]);
        if (j < power->length)
            arb_addmul(&x->weighted[j + 1], &power->coeffs[j], t, SUM_PREC);
        arb_mul(t, t, factor, SUM_PREC);
    }
    arb_poly_clear(power);
    arb_clear(t); arb_clear(factor); arf_clear(end);
}

void lattice_sum_clear(lattice_sum *x)
{
    _arb_vec_clear(x->masses, x->count + 1);
    _arb_vec_clear(x->weighted, x->count + 1);
    arb_clear(x->top);
    arb_clear(x->step);
    arb_clear(x->lost);
}

/* The losses of at least K are those of j <= (top - K)/step; the sum over any half-line is at most the divergence, and over that one it is it. */
void lattice_sum_divergence(arf_t lo, arf_t hi, const lattice_sum *x, const arb_t K)
{
    arb_t place, alpha, t, v;
    arf_t end;
    slong first, last;
    arb_init(place); arb_init(alpha); arb_init(t); arb_init(v); arf_init(end);
    arb_exp(alpha, K, SUM_PREC);
    arb_sub(place, x->top, K, SUM_PREC);
    arb_div(place, place, x->step, SUM_PREC);
    arb_get_lbound_arf(end, place, SUM_PREC);
    first = FLINT_MAX(arf_get_si(end, ARF_RND_FLOOR) + 1, 0);
    arb_get_ubound_arf(end, place, SUM_PREC);
    last = FLINT_MIN(FLINT_MAX(arf_get_si(end, ARF_RND_FLOOR) + 1, 0), x->count);
    arb_zero(v);
    for (; first <= last; first++)
    {
        arb_mul(t, alpha, &x->weighted[first], SUM_PREC);
        arb_sub(t, &x->masses[first], t, SUM_PREC);
        arb_max(v, v, t, SUM_PREC);
    }
    arb_get_lbound_arf(lo, v, SUM_PREC);
    arb_add(v, v, x->lost, SUM_PREC);
    arb_get_ubound_arf(hi, v, SUM_PREC);
    shuf_ends_cut(lo, hi);
    arb_clear(place); arb_clear(alpha); arb_clear(t); arb_clear(v); arf_clear(end);
}
