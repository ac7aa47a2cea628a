/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The tests' random numbers (splitmix64): reproducible from SHUFBOUND_SEED and SHUFBOUND_DRAW, which are printed. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t random_state;

static inline uint64_t random_bits(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t random_below(uint64_t n)
{
    return random_bits() % n;
}

/* In [0, 1). */
static inline double random_unit(void)
{
    return (double) (random_bits() >> 11) * 0x1p-53;
}

/* From a to b, the logarithm uniform. */
static inline double log_uniform(double a, double b)
{
    return a * pow(b / a, random_unit());
}

/* SHUFBOUND_SEED; 0 takes the clock. */
static inline void seed_random(void)
{
    const char *text = getenv("SHUFBOUND_SEED");
    random_state = text != NULL ? strtoull(text, NULL, 10) : 1;
    if (random_state == 0)
        random_state = (uint64_t) time(NULL);
    printf("SHUFBOUND_SEED=%llu SHUFBOUND_DRAW=%s\n", (unsigned long long) random_state,
           getenv("SHUFBOUND_DRAW") != NULL ? getenv("SHUFBOUND_DRAW") : "0");
}

/* What the gate takes, or all that there is (make check-all). */
static inline int gate_or_all(int gate, int all)
{
    const char *text = getenv("SHUFBOUND_CHECK_ALL");
    return text != NULL && strcmp(text, "1") == 0 ? all : gate;
}

/*
 * In the gate true of one call in n, of others with each commit (SHUFBOUND_DRAW, a hexadecimal number); always in make check-all,
 * and where SHUFBOUND_DRAW is "all".
 */
static inline int is_drawn(uint64_t n)
{
    static uint64_t place;
    static int was_called;
    const char *text = getenv("SHUFBOUND_DRAW");
    if (text != NULL && strcmp(text, "all") == 0)
        return 1;
    if (!was_called && text != NULL)
        place = strtoull(text, NULL, 16);
    was_called = 1;
    return ++place % (uint64_t) gate_or_all((int) n, 1) == 0;
}

/* At the beginning of one of cmocka's tests that takes long: the gate runs one in n of them, and says which it skips. */
#define skip_unless_drawn(n) \
    do \
    { \
        if (!is_drawn(n)) \
            skip(); \
    } while (0)

/* For a group of cmocka's tests. */
static inline int seed_group(void **unused)
{
    (void) unused;
    seed_random();
    return 0;
}

#endif
