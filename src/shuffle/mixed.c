/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/mixed.h"

#include <math.h>

#include "binomial/binomial.h"
#include "enclosure/elementary.h"
#include "pair/pair.h"

void shuf_event_init(shuf_event_t event)
{
    arb_init(event->a);
    arb_init(event->b);
    arb_init(event->p);
    arb_init(event->q);
}

void shuf_event_clear(shuf_event_t event)
{
    arb_clear(event->a);
    arb_clear(event->b);
    arb_clear(event->p);
    arb_clear(event->q);
}

/* A number of users who each report in the event with the same probability, 0 < yes < 1. */
typedef struct
{
    ulong users;
    arb_t yes, no;
    double log_odds; /* about log(yes/no) */
} group_struct;

/*
 * The problem in standard form: gain = Pr[Bern(p) = 1] - alpha Pr[Bern(q) = 1]
 * > 0, and the others' count is that of two independent groups.
 */
typedef struct
{
    group_struct first, second;
    arb_t gain, loss, excess; /* U, -V = U + alpha - 1, alpha - 1 */
    double log_ratio, log_gain; /* about log(loss/gain) and log(gain) */
    slong prec;
} problem_struct;

typedef problem_struct problem_t[1];

#define PROBLEM_EACH(m, f) \
    do { f(m->first.yes); f(m->first.no); f(m->second.yes); f(m->second.no); f(m->gain); f(m->loss); f(m->excess); } while (0)

static void problem_init(problem_t m)
{
    PROBLEM_EACH(m, arb_init);
}

static void problem_clear(problem_t m)
{
    PROBLEM_EACH(m, arb_clear);
}

static double log_estimate(const arb_t x)
{
    arb_t t;
    double value;
    arb_init(t);
    arb_get_mid_arb(t, x);
    arb_log(t, t, 64);
    value = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return value;
}

/* Users whose report is certain shift the count, and with it the threshold, and are left out. Returns 0 if unclear. */
static int group_set(group_struct *g, ulong users, const arb_t yes, int complement, slong prec)
{
    arb_set(g->yes, yes);
    shuf_ball_complement(g->no, yes, prec);
    if (complement)
        arb_swap(g->yes, g->no);
    g->users = arb_is_zero(g->yes) || arb_is_zero(g->no) ? 0 : users;
    g->log_odds = 0;
    if (g->users == 0)
        return 1;
    if (!arb_is_positive(g->yes) || !arb_is_positive(g->no))
        return 0;
    g->log_odds = log_estimate(g->yes) - log_estimate(g->no);
    return 1;
}

/*
 * Sets m; largest >= delta, which is 0 when neither U nor V is positive.
 * Returns 0 then, and when the balls or the precision leave the problem
 * unclear.
 */
static int problem_set(problem_t m, arb_t largest, uint64_t n, uint64_t j, const shuf_event_t event, const shuf_real_t eps,
                       slong prec)
{
    arb_t alpha, other, zero;
    int complement, ok;
    arb_init(alpha);
    arb_init(other);
    arb_init(zero);
    m->prec = prec;
    shuf_real_exp(alpha, eps, prec);
    shuf_real_get_arb(m->excess, eps, prec);
    arb_expm1(m->excess, m->excess, prec);

    /* U = p - alpha q and V = (1-p) - alpha (1-q) = -(alpha-1) - U: at most one is positive */
    arb_mul(m->gain, alpha, event->q, prec);
    arb_sub(m->gain, event->p, m->gain, prec);
    arb_add(other, m->gain, m->excess, prec);
    arb_neg(other, other);
    arb_max(largest, m->gain, other, prec);
    arb_max(largest, largest, zero, prec);
    complement = arb_is_positive(other);
    if (complement)
        arb_swap(m->gain, other);
    arb_add(m->loss, m->gain, m->excess, prec);
    ok = arb_is_positive(m->gain) && group_set(&m->first, j, event->b, complement, prec)
         && group_set(&m->second, n - 1 - j, event->a, complement, prec);
    if (ok)
    {
        m->log_gain = log_estimate(m->gain);
        m->log_ratio = log_estimate(m->loss) - m->log_gain;
        /* the smaller group first: its size is the cost */
        if (m->first.users > m->second.users)
        {
            group_struct t = m->first;
            m->first = m->second;
            m->second = t;
        }
    }
    arb_clear(alpha);
    arb_clear(other);
    arb_clear(zero);
    return ok;
}

/* ---- floating-point estimates: where things are, no guarantee ---- */

/* The mean of a group's count when its odds are multiplied by loss/gain: f(c-1)/f(c) is about loss/gain at the sum of both. */
static double tilted_mean(const problem_t m, const group_struct *g)
{
    return (double) g->users / (1 + d_exp(-g->log_odds - m->log_ratio));
}

/* About the smallest c with gain f(c-1) >= loss f(c). */
static ulong estimate_threshold(const problem_t m)
{
    ulong all = m->first.users + m->second.users;
    double t = ceil(tilted_mean(m, &m->first) + tilted_mean(m, &m->second) + 0.5);
    return t < 1 ? 1 : t > (double) all + 1 ? all + 1 : (ulong) t;
}

/* log of g(i+1)/g(i), g(i) = Pr[first = i] Pr[second = c-i] */
static double log_step(const problem_t m, ulong c, ulong i)
{
    ulong k = c - i;
    return d_log((double) (m->first.users - i) / (double) (i + 1) * ((double) k / (double) (m->second.users - k + 1)))
           + m->first.log_odds - m->second.log_odds;
}

/*
 * low <= i <= high: where g(i) is about e^-cut of its largest value, `peak`, or
 * more; within the support of g, which is not empty (c <= all users).
 */
static void estimate_window(ulong *low, ulong *peak, ulong *high, const problem_t m, ulong c, double cut)
{
    ulong bottom = c > m->second.users ? c - m->second.users : 0, top = FLINT_MIN(m->first.users, c);
    double at = tilted_mean(m, &m->first), sum;
    *peak = at <= (double) bottom ? bottom : at >= (double) top ? top : (ulong) at;
    while (*peak < top && log_step(m, c, *peak) > 0)
        ++*peak;
    while (*peak > bottom && log_step(m, c, *peak - 1) < 0)
        --*peak;
    for (*low = *peak, sum = 0; *low > bottom && sum < cut; --*low)
        sum += log_step(m, c, *low - 1);
    for (*high = *peak, sum = 0; *high < top && sum < cut; ++*high)
        sum -= log_step(m, c, *high);
}

static double log_pmf_estimate(const group_struct *g, ulong k)
{
    double n = (double) g->users, x = (double) k;
    /* log no = -log(1 + e^log_odds) */
    double log_no = g->log_odds > 0 ? -g->log_odds - d_log1p(d_exp(-g->log_odds)) : -d_log1p(d_exp(g->log_odds));
    return d_lgamma(n + 1) - d_lgamma(x + 1) - d_lgamma(n - x + 1) + x * g->log_odds + n * log_no;
}

/* Units of work of a step of an estimate; and of a term of a certified sum, and for each bit of its precision. Steer only. */
#define STEP_WORK 60.0
#define TERM_WORK 900.0
#define BIT_WORK 3.0

/* Terms between two looks at the limit. Steers only. */
#define LOOK 128

/* About log(loss f(c) - (alpha-1) Pr[N >= c]): log delta if c + 1 is the threshold. */
static double log_value(const problem_t m, ulong c)
{
    ulong low, peak, high, i, k;
    double f = 0, tail = 0, g, mills = 1, term = 1, value, shift;
    /* in units of loss */
    double excess = arb_is_zero(m->excess) ? 0 : d_exp(log_estimate(m->excess) - m->log_gain - m->log_ratio);
    if (c > m->first.users + m->second.users)
        return -HUGE_VAL;
    estimate_window(&low, &peak, &high, m, c, 40);
    shuf_charge(STEP_WORK * (double) (high - low + 100));
    /* mills = Pr[second >= k]/Pr[second = k] */
    for (k = c - low; k < m->second.users && term > 1e-17 * mills; k++)
    {
        term *= (double) (m->second.users - k) / (double) (k + 1) * d_exp(m->second.log_odds);
        mills += term;
    }
    for (g = 1, i = peak; i > low; i--)
        g /= d_exp(log_step(m, c, i - 1));
    for (i = low; i <= high; i++)
    {
        f += g;
        tail += g * mills;
        k = c - i;
        if (i < high)
        {
            g *= d_exp(log_step(m, c, i));
            mills = 1 + mills * (double) (m->second.users - k + 1) / (double) k * d_exp(m->second.log_odds);
        }
    }
    shift = log_pmf_estimate(&m->first, peak) + log_pmf_estimate(&m->second, c - peak);
    if (high == c && m->first.users > c)
    {
        /* first > c, whatever second */
        term = d_exp(log_pmf_estimate(&m->first, c) - shift);
        for (i = c; i < m->first.users && term > 1e-17 * tail; i++)
        {
            term *= (double) (m->first.users - i) / (double) (i + 1) * d_exp(m->first.log_odds);
            tail += term;
        }
    }
    value = f - excess * tail;
    return value > 0 ? d_log(value) + shift + m->log_gain + m->log_ratio : -HUGE_VAL;
}

/* Of more users a threshold beside it is no better, and larger steps find the worst data. Steers only. */
#define MANY_USERS 1000000
#define STEP_PART 8
#define STEP_PART_OF_MANY 2

/* About log delta. */
static double log_delta(uint64_t n, uint64_t j, const shuf_event_t event, const shuf_real_t eps)
{
    problem_t m;
    arb_t largest;
    double value = -HUGE_VAL;
    problem_init(m);
    arb_init(largest);
    if (problem_set(m, largest, n, j, event, eps, 128))
    {
        ulong t = estimate_threshold(m), c = n > MANY_USERS ? t : t > 2 ? t - 2 : 0;
        for (; c <= t; c++)
            value = fmax(value, log_value(m, c));
    }
    problem_clear(m);
    arb_clear(largest);
    return value;
}

/* ---- certified sums ---- */

/* rest := upper bound of term (r + r^2 + ...), infinite unless r < 1 is certain */
static void geometric_rest(mag_t rest, const arb_t term, const arb_t r)
{
    arb_t t;
    arb_init(t);
    shuf_ball_complement(t, r, MAG_BITS + 34);
    if (arb_is_positive(t))
    {
        arb_div(t, r, t, MAG_BITS + 34);
        arb_mul(t, t, term, MAG_BITS + 34);
        arb_get_mag(rest, t);
    }
    else
    {
        mag_inf(rest);
    }
    arb_clear(t);
}

/* ratio := Pr[first = i+1]/Pr[first = i] (i < users), or the factor for Pr[second = k-1]/Pr[second = k] (k >= 1) */
static void ratio_up(arb_t ratio, const group_struct *g, ulong i, const arb_t odds, slong prec)
{
    arb_mul_ui(ratio, odds, g->users - i, prec);
    arb_div_ui(ratio, ratio, i + 1, prec);
}

static void ratio_down(arb_t ratio, const group_struct *g, ulong k, const arb_t inverse_odds, slong prec)
{
    arb_mul_ui(ratio, inverse_odds, k, prec);
    arb_div_ui(ratio, ratio, g->users - k + 1, prec);
}

/* Adds [0, rest] to x. */
static void add_rest(arb_t x, mag_t left_out, const mag_t rest, slong prec)
{
    arb_t t;
    arb_init(t);
    arf_set_mag(arb_midref(t), rest);
    arb_mul_2exp_si(t, t, -1);
    mag_mul_2exp_si(arb_radref(t), rest, -1);
    arb_add(x, x, t, prec);
    mag_add(left_out, left_out, rest);
    arb_clear(t);
}

/* A walk at first = i, second = k: Pr[first = i], Pr[second = k], Pr[second >= k], and the odds that their ratios are made of. */
typedef struct
{
    arb_t px, py, ty, up, down;
} walk_struct;

static void walk_init(walk_struct *w, const problem_t m, ulong i, ulong k)
{
    const group_struct *x = &m->first, *y = &m->second;
    arb_init(w->px); arb_init(w->py); arb_init(w->ty); arb_init(w->up); arb_init(w->down);
    arb_one(w->px);
    arb_one(w->py);
    arb_one(w->ty);
    arb_one(w->up);
    arb_one(w->down);
    if (x->users > 0)
    {
        arb_div(w->up, x->yes, x->no, m->prec);
        shuf_binomial_pmf(w->px, x->users, i, x->yes, x->no, m->prec);
    }
    if (y->users > 0)
    {
        arb_div(w->down, y->no, y->yes, m->prec);
        shuf_binomial_pmf(w->py, y->users, k, y->yes, y->no, m->prec);
        shuf_binomial_tail(w->ty, y->users, k, y->yes, y->no, m->prec);
    }
}

static void walk_clear(walk_struct *w)
{
    arb_clear(w->px); arb_clear(w->py); arb_clear(w->ty); arb_clear(w->up); arb_clear(w->down);
}

/* Below i: the ratios g(i-1)/g(i) shrink, and bound those of the tail's terms too. */
static void add_below(arb_t f, arb_t tail, mag_t left_out, const walk_struct *w, const problem_t m, ulong i, ulong k)
{
    arb_t r, term;
    mag_t rest;
    arb_init(r); arb_init(term);
    mag_init(rest);
    ratio_up(r, &m->first, i - 1, w->up, m->prec);
    ratio_down(term, &m->second, k + 1, w->down, m->prec);
    arb_mul(r, r, term, m->prec);
    arb_inv(r, r, m->prec);
    arb_mul(term, w->px, w->py, m->prec);
    geometric_rest(rest, term, r);
    add_rest(f, left_out, rest, m->prec);
    arb_mul(term, w->px, w->ty, m->prec);
    geometric_rest(rest, term, r);
    add_rest(tail, left_out, rest, m->prec);
    arb_clear(r); arb_clear(term);
    mag_clear(rest);
}

/* Above i, k >= 1: the ratios shrink again; last is the tail's term at i. */
static void add_above(arb_t f, arb_t tail, mag_t left_out, const walk_struct *w, const problem_t m, ulong i, ulong k, const arb_t last)
{
    arb_t up, down, r, term;
    mag_t rest;
    arb_init(up); arb_init(down); arb_init(r); arb_init(term);
    mag_init(rest);
    ratio_up(up, &m->first, i, w->up, m->prec);
    ratio_down(down, &m->second, k, w->down, m->prec);
    arb_mul(r, up, down, m->prec);
    arb_mul(term, w->px, w->py, m->prec);
    geometric_rest(rest, term, r);
    add_rest(f, left_out, rest, m->prec);
    arb_set(term, w->ty);
    arb_addmul(term, w->py, down, m->prec);
    arb_mul(term, term, w->px, m->prec);
    arb_mul(term, term, up, m->prec);
    arb_div(r, term, last, m->prec);
    geometric_rest(rest, last, r);
    add_rest(tail, left_out, rest, m->prec);
    arb_clear(up); arb_clear(down); arb_clear(r); arb_clear(term);
    mag_clear(rest);
}

/*
 * f encloses Pr[N = c] and tail Pr[N >= c], N = first + second (Lemma 3): a
 * walk over first = low .. high upwards, in which every recurrence adds
 * positive numbers, and geometric series for what is left out, whose bounds
 * are added to left_out. Both are NaN when shuf_exhausted(limit).
 */
static void count_law(arb_t f, arb_t tail, mag_t left_out, ulong *terms, const problem_t m, ulong c, double cut, double limit)
{
    const group_struct *x = &m->first, *y = &m->second;
    ulong low, peak, high, i, k;
    slong prec = m->prec;
    walk_struct w;
    arb_t r, last;

    arb_zero(f);
    arb_zero(tail);
    if (c > x->users + y->users)
        return;
    estimate_window(&low, &peak, &high, m, c, cut);
    k = c - low;
    walk_init(&w, m, low, k);
    arb_init(r); arb_init(last);
    if (low > 0 && k < y->users)
        add_below(f, tail, left_out, &w, m, low, k);
    for (i = low;; i++)
    {
        k = c - i;
        arb_addmul(f, w.px, w.py, prec);
        arb_mul(last, w.px, w.ty, prec);
        arb_add(tail, tail, last, prec);
        ++*terms;
        if (i % LOOK == 0)
            shuf_charge(LOOK * (TERM_WORK + BIT_WORK * (double) prec));
        if (i % LOOK == 0 && shuf_exhausted(limit))
            arb_indeterminate(f);
        if (i == high || !arb_is_finite(f))
            break;
        ratio_up(r, x, i, w.up, prec);
        arb_mul(w.px, w.px, r, prec);
        ratio_down(r, y, k, w.down, prec);
        arb_mul(w.py, w.py, r, prec);
        arb_add(w.ty, w.ty, w.py, prec);
    }
    if (high == c && x->users > c)
    {
        /* first > c, whatever second */
        shuf_binomial_tail(r, x->users, c + 1, x->yes, x->no, prec);
        arb_add(tail, tail, r, prec);
    }
    else if (high < x->users)
    {
        add_above(f, tail, left_out, &w, m, high, k, last);
    }
    if (!arb_is_finite(f))
        arb_indeterminate(tail);
    walk_clear(&w);
    arb_clear(r); arb_clear(last);
}

/* r := gain f(c-1) - loss f(c), the difference of the two laws at c */
static void difference(arb_t r, const problem_t m, const arb_t before, const arb_t at)
{
    arb_mul(r, m->gain, before, m->prec);
    arb_submul(r, m->loss, at, m->prec);
}

#define MAX_MOVES 64 /* steers only */

/*
 * Encloses delta: V_t = gain f(t-1) - (alpha-1) Pr[N >= t] at the threshold t,
 * or the larger of two neighbouring values (Lemma 2). Returns 0 when the
 * threshold is not found; then delta is only known to be V_t or more.
 */
static int evaluate(arb_t delta, mag_t left_out, ulong *terms, const problem_t m, double cut, double limit)
{
    ulong t = estimate_threshold(m);
    arb_t f[4], tail, unused, d;
    int i, moves, found = 0;

    for (i = 0; i < 4; i++)
        arb_init(f[i]);
    arb_init(tail); arb_init(unused); arb_init(d);
    for (moves = 0; moves < MAX_MOVES && !found; moves++)
    {
        int below, above;
        mag_zero(left_out);
        /* f(t-2), f(t-1), f(t), f(t+1) */
        for (i = 0; i < 4; i++)
        {
            if (i == 0 && t == 1)
                arb_zero(f[0]);
            else
                count_law(f[i], i == 2 ? tail : unused, left_out, terms, m, t + (ulong) i - 2, cut, limit);
        }
        difference(d, m, f[0], f[1]);
        below = arb_is_nonpositive(d);
        difference(d, m, f[2], f[3]);
        above = arb_is_nonnegative(d);
        found = below && above;
        if (found || below == above || (!below && t == 1) || shuf_exhausted(limit))
            break;
        t = below ? t + 1 : t - 1;
    }
    arb_mul(delta, m->gain, f[1], m->prec);
    arb_submul(delta, m->excess, tail, m->prec);
    /* V_{t+1} = V_t - the difference at t */
    difference(d, m, f[1], f[2]);
    arb_sub(d, delta, d, m->prec);
    arb_max(delta, delta, d, m->prec);
    arb_nonnegative_part(delta, delta);
    for (i = 0; i < 4; i++)
        arb_clear(f[i]);
    arb_clear(tail); arb_clear(unused); arb_clear(d);
    return found;
}

/* r := what delta and largest prove. */
static void harvest(shuf_enclosure_t r, const arb_t delta, int found, const arb_t largest, const mag_t left_out, const problem_t m)
{
    arf_t top;
    mag_t width;
    arf_init(top);
    mag_init(width);
    shuf_enclosure_set_arb(r, delta, m->prec);
    arb_get_ubound_arf(top, largest, m->prec);
    if (arf_is_nan(top) || arf_cmp_si(top, 1) > 0)
        arf_one(top);
    if (arf_is_nan(r->lo) || arf_sgn(r->lo) < 0)
        arf_zero(r->lo);
    if (!found || arf_is_nan(r->hi) || arf_cmp(r->hi, top) > 0)
        arf_set(r->hi, top);
    if (arf_cmp(r->lo, r->hi) > 0)
        arf_zero(r->lo);
    /* what is left out counts with loss, the largest of the three weights */
    shuf_enclosure_width(width, r);
    mag_set(r->ledger.rounding, width);
    arb_get_mag(r->ledger.truncation, m->loss);
    mag_mul(r->ledger.truncation, r->ledger.truncation, left_out);
    mag_min(r->ledger.truncation, r->ledger.truncation, width);
    r->ledger.precision = m->prec;
    arf_clear(top);
    mag_clear(width);
}

static int is_probability(const arb_t x)
{
    arb_t t;
    int ok;
    arb_init(t);
    arb_sub_ui(t, x, 1, 64);
    ok = arb_is_finite(x) && !arb_is_negative(x) && !arb_is_positive(t);
    arb_clear(t);
    return ok;
}

#define MAX_ATTEMPTS 5 /* steers only */

/* Coq: ShuffleCounts.event_below. */
shuf_status shuf_mixed_delta(shuf_enclosure_t r, uint64_t n, uint64_t j, const shuf_event_t event, const shuf_real_t eps,
                             const shuf_options *options)
{
    problem_t m;
    shuf_enclosure_t attempt;
    arb_t delta, largest;
    mag_t left_out, width, best;
    double start = shuf_work(), limit = shuf_limit(options), outer;
    slong bits = (slong) (3.33 * (double) options->digits) + 2 * (slong) FLINT_BIT_COUNT(n) + 48;
    ulong terms = 0;
    int i;

    shuf_enclosure_zero(r);
    arf_one(r->hi);
    mag_one(r->ledger.truncation);
    r->status = SHUF_DOMAIN;
    if (n < 1 || n > SHUF_MIXED_MAX_USERS || j >= n || shuf_real_sgn(eps) < 0 || shuf_real_cmp_si(eps, SHUF_MAX_EPSILON) > 0
        || !is_probability(event->a) || !is_probability(event->b) || !is_probability(event->p) || !is_probability(event->q))
        return r->status;

    problem_init(m);
    shuf_enclosure_init(attempt);
    arb_init(delta); arb_init(largest);
    mag_init(left_out); mag_init(width); mag_init(best);
    r->status = SHUF_ACCURACY;
    outer = shuf_limit_set(limit);
    for (i = 0; i < MAX_ATTEMPTS; i++, bits *= 2)
    {
        int found = 0;
        arb_zero(delta);
        mag_zero(left_out);
        if (problem_set(m, largest, n, j, event, eps, bits))
            found = evaluate(delta, left_out, &terms, m, 0.7 * (double) bits, limit);
        harvest(attempt, delta, found, largest, left_out, m);
        shuf_enclosure_width(width, attempt);
        shuf_enclosure_width(best, r);
        if (i == 0 || mag_cmp(width, best) < 0)
            shuf_enclosure_set(r, attempt);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        if (r->status == SHUF_OK || shuf_exhausted(limit))
            break;
        /* the balls are too wide for more bits to help */
        if (i > 0 && mag_cmp(width, best) >= 0)
            break;
    }
    shuf_limit_set(outer);
    r->ledger.terms = terms;
    r->ledger.work = shuf_work() - start;
    problem_clear(m);
    shuf_enclosure_clear(attempt);
    arb_clear(delta); arb_clear(largest);
    mag_clear(left_out); mag_clear(width); mag_clear(best);
    return r->status;
}

/* ---- the search for j ---- */

typedef struct
{
    uint64_t n, j;
    double value;
} search_struct;

static int try_j(search_struct *best, uint64_t j, const shuf_event_t event, const shuf_real_t eps)
{
    double value = log_delta(best->n, j, event, eps);
    int better = value > best->value;
    if (better)
    {
        best->j = j;
        best->value = value;
    }
    return better;
}

uint64_t shuf_mixed_worst(uint64_t n, const shuf_event_t event, const shuf_real_t eps)
{
    search_struct best = { n, 0, -HUGE_VAL };
    const uint64_t part = n > MANY_USERS ? STEP_PART_OF_MANY : STEP_PART;
    uint64_t j, step;
    if (n <= SHUF_MIXED_TRY_ALL)
    {
        for (j = 0; j < n && !shuf_interrupted(); j++)
            try_j(&best, j, event, eps);
        return best.j;
    }
    /* geometric from both ends, then smaller and smaller steps from the best */
    for (j = 0; j < n && !shuf_interrupted(); j += 1 + j / part)
    {
        try_j(&best, j, event, eps);
        try_j(&best, n - 1 - j, event, eps);
    }
    for (step = 1 + FLINT_MIN(best.j, n - 1 - best.j) / part; step > 0 && !shuf_interrupted(); step /= 2)
    {
        while (best.j + step < n && !shuf_interrupted() && try_j(&best, best.j + step, event, eps))
            continue;
        while (best.j >= step && !shuf_interrupted() && try_j(&best, best.j - step, event, eps))
            continue;
    }
    return best.j;
}
