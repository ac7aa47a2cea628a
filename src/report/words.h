/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * words: parts of a question and of an answer (doc/schema) in words, for
 * text and HTML alike (internal).
 *
 * What returns char * is to be freed with free, and is not escaped yet. A
 * number is the answer's own text or rounded outward.
 */
#ifndef SHUF_REPORT_WORDS_H
#define SHUF_REPORT_WORDS_H

#include <jansson.h>

/* The string member, or "". */
const char *words_member(const json_t *object, const char *key);

/* A string or an integer as text. */
char *words_value(const json_t *value);

/* What an answer to the question assumes, a list of texts: its mechanism or pair (large
 * matrices by their size), whose eps0 it is, users, rounds, sample, neighbours, release; empty if nothing is known of it. */
json_t *words_assumed(const json_t *question);

/* The same as one text. */
char *words_assumptions(const json_t *question);

/* "(0.2, 1e-8)", "(order 18, 1.966)-RDP", "0.661-GDP for eps from 0 to 4"; "" without a claim. */
char *words_claim(const json_t *question);

/* What may be spent: "effort normal", "effort high, at most 5 seconds of the clock", digits. */
char *words_limit(const json_t *question);

/* The theorems of a bound: "clones, pld-composition". */
char *words_theorems(const json_t *bound);

/* "9999 users hold 0, 1 holds 1; against: 10000 users hold 0; mechanism krr, k = 3"; "" if the bound names no data. */
char *words_data(const json_t *bound);

/* One end ("lo" or "hi") of at most `digits` digits, rounded outward; 0: as it is. "unbounded" where there is none. */
char *words_end(const json_t *bound, const char *end, size_t digits);

/* Whether the bound says that the number is infinite. */
int words_is_infinite(const json_t *bound);

/* "in [lo, hi]", or "at least lo" or "at most hi" where there is no other end. The caller frees it. */
char *words_interval(const json_t *bound, size_t digits);

/* The same with as many digits as leave it on its side of a claimed number, if that is a decimal. Where it is infinite "infinite" from below, and from above "none". */
char *words_end_beside(const json_t *bound, const char *end, size_t digits, const char *claimed);

/* The number claimed of the quantity; NULL without a claim. */
const char *words_claimed(const json_t *question);

/* "CERTIFIED"; "" without a verdict. */
char *words_verdict(const json_t *answer);

/* Whether a bound says nothing: an upper one no finite end (or 1 of a probability), a lower one 0, others both. */
int words_says_nothing(const json_t *bound, const char *quantity);

/* Whether the quantity is one of privacy, and no parameter or error. */
int words_is_privacy(const char *quantity);

/* The worst status of the theorems of a bound, and of proved ones how far they are checked: "proved on paper". */
const char *words_proof(const json_t *bound);

/* The first theorem of a bound that has the status, or "". */
const char *words_theorem_of(const json_t *bound, const char *status);

/* The worst status of the theorems of a bound, "proved" if all are. */
const char *words_status(const json_t *bound);

#endif
