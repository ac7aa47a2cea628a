/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Random allocation from below, by a sum that is nearly the likelihood ratio: notation and proof in proofs/dpsgd.md, Theorem 14. */
#include "batch/batch_law.h"

#include <math.h>

#include "batch/ratio_line.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

#define PREC 160 /* steers only */

/* Shares c that are tried, in quarters of the rate: steer only. */
#define SHARES 4
static const ulong quarters[SHARES] = { 1, 2, 4, 8 };

typedef struct
{
    fmpq_t shift, share[SHARES]; /* mu^2, and the shares */
    uint64_t steps, taking, epochs;
} ratio_struct;

/* What is asked: delta at eps = point, or eps at delta = e^point. */
typedef struct
{
    int to_delta;
    double point;
} goal_struct;

/* A test: a threshold; with the record and without a saddle point, and the transform there in estimates. */
typedef struct
{
    double threshold, theta[2], k[2][3], value;
} test_struct;

/* ---- estimates, in doubles ---- */

/* Nodes: how far they reach and how wide a step is, in deviations. All steer only. */
#define REACH 10.0
#define NEAR_SHIFTS 12.0 /* what makes the sum large farther out is for lines alone */
#define NODE_STEP 0.1
#define NODE_WORK 30.0

typedef struct
{
    ratio_terms x;
    const goal_struct *goal;
    double share;
    slong count;
    double *value, *log_mass, *z; /* log R, log of the mass under N(0, 1), log of the ratio of N(mu, 1) */
} sketch_struct;

/* Up to so many shifts above 0, and REACH beyond. */
static void sketch_init(sketch_struct *s, const ratio_terms *x, const goal_struct *goal, double shifts)
{
    const double mu = sqrt(fmpq_get_d(x->shift)), c = fmpq_get_d(x->share), step = NODE_STEP / fmax(mu, 1);
    slong i;
    s->x = *x;
    s->goal = goal;
    s->share = c;
    s->count = (slong) ((2 * REACH + shifts * mu) / step);
    s->value = flint_malloc(3 * (size_t) s->count * sizeof(double));
    s->log_mass = s->value + s->count;
    s->z = s->log_mass + s->count;
    for (i = 0; i < s->count; i++)
    {
        const double u = -REACH + (double) i * step;
        s->z[i] = mu * u - mu * mu / 2;
        s->value[i] = s->z[i] > 30 ? s->z[i] + d_log(c + (1 - c) * d_exp(-s->z[i])) : d_log1p(c * d_expm1(s->z[i]));
        s->log_mass[i] = -u * u / 2 + d_log(step / sqrt(2 * DOUBLE_PI));
    }
}

/* k += times log E e^{theta log R} and its derivatives, under N(mu, 1) or N(0, 1) */
static void add_cumulants(double k[3], const sketch_struct *s, double theta, int is_shifted, double times)
{
    double most = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
    slong i;
    if (times <= 0)
        return;
    shuf_charge(NODE_WORK * (double) s->count);
    for (i = 0; i < s->count; i++)
        most = fmax(most, s->log_mass[i] + theta * s->value[i] + (is_shifted ? s->z[i] : 0));
    for (i = 0; i < s->count; i++)
    {
        const double w = d_exp(s->log_mass[i] + theta * s->value[i] + (is_shifted ? s->z[i] : 0) - most);
        m0 += w;
        m1 += w * s->value[i];
        m2 += w * s->value[i] * s->value[i];
    }
    m1 /= m0;
    k[0] += times * (most + d_log(m0));
    k[1] += times * m1;
    k[2] += times * fmax(m2 / m0 - m1 * m1, 1e-300);
}

/* Of all steps, with the record or without. */
static void cumulants(double k[3], const sketch_struct *s, double theta, int without)
{
    k[0] = k[1] = k[2] = 0;
    add_cumulants(k, s, theta, 0, (double) ratio_plain_terms(&s->x, without));
    add_cumulants(k, s, theta, 1, without ? 0 : (double) s->x.epochs * (double) s->x.taking);
}

/* About log Pr[Y > a] at the saddle point, on either side of 0. */
static double log_tail(const double k[3], double theta, double a)
{
    const double y = fabs(theta) * sqrt(k[2]);
    const double tail = k[0] - theta * a + (y < 25 ? d_log(d_erfc(y / sqrt(2.0)) / 2) + y * y / 2 : -d_log(y * sqrt(2 * DOUBLE_PI)));
    return theta > 0 ? tail : d_log1p(-d_exp(fmin(tail, -1e-9)));
}

#define NEWTON_STEPS 40 /* steers only */

/* The saddle point without the record, where that with it is theta; NAN if there is none. */
static double other_saddle(double k[3], const sketch_struct *s, double theta, double a)
{
    double low = -HUGE_VAL, high = HUGE_VAL, at = theta + 1;
    int i;
    for (i = 0; i < NEWTON_STEPS; i++)
    {
        double next;
        cumulants(k, s, at, 1);
        if (k[1] < a)
            low = at;
        else
            high = at;
        next = at + (a - k[1]) / k[2];
        if (!(next > low && next < high))
            next = isinf(high) ? low + fabs(low) + 1 : isinf(low) ? high - fabs(high) - 1 : (low + high) / 2;
        if (fabs(next - at) < 1e-6 * (fabs(at) + 1e-3))
            return at;
        at = next;
    }
    return isinf(high) || isinf(low) ? NAN : at;
}

/* What a test is worth whose probabilities have these logarithms: as a logarithm of delta, or as eps. */
static double worth(double p, double q, const goal_struct *goal)
{
    if (goal->to_delta)
        return q + goal->point < p ? p + d_log1p(-d_exp(q + goal->point - p)) : -HUGE_VAL;
    return goal->point < p ? p + d_log1p(-d_exp(goal->point - p)) - q : -HUGE_VAL;
}

/* The test with this saddle point with the record. */
static void look(test_struct *t, const sketch_struct *s, double theta)
{
    double p, q;
    t->theta[0] = theta;
    cumulants(t->k[0], s, theta, 0);
    t->threshold = t->k[0][1];
    t->theta[1] = other_saddle(t->k[1], s, theta, t->threshold);
    p = log_tail(t->k[0], theta, t->threshold);
    q = log_tail(t->k[1], t->theta[1], t->threshold);
    t->value = isfinite(p) && isfinite(q) ? worth(p, q, s->goal) : -HUGE_VAL;
}

/* The saddle points that are looked at: sinh of these over the deviation of the sum. Steer only. */
#define FIRST_LINE (-2.0)
#define LINE_STEP 0.15
#define LINES 45

#define THIRDS 14 /* of an interval between thresholds, too: steers only */

/* The best of them. */
static void look_around(test_struct *best, const sketch_struct *s)
{
    test_struct t;
    double k[3];
    int i;
    best->value = -HUGE_VAL;
    cumulants(k, s, 0, 0);
    for (i = 0; i < LINES; i++)
    {
        look(&t, s, d_sinh(FIRST_LINE + LINE_STEP * i) / sqrt(k[2]));
        if (t.value > best->value)
            *best = t;
    }
}

/* ---- lines ---- */

/* The deviation of the normal number that is added, over that of the sum: a larger one where so many frequencies do not do. Steers only. */
static const double added_tried[] = { 0.01, 0.03, 0.1, 0 };

/* Steer only. */
#define ENOUGH_FREQUENCIES 300
#define MOST_FREQUENCIES 6000

/* Logarithm of the part of a probability that each error may be, and of what a transform may be off by besides. Steer only. */
#define LOG_PART (-20.0)
#define TOLERANCE 1e-24

/* What the places of a line are chosen by: estimates that see what is far out, too; uniform parts of R^theta; about log Pr[Y > a]. */
typedef struct
{
    sketch_struct sketch;
    fourier_parts parts;
    double threshold, log_value;
    int without;
} draft_struct;

/* The number of frequencies beyond which the rest is small. */
static void set_count(ratio_place *l, const draft_struct *d)
{
    const double terms = (double) ratio_plain_terms(&d->sketch.x, d->without);
    double k[3], plain[3] = { 0, 0, 0 }, whole, count;
    cumulants(k, &d->sketch, l->theta, d->without);
    add_cumulants(plain, &d->sketch, l->theta, 0, 1);
    whole = k[0] + l->theta * (l->theta * l->added * l->added / 2 - d->threshold);
    for (count = 8; count < MOST_FREQUENCIES; count *= 1.1)
    {
        const double x = floor(count) * l->step, y = l->added * x, share = fmin(fourier_parts_loss(&d->parts, x) / d_exp(plain[0]), 1 - 1e-9);
        if (whole + terms * d_log1p(-share) - y * y / 2 - d_log(DOUBLE_PI * y * y) <= d->log_value)
            break;
    }
    l->count = (slong) floor(count) + 1;
    l->tolerance = TOLERANCE * d_exp(plain[0]) * d->sketch.share / ((double) d->sketch.x.epochs * (double) d->sketch.x.steps);
}

/* The line beyond that needs the smallest period, and the period. */
static void set_period(ratio_place *l, const draft_struct *d)
{
    double k[3], width = HUGE_VAL;
    int i;
    for (i = -8; i <= 2; i++)
    {
        const double far = l->theta * (1 + d_exp2(i / 2.0));
        double enough;
        cumulants(k, &d->sketch, far, d->without);
        enough = (k[0] + far * far * l->added * l->added / 2 - far * d->threshold - d->log_value) / (far - l->theta);
        if (enough < width)
        {
            width = enough;
            l->far = far;
        }
    }
    l->step = 2 * DOUBLE_PI / fmax(width, -d->log_value / l->theta);
}

/* Steer only: lines that are looked at, and how far beyond one the other is at most. */
#define LINES_TRIED 40
#define LARGEST_FAR 3

/* Re s = theta >= 1, where the transform is known, and where by estimates it is smallest, with all that is far out. */
static void set_theta(ratio_place *l, const draft_struct *d, double most)
{
    double k[3], least = HUGE_VAL;
    int i;
    for (i = 0; i <= LINES_TRIED; i++)
    {
        const double theta = d_pow(most, (double) i / LINES_TRIED);
        cumulants(k, &d->sketch, theta, d->without);
        if (k[0] - theta * d->threshold < least)
        {
            least = k[0] - theta * d->threshold;
            l->theta = theta;
        }
    }
}

static void set_place(ratio_place *l, const test_struct *t, const sketch_struct *s, int without, double added)
{
    const double most = fmax(t->theta[without], 1);
    const step_loss loss = { s->x.shift, s->x.share, 0, 0 };
    draft_struct d = { .threshold = t->threshold, .log_value = log_tail(t->k[without], t->theta[without], t->threshold) + LOG_PART, .without = without };
    shuf_summand law;
    arf_t top;
    l->added = added;
    sketch_init(&d.sketch, &s->x, NULL, LARGEST_FAR * most + NEAR_SHIFTS);
    set_theta(l, &d, most);
    set_period(l, &d);
    step_loss_law(&law, &loss);
    arf_init(top);
    arf_pos_inf(top);
    fourier_parts_init(&d.parts, &law, l->theta - 1, top);
    set_count(l, &d);
    fourier_parts_clear(&d.parts);
    arf_clear(top);
    flint_free(d.sketch.value);
}

/* Both lines for a test: what is added is the same in both. Returns 0 if there are none. */
static int lines_init(ratio_line l[2], const test_struct *t, const sketch_struct *s, double limit)
{
    ratio_place place[2] = { { .count = MOST_FREQUENCIES + 1 } };
    int i, j;
    for (i = 0; added_tried[i] > 0 && FLINT_MAX(place[0].count, place[1].count) > ENOUGH_FREQUENCIES; i++)
        for (j = 0; j < 2; j++)
            set_place(&place[j], t, s, j, added_tried[i] * sqrt(t->k[0][2]));
    if (FLINT_MAX(place[0].count, place[1].count) > MOST_FREQUENCIES || ratio_line_init(&l[0], &s->x, 0, &place[0], limit) != 0)
        return 0;
    if (ratio_line_init(&l[1], &s->x, 1, &place[1], limit) == 0)
        return 1;
    ratio_line_clear(&l[0]);
    return 0;
}

/* ---- the best test ---- */

/* Thresholds that are looked at, how far below and above the first one in deviations, and thirds that are taken then. Steer only. */
#define THRESHOLDS 48
#define THRESHOLD_BELOW 3.0
#define THRESHOLD_ABOVE 3.0

static double gain(const ratio_line l[2], double a, const goal_struct *goal)
{
    const double p = ratio_line_estimate(&l[0], a), q = ratio_line_estimate(&l[1], a);
    return p > 0 && q > 0 ? worth(d_log(p), d_log(q), goal) : -HUGE_VAL;
}

/* The threshold of the best test on these lines; returns what it is worth. */
static double best_threshold(double *a, const ratio_line l[2], const test_struct *t, const goal_struct *goal)
{
    const double deviation = sqrt(t->k[0][2]), step = (THRESHOLD_BELOW + THRESHOLD_ABOVE) * deviation / THRESHOLDS;
    double best = -HUGE_VAL, low, high;
    int i;
    *a = t->threshold;
    for (i = 0; i <= THRESHOLDS; i++)
    {
        const double at = t->threshold - THRESHOLD_BELOW * deviation + i * step, value = gain(l, at, goal);
        if (value > best)
        {
            best = value;
            *a = at;
        }
    }
    low = *a - step;
    high = *a + step;
    for (i = 0; i < THIRDS; i++)
    {
        const double third = (high - low) / 3;
        if (gain(l, low + third, goal) >= gain(l, high - third, goal))
            high -= third;
        else
            low += third;
    }
    low = (low + high) / 2;
    if (gain(l, low, goal) > best)
        *a = low;
    return fmax(gain(l, low, goal), best);
}

/* p and q enclose the probabilities of the best test that is found, with the record and without; returns 0 if none is. */
static int best_test(arb_t p, arb_t q, const ratio_struct *x, const goal_struct *goal, double limit)
{
    double best = -HUGE_VAL;
    slong j;
    for (j = 0; j < SHARES; j++)
    {
        const ratio_terms terms = { x->shift, x->share[j], x->steps, x->taking, x->epochs };
        double value, a;
        sketch_struct s;
        test_struct t;
        ratio_line l[2];
        if (fmpq_cmp_si(x->share[j], 1) >= 0)
            break;
        sketch_init(&s, &terms, goal, NEAR_SHIFTS);
        look_around(&t, &s);
        if (t.value > -HUGE_VAL && lines_init(l, &t, &s, limit))
        {
            value = best_threshold(&a, l, &t, goal);
            if (value > best)
            {
                best = value;
                ratio_line_read(p, &l[0], a);
                ratio_line_read(q, &l[1], a);
            }
            ratio_line_clear(&l[0]);
            ratio_line_clear(&l[1]);
        }
        flint_free(s.value);
    }
    return best > -HUGE_VAL;
}

/* ---- the law ---- */

/* v := P - e^eps Q, or log((P - delta)/Q): whatever is below that has more than delta. */
static void set_value(arb_t v, const arb_t p, const arb_t q, const shuf_real_t eps, const shuf_real_t delta)
{
    arb_t t;
    arb_init(t);
    if (eps != NULL)
    {
        shuf_real_exp(t, eps, PREC);
        arb_mul(t, t, q, PREC);
        arb_sub(v, p, t, PREC);
    }
    else
    {
        shuf_real_get_arb(t, delta, PREC);
        arb_sub(v, p, t, PREC);
        arb_div(v, v, q, PREC);
        if (arb_is_positive(v))
            arb_log(v, v, PREC);
        else
            arb_zero(v);
    }
    if (!arb_is_finite(v))
        arb_zero(v);
    arb_nonnegative_part(v, v);
    arb_clear(t);
}

/* With the record against without; the other direction is left to others, and has 0. */
static shuf_status best_value(shuf_enclosure_t r, const ratio_struct *x, shuf_direction direction, const shuf_real_t eps, const shuf_real_t delta,
                              const shuf_options *options)
{
    const double start = shuf_work(), limit = shuf_limit(options);
    goal_struct goal = { eps != NULL, 0 };
    arb_t p, q, v;
    shuf_enclosure_zero(r);
    r->status = SHUF_OK;
    arb_init(p); arb_init(q); arb_init(v);
    shuf_real_get_arb(v, eps != NULL ? eps : delta, PREC);
    goal.point = eps != NULL ? steer_midpoint(v) : steer_log(arb_midref(v));
    if (direction != SHUF_DIRECTION_QP)
    {
        if (best_test(p, q, x, &goal, limit))
        {
            set_value(v, p, q, eps, delta);
            shuf_enclosure_set_value(r, v, PREC);
        }
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    r->ledger.work = shuf_work() - start;
    arb_clear(p); arb_clear(q); arb_clear(v);
    return r->status;
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return best_value(r, self->data, direction, eps, NULL, options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return best_value(r, self->data, direction, NULL, delta, options);
}

static void ratio_clear(shuf_law_struct *self)
{
    ratio_struct *x = self->data;
    int i;
    fmpq_clear(x->shift);
    for (i = 0; i < SHARES; i++)
        fmpq_clear(x->share[i]);
    flint_free(x);
}

int batch_law_ratio_exists(const fmpq_t noise, uint64_t steps, uint64_t taking)
{
    fmpq_t shift, half;
    int exists;
    fmpq_init(shift);
    fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    fmpq_mul(shift, noise, noise);
    fmpq_inv(shift, shift);
    exists = taking < steps && step_loss_exists(shift, half);
    fmpq_clear(shift);
    fmpq_clear(half);
    return exists;
}

void batch_law_ratio(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, uint64_t epochs)
{
    ratio_struct *x = flint_malloc(sizeof(*x));
    fmpz_t number;
    int i;
    fmpq_init(x->shift);
    fmpq_mul(x->shift, noise, noise);
    fmpq_inv(x->shift, x->shift);
    fmpz_init(number);
    for (i = 0; i < SHARES; i++)
    {
        fmpq_init(x->share[i]);
        fmpz_set_ui(number, taking);
        fmpz_mul_ui(number, number, quarters[i]);
        fmpq_set_fmpz(x->share[i], number);
        fmpz_set_ui(number, steps);
        fmpz_mul_ui(number, number, 4);
        fmpq_div_fmpz(x->share[i], x->share[i], number);
    }
    fmpz_clear(number);
    x->steps = steps;
    x->taking = taking;
    x->epochs = epochs;
    shuf_law_init(law);
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->clear = ratio_clear;
    law->data = x;
}
