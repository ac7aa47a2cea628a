/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

int cli_file_open(cli_file *file, const char *option, const char *path)
{
    size_t size = strlen(path) + 8;
    int fd, status;
    file->option = option;
    file->path = path;
    file->out = NULL;
    file->temporary = flint_malloc(size);
    snprintf(file->temporary, size, "%s.XXXXXX", path);
    fd = mkstemp(file->temporary);
    if (fd >= 0)
        file->out = fdopen(fd, "w");
    if (file->out != NULL)
        return 0;
    status = cli_fail(EXIT_CANNOT_WRITE, "%s %s: %s", option, path, strerror(errno));
    if (fd >= 0)
    {
        close(fd);
        unlink(file->temporary);
    }
    flint_free(file->temporary);
    return status;
}

int cli_file_close(cli_file *file)
{
    int status = 0, failed = ferror(file->out) || fchmod(fileno(file->out), 0644) != 0;
    failed |= fclose(file->out) != 0;
    if (failed || rename(file->temporary, file->path) != 0)
    {
        status = cli_fail(EXIT_CANNOT_WRITE, "%s %s: %s", file->option, file->path, strerror(errno));
        unlink(file->temporary);
    }
    flint_free(file->temporary);
    return status;
}

void cli_file_discard(cli_file *file)
{
    fclose(file->out);
    unlink(file->temporary);
    flint_free(file->temporary);
}
