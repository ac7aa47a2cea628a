/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/losses.h"

/* Bits in which sums of losses are compared first. Steers only. */
#define PREC 192

/* Longest product of powers that is worked out, in bits. Steers only. */
#define EXACT_BITS 1e6

/*
 * total := the sum of the largest losses of all rounds. Returns 0 if that is
 * neither a rational number nor the logarithm of one of moderate size.
 */
static int total_loss(shuf_real_t total, const shuf_pld_part *parts, size_t count)
{
    shuf_real_t loss;
    fmpq_t sum, product, t;
    double bits = 0;
    size_t k;
    int exact;

    shuf_real_init(loss); fmpq_init(sum); fmpq_init(product); fmpq_init(t);
    fmpq_one(product);
    for (k = 0; k < count; k++)
    {
        parts[k].law->max_loss(loss, parts[k].law);
        if (!loss->is_log)
        {
            fmpz_set_ui(fmpq_numref(t), parts[k].rounds);
            fmpz_one(fmpq_denref(t));
            fmpq_mul(t, t, loss->q);
            fmpq_add(sum, sum, t);
            continue;
        }
        bits += (double) parts[k].rounds * (double) (fmpz_bits(fmpq_numref(loss->q)) + fmpz_bits(fmpq_denref(loss->q)));
        if (bits > EXACT_BITS)
            break;
        fmpq_pow_si(t, loss->q, (slong) parts[k].rounds);
        fmpq_mul(product, product, t);
    }
    exact = k == count && (fmpq_is_zero(sum) || fmpq_is_one(product));
    if (fmpq_is_zero(sum))
        shuf_real_set_log_fmpq(total, product);
    else
        shuf_real_set_fmpq(total, sum);
    shuf_real_clear(loss); fmpq_clear(sum); fmpq_clear(product); fmpq_clear(t);
    return exact;
}

/* The same as a ball. Returns 0 if some loss is not known. */
static int total_ball(arb_t sum, const shuf_pld_part *parts, size_t count)
{
    shuf_real_t loss;
    arb_t t;
    size_t k;
    int known = 1;
    shuf_real_init(loss);
    arb_init(t);
    arb_zero(sum);
    for (k = 0; k < count && known; k++)
    {
        known = parts[k].law->max_loss != NULL && parts[k].law->max_loss(loss, parts[k].law);
        shuf_real_get_arb(t, loss, PREC);
        arb_addmul_ui(sum, t, parts[k].rounds, PREC);
    }
    shuf_real_clear(loss);
    arb_clear(t);
    return known;
}

int pld_compare_losses(const shuf_pld_part *parts, size_t count, const shuf_real_t eps)
{
    shuf_real_t loss;
    arb_t sum, t;
    int known, sign;

    shuf_real_init(loss); arb_init(sum); arb_init(t);
    known = total_ball(sum, parts, count);
    shuf_real_get_arb(t, eps, PREC);
    sign = known && arb_gt(t, sum) ? 1 : -1;
    if (known && arb_overlaps(t, sum) && total_loss(loss, parts, count))
        sign = shuf_real_cmp(eps, loss);
    shuf_real_clear(loss); arb_clear(sum); arb_clear(t);
    return sign;
}

int pld_bound_losses(shuf_real_t bound, const shuf_pld_part *parts, size_t count)
{
    arb_t sum;
    arf_t end;
    int known;
    arb_init(sum);
    arf_init(end);
    known = total_ball(sum, parts, count) && arb_is_finite(sum);
    if (known && !total_loss(bound, parts, count))
    {
        arb_get_ubound_arf(end, sum, PREC);
        shuf_real_set_arf(bound, end);
    }
    arb_clear(sum);
    arf_clear(end);
    return known;
}

/* 1 - prod (1 - t_k)^T_k, t_k the infinite mass of round k, from below: proofs/pld.md. */
static void infinite_mass(arf_t mass, const shuf_pld_part *parts, size_t count, shuf_direction direction)
{
    arb_t sum, t;
    size_t k;
    int whole = 0;
    arb_init(sum);
    arb_init(t);
    for (k = 0; k < count && !whole; k++)
    {
        parts[k].law->infinite(mass, parts[k].law, direction);
        whole = arf_cmp_si(mass, 1) >= 0;
        arb_set_arf(t, mass);
        arb_neg(t, t);
        arb_log1p(t, t, PREC);
        arb_mul_ui(t, t, parts[k].rounds, PREC);
        arb_add(sum, sum, t, PREC);
    }
    arb_expm1(sum, sum, PREC);
    arb_neg(sum, sum);
    if (whole)
        arf_one(mass);
    else
        arb_get_lbound_arf(mass, sum, PREC);
    arb_clear(sum);
    arb_clear(t);
}

int pld_is_infinite(const shuf_pld_part *parts, size_t count, const shuf_real_t delta, shuf_direction direction)
{
    static const shuf_direction both[2] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    arf_t mass;
    int result = 0, i;
    arf_init(mass);
    for (i = 0; i < 2 && !result; i++)
    {
        if (direction != SHUF_DIRECTION_BOTH && direction != both[i])
            continue;
        infinite_mass(mass, parts, count, both[i]);
        result = shuf_real_cmp_arf(delta, mass) < 0;
    }
    arf_clear(mass);
    return result;
}
