/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The inverse of the transform: its atoms, its lines against each other, against sums over all numbers and against what the tails say of few terms. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "iidsum/fourier.h"
#include "randomiser/line.h"
#include "check.h"
#include "random.h"

#define PREC 200

/* A law of noise on the line: of L or -L, with or without a cut, of all-equal data or the blanket. */
typedef struct
{
    shuf_summand law;
    shuf_randomiser_t randomiser;
    shuf_real_t eps;
    char what[120];
} line_case;

static void case_init(line_case *c, int kind, double scale, double eps, double cut)
{
    arf_t at;
    shuf_randomiser_init(c->randomiser);
    shuf_real_init(c->eps);
    arf_init(at);
    arf_set_d(at, cut);
    assert_int_equal(shuf_real_set_d(c->randomiser->scale, scale), 0);
    assert_int_equal(shuf_real_set_d(c->eps, eps), 0);
    c->randomiser->kind = kind < 6 ? SHUF_RANDOMISER_GAUSSIAN : SHUF_RANDOMISER_LAPLACE;
    if (kind < 3)
        line_ratio_law_init(&c->law, c->randomiser->scale, kind == 2 ? -1 : 1, kind == 1 ? at : NULL);
    else
        line_law_init(&c->law, c->randomiser, 0, 1, kind % 3 == 2 ? SHUF_BLANKET : (uint64_t) (kind % 3), c->eps, PREC);
    snprintf(c->what, sizeof(c->what), "kind %d, scale %.17g, eps %.17g, cut %.17g", kind, scale, eps, cut);
    arf_clear(at);
}

static void case_clear(line_case *c)
{
    line_law_clear(&c->law);
    shuf_randomiser_clear(c->randomiser);
    shuf_real_clear(c->eps);
}

#define KINDS 9

/* ---- atoms ---- */

/* z := sum of mass e^{s value}, s = theta + i t */
static void transform(acb_t z, const shuf_quadrature *q, double theta, double t)
{
    acb_t s;
    slong j;
    acb_init(s);
    acb_zero(z);
    for (j = 0; j < q->count; j++)
    {
        acb_set_d_d(s, theta, t);
        acb_mul_arb(s, s, q->value + j, PREC);
        acb_exp(s, s, PREC);
        acb_addmul_arb(z, s, q->mass + j, PREC);
    }
    acb_clear(s);
}

/* Whether |x - y| <= bound, or may be so within the balls. */
static int within(const acb_t x, const acb_t y, double bound)
{
    acb_t d;
    arf_t least;
    int result;
    acb_init(d);
    arf_init(least);
    acb_sub(d, x, y, PREC);
    acb_get_abs_lbound_arf(least, d, 53);
    result = arf_cmp_d(least, bound) <= 0;
    acb_clear(d);
    arf_clear(least);
    return result;
}

#define ATOM_TRIALS 27

/* Few atoms are as far from many as their error says, and one of all atoms and tails is the law's mass and mean. */
static void test_atoms(void **state)
{
    int i, k, tight = 0;
    acb_t x, y;
    arf_t top;
    (void) state;
    acb_init(x);
    acb_init(y);
    arf_init(top);
    for (i = 0; i < ATOM_TRIALS; i++)
    {
        int kind = i % KINDS;
        double eps = 0.5 * random_unit(), cut = 2 + 20 * random_unit(), theta = log_uniform(1e-3, 1), reach = log_uniform(0.1, 30);
        line_case c;
        shuf_quadrature few, many;
        case_init(&c, kind, log_uniform(kind < 6 ? 0.7 : 1.2, 5), eps, cut);
        shuf_quadrature_init(&few);
        shuf_quadrature_init(&many);
        arf_set_d(top, 3 + 20 * random_unit());
        assert_int_equal(c.law.quadrature(&few, &c.law, theta, reach, top, log_uniform(1e-12, 1e-2), PREC), 0);
        assert_int_equal(c.law.quadrature(&many, &c.law, theta, reach, top, 1e-25, PREC), 0);
        assert_true(many.error < 1e-20);
        for (k = 0; k < 8; k++)
        {
            double t = k == 0 ? 0 : k == 1 ? reach : reach * random_unit();
            transform(x, &few, theta, t);
            transform(y, &many, theta, t);
            if (!within(x, y, few.error + many.error))
                fail_msg("%s: at %g + %g i, top %g, off by more than %g", c.what, theta, t, arf_get_d(top, ARF_RND_NEAR), few.error);
            tight += !within(x, y, 1e-3 * few.error);
        }
        shuf_quadrature_clear(&few);
        shuf_quadrature_clear(&many);
        case_clear(&c);
    }
    assert_true(tight > 0);
    acb_clear(x);
    acb_clear(y);
    arf_clear(top);
}

/* Mass and mean below the top, of the atoms and by the tails. */
static void test_moments(void **state)
{
    int i;
    arb_t mass[2], excess[2], sum, t, at;
    arf_t top, low;
    (void) state;
    for (i = 0; i < 2; i++)
    {
        arb_init(mass[i]);
        arb_init(excess[i]);
    }
    arb_init(sum); arb_init(t); arb_init(at);
    arf_init(top);
    arf_init(low);
    for (i = 0; i < 4 * KINDS; i++)
    {
        line_case c;
        shuf_quadrature q;
        slong j;
        case_init(&c, i % KINDS, log_uniform(0.8, 5), 0.5 * random_unit(), 2 + 5 * random_unit());
        shuf_quadrature_init(&q);
        arf_set_d(top, 3 + 5 * random_unit());
        assert_int_equal(c.law.quadrature(&q, &c.law, 0, 0, top, 1e-30, PREC), 0);
        /* of what is below the top: E(L - low; L < top) is that above all values but few, and less what the top leaves of the others */
        arf_set_si_2exp_si(low, -1, 60);
        c.law.tail(mass[0], excess[0], &c.law, low, PREC);
        c.law.tail(mass[1], excess[1], &c.law, top, PREC);
        arb_zero(sum);
        arb_zero(t);
        for (j = 0; j < q.count; j++)
        {
            arb_add(sum, sum, q.mass + j, PREC);
            arb_sub_arf(at, q.value + j, low, PREC);
            arb_addmul(t, at, q.mass + j, PREC);
        }
        arb_set_arf(at, top);
        arb_sub_arf(at, at, low, PREC);
        arb_addmul(t, at, mass[1], PREC);
        arb_add(t, t, excess[1], PREC);
        arb_sub(t, t, excess[0], PREC);
        arb_add(sum, sum, mass[1], PREC);
        arb_sub(sum, sum, mass[0], PREC);
        arb_addmul_arf(t, sum, low, PREC); /* so that the mean is left */
        mag_set_d(arb_radref(at), 1e-25);
        arf_zero(arb_midref(at));
        if (!arb_overlaps(sum, at) || !arb_overlaps(t, at))
            fail_msg("%s: mass or mean of the atoms", c.what);
        shuf_quadrature_clear(&q);
        case_clear(&c);
    }
    for (i = 0; i < 2; i++)
    {
        arb_clear(mass[i]);
        arb_clear(excess[i]);
    }
    arb_clear(sum); arb_clear(t); arb_clear(at);
    arf_clear(top);
    arf_clear(low);
}

/* ---- steps ---- */

/* Whether two intervals meet, to some ten digits. */
static int are_neighbours(const shuf_steps *s, slong i, slong j)
{
    double gap = fmax(s->low[i] - s->low[j] - s->width[j], s->low[j] - s->low[i] - s->width[i]);
    return fabs(gap) <= 1e-10 * (1 + fabs(s->low[i]));
}

/* Steps of one group that begin at their `low`: each weighs at most what the law has there. Steps of two groups are apart. */
static void test_steps(void **state)
{
    int i;
    arb_t mass, beyond, excess;
    arf_t at, top;
    (void) state;
    arb_init(mass); arb_init(beyond); arb_init(excess);
    arf_init(at);
    arf_init(top);
    arf_pos_inf(top);
    for (i = 0; i < 3 * KINDS; i++)
    {
        int kind = i % KINDS;
        line_case c;
        shuf_steps s;
        slong j;
        double sum = 0;
        int images = kind == 5 || kind == 8 ? 2 : 1;
        case_init(&c, kind, log_uniform(0.8, 5), 0.5 * random_unit(), 2 + 5 * random_unit());
        shuf_steps_init(&s);
        c.law.steps(&s, &c.law, top);
        assert_true(s.count > 10);
        for (j = 1; j < s.count; j++)
            if (s.group[j] == s.group[j - 1] && !are_neighbours(&s, j - 1, j))
                fail_msg("%s: steps %ld and %ld of group %ld", c.what, (long) j - 1, (long) j, (long) s.group[j]);
        for (j = 0; j < s.count && images == 1; j++)
        {
            double weight = s.width[j] * s.height[j];
            arf_set_d(at, s.low[j]);
            c.law.tail(mass, excess, &c.law, at, PREC);
            arf_set_d(at, s.low[j] + s.width[j] * (1 + 1e-12) + 1e-13 * fabs(s.low[j]));
            c.law.tail(beyond, excess, &c.law, at, PREC);
            arb_sub(mass, mass, beyond, PREC);
            if (arf_cmp_d(arb_midref(mass), weight * (1 - 1e-6)) < 0)
                fail_msg("%s: step %ld", c.what, (long) j);
            sum += weight;
        }
        /* most of the density */
        assert_true(images == 2 || (sum <= 1 && sum > (kind < 6 ? 0.6 : 0.05)));
        shuf_steps_clear(&s);
        case_clear(&c);
    }
    arb_clear(mass); arb_clear(beyond); arb_clear(excess);
    arf_clear(at);
    arf_clear(top);
}

/* ---- the fall of the transform ---- */

#define LEAST_FALL 0.2 /* of the density, far out */

/* From reach on, the transform is as small as the parts say; and they say most of it. */
static void test_fall(void **state)
{
    int i, k;
    acb_t z;
    arf_t top, modulus;
    (void) state;
    skip_unless_drawn(4);
    acb_init(z);
    arf_init(top);
    arf_init(modulus);
    arf_set_d(top, 30);
    for (i = 0; i < 3 * KINDS; i++)
    {
        int kind = i % KINDS;
        double theta = log_uniform(1e-3, 0.5), reach = log_uniform(0.1, 20), whole, fall;
        line_case c;
        fourier_parts u;
        shuf_quadrature q;
        case_init(&c, kind, log_uniform(kind < 6 ? 0.7 : 1.2, 5), 0.3 * random_unit(), 2 + 20 * random_unit());
        shuf_quadrature_init(&q);
        assert_int_equal(c.law.quadrature(&q, &c.law, theta, 6 * reach, top, 1e-12, PREC), 0);
        fourier_parts_init(&u, &c.law, theta, top);
        fall = fourier_parts_loss(&u, reach);
        transform(z, &q, theta, 0);
        acb_get_abs_ubound_arf(modulus, z, 53);
        whole = arf_get_d(modulus, ARF_RND_UP);
        for (k = 0; k < 8; k++)
        {
            transform(z, &q, theta, reach * (1 + (k > 0) * 5 * random_unit()));
            acb_get_abs_lbound_arf(modulus, z, 53);
            if (arf_cmp_d(modulus, (whole - fall) * (1 + 1e-9) + 1e-11) > 0)
                fail_msg("%s: beyond %g + %g i", c.what, theta, reach);
        }
        assert_true(kind >= 5 || fourier_parts_loss(&u, 1e6) > LEAST_FALL * whole);
        fourier_parts_clear(&u);
        shuf_quadrature_clear(&q);
        case_clear(&c);
    }
    acb_clear(z);
    arf_clear(top);
    arf_clear(modulus);
}

#define HILLS 14 /* steps of a density that is nothing else */

typedef struct
{
    double low[HILLS], width[HILLS], height[HILLS];
} hills;

static void steps_of_hills(shuf_steps *s, const shuf_summand *self, const arf_t top)
{
    const hills *x = self->data;
    slong j;
    (void) top;
    for (j = 0; j < HILLS; j++)
        shuf_steps_add(s, x->low[j], x->width[j], x->height[j], 0);
}

/* z := integral of the density times e^{(theta + i t) x} */
static void transform_of_hills(acb_t z, const hills *x, double theta, double t)
{
    acb_t s, a;
    slong j;
    acb_init(s);
    acb_init(a);
    acb_zero(z);
    for (j = 0; j < HILLS; j++)
    {
        /* e^{s low} (e^{s width} - 1)/s */
        acb_set_d_d(s, theta, t);
        acb_set_d(a, x->width[j]);
        acb_mul(a, a, s, PREC);
        acb_exp(a, a, PREC);
        acb_sub_ui(a, a, 1, PREC);
        acb_div(a, a, s, PREC);
        acb_mul_si(s, s, (slong) (16 * x->low[j]), PREC);
        acb_mul_2exp_si(s, s, -4);
        acb_exp(s, s, PREC);
        acb_mul(a, a, s, PREC);
        acb_set_d(s, x->height[j]);
        acb_addmul(z, a, s, PREC);
    }
    acb_clear(s);
    acb_clear(a);
}

/* Hills with valleys between them: nothing counts twice, and far out each hill counts. */
static void test_valleys(void **state)
{
    int i, k;
    acb_t z;
    arf_t top, modulus;
    (void) state;
    acb_init(z);
    arf_init(top);
    arf_init(modulus);
    arf_pos_inf(top);
    for (i = 0; i < 200; i++)
    {
        double theta = log_uniform(1e-3, 0.2), reach = log_uniform(0.1, 50), whole, fall, at = -3;
        hills x;
        shuf_summand law = { .steps = steps_of_hills, .data = &x };
        fourier_parts u;
        slong j;
        for (j = 0; j < HILLS; at += x.width[j++])
        {
            x.low[j] = at;
            x.width[j] = floor(8 + 8 * random_unit()) / 16;
            x.height[j] = i % 2 ? log_uniform(1e-6, 1) : j % 2 ? log_uniform(1e-6, 1e-3) : log_uniform(0.1, 1);
        }
        fourier_parts_init(&u, &law, theta, top);
        fall = fourier_parts_loss(&u, reach);
        transform_of_hills(z, &x, theta, 0);
        acb_get_abs_ubound_arf(modulus, z, 53);
        whole = arf_get_d(modulus, ARF_RND_UP);
        for (k = 0; k < 20; k++)
        {
            transform_of_hills(z, &x, theta, reach * (1 + (k > 0) * 5 * random_unit()));
            acb_get_abs_lbound_arf(modulus, z, 53);
            if (arf_cmp_d(modulus, (whole - fall) * (1 + 1e-9)) > 0)
                fail_msg("hills: beyond %g + %g i", theta, reach);
        }
        assert_true(fourier_parts_loss(&u, 1e6) <= whole && (i % 2 || fourier_parts_loss(&u, 1e6) > 0.8 * whole));
        fourier_parts_clear(&u);
    }
    acb_clear(z);
    arf_clear(top);
    arf_clear(modulus);
}

/* ---- laws of atoms ---- */

#define MOST_ATOMS 6

/* Whole numbers, numbers near quarters, or any; some rare, some equal. */
static slong random_atoms(arb_ptr value, arb_ptr mass, slong most)
{
    slong count = 2 + (slong) random_below((uint64_t) most - 1), j;
    uint64_t kind = random_below(4), left = UINT64_C(1) << 40;
    for (j = 0; j < count; j++)
    {
        uint64_t share = j == count - 1 ? left : random_below(left);
        double x = kind == 0 ? (double) random_below(5) - 2 : kind == 1 ? floor(8 * random_unit()) / 4 + 1e-3 * random_unit() : 4 * random_unit() - 2;
        if (kind == 3 && j > 0 && j < count - 1)
            share >>= 12;
        left -= share;
        arb_set_d(value + j, x);
        arb_set_ui(mass + j, share);
        arb_mul_2exp_si(mass + j, mass + j, -40);
    }
    return count;
}

/* total := E(S - K)_+ of three atoms, or E(1 - e^{K - S})_+ if pole is 1: all numbers of each */
static void by_multinomial(arb_t total, arb_srcptr value, arb_srcptr mass, ulong n, const arb_t K, int pole)
{
    arb_t s, t, p;
    ulong i, j;
    arb_init(s); arb_init(t); arb_init(p);
    arb_zero(total);
    for (i = 0; i <= n; i++)
    {
        for (j = 0; i + j <= n; j++)
        {
            arb_mul_ui(s, value, i, PREC);
            arb_addmul_ui(s, value + 1, j, PREC);
            arb_addmul_ui(s, value + 2, n - i - j, PREC);
            arb_sub(s, s, K, PREC);
            if (!arb_is_positive(s))
                continue;
            if (pole)
            {
                arb_neg(s, s);
                arb_expm1(s, s, PREC);
                arb_neg(s, s);
            }
            arb_bin_uiui(p, n, i, PREC);
            arb_mul(s, s, p, PREC);
            arb_bin_uiui(p, n - i, j, PREC);
            arb_mul(s, s, p, PREC);
            arb_pow_ui(t, mass, i, PREC);
            arb_mul(s, s, t, PREC);
            arb_pow_ui(t, mass + 1, j, PREC);
            arb_mul(s, s, t, PREC);
            arb_pow_ui(t, mass + 2, n - i - j, PREC);
            arb_addmul(total, s, t, PREC);
        }
    }
    arb_clear(s); arb_clear(t); arb_clear(p);
}

#define MULTINOMIAL_TRIALS 60
#define MULTINOMIAL_WORK 1e9

/* What the frequencies from..to-1 that a line leaves out add at most, over e^log_scale (Lemma 12). */
static double frequencies_left_out(const fourier_struct *x, arb_srcptr value, arb_srcptr mass, slong count, slong from, slong to, double log_scale)
{
    double sum = 0, g[MOST_ATOMS], at[MOST_ATOMS], n = (double) x->terms;
    slong i, j, k = 0;
    for (j = 0; j < count; j++)
    {
        at[j] = arf_get_d(arb_midref(value + j), ARF_RND_NEAR);
        g[j] = arf_get_d(arb_midref(mass + j), ARF_RND_NEAR) * exp(x->theta * at[j]);
    }
    for (i = from; i < to; i++)
    {
        double t = (double) i * x->step, re = 0, im = 0;
        for (; k < x->kept && x->index[k] < i; k++)
            ;
        if (i < x->count && (x->in_doubles || (k < x->kept && x->index[k] == i)))
            continue;
        for (j = 0; j < count; j++)
        {
            re += g[j] * cos(t * at[j]);
            im += g[j] * sin(t * at[j]);
        }
        sum += x->step / 3.14159265358979 * exp(n / 2 * log(re * re + im * im) - x->added * t * t / 2 - log_scale) / (x->theta * x->theta + t * t);
    }
    return sum;
}

/* The same is at most what is charged for it, which may be near the largest double or beyond it. */
static void assert_charged(const fourier_struct *x, const arb_t charge, arb_srcptr value, arb_srcptr mass, slong count, slong from, slong to)
{
    double charged = arf_get_d(arb_midref(charge), ARF_RND_NEAR);
    double out = frequencies_left_out(x, value, mass, count, from, to, charged > 0 ? log(charged) : 0);
    if (isfinite(charged) && !(out <= (charged > 0 ? 1 + 1e-9 : 0)))
        fail_msg("n %lu, frequencies %ld to %ld: %.12g of %.12g charged is left out", (unsigned long) x->terms, (long) from, (long) to, out, charged);
}

/* Lines of a law of three atoms, good and bad ones, in doubles and in balls, contain the sum over all numbers. */
static void test_atom_lines(void **state)
{
    int i, pass, pole, read = 0, accurate = 0, skipped = 0, doubles = 0;
    arb_ptr value = _arb_vec_init(3), mass = _arb_vec_init(3);
    arb_t K, truth;
    arf_t at;
    (void) state;
    skip_unless_drawn(5);
    arb_init(K);
    arb_init(truth);
    arf_init(at);
    for (i = 0; i < MULTINOMIAL_TRIALS; i++)
    {
        ulong n = (ulong) log_uniform(6, 120);
        double mean = 0, square = 0, largest = -HUGE_VAL, log_truth;
        shuf_summand law;
        slong j, count = random_atoms(value, mass, 3);
        if (count == 2)
        {
            arb_zero(value + 2);
            arb_zero(mass + 2);
        }
        for (j = 0; j < 3; j++)
        {
            double x = arf_get_d(arb_midref(value + j), ARF_RND_NEAR), p = arf_get_d(arb_midref(mass + j), ARF_RND_NEAR);
            mean += p * x;
            square += p * x * x;
            largest = fmax(largest, x);
        }
        pole = i % 3 == 2;
        if (i % 4 == 1) /* the atom of all terms 0 is at the threshold, or near it */
            arb_zero(value);
        arf_set_d(at, (double) n * mean + 5 * random_unit() * sqrt((double) n * fmax(square - mean * mean, 0)));
        if (i % 5 == 4)
            arf_ceil(at, at); /* of whole numbers, one of them */
        if (i % 4 == 1)
            arf_set_d(at, i % 8 == 1 ? 0 : 0.01 * random_unit());
        arb_set_arf(K, at);
        by_multinomial(truth, value, mass, n, K, pole);
        log_truth = log(arf_get_d(arb_midref(truth), ARF_RND_NEAR));
        shuf_summand_init_finite(&law, value, mass, 3);
        for (pass = 0; pass < 7 && isfinite(log_truth); pass++)
        {
            fourier_struct x;
            shuf_enclosure_t r;
            double digits = pass == 0 ? 2 : pass == 1 ? 0.1 : pass == 2 ? 3 + 4 * random_unit() : 4 * random_unit();
            if (fourier_init(&x, &law, n, at, pole, digits, shuf_work() + MULTINOMIAL_WORK, pass == 0 ? NAN : log_truth + (pass > 2 ? 4 * random_unit() - 1 : 0), pass == 4 ? FOURIER_BALLS : pass == 5 ? FOURIER_DIFFERENCES : pass == 6 ? FOURIER_FIXED : FOURIER_DOUBLES,
                             pass == 3 ? random_unit() : 1) != 0)
                continue;
            shuf_enclosure_init(r);
            fourier_read(r, &x, K);
            assert_true(x.added > 0 && arf_is_pos_inf(x.largest));
            if (!arb_is_finite(truth) || arf_cmp(r->lo, arb_midref(truth)) > 0 || arf_cmp(r->hi, arb_midref(truth)) < 0)
                fail_msg("trial %d, pass %d, n %lu: [%.12g, %.12g], not %.12g", i, pass, n, arf_get_d(r->lo, ARF_RND_FLOOR),
                         arf_get_d(r->hi, ARF_RND_CEIL), exp(log_truth));
            read++;
            accurate += pass == 0 && shuf_enclosure_accurate(r, 1);
            doubles += x.in_doubles;
            if (arf_cmp_d(x.top, largest) >= 0)
            {
                assert_charged(&x, x.skipped, value, mass, 3, 0, x.count);
                assert_charged(&x, x.rest, value, mass, 3, x.count, 3 * x.count);
                skipped += x.kept < x.count;
            }
            shuf_enclosure_clear(r);
            fourier_clear(&x);
        }
        shuf_summand_clear_finite(&law);
    }
    printf("%d lines, %d accurate, %d in doubles, %d without some frequencies\n", read, accurate, doubles, skipped);
    assert_true(read > 3 * MULTINOMIAL_TRIALS && accurate > MULTINOMIAL_TRIALS / 3 && doubles > 0 && skipped > 0);
    _arb_vec_clear(value, 3);
    _arb_vec_clear(mass, 3);
    arb_clear(K);
    arb_clear(truth);
    arf_clear(at);
}

/* ---- lines ---- */

#define LINE_TRIALS 36
#define DIGITS 8
#define LINE_WORK 1e8

/* A threshold a few deviations above the mean, or what else may be asked. */
static double threshold(int kind, double n, double eps)
{
    double t = random_unit() * random_unit();
    if (kind < 3)
        return n * (kind == 2 ? -exp(-t) : exp(t));
    return random_below(2) ? 0 : -n * expm1(eps) * random_unit();
}

/*
 * Wide enclosures of lines that are no good contain the narrow one of a good
 * line, in balls; a few digits, so that every error is there to be seen.
 */
static void test_lines(void **state)
{
    int i, read = 0, narrow = 0;
    shuf_enclosure_t r, good;
    arb_t K;
    arf_t at;
    (void) state;
    skip_unless_drawn(5);
    shuf_enclosure_init(r);
    shuf_enclosure_init(good);
    arb_init(K);
    arf_init(at);
    for (i = 0; i < LINE_TRIALS; i++)
    {
        int kind = i % KINDS, pass;
        double eps = 0.3 * random_unit(), n = floor(log_uniform(6, 300)), k, log_value = NAN;
        line_case c;
        fourier_struct x;
        case_init(&c, kind, log_uniform(0.8, 3), eps, 1000);
        k = threshold(kind, n, eps);
        arf_set_d(at, k);
        arb_set_arf(K, at);
        for (pass = 0; pass < 3; pass++)
        {
            if (fourier_init(&x, &c.law, (uint64_t) n, at, 0, DIGITS, shuf_work() + LINE_WORK, log_value, pass > 0 ? FOURIER_BALLS : FOURIER_DOUBLES, 1) != 0)
                break;
            fourier_read(good, &x, K);
            fourier_clear(&x);
            log_value = log(arf_get_d(good->hi, ARF_RND_NEAR));
        }
        assert_true(pass == 0 || (arf_sgn(good->lo) >= 0 && arf_cmp(good->lo, good->hi) <= 0));
        if (pass == 3 && shuf_enclosure_accurate(good, 6))
        {
            narrow++;
            for (pass = 0; pass < 7; pass++)
            {
                /* few digits, and a size that is not the right one */
                double digits = pass < 4 ? 1 + 5 * random_unit() : 0.2;
                fourier_how how = pass == 3 ? FOURIER_BALLS : pass == 6 ? FOURIER_FIXED : pass % 2 == 0 ? FOURIER_DIFFERENCES : FOURIER_DOUBLES;
                if (fourier_init(&x, &c.law, (uint64_t) n, at, 0, digits, shuf_work() + LINE_WORK, log_value + 6 * random_unit() - 1, how, 1) != 0)
                    continue;
                fourier_read(r, &x, K);
                assert_true(arf_sgn(r->lo) >= 0 && arf_cmp(r->lo, r->hi) <= 0);
                if (arf_cmp(r->lo, good->hi) > 0 || arf_cmp(r->hi, good->lo) < 0)
                    fail_msg("%s: n %g, K %.17g, digits %g: [%.10g, %.10g], not [%.10g, %.10g]", c.what, n, k, digits,
                             arf_get_d(r->lo, ARF_RND_FLOOR), arf_get_d(r->hi, ARF_RND_CEIL), arf_get_d(good->lo, ARF_RND_FLOOR),
                             arf_get_d(good->hi, ARF_RND_CEIL));
                read++;
                fourier_clear(&x);
            }
        }
        case_clear(&c);
    }
    printf("%d narrow, %d read\n", narrow, read);
    assert_true(narrow > LINE_TRIALS / 6 && read > LINE_TRIALS);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(good);
    arb_clear(K);
    arf_clear(at);
}

#define FEW_TRIALS 24
#define FEW_WORK 1e9

/* Of few terms with a density the transform falls too slowly: lines with more or less added to them agree. */
static void test_few_terms(void **state)
{
    int i, pass, added = 0, narrow = 0;
    shuf_enclosure_struct r[4];
    arb_t K;
    arf_t at;
    (void) state;
    skip_unless_drawn(4);
    arb_init(K);
    arf_init(at);
    for (pass = 0; pass < 4; pass++)
        shuf_enclosure_init(r + pass);
    for (i = 0; i < FEW_TRIALS; i++)
    {
        const int kind = 3 + i % (KINDS - 3);
        const double eps = 0.3 * random_unit(), n = 2 + (double) random_below(8);
        double log_value = NAN;
        int count = 0, j;
        line_case c;
        case_init(&c, kind, log_uniform(0.6, 3), eps, 1000);
        arf_set_d(at, threshold(kind, n, eps));
        arb_set_arf(K, at);
        for (pass = 0; pass < 4; pass++)
        {
            const double digits = pass == 0 ? 2 : pass == 3 ? 0.5 : 2 + 3 * random_unit();
            fourier_struct x;
            if (fourier_init(&x, &c.law, (uint64_t) n, at, 0, digits, shuf_work() + FEW_WORK, log_value, pass % 2 ? FOURIER_DIFFERENCES : FOURIER_DOUBLES, pass == 2 ? random_unit() : 1) != 0)
                continue;
            fourier_read(r + count, &x, K);
            assert_true(arf_sgn(r[count].lo) >= 0 && arf_cmp(r[count].lo, r[count].hi) <= 0);
            assert_true(x.added == 0 || arf_is_pos_inf(x.largest));
            added += x.added > 0;
            narrow += shuf_enclosure_accurate(r + count, 2);
            log_value = log(arf_get_d(r[count].hi, ARF_RND_NEAR));
            for (j = 0; j < count; j++)
                if (arf_cmp(r[j].lo, r[count].hi) > 0 || arf_cmp(r[count].lo, r[j].hi) > 0)
                    fail_msg("%s: n %g: [%.12g, %.12g] and [%.12g, %.12g]", c.what, n, arf_get_d(r[j].lo, ARF_RND_FLOOR), arf_get_d(r[j].hi, ARF_RND_CEIL),
                             arf_get_d(r[count].lo, ARF_RND_FLOOR), arf_get_d(r[count].hi, ARF_RND_CEIL));
            count++;
            fourier_clear(&x);
        }
        case_clear(&c);
    }
    printf("%d of few terms with what is added, %d narrow\n", added, narrow);
    assert_true(added > FEW_TRIALS / 2 && narrow > FEW_TRIALS);
    for (pass = 0; pass < 4; pass++)
        shuf_enclosure_clear(r + pass);
    arb_clear(K);
    arf_clear(at);
}

#define SEVERAL 6

/* A line read in doubles says what it says in balls, about as well, at thresholds around its own, known exactly or not. */
static void test_several(void **state)
{
    shuf_enclosure_struct r[SEVERAL];
    shuf_enclosure_t one;
    arb_ptr K = _arb_vec_init(SEVERAL);
    int wanted[SEVERAL], i, j, read = 0;
    arf_t at;
    (void) state;
    skip_unless_drawn(4);
    shuf_enclosure_init(one);
    arf_init(at);
    for (j = 0; j < SEVERAL; j++)
        shuf_enclosure_init(&r[j]);
    for (i = 0; i < LINE_TRIALS; i++)
    {
        int kind = i % KINDS;
        double eps = 0.3 * random_unit(), n = floor(log_uniform(6, 300)), k = threshold(kind, n, eps);
        line_case c;
        fourier_struct x;
        case_init(&c, kind, log_uniform(0.8, 3), eps, 1000);
        arf_set_d(at, k);
        if (fourier_init(&x, &c.law, (uint64_t) n, at, 0, 1 + 9 * random_unit(), shuf_work() + LINE_WORK, NAN, random_below(2) ? FOURIER_DIFFERENCES : FOURIER_DOUBLES, 1) == 0)
        {
            for (j = 0; j < SEVERAL; j++)
            {
                wanted[j] = j != 1;
                arb_set_d(K + j, k + (j == 0 ? 0 : (random_unit() - 0.5) * sqrt(n)));
                mag_set_d(arb_radref(K + j), j < 4 ? 0 : 1e-6 * random_unit());
                shuf_enclosure_zero(&r[j]);
            }
            fourier_reads(r, &x, K, wanted, SEVERAL);
            assert_true(arf_is_zero(r[1].hi));
            for (j = 0; j < SEVERAL; j++)
            {
                if (j == 1)
                    continue;
                /* an end of the ball */
                arb_get_ubound_arf(at, K + j, PREC);
                arb_set_arf(K + j, at);
                fourier_read(one, &x, K + j);
                if (arf_cmp(r[j].lo, one->hi) > 0 || arf_cmp(r[j].hi, one->lo) < 0)
                    fail_msg("%s: n %g, threshold %g: [%.12g, %.12g], not [%.12g, %.12g]", c.what, n, arf_get_d(at, ARF_RND_NEAR),
                             arf_get_d(r[j].lo, ARF_RND_FLOOR), arf_get_d(r[j].hi, ARF_RND_CEIL), arf_get_d(one->lo, ARF_RND_FLOOR),
                             arf_get_d(one->hi, ARF_RND_CEIL));
                read += j == 0 && shuf_enclosure_accurate(one, 8) && shuf_enclosure_accurate(&r[j], 7);
            }
            fourier_clear(&x);
        }
        case_clear(&c);
    }
    assert_true(read > 2);
    for (j = 0; j < SEVERAL; j++)
        shuf_enclosure_clear(&r[j]);
    _arb_vec_clear(K, SEVERAL);
    shuf_enclosure_clear(one);
    arf_clear(at);
}

#define MANY 12

/* A threshold that is not a finite number has no finite enclosure, wherever it stands among others on one line. */
static void test_not_finite(void **state)
{
    shuf_options options = { 4, 1e9 };
    shuf_enclosure_struct r[MANY];
    arb_ptr K = _arb_vec_init(MANY);
    line_case c;
    int j;
    (void) state;
    case_init(&c, 0, 1, 0, 1000);
    for (j = 0; j < MANY; j++)
    {
        shuf_enclosure_init(&r[j]);
        arb_set_d(K + j, 60 + j);
    }
    arb_zero_pm_inf(K + 2);
    arb_indeterminate(K + 4);
    assert_int_equal(shuf_iidsum_excesses(r, &c.law, 50, K, MANY, &options), SHUF_ACCURACY);
    for (j = 0; j < MANY; j++)
    {
        int finite = j != 2 && j != 4;
        assert_int_equal(r[j].status, finite ? SHUF_OK : SHUF_ACCURACY);
        assert_int_equal(arf_is_finite(r[j].hi), finite);
        shuf_enclosure_clear(&r[j]);
    }
    _arb_vec_clear(K, MANY);
    case_clear(&c);
}

#define TERMS_TRIALS 27
#define NODES_REACH 480.0 /* at 30 atoms that are meant for e^{sx} are off by 1.6e-4 of an excess with its corners */
#define NODES_ERROR 1e-4  /* a twentieth of it is seen */

/* Of two terms: the tails of one above what the other leaves, added up over atoms of the other. */
static void test_two_terms(void **state)
{
    int i, accurate = 0;
    shuf_options options = { 3, 3e9 };
    shuf_enclosure_t r;
    arb_t K, mass, excess, value, at;
    arf_t top;
    (void) state;
    skip_unless_drawn(5);
    shuf_enclosure_init(r);
    arb_init(K); arb_init(mass); arb_init(excess); arb_init(value); arb_init(at);
    arf_init(top);
    arf_set_d(top, 300);
    for (i = 0; i < TERMS_TRIALS; i++)
    {
        int kind = i % KINDS;
        double eps = 0.3 * random_unit(), k, v;
        line_case c;
        shuf_quadrature q;
        slong j;
        case_init(&c, kind, log_uniform(1, 3), eps, 1000);
        k = threshold(kind, 2, eps);
        arb_set_d(K, k);
        shuf_quadrature_init(&q);
        assert_int_equal(c.law.quadrature(&q, &c.law, 0, NODES_REACH, top, 1e-12, PREC), 0);
        arb_zero(value);
        for (j = 0; j < q.count; j++)
        {
            arb_sub(at, K, q.value + j, PREC);
            c.law.tail(mass, excess, &c.law, arb_midref(at), PREC);
            arb_addmul(value, q.mass + j, excess, PREC);
        }
        v = arf_get_d(arb_midref(value), ARF_RND_NEAR);
        shuf_iidsum_excess(r, &c.law, 2, K, &options);
        if (arf_cmp_d(r->lo, v * (1 + NODES_ERROR)) > 0 || arf_cmp_d(r->hi, v * (1 - NODES_ERROR)) < 0)
            fail_msg("%s: K %.17g: [%.10g, %.10g], not %.10g", c.what, k, arf_get_d(r->lo, ARF_RND_FLOOR), arf_get_d(r->hi, ARF_RND_CEIL), v);
        accurate += r->status == SHUF_OK;
        shuf_quadrature_clear(&q);
        case_clear(&c);
    }
    printf("%d of %d accurate\n", accurate, TERMS_TRIALS);
    assert_true(accurate > TERMS_TRIALS / 2);
    shuf_enclosure_clear(r);
    arb_clear(K); arb_clear(mass); arb_clear(excess); arb_clear(value); arb_clear(at);
    arf_clear(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_atoms), cmocka_unit_test(test_moments), cmocka_unit_test(test_steps), cmocka_unit_test(test_fall), cmocka_unit_test(test_valleys), cmocka_unit_test(test_atom_lines), cmocka_unit_test(test_lines),
        cmocka_unit_test(test_few_terms), cmocka_unit_test(test_several), cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_two_terms),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
