/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/pld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "enclosure/steer.h"
#include "pld/convolve.h"
#include "pld/fft.h"
#include "pld/grid.h"

#define PREC 192

#define MAX_NODES (WORD(1) << 20) /* of one part */
#define MAX_LOG2_LENGTH 24
#define SMALLEST_LOG2_STEP (-150)

/* ---- one part on a grid ---- */

/* A part in one direction: its window, and its laws at the current step. */
typedef struct
{
    const shuf_profile *profile;
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
    const shuf_pld_options *options;
    double deadline; /* 0: none */
    double digits;
    slong log2_step;
    double log_delta; /* estimates */
    double theta;
    int stopped;
} account;

static double rounds_of(const part_struct *p)
{
    return (double) p->rounds;
}

static shuf_direction reverse(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
}

static int out_of_time(const account *a)
{
    return a->stopped || (a->deadline > 0 && shuf_seconds() > a->deadline);
}

static shuf_options profile_options(const account *a, double rounds)
{
    shuf_options o;
    o.digits = (slong) fmin(ceil(a->digits + log10(rounds)), 12);
    o.max_seconds = a->deadline > 0 ? fmax(a->deadline - shuf_seconds(), 1e-3) : 0;
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

/*
 * The part's laws with the step 2^log2_step.
 * Coq: Divergence.dominates_both_directions.
 */
static void part_set_laws(part_struct *p, const account *a, slong log2_step)
{
    slong above = (slong) ceil(ldexp(p->top, (int) -log2_step)), below = (slong) ceil(ldexp(p->bottom, (int) -log2_step));
    slong larger, length, i;
    arf_ptr s, lo, hi, values_lo, values_hi;
    arf_t infinite;
    shuf_options o = profile_options(a, rounds_of(p));

    part_drop_laws(p);
    above = FLINT_MAX(above, 1);
    below = FLINT_MAX(below, 1);
    larger = FLINT_MAX(above, below);
    length = above + below + 1;
    s = flint_malloc((size_t) (larger + 1) * sizeof(arf_struct));
    for (i = 0; i <= larger; i++)
    {
        arf_init(s + i);
        arf_set_si_2exp_si(s + i, i, log2_step);
    }
    values_lo = flint_malloc((size_t) (2 * larger + 1) * sizeof(arf_struct));
    values_hi = flint_malloc((size_t) (2 * larger + 1) * sizeof(arf_struct));
    for (i = 0; i < 2 * larger + 1; i++)
    {
        arf_init(values_lo + i);
        arf_init(values_hi + i);
    }
    /* node i at larger + i; the reverse direction first, from the middle on, then turned over */
    lo = values_lo + larger;
    hi = values_hi + larger;
    p->profile->evaluate(lo, hi, p->profile, reverse(p->direction), s, (p->profile->symmetric ? larger : below) + 1, &o);
    for (i = 1; i <= below; i++)
    {
        arf_set(lo - i, lo + i);
        arf_set(hi - i, hi + i);
        reflect(lo - i, hi - i, s + i);
    }
    if (!p->profile->symmetric)
        p->profile->evaluate(lo, hi, p->profile, p->direction, s, above + 1, &o);
    arf_init(infinite);
    p->profile->infinite(infinite, p->profile, p->direction);
    grid_laws(p->upper, p->lower, lo - below, hi - below, infinite, -below, length, log2_step);
    p->log_mass = flint_malloc((size_t) length * sizeof(double));
    set_log_mass(p->log_mass, p->lower);
    if (!(largest(p->log_mass, length) > -HUGE_VAL))
        set_log_mass(p->log_mass, p->upper);
    p->have_laws = 1;
    arf_clear(infinite);
    for (i = 0; i <= larger; i++)
        arf_clear(s + i);
    for (i = 0; i < 2 * larger + 1; i++)
    {
        arf_clear(values_lo + i);
        arf_clear(values_hi + i);
    }
    flint_free(s);
    flint_free(values_lo);
    flint_free(values_hi);
}

/* ---- the scale and the window of a part ---- */

#define SURVEY_FIRST (-40) /* losses from 2^-40 to 2^19, two an octave */
#define SURVEY_POINTS (2 * 59)
#define SURVEY_DIGITS 3
#define SMALLEST_LOG (-600.0) /* as small as it need get, delta not being known */
#define SCALE_STEPS 16        /* steps in a standard deviation, to begin with */
#define SURVEY_NODES 60000.0
#define LEAST_SCALE 1e-5 /* times the total variation distance */

/*
 * From the profile at a few points far apart: the loss from which it is as
 * small as it gets (top), and where it has fallen to a twentieth (scale).
 * Returns 0 when it is 0 everywhere.
 */
static int survey(double *top, double *scale, const part_struct *p, const account *a, shuf_direction direction)
{
    shuf_options o = profile_options(a, 1);
    arf_struct s[SURVEY_POINTS], lo[SURVEY_POINTS], hi[SURVEY_POINTS];
    double at[SURVEY_POINTS], log_hi[SURVEY_POINTS], least;
    int i;
    o.digits = SURVEY_DIGITS;
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        at[i] = i == 0 ? 0 : ldexp(2 + i % 2, SURVEY_FIRST + i / 2 - 1);
        arf_init(s + i);
        arf_init(lo + i);
        arf_init(hi + i);
        arf_set_d(s + i, at[i]);
    }
    p->profile->evaluate(lo, hi, p->profile, direction, s, SURVEY_POINTS, &o);
    for (i = 0; i < SURVEY_POINTS; i++)
    {
        log_hi[i] = steer_log(hi + i);
        arf_clear(s + i);
        arf_clear(lo + i);
        arf_clear(hi + i);
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

/* Windows and the first step of every part. Returns 0 when every part is P = Q. */
static int survey_parts(account *a)
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
        if (!p->profile->symmetric)
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
    return 1;
}

/* What the cut at the top may add to delta, and the cut at the bottom to the lost mass, relative to the accuracy. */
#define TOP_SHARE 0.01
#define BOTTOM_SHARE 0.001

/* Narrows the window to what matters at the delta estimated. */
static void narrow_window(part_struct *p, const account *a)
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

/* k[0..2] := K(theta) = log E e^{theta L} of the composition's finite losses, and its derivatives. */
static void cumulants(double k[3], const account *a, double theta)
{
    double step = ldexp(1, (int) a->log2_step);
    size_t j;
    slong i;
    k[0] = k[1] = k[2] = 0;
    for (j = 0; j < a->count; j++)
    {
        const part_struct *p = &a->parts[j];
        double first = (double) p->upper->first * step, top = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
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

/* The eps and the log delta that a theta belongs to: the saddle point of e^{K - theta eps}/(theta (1 + theta)). */
static void at_theta(double *eps, double *log_delta, const account *a, double theta)
{
    double k[3];
    cumulants(k, a, theta);
    *eps = k[1] - 1 / theta - 1 / (1 + theta);
    *log_delta = k[0] - theta * *eps - log(theta) - log1p(theta)
                 - 0.5 * log(2 * 3.14159265358979 * (k[2] + 1 / (theta * theta) + 1 / ((1 + theta) * (1 + theta))));
}

/* theta times the step: more would leave nothing but the largest loss in sight. */
#define LARGEST_TILT 4.0

/* theta for an eps (is_delta = 0), or for a log delta; *eps and *log_delta are those that go with it. */
static double saddle_point(double *eps, double *log_delta, const account *a, double target, int is_delta)
{
    double low = -30, high = log(LARGEST_TILT) - (double) a->log2_step * log(2.0);
    int i;
    for (i = 0; i < 60; i++)
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
static double log_infinite(const account *a)
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
} question;

#define WINDOW_MARGIN 12.0     /* what is outside the window, in units of the accuracy: e^-12 */
#define SECONDS_PER_ENTRY 1e-6 /* of both laws' transforms, generously */

/*
 * How far from its mean k[1] the tilted sum may lie on one side (sign), but
 * for a probability of e^-exponent: the best of Chernoff's bounds.
 */
static double reach(const account *a, double theta, const double k[3], int sign, double exponent)
{
    double low = log(1e-3 / sqrt(k[2])), high = log(1e3 / sqrt(k[2])), best = HUGE_VAL;
    int i;
    for (i = 0; i < 30; i++)
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

/* The length of the transform, as a power of two; -1 when it is too long for memory or time. */
static int log2_length(const account *a, double theta)
{
    double k[3], support = 1, nodes = 1, length = 64, exponent = a->digits * log(10.0) + WINDOW_MARGIN;
    size_t j;
    int bits;
    cumulants(k, a, theta);
    for (j = 0; j < a->count; j++)
    {
        support += rounds_of(&a->parts[j]) * (double) (a->parts[j].upper->length - 1);
        nodes = fmax(nodes, (double) a->parts[j].upper->length);
    }
    if (support > nodes && k[2] > 0)
        length += 2 * fmax(reach(a, theta, k, 1, exponent), reach(a, theta, k, -1, exponent)) / ldexp(1, (int) a->log2_step);
    length = fmin(support, fmax(length, nodes));
    bits = (int) ceil(log2(length));
    if (a->deadline > 0 && shuf_seconds() + ldexp(SECONDS_PER_ENTRY, bits) > a->deadline)
        return -1;
    return bits <= MAX_LOG2_LENGTH ? bits : -1;
}

/* The products of the upper (up) or the lower laws, transforms of length 2^bits; NULL when that is too much work. */
static convolution *product(const account *a, int bits, int up)
{
    grid_factor *factors = flint_malloc(a->count * sizeof(*factors));
    convolution *c = NULL;
    double terms = 0;
    size_t k;
    for (k = 0; k < a->count; k++)
    {
        factors[k].law = up ? a->parts[k].upper : a->parts[k].lower;
        factors[k].power = a->parts[k].rounds;
        terms += rounds_of(&a->parts[k]) * (double) a->parts[k].upper->length;
    }
    if (a->options->engine == SHUF_PLD_EXACT)
    {
        double fraction = a->digits * log2(10.0) - fmax(a->log_delta, -1e6) / log(2.0) + log2(terms) + 32;
        c = convolution_exact(factors, a->count, (slong) fraction, up, a->deadline);
    }
    else if (bits >= 0)
    {
        c = convolution_tilted(factors, a->count, a->theta, bits, up);
    }
    flint_free(factors);
    return c;
}

/*
 * Whether the bound of delta at a double eps is certainly above the delta
 * asked for (c from below), or not certainly at most that (c from above).
 * *distance := log of the bound, less log delta.
 */
static int is_above(double *distance, const convolution *c, double eps, const question *q)
{
    convolution_errors errors;
    shuf_real_t x, delta;
    arf_t bound;
    int sign;
    shuf_real_init(x);
    shuf_real_init(delta);
    arf_init(bound);
    convolution_errors_init(&errors);
    shuf_real_set_d(x, eps);
    shuf_real_set(delta, q->point);
    convolution_delta(bound, &errors, c, x, 0);
    *distance = steer_log(bound) - q->value;
    sign = shuf_real_cmp_arf(delta, bound);
    convolution_errors_clear(&errors);
    shuf_real_clear(x);
    shuf_real_clear(delta);
    arf_clear(bound);
    return sign < 0;
}

#define MAX_STEPS 60

/*
 * Where the bound crosses delta. From above (up): an eps at which it is <=
 * delta, or infinity when none is found; from below: one at which it is >
 * delta, or 0. Secants in log delta, each going a little beyond the root so
 * that the bracket closes from both sides.
 */
static double crossing(const account *a, const convolution *c, int up, const question *q, double guess)
{
    double low = 0, high = HUGE_VAL, x = guess, last = 0, last_g, g, slope = a->theta + 1;
    double tolerance = pow(10, -a->digits) / 8, back = tolerance * guess;
    int i;

    if (!is_above(&last_g, c, 0, q) && up)
        return 0;
    for (i = 0; i < MAX_STEPS && low < SHUF_MAX_EPSILON && (high == HUGE_VAL || high - low > tolerance * high); i++)
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

/*
 * One run at the current step: r encloses the answer. Returns 0 when it is too much work.
 * Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power.
 */
static int run(shuf_enclosure_t r, account *a, const question *q)
{
    convolution *upper, *lower = NULL;
    convolution_errors above, below;
    double eps, log_delta;
    ulong nodes = 0;
    size_t k;
    int bits, done = 0;

    for (k = 0; k < a->count; k++)
    {
        part_set_laws(&a->parts[k], a, a->log2_step);
        nodes += (ulong) a->parts[k].upper->length;
    }
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
    if (a->stopped)
        return 0;

    shuf_enclosure_zero(r);
    convolution_errors_init(&above);
    convolution_errors_init(&below);
    bits = log2_length(a, a->theta);
    upper = product(a, bits, 1);
    if (upper != NULL)
        lower = product(a, bits, 0);
    if (lower != NULL && q->to_delta)
    {
        convolution_delta(r->hi, &above, upper, q->point, 0);
        convolution_delta(r->lo, &below, lower, q->point, 0);
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
        done = 1;
    }
    else if (lower != NULL)
    {
        double hi = crossing(a, upper, 1, q, eps), lo = crossing(a, lower, 0, q, isfinite(hi) ? hi : eps);
        arf_set_d(r->lo, lo);
        arf_set_d(r->hi, hi);
        if (isfinite(hi))
            shuf_enclosure_width(r->ledger.discretisation, r);
        done = 1;
    }
    r->ledger.terms = nodes;
    r->ledger.precision = 53;
    r->ledger.step = ldexp(1, (int) a->log2_step);
    convolution_free(upper);
    convolution_free(lower);
    convolution_errors_clear(&above);
    convolution_errors_clear(&below);
    return done;
}

/* ---- refinement ---- */

static void report(account *a, const shuf_enclosure_t best, int have, slong nodes)
{
    const shuf_pld_options *o = a->options;
    char line[160];
    if (o->progress == NULL)
        return;
    if (have)
        snprintf(line, sizeof(line), "step 2^%ld, %ld nodes; so far between %.8g and %.8g", (long) a->log2_step, (long) nodes,
                 arf_get_d(best->lo, ARF_RND_FLOOR), arf_get_d(best->hi, ARF_RND_CEIL));
    else
        snprintf(line, sizeof(line), "step 2^%ld, %ld nodes", (long) a->log2_step, (long) nodes);
    if (o->progress(o->progress_data, line) != 0)
        a->stopped = 1;
}

static slong node_count(const account *a)
{
    double nodes = 0;
    size_t k;
    for (k = 0; k < a->count; k++)
        nodes += ldexp(a->parts[k].top + a->parts[k].bottom, (int) -a->log2_step);
    return (slong) fmin(nodes, 1e18);
}

/* The relative width of r, roughly. */
static double relative_width(const shuf_enclosure_t r)
{
    arb_t w, h;
    double d;
    if (!arf_is_finite(r->hi) || arf_is_zero(r->hi))
        return arf_is_zero(r->hi) ? 0 : HUGE_VAL;
    arb_init(w);
    arb_init(h);
    arb_set_arf(w, r->hi);
    arb_set_arf(h, r->lo);
    arb_sub(h, w, h, 53);
    arb_div(h, h, w, 53);
    d = arf_get_d(arb_midref(h), ARF_RND_NEAR);
    arb_clear(w);
    arb_clear(h);
    return d;
}

#define LARGEST_SHIFT 10

/* The gap is of second order in the step: halve it so many times for the width aimed at. */
static int shift_for(double width, double target)
{
    double shift = ceil(log2(width / target) / 2 + 0.6);
    return shift < 1 ? 1 : shift > LARGEST_SHIFT ? LARGEST_SHIFT : (int) shift;
}

/* Runs on finer and finer grids, from the survey's; the best enclosure, of those and of r, is left in r. */
static void refine(shuf_enclosure_t r, account *a, const question *q)
{
    double target = pow(10, -a->digits), width = HUGE_VAL, last_width, start, seconds;
    shuf_enclosure_t e;
    int have = 0, stuck = 0, shift = 1;
    size_t k;

    shuf_enclosure_init(e);
    while (shift > 0 && a->log2_step >= SMALLEST_LOG2_STEP && node_count(a) <= MAX_NODES)
    {
        start = shuf_seconds();
        report(a, r, have, node_count(a));
        if ((out_of_time(a) && have) || !run(e, a, q))
            break;
        keep_better(r, e);
        have = 1;
        seconds = (shuf_seconds() - start) / (double) node_count(a);
        last_width = width;
        width = relative_width(r);
        stuck = width > 0.9 * last_width && width < 0.9 ? stuck + 1 : 0;
        /* done, or past the point where a finer grid helps */
        if (width <= target || stuck == 2)
            break;
        for (k = 0; k < a->count; k++)
            narrow_window(&a->parts[k], a);
        /* time is about proportional to the nodes */
        seconds *= (double) node_count(a);
        for (shift = shift_for(isfinite(width) ? width : 1, target); shift > 0; shift--)
            if (a->deadline <= 0 || shuf_seconds() + ldexp(seconds, shift) < a->deadline)
                break;
        a->log2_step -= shift;
    }
    shuf_enclosure_clear(e);
}

/* r encloses the answer in one direction, PQ or QP. */
static void account_direction(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction,
                              const question *q, const shuf_pld_options *options, double deadline)
{
    account a = { NULL, count, options, deadline, (double) options->budget.digits, 0, 0, 0, 0 };
    size_t k;

    a.parts = flint_calloc(count, sizeof(*a.parts));
    for (k = 0; k < count; k++)
    {
        a.parts[k].profile = parts[k].profile;
        a.parts[k].rounds = parts[k].rounds;
        a.parts[k].direction = direction;
    }
    shuf_enclosure_zero(r);
    a.log_delta = q->to_delta ? SMALLEST_LOG : q->value;
    if (survey_parts(&a))
    {
        if (q->to_delta)
        {
            arf_one(r->hi);
            mag_one(r->ledger.discretisation);
        }
        else
        {
            arf_pos_inf(r->hi);
        }
        refine(r, &a, q);
    }
    for (k = 0; k < count; k++)
        part_drop_laws(&a.parts[k]);
    flint_free(a.parts);
    r->status = shuf_enclosure_accurate(r, options->budget.digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status enclose(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, shuf_direction direction,
                           const question *q, const shuf_pld_options *options)
{
    double start = shuf_seconds(), budget = options->budget.max_seconds;
    int symmetric = 1;
    size_t k;
    for (k = 0; k < count; k++)
        symmetric = symmetric && parts[k].profile->symmetric;
    if (direction == SHUF_DIRECTION_BOTH && !symmetric)
    {
        shuf_enclosure_t other;
        shuf_enclosure_init(other);
        account_direction(r, parts, count, SHUF_DIRECTION_PQ, q, options, budget > 0 ? start + budget / 2 : 0);
        account_direction(other, parts, count, SHUF_DIRECTION_QP, q, options, budget > 0 ? start + budget : 0);
        shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
        r->status = shuf_enclosure_accurate(r, options->budget.digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    else
    {
        account_direction(r, parts, count, direction == SHUF_DIRECTION_BOTH ? SHUF_DIRECTION_PQ : direction, q, options,
                          budget > 0 ? start + budget : 0);
    }
    r->ledger.seconds = shuf_seconds() - start;
    return r->status;
}

/* ---- beyond all losses ---- */

/* Longest product of powers that is worked out, in bits. */
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

    shuf_real_init(loss);
    fmpq_init(sum);
    fmpq_init(product);
    fmpq_init(t);
    fmpq_one(product);
    for (k = 0; k < count; k++)
    {
        parts[k].profile->max_loss(loss, parts[k].profile);
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
    shuf_real_clear(loss);
    fmpq_clear(sum);
    fmpq_clear(product);
    fmpq_clear(t);
    return exact;
}

/* Whether eps is certainly at least the sum of the largest losses of all rounds, so that delta is 0. */
static int is_beyond_losses(const shuf_pld_part *parts, size_t count, const shuf_real_t eps)
{
    shuf_real_t loss;
    arb_t sum, t;
    size_t k;
    int known = 1, beyond;

    shuf_real_init(loss);
    arb_init(sum);
    arb_init(t);
    for (k = 0; k < count && known; k++)
    {
        known = parts[k].profile->max_loss != NULL && parts[k].profile->max_loss(loss, parts[k].profile);
        shuf_real_get_arb(t, loss, PREC);
        arb_addmul_ui(sum, t, parts[k].rounds, PREC);
    }
    shuf_real_get_arb(t, eps, PREC);
    beyond = known && arb_ge(t, sum);
    if (known && arb_overlaps(t, sum) && total_loss(loss, parts, count))
        beyond = shuf_real_cmp(eps, loss) >= 0;
    shuf_real_clear(loss);
    arb_clear(sum);
    arb_clear(t);
    return beyond;
}

/* Coq: Bracket.pld_upper, Bracket.pld_upper_power, Bracket.pld_lower, Bracket.pld_lower_power. */
shuf_status shuf_pld_delta(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t eps,
                           shuf_direction direction, const shuf_pld_options *options)
{
    question q = { 1, eps, 0 };
    arb_t t;
    if (is_beyond_losses(parts, count, eps))
    {
        shuf_enclosure_zero(r);
        return SHUF_OK;
    }
    arb_init(t);
    shuf_real_get_arb(t, eps, 64);
    q.value = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return enclose(r, parts, count, direction, &q, options);
}

/* Coq: Divergence.hockey_decreasing. */
shuf_status shuf_pld_epsilon(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, const shuf_real_t delta,
                             shuf_direction direction, const shuf_pld_options *options)
{
    question q = { 0, delta, 0 };
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
    enclose(r, parts, count, direction, &q, options);
    return arf_is_finite(r->hi) ? r->status : SHUF_DOMAIN;
}
