/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * loosen (internal): bounds from above of deployments that are not what the
 * pairs are about. With h(s) that of one changed report of pure randomisers,
 *
 *   delta(eps) <= (m h(s) + 1 - m + (1 + e^s) c) (1 + e^s + .. + e^{(r-1)s}),  s = eps/r,
 *
 * r the reports of each user through one shuffler (theorem group-privacy), c
 * what delta0 of the local randomisers adds in total variation (theorem
 * clones-delta0), 0 without it, and m the probability that no report of the
 * user tells all, of reports that are seen by themselves (theorem
 * local-delta0), of which r = 1. See proofs/deployments.md.
 */
#ifndef SHUF_ACCOUNT_LOOSEN_H
#define SHUF_ACCOUNT_LOOSEN_H

#include "rounds.h"

/* Whether the question is of such a deployment. */
int loosen_is_needed(const shuf_question_struct *q);

/* Adds the theorems; what to say of the bound. */
void loosen_chain(theorem_chain *chain, const rounds_struct *x);
const char *loosen_note(const rounds_struct *x);

/* r encloses the right side at eps; SHUF_DOMAIN and [0, 1] if it is none. A bound above 1 is 1. */
shuf_status loosened_delta(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t eps,
                           const shuf_options *options);

/* At r->hi the right side is certainly at most delta; below r->lo it is not. SHUF_DOMAIN ([lo, +inf]) when no such eps is found. */
shuf_status loosened_epsilon(shuf_enclosure_t r, rounds_road *road, const rounds_struct *x, shuf_via via, const shuf_real_t delta,
                             const shuf_options *options);

#endif
