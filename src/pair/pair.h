/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * pair: dominating pairs of distributions, all but one of them the trinomial pair
 *
 *   (A, B, rest) ~ Multinomial(n-1; r0, r1, 1-r0-r1) counts the other users;
 *   the differing user adds (1,0), (0,1) or (0,0) with probabilities
 *   w0, w1, w2 = 1-w0-w1 under P and w1, w0, w2 under Q; the outcome is (a,b);
 *
 * or a mixture of it over a revealed random number of users (krr-weak, clones-deletion, clones-poisson).
 * With c = the others' A + B, and given c, A ~ Bin(c, rho), rho = r0/(r0+r1). See
 * proofs/trinomial-pair.md and, of samples of the users, proofs/clones-sampled.md. The shuffled Gaussian is described here and
 * evaluated in shuffle/gaussian.h. What each pair is, takes and proves is in
 * one table, shuf_pair_about; its theorem is in the registry, theorem/theorem.h.
 */
#ifndef SHUF_PAIR_H
#define SHUF_PAIR_H

#include "../exact/exact.h"
#include "../theorem/theorem.h"

typedef enum
{
    SHUF_PAIR_CLONES,          /* eps0 */
    SHUF_PAIR_CLONES_STRONGER, /* eps0 */
    SHUF_PAIR_RR2,             /* eps0 */
    SHUF_PAIR_KRR_SAME,        /* eps0, k >= 2 */
    SHUF_PAIR_KRR_THIRD,       /* eps0, k >= 3 */
    SHUF_PAIR_KRR_STRONG,      /* gamma, k >= 2 */
    SHUF_PAIR_KRR_WEAK,        /* gamma, k >= 2 */
    SHUF_PAIR_TRINOMIAL,       /* w0, w1, r0, r1 */
    SHUF_PAIR_GAUSSIAN,        /* sigma */
    SHUF_PAIR_CLONES_SAMPLED,  /* eps0, rate; n users are sampled */
    SHUF_PAIR_KRR_THIRD_SAMPLED, /* eps0, k >= 3, rate; n users are sampled */
    SHUF_PAIR_CLONES_POISSON,  /* eps0, probability */
    SHUF_PAIR_KRR_SAME_POISSON, /* eps0, k >= 2, probability */
    SHUF_PAIR_KRR_THIRD_POISSON, /* eps0, k >= 3, probability */
    SHUF_PAIR_CLONES_DELETION  /* eps0, of deletion */
} shuf_pair_kind;

#define SHUF_PAIR_KINDS (SHUF_PAIR_CLONES_DELETION + 1)

/* The parameters of a pair besides n. */
typedef enum
{
    SHUF_TAKES_EPS0 = 1,
    SHUF_TAKES_GAMMA = 2,
    SHUF_TAKES_K = 4,
    SHUF_TAKES_WEIGHTS = 8, /* w0, w1, r0, r1 */
    SHUF_TAKES_SIGMA = 16,
    SHUF_TAKES_RATE = 32,       /* n are a uniform subset of all, this part of them */
    SHUF_TAKES_PROBABILITY = 64 /* each of n users takes part with it, and how many did is seen */
} shuf_pair_parameter;

/* Who evaluates it. */
typedef enum
{
    SHUF_ENGINE_HOCKEY = 1,     /* hockey/hockey.h */
    SHUF_ENGINE_RENYI = 2,      /* renyi/renyi.h */
    SHUF_ENGINE_PLD = 4,        /* rounds: shuf_law_set_pair */
    SHUF_ENGINE_FAST = 8,       /* fast/fast.h: delta and eps */
    SHUF_ENGINE_FAST_RENYI = 16,
    SHUF_ENGINE_GAUSSIAN = 32   /* shuffle/gaussian.h */
} shuf_pair_engine;

/* Which of its two laws is that of data where all users hold one value. */
typedef enum { SHUF_LAW_NEITHER, SHUF_LAW_P, SHUF_LAW_Q } shuf_pair_law;

typedef enum { SHUF_CERTIFICATE_NONE, SHUF_CERTIFICATE_ONE_ROUND, SHUF_CERTIFICATE_ROUNDS } shuf_pair_certificate;

/* What is true of every pair of a kind. */
typedef struct
{
    shuf_side side;      /* of the class of mechanisms that the theorem is about; SHUF_SIDE_NONE: it says nothing of one */
    const char *name;    /* in questions and on the command line */
    const char *theorem; /* id in the registry */
    unsigned takes;      /* shuf_pair_parameter, a sum */
    uint64_t least_k;    /* where it takes k */
    unsigned engines;    /* shuf_pair_engine, a sum */
    shuf_pair_law all_equal;
    int symmetric;       /* P and Q exchanged give the same pair up to names; for weights only if r0 = r1 */
    shuf_pair_certificate certificate;
    const char *about;   /* a sentence without its full stop */
} shuf_pair_facts;

/* The facts of a kind. What is no kind has no name, no engine and no side. */
const shuf_pair_facts *shuf_pair_about(shuf_pair_kind kind);

/* The kind of that name. Returns 1, or 0 (kind untouched). */
int shuf_pair_find(shuf_pair_kind *kind, const char *name);

/* Whether that side of a mechanism may be certified by the kind: the table and the registry both say so. */
int shuf_pair_certifies(shuf_pair_kind kind, shuf_side side);

/* Whether it is of a sample of the users: shuf_pair_set_sampled. */
int shuf_pair_is_sampled(shuf_pair_kind kind);

/* Whether eps0 is all that the kind takes, but for a sample, and it certifies every mechanism with that eps0 from above. */
int shuf_pair_bounds_eps0(shuf_pair_kind kind);

typedef struct
{
    shuf_pair_kind kind;
    uint64_t n;
    uint64_t k;
    shuf_real_t eps0;
    fmpq_t gamma;
    int gamma_is_of_eps0; /* gamma = k/(e^eps0 + k - 1), which is no rational number: the field gamma is 0 and not to be read */
    fmpq_t rate; /* or the probability */
    fmpq_t w0, w1, r0, r1; /* of KRR_WEAK too, where the differing user has others than gamma makes: else w1 = 0 */
    shuf_real_t sigma;
} shuf_pair_struct;

typedef shuf_pair_struct shuf_pair_t[1];

typedef enum
{
    SHUF_DIRECTION_BOTH, /* the larger of the two */
    SHUF_DIRECTION_PQ,   /* H(P || Q) */
    SHUF_DIRECTION_QP    /* H(Q || P) */
} shuf_direction;

/* Largest eps0, eps and K; larger ones are refused: exp of them is of no use to anybody. */
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
/* CLONES, CLONES_STRONGER, CLONES_DELETION or RR2 */
int shuf_pair_set_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, const shuf_real_t eps0);
/* KRR_SAME or KRR_THIRD: k-RR, the other users all hold x0, or a third value */
int shuf_pair_set_krr(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0);
/* KRR_STRONG or KRR_WEAK */
int shuf_pair_set_krr_blanket(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const fmpq_t gamma);
/* The same by the eps0 of k-RR: gamma = k/(e^eps0 + k - 1), exactly. Certificates need a rational gamma. */
int shuf_pair_set_krr_blanket_eps0(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0);
/* KRR_WEAK whose differing user has each other value with the probability 0 < w1 <= 1/k instead (proofs/groups.md, Theorem 3b). */
int shuf_pair_set_krr_weak_own(shuf_pair_t pair, uint64_t n, uint64_t k, const fmpq_t gamma, const fmpq_t w1);
/* The kinds of a sample, 0 < rate <= 1; k is 2 where the kind takes none */
int shuf_pair_set_sampled(shuf_pair_t pair, shuf_pair_kind kind, uint64_t n, uint64_t k, const shuf_real_t eps0, const fmpq_t rate);
/* w0, w1, r0, r1 >= 0, w0 + w1 <= 1, r0 + r1 <= 1, r0 and r1 both positive or both zero */
int shuf_pair_set_trinomial(shuf_pair_t pair, uint64_t n, const fmpq_t w0, const fmpq_t w1, const fmpq_t r0, const fmpq_t r1);

/* The shuffled Gaussian, 1/1000 <= sigma <= 10^6. */
int shuf_pair_set_gaussian(shuf_pair_t pair, uint64_t n, const shuf_real_t sigma);

/* Whether the engine takes the pair. */
int shuf_pair_has_engine(const shuf_pair_t pair, shuf_pair_engine engine);

/* The theorem that says what the pair is good for. */
const char *shuf_pair_theorem(const shuf_pair_t pair);

/*
 * The largest privacy loss log(P/Q) (the same in both directions), exactly;
 * barely above it for the pairs of samples of fixed size, whose loss
 * log(1 + rate (e^eps0 - 1)) need not be a shuf_real. Returns 1 and sets loss,
 * or 0 when it is infinite.
 */
int shuf_pair_max_loss(shuf_real_t loss, const shuf_pair_t pair);

/* loss := log(1 + (1-gamma) k/gamma), gamma > 0: that of k-RR which answers at random with the probability gamma. */
void shuf_krr_loss(shuf_real_t loss, const fmpq_t gamma, uint64_t k);

/* The same as shuf_pair_max_loss, enclosed. */
int shuf_pair_get_max_loss(arb_t loss, const shuf_pair_t pair, slong prec);

/*
 * lo and hi := log(1 + (e^x - 1) rate), x >= 0, rate > 0: the largest loss
 * after sampling at that rate (theorem subsample-profile), or with 1/rate the
 * loss before it; rounded outward, exact for rate = 1 and for logarithms.
 * lo may be hi, and each of them x.
 */
void shuf_sampled_loss(shuf_real_t lo, shuf_real_t hi, const shuf_real_t x, const fmpq_t rate);

/* Whether P and Q exchanged give the same pair up to names: r0 = r1. */
int shuf_pair_is_symmetric(const shuf_pair_t pair);

/*
 * mass := a lower bound, in [0, 1], of the probability under P (direction QP:
 * under Q) of the outcomes that the other law never has. It is below delta(eps)
 * at every eps, and 0 when the largest loss is finite.
 */
void shuf_pair_get_infinite(arf_t mass, const shuf_pair_t pair, shuf_direction direction);

/* The probabilities that an engine needs, enclosed. */
typedef struct
{
    arb_t w0, w1, w2;            /* w0 >= w1 */
    arb_t rho, rho_complement;   /* given c: A ~ Bin(c, rho) */
    arb_t count, count_complement; /* C ~ Bin(n-1, count) */
    arb_t odds;                  /* count/(1-count), of a mixture count to the revealed rest; or 0 when w2 = 0 or r0+r1 = 1 */
    arb_t scale;                 /* every divergence of the pair is multiplied by it */
    int rest_is_random;          /* a mixture: given c, the revealed rest is Bin(n-1-c, rest); */
    arb_t rest, rest_complement; /* otherwise it is n-1-c */
} shuf_pair_weights_struct;

typedef shuf_pair_weights_struct shuf_pair_weights_t[1];

void shuf_pair_weights_init(shuf_pair_weights_t w);
void shuf_pair_weights_clear(shuf_pair_weights_t w);

/*
 * The weights at precision prec, for the direction PQ or QP. Exchanging P and
 * Q is the same as exchanging r0 and r1 (rename a <-> b). A pair that is not
 * trinomial has none: they are indeterminate.
 */
void shuf_pair_get_weights(shuf_pair_weights_t w, const shuf_pair_t pair, shuf_direction direction, slong prec);

#endif
