/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The tests' random numbers (splitmix64): reproducible from SHUFBOUND_SEED. */
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
    printf("SHUFBOUND_SEED=%llu\n", (unsigned long long) random_state);
}

/* What the gate takes, or all that there is (make check-all). */
static inline int gate_or_all(int gate, int all)
{
    const char *text = getenv("SHUFBOUND_CHECK_ALL");
    return text != NULL && strcmp(text, "1") == 0 ? all : gate;
}

/* For a group of cmocka's tests. */
static inline int seed_group(void **unused)
{
    (void) unused;
    seed_random();
    return 0;
}

#endif
