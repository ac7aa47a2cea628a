/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * vectors: files of test vectors, see vectors/README.md (internal).
 *
 * A prompt file lists questions, a value file the same with the enclosures
 * that answer them, a negative file claims that are certainly wrong. Whoever computes is a callback: the module does not depend on it.
 * All comparisons are between rational numbers.
 *
 * Functions that return int return 0, or -1 after a one-line message to the
 * reader, unless they say otherwise.
 */
#ifndef SHUF_VECTORS_H
#define SHUF_VECTORS_H

#include <stdio.h>
#include <jansson.h>

#include "exact/exact.h"
#include "exact/reader.h"

/* ---- numbers ---- */

/* The closed interval [lo, hi], or infinity. */
typedef struct
{
    fmpq_t lo, hi;
    int infinite;
} vectors_interval_struct;

typedef vectors_interval_struct vectors_interval_t[1];

void vectors_interval_init(vectors_interval_t x);
void vectors_interval_clear(vectors_interval_t x);

/* The rational number of a JSON string: no logarithm. */
int vectors_number(fmpq_t x, const json_t *value, const char *what, const reader *r);

/* The decimals "lo" and "hi" of an object, or its "infinite"; lo <= hi. */
int vectors_interval_read(vectors_interval_t x, const json_t *object, const reader *r);

/*
 * Whether the numbers of a result fit together: lo <= hi, the ledger adds up
 * to the width at least, and each hexadecimal end is an outward rounding of a
 * number that the decimal end is an outward rounding of, too, to six digits or
 * more. Then x := the intersection of the two intervals, of which each
 * contains the value.
 */
int vectors_result_sound(vectors_interval_t x, const json_t *result, const reader *r);

/* ---- files ---- */

typedef enum { VECTORS_PROMPT, VECTORS_VALUE, VECTORS_NEGATIVE } vectors_kind;

/* The place of a test in its file, by its tcId. */
typedef struct
{
    json_int_t id;
    size_t at;
} vectors_key;

typedef struct
{
    json_t *root;
    vectors_kind kind;
    size_t count;
    json_t **tests;    /* in the order of the file; they belong to root */
    vectors_key *keys; /* sorted */
} vectors_file;

/* Reads a file of any kind and checks all of its members. After -1, f is empty. */
int vectors_parse(vectors_file *f, const char *text, size_t length, const reader *r);
int vectors_load(vectors_file *f, const char *path, const reader *r);
void vectors_clear(vectors_file *f);

json_int_t vectors_id(const json_t *test);
/* The place of the test, or f->count. */
size_t vectors_find(const vectors_file *f, json_int_t id);
/* The test of one of the files, or NULL. */
const json_t *vectors_find_test(const vectors_file *files, size_t count, json_int_t id);
/* Whether no tcId is in two of the files. */
int vectors_disjoint(const vectors_file *files, size_t count, const reader *r);

/* The members of a result, not its numbers. */
int vectors_check_result(json_t *result, const reader *r);

/* Which bound of an answer about a mechanism the test has, "upper" or "lower"; NULL: the question is about one number. */
const char *vectors_bound(const json_t *test);

/* The result of a test whose question has this answer: that bound, or the member "value", on one level. A new reference, or NULL if there is none. */
json_t *vectors_result(const json_t *answer, const char *bound);

/*
 * The value file of a prompt file, given the results of its tests in their
 * order, and the prompt file of a value file. A new reference.
 */
json_t *vectors_to_value(const vectors_file *prompt, json_t *const *results);
json_t *vectors_to_prompt(const vectors_file *value);

/* The canonical layout: members in their order, indented by two blanks. */
void vectors_write(FILE *out, const json_t *root);

/* r with "tcId 1001: " for the prefix. */
reader vectors_about(const reader *r, const json_t *test);

/* ---- finished results of an unfinished run ---- */

/*
 * Where results[i] is NULL, results[i] := a new reference to what the lines of
 * NAME (report/partial.h) have for test i with the same question by this
 * version of the program.
 */
int vectors_partial_collect(json_t **results, const vectors_file *f, const char *dir, const char *name, const reader *r);

/* Adds one line. */
void vectors_partial_add(FILE *out, const json_t *test, json_t *result);

/* ---- checks ---- */

/*
 * Computes the result of a question: 0 and a new reference, VECTORS_REFUSED if
 * it is not for this path, or -1, both after a message.
 */
#define VECTORS_REFUSED 1 /* a status */
typedef int (*vectors_compute)(json_t **result, json_t *question, const char *bound, int fast, const reader *r);

/* What became of a test. */
typedef enum { VECTORS_AGREES, VECTORS_SAME_TEXT, VECTORS_SKIPPED, VECTORS_FAILED } vectors_outcome;

/* A test of a value or a negative file, recomputed; a message with VECTORS_SKIPPED and VECTORS_FAILED. */
vectors_outcome vectors_check(json_t *test, vectors_kind kind, int fast, vectors_compute compute, const reader *r);

/* ---- answers of other libraries ---- */

typedef enum { VECTORS_SOUND, VECTORS_UNSOUND, VECTORS_UNDECIDED } vectors_verdict;

const char *vectors_verdict_name(vectors_verdict v);

/* One bound of another library on the value of a test. */
typedef struct
{
    json_int_t id;
    const json_t *test;
    const json_t *answer;    /* as it was written */
    int upper;
    vectors_verdict verdict;
    char *ratio;             /* upper / hi rounded up, or lower / lo rounded down; NULL without one */
} vectors_judgement;

typedef struct
{
    json_t *root; /* the answers as read */
    const char *tolerance; /* as it was given, or NULL */
    const char *library, *version;
    vectors_judgement *items;
    size_t count, unknown, refused, unanswered;
    size_t verdicts[3];
} vectors_report;

/*
 * Judges a file of answers on the tests of value files. An upper bound is
 * sound if it is at least hi, unsound if it is less than lo and undecided
 * between; a lower bound the other way round. What is not a number bounds
 * nothing and is unsound. A tolerance t, a number of 0 <= t < 1 as text or
 * NULL, first takes an upper bound x for x + t |x|, a lower one for x - t |x|.
 */
int vectors_judge(vectors_report *report, const char *text, size_t length, const char *tolerance, const vectors_file *files,
                  size_t count, const reader *r);
void vectors_report_clear(vectors_report *report);
json_t *vectors_report_json(const vectors_report *report);

#endif
