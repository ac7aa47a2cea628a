/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Results of tests in the lines of report/partial.h. */
#include "vectors/vectors.h"
#include "enclosure/memory.h"

#include <errno.h>
#include <string.h>

#include "config.h"
#include "report/partial.h"

typedef struct
{
    json_t **results;
    const vectors_file *file;
} collection;

/* A line that a crash cut off, that another version wrote, or that belongs to an older prompt, is passed over. */
static void collect_line(void *data, const char *line, size_t length)
{
    const reader silent = { NULL, 0, "", "" };
    json_t **results = ((collection *) data)->results;
    const vectors_file *f = ((collection *) data)->file;
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

int vectors_partial_collect(json_t **results, const vectors_file *f, const char *dir, const char *name, const reader *r)
{
    collection c = { results, f };
    char path[96];
    return partial_visit(dir, name, collect_line, &c, path, sizeof(path)) == 0 ? 0 : reader_fail(r, "cannot read %s: %s", path, strerror(errno));
}

void vectors_partial_add(FILE *out, const json_t *test, json_t *result)
{
    json_t *entry = json_object();
    json_object_set(entry, "tcId", json_object_get(test, "tcId"));
    json_object_set_new(entry, "version", json_string(PACKAGE_VERSION));
    json_object_set(entry, "question", json_object_get(test, "question"));
    json_object_set(entry, "result", result);
    memory_dump(out, entry, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fflush(out);
    json_decref(entry);
}
