/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Epochs of releases of which each record takes part in one: proofs/additive-noise.md, Theorem 8. The divergences are expectations of the mean of independent
 * likelihood ratios, a sum that iidsum/iidsum.h encloses; several epochs have the profile between two polygons through nodes.
 */
#include "noise/allocation_law.h"

#include <math.h>
#include <pthread.h>

#include "batch/batch_law.h"
#include "batch/batch_nodes.h"
#include "batch/convex_sum.h"
#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "iidsum/iidsum.h"
#include "noise/noise_law.h"
#include "noise/ratio_law.h"

#define PREC 256 /* steers only */

/* Nodes; those of a chunk, digits of a value there, and the share of the work that is left that a chunk may take. All steer only. */
#define CHUNK 64
#define NODE_DIGITS 3
#define CHUNK_SHARE 0.3

/*
 * How fine the cells of sums are and how far they reach; values that are less likely do not steer; of so few atoms lines of the
 * transform are quick, and for more digits than that they are tried. All steer only.
 */
#define FINENESS 0.01
#define REACH 12
#define UNLIKELY 1e-80
#define FEW_ATOMS 16
#define SUM_DIGITS 7
#define LARGEST_ALPHA 1e100

static const batch_nodes placing = { 100, 4, 1 / 100.0, 2048 };

typedef struct
{
    shuf_noise_t noise;
    uint64_t steps;
    shuf_law_t base; /* of one release */
    ratio_laws ratio;
    pthread_mutex_t lock; /* for who makes the sums when they are first asked for */
    int sums_known;       /* 0: not made yet, -1: there are none */
    convex_sum_t sum[2];  /* below and above the sum of the ratios of an epoch */
    polygon_t above, below;
    shuf_law_t above_law, below_law;
    int known;
} allocation_struct;

/* ---- points ---- */

/* Between two sums in convex order. */

/* Cells for the law of the ratio: log's deviation, and its largest value that is not next to impossible. */
static void set_cells(convex_cells *cells, const ratio_law *ratio)
{
    double square = 0, all = 0;
    slong i;
    *cells = (convex_cells) { NULL, FINENESS, REACH, 0, 0, 0, 0 };
    for (i = 0; i < ratio->count; i++)
    {
        const double mass = steer_midpoint(ratio->mass + i), value = steer_midpoint(ratio->value + i), log = value > 0 ? d_log(value) : 0;
        if (mass <= UNLIKELY)
            continue;
        cells->largest = fmax(cells->largest, log);
        cells->least = fmin(cells->least, log);
        cells->variance += mass * (value - 1) * (value - 1);
        square += mass * log * log;
        all += mass;
    }
    cells->deviation = fmax(sqrt(square / fmax(all, UNLIKELY)), cells->largest / REACH);
    cells->largest += 2 * FINENESS * cells->deviation; /* so that the last corner is beyond it */
}

static int make_sums(allocation_struct *x)
{
    convex_cells cells;
    convex_sum_t one;
    int i, known = 0;
    set_cells(&cells, &x->ratio.below);
    if (!(cells.deviation > 0) || !convex_sum_exists(&cells, (double) x->steps))
        return -1;
    for (i = 0; i < 2 && known == 0; i++)
    {
        const ratio_law *ratio = i == 0 || x->ratio.is_exact ? &x->ratio.below : &x->ratio.above;
        convex_sum_init(one);
        known = convex_sum_atoms(one, ratio->value, ratio->mass, ratio->count, i);
        if (known == 0)
            convex_sum_power(x->sum[i], one, &cells, x->steps);
        convex_sum_clear(one);
    }
    return known == 0 ? 1 : -1;
}

/* r[i], which is [0, 1], becomes an enclosure of the excess at alpha[i] >= 1, if there are sums: E(S - t alpha)_+/t, or (alpha/t) E(t/alpha - S)_+. */
static void by_sums(shuf_enclosure_struct *r, allocation_struct *x, shuf_direction direction, arb_srcptr alpha, slong count)
{
    slong i;
    pthread_mutex_lock(&x->lock);
    if (x->sums_known == 0)
    {
        /* on an account of its own: who is first depends on the threads */
        budget_state state;
        budget_save(&state);
        x->sums_known = make_sums(x);
        budget_restore(&state);
    }
    pthread_mutex_unlock(&x->lock);
    for (i = 0; i < count && x->sums_known > 0; i++)
    {
        const double low = shuf_ball_end_d(alpha + i, 0), high = shuf_ball_end_d(alpha + i, 1);
        if (high < HUGE_VAL)
            arf_set_d(r[i].lo, convex_sum_value(x->sum[0], high, direction == SHUF_DIRECTION_QP));
        /* they fall with alpha */
        arf_set_d(r[i].hi, fmin(1, convex_sum_value(x->sum[1], fmin(low, LARGEST_ALPHA), direction == SHUF_DIRECTION_QP)));
    }
}

/* Or by the transform of the law, where the two are the same. */

/* r[i] encloses E(S - K[i])_+ but for `off`, S the sum of so many copies of the ratio, or of less the ratio. */
static void excesses(shuf_enclosure_struct *r, mag_t off, const allocation_struct *x, shuf_direction direction, arb_srcptr K, slong count, const shuf_options *options)
{
    const ratio_law *ratio = &x->ratio.below;
    arb_ptr value = _arb_vec_init(ratio->count);
    shuf_summand law;
    slong i;
    for (i = 0; i < ratio->count; i++)
    {
        /* numbers, so that a line serves many thresholds; each copy is off by as much */
        mag_max(off, off, arb_radref(ratio->value + i));
        arb_get_mid_arb(value + i, ratio->value + i);
        if (direction == SHUF_DIRECTION_QP)
            arb_neg(value + i, value + i);
    }
    mag_mul_ui(off, off, x->steps);
    shuf_summand_init_finite(&law, value, ratio->mass, ratio->count);
    shuf_iidsum_excesses(r, &law, x->steps, K, count, options);
    shuf_summand_clear_finite(&law);
    _arb_vec_clear(value, ratio->count);
}

/* r := what it encloses and off, times factor */
static void scale(shuf_enclosure_t r, const arb_t factor, const mag_t off)
{
    arb_t t;
    arb_init(t);
    arb_set_arf(t, r->lo);
    arb_add_error_mag(t, off);
    arb_mul(t, t, factor, PREC);
    arb_get_lbound_arf(r->lo, t, PREC);
    arb_set_arf(t, r->hi);
    arb_add_error_mag(t, off);
    arb_mul(t, t, factor, PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    arb_clear(t);
}

/* r[i] becomes the part of it in which the excess is. */
static void by_lines(shuf_enclosure_struct *r, const allocation_struct *x, shuf_direction direction, arb_srcptr alpha, slong count, const shuf_options *options)
{
    shuf_enclosure_struct *e = flint_malloc((size_t) count * sizeof(*e));
    arb_ptr K = _arb_vec_init(count);
    arb_t factor;
    mag_t off;
    slong i;
    arb_init(factor);
    mag_init(off);
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_init(&e[i]);
        if (direction == SHUF_DIRECTION_PQ)
        {
            arb_mul_ui(K + i, alpha + i, x->steps, PREC);
            continue;
        }
        arb_ui_div(K + i, x->steps, alpha + i, PREC);
        arb_neg(K + i, K + i);
    }
    excesses(e, off, x, direction, K, count, options);
    for (i = 0; i < count; i++)
    {
        arb_set(factor, alpha + i);
        if (direction == SHUF_DIRECTION_PQ)
            arb_one(factor);
        arb_div_ui(factor, factor, x->steps, PREC);
        scale(&e[i], factor, off);
        shuf_enclosure_intersect(&r[i], &e[i]);
        shuf_enclosure_clear(&e[i]);
    }
    arb_clear(factor);
    mag_clear(off);
    _arb_vec_clear(K, count);
    flint_free(e);
}

/* r := that and what is alone; above what is at other outcomes besides (Lemma 9). */
static void finish(shuf_enclosure_t r, const allocation_struct *x, shuf_direction direction)
{
    arb_t t;
    arf_t one;
    arb_init(t);
    arf_init(one);
    arf_one(one);
    if (direction == SHUF_DIRECTION_PQ)
    {
        arb_add_arf(t, x->ratio.below.alone, r->lo, PREC);
        arb_get_lbound_arf(r->lo, t, PREC);
        arb_set(t, x->ratio.is_exact ? x->ratio.below.alone : x->ratio.above.alone);
    }
    arb_add_arf(t, t, r->hi, PREC);
    arb_addmul_ui(t, x->ratio.lost, x->steps + 1, PREC);
    arb_get_ubound_arf(r->hi, t, PREC);
    arf_min(r->hi, r->hi, one);
    if (arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    arb_clear(t);
    arf_clear(one);
}

/* Whether no ratio is above alpha, or below 1/alpha. */
static int is_beyond(const allocation_struct *x, shuf_direction direction, const arb_t alpha)
{
    const ratio_law *ratio = x->ratio.is_exact ? &x->ratio.below : &x->ratio.above;
    arb_t t;
    slong i;
    int result = 1;
    arb_init(t);
    for (i = 0; i < ratio->count && result; i++)
    {
        arb_mul(t, ratio->value + i, alpha, PREC);
        arb_sub_ui(t, t, 1, PREC);
        result = direction == SHUF_DIRECTION_PQ ? arb_le(ratio->value + i, alpha) : arb_is_nonnegative(t);
    }
    arb_clear(t);
    return result;
}

/* r[i] encloses the divergence at alpha[i], in the direction PQ or QP. */
static void enclose(shuf_enclosure_struct *r, allocation_struct *x, shuf_direction direction, arb_srcptr alpha, slong count, const shuf_options *options)
{
    const int has_lines = x->ratio.is_exact && (x->ratio.below.count <= FEW_ATOMS || options->digits > SUM_DIGITS);
    slong i, accurate;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_zero(&r[i]);
        arf_one(r[i].hi);
    }
    by_sums(r, x, direction, alpha, count);
    for (accurate = 0; accurate < count && shuf_enclosure_accurate(&r[accurate], options->digits); accurate++)
        ;
    if (has_lines && accurate < count)
        by_lines(r, x, direction, alpha, count, options);
    for (i = 0; i < count; i++)
    {
        if (is_beyond(x, direction, alpha + i))
            shuf_enclosure_zero(&r[i]);
        finish(&r[i], x, direction);
    }
}

static shuf_status law_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t eps, shuf_direction direction,
                             const shuf_options *options)
{
    allocation_struct *x = self->data;
    const double start = shuf_work(), limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    arb_t alpha;
    (void) where;
    arb_init(alpha);
    shuf_enclosure_init(other);
    shuf_real_exp(alpha, eps, PREC);
    if (direction == SHUF_DIRECTION_BOTH)
    {
        shuf_share(&o, limit, 0.5);
        enclose(other, x, SHUF_DIRECTION_QP, alpha, 1, &o);
    }
    shuf_share(&o, limit, 1);
    enclose(r, x, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ, alpha, 1, &o);
    if (direction == SHUF_DIRECTION_BOTH)
        shuf_enclosure_max(r, r, other);
    shuf_enclosure_settle(r);
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.precision = PREC;
    r->ledger.work = shuf_work() - start;
    shuf_enclosure_clear(other);
    arb_clear(alpha);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

static shuf_status law_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_law_struct *self, const shuf_real_t delta, shuf_direction direction,
                               const shuf_options *options)
{
    shuf_enclosure_t most;
    shuf_real_t loss;
    arb_t v;
    (void) where;
    if (self->max_loss == NULL)
        return shuf_law_invert(r, self, delta, direction, SHUF_MAX_EPSILON, options);
    shuf_enclosure_init(most);
    shuf_real_init(loss);
    arb_init(v);
    self->max_loss(loss, self);
    shuf_real_get_arb(v, loss, PREC);
    shuf_enclosure_set_arb(most, v, PREC);
    if (shuf_real_sgn(delta) == 0) /* all ratios can be the largest one, or the smallest */
    {
        shuf_enclosure_set(r, most);
    }
    else
    {
        shuf_law_invert(r, self, delta, direction, SHUF_MAX_EPSILON, options);
        arf_min(r->hi, r->hi, most->hi);
        arf_min(r->lo, r->lo, r->hi);
    }
    shuf_enclosure_clear(most);
    shuf_real_clear(loss);
    arb_clear(v);
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* ---- nodes ---- */

/* The values of a direction at so many nodes; returns whether more are worth it. */
static int evaluate_nodes(polygon_node *node, slong count, allocation_struct *x, int d, const shuf_options *options)
{
    shuf_enclosure_struct *r = flint_malloc((size_t) count * sizeof(*r));
    arb_ptr alpha = _arb_vec_init(count);
    slong i;
    for (i = 0; i < count; i++)
    {
        shuf_enclosure_init(&r[i]);
        arb_set_fmpq(alpha + i, node[i].alpha, PREC);
    }
    enclose(r, x, d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, alpha, count, options);
    for (i = 0; i < count; i++)
    {
        arf_max(node[i].lo[d], node[i].lo[d], r[i].lo);
        arf_min(node[i].hi[d], node[i].hi[d], r[i].hi);
        shuf_enclosure_clear(&r[i]);
    }
    flint_free(r);
    _arb_vec_clear(alpha, count);
    return arf_sgn(node[count - 1].hi[d]) > 0 && steer_log(node[count - 1].hi[d]) > LEAST_LOG;
}

/* The noise multiplier of a Gaussian mechanism whose losses are about as large as a release's; steers only. */
static double about_noise(const allocation_struct *x)
{
    double large, variance = fmpq_get_d(x->noise->variance);
    if (shuf_noise_has_variance(x->noise->kind))
        return sqrt(x->noise->kind == SHUF_NOISE_BINOMIAL ? (double) x->noise->coins / 4 : variance * (double) x->noise->honest) / fmpq_get_d(x->noise->sensitivity);
    large = steer_real(x->noise->loss, PREC);
    return 1 / (sqrt(-2 * LEAST_LOG + 2 * large) - sqrt(-2 * LEAST_LOG));
}

static void prepare(const shuf_law_struct *self, const shuf_options *options)
{
    allocation_struct *x = self->data;
    const double limit = shuf_limit(options);
    shuf_options o = { NODE_DIGITS, 0.0 };
    polygon_node *node;
    slong count, end[2], i;
    int d;
    if (x->known)
        return;
    node = batch_nodes_init(&placing);
    shuf_share(&o, limit, CHUNK_SHARE);
    evaluate_nodes(node, 1, x, 0, &o);
    count = batch_nodes_place(node, &placing, arf_get_d(node->hi[0], ARF_RND_NEAR), about_noise(x));
    for (d = 0; d < 2; d++)
    {
        int is_worth = 1;
        for (i = end[d] = 0; i < count && is_worth && !shuf_exhausted(limit); i = end[d])
        {
            end[d] = FLINT_MIN(i + CHUNK, count);
            shuf_share(&o, limit, CHUNK_SHARE);
            is_worth = evaluate_nodes(node + i, end[d] - i, x, d, &o);
        }
    }
    count = FLINT_MAX(FLINT_MAX(end[0], end[1]), 1);
    for (i = 1; i < count; i++)
        for (d = 0; d < 2; d++)
            arf_min(node[i].hi[d], node[i].hi[d], node[i - 1].hi[d]);
    polygon_set_above(x->above, node, count, 0);
    polygon_set_below(x->below, node, count, 0);
    x->known = 1;
    batch_nodes_clear(node, &placing);
}

/* Between the two polygons. */
static shuf_status evaluate(arf_ptr lo, arf_ptr hi, const shuf_law_struct *self, shuf_direction direction, arf_srcptr s, slong count, const shuf_options *options)
{
    const allocation_struct *x = self->data;
    return polygon_evaluate_between(lo, hi, x->above_law, x->below_law, direction, s, count, options);
}

/* ---- what is that of a release, or no more ---- */

static int largest_loss(shuf_real_t loss, const shuf_law_struct *self)
{
    const allocation_struct *x = self->data;
    return x->base->max_loss(loss, x->base);
}

static void log_moment(arb_t v, const shuf_law_struct *self, const arb_t order, slong prec)
{
    const allocation_struct *x = self->data;
    x->base->log_moment(v, x->base, order, prec);
}

/* What no release without the record has, with it one release has. */
static void infinite_mass(arf_t infinite, const shuf_law_struct *self, shuf_direction direction)
{
    const allocation_struct *x = self->data;
    arf_zero(infinite);
    if (direction == SHUF_DIRECTION_PQ)
        x->base->infinite(infinite, x->base, direction);
}

static int same(const shuf_law_struct *self, const shuf_law_struct *other)
{
    const allocation_struct *x = self->data, *y = other->data;
    return x->steps == y->steps && shuf_law_equal(x->base, y->base);
}

static void clear(shuf_law_struct *self)
{
    allocation_struct *x = self->data;
    polygon_clear(x->above);
    polygon_clear(x->below);
    convex_sum_clear(x->sum[0]);
    convex_sum_clear(x->sum[1]);
    pthread_mutex_destroy(&x->lock);
    ratio_laws_clear(&x->ratio);
    shuf_law_clear(x->base);
    shuf_noise_clear(x->noise);
    flint_free(x);
}

/* Coq: Allocation.noise_allocation, Allocation.noise_allocation_attained. */
void allocation_law(shuf_law_t law, const shuf_noise_t noise, uint64_t steps)
{
    allocation_struct *x = flint_calloc(1, sizeof(*x));
    uint64_t one = 1;
    shuf_noise_init(x->noise);
    shuf_noise_set(x->noise, noise);
    x->steps = steps;
    noise_law(x->base, noise, shuf_one, &one);
    ratio_laws_init(&x->ratio, noise);
    pthread_mutex_init(&x->lock, NULL);
    polygon_init(x->above);
    polygon_init(x->below);
    polygon_law(x->above_law, x->above);
    polygon_law(x->below_law, x->below);
    shuf_law_init(law);
    law->data = x;
    law->delta = law_delta;
    law->epsilon = law_epsilon;
    law->prepare = prepare;
    law->evaluate = evaluate;
    law->clear = clear;
    law->same = same;
    if (x->base->max_loss != NULL)
        law->max_loss = largest_loss;
    if (x->base->log_moment != NULL)
        law->log_moment = log_moment;
    fmpq_set(law->moment, x->base->moment);
    law->moment_is_reached = x->base->moment_is_reached;
    if (noise->kind == SHUF_NOISE_BINOMIAL)
        law->infinite = infinite_mass;
}

/* ---- from below ---- */

/* Outcomes that are told apart: batch_law_outcome_sum takes 1000. Steers only. */
#define MOST_CELLS 900

/* The outcomes are neighbouring atoms together, and what is alone. Coq: Allocation.allocation_below, Allocation.allocation_below_epochs. */
void allocation_law_below(shuf_law_t law, const shuf_noise_t noise, uint64_t steps, uint64_t taking)
{
    ratio_laws ratio;
    arb_ptr with, without;
    slong i, width, count;
    ratio_laws_init(&ratio, noise);
    width = (ratio.below.count - 1) / MOST_CELLS + 1;
    count = (ratio.below.count - 1) / width + 2;
    with = _arb_vec_init(count);
    without = _arb_vec_init(count);
    for (i = 0; i < ratio.below.count; i++)
    {
        arb_addmul(with + i / width, ratio.below.value + i, ratio.below.mass + i, PREC);
        arb_add(without + i / width, without + i / width, ratio.below.mass + i, PREC);
    }
    arb_set(with + count - 1, ratio.below.alone);
    batch_law_outcome_sum(law, steps, taking, with, without, count);
    _arb_vec_clear(with, count);
    _arb_vec_clear(without, count);
    ratio_laws_clear(&ratio);
}
