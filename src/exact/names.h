/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* names (internal): lists of names in one text. */
#ifndef SHUF_EXACT_NAMES_H
#define SHUF_EXACT_NAMES_H

#include <stddef.h>

/* The size of a buffer for any name. */
#define NAMES_SIZE 64

/* Copies the next name of a list that has characters of `between` between names, and moves on. Returns 0 at its end. */
int names_next(char *name, size_t size, const char **list, const char *between);

/* Whether the list, with blanks and any of ?| between names, has it. */
int names_has(const char *list, const char *name);

/* nearest := the name of the list that may have been meant: another word for it, or at most two letters from it. Returns 1, or 0. */
int names_nearest(char nearest[NAMES_SIZE], const char *name, const char *list);

#endif
