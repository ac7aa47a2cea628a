/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/dpsgd.md, Lemmas 3, 4 and 6. */
#include "batch/step_loss.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "iidsum/panels.h"

#define PI 3.14159265358979324 /* its rounding is in SLACK and BOUND_SLACK: proofs/dpsgd.md, Lemmas 3 and 4 */

/* The largest mu^2, so that exponents stay small (proofs/dpsgd.md, Lemma 3); refused beyond. */
#define MOST_SHIFT 10000

int step_loss_exists(const fmpq_t shift, const fmpq_t rate)
{
    return fmpq_cmp_si(rate, 1) < 0 && fmpq_cmp_si(shift, MOST_SHIFT) <= 0;
}

static double as_double(const fmpq_t x)
{
    arb_t t;
    double d;
    arb_init(t);
    arb_set_fmpq(t, x, 64);
    d = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return d;
}

/* ---- in doubles ---- */

/* R = rest + rate e^z, z = mu u - mu^2/2: the density of P over that of Q at u. */
typedef struct
{
    double mu, rate, rest;
} ratio_struct;

static void ratio_set(ratio_struct *r, const step_loss *x)
{
    fmpq_t rest;
    fmpq_init(rest);
    fmpq_sub(rest, shuf_one, x->rate);
    r->mu = sqrt(as_double(x->shift));
    r->rate = as_double(x->rate);
    r->rest = as_double(rest);
    fmpq_clear(rest);
}

#define LARGE 700.0 /* e^z is a double up to there: proofs/dpsgd.md, Lemma 3 */

/* l := log R at u; returns the share of rate e^z in R: the slope of log R is mu times that */
static double log_ratio(double *l, const ratio_struct *r, double u)
{
    const double z = r->mu * u - r->mu * r->mu / 2;
    double e;
    if (z > LARGE)
    {
        *l = z + d_log(r->rate + r->rest * d_exp(-z));
        return r->rate / (r->rate + r->rest * d_exp(-z));
    }
    e = r->rate * d_exp(z);
    /* where 1 and rate (e^z - 1) would cancel, not by them */
    *l = r->rest + e < 0.5 ? d_log(r->rest + e) : d_log1p(r->rate * d_expm1(z));
    return e / (r->rest + e);
}

/* ---- which nodes ---- */

/* The integrand is e^{-u^2/2} R^power in modulus, over sqrt(2 pi). Nodes j step, first <= j <= last. */
typedef struct
{
    ratio_struct r;
    double reach, power, step, error;
    slong first, last;
} plan_struct;

/* log of the integrand at u, but for sqrt(2 pi); decay := how fast it falls outward from there on, at least */
static double log_integrand(double *decay, const plan_struct *p, double u, int upward)
{
    double l, share = log_ratio(&l, &p->r, u);
    if (upward)
        *decay = u - (p->power > 0 ? p->power * p->r.mu : 0);
    else
        *decay = -u + (p->power < 0 ? p->power * p->r.mu * share : 0);
    return -u * u / 2 + p->power * l;
}

static double log_add(double x, double y)
{
    return x < y ? y + d_log1p(d_exp(x - y)) : isinf(x) ? x : x + d_log1p(d_exp(y - x));
}

#define SURVEY_STEP 0.125 /* Lemma 3 counts on MOST_DEVIATIONS/SURVEY_STEP, some 40,000 terms */
#define MOST_DEVIATIONS 5000.0 /* the same Lemma 3 */
#define SURVEY_WORK 60.0 /* steers only */

/* The end beyond which less than the tolerance is left; *error is raised by that. Returns 0 if it is too far. */
static int find_end(double *end, plan_struct *p, double log_tolerance, int upward)
{
    double decay, value, u = 0;
    do
    {
        u += SURVEY_STEP;
        value = log_integrand(&decay, p, upward ? u : -u, upward);
    }
    while (u < MOST_DEVIATIONS && !(decay > 0 && value - d_log(decay) < log_tolerance));
    *end = upward ? u : -u;
    p->error += d_exp(value - d_log(decay));
    shuf_charge(SURVEY_WORK * u / SURVEY_STEP);
    return u < MOST_DEVIATIONS;
}

/*
 * log of what e^{reach |arg R|} and (|R|/R)^power may be on the line at this angle, share0 and share1 being the least and the largest share
 * of rate e^z in R there.
 */
static double log_turn(const plan_struct *p, double angle, double share0, double share1)
{
    const double s = d_sin(angle / 2), turn = d_atan2(share1 * d_sin(angle), 1 - 2 * share1 * s * s);
    return p->reach * turn + (p->power < 0 ? p->power / 2 * d_log1p(-fmin(1, 4 * share1 * (1 - share0)) * s * s) : 0);
}

/* log of a bound of the integral of the modulus on the line at this angle, from an end to the left on. */
static double log_integral(const plan_struct *p, double angle, double low)
{
    double decay, l0, l1, share0, share1, u = low, sum, tail;
    share0 = log_ratio(&l0, &p->r, u);
    sum = log_integrand(&decay, p, u, 0) - d_log(decay) + log_turn(p, angle, 0, share0);
    do
    {
        const double v = u + SURVEY_STEP, nearest = u > 0 ? u : v < 0 ? v : 0;
        share1 = log_ratio(&l1, &p->r, v);
        sum = log_add(sum, d_log(SURVEY_STEP) - nearest * nearest / 2 + p->power * (p->power > 0 ? l1 : l0) + log_turn(p, angle, share0, share1));
        u = v;
        l0 = l1;
        share0 = share1;
        tail = log_integrand(&decay, p, u, 1) - d_log(decay) + log_turn(p, angle, share0, 1);
    }
    while (u < MOST_DEVIATIONS && !(decay > 0 && tail <= sum));
    shuf_charge(2 * SURVEY_WORK * (u - low) / SURVEY_STEP);
    return u < MOST_DEVIATIONS ? log_add(sum, tail) + angle * angle / (2 * p->r.mu * p->r.mu) : HUGE_VAL;
}

/* The others steer only. */
#define LARGEST_ANGLE 3.0 /* < pi: Lemma 3 */
#define ANGLES 24
#define ANGLE_FACTOR 0.75
#define STEP_BITS 20
#define MOST_NODES 32768.0

/* Bounds in doubles are multiplied by this: what their own rounding may amount to, of exponents up to the next and shares not below the last (Lemma 3). */
#define BOUND_SLACK 1.01
#define MOST_EXPONENT 1e8
#define LEAST_BOUND 1e-290

/* The step and the angle that need the fewest nodes; 0 or -1. */
static int set_step(plan_struct *p, double log_tolerance, double low)
{
    double angle = LARGEST_ANGLE, best_angle = 0, best = 0, mantissa, turns;
    int i, exponent;
    p->step = 0;
    for (i = 0; i < ANGLES; i++, angle *= ANGLE_FACTOR)
    {
        double integral = log_integral(p, angle, low), step = 2 * PI * angle / (p->r.mu * (fmax(integral - log_tolerance, 0) + 1));
        if (isfinite(integral) && step > p->step)
        {
            p->step = step;
            best_angle = angle;
            best = integral;
        }
    }
    if (!(p->step > 0x1p-900))
        return -1;
    mantissa = frexp(fmin(p->step, 1), &exponent);
    p->step = ldexp(floor(ldexp(mantissa, STEP_BITS)), exponent - STEP_BITS);
    /* 2 e^best/(e^turns - 1) */
    turns = 2 * PI * best_angle / (p->r.mu * p->step);
    p->error += d_exp(d_log(2.0) + best - turns - d_log1p(-d_exp(-turns)));
    return 0;
}

/* Nodes for an error below the tolerance; 0 or -1. */
static int set_plan(plan_struct *p, const step_loss *x, double theta, double reach, double tolerance)
{
    double log_tolerance = d_log(tolerance / 8), low, high, l0, l1;
    ratio_set(&p->r, x);
    p->reach = reach;
    p->power = x->reverse ? -theta : theta + 1;
    p->error = 0;
    if (!isfinite(log_tolerance) || !isfinite(theta) || fmin(p->r.rate, p->r.rest) < LEAST_BOUND || !find_end(&low, p, log_tolerance, 0) || !find_end(&high, p, log_tolerance, 1)
        || set_step(p, log_tolerance, low) != 0)
        return -1;
    log_ratio(&l0, &p->r, low);
    log_ratio(&l1, &p->r, high);
    if (!((high - low) / p->step < MOST_NODES && (fabs(p->power) + reach) * (1 + fabs(l0) + fabs(l1)) < MOST_EXPONENT))
        return -1;
    p->error = p->error * BOUND_SLACK / sqrt(2 * PI) + LEAST_BOUND;
    p->first = (slong) floor(low / p->step);
    p->last = (slong) ceil(high / p->step);
    return isfinite(p->error) ? 0 : -1;
}

/* For estimates: nodes far out, and no bound of the error. Steer only. */
#define COARSE_NODES 1000
#define COARSE_STEP 0.2
#define COARSE_TURN 0.5 /* of z */

static void set_coarse_plan(plan_struct *p, const step_loss *x)
{
    ratio_set(&p->r, x);
    p->step = fmin(COARSE_STEP, COARSE_TURN / p->r.mu);
    p->last = COARSE_NODES;
    p->first = -COARSE_NODES;
    p->error = HUGE_VAL;
}

/* ---- the nodes ---- */

/* Steer only. */
#define GUARD_BITS 64
#define NODE_WORK 4000.0

/* What the atoms are computed from. */
typedef struct
{
    arb_t mu, half_shift, rate, rest, density; /* density: that of N(0, 1) at 0 */
    int reverse;
    slong prec;
} node_struct;

static void node_init(node_struct *n, const step_loss *x, slong prec)
{
    n->prec = prec;
    n->reverse = x->reverse;
    arb_init(n->mu); arb_init(n->half_shift); arb_init(n->rate); arb_init(n->rest); arb_init(n->density);
    arb_set_fmpq(n->half_shift, x->shift, prec);
    arb_sqrt(n->mu, n->half_shift, prec);
    arb_mul_2exp_si(n->half_shift, n->half_shift, -1);
    arb_set_fmpq(n->rate, x->rate, prec);
    shuf_ball_complement(n->rest, n->rate, prec);
    arb_const_pi(n->density, prec);
    arb_mul_2exp_si(n->density, n->density, 1);
    arb_rsqrt(n->density, n->density, prec);
}

static void node_clear(node_struct *n)
{
    arb_clear(n->mu); arb_clear(n->half_shift); arb_clear(n->rate); arb_clear(n->rest); arb_clear(n->density);
}

/* The atom at u, with a weight times the density there. */
static void add_node(shuf_quadrature *q, const node_struct *n, const arb_t u, const arb_t weight)
{
    slong prec = n->prec;
    arb_t ratio, mass;
    arb_init(ratio);
    arb_init(mass);
    arb_mul(ratio, u, n->mu, prec);
    arb_sub(ratio, ratio, n->half_shift, prec);
    arb_exp(ratio, ratio, prec);
    arb_mul(ratio, ratio, n->rate, prec);
    arb_add(ratio, ratio, n->rest, prec);
    arb_mul(mass, u, u, prec);
    arb_mul_2exp_si(mass, mass, -1);
    shuf_ball_exp_minus(mass, mass, prec);
    arb_mul(mass, mass, weight, prec);
    if (!n->reverse)
        arb_mul(mass, mass, ratio, prec);
    arb_log(ratio, ratio, prec);
    if (n->reverse)
        arb_neg(ratio, ratio);
    shuf_quadrature_add(q, ratio, mass);
    arb_clear(ratio);
    arb_clear(mass);
}

/* Without a cut: the trapezoidal rule (Lemma 3). */
static int by_trapezes(shuf_quadrature *q, const step_loss *x, double theta, double reach, double tolerance, slong prec)
{
    node_struct n;
    arb_t unit, u;
    plan_struct p;
    slong j;
    if (tolerance == 0)
        set_coarse_plan(&p, x);
    else if (set_plan(&p, x, theta, reach, tolerance) != 0)
        return -1;
    node_init(&n, x, prec);
    arb_init(unit);
    arb_init(u);
    arb_set_d(unit, p.step);
    arb_mul(unit, unit, n.density, prec);
    for (j = p.first; j <= p.last; j++)
    {
        arb_set_d(u, p.step);
        arb_mul_si(u, u, j, prec);
        add_node(q, &n, u, unit);
    }
    q->error = (q->error + p.error) * (1 + 1e-9);
    shuf_charge(NODE_WORK * (double) (p.last - p.first + 1));
    node_clear(&n);
    arb_clear(unit);
    arb_clear(u);
    return 0;
}

/* ---- the law cut at top: proofs/dpsgd.md, Lemma 6 ---- */

#define LARGEST_PANEL_ANGLE 1.5 /* < pi/2: Lemma 6 */

typedef struct
{
    const plan_struct *plan;
    const node_struct *n;
} cut_struct;

static double log_bound(const void *data, double centre, double half, double v)
{
    const plan_struct *p = ((const cut_struct *) data)->plan;
    const double angle = p->r.mu * v, s = d_sin(angle / 2), d = fmax(fabs(centre) - half, 0);
    double l, share = log_ratio(&l, &p->r, centre + half);
    if (!((p->power + p->reach) * (1 + fabs(l)) < MOST_EXPONENT))
        return HUGE_VAL;
    return (v * v - d * d - d_log(2 * PI)) / 2 + p->power * l + p->reach * d_atan2(share * d_sin(angle), 1 - 2 * share * s * s);
}

static void add_cut_node(shuf_quadrature *q, const void *data, const arb_t u, const arb_t weight)
{
    const node_struct *n = ((const cut_struct *) data)->n;
    arb_t mass;
    arb_init(mass);
    arb_mul(mass, weight, n->density, n->prec);
    add_node(q, n, u, mass);
    arb_clear(mass);
}

/* u := where the loss is x; returns 0 if it is above x everywhere, or may be. */
static int outcome_at(arb_t u, const node_struct *n, const arf_t x)
{
    arb_set_arf(u, x);
    arb_exp(u, u, n->prec);
    arb_sub(u, u, n->rest, n->prec);
    if (!arb_is_positive(u))
        return 0;
    arb_div(u, u, n->rate, n->prec);
    arb_log(u, u, n->prec);
    arb_add(u, u, n->half_shift, n->prec);
    arb_div(u, u, n->mu, n->prec);
    return 1;
}

static int by_panels(shuf_quadrature *q, const step_loss *x, double theta, double reach, const arf_t top, double tolerance, slong prec)
{
    plan_struct p = { .reach = reach, .power = theta + 1, .error = 0 };
    node_struct n;
    const cut_struct cut = { &p, &n };
    panel_rule rule;
    panel_integrand panels = { .log_bound = log_bound, .add = add_cut_node, .data = &cut, .prec = prec };
    arb_t left, right;
    double low;
    int failed;
    ratio_set(&p.r, x);
    if (!(tolerance > 0) || !(fmin(p.r.rate, p.r.rest) > LEAST_BOUND) || !find_end(&low, &p, d_log(tolerance / 8), 0))
        return -1;
    panels.turn = LARGEST_PANEL_ANGLE / p.r.mu;
    panel_rule_init(&rule, prec);
    node_init(&n, x, prec);
    arb_init(left);
    arb_init(right);
    arb_set_d(left, low);
    failed = !outcome_at(right, &n, top) || panels_add(q, &rule, &panels, left, right, tolerance) != 0;
    q->error = (q->error + p.error * BOUND_SLACK / sqrt(2 * PI) + LEAST_BOUND) * (1 + 1e-9);
    arb_clear(left);
    arb_clear(right);
    node_clear(&n);
    panel_rule_clear(&rule);
    return failed ? -1 : 0;
}

static int quadrature(shuf_quadrature *q, const shuf_summand *self, double theta, double reach, const arf_t top, double tolerance, slong prec)
{
    const step_loss *x = self->data;
    prec += GUARD_BITS;
    if (arf_is_pos_inf(top))
        return by_trapezes(q, x, theta, reach, tolerance, prec);
    return x->reverse ? -1 : by_panels(q, x, theta, reach, top, tolerance, prec);
}

/* Of log(dP/dQ) under P, above x. */
static void tail(arb_t mass, arb_t excess, const shuf_summand *self, const arf_t x, slong prec)
{
    node_struct n;
    arb_t u, part, more, share;
    prec += GUARD_BITS;
    node_init(&n, self->data, prec);
    arb_init(u); arb_init(part); arb_init(more); arb_init(share);
    if (outcome_at(u, &n, x))
    {
        shuf_normal_excess(mass, excess, u, prec);
        arb_mul(mass, mass, n.rest, prec);
        arb_mul(excess, excess, n.rest, prec);
        arb_sub(u, u, n.mu, prec);
        shuf_normal_excess(part, more, u, prec);
        arb_addmul(mass, part, n.rate, prec);
        arb_addmul(excess, more, n.rate, prec);
        /* the slope of the loss is from mu times the share of rate e^z at x, 1 - rest e^-x, to mu */
        arb_set_arf(share, x);
        shuf_ball_exp_minus(share, share, prec);
        arb_mul(share, share, n.rest, prec);
        shuf_ball_complement(share, share, prec);
        arb_one(part);
        arb_union(share, share, part, prec);
        arb_mul(excess, excess, share, prec);
        arb_mul(excess, excess, n.mu, prec);
    }
    else
    {
        arb_unit_interval(mass);
        arb_indeterminate(excess);
    }
    node_clear(&n);
    arb_clear(u); arb_clear(part); arb_clear(more); arb_clear(share);
}

/* ---- steps ---- */

/* Steer only. */
#define STEP_DEVIATIONS 37.0
#define STEPS_PER_DEVIATION 16

/* What bounds in doubles are worse by: far more than their roundings, z being at most some 10^4 (Lemma 4). */
#define SLACK 1e-9

static double normal_density(double u)
{
    return d_exp(-u * u / 2) / sqrt(2 * PI);
}

/* The least density at a point of [u0, u1], under P or under Q. */
static double least_density(const ratio_struct *r, double u0, double u1, int reverse)
{
    const double without = fmin(normal_density(u0), normal_density(u1));
    return reverse ? without : r->rest * without + r->rate * fmin(normal_density(u0 - r->mu), normal_density(u1 - r->mu));
}

static void steps(shuf_steps *s, const shuf_summand *self, const arf_t top)
{
    const step_loss *x = self->data;
    ratio_struct r;
    const double last = arf_is_pos_inf(top) ? HUGE_VAL : arf_get_d(top, ARF_RND_FLOOR);
    slong i, count, group = 0;
    ratio_set(&r, x);
    count = (slong) ((2 * STEP_DEVIATIONS + r.mu) * STEPS_PER_DEVIATION);
    for (i = 0; i < count; i++)
    {
        const double u0 = -STEP_DEVIATIONS + (double) i / STEPS_PER_DEVIATION, u1 = u0 + 1.0 / STEPS_PER_DEVIATION;
        double l0, l1, share0 = log_ratio(&l0, &r, u0), share1 = log_ratio(&l1, &r, u1), low = x->reverse ? -l1 : l0;
        const double width = (u1 - u0) * r.mu * share0 * (1 - SLACK), height = least_density(&r, u0, u1, x->reverse) / (r.mu * share1) * (1 - SLACK);
        low -= SLACK * (fabs(low) + share1);
        if (width > 0 && isfinite(height) && (x->reverse || l1 + SLACK * (fabs(l1) + share1) < last))
            shuf_steps_add(s, low, width, height, group);
        else
            group++;
    }
}

/* ---- the law ---- */

static void support(arf_t lowest, arf_t largest, const shuf_summand *self)
{
    const step_loss *x = self->data;
    arb_t t;
    arb_init(t);
    arb_set_fmpq(t, x->rate, 128);
    arb_neg(t, t);
    arb_log1p(t, t, 128);
    arf_neg_inf(lowest);
    arf_pos_inf(largest);
    if (x->reverse)
    {
        arb_neg(t, t);
        arb_get_ubound_arf(largest, t, 128);
    }
    else
    {
        arb_get_lbound_arf(lowest, t, 128);
    }
    arb_clear(t);
}

void step_loss_law(shuf_summand *law, const step_loss *x)
{
    shuf_summand_init(law);
    law->support = support;
    law->quadrature = quadrature;
    law->steps = steps;
    law->tail = x->cut ? tail : NULL;
    law->data = x;
}
