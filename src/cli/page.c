/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* page: the reports of an audit, with curves around each claim. */
#include "cli/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "enclosure/memory.h"
#include "report/buffer.h"
#include "report/decimal.h"

/* Points of a curve, their digits, and what each may cost: enough to be drawn. Steer only. */
#define POINTS 9
#define CURVE_DIGITS 2
#define CURVE_EFFORT "300000000"
#define LOG10_CURVE_EFFORT 8.4771

/* More than two decimal logarithms in doubles are off by. Steers only: which curves are drawn. */
#define CERTAINLY 1e-9

static double end_log10(const json_t *bound, const char *end)
{
    return decimal_log10(json_string_value(json_object_get(bound, end)));
}

/* The part of the axis that shows the claim and what is known about it. */
static void choose_range(double *from, double *to, const json_t *answer, double claimed)
{
    double low = end_log10(json_object_get(answer, "lower"), "lo"), high = end_log10(json_object_get(answer, "upper"), "hi");
    *from = isfinite(claimed) ? claimed : 0;
    *to = *from;
    if (isfinite(low))
        *from = fmin(*from, low);
    if (isfinite(high) && high < *to + 1)
        *to = fmax(*to, high);
    *from = d_pow(10, fmax(*from, *to - 1)) * 0.6;
    *to = d_pow(10, *to) * 1.15;
}

/* The same question, asking for one point of the curve. */
static json_t *point_question(const json_t *question, const char *quantity, const char *member, double x)
{
    static const char *const dropped[] = { "claim", "ask", "id", "source", "quote", "note", "max_seconds" };
    json_t *q = json_copy((json_t *) question);
    char text[32];
    size_t i;
    for (i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
        json_object_del(q, dropped[i]);
    snprintf(text, sizeof(text), "%.4g", x);
    json_object_set_new(q, "ask", json_pack("{s:s, s:s}", "quantity", quantity, member, text));
    json_object_set_new(q, "digits", json_integer(CURVE_DIGITS));
    /* a claim that is to cost less has points that do; "normal" and "high" have no logarithm */
    if (!(decimal_log10(json_string_value(json_object_get(q, "effort"))) < LOG10_CURVE_EFFORT))
        json_object_set_new(q, "effort", json_string(CURVE_EFFORT));
    return q;
}

/* Where a bound at a neighbour says more it is a bound here, too: from above delta falls with eps, and a divergence rises with its order. */
static void spread(json_t *points, const char *side, int forward)
{
    const int is_upper = side[0] == 'u';
    const char *end = is_upper ? "hi" : "lo";
    const size_t count = json_array_size(points);
    size_t k;
    for (k = 1; k < count; k++)
    {
        const size_t i = forward ? k : count - 1 - k;
        json_t *point = json_array_get(points, i), *beside = json_object_get(json_array_get(points, forward ? i - 1 : i + 1), side);
        const double here = end_log10(json_object_get(point, side), end), there = end_log10(beside, end);
        if (beside != NULL && !isnan(there) && (isnan(here) || (is_upper ? there < here : there > here)))
            json_object_set(point, side, beside);
    }
}

/* What the answer to the claim says of delta at eps beyond its ends: it is at most that of the claim above the upper one, and at least that below the lower one. */
static void put_claimed(json_t *points, const json_t *answer)
{
    const char *delta = json_string_value(json_object_get(json_object_get(json_object_get(answer, "question"), "claim"), "delta"));
    const double low = end_log10(json_object_get(answer, "lower"), "lo"), high = end_log10(json_object_get(answer, "upper"), "hi");
    size_t i;
    json_t *point;
    if (delta == NULL || isnan(decimal_log10(delta)))
        return;
    json_array_foreach(points, i, point)
    {
        const double x = decimal_log10(json_string_value(json_object_get(json_object_get(json_object_get(point, "question"), "ask"), "eps")));
        const int is_above = x > high + CERTAINLY, is_below = x < low - CERTAINLY;
        const char *side = is_above ? "upper" : "lower", *end = is_above ? "hi" : "lo";
        const double known = end_log10(json_object_get(point, side), end);
        if ((is_above && !(known <= decimal_log10(delta))) || (is_below && !(known >= decimal_log10(delta))))
            json_object_set_new(point, side, json_pack("{s:s}", end, delta));
    }
}

/* Answers around the claim, at rising eps or orders; none if there is no such claim. */
static json_t *compute(const json_t *answer)
{
    const json_t *question = json_object_get(answer, "question"), *claim = json_object_get(question, "claim");
    const int renyi = json_object_get(claim, "renyi") != NULL;
    const char *member = renyi ? "order" : "eps";
    double from, to, claimed = decimal_log10(json_string_value(json_object_get(claim, member)));
    json_t *points = json_array();
    int i;
    if (claim == NULL || json_object_get(claim, "mu") != NULL)
        return points;
    if (renyi)
    {
        from = 1 + (d_pow(10, claimed) - 1) / 4;
        to = 1 + (d_pow(10, claimed) - 1) * 2;
    }
    else
    {
        choose_range(&from, &to, answer, claimed);
    }
    for (i = 0; i < POINTS && !cli_interrupted(); i++)
    {
        json_t *q = point_question(question, renyi ? "renyi" : "delta", member, from + (to - from) * i / (POINTS - 1));
        json_array_append_new(points, answer_read(q));
        json_decref(q);
        if (memory_is_spoilt())
            memory_fail(); /* a curve that lacks a point would not say so */
    }
    if (!renyi)
        put_claimed(points, answer);
    spread(points, "upper", !renyi);
    spread(points, "lower", renyi);
    return points;
}

/* The part of a path that is the same on every machine. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A word as the shell reads it. */
static void put_word(FILE *out, const char *word)
{
    if (word[0] != '\0' && word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-")] == '\0')
    {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]) { *word, '\0' }, out);
    fputc('\'', out);
}

/* What gives the same verdicts where the files are. */
static char *command_of(const cli_options *o)
{
    report_buffer b;
    int i;
    report_buffer_open(&b);
    fputs("shufbound audit", b.out);
    if (o->effort != NULL)
    {
        fputs(" --effort", b.out);
        put_word(b.out, o->effort);
    }
    if (o->max_seconds != NULL)
    {
        fputs(" --max-seconds", b.out);
        put_word(b.out, o->max_seconds);
    }
    for (i = 0; i < o->operands; i++)
        put_word(b.out, base_of(o->operand[i]));
    return report_buffer_close(&b);
}

/* --date; a day that there is. */
static int check_date(const char *date)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year = 0, month = 0, day = 0, end = 0, leap;
    if (strlen(date) == 10 && strspn(date, "0123456789-") == 10 && date[4] == '-' && date[7] == '-'
        && sscanf(date, "%4d-%2d-%2d%n", &year, &month, &day, &end) == 3 && end == 10 && year > 0 && month > 0 && month <= 12 && day > 0)
    {
        leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        if (day <= days[month - 1] + leap)
            return 0;
    }
    return report_fail(EXIT_USAGE, "--date is \"%.40s\": a day of the calendar as YYYY-MM-DD is allowed", date);
}

int cli_open_reports(cli_reports *r, const cli_options *o)
{
    const char *const paths[] = { o->html, o->markdown, o->latex };
    static const char *const names[] = { "--html", "--markdown", "--latex" };
    int i, status = 0;
    memset(r, 0, sizeof(*r));
    if (o->date != NULL && o->html == NULL && o->markdown == NULL && o->latex == NULL)
        return report_fail(EXIT_USAGE, "--date goes with --html, --markdown or --latex");
    if (o->date != NULL && (status = check_date(o->date)) != 0)
        return status;
    for (i = 0; i < DOCUMENT_FORMATS && status == 0; i++)
        if (paths[i] != NULL && (status = report_file_open(&r->file[i], names[i], paths[i])) == 0)
            r->is_open[i] = 1;
    for (i = 0; i < DOCUMENT_FORMATS && status != 0; i++)
        if (r->is_open[i])
            report_file_discard(&r->file[i]);
    return status;
}

int cli_write_reports(cli_reports *r, const cli_options *o, const json_t *answers, claims_input *inputs, const char *incomplete)
{
    size_t i, count = json_array_size(answers);
    claims_item *items = flint_calloc(count + 1, sizeof(*items));
    json_t *curves = json_array();
    char line[64], *command = command_of(o);
    const claims_facts facts = { command, o->date != NULL ? o->date : "", incomplete, inputs, (size_t) o->operands, items, count };
    int status = 0, failed, format, wanted = r->is_open[0] || r->is_open[1] || r->is_open[2];
    for (i = 0; i < count && wanted; i++)
    {
        snprintf(line, sizeof(line), "curves %zu/%zu ", i + 1, count);
        cli_show_prefix(line);
        items[i].answer = json_array_get(answers, i);
        json_array_append_new(curves, compute(items[i].answer));
        items[i].points = json_array_get(curves, i);
    }
    report_show("");
    for (i = 0; i < facts.input_count; i++)
        inputs[i].name = base_of(inputs[i].name);
    for (format = 0; format < DOCUMENT_FORMATS; format++)
    {
        if (!r->is_open[format])
            continue;
        claims_report(r->file[format].out, (document_format) format, &facts);
        if ((failed = report_file_close(&r->file[format])) != 0)
            status = failed;
    }
    json_decref(curves);
    flint_free(items);
    free(command);
    return status;
}
