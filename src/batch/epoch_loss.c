/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/dpsgd.md, Lemmas 7 and 8. */
#include "batch/epoch_loss.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "shuffle/gaussian.h"

#define PREC 288     /* of the masses: steers only */
#define ERROR_PREC 64 /* of what they are off by: steers only */

/* h over the square root of v: so that A is large enough for two epochs. Steers only, as any h is valid. */
#define SPACING 0.47
#define SPACING_BITS 20

/* ---- the profile ---- */

/* Points at most, and of a chunk. Steer only. */
#define MOST_POINTS 800
#define CHUNK 8

/* Digits near 0, and the fewest; of each decade by which the profile has fallen so many fewer. Steer only. */
#define FIRST_DIGITS 12
#define LAST_DIGITS 1
#define DIGITS_A_DECADE 0.75

/* The profile is followed as far down as that, with points that are known as well as that, at the price of so many units of work a chunk. Steer only. */
#define LEAST_VALUE 1e-24
#define LEAST_OF_LAW 1e-36
#define LEAST_WIDTH 0.2
#define CHUNK_WORK 5e8
#define FEWEST_POINTS 6
#define MOST_WORK 8e9
#define MOST_LOST 1e-9

/*
 * Digits of the law of one epoch, for few digits of more steps than that and else: of so many steps it knows as much as lines of the transform, which alone
 * will do for more than few steps with so much noise. Steer only.
 */
#define LAW_ALONE 100
#define FEW_LAW_DIGITS 7
#define FEW_DIGITS 6
#define LAW_DIGITS 9
#define LAW_NOISE 2.0

static slong digits_at(double value)
{
    return (slong) fmin(fmax(FIRST_DIGITS + DIGITS_A_DECADE * d_log10(value), LAST_DIGITS), FIRST_DIGITS);
}

/* An epoch; its law (shuffle/lognormal.h), or NULL; and whether lines of the transform know its profile better. */
typedef struct
{
    const shuf_real_struct *noise;
    uint64_t steps;
    const lognormal_sum *law;
    int lines;
} epoch_struct;

/* The profile at CHUNK points. */
static void evaluate_chunk(shuf_enclosure_struct *r, epoch_struct *x, const shuf_real_struct *eps, shuf_direction direction, slong digits)
{
    shuf_enclosure_struct line[CHUNK];
    const shuf_options o = { digits, CHUNK_WORK };
    int i;
    shuf_gaussian_nodes(r, x->steps, x->noise, eps, CHUNK, direction, x->law, &o);
    if (x->law == NULL || !x->lines)
        return;
    for (i = 0; i < CHUNK; i++)
        shuf_enclosure_init(&line[i]);
    shuf_gaussian_nodes(line, x->steps, x->noise, eps, CHUNK, direction, NULL, &o);
    x->lines = 0;
    for (i = 0; i < CHUNK; i++)
    {
        if (steer_relative_width(&line[i]) < steer_relative_width(&r[i]))
        {
            shuf_enclosure_set(&r[i], &line[i]);
            x->lines = 1;
        }
        shuf_enclosure_clear(&line[i]);
    }
}

/* The next points of the profile, at most CHUNK of them; returns 0 when there is no use for more. */
static int add_chunk(epoch_profile *p, double h, epoch_struct *x, shuf_direction direction)
{
    const slong from = p->count;
    const double least = x->law != NULL ? LEAST_OF_LAW : LEAST_VALUE;
    shuf_enclosure_struct r[CHUNK];
    shuf_real_struct eps[CHUNK];
    arf_t t;
    int i, more = 1;
    arf_init(t);
    for (i = 0; i < CHUNK; i++)
    {
        shuf_enclosure_init(&r[i]);
        shuf_real_init(&eps[i]);
        arf_set_d(t, h);
        arf_mul_si(t, t, from + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_get_fmpq(eps[i].q, t);
    }
    evaluate_chunk(r, x, eps, direction, from == 0 ? FIRST_DIGITS : digits_at(p->most[from - 1]));
    for (i = 0; i < CHUNK; i++)
    {
        const slong j = p->count;
        more = more && j < MOST_POINTS && steer_relative_width(&r[i]) < LEAST_WIDTH && arf_sgn(r[i].lo) > 0 && (j == 0 || p->most[j - 1] > least);
        if (more)
        {
            arf_add(t, r[i].lo, r[i].hi, PREC, ARF_RND_NEAR);
            arf_mul_2exp_si(t, t, -1);
            arb_set_arf(p->value + j, t);
            p->most[j] = j == 0 ? double_above(r[i].hi) : fmin(double_above(r[i].hi), p->most[j - 1]);
            arf_sub(t, r[i].hi, t, ERROR_PREC, ARF_RND_UP);
            arf_mul_2exp_si(r[i].lo, r[i].hi, 2 - PREC); /* what t is rounded by, on the other side */
            arf_add(t, t, r[i].lo, ERROR_PREC, ARF_RND_UP);
            p->error[j] = double_above(t);
            p->count++;
        }
        shuf_enclosure_clear(&r[i]);
        shuf_real_clear(&eps[i]);
    }
    arf_clear(t);
    return more;
}

#define UP (1 + 1e-9) /* Lemma 8: pays for roundings of doubles, and of functions within 8 ulp */

/* An upper bound of the mass where M is above x_i: the least over the points before of 2 g(x_k)/(1 - e^{x_k - x_i}). */
static double mass_above(const epoch_profile *p, double h, slong i)
{
    double mass = 1;
    slong k;
    for (k = 0; k < i; k++)
        mass = fmin(mass, 2 * p->most[k] / -d_expm1(-h * (double) (i - k)) * UP);
    return mass;
}

/* What is lost, and the bounds beyond the last point: M is between two points, and G makes up for the rest. */
static void set_far(epoch_profile *p, double h, double v)
{
    const slong last = p->count - 1;
    slong i, j;
    p->lost = mass_above(p, h, last);
    for (j = 1; j < BEYOND; j++)
        p->beyond[j] = 0;
    for (i = 0; i <= last; i++)
    {
        const double mass = i == 0 ? 1 : mass_above(p, h, i - 1);
        for (j = 1; j < BEYOND; j++)
        {
            const double y = fmax(h * (double) (last + j - i) - v, 0);
            p->beyond[j] += mass * d_exp(-y * y / (2 * v)) * UP;
        }
    }
    for (j = 1; j < BEYOND; j++)
        p->beyond[j] = fmin(p->beyond[j] * UP, p->most[last]) + 0x1p-1000;
}

static void profile_init(epoch_profile *p)
{
    p->count = 0;
    p->value = _arb_vec_init(MOST_POINTS);
    p->error = flint_malloc(MOST_POINTS * sizeof(double));
    p->most = flint_malloc(MOST_POINTS * sizeof(double));
    p->mass = NULL;
}

static void profile_clear(epoch_profile *p, slong masses)
{
    _arb_vec_clear(p->value, MOST_POINTS);
    flint_free(p->error);
    flint_free(p->most);
    if (p->mass != NULL)
        _arb_vec_clear(p->mass, masses);
}

/* g := g_j, and j may be beyond the points: 0, or 1 - e^{x_j} */
static void profile_at(arb_t g, const epoch_profile *p, const epoch_profile *other, double h, slong j)
{
    arb_t alpha;
    arb_zero(g);
    if (j >= p->count)
        return;
    if (j >= 0)
    {
        arb_set(g, p->value + j);
        return;
    }
    arb_init(alpha);
    arb_set_d(alpha, h);
    arb_mul_si(alpha, alpha, j, PREC);
    arb_exp(alpha, alpha, PREC);
    if (-j < other->count)
        arb_mul(g, alpha, other->value - j, PREC);
    arb_sub(g, g, alpha, PREC);
    arb_add_ui(g, g, 1, PREC);
    arb_clear(alpha);
}

/* m_j = ((g_{j+1} - g_j) - e^h (g_j - g_{j-1}))/(e^h - 1) */
static void set_masses(epoch_profile *p, const epoch_profile *other, double h)
{
    const slong first = -other->count, masses = p->count + other->count + 1;
    arb_t ratio, less, before, here, next, t;
    slong i;
    arb_init(ratio); arb_init(less); arb_init(before); arb_init(here); arb_init(next); arb_init(t);
    p->mass = _arb_vec_init(masses);
    arb_set_d(t, h);
    arb_exp(ratio, t, PREC);
    arb_expm1(less, t, PREC);
    profile_at(before, p, other, h, first - 1);
    profile_at(here, p, other, h, first);
    for (i = 0; i < masses; i++)
    {
        profile_at(next, p, other, h, first + i + 1);
        arb_sub(p->mass + i, next, here, PREC);
        arb_sub(t, here, before, PREC);
        arb_submul(p->mass + i, ratio, t, PREC);
        arb_div(p->mass + i, p->mass + i, less, PREC);
        arb_swap(before, here);
        arb_swap(here, next);
    }
    arb_clear(ratio); arb_clear(less); arb_clear(before); arb_clear(here); arb_clear(next); arb_clear(t);
}

/* h, and v from both sides. */
static void set_spacing(epoch_lattice *x, const fmpq_t noise, uint64_t steps)
{
    arb_t v;
    arf_t end;
    arb_init(v);
    arf_init(end);
    arb_set_fmpq(v, noise, ERROR_PREC);
    arb_mul(v, v, v, ERROR_PREC);
    arb_mul_ui(v, v, steps, ERROR_PREC);
    arb_inv(v, v, ERROR_PREC);
    arb_get_lbound_arf(end, v, ERROR_PREC);
    x->spread[0] = double_below(end);
    arb_get_ubound_arf(end, v, ERROR_PREC);
    x->spread[1] = double_above(end);
    arf_set_d(end, SPACING * sqrt(x->spread[0]));
    arf_set_round(end, end, SPACING_BITS, ARF_RND_DOWN);
    x->h = arf_get_d(end, ARF_RND_DOWN);
    arb_clear(v);
    arf_clear(end);
}

int epoch_lattice_init(epoch_lattice *x, const fmpq_t noise, uint64_t steps, const shuf_options *options)
{
    shuf_real_t sigma;
    lognormal_sum law;
    epoch_struct epoch = { sigma, steps, NULL, 0 };
    const slong law_digits = steps > LAW_ALONE && options->digits <= FEW_DIGITS ? FEW_LAW_DIGITS : LAW_DIGITS;
    const double most_work = options->max_work > 0 ? fmin(options->max_work, MOST_WORK) : MOST_WORK, limit = shuf_work() + most_work;
    int d;
    shuf_real_init(sigma);
    shuf_real_set_fmpq(sigma, noise);
    if ((steps <= LOGNORMAL_FEW || fmpq_get_d(noise) < LAW_NOISE) && lognormal_sum_init(&law, sigma, steps, &(shuf_options) { law_digits, most_work }) == 0)
        epoch.law = &law;
    set_spacing(x, noise, steps);
    /* the direction that takes less work first */
    for (d = 1; d >= 0; d--)
    {
        profile_init(&x->of[d]);
        epoch.lines = steps > LAW_ALONE;
        /* the pair of shuffle/gaussian.h has the directions exchanged */
        while (add_chunk(&x->of[d], x->h, &epoch, d == 0 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ) && !shuf_exhausted(limit))
            ;
        if (x->of[d].count > 0)
            set_far(&x->of[d], x->h, x->spread[1]);
    }
    shuf_real_clear(sigma);
    if (epoch.law != NULL)
        lognormal_sum_clear(&law);
    if (FLINT_MIN(x->of[0].count, x->of[1].count) < FEWEST_POINTS || x->of[0].lost > MOST_LOST || x->of[1].lost > MOST_LOST)
    {
        epoch_lattice_clear(x);
        return -1;
    }
    set_masses(&x->of[0], &x->of[1], x->h);
    set_masses(&x->of[1], &x->of[0], x->h);
    return 0;
}

void epoch_lattice_clear(epoch_lattice *x)
{
    const slong masses = x->of[0].count + x->of[1].count + 1;
    profile_clear(&x->of[0], masses);
    profile_clear(&x->of[1], masses);
}

/* ---- what the atoms are off by ---- */

/* v := e^{theta x_j} */
static void tilt(arb_t v, double theta, double h, slong j)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, h);
    arb_set_d(v, theta);
    arb_mul_si(v, v, j, ERROR_PREC);
    arb_mul(v, v, t, ERROR_PREC);
    arb_exp(v, v, ERROR_PREC);
    arb_clear(t);
}

/* v := 1 - e^-x */
static void gap(arb_t v, const arb_t x)
{
    arb_neg(v, x);
    arb_expm1(v, v, ERROR_PREC);
    arb_neg(v, v);
}

static void add_term(arb_t sum, double factor, double theta, double h, slong j)
{
    arb_t t, f;
    arb_init(t);
    arb_init(f);
    tilt(t, theta, h, j);
    arb_set_d(f, factor);
    arb_addmul(sum, t, f, ERROR_PREC);
    arb_clear(t);
    arb_clear(f);
}

/* sum += that of factor e^{theta x_i}, i = j, j - 1, .. */
static void add_series(arb_t sum, double factor, double theta, double h, slong j)
{
    arb_t t, u;
    arb_init(t);
    arb_init(u);
    tilt(t, theta, h, j);
    arb_set_d(u, factor);
    arb_mul(t, t, u, ERROR_PREC);
    arb_set_d(u, theta * h * (1 - 1e-12));
    gap(u, u);
    arb_div(t, t, u, ERROR_PREC);
    arb_add(sum, sum, t, ERROR_PREC);
    arb_clear(t);
    arb_clear(u);
}

/* v := an upper bound of the sum over j > of the last point's of gn(x_j) e^{theta x_j} */
static void set_beyond(arb_t v, const epoch_profile *p, const epoch_lattice *x, double theta)
{
    const double h = x->h, y = BEYOND * h - x->spread[1];
    const slong last = p->count - 1;
    arb_t term, ratio, t;
    slong j;
    arb_init(term); arb_init(ratio); arb_init(t);
    arb_zero(v);
    for (j = 1; j < BEYOND; j++)
        add_term(v, p->beyond[j], theta, h, last + j);
    /* from there on e^{-y^2/(2v)}, y = x_j - c - v: a term is e^{theta h - y h/v} times the one before, at most */
    arb_set_d(t, y * (1 - 1e-12));
    arb_set_d(ratio, x->spread[1]);
    arb_div(ratio, t, ratio, ERROR_PREC);
    arb_mul(term, ratio, t, ERROR_PREC);
    arb_mul_2exp_si(term, term, -1);
    shuf_ball_exp_minus(term, term, ERROR_PREC);
    tilt(t, theta, h, last + BEYOND);
    arb_mul(term, term, t, ERROR_PREC);
    arb_set_d(t, theta);
    arb_sub(ratio, ratio, t, ERROR_PREC);
    arb_set_d(t, h);
    arb_mul(ratio, ratio, t, ERROR_PREC);
    gap(t, ratio);
    arb_div(term, term, t, ERROR_PREC);
    if (y > 0 && arb_is_positive(ratio))
        arb_add(v, v, term, ERROR_PREC);
    else
        arb_pos_inf(v);
    arb_clear(term); arb_clear(ratio); arb_clear(t);
}

/* v := a bound of the sum over j of |gn(x_j) - g_j| e^{theta x_j} */
static void set_point_errors(arb_t v, const epoch_profile *p, const epoch_profile *other, const epoch_lattice *x, double theta)
{
    const double next = (theta + 1) * (1 - 1e-15); /* from below, as it goes with what is to the left of 0 */
    slong j;
    set_beyond(v, p, x, theta);
    for (j = 0; j < p->count; j++)
        add_term(v, p->error[j], theta, x->h, j);
    for (j = 1; j < other->count; j++)
        add_term(v, other->error[j], next, x->h, -j);
    /* what is cut off, at all points up to the last; and to the left the last value of the other direction */
    add_series(v, p->lost, theta, x->h, p->count - 1);
    add_series(v, other->most[other->count - 1], next, x->h, -other->count);
}

/* v := h (e^h - 1)/((e^{(s+1)h} - 1)(1 - e^{-sh})), kappa(s) over s (s + 1) */
static void kernel(acb_t v, const acb_t s, double h, slong prec)
{
    acb_t t;
    arb_t step;
    acb_init(t);
    arb_init(step);
    arb_set_d(step, h);
    acb_add_ui(t, s, 1, prec);
    acb_mul_arb(t, t, step, prec);
    acb_expm1(v, t, prec);
    acb_mul_arb(t, s, step, prec);
    acb_neg(t, t);
    acb_expm1(t, t, prec);
    acb_neg(t, t);
    acb_mul(v, v, t, prec);
    acb_inv(v, v, prec);
    acb_mul_arb(v, v, step, prec);
    arb_expm1(step, step, prec);
    acb_mul_arb(v, v, step, prec);
    acb_clear(t);
    arb_clear(step);
}

/* v := (2/A^2) e^{-v A^2/2}/(1 - e^{-2 pi v A/h}), A = 2 pi/h - reach; returns 0 unless A > 0 */
static int set_alias(arb_t v, const epoch_lattice *x, double reach)
{
    /* each term on its own side, as they may nearly cancel */
    const double A = (2 * DOUBLE_PI / x->h * (1 - 1e-12) - reach * (1 + 1e-12)) * (1 - 1e-12);
    arb_t a, t;
    if (!(A > 0))
        return 0;
    arb_init(a);
    arb_init(t);
    arb_set_d(a, A);
    arb_set_d(t, x->spread[0]);
    arb_mul(t, t, a, ERROR_PREC);
    arb_mul(v, t, a, ERROR_PREC);
    arb_mul_2exp_si(v, v, -1);
    shuf_ball_exp_minus(v, v, ERROR_PREC);
    arb_div(v, v, a, ERROR_PREC);
    arb_div(v, v, a, ERROR_PREC);
    arb_mul_2exp_si(v, v, 1);
    arb_set_d(a, 2 * DOUBLE_PI / x->h * (1 - 1e-12));
    arb_mul(t, t, a, ERROR_PREC);
    gap(t, t);
    arb_div(v, v, t, ERROR_PREC);
    arb_clear(a);
    arb_clear(t);
    return 1;
}

/* The logarithm of the error over |s (s + 1)|; `sum` and `dropped` are those over the atoms of mass e^{theta x}. Infinite if nothing is known. */
static double log_error_of(const arb_t sum, const arb_t dropped, const epoch_loss *l, double theta, double reach)
{
    const epoch_lattice *x = l->lattice;
    const epoch_profile *p = &x->of[l->reverse], *other = &x->of[!l->reverse];
    arb_t error, alias, whole, t;
    acb_t s, k;
    arf_t end;
    double d = HUGE_VAL;
    arb_init(error); arb_init(alias); arb_init(whole); arb_init(t);
    acb_init(s); acb_init(k);
    arf_init(end);
    if (set_alias(alias, x, reach))
    {
        set_point_errors(error, p, other, x, theta);
        arb_set_d(t, x->h);
        arb_mul(error, error, t, ERROR_PREC);
        acb_set_d(s, theta);
        kernel(k, s, x->h, ERROR_PREC);
        arb_addmul(error, dropped, acb_realref(k), ERROR_PREC);
        /* the transform at theta over theta (theta + 1) is at most (k sum + error)/(1 - theta (theta + 1) alias) */
        arb_mul(whole, sum, acb_realref(k), ERROR_PREC);
        arb_add(whole, whole, error, ERROR_PREC);
        arb_add_ui(t, acb_realref(s), 1, ERROR_PREC);
        arb_mul(t, t, acb_realref(s), ERROR_PREC);
        arb_mul(alias, alias, t, ERROR_PREC);
        shuf_ball_complement(t, alias, ERROR_PREC);
        if (arb_is_positive(t))
        {
            arb_div(whole, whole, t, ERROR_PREC);
            arb_addmul(error, whole, alias, ERROR_PREC);
            arb_log(error, error, ERROR_PREC);
            arb_get_ubound_arf(end, error, ERROR_PREC);
            d = arf_is_finite(end) ? arf_get_d(end, ARF_RND_CEIL) : HUGE_VAL;
        }
    }
    arb_clear(error); arb_clear(alias); arb_clear(whole); arb_clear(t);
    acb_clear(s); acb_clear(k);
    arf_clear(end);
    return d;
}

/* ---- the loss ---- */

/*
 * Atoms for estimates alone, at the end of the law and beyond: so many times what is cut off, and what is left of the normal part. They keep the
 * lines away from where these matter. Steers only.
 */
#define WARNING 1e12
#define FAR_WARNING 1e5
#define WARNING_STEP (BEYOND / (WARNINGS - 1))

#define ATOM_WORK 3000.0 /* steers only */

/* Of the sum over the positive masses, and over the others, which are left out. */
static double filter_log_error(const shuf_loss_filter *self, double theta, double reach)
{
    const epoch_loss *l = self->data;
    const epoch_profile *p = &l->lattice->of[l->reverse], *other = &l->lattice->of[!l->reverse];
    const slong masses = p->count + other->count + 1;
    arb_t t, sum, dropped;
    double log_error;
    slong i;
    arb_init(t); arb_init(sum); arb_init(dropped);
    shuf_charge(ATOM_WORK * (double) masses);
    for (i = 0; i < masses; i++)
    {
        tilt(t, theta, l->lattice->h, i - other->count);
        arb_mul(t, t, p->mass + i, ERROR_PREC);
        if (arb_is_positive(p->mass + i))
        {
            arb_add(sum, sum, t, ERROR_PREC);
        }
        else
        {
            arb_abs(t, t);
            arb_add(dropped, dropped, t, ERROR_PREC);
        }
    }
    log_error = log_error_of(sum, dropped, l, theta, reach);
    arb_clear(t); arb_clear(sum); arb_clear(dropped);
    return log_error;
}

static void filter_factor(acb_t factor, const shuf_loss_filter *self, const acb_t s, slong prec)
{
    const epoch_loss *l = self->data;
    acb_t t;
    acb_init(t);
    kernel(factor, s, l->lattice->h, prec);
    acb_add_ui(t, s, 1, prec);
    acb_mul(t, t, s, prec);
    acb_mul(factor, factor, t, prec);
    acb_clear(t);
}

static void set_warnings(epoch_loss *x)
{
    const double h = x->lattice->h, v = x->lattice->spread[1];
    const epoch_profile *p = &x->lattice->of[x->reverse];
    slong i;
    for (i = 0; i < WARNINGS; i++)
    {
        x->warning[i] = h * (double) (p->count - 1 + WARNING_STEP * i);
        x->log_warning[i] = d_log(fmin(i == 0 ? WARNING * p->lost : FAR_WARNING * p->beyond[FLINT_MIN(WARNING_STEP * i, BEYOND - 1)], 1));
    }
    x->log_warning[WARNINGS - 1] = -BEYOND * h * BEYOND * h / (2 * v);
}

void epoch_loss_init(epoch_loss *x, const epoch_lattice *lattice, int reverse)
{
    x->lattice = lattice;
    x->reverse = reverse;
    x->filter = (shuf_loss_filter) { .factor = filter_factor, .log_error = filter_log_error, .spread = lattice->spread[0], .warnings = WARNINGS, .warning = x->warning,
                                     .log_warning = x->log_warning, .data = x };
    set_warnings(x);
}

void epoch_loss_tell(shuf_loss_t loss, const epoch_loss *x)
{
    const epoch_profile *p = &x->lattice->of[x->reverse], *other = &x->lattice->of[!x->reverse];
    const slong masses = p->count + other->count + 1;
    slong i;
    shuf_loss_set_count(loss, masses);
    for (i = 0; i < masses; i++)
    {
        arb_set_d(loss->value + i, x->lattice->h);
        arb_mul_si(loss->value + i, loss->value + i, i - other->count, ARF_PREC_EXACT);
        if (arb_is_positive(p->mass + i))
            arb_set(loss->mass + i, p->mass + i);
    }
    loss->filter = &x->filter;
    arb_set_d(loss->lost, p->lost);
}
