/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/finite.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/inverse.h"
#include "enclosure/steer.h"
#include "pld/losses.h"

/* Most outcomes of a round, rounds, parts, and multisets of outcomes that a value may take; and each of many values. Where no lemma is named: steer only. */
#define MAX_OUTCOMES 6000
#define MAX_ROUNDS 100000 /* of sums of losses: proofs/pld.md, Lemma 1 */
#define MAX_PARTS 100
#define MAX_VISITS 200000
#define MAX_VISITS_OF_MANY 20000

/* Units of work to count a multiset; multiplications in one that is summed, and in an outcome of a law. Steer only. */
#define COUNT_WORK 30.0
#define PRODUCTS 12.0
#define OUTCOME_PRODUCTS 60.0

/* Above the rounding of a sum of losses in doubles, relative to the largest there may be: MAX_ROUNDS roundings (Lemma 1). */
#define SLACK 1e-10

/* No loss is known worse than this, relative to 1 + its modulus (Lemma 1). */
#define LOSS_ERROR 1e-13

/* The law of one round, and how many rounds have it. By falling loss, nearly: */
typedef struct
{
    const shuf_law_struct *law;
    uint64_t rounds;
    slong count;
    arb_ptr p, q;         /* masses */
    arb_ptr P, Q;         /* P[i] is the sum of the p[j], j < i */
    double *loss;         /* log(p/q), about */
    double *least, *most; /* no loss up to here is below `least`, none from here on is above `most` */
} law_struct;

typedef struct
{
    law_struct *law;
    size_t laws;
    int reversed;   /* Q against P */
    slong prec;     /* of the laws; 0: not set */
    int ok;         /* their losses are known */
    double largest; /* sum of the moduli of all finite losses that there may be */
    double error;   /* of a sum of losses, from what is not known of each */
} product_struct;

/* ---- the laws ---- */

static void law_clear(law_struct *x)
{
    _arb_vec_clear(x->p, x->count);
    _arb_vec_clear(x->q, x->count);
    _arb_vec_clear(x->P, x->count + 1);
    _arb_vec_clear(x->Q, x->count + 1);
    flint_free(x->loss);
    flint_free(x->least);
    flint_free(x->most);
}

/* An outcome that P has. */
typedef struct
{
    slong index;
    double lo, hi; /* of its loss */
} outcome_struct;

static int by_falling_loss(const void *x, const void *y)
{
    const outcome_struct *a = x, *b = y;
    double u = a->lo + a->hi, v = b->lo + b->hi;
    return u > v ? -1 : u < v ? 1 : a->index < b->index ? -1 : a->index > b->index;
}

/* Returns 0 when the loss is not known well enough. */
static int set_loss(outcome_struct *o, const arb_t p, const arb_t q)
{
    arb_t t;
    o->lo = o->hi = HUGE_VAL;
    if (arb_is_zero(q))
        return 1;
    arb_init(t);
    arb_div(t, p, q, 128);
    arb_log(t, t, 128);
    o->lo = shuf_ball_end_d(t, 0);
    o->hi = shuf_ball_end_d(t, 1);
    arb_clear(t);
    return isfinite(o->lo) && isfinite(o->hi) && o->hi - o->lo <= LOSS_ERROR * (1 + fabs(o->lo));
}

/* The outcomes of masses p and q, in the order of their losses, and their sums. Returns 0 as set_loss. */
static int law_sort(law_struct *x, arb_ptr p, arb_ptr q, slong outcomes, slong prec)
{
    outcome_struct *o = flint_malloc((size_t) outcomes * sizeof(*o));
    slong i;
    int ok = 1;
    x->count = 0;
    for (i = 0; i < outcomes; i++)
    {
        if (arb_is_zero(p + i))
            continue;
        o[x->count].index = i;
        o[x->count].lo = o[x->count].hi = 0;
        /* the last one is that of P = Q */
        if (i + 1 < outcomes)
            ok = set_loss(&o[x->count], p + i, q + i) && ok;
        x->count++;
    }
    qsort(o, (size_t) x->count, sizeof(*o), by_falling_loss);
    x->p = _arb_vec_init(x->count);
    x->q = _arb_vec_init(x->count);
    x->P = _arb_vec_init(x->count + 1);
    x->Q = _arb_vec_init(x->count + 1);
    x->loss = flint_malloc((size_t) x->count * sizeof(double));
    x->least = flint_malloc((size_t) x->count * sizeof(double));
    x->most = flint_malloc((size_t) x->count * sizeof(double));
    for (i = 0; i < x->count; i++)
    {
        arb_swap(x->p + i, p + o[i].index);
        arb_swap(x->q + i, q + o[i].index);
        arb_add(x->P + i + 1, x->P + i, x->p + i, prec);
        arb_add(x->Q + i + 1, x->Q + i, x->q + i, prec);
        x->loss[i] = o[i].lo / 2 + o[i].hi / 2;
        x->least[i] = i > 0 ? fmin(o[i].lo, x->least[i - 1]) : o[i].lo;
    }
    for (i = x->count - 1; i >= 0; i--)
        x->most[i] = i + 1 < x->count ? fmax(o[i].hi, x->most[i + 1]) : o[i].hi;
    flint_free(o);
    return ok;
}

static void product_clear_laws(product_struct *x)
{
    size_t k;
    for (k = 0; k < x->laws && x->prec > 0; k++)
        law_clear(&x->law[k]);
    x->prec = 0;
}

/* The laws in this precision, if they are not known in it or a higher one. Returns 0 when it is too low to tell the losses. */
static int product_set_laws(product_struct *x, slong prec)
{
    size_t k;
    slong i;
    if (x->prec >= prec)
        return x->ok;
    product_clear_laws(x);
    x->ok = 1;
    x->prec = prec;
    x->largest = x->error = 0;
    for (k = 0; k < x->laws; k++)
    {
        law_struct *law = &x->law[k];
        slong outcomes = law->law->outcomes(NULL, NULL, law->law, MAX_OUTCOMES, prec);
        arb_ptr p = _arb_vec_init(outcomes), q = _arb_vec_init(outcomes);
        double most = 0;
        slong found = law->law->outcomes(p, q, law->law, MAX_OUTCOMES, prec);
        x->ok = law_sort(law, x->reversed ? q : p, x->reversed ? p : q, found, prec) && x->ok;
        shuf_charge(OUTCOME_PRODUCTS * shuf_cost_mul(prec) * (double) outcomes);
        _arb_vec_clear(p, outcomes);
        _arb_vec_clear(q, outcomes);
        for (i = 0; i < law->count; i++)
            if (isfinite(law->loss[i]))
                most = fmax(most, fabs(law->loss[i]));
        x->largest += (double) law->rounds * most;
        x->error += (double) law->rounds * LOSS_ERROR * (1 + most);
    }
    return x->ok;
}

static int most_outcomes_last(const void *x, const void *y)
{
    const law_struct *a = x, *b = y;
    return a->count < b->count ? -1 : a->count > b->count;
}

/* Those with one profile as one. Returns 0 when some part has too many outcomes, or none to show, or there are too many parts. */
static int product_init(product_struct *x, const shuf_pld_part *parts, size_t count, int reversed)
{
    double rounds = 0;
    size_t j, k;
    int ok = count <= MAX_PARTS;
    x->law = flint_calloc(FLINT_MIN(count, MAX_PARTS), sizeof(*x->law));
    x->laws = 0;
    x->reversed = reversed;
    x->prec = 0;
    x->largest = x->error = 0;
    for (k = 0; k < count && ok; k++)
    {
        for (j = 0; j < x->laws && !shuf_law_equal(x->law[j].law, parts[k].law); j++)
            ;
        x->law[j].law = parts[k].law;
        x->law[j].rounds += parts[k].rounds;
        x->laws += j == x->laws;
        rounds += (double) parts[k].rounds;
        /* for the order only */
        ok = rounds <= MAX_ROUNDS && parts[k].law->outcomes != NULL
             && (x->law[j].count = parts[k].law->outcomes(NULL, NULL, parts[k].law, MAX_OUTCOMES, 0)) > 0;
    }
    if (ok)
        qsort(x->law, x->laws, sizeof(*x->law), most_outcomes_last);
    return ok;
}

/* ---- multisets ---- */

typedef struct
{
    const product_struct *product;
    int is_sum;       /* else the multisets are only counted */
    double eps, slack;
    double visits, most;
    double limit;
    int stopped;
    arb_t alpha, sum, t, u;
} walk_struct;

/* Adds sum (p p_i - alpha q q_i)_+ over the outcomes of the last round, after others of masses p and q and that loss. */
static void add_last(walk_struct *x, const law_struct *law, const arb_t p, const arb_t q, double loss)
{
    const slong prec = x->product->prec;
    double need = x->eps - loss;
    slong low = 0, high = law->count, i;
    while (low < high)
    {
        slong middle = low + (high - low) / 2;
        if (law->least[middle] > need + x->slack)
            low = middle + 1;
        else
            high = middle;
    }
    /* certainly positive; open; certainly not */
    arb_mul(x->t, p, law->P + low, prec);
    arb_mul(x->u, q, law->Q + low, prec);
    arb_submul(x->t, x->u, x->alpha, prec);
    arb_add(x->sum, x->sum, x->t, prec);
    for (i = low; i < law->count && law->most[i] >= need - x->slack; i++)
    {
        arb_mul(x->t, p, law->p + i, prec);
        arb_mul(x->u, q, law->q + i, prec);
        arb_submul(x->t, x->u, x->alpha, prec);
        arb_nonnegative_part(x->t, x->t);
        arb_add(x->sum, x->sum, x->t, prec);
        x->visits++;
    }
}

/*
 * `left` more rounds of law k, with outcomes from `from` on, and those of the
 * laws after it, of which no loss is above `later`; p, q and the loss are those so far. The
 * last round of the last law is none of them.
 */
static void visit(walk_struct *x, size_t k, slong from, uint64_t left, const arb_t p, const arb_t q, double loss)
{
    const product_struct *product = x->product;
    const law_struct *law = &product->law[k];
    const slong prec = product->prec;
    const int is_last = k + 1 == product->laws;
    double later = is_last ? law->most[0] : 0;
    arb_t p1, q1;
    uint64_t m;
    size_t j;
    slong i;
    if (left == 0 && !is_last)
    {
        const law_struct *next = &product->law[k + 1];
        visit(x, k + 1, 0, next->rounds - (k + 2 == product->laws), p, q, loss);
        return;
    }
    if (++x->visits > x->most || (x->is_sum && fmod(x->visits, 256) == 0 && shuf_exhausted(x->limit)))
        x->stopped = 1;
    if (left == 0)
    {
        if (x->is_sum && !x->stopped)
            add_last(x, law, p, q, loss);
        return;
    }
    for (j = k + 1; j < product->laws; j++)
        later += (double) product->law[j].rounds * product->law[j].most[0];
    arb_init(p1);
    arb_init(q1);
    for (i = from; i < law->count && !x->stopped; i++)
    {
        if (loss + (double) left * law->most[i] + later < x->eps - x->slack)
            break;
        if (i + 1 == law->count)
        {
            /* in all that are left */
            if (x->is_sum)
            {
                arb_pow_ui(p1, law->p + i, left, prec);
                arb_mul(p1, p1, p, prec);
                arb_pow_ui(q1, law->q + i, left, prec);
                arb_mul(q1, q1, q, prec);
            }
            visit(x, k, i + 1, 0, p1, q1, loss + (double) left * law->loss[i]);
            break;
        }
        arb_set(p1, p);
        arb_set(q1, q);
        for (m = 1; m <= left && !x->stopped; m++)
        {
            if (x->is_sum)
            {
                /* the m-th of these rounds: one of left - m + 1, in any order */
                arb_mul(p1, p1, law->p + i, prec);
                arb_mul_ui(p1, p1, left - m + 1, prec);
                arb_div_ui(p1, p1, m, prec);
                arb_mul(q1, q1, law->q + i, prec);
                arb_mul_ui(q1, q1, left - m + 1, prec);
                arb_div_ui(q1, q1, m, prec);
            }
            visit(x, k, i + 1, left - m, p1, q1, loss + (double) m * law->loss[i]);
        }
    }
    arb_clear(p1);
    arb_clear(q1);
}

/* Goes through all of them. Returns whether it came to the end. */
static int walk(walk_struct *x, double most, int is_sum)
{
    const law_struct *first = &x->product->law[0];
    arb_t one;
    x->is_sum = is_sum;
    x->visits = 0;
    x->most = most;
    x->stopped = 0;
    x->slack = SLACK * (1 + x->eps + x->product->largest) + x->product->error;
    arb_init(one);
    arb_one(one);
    arb_zero(x->sum);
    visit(x, 0, 0, first->rounds - (x->product->laws == 1), one, one, 0);
    shuf_charge(x->visits * (is_sum ? PRODUCTS * shuf_cost_mul(x->product->prec) : COUNT_WORK));
    arb_clear(one);
    return !x->stopped;
}

/* ---- one direction ---- */

/* Steer only. */
#define ATTEMPTS 8
#define FIRST_PREC 96

/* r := the ball, within [0, 1]. */
static void set_value(shuf_enclosure_t r, const walk_struct *x)
{
    shuf_enclosure_set_arb(r, x->sum, x->product->prec);
    shuf_ends_cut(r->lo, r->hi);
    shuf_enclosure_width(r->ledger.rounding, r);
    r->ledger.terms = (ulong) x->visits;
}

/* delta(eps) of the product. Returns 0 when there are more multisets than `most`, or the work is used up before any value. */
static int product_delta(shuf_enclosure_t r, product_struct *product, const shuf_real_t eps, double most, const shuf_options *options)
{
    slong prec = FIRST_PREC + 10 * options->digits / 3;
    walk_struct x;
    int i, known = 0, fits = 1;
    x.product = product;
    x.limit = shuf_limit(options);
    arb_init(x.alpha); arb_init(x.sum); arb_init(x.t); arb_init(x.u);
    for (i = 0; i < ATTEMPTS && fits && !(known && shuf_enclosure_accurate(r, options->digits)) && !shuf_exhausted(x.limit); i++)
    {
        int seen = product_set_laws(product, prec);
        prec = product->prec;
        if (!seen)
        {
            prec *= 2;
            continue;
        }
        x.eps = steer_real(eps, 64);
        shuf_real_exp(x.alpha, eps, prec + 32);
        fits = known || walk(&x, most, 0);
        if (fits && x.limit > 0 && shuf_work() + x.visits * PRODUCTS * shuf_cost_mul(prec) > x.limit)
            fits = 0;
        if (fits && walk(&x, HUGE_VAL, 1))
        {
            set_value(r, &x);
            known = 1;
        }
        prec *= 2;
    }
    arb_clear(x.alpha); arb_clear(x.sum); arb_clear(x.t); arb_clear(x.u);
    return known;
}

/* ---- both ---- */

typedef struct
{
    product_struct product[2];
    int directions;
    double most;
} products_struct;

static int products_init(products_struct *x, const shuf_pld_part *parts, size_t count, shuf_direction direction, double most)
{
    int symmetric = 1, ok = 1, i;
    size_t k;
    for (k = 0; k < count; k++)
        symmetric = symmetric && parts[k].law->symmetric;
    x->directions = direction == SHUF_DIRECTION_BOTH && !symmetric ? 2 : 1;
    x->most = most;
    for (i = 0; i < x->directions; i++)
        ok = product_init(&x->product[i], parts, count, i == 1 || direction == SHUF_DIRECTION_QP) && ok;
    return ok;
}

static void products_clear(products_struct *x)
{
    int i;
    for (i = 0; i < x->directions; i++)
    {
        product_clear_laws(&x->product[i]);
        flint_free(x->product[i].law);
    }
}

/* The larger of both. Returns 0 as product_delta. */
static int products_delta(shuf_enclosure_t r, products_struct *x, const shuf_real_t eps, const shuf_options *options)
{
    double start = shuf_work();
    shuf_enclosure_t other;
    int ok = product_delta(r, &x->product[0], eps, x->most, options);
    shuf_enclosure_init(other);
    if (ok && x->directions == 2)
    {
        ok = product_delta(other, &x->product[1], eps, x->most, options);
        if (ok)
            shuf_enclosure_max(r, r, other);
    }
    shuf_enclosure_clear(other);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    return ok;
}

int pld_finite_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                     shuf_direction direction, const shuf_options *options)
{
    products_struct x;
    shuf_enclosure_t value;
    int ok;
    shuf_enclosure_init(value);
    ok = products_init(&x, parts, count, direction, MAX_VISITS) && products_delta(value, &x, eps, options);
    if (ok)
        shuf_enclosure_set(r, value);
    shuf_enclosure_clear(value);
    products_clear(&x);
    return ok;
}

static shuf_status delta_at(shuf_enclosure_t r, const shuf_real_t eps, const shuf_options *options, const void *data)
{
    products_struct *const *x = data;
    if (products_delta(r, *x, eps, options))
        return r->status;
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    return r->status = SHUF_ACCURACY;
}

/* Of an eps beyond those asked for: they cost next to nothing. Steers only. */
#define MORE_DIGITS 2

int pld_finite_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                       shuf_direction direction, const shuf_options *options)
{
    products_struct x, *data = &x;
    inverse_problem problem = { delta_at, &data, NULL, SHUF_MAX_EPSILON, NULL, 0 };
    shuf_options few = *options, more = *options;
    shuf_enclosure_t value;
    shuf_real_t zero, loss;
    int ok;
    shuf_enclosure_init(value);
    shuf_real_init(zero);
    shuf_real_init(loss);
    if (pld_bound_losses(loss, parts, count))
        problem.limit = loss; /* where balls would never tell that the value is 0 */
    few.digits = 2;
    more.digits = FLINT_MIN(options->digits + MORE_DIGITS, SHUF_MAX_DIGITS);
    /* there are most of them at 0 */
    ok = products_init(&x, parts, count, direction, MAX_VISITS_OF_MANY) && products_delta(value, &x, zero, &few);
    if (ok)
        inverse_find(value, &problem, delta, &more);
    value->status = shuf_enclosure_accurate(value, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    /* an upper end that no value has shown is not worth stopping for */
    ok = ok && arf_is_finite(value->hi) && (value->status == SHUF_OK || problem.limit == NULL || shuf_real_cmp_arf(loss, value->hi) > 0);
    if (ok)
        shuf_enclosure_set(r, value);
    shuf_enclosure_clear(value);
    shuf_real_clear(zero);
    shuf_real_clear(loss);
    products_clear(&x);
    return ok;
}
