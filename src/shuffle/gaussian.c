/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/gaussian.md. */
#include "shuffle/gaussian.h"

#include "iidsum/iidsum.h"
#include "enclosure/inverse.h"
#include "randomiser/line.h"

static int valid(uint64_t n, const shuf_real_t sigma)
{
    shuf_real_t smallest;
    int result;
    shuf_real_init(smallest);
    fmpq_set_si(smallest->q, 1, 1000);
    result = n >= 1 && n <= SHUF_MAX_USERS && shuf_real_cmp(sigma, smallest) >= 0 && shuf_real_cmp_si(sigma, 1000000) <= 0;
    shuf_real_clear(smallest);
    return result;
}

/* Cuts r to what is at most bound. */
static void cap(shuf_enclosure_t r, const arf_t bound)
{
    if (arf_cmp(r->hi, bound) > 0)
        arf_set(r->hi, bound);
    if (arf_cmp(r->lo, r->hi) > 0)
        arf_set(r->lo, r->hi);
}

/* r := factor r, factor > 0 */
static void scale(shuf_enclosure_t r, const arb_t factor, slong prec)
{
    arf_t low, high, t;
    mag_t size;
    arf_init(low); arf_init(high); arf_init(t);
    mag_init(size);
    arb_get_lbound_arf(low, factor, prec);
    arb_get_ubound_arf(high, factor, prec);
    arf_get_mag(size, high);
    mag_mul(r->ledger.truncation, r->ledger.truncation, size);
    mag_mul(r->ledger.discretisation, r->ledger.discretisation, size);
    mag_mul(r->ledger.aliasing, r->ledger.aliasing, size);
    mag_mul(r->ledger.rounding, r->ledger.rounding, size);
    /* the factor's width, and two roundings of at most hi 2^(1-prec) each */
    arf_sub(t, high, low, MAG_BITS, ARF_RND_UP);
    arf_mul(t, t, r->hi, MAG_BITS, ARF_RND_UP);
    arf_get_mag(size, t);
    mag_add(r->ledger.rounding, r->ledger.rounding, size);
    arf_mul(r->lo, r->lo, low, prec, ARF_RND_DOWN);
    arf_mul(r->hi, r->hi, high, prec, ARF_RND_UP);
    arf_get_mag(size, r->hi);
    mag_mul_2exp_si(size, size, 2 - prec);
    mag_add(r->ledger.rounding, r->ledger.rounding, size);
    arf_clear(low); arf_clear(high); arf_clear(t);
    mag_clear(size);
}

/* r := r + x, x >= 0 */
static void add(shuf_enclosure_t r, const arb_t x, slong prec)
{
    arf_t low, high;
    mag_t size;
    arf_init(low); arf_init(high);
    mag_init(size);
    arb_get_lbound_arf(low, x, prec);
    arb_get_ubound_arf(high, x, prec);
    arf_add(r->lo, r->lo, low, prec, ARF_RND_DOWN);
    arf_add(r->hi, r->hi, high, prec, ARF_RND_UP);
    arf_sub(low, high, low, MAG_BITS, ARF_RND_UP);
    arf_get_mag(size, low);
    mag_add(r->ledger.rounding, r->ledger.rounding, size);
    arf_get_mag(size, r->hi);
    mag_mul_2exp_si(size, size, 2 - prec);
    mag_add(r->ledger.rounding, r->ledger.rounding, size);
    arf_clear(low); arf_clear(high);
    mag_clear(size);
}

/* x := E(L_1 + ... + L_n - K; some L_i >= c), K <= c (Lemma 2) */
static void some_large(arb_t x, uint64_t n, const shuf_real_t sigma, const arb_t K, const arf_t c, slong prec)
{
    shuf_law law;
    arb_t mass, mean, none;
    slong working = prec + 128;
    arb_init(mass); arb_init(mean); arb_init(none);
    line_ratio_law_init(&law, sigma, 1, NULL);
    law.tail(mass, mean, &law, c, 1, working);
    arb_addmul_arf(mean, mass, c, working); /* E(L; L >= c) */
    arb_neg(none, mass);
    arb_log1p(none, none, working);
    arb_neg(mean, mean);
    if (arf_cmp_d(arb_midref(mean), -0.5) > 0)
    {
        arb_log1p(mean, mean, working);
        arb_addmul_ui(mean, none, n - 1, working);
        arb_expm1(mean, mean, working);
    }
    else
    {
        /* log(1 + mean) may be out of reach, and nothing cancels */
        arb_add_ui(mean, mean, 1, working);
        arb_mul_ui(mass, none, n - 1, working);
        arb_exp(mass, mass, working);
        arb_mul(mean, mean, mass, working);
        arb_sub_ui(mean, mean, 1, working);
    }
    arb_mul_ui(mean, mean, n, working); /* -E(S; some) */
    arb_mul_ui(none, none, n, working);
    arb_expm1(none, none, working);     /* -Pr[some] */
    arb_mul(x, K, none, working);
    arb_sub(x, x, mean, prec);
    if (arb_is_finite(x) && !arb_is_nonnegative(x))
    {
        /* it is >= 0 */
        arb_get_ubound_arf(arb_midref(mass), x, prec);
        mag_zero(arb_radref(mass));
        arb_zero(x);
        arb_union(x, x, mass, prec);
    }
    line_law_clear(&law);
    arb_clear(mass); arb_clear(mean); arb_clear(none);
}

#define CUT_EXPONENT (-64)

/* r encloses delta(eps) for n >= 2 in one direction. */
static void sum_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t eps,
                      shuf_direction direction, const shuf_options *options)
{
    slong prec = 4 * options->digits + 64;
    shuf_law law;
    arb_t K, factor, large;
    arf_t c;
    int cut;
    arb_init(K); arb_init(factor); arb_init(large);
    arf_init(c);
    shuf_real_exp(factor, eps, prec);
    arb_set_ui(K, n);
    if (direction == SHUF_DIRECTION_QP)
        arb_mul(K, K, factor, prec);
    else
        arb_div(K, K, factor, prec);
    arb_get_ubound_arf(c, K, 30);
    some_large(large, n, sigma, K, c, prec);
    /* without much beyond c the engine has no use for it and may find a smaller range */
    cut = !arb_is_finite(large) || arf_cmpabs_2exp_si(arb_midref(large), CUT_EXPONENT) > 0;
    line_ratio_law_init(&law, sigma, direction == SHUF_DIRECTION_QP ? 1 : -1, cut ? c : NULL);
    if (direction == SHUF_DIRECTION_QP)
        arb_one(factor);
    else
        arb_neg(K, K);
    if (!cut || direction == SHUF_DIRECTION_PQ)
        arb_zero(large);
    arb_div_ui(factor, factor, n, prec);
    shuf_iidsum_excess(r, &law, n, K, options);
    add(r, large, prec);
    scale(r, factor, prec);
    line_law_clear(&law);
    arb_clear(K); arb_clear(factor); arb_clear(large);
    arf_clear(c);
}

shuf_status shuf_gaussian_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    double start = shuf_work();
    slong prec = 4 * options->digits + 32;
    shuf_enclosure_t one_user;
    shuf_randomiser_t randomiser;
    arb_t m;

    shuf_enclosure_zero(r);
    if (!valid(n, sigma) || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    shuf_enclosure_init(one_user);
    shuf_randomiser_init(randomiser);
    arb_init(m);
    randomiser->kind = SHUF_RANDOMISER_GAUSSIAN;
    shuf_real_set(randomiser->scale, sigma);
    line_profile(m, randomiser, eps, prec);
    shuf_enclosure_set_arb(one_user, m, prec);
    arb_one(m);
    cap(one_user, arb_midref(m));
    if (n == 1)
    {
        shuf_enclosure_set(r, one_user);
    }
    else if (direction == SHUF_DIRECTION_BOTH)
    {
        double limit = shuf_limit(options);
        shuf_options o = *options;
        shuf_enclosure_t other;
        shuf_enclosure_init(other);
        shuf_share(&o, limit, 0.5);
        sum_delta(r, n, sigma, eps, SHUF_DIRECTION_PQ, &o);
        shuf_share(&o, limit, 1);
        sum_delta(other, n, sigma, eps, SHUF_DIRECTION_QP, &o);
        shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
    }
    else
    {
        sum_delta(r, n, sigma, eps, direction, options);
    }
    cap(r, one_user->hi); /* the other users' reports are independent of the data */
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    shuf_enclosure_clear(one_user);
    shuf_randomiser_clear(randomiser);
    arb_clear(m);
    return r->status;
}

shuf_status shuf_gaussian_deltas(shuf_enclosure_struct *r, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                                 slong count, shuf_direction direction, const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK, next;
    slong i;
    for (i = 0; i < count; i++)
    {
        shuf_share(&o, limit, 1 / (double) (count - i));
        next = shuf_gaussian_delta(r + i, n, sigma, eps + i, direction, &o);
        if (status == SHUF_OK)
            status = next;
    }
    return status;
}

typedef struct
{
    uint64_t n;
    const shuf_real_struct *sigma;
    shuf_direction direction;
} gaussian_struct;

static shuf_status delta_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const gaussian_struct *g = data;
    return shuf_gaussian_delta(r, g->n, g->sigma, eps, g->direction, options);
}

shuf_status shuf_gaussian_epsilon(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t delta,
                                  shuf_direction direction, const shuf_options *options)
{
    gaussian_struct g = { n, sigma, direction };
    const inverse_problem p = { delta_at, &g, NULL, SHUF_MAX_EPSILON, NULL };
    if (!valid(n, sigma))
    {
        shuf_enclosure_zero(r);
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    return inverse_find(r, &p, delta, options);
}
