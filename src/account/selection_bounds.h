/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* selection_bounds (internal): the best of a random number of runs, from the profile of one. Theorems and proofs: proofs/selection.md. */
#ifndef SHUF_ACCOUNT_SELECTION_BOUNDS_H
#define SHUF_ACCOUNT_SELECTION_BOUNDS_H

#include "question.h"

/* The number K of runs, f(x) = E x^K. */
typedef struct
{
    int is_poisson;
    fmpq_t shape;      /* of others: the negative binomial's, 1 of geometric runs, 0 of logarithmic ones; */
    arb_t mean, gamma; /* E K; */
    arb_t scale, power; /* f'(1-a) is the scale over that power of gamma + (1-gamma) a */
} selection_runs;

/* The mean is at least 1, more than 0 of Poisson runs. The shape, at least -1/2, is that of negative binomial runs. */
void selection_runs_init(selection_runs *x, shuf_selection kind, const fmpq_t mean, const fmpq_t shape);
void selection_runs_clear(selection_runs *x);

/* lo[i][j] <= H_{e^eps[j]} <= hi[i][j], 0 = eps[0] < eps[1] < .., of P from Q (i = 0) and Q from P (i = 1). Any laws have them, or at least values below hi. */
typedef struct
{
    slong count;
    arf_ptr eps, lo[2], hi[2];
} selection_profile;

/* Numbers 0; at least two. */
void selection_profile_init(selection_profile *p, slong count);
void selection_profile_clear(selection_profile *p);

/* Theorem 1 of a profile from above, i = 0 and 1 exchanged if `order`. p must outlive it. */
typedef struct
{
    const selection_profile *p;
    int order;
    slong cells;
    arf_t ratio; /* at least f'(1-a)/f'(1-phi(a)) for all a; Theorem 1's W */
    arf_ptr first, second, end; /* of cell j: f'(1-a) at its ends is at most first[j], first[j+1], f'(1-phi(a)) at least a line from second[j] to end[j] */
} selection_above;

void selection_above_init(selection_above *x, const selection_runs *runs, const selection_profile *p, int order);
void selection_above_clear(selection_above *x);

/* v := at least the hockey-stick divergence of what is released, at e^eps, eps >= 0; in [0, 1] */
void selection_above_value(arf_t v, const selection_above *x, const arb_t eps);

/* About the eps at which both terms are the same of the event that something is better, or 0: where one more point of the profile tells most of the ratio. Steers only. */
double selection_balance(const selection_runs *runs, const selection_profile *p);

/* Theorem 3 of the profile of a pair, in both directions that of the same two laws; otherwise likewise. */
typedef struct
{
    const selection_profile *p;
    const selection_runs *runs;
    int order;
    slong levels;
    slong *place;            /* of level i: the first block has log(q/p) at least eps[place[i]], and is empty for i = 0; */
    arb_ptr before, inside;  /* P of it, at most; Q of it, at least */
    double *gain;            /* about log(f'(1-P)/f'(1-Q)): it rises */
    arb_ptr beyond, mass;    /* Q and P of the outcomes whose log(p/q) is above eps[j] */
} selection_below;

void selection_below_init(selection_below *x, const selection_runs *runs, const selection_profile *p, int order);
void selection_below_clear(selection_below *x);

/* v := at most the hockey-stick divergence of what is released in some order of outcomes, likewise */
void selection_below_value(arf_t v, const selection_below *x, const arb_t eps);

/* at[0] > at[1] > .. := points of the profile, `most` at most, that have more to say with one a little before and one a little after. Returns their number. Steers only. */
slong selection_below_places(slong *at, slong most, const selection_below *x);

#endif
