/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/strategy_part.h"

#include <stdio.h>
#include <string.h>

#include "account/members.h"

#define ROOT "square-root" /* the strategies that have a name */
#define TREE "tree"

/* Entries have at most this modulus, and on the diagonal at least one over it: a size that is refused beyond. */
#define MOST_ENTRY 1000000

/* ---- numbers ---- */

/* A number of the strategy, at a place that is told. */
static int read_entry(fmpq_t out, const json_t *value, int is_diagonal, const char *what, const reader *r)
{
    shuf_real_t x;
    fmpq_t size, least;
    int result;
    shuf_real_init(x);
    fmpq_init(size);
    fmpq_init(least);
    fmpq_set_si(least, 1, MOST_ENTRY);
    result = reader_real(x, value, what, r);
    if (result == 0 && x->is_log)
        result = reader_fail(r, "%s must be a rational number", what);
    if (result == 0)
    {
        fmpq_set(out, x->q);
        fmpq_abs(size, out);
        if (fmpq_cmp_si(size, MOST_ENTRY) > 0 || (is_diagonal && fmpq_cmp(size, least) < 0))
            result = reader_fail(r, "%s is %.60s: a modulus of at most %d%s is allowed", what, x->text, MOST_ENTRY,
                                 is_diagonal ? ", and of the diagonal at least one over that," : "");
    }
    shuf_real_clear(x);
    fmpq_clear(size);
    fmpq_clear(least);
    return result;
}

static void set_count(shuf_strategy_struct *s, slong count)
{
    s->entry = _fmpq_vec_init(count);
    s->count = count;
}

/* The numbers from the diagonal down. */
static int read_toeplitz(shuf_strategy_struct *s, const json_t *list, const reader *r)
{
    char what[48];
    slong j;
    s->kind = SHUF_STRATEGY_TOEPLITZ;
    set_count(s, (slong) json_array_size(list));
    for (j = 0; j < s->count; j++)
    {
        snprintf(what, sizeof(what), "\"strategy\": number %ld", (long) j + 1);
        if (read_entry(s->entry + j, json_array_get(list, (size_t) j), j == 0, what, r) != 0)
            return -1;
        if (!fmpq_is_zero(s->entry + j))
            s->bands = (uint64_t) j + 1;
    }
    return 0;
}

/* A row, up to the diagonal, or with zeros after it. */
static int read_row(shuf_strategy_struct *s, const json_t *row, slong i, const reader *r)
{
    char what[64];
    const slong steps = (slong) s->steps, size = (slong) json_array_size(row);
    slong j;
    fmpq *entry = s->entry + i * steps;
    if (!json_is_array(row) || (size != i + 1 && size != steps))
        return reader_fail(r, "\"strategy\": row %ld must be an array of %ld numbers, up to the diagonal, or of as many as there are steps", (long) i + 1, (long) i + 1);
    for (j = 0; j < size; j++)
    {
        snprintf(what, sizeof(what), "\"strategy\": row %ld, number %ld", (long) i + 1, (long) j + 1);
        if (read_entry(entry + j, json_array_get(row, (size_t) j), j == i, what, r) != 0)
            return -1;
        if (fmpq_is_zero(entry + j))
            continue;
        if (j > i)
            return reader_fail(r, "%s is above the diagonal: 0 is allowed", what);
        s->bands = FLINT_MAX(s->bands, (uint64_t) (i - j) + 1);
    }
    return 0;
}

static int read_rows(shuf_strategy_struct *s, const json_t *list, const reader *r)
{
    slong i;
    if (s->steps > SHUF_STRATEGY_MAX_ROWS || json_array_size(list) != s->steps)
        return reader_fail(r, "\"strategy\" has %zu rows: as many as \"steps\" are allowed, up to %d", json_array_size(list), SHUF_STRATEGY_MAX_ROWS);
    s->kind = SHUF_STRATEGY_ROWS;
    set_count(s, (slong) (s->steps * s->steps));
    for (i = 0; i < (slong) s->steps; i++)
        if (read_row(s, json_array_get(list, (size_t) i), i, r) != 0)
            return -1;
    return 0;
}

/* ---- members ---- */

static int read_strategy(shuf_strategy_struct *s, const json_t *mechanism, const reader *r)
{
    const json_t *value = json_object_get(mechanism, "strategy");
    const char *name = json_string_value(value);
    const size_t size = json_array_size(value);
    if (name != NULL && strcmp(name, ROOT) == 0)
    {
        s->kind = SHUF_STRATEGY_ROOT;
        s->bands = s->steps;
        return reader_has(mechanism, "bands") ? member_count(&s->bands, mechanism, "bands", 1, s->steps, r) : 0;
    }
    if (reader_has(mechanism, "bands"))
        return reader_fail(r, "\"bands\" goes with the strategy " ROOT "; numbers that are 0 say it themselves");
    if (name != NULL && strcmp(name, TREE) == 0)
    {
        s->kind = SHUF_STRATEGY_TREE;
        s->bands = s->steps;
        return 0;
    }
    if (name != NULL || !json_is_array(value) || size == 0 || size > s->steps)
        return reader_fail(r, "\"strategy\" is %s%.40s: " ROOT ", " TREE ", an array of numbers, or an array of rows is allowed, at most as many as \"steps\"",
                           name != NULL ? "" : "no such array", name != NULL ? name : "");
    return (json_is_array(json_array_get(value, 0)) ? read_rows : read_toeplitz)(s, value, r);
}

/* In which steps a record takes part. */
static int read_participation(shuf_strategy_struct *s, const json_t *mechanism, int is_poisson, const reader *r)
{
    const char *key = is_poisson || reader_has(mechanism, "every") ? "every" : "separation";
    if (is_poisson && (reader_has(mechanism, "separation") || reader_has(mechanism, "times")))
        return reader_fail(r, "\"separation\" and \"times\" go with the sampler fixed; with poisson batches \"every\" is the number of parts of the data that take turns");
    if (reader_has(mechanism, "every") + reader_has(mechanism, "separation") != 1)
        return reader_fail(r, "\"strategy\" needs either \"every\" or \"separation\": how far apart the steps of a record are");
    s->is_apart = key[0] == 's';
    s->times = s->steps;
    if (reader_has(mechanism, "times") && member_count(&s->times, mechanism, "times", 1, SHUF_STRATEGY_MAX_STEPS, r) != 0)
        return -1;
    return member_count(&s->gap, mechanism, key, 1, SHUF_STRATEGY_MAX_STEPS, r);
}

/* What there is no theorem for. */
static int check_batches(const shuf_batch_struct *x, const json_t *mechanism, const reader *r)
{
    char text[96];
    if (x->sampler != SHUF_BATCH_FIXED && x->sampler != SHUF_BATCH_POISSON)
        return reader_fail(r, "\"strategy\" goes with the samplers fixed and poisson: no theorem here has it for others");
    if (x->records > 1 || x->most > 0)
        return reader_fail(r, "\"strategy\" goes with one record a user and without \"max_batch_size\": no theorem here has it with those");
    if (!reader_has(mechanism, "steps") || x->steps > SHUF_STRATEGY_MAX_STEPS)
        return reader_fail(r, "\"steps\" is %s: with \"strategy\" a number up to %d is needed, of all steps", member_shown(text, mechanism, "steps"), SHUF_STRATEGY_MAX_STEPS);
    if (x->sampler == SHUF_BATCH_POISSON && (!reader_has(mechanism, "sampling_rate") || fmpq_is_one(x->rate)))
        return reader_fail(r, "\"sampling_rate\" is %s: with \"strategy\" and poisson batches less than 1 is allowed; the sampler fixed has batches that are known",
                           member_shown(text, mechanism, "sampling_rate"));
    return 0;
}

int strategy_part_read(shuf_batch_struct *x, const json_t *mechanism, const reader *r)
{
    const int is_poisson = x->sampler == SHUF_BATCH_POISSON;
    shuf_strategy_struct *s = x->strategy;
    char name[NAMES_SIZE];
    if (!reader_has(mechanism, "strategy"))
        return reader_has_any(name, mechanism, "bands every separation times") ? reader_fail(r, "\"%s\" goes with \"strategy\"", name) : 0;
    if (check_batches(x, mechanism, r) != 0)
        return -1;
    s->steps = x->steps;
    if (read_strategy(s, mechanism, r) != 0 || read_participation(s, mechanism, is_poisson, r) != 0)
        return -1;
    if (is_poisson && s->kind == SHUF_STRATEGY_TREE)
        return reader_fail(r, "\"strategy\" is " TREE ": with poisson batches no theorem here has it; the sampler fixed has batches that are known");
    if (is_poisson && s->bands > s->gap)
        return reader_fail(r, "\"strategy\" has %llu bands, and \"every\" is %llu: with poisson batches no theorem here has more bands than that",
                           (unsigned long long) s->bands, (unsigned long long) s->gap);
    shuf_strategy_measure(s, is_poisson);
    return 0;
}

/* ---- back to JSON ---- */

static json_t *numbers_json(const fmpq *entry, slong count)
{
    json_t *list = json_array();
    slong j;
    for (j = 0; j < count; j++)
        json_array_append_new(list, rational_json(entry + j));
    return list;
}

static json_t *strategy_json(const shuf_strategy_struct *s)
{
    json_t *list;
    slong i;
    if (s->kind == SHUF_STRATEGY_ROOT || s->kind == SHUF_STRATEGY_TREE)
        return json_string(s->kind == SHUF_STRATEGY_ROOT ? ROOT : TREE);
    if (s->kind == SHUF_STRATEGY_TOEPLITZ)
        return numbers_json(s->entry, s->count);
    list = json_array();
    for (i = 0; i < (slong) s->steps; i++)
        json_array_append_new(list, numbers_json(s->entry + i * (slong) s->steps, i + 1));
    return list;
}

void strategy_part_add(json_t *object, const shuf_batch_struct *x)
{
    const shuf_strategy_struct *s = x->strategy;
    if (s->kind == SHUF_STRATEGY_NONE)
        return;
    json_object_set_new(object, "strategy", strategy_json(s));
    if (s->kind == SHUF_STRATEGY_ROOT && s->bands < s->steps)
        json_object_set_new(object, "bands", json_integer((json_int_t) s->bands));
    json_object_set_new(object, s->is_apart ? "separation" : "every", json_integer((json_int_t) s->gap));
    if (s->times < s->steps)
        json_object_set_new(object, "times", json_integer((json_int_t) s->times));
}
