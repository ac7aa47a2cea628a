/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "enclosure/elementary.h"
#include "report/markup.h"

/* Layout, in units of the picture, which is shown at about half to twice the size; characters of the 13 px text are at most that wide. */
#define WIDTH 460
#define HEIGHT 304
#define TOP 14
#define BOTTOM 50
#define CHARACTER 7.6
#define LEGEND_LINE 19
#define LEGEND_TEXT 46
#define MAX_TICKS 12
#define LABEL_SIZE 24
#define MARKS 9          /* on a line, about */
#define BAR 1.5          /* a shorter one is not drawn */
#define LONGEST_BAR 60   /* of a longer one, an arrow of this length: */
#define ARROW 16
#define STYLES 6
#define FAR 1e6          /* no coordinate is larger: a line to there leaves the picture as the true one does */

typedef struct
{
    int is_log;
    double from, to; /* ends: values, or their logarithms */
    int count;
    double tick[MAX_TICKS];
    char label[MAX_TICKS][LABEL_SIZE];
    int widest; /* label, in characters */
} axis;

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten, at least x > 0; *power is that of ten. */
static double round_step(double x, int *power)
{
    double unit;
    *power = (int) floor(d_log10(x) + 1e-9);
    unit = d_pow(10, *power);
    if (x <= unit * (1 + 1e-9))
        return unit;
    if (x <= 2 * unit * (1 + 1e-9))
        return 2 * unit;
    if (x <= 5 * unit * (1 + 1e-9))
        return 5 * unit;
    ++*power;
    return 10 * unit;
}

/* The number k 10^power, k whole, without an exponent where it is short. */
static void print_label(char *text, double k, int power)
{
    char digits[LABEL_SIZE]; /* at most seven, see set_linear */
    int length, e;
    while (k != 0 && fmod(k, 10) == 0)
    {
        k /= 10;
        power++;
    }
    length = snprintf(digits, sizeof(digits), "%.0f", k);
    e = power + length - 1;
    if (k == 0)
        snprintf(text, LABEL_SIZE, "0");
    else if (e >= -3 && e <= 4)
        snprintf(text, LABEL_SIZE, "%.*f", power < 0 ? -power : 0, k * d_pow(10, power));
    else
        snprintf(text, LABEL_SIZE, "%c%s%.9se%d", digits[0], length > 1 ? "." : "", digits + 1, e);
}

static void add_tick(axis *a, double at, double k, int power)
{
    int length;
    if (a->count == MAX_TICKS)
        return;
    print_label(a->label[a->count], k, power);
    length = (int) strlen(a->label[a->count]);
    a->widest = length > a->widest ? length : a->widest;
    a->tick[a->count++] = at;
}

static void set_linear(axis *a, double least, double most)
{
    int power, i;
    double step, first, last;
    if (!(most > least))
    {
        least = least > 0 ? least / 2 : 0;
        most = most > 0 ? most * 1.5 : 1;
    }
    most = fmax(most, least * (1 + 1e-6)); /* labels of six digits or so */
    step = round_step((most - least) / 5, &power);
    first = floor(least / step + 1e-9);
    last = ceil(most / step - 1e-9);
    a->from = first * step;
    a->to = last * step;
    for (i = 0; first + i <= last; i++)
        add_tick(a, (first + i) * step, (first + i) * round(step / d_pow(10, power)), power);
}

/* The logarithm of 1, 2 or 5 times a power of ten: the j-th from 1 on, in either direction. */
static double candidate(long j, int *k, int *power)
{
    static const int factors[] = { 1, 2, 5 };
    long decade = (long) floor((double) j / 3);
    *k = factors[j - 3 * decade];
    *power = (int) decade;
    return (double) decade + d_log10(*k);
}

static void set_log(axis *a, double least, double most)
{
    const double slack = 1e-9;
    long first = 3 * (long) floor(least) - 1, last, j;
    int k, power, stride;
    if (!(most > least))
        most = least + slack;
    while (candidate(first + 1, &k, &power) <= least + slack)
        first++;
    for (last = first + 1; candidate(last, &k, &power) < most - slack && last <= first + 7; last++)
        ;
    if (last - first + 1 <= 7)
    {
        a->from = candidate(first, &k, &power);
        for (j = first; j <= last; j++)
        {
            a->to = candidate(j, &k, &power);
            add_tick(a, a->to, k, power);
        }
        return;
    }
    stride = (int) fmax(1, round(round_step(fmax(1, (ceil(most) - floor(least)) / 5), &power)));
    first = (long) floor(floor(least + slack) / stride);
    last = (long) ceil(ceil(most - slack) / stride);
    for (j = first; j <= last; j++)
        add_tick(a, (double) (j * stride), 1, (int) (j * stride));
    a->from = (double) (first * stride);
    a->to = (double) (last * stride);
}

/* least, most: logarithms of the smallest and the largest positive number, has_zero: there is 0 as well. */
static void set_axis(axis *a, double least, double most, int has_zero, svg_scale scale)
{
    memset(a, 0, sizeof(*a));
    if (!(least <= most))
        least = most = 0; /* nothing to show */
    a->is_log = scale == SVG_LOG || (scale == SVG_AUTO && most - least >= 2) || least < -290 || most > 290;
    if (a->is_log)
        set_log(a, least, most);
    else
        set_linear(a, has_zero ? 0 : d_pow(10, least), d_pow(10, most));
}

static void widen(double *least, double *most, int *has_zero, double value)
{
    *has_zero |= value == -HUGE_VAL;
    if (isfinite(value))
    {
        *least = fmin(*least, value);
        *most = fmax(*most, value);
    }
}

static double line_of(const svg_series *s, size_t i)
{
    return s->is_lower ? s->lo[i] : s->hi[i];
}

static void set_axes(axis *x, axis *y, const svg_plot *p)
{
    double x_least = HUGE_VAL, x_most = -HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL;
    int x_zero = 0, zero = 0;
    size_t i, j;
    for (j = 0; j < p->count; j++)
    {
        for (i = 0; i < p->series[j].count; i++)
        {
            double value = line_of(&p->series[j], i);
            widen(&x_least, &x_most, &x_zero, p->series[j].x[i]);
            widen(&least, &most, &zero, value);
            /* a line at infinity has its lower end, and the other way round */
            if (!isfinite(value))
                widen(&least, &most, &zero, p->series[j].is_lower ? p->series[j].hi[i] : p->series[j].lo[i]);
        }
    }
    if (p->point != NULL)
    {
        widen(&x_least, &x_most, &x_zero, p->point_x);
        widen(&least, &most, &zero, p->point_y);
    }
    set_axis(x, x_least, x_most, x_zero, p->x_scale);
    if (isfinite(p->y_least) && least <= most)
        least = fmin(fmax(least, p->y_least), most);
    set_axis(y, least, most, zero, p->y_scale);
}

/* ---- the picture ---- */

typedef struct
{
    FILE *out;
    const svg_plot *plot;
    axis x, y;
    double left, right; /* edges of the frame */
    int height;
} picture;

/* NAN for no number; far out for infinity and for 0 on a logarithmic axis. */
static double place(const axis *a, double value, double from, double to)
{
    double c = a->is_log || isnan(value) ? value : value == HUGE_VAL ? value : d_pow(10, value), at;
    if (isnan(c))
        return NAN;
    at = from + (to - from) * (c - a->from) / (a->to - a->from);
    return fmax(-FAR, fmin(FAR, at));
}

/* No point has the abscissa 0 on a logarithmic axis. */
static double place_x(const picture *g, double value)
{
    return g->x.is_log && value == -HUGE_VAL ? NAN : place(&g->x, value, g->left, g->right);
}

static double place_y(const picture *g, double value)
{
    return place(&g->y, value, HEIGHT - BOTTOM, TOP);
}

static void put_axes(const picture *g)
{
    double across = (g->right - g->left) / (g->x.to - g->x.from), down = (HEIGHT - BOTTOM - TOP) / (g->y.to - g->y.from);
    int i;
    for (i = 0; i < g->x.count; i++)
    {
        double at = g->left + across * (g->x.tick[i] - g->x.from);
        fprintf(g->out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at, TOP,
                HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 20, g->x.label[i]);
    }
    for (i = 0; i < g->y.count; i++)
    {
        double at = HEIGHT - BOTTOM - down * (g->y.tick[i] - g->y.from);
        fprintf(g->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                g->left, at, g->right, g->left - 6, at + 4.5, g->y.label[i]);
    }
    fprintf(g->out, "<rect class=\"frame\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n<text x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">", g->left, TOP, g->right - g->left, HEIGHT - BOTTOM - TOP, (g->left + g->right) / 2, HEIGHT - 8);
    put_html(g->out, g->plot->x_label);
    fprintf(g->out, "</text>\n<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" text-anchor=\"middle\">",
            (HEIGHT - BOTTOM + TOP) / 2, (HEIGHT - BOTTOM + TOP) / 2);
    put_html(g->out, g->plot->y_label);
    fputs("</text>\n", g->out);
}

static void put_mark(FILE *out, size_t series, double x, double y)
{
    static const char *const marks[] = {
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-3.5 -3.5h7v7h-7z", "m0 -4.5l4.5 8h-9z", "m0 -5l5 5l-5 5l-5 -5z", "m0 4.5l4.5 -8h-9z",
        "m-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z"
    };
    fprintf(out, "<path class=\"m%zu\" d=\"M%.1f %.1f%s\"/>\n", series % STYLES, x, y, marks[(series + series / STYLES) % STYLES]);
}

/* From y on, up or down; a longer one ends in an arrow that is short: lines of the frame's height would look like a grid. */
static void put_bar(const picture *g, size_t series, double x, double y, double to)
{
    const int is_arrow = fabs(to - y) > LONGEST_BAR, sign = to > y ? 1 : -1;
    if (fabs(to - y) <= BAR)
        return;
    fprintf(g->out, "<path class=\"s%zu bar\" d=\"M%.1f %.1fV%.1f", series % STYLES, x, y, is_arrow ? y + sign * ARROW : to);
    if (is_arrow)
        fprintf(g->out, "m-3 %dl3 %dl3 %d", -5 * sign, 5 * sign, -5 * sign);
    fputs("\"/>\n", g->out);
}

/* The other end of each point where the two can be told apart; at the edge, an arrow to an end that is none or outside. */
static void put_bars(const picture *g, const svg_series *s, size_t series)
{
    size_t i;
    for (i = 0; i < s->count; i++)
    {
        double end = line_of(s, i), other = s->is_lower ? s->hi[i] : s->lo[i];
        double x = place_x(g, s->x[i]), y = place_y(g, isnan(end) && !s->is_lower ? HUGE_VAL : end), to = place_y(g, other);
        if (isnan(x) || isnan(y) || (isnan(to) && isnan(end)))
            continue;
        if (y < TOP)
            put_bar(g, series, x, TOP + ARROW, -FAR);
        else if (y > HEIGHT - BOTTOM)
            put_bar(g, series, x, HEIGHT - BOTTOM - ARROW, FAR);
        else if (!isnan(to))
            put_bar(g, series, x, y, to);
    }
}

/* A line through the points, interrupted where there is none. */
static void put_series(const picture *g, size_t series)
{
    const svg_series *s = &g->plot->series[series];
    size_t i;
    int open = 0;
    fprintf(g->out, "<path class=\"s%zu d%zu\" d=\"M-99 -99", series % STYLES, (series + series / STYLES) % STYLES);
    for (i = 0; i < s->count; i++)
    {
        double x = place_x(g, s->x[i]), y = place_y(g, line_of(s, i));
        int there = !isnan(x) && !isnan(y) && line_of(s, i) != HUGE_VAL;
        if (there)
            fprintf(g->out, "%c%.1f %.1f", open ? 'L' : 'M', x, y);
        open = there;
    }
    fputs("\"/>\n", g->out);
    put_bars(g, s, series);
}

static void put_marks(const picture *g, size_t series)
{
    const svg_series *s = &g->plot->series[series];
    size_t i, every = s->count / MARKS + 1;
    for (i = every / 2; i < s->count; i += every)
    {
        double x = place_x(g, s->x[i]), y = place_y(g, line_of(s, i));
        if (y >= TOP && y <= HEIGHT - BOTTOM && x >= g->left - 1 && x <= g->right + 1)
            put_mark(g->out, series, x, y);
    }
}

static void put_cross(FILE *out, double x, double y)
{
    fprintf(out, "<path class=\"claim\" d=\"M%.1f %.1fm-8 0h6m4 0h6m-8 -8v6m0 4v6m-4 -8a4 4 0 1 0 8 0a4 4 0 1 0 -8 0\"/>\n", x, y);
}

/* ---- the legend ---- */

/* Writes the label in lines of at most `columns` bytes, broken at spaces where there are some; NULL: only counts them. */
static int put_lines(FILE *out, const char *label, double x, double y)
{
    const size_t columns = (size_t) ((WIDTH - LEGEND_TEXT - 6) / CHARACTER);
    int lines = 0;
    while (*label != '\0')
    {
        size_t length = strlen(label), cut = length;
        if (length > columns)
        {
            for (cut = columns; cut > 0 && label[cut] != ' '; cut--)
                ;
            /* no space: between two characters */
            for (cut = cut > 0 ? cut : columns; cut > 1 && (label[cut] & 0xc0) == 0x80; cut--)
                ;
        }
        if (out != NULL)
        {
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x, y + LEGEND_LINE * lines);
            put_html_part(out, label, cut);
            fputs("</text>\n", out);
        }
        lines++;
        label += cut;
        while (*label == ' ')
            label++;
    }
    return lines > 0 ? lines : 1;
}

static void put_legend(const picture *g)
{
    double y = HEIGHT + 12;
    size_t i;
    for (i = 0; i < g->plot->count; i++)
    {
        const svg_series *s = &g->plot->series[i];
        fprintf(g->out, "<path class=\"s%zu d%zu\" d=\"M6 %.1fh32\"/>", i % STYLES, (i + i / STYLES) % STYLES, y - 4);
        put_mark(g->out, i, 22, y - 4);
        y += LEGEND_LINE * put_lines(g->out, s->label, LEGEND_TEXT, y);
    }
    if (g->plot->point != NULL)
    {
        put_cross(g->out, 22, y - 4);
        put_lines(g->out, g->plot->point, LEGEND_TEXT, y);
    }
}

static int legend_lines(const svg_plot *p)
{
    int lines = p->point != NULL ? put_lines(NULL, p->point, 0, 0) : 0;
    size_t i;
    for (i = 0; i < p->count; i++)
        lines += put_lines(NULL, p->series[i].label, 0, 0);
    return lines;
}

void svg_style(FILE *out)
{
    fputs(".plot{color:#222;font:13px sans-serif}.plot text{fill:currentColor}.plot path,.plot .frame{fill:none}\n"
          ".plot .frame{stroke:#707070}.plot .grid{stroke:#dcdcdc}.plot .paper{fill:#fff}\n"
          ".plot .s0,.plot .s1,.plot .s2,.plot .s3,.plot .s4,.plot .s5{stroke-width:2}.plot .bar{stroke-width:1}\n"
          ".plot .s0{stroke:#b03030}.plot .m0{fill:#b03030}.plot .s1{stroke:#2050a0}.plot .m1{fill:#2050a0}\n"
          ".plot .s2{stroke:#17692b}.plot .m2{fill:#17692b}.plot .s3{stroke:#8a6100}.plot .m3{fill:#8a6100}\n"
          ".plot .s4{stroke:#6a3a9a}.plot .m4{fill:#6a3a9a}.plot .s5{stroke:#00697a}.plot .m5{fill:#00697a}\n"
          ".plot .d1{stroke-dasharray:8 4}.plot .d2{stroke-dasharray:2 3}.plot .d3{stroke-dasharray:10 3 2 3}\n"
          ".plot .d4{stroke-dasharray:5 5}.plot .d5{stroke-dasharray:12 3 2 3 2 3}.plot .claim{stroke:currentColor;stroke-width:2}\n"
          "@media screen and (prefers-color-scheme:dark){.plot{color:#e4e4e4}.plot .frame{stroke:#9a9a9a}.plot .grid{stroke:#3a3a3a}\n"
          ".plot .paper{fill:#161616}.plot .s0{stroke:#ff8f80}.plot .m0{fill:#ff8f80}.plot .s1{stroke:#8ab4ff}.plot .m1{fill:#8ab4ff}\n"
          ".plot .s2{stroke:#7fd694}.plot .m2{fill:#7fd694}.plot .s3{stroke:#e6c060}.plot .m3{fill:#e6c060}\n"
          ".plot .s4{stroke:#cfa8f5}.plot .m4{fill:#cfa8f5}.plot .s5{stroke:#6fd3e3}.plot .m5{fill:#6fd3e3}}\n", out);
}

static void put_description(const picture *g)
{
    size_t i;
    fprintf(g->out, "<title id=\"%s-t\">", g->plot->id);
    put_html(g->out, g->plot->title);
    fprintf(g->out, "</title>\n<desc id=\"%s-d\">", g->plot->id);
    put_html(g->out, g->plot->y_label);
    fprintf(g->out, " (%s axis) against ", g->y.is_log ? "logarithmic" : "linear");
    put_html(g->out, g->plot->x_label);
    fprintf(g->out, " (%s axis).", g->x.is_log ? "logarithmic" : "linear");
    for (i = 0; i < g->plot->count; i++)
    {
        fputs(i > 0 ? "; " : " Lines: ", g->out);
        put_html(g->out, g->plot->series[i].label);
    }
    if (g->plot->point != NULL)
    {
        fputs("; under a cross: ", g->out);
        put_html(g->out, g->plot->point);
    }
    fputs(".</desc>\n", g->out);
}

void svg_draw(FILE *out, const svg_plot *plot, int is_file)
{
    picture g;
    size_t i;
    g.out = out;
    g.plot = plot;
    set_axes(&g.x, &g.y, plot);
    g.left = 34 + CHARACTER * g.y.widest;
    g.right = WIDTH - fmax(10, CHARACTER * g.x.widest / 2 + 2);
    g.height = HEIGHT + LEGEND_LINE * legend_lines(plot) + 4;
    fputs("<svg ", out);
    if (is_file)
        fprintf(out, "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ", WIDTH * 3 / 2, g.height * 3 / 2);
    fprintf(out, "class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\">\n", WIDTH, g.height, plot->id, plot->id);
    put_description(&g);
    if (is_file)
    {
        fputs("<style>\n", out);
        svg_style(out);
        fprintf(out, "</style>\n<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", WIDTH, g.height);
    }
    put_axes(&g);
    fprintf(out, "<clipPath id=\"%s-c\"><rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/></clipPath>\n<g clip-path=\"url(#%s-c)\">\n",
            plot->id, g.left, TOP, g.right - g.left, HEIGHT - BOTTOM - TOP, plot->id);
    for (i = 0; i < plot->count; i++)
        put_series(&g, i);
    fputs("</g>\n", out);
    for (i = 0; i < plot->count; i++)
        put_marks(&g, i);
    if (plot->point != NULL && !isnan(place_x(&g, plot->point_x)) && !isnan(place_y(&g, plot->point_y)))
        put_cross(out, fmax(g.left, fmin(g.right, place_x(&g, plot->point_x))),
                  fmax(TOP, fmin(HEIGHT - BOTTOM, place_y(&g, plot->point_y))));
    put_legend(&g);
    fputs("</svg>\n", out);
}
