/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/line.md. */
#include "randomiser/line_law.h"

#include <math.h>

/* How often the working precision is doubled for a value that cancels. Steers only. */
#define MAX_DOUBLINGS 5

/* ---- the density of L ---- */

/*
 * A point of the line of L, moved into the density's support. value[k], k = 0,
 * 1, is an antiderivative of t^k f(t) there: the tail below the point, or, if
 * upper[k], the tail above it.
 */
typedef struct
{
    arb_t value[2];
    int upper[2];
    int end; /* -1, 1: at the lower or upper end of the support, or beyond; 0: perhaps inside */
} node_struct;

static void node_init(node_struct *p)
{
    arb_init(p->value[0]);
    arb_init(p->value[1]);
}

static void node_clear(node_struct *p)
{
    arb_clear(p->value[0]);
    arb_clear(p->value[1]);
}

/* The smaller of the two tails of the standard normal law at z. */
static void normal_tail(arb_t value, int *upper, const arb_t z, const ratio_struct *r)
{
    *upper = arf_sgn(arb_midref(z)) > 0;
    arb_mul(value, z, r->root_half, r->prec);
    if (!*upper)
        arb_neg(value, value);
    arb_hypgeom_erfc(value, value, r->prec);
    arb_mul_2exp_si(value, value, -1);
}

/* The tails at t > 0: z = (log t + 1/(2 sigma^2)) sigma, and z - 1/sigma for the mean. */
static void node_set_gaussian(node_struct *p, const ratio_struct *r, const arb_t t)
{
    arb_t z;
    arb_init(z);
    arb_log(z, t, r->prec);
    arb_add(z, z, r->half, r->prec);
    arb_div(z, z, r->spread, r->prec);
    normal_tail(p->value[0], &p->upper[0], z, r);
    arb_sub(z, z, r->spread, r->prec);
    normal_tail(p->value[1], &p->upper[1], z, r);
    arb_clear(z);
}

static void node_set_laplace(node_struct *p, const ratio_struct *r, const arb_t t)
{
    p->upper[0] = p->upper[1] = 0;
    arb_sqrt(p->value[1], t, r->prec);
    arb_div(p->value[0], r->factor, p->value[1], r->prec);
    arb_neg(p->value[0], p->value[0]);
    arb_mul(p->value[1], p->value[1], r->factor, r->prec);
}

/* Units of work for a point, and for each bit of the precision; with a normal law. Steer only. */
#define POINT_WORK 1000.0
#define BIT_WORK 40.0

/* x = +inf allowed */
static void node_set(node_struct *p, const ratio_struct *r, const arb_t x)
{
    arb_t t;
    slong k;
    shuf_charge(POINT_WORK + (r->kind == SHUF_RANDOMISER_GAUSSIAN ? BIT_WORK * (double) r->prec : 0));
    arb_init(t);
    p->end = arb_le(x, r->bottom) ? -1 : arb_ge(x, r->top) ? 1 : 0;
    if (p->end == 0)
    {
        arb_max(t, x, r->bottom, r->prec);
        if (arb_is_finite(r->top))
            arb_min(t, t, r->top, r->prec);
    }
    else
    {
        arb_set(t, p->end < 0 ? r->bottom : r->top);
    }
    if (r->kind == SHUF_RANDOMISER_LAPLACE)
    {
        node_set_laplace(p, r, t);
    }
    else if (arb_is_zero(t) || !arb_is_finite(t))
    {
        for (k = 0; k < 2; k++)
        {
            arb_zero(p->value[k]);
            p->upper[k] = !arb_is_zero(t);
        }
    }
    else if (arb_is_positive(t))
    {
        node_set_gaussian(p, r, t);
    }
    else
    {
        /* t may be 0: the tails below are between 0 and those at its upper end */
        arb_get_ubound_arf(arb_midref(t), t, r->prec);
        mag_zero(arb_radref(t));
        node_set_gaussian(p, r, t);
        for (k = 0; k < 2; k++)
        {
            if (p->upper[k])
                arb_sub_ui(p->value[k], p->value[k], 1, r->prec);
            arb_abs(p->value[k], p->value[k]);
            p->upper[k] = 0;
            arb_zero(t);
            arb_union(p->value[k], p->value[k], t, r->prec);
        }
    }
    arb_clear(t);
}

/* d := the integral of t^k f(t) from p to q. */
static void node_difference(arb_t d, const node_struct *p, const node_struct *q, slong k, slong prec)
{
    if (p->upper[k] == q->upper[k])
    {
        if (p->upper[k])
            arb_sub(d, p->value[k], q->value[k], prec);
        else
            arb_sub(d, q->value[k], p->value[k], prec);
    }
    else
    {
        /* one tail on either side (the other way round only for points that are nearly equal) */
        arb_add(d, p->value[k], q->value[k], prec);
        arb_sub_ui(d, d, 1, prec);
        if (q->upper[k])
            arb_neg(d, d);
    }
}

/* x := what of it is >= 0; x encloses a quantity >= 0. */
static void cut_negative(arb_t x, slong prec)
{
    if (!arb_is_nonnegative(x))
    {
        arf_t top;
        arf_init(top);
        arb_get_ubound_arf(top, x, prec);
        if (arf_is_nan(top))
        {
            arb_indeterminate(x);
        }
        else if (arf_sgn(top) > 0)
        {
            /* r +- r, r >= top/2: the lower end is 0, not a little less */
            arf_get_mag(arb_radref(x), top);
            mag_mul_2exp_si(arb_radref(x), arb_radref(x), -1);
            arf_set_mag(arb_midref(x), arb_radref(x));
        }
        else
        {
            arb_zero(x);
        }
        arf_clear(top);
    }
}

/*
 * Over L in [p, q]: mass := Pr, below := E[top - L], above := E[L - bottom],
 * for any bottom <= p and top >= q; either of the two may be left out (NULL).
 */
static void integrals(arb_t mass, arb_t below, arb_t above, const node_struct *p, const node_struct *q, const arb_t bottom,
                      const arb_t top, slong prec)
{
    if (p->end != 0 && p->end == q->end)
    {
        arb_zero(mass);
        if (below != NULL)
            arb_zero(below);
        if (above != NULL)
            arb_zero(above);
    }
    else
    {
        arb_t mean;
        arb_init(mean);
        node_difference(mass, p, q, 0, prec);
        node_difference(mean, p, q, 1, prec);
        if (below != NULL)
        {
            arb_mul(below, top, mass, prec);
            arb_sub(below, below, mean, prec);
            cut_negative(below, prec);
        }
        if (above != NULL)
        {
            arb_mul(above, bottom, mass, prec);
            arb_sub(above, mean, above, prec);
            cut_negative(above, prec);
        }
        cut_negative(mass, prec);
        arb_clear(mean);
    }
}

/* ---- images ---- */

/* x := the L whose image is v */
static void image_preimage(arb_t x, const image_struct *m, const arf_t v, slong prec)
{
    arb_sub_arf(x, m->offset, v, prec);
    if (m->sign > 0)
        arb_neg(x, x);
    if (!arb_is_one(m->slope))
        arb_div(x, x, m->slope, prec);
}

/* v := the image of x */
static void image_of(arb_t v, const image_struct *m, const arb_t x, slong prec)
{
    arb_mul(v, m->slope, x, prec);
    if (m->sign < 0)
        arb_neg(v, v);
    arb_add(v, v, m->offset, prec);
}

/* Adds an atom at the middle of the ball; its radius goes to the shift. */
static void add_atom(shuf_summand *law, line_struct *l, const arb_t value, const arb_t mass)
{
    arf_init(&l->atom[l->atoms]);
    arb_init(&l->mass[l->atoms]);
    arf_set(&l->atom[l->atoms], arb_midref(value));
    arb_set(&l->mass[l->atoms], mass);
    mag_max(law->shift, law->shift, arb_radref(value));
    l->atoms++;
}

/* ---- tails ---- */

static int accurate(const arb_t x, slong prec)
{
    return arb_is_zero(x) || arb_rel_accuracy_bits(x) >= prec;
}

/* Adds the tail of one image. */
static void image_tail(arb_t mass, arb_t excess, const line_struct *l, image_kind kind, const arf_t x, slong prec)
{
    slong working = prec + 64;
    int i, done = 0;
    arb_t u, a, b;
    arb_init(u); arb_init(a); arb_init(b);
    for (i = 0; i <= MAX_DOUBLINGS && !done; i++, working *= 2)
    {
        image_struct m;
        ratio_struct ratio;
        node_struct p, q;
        line_image_init(&m, l, kind, working);
        line_ratio_init(&ratio, l, working);
        node_init(&p);
        node_init(&q);
        image_preimage(u, &m, x, working);
        node_set(&p, &ratio, u);
        if (m.sign > 0)
        {
            node_set(&q, &ratio, ratio.top);
            q.end = 1;
            integrals(a, NULL, b, &p, &q, u, NULL, working);
        }
        else
        {
            node_set(&q, &ratio, ratio.bottom);
            q.end = -1;
            integrals(a, b, NULL, &q, &p, NULL, u, working);
        }
        arb_mul(b, b, m.slope, working);
        done = accurate(a, prec) && accurate(b, prec);
        line_image_clear(&m);
        line_ratio_clear(&ratio);
        node_clear(&p);
        node_clear(&q);
    }
    arb_add(mass, mass, a, prec);
    arb_add(excess, excess, b, prec);
    arb_clear(u); arb_clear(a); arb_clear(b);
}

static void line_tail(arb_t mass, arb_t excess, const struct shuf_summand_struct *self, const arf_t x, slong prec)
{
    const line_struct *l = self->data;
    arb_t share;
    arf_t t;
    slong i;
    arb_init(share);
    arf_init(t);
    arb_zero(mass);
    arb_zero(excess);
    for (i = 0; i < l->images; i++)
        image_tail(mass, excess, l, l->image[i], x, prec);
    for (i = 0; i < l->atoms; i++)
    {
        if (arf_cmp(&l->atom[i], x) >= 0)
        {
            arf_sub(t, &l->atom[i], x, ARF_PREC_EXACT, ARF_RND_DOWN);
            arb_add(mass, mass, &l->mass[i], prec);
            arb_mul_arf(share, &l->mass[i], t, prec);
            arb_add(excess, excess, share, prec);
        }
    }
    arb_clear(share);
    arf_clear(t);
}

static void line_support(arf_t lowest, arf_t largest, const struct shuf_summand_struct *self)
{
    const line_struct *l = self->data;
    slong i, k, prec = 64;
    arb_t v;
    arf_t t;
    arb_init(v);
    arf_init(t);
    arf_pos_inf(lowest);
    arf_neg_inf(largest);
    for (i = 0; i < l->images; i++)
    {
        image_struct m;
        ratio_struct ratio;
        line_image_init(&m, l, l->image[i], prec);
        line_ratio_init(&ratio, l, prec);
        for (k = 0; k < 2; k++)
        {
            image_of(v, &m, k == 0 ? ratio.bottom : ratio.top, prec);
            arb_get_lbound_arf(t, v, prec);
            arf_min(lowest, lowest, t);
            arb_get_ubound_arf(t, v, prec);
            arf_max(largest, largest, t);
        }
        line_image_clear(&m);
        line_ratio_clear(&ratio);
    }
    for (i = 0; i < l->atoms; i++)
    {
        arf_min(lowest, lowest, &l->atom[i]);
        arf_max(largest, largest, &l->atom[i]);
    }
    arb_clear(v);
    arf_clear(t);
}

/* ---- the laws in use ---- */

static line_struct *law_start(shuf_summand *law, shuf_randomiser_kind kind, const shuf_real_t scale)
{
    line_struct *l = flint_calloc(1, sizeof(*l));
    shuf_real_init(l->scale);
    shuf_real_init(l->eps);
    arf_init(l->cut);
    arf_pos_inf(l->cut);
    shuf_real_set(l->scale, scale);
    l->kind = kind;
    shuf_summand_init(law);
    law->tail = line_tail;
    law->support = line_support;
    law->quadrature = line_quadrature;
    law->steps = line_steps;
    law->data = l;
    return l;
}

/* Adds an image, with the ends of Laplace's L, which are atoms. */
static void add_image(shuf_summand *law, line_struct *l, image_kind kind, slong prec)
{
    l->image[l->images++] = kind;
    if (l->kind == SHUF_RANDOMISER_LAPLACE)
    {
        image_struct m;
        ratio_struct ratio;
        arb_t v, mass;
        line_image_init(&m, l, kind, prec);
        line_ratio_init(&ratio, l, prec);
        arb_init(v);
        arb_init(mass);
        /* R(x1) beyond the inputs: 1/2 beyond x1, e^(-1/b)/2 beyond x */
        image_of(v, &m, ratio.top, prec);
        arb_inv(mass, ratio.top, prec);
        arb_mul_2exp_si(mass, mass, -1);
        add_atom(law, l, v, mass);
        if (!l->from_one)
        {
            image_of(v, &m, ratio.bottom, prec);
            arb_set_d(mass, 0.5);
            add_atom(law, l, v, mass);
        }
        line_image_clear(&m);
        line_ratio_clear(&ratio);
        arb_clear(v);
        arb_clear(mass);
    }
}

void line_ratio_law_init(shuf_summand *law, const shuf_real_t sigma, int sign, const arf_struct *cut)
{
    line_struct *l = law_start(law, SHUF_RANDOMISER_GAUSSIAN, sigma);
    if (cut != NULL)
        arf_set(l->cut, cut);
    l->image[l->images++] = sign > 0 ? IMAGE_RATIO : IMAGE_NEGATIVE;
}

/* 1 - gamma */
static void outside_blanket(arb_t mass, shuf_randomiser_kind kind, const shuf_real_t scale, slong prec)
{
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, scale, prec);
    arb_inv(t, t, prec);
    arb_mul_2exp_si(t, t, -1);
    if (kind == SHUF_RANDOMISER_GAUSSIAN)
    {
        arb_t root;
        arb_init(root);
        arb_set_ui(root, 2);
        arb_rsqrt(root, root, prec);
        arb_mul(t, t, root, prec);
        arb_hypgeom_erf(mass, t, prec);
        arb_clear(root);
    }
    else
    {
        arb_neg(t, t);
        arb_expm1(mass, t, prec);
        arb_neg(mass, mass);
    }
    arb_clear(t);
}

void line_law_init(shuf_summand *law, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference,
                   const shuf_real_t eps, slong prec)
{
    line_struct *l = law_start(law, randomiser->kind, randomiser->scale);
    shuf_real_set(l->eps, eps);
    (void) x; /* the other input: the line is symmetric */
    if (reference == SHUF_BLANKET)
    {
        arb_t zero, mass;
        arb_init(zero);
        arb_init(mass);
        l->from_one = 1;
        add_image(law, l, IMAGE_PLUS, prec);
        add_image(law, l, IMAGE_MINUS, prec);
        outside_blanket(mass, l->kind, l->scale, prec);
        add_atom(law, l, zero, mass);
        law->zero = fmax(shuf_ball_end_d(mass, 0), 0);
        arb_clear(zero);
        arb_clear(mass);
    }
    else
    {
        add_image(law, l, reference == x1 ? IMAGE_PLUS : IMAGE_MINUS, prec);
    }
}

void line_law_clear(shuf_summand *law)
{
    line_struct *l = (line_struct *) (uintptr_t) law->data;
    slong i;
    for (i = 0; i < l->atoms; i++)
    {
        arf_clear(&l->atom[i]);
        arb_clear(&l->mass[i]);
    }
    arf_clear(l->cut);
    shuf_real_clear(l->scale);
    shuf_real_clear(l->eps);
    mag_clear(law->shift);
    flint_free(l);
}
