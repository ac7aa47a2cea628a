/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/markup.h"

#include <string.h>

#include "exact/escape.h"

void put_text(FILE *out, const char *text)
{
    char one[ESCAPE_SIZE];
    while (escape_next(one, &text) > 0)
        fputs(one, out);
}

/* As escape_next, but with a blank for the end of a line and for a tab. */
static size_t next(char one[ESCAPE_SIZE], const char **text)
{
    int space = **text == '\n' || **text == '\t' || **text == '\r';
    size_t length = escape_next(one, text);
    return space ? strlen(strcpy(one, " ")) : length;
}

void put_html_part(FILE *out, const char *text, size_t length)
{
    const char *end = text + length;
    char one[ESCAPE_SIZE];
    while (text < end && next(one, &text) > 0)
    {
        switch (one[0])
        {
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

void put_markdown(FILE *out, const char *text)
{
    char one[ESCAPE_SIZE], before = ' ';
    while (next(one, &text) > 0)
    {
        const char *s;
        for (s = one; *s != '\0'; s++)
        {
            if (*s == ' ' && before == ' ')
                continue;
            if (strchr("\\`*_{}[]<>&|~#$@", *s) != NULL || (*s == '/' && before == ':')
                || (*s == '.' && before == 'w')) /* no address becomes a link */
                fputc('\\', out);
            fputc(*s, out);
            before = *s;
        }
    }
}

/* How LaTeX writes a character; NULL: as it is. */
static const char *latex_of(const char *one)
{
    static const struct { const char *character, *latex; } all[] = {
        { "{", "\\{" }, { "}", "\\}" }, { "$", "{\\char36}" }, { "&", "\\&" }, { "#", "\\#" }, { "_", "\\_" },
        { "%", "\\%" }, { "^", "\\textasciicircum{}" }, { "~", "\\textasciitilde{}" }, { "<", "\\textless{}" }, { ">", "\\textgreater{}" },
        { "|", "\\textbar{}" }, { "\"", "''" }, { "`", "`{}" }, { "'", "'{}" }, { "-", "-{}" }, { "[", "{[}" }, { "]", "{]}" },
        { "\u03b1", "$\\alpha$" }, { "\u03b3", "$\\gamma$" }, { "\u03b4", "$\\delta$" }, { "\u0394", "$\\Delta$" },
        { "\u03b5", "$\\varepsilon$" }, { "\u03bb", "$\\lambda$" }, { "\u03bc", "$\\mu$" }, { "\u03c3", "$\\sigma$" },
        { "\u03a3", "$\\Sigma$" }, { "\u2212", "$-$" }, { "\u00d7", "$\\times$" }, { "\u00f7", "$\\div$" }, { "\u00b2", "$^2$" },
        { "\u221a", "$\\surd$" }, { "\u2265", "$\\ge$" }, { "\u2264", "$\\le$" }, { "\u2013", "--" }, { "\u2014", "---" },
        { "\u2018", "`" }, { "\u2019", "'" }, { "\u201c", "``" },
        { "\u201d", "''" }
    };
    size_t i;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(one, all[i].character) == 0)
            return all[i].latex;
    return NULL;
}

/* The letters of Latin-1 that the fonts of every LaTeX have; without eth and thorn. */
static int is_latin(const char *one)
{
    const unsigned char *c = (const unsigned char *) one;
    return c[0] == 0xc3 && strchr("\x90\x9e\xb0\xbe", one[1]) == NULL;
}

/* The number of a character of several bytes. */
static unsigned long number_of(const char *one)
{
    const unsigned char *c = (const unsigned char *) one;
    unsigned long n = c[0] & (c[0] < 0xe0 ? 0x1fu : c[0] < 0xf0 ? 0x0fu : 0x07u);
    while (*++c != '\0')
        n = n << 6 | (*c & 0x3fu);
    return n;
}

void put_latex(FILE *out, const char *text)
{
    enum { LONGEST = 12 }; /* a word may be broken after so many */
    char one[ESCAPE_SIZE];
    int run = 0;
    while (next(one, &text) > 0)
    {
        const char *latex = latex_of(one);
        if (one[0] == '-' && *text >= '0' && *text <= '9') /* no line ends in 1e- */
            fputs("\\mbox{-}", out);
        else if (one[0] == '\\') /* of a control character, escaped, too */
            fprintf(out, "\\textbackslash{}%s", one + 1);
        else if (latex != NULL)
            fputs(latex, out);
        else if ((unsigned char) one[0] < 0x80 || is_latin(one))
            fputs(one, out);
        else
            fprintf(out, "{[}U+%04lX{]}", number_of(one));
        run = one[0] == ' ' || one[0] == '-' ? 0 : run + 1;
        if (run % LONGEST == LONGEST - 1)
            fputs("\\allowbreak{}", out);
    }
}
