/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The loss of pairs of many users: its transform and how it falls, against all outcomes; and compositions, against those of profiles. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <complex.h>
#include <math.h>

#include "random.h"
#include "law/pair_loss.h"
#include "law/sampled_law.h"
#include "pld/pld.h"

#define PREC 256

/* Numbers of a pair, for sums over its outcomes. */
typedef struct
{
    shuf_pair_t pair;
    slong n;
    double w[3], r[3], deviation; /* that of the loss, about */
} drawn;

/* Weights in 60ths; with two outcomes or three. */
static void draw(drawn *x, slong n, int outcomes)
{
    fmpq_t q[4];
    slong part[4];
    int i;
    for (i = 0; i < 4; i++)
        fmpq_init(q[i]);
    do
    {
        part[2] = (outcomes == 2 ? 12 : 15) + (slong) random_below(outcomes == 2 ? 36 : 8);
        part[3] = outcomes == 2 ? 60 - part[2] : 15 + (slong) random_below(8);
        part[0] = (slong) random_below(outcomes == 2 ? 61 : 30);
        part[1] = outcomes == 2 ? 60 - part[0] : (slong) random_below(30);
    }
    while (part[0] == part[1]);
    for (i = 0; i < 4; i++)
        fmpq_set_si(q[i], part[i], 60);
    shuf_pair_init(x->pair);
    assert_int_equal(shuf_pair_set_trinomial(x->pair, (uint64_t) n, q[0], q[1], q[2], q[3]), 0);
    /* the pair may have exchanged a and b */
    if (part[0] < part[1])
    {
        slong t = part[0];
        part[0] = part[1];
        part[1] = t;
        t = part[2];
        part[2] = part[3];
        part[3] = t;
    }
    x->n = n;
    x->deviation = 0;
    for (i = 0; i < 3; i++)
    {
        x->w[i] = i < 2 ? (double) part[i] / 60 : (60 - (double) (part[0] + part[1])) / 60;
        x->r[i] = i < 2 ? (double) part[2 + i] / 60 : (60 - (double) (part[2] + part[3])) / 60;
    }
    for (i = 0; i < 2; i++)
        x->deviation += (x->w[0] - x->w[1]) * (x->w[0] - x->w[1]) / x->r[i] / (double) n;
    x->deviation = sqrt(x->deviation);
    for (i = 0; i < 4; i++)
        fmpq_clear(q[i]);
}

/* The weights of both laws over that of users who are all like the others. */
static void ratios(double u[3], double v[3], const drawn *x, shuf_direction direction)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        const double p = i < 2 ? x->w[i] : x->w[2], q = i < 2 ? x->w[1 - i] : x->w[2];
        u[i] = x->r[i] > 0 ? (direction == SHUF_DIRECTION_PQ ? p : q) / x->r[i] : 0;
        v[i] = x->r[i] > 0 ? (direction == SHUF_DIRECTION_PQ ? q : p) / x->r[i] : 0;
    }
}

/* E e^{sL} over all outcomes of three, in doubles. */
static double complex transform_of_all(const drawn *x, shuf_direction direction, double complex s)
{
    const double n = (double) x->n;
    double u[3], v[3], *log_factorial = flint_malloc((size_t) (x->n + 1) * sizeof(double));
    double complex sum = 0;
    slong a, b;
    ratios(u, v, x, direction);
    for (a = 0; a <= x->n; a++)
        log_factorial[a] = lgamma((double) a + 1);
    for (a = 0; a <= x->n; a++)
        for (b = 0; b <= x->n - a; b++)
        {
            const double c = (double) (x->n - a - b), log_mass = log_factorial[x->n] - log_factorial[a] - log_factorial[b] - log_factorial[x->n - a - b]
                + (double) a * log(x->r[0]) + (double) b * log(x->r[1]) + c * log(x->r[2]);
            const double U = u[0] * (double) a + u[1] * (double) b + u[2] * c, V = v[0] * (double) a + v[1] * (double) b + v[2] * c;
            if (log_mass > -60 && U > 0 && V > 0)
                sum += exp(log_mass) * U / n * cexp(s * log(U / V));
        }
    flint_free(log_factorial);
    return sum;
}

/* The same of two outcomes, in balls, far enough out. */
static void transform_of_two(acb_t sum, const drawn *x, shuf_direction direction, const acb_t s)
{
    const double sigma = sqrt((double) x->n * x->r[0] * x->r[1]);
    const slong first = FLINT_MAX(0, (slong) ((double) x->n * x->r[0] - 25 * sigma)), last = FLINT_MIN(x->n, (slong) ((double) x->n * x->r[0] + 25 * sigma));
    arb_t r[2], w[2], binomial, odds, mass, U, V, t;
    acb_t z;
    slong a;
    int i;
    for (i = 0; i < 2; i++)
    {
        arb_init(r[i]);
        arb_init(w[i]);
        arb_set_d(r[i], rint(60 * x->r[i]));
        arb_div_ui(r[i], r[i], 60, PREC);
        arb_set_d(w[i], rint(60 * x->w[direction == SHUF_DIRECTION_PQ ? i : 1 - i]));
        arb_div_ui(w[i], w[i], 60, PREC);
    }
    arb_init(binomial); arb_init(odds); arb_init(mass); arb_init(U); arb_init(V); arb_init(t); acb_init(z);
    acb_zero(sum);
    arb_div(odds, r[0], r[1], PREC);
    for (a = first; a <= last; a++)
    {
        if (a == first)
        {
            arb_bin_uiui(binomial, (ulong) x->n, (ulong) a, PREC);
            arb_pow_ui(t, r[0], (ulong) a, PREC);
            arb_mul(binomial, binomial, t, PREC);
            arb_pow_ui(t, r[1], (ulong) (x->n - a), PREC);
            arb_mul(binomial, binomial, t, PREC);
        }
        else
        {
            arb_mul_si(binomial, binomial, x->n - a + 1, PREC);
            arb_div_si(binomial, binomial, a, PREC);
            arb_mul(binomial, binomial, odds, PREC);
        }
        /* U = w0 a/r0 + w1 b/r1 and V, w exchanged, both over n */
        arb_mul_si(U, w[0], a, PREC);
        arb_div(U, U, r[0], PREC);
        arb_mul_si(t, w[1], x->n - a, PREC);
        arb_div(t, t, r[1], PREC);
        arb_add(U, U, t, PREC);
        arb_mul_si(V, w[1], a, PREC);
        arb_div(V, V, r[0], PREC);
        arb_mul_si(t, w[0], x->n - a, PREC);
        arb_div(t, t, r[1], PREC);
        arb_add(V, V, t, PREC);
        if (!arb_is_positive(U) || !arb_is_positive(V))
            continue;
        arb_mul(mass, binomial, U, PREC);
        arb_div_si(mass, mass, x->n, PREC);
        arb_div(t, U, V, PREC);
        arb_log(t, t, PREC);
        acb_mul_arb(z, s, t, PREC);
        acb_exp(z, z, PREC);
        acb_mul_arb(z, z, mass, PREC);
        acb_add(sum, sum, z, PREC);
    }
    for (i = 0; i < 2; i++)
    {
        arb_clear(r[i]);
        arb_clear(w[i]);
    }
    arb_clear(binomial); arb_clear(odds); arb_clear(mass); arb_clear(U); arb_clear(V); arb_clear(t); acb_clear(z);
}

/* The sum over the nodes. */
static void transform_of_nodes(acb_t sum, const shuf_loss_t loss, const acb_t s)
{
    acb_t z;
    slong j;
    acb_init(z);
    acb_zero(sum);
    for (j = 0; j < loss->count; j++)
    {
        acb_mul_arb(z, s, loss->value + j, PREC);
        acb_exp(z, z, PREC);
        acb_mul_arb(z, z, loss->mass + j, PREC);
        acb_add(sum, sum, z, PREC);
    }
    acb_clear(z);
}

/* |x - y|, of midpoints */
static double distance(const acb_t x, const acb_t y)
{
    acb_t z;
    arb_t t;
    double d;
    acb_init(z);
    arb_init(t);
    acb_sub(z, x, y, PREC);
    acb_abs(t, z, PREC);
    d = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    acb_clear(z);
    arb_clear(t);
    return d;
}

static double modulus(const acb_t x)
{
    acb_t zero;
    double d;
    acb_init(zero);
    d = distance(x, zero);
    acb_clear(zero);
    return d;
}

static double error_at(const shuf_loss_filter *f, double theta, double t)
{
    return hypot(theta, t) * hypot(theta + 1, t) * exp(f->log_error(f, theta, t));
}

/* Two outcomes, in balls: what the nodes leave out is within the bound, at which it comes near; and the transform falls as is said. */
static void test_two_outcomes(void **state)
{
    const int cases = (int) gate_or_all(6, 60);
    double closest = 0, steepest = 0;
    int i, j, reached = 0;
    acb_t s, of_all, of_nodes;
    (void) state;
    acb_init(s); acb_init(of_all); acb_init(of_nodes);
    for (i = 0; i < cases; i++)
    {
        const shuf_direction direction = i % 2 ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        const double theta = random_unit() * 3;
        double at_theta;
        shuf_loss_t loss;
        drawn x;
        draw(&x, (slong) (8000 * exp(5 * random_unit())), 2);
        shuf_loss_init(loss);
        loss->rounds = i % 3 == 0 ? 1 : 30;
        assert_true(pair_loss_tell(loss, x.pair, NULL, direction, PREC));
        acb_set_d(s, theta / x.deviation);
        transform_of_two(of_all, &x, direction, s);
        at_theta = modulus(of_all);
        for (j = 0; j < 5; j++)
        {
            const double t = j * (loss->rounds > 1 ? 1 : 3) / x.deviation, fall = loss->filter->log_fall(loss->filter, theta / x.deviation, t);
            const double error = error_at(loss->filter, theta / x.deviation, t);
            acb_set_d_d(s, theta / x.deviation, t);
            transform_of_two(of_all, &x, direction, s);
            transform_of_nodes(of_nodes, loss, s);
            assert_true(distance(of_all, of_nodes) <= error + 1e-45 * at_theta);
            if (error < 1e-3 * at_theta && error > 1e-35 * at_theta)
            {
                closest = fmax(closest, distance(of_all, of_nodes) / error);
                reached++;
            }
            assert_true(fall <= 0 && modulus(of_all) <= exp(fall) * at_theta);
            steepest = fmin(steepest, fall);
        }
        /* far out */
        for (j = 0; j < 4; j++)
        {
            const double t = loss->filter->far * (j == 3 ? 1 : random_unit());
            acb_set_d_d(s, theta / x.deviation, t);
            transform_of_two(of_all, &x, direction, s);
            assert_true(modulus(of_all) <= exp(loss->filter->log_fall(loss->filter, theta / x.deviation, t)) * at_theta);
        }
        shuf_loss_clear(loss);
        shuf_pair_clear(x.pair);
    }
    printf("%d bounds, of which at most %.2g is needed; a fall to e^%.1f\n", reached, closest, steepest);
    assert_true(reached > cases && closest > 1e-6 && steepest < -5);
    acb_clear(s); acb_clear(of_all); acb_clear(of_nodes);
}

/* Three outcomes, in doubles. */
static void test_three_outcomes(void **state)
{
    const int cases = (int) gate_or_all(3, 20);
    acb_t s, of_nodes;
    int i, j;
    (void) state;
    acb_init(s); acb_init(of_nodes);
    for (i = 0; i < cases; i++)
    {
        const shuf_direction direction = random_below(2) ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        shuf_loss_t loss;
        drawn x;
        double theta, at_theta;
        if (!is_drawn(3))
            continue;
        draw(&x, 4500 + (slong) random_below(500), 3);
        theta = random_unit() * 2 / x.deviation;
        shuf_loss_init(loss);
        loss->rounds = 10;
        assert_true(pair_loss_tell(loss, x.pair, NULL, direction, PREC));
        at_theta = creal(transform_of_all(&x, direction, theta));
        for (j = 0; j < 4; j++)
        {
            const double t = j / x.deviation;
            const double complex all = transform_of_all(&x, direction, theta + I * t);
            double re, im;
            acb_set_d_d(s, theta, t);
            transform_of_nodes(of_nodes, loss, s);
            re = arf_get_d(arb_midref(acb_realref(of_nodes)), ARF_RND_NEAR) - creal(all);
            im = arf_get_d(arb_midref(acb_imagref(of_nodes)), ARF_RND_NEAR) - cimag(all);
            assert_true(hypot(re, im) <= error_at(loss->filter, theta, t) + 1e-10 * at_theta);
            assert_true(cabs(all) <= (exp(loss->filter->log_fall(loss->filter, theta, t)) + 1e-10) * at_theta);
        }
        shuf_loss_clear(loss);
        shuf_pair_clear(x.pair);
    }
    acb_clear(s); acb_clear(of_nodes);
}

/* Compositions: by the loss and by nodes of the profile, both overlap; by the loss they are found to seven digits if it is worth telling. */
static void test_compositions(void **state)
{
    static const shuf_pair_kind kinds[] = { SHUF_PAIR_CLONES_STRONGER, SHUF_PAIR_CLONES, SHUF_PAIR_RR2, SHUF_PAIR_KRR_SAME, SHUF_PAIR_KRR_THIRD, SHUF_PAIR_KRR_WEAK,
                                            SHUF_PAIR_CLONES_DELETION, SHUF_PAIR_CLONES_POISSON, SHUF_PAIR_CLONES_SAMPLED };
    const int count = (int) (sizeof(kinds) / sizeof(kinds[0])), cases = (int) gate_or_all(count, 10 * count);
    const shuf_options options[2] = { { 7, 3e9 }, { 7, 3e8 } };
    int i, j, told = 0, drawn_cases = 0;
    (void) state;
    for (i = 0; i < cases; i++)
    {
        const shuf_pair_kind kind = kinds[i % count];
        const uint64_t n = (uint64_t) (2e5 * exp(2 * random_unit()));
        shuf_enclosure_t r[2];
        shuf_pld_part part;
        shuf_law_t law, whole;
        shuf_sampled_t sample;
        fmpq_t rate;
        shuf_pair_t pair;
        shuf_real_t eps0, delta;
        char text[32];
        if (!is_drawn(3))
            continue;
        drawn_cases++;
        fmpq_init(rate);
        fmpq_set_si(rate, 1 + (slong) random_below(9), 10);
        shuf_sampled_init(sample);
        shuf_pair_init(pair);
        shuf_real_init(eps0);
        shuf_real_init(delta);
        snprintf(text, sizeof(text), "%.2f", 0.3 + 2 * random_unit());
        assert_int_equal(shuf_real_set_str(eps0, text), 0);
        snprintf(text, sizeof(text), "1e-%d", 2 + (int) random_below(10));
        assert_int_equal(shuf_real_set_str(delta, text), 0);
        if (kind == SHUF_PAIR_KRR_WEAK)
        {
            assert_int_equal(shuf_pair_set_krr_blanket_eps0(pair, kind, n, 3 + random_below(5), eps0), 0);
        }
        else if (shuf_pair_is_sampled(kind))
        {
            assert_int_equal(shuf_pair_set_sampled(pair, kind, n, 2, eps0, rate), 0);
        }
        else if (kind == SHUF_PAIR_KRR_SAME || kind == SHUF_PAIR_KRR_THIRD)
            assert_int_equal(shuf_pair_set_krr(pair, kind, n, 3 + random_below(5), eps0), 0);
        else
            assert_int_equal(shuf_pair_set_eps0(pair, kind, n, eps0), 0);
        shuf_law_set_pair(whole, pair);
        /* now and then, a sample in which a record is replaced */
        assert_int_equal(shuf_sampled_set(sample, SHUF_SAMPLED_REPLACED, whole, rate), 0);
        if (random_below(3) == 0 && kind != SHUF_PAIR_KRR_WEAK && kind != SHUF_PAIR_CLONES_DELETION && !shuf_pair_is_sampled(kind))
            shuf_law_set_sampled(law, sample);
        else
            *law = *whole;
        part.law = law;
        part.rounds = (uint64_t) exp(3 + 6 * random_unit());
        for (j = 0; j < 2; j++)
        {
            const double from = law->loss != NULL ? law->loss_rounds : HUGE_VAL;
            shuf_enclosure_init(r[j]);
            told += j == 0 && (double) part.rounds >= from;
            law->loss_rounds = j == 0 ? 1 : HUGE_VAL;
            shuf_pld_epsilon(r[j], &part, 1, delta, SHUF_DIRECTION_BOTH, &options[j]);
            law->loss_rounds = from;
            assert_true(j == 1 || (double) part.rounds < from || shuf_enclosure_accurate(r[j], 6));
        }
        assert_true(arf_cmp(r[0]->lo, r[1]->hi) <= 0 && arf_cmp(r[1]->lo, r[0]->hi) <= 0);
        for (j = 0; j < 2; j++)
            shuf_enclosure_clear(r[j]);
        shuf_law_clear(law);
        shuf_sampled_clear(sample);
        fmpq_clear(rate);
        shuf_pair_clear(pair);
        shuf_real_clear(eps0);
        shuf_real_clear(delta);
    }
    printf("%d of %d compositions by their losses\n", told, drawn_cases);
}

/* Few rounds of a pair with three counts have more outcomes than are told at first. Twice the rounds of twice the users tell about the same. */
static void test_few_rounds(void **state)
{
    const shuf_options options = { 4, 0.0 };
    double found[2] = { 0, 0 };
    fmpq_t gamma;
    int i;
    (void) state;
    skip_unless_drawn(4);
    fmpq_init(gamma);
    fmpq_set_si(gamma, 1, 3);
    for (i = 0; i < 2; i++)
    {
        shuf_enclosure_t r;
        shuf_pld_part part;
        shuf_law_t law;
        shuf_pair_t pair;
        shuf_real_t delta;
        shuf_pair_init(pair);
        shuf_real_init(delta);
        shuf_enclosure_init(r);
        assert_int_equal(shuf_real_set_str(delta, "1e-8"), 0);
        assert_int_equal(shuf_pair_set_krr_blanket(pair, SHUF_PAIR_KRR_WEAK, i == 0 ? 100000000 : 200000000, 16, gamma), 0);
        shuf_law_set_pair(law, pair);
        part.law = law;
        part.rounds = i == 0 ? 10 : 20;
        shuf_pld_epsilon(r, &part, 1, delta, SHUF_DIRECTION_BOTH, &options);
        assert_true(shuf_enclosure_accurate(r, 4) && arf_sgn(r->lo) > 0);
        found[i] = arf_get_d(r->hi, ARF_RND_NEAR);
        shuf_enclosure_clear(r);
        shuf_law_clear(law);
        shuf_pair_clear(pair);
        shuf_real_clear(delta);
    }
    assert_true(fabs(found[0] / found[1] - 1) < 1e-3);
    fmpq_clear(gamma);
}

/* Where the loss tells next to nothing, far out, nodes of the profile do. */
static void test_far_out(void **state)
{
    const shuf_options options = { 2, 0.0 };
    shuf_enclosure_t r;
    shuf_pld_part part;
    shuf_law_t law;
    shuf_pair_t pair;
    shuf_real_t eps0, eps;
    (void) state;
    skip_unless_drawn(5);
    shuf_pair_init(pair);
    shuf_real_init(eps0);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    assert_int_equal(shuf_real_set_str(eps0, "0.28"), 0);
    assert_int_equal(shuf_real_set_str(eps, "0.3"), 0);
    assert_int_equal(shuf_pair_set_eps0(pair, SHUF_PAIR_CLONES_STRONGER, 200000, eps0), 0);
    shuf_law_set_pair(law, pair);
    part.law = law;
    part.rounds = 600;
    assert_true(law->loss_rounds > 0 && law->loss_rounds < 600);
    shuf_pld_delta(r, &part, 1, eps, SHUF_DIRECTION_BOTH, &options);
    assert_true(shuf_enclosure_accurate(r, 2) && arf_sgn(r->lo) > 0 && arf_cmp_d(r->hi, 1e-70) < 0);
    shuf_enclosure_clear(r);
    shuf_law_clear(law);
    shuf_pair_clear(pair);
    shuf_real_clear(eps0);
    shuf_real_clear(eps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_outcomes),
        cmocka_unit_test(test_three_outcomes),
        cmocka_unit_test(test_compositions),
        cmocka_unit_test(test_few_rounds),
        cmocka_unit_test(test_far_out),
    };
    return cmocka_run_group_tests(tests, seed_group, NULL);
}
