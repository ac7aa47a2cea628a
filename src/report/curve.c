/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "enclosure/elementary.h"
#include "exact/escape.h"
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

/* Series of one value of the family. */
static size_t width(const curve_table *table)
{
    return table->family != NULL ? table->count / table->families : table->count;
}

/* The theorems of the i-th row that have not been named, in comments, a line for each label. */
static void name_theorems(FILE *out, const char *mark, const curve_table *table, size_t i)
{
    static const char *const bounds[] = { "value", "upper", "lower" };
    size_t j, s, b, k;
    for (j = 0; j < width(table); j++)
    {
        const char *label = table->series[j].label, *before = NULL;
        json_t *named = json_object_get(table->named, label);
        if (named == NULL)
            json_object_set_new(table->named, label, named = json_object());
        for (s = j; s < table->count; s += width(table))
        {
            for (b = 0; b < 3; b++)
            {
                const json_t *theorems = json_object_get(json_object_get(json_array_get(table->series[s].answers, i), bounds[b]), "theorems");
                for (k = 0; k < json_array_size(theorems); k++)
                {
                    const char *id = words_member(json_array_get(theorems, k), "id");
                    if (json_object_get(named, id) != NULL)
                        continue;
                    if (before == NULL)
                        fprintf(out, "%s %s: ", mark, label);
                    fprintf(out, "%s%s (%s)", before != NULL ? before : "", id, words_member(json_array_get(theorems, k), "status"));
                    json_object_set_new(named, id, json_true());
                    before = ", ";
                }
            }
        }
        fputs(before != NULL ? "\n" : "", out);
    }
}

void curve_csv_begin(FILE *out, const curve_table *table)
{
    size_t j;
    if (table->command != NULL)
    {
        const json_t *question = json_object_get(json_array_get(table->series[0].answers, 0), "question");
        json_t *assumed = words_assumed(question);
        char line[1000];
        fprintf(out, "# shufbound %s\n# %s\n", PACKAGE_VERSION, table->command);
        escape_text(line, sizeof(line), json_array_size(assumed) > 0 ? json_string_value(json_array_get(assumed, 0)) : "");
        if (json_object_get(question, "mechanism") != NULL)
            fprintf(out, "# in the first row: %s\n", line);
        json_decref(assumed);
        name_theorems(out, "#", table, 0);
    }
    put_field(out, table->x_name, "");
    if (table->family != NULL)
        fprintf(out, ",%s", table->family);
    for (j = 0; j < width(table); j++)
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
    if (table->command != NULL && i > 0)
        name_theorems(out, "#", table, i);
    for (j = 0; j < table->count; j++)
    {
        if (j % width(table) == 0)
        {
            put_field(out, table->x[i], "");
            fputs(table->family != NULL ? "," : "", out);
            put_field(out, table->family != NULL ? table->values[j / width(table)] : "", "");
        }
        for (upper = 0; upper < 2; upper++)
        {
            const char *end = end_of(&table->series[j], i, upper);
            fprintf(out, ",%s", end != NULL ? end : "");
        }
        if ((j + 1) % width(table) == 0)
            fputc('\n', out);
    }
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
    json_t *row = NULL;
    size_t j;
    for (j = 0; j < table->count; j++)
    {
        const char *lo = end_of(&table->series[j], i, 0), *hi = end_of(&table->series[j], i, 1);
        json_t *cell = json_pack("{s:s?,s:s?}", "lo", lo, "hi", hi);
        if (j % width(table) == 0)
        {
            row = json_pack("{s:s}", table->x_name, table->x[i]);
            if (table->family != NULL)
                json_object_set_new(row, table->family, json_string(table->values[j / width(table)]));
        }
        put_worth(cell, json_object_get(json_array_get(table->series[j].answers, i), "value"));
        json_object_set_new(row, table->series[j].label, cell);
        if ((j + 1) % width(table) != 0)
            continue;
        json_line(out, row);
        json_decref(row);
    }
}

/* Whether some answer of the series has a value, a bound from above, one from below; whether a value is a lower bound, and what to say of values. */
static void find_sides(int *value, int *upper, int *lower, int *is_lower, const char **what, const curve_series *s)
{
    size_t i;
    *value = *upper = *lower = *is_lower = 0;
    *what = "";
    for (i = 0; i < json_array_size(s->answers); i++)
    {
        const json_t *answer = json_array_get(s->answers, i), *v = json_object_get(answer, "value");
        *value |= v != NULL;
        *is_lower |= strcmp(words_member(v, "side"), "lower") == 0;
        *what = strcmp(words_member(v, "side"), "none") == 0 ? " (not a bound)" : strcmp(words_member(v, "side"), "lower") == 0 ? ", lower bound"
                : strcmp(words_member(v, "side"), "upper") == 0 ? ", upper bound" : *what;
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
    line->series = (svg_series) { line->label, is_lower, points, line->x, line->lo, line->hi };
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

/* The label of the j-th series, with its value of the family. */
static void put_label(char *label, size_t size, const curve_table *table, size_t j)
{
    if (table->family != NULL)
        snprintf(label, size, "%.100s, %s = %.60s", table->series[j].label, table->family, table->values[j / width(table)]);
    else
        snprintf(label, size, "%.180s", table->series[j].label);
}

/* The lines of a series: one of values, or one for each side. Returns how many. */
static size_t set_lines(curve_line *lines, const curve_table *table, size_t j)
{
    const curve_series *s = &table->series[j];
    int value, upper, lower, is_lower;
    const char *what;
    char label[200];
    size_t count = 0;
    put_label(label, sizeof(label), table, j);
    find_sides(&value, &upper, &lower, &is_lower, &what, s);
    if (value || (!upper && !lower))
        set_line(&lines[count++], label, what, table->points, table->x, s, is_lower, 1);
    if (!value && upper)
        set_line(&lines[count++], label, ", from above", table->points, table->x, s, 0, 0);
    if (!value && lower)
        set_line(&lines[count++], label, ", from below", table->points, table->x, s, 1, 0);
    return count;
}

void curve_svg(FILE *out, const curve_table *table, svg_scale x_scale)
{
    curve_line *lines = flint_malloc((2 * table->count + 1) * sizeof(curve_line));
    svg_series *series = flint_malloc((2 * table->count + 1) * sizeof(svg_series));
    svg_plot plot = { "curve", table->quantity, table->x_name, table->quantity, x_scale, SVG_AUTO, -HUGE_VAL, 0, series, NULL, 0, 0 };
    size_t i;
    for (i = 0; i < table->count; i++)
        plot.count += set_lines(&lines[plot.count], table, i);
    for (i = 0; i < plot.count; i++)
        series[i] = lines[i].series;
    svg_draw(out, &plot, 1);
    for (i = 0; i < plot.count; i++)
        curve_line_clear(&lines[i]);
    flint_free(lines);
    flint_free(series);
}

/* ---- pgfplots ---- */

/* Whether the ends span two decades, as a picture in SVG has it. */
static int is_wide(const curve_table *table)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    size_t i, j;
    for (j = 0; j < table->count; j++)
    {
        for (i = 0; i < table->points; i++)
        {
            const double y = decimal_log10(end_of(&table->series[j], i, 1));
            if (isfinite(y))
            {
                least = fmin(least, y);
                most = fmax(most, y);
            }
        }
    }
    return most - least >= 2;
}

/* (x,y), as TeX reads numbers: neither fractions nor log(3). Where there is no end, nan, at which a line is interrupted. */
static void put_point(FILE *out, const char *x, const char *y)
{
    if (x[strspn(x, "0123456789.eE+-")] == '\0')
        fprintf(out, " (%s,%s)", x, isnan(decimal_log10(y)) ? "nan" : y);
    else
        fprintf(out, " (%.10g,%s)", d_pow(10, decimal_log10(x)), isnan(decimal_log10(y)) ? "nan" : y);
}

/* Whether both ends of the i-th point have a place. */
static int has_band(const curve_series *s, size_t i, int is_log)
{
    const double lo = decimal_log10(end_of(s, i, 0)), hi = decimal_log10(end_of(s, i, 1));
    return !isnan(lo) && !isnan(hi) && (!is_log || isfinite(lo));
}

/* A polygon for each run of points that have both ends: along the lower ones and back along the upper ones. */
static void put_bands(FILE *out, const curve_table *table, const curve_series *s, const char *colour, int is_log)
{
    size_t from, to, i;
    for (from = 0; from < table->points; from = to + 1)
    {
        for (to = from; to < table->points && has_band(s, to, is_log); to++)
            ;
        if (to - from < 2)
            continue;
        fprintf(out, "\\addplot[draw=none, fill=%s, fill opacity=0.2, forget plot] coordinates {", colour);
        for (i = from; i < to; i++)
            put_point(out, table->x[i], end_of(s, i, 0));
        for (i = to; i-- > from;)
            put_point(out, table->x[i], end_of(s, i, 1));
        fputs(" } -- cycle;\n", out);
    }
}

/* The line through the upper ends with the mark, or without one through the lower ends; the legend has the label, unless it is NULL. */
static void put_ends(FILE *out, const curve_table *table, const curve_series *s, const char *colour, const char *mark, const char *label, const char *what)
{
    const int upper = mark != NULL;
    size_t i;
    if (upper)
        fprintf(out, "\\addplot[%s, thick, mark=%s, mark size=1.5pt, mark repeat=%zu] coordinates {", colour, mark, table->points / 9 + 1);
    else
        fprintf(out, "\\addplot[%s, densely dashed%s] coordinates {", colour, label == NULL ? ", forget plot" : "");
    for (i = 0; i < table->points; i++)
        put_point(out, table->x[i], end_of(s, i, upper));
    fputs(" };\n", out);
    if (label != NULL)
        fprintf(out, "\\addlegendentry{%s%s}\n", label, what);
}

/* Labels are names of pairs and forms, and numbers: TeX takes them as they are. */
void curve_pgfplots(FILE *out, const curve_table *table, svg_scale x_scale)
{
    static const char *const colours[] = { "red!75!black", "blue!75!black", "green!50!black", "orange!85!black", "violet", "teal" };
    static const char *const marks[] = { "*", "square*", "triangle*", "diamond*", "pentagon*", "x" };
    const size_t styles = sizeof(colours) / sizeof(colours[0]);
    const int is_log = is_wide(table);
    int value, upper, lower, is_lower;
    const char *what;
    char label[200];
    size_t i;
    fprintf(out, "%% shufbound %s\n%% %s\n", PACKAGE_VERSION, table->command);
    for (i = 0; i < table->points; i++)
        name_theorems(out, "%", table, i);
    fprintf(out, "\\documentclass{standalone}\n\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.16}\n\\begin{document}\n\\begin{tikzpicture}\n"
            "\\begin{axis}[xlabel={%s}, ylabel={%s},%s%s unbounded coords=jump, legend pos=outer north east, legend cell align=left]\n",
            table->x_name, table->quantity, x_scale == SVG_LOG ? " xmode=log," : "", is_log ? " ymode=log," : "");
    for (i = 0; i < table->count; i++)
    {
        const char *colour = colours[i % styles];
        find_sides(&value, &upper, &lower, &is_lower, &what, &table->series[i]);
        put_label(label, sizeof(label), table, i);
        put_bands(out, table, &table->series[i], colour, is_log);
        put_ends(out, table, &table->series[i], colour, marks[(i + i / styles) % styles], label, value ? what : ", from above");
        put_ends(out, table, &table->series[i], colour, NULL, value ? NULL : label, ", from below");
    }
    fputs("\\end{axis}\n\\end{tikzpicture}\n\\end{document}\n", out);
}
