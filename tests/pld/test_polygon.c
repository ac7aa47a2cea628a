/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Polygons above and below profiles of random pairs of laws, against the profiles in rationals. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "pld/polygon.h"
#include "check.h"
#include "random.h"

#define ATOMS 6
#define NODES 7

/* H_alpha of two laws; turned: of the second against the first. */
static void divergence(fmpq_t h, const fmpq *p, const fmpq *q, const fmpq_t alpha, int turned)
{
    fmpq_t t;
    slong i;
    fmpq_init(t);
    fmpq_zero(h);
    for (i = 0; i < ATOMS; i++)
    {
        fmpq_mul(t, alpha, turned ? p + i : q + i);
        fmpq_sub(t, turned ? q + i : p + i, t);
        if (fmpq_sgn(t) > 0)
            fmpq_add(h, h, t);
    }
    fmpq_clear(t);
}

static void random_law(fmpq *p, int zeros)
{
    slong i, total = 0;
    slong weight[ATOMS];
    for (i = 0; i < ATOMS; i++)
    {
        weight[i] = (slong) random_below(9) + (zeros || i == 0 ? 0 : 1);
        if (i == 0)
            weight[i]++;
        total += weight[i];
    }
    for (i = 0; i < ATOMS; i++)
        fmpq_set_si(p + i, weight[i], (ulong) total);
}

/* An enclosure of h, some of them wide. */
static void enclose(arf_t lo, arf_t hi, const fmpq_t h, int wide)
{
    arf_set_fmpq(lo, h, 60, ARF_RND_FLOOR);
    arf_set_fmpq(hi, h, 60, ARF_RND_CEIL);
    if (wide)
    {
        arf_t t;
        arf_init(t);
        arf_set_d(t, 0x1p-7 * random_unit());
        arf_sub(lo, lo, t, 60, ARF_RND_FLOOR);
        if (arf_sgn(lo) < 0)
            arf_zero(lo);
        arf_add(hi, hi, t, 60, ARF_RND_CEIL);
        if (arf_cmp_si(hi, 1) > 0)
            arf_one(hi);
        arf_clear(t);
    }
}

/* The profile of the polygon is on that side of that of the pair, falls, and hi is not below lo. */
static void check_profile(polygon_t polygon, const fmpq *p, const fmpq *q, int above)
{
    shuf_law_struct profile;
    shuf_options options = { 6, 0 };
    fmpq_t h, alpha;
    arf_t s, lo, hi, last;
    arb_t t;
    int direction, i;
    fmpq_init(h); fmpq_init(alpha);
    arf_init(s); arf_init(lo); arf_init(hi); arf_init(last);
    arb_init(t);
    polygon_law(&profile, polygon);
    for (direction = 0; direction < 2; direction++)
    {
        arf_one(last);
        for (i = 0; i < 400; i++)
        {
            arf_set_d(s, i * 0x1p-7);
            profile.evaluate(lo, hi, &profile, direction == 0 ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, s, 1, &options);
            assert_true(arf_cmp(lo, hi) <= 0 && arf_cmp(lo, last) <= 0 && arf_sgn(lo) >= 0);
            arf_set(last, hi);
            arb_set_arf(t, s);
            arb_exp(t, t, 200);
            if (above)
                arb_get_ubound_arf(s, t, 200);
            else
                arb_get_lbound_arf(s, t, 200);
            arf_get_fmpq(alpha, s);
            divergence(h, p, q, alpha, direction);
            if (above)
            {
                arf_get_fmpq(alpha, hi);
                assert_true(fmpq_cmp(alpha, h) >= 0);
            }
            else
            {
                arf_get_fmpq(alpha, lo);
                assert_true(fmpq_cmp(alpha, h) <= 0);
            }
        }
    }
    fmpq_clear(h); fmpq_clear(alpha);
    arf_clear(s); arf_clear(lo); arf_clear(hi); arf_clear(last);
    arb_clear(t);
}

/* Nodes 1 < .. for the pair, the last beyond its largest loss or not. */
static slong set_nodes(polygon_node *node, const fmpq *p, const fmpq *q, int wide)
{
    slong i, count = 1 + (slong) random_below(NODES);
    fmpq_t h;
    fmpq_init(h);
    for (i = 0; i < count; i++)
    {
        fmpq_one(node[i].alpha);
        if (i > 0)
        {
            fmpq_set_si(h, 1 + (slong) random_below(40), 16);
            fmpq_add(node[i].alpha, node[i - 1].alpha, h);
        }
        divergence(h, p, q, node[i].alpha, 0);
        enclose(node[i].lo[0], node[i].hi[0], h, wide);
        divergence(h, p, q, node[i].alpha, 1);
        enclose(node[i].lo[1], node[i].hi[1], h, wide);
    }
    fmpq_clear(h);
    return count;
}

static void test_between(void **state)
{
    fmpq *p = _fmpq_vec_init(ATOMS), *q = _fmpq_vec_init(ATOMS);
    polygon_node node[NODES + 1];
    int i;
    (void) state;
    for (i = 0; i <= NODES; i++)
        polygon_node_init(&node[i]);
    for (i = 0; i < 60; i++)
    {
        polygon_t above, below;
        slong count;
        random_law(p, i % 3 == 0);
        random_law(q, i % 3 == 0);
        count = set_nodes(node, p, q, i % 2);
        polygon_init(above);
        polygon_init(below);
        polygon_set_above(above, node, count, 0);
        polygon_set_below(below, node, count, 0);
        check_profile(above, p, q, 1);
        check_profile(below, p, q, 0);
        polygon_clear(above);
        polygon_clear(below);
    }
    for (i = 0; i <= NODES; i++)
        polygon_node_clear(&node[i]);
    _fmpq_vec_clear(p, ATOMS);
    _fmpq_vec_clear(q, ATOMS);
}

/* Nodes close together leave little between the two. */
static void test_close(void **state)
{
    fmpq *p = _fmpq_vec_init(ATOMS), *q = _fmpq_vec_init(ATOMS);
    enum { MANY = 200 };
    polygon_node *node = flint_malloc(MANY * sizeof(*node));
    shuf_options options = { 6, 0 };
    shuf_law_struct profile;
    polygon_t above, below;
    arf_t s, lo, hi, unused;
    fmpq_t h;
    slong i;
    (void) state;
    fmpq_init(h);
    arf_init(s); arf_init(lo); arf_init(hi); arf_init(unused);
    for (i = 0; i < ATOMS; i++)
    {
        fmpq_set_si(p + i, 1 + i, 21);
        fmpq_set_si(q + i, 6 - i, 21);
    }
    for (i = 0; i < MANY; i++)
    {
        polygon_node_init(&node[i]);
        fmpq_set_si(node[i].alpha, 32 + i, 32);
        divergence(h, p, q, node[i].alpha, 0);
        enclose(node[i].lo[0], node[i].hi[0], h, 0);
        divergence(h, p, q, node[i].alpha, 1);
        enclose(node[i].lo[1], node[i].hi[1], h, 0);
    }
    polygon_init(above);
    polygon_init(below);
    polygon_set_above(above, node, MANY, 1);
    polygon_set_below(below, node, MANY, 0);
    arf_set_d(s, 0.3);
    polygon_law(&profile, above);
    check_told_loss(&profile, SHUF_DIRECTION_PQ, 0);
    check_told_loss(&profile, SHUF_DIRECTION_QP, 0);
    profile.evaluate(unused, hi, &profile, SHUF_DIRECTION_QP, s, 1, &options);
    polygon_law(&profile, below);
    profile.evaluate(lo, unused, &profile, SHUF_DIRECTION_QP, s, 1, &options);
    assert_true(arf_get_d(hi, ARF_RND_UP) - arf_get_d(lo, ARF_RND_DOWN) < 0.01);
    {
        shuf_real_t loss;
        shuf_real_init(loss);
        assert_true(profile.max_loss(loss, &profile));
        assert_int_equal(fmpq_cmp(loss->q, node[MANY - 1].alpha), 0);
        shuf_real_clear(loss);
    }
    polygon_clear(above);
    polygon_clear(below);
    for (i = 0; i < MANY; i++)
        polygon_node_clear(&node[i]);
    flint_free(node);
    fmpq_clear(h);
    arf_clear(s); arf_clear(lo); arf_clear(hi); arf_clear(unused);
    _fmpq_vec_clear(p, ATOMS);
    _fmpq_vec_clear(q, ATOMS);
}

/* Before it has corners, nothing is known. */
static void test_unset(void **state)
{
    shuf_options options = { 6, 0 };
    shuf_law_struct profile;
    polygon_t p;
    arf_t s, lo, hi;
    (void) state;
    arf_init(s); arf_init(lo); arf_init(hi);
    polygon_init(p);
    polygon_law(&profile, p);
    arf_one(lo);
    profile.infinite(lo, &profile, SHUF_DIRECTION_PQ);
    assert_true(arf_is_zero(lo));
    arf_one(lo);
    assert_int_equal(profile.evaluate(lo, hi, &profile, SHUF_DIRECTION_QP, s, 1, &options), SHUF_ACCURACY);
    assert_true(arf_is_zero(lo) && arf_is_one(hi));
    polygon_clear(p);
    arf_clear(s); arf_clear(lo); arf_clear(hi);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_between), cmocka_unit_test(test_close), cmocka_unit_test(test_unset) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
