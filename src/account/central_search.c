/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The noise multiplier, the scale or sensitivity of noise, or the number of epochs or releases, for which (eps, delta) is certified. */
#include <stdio.h>
#include <string.h>

#include "account/answer_json.h"
#include "account/evaluate.h"
#include "account/noise_part.h"

/* Digits in which a delta is compared with the one that is asked for: first, and where that leaves it open. */
static const slong compare_digits[] = { 2, 4, 0 };

/* Of what is left, what one look may take. Steers only. */
#define LOOK_SHARE 0.2

/* Bits of a scale that is tried; scales below and above these powers of 2, of the sensitivity, are not tried, nor sensitivities, of the scale. Steer only. */
#define NOISE_BITS 24
#define LEAST_MULTIPLIER (-10)
#define MOST_MULTIPLIER 19
#define MOST_SCALE 30

typedef struct
{
    shuf_question_struct question; /* that of delta; it has one part of its own, which shares all but the noise with that of */
    const shuf_question_struct *asked;
    shuf_part_struct part;
    shuf_answer_bound *b;          /* of the last look */
    double limit;
} search_struct;

/* Whether (eps, delta) is certified with the part as it is. */
static int is_certified(search_struct *s)
{
    shuf_options o;
    task_list t;
    int i, sign = 0;
    tasks_init(&t, &s->question, 0);
    for (i = 0; compare_digits[i] > 0 && sign == 0 && !shuf_exhausted(s->limit); i++)
    {
        answer_bound_clear(s->b);
        answer_bound_init(s->b);
        o.digits = compare_digits[i];
        shuf_share(&o, s->limit, LOOK_SHARE);
        if (task_evaluate(s->b, &t.item[0], &s->question, &o) != 0)
            break;
        if (shuf_real_cmp_arf(s->asked->delta, s->b->value->hi) >= 0)
            sign = -1;
        else if (shuf_real_cmp_arf(s->asked->delta, s->b->value->lo) < 0)
            sign = 1;
    }
    tasks_clear(&t);
    return sign < 0 && (s->b->side == SHUF_SIDE_UPPER || s->b->side == SHUF_SIDE_EXACT);
}

/* Whether it is the sensitivity that is searched for: less of it is better. */
static int is_of_sensitivity(const search_struct *s)
{
    return s->asked->quantity == SHUF_QUANTITY_SENSITIVITY;
}

static int sensitivity_is_certified(search_struct *s, const fmpq_t sensitivity)
{
    noise_part_set_sensitivity(s->part.noise, sensitivity);
    return noise_part_is_possible(&s->part) && is_certified(s);
}

/* ---- epochs, releases, and sensitivities of whole numbers ---- */

static int count_is_certified(search_struct *s, uint64_t count)
{
    fmpq_t whole;
    int result;
    if (!is_of_sensitivity(s))
    {
        s->part.rounds = count;
        return is_certified(s);
    }
    fmpq_init(whole);
    fmpz_set_ui(fmpq_numref(whole), count);
    result = sensitivity_is_certified(s, whole);
    fmpq_clear(whole);
    return result;
}

/* r := [the most that are certified, the next]. Returns 0 if there are none. */
static int search_counts(shuf_enclosure_t r, search_struct *s)
{
    const uint64_t most = is_of_sensitivity(s) ? noise_part_most_sensitivity(s->part.noise) : SHUF_MAX_ROUNDS / s->part.batch->steps;
    uint64_t low = 0, high = 1;
    while (high <= most && count_is_certified(s, high))
    {
        low = high;
        high *= 2;
    }
    high = FLINT_MIN(high, most + 1);
    while (high - low > 1)
    {
        uint64_t middle = low + (high - low) / 2;
        if (count_is_certified(s, middle))
            low = middle;
        else
            high = middle;
    }
    shuf_enclosure_zero(r);
    arf_set_ui(r->lo, low);
    arf_set_ui(r->hi, high);
    mag_one(r->ledger.discretisation);
    /* the answer is the lower end, exactly */
    r->status = shuf_exhausted(s->limit) ? SHUF_ACCURACY : SHUF_OK;
    return low > 0;
}

/* ---- coins ---- */

static int coins_are_certified(search_struct *s, uint64_t coins)
{
    noise_part_set_coins(&s->part, coins);
    return is_certified(s);
}

/*
 * r := [so many that are not certified, or 0, so many that are]: one more coin is something done to the release, so that more are never worse.
 * Returns 0 if none are.
 */
static int search_coins(shuf_enclosure_t r, search_struct *s, slong digits)
{
    uint64_t low = 0, high = 1;
    int found;
    while (!(found = coins_are_certified(s, high)) && high < SHUF_MAX_USERS / 2 && !shuf_exhausted(s->limit))
    {
        low = high;
        high *= 2;
    }
    shuf_enclosure_zero(r);
    arf_set_ui(r->lo, low);
    arf_set_ui(r->hi, high);
    while (found && high - low > 1 && !shuf_enclosure_accurate(r, digits) && !shuf_exhausted(s->limit))
    {
        const uint64_t middle = low + (high - low) / 2;
        if (coins_are_certified(s, middle))
            high = middle;
        else
            low = middle;
        arf_set_ui(r->lo, low);
        arf_set_ui(r->hi, high);
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->status = shuf_exhausted(s->limit) ? SHUF_ACCURACY : SHUF_OK;
    return found;
}

/* ---- noise ---- */

static int size_is_certified(search_struct *s, const arf_t size)
{
    fmpq_t x;
    int result;
    fmpq_init(x);
    arf_get_fmpq(x, size);
    if (is_of_sensitivity(s))
    {
        result = sensitivity_is_certified(s, x);
    }
    else if (s->part.subject == SHUF_SUBJECT_BATCH)
    {
        fmpq_set(s->part.batch->noise, x);
        result = is_certified(s);
    }
    else
    {
        noise_part_set_scale(s->part.noise, x);
        result = noise_part_is_possible(&s->part) && is_certified(s);
    }
    fmpq_clear(x);
    return result;
}

/* About the logarithm of x to base 2. */
static slong about_log2(const fmpq_t x)
{
    return (slong) fmpz_bits(fmpq_numref(x)) - (slong) fmpz_bits(fmpq_denref(x));
}

/* The power of 2 at which the search starts. */
static slong first_size(const search_struct *s)
{
    const shuf_noise_struct *x = s->part.noise;
    slong result;
    fmpq_t scale;
    if (s->part.subject == SHUF_SUBJECT_BATCH)
        return 0;
    if (!is_of_sensitivity(s))
        return about_log2(x->sensitivity);
    if (shuf_noise_has_variance(x->kind))
        return about_log2(x->variance) / 2;
    fmpq_init(scale);
    fmpq_div(scale, x->sensitivity, x->loss->q);
    result = about_log2(scale);
    fmpq_clear(scale);
    return result;
}

/* r := one that is not certified and one that is, or the last that is tried for both. Returns 0 if none is. */
static int search_size(shuf_enclosure_t r, search_struct *s, slong digits)
{
    const int is_batch = s->part.subject == SHUF_SUBJECT_BATCH;
    const slong first = first_size(s), better = is_of_sensitivity(s) ? -1 : 1;
    const slong worst = is_batch ? -LEAST_MULTIPLIER : MOST_SCALE, best = is_batch ? MOST_MULTIPLIER : MOST_SCALE;
    arf_struct *good = is_of_sensitivity(s) ? r->lo : r->hi, *bad = is_of_sensitivity(s) ? r->hi : r->lo;
    slong steps = 0;
    arf_t middle;
    int found;
    arf_init(middle);
    arf_one(bad);
    arf_mul_2exp_si(bad, bad, first);
    arf_set(good, bad);
    found = size_is_certified(s, good);
    if (found)
    {
        do
            arf_mul_2exp_si(bad, bad, -better);
        while (++steps < worst && size_is_certified(s, bad) && (arf_set(good, bad), 1));
    }
    while (!found && steps++ < best && !shuf_exhausted(s->limit))
    {
        arf_set(bad, good);
        arf_mul_2exp_si(good, good, better);
        found = size_is_certified(s, good);
    }
    while (found && !shuf_enclosure_accurate(r, digits) && !shuf_exhausted(s->limit))
    {
        arf_mul(middle, r->lo, r->hi, NOISE_BITS, ARF_RND_NEAR);
        arf_sqrt(middle, middle, NOISE_BITS, ARF_RND_NEAR);
        if (arf_cmp(middle, r->lo) <= 0 || arf_cmp(middle, r->hi) >= 0)
            break;
        arf_set(size_is_certified(s, middle) ? good : bad, middle);
    }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->status = shuf_enclosure_accurate(r, digits) ? SHUF_OK : SHUF_ACCURACY;
    arf_clear(middle);
    return found;
}

/* What the answer says besides: of the number, and of the neighbours. */
#define UPPER "the upper end is certified, the lower end is not; "
#define LOWER "the lower end is certified, the upper end is not; "
#define RELEASE "neighbours change each release by at most its sensitivity"

static const char *note_of(int counts, const shuf_question_struct *q, int is_batch)
{
    static const char *const notes[2][2][2] = { { { UPPER SHUF_NOTE_REPLACED, LOWER SHUF_NOTE_REPLACED }, { UPPER SHUF_NOTE_REMOVED, LOWER SHUF_NOTE_REMOVED } },
                                                { { UPPER SHUF_NOTE_USER_REPLACED, LOWER SHUF_NOTE_USER_REPLACED },
                                                  { UPPER SHUF_NOTE_USER_REMOVED, LOWER SHUF_NOTE_USER_REMOVED } } };
    if (!is_batch)
        return counts ? LOWER RELEASE : UPPER RELEASE;
    return notes[question_has_records(q)][question_removes(q)][counts];
}

shuf_status central_search_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options)
{
    const int is_sensitivity = q->quantity == SHUF_QUANTITY_SENSITIVITY;
    const int counts = q->quantity == SHUF_QUANTITY_EPOCHS || q->quantity == SHUF_QUANTITY_ROUNDS || (is_sensitivity && shuf_noise_is_whole(q->parts[0].noise->kind));
    shuf_answer_bound last;
    search_struct s = { .question = *q, .asked = q, .part = q->parts[0], .b = &last, .limit = shuf_limit(options) };
    int found;
    answer_bound_init(&last);
    fmpq_init(s.part.batch->noise);
    fmpq_set(s.part.batch->noise, q->parts[0].batch->noise);
    shuf_noise_init(s.part.noise);
    shuf_noise_set(s.part.noise, q->parts[0].noise);
    shuf_pair_init(s.part.pair);
    shuf_pair_set(s.part.pair, q->parts[0].pair);
    s.question.parts = &s.part;
    s.question.quantity = SHUF_QUANTITY_DELTA;
    found = counts                                    ? search_counts(b->value, &s)
            : q->quantity == SHUF_QUANTITY_COINS ? search_coins(b->value, &s, options->digits)
                                                 : search_size(b->value, &s, options->digits);
    memcpy(b->theorem, last.theorem, sizeof(b->theorem));
    b->theorems = last.theorems;
    b->side = bound_certifies(b, SHUF_SIDE_UPPER) ? SHUF_SIDE_UPPER : SHUF_SIDE_NONE;
    b->note = note_of(counts || is_sensitivity, q, s.part.subject == SHUF_SUBJECT_BATCH);
    answer_bound_clear(&last);
    fmpq_clear(s.part.batch->noise);
    shuf_noise_clear(s.part.noise);
    shuf_pair_clear(s.part.pair);
    if (found)
        return SHUF_OK;
    snprintf(error, size, "no %s was found that is certified at (%.60s, %.60s)", shuf_quantity_name(q->quantity), q->eps->text, q->delta->text);
    return SHUF_ACCURACY;
}
