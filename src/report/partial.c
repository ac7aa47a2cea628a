/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/partial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *join(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", dir, name);
    return path;
}

char *partial_path(const char *dir, const char *name, const partial_share *share)
{
    size_t size = strlen(name) + 64;
    char *file = malloc(size), *path = NULL;
    if (file != NULL)
    {
        snprintf(file, size, ".%s.%llu-of-%llu.jsonl", name, (unsigned long long) share->index, (unsigned long long) share->count);
        path = join(dir, file);
    }
    free(file);
    return path;
}

/* Whether the file is .NAME.I-of-N.jsonl. */
static int is_partial(const char *file, const char *name)
{
    size_t length = strlen(name);
    const char *s = file + 1;
    int number;
    if (file[0] != '.' || strncmp(s, name, length) != 0 || s[length] != '.')
        return 0;
    s += length + 1;
    for (number = 0; number < 2; number++)
    {
        size_t digits = strspn(s, "0123456789");
        if (digits == 0)
            return 0;
        s += digits;
        if (number == 0)
        {
            if (strncmp(s, "-of-", 4) != 0)
                return 0;
            s += 4;
        }
    }
    return strcmp(s, ".jsonl") == 0;
}

/* Whether it is a regular file that no other process adds to; errno says why not. */
static int take(int fd)
{
    struct stat s;
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fstat(fd, &s) != 0)
        return 0;
    if (!S_ISREG(s.st_mode))
    {
        errno = EINVAL;
        return 0;
    }
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return 1;
    errno = errno == EACCES ? EAGAIN : errno;
    return 0;
}

FILE *partial_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666), reason;
    FILE *out = fd >= 0 && take(fd) ? fdopen(fd, "a+") : NULL;
    if (out == NULL)
    {
        reason = errno;
        if (fd >= 0)
            close(fd);
        errno = reason;
        return NULL;
    }
    if (fseek(out, -1, SEEK_END) == 0 && getc(out) != '\n')
    {
        fseek(out, 0, SEEK_END);
        putc('\n', out);
    }
    fseek(out, 0, SEEK_END);
    return out;
}

static int visit_file(const char *path, void (*visit)(void *data, const char *line, size_t length), void *data)
{
    FILE *in = fopen(path, "rb");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int failed;
    if (in == NULL)
        return -1;
    while ((length = getline(&line, &size, in)) >= 0)
        visit(data, line, (size_t) length - (length > 0 && line[length - 1] == '\n'));
    failed = ferror(in);
    free(line);
    fclose(in);
    errno = failed ? EIO : 0;
    return failed ? -1 : 0;
}

int partial_visit(const char *dir, const char *name, void (*visit)(void *data, const char *line, size_t length), void *data, char *path,
                  size_t size)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    int status = 0, reason;
    snprintf(path, size, "%s", dir);
    if (folder == NULL)
        return -1;
    while (status == 0 && (entry = readdir(folder)) != NULL)
    {
        char *file;
        if (!is_partial(entry->d_name, name))
            continue;
        file = join(dir, entry->d_name);
        status = file == NULL ? -1 : visit_file(file, visit, data);
        reason = errno;
        if (status != 0)
            snprintf(path, size, "%s/%s", dir, entry->d_name);
        free(file);
        errno = reason;
    }
    reason = errno;
    closedir(folder);
    errno = reason;
    return status;
}

void partial_remove(const char *dir, const char *name)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
    {
        char *path = is_partial(entry->d_name, name) ? join(dir, entry->d_name) : NULL;
        if (path != NULL)
            unlink(path);
        free(path);
    }
    closedir(folder);
}
