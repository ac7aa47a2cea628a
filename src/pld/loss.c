/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/loss.h"

#include "binomial/binomial.h"

#define LAW_EACH(l, f) \
    do { f((l)->gamma); f((l)->gamma_complement); f((l)->share); f((l)->share_complement); f((l)->count); \
         f((l)->count_complement); f((l)->rest); f((l)->rest_complement); f((l)->next); f((l)->scale); f((l)->zero); } while (0)

void loss_law_init(loss_law *l)
{
    LAW_EACH(l, arb_init);
    fmpq_init(l->kappa);
}

void loss_law_clear(loss_law *l)
{
    LAW_EACH(l, arb_clear);
    fmpq_clear(l->kappa);
}

/* x := q, and y := 1 - q */
static void set_probability(arb_t x, arb_t y, const fmpq_t q, slong prec)
{
    fmpq_t c;
    fmpq_init(c);
    fmpq_one(c);
    fmpq_sub(c, c, q);
    arb_set_fmpq(x, q, prec);
    arb_set_fmpq(y, c, prec);
    fmpq_clear(c);
}

void loss_law_set(loss_law *l, const shuf_pair_t pair, shuf_tail_law which, slong prec)
{
    slong wp = prec + 2 * (slong) FLINT_BIT_COUNT(pair->n) + 16;
    fmpq_t q, share;
    fmpq_init(q);
    fmpq_init(share);
    l->strong = pair->kind == SHUF_PAIR_KRR_STRONG;
    l->others = pair->n - 1;
    l->k = pair->k;
    l->prec = prec;
    set_probability(l->gamma, l->gamma_complement, pair->gamma, wp);
    fmpq_set_ui(share, 2, pair->k);
    set_probability(l->share, l->share_complement, share, wp);
    fmpq_mul(q, pair->gamma, share);
    set_probability(l->count, l->count_complement, q, wp);
    fmpq_sub(q, pair->gamma, q);
    set_probability(l->rest, l->rest_complement, q, wp);
    arb_div(l->next, l->rest, l->gamma_complement, wp);
    fmpq_zero(l->kappa);
    arb_one(l->scale);
    arb_zero(l->zero);
    if (!l->strong)
    {
        fmpq_one(q);
        fmpq_sub(q, q, pair->gamma);
        fmpq_div(q, pair->gamma, q);
        fmpq_mul(q, q, share);
        fmpq_div_2exp(q, q, 1);
        fmpq_set(l->kappa, q);
        /* nobody else reports one of the two, and the user, at random, another */
        arb_pow_ui(l->zero, l->count_complement, l->others, wp);
        arb_mul(l->zero, l->zero, l->rest, prec);
    }
    else if (which == SHUF_TAIL_VIEW)
    {
        arb_set(l->scale, l->gamma_complement);
        arb_set(l->zero, l->gamma);
    }
    fmpq_clear(q);
    fmpq_clear(share);
}

void loss_law_cut(loss_law *l, const arb_t tau)
{
    l->first = shuf_binomial_cut_below(l->others, l->count, l->count_complement, tau, l->prec);
    l->last = shuf_binomial_cut_above(l->others, l->count, l->count_complement, tau, l->prec) + 1;
    l->first_rest = l->last_rest = 0;
    if (l->strong)
    {
        l->first++;
    }
    else
    {
        /* the user's own report comes to the one or the other */
        l->first = FLINT_MAX(l->first, 1);
        if (l->k > 2)
        {
            l->first_rest = shuf_binomial_cut_below(l->others, l->rest, l->rest_complement, tau, l->prec);
            l->last_rest = shuf_binomial_cut_above(l->others, l->rest, l->rest_complement, tau, l->prec) + 1;
        }
    }
}

int loss_is_row(const loss_law *l, ulong m, ulong r)
{
    return r <= l->last_rest && r <= l->others + 1 - m;
}

void loss_row_mass(arb_t mass, const loss_law *l, ulong m, ulong r)
{
    if (l->strong)
    {
        shuf_binomial_pmf(mass, l->others, m - 1, l->count, l->count_complement, l->prec);
    }
    else
    {
        arb_t t;
        arb_init(t);
        shuf_binomial_pmf(mass, l->others, m + r - 1, l->gamma, l->gamma_complement, l->prec);
        shuf_binomial_pmf(t, m + r, m, l->share, l->share_complement, l->prec);
        arb_mul(mass, mass, t, l->prec);
        arb_clear(t);
    }
}

void loss_row_next(arb_t mass, const loss_law *l, ulong m, ulong r)
{
    arb_mul(mass, mass, l->next, l->prec);
    arb_mul_ui(mass, mass, l->others + 1 - m - r, l->prec);
    arb_mul_ui(mass, mass, m + r + 1, l->prec);
    arb_div_ui(mass, mass, m + r, l->prec);
    arb_div_ui(mass, mass, r + 1, l->prec);
}
