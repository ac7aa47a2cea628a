/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Fuzzes the parser of mechanisms, and the classes of what it accepts. As a
 * libFuzzer target:
 *   clang -g -fsanitize=fuzzer,address,undefined -Isrc tests/fuzz/fuzz_mechanism.c ...
 * With -DSTANDALONE it runs the files given, or 20,000 random mutations of
 * good descriptions (seed printed, SHUFBOUND_SEED sets it).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "randomiser/randomiser.h"
#include "pair/pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PREC 64

/* Masses are not negative, and under a row they sum to 1. */
static void check_classes(const shuf_randomiser_t r, uint64_t reference)
{
    shuf_classes_t c;
    arb_t p, q, w;
    slong j;
    arb_init(p);
    arb_init(q);
    arb_init(w);
    shuf_randomiser_classes(c, r, 0, 1, reference, PREC);
    for (j = 0; j < c->count; j++)
    {
        if (arb_is_negative(c->p + j) || arb_is_negative(c->q + j) || arb_is_negative(c->w + j))
            abort();
        arb_add(p, p, c->p + j, PREC);
        arb_add(q, q, c->q + j, PREC);
        arb_add(w, w, c->w + j, PREC);
    }
    arb_sub_ui(p, p, 1, PREC);
    arb_sub_ui(q, q, 1, PREC);
    arb_sub_ui(w, w, 1, PREC);
    if (!arb_contains_zero(p) || !arb_contains_zero(q) || (reference == SHUF_BLANKET ? arb_is_positive(w) : !arb_contains_zero(w)))
        abort();
    shuf_classes_clear(c);
    arb_clear(p);
    arb_clear(q);
    arb_clear(w);
}

static void check(const shuf_randomiser_t r)
{
    shuf_real_t eps0, eps;
    arb_t m;
    uint64_t reference;
    int line = r->kind == SHUF_RANDOMISER_LAPLACE || r->kind == SHUF_RANDOMISER_GAUSSIAN;
    if (r->inputs < 2 || (r->inputs > SHUF_MAX_K && r->parts == 0 && !(r->inputs == SHUF_ANY_INPUTS && (line || r->kind == SHUF_RANDOMISER_RAPPOR))) || (r->kind == SHUF_RANDOMISER_MATRIX) != (r->row != NULL)
        || (r->kind == SHUF_RANDOMISER_MATRIX && (r->inputs > SHUF_MAX_MATRIX || r->outputs < 2 || r->outputs > SHUF_MAX_MATRIX))
        || (r->kind == SHUF_RANDOMISER_SUBSET && (r->size < 1 || r->size >= r->inputs))
        || (r->kind == SHUF_RANDOMISER_LOCAL_HASHING && (r->size < 2 || r->size > SHUF_MAX_K))
        || shuf_real_sgn(r->eps0) < 0 || shuf_real_cmp_si(r->eps0, SHUF_MAX_EPSILON) > 0
        || (r->parts > 0) != (r->kind == SHUF_RANDOMISER_PRODUCT || r->kind == SHUF_RANDOMISER_MIXTURE)
        || (r->weight != NULL) != (r->kind == SHUF_RANDOMISER_MIXTURE)
        || (line && (r->scale->is_log || fmpq_sgn(r->scale->q) <= 0)))
        abort();
    shuf_real_init(eps0);
    shuf_real_init(eps);
    arb_init(m);
    if (shuf_randomiser_eps0(eps0, r) && shuf_real_sgn(eps0) < 0)
        abort();
    if (shuf_real_set_str(eps, "1/8") != 0)
        abort();
    shuf_randomiser_profile(m, r, eps, PREC);
    arb_sub_ui(m, m, 1, PREC);
    if (arb_is_positive(m))
        abort();
    for (reference = 0; !line && reference < (r->inputs == SHUF_ANY_INPUTS ? 2 : 3) && reference < r->inputs; reference++)
        check_classes(r, reference);
    if (!line)
        check_classes(r, SHUF_BLANKET);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
    arb_clear(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256] = "";
    shuf_randomiser_t r;
    shuf_randomiser_init(r);
    if (shuf_randomiser_parse(r, (const char *) data, size, error, sizeof(error)) == 0)
        check(r);
    else if (r->row != NULL || r->part != NULL || r->name != NULL || error[0] == '\0' || strchr(error, '\n') != NULL)
        abort();
    shuf_randomiser_clear(r);
    return 0;
}

#ifdef STANDALONE
static const char *const seeds[] = {
    "{\"type\":\"matrix\",\"rows\":[[\"3/4\",\"0.25\"],[\"1/4\",\"3/4\"]],\"eps0\":\"log(3)\"}",
    "{\"type\":\"matrix\",\"name\":\"x\",\"rows\":[[1,0,0],[\"1/2\",\"1/2\",0],[0,0,1]]}",
    "{\"type\":\"krr\",\"k\":4,\"eps0\":\"1\"}",
    "{\"type\":\"rappor\",\"k\":16,\"flip\":\"1/4\"}",
    "{\"type\":\"rappor\",\"k\":\"2\",\"eps0\":\"0.5\"}",
    "{\"type\":\"rappor\",\"eps0\":\"0.5\"}",
    "{\"type\":\"subset-selection\",\"k\":10,\"size\":3,\"eps0\":\"1\"}",
    "{\"type\":\"hadamard-response\",\"k\":10,\"eps0\":\"log(5)\"}",
    "{\"type\":\"local-hashing\",\"k\":10,\"g\":4,\"eps0\":\"0x1p-3\"}",
    "{\"type\":\"laplace\",\"scale\":\"1/2\",\"inputs\":\"interval\"}",
    "{\"name\":\"g\",\"type\":\"gaussian\",\"scale\":\"2\"}",
    "{\"type\":\"product\",\"parts\":[{\"type\":\"krr\",\"k\":4,\"eps0\":\"1\"},{\"type\":\"matrix\",\"rows\":[[1,0],[\"1/2\",\"1/2\"]]}]}",
    "{\"type\":\"mixture\",\"parts\":[{\"type\":\"krr\",\"k\":4,\"eps0\":\"1\"},{\"type\":\"rappor\",\"k\":3,\"flip\":\"1/4\"}],\"weights\":[\"1/3\",\"2/3\"]}",
};

static uint64_t state;

static uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void run_mutation(void)
{
    static const char bytes[] = "0123456789eE.-+/()logx\"{}[]:, ";
    uint8_t buffer[1024];
    const char *seed = seeds[next_random() % (sizeof(seeds) / sizeof(seeds[0]))];
    size_t size = strlen(seed), edits = next_random() % 4;
    memcpy(buffer, seed, size);
    while (edits-- > 0 && size > 0)
    {
        size_t at = next_random() % size;
        uint8_t byte = (uint8_t) bytes[next_random() % (sizeof(bytes) - 1)];
        switch (next_random() % 3)
        {
        case 0:
            buffer[at] = byte;
            break;
        case 1:
            memmove(buffer + at, buffer + at + 1, size - at - 1);
            size--;
            break;
        default:
            memmove(buffer + at + 1, buffer + at, size - at);
            buffer[at] = byte;
            size++;
        }
    }
    LLVMFuzzerTestOneInput(buffer, size);
}

int main(int argc, char **argv)
{
    const char *text = getenv("SHUFBOUND_SEED");
    int i;
    for (i = 1; i < argc; i++)
    {
        char error[256] = "";
        shuf_randomiser_t r;
        shuf_randomiser_init(r);
        if (shuf_randomiser_load(r, argv[i], error, sizeof(error)) == 0)
            check(r);
        else
            printf("%s: %s\n", argv[i], error);
        shuf_randomiser_clear(r);
    }
    state = text != NULL ? strtoull(text, NULL, 0) : 88172645463325252u;
    if (state == 0)
        state = 1;
    printf("seed %llu\n", (unsigned long long) state);
    for (i = 0; argc == 1 && i < 20000; i++)
        run_mutation();
    flint_cleanup();
    return 0;
}
#endif
