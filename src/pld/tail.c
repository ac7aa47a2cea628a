/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/tail.md. */
#include "pld/tail.h"

#include <math.h>

#include "binomial/binomial.h"
#include "fast/doubles.h"
#include "pld/convolve.h"
#include "pld/fft.h"
#include "pld/grid.h"
#include "pld/pld.h"

/* ---- the law of one round ---- */

/*
 * A row is m >= 1 reports of the two values and r of the others (r = 0 for
 * krr-strong, which does not look at them). Given it, N1 = a and N2 = m-a have
 * probability mass(m, r) Bin(m,1/2)(a) (constant + slope a), and the loss is
 * log((a+w)/(m-a+w)), w = kappa (m+r). A loss of 0 has `zero` besides.
 */
typedef struct
{
    int strong;
    ulong others, k;
    arb_t gamma, gamma_complement;
    arb_t share, share_complement; /* 2/k, 1 - 2/k */
    arb_t count, count_complement; /* 2 gamma/k: another's report is one of the two values, at random */
    arb_t rest, rest_complement;   /* gamma (k-2)/k: one of the others, at random */
    arb_t next;                    /* rest/(1-gamma) */
    fmpq_t kappa;
    arb_t scale, zero;
    slong prec;
    /* rows kept; what is cut away has probability at most 4 tau */
    ulong first, last, first_rest, last_rest;
} loss_law;

#define LAW_EACH(l, f) \
    do { f((l)->gamma); f((l)->gamma_complement); f((l)->share); f((l)->share_complement); f((l)->count); \
         f((l)->count_complement); f((l)->rest); f((l)->rest_complement); f((l)->next); f((l)->scale); f((l)->zero); } while (0)

static void law_init(loss_law *l)
{
    LAW_EACH(l, arb_init);
    fmpq_init(l->kappa);
}

static void law_clear(loss_law *l)
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

/* gamma < 1 unless the pair is krr-strong */
static void law_set(loss_law *l, const shuf_pair_t pair, shuf_tail_law which, slong prec)
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

static void law_cut(loss_law *l, const arb_t tau)
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

static int is_row(const loss_law *l, ulong m, ulong r)
{
    return r <= l->last_rest && r <= l->others + 1 - m;
}

static void row_mass(arb_t mass, const loss_law *l, ulong m, ulong r)
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

/* From row (m, r) to (m, r+1). */
static void row_next(arb_t mass, const loss_law *l, ulong m, ulong r)
{
    arb_mul(mass, mass, l->next, l->prec);
    arb_mul_ui(mass, mass, l->others + 1 - m - r, l->prec);
    arb_mul_ui(mass, mass, m + r + 1, l->prec);
    arb_div_ui(mass, mass, m + r, l->prec);
    arb_div_ui(mass, mass, r + 1, l->prec);
}

/* ---- one round: the threshold ---- */

/*
 * The loss is >= eps when N2 <= y = (m - (alpha-1) w)/(1+alpha), alpha = e^eps.
 * y is rational if alpha is; otherwise it is never a whole number.
 */
typedef struct
{
    const shuf_real_struct *eps;
    int rational;
    fmpz_t per_m, per_row, denominator; /* y = (per_m m - per_row (m+r))/denominator */
    fmpq_t kappa;
    arb_t u, v;                         /* or y = u m - v (m+r) */
    slong prec;
} threshold_struct;

static void threshold_set_prec(threshold_struct *t, slong prec)
{
    arb_t alpha, d;
    arb_init(alpha);
    arb_init(d);
    t->prec = prec;
    shuf_real_exp(alpha, t->eps, prec);
    arb_add_ui(d, alpha, 1, prec);
    arb_inv(t->u, d, prec);
    arb_sub_ui(alpha, alpha, 1, prec);
    arb_mul(t->v, alpha, t->u, prec);
    arb_set_fmpq(d, t->kappa, prec);
    arb_mul(t->v, t->v, d, prec);
    arb_clear(alpha);
    arb_clear(d);
}

static void threshold_init(threshold_struct *t, const loss_law *l, const shuf_real_t eps)
{
    fmpz_t p, q;
    fmpz_init(p);
    fmpz_init(q);
    fmpz_init(t->per_m); fmpz_init(t->per_row); fmpz_init(t->denominator);
    fmpq_init(t->kappa);
    arb_init(t->u); arb_init(t->v);
    t->eps = eps;
    fmpq_set(t->kappa, l->kappa);
    t->rational = eps->is_log || fmpq_is_zero(eps->q);
    fmpz_one(p);
    fmpz_one(q);
    if (eps->is_log)
    {
        fmpz_set(p, fmpq_numref(eps->q));
        fmpz_set(q, fmpq_denref(eps->q));
    }
    /* kappa = x/z: per_m = q z, per_row = (p - q) x, denominator = (p + q) z */
    fmpz_mul(t->per_m, q, fmpq_denref(t->kappa));
    fmpz_sub(t->per_row, p, q);
    fmpz_mul(t->per_row, t->per_row, fmpq_numref(t->kappa));
    fmpz_add(t->denominator, p, q);
    fmpz_mul(t->denominator, t->denominator, fmpq_denref(t->kappa));
    threshold_set_prec(t, 128);
    fmpz_clear(p);
    fmpz_clear(q);
}

static void threshold_clear(threshold_struct *t)
{
    fmpz_clear(t->per_m); fmpz_clear(t->per_row); fmpz_clear(t->denominator);
    fmpq_clear(t->kappa);
    arb_clear(t->u); arb_clear(t->v);
}

/* The smallest a for which the loss is >= eps; m + 1 if there is none. */
static ulong threshold(threshold_struct *t, ulong m, ulong r)
{
    fmpz_t y;
    ulong a;
    fmpz_init(y);
    if (t->rational)
    {
        fmpz_mul_ui(y, t->per_m, m);
        fmpz_submul_ui(y, t->per_row, m + r);
        fmpz_fdiv_q(y, y, t->denominator);
    }
    else
    {
        arb_t x;
        arb_init(x);
        for (;;)
        {
            arb_mul_ui(x, t->v, m + r, t->prec);
            arb_neg(x, x);
            arb_addmul_ui(x, t->u, m, t->prec);
            arb_floor(x, x, t->prec);
            if (arb_get_unique_fmpz(y, x))
                break;
            threshold_set_prec(t, 2 * t->prec);
        }
        arb_clear(x);
    }
    a = fmpz_sgn(y) < 0 ? m + 1 : m - fmpz_get_ui(y);
    fmpz_clear(y);
    return a;
}

/* ---- one round: the sum ---- */

/* pmf = Pr[Bin(c,1/2) = t-1], tail = Pr[Bin(c,1/2) >= t], 1 <= t <= c+1 */
typedef struct
{
    ulong c, t;
    arb_t pmf, tail;
} walk_struct;

static void walk_start(walk_struct *k, ulong c, ulong t, slong prec)
{
    arb_t half;
    arb_init(half);
    arb_set_d(half, 0.5);
    k->c = c;
    k->t = t;
    shuf_binomial_pmf(k->pmf, c, t - 1, half, half, prec);
    shuf_binomial_tail(k->tail, c, t, half, half, prec);
    arb_clear(half);
}

static void walk_copy(walk_struct *k, const walk_struct *from)
{
    k->c = from->c;
    k->t = from->t;
    arb_set(k->pmf, from->pmf);
    arb_set(k->tail, from->tail);
}

static void walk_raise(walk_struct *k, ulong t, slong prec)
{
    for (; k->t < t; k->t++)
    {
        arb_mul_ui(k->pmf, k->pmf, k->c - k->t + 1, prec);
        arb_div_ui(k->pmf, k->pmf, k->t, prec);
        arb_sub(k->tail, k->tail, k->pmf, prec);
    }
}

static void walk_lower(walk_struct *k, ulong t, slong prec)
{
    for (; k->t > t; k->t--)
    {
        arb_add(k->tail, k->tail, k->pmf, prec);
        arb_mul_ui(k->pmf, k->pmf, k->t - 1, prec);
        arb_div_ui(k->pmf, k->pmf, k->c - k->t + 2, prec);
    }
}

/* c -> c-1, t <= c */
static void walk_down(walk_struct *k, slong prec)
{
    arb_mul_ui(k->pmf, k->pmf, k->c + 1 - k->t, prec);
    arb_div_ui(k->pmf, k->pmf, k->c, prec);
    arb_mul_2exp_si(k->pmf, k->pmf, 1);
    arb_mul_2exp_si(k->tail, k->tail, 1);
    arb_sub(k->tail, k->tail, k->pmf, prec);
    arb_mul_2exp_si(k->tail, k->tail, -1);
    k->c--;
}

/* v := the probability of a >= t in the row, from the walk at (m-1, t) */
static void row_tail(arb_t v, const loss_law *l, const walk_struct *k, ulong m, ulong r)
{
    slong prec = l->prec;
    /* Pr[Bin(m-1,1/2) >= t-1] */
    arb_add(v, k->tail, k->pmf, prec);
    if (!l->strong)
    {
        /* k (1-gamma) m/(2 (m+r)) times it, and gamma Pr[Bin(m,1/2) >= t] */
        arb_t both;
        arb_init(both);
        arb_mul_2exp_si(both, k->pmf, -1);
        arb_add(both, both, k->tail, prec);
        arb_mul(v, v, l->gamma_complement, prec);
        arb_mul_ui(v, v, m, prec);
        arb_div_ui(v, v, m + r, prec);
        arb_div(v, v, l->share, prec);
        arb_addmul(v, both, l->gamma, prec);
        arb_clear(both);
    }
}

/* sum := the probability over the rows kept of a loss >= eps. Returns 0 when the time ran out. */
static int sum_rows(arb_t sum, ulong *terms, const loss_law *l, const shuf_real_t eps, double deadline)
{
    threshold_struct t;
    walk_struct walk, inner;
    arb_t mass, v;
    ulong m, r, a;
    int started = 0, in_time = 1;

    threshold_init(&t, l, eps);
    arb_init(walk.pmf); arb_init(walk.tail); arb_init(inner.pmf); arb_init(inner.tail);
    arb_init(mass); arb_init(v);
    arb_zero(sum);
    /* downwards the tails grow, so that the subtractions lose nothing */
    for (m = l->last; m >= l->first; m--)
    {
        r = l->first_rest;
        if (!is_row(l, m, r))
            continue;
        a = threshold(&t, m, r);
        if (a > m)
            break; /* as for every smaller m */
        if (!started)
        {
            walk_start(&walk, m - 1, a, l->prec);
            started = 1;
        }
        else
        {
            walk_lower(&walk, a, l->prec);
            walk_down(&walk, l->prec);
            walk_raise(&walk, a, l->prec);
        }
        walk_copy(&inner, &walk);
        for (row_mass(mass, l, m, r); is_row(l, m, r) && (a = threshold(&t, m, r)) <= m; row_next(mass, l, m, r), r++)
        {
            walk_raise(&inner, a, l->prec);
            row_tail(v, l, &inner, m, r);
            arb_addmul(sum, mass, v, l->prec);
            ++*terms;
        }
        if (deadline > 0 && shuf_seconds() > deadline)
        {
            in_time = 0;
            break;
        }
    }
    threshold_clear(&t);
    arb_clear(walk.pmf); arb_clear(walk.tail); arb_clear(inner.pmf); arb_clear(inner.tail);
    arb_clear(mass); arb_clear(v);
    return in_time;
}

static void whole(shuf_enclosure_t r)
{
    shuf_enclosure_zero(r);
    arf_one(r->hi);
    mag_one(r->ledger.truncation);
}

static void clamp_to_unit(shuf_enclosure_t r)
{
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
}

/* hi += lost */
static void add_truncation(shuf_enclosure_t r, const arb_t lost, slong prec)
{
    mag_t bound;
    mag_init(bound);
    arb_get_mag(bound, lost);
    mag_set(r->ledger.truncation, bound);
    arf_add(r->hi, r->hi, arb_midref(lost), prec, ARF_RND_CEIL);
    arf_get_mag(bound, r->hi);
    mag_mul_2exp_si(bound, bound, 1 - prec);
    mag_add(r->ledger.rounding, r->ledger.rounding, bound);
    mag_clear(bound);
    clamp_to_unit(r);
}

#define MAX_BITS 100000

static void one_round(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps, shuf_tail_law which,
                      const shuf_options *options, double deadline)
{
    slong digit_bits = (slong) (3.33 * (double) options->digits), bits = digit_bits + 48, cut = digit_bits + 16;
    loss_law l;
    arb_t sum, lost;
    ulong terms = 0;

    law_init(&l);
    arb_init(sum);
    arb_init(lost);
    whole(r);
    while (bits < MAX_BITS)
    {
        law_set(&l, pair, which, bits);
        arb_one(lost);
        arb_mul_2exp_si(lost, lost, -cut);
        law_cut(&l, lost);
        if (!sum_rows(sum, &terms, &l, eps, deadline))
            break;
        arb_mul(sum, sum, l.scale, bits);
        if (shuf_real_sgn(eps) == 0)
            arb_add(sum, sum, l.zero, bits);
        arb_mul_2exp_si(lost, lost, 2);
        shuf_enclosure_set_arb(r, sum, bits);
        add_truncation(r, lost, bits);
        r->ledger.precision = bits;
        if (shuf_enclosure_accurate(r, options->digits))
            break;
        if (mag_cmp(r->ledger.rounding, r->ledger.truncation) >= 0)
            bits *= 2;
        else if (arf_sgn(r->lo) > 0)
            cut = FLINT_MAX(cut + 16, digit_bits + 16 - arf_abs_bound_lt_2exp_si(r->lo));
        else
            cut *= 2;
        if (cut > MAX_BITS)
            break;
    }
    r->ledger.terms = terms;
    law_clear(&l);
    arb_clear(sum);
    arb_clear(lost);
}

/* ---- several rounds: the losses on a grid ---- */

#define SMALLEST_TAU 1e-280
#define ROW_SMALLEST 1e-285
#define LARGEST_LOSS 60.0   /* of a node */
#define MAX_NODES (WORD(1) << 20)
#define FIRST_NODES (WORD(1) << 12)
#define MAX_LOG2_LENGTH 22
#define MAX_REPORTS (UINT64_C(1) << 26) /* of the two values: memory */

/* Exceeds the relative error of (a+w)/(m-a+w) and of a node, in doubles. */
#define RATIO_ERROR 0x1p-47

/* Sums of masses: of cell i, losses rounded to node (first + i) step. */
typedef struct
{
    slong first, length, log2_step;
    double *node; /* e^loss */
    double *up, *down;
    double infinite, above; /* losses of +infinity, and finite ones above the last node */
    arb_t lost;             /* at least what was left out */
    double atoms;
} cells_struct;

static void cells_init(cells_struct *c, slong first, slong length, slong log2_step)
{
    arb_t x, step;
    slong i;
    arb_init(x);
    arb_init(step);
    arb_init(c->lost);
    c->first = first;
    c->length = length;
    c->log2_step = log2_step;
    c->node = flint_malloc((size_t) length * sizeof(double));
    c->up = flint_calloc((size_t) length, sizeof(double));
    c->down = flint_calloc((size_t) length, sizeof(double));
    c->infinite = c->above = c->atoms = 0;
    arb_set_si(x, first);
    arb_mul_2exp_si(x, x, log2_step);
    arb_exp(x, x, 128);
    arb_one(step);
    arb_mul_2exp_si(step, step, log2_step);
    arb_exp(step, step, 128);
    for (i = 0; i < length; i++)
    {
        c->node[i] = arf_get_d(arb_midref(x), ARF_RND_NEAR);
        arb_mul(x, x, step, 128);
    }
    arb_clear(x);
    arb_clear(step);
}

static void cells_clear(cells_struct *c)
{
    flint_free(c->node);
    flint_free(c->up);
    flint_free(c->down);
    arb_clear(c->lost);
}

/* Adds the mass of an atom whose e^loss is the ratio, but for RATIO_ERROR. */
static inline void add_atom(cells_struct *c, double mass, double ratio)
{
    double below = ratio * (1 - RATIO_ERROR), above = ratio * (1 + RATIO_ERROR), guess;
    slong i;
    /* the logarithm only says where to look */
    guess = ldexp(log(ratio), (int) -c->log2_step) - (double) c->first;
    i = guess < 0 ? 0 : guess >= (double) c->length ? c->length - 1 : (slong) guess;
    while (i >= 0 && c->node[i] > below)
        i--;
    while (i + 1 < c->length && c->node[i + 1] <= below)
        i++;
    if (i >= 0)
        c->down[i] += mass;
    for (i = i < 0 ? 0 : i; i < c->length && c->node[i] < above; i++)
        ;
    if (i < c->length)
        c->up[i] += mass;
    else
        c->above += mass;
}

/* A loss of exactly 0: a node. */
static inline void add_zero(cells_struct *c, double mass)
{
    c->down[-c->first] += mass;
    c->up[-c->first] += mass;
}

/*
 * q[a] := Pr[Bin(m,1/2) = a] for *low <= a <= *high, within 1.1 (m + 3)
 * roundoffs, relatively; outside each is smaller than `least`.
 */
static void half_table(double *q, ulong *low, ulong *high, ulong m, double least)
{
    ulong a = m / 2;
    arb_t half, p;
    arb_init(half);
    arb_init(p);
    arb_set_d(half, 0.5);
    shuf_binomial_pmf(p, m, a, half, half, 96);
    q[a] = arf_get_d(arb_midref(p), ARF_RND_NEAR);
    for (; a > 0 && q[a] > 0.5 * least; a--)
        q[a - 1] = q[a] * (double) a / (double) (m - a + 1);
    *low = a;
    for (; a > 0 && q[a] > 0.5 * least; a--)
        ;
    for (a = m / 2; a < m && q[a] > 0.5 * least; a++)
        q[a + 1] = q[a] * (double) (m - a) / (double) (a + 1);
    *high = a;
    arb_clear(half);
    arb_clear(p);
}

/* d = x within 1.02 roundoffs; x is 0 or within 2^-960 .. 2^960 (gamma is, see several_rounds). */
static double rounded(const arb_t x)
{
    double d = 0;
    if (!arb_is_zero(x) && !constant(&d, x))
        flint_abort();
    return d;
}

/* All atoms but some of probability c->lost. Returns 0 when the time ran out. */
static int fill_cells(cells_struct *c, loss_law *l, double tau, double deadline)
{
    double constant_term = l->strong ? 0 : rounded(l->gamma), slope_over, kappa, drop;
    double *q;
    arb_t mass, t;
    ulong m, r, a, low, high;
    int in_time;

    arb_init(mass);
    arb_init(t);
    arb_set_d(t, tau);
    law_cut(l, t);
    in_time = l->last <= MAX_REPORTS;
    /* rows cut, and in each row a below and above */
    arb_mul_ui(c->lost, t, 7, l->prec);
    drop = fmax(tau / ((double) (l->k + 1) * (double) (l->last - l->first + 1) * (double) (l->last_rest - l->first_rest + 1)),
                ROW_SMALLEST);
    /* slope = 2/m, or k (1-gamma)/(m+r) */
    arb_mul_ui(t, l->gamma_complement, l->k, l->prec);
    slope_over = l->strong ? 2 : rounded(t);
    arb_set_fmpq(t, l->kappa, l->prec);
    kappa = rounded(t);
    q = flint_malloc((size_t) (in_time ? l->last + 1 : 1) * sizeof(double));

    for (m = l->first; m <= l->last && in_time; m++)
    {
        r = l->first_rest;
        if (!is_row(l, m, r))
            break;
        half_table(q, &low, &high, m, tau / (double) (m + 1));
        for (row_mass(mass, l, m, r); is_row(l, m, r); row_next(mass, l, m, r), r++)
        {
            double g, w = kappa * (double) (m + r), slope = slope_over / (double) (m + r);
            if (arf_cmp_d(arb_midref(mass), drop) < 0 || !constant(&g, mass))
            {
                /* constant + slope m/2 <= k + 1 */
                arb_addmul_ui(c->lost, mass, l->k + 1, l->prec);
                continue;
            }
            for (a = low; a <= high; a++)
            {
                double p = g * q[a] * (constant_term + slope * (double) a), n2 = (double) (m - a) + w;
                if (2 * a == m)
                    add_zero(c, p);
                else if (n2 > 0 && (double) a + w > 0)
                    add_atom(c, p, ((double) a + w) / n2);
                else if (!(n2 > 0))
                    c->infinite += p;
            }
            c->atoms += (double) (high - low + 1);
        }
        in_time = !(deadline > 0 && shuf_seconds() > deadline);
    }
    flint_free(q);
    arb_clear(mass);
    arb_clear(t);
    return in_time;
}

/*
 * law := the cells rounded up, with everything lost at +infinity, or rounded
 * down without it; both with the mass `zero`, the rest scaled.
 */
static void cells_law(grid_law_t law, const cells_struct *c, const loss_law *l, int up)
{
    /* an atom errs by its factors and the table of its row, a sum by one roundoff for every atom */
    double error = 1.2 * ROUNDOFF * (c->atoms + (double) l->last + 24);
    arf_rnd_t rnd = up ? ARF_RND_CEIL : ARF_RND_FLOOR;
    arf_t factor, lost;
    slong i;

    arf_init(factor);
    arf_init(lost);
    grid_law_init(law, c->first, c->length, c->log2_step);
    arf_set_d(factor, up ? 1 + error : 1 - error);
    arb_get_ubound_arf(lost, l->scale, 64);
    if (!up)
        arb_get_lbound_arf(lost, l->scale, 64);
    arf_mul(factor, factor, lost, 64, rnd);
    for (i = 0; i < c->length; i++)
    {
        arf_set_d(law->mass + i, up ? c->up[i] : c->down[i]);
        arf_mul(law->mass + i, law->mass + i, factor, 64, rnd);
    }
    arf_set_d(law->infinite, c->infinite);
    if (up)
    {
        arf_set_d(lost, c->above);
        arf_add(law->infinite, law->infinite, lost, 64, rnd);
    }
    arf_mul(law->infinite, law->infinite, factor, 64, rnd);
    if (up)
    {
        arb_get_ubound_arf(lost, c->lost, 64);
        arf_add(law->infinite, law->infinite, lost, 64, rnd);
        arb_get_ubound_arf(lost, l->zero, 64);
    }
    else
    {
        arb_get_lbound_arf(lost, l->zero, 64);
    }
    arf_add(law->mass - c->first, law->mass - c->first, lost, 64, rnd);
    arf_clear(factor);
    arf_clear(lost);
}

/* ---- several rounds: where the answer lies, in floating point ---- */

typedef struct
{
    double rounds, eps, digits;
    double bottom, top; /* losses of nodes: -bottom to top */
    slong log2_step;
    double tau;
    double theta, log_tail, variance; /* of one round, tilted by theta */
} plan_struct;

static double step_of(const plan_struct *p)
{
    return ldexp(1, (int) p->log2_step);
}

/* The smallest step with that many nodes. */
static slong step_for(const plan_struct *p, slong nodes)
{
    return (slong) ceil(log2((p->bottom + p->top) / (double) nodes));
}

/* log E e^{theta L} of the finite losses, and the mean and variance of the tilted law */
static double cumulants(double *mean, double *variance, const double *mass, const plan_struct *p, slong first, slong length,
                        double theta)
{
    double top = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
    slong i;
    *mean = *variance = 0;
    for (i = 0; i < length; i++)
        if (mass[i] > 0)
            top = fmax(top, log(mass[i]) + theta * step_of(p) * (double) (first + i));
    if (top == -HUGE_VAL)
        return top;
    for (i = 0; i < length; i++)
    {
        double loss = step_of(p) * (double) (first + i), weight = 0;
        if (mass[i] > 0)
            weight = exp(log(mass[i]) + theta * loss - top);
        m0 += weight;
        m1 += weight * loss;
        m2 += weight * loss * loss;
    }
    *mean = m1 / m0;
    *variance = fmax(m2 / m0 - *mean * *mean, 0);
    return top + log(m0);
}

/*
 * The saddle point of e^{rounds K(theta) - theta eps}/theta, and the window
 * outside of which the losses do not matter at the accuracy wanted.
 */
static void plan_from(plan_struct *p, const grid_law_t law)
{
    double low = -30, high = log(1000) - (double) p->log2_step * log(2.0), mean, k = 0, accuracy, sum;
    double *mass = flint_malloc((size_t) law->length * sizeof(double));
    slong i;
    int j;
    for (i = 0; i < law->length; i++)
        mass[i] = double_below(law->mass + i);
    for (j = 0; j < 50; j++)
    {
        p->theta = exp((low + high) / 2);
        k = cumulants(&mean, &p->variance, mass, p, law->first, law->length, p->theta);
        if (p->rounds * mean - 1 / p->theta < p->eps)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    }
    p->log_tail = p->rounds * k - p->theta * p->eps - log(p->theta)
                  - 0.5 * log(2 * 3.14159265358979 * (p->rounds * p->variance + 1 / (p->theta * p->theta)));
    p->log_tail = fmin(fmax(p->log_tail, log(p->rounds * arf_get_d(law->infinite, ARF_RND_UP))), 0);

    accuracy = 1e-3 * pow(10, -p->digits) / p->rounds;
    p->tau = fmax(accuracy * exp(p->log_tail), SMALLEST_TAU);
    for (sum = 0, i = law->length - 1; i > 1 - law->first && sum + mass[i] <= p->tau; i--)
        sum += mass[i];
    p->top = (double) (law->first + i) * step_of(p);
    for (sum = 0, i = 0; i < -law->first - 1 && sum + mass[i] <= accuracy; i++)
        sum += mass[i];
    p->bottom = -(double) (law->first + i) * step_of(p);
    flint_free(mass);
}

/* The length of the transform, as a power of two. */
static int log2_length(const plan_struct *p, slong nodes)
{
    double length = 64 + 2 * sqrt(2 * (p->digits * log(10.0) + 12) * p->rounds * p->variance) / step_of(p);
    length = fmin(p->rounds * (double) (nodes - 1) + 1, fmax(length, (double) nodes));
    return (int) ceil(log2(length));
}

/* ---- several rounds ---- */

/* r encloses the probability, from the two laws. Returns 0 if that is too much work. */
static int convolve_laws(shuf_enclosure_t r, const grid_law_t upper, const grid_law_t lower, uint64_t rounds,
                         const shuf_real_t eps, const plan_struct *p)
{
    grid_factor up = { upper, rounds }, down = { lower, rounds };
    int bits = log2_length(p, upper->length), done = 0;
    convolution *above = NULL, *below = NULL;
    convolution_errors errors[2];
    mag_t width;

    if (bits > MAX_LOG2_LENGTH)
        return 0;
    above = convolution_tilted(&up, 1, p->theta, bits, 1);
    if (above != NULL)
        below = convolution_tilted(&down, 1, p->theta, bits, 0);
    if (below != NULL)
    {
        convolution_errors_init(&errors[0]);
        convolution_errors_init(&errors[1]);
        mag_init(width);
        shuf_enclosure_zero(r);
        convolution_delta(r->hi, &errors[0], above, eps, 1);
        convolution_delta(r->lo, &errors[1], below, eps, 1);
        clamp_to_unit(r);
        /* rounding the losses may account for all of the width; the other parts are bounded too */
        shuf_enclosure_width(width, r);
        mag_set(r->ledger.discretisation, width);
        mag_min(r->ledger.truncation, errors[0].infinite, width);
        mag_add(r->ledger.aliasing, errors[0].aliasing, errors[1].aliasing);
        mag_min(r->ledger.aliasing, r->ledger.aliasing, width);
        mag_add(r->ledger.rounding, errors[0].rounding, errors[1].rounding);
        mag_min(r->ledger.rounding, r->ledger.rounding, width);
        r->ledger.terms = (ulong) upper->length;
        r->ledger.precision = 53;
        r->ledger.step = step_of(p);
        mag_clear(width);
        convolution_errors_clear(&errors[0]);
        convolution_errors_clear(&errors[1]);
        done = 1;
    }
    convolution_free(above);
    convolution_free(below);
    return done;
}

/* r := what a run with the plan's step gives, which estimates p anew when the grid is a coarse one. */
static int run(shuf_enclosure_t r, plan_struct *p, loss_law *l, uint64_t rounds, const shuf_real_t eps, double deadline)
{
    slong below = (slong) ceil(p->bottom / step_of(p)), above = (slong) ceil(p->top / step_of(p));
    cells_struct c;
    grid_law_t upper, lower;
    int done;

    below = FLINT_MAX(below, 1);
    above = FLINT_MAX(above, 1);
    cells_init(&c, -below, below + above + 1, p->log2_step);
    done = fill_cells(&c, l, p->tau, deadline);
    if (done)
    {
        cells_law(upper, &c, l, 1);
        cells_law(lower, &c, l, 0);
        if (c.length <= 2 * FIRST_NODES)
            plan_from(p, upper);
        done = convolve_laws(r, upper, lower, rounds, eps, p);
        grid_law_clear(upper);
        grid_law_clear(lower);
    }
    cells_clear(&c);
    return done;
}

/* How many times the step is to be halved; 0: no more. */
static slong shift_for(const plan_struct *p, const shuf_enclosure_t r, int *resolved)
{
    slong finest = FLINT_MAX(step_for(p, MAX_NODES), p->log2_step - 30), wanted;
    plan_struct finer = *p;
    mag_t width;
    if (!*resolved)
    {
        /* a better window first, until the standard deviation has some steps */
        *resolved = step_for(p, FIRST_NODES) >= p->log2_step || sqrt(p->variance) > 16 * step_of(p);
        if (!*resolved)
            return p->log2_step - step_for(p, FIRST_NODES);
        wanted = (slong) floor(log2(0.5 * pow(10, -p->digits) / (p->theta * p->rounds)));
        wanted = FLINT_MIN(wanted, p->log2_step - 1);
    }
    else
    {
        mag_init(width);
        shuf_enclosure_width(width, r);
        wanted = p->log2_step
                 - (slong) ceil(log2(mag_get_d(width) / (pow(10, -p->digits) * arf_get_d(r->hi, ARF_RND_UP))) + 0.1);
        mag_clear(width);
    }
    for (finer.log2_step = FLINT_MAX(wanted, finest);
         finer.log2_step < p->log2_step && log2_length(&finer, MAX_NODES) > MAX_LOG2_LENGTH; finer.log2_step++)
        ;
    return p->log2_step - finer.log2_step;
}

static void several_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps,
                           shuf_tail_law which, const shuf_options *options, double deadline)
{
    plan_struct p = { (double) rounds, 0, (double) options->digits, 0, 0, 0, 1e-30, 1, 0, 1 };
    shuf_enclosure_t e;
    loss_law l;
    arb_t t;
    slong shift = 0;
    int resolved = 0;

    whole(r);
    shuf_enclosure_init(e);
    law_init(&l);
    arb_init(t);
    law_set(&l, pair, which, 128);
    shuf_real_get_arb(t, eps, 64);
    p.eps = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    p.top = p.bottom = fmin(log((double) pair->n) + 1, LARGEST_LOSS);
    p.log2_step = step_for(&p, FIRST_NODES);
    do
    {
        p.log2_step -= shift;
        if (!run(e, &p, &l, rounds, eps, deadline))
            break;
        if (arf_cmp(e->hi, r->hi) < 0 || arf_cmp(e->lo, r->lo) > 0)
            shuf_enclosure_set(r, e);
        shift = shuf_enclosure_accurate(r, options->digits) ? 0 : shift_for(&p, r, &resolved);
    } while (shift > 0);
    shuf_enclosure_clear(e);
    law_clear(&l);
    arb_clear(t);
}

/* ---- public ---- */

/* Whether every sum of losses is certainly below eps. */
static int beyond_losses(const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps)
{
    shuf_real_t loss;
    int beyond;
    shuf_real_init(loss);
    beyond = shuf_pair_max_loss(loss, pair);
    if (beyond && rounds == 1)
    {
        beyond = shuf_real_cmp(eps, loss) > 0;
    }
    else if (beyond)
    {
        arb_t sum, x;
        arb_init(sum);
        arb_init(x);
        shuf_real_get_arb(sum, loss, 128);
        arb_mul_ui(sum, sum, rounds, 128);
        shuf_real_get_arb(x, eps, 128);
        beyond = arb_gt(x, sum);
        arb_clear(sum);
        arb_clear(x);
    }
    shuf_real_clear(loss);
    return beyond;
}

shuf_status shuf_pld_tail(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps,
                          shuf_tail_law law, const shuf_options *options)
{
    double start = shuf_seconds(), deadline = options->max_seconds > 0 ? start + options->max_seconds : 0;
    int truthful = pair->kind == SHUF_PAIR_KRR_STRONG && law == SHUF_TAIL_TRUTHFUL;

    if ((pair->kind != SHUF_PAIR_KRR_STRONG && pair->kind != SHUF_PAIR_KRR_WEAK) || rounds < 1 || rounds > SHUF_PLD_MAX_ROUNDS
        || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
        return SHUF_DOMAIN;
    shuf_enclosure_zero(r);
    if (fmpq_is_zero(pair->gamma) || (fmpq_is_one(pair->gamma) && !truthful && shuf_real_sgn(eps) == 0))
    {
        /* every loss is infinite, or every loss is 0 */
        arf_one(r->lo);
        arf_one(r->hi);
        return r->status;
    }
    if (!truthful && beyond_losses(pair, rounds, eps))
        return r->status;
    if (rounds == 1)
        one_round(r, pair, eps, law, options, deadline);
    else
        several_rounds(r, pair, rounds, eps, law, options, deadline);
    r->ledger.seconds = shuf_seconds() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    return r->status;
}
