/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "vectors/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer significant digits than this are never printed, but for zeros that are cut. Layout. */
#define LEAST_DIGITS 6

void vectors_interval_init(vectors_interval_t x)
{
    fmpq_init(x->lo);
    fmpq_init(x->hi);
    x->infinite = 0;
}

void vectors_interval_clear(vectors_interval_t x)
{
    fmpq_clear(x->lo);
    fmpq_clear(x->hi);
}

int vectors_number(fmpq_t x, const json_t *value, const char *what, const reader *r)
{
    shuf_real_t real;
    int status = -1;
    if (!json_is_string(value))
        return reader_fail(r, "%s must be a number written as a string", what);
    shuf_real_init(real);
    if (shuf_real_set_str(real, json_string_value(value)) != 0 || real->is_log)
    {
        reader_fail(r, "%s is \"%.60s\", not a rational number from 1e-10000 to 1e10000", what, json_string_value(value));
    }
    else
    {
        fmpq_set(x, real->q);
        status = 0;
    }
    shuf_real_clear(real);
    return status;
}

int vectors_interval_read(vectors_interval_t x, const json_t *object, const reader *r)
{
    x->infinite = json_is_true(json_object_get(object, "infinite"));
    if (x->infinite)
        return 0;
    if (vectors_number(x->lo, json_object_get(object, "lo"), "lo", r) != 0
        || vectors_number(x->hi, json_object_get(object, "hi"), "hi", r) != 0)
        return -1;
    if (fmpq_cmp(x->lo, x->hi) > 0)
        return reader_fail(r, "lo is greater than hi");
    return 0;
}

/* The significant digits of a decimal. */
static slong count_digits(const char *text)
{
    slong digits = 0;
    for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
        if (*text >= '0' && *text <= '9' && (digits > 0 || *text != '0'))
            digits++;
    return digits;
}

/*
 * What an end that is rounded to its last place may be off: one unit of it.
 * Both ends are rounded to as many digits, and then lose their last zeros: the
 * longer one has the number, if it is six or more. Zero is exact.
 */
static void decimal_unit(fmpq_t unit, const json_t *result, const fmpq_t value)
{
    slong lo = count_digits(json_string_value(json_object_get(result, "lo")));
    slong hi = count_digits(json_string_value(json_object_get(result, "hi")));
    slong digits = FLINT_MAX(FLINT_MAX(lo, hi), LEAST_DIGITS);
    fmpz_t power;
    /* the unit is at most |value| 10^(1 - digits) */
    fmpz_init_set_ui(power, 10);
    fmpz_pow_ui(power, power, (ulong) (digits - 1));
    fmpq_abs(unit, value);
    fmpq_div_fmpz(unit, unit, power);
    fmpz_clear(power);
}

/* x := the finite double y. */
static void set_double(fmpq_t x, double y)
{
    shuf_real_t real;
    shuf_real_init(real);
    shuf_real_set_d(real, y);
    fmpq_set(x, real->q);
    shuf_real_clear(real);
}

/* A hexadecimal float that is a finite double, exactly: strtod rounds what is none. */
static int read_double(fmpq_t hex, double *x, const json_t *value, const char *what, const reader *r)
{
    const char *text = json_string_value(value);
    int is_double = 0;
    *x = strtod(text, NULL);
    if (strstr(text, "0x") != NULL && isfinite(*x) && vectors_number(hex, value, what, r) == 0)
    {
        fmpq_t nearest;
        fmpq_init(nearest);
        set_double(nearest, *x);
        is_double = fmpq_equal(nearest, hex);
        fmpq_clear(nearest);
    }
    return is_double ? 0 : reader_fail(r, "%s is \"%.40s\", not a hexadecimal double", what, text);
}

/*
 * The end in hexadecimal, in `hex`, and whether it and the decimal end can
 * come from one number, both rounded down (up = 0) or up (up = 1).
 */
static int read_hex_end(fmpq_t hex, const fmpq_t decimal, const json_t *result, const char *key, const char *hex_key, int up,
                        const reader *r)
{
    double x, next;
    fmpq_t unit, furthest;
    int fits;
    if (read_double(hex, &x, json_object_get(result, hex_key), hex_key, r) != 0)
        return -1;
    fmpq_init(unit);
    fmpq_init(furthest);
    /* the number is between `decimal` and decimal +- unit, and between `hex` and the next double inward */
    decimal_unit(unit, result, decimal);
    next = nextafter(x, up ? -INFINITY : INFINITY);
    if (up)
    {
        fmpq_sub(unit, decimal, unit);
        fits = fmpq_cmp(unit, hex) <= 0;
    }
    else
    {
        fmpq_add(unit, decimal, unit);
        fits = fmpq_cmp(hex, unit) <= 0;
    }
    if (isfinite(next))
    {
        set_double(furthest, next);
        fits &= up ? fmpq_cmp(furthest, decimal) <= 0 : fmpq_cmp(decimal, furthest) <= 0;
    }
    fmpq_clear(unit);
    fmpq_clear(furthest);
    return fits ? 0 : reader_fail(r, "%s and %s are not roundings of one number", key, hex_key);
}

/* The parts of the ledger add up to hi - lo at least. */
static int check_ledger(const vectors_interval_t x, const json_t *ledger, const reader *r)
{
    static const char *const parts[] = { "truncation", "discretisation", "aliasing", "rounding" };
    fmpq_t total, part;
    size_t i;
    int status = 0;
    fmpq_init(total);
    fmpq_init(part);
    for (i = 0; i < 4 && status == 0; i++)
    {
        const json_t *value = json_object_get(ledger, parts[i]);
        if (value == NULL)
            continue;
        status = vectors_number(part, value, parts[i], r);
        if (status == 0 && fmpq_sgn(part) < 0)
            status = reader_fail(r, "%s is negative", parts[i]);
        fmpq_add(total, total, part);
    }
    fmpq_sub(part, x->hi, x->lo);
    if (status == 0 && fmpq_cmp(total, part) < 0)
        status = reader_fail(r, "the ledger adds up to less than the width of the interval");
    fmpq_clear(total);
    fmpq_clear(part);
    return status;
}

int vectors_result_sound(vectors_interval_t x, const json_t *result, const reader *r)
{
    vectors_interval_t hex;
    int status;
    if (vectors_interval_read(x, result, r) != 0)
        return -1;
    if (x->infinite)
        return 0;
    vectors_interval_init(hex);
    status = check_ledger(x, json_object_get(result, "ledger"), r);
    if (status == 0)
        status = read_hex_end(hex->lo, x->lo, result, "lo", "lo_hex", 0, r);
    if (status == 0)
        status = read_hex_end(hex->hi, x->hi, result, "hi", "hi_hex", 1, r);
    if (status == 0)
    {
        if (fmpq_cmp(hex->lo, x->lo) > 0)
            fmpq_set(x->lo, hex->lo);
        if (fmpq_cmp(hex->hi, x->hi) < 0)
            fmpq_set(x->hi, hex->hi);
        if (fmpq_cmp(x->lo, x->hi) > 0)
            status = reader_fail(r, "the decimal and the hexadecimal interval have no number in common");
    }
    vectors_interval_clear(hex);
    return status;
}
