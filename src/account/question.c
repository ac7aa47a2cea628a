/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/question.h"

#include <stdio.h>
#include <string.h>

#include "account/vocabulary.h"
#include "account/members.h"
#include "account/part.h"
#include "account/noise_part.h"
#include "account/renyi_part.h"
#include "renyi/renyi.h"
#include "tradeoff/gdp.h"

#define REALS(q, f) \
    do { f((q)->eps); f((q)->eps_to); f((q)->delta); f((q)->order); f((q)->renyi); f((q)->type1); f((q)->mu); \
         f((q)->form_delta0); f((q)->form_gamma); f((q)->max_seconds); f((q)->selection_mean); f((q)->selection_shape); } while (0)

void shuf_question_init(shuf_question_t q)
{
    memset(q, 0, sizeof(*q));
    REALS(q, shuf_real_init);
}

void shuf_question_clear(shuf_question_t q)
{
    size_t i;
    flint_free(q->id);
    flint_free(q->source);
    flint_free(q->quote);
    flint_free(q->note);
    for (i = 0; i < q->count; i++)
        part_clear(&q->parts[i]);
    flint_free(q->parts);
    REALS(q, shuf_real_clear);
}

int shuf_question_is_of_pair(const shuf_question_t q)
{
    return q->count > 0 && q->parts[0].subject == SHUF_SUBJECT_PAIR;
}

int shuf_question_has(const shuf_question_t q, shuf_subject subject)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == subject)
            return 1;
    return 0;
}

int question_has_records(const shuf_question_t q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_BATCH && q->parts[i].batch->records > 1)
            return 1;
    return 0;
}

int question_removes(const shuf_question_t q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_BATCH && !q->parts[i].removes)
            return 0;
    return 1;
}

int shuf_question_is_central(const shuf_question_t q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject != SHUF_SUBJECT_BATCH && q->parts[i].subject != SHUF_SUBJECT_NOISE)
            return 0;
    return q->count > 0;
}

/* ---- what is asked ---- */

static int read_range(shuf_question_t q, const json_t *object, const reader *r)
{
    const json_t *range = json_object_get(object, "eps");
    char from[96], to[96];
    json_t *ends;
    int result;
    if (!json_is_array(range) || json_array_size(range) != 2)
        return reader_fail(r, "\"eps\" must be an array of two numbers, the range");
    ends = json_pack("{s:O, s:O}", "eps", json_array_get(range, 0), "to", json_array_get(range, 1));
    result = member_epsilon(q->eps, ends, "eps", r) != 0 || member_between(q->eps_to, ends, "to", 0, SHUF_MAX_EPSILON, r) != 0 ? -1 : 0;
    if (result == 0 && shuf_real_cmp(q->eps, q->eps_to) > 0)
        result = reader_fail(r, "\"eps\" is from %s to %s: a range with A <= B is allowed", member_shown(from, ends, "eps"),
                             member_shown(to, ends, "to"));
    json_decref(ends);
    return result;
}

static int read_order(shuf_question_t q, const json_t *object, const reader *r)
{
    const char *text = json_string_value(json_object_get(object, "order"));
    q->order_is_infinite = text != NULL && strcmp(text, "inf") == 0;
    return q->order_is_infinite ? 0 : member_between(q->order, object, "order", 1, (slong) SHUF_MAX_ORDER, r);
}

/* Which quantity, and that there is nothing but its point beside it. */
static int read_quantity(shuf_question_t q, json_t *ask, const reader *r)
{
    const char *names[SHUF_QUANTITIES];
    char list[NAMES_SIZE];
    int quantity;
    for (quantity = 0; quantity < SHUF_QUANTITIES; quantity++)
        names[quantity] = shuf_quantity_name((shuf_quantity) quantity);
    if (!json_is_object(ask))
        return reader_fail(r, "\"ask\" must be an object with a \"quantity\"");
    if (!reader_has(ask, "quantity"))
        return reader_fail(r, "\"quantity\" is missing");
    if (member_choice(&quantity, ask, "quantity", names, SHUF_QUANTITIES, r) != 0)
        return -1;
    q->quantity = (shuf_quantity) quantity;
    snprintf(list, sizeof(list), "quantity %s", vocabulary_quantity_about(q->quantity)->point);
    return reader_members(ask, list, r);
}

static int read_ask(shuf_question_t q, json_t *ask, const reader *r)
{
    if (read_quantity(q, ask, r) != 0)
        return -1;
    switch (q->quantity)
    {
    case SHUF_QUANTITY_DELTA:
        return member_epsilon(q->eps, ask, "eps", r);
    case SHUF_QUANTITY_EPSILON:
        return member_between(q->delta, ask, "delta", 0, 1, r);
    case SHUF_QUANTITY_RENYI:
        return read_order(q, ask, r);
    case SHUF_QUANTITY_TRADEOFF:
        return member_between(q->type1, ask, "type1", 0, 1, r);
    case SHUF_QUANTITY_GDP:
        return reader_has(ask, "eps") ? read_range(q, ask, r) : 0;
    case SHUF_QUANTITY_ZCDP:
        return 0;
    case SHUF_QUANTITY_USERS:
    case SHUF_QUANTITY_EPS0:
    case SHUF_QUANTITY_SCALE:
    case SHUF_QUANTITY_NOISE_MULTIPLIER:
    case SHUF_QUANTITY_EPOCHS:
    case SHUF_QUANTITY_ROUNDS:
    case SHUF_QUANTITY_COINS:
    case SHUF_QUANTITY_SENSITIVITY:
    case SHUF_QUANTITIES:
        break;
    }
    return member_epsilon(q->eps, ask, "eps", r) != 0 || member_between(q->delta, ask, "delta", 0, 1, r) != 0 ? -1 : 0;
}

static int read_claim(shuf_question_t q, json_t *claim, const reader *r)
{
    q->is_claim = 1;
    if (reader_has(claim, "mu"))
    {
        q->quantity = SHUF_QUANTITY_GDP;
        if (reader_members(claim, "mu eps", r) != 0 || member_between(q->mu, claim, "mu", 0, SHUF_GDP_MAX_MU, r) != 0 || read_range(q, claim, r) != 0)
            return -1;
        return shuf_real_sgn(q->mu) > 0 ? 0 : reader_fail(r, "\"mu\" is 0: more than 0 is allowed");
    }
    if (reader_has(claim, "rho"))
    {
        q->quantity = SHUF_QUANTITY_ZCDP;
        if (reader_members(claim, "rho", r) != 0 || member_real(q->renyi, claim, "rho", r) != 0)
            return -1;
        return shuf_real_sgn(q->renyi) >= 0 ? 0 : reader_fail(r, "\"rho\" is %.80s: at least 0 is allowed", q->renyi->text);
    }
    if (reader_has(claim, "order") || reader_has(claim, "renyi"))
    {
        q->quantity = SHUF_QUANTITY_RENYI;
        if (reader_members(claim, "order renyi", r) != 0 || member_between(q->order, claim, "order", 1, (slong) SHUF_MAX_ORDER, r) != 0
            || member_real(q->renyi, claim, "renyi", r) != 0)
            return -1;
        return shuf_real_sgn(q->renyi) >= 0 ? 0 : reader_fail(r, "\"renyi\" is %.80s: at least 0 is allowed", q->renyi->text);
    }
    if (!json_is_object(claim))
        return reader_fail(r, "\"claim\" must be an object with \"eps\" and \"delta\", or with \"order\" and \"renyi\"");
    q->quantity = SHUF_QUANTITY_EPSILON;
    if (reader_members(claim, "eps delta", r) != 0)
        return -1;
    return member_epsilon(q->eps, claim, "eps", r) != 0 || member_between(q->delta, claim, "delta", 0, 1, r) != 0 ? -1 : 0;
}

static int read_form(shuf_question_t q, json_t *form, const reader *r)
{
    const char *id = json_string_value(json_object_get(form, "theorem"));
    const shuf_theorem *theorem = id != NULL ? shuf_theorem_find(id) : NULL;
    const reader inside = reader_inside(r, "form", NO_PLACE);
    if (form == NULL)
        return 0;
    if (!json_is_object(form) || id == NULL)
        return reader_fail(r, "\"form\" must be an object with a \"theorem\"");
    if (theorem == NULL)
        return reader_fail(r, "\"theorem\" is \"%.60s\": not in the registry", id);
    q->form = theorem->id;
    if (vocabulary_check(form, OBJECT_FORM, &inside) != 0
        || (reader_has(form, "delta0") && member_between(q->form_delta0, form, "delta0", 0, 1, r) != 0)
        || (reader_has(form, "gamma") && member_between(q->form_gamma, form, "gamma", 0, 1, r) != 0))
        return -1;
    if (reader_has(form, "gamma") && (shuf_real_sgn(q->form_gamma) <= 0 || shuf_real_cmp_si(q->form_gamma, 1) >= 0))
        return reader_fail(r, "\"gamma\" is %.80s: more than 0 and less than 1 is allowed", q->form_gamma->text);
    return 0;
}

#define MOST_RUNS 1000000000 /* in the mean: steers only */
#define MOST_SHAPE 1000      /* beyond it they are nearly Poisson runs of which there is one: steers only */

/* The parts being known. */
static int read_selection(shuf_question_t q, json_t *object, const reader *r)
{
    json_t *selection = json_object_get(object, "selection");
    const reader inside = reader_inside(r, "selection", NO_PLACE);
    shuf_real_struct *number[] = { q->selection_mean, q->selection_shape };
    static const char *const name[] = { "mean", "shape" };
    char text[96];
    fmpq_t twice;
    int runs = 0, has_shape, is_within, i;
    if (selection == NULL)
        return 0;
    if (!json_is_object(selection))
        return reader_fail(r, "\"selection\" must be an object with a \"mean\"");
    if (vocabulary_check(selection, OBJECT_SELECTION, &inside) != 0 || member_choice(&runs, selection, "runs", question_runs, QUESTION_RUNS, &inside) != 0
        || member_between(q->selection_mean, selection, "mean", runs + SHUF_SELECTION_GEOMETRIC == SHUF_SELECTION_POISSON ? 0 : 1, MOST_RUNS, &inside) != 0)
        return -1;
    q->selection = (shuf_selection) (runs + SHUF_SELECTION_GEOMETRIC);
    has_shape = q->selection == SHUF_SELECTION_NEGATIVE_BINOMIAL;
    if (has_shape != reader_has(selection, "shape"))
        return reader_fail(&inside, "\"shape\" goes with \"runs\": \"negative-binomial\", which needs it");
    if (has_shape && member_real(q->selection_shape, selection, "shape", &inside) != 0)
        return -1;
    for (i = 0; i <= has_shape; i++)
        if (number[i]->is_log)
            return reader_fail(&inside, "\"%s\" is %s: a rational number is allowed, not a logarithm", name[i], member_shown(text, selection, name[i]));
    fmpq_init(twice);
    fmpq_mul_2exp(twice, q->selection_shape->q, 1);
    is_within = fmpq_cmp_si(twice, -1) >= 0 && fmpq_cmp_si(twice, 2 * MOST_SHAPE) <= 0;
    fmpq_clear(twice);
    if (!is_within)
        return reader_fail(&inside, "\"shape\" is %s: between -1/2 and %d is allowed", member_shown(text, selection, "shape"), MOST_SHAPE);
    if (shuf_real_sgn(q->selection_mean) == 0)
        return reader_fail(&inside, "\"mean\" is %s: more than 0 is allowed", member_shown(text, selection, "mean"));
    if (q->quantity > SHUF_QUANTITY_EPSILON || q->form != NULL || shuf_question_is_of_pair(q))
        return reader_fail(r, "\"selection\" goes with a \"mechanism\" or \"rounds\" of them, with the quantities delta and epsilon, and with claims about them");
    return 0;
}

/* ---- how ---- */

/* The digits of pairs: of one round, and of what goes through laws of the loss. */
static const slong one_round_digits[SHUF_QUANTITIES] = {
    [SHUF_QUANTITY_DELTA] = 12, [SHUF_QUANTITY_EPSILON] = 12, [SHUF_QUANTITY_RENYI] = 12, [SHUF_QUANTITY_TRADEOFF] = 8,
    [SHUF_QUANTITY_GDP] = 5, [SHUF_QUANTITY_ZCDP] = 3, [SHUF_QUANTITY_USERS] = 12, [SHUF_QUANTITY_EPS0] = 12, [SHUF_QUANTITY_SCALE] = 3,
    [SHUF_QUANTITY_NOISE_MULTIPLIER] = 4, [SHUF_QUANTITY_EPOCHS] = 4, [SHUF_QUANTITY_ROUNDS] = 4, [SHUF_QUANTITY_COINS] = 4,
    [SHUF_QUANTITY_SENSITIVITY] = 4
};
static const slong law_digits[SHUF_QUANTITIES] = {
    [SHUF_QUANTITY_DELTA] = 6, [SHUF_QUANTITY_EPSILON] = 6, [SHUF_QUANTITY_RENYI] = 12, [SHUF_QUANTITY_TRADEOFF] = 3,
    [SHUF_QUANTITY_GDP] = 3, [SHUF_QUANTITY_ZCDP] = 3, [SHUF_QUANTITY_USERS] = 4, [SHUF_QUANTITY_EPS0] = 4, [SHUF_QUANTITY_SCALE] = 3,
    [SHUF_QUANTITY_NOISE_MULTIPLIER] = 4, [SHUF_QUANTITY_EPOCHS] = 4, [SHUF_QUANTITY_ROUNDS] = 4, [SHUF_QUANTITY_COINS] = 4,
    [SHUF_QUANTITY_SENSITIVITY] = 4
};
/* Of a mechanism, a bound is better than many digits of another; of the moments of samples, what their profiles give. Steer only. */
#define MECHANISM_DIGITS 6
#define CLAIM_DIGITS 5
#define DESCRIBED_EPSILON_DIGITS 4 /* each value is a convolution, an eps takes several */
#define SHUFFLED_MU_DIGITS 3 /* and a mu some hundred; its two bounds are apart by more */
#define GAUSSIAN_DIGITS 6
#define SEARCH_DIGITS 3 /* of a parameter of a described mechanism, or of noisy SGD */
#define ALLOCATION_DIGITS 3 /* of releases that a record is in at random: sums in doubles have about four */
#define GROUPS_RENYI_DIGITS 4 /* six take five times as long */
#define CLASSES_DIGITS 4 /* of rounds of a Renyi divergence: the classes around it are apart by more, and each is as dear as a local delta0 */
#define MANY_USERS 100000 /* steers only: of krr-weak with more, so many digits take milliseconds, however many users (shuffle/pair_sum.h) */
#define MANY_USERS_DIGITS 7
#define FAST_DIGITS 9 /* what doubles have of a sum, and what a conversion leaves of them */
#define FAST_CONVERTED_DIGITS 6

/* Those of normal reports, of some mechanisms and searches, and of claims; else 0. */
static slong special_digits(const shuf_question_t q, int one)
{
    const shuf_part_struct *p = &q->parts[0];
    if (p->subject == SHUF_SUBJECT_PAIR && shuf_pair_has_engine(p->pair, SHUF_ENGINE_GAUSSIAN))
        return GAUSSIAN_DIGITS;
    if (p->subject == SHUF_SUBJECT_RANDOMISER && q->quantity == SHUF_QUANTITY_EPSILON && one)
        return DESCRIBED_EPSILON_DIGITS;
    if (q->quantity == SHUF_QUANTITY_GDP && !shuf_question_is_of_pair(q) && !shuf_question_is_central(q) && !q->is_claim)
        return SHUFFLED_MU_DIGITS;
    if (noise_part_is_allocated(p) && q->quantity <= SHUF_QUANTITY_RENYI)
        return ALLOCATION_DIGITS;
    if (p->subject == SHUF_SUBJECT_GROUPS && q->quantity == SHUF_QUANTITY_RENYI && !q->order_is_infinite)
        return GROUPS_RENYI_DIGITS;
    if (renyi_part_has(p) && !one)
        return CLASSES_DIGITS;
    if (q->is_claim)
        return CLAIM_DIGITS;
    if (p->subject == SHUF_SUBJECT_RANDOMISER && q->quantity >= SHUF_QUANTITY_EPS0)
        return SEARCH_DIGITS;
    if (q->quantity >= SHUF_QUANTITY_NOISE_MULTIPLIER || (q->quantity == SHUF_QUANTITY_SCALE && p->subject == SHUF_SUBJECT_NOISE))
        return SEARCH_DIGITS;
    return 0;
}

static slong default_digits(const shuf_question_t q)
{
    const shuf_part_struct *p = &q->parts[0];
    const int one = q->count == 1 && p->rounds == 1 && !shuf_part_is_sampled(p) && q->via == SHUF_VIA_ANY;
    slong special;
    if (q->form != NULL)
        return one_round_digits[SHUF_QUANTITY_DELTA];
    if ((special = special_digits(q, one)) > 0)
        return special;
    if ((!shuf_question_is_of_pair(q) && q->quantity <= SHUF_QUANTITY_RENYI)
        || (shuf_part_is_sampled(p) && ((q->quantity == SHUF_QUANTITY_RENYI && !q->order_is_infinite) || q->via == SHUF_VIA_RENYI)))
        return MECHANISM_DIGITS;
    if (q->via == SHUF_VIA_RENYI || q->via == SHUF_VIA_STRONG_COMPOSITION)
        return one_round_digits[q->quantity];
    if (one && q->quantity <= SHUF_QUANTITY_EPSILON && p->pair->kind == SHUF_PAIR_KRR_WEAK && p->pair->n > MANY_USERS)
        return MANY_USERS_DIGITS;
    return one ? one_round_digits[q->quantity] : law_digits[q->quantity];
}

static int read_effort(shuf_question_t q, const json_t *object, const reader *r)
{
    const char *text = json_string_value(json_object_get(object, "effort"));
    uint64_t units;
    q->max_work = SHUF_EFFORT_NORMAL;
    if (!reader_has(object, "effort") || (text != NULL && strcmp(text, "normal") == 0))
        return 0;
    if (text != NULL && strcmp(text, "high") == 0)
    {
        q->max_work = SHUF_EFFORT_HIGH;
        return 0;
    }
    if (reader_count(&units, object, "effort", SHUF_EFFORT_LEAST, SHUF_EFFORT_MOST, r) != 0)
        return reader_fail(r, "\"effort\" is \"%.40s\": normal, high, or a number of units from 1e6 to 1e15 is allowed", text != NULL ? text : "no text");
    q->max_work = (double) units;
    return 0;
}

static int read_clock(shuf_question_t q, const json_t *object, const reader *r)
{
    if (!reader_has(object, "max_seconds"))
        return 0;
    if (member_between(q->max_seconds, object, "max_seconds", 0, 1000000000, r) != 0)
        return -1;
    return shuf_real_sgn(q->max_seconds) > 0 ? 0 : reader_fail(r, "\"max_seconds\" is 0: more than 0 is allowed");
}

static int read_how(shuf_question_t q, const json_t *object, const reader *r)
{
    int direction = SHUF_DIRECTION_BOTH, via = 0;
    uint64_t digits;
    const json_t *fast = json_object_get(object, "fast");
    if (member_choice(&direction, object, "direction", question_directions, 3, r) != 0
        || member_choice(&via, object, "via", question_vias + 1, 3, r) != 0
        || read_effort(q, object, r) != 0 || read_clock(q, object, r) != 0)
        return -1;
    if (fast != NULL && !json_is_boolean(fast))
        return reader_fail(r, "\"fast\" must be true or false");
    q->direction = (shuf_direction) direction;
    q->via = reader_has(object, "via") ? (shuf_via) (via + 1) : SHUF_VIA_ANY;
    q->fast = json_is_true(fast);
    q->digits = default_digits(q);
    if (reader_has(object, "digits"))
    {
        if (member_count(&digits, object, "digits", 1, SHUF_MAX_DIGITS, r) != 0)
            return -1;
        q->digits = (slong) digits;
    }
    if (q->fast)
        q->digits = FLINT_MIN(q->digits, q->via == SHUF_VIA_RENYI || shuf_part_is_sampled(&q->parts[0]) ? FAST_CONVERTED_DIGITS : FAST_DIGITS);
    return 0;
}

int question_read(shuf_question_t q, json_t *object, reader *r)
{
    char **const text[] = { &q->id, &q->source, &q->quote, &q->note };
    const char *asked;
    reader inside;
    size_t i;
    if (!json_is_object(object))
        return reader_fail(r, "a question must be a JSON object");
    for (i = 0; i < 4; i++)
        if (reader_text(text[i], object, question_texts[i], r) != 0)
            return -1;
    if (q->id[0] != '\0')
        snprintf(r->prefix, sizeof(r->prefix), "\"%.60s\": ", q->id);
    if (vocabulary_check(object, OBJECT_QUESTION, r) != 0)
        return -1;
    if (reader_has(object, "ask") == reader_has(object, "claim"))
        return reader_fail(r, "either \"ask\" or \"claim\" is needed");
    asked = reader_has(object, "ask") ? "ask" : "claim";
    inside = reader_inside(r, asked, NO_PLACE);
    if ((asked[0] == 'a' ? read_ask : read_claim)(q, json_object_get(object, asked), &inside) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_GDP && !q->is_claim && !reader_has(object, "form")
        && !reader_has(json_object_get(object, "ask"), "eps"))
        return reader_fail(r, "\"eps\" is missing: an array of two numbers, the range");
    return read_form(q, json_object_get(object, "form"), r) != 0 || parts_read(q, object, r) != 0 || read_selection(q, object, r) != 0
           || read_how(q, object, r) != 0 ? -1 : 0;
}

int shuf_question_parse(shuf_question_t q, const char *text, size_t length, char *error, size_t size)
{
    reader r = { error, size, "", "" };
    json_t *root = reader_parse(text, length, &r);
    int result;
    if (root == NULL)
        return -1;
    result = question_read(q, root, &r);
    json_decref(root);
    return result;
}

const shuf_real_struct *question_claimed(const shuf_question_struct *q)
{
    return q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP ? q->renyi : q->quantity == SHUF_QUANTITY_GDP ? q->mu : q->eps;
}
