/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Answers, one a line of standard input, as text, a table of verdicts, a page or a curve: render text|sentences|table|html|markdown|latex|svg|csv|rows|json. For the tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "report/claims.h"
#include "report/curve.h"
#include "report/json.h"
#include "report/text.h"

static json_t *read_answers(void)
{
    json_t *answers = json_array();
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0)
    {
        json_error_t error;
        json_t *answer = json_loads(line, 0, &error);
        if (answer == NULL)
        {
            fprintf(stderr, "render: %s\n", error.text);
            exit(65);
        }
        json_array_append_new(answers, answer);
    }
    free(line);
    return answers;
}

static void put_table(const json_t *answers, int explain)
{
    json_t *questions = json_array();
    text_table table;
    size_t i;
    for (i = 0; i < json_array_size(answers); i++)
        json_array_append(questions, json_object_get(json_array_get(answers, i), "question"));
    text_table_begin(&table, stdout, questions);
    for (i = 0; i < json_array_size(answers); i++)
        text_table_row(&table, stdout, json_array_get(answers, i), explain);
    text_table_end(stdout);
    json_decref(questions);
}

/* The files that are named are its inputs; the first claim has a made-up curve. */
static void put_page(const json_t *answers, document_format format, char **paths, size_t inputs)
{
    enum { POINTS = 17 };
    size_t count = json_array_size(answers), i;
    claims_item *claims = calloc(count + 1, sizeof(*claims));
    claims_input *input = calloc(inputs + 1, sizeof(*input));
    const claims_facts facts = { "shufbound audit claims.json", getenv("REPORT_DATE") != NULL ? getenv("REPORT_DATE") : "", "",
                                 input, inputs, claims, count };
    json_t *points = json_array();
    for (i = 0; i < POINTS; i++)
    {
        char x[16], hi[16], lo[16];
        snprintf(x, sizeof(x), "%.4f", 0.35 * (double) i / (POINTS - 1));
        snprintf(hi, sizeof(hi), "1.23456e-%zu", i * i / 8 + 1);
        snprintf(lo, sizeof(lo), "3.45678e-%zu", i * i / 8 + 2);
        /* the first has no finite end from above, the second no lower end */
        json_array_append_new(points, json_pack("{s:{s:{s:s}},s:{s:s,s:s?},s:{s:s?,s:n}}", "question", "ask", "eps", x, "upper", "lo", "0", "hi",
                                                i == 0 ? NULL : hi, "lower", "lo", i == 1 ? NULL : lo, "hi"));
    }
    for (i = 0; i < inputs; i++)
    {
        static char data[1 << 16];
        FILE *in = fopen(paths[i], "rb");
        size_t size = in != NULL ? fread(data, 1, sizeof(data), in) : 0;
        input[i].name = paths[i];
        sha256_hex(input[i].sha256, data, size);
        if (in != NULL)
            fclose(in);
    }
    for (i = 0; i < count; i++)
        claims[i].answer = json_array_get(answers, i);
    if (count > 0)
        claims[0].points = points;
    claims_report(stdout, format, &facts);
    json_decref(points);
    free(claims);
    free(input);
}

/* All answers as one series of a curve over 1, 2, 3, ... */
static void put_curve(const json_t *answers, const char *what)
{
    const size_t count = json_array_size(answers);
    const curve_series series[] = { { "all", answers }, { "a \"quoted\", label", NULL } };
    const char **x = calloc(count + 1, sizeof(*x));
    char (*text)[24] = calloc(count + 1, sizeof(*text));
    curve_table table = { .x_name = "users", .quantity = "delta", .points = count, .x = x, .count = 2, .series = series };
    size_t i;
    for (i = 0; i < count; i++)
    {
        snprintf(text[i], sizeof(text[i]), "%zu", i + 1);
        x[i] = text[i];
    }
    if (strcmp(what, "svg") == 0)
        curve_svg(stdout, &table, SVG_LINEAR);
    if (strcmp(what, "csv") == 0)
        curve_csv_begin(stdout, &table);
    for (i = 0; i < count && strcmp(what, "csv") == 0; i++)
        curve_csv_row(stdout, &table, i);
    for (i = 0; i < count && strcmp(what, "rows") == 0; i++)
        curve_json_row(stdout, &table, i);
    for (i = 0; i < count && strcmp(what, "json") == 0; i++)
        json_line(stdout, json_array_get(answers, i));
    free(text);
    free(x);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "text";
    int explain = argc > 2 && strcmp(argv[2], "--explain") == 0;
    json_t *answers = read_answers();
    size_t i;
    if (strcmp(what, "table") == 0)
        put_table(answers, explain);
    else if (strcmp(what, "html") == 0)
        put_page(answers, DOCUMENT_HTML, argv + 2, (size_t) argc - 2);
    else if (strcmp(what, "markdown") == 0)
        put_page(answers, DOCUMENT_MARKDOWN, argv + 2, (size_t) argc - 2);
    else if (strcmp(what, "latex") == 0)
        put_page(answers, DOCUMENT_LATEX, argv + 2, (size_t) argc - 2);
    else if (strcmp(what, "sentences") == 0)
        for (i = 0; i < json_array_size(answers); i++)
            text_sentences(stdout, json_array_get(answers, i));
    else if (strcmp(what, "text") != 0)
        put_curve(answers, what);
    else
        for (i = 0; i < json_array_size(answers); i++)
            text_answer(stdout, json_array_get(answers, i), explain ? 0 : TEXT_DIGITS, explain);
    json_decref(answers);
    return 0;
}
