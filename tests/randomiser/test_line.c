/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The laws of the randomisers on the line against integrals over the output, from the densities alone. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "randomiser/line_law.h"
#include "random.h"

#define PREC 96

/* What is integrated, in doubles: L, -L, or l of the definition. */
typedef struct
{
    int gaussian;
    double scale, alpha;
    uint64_t x, x1, reference;
    int ratio;  /* 1: L, -1: -L, 0: l */
    double cut; /* of L; 0: none */
} model_struct;

static double density(const model_struct *m, uint64_t input, double y)
{
    double d = fabs(y - (double) input);
    if (m->gaussian)
        return exp(-d * d / (2 * m->scale * m->scale)) / (m->scale * sqrt(2 * 3.14159265358979324));
    return exp(-d / m->scale) / (2 * m->scale);
}

static double weight(const model_struct *m, double y)
{
    if (m->ratio != 0)
        return density(m, m->x1, y);
    if (m->reference == SHUF_BLANKET)
        return fmin(density(m, 0, y), density(m, 1, y));
    return density(m, m->reference, y);
}

/* From the exponents, for y far out where the densities vanish. */
static double log_density(const model_struct *m, uint64_t input, double y)
{
    double d = fabs(y - (double) input);
    return m->gaussian ? -d * d / (2 * m->scale * m->scale) : -d / m->scale;
}

static double value(const model_struct *m, double y)
{
    double p = log_density(m, m->x, y), q = log_density(m, m->x1, y), w;
    if (m->ratio != 0)
        return m->ratio * exp(p - q);
    w = m->reference == SHUF_BLANKET ? fmin(log_density(m, 0, y), log_density(m, 1, y)) : log_density(m, m->reference, y);
    return exp(p - w) - m->alpha * exp(q - w);
}

/* Whether the value falls with y. */
static int falls(const model_struct *m)
{
    return (m->x == 0) == (m->ratio >= 0);
}

static double reach(const model_struct *m)
{
    return m->scale * (m->gaussian ? 14 : 60) + 2;
}

/* The y where the (monotone) value passes v; for an end of the range, the end of the line. */
static double crossing(const model_struct *m, double v)
{
    double low = -reach(m), high = reach(m);
    int i;
    for (i = 0; i < 200; i++)
    {
        double y = (low + high) / 2;
        if ((value(m, y) >= v) == falls(m))
            low = y;
        else
            high = y;
    }
    return low;
}

/* 8-point Gauss-Legendre */
static const double nodes[4] = { 0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623 };
static const double weights[4] = { 0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626 };

#define PIECES 400

/* Mass and mean of (value - v) between a and b, split where the densities are not smooth. */
static void integrate(double *mass, double *mean, const model_struct *m, double a, double b, double v)
{
    const double breaks[] = { -HUGE_VAL, 0, 0.5, 1, HUGE_VAL };
    int i, j, k, side;
    *mass = *mean = 0;
    if (m->cut > 0)
    {
        /* L <= cut, L = exp(+-(2y-1)/(2 sigma^2)) */
        double end = m->scale * m->scale * log(m->cut);
        if (m->x == 1)
            b = fmin(b, 0.5 + end);
        else
            a = fmax(a, 0.5 - end);
    }
    for (i = 0; i < 4; i++)
    {
        double from = fmax(a, breaks[i]), to = fmin(b, breaks[i + 1]), half = (to - from) / (2 * PIECES);
        for (j = 0; j < PIECES && to > from; j++)
            for (k = 0; k < 4; k++)
                for (side = -1; side <= 1; side += 2)
                {
                    double y = from + half * (2 * j + 1 + side * nodes[k]), w = weights[k] * half * weight(m, y);
                    *mass += w;
                    *mean += w * (value(m, y) - v);
                }
    }
}

/* Above v, the atom at 0 of the thinning included. */
static void model_tail(double *mass, double *excess, const model_struct *m, double v)
{
    double y = crossing(m, v), all, mean;
    if (falls(m))
        integrate(mass, excess, m, -reach(m), y, v);
    else
        integrate(mass, excess, m, y, reach(m), v);
    if (m->ratio == 0 && m->reference == SHUF_BLANKET && v <= 0)
    {
        integrate(&all, &mean, m, -reach(m), reach(m), 0);
        *mass += 1 - all;
        *excess += (1 - all) * -v;
    }
    *excess = fabs(*excess);
}

static double middle(const arb_t x)
{
    return arf_get_d(arb_midref(x), ARF_RND_NEAR);
}

static void assert_near(const arb_t x, double y, double scale, const char *what)
{
    if (!(fabs(middle(x) - y) <= 1e-9 * (fabs(y) + scale)))
        fail_msg("%s: %.15g, integral %.15g", what, middle(x), y);
    if (!arb_is_nonnegative(x) || !(arb_is_zero(x) || arb_rel_accuracy_bits(x) >= 60))
        fail_msg("%s: %.15g, %ld bits", what, middle(x), (long) arb_rel_accuracy_bits(x));
}

typedef struct
{
    shuf_summand law;
    model_struct model;
    shuf_randomiser_t randomiser;
    shuf_real_t eps;
    char what[200];
} case_struct;

/* One of the laws with random parameters. */
static void case_init(case_struct *c, int with_cut)
{
    static const char *const scales[] = { "1/4", "0.6", "1", "2", "7" };
    static const char *const points[] = { "0", "0.1", "log(3/2)", "1/2", "1", "3" };
    const char *scale = scales[random_below(5)], *eps = points[random_below(6)];
    int which = (int) random_below(5);
    /* not at the largest loss of LAPLACE, where l = 0 is the largest value */
    if ((strcmp(scale, "2") == 0 && strcmp(eps, "1/2") == 0) || (strcmp(scale, "1") == 0 && strcmp(eps, "1") == 0))
        eps = "0.1";
    shuf_randomiser_init(c->randomiser);
    shuf_real_init(c->eps);
    c->model.gaussian = (int) random_below(2);
    c->randomiser->kind = c->model.gaussian ? SHUF_RANDOMISER_GAUSSIAN : SHUF_RANDOMISER_LAPLACE;
    assert_int_equal(shuf_real_set_str(c->randomiser->scale, scale), 0);
    assert_int_equal(shuf_real_set_str(c->eps, eps), 0);
    c->model.scale = strcmp(scale, "1/4") == 0 ? 0.25 : strtod(scale, NULL);
    c->model.alpha = strcmp(eps, "log(3/2)") == 0 ? 1.5 : exp(strcmp(eps, "1/2") == 0 ? 0.5 : strtod(eps, NULL));
    c->model.x = random_below(2);
    c->model.x1 = 1 - c->model.x;
    c->model.reference = which < 2 ? (uint64_t) which : SHUF_BLANKET;
    c->model.ratio = which == 3 ? 1 : which == 4 ? -1 : 0;
    if (c->model.ratio != 0)
    {
        c->model.gaussian = 1;
        c->randomiser->kind = SHUF_RANDOMISER_GAUSSIAN;
    }
    if (c->model.ratio != 0)
    {
        arf_t cut;
        arf_init(cut);
        c->model.cut = with_cut && random_below(2) ? 0.5 + 2 * random_unit() : 0;
        arf_set_d(cut, c->model.cut);
        line_ratio_law_init(&c->law, c->randomiser->scale, c->model.ratio, c->model.cut > 0 ? cut : NULL);
        arf_clear(cut);
    }
    else
    {
        c->model.cut = 0;
        line_law_init(&c->law, c->randomiser, c->model.x, c->model.x1, c->model.reference, c->eps, 4 * PREC);
    }
    snprintf(c->what, sizeof(c->what), "%s scale %s eps %s x %d which %d", c->model.gaussian ? "Gaussian" : "Laplace", scale,
             eps, (int) c->model.x, which);
}

static void case_clear(case_struct *c)
{
    line_law_clear(&c->law);
    shuf_randomiser_clear(c->randomiser);
    shuf_real_clear(c->eps);
}

/* A value of the law: that of a random output. */
static double random_value(const case_struct *c)
{
    double y = c->model.scale * (6 * random_unit() - 3) + random_unit();
    return value(&c->model, y);
}

static void test_tails(void **state)
{
    int round;
    (void) state;
    for (round = 0; round < 400; round++)
    {
        case_struct c;
        arb_t mass, excess;
        arf_t x;
        double v, a, b;
        arb_init(mass);
        arb_init(excess);
        arf_init(x);
        case_init(&c, 1);
        v = random_value(&c) * (0.5 + random_unit());
        arf_set_d(x, v);
        c.law.tail(mass, excess, &c.law, x, PREC);
        model_tail(&a, &b, &c.model, v);
        assert_near(mass, a, 1e-6, c.what);
        assert_near(excess, b, 1e-6 * (1 + fabs(v)), c.what);
        arb_clear(mass);
        arb_clear(excess);
        arf_clear(x);
        case_clear(&c);
    }
}

/* What is above all values but few is a probability with its mean. */
static void test_moments(void **state)
{
    const slong prec = 64 * PREC;
    int round;
    (void) state;
    for (round = 0; round < 60; round++)
    {
        case_struct c;
        arb_t mass, mean, expected;
        arf_t low, high, end;
        int i;
        case_init(&c, 0);
        arb_init(mass); arb_init(mean); arb_init(expected);
        arf_init(low); arf_init(high); arf_init(end);
        c.law.support(low, high, &c.law);
        assert_true(arf_cmp(low, high) <= 0);
        if (arf_is_finite(low))
            arf_sub_ui(end, low, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
        else
            arf_set_si_2exp_si(end, -1, 200);
        c.law.tail(mass, mean, &c.law, end, prec);
        arb_addmul_arf(mean, mass, end, prec);
        shuf_real_exp(expected, c.eps, PREC);
        arb_sub_ui(expected, expected, 1, PREC);
        arb_neg(expected, expected);
        if (c.model.ratio != 0)
            arb_set_si(expected, c.model.ratio);
        /* the few below 2^200, and the atoms are where they are to within the shift */
        arb_add_error_2exp_si(mass, -70);
        arb_add_error_2exp_si(mean, -70);
        if (!arb_contains_si(mass, 1) || arb_rel_accuracy_bits(mass) < 60)
            fail_msg("%s: mass %.17g", c.what, middle(mass));
        arb_add_error_mag(mean, c.law.shift);
        if (!arb_overlaps(mean, expected) || mag_cmp_2exp_si(arb_radref(mean), -40) > 0)
            fail_msg("%s: mean %.17g, %.17g", c.what, middle(mean), middle(expected));
        /* the support, and nothing above it */
        for (i = 0; i < 20; i++)
        {
            double v = random_value(&c);
            assert_true(arf_cmp_d(low, v + 1e-9 * fabs(v)) <= 0 && arf_cmp_d(high, v - 1e-9 * fabs(v)) >= 0);
        }
        if (arf_is_finite(high))
        {
            arf_add_ui(high, high, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
            c.law.tail(mass, mean, &c.law, high, PREC);
            assert_true(arb_is_zero(mass) && arb_is_zero(mean));
        }
        arb_clear(mass); arb_clear(mean); arb_clear(expected);
        arf_clear(low); arf_clear(high); arf_clear(end);
        case_clear(&c);
    }
}

/* Tails far out keep their relative accuracy; from x to y the excess falls by no more than (y - x) Pr[L >= x], and no less than with Pr[L >= y]. */
static void test_far_tails(void **state)
{
    static const char *const scales[] = { "1/3", "10", "1000", "100000" };
    size_t i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        shuf_real_t scale;
        shuf_summand law;
        arb_t mass[2], excess[2], fall;
        arf_t x;
        int j, k;
        shuf_real_init(scale);
        for (k = 0; k < 2; k++)
        {
            arb_init(mass[k]);
            arb_init(excess[k]);
        }
        arb_init(fall);
        arf_init(x);
        assert_int_equal(shuf_real_set_str(scale, scales[i]), 0);
        line_ratio_law_init(&law, scale, 1, NULL);
        for (j = -6; j < 12; j++)
        {
            for (k = 0; k < 2; k++)
            {
                arf_set_si_2exp_si(x, 1, j + k);
                law.tail(mass[k], excess[k], &law, x, PREC);
                assert_true(arb_is_positive(mass[k]) && arb_rel_accuracy_bits(mass[k]) >= 60);
                assert_true(arb_is_positive(excess[k]) && arb_rel_accuracy_bits(excess[k]) >= 60);
            }
            arb_sub(fall, excess[0], excess[1], PREC);
            arb_mul_2exp_si(fall, fall, -j);
            assert_true(!arb_gt(fall, mass[0]) && !arb_lt(fall, mass[1]));
        }
        line_law_clear(&law);
        shuf_real_clear(scale);
        for (k = 0; k < 2; k++)
        {
            arb_clear(mass[k]);
            arb_clear(excess[k]);
        }
        arb_clear(fall);
        arf_clear(x);
    }
}

/*
 * A preimage next to the lower end e^-200 of L whose ball reaches below 0 at the first precision: v = -1, eps = 1e-60.
 * With c = e^-100/2, E(l + 1)_+ = 1 - c 1e-30 (1 + 1).
 */
static void test_imprecise(void **state)
{
    shuf_randomiser_t randomiser;
    shuf_real_t eps;
    shuf_summand law;
    arb_t mass, excess;
    arf_t x;
    (void) state;
    shuf_randomiser_init(randomiser);
    shuf_real_init(eps);
    arb_init(mass);
    arb_init(excess);
    arf_init(x);
    randomiser->kind = SHUF_RANDOMISER_LAPLACE;
    assert_int_equal(shuf_real_set_str(randomiser->scale, "0.005"), 0);
    assert_int_equal(shuf_real_set_str(eps, "1e-60"), 0);
    line_law_init(&law, randomiser, 0, 1, 1, eps, 1000);
    arf_set_si(x, -1);
    law.tail(mass, excess, &law, x, PREC);
    assert_near(excess, 1, 1e-12, "tail");
    line_law_clear(&law);
    shuf_randomiser_clear(randomiser);
    shuf_real_clear(eps);
    arb_clear(mass);
    arb_clear(excess);
    arf_clear(x);
}

/* gamma, and one user: E l_+ is the local profile, for both references; for the blanket it is above. */
static void test_one_user(void **state)
{
    int round;
    (void) state;
    for (round = 0; round < 100; round++)
    {
        case_struct c;
        model_struct m;
        shuf_summand law;
        const line_struct *line;
        arb_t profile, mass, excess;
        arf_t zero;
        double p = 0, gamma, mean;
        int vanishes, i;
        arb_init(profile); arb_init(mass); arb_init(excess);
        arf_init(zero);
        case_init(&c, 0);
        m = c.model;
            m.ratio = 0;
        m.reference = m.x1;
        shuf_randomiser_profile(profile, c.randomiser, c.eps, PREC);
        vanishes = !m.gaussian && log(m.alpha) >= 1 / m.scale - 1e-12;
        if (vanishes)
            assert_true(arb_is_zero(profile));
        else
        {
            model_tail(&mean, &p, &m, 0);
            assert_near(profile, p, 1e-6, c.what);
        }
        for (i = 0; i < 3 && !vanishes; i++)
        {
            line_law_init(&law, c.randomiser, m.x, m.x1, i == 2 ? SHUF_BLANKET : (uint64_t) i, c.eps, PREC);
            law.tail(mass, excess, &law, zero, PREC);
            arb_add_error_mag(excess, law.shift);
            if (!arb_overlaps(excess, profile))
                fail_msg("%s: reference %d, E l_+ = %.17g, profile %.17g", c.what, i, middle(excess), middle(profile));
            line_law_clear(&law);
        }
        m.reference = SHUF_BLANKET;
        integrate(&gamma, &mean, &m, -reach(&m), reach(&m), 0);
        line_law_init(&law, c.randomiser, m.x, m.x1, SHUF_BLANKET, c.eps, PREC);
        line = law.data;
        arb_sub_ui(mass, &line->mass[line->atoms - 1], 1, PREC); /* the atom at 0 comes last */
        arb_neg(mass, mass);
        assert_near(mass, gamma, 1e-6, c.what);
        line_law_clear(&law);
        case_clear(&c);
        arb_clear(profile); arb_clear(mass); arb_clear(excess);
        arf_clear(zero);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tails),    cmocka_unit_test(test_moments),   cmocka_unit_test(test_far_tails),
        cmocka_unit_test(test_one_user), cmocka_unit_test(test_imprecise),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
