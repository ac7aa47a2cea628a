/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* claims: the answers of an audit as a report to be read, printed and signed (internal, of the program). */
#ifndef SHUF_REPORT_CLAIMS_H
#define SHUF_REPORT_CLAIMS_H

#include <jansson.h>

#include "report/document.h"
#include "report/sha256.h"

/* A file that was read. */
typedef struct
{
    const char *name; /* no path: it is another on each machine */
    char sha256[SHA256_SIZE];
} claims_input;

typedef struct
{
    const json_t *answer; /* to a claim (doc/schema) */
    const json_t *points; /* answers around it: delta at rising eps of a claim of (eps, delta), the divergence at rising orders; or NULL */
} claims_item;

typedef struct
{
    const char *command, *date; /* date: "" if there is none */
    const char *incomplete;     /* why there are not all claims; "" */
    const claims_input *inputs;
    size_t input_count;
    const claims_item *items;
    size_t count;
} claims_facts;

/* Writes the report: summary, the claims in their order, and the theorems that they rest on. */
void claims_report(FILE *out, document_format format, const claims_facts *facts);

#endif
