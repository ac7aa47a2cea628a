/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * bound: the closed forms that papers print, evaluated with certainty.
 *
 * Each is a theorem of the registry (theorem.h) and is evaluated for exact
 * parameters after its region of validity has been checked rigorously; a
 * region that cannot be decided counts as left. What the value is worth is
 * the theorem's status: an asymptotic or refuted formula is evaluated too, to
 * compare with, and never certifies.
 */
#ifndef SHUF_BOUND_H
#define SHUF_BOUND_H

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"
#include "../theorem/theorem.h"

/* What a closed form gives, and at which point. */
typedef enum
{
    SHUF_BOUND_EPSILON, /* eps at delta = point */
    SHUF_BOUND_DELTA,   /* delta at eps = point */
    SHUF_BOUND_RENYI,   /* eps(lambda) at order lambda = point */
    SHUF_BOUND_MU       /* mu of Gaussian DP; no point */
} shuf_bound_quantity;

/* The parameters; each form reads those that its table entry names. */
typedef struct
{
    uint64_t n;
    uint64_t k;         /* outputs of k-RR */
    shuf_real_t eps0;
    shuf_real_t delta0; /* local delta, for (eps0, delta0)-LDP */
    shuf_real_t gamma;  /* a free parameter of the form, 0 < gamma < 1; 0: the form's own choice */
    shuf_real_t point;
} shuf_bound_query_struct;

typedef shuf_bound_query_struct shuf_bound_query_t[1];

/* n = 1, k = 2, everything else 0. */
void shuf_bound_query_init(shuf_bound_query_t q);
void shuf_bound_query_clear(shuf_bound_query_t q);

typedef struct shuf_bound_form
{
    const char *theorem; /* id in the registry */
    shuf_bound_quantity quantity;
    int takes_k, takes_delta0, takes_gamma;
    /* Encloses the formula at precision prec and returns 1 if q is certainly inside the region, else 0. */
    int (*formula)(arb_t value, const shuf_bound_query_struct *q, int variant, slong prec);
    int variant; /* which of the formulas of one paper that differ in constants */
    /* NULL: the formula is the value. Else this finds it: the eps, where the formula is the delta at an eps; or what has no formula. */
    shuf_status (*solve)(shuf_enclosure_t r, const struct shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options);
} shuf_bound_form;

/* r encloses the form's value. SHUF_DOMAIN: outside the region, r unchanged. */
shuf_status shuf_bound_evaluate(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options);

/* All closed forms; *count is their number. */
const shuf_bound_form *shuf_bound_forms(size_t *count);

/* The form of that theorem for that quantity, or NULL. */
const shuf_bound_form *shuf_bound_find(const char *theorem, shuf_bound_quantity quantity);

#endif
