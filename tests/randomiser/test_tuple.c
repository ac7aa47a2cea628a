/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Products and mixtures against the matrices that they are: classes, eps0, profile; the blanket's bound, for which one
 * pair of inputs of each family is enough, against that of all pairs; and all bounds against all neighbouring data.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shuffle/shuffled.h"
#include "check.h"
#include "random.h"

#define PREC 192
#define MAX_TEXT 4000

static void parse(shuf_randomiser_t r, const char *text)
{
    char error[256] = "";
    if (shuf_randomiser_parse(r, text, strlen(text), error, sizeof(error)) != 0)
        fail_msg("%s: %s", text, error);
}

/* ---- parts with their matrices, from the definitions ---- */

typedef struct
{
    uint64_t inputs, outputs;
    fmpq *entry;
} table;

static void table_init(table *t, uint64_t inputs, uint64_t outputs)
{
    t->inputs = inputs;
    t->outputs = outputs;
    t->entry = _fmpq_vec_init((slong) (inputs * outputs));
}

static void table_clear(table *t)
{
    _fmpq_vec_clear(t->entry, (slong) (t->inputs * t->outputs));
}

static fmpq *at(const table *t, uint64_t x, uint64_t y)
{
    return t->entry + x * t->outputs + y;
}

/* Each row divided by its sum. */
static void normalise(table *t)
{
    uint64_t x, y;
    fmpq_t sum;
    fmpq_init(sum);
    for (x = 0; x < t->inputs; x++)
    {
        fmpq_zero(sum);
        for (y = 0; y < t->outputs; y++)
            fmpq_add(sum, sum, at(t, x, y));
        for (y = 0; y < t->outputs; y++)
            fmpq_div(at(t, x, y), at(t, x, y), sum);
    }
    fmpq_clear(sum);
}

static int parity(uint64_t v)
{
    int odd = 0;
    for (; v != 0; v &= v - 1)
        odd = !odd;
    return odd;
}

/* Number of set bits. */
static int ones(uint64_t v)
{
    int n = 0;
    for (; v != 0; v &= v - 1)
        n++;
    return n;
}

/* A random part of kind 0 .. 7 and its text. E is a square, so that RAPPOR's flip is rational. */
static void random_part(table *t, char *text, int kind, uint64_t k, const fmpq_t root)
{
    uint64_t x, y, outputs = kind == 0 ? 2 + random_below(2) : kind == 1 ? k : kind == 4 ? (k == 2 ? 4 : k == 3 ? 4 : 8) : kind == 5 ? 8 : UINT64_C(1) << k;
    fmpq_t E, one;
    char *e;
    fmpq_init(E);
    fmpq_init(one);
    fmpq_one(one);
    fmpq_mul(E, root, root);
    e = fmpq_get_str(NULL, 10, E);
    table_init(t, kind == 5 ? 2 : k, outputs);
    for (x = 0; x < t->inputs; x++)
    {
        for (y = 0; y < outputs; y++)
        {
            fmpq *p = at(t, x, y);
            uint64_t i;
            switch (kind)
            {
            case 0: /* a matrix */
                fmpq_set_ui(p, 1 + random_below(9), 1);
                break;
            case 1: /* krr */
                fmpq_set(p, x == y ? E : one);
                break;
            case 6: /* optimised unary encoding: 1/2 for the bit that is set, the others with odds 1 : E */
                fmpq_one(p);
                for (i = 0; i < k; i++)
                    if (i != x && !(y >> i & 1))
                        fmpq_mul(p, p, E);
                break;
            case 7: /* unary encoding: 2/3 and 1/5 */
                fmpq_one(p);
                for (i = 0; i < k; i++)
                    fmpq_mul_ui(p, p, i == x ? (y >> i & 1 ? 2 : 1) : (y >> i & 1 ? 1 : 4));
                break;
            case 2: /* rappor: odds `root` for the right bit */
                fmpq_one(p);
                for (i = 0; i < k; i++)
                    if ((y >> i & 1) == (i == x))
                        fmpq_mul(p, p, root);
                break;
            case 3: /* subset selection of one half */
                if (ones(y) == (int) (k / 2))
                    fmpq_set(p, y >> x & 1 ? E : one);
                break;
            case 4: /* hadamard response */
                fmpq_set(p, parity((x + 1) & y) ? one : E);
                break;
            default: /* local hashing of 2 values to 2: the function's values, and the response */
                fmpq_set(p, (y >> x & 1) == (y >> 2) ? E : one);
            }
        }
    }
    normalise(t);
    switch (kind)
    {
    case 0:
        strcpy(text, "{\"type\":\"matrix\",\"rows\":[");
        for (x = 0; x < t->inputs; x++)
            for (y = 0; y < outputs; y++)
            {
                char *p = fmpq_get_str(NULL, 10, at(t, x, y));
                sprintf(text + strlen(text), "%s\"%s\"%s", y == 0 ? "[" : "", p, y + 1 < outputs ? "," : x + 1 < t->inputs ? "]," : "]]}");
                flint_free(p);
            }
        break;
    case 1: sprintf(text, "{\"type\":\"krr\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e); break;
    case 2:
        /* the parameter of deletion is log(root) */
        flint_free(e);
        e = fmpq_get_str(NULL, 10, root);
        sprintf(text, "{\"type\":\"rappor\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e);
        break;
    case 3: sprintf(text, "{\"type\":\"subset-selection\",\"k\":%d,\"size\":%d,\"eps0\":\"log(%s)\"}", (int) k, (int) (k / 2), e); break;
    case 4: sprintf(text, "{\"type\":\"hadamard-response\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e); break;
    case 6: sprintf(text, "{\"type\":\"oue\",\"k\":%d,\"eps0\":\"log(%s)\"}", (int) k, e); break;
    case 7: sprintf(text, "{\"type\":\"unary-encoding\",\"k\":%d,\"p\":\"2/3\",\"q\":\"1/5\"}", (int) k); break;
    default: sprintf(text, "{\"type\":\"local-hashing\",\"k\":2,\"g\":2,\"eps0\":\"log(%s)\"}", e);
    }
    flint_free(e);
    fmpq_clear(E);
    fmpq_clear(one);
}

/* A random E > 1, as a square root. */
static void random_root(fmpq_t root)
{
    uint64_t b = 2 + random_below(9);
    fmpq_set_ui(root, b + 1 + random_below(12), b);
}

/* ---- tuples with their matrices ---- */

/* t := the matrix of the product, or of the mixture with these weights; the first entry of a tuple runs fastest. */
static void combine(table *t, const table *a, const table *b, const fmpq *weight)
{
    uint64_t x, y, z, v;
    table_init(t, a->inputs * b->inputs, weight == NULL ? a->outputs * b->outputs : a->outputs + b->outputs);
    for (x = 0; x < a->inputs; x++)
    {
        for (z = 0; z < b->inputs; z++)
        {
            uint64_t row = x + a->inputs * z;
            for (y = 0; y < a->outputs && weight == NULL; y++)
                for (v = 0; v < b->outputs; v++)
                    fmpq_mul(at(t, row, y + a->outputs * v), at(a, x, y), at(b, z, v));
            for (y = 0; y < a->outputs && weight != NULL; y++)
                fmpq_mul(at(t, row, y), at(a, x, y), weight);
            for (y = 0; y < b->outputs && weight != NULL; y++)
                fmpq_mul(at(t, row, a->outputs + y), at(b, z, y), weight + 1);
        }
    }
}

/* A random tuple of two parts of these kinds as a randomiser and a matrix. */
static void random_tuple(shuf_randomiser_t r, table *t, int mixture, const int *kind, const uint64_t *k, int same)
{
    char text[3 * MAX_TEXT], part[2][MAX_TEXT];
    fmpq_t root;
    fmpq *weight = _fmpq_vec_init(2);
    table a[2];
    ulong share = 1 + random_below(9);
    int i;
    fmpq_init(root);
    for (i = 0; i < 2; i++)
    {
        if (i == 0 || !same)
            random_root(root);
        random_part(&a[i], part[i], kind[i], k[i], root);
    }
    fmpq_set_ui(weight, share, 10);
    fmpq_set_ui(weight + 1, 10 - share, 10);
    sprintf(text, "{\"type\":\"%s\",\"parts\":[%s,%s]", mixture ? "mixture" : "product", part[0], part[1]);
    if (mixture)
        sprintf(text + strlen(text), ",\"weights\":[\"%d/10\",\"%d/10\"]", (int) share, (int) (10 - share));
    strcat(text, "}");
    parse(r, text);
    combine(t, &a[0], &a[1], mixture ? weight : NULL);
    assert_int_equal(r->inputs, t->inputs);
    for (i = 0; i < 2; i++)
        table_clear(&a[i]);
    _fmpq_vec_clear(weight, 2);
    fmpq_clear(root);
}

static void random_kinds(int *kind, uint64_t *k)
{
    int i;
    for (i = 0; i < 2; i++)
    {
        kind[i] = (int) random_below(8);
        k[i] = kind[i] == 5 ? 2 : 2 + random_below(2);
    }
}

/* The same as a matrix. */
static void as_matrix(shuf_randomiser_t m, const table *t)
{
    slong i;
    m->kind = SHUF_RANDOMISER_MATRIX;
    m->inputs = t->inputs;
    m->outputs = t->outputs;
    m->row = _fmpq_vec_init((slong) (t->inputs * t->outputs));
    for (i = 0; i < (slong) (t->inputs * t->outputs); i++)
        fmpq_set(m->row + i, t->entry + i);
}

/* ---- classes ---- */

/* sum := the sum over outputs of max(u p, a q, b w), in rationals and of the classes. */
static void check_sum(const shuf_classes_t c, const table *t, uint64_t x, uint64_t x1, uint64_t reference)
{
    ulong f[3] = { random_below(30), random_below(30), random_below(30) };
    fmpq_t sum, largest, s;
    arb_t found, m, u;
    uint64_t y, z;
    slong j;
    fmpq_init(sum); fmpq_init(largest); fmpq_init(s);
    arb_init(found); arb_init(m); arb_init(u);
    for (y = 0; y < t->outputs; y++)
    {
        const fmpq *w = at(t, reference == SHUF_BLANKET ? 0 : reference, y);
        for (z = 1; z < t->inputs && reference == SHUF_BLANKET; z++)
            if (fmpq_cmp(at(t, z, y), w) < 0)
                w = at(t, z, y);
        fmpq_mul_ui(largest, at(t, x, y), f[0]);
        fmpq_mul_ui(s, at(t, x1, y), f[1]);
        if (fmpq_cmp(s, largest) > 0)
            fmpq_set(largest, s);
        fmpq_mul_ui(s, w, f[2]);
        if (fmpq_cmp(s, largest) > 0)
            fmpq_set(largest, s);
        fmpq_add(sum, sum, largest);
    }
    for (j = 0; j < c->count; j++)
    {
        arb_mul_ui(m, c->p + j, f[0], PREC);
        arb_mul_ui(u, c->q + j, f[1], PREC);
        arb_max(m, m, u, PREC);
        arb_mul_ui(u, c->w + j, f[2], PREC);
        arb_max(m, m, u, PREC);
        arb_add(found, found, m, PREC);
    }
    assert_true(arb_contains_fmpq(found, sum));
    assert_true(fmpq_is_zero(sum) || arb_rel_accuracy_bits(found) > PREC - 40);
    fmpq_clear(sum); fmpq_clear(largest); fmpq_clear(s);
    arb_clear(found); arb_clear(m); arb_clear(u);
}

static void check_profile(const shuf_randomiser_t r, const shuf_randomiser_t m)
{
    shuf_real_t eps, e, f;
    arb_t a, b;
    ulong i = 1 + random_below(10);
    shuf_real_init(eps); shuf_real_init(e); shuf_real_init(f);
    arb_init(a); arb_init(b);
    assert_int_equal(shuf_randomiser_eps0(e, r), 1);
    assert_int_equal(shuf_randomiser_eps0(f, m), 1);
    assert_int_equal(shuf_real_cmp(e, f), 0);
    fmpq_set_ui(eps->q, i, 10);
    shuf_real_set_fmpq(eps, eps->q);
    shuf_randomiser_profile(a, r, eps, PREC);
    shuf_randomiser_profile(b, m, eps, PREC);
    assert_true(arb_overlaps(a, b));
    assert_true(arb_is_zero(b) || arb_rel_accuracy_bits(a) > PREC - 8);
    shuf_real_clear(eps); shuf_real_clear(e); shuf_real_clear(f);
    arb_clear(a); arb_clear(b);
}

static void test_classes(void **unused)
{
    int i, j;
    (void) unused;
    for (i = 0; i < 80; i++)
    {
        shuf_randomiser_t r, m;
        table t;
        int kind[2];
        uint64_t k[2];
        shuf_randomiser_init(r);
        shuf_randomiser_init(m);
        random_kinds(kind, k);
        random_tuple(r, &t, i % 2, kind, k, i % 3 == 0);
        as_matrix(m, &t);
        for (j = 0; j < 12; j++)
        {
            uint64_t x = random_below(t.inputs), x1 = random_below(t.inputs), z = j % 3 == 0 ? SHUF_BLANKET : random_below(t.inputs);
            shuf_classes_t c;
            shuf_randomiser_classes(c, r, x, x1, z, PREC);
            check_sum(c, &t, x, x1, z);
            check_sum(c, &t, x, x1, z);
            shuf_classes_clear(c);
        }
        check_profile(r, m);
        shuf_randomiser_clear(r);
        shuf_randomiser_clear(m);
        table_clear(&t);
    }
}

/* ---- bounds ---- */

/* One pair of a family stands for all, equal entries included: the bound of all pairs of the matrix. */
static void test_blanket(void **unused)
{
    static const shuf_options options = { 5, 2e8 };
    int i;
    (void) unused;
    skip_unless_drawn(4);
    for (i = 0; i < 60; i++)
    {
        shuf_randomiser_t r, m;
        shuf_enclosure_t bound, all;
        shuf_real_t eps;
        table t;
        int kind[2];
        uint64_t k[2], n = 1 + random_below(i % 3 == 0 ? 300 : 6);
        shuf_randomiser_init(r);
        shuf_randomiser_init(m);
        shuf_enclosure_init(bound);
        shuf_enclosure_init(all);
        shuf_real_init(eps);
        random_kinds(kind, k);
        random_tuple(r, &t, i % 2, kind, k, i % 4 == 0);
        as_matrix(m, &t);
        shuf_real_set_str(eps, i % 5 == 0 ? "0" : i % 5 == 1 ? "0.05" : i % 5 == 2 ? "0.3" : "0.7");
        shuf_shuffled_delta(bound, NULL, r, n, SHUF_SHUFFLED_BLANKET, eps, &options);
        shuf_shuffled_delta(all, NULL, m, n, SHUF_SHUFFLED_BLANKET, eps, &options);
        if (!overlap(bound, all))
            fail_msg("kinds %d %d, mixture %d: [%g, %g] and [%g, %g]", kind[0], kind[1], i % 2, lower(bound), upper(bound), lower(all), upper(all));
        shuf_randomiser_clear(r);
        shuf_randomiser_clear(m);
        shuf_enclosure_clear(bound);
        shuf_enclosure_clear(all);
        shuf_real_clear(eps);
        table_clear(&t);
    }
}

/* ---- all data ---- */

#define MAX_USERS 4

/* law over histograms in base n + 1. */
static void law_of(fmpq *law, const table *t, const uint64_t *data, uint64_t n, slong size)
{
    fmpq *next = _fmpq_vec_init(size);
    uint64_t user, y;
    slong i;
    for (i = 0; i < size; i++)
        fmpq_zero(law + i);
    fmpq_one(law);
    for (user = 0; user < n; user++)
    {
        for (i = 0; i < size; i++)
            fmpq_zero(next + i);
        for (i = 0; i < size; i++)
        {
            slong place = 1;
            for (y = 0; y < t->outputs && !fmpq_is_zero(law + i); y++)
            {
                slong step = y == 0 ? 0 : place;
                if (y > 0)
                    place *= (slong) n + 1;
                fmpq_addmul(next + i + step, law + i, at(t, data[user], y));
            }
        }
        for (i = 0; i < size; i++)
            fmpq_swap(law + i, next + i);
    }
    _fmpq_vec_clear(next, size);
}

/* The largest divergence; of the others' data given, if that is not NULL. */
static void divergence(fmpq_t largest, const table *t, uint64_t n, const fmpq_t alpha, const shuf_datasets *where)
{
    uint64_t data[MAX_USERS] = { 0 }, x, x1, y, user;
    slong size = 1, i;
    fmpq **laws = flint_malloc(t->inputs * sizeof(*laws));
    fmpq_t sum, u;
    for (y = 1; y < t->outputs; y++)
        size *= (slong) n + 1;
    for (x = 0; x < t->inputs; x++)
        laws[x] = _fmpq_vec_init(size);
    fmpq_init(sum);
    fmpq_init(u);
    fmpq_zero(largest);
    for (user = 1; user < n && where != NULL; user++)
        data[user] = where->others;
    for (;;)
    {
        for (x = 0; x < t->inputs; x++)
        {
            data[0] = x;
            law_of(laws[x], t, data, n, size);
        }
        for (x = 0; x < t->inputs; x++)
        {
            for (x1 = 0; x1 < t->inputs; x1++)
            {
                if (where != NULL && (x != where->x || x1 != where->x1))
                    continue;
                fmpq_zero(sum);
                for (i = 0; i < size; i++)
                {
                    fmpq_set(u, laws[x] + i);
                    fmpq_submul(u, alpha, laws[x1] + i);
                    if (fmpq_sgn(u) > 0)
                        fmpq_add(sum, sum, u);
                }
                if (fmpq_cmp(sum, largest) > 0)
                    fmpq_set(largest, sum);
            }
        }
        for (user = n - 1; user > 0 && data[user] == t->inputs - 1; user--)
            ;
        if (user == 0 || where != NULL)
            break;
        data[user]++;
        for (; user < n - 1; user++)
            data[user + 1] = data[user];
    }
    for (x = 0; x < t->inputs; x++)
        _fmpq_vec_clear(laws[x], size);
    flint_free(laws);
    fmpq_clear(sum);
    fmpq_clear(u);
}

static void check_bounds(const shuf_randomiser_t r, const table *t, uint64_t n, const fmpq_t alpha)
{
    static const shuf_options options = { 5, 3e8 };
    shuf_enclosure_t bound;
    shuf_datasets where;
    shuf_real_t eps;
    fmpq_t truth, named, end;
    int kind;
    shuf_enclosure_init(bound);
    shuf_real_init(eps);
    fmpq_init(truth); fmpq_init(named); fmpq_init(end);
    shuf_real_set_log_fmpq(eps, alpha);
    divergence(truth, t, n, alpha, NULL);
    for (kind = 0; kind < SHUF_SHUFFLED_KINDS; kind++)
    {
        if (shuf_shuffled_delta(bound, &where, r, n, (shuf_shuffled_kind) kind, eps, &options) == SHUF_DOMAIN)
        {
            assert_true(kind == SHUF_SHUFFLED_MIXED || kind == SHUF_SHUFFLED_LOCAL_SWAP);
            continue;
        }
        assert_true(explained(bound));
        arf_get_fmpq(end, shuf_shuffled_is_upper((shuf_shuffled_kind) kind) ? bound->hi : bound->lo);
        assert_true(shuf_shuffled_is_upper((shuf_shuffled_kind) kind) ? fmpq_cmp(end, truth) >= 0 : fmpq_cmp(end, truth) <= 0);
        if (shuf_shuffled_is_upper((shuf_shuffled_kind) kind))
            continue;
        divergence(named, t, n, alpha, &where);
        assert_true(fmpq_cmp(end, named) <= 0);
        arf_get_fmpq(end, bound->hi);
        assert_true(kind == SHUF_SHUFFLED_GROUPED || fmpq_cmp(end, named) >= 0);
    }
    shuf_enclosure_clear(bound);
    shuf_real_clear(eps);
    fmpq_clear(truth); fmpq_clear(named); fmpq_clear(end);
}

/* Eight values in one report: what no enumeration of outputs says. The numbers are from a program of doubles of its own. */
static void test_many_parts(void **unused)
{
    static const shuf_options options = { 4, 0 };
    static const double ends[][3] = { { 5, 11.31, 11.35 }, { 6, 16.32, 16.34 }, { 7, 21.50, 21.53 }, { 8, 27.66, 27.68 } };
    static const double sets[] = { 10.0349, 15.5837, 20.60, 26.7280 };
    size_t i;
    (void) unused;
    skip_unless_drawn(5);
    for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
    {
        char text[600] = "{\"type\":\"product\",\"parts\":[";
        fmpq_t one;
        const shuf_sampling everyone = { 500000, one, 0 };
        shuf_randomiser_t r;
        shuf_enclosure_t e;
        shuf_real_t delta;
        int j;
        fmpq_init(one);
        fmpq_one(one);
        shuf_randomiser_init(r);
        shuf_enclosure_init(e);
        shuf_real_init(delta);
        shuf_real_set_str(delta, "1e-7");
        for (j = 0; j < (int) ends[i][0]; j++)
            strcat(text, j == 0 ? "{\"type\":\"rappor\",\"k\":16,\"eps0\":\"2\"}" : ",{\"type\":\"rappor\",\"k\":16,\"eps0\":\"2\"}");
        strcat(text, "]}");
        parse(r, text);
        shuf_shuffled_sampled_epsilon(e, NULL, r, &everyone, SHUF_SHUFFLED_LOCAL_SWAP, delta, 0, &options);
        assert_true(arf_cmp_d(e->lo, ends[i][1]) > 0 && arf_cmp_d(e->hi, ends[i][2]) < 0);
        shuf_shuffled_sampled_epsilon(e, NULL, r, &everyone, SHUF_SHUFFLED_GROUPED, delta, 0, &options);
        assert_true(arf_cmp_d(e->lo, sets[i] - 0.001) > 0 && arf_cmp_d(e->lo, ends[i][2]) < 0);
        shuf_randomiser_clear(r);
        shuf_enclosure_clear(e);
        shuf_real_clear(delta);
        fmpq_clear(one);
    }
}

static void test_data(void **unused)
{
    /* small ones: k-RR of 2 or 3 values, a matrix; few outputs */
    static const int kinds[][2] = { { 1, 1 }, { 1, 0 }, { 0, 0 }, { 1, 3 } };
    int i;
    (void) unused;
    skip_unless_drawn(4);
    for (i = 0; i < 32; i++)
    {
        shuf_randomiser_t r;
        fmpq_t alpha;
        table t;
        uint64_t k[2] = { 2, 2 }, n;
        int mixture = i % 2;
        shuf_randomiser_init(r);
        fmpq_init(alpha);
        if (mixture && i % 4 == 1)
            k[0] = 3;
        random_tuple(r, &t, mixture, kinds[i / 2 % 4], k, i % 3 == 0);
        n = 1 + random_below(t.outputs > 4 ? 2 : 3);
        fmpq_set_ui(alpha, 20 + random_below(30), 20);
        check_bounds(r, &t, n, alpha);
        shuf_randomiser_clear(r);
        fmpq_clear(alpha);
        table_clear(&t);
    }
}

/* ---- many parts, eps0 ---- */

/* d times k-RR with the same eps0 have few classes: a entries tell for x, b for x1, a + b <= d. */
static void test_alike(void **unused)
{
    static const int counts[] = { 2, 12, 20 };
    shuf_randomiser_t r;
    shuf_real_t eps0, expected;
    size_t i;
    (void) unused;
    shuf_randomiser_init(r);
    shuf_real_init(eps0);
    shuf_real_init(expected);
    for (i = 0; i < 3; i++)
    {
        char text[4000] = "{\"type\":\"product\",\"parts\":[", error[256];
        uint64_t x1 = 0;
        shuf_classes_t c;
        int j, d = counts[i];
        for (j = 0; j < d; j++, x1 = 10 * x1 + 1)
            sprintf(text + strlen(text), "{\"type\":\"krr\",\"k\":10,\"eps0\":\"1/4\"}%s", j + 1 < d ? "," : "]}");
        if (d > 18)
        {
            assert_int_equal(shuf_randomiser_parse(r, text, strlen(text), error, sizeof(error)), -1);
            assert_non_null(strstr(error, "10^18"));
            continue;
        }
        parse(r, text);
        assert_int_equal(r->parts, d);
        assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
        set(expected, d == 2 ? "1/2" : "3");
        assert_int_equal(shuf_real_cmp(eps0, expected), 0);
        shuf_randomiser_classes(c, r, 0, x1, SHUF_BLANKET, PREC);
        assert_int_equal(c->count, (d + 1) * (d + 2) / 2);
        shuf_classes_clear(c);
    }
    shuf_randomiser_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(expected);
}

/* s := sum of (p - a q - b w)_+ */
static void profile_at(arb_t s, const shuf_randomiser_t r, const uint64_t input[3], double a, double b)
{
    shuf_classes_t c;
    arb_t t, u;
    slong i;
    arb_init(t);
    arb_init(u);
    arb_zero(s);
    shuf_randomiser_classes(c, r, input[0], input[1], input[2], PREC);
    for (i = 0; i < c->count; i++)
    {
        arb_set_d(u, a);
        arb_mul(t, c->q + i, u, PREC);
        arb_sub(t, c->p + i, t, PREC);
        arb_set_d(u, b);
        arb_submul(t, c->w + i, u, PREC);
        arb_nonnegative_part(t, t);
        arb_add(s, s, t, PREC);
    }
    shuf_classes_clear(c);
    arb_clear(t);
    arb_clear(u);
}

/* Inputs that are alike have the same classes; those with entries of equal parts exchanged are alike, others are not. */
static void test_permuted(void **unused)
{
    static const char *const texts[] = {
        "{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"},{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"},{\"type\":\"krr\",\"k\":3,\"eps0\":\"2\"}]}",
        "{\"type\":\"mixture\",\"parts\":[{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/3\",\"1/6\"],[\"1/3\",\"1/2\",\"1/6\"],[\"1/4\",\"1/4\",\"1/2\"]]},"
        "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/3\",\"1/6\"],[\"1/3\",\"1/2\",\"1/6\"],[\"1/4\",\"1/4\",\"1/2\"]]},"
        "{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/3\",\"1/6\"],[\"1/3\",\"1/2\",\"1/6\"],[\"1/4\",\"1/4\",\"1/2\"]]}],\"weights\":[\"1/4\",\"1/4\",\"1/2\"]}" };
    int i, j, k, alike = 0, others = 0;
    shuf_randomiser_t r;
    arb_t s, t;
    (void) unused;
    skip_unless_drawn(4);
    arb_init(s);
    arb_init(t);
    for (i = 0; i < 2; i++)
    {
        shuf_randomiser_init(r);
        parse(r, texts[i]);
        for (j = 0; j < 400; j++)
        {
            const int exchanged = (int) random_below(3), changed = random_below(3) == 0;
            uint64_t a[3], b[3];
            int same, equal = 1;
            for (k = 0; k < 3; k++)
            {
                uint64_t e[3] = { random_below(3), random_below(3), random_below(3) }, one;
                a[k] = k == 2 && j % 4 == 0 ? SHUF_BLANKET : e[0] + 3 * e[1] + 9 * e[2];
                one = e[exchanged == 2];
                e[exchanged == 2] = e[exchanged == 0 ? 0 : exchanged == 1 ? 1 : 2];
                e[exchanged == 0 ? 0 : exchanged == 1 ? 1 : 2] = one;
                if (changed && k == 0)
                    e[2] = (e[2] + 1) % 3;
                b[k] = a[k] == SHUF_BLANKET ? SHUF_BLANKET : e[0] + 3 * e[1] + 9 * e[2];
            }
            same = shuf_randomiser_alike(r, a, b);
            assert_true(same || changed || exchanged == 2);
            for (k = 0; k < 6; k++)
            {
                const double first = 2 * random_unit(), second = random_unit();
                profile_at(s, r, a, first, second);
                profile_at(t, r, b, first, second);
                equal = equal && arb_overlaps(s, t);
            }
            assert_true(equal || !same);
            alike += same;
            others += !same && !equal;
        }
        shuf_randomiser_clear(r);
    }
    assert_true(alike > 200 && others > 50);
    arb_clear(s);
    arb_clear(t);
}

/* A rational and a logarithm: a little above; the largest of a mixture exactly. */
static void test_eps0(void **unused)
{
    shuf_randomiser_t r;
    shuf_real_t eps0, expected;
    arb_t t, u;
    (void) unused;
    shuf_randomiser_init(r);
    shuf_real_init(eps0);
    shuf_real_init(expected);
    arb_init(t);
    arb_init(u);
#define TWO "\"parts\":[{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"},{\"type\":\"rappor\",\"k\":4,\"flip\":\"1/4\"}]"
    parse(r, "{\"type\":\"product\"," TWO "}");
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    arb_log_ui(t, 9, 512);
    arb_add_ui(t, t, 1, 512);
    shuf_real_get_arb(u, eps0, 512);
    arb_sub(u, u, t, 512);
    assert_true(arb_is_nonnegative(u));
    arb_mul_2exp_si(u, u, SHUF_EPS0_BITS);
    arb_sub_ui(u, u, 1, 512);
    assert_true(arb_is_negative(u));
    assert_true(shuf_randomiser_eps0_is_rounded(r));
    parse(r, "{\"type\":\"mixture\"," TWO ",\"weights\":[\"1/3\",\"2/3\"]}");
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 1);
    set(expected, "log(9)");
    assert_int_equal(shuf_real_cmp(eps0, expected), 0);
    assert_false(shuf_randomiser_eps0_is_rounded(r));
    parse(r, "{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":3,\"eps0\":\"1\"},{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\"],[1,0]]}]}");
    assert_int_equal(shuf_randomiser_eps0(eps0, r), 0);
    shuf_randomiser_clear(r);
    shuf_real_clear(eps0);
    shuf_real_clear(expected);
    arb_clear(t);
    arb_clear(u);
}

static void test_refused(void **unused)
{
#define K2 "{\"type\":\"krr\",\"k\":2,\"eps0\":1}"
#define H(eps0) "{\"type\":\"rappor\",\"k\":9,\"eps0\":" eps0 "}"
#define M5 "{\"type\":\"matrix\",\"rows\":[[1,0],[0,1],[1,0],[0,1],[\"1/2\",\"1/2\"]]}"
    static const struct { const char *text, *what; } cases[] = {
        { "{\"type\":\"product\"}", "\"parts\" must be an array of 2 to 64 mechanisms" },
        { "{\"type\":\"product\",\"parts\":[" K2 "]}", "2 to 64" },
        { "{\"type\":\"product\",\"parts\":[" K2 ",3]}", "a mechanism must be a JSON object" },
        { "{\"type\":\"product\",\"parts\":[" K2 "," K2 "],\"weights\":[\"1/2\",\"1/2\"]}", "weights" },
        { "{\"type\":\"product\",\"parts\":[" K2 ",{\"type\":\"laplace\",\"scale\":1}]}", "part 2 must be a matrix or a family" },
        { "{\"type\":\"product\",\"parts\":[{\"type\":\"rappor\",\"eps0\":1}," K2 "]}", "part 1 must be" },
        { "{\"type\":\"product\",\"parts\":[" K2 ",{\"type\":\"product\",\"parts\":[" K2 "," K2 "]}]}", "part 2 must be" },
        { "{\"type\":\"mixture\",\"parts\":[" K2 "," K2 "]}", "\"weights\" must be an array of 2 numbers" },
        { "{\"type\":\"mixture\",\"parts\":[" K2 "," K2 "],\"weights\":[1]}", "an array of 2 numbers" },
        { "{\"type\":\"mixture\",\"parts\":[" K2 "," K2 "],\"weights\":[1,0]}", "entry 2 must be a rational number above 0" },
        { "{\"type\":\"mixture\",\"parts\":[" K2 "," K2 "],\"weights\":[\"1/2\",\"1/3\"]}", "do not sum to exactly 1" },
        { "{\"type\":\"product\",\"parts\":[" H("1") "," H("2") "," H("3") "," H("4") "," H("5") "]}", "too many pairs" },
        { "{\"type\":\"mixture\",\"parts\":[" M5 "," M5 "," M5 "," M5 "],\"weights\":[\"1/4\",\"1/4\",\"1/4\",\"1/4\"]}", "too many pairs" },
    };
    size_t i;
    (void) unused;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        char error[256] = "";
        shuf_randomiser_t r;
        shuf_randomiser_init(r);
        assert_int_equal(shuf_randomiser_parse(r, cases[i].text, strlen(cases[i].text), error, sizeof(error)), -1);
        if (strstr(error, cases[i].what) == NULL)
            fail_msg("%s: %s", cases[i].text, error);
        assert_true(r->part == NULL && r->weight == NULL);
        shuf_randomiser_clear(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes), cmocka_unit_test(test_blanket), cmocka_unit_test(test_data),
        cmocka_unit_test(test_many_parts), cmocka_unit_test(test_alike), cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_eps0), cmocka_unit_test(test_refused),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
