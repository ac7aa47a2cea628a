/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * web: what the page calls. JSON goes in; JSON, text or SVG comes out, and is not freed, as an instance of the module serves one
 * call. Nothing is decided here: shufbound.h answers, account/vocabulary.h says what may be asked, and src/report writes the text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <emscripten.h>
#include <jansson.h>

#include "account/vocabulary.h"
#include "report/buffer.h"
#include "report/curve.h"
#include "report/decimal.h"
#include "report/text.h"
#include "report/words.h"
#include "shufbound.h"

/* What is being done goes to stderr, which the worker passes on line by line. */
static int show_progress(void *data, const char *line)
{
    (void) data;
    if (line[0] != '\0')
        fprintf(stderr, "%s\n", line);
    return 0;
}

/* The answer to a question. Cancelling ends the worker, so that the watch never stops anything. */
EMSCRIPTEN_KEEPALIVE char *web_answer(const char *question)
{
    shuf_watch watch = { 0, show_progress, NULL, 0 };
    char *answer;
    shuf_watch_set(&watch);
    answer = shuf_answer_json(question);
    shuf_watch_set(NULL);
    return answer;
}

/* The question as it is understood, or an error. */
EMSCRIPTEN_KEEPALIVE char *web_question(const char *question)
{
    return shuf_question_json(question);
}

/* The question of the answer, for delta at eps: few digits and little work, as in the report of an audit. */
EMSCRIPTEN_KEEPALIVE char *web_point(const char *answer, const char *eps)
{
    static const char *const others[] = { "claim", "id", "source", "quote", "note", "max_seconds" };
    json_t *question = json_object_get(json_loads(answer, 0, NULL), "question");
    size_t i;
    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        json_object_del(question, others[i]);
    json_object_set_new(question, "ask", json_pack("{s:s, s:s}", "quantity", "delta", "eps", eps));
    json_object_set_new(question, "digits", json_integer(2));
    json_object_set_new(question, "effort", json_string("300000000"));
    return json_dumps(question, JSON_COMPACT);
}

/* What a question may say. */
EMSCRIPTEN_KEEPALIVE char *web_vocabulary(void)
{
    return json_dumps(vocabulary_json(), JSON_COMPACT);
}

/* An answer as the command line prints it, a line for each sentence. */
EMSCRIPTEN_KEEPALIVE char *web_text(const char *answer)
{
    report_buffer b;
    report_buffer_open(&b);
    text_sentences(b.out, json_loads(answer, 0, NULL));
    return report_buffer_close(&b);
}

/* An answer as the command line prints it with --explain. */
EMSCRIPTEN_KEEPALIVE char *web_in_full(const char *answer)
{
    report_buffer b;
    report_buffer_open(&b);
    text_answer(b.out, json_loads(answer, 0, NULL), 0, 1);
    return report_buffer_close(&b);
}

/* The registry of theorems, an array of objects. */
EMSCRIPTEN_KEEPALIVE char *web_theorems(void)
{
    return shuf_theorems_json();
}

/* The style sheet of pictures. */
EMSCRIPTEN_KEEPALIVE char *web_style(void)
{
    report_buffer b;
    report_buffer_open(&b);
    svg_style(b.out);
    return report_buffer_close(&b);
}

/* ---- the curve ---- */

static const json_t *eps_of(const json_t *answer)
{
    return json_object_get(json_object_get(json_object_get(answer, "question"), "ask"), "eps");
}

static int has_member(const json_t *answers, const char *key)
{
    size_t i;
    for (i = 0; i < json_array_size(answers); i++)
        if (json_object_get(json_array_get(answers, i), key) != NULL)
            return 1;
    return 0;
}

/* The logarithm of a claim's number; NAN where the answer is to no claim of (eps, delta). */
static double claimed(const json_t *answer, const char *key)
{
    char *text = words_value(json_object_get(json_object_get(json_object_get(answer, "question"), "claim"), key));
    double value = decimal_log10(text);
    free(text);
    return value;
}

static void put_curve(FILE *out, const json_t *answers, const json_t *answer)
{
    const int value = has_member(answers, "value");
    const size_t points = json_array_size(answers);
    const char **x = flint_calloc(points + 1, sizeof(*x));
    char *claim = words_claim(json_object_get(answer, "question")), label[160];
    svg_plot plot = { "curve", "delta against epsilon", "epsilon", "delta", SVG_LINEAR, SVG_LOG, -HUGE_VAL, 0, NULL, NULL, 0, 0 };
    curve_line lines[2];
    svg_series series[2];
    size_t i;
    for (i = 0; i < points; i++)
        x[i] = json_string_value(eps_of(json_array_get(answers, i)));
    if (value || has_member(answers, "upper"))
        curve_line_set(&lines[plot.count++], value ? "upper end" : "from above (guarantee)", points, x, answers, 0);
    if (value || has_member(answers, "lower"))
        curve_line_set(&lines[plot.count++], value ? "lower end" : "from below (data reach it)", points, x, answers, 1);
    for (i = 0; i < plot.count; i++)
        series[i] = lines[i].series;
    plot.series = series;
    plot.point_x = claimed(answer, "eps");
    plot.point_y = claimed(answer, "delta");
    if (isfinite(plot.point_x) && isfinite(plot.point_y))
    {
        snprintf(label, sizeof(label), "the claim %.120s", claim);
        plot.point = label;
        plot.y_least = 2 * plot.point_y - 2;
    }
    if (plot.count > 0)
        svg_draw(out, &plot, 0);
    for (i = 0; i < plot.count; i++)
        curve_line_clear(&lines[i]);
    flint_free(x);
    free(claim);
}

/* The picture of the answers for delta at each eps, an array; of `answer`, a claim is marked. "" if no answer has a bound. */
EMSCRIPTEN_KEEPALIVE char *web_curve(const char *answers, const char *answer)
{
    report_buffer b;
    report_buffer_open(&b);
    put_curve(b.out, json_loads(answers, 0, NULL), json_loads(answer, 0, NULL));
    return report_buffer_close(&b);
}
