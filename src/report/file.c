/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/message.h"

#define MAX_TRIES 100 /* of temporary names: steers only */

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
static report_temporary *volatile open_files;

static void enlist(report_temporary *t, const report_file *file)
{
    t->owner = getpid();
    t->option = file->option;
    t->path = file->path;
    t->next = open_files;
    open_files = t;
}

/* Frees it, too. */
static void delist(report_temporary *t)
{
    report_temporary *volatile *at = &open_files;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    free(t);
}

void report_file_abandon(void)
{
    const report_temporary *t;
    for (t = open_files; t != NULL; t = t->next)
        if (t->owner == getpid())
            unlink(t->name);
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

/* The path's length up to its name; *s is its folder, zeros where there is none. */
static size_t look_at_folder(struct stat *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t) (slash - path) + 1) : NULL;
    memset(s, 0, sizeof(*s));
    stat(folder != NULL ? folder : ".", s);
    free(folder);
    return slash != NULL ? (size_t) (slash - path) + 1 : 0;
}

/* Whether no file that is open is to have the path; 0, or EXIT_USAGE after a message. */
static int check_others(const report_file *file)
{
    const report_temporary *t;
    struct stat s, other;
    const char *name = file->path + look_at_folder(&s, file->path);
    for (t = open_files; t != NULL; t = t->next)
        if (strcmp(name, t->path + look_at_folder(&other, t->path)) == 0 && s.st_dev == other.st_dev && s.st_ino == other.st_ino)
            return report_fail(EXIT_USAGE, "%s and %s are both %s: two files are needed", t->option, file->option, file->path);
    return 0;
}

/* Opens a new file in the folder of the path. Returns the descriptor, or -1 with errno set. */
static int open_temporary(report_file *file)
{
    const char *slash = strrchr(file->path, '/');
    int folder = slash == NULL ? 0 : (int) (slash - file->path) + 1, fd = -1, i;
    size_t size = (size_t) folder + 64;
    file->temporary = malloc(sizeof(*file->temporary) + size);
    if (file->temporary == NULL)
        return -1;
    for (i = 0; fd < 0 && i < MAX_TRIES && (i == 0 || errno == EEXIST); i++)
    {
        snprintf(file->temporary->name, size, "%.*s.shufbound-%ld-%d", folder, file->path, (long) getpid(), i);
        fd = open(file->temporary->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
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
    if ((status = check_target(file)) != 0 || (status = check_others(file)) != 0)
        return status;
    fd = open_temporary(file);
    if (fd >= 0)
        file->out = fdopen(fd, "w");
    if (file->out != NULL)
    {
        enlist(file->temporary, file);
        return 0;
    }
    status = fail(file, strerror(errno));
    if (fd >= 0)
    {
        close(fd);
        unlink(file->temporary->name);
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
    else if ((status = check_target(file)) == 0 && rename(file->temporary->name, file->path) != 0)
        status = fail(file, strerror(errno));
    if (status != 0)
        unlink(file->temporary->name);
    delist(file->temporary);
    return status;
}

void report_file_discard(report_file *file)
{
    fclose(file->out);
    unlink(file->temporary->name);
    delist(file->temporary);
}
