/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* tuple (internal): randomisers of tuples, made of parts: products and mixtures (proofs/mechanism.md, Lemmas 8 and 9). */
#ifndef SHUF_MECHANISM_TUPLE_H
#define SHUF_MECHANISM_TUPLE_H

#include "read.h"

/* Largest number of parts; more are refused. */
#define MAX_PARTS 64

/* Whether it is a PRODUCT or a MIXTURE; the rest is for these. */
int is_tuple(const shuf_randomiser_t r);

/* The members "parts" and "weights". */
int tuple_read(shuf_randomiser_t m, const json_t *object, const reader *r);

void tuple_clear(shuf_randomiser_t m);

/* The others as shuf_randomiser_eps0, _pair, _other and _classes. */
int tuple_eps0(shuf_real_t eps0, const shuf_randomiser_t m);
int tuple_pair(uint64_t *x, uint64_t *x1, const shuf_randomiser_t m, uint64_t i);
int tuple_other(uint64_t *z, const shuf_randomiser_t m, uint64_t i);
/* As shuf_randomiser_alike. */
int tuple_alike(const shuf_randomiser_t m, const uint64_t a[3], const uint64_t b[3]);
void tuple_classes(shuf_classes_t c, const shuf_randomiser_t m, uint64_t x, uint64_t x1, uint64_t reference, slong prec);

#endif
