/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "hockey/hockey.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "hockey/nodes.h"
#include "hockey/stratum.h"
#include "pair/strata.h"

/* One evaluation at a fixed precision and truncation. */
typedef struct
{
    stratum_context_t s;
    ulong first, last; /* strata summed or bracketed; the others are truncated */
    int narrow, up;    /* the window is an estimate; it is summed upwards */
    double limit;      /* shuf_work() at which to stop; 0 means never */
    double affordable; /* the part of the sum there is budget for, if that is less than 1: then nothing was summed */
    int whatever;      /* sum even if the budget is too small for all of it */
    ulong terms;
    int late;          /* the budget ran out: strata were left out */
    arb_t sum;         /* encloses the part from first to last */
    mag_t truncation, discretisation;
} evaluation_struct;

typedef evaluation_struct evaluation_t[1];

/* ---- summing strata one by one ---- */

/*
 * The threshold is t* = A + B c, tracked in fixed point with 64 fractional
 * bits. The start is within 2^35 units and each step errs by at most two, so
 * with fewer than 2^37 steps (2^36 each of c and of the rest) the error stays
 * below NEAR; within NEAR of an integer both candidates are tried. proofs/fast.md, Lemma 1, has the same with other numbers.
 */
#define NEAR ((stratum_fixed) 1 << 40)
#define MAX_STEPS (UINT64_C(1) << 36)

/* The state of a walk over thresholds: pmf = Pr[Bin(c,rho) = t-1], tail = Pr[Bin(c,rho) >= t]. */
typedef struct
{
    ulong c, t;
    arb_t pmf, tail, tmp;
    arb_t up, down; /* rho/(1-rho), (1-rho)/rho */
    arb_t rho, complement, inverse_complement;
    slong prec;
} walk_struct;

static void walk_init(walk_struct *k, const stratum_context_t s)
{
    arb_init(k->pmf); arb_init(k->tail); arb_init(k->tmp);
    arb_init(k->up); arb_init(k->down); arb_init(k->rho); arb_init(k->complement); arb_init(k->inverse_complement);
    k->prec = s->prec;
    arb_set_round(k->rho, s->weights->rho, s->prec);
    arb_set_round(k->complement, s->weights->rho_complement, s->prec);
    arb_div(k->up, s->weights->rho, s->weights->rho_complement, s->prec);
    arb_div(k->down, s->weights->rho_complement, s->weights->rho, s->prec);
    arb_inv(k->inverse_complement, s->weights->rho_complement, s->prec);
    k->c = k->t = 0;
}

static void walk_clear(walk_struct *k)
{
    arb_clear(k->pmf); arb_clear(k->tail); arb_clear(k->tmp);
    arb_clear(k->up); arb_clear(k->down); arb_clear(k->rho); arb_clear(k->complement); arb_clear(k->inverse_complement);
}

static void walk_copy(walk_struct *k, const walk_struct *from)
{
    k->c = from->c;
    k->t = from->t;
    arb_set(k->pmf, from->pmf);
    arb_set(k->tail, from->tail);
}

static void walk_start(walk_struct *k, const stratum_context_t s, ulong c, ulong t)
{
    k->c = c;
    k->t = t;
    shuf_binomial_pmf(k->pmf, c, t - 1, s->weights->rho, s->weights->rho_complement, k->prec);
    shuf_binomial_tail(k->tail, c, t, s->weights->rho, s->weights->rho_complement, k->prec);
}

/* No outcome is above c: what a difference leaves of that tail would be multiplied by alpha, which may be e^(10^6). */
static void walk_end(walk_struct *k)
{
    if (k->t > k->c)
        arb_zero(k->tail);
}

/*
 * t -> t+1, t <= c
 * Coq: Binomial.bin_step.
 */
static void walk_raise(walk_struct *k)
{
    arb_mul_ui(k->tmp, k->up, k->c - k->t + 1, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->t, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    arb_sub(k->tail, k->tail, k->pmf, k->prec);
    k->t++;
    walk_end(k);
}

/*
 * t -> t-1, t >= 2
 * Coq: Binomial.bin_step.
 */
static void walk_lower(walk_struct *k)
{
    arb_add(k->tail, k->tail, k->pmf, k->prec);
    arb_mul_ui(k->tmp, k->down, k->t - 1, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->c - k->t + 2, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    k->t--;
}

/*
 * c -> c-1, t <= c
 * Coq: Binomial.bin_row, Binomial.tail_row.
 */
static void walk_down(walk_struct *k)
{
    arb_mul_ui(k->tmp, k->inverse_complement, k->c + 1 - k->t, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->c, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    arb_submul(k->tail, k->pmf, k->rho, k->prec);
    k->c--;
    walk_end(k);
}

/*
 * c -> c+1, t <= c+1
 * Coq: Binomial.bin_row, Binomial.tail_row.
 */
static void walk_up(walk_struct *k)
{
    arb_addmul(k->tail, k->pmf, k->rho, k->prec);
    arb_mul_ui(k->tmp, k->complement, k->c + 1, k->prec);
    arb_div_ui(k->tmp, k->tmp, k->c + 2 - k->t, k->prec);
    arb_mul(k->pmf, k->pmf, k->tmp, k->prec);
    k->c++;
}

/*
 * The threshold t >= 1 of a fixed-point t*; *two is set when t* is within NEAR
 * of the integer t, so that t + 1 might be the right one.
 */
static ulong fixed_threshold(stratum_fixed f, int *two)
{
    stratum_fixed t = (f + NEAR) >> 64; /* floor(t* + NEAR) */
    stratum_fixed frac = f - (t << 64); /* in [-NEAR, 1 - NEAR) */
    *two = (frac <= NEAR);
    if (!*two)
        t++;
    if (t < 1)
    {
        t = 1;
        *two = 0;
    }
    return (ulong) t;
}

/*
 * v = V(c, K) from the walk; spare is another walk for the second candidate.
 * Coq: Strata.stratum_two.
 */
static void walk_value(arb_t v, walk_struct *spare, const walk_struct *k, int two, const stratum_context_t s, const arb_t K)
{
    stratum_value_at(v, s, K, k->pmf, k->tail);
    if (two && k->t <= k->c)
    {
        arb_t other;
        arb_init(other);
        walk_copy(spare, k);
        walk_raise(spare);
        stratum_value_at(other, s, K, spare->pmf, spare->tail);
        arb_max(v, v, other, s->prec);
        arb_clear(other);
    }
    else if (two)
    {
        /* t = c+2 is the empty set, of value 0 */
        arb_nonnegative_part(v, v);
    }
}

/*
 * A pass over strata, downwards or upwards: in the direction in which tails grow, so that the subtractions in the recurrences lose
 * nothing. Upwards where most of what matters is in the rest, in the far tail.
 */
typedef struct
{
    walk_struct walk;
    stratum_fixed f, step, per_rest; /* t* - NEAR.. of the stratum, and how it changes with c and with the rest */
    int two, up;
    ulong low, high;                 /* rests that matter (krr-weak) */
    arb_t mass, odds, at_low;        /* Pr[C = c], (1-s)/s, Pr[R = low] */
    double moves;                    /* steps of the walk, not yet charged */
} pass_struct;

static void pass_init(pass_struct *d, const stratum_context_t s)
{
    walk_init(&d->walk, s);
    arb_init(d->mass); arb_init(d->odds); arb_init(d->at_low);
    d->f = d->step = d->per_rest = 0;
    d->two = d->up = 0;
    d->low = d->high = 0;
    d->moves = 0;
}

static void pass_clear(pass_struct *d)
{
    walk_clear(&d->walk);
    arb_clear(d->mass); arb_clear(d->odds); arb_clear(d->at_low);
}

/* Units of one step of a walk, and of a value with its share of the sum. */
static double move_cost(slong prec)
{
    return shuf_cost_mul(prec) + 3 * shuf_cost_word(prec);
}

static double value_cost(slong prec)
{
    return 7 * shuf_cost_mul(prec) + 6 * shuf_cost_word(prec);
}

#define NOT_SEEN (-1) /* a status: the precision is too low to track the threshold */
#define VANISHES 0    /* a status: V = 0 at `last` and below */

/*
 * Begins at stratum `last`, or upwards at `first`, for strata first .. last. Returns 1 or one of the above.
 * Coq: Strata.trinomial_strata.
 */
static int pass_begin(pass_struct *d, const stratum_context_t s, ulong first, ulong last, const arb_t tolerance)
{
    const shuf_pair_weights_struct *w = s->weights;
    slong prec = s->prec;
    arb_t A, B;
    ulong t = 0, at = d->up ? first : last;
    int ok;
    arb_init(A);
    arb_init(B);
    /* t* = slope (c+1) + scaled_kappa rest */
    arb_set(B, s->slope);
    arb_mul_ui(A, s->slope, at + 1, prec + 64);
    if (w->rest_is_random)
    {
        /* the rest is stochastically smallest at the last stratum */
        d->low = shuf_binomial_cut_below(s->others - last, w->rest, w->rest_complement, tolerance, prec);
        d->high = shuf_binomial_cut_above(s->others - first, w->rest, w->rest_complement, tolerance, prec);
        arb_addmul_ui(A, s->scaled_kappa, d->low, prec + 64);
        shuf_binomial_pmf(d->at_low, s->others - last, d->low, w->rest, w->rest_complement, prec);
    }
    else
    {
        arb_addmul_ui(A, s->scaled_kappa, s->others - at, prec + 64);
        arb_sub(B, B, s->scaled_kappa, prec + 64);
    }
    ok = stratum_set_fixed(&d->f, A, -30) && stratum_set_fixed(&d->step, B, -64)
         && stratum_set_fixed(&d->per_rest, s->scaled_kappa, -64);
    ok = ok && last - first < MAX_STEPS && d->high - d->low < MAX_STEPS;
    if (ok)
        t = fixed_threshold(d->f, &d->two);
    for (; ok && t > at + 1 && at < last && d->up; at++)
    {
        d->f += d->step;
        t = fixed_threshold(d->f, &d->two);
    }
    if (ok && t <= at + 1)
    {
        /* mass(c-1) = mass(c) c (1-s)/((n-c) s) */
        arb_div(d->odds, w->count_complement, w->count, prec);
        shuf_binomial_pmf(d->mass, s->others, at, w->count, w->count_complement, prec);
        walk_start(&d->walk, s, at, t);
    }
    arb_clear(A);
    arb_clear(B);
    return !ok ? NOT_SEEN : t <= at + 1 ? 1 : VANISHES;
}

/*
 * To stratum c-1. Returns 0 when V = 0 there and for every smaller c: t* - (c+1) is linear in c.
 * Coq: Monotone.stratum_none_below.
 */
static int pass_next(pass_struct *d, const stratum_context_t s)
{
    const shuf_pair_weights_struct *w = s->weights;
    walk_struct *k = &d->walk;
    ulong c = k->c, t, rest = s->others - c;
    d->f -= d->step;
    t = fixed_threshold(d->f, &d->two);
    if (t > c)
        return 0;
    for (; k->t > t; d->moves++)
        walk_lower(k);
    walk_down(k);
    for (; k->t < t; d->moves++)
        walk_raise(k);
    arb_mul_ui(d->mass, d->mass, c, s->prec);
    arb_div_ui(d->mass, d->mass, rest + 1, s->prec);
    arb_mul(d->mass, d->mass, d->odds, s->prec);
    if (w->rest_is_random)
    {
        /* Pr[Bin(N+1) = low] from Pr[Bin(N) = low], N = rest */
        arb_mul_ui(d->at_low, d->at_low, rest + 1, s->prec);
        arb_div_ui(d->at_low, d->at_low, rest + 1 - d->low, s->prec);
        arb_mul(d->at_low, d->at_low, w->rest_complement, s->prec);
    }
    d->moves++;
    return 1;
}

/*
 * To stratum c+1, whose V is not 0 where that of c is not.
 * Coq: Monotone.stratum_none_below.
 */
static void pass_next_up(pass_struct *d, const stratum_context_t s)
{
    walk_struct *k = &d->walk;
    ulong t;
    d->f += d->step;
    t = fixed_threshold(d->f, &d->two);
    arb_mul_ui(d->mass, d->mass, s->others - k->c, s->prec);
    arb_div_ui(d->mass, d->mass, k->c + 1, s->prec);
    arb_div(d->mass, d->mass, d->odds, s->prec);
    walk_up(k);
    for (; k->t < t; d->moves++)
        walk_raise(k);
    for (; k->t > t; d->moves++)
        walk_lower(k);
    d->moves++;
}

/* Strata, or rests of a mixture, between two looks at the budget. Steers only. */
#define BETWEEN_LOOKS 256

/* Adds the strata from where the pass is to `end`, or to where the budget ends: *c is the last one added. */
static void sum_plain(evaluation_t e, ulong *c, pass_struct *d, ulong end)
{
    const stratum_context_struct *s = e->s;
    const double cost = value_cost(s->prec);
    arb_t value, K;
    walk_struct spare;
    arb_init(value);
    arb_init(K);
    walk_init(&spare, s);
    for (;;)
    {
        *c = d->walk.c;
        stratum_K(K, s, *c, s->others - *c);
        walk_value(value, &spare, &d->walk, d->two, s, K);
        e->terms++;
        arb_addmul(e->sum, d->mass, value, s->prec);
        if (e->terms % BETWEEN_LOOKS == 0)
        {
            shuf_charge(BETWEEN_LOOKS * cost + d->moves * move_cost(s->prec));
            d->moves = 0;
            if (*c != end && shuf_exhausted(e->limit))
            {
                e->late = 1;
                break;
            }
        }
        if (*c == end)
            break;
        if (d->up)
            pass_next_up(d, s);
        else if (!pass_next(d, s))
            break;
    }
    shuf_charge((double) (e->terms % BETWEEN_LOOKS) * cost + d->moves * move_cost(s->prec));
    walk_clear(&spare);
    arb_clear(value);
    arb_clear(K);
}

/* ---- krr-weak: a stratum is a mixture over the revealed rest ---- */

typedef struct
{
    walk_struct walk; /* at the rest `low` */
    stratum_fixed f;
    arb_t mass, at_low, value;
    ulong terms;
    int late;
} mixture_struct;

typedef struct
{
    const stratum_context_struct *s;
    const pass_struct *pass;
    mixture_struct *mixture;
    double limit;
} mixtures_struct;

/*
 * value = sum over low <= R <= high of Pr[R] V(c, kappa R/(c+1)), from the walk
 * at R = low and Pr[R = low].
 * Coq: KrrPairs.krr_weak_strata.
 */
static void mixture_value(void *args, slong item)
{
    const mixtures_struct *all = args;
    const stratum_context_struct *s = all->s;
    const shuf_pair_weights_struct *w = s->weights;
    mixture_struct *x = &all->mixture[item];
    walk_struct *k = &x->walk, spare;
    slong prec = s->prec;
    const double cost = value_cost(prec) + shuf_cost_mul(prec) + 4 * shuf_cost_word(prec);
    ulong number = s->others - k->c, rest, high = FLINT_MIN(all->pass->high, number);
    double moves = 0;
    arb_t weight, value, K, odds;
    arb_init(weight); arb_init(value); arb_init(K); arb_init(odds);
    walk_init(&spare, s);
    arb_set(weight, x->at_low);
    arb_div(odds, w->rest, w->rest_complement, prec);
    for (rest = all->pass->low; rest <= high && !x->late; rest++)
    {
        int two;
        ulong t = fixed_threshold(x->f, &two);
        if (t > k->c + 1)
            break;
        for (; k->t < t; moves++)
            walk_raise(k);
        stratum_K(K, s, k->c, rest);
        walk_value(value, &spare, k, two, s, K);
        arb_addmul(x->value, weight, value, prec);
        arb_mul_ui(weight, weight, number - rest, prec);
        arb_div_ui(weight, weight, rest + 1, prec);
        arb_mul(weight, weight, odds, prec);
        x->f += all->pass->per_rest;
        if (++x->terms % BETWEEN_LOOKS == 0)
        {
            shuf_charge(BETWEEN_LOOKS * cost + moves * move_cost(prec));
            moves = 0;
            x->late = shuf_exhausted(all->limit);
        }
    }
    shuf_charge((double) (x->terms % BETWEEN_LOOKS) * cost + moves * move_cost(prec) + 2 * cost);
    walk_clear(&spare);
    arb_clear(weight); arb_clear(value); arb_clear(K); arb_clear(odds);
}

static void mixture_init(mixture_struct *x, const pass_struct *d, const stratum_context_t s)
{
    walk_init(&x->walk, s);
    walk_copy(&x->walk, &d->walk);
    arb_init(x->mass); arb_init(x->at_low); arb_init(x->value);
    arb_set(x->mass, d->mass);
    arb_set(x->at_low, d->at_low);
    x->f = d->f;
    x->terms = 0;
    x->late = 0;
}

static void mixture_clear(mixture_struct *x)
{
    walk_clear(&x->walk);
    arb_clear(x->mass); arb_clear(x->at_low); arb_clear(x->value);
}

/* Strata at a time, and about the work of that many. Steer only. */
#define MIXTURES 64
#define MIXTURES_WORK 1e8

/* About the work of one mixture. */
static double mixture_cost(const pass_struct *d, slong prec)
{
    return (double) (d->high - d->low + 4) * (value_cost(prec) + shuf_cost_mul(prec) + 4 * shuf_cost_word(prec));
}

/* The part of the mixtures that there is budget for, at most 1; 1 if they are to be summed anyway. */
static double affordable(const evaluation_t e, const pass_struct *d)
{
    double total = (double) (e->last - e->first + 1) * mixture_cost(d, e->s->prec);
    return e->limit > 0 && !e->whatever ? FLINT_MIN(1, FLINT_MAX(e->limit - shuf_work(), 1) / total) : 1;
}

/* As sum_plain. *c is one above the strata left out, when the budget ends; it begins as that of `first`, last + 1. */
static void sum_mixtures(evaluation_t e, ulong *c, pass_struct *d, ulong first)
{
    const stratum_context_struct *s = e->s;
    mixture_struct mixture[MIXTURES];
    mixtures_struct all = { s, d, mixture, e->limit };
    const double cost = mixture_cost(d, s->prec);
    int more = 1;
    *c = d->walk.c + 1;
    while (more && !e->late)
    {
        double room = e->limit > 0 ? FLINT_MIN(e->limit - shuf_work(), MIXTURES_WORK) : MIXTURES_WORK;
        slong most = room > MIXTURES * cost ? MIXTURES : room > cost ? (slong) (room / cost) : 1, count = 0, i;
        while (more && count < most)
        {
            mixture_init(&mixture[count++], d, s);
            more = d->walk.c > first && pass_next(d, s);
        }
        parallel_do(mixture_value, &all, count);
        for (i = 0; i < count; i++)
        {
            e->terms += mixture[i].terms;
            e->late = e->late || mixture[i].late;
            if (!e->late)
            {
                arb_addmul(e->sum, mixture[i].mass, mixture[i].value, s->prec);
                *c = mixture[i].walk.c;
            }
            mixture_clear(&mixture[i]);
        }
        shuf_charge((double) count * (2 * value_cost(s->prec)) + d->moves * move_cost(s->prec));
        d->moves = 0;
        if (more && shuf_exhausted(e->limit))
            e->late = 1;
    }
}

/* ---- all of them ---- */

/* Enough for a bound. Steers only. */
#define FEW_BITS 192

/* e->truncation += factor V(c, 0), whether or not the budget has ended. */
static void charge_stratum(evaluation_t e, ulong c, const arb_t factor)
{
    stratum_context_struct s = *e->s;
    double before = shuf_limit_set(0);
    arb_t value, K;
    mag_t bound;
    arb_init(value); arb_init(K); mag_init(bound);
    s.prec = FLINT_MIN(s.prec, FEW_BITS);
    stratum_value(value, &s, c, K);
    arb_mul(value, value, factor, s.prec);
    arb_get_mag(bound, value);
    mag_add(e->truncation, e->truncation, bound);
    shuf_limit_set(before);
    arb_clear(value); arb_clear(K); mag_clear(bound);
}

/*
 * Sums strata last down to first, into e. Returns 0 if the precision is too
 * low to track the threshold.
 * Coq: KrrPairs.krr_weak_truncation, Strata.trinomial_strata, Monotone.strata_middle.
 */
static int sum_range(evaluation_t e, const arb_t tolerance)
{
    const stratum_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    pass_struct d;
    arb_t t;
    ulong c;
    int begun;
    arb_init(t);
    pass_init(&d, s);
    d.up = e->up;
    c = d.up ? e->first : e->last + 1;
    begun = pass_begin(&d, s, e->first, e->last, tolerance);
    arb_zero(e->sum);
    if (begun == 1 && w->rest_is_random)
    {
        e->affordable = affordable(e, &d);
        if (e->affordable < 1)
            e->late = 1;
        else
            sum_mixtures(e, &c, &d, e->first);
    }
    else if (begun == 1)
        sum_plain(e, &c, &d, d.up ? e->last : e->first);
    if (begun != NOT_SEEN && w->rest_is_random)
    {
        /* rests cut away: at most 2 tolerance V(first, 0) in every stratum */
        arb_mul_2exp_si(t, tolerance, 1);
        charge_stratum(e, e->first, t);
    }
    if (begun != NOT_SEEN && e->late && d.up)
    {
        /* strata c+1 .. last as one block */
        shuf_binomial_upper_tail_bound(t, s->others, c + 1, w->count, w->count_complement, FEW_BITS);
        charge_stratum(e, c + 1, t);
    }
    else if (begun != NOT_SEEN && e->late && c > 0)
    {
        /* strata first .. c-1 as one block */
        shuf_binomial_lower_tail_bound(t, s->others, c - 1, w->count, w->count_complement, FEW_BITS);
        charge_stratum(e, e->first, t);
    }
    pass_clear(&d);
    arb_clear(t);
    return begun != NOT_SEEN;
}

/* Ranges that strata are summed in when they are many: each of about that work, some hundred times that of its beginning. Steer only. */
#define RANGES 16
#define RANGE_WORK 4e8

typedef struct
{
    evaluation_struct part[RANGES];
    int ok[RANGES];
    const arb_struct *tolerance;
} ranges_struct;

static void sum_part(void *args, slong i)
{
    ranges_struct *r = args;
    r->ok[i] = sum_range(&r->part[i], r->tolerance);
}

/* Sums strata first to last. Returns 0 if the precision is too low to track the threshold. */
static int sum_strata(evaluation_t e, const arb_t tolerance)
{
    ulong span = e->last - e->first + 1;
    double count = (double) span * (value_cost(e->s->prec) + 2 * move_cost(e->s->prec)) / RANGE_WORK;
    slong ranges = e->s->weights->rest_is_random || count < 2 ? 1 : count > RANGES ? RANGES : (slong) count, i;
    ranges_struct r;
    int ok = 1;
    if (ranges == 1)
        return sum_range(e, tolerance);
    r.tolerance = tolerance;
    for (i = 0; i < ranges; i++)
    {
        r.part[i] = *e;
        r.part[i].first = i == 0 ? e->first : r.part[i - 1].last + 1;
        r.part[i].last = i + 1 == ranges ? e->last : e->first + (ulong) (i + 1) * (span / (ulong) ranges) - 1;
        r.part[i].limit = parallel_limit(e->limit, ranges);
        arb_init(r.part[i].sum);
        mag_init(r.part[i].truncation);
    }
    parallel_do(sum_part, &r, ranges);
    arb_zero(e->sum);
    for (i = ranges - 1; i >= 0; i--)
    {
        ok = ok && r.ok[i];
        e->late = e->late || r.part[i].late;
        e->terms += r.part[i].terms;
        arb_add(e->sum, e->sum, r.part[i].sum, e->s->prec);
        mag_add(e->truncation, e->truncation, r.part[i].truncation);
        arb_clear(r.part[i].sum);
        mag_clear(r.part[i].truncation);
    }
    return ok;
}

/* ---- bracketing strata in blocks ---- */

static void block_value(arb_t v, const void *context, ulong c, const arb_t K)
{
    stratum_value(v, context, c, K);
}

/* ---- one direction of delta(eps) ---- */

/* More blocks than that are not worth it. Steer only. */
#define BLOCKS_FEW 32
#define BLOCKS_MAX 200000

/* Rough costs, to choose between summing and bracketing. Steer only. */
#define WORK_PER_STRATUM 600
#define WORK_PER_BLOCK 1.5e6

/* bound := a lower bound of 2^-cut x/y, x > 0. */
static void relative_tolerance(arb_t bound, const arb_t x, const arb_t y, slong cut, slong bits)
{
    arb_mul_2exp_si(bound, x, -cut);
    arb_div(bound, bound, y, bits);
    arb_get_lbound_arf(arb_midref(bound), bound, bits);
    mag_zero(arb_radref(bound));
}

/* Steps, each twice the one before, to a stratum that is seen. Steers only. */
#define STEPS_UP 30

/*
 * The strata first .. last that matter, and what may be left out of a mixture:
 * tolerance. largest is about the largest contribution, that of `top`, or of a stratum above it where V is 0 there. Returns
 * 0 if that is not certainly positive.
 */
static int find_window(evaluation_t e, arb_t tolerance, arb_t largest, ulong *peak, double rest_factor, slong cut)
{
    const stratum_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    slong bits = s->prec;
    ulong top;
    arb_t K, value, t;
    int ok, i;
    arb_init(K); arb_init(value); arb_init(t);
    /* largest = Pr[C = top] V(top, K), some measure of the sum */
    for (i = 0; i == 0 || (i < STEPS_UP && arb_is_zero(value) && *peak < s->others); i++)
    {
        if (i > 0)
            *peak += FLINT_MIN((ulong) 1 << (i - 1), s->others - *peak);
        stratum_K(K, s, *peak, (ulong) ((double) (s->others - *peak) * rest_factor));
        stratum_value(value, s, *peak, K);
    }
    top = *peak;
    shuf_binomial_pmf(largest, s->others, top, w->count, w->count_complement, bits);
    arb_mul(largest, largest, value, bits);
    ok = arb_is_positive(largest);
    if (!ok)
    {
        /* nothing to aim at (a poor peak or too little precision): keep all */
        e->first = 0;
        e->last = s->others;
        arb_one(tolerance);
        arb_mul_2exp_si(tolerance, tolerance, -cut - 64);
    }
    else
    {
        /* below: V <= u; above: V <= V(top, 0) */
        relative_tolerance(tolerance, largest, s->u, cut, bits);
        e->first = shuf_binomial_cut_below(s->others, w->count, w->count_complement, tolerance, bits);
        arb_zero(K);
        stratum_value(value, s, top, K);
        relative_tolerance(t, largest, value, cut, bits);
        e->last = shuf_binomial_cut_above(s->others, w->count, w->count_complement, t, bits);
        e->first = FLINT_MIN(e->first, top);
        e->last = FLINT_MAX(e->last, top);
    }
    arb_clear(K); arb_clear(value); arb_clear(t);
    return ok;
}

/* Strata that are not worth a narrower window, and how much narrower it is to be. Steer only. */
#define FEW_STRATA 500
#define MUCH_NARROWER 2

/* Of what the window is to hold, and strata below it: its ends are estimates. Steer only. */
#define SPARE_NATS 10.0
#define SPARE_STRATA 8

/*
 * Far out V changes as fast as Pr[C = c] does, the other way, and what is certain of the ends is far from them: then the window is
 * the one that estimates give.
 */
static void narrow_window(evaluation_t e, const estimate_parameters *guess, ulong top, slong cut)
{
    ulong first, last;
    int up = estimate_window(&first, &last, guess, top, (double) cut * d_log(2.0) + d_log(guess->others) + SPARE_NATS);
    e->narrow = e->last - e->first > FEW_STRATA && guess->count_complement > 0 && (e->last - e->first) / MUCH_NARROWER > last - first;
    if (e->narrow)
    {
        e->first = first > SPARE_STRATA ? first - SPARE_STRATA : 0;
        e->last = last;
        e->up = up;
    }
}

/*
 * Whether V is 0 below stratum c.
 * Coq: Monotone.stratum_none_below.
 */
static int vanishes_below(const stratum_context_t s, ulong c)
{
    arb_t K, value;
    int yes = c == 0;
    arb_init(K);
    arb_init(value);
    if (!yes)
    {
        stratum_K(K, s, c - 1, s->others - (c - 1));
        stratum_value(value, s, c - 1, K);
        yes = arb_is_zero(value);
    }
    arb_clear(K);
    arb_clear(value);
    return yes;
}

/* e->truncation += what the strata on one side of the window contribute, by a measure under which they are unlikely. */
static void charge_tilted(evaluation_t e, const estimate_parameters *guess, int above)
{
    const ulong edge = above ? e->last + 2 : e->first;
    mag_t m;
    arb_t bound;
    mag_init(m);
    arb_init(bound);
    stratum_beyond(bound, e->s, above, edge, estimate_tilt(guess, above, (double) edge), FLINT_MIN(e->s->prec, FEW_BITS));
    arb_get_mag(m, bound);
    mag_add(e->truncation, e->truncation, m);
    mag_clear(m);
    arb_clear(bound);
}

/*
 * The strata left out, each side as one block.
 * Coq: Monotone.trinomial_truncation.
 */
static void charge_outside(evaluation_t e)
{
    const stratum_context_struct *s = e->s;
    const shuf_pair_weights_struct *w = s->weights;
    slong bits = s->prec;
    arb_t mass, t;
    arb_init(mass);
    arb_init(t);
    if (e->first > 0)
    {
        shuf_binomial_lower_tail_bound(mass, s->others, e->first - 1, w->count, w->count_complement, bits);
        arb_mul(mass, mass, s->u, bits);
        arb_get_mag(arb_radref(t), mass);
        mag_add(e->truncation, e->truncation, arb_radref(t));
    }
    if (e->last < s->others)
    {
        shuf_binomial_upper_tail_bound(mass, s->others, e->last + 1, w->count, w->count_complement, bits);
        charge_stratum(e, e->last + 1, mass);
    }
    arb_clear(mass);
    arb_clear(t);
}

/* Brackets the strata if that is cheaper than summing them, or if there is no budget for the sum; 0 if it is neither. */
static int bracket_if_cheaper(evaluation_t e, const estimate_parameters *guess, ulong top, const arb_t largest, slong digits)
{
    const stratum_context_struct *s = e->s;
    const strata_struct blocks_of = { s->others, s->weights, s->kappa, block_value, s, s->prec, e->limit };
    double strata = (double) (e->last - e->first) + 1, left = e->limit > 0 ? e->limit - shuf_work() : HUGE_VAL;
    double sd = sqrt(guess->others * guess->count * guess->count_complement), blocks;
    ulong a, b;
    arb_t K, high, low, t;
    mag_t width;
    int yes;
    if (s->weights->rest_is_random || strata <= 20000)
        return 0;
    arb_init(K); arb_init(high); arb_init(low); arb_init(t);
    /* blocks needed: relative width of a bracket of two standard deviations of C, times a few */
    a = top > (ulong) sd ? top - (ulong) sd : 0;
    b = FLINT_MIN(top + (ulong) sd, s->others);
    stratum_K(K, s, b, s->others - b);
    stratum_value(high, s, a, K);
    stratum_K(K, s, a, s->others - a);
    stratum_value(low, s, b, K);
    arb_sub(low, high, low, 53);
    arb_div(low, low, high, 53);
    blocks = fabs(steer_midpoint(low)) * d_pow(10.0, (double) digits) * 8 + BLOCKS_FEW;
    yes = (blocks < BLOCKS_MAX && blocks * WORK_PER_BLOCK < strata * WORK_PER_STRATUM) || strata * WORK_PER_STRATUM > left;
    if (yes)
    {
        arb_set_ui(low, 10);
        arb_pow_ui(low, low, (ulong) digits, 64);
        /* the sum is about largest * sd */
        arb_set_d(t, 1.2 * sd);
        arb_mul(t, t, largest, 64);
        arb_div(low, t, low, 64);
        mag_init(width);
        if (!strata_bracket(e->sum, width, &e->terms, &blocks_of, e->first, e->last, low))
            e->late = 1;
        mag_add(e->discretisation, e->discretisation, width);
        mag_clear(width);
    }
    arb_clear(K); arb_clear(high); arb_clear(low); arb_clear(t);
    return yes;
}

/*
 * One evaluation: `bits` of working precision, strata of total contribution
 * below 2^-cut of the largest one left out, blocks aimed at `digits`. Returns
 * 0 if the precision is too low.
 */
static int evaluate(evaluation_t e, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction,
                    slong bits, slong cut, slong digits)
{
    stratum_context_struct *s = e->s;
    estimate_parameters guess;
    arb_t largest, tolerance;
    ulong top;
    int ok;

    mag_set_ui(e->truncation, 0);
    mag_set_ui(e->discretisation, 0);
    e->terms = 0;
    e->late = 0;
    e->affordable = 1;
    if (!stratum_context_set(s, pair, eps, direction, bits))
        return 0;
    arb_init(largest);
    arb_init(tolerance);
    estimate_set(&guess, s);
    top = arb_is_zero(s->weights->count) ? 0 : FLINT_MIN((ulong) estimate_peak(&guess), s->others);
    ok = find_window(e, tolerance, largest, &top, guess.rest_factor, cut);
    e->up = e->narrow = 0;
    if (ok && !s->weights->rest_is_random)
        narrow_window(e, &guess, top, cut);
    if (!e->narrow)
        charge_outside(e);
    else
    {
        if (!vanishes_below(s, e->first))
            charge_tilted(e, &guess, 0);
        if (e->last < s->others)
            charge_tilted(e, &guess, 1);
    }
    ok = (ok && bracket_if_cheaper(e, &guess, top, largest, digits)) || sum_strata(e, tolerance);
    arb_clear(largest);
    arb_clear(tolerance);
    return ok;
}

/* r := the enclosure that an evaluation proves. */
static void harvest(shuf_enclosure_t r, const evaluation_t e)
{
    slong prec = e->s->prec;
    const arb_struct *scale = e->s->weights->scale;
    arf_t extra;
    mag_t scale_bound;
    arb_t sum;
    arf_init(extra); mag_init(scale_bound); arb_init(sum);

    arb_mul(sum, e->sum, scale, prec);
    arb_get_mag(scale_bound, scale);
    shuf_enclosure_zero(r);
    mag_mul(r->ledger.truncation, e->truncation, scale_bound);
    mag_mul(r->ledger.discretisation, e->discretisation, scale_bound);
    mag_mul_2exp_si(r->ledger.rounding, arb_radref(sum), 1);
    arb_get_interval_arf(r->lo, r->hi, sum, prec + 64);
    arf_set_mag(extra, r->ledger.truncation);
    arf_add(r->hi, r->hi, extra, prec + 64, ARF_RND_CEIL);
    arf_set_mag(extra, r->ledger.discretisation);
    arf_add(r->hi, r->hi, extra, prec + 64, ARF_RND_CEIL);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (arf_cmp_si(r->hi, 1) > 0 || arf_is_nan(r->hi))
        arf_one(r->hi);
    if (arf_is_nan(r->lo) || arf_cmp(r->lo, r->hi) > 0)
        arf_zero(r->lo);
    shuf_enclosure_settle(r); /* outward rounding of the ends themselves */
    r->ledger.terms = e->terms;
    r->ledger.precision = prec;

    arf_clear(extra); mag_clear(scale_bound); arb_clear(sum);
}

/* Steer only. */
#define MAX_BITS 100000
#define MAX_ATTEMPTS 16

/* Bits of a contribution that is left out below which no less is asked for. Steers only. */
#define LEAST_CUT 10

typedef struct
{
    slong bits, cut, aim; /* as evaluate */
} effort_struct;

/*
 * After an evaluation that gave `attempt`, not accurate: more of what
 * dominates. hi = 0 means that all of it is rounding.
 */
static void refine(effort_struct *f, const shuf_ledger_struct *l)
{
    if (mag_cmp(l->rounding, l->truncation) >= 0 && mag_cmp(l->rounding, l->discretisation) >= 0)
        f->bits += f->bits / 2;
    else if (mag_cmp(l->truncation, l->discretisation) >= 0)
        f->cut = f->cut + 16 + f->cut / 2;
    else
        f->aim++;
}

/* After an evaluation that there was no budget for: as much as there is. */
static void afford(effort_struct *f, evaluation_t e)
{
    slong cut = FLINT_MAX(LEAST_CUT, (slong) (0.7 * e->affordable * (double) f->cut));
    e->whatever = cut == LEAST_CUT || cut >= f->cut;
    f->bits -= FLINT_MAX(f->cut - cut, 0);
    f->cut = FLINT_MIN(f->cut, cut);
}

/* r := an enclosure of `digits`, or the best there is budget for; r holds what is known so far. */
static void evaluate_to(shuf_enclosure_t r, evaluation_t e, const shuf_pair_t pair, const shuf_real_t eps,
                        shuf_direction direction, slong digits)
{
    effort_struct f;
    shuf_enclosure_t attempt;
    mag_t width, best;
    ulong terms = r->ledger.terms;
    int i, known = 0;
    f.bits = (slong) (3.33 * (double) digits) + (slong) FLINT_BIT_COUNT(pair->n) + 32;
    f.cut = (slong) (3.33 * (double) digits) + 8;
    f.aim = digits;
    e->whatever = 0;
    shuf_enclosure_init(attempt); mag_init(width); mag_init(best);
    for (i = 0; i < MAX_ATTEMPTS && f.bits <= MAX_BITS && (i == 0 || !shuf_exhausted(e->limit)); i++)
    {
        int seen = evaluate(e, pair, eps, direction, f.bits, f.cut, f.aim);
        terms += e->terms;
        if (!seen)
        {
            f.bits *= 2;
            continue;
        }
        harvest(attempt, e);
        shuf_enclosure_width(width, attempt);
        shuf_enclosure_width(best, r);
        if (mag_cmp(width, best) <= 0)
            shuf_enclosure_set(r, attempt);
        if (e->affordable < 1 && !known && !shuf_exhausted(e->limit))
        {
            afford(&f, e);
            continue;
        }
        known = 1;
        if (shuf_enclosure_accurate(r, digits) || e->late)
            break;
        refine(&f, &attempt->ledger);
    }
    r->ledger.terms = terms;
    shuf_enclosure_clear(attempt); mag_clear(width); mag_clear(best);
}

/* ---- a mixture in doubles ---- */

/* Elementary steps of a sweep, at most, and the units of work of one. Steer only. */
#define SWEEP_STEPS 4e9
#define SWEEP_WORK 3.0

/* Of eps: a few more than its error can show in. Steers only. */
#define SWEEP_BITS 128

/*
 * A mixture costs a value for each stratum and each rest: a sweep in doubles
 * knows some eleven digits of it at a hundredth of the work. r becomes that, if
 * it looks like half the budget at most, takes no more than most of it, and the
 * value is in their range; what is left then knows something.
 */
static void sweep_mixture(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction, double limit)
{
    const double left = limit > 0 ? fmax(limit - shuf_work(), 0) : 0, end = limit > 0 ? limit - left / 8 : 0;
    double steps = limit > 0 ? fmin(SWEEP_STEPS, left / 2 / SWEEP_WORK) : SWEEP_STEPS;
    arf_struct s[2], lo[2], hi[2];
    slong count, i;
    for (i = 0; i < 2; i++)
    {
        arf_init(s + i); arf_init(lo + i); arf_init(hi + i);
    }
    /* dyadic numbers on either side of eps: delta falls */
    shuf_real_end(s, eps, 0, SWEEP_BITS);
    shuf_real_end(s + 1, eps, 1, SWEEP_BITS);
    if (arf_sgn(s) < 0)
        arf_zero(s);
    if (arf_cmp_si(s + 1, SHUF_MAX_EPSILON) > 0)
        arf_set_si(s + 1, SHUF_MAX_EPSILON);
    count = arf_equal(s, s + 1) ? 1 : 2;
    if (hockey_nodes(lo, hi, pair, direction, s, count, steps, end))
    {
        shuf_enclosure_zero(r);
        arf_set(r->lo, lo + count - 1);
        arf_set(r->hi, hi);
        shuf_enclosure_width(r->ledger.rounding, r);
        r->ledger.precision = 53;
        r->ledger.terms = 1;
    }
    for (i = 0; i < 2; i++)
    {
        arf_clear(s + i); arf_clear(lo + i); arf_clear(hi + i);
    }
}

/* Below that doubles know nothing, and balls take this much work at least to know more. Steer only. */
#define FAR_OUT (-1000)
#define FAR_OUT_WORK 1e11

void shuf_hockey_above(arf_t hi, const shuf_pair_t pair, shuf_direction direction, const shuf_real_t eps)
{
    stratum_context_t s;
    estimate_parameters guess;
    arb_t bound;
    stratum_context_init(s);
    arb_init(bound);
    arf_one(hi);
    if (stratum_context_set(s, pair, eps, direction, FEW_BITS))
    {
        estimate_set(&guess, s);
        stratum_beyond(bound, s, 1, 0, estimate_tilt(&guess, 1, 0), FEW_BITS);
        arb_mul(bound, bound, s->weights->scale, FEW_BITS);
        arb_get_ubound_arf(hi, bound, 64);
    }
    if (!(arf_cmp_si(hi, 1) < 0)) /* NaN, too */
        arf_one(hi);
    stratum_context_clear(s);
    arb_clear(bound);
}

/* hi := what Lemma 4 (b) says of all strata, or more. Returns whether that is all that there is budget for. */
static int bound_mixture(arf_t hi, const evaluation_t e, const shuf_pair_t pair, const shuf_real_t eps, shuf_direction direction)
{
    shuf_hockey_above(hi, pair, direction, eps);
    return arf_cmp_2exp_si(hi, FAR_OUT) < 0 && e->limit > 0 && e->limit - shuf_work() < FAR_OUT_WORK;
}

/* With a budget more digits than that are approached in steps, so that something is known when it ends. Steers only. */
#define FIRST_DIGITS 12

static void delta_one_direction(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps,
                                shuf_direction direction, const shuf_options *options)
{
    evaluation_t e;
    double start = shuf_work(), before;
    const int is_mixture = hockey_is_wide_mixture(pair);
    slong digits;
    arf_t most;
    int known;

    arf_init(most);
    stratum_context_init(e->s);
    arb_init(e->sum); mag_init(e->truncation); mag_init(e->discretisation);
    e->limit = shuf_limit(options);
    before = shuf_limit_set(e->limit);

    arf_one(most);
    known = is_mixture && bound_mixture(most, e, pair, eps, direction);
    arf_set(r->hi, most);
    shuf_enclosure_width(r->ledger.truncation, r);
    if (is_mixture && !known)
        sweep_mixture(r, pair, eps, direction, e->limit);
    known = known || shuf_enclosure_accurate(r, options->digits);
    for (digits = FIRST_DIGITS; !known && e->limit > 0 && digits <= options->digits / 2 && !shuf_exhausted(e->limit); digits *= 3)
        evaluate_to(r, e, pair, eps, direction, digits);
    if (!known && (digits == FIRST_DIGITS || !shuf_exhausted(e->limit)))
        evaluate_to(r, e, pair, eps, direction, options->digits);
    arf_min(r->hi, r->hi, most);
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;

    shuf_limit_set(before);
    stratum_context_clear(e->s);
    arb_clear(e->sum); mag_clear(e->truncation); mag_clear(e->discretisation);
    arf_clear(most);
}

/* Coq: KrrPairs.krr_weak_zero, Monotone.trinomial_zero. */
shuf_status shuf_hockey_delta(shuf_enclosure_t r, const shuf_pair_t pair, const shuf_real_t eps,
                              shuf_direction direction, const shuf_options *options)
{
    shuf_real_t loss;
    int zero;

    shuf_enclosure_zero(r);
    if (!shuf_pair_has_engine(pair, SHUF_ENGINE_HOCKEY) || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        r->status = SHUF_DOMAIN;
        return r->status;
    }
    shuf_real_init(loss);
    zero = shuf_pair_max_loss(loss, pair) && shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    if (zero)
        return r->status;

    if (direction != SHUF_DIRECTION_BOTH || shuf_pair_is_symmetric(pair))
    {
        delta_one_direction(r, pair, eps, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ, options);
    }
    else
    {
        const double limit = shuf_limit(options);
        shuf_options o = *options;
        shuf_enclosure_t pq, qp;
        shuf_enclosure_init(pq);
        shuf_enclosure_init(qp);
        shuf_share(&o, limit, 0.5);
        delta_one_direction(pq, pair, eps, SHUF_DIRECTION_PQ, &o);
        shuf_share(&o, limit, 1);
        delta_one_direction(qp, pair, eps, SHUF_DIRECTION_QP, &o);
        shuf_enclosure_max(r, pq, qp);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        shuf_enclosure_clear(pq);
        shuf_enclosure_clear(qp);
    }
    return r->status;
}
