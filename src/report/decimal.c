/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/decimal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "exact/exact.h"

/* Beyond it no exponent is computed with: refused. */
#define MAX_EXPONENT 1000000000000000LL

/* +-0.d_1 d_2 ... d_count 10^exponent, d_1 > 0 or count = 0. */
typedef struct
{
    int negative;
    char *digit;
    size_t count;
    long long exponent;
} decimal;

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(flint_malloc(size), text, size);
}

/* Reads digits[.digits]. Returns what follows, or NULL if there is no digit. */
static const char *parse_digits(decimal *d, const char *s)
{
    int point = 0, any = 0;
    d->count = 0;
    d->exponent = 0;
    for (; isdigit((unsigned char) *s) || (*s == '.' && !point); s++)
    {
        if (*s == '.')
        {
            point = 1;
            continue;
        }
        any = 1;
        if (d->count > 0 || *s != '0')
            d->digit[d->count++] = *s;
        d->exponent += point ? (d->count > 0 ? 0 : -1) : (d->count > 0);
    }
    while (d->count > 0 && d->digit[d->count - 1] == '0')
        d->count--;
    return any ? s : NULL;
}

/* Reads e[-+]digits, if that is there. Returns what follows, or NULL if it is too much. */
static const char *parse_exponent(decimal *d, const char *s)
{
    const char sign = *s == 'e' || *s == 'E' ? s[1] : '\0';
    char *end;
    long long e;
    if (sign == '\0' || !isdigit((unsigned char) s[sign == '-' || sign == '+' ? 2 : 1]))
        return s;
    e = strtoll(s + 1, &end, 10);
    if (e > MAX_EXPONENT || e < -MAX_EXPONENT)
        return NULL;
    d->exponent += e;
    return end;
}

/* Reads [-+]digits[.digits][e[-+]digits]. Returns 0, or -1 if the text is something else; d->digit is to be freed anyway. */
static int parse(decimal *d, const char *text)
{
    const char *s = text + (*text == '-' || *text == '+');
    d->negative = *text == '-';
    d->digit = flint_malloc(strlen(text) + 2);
    s = parse_digits(d, s);
    if (s != NULL)
        s = parse_exponent(d, s);
    return s != NULL && *s == '\0' ? 0 : -1;
}

/* Keeps `digits` digits; away = 1: away from 0. */
static void shorten(decimal *d, size_t digits, int away)
{
    size_t i = digits;
    if (d->count <= digits)
        return;
    if (away)
    {
        while (i > 0 && d->digit[i - 1] == '9')
            i--;
        if (i == 0)
        {
            d->digit[0] = '1';
            d->exponent++;
            i = 1;
        }
        else
        {
            d->digit[i - 1]++;
        }
    }
    d->count = i;
    while (d->count > 0 && d->digit[d->count - 1] == '0')
        d->count--;
}

/* As shuf_decimal writes it: an exponent below 10^-4 and from 10^6 on. */
static char *format(const decimal *d, size_t digits)
{
    size_t room = d->count + 64, used;
    long long e = d->exponent - 1, i;
    char *text = flint_malloc(room), *out = text;
    if (d->negative)
        *out++ = '-';
    if (e < -4 || e >= (long long) (digits > 6 ? digits : 6))
    {
        used = (size_t) snprintf(out, room - 1, "%c%s%.*se%lld", d->digit[0], d->count > 1 ? "." : "", (int) d->count - 1,
                                 d->digit + 1, e);
        out[used] = '\0';
        return text;
    }
    if (e < 0)
    {
        memcpy(out, "0.000", 5);
        out += 1 - e;
    }
    for (i = 0; i < (long long) d->count || i <= e; i++)
    {
        if (i == e + 1 && e >= 0)
            *out++ = '.';
        *out++ = i < (long long) d->count ? d->digit[i] : '0';
    }
    *out = '\0';
    return text;
}

char *decimal_round(const char *text, size_t digits, int up)
{
    decimal d;
    char *result;
    if (text == NULL)
        return NULL;
    if (parse(&d, text) != 0 || d.count <= digits)
    {
        result = copy(text);
    }
    else
    {
        shorten(&d, digits, up != d.negative);
        result = format(&d, digits);
    }
    flint_free(d.digit);
    return result;
}

/* log10 of an exact number that is no decimal. */
static double real_log10(const char *text)
{
    shuf_real_t x;
    double value = NAN;
    shuf_real_init(x);
    if (shuf_real_set_str(x, text) == 0 && shuf_real_sgn(x) >= 0)
        value = shuf_real_sgn(x) > 0 ? steer_log_real(x, 64) / d_log(10) : -HUGE_VAL;
    shuf_real_clear(x);
    return value;
}

double decimal_log10(const char *text)
{
    decimal d;
    char head[24];
    double value;
    int bad;
    if (text == NULL)
        return NAN;
    bad = parse(&d, text);
    if (bad)
        value = real_log10(text);
    else if (d.count == 0)
        value = -HUGE_VAL;
    else if (d.negative)
        value = NAN;
    else
    {
        snprintf(head, sizeof(head), "0.%.*s", (int) (d.count < 18 ? d.count : 18), d.digit);
        value = d_log10(strtod(head, NULL)) + (double) d.exponent;
    }
    flint_free(d.digit);
    return value;
}
