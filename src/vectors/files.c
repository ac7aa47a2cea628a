/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "vectors/vectors.h"
#include "enclosure/memory.h"

#include <stdlib.h>
#include <string.h>

#include "account/question_json.h"
#include "config.h"

/* How a kind of file names its schema; a value file's prompt is in a folder below it. */
static const char *const schemas[] = { "../schema/prompt.schema.json", "schema/value.schema.json",
                                       "schema/negative.schema.json" };

reader vectors_about(const reader *r, const json_t *test)
{
    reader about = *r;
    snprintf(about.prefix, sizeof(about.prefix), "%.40stcId %lld: ", r->prefix, (long long) vectors_id(test));
    return about;
}

/* ---- members ---- */

static int need_text(const json_t *object, const char *key, const reader *r)
{
    return json_is_string(json_object_get(object, key)) ? 0 : reader_fail(r, "\"%s\" must be a string", key);
}

static int need_texts(const json_t *object, const char *keys, const reader *r)
{
    char key[NAMES_SIZE];
    while (names_next(key, sizeof(key), &keys, " "))
        if (need_text(object, key, r) != 0)
            return -1;
    return 0;
}

static int need_object(const json_t *object, const char *key, const reader *r)
{
    return json_is_object(json_object_get(object, key)) ? 0 : reader_fail(r, "\"%s\" must be an object", key);
}

static int need_lines(const json_t *object, const char *key, const reader *r)
{
    const json_t *array = json_object_get(object, key);
    size_t i;
    if (!json_is_array(array))
        return reader_fail(r, "\"%s\" must be an array of strings", key);
    for (i = 0; i < json_array_size(array); i++)
        if (!json_is_string(json_array_get(array, i)))
            return reader_fail(r, "\"%s\" must be an array of strings", key);
    return 0;
}

/* ---- questions ---- */

/* What a vector asks: a question as doc/schema defines it, but for what does not change the number. */
static int check_question(json_t *question, const reader *r)
{
    static const char barred[] = "claim id source quote note fast effort max_seconds";
    reader about = *r;
    shuf_question_t q;
    char name[NAMES_SIZE];
    int status;
    if (!json_is_object(question))
        return reader_fail(r, "\"question\" must be an object");
    if (reader_has_any(name, question, barred))
        return reader_fail(r, "the question of a vector has no \"%s\"", name);
    shuf_question_init(q);
    status = question_read(q, question, &about);
    shuf_question_clear(q);
    return status;
}

/* ---- results ---- */

static int check_ledger_members(json_t *ledger, const reader *r)
{
    static const char names[] = "truncation discretisation aliasing rounding step terms precision";
    static const char texts[] = "truncation discretisation rounding";
    if (reader_members(ledger, names, r) != 0 || need_texts(ledger, texts, r) != 0
        || (reader_has(ledger, "aliasing") && need_text(ledger, "aliasing", r) != 0))
        return -1;
    if (!json_is_integer(json_object_get(ledger, "terms")) || !json_is_integer(json_object_get(ledger, "precision"))
        || (reader_has(ledger, "step") && !json_is_number(json_object_get(ledger, "step"))))
        return reader_fail(r, "the ledger's terms, precision and step must be numbers");
    return 0;
}

static const char finite_members[] = "lo hi lo_hex hi_hex";

/* What an infinite result does not have. */
static int check_infinite(const json_t *result, const reader *r)
{
    char name[NAMES_SIZE];
    if (!json_is_true(json_object_get(result, "infinite")))
        return reader_fail(r, "\"infinite\" must be true");
    if (reader_has_any(name, result, finite_members))
        return reader_fail(r, "an infinite result has no \"%s\"", name);
    return reader_has(result, "ledger") ? reader_fail(r, "an infinite result has no \"ledger\"") : 0;
}

static int check_finite(const json_t *result, const reader *r)
{
    if (need_texts(result, finite_members, r) != 0 || need_object(result, "ledger", r) != 0)
        return -1;
    return check_ledger_members(json_object_get(result, "ledger"), r);
}

/* What some results have. */
static int check_optional(const json_t *result, const reader *r)
{
    static const char round[] = "eps delta";
    json_t *per_round = json_object_get(result, "per_round");
    if ((reader_has(result, "through") && need_lines(result, "through", r) != 0)
        || (reader_has(result, "notes") && need_lines(result, "notes", r) != 0)
        || (reader_has(result, "order") && need_text(result, "order", r) != 0))
        return -1;
    if (reader_has(result, "per_round")
        && (need_object(result, "per_round", r) != 0 || reader_members(per_round, round, r) != 0 || need_texts(per_round, round, r) != 0))
        return -1;
    return 0;
}

int vectors_check_result(json_t *result, const reader *r)
{
    static const char names[] = "infinite lo hi lo_hex hi_hex theorem status side through notes order per_round accuracy_reached ledger";
    static const char always[] = "theorem status side";
    static const char sides[] = "upper lower exact none";
    if (!json_is_object(result))
        return reader_fail(r, "\"result\" must be an object");
    if (reader_members(result, names, r) != 0 || need_texts(result, always, r) != 0)
        return -1;
    if (!names_has(sides, json_string_value(json_object_get(result, "side"))))
        return reader_fail(r, "\"side\" must be upper, lower, exact or none");
    if ((reader_has(result, "infinite") ? check_infinite : check_finite)(result, r) != 0)
        return -1;
    if (!json_is_boolean(json_object_get(result, "accuracy_reached")))
        return reader_fail(r, "\"accuracy_reached\" must be true or false");
    return check_optional(result, r);
}

/* to[key] := from[source], if it is there */
static void copy_member(json_t *to, const char *key, const json_t *from, const char *source)
{
    if (reader_has(from, source))
        json_object_set(to, key, json_object_get(from, source));
}

const char *vectors_bound(const json_t *test)
{
    return json_string_value(json_object_get(test, "bound"));
}

json_t *vectors_result(const json_t *answer, const char *bound)
{
    static const char *const copied[] = { "lo", "hi", "lo_hex", "hi_hex", NULL };
    const json_t *value = json_object_get(answer, bound != NULL ? bound : "value"), *theorems = json_object_get(value, "theorems");
    const json_t *at = json_object_get(value, "at");
    json_t *result, *through, *ledger, *round;
    const int infinite = reader_has(value, "infinite");
    size_t i;
    if (value == NULL)
        return NULL;
    result = json_object();
    through = json_array();
    copy_member(result, "infinite", value, "infinite");
    for (i = 0; !infinite && copied[i] != NULL; i++)
        copy_member(result, copied[i], value, copied[i]);
    copy_member(result, "theorem", json_array_get(theorems, 0), "id");
    copy_member(result, "status", json_array_get(theorems, 0), "status");
    copy_member(result, "side", value, "side");
    for (i = 1; i < json_array_size(theorems); i++)
        json_array_append(through, json_object_get(json_array_get(theorems, i), "id"));
    if (json_array_size(through) > 0)
        json_object_set(result, "through", through);
    json_decref(through);
    copy_member(result, "notes", value, "notes");
    copy_member(result, "order", at, "order");
    if (reader_has(at, "round_eps"))
    {
        round = json_object();
        copy_member(round, "eps", at, "round_eps");
        copy_member(round, "delta", at, "round_delta");
        json_object_set_new(result, "per_round", round);
    }
    copy_member(result, "accuracy_reached", value, "accuracy_reached");
    if (!infinite && reader_has(value, "ledger"))
    {
        ledger = json_deep_copy(json_object_get(value, "ledger"));
        json_object_del(ledger, "work"); /* the same for one version only */
        json_object_set_new(result, "ledger", ledger);
    }
    return result;
}

/* ---- claims that are not valid bounds ---- */

static int check_claim(json_t *claim, const reader *r)
{
    static const char names[] = "quantity bound value value_lo value_hi";
    static const char quantities[] = "delta epsilon renyi mu type2";
    const char *bound;
    if (reader_members(claim, names, r) != 0 || need_text(claim, "quantity", r) != 0 || need_text(claim, "bound", r) != 0
        || need_text(claim, "value", r) != 0)
        return -1;
    if (!names_has(quantities, json_string_value(json_object_get(claim, "quantity"))))
        return reader_fail(r, "the claim's \"quantity\" must be delta, epsilon, renyi, mu or type2");
    bound = json_string_value(json_object_get(claim, "bound"));
    if (strcmp(bound, "upper") != 0 && strcmp(bound, "lower") != 0)
        return reader_fail(r, "the claim's \"bound\" must be upper or lower");
    if (reader_has(claim, "value_lo") != reader_has(claim, "value_hi")
        || (reader_has(claim, "value_lo") && (need_text(claim, "value_lo", r) != 0 || need_text(claim, "value_hi", r) != 0)))
        return reader_fail(r, "the claim's \"value_lo\" and \"value_hi\" must be two strings");
    return 0;
}

static int check_witness(json_t *witness, const reader *r)
{
    static const char names[] = "question infinite lo hi theorem says";
    static const char says[] = "lower upper exact";
    if (reader_members(witness, names, r) != 0 || check_question(json_object_get(witness, "question"), r) != 0
        || need_text(witness, "theorem", r) != 0 || need_text(witness, "says", r) != 0)
        return -1;
    if (!names_has(says, json_string_value(json_object_get(witness, "says"))))
        return reader_fail(r, "the witness's \"says\" must be lower, upper or exact");
    if (reader_has(witness, "infinite"))
        return json_is_true(json_object_get(witness, "infinite")) && !reader_has(witness, "lo") && !reader_has(witness, "hi")
                   ? 0 : reader_fail(r, "an infinite witness has \"infinite\": true and no \"lo\" and \"hi\"");
    return need_text(witness, "lo", r) != 0 || need_text(witness, "hi", r) != 0 ? -1 : 0;
}

static int check_reproduce(json_t *reproduce, const json_t *claim, const reader *r)
{
    static const char other[] = "program version input";
    if (!reader_has(reproduce, "question"))
        return reader_members(reproduce, other, r) != 0 || need_texts(reproduce, other, r) != 0 ? -1 : 0;
    if (reader_members(reproduce, "question", r) != 0 || check_question(json_object_get(reproduce, "question"), r) != 0)
        return -1;
    return reader_has(claim, "value_lo") ? 0
               : reader_fail(r, "a claim that shufbound evaluates has \"value_lo\" and \"value_hi\"");
}

static int check_negative(json_t *test, const reader *r)
{
    if (need_texts(test, "id formula", r) != 0 || need_object(test, "claim", r) != 0 || need_object(test, "reproduce", r) != 0
        || need_object(test, "witness", r) != 0)
        return -1;
    if (check_claim(json_object_get(test, "claim"), r) != 0 || check_witness(json_object_get(test, "witness"), r) != 0)
        return -1;
    return check_reproduce(json_object_get(test, "reproduce"), json_object_get(test, "claim"), r);
}

/* ---- tests, groups, files ---- */

json_int_t vectors_id(const json_t *test)
{
    return json_integer_value(json_object_get(test, "tcId"));
}

static int check_test(json_t *test, const vectors_file *f, const reader *file_reader)
{
    static const char prompt_names[] = "tcId comment flags question bound";
    static const char value_names[] = "tcId comment flags question bound result";
    static const char bounds[] = "upper lower";
    static const char negative_names[] = "tcId id comment flags formula claim reproduce witness";
    static const char *const names[] = { prompt_names, value_names, negative_names };
    const json_t *notes = json_object_get(f->root, "notes"), *flags;
    reader about;
    size_t i;
    if (!json_is_object(test) || !json_is_integer(json_object_get(test, "tcId")) || vectors_id(test) < 1)
        return reader_fail(file_reader, "a test must be an object with a \"tcId\", a positive whole number");
    about = vectors_about(file_reader, test);
    if (reader_members(test, names[f->kind], &about) != 0 || need_text(test, "comment", &about) != 0
        || need_lines(test, "flags", &about) != 0)
        return -1;
    flags = json_object_get(test, "flags");
    for (i = 0; i < json_array_size(flags); i++)
        if (!reader_has(notes, json_string_value(json_array_get(flags, i))))
            return reader_fail(&about, "the flag \"%.40s\" is not among the notes", json_string_value(json_array_get(flags, i)));
    if (f->kind == VECTORS_NEGATIVE)
        return check_negative(test, &about);
    if (check_question(json_object_get(test, "question"), &about) != 0)
        return -1;
    if (reader_has(test, "bound") && (vectors_bound(test) == NULL || !names_has(bounds, vectors_bound(test))))
        return reader_fail(&about, "\"bound\" must be upper or lower");
    return f->kind == VECTORS_VALUE ? vectors_check_result(json_object_get(test, "result"), &about) : 0;
}

static int check_notes(json_t *notes, const reader *r)
{
    static const char names[] = "bugType description";
    const char *flag;
    json_t *note;
    json_object_foreach(notes, flag, note)
    {
        if (!json_is_object(note))
            return reader_fail(r, "the note \"%.40s\" must be an object", flag);
        if (reader_members(note, names, r) != 0 || need_texts(note, names, r) != 0)
            return -1;
    }
    return 0;
}

static int check_groups(vectors_file *f, const json_t *groups, const reader *r)
{
    static const char names[] = "type source confirmation tests";
    static const char texts[] = "type source";
    json_t *group, *test;
    size_t i, j;
    json_array_foreach(groups, i, group)
    {
        if (!json_is_object(group))
            return reader_fail(r, "a test group must be an object");
        if (reader_members(group, names, r) != 0 || need_texts(group, texts, r) != 0)
            return -1;
        if ((f->kind != VECTORS_NEGATIVE || reader_has(group, "confirmation")) && need_text(group, "confirmation", r) != 0)
            return -1;
        if (!json_is_array(json_object_get(group, "tests")))
            return reader_fail(r, "\"tests\" must be an array");
        f->tests = flint_realloc(f->tests, (f->count + json_array_size(json_object_get(group, "tests")) + 1) * sizeof(*f->tests));
        json_array_foreach(json_object_get(group, "tests"), j, test)
        {
            if (check_test(test, f, r) != 0)
                return -1;
            f->tests[f->count++] = test;
        }
    }
    return 0;
}

static int compare_keys(const void *x, const void *y)
{
    const vectors_key *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

/* The sorted keys of all files, which must differ. */
static vectors_key *sorted_keys(const vectors_file *files, size_t count, const reader *r)
{
    size_t total = 0, i, j;
    vectors_key *keys;
    for (i = 0; i < count; i++)
        total += files[i].count;
    keys = flint_malloc((total + 1) * sizeof(*keys));
    total = 0;
    for (i = 0; i < count; i++)
    {
        for (j = 0; j < files[i].count; j++)
        {
            keys[total].id = vectors_id(files[i].tests[j]);
            keys[total++].at = j;
        }
    }
    qsort(keys, total, sizeof(*keys), compare_keys);
    for (i = 1; i < total; i++)
    {
        if (keys[i].id == keys[i - 1].id)
        {
            reader_fail(r, "tcId %lld occurs twice", (long long) keys[i].id);
            flint_free(keys);
            return NULL;
        }
    }
    return keys;
}

/* "version", where there is one: three numbers with dots, without leading zeros. */
static int check_version(const json_t *root, const reader *r)
{
    const json_t *version = json_object_get(root, "version");
    const char *s = json_string_value(version);
    int numbers = 0;
    if (version == NULL)
        return 0;
    for (; s != NULL && *s >= '0' && *s <= '9'; s += *s == '.' && numbers < 3)
    {
        size_t digits = strspn(s, "0123456789");
        if (digits > 1 && *s == '0')
            break;
        s += digits;
        numbers++;
    }
    return s != NULL && numbers == 3 && *s == '\0' ? 0 : reader_fail(r, "\"version\" must be three numbers, as in \"1.0.0\"");
}

static int check_file(vectors_file *f, const reader *r)
{
    static const char prompt_names[] = "algorithm schema version header notes numberOfTests testGroups";
    static const char names[] = "algorithm generatorVersion schema version header notes numberOfTests testGroups";
    static const char texts[] = "algorithm schema";
    const json_t *groups, *number;
    const char *schema;
    if (!json_is_object(f->root))
        return reader_fail(r, "a file of test vectors is a JSON object");
    if (need_texts(f->root, texts, r) != 0)
        return -1;
    schema = json_string_value(json_object_get(f->root, "schema"));
    for (f->kind = VECTORS_PROMPT; strcmp(schema, schemas[f->kind]) != 0; f->kind++)
        if (f->kind == VECTORS_NEGATIVE)
            return reader_fail(r, "\"schema\" is \"%.60s\": %s, %s or %s is allowed", schema, schemas[0], schemas[1], schemas[2]);
    if (reader_members(f->root, f->kind == VECTORS_PROMPT ? prompt_names : names, r) != 0
        || (f->kind != VECTORS_PROMPT && need_text(f->root, "generatorVersion", r) != 0) || check_version(f->root, r) != 0
        || need_lines(f->root, "header", r) != 0 || need_object(f->root, "notes", r) != 0
        || check_notes(json_object_get(f->root, "notes"), r) != 0)
        return -1;
    groups = json_object_get(f->root, "testGroups");
    if (!json_is_array(groups))
        return reader_fail(r, "\"testGroups\" must be an array");
    if (check_groups(f, groups, r) != 0)
        return -1;
    number = json_object_get(f->root, "numberOfTests");
    if (!json_is_integer(number) || json_integer_value(number) != (json_int_t) f->count)
        return reader_fail(r, "\"numberOfTests\" must be %zu", f->count);
    f->keys = sorted_keys(f, 1, r);
    return f->keys != NULL ? 0 : -1;
}

int vectors_parse(vectors_file *f, const char *text, size_t length, const reader *r)
{
    memset(f, 0, sizeof(*f));
    f->root = reader_parse(text, length, r);
    if (f->root != NULL && check_file(f, r) == 0)
        return 0;
    vectors_clear(f);
    return -1;
}

int vectors_load(vectors_file *f, const char *path, const reader *r)
{
    char *text;
    size_t length;
    int status;
    memset(f, 0, sizeof(*f));
    if (reader_file(&text, &length, path, r) != 0)
        return -1;
    status = vectors_parse(f, text, length, r);
    flint_free(text);
    return status;
}

void vectors_clear(vectors_file *f)
{
    json_decref(f->root);
    flint_free(f->tests);
    flint_free(f->keys);
    memset(f, 0, sizeof(*f));
}

size_t vectors_find(const vectors_file *f, json_int_t id)
{
    vectors_key wanted = { id, 0 };
    const vectors_key *found = f->count > 0 ? bsearch(&wanted, f->keys, f->count, sizeof(wanted), compare_keys) : NULL;
    return found != NULL ? found->at : f->count;
}

const json_t *vectors_find_test(const vectors_file *files, size_t count, json_int_t id)
{
    size_t i;
    for (i = 0; i < count; i++)
    {
        size_t at = vectors_find(&files[i], id);
        if (at < files[i].count)
            return files[i].tests[at];
    }
    return NULL;
}

int vectors_disjoint(const vectors_file *files, size_t count, const reader *r)
{
    vectors_key *keys = sorted_keys(files, count, r);
    if (keys == NULL)
        return -1;
    flint_free(keys);
    return 0;
}

/* ---- the other kind, and writing ---- */

/* A copy of the file with another schema, whose tests are changed by the caller. Results are of a version. */
static json_t *copy_as(const vectors_file *f, vectors_kind kind)
{
    json_t *copy = json_deep_copy(f->root), *root = json_object();
    json_object_set(root, "algorithm", json_object_get(copy, "algorithm"));
    if (kind == VECTORS_VALUE)
        json_object_set_new(root, "generatorVersion", json_string(PACKAGE_VERSION));
    json_object_set_new(root, "schema", json_string(schemas[kind]));
    json_object_del(copy, "generatorVersion");
    json_object_update_missing(root, copy);
    json_decref(copy);
    return root;
}

json_t *vectors_to_value(const vectors_file *prompt, json_t *const *results)
{
    json_t *root = copy_as(prompt, VECTORS_VALUE), *group, *test;
    size_t i, j, next = 0;
    json_array_foreach(json_object_get(root, "testGroups"), i, group)
        json_array_foreach(json_object_get(group, "tests"), j, test)
            json_object_set(test, "result", results[next++]);
    return root;
}

json_t *vectors_to_prompt(const vectors_file *value)
{
    json_t *root = copy_as(value, VECTORS_PROMPT), *group, *test;
    size_t i, j;
    json_array_foreach(json_object_get(root, "testGroups"), i, group)
        json_array_foreach(json_object_get(group, "tests"), j, test)
            json_object_del(test, "result");
    return root;
}

void vectors_write(FILE *out, const json_t *root)
{
    /* the only numbers that are not whole are steps of grids, printed with six digits */
    memory_dump(out, root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
}
