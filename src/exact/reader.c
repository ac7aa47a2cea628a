/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "exact/reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exact/escape.h"

#define MAX_FILE_SIZE ((size_t) 16 << 20) /* larger files are refused */

int reader_fail(const reader *r, const char *format, ...)
{
    char message[1024];
    va_list args;
    int used = snprintf(message, sizeof(message), "%s", r->prefix);
    va_start(args, format);
    vsnprintf(message + used, sizeof(message) - (size_t) used, format, args);
    va_end(args);
    escape_text(r->text, r->size, message);
    return -1;
}

reader reader_inside(const reader *r, const char *member, size_t place)
{
    reader inside = *r;
    const size_t used = strlen(r->path), room = sizeof(inside.path) - used;
    if (place == NO_PLACE)
        snprintf(inside.path + used, room, "%.40s.", member);
    else
        snprintf(inside.path + used, room, "%.40s[%zu].", member, place);
    return inside;
}

int reader_has(const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL;
}

int reader_has_any(char name[NAMES_SIZE], const json_t *object, const char *names)
{
    while (names_next(name, NAMES_SIZE, &names, " "))
        if (reader_has(object, name))
            return 1;
    return 0;
}

int reader_members(json_t *object, const char *names, const reader *r)
{
    char nearest[NAMES_SIZE];
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (names_has(names, key))
            continue;
        return names_nearest(nearest, key, names) ? reader_fail(r, "unknown member \"%s%.40s\": did you mean \"%s\"?", r->path, key, nearest)
                                                  : reader_fail(r, "unknown member \"%s%.40s\"", r->path, key);
    }
    return 0;
}

int reader_text(char **out, const json_t *object, const char *key, const reader *r)
{
    json_t *value = json_object_get(object, key);
    const char *text = value != NULL ? json_string_value(value) : "";
    size_t size;
    if (text == NULL)
        return reader_fail(r, "\"%s\" must be a string", key);
    size = strlen(text) + 1;
    *out = memcpy(flint_malloc(size), text, size);
    return 0;
}

int reader_real(shuf_real_t out, const json_t *value, const char *what, const reader *r)
{
    char digits[32];
    const char *text;
    if (json_is_integer(value))
    {
        snprintf(digits, sizeof(digits), "%lld", (long long) json_integer_value(value));
        text = digits;
    }
    else if (json_is_string(value))
    {
        text = json_string_value(value);
    }
    else
    {
        return reader_fail(r, "%s must be a number written as a string, such as \"0.1\"", what);
    }
    if (shuf_real_set_str(out, text) != 0)
        return reader_fail(r, "%s is \"%.60s\", not a decimal, a fraction, a hexadecimal float or log(..)", what, text);
    return 0;
}

int reader_count(uint64_t *out, const json_t *object, const char *key, uint64_t least, uint64_t most, const reader *r)
{
    const json_t *value = json_object_get(object, key);
    uint64_t n = 0;
    if (json_is_integer(value) && json_integer_value(value) > 0)
        n = (uint64_t) json_integer_value(value);
    else if (json_is_string(value))
        shuf_users_set_str(&n, json_string_value(value)); /* n stays 0 if it is none */
    if (n < least || n > most)
        return reader_fail(r, "\"%s\" must be a whole number from %llu to %llu", key, (unsigned long long) least,
                           (unsigned long long) most);
    *out = n;
    return 0;
}

json_t *reader_parse(const char *text, size_t length, const reader *r)
{
    static const char mark[] = "\xef\xbb\xbf"; /* of the byte order: some editors begin a file with it */
    const size_t skipped = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    json_error_t error;
    json_t *root = json_loadb(text + skipped, length - skipped, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        reader_fail(r, "not JSON: %s (line %d)", error.text, error.line);
    return root;
}

int reader_file(char **text, size_t *length, const char *path, const reader *r)
{
    FILE *in = fopen(path, "rb");
    int result = 0;
    *text = NULL;
    if (in == NULL)
        return reader_fail(r, "cannot open: %s", strerror(errno));
    *text = flint_malloc(MAX_FILE_SIZE + 1);
    *length = fread(*text, 1, MAX_FILE_SIZE + 1, in);
    if (ferror(in))
        result = reader_fail(r, "cannot read: %s", strerror(errno));
    else if (*length > MAX_FILE_SIZE)
        result = reader_fail(r, "larger than 16 MiB");
    fclose(in);
    if (result != 0)
    {
        flint_free(*text);
        *text = NULL;
    }
    return result;
}
