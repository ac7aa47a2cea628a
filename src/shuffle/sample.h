/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * sample (internal): counts.h where only a uniform subset of the users reports.
 *
 * N of counts.h is the number of ones that all others would report; of the n = a + b + 1
 * users m are drawn. Everyone (m = n) is counts.h itself. Of a sample the law of the
 * ones that are seen is enclosed in doubles with bounds of all errors
 * (proofs/binary-reports.md, Theorem 7 and Lemmas 8 to 11).
 */
#ifndef SHUF_SHUFFLE_SAMPLE_H
#define SHUF_SHUFFLE_SAMPLE_H

#include "counts.h"

/* A direction's view of a sample: zeros for ones in QP. first <= i < first + length. */
typedef struct
{
    uint64_t first;
    slong length;
    int open, closed;      /* there are values before the first, and none after the last */
    double out;            /* above the probability of those after the last, */
    double part;           /* and m/n */
    range_struct *mass;    /* (m/n) Pr[i ones among m-1 of the others] */
    range_struct *beyond;  /* Pr[more than i ones among m of all users, user 1 having none] */
} sample_struct;

typedef struct
{
    int is_sample;
    counts_law everyone;
    sample_struct pq, qp;  /* of a sample, where wanted */
} round_law;

/* Which users there are. */
typedef struct
{
    const counts_steps *steps;
    const counts_bits_struct *bits;
    uint64_t ones, zeros;  /* a users with p and b with q, */
    uint64_t drawn;        /* and 1 <= m <= a + b + 1 */
} round_users;

/*
 * The law where it is roughly at least e^-below, or e^-above, of its largest value on either side, to
 * about e^-margin of relative error; of a sample, for the directions that have a flag. Returns 0, with nothing to clear, when doubles
 * do not reach or there are too many values.
 */
int round_law_init(round_law *law, const round_users *users, int pq, int qp, double below, double above, double margin);
void round_law_clear(round_law *law);

/* value encloses the divergence at the point. */
void round_divergence(range_struct *value, const round_law *law, shuf_direction direction, const counts_point *x);

/* About the work of the law of a sample as one direction sees it, where it is at least e^-depth, or e^-margin inside. */
double round_price(const round_users *users, double depth, double margin);

/* counts_depth of the round. */
double round_depth(const round_users *users, shuf_direction direction, const counts_point *x);

#endif
