/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * polygon: a profile that is known at a few points (internal; theorem
 * profile-nodes, proofs/described-rounds.md).
 *
 * h is the profile of a mechanism on all its neighbouring data, or of a pair,
 * for alpha >= 0: convex, falling, h(0) = 1, h(alpha) >= 1 - alpha. From
 * enclosures of h at nodes comes a convex polygon, itself a profile, that is
 * nowhere below h (the lower convex envelope of the upper ends), or nowhere
 * above it (that of the lower ends and of the lines through neighbouring
 * nodes). All of it is exact.
 */
#ifndef SHUF_PLD_POLYGON_H
#define SHUF_PLD_POLYGON_H

#include "../law/law.h"

/* One direction from alpha[0] = 1 on: straight between the corners, constant from the last one on; 0 where that is negative. */
typedef struct
{
    slong count;
    fmpq *alpha, *value;
    arb_ptr start, height, slope; /* of the pieces that begin there */
} polygon_side;

typedef struct
{
    polygon_side side[2]; /* PQ, QP */
    int symmetric;        /* both directions are said to be the same */
    shuf_real_t loss;     /* from which on both are 0, */
    int has_loss;         /* if there is such a number */
} polygon_struct;

typedef polygon_struct polygon_t[1];

/* h at an alpha >= 1, in both directions: lo <= h <= hi. */
typedef struct
{
    fmpq_t alpha;
    arf_t lo[2], hi[2]; /* PQ, QP */
} polygon_node;

void polygon_node_init(polygon_node *node);
void polygon_node_clear(polygon_node *node);

/* alpha := 1 + expm1(s) to a few bits, s > 0. Returns 0, node untouched, where e^s is beyond doubles. */
int polygon_node_place(polygon_node *node, double s);

void polygon_init(polygon_t p);
void polygon_clear(polygon_t p);

/* p := the polygon above h, or that below it, from count >= 1 nodes, 1 = alpha of the first < alpha of the next < .. */
void polygon_set_above(polygon_t p, const polygon_node *node, slong count, int symmetric);
void polygon_set_below(polygon_t p, const polygon_node *node, slong count, int symmetric);

/* The law with that profile, which p must outlive; its data are p. */
void polygon_law(shuf_law_t law, polygon_t p);

/* As `evaluate` of a law that lies between these two, hi from the first and lo from the second: SHUF_ACCURACY. */
shuf_status polygon_evaluate_between(arf_ptr lo, arf_ptr hi, const shuf_law_struct *above, const shuf_law_struct *below, shuf_direction direction,
                                     arf_srcptr s, slong count, const shuf_options *options);

#endif
