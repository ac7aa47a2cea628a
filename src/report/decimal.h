/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * decimal: the numbers of an answer, which are decimal strings rounded
 * outward, made shorter without ceasing to be outward (internal).
 */
#ifndef SHUF_REPORT_DECIMAL_H
#define SHUF_REPORT_DECIMAL_H

#include <stddef.h>

/*
 * The decimal (digits, an optional point, an optional exponent and sign) with
 * at most `digits` significant digits, towards plus infinity (up = 1) or
 * minus infinity (up = 0); as it is if it is short enough, or no decimal.
 * NULL stays NULL. flint_free the result.
 */
char *decimal_round(const char *text, size_t digits, int up);

/*
 * log10 of what the text says, near enough to draw it: a decimal of any
 * exponent, or another exact number (a fraction, log(3)). -infinity for 0,
 * NAN for NULL, a negative number and anything else.
 */
double decimal_log10(const char *text);

#endif
