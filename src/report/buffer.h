/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* buffer: a stream into memory that is whole or fails as enclosure/memory.h says; open_memstream loses what it has no room for (internal). */
#ifndef SHUF_REPORT_BUFFER_H
#define SHUF_REPORT_BUFFER_H

#include <stdio.h>

typedef struct
{
    FILE *out;
    char *text;
    size_t length, size;
} report_buffer;

void report_buffer_open(report_buffer *b);

/* The text; free it. */
char *report_buffer_close(report_buffer *b);

#endif
