/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * theorem: the registry of reductions and bounds, each with its source, its
 * region of validity and its status. Only `proved` ones may certify a claim.
 */
#ifndef SHUF_THEOREM_H
#define SHUF_THEOREM_H

#include <stddef.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"

/* What is not filled in is the worst: it certifies nothing. */
typedef enum
{
    SHUF_REFUTED,     /* a certified counterexample is known: never certifies */
    SHUF_ASYMPTOTIC,  /* an approximation: never certifies */
    SHUF_UNPROVED,    /* published, its printed proof has a gap, no counterexample known: never certifies */
    SHUF_CONDITIONAL, /* proved for a restricted class only */
    SHUF_PROVED       /* holds for the stated class: may certify */
} shuf_theorem_status;

/* On which side of the truth about a mechanism of its class a theorem's value lies. */
typedef enum
{
    SHUF_SIDE_NONE,  /* says nothing of a mechanism's privacy */
    SHUF_SIDE_UPPER,
    SHUF_SIDE_LOWER,
    SHUF_SIDE_EXACT
} shuf_side;

/* How far its proof has been checked. */
typedef enum
{
    SHUF_CHECKED_NONE,  /* not proved */
    SHUF_CHECKED_PAPER, /* proved on paper */
    SHUF_CHECKED_COQ    /* the theorem that certifies, for the outputs that `proof` names, is one of proofs/coq */
} shuf_checked;

typedef struct
{
    const char *id;
    shuf_theorem_status status;
    shuf_side side;
    shuf_checked checked;
    const char *checked_in; /* theorems of proofs/coq, "Module.name, Module.name"; a file or an arXiv number; NULL */
    const char *statement;
    const char *validity;
    const char *source;
    const char *proof;      /* where the proof is, or what breaks it, in words */
} shuf_theorem;

/* All theorems, in the order of the manual; *count is their number. */
const shuf_theorem *shuf_theorems(size_t *count);

/* The theorem of that id, or NULL. */
const shuf_theorem *shuf_theorem_find(const char *id);

/* "proved", "conditional", "unproved", "asymptotic", "refuted". */
const char *shuf_theorem_status_name(shuf_theorem_status status);

/* "upper bound", "lower bound", "exact", "none". */
const char *shuf_side_name(shuf_side side);

/* "coq", "paper", "none". */
const char *shuf_checked_name(shuf_checked checked);

/*
 * Whether the theorem of that id may certify a statement on that side: it is
 * registered, proved, checked somewhere, and of that side or exact. Never for
 * SHUF_SIDE_NONE.
 */
int shuf_theorem_certifies(const char *id, shuf_side side);

#endif
