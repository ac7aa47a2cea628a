/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Shuffled batches from above, by null clones: proofs/dpsgd.md, Theorem 6; and balls and bins with a record that is replaced, Theorem 11 (c). */
#include "batch/batch_law.h"

#include <math.h>

#include "batch/batch_nodes.h"
#include "batch/convex_sum.h"
#include "enclosure/elementary.h"
#include "tradeoff/gdp.h"

#define PREC 128 /* steers only */

/* Nodes; how fine the cells of sums are, of few and of more clones, and of an epoch. All steer only. */
#define FINE 0.01
#define EPOCH 0.02
#define COARSE 0.03
#define REACH 12
static const batch_nodes placing = { 60, 5, 1 / 400.0, 2400 };

/* Numbers of clones whose profile is looked at, at most; from so many on the next is so much larger. Steers only. */
#define MOST_COUNTS 160
#define ALL_COUNTS 8
#define GROWTH 0.03
#define PAIRS 8 /* of two that add up to a number, the most that are looked at */

/* Values of log(1/p) that are tried, from the one at which all counts are used to that at which there is hardly a clone. Steers only. */
#define CHANCES 1000
#define LAST_CHANCE 5.0

/* Units of work of a law of the number of clones, for each number. Steers only. */
#define COUNT_WORK 400.0

/* Places at which alpha is split between two removals. Steers only. */
#define SPLITS 48

typedef struct
{
    fmpq_t noise;
    uint64_t steps;
    int is_twice; /* balls and bins, by two removals */
    polygon_t above;
    shuf_law_t above_law;
    int known;
} clones_struct;

/* ---- the profiles of so many clones ---- */

/* The numbers at which a profile is known, and its values at the nodes: value[2 (i nodes + node) + direction]. */
typedef struct
{
    slong counts, nodes;
    uint64_t count[MOST_COUNTS];
    slong half[MOST_COUNTS], rest[MOST_COUNTS]; /* the two of which it is the sum, from the second one on */
    double *value, *alpha;
} table_struct;

/* The last of so many counts that is at most `most`. */
static slong count_below(const table_struct *t, slong counts, uint64_t most)
{
    slong i = counts - 1;
    while (i > 0 && t->count[i] > most)
        i--;
    return i;
}

/* 1, 2, .., then each the sum of two of about half as many, so that cells are few times in a row; none above `most`. */
static void set_counts(table_struct *t, uint64_t most)
{
    slong i, j;
    t->count[0] = 1;
    for (i = 1; i < MOST_COUNTS && t->count[i - 1] < most; i++)
    {
        const double last = (double) t->count[i - 1], step = i < ALL_COUNTS ? 1 : fmax(fmax(sqrt(last) / 3, last * GROWTH), 1);
        const uint64_t next = FLINT_MIN(t->count[i - 1] + (uint64_t) step, most);
        slong half = count_below(t, i, next / 2);
        for (t->count[i] = 0, j = 0; j < PAIRS && half >= 0 && t->count[i] < next; j++, half--)
        {
            const slong rest = count_below(t, i, next - t->count[half]);
            if (t->count[half] + t->count[rest] <= t->count[i])
                continue;
            t->count[i] = t->count[half] + t->count[rest];
            t->half[i] = half;
            t->rest[i] = rest;
        }
        if (t->count[i] <= t->count[i - 1])
            break;
    }
    t->counts = i;
}

/* The Gaussian mechanism's divergence with mu = 1/noise, rounded up. */
static double gaussian_value(const fmpq_t noise, const arb_t eps)
{
    arb_t v, mu;
    double d;
    arb_init(v);
    arb_init(mu);
    arb_set_fmpq(mu, noise, PREC);
    arb_inv(mu, mu, PREC);
    shuf_gdp_delta_arb(v, mu, eps, PREC);
    d = shuf_ball_end_d(v, 1);
    arb_clear(v);
    arb_clear(mu);
    return d >= 0 && d <= 1 ? d : 1;
}

static double gaussian_node(const fmpq_t noise, const fmpq_t alpha)
{
    arb_t eps;
    double d;
    arb_init(eps);
    arb_set_fmpq(eps, alpha, PREC);
    arb_log(eps, eps, PREC);
    arb_nonnegative_part(eps, eps);
    d = gaussian_value(noise, eps);
    arb_clear(eps);
    return d;
}

static void set_values(table_struct *t, const polygon_node *at, const fmpq_t noise)
{
    convex_cells cells = { noise, FINE, REACH, 0, 0, 0, 0 };
    convex_sum_t sum[MOST_COUNTS];
    slong i, node;
    for (i = 0; i < t->counts; i++)
    {
        convex_sum_init(sum[i]);
        if (i == 0)
        {
            convex_sum_one(sum[0], &cells, 1);
        }
        else
        {
            cells.fineness = i < ALL_COUNTS ? FINE : COARSE;
            convex_sum_add(sum[i], sum[t->half[i]], sum[t->rest[i]], &cells);
        }
        for (node = 0; node < t->nodes; node++)
        {
            double *v = t->value + 2 * (i * t->nodes + node);
            v[0] = i == 0 ? gaussian_node(noise, at[node].alpha) : convex_sum_value(sum[i], t->alpha[node], 0);
            v[1] = i == 0 ? v[0] : convex_sum_value(sum[i], t->alpha[node], 1);
        }
    }
    for (i = 0; i < t->counts; i++)
        convex_sum_clear(sum[i]);
}

/* ---- the number of clones ---- */

/* weight[i] := Pr[count[i] <= K < count[i + 1]], rounded up, at least; of the last one all that is left. K = 1 + Bin(steps - 1, p). */
static void set_weights(double *weight, const table_struct *t, uint64_t steps, double p)
{
    arb_t term, ratio, sum, left;
    uint64_t k = 1;
    slong i;
    arb_init(term); arb_init(ratio); arb_init(sum); arb_init(left);
    arb_set_d(ratio, p);
    arb_neg(term, ratio);
    arb_log1p(term, term, PREC);
    arb_mul_ui(term, term, steps - 1, PREC);
    arb_exp(term, term, PREC);
    shuf_ball_complement(left, ratio, PREC);
    arb_div(ratio, ratio, left, PREC);
    arb_one(left);
    for (i = 0; i < t->counts; i++)
    {
        arb_zero(sum);
        for (; i + 1 < t->counts && k < t->count[i + 1]; k++)
        {
            shuf_charge(COUNT_WORK);
            arb_add(sum, sum, term, PREC);
            /* from k - 1 successes of steps - 1 to k */
            arb_mul_ui(term, term, steps - k, PREC);
            arb_div_ui(term, term, k, PREC);
            arb_mul(term, term, ratio, PREC);
        }
        arb_sub(left, left, sum, PREC);
        weight[i] = fmax(0, fmin(1, shuf_ball_end_d(i + 1 < t->counts ? sum : left, 1)));
    }
    arb_clear(term); arb_clear(ratio); arb_clear(sum); arb_clear(left);
}

/* (steps - 1) gamma, rounded up. */
static double price(const fmpq_t noise, uint64_t steps, double p)
{
    arb_t eps;
    double gamma;
    arb_init(eps);
    arb_set_d(eps, p);
    arb_log(eps, eps, PREC);
    arb_neg(eps, eps);
    gamma = gaussian_value(noise, eps) * p;
    arb_clear(eps);
    return gamma * (double) (steps - 1) * (1 + 0x1p-50);
}

/* bound[2 node + d] := the least of it and what p gives. */
static void improve(double *bound, const table_struct *t, const double *weight, double beta)
{
    slong i, node;
    int d;
    for (node = 0; node < t->nodes; node++)
    {
        for (d = 0; d < 2; d++)
        {
            double v = (1 + t->alpha[node]) * beta;
            for (i = 0; i < t->counts && v < bound[2 * node + d]; i++)
                v += weight[i] * t->value[2 * (i * t->nodes + node) + d];
            v *= 1 + (MOST_COUNTS + 8) * 0x1p-52;
            if (v < bound[2 * node + d])
                bound[2 * node + d] = v;
        }
    }
}

/* The polygon of the bounds at the nodes, which are freed. */
static void set_above(clones_struct *x, polygon_node *node, slong count, double *bound)
{
    slong i;
    for (i = 0; i < 2 * count; i++)
        arf_set_d(node[i / 2].hi[i % 2], fmin(1, bound[i]));
    polygon_set_above(x->above, node, count, x->is_twice);
    x->known = 1;
    batch_nodes_clear(node, &placing);
    flint_free(bound);
}

/* ---- two removals ---- */

/* A standard deviation of the loss of what is replaced, over about that of what is removed. Steers only. */
#define TWICE 2

/* The least that is found of B(a) + a B'(alpha/a), rounded up: B falls, so that alpha/a is rounded down. */
static double two_removals(const convex_sum_t epoch, double alpha)
{
    double best = HUGE_VAL;
    int i;
    for (i = 0; i <= SPLITS; i++)
    {
        const double a = fmin(alpha, d_exp(d_log(alpha) * i / SPLITS)), rest = fmax(1, alpha / a * (1 - 0x1p-50));
        double v;
        if (!(a >= 1))
            continue;
        v = (convex_sum_value(epoch, a, 0) + a * convex_sum_value(epoch, rest, 1)) * (1 + 0x1p-50);
        if (v < best)
            best = v;
    }
    return best;
}

static void prepare_twice(clones_struct *x)
{
    const convex_cells cells = { x->noise, EPOCH, REACH, 0, 0, 0, 0 };
    const double noise = fmpq_get_d(x->noise);
    polygon_node *node = batch_nodes_init(&placing);
    const slong count = batch_nodes_place(node, &placing, TWICE * 0.4 / noise / sqrt((double) x->steps), noise / 2);
    double *bound = flint_malloc(2 * (size_t) count * sizeof(double));
    convex_sum_t epoch;
    fmpq_t half;
    slong i;
    fmpq_init(half);
    fmpq_div_2exp(half, x->noise, 1);
    convex_sum_init(epoch);
    convex_sum_set(epoch, &cells, x->steps, 1);
    for (i = 0; i < count; i++)
    {
        /* in place of alpha a number that is at most alpha */
        const double alpha = fmax(1, fmpq_get_d(node[i].alpha) * (1 - 0x1p-50));
        shuf_charge(SPLITS * COUNT_WORK);
        bound[2 * i] = bound[2 * i + 1] = fmin(two_removals(epoch, alpha), gaussian_node(half, node[i].alpha));
    }
    convex_sum_clear(epoch);
    fmpq_clear(half);
    set_above(x, node, count, bound);
}

/* ---- the law ---- */

static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    clones_struct *x = self->data;
    const double first = d_log((double) x->steps);
    polygon_node *node;
    table_struct t;
    double weight[MOST_COUNTS], *bound, from;
    slong i;
    (void) options;
    if (x->known)
        return;
    if (x->is_twice)
    {
        prepare_twice(x);
        return;
    }
    node = batch_nodes_init(&placing);
    t.nodes = batch_nodes_place(node, &placing, 0.4 / fmpq_get_d(x->noise) / sqrt((double) x->steps), fmpq_get_d(x->noise));
    t.alpha = flint_malloc((size_t) t.nodes * sizeof(double));
    t.value = flint_malloc(2 * MOST_COUNTS * (size_t) t.nodes * sizeof(double));
    bound = flint_malloc(2 * (size_t) t.nodes * sizeof(double));
    for (i = 0; i < t.nodes; i++)
        t.alpha[i] = fmpq_get_d(node[i].alpha);
    set_counts(&t, x->steps);
    set_values(&t, node, x->noise);
    for (i = 0; i < 2 * t.nodes; i++)
        bound[i] = t.value[i];
    from = fmax(0.01, first - d_log((double) t.count[t.counts - 1]));
    for (i = 0; i < CHANCES; i++)
    {
        const double p = d_exp(-from - (first + LAST_CHANCE - from) * (double) i / CHANCES);
        set_weights(weight, &t, x->steps, p);
        improve(bound, &t, weight, price(x->noise, x->steps, p));
    }
    set_above(x, node, t.nodes, bound);
    flint_free(t.alpha);
    flint_free(t.value);
}

static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count,
                            const shuf_options *options)
{
    const clones_struct *x = self->data;
    return x->above_law->evaluate(lo, hi, x->above_law, direction, s, count, options);
}

/* One epoch: the polygon at the ends of eps. */
static void widen(shuf_enclosure_t r, const shuf_law_struct *self, shuf_direction direction, const arf_t low, const arf_t high)
{
    const shuf_options options = { 5, 0 };
    arf_t lo, hi;
    arf_init(lo);
    arf_init(hi);
    evaluate(lo, hi, self, direction, high, 1, &options);
    if (arf_cmp(lo, r->lo) > 0)
        arf_set(r->lo, lo);
    evaluate(lo, hi, self, direction, low, 1, &options);
    if (arf_cmp(hi, r->hi) > 0)
        arf_set(r->hi, hi);
    arf_clear(lo);
    arf_clear(hi);
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                             const shuf_options *options)
{
    arb_t t;
    arf_t low, high;
    arb_init(t);
    arf_init(low);
    arf_init(high);
    (void) where;
    self->prepare(self, options);
    shuf_real_get_arb(t, eps, PREC);
    arb_nonnegative_part(t, t);
    arb_get_lbound_arf(low, t, PREC);
    arb_get_ubound_arf(high, t, PREC);
    if (arf_sgn(low) < 0)
        arf_zero(low);
    shuf_enclosure_zero(r);
    if (direction != SHUF_DIRECTION_QP)
        widen(r, self, SHUF_DIRECTION_PQ, low, high);
    if (direction != SHUF_DIRECTION_PQ)
        widen(r, self, SHUF_DIRECTION_QP, low, high);
    arb_clear(t);
    arf_clear(low);
    arf_clear(high);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* The function has corners, which a search by secants takes for the end; a value costs nothing. Steers only. */
#define HALVINGS 40

static void halve(shuf_enclosure_t r, const shuf_law_struct *self, const shuf_real_t delta, shuf_direction direction, const shuf_options *options)
{
    shuf_enclosure_t v;
    shuf_real_t middle;
    arb_t target;
    arf_t at, end;
    int i, known = arf_is_finite(r->hi);
    shuf_enclosure_init(v);
    shuf_real_init(middle);
    arb_init(target);
    arf_init(at);
    arf_init(end);
    shuf_real_get_arb(target, delta, PREC);
    for (i = 0; i < HALVINGS && known && !shuf_enclosure_accurate(r, options->digits); i++)
    {
        arf_add(at, r->lo, r->hi, 64, ARF_RND_DOWN);
        arf_mul_2exp_si(at, at, -1);
        arf_get_fmpq(middle->q, at);
        law_delta(v, NULL, self, middle, direction, options);
        arb_get_lbound_arf(end, target, PREC);
        if (arf_cmp(v->hi, end) <= 0)
            arf_set(r->hi, at);
        else if (arb_get_ubound_arf(end, target, PREC), arf_cmp(v->lo, end) > 0)
            arf_set(r->lo, at);
        else
            known = 0;
    }
    shuf_enclosure_clear(v);
    shuf_real_clear(middle);
    arb_clear(target);
    arf_clear(at);
    arf_clear(end);
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta, shuf_direction direction,
                               const shuf_options *options)
{
    (void) where;
    if (shuf_law_invert(r, self, delta, direction, SHUF_MAX_EPSILON, options) == SHUF_ACCURACY)
    {
        halve(r, self, delta, direction, options);
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    return r->status;
}

static int loss_of_clones(shuf_loss_t loss, const shuf_law_struct *self, shuf_direction direction, slong prec)
{
    const clones_struct *x = self->data;
    return x->above_law->loss(loss, x->above_law, direction, prec);
}

static void clones_clear(shuf_law_struct *self)
{
    clones_struct *x = self->data;
    fmpq_clear(x->noise);
    polygon_clear(x->above);
    flint_free(x);
}

int batch_law_clones_exists(const fmpq_t noise, uint64_t steps)
{
    const convex_cells cells = { noise, FINE, REACH, 0, 0, 0, 0 };
    return steps > 1 && convex_sum_exists(&cells, (double) steps);
}

void batch_law_clones(shuf_law_t law, const fmpq_t noise, uint64_t steps)
{
    clones_struct *x = flint_calloc(1, sizeof(*x));
    fmpq_init(x->noise);
    fmpq_set(x->noise, noise);
    x->steps = steps;
    polygon_init(x->above);
    polygon_law(x->above_law, x->above);
    shuf_law_init(law);
    law->prepare = prepare;
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->clear = clones_clear;
    law->evaluate = evaluate;
    law->loss = loss_of_clones;
    shuf_law_set_moment_of_noise(law, noise, x->is_twice ? 4 : 1); /* as if the steps were known: one of them is moved by 1, or two by 1 in both directions */
    law->data = x;
}

void batch_law_twice(shuf_law_t law, const fmpq_t noise, uint64_t steps)
{
    batch_law_clones(law, noise, steps);
    law->symmetric = 1;
    ((clones_struct *) law->data)->is_twice = 1;
}
