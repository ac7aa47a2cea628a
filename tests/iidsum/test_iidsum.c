/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* E(L_1 + ... + L_n - K)_+ against enumeration, binomial sums, the gamma law, and itself. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "exact/exact.h"
#include "iidsum/iidsum.h"
#include "iidsum/panels.h"
#include "iidsum/rare.h"
#include "check.h"
#include "random.h"

#define PREC 300

static const shuf_options six_digits = { 6, 0 };

/* ---- enumeration ---- */

typedef struct
{
    slong count;
    arb_ptr value, mass;
} atoms_struct;

static void atoms_init(atoms_struct *a, slong count)
{
    a->count = count;
    a->value = _arb_vec_init(count);
    a->mass = _arb_vec_init(count);
}

static void atoms_clear(atoms_struct *a)
{
    _arb_vec_clear(a->value, a->count);
    _arb_vec_clear(a->mass, a->count);
}

static void atoms_set(atoms_struct *a, slong j, const char *value, const char *mass)
{
    arb_set_str(a->value + j, value, PREC);
    arb_set_str(a->mass + j, mass, PREC);
}

/* total += the sum over all outcomes of the other n terms, the first ones having the given sum and probability */
static void enumerate(arb_t total, const atoms_struct *a, int n, const arb_t sum, const arb_t probability)
{
    arb_t s, q;
    slong j;
    if (n == 0)
    {
        if (arb_is_positive(sum))
            arb_addmul(total, sum, probability, PREC);
        return;
    }
    arb_init(s);
    arb_init(q);
    for (j = 0; j < a->count; j++)
    {
        arb_add(s, sum, a->value + j, PREC);
        arb_mul(q, probability, a->mass + j, PREC);
        enumerate(total, a, n - 1, s, q);
    }
    arb_clear(s);
    arb_clear(q);
}

static void by_enumeration(arb_t total, const atoms_struct *a, int n, const arb_t K)
{
    arb_t s, one;
    arb_init(s);
    arb_init(one);
    arb_neg(s, K);
    arb_one(one);
    arb_zero(total);
    enumerate(total, a, n, s, one);
    arb_clear(s);
    arb_clear(one);
}

/*
 * Doubles, so that the enumeration decides every sign exactly; some whole
 * numbers, some equal, masses of some 0; masses in units of 2^-50.
 */
static void random_atoms(atoms_struct *a)
{
    slong j;
    uint64_t left = UINT64_C(1) << 50;
    atoms_init(a, 2 + (slong) random_below(3));
    for (j = 0; j < a->count; j++)
    {
        double value = 4 * random_unit() - 2;
        uint64_t mass = random_below(8) == 0 ? 0 : random_below(left);
        switch (random_below(5))
        {
            case 0: value = floor(value); break;
            case 1: value = ldexp(value, (int) random_below(20) - 10); break;
            case 2: mass >>= 30; break;
            default: break;
        }
        left -= mass;
        /* mostly a probability */
        if (j == a->count - 1 && random_below(4) != 0)
            mass += left;
        arb_set_d(a->value + j, value);
        arb_set_ui(a->mass + j, mass);
        arb_mul_2exp_si(a->mass + j, a->mass + j, -50);
    }
}

/* Three values by the counts of the largest one: any masses and ratios of the values, K at one of the sums or between them. */
static void test_rare(void **state)
{
    int i, positive = 0;
    (void) state;
    for (i = 0; i < 300; i++)
    {
        const int n = 1 + (int) random_below(7);
        const uint64_t most = 8;
        uint64_t left = UINT64_C(1) << 50, part;
        atoms_struct a;
        arb_t K, value;
        shuf_summand law;
        shuf_enclosure_t r;
        slong j;
        atoms_init(&a, 3);
        arb_init(K); arb_init(value);
        shuf_enclosure_init(r);
        for (j = 0; j < 3; j++)
        {
            part = j == 2 && i % 3 ? left : 1 + (random_below(left - 2) >> random_below(40));
            left -= part;
            arb_set_ui(a.mass + j, part);
            arb_mul_2exp_si(a.mass + j, a.mass + j, -50);
            arb_set_d(a.value + j, ldexp(floor(64 * random_unit()) - (j == 0 ? 0 : 40), (int) random_below(j == 0 ? 30 : 12)) + (double) j / 2);
        }
        arb_set_d(K, i % 2 ? 0 : floor((random_unit() - 0.5) * 200 * n));
        by_enumeration(value, &a, n, K);
        shuf_summand_init_finite(&law, a.value, a.mass, a.count);
        if (iidsum_rare(r, &law, (uint64_t) n, K, most, 6, 0))
        {
            positive += arf_sgn(r->lo) > 0;
            assert_true(well_formed(r));
            assert_contains(r, value, "rare");
            assert_true(arb_is_zero(value) || shuf_enclosure_accurate(r, 6) || arf_cmp_2exp_si(r->hi, -30) < 0);
        }
        shuf_summand_clear_finite(&law);
        shuf_enclosure_clear(r);
        atoms_clear(&a);
        arb_clear(K); arb_clear(value);
    }
    assert_true(positive > 100);
}

#define SMALL_TRIALS 150

static void test_enumeration(void **state)
{
    int i, accurate = 0, positive = 0;
    (void) state;
    for (i = 0; i < SMALL_TRIALS; i++)
    {
        int n = 1 + (int) random_below(6);
        atoms_struct a;
        arb_t K, value;
        shuf_summand law;
        shuf_enclosure_t r;
        shuf_options options = { 2 + (slong) random_below(6), 0 };
        char what[80];
        random_atoms(&a);
        arb_init(K);
        arb_init(value);
        shuf_enclosure_init(r);
        arb_set_d(K, random_below(6) == 0 ? floor(3 * random_unit()) : (2.5 * random_unit() - 0.5) * n);
        snprintf(what, sizeof(what), "trial %d, n = %d", i, n);
        by_enumeration(value, &a, n, K);
        shuf_summand_init_finite(&law, a.value, a.mass, a.count);
        assert_int_not_equal(shuf_iidsum_excess(r, &law, (uint64_t) n, K, &options), SHUF_DOMAIN);
        assert_true(well_formed(r));
        assert_contains(r, value, what);
        accurate += r->status == SHUF_OK;
        positive += arb_is_positive(value);
        shuf_summand_clear_finite(&law);
        shuf_enclosure_clear(r);
        arb_clear(K);
        arb_clear(value);
        atoms_clear(&a);
    }
    printf("%d of %d accurate, %d positive\n", accurate, SMALL_TRIALS, positive);
    assert_true(accurate > 0 && positive > 0);
}

/* Of two atoms with some probability, else of a third one: the law of all three. */
static void test_thinned(void **state)
{
    int i;
    (void) state;
    for (i = 0; i < 40; i++)
    {
        const int n = 1 + (int) random_below(6);
        const slong part = 1 + (slong) random_below(9), first = 1 + (slong) random_below(9);
        atoms_struct a, whole;
        arb_t K, value;
        shuf_summand law, thinned;
        shuf_enclosure_t r;
        fmpq_t rate;
        slong j;
        fmpq_init(rate);
        fmpq_set_si(rate, part, 10);
        atoms_init(&a, 3);
        atoms_init(&whole, 2);
        for (j = 0; j < 3; j++)
            arb_set_d(a.value + j, 3 * random_unit() - 1.5);
        arb_set_si(a.mass, first * part);
        arb_set_si(a.mass + 1, (10 - first) * part);
        arb_set_si(a.mass + 2, 100 - 10 * part);
        for (j = 0; j < 3; j++)
            arb_div_ui(a.mass + j, a.mass + j, 100, PREC);
        for (j = 0; j < 2; j++)
        {
            arb_set(whole.value + j, a.value + j);
            arb_set_si(whole.mass + j, j == 0 ? first : 10 - first);
            arb_div_ui(whole.mass + j, whole.mass + j, 10, PREC);
        }
        arb_init(K);
        arb_init(value);
        shuf_enclosure_init(r);
        arb_set_d(K, (2 * random_unit() - 1) * n);
        by_enumeration(value, &a, n, K);
        shuf_summand_init_finite(&law, whole.value, whole.mass, 2);
        shuf_summand_init_thinned(&thinned, &law, rate, a.value + 2);
        assert_int_not_equal(shuf_iidsum_excess(r, &thinned, (uint64_t) n, K, &six_digits), SHUF_DOMAIN);
        assert_true(well_formed(r));
        assert_contains(r, value, "thinned");
        shuf_summand_clear_thinned(&thinned);
        shuf_summand_clear_finite(&law);
        shuf_enclosure_clear(r);
        arb_clear(K);
        arb_clear(value);
        atoms_clear(&a);
        atoms_clear(&whole);
        fmpq_clear(rate);
    }
}

/* ---- two atoms ---- */

/* sum over k of Bin(n, p)(k) (a (n-k) + b k - K)_+, masses 1-p and p times `whole` */
static void by_binomial(arb_t total, uint64_t n, const atoms_struct *a, const arb_t K)
{
    arb_t pmf, sum, rise, odds;
    uint64_t k;
    arb_init(pmf); arb_init(sum); arb_init(rise); arb_init(odds);
    arb_pow_ui(pmf, a->mass, n, PREC);
    arb_div(odds, a->mass + 1, a->mass, PREC);
    arb_sub(rise, a->value + 1, a->value, PREC);
    arb_mul_ui(sum, a->value, n, PREC);
    arb_sub(sum, sum, K, PREC);
    arb_zero(total);
    for (k = 0; k <= n; k++)
    {
        if (!arb_is_nonpositive(sum))
            arb_addmul(total, pmf, sum, PREC);
        arb_mul_ui(pmf, pmf, n - k, PREC);
        arb_div_ui(pmf, pmf, k + 1, PREC);
        arb_mul(pmf, pmf, odds, PREC);
        arb_add(sum, sum, rise, PREC);
    }
    arb_clear(pmf); arb_clear(sum); arb_clear(rise); arb_clear(odds);
}

static const struct
{
    uint64_t n;
    const char *a, *mass_a, *b, *mass_b, *K;
    slong digits;
} two_atoms[] = {
    { 1000, "-1/3", "0.6", "0.7", "0.4", "80.01", 6 },      /* so few values are added up; of more, lines are tried first */
    { 4000, "-1/3", "0.6", "0.7", "0.4", "320.01", 6 },
    { 4000, "-1/3", "0.6", "0.7", "0.4", "540.3", 6 },
    { 4000, "0", "0.99", "1.37", "0.01", "75.2", 6 },
    { 4000, "-1", "0.5", "1", "0.5", "160", 6 },
    { 1000, "-1/3", "0.6", "0.7", "0.4", "180.3", 6 },
    { 1000, "-1/3", "0.6", "0.7", "0.4", "430.123", 6 },    /* some 1e-102 */
    { 1000, "-1/3", "0.59", "0.7", "0.4", "150.3", 5 },     /* of total mass 0.99 */
    { 1000, "0", "0.99", "1.37", "0.01", "25.2", 6 },       /* most terms are 0 */
    { 1000, "1/1267650600228229401496703205376", "0.99", "1.37", "0.01", "25.2", 6 }, /* or 2^-100 */
    { 1000, "-1", "0.5", "1", "0.5", "60", 6 },             /* on nodes */
    { 1000, "0.1", "0.999", "0.7", "0.001", "690", 3 },     /* near the largest sum */
    { 1000, "0.1", "0.5", "0.7", "0.5", "250.1", 6 },       /* below the mean */
    { 100000, "-1/3", "0.6", "0.7", "0.4", "8400.7", 3 },
    { 100000, "0", "0.999", "1/7", "0.001", "25.2", 6 },
};

static void set_fraction(arb_t x, const char *text)
{
    fmpq_t q;
    fmpq_init(q);
    if (fmpq_set_str(q, text, 10) == 0)
        arb_set_fmpq(x, q, PREC);
    else
        arb_set_str(x, text, PREC);
    fmpq_clear(q);
}

static void test_two_atoms(void **state)
{
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(two_atoms) / sizeof(two_atoms[0]); i++)
    {
        atoms_struct a;
        arb_t K, value;
        shuf_summand law;
        shuf_enclosure_t r;
        shuf_options options = { two_atoms[i].digits, 0 };
        atoms_init(&a, 2);
        arb_init(K);
        arb_init(value);
        shuf_enclosure_init(r);
        set_fraction(a.value, two_atoms[i].a);
        set_fraction(a.value + 1, two_atoms[i].b);
        set_fraction(a.mass, two_atoms[i].mass_a);
        set_fraction(a.mass + 1, two_atoms[i].mass_b);
        set_fraction(K, two_atoms[i].K);
        by_binomial(value, two_atoms[i].n, &a, K);
        shuf_summand_init_finite(&law, a.value, a.mass, 2);
        shuf_iidsum_excess(r, &law, two_atoms[i].n, K, &options);
        printf("n = %d, K = %s: %.10g, width %.2g, %.2g units of work\n", (int) two_atoms[i].n, two_atoms[i].K, arf_get_d(r->hi, ARF_RND_UP),
               1 - arf_get_d(r->lo, ARF_RND_UP) / arf_get_d(r->hi, ARF_RND_UP), r->ledger.work);
        assert_true(well_formed(r));
        assert_contains(r, value, two_atoms[i].K);
        assert_int_equal(r->status, SHUF_OK);
        shuf_summand_clear_finite(&law);
        shuf_enclosure_clear(r);
        arb_clear(K);
        arb_clear(value);
        atoms_clear(&a);
    }
}

/* ---- a density: exponential, moved by an offset, and perhaps an atom at 0 ---- */

typedef struct
{
    double share, offset; /* share E + offset: density share e^{-(x - offset)} from the offset on; 0 otherwise */
} exponential_struct;

/* antiderivatives from x on: e^{-(x-offset)} and its integral against t - from */
static void from_on(arb_t mass, arb_t moment, const exponential_struct *e, const arf_t x, const arf_t from, slong prec)
{
    arb_t t;
    arb_init(t);
    arb_set_arf(t, x);
    arb_set_d(mass, e->offset);
    arb_sub(mass, mass, t, prec);
    arb_exp(mass, mass, prec);
    arb_set_d(moment, e->share);
    arb_mul(mass, mass, moment, prec);
    /* integral of (t - from) e^{-(t-offset)} over t > x is (x - from + 1) e^{-(x-offset)} */
    arb_sub_arf(t, t, from, prec);
    arb_add_ui(t, t, 1, prec);
    arb_mul(moment, mass, t, prec);
    arb_clear(t);
}

static void exponential_tail(arb_t mass, arb_t excess, const shuf_summand *law, const arf_t x, slong prec)
{
    const exponential_struct *e = law->data;
    arf_t start;
    arb_t m;
    arf_init(start);
    arb_init(m);
    arf_set_d(start, e->offset);
    arf_max(start, start, x);
    from_on(mass, excess, e, start, x, prec);
    if (arf_sgn(x) <= 0)
    {
        arb_set_d(m, 1 - e->share);
        arb_add(mass, mass, m, prec);
        arf_neg(start, x);
        arb_addmul_arf(excess, m, start, prec);
    }
    arf_clear(start);
    arb_clear(m);
}

/* The density times e^{s y}, Re s = theta and |Im s| at most reach. */
typedef struct
{
    const exponential_struct *e;
    double theta, reach;
    slong prec;
} exponential_integrand;

static double exponential_bound(const void *data, double centre, double half, double v)
{
    const exponential_integrand *f = data;
    double rise = f->theta - 1;
    return log(f->e->share) + f->e->offset + rise * (rise > 0 ? centre + half : centre - half) + f->reach * v;
}

static void exponential_node(shuf_quadrature *q, const void *data, const arb_t y, const arb_t weight)
{
    const exponential_integrand *f = data;
    arb_t mass, t;
    arb_init(mass);
    arb_init(t);
    arb_set_d(mass, f->e->offset);
    arb_sub(mass, mass, y, f->prec);
    arb_exp(mass, mass, f->prec);
    arb_set_d(t, f->e->share);
    arb_mul(mass, mass, t, f->prec);
    arb_mul(mass, mass, weight, f->prec);
    shuf_quadrature_add(q, y, mass);
    arb_clear(mass);
    arb_clear(t);
}

static int exponential_quadrature(shuf_quadrature *q, const shuf_summand *law, double theta, double reach, const arf_t top,
                                  double tolerance, slong prec)
{
    const exponential_integrand f = { law->data, theta, reach, prec };
    const panel_integrand panels = { 1e300, exponential_bound, exponential_node, &f, prec };
    panel_rule rule;
    arb_t left, right;
    int failed = !arf_is_finite(top);
    arb_init(left);
    arb_init(right);
    panel_rule_init(&rule, prec);
    arb_set_d(left, f.e->offset);
    arb_set_arf(right, top);
    if (!failed && arb_lt(left, right))
        failed = panels_add(q, &rule, &panels, left, right, tolerance) != 0;
    arb_zero(left);
    arb_set_d(right, 1 - f.e->share);
    if (arf_sgn(top) > 0 && !arb_is_zero(right))
        shuf_quadrature_add(q, left, right);
    panel_rule_clear(&rule);
    arb_clear(left);
    arb_clear(right);
    return failed ? -1 : 0;
}

static void exponential_steps(shuf_steps *s, const shuf_summand *law, const arf_t top)
{
    const exponential_struct *e = law->data;
    double x, width = 1.0 / 16;
    for (x = e->offset; x < e->offset + 30 && arf_cmp_d(top, x + width) >= 0; x += width)
        shuf_steps_add(s, x, width, 0.999999 * e->share * exp(e->offset - x - width), 0);
}

static void exponential_support(arf_t lowest, arf_t largest, const shuf_summand *law)
{
    const exponential_struct *e = law->data;
    arf_set_d(lowest, fmin(e->offset, 0));
    arf_pos_inf(largest);
}

static void exponential_init(shuf_summand *law, const exponential_struct *e)
{
    shuf_summand_init(law);
    law->tail = exponential_tail;
    law->support = exponential_support;
    law->quadrature = exponential_quadrature;
    law->steps = exponential_steps;
    law->zero = 1 - e->share;
    law->data = e;
}

/* E(G - x)_+ for G of the gamma law with parameter m >= 1: m Q(m+1, x) - x Q(m, x) */
static void gamma_excess(arb_t r, uint64_t m, const arb_t x)
{
    arb_t s, q;
    arb_init(s);
    arb_init(q);
    if (arb_is_nonpositive(x))
    {
        arb_set_ui(r, m);
        arb_sub(r, r, x, PREC);
    }
    else
    {
        arb_set_ui(s, m + 1);
        arb_hypgeom_gamma_upper(r, s, x, 1, PREC);
        arb_mul_ui(r, r, m, PREC);
        arb_set_ui(s, m);
        arb_hypgeom_gamma_upper(q, s, x, 1, PREC);
        arb_submul(r, q, x, PREC);
    }
    arb_clear(s);
    arb_clear(q);
}

/* over the number m of terms that are not 0 */
static void by_gamma(arb_t total, uint64_t n, const exponential_struct *e, const arb_t K)
{
    arb_t pmf, x, t, share;
    uint64_t m;
    arb_init(pmf); arb_init(x); arb_init(t); arb_init(share);
    arb_zero(total);
    arb_set_d(share, e->share);
    for (m = e->share < 1 ? 0 : n; m <= n; m++)
    {
        arb_bin_uiui(pmf, n, m, PREC);
        arb_pow_ui(t, share, m, PREC);
        arb_mul(pmf, pmf, t, PREC);
        arb_sub_ui(t, share, 1, PREC);
        arb_neg(t, t);
        arb_pow_ui(t, t, n - m, PREC);
        arb_mul(pmf, pmf, t, PREC);
        arb_set_d(t, e->offset);
        arb_mul_ui(t, t, m, PREC);
        arb_sub(x, K, t, PREC);
        if (m > 0)
            gamma_excess(t, m, x);
        else
            arb_neg(t, x);
        if (m > 0 || arb_is_negative(x))
            arb_addmul(total, pmf, t, PREC);
    }
    arb_clear(pmf); arb_clear(x); arb_clear(t); arb_clear(share);
}

static const struct
{
    uint64_t n;
    double share, offset, K;
    slong digits;
} gammas[] = {
    { 1, 1, 0, 3.25, 15 },      { 1, 0.5, -0.3, -0.1, 15 }, { 2, 1, 0, 5, 5 },
    { 10, 1, 0, 20, 6 },        { 10, 1, 0, 300, 3 }, /* some 1e-115 */
    { 100, 1, 0, 150, 4 },      { 100, 1, -1, 40, 4 },
    { 200, 0.03125, 0, 20, 4 }, { 200, 0.03125, -0.7, 10, 4 }, /* an atom where there is a density */
    { 2000, 1, -1, 200, 4 },
};

static void test_density(void **state)
{
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(gammas) / sizeof(gammas[0]); i++)
    {
        exponential_struct e = { gammas[i].share, gammas[i].offset };
        shuf_options options = { gammas[i].digits, 0 };
        shuf_summand law;
        shuf_enclosure_t r;
        arb_t K, value;
        char what[60];
        arb_init(K);
        arb_init(value);
        shuf_enclosure_init(r);
        exponential_init(&law, &e);
        arb_set_d(K, gammas[i].K);
        by_gamma(value, gammas[i].n, &e, K);
        shuf_iidsum_excess(r, &law, gammas[i].n, K, &options);
        snprintf(what, sizeof(what), "exponential, n = %d, K = %g", (int) gammas[i].n, gammas[i].K);
        printf("%s: %.10g, width %.2g, %.2g units of work, %lu frequencies\n", what, arf_get_d(r->hi, ARF_RND_UP),
               1 - arf_get_d(r->lo, ARF_RND_UP) / arf_get_d(r->hi, ARF_RND_UP), r->ledger.work, r->ledger.terms);
        assert_true(well_formed(r));
        assert_contains(r, value, what);
        assert_int_equal(r->status, SHUF_OK);
        mag_clear(law.shift);
        shuf_enclosure_clear(r);
        arb_clear(K);
        arb_clear(value);
    }
}

/* ---- atoms at all whole numbers: what is beyond the cut shows ---- */

/* L = sign G, Pr[G = k] = (1-q) q^k */
typedef struct
{
    int sign;
    double q;
} geometric_struct;

/* q^k; and E(G - y)_+ = q^k (k - y + q/(1-q)), k the first whole number >= max(y, 0), or > y if strict */
static void geometric_above(arb_t mass, arb_t excess, double q, double y, int strict, slong prec)
{
    double k = fmax(strict ? floor(y) + 1 : ceil(y), 0);
    arb_t t;
    arb_init(t);
    arb_set_d(mass, q);
    arb_set_d(t, 1);
    arb_sub(t, t, mass, prec);
    arb_div(excess, mass, t, prec);
    arb_pow_ui(mass, mass, (ulong) fmin(k, 1e9), prec);
    arb_set_d(t, k - y);
    arb_add(excess, excess, t, prec);
    arb_mul(excess, excess, mass, prec);
    arb_clear(t);
}

static void geometric_tail(arb_t mass, arb_t excess, const shuf_summand *law, const arf_t x, slong prec)
{
    const geometric_struct *g = law->data;
    double y = g->sign * arf_get_d(x, ARF_RND_NEAR);
    slong work = prec + 2000;
    if (g->sign > 0)
    {
        geometric_above(mass, excess, g->q, y, 0, prec);
    }
    else
    {
        /* Pr[G <= y], E(y - G)_+ = E(G - y)_+ - E G + y */
        arb_t mean, t;
        arb_init(mean);
        arb_init(t);
        geometric_above(t, mean, g->q, 0, 0, work);
        geometric_above(mass, excess, g->q, y, 1, work);
        arb_sub_ui(mass, mass, 1, prec);
        arb_neg(mass, mass);
        arb_sub(excess, excess, mean, work);
        arb_set_d(t, y);
        arb_add(excess, excess, t, prec);
        if (y <= 0)
            arb_zero(excess);
        arb_clear(mean);
        arb_clear(t);
    }
}

/* Of -G the values far below are left out. */
static int geometric_quadrature(shuf_quadrature *q, const shuf_summand *law, double theta, double reach, const arf_t top,
                                double tolerance, slong prec)
{
    const geometric_struct *g = law->data;
    arb_t value, mass;
    double left = 1;
    slong k;
    (void) theta; (void) reach;
    if (g->sign > 0 && !arf_is_finite(top))
        return -1;
    arb_init(value);
    arb_init(mass);
    for (k = 0; g->sign > 0 ? arf_cmp_si(top, k) > 0 : left > fmax(1e-3 * tolerance, 1e-60); k++, left *= g->q)
    {
        arb_set_si(value, g->sign * k);
        arb_set_d(mass, g->q);
        arb_pow_ui(mass, mass, (ulong) k, prec);
        arb_mul_2exp_si(mass, mass, -2);
        arb_mul_si(mass, mass, (slong) (4 * (1 - g->q)), prec);
        if (arf_cmp_si(top, g->sign * k) > 0)
            shuf_quadrature_add(q, value, mass);
    }
    if (g->sign < 0)
        q->error += 1.01 * left;
    arb_clear(value);
    arb_clear(mass);
    return 0;
}

static void geometric_support(arf_t lowest, arf_t largest, const shuf_summand *law)
{
    const geometric_struct *g = law->data;
    arf_zero(lowest);
    arf_zero(largest);
    if (g->sign > 0)
        arf_pos_inf(largest);
    else
        arf_neg_inf(lowest);
}

/* sum over s of C(s+n-1, s) (1-q)^n q^s (sign s - K)_+ */
static void by_negative_binomial(arb_t total, uint64_t n, const geometric_struct *g, double K)
{
    arb_t pmf, t, distance;
    uint64_t s;
    arb_init(pmf); arb_init(t); arb_init(distance);
    arb_set_d(pmf, 1 - g->q);
    arb_pow_ui(pmf, pmf, n, PREC);
    arb_zero(total);
    for (s = 0; s < 20000; s++)
    {
        arb_set_d(distance, g->sign * (double) s - K);
        if (arb_is_positive(distance))
            arb_addmul(total, pmf, distance, PREC);
        arb_set_d(t, g->q);
        arb_mul(pmf, pmf, t, PREC);
        arb_mul_ui(pmf, pmf, s + n, PREC);
        arb_div_ui(pmf, pmf, s + 1, PREC);
    }
    arb_clear(pmf); arb_clear(t); arb_clear(distance);
}

static void test_range(void **state)
{
    static const struct { uint64_t n; int sign; double q, K; slong most_digits; } cases[] = {
        { 2, 1, 0.5, 9.5, 6 }, { 20, 1, 0.5, 60.25, 6 }, { 50, 1, 0.75, 700.5, 6 }, { 2, -1, 0.5, -0.75, 6 }, { 20, -1, 0.75, -30.5, 6 },
        { 100, -1, 0.5, -99.5, 6 }, { 20, -1, 0.75, -120, 6 },
        { 50, 1, 0.75, 700, 3 }, /* at an atom: what is added shows */
    };
    size_t i;
    slong digits;
    (void) state;
    skip_unless_drawn(4);
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
    {
        for (digits = 1; digits <= cases[i].most_digits; digits++)
        {
            geometric_struct g = { cases[i].sign, cases[i].q };
            shuf_options options = { digits, 0 };
            shuf_summand law;
            shuf_enclosure_t r;
            arb_t K, value;
            char what[60];
            shuf_enclosure_init(r);
            arb_init(K);
            arb_init(value);
            shuf_summand_init(&law);
            law.tail = geometric_tail;
            law.support = geometric_support;
            law.quadrature = geometric_quadrature;
            law.zero = 1 - g.q;
            law.data = &g;
            arb_set_d(K, cases[i].K);
            by_negative_binomial(value, cases[i].n, &g, cases[i].K);
            snprintf(what, sizeof(what), "geometric, n = %d, K = %g", (int) cases[i].n, cases[i].K);
            assert_int_equal(shuf_iidsum_excess(r, &law, cases[i].n, K, &options), SHUF_OK);
            printf("%s, %d digits: %.10g, width %.2g, %.2g units of work\n", what, (int) digits, arf_get_d(r->hi, ARF_RND_UP),
                   1 - arf_get_d(r->lo, ARF_RND_UP) / arf_get_d(r->hi, ARF_RND_UP), r->ledger.work);
            assert_true(well_formed(r));
            assert_contains(r, value, what);
            mag_clear(law.shift);
            shuf_enclosure_clear(r);
            arb_clear(K);
            arb_clear(value);
        }
    }
}

/* ---- against itself, and at the ends ---- */

static void three_atoms(atoms_struct *a)
{
    atoms_init(a, 3);
    atoms_set(a, 0, "-0.3", "0.5");
    atoms_set(a, 1, "0.37", "0.3");
    atoms_set(a, 2, "0.111", "0.2");
}

/* Two settings overlap, and so does every pair with K in order; more of K gives less. */
static void test_settings(void **state)
{
    static const double points[] = { -20, -3.4, 0, 2.25, 7, 15.5, 30, 36.9 };
    atoms_struct a;
    shuf_summand law;
    shuf_enclosure_t r, coarse, last;
    arb_t K;
    size_t i;
    (void) state;
    skip_unless_drawn(5);
    three_atoms(&a);
    shuf_summand_init_finite(&law, a.value, a.mass, a.count);
    shuf_enclosure_init(r);
    shuf_enclosure_init(coarse);
    shuf_enclosure_init(last);
    arb_init(K);
    arf_pos_inf(last->hi);
    for (i = 0; i < sizeof(points) / sizeof(points[0]); i++)
    {
        shuf_options two_digits = { 2, 0 };
        arb_set_d(K, points[i]);
        assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &six_digits), SHUF_OK);
        assert_int_equal(shuf_iidsum_excess(coarse, &law, 100, K, &two_digits), SHUF_OK);
        assert_true(well_formed(r));
        assert_true(well_formed(coarse));
        assert_true(overlap(r, coarse));
        assert_true(arf_cmp(r->lo, last->hi) <= 0);
        shuf_enclosure_set(last, r);
        /* a ball of K: all of it */
        mag_set_d(arb_radref(K), 0.01);
        shuf_iidsum_excess(coarse, &law, 100, K, &six_digits);
        assert_true(well_formed(coarse));
        assert_true(arf_cmp(coarse->lo, r->lo) < 0 && arf_cmp(coarse->hi, r->hi) > 0);
        mag_zero(arb_radref(K));
    }
    shuf_summand_clear_finite(&law);
    shuf_enclosure_clear(r);
    shuf_enclosure_clear(coarse);
    shuf_enclosure_clear(last);
    arb_clear(K);
    atoms_clear(&a);
}

/* Values and masses known to a small radius: whatever they are, they are enclosed. */
static void test_shift(void **state)
{
    int i, side;
    (void) state;
    skip_unless_drawn(5);
    for (i = 0; i < 12; i++)
    {
        int n = 2 + (int) random_below(4);
        double radius = ldexp(1, -10 - (int) random_below(20)), relative = ldexp(1, -10 - (int) random_below(30));
        atoms_struct a, moved;
        arb_t K, value;
        shuf_summand law;
        shuf_enclosure_t r;
        slong j;
        random_atoms(&a);
        atoms_init(&moved, a.count);
        arb_init(K);
        arb_init(value);
        shuf_enclosure_init(r);
        arb_set_d(K, random_unit() * n);
        for (j = 0; j < a.count; j++)
        {
            mag_set_d(arb_radref(a.value + j), radius);
            /* at most 1 in all */
            arb_set_d(value, 0.99);
            mag_set_d(arb_radref(value), relative);
            arb_mul(a.mass + j, a.mass + j, value, PREC);
        }
        shuf_summand_init_finite(&law, a.value, a.mass, a.count);
        shuf_iidsum_excess(r, &law, (uint64_t) n, K, &six_digits);
        assert_true(well_formed(r));
        for (side = 0; side < 9; side++)
        {
            int up = side % 3 - 1, more = side / 3 - 1;
            for (j = 0; j < a.count; j++)
            {
                arf_set_d(arb_midref(moved.value + j), up * radius);
                arf_add(arb_midref(moved.value + j), arb_midref(moved.value + j), arb_midref(a.value + j), PREC, ARF_RND_DOWN);
                arb_get_mid_arb(moved.mass + j, a.mass + j);
                arb_set_d(value, 1 + more * 0.99 * relative);
                arb_mul(moved.mass + j, moved.mass + j, value, PREC);
            }
            by_enumeration(value, &moved, n, K);
            assert_contains(r, value, "moved atoms");
        }
        shuf_summand_clear_finite(&law);
        shuf_enclosure_clear(r);
        arb_clear(K);
        arb_clear(value);
        atoms_clear(&a);
        atoms_clear(&moved);
    }
}

static void test_ends(void **state)
{
    static const uint64_t many[] = { UINT64_C(1000000000), UINT64_C(1) << 40, UINT64_C(1000000000000000), SHUF_MAX_USERS };
    atoms_struct a;
    exponential_struct e = { 1, 0 };
    shuf_summand law, none, density;
    shuf_enclosure_t r;
    shuf_options options = { 6, 0.5e9 };
    arb_t K, value;
    size_t i;
    (void) state;
    skip_unless_drawn(4);
    three_atoms(&a);
    shuf_summand_init_finite(&law, a.value, a.mass, a.count);
    shuf_summand_init_finite(&none, a.value, a.mass, 0);
    exponential_init(&density, &e);
    shuf_enclosure_init(r);
    arb_init(K);
    arb_init(value);

    /* beyond the largest sum, and just not */
    arb_set_d(K, 37.001);
    assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &six_digits), SHUF_OK);
    assert_true(arf_is_zero(r->lo) && arf_is_zero(r->hi));
    arb_set_d(K, 36.999);
    assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &six_digits), SHUF_OK);
    assert_true(arf_sgn(r->lo) > 0);
    assert_int_equal(shuf_iidsum_excess(r, &none, 100, K, &six_digits), SHUF_OK);
    assert_true(arf_is_zero(r->hi));
    /* far below the smallest: E S - K */
    arb_set_si(K, -1000000000);
    shuf_iidsum_excess(r, &law, 50, K, &six_digits);
    arb_set_str(value, "-0.0168", PREC); /* E L */
    arb_mul_ui(value, value, 50, PREC);
    arb_sub(value, value, K, PREC);
    assert_true(well_formed(r));
    assert_contains(r, value, "far below");
    /* one term */
    arb_set_d(K, 0.125);
    assert_int_equal(shuf_iidsum_excess(r, &law, 1, K, &six_digits), SHUF_OK);
    by_enumeration(value, &a, 1, K);
    assert_contains(r, value, "one term");
    /* more than can be done, quickly */
    for (i = 0; i < sizeof(many) / sizeof(many[0]); i++)
    {
        double start = shuf_work();
        arb_set_ui(K, many[i]);
        arb_mul_2exp_si(K, K, -6);
        assert_int_equal(shuf_iidsum_excess(r, &law, many[i], K, &options), SHUF_ACCURACY);
        assert_true(well_formed(r));
        shuf_iidsum_excess(r, &density, many[i], K, &options);
        assert_true(well_formed(r));
        /* next to n - K, from above */
        assert_true(arf_is_finite(r->hi) && arf_cmp_d(r->lo, 0.984375 * (double) many[i] * (1 + 1e-9)) <= 0);
        assert_true(arf_cmp_d(r->hi, 0.984375 * (double) many[i] * (1 - 1e-15)) >= 0);
        assert_true(shuf_work() - start < 5e9);
    }
    assert_int_equal(shuf_iidsum_excess(r, &law, 0, K, &options), SHUF_DOMAIN);
    assert_int_equal(shuf_iidsum_excess(r, &law, SHUF_MAX_USERS + 1, K, &options), SHUF_DOMAIN);
    /* nothing known of K; an absurd one */
    arb_zero_pm_inf(K);
    assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &options), SHUF_ACCURACY);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
    arb_indeterminate(K);
    assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &options), SHUF_ACCURACY);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));
    arb_one(K);
    arb_mul_2exp_si(K, K, 5000);
    assert_int_equal(shuf_iidsum_excess(r, &density, 100, K, &options), SHUF_ACCURACY);
    assert_true(well_formed(r));

    /* nothing known of a value */
    shuf_summand_clear_finite(&law);
    arb_indeterminate(a.value + 1);
    shuf_summand_init_finite(&law, a.value, a.mass, a.count);
    arb_set_ui(K, 1000);
    assert_int_equal(shuf_iidsum_excess(r, &law, 100, K, &options), SHUF_ACCURACY);
    assert_true(arf_is_zero(r->lo) && arf_is_pos_inf(r->hi));

    shuf_summand_clear_finite(&law);
    shuf_summand_clear_finite(&none);
    mag_clear(density.shift);
    shuf_enclosure_clear(r);
    arb_clear(K);
    arb_clear(value);
    atoms_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_rare), cmocka_unit_test(test_thinned), cmocka_unit_test(test_two_atoms), cmocka_unit_test(test_density),
        cmocka_unit_test(test_range), cmocka_unit_test(test_settings), cmocka_unit_test(test_shift), cmocka_unit_test(test_ends),
    };
    seed_random();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
