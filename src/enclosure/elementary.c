/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "elementary.h"

#include <stdint.h>
#include <string.h>

#include "doubles.h"
#include "elementary_tables.h"

#define TO_INTEGER 0x1.8p52 /* added and taken off again: rounds |x| < 2^51 to an integer. proofs/elementary.md, Arithmetic */

/* log 2/64, log 2 and pi/2 in parts, of which all but the last have so few bits that multiples are exact: Lemmas 1, 2 and 5. */
#define STEP_HIGH 0x1.62e42feep-7
#define STEP_LOW 0x1.a39ef35793c76p-39
#define STEPS 0x1.71547652b82fep6 /* 64/log 2 */
#define LOG_2_HIGH 0x1.62e42fefa2p-1
#define LOG_2_LOW 0x1.9ef35793c7673p-41
#define QUARTER_HIGH 0x1.921fb544p0
#define QUARTER_MIDDLE 0x1.0b4611a6p-34
#define QUARTER_LOW 0x1.3198a2e037073p-69
#define QUARTERS 0x1.45f306dc9c883p-1 /* 2/pi */

/* Beyond, e^x is above or below all doubles, and of every use: Lemma 1. */
#define MOST_EXPONENT 709.8
#define LEAST_EXPONENT (-745.2)

#define LOG_2 0x1.62e42fefa39efp-1   /* the nearest double: steers only */
#define LOG_10 0x1.26bb1bbb55516p1   /* likewise: steers only */
#define CELL_ZERO 0x3fe6900000000000 /* the bits of the double at which the first cell of `logs` begins. Lemma 2 */
#define MOST_TURNING 0x1p20          /* of an angle that is reduced in parts. Lemma 5 */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* e^x = 2^*power (cell[0] + cell[1]) (1 + the value), the value being at most 0.0055 in modulus. |x| < 746. Lemma 1. */
static double reduced_exponential(const double **cell, int *power, double x)
{
    const double k = x * STEPS + TO_INTEGER - TO_INTEGER, r = x - k * STEP_HIGH - k * STEP_LOW;
    const int steps = (int) k, j = steps & 63;
    *cell = powers_of_two[j];
    *power = (steps - j) / 64;
    return r + r * r * (1 / 2.0 + r * (1 / 6.0 + r * (1 / 24.0 + r * (1 / 120.0 + r * (1 / 720.0)))));
}

double d_exp(double x)
{
    const double *cell;
    double p, y;
    int power;
    if (!(x < MOST_EXPONENT && x > LEAST_EXPONENT))
        return x > 0 ? HUGE_VAL : x < 0 ? 0 : x;
    p = reduced_exponential(&cell, &power, x);
    y = cell[0] + (cell[1] + cell[0] * p);
    return power > -1000 && power < 1000 ? y * of_bits((uint64_t) (power + 1023) << 52) : ldexp(y, power);
}

double d_expm1(double x)
{
    const double *cell;
    double p, scale;
    int power;
    if (!(fabs(x) < 0.5))
        return d_exp(x) - 1;
    p = reduced_exponential(&cell, &power, x);
    scale = power == 0 ? 1 : 0.5;
    return (scale * cell[0] - 1) + scale * (cell[1] + cell[0] * p);
}

double d_log(double x)
{
    uint64_t bits = bits_of(x), place;
    double k = 0, high, m, r, p;
    const double *cell;
    if (!(x > 0 && x < HUGE_VAL))
        return x == 0 ? -HUGE_VAL : x > 0 ? HUGE_VAL : NAN;
    if (x < 0x1p-1022)
    {
        bits = bits_of(x * 0x1p54);
        k = -54;
    }
    place = bits - CELL_ZERO + ((uint64_t) 1024 << 52); /* kept positive */
    bits -= ((place >> 52) - 1024) << 52;
    k += (double) (place >> 52) - 1024;
    cell = logs[(place >> 45) & 127];
    m = of_bits(bits);
    high = of_bits(bits & 0xffffffffffe00000);
    r = (high * cell[0] - 1) + (m - high) * cell[0];
    p = r - r * r * (1 / 2.0 - r * (1 / 3.0 - r * (1 / 4.0 - r * (1 / 5.0 - r * (1 / 6.0 - r * (1 / 7.0))))));
    return (k * LOG_2_HIGH + cell[1]) + (p + k * LOG_2_LOW);
}

double d_log1p(double x)
{
    const double u = 1 + x;
    if (!(u > 0 && u < HUGE_VAL))
        return d_log(u);
    return u == 1 ? x : d_log(u) + (x < 1 ? x - (u - 1) : 1 - (u - x)) / u;
}

double d_hypot(double x, double y)
{
    const double square = x * x + y * y, most = fmax(fabs(x), fabs(y)), share = fmin(fabs(x), fabs(y)) / most;
    if ((square > SMALLEST && square < LARGEST) || most == 0)
        return sqrt(square);
    return most * sqrt(1 + share * share);
}

static double small_sine(double r)
{
    const double z = r * r;
    double p = 1 / 355687428096000.0;
    p = p * z - 1 / 1307674368000.0;
    p = p * z + 1 / 6227020800.0;
    p = p * z - 1 / 39916800.0;
    p = p * z + 1 / 362880.0;
    p = p * z - 1 / 5040.0;
    p = p * z + 1 / 120.0;
    p = p * z - 1 / 6.0;
    return r + r * z * p;
}

static double small_cosine(double r)
{
    const double z = r * r;
    double p = 1 / 20922789888000.0;
    p = p * z - 1 / 87178291200.0;
    p = p * z + 1 / 479001600.0;
    p = p * z - 1 / 3628800.0;
    p = p * z + 1 / 40320.0;
    p = p * z - 1 / 720.0;
    p = p * z + 1 / 24.0;
    return 1 - (z / 2 - z * z * p);
}

/* sin(x + quarters pi/2) */
static double sine(double x, unsigned quarters)
{
    double k, r, value;
    if (!(fabs(x) <= MOST_TURNING))
        x = fmod(x, 2 * DOUBLE_PI);
    if (isnan(x))
        return x;
    k = x * QUARTERS + TO_INTEGER - TO_INTEGER;
    r = x - k * QUARTER_HIGH - k * QUARTER_MIDDLE - k * QUARTER_LOW;
    quarters += (unsigned) (int) k;
    value = quarters & 1 ? small_cosine(r) : small_sine(r);
    return quarters & 2 ? -value : value;
}

double d_sin(double x)
{
    return sine(x, 0);
}

double d_cos(double x)
{
    return sine(x, 1);
}

double d_atan2(double y, double x)
{
    const double most = fmax(fabs(x), fabs(y)), t = most > 0 ? fmin(fabs(x), fabs(y)) / most : 0;
    double s, z, angle;
    int i;
    if (isnan(x) || isnan(y) || isnan(t))
        return NAN;
    i = (int) (t * 32 + 0.5);
    s = (t - i / 32.0) / (1 + t * (i / 32.0));
    z = s * s;
    angle = arcs[i] + (s - s * z * (1 / 3.0 - z * (1 / 5.0 - z * (1 / 7.0 - z * (1 / 9.0)))));
    if (fabs(y) > fabs(x))
        angle = DOUBLE_PI / 2 - angle;
    if (x < 0)
        angle = DOUBLE_PI - angle;
    return y < 0 ? -angle : angle;
}

double d_pow(double x, double y)
{
    double power = 1;
    unsigned long n;
    if (!(fabs(y) <= 0x1p30 && y == floor(y)))
        return d_exp(y * d_log(x));
    for (n = (unsigned long) fabs(y); n > 0; n >>= 1, x *= x)
        if (n & 1)
            power *= x;
    return y < 0 ? 1 / power : power;
}

double d_exp2(double x)
{
    const double whole = floor(fmin(fmax(x, -2000), 2000));
    return ldexp(d_exp((x - whole) * LOG_2), (int) whole);
}

double d_sinh(double x)
{
    const double e = d_expm1(fabs(x)), half = e < HUGE_VAL ? (e + e / (e + 1)) / 2 : e;
    return x < 0 ? -half : half;
}

double d_lb(double x)
{
    int power;
    const double m = frexp(x, &power);
    return x > 0 && x < HUGE_VAL ? power + d_log(m) / LOG_2 : d_log(x);
}

double d_log10(double x)
{
    const double y = d_log(x) / LOG_10, whole = floor(y + 0.5);
    return fabs(y - whole) < 1e-12 && d_pow(10, whole) == x ? whole : y;
}

/* Stirling's series from 10 on. */
double d_lgamma(double x)
{
    double product = 1, z;
    for (; x < 10; x++)
        product *= x;
    z = 1 / (x * x);
    return (x - 0.5) * d_log(x) - x + d_log(2 * DOUBLE_PI) / 2 - d_log(product)
           + (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z / 1188.0)))) / x;
}

#define FRACTION_FROM 2.0 /* there a continued fraction takes over from the series of erf: steers only */
#define TERMS 60          /* of either: steers only */

double d_erfc(double x)
{
    double sum = 0, term = x;
    int n;
    if (x < 0)
        return 2 - d_erfc(-x);
    if (x < FRACTION_FROM)
    {
        for (n = 0; n < TERMS; n++, term *= -x * x / n)
            sum += term / (2 * n + 1);
        return 1 - 2 / sqrt(DOUBLE_PI) * sum;
    }
    for (n = TERMS; n > 0; n--)
        sum = n / 2.0 / (x + sum);
    return d_exp(-x * x) / sqrt(DOUBLE_PI) / (x + sum);
}
