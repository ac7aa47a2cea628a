/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/renyi-profile.md. */
#include "law/profile_renyi.h"

#include <math.h>

#include "enclosure/arf_vec.h"
#include "enclosure/doubles.h"
#include "enclosure/steer.h"

/* Bits of balls, and of few that are enough for estimates. Steer only. */
#define PREC 160
#define ROUGH_PREC 53

/* The first nodes: powers of 2 up to the largest loss, or to where moments leave so little, at least and at most. Steer only. */
#define FIRST_NODES 44
#define LEAST_FAR_LOG2 (-4)
#define MOST_LOG2 20
#define LOG_FAR (-250.0)

/* Digits of the profile beyond those of the divergence, and these at most; pieces of a cell at once, at most; passes; nodes. Steer only. */
#define MORE_DIGITS 2
#define MOST_DIGITS 6
#define MOST_PIECES 8
#define MOST_PASSES 24
#define MOST_NODES 200000

/* Of the work, for what all points have in common. Steers only. */
#define PREPARE_SHARE 0.2

/* Of the work, for the loss, where a law tells it. Steers only. */
#define LOSS_SHARE 0.1

/* Of the work, for the profile of a law that has another road. Steers only. */
#define PROFILE_SHARE 0.5

/* Units of work of a node beside those of the profile. Steers only. */
#define NODE_WORK 40000.0

/* Orders of moments, as powers of 2, and where a profile is so small that they are looked at. Steer only. */
#define LEAST_ORDER (-20)
#define MOST_ORDER 60
#define LOG_SMALL (-12.0)

/* A tail beyond the nodes may be so much less than what is known. Steers only. */
#define LOG_TAIL (-3.0)

/* Both profiles at rising losses; lo[0] <= H_{e^s}(P||Q) <= hi[0], lo[1] <= H_{e^s}(Q||P) <= hi[1]. */
typedef struct
{
    const shuf_law_struct *law;
    slong count;
    arf_ptr s, lo[2], hi[2];
} profile_struct;

static void profile_clear(profile_struct *x)
{
    int d;
    arf_vec_clear(x->s, x->count);
    for (d = 0; d < 2; d++)
    {
        arf_vec_clear(x->lo[d], x->count);
        arf_vec_clear(x->hi[d], x->count);
    }
}

static void profile_init(profile_struct *x, const shuf_law_struct *law, slong count)
{
    int d;
    x->law = law;
    x->count = count;
    x->s = arf_vec_init(count);
    for (d = 0; d < 2; d++)
    {
        x->lo[d] = arf_vec_init(count);
        x->hi[d] = arf_vec_init(count);
    }
}

/* A node changes places. */
static void swap_node(profile_struct *x, slong i, profile_struct *y, slong j)
{
    int d;
    arf_swap(x->s + i, y->s + j);
    for (d = 0; d < 2; d++)
    {
        arf_swap(x->lo[d] + i, y->lo[d] + j);
        arf_swap(x->hi[d] + i, y->hi[d] + j);
    }
}

static void copy_direction(profile_struct *x, int to, int from, slong begin, slong count)
{
    slong i;
    for (i = begin; i < begin + count; i++)
    {
        arf_set(x->lo[to] + i, x->lo[from] + i);
        arf_set(x->hi[to] + i, x->hi[from] + i);
    }
}

static double log_of_upper(const arb_t x)
{
    arf_t t;
    double v;
    arf_init(t);
    arb_get_ubound_arf(t, x, ROUGH_PREC);
    v = steer_log(t);
    arf_clear(t);
    return v;
}

/*
 * v := a bound of what the moment of order b leaves beyond s (Lemma 3): of the profile there, u^(1-b) e^moment (1 - 1/b)^b/(b-1), or, with the order a < b, of
 * J, u^(a-1)/(b-a) times as much.
 */
static void markov(arb_t v, const shuf_law_struct *law, const arf_t s, const arb_srcptr a, const arb_t b, slong prec)
{
    arb_t t, less;
    arb_init(t);
    arb_init(less);
    shuf_law_log_moment(v, law, b, prec);
    arb_sub_ui(less, b, 1, prec);
    arb_neg(t, less);
    if (a != NULL)
        arb_sub(t, a, b, prec);
    arb_mul_arf(t, t, s, prec);
    arb_add(v, v, t, prec);
    arb_div(t, less, b, prec);
    arb_log(t, t, prec);
    arb_addmul(v, t, b, prec);
    arb_exp(v, v, prec);
    arb_div(v, v, less, prec);
    if (a != NULL)
    {
        arb_sub(t, b, a, prec);
        arb_div(v, v, t, prec);
    }
    arb_clear(t);
    arb_clear(less);
}

/* b := the order 2^k above a, or above 1 */
static void set_above(arb_t b, slong k, const arb_srcptr a, slong prec)
{
    arb_one(b);
    arb_mul_2exp_si(b, b, k);
    if (a != NULL)
        arb_add(b, b, a, prec);
    else
        arb_add_ui(b, b, 1, prec);
}

/* The same by the best of the orders 2^k above a, or above 1. */
static void best_markov(arb_t v, const shuf_law_struct *law, const arf_t s, const arb_srcptr a, slong prec)
{
    double best = HUGE_VAL, log;
    slong k, at = 0;
    arb_t b, t;
    arb_init(b);
    arb_init(t);
    for (k = LEAST_ORDER; k <= MOST_ORDER; k++)
    {
        set_above(b, k, a, ROUGH_PREC);
        markov(t, law, s, a, b, ROUGH_PREC);
        log = arb_is_finite(t) ? log_of_upper(t) : HUGE_VAL;
        if (log < best)
        {
            best = log;
            at = k;
        }
    }
    set_above(b, at, a, prec);
    markov(v, law, s, a, b, prec);
    if (!arb_is_finite(v))
        arb_pos_inf(v);
    arb_clear(b);
    arb_clear(t);
}

/* Where the profile is small, its upper end by a moment: what an engine leaves out does not fall. */
static void lower_ends(profile_struct *x, slong begin, slong count)
{
    slong i;
    int d;
    arb_t t;
    arf_t most;
    arb_init(t);
    arf_init(most);
    for (i = begin; i < begin + count; i++)
    {
        if (arf_is_zero(x->s + i) || FLINT_MAX(steer_log(x->hi[0] + i), steer_log(x->hi[1] + i)) > LOG_SMALL)
            continue;
        best_markov(t, x->law, x->s + i, NULL, ROUGH_PREC);
        arb_get_ubound_arf(most, t, ROUGH_PREC);
        for (d = 0; d < 2; d++)
            if (arf_cmp(most, x->hi[d] + i) < 0)
            {
                arf_set(x->hi[d] + i, most);
                arf_min(x->lo[d] + i, x->lo[d] + i, most);
            }
    }
    arb_clear(t);
    arf_clear(most);
}

/* Both profiles at `count` losses from `begin` on. */
static void look(profile_struct *x, slong begin, slong count, const shuf_options *options)
{
    const shuf_law_struct *law = x->law;
    if (count == 0)
        return;
    law->evaluate(x->lo[0] + begin, x->hi[0] + begin, law, SHUF_DIRECTION_PQ, x->s + begin, count, options);
    if (law->symmetric)
        copy_direction(x, 1, 0, begin, count);
    else
        law->evaluate(x->lo[1] + begin, x->hi[1] + begin, law, SHUF_DIRECTION_QP, x->s + begin, count, options);
    if (shuf_law_has_moments(law))
        lower_ends(x, begin, count);
}

/* Cell i in pieces[i] pieces. */
static void refine(profile_struct *x, const int *pieces, const shuf_options *options)
{
    profile_struct more, all;
    slong i, j, k, added = 0;
    int p;
    for (i = 0; i + 1 < x->count; i++)
        added += pieces[i] - 1;
    profile_init(&more, x->law, added);
    for (i = 0, k = 0; i + 1 < x->count; i++)
        for (p = 1; p < pieces[i]; p++, k++)
        {
            /* s_i + p/pieces (s_(i+1) - s_i), to a double */
            arf_sub(more.s + k, x->s + i + 1, x->s + i, 53, ARF_RND_NEAR);
            arf_mul_ui(more.s + k, more.s + k, (ulong) p, 53, ARF_RND_NEAR);
            arf_div_ui(more.s + k, more.s + k, (ulong) pieces[i], 53, ARF_RND_NEAR);
            arf_add(more.s + k, more.s + k, x->s + i, 53, ARF_RND_NEAR);
        }
    look(&more, 0, added, options);
    profile_init(&all, x->law, x->count + added);
    for (i = 0, j = 0, k = 0; i < x->count; i++)
    {
        const int last = i + 1 == x->count;
        profile_struct *from = x;
        slong at = i;
        for (p = 0; p < (last ? 1 : pieces[i]); p++, j++)
        {
            swap_node(&all, j, from, at);
            from = &more;
            at = k;
            k += p + 1 < (last ? 1 : pieces[i]);
        }
    }
    profile_clear(&more);
    profile_clear(x);
    *x = all;
}

/* ---- integrals ---- */

/* The powers u^m of u = e^s at a point: m = a-1 and a, -a and 1-a; u itself; and s. */
typedef struct
{
    arb_struct power[4], u[1], s[1];
} point_struct;

static void point_init(point_struct *x)
{
    int i;
    for (i = 0; i < 4; i++)
        arb_init(x->power + i);
    arb_init(x->u);
    arb_init(x->s);
}

static void point_clear(point_struct *x)
{
    int i;
    for (i = 0; i < 4; i++)
        arb_clear(x->power + i);
    arb_clear(x->u);
    arb_clear(x->s);
}

static void point_set(point_struct *x, const arf_t s, const arb_t less, slong prec)
{
    arb_set_arf(x->s, s);
    arb_exp(x->u, x->s, prec);
    arb_mul(x->power, x->s, less, prec);
    arb_exp(x->power, x->power, prec);
    arb_mul(x->power + 1, x->power, x->u, prec);
    arb_inv(x->power + 2, x->power + 1, prec);
    arb_inv(x->power + 3, x->power, prec);
}

/* The order a, and what weighs the profiles: u^(a-2) H of the direction and u^(-a-1) H of the other one. */
typedef struct
{
    arb_t order, less; /* a, a - 1 */
    int is_one;        /* a = 1 */
    slong prec;
} weight_struct;

/* v := integral of u^(m-1) from x to y, m the exponent of power[which]. */
static void integral(arb_t v, const point_struct *x, const point_struct *y, int which, const weight_struct *w)
{
    const slong prec = w->prec;
    if (w->is_one && (which == 0 || which == 3))
    {
        arb_sub(v, y->s, x->s, prec);
        return;
    }
    arb_sub(v, y->power + which, x->power + which, prec);
    arb_div(v, v, which == 0 || which == 3 ? w->less : w->order, prec);
    if (which >= 2)
        arb_neg(v, v);
}

/* v := integral from x to y of the line through (at->u, height) with that slope, weighed as the direction's own profile (which = 0) or as the other one (2). */
static void line_integral(arb_t v, const point_struct *x, const point_struct *y, const point_struct *at, const arb_t height, const arb_t slope, int which,
                          const weight_struct *w)
{
    const slong prec = w->prec;
    arb_t t;
    arb_init(t);
    integral(v, x, y, which, w);
    arb_mul(t, slope, at->u, prec);
    arb_sub(t, height, t, prec);
    arb_mul(v, v, t, prec);
    integral(t, x, y, which + 1, w);
    arb_addmul(v, t, slope, prec);
    arb_clear(t);
}

/* The slope from (x, first) to (y, second). */
static void slope_between(arb_t v, const point_struct *x, const point_struct *y, const arf_t first, const arf_t second, slong prec)
{
    arb_t t;
    arb_init(t);
    arb_sub(t, y->u, x->u, prec);
    arb_set_arf(v, second);
    arb_sub_arf(v, v, first, prec);
    arb_div(v, v, t, prec);
    arb_clear(t);
}

/* v := the chord of the values over cell i. */
static void chord(arb_t v, const point_struct *point, arf_srcptr value, slong i, int which, const weight_struct *w)
{
    arb_t height, slope;
    arb_init(height);
    arb_init(slope);
    slope_between(slope, point + i, point + i + 1, value + i, value + i + 1, w->prec);
    arb_set_arf(height, value + i);
    line_integral(v, point + i, point + i + 1, point + i, height, slope, which, w);
    arb_clear(height);
    arb_clear(slope);
}

/* The slope of the line below cell i from the cell before it, or, before the first, from (0, 1). */
static void slope_before(arb_t v, const profile_struct *x, const point_struct *point, int d, slong i, slong prec)
{
    if (i > 0)
    {
        slope_between(v, point + i - 1, point + i, x->hi[d] + i - 1, x->lo[d] + i, prec);
        return;
    }
    arb_set_arf(v, x->lo[d]);
    arb_sub_ui(v, v, 1, prec);
}

/* The slope of the line below cell i from the cell after it; 0, of a level line, where it says more. */
static void slope_after(arb_t v, const profile_struct *x, const point_struct *point, int d, slong i, slong prec)
{
    arb_zero(v);
    if (i + 2 < x->count && arf_cmp(x->lo[d] + i + 1, x->hi[d] + i + 2) > 0)
        slope_between(v, point + i + 1, point + i + 2, x->lo[d] + i + 1, x->hi[d] + i + 2, prec);
}

/* v := what is below the profile over cell i: the line from before up to `middle`, and then that from after. */
static void below(arb_t v, const profile_struct *x, const point_struct *point, const point_struct *middle, int d, slong i, int which, const weight_struct *w)
{
    arb_t height, slope, t;
    arb_init(height);
    arb_init(slope);
    arb_init(t);
    slope_before(slope, x, point, d, i, w->prec);
    arb_set_arf(height, x->lo[d] + i);
    line_integral(v, point + i, middle, point + i, height, slope, which, w);
    slope_after(slope, x, point, d, i, w->prec);
    arb_set_arf(height, x->lo[d] + i + 1);
    line_integral(t, middle, point + i + 1, point + i + 1, height, slope, which, w);
    arb_add(v, v, t, w->prec);
    if (arb_is_finite(v) && !arb_is_positive(v))
        arb_zero(v);
    arb_clear(height);
    arb_clear(slope);
    arb_clear(t);
}

/* J of a direction: up to the last node, from below and from above; of each cell the logarithm of the gap, and of what the profile's own width makes of it. */
typedef struct
{
    arb_t low, high;
    double *log_gap, *log_noise;
} moment_struct;

static void cell_moments(moment_struct *of, const profile_struct *x, const point_struct *point, const point_struct *middle, slong i, const weight_struct *w)
{
    int direction, d, part;
    arb_t v, t, gap, noise;
    arb_init(v);
    arb_init(t);
    arb_init(gap);
    arb_init(noise);
    for (direction = 0; direction < 2; direction++)
    {
        arb_zero(gap);
        arb_zero(noise);
        for (part = 0; part < 2; part++)
        {
            d = direction ^ part;
            chord(v, point, x->hi[d], i, 2 * part, w);
            arb_add(of[direction].high, of[direction].high, v, w->prec);
            arb_add(gap, gap, v, w->prec);
            below(t, x, point, middle, d, i, 2 * part, w);
            arb_add(of[direction].low, of[direction].low, t, w->prec);
            arb_sub(gap, gap, t, w->prec);
            chord(t, point, x->lo[d], i, 2 * part, w);
            arb_sub(v, v, t, w->prec);
            arb_add(noise, noise, v, w->prec);
        }
        of[direction].log_gap[i] = log_of_upper(gap);
        of[direction].log_noise[i] = log_of_upper(noise);
    }
    arb_clear(v);
    arb_clear(t);
    arb_clear(gap);
    arb_clear(noise);
}

static void set_moments(moment_struct *of, const profile_struct *x, const weight_struct *w)
{
    point_struct *point = flint_malloc((size_t) x->count * sizeof(*point)), middle;
    arf_t s;
    slong i;
    arf_init(s);
    point_init(&middle);
    for (i = 0; i < x->count; i++)
    {
        point_init(point + i);
        point_set(point + i, x->s + i, w->less, w->prec);
    }
    for (i = 0; i < 2; i++)
    {
        arb_zero(of[i].low);
        arb_zero(of[i].high);
        of[i].log_gap = flint_realloc(of[i].log_gap, (size_t) x->count * sizeof(double));
        of[i].log_noise = flint_realloc(of[i].log_noise, (size_t) x->count * sizeof(double));
    }
    for (i = 0; i + 1 < x->count; i++)
    {
        arf_add(s, x->s + i, x->s + i + 1, 53, ARF_RND_DOWN);
        arf_mul_2exp_si(s, s, -1);
        point_set(&middle, s, w->less, w->prec);
        cell_moments(of, x, point, &middle, i, w);
    }
    shuf_charge(NODE_WORK * (double) x->count);
    for (i = 0; i < x->count; i++)
        point_clear(point + i);
    flint_free(point);
    point_clear(&middle);
    arf_clear(s);
}

/* ---- beyond the last node ---- */

/* Only so many nodes stay. */
static void cut(profile_struct *x, slong count)
{
    profile_struct kept;
    slong i;
    profile_init(&kept, x->law, count);
    for (i = 0; i < count; i++)
        swap_node(&kept, i, x, i);
    profile_clear(x);
    *x = kept;
}

/* Cuts the nodes where what is beyond is little, or least. */
static void cut_tail(profile_struct *x, const moment_struct *of, const weight_struct *w, slong digits)
{
    const double log_known = fmin(log_of_upper(of[0].low), log_of_upper(of[1].low));
    double best = HUGE_VAL, log;
    slong i, at = x->count - 1;
    arb_t t;
    arb_init(t);
    for (i = 1; i < x->count; i++)
    {
        best_markov(t, x->law, x->s + i, w->order, ROUGH_PREC);
        log = log_of_upper(t);
        if (log < best)
        {
            best = log;
            at = i;
        }
        if (log < log_known + LOG_TAIL - 2.31 * (double) digits)
            break;
    }
    cut(x, at + 1);
    arb_clear(t);
}

/* tails[d] := what is beyond the last node, of direction d. */
static void set_tails(arb_struct *tails, const profile_struct *x, const weight_struct *w)
{
    const slong last = x->count - 1;
    arb_t t;
    int d;
    arb_init(t);
    for (d = 0; d < 2; d++)
    {
        if (!shuf_law_has_moments(x->law))
        {
            arb_pos_inf(tails + d);
            continue;
        }
        best_markov(tails + d, x->law, x->s + last, w->order, w->prec);
        /* u^-a/a times the other profile at its end, which falls */
        arb_mul_arf(t, w->order, x->s + last, w->prec);
        shuf_ball_exp_minus(t, t, w->prec);
        arb_div(t, t, w->order, w->prec);
        arb_mul_arf(t, t, x->hi[1 - d] + last, w->prec);
        arb_add(tails + d, tails + d, t, w->prec);
    }
    arb_clear(t);
}

/* ---- nodes ---- */

/* most := a loss beyond which next to nothing is left of J, by moments; or the largest there may be. */
static void far_loss(arf_t most, const shuf_law_struct *law, const weight_struct *w)
{
    slong k;
    arb_t t;
    arb_init(t);
    for (k = LEAST_FAR_LOG2; k < MOST_LOG2; k++)
    {
        arf_one(most);
        arf_mul_2exp_si(most, most, k);
        if (!shuf_law_has_moments(law))
            continue;
        best_markov(t, law, most, w->order, ROUGH_PREC);
        if (log_of_upper(t) < LOG_FAR)
            break;
    }
    arb_clear(t);
}

/* The first nodes, up to the largest loss, where both profiles are 0. Returns whether there is one. */
static int first_nodes(profile_struct *x, const shuf_law_struct *law, const weight_struct *w, const shuf_options *options)
{
    shuf_real_t loss;
    arf_t most;
    slong i;
    int d, finite;
    arb_t t;
    arf_init(most);
    arb_init(t);
    shuf_real_init(loss);
    finite = shuf_law_max_loss(loss, law);
    if (!finite)
        far_loss(most, law, w);
    else
    {
        shuf_real_get_arb(t, loss, PREC);
        arb_get_ubound_arf(most, t, ROUGH_PREC);
    }
    profile_init(x, law, FIRST_NODES);
    for (i = 1; i < x->count; i++)
        arf_mul_2exp_si(x->s + i, most, i + 1 - x->count);
    look(x, 0, x->count - finite, options);
    for (d = 0; d < 2 && finite; d++)
    {
        arf_zero(x->lo[d] + x->count - 1);
        arf_zero(x->hi[d] + x->count - 1);
    }
    shuf_real_clear(loss);
    arf_clear(most);
    arb_clear(t);
    return finite;
}

/* log of the width of J that is allowed, the divergence being log(1 + a (a-1) J)/(a-1), or J. Steers only. */
static double log_allowed(const moment_struct *of, const weight_struct *w, slong digits)
{
    const double a = steer_midpoint(w->order), less = steer_midpoint(w->less);
    const double log_j = arb_is_positive(of->low) ? log_of_upper(of->low) : log_of_upper(of->high), log_aim = -2.302585 * (double) digits;
    double log_x;
    if (w->is_one)
        return log_aim + log_j;
    log_x = d_log(a) + d_log(less) + log_j;
    if (log_x < -30)
        return log_aim + log_j;
    log_x = log_x > 30 ? log_x : d_log1p(d_exp(log_x));
    return log_aim + d_log(log_x / less) + log_x - d_log(a);
}

/*
 * Sets how many pieces each cell is to have so that the gaps, which fall with the third power of the width, are together what is allowed. Returns whether they are not
 * yet, and some cell is cut.
 */
static int set_pieces(int *pieces, const profile_struct *x, const moment_struct *of, const int *counts, const weight_struct *w, slong digits)
{
    double all = 0, roots = 0, level;
    double *ratio = flint_malloc((size_t) x->count * sizeof(double));
    slong i, more = 0;
    int d;
    for (i = 0; i + 1 < x->count; i++)
    {
        ratio[i] = -HUGE_VAL;
        for (d = 0; d < 2; d++)
        {
            const double log = of[d].log_gap[i] - log_allowed(&of[d], w, digits);
            /* a gap that is the profile's own width stays as it is */
            if (counts[d] && of[d].log_gap[i] > of[d].log_noise[i] + 1.4)
                ratio[i] = fmax(ratio[i], log);
            all += counts[d] ? d_exp(fmin(log, 100)) : 0;
        }
        roots += d_exp(fmin(ratio[i], 100) / 3);
    }
    level = -1.5 * d_log(fmax(roots, 1e-300)) - 0.5;
    for (i = 0; i + 1 < x->count; i++)
    {
        const double cell = arf_get_d(x->s + i + 1, ARF_RND_NEAR) - arf_get_d(x->s + i, ARF_RND_NEAR);
        double want = ratio[i] > level ? d_exp(fmin(ratio[i] - level, 30) / 3) : 1;
        if (cell < 1e-12 * arf_get_d(x->s + i, ARF_RND_NEAR))
            want = 1;
        pieces[i] = (int) fmin(ceil(want), MOST_PIECES);
        more += pieces[i] - 1;
    }
    flint_free(ratio);
    return all > 1 && more > 0 && x->count + more <= MOST_NODES;
}

/* ---- the divergence ---- */

/*
 * v := log(1 + a (a-1) J)/(a-1), or J. Coq: RenyiProfile.renyi_profile, RenyiProfile.renyi_profile_bounds, RenyiProfile.renyi_profile_one,
 * RenyiProfile.renyi_profile_one_bounds.
 */
static void divergence(arb_t v, const arb_t j, const weight_struct *w)
{
    if (w->is_one)
    {
        arb_set(v, j);
        return;
    }
    arb_mul(v, j, w->order, w->prec);
    arb_mul(v, v, w->less, w->prec);
    arb_log1p(v, v, w->prec);
    arb_div(v, v, w->less, w->prec);
}

/* Whether a direction cannot be the larger one. */
static int is_smaller(const moment_struct *of, int d, const arb_struct *tails)
{
    arb_t t;
    int smaller;
    arb_init(t);
    arb_add(t, of[d].high, tails + d, PREC);
    smaller = arb_lt(t, of[1 - d].low);
    arb_clear(t);
    return smaller;
}

static void set_ends(shuf_enclosure_t r, const moment_struct *of, const arb_struct *tails, const int *wanted, const weight_struct *w)
{
    arb_t v;
    arf_t t;
    int d;
    arb_init(v);
    arf_init(t);
    arf_zero(r->lo);
    arf_zero(r->hi);
    for (d = 0; d < 2; d++)
    {
        if (!wanted[d])
            continue;
        divergence(v, of[d].low, w);
        arb_get_lbound_arf(t, v, PREC);
        if (!arf_is_nan(t) && arf_cmp(t, r->lo) > 0)
            arf_set(r->lo, t);
        arb_add(v, of[d].high, tails + d, w->prec);
        divergence(v, v, w);
        if (!arb_is_finite(v))
            arb_pos_inf(v);
        arb_get_ubound_arf(t, v, PREC);
        if (arf_is_nan(t))
            arf_pos_inf(t);
        arf_max(r->hi, r->hi, t);
    }
    arb_clear(v);
    arf_clear(t);
}

/* Whether some of the mass is where the other law has none. */
static int is_infinite(const shuf_law_struct *law, const int *wanted)
{
    arf_t mass;
    int d, found = 0;
    arf_init(mass);
    for (d = 0; d < 2; d++)
    {
        law->infinite(mass, law, d == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP);
        found |= wanted[d] && arf_sgn(mass) > 0;
    }
    arf_clear(mass);
    return found;
}

static void narrow(shuf_enclosure_t r, const shuf_law_struct *law, const int *wanted, const weight_struct *w, const shuf_options *options, double limit)
{
    shuf_options o = *options;
    profile_struct x;
    moment_struct of[2];
    arb_struct tails[2];
    int d, pass, finite, *pieces = NULL;
    o.digits = options->digits + MORE_DIGITS;
    for (d = 0; d < 2; d++)
    {
        arb_init(of[d].low);
        arb_init(of[d].high);
        of[d].log_gap = of[d].log_noise = NULL;
        arb_init(tails + d);
    }
    shuf_share(&o, limit, 1);
    finite = first_nodes(&x, law, w, &o);
    set_moments(of, &x, w);
    if (!finite && shuf_law_has_moments(law))
    {
        cut_tail(&x, of, w, options->digits);
        set_moments(of, &x, w);
    }
    if (!finite)
        set_tails(tails, &x, w);
    for (pass = 0; pass < MOST_PASSES && !shuf_exhausted(limit); pass++)
    {
        int counts[2];
        for (d = 0; d < 2; d++)
            counts[d] = wanted[d] && !(wanted[1 - d] && is_smaller(of, d, tails));
        pieces = flint_realloc(pieces, (size_t) x.count * sizeof(*pieces));
        if (!set_pieces(pieces, &x, of, counts, w, options->digits))
            break;
        shuf_share(&o, limit, 1);
        refine(&x, pieces, &o);
        set_moments(of, &x, w);
    }
    set_ends(r, of, tails, wanted, w);
    r->ledger.terms = (ulong) x.count;
    r->ledger.precision = w->prec;
    flint_free(pieces);
    profile_clear(&x);
    for (d = 0; d < 2; d++)
    {
        arb_clear(of[d].low);
        arb_clear(of[d].high);
        flint_free(of[d].log_gap);
        flint_free(of[d].log_noise);
        arb_clear(tails + d);
    }
}

shuf_status profile_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const double limit = shuf_limit(options), start = shuf_work();
    const int wanted[2] = { direction != SHUF_DIRECTION_QP, direction != SHUF_DIRECTION_PQ };
    shuf_options o = *options;
    weight_struct w = { .is_one = shuf_real_cmp_si(order, 1) == 0, .prec = PREC };
    shuf_enclosure_zero(r);
    if (!shuf_law_has_moments(law) && is_infinite(law, wanted))
    {
        arf_pos_inf(r->lo);
        arf_pos_inf(r->hi);
        return r->status = SHUF_OK;
    }
    if (law->prepare != NULL)
    {
        shuf_share(&o, limit, PREPARE_SHARE);
        law->prepare(law, &o);
    }
    arb_init(w.order);
    arb_init(w.less);
    shuf_real_get_arb(w.order, order, 4 * PREC);
    arb_sub_ui(w.less, w.order, 1, 4 * PREC);
    if (!w.is_one) /* orders near 1: differences of powers lose as many bits */
        w.prec += FLINT_MAX(0, 2 * -(slong) (log_of_upper(w.less) / d_log(2)));
    shuf_share(&o, limit, 1);
    o.digits = FLINT_MIN(options->digits, MOST_DIGITS);
    narrow(r, law, wanted, &w, &o, limit);
    arb_clear(w.order);
    arb_clear(w.less);
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.work = shuf_work() - start;
    return r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
}

/* ---- a round ---- */

/* What holds of every divergence: the largest loss, and the moment of its own order. */
static void cap(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order)
{
    shuf_real_t loss;
    arb_t a, t;
    arf_t most;
    arb_init(a);
    arb_init(t);
    arf_init(most);
    shuf_real_init(loss);
    if (shuf_law_max_loss(loss, law))
    {
        shuf_real_end(most, loss, 1, PREC);
        arf_min(r->hi, r->hi, most);
    }
    if (shuf_law_has_moments(law) && shuf_real_cmp_si(order, 1) > 0)
    {
        shuf_real_get_arb(a, order, PREC);
        shuf_law_log_moment(t, law, a, PREC);
        arb_sub_ui(a, a, 1, PREC);
        arb_div(t, t, a, PREC);
        arb_get_ubound_arf(most, t, PREC);
        if (arb_is_finite(t))
            arf_min(r->hi, r->hi, most);
    }
    arf_min(r->lo, r->lo, r->hi);
    shuf_real_clear(loss);
    arb_clear(a);
    arb_clear(t);
    arf_clear(most);
}

/* What two enclosures of one number say together. */
static void both(shuf_enclosure_t r, const shuf_enclosure_t other, slong digits)
{
    arf_max(r->lo, r->lo, other->lo);
    arf_min(r->hi, r->hi, other->hi);
    r->ledger = other->ledger;
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->status = shuf_enclosure_accurate(r, digits) || arf_is_inf(r->lo) ? SHUF_OK : SHUF_ACCURACY;
}

/* By the loss, or else by the profile. */
static shuf_status of_profile(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_status status;
    shuf_share(&o, limit, LOSS_SHARE);
    status = loss_renyi(r, law, order, direction, &o);
    if (status == SHUF_OK)
    {
        cap(r, law, order);
        return status;
    }
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 1);
    profile_renyi(other, law, order, direction, &o);
    both(r, other, options->digits);
    cap(r, law, order);
    shuf_enclosure_clear(other);
    return r->status;
}

int law_renyi_is_of_profile(const shuf_law_struct *law, const shuf_options *options)
{
    return law->renyi == NULL || (law->has_dear_renyi && options->digits <= MOST_DIGITS);
}

/* A law that has another road has it after that of the profile, where this was in vain. */
static shuf_status of_factor(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    if (!law_renyi_is_of_profile(law, options))
        return law->renyi(r, law, order, direction, options);
    shuf_share(&o, limit, law->renyi != NULL ? PROFILE_SHARE : 1);
    if (of_profile(r, law, order, direction, &o) == SHUF_OK || law->renyi == NULL)
        return r->status;
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 1);
    if (law->renyi(other, law, order, direction, &o) != SHUF_DOMAIN)
        both(r, other, options->digits);
    shuf_enclosure_clear(other);
    return r->status;
}

/* Both factors of a product, in one direction: divergences add. */
static shuf_status of_product(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t second;
    shuf_status status, other;
    shuf_enclosure_init(second);
    shuf_share(&o, limit, 0.5);
    status = of_factor(r, law, order, direction, &o);
    shuf_share(&o, limit, 1);
    other = of_factor(second, law->second, order, direction, &o);
    arf_add(r->lo, r->lo, second->lo, PREC, ARF_RND_DOWN);
    arf_add(r->hi, r->hi, second->hi, PREC, ARF_RND_UP);
    mag_add(r->ledger.discretisation, r->ledger.discretisation, second->ledger.discretisation);
    shuf_enclosure_clear(second);
    shuf_enclosure_settle(r);
    return r->status = FLINT_MAX(status, other);
}

shuf_status law_renyi(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t order, shuf_direction direction, const shuf_options *options)
{
    const double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t other;
    shuf_status status, other_status;
    if (law->second == NULL)
        return of_factor(r, law, order, direction, options);
    if (direction != SHUF_DIRECTION_BOTH || law->symmetric)
        return of_product(r, law, order, direction == SHUF_DIRECTION_BOTH ? SHUF_DIRECTION_PQ : direction, options);
    shuf_enclosure_init(other);
    shuf_share(&o, limit, 0.5);
    status = of_product(r, law, order, SHUF_DIRECTION_PQ, &o);
    shuf_share(&o, limit, 1);
    other_status = of_product(other, law, order, SHUF_DIRECTION_QP, &o);
    shuf_enclosure_max(r, r, other);
    shuf_enclosure_clear(other);
    return r->status = FLINT_MAX(status, other_status);
}
