/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "shuffle/bit_sum.h"

#include <string.h>

#include "enclosure/doubles.h"

/* What is smaller than this part of the largest mass is cut off at the ends, and counted as lost. Steers only. */
#define TRIM 1e-60

/* No product of two masses that are kept leaves the normal doubles: what is smaller fails. Lemma 5. */
#define LEAST_MASS 1e-100

/* Units of work of a product of two masses. Steers only. */
#define TERM_WORK 1.0

/* Products of more masses are not begun. Steers only. */
#define MOST_TERMS 1e9

/* A gain below this counts as 0 from below, and as much more from above: no product underflows unseen. Lemma 5. */
#define LEAST_GAIN 1e-200

/*
 * A part g <= f of the law f, sum of f - g at most lost: mass[i] is g(first + i) times `roundings` factors within 1 + ROUNDOFF of 1, at most.
 */
struct bit_sum
{
    double *mass;
    size_t length;
    uint64_t first;
    double roundings, lost;
    double *above, *below; /* sums of the masses after, or before, i; set last */
};

static bit_sum *sum_init(size_t length)
{
    bit_sum *s = flint_calloc(1, sizeof(*s));
    s->mass = flint_calloc(length, sizeof(double));
    s->length = length;
    return s;
}

void bit_sum_free(bit_sum *s)
{
    if (s == NULL)
        return;
    flint_free(s->mass);
    flint_free(s->above);
    flint_free(s->below);
    flint_free(s);
}

/* At least 1: what pays for so many roundings, and for those of what is computed with it. */
static double slack(double roundings)
{
    return 1 + 1.01 * (roundings + 16) * ROUNDOFF;
}

/* Cuts off the ends. Returns 0 when a mass that is left is too small. */
static int trim(bit_sum *s)
{
    double most = 0, cut = 0;
    size_t from = 0, to = s->length, i;
    for (i = 0; i < s->length; i++)
        most = fmax(most, s->mass[i]);
    while (from < to && s->mass[from] < TRIM * most)
        cut += s->mass[from++];
    while (to > from && s->mass[to - 1] < TRIM * most)
        cut += s->mass[--to];
    memmove(s->mass, s->mass + from, (to - from) * sizeof(double));
    s->length = to - from;
    s->first += from;
    s->lost += cut * slack(s->roundings + (double) (from + to));
    for (i = 0; i < s->length; i++)
        if (!(s->mass[i] >= LEAST_MASS))
            return 0;
    return s->length > 0;
}

/* The law of both together; NULL when that fails. */
static bit_sum *convolve(const bit_sum *x, const bit_sum *y)
{
    const bit_sum *shorter = x->length <= y->length ? x : y, *longer = shorter == x ? y : x;
    const double terms = (double) x->length * (double) y->length;
    bit_sum *s;
    size_t i, j;
    if (terms > MOST_TERMS)
        return NULL;
    s = sum_init(x->length + y->length - 1);
    for (i = 0; i < shorter->length; i++)
        for (j = 0; j < longer->length; j++)
            s->mass[i + j] += shorter->mass[i] * longer->mass[j];
    shuf_charge(TERM_WORK * terms);
    s->first = x->first + y->first;
    /* a product and at most so many sums */
    s->roundings = x->roundings + y->roundings + (double) shorter->length;
    s->lost = (x->lost + y->lost) * slack(0);
    if (!trim(s))
    {
        bit_sum_free(s);
        return NULL;
    }
    return s;
}

/* s := s and x, the old s being freed; x alone where s is NULL. Returns 0 when that fails. */
static int join(bit_sum **s, bit_sum *x)
{
    bit_sum *both = convolve(*s, x);
    bit_sum_free(*s);
    *s = both;
    return both != NULL;
}

static bit_sum *one_bit(const bit_group *g)
{
    bit_sum *s = sum_init(2);
    s->roundings = 2;
    if (arb_is_zero(g->one) || arb_is_zero(g->rest))
    {
        s->length = 1;
        s->first = (uint64_t) arb_is_zero(g->rest);
        s->mass[0] = 1;
        return s;
    }
    if (!constant(&s->mass[0], g->rest) || !constant(&s->mass[1], g->one) || !trim(s))
    {
        bit_sum_free(s);
        return NULL;
    }
    return s;
}

/* Puts the bits of a group to the sum by squaring. Returns 0 when that fails. */
static int add_group(bit_sum **s, const bit_group *g, double limit)
{
    bit_sum *power = one_bit(g);
    uint64_t left = g->count;
    int good = power != NULL;
    while (good && left > 0)
    {
        if (left & 1)
            good = join(s, power);
        left >>= 1;
        if (good && left > 0)
            good = !shuf_exhausted(limit) && join(&power, power);
    }
    bit_sum_free(power);
    return good && !shuf_exhausted(limit);
}

static void set_tails(bit_sum *s)
{
    size_t i;
    s->above = flint_calloc(s->length, sizeof(double));
    s->below = flint_calloc(s->length, sizeof(double));
    for (i = 1; i < s->length; i++)
    {
        s->below[i] = s->below[i - 1] + s->mass[i - 1];
        s->above[s->length - 1 - i] = s->above[s->length - i] + s->mass[s->length - i];
    }
}

bit_sum *bit_sum_new(const bit_group *group, size_t groups, double limit)
{
    bit_sum *s = sum_init(1);
    size_t i;
    s->mass[0] = 1;
    for (i = 0; i < groups; i++)
        if (group[i].count > 0 && !add_group(&s, &group[i], limit))
        {
            bit_sum_free(s);
            return NULL;
        }
    set_tails(s);
    return s;
}

uint64_t bit_sum_first(const bit_sum *s)
{
    return s->first;
}

uint64_t bit_sum_length(const bit_sum *s)
{
    return s->length;
}

void bit_sum_mass_d(double *lo, double *hi, const bit_sum *s, uint64_t c)
{
    const double more = slack(s->roundings);
    const int inside = c >= s->first && c - s->first < s->length;
    *lo = inside ? s->mass[c - s->first] / more : 0;
    *hi = (inside ? s->mass[c - s->first] * more : 0) + s->lost * more;
}

void bit_sum_mass(arf_t lo, arf_t hi, const bit_sum *s, uint64_t c)
{
    double a, b;
    bit_sum_mass_d(&a, &b, s, c);
    arf_set_d(lo, a);
    arf_set_d(hi, b);
}

void bit_sum_divergence(arf_t lo, arf_t hi, const bit_sum *s, const arb_t gain, const arb_t less, int mirrored)
{
    const double *tail = mirrored ? s->below : s->above;
    const double more = slack(s->roundings + (double) s->length);
    double gain_least, gain_most, less_least, less_most, least = 0, most = 0;
    arf_t x;
    size_t i;
    arf_init(x);
    arb_get_lbound_arf(x, gain, 64);
    gain_least = double_below(x);
    gain_least = gain_least < LEAST_GAIN ? 0 : gain_least;
    arb_get_ubound_arf(x, gain, 64);
    gain_most = double_above(x);
    arb_get_lbound_arf(x, less, 64);
    less_least = double_below(x);
    arb_get_ubound_arf(x, less, 64);
    less_most = double_above(x);
    for (i = 0; i < s->length; i++)
    {
        least = fmax(least, gain_least * s->mass[i] / more - less_most * tail[i] * more);
        most = fmax(most, gain_most * s->mass[i] * more - less_least * tail[i] / more);
    }
    least = least / more - less_most * s->lost * more;
    most = fmin((most + gain_most * s->lost) * more, gain_most) + LEAST_GAIN;
    shuf_charge(TERM_WORK * 4 * (double) s->length);
    arf_set_d(lo, fmax(least, 0));
    arf_set_d(hi, fmin(most, 1));
    arf_clear(x);
}
