/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * binary_law: rounds of reports of one bit, and of sums of vectors of
 * independent bits, as laws of one round (theorems binary-reports and
 * sum-of-bits, proofs/binary-reports.md).
 */
#ifndef SHUF_BINARY_LAW_H
#define SHUF_BINARY_LAW_H

#include "../law/law.h"
#include "../randomiser/randomiser.h"
#include "binary.h"

/* Whether a report has two values. */
int binary_reports(const shuf_randomiser_t randomiser);

/* law := the worst of all data of a round of such reports, of which `drawn` of n users are a uniform subset; x and x1 of `where` are the inputs with the largest and smallest probability. */
void binary_law_worst(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn);

/*
 * law := a round on data, whatever is known of them in `where`: at single
 * points the worst there, in compositions those that are described. The
 * second returns 0, law untouched, where doubles do not reach.
 */
void binary_law_data(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn);
int binary_law_rounds(shuf_law_t law, shuf_datasets *where, const shuf_randomiser_t randomiser, uint64_t n, uint64_t drawn);

/*
 * The same of the sum of the vectors: user 1 holds 0 in one and 1 in the other,
 * and `where` says what the others hold.
 */
void binary_law_sum(shuf_law_t law, const shuf_randomiser_t randomiser, uint64_t n);
int binary_law_sum_data(shuf_law_t law, shuf_datasets *where, const shuf_randomiser_t randomiser, uint64_t n);

#endif
