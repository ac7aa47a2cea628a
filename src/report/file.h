/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * file: output files (internal, of the program).
 *
 * A file grows under a temporary name beside its own and gets its name when
 * it is whole: what was there before stays until then, and stays if writing
 * fails. Only a regular file is ever replaced: a target that is a device, a
 * FIFO, a socket, a symbolic link or a folder is refused.
 */
#ifndef SHUF_REPORT_FILE_H
#define SHUF_REPORT_FILE_H

#include <stdio.h>
#include <sys/types.h>

/* Of a file that is open; not in the caller's frame, which is gone when memory runs out. */
typedef struct report_temporary
{
    struct report_temporary *volatile next;
    pid_t owner;
    const char *option, *path;
    char name[];
} report_temporary;

typedef struct
{
    const char *option, *path; /* for messages */
    report_temporary *temporary;
    FILE *out;
} report_file;

/*
 * To be called before the work begins. Returns 0, or after a message that names option and path EXIT_CANNOT_WRITE, or EXIT_USAGE if
 * another file that is open will have that path.
 */
int report_file_open(report_file *file, const char *option, const char *path);

/* Closes the file and renames it into place, unless writing failed. Returns as report_file_open. */
int report_file_close(report_file *file);

/* Closes and removes the temporary file; what is at the path stays. */
void report_file_discard(report_file *file);

/* Removes the temporary files of this process, which is about to end: a signal's handler may call it. */
void report_file_abandon(void);

#endif
