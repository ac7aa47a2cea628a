/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Local randomisers against their explicit matrices, in exact arithmetic, and against integration; the parser. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "randomiser/randomiser.h"
#include "pair/pair.h"
#include "check.h"
#include "random.h"

#define PREC 192

static void parse(shuf_randomiser_t r, const char *text)
{
    char error[256] = "";
    if (shuf_randomiser_parse(r, text, strlen(text), error, sizeof(error)) != 0)
        fail_msg("%s: %s", text, error);
}

/* x encloses the value, to PREC - 40 bits unless the value is 0. */
static void assert_encloses(const arb_t x, const fmpq_t value, const char *what)
{
    if (!arb_contains_fmpq(x, value)
        || (fmpq_is_zero(value) ? mag_cmp_2exp_si(arb_radref(x), 20 - PREC) > 0 : arb_rel_accuracy_bits(x) < PREC - 40))
    {
        char *text = fmpq_get_str(NULL, 10, value), *ball = arb_get_str(x, 60, 0);
        fail_msg("%s: %s, not %s", what, ball, text);
    }
}

/* ---- explicit matrices, from the definitions ---- */

typedef struct
{
    uint64_t inputs, outputs;
    fmpq *entry;
} table;

static void table_init(table *t, uint64_t inputs, uint64_t outputs)
{
    uint64_t i;
    t->inputs = inputs;
    t->outputs = outputs;
    t->entry = flint_malloc(inputs * outputs * sizeof(fmpq));
    for (i = 0; i < inputs * outputs; i++)
        fmpq_init(&t->entry[i]);
}

static void table_clear(table *t)
{
    uint64_t i;
    for (i = 0; i < t->inputs * t->outputs; i++)
        fmpq_clear(&t->entry[i]);
    flint_free(t->entry);
}

/* Weights become probabilities. */
static void normalise(table *t)
{
    uint64_t x, y;
    fmpq_t sum;
    fmpq_init(sum);
    for (x = 0; x < t->inputs; x++)
    {
        fmpq_zero(sum);
        for (y = 0; y < t->outputs; y++)
            fmpq_add(sum, sum, &t->entry[x * t->outputs + y]);
        for (y = 0; y < t->outputs; y++)
            fmpq_div(&t->entry[x * t->outputs + y], &t->entry[x * t->outputs + y], sum);
    }
    fmpq_clear(sum);
}

static void set_weight(table *t, uint64_t x, uint64_t y, int high, const fmpq_t E)
{
    if (high)
        fmpq_set(&t->entry[x * t->outputs + y], E);
    else
        fmpq_one(&t->entry[x * t->outputs + y]);
}

static void krr_table(table *t, uint64_t k, const fmpq_t E)
{
    uint64_t x, y;
    table_init(t, k, k);
    for (x = 0; x < k; x++)
        for (y = 0; y < k; y++)
            set_weight(t, x, y, x == y, E);
    normalise(t);
}

static int popcount(uint64_t v)
{
    int n = 0;
    for (; v != 0; v &= v - 1)
        n++;
    return n;
}

/* An output is a set of inputs, as bits; those of another size are left out. */
static void subset_table(table *t, uint64_t k, uint64_t size, const fmpq_t E)
{
    uint64_t x, s, y = 0, sets = 0;
    for (s = 0; s < UINT64_C(1) << k; s++)
        sets += popcount(s) == (int) size;
    table_init(t, k, sets);
    for (s = 0; s < UINT64_C(1) << k; s++)
    {
        if (popcount(s) != (int) size)
            continue;
        for (x = 0; x < k; x++)
            set_weight(t, x, y, (int) (s >> x & 1), E);
        y++;
    }
    normalise(t);
}

/* A bit of the one-hot vector is reported as a one with probability p if it is set, else q. */
static void unary_table(table *t, uint64_t k, const fmpq_t p, const fmpq_t q)
{
    uint64_t x, y, i;
    fmpq_t rest[2];
    for (i = 0; i < 2; i++)
    {
        fmpq_init(rest[i]);
        fmpq_sub_si(rest[i], i == 0 ? q : p, 1);
        fmpq_neg(rest[i], rest[i]);
    }
    table_init(t, k, UINT64_C(1) << k);
    for (x = 0; x < k; x++)
    {
        for (y = 0; y < t->outputs; y++)
        {
            fmpq *entry = &t->entry[x * t->outputs + y];
            fmpq_one(entry);
            for (i = 0; i < k; i++)
                fmpq_mul(entry, entry, y >> i & 1 ? (x == i ? p : q) : rest[x == i]);
        }
    }
    fmpq_clear(rest[0]);
    fmpq_clear(rest[1]);
}

/* Each bit of the one-hot vector is flipped. */
static void rappor_table(table *t, uint64_t k, const fmpq_t flip)
{
    fmpq_t keep;
    fmpq_init(keep);
    fmpq_sub_si(keep, flip, 1);
    fmpq_neg(keep, keep);
    unary_table(t, k, keep, flip);
    fmpq_clear(keep);
}

/* Sylvester's matrix by doubling. */
static void hadamard_table(table *t, uint64_t k, const fmpq_t E)
{
    uint64_t x, y, n, K = 2;
    int h[32][32] = { { 1 } };
    while (K < k + 1)
        K *= 2;
    for (n = 1; n < K; n *= 2)
    {
        for (x = 0; x < n; x++)
        {
            for (y = 0; y < n; y++)
            {
                h[x][y + n] = h[x + n][y] = h[x][y];
                h[x + n][y + n] = -h[x][y];
            }
        }
    }
    table_init(t, k, K);
    for (x = 0; x < k; x++)
        for (y = 0; y < K; y++)
            set_weight(t, x, y, h[x + 1][y] == 1, E);
    normalise(t);
}

/* An output is a function, written with k digits in base g, and a value. */
static void hashing_table(table *t, uint64_t k, uint64_t g, const fmpq_t E)
{
    uint64_t x, h, v, functions = 1, digit = 1;
    for (x = 0; x < k; x++)
        functions *= g;
    table_init(t, k, functions * g);
    for (x = 0; x < k; x++, digit *= g)
        for (h = 0; h < functions; h++)
            for (v = 0; v < g; v++)
                set_weight(t, x, h * g + v, h / digit % g == v, E);
    normalise(t);
}

/* ---- classes against matrices ---- */

static void fmpq_maximum(fmpq_t r, const fmpq_t x)
{
    if (fmpq_cmp(x, r) > 0)
        fmpq_set(r, x);
}

/* Sum over outputs of max(u p, a q, b w) for the table's rows. */
static void table_sum(fmpq_t sum, const table *t, uint64_t x, uint64_t x1, const fmpq *w, const fmpq_t u, const fmpq_t a,
                      const fmpq_t b)
{
    fmpq_t m, s;
    uint64_t y;
    fmpq_init(m);
    fmpq_init(s);
    fmpq_zero(sum);
    for (y = 0; y < t->outputs; y++)
    {
        fmpq_mul(m, &t->entry[x * t->outputs + y], u);
        fmpq_mul(s, &t->entry[x1 * t->outputs + y], a);
        fmpq_maximum(m, s);
        fmpq_mul(s, &w[y], b);
        fmpq_maximum(m, s);
        fmpq_add(sum, sum, m);
    }
    fmpq_clear(m);
    fmpq_clear(s);
}

static void classes_sum(arb_t sum, const shuf_classes_t c, const fmpq_t u, const fmpq_t a, const fmpq_t b)
{
    arb_t m, s, f;
    slong j;
    arb_init(m);
    arb_init(s);
    arb_init(f);
    arb_zero(sum);
    for (j = 0; j < c->count; j++)
    {
        arb_set_fmpq(f, u, PREC);
        arb_mul(m, c->p + j, f, PREC);
        arb_set_fmpq(f, a, PREC);
        arb_mul(s, c->q + j, f, PREC);
        arb_max(m, m, s, PREC);
        arb_set_fmpq(f, b, PREC);
        arb_mul(s, c->w + j, f, PREC);
        arb_max(m, m, s, PREC);
        arb_add(sum, sum, m, PREC);
    }
    arb_clear(m);
    arb_clear(s);
    arb_clear(f);
}

/* w := the reference's row, or the columns' minima. */
static void reference_row(fmpq *w, const table *t, uint64_t reference)
{
    uint64_t y, z;
    for (y = 0; y < t->outputs; y++)
    {
        fmpq_set(&w[y], &t->entry[(reference == SHUF_BLANKET ? 0 : reference) * t->outputs + y]);
        for (z = 1; reference == SHUF_BLANKET && z < t->inputs; z++)
            if (fmpq_cmp(&t->entry[z * t->outputs + y], &w[y]) < 0)
                fmpq_set(&w[y], &t->entry[z * t->outputs + y]);
    }
}

/* Masses and sums of maxima; with the masses the latter give (p - alpha q)_+ = max(p, alpha q) - alpha q. */
static void check_classes(const shuf_randomiser_t r, const table *t, uint64_t x, uint64_t x1, uint64_t reference)
{
    static const int weights[][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 0 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
    shuf_classes_t c;
    fmpq_t u, a, b, expected;
    fmpq *w = flint_malloc(t->outputs * sizeof(fmpq));
    arb_t sum;
    uint64_t y;
    slong j;
    char what[160];
    fmpq_init(u);
    fmpq_init(a);
    fmpq_init(b);
    fmpq_init(expected);
    arb_init(sum);
    for (y = 0; y < t->outputs; y++)
        fmpq_init(&w[y]);
    reference_row(w, t, reference);
    shuf_randomiser_classes(c, r, x, x1, reference, PREC);
    for (j = 0; j < c->count; j++)
        assert_false(arb_is_zero(c->p + j) && arb_is_zero(c->q + j) && arb_is_zero(c->w + j));
    for (j = 0; j < 15; j++)
    {
        if (j < 7)
        {
            fmpq_set_si(u, weights[j][0], 1);
            fmpq_set_si(a, weights[j][1], 1);
            fmpq_set_si(b, weights[j][2], 1);
        }
        else
        {
            fmpq_set_ui(u, 1 + random_below(30), 1 + random_below(30));
            fmpq_set_ui(a, random_below(30), 1 + random_below(30));
            fmpq_set_ui(b, random_below(30), 1 + random_below(30));
        }
        table_sum(expected, t, x, x1, w, u, a, b);
        classes_sum(sum, c, u, a, b);
        snprintf(what, sizeof(what), "kind %d, k %lu, x %lu, x1 %lu, reference %ld, sum %ld", (int) r->kind,
                 (unsigned long) t->inputs, (unsigned long) x, (unsigned long) x1, (long) reference, (long) j);
        assert_encloses(sum, expected, what);
    }
    shuf_classes_clear(c);
    for (y = 0; y < t->outputs; y++)
        fmpq_clear(&w[y]);
    flint_free(w);
    fmpq_clear(u);
    fmpq_clear(a);
    fmpq_clear(b);
    fmpq_clear(expected);
    arb_clear(sum);
}

/* eps0 = log of the largest ratio in the table. */
static void check_eps0(const shuf_randomiser_t r, const table *t)
{
    fmpq_t largest, ratio;
    shuf_real_t eps0, expected;
    uint64_t x, x1, y;
    fmpq_init(largest);
    fmpq_init(ratio);
    shuf_real_init(eps0);
    shuf_real_init(expected);
    for (x = 0; x < t->inputs; x++)
    {
        for (x1 = 0; x1 < t->inputs; x1++)
        {
            for (y = 0; y < t->outputs; y++)
            {
                fmpq_div(ratio, &t->entry[x * t->outputs + y], &t->entry[x1 * t->outputs + y]);
                fmpq_maximum(largest, ratio);
            }
        }
    }
    shuf_real_set_log_fmpq(expected, largest);
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    assert_int_equal(shuf_real_cmp(eps0, expected), 0);
    fmpq_clear(largest);
    fmpq_clear(ratio);
    shuf_real_clear(eps0);
    shuf_real_clear(expected);
}

/* The local profile at alpha = 1 and at random ones, against all pairs of the table. */
static void check_profile(const shuf_randomiser_t r, const table *t)
{
    fmpq_t one, alpha, zero, sum, largest;
    fmpq *w = flint_malloc(t->outputs * sizeof(fmpq));
    shuf_real_t eps;
    arb_t m;
    uint64_t x, x1, y;
    int i;
    fmpq_init(one);
    fmpq_one(one);
    fmpq_init(alpha);
    fmpq_init(zero);
    fmpq_init(sum);
    fmpq_init(largest);
    shuf_real_init(eps);
    arb_init(m);
    for (y = 0; y < t->outputs; y++)
        fmpq_init(&w[y]);
    for (i = 0; i < 3; i++)
    {
        fmpq_set_ui(alpha, 20 + random_below(60) * (uint64_t) (i > 0), 20);
        fmpq_zero(largest);
        for (x = 0; x < t->inputs; x++)
        {
            for (x1 = 0; x1 < t->inputs; x1++)
            {
                /* max(p, alpha q) - alpha q sums to (p - alpha q)_+ */
                table_sum(sum, t, x, x1, w, one, alpha, zero);
                fmpq_sub(sum, sum, alpha);
                fmpq_maximum(largest, sum);
            }
        }
        shuf_real_set_log_fmpq(eps, alpha);
        shuf_randomiser_profile(m, r, eps, PREC);
        assert_encloses(m, largest, "profile");
    }
    for (y = 0; y < t->outputs; y++)
        fmpq_clear(&w[y]);
    flint_free(w);
    fmpq_clear(one);
    fmpq_clear(alpha);
    fmpq_clear(zero);
    fmpq_clear(sum);
    fmpq_clear(largest);
    shuf_real_clear(eps);
    arb_clear(m);
}

/* The table as a randomiser of type matrix. */
static void parse_table(shuf_randomiser_t r, const table *t)
{
    char *text = flint_malloc(32 + t->inputs * t->outputs * 80);
    uint64_t x, y;
    strcpy(text, "{\"type\":\"matrix\",\"rows\":[");
    for (x = 0; x < t->inputs; x++)
    {
        for (y = 0; y < t->outputs; y++)
        {
            char *entry = fmpq_get_str(NULL, 10, &t->entry[x * t->outputs + y]);
            assert_true(strlen(entry) < 70);
            sprintf(text + strlen(text), "%s\"%s\"%s", y == 0 ? "[" : "", entry, y + 1 < t->outputs ? "," : "]");
            flint_free(entry);
        }
        strcat(text, x + 1 < t->inputs ? "," : "]}");
    }
    parse(r, text);
    flint_free(text);
}

/* The family and, if it is small, the matrix: eps0, profile, and all pairs and references (or some, of many). */
static void check_family(const char *text, table *t)
{
    shuf_randomiser_t family, matrix;
    uint64_t x, x1, reference, i;
    shuf_randomiser_init(family);
    shuf_randomiser_init(matrix);
    parse(family, text);
    assert_int_equal(family->inputs, t->inputs);
    check_eps0(family, t);
    check_profile(family, t);
    for (x = 0; x < t->inputs && t->inputs <= 6; x++)
        for (x1 = 0; x1 < t->inputs; x1++)
            for (reference = 0; reference <= t->inputs && x1 != x; reference++)
                check_classes(family, t, x, x1, reference == t->inputs ? SHUF_BLANKET : reference);
    for (i = 0; i < 30 && t->inputs > 6; i++)
    {
        x = random_below(t->inputs);
        x1 = (x + 1 + random_below(t->inputs - 1)) % t->inputs;
        reference = random_below(t->inputs);
        /* dependent rows among them */
        if (i % 3 == 1 && ((x + 1) ^ (x1 + 1)) <= t->inputs)
            reference = ((x + 1) ^ (x1 + 1)) - 1;
        check_classes(family, t, x, x1, i % 3 == 0 ? SHUF_BLANKET : reference);
    }
    if (t->outputs <= SHUF_MAX_MATRIX)
    {
        parse_table(matrix, t);
        check_eps0(matrix, t);
        check_profile(matrix, t);
        for (reference = 0; reference <= t->inputs; reference++)
            check_classes(matrix, t, 1, 0, reference == t->inputs ? SHUF_BLANKET : reference);
    }
    shuf_randomiser_clear(family);
    shuf_randomiser_clear(matrix);
    table_clear(t);
}

/* A random E > 1. */
static void random_E(fmpq_t E)
{
    uint64_t b = 1 + random_below(9);
    fmpq_set_ui(E, b + 1 + random_below(40), b);
}

static void test_families(void **state)
{
    fmpq_t E, flip, keep;
    uint64_t k, size;
    char text[200], *e, *other;
    table t;
    (void) state;
    fmpq_init(E);
    fmpq_init(flip);
    fmpq_init(keep);
    for (k = 2; k <= 20; k++)
    {
        random_E(E);
        e = fmpq_get_str(NULL, 10, E);
        snprintf(text, sizeof(text), "{\"type\":\"hadamard-response\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e);
        hadamard_table(&t, k, E);
        check_family(text, &t);
        flint_free(e);
    }
    for (k = 2; k <= 5; k++)
    {
        random_E(E);
        e = fmpq_get_str(NULL, 10, E);
        snprintf(text, sizeof(text), "{\"type\":\"krr\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e);
        krr_table(&t, k, E);
        check_family(text, &t);
        for (size = 1; size < k; size++)
        {
            snprintf(text, sizeof(text), "{\"type\":\"subset-selection\",\"k\":%d,\"size\":%d,\"eps0\":\"log(%s)\"}", (int) k,
                     (int) size, e);
            subset_table(&t, k, size, E);
            check_family(text, &t);
        }
        for (size = 2; size <= (k < 5 ? 4 : 3); size++)
        {
            snprintf(text, sizeof(text), "{\"type\":\"local-hashing\",\"k\":\"%d\",\"g\":%d,\"eps0\":\"log(%s)\"}", (int) k,
                     (int) size, e);
            hashing_table(&t, k, size, E);
            check_family(text, &t);
        }
        flint_free(e);

        /* flip = a/b, and the same by the parameter of deletion */
        fmpq_set_ui(flip, 1 + random_below(9), 20 + random_below(20));
        e = fmpq_get_str(NULL, 10, flip);
        snprintf(text, sizeof(text), "{\"type\":\"rappor\",\"k\":%d,\"flip\":\"%s\"}", (int) k, e);
        flint_free(e);
        rappor_table(&t, k, flip);
        check_family(text, &t);
        random_E(E);
        e = fmpq_get_str(NULL, 10, E);
        snprintf(text, sizeof(text), "{\"type\":\"rappor\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e);
        flint_free(e);
        fmpz_add(fmpq_numref(flip), fmpq_numref(E), fmpq_denref(E));
        fmpz_set(fmpq_denref(flip), fmpq_denref(E));
        fmpq_inv(flip, flip);
        rappor_table(&t, k, flip);
        check_family(text, &t);

        /* p = 1/2 and q = 1/(E+1), and any q below any p */
        e = fmpq_get_str(NULL, 10, E);
        snprintf(text, sizeof(text), "{\"type\":\"oue\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e);
        flint_free(e);
        fmpq_set_ui(keep, 1, 2);
        unary_table(&t, k, keep, flip);
        check_family(text, &t);
        fmpq_set_ui(flip, 1 + random_below(19), 40);
        fmpq_set_ui(keep, 20 + random_below(20), 40);
        e = fmpq_get_str(NULL, 10, flip);
        other = fmpq_get_str(NULL, 10, keep);
        snprintf(text, sizeof(text), "{\"type\":\"unary-encoding\",\"k\":%d,\"p\":\"%s\",\"q\":\"%s\"}", (int) k, other, e);
        flint_free(e);
        flint_free(other);
        unary_table(&t, k, keep, flip);
        check_family(text, &t);
    }
    fmpq_clear(keep);
    fmpq_clear(E);
    fmpq_clear(flip);
}

/* Whether columns i and j are proportional, as the rows 0, 1 and w see them; a zero one is to all. */
static int proportional(const table *t, const fmpq *w, uint64_t i, uint64_t j)
{
    const fmpq *a[3] = { &t->entry[i], &t->entry[t->outputs + i], &w[i] };
    const fmpq *b[3] = { &t->entry[j], &t->entry[t->outputs + j], &w[j] };
    fmpq_t s, u;
    int k, l, result = 1;
    fmpq_init(s);
    fmpq_init(u);
    for (k = 0; k < 3; k++)
    {
        for (l = 0; l < k; l++)
        {
            fmpq_mul(s, a[k], b[l]);
            fmpq_mul(u, a[l], b[k]);
            result &= fmpq_equal(s, u);
        }
    }
    fmpq_clear(s);
    fmpq_clear(u);
    return result;
}

/* The blanket's classes of the pair (0, 1): as many as there are columns that are not proportional to an earlier one. */
static void check_count(const shuf_randomiser_t r, const table *t)
{
    fmpq *w = _fmpq_vec_init((slong) t->outputs);
    shuf_classes_t c;
    uint64_t i, j;
    slong expected = 0;
    reference_row(w, t, SHUF_BLANKET);
    for (i = 0; i < t->outputs; i++)
    {
        int fresh = !(fmpq_is_zero(&t->entry[i]) && fmpq_is_zero(&t->entry[t->outputs + i]));
        for (j = 0; j < i; j++)
            if (!(fmpq_is_zero(&t->entry[j]) && fmpq_is_zero(&t->entry[t->outputs + j])))
                fresh &= !proportional(t, w, i, j);
        expected += fresh;
    }
    shuf_randomiser_classes(c, r, 0, 1, SHUF_BLANKET, PREC);
    assert_int_equal(c->count, expected);
    shuf_classes_clear(c);
    _fmpq_vec_clear(w, (slong) t->outputs);
}

/* Cuts each column of the core into pieces, and mixes them; some nothing. */
static void cut_table(table *t, const table *core, uint64_t outputs)
{
    uint64_t x, y, i;
    ulong weight[SHUF_MAX_MATRIX], sum[SHUF_MAX_MATRIX] = { 0 };
    fmpq_t share;
    fmpq_init(share);
    table_init(t, core->inputs, outputs);
    for (y = 0; y < outputs; y++)
    {
        weight[y] = y < core->outputs ? 1 + random_below(9) : random_below(10);
        sum[y % core->outputs] += weight[y];
    }
    for (y = 0; y < outputs; y++)
    {
        fmpq_set_ui(share, weight[y], sum[y % core->outputs]);
        for (x = 0; x < core->inputs; x++)
            fmpq_mul(&t->entry[x * outputs + y], &core->entry[x * core->outputs + y % core->outputs], share);
    }
    for (y = outputs - 1; y > 0; y--)
        for (x = 0, i = random_below(y + 1); x < core->inputs; x++)
            fmpq_swap(&t->entry[x * outputs + y], &t->entry[x * outputs + i]);
    fmpq_clear(share);
}

/* A matrix of up to 64 columns with as many directions as its core: read as the core, and worth what it says. */
static void test_merged(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 30; i++)
    {
        uint64_t directions = 2 + random_below(4), inputs = 2 + random_below(4), outputs = directions + random_below(65 - directions);
        shuf_randomiser_t r;
        table core, t;
        uint64_t x, y;
        table_init(&core, inputs, directions);
        for (x = 0; x < inputs; x++)
            for (y = 0; y < directions; y++)
                fmpq_set_ui(&core.entry[x * directions + y], x == 0 ? 1 : x == 1 ? 1 + y : 1 + random_below(9), 1);
        normalise(&core);
        cut_table(&t, &core, outputs);
        shuf_randomiser_init(r);
        parse_table(r, &t);
        assert_int_equal(r->outputs, directions);
        check_eps0(r, &core);
        check_profile(r, &t);
        check_classes(r, &t, 0, 1, SHUF_BLANKET);
        check_classes(r, &t, 1, 0, inputs - 1);
        check_count(r, &t);
        shuf_randomiser_clear(r);
        table_clear(&t);
        table_clear(&core);
    }
}

/* Any matrix, zeros included. */
static void test_matrices(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 40; i++)
    {
        shuf_randomiser_t r;
        shuf_real_t eps0;
        table t;
        uint64_t x, x1, y, pair, seen = 0, zeros = random_below(3);
        int infinite = 0;
        table_init(&t, 2 + random_below(5), 2 + random_below(5));
        for (x = 0; x < t.inputs; x++)
        {
            for (y = 0; y < t.outputs; y++)
                fmpq_set_ui(&t.entry[x * t.outputs + y], 1 + random_below(50), 1);
            /* a column of zeros, or zeros somewhere, but never a row of them */
            if (zeros == 1)
                fmpq_zero(&t.entry[x * t.outputs + t.outputs - 1]);
            if (zeros == 2)
                fmpq_zero(&t.entry[x * t.outputs + random_below(t.outputs)]);
        }
        normalise(&t);
        shuf_randomiser_init(r);
        shuf_real_init(eps0);
        parse_table(r, &t);
        for (y = 0; y < t.outputs; y++)
            for (x = 0; x < t.inputs; x++)
                for (x1 = 0; x1 < t.inputs; x1++)
                    infinite |= fmpq_is_zero(&t.entry[x * t.outputs + y]) && !fmpq_is_zero(&t.entry[x1 * t.outputs + y]);
        assert_int_equal(shuf_randomiser_eps0(eps0, r), !infinite);
        if (zeros == 0)
            check_eps0(r, &t);
        check_profile(r, &t);
        for (pair = 0; shuf_randomiser_pair(&x, &x1, r, pair); pair++)
        {
            assert_true(x != x1 && x < t.inputs && x1 < t.inputs);
            seen |= UINT64_C(1) << (x * t.inputs + x1);
            check_classes(r, &t, x, x1, SHUF_BLANKET);
            check_classes(r, &t, x, x1, random_below(t.inputs));
        }
        assert_int_equal(pair, t.inputs * (t.inputs - 1));
        assert_int_equal(popcount(seen), (int) pair);
        check_count(r, &t);
        shuf_randomiser_clear(r);
        shuf_real_clear(eps0);
        table_clear(&t);
    }
}

/* ---- large and extreme parameters ---- */

/* The total masses: 1, 1 and, for k-RR, subset selection and RAPPOR, a blanket known in closed form. */
static void check_extreme(const char *text, const char *gamma)
{
    static const uint64_t references[] = { 0, 1, 2, 3, SHUF_BLANKET };
    shuf_randomiser_t r;
    arb_t p, q, w, g;
    size_t i;
    slong j;
    shuf_randomiser_init(r);
    arb_init(p);
    arb_init(q);
    arb_init(w);
    arb_init(g);
    parse(r, text);
    for (i = 0; i < sizeof(references) / sizeof(references[0]); i++)
    {
        shuf_classes_t c;
        int blanket = references[i] == SHUF_BLANKET;
        if (!blanket && references[i] >= r->inputs)
            continue;
        shuf_randomiser_classes(c, r, 0, 1, references[i], PREC);
        arb_zero(p);
        arb_zero(q);
        arb_zero(w);
        for (j = 0; j < c->count; j++)
        {
            if (arb_rel_accuracy_bits(c->p + j) < PREC - 8 || arb_rel_accuracy_bits(c->q + j) < PREC - 8
                || arb_rel_accuracy_bits(c->w + j) < PREC - 8)
                fail_msg("%s: class %ld has few digits", text, (long) j);
            assert_true(arb_is_positive(c->p + j) && arb_is_positive(c->q + j) && arb_is_positive(c->w + j));
            /* the blanket is below every row */
            assert_false(blanket && (arb_gt(c->w + j, c->p + j) || arb_gt(c->w + j, c->q + j)));
            arb_add(p, p, c->p + j, PREC);
            arb_add(q, q, c->q + j, PREC);
            arb_add(w, w, c->w + j, PREC);
        }
        assert_true(arb_contains_si(p, 1) && arb_contains_si(q, 1));
        assert_true(arb_rel_accuracy_bits(p) > PREC - 16 && arb_rel_accuracy_bits(q) > PREC - 16);
        if (!blanket)
            assert_true(arb_contains_si(w, 1));
        else if (gamma != NULL)
        {
            assert_int_equal(arb_set_str(g, gamma, PREC), 0);
            if (!arb_overlaps(w, g) || arb_rel_accuracy_bits(w) < PREC - 16)
                fail_msg("%s: gamma %s", text, arb_get_str(w, 40, 0));
        }
        shuf_classes_clear(c);
    }
    shuf_randomiser_clear(r);
    arb_clear(p);
    arb_clear(q);
    arb_clear(w);
    arb_clear(g);
}

/* References from mpmath, to 38 digits or more. */
static void test_extreme(void **state)
{
    static const struct { const char *text, *gamma; } cases[] = {
        { "{\"type\":\"krr\",\"k\":1000000000,\"eps0\":\"700\"}",
          "9.85967654375977085670537294784946510511560018140094171058647e-296" },
        { "{\"type\":\"subset-selection\",\"k\":1000000000,\"size\":123456789,\"eps0\":\"700\"}",
          "7.98633807312109085933327890769090479513086978262567780746871e-304" },
        { "{\"type\":\"hadamard-response\",\"k\":1000000000,\"eps0\":\"700\"}",
          "0.00000000186264514923095703125" },
        { "{\"type\":\"rappor\",\"k\":100,\"eps0\":\"700\"}",
          "9.85967654375977085670537294784946510511560018140094171058647e-305" },
        { "{\"type\":\"local-hashing\",\"k\":1000000000,\"g\":1000,\"eps0\":\"700\"}",
          "9.85967654375977085670537294784946510511560018140094171058647e-302" },
        { "{\"type\":\"krr\",\"k\":1000000000,\"eps0\":\"1e-9\"}",
          "0.999999999999999998999999999500000000833333334291666666241667" },
        { "{\"type\":\"subset-selection\",\"k\":1000000000,\"size\":123456789,\"eps0\":\"1e-9\"}",
          "0.999999999876543210953513184242974291879558045367694019577774" },
        { "{\"type\":\"hadamard-response\",\"k\":1000000000,\"eps0\":\"1e-9\"}",
          "0.999999999500000000931322574657145182214056452111210123705678" },
        { "{\"type\":\"rappor\",\"k\":100,\"eps0\":\"1e-9\"}",
          "0.999999999000000000499999999833333333376577721723222601709471" },
        { "{\"type\":\"local-hashing\",\"k\":1000000000,\"g\":1000,\"eps0\":\"1e-9\"}",
          "0.999999999998999999999500999999834332333292248500991915418664" },
        { "{\"type\":\"krr\",\"k\":1000000000,\"eps0\":0}", "1" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":\"1000000\"}", NULL },
        { "{\"type\":\"subset-selection\",\"k\":1000000000,\"size\":999999999,\"eps0\":\"1000000\"}", NULL },
        { "{\"type\":\"hadamard-response\",\"k\":1000000000,\"eps0\":\"1000000\"}", NULL },
        { "{\"type\":\"rappor\",\"k\":1000000000,\"eps0\":\"500000\"}", NULL },
        { "{\"type\":\"rappor\",\"k\":1000000000,\"eps0\":0}", "1" },
        { "{\"type\":\"local-hashing\",\"k\":1000000000,\"g\":1000000000,\"eps0\":\"1000000\"}", NULL },
        { "{\"type\":\"local-hashing\",\"k\":5,\"g\":3,\"eps0\":0}", "1" },
    };
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_extreme(cases[i].text, cases[i].gamma);
}

/* ---- profiles ---- */

/* k-RR: (E - alpha)/(E + k - 1), and what happens at eps0 and just below. */
static void test_krr_profile(void **state)
{
    static const char *const eps0s[] = { "1", "log(5)", "700", "1e-9" };
    shuf_randomiser_t r;
    shuf_real_t eps, eps0;
    arb_t m, E, alpha, expected;
    size_t i;
    int j;
    (void) state;
    shuf_randomiser_init(r);
    shuf_real_init(eps);
    shuf_real_init(eps0);
    arb_init(m);
    arb_init(E);
    arb_init(alpha);
    arb_init(expected);
    for (i = 0; i < sizeof(eps0s) / sizeof(eps0s[0]); i++)
    {
        uint64_t k = 2 + random_below(i % 2 == 0 ? 10 : 900000000);
        char text[160];
        set(eps0, eps0s[i]);
        snprintf(text, sizeof(text), "{\"type\":\"krr\",\"k\":%lu,\"eps0\":\"%s\"}", (unsigned long) k, eps0s[i]);
        parse(r, text);
        for (j = 0; j < 4; j++)
        {
            /* 0, two points in between, and eps0 less 1e-30 of it or so (E less that for a logarithm) */
            fmpq_t factor;
            fmpq_init(factor);
            fmpq_set_ui(factor, j == 1 ? 1 : j == 2 ? 2 : 0, 3);
            if (j == 3)
            {
                fmpz_ui_pow_ui(fmpq_denref(factor), 10, 30);
                fmpz_sub_ui(fmpq_numref(factor), fmpq_denref(factor), 1);
            }
            fmpq_mul(factor, factor, eps0->q);
            if (eps0->is_log && fmpz_cmp(fmpq_numref(factor), fmpq_denref(factor)) > 0)
                shuf_real_set_log_fmpq(eps, factor);
            else
            {
                if (eps0->is_log)
                    fmpq_zero(factor);
                shuf_real_set_fmpq(eps, factor);
            }
            fmpq_clear(factor);
            shuf_randomiser_profile(m, r, eps, PREC);
            shuf_real_exp(E, eps0, 4 * PREC);
            shuf_real_exp(alpha, eps, 4 * PREC);
            arb_sub(expected, E, alpha, 4 * PREC);
            arb_add_ui(E, E, k - 1, 4 * PREC);
            arb_div(expected, expected, E, 4 * PREC);
            assert_true(arb_overlaps(m, expected));
            assert_true(arb_rel_accuracy_bits(m) >= PREC - 2);
        }
        shuf_randomiser_profile(m, r, eps0, PREC);
        assert_true(arb_is_zero(m));
        set(eps, "1000001");
        shuf_randomiser_profile(m, r, eps, PREC);
        assert_true(arb_is_zero(m));
    }
    shuf_randomiser_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(eps0);
    arb_clear(m);
    arb_clear(E);
    arb_clear(alpha);
    arb_clear(expected);
}

/* Integral of (p - alpha q)_+ by the midpoint rule. */
static double integrate(int gaussian, double scale, double alpha)
{
    double sum = 0, reach = 40 * scale + 1, step = 2 * reach / 400000;
    int i;
    for (i = 0; i < 400000; i++)
    {
        double y = -reach + (i + 0.5) * step, p, q;
        if (gaussian)
        {
            p = exp(-y * y / (2 * scale * scale)) / (scale * sqrt(2 * acos(-1.0)));
            q = exp(-(y - 1) * (y - 1) / (2 * scale * scale)) / (scale * sqrt(2 * acos(-1.0)));
        }
        else
        {
            p = exp(-fabs(y) / scale) / (2 * scale);
            q = exp(-fabs(y - 1) / scale) / (2 * scale);
        }
        if (p > alpha * q)
            sum += (p - alpha * q) * step;
    }
    return sum;
}

/* To 55 digits. */
static void assert_decimal(const arb_t m, const char *text)
{
    arb_t expected, t;
    arb_init(expected);
    arb_init(t);
    assert_int_equal(arb_set_str(expected, text, 4 * PREC), 0);
    arb_set_str(t, "1 +/- 1e-55", PREC);
    arb_mul(expected, expected, t, 4 * PREC);
    if (!arb_overlaps(m, expected) || arb_rel_accuracy_bits(m) < PREC - 2)
        fail_msg("%s, not %s", arb_get_str(m, 60, 0), text);
    arb_clear(expected);
    arb_clear(t);
}

static void test_line(void **state)
{
    static const char *const scales[] = { "1/2", "2", "0.3", "5" };
    shuf_randomiser_t r;
    shuf_real_t eps, eps0;
    arb_t m;
    uint64_t x, x1;
    int i, gaussian;
    (void) state;
    shuf_randomiser_init(r);
    shuf_real_init(eps);
    shuf_real_init(eps0);
    arb_init(m);
    for (i = 0; i < 16; i++)
    {
        char text[80];
        double value, expected;
        gaussian = i % 2;
        snprintf(text, sizeof(text), "{\"type\":\"%s\",\"scale\":\"%s\"}", gaussian ? "gaussian" : "laplace", scales[i / 2 % 4]);
        parse(r, text);
        assert_int_equal(r->inputs, 2);
        assert_true(shuf_randomiser_pair(&x, &x1, r, 0) && x == 0 && x1 == 1);
        assert_true(shuf_randomiser_pair(&x, &x1, r, 1) && x == 1 && x1 == 0);
        assert_false(shuf_randomiser_pair(&x, &x1, r, 2));
        assert_int_equal(shuf_real_set_d(eps, i < 8 ? 0.0 : random_unit()), 0);
        shuf_randomiser_profile(m, r, eps, PREC);
        value = arf_get_d(arb_midref(m), ARF_RND_NEAR);
        expected = integrate(gaussian, fmpq_get_d(r->scale->q), exp(fmpq_get_d(eps->q)));
        if (fabs(value - expected) > 1e-6)
            fail_msg("%s: %.12g, not %.12g", text, value, expected);
        assert_int_equal(shuf_randomiser_eps0(eps0, r), !gaussian);
        if (!gaussian)
        {
            shuf_randomiser_profile(m, r, eps0, PREC);
            assert_true(arb_is_zero(m));
        }
    }
    parse(r, "{\"type\":\"laplace\",\"scale\":\"2/3\"}");
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    set(eps, "1.5");
    assert_int_equal(shuf_real_cmp(eps, eps0), 0);
    /* far beyond the range of doubles: two values of mpmath, a loss of 20 digits and a lack of precision */
    parse(r, "{\"type\":\"gaussian\",\"scale\":\"2\"}");
    set(eps, "100");
    shuf_randomiser_profile(m, r, eps, PREC);
    assert_decimal(m, "3.23074377073715293826027742579068664939324475527835125258649e-8670");
    parse(r, "{\"type\":\"gaussian\",\"scale\":\"1e20\"}");
    set(eps, "0");
    shuf_randomiser_profile(m, r, eps, PREC);
    assert_decimal(m, "3.98942280401432677939946059934381868475856968905432985029768e-21");
    parse(r, "{\"type\":\"gaussian\",\"scale\":\"1e10000\"}");
    shuf_randomiser_profile(m, r, eps, 64);
    assert_true(arb_is_nonnegative(m) || arb_contains_zero(m));
    set(eps, "1000000");
    shuf_randomiser_profile(m, r, eps, 64);
    assert_true(arb_is_nonnegative(m) || arb_contains_zero(m));
    parse(r, "{\"type\":\"laplace\",\"scale\":\"1e30\"}");
    set(eps, "0");
    shuf_randomiser_profile(m, r, eps, PREC);
    assert_decimal(m, "4.99999999999999999999999999999875e-31");
    shuf_randomiser_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(eps0);
    arb_clear(m);
}

/* ---- the parser ---- */

static void test_refused(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        { "", "not JSON" },
        { "[1]", "JSON object with a \"type\"" },
        { "{\"k\":2}", "JSON object with a \"type\"" },
        { "{\"type\":1}", "JSON object with a \"type\"" },
        { "{\"type\":\"lap\\nlace\"}", "unknown mechanism type \"lap\\u000alace\"" },
        { "{\"type\":\"krr\",\"type\":\"krr\",\"k\":2,\"eps0\":1}", "not JSON" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":1,\"gamma\":1}", "\"gamma\" goes with the mechanism of a question" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":1,\"name\":3}", "\"name\" must be a string" },
        { "{\"type\":\"krr\",\"eps0\":1}", "\"k\" must be a whole number from 2 to 1000000000" },
        { "{\"type\":\"krr\",\"k\":1,\"eps0\":1}", "\"k\" must be" },
        { "{\"type\":\"krr\",\"k\":-3,\"eps0\":1}", "\"k\" must be" },
        { "{\"type\":\"krr\",\"k\":2.0,\"eps0\":1}", "\"k\" must be" },
        { "{\"type\":\"krr\",\"k\":\"1000000001\",\"eps0\":1}", "\"k\" must be" },
        { "{\"type\":\"krr\",\"k\":2}", "\"eps0\" must be a number written as a string" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":1.5}", "\"eps0\" must be a number written as a string" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":\"one\"}", "\"eps0\" is \"one\", not a decimal" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":-1}", "\"eps0\" must be between 0 and 1000000" },
        { "{\"type\":\"krr\",\"k\":2,\"eps0\":\"1000000.1\"}", "\"eps0\" must be between" },
        { "{\"type\":\"unary-encoding\",\"k\":4,\"p\":\"1/2\"}", "needs \"p\" and \"q\"" },
        { "{\"type\":\"unary-encoding\",\"k\":4,\"p\":\"1/2\",\"q\":\"1/2\"}", "0 < q < p < 1" },
        { "{\"type\":\"unary-encoding\",\"k\":4,\"p\":1,\"q\":\"1/2\"}", "0 < q < p < 1" },
        { "{\"type\":\"unary-encoding\",\"k\":4,\"p\":\"1/2\",\"q\":0}", "0 < q < p < 1" },
        { "{\"type\":\"unary-encoding\",\"k\":4,\"p\":\"1/2\",\"q\":\"log(3/2)\"}", "must be a rational" },
        { "{\"type\":\"oue\",\"k\":4}", "\"eps0\"" },
        { "{\"type\":\"rappor\",\"k\":4}", "either \"flip\" or \"eps0\"" },
        { "{\"type\":\"rappor\",\"k\":4,\"flip\":\"1/4\",\"eps0\":1}", "either \"flip\" or \"eps0\"" },
        { "{\"type\":\"rappor\",\"k\":4,\"flip\":\"1/2\"}", "\"flip\" must be a rational number above 0 and below 1/2" },
        { "{\"type\":\"rappor\",\"k\":4,\"flip\":\"0\"}", "\"flip\" must be a rational" },
        { "{\"type\":\"rappor\",\"k\":4,\"flip\":\"-1/4\"}", "\"flip\" must be a rational" },
        { "{\"type\":\"rappor\",\"k\":4,\"flip\":\"log(5/4)\"}", "\"flip\" must be a rational" },
        { "{\"type\":\"rappor\",\"k\":4,\"eps0\":\"500000.1\"}", "between 0 and 500000" },
        { "{\"type\":\"rappor\",\"k\":4,\"eps0\":\"-1\"}", "between 0 and 500000" },
        { "{\"type\":\"rappor\",\"k\":4,\"eps0\":\"log(1/2)\"}", "between 0 and 500000" },
        { "{\"type\":\"subset-selection\",\"k\":4,\"size\":4,\"eps0\":1}", "\"size\" must be a whole number from 1 to 3" },
        { "{\"type\":\"subset-selection\",\"k\":4,\"eps0\":1}", "\"size\" must be" },
        { "{\"type\":\"subset-selection\",\"k\":4,\"size\":0,\"eps0\":1}", "\"size\" must be" },
        { "{\"type\":\"hadamard-response\",\"k\":4,\"g\":4,\"eps0\":1}", "unknown member \"g\"" },
        { "{\"type\":\"local-hashing\",\"k\":4,\"g\":1,\"eps0\":1}", "\"g\" must be a whole number from 2 to 1000000000" },
        { "{\"type\":\"laplace\"}", "\"scale\" must be a number" },
        { "{\"type\":\"laplace\",\"scale\":1,\"inputs\":\"all\"}", "\"inputs\" must be \"ends\", 0 and 1 alone, or \"interval\"" },
        { "{\"type\":\"gaussian\",\"scale\":1,\"inputs\":2}", "\"inputs\" must be \"ends\", 0 and 1 alone, or \"interval\"" },
        { "{\"type\":\"laplace\",\"scale\":\"log(3)\"}", "\"scale\" must be a rational number of at least 1/1000000" },
        { "{\"type\":\"gaussian\",\"scale\":0}", "\"scale\" must be a rational" },
        { "{\"type\":\"gaussian\",\"scale\":-1}", "\"scale\" must be a rational" },
        { "{\"type\":\"gaussian\",\"scale\":\"9e-7\"}", "\"scale\" must be a rational" },
        { "{\"type\":\"gaussian\",\"scale\":1,\"eps0\":1}", "unknown member \"eps0\"" },
        { "{\"type\":\"matrix\"}", "\"rows\" must be an array of 2 to 64 rows" },
        { "{\"type\":\"matrix\",\"rows\":[]}", "\"rows\" must be an array" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0]]}", "\"rows\" must be an array" },
        { "{\"type\":\"matrix\",\"rows\":[[1],[1]]}", "each an array of 2 to 64 numbers" },
        { "{\"type\":\"matrix\",\"rows\":[1,2]}", "each an array of 2 to 64 numbers" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[1,0,0]]}", "row 2 must be an array of 2 numbers" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],\"1\"]}", "row 2 must be an array of 2 numbers" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[1,\"x\"]]}", "\"rows\": row 2, entry 2 is \"x\"" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[0.5,0.5]]}", "row 2, entry 1 must be a number written as a string" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[2,-1]]}", "row 2, entry 2 must be a rational number of at least 0" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[0,\"log(3)\"]]}", "row 2, entry 2 must be a rational" },
        { "{\"type\":\"matrix\",\"rows\":[[\"0.5\",\"0.5\"],[\"1/3\",\"0.6666666666666667\"]]}", "row 2 does not sum to exactly 1" },
        { "{\"type\":\"matrix\",\"rows\":[[\"3/4\",\"1/4\"],[\"1/4\",\"3/4\"]],\"eps0\":\"log(2.999)\"}",
          "\"eps0\" is log(2.999), but the rows need log(3)" },
        { "{\"type\":\"matrix\",\"rows\":[[\"3/4\",\"1/4\"],[\"1/4\",\"3/4\"]],\"eps0\":\"1.0986122886\"}",
          "\"eps0\" is 1.0986122886, but the rows need log(3)" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[\"1/2\",\"1/2\"]],\"eps0\":\"100\"}", "\"eps0\" is 100, but the rows satisfy no eps0" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[1,0]],\"eps0\":\"x\"}", "\"eps0\" is \"x\"" },
        { "{\"type\":\"matrix\",\"rows\":[[1,0],[1,0]],\"k\":2}", "unknown member \"k\"" },
    };
    shuf_randomiser_t r;
    size_t i;
    (void) state;
    shuf_randomiser_init(r);
    parse(r, "{\"type\":\"subset-selection\",\"k\":9,\"size\":4,\"eps0\":\"log(3)\",\"name\":\"kept\"}");
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        char error[256] = "", small[8] = "";
        if (shuf_randomiser_parse(r, cases[i].text, strlen(cases[i].text), error, sizeof(error)) != -1
            || strstr(error, cases[i].message) == NULL || strchr(error, '\n') != NULL)
            fail_msg("%s: %s", cases[i].text, error);
        assert_int_equal(shuf_randomiser_parse(r, cases[i].text, strlen(cases[i].text), small, sizeof(small)), -1);
        assert_int_equal(strlen(small), 7);
        assert_int_equal(shuf_randomiser_parse(r, cases[i].text, strlen(cases[i].text), NULL, 0), -1);
        /* unchanged */
        assert_true(r->kind == SHUF_RANDOMISER_SUBSET && r->inputs == 9 && r->size == 4 && r->eps0->is_log);
        assert_string_equal(r->name, "kept");
    }
    assert_int_equal(shuf_randomiser_load(r, "/nonexistent/file", NULL, 0), -1);
    shuf_randomiser_clear(r);
}

/* What is read, and from a file. */
static void test_read(void **state)
{
    static const char text[] = "{\"type\":\"matrix\",\"name\":\"m\",\"rows\":[[\"3/4\",\"0.25\"],[\"0x1p-2\",\"75e-2\"]],\"eps0\":\"log(3)\"}";
    static const struct { const char *rappor, *eps0; } parameters[] = {
        { "\"flip\":\"1/4\"", "log(9)" }, { "\"flip\":\"0.4\"", "log(9/4)" }, { "\"eps0\":\"3/2\"", "3" },
        { "\"eps0\":\"log(5)\"", "log(25)" }, { "\"eps0\":0", "0" },
    };
    shuf_randomiser_t r;
    shuf_real_t eps0, expected;
    char path[] = "test_mechanism_XXXXXX", error[128] = "";
    uint64_t x = 7, x1 = 7;
    size_t i;
    FILE *out;
    int file = mkstemp(path);
    (void) state;
    assert_true(file >= 0);
    shuf_randomiser_init(r);
    shuf_real_init(eps0);
    shuf_real_init(expected);
    /* a fresh randomiser is one */
    assert_true(r->kind == SHUF_RANDOMISER_KRR && r->inputs == 2);
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    assert_int_equal(shuf_real_sgn(eps0), 0);

    out = fdopen(file, "wb");
    fputs(text, out);
    fclose(out);
    assert_int_equal(shuf_randomiser_load(r, path, error, sizeof(error)), 0);
    remove(path);
    assert_true(r->kind == SHUF_RANDOMISER_MATRIX && r->inputs == 2 && r->outputs == 2);
    assert_string_equal(r->name, "m");
    assert_true(fmpq_equal(&r->row[0], &r->row[3]) && fmpq_equal(&r->row[1], &r->row[2]));
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    set(expected, "log(3)");
    assert_int_equal(shuf_real_cmp(eps0, expected), 0);
    /* a larger statement is true as well; equal rows are 0-LDP */
    parse(r, "{\"type\":\"matrix\",\"rows\":[[\"3/4\",\"1/4\"],[\"1/4\",\"3/4\"]],\"eps0\":\"1.0986122887\"}");
    parse(r, "{\"type\":\"matrix\",\"rows\":[[1,0],[1,0]],\"eps0\":0}");
    assert_null(r->name);
    for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
    {
        char rappor[80];
        snprintf(rappor, sizeof(rappor), "{\"type\":\"rappor\",\"k\":\"1e9\",%s}", parameters[i].rappor);
        parse(r, rappor);
        assert_int_equal(r->inputs, 1000000000);
        assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
        set(expected, parameters[i].eps0);
        assert_int_equal(shuf_real_cmp(eps0, expected), 0);
    }
    assert_true(shuf_randomiser_pair(&x, &x1, r, 0) && x == 0 && x1 == 1);
    assert_false(shuf_randomiser_pair(&x, &x1, r, 1));
    shuf_randomiser_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_families), cmocka_unit_test(test_matrices), cmocka_unit_test(test_merged), cmocka_unit_test(test_extreme),
        cmocka_unit_test(test_krr_profile), cmocka_unit_test(test_line), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_read),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
