/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* page: the report of an audit, with curves around each claim. */
#include "cli/page.h"

#include <math.h>
#include <string.h>

#include "enclosure/memory.h"
#include "report/decimal.h"

/* Points of a curve, their digits, and what each may cost: enough to be drawn. */
#define POINTS 9
#define CURVE_DIGITS 2
#define CURVE_EFFORT "300000000"
#define LOG10_CURVE_EFFORT 8.4771

/* The two curves of a claim, as decimal logarithms. */
typedef struct
{
    double x[POINTS], upper_lo[POINTS], upper_hi[POINTS], lower_lo[POINTS], lower_hi[POINTS];
    svg_series series[2];
    size_t count;
} claim_curves;

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
    *from = pow(10, fmax(*from, *to - 1)) * 0.6;
    *to = pow(10, *to) * 1.15;
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

static void put_point(claim_curves *c, const json_t *answer)
{
    const json_t *upper = json_object_get(answer, "upper"), *lower = json_object_get(answer, "lower");
    size_t i = c->count++;
    c->upper_lo[i] = end_log10(upper, "lo");
    c->upper_hi[i] = end_log10(upper, "hi");
    c->lower_lo[i] = end_log10(lower, "lo");
    c->lower_hi[i] = end_log10(lower, "hi");
}

static void compute(claim_curves *c, const json_t *answer)
{
    const json_t *question = json_object_get(answer, "question"), *claim = json_object_get(question, "claim");
    int renyi = json_object_get(claim, "renyi") != NULL;
    const char *member = renyi ? "order" : "eps";
    double from, to, claimed = decimal_log10(json_string_value(json_object_get(claim, member)));
    int i;
    c->count = 0;
    if (claim == NULL || json_object_get(claim, "mu") != NULL)
        return;
    if (renyi)
    {
        from = 1 + (pow(10, claimed) - 1) / 4;
        to = 1 + (pow(10, claimed) - 1) * 2;
    }
    else
    {
        choose_range(&from, &to, answer, claimed);
    }
    for (i = 0; i < POINTS && !cli_interrupted(); i++)
    {
        double x = from + (to - from) * i / (POINTS - 1);
        json_t *q = point_question(question, renyi ? "renyi" : "delta", member, x), *point = answer_read(q);
        if (memory_is_spoilt())
            memory_fail(); /* a curve that lacks a point would not say so */
        c->x[c->count] = log10(x);
        put_point(c, point);
        json_decref(q);
        json_decref(point);
    }
    c->series[0] = (svg_series) { "from above", 0, 0, c->count, c->x, c->upper_lo, c->upper_hi };
    c->series[1] = (svg_series) { "from below", 1, 0, c->count, c->x, c->lower_lo, c->lower_hi };
}

void cli_write_page(FILE *out, const json_t *answers, const html_input *inputs, size_t input_count, const char *incomplete)
{
    size_t i, count = json_array_size(answers);
    claim_curves *curves = flint_calloc(count + 1, sizeof(*curves));
    html_claim *claims = flint_calloc(count + 1, sizeof(*claims));
    char line[48];
    for (i = 0; i < count; i++)
    {
        snprintf(line, sizeof(line), "curves %zu/%zu ", i + 1, count);
        cli_show_prefix(line);
        claims[i].answer = json_array_get(answers, i);
        compute(&curves[i], claims[i].answer);
        claims[i].series = curves[i].series;
        claims[i].count = curves[i].count > 1 ? 2 : 0;
    }
    report_show("");
    html_report(out, inputs, input_count, claims, count, incomplete);
    flint_free(curves);
    flint_free(claims);
}
