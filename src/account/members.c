/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/members.h"

#include <stdio.h>
#include <string.h>

#include "account/question.h"

/* The member as a text for messages, in a buffer of 96 characters. */
const char *member_shown(char *buffer, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value))
        snprintf(buffer, 96, "%.80s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(buffer, 96, "%lld", (long long) json_integer_value(value));
    else
        snprintf(buffer, 96, "%s", value == NULL ? "missing" : "no number");
    return buffer;
}

int member_real(shuf_real_t out, const json_t *object, const char *key, const reader *r)
{
    char what[40];
    if (!reader_has(object, key))
        return reader_fail(r, "\"%s\" is missing", key);
    snprintf(what, sizeof(what), "\"%.30s\"", key);
    return reader_real(out, json_object_get(object, key), what, r);
}

/* A number from least to most. */
int member_between(shuf_real_t out, const json_t *object, const char *key, slong least, slong most, const reader *r)
{
    char text[96];
    if (member_real(out, object, key, r) != 0)
        return -1;
    if (shuf_real_cmp_si(out, least) < 0 || shuf_real_cmp_si(out, most) > 0)
    {
        char limit[24] = "1e18";
        if (most != (slong) SHUF_MAX_USERS)
            snprintf(limit, sizeof(limit), "%ld", (long) most);
        return reader_fail(r, "\"%s\" is %s: between %ld and %s is allowed", key, member_shown(text, object, key), (long) least, limit);
    }
    return 0;
}

int member_epsilon(shuf_real_t out, const json_t *object, const char *key, const reader *r)
{
    return member_between(out, object, key, 0, SHUF_MAX_EPSILON, r);
}

/* A rational number in [0, 1]. */
int member_rational(fmpq_t out, const json_t *object, const char *key, const reader *r)
{
    char text[96];
    shuf_real_t x;
    int result;
    shuf_real_init(x);
    result = member_between(x, object, key, 0, 1, r);
    if (result == 0 && x->is_log)
        result = reader_fail(r, "\"%s\" is %s: a rational number is allowed, not a logarithm", key, member_shown(text, object, key));
    if (result == 0)
        fmpq_set(out, x->q);
    shuf_real_clear(x);
    return result;
}

int member_count(uint64_t *out, const json_t *object, const char *key, uint64_t least, uint64_t most, const reader *r)
{
    char text[96], silent[2], limit[24];
    reader quiet = { silent, sizeof(silent), "", "" };
    if (!reader_has(object, key))
        return reader_fail(r, "\"%s\" is missing", key);
    if (reader_count(out, object, key, least, most, &quiet) == 0)
        return 0;
    snprintf(limit, sizeof(limit), "%llu", (unsigned long long) most);
    return reader_fail(r, "\"%s\" is %s: a whole number from %llu to %s is allowed", key, member_shown(text, object, key),
                       (unsigned long long) least, most == SHUF_MAX_USERS ? "1e18" : most == SHUF_MAX_ROUNDS ? "1e9" : limit);
}

/* *out := the index of the member's text among the names; unchanged when it is not there. */
int member_choice(int *out, const json_t *object, const char *key, const char *const *names, int count, const reader *r)
{
    const json_t *value = json_object_get(object, key);
    const char *text = json_string_value(value);
    char allowed[160] = "";
    int i;
    if (value == NULL)
        return 0;
    for (i = 0; i < count; i++)
    {
        if (text != NULL && strcmp(text, names[i]) == 0)
        {
            *out = i;
            return 0;
        }
        snprintf(allowed + strlen(allowed), sizeof(allowed) - strlen(allowed), "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    }
    return reader_fail(r, "\"%s\" is \"%.40s\": %s is allowed", key, text != NULL ? text : "no text", allowed);
}

int member_barred(const json_t *object, const char *keys, const char *type, const reader *r)
{
    char name[NAMES_SIZE];
    return reader_has_any(name, object, keys) ? reader_fail(r, "\"%s\" does not go with the mechanism %s", name, type) : 0;
}

json_t *rational_json(const fmpq_t x)
{
    char *text = fmpq_get_str(NULL, 10, x);
    json_t *json = json_string(text);
    flint_free(text);
    return json;
}

json_t *count_json(uint64_t n)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long) n);
    return json_string(text);
}
