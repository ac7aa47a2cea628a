/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/gaussian.md. */
#include "shuffle/gaussian.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "iidsum/iidsum.h"
#include "enclosure/inverse.h"
#include "randomiser/line.h"
#include "shuffle/gaussian_tail.h"
#include "shuffle/lognormal.h"

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
    shuf_summand law;
    arb_t mass, mean, none;
    slong working = prec + 128;
    arb_init(mass); arb_init(mean); arb_init(none);
    line_ratio_law_init(&law, sigma, 1, NULL);
    law.tail(mass, mean, &law, c, working);
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

/* Steer only. */
#define CUT_EXPONENT (-64)
#define CUT_BITS 30
#define CUT_RATIO 1.25 /* a cut serves thresholds that are as near to it */

#define GROUP_SHARE 0.5 /* of the work left is for points with one cut, at least: steers only */

#define FIRST_SHARE 0.3 /* of the work left, for lines where that law may follow: steers only */

/* The pair, and the law of lognormal.h: one that is given, or one that is made when it is first of use. */
typedef struct
{
    uint64_t n;
    const shuf_real_struct *sigma;
    const lognormal_sum *law;
    slong digits; /* that may be asked for */
    int is_made;  /* whether own was tried: it is there if law is not NULL */
    lognormal_sum own;
} source_struct;

static void use_law(source_struct *x, double limit)
{
    shuf_options o = { x->digits, 0.0 };
    if (x->law != NULL || x->is_made)
        return;
    shuf_share(&o, limit, 1);
    x->is_made = 1;
    if (lognormal_sum_init(&x->own, x->sigma, x->n, &o) == 0)
        x->law = &x->own;
}

static void source_clear(source_struct *x)
{
    if (x->law == &x->own)
        lognormal_sum_clear(&x->own);
}

/* Several points, in the order of their thresholds, the largest first. */
typedef struct
{
    source_struct *source;
    uint64_t n;
    const shuf_real_struct *sigma, *eps;
    slong *order;
    slong count;
    shuf_direction direction; /* PQ or QP */
    const shuf_real_struct *target; /* NULL, or all that is asked is whether delta is above it or below */
    slong prec;
    arb_ptr K, alpha;         /* in that order */
} points_struct;

static void points_init(points_struct *p)
{
    slong i;
    p->K = _arb_vec_init(p->count);
    p->alpha = _arb_vec_init(p->count);
    for (i = 0; i < p->count; i++)
    {
        shuf_real_exp(p->alpha + i, p->eps + p->order[i], p->prec);
        arb_set_ui(p->K + i, p->n);
        if (p->direction == SHUF_DIRECTION_QP)
            arb_mul(p->K + i, p->K + i, p->alpha + i, p->prec);
        else
            arb_div(p->K + i, p->K + i, p->alpha + i, p->prec);
    }
}

static void points_clear(points_struct *p, slong count)
{
    _arb_vec_clear(p->K, count);
    _arb_vec_clear(p->alpha, count);
}

/* What the excess over point i's threshold is multiplied by. */
static void set_factor(arb_t factor, const points_struct *p, slong i)
{
    if (p->direction == SHUF_DIRECTION_QP)
        arb_one(factor);
    else
        arb_set(factor, p->alpha + i);
    arb_div_ui(factor, factor, p->n, p->prec);
}

/* cut := CUT_BITS above point i's threshold; returns whether the law should end there */
static int cut_at(arf_t cut, const points_struct *p, slong i)
{
    arb_t large;
    int is_cut;
    arb_init(large);
    arb_get_ubound_arf(cut, p->K + i, CUT_BITS);
    some_large(large, p->n, p->sigma, p->K + i, cut, p->prec);
    /* without much beyond it the engine has no use for it and may find a smaller range */
    is_cut = !arb_is_finite(large) || arf_cmpabs_2exp_si(arb_midref(large), CUT_EXPONENT) > 0;
    arb_clear(large);
    return is_cut;
}

/* Whether point i has its threshold at most at the cut, and not far below: a law must not end below a threshold. */
static int near_cut(const points_struct *p, slong i, const arf_t cut)
{
    arf_t least, most;
    int near;
    arf_init(least);
    arf_init(most);
    arf_set_d(least, 1 / CUT_RATIO);
    arf_mul(least, least, cut, CUT_BITS, ARF_RND_UP);
    arb_get_ubound_arf(most, p->K + i, p->prec);
    near = arf_cmp(most, cut) <= 0 && arf_cmp(arb_midref(p->K + i), least) >= 0;
    arf_clear(least);
    arf_clear(most);
    return near;
}

/* r encloses delta(eps) at the points from..to-1, all with that cut (NULL: none). */
static void group_deltas(shuf_enclosure_struct *r, const points_struct *p, slong from, slong to, const arf_struct *cut,
                         const shuf_options *options)
{
    shuf_enclosure_struct *value = flint_malloc((size_t) (to - from) * sizeof(*value));
    arb_ptr K = _arb_vec_init(to - from);
    shuf_summand law;
    arb_t factor, large;
    slong i;
    arb_init(factor);
    arb_init(large);
    line_ratio_law_init(&law, p->sigma, p->direction == SHUF_DIRECTION_QP ? 1 : -1, cut);
    for (i = from; i < to; i++)
    {
        shuf_enclosure_init(value + i - from);
        if (p->direction == SHUF_DIRECTION_QP)
            arb_set(K + i - from, p->K + i);
        else
            arb_neg(K + i - from, p->K + i);
    }
    shuf_iidsum_excesses(value, &law, p->n, K, to - from, options);
    for (i = from; i < to; i++)
    {
        arb_zero(large);
        if (cut != NULL && p->direction == SHUF_DIRECTION_QP)
            some_large(large, p->n, p->sigma, p->K + i, cut, p->prec);
        set_factor(factor, p, i);
        add(value + i - from, large, p->prec);
        scale(value + i - from, factor, p->prec);
        shuf_enclosure_intersect(r + p->order[i], value + i - from);
        shuf_enclosure_clear(value + i - from);
    }
    flint_free(value);
    _arb_vec_clear(K, to - from);
    line_law_clear(&law);
    arb_clear(factor);
    arb_clear(large);
}

#define DECIDED_DIGITS 2 /* so that the search for the root goes on well: steers only */

/* Whether r is certain to be above the target or below. */
static int decides(const shuf_enclosure_t r, const shuf_real_t target, slong prec)
{
    arb_t t, x;
    int decided;
    arb_init(t);
    arb_init(x);
    shuf_real_get_arb(t, target, prec);
    shuf_enclosure_get_arb(x, r, prec);
    decided = !arb_overlaps(x, t);
    arb_clear(t);
    arb_clear(x);
    return decided;
}

/* Whether that will do for a point. */
static int will_do(const shuf_enclosure_t r, const points_struct *p, slong digits)
{
    return shuf_enclosure_accurate(r, digits)
           || (p->target != NULL && shuf_enclosure_accurate(r, FLINT_MIN(digits, DECIDED_DIGITS)) && decides(r, p->target, p->prec));
}

#define DOUBLE_BITS 53 /* of what the law of a sum is kept in: Lemma 5 of lognormal-sums.md */

/* r := what both say, r and [lo, hi] times that factor; `working` bits were used for that. */
static void narrow(shuf_enclosure_t r, const arf_t lo, const arf_t hi, const arb_t factor, slong prec, slong working)
{
    shuf_enclosure_t x;
    arf_t width;
    shuf_enclosure_init(x);
    arf_init(width);
    arf_set(x->lo, lo);
    arf_set(x->hi, hi);
    arf_sub(width, hi, lo, MAG_BITS, ARF_RND_UP);
    arf_get_mag(x->ledger.truncation, width);
    x->ledger.precision = working;
    scale(x, factor, prec);
    shuf_enclosure_intersect(r, x);
    arf_clear(width);
    shuf_enclosure_clear(x);
}

/* What is known of point i if one large term is all that counts (QP). */
static void by_tail(shuf_enclosure_t r, const points_struct *p, slong i)
{
    arf_t lo, hi;
    arb_t factor;
    if (p->direction != SHUF_DIRECTION_QP)
        return;
    arf_init(lo); arf_init(hi);
    arb_init(factor);
    set_factor(factor, p, i);
    if (gaussian_tail(lo, hi, p->n, p->sigma, p->K + i, p->prec))
        narrow(r, lo, hi, factor, p->prec, p->prec);
    arf_clear(lo); arf_clear(hi);
    arb_clear(factor);
}

/* And by the law of lognormal.h. */
static void by_law(shuf_enclosure_t r, const points_struct *p, slong i)
{
    arf_t lo, hi;
    arb_t v, factor;
    arf_init(lo); arf_init(hi);
    arb_init(v);
    arb_init(factor);
    lognormal_sum_excess(v, p->source->law, p->K + i, p->direction == SHUF_DIRECTION_PQ);
    arb_get_interval_arf(lo, hi, v, p->prec);
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    set_factor(factor, p, i);
    narrow(r, lo, hi, factor, p->prec, DOUBLE_BITS);
    arf_clear(lo); arf_clear(hi);
    arb_clear(v);
    arb_clear(factor);
}

/* Points that are known well enough are left out; what is known of the others is kept in r. */
static void keep_others(points_struct *p, shuf_enclosure_struct *r, slong digits)
{
    slong i, left = 0;
    for (i = 0; i < p->count; i++)
    {
        if (will_do(&r[p->order[i]], p, digits))
            continue;
        p->order[left] = p->order[i];
        arb_swap(p->K + left, p->K + i);
        arb_swap(p->alpha + left, p->alpha + i);
        left++;
    }
    p->count = left;
}

/* All points by the law, if there is one; what it does not do for is left. */
static void all_by_law(points_struct *p, shuf_enclosure_struct *r, slong digits)
{
    slong i;
    for (i = 0; i < p->count && p->source->law != NULL; i++)
        by_law(&r[p->order[i]], p, i);
    keep_others(p, r, digits);
}

static void by_transform(shuf_enclosure_struct *r, const points_struct *p, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    slong from, to;
    arf_t cut, own;
    arf_init(cut);
    arf_init(own);
    for (from = 0; from < p->count; from = to)
    {
        int is_cut = cut_at(cut, p, from);
        for (to = from + 1; to < p->count && (!is_cut || near_cut(p, to, cut)) && cut_at(own, p, to) == is_cut; to++)
            ;
        shuf_share(&o, limit, fmax((double) (to - from) / (double) (p->count - from), GROUP_SHARE));
        group_deltas(r, p, from, to, is_cut ? cut : NULL, &o);
    }
    arf_clear(cut);
    arf_clear(own);
}

/*
 * r[order[i]] encloses delta(eps[order[i]]) for n >= 2 in one direction, 0 <= i < count; the largest eps is the first.
 * singly: each is worth work of its own; else they may be thousands of nodes.
 */
static void sum_deltas(shuf_enclosure_struct *r, source_struct *x, const shuf_real_struct *eps, const slong *order, slong count,
                       shuf_direction direction, int singly, const shuf_real_struct *target, const shuf_options *options)
{
    slong *falling = flint_malloc((size_t) count * sizeof(slong)), i;
    points_struct p = { x, x->n, x->sigma, eps, falling, count, direction, target, 4 * options->digits + 96, NULL, NULL };
    double limit = shuf_limit(options);
    shuf_options o = *options;
    /* n e^eps, or n e^-eps */
    for (i = 0; i < count; i++)
    {
        falling[i] = order[direction == SHUF_DIRECTION_QP ? i : count - 1 - i];
        shuf_enclosure_zero(&r[falling[i]]);
        arf_one(r[falling[i]].hi);
        mag_one(r[falling[i]].ledger.truncation);
    }
    points_init(&p);
    for (i = 0; i < p.count && singly; i++)
        by_tail(&r[p.order[i]], &p, i);
    keep_others(&p, r, options->digits);
    if (singly && p.count > 0 && x->n <= LOGNORMAL_FEW) /* for more only where no line of the transform does */
        use_law(x, limit);
    all_by_law(&p, r, options->digits);
    if (!singly && x->law != NULL)
        p.count = 0;
    if (singly && p.count > 0 && !x->is_made && lognormal_sum_exists(x->sigma, x->n, x->digits))
    {
        shuf_share(&o, limit, FIRST_SHARE);
        by_transform(r, &p, &o);
        keep_others(&p, r, options->digits);
        if (p.count > 0)
            use_law(x, limit);
        all_by_law(&p, r, options->digits);
    }
    shuf_share(&o, limit, 1);
    by_transform(r, &p, &o);
    points_clear(&p, count);
    flint_free(falling);
}

/* r[i] encloses delta at one user, who has delta at most; the points that are none have SHUF_DOMAIN. Returns the others. */
static slong one_user(shuf_enclosure_struct *r, slong *order, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                      slong count, slong prec)
{
    shuf_randomiser_t randomiser;
    slong i, j, used = 0;
    arb_t m;
    shuf_randomiser_init(randomiser);
    arb_init(m);
    randomiser->kind = SHUF_RANDOMISER_GAUSSIAN;
    shuf_real_set(randomiser->scale, sigma);
    /* points that rise are sorted as they come */
    for (i = count - 1; i >= 0; i--)
    {
        shuf_enclosure_zero(r + i);
        if (!valid(n, sigma) || shuf_real_sgn(eps + i) < 0 || shuf_real_cmp_si(eps + i, SHUF_MAX_EPSILON) > 0)
        {
            arf_one(r[i].hi);
            mag_one(r[i].ledger.truncation);
            r[i].status = SHUF_DOMAIN;
            continue;
        }
        shuf_randomiser_profile(m, randomiser, eps + i, prec);
        shuf_enclosure_set_arb(r + i, m, prec);
        if (arf_cmp_si(r[i].hi, 1) > 0)
            arf_one(r[i].hi);
        for (j = used++; j > 0 && shuf_real_cmp(eps + order[j - 1], eps + i) < 0; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    shuf_randomiser_clear(randomiser);
    arb_clear(m);
    return used;
}

shuf_status shuf_gaussian_delta(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    return shuf_gaussian_deltas(r, n, sigma, eps, 1, direction, options);
}

static shuf_status all_deltas(shuf_enclosure_struct *r, source_struct *source, const shuf_real_struct *eps, slong count,
                              shuf_direction direction, int singly, const shuf_real_struct *target, const shuf_options *options)
{
    const uint64_t n = source->n;
    double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    shuf_enclosure_struct *one = flint_malloc((size_t) count * sizeof(*one)), *other = flint_malloc((size_t) count * sizeof(*other));
    slong *order = flint_malloc((size_t) count * sizeof(slong)), used, i;

    for (i = 0; i < count; i++)
    {
        shuf_enclosure_init(one + i);
        shuf_enclosure_init(other + i);
    }
    used = one_user(one, order, n, source->sigma, eps, count, 4 * options->digits + 32);
    for (i = 0; i < count; i++)
        shuf_enclosure_set(r + i, one + i);
    if (n > 1 && direction == SHUF_DIRECTION_BOTH)
    {
        shuf_share(&o, limit, 0.5);
        sum_deltas(r, source, eps, order, used, SHUF_DIRECTION_PQ, singly, target, &o);
        shuf_share(&o, limit, 1);
        sum_deltas(other, source, eps, order, used, SHUF_DIRECTION_QP, singly, target, &o);
    }
    else if (n > 1)
    {
        sum_deltas(r, source, eps, order, used, direction, singly, target, options);
    }
    for (i = 0; i < used; i++)
    {
        shuf_enclosure_struct *x = r + order[i];
        if (n > 1 && direction == SHUF_DIRECTION_BOTH)
            shuf_enclosure_max(x, x, other + order[i]);
        if (arf_cmp(x->lo, one[order[i]].hi) > 0)
            flint_throw(FLINT_ERROR, "two bounds of a divergence do not meet\n");
        arf_min(x->hi, x->hi, one[order[i]].hi); /* the other users' reports are independent of the data */
        x->status = shuf_enclosure_accurate(x, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        x->ledger.work = shuf_work() - start;
    }
    for (i = 0; i < count; i++)
    {
        if (status == SHUF_OK)
            status = r[i].status;
        shuf_enclosure_clear(one + i);
        shuf_enclosure_clear(other + i);
    }
    flint_free(one);
    flint_free(other);
    flint_free(order);
    return status;
}

shuf_status shuf_gaussian_deltas(shuf_enclosure_struct *r, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                                 slong count, shuf_direction direction, const shuf_options *options)
{
    source_struct x = { .n = n, .sigma = sigma, .digits = options->digits };
    shuf_status status = all_deltas(r, &x, eps, count, direction, 1, NULL, options);
    source_clear(&x);
    return status;
}

shuf_status shuf_gaussian_nodes(shuf_enclosure_struct *r, uint64_t n, const shuf_real_t sigma, const shuf_real_struct *eps,
                                slong count, shuf_direction direction, const lognormal_sum *law, const shuf_options *options)
{
    source_struct x = { .n = n, .sigma = sigma, .law = law, .digits = options->digits };
    return all_deltas(r, &x, eps, count, direction, 0, NULL, options);
}

typedef struct
{
    source_struct *source;
    const shuf_real_struct *delta;
    shuf_direction direction;
} gaussian_struct;

static shuf_status delta_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    const gaussian_struct *g = data;
    return all_deltas(r, g->source, eps, 1, g->direction, 1, g->delta, options);
}

/* log Pr[N(0, 1) > z], about */
static double log_normal_tail(double z)
{
    return z < 30 ? d_log(d_erfc(z / sqrt(2)) / 2) : -z * z / 2 - d_log(z * sqrt(2 * 3.14159265358979));
}

/* log E(Z - z)_+ for a standard normal Z, about; z >= 0 */
static double log_normal_excess(double z)
{
    return z < 5 ? d_log(d_exp(-z * z / 2) / sqrt(2 * 3.14159265358979) - z * d_erfc(z / sqrt(2)) / 2)
                 : -z * z / 2 - d_log(sqrt(2 * 3.14159265358979) * (z * z + 3));
}

/* Of the normal law that S/n nears, or of one large term. */
double shuf_gaussian_log_estimate(uint64_t users, const shuf_real_t sigma, double eps, shuf_direction direction)
{
    double n = (double) users, a, deviation, beyond, single = -HUGE_VAL;
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, sigma, 64);
    a = 1 / arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    eps = fmin(eps, 700);
    beyond = d_expm1(eps);
    deviation = sqrt(d_expm1(fmin(a * a, 700)) / n);
    if (direction != SHUF_DIRECTION_PQ)
        single = log_normal_tail((d_log1p(n * beyond) + a * a / 2) / a - a) - d_log(n);
    else
        deviation *= d_exp(eps);
    return fmin(fmax(d_log(deviation) + log_normal_excess(beyond / deviation), single), 0);
}

static double log_estimate(double eps, const void *data)
{
    const gaussian_struct *g = data;
    return shuf_gaussian_log_estimate(g->source->n, g->source->sigma, eps, g->direction);
}

shuf_status shuf_gaussian_epsilon(shuf_enclosure_t r, uint64_t n, const shuf_real_t sigma, const shuf_real_t delta,
                                  shuf_direction direction, const shuf_options *options)
{
    source_struct x = { .n = n, .sigma = sigma, .digits = options->digits };
    const gaussian_struct g = { &x, delta, direction };
    const inverse_problem p = { delta_at, &g, NULL, SHUF_MAX_EPSILON, log_estimate, 0 };
    if (!valid(n, sigma))
    {
        shuf_enclosure_zero(r);
        arf_pos_inf(r->hi);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    inverse_find(r, &p, delta, options);
    source_clear(&x);
    return r->status;
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_gaussian_delta(r, self->pair->n, self->pair->sigma, eps, direction, options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return shuf_gaussian_epsilon(r, self->pair->n, self->pair->sigma, delta, direction, options);
}

void shuf_gaussian_law(shuf_law_t law, const shuf_pair_t pair)
{
    shuf_law_set_pair(law, pair);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
}
