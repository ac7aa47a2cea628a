/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* page: the reports of an audit (internal). */
#ifndef SHUF_CLI_PAGE_H
#define SHUF_CLI_PAGE_H

#include "cli/options_question.h"
#include "report/claims.h"

/* One file for each format that is asked for. */
typedef struct
{
    report_file file[DOCUMENT_FORMATS];
    int is_open[DOCUMENT_FORMATS];
} cli_reports;

/* Opens them, or none; checks --date. Returns 0, or an exit status after a message. */
int cli_open_reports(cli_reports *r, const cli_options *o);

/* Computes the curves of every claim, writes and closes them; `incomplete` as claims_facts has it. Returns as cli_open_reports. */
int cli_write_reports(cli_reports *r, const cli_options *o, const json_t *answers, claims_input *inputs, const char *incomplete);

#endif
