/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/memory.h"
#include "exact/escape.h"
#include "report/buffer.h"
#include "report/markup.h"
#include "report/words.h"
#include "theorem/theorem.h"

/* Layout. */
#define COLUMNS 100 /* of a table */
#define SENTENCE_COLUMNS 80
#define VERDICT 11   /* width of the first column */
#define NUMBER 13    /* of a number, and its digits */
#define DIGITS 5
#define MIN_ID 20
#define MIN_CLAIM 12
#define MAX_CLAIM 30

static const char cut_short[] = "cut short by the clock or an interrupt: another run may differ";

/* Takes the text and frees it. */
static void put(FILE *out, char *text)
{
    put_text(out, text);
    free(text);
}

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *result = memory_claim(size);
    if (result == NULL)
        memory_fail();
    return memcpy(result, text, size);
}

/* Columns that the text takes, escaped: characters of UTF-8. */
static int columns_of(const char *text)
{
    char one[ESCAPE_SIZE];
    size_t length;
    int columns = 0;
    while ((length = escape_next(one, &text)) > 0)
        columns += one[0] == '\\' ? (int) length : 1;
    return columns;
}

/* A text, which it frees, in lines of the width that is left; only a word that is longer than a line exceeds it. */
static void put_wrapped(FILE *out, char *text, int first, int indent, int most)
{
    const char *s = text, *next;
    char one[ESCAPE_SIZE];
    int column = first, begin = first;
    fprintf(out, "%*s", first, "");
    while (*s != '\0')
    {
        char word[4096];
        size_t length = strcspn(s, " ");
        int columns;
        if (length >= sizeof(word))
            length = sizeof(word) - 1;
        memcpy(word, s, length);
        word[length] = '\0';
        columns = columns_of(word);
        if (column > begin && column + 1 + columns > most)
        {
            fprintf(out, "\n%*s", indent, "");
            column = begin = indent;
        }
        else if (column > begin)
        {
            fputc(' ', out);
            column++;
        }
        for (next = word; escape_next(one, &next) > 0;)
            fputs(one, out);
        column += columns;
        s += length;
        s += *s == ' ';
    }
    fputc('\n', out);
    free(text);
}

/* ---- one bound ---- */

static void put_ledger(FILE *out, const json_t *ledger)
{
    static const struct { const char *key, *name; } parts[] = {
        { "truncation", "truncation      " }, { "discretisation", "discretisation  " }, { "aliasing", "aliasing        " },
        { "rounding", "rounding        " }
    };
    const json_t *step = json_object_get(ledger, "step");
    size_t i;
    if (ledger == NULL)
        return;
    fputs("  ledger (upper bounds on each part of the width)\n", out);
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
    {
        const char *text = json_string_value(json_object_get(ledger, parts[i].key));
        if (text != NULL)
            fprintf(out, "    %s%s\n", parts[i].name, text);
    }
    if (step != NULL)
        fprintf(out, "    grid step       %.6g\n", json_number_value(step));
    fprintf(out, "    terms %lld, precision %lld bits, work %.4g\n", (long long) json_integer_value(json_object_get(ledger, "terms")),
            (long long) json_integer_value(json_object_get(ledger, "precision")), json_number_value(json_object_get(ledger, "work")));
}

static void put_theorem(FILE *out, const json_t *theorem)
{
    const char *id = words_member(theorem, "id"), *status = words_member(theorem, "status");
    const shuf_theorem *t = shuf_theorem_find(id);
    int proved = strcmp(status, "proved") == 0;
    fputs("  theorem ", out);
    put_text(out, id);
    fprintf(out, " (%s", proved ? "proved" : "does not certify");
    fprintf(out, t != NULL ? ", %s)\n" : "%s)\n", t == NULL ? "" : t->side == SHUF_SIDE_NONE ? "no bound of privacy" : shuf_side_name(t->side));
    if (t == NULL)
        return;
    fprintf(out, "    %s\n    validity: %s\n    source: %s\n    proof: %s\n    checked: %s%s%s\n", t->statement, t->validity, t->source, t->proof,
            shuf_checked_name(t->checked), t->checked_in != NULL ? ", " : "", t->checked_in != NULL ? t->checked_in : "");
}

static void put_theorems(FILE *out, const json_t *bound)
{
    const json_t *theorems = json_object_get(bound, "theorems");
    size_t i;
    for (i = 0; i < json_array_size(theorems); i++)
        put_theorem(out, json_array_get(theorems, i));
}

static void put_line(FILE *out, const char *before, const char *text)
{
    if (text[0] == '\0')
        return;
    fputs(before, out);
    put_text(out, text);
    fputc('\n', out);
}

/* What the number is called. */
static const char *name_of(const char *quantity)
{
    return strcmp(quantity, "tradeoff") == 0 ? "type II error" : strcmp(quantity, "gdp") == 0 ? "mu" : strcmp(quantity, "zcdp") == 0 ? "rho"
           : strcmp(quantity, "renyi") == 0  ? "Renyi divergence" : quantity;
}

static void put_interval(FILE *out, const char *quantity, const json_t *bound, size_t digits)
{
    put_text(out, name_of(quantity));
    if (words_is_infinite(bound))
    {
        fprintf(out, " is infinite: %s\n", strcmp(quantity, "epsilon") == 0 ? "outcomes that one law never has are more likely than delta"
                                                                            : "the largest privacy loss is infinite");
        return;
    }
    putc(' ', out);
    put(out, words_interval(bound, digits));
    putc('\n', out);
}

/* Further numbers of a bound. */
static void put_at(FILE *out, const json_t *at)
{
    const char *key, *round_eps = json_string_value(json_object_get(at, "round_eps"));
    json_t *value;
    if (round_eps != NULL)
        fprintf(out, "  each round is (%s, %s)-DP\n", round_eps, words_member(at, "round_delta"));
    json_object_foreach((json_t *) at, key, value)
    {
        if (strcmp(key, "round_eps") == 0 || strcmp(key, "round_delta") == 0)
            continue;
        fputs("  ", out);
        put_text(out, key);
        fputs(strcmp(key, "witness") == 0 ? " eps = " : " ", out);
        put(out, words_value(value));
        fputc('\n', out);
    }
}

static void put_data(FILE *out, const char *before, const json_t *bound)
{
    char *data = words_data(bound);
    put_line(out, before, data);
    free(data);
}

static void put_notes(FILE *out, const json_t *bound)
{
    const json_t *notes = json_object_get(bound, "notes");
    size_t i;
    for (i = 0; i < json_array_size(notes); i++)
    {
        const char *note = json_string_value(json_array_get(notes, i));
        put_line(out, "  ", note != NULL ? note : "");
    }
}

static void put_bound(FILE *out, const char *quantity, const json_t *bound)
{
    const json_t *delta = json_object_get(bound, "delta");
    const char *status = words_status(bound);
    put_interval(out, quantity, bound, 0);
    if (strcmp(status, "proved") != 0 && strcmp(status, "conditional") != 0)
        fprintf(out, "  not a bound: %s is %s\n", words_theorem_of(bound, status), status);
    put_line(out, "  ", words_member(bound, "guarantee"));
    if (json_is_false(json_object_get(bound, "accuracy_reached")))
        fputs("  accuracy not reached, the interval is valid\n", out);
    if (delta != NULL)
    {
        fprintf(out, "  at %s, ", words_is_infinite(bound) ? "every eps" : strcmp(quantity, "gdp") == 0 ? "the witness" : "the claimed eps");
        put_interval(out, "delta", delta, 0);
    }
    put_at(out, json_object_get(bound, "at"));
    put_notes(out, bound);
    put_data(out, "  data: ", bound);
    put_theorems(out, bound);
    put_ledger(out, json_object_get(bound, "ledger"));
}

/* The bounds that say something; the others by name. */
static void put_tried(FILE *out, const char *quantity, const json_t *tried)
{
    size_t i, silent = 0;
    for (i = 0; i < json_array_size(tried); i++)
    {
        const json_t *bound = json_array_get(tried, i);
        if (words_says_nothing(bound, quantity))
            silent++;
        else
            put_bound(out, quantity, bound);
    }
    for (i = 0; i < json_array_size(tried) && silent > 0; i++)
    {
        const json_t *bound = json_array_get(tried, i);
        if (!words_says_nothing(bound, quantity))
            continue;
        fputs("no information from ", out);
        put(out, words_theorems(bound));
        fputc('\n', out);
    }
}

/* ---- the answer, in sentences ---- */

typedef struct
{
    FILE *out;
    size_t digits;
    const char *claimed; /* the number is shown on its side of it; or NULL */
    int columns;
} page;

/* "epsilon <= 0.0343   guaranteed (krr-weak: proved, checked by Coq)" */
static void put_sentence(const page *p, const char *name, const char *relation, const json_t *bound, const char *end, const char *worth)
{
    char *value = words_end_beside(bound, end, strcmp(name, "users") == 0 ? 0 : p->digits, p->claimed), *theorems = words_theorems(bound);
    report_buffer b;
    report_buffer_open(&b);
    fprintf(b.out, "%s %s %s   %s (%s: %s)", name, relation, value, worth, theorems, words_proof(bound));
    put_wrapped(p->out, report_buffer_close(&b), 0, 4, p->columns);
    free(value);
    free(theorems);
}

/* Of what calibration has: the most or the least that is certified. NULL of other quantities. */
static const char *calibrated_end(const char *quantity)
{
    static const struct { const char *quantity, *end; } all[] = {
        { "users", "hi" }, { "eps0", "lo" }, { "scale", "hi" }, { "noise_multiplier", "hi" }, { "epochs", "lo" },
        { "rounds", "lo" }, { "coins", "hi" }, { "sensitivity", "lo" }
    };
    size_t i;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(quantity, all[i].quantity) == 0)
            return all[i].end;
    return NULL;
}

/* What holds the number, and then what shows it; each may be missing. A large type II error is privacy. */
static void put_sides(const page *p, const char *quantity, const json_t *upper, const json_t *lower)
{
    const int reversed = strcmp(quantity, "tradeoff") == 0;
    const json_t *guarantee = reversed ? lower : upper, *witness = reversed ? upper : lower;
    const char *name = name_of(quantity);
    char *data = words_data(witness);
    if (words_is_infinite(witness))
        fprintf(p->out, "%s is infinite: %s\n", name, json_object_get(witness, "delta") != NULL ? "there are outcomes that only one of the data sets can have"
                                                                                                : "likelihood ratios have no bound");
    else if (guarantee != NULL)
        put_sentence(p, name, reversed ? ">=" : "<=", guarantee, reversed ? "lo" : "hi",
                     words_says_nothing(guarantee, quantity) ? "which is no guarantee" : "guaranteed");
    if (witness != NULL && !words_is_infinite(witness))
        put_sentence(p, name, reversed ? "<=" : ">=", witness, reversed ? "hi" : "lo",
                     data[0] != '\0' ? "shown by the data below" : reversed ? "reached by a test"
                     : strcmp(words_member(witness, "side"), "exact") == 0 ? "reached in the worst case" : "reached by a mechanism of the class");
    if (data[0] != '\0')
        put_wrapped(p->out, data, 2, 2, p->columns);
    else
        free(data);
}

/* One enclosure: of a pair's number, of a calibrated one, or of one that is no bound of privacy. */
static void put_value(const page *p, const json_t *answer)
{
    FILE *out = p->out;
    const json_t *value = json_object_get(answer, "value");
    const char *quantity = words_member(answer, "quantity"), *side = words_member(value, "side"), *status = words_status(value);
    const int is_exact = strcmp(side, "exact") == 0, is_proved = strcmp(status, "proved") == 0, is_infinite = words_is_infinite(value);
    const char *end = json_object_get(answer, "question") != NULL ? calibrated_end(quantity) : NULL;
    if (is_proved && end != NULL)
    {
        put_sentence(p, quantity, strcmp(end, "lo") == 0 ? "up to" : "from", value, end, "guaranteed");
    }
    else if (is_proved && !is_infinite && strcmp(side, "none") != 0 && words_is_privacy(quantity))
    {
        put_sides(p, quantity, is_exact || strcmp(side, "upper") == 0 ? value : NULL, is_exact || strcmp(side, "lower") == 0 ? value : NULL);
        if (!is_exact)
        {
            fputs("  the bound itself: ", out);
            put_interval(out, quantity, value, p->digits);
        }
    }
    else
    {
        put_interval(out, quantity, value, p->digits);
        if (!is_proved)
            fprintf(out, "  no guarantee: %s is %s\n", words_theorem_of(value, status), status);
        else if (words_member(value, "guarantee")[0] == '\0')
            fputs("  no guarantee for a mechanism\n", out);
        put_line(out, "  ", words_member(value, "guarantee"));
        fputs("  (", out);
        put(out, words_theorems(value));
        fprintf(out, ": %s)\n", words_proof(value));
    }
    if (end == NULL)
        put_notes(out, value);
}

/* What the guarantee rests on, besides the theorems. */
static void put_assumptions(FILE *out, const json_t *answer, int columns)
{
    char *text = words_assumptions(json_object_get(answer, "question"));
    const char *more = words_member(answer, "assumed");
    if (text[0] != '\0')
        fputs("assuming\n", out);
    if (text[0] != '\0')
        put_wrapped(out, text, 2, 2, columns);
    else
        free(text);
    if (more[0] != '\0')
        put_wrapped(out, copy(more), 2, 2, columns);
}

static void put_error(FILE *out, const json_t *answer)
{
    const json_t *line = json_object_get(answer, "line");
    fputs("error", out);
    if (line != NULL)
        fprintf(out, " in line %lld", (long long) json_integer_value(line));
    put_line(out, ": ", words_member(answer, "error"));
}

static void put_in_full(FILE *out, const json_t *answer)
{
    const json_t *value = json_object_get(answer, "value");
    fputs("in full\n", out);
    if (value != NULL)
        put_bound(out, words_member(answer, "quantity"), value);
    else
        put_tried(out, words_member(answer, "quantity"), json_object_get(answer, "tried"));
}

static void put_answer(FILE *out, const json_t *answer, size_t digits, int columns)
{
    const json_t *question = json_object_get(answer, "question"), *value = json_object_get(answer, "value"),
                 *upper = json_object_get(answer, "upper"), *lower = json_object_get(answer, "lower");
    const char *quantity = words_member(answer, "quantity");
    const page p = { out, digits, words_claimed(question), columns };
    if (json_object_get(answer, "error") != NULL)
    {
        put_error(out, answer);
        return;
    }
    if (words_member(answer, "verdict")[0] != '\0')
    {
        put(out, words_verdict(answer));
        fputs(": the claim ", out);
        put(out, words_claim(question));
        if (words_member(answer, "id")[0] != '\0')
            put_line(out, " of ", words_member(answer, "id"));
        else
            fputc('\n', out);
    }
    put_line(out, "  ", words_member(answer, "reason"));
    if (value != NULL)
    {
        put_value(&p, answer);
    }
    else
    {
        if (upper == NULL && lower == NULL)
            fprintf(out, "%s: no bound was found\n", name_of(quantity));
        put_sides(&p, quantity, upper, lower);
        put_notes(out, upper != NULL ? upper : lower);
    }
    if (json_is_false(json_object_get(answer, "accuracy_reached")))
        fprintf(out, "  not all digits were reached; the ends hold%s\n",
                strcmp(words_member(json_object_get(answer, "question"), "effort"), "high") == 0 ? "" : " (--effort high may reach them)");
    if (json_is_false(json_object_get(answer, "complete")))
        fprintf(out, "  %s\n", cut_short);
    put_assumptions(out, answer, columns);
}

void text_answer(FILE *out, const json_t *answer, size_t digits, int explain)
{
    put_answer(out, answer, digits, SENTENCE_COLUMNS);
    if (explain && json_object_get(answer, "error") == NULL)
        put_in_full(out, answer);
}

void text_sentences(FILE *out, const json_t *answer)
{
    put_answer(out, answer, TEXT_DIGITS, INT_MAX);
}

void text_number(FILE *out, const json_t *answer, size_t digits)
{
    const json_t *value = json_object_get(answer, "value");
    const char *quantity = words_member(answer, "quantity"), *verdict = words_member(answer, "verdict"), *side = words_member(value, "side");
    const int reversed = strcmp(quantity, "tradeoff") == 0;
    const json_t *bound = value != NULL ? value : json_object_get(answer, reversed ? "lower" : "upper");
    const char *end = reversed ? "lo" : "hi";
    if (json_object_get(answer, "error") != NULL)
    {
        put_error(out, answer);
        return;
    }
    if (value != NULL && json_object_get(answer, "question") != NULL && calibrated_end(quantity) != NULL)
        end = calibrated_end(quantity);
    else if (value != NULL && strcmp(side, reversed ? "upper" : "lower") == 0)
        end = reversed ? "hi" : "lo";
    if (verdict[0] != '\0')
        put(out, words_verdict(answer));
    else if (words_is_infinite(bound) || words_is_infinite(json_object_get(answer, reversed ? "upper" : "lower")))
        fputs("infinite", out);
    else if (json_string_value(json_object_get(bound, end)) == NULL || strcmp(words_status(bound), "proved") != 0)
        fputs("none", out);
    else
        put(out, words_end(bound, end, strcmp(quantity, "users") == 0 ? 0 : digits));
    fputc('\n', out);
}

/* ---- the table ---- */

static int clamp(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* In a column of that width; a text that is too long is followed by a line break and blanks up to the next column. */
static void put_field(FILE *out, char *text, int width, int next)
{
    int columns = columns_of(text);
    put(out, text);
    if (columns < width)
        fprintf(out, "%*s", width - columns, "");
    else
        fprintf(out, "\n%*s", next, "");
}

void text_table_begin(text_table *table, FILE *out, const json_t *questions)
{
    int id = 0, claim = 0, most;
    size_t i;
    for (i = 0; i < json_array_size(questions); i++)
    {
        const json_t *question = json_array_get(questions, i);
        char *text = words_claim(question);
        int columns = columns_of(words_member(question, "id")) + 1;
        if (columns > id)
            id = columns;
        columns = columns_of(text) + 1;
        if (columns <= MAX_CLAIM && columns > claim)
            claim = columns;
        free(text);
    }
    table->claim = questions == NULL ? 23 : clamp(claim, MIN_CLAIM, MAX_CLAIM);
    most = COLUMNS - VERDICT - table->claim - 2 * NUMBER;
    table->id = questions == NULL ? most : clamp(id, MIN_ID, most);
    fprintf(out, "%-*s%-*s%-*s%*s%*s\n", VERDICT, "VERDICT", table->id, "CLAIM", table->claim, "CLAIMED", NUMBER, "CERTIFIED AT", NUMBER,
            "REFUTED TO");
}

/* "clones: epsilon <= 0.118, delta <= 7.6e-7" */
static void put_bound_words(FILE *out, const json_t *answer, const json_t *bound, const char *end)
{
    const json_t *delta = json_object_get(bound, "delta"), *question = json_object_get(answer, "question");
    const char *sign = strcmp(end, "hi") == 0 ? "<=" : ">=", *quantity = words_member(answer, "quantity");
    char *theorems = words_theorems(bound), *value = words_end_beside(bound, end, DIGITS, words_claimed(question));
    int known = json_is_string(json_object_get(bound, end));
    fprintf(out, "%s:", theorems);
    if (words_is_infinite(bound))
        fprintf(out, " %s is infinite", quantity);
    else if (known)
        fprintf(out, " %s %s %s", quantity, sign, value);
    free(value);
    if (json_is_string(json_object_get(delta, end)))
    {
        value = words_end_beside(delta, end, 4, json_string_value(json_object_get(json_object_get(question, "claim"), "delta")));
        fprintf(out, "%s delta %s%s %s", known || words_is_infinite(bound) ? "," : "",
                words_is_infinite(bound) ? "at every eps " : strcmp(quantity, "gdp") == 0 ? "at a witness " : "", sign, value);
        free(value);
    }
    free(theorems);
}

/* Why the verdict is what it is: what decides, or what is known. */
static char *reason_of(const json_t *answer)
{
    const char *verdict = words_member(answer, "verdict"), *separator = "";
    const char *end = strcmp(verdict, "refuted") == 0 ? "lo" : "hi";
    const json_t *tried = json_object_get(answer, "tried"), *upper = json_object_get(answer, "upper"),
                 *lower = json_object_get(answer, "lower");
    report_buffer b;
    FILE *out;
    char *data;
    size_t i;
    report_buffer_open(&b);
    out = b.out;
    if (json_object_get(answer, "error") != NULL)
        fputs(words_member(answer, "error"), out);
    for (i = 0; i < json_array_size(tried) && strcmp(verdict, "undecided") != 0; i++)
    {
        const json_t *bound = json_array_get(tried, i);
        if (!json_is_true(json_object_get(bound, "decides")))
            continue;
        fputs(separator, out);
        put_bound_words(out, answer, bound, end);
        separator = "; ";
    }
    if (strcmp(verdict, "refuted") == 0)
    {
        data = words_data(lower);
        fprintf(out, data[0] != '\0' ? "; data: %s" : "%s", data);
        free(data);
    }
    if (words_member(answer, "reason")[0] != '\0')
    {
        fprintf(out, "%s%s", separator, words_member(answer, "reason"));
        separator = "; ";
    }
    if (strcmp(verdict, "undecided") == 0)
    {
        for (i = 0; i < 2; i++)
        {
            if ((i == 0 ? lower : upper) == NULL)
                continue;
            fputs(separator, out);
            put_bound_words(out, answer, i == 0 ? lower : upper, i == 0 ? "lo" : "hi");
            separator = "; ";
        }
    }
    if (json_is_false(json_object_get(answer, "complete")))
        fprintf(out, "%s%s", separator, cut_short);
    return report_buffer_close(&b);
}

static char *end_or_dash(const json_t *answer, const char *side, const char *end)
{
    const json_t *bound = json_object_get(answer, side), *question = json_object_get(answer, "question");
    return words_is_infinite(bound) || json_is_string(json_object_get(bound, end)) ? words_end_beside(bound, end, DIGITS, words_claimed(question))
                                                                                  : copy("-");
}

void text_table_row(const text_table *table, FILE *out, const json_t *answer, int explain)
{
    const json_t *question = json_object_get(answer, "question");
    const int second = VERDICT + table->id, third = second + table->claim;
    const char *id = words_member(answer, "id"), *name = id[0] != '\0' ? id : words_member(question, "id");
    char line[32] = "";
    char *upper = end_or_dash(answer, "upper", "hi"), *lower = end_or_dash(answer, "lower", "lo");
    char *verdict = json_object_get(answer, "error") != NULL ? copy("ERROR") : words_verdict(answer), *reason = reason_of(answer);
    if (json_is_integer(json_object_get(answer, "line")))
        snprintf(line, sizeof(line), "line %lld", (long long) json_integer_value(json_object_get(answer, "line")));
    put_field(out, verdict, VERDICT, VERDICT);
    put_field(out, copy(name[0] != '\0' ? name : line), table->id, second);
    put_field(out, words_claim(question), table->claim, third);
    fprintf(out, "%*s%*s\n", NUMBER, upper, NUMBER, lower);
    if (reason[0] != '\0')
        put_wrapped(out, reason, VERDICT, VERDICT, COLUMNS);
    else
        free(reason);
    if (explain && words_member(question, "source")[0] != '\0')
        put_wrapped(out, copy(words_member(question, "source")), VERDICT, VERDICT, COLUMNS);
    if (explain && question != NULL)
    {
        put_assumptions(out, answer, SENTENCE_COLUMNS);
        put_in_full(out, answer);
    }
    free(upper);
    free(lower);
}

void text_table_end(FILE *out)
{
    fputs("CERTIFIED AT: the smallest eps that is certified at the claimed delta. REFUTED TO: every smaller eps is refuted at\n"
          "that delta. For (order A, E)-RDP both are about the Renyi divergence at order A; for M-GDP, about mu.\n", out);
}
