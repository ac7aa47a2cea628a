/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/dpsgd.md, Theorem 14. */
#include "batch/ratio_line.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "iidsum/turning.h"
#include "pld/polynomial.h"

#define PREC 160 /* steers only */

/* Units of work of a frequency. Steers only. */
#define LINE_WORK 20000.0

/* Pays for the roundings of a product of two doubles: proofs/dpsgd.md, Theorem 14, In the code. */
#define DOWN (1 - 1e-12)

uint64_t ratio_plain_terms(const ratio_terms *x, int without)
{
    return x->epochs * (x->steps - (without ? 0 : x->taking));
}

/* ---- the transform ---- */

/* What is turned: E R^s, and unless the record is not there E R^{s+1}, under N(0, 1). */
typedef struct
{
    const ratio_terms *terms;
    int without;
    turning_struct of[2];
} ratio_turning;

/* At Re s = theta, up to that frequency; 0 or -1 (to be cleared, too). */
static int ratio_turning_init(ratio_turning *t, const ratio_terms *x, int without, const shuf_summand *law, double theta, double reach,
                              const ratio_place *place)
{
    shuf_quadrature q;
    arf_t top;
    int i, failed = 0;
    t->terms = x;
    t->without = without;
    arf_init(top);
    arf_pos_inf(top);
    for (i = 0; i < 2; i++)
    {
        shuf_quadrature_init(&q);
        if (i == 0 || !without)
            failed |= law->quadrature(&q, law, theta - 1 + i, reach, top, place->tolerance, PREC) != 0;
        failed |= turning_init(&t->of[i], &q, q.error, theta - 1 + i, place->step, 1) != 0;
        shuf_quadrature_clear(&q);
    }
    arf_clear(top);
    return failed ? -1 : 0;
}

static void ratio_turning_clear(ratio_turning *t)
{
    turning_clear(&t->of[0]);
    turning_clear(&t->of[1]);
}

/* z := E e^{sY} without the normal number, at the next frequency; plain := E R^s */
static void ratio_turning_next(acb_t z, acb_t plain, ratio_turning *t)
{
    const ratio_terms *x = t->terms;
    acb_t one;
    arb_t share;
    turning_next(plain, &t->of[0]);
    acb_pow_ui(z, plain, ratio_plain_terms(x, t->without), PREC);
    if (t->without)
        return;
    acb_init(one);
    arb_init(share);
    /* the shifted step: (E R^{s+1} - (1-c) E R^s)/c */
    turning_next(one, &t->of[1]);
    arb_set_fmpq(share, x->share, PREC);
    acb_sub(one, one, plain, PREC);
    acb_div_arb(one, one, share, PREC);
    acb_add(one, one, plain, PREC);
    acb_pow_ui(one, one, x->epochs * x->taking, PREC);
    acb_mul(z, z, one, PREC);
    acb_clear(one);
    arb_clear(share);
}

/* v := v e^{s^2 h^2/2} */
static void add_normal(acb_t v, const acb_t s, double added)
{
    acb_t e;
    arb_t h;
    acb_init(e);
    arb_init(h);
    arb_set_d(h, added);
    acb_mul_arb(e, s, h, PREC);
    acb_sqr(e, e, PREC);
    acb_mul_2exp_si(e, e, -1);
    acb_exp(e, e, PREC);
    acb_mul(v, v, e, PREC);
    acb_clear(e);
    arb_clear(h);
}

/* ---- a line ---- */

static int set_beyond(ratio_line *l, const ratio_terms *x, int without, const shuf_summand *law)
{
    ratio_turning t;
    acb_t v, s;
    int failed = ratio_turning_init(&t, x, without, law, l->place.far, 0, &l->place) != 0;
    acb_init(v);
    acb_init(s);
    if (!failed)
    {
        ratio_turning_next(v, s, &t);
        acb_set_d(s, l->place.far);
        add_normal(v, s, l->place.added);
        arb_set(l->beyond, acb_realref(v));
    }
    ratio_turning_clear(&t);
    acb_clear(v);
    acb_clear(s);
    return failed ? -1 : 0;
}

static int set_terms(ratio_line *l, const ratio_terms *x, int without, const shuf_summand *law, double limit)
{
    const ratio_place *place = &l->place;
    ratio_turning t;
    acb_t s, plain;
    slong k;
    int failed = ratio_turning_init(&t, x, without, law, place->theta, place->step * (double) place->count, place) != 0;
    acb_init(s);
    acb_init(plain);
    for (k = 0; k < place->count && !failed; k++)
    {
        arb_set_d(acb_realref(s), place->theta);
        arb_set_d(acb_imagref(s), place->step);
        arb_mul_si(acb_imagref(s), acb_imagref(s), k, PREC);
        ratio_turning_next(l->term + k, plain, &t);
        add_normal(l->term + k, s, place->added);
        if (k == 0)
        {
            arb_set(l->first, acb_realref(l->term));
            arb_set(l->plain, acb_realref(plain));
            l->scale = steer_log(arb_midref(l->first));
        }
        acb_div(l->term + k, l->term + k, s, PREC);
        acb_mul_2exp_si(l->term + k, l->term + k, k > 0);
        shuf_charge(LINE_WORK);
        failed = shuf_exhausted(limit);
    }
    ratio_turning_clear(&t);
    acb_clear(s);
    acb_clear(plain);
    return failed || !arb_is_positive(l->plain) || !isfinite(l->scale) ? -1 : 0;
}

static void set_doubles(ratio_line *l)
{
    arb_t scale, t;
    slong k;
    arb_init(scale);
    arb_init(t);
    arb_set_d(scale, -l->scale);
    arb_exp(scale, scale, 64);
    for (k = 0; k < l->place.count; k++)
    {
        arb_mul(t, acb_realref(l->term + k), scale, 64);
        l->re[k] = steer_midpoint(t);
        arb_mul(t, acb_imagref(l->term + k), scale, 64);
        l->im[k] = steer_midpoint(t);
    }
    arb_clear(scale);
    arb_clear(t);
}

int ratio_line_init(ratio_line *l, const ratio_terms *x, int without, const ratio_place *place, double limit)
{
    const step_loss loss = { x->shift, x->share, 0, 0 };
    shuf_summand law;
    fourier_parts parts;
    arf_t top;
    /* log R under P of a step of Poisson batches: E e^{sL} is E R^{s+1} under N(0, 1) */
    step_loss_law(&law, &loss);
    l->place = *place;
    l->plain_terms = ratio_plain_terms(x, without);
    l->term = _acb_vec_init(place->count);
    l->re = flint_calloc(2 * (size_t) place->count, sizeof(double));
    l->im = l->re + place->count;
    arb_init(l->first); arb_init(l->beyond); arb_init(l->plain);
    arf_init(top);
    arf_pos_inf(top);
    fourier_parts_init(&parts, &law, place->theta - 1, top);
    l->lost = fourier_parts_loss(&parts, (double) (place->count - 1) * place->step * DOWN);
    fourier_parts_clear(&parts);
    arf_clear(top);
    if (set_terms(l, x, without, &law, limit) != 0 || set_beyond(l, x, without, &law) != 0)
    {
        ratio_line_clear(l);
        return -1;
    }
    set_doubles(l);
    return 0;
}

void ratio_line_clear(ratio_line *l)
{
    _acb_vec_clear(l->term, l->place.count);
    flint_free(l->re);
    arb_clear(l->first); arb_clear(l->beyond); arb_clear(l->plain);
}

/* ---- values ---- */

/* v := e^{-z a} */
static void factor_at(acb_t v, double z, double imaginary, slong times, double a)
{
    arb_t t;
    arb_init(t);
    arb_set_d(acb_realref(v), z);
    arb_set_d(acb_imagref(v), imaginary);
    arb_mul_si(acb_imagref(v), acb_imagref(v), times, PREC);
    arb_set_d(t, -a);
    acb_mul_arb(v, v, t, PREC);
    acb_exp(v, v, PREC);
    arb_clear(t);
}

/* rest := what the frequencies from count on may add: first times e^{-theta a} (1 - lost/plain)^terms e^{-y^2/2}/(pi y^2), y = h times the last one's */
static void set_rest(arb_t rest, const ratio_line *l, double a)
{
    arb_t y, t;
    acb_t e;
    arb_init(y); arb_init(t); acb_init(e);
    arb_set_d(t, l->lost);
    arb_sub(t, l->plain, t, PREC);
    arb_div(t, t, l->plain, PREC);
    arb_nonnegative_part(t, t);
    arb_pow_ui(rest, t, l->plain_terms, PREC);
    arb_mul(rest, rest, l->first, PREC);
    factor_at(e, l->place.theta, 0, 0, a);
    arb_mul(rest, rest, acb_realref(e), PREC);
    arb_set_d(y, l->place.step);
    arb_mul_si(y, y, l->place.count - 1, PREC);
    arb_set_d(t, l->place.added);
    arb_mul(y, y, t, PREC);
    arb_sqr(y, y, PREC);
    arb_mul_2exp_si(t, y, -1);
    shuf_ball_exp_minus(t, t, PREC);
    arb_mul(rest, rest, t, PREC);
    arb_const_pi(t, PREC);
    arb_mul(y, y, t, PREC);
    arb_div(rest, rest, y, PREC);
    arb_clear(y); arb_clear(t); acb_clear(e);
}

/* images := a bound of the other probabilities that the sum over the frequencies holds, W = 2 pi/step */
static void set_images(arb_t images, const ratio_line *l, double a)
{
    arb_t width, t;
    acb_t e;
    arb_init(width); arb_init(t); acb_init(e);
    polynomial_period(width, l->place.step, PREC);
    /* those above */
    arb_set_d(t, l->place.far);
    arb_set_d(images, l->place.theta);
    arb_sub(t, t, images, PREC);
    arb_mul(t, t, width, PREC);
    arb_expm1(t, t, PREC);
    factor_at(e, l->place.far, 0, 0, a);
    arb_mul(acb_realref(e), acb_realref(e), l->beyond, PREC);
    arb_div(t, acb_realref(e), t, PREC);
    /* those below */
    arb_mul(images, images, width, PREC);
    arb_expm1(images, images, PREC);
    arb_inv(images, images, PREC);
    arb_add(images, images, t, PREC);
    arb_clear(width); arb_clear(t); acb_clear(e);
}

void ratio_line_read(arb_t p, const ratio_line *l, double a)
{
    acb_t e;
    arb_t t;
    slong k;
    acb_init(e);
    arb_init(t);
    arb_zero(p);
    for (k = 0; k < l->place.count; k++)
    {
        factor_at(e, l->place.theta, l->place.step, k, a);
        acb_mul(e, e, l->term + k, PREC);
        arb_add(p, p, acb_realref(e), PREC);
    }
    shuf_charge(LINE_WORK * (double) l->place.count);
    arb_const_pi(t, PREC);
    arb_mul_2exp_si(t, t, 1);
    arb_div(p, p, t, PREC);
    arb_set_d(t, l->place.step);
    arb_mul(p, p, t, PREC);
    set_rest(t, l, a);
    arb_add_error(p, t);
    set_images(t, l, a);
    arb_sub(t, p, t, PREC);
    arb_union(p, p, t, PREC);
    arb_unit_interval(t);
    if (!arb_is_finite(p) || !arb_intersection(p, p, t, PREC))
        arb_unit_interval(p);
    acb_clear(e);
    arb_clear(t);
}

#define ESTIMATE_WORK 40.0 /* of a frequency: steers only */

double ratio_line_estimate(const ratio_line *l, double a)
{
    const double turn_re = d_cos(l->place.step * a), turn_im = -d_sin(l->place.step * a);
    double re = 1, im = 0, sum = 0;
    slong k;
    shuf_charge(ESTIMATE_WORK * (double) l->place.count);
    for (k = 0; k < l->place.count; k++)
    {
        const double next = re * turn_re - im * turn_im;
        sum += l->re[k] * re - l->im[k] * im;
        im = re * turn_im + im * turn_re;
        re = next;
    }
    return sum * l->place.step / (2 * DOUBLE_PI) * d_exp(l->scale - l->place.theta * a);
}
