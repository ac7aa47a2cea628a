/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* plot: curves as a self-contained SVG file; y is on a logarithmic scale from two decades on (internal). */
#ifndef SHUF_CLI_PLOT_H
#define SHUF_CLI_PLOT_H

#include <stdio.h>

#include "enclosure/enclosure.h"

typedef struct
{
    char label[64];
    double *y; /* log10 of each value; NAN: no point */
} plot_series;

typedef struct
{
    const char *x_label, *y_label;
    size_t points;
    int x_is_log;
    double *x; /* log10, rising; -infinity for 0 */
    size_t count;
    plot_series *series;
} plot_data;

void plot_draw(FILE *out, const plot_data *data);

/* log10 of x >= 0, of any exponent; -infinity for 0. */
double plot_log10(const arf_t x);

#endif
