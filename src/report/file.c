/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/message.h"

#define MAX_TRIES 100 /* of temporary names */

static int fail(const report_file *file, const char *what)
{
    return report_fail(EXIT_CANNOT_WRITE, "%s %s: %s", file->option, file->path, what);
}

/* What a path that may not be replaced is, in words; NULL for a regular file. */
static const char *kind_of(mode_t mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "is a folder, not a regular file; left as it is"
           : S_ISLNK(mode)  ? "is a symbolic link, not a regular file; left as it is"
           : S_ISFIFO(mode) ? "is a FIFO, not a regular file; left as it is"
           : S_ISSOCK(mode) ? "is a socket, not a regular file; left as it is"
                            : "is a device, not a regular file; left as it is";
}

/* Those that are open, whole at every moment for a handler of a signal. */
static report_file *volatile open_files;

static void enlist(report_file *file)
{
    file->owner = getpid();
    file->next = open_files;
    open_files = file;
}

static void delist(const report_file *file)
{
    report_file *volatile *at = &open_files;
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
}

void report_file_abandon(void)
{
    const report_file *file;
    for (file = open_files; file != NULL; file = file->next)
        if (file->owner == getpid())
            unlink(file->temporary);
}

/* Whether nothing or a regular file is at the path; 0, or EXIT_CANNOT_WRITE after a message. */
static int check_target(const report_file *file)
{
    struct stat s;
    const char *kind;
    if (lstat(file->path, &s) != 0)
        return errno == ENOENT && file->path[0] != '\0' ? 0 : fail(file, strerror(errno));
    kind = kind_of(s.st_mode);
    return kind == NULL ? 0 : fail(file, kind);
}

/* Opens a new file in the folder of the path. Returns the descriptor, or -1 with errno set. */
static int open_temporary(report_file *file)
{
    const char *slash = strrchr(file->path, '/');
    int folder = slash == NULL ? 0 : (int) (slash - file->path) + 1, fd = -1, i;
    size_t size = (size_t) folder + 64;
    file->temporary = malloc(size);
    if (file->temporary == NULL)
        return -1;
    for (i = 0; fd < 0 && i < MAX_TRIES && (i == 0 || errno == EEXIST); i++)
    {
        snprintf(file->temporary, size, "%.*s.shufbound-%ld-%d", folder, file->path, (long) getpid(), i);
        fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    }
    return fd;
}

int report_file_open(report_file *file, const char *option, const char *path)
{
    int fd, status;
    file->option = option;
    file->path = path;
    file->temporary = NULL;
    file->out = NULL;
    if ((status = check_target(file)) != 0)
        return status;
    fd = open_temporary(file);
    if (fd >= 0)
        file->out = fdopen(fd, "w");
    if (file->out != NULL)
    {
        enlist(file);
        return 0;
    }
    status = fail(file, strerror(errno));
    if (fd >= 0)
    {
        close(fd);
        unlink(file->temporary);
    }
    free(file->temporary);
    return status;
}

int report_file_close(report_file *file)
{
    int status = 0, failed = ferror(file->out), reason;
    errno = failed ? EIO : 0; /* an earlier write failed: the stream does not remember why */
    failed |= fflush(file->out) != 0;
    reason = errno;
    if (fclose(file->out) != 0 && !failed)
    {
        failed = 1;
        reason = errno;
    }
    if (failed)
        status = fail(file, strerror(reason));
    else if ((status = check_target(file)) == 0 && rename(file->temporary, file->path) != 0)
        status = fail(file, strerror(errno));
    if (status != 0)
        unlink(file->temporary);
    delist(file);
    free(file->temporary);
    return status;
}

void report_file_discard(report_file *file)
{
    fclose(file->out);
    unlink(file->temporary);
    delist(file);
    free(file->temporary);
}
