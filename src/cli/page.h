/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* page: the HTML report of an audit (internal). */
#ifndef SHUF_CLI_PAGE_H
#define SHUF_CLI_PAGE_H

#include "cli/question.h"
#include "report/html.h"

/* Computes the curves of every claim and writes the page; `incomplete` as html_report has it. */
void cli_write_page(FILE *out, const json_t *answers, const html_input *inputs, size_t input_count, const char *incomplete);

#endif
