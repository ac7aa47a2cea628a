/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/escape.h"

#include <string.h>

#include "exact/escape.h"

void put_text(FILE *out, const char *text)
{
    char one[ESCAPE_SIZE];
    while (escape_next(one, &text) > 0)
        fputs(one, out);
}

void put_html_part(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    char one[ESCAPE_SIZE];
    while (text < end)
    {
        int space = *text == '\n' || *text == '\t' || *text == '\r';
        if (escape_next(one, &text) == 0)
            return;
        switch (space ? ' ' : one[0])
        {
        case ' ': fputc(' ', out); break;
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputs(one, out);
        }
    }
}

void put_html(FILE *out, const char *text)
{
    put_html_part(out, text, strlen(text));
}
