/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "exact/exact.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const fmpq_t shuf_one = { { 1, 1 } }; /* an fmpz that is small is the number itself */

static void set_text(shuf_real_t x, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = flint_malloc(size);
    memcpy(copy, text, size);
    flint_free(x->text);
    x->text = copy;
}

/* The canonical text of a value that no user wrote. */
static void set_canonical_text(shuf_real_t x)
{
    char *value = fmpq_get_str(NULL, 10, x->q);
    if (x->is_log)
    {
        size_t size = strlen(value) + sizeof("log()");
        char *text = flint_malloc(size);
        memcpy(text, "log(", 4);
        strcpy(text + 4, value);
        strcat(text, ")");
        set_text(x, text);
        flint_free(text);
    }
    else
    {
        set_text(x, value);
    }
    flint_free(value);
}

void shuf_real_init(shuf_real_t x)
{
    fmpq_init(x->q);
    x->is_log = 0;
    x->text = NULL;
    set_text(x, "0");
}

void shuf_real_clear(shuf_real_t x)
{
    fmpq_clear(x->q);
    flint_free(x->text);
    x->text = NULL;
}

void shuf_real_set(shuf_real_t x, const shuf_real_t y)
{
    if (x == y)
        return;
    fmpq_set(x->q, y->q);
    x->is_log = y->is_log;
    set_text(x, y->text);
}

void shuf_real_set_fmpq(shuf_real_t x, const fmpq_t value)
{
    fmpq_set(x->q, value);
    x->is_log = 0;
    set_canonical_text(x);
}

void shuf_real_set_log_fmpq(shuf_real_t x, const fmpq_t value)
{
    fmpq_set(x->q, value);
    x->is_log = 1;
    set_canonical_text(x);
}

void shuf_real_set_arf(shuf_real_t x, const arf_t value)
{
    arf_get_fmpq(x->q, value);
    x->is_log = 0;
    set_canonical_text(x);
}

int shuf_real_set_d(shuf_real_t x, double value)
{
    arf_t a;
    if (!isfinite(value))
        return -1;
    arf_init(a);
    arf_set_d(a, value);
    shuf_real_set_arf(x, a);
    arf_clear(a);
    return 0;
}

/*
 * Reads digits [. digits] into mantissa and the number of digits after the
 * point, and returns the first character that is not part of it, or NULL if
 * there is no digit at all.
 */
static const char *read_digits(fmpz_t mantissa, slong *after_point,
                               const char *s, int base)
{
    int seen_point = 0, any = 0;
    fmpz_zero(mantissa);
    *after_point = 0;
    for (;; s++)
    {
        unsigned char c = (unsigned char) *s;
        ulong digit;
        if (c == '.' && !seen_point)
        {
            seen_point = 1;
            continue;
        }
        if (isdigit(c))
            digit = (ulong) (c - '0');
        else if (base == 16 && isxdigit(c))
            digit = (ulong) (tolower(c) - 'a' + 10);
        else
            break;
        fmpz_mul_ui(mantissa, mantissa, (ulong) base);
        fmpz_add_ui(mantissa, mantissa, digit);
        *after_point += seen_point;
        any = 1;
    }
    return any ? s : NULL;
}

/* Reads an optionally signed decimal exponent; NULL if malformed or too large. */
static const char *read_exponent(slong *exponent, const char *s, slong limit)
{
    char *end;
    long value;
    const char *digits = s + (*s == '+' || *s == '-');
    if (!isdigit((unsigned char) *digits))
        return NULL;
    errno = 0;
    value = strtol(s, &end, 10);
    if (errno != 0 || value > limit || value < -limit)
        return NULL;
    *exponent = value;
    return end;
}

/* q := mantissa base^exponent. */
static void set_scaled(fmpq_t q, const fmpz_t mantissa, ulong base, slong exponent)
{
    fmpz_t power;
    fmpz_init_set_ui(power, base);
    fmpz_pow_ui(power, power, (ulong) (exponent < 0 ? -exponent : exponent));
    fmpq_set_fmpz(q, mantissa);
    if (exponent < 0)
        fmpq_div_fmpz(q, q, power);
    else
        fmpq_mul_fmpz(q, q, power);
    fmpz_clear(power);
}

/* One decimal or hexadecimal number; returns the rest of the text or NULL. */
static const char *read_number(fmpq_t q, const char *s)
{
    const int negative = *s == '-';
    slong after_point, exponent = 0, bits;
    fmpz_t mantissa;
    int hexadecimal;

    s += *s == '-' || *s == '+';
    hexadecimal = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    bits = hexadecimal ? 4 : 1; /* a digit after the point counts for so much of the exponent */
    s += hexadecimal ? 2 : 0;

    fmpz_init(mantissa);
    s = read_digits(mantissa, &after_point, s, hexadecimal ? 16 : 10);
    if (s != NULL && tolower((unsigned char) *s) == (hexadecimal ? 'p' : 'e'))
        s = read_exponent(&exponent, s + 1, bits * SHUF_REAL_MAX_EXPONENT);
    if (s != NULL)
    {
        if (negative)
            fmpz_neg(mantissa, mantissa);
        set_scaled(q, mantissa, hexadecimal ? 2 : 10, exponent - bits * after_point);
    }
    fmpz_clear(mantissa);
    return s;
}

/* NUMBER or NUMBER/NUMBER; returns the rest of the text or NULL. */
static const char *read_fraction(fmpq_t q, const char *s)
{
    fmpq_t denominator;
    s = read_number(q, s);
    if (s == NULL || *s != '/')
        return s;
    fmpq_init(denominator);
    s = read_number(denominator, s + 1);
    if (s != NULL && fmpq_is_zero(denominator))
        s = NULL;
    if (s != NULL)
        fmpq_div(q, q, denominator);
    fmpq_clear(denominator);
    return s;
}

int shuf_real_set_str(shuf_real_t x, const char *text)
{
    fmpq_t q;
    const char *s = text;
    int is_log, ok;

    if (memchr(text, '\0', SHUF_REAL_MAX_LENGTH + 1) == NULL)
        return -1;
    is_log = (strncmp(s, "log(", 4) == 0);
    fmpq_init(q);
    s = read_fraction(q, is_log ? s + 4 : s);
    if (is_log && s != NULL)
        s = (*s == ')' && fmpq_sgn(q) > 0) ? s + 1 : NULL;
    ok = (s != NULL && *s == '\0');
    if (ok)
    {
        fmpq_set(x->q, q);
        x->is_log = is_log;
        set_text(x, text);
    }
    fmpq_clear(q);
    return ok ? 0 : -1;
}

void shuf_real_twice(shuf_real_t r, const shuf_real_t x)
{
    fmpq_t q;
    fmpq_init(q);
    if (x->is_log)
    {
        fmpq_mul(q, x->q, x->q);
        shuf_real_set_log_fmpq(r, q);
    }
    else
    {
        fmpq_add(q, x->q, x->q);
        shuf_real_set_fmpq(r, q);
    }
    fmpq_clear(q);
}

void shuf_real_undo_twice(shuf_real_t r, const shuf_real_t x)
{
    fmpq_t q;
    fmpq_init(q);
    if (x->is_log)
    {
        fmpz_sqrt(fmpq_numref(q), fmpq_numref(x->q));
        fmpz_sqrt(fmpq_denref(q), fmpq_denref(x->q));
        shuf_real_set_log_fmpq(r, q);
    }
    else
    {
        fmpq_div_2exp(q, x->q, 1);
        shuf_real_set_fmpq(r, q);
    }
    fmpq_clear(q);
}

void shuf_real_get_arb(arb_t r, const shuf_real_t x, slong prec)
{
    /* log(1 + d) for q near 1, where log(q) would lose the digits of d */
    if (x->is_log)
    {
        fmpq_t d;
        fmpq_init(d);
        /* q - 1, in lowest terms because q is */
        fmpz_sub(fmpq_numref(d), fmpq_numref(x->q), fmpq_denref(x->q));
        fmpz_set(fmpq_denref(d), fmpq_denref(x->q));
        arb_set_fmpq(r, d, prec + 32);
        if (arf_cmpabs_2exp_si(arb_midref(r), -1) < 0)
        {
            arb_log1p(r, r, prec);
        }
        else
        {
            arb_set_fmpq(r, x->q, prec + 32);
            arb_log(r, r, prec);
        }
        fmpq_clear(d);
    }
    else
    {
        arb_set_fmpq(r, x->q, prec);
    }
}

void shuf_real_end(arf_t end, const shuf_real_t x, int upper, slong prec)
{
    arb_t t;
    arb_init(t);
    shuf_real_get_arb(t, x, prec);
    (upper ? arb_get_ubound_arf : arb_get_lbound_arf)(end, t, prec);
    arb_clear(t);
}

void shuf_real_exp(arb_t r, const shuf_real_t x, slong prec)
{
    arb_set_fmpq(r, x->q, prec + 64);
    if (x->is_log)
        arb_set_round(r, r, prec);
    else
        arb_exp(r, r, prec);
}

int shuf_real_cmp(const shuf_real_t x, const shuf_real_t y)
{
    arb_t a, b;
    int sign = 0;
    slong prec;

    if (x->is_log == y->is_log)
    {
        sign = fmpq_cmp(x->q, y->q);
        return (sign > 0) - (sign < 0);
    }
    if (fmpq_is_one(x->is_log ? x->q : y->q) && fmpq_is_zero(x->is_log ? y->q : x->q))
        return 0;
    /* A rational and a logarithm, not both 0: different, so this ends. */
    arb_init(a);
    arb_init(b);
    for (prec = 64; sign == 0; prec *= 2)
    {
        shuf_real_get_arb(a, x, prec);
        shuf_real_get_arb(b, y, prec);
        sign = arb_lt(a, b) ? -1 : arb_gt(a, b) ? 1 : 0;
    }
    arb_clear(a);
    arb_clear(b);
    return sign;
}

int shuf_real_cmp_si(const shuf_real_t x, slong y)
{
    shuf_real_t z;
    int sign;
    shuf_real_init(z);
    fmpq_set_si(z->q, y, 1);
    sign = shuf_real_cmp(x, z);
    shuf_real_clear(z);
    return sign;
}

int shuf_real_cmp_arf(const shuf_real_t x, const arf_t y)
{
    shuf_real_t z;
    int sign = shuf_real_sgn(x);
    if (arf_cmpabs_2exp_si(y, 1 << 20) > 0)
        return -arf_sgn(y);
    if (!arf_is_zero(y) && arf_cmpabs_2exp_si(y, -(1 << 20)) < 0)
        return sign != 0 ? sign : -arf_sgn(y);
    shuf_real_init(z);
    shuf_real_set_arf(z, y);
    sign = shuf_real_cmp(x, z);
    shuf_real_clear(z);
    return sign;
}

int shuf_real_sgn(const shuf_real_t x)
{
    return shuf_real_cmp_si(x, 0);
}

/* Digits, perhaps more after a point, perhaps a power of ten that is no fraction: what doc/schema has as a count. */
static int is_count(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits > 0 && text[digits] == '.')
    {
        text += digits + 1;
        digits = strspn(text, "0123456789");
    }
    if (digits > 0 && (text[digits] == 'e' || text[digits] == 'E'))
    {
        text += digits + 1;
        text += *text == '+';
        digits = strspn(text, "0123456789");
    }
    return digits > 0 && text[digits] == '\0';
}

int shuf_users_set_str(uint64_t *n, const char *text)
{
    shuf_real_t x;
    int ok;
    shuf_real_init(x);
    ok = is_count(text) && shuf_real_set_str(x, text) == 0
         && fmpz_is_one(fmpq_denref(x->q)) && fmpz_sgn(fmpq_numref(x->q)) > 0
         && fmpz_cmp_ui(fmpq_numref(x->q), SHUF_MAX_USERS) <= 0;
    if (ok)
        *n = fmpz_get_ui(fmpq_numref(x->q));
    shuf_real_clear(x);
    return ok ? 0 : -1;
}
