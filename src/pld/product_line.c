/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/product-line.md. */
#include "pld/product_line.h"

#include <math.h>
#include <string.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "pld/atoms.h"
#include "pld/product.h"
#include "pld/spread.h"

#define PREC 160 /* steers only */

/* ---- the line ---- */

/* Where no lemma is named: steer only. */
#define MOST_FREQUENCIES 0x1p21 /* k u < 10^-6 in Lemma 9 of iidsum.md, and t is at most so many steps */
#define FEW_FREQUENCIES 20000.0
#define SLACK 5.0          /* e^-5 of the accuracy aimed at, for each of several errors */
#define GAP_SHARE 0.3      /* of it for what is added */
#define NEAR_BELOW 1.0       /* it is read below the centre, too, so far over theta; where the place is not known yet, */
#define FAR_BELOW 10.0       /* so far: with few participations a delta may be e^-7 times what the saddle point says */
#define READ_WORK 4.0        /* units of work of a frequency at a threshold, */
#define ATOM_WORK 2.5        /* and of an atom at a frequency */
#define MOST_WORK 5e9
#define SHARE_OF_WORK 0.6    /* of what is left */

/* Of a filter's factor: its precision and the units of work of a frequency steer only; roundings, and what pays for those of bounds: Lemma 4. */
#define FILTER_PREC 64
#define FILTER_WORK 3000.0
#define FILTER_ROUNDINGS 6
#define UP (1 + 1e-9)

/* v, the sum over the values at s = theta, becomes an upper bound of the transform there. */
static void filter_real(arb_t v, const shuf_loss_filter *filter, double theta)
{
    acb_t s, factor;
    arb_t error;
    arf_t end;
    acb_init(s); acb_init(factor); arb_init(error); arf_init(end);
    acb_set_d(s, theta);
    filter->factor(factor, filter, s, PREC);
    arb_mul(v, v, acb_realref(factor), PREC);
    arb_add_ui(error, acb_realref(s), 1, PREC);
    arb_mul(error, error, acb_realref(s), PREC);
    arb_set_d(acb_realref(s), filter->log_error(filter, theta, 0));
    arb_exp(acb_realref(s), acb_realref(s), PREC);
    arb_mul(error, error, acb_realref(s), PREC);
    arb_add(v, v, error, PREC);
    arb_get_ubound_arf(end, v, PREC);
    arb_set_arf(v, end);
    acb_clear(s); acb_clear(factor); arb_clear(error); arf_clear(end);
}

/* v := log of the transform at s = theta, from above and, but for filters, from below */
static void part_log(arb_t v, const line_part *p, double theta)
{
    arb_t s, t, u;
    slong j;
    arb_init(s); arb_init(t); arb_init(u);
    arb_zero(v);
    arb_set_d(s, theta);
    for (j = 0; j < p->loss->count; j++)
    {
        arb_mul(t, s, p->loss->value + j, PREC);
        arb_exp(t, t, PREC);
        arb_addmul(v, t, p->loss->mass + j, PREC);
    }
    shuf_charge(PRODUCT_WORK * (double) p->loss->count);
    if (p->loss->filter != NULL)
        filter_real(v, p->loss->filter, theta);
    if (p->loss->count > 0)
        arb_log(v, v, PREC);
    if (!arb_is_zero(p->loss->largest))
    {
        /* s a + log((s + 1) + s e^{-a (1 + 2s)}) - log(2s + 1) */
        arb_mul_2exp_si(t, s, 1);
        arb_add_ui(t, t, 1, PREC);
        arb_mul(u, t, p->loss->largest, PREC);
        shuf_ball_exp_minus(u, u, PREC);
        arb_mul(u, u, s, PREC);
        arb_add(u, u, s, PREC);
        arb_add_ui(u, u, 1, PREC);
        arb_div(u, u, t, PREC);
        arb_log(u, u, PREC);
        arb_addmul(u, s, p->loss->largest, PREC);
        arb_add(v, v, u, PREC);
    }
    arb_add_ui(t, s, 1, PREC);
    arb_mul(t, t, s, PREC);
    arb_mul(t, t, p->loss->variance, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_add(v, v, t, PREC);
    arb_mul_ui(v, v, p->rounds, PREC);
    arb_clear(s); arb_clear(t); arb_clear(u);
}

static void sum_log(arb_t v, const line_sum *s, double theta)
{
    arb_t t;
    size_t i;
    arb_init(t);
    arb_zero(v);
    for (i = 0; i < s->count; i++)
    {
        part_log(t, &s->parts[i], theta);
        arb_add(v, v, t, PREC);
    }
    arb_clear(t);
}

/* The period 2 pi/step: images of K are so far apart that they do not matter (Lemma 2). */
static double period(double *far, const line_sum *s, double theta, double eps, double target)
{
    const double below = -target / theta;
    double above = HUGE_VAL, k[3];
    int i;
    *far = 2 * theta;
    for (i = -12; i <= 12; i++)
    {
        const double at = theta * (1 + d_exp2(i / 2.0));
        double width;
        line_sum_cumulants(k, s, at);
        width = (k[0] - at * eps - d_log1p(at) - target) / (at - theta);
        if (width < above)
        {
            above = width;
            *far = at;
        }
    }
    return fmax(below, above);
}

/* The filter of a part with a fall of its own, else NULL. */
static const shuf_loss_filter *falling(const line_part *p)
{
    return p->loss->filter != NULL && p->loss->filter->log_fall != NULL ? p->loss->filter : NULL;
}

/* log of what such parts leave at the frequency t */
static double fall_of_parts(const line_sum *s, double theta, double t)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < s->count; i++)
    {
        const shuf_loss_filter *f = falling(&s->parts[i]);
        if (f != NULL)
            sum += (double) s->parts[i].rounds * f->log_fall(f, theta, t);
    }
    return sum;
}

#define FALL_STEP 1.1 /* steers only */

/* Frequencies and what is added where a part has a fall of its own, from this one on. Returns 0 if none has, or it does not reach. */
static int place_by_fall(double *reach, line_struct *l, const line_sum *s, double variance, double most, double t)
{
    double far = HUGE_VAL, added;
    size_t i;
    for (i = 0; i < s->count; i++)
        if (falling(&s->parts[i]) != NULL)
            far = fmin(far, s->parts[i].loss->filter->far);
    added = fmax(most * most / (far * far) - variance, 0);
    for (; isfinite(far) && t < far && 2 * l->step < far; t *= FALL_STEP)
    {
        const double fall = fall_of_parts(s, l->theta, t);
        if (fall - (variance + added) * t * t / 2 <= -most * most / 2)
        {
            l->added = added;
            l->far_fall = far;
            l->log_fall = fall;
            *reach = t / l->step + 3;
            return 1;
        }
    }
    return 0;
}

/* Of a delta that lines in doubles do not tell from nothing, only moments are wanted. Steer only. */
#define UNDERFLOW_LOG (-1200.0)
#define LEAST_FREQUENCIES 4.0

/* theta, far, step, count and added for the goal; 0 or -1 */
static int place(line_struct *l, double *centre, const line_sum *s, const line_goal *goal, double tolerance, double limit)
{
    double k[3], log_delta, target, variance = 0, most, reach, work = 0;
    size_t i;
    l->theta = line_sum_saddle(centre, &log_delta, s, goal);
    if (!isnan(goal->told))
        log_delta = goal->told;
    target = log_delta + d_log(tolerance) - SLACK;
    line_sum_cumulants(k, s, l->theta);
    l->step = 2 * DOUBLE_PI / period(&l->far, s, l->theta, *centre - (isnan(goal->told) ? FAR_BELOW : NEAR_BELOW) / l->theta, target);
    for (i = 0; i < s->count; i++)
    {
        variance += (double) s->parts[i].rounds * (s->parts[i].variance + s->parts[i].spread);
    }
    /* F(theta) e^{-theta K - V x^2/2} = e^target at x = most/sqrt(V) */
    most = sqrt(2 * fmax(k[0] - l->theta * *centre - target, 1));
    l->added = l->far_fall = l->log_fall = 0;
    reach = most / sqrt(variance) / l->step + 3;
    if (!(most / sqrt(variance) <= FEW_FREQUENCIES * l->step) && !place_by_fall(&reach, l, s, variance, most, most / sqrt(k[2])))
    {
        l->added = GAP_SHARE * tolerance / (l->theta * (l->theta + 1));
        reach = most / sqrt(variance + l->added) / l->step + 3;
    }
    if (goal->to_delta && log_delta < UNDERFLOW_LOG)
        reach = fmin(reach, LEAST_FREQUENCIES);
    if (!(reach < MOST_FREQUENCIES) || !isfinite(l->far) || !(l->step > 0))
        return -1;
    l->count = (slong) reach;
    for (i = 0; i < s->count; i++)
        work += PRODUCT_WORK * reach + fmin(ATOM_WORK * reach * (double) s->parts[i].loss->count, spread_work(s->parts[i].loss->count, l->count));
    return work > MOST_WORK || (limit > 0 && work > SHARE_OF_WORK * (limit - shuf_work())) ? -1 : 0;
}

/* ---- the transform at the frequencies ---- */

/* By Lemma 9 of iidsum.md. */
static int sums_of_atoms(double *sums, double *off, const line_struct *l, arb_srcptr value, arb_srcptr mass, slong count)
{
    atoms_struct a;
    const int failed = atoms_init(&a, value, mass, count, 0, l->theta, l->step) != 0;
    slong j, k;
    memset(sums, 0, 2 * (size_t) l->count * sizeof(double));
    for (j = 0; j < a.count && !failed; j += ATOMS_BLOCK)
        atoms_add_block(sums, &a, j, FLINT_MIN(ATOMS_BLOCK, a.count - j), l->count);
    for (k = 0; k < l->count; k++)
        off[k] = 1.5 * atoms_error(&a, k);
    shuf_charge(ATOM_WORK * (double) count * (double) l->count);
    atoms_clear(&a);
    return failed ? -1 : 0;
}

/* Sums over atoms, scaled by e^-log_scale, at every frequency; off[k] bounds what they are off by, as complex numbers. 0 or -1. */
static int set_sums(double *sums, double *off, const line_struct *l, arb_srcptr value, arb_srcptr mass, slong count, double log_scale)
{
    const int one_by_one = ATOM_WORK * (double) count * (double) l->count < spread_work(count, l->count);
    arb_ptr scaled = _arb_vec_init(count);
    arb_t t;
    slong j, k;
    int failed;
    arb_init(t);
    arb_set_d(t, -log_scale);
    arb_exp(t, t, PREC);
    for (j = 0; j < count; j++)
        arb_mul(scaled + j, mass + j, t, PREC);
    failed = (one_by_one ? sums_of_atoms(sums, off, l, value, scaled, count) : spread_sums(sums, off, value, scaled, count, l->theta, l->step, l->count)) != 0;
    for (k = one_by_one ? l->count : 1; k < l->count && !failed; k++)
        off[k] = off[0];
    arb_clear(t);
    _arb_vec_clear(scaled, count);
    return failed ? -1 : 0;
}

/* The sums over values, scaled by e^-log_scale, become transforms: what the filter's factor is rounded by, and its error, are off besides (Lemma 4). */
static void filter_sums(double *sums, double *off, const line_struct *l, const shuf_loss_filter *filter, double log_scale)
{
    const double error = d_exp(filter->log_error(filter, l->theta, l->step * (double) (l->count - 1)) - log_scale);
    acb_t s, factor;
    slong k;
    acb_init(s);
    acb_init(factor);
    for (k = 0; k < l->count; k++)
    {
        const double t = l->step * (double) k, re = sums[2 * k], im = sums[2 * k + 1], size = d_hypot(re, im);
        double f[2], modulus, radius;
        arb_set_d(acb_realref(s), l->theta);
        arb_set_d(acb_imagref(s), l->step);
        arb_mul_si(acb_imagref(s), acb_imagref(s), k, FILTER_PREC);
        filter->factor(factor, filter, s, FILTER_PREC);
        f[0] = steer_midpoint(acb_realref(factor));
        f[1] = steer_midpoint(acb_imagref(factor));
        modulus = d_hypot(f[0], f[1]);
        radius = mag_get_d(arb_radref(acb_realref(factor))) + mag_get_d(arb_radref(acb_imagref(factor))) + FILTER_ROUNDINGS * ROUNDOFF * modulus;
        sums[2 * k] = re * f[0] - im * f[1];
        sums[2 * k + 1] = re * f[1] + im * f[0];
        off[k] = (off[k] * (modulus + radius) + size * radius + d_hypot(l->theta, t) * d_hypot(l->theta + 1, t) * error) * UP;
    }
    shuf_charge(FILTER_WORK * (double) l->count);
    acb_clear(s);
    acb_clear(factor);
}

/* z := ((s + 1) z + s w)/(2s + 1), at every frequency (Lemma 1) */
static void join_laplace(double *z, double *off, const double *w, const double *off_w, const line_struct *l)
{
    const double a = l->theta + 1, b = 2 * l->theta + 1;
    slong k;
    for (k = 0; k < l->count; k++)
    {
        const double t = l->step * (double) k, re = a * z[2 * k] - t * z[2 * k + 1] + l->theta * w[2 * k] - t * w[2 * k + 1];
        const double im = a * z[2 * k + 1] + t * z[2 * k] + l->theta * w[2 * k + 1] + t * w[2 * k], d = b * b + 4 * t * t;
        off[k] += off_w[k] + PRODUCT_LIBRARY * ROUNDOFF * (d_hypot(z[2 * k], z[2 * k + 1]) + d_hypot(w[2 * k], w[2 * k + 1]));
        z[2 * k] = (re * b + im * 2 * t) / d;
        z[2 * k + 1] = (im * b - re * 2 * t) / d;
    }
}

/* Laplace noise: e^{sa} and e^{-(1+s)a} are sums of one atom each. */
static int multiply_laplace(product_struct *p, const line_struct *l, const line_part *part, double log_scale, double *z, double *off)
{
    double *w = flint_malloc(3 * (size_t) l->count * sizeof(double)), *off_w = w + 2 * l->count;
    arb_t value, mass;
    int failed;
    arb_init(value);
    arb_init(mass);
    arb_one(mass);
    failed = set_sums(z, off, l, part->loss->largest, mass, 1, log_scale) != 0;
    arb_neg(value, part->loss->largest);
    arb_exp(mass, value, PREC);
    failed |= set_sums(w, off_w, l, value, mass, 1, log_scale) != 0;
    join_laplace(z, off, w, off_w, l);
    product_multiply(p, z, off, (double) part->rounds);
    arb_clear(value);
    arb_clear(mass);
    flint_free(w);
    return failed ? -1 : 0;
}

/* All parts, but for what is normal; 0 or -1. */
static int set_product(product_struct *p, line_struct *l, const line_sum *s)
{
    double *z = flint_malloc(3 * (size_t) l->count * sizeof(double)), *off = z + 2 * l->count;
    arb_t t;
    size_t i;
    int failed = 0;
    arb_init(t);
    for (i = 0; i < s->count && !failed; i++)
    {
        const line_part *part = &s->parts[i];
        double k[3], laplace[3] = { 0, 0, 0 }, atoms;
        line_part_cumulants(k, part, l->theta);
        if (part->largest > 0)
            laplace_cumulants(laplace, part->largest, l->theta);
        atoms = part->loss->count > 0 ? k[0] - laplace[0] : 0;
        if (part->loss->count > 0)
        {
            failed = set_sums(z, off, l, part->loss->value, part->loss->mass, part->loss->count, atoms) != 0;
            if (part->loss->filter != NULL && !failed)
                filter_sums(z, off, l, part->loss->filter, atoms);
            product_multiply(p, z, off, (double) part->rounds);
        }
        if (part->largest > 0 && !failed)
            failed = multiply_laplace(p, l, part, laplace[0], z, off) != 0;
        /* the sums were divided by these */
        arb_set_d(t, atoms);
        arb_addmul_ui(l->scales, t, part->rounds, PREC);
        arb_set_d(t, laplace[0]);
        arb_addmul_ui(l->scales, t, part->rounds, PREC);
    }
    arb_clear(t);
    flint_free(z);
    return failed ? -1 : 0;
}

/* ---- a line ---- */

/* The first frequencies, with what is normal, for those who want to know where the loss is likely to be. */
static void set_head(line_struct *l, const product_struct *p)
{
    const double V = steer_midpoint(l->variance);
    slong k;
    for (k = 0; k < LINE_HEAD; k++)
    {
        const double t = l->step * (double) k;
        l->log_modulus[k] = k < l->count ? p->log_modulus[k] - V * t * t / 2 : -HUGE_VAL;
        l->argument[k] = k < l->count ? p->argument[k] + t * V * (l->theta + 0.5) : 0;
    }
}

#define LARGEST_LOG 600.0 /* of a modulus that is about 1 at most: more is refused */

void line_clear(line_struct *l)
{
    arb_clear(l->first); arb_clear(l->beyond); arb_clear(l->scales); arb_clear(l->lost); arb_clear(l->infinite); arb_clear(l->off); arb_clear(l->mass); arb_clear(l->variance); arb_clear(l->fall);
    if (l->count > 0)
        polynomial_clear(&l->sum[0]);
    if (l->count > 0 && l->added > 0)
        polynomial_clear(&l->sum[1]);
}

/* What all rounds have together; scales begins with what is normal. */
static void set_normal(line_struct *l, const line_sum *s)
{
    arb_t t, kept;
    size_t i;
    arb_init(t);
    arb_init(kept);
    /* mass := log of the product of (m + t)^n, at most: those of laws are 1; kept := log of that of (m/(m + t))^n */
    for (i = 0; i < s->count; i++)
    {
        const line_part *p = &s->parts[i];
        arb_addmul_ui(l->variance, p->loss->variance, p->rounds, PREC);
        arb_set_d(t, p->spread);
        arb_addmul_ui(l->fall, t, p->rounds, PREC);
        arb_addmul_ui(l->lost, p->loss->lost, p->rounds, PREC);
        arb_addmul_ui(l->off, p->loss->shift, p->rounds, PREC);
        arb_one(t);
        if (p->law == NULL)
            arb_add(t, p->finite, p->loss->infinite, PREC);
        arb_log(t, t, PREC);
        arb_addmul_ui(l->mass, t, p->rounds, PREC);
        arb_div(t, p->loss->infinite, p->finite, PREC);
        arb_log1p(t, t, PREC);
        arb_submul_ui(kept, t, p->rounds, PREC);
    }
    arb_add(l->fall, l->fall, l->variance, PREC);
    arb_exp(l->mass, l->mass, PREC);
    arb_expm1(kept, kept, PREC);
    arb_mul(l->infinite, l->mass, kept, PREC);
    arb_neg(l->infinite, l->infinite);
    arb_clear(kept);
    arb_set_d(l->scales, l->theta);
    arb_add_ui(t, l->scales, 1, PREC);
    arb_mul(l->scales, l->scales, t, PREC);
    arb_mul(l->scales, l->scales, l->variance, PREC);
    arb_mul_2exp_si(l->scales, l->scales, -1);
    arb_clear(t);
}

/* Whether a part has no finite loss. */
static int has_empty(const line_sum *s)
{
    size_t i;
    for (i = 0; i < s->count; i++)
        if (s->parts[i].law == NULL && s->parts[i].loss->count == 0)
            return 1;
    return 0;
}

int line_init(line_struct *l, const line_sum *s, const line_goal *goal, double tolerance, double limit)
{
    product_struct p;
    arf_t c;
    double centre;
    int failed;
    slong k;
    if (has_empty(s))
        *l = (line_struct) { .theta = 1 };
    else if (place(l, &centre, s, goal, tolerance, limit) != 0)
        return -1;
    arb_init(l->first); arb_init(l->beyond); arb_init(l->scales); arb_init(l->lost); arb_init(l->infinite); arb_init(l->off); arb_init(l->mass); arb_init(l->variance); arb_init(l->fall);
    set_normal(l, s);
    if (l->count == 0)
        return 0;
    arf_init(c);
    arf_set_d(c, centre);
    product_init(&p, l->count, 2 * s->count);
    failed = set_product(&p, l, s) != 0;
    for (k = 0; k < l->count; k++)
        failed |= !(p.log_modulus[k] < LARGEST_LOG);
    sum_log(l->first, s, l->theta);
    sum_log(l->beyond, s, l->far);
    if (!failed)
    {
        set_head(l, &p);
        product_polynomial(&l->sum[0], &p, l->theta, 1, l->step, c, steer_midpoint(l->variance) + l->added);
        if (l->added > 0)
            product_polynomial(&l->sum[1], &p, l->theta, 1, l->step, c, steer_midpoint(l->variance) + 4 * l->added);
    }
    else
    {
        arb_clear(l->first); arb_clear(l->beyond); arb_clear(l->scales); arb_clear(l->lost); arb_clear(l->infinite); arb_clear(l->off); arb_clear(l->mass); arb_clear(l->variance); arb_clear(l->fall);
    }
    product_clear(&p);
    arf_clear(c);
    return failed ? -1 : 0;
}

/* v := v + h^2 s (s+1)/2 - s K, the logarithm of F_h(s) e^{-sK} where v is that of F(s) */
static void shift(arb_t v, double s, double added, const arb_t K)
{
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    arb_set_d(t, s);
    arb_submul(v, t, K, PREC);
    arb_add_ui(u, t, 1, PREC);
    arb_mul(t, t, u, PREC);
    arb_set_d(u, added);
    arb_mul(t, t, u, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_add(v, v, t, PREC);
    arb_clear(t);
    arb_clear(u);
}

/* images := what the other images of K may add (Lemma 2) */
static void set_images(arb_t images, const line_struct *l, double added, const arb_t K, const arb_t period)
{
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    /* those above: e^{-far K} F(far)/((1 + far) (e^{(far - theta) W} - 1)) */
    arb_set(images, l->beyond);
    shift(images, l->far, added, K);
    arb_exp(images, images, PREC);
    arb_set_d(t, l->far);
    arb_add_ui(u, t, 1, PREC);
    arb_div(images, images, u, PREC);
    arb_set_d(u, l->theta);
    arb_sub(t, t, u, PREC);
    arb_mul(t, t, period, PREC);
    arb_expm1(t, t, PREC);
    arb_div(images, images, t, PREC);
    /* those below: P's mass over e^{theta W} - 1 */
    arb_mul(u, u, period, PREC);
    arb_expm1(u, u, PREC);
    arb_div(u, l->mass, u, PREC);
    arb_add(images, images, u, PREC);
    arb_clear(t);
    arb_clear(u);
}

/* v := e^{log_fall - (V + h^2) x^2/2}/(pi y) */
static void fallen(arb_t v, const line_struct *l, double added, double log_fall, const arb_t x, const arb_t y)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, added);
    arb_add(t, t, l->fall, PREC);
    arb_mul(t, t, x, PREC);
    arb_mul(t, t, x, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_set_d(v, log_fall);
    arb_sub(v, v, t, PREC);
    arb_exp(v, v, PREC);
    arb_const_pi(t, PREC);
    arb_mul(t, t, y, PREC);
    arb_div(v, v, t, PREC);
    arb_clear(t);
}

/* rest := F_h(theta) e^{-theta K} times what is left from the last frequency on (Lemma 2; with a fall, many-users.md, Lemma 5) */
static void set_rest(arb_t rest, const line_struct *l, double added, const arb_t K)
{
    arb_t x, y, t, u;
    arb_init(x); arb_init(y); arb_init(t); arb_init(u);
    arb_set_d(x, l->step);
    arb_set_d(y, l->far_fall);
    arb_sub(y, y, x, PREC);
    arb_mul_si(x, x, l->count - 1, PREC);
    fallen(t, l, added, l->log_fall, x, x);
    if (l->far_fall > 0)
    {
        arb_set_d(x, l->far_fall);
        fallen(u, l, added, 0, x, y);
        arb_add(t, t, u, PREC);
    }
    arb_set(rest, l->first);
    shift(rest, l->theta, added, K);
    arb_exp(rest, rest, PREC);
    arb_mul(rest, rest, t, PREC);
    arb_clear(x); arb_clear(y); arb_clear(t); arb_clear(u);
}

/* f_h(K), the divergence with h^2 more (4 h^2 if i is 1), is in v, or below it by up to images. */
static void read_one(arb_t v, arb_t images, shuf_enclosure_t r, const line_struct *l, int i, const arb_t K)
{
    const double added = i == 0 ? l->added : 4 * l->added;
    arb_t period, t;
    mag_t part;
    arb_init(period); arb_init(t); mag_init(part);
    polynomial_period(period, l->step, PREC);
    /* the polynomial times e^{scales - theta K}/(theta (theta + 1) W) */
    polynomial_value(v, &l->sum[i], K);
    arb_set(t, l->scales);
    shift(t, l->theta, added, K);
    arb_exp(t, t, PREC);
    arb_mul(v, v, t, PREC);
    arb_set_d(t, l->theta);
    arb_div(v, v, t, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_div(v, v, t, PREC);
    arb_div(v, v, period, PREC);
    mag_mul_2exp_si(part, arb_radref(v), 1);
    mag_add(r->ledger.rounding, r->ledger.rounding, part);
    set_rest(t, l, added, K);
    arb_add_error(v, t);
    arb_get_mag(part, t);
    mag_mul_2exp_si(part, part, 1);
    mag_add(r->ledger.truncation, r->ledger.truncation, part);
    set_images(images, l, added, K, period);
    arb_get_mag(part, images);
    mag_add(r->ledger.aliasing, r->ledger.aliasing, part);
    shuf_charge(READ_WORK * (double) l->count);
    arb_clear(period); arb_clear(t); mag_clear(part);
}

/* gap := what f_h may be above f, from above (Lemma 3) */
static void set_gap(arb_t gap, shuf_enclosure_t r, const line_struct *l, const arb_t lowest, const arb_t K)
{
    arb_t v, t;
    arb_init(v);
    arb_init(t);
    read_one(v, t, r, l, 1, K);
    arb_sub(gap, v, lowest, PREC);
    arb_set_d(t, l->added);
    arb_mul_ui(t, t, 3, PREC);
    arb_mul_2exp_si(t, t, -3);
    arb_exp(t, t, PREC);
    arb_mul(gap, gap, t, PREC);
    arb_nonnegative_part(gap, gap);
    arb_clear(v);
    arb_clear(t);
}

/* v := at most that, F(s) e^{-s K} s^s/(1+s)^{1+s}, log_first = log F(s): little, where all that is tilted is far from K (Lemma 2). */
static void lower_by_moment(arb_t v, const arb_t log_first, double s, const arb_t K)
{
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    arb_set_d(t, s);
    arb_add_ui(u, t, 1, PREC);
    arb_div(u, t, u, PREC);
    arb_log(u, u, PREC);
    arb_mul(u, u, t, PREC);
    arb_add(u, u, log_first, PREC);
    arb_submul(u, t, K, PREC);
    arb_exp(u, u, PREC);
    arb_add_ui(t, t, 1, PREC);
    arb_div(u, u, t, PREC);
    arb_get_ubound_arf(arb_midref(t), u, PREC);
    mag_zero(arb_radref(t));
    if (arb_is_finite(t))
        arb_min(v, v, t, PREC);
    arb_clear(t);
    arb_clear(u);
}

void line_read(shuf_enclosure_t r, const line_struct *l, const arb_t eps)
{
    arb_t v, low, t, K;
    mag_t part;
    arb_init(v); arb_init(low); arb_init(t); arb_init(K); mag_init(part);
    arb_set(K, eps);
    arb_add_error(K, l->off);
    shuf_enclosure_zero(r);
    if (l->count > 0)
        read_one(v, t, r, l, 0, K);
    arb_sub(low, v, t, PREC);
    if (l->count > 0 && l->added > 0)
    {
        set_gap(t, r, l, low, K);
        arb_sub(low, low, t, PREC);
        arb_get_mag(r->ledger.discretisation, t);
    }
    if (l->count > 0)
    {
        lower_by_moment(v, l->first, l->theta, K);
        lower_by_moment(v, l->beyond, l->far, K);
    }
    arb_mul(t, l->lost, l->mass, PREC);
    arb_get_mag(part, t);
    mag_add(r->ledger.truncation, r->ledger.truncation, part);
    mag_mul_2exp_si(part, arb_radref(l->infinite), 1);
    mag_add(r->ledger.rounding, r->ledger.rounding, part);
    arb_add(v, v, t, PREC);
    arb_add(v, v, l->infinite, PREC);
    arb_add(low, low, l->infinite, PREC);
    arb_get_ubound_arf(r->hi, v, PREC);
    arb_get_lbound_arf(r->lo, low, PREC);
    if (!arf_is_finite(r->hi) || arf_cmp_si(r->hi, 1) > 0)
        arf_one(r->hi);
    if (!arf_is_finite(r->lo) || arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    r->ledger.terms = (ulong) l->count;
    r->ledger.precision = 53;
    arb_clear(v); arb_clear(low); arb_clear(t); arb_clear(K); mag_clear(part);
}
