/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "batch/batch_nodes.h"

#include <math.h>

#define DEVIATION 2.5 /* steers only */

polygon_node *batch_nodes_init(const batch_nodes *p)
{
    polygon_node *node = flint_malloc((size_t) p->most * sizeof(*node));
    slong i;
    for (i = 0; i < p->most; i++)
    {
        polygon_node_init(&node[i]);
        fmpq_one(node[i].alpha);
        arf_one(node[i].hi[0]);
        arf_one(node[i].hi[1]);
    }
    return node;
}

void batch_nodes_clear(polygon_node *node, const batch_nodes *p)
{
    slong i;
    for (i = 0; i < p->most; i++)
        polygon_node_clear(&node[i]);
    flint_free(node);
}

slong batch_nodes_place(polygon_node *node, const batch_nodes *p, double distance, double noise)
{
    /* from there on the Gaussian mechanism, of which an epoch has no more, is as small as it need be */
    const double last = 1 / (noise * noise) / 2 + sqrt(-2 * LEAST_LOG) / noise;
    double deviation = DEVIATION * fmin(fmax(distance, 1e-12), 1), s = 0;
    slong i;
    for (i = 1; i < p->most && s < last; i++)
    {
        s += s < p->near * deviation ? deviation / p->per_deviation : s * p->far;
        if (!polygon_node_place(&node[i], s))
            break;
    }
    return i;
}
