/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Gauss's rule for the laws of line.h, in y = log L; proofs/line.md, Lemmas 9 and 10. */
#include "randomiser/line_law.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "iidsum/panels.h"

/* Bounds in doubles are multiplied by this: what their own rounding may amount to, many times over (Lemma 9). */
#define BOUND_SLACK 1.01
#define LEAST_BOUND 1e-290

/* An image's integrand p(y) e^{s X(y)}, X = sign slope e^y + offset, |Im s| <= reach, in doubles. */
typedef struct
{
    int gaussian, sign;
    double mean, variance, log_height; /* p = e^{log_height - (y-mean)^2/(2 variance)}, or e^{log_height - y/2} */
    double slope, offset, theta, reach;
} integrand_struct;

static double as_double(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static void integrand_set(integrand_struct *f, const ratio_struct *ratio, const image_struct *m, double theta, double reach)
{
    f->gaussian = ratio->kind == SHUF_RANDOMISER_GAUSSIAN;
    f->sign = m->sign;
    f->slope = as_double(m->slope);
    f->offset = as_double(m->offset);
    f->theta = theta;
    f->reach = reach;
    if (f->gaussian)
    {
        double a = as_double(ratio->spread);
        f->mean = -a * a / 2;
        f->variance = a * a;
        f->log_height = -d_log(a) - d_log(2 * 3.14159265358979324) / 2;
    }
    else
    {
        f->mean = f->variance = 0;
        f->log_height = d_log(as_double(ratio->factor) / 2);
    }
}

/* p := the density of y = log L, inside the support. */
static void density(arb_t p, const ratio_struct *ratio, const arb_t y)
{
    slong prec = ratio->prec;
    if (ratio->kind == SHUF_RANDOMISER_GAUSSIAN)
    {
        arb_t t;
        arb_init(t);
        arb_add(p, y, ratio->half, prec);
        arb_div(p, p, ratio->spread, prec);
        arb_mul(p, p, p, prec);
        arb_mul_2exp_si(p, p, -1);
        shuf_ball_exp_minus(p, p, prec);
        arb_const_pi(t, prec);
        arb_sqrt(t, t, prec);
        arb_mul(t, t, ratio->spread, prec);
        arb_div(p, p, t, prec);
        arb_mul(p, p, ratio->root_half, prec);
        arb_clear(t);
    }
    else
    {
        arb_mul_2exp_si(p, y, -1);
        shuf_ball_exp_minus(p, p, prec);
        arb_mul(p, p, ratio->factor, prec);
        arb_mul_2exp_si(p, p, -1);
    }
}

/* x := the image of e^y */
static void image_at(arb_t x, const image_struct *m, const arb_t y, slong prec)
{
    arb_exp(x, y, prec);
    arb_mul(x, x, m->slope, prec);
    if (m->sign < 0)
        arb_neg(x, x);
    arb_add(x, x, m->offset, prec);
}

/* An image, and its law's constants. */
typedef struct
{
    const integrand_struct *f;
    const ratio_struct *ratio;
    const image_struct *m;
} node_struct;

/* log of a bound of the integrand on [centre - h, centre + h] + i [-v, v], 0 <= v < pi/2. */
static double log_bound(const void *data, double centre, double h, double v)
{
    const integrand_struct *f = ((const node_struct *) data)->f;
    double largest = f->slope * d_exp(centre + h), least = f->slope * d_exp(centre - h) * d_cos(v), bound = f->log_height;
    if (f->gaussian)
    {
        double d = fmax(fabs(centre - f->mean) - h, 0);
        bound += (v * v - d * d) / (2 * f->variance);
    }
    else
    {
        bound -= (centre - h) / 2;
    }
    return bound + f->theta * (f->offset + (f->sign > 0 ? largest : -least)) + f->reach * largest * d_sin(v);
}

static void add_node(shuf_quadrature *q, const void *data, const arb_t y, const arb_t weight)
{
    const node_struct *n = data;
    slong prec = n->ratio->prec;
    arb_t p, x;
    arb_init(p);
    arb_init(x);
    density(p, n->ratio, y);
    arb_mul(p, p, weight, prec);
    image_at(x, n->m, y, prec);
    shuf_quadrature_add(q, x, p);
    arb_clear(p);
    arb_clear(x);
}

/* Steer only. */
#define MOST_DEVIATIONS 80.0
#define DEVIATION_STEP 0.25

/* How many deviations from the mean the integrand has to be followed (side -1 or 1) for a remainder below tolerance. */
static double follow(double *remainder, const integrand_struct *f, int side, double end, double tolerance)
{
    double a = sqrt(f->variance), z = 1;
    for (;; z += DEVIATION_STEP)
    {
        /* where e^{theta X} is largest beyond: X rises with y if sign > 0 */
        double y = f->mean + side * z * a, at = side == f->sign ? end : y;
        double x = f->offset + f->sign * f->slope * (isinf(at) ? (at > 0 ? at : 0) : d_exp(at));
        *remainder = f->theta > 0 ? d_exp(f->theta * x - z * z / 2) : d_exp(-z * z / 2);
        *remainder = BOUND_SLACK * *remainder + LEAST_BOUND;
        if (*remainder <= tolerance || z >= MOST_DEVIATIONS)
            return z;
    }
}

/* The support of y, cut where next to nothing is left: left and right; what is left out goes to the error. */
static int set_ends(arb_t left, arb_t right, shuf_quadrature *q, const integrand_struct *f, const ratio_struct *ratio,
                    const image_struct *m, const arf_t top, double tolerance)
{
    slong prec = ratio->prec;
    int side, known = 1;
    arb_log(left, ratio->bottom, prec);
    if (arb_is_zero(ratio->bottom))
        arb_neg_inf(left);
    arb_set(right, ratio->top);
    if (m->sign > 0 && arf_is_finite(top))
    {
        arb_t t;
        arb_init(t);
        arb_set_arf(t, top);
        arb_sub(t, t, m->offset, prec);
        arb_div(t, t, m->slope, prec);
        arb_min(right, right, t, prec);
        arb_clear(t);
        known = arb_is_positive(right);
    }
    else if (arf_is_finite(top))
    {
        /* all of it has to be below the top */
        arb_t t;
        arb_init(t);
        arb_mul(t, m->slope, ratio->bottom, prec);
        arb_sub(t, m->offset, t, prec);
        arb_sub_arf(t, t, top, prec);
        known = arb_is_nonpositive(t);
        arb_clear(t);
    }
    if (arf_is_pos_inf(arb_midref(right)))
        arb_pos_inf(right);
    else
        arb_log(right, right, prec);
    for (side = -1; known && f->gaussian && side <= 1; side += 2)
    {
        arb_struct *end = side < 0 ? left : right;
        double remainder, z = follow(&remainder, f, side, as_double(end), 0.01 * tolerance), y = f->mean + side * z * sqrt(f->variance);
        if (side * (as_double(end) - y) > 0)
        {
            arb_set_d(end, y);
            q->error += remainder;
        }
    }
    return known && arb_is_finite(left) && arb_is_finite(right);
}

#define LARGEST_ANGLE 1.5 /* < pi/2: Lemma 9 */

static int add_image(shuf_quadrature *q, const panel_rule *g, const ratio_struct *ratio, const image_struct *m, double theta,
                     double reach, const arf_t top, double tolerance)
{
    integrand_struct f;
    const node_struct n = { &f, ratio, m };
    const panel_integrand panels = { LARGEST_ANGLE, log_bound, add_node, &n, ratio->prec };
    arb_t left, right;
    int failed;
    integrand_set(&f, ratio, m, theta, reach);
    arb_init(left);
    arb_init(right);
    failed = !set_ends(left, right, q, &f, ratio, m, top, tolerance) || panels_add(q, g, &panels, left, right, tolerance) != 0;
    arb_clear(left);
    arb_clear(right);
    return failed ? -1 : 0;
}

int line_quadrature(shuf_quadrature *q, const struct shuf_summand_struct *self, double theta, double reach, const arf_t top,
                    double tolerance, slong prec)
{
    const line_struct *l = self->data;
    ratio_struct ratio;
    panel_rule rule;
    slong i;
    int failed = 0;
    panel_rule_init(&rule, prec);
    line_ratio_init(&ratio, l, prec);
    for (i = 0; i < l->images && !failed; i++)
    {
        image_struct m;
        line_image_init(&m, l, l->image[i], prec);
        failed = add_image(q, &rule, &ratio, &m, theta, reach, top, tolerance / (double) l->images);
        line_image_clear(&m);
    }
    for (i = 0; i < l->atoms; i++)
    {
        arb_t value;
        arb_init(value);
        arb_set_arf(value, &l->atom[i]);
        if (arf_cmp(&l->atom[i], top) < 0)
            shuf_quadrature_add(q, value, &l->mass[i]);
        arb_clear(value);
    }
    /* the sum of bounds was rounded */
    q->error *= 1 + 1e-9;
    line_ratio_clear(&ratio);
    panel_rule_clear(&rule);
    return failed ? -1 : 0;
}

/* ---- steps ---- */

/* Steer only. */
#define STEPS 128
#define STEP_DEVIATIONS 8.0
#define STEP_WORK 4000.0

static void image_steps(shuf_steps *s, const ratio_struct *ratio, const image_struct *m, const arf_t top, slong group)
{
    integrand_struct f;
    shuf_quadrature unused;
    arb_t left, right, x0, x1, p0, p1, width, t;
    slong prec = ratio->prec, i;
    double from, to;
    arb_init(left); arb_init(right); arb_init(x0); arb_init(x1); arb_init(p0); arb_init(p1); arb_init(width); arb_init(t);
    shuf_quadrature_init(&unused);
    integrand_set(&f, ratio, m, 0, 0);
    if (set_ends(left, right, &unused, &f, ratio, m, top, d_exp(-STEP_DEVIATIONS * STEP_DEVIATIONS / 2)))
    {
        from = as_double(left);
        to = as_double(right);
        for (i = 0; i <= STEPS; i++)
        {
            arb_struct *y = left;
            if (i == STEPS)
                y = right;
            else if (i > 0)
                arb_set_d(left, from + (to - from) * (double) i / STEPS);
            arb_swap(x0, x1);
            arb_swap(p0, p1);
            density(p1, ratio, y);
            image_at(x1, m, y, prec);
            if (i == 0)
                continue;
            /* p falls and rises least at an end, 1/(slope e^y) at the upper one */
            arb_sub(width, x1, x0, prec);
            arb_abs(width, width);
            arb_min(t, p0, p1, prec);
            arb_exp(p0, y, prec);
            arb_mul(p0, p0, m->slope, prec);
            arb_div(t, t, p0, prec);
            shuf_steps_add(s, shuf_ball_end_d(m->sign > 0 ? x0 : x1, 0), fmax(shuf_ball_end_d(width, 0), 0), fmax(shuf_ball_end_d(t, 0), 0), group);
        }
        shuf_charge(STEP_WORK * STEPS);
    }
    shuf_quadrature_clear(&unused);
    arb_clear(left); arb_clear(right); arb_clear(x0); arb_clear(x1); arb_clear(p0); arb_clear(p1); arb_clear(width); arb_clear(t);
}

void line_steps(shuf_steps *s, const struct shuf_summand_struct *self, const arf_t top)
{
    const line_struct *l = self->data;
    ratio_struct ratio;
    slong i;
    line_ratio_init(&ratio, l, 64);
    for (i = 0; i < l->images; i++)
    {
        image_struct m;
        line_image_init(&m, l, l->image[i], 64);
        image_steps(s, &ratio, &m, top, i);
        line_image_clear(&m);
    }
    line_ratio_clear(&ratio);
}
