/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Times composition by privacy loss distributions: the certified engine,
 * and beside it what is common practice, an FFT in doubles without any bound
 * of its error, on a grid.
 *
 * Time is of one run each, "times" is relative to the certified engine. For the
 * plain FFT, "off" is how far, relative to delta, it lies outside the certified
 * interval.
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pld/fft.h"
#include "modules.h"

/* ---- the plain FFT, for the clones pair of Feldman, McMillan and Talwar 2021 ---- */

typedef struct
{
    double *mass; /* mass[reach + i] at the loss i step */
    long reach;
    double step;
} plain_law;

/*
 * The outcomes (a, m - a), a = start, start + direction, ..., whose mass
 * without the factor of the differing user is at least `smallest`.
 */
static void plain_row(const plain_law *law, double m, double start, int direction, double mass, double w0, double smallest)
{
    double a, w1 = 1 - w0;
    for (a = start; a >= 0 && a <= m && mass >= smallest; a += direction)
    {
        double p = w0 * a + w1 * (m - a), q = w1 * a + w0 * (m - a);
        law->mass[law->reach + lround(log(p / q) / law->step)] += mass * 2 * p / m;
        mass *= direction > 0 ? (m - a) / (a + 1) : a / (m - a + 1);
    }
}

/* Every outcome of one round goes to the nearest node of the grid. Returns -1 without memory. */
static int plain_law_init(plain_law *law, double n, double eps0, double step, double smallest)
{
    double w0 = 1 / (1 + exp(-eps0)), clone = exp(-eps0), mode = floor(n * clone), sum = 0;
    int direction;
    long i;

    law->step = step;
    law->reach = (long) ceil(eps0 / step) + 1;
    law->mass = calloc((size_t) (2 * law->reach + 1), sizeof(double));
    if (law->mass == NULL)
        return -1;
    for (direction = -1; direction <= 1; direction += 2)
    {
        double c;
        for (c = direction > 0 ? mode : mode - 1; c >= 0 && c <= n - 1; c += direction)
        {
            double m = c + 1, half = floor(m / 2);
            double count = lgamma(n) - lgamma(c + 1) - lgamma(n - c) + c * -eps0 + (n - 1 - c) * log1p(-clone);
            double centre = exp(count + lgamma(m + 1) - lgamma(half + 1) - lgamma(m - half + 1) - m * log(2));
            if (centre < smallest)
                break;
            plain_row(law, m, half, -1, centre, w0, smallest);
            plain_row(law, m, half + 1, 1, centre * (m - half) / (half + 1), w0, smallest);
        }
    }
    for (i = 0; i <= 2 * law->reach; i++)
        sum += law->mass[i];
    for (i = 0; i <= 2 * law->reach; i++)
        law->mass[i] /= sum;
    return 0;
}

/* Half the window: 12 standard deviations around the sum's mean, enough for doubles, all losses of one round, and twice eps. */
static int plain_log_length(const plain_law *law, double rounds, double eps)
{
    double mean = 0, square = 0, half;
    int log2_length = 1;
    long i;
    for (i = 0; i <= 2 * law->reach; i++)
    {
        double x = (double) (i - law->reach);
        mean += law->mass[i] * x;
        square += law->mass[i] * x * x;
    }
    half = fmax((double) law->reach, rounds * fabs(mean) + 12 * sqrt(rounds * (square - mean * mean)));
    half = fmax(half, 2 * eps / law->step);
    while (ldexp(1, log2_length) <= 2 * half + 2)
        log2_length++;
    return log2_length;
}

static double complex power(double complex z, uint64_t k)
{
    double complex y = 1;
    for (; k > 0; k >>= 1, z *= z)
        if (k & 1)
            y *= z;
    return y;
}

/* delta, or NAN without memory */
static double plain_fft_delta(double n, double eps0, uint64_t rounds, double eps, double step, double smallest)
{
    plain_law law;
    fft_plan_t plan;
    double complex *z;
    double delta = NAN;
    long i, length;
    int log2_length;

    if (plain_law_init(&law, n, eps0, step, smallest) != 0)
        return NAN;
    log2_length = plain_log_length(&law, (double) rounds, eps);
    length = 1L << log2_length;
    z = log2_length <= FFT_MAX_LOG ? calloc((size_t) length, sizeof(double complex)) : NULL;
    if (z != NULL && fft_plan_init(plan, log2_length) == 0)
    {
        for (i = -law.reach; i <= law.reach; i++)
            z[i & (length - 1)] = law.mass[law.reach + i];
        fft_forward((double *) z, plan);
        for (i = 0; i < length; i++)
            z[i] = power(z[i], rounds) / (double) length;
        /* back, as the conjugate of the transform of the conjugate: of its real part that makes no difference */
        for (i = 0; i < length; i++)
            z[i] = conj(z[i]);
        fft_forward((double *) z, plan);
        delta = 0;
        for (i = (long) ceil(eps / step); i < length / 2; i++)
            delta += creal(z[i]) * -expm1(eps - (double) i * step);
        fft_plan_clear(plan);
    }
    free(z);
    free(law.mass);
    return delta;
}

/* ---- the table ---- */

typedef struct
{
    const char *n, *eps0, *rounds, *eps;
    slong digits;
    double smallest; /* mass of the outcomes that the plain FFT still counts */
} test_case;

static double engine(shuf_enclosure_t r, const shuf_pair_t pair, const test_case *t)
{
    const shuf_options o = { t->digits, 0 };
    shuf_law_struct profile;
    shuf_pld_part part = { &profile, strtoull(t->rounds, NULL, 10) };
    shuf_real_t eps;
    double start = shuf_seconds();

    shuf_real_init(eps);
    shuf_real_set_str(eps, t->eps);
    shuf_law_set_pair(&profile, pair);
    shuf_pld_delta(r, &part, 1, eps, SHUF_DIRECTION_BOTH, &o);
    shuf_real_clear(eps);
    return shuf_seconds() - start;
}

/* Prints one engine's row; its interval stays in r. */
static void print_engine(const char *name, shuf_enclosure_t r, slong digits, double seconds, double certified)
{
    char *lo, *hi;
    mag_t width;
    mag_init(width);
    shuf_enclosure_width(width, r);
    shuf_enclosure_print(&lo, &hi, r, digits + 5);
    printf("  %-9s  [%s, %s]  relative width %.1e  %8.2f s  %6.2f times\n", name, lo, hi,
           mag_get_d(width) / arf_get_d(r->hi, ARF_RND_DOWN), seconds, seconds / certified);
    mag_clear(width);
    flint_free(lo);
    flint_free(hi);
}

#define STEPS_TO_EPS 0x1p14 /* of the plain FFT's grid */

static void compare(const test_case *t)
{
    shuf_pair_t pair;
    shuf_real_t eps0;
    shuf_enclosure_t r;
    uint64_t n = 1;
    double certified, seconds, delta, lo, hi;

    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_enclosure_init(r);
    shuf_users_set_str(&n, t->n);
    shuf_real_set_str(eps0, t->eps0);
    shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES, n, eps0);
    printf("clones, n = %s, eps0 = %s, %s rounds: delta(%s) to %ld digits\n", t->n, t->eps0, t->rounds, t->eps, (long) t->digits);

    certified = engine(r, pair, t);
    print_engine("certified", r, t->digits, certified, certified);
    seconds = shuf_seconds();
    delta = plain_fft_delta((double) n, strtod(t->eps0, NULL), strtoull(t->rounds, NULL, 10), strtod(t->eps, NULL),
                            strtod(t->eps, NULL) / STEPS_TO_EPS, t->smallest);
    seconds = shuf_seconds() - seconds;
    lo = arf_get_d(r->lo, ARF_RND_DOWN);
    hi = arf_get_d(r->hi, ARF_RND_UP);
    printf("  %-9s  %.*g  off by %.1e  %8.2f s  %6.2f times\n\n", "plain FFT", (int) t->digits + 5, delta,
           fmax(0, fmax(lo - delta, delta - hi)) / hi, seconds, seconds / certified);
    fflush(stdout);

    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_enclosure_clear(r);
}

int main(void)
{
    static const test_case cases[] = {
        { "1e4", "4", "4", "1", 6, 1e-20 },
        { "1e4", "4", "16", "1", 6, 1e-20 },
        { "1e6", "0.5", "100000", "1", 3, 1e-20 },
        { "1e4", "4", "16", "9", 3, 1e-300 }, /* far below the rounding of a plain FFT */
    };
    size_t i;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        compare(&cases[i]);
    flint_cleanup();
    return 0;
}
