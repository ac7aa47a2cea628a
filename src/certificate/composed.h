/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * composed: certificates of several rounds of a pair (internal).
 *
 * The file has bounds of delta of one round at the nodes of a grid of losses, with
 * windows for Coq to verify them, and masses of a law below. Coq makes of them the law
 * above, composes both and compares (proofs/coq/Composed.v). What is certified
 * is wider than what is printed: the grid has some hundred nodes, as each is
 * evaluated in the kernel.
 */
#ifndef SHUF_CERTIFICATE_COMPOSED_H
#define SHUF_CERTIFICATE_COMPOSED_H

#include "certificate.h"

/*
 * Writes the members "lo", "hi" and "grids". The grid is refined until the
 * ends are within two thousandths of each other or Coq would take too long.
 * Returns NULL, or why there is no certificate.
 */
const char *composed_write(FILE *out, const shuf_certificate *c);

#endif
