/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "randomiser/tuple.h"

#include <stdio.h>

#include "randomiser/merge.h"

int is_tuple(const shuf_randomiser_t r)
{
    return r->kind == SHUF_RANDOMISER_PRODUCT || r->kind == SHUF_RANDOMISER_MIXTURE;
}

uint64_t shuf_randomiser_entry(const shuf_randomiser_t r, uint64_t x, uint64_t i)
{
    uint64_t j;
    for (j = 0; j < i; j++)
        x /= r->part[j].inputs;
    return x % r->part[i].inputs;
}

void tuple_clear(shuf_randomiser_t m)
{
    uint64_t i;
    for (i = 0; i < m->parts; i++)
        shuf_randomiser_clear(&m->part[i]);
    flint_free(m->part);
    if (m->weight != NULL)
        _fmpq_vec_clear(m->weight, (slong) m->parts);
    m->part = NULL;
    m->weight = NULL;
    m->parts = 0;
}

/* ---- reading ---- */

/* What the classes of all pairs of inputs may cost; more are refused. */
#define MAX_CLASSES 16384.0
#define MAX_PAIR_CLASSES 262144.0
#define MAX_TUPLES 1e18

/* The largest number of classes of a part. */
static double count_classes(const shuf_randomiser_t part)
{
    const slong prec = 64;
    slong most = (slong) part->outputs;
    uint64_t i, z;
    for (i = 0; part->kind != SHUF_RANDOMISER_MATRIX && shuf_randomiser_other(&z, part, i); i++)
    {
        shuf_classes_t c;
        /* first the blanket, which has more than the input 0 itself */
        shuf_randomiser_classes(c, part, 0, 1, i == 0 ? SHUF_BLANKET : z, prec);
        most = FLINT_MAX(most, c->count);
        shuf_classes_clear(c);
    }
    return (double) most;
}

/*
 * How many classes part i adds to a product with the later families that have
 * its eps0: the ratios of d of them are E to the power of one of 2d + 1 numbers.
 * 1 if an earlier one has counted it.
 */
static double product_classes(const shuf_randomiser_t m, uint64_t i)
{
    double patterns = 1, alike = 1;
    uint64_t j;
    if (m->part[i].kind == SHUF_RANDOMISER_MATRIX)
        return count_classes(&m->part[i]);
    for (j = 0; j < m->parts; j++)
    {
        if (m->part[j].kind == SHUF_RANDOMISER_MATRIX || shuf_real_cmp(m->part[j].eps0, m->part[i].eps0) != 0)
            continue;
        if (j < i)
            return 1;
        patterns *= count_classes(&m->part[j]);
        alike += 2;
    }
    return FLINT_MIN(patterns, alike * alike);
}

/* Whether the inputs can be numbered, and the classes of all pairs of inputs computed. */
static int check_size(const shuf_randomiser_t m, const reader *r)
{
    double classes = m->kind == SHUF_RANDOMISER_PRODUCT, pairs = 1, tuples = 1;
    uint64_t i;
    for (i = 0; i < m->parts; i++)
    {
        const shuf_randomiser_struct *part = &m->part[i];
        int matrix = part->kind == SHUF_RANDOMISER_MATRIX;
        if (m->kind == SHUF_RANDOMISER_MIXTURE)
            classes += count_classes(part);
        else
            classes *= product_classes(m, i);
        pairs *= matrix ? (double) (part->inputs * part->inputs) : 1;
        tuples *= (double) part->inputs;
    }
    if (tuples > MAX_TUPLES)
        return reader_fail(r, "\"parts\": the product of their numbers of inputs must be at most 10^18");
    if (classes > MAX_CLASSES || classes * pairs > MAX_PAIR_CLASSES)
        return reader_fail(r, "\"parts\" have too many pairs of inputs and likelihood ratios: matrices must be fewer or smaller, and other parts fewer, "
                       "or alike in eps0");
    return 0;
}

static int read_weights(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    const json_t *weights = json_object_get(object, "weights");
    shuf_real_t x;
    fmpq_t sum;
    uint64_t i;
    int result = 0;
    if (json_array_size(weights) != m->parts)
        return reader_fail(r, "\"weights\" must be an array of %d numbers, as many as \"parts\"", (int) m->parts);
    shuf_real_init(x);
    fmpq_init(sum);
    m->weight = _fmpq_vec_init((slong) m->parts);
    for (i = 0; i < m->parts && result == 0; i++)
    {
        char what[40];
        snprintf(what, sizeof(what), "\"weights\": entry %d", (int) i + 1);
        result = reader_real(x, json_array_get(weights, i), what, r);
        if (result == 0 && (x->is_log || fmpq_sgn(x->q) <= 0))
            result = reader_fail(r, "%s must be a rational number above 0", what);
        fmpq_set(m->weight + i, x->q);
        fmpq_add(sum, sum, x->q);
    }
    if (result == 0 && !fmpq_is_one(sum))
        result = reader_fail(r, "\"weights\" do not sum to exactly 1");
    shuf_real_clear(x);
    fmpq_clear(sum);
    return result;
}

static int read_part(shuf_randomiser_t part, json_t *object, int number, const reader *r)
{
    const reader inside = reader_inside(r, "parts", (size_t) number - 1);
    if (randomiser_read(part, object, &inside) != 0)
        return -1;
    if (is_tuple(part) || shuf_randomiser_is_line(part) || part->inputs == SHUF_ANY_INPUTS)
        return reader_fail(r, "\"parts\": part %d must be a matrix or a family with a number of inputs: no noise, product or mixture", number);
    return 0;
}

int tuple_read(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    const json_t *parts = json_object_get(object, "parts");
    uint64_t i;
    size_t count = json_array_size(parts);
    if (count < 2 || count > MAX_PARTS)
        return reader_fail(r, "\"parts\" must be an array of 2 to %d mechanisms", MAX_PARTS);
    m->part = flint_malloc(count * sizeof(shuf_randomiser_struct));
    for (m->parts = 0; m->parts < count; m->parts++)
        shuf_randomiser_init(&m->part[m->parts]);
    for (i = 0; i < m->parts; i++)
        if (read_part(&m->part[i], json_array_get(parts, i), (int) i + 1, r) != 0)
            return -1;
    if ((m->kind == SHUF_RANDOMISER_MIXTURE && read_weights(m, object, r) != 0) || check_size(m, r) != 0)
        return -1;
    for (i = 0, m->inputs = 1; i < m->parts; i++)
        m->inputs *= m->part[i].inputs;
    return 0;
}

/* ---- eps0 ---- */

/* sum := q + log E, or a little above. */
static void add_up(shuf_real_t sum, const fmpq_t q, const fmpq_t E)
{
    arb_t t, u;
    arf_t high;
    if (fmpq_is_zero(q))
    {
        shuf_real_set_log_fmpq(sum, E);
        return;
    }
    if (fmpq_is_one(E))
    {
        shuf_real_set_fmpq(sum, q);
        return;
    }
    arb_init(t);
    arb_init(u);
    arf_init(high);
    /* at most MAX_PARTS times SHUF_MAX_EPSILON, or some more for a matrix: below 2^60 */
    arb_set_fmpq(t, E, 2 * SHUF_EPS0_BITS);
    arb_log(t, t, 2 * SHUF_EPS0_BITS);
    arb_set_fmpq(u, q, 2 * SHUF_EPS0_BITS);
    arb_add(t, t, u, 2 * SHUF_EPS0_BITS);
    arb_get_ubound_arf(high, t, 2 * SHUF_EPS0_BITS);
    shuf_real_set_arf(sum, high);
    arb_clear(t);
    arb_clear(u);
    arf_clear(high);
}

/* Lemmas 8 and 9: the sum, or the largest. */
int tuple_eps0(shuf_real_t eps0, const shuf_randomiser_t m)
{
    shuf_real_t x, largest;
    fmpq_t q, E;
    uint64_t i;
    int finite = 1;
    shuf_real_init(x);
    shuf_real_init(largest);
    fmpq_init(q);
    fmpq_init(E);
    fmpq_one(E);
    for (i = 0; i < m->parts && finite; i++)
    {
        finite = shuf_randomiser_eps0(x, &m->part[i]);
        if (finite && shuf_real_cmp(x, largest) > 0)
            shuf_real_set(largest, x);
        if (finite && x->is_log)
            fmpq_mul(E, E, x->q);
        else if (finite)
            fmpq_add(q, q, x->q);
    }
    if (finite && m->kind == SHUF_RANDOMISER_MIXTURE)
        shuf_real_set(eps0, largest);
    else if (finite)
        add_up(eps0, q, E);
    shuf_real_clear(x);
    shuf_real_clear(largest);
    fmpq_clear(q);
    fmpq_clear(E);
    return finite;
}

int shuf_randomiser_eps0_is_rounded(const shuf_randomiser_t r)
{
    shuf_real_t x;
    uint64_t i;
    int kinds = 0;
    shuf_real_init(x);
    for (i = 0; i < r->parts && r->kind == SHUF_RANDOMISER_PRODUCT; i++)
        if (shuf_randomiser_eps0(x, &r->part[i]) && shuf_real_sgn(x) > 0)
            kinds |= x->is_log ? 1 : 2;
    shuf_real_clear(x);
    return kinds == 3;
}

/* ---- inputs ---- */

/* Coq: TupleInputs.tuple_product, TupleInputs.tuple_mixture. */
int tuple_pair(uint64_t *x, uint64_t *x1, const shuf_randomiser_t m, uint64_t i)
{
    uint64_t j, place = 1;
    *x = *x1 = 0;
    for (j = 0; j < m->parts; j++)
    {
        const shuf_randomiser_struct *part = &m->part[j];
        uint64_t k = part->inputs;
        if (part->kind == SHUF_RANDOMISER_MATRIX)
        {
            *x += place * (i / k % k);
            *x1 += place * (i % k);
            i /= k * k;
        }
        else
        {
            /* a family: two different inputs, which are the worst */
            *x1 += place;
        }
        place *= k;
    }
    return i == 0;
}

int tuple_other(uint64_t *z, const shuf_randomiser_t m, uint64_t i)
{
    uint64_t j, entry, place = 1;
    *z = 0;
    for (j = 0; j < m->parts; j++)
    {
        const shuf_randomiser_struct *part = &m->part[j];
        const uint64_t count = shuf_randomiser_others(part);
        shuf_randomiser_other(&entry, part, i % count);
        *z += place * entry;
        i /= count;
        place *= part->inputs;
    }
    return i == 0;
}

/* ---- classes ---- */

/* c := the classes of a and b together, or all pairs of a class of a and one of b. Coq: TupleInputs.product_blanket, TupleInputs.mixture_blanket. */
static void combine(shuf_classes_t c, const shuf_classes_t a, const shuf_classes_t b, int product, slong prec)
{
    slong i, j, k = 0;
    classes_init(c, product ? a->count * b->count : a->count + b->count);
    if (product)
    {
        for (i = 0; i < a->count; i++)
        {
            for (j = 0; j < b->count; j++, k++)
            {
                arb_mul(c->p + k, a->p + i, b->p + j, prec);
                arb_mul(c->q + k, a->q + i, b->q + j, prec);
                arb_mul(c->w + k, a->w + i, b->w + j, prec);
            }
        }
        return;
    }
    for (i = 0; i < c->count; i++)
    {
        const shuf_classes_struct *from = i < a->count ? a : b;
        j = i < a->count ? i : i - a->count;
        arb_set(c->p + i, from->p + j);
        arb_set(c->q + i, from->q + j);
        arb_set(c->w + i, from->w + j);
    }
}

static void scale(shuf_classes_t c, const fmpq_t weight, slong prec)
{
    arb_t t;
    arb_init(t);
    arb_set_fmpq(t, weight, prec);
    _arb_vec_scalar_mul(c->p, c->p, c->count, t, prec);
    _arb_vec_scalar_mul(c->q, c->q, c->count, t, prec);
    _arb_vec_scalar_mul(c->w, c->w, c->count, t, prec);
    arb_clear(t);
}

static int is_same_part(const shuf_randomiser_struct *a, const shuf_randomiser_struct *b)
{
    const slong numbers = a->row != NULL ? (slong) (a->inputs * a->outputs) : 0;
    slong i;
    if (a->kind != b->kind || a->inputs != b->inputs || a->outputs != b->outputs || a->size != b->size || !fmpq_equal(a->one, b->one)
        || !fmpq_equal(a->zero, b->zero) || shuf_real_cmp(a->eps0, b->eps0) != 0 || shuf_real_cmp(a->scale, b->scale) != 0)
        return 0;
    for (i = 0; i < numbers && fmpq_equal(a->row + i, b->row + i); i++)
        ;
    return i == numbers;
}

/* Whether part i at the inputs a is the same as part j at b. */
static int is_same_entry(const shuf_randomiser_t m, uint64_t i, uint64_t j, const uint64_t a[3], const uint64_t b[3])
{
    int k;
    for (k = 0; k < 3; k++)
        if (a[k] != SHUF_BLANKET && shuf_randomiser_entry(m, a[k], i) != shuf_randomiser_entry(m, b[k], j))
            return 0;
    return is_same_part(&m->part[i], &m->part[j]) && (m->weight == NULL || fmpq_equal(m->weight + i, m->weight + j));
}

int tuple_alike(const shuf_randomiser_t m, const uint64_t a[3], const uint64_t b[3])
{
    char taken[MAX_PARTS] = { 0 };
    uint64_t i, j;
    for (i = 0; i < 3; i++)
        if ((a[i] == SHUF_BLANKET) != (b[i] == SHUF_BLANKET))
            return 0;
    for (i = 0; i < m->parts; i++)
    {
        for (j = 0; j < m->parts && (taken[j] || !is_same_entry(m, i, j, a, b)); j++)
            ;
        if (j == m->parts)
            return 0;
        taken[j] = 1;
    }
    return 1;
}

void tuple_classes(shuf_classes_t c, const shuf_randomiser_t m, uint64_t x, uint64_t x1, uint64_t reference, slong prec)
{
    shuf_classes_t next, both;
    slong high = prec + 64, j;
    uint64_t i;
    for (i = 0; i < m->parts; i++)
    {
        shuf_randomiser_classes(next, &m->part[i], shuf_randomiser_entry(m, x, i), shuf_randomiser_entry(m, x1, i),
                                reference == SHUF_BLANKET ? SHUF_BLANKET : shuf_randomiser_entry(m, reference, i), high);
        if (m->kind == SHUF_RANDOMISER_MIXTURE)
            scale(next, m->weight + i, high);
        if (i == 0)
        {
            *c = *next;
            continue;
        }
        combine(both, c, next, m->kind == SHUF_RANDOMISER_PRODUCT, high);
        merge_close(both, high);
        shuf_classes_clear(c);
        shuf_classes_clear(next);
        *c = *both;
    }
    for (j = 0; j < c->count; j++)
    {
        arb_set_round(c->p + j, c->p + j, prec);
        arb_set_round(c->q + j, c->q + j, prec);
        arb_set_round(c->w + j, c->w + j, prec);
    }
}
