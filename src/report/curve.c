/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact/exact.h"
#include "report/decimal.h"
#include "report/json.h"
#include "report/words.h"

/* The end of the i-th answer: of its value, or of the bound of that side. NULL: none. */
static const char *end_of(const curve_series *s, size_t i, int upper)
{
    const json_t *answer = json_array_get(s->answers, i), *bound = json_object_get(answer, "value");
    if (bound == NULL)
        bound = json_object_get(answer, upper ? "upper" : "lower");
    return json_string_value(json_object_get(bound, upper ? "hi" : "lo"));
}

/* A field, quoted where it must be. */
static void put_field(FILE *out, const char *text, const char *suffix)
{
    const int plain = text[strcspn(text, ",\"\r\n")] == '\0';
    fputs(plain ? "" : "\"", out);
    for (; *text != '\0'; text++)
    {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fprintf(out, "%s%s", suffix, plain ? "" : "\"");
}

void curve_csv_begin(FILE *out, const curve_table *table)
{
    size_t j;
    put_field(out, table->x_name, "");
    for (j = 0; j < table->count; j++)
    {
        fputc(',', out);
        put_field(out, table->series[j].label, "_lo");
        fputc(',', out);
        put_field(out, table->series[j].label, "_hi");
    }
    fputc('\n', out);
}

void curve_csv_row(FILE *out, const curve_table *table, size_t i)
{
    size_t j;
    int upper;
    put_field(out, table->x[i], "");
    for (j = 0; j < table->count; j++)
    {
        for (upper = 0; upper < 2; upper++)
        {
            const char *end = end_of(&table->series[j], i, upper);
            fprintf(out, ",%s", end != NULL ? end : "");
        }
    }
    fputc('\n', out);
}

/* What a value is worth: its side, and the theorems that it rests on. */
static void put_worth(json_t *cell, const json_t *value)
{
    const json_t *theorems = json_object_get(value, "theorems");
    json_t *ids = json_array();
    size_t i;
    if (value == NULL)
    {
        json_decref(ids);
        return;
    }
    for (i = 0; i < json_array_size(theorems); i++)
        json_array_append(ids, json_object_get(json_array_get(theorems, i), "id"));
    json_object_set(cell, "side", json_object_get(value, "side"));
    json_object_set_new(cell, "theorems", ids);
}

void curve_json_row(FILE *out, const curve_table *table, size_t i)
{
    json_t *row = json_object();
    size_t j;
    json_object_set_new(row, table->x_name, json_string(table->x[i]));
    for (j = 0; j < table->count; j++)
    {
        const char *lo = end_of(&table->series[j], i, 0), *hi = end_of(&table->series[j], i, 1);
        json_t *cell = json_pack("{s:s?,s:s?}", "lo", lo, "hi", hi);
        put_worth(cell, json_object_get(json_array_get(table->series[j].answers, i), "value"));
        json_object_set_new(row, table->series[j].label, cell);
    }
    json_line(out, row);
    json_decref(row);
}

/* Whether some answer of the series has a value, a bound from above, one from below; a value that is a lower bound, or none. */
static void find_sides(int *value, int *upper, int *lower, int *is_lower, int *is_none, const curve_series *s)
{
    size_t i;
    *value = *upper = *lower = *is_lower = *is_none = 0;
    for (i = 0; i < json_array_size(s->answers); i++)
    {
        const json_t *answer = json_array_get(s->answers, i), *v = json_object_get(answer, "value");
        *value |= v != NULL;
        *is_lower |= strcmp(words_member(v, "side"), "lower") == 0;
        *is_none |= strcmp(words_member(v, "side"), "none") == 0;
        *upper |= json_object_get(answer, "upper") != NULL;
        *lower |= json_object_get(answer, "lower") != NULL;
    }
}

static void set_line(curve_line *line, const char *label, const char *suffix, size_t points, const char *const *x, const curve_series *s,
                     int is_lower, int both)
{
    const size_t size = strlen(label) + strlen(suffix) + 1;
    size_t i;
    line->label = flint_malloc(size);
    snprintf(line->label, size, "%s%s", label, suffix);
    line->x = flint_malloc((points + 1) * sizeof(double));
    line->lo = flint_malloc((points + 1) * sizeof(double));
    line->hi = flint_malloc((points + 1) * sizeof(double));
    for (i = 0; i < points; i++)
    {
        line->x[i] = decimal_log10(x[i]);
        line->lo[i] = decimal_log10(end_of(s, i, !both && !is_lower));
        line->hi[i] = decimal_log10(end_of(s, i, both || !is_lower));
    }
    line->series = (svg_series) { line->label, is_lower, 0, points, line->x, line->lo, line->hi };
}

void curve_line_set(curve_line *line, const char *label, size_t points, const char *const *x, const json_t *answers, int is_lower)
{
    const curve_series s = { label, answers };
    set_line(line, label, "", points, x, &s, is_lower, 0);
}

void curve_line_clear(curve_line *line)
{
    flint_free(line->label);
    flint_free(line->x);
    flint_free(line->lo);
    flint_free(line->hi);
}

/* The lines of a series: one of values, or one for each side. Returns how many. */
static size_t set_lines(curve_line *lines, const curve_table *table, const curve_series *s)
{
    int value, upper, lower, is_lower, is_none;
    size_t count = 0;
    find_sides(&value, &upper, &lower, &is_lower, &is_none, s);
    if (value || (!upper && !lower))
        set_line(&lines[count++], s->label, is_none ? " (not a bound)" : "", table->points, table->x, s, is_lower, 1);
    if (!value && upper)
        set_line(&lines[count++], s->label, ", from above", table->points, table->x, s, 0, 0);
    if (!value && lower)
        set_line(&lines[count++], s->label, ", from below", table->points, table->x, s, 1, 0);
    return count;
}

void curve_svg(FILE *out, const curve_table *table, svg_scale x_scale)
{
    curve_line *lines = flint_malloc((2 * table->count + 1) * sizeof(curve_line));
    svg_series *series = flint_malloc((2 * table->count + 1) * sizeof(svg_series));
    svg_plot plot = { "curve", table->quantity, table->x_name, table->quantity, x_scale, SVG_AUTO, -HUGE_VAL, 0, series, NULL, 0, 0 };
    size_t i;
    for (i = 0; i < table->count; i++)
        plot.count += set_lines(&lines[plot.count], table, &table->series[i]);
    for (i = 0; i < plot.count; i++)
        series[i] = lines[i].series;
    svg_draw(out, &plot, 1);
    for (i = 0; i < plot.count; i++)
        curve_line_clear(&lines[i]);
    flint_free(lines);
    flint_free(series);
}
