/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/options_question.h"

#include <stdio.h>
#include <string.h>

#include "account/batch_part.h"
#include "account/groups_part.h"
#include "account/noise_part.h"
#include "cli/catalogue.h"
#include "enclosure/parallel.h"
#include "report/json.h"
#include "report/text.h"

/* ---- options to members ---- */

void cli_set(json_t *object, const char *key, const char *text)
{
    if (text != NULL && json_object_set_new(object, key, json_string(text)) != 0)
        json_object_set_new(object, key, json_string("invalid UTF-8"));
}

void cli_set_options(json_t *object, const cli_options *o, const char *names)
{
    char name[NAMES_SIZE], *dash;
    while (names_next(name, sizeof(name), &names, " "))
    {
        const char *text = cli_option_text(o, cli_option_named(name));
        while ((dash = strchr(name, '-')) != NULL)
            *dash = '_';
        cli_set(object, name, text);
    }
}

json_t *cli_ask(const cli_options *o, const char *quantity, const char *names)
{
    json_t *ask = json_pack("{s:s}", "quantity", quantity);
    cli_set_options(ask, o, names);
    return ask;
}

const char *cli_solved(const cli_options *o, const char *names, const char *allowed)
{
    if (names_has(names, o->solve))
        return strcmp(o->solve, "n") == 0 ? "users" : strcmp(o->solve, "noise-multiplier") == 0 ? "noise_multiplier" : o->solve;
    report_fail(EXIT_USAGE, "--solve is %.40s: %s is allowed", o->solve, allowed);
    return NULL;
}

/* Reads a JSON file. Returns 0, or an exit status after a message. */
static int read_json(json_t **object, const char *path)
{
    char error[256] = "", *text;
    reader r = { error, sizeof(error), "", "" };
    size_t length;
    *object = NULL;
    if (reader_file(&text, &length, path, &r) == 0)
    {
        *object = reader_parse(text, length, &r);
        flint_free(text);
    }
    return *object != NULL ? 0 : report_fail(EXIT_DATA, "%s: %s", path, error);
}

/* A whole number as JSON wants it; what is none stays a text and is refused there. */
static void set_digits(json_t *object, const char *text)
{
    uint64_t digits;
    if (text != NULL && shuf_users_set_str(&digits, text) == 0)
        json_object_set_new(object, "digits", json_integer((json_int_t) digits));
    else
        cli_set(object, "digits", text);
}

/* Of a pair by that name each option that is given must be one of its parameters; a sample may be one of a round, too. */
static int check_pair(const cli_options *o)
{
    const cli_option *e;
    shuf_pair_kind kind;
    size_t i;
    if (!shuf_pair_find(&kind, o->pair))
        return 0;
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
        if (e->takes != 0 && e->takes != (SHUF_TAKES_RATE | SHUF_TAKES_PROBABILITY) && cli_option_text(o, e) != NULL
            && !(shuf_pair_about(kind)->takes & e->takes))
            return report_fail(EXIT_USAGE, "--%s does not go with --pair %s", e->name, o->pair);
    return 0;
}

static json_t *pair_object(const cli_options *o)
{
    json_t *pair = json_object();
    cli_set(pair, "type", o->pair);
    cli_set_options(pair, o, "eps0 gamma k w0 w1 r0 r1 sigma");
    return pair;
}

/* Noisy SGD. */
static json_t *batch_object(const cli_options *o)
{
    json_t *mechanism = json_pack("{s:s}", "type", "noisy-sgd");
    cli_set_options(mechanism, o, "sampler noise-multiplier steps sampling-rate records-per-user max-batch-size");
    cli_set(mechanism, "dataset_size", o->max_batch_size != NULL || (o->records != NULL && names_has("without-replacement", o->sampler)) ? o->dataset_size : NULL);
    return mechanism;
}

/* Noise that a curator adds. */
static json_t *noise_object(const cli_options *o)
{
    const char *type = strcmp(o->noise, "binomial") == 0 ? COINS_TYPE : strcmp(o->noise, SAMPLE_TYPE) == 0 ? SAMPLE_TYPE : NOISE_TYPE;
    json_t *mechanism = json_pack("{s:s}", "type", type);
    cli_set(mechanism, "noise", strcmp(type, NOISE_TYPE) == 0 ? o->noise : NULL);
    cli_set_options(mechanism, o, "coins scale variance eps0 gamma sensitivity dimension sampling-rate threshold sampler steps");
    return mechanism;
}

/* Whether what a file has is right by itself, asked for a delta. Takes the question over. */
static int check_file(json_t *question, const char *path)
{
    char error[256] = "";
    reader r = { error, sizeof(error), "", "" };
    shuf_question_t q;
    int result;
    json_object_set_new(question, "ask", json_pack("{s:s, s:s}", "quantity", "delta", "eps", "1"));
    shuf_question_init(q);
    result = question_read(q, question, &r);
    shuf_question_clear(q);
    json_decref(question);
    return result == 0 ? 0 : report_fail(EXIT_DATA, "%s: %s", path, error);
}

/* What a file of a composition may leave to the options. */
static int set_composition(json_t *question, const cli_options *o)
{
    json_t *rounds;
    int status;
    if (o->pair != NULL || o->n != NULL || o->honest != NULL || o->reports != NULL || o->at_least || o->rounds != NULL || o->subsample != NULL || o->mechanism != NULL)
        return report_fail(EXIT_USAGE, "--compose does not go with --pair, --mechanism, --n, --rounds, --subsample, --at-least, --honest and --reports-per-user, which its file has");
    if ((status = read_json(&rounds, o->compose)) != 0)
        return status;
    if (!json_is_array(rounds) || json_array_size(rounds) == 0)
    {
        json_decref(rounds);
        return report_fail(EXIT_DATA, "%s: a composition must be an array of at least one mechanism", o->compose);
    }
    json_object_set_new(question, "rounds", rounds);
    return check_file(json_pack("{s:O}", "rounds", rounds), o->compose);
}

/* Whether no number of users goes with it: a curator adds all its noise, or groups have users of their own. */
static int has_no_users(const json_t *mechanism)
{
    return batch_part_is(mechanism) || noise_part_is(mechanism) || groups_part_is(mechanism);
}

static int set_mechanism(json_t *question, const cli_options *o)
{
    json_t *mechanism;
    const cli_option *e;
    size_t i;
    int status;
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
        if (e->takes != 0 && !(e->takes & SHUF_TAKES_RATE) && cli_option_text(o, e) != NULL)
            return report_fail(EXIT_USAGE, "--%s does not go with --mechanism, whose file says what users run", e->name);
    if ((status = read_json(&mechanism, o->mechanism)) != 0)
        return status;
    json_object_set_new(question, "mechanism", mechanism);
    /* what is solved for, or swept, may be left out */
    return o->solve != NULL ? 0 : check_file(has_no_users(mechanism) ? json_pack("{s:O}", "mechanism", mechanism)
                                                                     : json_pack("{s:O, s:s}", "mechanism", mechanism, "users", "2"), o->mechanism);
}

static void set_users(json_t *question, const cli_options *o)
{
    json_t *users = o->at_least ? json_object() : NULL;
    cli_set(users != NULL ? users : question, users != NULL ? "at_least" : "users", o->n);
    if (users != NULL)
        json_object_set_new(question, "users", users);
    cli_set_options(question, o, "honest reports-per-user");
}

void cli_set_how(json_t *q, const cli_options *o)
{
    cli_set_options(q, o, "direction via");
    if (o->fast)
        json_object_set_new(q, "fast", json_true());
    set_digits(q, o->digits);
    cli_set_options(q, o, "effort max-seconds");
}

/* What the question is about. */
static int set_subject(json_t *q, const cli_options *o)
{
    int status = 0;
    if (o->scheme != NULL && o->subsample == NULL)
        status = report_fail(EXIT_USAGE, "--scheme goes with --subsample");
    else if (o->runs != NULL && o->best_of == NULL)
        status = report_fail(EXIT_USAGE, "--runs goes with --best-of");
    else if (o->shape != NULL && o->runs == NULL)
        status = report_fail(EXIT_USAGE, "--shape goes with --runs negative-binomial");
    else if (o->compose != NULL)
        status = set_composition(q, o);
    else if (o->mechanism != NULL)
        status = o->pair != NULL ? report_fail(EXIT_USAGE, "--mechanism and --pair exclude each other") : set_mechanism(q, o);
    else if (o->noise != NULL)
        json_object_set_new(q, "mechanism", noise_object(o));
    else if (o->sampler != NULL)
        json_object_set_new(q, "mechanism", batch_object(o));
    else if (o->pair == NULL)
        status = report_fail(EXIT_USAGE, "--pair is missing (or --mechanism FILE, or --compose FILE)");
    else if ((status = check_pair(o)) == 0)
        json_object_set_new(q, "pair", pair_object(o));
    return status;
}

int cli_question(json_t **object, const cli_options *o)
{
    json_t *q = json_object();
    const int status = set_subject(q, o);
    if (status != 0)
    {
        json_decref(q);
        return status;
    }
    set_users(q, o);
    if (o->sampler != NULL)
        cli_set(q, "neighbours", o->neighbours);
    cli_set(q, "rounds", o->sampler != NULL && o->noise == NULL ? o->epochs : o->rounds);
    if (o->subsample != NULL)
    {
        json_t *sample = json_pack("{s:s}", "scheme", o->scheme != NULL ? o->scheme : "fixed");
        cli_set(sample, "rate", o->subsample);
        json_object_set_new(q, "sample", sample);
    }
    if (o->best_of != NULL)
    {
        json_t *selection = json_object();
        cli_set(selection, "mean", o->best_of);
        cli_set_options(selection, o, "runs shape");
        json_object_set_new(q, "selection", selection);
    }
    cli_set_how(q, o);
    *object = q;
    return 0;
}

void cli_set_point(json_t *question, const cli_options *o, const char *quantity)
{
    if (quantity != NULL)
    {
        json_object_set_new(question, "ask", cli_ask(o, quantity, "eps delta"));
    }
    else if (o->eps != NULL && o->delta != NULL)
    {
        json_t *claim = json_object();
        cli_set_options(claim, o, "eps delta");
        json_object_set_new(question, "claim", claim);
    }
    else
    {
        json_object_set_new(question, "ask", o->eps != NULL ? cli_ask(o, "delta", "eps") : cli_ask(o, "epsilon", "delta"));
    }
}

/* ---- messages ---- */

/* The option of a quoted member, of that length, which may have its path before it; or 0. */
static int option_of(char option[NAMES_SIZE], const char *member, size_t length)
{
    static const char *const renamed[][2] = { { "users", "n" }, { "at_least", "n" }, { "rate", "subsample" }, { "sample", "subsample" }, { "mean", "best-of" }, { "selection", "best-of" } };
    size_t i;
    for (i = length; i > 0 && member[i - 1] != '.'; i--)
        ;
    snprintf(option, NAMES_SIZE, "%.*s", (int) (length - i), member + i);
    for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
        if (strcmp(option, renamed[i][0]) == 0)
            return snprintf(option, NAMES_SIZE, "%s", renamed[i][1]) > 0;
    for (i = 0; option[i] != '\0'; i++)
        if (option[i] == '_')
            option[i] = '-';
    return cli_option_named(option) != NULL;
}

/* "eps0" is .. becomes --eps0 is .. */
static int fail_with_options(int status, const char *error)
{
    char text[512], option[NAMES_SIZE];
    size_t used = 0;
    while (*error != '\0' && used + 40 < sizeof(text))
    {
        const char *end = *error == '"' ? strchr(error + 1, '"') : NULL;
        if (end != NULL && option_of(option, error + 1, (size_t) (end - error - 1)))
        {
            used += (size_t) snprintf(text + used, sizeof(text) - used, "--%.36s", option);
            error = end + 1;
        }
        else
        {
            text[used++] = *error++;
        }
    }
    text[used] = '\0';
    return report_fail(status, "%s", text);
}

int cli_read_question(shuf_question_t q, json_t *object)
{
    char error[256] = "";
    reader r = { error, sizeof(error), "", "" };
    int result = question_read(q, object, &r);
    json_decref(object);
    return result == 0 ? 0 : fail_with_options(EXIT_USAGE, error);
}

/* ---- answers ---- */

int cli_answered(const shuf_answer_t a, shuf_status status)
{
    return status == SHUF_OK ? 0 : fail_with_options(cli_interrupted() ? EXIT_INTERRUPTED : (int) status, a->error);
}

int cli_answer(shuf_answer_t a, const shuf_question_t q)
{
    shuf_status status;
    cli_catch_interrupt();
    status = shuf_answer(a, q);
    report_show("");
    return cli_answered(a, status);
}

typedef struct
{
    shuf_answer_struct *a;
    shuf_status *status;
    const shuf_question_struct *q;
} many;

static void answer_one_of(void *args, slong i)
{
    const many *m = args;
    m->status[i] = shuf_answer(m->a + i, m->q + i);
}

void cli_answer_many(shuf_answer_struct *a, shuf_status *status, const shuf_question_struct *q, size_t count)
{
    many m = { a, status, q };
    cli_catch_interrupt();
    parallel_do(answer_one_of, &m, (slong) count);
    report_show("");
}

/* ---- printing ---- */

static const char *const bound_members[] = { "lo", "hi", "lo_hex", "hi_hex", "infinite", "side", "notes", "at", "data", "ledger" };

/* One object: design's members of a single result, from the value or from both ends of a mechanism. */
static json_t *flat_json(const json_t *answer, const cli_options *o, double seconds)
{
    static const char *const kept[] = { "quantity", "verdict", "reason", "complete", "accuracy_reached", "question", "assumed", "version" };
    const json_t *value = json_object_get(answer, "value"), *upper = json_object_get(answer, "upper"), *lower = json_object_get(answer, "lower");
    const json_t *main_bound = value != NULL ? value : upper != NULL ? upper : lower, *theorems = json_object_get(main_bound, "theorems");
    const char *name, *text;
    json_t *flat = json_object(), *through = json_array(), *params = json_object();
    size_t i;
    json_object_set(flat, "quantity", json_object_get(answer, "quantity"));
    for (i = 0; i < sizeof(bound_members) / sizeof(bound_members[0]); i++)
        if (json_object_get(main_bound, bound_members[i]) != NULL)
            json_object_set(flat, bound_members[i], json_object_get(main_bound, bound_members[i]));
    if (value == NULL)
    {
        json_object_set(flat, "lo", lower != NULL ? json_object_get(lower, "lo") : json_null());
        json_object_set(flat, "lo_hex", lower != NULL ? json_object_get(lower, "lo_hex") : json_null());
        json_object_set(flat, "hi", upper != NULL ? json_object_get(upper, "hi") : json_null());
        json_object_set(flat, "hi_hex", upper != NULL ? json_object_get(upper, "hi_hex") : json_null());
        json_object_set_new(flat, "upper", json_incref((json_t *) (upper != NULL ? upper : json_null())));
        json_object_set_new(flat, "lower", json_incref((json_t *) (lower != NULL ? lower : json_null())));
        json_object_set(flat, "tried", json_object_get(answer, "tried"));
        json_object_del(flat, "ledger");
        json_object_del(flat, "side");
    }
    if (json_array_size(theorems) > 0)
    {
        json_object_set(flat, "theorem", json_object_get(json_array_get(theorems, 0), "id"));
        json_object_set(flat, "status", json_object_get(json_array_get(theorems, 0), "status"));
    }
    for (i = 1; i < json_array_size(theorems); i++)
        json_array_append(through, json_object_get(json_array_get(theorems, i), "id"));
    if (json_array_size(through) > 0)
        json_object_set(flat, "through", through);
    json_decref(through);
    for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (json_object_get(answer, kept[i]) != NULL)
            json_object_set(flat, kept[i], json_object_get(answer, kept[i]));
    for (i = 0; (text = cli_parameter(&name, o, i)) != NULL; i++)
        json_object_set_new(params, name, json_string(text));
    json_object_set_new(flat, "params", params);
    json_object_set_new(flat, "elapsed_s", json_real(seconds));
    return flat;
}

int cli_print_json(json_t *answer, const cli_options *o, double seconds)
{
    json_t *flat;
    if (o->assumed != NULL)
        json_object_set_new(answer, "assumed", json_string(o->assumed));
    if (o->json)
    {
        flat = flat_json(answer, o, seconds);
        json_line(stdout, flat);
        json_decref(flat);
    }
    else
    {
        const size_t digits = o->explain ? 0 : o->digits != NULL ? (size_t) strtoul(o->digits, NULL, 10) : TEXT_DIGITS;
        if (o->quiet)
            text_number(stdout, answer, digits);
        else
            text_answer(stdout, answer, digits, o->explain);
    }
    return report_finish(EXIT_DONE);
}

/* 0 done, or a claim certified; 1 refuted, 2 undecided. */
static int status_of(const shuf_answer_struct *a)
{
    switch (a->verdict)
    {
    case SHUF_REFUTED_CLAIM: return 1;
    case SHUF_UNDECIDED: return 2;
    case SHUF_CERTIFIED: return EXIT_DONE;
    case SHUF_VERDICT_NONE: break;
    }
    return a->accurate && a->complete ? EXIT_DONE : EXIT_ACCURACY;
}

int cli_print_answer(const shuf_answer_t a, const cli_options *o, double seconds)
{
    json_t *answer = answer_json(a);
    int status = cli_print_json(answer, o, seconds);
    json_decref(answer);
    return status != 0 ? status : cli_interrupted() ? EXIT_INTERRUPTED : status_of(a);
}

int cli_ask_and_print(json_t *object, const cli_options *o)
{
    double start = shuf_seconds();
    shuf_question_t q;
    shuf_answer_t a;
    int status;
    shuf_question_init(q);
    if ((status = cli_read_question(q, object)) == 0)
    {
        if ((status = cli_answer(a, q)) == 0)
            status = cli_print_answer(a, o, shuf_seconds() - start);
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return status;
}
