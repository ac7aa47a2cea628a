/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Where certificates send Coq: the ends of windows against a search one by one, and no window where there is nothing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "certificate/window.h"
#include "check.h"
#include "random.h"

#define TRIALS 2000

/* log Pr[Bin(n, p) = k] */
static double log_mass(uint64_t n, double p, uint64_t k)
{
    double sum = (double) k * log(p) + (double) (n - k) * log1p(-p);
    uint64_t i;
    for (i = 1; i <= k; i++)
        sum += log((double) (n - k + i) / (double) i);
    return sum;
}

/* The first k >= least, beyond the mode, whose mass is below exp(target); or n. */
static uint64_t first_below(uint64_t n, double p, double target, uint64_t least)
{
    uint64_t k = (uint64_t) ((double) (n + 1) * p);
    k = k < least ? least : k;
    while (k < n && log_mass(n, p, k) >= target)
        k++;
    return k < n ? k : n;
}

static void test_ends(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < TRIALS; i++)
    {
        uint64_t n = 1 + random_below(60), least = random_below(n + 1);
        double p = 0.01 + 0.98 * random_unit(), log_p = log(p), log_q = log1p(-p), target = -60 * random_unit();
        assert_true(fabs(window_log_binomial(n, log_p, log_q, least) - log_mass(n, p, least)) < 1e-10);
        assert_int_equal(window_upper_end(n, log_p, log_q, target, least), first_below(n, p, target, least));
        assert_int_equal(window_lower_end(n, log_p, log_q, target, least), n - first_below(n, 1 - p, target, n - least));
    }
}

/* From the largest loss on delta is 0, and there is nothing to walk. */
static void test_nothing(void **state)
{
    static const struct { const char *eps; int rows; } cases[] = { { "1.999", 1 }, { "2", 0 }, { "3", 0 } };
    shuf_pair_t pair;
    shuf_real_t eps;
    window w;
    size_t i;
    (void) state;
    shuf_pair_init(pair);
    shuf_real_init(eps);
    set_eps0(pair, SHUF_PAIR_CLONES, 100, "2");
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        set(eps, cases[i].eps);
        assert_int_equal(window_find(&w, pair, eps, SHUF_DIRECTION_PQ, -50, 30) > 0, cases[i].rows);
        assert_int_equal(w.top > 0, cases[i].rows);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ends), cmocka_unit_test(test_nothing) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
