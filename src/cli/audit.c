/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* audit: verdicts on published claims, files of questions that have a "claim" */
#include <stdio.h>
#include <string.h>

#include "cli/page.h"
#include "enclosure/parallel.h"
#include "report/json.h"
#include "report/text.h"

/* 0 all certified, 1 some refuted, 2 some undecided and none refuted. */
static int exit_status(const json_t *answers)
{
    size_t i;
    int undecided = 0;
    for (i = 0; i < json_array_size(answers); i++)
    {
        const char *verdict = json_string_value(json_object_get(json_array_get(answers, i), "verdict"));
        if (verdict != NULL && strcmp(verdict, "refuted") == 0)
            return 1;
        undecided |= verdict == NULL || strcmp(verdict, "certified") != 0;
    }
    return undecided ? 2 : 0;
}

/* ---- files ---- */

static int check_claim(const json_t *claim, const char *path, size_t i, json_t *ids)
{
    const char *id = json_string_value(json_object_get(claim, "id")), *source = json_string_value(json_object_get(claim, "source"));
    if (!json_is_object(claim) || json_object_get(claim, "claim") == NULL)
        return report_fail(EXIT_DATA, "%s: claim %zu: must be an object with a \"claim\"", path, i + 1);
    if (id == NULL || id[0] == '\0')
        return report_fail(EXIT_DATA, "%s: claim %zu: \"id\" is missing", path, i + 1);
    if (source == NULL || source[0] == '\0')
        return report_fail(EXIT_DATA, "%s: claim \"%.60s\": \"source\" is missing", path, id);
    if (json_object_get(ids, id) != NULL)
        return report_fail(EXIT_DATA, "%s: claim \"%.60s\": this id is taken", path, id);
    json_object_set_new(ids, id, json_true());
    return 0;
}

/* What the options say of every claim, unless it says so itself. */
static void set_limits(json_t *claim, const cli_options *o)
{
    if (json_object_get(claim, "effort") == NULL)
        cli_set(claim, "effort", o->effort);
    if (json_object_get(claim, "max_seconds") == NULL)
        cli_set(claim, "max_seconds", o->max_seconds);
}

/* Every claim is read before any work begins; the message names it. */
static int check_question(json_t *claim, const char *path)
{
    char error[256] = "";
    reader r = { error, sizeof(error), "", "" };
    shuf_question_t q;
    int result;
    shuf_question_init(q);
    result = question_read(q, claim, &r);
    shuf_question_clear(q);
    return result == 0 ? 0 : report_fail(EXIT_DATA, "%s: %s", path, error);
}

static int load_file(json_t *claims, json_t *ids, claims_input *input, const char *path, const cli_options *o)
{
    char error[256] = "", *text;
    reader r = { error, sizeof(error), "", "" };
    json_t *file = NULL;
    size_t i, length;
    int status = 0;
    if (reader_file(&text, &length, path, &r) == 0)
    {
        input->name = path;
        sha256_hex(input->sha256, text, length);
        file = reader_parse(text, length, &r);
        flint_free(text);
    }
    if (file == NULL)
        status = report_fail(EXIT_DATA, "%s: %s", path, error);
    if (status == 0 && (!json_is_array(file) || json_array_size(file) == 0))
        status = report_fail(EXIT_DATA, "%s: an array of at least one claim is allowed", path);
    for (i = 0; status == 0 && i < json_array_size(file); i++)
    {
        json_t *claim = json_array_get(file, i);
        if ((status = check_claim(claim, path, i, ids)) == 0)
        {
            set_limits(claim, o);
            json_array_append(claims, claim);
            status = check_question(claim, path);
        }
    }
    json_decref(file);
    return status;
}

/* ---- verdicts ---- */

static void print_answer(const json_t *answer, const text_table *table, const cli_options *o)
{
    if (o->json)
    {
        json_line(stdout, answer);
    }
    else
    {
        text_table_row(table, stdout, answer, o->explain);
    }
    fflush(stdout);
}

/* The claims that are judged together. */
typedef struct
{
    const json_t *claims;
    size_t first;
    json_t **answers;
} batch;

static void judge_one(void *args, slong i)
{
    const batch *b = args;
    b->answers[i] = answer_read(json_array_get(b->claims, b->first + (size_t) i));
}

/* Whether an interrupt cut it short. */
static int is_cut(const json_t *answer)
{
    return cli_interrupted() && !json_is_true(json_object_get(answer, "complete"));
}

/* What an interrupt cut short is told with what was known by then, if anything was: its row says that it was cut. */
static int is_told(const json_t *answer)
{
    return !is_cut(answer) || json_object_get(answer, "error") == NULL;
}

static int judge(json_t *answers, const json_t *claims, char *incomplete, size_t size, const cli_options *o)
{
    size_t count = json_array_size(claims), i, done = 0, together = (size_t) flint_get_num_threads();
    json_t **found = flint_calloc(together, sizeof(*found));
    char place[32];
    text_table table;
    batch b = { claims, 0, found };
    if (!o->json)
        text_table_begin(&table, stdout, claims);
    for (b.first = 0; b.first < count && !cli_interrupted(); b.first += together)
    {
        size_t some = FLINT_MIN(together, count - b.first);
        snprintf(place, sizeof(place), "%zu/%zu ", b.first + 1, count);
        cli_show_prefix(place);
        parallel_do(judge_one, &b, (slong) some);
        report_show("");
        for (i = 0; i < some; i++)
        {
            if (is_told(found[i]))
            {
                json_array_append(answers, found[i]);
                print_answer(found[i], &table, o);
            }
            done += !is_cut(found[i]);
            json_decref(found[i]);
        }
    }
    flint_free(found);
    if (!o->json)
        text_table_end(stdout);
    if (done == count)
        return 0;
    snprintf(incomplete, size, "interrupted after %zu of %zu claims", done, count);
    if (!o->json)
        printf("INCOMPLETE: %s\n", incomplete);
    return report_fail(EXIT_INTERRUPTED, "%s", incomplete);
}

int cli_command_audit(const cli_options *o)
{
    json_t *claims = json_array(), *ids = json_object(), *answers = json_array();
    claims_input *inputs = flint_calloc((size_t) o->operands + 1, sizeof(*inputs));
    cli_reports reports;
    char incomplete[96] = "";
    int i, status = 0, failed;
    for (i = 0; status == 0 && i < o->operands; i++)
        status = load_file(claims, ids, &inputs[i], o->operand[i], o);
    cli_catch_interrupt(); /* before there is a file to be finished */
    if (status == 0 && (status = cli_open_reports(&reports, o)) == 0)
    {
        failed = judge(answers, claims, incomplete, sizeof(incomplete), o);
        status = failed != 0 ? failed : exit_status(answers);
        if ((failed = cli_write_reports(&reports, o, answers, inputs, incomplete)) != 0)
            status = failed;
        status = report_finish(status);
    }
    json_decref(claims);
    json_decref(ids);
    json_decref(answers);
    flint_free(inputs);
    return status;
}
