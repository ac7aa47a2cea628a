/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * svg: curves as one SVG picture, a file of its own or a part of a page
 * (internal).
 *
 * Numbers are given as decimal logarithms, so that 1e-4232 can be drawn:
 * -infinity is 0, NAN is no value, +infinity is no finite end. Lines differ in
 * colour, dashes and marks. Text has the colour of the text around it.
 */
#ifndef SHUF_REPORT_SVG_H
#define SHUF_REPORT_SVG_H

#include <stddef.h>
#include <stdio.h>

typedef struct
{
    const char *label;
    int is_lower;               /* the line goes through the lower ends */
    size_t count;
    const double *x, *lo, *hi;  /* x rises; where hi is visibly above lo, a bar shows both, or an arrow */
} svg_series;

typedef enum
{
    SVG_LINEAR,
    SVG_LOG,
    SVG_AUTO /* logarithmic from two decades on */
} svg_scale;

typedef struct
{
    const char *id;             /* unlike any other in the page: letters, digits, hyphens */
    const char *title, *x_label, *y_label;
    svg_scale x_scale, y_scale;
    double y_least;             /* nothing below it is shown on a logarithmic axis; -infinity: everything */
    size_t count;
    const svg_series *series;
    const char *point;          /* the legend of one point under a cross, or NULL */
    double point_x, point_y;
} svg_plot;

/* Draws the plot. is_file: with a name space, paper and style of its own; otherwise the page has svg_style. */
void svg_draw(FILE *out, const svg_plot *plot, int is_file);

/* The style sheet of plots, for light and dark screens and for print. */
void svg_style(FILE *out);

#endif
