/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/iidsum.md. */
#include "iidsum/iidsum.h"

#include <math.h>

#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "exact/exact.h"
#include "enclosure/doubles.h"
#include "iidsum/enumerate.h"
#include "iidsum/rare.h"
#include "iidsum/fourier.h"
#include "pld/tilted.h"

/* Steer only. */
#define PREC 128
#define CELL_PREC 96
#define K_PREC 256

/* Where no lemma is named: steer only. */
#define MAX_TERMS (UINT64_C(1) << 40) /* keeps the roundings of a power few: proofs/pld.md, Lemma 5 */
#define MOST_DIGITS 10
#define FIRST_NODES 4096.0
#define MAX_NODES 0x1p20
#define FINE_LOG2_LENGTH 22 /* of a transform; */
#define MAX_LOG2_LENGTH 24  /* for the last one, and if it will do; Lemma 4 allows 24 */
#define MAX_INDEX 0x1p50 /* indices are exact as doubles: steers only */

typedef struct
{
    const shuf_summand *law;
    uint64_t terms;
    double n;
    int pole;                 /* of the weight that is asked for (fourier.h) */
    arf_t K_low, K_high;      /* encloses K, widened by what the values are not known to */
    double centre;            /* K/n or the value nearest to it */
    double lowest, largest;   /* support, outward */
    double digits, limit;
    double bottom, top;       /* the range wanted, bottom < centre < top unless it is that of the law */
    slong log2_down, log2_up; /* how far from the centre it reaches */
    slong log2_step;
    double reach;             /* of the tilted sum from its mean */
    int wider;                /* doublings of the window beyond that */
    int runs;                 /* transforms done, */
    slong last_step;          /* and the step of the last */
    double work_per_node; /* of the last lattice */
} problem_struct;

/* ---- the law on a lattice ---- */

/* L, cut to [A, B] and rounded to the lattice (Lemmas 1 to 3). */
typedef struct
{
    grid_law_t up;       /* masses from above, */
    arf_ptr low;         /* and from below */
    arf_ptr on;          /* of them, mass that was on the node before, from below */
    arb_t above, below;  /* E(L - B)_+, E(A - L)_+ */
    arf_t moved;         /* an L was moved to 0 by at most this */
    double *log_mass;
} lattice_struct;

/* Where no lemma is named: steer only. */
#define CHUNK 1024 /* cells that are computed together, */
#define CHUNKS 4   /* and such chunks between two looks at the budget */
#define NODE_WORK 500.0     /* units of work for a node, beside its law's, */
#define CUMULANT_WORK 9.0   /* in one sum over the nodes, */
#define MASSES_WORK 400.0   /* and for its share of the bounds */
#define LOG2_ATOM (-80) /* what is so close above 0, in steps, is an atom at 0 if it is most of its cell: Lemma 1 */

static double log_arb(const arb_t x)
{
    arf_t end;
    double d;
    arf_init(end);
    arb_get_ubound_arf(end, x, 30);
    d = steer_log(end);
    arf_clear(end);
    return d;
}

/* on, left and right of the cell [0, step) when all in [0, step 2^LOG2_ATOM) is moved to 0 */
static void separate_atom(arf_t on, arf_t moved, arb_t left, arb_t right, const shuf_summand *law, slong log2_step)
{
    arb_t near, far, both;
    arb_init(near); arb_init(far); arb_init(both);
    law->cells(near, far, law, 0, 1, log2_step + LOG2_ATOM, CELL_PREC);
    arb_add(near, near, far, CELL_PREC);
    arb_add(both, left, right, CELL_PREC);
    arb_mul_2exp_si(both, both, -1);
    if (arb_is_finite(near) && arb_gt(near, both))
    {
        arb_get_lbound_arf(on, near, CELL_PREC);
        arb_mul_2exp_si(far, far, LOG2_ATOM);
        arb_add(left, left, far, CELL_PREC);
        arb_sub(right, right, far, CELL_PREC);
        arf_one(moved);
        arf_mul_2exp_si(moved, moved, log2_step + LOG2_ATOM);
    }
    arb_clear(near); arb_clear(far); arb_clear(both);
}

/* What is beyond an end goes to it, and is not rounded. */
static void add_end(arb_t mass, arf_t on, const arb_t beyond)
{
    arf_t t;
    arb_add(mass, mass, beyond, CELL_PREC);
    arf_init(t);
    arb_get_lbound_arf(t, beyond, CELL_PREC);
    if (arf_sgn(t) > 0)
        arf_add(on, on, t, CELL_PREC, ARF_RND_FLOOR);
    arf_clear(t);
}

/* Cells of a law, in chunks. */
typedef struct
{
    const shuf_summand *law;
    slong first, count, log2_step;
    arb_ptr left, right;
} cells_struct;

static void fill_chunk(void *args, slong i)
{
    const cells_struct *c = args;
    slong from = i * CHUNK, count = FLINT_MIN(CHUNK, c->count - from);
    shuf_charge(NODE_WORK * (double) count);
    c->law->cells(c->left + from, c->right + from, c->law, c->first + from, count, c->log2_step, CELL_PREC);
}

/* The cells of all nodes but the last are added to their masses. */
static void add_cells(lattice_struct *x, arb_ptr mass, const shuf_summand *law, double limit)
{
    slong first = x->up->first, length = x->up->length, log2_step = x->up->log2_step, i, j;
    arb_ptr left = _arb_vec_init(CHUNKS * CHUNK), right = _arb_vec_init(CHUNKS * CHUNK);
    for (i = 0; i < length - 1 && !shuf_exhausted(limit); i += CHUNKS * CHUNK)
    {
        cells_struct c = { law, first + i, FLINT_MIN(CHUNKS * CHUNK, length - 1 - i), log2_step, left, right };
        parallel_do(fill_chunk, &c, (c.count + CHUNK - 1) / CHUNK);
        for (j = 0; j < c.count; j++)
        {
            if (arb_is_zero(right + j))
                arb_get_lbound_arf(x->on + i + j, left + j, CELL_PREC);
            else if (first + i + j == 0)
                separate_atom(x->on + i + j, x->moved, left + j, right + j, law, log2_step);
            if (arf_sgn(x->on + i + j) < 0)
                arf_zero(x->on + i + j);
            arb_add(mass + i + j, mass + i + j, left + j, CELL_PREC);
            arb_add(mass + i + j + 1, mass + i + j + 1, right + j, CELL_PREC);
        }
    }
    _arb_vec_clear(left, CHUNKS * CHUNK);
    _arb_vec_clear(right, CHUNKS * CHUNK);
}

/* When shuf_exhausted(limit), what is there is of no use. */
static void lattice_init(lattice_struct *x, const shuf_summand *law, slong first, slong length, slong log2_step, double limit)
{
    arb_ptr mass = _arb_vec_init(length);
    arb_t beyond;
    arf_t end;
    slong i;

    grid_law_init(x->up, first, length, log2_step);
    x->low = flint_malloc((size_t) length * sizeof(arf_struct));
    x->on = flint_malloc((size_t) length * sizeof(arf_struct));
    x->log_mass = flint_malloc((size_t) length * sizeof(double));
    arb_init(x->above); arb_init(x->below);
    arf_init(x->moved); arf_init(end); arb_init(beyond);
    for (i = 0; i < length; i++)
    {
        arf_init(x->low + i);
        arf_init(x->on + i);
    }
    add_cells(x, mass, law, limit);
    arf_set_si_2exp_si(end, first, log2_step);
    law->tail(beyond, x->below, law, end, 0, CELL_PREC);
    add_end(mass, x->on, beyond);
    arf_set_si_2exp_si(end, first + length - 1, log2_step);
    law->tail(beyond, x->above, law, end, 1, CELL_PREC);
    add_end(mass + length - 1, x->on + length - 1, beyond);
    for (i = 0; i < length; i++)
    {
        arb_get_ubound_arf(x->up->mass + i, mass + i, CELL_PREC);
        arb_get_lbound_arf(x->low + i, mass + i, CELL_PREC);
        if (arf_sgn(x->up->mass + i) < 0)
            arf_zero(x->up->mass + i);
        if (arf_sgn(x->low + i) < 0)
            arf_zero(x->low + i);
        x->log_mass[i] = steer_log(x->up->mass + i);
    }
    _arb_vec_clear(mass, length);
    arf_clear(end);
    arb_clear(beyond);
}

static void lattice_clear(lattice_struct *x)
{
    slong i;
    for (i = 0; i < x->up->length; i++)
    {
        arf_clear(x->low + i);
        arf_clear(x->on + i);
    }
    flint_free(x->low);
    flint_free(x->on);
    flint_free(x->log_mass);
    grid_law_clear(x->up);
    arb_clear(x->above); arb_clear(x->below);
    arf_clear(x->moved);
}

/* Whether every number is one: a law may have failed to compute some. */
static int lattice_is_finite(const lattice_struct *x)
{
    slong i;
    for (i = 0; i < x->up->length; i++)
        if (!arf_is_finite(x->up->mass + i) || !arf_is_finite(x->low + i))
            return 0;
    return arb_is_finite(x->above) && arb_is_finite(x->below);
}

/* ---- estimates, in doubles ---- */

/* A tilt, and what goes with it; values are relative to A. */
typedef struct
{
    double theta;
    double k[3];      /* log E e^{theta L'} and its derivatives */
    double distance;  /* K - n A */
    double log_value; /* of the answer */
    double off_share; /* of the tilted law: off the nodes before rounding */
    uint64_t moving;  /* hardly ever more terms than this are off the nodes */
} tilt_struct;

static void cumulants(double k[3], const lattice_struct *x, double theta)
{
    double step = ldexp(1, (int) x->up->log2_step), top = -HUGE_VAL, m0 = 0, m1 = 0, m2 = 0;
    slong i, length = x->up->length;
    shuf_charge(CUMULANT_WORK * (double) length);
    for (i = 0; i < length; i++)
        top = fmax(top, x->log_mass[i] + theta * step * (double) i);
    for (i = 0; i < length; i++)
    {
        double loss = step * (double) i, weight = d_exp(x->log_mass[i] + theta * loss - top);
        m0 += weight;
        m1 += weight * loss;
        m2 += weight * loss * loss;
    }
    m1 /= m0;
    k[0] = top + d_log(m0);
    k[1] = m1;
    k[2] = fmax(m2 / m0 - m1 * m1, 0);
}

/* theta times the step: more would leave nothing but the largest sum in sight. Steer only. */
#define LARGEST_TILT 4.0
#define NEWTON_STEPS 80

/*
 * theta > 0 where n log E e^{theta L'} - theta K - 2 log theta is smallest:
 * the saddle point of E(S' - K)_+. It is convex.
 */
static void set_tilt(tilt_struct *t, const problem_struct *p, const lattice_struct *x)
{
    double step = ldexp(1, (int) x->up->log2_step);
    double most = LARGEST_TILT / step, low = 0, high = most, theta, variance;
    arf_t d;
    int i;

    arf_init(d);
    arf_set_si_2exp_si(d, x->up->first, x->up->log2_step);
    arf_mul_ui(d, d, p->terms, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_sub(d, p->K_low, d, 53, ARF_RND_NEAR);
    t->distance = arf_get_d(d, ARF_RND_NEAR);
    arf_clear(d);

    cumulants(t->k, x, 0);
    variance = fmax(p->n * t->k[2], step * step);
    theta = fmin(fmax(t->distance - p->n * t->k[1], 0) / variance + 1 / sqrt(variance), most);
    for (i = 0; i < NEWTON_STEPS; i++)
    {
        double slope, next;
        cumulants(t->k, x, theta);
        slope = p->n * t->k[1] - t->distance - 2 / theta;
        if (slope < 0)
            low = theta;
        else
            high = theta;
        next = theta - slope / (p->n * t->k[2] + 2 / (theta * theta));
        if (!(next > low && next < high))
            next = low > 0 ? sqrt(low * high) : theta / 16;
        if (fabs(next - theta) < 1e-3 * theta)
            break;
        theta = next;
    }
    t->theta = theta;
    cumulants(t->k, x, theta);
    t->log_value = p->n * t->k[0] - theta * t->distance - 2 * d_log(theta)
                   - 0.5 * d_log(2 * DOUBLE_PI * (p->n * t->k[2] + 2 / (theta * theta)));
}

#define OFF_EXPONENT 20.0 /* beyond the digits: more terms have some e^-20 of the accuracy aimed at: steers only */

static void set_moving(tilt_struct *t, const problem_struct *p, const lattice_struct *x)
{
    double step = ldexp(1, (int) x->up->log2_step), off = 0, exponent = OFF_EXPONENT + p->digits * d_log(10.0), mean;
    uint64_t low = 0, high = p->terms;
    arf_t d;
    slong i;
    arf_init(d);
    for (i = 0; i < x->up->length; i++)
    {
        double log_off = x->log_mass[i];
        if (!arf_is_zero(x->on + i))
        {
            arf_sub(d, x->up->mass + i, x->on + i, CELL_PREC, ARF_RND_CEIL);
            log_off = steer_log(d);
        }
        off += d_exp(log_off + t->theta * step * (double) i - t->k[0]);
    }
    arf_clear(d);
    t->off_share = fmin(off, 1);
    /* their number is about Poisson: the smallest one with Pr[more] < e^-exponent */
    mean = p->n * t->off_share;
    while (mean > 0 && low < high)
    {
        uint64_t middle = low + (high - low) / 2;
        double more = (double) middle + 1;
        if (more > mean && more * (d_log(more / mean) - 1) + mean >= exponent)
            high = middle;
        else
            low = middle + 1;
    }
    t->moving = low;
}

/* What is outside the window, relative to the accuracy: e^-5. Steer only. */
#define WINDOW_MARGIN 5.0
#define REACH_STEPS 25

/* How far from its mean the tilted sum may lie but for too much: the best of Chernoff's bounds. */
static double reach_of(const problem_struct *p, const lattice_struct *x, const tilt_struct *t)
{
    /* the weight is at most 1/(e theta) */
    double exponent = p->digits * d_log(10.0) + WINDOW_MARGIN - t->log_value - d_log(t->theta) + p->n * t->k[0] - t->theta * t->distance;
    double reach = 0;
    int sign, i;
    for (sign = -1; sign <= 1; sign += 2)
    {
        double scale = sqrt(fmax(p->n * t->k[2], ldexp(1, 2 * (int) x->up->log2_step))), low = d_log(1e-3 / scale), high = d_log(1e3 / scale), best = HUGE_VAL;
        for (i = 0; i < REACH_STEPS; i++)
        {
            double value[2], at[2], shifted[3];
            int side;
            at[0] = low + (high - low) / 3;
            at[1] = high - (high - low) / 3;
            for (side = 0; side < 2; side++)
            {
                double u = d_exp(at[side]);
                cumulants(shifted, x, t->theta + sign * u);
                value[side] = (p->n * (shifted[0] - t->k[0]) + exponent) / u - sign * p->n * t->k[1];
                best = fmin(best, value[side]);
            }
            if (value[0] < value[1])
                high = at[1];
            else
                low = at[0];
        }
        reach = fmax(reach, best);
    }
    return reach;
}

/* ---- the range ---- */

/* Steer only. */
#define LOG2_LEAST (-500)
#define LOG2_MOST 500

/* E(L - x)_+ or E(x - L)_+ as a logarithm, x the centre and 2^j beyond; j = LOG2_LEAST stands for the centre itself. */
static double log_excess(const problem_struct *p, slong j, int above)
{
    double at = p->centre + (above ? 1 : -1) * (j == LOG2_LEAST ? 0 : ldexp(1, (int) j)), d;
    arb_t mass, excess;
    arf_t x;
    arb_init(mass); arb_init(excess); arf_init(x);
    arf_set_d(x, at);
    p->law->tail(mass, excess, p->law, x, above, CELL_PREC);
    d = arb_is_finite(excess) ? log_arb(excess) : HUGE_VAL;
    arb_clear(mass); arb_clear(excess); arf_clear(x);
    return d;
}

/* The j at which the excess is some 2^-20 of that at the centre. */
static slong first_reach(const problem_struct *p, int above)
{
    slong low = LOG2_LEAST, high = LOG2_MOST;
    double limit = log_excess(p, low, above) - 20 * d_log(2.0);
    while (high - low > 1)
    {
        slong middle = (low + high) / 2;
        if (log_excess(p, middle, above) > limit)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The whole support if that is not much wider than what seems to matter. Steers only. */
#define MUCH_WIDER 32.0

static void set_range(problem_struct *p)
{
    double bottom = p->centre - ldexp(1, (int) p->log2_down), top = p->centre + ldexp(1, (int) p->log2_up);
    p->bottom = fmax(bottom, p->lowest);
    p->top = fmin(top, p->largest);
    if (p->largest - p->lowest < MUCH_WIDER * (top - bottom))
    {
        p->bottom = p->lowest;
        p->top = p->largest;
    }
}

/* What is beyond an end may cost this share of the accuracy. Steers only. */
#define RANGE_SHARE 0.005

/* Widens the range if it must be; returns whether it did. */
static int widen(problem_struct *p, const lattice_struct *x, const tilt_struct *t)
{
    double limit = t->log_value - p->digits * d_log(10.0) + d_log(RANGE_SHARE) - d_log(p->n), lowest = p->bottom, largest = p->top;
    double below = log_arb(x->below) + fmin((p->n - 1) * t->k[0] - t->theta * t->distance, 0);
    if (log_arb(x->above) > limit && p->top < p->largest)
        p->log2_up++;
    if (below > limit && p->bottom > p->lowest)
        p->log2_down++;
    set_range(p);
    return p->bottom < lowest || p->top > largest;
}

/* ---- bounds ---- */

/* Tilted masses: sums of e^{theta (x_i - A)} times a mass, from above. */
typedef struct
{
    arb_t on, off; /* on the nodes before rounding, and off them */
    arb_t vague;   /* not known to a factor of 1 + 2^-RATIO_BITS, or too small for the transform */
    arb_t ratio;   /* >= up/low elsewhere, up as rounded for the transform */
} masses_struct;

#define RATIO_BITS 20 /* Lemma 3 */
#define TILT_ROUNDING 0x1p-50  /* of tilt(): Lemma 3 */

static void masses_init(masses_struct *m, const lattice_struct *x, double theta)
{
    arb_t factor, step, t;
    arf_t d, most, limit;
    slong i;
    shuf_charge(MASSES_WORK * (double) x->up->length);
    arb_init(m->on); arb_init(m->off); arb_init(m->vague); arb_init(m->ratio);
    arb_init(factor); arb_init(step); arb_init(t);
    arf_init(d); arf_init(most); arf_init(limit);
    arb_one(factor);
    arb_set_d(step, theta);
    arb_mul_2exp_si(step, step, x->up->log2_step);
    arb_exp(step, step, PREC);
    arf_one(most);
    arf_one(limit);
    arf_mul_2exp_si(limit, limit, -RATIO_BITS);
    arf_add_ui(limit, limit, 1, PREC, ARF_RND_DOWN);
    for (i = 0; i < x->up->length; i++)
    {
        const arf_struct *up = x->up->mass + i;
        if (!arf_is_zero(x->on + i))
            arb_addmul_arf(m->on, factor, x->on + i, PREC);
        arf_sub(d, up, x->on + i, CELL_PREC, ARF_RND_CEIL);
        if (!arf_is_zero(d))
            arb_addmul_arf(m->off, factor, d, PREC);
        if (!arf_is_zero(up))
        {
            arf_div(d, up, x->low + i, CELL_PREC, ARF_RND_CEIL);
            if (arf_is_finite(d) && arf_cmp(d, limit) < 0)
                arf_max(most, most, d);
            else
                arb_addmul_arf(m->vague, factor, up, PREC);
        }
        arb_mul(factor, factor, step, PREC);
    }
    /* the smallest ones */
    arb_add(factor, m->on, m->off, PREC);
    arb_set_d(t, TILTED_SMALLEST * 1.01);
    arb_mul_si(t, t, x->up->length, PREC);
    arb_addmul(m->vague, t, factor, PREC);
    arb_set_arf(m->ratio, most);
    arb_set_d(t, 1 + TILT_ROUNDING);
    arb_mul(m->ratio, m->ratio, t, PREC);
    arb_clear(factor); arb_clear(step); arb_clear(t);
    arf_clear(d); arf_clear(most); arf_clear(limit);
}

static void masses_clear(masses_struct *m)
{
    arb_clear(m->on); arb_clear(m->off); arb_clear(m->vague); arb_clear(m->ratio);
}

/*
 * Bounds, at K, of what more than t->moving terms off the nodes add (many), of
 * what cutting at A adds (below) and of what vague masses add (Lemmas 2 to 4).
 */
static void left_out(arb_t many, arb_t below, arb_t vague, const masses_struct *m, const problem_struct *p,
                     const lattice_struct *x, const tilt_struct *t, const arf_t K)
{
    arb_t scale, whole, theta, weight, u;
    arb_init(scale); arb_init(whole); arb_init(theta); arb_init(weight); arb_init(u);
    arb_set_d(theta, t->theta);
    /* scale = e^{-theta (K - n A)}, weight = 1/(e theta) */
    arb_set_si(u, x->up->first);
    arb_mul_2exp_si(u, u, x->up->log2_step);
    arb_mul_ui(u, u, p->terms, K_PREC);
    arb_sub_arf(u, u, K, K_PREC);
    arb_mul(u, u, theta, PREC);
    arb_exp(scale, u, PREC);
    arb_const_e(weight, PREC);
    arb_mul(weight, weight, theta, PREC);
    arb_inv(weight, weight, PREC);

    arb_zero(many);
    if (t->moving < p->terms)
    {
        /* e^eta, where Chernoff's bound is about best */
        double share = (double) t->moving / p->n + 1 / p->n;
        arb_set_d(u, share < 1 ? fmax(share * (1 - t->off_share) / ((1 - share) * fmax(t->off_share, 1e-250)), 1) : 1e9);
        arb_mul(many, m->off, u, PREC);
        arb_add(many, many, m->on, PREC);
        arb_pow_ui(many, many, p->terms, PREC);
        arb_pow_ui(u, u, t->moving + 1, PREC);
        arb_div(many, many, u, PREC);
        arb_mul(many, many, scale, PREC);
        arb_mul(many, many, weight, PREC);
    }
    /* the other n - 1 terms, as rounded for the transform */
    arb_add(whole, m->on, m->off, PREC);
    arb_set_d(u, 1 + 2 * TILT_ROUNDING);
    arb_mul(whole, whole, u, PREC);
    arb_pow_ui(whole, whole, p->terms - 1, PREC);
    arb_mul(whole, whole, scale, PREC);
    arb_mul_ui(vague, m->vague, p->terms, PREC);
    arb_mul(vague, vague, whole, PREC);
    arb_mul(vague, vague, weight, PREC);
    arb_mul_ui(below, x->below, p->terms, PREC);
    if (arb_is_finite(whole) && arf_cmp_si(arb_midref(whole), 1) < 0)
        arb_mul(below, below, whole, PREC);
    arb_clear(scale); arb_clear(whole); arb_clear(theta); arb_clear(weight); arb_clear(u);
}

/* Where no lemma is named: steer only. */
#define BUMP_REACH 12      /* in units of sqrt v: Lemma 5 */
#define BUMP_BLOCKS 64     /* to such a unit */
#define BUMP_WORK 3000.0   /* units of work for a block, and for an entry of it */
#define BUMP_ENTRY_WORK 2.0

/* The nodes from .. to - 1 are those of the window that are about BUMP_REACH units from the centre at most. */
static void bump_nodes(fmpz_t from, fmpz_t to, const tilted_sum_t s, const arb_t centre, const arb_t unit)
{
    arb_t reach, t;
    arf_t end;
    fmpz_t last;
    arb_init(reach); arb_init(t);
    arf_init(end);
    fmpz_init(last);
    arb_mul_si(reach, unit, BUMP_REACH, PREC);
    arb_sub(t, centre, reach, K_PREC);
    arb_mul_2exp_si(t, t, -s->log2_step);
    arb_get_lbound_arf(end, t, K_PREC);
    arf_get_fmpz(from, end, ARF_RND_FLOOR);
    arb_add(t, centre, reach, K_PREC);
    arb_mul_2exp_si(t, t, -s->log2_step);
    arb_get_ubound_arf(end, t, K_PREC);
    arf_get_fmpz(to, end, ARF_RND_CEIL);
    fmpz_sub(from, from, s->origin);
    fmpz_sub(to, to, s->origin);
    fmpz_add_ui(to, to, 1);
    if (fmpz_cmp(from, s->window) < 0)
        fmpz_set(from, s->window);
    fmpz_add_ui(last, s->window, s->length);
    if (fmpz_cmp(to, last) > 0)
        fmpz_set(to, last);
    arb_clear(reach); arb_clear(t);
    arf_clear(end);
    fmpz_clear(last);
}

/* The sum of y over the count nodes from j on, from above but for the roundings of a few additions. */
static double block_sum(const tilted_sum_t s, const fmpz_t j, slong count)
{
    double sum = 0, absolute = 0;
    size_t at = (size_t) fmpz_fdiv_ui(j, s->length);
    slong i;
    for (i = 0; i < count; i++)
    {
        sum += s->y[at];
        absolute += fabs(s->y[at]);
        at = at + 1 == s->length ? 0 : at + 1;
    }
    return sum + (double) count * (s->y_error + 1.01 * ROUNDOFF * absolute);
}

/* The largest weight of the count nodes from j on, that of the node nearest to the centre. */
static void block_weight(arb_t weight, const tilted_sum_t s, const fmpz_t j, slong count, const arb_t centre, const arb_t unit)
{
    arb_t distance, t;
    arb_init(distance); arb_init(t);
    arb_set_fmpz(distance, s->origin);
    arb_add_fmpz(distance, distance, j, K_PREC);
    arb_mul_2exp_si(distance, distance, s->log2_step);
    arb_sub(distance, distance, centre, K_PREC);
    if (!arb_is_positive(distance))
    {
        arb_set_si(t, count - 1);
        arb_mul_2exp_si(t, t, s->log2_step);
        arb_add(distance, distance, t, K_PREC);
        arb_neg(distance, distance);
        if (!arb_is_positive(distance))
            arb_zero(distance);
    }
    arb_div(distance, distance, unit, PREC);
    arb_mul(weight, distance, distance, PREC);
    arb_mul_2exp_si(weight, weight, -1);
    arb_neg(weight, weight);
    arb_exp(weight, weight, PREC);
    arb_clear(distance); arb_clear(t);
}

/*
 * bound >= sqrt(v) E exp(-(S' - K)^2/(2v)), S' distributed as s (from above), v > 0 exact:
 * blocks of nodes at the largest weight in each (Lemma 5).
 */
static void bump(arb_t bound, const tilted_sum_t s, const arf_t K, const arb_t v)
{
    arb_t centre, unit, theta, peak, weight, t;
    fmpz_t from, to, left;
    double block, blocks = 0;
    slong size;

    arb_init(centre); arb_init(unit); arb_init(theta); arb_init(peak); arb_init(weight); arb_init(t);
    fmpz_init(from); fmpz_init(to); fmpz_init(left);
    arb_sqrt(unit, v, PREC);
    arb_set_d(theta, s->theta);
    /* the weight is e^peak e^{-(x - centre)^2/(2v)}, peak = theta^2 v/2 */
    arb_mul(t, theta, v, PREC);
    arb_set_arf(centre, K);
    arb_sub(centre, centre, t, K_PREC);
    arb_mul(peak, t, theta, PREC);
    arb_mul_2exp_si(peak, peak, -1);
    bump_nodes(from, to, s, centre, unit);
    arb_mul_2exp_si(t, unit, -s->log2_step);
    block = floor(estimate(t) / BUMP_BLOCKS);
    size = block < 1 ? 1 : (slong) fmin(block, 0x1p30);

    arb_zero(bound);
    for (; fmpz_cmp(from, to) < 0; fmpz_add_si(from, from, size))
    {
        slong count = size;
        fmpz_sub(left, to, from);
        if (fmpz_cmp_si(left, size) < 0)
            count = fmpz_get_si(left);
        block_weight(weight, s, from, count, centre, unit);
        arb_set_d(t, fmax(block_sum(s, from, count), 0));
        arb_addmul(bound, t, weight, PREC);
        blocks++;
    }
    shuf_charge(blocks * (BUMP_WORK + BUMP_ENTRY_WORK * (double) size));
    /* further away, and outside the window */
    arb_set_si(t, -BUMP_REACH * BUMP_REACH / 2);
    arb_exp(t, t, PREC);
    arb_addmul(bound, t, s->total, PREC);
    arb_add(bound, bound, s->outside, PREC);
    /* the sums of doubles were rounded a few times more */
    arb_set_d(t, 1 + 1e-9);
    arb_mul(bound, bound, t, PREC);
    arb_mul(bound, bound, unit, PREC);
    /* e^{peak + log_scale - theta K} */
    arb_set_arf(t, K);
    arb_mul(t, t, theta, PREC);
    arb_sub(t, s->log_scale, t, PREC);
    arb_add(t, t, peak, PREC);
    arb_exp(t, t, PREC);
    arb_mul(bound, bound, t, PREC);

    arb_clear(centre); arb_clear(unit); arb_clear(theta); arb_clear(peak); arb_clear(weight); arb_clear(t);
    fmpz_clear(from); fmpz_clear(to); fmpz_clear(left);
}

/* gap less the part of the outcome in which every term is 0 and none is rounded, from below. */
static void leave_out_zero(arb_t gap, const lattice_struct *x, uint64_t terms, const arf_t K, const arb_t v)
{
    arb_t mass, t;
    slong zero = -x->up->first;
    if (zero < 0 || zero >= x->up->length)
        return;
    arb_init(mass); arb_init(t);
    arb_set_arf(mass, x->on + zero);
    arb_pow_ui(mass, mass, terms, PREC);
    arb_set_arf(t, K);
    arb_mul(t, t, t, PREC);
    arb_div(t, t, v, PREC);
    arb_mul_2exp_si(t, t, -1);
    arb_neg(t, t);
    arb_exp(t, t, PREC);
    arb_mul(mass, mass, t, PREC);
    arb_sqrt(t, v, PREC);
    arb_mul(mass, mass, t, PREC);
    if (arb_is_finite(mass))
        arb_sub(gap, gap, mass, PREC);
    arb_clear(mass); arb_clear(t);
}

/* ---- one run ---- */

/* Log2 of the length of the transform; large when that is out of reach. */
static int log2_length(const problem_struct *p, double length)
{
    double step = ldexp(1, (int) p->log2_step), support = p->n * (length - 1) + 1;
    double window = ldexp(2 * p->reach / step, p->wider) + 64;
    return (int) ceil(d_lb(fmin(support, fmax(window, length))));
}

static void add_to_end(arf_t end, const arb_t x, int up)
{
    arb_t t;
    arb_init(t);
    arb_set_arf(t, end);
    if (up)
    {
        arb_add(t, t, x, PREC);
        arb_get_ubound_arf(end, t, PREC);
        if (!arf_is_finite(end))
            arf_pos_inf(end);
    }
    else
    {
        arb_sub(t, t, x, PREC);
        arb_get_lbound_arf(end, t, PREC);
        if (!arf_is_finite(end) || arf_sgn(end) < 0)
            arf_zero(end);
    }
    arb_clear(t);
}

/* The enclosure from this lattice and tilt. Returns 0 when there is no memory. */
static int convolve(shuf_enclosure_t e, const problem_struct *p, const lattice_struct *x, const tilt_struct *t, int bits)
{
    grid_factor factor = { x->up, p->terms };
    convolution_errors errors[2];
    tilted_sum_t s;
    masses_struct m;
    arf_t K_low, K_high, margin;
    arb_t v, gap, many, below, vague, above, u;

    if (tilted_sum_init(s, &factor, 1, t->theta, bits, 1) != 0)
        return 0;
    masses_init(&m, x, t->theta);
    convolution_errors_init(&errors[0]);
    convolution_errors_init(&errors[1]);
    arf_init(K_low); arf_init(K_high); arf_init(margin);
    arb_init(v); arb_init(gap); arb_init(many); arb_init(below); arb_init(vague); arb_init(above); arb_init(u);
    arf_mul_ui(margin, x->moved, p->terms, K_PREC, ARF_RND_UP);
    arf_sub(K_low, p->K_low, margin, K_PREC, ARF_RND_FLOOR);
    arf_add(K_high, p->K_high, margin, K_PREC, ARF_RND_CEIL);

    shuf_enclosure_zero(e);
    tilted_sum_excess(e->hi, &errors[0], s, K_low, 1);
    tilted_sum_excess(e->lo, &errors[1], s, K_high, 0);
    /* v = moving step^2/4 */
    arb_set_ui(v, t->moving);
    arb_mul_2exp_si(v, v, 2 * x->up->log2_step - 2);
    if (t->moving > 0)
    {
        bump(gap, s, K_high, v);
        leave_out_zero(gap, x, p->terms, K_high, v);
    }
    arb_mul_ui(above, x->above, p->terms, PREC);
    left_out(many, below, vague, &m, p, x, t, K_high);

    add_to_end(e->hi, above, 1);
    /* the masses were rounded up */
    add_to_end(e->lo, vague, 0);
    arb_pow_ui(m.ratio, m.ratio, p->terms, PREC);
    arb_set_arf(u, e->lo);
    arb_div(u, u, m.ratio, PREC);
    arb_get_lbound_arf(e->lo, u, PREC);
    add_to_end(e->lo, gap, 0);
    arb_add(many, many, below, PREC);
    add_to_end(e->lo, many, 0);

    arb_get_mag(e->ledger.discretisation, gap);
    arb_add(many, many, above, PREC);
    arb_get_mag(e->ledger.truncation, many);
    mag_add(e->ledger.aliasing, errors[0].aliasing, errors[1].aliasing);
    mag_add(e->ledger.rounding, errors[0].rounding, errors[1].rounding);
    e->ledger.terms = (ulong) x->up->length;
    e->ledger.precision = 53;
    e->ledger.step = ldexp(1, (int) x->up->log2_step);

    tilted_sum_clear(s);
    masses_clear(&m);
    convolution_errors_clear(&errors[0]);
    convolution_errors_clear(&errors[1]);
    arf_clear(K_low); arf_clear(K_high); arf_clear(margin);
    arb_clear(v); arb_clear(gap); arb_clear(many); arb_clear(below); arb_clear(vague); arb_clear(above); arb_clear(u);
    return 1;
}

/* Rounded masses and a K not known exactly account for the rest of the width; and no cause for more than all of it. */
static void balance_ledger(shuf_enclosure_t e)
{
    mag_t width;
    arf_t others, part;
    mag_init(width); arf_init(others); arf_init(part);
    shuf_enclosure_width(width, e);
    mag_min(e->ledger.truncation, e->ledger.truncation, width);
    mag_min(e->ledger.discretisation, e->ledger.discretisation, width);
    mag_min(e->ledger.aliasing, e->ledger.aliasing, width);
    /* a sum that is not rounded up */
    arf_set_mag(others, e->ledger.truncation);
    arf_set_mag(part, e->ledger.discretisation);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_set_mag(part, e->ledger.aliasing);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_set_mag(part, e->ledger.rounding);
    arf_add(others, others, part, PREC, ARF_RND_DOWN);
    arf_sub(part, e->hi, e->lo, PREC, ARF_RND_UP);
    if (arf_cmp(others, part) < 0)
        mag_add(e->ledger.rounding, e->ledger.rounding, width);
    mag_min(e->ledger.rounding, e->ledger.rounding, width);
    mag_clear(width); arf_clear(others); arf_clear(part);
}

/* ---- refinement ---- */

/* Units of work: of an entry of a transform, for each level of it, and of the terms' number; and to read it. Steer only. */
#define ENTRY_WORK 50.0
#define LEVEL_WORK 3.2
#define TERMS_WORK 4.0
#define READING_WORK 3e6

static double range_of(const problem_struct *p)
{
    return fmax(p->top - p->bottom, fmax(0x1p-20 * fabs(p->centre), 0x1p-400));
}

static slong step_for(const problem_struct *p, double nodes)
{
    return (slong) ceil(d_lb(range_of(p) / nodes));
}

static double node_count(const problem_struct *p)
{
    return ldexp(range_of(p), (int) -p->log2_step) + 2;
}

/* The work of a transform of 2^bits, and of reading it. */
static double transform_work(const problem_struct *p, int bits)
{
    return READING_WORK + ldexp(1, bits) * (ENTRY_WORK + LEVEL_WORK * bits + TERMS_WORK * d_lb(p->n));
}

/* Whether the budget allows a run with the current step; the transform alone when the lattice is there. */
static int affordable(const problem_struct *p, int bits, int lattice)
{
    double work = transform_work(p, bits) + (lattice ? p->work_per_node * node_count(p) : 0);
    return p->limit <= 0 || shuf_work() + work <= p->limit;
}

/* Raises the step to what transforms of 2^bits and the budget allow, at most to 2^last. */
static void coarsen(problem_struct *p, int bits, slong last)
{
    p->log2_step = FLINT_MAX(p->log2_step, step_for(p, MAX_NODES));
    while (p->log2_step < last && (log2_length(p, node_count(p)) > bits || !affordable(p, log2_length(p, node_count(p)), 1)))
        p->log2_step++;
}

/* Steer only. */
#define LEAST_RESOLVED 4.0 /* steps in a standard deviation, before the estimates are relied on */
#define LARGEST_REFINEMENT 4
#define MOST_WIDER 6
#define GAP_SHARE 0.5 /* of the accuracy aimed at */

/* Sets the next step, or a wider window; returns 0 if there is none that would help. */
static int next_step(problem_struct *p, const shuf_enclosure_t e, const tilt_struct *t)
{
    slong last = p->log2_step;
    int resolved = sqrt(t->k[2]) > LEAST_RESOLVED * ldexp(1, (int) last);
    if (steer_dominates(e->ledger.aliasing, e))
        return ++p->wider <= MOST_WIDER && log2_length(p, node_count(p)) <= MAX_LOG2_LENGTH;
    if (steer_dominates(e->ledger.rounding, e))
        return 0;
    /* the gap is about 0.63 terms (theta step)^2 of the answer */
    p->log2_step = (slong) floor(d_lb(sqrt(GAP_SHARE * d_pow(10, -p->digits) / (0.63 * fmax((double) t->moving, 1))) / t->theta));
    if (!resolved)
        p->log2_step = FLINT_MAX(p->log2_step, last - LARGEST_REFINEMENT);
    p->log2_step = FLINT_MIN(p->log2_step, last - 1);
    coarsen(p, log2_length(p, node_count(p)) <= MAX_LOG2_LENGTH ? MAX_LOG2_LENGTH : FINE_LOG2_LENGTH, last);
    if (p->log2_step == last)
    {
        p->log2_step = last - 1;
        coarsen(p, MAX_LOG2_LENGTH, last);
    }
    return p->log2_step < last;
}

/* r := the part of it in e; the ledger is that of the narrower one */
static void keep_better(shuf_enclosure_t r, const shuf_enclosure_t e)
{
    mag_t width, other;
    arf_t lo, hi;
    mag_init(width); mag_init(other); arf_init(lo); arf_init(hi);
    arf_max(lo, r->lo, e->lo);
    arf_min(hi, r->hi, e->hi);
    shuf_enclosure_width(width, e);
    shuf_enclosure_width(other, r);
    if (mag_cmp(width, other) < 0)
        shuf_enclosure_set(r, e);
    arf_swap(r->lo, lo);
    arf_swap(r->hi, hi);
    mag_clear(width); mag_clear(other); arf_clear(lo); arf_clear(hi);
}

/* Steer only. */
#define MAX_RUNS 60
#define REACH_NODES 16384 /* of a lattice from which the window is estimated, if there was one */

/* The transform of a lattice and what it proves, in e if *done. Returns whether another lattice should follow. */
static int run_transform(shuf_enclosure_t e, int *done, problem_struct *p, const lattice_struct *x, tilt_struct *t,
                         const shuf_options *options)
{
    int bits;
    set_moving(t, p, x);
    if (!(p->reach > 0) || x->up->length <= REACH_NODES)
        p->reach = reach_of(p, x, t);
    bits = log2_length(p, (double) x->up->length);
    if (bits > (p->runs > 0 ? MAX_LOG2_LENGTH : FINE_LOG2_LENGTH) || !affordable(p, bits, 0))
    {
        /* a coarser lattice may do; not if there has been one */
        slong last = p->runs > 0 ? p->last_step : step_for(p, 2), step = p->log2_step;
        p->log2_step++;
        coarsen(p, FINE_LOG2_LENGTH, last);
        return step + 1 < last && p->log2_step < last;
    }
    *done = convolve(e, p, x, t, bits);
    p->runs++;
    p->last_step = p->log2_step;
    if (*done)
        balance_ledger(e);
    return *done && !shuf_enclosure_accurate(e, options->digits) && next_step(p, e, t);
}

/* One lattice at the current step; e encloses the answer if *done. Returns 0 when no other lattice should follow. */
static int run(shuf_enclosure_t e, int *done, problem_struct *p, const shuf_options *options)
{
    double step = ldexp(1, (int) p->log2_step), first = floor(p->bottom / step), last = fmax(ceil(p->top / step), first + 1), start;
    lattice_struct x;
    tilt_struct t;
    int more = 1;

    *done = 0;
    if (!(fabs(first) < MAX_INDEX && fabs(last) < MAX_INDEX && last - first < 2 * MAX_NODES))
        return 0;
    start = shuf_work();
    lattice_init(&x, p->law, (slong) first, (slong) (last - first) + 1, p->log2_step, p->limit);
    p->work_per_node = (shuf_work() - start) / (last - first + 1);
    if (shuf_exhausted(p->limit) || !lattice_is_finite(&x))
    {
        lattice_clear(&x);
        return 0;
    }
    set_tilt(&t, p, &x);
    if (widen(p, &x, &t))
        p->log2_step = FLINT_MAX(p->log2_step, step_for(p, p->reach > 0 ? MAX_NODES : FIRST_NODES));
    else
        more = run_transform(e, done, p, &x, &t, options);
    lattice_clear(&x);
    return more;
}

static void refine(shuf_enclosure_t r, problem_struct *p, const shuf_options *options)
{
    shuf_enclosure_t e;
    int i, done, more = 1;
    shuf_enclosure_init(e);
    p->log2_up = first_reach(p, 1);
    p->log2_down = first_reach(p, 0);
    set_range(p);
    p->log2_step = step_for(p, FIRST_NODES);
    for (i = 0; i < MAX_RUNS && more && !shuf_exhausted(p->limit); i++)
    {
        more = run(e, &done, p, options);
        if (done)
            keep_better(r, e);
    }
    shuf_enclosure_clear(e);
}

/* ---- public ---- */

/* end := an upper (up) or lower bound of times E(L - x)_+ */
static void tail_end(arf_t end, const shuf_summand *law, const arf_t x, uint64_t times, int up)
{
    arb_t mass, excess;
    arb_init(mass);
    arb_init(excess);
    law->tail(mass, excess, law, x, 1, PREC);
    arb_mul_ui(excess, excess, times, PREC);
    if (up)
        arb_get_ubound_arf(end, excess, PREC);
    else
        arb_get_lbound_arf(end, excess, PREC);
    if (arf_is_nan(end) && up)
        arf_pos_inf(end);
    if (!up && (!arf_is_finite(end) || arf_sgn(end) < 0))
        arf_zero(end);
    arb_clear(mass);
    arb_clear(excess);
}

/* The simple bounds; sets up the rest. Returns whether there is something left to do. */
static int start_problem(shuf_enclosure_t r, problem_struct *p, const arb_t K)
{
    arf_t x, lowest, largest, shift;
    int more = 0;
    arf_init(x); arf_init(lowest); arf_init(largest); arf_init(shift);
    p->law->support(lowest, largest, p->law);
    arb_get_lbound_arf(p->K_low, K, K_PREC);
    arb_get_ubound_arf(p->K_high, K, K_PREC);
    arf_mul_ui(x, largest, p->terms, K_PREC, ARF_RND_CEIL);
    shuf_enclosure_zero(r);
    /* NaN is neither below nor above anything */
    if (arf_is_nan(p->K_low) || arf_is_nan(x) || arf_cmp(p->K_low, x) < 0)
    {
        arf_set_mag(shift, p->law->shift);
        arf_mul_ui(shift, shift, p->terms, K_PREC, ARF_RND_CEIL);
        arf_sub(p->K_low, p->K_low, shift, K_PREC, ARF_RND_FLOOR);
        arf_add(p->K_high, p->K_high, shift, K_PREC, ARF_RND_CEIL);
        if (arf_is_finite(p->K_low) && arf_is_finite(p->K_high))
        {
            /* 0 <= answer <= n E(L - K/n)_+ */
            arf_div_ui(x, p->K_low, p->terms, K_PREC, ARF_RND_FLOOR);
            tail_end(r->hi, p->law, x, p->terms, 1);
            if (p->terms == 1)
                tail_end(r->lo, p->law, p->K_high, 1, 0);
            else
                more = arf_is_finite(r->hi) && arf_sgn(r->hi) > 0 && p->terms <= MAX_TERMS && arf_cmpabs_2exp_si(x, 300) < 0;
            p->lowest = arf_get_d(lowest, ARF_RND_FLOOR);
            p->largest = arf_get_d(largest, ARF_RND_CEIL);
            p->centre = fmin(fmax(arf_get_d(x, ARF_RND_NEAR), p->lowest), p->largest);
        }
        else
        {
            arf_pos_inf(r->hi);
        }
        if (p->terms == 1)
            shuf_enclosure_width(r->ledger.rounding, r);
        else
            shuf_enclosure_width(r->ledger.truncation, r);
    }
    arf_clear(x); arf_clear(lowest); arf_clear(largest); arf_clear(shift);
    return more;
}

/* Where what is added is too wide: so many times finer, at most, and for that share of the accuracy aimed at. Steer only. */
#define FINER 0.05
#define FINE_SHARE 0.7
#define LINES 12 /* that are tried: the next one knows more of how large the answer is: steers only */

/* The line that was read last, for thresholds to come. */
typedef struct
{
    fourier_struct line;
    int ready;
} line_struct;

static void line_drop(line_struct *x)
{
    if (x->ready)
        fourier_clear(&x->line);
    x->ready = 0;
}

/* e := what the line says; r := the part of it in e */
static void read_line(shuf_enclosure_t r, shuf_enclosure_t e, const line_struct *x, const arb_t K)
{
    fourier_read(e, &x->line, K);
    balance_ledger(e);
    keep_better(r, e);
}

/* By the inverse of the transform; returns whether that was enough. */
static int by_fourier(shuf_enclosure_t r, line_struct *x, const problem_struct *p, const shuf_options *options)
{
    double log_value = NAN, width = 0, least = 0, fine = 1;
    fourier_how how = FOURIER_DOUBLES;
    int i, rounded, coarse, better = 1;
    shuf_enclosure_t e;
    arb_t K, t;
    shuf_enclosure_init(e); arb_init(K); arb_init(t);
    arb_set_arf(K, p->K_low);
    arb_set_arf(t, p->K_high);
    arb_union(K, K, t, K_PREC);
    if (x->ready)
        read_line(r, e, x, K);
    for (i = 0; i < LINES && better && !shuf_enclosure_accurate(r, options->digits); i++)
    {
        line_drop(x);
        x->ready = fourier_init(&x->line, p->law, p->terms, p->K_low, p->pole, p->digits, p->limit, log_value, how, fine) == 0;
        if (!x->ready)
            break;
        read_line(r, e, x, K);
        rounded = steer_dominates(e->ledger.rounding, e);
        coarse = x->line.added > 0 && !rounded && steer_dominates(e->ledger.discretisation, e);
        fine *= coarse ? fmax(FINE_SHARE * d_pow(10, -p->digits) / steer_relative_width(e), FINER) : 1;
        log_value = steer_log(arf_sgn(r->lo) > 0 ? r->lo : r->hi);
        better = isfinite(log_value)
                 && (i == 0 || steer_relative_width(e) < 0.5 * width || log_value < least - 1 || (rounded && x->line.how < FOURIER_BALLS) || (coarse && x->line.count < FOURIER_MOST));
        /* a tolerance that was set for another size of the answer shows as rounding as well */
        how = x->line.how;
        if (rounded && how < FOURIER_BALLS && (i > 0 || x->line.log_roundings > log_value - p->digits * d_log(10.0) - 1))
            how++;
        width = steer_relative_width(e);
        least = log_value;
    }
    shuf_enclosure_clear(e); arb_clear(K); arb_clear(t);
    return shuf_enclosure_accurate(r, options->digits);
}

/* A largest value that is expected less often than once makes lines hopeless; more than so many of them are many counts. Steer only. */
#define RARE_FIRST 1
#define RARE_LAST 64
/* So many values of the sum are added up before lines are tried, or after them. Steer only. */
#define FEW_SUMS 2000.0
#define MOST_SUMS 100000.0
/* Fewer terms are for other ways, and that is the share of the work that the first look may take. Steer only. */
#define RARE_TERMS 500
#define RARE_SHARE 0.25

/*
 * By counts: of a rare value if most > 0, else all values of the sum, if they are no more than `sums`. Returns whether that was good enough, or,
 * of a value that is hardly ever there, whether it was possible.
 */
static int by_counts(shuf_enclosure_t r, const problem_struct *p, ulong most, double sums, const shuf_options *options)
{
    shuf_enclosure_t e;
    arb_t K, t;
    double limit = p->limit;
    int done;
    if (most > 0 && p->terms < RARE_TERMS)
        return 0;
    if (most == RARE_FIRST && limit > 0)
        limit = shuf_work() + RARE_SHARE * (limit - shuf_work());
    shuf_enclosure_init(e); arb_init(K); arb_init(t);
    arb_set_arf(K, p->K_low);
    arb_set_arf(t, p->K_high);
    arb_union(K, K, t, K_PREC);
    done = most > 0 ? iidsum_rare(e, p->law, p->terms, K, most, options->digits, limit)
                    : iidsum_enumerate(e, p->law, p->terms, K, sums, options->digits, p->limit);
    if (done)
        keep_better(r, e);
    shuf_enclosure_clear(e); arb_clear(K); arb_clear(t);
    return (done && most == RARE_FIRST) || shuf_enclosure_accurate(r, options->digits);
}

/* Without work: what one term says. */
static shuf_status excess(shuf_enclosure_t r, line_struct *x, const shuf_summand *law, uint64_t n, const arb_t K, int lattice, int work,
                          const shuf_options *options)
{
    problem_struct p = { .law = law, .terms = n, .n = (double) n };
    double start = shuf_work();
    p.digits = fmin(fmax((double) options->digits, 1), MOST_DIGITS);
    p.limit = shuf_limit(options);
    arf_init(p.K_low);
    arf_init(p.K_high);
    if (start_problem(r, &p, K) && work && !by_counts(r, &p, 0, FEW_SUMS, options) && !by_counts(r, &p, RARE_FIRST, 0, options)
        && !by_fourier(r, x, &p, options) && !by_counts(r, &p, 0, MOST_SUMS, options) && !by_counts(r, &p, RARE_LAST, 0, options) && lattice)
        refine(r, &p, options);
    arf_clear(p.K_low);
    arf_clear(p.K_high);
    r->ledger.work = shuf_work() - start;
    r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    return r->status;
}

shuf_status shuf_iidsum_excess(shuf_enclosure_t r, const shuf_summand *law, uint64_t n, const arb_t K, const shuf_options *options)
{
    return shuf_iidsum_excesses(r, law, n, K, 1, 1, options);
}

/* The upper end is at most that bound. */
static void cut_above(shuf_enclosure_t r, const problem_struct *p)
{
    arb_t bound;
    arf_t end;
    arb_init(bound);
    arf_init(end);
    fourier_bound(bound, p->law, p->terms, p->K_low);
    arb_get_ubound_arf(end, bound, PREC);
    if (arf_is_finite(end) && arf_cmp(end, r->hi) < 0)
        arf_swap(r->hi, end);
    balance_ledger(r);
    arb_clear(bound);
    arf_clear(end);
}

#define EPSILON_PREC 256 /* steers only */

shuf_status shuf_iidsum_hockey(shuf_enclosure_t r, const shuf_summand *law, uint64_t n, const shuf_real_t eps, const shuf_options *options)
{
    problem_struct p = { .law = law, .terms = n, .n = (double) n, .pole = 1, .limit = shuf_limit(options) };
    double start = shuf_work();
    line_struct x = { .ready = 0 };
    arf_t lowest, largest;
    arb_t K;
    if (n < 1 || n > SHUF_MAX_USERS)
        return SHUF_DOMAIN;
    p.digits = fmin(fmax((double) options->digits, 1), MOST_DIGITS);
    arb_init(K);
    arf_init(p.K_low); arf_init(p.K_high); arf_init(lowest); arf_init(largest);
    shuf_real_get_arb(K, eps, EPSILON_PREC);
    arb_get_lbound_arf(p.K_low, K, K_PREC);
    arb_get_ubound_arf(p.K_high, K, K_PREC);
    law->support(lowest, largest, law);
    arf_mul_ui(largest, largest, n, K_PREC, ARF_RND_CEIL);
    shuf_enclosure_zero(r);
    if (arf_is_nan(p.K_low) || arf_is_nan(largest) || arf_cmp(p.K_low, largest) < 0)
    {
        arf_one(r->hi);
        mag_one(r->ledger.truncation);
        if (arf_is_finite(p.K_low) && arf_is_finite(p.K_high) && !by_fourier(r, &x, &p, options))
            cut_above(r, &p);
        line_drop(&x);
    }
    arb_clear(K);
    arf_clear(p.K_low); arf_clear(p.K_high); arf_clear(lowest); arf_clear(largest);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* The share of the work left that a line may take, which may serve the other thresholds as well; a lattice serves one. Steer only. */
#define LINE_SHARE 0.5
#define FEW 4 /* thresholds are read one by one */

/* The finite thresholds from the i-th on that are not accurate are read from the line of the one before. */
static void read_others(shuf_enclosure_struct *r, const line_struct *x, arb_srcptr K, slong i, slong count, slong digits)
{
    shuf_enclosure_struct *e;
    int *wanted;
    slong j, left = 0;
    if (!x->ready || count - i < FEW)
        return;
    wanted = flint_malloc((size_t) (count - i) * sizeof(*wanted));
    e = flint_malloc((size_t) (count - i) * sizeof(*e));
    for (j = i; j < count; j++)
    {
        shuf_enclosure_init(e + j - i);
        wanted[j - i] = arb_is_finite(K + j) && !shuf_enclosure_accurate(r + j, digits);
        left += wanted[j - i];
    }
    if (left >= FEW)
        fourier_reads(e, &x->line, K + i, wanted, count - i);
    for (j = i; j < count; j++)
    {
        if (left >= FEW && wanted[j - i])
        {
            balance_ledger(e + j - i);
            keep_better(r + j, e + j - i);
        }
        shuf_enclosure_clear(e + j - i);
    }
    flint_free(e);
    flint_free(wanted);
}

shuf_status shuf_iidsum_excesses(shuf_enclosure_struct *r, const shuf_summand *law, uint64_t n, arb_srcptr K, slong count, int lattice,
                                 const shuf_options *options)
{
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_status status = SHUF_OK;
    line_struct x = { .ready = 0 };
    slong i;
    if (n < 1 || n > SHUF_MAX_USERS)
        return SHUF_DOMAIN;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_zero(r + i);
        arf_pos_inf(r[i].hi);
    }
    for (i = 0; i < count; i++)
    {
        if (!shuf_enclosure_accurate(r + i, options->digits))
        {
            shuf_share(&o, limit, fmax(1 / (double) (count - i), lattice ? 0 : LINE_SHARE));
            excess(r + i, &x, law, n, K + i, lattice, !shuf_exhausted(limit), &o);
            if (mag_is_zero(law->shift)) /* they are read at K itself */
                read_others(r, &x, K, i + 1, count, options->digits);
        }
        r[i].status = shuf_enclosure_accurate(r + i, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        if (status == SHUF_OK)
            status = r[i].status;
    }
    line_drop(&x);
    return status;
}
