/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* moments (internal): a round's bound far out, by moments of its terms at a few eps, which serve every eps between them (proofs/blanket.md, Lemma 4). */
#ifndef SHUF_SHUFFLE_MOMENTS_H
#define SHUF_SHUFFLE_MOMENTS_H

#include "terms.h"

#define MOMENTS_NODES 500 /* size of an array */

/* At an eps: log E e^{theta (L_1 + .. + L_n - K)} is at most log_moment, beta = theta e^eps, and what lies outside the blanket at most alone. */
typedef struct
{
    int is_known; /* -1: nothing is told there; 0: it was not looked at */
    double eps;
    arb_t theta, beta, log_moment, alone;
} moments_node;

typedef struct
{
    const shuf_randomiser_struct *randomiser;
    const shuf_sampling *sampling;
    int has_only;        /* of this case alone, else of the blanket */
    shuffled_case only;
    double last;  /* about the eps of the first node; the others are smaller */
    moments_node node[MOMENTS_NODES];
} moments_struct;

typedef moments_struct moments_t[1];

/* Of a round whose loss is at most that: of that case, or with NULL of the blanket; the randomiser and the sampling must outlive x. */
void moments_init(moments_t x, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuffled_case *only, const shuf_real_t loss);
void moments_clear(moments_t x);

/* hi := at least the divergence of order e^s of the case, or of the round on all neighbouring data, or 1; s > 0. */
void moments_above(arf_t hi, moments_t x, const arf_t s);

#endif
