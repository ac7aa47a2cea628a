/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* spread: sums over many atoms at many equally spaced frequencies, by one transform (internal): proofs/product-line.md, Lemma 5. */
#ifndef SHUF_PLD_SPREAD_H
#define SHUF_PLD_SPREAD_H

#include "../flint_headers.h"

/*
 * sums[2k] + i sums[2k + 1], k < frequencies, is off by at most *off, as a complex number, from the sum over j of mass[j] e^{(theta + i k step) value[j]}; masses
 * are >= 0 but for their radius, and the tilted ones within doubles. Returns 0, or -1 if there is no memory, or they are too many.
 */
int spread_sums(double *sums, double *off, arb_srcptr value, arb_srcptr mass, slong count, double theta, double step, slong frequencies);

/* Units of work that it charges. */
double spread_work(slong count, slong frequencies);

#endif
