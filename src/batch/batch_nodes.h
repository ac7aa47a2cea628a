/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* batch_nodes: where the profile of an epoch is looked at (internal). Steers only. */
#ifndef SHUF_BATCH_NODES_H
#define SHUF_BATCH_NODES_H

#include "../pld/polygon.h"

/* Nothing that is asked for depends on a smaller divergence of an epoch. Steers only. */
#define LEAST_LOG (-200.0)

/*
 * So many nodes to a standard deviation of the loss up to `near` deviations, then at distances that are a share of the loss; a deviation is
 * about 2.5 times the total variation distance.
 */
typedef struct
{
    double per_deviation, near, far;
    slong most;
} batch_nodes;

/* Room for p->most nodes, at 1, of which nothing is known; and the end of them. */
polygon_node *batch_nodes_init(const batch_nodes *p);
void batch_nodes_clear(polygon_node *node, const batch_nodes *p);

/* Returns the number of nodes; the first is at 1, where the total variation distance is about `distance`. */
slong batch_nodes_place(polygon_node *node, const batch_nodes *p, double distance, double noise);

#endif
