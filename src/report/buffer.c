/* SPDX-License-Identifier: LGPL-3.0-or-later */
#define _GNU_SOURCE /* fopencookie */
#include "report/buffer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "enclosure/memory.h"

/* No jump from here: the stream's own code is underneath. */
static ssize_t add(void *data, const char *text, size_t length)
{
    report_buffer *b = data;
    if (b->size - b->length <= length)
    {
        size_t size = 2 * b->size + length;
        char *next = realloc(b->text, size);
        if (next == NULL)
            return 0;
        b->text = next;
        b->size = size;
    }
    memcpy(b->text + b->length, text, length);
    b->length += length;
    return (ssize_t) length;
}

void report_buffer_open(report_buffer *b)
{
    b->length = 0;
    b->size = 256;
    b->text = memory_claim(b->size);
    b->out = b->text != NULL ? fopencookie(b, "w", (cookie_io_functions_t) { .write = add }) : NULL;
    if (b->out == NULL)
        memory_fail();
}

char *report_buffer_close(report_buffer *b)
{
    int failed = fflush(b->out) != 0 || ferror(b->out);
    fclose(b->out);
    if (failed)
        memory_fail();
    b->text[b->length] = '\0';
    return b->text;
}
