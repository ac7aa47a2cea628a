/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/product-line.md. */
#include "pld/product_line.h"

#include <math.h>
#include <string.h>

#include "enclosure/doubles.h"
#include "enclosure/steer.h"
#include "pld/atoms.h"
#include "pld/cumulants.h"
#include "pld/polynomial.h"

#define PREC 160 /* steers only */

/* ---- the losses ---- */

/* A part: its loss exactly, and for estimates in doubles. */
typedef struct
{
    const shuf_law_struct *law;
    shuf_loss_t loss;
    uint64_t rounds;
    double variance, largest, *value, *log_mass;
} part_struct;

typedef struct
{
    part_struct *parts;
    size_t count;
    slong atoms, most_atoms; /* of all, and of the part that has most */
} sum_struct;

static void sum_clear(sum_struct *s)
{
    size_t i;
    for (i = 0; i < s->count; i++)
    {
        shuf_loss_clear(s->parts[i].loss);
        flint_free(s->parts[i].value);
    }
    flint_free(s->parts);
}

/* Returns 0 if it is not told. */
static int part_set(part_struct *p, shuf_direction direction)
{
    slong j;
    shuf_loss_init(p->loss);
    p->value = NULL;
    if (!shuf_law_loss(p->loss, p->law, direction, PREC))
        return 0;
    p->variance = steer_midpoint(p->loss->variance);
    p->largest = steer_midpoint(p->loss->largest);
    p->value = flint_malloc(2 * (size_t) (p->loss->count + 1) * sizeof(double));
    p->log_mass = p->value + p->loss->count;
    for (j = 0; j < p->loss->count; j++)
    {
        p->value[j] = steer_midpoint(p->loss->value + j);
        p->log_mass[j] = steer_log(arb_midref(p->loss->mass + j));
    }
    return 1;
}

/* Of all parts: steers only. */
#define MOST_ATOMS 200000

#define COMPARISON_WORK 50.0 /* of two laws: steers only */

/* Those with the same profile are one; 0 or -1 (nothing to clear). */
static int sum_init(sum_struct *s, const shuf_pld_part *parts, size_t count, shuf_direction direction, double limit)
{
    size_t i, j;
    s->atoms = s->most_atoms = 0;
    s->parts = flint_malloc(count * sizeof(*s->parts));
    s->count = 0;
    for (i = 0; i < count; i++)
    {
        for (j = 0; j < s->count && !shuf_law_equal(s->parts[j].law, parts[i].law); j++)
            ;
        shuf_charge(COMPARISON_WORK * (double) (j + 1));
        if (j < s->count)
        {
            s->parts[j].rounds += parts[i].rounds;
            continue;
        }
        s->parts[j].law = parts[i].law;
        s->parts[j].rounds = parts[i].rounds;
        s->count++;
        if (!part_set(&s->parts[j], direction) || (s->atoms += s->parts[j].loss->count) > MOST_ATOMS || shuf_exhausted(limit))
        {
            sum_clear(s);
            return -1;
        }
        s->most_atoms = FLINT_MAX(s->most_atoms, s->parts[j].loss->count);
    }
    return 0;
}

/* ---- estimates ---- */

/* Units of work of an atom in an estimate. Steers only. */
#define ESTIMATE_WORK 20.0

/* k := log E e^{theta L} and its derivatives, of Laplace noise: log of e^{theta a} ((theta + 1) + theta e^{-a (1 + 2 theta)})/(2 theta + 1) */
static void laplace_cumulants(double k[3], double a, double theta)
{
    const double e = exp(-a * (1 + 2 * theta)), twice = 2 * theta + 1, n = theta + 1 + theta * e, first = 1 + e * (1 - 2 * a * theta);
    const double second = e * (4 * a * a * theta - 4 * a);
    k[0] = theta * a + log(n / twice);
    k[1] = a + first / n - 2 / twice;
    k[2] = fmax((second * n - first * first) / (n * n) + 4 / (twice * twice), 0);
}

/* Of the part, but for what is normal. */
static void part_cumulants(double k[3], const part_struct *p, double theta)
{
    double one[3];
    int i;
    k[0] = k[1] = k[2] = 0;
    if (p->loss->count > 0)
        cumulants_of_atoms(k, p->value, p->log_mass, p->loss->count, 0, theta);
    shuf_charge(ESTIMATE_WORK * (double) p->loss->count);
    if (p->largest <= 0)
        return;
    laplace_cumulants(one, p->largest, theta);
    for (i = 0; i < 3; i++)
        k[i] += one[i];
}

/* Of the sum of all. */
static void cumulants(double k[3], const sum_struct *s, double theta)
{
    size_t i;
    k[0] = k[1] = k[2] = 0;
    for (i = 0; i < s->count; i++)
    {
        const double n = (double) s->parts[i].rounds, v = n * s->parts[i].variance;
        double one[3];
        part_cumulants(one, &s->parts[i], theta);
        k[0] += n * one[0] + v * theta * (theta + 1) / 2;
        k[1] += n * one[1] + v * (theta + 0.5);
        k[2] += n * one[2] + v;
    }
}

/* What is asked: delta at eps = point, or eps at delta = e^point; and about the logarithm of the delta there, NAN if it is not known. */
typedef struct
{
    int to_delta;
    double point, told;
} goal_struct;

static void at_theta(double *eps, double *log_delta, const sum_struct *s, double theta)
{
    double k[3];
    cumulants(k, s, theta);
    cumulants_saddle(eps, log_delta, k, theta);
}

/* Logarithms of the saddle points that are looked at, and how often their interval is halved. Steer only. */
#define LOW_SADDLE (-15.0)
#define HIGH_SADDLE 15.0
#define HALVINGS 50

/* theta of the goal, and the eps >= 0 and the log delta that go with it */
static double saddle_point(double *eps, double *log_delta, const sum_struct *s, const goal_struct *goal)
{
    double low = LOW_SADDLE, high = HIGH_SADDLE;
    int i;
    for (i = 0; i < HALVINGS; i++)
    {
        const double middle = (low + high) / 2;
        at_theta(eps, log_delta, s, exp(middle));
        if ((goal->to_delta || *eps < 0) ? *eps < (goal->to_delta ? goal->point : 0) : *log_delta > goal->point)
            low = middle;
        else
            high = middle;
    }
    at_theta(eps, log_delta, s, exp(low));
    *eps = fmax(*eps, 0);
    return exp(low);
}

/* ---- the line ---- */

/* Where no lemma is named: steer only. */
#define MOST_FREQUENCIES 0x1p20 /* k u < 10^-6 in Lemma 9 of iidsum.md, and t is at most so many steps */
#define FEW_FREQUENCIES 20000.0
#define SLACK 5.0          /* e^-5 of the accuracy aimed at, for each of several errors */
#define GAP_SHARE 0.3      /* of it for what is added */
#define LARGEST_TOLERANCE 1e-2
#define FREQUENCY_WORK 250.0 /* units of work of a part at a frequency, */
#define READ_WORK 4.0        /* of a frequency at a threshold, */
#define ATOM_WORK 2.5        /* and of an atom at a frequency */
#define MOST_WORK 5e9
#define SHARE_OF_WORK 0.6    /* of what is left */

/* Roundoffs of a function of the C library (8 ulp) and of the complex operations beside it; larger errors count as all of it. Lemma 4. */
#define LIBRARY 40.0
#define LARGEST_ERROR 0.01

typedef struct
{
    double theta, far, step;
    slong count;
    double added;             /* h^2, or 0 */
    arb_t first, beyond;      /* logarithms of F(theta) and F(far), without what is added */
    arb_t variance;           /* of all rounds, without what is added; */
    arb_t infinite, lost;     /* the mass of infinite losses, and what is not known, */
    arb_t off;                /* and by how much the sum may be off */
    arb_t scales;             /* log of what Lemma 4's sums are multiplied by, but for K and h */
    polynomial_struct sum[2]; /* Lemma 4, with h^2 and, unless that is 0, with 4 h^2 */
} line_struct;

/* v := log of the transform at s = theta, from above and below */
static void part_log(arb_t v, const part_struct *p, double theta)
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
    shuf_charge(FREQUENCY_WORK * (double) p->loss->count);
    if (p->loss->count > 0)
        arb_log(v, v, PREC);
    if (!arb_is_zero(p->loss->largest))
    {
        /* s a + log((s + 1) + s e^{-a (1 + 2s)}) - log(2s + 1) */
        arb_mul_2exp_si(t, s, 1);
        arb_add_ui(t, t, 1, PREC);
        arb_mul(u, t, p->loss->largest, PREC);
        arb_neg(u, u);
        arb_exp(u, u, PREC);
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

static void sum_log(arb_t v, const sum_struct *s, double theta)
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
static double period(double *far, const sum_struct *s, double theta, double eps, double target)
{
    const double below = -target / theta;
    double above = HUGE_VAL, k[3];
    int i;
    *far = 2 * theta;
    for (i = -12; i <= 12; i++)
    {
        const double at = theta * (1 + exp2(i / 2.0));
        double width;
        cumulants(k, s, at);
        width = (k[0] - at * eps - log1p(at) - target) / (at - theta);
        if (width < above)
        {
            above = width;
            *far = at;
        }
    }
    return fmax(below, above);
}

/* theta, far, step, count and added for the goal; 0 or -1 */
static int place(line_struct *l, double *centre, const sum_struct *s, const goal_struct *goal, double tolerance, double limit)
{
    double k[3], log_delta, target, variance = 0, most, reach, work = 0;
    size_t i;
    l->theta = saddle_point(centre, &log_delta, s, goal);
    if (!isnan(goal->told))
        log_delta = goal->told;
    target = log_delta + log(tolerance) - SLACK;
    cumulants(k, s, l->theta);
    l->step = 2 * DOUBLE_PI / period(&l->far, s, l->theta, *centre, target);
    for (i = 0; i < s->count; i++)
    {
        variance += (double) s->parts[i].rounds * s->parts[i].variance;
        work += FREQUENCY_WORK + ATOM_WORK * (double) s->parts[i].loss->count;
    }
    /* F(theta) e^{-theta K - V x^2/2} = e^target at x = most/sqrt(V) */
    most = sqrt(2 * fmax(k[0] - l->theta * *centre - target, 1));
    l->added = 0;
    if (!(most / sqrt(variance) <= FEW_FREQUENCIES * l->step))
        l->added = GAP_SHARE * tolerance / (l->theta * (l->theta + 1));
    reach = most / sqrt(variance + l->added) / l->step + 3;
    if (!(reach < MOST_FREQUENCIES) || !isfinite(l->far) || !(l->step > 0))
        return -1;
    l->count = (slong) reach;
    work *= reach;
    return work > MOST_WORK || (limit > 0 && work > SHARE_OF_WORK * (limit - shuf_work())) ? -1 : 0;
}

/* ---- the transform at the frequencies ---- */

/* Logarithm of the modulus and argument at every frequency, and what both may be off by; where it is lost only that the modulus is no more than that. */
typedef struct
{
    slong count;
    double rounding; /* of a number of a part, and of its addition to the others, in all: Lemma 4 */
    double *log_modulus, *argument, *error;
    char *lost;
} product_struct;

/* Sums over atoms, scaled by e^-log_scale, at every frequency; off[k] bounds what they are off by, as complex numbers. 0 or -1. */
static int set_sums(double *sums, double *off, const line_struct *l, arb_srcptr value, arb_srcptr mass, slong count, double log_scale)
{
    arb_ptr scaled = _arb_vec_init(count);
    atoms_struct a;
    arb_t t;
    slong j, k;
    int failed;
    arb_init(t);
    arb_set_d(t, -log_scale);
    arb_exp(t, t, PREC);
    for (j = 0; j < count; j++)
        arb_mul(scaled + j, mass + j, t, PREC);
    failed = atoms_init(&a, value, scaled, count, 0, l->theta, l->step) != 0;
    memset(sums, 0, 2 * (size_t) l->count * sizeof(double));
    for (j = 0; j < a.count && !failed; j += ATOMS_BLOCK)
        atoms_add_block(sums, &a, j, FLINT_MIN(ATOMS_BLOCK, a.count - j), l->count);
    for (k = 0; k < l->count; k++)
        off[k] = 1.5 * atoms_error(&a, k);
    shuf_charge(ATOM_WORK * (double) count * (double) l->count);
    atoms_clear(&a);
    arb_clear(t);
    _arb_vec_clear(scaled, count);
    return failed ? -1 : 0;
}

/* The product takes the n-th powers of these numbers (Lemma 4). */
static void multiply(product_struct *p, const double *z, const double *off, double n)
{
    slong k;
    for (k = 0; k < p->count; k++)
    {
        const double modulus = hypot(z[2 * k], z[2 * k + 1]), log_modulus = log(fmax(modulus, SMALLEST)), argument = atan2(z[2 * k + 1], z[2 * k]);
        const double error = n * (1.1 * off[k] / fmax(modulus, SMALLEST) + p->rounding * (1 + fabs(log_modulus) + fabs(argument)));
        if (error < LARGEST_ERROR)
        {
            p->log_modulus[k] += n * log_modulus;
            p->argument[k] += n * argument;
            p->error[k] += error;
        }
        else
        {
            const double above = log((modulus + off[k]) * (1 + p->rounding) + SMALLEST);
            p->log_modulus[k] += n * above;
            p->error[k] += n * p->rounding * (1 + fabs(above));
            p->lost[k] = 1;
        }
    }
    shuf_charge(FREQUENCY_WORK * (double) p->count);
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
        off[k] += off_w[k] + LIBRARY * ROUNDOFF * (hypot(z[2 * k], z[2 * k + 1]) + hypot(w[2 * k], w[2 * k + 1]));
        z[2 * k] = (re * b + im * 2 * t) / d;
        z[2 * k + 1] = (im * b - re * 2 * t) / d;
    }
}

/* Laplace noise: e^{sa} and e^{-(1+s)a} are sums of one atom each. */
static int multiply_laplace(product_struct *p, const line_struct *l, const part_struct *part, double log_scale, double *z, double *off)
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
    multiply(p, z, off, (double) part->rounds);
    arb_clear(value);
    arb_clear(mass);
    flint_free(w);
    return failed ? -1 : 0;
}

/* All parts, but for what is normal; 0 or -1. */
static int set_product(product_struct *p, line_struct *l, const sum_struct *s)
{
    double *z = flint_malloc(3 * (size_t) l->count * sizeof(double)), *off = z + 2 * l->count;
    arb_t t;
    size_t i;
    int failed = 0;
    arb_init(t);
    for (i = 0; i < s->count && !failed; i++)
    {
        const part_struct *part = &s->parts[i];
        double k[3], laplace[3] = { 0, 0, 0 }, atoms;
        part_cumulants(k, part, l->theta);
        if (part->largest > 0)
            laplace_cumulants(laplace, part->largest, l->theta);
        atoms = part->loss->count > 0 ? k[0] - laplace[0] : 0;
        if (part->loss->count > 0)
        {
            failed = set_sums(z, off, l, part->loss->value, part->loss->mass, part->loss->count, atoms) != 0;
            multiply(p, z, off, (double) part->rounds);
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

/* The sum of Lemma 2 in doubles (Lemma 4), with the variance V in all. */
static void set_polynomial(polynomial_struct *sum, const product_struct *p, const line_struct *l, const arf_t centre, double V)
{
    const double theta = l->theta, c = arf_get_d(centre, ARF_RND_NEAR), turn = V * (theta + 0.5);
    slong k;
    polynomial_init(sum, l->count, l->step, centre);
    for (k = 0; k < l->count; k++)
    {
        const double t = l->step * (double) k, fall = V * t * t / 2, re = theta * (theta + 1) - t * t, im = t * (2 * theta + 1);
        const double size = re * re + im * im, whole = (k > 0 ? 2 : 1) * theta * (theta + 1) / sqrt(size);
        const double modulus = whole * exp(p->log_modulus[k] - fall), angle = p->argument[k] + t * turn - t * c;
        const double error = p->error[k] + p->rounding * (1 + fall + fabs(p->log_modulus[k]) + fabs(p->argument[k]) + t * (turn + fabs(c)));
        if (!p->lost[k] && error < LARGEST_ERROR && modulus > SMALLEST)
        {
            const double x = cos(angle) * modulus / sqrt(size), y = sin(angle) * modulus / sqrt(size);
            polynomial_set(sum, k, x * re + y * im, y * re - x * im, modulus * (1 + error), 1.1 * error * modulus);
        }
        else
        {
            const double most = 1.1 * modulus * exp(error) + SMALLEST;
            polynomial_set(sum, k, 0, 0, most, most);
        }
    }
    polynomial_finish(sum);
    shuf_charge(FREQUENCY_WORK * (double) l->count);
}

/* ---- a line ---- */

#define LARGEST_LOG 600.0 /* of a modulus that is about 1 at most: more is refused */

static void line_clear(line_struct *l)
{
    arb_clear(l->first); arb_clear(l->beyond); arb_clear(l->scales); arb_clear(l->lost); arb_clear(l->infinite); arb_clear(l->off); arb_clear(l->variance);
    polynomial_clear(&l->sum[0]);
    if (l->added > 0)
        polynomial_clear(&l->sum[1]);
}

/* What all rounds have together; scales begins with what is normal. */
static void set_normal(line_struct *l, const sum_struct *s)
{
    arb_t t;
    size_t i;
    arb_init(t);
    for (i = 0; i < s->count; i++)
    {
        arb_addmul_ui(l->variance, s->parts[i].loss->variance, s->parts[i].rounds, PREC);
        arb_addmul_ui(l->lost, s->parts[i].loss->lost, s->parts[i].rounds, PREC);
        arb_addmul_ui(l->off, s->parts[i].loss->shift, s->parts[i].rounds, PREC);
        arb_neg(t, s->parts[i].loss->infinite);
        arb_log1p(t, t, PREC);
        arb_addmul_ui(l->infinite, t, s->parts[i].rounds, PREC);
    }
    arb_expm1(l->infinite, l->infinite, PREC);
    arb_neg(l->infinite, l->infinite);
    arb_set_d(l->scales, l->theta);
    arb_add_ui(t, l->scales, 1, PREC);
    arb_mul(l->scales, l->scales, t, PREC);
    arb_mul(l->scales, l->scales, l->variance, PREC);
    arb_mul_2exp_si(l->scales, l->scales, -1);
    arb_clear(t);
}

/* 0 or -1 (nothing to clear) */
static int line_init(line_struct *l, const sum_struct *s, const goal_struct *goal, double tolerance, double limit)
{
    product_struct p;
    arf_t c;
    double centre;
    int failed;
    slong k;
    if (place(l, &centre, s, goal, tolerance, limit) != 0)
        return -1;
    arb_init(l->first); arb_init(l->beyond); arb_init(l->scales); arb_init(l->lost); arb_init(l->infinite); arb_init(l->off); arb_init(l->variance);
    arf_init(c);
    arf_set_d(c, centre);
    set_normal(l, s);
    p.count = l->count;
    p.rounding = (LIBRARY + 2 * (double) s->count) * ROUNDOFF;
    p.log_modulus = flint_calloc(3 * (size_t) l->count, sizeof(double));
    p.argument = p.log_modulus + l->count;
    p.error = p.argument + l->count;
    p.lost = flint_calloc((size_t) l->count, 1);
    failed = set_product(&p, l, s) != 0;
    for (k = 0; k < l->count; k++)
        failed |= !(p.log_modulus[k] < LARGEST_LOG);
    sum_log(l->first, s, l->theta);
    sum_log(l->beyond, s, l->far);
    if (!failed)
    {
        set_polynomial(&l->sum[0], &p, l, c, steer_midpoint(l->variance) + l->added);
        if (l->added > 0)
            set_polynomial(&l->sum[1], &p, l, c, steer_midpoint(l->variance) + 4 * l->added);
    }
    else
    {
        arb_clear(l->first); arb_clear(l->beyond); arb_clear(l->scales); arb_clear(l->lost); arb_clear(l->infinite); arb_clear(l->off); arb_clear(l->variance);
    }
    flint_free(p.log_modulus);
    flint_free(p.lost);
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
    /* those below: 1/(e^{theta W} - 1) */
    arb_mul(u, u, period, PREC);
    arb_expm1(u, u, PREC);
    arb_inv(u, u, PREC);
    arb_add(images, images, u, PREC);
    arb_clear(t);
    arb_clear(u);
}

/* rest := F_h(theta) e^{-theta K} e^{-V x^2/2}/(pi x), x that of the last frequency (Lemma 2) */
static void set_rest(arb_t rest, const line_struct *l, double added, const arb_t K)
{
    arb_t x, t;
    arb_init(x);
    arb_init(t);
    arb_set_d(x, l->step);
    arb_mul_si(x, x, l->count - 1, PREC);
    arb_set_d(t, added);
    arb_add(t, t, l->variance, PREC);
    arb_mul(t, t, x, PREC);
    arb_mul(t, t, x, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_set(rest, l->first);
    shift(rest, l->theta, added, K);
    arb_sub(rest, rest, t, PREC);
    arb_exp(rest, rest, PREC);
    arb_const_pi(t, PREC);
    arb_mul(t, t, x, PREC);
    arb_div(rest, rest, t, PREC);
    arb_clear(x);
    arb_clear(t);
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

/* r encloses the divergence at e^eps. */
static void line_read(shuf_enclosure_t r, const line_struct *l, const arb_t eps)
{
    arb_t v, low, t, K;
    mag_t part;
    arb_init(v); arb_init(low); arb_init(t); arb_init(K); mag_init(part);
    arb_set(K, eps);
    arb_add_error(K, l->off);
    shuf_enclosure_zero(r);
    read_one(v, t, r, l, 0, K);
    arb_sub(low, v, t, PREC);
    if (l->added > 0)
    {
        set_gap(t, r, l, low, K);
        arb_sub(low, low, t, PREC);
        arb_get_mag(r->ledger.discretisation, t);
    }
    arb_get_mag(part, l->lost);
    mag_add(r->ledger.truncation, r->ledger.truncation, part);
    mag_mul_2exp_si(part, arb_radref(l->infinite), 1);
    mag_add(r->ledger.rounding, r->ledger.rounding, part);
    arb_add(v, v, l->lost, PREC);
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

/* ---- questions ---- */

/* A sum for each direction that differs, and a line of each, if there are any. */
typedef struct
{
    sum_struct sum[2];
    line_struct line[2];
    int count, lines; /* lines: 0, or count */
    double terms;     /* atoms of the part that has most times frequencies, the largest of the last lines */
} lines_struct;

static void lines_clear(lines_struct *x)
{
    while (x->lines > 0)
        line_clear(&x->line[--x->lines]);
}

static void sums_clear(lines_struct *x)
{
    while (x->count > 0)
        sum_clear(&x->sum[--x->count]);
}

/* With less left none is begun: steers only. */
#define LEAST_WORK 1e8

/* The sums, without lines: 0, or -1 if a loss is not told (nothing to clear). */
static int sums_init(lines_struct *x, const shuf_pld_part *parts, size_t count, shuf_direction direction, double limit)
{
    int symmetric = 1, failed = limit > 0 && limit - shuf_work() < LEAST_WORK, i;
    size_t k;
    for (k = 0; k < count; k++)
        symmetric = symmetric && parts[k].law->symmetric;
    *x = (lines_struct) { .count = 0 };
    for (i = 0; i < (direction == SHUF_DIRECTION_BOTH && !symmetric ? 2 : 1) && !failed; i++)
    {
        failed = sum_init(&x->sum[i], parts, count, i == 1 || direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ, limit) != 0;
        x->count += !failed;
    }
    if (failed)
        sums_clear(x);
    return failed ? -1 : 0;
}

/* 0, or -1 if one of them has none (no line to clear). */
static int lines_init(lines_struct *x, const goal_struct *goal, double tolerance, double limit)
{
    int i;
    x->terms = 0;
    for (i = 0; i < x->count; i++)
    {
        if (line_init(&x->line[i], &x->sum[i], goal, tolerance, limit) != 0)
        {
            lines_clear(x);
            return -1;
        }
        x->lines++;
        x->terms = fmax(x->terms, (double) x->sum[i].most_atoms * (double) x->line[i].count);
    }
    return 0;
}

static void lines_read(shuf_enclosure_t r, const lines_struct *x, const shuf_real_t eps)
{
    shuf_enclosure_t other;
    arb_t K;
    arb_init(K);
    shuf_real_get_arb(K, eps, PREC);
    line_read(r, &x->line[0], K);
    if (x->lines == 2)
    {
        shuf_enclosure_init(other);
        line_read(other, &x->line[1], K);
        shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
    }
    arb_clear(K);
}

/* Steps of the search, and widenings of an end until it is certain. Steer only. */
#define SEARCH_STEPS 12
#define SEARCH_ENDS 12
#define NEAR_ENOUGH 1e-11
#define END_SLACK 1e-14
#define END_WIDTHS 1.1

/* About where the divergence is delta, and how wide the values are there, over theta. */
static double crossing(double *width, const lines_struct *x, double log_delta)
{
    double at = fmax(arf_get_d(x->line[0].sum[0].centre, ARF_RND_NEAR), 0), slope = x->line[0].theta, last = NAN, last_excess = 0;
    shuf_enclosure_t r;
    shuf_real_t eps;
    int i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    if (x->lines == 2)
        at = fmax(at, arf_get_d(x->line[1].sum[0].centre, ARF_RND_NEAR));
    for (i = 0; i < SEARCH_STEPS; i++)
    {
        double excess;
        shuf_real_set_d(eps, at);
        lines_read(r, x, eps);
        excess = steer_log(r->hi) - log_delta;
        if ((last_excess - excess) / (at - last) > 0)
            slope = (last_excess - excess) / (at - last);
        *width = steer_relative_width(r) / slope;
        if (!isfinite(excess))
            break;
        last = at;
        last_excess = excess;
        at = fmax(at + excess / slope, 0);
        if (fabs(at - last) <= NEAR_ENOUGH * at)
            break;
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return at;
}

/* r encloses the eps of delta; what is not found is 0, or infinite. */
static void find_epsilon(shuf_enclosure_t r, const lines_struct *x, const shuf_real_t delta, double log_delta)
{
    double width, at = crossing(&width, x, log_delta), slack;
    shuf_enclosure_t e;
    shuf_real_t eps;
    int up, i;
    shuf_enclosure_init(e);
    shuf_real_init(eps);
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    for (up = 1; up >= 0; up--)
    {
        slack = END_SLACK * at + (up ? 0 : END_WIDTHS * width);
        for (i = 0; i < SEARCH_ENDS; i++, slack = 2 * slack + 0.3 * width)
        {
            const double end = up ? at + slack : at - slack;
            if (!isfinite(end) || (!up && end <= 0))
                break;
            shuf_real_set_d(eps, end);
            lines_read(e, x, eps);
            if (up ? shuf_real_cmp_arf(delta, e->hi) >= 0 : shuf_real_cmp_arf(delta, e->lo) < 0)
            {
                arf_set_d(up ? r->hi : r->lo, end);
                break;
            }
        }
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms = e->ledger.terms;
    r->ledger.precision = e->ledger.precision;
    shuf_enclosure_clear(e);
    shuf_real_clear(eps);
}

/* The accuracy that lines are made for, one after the other: the first finds the place, the others are parts of what is asked. Steer only. */
static const double shares[] = { 0, 0.3, 0.06 };
#define TRIES (int) (sizeof(shares) / sizeof(*shares))

/* Where the first lines had few terms others cost so little that this many digits are aimed at in any case. Steer only. */
#define LEAST_DIGITS 6
#define FEW_TERMS 5e6

static double tolerance_of(int try, slong digits, double terms)
{
    if (try == 0)
        return LARGEST_TOLERANCE;
    return fmin(shares[try] * pow(10, (double) -(terms > FEW_TERMS ? digits : FLINT_MAX(digits, LEAST_DIGITS))), LARGEST_TOLERANCE);
}

/* Lines where the goal is, one after the other; r is what the last ones say. Returns whether that is enough. */
static int search(shuf_enclosure_t r, lines_struct *x, goal_struct goal, const shuf_real_t point, const shuf_options *options, double limit)
{
    const int to_delta = goal.to_delta;
    const double log_delta = goal.point;
    int i, done = 0;
    for (i = 0; i < TRIES && !done; i++)
    {
        double tolerance = tolerance_of(i, options->digits, x->terms);
        if (!to_delta && i > 0) /* delta is known to so much where eps is to one part */
            tolerance = fmin(tolerance * fmax(x->line[0].theta * goal.point, 1), LARGEST_TOLERANCE);
        if (lines_init(x, &goal, tolerance, limit) != 0)
            break;
        if (to_delta)
            lines_read(r, x, point);
        else
            find_epsilon(r, x, point, log_delta);
        lines_clear(x);
        if (!arf_is_finite(r->hi))
            return 0;
        goal = (goal_struct) { 1, to_delta ? goal.point : arf_get_d(r->hi, ARF_RND_NEAR), to_delta ? fmin(steer_log(r->hi), 0) : log_delta };
        done = (i > 0 || x->terms > FEW_TERMS) && shuf_enclosure_accurate(r, options->digits);
    }
    return arf_is_finite(r->hi) && shuf_enclosure_accurate(r, options->digits);
}

int pld_line(shuf_enclosure_t r, const shuf_pld_part *parts, size_t count, int to_delta, const shuf_real_t point, shuf_direction direction,
             const shuf_options *options)
{
    const double limit = shuf_limit(options);
    goal_struct goal = { to_delta, 0, NAN };
    lines_struct x;
    arb_t t;
    int done;
    shuf_enclosure_zero(r);
    if (to_delta)
        arf_one(r->hi);
    else
        arf_pos_inf(r->hi);
    if (sums_init(&x, parts, count, direction, limit) != 0)
        return 0;
    arb_init(t);
    shuf_real_get_arb(t, point, PREC);
    goal.point = to_delta ? steer_midpoint(t) : steer_log(arb_midref(t));
    arb_clear(t);
    done = search(r, &x, goal, point, options, limit);
    sums_clear(&x);
    return done;
}
