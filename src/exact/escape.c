/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "exact/escape.h"

#include <stdio.h>
#include <string.h>

/* The bytes of the UTF-8 character at s, and the character; 0 if there is none (overlong forms, surrogates, cut short). */
static size_t decode(unsigned long *c, const unsigned char *s)
{
    static const unsigned long least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf8 ? 4 : 0, i;
    if (length == 0)
        return 0;
    *c = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
    for (i = 1; i < length; i++)
    {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (s[i] & 0x3fu);
    }
    return *c < least[length] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff) ? 0 : length;
}

static int is_control(unsigned long c)
{
    static const unsigned long ranges[][2] = {
        { 0, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 }
    };
    size_t i;
    for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return 1;
    return 0;
}

size_t escape_next(char out[ESCAPE_SIZE], const char **text)
{
    const unsigned char *s = (const unsigned char *) *text;
    unsigned long c;
    size_t length;
    if (*s == '\0')
        return 0;
    length = decode(&c, s);
    *text += length > 0 ? length : 1;
    if (length == 0)
        return (size_t) snprintf(out, ESCAPE_SIZE, "\\x%02x", (unsigned) s[0]);
    if (is_control(c))
        return (size_t) snprintf(out, ESCAPE_SIZE, "\\u%04x", (unsigned) (c & 0xffff));
    memcpy(out, s, length);
    out[length] = '\0';
    return length;
}

size_t escape_text(char *out, size_t size, const char *text)
{
    char one[ESCAPE_SIZE];
    size_t used = 0, length;
    while ((length = escape_next(one, &text)) > 0 && used + length < size)
    {
        memcpy(out + used, one, length);
        used += length;
    }
    if (size > 0)
        out[used] = '\0';
    return used;
}
