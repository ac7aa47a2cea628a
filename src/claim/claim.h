/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * claim: published privacy claims, verdicts on them, compositions of several
 * mechanisms, and calibration.
 *
 * A claim says: this mechanism, with n users, is (eps, delta)-DP, or its Renyi
 * divergence of one order is at most so much. The verdict is CERTIFIED when a
 * proved theorem for the mechanism's class gives as much; REFUTED when a
 * concrete mechanism of the class, on concrete neighbouring data, certainly
 * exceeds the claim; UNDECIDED otherwise.
 */
#ifndef SHUF_CLAIM_H
#define SHUF_CLAIM_H

#include <stddef.h>
#include <stdio.h>

#include "enclosure/enclosure.h"
#include "hockey/hockey.h"
#include "mechanism/shuffled.h"
#include "pair/pair.h"
#include "pld/pld.h"
#include "renyi/renyi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
    SHUF_MECHANISM_LDP,    /* any pure eps0-LDP randomisers, adaptive */
    SHUF_MECHANISM_RR2,    /* binary randomised response */
    SHUF_MECHANISM_KRR,    /* k-ary randomised response */
    SHUF_MECHANISM_RAPPOR, /* symmetric RAPPOR on any number of one-hot inputs, eps0 the deletion parameter; a refutation
                              needs the sum of the reports only */
    SHUF_MECHANISM_RAPPOR_SUM, /* the same, nothing but the sum is released */
    SHUF_MECHANISM_RANDOMISER /* a described randomiser, eps0 its own */
} shuf_mechanism_kind;

#define SHUF_MAX_ROUNDS UINT64_C(1000000000)

/* A shuffled mechanism, run for some rounds on the same users; neighbours replace one user's value. */
typedef struct
{
    shuf_mechanism_kind kind;
    uint64_t k;           /* KRR and RR2 */
    fmpq_t gamma;         /* KRR and RR2: a rational at most the blanket probability (equal when given) */
    shuf_real_t eps0;     /* local parameter; for KRR given by gamma, log(1 + (1-gamma) k/gamma) */
    int eps0_is_infinite; /* KRR with gamma = 0, RANDOMISER without an eps0 */
    shuf_randomiser_t randomiser; /* RANDOMISER, RAPPOR and RAPPOR_SUM */
    uint64_t n;           /* all users */
    uint64_t rounds;      /* adaptively composed, at most SHUF_MAX_ROUNDS */
    fmpq_t rate;          /* each round takes a new uniform subset of rate * n users, without replacement */
    uint64_t sampled;     /* rate * n, a whole number >= 1; n when rate = 1 */
} shuf_mechanism_struct;

typedef shuf_mechanism_struct shuf_mechanism_t[1];

typedef enum
{
    SHUF_CLAIM_DP,   /* (eps, delta)-DP */
    SHUF_CLAIM_RENYI /* Renyi divergence of that order, both directions, at most renyi */
} shuf_claim_kind;

typedef struct
{
    char *id, *source, *quote, *note; /* never NULL */
    shuf_mechanism_t mechanism;
    shuf_claim_kind kind;
    shuf_real_t eps, delta;   /* DP: 0 <= eps <= SHUF_MAX_EPSILON, 0 <= delta <= 1 */
    shuf_real_t order, renyi; /* RENYI: 1 < order <= SHUF_MAX_ORDER, renyi >= 0 */
} shuf_claim_struct;

typedef shuf_claim_struct shuf_claim_t[1];

typedef struct
{
    shuf_claim_struct *items;
    size_t count;
} shuf_claim_list;

/*
 * Reads a JSON file with one claim object or an array of them; members that
 * are not part of the format are refused. Returns 0, or -1 with a one-line
 * message in error (at most size bytes); the list is then empty. The buffer
 * version is for fuzzing and for embedding.
 */
int shuf_claims_load(shuf_claim_list *list, const char *path, char *error, size_t size);
int shuf_claims_parse(shuf_claim_list *list, const char *text, size_t length, char *error, size_t size);
void shuf_claims_clear(shuf_claim_list *list);

/*
 * A composition of mechanisms, in any adaptive order, on the same users. The
 * file is an array of objects with the members "mechanism", "n", "rounds" and
 * "subsample" of a claim, and "id", "source", "quote", "note" and "neighbours"
 * if wanted; at least one object. Return values and errors as for claims.
 */
typedef struct
{
    shuf_mechanism_struct *mechanisms;
    size_t count;
    struct shuf_composition_parts *parts; /* of shuf_composition_curve */
} shuf_composition_struct;

typedef shuf_composition_struct shuf_composition_t[1];

int shuf_composition_load(shuf_composition_t c, const char *path, char *error, size_t size);
int shuf_composition_parse(shuf_composition_t c, const char *text, size_t length, char *error, size_t size);
void shuf_composition_clear(shuf_composition_t c);

/*
 * The sum over the mechanisms of rounds times the smallest proved upper bound
 * of the Renyi divergence (clones-stronger, clones, krr-weak, rappor-local,
 * and subsample-dominated over them). c must outlive the curve, and serves one
 * thread at a time. Defined at integer orders only if a mechanism subsamples.
 */
void shuf_composition_curve(shuf_renyi_curve *curve, const shuf_composition_t c);

/*
 * r encloses delta(eps), or eps(delta), of the product of the smallest proved
 * dominating pair of each mechanism and round (theorems krr-weak, otherwise
 * clones-stronger and rappor-local; subsample-profile over them;
 * pld-composition): an upper bound for the composition, so r->hi is the
 * guarantee. Ranges and status as in pld/pld.h; SHUF_DOMAIN (r = [0, 1] or [0, +inf])
 * also when a mechanism has no pair: RAPPOR with 2 eps0 > SHUF_MAX_EPSILON.
 */
shuf_status shuf_composition_delta(shuf_enclosure_t r, const shuf_composition_t c, const shuf_real_t eps,
                                   const shuf_pld_options *options);
shuf_status shuf_composition_epsilon(shuf_enclosure_t r, const shuf_composition_t c, const shuf_real_t delta,
                                     const shuf_pld_options *options);

typedef enum
{
    SHUF_CERTIFIED,
    SHUF_REFUTED_CLAIM,
    SHUF_UNDECIDED
} shuf_verdict_kind;

#define SHUF_MAX_BOUNDS 8

/*
 * One theorem's word on a claim. The enclosures are of the bound: for a DP
 * claim delta at the claimed eps and eps at the claimed delta, for a Renyi
 * claim the divergence at the claimed order; an upper bound's hi and a lower
 * bound's lo hold for the mechanism.
 */
typedef struct
{
    const char *theorem;     /* that gives the pair: id in the registry */
    const char *sampling;    /* theorem for the subsampling, or "" */
    const char *composition; /* theorem for the conversion or the composition to (eps, delta), or "" */
    int has_pair;            /* or else the bound is one of mechanism/shuffled.h */
    shuf_pair_t pair;        /* one round, the sampled users; */
    uint64_t rounds;         /* so many of them make up the bound */
    shuf_enclosure_t delta, eps;
    shuf_enclosure_t renyi;  /* all rounds */
    int sign;                /* of the bound - the claim: -1 (<=), 1 (>), 0 open */
} shuf_claim_bound;

typedef struct
{
    shuf_verdict_kind kind;
    shuf_claim_bound upper[SHUF_MAX_BOUNDS], lower[SHUF_MAX_BOUNDS];
    size_t uppers, lowers;
    size_t best_upper, best_lower; /* indices, of use when uppers, lowers > 0 */
    const char *reason;            /* why UNDECIDED, or "" */
} shuf_verdict_struct;

typedef shuf_verdict_struct shuf_verdict_t[1];

/* Fills v; clear it with shuf_verdict_clear. */
void shuf_claim_audit(shuf_verdict_t v, const shuf_claim_t claim, const shuf_options *options);
void shuf_verdict_clear(shuf_verdict_t v);
const char *shuf_verdict_name(shuf_verdict_kind kind);

/* A pair at the point (eps, delta), eps0 or n to be found. */
typedef enum
{
    SHUF_SOLVE_EPS0,
    SHUF_SOLVE_N
} shuf_solve;

/*
 * Calibration. SHUF_SOLVE_EPS0: r encloses the boundary between an eps0 at
 * which the pair (clones, clones-stronger) certifies (eps, delta) and one at
 * which it does not: at r->lo certified, at r->hi not (or not decided). An
 * eps0'-LDP mechanism with eps0' <= r->lo is eps0-LDP too, so r->lo is the
 * guarantee. At least eps itself, because delta(eps) = 0 for eps0 <= eps.
 * SHUF_SOLVE_N: r->hi is a certified n and at r->lo = r->hi - 1 it is not
 * certified (delta falls as n grows, proofs/trinomial-pair.md Lemma 7, so
 * r->hi is the smallest). SHUF_DOMAIN when no n up to SHUF_MAX_USERS will do.
 */
shuf_status shuf_calibrate(shuf_enclosure_t r, const shuf_pair_t pair, shuf_solve solve, const shuf_real_t eps,
                           const shuf_real_t delta, const shuf_options *options);

/*
 * The same for `rounds` rounds of the pair, each on a new uniform subset of
 * the given rate (0 < rate <= 1, 1 for none; pair->n is then the number of
 * sampled users): certified when the upper end of eps(delta), by theorems
 * subsample-profile and pld-composition, is at most eps. r has a relative
 * width of 10^-digits at most, or is [n - 1, n]. What is not certified may be
 * closer to eps than 10^-(digits+1) of relative accuracy tells. SHUF_DOMAIN
 * also when a parameter is out of its range.
 */
shuf_status shuf_calibrate_rounds(shuf_enclosure_t r, const shuf_pair_t pair, uint64_t rounds, const fmpq_t rate,
                                  shuf_solve solve, const shuf_real_t eps, const shuf_real_t delta,
                                  const shuf_pld_options *options);

/* Writes the HTML page of a list of verdicts: curves of both bounds and the claimed point. */
int shuf_report_html(FILE *out, const shuf_claim_struct *claims, const shuf_verdict_struct *verdicts, size_t count);

#ifdef __cplusplus
}
#endif

#endif
