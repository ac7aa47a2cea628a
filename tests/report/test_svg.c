/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Plots: round ticks that are inside, told apart without colour, and no number that is none. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg.h"

#define POINTS 8

static char *draw(const svg_plot *plot)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    svg_draw(out, plot, 1);
    fclose(out);
    return text;
}

/* A plot of the line (x[i], y[i]), ends as values. */
static char *line(const char *x_ends, const char *y_ends, svg_scale x_scale, svg_scale y_scale)
{
    double from, to, x[POINTS], y[POINTS], low, high;
    svg_series s = { "a line", 0, POINTS, x, y, y };
    svg_plot p = { "p", "title", "x", "y", x_scale, y_scale, -HUGE_VAL, 1, &s, NULL, 0, 0 };
    int i;
    sscanf(x_ends, "%lf %lf", &from, &to);
    sscanf(y_ends, "%lf %lf", &low, &high);
    for (i = 0; i < POINTS; i++)
    {
        x[i] = log10(from + (to - from) * i / (POINTS - 1));
        y[i] = log10(low) + (log10(high) - log10(low)) * i / (POINTS - 1);
    }
    return draw(&p);
}

/* All texts that look like numbers, with spaces between. */
static void labels(char *out, const char *svg)
{
    const char *s = svg;
    *out = '\0';
    while ((s = strstr(s, "\">")) != NULL)
    {
        size_t length = strcspn(s += 2, "<");
        if (length > 0 && strspn(s, "0123456789.e-") >= length && strncmp(s + length, "</text>", 7) == 0)
            sprintf(out + strlen(out), "%.*s ", (int) length, s);
    }
}

static void test_ticks(void **state)
{
    static const struct { const char *x, *y; svg_scale x_scale; const char *labels; } cases[] = {
        { "0 0.42", "1e-12 1e-2", SVG_LINEAR, "0 0.1 0.2 0.3 0.4 0.5 1e-12 1e-10 1e-8 1e-6 1e-4 0.01 " },
        { "0 0.1", "0.3 0.7", SVG_LINEAR, "0 0.02 0.04 0.06 0.08 0.1 0.3 0.4 0.5 0.6 0.7 " },
        { "2 64", "1e-3 0.99", SVG_LOG, "2 5 10 20 50 100 0.001 0.01 0.1 1 " },
        { "1e5 1e7", "1e-9 3e-8", SVG_LOG, "1e5 2e5 5e5 1e6 2e6 5e6 1e7 0 1e-8 2e-8 3e-8 " },
        { "1 1", "5 5", SVG_LINEAR, "0.4 0.6 0.8 1 1.2 1.4 1.6 2 3 4 5 6 7 8 " },
        { "0 1", "1e-300 1e300", SVG_LINEAR, "0 0.2 0.4 0.6 0.8 1 1e-400 1e-200 1 1e200 1e400 " },
    };
    char text[1024];
    size_t i;
    (void) state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        char *svg = line(cases[i].x, cases[i].y, cases[i].x_scale, SVG_AUTO);
        labels(text, svg);
        assert_string_equal(text, cases[i].labels);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        free(svg);
    }
}

/* Zeros, gaps, missing ends, numbers beyond doubles: drawn where they can be, and never printed. */
static void test_odd_numbers(void **state)
{
    const double x[] = { -HUGE_VAL, -1, -0.5, 0, 0.2 };
    const double lo[] = { -4232, -4230, NAN, -HUGE_VAL, -HUGE_VAL }, hi[] = { -4231, -4229, NAN, -4200, HUGE_VAL };
    const svg_series s[] = { { "upper", 0, 5, x, lo, hi }, { "lower", 1, 5, x, lo, hi } };
    svg_plot p = { "p", "t", "x", "y", SVG_LINEAR, SVG_AUTO, -HUGE_VAL, 2, s, "claim", -0.3, -4220 };
    int scale;
    (void) state;
    for (scale = SVG_LINEAR; scale <= SVG_LOG; scale++)
    {
        char *svg;
        p.x_scale = (svg_scale) scale;
        svg = draw(&p);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        assert_non_null(strstr(svg, ">1e-4200<"));
        assert_non_null(strstr(svg, "class=\"claim\""));
        assert_non_null(strstr(svg, "s0 bar"));
        free(svg);
    }
    p.count = 0; /* nothing to draw but the claim, and not even that */
    free(draw(&p));
    p.point_y = NAN;
    free(draw(&p));
}

/* The lengths of the bars, and how many of them are arrows, after their coordinates on the page. */
static void measure_bars(const char *svg, int *bars, int *arrows, int *up, double *longest)
{
    double x, from, to;
    *bars = *arrows = *up = 0;
    *longest = 0;
    while ((svg = strstr(svg, "bar\" d=\"M")) != NULL)
    {
        svg += 9;
        assert_int_equal(sscanf(svg, "%lf %lfV%lf", &x, &from, &to), 3);
        *arrows += svg[strcspn(svg, "m\"")] == 'm';
        *up += to < from && svg[strcspn(svg, "m\"")] == 'm';
        *longest = fmax(*longest, fabs(to - from));
        ++*bars;
    }
}

/* Wide bounds, an infinite one, one without an end from above, a zero from below: short arrows, no line of the frame's height. */
static void test_arrows(void **state)
{
    const double x[] = { -1, -0.8, -0.6, -0.4, -0.2, 0 };
    const double hi[] = { -1, -1.1, -1.2, HUGE_VAL, NAN, -2 }, lo[] = { -9, -HUGE_VAL, -1.3, -2, -3, -2 };
    const svg_series upper = { "upper", 0, 6, x, lo, hi }, lower = { "lower", 1, 6, x, lo, hi };
    svg_plot p = { "p", "t", "x", "y", SVG_LINEAR, SVG_LOG, -10, 1, &upper, NULL, 0, 0 };
    int bars, arrows, up;
    double longest;
    char *svg = draw(&p);
    (void) state;
    measure_bars(svg, &bars, &arrows, &up, &longest);
    assert_int_equal(bars, 5);   /* the last has one point only */
    assert_int_equal(arrows, 4); /* the third has a bar */
    assert_int_equal(up, 2);     /* infinite, and without an end */
    assert_true(longest < 60);
    free(svg);
    p.series = &lower;
    svg = draw(&p);
    measure_bars(svg, &bars, &arrows, &up, &longest);
    assert_int_equal(bars, 4);
    assert_int_equal(arrows, 3);
    assert_int_equal(up, 2); /* from -9 to -1; to infinity; of the zero, down at the edge */
    assert_true(longest < 60);
    free(svg);
}

/* Lines differ in dashes and marks, labels are escaped and whole. */
static void test_legend(void **state)
{
    const double x[] = { 0, 1 }, y[] = { 0, 1 };
    const svg_series s[] = {
        { "first <b> & \x1b[2K", 0, 2, x, y, y },
        { "second: a label that is longer than the picture is wide, which is why it has to go on in a line of its own", 0, 2, x, y, y },
        { "third", 0, 2, x, y, y }, { "4", 0, 2, x, y, y }, { "5", 0, 2, x, y, y }, { "6", 0, 2, x, y, y },
        { "7", 0, 2, x, y, y }
    };
    const svg_plot p = { "plot-1", "t", "x", "y", SVG_LINEAR, SVG_LINEAR, -HUGE_VAL, 7, s, NULL, 0, 0 };
    char *svg = draw(&p), name[8];
    int i;
    (void) state;
    assert_non_null(strstr(svg, ">first &lt;b&gt; &amp; \\u001b[2K</text>"));
    assert_non_null(strstr(svg, ">second: a label"));
    assert_non_null(strstr(svg, "own</text>"));
    for (i = 0; i < 6; i++)
    {
        snprintf(name, sizeof(name), "s%d d%d", i, i);
        assert_non_null(strstr(svg, name));
    }
    assert_non_null(strstr(svg, "s0 d1")); /* the seventh has the first one's colour and other dashes */
    assert_non_null(strstr(svg, "aria-labelledby=\"plot-1-t plot-1-d\""));
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks), cmocka_unit_test(test_odd_numbers), cmocka_unit_test(test_arrows),
        cmocka_unit_test(test_legend)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
