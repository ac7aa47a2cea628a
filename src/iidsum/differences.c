/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/iidsum.md, Lemma 13. */
#include "iidsum/differences.h"

#include <math.h>

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "pld/spread.h"

/* Units of work of an atom to begin with, and at a frequency; of balls; how far an atom that turns little turns in all. All steer only. */
#define ATOM_WORK 6000.0
#define STEP_WORK 5.0
#define PREC 128
#define LITTLE 100.0

/* Lemma 13. */
#define BLOCK 64
#define LANES 4
#define STRIDE 64
#define STEP_ROUNDINGS 5.3
#define FIRST_ROUNDINGS 1.2
#define SUM_ROUNDINGS 1.01
#define OTHER_ROUNDINGS 5.0 /* two differences, and the sums that they are added to */
#define LEAST_TURN 0x1p-800 /* of step |x|, and of a mass: below that an atom stays where it is */
#define LEAST_MASS 0x1p-900

static double value_of(const shuf_quadrature *q, slong j)
{
    return fabs(arf_get_d(arb_midref(q->value + j), ARF_RND_NEAR));
}

/* The number of atoms that turn more than little, if it is worth while to make their sums together, or 0. */
static slong count_others(const shuf_quadrature *q, double step, slong frequencies)
{
    slong j, count = 0;
    for (j = 0; j < q->count; j++)
        count += value_of(q, j) * step * (double) frequencies > LITTLE;
    return STEP_WORK * (double) count * (double) frequencies > spread_work(count, frequencies) ? count : 0;
}

double differences_work(const shuf_quadrature *q, double step, slong frequencies)
{
    const slong others = count_others(q, step, frequencies);
    return STEP_WORK * (double) (q->count - others) * (double) frequencies + (others > 0 ? spread_work(others, frequencies) : 0);
}

void differences_clear(differences_struct *a)
{
    flint_free(a->mass);
    _arb_vec_clear(a->other_value, a->others);
    _arb_vec_clear(a->other_mass, a->others);
    arb_clear(a->first);
}

/* d := the nearest double of x; what x is off by beside that is added to error, in units of a turn's. */
static void set_part(double *d, double *error, const arb_t x)
{
    arf_t radius;
    arf_init(radius);
    *d = arf_cmpabs_2exp_si(arb_midref(x), -1000) < 0 ? 0 : arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arf_set_mag(radius, arb_radref(x));
    *error += double_above(radius) + 0x1p-1000;
    arf_clear(radius);
}

/* e^{iy} - 1 = -2 sin^2(y/2) + i sin y */
static void set_turn(double *re, double *im, double *error, const arb_t y)
{
    arb_t s, c;
    arb_init(s);
    arb_init(c);
    arb_mul_2exp_si(s, y, -1);
    arb_sin(s, s, PREC);
    arb_mul(s, s, s, PREC);
    arb_mul_2exp_si(s, s, 1);
    arb_neg(s, s);
    arb_sin(c, y, PREC);
    set_part(re, error, s);
    set_part(im, error, c);
    arb_clear(s);
    arb_clear(c);
}

/* The last atom := mass m, tilted, with the turn y; returns 0 if doubles have no room for it. */
static int add_atom(differences_struct *a, const arb_t m, arb_t y)
{
    arf_t end;
    double off = 0, turn, mass;
    const slong j = a->count;
    int i, known = 1;
    arf_init(end);
    arb_get_abs_ubound_arf(end, y, 53);
    turn = double_above(end);
    arb_get_abs_ubound_arf(end, m, 53);
    mass = double_above(end);
    known = isfinite(turn) && mass < 0x1p900;
    if (turn < LEAST_TURN || mass < LEAST_MASS)
    {
        /* it stays where it is */
        a->error += fmin(2 * mass, mass * turn * (double) a->frequencies) * (1 + 1e-9) + 0x1p-900;
    }
    else if (known)
    {
        /* at the midpoints of both; what they are not known by */
        arf_set_mag(end, arb_radref(m));
        a->error += 2 * double_above(end) * (1 + 1e-9);
        arf_set_mag(end, arb_radref(y));
        off = double_above(end);
        mag_zero(arb_radref(y));
        a->mass[j] = arf_get_d(arb_midref(m), ARF_RND_NEAR);
        set_turn(a->near_re + j, a->near_im + j, &off, y);
        arb_mul_ui(y, y, STRIDE, PREC);
        set_turn(a->far_re + j, a->far_im + j, &off, y);
        a->error += mass * off * (double) a->frequencies * (1 + 1e-9);
        for (i = 0; i <= DIFFERENCES_MOST; i++)
            a->most[i] += mass * fmin(2, ldexp(turn, i));
        known = a->mass[j] > 0;
        a->count++;
    }
    arf_clear(end);
    return known;
}

int differences_init(differences_struct *a, const shuf_quadrature *q, double theta, double step, slong frequencies)
{
    const slong others = count_others(q, step, frequencies), room = (q->count - others + BLOCK - 1) / BLOCK * BLOCK;
    arb_t m, y, t;
    arf_t end;
    slong j, k = 0;
    int i, known = 1;
    a->theta = theta;
    a->step = step;
    a->frequencies = frequencies;
    a->count = 0;
    a->others = others;
    a->other_value = _arb_vec_init(others);
    a->other_mass = _arb_vec_init(others);
    a->other_whole = 0;
    a->mass = flint_calloc(7 * (size_t) room, sizeof(double));
    a->re = a->mass + room;
    a->im = a->re + room;
    a->near_re = a->im + room;
    a->near_im = a->near_re + room;
    a->far_re = a->near_im + room;
    a->far_im = a->far_re + room;
    a->error = 0;
    for (i = 0; i <= DIFFERENCES_MOST; i++)
        a->most[i] = 0;
    arb_init(a->first);
    arb_init(m); arb_init(y); arb_init(t);
    arf_init(end);
    shuf_charge(ATOM_WORK * (double) q->count);
    for (j = 0; j < q->count && known; j++)
    {
        arb_set_d(t, theta);
        arb_mul(m, q->value + j, t, PREC);
        arb_exp(m, m, PREC);
        arb_mul(m, m, q->mass + j, PREC);
        arb_add(a->first, a->first, m, PREC);
        if (others > 0 && value_of(q, j) * step * (double) frequencies > LITTLE)
        {
            arb_set(a->other_value + k, q->value + j);
            arb_set(a->other_mass + k++, q->mass + j);
            arb_get_abs_ubound_arf(end, m, 53);
            a->other_whole += double_above(end);
            continue;
        }
        arb_set_d(t, step);
        arb_mul(y, q->value + j, t, PREC);
        known = add_atom(a, m, y);
    }
    a->other_whole *= 1 + 1e-9;
    arb_set_d(t, q->error);
    arb_add_error(a->first, t);
    a->count = (a->count + BLOCK - 1) / BLOCK * BLOCK;
    for (i = 0; i <= DIFFERENCES_MOST; i++)
        a->most[i] *= 1 + 1e-9;
    known = known && isfinite(a->most[DIFFERENCES_MOST]) && isfinite(a->error) && isfinite(a->other_whole) && arb_is_finite(a->first);
    arb_clear(m); arb_clear(y); arb_clear(t);
    arf_clear(end);
    return known ? 0 : -1;
}

/* re, im := those of a block at the next multiple of the stride, or at 0. */
static void start_stride(double *re, double *im, const differences_struct *a, slong from, int is_next)
{
    slong j;
    for (j = 0; j < BLOCK; j++)
    {
        double *u = a->re + from + j, *v = a->im + from + j;
        if (is_next)
        {
            const double whole = a->mass[from + j] + *u, c = a->far_re[from + j], s = a->far_im[from + j];
            const double more = c * whole - s * *v;
            *v += c * *v + s * whole;
            *u += more;
        }
        re[j] = *u;
        im[j] = *v;
    }
}

/* What a block adds at all frequencies. */
static void add_block(double *sums, const differences_struct *a, slong from, slong frequencies)
{
    const double *mass = a->mass + from, *c = a->near_re + from, *s = a->near_im + from;
    double re[BLOCK], im[BLOCK];
    slong i, j, k;
    for (k = 0; k < frequencies; k++)
    {
        double x[LANES] = { 0 }, y[LANES] = { 0 };
        if (k % STRIDE == 0)
            start_stride(re, im, a, from, k > 0);
        for (j = 0; j < BLOCK; j += LANES)
            for (i = 0; i < LANES; i++)
            {
                const double u = re[j + i], v = im[j + i], whole = mass[j + i] + u;
                x[i] += u;
                y[i] += v;
                re[j + i] = u + (c[j + i] * whole - s[j + i] * v);
                im[j + i] = v + (c[j + i] * v + s[j + i] * whole);
            }
        sums[2 * k] += (x[0] + x[1]) + (x[2] + x[3]);
        sums[2 * k + 1] += (y[0] + y[1]) + (y[2] + y[3]);
    }
}

/* What the others add, less what they are at theta; 0 or -1. */
static int add_others(double *sums, differences_struct *a)
{
    double *z, off;
    slong k;
    int failed;
    if (a->others == 0)
        return 0;
    z = flint_malloc(2 * (size_t) a->frequencies * sizeof(*z));
    failed = spread_sums(z, &off, a->other_value, a->other_mass, a->others, a->theta, a->step, a->frequencies) != 0;
    for (k = 0; k < a->frequencies && !failed; k++)
    {
        sums[2 * k] += z[2 * k] - z[0];
        sums[2 * k + 1] += z[2 * k + 1] - z[1];
    }
    a->error += failed ? 0 : (2 * off + OTHER_ROUNDINGS * ROUNDOFF * (a->other_whole + off)) * (1 + 1e-9);
    flint_free(z);
    return failed ? -1 : 0;
}

int differences_sums(double *sums, double *error, differences_struct *a, double limit)
{
    slong from, k;
    int i = 0;
    for (k = 0; k < 2 * a->frequencies; k++)
        sums[k] = 0;
    for (from = 0; from < a->count; from += BLOCK)
    {
        add_block(sums, a, from, a->frequencies);
        shuf_charge(STEP_WORK * BLOCK * (double) a->frequencies);
        if (shuf_exhausted(limit))
            return -1;
    }
    if (add_others(sums, a) != 0)
        return -1;
    for (k = 0; k < a->frequencies; k++)
    {
        const double steps = (double) (k / STRIDE + k % STRIDE);
        const double roundings = STEP_ROUNDINGS * steps + FIRST_ROUNDINGS + SUM_ROUNDINGS * (BLOCK + (double) (a->count / BLOCK) + 3);
        while (k > (slong) 1 << i)
            i++;
        error[k] = ((k > 0 ? a->most[i] : 0) * ROUNDOFF * roundings + a->error) * (1 + 1e-6) + 0x1p-900;
    }
    return 0;
}
