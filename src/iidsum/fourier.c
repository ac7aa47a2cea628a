/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/iidsum.md, Lemmas 6 to 9, 11 and 12. */
#include "iidsum/fourier.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "enclosure/doubles.h"
#include "iidsum/differences.h"
#include "iidsum/turning.h"
#include "pld/atoms.h"
#include "pld/cumulants.h"
#include "pld/product.h"
#include "pld/spread.h"

/* Steer only. */
#define PREC 128
#define NODE_PREC 96
#define K_PREC 256
#define BALL_PREC 160

/* ---- estimates, in doubles ---- */

/* The law as atoms in doubles, and what is asked. */
typedef struct
{
    const shuf_summand *law;
    double n, K, digits, limit, pole;
    slong count;
    double *value, *log_mass;
    double theta, k[3]; /* the saddle point, and log E e^{theta (L - K/n)} with derivatives there */
    double log_value;   /* log of the answer */
    double told;        /* if it was given: that; NAN */
    double mean;        /* of a term */
    double log_weight;  /* log of what the sum over the frequencies adds up to without cancelling */
} estimate_struct;

/* What may be left out of an estimate: the share of what is cut off at the top, within this. Steer only. */
#define COARSE_LEAST 1e-285
#define COARSE_MOST 1e-30
#define COARSE_SHARE 1e-3

#define NODE_WORK 30.0 /* steers only */

static void cumulants(double k[3], const estimate_struct *e, double theta)
{
    shuf_charge(NODE_WORK * (double) e->count);
    cumulants_of_atoms(k, e->value, e->log_mass, e->count, e->K / e->n, theta);
}

#define NEWTON_STEPS 100 /* steers only */

/* theta where n log E e^{theta (L - K/n)} - log theta - log(theta + pole) is smallest. */
static void set_saddle(estimate_struct *e)
{
    double low = 0, high = HUGE_VAL, theta, other;
    int i;
    cumulants(e->k, e, 0);
    e->mean = e->K / e->n + e->k[1];
    theta = fmax(-e->k[1], 0) / e->k[2] + 1 / sqrt(e->n * e->k[2]);
    for (i = 0; i < NEWTON_STEPS; i++)
    {
        double slope, next;
        cumulants(e->k, e, theta);
        other = theta + e->pole;
        slope = e->n * e->k[1] - 1 / theta - 1 / other;
        if (slope < 0)
            low = theta;
        else
            high = theta;
        next = theta - slope / (e->n * e->k[2] + 1 / (theta * theta) + 1 / (other * other));
        if (!(next > low && next < high))
            next = low > 0 ? (isinf(high) ? 2 * low : sqrt(low * high)) : theta / 16;
        if (fabs(next - theta) < 1e-3 * theta)
            break;
        theta = next;
    }
    e->theta = theta;
    other = theta + e->pole;
    cumulants(e->k, e, theta);
    e->log_weight = e->n * e->k[0] - d_log(theta) - d_log(other)
                    - 0.5 * d_log(2 * DOUBLE_PI * (e->n * e->k[2] + 1 / (theta * theta) + 1 / (other * other)));
    e->log_value = isnan(e->told) ? e->log_weight : e->told;
}

static double log_of(const arb_t x)
{
    arf_t end;
    double d;
    arf_init(end);
    arb_get_ubound_arf(end, x, 30);
    d = arf_is_finite(end) ? steer_log(end) : HUGE_VAL;
    arf_clear(end);
    return d;
}

/* mass and excess of what is at top or above it */
static void tail_at(arb_t mass, arb_t excess, const shuf_summand *law, const arf_t top)
{
    if (arf_is_finite(top))
    {
        law->tail(mass, excess, law, top, NODE_PREC);
    }
    else
    {
        arb_zero(mass);
        arb_zero(excess);
    }
}

/* The atoms of the law cut at top, with the rest at the top; 0 or -1. */
static int nodes_at(shuf_quadrature *q, arb_t excess, const shuf_summand *law, double theta, double reach, const arf_t top,
                    double tolerance, slong prec)
{
    arb_t mass, value;
    int failed = law->quadrature(q, law, theta, reach, top, tolerance, prec) != 0;
    arb_init(mass);
    arb_init(value);
    tail_at(mass, excess, law, top);
    if (!arb_is_zero(mass))
    {
        arb_set_arf(value, top);
        shuf_quadrature_add(q, value, mass);
    }
    failed |= !arb_is_finite(mass) || !arb_is_finite(excess);
    arb_clear(mass);
    arb_clear(value);
    return failed ? -1 : 0;
}

static int set_estimate(estimate_struct *e, const arf_t top, double log_cut)
{
    shuf_quadrature q;
    arb_t excess;
    slong i;
    int failed;
    shuf_quadrature_init(&q);
    arb_init(excess);
    /* without a cut, for estimates alone: as far out as the law likes */
    failed = nodes_at(&q, excess, e->law, 0, 0, top, isinf(log_cut) ? 0 : fmax(fmin(COARSE_SHARE * d_exp(log_cut), COARSE_MOST), COARSE_LEAST),
                      NODE_PREC) != 0 || q.count == 0;
    if (!failed)
    {
        e->value = flint_realloc(e->value, (size_t) q.count * sizeof(double));
        e->log_mass = flint_realloc(e->log_mass, (size_t) q.count * sizeof(double));
        e->count = q.count;
        for (i = 0; i < q.count; i++)
        {
            e->value[i] = arf_get_d(arb_midref(q.value + i), ARF_RND_NEAR);
            e->log_mass[i] = steer_log(arb_midref(q.mass + i));
        }
        set_saddle(e);
        failed = !isfinite(e->log_value) || !(e->theta > 0);
    }
    shuf_quadrature_clear(&q);
    arb_clear(excess);
    return failed ? -1 : 0;
}

/* Whether the law is a density. */
static int is_dense(const shuf_summand *law)
{
    return law->steps != NULL;
}

/* ---- where to cut ---- */

/* Steer only. */
#define LEAST_SHARE 5.0 /* e^-5 of the accuracy aimed at, for each of several errors */
#define CUT_ROUNDS 6
#define CUT_ROOM 5.0  /* a cut that leaves so much less than it may is too far out for heavy tails, */
#define FEW_DIGITS 2  /* of which so many are had at most */

static double log_excess_at(const shuf_summand *law, double x)
{
    arb_t mass, excess;
    arf_t at;
    double d;
    arb_init(mass); arb_init(excess); arf_init(at);
    arf_set_d(at, x);
    tail_at(mass, excess, law, at);
    d = log_of(excess);
    arb_clear(mass); arb_clear(excess); arf_clear(at);
    return d;
}

/* About the smallest x above `from` with log E(L - x)_+ <= limit. */
static double reach_for(const estimate_struct *e, double from, double limit)
{
    double low = -100, high = 500; /* log2 of the distance */
    while (high - low > 0.1 && !shuf_exhausted(e->limit))
    {
        double middle = (low + high) / 2;
        if (log_excess_at(e->law, from + d_exp2(middle)) > limit)
            low = middle;
        else
            high = middle;
    }
    return from + d_exp2(high);
}

/* top, and the estimates with it; 0 or -1 */
static int set_top(arf_t top, estimate_struct *e)
{
    arf_t lowest, largest;
    double from, limit;
    int i, failed;
    arf_init(lowest);
    arf_init(largest);
    e->law->support(lowest, largest, e->law);
    arf_pos_inf(top);
    if (arf_is_finite(largest) || e->law->tail == NULL)
    {
        failed = set_estimate(e, top, e->law->tail == NULL ? -HUGE_VAL : 0);
    }
    else
    {
        from = fmax(e->K / e->n, arf_get_d(lowest, ARF_RND_NEAR));
        limit = log_excess_at(e->law, from) - 20;
        for (i = 0, failed = 0; i < CUT_ROUNDS && !failed; i++)
        {
            double single, room;
            arf_set_d(top, reach_for(e, from, limit));
            failed = shuf_exhausted(e->limit) || set_estimate(e, top, limit) != 0;
            /* one large term alone adds as much as that; the estimate may be far too large where the cut is too far out */
            room = -e->digits * d_log(10.0) - d_log(e->n) - LEAST_SHARE;
            single = d_log(e->n) + log_excess_at(e->law, fmax(e->K - (e->n - 1) * e->mean, from));
            if (fmax(single, e->log_value) + room < limit)
                limit = fmax(single, e->log_value) + room - 1;
            else if (e->digits <= FEW_DIGITS && single + room > limit + CUT_ROOM)
                limit = single + room - 1;
            else
                break;
        }
    }
    arf_clear(lowest);
    arf_clear(largest);
    return failed ? -1 : 0;
}

/* ---- the distance of the frequencies ---- */

#define LARGEST_LOG 600.0 /* of a transform, so that doubles hold what it is off by: steers only */

/* The distance between two images of K, in the values of the sum; and a far > theta (Lemma 7). */
static double period(double *far, const estimate_struct *e)
{
    double target = e->log_value - e->digits * d_log(10.0) - LEAST_SHARE, below = -target / e->theta, above = HUGE_VAL, k[3];
    int i;
    /* theta W - log W >= -target */
    for (i = 0; i < 4; i++)
        below = fmax((d_log(fmax(below, 1 / e->theta)) + 1 - target) / e->theta, 1 / e->theta);
    *far = e->theta;
    for (i = -12; i <= 12; i++)
    {
        double at = e->theta * (1 + d_exp2(i / 2.0)), width;
        cumulants(k, e, at);
        if (k[0] + at * e->K / e->n > LARGEST_LOG)
            continue;
        /* (far - theta) W >= n log phi(far) - log(e far) - theta K - target, with the K of k taken off */
        width = (e->n * k[0] - d_log(at) - target) / (at - e->theta);
        if (width < above)
        {
            above = width;
            *far = at;
        }
    }
    return fmax(fmax(below, above), 0);
}

/* ---- how the transform falls ---- */

#define DOWN (1 - 1e-12) /* pays for some thousand roundings: Lemma 8, The intervals */

/* The parts of the steps from..to-1: nested intervals, the next step always the higher of the two beside them. */
static void add_parts(fourier_parts *u, const shuf_steps *s, const double *height, slong from, slong to)
{
    slong i, first = from, last;
    double width, level;
    for (i = from; i < to; i++)
        if (height[i] > height[first])
            first = i;
    last = first + 1;
    width = s->width[first];
    level = height[first];
    while (level > 0)
    {
        double left = first > from ? height[first - 1] : 0, right = last < to ? height[last] : 0, next = fmin(level, fmax(left, right));
        if (next < level)
        {
            u->mass[u->count] = (level - next) * width * DOWN;
            u->width[u->count++] = width * DOWN;
        }
        level = next;
        if (first > from && left >= right)
            width += s->width[--first];
        else if (last < to)
            width += s->width[last++];
    }
}

/* A valley so many times lower than what is on both sides of it parts them. Steers only. */
#define VALLEY 8.0

/* The end of the steps from..to-1 that belong together: the lowest of the first valley, or to. */
static slong part_end(const double *height, slong from, slong to)
{
    double peak = 0;
    slong i, lowest = from;
    for (i = from; i < to; i++)
    {
        if (height[lowest] * VALLEY < fmin(peak, height[i]))
            return lowest;
        if (height[i] > peak)
        {
            peak = height[i];
            lowest = i;
        }
        else if (height[i] < height[lowest])
        {
            lowest = i;
        }
    }
    return to;
}

/* The steps, each times the least of e^{theta x} on it. */
void fourier_parts_init(fourier_parts *u, const shuf_summand *law, double theta, const arf_t top)
{
    shuf_steps s;
    arb_t t;
    arf_t end;
    double *height;
    slong i, from, to;
    arb_init(t);
    arf_init(end);
    shuf_steps_init(&s);
    law->steps(&s, law, top);
    height = flint_malloc((size_t) (s.count + 1) * sizeof(double));
    u->mass = flint_malloc((size_t) (s.count + 1) * sizeof(double));
    u->width = flint_malloc((size_t) (s.count + 1) * sizeof(double));
    u->count = 0;
    for (i = 0; i < s.count; i++)
    {
        arb_set_d(t, s.low[i]);
        arf_set_d(end, theta);
        arb_mul_arf(t, t, end, 64);
        arb_exp(t, t, 64);
        arb_get_lbound_arf(end, t, 53);
        height[i] = arf_is_finite(end) && arf_cmpabs_2exp_si(end, 500) < 0 ? s.height[i] * double_below(end) * DOWN : 0;
        if (!isfinite(height[i]) || s.width[i] <= 0)
            height[i] = 0;
    }
    for (from = 0; from < s.count; from = to)
    {
        for (i = from; i < s.count && s.group[i] == s.group[from]; i++)
            ;
        to = part_end(height, from, i);
        add_parts(u, &s, height, from, to);
    }
    flint_free(height);
    shuf_steps_clear(&s);
    arb_clear(t);
    arf_clear(end);
}

void fourier_parts_clear(fourier_parts *u)
{
    flint_free(u->mass);
    flint_free(u->width);
}

/* Below the least of 1 - |sin v/v| over all v >= u: Lemma 8, kappa. */
#define SINC_TURN 2.5
#define SINC_BEYOND 0.24

static double lost_share(double u)
{
    double u2 = u * u;
    if (u > SINC_TURN)
        return 1 - fmin(SINC_BEYOND, 1 / u);
    /* u^2/6 - u^4/120 + u^6/5040 - u^8/362880 */
    return u2 / 6 * (1 - u2 / 20 * (1 - u2 / 42 * (1 - u2 / 72)));
}

double fourier_parts_loss(const fourier_parts *u, double reach)
{
    double sum = 0;
    slong i;
    for (i = 0; i < u->count; i++)
        sum += u->mass[i] * lost_share(reach * u->width[i] / 2);
    return sum * (1 - 1e-9);
}

/* ---- the transform ---- */

/* Where no lemma is named: steer only. */
#define MOST_WORK 4e9       /* of a line, */
#define SHARE_OF_WORK 0.25 /* and of what is left */
#define ADDED_SHARE 0.3 /* of the accuracy aimed at, for what is added; down to that share of it where so many frequencies do */
#define FINEST 0.01
#define CHEAP(digits) d_exp2(fmin(2 * (digits) + 7, 17)) /* so many frequencies cost little beside the rest */
#define SCAN_WORK 10.0
#define MANY 1000 /* frequencies: doubles all the way */
#define LEAST_THETA 1e-50 /* so that squares of theta and of frequencies are within doubles: Lemma 12 */
#define TOGETHER_WORK 300.0 /* of a frequency, of many atoms, */
#define EXACT_WORK 4000.0 /* of an atom at a frequency in balls, */
#define ROUNDED_SHARE 0.25 /* of the frequencies, the roundings at which are those of most of the sum */
#define SHARE_OF_SKIPPED 8.0 /* e^-8 of the accuracy aimed at: what does not matter does not show */
#define STEP_WORK 4.0 /* and of one in doubles */
#define FEW_MOVED 0.1

/* Keeps frequency i, with n log of the transform z there; z is used up. */
static void keep(fourier_struct *x, slong i, acb_t z)
{
    arf_t modulus;
    slong k = x->kept++;
    int turned = arf_sgn(arb_midref(acb_realref(z))) < 0;
    arf_init(modulus);
    x->index[k] = i;
    x->lost[k] = acb_contains_zero(z);
    if (x->lost[k])
    {
        acb_get_abs_ubound_arf(modulus, z, PREC);
        arb_set_arf(x->re + k, modulus);
        arb_log(x->re + k, x->re + k, PREC);
        arb_zero(x->im + k);
    }
    else
    {
        if (turned)
            acb_neg(z, z);
        acb_log(z, z, PREC);
        arb_swap(x->re + k, acb_realref(z));
        arb_swap(x->im + k, acb_imagref(z));
        if (turned)
        {
            arb_const_pi(acb_realref(z), PREC);
            arb_add(x->im + k, x->im + k, acb_realref(z), PREC);
        }
    }
    arb_mul_ui(x->re + k, x->re + k, x->terms, PREC);
    arb_mul_ui(x->im + k, x->im + k, x->terms, PREC);
    arf_clear(modulus);
}

/* What a line leaves out. */
typedef struct
{
    double lost_mass; /* of a density: what the modulus lacks from frequency count on (Lemma 8), */
    double share;     /* of phi(theta): a frequency where the modulus is not above it does not matter */
    double most_work;
} left_out;

/*
 * z0 encloses the transform at theta. rest := (z0 - lost_mass)^n e^{-v x^2/2}/(pi x), x = step (count - 1), v what is added, and skipped := least^n/(2 theta)
 * for the frequencies before that do not matter, both times e^{2 v theta (theta + pole)}; returns least, the modulus that they have at most.
 */
static double set_rest(fourier_struct *x, const arb_t z0, const left_out *out)
{
    arb_t t, u;
    arf_t end;
    double least;
    arb_init(t); arb_init(u); arf_init(end);
    arb_set_d(t, out->lost_mass);
    arb_sub(x->rest, z0, t, PREC);
    arb_pow_ui(x->rest, x->rest, x->terms, PREC);
    arb_set_d(u, x->step);
    arb_mul_si(u, u, x->count - 1, PREC);
    arb_const_pi(t, PREC);
    arb_mul(t, t, u, PREC);
    arb_div(x->rest, x->rest, t, PREC);
    arb_mul(u, u, u, PREC);
    arb_set_d(t, x->added / 2);
    arb_mul(u, u, t, PREC);
    shuf_ball_exp_minus(u, u, PREC);
    arb_mul(x->rest, x->rest, u, PREC);
    arb_get_lbound_arf(end, z0, 53);
    least = double_below(end) * out->share;
    arb_set_d(t, least);
    arb_pow_ui(t, t, x->terms, PREC);
    arb_set_d(u, 2 * x->theta);
    arb_div(x->skipped, t, u, PREC);
    arb_set_d(t, x->theta);
    arb_add_si(u, t, x->pole, PREC);
    arb_mul(t, t, u, PREC);
    arb_set_d(u, 2 * x->added);
    arb_mul(t, t, u, PREC);
    arb_exp(t, t, PREC);
    arb_mul(x->rest, x->rest, t, PREC);
    arb_mul(x->skipped, x->skipped, t, PREC);
    arb_clear(t); arb_clear(u); arf_clear(end);
    return least;
}

/* Room for as many frequencies. */
static void set_room(fourier_struct *x, slong room)
{
    x->re = _arb_vec_init(room);
    x->im = _arb_vec_init(room);
    x->lost = flint_malloc((size_t) room * sizeof(int));
    x->index = flint_malloc((size_t) room * sizeof(slong));
    x->room = room;
    x->kept = 0;
}

static void clear_room(fourier_struct *x)
{
    if (x->in_doubles)
        polynomial_clear(&x->sum[0]);
    if (x->in_doubles && x->added > 0)
        polynomial_clear(&x->sum[1]);
    _arb_vec_clear(x->re, x->room);
    _arb_vec_clear(x->im, x->room);
    flint_free(x->lost);
    flint_free(x->index);
}

/* z := the sum over the atoms at frequency k, whose difference from `first` is in doubles */
static void set_sum(acb_t z, const arb_t first, const double *sums, const double *error, slong k)
{
    acb_set_d_d(z, sums[2 * k], sums[2 * k + 1]);
    mag_set_d(arb_radref(acb_realref(z)), error[k]);
    mag_set_d(arb_radref(acb_imagref(z)), error[k]);
    arb_add(acb_realref(z), acb_realref(z), first, PREC);
}

/* The differences from the first of the sums over the atoms at all frequencies, what their parts are off by, and the first; 0 or -1. */
static int set_differences(double *sums, double *error, arb_t first, fourier_struct *x, const shuf_quadrature *q)
{
    differences_struct a;
    const int failed = differences_init(&a, q, x->theta, x->step, x->count) != 0 || differences_sums(sums, error, &a, x->limit) != 0;
    arb_swap(first, a.first);
    x->log_roundings += failed ? 0 : d_log(fmin((error[x->count - 1] - error[0]) / (ROUNDOFF * ATOMS_STEP_ROUNDINGS * (atoms_steps(x->count) + ATOMS_BLOCK)) / estimate(first) + 1e-20, 1));
    differences_clear(&a);
    return failed ? -1 : 0;
}

/* The sums over the atoms at all frequencies, and what their parts are off by: one after the other, or many together. 0 or -1. */
static int set_sums(double *sums, double *error, const fourier_struct *x, const shuf_quadrature *q)
{
    const int together = STEP_WORK * (double) q->count * (double) x->count > spread_work(q->count, x->count);
    atoms_struct a;
    slong from, k;
    int stopped;
    if (together)
    {
        stopped = spread_sums(sums, error, q->value, q->mass, q->count, x->theta, x->step, x->count) != 0;
        for (k = x->count - 1; k >= 0 && !stopped; k--)
            error[k] = (error[0] + q->error) * (1 + 1e-9);
        return stopped ? -1 : 0;
    }
    stopped = atoms_init(&a, q->value, q->mass, q->count, q->error, x->theta, x->step) != 0;
    for (from = 0; from < a.count && !stopped; from += ATOMS_BLOCK)
    {
        slong size = FLINT_MIN(ATOMS_BLOCK, a.count - from);
        atoms_add_block(sums, &a, from, size, x->count);
        shuf_charge(STEP_WORK * (double) size * (double) x->count);
        stopped = shuf_exhausted(x->limit);
    }
    for (k = 0; k < x->count && !stopped; k++)
        error[k] = atoms_error(&a, k);
    atoms_clear(&a);
    return stopped ? -1 : 0;
}

/* Atoms in balls: their masses, tilted, and step times their values; and what they are off by. */
typedef struct
{
    slong count;
    arb_ptr mass, turn;
    double miss;
} exact_atoms;

/* None unless they are wanted. */
static void exact_atoms_init(exact_atoms *a, const fourier_struct *x, const shuf_quadrature *q, int wanted)
{
    arb_t t;
    slong j;
    arb_init(t);
    a->count = wanted ? q->count : 0;
    a->mass = _arb_vec_init(a->count);
    a->turn = _arb_vec_init(a->count);
    a->miss = q->error;
    for (j = 0; j < a->count; j++)
    {
        arb_set_d(t, x->step);
        arb_mul(a->turn + j, q->value + j, t, BALL_PREC);
        arb_set_d(t, x->theta);
        arb_mul(t, q->value + j, t, BALL_PREC);
        arb_exp(t, t, BALL_PREC);
        arb_mul(a->mass + j, q->mass + j, t, BALL_PREC);
    }
    arb_clear(t);
}

static void exact_atoms_clear(exact_atoms *a)
{
    _arb_vec_clear(a->mass, a->count);
    _arb_vec_clear(a->turn, a->count);
}

/* z := the sum over them at frequency k */
static void exact_sum(acb_t z, const exact_atoms *a, slong k)
{
    arb_t t, s, c;
    slong j;
    arb_init(t); arb_init(s); arb_init(c);
    acb_zero(z);
    for (j = 0; j < a->count; j++)
    {
        arb_mul_si(t, a->turn + j, k, BALL_PREC);
        arb_sin_cos(s, c, t, BALL_PREC);
        arb_addmul(acb_realref(z), a->mass + j, c, BALL_PREC);
        arb_addmul(acb_imagref(z), a->mass + j, s, BALL_PREC);
    }
    arb_set_d(t, a->miss);
    arb_add_error(acb_realref(z), t);
    arb_add_error(acb_imagref(z), t);
    shuf_charge(EXACT_WORK * (double) a->count);
    arb_clear(t); arb_clear(s); arb_clear(c);
}

/* What the normal number leaves of a modulus at frequency k, as an n-th root, from above. */
static double left_of(const fourier_struct *x, slong k)
{
    const double t = x->step * (double) k;
    return d_exp(-x->added / 2 * t * t / (double) x->terms) * (1 + 1e-12);
}

/*
 * The sums that are read, in doubles altogether, from the sums over the atoms or their differences from `first`, the midpoint of a ball; sums and
 * error are used up.
 */
static void set_polynomials(fourier_struct *x, double *sums, double *error, arb_t first)
{
    const int differences = x->how == FOURIER_DIFFERENCES;
    const double part = 1 / (differences ? estimate(first) : sums[0]), off = mag_get_d(arb_radref(first));
    product_struct p;
    slong k;
    for (k = 0; k < x->count; k++)
    {
        sums[2 * k] *= part;
        sums[2 * k + 1] *= part;
        error[k] = (1.5 * (error[k] + off) * part + 3 * ROUNDOFF * (fabs(sums[2 * k]) + fabs(sums[2 * k + 1]))) * (1 + 1e-9);
    }
    product_init(&p, x->count, 1);
    (differences ? product_multiply_near_one : product_multiply)(&p, sums, error, (double) x->terms);
    mag_zero(arb_radref(first));
    if (!differences)
    {
        arb_set_d(first, part);
        arb_inv(first, first, PREC);
    }
    arb_log(x->scale, first, PREC);
    arb_mul_ui(x->scale, x->scale, x->terms, PREC);
    product_polynomial(&x->sum[0], &p, x->theta, x->pole, x->step, x->centre, x->added);
    if (x->added > 0)
        product_polynomial(&x->sum[1], &p, x->theta, x->pole, x->step, x->centre, 4 * x->added);
    product_clear(&p);
    x->in_doubles = 1;
    arb_zero(x->skipped);
}

/*
 * The logarithms at the frequencies that matter, which are found in doubles; in balls then if that is how, and where they are many in
 * doubles all the way. 0 or -1.
 */
static int in_doubles(fourier_struct *x, const shuf_quadrature *q, const left_out *out)
{
    exact_atoms exact;
    acb_t z;
    arb_t first;
    slong k, matter = 0;
    const int precise = x->how == FOURIER_BALLS;
    double *sums = flint_calloc(4 * (size_t) x->count, sizeof(double)), *error = sums + 2 * x->count, *modulus = error + x->count, least = 0, re, im;
    int stopped, many;
    acb_init(z);
    arb_init(first);
    stopped = (x->how == FOURIER_DIFFERENCES ? set_differences(sums, error, first, x, q) : set_sums(sums, error, x, q)) != 0;
    for (k = 0; k < x->count && !stopped; k++)
    {
        re = sums[2 * k] + estimate(first);
        im = sums[2 * k + 1];
        modulus[k] = sqrt(re * re + im * im) * (1 + 1e-14) + 1.5 * (error[k] + mag_get_d(arb_radref(first))) + 0x1p-500;
        modulus[k] *= x->added > 0 ? left_of(x, k) : 1;
        if (k == 0)
        {
            set_sum(z, first, sums, error, k);
            modulus[k] = HUGE_VAL;
            least = set_rest(x, acb_realref(z), out);
        }
        matter += modulus[k] > least;
    }
    shuf_charge(SCAN_WORK * (double) x->count);
    many = !precise && matter > MANY && x->theta > LEAST_THETA && x->theta < 1 / LEAST_THETA;
    if (many && !stopped)
        set_polynomials(x, sums, error, first);
    stopped |= !many && (2 * FREQUENCY_WORK + (precise ? EXACT_WORK * (double) q->count : 0)) * (double) matter > out->most_work;
    set_room(x, many ? 0 : matter);
    exact_atoms_init(&exact, x, q, precise);
    for (k = 0; k < x->count && !stopped && !many; k++)
    {
        if (modulus[k] <= least)
            continue;
        if (precise)
            exact_sum(z, &exact, k);
        else
            set_sum(z, first, sums, error, k);
        keep(x, k, z);
        shuf_charge(FREQUENCY_WORK);
        stopped = shuf_exhausted(x->limit);
    }
    flint_free(sums);
    exact_atoms_clear(&exact);
    acb_clear(z);
    arb_clear(first);
    return stopped ? -1 : 0;
}

/* The same of atoms that turn from one frequency to the next, in balls or whole numbers. */
static int by_turns(fourier_struct *x, const shuf_quadrature *q, const left_out *out)
{
    turning_struct a;
    acb_t z;
    arf_t modulus, left;
    slong k;
    double least = 0;
    int stopped = turning_init(&a, q, q->error, x->theta, x->step, x->how == FOURIER_BALLS) != 0;
    acb_init(z);
    arf_init(modulus);
    arf_init(left);
    set_room(x, FLINT_MIN(x->count, 2 + (slong) (out->most_work / (2 * FREQUENCY_WORK))));
    for (k = 0; k < x->count && !stopped; k++)
    {
        /* most are far below, also without what is left of them */
        if (turning_next_above(z, &a, k == 0 ? -1 : least))
        {
            if (k == 0)
                least = set_rest(x, acb_realref(z), out);
            acb_get_abs_ubound_arf(modulus, z, 53);
            arf_set_d(left, x->added > 0 ? left_of(x, k) : 1);
            arf_mul(modulus, modulus, left, 53, ARF_RND_UP);
            if (k == 0 || arf_cmp_d(modulus, least) > 0)
            {
                keep(x, k, z);
                shuf_charge(FREQUENCY_WORK);
            }
        }
        stopped = shuf_exhausted(x->limit) || 2 * FREQUENCY_WORK * (double) x->kept > out->most_work;
    }
    turning_clear(&a);
    acb_clear(z);
    arf_clear(modulus);
    arf_clear(left);
    return stopped ? -1 : 0;
}

/* ---- a line ---- */

/* The number of frequencies, at least 2, and what is left out; 0 when they are too many. */
static slong frequencies(left_out *out, const estimate_struct *e, double step, const arf_t top)
{
    double target = e->log_value - e->digits * d_log(10.0) - LEAST_SHARE, whole = d_exp(e->k[0] + e->theta * e->K / e->n), count = 8;
    fourier_parts u;
    fourier_parts_init(&u, e->law, e->theta, top);
    for (; count <= FOURIER_MOST; count *= 1.1)
    {
        double reach = floor(count) * step, share;
        out->lost_mass = fourier_parts_loss(&u, reach);
        share = fmin(out->lost_mass / whole, 1 - 1e-9);
        if (e->n * (e->k[0] + d_log1p(-share)) - d_log(DOUBLE_PI * reach) <= target)
            break;
    }
    fourier_parts_clear(&u);
    shuf_charge(NODE_WORK * 1e4);
    return count <= FOURIER_MOST ? (slong) floor(count) : 0;
}

/*
 * The same with a variance that is added: fine^2 times what the digits ask for, or more if there is no work for it (out->most_work). A
 * density's own atoms are twice as many; who asks for a hockey stick of one has another way, and 0 is returned.
 */
static slong frequencies_with(double *added, const left_out *out, const estimate_struct *e, double step, double fine)
{
    const double target = e->log_value - e->digits * d_log(10.0) - LEAST_SHARE;
    const int dense = is_dense(e->law);
    const double atoms_work = dense ? 2 * TURNING_WORK : fmin(STEP_WORK * (double) e->count, TOGETHER_WORK);
    const double most = fmin(FOURIER_MOST, out->most_work / (SCAN_WORK + atoms_work + 3 * PRODUCT_WORK));
    const double deviations = sqrt(2 * fmax(e->n * e->k[0] - target - d_log(DOUBLE_PI * e->theta), 1));
    const double cheap = CHEAP(e->digits);
    double count;
    *added = fine * fine * ADDED_SHARE * d_exp(-e->digits * d_log(10.0)) / (e->theta * (e->theta + e->pole));
    count = deviations / sqrt(*added) / step + 3;
    if (count < cheap && !dense)
        *added *= fmax(count * count / (cheap * cheap), FINEST);
    count = deviations / sqrt(*added) / step + 3;
    if (count > most && dense && e->pole == 1)
        return 0;
    if (count > most)
        *added *= (count / most) * (count / most);
    return most > 8 && isfinite(count) ? (slong) fmin(count, most) : 0;
}

/* The fewer of both, as two sums are read with what is added; none is added in balls, where all atoms at all frequencies cost too much, unless it must be. */
static slong set_frequencies(double *added, left_out *out, const estimate_struct *e, double step, const arf_t top, double fine, int in_balls)
{
    double width;
    const slong with = frequencies_with(&width, out, e, step, fine), without = is_dense(e->law) ? frequencies(out, e, step, top) : 0;
    *added = 0;
    if (without > 0 && (in_balls || with == 0 || without / 2 <= with))
        return without;
    out->lost_mass = 0;
    *added = width;
    return with;
}

/* log := n log of an upper bound of the transform at theta, of the law cut at top; 0 or -1 */
static int log_power(arb_t log, const estimate_struct *e, uint64_t n, double theta, const arf_t top)
{
    shuf_quadrature q;
    arb_t t, excess, at, z;
    double k[3];
    slong j;
    int failed;
    shuf_quadrature_init(&q);
    arb_init(t); arb_init(excess); arb_init(at); arb_init(z);
    cumulants(k, e, theta);
    failed = nodes_at(&q, excess, e->law, theta, 0, top, 1e-12 * d_exp(k[0] + theta * e->K / e->n), NODE_PREC) != 0;
    arb_set_d(at, theta);
    arb_set_d(z, q.error);
    for (j = 0; j < q.count && !failed; j++)
    {
        arb_mul(t, q.value + j, at, NODE_PREC);
        arb_exp(t, t, NODE_PREC);
        arb_addmul(z, t, q.mass + j, NODE_PREC);
    }
    shuf_charge(TURNING_WORK * (double) q.count);
    arb_log(log, z, PREC);
    arb_mul_ui(log, log, n, PREC);
    shuf_quadrature_clear(&q);
    arb_clear(t); arb_clear(excess); arb_clear(at); arb_clear(z);
    return failed ? -1 : 0;
}

/* About the sum of the moduli of all differences at that frequency, as a part of the transform: where it is small, differences are better. */
static double moved_part(const estimate_struct *e, double reach)
{
    double moved = 0, whole = 0;
    slong j;
    for (j = 0; j < e->count; j++)
    {
        const double mass = d_exp(e->log_mass[j] + e->theta * (e->value[j] - e->K / e->n) - e->k[0]);
        whole += mass;
        moved += mass * fmin(2, reach * fabs(e->value[j]));
    }
    shuf_charge(NODE_WORK * (double) e->count);
    return moved / whole;
}

/* The line that the estimates ask for. */
static int set_line(fourier_struct *x, const estimate_struct *e, double fine)
{
    shuf_quadrature q;
    left_out out = { .most_work = MOST_WORK };
    int turns, failed;
    double atoms_work, reach, tolerance, least = e->log_value - e->digits * d_log(10.0) - SHARE_OF_SKIPPED;
    x->theta = e->theta;
    x->step = 2 * DOUBLE_PI / period(&x->far, e);
    if (x->limit > 0)
        out.most_work = fmin(out.most_work, SHARE_OF_WORK * (x->limit - shuf_work()));
    x->count = set_frequencies(&x->added, &out, e, x->step, x->top, fine, x->how >= FOURIER_FIXED);
    if (x->count == 0)
        return -1;
    turns = x->how == FOURIER_FIXED || (x->how == FOURIER_BALLS && x->added == 0);
    out.share = fmin(d_exp((least - e->n * e->k[0] + d_log(2 * e->theta)) / e->n), 1);
    reach = (double) x->count * x->step;
    x->log_roundings = e->log_weight + d_log(e->n * ROUNDOFF * ATOMS_STEP_ROUNDINGS * ROUNDED_SHARE * (atoms_steps(x->count) + ATOMS_BLOCK));
    x->differs = moved_part(e, reach) < FEW_MOVED;
    if (x->how == FOURIER_DOUBLES && x->differs && x->log_roundings > e->log_value - e->digits * d_log(10.0) - 1)
        x->how = FOURIER_DIFFERENCES;
    tolerance = d_exp(-e->digits * d_log(10.0) - LEAST_SHARE - fmax(e->log_weight - e->log_value, 0)) / e->n;
    tolerance = d_exp(e->k[0] + e->theta * e->K / e->n) * fmax(tolerance, x->how == FOURIER_DOUBLES ? 1e-17 : 0);
    shuf_quadrature_init(&q);
    failed = nodes_at(&q, x->excess, x->law, x->theta, reach, x->top, tolerance, x->how >= FOURIER_FIXED ? BALL_PREC : NODE_PREC) != 0;
    atoms_work = (double) x->count * (double) q.count;
    atoms_work = turns ? (x->how == FOURIER_FIXED ? TURNING_FIXED_WORK : TURNING_WIDE_WORK) * atoms_work : x->how == FOURIER_DIFFERENCES ? differences_work(&q, x->step, x->count)
                          : fmin(STEP_WORK * atoms_work, spread_work(q.count, x->count));
    failed |= (double) x->count * SCAN_WORK + atoms_work > out.most_work;
    if (!failed)
    {
        failed = (turns ? by_turns(x, &q, &out) : in_doubles(x, &q, &out)) != 0 || log_power(x->beyond, e, x->terms, x->far, x->top) != 0;
        arb_mul_ui(x->excess, x->excess, x->terms, PREC);
        if (failed)
            clear_room(x);
    }
    shuf_quadrature_clear(&q);
    return failed ? -1 : 0;
}

int fourier_init(fourier_struct *x, const shuf_summand *law, uint64_t n, const arf_t K, int pole, double digits, double limit,
                 double log_value, fourier_how how, double fine)
{
    estimate_struct e = { .law = law, .n = (double) n, .K = arf_get_d(K, ARF_RND_NEAR), .digits = digits, .limit = limit,
                          .pole = pole, .told = log_value };
    arf_t lowest;
    int failed;
    if (law->quadrature == NULL)
        return -1;
    *x = (fourier_struct) { .law = law, .terms = n, .how = how, .pole = pole, .digits = digits, .limit = limit };
    arf_init(x->top); arf_init(x->largest); arf_init(x->centre);
    arb_init(x->scale); arb_init(x->excess); arb_init(x->rest); arb_init(x->skipped); arb_init(x->beyond);
    arf_init(lowest);
    arf_set_d(x->centre, e.K);
    law->support(lowest, x->largest, law);
    failed = set_top(x->top, &e) != 0 || shuf_exhausted(limit) || set_line(x, &e, fine) != 0;
    arf_min(x->largest, x->largest, x->top);
    arf_mul_ui(x->largest, x->largest, n, PREC, ARF_RND_CEIL);
    if (x->added > 0)
        arf_pos_inf(x->largest); /* whether S is bounded or not */
    flint_free(e.value);
    flint_free(e.log_mass);
    arf_clear(lowest);
    if (failed)
    {
        arf_clear(x->top); arf_clear(x->largest); arf_clear(x->centre);
        arb_clear(x->scale); arb_clear(x->excess); arb_clear(x->rest); arb_clear(x->skipped); arb_clear(x->beyond);
    }
    return failed ? -1 : 0;
}

#define BOUND_TRIALS 12 /* steers only */

int fourier_moment(arb_t log_moment, double *theta, const shuf_summand *law, uint64_t n, const arf_t K, int pole)
{
    estimate_struct e = { .law = law, .n = (double) n, .K = arf_get_d(K, ARF_RND_NEAR), .pole = pole, .told = NAN };
    arf_t top;
    arb_t t;
    int i, failed;
    arf_init(top);
    arb_init(t);
    arf_pos_inf(top);
    failed = set_estimate(&e, top, -HUGE_VAL);
    /* any theta > 0 will do: a smaller one where the transform is too large */
    for (i = 0; i < BOUND_TRIALS && failed == 0 && log_power(log_moment, &e, n, e.theta, top) != 0; i++)
        e.theta /= 4;
    *theta = e.theta;
    arb_set_d(t, e.theta);
    arb_submul_arf(log_moment, t, K, PREC);
    flint_free(e.value);
    flint_free(e.log_mass);
    arf_clear(top);
    arb_clear(t);
    return failed == 0 && i < BOUND_TRIALS;
}

void fourier_bound(arb_t bound, const shuf_summand *law, uint64_t n, const arf_t K)
{
    arb_t t;
    double theta;
    if (!fourier_moment(bound, &theta, law, n, K, 1))
    {
        arb_pos_inf(bound);
        return;
    }
    /* e^{bound - 1}/theta */
    arb_init(t);
    arb_set_d(t, theta);
    arb_sub_ui(bound, bound, 1, PREC);
    arb_exp(bound, bound, PREC);
    arb_div(bound, bound, t, PREC);
    arb_clear(t);
}

void fourier_clear(fourier_struct *x)
{
    clear_room(x);
    arf_clear(x->top); arf_clear(x->largest); arf_clear(x->centre);
    arb_clear(x->scale); arb_clear(x->excess); arb_clear(x->rest); arb_clear(x->skipped); arb_clear(x->beyond);
}
