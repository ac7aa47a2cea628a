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

/* Left and right of the cell [v, v + step), the atom at 0 of the thinning included. */
static void model_cell(double *left, double *right, const model_struct *m, double v, double step)
{
    double a = crossing(m, v + step), b = crossing(m, v), mass, mean;
    integrate(&mass, &mean, m, fmin(a, b), fmax(a, b), v);
    *right = mean / step;
    *left = mass - mean / step;
    if (m->ratio == 0 && m->reference == SHUF_BLANKET && v <= 0 && v + step > 0)
    {
        integrate(&mass, &mean, m, -reach(m), reach(m), 0);
        *left += (1 - mass) * (v + step) / step;
        *right += (1 - mass) * -v / step;
    }
}

static void model_tail(double *mass, double *excess, const model_struct *m, double v, int above)
{
    double y = crossing(m, v), all, mean;
    if ((above != 0) == falls(m))
        integrate(mass, excess, m, -reach(m), y, v);
    else
        integrate(mass, excess, m, y, reach(m), v);
    if (m->ratio == 0 && m->reference == SHUF_BLANKET && (above ? v <= 0 : v > 0))
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
        line_law_init(&c->law, c->randomiser, c->model.x, c->model.x1, c->model.reference, c->eps, PREC);
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

#define CELLS 4

static void test_cells(void **state)
{
    int round;
    (void) state;
    for (round = 0; round < 400; round++)
    {
        case_struct c;
        arb_ptr left = _arb_vec_init(CELLS), right = _arb_vec_init(CELLS);
        slong log2_step, first, i;
        double step, v, a, b;
        case_init(&c, 1);
        /* a step of the size of the value, or down to 2^-10 of it */
        v = random_value(&c);
        log2_step = (slong) floor(log2(fabs(v) + 1e-3)) - (slong) random_below(11);
        step = ldexp(1, (int) log2_step);
        first = (slong) floor(v / step) - (slong) random_below(CELLS);
        c.law.cells(left, right, &c.law, first, CELLS, log2_step, PREC);
        for (i = 0; i < CELLS; i++)
        {
            char what[260];
            model_cell(&a, &b, &c.model, (double) (first + i) * step, step);
            snprintf(what, sizeof(what), "%s, cell %ld 2^%ld", c.what, (long) (first + i), (long) log2_step);
            /* the doubles know l to 1e-15 or so: what cancels is lost */
            assert_near(left + i, a, 1e-6 * (fabs(v) + c.model.alpha) / step * (a + b) + 1e-3, what);
            assert_near(right + i, b, 1e-6 * (fabs(v) + c.model.alpha) / step * (a + b) + 1e-3, what);
        }
        _arb_vec_clear(left, CELLS);
        _arb_vec_clear(right, CELLS);
        case_clear(&c);
    }
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
        int above = (int) random_below(2);
        arb_init(mass);
        arb_init(excess);
        arf_init(x);
        case_init(&c, 1);
        v = random_value(&c) * (0.5 + random_unit());
        arf_set_d(x, v);
        c.law.tail(mass, excess, &c.law, x, above, PREC);
        model_tail(&a, &b, &c.model, v, above);
        assert_near(mass, a, 1e-6, c.what);
        assert_near(excess, b, 1e-6 * (1 + fabs(v)), c.what);
        arb_clear(mass);
        arb_clear(excess);
        arf_clear(x);
        case_clear(&c);
    }
}

/* The cells and the tails beyond them add up to a probability and to the mean. */
static void test_moments(void **state)
{
    int round;
    (void) state;
    for (round = 0; round < 60; round++)
    {
        const slong count = 300;
        case_struct c;
        arb_ptr left = _arb_vec_init(count), right = _arb_vec_init(count);
        slong log2_step = -2 - (slong) random_below(8), first = -(slong) random_below(300), i;
        arb_t mass, mean, t, excess, expected;
        arf_t end, low, high;
        case_init(&c, 0);
        arb_init(mass); arb_init(mean); arb_init(t); arb_init(excess); arb_init(expected);
        arf_init(end); arf_init(low); arf_init(high);
        c.law.cells(left, right, &c.law, first, count, log2_step, PREC);
        for (i = 0; i < count; i++)
        {
            arb_add(mass, mass, left + i, PREC);
            arb_add(mass, mass, right + i, PREC);
            arb_addmul_si(mean, left + i, first + i, PREC);
            arb_addmul_si(mean, right + i, first + i + 1, PREC);
        }
        arb_mul_2exp_si(mean, mean, log2_step);
        for (i = 0; i < 2; i++)
        {
            arf_set_si_2exp_si(end, first + (i == 0 ? 0 : count), log2_step);
            c.law.tail(t, excess, &c.law, end, (int) i, PREC);
            arb_add(mass, mass, t, PREC);
            arb_addmul_arf(mean, t, end, PREC);
            if (i == 0)
                arb_neg(excess, excess);
            arb_add(mean, mean, excess, PREC);
        }
        shuf_real_exp(expected, c.eps, PREC);
        arb_sub_ui(expected, expected, 1, PREC);
        arb_neg(expected, expected);
        if (c.model.ratio != 0)
            arb_set_si(expected, c.model.ratio);
        if (!arb_contains_si(mass, 1) || arb_rel_accuracy_bits(mass) < 60)
            fail_msg("%s: mass %.17g", c.what, middle(mass));
        /* the atoms are where they are to within the shift */
        arb_add_error_mag(mean, c.law.shift);
        if (!arb_overlaps(mean, expected) || mag_cmp_2exp_si(arb_radref(mean), -40) > 0)
            fail_msg("%s: mean %.17g, %.17g", c.what, middle(mean), middle(expected));
        /* the support, and nothing outside it */
        c.law.support(low, high, &c.law);
        assert_true(arf_cmp(low, high) <= 0);
        for (i = 0; i < 20; i++)
        {
            double v = random_value(&c);
            assert_true(arf_cmp_d(low, v + 1e-9 * fabs(v)) <= 0 && arf_cmp_d(high, v - 1e-9 * fabs(v)) >= 0);
        }
        if (arf_is_finite(high))
        {
            arf_add_ui(high, high, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
            c.law.tail(t, excess, &c.law, high, 1, PREC);
            assert_true(arb_is_zero(t) && arb_is_zero(excess));
            c.law.cells(left, right, &c.law, 1 + (slong) ceil(arf_get_d(high, ARF_RND_UP)), 2, 0, PREC);
            assert_true(arb_is_zero(left) && arb_is_zero(right) && arb_is_zero(left + 1) && arb_is_zero(right + 1));
        }
        if (arf_is_finite(low))
        {
            arf_sub_ui(low, low, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
            c.law.tail(t, excess, &c.law, low, 0, PREC);
            assert_true(arb_is_zero(t) && arb_is_zero(excess));
        }
        _arb_vec_clear(left, count);
        _arb_vec_clear(right, count);
        arb_clear(mass); arb_clear(mean); arb_clear(t); arb_clear(excess); arb_clear(expected);
        arf_clear(end); arf_clear(low); arf_clear(high);
        case_clear(&c);
    }
}

/* Cells far out in the tails keep their relative accuracy, and join. */
static void test_far_cells(void **state)
{
    static const char *const scales[] = { "1/3", "10", "1000", "100000" };
    static const slong steps[] = { -8, -8, -8, 0 };
    size_t i;
    (void) state;
    for (i = 0; i < 4; i++)
    {
        shuf_real_t scale;
        shuf_summand law;
        arb_ptr left = _arb_vec_init(8), right = _arb_vec_init(8);
        arb_t sum, mass, excess, t;
        arf_t x;
        slong first, j;
        int above;
        shuf_real_init(scale);
        arb_init(sum); arb_init(mass); arb_init(excess); arb_init(t);
        arf_init(x);
        assert_int_equal(shuf_real_set_str(scale, scales[i]), 0);
        line_ratio_law_init(&law, scale, 1, NULL);
        for (first = 0; first < 4096; first = first == 0 ? 8 : 8 * first)
        {
            law.cells(left, right, &law, first, 8, steps[i], PREC);
            arb_zero(sum);
            for (j = 0; j < 8; j++)
            {
                assert_true(arb_is_positive(left + j) && arb_rel_accuracy_bits(left + j) >= 60);
                assert_true(arb_is_positive(right + j) && arb_rel_accuracy_bits(right + j) >= 60);
                arb_add(sum, sum, left + j, PREC);
                arb_add(sum, sum, right + j, PREC);
            }
            /* the mass, as a difference of tails */
            arf_set_si_2exp_si(x, first, steps[i]);
            above = arf_cmp_si(x, 1) >= 0;
            law.tail(mass, excess, &law, x, above, 64 * PREC);
            arf_set_si_2exp_si(x, first + 8, steps[i]);
            law.tail(t, excess, &law, x, above, 64 * PREC);
            arb_sub(mass, mass, t, 64 * PREC);
            arb_abs(mass, mass);
            assert_true(arb_overlaps(mass, sum));
            if (i > 0 && i < 3 && first == 8)
                assert_true(arb_rel_accuracy_bits(mass) >= 60); /* the difference is worth something */
        }
        line_law_clear(&law);
        shuf_real_clear(scale);
        _arb_vec_clear(left, 8);
        _arb_vec_clear(right, 8);
        arb_clear(sum); arb_clear(mass); arb_clear(excess); arb_clear(t);
        arf_clear(x);
    }
}

/*
 * A preimage next to the lower end e^-200 of L whose ball reaches below 0 at the first precision: v = -1, eps = 1e-60.
 * With c = e^-100/2, Pr[l in the cell] = c (1e30 - 32) and E(l + 1)_+ = 1 - c 1e-30 (1 + 1).
 */
static void test_imprecise(void **state)
{
    shuf_randomiser_t randomiser;
    shuf_real_t eps;
    shuf_summand law;
    arb_t left, right, mass, excess;
    arf_t x;
    (void) state;
    shuf_randomiser_init(randomiser);
    shuf_real_init(eps);
    arb_init(left); arb_init(right); arb_init(mass); arb_init(excess);
    arf_init(x);
    randomiser->kind = SHUF_RANDOMISER_LAPLACE;
    assert_int_equal(shuf_real_set_str(randomiser->scale, "0.005"), 0);
    assert_int_equal(shuf_real_set_str(eps, "1e-60"), 0);
    line_law_init(&law, randomiser, 0, 1, 1, eps, 1000);
    law.cells(left, right, &law, -1024, 1, -10, PREC);
    arb_add(left, left, right, PREC);
    assert_near(left, exp(-100) / 2 * 1e30, 1e-12, "cell");
    arf_set_si(x, -1);
    law.tail(mass, excess, &law, x, 1, PREC);
    assert_near(excess, 1, 1e-12, "tail");
    line_law_clear(&law);
    shuf_randomiser_clear(randomiser);
    shuf_real_clear(eps);
    arb_clear(left); arb_clear(right); arb_clear(mass); arb_clear(excess);
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
            model_tail(&mean, &p, &m, 0, 1);
            assert_near(profile, p, 1e-6, c.what);
        }
        for (i = 0; i < 3 && !vanishes; i++)
        {
            line_law_init(&law, c.randomiser, m.x, m.x1, i == 2 ? SHUF_BLANKET : (uint64_t) i, c.eps, PREC);
            law.tail(mass, excess, &law, zero, 1, PREC);
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
        cmocka_unit_test(test_cells),     cmocka_unit_test(test_tails),    cmocka_unit_test(test_moments),
        cmocka_unit_test(test_far_cells), cmocka_unit_test(test_one_user), cmocka_unit_test(test_imprecise),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
