/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/pld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "enclosure/arf_vec.h"
#include "enclosure/doubles.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "pld/cumulants.h"
#include "pld/fft.h"
#include "pld/finite.h"
#include "pld/grid.h"
#include "pld/losses.h"
#include "pld/power.h"
#include "pld/product_line.h"
#include "pld/tilted.h"

#define PREC 192 /* steers only */

/* Where no lemma is named: steer only. */
#define MAX_NODES 0x1p20      /* of one part, */
#define MAX_ALL_NODES 0x1p22  /* and of all */
#define MAX_LOG2_LENGTH 24 /* steers only: FFT_MAX_LOG is the limit */
#define SMALLEST_LOG2_STEP (-150)

/* ---- one part on a grid ---- */

/* A part in one direction: its window, and its laws at the current step. */
typedef struct
{
    const shuf_law_struct *law;
    uint64_t rounds;
    shuf_direction direction;
    double top, bottom; /* losses from -bottom to top */
    double scale;       /* standard deviation of the loss, roughly */
    int have_laws;
    grid_law_t upper, lower;
    double *log_mass;   /* of lower (of upper, if that is empty), for estimates */
} part_struct;

typedef struct
{
    part_struct *parts;
    size_t count;
    const shuf_options *options;
    double start, limit; /* 0: none */
    double digits;
    slong log2_step;
    double log_delta; /* estimates */
    double theta;
    slong last_step;  /* of the last run that gave an enclosure, if there was one: */
    double last_work; /* what it charged, */
    double width;     /* the relative width of the best one, */
    int runs, stuck;  /* and how many there were, and hardly changed that */
} accountant;

static double rounds_of(const part_struct *p)
{
    return (double) p->rounds;
}

static shuf_direction reverse(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

/* For a profile that may use `part` of what is left. */
static shuf_options profile_options(const accountant *a, double rounds, double part)
{
    shuf_options o;
    o.digits = (slong) fmin(ceil(a->digits + log10(rounds)), 12);
    shuf_share(&o, a->limit, part);
    return o;
}

static void part_drop_laws(part_struct *p)
{
    if (p->have_laws)
    {
        grid_law_clear(p->upper);
        grid_law_clear(p->lower);
        flint_free(p->log_mass);
        p->have_laws = 0;
    }
}

static void set_log_mass(double *log_mass, const grid_law_t law)
{
    slong i;
    for (i = 0; i < law->length; i++)
        log_mass[i] = steer_log(law->mass + i);
}

static double largest(const double *x, slong length)
{
    double most = -HUGE_VAL;
    slong i;
    for (i = 0; i < length; i++)
        most = fmax(most, x[i]);
    return most;
}

/*
 * The profile at alpha < 1: 1 - alpha + alpha k, k that of the other direction at 1/alpha.
 * Coq: Divergence.hockey_symmetry_law.
 */
static void reflect(arf_t lo, arf_t hi, const arf_t loss)
{
    arb_t alpha, t;
    arb_init(alpha);
    arb_init(t);
    arb_set_arf(alpha, loss);
    arb_neg(alpha, alpha);
    arb_exp(alpha, alpha, PREC);
    arb_mul_arf(t, alpha, lo, PREC);
    arb_sub(t, t, alpha, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_get_lbound_arf(lo, t, PREC);
    arb_mul_arf(t, alpha, hi, PREC);
    arb_sub(t, t, alpha, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_get_ubound_arf(hi, t, PREC);
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
    arb_clear(alpha);
    arb_clear(t);
}

/* A profile at the losses s[0], .., s[count - 1], in one direction. */
typedef struct
{
    shuf_direction direction;
    arf_ptr lo, hi;
    slong count;
} side_struct;

typedef struct
{
    const shuf_law_struct *law;
    arf_ptr s;
    const shuf_options *options;
    side_struct side[2];
} sides_struct;

static void evaluate_side(void *args, slong i)
{
    sides_struct *x = args;
    side_struct *side = &x->side[i];
    x->law->evaluate(side->lo, side->hi, x->law, side->direction, x->s, side->count, x->options);
}

/* Units of work for a node beside its profile's and its laws': turning it over, and its logarithm. Steers only. */
#define NODE_WORK 2500.0

/*
 * lo[i], hi[i], -below <= i <= above: the part's profile at the loss
 * i 2^log2_step, for `share` of the budget left in each direction. The negative
 * ones are those of the reverse direction, turned over.
 */
static void part_evaluate(arf_ptr lo, arf_ptr hi, const part_struct *p, const accountant *a, slong below, slong above,
                          slong log2_step, double share)
{
    shuf_options o = profile_options(a, rounds_of(p), share);
    slong larger = FLINT_MAX(above, below), i;
    sides_struct x = { p->law, arf_vec_init(larger + 1), &o, { { p->direction, lo, hi, above + 1 },
                       { reverse(p->direction), arf_vec_init(larger + 1), arf_vec_init(larger + 1), below + 1 } } };
    side_struct *turned = &x.side[1];
    for (i = 0; i <= larger; i++)
        arf_set_si_2exp_si(x.s + i, i, log2_step);
    if (p->law->symmetric)
    {
        turned->count = larger + 1;
        evaluate_side(&x, 1);
        for (i = 0; i <= above; i++)
        {
            arf_set(lo + i, turned->lo + i);
            arf_set(hi + i, turned->hi + i);
        }
    }
    else
    {
        parallel_do(evaluate_side, &x, 2);
    }
    for (i = 1; i <= below; i++)
    {
        arf_swap(lo - i, turned->lo + i);
        arf_swap(hi - i, turned->hi + i);
        reflect(lo - i, hi - i, x.s + i);
    }
    arf_vec_clear(x.s, larger + 1);
    arf_vec_clear(turned->lo, larger + 1);
    arf_vec_clear(turned->hi, larger + 1);
}

/*
 * The part's laws with the step 2^log2_step, for `share` of the budget left.
 * Coq: Divergence.dominates_both_directions.
 */
static void part_set_laws(part_struct *p, const accountant *a, slong log2_step, double share)
{
    slong above = FLINT_MAX((slong) ceil(ldexp(p->top, (int) -log2_step)), 1);
    slong below = FLINT_MAX((slong) ceil(ldexp(p->bottom, (int) -log2_step)), 1), length = above + below + 1;
    arf_ptr lo = arf_vec_init(length), hi = arf_vec_init(length);
    arf_t infinite;

    part_drop_laws(p);
    shuf_charge(NODE_WORK * (double) length);
    part_evaluate(lo + below, hi + below, p, a, below, above, log2_step, share);
    arf_init(infinite);
    p->law->infinite(infinite, p->law, p->direction);
    grid_laws(p->upper, p->lower, lo, hi, infinite, -below, length, log2_step);
    p->log_mass = flint_malloc((size_t) length * sizeof(double));
    set_log_mass(p->log_mass, p->lower);
    if (!(largest(p->log_mass, length) > -HUGE_VAL))
        set_log_mass(p->log_mass, p->upper);
    p->have_laws = 1;
    arf_clear(infinite);
    arf_vec_clear(lo, length);
    arf_vec_clear(hi, length);
}

/* ---- the scale and the window of a part ---- */

/* Steer only. */
#define SURVEY_FIRST (-40) /* losses from 2^-40 to 2^19, two an octave */
#define SURVEY_POINTS (2 * 59)
#define SURVEY_DIGITS 3
#define SMALLEST_LOG (-600.0) /* as small as it need get, delta not being known */
#define SCALE_STEPS 16        /* steps in a standard deviation, to begin with */
#define SURVEY_NODES 60000.0
#define SURVEY_SHARE 0.25     /* of the budget */
#define LEAST_SCALE 1e-5 /* times the total variation distance */

/*
 * From the profile at a few points far apart: the loss from which it is as
 * small as it gets (top), and where it has fallen to a twentieth (scale).
 * Returns 0 when it is 0 everywhere.
 */
static int survey(double *top, double *scale, const part_struct *p, const accountant *a, shuf_direction direction)
{
    shuf_options o = profile_options(a, 1, SURVEY_SHARE / (double) (a->count - (size_t) (p - a->parts)));
    arf_struct s[SURVEY_POINTS], lo[SURVEY_POINTS], hi[SURVEY_POINTS];
    double at[SURVEY_POINTS], log_hi[SURVEY_POINTS], least;
    int i;
    o.digits = SURVEY_DIGITS;
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        at[i] = i == 0 ? 0 : ldexp(2 + i % 2, SURVEY_FIRST + i / 2 - 1);
        arf_init(s + i); arf_init(lo + i); arf_init(hi + i);
        arf_set_d(s + i, at[i]);
    }
    p->law->evaluate(lo, hi, p->law, direction, s, SURVEY_POINTS, &o);
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        log_hi[i] = steer_log(hi + i);
        arf_clear(s + i); arf_clear(lo + i); arf_clear(hi + i);
    }
    if (log_hi[0] == -HUGE_VAL)
        return 0;
    least = fmax(log_hi[SURVEY_POINTS - 1] + 1e-6, a->log_delta - log(rounds_of(p)) - a->digits * log(10.0) - 7);
    /* at least the first positive loss: a profile may be constant, or not known better */
    for (i = 1; i < SURVEY_POINTS - 1 && log_hi[i] > least; i++)
        ;
    *top = at[i];
    for (i = 1; i < SURVEY_POINTS - 1 && log_hi[i] > log_hi[0] - log(20.0); i++)
        ;
    /* finer than this, the errors of the values would hide a law of few losses and a large mass at infinity */
    *top = fmax(*top, LEAST_SCALE * exp(log_hi[0]));
    *scale = fmax(fmin(at[i] / 1.65, *top), LEAST_SCALE * exp(log_hi[0]));
    return 1;
}

/* The nodes of all parts. */
static double node_count(const accountant *a)
{
    double nodes = 0;
    size_t k;
    for (k = 0; k < a->count; k++)
        nodes += ldexp(a->parts[k].top + a->parts[k].bottom, (int) -a->log2_step);
    return nodes;
}

/* Whether there may be 2^shift times as many. */
static int fits(const accountant *a, int shift)
{
    size_t k;
    for (k = 0; k < a->count; k++)
        if (ldexp(a->parts[k].top + a->parts[k].bottom, shift - (int) a->log2_step) > MAX_NODES)
            return 0;
    return ldexp(node_count(a), shift) <= MAX_ALL_NODES;
}

/* Windows and the first step of every part. Returns 0 when every part is P = Q. */
static int survey_parts(accountant *a)
{
    double variance = 0, rounds = 0;
    int differ = 0;
    size_t k;
    for (k = 0; k < a->count; k++)
    {
        part_struct *p = &a->parts[k];
        double scale;
        if (!survey(&p->top, &p->scale, p, a, p->direction))
        {
            p->top = p->bottom = p->scale = 0;
            continue;
        }
        differ = 1;
        p->bottom = p->top;
        if (!p->law->symmetric)
        {
            if (survey(&p->bottom, &scale, p, a, reverse(p->direction)))
                p->scale = fmax(p->scale, scale);
        }
        variance += rounds_of(p) * p->scale * p->scale;
        rounds += rounds_of(p);
    }
    if (!differ)
        return 0;
    a->log2_step = (slong) floor(log2(sqrt(variance / rounds) / SCALE_STEPS));
    a->log2_step = FLINT_MAX(a->log2_step, SMALLEST_LOG2_STEP);
    for (k = 0; k < a->count; k++)
    {
        a->parts[k].top = fmin(a->parts[k].top, ldexp(SURVEY_NODES, (int) a->log2_step));
        a->parts[k].bottom = fmin(a->parts[k].bottom, ldexp(SURVEY_NODES, (int) a->log2_step));
    }
    while (!fits(a, 0))
        a->log2_step++;
    return 1;
}

/* What the cut at the top may add to delta, and the cut at the bottom to the lost mass, relative to the accuracy. Steer only. */
#define TOP_SHARE 0.01
#define BOTTOM_SHARE 0.001

/* Narrows the window to what matters at the delta estimated. */
static void narrow_window(part_struct *p, const accountant *a)
{
    double log_accuracy = -a->digits * log(10.0) - log(rounds_of(p)), sum;
    double step = ldexp(1, (int) a->log2_step);
    slong i, length = p->upper->length, first = p->upper->first;
    double limit = log_accuracy + a->log_delta + log(TOP_SHARE);
    if (isfinite(limit))
    {
        /* the mass above node i */
        for (sum = -HUGE_VAL, i = length - 1; i > -first + 1; i--)
        {
            double mass = steer_log(p->upper->mass + i), m = fmax(sum, mass);
            if (m > -HUGE_VAL)
                sum = m + log(exp(sum - m) + exp(mass - m));
            if (sum > limit)
                break;
        }
        p->top = fmin(p->top, (double) (first + i + 1) * step);
    }
    limit = log_accuracy + log(BOTTOM_SHARE);
    for (sum = 0, i = 0; i < -first - 1; i++)
    {
        sum += exp(steer_log(p->upper->mass + i));
        if (sum > exp(limit))
            break;
    }
    p->bottom = fmin(p->bottom, -(double) (first + i - 1) * step);
}

/* ---- the saddle point, in floating point ---- */

/* Units of work for a node. Steers only. */
#define CUMULANT_WORK 9.0

/* k[0..2] := K(theta) = log E e^{theta L} of the composition's finite losses, and its derivatives. */
static void cumulants(double k[3], const accountant *a, double theta)
{
    double step = ldexp(1, (int) a->log2_step);
    size_t j;
    slong i;
    k[0] = k[1] = k[2] = 0;
    for (j = 0; j < a->count; j++)
    {
        const part_struct *p = &a->parts[j];
        double first = (double) p->upper->first * step, top = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
        shuf_charge(CUMULANT_WORK * (double) p->upper->length);
        for (i = 0; i < p->upper->length; i++)
            top = fmax(top, p->log_mass[i] + theta * (first + (double) i * step));
        if (top == -HUGE_VAL)
            continue;
        for (i = 0; i < p->upper->length; i++)
        {
            double loss = first + (double) i * step, weight = exp(p->log_mass[i] + theta * loss - top);
            m0 += weight;
            m1 += weight * loss;
            m2 += weight * loss * loss;
        }
        m1 /= m0;
        m2 = fmax(m2 / m0 - m1 * m1, 0);
        k[0] += rounds_of(p) * (top + log(m0));
        k[1] += rounds_of(p) * m1;
        k[2] += rounds_of(p) * m2;
    }
}

static void at_theta(double *eps, double *log_delta, const accountant *a, double theta)
{
    double k[3];
    cumulants(k, a, theta);
    cumulants_saddle(eps, log_delta, k, theta);
}

/* theta times the step: more would leave nothing but the largest loss in sight. Steers only. */
#define LARGEST_TILT 4.0

/* theta for an eps (is_delta = 0), or for a log delta; *eps and *log_delta are those that go with it. */
static double saddle_point(double *eps, double *log_delta, const accountant *a, double target, int is_delta)
{
    double low = -30, high = log(LARGEST_TILT) - (double) a->log2_step * log(2.0);
    int i;
    for (i = 0; i < 60 && !shuf_exhausted(0); i++)
    {
        double middle = (low + high) / 2;
        at_theta(eps, log_delta, a, exp(middle));
        if (is_delta ? *log_delta > target : *eps < target)
            low = middle;
        else
            high = middle;
    }
    at_theta(eps, log_delta, a, exp(low));
    return exp(low);
}

/* Log of what the atoms at infinity add, roughly. */
static double log_infinite(const accountant *a)
{
    double sum = -HUGE_VAL;
    size_t k;
    for (k = 0; k < a->count; k++)
        sum = fmax(sum, steer_log(a->parts[k].upper->infinite) + log(rounds_of(&a->parts[k])));
    return sum;
}

/* ---- one run ---- */

/* What is asked: delta at eps, or eps at delta. */
typedef struct
{
    int to_delta;
    const shuf_real_struct *point;
    double value; /* of eps, or log delta */
} query;

/* Steer only. */
#define LAWS_SHARE 0.8         /* of the budget left, at most, goes to the laws of a run */
#define WINDOW_MARGIN 12.0     /* what is outside the window, in units of the accuracy: e^-12 */

/*
 * How far from its mean k[1] the tilted sum may lie on one side (sign), but
 * for a probability of e^-exponent: the best of Chernoff's bounds.
 */
static double reach(const accountant *a, double theta, const double k[3], int sign, double exponent)
{
    double low = log(1e-3 / sqrt(k[2])), high = log(1e3 / sqrt(k[2])), best = HUGE_VAL;
    int i;
    for (i = 0; i < 30 && !shuf_exhausted(0); i++)
    {
        double value[2], t[2], shifted[3];
        int side;
        t[0] = low + (high - low) / 3;
        t[1] = high - (high - low) / 3;
        for (side = 0; side < 2; side++)
        {
            double u = exp(t[side]);
            cumulants(shifted, a, theta + sign * u);
            value[side] = (shifted[0] - k[0] + exponent) / u - sign * k[1];
            best = fmin(best, value[side]);
        }
        if (value[0] < value[1])
            high = t[1];
        else
            low = t[0];
    }
    return best;
}

/* That of both sides: of[0] above the mean, of[1] below. */
typedef struct
{
    const accountant *a;
    double theta, k[3], exponent, of[2];
} reach_struct;

static void set_reach(void *args, slong i)
{
    reach_struct *r = args;
    r->of[i] = reach(r->a, r->theta, r->k, i == 0 ? 1 : -1, r->exponent);
}

/* The length of the transform, as a power of two. */
static int log2_length(const accountant *a, double theta)
{
    reach_struct r = { a, theta, { 0, 0, 0 }, a->digits * log(10.0) + WINDOW_MARGIN, { 0, 0 } };
    double support = 1, nodes = 1, length = 64;
    size_t j;
    cumulants(r.k, a, theta);
    for (j = 0; j < a->count; j++)
    {
        support += rounds_of(&a->parts[j]) * (double) (a->parts[j].upper->length - 1);
        nodes = fmax(nodes, (double) a->parts[j].upper->length);
    }
    if (support > nodes && r.k[2] > 0)
    {
        parallel_do(set_reach, &r, 2);
        length += 2 * fmax(r.of[0], r.of[1]) / ldexp(1, (int) a->log2_step);
    }
    length = fmin(support, fmax(length, nodes));
    return (int) fmin(ceil(log2(length)), 1000);
}

/* The factors of the product of the upper (up) or the lower laws. */
static grid_factor *factors_of(const accountant *a, int up)
{
    grid_factor *factors = flint_malloc(a->count * sizeof(*factors));
    size_t k;
    for (k = 0; k < a->count; k++)
    {
        factors[k].law = up ? a->parts[k].upper : a->parts[k].lower;
        factors[k].power = a->parts[k].rounds;
    }
    return factors;
}

/* How far 2^bits is from a length that memory and the budget allow for both laws' transforms: 0, or halvings. */
static int excess_length(const accountant *a, int bits)
{
    grid_factor *factors = factors_of(a, 1);
    int most = FLINT_MIN(bits, MAX_LOG2_LENGTH);
    while (a->limit > 0 && most > 0 && shuf_work() + 2 * tilted_sum_work(factors, a->count, most) > a->limit)
        most--;
    flint_free(factors);
    return bits - most;
}

/* The products of the lower laws and of the upper ones, by transforms of length 2^bits; done unless that is too much work. */
typedef struct
{
    const accountant *a;
    int bits;
    tilted_sum_t sum[2];
    int done[2];
} products_struct;

static void set_product(void *args, slong up)
{
    products_struct *x = args;
    const accountant *a = x->a;
    grid_factor *factors = factors_of(a, (int) up);
    x->done[up] = tilted_sum_init(x->sum[up], factors, a->count, a->theta, x->bits, (int) up) == 0;
    flint_free(factors);
}

/*
 * Whether the bound of delta at a double eps is certainly above the delta
 * asked for (c from below), or not certainly at most that (c from above).
 * *distance := log of the bound, less log delta.
 */
static int is_above(double *distance, const tilted_sum_struct *c, double eps, const query *q)
{
    convolution_errors errors;
    shuf_real_t x, delta;
    arf_t bound;
    int sign;
    shuf_real_init(x); shuf_real_init(delta); arf_init(bound);
    convolution_errors_init(&errors);
    shuf_real_set_d(x, eps);
    shuf_real_set(delta, q->point);
    tilted_sum_delta(bound, &errors, c, x);
    *distance = steer_log(bound) - q->value;
    sign = shuf_real_cmp_arf(delta, bound);
    convolution_errors_clear(&errors);
    shuf_real_clear(x); shuf_real_clear(delta); arf_clear(bound);
    return sign < 0;
}

#define MAX_STEPS 60 /* steers only */

/*
 * Where the bound crosses delta. From above (up): an eps at which it is <=
 * delta, or infinity when none is found; from below: one at which it is >
 * delta, or 0. Secants in log delta, each going a little beyond the root so
 * that the bracket closes from both sides.
 */
static double crossing(const accountant *a, const tilted_sum_struct *c, int up, const query *q, double guess)
{
    double low = 0, high = HUGE_VAL, x = guess, last = 0, last_g, g, slope = a->theta + 1;
    double tolerance = pow(10, -a->digits) / 8, back = tolerance * guess;
    int i;

    if (!is_above(&last_g, c, 0, q) && up)
        return 0;
    for (i = 0; i < MAX_STEPS && low < SHUF_MAX_EPSILON && (high == HUGE_VAL || high - low > tolerance * high) && !shuf_exhausted(0); i++)
    {
        double root;
        int above;
        if (!(x > low && x < high))
            x = isfinite(high) ? (low + high) / 2 : 2 * low + 1e-6;
        above = is_above(&g, c, x, q);
        if (above)
            low = x;
        else
            high = x;
        if (isfinite(g) && isfinite(last_g) && x != last && (last_g - g) / (x - last) > 0)
            slope = (last_g - g) / (x - last);
        last = x;
        last_g = g;
        if (isfinite(g))
        {
            root = x + g / slope;
            x = root * (1 + (above ? 0.4 : -0.4) * tolerance);
        }
        else
        {
            /* no slope to go by: away from here, not far at first */
            x += above ? back : -back;
            back *= 4;
        }
    }
    return up ? high : low;
}

/* The best enclosure so far, and whether this run's is better. */
static void keep_better(shuf_enclosure_t best, const shuf_enclosure_t r)
{
    mag_t width, best_width;
    mag_init(width);
    mag_init(best_width);
    shuf_enclosure_width(width, r);
    if (arf_is_finite(best->hi))
        shuf_enclosure_width(best_width, best);
    else
        mag_inf(best_width);
    if (mag_cmp(width, best_width) < 0)
        shuf_enclosure_set(best, r);
    mag_clear(width);
    mag_clear(best_width);
}

/* x := max(x - y, 0), from above; y an exact number. */
static void take_from(mag_t x, const mag_t y)
{
    if (mag_cmp(y, x) >= 0)
        mag_zero(x);
    else
        mag_sub(x, x, y);
}

/* No cause adds more than the width. */
static void cut_to_width(shuf_enclosure_t r)
{
    mag_t width;
    mag_init(width);
    shuf_enclosure_width(width, r);
    mag_min(r->ledger.truncation, r->ledger.truncation, width);
    mag_min(r->ledger.aliasing, r->ledger.aliasing, width);
    mag_min(r->ledger.rounding, r->ledger.rounding, width);
    mag_clear(width);
}

typedef enum
{
    RUN_DONE,
    RUN_TOO_LONG, /* a coarser grid may do */
    RUN_STOPPED   /* no memory, or no budget */
} run_status;

/* The laws at the current step, and what follows from them: theta, and log delta. Returns the estimate of eps. */
static double prepare(accountant *a, const query *q)
{
    double eps, log_delta;
    size_t k;
    for (k = 0; k < a->count && !shuf_exhausted(a->limit); k++)
        part_set_laws(&a->parts[k], a, a->log2_step, LAWS_SHARE / (double) (a->count - k));
    if (k < a->count)
        return 0;
    a->theta = saddle_point(&eps, &log_delta, a, q->value, !q->to_delta);
    if (!q->to_delta && eps < 0)
    {
        eps = 0;
        a->theta = saddle_point(&eps, &log_delta, a, 0, 0);
    }
    /* an eps out of the lower law's reach: nothing is known of its delta */
    if (q->to_delta && eps < q->value - 1e-6 * fabs(q->value) - ldexp(1, (int) a->log2_step))
        log_delta = SMALLEST_LOG;
    a->log_delta = fmin(fmax(log_delta, log_infinite(a)), 0);
    return eps;
}

/* The enclosure of delta, from both products. */
static void read_delta(shuf_enclosure_t r, const tilted_sum_struct *upper, const tilted_sum_struct *lower, const query *q)
{
    convolution_errors above, below;
    convolution_errors_init(&above);
    convolution_errors_init(&below);
    tilted_sum_delta(r->hi, &above, upper, q->point);
    tilted_sum_delta(r->lo, &below, lower, q->point);
    if (arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    mag_set(r->ledger.truncation, above.infinite);
    take_from(r->ledger.truncation, below.infinite);
    mag_add(r->ledger.aliasing, above.aliasing, below.aliasing);
    mag_add(r->ledger.rounding, above.rounding, below.rounding);
    shuf_enclosure_width(r->ledger.discretisation, r);
    take_from(r->ledger.discretisation, r->ledger.truncation);
    take_from(r->ledger.discretisation, r->ledger.aliasing);
    take_from(r->ledger.discretisation, r->ledger.rounding);
    cut_to_width(r);
    convolution_errors_clear(&above);
    convolution_errors_clear(&below);
}

/* That of eps, near a guess. */
static void read_epsilon(shuf_enclosure_t r, const accountant *a, const tilted_sum_struct *upper, const tilted_sum_struct *lower,
                         const query *q, double guess)
{
    double hi = crossing(a, upper, 1, q, guess), lo = crossing(a, lower, 0, q, isfinite(hi) ? hi : guess);
    arf_set_d(r->lo, lo);
    arf_set_d(r->hi, hi);
    if (isfinite(hi))
        shuf_enclosure_width(r->ledger.discretisation, r);
}

/*
 * One run at the current step: r encloses the answer. *excess: halvings that a transform is too long by.
 * Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power.
 */
static run_status run(shuf_enclosure_t r, int *excess, accountant *a, const query *q)
{
    products_struct x;
    double eps = prepare(a, q), nodes = node_count(a);
    int done, up;

    if (shuf_exhausted(a->limit))
        return RUN_STOPPED;
    x.a = a;
    x.bits = log2_length(a, a->theta);
    *excess = excess_length(a, x.bits);
    if (*excess > 0)
        return RUN_TOO_LONG;
    shuf_enclosure_zero(r);
    parallel_do(set_product, &x, 2);
    done = x.done[0] && x.done[1];
    if (done && q->to_delta)
        read_delta(r, x.sum[1], x.sum[0], q);
    else if (done)
        read_epsilon(r, a, x.sum[1], x.sum[0], q, eps);
    r->ledger.terms = (ulong) nodes;
    r->ledger.precision = 53;
    r->ledger.step = ldexp(1, (int) a->log2_step);
    for (up = 0; up < 2; up++)
        if (x.done[up])
            tilted_sum_clear(x.sum[up]);
    return done ? RUN_DONE : RUN_STOPPED;
}

/* ---- refinement ---- */

/* Says how far the work is. */
static void report(const accountant *a, const shuf_enclosure_t best)
{
    double budget = a->options->max_work;
    char line[200], share[40] = "";
    if (budget > 0)
        snprintf(share, sizeof(share), "%.0f %% of the budget, ", fmin(100 * (shuf_work() - a->start) / budget, 100));
    if (a->runs > 0)
        snprintf(line, sizeof(line), "%sstep 2^%ld, %.0f nodes; so far between %.8g and %.8g", share, (long) a->log2_step,
                 node_count(a), arf_get_d(best->lo, ARF_RND_FLOOR), arf_get_d(best->hi, ARF_RND_CEIL));
    else
        snprintf(line, sizeof(line), "%sstep 2^%ld, %.0f nodes", share, (long) a->log2_step, node_count(a));
    shuf_progress(line);
}

/* Steer only. */
#define LARGEST_SHIFT 10
#define LEAST_NODES 8.0      /* of all parts: fewer say nothing */
#define COMPARISON_WORK 50.0 /* of two profiles */

/* The gap is of second order in the step: halve it so many times for the width aimed at. */
static int shift_for(double width, double target)
{
    double shift = ceil(log2(width / target) / 2 + 0.6);
    return shift < 1 ? 1 : shift > LARGEST_SHIFT ? LARGEST_SHIFT : (int) shift;
}

/* Sets the step after a run that gave an enclosure. Returns 0 when no other should follow. */
static int next_step(accountant *a)
{
    double target = pow(10, -a->digits);
    int shift = shift_for(isfinite(a->width) ? a->width : 1, target);
    /* done, or past the point where a finer grid helps */
    if (a->width <= target || a->stuck == 2)
        return 0;
    /* work is about proportional to the nodes */
    while (shift > 0 && (!fits(a, shift) || a->log2_step - shift < SMALLEST_LOG2_STEP
                         || (a->limit > 0 && shuf_work() + ldexp(a->last_work, shift) > a->limit)))
        shift--;
    a->log2_step -= shift;
    return shift > 0;
}

/* Runs on finer and finer grids, from the survey's or where it left off; the best enclosure, of those and of r, is left in r. */
static void refine(shuf_enclosure_t r, accountant *a, const query *q)
{
    shuf_enclosure_t e;
    size_t k;
    int excess = 0;

    shuf_enclosure_init(e);
    while ((a->runs == 0 || a->log2_step < a->last_step || next_step(a)) && !shuf_exhausted(a->limit))
    {
        double start = shuf_work(), last_width = a->width;
        run_status status;
        report(a, r);
        status = run(e, &excess, a, q);
        if (status == RUN_TOO_LONG && (a->runs > 0 ? a->log2_step + excess < a->last_step : node_count(a) > LEAST_NODES))
        {
            a->log2_step += excess;
            continue;
        }
        if (status != RUN_DONE)
            break;
        keep_better(r, e);
        a->runs++;
        a->last_step = a->log2_step;
        a->last_work = shuf_work() - start;
        a->width = steer_relative_width(r);
        a->stuck = a->width > 0.9 * last_width && a->width < 0.9 ? a->stuck + 1 : 0;
        for (k = 0; k < a->count; k++)
            narrow_window(&a->parts[k], a);
    }
    shuf_enclosure_clear(e);
    for (k = 0; k < a->count; k++)
        part_drop_laws(&a->parts[k]);
}

/* Sets up the parts, those with the same profile as one. */
static void accountant_init(accountant *a, const shuf_pld_part *parts, size_t count, shuf_direction direction,
                            const query *q, const shuf_options *options)
{
    size_t j, k;
    memset(a, 0, sizeof(*a));
    a->parts = flint_calloc(count, sizeof(*a->parts));
    for (k = 0; k < count; k++)
    {
        for (j = 0; j < a->count; j++)
            if (a->parts[j].rounds + parts[k].rounds <= SHUF_MAX_ROUNDS
                && shuf_law_equal(a->parts[j].law, parts[k].law))
                break;
        shuf_charge(COMPARISON_WORK * (double) (j + 1));
        if (j == a->count)
        {
            a->parts[j].law = parts[k].law;
            a->parts[j].direction = direction;
            a->count++;
        }
        a->parts[j].rounds += parts[k].rounds;
    }
    a->options = options;
    a->digits = (double) options->digits;
    a->log_delta = q->to_delta ? SMALLEST_LOG : q->value;
    a->width = HUGE_VAL;
    a->start = shuf_work();
}

/* r := [0, 0] when all parts are P = Q, and returns 0; else r := what is known of any. */
static int first_enclosure(shuf_enclosure_t r, accountant *a, const query *q)
{
    shuf_enclosure_zero(r);
    if (!survey_parts(a))
        return 0;
    if (q->to_delta)
    {
        arf_one(r->hi);
        mag_one(r->ledger.discretisation);
    }
    else
    {
        arf_pos_inf(r->hi);
    }
    return 1;
}

/* One direction of a question. */
typedef struct
{
    accountant a;
    const query *q;
    shuf_enclosure_t r;
    int differ; /* not P = Q */
} direction_struct;

static void enclose_direction(void *args, slong i)
{
    direction_struct *d = (direction_struct *) args + i;
    d->differ = first_enclosure(d->r, &d->a, d->q);
    if (d->differ)
        refine(d->r, &d->a, d->q);
}

/* By grids, up to the limit. */
static void enclose_by_grids(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction, const query *q,
                             double start, double limit, const shuf_options *options)
{
    static const shuf_direction both[2] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    int symmetric = 1, directions, i;
    direction_struct d[2];
    size_t k;
    for (k = 0; k < count; k++)
        symmetric = symmetric && parts[k].law->symmetric;
    directions = direction == SHUF_DIRECTION_BOTH && !symmetric ? 2 : 1;
    for (i = 0; i < directions; i++)
    {
        shuf_enclosure_init(d[i].r);
        accountant_init(&d[i].a, parts, count, direction == SHUF_DIRECTION_BOTH ? both[i] : direction, q, options);
        d[i].a.start = start;
        d[i].q = q;
    }
    for (i = 0; i < directions; i++)
        d[i].a.limit = parallel_limit(limit, directions);
    parallel_do(enclose_direction, d, directions);
    /* what the other direction did not need */
    for (i = 0; i < directions && directions == 2 && limit > 0; i++)
    {
        d[i].a.limit = limit;
        if (d[i].differ)
            refine(d[i].r, &d[i].a, q);
    }
    shuf_enclosure_set(r, d[0].r);
    if (directions == 2)
        shuf_enclosure_max(r, r, d[1].r);
    for (i = 0; i < directions; i++)
    {
        flint_free(d[i].a.parts);
        shuf_enclosure_clear(d[i].r);
    }
}

/* Of the work left, for what the points of a profile have in common, where that is not known yet. Steers only. */
#define PREPARE_SHARE 0.6

static void prepare_parts(const shuf_pld_part *parts, size_t count, double limit, const shuf_options *options)
{
    shuf_options o = *options;
    size_t i;
    for (i = 0; i < count; i++)
        if (parts[i].law->prepare != NULL)
        {
            shuf_share(&o, limit, PREPARE_SHARE / (double) (count - i));
            parts[i].law->prepare(parts[i].law, &o);
        }
}

static shuf_status enclose(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction,
                           const query *q, const shuf_options *options)
{
    double start = shuf_work(), limit = shuf_limit(options);
    shuf_enclosure_t by_power, by_line;
    shuf_enclosure_init(by_power);
    shuf_enclosure_init(by_line);
    if ((q->to_delta ? pld_power_delta : pld_power_epsilon)(by_power, parts, count, q->point, direction, options))
    {
        shuf_enclosure_set(r, by_power);
    }
    else
    {
        prepare_parts(parts, count, limit, options);
        if (pld_line(by_line, parts, count, q->to_delta, q->point, direction, options))
            shuf_enclosure_set(r, by_line);
        else
            enclose_by_grids(r, parts, count, direction, q, start, limit, options);
        keep_better(r, by_line);
        keep_better(r, by_power);
    }
    shuf_enclosure_clear(by_power);
    shuf_enclosure_clear(by_line);
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    return r->status;
}

/* Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power. */
shuf_status shuf_pld_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                           shuf_direction direction, const shuf_options *options)
{
    query q = { 1, eps, 0 };
    arb_t t;
    if (pld_compare_losses(parts, count, eps) >= 0)
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    if (pld_finite_delta(r, parts, count, eps, direction, options))
        return r->status;
    arb_init(t);
    shuf_real_get_arb(t, eps, 64);
    q.value = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return enclose(r, parts, count, direction, &q, options);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_pld_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                             shuf_direction direction, const shuf_options *options)
{
    query q = { 0, delta, 0 };
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, delta, 64);
    q.value = steer_log(arb_midref(t));
    arb_clear(t);
    if (shuf_real_cmp_si(delta, 1) >= 0)
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    if (pld_is_infinite(parts, count, delta, direction))
    {
        shuf_enclosure_zero(r);
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        return r->status = SHUF_DOMAIN;
    }
    if (pld_finite_epsilon(r, parts, count, delta, direction, options))
        return r->status;
    enclose(r, parts, count, direction, &q, options);
    return arf_is_finite(r->hi) ? r->status : SHUF_DOMAIN;
}
