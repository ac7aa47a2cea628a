/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/tail.md. */
#include "pld/tail.h"

#include "binomial/binomial.h"
#include "pld/loss.h"
#include "pld/losses.h"

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

/* Units of work for a row's term, and for each bit of the precision. */
#define TERM_WORK 600.0
#define BIT_WORK 2.0

/* sum := the probability over the rows kept of a loss >= eps. Returns 0 when the time ran out. */
static int sum_rows(arb_t sum, ulong *terms, const loss_law *l, const shuf_real_t eps, double limit)
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
        ulong row = 2;
        r = l->first_rest;
        if (!loss_is_row(l, m, r))
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
        for (loss_row_mass(mass, l, m, r); loss_is_row(l, m, r) && (a = threshold(&t, m, r)) <= m; loss_row_next(mass, l, m, r), r++)
        {
            walk_raise(&inner, a, l->prec);
            row_tail(v, l, &inner, m, r);
            arb_addmul(sum, mass, v, l->prec);
            ++*terms;
            ++row;
        }
        shuf_charge((TERM_WORK + BIT_WORK * (double) l->prec) * (double) row);
        if (shuf_exhausted(limit))
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
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
}

#define MAX_BITS 100000

static void one_round(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps, shuf_tail_law which,
                      const shuf_options *options, double limit)
{
    slong digit_bits = (slong) (3.33 * (double) options->digits), bits = digit_bits + 48, cut = digit_bits + 16;
    loss_law l;
    arb_t sum, lost;
    ulong terms = 0;

    loss_law_init(&l);
    arb_init(sum);
    arb_init(lost);
    while (bits < MAX_BITS)
    {
        loss_law_set(&l, pair, which, bits);
        arb_one(lost);
        arb_mul_2exp_si(lost, lost, -cut);
        loss_law_cut(&l, lost);
        if (!sum_rows(sum, &terms, &l, eps, limit))
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
    loss_law_clear(&l);
    arb_clear(sum);
    arb_clear(lost);
}

/* ---- public ---- */

/* Whether every sum of losses is certainly below eps. */
static int beyond_losses(const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps)
{
    shuf_law_struct profile;
    shuf_pld_part part;
    shuf_law_set_pair(&profile, pair);
    part.law = &profile;
    part.rounds = rounds;
    return pld_compare_losses(&part, 1, eps) > 0;
}

/* Coq: Divergence.hockey_tail_probability, Losses.composition_tail, LossTails.krr_strong_tail, LossTails.krr_weak_tail. */
shuf_status shuf_pld_tail(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps,
                          shuf_tail_law law, const shuf_options *options)
{
    double start = shuf_work(), limit = shuf_limit(options);
    int truthful = pair->kind == SHUF_PAIR_KRR_STRONG && law == SHUF_TAIL_TRUTHFUL;

    if (!shuf_pair_has_engine(pair, SHUF_ENGINE_TAIL) || rounds < 1 || rounds > SHUF_PLD_MAX_ROUNDS
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
    arf_one(r->hi);
    mag_one(r->ledger.truncation);
    if (rounds == 1)
        one_round(r, pair, eps, law, options, limit);
    else
        loss_rounds(r, pair, rounds, eps, law, options, limit);
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    return r->status;
}
