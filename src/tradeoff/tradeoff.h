/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * tradeoff: trade-off functions of hypothesis tests,
 *
 *   T(P,Q)(a) = inf { E_Q(1 - phi) : phi a test, E_P phi <= a },  0 <= a <= 1,
 *
 * the smallest type II error (under Q) of a test whose type I error (under P)
 * is at most a. It is convex and falls, T(P,Q)(1) = 0, and by the duality
 *
 *   T(P,Q)(a) = sup_{alpha >= 0} 1 - alpha a - H_alpha(Q||P)
 *
 * (Dong, Roth, Su, Gaussian Differential Privacy, JRSS-B 2022, Proposition
 * 2.12) a privacy profile in both directions determines it. Any alpha gives a
 * lower bound; what H can at least be between evaluated points, as it is
 * convex in alpha, gives an upper one (proofs/tradeoff.md).
 *
 * If the profile is that of a pair which dominates a mechanism, the lower end
 * is a guarantee: no test on the mechanism's output does better.
 */
#ifndef SHUF_TRADEOFF_H
#define SHUF_TRADEOFF_H

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"
#include "../law/law.h"

struct shuf_tradeoff_node;

/* T(P,Q), or T(Q,P), and the points at which its profile has been evaluated: they serve every type I error. */
typedef struct
{
    const shuf_law_struct *profile;
    shuf_direction direction;
    slong digits; /* of the evaluations; 0 before the first */
    slong prec;
    slong count;
    struct shuf_tradeoff_node *nodes;
    arf_t left_limit, right_limit; /* at most H(P||Q) and H(Q||P) at infinity */
} shuf_tradeoff_struct;

typedef shuf_tradeoff_struct shuf_tradeoff_t[1];

/* direction PQ: T(P,Q); QP: T(Q,P). The profile must outlive t. */
void shuf_tradeoff_init(shuf_tradeoff_t t, const shuf_law_struct *profile, shuf_direction direction);
void shuf_tradeoff_clear(shuf_tradeoff_t t);

/*
 * r encloses the trade-off function at type1, 0 <= type1 <= 1: SHUF_OK,
 * SHUF_ACCURACY (valid, wider than asked: time or the profile's accuracy ran
 * out; [0, 1 - type1] at worst) or SHUF_DOMAIN (type1 outside; r = [0, 1]).
 */
shuf_status shuf_tradeoff_at(shuf_enclosure_t r, shuf_tradeoff_t t, const shuf_real_t type1, const shuf_options *options);

/* r contains min(x, y) for every value x in r and y in x; ledgers are combined. */
void shuf_tradeoff_smaller(shuf_enclosure_t r, const shuf_enclosure_t x);

/* The same for one point; direction BOTH is the smaller of T(P,Q) and T(Q,P). */
shuf_status shuf_tradeoff_point(shuf_enclosure_t r, const shuf_law_struct *profile, const shuf_real_t type1,
                                shuf_direction direction, const shuf_options *options);

/*
 * Two piecewise linear functions with vertices at type1[0] = 0 < ... <
 * type1[count-1] = 1: for every a in [0, 1] the one through `lower` is at most
 * the trade-off function at a, and the one through `upper` at least. `lower`
 * is convex but for roundings.
 */
typedef struct
{
    slong count;
    arf_ptr type1, lower, upper;
    arf_t gap; /* the largest distance of the two */
    shuf_status status;
} shuf_tradeoff_curve_struct;

typedef shuf_tradeoff_curve_struct shuf_tradeoff_curve_t[1];

void shuf_tradeoff_curve_init(shuf_tradeoff_curve_t curve);
void shuf_tradeoff_curve_clear(shuf_tradeoff_curve_t curve);

#define SHUF_TRADEOFF_MAX_VERTICES 2000

/*
 * Refines until gap <= 10^-digits (SHUF_OK), or until about `most` vertices,
 * at most SHUF_TRADEOFF_MAX_VERTICES, the time or the profile's accuracy are
 * used up (SHUF_ACCURACY).
 */
shuf_status shuf_tradeoff_curve(shuf_tradeoff_curve_t curve, shuf_tradeoff_t t, slong most, const shuf_options *options);

/* [lo, hi] := the values of the two functions at a, 0 <= a <= 1, rounded outward. */
void shuf_tradeoff_curve_at(arf_t lo, arf_t hi, const shuf_tradeoff_curve_t curve, const arf_t a);

#endif
