/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The profile at many nodes against the certified engine, point by point, and
 * against the law written out for a few users. SHUFBOUND_SEED repeats a run.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "hockey/hockey.h"
#include "oracle/oracle.h"
#include "hockey/nodes.h"
#include "random.h"

#define POINTS 24
#define MUCH 1e12

static double worst_width;
static int pairs_seen, narrow_seen, tiny_seen;

typedef struct
{
    arf_struct s[POINTS], lo[POINTS], hi[POINTS];
    slong count;
} points;

static void points_init(points *x)
{
    int i;
    for (i = 0; i < POINTS; i++)
    {
        arf_init(x->s + i);
        arf_init(x->lo + i);
        arf_init(x->hi + i);
    }
    x->count = 0;
}

static void points_clear(points *x)
{
    int i;
    for (i = 0; i < POINTS; i++)
    {
        arf_clear(x->s + i);
        arf_clear(x->lo + i);
        arf_clear(x->hi + i);
    }
}

/* In order; points beyond the range or the capacity are dropped. */
static void add_point(points *x, double s)
{
    slong i;
    if (!(s >= 0 && s <= SHUF_MAX_EPSILON) || x->count == POINTS)
        return;
    for (i = x->count++; i > 0 && arf_cmp_d(x->s + i - 1, s) > 0; i--)
        arf_set(x->s + i, x->s + i - 1);
    arf_set_d(x->s + i, s);
}

static double number(const arf_t x)
{
    return arf_get_d(x, ARF_RND_NEAR);
}

/* Where the profile is about e^-nats, an estimate. */
static double where(const shuf_pair_t pair, double top, double nats)
{
    double low = 0, high = top;
    int i;
    for (i = 0; i < 40; i++)
    {
        double middle = (low + high) / 2;
        if (shuf_hockey_log_estimate(pair, SHUF_DIRECTION_PQ, middle) > -nats)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* 0, tiny, in the middle, where the value is tiny, near the largest loss and beyond it. */
static void choose_points(points *x, const shuf_pair_t pair)
{
    double top = 30;
    shuf_real_t loss;
    arb_t t;
    int i;
    shuf_real_init(loss);
    arb_init(t);
    add_point(x, 0);
    add_point(x, 1e-12);
    add_point(x, 0x1p-1000);
    if (shuf_pair_max_loss(loss, pair))
    {
        shuf_real_get_arb(t, loss, 128);
        top = number(arb_midref(t));
        add_point(x, nextafter(top, 0));
        add_point(x, top);
        add_point(x, nextafter(top, HUGE_VAL));
        add_point(x, top * (1 - 1e-9));
        add_point(x, top * (1 - 1e-3));
        add_point(x, top + 1);
    }
    else
    {
        add_point(x, 100);
        add_point(x, 700);
        add_point(x, SHUF_MAX_EPSILON);
    }
    for (i = 0; i < 4; i++)
        add_point(x, where(pair, top, 60 + 140 * i));
    for (i = 0; i < 4; i++)
        add_point(x, top * random_unit());
    for (i = 0; i < 4; i++)
        add_point(x, where(pair, top, 40) * random_unit());
    shuf_real_clear(loss);
    arb_clear(t);
}

static void complain(const char *what, const shuf_pair_t pair, int direction, const points *x, slong i, double lo, double hi)
{
    fprintf(stderr, "%s: kind %d n=%llu k=%llu eps0=%s direction %d s=%a\n nodes [%.17g, %.17g] certified [%.17g, %.17g]\n", what,
            (int) pair->kind, (unsigned long long) pair->n, (unsigned long long) pair->k, pair->eps0->text, direction,
            number(x->s + i), number(x->lo + i), number(x->hi + i), lo, hi);
    if (pair->kind == SHUF_PAIR_KRR_STRONG || pair->kind == SHUF_PAIR_KRR_WEAK)
        fmpq_print(pair->gamma);
    if (pair->kind == SHUF_PAIR_TRINOMIAL)
    {
        fmpq_print(pair->w0); printf(" "); fmpq_print(pair->w1); printf(" ");
        fmpq_print(pair->r0); printf(" "); fmpq_print(pair->r1);
    }
    fail();
}

/* What holds without knowing the value. */
static void check_shape(const shuf_pair_t pair, int direction, const points *x)
{
    slong i;
    for (i = 0; i < x->count; i++)
    {
        if (!(arf_sgn(x->lo + i) >= 0 && arf_cmp(x->lo + i, x->hi + i) <= 0 && arf_cmp_si(x->hi + i, 1) <= 0))
            complain("no interval", pair, direction, x, i, 0, 1);
        if (i > 0 && arf_cmp(x->lo + i, x->hi + i - 1) > 0)
            complain("not monotone", pair, direction, x, i, 0, 1);
    }
}

/* Node i against an enclosure of the value. */
static void check_value(const shuf_pair_t pair, int direction, const points *x, slong i, const arf_t lo, const arf_t hi)
{
    arf_t width, allowed;
    if (!(arf_cmp(x->lo + i, hi) <= 0 && arf_cmp(lo, x->hi + i) <= 0))
        complain("apart", pair, direction, x, i, number(lo), number(hi));
    if (arf_is_zero(hi) && !arf_is_zero(x->hi + i))
        complain("not exactly 0", pair, direction, x, i, 0, 0);
    arf_init(width);
    arf_init(allowed);
    arf_sub(width, x->hi + i, x->lo + i, 64, ARF_RND_UP);
    arf_set_d(allowed, 1e-9);
    arf_mul(allowed, allowed, x->hi + i, 64, ARF_RND_DOWN);
    if (arf_cmp_d(lo, 1e-250) > 0)
    {
        if (arf_cmp(width, allowed) > 0)
            complain("too wide", pair, direction, x, i, number(lo), number(hi));
        narrow_seen++;
        tiny_seen += arf_cmp_d(hi, 1e-150) < 0;
        arf_div(width, width, x->hi + i, 64, ARF_RND_UP);
        worst_width = fmax(worst_width, number(width));
    }
    else if (arf_cmp_d(hi, 1e-270) < 0 && arf_cmp_d(x->hi + i, 1e-250) > 0)
    {
        complain("tiny, but no small upper bound", pair, direction, x, i, number(lo), number(hi));
    }
    arf_clear(width);
    arf_clear(allowed);
}

static void check_pair(const shuf_pair_t pair, double seconds)
{
    shuf_options options = { 15, seconds * 1e9 };
    shuf_enclosure_t r;
    shuf_real_t s;
    points x;
    int direction;
    slong i;
    shuf_enclosure_init(r);
    shuf_real_init(s);
    points_init(&x);
    choose_points(&x, pair);
    for (direction = SHUF_DIRECTION_PQ; direction <= SHUF_DIRECTION_QP; direction++)
    {
        if (!hockey_nodes(x.lo, x.hi, pair, (shuf_direction) direction, x.s, x.count, MUCH, 0))
            complain("declined", pair, direction, &x, 0, 0, 1);
        check_shape(pair, direction, &x);
        for (i = 0; i < x.count; i++)
        {
            shuf_real_set_arf(s, x.s + i);
            shuf_hockey_delta(r, pair, s, (shuf_direction) direction, &options);
            check_value(pair, direction, &x, i, r->lo, r->hi);
        }
    }
    pairs_seen++;
    shuf_enclosure_clear(r);
    shuf_real_clear(s);
    points_clear(&x);
}

static void set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const char *text)
{
    shuf_real_t x;
    shuf_real_init(x);
    assert_int_equal(shuf_real_set_str(x, text), 0);
    if (kind == SHUF_PAIR_KRR_STRONG || kind == SHUF_PAIR_KRR_WEAK)
        assert_int_equal(shuf_pair_set_krr_blanket(pair, kind, n, k, x->q), 0);
    else if (kind == SHUF_PAIR_KRR_SAME || kind == SHUF_PAIR_KRR_THIRD)
        assert_int_equal(shuf_pair_set_krr(pair, kind, n, k, x), 0);
    else
        assert_int_equal(shuf_pair_set_eps0(pair, kind, n, x), 0);
    shuf_real_clear(x);
}

/* Three nonnegative parts of a whole; some are tiny or missing. */
static void random_parts(fmpq_t a, fmpq_t b)
{
    uint64_t part[3], sum = 0;
    int i;
    for (i = 0; i < 3; i++)
    {
        part[i] = random_below(4) == 0 ? 1 + random_below(3) : 1 + random_below(1000);
        if (i == 2 && random_below(4) == 0)
            part[i] = 0;
        sum += part[i];
    }
    fmpq_set_ui(a, part[0], sum);
    fmpq_set_ui(b, part[1], sum);
}

static void random_pair(shuf_pair_t pair, uint64_t n)
{
    shuf_pair_kind kind = (shuf_pair_kind) random_below(SHUF_PAIR_TRINOMIAL + 1);
    uint64_t k = 2 + random_below(5);
    char text[64];
    if (kind == SHUF_PAIR_KRR_THIRD)
        k++;
    if (kind == SHUF_PAIR_TRINOMIAL)
    {
        fmpq_t w0, w1, r0, r1;
        fmpq_init(w0); fmpq_init(w1); fmpq_init(r0); fmpq_init(r1);
        random_parts(w0, w1);
        if (random_below(6) == 0)
            fmpq_zero(w1);
        random_parts(r0, r1);
        if (random_below(12) == 0)
        {
            fmpq_zero(r0);
            fmpq_zero(r1);
        }
        assert_int_equal(shuf_pair_set_trinomial(pair, n, w0, w1, r0, r1), 0);
        fmpq_clear(w0); fmpq_clear(w1); fmpq_clear(r0); fmpq_clear(r1);
        return;
    }
    if (kind == SHUF_PAIR_KRR_STRONG || kind == SHUF_PAIR_KRR_WEAK)
        snprintf(text, sizeof(text), "%llu/1000", (unsigned long long) (1 + random_below(1000)));
    else if (random_below(2) == 0)
        snprintf(text, sizeof(text), "log(%llu/7)", (unsigned long long) (8 + random_below(200)));
    else
        snprintf(text, sizeof(text), "%.3f", 0.001 + 6 * random_unit());
    set_eps0(pair, kind, n, k, text);
}

static void against_the_engine(void **state)
{
    shuf_pair_t pair;
    int i;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    for (i = 0; i < 70; i++)
    {
        random_pair(pair, (uint64_t) floor(pow(300, random_unit())));
        check_pair(pair, 0.5);
    }
    shuf_pair_clear(pair);
}

static void many_users(void **state)
{
    shuf_pair_t pair;
    int i;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    for (i = 0; i < 4; i++)
    {
        do
            random_pair(pair, (uint64_t) (1e4 * pow(10, random_unit())));
        while (pair->kind == SHUF_PAIR_KRR_WEAK && pair->k > 2);
        check_pair(pair, 0.1);
    }
    set_eps0(pair, SHUF_PAIR_KRR_WEAK, 1500, 4, "1/4");
    check_pair(pair, 0.05);
    shuf_pair_clear(pair);
}

/* Strata in blocks: few points, where rounds need them, of so many users that the variance of C is large. */
static void blocks(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_KRR_SAME, SHUF_PAIR_KRR_THIRD };
    shuf_options options = { 15, 0 };
    shuf_enclosure_t r;
    shuf_pair_t pair;
    shuf_real_t s;
    points x;
    size_t k;
    slong i;
    (void) state;
    shuf_enclosure_init(r);
    shuf_pair_init(pair);
    shuf_real_init(s);
    for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
    {
        const int direction = random_below(2) == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP;
        char text[32];
        snprintf(text, sizeof(text), "%.3f", 0.5 + 1.5 * random_unit());
        set_eps0(pair, kinds[k], (uint64_t) (2e5 * (1 + random_unit())), 3 + random_below(4), text);
        points_init(&x);
        for (i = 0; i < 6; i++)
            add_point(&x, where(pair, 2, 8 * (double) i + 4 * random_unit()));
        add_point(&x, 0);
        assert_int_equal(hockey_nodes(x.lo, x.hi, pair, (shuf_direction) direction, x.s, x.count, MUCH, 0), 1);
        check_shape(pair, direction, &x);
        for (i = 0; i < x.count; i++)
        {
            shuf_real_set_arf(s, x.s + i);
            shuf_hockey_delta(r, pair, s, (shuf_direction) direction, &options);
            check_value(pair, direction, &x, i, r->lo, r->hi);
        }
        points_clear(&x);
    }
    shuf_enclosure_clear(r);
    shuf_pair_clear(pair);
    shuf_real_clear(s);
}

/* Node i against the ball engine. */
static int overlaps(const shuf_pair_t pair, int direction, const points *x, slong i)
{
    shuf_options options = { 15, 1e8 };
    shuf_enclosure_t r;
    shuf_real_t s;
    int yes;
    shuf_enclosure_init(r);
    shuf_real_init(s);
    shuf_real_set_arf(s, x->s + i);
    shuf_hockey_delta(r, pair, s, (shuf_direction) direction, &options);
    yes = arf_cmp(x->lo + i, r->hi) <= 0 && arf_cmp(r->lo, x->hi + i) <= 0;
    shuf_enclosure_clear(r);
    shuf_real_clear(s);
    return yes;
}

/* A random rest, whose gap falls by almost nothing or by half an outcome from one to the next. */
static void mixtures(void **state)
{
    const double before = worst_width;
    shuf_pair_t pair;
    fmpq_t gamma;
    int i;
    (void) state;
    skip_unless_drawn(5);
    worst_width = 0;
    shuf_pair_init(pair);
    fmpq_init(gamma);
    for (i = 0; i < 16; i++)
    {
        /* of 3000 users none in the rest is too unlikely for doubles */
        const uint64_t n = i == 0 ? 3000 : (uint64_t) (2 * pow(300, random_unit())), k = i % 3 == 0 ? 3 : 2 + random_below(49);
        fmpq_set_ui(gamma, i % 3 == 0 ? 49 : 1 + random_below(49), 50);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, n, k, gamma), 0);
        check_pair(pair, 0.02);
    }
    assert_true(worst_width < 2e-10);
    worst_width = fmax(before, worst_width);
    fmpq_clear(gamma);
    shuf_pair_clear(pair);
}

/* The likely outcomes have gaps that cancel almost, the others matter as much: the error of a gap does, too. */
static void near_corners(void **state)
{
    const double k = 1e9, unseen = 3e-5;
    shuf_pair_t pair;
    fmpq_t gamma;
    points x;
    ulong n;
    slong i;
    int direction;
    (void) state;
    skip_unless_drawn(4);
    shuf_pair_init(pair);
    fmpq_init(gamma);
    fmpq_set_ui(gamma, 99997, 100000);
    for (n = 2; n <= 3; n++)
    {
        points_init(&x);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, n, (uint64_t) k, gamma), 0);
        /* one report in the rest and none counted: gap 0 at e^s - 1 = (1 - gamma) k/(2 gamma) */
        for (i = 0; i < POINTS; i++)
            add_point(&x, log1p(unseen * k / (2 * (1 - unseen)) * (1 - pow(10, -5 - 5 * random_unit()))));
        for (direction = SHUF_DIRECTION_PQ; direction <= SHUF_DIRECTION_QP; direction++)
        {
            assert_int_equal(hockey_nodes(x.lo, x.hi, pair, (shuf_direction) direction, x.s, x.count, MUCH, 0), 1);
            check_shape(pair, direction, &x);
            for (i = 0; i < x.count; i++)
            {
                assert_true(number(x.lo + i) > 0.999 * number(x.hi + i));
                if (!overlaps(pair, direction, &x, i))
                    complain("apart near a corner", pair, direction, &x, i, 0, 1);
            }
        }
        points_clear(&x);
    }
    fmpq_clear(gamma);
    shuf_pair_clear(pair);
}

static void extremes(void **state)
{
    static const shuf_pair_kind ldp[] = { SHUF_PAIR_CLONES, SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_RR2, SHUF_PAIR_KRR_SAME,
                                          SHUF_PAIR_KRR_THIRD };
    static const char *const eps0[] = { "0", "1e-9", "1e-60", "20", "100", "700" };
    static const char *const gamma[] = { "0", "1e-9", "0.999999", "1" };
    shuf_pair_t pair;
    size_t i, j;
    uint64_t n;
    (void) state;
    shuf_pair_init(pair);
    for (n = 1; n <= 60; n = n * n * 7 + 1)
    {
        for (i = 0; i < sizeof(ldp) / sizeof(ldp[0]); i++)
        {
            for (j = 0; j < sizeof(eps0) / sizeof(eps0[0]); j++)
            {
                set_eps0(pair, ldp[i], n, 3, eps0[j]);
                check_pair(pair, 0.5);
            }
        }
        for (i = 0; i < sizeof(gamma) / sizeof(gamma[0]); i++)
        {
            for (j = 2; j <= 5; j += 3)
            {
                set_eps0(pair, SHUF_PAIR_KRR_STRONG, n, j, gamma[i]);
                check_pair(pair, 0.5);
                set_eps0(pair, SHUF_PAIR_KRR_WEAK, n, j, gamma[i]);
                check_pair(pair, 0.5);
            }
        }
    }
    shuf_pair_clear(pair);
}

/* The law written out. */
static void against_the_law(void **state)
{
    shuf_pair_t pair;
    points x;
    arb_t E, alpha, w0, w1, r0, r1;
    arb_struct value[2];
    arf_t lo, hi;
    slong i, n, prec = 256;
    int round, direction;
    (void) state;
    shuf_pair_init(pair);
    arb_init(E); arb_init(alpha); arb_init(w0); arb_init(w1); arb_init(r0); arb_init(r1);
    arb_init(value); arb_init(value + 1);
    arf_init(lo);
    arf_init(hi);
    for (round = 0; round < 40; round++)
    {
        random_pair(pair, 1 + random_below(5));
        if (pair->kind == SHUF_PAIR_KRR_THIRD && pair->k > 3)
            continue; /* a coarser view for k > 3 */
        n = (slong) pair->n;
        points_init(&x);
        choose_points(&x, pair);
        shuf_real_exp(E, pair->eps0, prec);
        for (direction = SHUF_DIRECTION_PQ; direction <= SHUF_DIRECTION_QP; direction++)
        {
            assert_int_equal(hockey_nodes(x.lo, x.hi, pair, (shuf_direction) direction, x.s, x.count, MUCH, 0), 1);
            check_shape(pair, direction, &x);
            for (i = 0; i < x.count; i++)
            {
                if (arf_cmp_si(x.s + i, 100) > 0)
                    continue;
                arb_set_arf(alpha, x.s + i);
                arb_exp(alpha, alpha, prec);
                switch (pair->kind)
                {
                case SHUF_PAIR_CLONES:
                    oracle_clones(value, value + 1, n, E, alpha, prec);
                    break;
                case SHUF_PAIR_CLONES_STRONGER:
                    oracle_clones_stronger(value, value + 1, n, E, alpha, prec);
                    break;
                case SHUF_PAIR_RR2:
                    oracle_rr2(value, value + 1, n, E, alpha, prec);
                    break;
                case SHUF_PAIR_KRR_SAME:
                    oracle_krr(value, value + 1, n, (slong) pair->k, E, ORACLE_OTHERS_SAME, alpha, prec);
                    break;
                case SHUF_PAIR_KRR_THIRD:
                    oracle_krr(value, value + 1, n, (slong) pair->k, E, ORACLE_OTHERS_THIRD, alpha, prec);
                    break;
                case SHUF_PAIR_KRR_STRONG:
                    oracle_krr_strong(value, value + 1, n, (slong) pair->k, pair->gamma, alpha, prec);
                    break;
                case SHUF_PAIR_KRR_WEAK:
                    oracle_krr_weak(value, value + 1, n, (slong) pair->k, pair->gamma, alpha, prec);
                    break;
                case SHUF_PAIR_TRINOMIAL:
                    arb_set_fmpq(w0, pair->w0, prec);
                    arb_set_fmpq(w1, pair->w1, prec);
                    arb_set_fmpq(r0, pair->r0, prec);
                    arb_set_fmpq(r1, pair->r1, prec);
                    oracle_trinomial(value, value + 1, n, w0, w1, r0, r1, alpha, prec);
                    break;
                default: fail_msg("this kind of pair is not covered here");
                }
                arb_get_interval_arf(lo, hi, value + (direction == SHUF_DIRECTION_QP), prec);
                if (!(arf_cmp(x.lo + i, hi) <= 0 && arf_cmp(lo, x.hi + i) <= 0))
                    complain("not the law", pair, direction, &x, i, number(lo), number(hi));
            }
        }
        points_clear(&x);
    }
    shuf_pair_clear(pair);
    arb_clear(E); arb_clear(alpha); arb_clear(w0); arb_clear(w1); arb_clear(r0); arb_clear(r1);
    arb_clear(value); arb_clear(value + 1);
    arf_clear(lo);
    arf_clear(hi);
}

/* A whole grid is monotone, and its nodes do not depend on their company. */
static void grid(void **state)
{
    shuf_pair_t pair;
    arf_ptr s = flint_malloc(1000 * sizeof(arf_struct)), lo = flint_malloc(1000 * sizeof(arf_struct)),
            hi = flint_malloc(1000 * sizeof(arf_struct));
    arf_t a, b;
    slong i;
    (void) state;
    arf_init(a);
    arf_init(b);
    shuf_pair_init(pair);
    set_eps0(pair, SHUF_PAIR_KRR_SAME, 2000, 4, "1.5");
    for (i = 0; i < 1000; i++)
    {
        arf_init(s + i);
        arf_init(lo + i);
        arf_init(hi + i);
        arf_set_d(s + i, 0.0016 * (double) i);
    }
    assert_int_equal(hockey_nodes(lo, hi, pair, SHUF_DIRECTION_QP, s, 1000, MUCH, 0), 1);
    for (i = 0; i < 1000; i++)
    {
        assert_true(arf_cmp(lo + i, hi + i) <= 0);
        assert_true(i == 0 || arf_cmp(lo + i, hi + i - 1) <= 0);
    }
    for (i = 0; i < 1000; i += 37)
    {
        assert_int_equal(hockey_nodes(a, b, pair, SHUF_DIRECTION_QP, s + i, 1, MUCH, 0), 1);
        assert_true(arf_cmp(a, hi + i) <= 0 && arf_cmp(lo + i, b) <= 0);
    }
    for (i = 0; i < 1000; i++)
    {
        arf_clear(s + i);
        arf_clear(lo + i);
        arf_clear(hi + i);
    }
    flint_free(s);
    flint_free(lo);
    flint_free(hi);
    arf_clear(a);
    arf_clear(b);
    shuf_pair_clear(pair);
}

static void refusals(void **state)
{
    shuf_pair_t pair;
    points x;
    (void) state;
    shuf_pair_init(pair);
    points_init(&x);
    arf_set_d(x.lo, 7);
    add_point(&x, 0.5);
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 100000, 2, "1");
    assert_int_equal(hockey_nodes(x.lo, x.hi, pair, SHUF_DIRECTION_PQ, x.s, 1, 1000, 0), 0);
    shuf_charge(2);
    assert_int_equal(hockey_nodes(x.lo, x.hi, pair, SHUF_DIRECTION_PQ, x.s, 1, MUCH, 1), 0);
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, UINT64_C(1) << 40, 2, "1");
    assert_int_equal(hockey_nodes(x.lo, x.hi, pair, SHUF_DIRECTION_PQ, x.s, 1, HUGE_VAL, 0), 0);
    assert_true(arf_cmp_si(x.lo, 7) == 0 && arf_is_zero(x.hi));
    set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 100, 2, "1");
    assert_int_equal(hockey_nodes(x.lo, x.hi, pair, SHUF_DIRECTION_PQ, x.s, 0, 1000, 0), 1);
    points_clear(&x);
    shuf_pair_clear(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),           cmocka_unit_test(extremes),   cmocka_unit_test(against_the_law),
        cmocka_unit_test(against_the_engine), cmocka_unit_test(many_users), cmocka_unit_test(grid),
        cmocka_unit_test(blocks),             cmocka_unit_test(mixtures),   cmocka_unit_test(near_corners),
    };
    int failed;
    seed_random();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d pairs, %d narrow values (%d of them below 1e-150), widest %.2g\n", pairs_seen, narrow_seen, tiny_seen, worst_width);
    flint_cleanup();
    return failed;
}
