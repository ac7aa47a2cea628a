/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Three values of which the largest is rare: proofs/iidsum.md, "A rare value". */
#include "iidsum/rare.h"

#include "binomial/binomial.h"

/* Bits beyond those of the digits; the two tails of a shortfall cancel. Steers only. */
#define SPARE_BITS 160

/* The values v[0] > v[1] > v[2] and their masses. */
typedef struct
{
    arb_struct v[3], m[3];
    arb_t total;   /* mass, at most 1; the masses below are parts of it */
    arb_t rest;    /* all but m[0] */
    arb_t p, q;    /* the parts that m[2] and m[1] are of the rest */
    arb_t gap;     /* v[1] - v[2] */
    slong prec;
} rare_struct;

static void rare_init(rare_struct *x, const shuf_quadrature *atoms, slong prec)
{
    slong i, j, order[3] = { 0, 1, 2 };
    for (i = 1; i < 3; i++)
        for (j = i; j > 0 && arf_cmp(arb_midref(atoms->value + order[j - 1]), arb_midref(atoms->value + order[j])) < 0; j--)
        {
            slong t = order[j];
            order[j] = order[j - 1];
            order[j - 1] = t;
        }
    for (i = 0; i < 3; i++)
    {
        arb_init(&x->v[i]);
        arb_init(&x->m[i]);
        arb_set(&x->v[i], atoms->value + order[i]);
        arb_set(&x->m[i], atoms->mass + order[i]);
    }
    x->prec = prec;
    arb_init(x->total); arb_init(x->rest); arb_init(x->p); arb_init(x->q); arb_init(x->gap);
    arb_add(x->rest, &x->m[1], &x->m[2], prec);
    arb_div(x->p, &x->m[2], x->rest, prec);
    arb_div(x->q, &x->m[1], x->rest, prec);
    arb_add(x->total, &x->m[0], x->rest, prec);
    arb_div(&x->m[0], &x->m[0], x->total, prec);
    arb_div(x->rest, x->rest, x->total, prec);
    arb_sub(x->gap, &x->v[1], &x->v[2], prec);
}

static void rare_clear(rare_struct *x)
{
    int i;
    for (i = 0; i < 3; i++)
    {
        arb_clear(&x->v[i]);
        arb_clear(&x->m[i]);
    }
    arb_clear(x->total); arb_clear(x->rest); arb_clear(x->p); arb_clear(x->q); arb_clear(x->gap);
}

/*
 * r encloses E(room - gap M)_+, M ~ Bin(n, p): with the t that is the floor of room/gap, room Pr[M <= t] - gap n p Pr[M' <= t-1], M' ~
 * Bin(n-1, p). Where the floor is one of two neighbours, the term of the larger one is between 0 and room - gap t.
 */
static void shortfall(arb_t r, const rare_struct *x, const arb_t room, ulong n)
{
    arb_t t, tail;
    fmpz_t low, high;
    arf_t end;
    arb_init(t); arb_init(tail);
    fmpz_init(low); fmpz_init(high);
    arf_init(end);
    arb_div(t, room, x->gap, x->prec);
    arb_get_lbound_arf(end, t, x->prec);
    arf_get_fmpz(low, end, ARF_RND_FLOOR);
    arb_get_ubound_arf(end, t, x->prec);
    arf_get_fmpz(high, end, ARF_RND_FLOOR);
    arb_zero(r);
    fmpz_sub(high, high, low);
    if (fmpz_cmp_ui(high, 1) > 0 && fmpz_cmp_ui(low, n) < 0)
    {
        arb_indeterminate(r);
    }
    else if (fmpz_sgn(low) < 0)
    {
        /* no term, or the one that is next to 0 */
    }
    else if (fmpz_cmp_ui(low, n) >= 0)
    {
        arb_mul(t, x->gap, x->p, x->prec);
        arb_mul_ui(t, t, n, x->prec);
        arb_sub(r, room, t, x->prec);
    }
    else
    {
        const ulong above = n - fmpz_get_ui(low); /* so many of n are not counted, or of n - 1 */
        shuf_binomial_tail(tail, n, above, x->q, x->p, x->prec);
        arb_mul(r, room, tail, x->prec);
        if (above < n)
        {
            shuf_binomial_tail(tail, n - 1, above, x->q, x->p, x->prec);
            arb_mul(t, x->gap, x->p, x->prec);
            arb_mul_ui(t, t, n, x->prec);
            arb_submul(r, t, tail, x->prec);
        }
        arb_nonnegative_part(r, r);
    }
    if (fmpz_is_one(high) && fmpz_cmp_ui(low, n) < 0)
    {
        /* the term of low + 1, if it counts */
        fmpz_add_ui(low, low, 1);
        arb_mul_fmpz(t, x->gap, low, x->prec);
        arb_sub(t, room, t, x->prec);
        arb_nonnegative_part(t, t);
        arb_zero(tail);
        arb_union(t, t, tail, x->prec);
        arb_add(r, r, t, x->prec);
    }
    arb_clear(t); arb_clear(tail);
    fmpz_clear(low); fmpz_clear(high);
    arf_clear(end);
}

/* bound >= what more than j - 1 terms of the largest value contribute: E of the positive parts of all terms and of -K. */
static void far_bound(arb_t bound, const rare_struct *x, ulong n, ulong j, const arb_t K)
{
    arb_t t, u;
    arb_init(t); arb_init(u);
    /* N v[0] over N >= j, which is n m[0] v[0] Pr[N' >= j-1] */
    arb_nonnegative_part(t, &x->v[0]);
    arb_mul(t, t, &x->m[0], x->prec);
    arb_mul_ui(t, t, n, x->prec);
    shuf_binomial_upper_tail_bound(u, n - 1, j - 1, &x->m[0], x->rest, x->prec);
    arb_mul(bound, t, u, x->prec);
    arb_nonnegative_part(t, &x->v[1]);
    arb_mul_ui(t, t, n, x->prec);
    arb_neg(u, K);
    arb_nonnegative_part(u, u);
    arb_add(t, t, u, x->prec);
    shuf_binomial_upper_tail_bound(u, n, j, &x->m[0], x->rest, x->prec);
    arb_addmul(bound, t, u, x->prec);
    arb_clear(t); arb_clear(u);
}

/* Counts beyond those that are expected that are looked at, at most. Steers only: proofs/iidsum.md bounds the others. */
#define MOST_BEYOND 200

/* Whether `bound` is small next to sum. */
static int is_small(const arb_t bound, const arb_t sum, slong digits)
{
    mag_t b, s;
    int small;
    mag_init(b); mag_init(s);
    arb_get_mag(b, bound);
    arb_get_mag(s, sum);
    mag_mul_2exp_si(b, b, 4 * digits + 8);
    small = mag_cmp(b, s) <= 0;
    mag_clear(b); mag_clear(s);
    return small;
}

/* Returns 0 if the work did not suffice. */
static int add_counts(shuf_enclosure_t e, const rare_struct *x, uint64_t n, const arb_t K, ulong most, slong digits, double limit)
{
    arb_t sum, room, value, mass, bound;
    ulong j;
    int done = 0;
    arb_init(sum); arb_init(room); arb_init(value); arb_init(mass); arb_init(bound);
    for (j = 0; j <= n && !shuf_exhausted(limit); j++)
    {
        arb_mul_ui(room, &x->v[0], j, x->prec);
        arb_mul_ui(value, &x->v[1], n - j, x->prec);
        arb_add(room, room, value, x->prec);
        arb_sub(room, room, K, x->prec);
        shortfall(value, x, room, n - j);
        shuf_binomial_pmf(mass, n, j, &x->m[0], x->rest, x->prec);
        arb_addmul(sum, mass, value, x->prec);
        if (!arb_is_finite(sum))
            break;
        arb_zero(bound);
        if (j < n)
            far_bound(bound, x, n, j + 1, K);
        if (is_small(bound, sum, digits) || j == most + MOST_BEYOND)
        {
            done = 1;
            break;
        }
    }
    if (done)
    {
        arf_t end;
        arf_init(end);
        arb_nonnegative_part(sum, sum);
        arb_pow_ui(value, x->total, n, x->prec);
        arb_mul(sum, sum, value, x->prec);
        arb_mul(bound, bound, value, x->prec);
        shuf_enclosure_set_arb(e, sum, x->prec);
        arb_get_ubound_arf(end, bound, MAG_BITS);
        arf_add(e->hi, e->hi, end, x->prec, ARF_RND_CEIL);
        arf_get_mag(e->ledger.truncation, end);
        shuf_enclosure_settle(e);
        e->ledger.terms = j + 1;
        arf_clear(end);
    }
    arb_clear(sum); arb_clear(room); arb_clear(value); arb_clear(mass); arb_clear(bound);
    return done;
}

/* Whether the values differ, none has the mass 0, and the largest one is expected seldom. */
static int is_rare(const rare_struct *x, uint64_t n, ulong most)
{
    arb_t t;
    int rare;
    arb_init(t);
    arb_mul_ui(t, &x->m[0], n, x->prec);
    arb_sub_ui(t, t, most, x->prec);
    rare = arb_is_negative(t) && arb_is_positive(x->gap) && arb_is_positive(x->rest) && arb_is_positive(x->p) && arb_is_positive(x->q)
           && arb_is_positive(&x->m[0]);
    arb_sub(t, &x->v[0], &x->v[1], x->prec);
    rare = rare && arb_is_positive(t);
    arb_clear(t);
    return rare;
}

int iidsum_rare(shuf_enclosure_t e, const shuf_summand *law, uint64_t n, const arb_t K, ulong most, slong digits, double limit)
{
    const slong prec = SPARE_BITS + 4 * digits;
    shuf_quadrature atoms;
    rare_struct x;
    arf_t top;
    double outer;
    int done = 0;
    if (law->steps != NULL || law->quadrature == NULL)
        return 0;
    shuf_quadrature_init(&atoms);
    arf_init(top);
    arf_pos_inf(top);
    if (law->quadrature(&atoms, law, 0, 0, top, 1, prec) == 0 && atoms.count == 3 && atoms.error == 0)
    {
        rare_init(&x, &atoms, prec);
        outer = shuf_limit_set(limit);
        done = is_rare(&x, n, most) && add_counts(e, &x, n, K, most, digits, limit);
        shuf_limit_set(outer);
        rare_clear(&x);
    }
    shuf_quadrature_clear(&atoms);
    arf_clear(top);
    return done;
}
