/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/estimation.h"

/* Larger ones are refused. */
#define MAX_K UINT64_C(1000000000)
#define MAX_EPS0 1000000

/* Precision at which digits that cannot be reached are given up. Steers only. */
#define MAX_PREC 8192

static int in_range(uint64_t n, uint64_t k, const shuf_real_t eps0)
{
    return n >= 1 && n <= SHUF_MAX_USERS && k >= 2 && k <= MAX_K && shuf_real_sgn(eps0) > 0
        && shuf_real_cmp_si(eps0, MAX_EPS0) <= 0;
}

/* B and b of the Hadamard response, for k and eps0 in these ranges. */
static void hadamard_blocks(uint64_t *blocks, uint64_t *block_size, uint64_t k, const shuf_real_t eps0)
{
    uint64_t B = 1, b = 1;
    fmpq_t q;
    shuf_real_t limit;
    fmpq_init(q);
    shuf_real_init(limit);
    /* B is doubled while 2B < min(E, 2k) */
    for (;; B *= 2)
    {
        fmpq_set_ui(q, 2 * B, 1);
        shuf_real_set_log_fmpq(limit, q);
        if (B >= k || shuf_real_cmp(eps0, limit) <= 0)
            break;
    }
    while (B * (b - 1) < k)
        b *= 2;
    fmpq_clear(q);
    shuf_real_clear(limit);
    *blocks = B;
    *block_size = b;
}

/* n (E-1)^2 error = (k-1) (2E+k-2). Coq: Estimation.krr_error. */
static void krr(arb_t v, uint64_t k, const arb_t E, slong prec)
{
    arb_mul_2exp_si(v, E, 1);
    arb_add_ui(v, v, k - 2, prec);
    arb_mul_ui(v, v, k - 1, prec);
}

/* n (E-1)^2 error = (E+2B-1) (2k + m (E-1)) - (E-1)^2 = (E-1)(2k + (m-1)(E-1)) + 2B (2k + m (E-1)) */
static void hadamard(arb_t v, uint64_t k, uint64_t B, uint64_t b, const arb_t less, slong prec)
{
    uint64_t m = FLINT_MIN(b - 1, k);
    arb_t t;
    arb_init(t);
    arb_mul_ui(v, less, m - 1, prec);
    arb_add_ui(v, v, 2 * k, prec);
    arb_mul(v, v, less, prec);
    arb_mul_ui(t, less, m, prec);
    arb_add_ui(t, t, 2 * k, prec);
    arb_mul_ui(t, t, 2 * B, prec);
    arb_add(v, v, t, prec);
    arb_clear(t);
}

shuf_status shuf_estimation_error(shuf_enclosure_t r, shuf_estimator estimator, uint64_t n, uint64_t k,
                                  const shuf_real_t eps0, const shuf_options *options)
{
    shuf_status status = SHUF_DOMAIN;
    uint64_t B = 1, b = 2;
    slong prec;
    arb_t v, E, less;
    if (!in_range(n, k, eps0))
        return SHUF_DOMAIN;
    if (estimator == SHUF_ESTIMATE_HADAMARD)
        hadamard_blocks(&B, &b, k, eps0);
    arb_init(v);
    arb_init(E);
    arb_init(less);
    for (prec = 64 + 4 * options->digits; status != SHUF_OK && prec < MAX_PREC + 4 * options->digits; prec *= 2)
    {
        shuf_real_exp(E, eps0, prec);
        if (eps0->is_log)
        {
            arb_sub_ui(less, E, 1, prec);
        }
        else
        {
            shuf_real_get_arb(less, eps0, prec);
            arb_expm1(less, less, prec);
        }
        if (estimator == SHUF_ESTIMATE_KRR)
            krr(v, k, E, prec);
        else
            hadamard(v, k, B, b, less, prec);
        arb_div(v, v, less, prec);
        arb_div(v, v, less, prec);
        arb_div_ui(v, v, n, prec);
        if (!arb_is_finite(v))
            continue; /* E - 1 is not yet told from 0 */
        shuf_enclosure_set_arb(r, v, prec);
        status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    if (status != SHUF_DOMAIN)
        r->status = status;
    arb_clear(v);
    arb_clear(E);
    arb_clear(less);
    return status;
}

int shuf_estimation_bits(shuf_estimator estimator, uint64_t k, const shuf_real_t eps0)
{
    uint64_t B, b;
    if (!in_range(1, k, eps0))
        return 0;
    if (estimator == SHUF_ESTIMATE_KRR)
        return (int) FLINT_BIT_COUNT(k - 1);
    hadamard_blocks(&B, &b, k, eps0);
    return (int) FLINT_BIT_COUNT(B * b - 1);
}

shuf_status shuf_feldman21_52_eps0(shuf_enclosure_t r, uint64_t n, const shuf_real_t eps, const shuf_real_t delta,
                                   const shuf_options *options)
{
    shuf_status status = SHUF_DOMAIN;
    slong prec;
    arb_t L, x, v;
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(eps) <= 0 || shuf_real_cmp_si(eps, 1) >= 0 || shuf_real_sgn(delta) <= 0
        || shuf_real_cmp_si(delta, 1) >= 0)
        return SHUF_DOMAIN;
    arb_init(L);
    arb_init(x);
    arb_init(v);
    for (prec = 64 + 4 * options->digits; status != SHUF_OK && prec < MAX_PREC + 4 * options->digits; prec *= 2)
    {
        shuf_real_get_arb(L, delta, prec);
        arb_log(L, L, prec);
        arb_neg(L, L);
        shuf_real_get_arb(x, eps, prec);
        arb_mul(x, x, x, prec);
        arb_mul_ui(x, x, n, prec);
        arb_div(x, x, L, prec); /* eps^2 n/L */
        arb_sub_ui(v, x, 1, prec);
        if (arb_is_nonpositive(v))
        {
            arb_sqrt(v, x, prec);
            arb_mul_2exp_si(v, v, -4);
        }
        else if (arb_is_positive(v))
        {
            arb_div_ui(x, x, 100, prec);
            arb_log(v, x, prec);
        }
        else
        {
            continue; /* the branch is not yet decided */
        }
        shuf_enclosure_set_arb(r, v, prec);
        status = arb_rel_accuracy_bits(v) > 4 * options->digits ? SHUF_OK : SHUF_ACCURACY;
    }
    if (status != SHUF_DOMAIN)
        r->status = status;
    arb_clear(L);
    arb_clear(x);
    arb_clear(v);
    return status;
}
