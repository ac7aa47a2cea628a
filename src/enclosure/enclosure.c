/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "enclosure/enclosure.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact/exact.h"

void shuf_enclosure_init(shuf_enclosure_t r)
{
    arf_init(r->lo); arf_init(r->hi); mag_init(r->ledger.truncation); mag_init(r->ledger.discretisation);
    mag_init(r->ledger.aliasing); mag_init(r->ledger.rounding);
    shuf_enclosure_zero(r);
}

void shuf_enclosure_clear(shuf_enclosure_t r)
{
    arf_clear(r->lo); arf_clear(r->hi); mag_clear(r->ledger.truncation); mag_clear(r->ledger.discretisation);
    mag_clear(r->ledger.aliasing); mag_clear(r->ledger.rounding);
}

void shuf_enclosure_zero(shuf_enclosure_t r)
{
    arf_zero(r->lo);
    arf_zero(r->hi);
    mag_zero(r->ledger.truncation);
    mag_zero(r->ledger.discretisation);
    mag_zero(r->ledger.aliasing);
    mag_zero(r->ledger.rounding);
    r->ledger.terms = 0;
    r->ledger.precision = 0;
    r->ledger.step = 0.0;
    r->ledger.work = 0.0;
    r->status = SHUF_OK;
}

void shuf_enclosure_set(shuf_enclosure_t r, const shuf_enclosure_t x)
{
    if (r == x)
        return;
    arf_set(r->lo, x->lo);
    arf_set(r->hi, x->hi);
    mag_set(r->ledger.truncation, x->ledger.truncation);
    mag_set(r->ledger.discretisation, x->ledger.discretisation);
    mag_set(r->ledger.aliasing, x->ledger.aliasing);
    mag_set(r->ledger.rounding, x->ledger.rounding);
    r->ledger.terms = x->ledger.terms;
    r->ledger.precision = x->ledger.precision;
    r->ledger.step = x->ledger.step;
    r->ledger.work = x->ledger.work;
    r->status = x->status;
}

shuf_status shuf_enclosure_unknown(shuf_enclosure_t r, int at_most_one)
{
    shuf_enclosure_zero(r);
    if (at_most_one)
        arf_one(r->hi);
    else
        arf_pos_inf(r->hi);
    return r->status = SHUF_DOMAIN;
}

void shuf_enclosure_set_arb(shuf_enclosure_t r, const arb_t x, slong prec)
{
    shuf_enclosure_zero(r);
    arb_get_interval_arf(r->lo, r->hi, x, prec);
    r->ledger.precision = prec;
    shuf_enclosure_width(r->ledger.rounding, r);
}

void shuf_enclosure_set_value(shuf_enclosure_t r, const arb_t x, slong prec)
{
    shuf_enclosure_set_arb(r, x, prec);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
}

void shuf_ends_cut(arf_t lo, arf_t hi)
{
    if (arf_sgn(lo) < 0)
        arf_zero(lo);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
}

void shuf_enclosure_get_arb(arb_t r, const shuf_enclosure_t x, slong prec)
{
    arb_set_interval_arf(r, x->lo, x->hi, prec);
}

void shuf_enclosure_width(mag_t width, const shuf_enclosure_t x)
{
    arf_t d;
    arf_init(d);
    arf_sub(d, x->hi, x->lo, MAG_BITS, ARF_RND_UP);
    arf_get_mag(width, d);
    arf_clear(d);
}

void shuf_ledger_total(mag_t total, const shuf_ledger_struct *ledger)
{
    mag_add(total, ledger->truncation, ledger->discretisation);
    mag_add(total, total, ledger->aliasing);
    mag_add(total, total, ledger->rounding);
}

void shuf_enclosure_settle(shuf_enclosure_t r)
{
    mag_t width, total;
    mag_init(width);
    mag_init(total);
    shuf_enclosure_width(width, r);
    shuf_ledger_total(total, &r->ledger);
    if (mag_cmp(total, width) < 0)
        mag_add(r->ledger.rounding, r->ledger.rounding, width);
    mag_clear(width);
    mag_clear(total);
}

void shuf_enclosure_max(shuf_enclosure_t r, const shuf_enclosure_t x, const shuf_enclosure_t y)
{
    /*
     * The one with the larger upper end explains the width: max(lo) is at
     * least its lower end.
     */
    const shuf_enclosure_struct *top = arf_cmp(x->hi, y->hi) >= 0 ? x : y;
    ulong terms = x->ledger.terms + y->ledger.terms;
    double seconds = x->ledger.work + y->ledger.work;
    shuf_status status = top->status;
    arf_t lo;
    arf_init(lo);
    arf_max(lo, x->lo, y->lo);
    shuf_enclosure_set(r, top);
    arf_swap(r->lo, lo);
    r->ledger.terms = terms;
    r->ledger.work = seconds;
    r->status = status;
    arf_clear(lo);
}

void shuf_enclosure_intersect(shuf_enclosure_t r, const shuf_enclosure_t x)
{
    if (arf_cmp(x->lo, r->hi) > 0 || arf_cmp(x->hi, r->lo) < 0)
        flint_throw(FLINT_ERROR, "two enclosures of one number do not meet\n");
    if (arf_cmp(x->lo, r->lo) <= 0 && arf_cmp(x->hi, r->hi) >= 0)
        return;
    if (arf_cmp(x->lo, r->lo) >= 0 && arf_cmp(x->hi, r->hi) <= 0)
    {
        shuf_enclosure_set(r, x);
        return;
    }
    arf_max(r->lo, r->lo, x->lo);
    arf_min(r->hi, r->hi, x->hi);
}

int shuf_ends_accurate(const arf_t lo, const arf_t hi, slong digits)
{
    arb_t tolerance;
    arf_t width, allowed;
    int result;
    if (!arf_is_finite(lo) || !arf_is_finite(hi))
        return 0;
    arb_init(tolerance); arf_init(width); arf_init(allowed);
    arf_sub(width, hi, lo, 64, ARF_RND_UP);
    arb_set_ui(tolerance, 10);
    arb_pow_ui(tolerance, tolerance, (ulong) digits, 64);
    arb_inv(tolerance, tolerance, 64);
    arb_mul_arf(tolerance, tolerance, hi, 64);
    arb_get_lbound_arf(allowed, tolerance, 64);
    result = arf_cmp(width, allowed) <= 0;
    arb_clear(tolerance); arf_clear(width); arf_clear(allowed);
    return result;
}

int shuf_enclosure_accurate(const shuf_enclosure_t x, slong digits)
{
    return shuf_ends_accurate(x->lo, x->hi, digits);
}

/* floor(log10(x)) or a value near it, for x > 0. */
static void decimal_exponent(fmpz_t e, const arf_t x)
{
    arb_t t, ten;
    slong prec = 64 + (slong) fmpz_bits(ARF_EXPREF(x));
    arb_init(t);
    arb_init(ten);
    arb_set_arf(t, x);
    arb_set_round(t, t, prec);
    arb_log(t, t, prec);
    arb_const_log10(ten, prec);
    arb_div(t, t, ten, prec);
    arf_get_fmpz(e, arb_midref(t), ARF_RND_FLOOR);
    arb_clear(t);
    arb_clear(ten);
}

/*
 * out := x 10^shift for x > 0, rounded down or up: exactly for moderate
 * exponents, else from an enclosure (then possibly one unit further out).
 */
static void scaled_integer(fmpz_t out, const arf_t x, const fmpz_t shift, int up)
{
    if (fmpz_bits(shift) < 15 && fmpz_bits(ARF_EXPREF(x)) < 15)
    {
        fmpz_t power;
        fmpq_t q;
        fmpz_init(power);
        fmpq_init(q);
        arf_get_fmpq(q, x);
        fmpz_set_ui(power, 10);
        fmpz_pow_ui(power, power, (ulong) FLINT_ABS(fmpz_get_si(shift)));
        fmpz_mul(fmpz_sgn(shift) >= 0 ? fmpq_numref(q) : fmpq_denref(q),
                 fmpz_sgn(shift) >= 0 ? fmpq_numref(q) : fmpq_denref(q), power);
        if (up)
            fmpz_cdiv_q(out, fmpq_numref(q), fmpq_denref(q));
        else
            fmpz_fdiv_q(out, fmpq_numref(q), fmpq_denref(q));
        fmpz_clear(power);
        fmpq_clear(q);
    }
    else
    {
        slong prec = arf_bits(x) + 128 + 2 * (slong) fmpz_bits(shift);
        arb_t scaled;
        arf_t bound;
        arb_init(scaled);
        arf_init(bound);
        arb_set_ui(scaled, 10);
        arb_pow_fmpz(scaled, scaled, shift, prec);
        arb_mul_arf(scaled, scaled, x, prec);
        if (up)
        {
            arb_get_ubound_arf(bound, scaled, prec);
            arf_get_fmpz(out, bound, ARF_RND_CEIL);
        }
        else
        {
            arb_get_lbound_arf(bound, scaled, prec);
            arf_get_fmpz(out, bound, ARF_RND_FLOOR);
        }
        arb_clear(scaled);
        arf_clear(bound);
    }
}

/* integer := |x| 10^shift, rounded to so many digits; away from zero when that is outward. */
static void set_digits(fmpz_t integer, fmpz_t shift, const arf_t x, slong digits, int away)
{
    fmpz_t exponent, limit;
    arf_t magnitude;
    fmpz_init(exponent); fmpz_init(limit); arf_init(magnitude);
    arf_abs(magnitude, x);
    decimal_exponent(exponent, magnitude);
    fmpz_sub_si(shift, exponent, digits - 1);
    fmpz_neg(shift, shift);
    fmpz_set_ui(limit, 10);
    fmpz_pow_ui(limit, limit, (ulong) digits);
    scaled_integer(integer, magnitude, shift, away);
    /* once more if the exponent was a guess too low */
    while (fmpz_cmp(integer, limit) > 0)
    {
        fmpz_sub_ui(shift, shift, 1);
        scaled_integer(integer, magnitude, shift, away);
    }
    fmpz_clear(exponent); fmpz_clear(limit); arf_clear(magnitude);
}

/* The digits with a point behind the first, and the exponent. */
static void put_scientific(char *out, const char *mantissa, const fmpz_t exponent)
{
    char *e = fmpz_get_str(NULL, 10, exponent);
    *out++ = mantissa[0];
    if (mantissa[1] != '\0')
    {
        *out++ = '.';
        strcpy(out, mantissa + 1);
        out += strlen(mantissa + 1);
    }
    *out++ = 'e';
    strcpy(out, e);
    flint_free(e);
}

/* The digits, the first of which counts 10^e. */
static void put_positional(char *out, const char *mantissa, slong e)
{
    slong length = (slong) strlen(mantissa), k;
    if (e < 0)
    {
        strcpy(out, "0.");
        out += 2;
        for (k = -1; k > e; k--)
            *out++ = '0';
        strcpy(out, mantissa);
        return;
    }
    for (k = 0; k < FLINT_MAX(length, e + 1); k++)
    {
        if (k == e + 1)
            *out++ = '.';
        *out++ = k < length ? mantissa[k] : '0';
    }
    *out = '\0';
}

char *shuf_decimal(const arf_t x, slong digits, int up)
{
    char *mantissa, *text, *out;
    slong length;
    fmpz_t exponent, shift, integer;
    int negative = arf_sgn(x) < 0;

    if (arf_is_zero(x) || !arf_is_finite(x))
    {
        /* not finite: a caller's error, but never print it as a number */
        const char *word = arf_is_zero(x) ? "0" : "unbounded";
        text = flint_malloc(strlen(word) + 1);
        return strcpy(text, word);
    }

    fmpz_init(exponent); fmpz_init(shift); fmpz_init(integer);
    set_digits(integer, shift, x, digits, up != negative);
    mantissa = fmpz_get_str(NULL, 10, integer);
    length = (slong) strlen(mantissa);
    fmpz_set_si(exponent, length - 1);
    fmpz_sub(exponent, exponent, shift);
    while (length > 1 && mantissa[length - 1] == '0')
        mantissa[--length] = '\0';

    text = flint_malloc((size_t) (length + 64 + (slong) fmpz_sizeinbase(exponent, 10)));
    out = text;
    if (negative && mantissa[0] != '0')
        *out++ = '-';
    if (mantissa[0] == '0')
    {
        strcpy(out, "0");
    }
    else if (fmpz_cmp_si(exponent, -4) < 0 || fmpz_cmp_si(exponent, FLINT_MAX(digits, 6)) >= 0)
    {
        put_scientific(out, mantissa, exponent);
    }
    else
    {
        put_positional(out, mantissa, fmpz_get_si(exponent));
    }

    flint_free(mantissa);
    fmpz_clear(exponent); fmpz_clear(shift); fmpz_clear(integer);
    return text;
}

/* The decimal point of the locale, one or more bytes in front of digits, becomes a full stop. */
static void plain_point(char *text)
{
    char *from = text + strspn(text, "-0x1");
    size_t length = strcspn(from, "0123456789abcdefp+");
    if (length > 0)
    {
        *from = '.';
        memmove(from + 1, from + length, strlen(from + length) + 1);
    }
}

/* A subnormal double in units of the smallest, which C libraries print in different ways. */
static void print_subnormal(char *text, size_t size, double d)
{
    size_t length = (size_t) snprintf(text, size, "%s0x0.%013" PRIx64, d < 0 ? "-" : "", (uint64_t) ldexp(fabs(d), 1074));
    while (text[length - 1] == '0')
        length--;
    snprintf(text + length, size - length, "p-1022");
}

char *shuf_hexfloat(const arf_t x, int up)
{
    char *text = flint_malloc(64);
    double d;
    if (arf_cmpabs_2exp_si(x, -1074) < 0)
        d = (up && arf_sgn(x) > 0) ? 0x1p-1074 : (!up && arf_sgn(x) < 0) ? -0x1p-1074 : 0.0;
    else
        d = arf_get_d(x, up ? ARF_RND_CEIL : ARF_RND_FLOOR);
    if (d != 0 && fabs(d) < DBL_MIN)
        print_subnormal(text, 64, d);
    else if (isfinite(d))
    {
        snprintf(text, 64, "%a", d);
        plain_point(text);
    }
    else
        strcpy(text, "unbounded");
    return text;
}

/* bound := the value of a printed decimal, rounded outward. */
static void set_printed(arf_t bound, const char *text, int up)
{
    shuf_real_t value;
    arb_t ball;
    slong prec = 64 + 4 * (slong) strlen(text);
    shuf_real_init(value);
    arb_init(ball);
    if (shuf_real_set_str(value, text) == 0)
    {
        shuf_real_get_arb(ball, value, prec);
        if (up)
            arb_get_ubound_arf(bound, ball, prec);
        else
            arb_get_lbound_arf(bound, ball, prec);
    }
    shuf_real_clear(value);
    arb_clear(ball);
}

void shuf_enclosure_print(char **lo_text, char **hi_text, shuf_enclosure_t x, slong digits)
{
    arf_t lo, hi;
    mag_t before, after;
    arf_init(lo); arf_init(hi); mag_init(before); mag_init(after);

    *lo_text = shuf_decimal(x->lo, digits, 0);
    *hi_text = shuf_decimal(x->hi, digits, 1);
    arf_set(lo, x->lo);
    arf_set(hi, x->hi);
    set_printed(lo, *lo_text, 0);
    set_printed(hi, *hi_text, 1);
    arf_sub(lo, x->lo, lo, MAG_BITS, ARF_RND_UP);
    arf_sub(hi, hi, x->hi, MAG_BITS, ARF_RND_UP);
    arf_get_mag(before, lo);
    arf_get_mag(after, hi);
    mag_add(x->ledger.rounding, x->ledger.rounding, before);
    mag_add(x->ledger.rounding, x->ledger.rounding, after);

    arf_clear(lo); arf_clear(hi); mag_clear(before); mag_clear(after);
}

/* end := that of x */
static void ball_end(arf_t end, const arb_t x, int upper, slong prec)
{
    if (upper)
        arb_get_ubound_arf(end, x, prec);
    else
        arb_get_lbound_arf(end, x, prec);
}

void shuf_ball_end(fmpq_t end, const arb_t x, int upper, slong prec)
{
    arf_t value;
    arf_init(value);
    ball_end(value, x, upper, prec);
    arf_get_fmpq(end, value);
    arf_clear(value);
}

double shuf_ball_end_d(const arb_t x, int upper)
{
    arf_t value;
    double d = upper ? HUGE_VAL : -HUGE_VAL;
    if (!arb_is_finite(x))
        return d;
    arf_init(value);
    ball_end(value, x, upper, DBL_MANT_DIG + MAG_BITS);
    d = arf_get_d(value, upper ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_clear(value);
    return d;
}

void shuf_ball_complement(arb_t r, const arb_t x, slong prec)
{
    arb_sub_ui(r, x, 1, prec);
    arb_neg(r, r);
}

void shuf_ball_exp_minus(arb_t r, const arb_t x, slong prec)
{
    arb_neg(r, x);
    arb_exp(r, r, prec);
}

void shuf_ball_mul_fmpq(arb_t r, const arb_t x, const fmpq_t q, slong prec)
{
    arb_mul_fmpz(r, x, fmpq_numref(q), prec);
    arb_div_fmpz(r, r, fmpq_denref(q), prec);
}

void shuf_ball_least(arf_t end, const arb_t x, slong prec)
{
    arb_get_lbound_arf(end, x, prec);
    if (arf_sgn(end) < 0)
        arf_zero(end);
}

void shuf_normal_tail(arb_t v, const arb_t x, slong prec)
{
    arb_t root;
    arb_init(root);
    arb_sqrt_ui(root, 2, prec);
    arb_div(v, x, root, prec);
    arb_hypgeom_erfc(v, v, prec);
    arb_mul_2exp_si(v, v, -1);
    arb_clear(root);
}

void shuf_normal_excess(arb_t mass, arb_t excess, const arb_t x, slong prec)
{
    arb_t t;
    arb_init(t);
    shuf_normal_tail(mass, x, prec);
    arb_mul(t, x, x, prec);
    arb_mul_2exp_si(t, t, -1);
    arb_neg(t, t);
    arb_exp(excess, t, prec);
    arb_const_pi(t, prec);
    arb_mul_2exp_si(t, t, 1);
    arb_rsqrt(t, t, prec);
    arb_mul(excess, excess, t, prec);
    arb_submul(excess, x, mass, prec);
    arb_clear(t);
}
