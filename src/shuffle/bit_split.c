/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/bit_split.h"

#include "binomial/binomial.h"
#include "enclosure/doubles.h"
#include "enclosure/elementary.h"

/* Bits of the first probability. Steers only. */
#define PREC 128

/* Numbers that are less likely than this part of the likeliest are bounded without a look. Steers only. */
#define CUT 1e-40

/* A series ends with a term that is smaller than this part of its sum. Steers only: what is left is bounded. */
#define SERIES_END 1e-17

/* No product leaves the normal doubles, or it counts as 0 from below and as that much from above. Lemma 6. */
#define LEAST 1e-250

/* Units of work of a term of a series. Steers only. */
#define TERM_WORK 1.0

/* Of so many roundings a part of what they are of: Lemma 6. */
#define SLACK(roundings) (1.01 * (roundings) * ROUNDOFF)

typedef struct
{
    double lo, hi;
} range;

static range get_range(const arb_t x)
{
    range r;
    arf_t end;
    arf_init(end);
    arb_get_lbound_arf(end, x, 64);
    r.lo = double_below(end);
    arb_get_ubound_arf(end, x, 64);
    r.hi = double_above(end);
    arf_clear(end);
    return r;
}

/* p is Pr[Bin(c, 1/2) = i], but for so many roundings. */
typedef struct
{
    uint64_t c, i;
    double p, roundings;
} place;

/* To another number of coins and of heads, 0 <= i <= c. */
static void move(place *x, uint64_t c, uint64_t i)
{
    while (x->c < c)
    {
        x->c++;
        x->p *= (double) x->c / (2 * (double) (x->c - x->i));
        x->roundings += 2;
    }
    while (x->i < i)
    {
        x->p *= (double) (x->c - x->i) / (double) (x->i + 1);
        x->i++;
        x->roundings += 2;
    }
    while (x->i > i)
    {
        x->p *= (double) x->i / (double) (x->c - x->i + 1);
        x->i--;
        x->roundings += 2;
    }
    while (x->c > c)
    {
        x->p *= 2 * (double) (x->c - x->i) / (double) x->c;
        x->c--;
        x->roundings += 2;
    }
}

static int start(place *x, uint64_t c, uint64_t i)
{
    arb_t p, half;
    int good;
    arb_init(p); arb_init(half);
    arb_set_d(half, 0.5);
    shuf_binomial_pmf(p, c, i, half, half, PREC);
    *x = (place) { .c = c, .i = i, .roundings = 2 };
    good = constant(&x->p, p) && x->p >= SMALLEST;
    arb_clear(p); arb_clear(half);
    return good;
}

/* Pr[Bin(c, 1/2) > i]/Pr[Bin(c, 1/2) = i] */
static range tail_ratio(uint64_t c, uint64_t i)
{
    double term = 1, sum = 0, left = 0, terms = 0, slack;
    uint64_t j;
    for (j = i; j < c; j++)
    {
        const double ratio = (double) (c - j) / (double) (j + 1);
        if (ratio < 1 && term < SERIES_END * sum)
        {
            left = term * ratio / (1 - ratio);
            break;
        }
        term *= ratio;
        sum += term;
        terms++;
    }
    shuf_charge(TERM_WORK * terms);
    slack = SLACK(4 * terms + 16);
    return (range) { sum * (1 - slack), (sum + left) * (1 + slack) };
}

/* What all numbers have in common, and the sums so far. */
typedef struct
{
    const bit_sum *s;
    range gain, loss, excess, rest;
    double lo, hi;
} split;

/* With a bound that needs no look, at a threshold, or 0: Hoeffding's. */
static void add_unseen(split *x, uint64_t c, uint64_t t)
{
    const double away = (double) t - 1 - (double) c / 2;
    double lo, hi;
    bit_sum_mass_d(&lo, &hi, x->s, c);
    hi *= x->gain.hi;
    if (t > 0 && c > 0 && away > 0)
        hi *= d_exp(-2 * away * away / (double) c * (1 - SLACK(8))) * (1 + SLACK(16));
    x->hi += hi + LEAST;
}

/* The threshold that is best, or the one before it, of c users seen; 0 when that is not certain. */
static uint64_t threshold(const split *x, uint64_t c, range f, range next)
{
    const double m = (double) (c + 1), down = 1 - SLACK(16), up = 1 + SLACK(16);
    const double lo = m * (x->rest.lo * next.lo / f.hi / 2 + x->loss.lo) / (x->gain.hi + x->loss.hi) * down;
    const double hi = m * (x->rest.hi * next.hi / f.lo / 2 + x->loss.hi) / (x->gain.lo + x->loss.lo) * up;
    if (!(hi - lo < 0.5))
        return 0;
    return hi > m + 1 ? c + 2 : FLINT_MAX((uint64_t) (lo + (hi - lo) / 2 + 0.5), 1);
}

/* The part G - A E of the value at a threshold, to be multiplied by the probability of one less. */
static range factor(const split *x, range f, range next, range tail)
{
    const double down = 1 - SLACK(8), up = 1 + SLACK(8);
    range r;
    r.lo = x->gain.lo * f.lo * down - x->rest.hi * next.hi / 2 * up - tail.hi * (x->excess.hi * f.hi + x->rest.hi * next.hi) * up;
    r.hi = x->gain.hi * f.hi * up - x->rest.lo * next.lo / 2 * down - tail.lo * (x->excess.lo * f.lo + x->rest.lo * next.lo) * down;
    return r;
}

/* The larger of the values at two thresholds, the first i + 1; the place is there. */
static void add_values(split *x, const place *y, range f, range next)
{
    const double slack = SLACK(y->roundings + 16), ratio = (double) (y->c - y->i) / (double) (y->i + 1);
    const range beyond = y->i < y->c ? tail_ratio(y->c, y->i + 1) : (range) { 0, 0 };
    const range tail = { ratio * (1 + beyond.lo) * (1 - SLACK(4)), ratio * (1 + beyond.hi) * (1 + SLACK(4)) };
    const range one = factor(x, f, next, tail), two = factor(x, f, next, beyond);
    const double lo = fmax(one.lo, ratio * two.lo * (1 - SLACK(2))), hi = fmax(one.hi, ratio * two.hi * (1 + SLACK(2)));
    if (lo > 0 && y->p * lo > LEAST)
        x->lo += y->p * lo * (1 - slack);
    if (hi > 0)
        x->hi += y->p * hi * (1 + slack) + LEAST;
}

/* From one number of users seen to the last that is not rare, in one direction. */
static void walk(split *x, uint64_t from, int up, double cut)
{
    const uint64_t first = bit_sum_first(x->s), end = first + bit_sum_length(x->s);
    place y = { 0 };
    int begun = 0, lost = 0;
    uint64_t c, left = up ? end - from : from - first + 1;
    for (c = from; left > 0; left--, c = up ? c + 1 : c - 1)
    {
        range f, next;
        uint64_t t;
        bit_sum_mass_d(&f.lo, &f.hi, x->s, c);
        bit_sum_mass_d(&next.lo, &next.hi, x->s, c + 1);
        t = f.lo < cut ? 0 : threshold(x, c, f, next);
        if (t > c + 1)
            continue; /* no outcome adds anything */
        if (t > 0 && begun)
            move(&y, c, t - 1);
        else if (t > 0 && !(lost && up)) /* upwards it is hardly found again */
            begun = start(&y, c, t - 1);
        begun = begun && (t == 0 || y.p >= SMALLEST);
        lost |= t > 0 && !begun;
        if (t > 0 && begun)
            add_values(x, &y, f, next);
        else
            add_unseen(x, c, t);
    }
}

void bit_split_divergence(arf_t lo, arf_t hi, const bit_sum *s, const arb_t gain, const arb_t loss, const arb_t excess, const arb_t rest)
{
    split x = { s, get_range(gain), get_range(loss), get_range(excess), get_range(rest), 0, 0 };
    const uint64_t first = bit_sum_first(s), end = first + bit_sum_length(s);
    const double slack = SLACK((double) (end - first) + 16);
    double most = 0, least_mass, most_mass;
    uint64_t c, peak = first;
    for (c = first; c < end; c++)
    {
        bit_sum_mass_d(&least_mass, &most_mass, s, c);
        if (least_mass > most)
        {
            most = least_mass;
            peak = c;
        }
    }
    walk(&x, peak, 1, CUT * most);
    if (peak > first)
        walk(&x, peak - 1, 0, CUT * most);
    add_unseen(&x, end, 0); /* all that is not kept */
    shuf_charge(TERM_WORK * 16 * (double) (end - first));
    arf_set_d(lo, fmin(x.lo * (1 - slack), 1));
    arf_set_d(hi, fmin((x.hi + LEAST) * (1 + slack), 1));
}
