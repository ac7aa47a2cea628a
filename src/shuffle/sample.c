/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/sample.h"

#include <string.h>

#include "enclosure/budget.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"

/* Units of work of a product of the correlation, and of a bound of a tail. Steer only. */
#define CELL_WORK 5.0
#define TAIL_WORK 5000.0

/* More products are refused. */
#define MOST_CELLS 4e8

/* Smaller values are as good as none, but not as small as 0. proofs/binary-reports.md, Lemma 11. */
#define TINY 1e-280

/* ---- estimates ---- */

static double middle_of(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

/* The mean probability of a one of the others, as the direction sees ones; inside (0, 1). */
static double mean_probability(const round_users *u, shuf_direction direction)
{
    double n = (double) u->ones + (double) u->zeros, least = 1 / (2 * n + 2), p;
    p = n > 0 ? ((double) u->ones * middle_of(u->bits->p) + (double) u->zeros * middle_of(u->bits->q)) / n : 0.5;
    p = fmin(fmax(p, least), 1 - least);
    return direction == SHUF_DIRECTION_PQ ? p : 1 - p;
}

/* -log of the binomial law of size and p at its mean when the odds are multiplied by e^theta, which is *mean. */
static double rate_at(double *mean, double size, double p, double theta)
{
    double e = d_exp(theta);
    *mean = size * p * e / (1 - p + p * e);
    return fmax(theta * *mean - size * d_log1p(p * d_expm1(theta)), 0);
}

/* Steer only. */
#define LARGEST_TILT 300.0
#define HALVINGS 40

/* Where that reaches `cut`, on the side of the sign. */
static double end_of(double size, double p, double cut, int sign)
{
    double low = 1e-9, high = LARGEST_TILT, mean;
    int i;
    for (i = 0; i < HALVINGS; i++)
    {
        double theta = sqrt(low * high);
        if (rate_at(&mean, size, p, sign * theta) < cut)
            low = theta;
        else
            high = theta;
    }
    rate_at(&mean, size, p, sign * high);
    return mean;
}

double round_depth(const round_users *u, shuf_direction direction, const counts_point *x)
{
    double n = (double) u->ones + (double) u->zeros + 1, mean;
    if (u->drawn == u->ones + u->zeros + 1)
        return counts_depth(u->steps, u->ones, u->zeros, direction, x);
    if (!(x->kappa.lo > 0))
        return COUNTS_CUT;
    return fmin(rate_at(&mean, (double) u->drawn - 1, mean_probability(u, direction), d_log1p((1 / x->kappa.lo - 1) * n / (double) u->drawn)),
                COUNTS_CUT);
}

double round_price(const round_users *u, double depth, double margin)
{
    double p = mean_probability(u, SHUF_DIRECTION_PQ), all = (double) u->ones + (double) u->zeros, seen = (double) u->drawn - 1;
    return CELL_WORK * (end_of(all, p, depth, 1) - end_of(all, p, margin, -1) + 1) * (end_of(seen, p, depth, 1) - end_of(seen, p, margin, -1) + 1);
}

/* ---- the law of those who are seen ---- */

/* The others as the direction sees ones: first .. last ones among all of them, low .. high among those drawn. */
typedef struct
{
    uint64_t others, drawn, first, last, low, high;
    const range_struct *f;            /* the law of the ones of all, from its last value if reversed */
    int reversed;
    double before, after;             /* above the probabilities of fewer and of more */
    double out_low, out_high;         /* the same of those drawn */
    double odds;
    double *seen, *unseen, *all;      /* binomial but for constants: of those drawn, of the others, of all */
    uint64_t least;                   /* the first of `unseen` */
    double *lo, *hi;                  /* f/all */
    double lost;                      /* what is left out of a sum over all */
    double *memory;
} joint_struct;

/*
 * out[i] = c Bin(size, odds)(first + i), i < length, with at most 3 length roundings each;
 * 0 for less than TINY. Returns whether there is no such.
 */
static int set_binomial(double *out, uint64_t size, double odds, uint64_t first, slong length)
{
    double mode = ((double) size + 1) * odds / (1 + odds);
    slong peak = mode <= (double) first ? 0 : (slong) fmin(mode - (double) first, (double) (length - 1)), i;
    out[peak] = 1;
    for (i = peak + 1; i < length; i++)
    {
        double c = (double) first + (double) i, x = out[i - 1] * (((double) size - c + 1) / c * odds);
        out[i] = x >= TINY ? x : 0;
    }
    for (i = peak - 1; i >= 0; i--)
    {
        double c = (double) first + (double) i, x = out[i + 1] * ((c + 1) / ((double) size - c) / odds);
        out[i] = x >= TINY ? x : 0;
    }
    return out[0] > 0 && out[length - 1] > 0;
}

/* Above the probability that of the others drawn at least `end` have a one, or at most if sign is -1 (Lemma 11). */
static double tail_bound(const round_users *u, shuf_direction direction, uint64_t drawn, uint64_t end, int sign)
{
    double x = (double) end, size = (double) drawn, p = mean_probability(u, direction);
    double theta = d_log((x + 0.5) / (size - x + 0.5) * (1 - p) / p);
    int forward = direction == SHUF_DIRECTION_PQ;
    range_struct r;
    arb_t mean, t, power;
    if (sign * theta <= 0)
        return 1;
    shuf_charge(TAIL_WORK);
    arb_init(mean);
    arb_init(t);
    arb_init(power);
    arb_mul_ui(mean, forward ? u->bits->p : u->bits->p_rest, u->ones, COUNTS_PREC);
    arb_mul_ui(t, forward ? u->bits->q : u->bits->q_rest, u->zeros, COUNTS_PREC);
    arb_add(mean, mean, t, COUNTS_PREC);
    arb_div_ui(mean, mean, u->ones + u->zeros, COUNTS_PREC);
    /* (1 + mean (e^theta - 1))^drawn e^(-theta end) */
    arb_set_d(t, theta);
    arb_expm1(power, t, COUNTS_PREC);
    arb_mul(power, power, mean, COUNTS_PREC);
    arb_log1p(power, power, COUNTS_PREC);
    arb_mul_ui(power, power, drawn, COUNTS_PREC);
    arb_mul_ui(t, t, end, COUNTS_PREC);
    arb_sub(power, power, t, COUNTS_PREC);
    arb_exp(power, power, COUNTS_PREC);
    range_set_arb(&r, power);
    arb_clear(mean);
    arb_clear(t);
    arb_clear(power);
    return r.hi <= 1 ? r.hi : 1;
}

/* What the direction sees of the law of all others. */
static void joint_set_all(joint_struct *j, const round_users *u, const counts_law *law, shuf_direction direction)
{
    slong length = (slong) (law->last - law->first) + 1;
    uint64_t shift = (arb_is_zero(u->bits->p_rest) ? u->ones : 0) + (arb_is_zero(u->bits->q_rest) ? u->zeros : 0);
    double below = law->first > 0 ? law->mass[0].hi * law->below[0].hi * (1 + 0x1p-50) : 0;
    double above = law->last < law->support ? law->mass[length - 1].hi * law->above[length - 1].hi * (1 + 0x1p-50) : 0;
    j->others = u->ones + u->zeros;
    j->drawn = u->drawn - 1;
    j->f = law->mass;
    j->reversed = direction == SHUF_DIRECTION_QP;
    j->first = j->reversed ? j->others - (law->last + shift) : law->first + shift;
    j->last = j->first + (law->last - law->first);
    j->before = fmin(j->reversed ? above : below, 1);
    j->after = fmin(j->reversed ? below : above, 1);
}

/* Where the law of those drawn is wanted. */
static void joint_set_window(joint_struct *j, const round_users *u, shuf_direction direction, double below, double above)
{
    double size = (double) j->drawn, p = mean_probability(u, direction), end;
    j->odds = p / (1 - p);
    end = floor(end_of(size, p, below, -1)) - 2;
    j->low = end > 0 ? (uint64_t) end : 0;
    end = ceil(end_of(size, p, above, 1)) + 2;
    j->high = end < size ? (uint64_t) end : j->drawn;
    j->out_low = j->low > 0 ? tail_bound(u, direction, j->drawn, j->low - 1, -1) : 0;
    j->out_high = j->high < j->drawn ? tail_bound(u, direction, j->drawn, j->high + 1, 1) : 0;
}

/* Returns 0, with nothing to clear, where doubles do not reach. */
static int joint_set_weights(joint_struct *j)
{
    slong all = (slong) (j->last - j->first) + 1, seen = (slong) (j->high - j->low) + 1, unseen, i;
    uint64_t most = FLINT_MIN(j->others - j->drawn, j->last > j->low ? j->last - j->low : 0);
    double largest = 0;
    int good;
    j->least = FLINT_MIN(j->first > j->high ? j->first - j->high : 0, most);
    unseen = (slong) (most - j->least) + 1;
    if ((double) all * (double) seen > MOST_CELLS)
        return 0;
    j->memory = flint_malloc((size_t) (3 * all + seen + unseen) * sizeof(double));
    j->all = j->memory;
    j->lo = j->all + all;
    j->hi = j->lo + all;
    j->seen = j->hi + all;
    j->unseen = j->seen + seen;
    good = set_binomial(j->all, j->others, j->odds, j->first, all) && set_binomial(j->seen, j->drawn, j->odds, j->low, seen);
    set_binomial(j->unseen, j->others - j->drawn, j->odds, j->least, unseen);
    for (i = 0; i < all && good; i++)
    {
        const range_struct *f = &j->f[j->reversed ? all - 1 - i : i];
        j->lo[i] = f->lo / j->all[i];
        j->hi[i] = f->hi / j->all[i];
        largest = fmax(largest, j->hi[i]);
    }
    j->lost = 2 * TINY * (double) all * largest;
    if (!good || !(largest <= LARGEST))
    {
        flint_free(j->memory);
        return 0;
    }
    return 1;
}

/* Sums over the ones of all, given those seen: of the probability, and times the ones not seen. */
typedef struct
{
    range_struct mass, left;
} cell_struct;

static void cell_set(cell_struct *cell, const joint_struct *j, uint64_t seen)
{
    uint64_t from = FLINT_MAX(j->first, seen), to = FLINT_MIN(j->last, seen + (j->others - j->drawn)), t;
    double lo = 0, hi = 0, left_lo = 0, left_hi = 0;
    for (t = from; t <= to; t++)
    {
        double v = j->unseen[t - seen - j->least], x = (double) (t - seen);
        double a = j->lo[t - j->first] * v, b = j->hi[t - j->first] * v;
        lo += a;
        hi += b;
        left_lo += a * x;
        left_hi += b * x;
    }
    cell->mass.lo = lo;
    cell->mass.hi = hi + j->lost;
    cell->left.lo = left_lo;
    cell->left.hi = left_hi + j->lost * (double) j->others;
}

/* Whether of fewer than `first` ones of all none is likelier to show so many than `first` are (Lemma 10). */
static int is_above(const joint_struct *j, uint64_t seen)
{
    return (double) seen * ((double) j->others + 1) >= (double) j->drawn * (double) j->first * (1 + 0x1p-50);
}

/* What is before `first`, as if it were there. */
static void add_before(cell_struct *cell, const joint_struct *j, uint64_t seen)
{
    double b;
    if (j->before == 0 || j->first < seen || j->first - seen > j->others - j->drawn)
        return;
    b = j->before / j->all[0] * (j->unseen[j->first - seen - j->least] + TINY) + TINY;
    cell->mass.hi += b;
    cell->left.hi += b * (double) (j->first - seen);
}

/* Roundings that any of the sums has seen, at most, twice. */
static double slack_of(const joint_struct *j)
{
    double all = (double) (j->last - j->first) + 1, seen = (double) (j->high - j->low) + 1;
    return (8 * all + 8 * seen + 64) * 0x1p-52;
}

static void joint_sum(sample_struct *s, const joint_struct *j, double n)
{
    double up = 1 + slack_of(j), down = 1 - slack_of(j), total_lo = 0, total_hi = 0, scale_lo, scale_hi;
    range_struct sum = { 0, j->out_high };
    slong i;
    for (i = 0; i < s->length; i++)
    {
        cell_struct cell;
        cell_set(&cell, j, j->low + (uint64_t) i);
        total_hi += j->seen[i] * cell.mass.hi;
        if (is_above(j, j->low + (uint64_t) i))
            add_before(&cell, j, j->low + (uint64_t) i);
        s->mass[i].lo = fmax(j->seen[i] * cell.mass.lo - TINY, 0);
        s->mass[i].hi = j->seen[i] * cell.mass.hi + TINY;
        s->beyond[i].lo = fmax(j->seen[i] * cell.left.lo - TINY, 0);
        s->beyond[i].hi = j->seen[i] * cell.left.hi + TINY;
        total_lo += s->mass[i].lo;
    }
    /* what is inside has the mass 1, but for what is outside */
    scale_lo = fmax(1 - j->before - j->after - j->out_low - j->out_high, 0) / (total_hi * up + TINY) * down;
    scale_hi = up / (total_lo * down);
    for (i = s->length - 1; i >= 0; i--)
    {
        double lost = j->after + (is_above(j, j->low + (uint64_t) i) ? 0 : j->before);
        range_struct g = { s->mass[i].lo * scale_lo * down, (s->mass[i].hi * scale_hi * up + lost) * up };
        range_struct left = { s->beyond[i].lo * scale_lo / n * down, (s->beyond[i].hi * scale_hi / n * up + lost) * up };
        /* no more than all of it */
        g.hi = fmin(g.hi, 1);
        left.hi = fmin(left.hi, 1);
        s->beyond[i].lo = (sum.lo + left.lo) * down;
        s->beyond[i].hi = (sum.hi + left.hi) * up;
        sum.lo += g.lo;
        sum.hi += g.hi;
        s->mass[i].lo = g.lo * s->part * down;
        s->mass[i].hi = g.hi * s->part * up;
    }
}

/* Returns 0, with nothing to clear, where doubles do not reach. */
static int sample_init(sample_struct *s, const round_users *u, const counts_law *law, shuf_direction direction, double cut, double margin)
{
    double n = (double) u->ones + (double) u->zeros + 1;
    joint_struct j;
    joint_set_all(&j, u, law, direction);
    joint_set_window(&j, u, direction, margin, cut);
    if (!joint_set_weights(&j))
        return 0;
    s->first = j.low;
    s->length = (slong) (j.high - j.low) + 1;
    shuf_charge(CELL_WORK * (double) s->length * (double) (j.last - j.first + 1));
    s->open = j.low > 0;
    s->closed = j.high == j.drawn;
    s->out = j.out_high;
    s->part = (double) u->drawn / n;
    s->mass = flint_malloc((size_t) (2 * s->length) * sizeof(range_struct));
    s->beyond = s->mass + s->length;
    joint_sum(s, &j, n);
    flint_free(j.memory);
    return 1;
}

/* ---- divergences ---- */

/* gain (m/n) g(i) - excess beyond(i) */
static range_struct value_at(const sample_struct *s, slong i, const counts_point *x)
{
    range_struct r;
    double least = x->excess.lo * s->beyond[i].lo * (1 - 0x1p-50);
    r.lo = x->gain.lo * s->mass[i].lo * (1 - 0x1p-50) - x->excess.hi * s->beyond[i].hi * (1 + 0x1p-50);
    r.hi = x->gain.hi * s->mass[i].hi * (1 + 0x1p-50) - (least > 0 ? least : 0);
    r.lo -= 0x1p-50 * fabs(r.lo);
    r.hi += 0x1p-50 * fabs(r.hi) + TINY;
    return r;
}

/* About the largest. */
static slong find_peak(const sample_struct *s, const counts_point *x)
{
    slong low = 0, high = s->length - 1;
    while (low < high)
    {
        slong middle = low + (high - low) / 2;
        double rise = x->gain.lo * (s->mass[middle + 1].lo - s->mass[middle].lo) + x->excess.lo * (s->beyond[middle].lo - s->beyond[middle + 1].lo);
        if (rise >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Values from `from` on, with a step of 1 or -1, until one is certainly less than one before it. Returns whether there was such a one. */
static int scan(range_struct *value, const sample_struct *s, slong from, slong step, double least, const counts_point *x)
{
    double best = least;
    slong i;
    for (i = from; i >= 0 && i < s->length; i += step)
    {
        range_struct v = value_at(s, i, x);
        if (v.hi < best)
            return 1;
        best = fmax(best, v.lo);
        value->lo = fmax(value->lo, v.lo);
        value->hi = fmax(value->hi, v.hi);
    }
    return 0;
}

/* The values rise to the largest and then fall, to 0 after the last of all (Lemma 8). */
static void sample_divergence(range_struct *value, const sample_struct *s, const counts_point *x)
{
    slong peak = find_peak(s, x);
    double most = x->gain.hi * s->part * (1 + 0x1p-50);
    value->lo = value->hi = 0;
    if (!scan(value, s, peak, 1, -HUGE_VAL, x) && !s->closed)
        value->hi = fmax(value->hi, most * s->out * (1 + 0x1p-50) + TINY);
    if (!scan(value, s, peak, -1, 0, x) && s->open)
        value->hi = most;
    value->hi = fmin(value->hi, most);
}

/* ---- rounds ---- */

/* What is left out of a sample. Steers only. */
#define SAMPLE_CUT 400.0

int round_law_init(round_law *law, const round_users *u, int pq, int qp, double below, double above, double margin)
{
    memset(law, 0, sizeof(*law));
    law->is_sample = u->drawn <= u->ones + u->zeros;
    if (law->is_sample)
    {
        below = fmin(below, SAMPLE_CUT);
        above = fmin(above, SAMPLE_CUT);
    }
    if (!counts_law_init(&law->everyone, u->steps, u->ones, u->zeros, below, above, margin))
        return 0;
    if (!law->is_sample)
        return 1;
    if (pq && !sample_init(&law->pq, u, &law->everyone, SHUF_DIRECTION_PQ, above, margin))
        pq = qp = 0;
    else if (qp && !sample_init(&law->qp, u, &law->everyone, SHUF_DIRECTION_QP, below, margin))
        pq = qp = 0;
    if (!pq && !qp)
    {
        round_law_clear(law);
        return 0;
    }
    return 1;
}

void round_law_clear(round_law *law)
{
    counts_law_clear(&law->everyone);
    flint_free(law->pq.mass);
    flint_free(law->qp.mass);
}

void round_divergence(range_struct *value, const round_law *law, shuf_direction direction, const counts_point *x)
{
    if (!law->is_sample)
    {
        counts_divergence(value, &law->everyone, direction, x);
        return;
    }
    value->lo = value->hi = 0;
    if (x->gain.hi > 0)
        sample_divergence(value, direction == SHUF_DIRECTION_PQ ? &law->pq : &law->qp, x);
}
