/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "oracle.h"

#include <flint/fmpz_vec.h>

/* ---- the definition of the divergence ---------------------------------- */

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

static void
divergences(arb_t pq, arb_t qp, arb_srcptr p, arb_srcptr q, slong cells,
    const arb_t alpha, slong prec)
{
    slong i;

    arb_zero(pq);
    arb_zero(qp);
    for (i = 0; i < cells; i++)
    {
        if (arb_is_zero(p + i) && arb_is_zero(q + i))
            continue;
        add_term(pq, p + i, q + i, alpha, prec);
        add_term(qp, q + i, p + i, alpha, prec);
    }
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
oracle_shuffle_finite(arb_t pq, arb_t qp, slong n, slong outputs,
    arb_srcptr rows0, arb_srcptr rows1, const arb_t alpha, slong prec)
{
    slong i, cells = table_cells(n, outputs);
    arb_ptr p = _arb_vec_init(cells);
    arb_ptr q = _arb_vec_init(cells);

    arb_one(p);
    arb_one(q);
    for (i = 0; i < n; i++)
    {
        add_user(p, n, outputs, i, rows0 + i * outputs, prec);
        add_user(q, n, outputs, i, rows1 + i * outputs, prec);
    }
    divergences(pq, qp, p, q, cells, alpha, prec);

    _arb_vec_clear(p, cells);
    _arb_vec_clear(q, cells);
}

void
oracle_trinomial(arb_t pq, arb_t qp, slong n, const arb_t w0,
    const arb_t w1, const arb_t r0, const arb_t r1, const arb_t alpha,
    slong prec)
{
    slong i;
    arb_ptr rows0 = _arb_vec_init(3 * n);
    arb_ptr rows1 = _arb_vec_init(3 * n);

    for (i = 0; i < n; i++)
    {
        arb_ptr x = rows0 + 3 * i;
        arb_ptr y = rows1 + 3 * i;

        arb_set(x, i == 0 ? w0 : r0);
        arb_set(x + 1, i == 0 ? w1 : r1);
        arb_set(y, i == 0 ? w1 : r0);
        arb_set(y + 1, i == 0 ? w0 : r1);
        arb_sub_ui(x + 2, x, 1, prec);
        arb_add(x + 2, x + 2, x + 1, prec);
        arb_neg(x + 2, x + 2);
        arb_set(y + 2, x + 2);
    }
    oracle_shuffle_finite(pq, qp, n, 3, rows0, rows1, alpha, prec);

    _arb_vec_clear(rows0, 3 * n);
    _arb_vec_clear(rows1, 3 * n);
}

void
oracle_krr_dataset(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    const slong * x0, const slong * x1, const arb_t alpha, slong prec)
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
    oracle_shuffle_finite(pq, qp, n, k, rows0, rows1, alpha, prec);

    arb_clear(lie);
    arb_clear(truth);
    _arb_vec_clear(rows0, n * k);
    _arb_vec_clear(rows1, n * k);
}

void
oracle_krr(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    oracle_others_t others, const arb_t alpha, slong prec)
{
    slong i;
    slong * x0 = flint_malloc((size_t) n * sizeof(slong));
    slong * x1 = flint_malloc((size_t) n * sizeof(slong));

    x0[0] = 0;
    x1[0] = 1;
    for (i = 1; i < n; i++)
        x0[i] = x1[i] = (others == ORACLE_OTHERS_THIRD) ? 2 : 0;

    oracle_krr_dataset(pq, qp, n, k, E, x0, x1, alpha, prec);

    flint_free(x0);
    flint_free(x1);
}

/* Not oracle_krr with k = 2: here the law of the single count of ones is
   built on its own. */
void
oracle_rr2(arb_t pq, arb_t qp, slong n, const arb_t E, const arb_t alpha,
    slong prec)
{
    slong i, j;
    arb_ptr p = _arb_vec_init(n + 1);
    arb_ptr q = _arb_vec_init(n + 1);
    arb_ptr tab;
    arb_t keep, flip, one, zero;

    arb_init(keep);
    arb_init(flip);
    arb_init(one);
    arb_init(zero);
    arb_add_ui(flip, E, 1, prec);
    arb_div(keep, E, flip, prec);
    arb_ui_div(flip, 1, flip, prec);

    for (tab = p; tab != NULL; tab = (tab == p) ? q : NULL)
    {
        arb_one(tab);
        for (i = 0; i < n; i++)
        {
            /* only user 0 under Q holds a one */
            int bit = (tab == q && i == 0);

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
    divergences(pq, qp, p, q, n + 1, alpha, prec);

    arb_clear(keep);
    arb_clear(flip);
    arb_clear(one);
    arb_clear(zero);
    _arb_vec_clear(p, n + 1);
    _arb_vec_clear(q, n + 1);
}

/* ---- hiding among the clones ------------------------------------------- */

/* Each other user is a clone with probability yes/(yes+no). */
static void
clones_pair(arb_t pq, arb_t qp, slong n, const arb_t yes, const arb_t no,
    const arb_t E, const arb_t alpha, slong prec)
{
    slong a, c, i, j, cells = (n + 1) * (n + 1);
    arb_ptr law = _arb_vec_init(n);             /* of C */
    fmpz * ways = _fmpz_vec_init(n);            /* 2^C times the law of A */
    arb_ptr p = _arb_vec_init(cells);           /* outcome (x, y) in */
    arb_ptr q = _arb_vec_init(cells);           /* cell x (n+1) + y */
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

    arb_one(law);
    for (i = 0; i < n - 1; i++)
    {
        for (j = i + 1; j >= 0; j--)
        {
            arb_mul(law + j, law + j, other, prec);
            if (j > 0)
                arb_addmul(law + j, law + j - 1, clone, prec);
        }
    }

    fmpz_one(ways);
    for (c = 0; c < n; c++)
    {
        for (a = 0; a <= c; a++)
        {
            arb_ptr first = p + (a + 1) * (n + 1) + (c - a);
            arb_ptr second = p + a * (n + 1) + (c - a + 1);

            arb_mul_fmpz(mass, law + c, ways + a, prec);
            arb_mul_2exp_si(mass, mass, -c);

            /* P: (A + Delta, C - A + 1 - Delta) */
            arb_addmul(first, mass, d1, prec);
            arb_addmul(second, mass, d0, prec);

            /* Q: (A + 1 - Delta, C - A + Delta) */
            first = q + (a + 1) * (n + 1) + (c - a);
            second = q + a * (n + 1) + (c - a + 1);
            arb_addmul(first, mass, d0, prec);
            arb_addmul(second, mass, d1, prec);
        }
        /* one more coin */
        if (c + 1 < n)
            for (a = c + 1; a > 0; a--)
                fmpz_add(ways + a, ways + a, ways + a - 1);
    }
    divergences(pq, qp, p, q, cells, alpha, prec);

    arb_clear(clone);
    arb_clear(other);
    arb_clear(d0);
    arb_clear(d1);
    arb_clear(mass);
    _arb_vec_clear(law, n);
    _fmpz_vec_clear(ways, n);
    _arb_vec_clear(p, cells);
    _arb_vec_clear(q, cells);
}

void
oracle_clones(arb_t pq, arb_t qp, slong n, const arb_t E, const arb_t alpha,
    slong prec)
{
    arb_t yes, no;

    arb_init(yes);
    arb_init(no);
    arb_one(yes);                               /* 1 in E */
    arb_sub_ui(no, E, 1, prec);
    clones_pair(pq, qp, n, yes, no, E, alpha, prec);
    arb_clear(yes);
    arb_clear(no);
}

void
oracle_clones_stronger(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec)
{
    arb_t yes, no;

    arb_init(yes);
    arb_init(no);
    arb_set_ui(yes, 2);                         /* 2 in E + 1 */
    arb_sub_ui(no, E, 1, prec);
    clones_pair(pq, qp, n, yes, no, E, alpha, prec);
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
krr_adversary(arb_t pq, arb_t qp, slong n, slong k, const fmpq_t gamma,
    int sees_user_n, const arb_t alpha, slong prec)
{
    slong i, side, y, symbols = k + 1, cells = table_cells(n, symbols);
    fmpz * tab = _fmpz_vec_init(cells);
    fmpz * others = _fmpz_vec_init(symbols);
    fmpz * last = _fmpz_vec_init(symbols);
    arb_ptr p = _arb_vec_init(cells);
    arb_ptr q = _arb_vec_init(cells);
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

    for (side = 0; side < 2; side++)
    {
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
            arb_set_fmpz((side == 0 ? p : q) + i, tab + i);
    }

    divergences(pq, qp, p, q, cells, alpha, prec);
    fmpz_pow_ui(scale, unit, (ulong) n);
    arb_div_fmpz(pq, pq, scale, prec);
    arb_div_fmpz(qp, qp, scale, prec);

    /* `last` carried the factor 1 - gamma; in the remaining mass gamma the
       two views are equal, which matters for alpha < 1 only */
    if (sees_user_n)
    {
        arb_t one, excess, mass;

        arb_init(one);
        arb_init(excess);
        arb_init(mass);
        arb_one(one);
        add_term(excess, one, one, alpha, prec);
        arb_set_fmpq(mass, gamma, prec);
        arb_addmul(pq, mass, excess, prec);
        arb_addmul(qp, mass, excess, prec);
        arb_clear(one);
        arb_clear(excess);
        arb_clear(mass);
    }

    fmpz_clear(random);
    fmpz_clear(truth);
    fmpz_clear(unit);
    fmpz_clear(scale);
    _fmpz_vec_clear(tab, cells);
    _fmpz_vec_clear(others, symbols);
    _fmpz_vec_clear(last, symbols);
    _arb_vec_clear(p, cells);
    _arb_vec_clear(q, cells);
}

void
oracle_krr_strong(arb_t pq, arb_t qp, slong n, slong k, const fmpq_t gamma,
    const arb_t alpha, slong prec)
{
    krr_adversary(pq, qp, n, k, gamma, 1, alpha, prec);
}

void
oracle_krr_weak(arb_t pq, arb_t qp, slong n, slong k, const fmpq_t gamma,
    const arb_t alpha, slong prec)
{
    krr_adversary(pq, qp, n, k, gamma, 0, alpha, prec);
}
