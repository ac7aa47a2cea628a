/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* papers: what the sources of theorems name, for a bibliography (internal). */
#ifndef SHUF_PAPERS_H
#define SHUF_PAPERS_H

#include "theorem.h"

typedef struct
{
    const char *key;
    const char *kind;    /* of BibTeX: article, inproceedings, misc */
    const char *authors, *title; /* in TeX */
    const char *venue;   /* NULL: arXiv alone */
    const char *year;
    const char *arxiv;   /* or NULL */
    const char *mark;    /* the words by which sources name it; NULL: its number in arXiv */
} shuf_paper;

/* All of them, by the first author's name; *count is their number. */
const shuf_paper *shuf_papers(size_t *count);

/* Whether the source of the theorem names the paper. */
int shuf_paper_is_source(const shuf_paper *p, const shuf_theorem *t);

#endif
