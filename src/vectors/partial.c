/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Results that are finished, one line each: a run can be stopped, resumed and divided. */
#include "vectors/vectors.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

static char *join(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = flint_malloc(size);
    snprintf(path, size, "%s/%s", dir, name);
    return path;
}

char *vectors_partial_path(const char *dir, const char *name, unsigned long i, unsigned long n)
{
    size_t size = strlen(name) + 64;
    char *file = flint_malloc(size), *path;
    snprintf(file, size, ".%s.%lu-of-%lu.jsonl", name, i, n);
    path = join(dir, file);
    flint_free(file);
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

/* A line that a crash cut off, that another version wrote, or that belongs to an older prompt, is passed over. */
static void collect_line(json_t **results, const vectors_file *f, const char *line, size_t length)
{
    const reader silent = { NULL, 0, "" };
    json_t *entry = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL), *result = json_object_get(entry, "result");
    const char *version = json_string_value(json_object_get(entry, "version"));
    size_t i = vectors_find(f, vectors_id(entry));
    vectors_interval_t interval;
    vectors_interval_init(interval);
    if (i < f->count && results[i] == NULL && version != NULL && strcmp(version, PACKAGE_VERSION) == 0
        && json_equal(json_object_get(entry, "question"), json_object_get(f->tests[i], "question"))
        && (vectors_bound(f->tests[i]) == NULL || json_equal(json_object_get(f->tests[i], "bound"), json_object_get(result, "side")))
        && vectors_check_result(result, &silent) == 0 && vectors_result_sound(interval, result, &silent) == 0)
        results[i] = json_incref(result);
    vectors_interval_clear(interval);
    json_decref(entry);
}

static int collect_file(json_t **results, const vectors_file *f, const char *path, const reader *r)
{
    FILE *in = fopen(path, "rb");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int status = 0;
    if (in == NULL)
        return reader_fail(r, "cannot open %.80s: %s", path, strerror(errno));
    while ((length = getline(&line, &size, in)) >= 0)
        collect_line(results, f, line, (size_t) length);
    if (ferror(in))
        status = reader_fail(r, "cannot read %.80s: %s", path, strerror(errno));
    free(line);
    fclose(in);
    return status;
}

int vectors_partial_collect(json_t **results, const vectors_file *f, const char *dir, const char *name, const reader *r)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    int status = 0;
    if (folder == NULL)
        return reader_fail(r, "cannot read the folder %.80s", dir);
    while (status == 0 && (entry = readdir(folder)) != NULL)
    {
        if (is_partial(entry->d_name, name))
        {
            char *path = join(dir, entry->d_name);
            status = collect_file(results, f, path, r);
            flint_free(path);
        }
    }
    closedir(folder);
    return status;
}

void vectors_partial_add(FILE *out, const json_t *test, json_t *result)
{
    json_t *entry = json_object();
    json_object_set(entry, "tcId", json_object_get(test, "tcId"));
    json_object_set_new(entry, "version", json_string(PACKAGE_VERSION));
    json_object_set(entry, "question", json_object_get(test, "question"));
    json_object_set(entry, "result", result);
    json_dumpf(entry, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putc('\n', out);
    fflush(out);
    json_decref(entry);
}

void vectors_partial_remove(const char *dir, const char *name)
{
    DIR *folder = opendir(dir);
    struct dirent *entry;
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
    {
        if (is_partial(entry->d_name, name))
        {
            char *path = join(dir, entry->d_name);
            unlink(path);
            flint_free(path);
        }
    }
    closedir(folder);
}
