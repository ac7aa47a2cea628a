/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * term: parameters as terms of Coq (internal), for the types of
 * proofs/coq/Certificate.v.
 */
#ifndef SHUF_CERTIFICATE_TERM_H
#define SHUF_CERTIFICATE_TERM_H

#include <stdio.h>

#include "../pair/pair.h"

/* "(1 # 3)", in Q; "(Rational (1 # 3))" or "(Logarithm (3 # 1))"; the name and the parameters of any pair but krr-weak. */
void term_fraction(FILE *out, const fmpq_t q);
void term_number(FILE *out, const shuf_real_t x);
void term_pair(FILE *out, const shuf_pair_t pair);

/* "Both", "PQ" or "QP". */
const char *term_direction(shuf_direction direction);

/* A decimal like "1.25e-7" as 125 over a power of ten, exactly. Returns 0, or -1 when it is too long. */
int term_decimal(FILE *out, const char *text);

/* ".", and the proof by a computation of the kernel. */
void term_computation(FILE *out);

#endif
