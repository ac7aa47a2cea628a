/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Fuzzing the parsers of numbers. For libFuzzer:
 *   clang -fsanitize=fuzzer,address,undefined; or, with -DSTANDALONE, a
 * program that runs the files given as arguments, or else random mutations of
 * a few seeds (SHUFBOUND_SEED; 0 takes the clock).
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exact/exact.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition) \
    do { if (!(condition)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); abort(); } } while (0)

/* Longest input tried: beyond the parser's own limit. */
#define LONGEST 2048

/* The value once more, as log(a/b) or a/b. */
static void check_again(const shuf_real_t x)
{
    char *value = fmpq_get_str(NULL, 10, x->q), *text;
    size_t size = strlen(value) + 16;
    shuf_real_t y;
    arb_t r;
    text = malloc(size);
    CHECK(text != NULL);
    snprintf(text, size, x->is_log ? "log(%s)" : "%s", value);
    shuf_real_init(y);
    /* a short text can stand for a long fraction */
    if (strlen(text) <= SHUF_REAL_MAX_LENGTH)
    {
        CHECK(shuf_real_set_str(y, text) == 0);
        CHECK(y->is_log == x->is_log && fmpq_equal(y->q, x->q));
        CHECK(shuf_real_cmp(x, y) == 0);
    }
    if (x->is_log)
        shuf_real_set_log_fmpq(y, x->q);
    else
        shuf_real_set_fmpq(y, x->q);
    CHECK(strcmp(y->text, text) == 0);
    CHECK(shuf_real_cmp(x, y) == 0);
    CHECK(fmpq_is_canonical(x->q));
    CHECK(!x->is_log || fmpq_sgn(x->q) > 0);

    arb_init(r);
    shuf_real_get_arb(r, x, 64);
    CHECK(arb_is_finite(r));
    CHECK(arb_is_zero(r) || arb_rel_accuracy_bits(r) > 50);
    CHECK(!arb_is_zero(r) || shuf_real_sgn(x) == 0);
    CHECK(arb_contains_zero(r) || shuf_real_sgn(x) == (arb_is_positive(r) ? 1 : -1));
    arb_clear(r);

    shuf_real_clear(y);
    flint_free(value);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    shuf_real_t x;
    uint64_t n = 0;
    char *text;
    int real_ok, users_ok;
    if (size > LONGEST)
        return 0;
    text = malloc(size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    shuf_real_init(x);
    real_ok = shuf_real_set_str(x, text) == 0;
    if (real_ok)
    {
        CHECK(strcmp(x->text, text) == 0);
        CHECK(strlen(text) <= SHUF_REAL_MAX_LENGTH);
        check_again(x);
    }
    else
    {
        CHECK(fmpq_is_zero(x->q) && !x->is_log && strcmp(x->text, "0") == 0);
    }
    users_ok = shuf_users_set_str(&n, text) == 0;
    if (users_ok)
    {
        CHECK(real_ok && !x->is_log && n >= 1 && n <= SHUF_MAX_USERS);
        CHECK(fmpz_equal_ui(fmpq_numref(x->q), n) && fmpz_is_one(fmpq_denref(x->q)));
    }
    else
    {
        CHECK(n == 0);
    }
    shuf_real_clear(x);
    free(text);
    return 0;
}

#ifdef STANDALONE

static const char *const seeds[] = {
    "0.1", "1e-9", "16/3", "0x1.8p-3", "log(3)", "log(16/3)", "-2", "1e6", "2.5e3", "1e18", "", "1e10000", "log(1e-10000)",
    "0x1p40000", "log(0x1p-3/7)", "1.0986122886681098", "log(1.000000000000000000000000000001)", "nan", "inf", "--1", "1/0",
};

static uint64_t random_state;

static uint64_t random_bits(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* One edit of text[0 .. *size). */
static void mutate(uint8_t *text, size_t *size, size_t room)
{
    static const char alphabet[] = "0123456789.eE+-/xXpPlog()abf \n";
    size_t at = random_bits() % (*size + 1), from, length;
    const char *other;
    switch (random_bits() % 5)
    {
    case 0: /* insert */
        if (*size < room)
        {
            memmove(text + at + 1, text + at, *size - at);
            text[at] = (uint8_t) alphabet[random_bits() % (sizeof(alphabet) - 1)];
            ++*size;
        }
        break;
    case 1: /* remove */
        if (at < *size)
        {
            memmove(text + at, text + at + 1, *size - at - 1);
            --*size;
        }
        break;
    case 2: /* replace */
        if (at < *size)
            text[at] = random_bits() % 8 ? (uint8_t) alphabet[random_bits() % (sizeof(alphabet) - 1)] : (uint8_t) random_bits();
        break;
    case 3: /* splice another seed in */
        other = seeds[random_bits() % (sizeof(seeds) / sizeof(seeds[0]))];
        length = strlen(other);
        if (*size + length <= room)
        {
            memmove(text + at + length, text + at, *size - at);
            memcpy(text + at, other, length);
            *size += length;
        }
        break;
    default: /* repeat a piece */
        from = random_bits() % (*size + 1);
        length = random_bits() % (*size - from + 1);
        if (*size + length <= room)
        {
            memcpy(text + *size, text + from, length);
            *size += length;
        }
    }
}

#define MUTATIONS 200000

int main(int argc, char **argv)
{
    uint8_t text[LONGEST + 1];
    size_t size;
    int i;
    if (argc > 1)
    {
        for (i = 1; i < argc; i++)
        {
            FILE *file = fopen(argv[i], "rb");
            if (file == NULL)
            {
                perror(argv[i]);
                return 1;
            }
            size = fread(text, 1, sizeof(text), file);
            fclose(file);
            LLVMFuzzerTestOneInput(text, size);
        }
    }
    else
    {
        const char *seed = getenv("SHUFBOUND_SEED");
        random_state = seed != NULL ? strtoull(seed, NULL, 10) : 1;
        if (random_state == 0)
            random_state = (uint64_t) time(NULL);
        printf("SHUFBOUND_SEED=%llu\n", (unsigned long long) random_state);
        for (i = 0; i < MUTATIONS; i++)
        {
            const char *start = seeds[(size_t) i % (sizeof(seeds) / sizeof(seeds[0]))];
            int edits = (int) (random_bits() % 6);
            size = strlen(start);
            memcpy(text, start, size);
            while (edits-- > 0)
                mutate(text, &size, i % 16 ? 200 : LONGEST);
            LLVMFuzzerTestOneInput(text, size);
        }
    }
    flint_cleanup();
    return 0;
}

#endif
