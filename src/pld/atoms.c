/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/atoms.h"

#include "enclosure/budget.h"
#include "enclosure/doubles.h"

/* Units of work of an atom to begin with. Both steer only. */
#define ATOM_WORK 5000.0
#define NODE_PREC 96

/* Roundoffs of what a product with e^{i step x} begins with, and of an addition (Lemma 9). */
#define FIRST_ROUNDINGS 1.2
#define SUM_ROUNDINGS 1.01

void atoms_clear(atoms_struct *a)
{
    flint_free(a->re);
}

/* d := the nearest double of x, an error of at most 1.01 roundoffs of 1; returns 0 if x is not known so well. */
static int unit_part(double *d, const arb_t x)
{
    *d = arf_cmpabs_2exp_si(arb_midref(x), -900) < 0 ? 0 : arf_get_d(arb_midref(x), ARF_RND_NEAR);
    return mag_cmp_2exp_si(arb_radref(x), -62) < 0;
}

int atoms_init(atoms_struct *a, arb_srcptr value, arb_srcptr mass, slong count, double error, double theta, double step)
{
    arb_t t, c, s;
    arf_t end;
    slong j;
    int known = 1;
    a->count = 0;
    a->re = flint_calloc(6 * (size_t) count, sizeof(double));
    a->im = a->re + count;
    a->cos = a->im + count;
    a->sin = a->cos + count;
    a->far_cos = a->sin + count;
    a->far_sin = a->far_cos + count;
    a->whole = 0;
    a->error = error;
    arb_init(t); arb_init(c); arb_init(s);
    arf_init(end);
    shuf_charge(ATOM_WORK * (double) count);
    for (j = 0; j < count && known; j++)
    {
        arf_set_d(end, theta);
        arb_mul_arf(t, value + j, end, NODE_PREC);
        arb_exp(t, t, NODE_PREC);
        arb_mul(t, t, mass + j, NODE_PREC);
        /* what is known to fewer bits is off by its radius */
        if (arb_is_positive(t) && arb_rel_accuracy_bits(t) < 62)
        {
            arf_set_mag(end, arb_radref(t));
            a->error += double_above(end) * (1 + 1e-9);
            mag_zero(arb_radref(t));
        }
        if (!constant(a->re + a->count, t) || a->re[a->count] <= 0)
        {
            /* too small to be known: counts as nothing */
            arb_get_abs_ubound_arf(end, t, 53);
            known = arf_cmpabs_2exp_si(end, -900) < 0;
            a->error += 0x1p-900;
            continue;
        }
        a->whole += a->re[a->count];
        arf_set_d(end, step);
        arb_mul_arf(t, value + j, end, NODE_PREC);
        arb_sin_cos(s, c, t, NODE_PREC);
        known = unit_part(a->cos + a->count, c) && unit_part(a->sin + a->count, s);
        arb_mul_ui(t, t, ATOMS_STRIDE, NODE_PREC);
        arb_sin_cos(s, c, t, NODE_PREC);
        known = known && unit_part(a->far_cos + a->count, c) && unit_part(a->far_sin + a->count, s);
        a->count++;
    }
    a->whole *= 1 + 1e-9;
    known = known && isfinite(a->whole);
    arb_clear(t); arb_clear(c); arb_clear(s);
    arf_clear(end);
    return known ? 0 : -1;
}

/* re, im := the atoms at the next multiple of ATOMS_STRIDE, or at 0. */
static void start_stride(double *re, double *im, const atoms_struct *a, slong from, slong size, int is_next)
{
    const double *c = a->far_cos + from, *s = a->far_sin + from;
    slong j;
    for (j = 0; j < size; j++)
    {
        double *u = a->re + from + j, *v = a->im + from + j;
        re[j] = is_next ? *u * c[j] - *v * s[j] : *u;
        im[j] = is_next ? *u * s[j] + *v * c[j] : *v;
        *u = re[j];
        *v = im[j];
    }
}

void atoms_add_block(double *sums, const atoms_struct *a, slong from, slong size, slong count)
{
    const double *c = a->cos + from, *s = a->sin + from;
    double re[ATOMS_BLOCK], im[ATOMS_BLOCK];
    slong j, k;
    for (k = 0; k < count; k++)
    {
        double x = 0, y = 0;
        if (k % ATOMS_STRIDE == 0)
            start_stride(re, im, a, from, size, k > 0);
        for (j = 0; j < size; j++)
        {
            double u = re[j], v = im[j];
            x += u;
            y += v;
            re[j] = u * c[j] - v * s[j];
            im[j] = u * s[j] + v * c[j];
        }
        sums[2 * k] += x;
        sums[2 * k + 1] += y;
    }
}

double atoms_error(const atoms_struct *a, slong k)
{
    double roundings = ATOMS_STEP_ROUNDINGS * atoms_steps(k) + FIRST_ROUNDINGS
                       + SUM_ROUNDINGS * ((double) FLINT_MIN(ATOMS_BLOCK, a->count) + ceil((double) a->count / ATOMS_BLOCK) + 2);
    return (a->whole * ROUNDOFF * roundings + a->error) * (1 + 1e-6) + 0x1p-900;
}
