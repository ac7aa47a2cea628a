/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pair/outcomes.h"

#include <stdlib.h>

#include <flint/ulong_extras.h>

#include "binomial/binomial.h"

slong pair_outcome_count(const shuf_pair_t pair, slong most)
{
    shuf_pair_weights_t w;
    double n = (double) pair->n, count;
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, 64);
    /* a = 0 .. c+1 for each c, and for each rest of a mixture; and where P = Q */
    count = arb_is_zero(w->count) ? 3 : arb_is_zero(w->count_complement) ? n + 2 : n * (n + 3) / 2 + 1;
    if (w->rest_is_random)
        count *= n;
    shuf_pair_weights_clear(w);
    return count <= (double) most ? (slong) count : 0;
}

/* The ratio of an outcome: x = a/m, K = kappa rest/m, in lowest terms, where K matters. */
typedef struct
{
    ulong a, m, rest;
    slong index;
} ratio_struct;

static int compare_ratios(const void *x, const void *y)
{
    const ratio_struct *r = x, *s = y;
    if (r->a != s->a)
        return r->a < s->a ? -1 : 1;
    if (r->m != s->m)
        return r->m < s->m ? -1 : 1;
    if (r->rest != s->rest)
        return r->rest < s->rest ? -1 : 1;
    return r->index < s->index ? -1 : r->index > s->index;
}

/* What is being listed. */
typedef struct
{
    arb_ptr p, q;
    ratio_struct *ratio;
    slong count, prec;
    const shuf_pair_weights_struct *w;
} list_struct;

/* Units of work for an outcome after the first one of its row, in multiplications. Steers only. */
#define STEP_PRODUCTS 3.0

/* at := Pr[Bin(m, rho) = a], from that of a - 1 where there is one. */
static void next_mass(arb_t at, const list_struct *l, ulong m, ulong a, const arb_t odds, slong prec)
{
    if (a == 0 || !arb_is_finite(odds))
    {
        shuf_binomial_pmf(at, m, a, l->w->rho, l->w->rho_complement, prec);
        return;
    }
    arb_mul(at, at, odds, prec);
    arb_mul_ui(at, at, m - a + 1, prec);
    arb_div_ui(at, at, a, prec);
    shuf_charge(STEP_PRODUCTS * shuf_cost_mul(prec));
}

/* Adds a = 0 .. m to m = c+1, all of mass `mass` together, with that rest. */
static void add_row(list_struct *l, ulong m, ulong rest, const arb_t mass)
{
    const shuf_pair_weights_struct *w = l->w;
    const slong prec = l->prec, more = prec + 2 * (slong) FLINT_BIT_COUNT(m) + 16;
    arb_t K, odds, at, outcome, x, y, first, second;
    ulong a;
    arb_init(K); arb_init(odds); arb_init(at); arb_init(outcome); arb_init(x); arb_init(y); arb_init(first); arb_init(second);
    arb_mul(K, w->w2, w->odds, prec);
    arb_mul_ui(K, K, rest, prec);
    arb_div_ui(K, K, m, prec);
    arb_div(odds, w->rho, w->rho_complement, more);
    for (a = 0; a <= m; a++)
    {
        ratio_struct *r = &l->ratio[l->count];
        ulong g;
        next_mass(at, l, m, a, odds, more);
        arb_mul(outcome, at, mass, prec);
        arb_set_ui(x, a);
        arb_div_ui(x, x, m, prec);
        arb_div(x, x, w->rho, prec);
        arb_set_ui(y, m - a);
        arb_div_ui(y, y, m, prec);
        arb_div(y, y, w->rho_complement, prec);
        arb_mul(first, w->w0, x, prec);
        arb_addmul(first, w->w1, y, prec);
        arb_add(first, first, K, prec);
        arb_mul(second, w->w1, x, prec);
        arb_addmul(second, w->w0, y, prec);
        arb_add(second, second, K, prec);
        arb_mul(l->p + l->count, outcome, first, prec);
        arb_mul(l->q + l->count, outcome, second, prec);
        r->rest = arb_is_zero(K) ? 0 : rest;
        g = n_gcd(n_gcd(a, m), r->rest);
        r->a = a / g;
        r->m = m / g;
        r->rest /= g;
        r->index = l->count++;
    }
    arb_clear(K); arb_clear(odds); arb_clear(at); arb_clear(outcome); arb_clear(x); arb_clear(y); arb_clear(first); arb_clear(second);
}

/* The row of c others, or its rows with each rest of a mixture. */
static void add_rows(list_struct *l, ulong others, ulong c)
{
    const shuf_pair_weights_struct *w = l->w;
    ulong number = others - c, rest;
    arb_t mass, t;
    arb_init(mass);
    arb_init(t);
    shuf_binomial_pmf(mass, others, c, w->count, w->count_complement, l->prec);
    arb_mul(mass, mass, w->scale, l->prec);
    if (!w->rest_is_random)
    {
        add_row(l, c + 1, number, mass);
    }
    else
    {
        for (rest = 0; rest <= number; rest++)
        {
            shuf_binomial_pmf(t, number, rest, w->rest, w->rest_complement, l->prec);
            arb_mul(t, t, mass, l->prec);
            add_row(l, c + 1, rest, t);
        }
    }
    arb_clear(mass);
    arb_clear(t);
}

/* Those with one ratio become one. */
static void merge(arb_ptr p, arb_ptr q, list_struct *l)
{
    slong i, count = 0;
    qsort(l->ratio, (size_t) l->count, sizeof(*l->ratio), compare_ratios);
    for (i = 0; i < l->count; i++)
    {
        const ratio_struct *r = &l->ratio[i], *s = i > 0 ? r - 1 : r;
        if (i == 0 || r->a != s->a || r->m != s->m || r->rest != s->rest)
        {
            arb_set(p + count, l->p + r->index);
            arb_set(q + count++, l->q + r->index);
            continue;
        }
        arb_add(p + count - 1, p + count - 1, l->p + r->index, l->prec);
        arb_add(q + count - 1, q + count - 1, l->q + r->index, l->prec);
    }
    l->count = count;
}

slong pair_outcomes(arb_ptr p, arb_ptr q, const shuf_pair_t pair, slong prec)
{
    const ulong others = pair->n - 1;
    slong length = pair_outcome_count(pair, WORD_MAX / 2), i;
    shuf_pair_weights_t w;
    list_struct l = { _arb_vec_init(length), _arb_vec_init(length), flint_malloc((size_t) length * sizeof(ratio_struct)), 0, prec, w };
    ulong c;
    arb_t equal;
    arb_init(equal);
    shuf_pair_weights_init(w);
    shuf_pair_get_weights(w, pair, SHUF_DIRECTION_PQ, prec + 2 * (slong) FLINT_BIT_COUNT(pair->n) + 16);
    if (arb_is_zero(w->count))
        add_rows(&l, others, 0);
    else
        for (c = arb_is_zero(w->count_complement) ? others : 0; c <= others; c++)
            add_rows(&l, others, c);
    merge(p, q, &l);
    arb_one(equal);
    for (i = 0; i < l.count; i++)
        arb_sub(equal, equal, p + i, prec);
    arb_nonnegative_part(equal, equal);
    arb_set(p + l.count, equal);
    arb_set(q + l.count, equal);
    arb_clear(equal);
    shuf_pair_weights_clear(w);
    _arb_vec_clear(l.p, length);
    _arb_vec_clear(l.q, length);
    flint_free(l.ratio);
    return l.count + 1;
}
