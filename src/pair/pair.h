/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * pair: dominating pairs of distributions, all of them the trinomial pair
 *
 *   (A, B, rest) ~ Multinomial(n-1; r0, r1, 1-r0-r1) counts the other users;
 *   the differing user adds (1,0), (0,1) or (0,0) with probabilities
 *   w0, w1, w2 = 1-w0-w1 under P and w1, w0, w2 under Q; the outcome is (a,b);
 *
 * or a mixture of it over a revealed random number of users (krr-weak). With
 * c = the others' A + B, and given c, A ~ Bin(c, rho), rho = r0/(r0+r1). See
 * proofs/trinomial-pair.md. The instances and what each one proves are listed
 * in theorem/theorem.h under the pair's theorem id.
 */
#ifndef SHUF_PAIR_H
#define SHUF_PAIR_H

#include "exact/exact.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
    SHUF_PAIR_CLONES,          /* eps0 */
    SHUF_PAIR_CLONES_STRONGER, /* eps0 */
    SHUF_PAIR_RR2,             /* eps0 */
    SHUF_PAIR_KRR_SAME,        /* eps0, k >= 2 */
    SHUF_PAIR_KRR_THIRD,       /* eps0, k >= 3 */
    SHUF_PAIR_KRR_STRONG,      /* gamma, k >= 2 */
    SHUF_PAIR_KRR_WEAK,        /* gamma, k >= 2 */
    SHUF_PAIR_TRINOMIAL        /* w0, w1, r0, r1 */
} shuf_pair_kind;

typedef struct
{
    shuf_pair_kind kind;
    uint64_t n;
    uint64_t k;
    shuf_real_t eps0;
    fmpq_t gamma;
    fmpq_t w0, w1, r0, r1;
} shuf_pair_struct;

typedef shuf_pair_struct shuf_pair_t[1];

typedef enum
{
    SHUF_DIRECTION_BOTH, /* the larger of the two */
    SHUF_DIRECTION_PQ,   /* H(P || Q) */
    SHUF_DIRECTION_QP    /* H(Q || P) */
} shuf_direction;

/* Largest eps0 and eps; beyond it exp is of no use to anybody. */
#define SHUF_MAX_EPSILON 1000000
#define SHUF_MAX_K UINT64_C(1000000000)

void shuf_pair_init(shuf_pair_t pair);
void shuf_pair_clear(shuf_pair_t pair);
void shuf_pair_set(shuf_pair_t pair, const shuf_pair_t other);

/*
 * The setters return 0, or -1 (pair unchanged) when a parameter is outside
 * its range: 1 <= n <= SHUF_MAX_USERS, 0 <= eps0 <= SHUF_MAX_EPSILON,
 * 0 <= gamma <= 1, k as above and at most SHUF_MAX_K.
 */
/* CLONES, CLONES_STRONGER or RR2 */
int shuf_pair_set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, const shuf_real_t eps0);
/* KRR_SAME or KRR_THIRD: k-RR, the other users all hold x0, or a third value */
int shuf_pair_set_krr(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0);
/* KRR_STRONG or KRR_WEAK */
int shuf_pair_set_krr_blanket(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const fmpq_t gamma);
/* w0, w1, r0, r1 >= 0, w0 + w1 <= 1, r0 + r1 <= 1, r0 and r1 both positive or both zero */
int shuf_pair_set_trinomial(shuf_pair_t pair, uint64_t n, const fmpq_t w0, const fmpq_t w1, const fmpq_t r0, const fmpq_t r1);

/* The theorem that says what the pair is good for. */
const char *shuf_pair_theorem(const shuf_pair_t pair);

/*
 * The largest privacy loss log(P/Q) (the same in both directions), exactly.
 * Returns 1 and sets loss, or 0 when it is infinite.
 */
int shuf_pair_max_loss(shuf_real_t loss, const shuf_pair_t pair);

/* Whether P and Q exchanged give the same pair up to names: r0 = r1. */
int shuf_pair_is_symmetric(const shuf_pair_t pair);

/* The probabilities that an engine needs, enclosed. */
typedef struct
{
    arb_t w0, w1, w2;            /* w0 >= w1 */
    arb_t rho, rho_complement;   /* given c: A ~ Bin(c, rho) */
    arb_t count, count_complement; /* C ~ Bin(n-1, count) */
    arb_t odds;                  /* (r0+r1)/(1-r0-r1), or 0 when w2 = 0 or r0+r1 = 1 */
    arb_t scale;                 /* every divergence of the pair is multiplied by it */
    int rest_is_random;          /* krr-weak: given c, the revealed rest is Bin(n-1-c, rest); */
    arb_t rest, rest_complement; /* otherwise it is n-1-c */
} shuf_pair_weights_struct;

typedef shuf_pair_weights_struct shuf_pair_weights_t[1];

void shuf_pair_weights_init(shuf_pair_weights_t w);
void shuf_pair_weights_clear(shuf_pair_weights_t w);

/*
 * The weights at precision prec, for the direction PQ or QP. Exchanging P and
 * Q is the same as exchanging r0 and r1 (rename a <-> b).
 */
void shuf_pair_get_weights(shuf_pair_weights_t w, const shuf_pair_t pair, shuf_direction direction, slong prec);

#ifdef __cplusplus
}
#endif

#endif
