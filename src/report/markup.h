/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* markup: text of an answer on its way out, see exact/escape.h (internal). */
#ifndef SHUF_REPORT_MARKUP_H
#define SHUF_REPORT_MARKUP_H

#include <stdio.h>

/* For a terminal: control characters escaped. */
void put_text(FILE *out, const char *text);

/* The same for HTML and XML: & < > " ' too; line breaks and tabulators are spaces. */
void put_html(FILE *out, const char *text);
void put_html_part(FILE *out, const char *text, size_t length);

/* For Markdown and for LaTeX, inside of a line: nothing is a command, a link or a list. */
void put_markdown(FILE *out, const char *text);
void put_latex(FILE *out, const char *text);

#endif
