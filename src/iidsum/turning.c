/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/iidsum.md, Lemma 14. */
#include "iidsum/turning.h"

#include <math.h>

#define PREC 160 /* of what is rounded to whole numbers: steers only */

#define STRIDE 64        /* steps to the next frequency, after which one leap starts anew: steers only, the steps are counted */
#define MOST_TURNS (1 << 22) /* Lemma 14: frequencies */
#define MOST_EXPONENT 1000000 /* of the whole, either way: steers only */

/* Lemma 14, in one word: bits of a turn and of a mass; what the ball of a turn may be wide; what a step is off by, in units of a turn. */
#define UNIT_BITS 62
#define MASS_BITS 63
#define RADIUS (-80)
#define STEP_UNITS 1.5

/* Lemma 14, in two words of so many bits; and what an atom adds to the sum, in units. */
#define WORD_BITS 60
#define WIDE_BITS 120
#define WIDE_RADIUS (-121)
#define WIDE_STEP_UNITS 3.6
#define WIDE_ATOM_UNITS 3.0

/* Atoms lighter than that power of 2 of the whole, or so, count as nothing, in one word and in two: steers only. */
#define MOST_SHIFT 100
#define WIDE_MOST_SHIFT 124

__extension__ typedef __int128 whole_number;

/* Both parts of e^{i angle} in units of 2^-bits; 0 if they are not known well enough. */
static int set_unit(fmpz z[2], const arb_t angle, slong bits, slong radius)
{
    arb_t part[2];
    arf_t t;
    int i, known = 1;
    arb_init(part[0]); arb_init(part[1]); arf_init(t);
    arb_sin_cos(part[1], part[0], angle, PREC);
    for (i = 0; i < 2; i++)
    {
        known &= arb_is_finite(part[i]) && mag_cmp_2exp_si(arb_radref(part[i]), radius) <= 0;
        arf_mul_2exp_si(t, arb_midref(part[i]), bits);
        if (known)
            arf_get_fmpz(z + i, t, ARF_RND_NEAR);
    }
    arb_clear(part[0]); arb_clear(part[1]); arf_clear(t);
    return known;
}

static void split(wide_number *x, const fmpz_t n)
{
    fmpz_t part;
    fmpz_init(part);
    fmpz_fdiv_q_2exp(part, n, WORD_BITS);
    x->high = fmpz_get_si(part);
    fmpz_fdiv_r_2exp(part, n, WORD_BITS);
    x->low = fmpz_get_si(part);
    fmpz_clear(part);
}

/* The turn of an atom by that angle, to the next frequency or the next multiple. */
static int set_turn(turning_atom *narrow, turning_wide *wide, int is_leap, const arb_t angle)
{
    fmpz z[2] = { 0, 0 };
    const int known = set_unit(z, angle, wide != NULL ? WIDE_BITS : UNIT_BITS, wide != NULL ? WIDE_RADIUS : RADIUS);
    int i;
    for (i = 0; i < 2 && known; i++)
    {
        if (wide != NULL)
            split(is_leap ? &wide->leap[i] : &wide->turn[i], z + i);
        else
            *(is_leap ? &narrow->leap[i] : &narrow->turn[i]) = fmpz_get_si(z + i);
    }
    fmpz_clear(z);
    fmpz_clear(z + 1);
    return known;
}

/* The next atom, of that tilted mass, below 2^bound. */
static void add_atom(turning_struct *x, arf_srcptr mass, slong bound)
{
    const slong bits = x->wide != NULL ? WIDE_BITS : MASS_BITS;
    fmpz_t n;
    arf_t m;
    fmpz_init(n);
    arf_init(m);
    arf_mul_2exp_si(m, mass, bits - bound);
    arf_get_fmpz(n, m, ARF_RND_DOWN);
    if (x->wide != NULL)
    {
        turning_wide *a = &x->wide[x->count];
        a->shift = (int) (x->exponent - bound);
        split(&a->mass, n);
        a->at[0] = a->base[0] = (wide_number) { (int64_t) 1 << WORD_BITS, 0 };
        a->at[1] = a->base[1] = (wide_number) { 0, 0 };
    }
    else
    {
        turning_atom *a = &x->atom[x->count];
        a->shift = (int) (x->exponent - bound);
        a->mass = fmpz_get_si(n);
        a->at[0] = a->base[0] = (int64_t) 1 << UNIT_BITS;
        a->at[1] = a->base[1] = 0;
    }
    fmpz_clear(n);
    arf_clear(m);
}

/* The atoms of these tilted masses, which are below 2^exponent together. 0 or -1. */
static int set_atoms(turning_struct *x, const shuf_quadrature *q, arf_srcptr mass, double step)
{
    const slong most = x->wide != NULL ? WIDE_MOST_SHIFT : MOST_SHIFT;
    arb_t t;
    slong j;
    int known = q->count == 0 || (arb_is_finite(x->whole) && arf_cmpabs_2exp_si(arb_midref(x->whole), MOST_EXPONENT) < 0 && arf_cmpabs_2exp_si(arb_midref(x->whole), -MOST_EXPONENT) > 0);
    arb_init(t);
    x->exponent = known && q->count > 0 ? arf_abs_bound_lt_2exp_si(arb_midref(x->whole)) + 1 : 0;
    for (j = 0; j < q->count && known; j++)
    {
        const slong bound = arf_abs_bound_lt_2exp_si(mass + j);
        known = bound <= x->exponent && arf_sgn(mass + j) >= 0;
        if (bound < x->exponent - most || !known)
        {
            arb_add_error_arf(x->error, mass + j);
            continue;
        }
        arb_set_d(t, step);
        arb_mul(t, t, q->value + j, PREC);
        add_atom(x, mass + j, bound);
        known = set_turn(x->atom + x->count, x->wide != NULL ? x->wide + x->count : NULL, 0, t);
        arb_mul_ui(t, t, STRIDE, PREC);
        known = known && set_turn(x->atom + x->count, x->wide != NULL ? x->wide + x->count : NULL, 1, t);
        x->count++;
    }
    arb_clear(t);
    return known ? 0 : -1;
}

int turning_init(turning_struct *x, const shuf_quadrature *q, double miss, double theta, double step, int is_wide)
{
    const size_t room = (size_t) FLINT_MAX(q->count, 1);
    arf_ptr mass = flint_malloc(room * sizeof(*mass));
    arb_t t;
    slong j;
    int status;
    x->count = x->next = 0;
    x->miss = miss;
    x->atom = is_wide ? NULL : flint_malloc(room * sizeof(*x->atom));
    x->wide = is_wide ? flint_malloc(room * sizeof(*x->wide)) : NULL;
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
        arf_init(mass + j);
        arf_set(mass + j, arb_midref(t));
    }
    shuf_charge(TURNING_WORK * (double) q->count);
    status = set_atoms(x, q, mass, step);
    for (j = 0; j < q->count; j++)
        arf_clear(mass + j);
    flint_free(mass);
    arb_clear(t);
    return status;
}

void turning_clear(turning_struct *x)
{
    flint_free(x->atom);
    flint_free(x->wide);
    arb_clear(x->whole);
    arb_clear(x->error);
}

/* ---- the next frequency ---- */

/* z := z w, to the nearest unit. */
static inline void turn_by(int64_t z[2], const int64_t w[2])
{
    const whole_number half = (whole_number) 1 << (UNIT_BITS - 1);
    const whole_number re = (whole_number) z[0] * w[0] - (whole_number) z[1] * w[1], im = (whole_number) z[0] * w[1] + (whole_number) z[1] * w[0];
    z[0] = (int64_t) ((re + half) >> UNIT_BITS);
    z[1] = (int64_t) ((im + half) >> UNIT_BITS);
}

/* The sums over all atoms, in units of 2^-125 of the whole's power. */
static void sum_narrow(whole_number sum[2], turning_struct *x, slong k)
{
    slong j;
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
        sum[0] += ((whole_number) a->at[0] * a->mass) >> a->shift;
        sum[1] += ((whole_number) a->at[1] * a->mass) >> a->shift;
    }
}

static inline wide_number wide_of(whole_number x)
{
    return (wide_number) { (int64_t) (x >> WORD_BITS), (int64_t) (x & (((whole_number) 1 << WORD_BITS) - 1)) };
}

/* The products of the low words count as nothing. */
static inline void turn_wide(wide_number z[2], const wide_number w[2])
{
    const whole_number half = (whole_number) 1 << (WORD_BITS - 1), a = z[0].high, b = z[1].high, c = w[0].high, d = w[1].high;
    const whole_number a0 = z[0].low, b0 = z[1].low, c0 = w[0].low, d0 = w[1].low;
    z[0] = wide_of(a * c - b * d + ((a * c0 + a0 * c - b * d0 - b0 * d + half) >> WORD_BITS));
    z[1] = wide_of(a * d + b * c + ((a * d0 + a0 * d + b * c0 + b0 * c + half) >> WORD_BITS));
}

static inline whole_number wide_product(const wide_number *x, const wide_number *y)
{
    return (whole_number) x->high * y->high + (((whole_number) x->high * y->low + (whole_number) x->low * y->high) >> WORD_BITS);
}

/* The same in units of 2^-120. */
static void sum_wide(whole_number sum[2], turning_struct *x, slong k)
{
    slong j;
    for (j = 0; j < x->count; j++)
    {
        turning_wide *a = &x->wide[j];
        if (k > 0 && k % STRIDE == 0)
        {
            turn_wide(a->base, a->leap);
            a->at[0] = a->base[0];
            a->at[1] = a->base[1];
        }
        else if (k > 0)
        {
            turn_wide(a->at, a->turn);
        }
        sum[0] += wide_product(&a->at[0], &a->mass) >> a->shift;
        sum[1] += wide_product(&a->at[1], &a->mass) >> a->shift;
    }
}

/* part := 2^exponent sum */
static void set_part(arb_t part, whole_number sum, slong exponent)
{
    fmpz_t n;
    fmpz_init(n);
    fmpz_set_signed_uiui(n, (ulong) (sum >> 64), (ulong) sum);
    arb_set_fmpz(part, n);
    arb_mul_2exp_si(part, part, exponent);
    fmpz_clear(n);
}

/* proofs/iidsum.md, Lemma 14: room for the roundings of a few operations in doubles. */
#define ROUND_UP (1 + 1e-9)

/* Of what is below such a power of 2 doubles tell nothing. Steers only. */
#define LEAST_EXPONENT (-900)

/* An upper bound of the modulus, from both parts' sums and what they are off by, in units of 2^unit. */
static double modulus_above(const turning_struct *x, const whole_number sum[2], slong unit, double off)
{
    const double parts = fabs((double) sum[0]) + fabs((double) sum[1]), known = mag_get_d(arb_radref(x->error)) + x->miss;
    if (unit - MASS_BITS < LEAST_EXPONENT)
        return HUGE_VAL;
    return (ldexp(parts, (int) (unit - (x->wide != NULL ? 0 : MASS_BITS))) + 2 * (ldexp(off, (int) unit) + known)) * ROUND_UP;
}

int turning_next_above(acb_t z, turning_struct *x, double least)
{
    const slong k = x->next++, unit = x->exponent - (x->wide != NULL ? WIDE_BITS : UNIT_BITS);
    const double steps = (double) (k / STRIDE + k % STRIDE), count = (double) x->count;
    whole_number sum[2] = { 0, 0 };
    arb_t error, t;
    double off;
    if (k >= MOST_TURNS)
    {
        acb_indeterminate(z);
        return 1;
    }
    if (x->wide != NULL)
        sum_wide(sum, x, k);
    else
        sum_narrow(sum, x, k);
    shuf_charge((x->wide != NULL ? TURNING_WIDE_WORK : TURNING_FIXED_WORK) * count);
    /* turns and masses, and what products of an atom lack; in one word a unit of a product for each atom */
    off = x->wide != NULL ? WIDE_STEP_UNITS * steps + 3 + WIDE_ATOM_UNITS * count : STEP_UNITS * steps + 1 + ldexp(count, -MASS_BITS);
    off *= ROUND_UP;
    if (modulus_above(x, sum, unit, off) <= least)
        return 0;
    arb_init(error);
    arb_init(t);
    arb_set_d(error, off);
    arb_mul_2exp_si(error, error, unit);
    arb_add_error_mag(error, arb_radref(x->error));
    set_part(acb_realref(z), sum[0], unit - (x->wide != NULL ? 0 : MASS_BITS));
    set_part(acb_imagref(z), sum[1], unit - (x->wide != NULL ? 0 : MASS_BITS));
    acb_add_error_arb(z, error);
    arb_set_d(t, x->miss);
    acb_add_error_arb(z, t);
    arb_clear(error);
    arb_clear(t);
    return 1;
}

void turning_next(acb_t z, turning_struct *x)
{
    turning_next_above(z, x, -1);
}
