/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/iidsum.md, Lemma 9, in balls, and Lemma 14. */
#include "iidsum/turning.h"

#define PREC 160            /* Lemma 9, in balls */
#define TURN_EXPONENT (-120) /* of what a factor e^{i step x} may be off: Lemma 9, in balls */

/* ---- in whole numbers: Lemma 14 ---- */

#define STRIDE 64        /* steps to the next frequency, after which one leap starts anew: steers only, the steps are counted */
#define UNIT_BITS 62     /* Lemma 14: of a turn, */
#define MASS_BITS 63     /* Lemma 14: of a mass */
#define MOST_TURNS (1 << 22) /* Lemma 14: frequencies */
#define MOST_SHIFT 100   /* lighter atoms, than 2^-100 of the whole or so, count as nothing: steers only */
#define MOST_EXPONENT 1000000 /* of the whole, either way: steers only */
#define RADIUS (-80)     /* Lemma 14: of a turn, beside half a unit */
#define STEP_UNITS 1.5   /* Lemma 14: what a product is off by, in units of a turn */

__extension__ typedef __int128 whole_number;

/* Both parts of e^{i angle} in units; 0 if they are not known well enough. */
static int set_unit(int64_t z[2], const arb_t angle)
{
    arb_t part[2];
    arf_t t;
    int i, known = 1;
    arb_init(part[0]); arb_init(part[1]); arf_init(t);
    arb_sin_cos(part[1], part[0], angle, PREC);
    for (i = 0; i < 2; i++)
    {
        known &= mag_cmp_2exp_si(arb_radref(part[i]), RADIUS) <= 0;
        arf_mul_2exp_si(t, arb_midref(part[i]), UNIT_BITS);
        z[i] = known ? arf_get_si(t, ARF_RND_NEAR) : 0;
    }
    arb_clear(part[0]); arb_clear(part[1]); arf_clear(t);
    return known;
}

/* z := z w, to the nearest unit. */
static inline void turn_by(int64_t z[2], const int64_t w[2])
{
    const whole_number half = (whole_number) 1 << (UNIT_BITS - 1);
    const whole_number re = (whole_number) z[0] * w[0] - (whole_number) z[1] * w[1], im = (whole_number) z[0] * w[1] + (whole_number) z[1] * w[0];
    z[0] = (int64_t) ((re + half) >> UNIT_BITS);
    z[1] = (int64_t) ((im + half) >> UNIT_BITS);
}

/* The atoms, their tilted masses being the midpoints of x->power. 0 or -1. */
static int set_atoms(turning_struct *x, const shuf_quadrature *q, double step)
{
    arb_t t;
    arf_t m;
    slong j, atoms = 0;
    int known;
    arb_init(t);
    arf_init(m);
    x->atom = flint_malloc((size_t) FLINT_MAX(q->count, 1) * sizeof(*x->atom));
    known = arb_is_finite(x->whole) && arf_cmpabs_2exp_si(arb_midref(x->whole), MOST_EXPONENT) < 0 && arf_cmpabs_2exp_si(arb_midref(x->whole), -MOST_EXPONENT) > 0;
    x->exponent = known ? arf_abs_bound_lt_2exp_si(arb_midref(x->whole)) + 1 : 0;
    for (j = 0; j < q->count && known; j++)
    {
        arf_srcptr mass = arb_midref(acb_realref(x->power + j));
        turning_atom *a = &x->atom[atoms];
        const slong bound = arf_abs_bound_lt_2exp_si(mass);
        if (bound < x->exponent - MOST_SHIFT || bound > x->exponent || arf_sgn(mass) < 0)
        {
            known = bound <= x->exponent && arf_sgn(mass) >= 0;
            arb_add_error_arf(x->error, mass);
            continue;
        }
        a->shift = (int) (x->exponent - bound);
        arf_mul_2exp_si(m, mass, MASS_BITS - bound);
        a->mass = arf_get_si(m, ARF_RND_DOWN);
        arb_set_d(t, step);
        arb_mul(t, t, q->value + j, PREC);
        known = set_unit(a->turn, t);
        arb_mul_ui(t, t, STRIDE, PREC);
        known = known && set_unit(a->leap, t);
        a->at[0] = a->base[0] = (int64_t) 1 << UNIT_BITS;
        a->at[1] = a->base[1] = 0;
        atoms++;
    }
    x->count = atoms;
    arb_clear(t);
    arf_clear(m);
    return known ? 0 : -1;
}

/* part := sum 2^(exponent - UNIT_BITS - MASS_BITS), off by at most error */
static void set_part(arb_t part, whole_number sum, slong exponent, const arb_t error)
{
    fmpz_t n;
    fmpz_init(n);
    fmpz_set_signed_uiui(n, (ulong) (sum >> 64), (ulong) sum);
    arb_set_fmpz(part, n);
    arb_mul_2exp_si(part, part, exponent - UNIT_BITS - MASS_BITS);
    arb_add_error(part, error);
    fmpz_clear(n);
}

static void next_fixed(acb_t z, turning_struct *x)
{
    const slong k = x->next++;
    const double steps = (double) (k / STRIDE + k % STRIDE);
    whole_number re = 0, im = 0;
    arb_t error, t;
    slong j;
    if (k >= MOST_TURNS)
    {
        acb_indeterminate(z);
        return;
    }
    for (j = 0; j < x->count; j++)
    {
        turning_atom *a = &x->atom[j];
        if (k > 0 && k % STRIDE == 0)
        {
            turn_by(a->base, a->leap);
            a->at[0] = a->base[0];
            a->at[1] = a->base[1];
        }
        else if (k > 0)
        {
            turn_by(a->at, a->turn);
        }
        re += ((whole_number) a->at[0] * a->mass) >> a->shift;
        im += ((whole_number) a->at[1] * a->mass) >> a->shift;
    }
    arb_init(error);
    arb_init(t);
    /* turns and masses, and a unit of a product for each atom */
    arb_set_d(error, STEP_UNITS * steps + 1);
    arb_set_si(t, x->count);
    arb_mul_2exp_si(t, t, -MASS_BITS);
    arb_add(error, error, t, PREC);
    arb_mul_2exp_si(error, error, x->exponent - UNIT_BITS);
    arb_add_error_mag(error, arb_radref(x->error));
    set_part(acb_realref(z), re, x->exponent, error);
    set_part(acb_imagref(z), im, x->exponent, error);
    arb_set_d(t, x->miss);
    acb_add_error_arb(z, t);
    shuf_charge(TURNING_FIXED_WORK * (double) x->count);
    arb_clear(error);
    arb_clear(t);
}

/* ---- both ---- */

int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step, int in_balls)
{
    arb_t t;
    slong j;
    int known = 1;
    x->count = q->count;
    x->room = q->count;
    x->next = 0;
    x->miss = miss;
    x->atom = NULL;
    x->power = _acb_vec_init(q->count);
    x->turn = _acb_vec_init(q->count);
    arb_init(x->whole);
    arb_init(x->error);
    arb_init(t);
    for (j = 0; j < q->count; j++)
    {
        arb_set_d(t, theta);
        arb_mul(t, t, q->value + j, PREC);
        arb_exp(t, t, PREC);
        arb_mul(t, t, q->mass + j, PREC);
        arb_add(x->whole, x->whole, t, PREC);
        arb_add_error_mag(x->error, arb_radref(t));
        arb_get_mid_arb(acb_realref(x->power + j), t);
        if (!in_balls)
            continue;
        arb_set_d(t, step);
        arb_mul(t, t, q->value + j, PREC);
        arb_sin_cos(acb_imagref(x->turn + j), acb_realref(x->turn + j), t, PREC);
        known &= mag_cmp_2exp_si(arb_radref(acb_realref(x->turn + j)), TURN_EXPONENT) <= 0
                 && mag_cmp_2exp_si(arb_radref(acb_imagref(x->turn + j)), TURN_EXPONENT) <= 0;
        acb_get_mid(x->turn + j, x->turn + j);
    }
    shuf_charge(TURNING_WORK * (double) q->count);
    arb_clear(t);
    return known && (in_balls || set_atoms(x, q, step) == 0) ? 0 : -1;
}

void turning_clear(turning_struct *x)
{
    _acb_vec_clear(x->power, x->room);
    _acb_vec_clear(x->turn, x->room);
    flint_free(x->atom);
    arb_clear(x->whole);
    arb_clear(x->error);
}

void turning_next(acb_t z, turning_struct *x)
{
    arb_t t;
    slong j;
    if (x->atom != NULL)
    {
        next_fixed(z, x);
        return;
    }
    arb_init(t);
    acb_zero(z);
    for (j = 0; j < x->count; j++)
    {
        arf_struct *re = arb_midref(acb_realref(x->power + j)), *im = arb_midref(acb_imagref(x->power + j));
        acb_add(z, z, x->power + j, PREC);
        arf_complex_mul(re, im, re, im, arb_midref(acb_realref(x->turn + j)), arb_midref(acb_imagref(x->turn + j)), PREC, ARB_RND);
    }
    /* each product adds at most 2^(TURN_EXPONENT + 2) of the whole */
    arb_set_si(t, x->next++);
    arb_mul_2exp_si(t, t, TURN_EXPONENT + 2);
    arb_mul(t, t, x->whole, PREC);
    arb_add_error_mag(t, arb_radref(x->error));
    acb_add_error_arb(z, t);
    arb_set_d(t, x->miss);
    acb_add_error_arb(z, t);
    shuf_charge(TURNING_STEP_WORK * (double) x->count);
    arb_clear(t);
}
