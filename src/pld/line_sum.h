/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* line_sum: the losses of the rounds of a composition, and estimates of their sum (internal; proofs/product-line.md). */
#ifndef SHUF_PLD_LINE_SUM_H
#define SHUF_PLD_LINE_SUM_H

#include "../law/law.h"
#include "grid.h"

/* Rounds that are alike: their loss exactly, and for estimates in doubles. */
typedef struct
{
    const shuf_law_struct *law; /* NULL: the loss is that of a grid law */
    shuf_loss_t loss;
    arb_t finite;               /* the mass of all but infinite losses, at least that of those that are known */
    uint64_t rounds;
    double variance, largest, *value, *log_mass;
    slong atoms;  /* of the estimates: those of the loss and the warnings */
    double spread; /* by how much the transform falls like a normal number's, but for the variance */
} line_part;

/* Of so many rounds that are alike in all, for a divergence of about e^log_least: these steer only. Returns 0, or -1 if the law does not tell its loss (nothing to clear). */
int line_part_of_law(line_part *p, const shuf_law_struct *law, uint64_t rounds, double alike, double log_least, shuf_direction direction);
/* Of a law above a profile, or below that of a pair. */
void line_part_of_grid(line_part *p, const grid_law_struct *law, uint64_t rounds, int below);
void line_part_clear(line_part *p);

/* Counts the largest losses as not known, as far as their mass is at most e^log_mass in all; values with a filter are left alone. */
void line_part_trim(line_part *p, double log_mass);

typedef struct
{
    line_part *parts;
    size_t count;
} line_sum;

/* What is asked: delta at eps = point, or eps at delta = e^point; and about the logarithm of the delta there, NAN if it is not known. */
typedef struct
{
    int to_delta;
    double point, told;
} line_goal;

/* k := log of E e^{theta L} and its derivatives: of a round, but for what is normal, of the Laplace loss of one, and of the sum of all */
void line_part_cumulants(double k[3], const line_part *p, double theta);
void laplace_cumulants(double k[3], double largest, double theta);
void line_sum_cumulants(double k[3], const line_sum *s, double theta);

/* theta of the goal, and the eps >= 0 and the log delta that go with it */
double line_sum_saddle(double *eps, double *log_delta, const line_sum *s, const line_goal *goal);

#endif
