/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"
#include "randomiser/merge.h"
#include "randomiser/tuple.h"

void shuf_randomiser_init(shuf_randomiser_t r)
{
    r->kind = SHUF_RANDOMISER_KRR;
    r->name = NULL;
    r->inputs = 2;
    r->outputs = 0;
    r->row = NULL;
    r->size = 0;
    r->part = NULL;
    r->parts = 0;
    r->weight = NULL;
    shuf_real_init(r->eps0);
    fmpq_init(r->one);
    fmpq_init(r->zero);
    shuf_real_init(r->scale);
}

void shuf_randomiser_clear(shuf_randomiser_t r)
{
    uint64_t i;
    if (r->row != NULL)
        for (i = 0; i < r->inputs * r->outputs; i++)
            fmpq_clear(&r->row[i]);
    flint_free(r->row);
    flint_free(r->name);
    tuple_clear(r);
    shuf_real_clear(r->eps0);
    fmpq_clear(r->one);
    fmpq_clear(r->zero);
    shuf_real_clear(r->scale);
    r->row = NULL;
    r->name = NULL;
}

int shuf_randomiser_is_unary(const shuf_randomiser_t r)
{
    return r->kind == SHUF_RANDOMISER_RAPPOR || r->kind == SHUF_RANDOMISER_UNARY || r->kind == SHUF_RANDOMISER_OUE;
}

int shuf_randomiser_is_line(const shuf_randomiser_t r)
{
    return r->kind == SHUF_RANDOMISER_LAPLACE || r->kind == SHUF_RANDOMISER_GAUSSIAN;
}

int shuf_randomiser_has_third(const shuf_randomiser_t r)
{
    return r->inputs >= 3 && r->inputs != SHUF_ANY_INPUTS;
}

int shuf_randomiser_has_parameter(const shuf_randomiser_t r)
{
    return r->kind != SHUF_RANDOMISER_MATRIX && r->kind != SHUF_RANDOMISER_UNARY && r->parts == 0;
}

/* ---- matrices ---- */

/* Number of elements of the array `value` in *count, if it is one of 2 to SHUF_MAX_MATRIX. */
static int array_size(uint64_t *count, const json_t *value)
{
    *count = json_array_size(value); /* 0 for other types */
    return *count >= 2 && *count <= SHUF_MAX_MATRIX ? 0 : -1;
}

/* Row i: probabilities that sum to 1. */
static int read_row(shuf_randomiser_t m, const json_t *row, uint64_t i, const reader *r)
{
    shuf_real_t x;
    fmpq_t sum;
    uint64_t j;
    int result = 0;
    shuf_real_init(x);
    fmpq_init(sum);
    for (j = 0; j < m->outputs && result == 0; j++)
    {
        char what[64];
        snprintf(what, sizeof(what), "\"rows\": row %d, entry %d", (int) i + 1, (int) j + 1);
        result = reader_real(x, json_array_get(row, j), what, r);
        if (result == 0 && (x->is_log || fmpq_sgn(x->q) < 0))
            result = reader_fail(r, "%s must be a rational number of at least 0", what);
        fmpq_set(&m->row[i * m->outputs + j], x->q);
        fmpq_add(sum, sum, x->q);
    }
    if (result == 0 && !fmpq_is_one(sum))
        result = reader_fail(r, "\"rows\": row %d does not sum to exactly 1", (int) i + 1);
    shuf_real_clear(x);
    fmpq_clear(sum);
    return result;
}

static int read_matrix(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    const json_t *rows = json_object_get(object, "rows");
    uint64_t i, inputs, columns;
    if (array_size(&inputs, rows) != 0 || array_size(&columns, json_array_get(rows, 0)) != 0)
        return reader_fail(r, "\"rows\" must be an array of 2 to %d rows, each an array of 2 to %d numbers", SHUF_MAX_MATRIX,
                    SHUF_MAX_MATRIX);
    m->inputs = inputs;
    m->outputs = columns;
    m->row = flint_malloc(inputs * columns * sizeof(fmpq));
    for (i = 0; i < inputs * columns; i++)
        fmpq_init(&m->row[i]);
    for (i = 0; i < inputs; i++)
    {
        const json_t *row = json_array_get(rows, i);
        if (json_array_size(row) != columns)
            return reader_fail(r, "\"rows\": row %d must be an array of %d numbers, as many as in row 1", (int) i + 1,
                        (int) columns);
        if (read_row(m, row, i, r) != 0)
            return -1;
    }
    merge_columns(m);
    return 0;
}

/* A stated eps0 may exceed the true one: the randomiser is eps0-LDP all the same. */
static int check_stated_eps0(const shuf_randomiser_t m, const json_t *object, const reader *r)
{
    shuf_real_t stated, truth;
    int result;
    if (!reader_has(object, "eps0"))
        return 0;
    shuf_real_init(stated);
    shuf_real_init(truth);
    result = reader_real(stated, json_object_get(object, "eps0"), "\"eps0\"", r);
    if (result == 0 && !shuf_randomiser_eps0(truth, m))
        result = reader_fail(r, "\"eps0\" is %.60s, but the rows satisfy no eps0: a zero faces a positive probability", stated->text);
    else if (result == 0 && shuf_real_cmp(truth, stated) > 0)
        result = reader_fail(r, "\"eps0\" is %.60s, but the rows need %.60s", stated->text, truth->text);
    shuf_real_clear(stated);
    shuf_real_clear(truth);
    return result;
}

/* ---- families ---- */

/* The member "flip", f: x := log((1-f)/f). */
static int read_flip(shuf_real_t x, const json_t *object, const reader *r)
{
    fmpq_t odds;
    int ok;
    if (reader_real(x, json_object_get(object, "flip"), "\"flip\"", r) != 0)
        return -1;
    fmpq_init(odds);
    ok = !x->is_log && fmpq_sgn(x->q) > 0;
    if (ok)
    {
        /* in lowest terms because f is */
        fmpz_sub(fmpq_numref(odds), fmpq_denref(x->q), fmpq_numref(x->q));
        fmpz_set(fmpq_denref(odds), fmpq_numref(x->q));
        ok = fmpz_cmp(fmpq_numref(odds), fmpq_denref(odds)) > 0;
    }
    if (ok)
        shuf_real_set_log_fmpq(x, odds);
    fmpq_clear(odds);
    return ok ? 0 : reader_fail(r, "\"flip\" must be a rational number above 0 and below 1/2");
}

/* RAPPOR's parameter of deletion, from "flip" or "eps0", is half the one of replacement. */
static int read_rappor(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    if (reader_has(object, "flip") == reader_has(object, "eps0"))
        return reader_fail(r, "a rappor mechanism needs either \"flip\" or \"eps0\"");
    if (reader_has(object, "flip") ? read_flip(m->eps0, object, r) != 0
                            : reader_real(m->eps0, json_object_get(object, "eps0"), "\"eps0\"", r) != 0)
        return -1;
    shuf_real_twice(m->eps0, m->eps0);
    if (shuf_real_sgn(m->eps0) < 0 || shuf_real_cmp_si(m->eps0, SHUF_MAX_EPSILON) > 0)
        return reader_fail(r, "\"eps0\" of rappor must be between 0 and %d", SHUF_MAX_EPSILON / 2);
    return 0;
}

static int read_probability(fmpq_t p, const json_t *object, const char *member, const reader *r)
{
    shuf_real_t x;
    int result = -1;
    shuf_real_init(x);
    if (!reader_has(object, member))
        reader_fail(r, "a unary-encoding mechanism needs \"p\" and \"q\"");
    else if (reader_real(x, json_object_get(object, member), member, r) == 0)
    {
        fmpq_set(p, x->q);
        result = x->is_log ? reader_fail(r, "\"%s\" must be a rational number", member) : 0;
    }
    shuf_real_clear(x);
    return result;
}

/* eps0 := log(p (1-q)/(q (1-p))) */
static int read_unary(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    fmpq_t odds, t;
    if (read_probability(m->one, object, "p", r) != 0 || read_probability(m->zero, object, "q", r) != 0)
        return -1;
    if (fmpq_sgn(m->zero) <= 0 || fmpq_cmp(m->zero, m->one) >= 0 || fmpq_cmp_si(m->one, 1) >= 0)
        return reader_fail(r, "\"p\" and \"q\" of unary-encoding must be 0 < q < p < 1");
    fmpq_init(odds);
    fmpq_init(t);
    fmpq_sub_si(t, m->one, 1);
    fmpq_div(odds, m->one, t);
    fmpq_sub_si(t, m->zero, 1);
    fmpq_mul(odds, odds, t);
    fmpq_div(odds, odds, m->zero);
    shuf_real_set_log_fmpq(m->eps0, odds);
    fmpq_clear(odds);
    fmpq_clear(t);
    return 0;
}

/* The member "eps0" of the other families on k inputs. */
static int read_eps0(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    if (reader_real(m->eps0, json_object_get(object, "eps0"), "\"eps0\"", r) != 0)
        return -1;
    if (shuf_real_sgn(m->eps0) < 0 || shuf_real_cmp_si(m->eps0, SHUF_MAX_EPSILON) > 0)
        return reader_fail(r, "\"eps0\" must be between 0 and %d", SHUF_MAX_EPSILON);
    return 0;
}

static int read_scale(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    fmpq_t least;
    int small;
    if (reader_real(m->scale, json_object_get(object, "scale"), "\"scale\"", r) != 0)
        return -1;
    fmpq_init(least);
    fmpq_set_ui(least, 1, SHUF_MAX_EPSILON);
    small = m->scale->is_log || fmpq_cmp(m->scale->q, least) < 0;
    fmpq_clear(least);
    if (small)
        return reader_fail(r, "\"scale\" must be a rational number of at least 1/%d", SHUF_MAX_EPSILON);
    return 0;
}

/* The member "inputs" of noise on the line. */
static int read_inputs(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    const char *inputs = json_string_value(json_object_get(object, "inputs"));
    if (!reader_has(object, "inputs"))
        return 0;
    if (inputs == NULL || (strcmp(inputs, "ends") != 0 && strcmp(inputs, "interval") != 0))
        return reader_fail(r, "\"inputs\" must be \"ends\", 0 and 1 alone, or \"interval\", all that lies between them too");
    if (strcmp(inputs, "interval") == 0)
        m->inputs = SHUF_ANY_INPUTS;
    return 0;
}

/* "gamma" and "local" are for a question's own mechanism, which account/part.c reads. */
static const shuf_randomiser_family families[] = {
    [SHUF_RANDOMISER_MATRIX] = { "matrix", "rows eps0?", "rows[x][y] is the probability that value x is reported as y: 2 to 64 rows and columns, each row with sum 1" },
    [SHUF_RANDOMISER_KRR] = { "krr", "k eps0|gamma", "k-ary randomised response: the user's value with weight e^eps0, each other value with weight 1; "
                              "or a uniform value with probability gamma, and else the user's" },
    [SHUF_RANDOMISER_RAPPOR] = { "rappor", "k? eps0|flip local?", "Symmetric RAPPOR: k bits of which the user's is set, each flipped with probability flip = 1/(e^eps0 + 1)" },
    [SHUF_RANDOMISER_SUBSET] = { "subset-selection", "k size eps0", "A set of that size of the k values, with weight e^eps0 if the user's value is in it and else 1" },
    [SHUF_RANDOMISER_HADAMARD] = { "hadamard-response", "k eps0", "One of K outputs, K the least power of 2 above k, with weight e^eps0 where row x + 1 of the "
                                   "Hadamard matrix has +1 and else 1" },
    [SHUF_RANDOMISER_LOCAL_HASHING] = { "local-hashing", "k g eps0", "A uniformly random function from the k values to g, which is public, and g-ary randomised response of the value's image" },
    [SHUF_RANDOMISER_LAPLACE] = { "laplace", "scale inputs?", "A number of [0, 1] plus Laplace noise of that scale" },
    [SHUF_RANDOMISER_GAUSSIAN] = { "gaussian", "scale inputs?", "A number of [0, 1] plus normal noise whose standard deviation is the scale" },
    [SHUF_RANDOMISER_PRODUCT] = { "product", "parts", "A tuple: each part reports its entry, and all reports are sent together" },
    [SHUF_RANDOMISER_UNARY] = { "unary-encoding", "k? p q", "k bits of which the user's is set: that bit is reported as a one with probability p, the others with probability q < p" },
    [SHUF_RANDOMISER_OUE] = { "oue", "k? eps0", "Optimised unary encoding: unary-encoding with p = 1/2 and q = 1/(e^eps0 + 1)" },
    [SHUF_RANDOMISER_MIXTURE] = { "mixture", "parts weights", "A tuple: one part, drawn by the weights, reports its entry, and which part it was" },
};

_Static_assert(sizeof(families) / sizeof(families[0]) == SHUF_RANDOMISERS, "a kind of randomiser without a row");

const shuf_randomiser_family *shuf_randomiser_about(shuf_randomiser_kind kind)
{
    return (unsigned) kind < SHUF_RANDOMISERS ? &families[kind] : NULL;
}

/* m->kind := that of the type; rr2 is krr with k = 2. */
static int read_kind(shuf_randomiser_t m, const char *type, int is_rr2, const reader *r)
{
    char known[200] = "";
    int i;
    for (i = 0; i < SHUF_RANDOMISERS && strcmp(is_rr2 ? "krr" : type, families[i].name) != 0; i++)
        snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s, ", families[i].name);
    if (i == SHUF_RANDOMISERS)
        return reader_fail(r, "unknown mechanism type \"%.40s\"; known: %srr2; in questions also ldp, groups, noisy-sgd and binomial-noise", type, known);
    m->kind = (shuf_randomiser_kind) i;
    return 0;
}

/* Of a randomiser of k values: how many they are, and what its kind takes. */
static int read_values(shuf_randomiser_t m, json_t *object, int is_rr2, const reader *r)
{
    if (is_rr2)
        m->inputs = 2;
    else if (shuf_randomiser_is_unary(m) && !reader_has(object, "k"))
        m->inputs = SHUF_ANY_INPUTS;
    else if (reader_count(&m->inputs, object, "k", 2, SHUF_MAX_K, r) != 0)
        return -1;
    if (m->kind == SHUF_RANDOMISER_RAPPOR)
        return read_rappor(m, object, r);
    if (m->kind == SHUF_RANDOMISER_UNARY)
        return read_unary(m, object, r);
    if (m->kind == SHUF_RANDOMISER_SUBSET && reader_count(&m->size, object, "size", 1, m->inputs - 1, r) != 0)
        return -1;
    if (m->kind == SHUF_RANDOMISER_LOCAL_HASHING && reader_count(&m->size, object, "g", 2, SHUF_MAX_K, r) != 0)
        return -1;
    return read_eps0(m, object, r);
}

int randomiser_read(shuf_randomiser_t m, json_t *object, const reader *r)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    char members[NAMES_SIZE], name[NAMES_SIZE];
    int is_rr2;
    if (!json_is_object(object) || type == NULL)
        return reader_fail(r, "a mechanism must be a JSON object with a \"type\"");
    is_rr2 = strcmp(type, "rr2") == 0;
    if (read_kind(m, type, is_rr2, r) != 0)
        return -1;
    snprintf(members, sizeof(members), "type name %s", is_rr2 ? "eps0" : families[m->kind].members);
    if (reader_members(object, members, r) != 0 || (reader_has(object, "name") && reader_text(&m->name, object, "name", r) != 0))
        return -1;
    if (reader_has_any(name, object, "gamma local"))
        return reader_fail(r, "\"%s\" goes with the mechanism of a question, not with a part of one", name);

    switch (m->kind)
    {
    case SHUF_RANDOMISER_MATRIX:
        return read_matrix(m, object, r) != 0 ? -1 : check_stated_eps0(m, object, r);
    case SHUF_RANDOMISER_LAPLACE:
    case SHUF_RANDOMISER_GAUSSIAN:
        return read_scale(m, object, r) != 0 ? -1 : read_inputs(m, object, r);
    case SHUF_RANDOMISER_PRODUCT:
    case SHUF_RANDOMISER_MIXTURE:
        return tuple_read(m, object, r);
    default:
        return read_values(m, object, is_rr2, r);
    }
}

int shuf_randomiser_parse(shuf_randomiser_t r, const char *text, size_t length, char *error, size_t size)
{
    reader messages = { error, size, "", "" };
    json_t *root = reader_parse(text, length, &messages);
    shuf_randomiser_t m;
    int result;
    if (root == NULL)
        return -1;
    shuf_randomiser_init(m);
    result = randomiser_read(m, root, &messages);
    json_decref(root);
    if (result == 0)
    {
        /* the new one in r, the old one to be cleared */
        shuf_randomiser_struct old = *r;
        *r = *m;
        *m = old;
    }
    shuf_randomiser_clear(m);
    return result;
}

int shuf_randomiser_load(shuf_randomiser_t r, const char *path, char *error, size_t size)
{
    reader messages = { error, size, "", "" };
    char *text;
    size_t length;
    int result;
    if (reader_file(&text, &length, path, &messages) != 0)
        return -1;
    result = shuf_randomiser_parse(r, text, length, error, size);
    flint_free(text);
    return result;
}

/* ---- eps0, pairs ---- */

/* ratio := the largest R(x)(y)/R(x1)(y), or 0 when it is infinite (proofs/mechanism.md, Lemma 6).
 * Coq: Deployments.local_epsilon, Deployments.local_epsilon_none. */
static void matrix_ratio(fmpq_t ratio, const shuf_randomiser_t r)
{
    fmpq_t t;
    uint64_t x, y;
    fmpq_init(t);
    fmpq_zero(ratio);
    for (y = 0; y < r->outputs; y++)
    {
        const fmpq *least = &r->row[y], *most = &r->row[y];
        for (x = 1; x < r->inputs; x++)
        {
            const fmpq *entry = &r->row[x * r->outputs + y];
            if (fmpq_cmp(entry, least) < 0)
                least = entry;
            if (fmpq_cmp(entry, most) > 0)
                most = entry;
        }
        if (fmpq_is_zero(most))
            continue;
        if (fmpq_is_zero(least))
        {
            fmpq_zero(ratio);
            break;
        }
        fmpq_div(t, most, least);
        if (fmpq_cmp(t, ratio) > 0)
            fmpq_set(ratio, t);
    }
    fmpq_clear(t);
}

int shuf_randomiser_eps0(shuf_real_t eps0, const shuf_randomiser_t r)
{
    fmpq_t q;
    int finite = 1;
    fmpq_init(q);
    switch (r->kind)
    {
    case SHUF_RANDOMISER_MATRIX:
        matrix_ratio(q, r);
        finite = !fmpq_is_zero(q);
        if (finite)
            shuf_real_set_log_fmpq(eps0, q);
        break;
    case SHUF_RANDOMISER_LAPLACE:
        fmpq_inv(q, r->scale->q);
        shuf_real_set_fmpq(eps0, q);
        break;
    case SHUF_RANDOMISER_GAUSSIAN:
        finite = 0;
        break;
    case SHUF_RANDOMISER_PRODUCT:
    case SHUF_RANDOMISER_MIXTURE:
        finite = tuple_eps0(eps0, r);
        break;
    default:
        shuf_real_set(eps0, r->eps0);
    }
    fmpq_clear(q);
    return finite;
}

int shuf_randomiser_pair(uint64_t *x, uint64_t *x1, const shuf_randomiser_t r, uint64_t i)
{
    uint64_t pairs = 1, others = 1;
    if (is_tuple(r))
        return tuple_pair(x, x1, r, i);
    if (shuf_randomiser_is_line(r))
        pairs = 2;
    if (r->kind == SHUF_RANDOMISER_MATRIX)
    {
        others = r->inputs - 1;
        pairs = r->inputs * others;
    }
    if (i >= pairs)
        return 0;
    *x = i / others;
    *x1 = i % others + (i % others >= *x ? 1 : 0);
    return 1;
}

int shuf_randomiser_alike(const shuf_randomiser_t r, const uint64_t a[3], const uint64_t b[3])
{
    return is_tuple(r) ? tuple_alike(r, a, b) : a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

uint64_t shuf_randomiser_others(const shuf_randomiser_t r)
{
    const uint64_t kinds = r->kind == SHUF_RANDOMISER_MATRIX ? SHUF_MAX_MATRIX : r->kind == SHUF_RANDOMISER_HADAMARD ? 4 : 3;
    uint64_t i, count = 1;
    for (i = 0; i < r->parts; i++)
        count *= shuf_randomiser_others(&r->part[i]);
    return r->parts > 0 ? count : FLINT_MIN(kinds, r->inputs == SHUF_ANY_INPUTS ? 2 : r->inputs);
}

int shuf_randomiser_other(uint64_t *z, const shuf_randomiser_t r, uint64_t i)
{
    if (is_tuple(r))
        return tuple_other(z, r, i);
    *z = i;
    return i < shuf_randomiser_others(r);
}
