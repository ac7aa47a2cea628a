/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Fuzzes questions: what is accepted is written and read again to the same
 * text, and has an answer, or an error, within little work. As a libFuzzer
 * target:
 *   clang -g -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_question.c ...
 * With -DSTANDALONE it runs random mutations of good questions (seed printed,
 * SHUFBOUND_SEED sets it).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "account/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LEAST_EFFORT 1000000

/* A message is one line, without control characters. */
static void check_message(const char *message)
{
    if (message[0] == '\0')
        abort();
    for (; *message != '\0'; message++)
        if ((unsigned char) *message < 32 || *message == 127)
            abort();
}

/* A question that was understood is understood again, as the same. */
static void check_text(const shuf_question_t q)
{
    char *text = shuf_question_text(q), *again, error[512] = "";
    shuf_question_t back;
    shuf_question_init(back);
    if (shuf_question_parse(back, text, strlen(text), error, sizeof(error)) != 0)
    {
        fprintf(stderr, "%s\n%s\n", text, error);
        abort();
    }
    again = shuf_question_text(back);
    if (strcmp(text, again) != 0)
    {
        fprintf(stderr, "%s\n%s\n", text, again);
        abort();
    }
    flint_free(text);
    flint_free(again);
    shuf_question_clear(back);
}

/* The answer to the question with the least effort: an object with an error, or with the question in it. */
static void check_answer(const char *text, size_t size)
{
    json_t *question = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL), *answer;
    char *changed, *line;
    json_object_set_new(question, "effort", json_integer(LEAST_EFFORT));
    changed = json_dumps(question, 0);
    line = shuf_answer_json(changed);
    answer = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    if (strchr(line, '\n') != NULL || !json_is_object(answer))
        abort();
    if (json_object_get(answer, "error") != NULL)
        check_message(json_string_value(json_object_get(answer, "error")));
    else if (!json_is_object(json_object_get(answer, "question")))
        abort();
    json_decref(answer);
    json_decref(question);
    flint_free(line);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[512] = "";
    shuf_question_t q;
    shuf_question_init(q);
    if (shuf_question_parse(q, (const char *) data, size, error, sizeof(error)) == 0)
    {
        check_text(q);
        check_answer((const char *) data, size);
    }
    else
    {
        check_message(error);
    }
    shuf_question_clear(q);
    flint_cleanup();
    return 0;
}

#ifdef STANDALONE
#include "random.h"

static const char *const seeds[] = {
    "{\"pair\":{\"type\":\"clones\",\"eps0\":\"4\"},\"users\":\"100\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"},\"digits\":3}",
    "{\"pair\":{\"type\":\"krr-weak\",\"gamma\":\"1/2\",\"k\":3},\"users\":20,\"ask\":{\"quantity\":\"renyi\",\"order\":\"inf\"}}",
    "{\"pair\":{\"type\":\"rr2\",\"eps0\":\"log(3)\"},\"users\":\"9\",\"rounds\":\"3\",\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"},"
    "\"via\":\"renyi\",\"direction\":\"pq\"}",
    "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":\"30\",\"sample\":{\"scheme\":\"fixed\",\"rate\":\"1/3\"},\"rounds\":2,"
    "\"claim\":{\"eps\":\"0.3\",\"delta\":\"1e-3\"},\"id\":\"x\"}",
    "{\"mechanism\":{\"type\":\"krr\",\"k\":\"3\",\"eps0\":\"1\"},\"users\":\"8\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0x1p-3\"}}",
    "{\"mechanism\":{\"type\":\"matrix\",\"rows\":[[\"1/2\",\"1/2\"],[\"1/4\",\"3/4\"]]},\"users\":\"6\",\"claim\":{\"order\":\"2\",\"renyi\":\"1\"}}",
    "{\"mechanism\":{\"type\":\"rappor\",\"eps0\":\"1\",\"k\":4},\"users\":\"9\",\"release\":\"sum\",\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"0.1\"}}",
    "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"2\"},\"users\":\"100\",\"form\":{\"theorem\":\"feldman21-3.8\",\"delta0\":\"1e-9\"},"
    "\"ask\":{\"quantity\":\"epsilon\",\"delta\":\"1e-3\"}}",
    "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":\"9\",\"rounds\":[{\"rounds\":2},{\"mechanism\":{\"type\":\"krr\",\"k\":4,"
    "\"eps0\":\"1/2\"}}],\"ask\":{\"quantity\":\"gdp\",\"eps\":[\"0\",\"1\"]}}",
    "{\"mechanism\":{\"type\":\"ldp\"},\"users\":\"50\",\"ask\":{\"quantity\":\"eps0\",\"eps\":\"1\",\"delta\":\"1e-2\"},\"fast\":true}",
    "{\"pair\":{\"type\":\"gaussian\",\"sigma\":\"2\"},\"users\":\"3\",\"ask\":{\"quantity\":\"tradeoff\",\"type1\":\"0.1\"},\"max_seconds\":1}",
};

static void run_mutation(void)
{
    static const char bytes[] = "0123456789eE.-+/()logxp\"{}[]:, ";
    static uint8_t buffer[2048];
    const char *seed = seeds[random_below(sizeof(seeds) / sizeof(seeds[0]))];
    size_t size = strlen(seed), edits = random_below(3);
    memcpy(buffer, seed, size);
    while (edits-- > 0 && size > 0)
    {
        size_t at = random_below(size);
        const uint8_t byte = (uint8_t) bytes[random_below(sizeof(bytes) - 1)];
        switch (random_below(3))
        {
        case 0: buffer[at] = byte; break;
        case 1: memmove(buffer + at, buffer + at + 1, size - at - 1); size--; break;
        default: memmove(buffer + at + 1, buffer + at, size - at); buffer[at] = byte; size++;
        }
    }
    if (is_drawn(4))
        LLVMFuzzerTestOneInput(buffer, size);
}

int main(void)
{
    int i;
    seed_random();
    for (i = 0; i < 5000; i++)
        run_mutation();
    return 0;
}
#endif
