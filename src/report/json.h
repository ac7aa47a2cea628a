/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* json: answers as JSON lines (internal, of the program). */
#ifndef SHUF_REPORT_JSON_H
#define SHUF_REPORT_JSON_H

#include <stdio.h>

#include <jansson.h>

/* One line, members in the order they have, numbers that are no strings with 6 digits. */
void json_line(FILE *out, const json_t *value);

#endif
