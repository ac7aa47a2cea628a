/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/grid_rest.h"

#include <math.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "pld/fft.h"

/* Where no lemma is named: steer only. */
#define LOG2_BINS 12
#define BINS (1 << LOG2_BINS) /* 2 (LINE_HEAD - 1) */
#define SMOOTHING 1.5  /* standard deviation of what is added to the sum, in bins: atoms become hills */
#define LEAST_SHARE 1e-14 /* of the highest hill: what is lower is not known, and taken for nothing */
#define ATOM_WORK 2.5

/* log of the modulus of one round's tilted transform at t = 2 pi j/span, and its argument, its mean taken away */
static void set_transform(double *log_modulus, double *argument, const grid_nodes_struct *x, double theta, double span, const double k[3])
{
    const slong count = x->upper->count;
    double *re = flint_malloc(4 * (size_t) count * sizeof(double)), *im = re + count, *c = im + count, *s = c + count;
    slong i, atoms = 0;
    int j;
    for (i = 0; i < count; i++)
    {
        const double weight = d_exp(x->log_mass[i] + theta * x->value[i] - k[0]), turn = 2 * DOUBLE_PI / span * (x->value[i] - k[1]);
        if (!(weight > 0))
            continue;
        re[atoms] = weight;
        im[atoms] = 0;
        c[atoms] = d_cos(turn);
        s[atoms++] = d_sin(turn);
    }
    for (j = 0; j <= BINS / 2; j++)
    {
        double a = 0, b = 0;
        for (i = 0; i < atoms; i++)
        {
            const double u = re[i], v = im[i];
            a += u;
            b += v;
            re[i] = u * c[i] - v * s[i];
            im[i] = u * s[i] + v * c[i];
        }
        log_modulus[j] = d_log(fmax(d_hypot(a, b), SMALLEST));
        argument[j] = d_atan2(b, a);
    }
    shuf_charge(ATOM_WORK * (double) atoms * (BINS / 2));
    flint_free(re);
}

/* sum[j] := about the probability that the tilted loss of the other rounds, less its mean, is below (j - BINS/2) span/BINS */
static int set_sums(double *sum, const double *log_modulus, const double *argument)
{
    double *z = flint_malloc(2 * BINS * sizeof(double)), most = 0;
    fft_plan_t plan;
    int j;
    if (fft_plan_init(plan, LOG2_BINS) != 0)
    {
        flint_free(z);
        return -1;
    }
    for (j = 0; j <= BINS / 2; j++)
    {
        const double t = 2 * DOUBLE_PI * SMOOTHING * j / BINS, size = d_exp(log_modulus[j] - t * t / 2);
        const double angle = argument[j] + DOUBLE_PI * j; /* bin 0 is half a span below the mean */
        z[2 * j] = size * d_cos(angle);
        z[2 * j + 1] = size * d_sin(angle);
        if (j > 0 && j < BINS / 2)
        {
            z[2 * (BINS - j)] = z[2 * j];
            z[2 * (BINS - j) + 1] = -z[2 * j + 1];
        }
    }
    fft_forward(z, plan);
    for (j = 0; j < BINS; j++)
        most = fmax(most, z[2 * j]);
    for (sum[0] = 0, j = 0; j < BINS; j++)
        sum[j + 1] = sum[j] + (z[2 * j] > LEAST_SHARE * most ? z[2 * j] / BINS : 0);
    fft_plan_clear(plan);
    flint_free(z);
    return 0;
}

/* sum at a place between bins; beyond them as at the ends */
static double sum_at(const double *sum, double place)
{
    const double at = fmin(fmax(place, 0), BINS), whole = fmin(floor(at), BINS - 1);
    return sum[(int) whole] + (at - whole) * (sum[(int) whole + 1] - sum[(int) whole]);
}

/* log of the mass at a node, in the law that has more there */
static double larger_mass(const grid_nodes_struct *x, slong i)
{
    return fmax(x->log_mass[i], steer_log(x->lower->mass + i));
}

/* The gaps of a part, relative to those of others; sum may be NULL. */
static void set_gaps(grid_nodes_struct *x, const double *sum, double theta, double middle, double span, double log_rounds)
{
    const double bin = span / BINS;
    slong i;
    for (i = 0; i + 1 < x->count; i++)
    {
        const double width = x->value[i + 1] - x->value[i], a = larger_mass(x, i), b = larger_mass(x, i + 1), top = fmax(a, b);
        const double mass = top > -HUGE_VAL ? top + d_log((d_exp(a - top) + d_exp(b - top)) / 2) : top;
        const double from = BINS / 2.0 + (middle - x->value[i + 1]) / bin, to = BINS / 2.0 + (middle - x->value[i]) / bin;
        x->gap[i] = log_rounds + mass + d_log(width) + theta * (x->value[i] + x->value[i + 1]) / 2 + (sum == NULL ? 0 : d_log(sum_at(sum, to) - sum_at(sum, from)));
    }
}

void grid_rest_weigh(grid_nodes_struct *x, const line_struct *line, double mean, double eps, int anywhere)
{
    double *log_modulus = flint_malloc(3 * (BINS + 1) * sizeof(double)), *argument = log_modulus + BINS + 1, *sum = argument + BINS + 1, k[3];
    const double span = 2 * DOUBLE_PI / line->step;
    int j;
    grid_nodes_cumulants(k, x, line->theta);
    set_transform(log_modulus, argument, x, line->theta, span, k);
    for (j = 0; j <= BINS / 2; j++)
    {
        log_modulus[j] = line->log_modulus[j] - log_modulus[j];
        argument[j] = line->argument[j] - argument[j] - mean * line->step * j;
    }
    if (set_sums(sum, log_modulus, argument) == 0)
        set_gaps(x, anywhere ? NULL : sum, line->theta, eps - (mean - k[1]), span, d_log((double) x->rounds) - k[0]);
    flint_free(log_modulus);
}
