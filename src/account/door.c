/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/door.h"

#include <stdlib.h>
#include <string.h>

#include "account/answer_json.h"
#include "certificate/certificate.h"
#include "config.h"
#include "enclosure/memory.h"
#include "shufbound.h"
#include "theorem/theorem_json.h"

const char *shuf_version(void)
{
    return PACKAGE_VERSION;
}

int shuf_threads_set(int threads)
{
    if (threads < 1 || threads > SHUF_MAX_THREADS)
        return -1;
#ifndef __EMSCRIPTEN__ /* which has one */
    flint_set_num_threads(threads);
#endif
    return 0;
}

void shuf_free(void *text)
{
    flint_free(text);
}

/* ---- what needs memory ---- */

typedef struct
{
    const char *question;
    char *(*reply)(json_t *question);
    char *text;
} request;

/* What is left to say without memory must need none. */
static void claim_last_words(void *data)
{
    static const char text[] = "{\"error\":\"" OUT_OF_MEMORY "\",\"version\":\"" PACKAGE_VERSION "\"}";
    request *x = data;
    x->text = memcpy(flint_malloc(sizeof(text)), text, sizeof(text));
}

/* f(x), which sets x->text. */
static char *guarded(void (*f)(void *data), request *x)
{
    request last = { NULL, NULL, NULL };
    if (memory_try(claim_last_words, &last) != 0)
        return NULL;
    if (memory_try(f, x) != 0)
        return last.text;
    flint_free(last.text);
    return x->text;
}

static void run_request(void *data)
{
    request *x = data;
    char error[256] = "no question";
    reader r = { error, sizeof(error), "", "" };
    json_t *question = x->question != NULL ? reader_parse(x->question, strlen(x->question), &r) : NULL;
    x->text = question != NULL ? x->reply(question) : answer_dump(answer_error_json(NULL, error));
    json_decref(question);
}

static char *reply_to(const char *question, char *(*reply)(json_t *question))
{
    request x = { question, reply, NULL };
    return guarded(run_request, &x);
}

static char *refused(json_t *question, const char *error)
{
    return answer_dump(answer_error_json(json_string_value(json_object_get(question, "id")), error));
}

/* ---- answers, questions ---- */

static char *reply_answer(json_t *question)
{
    return answer_dump(answer_find(question));
}

char *shuf_answer_json(const char *question)
{
    return reply_to(question, reply_answer);
}

static char *reply_question(json_t *question)
{
    char error[256] = "", *text;
    reader r = { error, sizeof(error), "", "" };
    shuf_question_t q;
    shuf_question_init(q);
    text = question_read(q, question, &r) == 0 ? shuf_question_text(q) : refused(question, error);
    shuf_question_clear(q);
    return text;
}

char *shuf_question_json(const char *question)
{
    return reply_to(question, reply_question);
}

/* ---- certificates ---- */

const char *door_certificate_refusal(const shuf_question_t q)
{
    const shuf_part_struct *p = &q->parts[0];
    if (q->is_claim || q->form != NULL || (q->quantity != SHUF_QUANTITY_DELTA && q->quantity != SHUF_QUANTITY_EPSILON))
        return "only delta and epsilon that are asked for have certificates";
    if (q->count > 1 || p->subject != SHUF_SUBJECT_PAIR || shuf_part_is_sampled(p) || (q->via != SHUF_VIA_ANY && q->via != SHUF_VIA_PLD))
        return "only rounds of one pair, without subsampling, have certificates";
    return q->fast ? "what is fast has no certificates" : shuf_certificate_refusal(p->pair, p->rounds);
}

const char *door_certificate_write(FILE *out, const shuf_answer_t a)
{
    const shuf_question_struct *q = a->question;
    const shuf_enclosure_struct *r = a->value->value;
    const char *refusal;
    shuf_certificate c;
    char *question;
    if (!arf_is_finite(r->lo) || !arf_is_finite(r->hi))
        return "the value is not finite";
    question = shuf_question_text(q);
    c.pair = q->parts[0].pair;
    c.direction = q->direction;
    c.rounds = q->parts[0].rounds;
    c.of_epsilon = q->quantity == SHUF_QUANTITY_EPSILON;
    c.point = c.of_epsilon ? q->delta : q->eps;
    c.value = r;
    c.digits = q->digits;
    c.question = question;
    refusal = shuf_certificate_write(out, &c);
    flint_free(question);
    return refusal;
}

/* The text, or NULL after a message. */
static char *certificate_text(const char **error, const shuf_answer_t a)
{
    char *written = NULL, *text = NULL;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    int failed;
    if (out == NULL)
        memory_fail();
    *error = door_certificate_write(out, a);
    failed = ferror(out);
    if (fclose(out) != 0 || failed)
        memory_fail();
    if (*error == NULL)
        text = memcpy(flint_malloc(size + 1), written, size + 1);
    free(written);
    return text;
}

static char *certificate_of(const shuf_question_t q, json_t *question)
{
    const char *error = door_certificate_refusal(q);
    shuf_answer_t a;
    char *text = NULL;
    if (error != NULL)
        return refused(question, error);
    if (shuf_answer(a, q) != SHUF_OK)
        error = a->error;
    else
        text = certificate_text(&error, a);
    if (text == NULL)
        text = refused(question, error);
    shuf_answer_clear(a);
    return text;
}

static char *reply_certificate(json_t *question)
{
    char error[256] = "", *text;
    reader r = { error, sizeof(error), "", "" };
    shuf_question_t q;
    shuf_question_init(q);
    text = question_read(q, question, &r) == 0 ? certificate_of(q, question) : refused(question, error);
    shuf_question_clear(q);
    return text;
}

char *shuf_certificate_json(const char *question)
{
    return reply_to(question, reply_certificate);
}

/* ---- theorems ---- */

static void run_theorems(void *data)
{
    request *x = data;
    json_t *all = json_array();
    size_t count, i;
    const shuf_theorem *t = shuf_theorems(&count);
    for (i = 0; i < count; i++)
        json_array_append_new(all, theorem_json(&t[i]));
    x->text = answer_dump(all);
}

char *shuf_theorems_json(void)
{
    request x = { NULL, NULL, NULL };
    return guarded(run_theorems, &x);
}
