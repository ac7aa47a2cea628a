/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* members (internal): reading one member of a JSON object; messages name it, its value and what is allowed. */
#ifndef SHUF_ACCOUNT_MEMBERS_H
#define SHUF_ACCOUNT_MEMBERS_H

#include "../exact/reader.h"

/* The member as a text for messages, in a buffer of 96 characters. */
const char *member_shown(char *buffer, const json_t *object, const char *key);

/* These return 0, or -1 after a message. A real number; one from least to most; an eps; a rational in [0, 1]; a whole number. */
int member_real(shuf_real_t out, const json_t *object, const char *key, const reader *r);
int member_between(shuf_real_t out, const json_t *object, const char *key, slong least, slong most, const reader *r);
int member_epsilon(shuf_real_t out, const json_t *object, const char *key, const reader *r);
int member_rational(fmpq_t out, const json_t *object, const char *key, const reader *r);
int member_count(uint64_t *out, const json_t *object, const char *key, uint64_t least, uint64_t most, const reader *r);

/* Fails, naming the mechanism's type, if a member of the list is there. */
int member_barred(const json_t *object, const char *keys, const char *type, const reader *r);

/* *out := the index of the member's text among the names; unchanged when it is not there. */
int member_choice(int *out, const json_t *object, const char *key, const char *const *names, int count, const reader *r);

/* The other way: a rational number, and a count, as a text. */
json_t *rational_json(const fmpq_t x);
json_t *count_json(uint64_t n);

#endif
