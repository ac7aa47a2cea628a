/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * grid_nodes: a part of a composition, its profile at some losses, and the
 * grid laws that follow (internal; proofs/pld.md, Lemmas 2 and 3).
 *
 * Any losses will do. They are put where the gap between the two laws matters
 * to the composition: in a cell of width w it is about w times the mass there,
 * and it counts as often as the other rounds make up for the loss.
 */
#ifndef SHUF_PLD_GRID_NODES_H
#define SHUF_PLD_GRID_NODES_H

#include "../law/law.h"
#include "grid.h"

/* A part in one direction. The nodes are losses in steps, rising, from below 0 to above. */
typedef struct
{
    const shuf_law_struct *law;
    uint64_t rounds;
    shuf_direction direction;
    double top, bottom; /* losses from -bottom to top matter */
    double scale;       /* standard deviation of the loss, roughly; 0: P = Q */
    slong log2_step, count;
    slong *node;
    arf_ptr lo, hi;     /* lo <= profile <= hi */
    char *known;        /* where it was looked at */
    double *gap;        /* of the cell above a node: about what it adds to the width of the answer, as a logarithm */
    int have_laws;
    grid_law_t upper, lower;
    double *value, *log_mass; /* the losses, and the masses of upper, for estimates */
    int has_mass;       /* some of it is finite */
} grid_nodes_struct;

void grid_nodes_init(grid_nodes_struct *x, const shuf_law_struct *law, uint64_t rounds, shuf_direction direction);
void grid_nodes_clear(grid_nodes_struct *x);

/*
 * top, bottom and scale, from the profile at a few losses far apart: it is below e^least at the ends, or as small as it gets. Returns
 * 0 if it is 0 everywhere.
 */
int grid_nodes_survey(grid_nodes_struct *x, double least, const shuf_options *options);

/* The first nodes, multiples of 2^log2_step: some in a standard deviation, and ever fewer beyond. */
void grid_nodes_place(grid_nodes_struct *x, slong log2_step);

/* More nodes where the profile falls much from one to the next, as far as it is above e^least. */
void grid_nodes_follow(grid_nodes_struct *x, double least, const shuf_options *options);

/* The laws, from the profile at the nodes. */
void grid_nodes_set_laws(grid_nodes_struct *x, const shuf_options *options);

/* Drops nodes above which the mass is less than e^above, if that is finite, and below which it is less than e^below. */
void grid_nodes_narrow(grid_nodes_struct *x, double above, double below);

/* k := log of E e^{theta L}, L the loss of a round as far as it is finite, and its derivatives. */
void grid_nodes_cumulants(double k[3], const grid_nodes_struct *x, double theta);

/*
 * The nodes there are if cells whose gap is above `level` are cut into pieces until it is not. Adds e^{-most} times what the gaps are then to
 * *left.
 */
double grid_nodes_after(double *left, const grid_nodes_struct *x, double level, double most);

/* Cuts them, as far as the step allows. */
void grid_nodes_cut(grid_nodes_struct *x, double level);

#endif
