/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/local_profile.h"

#include "hockey/hockey.h"

/* exp(x) as a rational; returns 0 if it is none. */
static int rational_exp(fmpq_t q, const shuf_real_t x)
{
    if (x->is_log)
        fmpq_set(q, x->q);
    else
        fmpq_one(q);
    return x->is_log || fmpq_is_zero(x->q);
}

/*
 * Whether m < m* = (E-alpha)/(E+1), that is m (E+1) + alpha < E, 0 <= eps <
 * eps0. Equality needs rational E and alpha (Lemma 5), where the comparison is
 * exact; so the refinement ends.
 */
static int below_largest(const fmpq_t m, const shuf_real_t eps0, const shuf_real_t eps)
{
    fmpq_t E, alpha, q;
    arb_t left, right, t;
    slong prec;
    int less = 0, decided;

    fmpq_init(E); fmpq_init(alpha); fmpq_init(q);
    arb_init(left); arb_init(right); arb_init(t);
    decided = rational_exp(E, eps0);
    decided = rational_exp(alpha, eps) && decided;
    if (decided)
    {
        fmpq_mul(q, m, E);
        fmpq_add(q, q, m);
        fmpq_add(q, q, alpha);
        less = fmpq_cmp(q, E) < 0;
    }
    for (prec = 64; !decided; prec *= 2)
    {
        shuf_real_exp(right, eps0, prec);
        arb_add_ui(left, right, 1, prec);
        arb_set_fmpq(t, m, prec);
        arb_mul(left, left, t, prec);
        shuf_real_exp(t, eps, prec);
        arb_add(left, left, t, prec);
        less = arb_lt(left, right);
        decided = less || arb_gt(left, right);
    }
    fmpq_clear(E); fmpq_clear(alpha); fmpq_clear(q);
    arb_clear(left); arb_clear(right); arb_clear(t);
    return less;
}

/*
 * A pair with dyadic weights whose divergence is at least (above = 1) or at
 * most the bound: w1, r0 and r1 rounded down or up, w0 = 1 - w1 (Lemma 4).
 * Returns 0 if the precision is too low. 0 < m < m*.
 * Coq: LocalProfile.profile_bound_trinomial, ProfileBound.profile_bound_rounded.
 */
static int rounded_pair(shuf_pair_t pair, uint64_t n, const shuf_real_t eps0, const shuf_real_t eps, const fmpq_t m,
                        int above, slong prec)
{
    arb_t E, alpha, profile, w, up, down, t;
    fmpq_t w0, w1, r0, r1;
    int ok;

    arb_init(E); arb_init(alpha); arb_init(profile); arb_init(w); arb_init(up); arb_init(down); arb_init(t);
    fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
    shuf_real_exp(E, eps0, prec);
    shuf_real_exp(alpha, eps, prec);
    arb_set_fmpq(profile, m, prec);

    /* w1 = (1-m)/(1+alpha), c+ = m/(E-alpha), c- = (m+alpha-1)/(alpha E-1) */
    shuf_ball_complement(w, profile, prec);
    arb_add_ui(t, alpha, 1, prec);
    arb_div(w, w, t, prec);
    arb_sub(t, E, alpha, prec);
    arb_div(up, profile, t, prec);
    arb_sub_ui(t, alpha, 1, prec);
    arb_add(down, profile, t, prec);
    arb_mul(t, alpha, E, prec);
    arb_sub_ui(t, t, 1, prec);
    arb_div(down, down, t, prec);

    ok = arb_is_positive(w) && arb_is_positive(up) && arb_is_positive(down);
    if (ok)
    {
        shuf_ball_end(w1, w, !above, prec);
        shuf_ball_end(r0, up, !above, prec);
        shuf_ball_end(r1, down, !above, prec);
        fmpq_sub(w0, shuf_one, w1);
        /* the setter refuses r0 + r1 > 1, and would exchange a and b if w0 < w1 */
        ok = fmpq_cmp(w0, w1) >= 0 && shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1) == 0;
    }
    arb_clear(E); arb_clear(alpha); arb_clear(profile); arb_clear(w); arb_clear(up); arb_clear(down); arb_clear(t);
    fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
    return ok;
}

/* r := from the lower end of `low` to the upper end of `high`, low <= high. */
static void join(shuf_enclosure_t r, const shuf_enclosure_t low, const shuf_enclosure_t high)
{
    shuf_enclosure_set(r, high);
    arf_set(r->lo, low->lo);
    r->ledger.terms += low->ledger.terms;
    if (arf_cmp(low->lo, high->lo) < 0)
    {
        /* between the two lower ends: the rounding of the weights, and low's width */
        arf_t gap;
        mag_t size;
        arf_init(gap);
        mag_init(size);
        arf_sub(gap, high->lo, low->lo, MAG_BITS, ARF_RND_UP);
        arf_get_mag(size, gap);
        mag_add(r->ledger.rounding, r->ledger.rounding, size);
        arf_clear(gap);
        mag_clear(size);
    }
}

/*
 * r := what follows for the bound from the enclosure of `above`: all that is between the two pairs is no further below than the chance
 * that somebody's report tells them apart, 1 + alpha times (proofs/local-profile.md, Lemma 4).
 */
static void from_above(shuf_enclosure_t r, const shuf_enclosure_t high, const shuf_pair_t above, const shuf_pair_t below,
                       const shuf_real_t eps)
{
    const int ordered = fmpq_cmp(above->w1, below->w1) <= 0 && fmpq_cmp(above->r0, below->r0) <= 0 && fmpq_cmp(above->r1, below->r1) <= 0;
    fmpq_t apart, t;
    arb_t x, y;
    arf_t end;
    mag_t size;
    fmpq_init(apart); fmpq_init(t); arb_init(x); arb_init(y); arf_init(end); mag_init(size);
    fmpq_sub(apart, below->r0, above->r0);
    fmpq_sub(t, below->r1, above->r1);
    fmpq_add(apart, apart, t);
    fmpq_mul_ui(apart, apart, above->n - 1);
    fmpq_sub(t, below->w1, above->w1);
    fmpq_add(apart, apart, t);
    shuf_real_exp(x, eps, 64);
    arb_add_ui(x, x, 1, 64);
    arb_set_fmpq(y, apart, 64);
    arb_mul(x, x, y, 64);
    shuf_enclosure_set(r, high);
    arb_get_mag(size, x);
    mag_add(r->ledger.rounding, r->ledger.rounding, size);
    arf_set_mag(end, size);
    arf_sub(r->lo, high->lo, end, 2 * MAG_BITS + 64, ARF_RND_FLOOR);
    if (arf_sgn(r->lo) < 0 || !ordered)
        arf_zero(r->lo);
    shuf_enclosure_settle(r);
    fmpq_clear(apart); fmpq_clear(t); arb_clear(x); arb_clear(y); arf_clear(end); mag_clear(size);
}

#define MAX_BITS 100000 /* steers only */

static void between_rounded_pairs(shuf_enclosure_t r, uint64_t n, const shuf_real_t eps0, const shuf_real_t eps,
                                  const fmpq_t m, const shuf_options *options)
{
    shuf_pair_t pair, below;
    shuf_enclosure_t low, high;
    shuf_options part = *options;
    double limit = shuf_limit(options);
    int attempt = 0;
    ulong terms = 0;
    /* the weights' relative errors count n times, and against m */
    slong bits = (slong) (3.33 * (double) options->digits) + 2 * (slong) FLINT_BIT_COUNT(n) + 64
                 + (slong) fmpz_bits(fmpq_denref(m)) - (slong) fmpz_bits(fmpq_numref(m));

    shuf_pair_init(pair);
    shuf_pair_init(below);
    shuf_enclosure_init(low);
    shuf_enclosure_init(high);
    part.digits++;
    arf_one(r->hi);
    mag_one(r->ledger.truncation);
    r->status = SHUF_ACCURACY;
    for (; bits <= MAX_BITS && attempt < 4; bits *= 2)
    {
        if (shuf_exhausted(limit))
            break;
        if (!rounded_pair(pair, n, eps0, eps, m, 1, bits))
            continue;
        part.max_work = options->max_work / 2;
        shuf_hockey_delta(high, pair, eps, SHUF_DIRECTION_PQ, &part);
        if (attempt == 0 && shuf_exhausted(limit))
        {
            /* the upper end alone */
            arf_set(r->hi, high->hi);
            terms += high->ledger.terms;
            break;
        }
        if (!rounded_pair(below, n, eps0, eps, m, 0, bits))
            continue;
        from_above(r, high, pair, below, eps);
        if (shuf_enclosure_accurate(r, options->digits))
        {
            r->status = SHUF_OK;
            terms += high->ledger.terms;
            break;
        }
        part.max_work = limit > 0 ? FLINT_MAX(limit - shuf_work(), 1) : 0;
        shuf_hockey_delta(low, below, eps, SHUF_DIRECTION_PQ, &part);
        attempt++;
        join(r, low, high);
        terms += r->ledger.terms;
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        if (r->status == SHUF_OK)
            break;
    }
    r->ledger.terms = terms;
    shuf_pair_clear(pair);
    shuf_pair_clear(below);
    shuf_enclosure_clear(low);
    shuf_enclosure_clear(high);
}

/* Coq: LocalProfile.local_profile_min, Countable.local_profile_countable. */
shuf_status shuf_local_profile_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t eps0, const shuf_real_t eps,
                                     const fmpq_t m, const shuf_options *options)
{
    double start = shuf_work();

    shuf_enclosure_zero(r);
    if (n < 1 || n > SHUF_MAX_USERS || shuf_real_sgn(eps0) < 0 || shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0
        || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0 || fmpq_sgn(m) < 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    if (fmpq_is_zero(m) || shuf_real_cmp(eps, eps0) >= 0)
        return r->status;

    if (below_largest(m, eps0, eps))
    {
        between_rounded_pairs(r, n, eps0, eps, m, options);
    }
    else
    {
        shuf_pair_t pair;
        shuf_pair_init(pair);
        shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, n, eps0);
        shuf_hockey_delta(r, pair, eps, SHUF_DIRECTION_PQ, options);
        shuf_pair_clear(pair);
    }
    r->ledger.work = shuf_work() - start;
    return r->status;
}
