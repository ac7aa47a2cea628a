/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Noise on an interval of inputs (proofs/line.md, Lemmas 5 to 8), attacked: even log-concave noise on the integers
 * and inputs 0 .. m, in rationals: every pair of inputs against the ends, and the divergences of all neighbouring
 * data against the blanket's bound for the ends. And Laplace and Gaussian noise in bins, with an input in the middle, against
 * what the program prints.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "shuffle/shuffled.h"
#include "check.h"
#include "random.h"

#define MAX_INPUTS 5
#define MAX_OUTPUTS 12
#define MAX_USERS 4

/* Inputs 0 .. m; outputs in a few classes; w the minimum of the rows. */
typedef struct
{
    slong inputs, outputs;
    fmpq row[MAX_INPUTS][MAX_OUTPUTS], w[MAX_OUTPUTS];
} noise;

static void noise_init(noise *R, slong inputs, slong outputs)
{
    slong x, y;
    R->inputs = inputs;
    R->outputs = outputs;
    for (y = 0; y < MAX_OUTPUTS; y++)
    {
        fmpq_init(&R->w[y]);
        for (x = 0; x < MAX_INPUTS; x++)
            fmpq_init(&R->row[x][y]);
    }
}

static void noise_clear(noise *R)
{
    slong x, y;
    for (y = 0; y < MAX_OUTPUTS; y++)
    {
        fmpq_clear(&R->w[y]);
        for (x = 0; x < MAX_INPUTS; x++)
            fmpq_clear(&R->row[x][y]);
    }
}

static void set_blanket(noise *R)
{
    slong x, y;
    for (y = 0; y < R->outputs; y++)
    {
        fmpq_set(&R->w[y], &R->row[0][y]);
        for (x = 1; x < R->inputs; x++)
            if (fmpq_cmp(&R->row[x][y], &R->w[y]) < 0)
                fmpq_set(&R->w[y], &R->row[x][y]);
    }
}

/*
 * r(j) for |j| <= J with falling ratios r(j+1)/r(j) <= 1, and the last of these from J on: the outputs y <= -J have the same
 * likelihood ratios, and so have y >= m + J. All in all m + 2J + 1 classes.
 */
static void random_noise(noise *R, slong m, slong J)
{
    fmpq r[MAX_OUTPUTS], sum, tail, t;
    ulong ratio = 20;
    slong j, x, y;
    fmpq_init(&sum); fmpq_init(&tail); fmpq_init(&t);
    for (j = 0; j <= m + J; j++)
        fmpq_init(&r[j]);
    fmpq_one(&r[0]);
    for (j = 1; j <= m + J; j++)
    {
        if (j <= J + 1)
            ratio = 1 + random_below(j == 1 ? 20 : ratio);
        if (j == J + 1 && ratio == 20)
            ratio = 19; /* a tail that sums up */
        fmpq_set_ui(&t, ratio, 20);
        fmpq_mul(&r[j], &r[j - 1], &t);
    }
    if (J + 1 > m + J) /* m = 0 is not used */
        fail();
    /* from J on: r(J) (1 + t + t^2 + ..) */
    fmpq_one(&tail);
    fmpq_sub(&tail, &tail, &t);
    fmpq_inv(&tail, &tail);
    noise_init(R, m + 1, m + 2 * J + 1);
    for (x = 0; x <= m; x++)
    {
        fmpq_zero(&sum);
        for (y = -J; y <= m + J; y++)
        {
            fmpq *p = &R->row[x][y + J];
            fmpq_set(p, &r[labs(y - x)]);
            if (y == -J || y == m + J)
                fmpq_mul(p, p, &tail);
            fmpq_add(&sum, &sum, p);
        }
        for (y = 0; y < R->outputs; y++)
            fmpq_div(&R->row[x][y], &R->row[x][y], &sum);
    }
    set_blanket(R);
    for (j = 0; j <= m + J; j++)
        fmpq_clear(&r[j]);
    fmpq_clear(&sum); fmpq_clear(&tail); fmpq_clear(&t);
}

/* value := the sum over outputs of (R(x) - alpha R(x1) - t w)_+ */
static void excess(fmpq_t value, const noise *R, slong x, slong x1, const fmpq_t alpha, const fmpq_t t)
{
    fmpq_t u;
    slong y;
    fmpq_init(u);
    fmpq_zero(value);
    for (y = 0; y < R->outputs; y++)
    {
        fmpq_set(u, &R->row[x][y]);
        fmpq_submul(u, alpha, &R->row[x1][y]);
        fmpq_submul(u, t, &R->w[y]);
        if (fmpq_sgn(u) > 0)
            fmpq_add(value, value, u);
    }
    fmpq_clear(u);
}

/* Lemma 7: at every kink of both sides, which are convex and linear in between, and equal far out. */
static void check_ends(const noise *R, const fmpq_t alpha)
{
    slong m = R->inputs - 1, x, x1, y, side;
    fmpq_t t, here, ends;
    fmpq_init(t);
    fmpq_init(here);
    fmpq_init(ends);
    for (y = 0; y < R->outputs; y++)
        assert_true(fmpq_equal(&R->w[y], fmpq_cmp(&R->row[0][y], &R->row[m][y]) < 0 ? &R->row[0][y] : &R->row[m][y]));
    for (x = 0; x <= m; x++)
        for (x1 = 0; x1 <= m; x1++)
            for (side = 0; side < 2; side++)
                for (y = 0; y < R->outputs; y++)
                {
                    fmpq_set(t, &R->row[side ? x : 0][y]);
                    fmpq_submul(t, alpha, &R->row[side ? x1 : m][y]);
                    fmpq_div(t, t, &R->w[y]);
                    excess(here, R, x, x1, alpha, t);
                    excess(ends, R, 0, m, alpha, t);
                    assert_true(fmpq_cmp(here, ends) <= 0);
                    excess(here, R, m, 0, alpha, t);
                    assert_true(fmpq_equal(here, ends));
                }
    fmpq_clear(t);
    fmpq_clear(here);
    fmpq_clear(ends);
}

/*
 * bound := the sum over histograms of n reports from w of (sum of (R(0) - alpha R(m))/w)_+, over n: the blanket's bound but for the
 * users without a report from it, whose terms are 0: the number of reports is binomial.
 */
static void blanket_sum(fmpq_t bound, const noise *R, slong reports, slong y, const fmpq_t mass, const fmpq_t sum, const fmpq_t alpha)
{
    fmpq_t p, s;
    slong i;
    if (reports == 0)
    {
        if (fmpq_sgn(sum) > 0)
            fmpq_addmul(bound, mass, sum);
        return;
    }
    if (y == R->outputs)
        return;
    fmpq_init(p);
    fmpq_init(s);
    fmpq_set(p, mass);
    fmpq_set(s, sum);
    for (i = 0; i <= reports; i++)
    {
        blanket_sum(bound, R, reports - i, y + 1, p, s, alpha);
        /* one more report y: mass (w^i/i!) */
        fmpq_mul(p, p, &R->w[y]);
        fmpq_div_fmpz(p, p, (fmpz[]) { i + 1 });
        {
            fmpq_t term;
            fmpq_init(term);
            fmpq_set(term, &R->row[0][y]);
            fmpq_submul(term, alpha, &R->row[R->inputs - 1][y]);
            fmpq_div(term, term, &R->w[y]);
            fmpq_add(s, s, term);
            fmpq_clear(term);
        }
    }
    fmpq_clear(p);
    fmpq_clear(s);
}

static void blanket_bound(fmpq_t bound, const noise *R, slong n, const fmpq_t alpha)
{
    fmpq_t rest, mass, part, zero;
    fmpz_t c;
    slong k, y;
    fmpq_init(rest); fmpq_init(mass); fmpq_init(part); fmpq_init(zero);
    fmpz_init(c);
    fmpq_one(rest);
    for (y = 0; y < R->outputs; y++)
        fmpq_sub(rest, rest, &R->w[y]);
    fmpq_zero(bound);
    for (k = 1; k <= n; k++)
    {
        /* n!/(n-k)! (1-gamma)^(n-k), and 1/i! from the histograms */
        fmpq_pow_si(mass, rest, n - k);
        fmpz_one(c);
        for (y = n - k + 1; y <= n; y++)
            fmpz_mul_ui(c, c, (ulong) y);
        fmpq_mul_fmpz(mass, mass, c);
        fmpq_zero(part);
        blanket_sum(part, R, k, 0, mass, zero, alpha);
        fmpq_add(bound, bound, part);
    }
    fmpz_set_si(c, n);
    fmpq_div_fmpz(bound, bound, c);
    fmpq_clear(rest); fmpq_clear(mass); fmpq_clear(part); fmpq_clear(zero);
    fmpz_clear(c);
}

/* The largest divergence of shuffled data: histograms in base n + 1. */
static void law_of(fmpq *law, const noise *R, const slong *data, slong n, slong size)
{
    fmpq *next = _fmpq_vec_init(size);
    slong user, i, y;
    for (i = 0; i < size; i++)
        fmpq_zero(law + i);
    fmpq_one(law);
    for (user = 0; user < n; user++)
    {
        for (i = 0; i < size; i++)
            fmpq_zero(next + i);
        for (i = 0; i < size; i++)
        {
            slong place = 1;
            for (y = 0; y < R->outputs && !fmpq_is_zero(law + i); y++)
            {
                slong step = y == 0 ? 0 : place;
                if (y > 0)
                    place *= n + 1;
                fmpq_addmul(next + i + step, law + i, &R->row[data[user]][y]);
            }
        }
        for (i = 0; i < size; i++)
            fmpq_swap(law + i, next + i);
    }
    _fmpq_vec_clear(next, size);
}

static void all_data(fmpq_t largest, const noise *R, slong n, const fmpq_t alpha)
{
    slong data[MAX_USERS] = { 0 }, size = 1, i, x, x1, y;
    fmpq *laws[MAX_INPUTS];
    fmpq_t sum, u;
    for (y = 1; y < R->outputs; y++)
        size *= n + 1;
    for (x = 0; x < R->inputs; x++)
        laws[x] = _fmpq_vec_init(size);
    fmpq_init(sum);
    fmpq_init(u);
    fmpq_zero(largest);
    for (;;)
    {
        for (x = 0; x < R->inputs; x++)
        {
            data[0] = x;
            law_of(laws[x], R, data, n, size);
        }
        for (x = 0; x < R->inputs; x++)
            for (x1 = 0; x1 < R->inputs; x1++)
            {
                fmpq_zero(sum);
                for (i = 0; i < size; i++)
                {
                    fmpq_set(u, laws[x] + i);
                    fmpq_submul(u, alpha, laws[x1] + i);
                    if (fmpq_sgn(u) > 0)
                        fmpq_add(sum, sum, u);
                }
                if (fmpq_cmp(sum, largest) > 0)
                    fmpq_set(largest, sum);
            }
        /* the others in non-decreasing order */
        for (i = n - 1; i > 0 && data[i] == R->inputs - 1; i--)
            ;
        if (i <= 0)
            break;
        data[i]++;
        for (; i < n - 1; i++)
            data[i + 1] = data[i];
    }
    for (x = 0; x < R->inputs; x++)
        _fmpq_vec_clear(laws[x], size);
    fmpq_clear(sum);
    fmpq_clear(u);
}

static void random_alpha(fmpq_t alpha)
{
    fmpq_set_ui(alpha, 20 + random_below(random_below(2) == 0 ? 10 : 80), 20);
}

static void pairs_of_inputs(void **unused)
{
    int i;
    (void) unused;
    for (i = 0; i < 400; i++)
    {
        noise R;
        fmpq_t alpha;
        slong m = 1 + (slong) random_below(4);
        fmpq_init(alpha);
        random_alpha(alpha);
        random_noise(&R, m, (slong) random_below(4));
        check_ends(&R, alpha);
        noise_clear(&R);
        fmpq_clear(alpha);
    }
}

static void neighbouring_data(void **unused)
{
    int i;
    (void) unused;
    for (i = 0; i < 60; i++)
    {
        noise R;
        fmpq_t alpha, truth, bound;
        slong m = 1 + (slong) random_below(3), J = m == 1 ? (slong) random_below(2) : 0, n = 1 + (slong) random_below(m == 3 || J > 0 ? 3 : 4);
        fmpq_init(alpha); fmpq_init(truth); fmpq_init(bound);
        random_alpha(alpha);
        random_noise(&R, m, J);
        all_data(truth, &R, n, alpha);
        blanket_bound(bound, &R, n, alpha);
        assert_true(fmpq_cmp(truth, bound) <= 0);
        assert_true(n > 1 || fmpq_equal(truth, bound));
        noise_clear(&R);
        fmpq_clear(alpha); fmpq_clear(truth); fmpq_clear(bound);
    }
}

/* ---- Laplace and Gaussian noise ---- */

/* p := Pr[a + noise < b], to 2^-200. */
static void below(fmpq_t p, const shuf_randomiser_t r, double a, double b)
{
    arb_t t, s;
    arb_init(t);
    arb_init(s);
    arb_set_fmpq(s, r->scale->q, 256);
    arb_set_d(t, b - a);
    arb_div(t, t, s, 256);
    if (r->kind == SHUF_RANDOMISER_GAUSSIAN)
    {
        arb_sqrt_ui(s, 2, 256);
        arb_div(t, t, s, 256);
        arb_neg(t, t);
        arb_hypgeom_erfc(t, t, 256);
        arb_mul_2exp_si(t, t, -1);
    }
    else
    {
        int right = arb_is_positive(t);
        if (right)
            arb_neg(t, t);
        arb_exp(t, t, 256);
        arb_mul_2exp_si(t, t, -1);
        if (right)
            arb_sub_ui(t, t, 1, 256), arb_neg(t, t);
    }
    arf_get_fmpq(p, arb_midref(t));
    arb_clear(t);
    arb_clear(s);
}

/* Inputs 0, 1/m, .., 1; reports in four bins. */
static void bin_noise(noise *R, const shuf_randomiser_t r, slong m, const double *cuts)
{
    fmpq_t before, p;
    slong x, y;
    fmpq_init(before);
    fmpq_init(p);
    noise_init(R, m + 1, 4);
    for (x = 0; x <= m; x++)
    {
        fmpq_zero(before);
        for (y = 0; y < 4; y++)
        {
            fmpq_one(p);
            if (y < 3)
                below(p, r, (double) x / (double) m, cuts[y]);
            fmpq_sub(&R->row[x][y], p, before);
            fmpq_set(before, p);
        }
    }
    fmpq_clear(before);
    fmpq_clear(p);
}

/* Bins lose something, but what they keep is at most the bound for the interval; and that is the one for the ends. */
static void printed_bounds(void **unused)
{
    static const char *const texts[] = {
        "{\"type\":\"laplace\",\"scale\":\"1/2\",\"inputs\":\"interval\"}", "{\"type\":\"laplace\",\"scale\":\"2\",\"inputs\":\"interval\"}",
        "{\"type\":\"gaussian\",\"scale\":\"1/4\",\"inputs\":\"interval\"}", "{\"type\":\"gaussian\",\"scale\":\"1\",\"inputs\":\"interval\"}"
    };
    static const double cuts[] = { 0, 0.5, 1 };
    static const shuf_options options = { 3, 5e8 };
    shuf_randomiser_t r;
    shuf_enclosure_t bound, ends;
    shuf_real_t eps;
    fmpq_t alpha, truth, hi;
    slong i, n;
    (void) unused;
    shuf_randomiser_init(r);
    shuf_enclosure_init(bound); shuf_enclosure_init(ends);
    shuf_real_init(eps);
    fmpq_init(alpha); fmpq_init(truth); fmpq_init(hi);
    for (i = 0; i < 4; i++)
        for (n = 1; n < MAX_USERS; n++)
        {
            noise R;
            char error[200];
            assert_int_equal(shuf_randomiser_parse(r, texts[i], strlen(texts[i]), error, sizeof(error)), 0);
            random_alpha(alpha);
            shuf_real_set_log_fmpq(eps, alpha);
            bin_noise(&R, r, 2, cuts);
            all_data(truth, &R, n, alpha);
            shuf_shuffled_delta(bound, NULL, r, (uint64_t) n, SHUF_SHUFFLED_BLANKET, eps, &options);
            assert_string_equal(shuf_shuffled_premise(SHUF_SHUFFLED_BLANKET, r), "noise-interval");
            /* the inputs of the bins were rounded */
            arf_get_fmpq(hi, bound->hi);
            fmpq_sub(truth, truth, hi);
            fmpq_set_ui(hi, 1, 1);
            fmpq_div_2exp(hi, hi, 180);
            assert_true(fmpq_cmp(truth, hi) <= 0);
            r->inputs = 2;
            shuf_shuffled_delta(ends, NULL, r, (uint64_t) n, SHUF_SHUFFLED_BLANKET, eps, &options);
            assert_null(shuf_shuffled_premise(SHUF_SHUFFLED_BLANKET, r));
            assert_true(arf_equal(bound->lo, ends->lo) && arf_equal(bound->hi, ends->hi));
            noise_clear(&R);
        }
    shuf_randomiser_clear(r);
    shuf_enclosure_clear(bound); shuf_enclosure_clear(ends);
    shuf_real_clear(eps);
    fmpq_clear(alpha); fmpq_clear(truth); fmpq_clear(hi);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_inputs), cmocka_unit_test(neighbouring_data), cmocka_unit_test(printed_bounds),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
