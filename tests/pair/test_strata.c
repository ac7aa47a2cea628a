/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Sums over strata by blocks, against sums term by term, of a function that falls in both arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check.h"
#include "pair/strata.h"
#include "random.h"

#define PREC 256

/* V(c, K) = 1/(1 + c/others + K) */
static void value(arb_t v, const void *context, ulong c, const arb_t K)
{
    const ulong *others = context;
    arb_set_ui(v, c);
    arb_div_ui(v, v, *others, PREC);
    arb_add(v, v, K, PREC);
    arb_add_ui(v, v, 1, PREC);
    arb_inv(v, v, PREC);
}

/* sum of Pr[C = c] V(c, kappa (others - c)/(c + 1)) over first <= c <= last */
static void sum_terms(arb_t sum, ulong others, const arb_t p, const arb_t kappa, ulong first, ulong last)
{
    arb_t mass, t, K, odds;
    ulong c;
    arb_init(mass); arb_init(t); arb_init(K); arb_init(odds);
    arb_sub_ui(t, p, 1, PREC);
    arb_neg(t, t);
    arb_div(odds, p, t, PREC);
    arb_pow_ui(mass, t, others, PREC);
    arb_zero(sum);
    for (c = 0; c <= last; c++)
    {
        if (c >= first)
        {
            arb_mul_ui(K, kappa, others - c, PREC);
            arb_div_ui(K, K, c + 1, PREC);
            value(t, &others, c, K);
            arb_addmul(sum, mass, t, PREC);
        }
        arb_mul_ui(mass, mass, others - c, PREC);
        arb_div_ui(mass, mass, c + 1, PREC);
        arb_mul(mass, mass, odds, PREC);
    }
    arb_clear(mass); arb_clear(t); arb_clear(K); arb_clear(odds);
}

static void check(ulong others, const fmpq_t rate, const fmpq_t ratio, ulong first, ulong last, double relative)
{
    shuf_pair_weights_t w;
    strata_struct s = { .others = others, .weights = w, .value = value, .context = &others, .prec = PREC };
    arb_t kappa, exact, low, high, aim;
    mag_t width;
    ulong blocks = 0;
    shuf_pair_weights_init(w);
    arb_init(kappa); arb_init(exact); arb_init(low); arb_init(high); arb_init(aim);
    mag_init(width);
    arb_set_fmpq(w->count, rate, PREC);
    arb_sub_ui(w->count_complement, w->count, 1, PREC);
    arb_neg(w->count_complement, w->count_complement);
    arb_set_fmpq(kappa, ratio, PREC);
    s.kappa = kappa;
    sum_terms(exact, others, w->count, kappa, first, last);
    arb_set_d(aim, relative);
    arb_mul(aim, aim, exact, 53);
    assert_int_equal(strata_bracket(low, width, &blocks, &s, first, last, aim), 1);
    assert_true(arb_le(low, exact) || arb_overlaps(low, exact));
    arf_set_mag(arb_midref(high), width);
    arb_add(high, high, low, PREC);
    assert_true(arb_ge(high, exact) || arb_overlaps(high, exact));
    /* as narrow as is aimed at; without kappa a block takes the value of the next one's first stratum, and one stratum is not split */
    arb_sub(high, high, low, PREC);
    assert_true(arb_is_zero(kappa) || arb_le(high, aim) || arb_overlaps(high, aim));
    shuf_pair_weights_clear(w);
    arb_clear(kappa); arb_clear(exact); arb_clear(low); arb_clear(high); arb_clear(aim);
    mag_clear(width);
}

static void test_blocks(void **state)
{
    fmpq_t rate, ratio;
    int i;
    (void) state;
    fmpq_init(rate);
    fmpq_init(ratio);
    for (i = 0; i < 300; i++)
    {
        ulong others = 1 + random_below(3000), first = i % 2 ? random_below(others + 1) : 0;
        ulong last = i % 3 ? first + random_below(others - first + 1) : others;
        fmpq_set_ui(rate, 1 + random_below(999), 1000);
        fmpq_set_ui(ratio, i % 4 ? random_below(3000) : 0, 1000);
        fmpq_canonicalise(rate);
        fmpq_canonicalise(ratio);
        check(others, rate, ratio, first, last, i % 5 ? 1e-4 : 1e-1);
    }
    fmpq_clear(rate);
    fmpq_clear(ratio);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_blocks) };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
