/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * reader: JSON with exact numbers, and one-line messages for what is wrong
 * with it (internal).
 */
#ifndef SHUF_EXACT_READER_H
#define SHUF_EXACT_READER_H

#include <jansson.h>

#include "exact.h"
#include "names.h"

/* Where a message goes, and what it is about: the prefix, "" or "claim \"x\": ". */
typedef struct
{
    char *text;
    size_t size;
    char prefix[80];
    char path[80]; /* of the object that is read in the question: "mechanism.parts[1]."; "": the question itself */
} reader;

/* The reader of what that member of the object holds; of an array's entry, if place is not NO_PLACE. */
#define NO_PLACE SIZE_MAX
reader reader_inside(const reader *r, const char *member, size_t place);

/* All of these return 0, or -1 after a message. */

/* Writes one line: control characters that a file brought in are escaped, see escape.h. Returns -1. */
int reader_fail(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether every member is one of the list of names (exact/names.h); one that is not is told with its path. */
int reader_members(json_t *object, const char *names, const reader *r);

/* An optional string member, "" if it is not there (flint_free it). */
int reader_text(char **out, const json_t *object, const char *key, const reader *r);

/* A real: a string, or a JSON integer; not a JSON real, whose decimal is lost. `what` names it in a message. */
int reader_real(shuf_real_t out, const json_t *value, const char *what, const reader *r);

/* A member that is a whole number from least to most. */
int reader_count(uint64_t *out, const json_t *object, const char *key, uint64_t least, uint64_t most, const reader *r);

int reader_has(const json_t *object, const char *key);

/* name := the first of the list that is a member; 1, or 0. */
int reader_has_any(char name[NAMES_SIZE], const json_t *object, const char *names);

/* NULL after a message. */
json_t *reader_parse(const char *text, size_t length, const reader *r);

/* The whole file, at most 16 MiB, in *text (flint_free it). */
int reader_file(char **text, size_t *length, const char *path, const reader *r);

#endif
