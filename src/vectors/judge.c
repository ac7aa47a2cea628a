/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "vectors/vectors.h"

#include <stdlib.h>
#include <string.h>

#include "enclosure/enclosure.h"

/* Digits of a ratio: layout. */
#define RATIO_DIGITS 6

const char *vectors_verdict_name(vectors_verdict v)
{
    static const char *const names[] = { "sound", "unsound", "undecided" };
    return names[v];
}

/* A bound as another library gives it. */
typedef struct
{
    enum { FINITE, PLUS_INFINITY, MINUS_INFINITY, NOT_A_NUMBER } kind;
    fmpq_t value;
} bound;

/* Whether text is one of the words, in letters of either case. */
static int is_word(const char *text, const char *const *words)
{
    size_t i;
    for (; *words != NULL; words++)
    {
        for (i = 0; text[i] != '\0' && (text[i] | 32) == (*words)[i]; i++)
            ;
        if (text[i] == '\0' && (*words)[i] == '\0')
            return 1;
    }
    return 0;
}

/* x->value is initialised. A JSON real is the double that it is read as. */
static int read_bound(bound *x, const json_t *value, const char *what, const reader *r)
{
    static const char *const infinities[] = { "inf", "infinity", NULL }, *const nan[] = { "nan", NULL };
    const char *text = json_string_value(value);
    shuf_real_t real;
    x->kind = FINITE;
    if (text != NULL)
    {
        const char *word = text + (text[0] == '-' || text[0] == '+');
        if (is_word(word, nan))
            x->kind = NOT_A_NUMBER;
        else if (is_word(word, infinities))
            x->kind = text[0] == '-' ? MINUS_INFINITY : PLUS_INFINITY;
        else
            return vectors_number(x->value, value, what, r);
        return 0;
    }
    if (json_is_integer(value))
    {
        fmpq_set_si(x->value, (slong) json_integer_value(value), 1);
        return 0;
    }
    if (!json_is_real(value))
        return reader_fail(r, "%s must be a number, or a string with one", what);
    shuf_real_init(real);
    shuf_real_set_d(real, json_real_value(value)); /* JSON has finite numbers only */
    fmpq_set(x->value, real->q);
    shuf_real_clear(real);
    return 0;
}

/* x := x + t |x| (up), or x - t |x| */
static void allow(bound *x, const fmpq_t tolerance, int up)
{
    fmpq_t slack;
    if (x->kind != FINITE)
        return;
    fmpq_init(slack);
    fmpq_abs(slack, x->value);
    fmpq_mul(slack, slack, tolerance);
    if (up)
        fmpq_add(x->value, x->value, slack);
    else
        fmpq_sub(x->value, x->value, slack);
    fmpq_clear(slack);
}

static vectors_verdict judge_bound(const bound *x, int upper, const vectors_interval_t truth)
{
    int above, below; /* certainly at least, and certainly less than, the value; or the other way round */
    switch (x->kind)
    {
    case NOT_A_NUMBER: return VECTORS_UNSOUND;
    case PLUS_INFINITY: return upper || truth->infinite ? VECTORS_SOUND : VECTORS_UNSOUND;
    case MINUS_INFINITY: return upper ? VECTORS_UNSOUND : VECTORS_SOUND;
    case FINITE: break;
    }
    if (truth->infinite)
        return upper ? VECTORS_UNSOUND : VECTORS_SOUND;
    above = upper ? fmpq_cmp(x->value, truth->hi) >= 0 : fmpq_cmp(x->value, truth->lo) <= 0;
    below = upper ? fmpq_cmp(x->value, truth->lo) < 0 : fmpq_cmp(x->value, truth->hi) > 0;
    return above ? VECTORS_SOUND : below ? VECTORS_UNSOUND : VECTORS_UNDECIDED;
}

/*
 * What the vector is about: a vector that is itself a bound on a mechanism says nothing of better bounds on the same
 * side, nor whether one from the other side holds. Where its side is exact, it is the number itself.
 */
static vectors_verdict judge_against(const bound *x, int upper, const json_t *test, const vectors_interval_t truth)
{
    vectors_verdict verdict = judge_bound(x, upper, truth);
    const char *of = vectors_bound(test), *side = json_string_value(json_object_get(json_object_get(test, "result"), "side"));
    if (side != NULL && strcmp(side, "exact") == 0)
        return verdict;
    if (of != NULL && x->kind == FINITE && verdict == ((strcmp(of, "upper") == 0) == upper ? VECTORS_UNSOUND : VECTORS_SOUND))
        return VECTORS_UNDECIDED;
    return verdict;
}

/* upper / hi rounded up, or lower / lo rounded down; NULL unless both are positive. */
static char *ratio_text(const bound *x, int upper, const vectors_interval_t truth)
{
    const fmpq *end = upper ? truth->hi : truth->lo;
    fmpq_t ratio;
    arb_t ball;
    arf_t rounded;
    char *text;
    if (x->kind != FINITE || truth->infinite || fmpq_sgn(end) <= 0 || fmpq_sgn(x->value) <= 0)
        return NULL;
    fmpq_init(ratio); arb_init(ball); arf_init(rounded);
    fmpq_div(ratio, x->value, end);
    arb_set_fmpq(ball, ratio, 128);
    if (upper)
        arb_get_ubound_arf(rounded, ball, 128);
    else
        arb_get_lbound_arf(rounded, ball, 128);
    text = shuf_decimal(rounded, RATIO_DIGITS, upper);
    fmpq_clear(ratio); arb_clear(ball); arf_clear(rounded);
    return text;
}

/* Judges one side of an answer, if it is there, against the test (NULL: there is none). */
static int judge_side(vectors_report *report, const json_t *answer, const json_t *test, int upper, const vectors_interval_t truth,
                      const fmpq_t tolerance, const reader *r)
{
    const char *side = upper ? "upper" : "lower";
    const json_t *value = json_object_get(answer, side);
    vectors_judgement *item = &report->items[report->count];
    bound x;
    int status;
    if (value == NULL)
        return 0;
    fmpq_init(x.value);
    status = read_bound(&x, value, side, r);
    if (status == 0 && test != NULL)
    {
        item->id = vectors_id(answer);
        item->test = test;
        item->answer = value;
        item->upper = upper;
        item->ratio = ratio_text(&x, upper, truth);
        allow(&x, tolerance, upper);
        item->verdict = judge_against(&x, upper, test, truth);
        report->verdicts[item->verdict]++;
        report->count++;
    }
    fmpq_clear(x.value);
    return status;
}

static int judge_answer(vectors_report *report, json_t *answer, const json_t *test, const fmpq_t tolerance, const reader *file_reader)
{
    static const char names[] = "tcId upper lower refused";
    const int bounds = reader_has(answer, "upper") || reader_has(answer, "lower");
    reader r = vectors_about(file_reader, answer);
    vectors_interval_t truth;
    int status = 0;
    if (reader_members(answer, names, &r) != 0)
        return -1;
    if (bounds == reader_has(answer, "refused") || (!bounds && !json_is_string(json_object_get(answer, "refused"))))
        return reader_fail(&r, "an answer has \"upper\" or \"lower\" or both, or a \"refused\" with the reason");
    if (!bounds)
    {
        report->refused += test != NULL;
        return 0;
    }
    vectors_interval_init(truth);
    if (test != NULL)
        status = vectors_result_sound(truth, json_object_get(test, "result"), &r);
    if (status == 0)
        status = judge_side(report, answer, test, 1, truth, tolerance, &r);
    if (status == 0)
        status = judge_side(report, answer, test, 0, truth, tolerance, &r);
    vectors_interval_clear(truth);
    return status;
}

static int compare_ids(const void *x, const void *y)
{
    const json_int_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

/* Every answer is an object with a tcId of its own. */
static int check_ids(const json_t *answers, const reader *r)
{
    size_t count = json_array_size(answers), i;
    json_int_t *ids = flint_malloc((count + 1) * sizeof(*ids));
    int status = 0;
    for (i = 0; i < count && status == 0; i++)
    {
        const json_t *answer = json_array_get(answers, i);
        if (!json_is_object(answer) || !json_is_integer(json_object_get(answer, "tcId")))
            status = reader_fail(r, "an answer must be an object with a \"tcId\"");
        ids[i] = vectors_id(answer);
    }
    if (status == 0)
        qsort(ids, count, sizeof(*ids), compare_ids);
    for (i = 1; i < count && status == 0; i++)
        if (ids[i] == ids[i - 1])
            status = reader_fail(r, "tcId %lld is answered twice", (long long) ids[i]);
    flint_free(ids);
    return status;
}

/* Whether the text can be shown in a line. */
static int is_line(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char) *text < 32 || *text == 127)
            return 0;
    return 1;
}

static int judge_all(vectors_report *report, const fmpq_t tolerance, const vectors_file *files, size_t count, const reader *r)
{
    static const char names[] = "schema library version answers";
    json_t *answers = json_object_get(report->root, "answers"), *answer;
    size_t i, total = 0;
    if (!json_is_object(report->root))
        return reader_fail(r, "a file of answers is a JSON object");
    if (reader_members(report->root, names, r) != 0)
        return -1;
    report->library = json_string_value(json_object_get(report->root, "library"));
    report->version = json_string_value(json_object_get(report->root, "version"));
    if (report->library == NULL || report->version == NULL || !json_is_array(answers))
        return reader_fail(r, "a file of answers has \"library\" and \"version\", strings, and the array \"answers\"");
    if (!is_line(report->library) || !is_line(report->version))
        return reader_fail(r, "\"library\" and \"version\" must not have control characters");
    if (check_ids(answers, r) != 0)
        return -1;
    report->items = flint_calloc(2 * json_array_size(answers) + 1, sizeof(*report->items));
    json_array_foreach(answers, i, answer)
    {
        const json_t *test = vectors_find_test(files, count, vectors_id(answer));
        if (judge_answer(report, answer, test, tolerance, r) != 0)
            return -1;
        report->unknown += test == NULL;
    }
    for (i = 0; i < count; i++)
        total += files[i].count;
    report->unanswered = total - (json_array_size(answers) - report->unknown);
    return 0;
}

/* The word that Python and C print and JSON has not, outside of strings; or NULL. */
static const char *foreign_word(const char *text, size_t length)
{
    static const char *const words[] = { "NaN", "Infinity", "nan", "inf", NULL };
    int in_string = 0;
    size_t i, j;
    for (i = 0; i < length; i++)
    {
        if (text[i] == '"')
            in_string = !in_string;
        i += in_string && text[i] == '\\'; /* the next character means itself */
        for (j = 0; !in_string && words[j] != NULL; j++)
            if (length - i >= strlen(words[j]) && memcmp(text + i, words[j], strlen(words[j])) == 0)
                return words[j];
    }
    return NULL;
}

static int read_tolerance(fmpq_t out, const char *text, const reader *r)
{
    json_t *value;
    int status = 0;
    if (text == NULL)
        return 0;
    value = json_string(text);
    status = vectors_number(out, value, "the tolerance", r);
    json_decref(value);
    if (status == 0 && (fmpq_sgn(out) < 0 || fmpz_cmp(fmpq_numref(out), fmpq_denref(out)) >= 0))
        status = reader_fail(r, "the tolerance is %.60s: from 0 to less than 1 is allowed", text);
    return status;
}

int vectors_judge(vectors_report *report, const char *text, size_t length, const char *tolerance, const vectors_file *files,
                  size_t count, const reader *r)
{
    fmpq_t t;
    int status;
    memset(report, 0, sizeof(*report));
    report->tolerance = tolerance;
    fmpq_init(t);
    status = read_tolerance(t, tolerance, r);
    if (status == 0 && (report->root = reader_parse(text, length, r)) == NULL)
    {
        const char *word = foreign_word(text, length);
        status = word != NULL ? reader_fail(r, "%s is no JSON: write \"nan\" or \"inf\", a string", word) : -1;
    }
    if (status == 0)
        status = judge_all(report, t, files, count, r);
    fmpq_clear(t);
    if (status != 0)
        vectors_report_clear(report);
    return status;
}

void vectors_report_clear(vectors_report *report)
{
    size_t i;
    for (i = 0; i < report->count; i++)
        flint_free(report->items[i].ratio);
    flint_free(report->items);
    json_decref(report->root);
    memset(report, 0, sizeof(*report));
}

static json_t *item_json(const vectors_judgement *item)
{
    static const char *const copied[] = { "infinite", "lo", "hi", "lo_hex", "hi_hex", "theorem", NULL };
    const json_t *result = json_object_get(item->test, "result");
    json_t *object = json_object();
    size_t i;
    json_object_set_new(object, "tcId", json_integer(item->id));
    json_object_set_new(object, "side", json_string(item->upper ? "upper" : "lower"));
    json_object_set_new(object, "answer", json_deep_copy(item->answer));
    json_object_set_new(object, "verdict", json_string(vectors_verdict_name(item->verdict)));
    json_object_set_new(object, "ratio", item->ratio != NULL ? json_string(item->ratio) : json_null());
    for (i = 0; copied[i] != NULL; i++)
        if (reader_has(result, copied[i]))
            json_object_set(object, copied[i], json_object_get(result, copied[i]));
    return object;
}

json_t *vectors_report_json(const vectors_report *report)
{
    json_t *root = json_object(), *items = json_array(), *summary = json_object();
    size_t i;
    for (i = 0; i < report->count; i++)
        json_array_append_new(items, item_json(&report->items[i]));
    for (i = 0; i < 3; i++)
        json_object_set_new(summary, vectors_verdict_name((vectors_verdict) i), json_integer((json_int_t) report->verdicts[i]));
    json_object_set_new(summary, "refused", json_integer((json_int_t) report->refused));
    json_object_set_new(summary, "unanswered", json_integer((json_int_t) report->unanswered));
    json_object_set_new(summary, "unknown", json_integer((json_int_t) report->unknown));
    json_object_set_new(root, "library", json_string(report->library));
    json_object_set_new(root, "version", json_string(report->version));
    if (report->tolerance != NULL)
        json_object_set_new(root, "tolerance", json_string(report->tolerance));
    json_object_set_new(root, "judgements", items);
    json_object_set_new(root, "summary", summary);
    return root;
}
