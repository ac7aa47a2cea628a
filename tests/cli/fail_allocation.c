/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * To be preloaded: in each process the allocation number FAIL_AT fails, and all after it with FAIL_ALL. With FAIL_COUNT, a
 * file, each process adds a line with how many there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../failing_allocator.h"

static long count, fail_at = -1;
static int fail_all;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("FAIL_AT");
    count = 0;
    fail_all = getenv("FAIL_ALL") != NULL;
    fail_at = at != NULL ? atol(at) : -1;
}

static int fails(void)
{
    long i = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (fail_at < 0 || (i != fail_at && !(fail_all && i > fail_at)))
        return 0;
    errno = ENOMEM;
    return 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    int fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (fd >= 0)
    {
        int length = snprintf(text, sizeof(text), "%ld\n", count);
        if (write(fd, text, (size_t) length) != length)
            abort();
        close(fd);
    }
}

void _exit(int status)
{
    end();
    _Exit(status);
}
