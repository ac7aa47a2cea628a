/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/binary.h"

#include <math.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "pld/polygon.h"

void binary_init(binary_t x)
{
    x->users = 1;
    x->absent = 0;
    counts_bits_init(x->bits);
    counts_bits_init(x->own);
    x->has_own = 0;
    arb_one(x->bits->p);
    arb_one(x->bits->q_rest);
    x->mirrored = 1;
    x->has_loss = 0;
    shuf_real_init(x->largest_loss);
}

void binary_clear(binary_t x)
{
    counts_bits_clear(x->bits);
    counts_bits_clear(x->own);
    shuf_real_clear(x->largest_loss);
}

/* ---- the search ---- */

/* Values below are as good as none. Steers only. */
#define NEGLIGIBLE 1e-280

/* What is left out of a law is some e^-margin of what is kept: where its value is wanted, and where a bound is within a slack. Steer only. */
#define MARGIN 30.0
#define SLACK_MARGIN 8.0

/* One alpha in one direction, and what is known of it. */
typedef struct
{
    shuf_direction direction;
    counts_point point;
    double target;     /* a box with no more may be put aside, */
    double slack;      /* or with no more than 1 + slack times the lower end; */
    double lo, hi;     /* of the largest value: lo is that of the data, hi of what was put aside */
    uint64_t ones;
} node_struct;

typedef struct
{
    counts_steps steps;
    const counts_bits_struct *bits;
    uint64_t others, drawn;
    node_struct *nodes;
    slong count;
    double limit;
    double margin;
    range_struct *values; /* at the nodes, of the box looked at last, */
    round_law law;        /* its law if there is one, and what it is of */
    int has_law;
    int is_coarse;        /* data spread evenly will do */
    uint64_t low, high;
    double below, above, law_margin;
} search_struct;

static int has_direction(const search_struct *s, shuf_direction direction)
{
    slong i;
    for (i = 0; i < s->count; i++)
        if (s->nodes[i].direction == direction)
            return 1;
    return 0;
}

/* Users whose data are one of those with low to high ones, but for those who differ; of a sample as many as there can be (Lemma 9). */
static round_users users_of(const counts_steps *steps, const counts_bits_struct *bits, uint64_t others, uint64_t drawn, uint64_t low, uint64_t high)
{
    round_users u = { steps, bits, low, others - high, drawn };
    u.drawn = FLINT_MIN(drawn, u.ones + u.zeros + 1);
    return u;
}

/* How much of the law of these users the nodes of a direction need; nodes of a direction are in the order of eps. */
static double cut(const search_struct *s, shuf_direction direction, const round_users *users)
{
    double depth = 0;
    slong i;
    for (i = s->count - 1; i >= 0; i--)
        if (s->nodes[i].direction == direction && s->nodes[i].point.gain.hi > 0)
        {
            depth = round_depth(users, direction, &s->nodes[i].point);
            break;
        }
    return fmin(depth + s->margin, COUNTS_CUT);
}

/* The law of a sample is kept this much further out than is wanted, for the next eps with the same data. Steers only. */
#define KEPT 20.0

/* The law of these data, if it is not the one that is there. Returns 0 where doubles do not reach. */
static int need_law(search_struct *s, uint64_t low, uint64_t high)
{
    int pq = has_direction(s, SHUF_DIRECTION_PQ), qp = has_direction(s, SHUF_DIRECTION_QP);
    double further = s->drawn <= s->others ? KEPT : 0;
    round_users users = users_of(&s->steps, s->bits, s->others, s->drawn, low, high);
    double below = qp ? cut(s, SHUF_DIRECTION_QP, &users) : s->margin, above = pq ? cut(s, SHUF_DIRECTION_PQ, &users) : s->margin;
    if (s->has_law && further > 0 && low == s->low && high == s->high && below <= s->below && above <= s->above && s->margin <= s->law_margin)
        return 1;
    if (s->has_law)
        round_law_clear(&s->law);
    s->low = low;
    s->high = high;
    s->below = below + further;
    s->above = above + further;
    s->law_margin = s->margin;
    s->has_law = round_law_init(&s->law, &users, pq, qp, s->below, s->above, s->margin);
    return s->has_law;
}

/* The values of data with between low and high ones, from above: the users between are left out. Returns 0 where doubles do not reach. */
static int evaluate(search_struct *s, uint64_t low, uint64_t high)
{
    slong i;
    if (!need_law(s, low, high))
        return 0;
    for (i = 0; i < s->count; i++)
        round_divergence(&s->values[i], &s->law, s->nodes[i].direction, &s->nodes[i].point);
    return 1;
}

/* The lower ends learn from the data just evaluated. */
static void learn(search_struct *s, uint64_t ones)
{
    slong i;
    for (i = 0; i < s->count; i++)
        if (s->values[i].lo > s->nodes[i].lo)
        {
            s->nodes[i].lo = s->values[i].lo;
            s->nodes[i].ones = ones;
        }
}

static int is_small(const search_struct *s)
{
    slong i;
    for (i = 0; i < s->count; i++)
    {
        const node_struct *x = &s->nodes[i];
        double most = fmax(fmax(x->hi, x->target), fmax(x->lo * (1 + x->slack), NEGLIGIBLE));
        if (s->values[i].hi > most)
            return 0;
    }
    return 1;
}

static void put_aside(search_struct *s)
{
    slong i;
    for (i = 0; i < s->count; i++)
        s->nodes[i].hi = fmax(s->nodes[i].hi, s->values[i].hi);
}

typedef enum
{
    SWEEP_DONE,
    SWEEP_EXCEEDED, /* data exceed a node's target, or may do so */
    SWEEP_CUT,      /* the budget is spent, */
    SWEEP_FAILED    /* or doubles do not reach: nothing is known from above */
} sweep_status;

/* Boxes that what is left is cut into when the budget is spent. Steers only. */
#define COARSE_BOXES 16

/*
 * From no ones to all: boxes that are as long as their bounds are small. With
 * targets, data above one end the sweep.
 */
static sweep_status sweep(search_struct *s, int has_target)
{
    uint64_t low = 0, size = s->others / 16 + 1;
    int spent = 0;
    slong i;
    for (i = 0; i < s->count; i++)
        s->nodes[i].hi = 0;
    while (low <= s->others)
    {
        uint64_t high = FLINT_MIN(s->others, low + size - 1);
        int single = high == low;
        if (!spent && shuf_exhausted(s->limit))
        {
            spent = 1;
            size = (s->others - low) / COARSE_BOXES + 1;
            continue;
        }
        if (!evaluate(s, low, high))
            return SWEEP_FAILED;
        if (single)
            learn(s, low);
        if (!spent && !is_small(s))
        {
            if (single && has_target)
                return SWEEP_EXCEEDED;
            if (!single)
            {
                size = (high - low + 1) / 2;
                continue;
            }
        }
        put_aside(s);
        low = high + 1;
        size += size / 2 + 1;
    }
    return spent ? SWEEP_CUT : SWEEP_DONE;
}

#define SEEDS 16 /* steers only */

/* Up to so many users all data are evaluated. Steers only. */
#define ALL_DATA 4000

/* Lower ends from data spread evenly, and of one node from all, or smaller and smaller steps around the best. */
static int seed(search_struct *s)
{
    uint64_t step;
    int i;
    for (i = 0; i <= SEEDS; i++)
    {
        uint64_t ones = (uint64_t) i * (s->others / SEEDS) + (uint64_t) i * (s->others % SEEDS) / SEEDS;
        if (!evaluate(s, ones, ones))
            return 0;
        learn(s, ones);
    }
    if (s->count > 1 || s->is_coarse)
        return 1;
    for (step = 0; s->others <= ALL_DATA && step <= s->others; step++)
        if (evaluate(s, step, step))
            learn(s, step);
    for (step = s->others / (2 * SEEDS); step > 0 && !shuf_exhausted(s->limit); step /= 2)
    {
        uint64_t centre = s->nodes->ones;
        if (centre >= step && evaluate(s, centre - step, centre - step))
            learn(s, centre - step);
        if (centre + step <= s->others && evaluate(s, centre + step, centre + step))
            learn(s, centre + step);
    }
    return 1;
}

static void search_init(search_struct *s, const binary_t x, slong count, double limit)
{
    memset(s, 0, sizeof(*s));
    counts_steps_set(&s->steps, x->bits);
    s->bits = x->bits;
    s->others = x->users - 1;
    s->drawn = x->users - x->absent;
    s->count = count;
    s->limit = limit;
    s->margin = MARGIN;
    s->nodes = flint_calloc((size_t) count, sizeof(*s->nodes));
    s->values = flint_malloc((size_t) count * sizeof(*s->values));
}

static void search_clear(search_struct *s)
{
    flint_free(s->nodes);
    flint_free(s->values);
    if (s->has_law)
        round_law_clear(&s->law);
}

static void node_set(node_struct *node, const binary_t x, shuf_direction direction, const arb_t eps)
{
    memset(node, 0, sizeof(*node));
    node->direction = direction;
    counts_point_set(&node->point, x->has_own ? x->own : x->bits, direction, eps);
}

static int in_range(const binary_t x)
{
    return x->users >= 1 && x->users <= COUNTS_MAX_USERS && x->absent < x->users;
}

/* Whether so many evaluations of a sample, down to a value, are within a part of the work that is left; of everyone they always are. */
static int can_afford(const binary_t x, double evaluations, double value, double part, double limit)
{
    counts_steps steps;
    round_users users;
    if (x->absent == 0)
        return 1;
    counts_steps_set(&steps, x->bits);
    users = users_of(&steps, x->bits, x->users - 1, x->users - x->absent, (x->users - 1) / 2, (x->users - 1) / 2);
    return steps.good && (limit <= 0 || evaluations * round_price(&users, MARGIN - d_log(value), MARGIN) <= part * (limit - shuf_work()));
}

/* Evaluations that a number takes. Steer only. */
#define EVALUATIONS 60.0
#define TYPICAL 1e-10

/* The profile of a sample, whose data cost more, reaches to where it is about this small. Steers only. */
#define SAMPLE_TOP 1e-30

/* ---- delta ---- */

static void set_unknown(shuf_enclosure_t r)
{
    shuf_enclosure_unknown(r, 1);
    mag_one(r->ledger.truncation);
}

static void set_ends(shuf_enclosure_t r, double lo, double hi)
{
    shuf_enclosure_zero(r);
    arf_set_d(r->lo, fmax(lo, 0));
    arf_set_d(r->hi, fmin(hi, 1));
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.precision = 53;
}

/* Slacks are tried down to this if the last took less than so much work. Steer only. */
#define FIRST_SLACK 1e-2
#define CHEAP 3e8

/* Of a sample data cost more: smaller steps, and at any slack. */
static double next_slack(const binary_t x, double slack, double least, double work)
{
    if (slack <= least || (work > CHEAP && (x->absent > 0 || slack <= 1e-4)))
        return 0;
    return fmax(slack / (x->absent > 0 ? 4 : 100), least);
}

static shuf_status delta_in(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t eps,
                            shuf_direction direction, int below, const shuf_options *options)
{
    double limit = shuf_limit(options), least = 0.9 * d_pow(10, -(double) options->digits), slack = FIRST_SLACK;
    search_struct s;
    arb_t t;
    int known = 0;

    arb_init(t);
    search_init(&s, x, 1, limit);
    shuf_real_get_arb(t, eps, COUNTS_PREC);
    node_set(s.nodes, x, direction, t);
    set_unknown(r);
    if (s.steps.good && can_afford(x, EVALUATIONS, TYPICAL, 1, limit) && seed(&s))
    {
        if (below && evaluate(&s, s.nodes->ones, s.nodes->ones))
        {
            known = 1;
            set_ends(r, s.values->lo, s.values->hi);
        }
        if (s.others <= ALL_DATA)
            slack = least = 0;
        while (!below)
        {
            double start = shuf_work(), best = known ? arf_get_d(r->hi, ARF_RND_CEIL) : HUGE_VAL;
            sweep_status status;
            s.nodes->slack = slack;
            s.margin = slack > 0 ? SLACK_MARGIN - d_log(slack) : MARGIN;
            status = sweep(&s, 0);
            if (status == SWEEP_FAILED)
                break;
            known = 1;
            set_ends(r, s.nodes->lo, fmin(s.nodes->hi, best));
            slack = slack > 0 ? next_slack(x, slack, least, shuf_work() - start) : 0;
            if (status == SWEEP_CUT || slack == 0)
                break;
        }
    }
    if (known)
    {
        data->ones = s.nodes->ones;
        data->direction = direction;
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    search_clear(&s);
    arb_clear(t);
    return r->status;
}

/* What binary_delta and binary_epsilon are of, in one direction. */
typedef shuf_status (*in_direction)(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t point, shuf_direction direction,
                                    int below, const shuf_options *options);

/* The direction that is asked for, or the larger of both, and its data unless that is NULL. Returns 0 where nothing is known of one. */
static int in_directions(shuf_enclosure_t r, binary_data *data, in_direction enclose, const binary_t x, const shuf_real_t point,
                         shuf_direction direction, int below, const shuf_options *options)
{
    binary_data first = { 0, SHUF_DIRECTION_PQ }, second = first;
    int known;
    if (direction != SHUF_DIRECTION_BOTH || x->mirrored)
    {
        known = enclose(r, &first, x, point, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ, below, options) != SHUF_DOMAIN;
    }
    else
    {
        shuf_options o = *options;
        shuf_enclosure_t other;
        shuf_enclosure_init(other);
        shuf_share(&o, shuf_limit(options), 0.5);
        known = enclose(r, &first, x, point, SHUF_DIRECTION_PQ, below, &o) != SHUF_DOMAIN;
        known = enclose(other, &second, x, point, SHUF_DIRECTION_QP, below, &o) != SHUF_DOMAIN && known;
        if (arf_cmp(other->lo, r->lo) > 0)
            first = second;
        shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
    }
    if (data != NULL)
        *data = first;
    return known;
}

shuf_status binary_delta(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t eps,
                              shuf_direction direction, int below, const shuf_options *options)
{
    double start = shuf_work();
    set_unknown(r);
    if (!in_range(x) || shuf_real_sgn(eps) < 0)
        return r->status;
    if (x->has_loss && shuf_real_cmp(eps, x->largest_loss) >= 0)
    {
        shuf_enclosure_zero(r);
        r->status = SHUF_OK;
        if (data != NULL)
            *data = (binary_data) { 0, SHUF_DIRECTION_PQ };
    }
    else if (!in_directions(r, data, delta_in, x, eps, direction, below, options))
    {
        set_unknown(r);
    }
    r->ledger.work = shuf_work() - start;
    return r->status;
}

shuf_status binary_delta_of(shuf_enclosure_t r, const binary_t x, uint64_t ones, const shuf_real_t eps,
                                 shuf_direction direction, const shuf_options *options)
{
    search_struct s;
    arb_t t;
    set_unknown(r);
    if (!in_range(x) || ones >= x->users || shuf_real_sgn(eps) < 0)
        return r->status;
    if (direction == SHUF_DIRECTION_BOTH)
    {
        shuf_enclosure_t other;
        shuf_enclosure_init(other);
        binary_delta_of(r, x, ones, eps, SHUF_DIRECTION_PQ, options);
        if (binary_delta_of(other, x, ones, eps, SHUF_DIRECTION_QP, options) == SHUF_DOMAIN)
            set_unknown(r);
        else if (r->status != SHUF_DOMAIN)
            shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
        return r->status;
    }
    arb_init(t);
    search_init(&s, x, 1, 0);
    shuf_real_get_arb(t, eps, COUNTS_PREC);
    node_set(s.nodes, x, direction, t);
    if (s.steps.good && evaluate(&s, ones, ones))
    {
        set_ends(r, s.values->lo, s.values->hi);
        if (x->has_loss && shuf_real_cmp(eps, x->largest_loss) >= 0)
            shuf_enclosure_zero(r);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    search_clear(&s);
    arb_clear(t);
    return r->status;
}

/* ---- eps ---- */

/* delta, and the search at one eps after another. */
typedef struct
{
    const binary_struct *x;
    shuf_direction direction;
    range_struct delta;
    search_struct s;
} crossing_struct;

static void set_eps(crossing_struct *c, double eps)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, eps);
    node_set(c->s.nodes, c->x, c->direction, t);
    arb_clear(t);
}

/* A divergence is less than e^-depth, roughly; certainly, for what it matters, where the depth is this much more. Steers only. */
#define FAR 10.0

/* Whether the data have more than delta at eps: 1 certainly, -1 certainly not, 0 open. */
static int exceeds(crossing_struct *c, uint64_t ones, double eps)
{
    round_users users = users_of(&c->s.steps, c->s.bits, c->s.others, c->s.drawn, ones, ones);
    set_eps(c, eps);
    /* laws of samples are dear, and this far out they are of no use */
    if (c->x->absent > 0 && round_depth(&users, c->direction, &c->s.nodes->point) > FAR - d_log(c->delta.lo))
        return 0;
    if (!evaluate(&c->s, ones, ones))
        return 0;
    return c->s.values->lo > c->delta.hi ? 1 : c->s.values->hi <= c->delta.lo ? -1 : 0;
}

/* Beyond this, odds leave the doubles. Steer only. */
#define LARGEST_EPS 600.0
#define BISECTIONS 48

/* An eps at which the data certainly have more than delta, close to the largest; 0 when none is found. */
static double crossing(crossing_struct *c, uint64_t ones, double guess)
{
    double low = 0, high = guess > 0 ? guess : 1;
    int i;
    while (high < LARGEST_EPS && exceeds(c, ones, high) > 0)
    {
        low = high;
        high *= 1.5;
    }
    for (i = 0; i < BISECTIONS && high - low > 1e-12 * high; i++)
    {
        double middle = low > 0 && high > 4 * low ? sqrt(low * high) : (low + high) / 2;
        if (exceeds(c, ones, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#define RESTARTS 50 /* steers only */

/* r->hi := an eps that is certified, within 1 + slack of lo. Returns 0 when there is none; lo grows where other data have more. */
static int certify(shuf_enclosure_t r, crossing_struct *c, double *lo, binary_data *data, double slack)
{
    int i;
    for (i = 0; i < RESTARTS; i++)
    {
        double eps = *lo > 0 ? *lo * (1 + slack) : 0, other;
        uint64_t ones;
        sweep_status status;
        set_eps(c, eps);
        c->s.nodes->target = c->delta.lo;
        c->s.margin = SLACK_MARGIN - d_log(slack);
        status = sweep(&c->s, 1);
        c->s.margin = MARGIN;
        if (status != SWEEP_FAILED && status != SWEEP_EXCEEDED && c->s.nodes->hi <= c->delta.lo)
        {
            arf_set_d(r->hi, eps);
            return 1;
        }
        if (status != SWEEP_EXCEEDED || shuf_exhausted(c->s.limit))
            return 0;
        ones = c->s.nodes->ones;
        other = crossing(c, ones, eps);
        if (!(other > *lo))
            return 0;
        *lo = other;
        data->ones = ones;
    }
    return 0;
}

static void set_no_epsilon(shuf_enclosure_t r)
{
    shuf_enclosure_unknown(r, 0);
    mag_inf(r->ledger.truncation);
}

/* The same for the data that promise most at lo, and so on until none do. */
static double climb(crossing_struct *c, binary_data *data, double lo)
{
    double eps;
    uint64_t ones;
    int i;
    for (i = 0; i < RESTARTS; i++)
    {
        set_eps(c, lo);
        if (!seed(&c->s))
            break;
        ones = c->s.nodes->ones;
        eps = crossing(c, ones, lo);
        if (!(eps > lo))
            break;
        data->ones = ones;
        lo = eps;
    }
    return lo;
}

static shuf_status epsilon_in(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t delta,
                              shuf_direction direction, int below, const shuf_options *options)
{
    double least = 0.9 * d_pow(10, -(double) options->digits), slack = FIRST_SLACK, lo, other;
    crossing_struct c = { x, direction, { 0, 0 }, { .count = 0 } };
    arb_t t;

    set_no_epsilon(r);
    data->direction = direction;
    arb_init(t);
    shuf_real_get_arb(t, delta, COUNTS_PREC);
    range_set_arb(&c.delta, t);
    arb_clear(t);
    search_init(&c.s, x, 1, shuf_limit(options));
    if (c.s.steps.good && c.delta.lo >= NEGLIGIBLE && can_afford(x, EVALUATIONS, c.delta.lo, 1, c.s.limit))
    {
        lo = crossing(&c, 0, 0);
        other = crossing(&c, c.s.others, lo);
        set_eps(&c, fmax(lo, other));
        data->ones = other > lo ? c.s.others : 0;
        lo = fmax(lo, other);
        lo = climb(&c, data, lo);
        if (below && exceeds(&c, data->ones, lo * (1 + least)) < 0)
            arf_set_d(r->hi, lo * (1 + least));
        while (!below)
        {
            double start = shuf_work();
            if (!certify(r, &c, &lo, data, slack))
                break;
            r->status = SHUF_ACCURACY;
            slack = next_slack(x, slack, least, shuf_work() - start);
            if (slack == 0 || lo == 0 || shuf_exhausted(c.s.limit))
                break;
        }
        arf_set_d(r->lo, lo);
    }
    if (arf_is_finite(r->hi))
    {
        mag_zero(r->ledger.truncation);
        shuf_enclosure_width(r->ledger.discretisation, r);
        r->ledger.precision = 53;
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    }
    search_clear(&c.s);
    return r->status;
}

shuf_status binary_epsilon(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t delta,
                                shuf_direction direction, int below, const shuf_options *options)
{
    double start = shuf_work();
    set_no_epsilon(r);
    if (!in_range(x) || shuf_real_sgn(delta) <= 0)
        return r->status;
    if (!in_directions(r, data, epsilon_in, x, delta, direction, below, options))
        r->status = SHUF_DOMAIN;
    else
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
    r->ledger.work = shuf_work() - start;
    return r->status;
}

/* The part of its value at 0 that a divergence has fallen to where data are chosen for compositions. Steers only. */
#define CHOICE 0.05

/* Work that it may take of a sample, which comes before any limit. Steers only. */
#define CHOICE_WORK 2e8

static double choose_in(binary_data *data, const binary_t x, shuf_direction direction)
{
    crossing_struct c = { x, direction, { 0, 0 }, { .count = 0 } };
    double eps = 0;
    data->direction = direction;
    data->ones = 0;
    search_init(&c.s, x, 1, 0);
    c.s.is_coarse = x->absent > 0;
    set_eps(&c, 0);
    if (c.s.steps.good && evaluate(&c.s, c.s.others / 2, c.s.others / 2))
    {
        c.delta.lo = c.delta.hi = CHOICE * c.s.values->lo;
        eps = crossing(&c, c.s.others / 2, 0);
        set_eps(&c, eps);
        if (seed(&c.s))
            data->ones = c.s.nodes->ones;
        eps = crossing(&c, data->ones, eps);
    }
    search_clear(&c.s);
    return eps;
}

int binary_choose(binary_data *data, const binary_t x, shuf_direction direction)
{
    binary_data other;
    if (!can_afford(x, EVALUATIONS, SAMPLE_TOP, 1, shuf_work() + CHOICE_WORK))
        return 0;
    if (direction != SHUF_DIRECTION_BOTH)
        choose_in(data, x, direction);
    else if (choose_in(data, x, SHUF_DIRECTION_PQ) < choose_in(&other, x, SHUF_DIRECTION_QP))
        *data = other;
    return 1;
}

/* ---- profiles ---- */

#define NODES 1024 /* steers only */

/* What a profile is known to. Of a sample data cost more. */
static const struct accuracy
{
    double top;    /* the nodes reach to where the profile is about this small, */
    double least;  /* and a box is not looked into for less; */
    double slack;  /* how much larger eps may be for what the boxes are known by; */
    double cut;    /* how much of the laws of data is kept; */
    size_t starts; /* data that say where the nodes end */
} of_everyone = { 1e-60, 1e-64, 5e-4, COUNTS_CUT, 3 }, of_sample = { SAMPLE_TOP, 1e-34, 2.5e-3, 120.0, 1 };

static const struct accuracy *accuracy_of(const binary_t x)
{
    return x->absent > 0 ? &of_sample : &of_everyone;
}

/* Values are known to this part of the slack of eps. Steers only. */
#define VALUE_PART 0.4

/* Boxes that a sweep takes, times the slack, roughly; and the part of the work that they may take: else there is no table. Steer only. */
#define BOXES 4.0
#define TABLE_PART 0.4

/* Data whose own profiles make up the lower end. Steers only. */
#define MOST_LAWS 5

struct binary_table
{
    binary_t x;
    int is_data;
    double step;              /* of the nodes 0, step, .., NODES step, */
    node_struct *nodes;       /* those of PQ before those of QP, which end in the values of the worst */
    round_law law[MOST_LAWS];
    uint64_t ones[MOST_LAWS];
    size_t laws;
};

static void set_copy(binary_t y, const binary_t x)
{
    binary_init(y);
    y->users = x->users;
    y->absent = x->absent;
    arb_set(y->bits->p, x->bits->p);
    arb_set(y->bits->p_rest, x->bits->p_rest);
    arb_set(y->bits->q, x->bits->q);
    arb_set(y->bits->q_rest, x->bits->q_rest);
    y->mirrored = x->mirrored;
    y->has_loss = x->has_loss;
    shuf_real_set(y->largest_loss, x->largest_loss);
}

static int add_law(binary_table *t, const counts_steps *steps, uint64_t ones, double cut)
{
    round_users users = users_of(steps, t->x->bits, t->x->users - 1, t->x->users - t->x->absent, ones, ones);
    size_t i;
    for (i = 0; i < t->laws; i++)
        if (t->ones[i] == ones)
            return 1;
    if (t->laws == MOST_LAWS || !round_law_init(&t->law[t->laws], &users, 1, 1, cut, cut, MARGIN))
        return 0;
    t->ones[t->laws++] = ones;
    return 1;
}

binary_table *binary_of(const binary_t x, uint64_t ones)
{
    binary_table *t;
    counts_steps steps;
    if (!in_range(x) || ones >= x->users)
        return NULL;
    t = flint_calloc(1, sizeof(*t));
    set_copy(t->x, x);
    t->is_data = 1;
    counts_steps_set(&steps, x->bits);
    if (!add_law(t, &steps, ones, accuracy_of(x)->cut))
    {
        binary_free(t);
        t = NULL;
    }
    return t;
}

void binary_free(binary_table *t)
{
    size_t i;
    if (t == NULL)
        return;
    for (i = 0; i < t->laws; i++)
        round_law_clear(&t->law[i]);
    flint_free(t->nodes);
    binary_clear(t->x);
    flint_free(t);
}

/* Where the worst of some data has fallen to the least value, roughly, as a number of few bits. */
static double find_top(const binary_t x, double limit)
{
    static const shuf_direction both[2] = { SHUF_DIRECTION_PQ, SHUF_DIRECTION_QP };
    const struct accuracy *accuracy = accuracy_of(x);
    double top = 1e-9, value = accuracy->top;
    size_t i, k;
    for (i = 0; i < 2; i++)
    {
        crossing_struct c = { x, both[i], { value, value }, { .count = 0 } };
        search_init(&c.s, x, 1, limit);
        for (k = 0; k < accuracy->starts; k++)
            top = fmax(top, crossing(&c, k * (c.s.others / 2), top));
        search_clear(&c.s);
    }
    return top;
}

/* The slack of a node, from how its lower end falls to the next. */
static void set_slacks(node_struct *nodes, const struct accuracy *accuracy)
{
    slong i;
    for (i = 0; i <= NODES; i++)
    {
        double fall = i < NODES && nodes[i + 1].lo > 0 ? d_log(nodes[i].lo / nodes[i + 1].lo) : 0;
        nodes[i].target = accuracy->least;
        nodes[i].slack = accuracy->slack * fmax(VALUE_PART, (double) i * fall);
    }
}

binary_table *binary_worst(const binary_t x, const shuf_options *options)
{
    binary_table *t;
    search_struct s;
    arb_t eps;
    const struct accuracy *accuracy = accuracy_of(x);
    slong i, count = 2 * (NODES + 1);
    int exponent, known, half = x->mirrored && x->absent > 0; /* the other direction is alike */

    if (!in_range(x))
        return NULL;
    t = flint_calloc(1, sizeof(*t));
    set_copy(t->x, x);
    search_init(&s, x, count, shuf_limit(options));
    known = s.steps.good && can_afford(x, 2 * BOXES / accuracy->slack, SAMPLE_TOP, TABLE_PART, s.limit);
    if (known)
    {
        arb_init(eps);
        /* a multiple of every count of nodes is exact */
        t->step = frexp(find_top(x, s.limit) / NODES, &exponent);
        t->step = ldexp(ceil(ldexp(t->step, 30)), exponent - 30);
        for (i = 0; i <= NODES; i++)
        {
            arb_set_d(eps, t->step * (double) i);
            node_set(&s.nodes[i], x, SHUF_DIRECTION_PQ, eps);
            node_set(&s.nodes[NODES + 1 + i], x, SHUF_DIRECTION_QP, eps);
        }
        arb_clear(eps);
        s.count = half ? NODES + 1 : count;
        known = seed(&s);
        set_slacks(s.nodes, accuracy);
        set_slacks(s.nodes + NODES + 1, accuracy);
        s.margin = SLACK_MARGIN - d_log(VALUE_PART * accuracy->slack);
        known = known && sweep(&s, 0) != SWEEP_FAILED;
        for (i = 0; half && i <= NODES; i++)
        {
            s.nodes[NODES + 1 + i] = s.nodes[i];
            s.nodes[NODES + 1 + i].direction = SHUF_DIRECTION_QP;
            s.nodes[NODES + 1 + i].ones = s.others - s.nodes[i].ones;
        }
    }
    t->nodes = s.nodes;
    s.nodes = NULL;
    for (i = 0; known && i < 8 * MOST_LAWS && t->laws < MOST_LAWS; i++)
    {
        /* data of nodes far apart, in both directions */
        slong k = i / 2 * (NODES / (4 * MOST_LAWS)) + i % 2 * (NODES + 1);
        if (t->nodes[k].lo > 0)
            known = add_law(t, &s.steps, t->nodes[k].ones, accuracy->cut);
    }
    search_clear(&s);
    if (!known)
    {
        binary_free(t);
        t = NULL;
    }
    return t;
}

/* hi := the chord of two nodes at s (for a convex function, above it). */
static void chord(arf_t hi, const binary_table *t, const node_struct *nodes, const arf_t s)
{
    double x = arf_get_d(s, ARF_RND_FLOOR);
    slong i = x / t->step < NODES ? (slong) (x / t->step) : NODES;
    arb_t u, v, w;
    /* the quotient is rounded */
    if (x < t->step * (double) i)
        i--;
    if (i >= NODES)
    {
        arf_set_d(hi, nodes[NODES].hi);
        return;
    }
    arb_init(u);
    arb_init(v);
    arb_init(w);
    /* u := (alpha - alpha_i)/(alpha_{i+1} - alpha_i) in [0, 1] */
    arb_set_d(v, t->step);
    arb_expm1(v, v, COUNTS_PREC);
    arb_set_d(u, t->step * (double) i);
    arb_sub_arf(u, u, s, COUNTS_PREC);
    arb_neg(u, u);
    arb_expm1(u, u, COUNTS_PREC);
    arb_div(u, u, v, COUNTS_PREC);
    arb_set_d(v, nodes[i + 1].hi);
    arb_mul(v, v, u, COUNTS_PREC);
    shuf_ball_complement(u, u, COUNTS_PREC);
    arb_nonnegative_part(u, u);
    arb_set_d(w, nodes[i].hi);
    arb_addmul(v, w, u, COUNTS_PREC);
    arb_get_ubound_arf(hi, v, COUNTS_PREC);
    arb_clear(u);
    arb_clear(v);
    arb_clear(w);
}

/* Widens [lo, hi] to the value at s in one direction. */
static void add_value(arf_t lo, arf_t hi, const binary_table *t, shuf_direction direction, const arf_t s)
{
    range_struct value = { 0, 1 }, best = { 0, 0 };
    counts_point point;
    arf_t end;
    arb_t eps;
    size_t i;
    arf_init(end);
    arb_init(eps);
    arb_set_arf(eps, s);
    counts_point_set(&point, t->x->bits, direction, eps);
    for (i = 0; i < t->laws; i++)
    {
        round_divergence(&value, &t->law[i], direction, &point);
        best.lo = fmax(best.lo, value.lo);
        best.hi = fmax(best.hi, value.hi);
    }
    arf_set_d(end, best.lo);
    if (arf_cmp(end, lo) > 0)
        arf_set(lo, end);
    if (t->is_data)
        arf_set_d(end, best.hi);
    else
        chord(end, t, t->nodes + (direction == SHUF_DIRECTION_PQ ? 0 : NODES + 1), s);
    if (arf_cmp(end, hi) > 0)
        arf_set(hi, end);
    arf_clear(end);
    arb_clear(eps);
}

void binary_value(arf_t lo, arf_t hi, const binary_view *view, shuf_direction direction, const arf_t s)
{
    shuf_direction other = direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
    arf_zero(lo);
    arf_zero(hi);
    add_value(lo, hi, view->table, view->exchanged ? other : direction, s);
    if (view->either)
        add_value(lo, hi, view->table, view->exchanged ? direction : other, s);
    if (arf_cmp_si(hi, 1) > 0)
        arf_one(hi);
}

/* ---- the loss ---- */

/* Bits of the place of a node: it may be any from e^s on, as the profile falls. Steers only. */
#define PLACE_BITS 64

static void set_place(fmpq_t alpha, double s)
{
    arb_t t;
    arb_init(t);
    arb_set_d(t, s);
    arb_exp(t, t, COUNTS_PREC);
    shuf_ball_end(alpha, t, 1, PLACE_BITS);
    arb_clear(t);
}

static int loss_of_nodes(shuf_loss_t loss, const binary_view *view, shuf_direction direction, slong prec)
{
    const binary_table *t = view->table;
    polygon_node *node = flint_malloc((NODES + 1) * sizeof(*node));
    polygon_t polygon;
    shuf_law_t law;
    slong i;
    int known;
    polygon_init(polygon);
    for (i = 0; i <= NODES; i++)
    {
        const double pq = fmin(t->nodes[i].hi, 1), qp = fmin(t->nodes[NODES + 1 + i].hi, 1);
        polygon_node_init(node + i);
        set_place(node[i].alpha, t->step * (double) i);
        arf_set_d(node[i].hi[0], view->either ? fmax(pq, qp) : view->exchanged ? qp : pq);
        arf_set_d(node[i].hi[1], view->either ? fmax(pq, qp) : view->exchanged ? pq : qp);
    }
    polygon_set_above(polygon, node, NODES + 1, view->either);
    polygon_law(law, polygon);
    known = shuf_law_loss(loss, law, direction, prec);
    shuf_law_clear(law);
    polygon_clear(polygon);
    for (i = 0; i <= NODES; i++)
        polygon_node_clear(node + i);
    flint_free(node);
    return known;
}

static void set_range(arb_t x, const range_struct *r)
{
    arf_t lo, hi;
    arf_init(lo);
    arf_init(hi);
    arf_set_d(lo, r->lo);
    arf_set_d(hi, r->hi);
    arb_set_interval_arf(x, lo, hi, COUNTS_PREC);
    arf_clear(lo);
    arf_clear(hi);
}

/* Of one count c: before and here are Pr[N = c-1] and Pr[N = c], as parts of one of them, and mass is such a part; off rises to what value may be off by. */
static void set_value(arb_t value, arb_t mass, mag_t off, const counts_bits_struct *bits, const arb_t before, const arb_t here, shuf_direction direction)
{
    arb_t without;
    arb_init(without);
    arb_mul(mass, before, bits->p, COUNTS_PREC);
    arb_addmul(mass, here, bits->p_rest, COUNTS_PREC);
    arb_mul(without, before, bits->q, COUNTS_PREC);
    arb_addmul(without, here, bits->q_rest, COUNTS_PREC);
    if (direction == SHUF_DIRECTION_QP)
        arb_swap(mass, without);
    arb_div(value, mass, without, COUNTS_PREC);
    arb_log(value, value, COUNTS_PREC);
    mag_max(off, off, arb_radref(value));
    mag_zero(arb_radref(value));
    arb_clear(without);
}

/* Counts less probable than this part of the largest mass are lost. Steers only. */
#define LEAST_PART 1e-45

/* The ratio of the masses at c+1 and c, first <= c < last */
static void ratio_at(arb_t ratio, const counts_law *law, uint64_t c)
{
    set_range(ratio, &law->ratio[c - law->first]);
    if (c < law->peak)
        arb_inv(ratio, ratio, COUNTS_PREC);
}

/* first <= from <= to <= last: what is kept */
static void find_kept(uint64_t *from, uint64_t *to, const counts_law *law)
{
    const double least = LEAST_PART * law->mass[law->peak - law->first].lo;
    *from = law->first;
    *to = law->last;
    while (*from < law->peak && law->mass[*from - law->first].lo < least)
        ++*from;
    while (*to > law->peak && law->mass[*to - law->first].lo < least)
        --*to;
}

/* lost := what the counts without a value have at most: the ends', and all beyond. */
static void set_lost(arb_t lost, const counts_law *law, uint64_t from, uint64_t to)
{
    arb_t t, mass;
    arb_init(t);
    arb_init(mass);
    if (to < law->support)
    {
        set_range(mass, &law->mass[to - law->first]);
        set_range(t, &law->above[to - law->first]);
        arb_add_ui(t, t, 1, COUNTS_PREC);
        arb_addmul(lost, mass, t, COUNTS_PREC);
    }
    if (from > 0)
    {
        set_range(mass, &law->mass[from - law->first]);
        set_range(t, &law->below[from - law->first]);
        arb_add_ui(t, t, 1, COUNTS_PREC);
        arb_addmul(lost, mass, t, COUNTS_PREC);
    }
    arb_clear(t);
    arb_clear(mass);
}

/* Counts c = N + own, from <= c <= to + 1, are known if N = c and N = c - 1 are, or if nothing is beyond. */
static int loss_of_data(shuf_loss_t loss, const binary_table *t, shuf_direction direction)
{
    const counts_law *law = &t->law->everyone;
    uint64_t from, to, c;
    arb_t before, here, one;
    mag_t off;
    slong i;
    if (t->law->is_sample || t->laws != 1 || !t->x->has_loss || t->x->has_own)
        return 0;
    find_kept(&from, &to, law);
    mag_init(off);
    arb_init(before); arb_init(here); arb_init(one);
    shuf_loss_set_count(loss, (slong) (to - from) + 2);
    for (c = from; c <= to + 1; c++)
    {
        i = (slong) (c - from);
        if ((c == from && from > 0) || (c == to + 1 && to < law->support))
            continue;
        /* masses as parts of the one at c, or before it */
        arb_zero(before);
        arb_zero(here);
        if (c <= to)
        {
            set_range(one, &law->mass[c - law->first]);
            arb_one(here);
        }
        if (c > from)
        {
            set_range(one, &law->mass[c - 1 - law->first]);
            arb_one(before);
            if (c <= to)
                ratio_at(here, law, c - 1);
        }
        set_value(&loss->value[i], &loss->mass[i], off, t->x->bits, before, here, direction);
        arb_mul(&loss->mass[i], &loss->mass[i], one, COUNTS_PREC);
    }
    arf_set_mag(arb_midref(loss->shift), off);
    set_lost(loss->lost, law, from, to);
    arb_clear(before); arb_clear(here); arb_clear(one);
    mag_clear(off);
    return arb_is_finite(loss->shift) && arb_is_finite(loss->lost);
}

int binary_loss(shuf_loss_t loss, const binary_view *view, shuf_direction direction, slong prec)
{
    const shuf_direction turned = direction == SHUF_DIRECTION_PQ ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
    if (view->table == NULL)
        return 0;
    if (!view->table->is_data)
        return loss_of_nodes(loss, view, direction, prec);
    return !view->either && loss_of_data(loss, view->table, view->exchanged ? turned : direction);
}
