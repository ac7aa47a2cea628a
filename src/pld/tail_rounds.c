/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Losses of krr-strong and krr-weak on a grid: proofs/tail.md, Lemmas 3 and 4. */
#include "pld/loss.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/steer.h"
#include "enclosure/doubles.h"
#include "pld/convolve.h"
#include "pld/grid.h"
#include "pld/tilted.h"

/* ---- the losses on a grid ---- */

#define FIRST_TAU 1e-12
#define SMALLEST_TAU 1e-280
#define ROW_SMALLEST 1e-285
#define LARGEST_LOSS 60.0   /* of a node */
#define MAX_NODES (WORD(1) << 20)
#define FIRST_NODES (WORD(1) << 12)
#define MAX_LOG2_LENGTH 22
#define MAX_REPORTS (UINT64_C(1) << 26) /* of the two values: memory */

#define MAX_ATOMS 0x1p39

/* Units of work for an atom, a row of them, a node, and a node's share of an estimate. */
#define ATOM_WORK 25.0
#define ROW_WORK 1500.0
#define NODE_WORK 1000.0
#define ESTIMATE_WORK 30.0

/* Exceeds the relative error of (a+w)/(m-a+w) and of a node, in doubles. */
#define RATIO_ERROR 0x1p-47

/* Sums of masses: of cell i, losses rounded to node (first + i) step. */
typedef struct
{
    slong first, length, log2_step;
    double *node; /* e^loss */
    double *up, *down;
    double infinite, above; /* losses of +infinity, and finite ones above the last node */
    arb_t lost;             /* at least what was left out */
    double atoms;
} cells_struct;

static void cells_init(cells_struct *c, slong first, slong length, slong log2_step)
{
    arb_t x, step;
    slong i;
    arb_init(x);
    arb_init(step);
    arb_init(c->lost);
    c->first = first;
    c->length = length;
    c->log2_step = log2_step;
    shuf_charge(NODE_WORK * (double) length);
    c->node = flint_malloc((size_t) length * sizeof(double));
    c->up = flint_calloc((size_t) length, sizeof(double));
    c->down = flint_calloc((size_t) length, sizeof(double));
    c->infinite = c->above = c->atoms = 0;
    arb_set_si(x, first);
    arb_mul_2exp_si(x, x, log2_step);
    arb_exp(x, x, 128);
    arb_one(step);
    arb_mul_2exp_si(step, step, log2_step);
    arb_exp(step, step, 128);
    for (i = 0; i < length; i++)
    {
        c->node[i] = arf_get_d(arb_midref(x), ARF_RND_NEAR);
        arb_mul(x, x, step, 128);
    }
    arb_clear(x);
    arb_clear(step);
}

static void cells_clear(cells_struct *c)
{
    flint_free(c->node);
    flint_free(c->up);
    flint_free(c->down);
    arb_clear(c->lost);
}

/* Adds the mass of an atom whose e^loss is the ratio, but for RATIO_ERROR. */
static inline void add_atom(cells_struct *c, double mass, double ratio)
{
    double below = ratio * (1 - RATIO_ERROR), above = ratio * (1 + RATIO_ERROR), guess;
    slong i;
    /* the logarithm only says where to look */
    guess = ldexp(log(ratio), (int) -c->log2_step) - (double) c->first;
    i = guess < 0 ? 0 : guess >= (double) c->length ? c->length - 1 : (slong) guess;
    while (i >= 0 && c->node[i] > below)
        i--;
    while (i + 1 < c->length && c->node[i + 1] <= below)
        i++;
    if (i >= 0)
        c->down[i] += mass;
    for (i = i < 0 ? 0 : i; i < c->length && c->node[i] < above; i++)
        ;
    if (i < c->length)
        c->up[i] += mass;
    else
        c->above += mass;
}

/* A loss of exactly 0: a node. */
static inline void add_zero(cells_struct *c, double mass)
{
    c->down[-c->first] += mass;
    c->up[-c->first] += mass;
}

/*
 * q[a] := Pr[Bin(m,1/2) = a] for *low <= a <= *high, within 1.1 (m + 3)
 * roundoffs, relatively; outside each is smaller than `least`.
 */
static void half_table(double *q, ulong *low, ulong *high, ulong m, double least)
{
    ulong a = m / 2;
    arb_t half, p;
    arb_init(half);
    arb_init(p);
    arb_set_d(half, 0.5);
    shuf_binomial_pmf(p, m, a, half, half, 96);
    q[a] = arf_get_d(arb_midref(p), ARF_RND_NEAR);
    for (; a > 0 && q[a] > 0.5 * least; a--)
        q[a - 1] = q[a] * (double) a / (double) (m - a + 1);
    *low = a;
    for (; a > 0 && q[a] > 0.5 * least; a--)
        ;
    for (a = m / 2; a < m && q[a] > 0.5 * least; a++)
        q[a + 1] = q[a] * (double) (m - a) / (double) (a + 1);
    *high = a;
    arb_clear(half);
    arb_clear(p);
}

/*
 * constant, slope (m+r) or slope m, and kappa as doubles, within 1.02
 * roundoffs. Returns 0 when gamma or 1 - gamma is too small for that.
 */
static int law_doubles(double *constant_term, double *slope, double *kappa, const loss_law *l)
{
    arb_t t;
    int ok;
    *constant_term = *kappa = 0;
    *slope = 2;
    if (l->strong)
        return 1;
    arb_init(t);
    ok = constant(constant_term, l->gamma);
    arb_mul_ui(t, l->gamma_complement, l->k, l->prec);
    ok = ok && constant(slope, t);
    arb_set_fmpq(t, l->kappa, l->prec);
    ok = ok && constant(kappa, t);
    arb_clear(t);
    return ok;
}

/* All atoms but some of probability c->lost. Returns 0 when that is too much, or the time ran out. */
static int fill_cells(cells_struct *c, loss_law *l, double tau, double limit)
{
    double constant_term, slope_over, kappa, drop;
    double *q;
    arb_t mass, t;
    ulong m, r, a, low, high, skipped = 0;
    int in_time = 1;

    if (!law_doubles(&constant_term, &slope_over, &kappa, l))
        return 0;
    arb_init(mass);
    arb_init(t);
    arb_set_d(t, tau);
    loss_law_cut(l, t);
    if (l->last > MAX_REPORTS)
    {
        arb_clear(mass);
        arb_clear(t);
        return 0;
    }
    /* rows cut, and in each row a below and above */
    arb_mul_ui(c->lost, t, 7, l->prec);
    drop = fmax(tau / ((double) (l->k + 1) * (double) (l->last - l->first + 1) * (double) (l->last_rest - l->first_rest + 1)),
                ROW_SMALLEST);
    q = flint_malloc((size_t) (l->last + 1) * sizeof(double));

    for (m = l->first; m <= l->last && in_time; m++)
    {
        r = l->first_rest;
        if (!loss_is_row(l, m, r))
            break;
        half_table(q, &low, &high, m, tau / (double) (m + 1));
        for (loss_row_mass(mass, l, m, r); loss_is_row(l, m, r); loss_row_next(mass, l, m, r), r++)
        {
            double g, w = kappa * (double) (m + r), slope = slope_over / (double) (m + r);
            if (arf_cmp_d(arb_midref(mass), drop) < 0 || !constant(&g, mass))
            {
                /* constant + slope m/2 <= k + 1 */
                arb_addmul_ui(c->lost, mass, l->k + 1, l->prec);
                shuf_charge(ROW_WORK);
                continue;
            }
            for (a = low; a <= high; a++)
            {
                double p = g * q[a] * (constant_term + slope * (double) a), n2 = (double) (m - a) + w;
                if (p < SMALLEST)
                    skipped++;
                else if (2 * a == m)
                    add_zero(c, p);
                else if (n2 > 0)
                    add_atom(c, p, ((double) a + w) / n2);
                else
                    c->infinite += p;
            }
            c->atoms += (double) (high - low + 1);
            shuf_charge(ROW_WORK + ATOM_WORK * (double) (high - low + 1));
        }
        in_time = c->atoms < MAX_ATOMS && !shuf_exhausted(limit);
    }
    arb_set_d(t, 2 * SMALLEST);
    arb_addmul_ui(c->lost, t, skipped, l->prec);
    flint_free(q);
    arb_clear(mass);
    arb_clear(t);
    return in_time;
}

/*
 * law := the cells rounded up, with everything lost at +infinity, or rounded
 * down without it; both with the mass `zero`, the rest scaled.
 * Coq: Pld.tail_rounded_up.
 */
static void cells_law(grid_law_t law, const cells_struct *c, const loss_law *l, int up)
{
    /* an atom errs by its factors and the table of its row, a sum by one roundoff for every atom */
    double error = 1.2 * ROUNDOFF * (c->atoms + (double) l->last + 24);
    arf_rnd_t rnd = up ? ARF_RND_CEIL : ARF_RND_FLOOR;
    arf_t factor, lost;
    slong i;

    arf_init(factor);
    arf_init(lost);
    grid_law_init(law, c->first, c->length, c->log2_step);
    arf_set_d(factor, up ? 1 + error : 1 - error);
    arb_get_ubound_arf(lost, l->scale, 64);
    if (!up)
        arb_get_lbound_arf(lost, l->scale, 64);
    arf_mul(factor, factor, lost, 64, rnd);
    for (i = 0; i < c->length; i++)
    {
        arf_set_d(law->mass + i, up ? c->up[i] : c->down[i]);
        arf_mul(law->mass + i, law->mass + i, factor, 64, rnd);
    }
    arf_set_d(law->infinite, c->infinite);
    if (up)
    {
        arf_set_d(lost, c->above);
        arf_add(law->infinite, law->infinite, lost, 64, rnd);
    }
    arf_mul(law->infinite, law->infinite, factor, 64, rnd);
    if (up)
    {
        arb_get_ubound_arf(lost, c->lost, 64);
        arf_add(law->infinite, law->infinite, lost, 64, rnd);
        arb_get_ubound_arf(lost, l->zero, 64);
    }
    else
    {
        arb_get_lbound_arf(lost, l->zero, 64);
    }
    arf_add(law->mass - c->first, law->mass - c->first, lost, 64, rnd);
    arf_clear(factor);
    arf_clear(lost);
}

/* ---- where the answer lies, in floating point ---- */

typedef struct
{
    double rounds, eps, digits;
    double bottom, top; /* losses of nodes: -bottom to top */
    slong log2_step;
    double tau;         /* of what is left out */
    int enough;         /* tau was small enough in the last run */
    int runs, resolved;
    int stuck;          /* how often the width hardly fell */
    double last_width;
    int wider;          /* the transform is 2^wider times as long as the normal law asks for */
    double theta, variance; /* of one round, tilted by theta */
} plan_struct;

/* Of a finite loss, roughly. */
static double largest_loss(const loss_law *l)
{
    double kappa;
    arb_t x;
    if (l->strong)
        return log((double) l->others + 1) + 1;
    arb_init(x);
    arb_set_fmpq(x, l->kappa, 53);
    kappa = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    arb_clear(x);
    return log1p(1 / kappa) + 0.01;
}

static double step_of(const plan_struct *p)
{
    return ldexp(1, (int) p->log2_step);
}

/* The nodes of a grid with the plan's step. */
static slong nodes_of(const plan_struct *p)
{
    return (slong) ((p->bottom + p->top) / step_of(p)) + 3;
}

/* The smallest step with that many nodes. */
static slong step_for(const plan_struct *p, slong nodes)
{
    return (slong) ceil(log2((p->bottom + p->top) / (double) nodes));
}

/* log E e^{theta L} of the finite losses, and the mean and variance of the tilted law */
static double cumulants(double *mean, double *variance, const double *mass, const plan_struct *p, slong first, slong length,
                        double theta)
{
    double top = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
    slong i;
    shuf_charge(ESTIMATE_WORK * (double) length);
    *mean = *variance = 0;
    for (i = 0; i < length; i++)
        if (mass[i] > 0)
            top = fmax(top, log(mass[i]) + theta * step_of(p) * (double) (first + i));
    if (top == -HUGE_VAL)
        return top;
    for (i = 0; i < length; i++)
    {
        double loss = step_of(p) * (double) (first + i), weight = 0;
        if (mass[i] > 0)
            weight = exp(log(mass[i]) + theta * loss - top);
        m0 += weight;
        m1 += weight * loss;
        m2 += weight * loss * loss;
    }
    *mean = m1 / m0;
    *variance = fmax(m2 / m0 - *mean * *mean, 0);
    return top + log(m0);
}

/*
 * The saddle point of e^{rounds K(theta) - theta eps}/theta, and the window
 * outside of which the losses do not matter at the accuracy wanted.
 */
static void plan_from(plan_struct *p, const grid_law_t law)
{
    double low = -30, high = log(1000) - (double) p->log2_step * log(2.0);
    double mean, k = 0, log_tail, accuracy, needed, sum;
    double *mass = flint_malloc((size_t) law->length * sizeof(double));
    slong i;
    int j;
    for (i = 0; i < law->length; i++)
        mass[i] = double_below(law->mass + i);
    for (j = 0; j < 50; j++)
    {
        p->theta = exp((low + high) / 2);
        k = cumulants(&mean, &p->variance, mass, p, law->first, law->length, p->theta);
        if (p->rounds * mean - 1 / p->theta < p->eps)
            low = (low + high) / 2;
        else
            high = (low + high) / 2;
    }
    log_tail = p->rounds * k - p->theta * p->eps - log(p->theta)
               - 0.5 * log(2 * 3.14159265358979 * (p->rounds * p->variance + 1 / (p->theta * p->theta)));
    log_tail = fmin(fmax(log_tail, log(p->rounds * double_above(law->infinite))), 0);

    accuracy = 1e-3 * pow(10, -p->digits) / p->rounds;
    needed = fmax(accuracy * exp(log_tail), SMALLEST_TAU);
    p->enough = needed >= p->tau;
    p->tau = needed;
    if (p->enough)
    {
        for (sum = 0, i = law->length - 1; i > 1 - law->first && sum + mass[i] <= needed; i--)
            sum += mass[i];
        p->top = (double) (law->first + i + 1) * step_of(p);
        for (sum = 0, i = 0; i < -law->first - 1 && sum + mass[i] <= accuracy; i++)
            sum += mass[i];
        p->bottom = -(double) (law->first + i) * step_of(p);
    }
    flint_free(mass);
}

/* The length of the transform, as a power of two. */
static int log2_length(const plan_struct *p, slong nodes)
{
    double length = 64 + 2 * sqrt(2 * (p->digits * log(10.0) + 12) * p->rounds * p->variance) / step_of(p);
    length = ldexp(length, p->wider);
    length = fmin(p->rounds * (double) (nodes - 1) + 1, fmax(length, (double) nodes));
    return (int) ceil(log2(length));
}

/* The longest transforms, as a power of two, that the budget allows for two laws of that many nodes. */
static int affordable_length(const plan_struct *p, slong nodes, double limit)
{
    grid_law_struct law = { .length = nodes };
    grid_factor factor = { &law, (uint64_t) p->rounds };
    int bits = MAX_LOG2_LENGTH;
    while (limit > 0 && bits > 0 && shuf_work() + 2 * tilted_sum_work(&factor, 1, bits) > limit)
        bits--;
    return bits;
}

/* ---- the two laws convolved ---- */

/* r encloses the probability, from the two laws. Returns 0 if that is too much work. */
static int convolve_laws(shuf_enclosure_t r, const grid_law_t upper, const grid_law_t lower, uint64_t rounds,
                         const shuf_real_t eps, const plan_struct *p, double limit)
{
    grid_factor up = { upper, rounds }, down = { lower, rounds };
    int bits = log2_length(p, upper->length), done = 0;
    convolution *above = NULL, *below = NULL;
    convolution_errors errors[2];
    mag_t width;

    if (bits > affordable_length(p, upper->length, limit))
        return 0;
    above = convolution_tilted(&up, 1, p->theta, bits, 1);
    if (above != NULL)
        below = convolution_tilted(&down, 1, p->theta, bits, 0);
    if (below != NULL)
    {
        convolution_errors_init(&errors[0]);
        convolution_errors_init(&errors[1]);
        mag_init(width);
        shuf_enclosure_zero(r);
        convolution_delta(r->hi, &errors[0], above, eps, 1);
        convolution_delta(r->lo, &errors[1], below, eps, 1);
        if (arf_cmp_si(r->hi, 1) > 0)
            arf_one(r->hi);
        /* rounding the losses may account for all of the width; the other parts are bounded too */
        shuf_enclosure_width(width, r);
        mag_set(r->ledger.discretisation, width);
        if (mag_cmp(errors[0].infinite, errors[1].infinite) > 0)
            mag_sub(r->ledger.truncation, errors[0].infinite, errors[1].infinite);
        mag_min(r->ledger.truncation, r->ledger.truncation, width);
        mag_add(r->ledger.aliasing, errors[0].aliasing, errors[1].aliasing);
        mag_min(r->ledger.aliasing, r->ledger.aliasing, width);
        mag_add(r->ledger.rounding, errors[0].rounding, errors[1].rounding);
        mag_min(r->ledger.rounding, r->ledger.rounding, width);
        r->ledger.terms = (ulong) upper->length;
        r->ledger.precision = 53;
        r->ledger.step = step_of(p);
        mag_clear(width);
        convolution_errors_clear(&errors[0]);
        convolution_errors_clear(&errors[1]);
        done = 1;
    }
    convolution_free(above);
    convolution_free(below);
    return done;
}

/* r := what a run with the plan's step gives, which estimates p anew when the grid is a coarse one. */
static int run(shuf_enclosure_t r, plan_struct *p, loss_law *l, uint64_t rounds, const shuf_real_t eps, double limit)
{
    slong below = (slong) ceil(p->bottom / step_of(p)), above = (slong) ceil(p->top / step_of(p));
    cells_struct c;
    grid_law_t upper, lower;
    int done;

    below = FLINT_MAX(below, 1);
    above = FLINT_MAX(above, 1);
    cells_init(&c, -below, below + above + 1, p->log2_step);
    done = fill_cells(&c, l, p->tau, limit);
    if (done)
    {
        cells_law(upper, &c, l, 1);
        cells_law(lower, &c, l, 0);
        if (c.length <= 2 * FIRST_NODES)
            plan_from(p, lower);
        done = convolve_laws(r, upper, lower, rounds, eps, p, limit);
        grid_law_clear(upper);
        grid_law_clear(lower);
    }
    cells_clear(&c);
    return done;
}

#define MAX_RUNS 12
#define MOST_DIGITS 12 /* to aim at */

/* Sets the step of the next run; 0: no more. */
static int next_step(plan_struct *p, const shuf_enclosure_t r, double limit)
{
    slong last = p->log2_step, wanted;
    double width = steer_relative_width(r);
    int narrow = steer_dominates(r->ledger.aliasing, r);
    p->stuck = p->resolved && !narrow && width > 0.9 * p->last_width ? p->stuck + 1 : 0;
    p->last_width = width;
    if (++p->runs == MAX_RUNS || p->stuck == 2)
        return 0;
    if (!p->enough)
        return 1;
    if ((p->resolved || p->tau <= SMALLEST_TAU) && steer_dominates(r->ledger.truncation, r))
        return 0; /* what is left out cannot be less */
    if (!p->resolved)
    {
        /* a better window first, until the standard deviation has some steps */
        wanted = step_for(p, FIRST_NODES);
        p->resolved = wanted >= last || sqrt(p->variance) > 16 * step_of(p);
        if (p->resolved)
            wanted = FLINT_MIN((slong) floor(log2(0.5 * pow(10, -p->digits) / (p->theta * p->rounds))), last - 1);
    }
    else if (narrow)
    {
        p->wider++;
        return log2_length(p, MAX_NODES) <= affordable_length(p, MAX_NODES, limit);
    }
    else
    {
        wanted = last - (slong) ceil(log2(width) + p->digits * log2(10) + 0.1);
    }
    wanted = FLINT_MAX(wanted, step_for(p, MAX_NODES));
    for (p->log2_step = wanted; p->log2_step < last && log2_length(p, nodes_of(p)) > affordable_length(p, nodes_of(p), limit); p->log2_step++)
        ;
    return p->log2_step < last;
}

void loss_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const shuf_real_t eps, shuf_tail_law which,
                 const shuf_options *options, double limit)
{
    plan_struct p = { .rounds = (double) rounds, .digits = fmin((double) options->digits, MOST_DIGITS), .tau = FIRST_TAU,
                      .last_width = 1, .theta = 1 };
    shuf_enclosure_t e;
    loss_law l;
    mag_t width, best;
    arb_t t;

    mag_init(width);
    mag_init(best);
    shuf_enclosure_init(e);
    loss_law_init(&l);
    arb_init(t);
    loss_law_set(&l, pair, which, 128);
    shuf_real_get_arb(t, eps, 64);
    p.eps = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    p.top = p.bottom = fmin(largest_loss(&l), LARGEST_LOSS);
    p.log2_step = step_for(&p, FIRST_NODES);
    while (run(e, &p, &l, rounds, eps, limit))
    {
        shuf_enclosure_width(width, e);
        shuf_enclosure_width(best, r);
        if (mag_cmp(width, best) < 0)
            shuf_enclosure_set(r, e);
        if (shuf_enclosure_accurate(r, options->digits) || !next_step(&p, e, limit) || shuf_exhausted(limit))
            break;
    }
    mag_clear(width);
    mag_clear(best);
    shuf_enclosure_clear(e);
    loss_law_clear(&l);
    arb_clear(t);
}
