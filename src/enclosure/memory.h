/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * memory: running out of it (internal).
 *
 * FLINT and GMP end the process when there is no memory, and jansson leaves
 * out what it has no room for. Within memory_try an allocation of any of them
 * that fails ends the computation instead, by a jump. What it held is lost.
 * The jump may leave caches of FLINT half made, and a number from such a cache
 * would be wrong: they are the thread's own, so the library computes nothing
 * in that thread any more.
 */
#ifndef SHUF_ENCLOSURE_MEMORY_H
#define SHUF_ENCLOSURE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

/*
 * f(data). Returns 0, or -1 if there was not enough memory for it. Where that
 * has happened before in this thread, another thread runs it.
 */
int memory_try(void (*f)(void *data), void *data);

/* Whether it has happened. */
int memory_is_spoilt(void);

/* What a failed allocation does: a jump to memory_try, or as FLINT. */
_Noreturn void memory_fail(void);

/* malloc, which returns NULL outside memory_try only. */
void *memory_claim(size_t size);

/* json_dumpf and a line feed, but the whole text or, without the memory for it, memory_fail. */
void memory_dump(FILE *out, const json_t *value, size_t flags);

/* f(data, line), which is somebody else's code: no jump leads out of it. */
int memory_call(int (*f)(void *data, const char *line), void *data, const char *line);

#endif
