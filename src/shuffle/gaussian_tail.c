/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/gaussian.md, Lemma 3. */
#include "shuffle/gaussian_tail.h"

#include "enclosure/budget.h"

/* Where no lemma is named: steer only. */
#define BOUND_BITS 30 /* of B */
#define MOMENTS 6     /* size of an array: E(L^j; L < B), j up to that */
#define MOST_TILT 120 /* theta B */
#define TILT_STEP 4
#define TAIL_WORK 1e6

/* The law of one term, cut at B into small and large ones. */
typedef struct
{
    uint64_t n;
    slong prec;
    arb_t a, B, K;
    arb_ptr moment;       /* E(L^j; L < B), 0 <= j <= MOMENTS */
    arb_t p, e;           /* Pr[L >= B], E(L; L >= B) */
    arb_t mean, variance; /* of the sum of n-1 small terms */
    arb_t third;          /* at least E|that sum less its mean|^3 */
} tail_struct;

static void tail_init(tail_struct *x)
{
    arb_init(x->a); arb_init(x->B); arb_init(x->K); arb_init(x->p); arb_init(x->e);
    arb_init(x->mean); arb_init(x->variance); arb_init(x->third);
    x->moment = _arb_vec_init(MOMENTS + 1);
}

static void tail_clear(tail_struct *x)
{
    arb_clear(x->a); arb_clear(x->B); arb_clear(x->K); arb_clear(x->p); arb_clear(x->e);
    arb_clear(x->mean); arb_clear(x->variance); arb_clear(x->third);
    _arb_vec_clear(x->moment, MOMENTS + 1);
}

/* u with L = y at the normal outcome u */
static void outcome(arb_t u, const tail_struct *x, const arb_t y)
{
    arb_t t;
    arb_init(t);
    arb_log(u, y, x->prec);
    arb_div(u, u, x->a, x->prec);
    arb_mul_2exp_si(t, x->a, -1);
    arb_add(u, u, t, x->prec);
    arb_clear(t);
}

/* mass := Pr[L >= y], excess := E(L - y)_+, density := that of L at y, slope := minus its derivative */
static void at(arb_t mass, arb_t excess, arb_t density, arb_t slope, const tail_struct *x, const arb_t y)
{
    arb_t u, t;
    arb_init(u);
    arb_init(t);
    outcome(u, x, y);
    shuf_normal_tail(mass, u, x->prec);
    arb_sub(t, u, x->a, x->prec);
    shuf_normal_tail(excess, t, x->prec);
    arb_submul(excess, mass, y, x->prec);
    arb_mul(density, u, u, x->prec);
    arb_mul_2exp_si(density, density, -1);
    arb_neg(density, density);
    arb_exp(density, density, x->prec);
    arb_const_pi(t, x->prec);
    arb_mul_2exp_si(t, t, 1);
    arb_sqrt(t, t, x->prec);
    arb_mul(t, t, x->a, x->prec);
    arb_mul(t, t, y, x->prec);
    arb_div(density, density, t, x->prec);
    /* density/y (1 + u/a) */
    arb_div(slope, u, x->a, x->prec);
    arb_add_ui(slope, slope, 1, x->prec);
    arb_mul(slope, slope, density, x->prec);
    arb_div(slope, slope, y, x->prec);
    arb_clear(u);
    arb_clear(t);
}

/* Returns whether minus the density's derivative falls from B on. */
static int set_cut(tail_struct *x)
{
    arb_t u, t;
    slong j;
    int falls;
    arb_init(u);
    arb_init(t);
    outcome(u, x, x->B);
    shuf_normal_tail(x->p, u, x->prec);
    arb_sub(t, u, x->a, x->prec);
    shuf_normal_tail(x->e, t, x->prec);
    for (j = 0; j <= MOMENTS; j++)
    {
        /* e^{j (j-1) a^2/2} Pr[Z < u - j a] */
        arb_mul_si(t, x->a, j, x->prec);
        arb_sub(t, t, u, x->prec);
        shuf_normal_tail(x->moment + j, t, x->prec);
        arb_mul(t, x->a, x->a, x->prec);
        arb_mul_si(t, t, j * (j - 1) / 2, x->prec);
        arb_exp(t, t, x->prec);
        arb_mul(x->moment + j, x->moment + j, t, x->prec);
    }
    arb_add(t, u, x->a, x->prec);
    arb_sub_ui(t, t, 1, x->prec);
    falls = arb_is_nonnegative(t);
    arb_clear(u);
    arb_clear(t);
    return falls;
}

static void set_sum(tail_struct *x)
{
    arb_t m, t;
    arb_init(m);
    arb_init(t);
    arb_div(m, x->moment + 1, x->moment, x->prec);
    arb_mul_ui(x->mean, m, x->n - 1, x->prec);
    arb_div(x->variance, x->moment + 2, x->moment, x->prec);
    arb_submul(x->variance, m, m, x->prec);
    arb_mul_ui(x->variance, x->variance, x->n - 1, x->prec);
    arb_div(x->third, x->moment + 3, x->moment, x->prec);
    arb_pow_ui(t, m, 3, x->prec);
    arb_add(x->third, x->third, t, x->prec);
    arb_mul_ui(x->third, x->third, x->n - 1, x->prec);
    arb_sqrt(t, x->variance, x->prec);
    arb_mul(t, t, x->variance, x->prec);
    arb_mul_2exp_si(t, t, 1);
    arb_add(x->third, x->third, t, x->prec);
    arb_clear(m);
    arb_clear(t);
}

/* r := r Pr[L < B]^k */
static void times_small(arb_t r, const tail_struct *x, uint64_t k)
{
    arb_t t;
    arb_init(t);
    arb_neg(t, x->p);
    arb_log1p(t, t, x->prec);
    arb_mul_ui(t, t, k, x->prec);
    arb_exp(t, t, x->prec);
    arb_mul(r, r, t, x->prec);
    arb_clear(t);
}

/* r := max over the three of what bounds T - T_2, times E|Y|^3 */
static void remainder_of(arb_t r, const tail_struct *x, const arb_t T, const arb_t mass, const arb_t density, const arb_t y)
{
    arb_t D, t, s;
    arb_init(D); arb_init(t); arb_init(s);
    arb_sub(D, y, x->B, x->prec);
    at(s, t, t, r, x, x->B);
    arb_div_ui(r, r, 6, x->prec);
    /* e/D^3 + p/D^2 */
    arb_div(t, x->e, D, x->prec);
    arb_add(t, t, x->p, x->prec);
    arb_div(t, t, D, x->prec);
    arb_div(t, t, D, x->prec);
    arb_max(r, r, t, x->prec);
    /* T/D^3 + mass/D^2 + density/(2 D) */
    arb_div(t, T, D, x->prec);
    arb_add(t, t, mass, x->prec);
    arb_div(t, t, D, x->prec);
    arb_mul_2exp_si(s, density, -1);
    arb_add(t, t, s, x->prec);
    arb_div(t, t, D, x->prec);
    arb_max(r, r, t, x->prec);
    arb_mul(r, r, x->third, x->prec);
    arb_clear(D); arb_clear(t); arb_clear(s);
}

/* Exactly one large term. */
static void add_one(arb_t r, const tail_struct *x)
{
    arb_t y, mass, T, density, slope, error;
    mag_t m;
    arb_init(y); arb_init(mass); arb_init(T); arb_init(density); arb_init(slope); arb_init(error);
    mag_init(m);
    arb_sub(y, x->K, x->mean, x->prec);
    at(mass, T, density, slope, x, y);
    remainder_of(error, x, T, mass, density, y);
    arb_mul(density, density, x->variance, x->prec);
    arb_mul_2exp_si(density, density, -1);
    arb_add(T, T, density, x->prec);
    arb_get_mag(m, error);
    arb_add_error_mag(T, m);
    arb_mul_ui(T, T, x->n, x->prec);
    times_small(T, x, x->n - 1);
    arb_add(r, r, T, x->prec);
    arb_clear(y); arb_clear(mass); arb_clear(T); arb_clear(density); arb_clear(slope); arb_clear(error);
    mag_clear(m);
}

/* Exactly two: r := r + [low, high] */
static void add_two(arb_t r, const tail_struct *x)
{
    arb_t mean, gap, low, high, t;
    arb_init(mean); arb_init(gap); arb_init(low); arb_init(high); arb_init(t);
    arb_div(mean, x->moment + 1, x->moment, x->prec);
    arb_mul_ui(mean, mean, x->n - 2, x->prec);
    /* 2 p e + p^2 (mean - K) */
    arb_sub(t, mean, x->K, x->prec);
    arb_mul(low, x->p, t, x->prec);
    arb_mul_2exp_si(t, x->e, 1);
    arb_add(low, low, t, x->prec);
    arb_mul(low, low, x->p, x->prec);
    arb_zero(t);
    arb_max(low, low, t, x->prec);
    /* 2 p (e - p B) + p^2 (sqrt(variance) + (mean - K + 2 B)_+) */
    arb_mul_2exp_si(gap, x->B, 1);
    arb_sub(gap, gap, x->K, x->prec);
    arb_add(gap, gap, mean, x->prec);
    arb_max(gap, gap, t, x->prec);
    arb_sqrt(t, x->variance, x->prec);
    arb_add(gap, gap, t, x->prec);
    arb_mul(high, x->p, gap, x->prec);
    arb_mul(t, x->p, x->B, x->prec);
    arb_sub(t, x->e, t, x->prec);
    arb_mul_2exp_si(t, t, 1);
    arb_add(high, high, t, x->prec);
    arb_mul(high, high, x->p, x->prec);
    arb_union(low, low, high, x->prec);
    arb_mul_ui(low, low, x->n, x->prec);
    arb_mul_ui(low, low, x->n - 1, x->prec);
    arb_mul_2exp_si(low, low, -1);
    times_small(low, x, x->n - 2);
    arb_add(r, r, low, x->prec);
    arb_clear(mean); arb_clear(gap); arb_clear(low); arb_clear(high); arb_clear(t);
}

/* more := at least what three and more add: C(n, 3) p^2 (3 e + p (n-3)) */
static void set_more(arb_t more, const tail_struct *x)
{
    arb_zero(more);
    if (x->n < 3)
        return;
    arb_mul_ui(more, x->p, x->n - 3, x->prec);
    arb_addmul_ui(more, x->e, 3, x->prec);
    arb_mul(more, more, x->p, x->prec);
    arb_mul(more, more, x->p, x->prec);
    arb_mul_ui(more, more, x->n, x->prec);
    arb_mul_ui(more, more, x->n - 1, x->prec);
    arb_mul_ui(more, more, x->n - 2, x->prec);
    arb_div_ui(more, more, 6, x->prec);
}

/* none := at least what no large term adds, with theta = tilt/B: e^{-theta K - 1} E(e^{theta L}; L < B)^n/theta */
static void bound_none(arb_t none, const tail_struct *x, slong tilt)
{
    arb_t theta, power, t;
    slong j;
    arb_init(theta); arb_init(power); arb_init(t);
    arb_set_si(t, tilt);
    arb_div(theta, t, x->B, x->prec);
    arb_one(power);
    arb_zero(none);
    for (j = 0; j < MOMENTS; j++)
    {
        arb_addmul(none, power, x->moment + j, x->prec);
        arb_mul(power, power, theta, x->prec);
        arb_div_si(power, power, j + 1, x->prec);
    }
    arb_set_si(t, tilt);
    arb_exp(t, t, x->prec);
    arb_mul(t, t, x->moment + MOMENTS, x->prec);
    for (j = 0; j < MOMENTS; j++)
        arb_div(t, t, x->B, x->prec);
    arb_add(none, none, t, x->prec);
    arb_log(none, none, x->prec);
    arb_mul_ui(none, none, x->n, x->prec);
    arb_submul(none, theta, x->K, x->prec);
    arb_sub_ui(none, none, 1, x->prec);
    arb_exp(none, none, x->prec);
    arb_div(none, none, theta, x->prec);
    arb_clear(theta); arb_clear(power); arb_clear(t);
}

static void add_up(arf_t low, arf_t high, const tail_struct *x)
{
    arb_t sum, more;
    arf_t bound, best;
    slong tilt;
    arb_init(sum);
    arb_init(more);
    arf_init(bound);
    arf_init(best);
    add_one(sum, x);
    add_two(sum, x);
    arb_get_lbound_arf(low, sum, x->prec);
    arb_get_ubound_arf(high, sum, x->prec);
    set_more(more, x);
    arb_get_ubound_arf(bound, more, x->prec);
    arf_add(high, high, bound, x->prec, ARF_RND_CEIL);
    arf_pos_inf(best);
    for (tilt = TILT_STEP; tilt <= MOST_TILT; tilt += TILT_STEP)
    {
        bound_none(more, x, tilt);
        arb_get_ubound_arf(bound, more, x->prec);
        if (arf_is_finite(bound))
            arf_min(best, best, bound);
    }
    arf_add(high, high, best, x->prec, ARF_RND_CEIL);
    if (arf_sgn(low) < 0)
        arf_zero(low);
    arb_clear(sum);
    arb_clear(more);
    arf_clear(bound);
    arf_clear(best);
}

int gaussian_tail(arf_t low, arf_t high, uint64_t n, const shuf_real_t sigma, const arb_t K, slong prec)
{
    tail_struct x = { .n = n, .prec = prec };
    arb_t t;
    int known;
    tail_init(&x);
    arb_init(t);
    shuf_charge(TAIL_WORK);
    shuf_real_get_arb(t, sigma, prec);
    arb_inv(x.a, t, prec);
    arb_set(x.K, K);
    /* B := about half of what K is above the mean */
    arb_sub_ui(t, K, n, prec);
    arb_get_lbound_arf(arb_midref(x.B), t, BOUND_BITS);
    arb_mul_2exp_si(x.B, x.B, -1);
    known = arb_is_finite(K) && arb_is_positive(x.B) && set_cut(&x);
    if (known)
    {
        set_sum(&x);
        arb_sub(t, K, x.mean, prec);
        arb_sub(t, t, x.B, prec);
        known = arb_is_positive(t);
    }
    if (known)
        add_up(low, high, &x);
    known = known && arf_is_finite(low) && arf_is_finite(high);
    tail_clear(&x);
    arb_clear(t);
    return known;
}
