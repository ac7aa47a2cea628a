/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* panels: Gauss's rule on panels of an interval, with a bound of its error; proofs/line.md, Lemma 9 (internal: for laws of iidsum). */
#ifndef SHUF_IIDSUM_PANELS_H
#define SHUF_IIDSUM_PANELS_H

#include "iidsum.h"

#define PANEL_POINTS 24 /* of a panel: N of Lemma 9, any will do */

/* Gauss's rule on [-1, 1]. */
typedef struct
{
    arb_struct root[PANEL_POINTS], weight[PANEL_POINTS];
} panel_rule;

void panel_rule_init(panel_rule *g, slong prec);
void panel_rule_clear(panel_rule *g);

/* The integral of p(y) e^{s X(y)}, analytic for |Im y| < turn. */
typedef struct
{
    double turn;
    /* log of a bound of the modulus on [centre - half, centre + half] + i [-v, v], 0 <= v < turn, for every s that is asked for; off by less than 10^-3 */
    double (*log_bound)(const void *data, double centre, double half, double v);
    /* appends to q the atom X(y) of mass weight p(y) */
    void (*add)(shuf_quadrature *q, const void *data, const arb_t y, const arb_t weight);
    const void *data;
    slong prec;
} panel_integrand;

/* Appends to q atoms for the integral over [left, right], its error aiming to stay below tolerance; 0, or -1 if there is no such bound. */
int panels_add(shuf_quadrature *q, const panel_rule *g, const panel_integrand *f, const arb_t left, const arb_t right, double tolerance);

#endif
