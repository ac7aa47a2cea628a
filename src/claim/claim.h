/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * claim: published privacy claims, verdicts on them, and calibration.
 *
 * A claim says: this mechanism, with n users, is (eps, delta)-DP. The verdict
 * is CERTIFIED when a proved theorem for the mechanism's class gives
 * delta(eps) <= delta; REFUTED when a concrete mechanism of the class, on
 * concrete neighbouring data, certainly has delta(eps) > delta; UNDECIDED
 * otherwise.
 */
#ifndef SHUF_CLAIM_H
#define SHUF_CLAIM_H

#include <stddef.h>
#include <stdio.h>

#include "enclosure/enclosure.h"
#include "hockey/hockey.h"
#include "pair/pair.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum
{
    SHUF_MECHANISM_LDP,    /* any pure eps0-LDP randomisers, adaptive */
    SHUF_MECHANISM_RR2,    /* binary randomised response */
    SHUF_MECHANISM_KRR,    /* k-ary randomised response */
    SHUF_MECHANISM_RAPPOR  /* symmetric RAPPOR on one-hot inputs, eps0 the deletion parameter */
} shuf_mechanism_kind;

typedef struct
{
    char *id, *source, *quote, *note; /* never NULL */
    shuf_mechanism_kind mechanism;
    uint64_t k;          /* KRR */
    fmpq_t gamma;        /* KRR: a rational at most the blanket probability (equal when given) */
    shuf_real_t eps0;    /* local parameter; for KRR given by gamma, log(1 + (1-gamma) k/gamma) */
    int eps0_is_infinite; /* KRR with gamma = 0 */
    uint64_t n, rounds;
    int subsampled;
    shuf_real_t eps, delta;
} shuf_claim_struct;

typedef shuf_claim_struct shuf_claim_t[1];

typedef struct
{
    shuf_claim_struct *items;
    size_t count;
} shuf_claim_list;

/*
 * Reads a JSON file with one claim object or an array of them. Returns 0, or
 * -1 with a one-line message in error (at most size bytes); the list is then
 * empty. The buffer version is for fuzzing and for embedding.
 */
int shuf_claims_load(shuf_claim_list *list, const char *path, char *error, size_t size);
int shuf_claims_parse(shuf_claim_list *list, const char *text, size_t length, char *error, size_t size);
void shuf_claims_clear(shuf_claim_list *list);

typedef enum
{
    SHUF_CERTIFIED,
    SHUF_REFUTED_CLAIM,
    SHUF_UNDECIDED
} shuf_verdict_kind;

#define SHUF_MAX_BOUNDS 4

/* One theorem's word on a claim. */
typedef struct
{
    const char *theorem;     /* id in the registry */
    shuf_pair_t pair;
    shuf_enclosure_t delta;  /* delta(eps) of the pair at the claimed eps */
    shuf_enclosure_t eps;    /* eps(delta) of the pair at the claimed delta */
    int sign;                /* of delta(eps) - claimed delta: -1 (<=), 1 (>), 0 open */
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

/* Writes the HTML page of a list of verdicts: curves of both bounds and the claimed point. */
int shuf_report_html(FILE *out, const shuf_claim_struct *claims, const shuf_verdict_struct *verdicts, size_t count);

#ifdef __cplusplus
}
#endif

#endif
