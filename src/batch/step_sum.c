/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* From below, an epoch by a sum of whole numbers, one for each step: notation and proof in proofs/dpsgd.md, Theorem 18. */
#include "batch/batch_law.h"

#include <math.h>
#include <string.h>

#include "batch/cells.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

/* All of these steer only, as any cells, any numbers and any N are valid. */
#define PREC 128
#define SIZE 8192             /* N */
#define STEP_CELLS 1024       /* of the line, */
#define REACH_BELOW 9.0       /* from so many deviations below 0 */
#define REACH_ABOVE 7.5       /* to so many above the larger shift: numbers of these do not meet others' modulo N, */
#define SUM_DEVIATIONS 12.0   /* with so many deviations of the sum on both sides */
#define SHARE 0.5             /* c over the sampling rate, */
#define SHARE_SHUFFLED 0.125  /* and where the record is there on both data */
#define LARGEST_RATIO 1e13    /* of outcomes that are given: more counts as that */

#define LANES 8 /* sums at a time, of which each takes every eighth term: Theorem 18, In the code */

/* Units of work: of a tail, and of a product in a convolution. Steer only. */
#define TAIL_WORK 12000.0
#define PRODUCT_WORK 0.4

/* Numbers near those of a law modulo N: off by a factor in [(1-u)^roundings, (1-u)^-roundings] and `off` besides. */
typedef struct
{
    double *mass, roundings, off;
} sum_law;

/* ---- the steps ---- */

/*
 * What a step says in estimates, log of (1 - c + c X_with)/(1 - c + c X_without), X_v the density of N(v, s^2) over that of
 * N(0, s^2); y in deviations.
 */
static double score_at(const told_epoch *x, double y)
{
    const double mu = 1 / fmpq_get_d(x->noise), rate = (double) x->taking / (double) x->steps;
    const double c = (x->shift[1] > 0 ? SHARE_SHUFFLED : SHARE) * rate;
    double part[2];
    int i;
    for (i = 0; i < 2; i++)
    {
        const double v = mu * (double) x->shift[i], z = v * y - v * v / 2;
        part[i] = z > 30 ? z + d_log(c) : d_log1p(c * d_expm1(z));
    }
    return part[0] - part[1];
}

static double cell_end(const told_epoch *x, slong i)
{
    const double above = REACH_ABOVE + (double) x->shift[0] / fmpq_get_d(x->noise);
    return -REACH_BELOW + (REACH_BELOW + above) * (double) i / STEP_CELLS;
}

/* The score of cell i, and about its probability without the record; of a given outcome, with its likelihood ratio, no more than e^30. */
static double score(double *weight, const told_epoch *x, slong i)
{
    const double c = SHARE * (double) x->taking / (double) x->steps;
    double y, with, without;
    if (x->count == 0)
    {
        y = (cell_end(x, i) + cell_end(x, i + 1)) / 2;
        *weight = d_exp(-y * y / 2);
        return score_at(x, y);
    }
    with = fmax(steer_midpoint(x->mass[0] + i), 0);
    without = fmax(steer_midpoint(x->mass[1] + i), 0);
    *weight = without;
    return d_log1p(c * (with < LARGEST_RATIO * without ? with / without - 1 : LARGEST_RATIO));
}

/* number[i] := the whole number of cell i, modulo N */
static void set_numbers(slong *number, const told_epoch *x)
{
    const slong cells = x->count > 0 ? x->count : STEP_CELLS;
    double value[STEP_CELLS], m0 = 0, m1 = 0, m2 = 0, least = 0, most = 0, unit;
    slong i;
    for (i = 0; i < cells; i++)
    {
        double w;
        value[i] = score(&w, x, i);
        m0 += w;
        m1 += w * value[i];
        m2 += w * value[i] * value[i];
        least = fmin(least, value[i]);
        most = fmax(most, value[i]);
    }
    m1 /= m0;
    unit = (most - least + 2 * SUM_DEVIATIONS * sqrt(fmax(m2 / m0 - m1 * m1, 0) * (double) x->steps)) / SIZE;
    for (i = 0; i < cells; i++)
        number[i] = ((slong) floor(fmin(fmax(value[i] / unit + 0.5, -SIZE), SIZE)) + SIZE) % SIZE;
}

/* tail[i] := the smaller one of the probabilities below and above end i of a cell, under that shift; above from first on. */
static void set_tails(arb_ptr tail, slong *first, const told_epoch *x, slong shift)
{
    arb_t t, v;
    slong i;
    arb_init(t);
    arb_init(v);
    arb_set_fmpq(v, x->noise, PREC);
    arb_inv(v, v, PREC);
    arb_mul_si(v, v, shift, PREC);
    for (i = *first = 1; i < STEP_CELLS; i++)
    {
        arb_set_d(t, cell_end(x, i));
        arb_sub(t, t, v, PREC);
        if (arf_sgn(arb_midref(t)) < 0)
        {
            arb_neg(t, t);
            *first = i + 1;
        }
        shuf_normal_tail(tail + i, t, PREC);
        shuf_charge(TAIL_WORK);
    }
    arb_clear(t);
    arb_clear(v);
}

/* mass[number[i]] := that of cell i under that shift. */
static void add_cells(arb_ptr mass, const told_epoch *x, const slong *number, slong shift)
{
    arb_ptr tail = _arb_vec_init(STEP_CELLS + 1);
    arb_t t;
    slong i, first;
    arb_init(t);
    set_tails(tail, &first, x, shift);
    for (i = 0; i < STEP_CELLS; i++)
    {
        /* from end i to end i + 1; nothing is below the first end, and above the last one */
        if (i + 1 < first)
            arb_sub(t, tail + i + 1, tail + i, PREC);
        else if (i >= first)
            arb_sub(t, tail + i, tail + i + 1, PREC);
        else
        {
            arb_add(t, tail + i, tail + i + 1, PREC);
            shuf_ball_complement(t, t, PREC);
        }
        arb_add(mass + number[i], mass + number[i], t, PREC);
    }
    _arb_vec_clear(tail, STEP_CELLS + 1);
    arb_clear(t);
}

/* The law of a step's number if the record takes part, with it (0) or without it (1), or if it does not (-1). */
static void set_step(sum_law *law, const told_epoch *x, const slong *number, int taking)
{
    arb_ptr mass = _arb_vec_init(SIZE);
    slong i;
    if (x->count == 0)
        add_cells(mass, x, number, taking < 0 ? 0 : x->shift[taking]);
    for (i = 0; i < x->count; i++)
        arb_add(mass + number[i], mass + number[i], x->mass[taking != 0] + i, PREC);
    law->roundings = 1;
    law->off = 0x1p-1000;
    for (i = 0; i < SIZE; i++)
    {
        arb_nonnegative_part(mass + i, mass + i);
        law->mass[i] = arf_get_d(arb_midref(mass + i), ARF_RND_NEAR);
        law->off = fmax(law->off, 1.01 * mag_get_d(arb_radref(mass + i)));
    }
    _arb_vec_clear(mass, SIZE);
}

/* ---- sums of them ---- */

/* turned[j] := x at -j modulo N, 0 <= j < 2 N */
static void turn(double *turned, const double *x)
{
    slong j;
    for (j = 0; j < 2 * SIZE; j++)
        turned[j] = x[(2 * SIZE - j) % SIZE];
}

/* Sum of the products of so many numbers, none with more than count/LANES + 5 roundings. */
static double product_sum(const double *x, const double *z, slong count)
{
    double sum[LANES] = { 0 };
    slong i, j;
    for (i = 0; i + LANES <= count; i += LANES)
        for (j = 0; j < LANES; j++)
            sum[j] += x[i + j] * z[i + j];
    for (j = 0; i + j < count; j++)
        sum[j] += x[i + j] * z[i + j];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/* x := the law of the sum of independent numbers of x and z; room for 5 N numbers. */
static void convolve(sum_law *x, const sum_law *z, double *room)
{
    double *turned = room + SIZE;
    slong k;
    turn(turned, z->mass);
    for (k = 0; k < SIZE; k++)
        room[k] = product_sum(x->mass, turned + SIZE - k, SIZE);
    memcpy(x->mass, room, SIZE * sizeof(double));
    x->roundings += z->roundings + SIZE / LANES + 5;
    x->off = 1.1 * (x->off + z->off);
    shuf_charge(PRODUCT_WORK * SIZE * SIZE);
}

/*
 * The same of x and itself: the products of the masses at i and k - i are those at k - i and i, so half of them are enough, and
 * what has i = k - i.
 */
static void square(sum_law *x, double *room)
{
    double *turned = room + SIZE, *twice = room + 3 * SIZE;
    slong k;
    turn(turned, x->mass);
    memcpy(twice, x->mass, SIZE * sizeof(double));
    memcpy(twice + SIZE, x->mass, SIZE * sizeof(double));
    for (k = 0; k < SIZE; k++)
    {
        const slong from = k / 2 + 1;
        room[k] = 2 * product_sum(twice + from, turned + SIZE - k + from, SIZE / 2 - (k % 2 == 0));
        if (k % 2 == 0)
            room[k] += twice[k / 2] * twice[k / 2] + twice[(k + SIZE) / 2] * twice[(k + SIZE) / 2];
    }
    memcpy(x->mass, room, SIZE * sizeof(double));
    x->roundings += x->roundings + SIZE / 2 / LANES + 7;
    x->off = 2.2 * x->off;
    shuf_charge(PRODUCT_WORK * SIZE * SIZE / 2);
}

/* The same where z is that of one step, at most STEP_CELLS numbers: term by term. */
static void add_step(sum_law *x, const sum_law *z, double *room)
{
    slong i, j;
    memset(room, 0, SIZE * sizeof(double));
    for (i = 0; i < SIZE; i++)
    {
        if (z->mass[i] <= 0)
            continue;
        for (j = 0; j < SIZE - i; j++)
            room[i + j] += z->mass[i] * x->mass[j];
        for (; j < SIZE; j++)
            room[i + j - SIZE] += z->mass[i] * x->mass[j];
    }
    memcpy(x->mass, room, SIZE * sizeof(double));
    x->roundings += z->roundings + STEP_CELLS + 1;
    x->off = 1.1 * (x->off + z->off);
    shuf_charge(PRODUCT_WORK * SIZE * STEP_CELLS);
}

/* x := the law of the sum of n >= 1 independent numbers of step. */
static void set_power(sum_law *x, const sum_law *step, uint64_t n, double *room)
{
    int bit = (int) FLINT_BIT_COUNT(n) - 1;
    memcpy(x->mass, step->mass, SIZE * sizeof(double));
    x->roundings = step->roundings;
    x->off = step->off;
    while (--bit >= 0)
    {
        square(x, room);
        if (n >> bit & 1)
            add_step(x, step, room);
    }
}

/* Beyond these the lemma says nothing: Theorem 18, In the code. */
#define MOST_OFF 1e-9
#define MOST_ROUNDINGS 0.004

/* mass[j] encloses the probability that an epoch's sum is j. */
static void set_masses(arb_ptr mass, const sum_law *law)
{
    const double relative = 1.02 * law->roundings * ROUNDOFF;
    const int is_known = law->off < MOST_OFF && relative < MOST_ROUNDINGS;
    arb_t t;
    slong j;
    arb_init(t);
    for (j = 0; j < SIZE; j++)
    {
        arb_set_d(mass + j, law->mass[j]);
        arb_set_d(t, is_known ? (law->mass[j] + law->off) * relative + 1.02 * law->off : 1);
        arb_add_error(mass + j, t);
        arb_nonnegative_part(mass + j, mass + j);
    }
    arb_clear(t);
}

/* ---- the law ---- */

static void make_cells(told_epoch *x)
{
    double *room = flint_malloc(9 * SIZE * sizeof(double));
    sum_law plain = { room + 5 * SIZE, 0, 0 }, step = { room + 6 * SIZE, 0, 0 };
    sum_law all = { room + 7 * SIZE, 0, 0 }, shifted = { room + 8 * SIZE, 0, 0 };
    arb_ptr mass[2];
    slong number[STEP_CELLS];
    int i;
    set_numbers(number, x);
    set_step(&step, x, number, -1);
    set_power(&plain, &step, x->steps - x->taking, room);
    for (i = 0; i < 2; i++)
    {
        mass[i] = _arb_vec_init(SIZE);
        set_step(&step, x, number, i);
        set_power(&shifted, &step, x->taking, room);
        memcpy(all.mass, plain.mass, SIZE * sizeof(double));
        all.roundings = plain.roundings;
        all.off = plain.off;
        if (x->taking == 1)
            add_step(&all, &shifted, room);
        else
            convolve(&all, &shifted, room);
        set_masses(mass[i], &all);
    }
    told_set_cells(x, mass[0], mass[1], SIZE);
    _arb_vec_clear(mass[0], SIZE);
    _arb_vec_clear(mass[1], SIZE);
    flint_free(room);
}

/* At most about the work of making the cells. */
static double cells_work(const told_epoch *x)
{
    const double steps = (double) FLINT_BIT_COUNT(x->steps), taking = (double) FLINT_BIT_COUNT(x->taking);
    return 3 * TAIL_WORK * STEP_CELLS + PRODUCT_WORK * SIZE * ((steps + 2 * taking) * (SIZE / 2 + STEP_CELLS) + 2 * SIZE);
}

/* By whoever comes first with enough work. */
static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    told_epoch *x = self->data;
    pthread_mutex_lock(&x->lock);
    if (!x->has_cells && (options->max_work <= 0 || options->max_work > cells_work(x)))
        make_cells(x);
    pthread_mutex_unlock(&x->lock);
}

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s,
                            slong count, const shuf_options *options)
{
    const told_epoch *x = self->data;
    slong i;
    prepare(self, options);
    if (x->has_cells)
    {
        told_profile(lo, hi, x, direction, s, count);
        return SHUF_OK;
    }
    for (i = 0; i < count; i++)
    {
        arf_zero(lo + i);
        arf_one(hi + i);
    }
    return SHUF_ACCURACY;
}

/* The better of both directions, or the one that is asked for. */
static shuf_status best_value(shuf_enclosure_t r, const shuf_law_struct *self, shuf_direction direction, const shuf_real_t eps,
                              const shuf_real_t delta, const shuf_options *options)
{
    const told_epoch *x = self->data;
    const double start = shuf_work();
    arb_t v, best;
    int i;
    arb_init(v);
    arb_init(best);
    prepare(self, options);
    for (i = 0; i < 2 && x->has_cells; i++)
    {
        if (direction == (i == 0 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ))
            continue;
        if (eps != NULL)
            cells_delta(v, &x->cells[i], eps);
        else
            cells_epsilon(v, &x->cells[i], delta);
        if (arf_cmp(arb_midref(v), arb_midref(best)) > 0)
            arb_swap(v, best);
    }
    shuf_enclosure_set_value(r, best, PREC);
    r->ledger.work = shuf_work() - start;
    arb_clear(v);
    arb_clear(best);
    return r->status = x->has_cells && shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps,
                             shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return best_value(r, self, direction, eps, NULL, options);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta,
                               shuf_direction direction, const shuf_options *options)
{
    (void) where;
    return best_value(r, self, direction, NULL, delta, options);
}

void batch_law_step_sum(shuf_law_t law, const fmpq_t noise, uint64_t steps, uint64_t taking, slong with, slong without)
{
    told_law_init(law, noise, steps, taking, with, without);
    law->prepare = prepare;
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->evaluate = evaluate;
}

void batch_law_outcome_sum(shuf_law_t law, uint64_t steps, uint64_t taking, arb_srcptr with, arb_srcptr without, slong count)
{
    told_epoch *x;
    fmpq_t none;
    int i;
    fmpq_init(none);
    batch_law_step_sum(law, none, steps, taking, 1, 0);
    x = law->data;
    x->count = FLINT_MIN(count, STEP_CELLS);
    for (i = 0; i < 2; i++)
    {
        x->mass[i] = _arb_vec_init(x->count);
        _arb_vec_set(x->mass[i], i == 0 ? with : without, x->count);
    }
    fmpq_clear(none);
}
