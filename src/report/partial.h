/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * partial: results that are finished, one line each, beside the file that they
 * are for (internal, of the program): a run can be stopped, resumed, and
 * divided among processes and machines that share a folder.
 */
#ifndef SHUF_REPORT_PARTIAL_H
#define SHUF_REPORT_PARTIAL_H

#include <stdint.h>
#include <stdio.h>

/* The share I/N of a run: every N-th result from the I-th on. */
typedef struct
{
    uint64_t index, count;
} partial_share;

#define PARTIAL_MAX_SHARES 10000 /* more are refused */

/* DIR/.NAME.I-of-N.jsonl; free it with free. */
char *partial_path(const char *dir, const char *name, const partial_share *share);

/*
 * For lines to add; one that a crash cut off is ended first. NULL with errno
 * set if it cannot be opened, is no regular file (EINVAL) or is open for adding
 * in another process (EAGAIN).
 */
FILE *partial_open(const char *path);

/*
 * Calls visit for each line, without its end, of every such file of any I and
 * N. A line may have been cut off. Returns 0, or -1 with errno set and the
 * path that could not be read in `path`.
 */
int partial_visit(const char *dir, const char *name, void (*visit)(void *data, const char *line, size_t length), void *data, char *path,
                  size_t size);

/* Removes them all. */
void partial_remove(const char *dir, const char *name);

#endif
