/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Atoms of all sizes, and their transform to 300 bits, for tests of transforms. */
#ifndef SHUF_TESTS_IIDSUM_RANDOM_ATOMS_H
#define SHUF_TESTS_IIDSUM_RANDOM_ATOMS_H

#include <math.h>

#include "iidsum/turning.h"
#include "random.h"

#define PREC 300

/* Values from 2^low to 2^high, of both signs, the masses of those above `heavy` smaller; some masses much smaller; some known only to a radius, values to that part of them. */
static inline void random_atoms(shuf_quadrature *q, slong count, double low, double high, double heavy, double radius)
{
    arb_t value, mass;
    slong j;
    arb_init(value);
    arb_init(mass);
    for (j = 0; j < count; j++)
    {
        double size = pow(2, low + (high - low) * random_unit());
        arb_set_d(value, random_below(2) ? size : -size);
        arb_set_d(mass, random_unit() * fmin(1, heavy / size));
        if (j > 0 && random_below(3) == 0)
            arb_mul_2exp_si(mass, mass, -(slong) random_below(140));
        if (random_below(3) == 0)
        {
            mag_set_d(arb_radref(value), size * radius);
            mag_set_d(arb_radref(mass), 1e-30);
        }
        if (random_below(20) == 0)
            arb_zero(value);
        if (j > 0 && random_below(20) == 0)
            arb_mul_2exp_si(mass, mass, -950);
        if (j > 0 && random_below(20) == 0)
            arb_zero(mass);
        shuf_quadrature_add(q, value, mass);
    }
    arb_clear(value);
    arb_clear(mass);
}

/* z := sum of m (e^{s x} - less e^{theta x}), s = theta + i k step */
static inline void random_atoms_transform(acb_t z, const shuf_quadrature *q, double theta, double step, slong k, ulong less)
{
    arb_t t, y;
    acb_t w;
    slong j;
    arb_init(t); arb_init(y); acb_init(w);
    acb_zero(z);
    for (j = 0; j < q->count; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, q->value + j, PREC);
        arb_exp(t, t, PREC);
        arb_mul(t, t, q->mass + j, PREC);
        arb_set_d(y, step);
        arb_mul(y, y, q->value + j, PREC);
        arb_mul_si(y, y, k, PREC);
        arb_sin_cos(acb_imagref(w), acb_realref(w), y, PREC);
        acb_sub_ui(w, w, less, PREC);
        acb_addmul_arb(z, w, t, PREC);
    }
    arb_clear(t); arb_clear(y); acb_clear(w);
}

#endif
