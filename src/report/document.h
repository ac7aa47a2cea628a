/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * document: headings, facts, tables and lists to be signed, as HTML, Markdown or LaTeX (internal, of the program).
 *
 * Texts are escaped here. What takes a char * frees it.
 */
#ifndef SHUF_REPORT_DOCUMENT_H
#define SHUF_REPORT_DOCUMENT_H

#include <stdio.h>

typedef enum
{
    DOCUMENT_HTML,     /* one file that needs nothing else, for screens and for print */
    DOCUMENT_MARKDOWN, /* with the tables and task lists of GitHub's */
    DOCUMENT_LATEX     /* an article that needs the packages array, geometry and longtable only */
} document_format;

#define DOCUMENT_FORMATS 3 /* size of an array */

typedef struct
{
    FILE *out;
    document_format format;
} document;

void document_begin(const document *d, const char *title);
void document_end(const document *d);

/* A section of that id, letters, digits and hyphens; status: "", or a verdict that its title begins with, in colour. */
void document_section(const document *d, const char *id, const char *status, const char *title);
void document_section_end(const document *d);
void document_heading(const document *d, const char *title);

void document_paragraph(const document *d, const char *text);
void document_warning(const document *d, const char *text); /* after INCOMPLETE */

/* Names with texts, at least one; an empty text is left out. */
void document_facts(const document *d);
void document_fact(const document *d, const char *name, char *text);
void document_facts_end(const document *d);

typedef struct
{
    const char *caption;
    size_t count;
    const char *const *heads;
} document_table;

/* On a narrow screen each row is a card. link: NULL, or the id of the section that the first cell leads to; status: NULL, or that of the second. */
void document_table_begin(const document *d, const document_table *table);
void document_row(const document *d, const document_table *table, char *const *cells, const char *link, const char *status);
void document_table_end(const document *d);

/* Boxes to be ticked, at least one, and below them lines for a name and a date. */
void document_checks(const document *d);
void document_check(const document *d, const char *text);
void document_checks_end(const document *d);

#endif
