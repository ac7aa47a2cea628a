/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/claims.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/buffer.h"
#include "report/curve.h"
#include "report/decimal.h"
#include "report/json.h"
#include "report/words.h"
#include "theorem/theorem.h"

/* Layout; the size of a buffer. */
#define DIGITS 6
#define CURVE_DIGITS 3
#define NAME_SIZE 32

/* As printf, to be freed with free. */
__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
    va_list args;
    report_buffer b;
    report_buffer_open(&b);
    va_start(args, format);
    vfprintf(b.out, format, args);
    va_end(args);
    return report_buffer_close(&b);
}

static char *copy(const char *text)
{
    return text_of("%s", text);
}

static const char *verdict_of(const json_t *answer)
{
    return json_object_get(answer, "error") != NULL ? "error" : words_member(answer, "verdict");
}

static const char *id_of(const json_t *answer)
{
    const char *id = words_member(answer, "id");
    id = id[0] != '\0' ? id : words_member(json_object_get(answer, "question"), "id");
    return id[0] != '\0' ? id : "(no id)";
}

/* One end, "-" where there is none. */
static char *end_or_dash(const json_t *bound, const char *end, size_t digits, const char *claimed)
{
    return words_is_infinite(bound) || json_is_string(json_object_get(bound, end)) ? words_end_beside(bound, end, digits, claimed) : copy("-");
}

/* ---- the summary ---- */

static void put_origin(const document *d, const claims_facts *f)
{
    const char *version = f->count > 0 ? words_member(f->items[0].answer, "version") : "";
    size_t i;
    document_facts(d);
    document_fact(d, "Command", copy(f->command));
    document_fact(d, "Program", text_of(version[0] != '\0' ? "shufbound %s" : "%s", version));
    document_fact(d, "Date", copy(f->date));
    for (i = 0; i < f->input_count; i++)
        document_fact(d, "Input", text_of("%s, SHA-256 %s", f->inputs[i].name, f->inputs[i].sha256));
    document_facts_end(d);
}

static void put_counts(const document *d, const claims_facts *f)
{
    static const char *const verdicts[] = { "certified", "refuted", "undecided", "error" };
    char text[160];
    int length = snprintf(text, sizeof(text), "%zu claim%s: ", f->count, f->count == 1 ? "" : "s");
    size_t i, j, found;
    for (j = 0; j < 4; j++)
    {
        for (found = i = 0; i < f->count; i++)
            found += strcmp(verdict_of(f->items[i].answer), verdicts[j]) == 0;
        if (j < 3 || found > 0)
            length += snprintf(text + length, sizeof(text) - (size_t) length, "%s%zu %s", j > 0 ? ", " : "", found, verdicts[j]);
    }
    document_paragraph(d, text);
}

static void put_summary(const document *d, const claims_facts *f)
{
    static const char *const heads[] = { "Claim", "Verdict", "Claimed", "Certified at", "Refuted to" };
    static const document_table table = { "All claims", 5, heads };
    size_t i;
    document_section(d, "summary", "", "Summary");
    put_counts(d, f);
    document_table_begin(d, &table);
    for (i = 0; i < f->count; i++)
    {
        const json_t *answer = f->items[i].answer, *question = json_object_get(answer, "question");
        const char *claimed = words_claimed(question);
        char link[NAME_SIZE];
        char *const cells[] = { copy(id_of(answer)), strcmp(verdict_of(answer), "error") == 0 ? copy("ERROR") : words_verdict(answer),
                                words_claim(question), end_or_dash(json_object_get(answer, "upper"), "hi", DIGITS, claimed),
                                end_or_dash(json_object_get(answer, "lower"), "lo", DIGITS, claimed) };
        snprintf(link, sizeof(link), "claim-%zu", i + 1);
        document_row(d, &table, cells, link, verdict_of(answer));
    }
    document_table_end(d);
    document_paragraph(d, "CERTIFIED: a proved theorem gives what is claimed. REFUTED: a concrete mechanism of the class on concrete neighbouring "
                          "data exceeds it. UNDECIDED: neither. Certified at: the smallest value certified (eps at the claimed delta; the Renyi "
                          "divergence at the claimed order). Refuted to: every smaller one is refuted. Every number is an end of an interval, "
                          "rounded outward.");
    document_section_end(d);
}

/* ---- one claim ---- */

/* The claim in words. */
static char *claimed_words(const json_t *question)
{
    const json_t *claim = json_object_get(question, "claim"), *range = json_object_get(claim, "eps");
    if (json_object_get(claim, "mu") != NULL)
        return text_of("For each eps from %s to %s, delta is at most that of two normal laws of variance 1 whose means differ by %s",
                       json_string_value(json_array_get(range, 0)), json_string_value(json_array_get(range, 1)), words_member(claim, "mu"));
    if (json_object_get(claim, "rho") != NULL)
        return text_of("For any two neighbouring data sets, the Renyi divergence of every order A above 1 is at most %s A", words_member(claim, "rho"));
    if (json_object_get(claim, "order") != NULL)
        return text_of("For any two neighbouring data sets, the Renyi divergence of order %s is at most %s", words_member(claim, "order"),
                       words_member(claim, "renyi"));
    return claim == NULL ? copy("")
                         : text_of("For any two neighbouring data sets and any set of outcomes, the probability under the one is at most e^eps "
                                   "times that under the other, plus delta, where eps = %s and delta = %s", words_member(claim, "eps"),
                                   words_member(claim, "delta"));
}

/* The theorems of a bound with what they are worth. */
static char *theorems_of(const json_t *bound)
{
    char *theorems = words_theorems(bound), *text = text_of("%s (%s)", theorems, words_proof(bound));
    free(theorems);
    return text;
}

/* "0.118, by clones-stronger (proved on paper)"; "" where there is no end */
static char *end_and_theorems(const json_t *bound, const char *end, const json_t *question)
{
    char *value = end_or_dash(bound, end, DIGITS, words_claimed(question)), *theorems = theorems_of(bound);
    char *text = strcmp(value, "-") == 0 ? copy("") : text_of("%s, by %s", value, theorems);
    free(value);
    free(theorems);
    return text;
}

/* Of the question as the answer repeats it, in the bytes of --json. */
static char *hash_of(const json_t *question)
{
    char hash[SHA256_SIZE], *text;
    report_buffer b;
    report_buffer_open(&b);
    json_line(b.out, question);
    text = report_buffer_close(&b);
    sha256_hex(hash, text, strlen(text) - 1); /* without the end of the line */
    free(text);
    return copy(hash);
}

static void put_rows(const document *d, const json_t *rows)
{
    size_t i, j;
    for (i = 0; i < json_array_size(rows); i++)
    {
        char name[NAME_SIZE];
        report_buffer b;
        report_buffer_open(&b);
        for (j = 0; j < json_array_size(json_array_get(rows, i)); j++)
        {
            char *value = words_value(json_array_get(json_array_get(rows, i), j));
            fprintf(b.out, "%s%s", j > 0 ? ", " : "", value);
            free(value);
        }
        snprintf(name, sizeof(name), "Row %zu", i + 1);
        document_fact(d, name, report_buffer_close(&b));
    }
}

static void put_facts(const document *d, const json_t *answer)
{
    const json_t *question = json_object_get(answer, "question"), *upper = json_object_get(answer, "upper"),
                 *lower = json_object_get(answer, "lower");
    const char *quantity = words_member(answer, "quantity");
    char name[80];
    document_facts(d);
    document_fact(d, "Error", copy(words_member(answer, "error")));
    document_fact(d, "Claimed", claimed_words(question));
    snprintf(name, sizeof(name), "Smallest %.40s certified", quantity);
    document_fact(d, name, end_and_theorems(upper, "hi", question));
    snprintf(name, sizeof(name), "Every %.40s refuted below", quantity);
    document_fact(d, name, end_and_theorems(lower, "lo", question));
    document_fact(d, "Data of the lower bound", words_data(lower));
    document_fact(d, "Because", copy(words_member(answer, "reason")));
    document_fact(d, "Assuming", words_assumptions(question));
    document_fact(d, "Source", copy(words_member(question, "source")));
    document_fact(d, "In its words", copy(words_member(question, "quote")));
    document_fact(d, "Note", copy(words_member(question, "note")));
    put_rows(d, json_object_get(json_object_get(question, "mechanism"), "rows"));
    document_fact(d, "Limit", words_limit(question));
    if (question != NULL)
        document_fact(d, "SHA-256 of the question", hash_of(question));
    document_facts_end(d);
}

static char *interval_words(const json_t *interval)
{
    char *words = words_interval(interval, DIGITS), *text = copy(interval == NULL ? "" : words + (strncmp(words, "in ", 3) == 0 ? 3 : 0));
    free(words);
    return text;
}

static char *remarks_of(const json_t *bound)
{
    const json_t *notes = json_object_get(bound, "notes");
    const char *key, *guarantee = words_member(bound, "guarantee");
    char *text;
    json_t *value;
    report_buffer b;
    size_t i;
    report_buffer_open(&b);
    fputs(strcmp(words_member(bound, "side"), "none") == 0 ? "no bound: a theorem here is not proved. " : "", b.out);
    fputs(json_is_true(json_object_get(bound, "decides")) ? "decides. " : "", b.out);
    fputs(json_is_false(json_object_get(bound, "accuracy_reached")) ? "accuracy not reached. " : "", b.out);
    json_object_foreach(json_object_get(bound, "at"), key, value)
    {
        text = words_value(value);
        fprintf(b.out, "%s %s. ", key, text);
        free(text);
    }
    fprintf(b.out, guarantee[0] != '\0' ? "%s. " : "%s", guarantee);
    for (i = 0; i < json_array_size(notes); i++)
        fprintf(b.out, "%s. ", json_string_value(json_array_get(notes, i)));
    text = words_data(bound);
    fputs(text, b.out);
    free(text);
    return report_buffer_close(&b);
}

/* The bounds that say something, and the names of the others. */
static void put_bounds(const document *d, const json_t *answer)
{
    const json_t *tried = json_object_get(answer, "tried");
    const char *quantity = words_member(answer, "quantity");
    const char *heads[] = { "Theorems", "Side", quantity, strcmp(quantity, "gdp") == 0 ? "delta at the witness" : "delta at the claimed eps", "Remarks" };
    const document_table table = { "Bounds that were tried", 5, heads };
    size_t i, rows = 0, silent = 0;
    report_buffer b;
    char *text;
    report_buffer_open(&b);
    fputs("Bounds that say nothing here:", b.out);
    for (i = 0; i < json_array_size(tried); i++)
    {
        const json_t *bound = json_array_get(tried, i);
        if (words_says_nothing(bound, quantity))
        {
            text = words_theorems(bound);
            fprintf(b.out, "%s %s", silent++ > 0 ? ";" : "", text);
            free(text);
            continue;
        }
        if (rows++ == 0)
            document_table_begin(d, &table);
        char *const cells[] = { theorems_of(bound), copy(words_member(bound, "side")),
                                words_is_infinite(bound) ? copy("infinite") : interval_words(bound),
                                interval_words(json_object_get(bound, "delta")), remarks_of(bound) };
        document_row(d, &table, cells, NULL, NULL);
    }
    if (rows > 0)
        document_table_end(d);
    text = report_buffer_close(&b);
    if (silent > 0)
        document_paragraph(d, text);
    free(text);
}

/* ---- the curve ---- */

static void put_plot(const document *d, const json_t *answer, const json_t *points, const char *const *x, int is_renyi, size_t number)
{
    const json_t *question = json_object_get(answer, "question"), *claim = json_object_get(question, "claim");
    char id[NAME_SIZE], title[64], *words = words_claim(question), *point = text_of("the claim %s", words);
    svg_series series[2];
    curve_line line[2];
    svg_plot plot = { id, title, is_renyi ? "order" : "epsilon", is_renyi ? "Renyi divergence" : "delta", is_renyi ? SVG_LOG : SVG_LINEAR,
                      is_renyi ? SVG_AUTO : SVG_LOG, -HUGE_VAL, 2, series, point, 0, 0 };
    size_t i;
    for (i = 0; i < 2; i++)
    {
        curve_line_set(&line[i], i == 0 ? "from above" : "from below", json_array_size(points), x, points, (int) i);
        series[i] = line[i].series;
    }
    plot.point_x = decimal_log10(words_member(claim, is_renyi ? "order" : "eps"));
    plot.point_y = decimal_log10(words_member(claim, is_renyi ? "renyi" : "delta"));
    if (!is_renyi && isfinite(plot.point_y))
        plot.y_least = 2 * plot.point_y - 2;
    snprintf(id, sizeof(id), "plot-%zu", number);
    snprintf(title, sizeof(title), "Claim %zu: %s against %s", number, plot.y_label, plot.x_label);
    fputs("<figure>", d->out);
    svg_draw(d->out, &plot, 0);
    fputs("</figure>\n", d->out);
    free(words);
    free(point);
    for (i = 0; i < 2; i++)
        curve_line_clear(&line[i]);
}

/* A picture in HTML, and the numbers. */
static void put_curve(const document *d, const claims_item *item, size_t number)
{
    const int is_renyi = json_object_get(json_object_get(json_object_get(item->answer, "question"), "claim"), "order") != NULL;
    const char *heads[] = { is_renyi ? "order" : "eps", is_renyi ? "divergence at most" : "delta at most", "at least" };
    const document_table table = { "The curve around the claim: its points have less work than the ends above, and may be weaker", 3, heads };
    const size_t count = json_array_size(item->points);
    const char **x = flint_calloc(count + 1, sizeof(*x));
    size_t i;
    for (i = 0; i < count; i++)
        x[i] = words_member(json_object_get(json_object_get(json_array_get(item->points, i), "question"), "ask"), heads[0]);
    if (d->format == DOCUMENT_HTML)
        put_plot(d, item->answer, item->points, x, is_renyi, number);
    document_table_begin(d, &table);
    for (i = 0; i < count; i++)
    {
        const json_t *point = json_array_get(item->points, i);
        char *const cells[] = { copy(x[i]), end_or_dash(json_object_get(point, "upper"), "hi", CURVE_DIGITS, NULL),
                                end_or_dash(json_object_get(point, "lower"), "lo", CURVE_DIGITS, NULL) };
        document_row(d, &table, cells, NULL, NULL);
    }
    document_table_end(d);
    flint_free(x);
}

/* ---- what is to be signed ---- */

/* What no computation can answer, by what it is about. */
static const struct { const char *member, *question; } open_questions[] = {
    { "", "Does what is deployed follow the description exactly, its source of random numbers included?" },
    { "eps0", "Is eps0 of the notion that is named above, and of the deployed randomiser?" },
    { "users", "Does the number of users count everybody whom the promise is about, each once, and nobody made up?" },
    { "users", "Does the observer see the reports only after they were shuffled together, without name, address or time?" },
    { "sample", "Does nobody learn whom a round samples, and is the sample drawn anew for each round?" },
    { "selection", "Is what says how good a run is a part of what the run may release, and is nothing seen of the other runs, nor how many there were?" },
    { "rounds", "Are these all the rounds that the same users take part in, and all that is released about their data?" },
    { "sampler", "Does the data loader draw its batches in this way, and does nobody learn which records they hold?" }
};

/* Whether the object or something in it has the member. */
static int mentions(const json_t *value, const char *member)
{
    const char *key;
    json_t *inner;
    size_t i;
    if (json_object_get(value, member) != NULL)
        return 1;
    json_object_foreach((json_t *) value, key, inner)
        if (mentions(inner, member))
            return 1;
    json_array_foreach(value, i, inner)
        if (mentions(inner, member))
            return 1;
    return 0;
}

static void put_checks(const document *d, const json_t *answer)
{
    const json_t *question = json_object_get(answer, "question");
    json_t *assumed = words_assumed(question);
    size_t i;
    document_heading(d, "To be confirmed and signed");
    document_paragraph(d, "What is assumed, and questions that no computation can answer. Tick what holds of the deployment.");
    document_checks(d);
    for (i = 0; i < json_array_size(assumed); i++)
        document_check(d, json_string_value(json_array_get(assumed, i)));
    for (i = 0; i < sizeof(open_questions) / sizeof(open_questions[0]); i++)
        if (open_questions[i].member[0] == '\0' || mentions(question, open_questions[i].member))
            document_check(d, open_questions[i].question);
    document_checks_end(d);
    json_decref(assumed);
}

static void put_claim(const document *d, const claims_item *item, size_t number)
{
    char id[NAME_SIZE];
    snprintf(id, sizeof(id), "claim-%zu", number);
    document_section(d, id, verdict_of(item->answer), id_of(item->answer));
    if (json_is_false(json_object_get(item->answer, "complete")))
        document_warning(d, "cut short by the clock, another run may differ");
    put_facts(d, item->answer);
    if (json_object_get(item->answer, "question") != NULL)
    {
        if (json_array_size(item->points) > 1)
            put_curve(d, item, number);
        put_bounds(d, item->answer);
        put_checks(d, item->answer);
    }
    document_section_end(d);
}

/* ---- the theorems ---- */

static void put_theorem(const document *d, const char *id)
{
    const shuf_theorem *t = shuf_theorem_find(id);
    if (t == NULL)
        return;
    document_heading(d, id);
    document_facts(d);
    document_fact(d, "Statement", copy(t->statement));
    document_fact(d, "Conditions", copy(t->validity));
    document_fact(d, "Source", copy(t->source));
    document_fact(d, "Proof", copy(t->proof));
    document_fact(d, "Status", text_of("%s; checked: %s%s%s", shuf_theorem_status_name(t->status), shuf_checked_name(t->checked),
                                       t->checked_in != NULL ? ", " : "", t->checked_in != NULL ? t->checked_in : ""));
    document_facts_end(d);
}

/* Those of the bounds that say something, once each, in the order of the claims. */
static void put_theorems(const document *d, const claims_facts *f)
{
    json_t *told = json_object(), *theorem, *bound;
    size_t i, j, k;
    document_section(d, "theorems", "", "Theorems that the bounds rest on");
    for (i = 0; i < f->count; i++)
    {
        json_array_foreach(json_object_get(f->items[i].answer, "tried"), j, bound)
        {
            if (words_says_nothing(bound, words_member(f->items[i].answer, "quantity")))
                continue;
            json_array_foreach(json_object_get(bound, "theorems"), k, theorem)
            {
                const char *id = words_member(theorem, "id");
                if (json_object_get(told, id) == NULL)
                    put_theorem(d, id);
                json_object_set_new(told, id, json_true());
            }
        }
    }
    document_section_end(d);
    json_decref(told);
}

void claims_report(FILE *out, document_format format, const claims_facts *facts)
{
    const document d = { out, format };
    const size_t count = facts->input_count;
    char *title = count == 0   ? copy("Audit of privacy claims")
                  : count == 1 ? text_of("Audit of the privacy claims in %s", facts->inputs[0].name)
                               : text_of("Audit of the privacy claims in %s and %zu more", facts->inputs[0].name, count - 1);
    size_t i;
    document_begin(&d, title);
    free(title);
    put_origin(&d, facts);
    if (facts->incomplete[0] != '\0')
        document_warning(&d, facts->incomplete);
    put_summary(&d, facts);
    for (i = 0; i < facts->count; i++)
        put_claim(&d, &facts->items[i], i + 1);
    put_theorems(&d, facts);
    document_end(&d);
}
