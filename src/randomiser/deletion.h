/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* deletion (internal): a randomiser of the class deletion eps0-LDP that comes close to the class's bound (proofs/deletion.md). */
#ifndef SHUF_RANDOMISER_DELETION_H
#define SHUF_RANDOMISER_DELETION_H

#include "randomiser.h"

/*
 * m := the matrix of three inputs and outputs of theorem deletion-third, for
 * the ratio E = e^eps0 if that is rational and at most 2^64, else for one
 * below it. eps0 >= 0; m is initialised.
 */
void deletion_matrix(shuf_randomiser_t m, const shuf_real_t eps0);

#endif
