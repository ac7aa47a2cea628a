/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* atoms: sums of m_j e^{s x_j} at equally spaced frequencies, in doubles (internal): proofs/iidsum.md, Lemma 9. */
#ifndef SHUF_PLD_ATOMS_H
#define SHUF_PLD_ATOMS_H

#include "../flint_headers.h"

#define ATOMS_BLOCK 64 /* atoms whose terms are added up first: Lemma 9 */
#define ATOMS_STRIDE 64 /* steps to the next frequency, after which one long step starts anew: Lemma 9 */
#define ATOMS_STEP_ROUNDINGS 3.3 /* roundoffs of a product with e^{i step x}: Lemma 9 */

/* The atoms, tilted, in doubles. */
typedef struct
{
    slong count;
    double *re, *im;           /* mass e^{s x} at the current multiple of ATOMS_STRIDE, */
    double *cos, *sin;         /* and what leads to the next frequency, */
    double *far_cos, *far_sin; /* and to the next multiple */
    double whole;              /* upper bound of the sum of the tilted masses */
    double error;              /* of the sum, but for roundings */
} atoms_struct;

/* At Re s = theta, a double, and Im s = 0, step, 2 step, ..; error is what is wrong with the atoms themselves. 0, or -1 (to be cleared, too). */
int atoms_init(atoms_struct *a, arb_srcptr value, arb_srcptr mass, slong count, double error, double theta, double step);
void atoms_clear(atoms_struct *a);

/* sums[2k], sums[2k+1] += what the atoms from..from + size - 1 <= from + ATOMS_BLOCK - 1 add at frequency k < count; they cannot be used again. */
void atoms_add_block(double *sums, const atoms_struct *a, slong from, slong size, slong count);

/* Products on the way to frequency k. */
static inline double atoms_steps(slong k)
{
    return (double) (k / ATOMS_STRIDE + k % ATOMS_STRIDE);
}

/* What both parts of the sum over all atoms at frequency k are off by, at most. */
double atoms_error(const atoms_struct *a, slong k);

#endif
