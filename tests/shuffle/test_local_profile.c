/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * The local-profile bound against its definition (a multinomial sum), the
 * pairs between which it lies, and exact shuffles of random randomisers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include <flint/fmpz_vec.h>

#include "hockey/hockey.h"
#include "shuffle/local_profile.h"
#include "check.h"
#include "random.h"

#define PREC 256

static const shuf_options options = SHUF_OPTIONS_DEFAULT;

/* e^x for a random x: log of a fraction above 1, or a decimal. */
static void random_epsilon(shuf_real_t x, double largest)
{
    char text[64];
    if (random_below(2))
    {
        unsigned denominator = 1 + (unsigned) random_below(20);
        unsigned more = 1 + (unsigned) ((double) denominator * 3 * largest * random_unit());
        snprintf(text, sizeof(text), "log(%u/%u)", denominator + more, denominator);
    }
    else
    {
        snprintf(text, sizeof(text), "%.4f", 0.0001 + largest * random_unit());
    }
    set(x, text);
}

/* eps < eps0, and m between 0 and somewhat more than m* = (E-alpha)/(E+1). */
static void random_point(shuf_real_t eps0, shuf_real_t eps, fmpq_t m)
{
    arb_t E, alpha;
    do
    {
        random_epsilon(eps0, 3);
        random_epsilon(eps, 1.5);
        if (random_below(8) == 0)
            set(eps, "0");
    } while (shuf_real_cmp(eps, eps0) >= 0);
    arb_init(E);
    arb_init(alpha);
    shuf_real_exp(E, eps0, 64);
    shuf_real_exp(alpha, eps, 64);
    arb_sub(alpha, E, alpha, 64);
    arb_add_ui(E, E, 1, 64);
    arb_div(E, alpha, E, 64);
    fmpq_set_si(m, 1 + (slong) (1.2e6 * random_unit() * arf_get_d(arb_midref(E), ARF_RND_NEAR)), 1000000);
    arb_clear(E);
    arb_clear(alpha);
}

/*
 * E(W_1 + ... + W_n)_+/n from the definition, over the numbers i and j of the
 * two values; m capped at (E-alpha)/(E+1).
 */
static void definition(arb_t r, ulong n, const shuf_real_t eps0, const shuf_real_t eps, const fmpq_t m)
{
    arb_t E, alpha, up, down, c[3], cap, profile, term, sum;
    fmpz_t ways;
    ulong i, j;
    int k;
    arb_init(E); arb_init(alpha); arb_init(up); arb_init(down); arb_init(cap); arb_init(profile); arb_init(term); arb_init(sum);
    for (k = 0; k < 3; k++)
        arb_init(c[k]);
    fmpz_init(ways);
    shuf_real_exp(E, eps0, PREC);
    shuf_real_exp(alpha, eps, PREC);
    arb_sub(up, E, alpha, PREC);
    arb_mul(down, alpha, E, PREC);
    arb_sub_ui(down, down, 1, PREC);
    arb_add_ui(cap, E, 1, PREC);
    arb_div(cap, up, cap, PREC);
    arb_set_fmpq(profile, m, PREC);
    arb_min(profile, profile, cap, PREC);
    arb_div(c[0], profile, up, PREC);
    arb_add(c[1], profile, alpha, PREC);
    arb_sub_ui(c[1], c[1], 1, PREC);
    arb_div(c[1], c[1], down, PREC);
    arb_one(c[2]);
    arb_sub(c[2], c[2], c[0], PREC);
    arb_sub(c[2], c[2], c[1], PREC);
    arb_zero(sum);
    for (i = 0; i <= n; i++)
    {
        for (j = 0; i + j <= n; j++)
        {
            arb_t value;
            arb_init(value);
            arb_mul_ui(value, up, i, PREC);
            arb_submul_ui(value, down, j, PREC);
            arb_nonnegative_part(value, value);
            fmpz_bin_uiui(ways, n, i);
            arb_mul_fmpz(value, value, ways, PREC);
            fmpz_bin_uiui(ways, n - i, j);
            arb_mul_fmpz(value, value, ways, PREC);
            for (k = 0; k < 3; k++)
            {
                arb_pow_ui(term, c[k], k == 0 ? i : k == 1 ? j : n - i - j, PREC);
                arb_mul(value, value, term, PREC);
            }
            arb_add(sum, sum, value, PREC);
            arb_clear(value);
        }
    }
    arb_div_ui(r, sum, n, PREC);
    arb_clear(E); arb_clear(alpha); arb_clear(up); arb_clear(down); arb_clear(cap); arb_clear(profile); arb_clear(term); arb_clear(sum);
    for (k = 0; k < 3; k++)
        arb_clear(c[k]);
    fmpz_clear(ways);
}

static void test_definition(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 400; i++)
    {
        shuf_real_t eps0, eps;
        shuf_enclosure_t r;
        fmpq_t m;
        arb_t value, ball;
        arf_t bound;
        uint64_t n = i % 10 == 0 ? 1 : 1 + random_below(24);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        fmpq_init(m);
        arb_init(value);
        arb_init(ball);
        arf_init(bound);
        random_point(eps0, eps, m);
        assert_int_equal(shuf_local_profile_delta(r, n, eps0, eps, m, &options), SHUF_OK);
        assert_true(well_formed_probability(r));
        definition(value, n, eps0, eps, m);
        shuf_enclosure_get_arb(ball, r, PREC);
        if (!arb_overlaps(ball, value))
            fail_msg("n %lu eps0 %s eps %s: %.17g, not %.17g", (unsigned long) n, eps0->text, eps->text,
                     arf_get_d(r->hi, ARF_RND_NEAR), arf_get_d(arb_midref(value), ARF_RND_NEAR));
        /* never above the local bound itself */
        arb_set_fmpq(value, m, PREC);
        arb_get_ubound_arf(bound, value, PREC);
        assert_true(arf_cmp(r->lo, bound) <= 0);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        fmpq_clear(m);
        arb_clear(value);
        arb_clear(ball);
        arf_clear(bound);
    }
}

/* At m* = (E-alpha)/(E+1), above it and just below it: clones-stronger. */
static void test_largest_profile(void **state)
{
    static const uint64_t users[] = { 1, 2, 37, 1000, 1000000 };
    size_t i, j;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < sizeof(users) / sizeof(users[0]); i++)
    {
        for (j = 0; j < 12; j++)
        {
            shuf_real_t eps0, eps;
            shuf_enclosure_t r, stronger;
            shuf_pair_t pair;
            fmpq_t m, t;
            shuf_real_init(eps0);
            shuf_real_init(eps);
            shuf_enclosure_init(r);
            shuf_enclosure_init(stronger);
            shuf_pair_init(pair);
            fmpq_init(m);
            fmpq_init(t);
            do
            {
                random_epsilon(eps0, 2);
                random_epsilon(eps, 0.5);
            } while (!eps0->is_log || !eps->is_log || shuf_real_cmp(eps, eps0) >= 0);
            fmpq_one(t);
            fmpq_add(t, t, eps0->q);
            fmpq_sub(m, eps0->q, eps->q);
            fmpq_div(m, m, t);
            if (j % 3 == 1)
                fmpq_one(m);
            if (j % 3 == 2)
            {
                /* m* (1 - 10^-30): between the rounded pairs */
                fmpz_ui_pow_ui(fmpq_numref(t), 10, 30);
                fmpz_sub_ui(fmpq_denref(t), fmpq_numref(t), 1);
                fmpq_div(m, m, t);
            }
            assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, users[i], eps0), 0);
            shuf_hockey_delta(stronger, pair, eps, SHUF_DIRECTION_BOTH, &options);
            assert_int_equal(shuf_local_profile_delta(r, users[i], eps0, eps, m, &options), SHUF_OK);
            assert_true(well_formed_probability(r));
            if (j % 3 != 2)
            {
                assert_true(overlap(r, stronger));
            }
            else
            {
                /* within the 12 digits of both */
                arf_t limit;
                arf_init(limit);
                arf_set_d(limit, 1.000000001);
                arf_mul(limit, limit, r->hi, 64, ARF_RND_UP);
                assert_true(arf_cmp(r->lo, stronger->hi) <= 0 && arf_cmp(stronger->lo, limit) <= 0);
                arf_clear(limit);
            }
            shuf_real_clear(eps0);
            shuf_real_clear(eps);
            shuf_enclosure_clear(r);
            shuf_enclosure_clear(stronger);
            shuf_pair_clear(pair);
            fmpq_clear(m);
            fmpq_clear(t);
        }
    }
}

/* ---- exact shuffles of random randomisers ---- */

#define MAX_INPUTS 3
#define MAX_OUTPUTS 4
#define MAX_HISTORIES 13 /* 1 + 3 + 9 */

/* Row x over TOTAL is R(x). */
#define TOTAL 60

typedef struct
{
    ulong weight[MAX_INPUTS][MAX_OUTPUTS];
} randomiser;

/* TOTAL in `outputs` positive parts. */
static void random_parts(ulong *part, int outputs)
{
    int i;
    for (i = 0; i < outputs; i++)
        part[i] = 1;
    if (random_below(2))
    {
        /* two parts share the rest */
        ulong rest = TOTAL - (ulong) outputs, some = random_below(rest + 1);
        part[random_below((uint64_t) outputs)] += some;
        part[random_below((uint64_t) outputs)] += rest - some;
    }
    else
    {
        for (i = outputs; i < TOTAL; i++)
            part[random_below((uint64_t) outputs)]++;
    }
}

/* Rows drawn one by one, or all with the parts of the first in some order. */
static void random_randomiser(randomiser *R, int inputs, int outputs, const ulong *common)
{
    int x, y;
    for (x = 0; x < inputs; x++)
    {
        if (common == NULL)
        {
            random_parts(R->weight[x], outputs);
            continue;
        }
        for (y = 0; y < outputs; y++)
        {
            int other = (int) random_below((uint64_t) y + 1);
            R->weight[x][y] = R->weight[x][other];
            R->weight[x][other] = common[y];
        }
    }
}

/* E := max(E, largest ratio), m := max(m, largest H_alpha over ordered pairs), alpha = up/down */
static void local_parameters(fmpq_t E, fmpq_t m, const randomiser *R, int inputs, int outputs, ulong up, ulong down)
{
    int x, x1, y;
    fmpq_t q;
    fmpq_init(q);
    for (x = 0; x < inputs; x++)
    {
        for (x1 = 0; x1 < inputs; x1++)
        {
            ulong sum = 0;
            for (y = 0; y < outputs; y++)
            {
                fmpq_set_ui(q, R->weight[x][y], R->weight[x1][y]);
                if (fmpq_cmp(q, E) > 0)
                    fmpq_set(E, q);
                if (down * R->weight[x][y] > up * R->weight[x1][y])
                    sum += down * R->weight[x][y] - up * R->weight[x1][y];
            }
            fmpq_set_ui(q, sum, down * TOTAL);
            if (fmpq_cmp(q, m) > 0)
                fmpq_set(m, q);
        }
    }
    fmpq_clear(q);
}

/* delta = sum (p - alpha q)_+ / scale over cells */
static void divergence(fmpq_t delta, const fmpz *p, const fmpz *q, slong cells, ulong up, ulong down, const fmpz_t scale)
{
    fmpz_t t, sum;
    slong i;
    fmpz_init(t);
    fmpz_init(sum);
    for (i = 0; i < cells; i++)
    {
        fmpz_mul_ui(t, p + i, down);
        fmpz_submul_ui(t, q + i, up);
        if (fmpz_sgn(t) > 0)
            fmpz_add(sum, sum, t);
    }
    fmpz_mul_ui(t, scale, down);
    fmpz_set(fmpq_numref(delta), sum);
    fmpz_set(fmpq_denref(delta), t);
    fmpq_canonicalise(delta);
    fmpz_clear(t);
    fmpz_clear(sum);
}

/* Fails unless delta <= the bound for E, m and alpha = up/down; *closest is the largest ratio so far. */
static void assert_bounded(const fmpq_t delta, uint64_t n, const fmpq_t E, const fmpq_t m, ulong up, ulong down,
                           const shuf_enclosure_t bound, double *closest)
{
    arb_t d, hi;
    double ratio;
    arb_init(d);
    arb_init(hi);
    arb_set_fmpq(d, delta, PREC);
    arb_set_arf(hi, bound->hi);
    if (arb_gt(d, hi))
        fail_msg("n %lu E %g m %.17g alpha %lu/%lu: delta %.17g above %.17g", (unsigned long) n, fmpz_get_d(fmpq_numref(E)) / fmpz_get_d(fmpq_denref(E)),
                 fmpz_get_d(fmpq_numref(m)) / fmpz_get_d(fmpq_denref(m)), up, down, arf_get_d(arb_midref(d), ARF_RND_NEAR),
                 arf_get_d(bound->hi, ARF_RND_NEAR));
    if (arf_sgn(bound->hi) > 0)
    {
        arb_div(d, d, hi, 53);
        ratio = arf_get_d(arb_midref(d), ARF_RND_NEAR);
        if (ratio > *closest)
            *closest = ratio;
    }
    arb_clear(d);
    arb_clear(hi);
}

/* The law of the histogram of n reports, times TOTAL^n; user i holds data[i]. */
static void histogram_law(fmpz *law, slong cells, const randomiser *R, int outputs, const int *data, int n)
{
    int i, y;
    slong h, place;
    fmpz *next = _fmpz_vec_init(cells);
    _fmpz_vec_zero(law, cells);
    fmpz_one(law);
    for (i = 0; i < n; i++)
    {
        _fmpz_vec_zero(next, cells);
        for (h = 0; h < cells; h++)
        {
            if (fmpz_is_zero(law + h))
                continue;
            for (y = 0, place = 1; y < outputs; y++, place *= n + 1)
                fmpz_addmul_ui(next + h + place, law + h, R->weight[data[i]][y]);
        }
        _fmpz_vec_swap(law, next, cells);
    }
    _fmpz_vec_clear(next, cells);
}

/* One randomiser for all, every pair of neighbouring datasets. */
static void test_dominates_one_randomiser(void **state)
{
    double closest = 0;
    int trial;
    (void) state;
    for (trial = 0; trial < 250; trial++)
    {
        int inputs = 2 + (int) random_below(2), outputs = 2 + (int) random_below(3), n = 1 + (int) random_below(outputs == 4 ? 3 : 5);
        int others[8], data[8], i, x, x1;
        ulong down = 1 + random_below(10), up = down + random_below(2 * down + 1);
        slong cells = 1, lot, lots = 1;
        ulong parts[MAX_OUTPUTS];
        randomiser R;
        fmpq_t E, m, delta;
        fmpz_t scale;
        fmpz *law[MAX_INPUTS];
        shuf_real_t eps0, eps;
        shuf_enclosure_t bound;

        fmpq_init(E);
        fmpq_init(m);
        fmpq_init(delta);
        fmpz_init(scale);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(bound);
        random_parts(parts, outputs);
        random_randomiser(&R, inputs, outputs, random_below(2) ? parts : NULL);
        local_parameters(E, m, &R, inputs, outputs, up, down);
        fmpq_set_ui(delta, up, down);
        shuf_real_set_log_fmpq(eps, delta);
        shuf_real_set_log_fmpq(eps0, E);
        shuf_local_profile_delta(bound, (uint64_t) n, eps0, eps, m, &options);
        fmpz_set_ui(scale, TOTAL);
        fmpz_pow_ui(scale, scale, (ulong) n);
        for (i = 0; i < outputs; i++)
            cells *= n + 1;
        for (x = 0; x < inputs; x++)
            law[x] = _fmpz_vec_init(cells);
        for (i = 1; i < n; i++)
            lots *= inputs;
        for (lot = 0; lot < lots; lot++)
        {
            slong rest = lot;
            int sorted = 1;
            for (i = 1; i < n; i++, rest /= inputs)
            {
                others[i] = (int) (rest % inputs);
                sorted = sorted && (i == 1 || others[i] >= others[i - 1]);
            }
            if (!sorted)
                continue;
            for (x = 0; x < inputs; x++)
            {
                data[0] = x;
                for (i = 1; i < n; i++)
                    data[i] = others[i];
                histogram_law(law[x], cells, &R, outputs, data, n);
            }
            for (x = 0; x < inputs; x++)
            {
                for (x1 = 0; x1 < inputs; x1++)
                {
                    divergence(delta, law[x], law[x1], cells, up, down, scale);
                    assert_bounded(delta, (uint64_t) n, E, m, up, down, bound, &closest);
                }
            }
        }
        for (x = 0; x < inputs; x++)
            _fmpz_vec_clear(law[x], cells);
        fmpq_clear(E);
        fmpq_clear(m);
        fmpq_clear(delta);
        fmpz_clear(scale);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(bound);
    }
    printf("one randomiser: closest ratio %.12f\n", closest);
    assert_true(closest > 0.999);
}

/*
 * The law of (z_1, .., z_n), times TOTAL^n n!: position
 * i uses the randomiser of the history z_<i, for every permutation of data.
 */
static void sequence_law(fmpz *law, slong cells, const randomiser *tree, int outputs, const int *data, int n)
{
    static const int permutations[6][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    slong z;
    int k, i;
    fmpz_t product;
    fmpz_init(product);
    for (z = 0; z < cells; z++)
    {
        fmpz_zero(law + z);
        for (k = 0; k < (n == 3 ? 6 : 2); k++)
        {
            slong rest = z, node = 0;
            fmpz_one(product);
            for (i = 0; i < n; i++, rest /= outputs)
            {
                slong y = rest % outputs;
                fmpz_mul_ui(product, product, tree[node].weight[data[permutations[k][i]]][y]);
                node = node * outputs + 1 + y; /* children of a node in breadth-first order */
            }
            fmpz_add(law + z, law + z, product);
        }
    }
    fmpz_clear(product);
}

/* Randomisers that depend on the position and on the outputs before it. */
static void test_dominates_adaptive(void **state)
{
    double closest = 0;
    int trial;
    (void) state;
    for (trial = 0; trial < 250; trial++)
    {
        int inputs = 2 + (int) random_below(2), outputs = 2 + (int) random_below(2), n = 2 + (int) random_below(2);
        int nodes = 0, level = 1, i, x, x1, data[3], alike = (int) random_below(2);
        ulong parts[MAX_OUTPUTS];
        ulong down = 1 + random_below(10), up = down + random_below(2 * down + 1);
        slong cells = 1, lot, lots = inputs;
        randomiser tree[MAX_HISTORIES];
        fmpq_t E, m, delta;
        fmpz_t scale;
        fmpz *law[MAX_INPUTS];
        shuf_real_t eps0, eps;
        shuf_enclosure_t bound;

        fmpq_init(E);
        fmpq_init(m);
        fmpq_init(delta);
        fmpz_init(scale);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(bound);
        random_parts(parts, outputs);
        for (i = 0; i < n; i++, level *= outputs)
        {
            nodes += level;
            cells *= outputs;
        }
        for (i = 0; i < nodes; i++)
        {
            random_randomiser(&tree[i], inputs, outputs, alike ? parts : NULL);
            local_parameters(E, m, &tree[i], inputs, outputs, up, down);
        }
        fmpz_set_ui(scale, TOTAL);
        fmpz_pow_ui(scale, scale, (ulong) n);
        fmpz_mul_ui(scale, scale, n == 3 ? 6 : 2);
        fmpq_set_ui(delta, up, down);
        shuf_real_set_log_fmpq(eps, delta);
        shuf_real_set_log_fmpq(eps0, E);
        shuf_local_profile_delta(bound, (uint64_t) n, eps0, eps, m, &options);
        for (x = 0; x < inputs; x++)
            law[x] = _fmpz_vec_init(cells);
        if (n == 3)
            lots *= inputs;
        for (lot = 0; lot < lots; lot++)
        {
            data[1] = (int) (lot % inputs);
            data[2] = (int) (lot / inputs);
            for (x = 0; x < inputs; x++)
            {
                data[0] = x;
                sequence_law(law[x], cells, tree, outputs, data, n);
            }
            for (x = 0; x < inputs; x++)
            {
                for (x1 = 0; x1 < inputs; x1++)
                {
                    divergence(delta, law[x], law[x1], cells, up, down, scale);
                    assert_bounded(delta, (uint64_t) n, E, m, up, down, bound, &closest);
                }
            }
        }
        for (x = 0; x < inputs; x++)
            _fmpz_vec_clear(law[x], cells);
        fmpq_clear(E);
        fmpq_clear(m);
        fmpq_clear(delta);
        fmpz_clear(scale);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(bound);
    }
    printf("adaptive: closest ratio %.12f\n", closest);
}

/* ---- order ---- */

/* bound(x) <= bound(y), as far as the enclosures tell, and not refuted. */
static void assert_at_most(const shuf_enclosure_t x, const shuf_enclosure_t y, const char *what)
{
    if (arf_cmp(x->lo, y->hi) > 0)
        fail_msg("%s: %.17g above %.17g", what, arf_get_d(x->lo, ARF_RND_NEAR), arf_get_d(y->hi, ARF_RND_NEAR));
}

/* Larger m or eps0, fewer users: a larger bound. Never above m or clones-stronger. */
static void test_monotone(void **state)
{
    int i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < 100; i++)
    {
        shuf_real_t eps0, eps, more;
        shuf_enclosure_t r, s;
        shuf_pair_t pair;
        fmpq_t m, t;
        uint64_t n = 1 + random_below(i % 4 == 0 ? 100000 : 300);
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_real_init(more);
        shuf_enclosure_init(r);
        shuf_enclosure_init(s);
        shuf_pair_init(pair);
        fmpq_init(m);
        fmpq_init(t);
        random_point(eps0, eps, m);
        shuf_local_profile_delta(r, n, eps0, eps, m, &options);
        assert_true(well_formed_probability(r));
        fmpq_set_si(t, 11, 10);
        fmpq_mul(t, m, t);
        shuf_local_profile_delta(s, n, eps0, eps, t, &options);
        assert_at_most(r, s, "m");
        shuf_local_profile_delta(s, n + 1 + random_below(10), eps0, eps, m, &options);
        assert_at_most(s, r, "n");
        set(more, "4");
        shuf_local_profile_delta(s, n, more, eps, m, &options);
        if (shuf_real_cmp(eps0, more) <= 0)
            assert_at_most(r, s, "eps0");
        assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, n, eps0), 0);
        shuf_hockey_delta(s, pair, eps, SHUF_DIRECTION_BOTH, &options);
        assert_at_most(r, s, "clones-stronger");
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_real_clear(more);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(s);
        shuf_pair_clear(pair);
        fmpq_clear(m);
        fmpq_clear(t);
    }
}

/* k-RR, m = (E-alpha)/(E+k-1): between krr-weak and clones-stronger; all equal for k = 2. */
static void test_krr(void **state)
{
    uint64_t k;
    (void) state;
    for (k = 2; k < 40; k = k < 5 ? k + 1 : 3 * k)
    {
        shuf_real_t eps0, eps;
        shuf_enclosure_t r, weak;
        shuf_pair_t pair;
        fmpq_t m, t, gamma;
        shuf_real_init(eps0);
        shuf_real_init(eps);
        shuf_enclosure_init(r);
        shuf_enclosure_init(weak);
        shuf_pair_init(pair);
        fmpq_init(m);
        fmpq_init(t);
        fmpq_init(gamma);
        set(eps0, "log(15/2)");
        set(eps, "log(11/10)");
        fmpz_set_ui(fmpq_numref(t), k - 1);
        fmpq_add(t, t, eps0->q);
        fmpq_sub(m, eps0->q, eps->q);
        fmpq_div(m, m, t);
        fmpz_set_ui(fmpq_numref(gamma), k);
        fmpq_div(gamma, gamma, t);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, 500, k, gamma), 0);
        shuf_hockey_delta(weak, pair, eps, SHUF_DIRECTION_BOTH, &options);
        shuf_local_profile_delta(r, 500, eps0, eps, m, &options);
        if (k == 2)
            assert_true(overlap(r, weak));
        else
            assert_true(arf_cmp(weak->hi, r->lo) < 0);
        shuf_real_clear(eps0);
        shuf_real_clear(eps);
        shuf_enclosure_clear(r);
        shuf_enclosure_clear(weak);
        shuf_pair_clear(pair);
        fmpq_clear(m);
        fmpq_clear(t);
        fmpq_clear(gamma);
    }
}

/* What is exactly 0, what is refused, what is hard, and what runs out of time. */
static void test_ends(void **state)
{
    static const struct { uint64_t n; const char *eps0, *eps, *m; } hard[] = {
        { 1000, "3", "0.2", "1e-300" },      { 1000, "100000", "5", "3/10" },
        { 1000, "1e-30", "0", "1e-31" },     { 10, "1", "0.999999999999999999999999", "1e-26" },
        { 1000000000, "3", "0.001", "0.3" }, { 1, "2", "1/2", "1/3" },
    };
    shuf_options quick = { 12, 1e-9 };
    shuf_real_t eps0, eps, m;
    shuf_enclosure_t r;
    size_t i;
    (void) state;
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_real_init(m);
    shuf_enclosure_init(r);
    set(eps0, "1");
    set(eps, "1/2");
    assert_int_equal(shuf_local_profile_delta(r, 10, eps0, eps, m->q, &options), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    set(m, "1/5");
    assert_int_equal(shuf_local_profile_delta(r, 10, eps0, eps0, m->q, &options), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    assert_int_equal(shuf_local_profile_delta(r, 10, eps, eps0, m->q, &options), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    assert_int_equal(shuf_local_profile_delta(r, 0, eps0, eps, m->q, &options), SHUF_DOMAIN);
    assert_true(arf_is_zero(r->lo) && arf_is_one(r->hi));
    set(m, "-1/5");
    assert_int_equal(shuf_local_profile_delta(r, 10, eps0, eps, m->q, &options), SHUF_DOMAIN);
    set(m, "1/5");
    set(eps, "-1/5");
    assert_int_equal(shuf_local_profile_delta(r, 10, eps0, eps, m->q, &options), SHUF_DOMAIN);
    set(eps, "1000001");
    assert_int_equal(shuf_local_profile_delta(r, 10, eps0, eps, m->q, &options), SHUF_DOMAIN);
    for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++)
    {
        set(eps0, hard[i].eps0);
        set(eps, hard[i].eps);
        set(m, hard[i].m);
        assert_int_equal(shuf_local_profile_delta(r, hard[i].n, eps0, eps, m->q, &options), SHUF_OK);
        assert_true(well_formed_probability(r));
        assert_true(arf_sgn(r->lo) > 0);
        /* at most m, and m for one user */
        {
            arb_t x;
            arf_t bound;
            arb_init(x);
            arf_init(bound);
            arb_set_fmpq(x, m->q, 128);
            arb_get_ubound_arf(bound, x, 128);
            assert_true(arf_cmp(r->lo, bound) <= 0);
            arb_get_lbound_arf(bound, x, 128);
            assert_true(hard[i].n > 1 || arf_cmp(r->hi, bound) >= 0);
            arb_clear(x);
            arf_clear(bound);
        }
        assert_int_equal(shuf_local_profile_delta(r, hard[i].n, eps0, eps, m->q, &quick), SHUF_ACCURACY);
        assert_true(well_formed_probability(r));
    }
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    shuf_real_clear(m);
    shuf_enclosure_clear(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_largest_profile),
        cmocka_unit_test(test_dominates_one_randomiser),
        cmocka_unit_test(test_dominates_adaptive),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_krr),
        cmocka_unit_test(test_ends),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
