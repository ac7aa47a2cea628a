/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "oracle.h"

#include <flint/fmpz_vec.h>

/* ---- the definitions of the divergences -------------------------------- */

/* acc += max(0, p - alpha q) */
static void
add_term(arb_t acc, const arb_t p, const arb_t q, const arb_t alpha,
    slong prec)
{
    arb_t d;

    arb_init(d);
    arb_mul(d, alpha, q, prec);
    arb_sub(d, p, d, prec);

    if (arb_is_nonnegative(d))
    {
        arb_add(acc, acc, d, prec);
    }
    else if (!arb_is_nonpositive(d))
    {
        arf_t zero, upper;

        arf_init(zero);
        arf_init(upper);
        arb_get_ubound_arf(upper, d, prec);
        arb_set_interval_arf(d, zero, upper, prec);
        arb_add(acc, acc, d, prec);
        arf_clear(zero);
        arf_clear(upper);
    }

    arb_clear(d);
}

void
oracle_hockey(arb_t pq, arb_t qp, const oracle_law_t law, const arb_t alpha,
    slong prec)
{
    slong i;

    arb_zero(pq);
    arb_zero(qp);
    for (i = 0; i < law->cells; i++)
    {
        if (arb_is_zero(law->p + i) && arb_is_zero(law->q + i))
            continue;
        add_term(pq, law->p + i, law->q + i, alpha, prec);
        add_term(qp, law->q + i, law->p + i, alpha, prec);
    }
    arb_div(pq, pq, law->scale, prec);
    arb_div(qp, qp, law->scale, prec);
}

/* acc += q (p/q)^lambda */
static void
add_power(arb_t acc, const arb_t p, const arb_t q, const arb_t lambda,
    slong prec)
{
    arb_t t;

    if (arb_is_zero(p))
        return;

    arb_init(t);
    if (arb_is_zero(q))
    {
        arb_pos_inf(t);
    }
    else
    {
        arb_div(t, p, q, prec);
        arb_pow(t, t, lambda, prec);
        arb_mul(t, t, q, prec);
    }
    arb_add(acc, acc, t, prec);
    arb_clear(t);
}

void
oracle_renyi(arb_t pq, arb_t qp, const oracle_law_t law, const arb_t lambda,
    slong prec)
{
    slong i;

    arb_zero(pq);
    arb_zero(qp);
    for (i = 0; i < law->cells; i++)
    {
        add_power(pq, law->p + i, law->q + i, lambda, prec);
        add_power(qp, law->q + i, law->p + i, lambda, prec);
    }
    arb_div(pq, pq, law->scale, prec);
    arb_div(qp, qp, law->scale, prec);
}

/* acc += p log(p/q) */
static void
add_logarithm(arb_t acc, const arb_t p, const arb_t q, slong prec)
{
    arb_t t;

    if (arb_is_zero(p))
        return;

    arb_init(t);
    if (arb_is_zero(q))
    {
        arb_pos_inf(t);
    }
    else
    {
        arb_div(t, p, q, prec);
        arb_log(t, t, prec);
        arb_mul(t, t, p, prec);
    }
    arb_add(acc, acc, t, prec);
    arb_clear(t);
}

void
oracle_kl(arb_t pq, arb_t qp, const oracle_law_t law, slong prec)
{
    slong i;

    arb_zero(pq);
    arb_zero(qp);
    for (i = 0; i < law->cells; i++)
    {
        add_logarithm(pq, law->p + i, law->q + i, prec);
        add_logarithm(qp, law->q + i, law->p + i, prec);
    }
    arb_div(pq, pq, law->scale, prec);
    arb_div(qp, qp, law->scale, prec);
}

/* ---- laws --------------------------------------------------------------- */

static void
law_init(oracle_law_t law, slong cells)
{
    law->cells = cells;
    law->p = _arb_vec_init(cells);
    law->q = _arb_vec_init(cells);
    arb_init(law->scale);
    arb_one(law->scale);
}

void
oracle_law_clear(oracle_law_t law)
{
    _arb_vec_clear(law->p, law->cells);
    _arb_vec_clear(law->q, law->cells);
    arb_clear(law->scale);
}

void
oracle_law_product(oracle_law_t law, const oracle_law_t x,
    const oracle_law_t y, slong prec)
{
    slong i, j;

    law_init(law, x->cells * y->cells);
    for (i = 0; i < x->cells; i++)
    {
        for (j = 0; j < y->cells; j++)
        {
            arb_mul(law->p + i * y->cells + j, x->p + i, y->p + j, prec);
            arb_mul(law->q + i * y->cells + j, x->q + i, y->q + j, prec);
        }
    }
    arb_mul(law->scale, x->scale, y->scale, prec);
}

/* ---- tables over histograms -------------------------------------------- */

/*
 * A histogram (c_0, ..., c_{s-1}) of at most n reports is stored in the cell
 * c_0 + c_1 (n+1) + ... + c_{s-2} (n+1)^(s-2).  The last count is left out:
 * it is the number of users so far minus the others.
 */
static slong
table_cells(slong n, slong symbols)
{
    slong i, cells = 1;

    for (i = 1; i < symbols; i++)
    {
        if (cells > ORACLE_MAX_CELLS / (n + 1))
        {
            flint_printf("oracle: table too large (n = %wd, symbols = %wd)\n",
                n, symbols);
            flint_abort();
        }
        cells *= n + 1;
    }
    return cells;
}

static slong
stored_total(slong cell, slong n)
{
    slong total = 0;

    for (; cell > 0; cell /= n + 1)
        total += cell % (n + 1);
    return total;
}

/* One more user, in place: cells in decreasing order, since a cell draws on
   itself and on smaller ones only.  `users` counts those already there. */
static void
add_user(arb_ptr tab, slong n, slong symbols, slong users, arb_srcptr row,
    slong prec)
{
    slong cell, cells = table_cells(n, symbols);
    arb_t sum;

    arb_init(sum);
    for (cell = cells - 1; cell >= 0; cell--)
    {
        slong y, stride = 1;

        if (stored_total(cell, n) > users + 1)
            continue;

        arb_mul(sum, tab + cell, row + symbols - 1, prec);
        for (y = 0; y < symbols - 1; y++)
        {
            if ((cell / stride) % (n + 1) > 0)
                arb_addmul(sum, tab + cell - stride, row + y, prec);
            stride *= n + 1;
        }
        arb_set(tab + cell, sum);
    }
    arb_clear(sum);
}

/* The same in exact integers. */
static void
add_user_exact(fmpz * tab, slong n, slong symbols, slong users,
    const fmpz * row)
{
    slong cell, cells = table_cells(n, symbols);
    fmpz_t sum;

    fmpz_init(sum);
    for (cell = cells - 1; cell >= 0; cell--)
    {
        slong y, stride = 1;

        if (stored_total(cell, n) > users + 1)
            continue;

        fmpz_mul(sum, tab + cell, row + symbols - 1);
        for (y = 0; y < symbols - 1; y++)
        {
            if ((cell / stride) % (n + 1) > 0)
                fmpz_addmul(sum, tab + cell - stride, row + y);
            stride *= n + 1;
        }
        fmpz_set(tab + cell, sum);
    }
    fmpz_clear(sum);
}

/* ---- shuffled local randomisers ---------------------------------------- */

void
oracle_law_finite(oracle_law_t law, slong n, slong outputs, arb_srcptr rows0,
    arb_srcptr rows1, slong prec)
{
    slong i;

    law_init(law, table_cells(n, outputs));
    arb_one(law->p);
    arb_one(law->q);
    for (i = 0; i < n; i++)
    {
        add_user(law->p, n, outputs, i, rows0 + i * outputs, prec);
        add_user(law->q, n, outputs, i, rows1 + i * outputs, prec);
    }
}

void
oracle_law_trinomial(oracle_law_t law, slong n, const arb_t w0,
    const arb_t w1, const arb_t w2, const arb_t r0, const arb_t r1,
    const arb_t r2, slong prec)
{
    slong i;
    arb_ptr rows0 = _arb_vec_init(3 * n);
    arb_ptr rows1 = _arb_vec_init(3 * n);

    for (i = 0; i < n; i++)
    {
        arb_set(rows0 + 3 * i, i == 0 ? w0 : r0);
        arb_set(rows0 + 3 * i + 1, i == 0 ? w1 : r1);
        arb_set(rows0 + 3 * i + 2, i == 0 ? w2 : r2);
        arb_set(rows1 + 3 * i, i == 0 ? w1 : r0);
        arb_set(rows1 + 3 * i + 1, i == 0 ? w0 : r1);
        arb_set(rows1 + 3 * i + 2, i == 0 ? w2 : r2);
    }
    oracle_law_finite(law, n, 3, rows0, rows1, prec);

    _arb_vec_clear(rows0, 3 * n);
    _arb_vec_clear(rows1, 3 * n);
}

void
oracle_law_krr_dataset(oracle_law_t law, slong n, slong k, const arb_t E,
    const slong * x0, const slong * x1, slong prec)
{
    slong i, y;
    arb_ptr rows0 = _arb_vec_init(n * k);
    arb_ptr rows1 = _arb_vec_init(n * k);
    arb_t lie, truth;

    arb_init(lie);
    arb_init(truth);
    arb_add_si(lie, E, k - 1, prec);
    arb_div(truth, E, lie, prec);
    arb_ui_div(lie, 1, lie, prec);

    for (i = 0; i < n; i++)
    {
        for (y = 0; y < k; y++)
        {
            arb_set(rows0 + i * k + y, y == x0[i] ? truth : lie);
            arb_set(rows1 + i * k + y, y == x1[i] ? truth : lie);
        }
    }
    oracle_law_finite(law, n, k, rows0, rows1, prec);

    arb_clear(lie);
    arb_clear(truth);
    _arb_vec_clear(rows0, n * k);
    _arb_vec_clear(rows1, n * k);
}

void
oracle_law_krr(oracle_law_t law, slong n, slong k, const arb_t E,
    oracle_others_t others, slong prec)
{
    slong i;
    slong * x0 = flint_malloc((size_t) n * sizeof(slong));
    slong * x1 = flint_malloc((size_t) n * sizeof(slong));

    x0[0] = 0;
    x1[0] = 1;
    for (i = 1; i < n; i++)
        x0[i] = x1[i] = (others == ORACLE_OTHERS_THIRD) ? 2 : 0;

    oracle_law_krr_dataset(law, n, k, E, x0, x1, prec);

    flint_free(x0);
    flint_free(x1);
}

/* Not k-ary with k = 2: here the law of the single count of ones is
   built on its own. */
void
oracle_law_rr2(oracle_law_t law, slong n, const arb_t E, slong prec)
{
    slong i, j, side;
    arb_t keep, flip, one, zero;

    arb_init(keep);
    arb_init(flip);
    arb_init(one);
    arb_init(zero);
    arb_add_ui(flip, E, 1, prec);
    arb_div(keep, E, flip, prec);
    arb_ui_div(flip, 1, flip, prec);

    law_init(law, n + 1);
    for (side = 0; side < 2; side++)
    {
        arb_ptr tab = (side == 0) ? law->p : law->q;

        arb_one(tab);
        for (i = 0; i < n; i++)
        {
            /* only user 0 under Q holds a one */
            int bit = (side == 1 && i == 0);

            arb_set(one, bit ? keep : flip);
            arb_set(zero, bit ? flip : keep);
            for (j = i + 1; j >= 0; j--)
            {
                arb_mul(tab + j, tab + j, zero, prec);
                if (j > 0)
                    arb_addmul(tab + j, tab + j - 1, one, prec);
            }
        }
    }

    arb_clear(keep);
    arb_clear(flip);
    arb_clear(one);
    arb_clear(zero);
}

/* ---- hiding among the clones ------------------------------------------- */

/* Each other user is a clone with probability yes/(yes+no). */
static void
clones_pair(oracle_law_t law, slong n, const arb_t yes, const arb_t no,
    const arb_t E, slong prec)
{
    slong a, c, i, j;
    arb_ptr count = _arb_vec_init(n);           /* the law of C */
    fmpz * ways = _fmpz_vec_init(n);            /* 2^C times the law of A */
    arb_t clone, other, d0, d1, mass;

    arb_init(clone);
    arb_init(other);
    arb_init(d0);
    arb_init(d1);
    arb_init(mass);

    arb_add(mass, yes, no, prec);
    arb_div(clone, yes, mass, prec);
    arb_div(other, no, mass, prec);
    arb_add_ui(mass, E, 1, prec);
    arb_div(d1, E, mass, prec);                 /* Pr[Delta = 1] */
    arb_ui_div(d0, 1, mass, prec);

    arb_one(count);
    for (i = 0; i < n - 1; i++)
    {
        for (j = i + 1; j >= 0; j--)
        {
            arb_mul(count + j, count + j, other, prec);
            if (j > 0)
                arb_addmul(count + j, count + j - 1, clone, prec);
        }
    }

    /* outcome (x, y) in cell x (n+1) + y */
    law_init(law, (n + 1) * (n + 1));
    fmpz_one(ways);
    for (c = 0; c < n; c++)
    {
        for (a = 0; a <= c; a++)
        {
            arb_ptr first = law->p + (a + 1) * (n + 1) + (c - a);
            arb_ptr second = law->p + a * (n + 1) + (c - a + 1);

            arb_mul_fmpz(mass, count + c, ways + a, prec);
            arb_mul_2exp_si(mass, mass, -c);

            /* P: (A + Delta, C - A + 1 - Delta) */
            arb_addmul(first, mass, d1, prec);
            arb_addmul(second, mass, d0, prec);

            /* Q: (A + 1 - Delta, C - A + Delta) */
            first = law->q + (a + 1) * (n + 1) + (c - a);
            second = law->q + a * (n + 1) + (c - a + 1);
            arb_addmul(first, mass, d0, prec);
            arb_addmul(second, mass, d1, prec);
        }
        /* one more coin */
        if (c + 1 < n)
            for (a = c + 1; a > 0; a--)
                fmpz_add(ways + a, ways + a, ways + a - 1);
    }

    arb_clear(clone);
    arb_clear(other);
    arb_clear(d0);
    arb_clear(d1);
    arb_clear(mass);
    _arb_vec_clear(count, n);
    _fmpz_vec_clear(ways, n);
}

void
oracle_law_clones(oracle_law_t law, slong n, const arb_t E, slong prec)
{
    arb_t yes, no;

    arb_init(yes);
    arb_init(no);
    arb_one(yes);                               /* 1 in E */
    arb_sub_ui(no, E, 1, prec);
    clones_pair(law, n, yes, no, E, prec);
    arb_clear(yes);
    arb_clear(no);
}

void
oracle_law_clones_stronger(oracle_law_t law, slong n, const arb_t E,
    slong prec)
{
    arb_t yes, no;

    arb_init(yes);
    arb_init(no);
    arb_set_ui(yes, 2);                         /* 2 in E + 1 */
    arb_sub_ui(no, E, 1, prec);
    clones_pair(law, n, yes, no, E, prec);
    arb_clear(yes);
    arb_clear(no);
}

/* ---- k-ary randomised response against stronger adversaries ------------ */

/*
 * Symbols 0..k-1 are the values that the adversary sees, symbol k a report
 * that it removed.  With gamma = g/d all probabilities of a user are integers
 * over k d, so the tables are exact.  sees_user_n selects the adversary.
 */
static void
krr_adversary(oracle_law_t law, slong n, slong k, const fmpq_t gamma,
    int sees_user_n)
{
    slong i, side, y, symbols = k + 1, cells = table_cells(n, symbols);
    fmpz * tab = _fmpz_vec_init(cells);
    fmpz * others = _fmpz_vec_init(symbols);
    fmpz * last = _fmpz_vec_init(symbols);
    fmpz_t random, truth, unit, scale;

    fmpz_init(random);
    fmpz_init(truth);
    fmpz_init(unit);
    fmpz_init(scale);

    /* k d times: a given value at random; the truth */
    fmpz_set(random, fmpq_numref(gamma));
    fmpz_sub(truth, fmpq_denref(gamma), fmpq_numref(gamma));
    fmpz_mul_si(truth, truth, k);
    fmpz_mul_si(unit, fmpq_denref(gamma), k);

    for (y = 0; y < k; y++)
        fmpz_set(others + y, random);
    fmpz_set(others + k, truth);

    law_init(law, cells + 1);
    for (side = 0; side < 2; side++)
    {
        arb_ptr probs = (side == 0) ? law->p : law->q;

        _fmpz_vec_zero(tab, cells);
        fmpz_one(tab);
        for (i = 0; i < n - 1; i++)
            add_user_exact(tab, n, symbols, i, others);

        /* the strong adversary is told when user n was random; given that it
           was not, the report is the value itself */
        for (y = 0; y < k; y++)
        {
            if (sees_user_n)
                fmpz_zero(last + y);
            else
                fmpz_set(last + y, random);
        }
        fmpz_zero(last + k);
        fmpz_add(last + side, last + side, truth);
        add_user_exact(tab, n, symbols, n - 1, last);

        for (i = 0; i < cells; i++)
            arb_set_fmpz(probs + i, tab + i);
    }
    fmpz_pow_ui(scale, unit, (ulong) n);
    arb_set_fmpz(law->scale, scale);

    /* `last` carried the factor 1 - gamma; in the remaining mass gamma the
       two views are equal, and one cell stands for all of them */
    if (sees_user_n)
    {
        fmpz_mul(scale, scale, fmpq_numref(gamma));
        fmpz_divexact(scale, scale, fmpq_denref(gamma));
        arb_set_fmpz(law->p + cells, scale);
        arb_set_fmpz(law->q + cells, scale);
    }

    fmpz_clear(random);
    fmpz_clear(truth);
    fmpz_clear(unit);
    fmpz_clear(scale);
    _fmpz_vec_clear(tab, cells);
    _fmpz_vec_clear(others, symbols);
    _fmpz_vec_clear(last, symbols);
}

void
oracle_law_krr_strong(oracle_law_t law, slong n, slong k, const fmpq_t gamma)
{
    krr_adversary(law, n, k, gamma, 1);
}

void
oracle_law_krr_weak(oracle_law_t law, slong n, slong k, const fmpq_t gamma)
{
    krr_adversary(law, n, k, gamma, 0);
}

/* ---- one hockey-stick divergence ---------------------------------------- */

static void
hockey_and_clear(arb_t pq, arb_t qp, oracle_law_t law, const arb_t alpha,
    slong prec)
{
    oracle_hockey(pq, qp, law, alpha, prec);
    oracle_law_clear(law);
}

void
oracle_shuffle_finite(arb_t pq, arb_t qp, slong n, slong outputs,
    arb_srcptr rows0, arb_srcptr rows1, const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_finite(law, n, outputs, rows0, rows1, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_trinomial(arb_t pq, arb_t qp, slong n, const arb_t w0,
    const arb_t w1, const arb_t r0, const arb_t r1, const arb_t alpha,
    slong prec)
{
    oracle_law_t law;
    arb_t w2, r2;

    arb_init(w2);
    arb_init(r2);
    arb_add(w2, w0, w1, prec);
    arb_sub_ui(w2, w2, 1, prec);
    arb_neg(w2, w2);
    arb_add(r2, r0, r1, prec);
    arb_sub_ui(r2, r2, 1, prec);
    arb_neg(r2, r2);
    oracle_law_trinomial(law, n, w0, w1, w2, r0, r1, r2, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
    arb_clear(w2);
    arb_clear(r2);
}

void
oracle_clones(arb_t pq, arb_t qp, slong n, const arb_t E, const arb_t alpha,
    slong prec)
{
    oracle_law_t law;

    oracle_law_clones(law, n, E, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_clones_stronger(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_clones_stronger(law, n, E, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_rr2(arb_t pq, arb_t qp, slong n, const arb_t E, const arb_t alpha,
    slong prec)
{
    oracle_law_t law;

    oracle_law_rr2(law, n, E, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_krr_dataset(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    const slong * x0, const slong * x1, const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_krr_dataset(law, n, k, E, x0, x1, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_krr(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    oracle_others_t others, const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_krr(law, n, k, E, others, prec);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_krr_strong(arb_t pq, arb_t qp, slong n, slong k, const fmpq_t gamma,
    const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_krr_strong(law, n, k, gamma);
    hockey_and_clear(pq, qp, law, alpha, prec);
}

void
oracle_krr_weak(arb_t pq, arb_t qp, slong n, slong k, const fmpq_t gamma,
    const arb_t alpha, slong prec)
{
    oracle_law_t law;

    oracle_law_krr_weak(law, n, k, gamma);
    hockey_and_clear(pq, qp, law, alpha, prec);
}
