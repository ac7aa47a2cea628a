/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/dpsgd.md, Lemma 5. */
#include "batch/convex_sum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "enclosure/steer.h"

#define PREC 256 /* steers only */

/* Logarithms of atoms are at most that, so that nothing overflows, and what underflows is small: proofs/dpsgd.md, Lemma 5. */
#define LARGEST_LOG 300.0

/* What is smaller is left out from below, so that nothing underflows: proofs/dpsgd.md, Lemma 5. */
#define LEAST_MASS 1e-280

/* Units of work of a pair of atoms. Steers only. */
#define PAIR_WORK 4.0

/* Half a unit in the last place of 1: U of proofs/dpsgd.md, Lemma 5. */
#define UNIT (DBL_EPSILON / 2)

void convex_sum_init(convex_sum_t x)
{
    memset(x, 0, sizeof(*x));
}

void convex_sum_clear(convex_sum_t x)
{
    flint_free(x->at);
}

/* About the noise multiplier, 1 over the deviation of log X; steers only. */
static double about(const convex_cells *cells)
{
    return cells->noise != NULL ? fmpq_get_d(cells->noise) : 1 / cells->deviation;
}

/* The largest logarithm of an atom. */
static double largest_log(const convex_cells *cells, double number)
{
    const double noise = about(cells);
    return d_log(number) + (cells->noise != NULL ? (cells->reach + 1 / noise) / noise : cells->largest);
}

int convex_sum_exists(const convex_cells *cells, double number)
{
    const double s = about(cells);
    if (cells->noise == NULL)
        return s > 0 && largest_log(cells, number) <= LARGEST_LOG && cells->least >= -LARGEST_LOG;
    return s > 0 && largest_log(cells, number) <= LARGEST_LOG && d_log(number) - 1 / (2 * s * s) - cells->reach / s >= -LARGEST_LOG;
}

/* x := room for so many atoms without mass */
static void set_room(convex_sum_t x, slong count)
{
    x->at = flint_calloc(6 * (size_t) count, sizeof(double));
    x->mass = x->at + count;
    x->call = x->mass + count;
    x->tail = x->call + count;
    x->put = x->tail + count;
    x->head = x->put + count;
    x->count = count;
}

/*
 * The next corner of a grid for so many copies after x > 0: a share of the spread of the sum's logarithm, of all copies at once below the mean,
 * of one of them far above it. Steers only.
 */
static double next_corner(double x, double number, double noise, double fineness)
{
    const double distance = d_log(x / number) * noise / 4;
    return x * d_exp(fineness / noise * fmax(1 / sqrt(number), fmin(1, distance)));
}

/* About the logarithm of the mean of so many copies above which it surely is: of atoms by Bernstein's inequality, as none is farther than 1 below the mean. Steers only. */
static double lowest_log(const convex_cells *cells, double number)
{
    const double noise = about(cells), rate = cells->reach * cells->reach / number, below = rate / 6 + sqrt(rate * rate / 36 + rate * cells->variance);
    if (cells->noise != NULL)
        return -1 / (2 * noise * noise) - cells->reach / (noise * sqrt(number));
    return below < 1 ? fmax(cells->least, d_log(1 - below)) : cells->least;
}

/* The corners of a grid: 0 < the first < .. < the last; returns their number. NULL: only that. */
static slong set_grid(double *grid, double number, const convex_cells *cells)
{
    const double noise = about(cells), end = d_exp(largest_log(cells, number));
    double x = number * d_exp(lowest_log(cells, number));
    slong count = 0;
    for (; x < end; x = next_corner(x, number, noise, cells->fineness))
    {
        if (grid != NULL)
            grid[count] = x;
        count++;
    }
    return count;
}

/* Calls and puts at the atoms, from sums of what is positive. */
static void set_values(convex_sum_t x)
{
    slong i;
    for (i = x->count - 2; i >= 0; i--)
    {
        x->tail[i] = x->tail[i + 1] + x->mass[i + 1];
        x->call[i] = x->call[i + 1] + x->tail[i] * (x->at[i + 1] - x->at[i]);
    }
    for (i = 1; i < x->count; i++)
    {
        x->head[i] = x->head[i - 1] + x->mass[i - 1];
        x->put[i] = x->put[i - 1] + x->head[i] * (x->at[i] - x->at[i - 1]);
    }
}

/* The atoms of a law from below that matter, and the values at the atoms. What may underflow there is lost. */
static void finish(convex_sum_t x)
{
    slong i, count = 0;
    x->lost += (double) x->count * 4 * DBL_MIN;
    if (!x->above)
    {
        for (i = 0; i < x->count; i++)
        {
            if (x->mass[i] < LEAST_MASS || (x->at[i] > 0 && x->mass[i] * x->at[i] < LEAST_MASS) || (count > 0 && x->at[i] <= x->at[count - 1]))
                continue;
            x->mass[count] = x->mass[i];
            x->at[count++] = x->at[i];
        }
        x->count = count;
    }
    set_values(x);
}

static void convex_sum_copy(convex_sum_t x, const convex_sum_t y)
{
    convex_sum_clear(x);
    *x = *y;
    set_room(x, y->count);
    memcpy(x->at, y->at, (size_t) y->count * sizeof(double));
    memcpy(x->mass, y->mass, (size_t) y->count * sizeof(double));
    set_values(x);
}

/* ---- one copy ---- */

/* Pr[X <= x] and E[X; X <= x], or of X > x where the point is above the mean of its law: then upper[k]. */
typedef struct
{
    arb_t value[2];
    int upper[2];
} corner_struct;

static void corner_set(corner_struct *c, double x, const arb_t noise)
{
    arb_t z;
    int k;
    arb_init(z);
    for (k = 0; k < 2; k++)
    {
        /* z = s log x + 1/(2 s), and less 1/s */
        arb_set_d(z, x);
        arb_log(z, z, PREC);
        arb_mul(z, z, noise, PREC);
        arb_ui_div(c->value[k], 1, noise, PREC);
        arb_mul_2exp_si(c->value[k], c->value[k], -1);
        if (k == 0)
            arb_add(z, z, c->value[k], PREC);
        else
            arb_sub(z, z, c->value[k], PREC);
        c->upper[k] = arf_sgn(arb_midref(z)) > 0;
        if (!c->upper[k])
            arb_neg(z, z);
        shuf_normal_tail(c->value[k], z, PREC);
    }
    arb_clear(z);
}

/* v := what lies between two corners, of the mass (k = 0) or the mean */
static void between(arb_t v, const corner_struct *p, const corner_struct *q, int k)
{
    if (p->upper[k] == q->upper[k])
    {
        arb_sub(v, q->value[k], p->value[k], PREC);
        if (p->upper[k])
            arb_neg(v, v);
    }
    else
    {
        arb_add(v, p->value[k], q->value[k], PREC);
        shuf_ball_complement(v, v, PREC);
    }
}

/* Mass and mean of a cell go to its ends a < b (above), or to its mean. */
static void add_cell(convex_sum_t x, slong i, const arb_t mass, const arb_t mean)
{
    arb_t a, t;
    arb_init(a);
    arb_init(t);
    if (x->above)
    {
        /* (mean - a mass)/(b - a) to b, the rest to a */
        arb_set_d(a, x->at[i]);
        arb_set_d(t, x->at[i + 1]);
        arb_sub(t, t, a, PREC);
        arb_mul(a, a, mass, PREC);
        arb_sub(a, mean, a, PREC);
        arb_div(a, a, t, PREC);
        x->mass[i + 1] += fmax(0, shuf_ball_end_d(a, 1));
        arb_sub(a, mass, a, PREC);
        x->mass[i] += fmax(0, shuf_ball_end_d(a, 1));
    }
    else
    {
        arb_div(a, mean, mass, PREC);
        x->mass[i] = fmax(0, shuf_ball_end_d(mass, 0));
        x->at[i] = steer_midpoint(a);
    }
    arb_clear(a);
    arb_clear(t);
}

void convex_sum_one(convex_sum_t x, const convex_cells *cells, int above)
{
    const slong corners = set_grid(NULL, 1, cells);
    double *grid = flint_malloc((size_t) corners * sizeof(double));
    corner_struct c[2];
    arb_t sigma, mass, mean;
    slong i;
    int k;
    set_grid(grid, 1, cells);
    convex_sum_clear(x);
    convex_sum_init(x);
    set_room(x, corners + 1);
    x->above = above;
    x->number = 1;
    x->position = x->weight = 4 * UNIT;
    arb_init(sigma); arb_init(mass); arb_init(mean);
    arb_set_fmpq(sigma, cells->noise, PREC);
    for (k = 0; k < 4; k++)
        arb_init(c[k / 2].value[k % 2]);
    c[0].upper[0] = c[0].upper[1] = 0;
    for (i = 0; i <= corners; i++)
    {
        /* cell i begins at atom i, 0 or a corner, and ends at the next corner or never */
        if (above && i > 0)
            x->at[i] = grid[i - 1];
        if (above && i < corners)
            x->at[i + 1] = grid[i];
        if (i < corners)
        {
            corner_set(&c[1], grid[i], sigma);
        }
        else
        {
            for (k = 0; k < 2; k++)
            {
                arb_zero(c[1].value[k]);
                c[1].upper[k] = 1;
            }
        }
        between(mass, &c[0], &c[1], 0);
        between(mean, &c[0], &c[1], 1);
        if (above && i == corners)
        {
            x->mass[i] += fmax(0, shuf_ball_end_d(mass, 1));
            arb_set_d(sigma, -x->at[i]);
            arb_addmul(mean, mass, sigma, PREC);
            x->excess = fmax(0, shuf_ball_end_d(mean, 1));
        }
        else if (above || (arb_rel_accuracy_bits(mass) > 64 && arb_rel_accuracy_bits(mean) > 64))
        {
            add_cell(x, i, mass, mean);
        }
        for (k = 0; k < 2; k++)
        {
            arb_swap(c[0].value[k], c[1].value[k]);
            c[0].upper[k] = c[1].upper[k];
        }
    }
    finish(x);
    for (k = 0; k < 4; k++)
        arb_clear(c[k / 2].value[k % 2]);
    arb_clear(sigma); arb_clear(mass); arb_clear(mean);
    flint_free(grid);
}

/* An atom of a law that is given, in doubles. */
typedef struct
{
    double at, mass;
} atom_struct;

static int by_place(const void *a, const void *b)
{
    const atom_struct *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

int convex_sum_atoms(convex_sum_t x, arb_srcptr value, arb_srcptr mass, slong count, int above)
{
    atom_struct *atom = flint_malloc((size_t) (count + 1) * sizeof(*atom));
    slong i;
    int known = 0;
    for (i = 0; i < count; i++)
    {
        atom[i].at = steer_midpoint(value + i);
        atom[i].mass = fmax(0, shuf_ball_end_d(mass + i, above));
        /* a place is off by less than UNIT for its rounding, and as much for its radius */
        if (!arb_is_zero(value + i) && (arb_rel_accuracy_bits(value + i) < 64 || !(fabs(d_log(atom[i].at)) <= LARGEST_LOG)))
            known = -1;
    }
    qsort(atom, (size_t) count, sizeof(*atom), by_place);
    convex_sum_clear(x);
    convex_sum_init(x);
    set_room(x, FLINT_MAX(count, 1));
    x->above = above;
    x->number = 1;
    x->position = 4 * UNIT;
    x->weight = ((double) count + 4) * UNIT;
    for (i = x->count = 0; i < count; i++)
    {
        if (x->count == 0 || atom[i].at > x->at[x->count - 1])
            x->at[x->count++] = atom[i].at;
        x->mass[x->count - 1] += atom[i].mass;
    }
    finish(x);
    flint_free(atom);
    return known;
}

/* ---- sums ---- */

/* The sums of one atom of x and all of y, to the ends of the cells of z in which they lie; inverse[i] is 1 over the width of cell i. */
static void spread_row(convex_sum_t z, const double *inverse, double at, double mass, const convex_sum_t y)
{
    slong j, cell = 0;
    const slong last = z->count - 1;
    for (j = 0; j < y->count; j++)
    {
        const double sum = at + y->at[j], product = mass * y->mass[j];
        double share;
        while (cell < last && z->at[cell + 1] <= sum)
            cell++;
        if (cell == last)
        {
            z->mass[last] += product;
            z->excess += product * (sum - z->at[last]);
            continue;
        }
        share = (sum - z->at[cell]) * inverse[cell];
        share = share < 1 ? share : 1;
        z->mass[cell + 1] += product * share;
        z->mass[cell] += product * (1 - share);
    }
}

/* The same, to the means of these cells; grid[i] is where cell i + 1 begins, mean[i] collects mass times place. */
static void merge_row(convex_sum_t z, double *mean, const double *grid, double at, double mass, const convex_sum_t y)
{
    slong j, cell = 0;
    const slong last = z->count - 1;
    for (j = 0; j < y->count; j++)
    {
        const double sum = at + y->at[j], product = mass * y->mass[j];
        while (cell < last && grid[cell] <= sum)
            cell++;
        z->mass[cell] += product;
        mean[cell] += product * sum;
    }
}

void convex_sum_add(convex_sum_t z, const convex_sum_t x, const convex_sum_t y, const convex_cells *cells)
{
    const double number = x->number + y->number, pairs = (double) x->count * (double) y->count;
    const slong corners = set_grid(NULL, number, cells);
    double *grid = flint_malloc((size_t) corners * sizeof(double));
    convex_sum_t r;
    slong i;
    set_grid(grid, number, cells);
    convex_sum_init(r);
    set_room(r, corners + 1);
    r->above = x->above;
    r->number = number;
    r->excess = x->excess + y->excess;
    shuf_charge(PAIR_WORK * pairs);
    if (r->above)
    {
        for (i = 0; i < corners; i++)
        {
            r->at[i + 1] = grid[i];
            grid[i] = 1 / (r->at[i + 1] - r->at[i]);
        }
        for (i = 0; i < x->count; i++)
            spread_row(r, grid, x->at[i], x->mass[i], y);
    }
    else
    {
        for (i = 0; i < x->count; i++)
            merge_row(r, r->at, grid, x->at[i], x->mass[i], y);
        for (i = 0; i <= corners; i++)
            if (r->mass[i] > 0)
                r->at[i] /= r->mass[i];
    }
    r->weight = 1.001 * (x->weight + y->weight + (pairs + 8) * UNIT) + 1.001 * x->weight * y->weight;
    r->position = 1.001 * (fmax(x->position, y->position) + (r->above ? 8 : 2 * pairs + 8) * UNIT);
    r->excess *= 1 + 2 * r->weight;
    r->lost = x->lost + y->lost + pairs * 4 * DBL_MIN;
    finish(r);
    convex_sum_clear(z);
    *z = *r;
    flint_free(grid);
}

void convex_sum_power(convex_sum_t x, const convex_sum_t one, const convex_cells *cells, uint64_t number)
{
    convex_sum_t power;
    int is_first = 1;
    convex_sum_init(power);
    convex_sum_copy(power, one);
    for (; number > 0; number >>= 1)
    {
        if (number & 1)
        {
            if (is_first)
                convex_sum_copy(x, power);
            else
                convex_sum_add(x, x, power, cells);
            is_first = 0;
        }
        if (number > 1)
            convex_sum_add(power, power, power, cells);
    }
    convex_sum_clear(power);
}

void convex_sum_set(convex_sum_t x, const convex_cells *cells, uint64_t number, int above)
{
    convex_sum_t one;
    convex_sum_init(one);
    convex_sum_one(one, cells, above);
    convex_sum_power(x, one, cells, number);
    convex_sum_clear(one);
}

/* ---- values ---- */

/* The last atom at or below K, or -1. */
static slong atom_below(const convex_sum_t x, double K)
{
    slong low = -1, high = x->count;
    while (high - low > 1)
    {
        slong middle = low + (high - low) / 2;
        if (x->at[middle] <= K)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double call_at(const convex_sum_t x, double K)
{
    slong i = atom_below(x, K);
    if (i == x->count - 1)
        return 0;
    return x->call[i + 1] + (x->tail[i + 1] + x->mass[i + 1]) * (x->at[i + 1] - K);
}

static double put_at(const convex_sum_t x, double K)
{
    slong i = atom_below(x, K);
    return i < 0 ? 0 : x->put[i] + (x->head[i] + x->mass[i]) * (K - x->at[i]);
}

double convex_sum_value(const convex_sum_t x, double alpha, int direction)
{
    /* of the places, twice what they are off, and of the masses and of sums of them */
    const double e = 3 * x->position + 16 * UNIT, w = 2 * x->weight + 8 * ((double) x->count + 8) * UNIT + 2 * e;
    const double K = direction == 0 ? x->number * alpha : x->number / alpha, sign = x->above ? 1 : -1;
    double v;
    if (x->count == 0)
        return 0;
    v = direction == 0 ? call_at(x, K * (1 - sign * e)) : put_at(x, K * (1 + sign * e));
    v = v * (1 + sign * w) + sign * x->lost * (1 + (direction == 0 ? x->at[x->count - 1] : K));
    if (direction == 0 && x->above)
        v += x->excess;
    v *= (direction == 0 ? 1 / x->number : 1 / K) * (1 + sign * 8 * UNIT);
    if (x->above)
        return v >= 0 ? v : HUGE_VAL; /* what is not a number bounds nothing */
    return v > 0 ? v : 0;
}
