/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/noise_part.h"

#include <string.h>

#include "account/vocabulary.h"
#include "account/members.h"

int noise_part_is(const json_t *mechanism)
{
    const char *type = json_string_value(json_object_get(mechanism, "type"));
    return type != NULL && strcmp(type, NOISE_TYPE) == 0;
}

/* One more coin against none: of coins + 1 reports of a fair bit one is surely a one, or surely a zero. */
static void set_pair(shuf_pair_t pair, uint64_t coins)
{
    fmpq_t one, zero, half;
    fmpq_init(one); fmpq_init(zero); fmpq_init(half);
    fmpq_one(one);
    fmpq_set_si(half, 1, 2);
    shuf_pair_set_trinomial(pair, coins + 1, one, zero, half, half);
    fmpq_clear(one); fmpq_clear(zero); fmpq_clear(half);
}

int noise_part_read(shuf_part_struct *p, json_t *mechanism, const reader *r)
{
    uint64_t coins, sensitivity = 1;
    p->subject = SHUF_SUBJECT_NOISE;
    if (vocabulary_check_mechanism(mechanism, NOISE_TYPE, r) != 0
        || (reader_has(mechanism, "name") && reader_text(&p->randomiser->name, mechanism, "name", r) != 0)
        || member_count(&coins, mechanism, "coins", 1, SHUF_MAX_USERS - 1, r) != 0
        || (reader_has(mechanism, "sensitivity") && member_count(&sensitivity, mechanism, "sensitivity", 1, SHUF_MAX_USERS, r) != 0))
        return -1;
    if (sensitivity > 1)
        return reader_fail(r, "\"sensitivity\" is %llu: 1 is allowed: one record may change the count by at most 1", (unsigned long long) sensitivity);
    set_pair(p->pair, coins);
    return 0;
}

int noise_part_read_rounds(shuf_part_struct *p, const json_t *part, const reader *r)
{
    if (member_barred(part, "users honest reports_per_user release sample neighbours", NOISE_TYPE, r) != 0)
        return -1;
    return reader_has(part, "rounds") ? member_count(&p->rounds, part, "rounds", 1, SHUF_MAX_ROUNDS, r) : 0;
}

json_t *noise_part_json(const shuf_part_struct *p)
{
    json_t *object = json_pack("{s:s, s:I}", "type", NOISE_TYPE, "coins", (json_int_t) (p->pair->n - 1));
    if (p->randomiser->name != NULL)
        json_object_set_new(object, "name", json_string(p->randomiser->name));
    return object;
}
