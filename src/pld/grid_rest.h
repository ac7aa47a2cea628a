/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* grid_rest: how much every cell of a part matters to a composition; estimates, no bounds (internal). */
#ifndef SHUF_PLD_GRID_REST_H
#define SHUF_PLD_GRID_REST_H

#include "grid_nodes.h"
#include "product_line.h"

/*
 * Sets the gaps of a part, which has laws. A cell from x to x + w in which a round has the mass m may add about m w Pr[eps - x - w < Y <= eps - x] to
 * the width, Y the loss of all other rounds; its law is that of the line, of which the tilted loss has that mean, but for one round of the part. Where the law below
 * is lowered all along a straight piece of the profile that says too little: with `anywhere` Y is not looked at.
 */
void grid_rest_weigh(grid_nodes_struct *x, const line_struct *line, double mean, double eps, int anywhere);

#endif
