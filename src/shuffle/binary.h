/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * binary: shuffled reports of one bit, exactly.
 *
 * n users report one bit each, independently; it is 1 with a probability
 * between q and p, both of which some input has. The largest divergence of
 * neighbouring data is that of data where the differing user has p in one and
 * q in the other and, of the other users, `ones` have p and the rest q, for one
 * number `ones` (theorem binary-reports, proofs/binary-reports.md). Here it is
 * found by branch and bound, with bounds of all errors:
 *
 *   PQ: H_alpha(N + Bern(p) || N + Bern(q)),  QP: H_alpha(N + Bern(q) || N + Bern(p)),
 *   N ~ Bin(ones, p) + Bin(n-1-ones, q).
 *
 * The same of a round in which a uniform subset of the users reports: then
 * P and Q are of those of a uniform subset of these n bits.
 */
#ifndef SHUF_BINARY_H
#define SHUF_BINARY_H

#include "../law/law.h"
#include "sample.h"

typedef struct
{
    uint64_t users;
    uint64_t absent;        /* so many of them, at least one less, are not drawn: the others are a uniform subset */
    counts_bits_t bits;
    counts_bits_t own;      /* of the differing user where that one has others, has_own: all users are drawn then */
    int has_own;
    int mirrored;           /* p + q = 1: the directions are alike, `ones` and n-1-ones exchanged */
    int has_loss;
    shuf_real_t largest_loss; /* from which on the divergences are 0 */
} binary_struct;

typedef binary_struct binary_t[1];

/* Certain reports of one user. */
void binary_init(binary_t x);
void binary_clear(binary_t x);

/* Data, which direction it is of. */
typedef struct
{
    uint64_t ones;
    shuf_direction direction; /* PQ or QP */
} binary_data;

/*
 * r encloses the largest divergence over `ones`, at eps >= 0; BOTH is the larger
 * direction. data, unless NULL, has at least r->lo; if `below`, r encloses its
 * divergence only, and no other data are searched for than promise most. SHUF_OK, SHUF_ACCURACY
 * (valid, wider than asked), or SHUF_DOMAIN ([0, 1]) for more than
 * COUNTS_MAX_USERS users, or where doubles do not reach.
 */
shuf_status binary_delta(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t eps,
                              shuf_direction direction, int below, const shuf_options *options);

/* The same of the data with that many ones. */
shuf_status binary_delta_of(shuf_enclosure_t r, const binary_t x, uint64_t ones, const shuf_real_t eps,
                                 shuf_direction direction, const shuf_options *options);

/*
 * r encloses the smallest eps with largest divergence at most delta: that is
 * certain at r->hi, and at less than r->lo data exceed delta; `below` as above. SHUF_DOMAIN
 * ([lo, +inf]) when no finite eps is found.
 */
shuf_status binary_epsilon(shuf_enclosure_t r, binary_data *data, const binary_t x, const shuf_real_t delta,
                                shuf_direction direction, int below, const shuf_options *options);

/*
 * Data with a large divergence where it has fallen to a part of its value at 0: for compositions. BOTH: of either direction.
 * Returns 0 for samples that are too large to look at many data.
 */
int binary_choose(binary_data *data, const binary_t x, shuf_direction direction);

/*
 * The divergences at every eps: of the worst data at each, a bound from above
 * for all data, or of given data. NULL where doubles do not reach.
 */
typedef struct binary_table binary_table;

binary_table *binary_worst(const binary_t x, const shuf_options *options);
binary_table *binary_of(const binary_t x, uint64_t ones);
void binary_free(binary_table *table);

/* With PQ and QP exchanged, and in both directions the larger if `either`. */
typedef struct
{
    const binary_table *table;
    int either, exchanged;
} binary_view;

/*
 * loss := that of the profile of hi of binary_value, by its nodes, or of given data of everyone; as `loss` of law.h, and as
 * initialised, or to be cleared if 0 is returned.
 */
int binary_loss(shuf_loss_t loss, const binary_view *view, shuf_direction direction, slong prec);

/* lo and hi enclose the divergence at s >= 0, a dyadic number: as a function of s their hi is a profile, or above one of all data. */
void binary_value(arf_t lo, arf_t hi, const binary_view *view, shuf_direction direction, const arf_t s);

#endif
