/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* merge (internal): outputs with equal likelihood ratios become one (proofs/mechanism.md, Lemma 7). */
#ifndef SHUF_MECHANISM_MERGE_H
#define SHUF_MECHANISM_MERGE_H

#include "randomiser.h"

void classes_init(shuf_classes_t c, slong count);

/*
 * v has `count` vectors of `length` rationals, one after the other, none
 * negative. Vectors that are proportional are added up, and zero vectors left
 * out: returns how many there are then, the first ones of v. The rest of v
 * is left with values that mean nothing.
 */
slong merge_proportional(fmpq *v, slong count, slong length);

/*
 * Merges classes whose ratios of p, q and w cannot be told apart: the balls of
 * the merged class hold both, so that p/w and q/w still enclose the ratio at
 * each output.
 */
void merge_close(shuf_classes_t c, slong prec);

/* Merges the columns of a MATRIX that are proportional; one of a single class is left as it is, since two columns are needed. */
void merge_columns(shuf_randomiser_t r);

#endif
