/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* message: what goes to stderr, and the exit statuses (internal, of the program). */
#ifndef SHUF_REPORT_MESSAGE_H
#define SHUF_REPORT_MESSAGE_H

/* Exit statuses, see shufbound(1). */
enum
{
    EXIT_DONE = 0,
    EXIT_ACCURACY = 3,
    EXIT_USAGE = 64,
    EXIT_DATA = 65,
    EXIT_NO_INPUT = 66,
    EXIT_MEMORY = 71,
    EXIT_CANNOT_WRITE = 73,
    EXIT_INTERRUPTED = 130 /* what is finished was kept */
};

/* "shufbound: " and one line on stderr, control characters escaped. Returns status. */
int report_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes stdout. Returns status, or EXIT_CANNOT_WRITE after a message, which is printed once. */
int report_finish(int status);

/* Shows a line on stderr in place of the one before, if stderr is a terminal; "" removes it. */
void report_show(const char *line);

#endif
