/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proof: proofs/product-line.md, Lemma 4. */
#include "pld/product.h"

#include <math.h>

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"

#define LARGEST_ERROR 0.01 /* larger ones count as all of it: Lemma 4 */
#define NEAR_ONE 0.25      /* differences from it, of which logarithms are read: Lemma 4 */

void product_init(product_struct *p, slong count, size_t factors)
{
    p->count = count;
    p->rounding = (PRODUCT_LIBRARY + (double) factors) * ROUNDOFF;
    p->log_modulus = flint_calloc(3 * (size_t) count, sizeof(double));
    p->argument = p->log_modulus + count;
    p->error = p->argument + count;
    p->lost = flint_calloc((size_t) count, 1);
}

void product_clear(product_struct *p)
{
    flint_free(p->log_modulus);
    flint_free(p->lost);
}

/* Times the n-th power at frequency k of a number within off of one with that modulus, its logarithm and argument; error: what n times these are off by. */
static void multiply(product_struct *p, slong k, double n, double modulus, double log_modulus, double argument, double off, double error)
{
    if (error < LARGEST_ERROR)
    {
        p->log_modulus[k] += n * log_modulus;
        p->argument[k] += n * argument;
        p->error[k] += error;
    }
    else
    {
        const double above = d_log((modulus + off) * (1 + p->rounding) + SMALLEST);
        p->log_modulus[k] += n * above;
        p->error[k] += n * p->rounding * (1 + fabs(above));
        p->lost[k] = 1;
    }
}

static void multiply_by(product_struct *p, slong k, double re, double im, double off, double n)
{
    const double modulus = d_hypot(re, im), log_modulus = d_log(fmax(modulus, SMALLEST)), argument = d_atan2(im, re);
    multiply(p, k, n, modulus, log_modulus, argument, off,
             n * (1.1 * off / fmax(modulus, SMALLEST) + p->rounding * (1 + fabs(log_modulus) + fabs(argument))));
}

void product_multiply(product_struct *p, const double *z, const double *off, double n)
{
    slong k;
    for (k = 0; k < p->count; k++)
        multiply_by(p, k, z[2 * k], z[2 * k + 1], off[k], n);
    shuf_charge(PRODUCT_WORK * (double) p->count);
}

void product_multiply_near_one(product_struct *p, const double *z, const double *off, double n)
{
    slong k;
    for (k = 0; k < p->count; k++)
    {
        const double re = z[2 * k], im = z[2 * k + 1], size = fabs(re) + fabs(im);
        if (size > NEAR_ONE)
        {
            multiply_by(p, k, 1 + re, im, off[k] + ROUNDOFF * (1 + size), n);
        }
        else
        {
            const double log_modulus = d_log1p(2 * re + (re * re + im * im)) / 2, argument = d_atan2(im, 1 + re);
            multiply(p, k, n, 1 + size, log_modulus, argument, off[k], n * (1.1 * off[k] / (1 - size) + p->rounding * size));
        }
    }
    shuf_charge(PRODUCT_WORK * (double) p->count);
}

void product_polynomial(polynomial_struct *sum, const product_struct *p, double theta, int pole, double step, const arf_t centre, double V)
{
    const double other = theta + pole, c = arf_get_d(centre, ARF_RND_NEAR), turn = V * (theta + other) / 2;
    slong k;
    polynomial_init(sum, p->count, step, centre);
    for (k = 0; k < p->count; k++)
    {
        const double t = step * (double) k, fall = V * t * t / 2, re = theta * other - t * t, im = t * (theta + other);
        const double size = re * re + im * im, whole = (k > 0 ? 2 : 1) * theta * other / sqrt(size);
        const double modulus = whole * d_exp(p->log_modulus[k] - fall), angle = p->argument[k] + t * turn - t * c;
        const double error = p->error[k] + p->rounding * (1 + fall + fabs(p->log_modulus[k]) + fabs(p->argument[k]) + t * (turn + fabs(c)));
        if (!p->lost[k] && error < LARGEST_ERROR && modulus > SMALLEST)
        {
            const double x = d_cos(angle) * modulus / sqrt(size), y = d_sin(angle) * modulus / sqrt(size);
            polynomial_set(sum, k, x * re + y * im, y * re - x * im, modulus * (1 + error), 1.1 * error * modulus);
        }
        else
        {
            const double most = 1.1 * modulus * d_exp(error) + SMALLEST;
            polynomial_set(sum, k, 0, 0, most, most);
        }
    }
    polynomial_finish(sum);
    shuf_charge(PRODUCT_WORK * (double) p->count);
}
