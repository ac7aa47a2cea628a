/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A vector against what is computed now. */
#include "vectors/vectors.h"

#include <string.h>

#include "theorem/theorem.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

/* Whether both have the member with the same value, or neither has it. */
static int is_same(const json_t *x, const json_t *y, const char *key)
{
    json_t *a = json_object_get(x, key), *b = json_object_get(y, key);
    return a == NULL || b == NULL ? a == b : json_equal(a, b);
}

static int overlap(const vectors_interval_t x, const vectors_interval_t y)
{
    if (x->infinite || y->infinite)
        return x->infinite == y->infinite;
    return fmpq_cmp(x->lo, y->hi) <= 0 && fmpq_cmp(y->lo, x->hi) <= 0;
}

/* Sign of (width of x) - factor (width of y), for finite intervals. */
static int compare_widths(const vectors_interval_t x, const vectors_interval_t y, slong factor)
{
    fmpq_t a, b;
    int sign;
    fmpq_init(a);
    fmpq_init(b);
    fmpq_sub(a, x->hi, x->lo);
    fmpq_sub(b, y->hi, y->lo);
    fmpq_mul_si(b, b, factor);
    sign = fmpq_cmp(a, b);
    fmpq_clear(a);
    fmpq_clear(b);
    return sign;
}

/* Whether y is in x, for finite intervals. */
static int contains(const vectors_interval_t x, const vectors_interval_t y)
{
    return fmpq_cmp(x->lo, y->lo) <= 0 && fmpq_cmp(x->hi, y->hi) >= 0;
}

/*
 * Whether two intervals of one number go together, as stored and as computed
 * now: they meet, and the new one is not more than twice as wide, and inside
 * the old one if it is less than half as wide.
 */
static int compare_intervals(const vectors_interval_t old, const json_t *fresh, const vectors_interval_t new, const reader *r)
{
    const char *lo = text_of(fresh, "lo"), *hi = text_of(fresh, "hi");
    if (!overlap(old, new))
        return reader_fail(r, "[%s, %s] is computed now, which misses the interval of the file", lo, hi);
    if (old->infinite)
        return 0;
    if (compare_widths(new, old, 2) > 0)
        return reader_fail(r, "[%s, %s] is computed now, more than twice as wide as the interval of the file", lo, hi);
    if (compare_widths(old, new, 2) > 0 && !contains(old, new))
        return reader_fail(r, "[%s, %s] is computed now, which the much wider interval of the file does not contain", lo, hi);
    return 0;
}

/* The theorems and what they make of the value. */
static int compare_theorems(const json_t *stored, const json_t *fresh, const reader *r)
{
    static const char *const members[] = { "theorem", "status", "side", "through", "infinite", NULL };
    size_t i;
    for (i = 0; members[i] != NULL; i++)
        if (!is_same(stored, fresh, members[i]))
            return reader_fail(r, "another %s", members[i]);
    return 0;
}

static vectors_outcome compare(const json_t *stored, const vectors_interval_t old, const json_t *fresh,
                               const vectors_interval_t new, const reader *r)
{
    static const char *const members[] = { "order", "per_round", NULL };
    size_t i;
    if (compare_theorems(stored, fresh, r) != 0)
        return VECTORS_FAILED;
    for (i = 0; members[i] != NULL; i++)
    {
        if (!is_same(stored, fresh, members[i]))
        {
            reader_fail(r, "another %s", members[i]);
            return VECTORS_FAILED;
        }
    }
    if (compare_intervals(old, fresh, new, r) != 0)
        return VECTORS_FAILED;
    if (json_is_true(json_object_get(stored, "accuracy_reached")) && !json_is_true(json_object_get(fresh, "accuracy_reached")))
    {
        reader_fail(r, "the accuracy is not reached now");
        return VECTORS_FAILED;
    }
    return is_same(stored, fresh, "lo") && is_same(stored, fresh, "hi") && is_same(stored, fresh, "lo_hex")
                   && is_same(stored, fresh, "hi_hex") ? VECTORS_SAME_TEXT : VECTORS_AGREES;
}

/* The same number by the fast path. */
static vectors_outcome compare_fast(const json_t *stored, const vectors_interval_t old, const json_t *fresh,
                                    const vectors_interval_t new, const reader *r)
{
    if (compare_theorems(stored, fresh, r) != 0)
        return VECTORS_FAILED;
    if (!is_same(stored, fresh, "order") || !is_same(stored, fresh, "per_round"))
    {
        reader_fail(r, "the fast path converts at another point");
        return VECTORS_SKIPPED;
    }
    if (overlap(old, new))
        return VECTORS_AGREES;
    reader_fail(r, "the fast interval [%s, %s] misses the vector's", text_of(fresh, "lo"), text_of(fresh, "hi"));
    return VECTORS_FAILED;
}

/* fresh := a new result whose numbers fit together, and its interval as printed. */
static int recompute(json_t **fresh, vectors_interval_t interval, json_t *question, const char *bound, int fast, vectors_compute compute,
                     const reader *r)
{
    int status = compute(fresh, question, bound, fast, r);
    if (status != 0)
        return status;
    if (vectors_check_result(*fresh, r) == 0 && vectors_result_sound(interval, *fresh, r) == 0
        && vectors_interval_read(interval, *fresh, r) == 0)
        return 0;
    json_decref(*fresh);
    return -1;
}

static vectors_outcome check_value(json_t *test, int fast, vectors_compute compute, const reader *r)
{
    const json_t *stored = json_object_get(test, "result");
    json_t *question = json_object_get(test, "question"), *fresh;
    vectors_interval_t old, new;
    vectors_outcome outcome = VECTORS_FAILED;
    vectors_interval_init(old);
    vectors_interval_init(new);
    if (vectors_result_sound(old, stored, r) == 0)
    {
        int status = recompute(&fresh, new, question, vectors_bound(test), fast, compute, r);
        vectors_interval_read(old, stored, r);
        if (status == VECTORS_REFUSED)
            outcome = VECTORS_SKIPPED;
        else if (status == 0)
            outcome = fast ? compare_fast(stored, old, fresh, new, r) : compare(stored, old, fresh, new, r);
        if (status == 0)
            json_decref(fresh);
    }
    vectors_interval_clear(old);
    vectors_interval_clear(new);
    return outcome;
}

/* ---- claims ---- */

/* The claim's name of what a question asks for. */
static const char *quantity_of(const json_t *question)
{
    const char *quantity = text_of(json_object_get(question, "ask"), "quantity");
    return strcmp(quantity, "gdp") == 0 ? "mu" : strcmp(quantity, "tradeoff") == 0 ? "type2" : quantity;
}

/* The numbers of a question on one level: users, the parameters of what it is about, the point. A new reference. */
static json_t *parameters(const json_t *question)
{
    static const char *const nested[] = { "mechanism", "pair", "form", "ask", NULL };
    static const char *const names[] = { "type", "theorem", "quantity", NULL };
    json_t *flat = json_object();
    size_t i;
    for (i = 0; nested[i] != NULL; i++)
        if (reader_has(question, nested[i]))
            json_object_update(flat, json_object_get(question, nested[i]));
    for (i = 0; names[i] != NULL; i++)
        json_object_del(flat, names[i]);
    json_object_set(flat, "users", json_object_get(question, "users"));
    return flat;
}

/* Whether the two have no number that differs. */
static int compare_parameters(const json_t *formula, const json_t *witness, const reader *r)
{
    json_t *own = parameters(formula), *other = parameters(witness), *value;
    const char *key;
    int status = 0;
    json_object_foreach(own, key, value)
        if (status == 0 && reader_has(other, key) && !json_equal(value, json_object_get(other, key)))
            status = reader_fail(r, "the witness has another %s than the claimed formula", key);
    json_decref(own);
    json_decref(other);
    return status;
}

/*
 * Whether the witness is of the claim's quantity and, as far as the file says,
 * at the same parameters. A divergence in one direction is not an upper bound
 * of that in both.
 */
static int check_parameters(const json_t *test, int upper, const reader *r)
{
    static const char *const composition[] = { "rounds", "sample", NULL };
    const json_t *formula = json_object_get(json_object_get(test, "reproduce"), "question");
    const json_t *witness = json_object_get(json_object_get(test, "witness"), "question");
    const char *quantity = text_of(json_object_get(test, "claim"), "quantity");
    const char *narrow = text_of(upper ? formula : witness, "direction"), *wide = text_of(upper ? witness : formula, "direction");
    size_t i;
    if (strcmp(quantity_of(witness), quantity) != 0)
        return reader_fail(r, "the witness is not of the quantity that is claimed");
    if (strcmp(narrow, "") != 0 && strcmp(narrow, "both") != 0 && strcmp(narrow, wide) != 0)
        return reader_fail(r, "the witness is of another direction");
    if (formula == NULL)
        return 0;
    for (i = 0; composition[i] != NULL; i++)
        if (!is_same(formula, witness, composition[i]))
            return reader_fail(r, "the witness has another %s than the claimed formula", composition[i]);
    return compare_parameters(formula, witness, r);
}

/*
 * Whether the result says as much as the witness is said to: a lower bound,
 * an upper bound, or the exact value of what its question is about. That is the
 * value of the formula of a closed form. An upper bound of mechanisms is
 * the exact value of the pair, unless a conversion or an inexact theorem leads
 * from the pair to it.
 */
static int check_witness_kind(const json_t *result, const json_t *witness, const reader *r)
{
    const char *says = text_of(witness, "says"), *side = text_of(result, "side");
    const json_t *through = json_object_get(result, "through");
    size_t i;
    if (strcmp(text_of(witness, "theorem"), text_of(result, "theorem")) != 0)
        return reader_fail(r, "the witness rests on %s", text_of(result, "theorem"));
    if (strcmp(says, "exact") == 0)
    {
        if (reader_has(result, "order") || reader_has(result, "per_round"))
            return reader_fail(r, "the witness is a conversion, not exact");
        for (i = 0; i < json_array_size(through); i++)
        {
            const shuf_theorem *t = shuf_theorem_find(json_string_value(json_array_get(through, i)));
            if (t == NULL || t->side != SHUF_SIDE_EXACT)
                return reader_fail(r, "the witness is not exact");
        }
    }
    else if (strcmp(side, "exact") != 0 && strcmp(side, says) != 0)
    {
        return reader_fail(r, "the witness is of the side %s", side);
    }
    return strcmp(text_of(result, "status"), "proved") == 0 ? 0 : reader_fail(r, "the witness is not proved");
}

/* Whether the claimed bound, anywhere in `claim`, is certainly violated by a value in `witness`. */
static int is_violated(const vectors_interval_t claim, const vectors_interval_t witness, int upper)
{
    if (upper)
        return !claim->infinite && (witness->infinite || fmpq_cmp(claim->hi, witness->lo) < 0);
    return !witness->infinite && (claim->infinite || fmpq_cmp(claim->lo, witness->hi) > 0);
}

/* The claim as stored: the interval that its value is in, or the value alone. */
static int read_claim(vectors_interval_t x, const json_t *claim, const reader *r)
{
    const int is_interval = reader_has(claim, "value_lo");
    const char *lo = is_interval ? "value_lo" : "value", *hi = is_interval ? "value_hi" : "value";
    fmpq_t value;
    int status;
    fmpq_init(value);
    status = vectors_number(value, json_object_get(claim, "value"), "value", r);
    if (status == 0)
        status = vectors_number(x->lo, json_object_get(claim, lo), lo, r);
    if (status == 0)
        status = vectors_number(x->hi, json_object_get(claim, hi), hi, r);
    if (status == 0 && (fmpq_cmp(value, x->lo) < 0 || fmpq_cmp(value, x->hi) > 0))
        status = reader_fail(r, "the claim's value is not from value_lo to value_hi");
    fmpq_clear(value);
    return status;
}

/* Whether the stored witness, then the witness computed now, and the formula if shufbound evaluates it, refute the claim. */
static int refute(json_t *test, vectors_interval_struct *x, vectors_compute compute, const reader *r)
{
    vectors_interval_struct *claim = &x[0], *witness = &x[1], *witness_now = &x[2], *formula_now = &x[3];
    const json_t *stated = json_object_get(test, "claim"), *witness_json = json_object_get(test, "witness");
    const int upper = strcmp(text_of(stated, "bound"), "upper") == 0;
    json_t *formula = json_object_get(json_object_get(test, "reproduce"), "question"), *fresh;
    int status;
    if (strcmp(text_of(witness_json, "says"), upper ? "upper" : "lower") == 0)
        return reader_fail(r, "what is no more than %s bound cannot refute %s bound", upper ? "an upper" : "a lower",
                           upper ? "an upper" : "a lower");
    if (check_parameters(test, upper, r) != 0 || read_claim(claim, stated, r) != 0
        || vectors_interval_read(witness, witness_json, r) != 0)
        return -1;
    if (!is_violated(claim, witness, upper))
        return reader_fail(r, "the stored witness does not violate the claim");

    if (recompute(&fresh, witness_now, json_object_get(witness_json, "question"), NULL, 0, compute, r) != 0)
        return -1;
    status = check_witness_kind(fresh, witness_json, r);
    if (status == 0)
        status = compare_intervals(witness, fresh, witness_now, r);
    json_decref(fresh);
    if (status == 0 && !is_violated(claim, witness_now, upper))
        status = reader_fail(r, "the witness does not violate the claim now");
    if (status != 0 || formula == NULL)
        return status;

    if (recompute(&fresh, formula_now, formula, NULL, 0, compute, r) != 0)
        return -1;
    if (compare_intervals(claim, fresh, formula_now, r) != 0)
        status = reader_fail(r, "the claimed formula is [%s, %s] now, not the claim", text_of(fresh, "lo"), text_of(fresh, "hi"));
    else if (!is_violated(formula_now, witness_now, upper))
        status = reader_fail(r, "the claimed formula is not violated now");
    json_decref(fresh);
    return status;
}

static vectors_outcome check_claim(json_t *test, vectors_compute compute, const reader *r)
{
    vectors_interval_struct x[4];
    int status, i;
    for (i = 0; i < 4; i++)
        vectors_interval_init(&x[i]);
    status = refute(test, x, compute, r);
    for (i = 0; i < 4; i++)
        vectors_interval_clear(&x[i]);
    return status == 0 ? VECTORS_AGREES : VECTORS_FAILED;
}

vectors_outcome vectors_check(json_t *test, vectors_kind kind, int fast, vectors_compute compute, const reader *r)
{
    if (kind == VECTORS_VALUE)
        return check_value(test, fast, compute, r);
    if (!fast)
        return check_claim(test, compute, r);
    reader_fail(r, "claims are not for the fast path");
    return VECTORS_SKIPPED;
}
