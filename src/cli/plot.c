/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/plot.h"

#include <math.h>

double plot_log10(const arf_t x)
{
    arb_t t;
    double value;
    if (arf_sgn(x) <= 0)
        return -HUGE_VAL;
    arb_init(t);
    arb_set_arf(t, x);
    arb_log(t, t, 53);
    value = arf_get_d(arb_midref(t), ARF_RND_NEAR) / log(10);
    arb_clear(t);
    return value;
}

#define WIDTH 640
#define HEIGHT 400
#define LEFT 80
#define RIGHT 20
#define TOP 20
#define BOTTOM 50
#define LEGEND_LINE 18
#define MAX_TICKS 8

/* One axis: the coordinate is log10 of the value or the value. */
typedef struct
{
    int is_log;
    double from, to; /* ends, coordinates */
    double step;     /* between ticks, coordinates */
} axis;

static double coordinate(const axis *a, double log_value)
{
    return a->is_log ? log_value : pow(10, log_value);
}

/* 1, 2 or 5 times a power of ten, at least x > 0. */
static double round_step(double x)
{
    double power = pow(10, floor(log10(x)));
    return x <= power ? power : x <= 2 * power ? 2 * power : x <= 5 * power ? 5 * power : 10 * power;
}

/* least, most: log10 of the smallest and the largest positive value. */
static void set_axis(axis *a, double least, double most, int has_zero, int is_log)
{
    if (!(least <= most))
        least = most = 0; /* nothing to show */
    a->is_log = is_log;
    a->from = is_log ? floor(least) : has_zero ? 0 : coordinate(a, least);
    a->to = is_log ? ceil(most) : coordinate(a, most);
    if (!(a->to > a->from))
        a->from = is_log ? a->to - 1 : a->to / 2;
    a->step = a->is_log ? ceil((a->to - a->from) / MAX_TICKS) : round_step((a->to - a->from) / MAX_TICKS);
    if (!a->is_log)
    {
        a->from = a->step * floor(a->from / a->step + 1e-9);
        a->to = a->step * ceil(a->to / a->step - 1e-9);
    }
}

static double place_x(const axis *a, double c)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (c - a->from) / (a->to - a->from);
}

static double place_y(const axis *a, double c)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (c - a->from) / (a->to - a->from);
}

static void put_axes(FILE *out, const axis *x, const axis *y, const plot_data *data)
{
    int i;
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    for (i = 0; x->from + i * x->step <= x->to * (1 + 1e-9) + 1e-9 * x->step; i++)
    {
        double c = x->from + i * x->step, at = place_x(x, c);
        fprintf(out, "<path d=\"M%.1f %dv5\" stroke=\"#888\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s%.4g</text>\n", at,
                HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 20, x->is_log ? "1e" : "", c);
    }
    for (i = 0; y->from + i * y->step <= y->to + 1e-9 * y->step; i++)
    {
        double c = y->from + i * y->step, at = place_y(y, c);
        fprintf(out, "<path d=\"M%d %.1fh-5\" stroke=\"#888\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%.4g</text>\n", LEFT,
                at, LEFT - 8, at + 4, y->is_log ? "1e" : "", c);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 8, data->x_label);
    fprintf(out, "<text x=\"16\" y=\"%d\" transform=\"rotate(-90 16 %d)\" text-anchor=\"middle\">%s</text>\n", HEIGHT / 2,
            HEIGHT / 2, data->y_label);
}

/* A line through the points, interrupted where there is none. */
static void put_series(FILE *out, const axis *x, const axis *y, const plot_data *data, const plot_series *s, const char *style)
{
    size_t i;
    int open = 0;
    fprintf(out, "<path fill=\"none\" %s stroke-width=\"2\" d=\"", style);
    for (i = 0; i < data->points; i++)
    {
        double at = coordinate(x, data->x[i]), value = coordinate(y, s->y[i]);
        if (isfinite(at) && isfinite(value))
            fprintf(out, "%c%.1f %.1f", open ? 'L' : 'M', place_x(x, at), place_y(y, value));
        open = isfinite(at) && isfinite(value);
    }
    fputs("\"/>\n", out);
}

void plot_draw(FILE *out, const plot_data *data)
{
    static const char *const styles[] = {
        "stroke=\"#b03030\"", "stroke=\"#2050a0\"", "stroke=\"#17692b\"", "stroke=\"#8a6100\"", "stroke=\"#6a3a9a\"",
        "stroke=\"#b03030\" stroke-dasharray=\"6 4\"", "stroke=\"#2050a0\" stroke-dasharray=\"6 4\"",
        "stroke=\"#17692b\" stroke-dasharray=\"6 4\""
    };
    double least = HUGE_VAL, most = -HUGE_VAL, x_least = HUGE_VAL, x_most = -HUGE_VAL;
    int height = HEIGHT + LEGEND_LINE * (int) data->count + 10, x_zero = 0, zero = 0;
    axis x, y;
    size_t i, j;

    for (i = 0; i < data->points; i++)
    {
        x_zero |= data->x[i] == -HUGE_VAL;
        if (isfinite(data->x[i]))
        {
            x_least = fmin(x_least, data->x[i]);
            x_most = fmax(x_most, data->x[i]);
        }
        for (j = 0; j < data->count; j++)
        {
            zero |= data->series[j].y[i] == -HUGE_VAL;
            if (isfinite(data->series[j].y[i]))
            {
                least = fmin(least, data->series[j].y[i]);
                most = fmax(most, data->series[j].y[i]);
            }
        }
    }
    set_axis(&x, x_least, x_most, x_zero, data->x_is_log);
    set_axis(&y, least, most, zero, most - least >= 2);
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height,
            WIDTH, height, WIDTH, height);
    put_axes(out, &x, &y, data);
    for (j = 0; j < data->count; j++)
    {
        const char *style = styles[j % (sizeof(styles) / sizeof(styles[0]))];
        double at = HEIGHT + LEGEND_LINE * (double) j;
        put_series(out, &x, &y, data, &data->series[j], style);
        fprintf(out, "<path d=\"M%d %.1fh30\" %s stroke-width=\"2\"/><text x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, at + 6, style,
                LEFT + 38, at + 10, data->series[j].label);
    }
    fputs("</svg>\n", out);
}
