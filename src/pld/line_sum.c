/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "pld/line_sum.h"

#include <math.h>
#include <stdlib.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"
#include "pld/cumulants.h"

#define PREC 160 /* steers only */

/* The doubles. */
static void set_estimates(line_part *p)
{
    const shuf_loss_filter *filter = p->loss->filter;
    slong j;
    p->variance = steer_midpoint(p->loss->variance);
    p->largest = steer_midpoint(p->loss->largest);
    p->spread = filter != NULL ? filter->spread : 0;
    p->atoms = p->loss->count + (filter != NULL ? filter->warnings : 0);
    p->value = flint_malloc(2 * (size_t) (p->atoms + 1) * sizeof(double));
    p->log_mass = p->value + p->atoms;
    for (j = 0; j < p->loss->count; j++)
    {
        p->value[j] = steer_midpoint(p->loss->value + j);
        p->log_mass[j] = steer_log(arb_midref(p->loss->mass + j));
    }
    for (; j < p->atoms; j++)
    {
        p->value[j] = filter->warning[j - p->loss->count];
        p->log_mass[j] = filter->log_warning[j - p->loss->count];
    }
}

int line_part_of_law(line_part *p, const shuf_law_struct *law, uint64_t rounds, double alike, double log_least, shuf_direction direction)
{
    p->law = law;
    p->rounds = rounds;
    shuf_loss_init(p->loss);
    p->loss->rounds = alike;
    p->loss->log_least = log_least;
    if (!shuf_law_loss(p->loss, law, direction, PREC))
    {
        shuf_loss_clear(p->loss);
        return -1;
    }
    arb_init(p->finite);
    arb_one(p->finite);
    arb_sub(p->finite, p->finite, p->loss->infinite, PREC);
    set_estimates(p);
    return 0;
}

void line_part_of_grid(line_part *p, const grid_law_struct *law, uint64_t rounds, int below)
{
    slong i, count = 0;
    p->law = NULL;
    p->rounds = rounds;
    shuf_loss_init(p->loss);
    arb_init(p->finite);
    for (i = 0; i < law->count; i++)
        count += !arf_is_zero(law->mass + i);
    shuf_loss_set_count(p->loss, count);
    for (i = 0, count = 0; i < law->count; i++)
    {
        if (arf_is_zero(law->mass + i))
            continue;
        arb_set_arf(p->loss->mass + count, law->mass + i);
        arb_set_si(p->loss->value + count, law->first + law->at[i]);
        arb_mul_2exp_si(p->loss->value + count, p->loss->value + count, law->log2_step);
        arb_add_arf(p->finite, p->finite, law->mass + i, PREC);
        count++;
    }
    arb_set_arf(p->loss->infinite, law->infinite);
    if (below)
    {
        arb_one(p->finite);
        arb_sub(p->finite, p->finite, p->loss->infinite, PREC);
    }
    set_estimates(p);
}

void line_part_clear(line_part *p)
{
    shuf_loss_clear(p->loss);
    arb_clear(p->finite);
    flint_free(p->value);
}

typedef struct
{
    double value;
    slong index;
} atom_struct;

static int by_falling_value(const void *x, const void *y)
{
    const atom_struct *a = x, *b = y;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return a->index < b->index ? -1 : 1;
}

void line_part_trim(line_part *p, double log_mass)
{
    atom_struct *atoms;
    double sum = 0;
    slong j;
    if (p->loss->filter != NULL)
        return;
    atoms = flint_malloc((size_t) (p->loss->count + 1) * sizeof(atom_struct));
    for (j = 0; j < p->loss->count; j++)
        atoms[j] = (atom_struct) { p->value[j], j };
    qsort(atoms, (size_t) p->loss->count, sizeof(atom_struct), by_falling_value);
    for (j = 0; j < p->loss->count; j++)
    {
        const slong i = atoms[j].index;
        sum += d_exp(p->log_mass[i] - log_mass);
        if (!(sum < 1))
            break;
        arb_add(p->loss->lost, p->loss->lost, p->loss->mass + i, PREC);
        arb_zero(p->loss->mass + i);
        p->log_mass[i] = -HUGE_VAL;
    }
    flint_free(atoms);
}

/* Units of work of an atom in an estimate. Steers only. */
#define ESTIMATE_WORK 20.0

/* log of e^{theta a} ((theta + 1) + theta e^{-a (1 + 2 theta)})/(2 theta + 1) */
void laplace_cumulants(double k[3], double a, double theta)
{
    const double e = d_exp(-a * (1 + 2 * theta)), twice = 2 * theta + 1, n = theta + 1 + theta * e, first = 1 + e * (1 - 2 * a * theta);
    const double second = e * (4 * a * a * theta - 4 * a);
    k[0] = theta * a + d_log(n / twice);
    k[1] = a + first / n - 2 / twice;
    k[2] = fmax((second * n - first * first) / (n * n) + 4 / (twice * twice), 0);
}

void line_part_cumulants(double k[3], const line_part *p, double theta)
{
    double one[3];
    int i;
    k[0] = k[1] = k[2] = 0;
    if (p->loss->count > 0)
        cumulants_of_atoms(k, p->value, p->log_mass, p->atoms, 0, theta);
    shuf_charge(ESTIMATE_WORK * (double) p->atoms);
    if (p->largest <= 0)
        return;
    laplace_cumulants(one, p->largest, theta);
    for (i = 0; i < 3; i++)
        k[i] += one[i];
}

void line_sum_cumulants(double k[3], const line_sum *s, double theta)
{
    size_t i;
    k[0] = k[1] = k[2] = 0;
    for (i = 0; i < s->count; i++)
    {
        const double n = (double) s->parts[i].rounds, v = n * s->parts[i].variance;
        double one[3];
        line_part_cumulants(one, &s->parts[i], theta);
        k[0] += n * one[0] + v * theta * (theta + 1) / 2;
        k[1] += n * one[1] + v * (theta + 0.5);
        k[2] += n * one[2] + v;
    }
}

static void at_theta(double *eps, double *log_delta, const line_sum *s, double theta)
{
    double k[3];
    line_sum_cumulants(k, s, theta);
    cumulants_saddle(eps, log_delta, k, theta);
}

/* Of the saddle points that are looked at: logarithms, also of the largest times the standard deviation of the sum, and how often their interval is halved. Steer only. */
#define LOW_SADDLE (-15.0)
#define HIGH_SADDLE 45.0
#define HIGH_DEVIATIONS 16.0
#define HALVINGS 50

double line_sum_saddle(double *eps, double *log_delta, const line_sum *s, const line_goal *goal)
{
    double low = LOW_SADDLE, high, k[3];
    int i;
    line_sum_cumulants(k, s, d_exp(LOW_SADDLE));
    high = fmin(fmax(HIGH_DEVIATIONS - d_log(k[2]) / 2, LOW_SADDLE + 1), HIGH_SADDLE);
    for (i = 0; i < HALVINGS; i++)
    {
        const double middle = (low + high) / 2;
        at_theta(eps, log_delta, s, d_exp(middle));
        if ((goal->to_delta || *eps < 0) ? *eps < (goal->to_delta ? goal->point : 0) : *log_delta > goal->point)
            low = middle;
        else
            high = middle;
    }
    at_theta(eps, log_delta, s, d_exp(low));
    *eps = fmax(*eps, 0);
    return d_exp(low);
}
