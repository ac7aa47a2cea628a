/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * escape: text that came from a file, made fit for a terminal (internal).
 *
 * Control characters (C0, DEL, C1), line separators and the marks that turn
 * the direction of writing print as \u001b, bytes that are no UTF-8 as \x9b:
 * nobody moves the cursor, erases a line or forges one.
 */
#ifndef SHUF_EXACT_ESCAPE_H
#define SHUF_EXACT_ESCAPE_H

#include <stddef.h>

#define ESCAPE_SIZE 8 /* size of the longest character, escaped, with its final 0 */

/* out := the first character of *text, escaped; *text moves behind it. Returns the length of out, 0 at the end. */
size_t escape_next(char out[ESCAPE_SIZE], const char **text);

/* out := the text, escaped, as many whole characters as fit into size - 1 bytes. Returns the length. */
size_t escape_text(char *out, size_t size, const char *text);

#endif
