/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exact/escape.h"

#define MAX_MESSAGE 2048 /* size of a buffer */

int report_fail(int status, const char *format, ...)
{
    char text[MAX_MESSAGE], one[ESCAPE_SIZE];
    const char *s = text;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fputs("shufbound: ", stderr);
    while (escape_next(one, &s) > 0)
        fputs(one, stderr);
    fputc('\n', stderr);
    return status;
}

int report_finish(int status)
{
    static int told;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (!told)
        report_fail(EXIT_CANNOT_WRITE, "cannot write to standard output: %s", strerror(errno));
    told = 1;
    return EXIT_CANNOT_WRITE;
}

void report_show(const char *line)
{
    static int shown;
    char text[80]; /* short of 80 columns, so that no terminal breaks it */
    if ((!shown && line[0] == '\0') || !isatty(STDERR_FILENO))
        return;
    escape_text(text, sizeof(text), line);
    fprintf(stderr, "\r%-79s%s", text, line[0] == '\0' ? "\r" : "");
    fflush(stderr);
    shown = line[0] != '\0';
}
