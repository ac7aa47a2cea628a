/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Fuzzes the files of test vectors and of answers to them. As a libFuzzer
 * target:
 *   clang -g -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_vectors.c ...
 * With -DSTANDALONE it runs random mutations of good files (seed printed,
 * SHUFBOUND_SEED sets it).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/vectors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A message is one line. */
static void check_message(const char *message)
{
    if (message[0] == '\0' || strchr(message, '\n') != NULL)
        abort();
}

/* The result of every computation: that of the file itself. */
static json_t *stored;

static int compute(json_t **result, json_t *question, const char *bound, int fast, const reader *r)
{
    (void) question;
    (void) bound;
    (void) fast;
    if (stored == NULL)
        return reader_fail(r, "nothing is stored");
    *result = json_incref(stored);
    return 0;
}

/* What is in a file that was accepted. */
static void check_file(const vectors_file *f)
{
    char message[512] = "";
    reader r = { message, sizeof(message), "", "" };
    size_t i;
    json_t *root;
    for (i = 0; i < f->count; i++)
    {
        vectors_outcome outcome;
        if (vectors_find(f, vectors_id(f->tests[i])) != i)
            abort();
        if (f->kind == VECTORS_PROMPT)
            continue;
        stored = json_object_get(f->tests[i], "result");
        outcome = vectors_check(f->tests[i], f->kind, 0, compute, &r);
        /* what agrees with itself has the same text, and what does not is itself unsound */
        if (outcome != VECTORS_SAME_TEXT && outcome != VECTORS_FAILED && !(outcome == VECTORS_AGREES && stored == NULL))
            abort();
        if (outcome == VECTORS_FAILED)
            check_message(message);
    }
    if (f->kind == VECTORS_VALUE)
    {
        char *text;
        vectors_file prompt;
        root = vectors_to_prompt(f);
        text = json_dumps(root, 0);
        if (text == NULL || vectors_parse(&prompt, text, strlen(text), &r) != 0 || prompt.count != f->count)
            abort();
        vectors_clear(&prompt);
        free(text);
        json_decref(root);
    }
}

#define QUESTION "{\"pair\":{\"type\":\"rr2\",\"eps0\":\"1\"},\"users\":\"9\",\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}}"
#define FORM "{\"mechanism\":{\"type\":\"ldp\",\"eps0\":\"1\"},\"users\":\"9\",\"form\":{\"theorem\":\"chen24-thm2\"}," \
    "\"ask\":{\"quantity\":\"delta\",\"eps\":\"0.5\"}}"

/* The vectors that answers are judged on. */
static const char vectors_text[] =
    "{\"algorithm\":\"a\",\"generatorVersion\":\"0\",\"schema\":\"schema/value.schema.json\",\"header\":[\"h\"],"
    "\"notes\":{\"F\":{\"bugType\":\"B\",\"description\":\"d\"}},\"numberOfTests\":1,\"testGroups\":[{\"type\":\"t\","
    "\"source\":\"s\",\"confirmation\":\"c\",\"tests\":[{\"tcId\":7,\"comment\":\"c\",\"flags\":[\"F\"],\"question\":" QUESTION ","
    "\"result\":{\"lo\":\"0.25\",\"hi\":\"0.5\",\"lo_hex\":\"0x1p-2\",\"hi_hex\":\"0x1p-1\",\"theorem\":\"rr2\","
    "\"status\":\"proved\",\"side\":\"lower\",\"accuracy_reached\":true,\"ledger\":{\"truncation\":\"0.2\","
    "\"discretisation\":\"0\",\"rounding\":\"0.05\",\"terms\":1,\"precision\":53}}}]}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[512] = "";
    reader r = { message, sizeof(message), "", "" };
    vectors_file f;
    vectors_report report;
    json_t *root;
    if (vectors_parse(&f, (const char *) data, size, &r) == 0)
        check_file(&f);
    else
        check_message(message);
    vectors_clear(&f);
    if (vectors_parse(&f, vectors_text, sizeof(vectors_text) - 1, &r) != 0)
        abort();
    message[0] = '\0';
    if (vectors_judge(&report, (const char *) data, size, "1e-9", &f, 1, &r) == 0)
    {
        root = vectors_report_json(&report);
        if (report.count != report.verdicts[0] + report.verdicts[1] + report.verdicts[2] || root == NULL)
            abort();
        json_decref(root);
    }
    else
    {
        check_message(message);
    }
    vectors_report_clear(&report);
    vectors_clear(&f);
    return 0;
}

#ifdef STANDALONE
#include "random.h"

static const char *const seeds[] = {
    vectors_text,
    "{\"algorithm\":\"a\",\"schema\":\"../schema/prompt.schema.json\",\"header\":[],\"notes\":{},\"numberOfTests\":2,"
    "\"testGroups\":[{\"type\":\"t\",\"source\":\"s\",\"confirmation\":\"c\",\"tests\":[{\"tcId\":1,\"comment\":\"\",\"flags\":[],"
    "\"question\":" FORM "},{\"tcId\":2,\"comment\":\"\",\"flags\":[],\"question\":" QUESTION "}]}]}",
    "{\"algorithm\":\"a\",\"generatorVersion\":\"0\",\"schema\":\"schema/negative.schema.json\",\"header\":[],\"notes\":{},\"numberOfTests\":1,"
    "\"testGroups\":[{\"type\":\"t\",\"source\":\"s\",\"tests\":[{\"tcId\":3,\"id\":\"i\",\"comment\":\"\",\"flags\":[],\"formula\":\"f\","
    "\"claim\":{\"quantity\":\"delta\",\"bound\":\"upper\",\"value\":\"0.1\"},\"reproduce\":{\"program\":\"p\",\"version\":\"v\","
    "\"input\":\"i\"},\"witness\":{\"question\":" QUESTION ",\"lo\":\"0.25\",\"hi\":\"0.5\",\"theorem\":\"rr2\",\"says\":\"lower\"}}]}]}",
    "{\"library\":\"l\",\"version\":\"v\",\"answers\":[{\"tcId\":7,\"upper\":0.5,\"lower\":\"1/4\"},{\"tcId\":8,\"refused\":\"r\"}]}",
    "{\"library\":\"l\",\"version\":\"v\",\"answers\":[{\"tcId\":7,\"upper\":\"-inf\",\"lower\":\"nan\"},{\"tcId\":9,\"upper\":1e-300}]}",
};

static void run_mutation(void)
{
    static const char bytes[] = "0123456789eE.-+/()logxp\"{}[]:, ";
    static uint8_t buffer[2048];
    const char *seed = seeds[random_below(sizeof(seeds) / sizeof(seeds[0]))];
    size_t size = strlen(seed), edits = random_below(5);
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
    LLVMFuzzerTestOneInput(buffer, size);
}

int main(void)
{
    int i;
    seed_random();
    for (i = 0; i < 20000; i++)
        run_mutation();
    flint_cleanup();
    return 0;
}
#endif
