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
    static const char *const members[] = { "theorem", "status", "kind", "not_a_bound", "through", "infinite", NULL };
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

/* The same number by the fast path: it contains the vector's interval, or is narrower and meets it. */
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
    if (!overlap(old, new))
        reader_fail(r, "the fast interval [%s, %s] misses the vector's", text_of(fresh, "lo"), text_of(fresh, "hi"));
    else if (!old->infinite && compare_widths(new, old, 1) >= 0 && !contains(new, old))
        reader_fail(r, "the fast interval [%s, %s] is wider than the vector's and does not contain it", text_of(fresh, "lo"),
                    text_of(fresh, "hi"));
    else
        return VECTORS_AGREES;
    return VECTORS_FAILED;
}

/* fresh := a new result whose numbers fit together, and its interval as printed. */
static int recompute(json_t **fresh, vectors_interval_t interval, json_t *params, int fast, vectors_compute compute, const reader *r)
{
    int status = compute(fresh, params, fast, r);
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
    json_t *params = json_object_get(test, "params"), *fresh;
    vectors_interval_t old, new;
    vectors_outcome outcome = VECTORS_FAILED;
    vectors_interval_init(old);
    vectors_interval_init(new);
    if (vectors_result_sound(old, stored, r) == 0)
    {
        int status = recompute(&fresh, new, params, fast, compute, r);
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

/* Whether the params name such a quantity: by the command, or as a formula by its only point. */
static int is_quantity(const json_t *params, const char *quantity)
{
    static const struct { const char *quantity, *command, *point; } known[] = {
        { "delta", "delta", "eps" }, { "epsilon", "epsilon", "delta" }, { "renyi", "renyi", "order" },
        { "mu", "gdp", "" }, { "tail", "tail", "" }, { "type2", "tradeoff", "" } };
    const char *command = text_of(params, "command");
    const int is_formula = strcmp(command, "bound") == 0;
    int points = 0, found = 0;
    size_t i;
    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    {
        const int has_point = reader_has(params, known[i].point);
        points += has_point;
        if (strcmp(quantity, known[i].quantity) == 0)
            found = is_formula ? has_point : strcmp(command, known[i].command) == 0;
    }
    return found && (!is_formula || points == 1);
}

/*
 * Whether the witness is of the claim's quantity and, as far as the file says,
 * at the same parameters. A divergence in one direction is not an upper bound
 * of that in both.
 */
static int check_parameters(const json_t *test, int upper, const reader *r)
{
    /* what says which number it is of the same parameters, or how it is computed */
    static const char *const others[] = { "command", "form", "pair", "others", "direction", "via", "engine", "digits", NULL };
    static const char *const composition[] = { "rounds", "subsample", NULL };
    json_t *formula = json_object_get(json_object_get(test, "reproduce"), "params"), *value;
    json_t *witness = json_object_get(json_object_get(test, "witness"), "params");
    const char *key, *narrow = text_of(upper ? formula : witness, "direction"), *wide = text_of(upper ? witness : formula, "direction");
    size_t i;
    if (!is_quantity(witness, text_of(json_object_get(test, "claim"), "quantity")))
        return reader_fail(r, "the witness is not of the quantity that is claimed");
    if (strcmp(narrow, "") != 0 && strcmp(narrow, "both") != 0 && strcmp(narrow, wide) != 0)
        return reader_fail(r, "the witness is of another direction");
    json_object_foreach(formula, key, value)
    {
        for (i = 0; others[i] != NULL && strcmp(key, others[i]) != 0; i++)
            ;
        if (others[i] == NULL && reader_has(witness, key) && !json_equal(value, json_object_get(witness, key)))
            return reader_fail(r, "the witness has another %s than the claimed formula", key);
    }
    for (i = 0; formula != NULL && composition[i] != NULL; i++)
        if (!is_same(formula, witness, composition[i]))
            return reader_fail(r, "the witness has another %s than the claimed formula", composition[i]);
    return 0;
}

/*
 * Whether the result says as much as the witness is said to: a lower bound,
 * an upper bound, or the exact value of what its params name. That is the
 * value of the formula for the command bound. An upper bound of mechanisms is
 * the exact value of the pair, unless a conversion or an inexact theorem leads
 * from the pair to it.
 */
static int check_witness_kind(const json_t *result, const json_t *witness, const reader *r)
{
    const char *says = text_of(witness, "says"), *kind = text_of(result, "kind");
    const json_t *through = json_object_get(result, "through");
    const size_t length = strlen(says);
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
            if (t == NULL || strcmp(t->kind, "exact") != 0)
                return reader_fail(r, "the witness is not exact");
        }
    }
    else if (strcmp(kind, "exact") != 0 && (strncmp(kind, says, length) != 0 || strcmp(kind + length, " bound") != 0))
    {
        return reader_fail(r, "the witness is of the kind %s", kind);
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
    json_t *formula = json_object_get(json_object_get(test, "reproduce"), "params"), *fresh;
    int status;
    if (strcmp(text_of(witness_json, "says"), upper ? "upper" : "lower") == 0)
        return reader_fail(r, "what is no more than %s bound cannot refute %s bound", upper ? "an upper" : "a lower",
                           upper ? "an upper" : "a lower");
    if (check_parameters(test, upper, r) != 0 || read_claim(claim, stated, r) != 0
        || vectors_interval_read(witness, witness_json, r) != 0)
        return -1;
    if (!is_violated(claim, witness, upper))
        return reader_fail(r, "the stored witness does not violate the claim");

    if (recompute(&fresh, witness_now, json_object_get(witness_json, "params"), 0, compute, r) != 0)
        return -1;
    status = check_witness_kind(fresh, witness_json, r);
    if (status == 0)
        status = compare_intervals(witness, fresh, witness_now, r);
    json_decref(fresh);
    if (status == 0 && !is_violated(claim, witness_now, upper))
        status = reader_fail(r, "the witness does not violate the claim now");
    if (status != 0 || formula == NULL)
        return status;

    if (recompute(&fresh, formula_now, formula, 0, compute, r) != 0)
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
