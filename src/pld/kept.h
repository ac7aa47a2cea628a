/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* kept: lines that have told a delta, and tell others near to it (internal): proofs/product-line.md. */
#ifndef SHUF_PLD_KEPT_H
#define SHUF_PLD_KEPT_H

#include "pld.h"
#include "product_line.h"

/*
 * r encloses the divergence at eps: of one line, or between one above, the first, and one below. gap := that between the values of both as part
 * of the upper one, or 0; log_least := about the logarithm of the most that the last of them says. Either may be NULL.
 */
void lines_read(shuf_enclosure_t r, double *gap, double *log_least, const line_struct *line, int count, const arb_t eps);

/* Takes the lines of each of so many directions, which were made for that eps, and frees them in time. */
void kept_add(shuf_pld_kept_struct *kept, shuf_direction direction, const shuf_real_t eps, line_struct *const line[2], const int lines[2], int sides);

/* r := what one of the lines nearest to eps says, if that is less wide than [0, 1]: what a law says may have become better since, and two bounds need not meet. Returns whether it has the digits. */
int kept_read(shuf_enclosure_t r, const shuf_pld_kept_struct *kept, shuf_direction direction, const shuf_real_t eps, slong digits);

#endif
