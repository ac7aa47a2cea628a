/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Questions asked by tests, and what is true of every answer; include cmocka.h before. */
#ifndef TESTS_ASKED_H
#define TESTS_ASKED_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/evaluate.h"
#include "check.h"

typedef struct
{
    shuf_question_t question;
    shuf_answer_t answer;
    shuf_status status;
    char text[4096];
} asked;

static inline char *answer_text(const shuf_answer_t a)
{
    return answer_dump(answer_json(a));
}

/* ---- what is true of every answer ---- */

static inline int has_theorem(const shuf_answer_bound *b, const char *id)
{
    size_t i;
    for (i = 0; i < b->theorems; i++)
        if (strcmp(b->theorem[i], id) == 0)
            return 1;
    return 0;
}

static inline int has_one_of(const shuf_answer_bound *b, const char *const *ids)
{
    for (; *ids != NULL; ids++)
        if (has_theorem(b, *ids))
            return 1;
    return 0;
}

/* Sampling, composition and conversion are named where they are used; one round, or a part of a list, is a lower bound of all. */
static inline void check_chain(const asked *x, const shuf_answer_bound *b)
{
    static const char *const sampling[] = { "clones-sampled", "krr-third-sampled", "clones-poisson", "krr-poisson", "binary-reports-sampled", "additive-noise-poisson", "reports-seen", "blanket-poisson", "local-profile-poisson", "alike-poisson", "blanket-sampled", "local-profile-sampled", "alike-sampled", "mixed-sampled",
        "subsample-profile", "subsample-replaced", NULL };
    static const char *const composition[] = { "pld-composition", "renyi-composition", "kairouz15-optimal", NULL };
    static const char *const one_round[] = { "all-equal", "third-value", "grouped-reports", "mixed-data", "mixed-sampled", "alike-sampled", "alike-poisson", "gaussian-all-equal",
        "additive-noise", "reports-seen", "batches-fixed", "batches-shuffle-above", "batches-allocation-known", "batches-allocation-sum", "batches-allocation-ratio", "batches-poisson", "batches-all-known", "batches-replaced-fixed", "batches-replaced-poisson", "batches-replaced-known", "batches-replaced-sum", "batches-user-fixed", "batches-user-poisson", "batches-user-known", "batches-user-sum", "batches-balls-and-bins", "batches-matrix-above", "batches-matrix-below", "batches-matrix-poisson-known", NULL }; /* of all epochs at once, or with a rate of 1 */
    const shuf_question_struct *q = x->question;
    int sampled = 0, several = q->count > 1 || q->parts[0].rounds > 1, all = q->count == 1 || !b->has_data;
    size_t i;
    for (i = 0; i < q->count; i++)
        sampled |= shuf_part_is_sampled(&q->parts[i]);
    if (all && sampled && !has_one_of(b, sampling) && !q->order_is_infinite)
        fail_msg("%s: no theorem on sampling", x->text);
    if (all && several && !has_one_of(b, composition) && !has_one_of(b, one_round))
        fail_msg("%s: no theorem on composition", x->text);
    if (b->has_order && q->quantity <= SHUF_QUANTITY_EPSILON && !has_theorem(b, "renyi-conversion"))
        fail_msg("%s: no theorem on conversion", x->text);
    if (q->quantity == SHUF_QUANTITY_TRADEOFF)
        assert_true(has_theorem(b, "dong22-2.12"));
    if (q->quantity == SHUF_QUANTITY_GDP && q->form == NULL)
        assert_true(has_theorem(b, "dong22-2.13"));
}

static inline void check_bound(const asked *x, const shuf_answer_bound *b)
{
    shuf_side side = b->side;
    size_t i;
    assert_true(b->theorems > 0 && b->theorems <= SHUF_MAX_CHAIN);
    if (arf_sgn(b->value->lo) < 0 || arf_cmp(b->value->lo, b->value->hi) > 0)
        fail_msg("%s: [%g, %g]", x->text, lower(b->value), upper(b->value));
    if (x->question->quantity == SHUF_QUANTITY_TRADEOFF)
        side = side == SHUF_SIDE_UPPER ? SHUF_SIDE_LOWER : side == SHUF_SIDE_LOWER ? SHUF_SIDE_UPPER : side;
    for (i = 0; i < b->theorems; i++)
    {
        assert_non_null(shuf_theorem_find(b->theorem[i]));
        if (side != SHUF_SIDE_NONE && !shuf_theorem_certifies(b->theorem[i], side))
            fail_msg("%s: %s may not certify", x->text, b->theorem[i]);
    }
    if (x->question->form == NULL && x->question->quantity <= SHUF_QUANTITY_GDP)
        check_chain(x, b);
}

/* Whether [lo, hi] holds the number, and how wide it is beside hi. */
static inline int holds(double *width, const shuf_enclosure_t r, const shuf_real_t x)
{
    *width = arf_is_finite(r->hi) && arf_sgn(r->hi) > 0 ? 1 - lower(r) / upper(r) : 1;
    return shuf_real_cmp_arf(x, r->lo) >= 0 && shuf_real_cmp_arf(x, r->hi) <= 0;
}

/* What is said of an undecided claim agrees with the ends. */
static inline void check_reason(const asked *x)
{
    const shuf_answer_struct *a = x->answer;
    const shuf_question_struct *q = x->question;
    const shuf_real_struct *claimed = question_claimed(q);
    const int is_close = strstr(a->reason, "too close") != NULL, is_rough = strstr(a->reason, "too roughly") != NULL,
              is_between = strstr(a->reason, "best lower") != NULL, no_upper = strstr(a->reason, "no finite upper") != NULL;
    int fits = a->upper == NULL || !a->complete || strstr(a->reason, "there is no lower bound") != NULL;
    double width;
    size_t i;
    if (a->upper != NULL && shuf_real_cmp_arf(claimed, a->upper->value->hi) > 0)
        fail_msg("%s: undecided, certified at %.17g", x->text, upper(a->upper->value));
    if (a->lower != NULL && shuf_real_cmp_arf(claimed, a->lower->value->lo) < 0)
        fail_msg("%s: undecided, refuted to %.17g", x->text, lower(a->lower->value));
    for (i = 0; i < a->count; i++)
    {
        const shuf_answer_bound *b = &a->tried[i];
        fits |= (is_close || is_rough) && b->sign == 0 && holds(&width, b->value, claimed) && (is_rough || width < 0.01);
        fits |= is_close && b->sign == 0 && b->has_delta && holds(&width, b->delta, q->delta) && width < 0.01;
    }
    fits |= is_between && a->lower != NULL && arf_is_finite(a->upper->value->hi);
    fits |= no_upper && !arf_is_finite(a->upper->value->hi);
    if (!fits)
        fail_msg("%s: %s", x->text, a->reason);
}

static inline void check_verdict(const asked *x)
{
    const shuf_answer_struct *a = x->answer;
    int certified = 0, refuted = 0;
    size_t i;
    if (!x->question->is_claim)
    {
        assert_int_equal(a->verdict, SHUF_VERDICT_NONE);
        return;
    }
    for (i = 0; i < a->count; i++)
    {
        const int exact = a->tried[i].side == SHUF_SIDE_EXACT;
        certified |= (exact || a->tried[i].side == SHUF_SIDE_UPPER) && a->tried[i].sign < 0;
        refuted |= (exact || a->tried[i].side == SHUF_SIDE_LOWER) && a->tried[i].sign > 0;
    }
    assert_false(certified && refuted);
    assert_int_equal(a->verdict, certified ? SHUF_CERTIFIED : refuted ? SHUF_REFUTED_CLAIM : SHUF_UNDECIDED);
    if (a->verdict == SHUF_UNDECIDED)
        check_reason(x);
    assert_true(a->verdict == SHUF_UNDECIDED ? a->reason != NULL : a->verdict == SHUF_REFUTED_CLAIM || a->reason == NULL);
}

static inline void check_answer(const asked *x)
{
    const shuf_answer_struct *a = x->answer;
    size_t i;
    assert_int_equal(x->status == SHUF_OK, a->error[0] == '\0');
    for (i = 0; i < a->count; i++)
        check_bound(x, &a->tried[i]);
    if (x->status != SHUF_OK)
        return;
    if (shuf_question_is_of_pair(x->question) || x->question->form != NULL || x->question->quantity >= SHUF_QUANTITY_USERS)
    {
        assert_non_null(a->value);
        assert_true(a->upper == NULL && a->lower == NULL);
        return;
    }
    assert_null(a->value);
    assert_true(a->upper != NULL || a->lower != NULL);
    for (i = 0; i < a->count; i++)
    {
        const shuf_answer_bound *b = &a->tried[i];
        if (b->side == SHUF_SIDE_UPPER)
            assert_true(a->upper != NULL && arf_cmp(a->upper->value->hi, b->value->hi) <= 0);
        if (b->side == SHUF_SIDE_LOWER)
            assert_true(a->lower != NULL && arf_cmp(a->lower->value->lo, b->value->lo) >= 0);
    }
    assert_true(a->upper == NULL || a->upper->side == SHUF_SIDE_UPPER || a->upper->side == SHUF_SIDE_EXACT);
    assert_true(a->lower == NULL || a->lower->side == SHUF_SIDE_LOWER || a->lower->side == SHUF_SIDE_EXACT);
    if (a->upper != NULL && a->lower != NULL)
        assert_true(arf_cmp(a->lower->value->lo, a->upper->value->hi) <= 0);
    check_verdict(x);
    /* the data are those of privacy's lower bound: the upper one of a type II error */
    if (shuf_question_has(x->question, SHUF_SUBJECT_NOISE))
        return; /* any data */
    if (x->question->quantity == SHUF_QUANTITY_TRADEOFF ? a->upper != NULL && !a->upper->has_data : a->lower != NULL && !a->lower->has_data)
        fail_msg("%s: a lower bound without data", x->text);
}

/* ---- asking ---- */

static inline void asked_clear(asked *x)
{
    shuf_answer_clear(x->answer);
    shuf_question_clear(x->question);
}

static inline __attribute__((format(printf, 2, 0))) void ask_list(asked *x, const char *format, va_list args)
{
    char error[256] = "";
    assert_true(vsnprintf(x->text, sizeof(x->text), format, args) < (int) sizeof(x->text));
    shuf_question_init(x->question);
    if (shuf_question_parse(x->question, x->text, strlen(x->text), error, sizeof(error)) != 0)
        fail_msg("%s: %s", x->text, error);
    x->status = shuf_answer(x->answer, x->question);
    check_answer(x);
}

/* Asks the question that printf makes; to be cleared. */
static inline __attribute__((format(printf, 2, 3))) void ask_any(asked *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ask_list(x, format, args);
    va_end(args);
}

/* The same, and there is an answer. */
static inline __attribute__((format(printf, 2, 3))) void ask(asked *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ask_list(x, format, args);
    va_end(args);
    if (x->status != SHUF_OK)
        fail_msg("%s: %s", x->text, x->answer->error);
}

/* Whether both guarantees may enclose one number. */
static inline int asked_meet(const asked *x, const asked *y)
{
    const shuf_enclosure_struct *a = x->answer->upper->value, *b = y->answer->upper->value;
    return upper(a) >= lower(b) && lower(a) <= upper(b);
}

/* ---- mechanisms ---- */

#define LDP(e) "{\"type\":\"ldp\",\"eps0\":\"" e "\"}"
#define RR2(e) "{\"type\":\"rr2\",\"eps0\":\"" e "\"}"
#define KRR(k, e) "{\"type\":\"krr\",\"k\":" k ",\"eps0\":\"" e "\"}"
#define KRRG(k, g) "{\"type\":\"krr\",\"k\":" k ",\"gamma\":\"" g "\"}"
#define RAPPOR(e) "{\"type\":\"rappor\",\"eps0\":\"" e "\"}"

#endif
