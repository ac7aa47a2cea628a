/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/buffer.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/words.h"
#include "theorem/theorem.h"

#define DIGITS 6
#define NAME_SIZE 24

/* Takes the text and frees it. */
static void put(FILE *out, char *text)
{
    put_html(out, text);
    free(text);
}

static const char page_style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1c1c;--soft:#555;--line:#c8c8c8;--link:#1a4fa0;--yes:#17692b;--no:#a01818;"
    "--open:#7a5600}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#161616;--ink:#e4e4e4;--soft:#b0b0b0;--line:#4a4a4a;--link:#8ab4ff;"
    "--yes:#7fd694;--no:#ff8f80;--open:#e6c060}}\n"
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:0 auto;padding:1rem;background:var(--paper);color:var(--ink);"
    "overflow-wrap:anywhere}\n"
    "a{color:var(--link)}h1,h2{line-height:1.2}section{border-top:1px solid var(--line);margin-top:2rem}\n"
    "blockquote{color:var(--soft);margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line)}\n"
    ".scroll{overflow-x:auto;overflow-wrap:break-word}.scroll table{min-width:42rem}table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;color:var(--soft)}\n"
    "td,th{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}th small{font-weight:normal}.n{white-space:nowrap}\n"
    "dt{font-weight:bold}dd{margin:0 0 .4rem 1rem}figure{margin:1rem 0}figure .plot{display:block;width:100%;max-width:36rem;color:inherit}\n"
    ".certified{color:var(--yes)}.refuted{color:var(--no)}.undecided,.error{color:var(--open)}code{font-size:.9em}\n"
    "@media (min-width:40rem){dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dd{margin:0}}\n"
    "@media print{body{max-width:none}section{break-before:auto}figure,tr{break-inside:avoid}a{color:inherit}.scroll{overflow:visible;overflow-wrap:anywhere}.scroll table{min-width:0}}\n";

/* ---- parts ---- */

static const char *verdict_of(const json_t *answer)
{
    return json_object_get(answer, "error") != NULL ? "error" : words_member(answer, "verdict");
}

static const char *id_of(const json_t *answer)
{
    const char *id = words_member(answer, "id");
    return id[0] != '\0' ? id : words_member(json_object_get(answer, "question"), "id");
}

static void put_verdict(FILE *out, const json_t *answer)
{
    const char *verdict = verdict_of(answer);
    fprintf(out, "<span class=\"%s\">", verdict);
    if (strcmp(verdict, "error") == 0)
        fputs("ERROR", out);
    else
        put(out, words_verdict(answer));
    fputs("</span>", out);
}

/* A line of a list of facts; takes the text, and writes nothing for "". */
static void put_fact(FILE *out, const char *name, char *text)
{
    if (text[0] != '\0')
    {
        fprintf(out, "<dt>%s</dt><dd>", name);
        put_html(out, text);
        fputs("</dd>\n", out);
    }
    free(text);
}

static void put_paragraph(FILE *out, const char *before, const char *text, const char *after)
{
    if (text[0] == '\0')
        return;
    fputs(before, out);
    put_html(out, text);
    fputs(after, out);
}

/* ---- the summary ---- */

static void put_inputs(FILE *out, const html_input *inputs, size_t count, const char *version)
{
    size_t i;
    fputs("<dl>\n", out);
    if (version[0] != '\0')
    {
        fputs("<dt>Program</dt><dd>shufbound ", out);
        put_html(out, version);
        fputs("</dd>\n", out);
    }
    for (i = 0; i < count; i++)
    {
        fputs("<dt>Input</dt><dd>", out);
        put_html(out, inputs[i].name);
        fprintf(out, "<br>SHA-256 <code>%s</code></dd>\n", inputs[i].sha256);
    }
    fputs("</dl>\n", out);
}

static void put_end_cell(FILE *out, const json_t *answer, const char *side, const char *end)
{
    const json_t *bound = json_object_get(answer, side);
    fputs("<td class=\"n\">", out);
    if (words_is_infinite(bound) || json_is_string(json_object_get(bound, end)))
        put(out, words_end_beside(bound, end, DIGITS, words_claimed(json_object_get(answer, "question"))));
    else
        fputs("<span aria-label=\"none\">-</span>", out);
    fputs("</td>", out);
}

static void put_counts(FILE *out, const html_claim *claims, size_t count)
{
    static const char *const verdicts[] = { "certified", "refuted", "undecided", "error" };
    const char *separator = "";
    size_t i, j, found;
    fprintf(out, "<p>%zu claim%s: ", count, count == 1 ? "" : "s");
    for (j = 0; j < 4; j++)
    {
        for (found = i = 0; i < count; i++)
            found += strcmp(verdict_of(claims[i].answer), verdicts[j]) == 0;
        if (j < 3 || found > 0)
            fprintf(out, "%s<span class=\"%s\">%zu %s</span>", separator, verdicts[j], found, verdicts[j]);
        separator = ", ";
    }
    fputs(".</p>\n", out);
}

static void put_summary(FILE *out, const html_claim *claims, size_t count)
{
    size_t i;
    put_counts(out, claims, count);
    fputs("<p>Certified at: the smallest value certified (eps at the claimed delta; the Renyi divergence at the claimed order). "
          "Refuted to: every smaller one is refuted.</p>\n"
          "<div class=\"scroll\" role=\"region\" aria-label=\"All claims\" tabindex=\"0\"><table><caption>All claims</caption>\n<thead><tr><th scope=\"col\">Verdict</th><th scope=\"col\">Claim</th><th scope=\"col\">Claimed</th>"
          "<th scope=\"col\">Certified at</th><th scope=\"col\">Refuted to</th></tr></thead>\n<tbody>\n", out);
    for (i = 0; i < count; i++)
    {
        const json_t *answer = claims[i].answer;
        fputs("<tr><td>", out);
        put_verdict(out, answer);
        fprintf(out, "</td><th scope=\"row\"><a href=\"#claim-%zu\">", i + 1);
        put_html(out, id_of(answer)[0] != '\0' ? id_of(answer) : "(no id)");
        fputs("</a></th><td>", out);
        put(out, words_claim(json_object_get(answer, "question")));
        fputs("</td>", out);
        put_end_cell(out, answer, "upper", "hi");
        put_end_cell(out, answer, "lower", "lo");
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* ---- one claim ---- */

/* "0.118, by clones-stronger" */
static char *end_and_theorems(const json_t *bound, const char *end, const json_t *question)
{
    char *value, *theorems;
    report_buffer b;
    report_buffer_open(&b);
    if (words_is_infinite(bound) || json_is_string(json_object_get(bound, end)))
    {
        value = words_end_beside(bound, end, DIGITS, words_claimed(question));
        theorems = words_theorems(bound);
        fprintf(b.out, "%s, by %s", value, theorems);
        free(value);
        free(theorems);
    }
    return report_buffer_close(&b);
}

static void put_parts(FILE *out, const json_t *rounds)
{
    size_t i;
    if (!json_is_array(rounds))
        return;
    fputs("<dt>Rounds</dt><dd><ol>\n", out);
    for (i = 0; i < json_array_size(rounds); i++)
    {
        const json_t *part = json_array_get(rounds, i);
        char *subject = words_subject(part), *setting = words_setting(part);
        fputs("<li>", out);
        put_html(out, subject);
        fputs(subject[0] != '\0' && setting[0] != '\0' ? "; " : "", out);
        put_html(out, setting);
        fputs("</li>\n", out);
        free(subject);
        free(setting);
    }
    fputs("</ol></dd>\n", out);
}

static void put_matrix(FILE *out, const json_t *rows)
{
    size_t i, j;
    if (!json_is_array(rows))
        return;
    fputs("<details><summary>The matrix</summary><div class=\"scroll\" role=\"region\" aria-label=\"The matrix\" tabindex=\"0\"><table>\n", out);
    for (i = 0; i < json_array_size(rows); i++)
    {
        fputs("<tr>", out);
        for (j = 0; j < json_array_size(json_array_get(rows, i)); j++)
        {
            fputs("<td>", out);
            put(out, words_value(json_array_get(json_array_get(rows, i), j)));
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div></details>\n", out);
}

static void put_facts(FILE *out, const json_t *answer)
{
    const json_t *question = json_object_get(answer, "question"), *upper = json_object_get(answer, "upper"),
                 *lower = json_object_get(answer, "lower");
    const char *quantity = words_member(answer, "quantity");
    char name[80];
    fputs("<dl>\n", out);
    put_fact(out, "Claimed", words_claim(question));
    put_fact(out, "Mechanism", words_subject(question));
    put_fact(out, "Setting", words_setting(question));
    put_parts(out, json_object_get(question, "rounds"));
    put_fact(out, "Limit", words_limit(question));
    snprintf(name, sizeof(name), "Smallest %.40s certified", quantity);
    put_fact(out, name, end_and_theorems(upper, "hi", question));
    snprintf(name, sizeof(name), "Every %.40s refuted below", quantity);
    put_fact(out, name, end_and_theorems(lower, "lo", question));
    put_fact(out, "Data of the lower bound", words_data(lower));
    fputs("</dl>\n", out);
}

static void put_interval_cell(FILE *out, const json_t *interval)
{
    fputs("<td>", out);
    if (interval != NULL)
    {
        fputs("<span class=\"n\">[", out);
        put(out, words_end(interval, "lo", DIGITS));
        fputs(",</span> <span class=\"n\">", out);
        put(out, words_end(interval, "hi", DIGITS));
        fputs("]</span>", out);
    }
    fputs("</td>", out);
}

static void put_theorem_cell(FILE *out, const json_t *theorems)
{
    size_t i;
    fputs("<th scope=\"row\">", out);
    for (i = 0; i < json_array_size(theorems); i++)
    {
        const json_t *theorem = json_array_get(theorems, i);
        const shuf_theorem *t = shuf_theorem_find(words_member(theorem, "id"));
        fputs(i > 0 ? ",<br>" : "", out);
        put_html(out, words_member(theorem, "id"));
        fputs(" (", out);
        put_html(out, words_member(theorem, "status"));
        fputs(", ", out);
        put_html(out, words_member(theorem, "checked"));
        fputs(")", out);
        if (t != NULL)
        {
            fputs("<br><small>", out);
            put_html(out, t->proof);
            fputs("</small>", out);
        }
    }
    fputs("</th>", out);
}

static void put_remarks(FILE *out, const json_t *bound)
{
    const json_t *notes = json_object_get(bound, "notes");
    const char *key;
    json_t *value;
    size_t i;
    fputs(json_is_true(json_object_get(bound, "decides")) ? "decides. " : "", out);
    fputs(json_is_false(json_object_get(bound, "accuracy_reached")) ? "accuracy not reached. " : "", out);
    json_object_foreach(json_object_get(bound, "at"), key, value)
    {
        put_html(out, key);
        fputc(' ', out);
        put(out, words_value(value));
        fputs(". ", out);
    }
    put_paragraph(out, "", words_member(bound, "guarantee"), ". ");
    for (i = 0; i < json_array_size(notes); i++)
    {
        const char *note = json_string_value(json_array_get(notes, i));
        put_paragraph(out, "", note != NULL ? note : "", ". ");
    }
    put(out, words_data(bound));
}

static int has_deltas(const json_t *tried)
{
    size_t i;
    for (i = 0; i < json_array_size(tried); i++)
        if (json_object_get(json_array_get(tried, i), "delta") != NULL)
            return 1;
    return 0;
}

/* The bounds that say something (silent = 0) or nothing. */
static void put_bounds(FILE *out, const json_t *answer, int silent)
{
    const json_t *tried = json_object_get(answer, "tried");
    const char *quantity = words_member(answer, "quantity");
    const int deltas = has_deltas(tried);
    size_t i, rows = 0;
    for (i = 0; i < json_array_size(tried); i++)
    {
        const json_t *bound = json_array_get(tried, i);
        if (words_says_nothing(bound, quantity) != silent)
            continue;
        if (rows++ == 0)
        {
            fputs(silent ? "<details><summary>Bounds that say nothing</summary>\n" : "", out);
            fprintf(out, "<div class=\"scroll\" role=\"region\" aria-label=\"Bounds%s\" tabindex=\"0\"><table><caption>Bounds that were "
                    "tried%s</caption>\n<thead><tr><th scope=\"col\">Theorem (status, checked)</th><th scope=\"col\">Side</th><th scope=\"col\">",
                    silent ? " that say nothing" : "", silent ? " and say nothing" : "");
            put_html(out, quantity);
            if (deltas)
                fprintf(out, "</th><th scope=\"col\">delta at the %s", strcmp(quantity, "gdp") == 0 ? "witness" : "claimed eps");
            fputs("</th><th scope=\"col\">Remarks</th></tr></thead>\n<tbody>\n", out);
        }
        fputs("<tr>", out);
        put_theorem_cell(out, json_object_get(bound, "theorems"));
        fputs("<td>", out);
        put_html(out, words_member(bound, "side"));
        fputs("</td>", out);
        put_interval_cell(out, bound);
        if (deltas)
            put_interval_cell(out, json_object_get(bound, "delta"));
        fputs("<td>", out);
        put_remarks(out, bound);
        fputs("</td></tr>\n", out);
    }
    if (rows > 0)
        fputs(silent ? "</tbody></table></div></details>\n" : "</tbody></table></div>\n", out);
}

/* ---- the plot ---- */

/* What the answer knows of one bound: delta at the claimed eps, eps at the claimed delta. */
typedef struct
{
    size_t count;
    double x[2], lo[2], hi[2];
} points;

static double end_log10(const json_t *interval, const char *end)
{
    const char *text = json_string_value(json_object_get(interval, end));
    return text != NULL ? decimal_log10(text) : strcmp(end, "hi") == 0 ? HUGE_VAL : NAN;
}

static void set_points(points *p, const json_t *bound, double eps, double delta, int is_lower)
{
    const json_t *at = json_object_get(bound, "delta");
    double other = end_log10(bound, is_lower ? "lo" : "hi");
    size_t first;
    p->count = 0;
    if (bound == NULL)
        return;
    if (at != NULL)
    {
        p->x[0] = eps;
        p->lo[0] = end_log10(at, "lo");
        p->hi[0] = end_log10(at, "hi");
        p->count = 1;
    }
    if (!isfinite(other) && other != -HUGE_VAL)
        return;
    first = p->count == 1 && other < eps ? 0 : p->count;
    if (first < p->count)
    {
        p->x[1] = p->x[0];
        p->lo[1] = p->lo[0];
        p->hi[1] = p->hi[0];
    }
    p->x[first] = other;
    p->lo[first] = p->hi[first] = delta;
    p->count++;
}

static double member_log10(const json_t *claim, const char *key)
{
    char *text = words_value(json_object_get(claim, key));
    double value = decimal_log10(text);
    free(text);
    return value;
}

static void put_plot(FILE *out, const html_claim *c, size_t number)
{
    const json_t *answer = c->answer, *claim = json_object_get(json_object_get(answer, "question"), "claim");
    const int is_renyi = json_object_get(claim, "order") != NULL;
    points known[2];
    svg_series series[2];
    char id[NAME_SIZE], title[64], *point, *words;
    svg_plot plot = { id, title, is_renyi ? "order" : "epsilon", is_renyi ? "Renyi divergence" : "delta", is_renyi ? SVG_LOG : SVG_LINEAR,
                      is_renyi ? SVG_AUTO : SVG_LOG, -HUGE_VAL, c->count, c->series, NULL, 0, 0 };
    size_t size;
    int side;
    if (json_object_get(claim, "mu") != NULL || claim == NULL)
        return;
    plot.point_x = member_log10(claim, is_renyi ? "order" : "eps");
    plot.point_y = member_log10(claim, is_renyi ? "renyi" : "delta");
    if (!is_renyi && isfinite(plot.point_y))
        plot.y_least = 2 * plot.point_y - 2;
    if (c->count == 0 && !is_renyi)
    {
        for (side = 0; side < 2; side++)
        {
            points *p = &known[plot.count];
            set_points(p, json_object_get(answer, side == 0 ? "upper" : "lower"), plot.point_x, plot.point_y, side);
            if (p->count == 0)
                continue;
            series[plot.count] = (svg_series) { side == 0 ? "upper bound (guarantee)" : "lower bound (data that reach it)", side, 1,
                                                p->count, p->x, p->lo, p->hi };
            plot.count++;
        }
        plot.series = series;
    }
    if (plot.count == 0)
        return;
    snprintf(id, sizeof(id), "plot-%zu", number);
    snprintf(title, sizeof(title), "Claim %zu: %s against %s", number, plot.y_label, plot.x_label);
    words = words_claim(json_object_get(answer, "question"));
    size = strlen(words) + 16;
    point = flint_malloc(size);
    snprintf(point, size, "the claim %s", words);
    plot.point = point;
    fputs("<figure>", out);
    svg_draw(out, &plot, 0);
    fputs("</figure>\n", out);
    flint_free(point);
    free(words);
}

static void put_claim(FILE *out, const html_claim *c, size_t number)
{
    const json_t *answer = c->answer, *question = json_object_get(answer, "question");
    fprintf(out, "<section id=\"claim-%zu\" aria-labelledby=\"title-%zu\">\n<h2 id=\"title-%zu\">", number, number, number);
    put_verdict(out, answer);
    fputc(' ', out);
    put_html(out, id_of(answer));
    fputs("</h2>\n", out);
    put_paragraph(out, "<p>Error: ", words_member(answer, "error"), "</p>\n");
    put_paragraph(out, "<p>", words_member(question, "source"), "</p>\n");
    put_paragraph(out, "<blockquote>", words_member(question, "quote"), "</blockquote>\n");
    put_paragraph(out, "<p>Note: ", words_member(question, "note"), "</p>\n");
    put_paragraph(out, "<p>Because: ", words_member(answer, "reason"), ".</p>\n");
    if (json_is_false(json_object_get(answer, "complete")))
        fputs("<p><strong>Cut short by the clock: another run may differ.</strong></p>\n", out);
    if (question != NULL)
    {
        put_facts(out, answer);
        put_matrix(out, json_object_get(json_object_get(question, "mechanism"), "rows"));
        put_plot(out, c, number);
        put_bounds(out, answer, 0);
        put_bounds(out, answer, 1);
    }
    fputs("<p><a href=\"#summary\">Back to the summary</a></p>\n</section>\n", out);
}

void html_report(FILE *out, const html_input *inputs, size_t input_count, const html_claim *claims, size_t count, const char *incomplete)
{
    size_t i;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Privacy claims audited</title>\n<style>\n", out);
    fputs(page_style, out);
    svg_style(out);
    fputs("</style>\n</head>\n<body>\n<header><h1>Privacy claims audited</h1>\n<p>CERTIFIED: a proved theorem gives what is claimed. "
          "REFUTED: a concrete mechanism of the class on concrete neighbouring data exceeds it. UNDECIDED: neither. Every number is an end "
          "of an interval, rounded outward.</p>\n", out);
    put_inputs(out, inputs, input_count, count > 0 ? words_member(claims[0].answer, "version") : "");
    if (incomplete[0] != '\0')
        fprintf(out, "<p><strong>INCOMPLETE: %s</strong></p>\n", incomplete);
    fputs("</header>\n<main>\n<section id=\"summary\" aria-labelledby=\"summary-title\">\n<h2 id=\"summary-title\">Summary</h2>\n", out);
    put_summary(out, claims, count);
    fputs("</section>\n", out);
    for (i = 0; i < count; i++)
        put_claim(out, &claims[i], i + 1);
    fputs("</main>\n</body>\n</html>\n", out);
}
