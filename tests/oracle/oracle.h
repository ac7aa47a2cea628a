/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Brute-force oracle for the divergences of a pair (P, Q):
 *     hockey-stick     sum over outcomes of max(0, P - alpha Q),
 *     Renyi sums       sum over outcomes of Q (P/Q)^lambda,
 *     Kullback-Leibler sum over outcomes of P log(P/Q).
 *
 * The law of the adversary's view is tabulated straight from the definition
 * of the mechanism, one user after the other; then the terms of the
 * definitions above are added up.  No strata, tails, thresholds or
 * symmetries: it is slow on purpose and shares nothing with the library it
 * checks.
 *
 * Common contract
 *   - pq receives an enclosure of the divergence of P from Q, qp of that of Q
 *     from P.  They must not alias each other or an input.
 *   - E = exp(eps0) >= 1, alpha = exp(eps) >= 0 and lambda are balls; the
 *     results enclose the divergences of every real parameter in them.
 *   - n >= 1 counts all users, the differing one included.
 *   - A table has (n+1)^(symbols-1) cells; aborts if that exceeds
 *     ORACLE_MAX_CELLS.
 */
#ifndef SHUFBOUND_TESTS_ORACLE_H
#define SHUFBOUND_TESTS_ORACLE_H

#if defined(__has_include) && __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <flint/fmpq.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORACLE_MAX_CELLS 4000000

/* What the n-1 other users of k-ary randomised response hold. */
typedef enum
{
    ORACLE_OTHERS_SAME,     /* all hold 0, the differing user's value under P */
    ORACLE_OTHERS_THIRD     /* all hold 2, which needs k >= 3 */
} oracle_others_t;

/* ---- laws --------------------------------------------------------------- */

/* Outcome i has probability p[i]/scale under P and q[i]/scale under Q. */
typedef struct
{
    slong cells;
    arb_ptr p;
    arb_ptr q;
    arb_t scale;
} oracle_law_struct;

typedef oracle_law_struct oracle_law_t[1];

/* Each of the following initialises law. */

/*
 * Any finite local randomisers, shuffled: user i reports symbol y with
 * probability rows0[i*outputs + y] under P and rows1[i*outputs + y] under Q;
 * the view is the histogram of the n reports.  Rows must sum to one.
 */
void oracle_law_finite(oracle_law_t law, slong n, slong outputs,
    arb_srcptr rows0, arb_srcptr rows1, slong prec);

/*
 * n-1 users each add one to counter a, to b, or to neither with probabilities
 * (r0, r1, r2); the differing user with (w0, w1, w2) under P and (w1, w0, w2)
 * under Q.  The view is (a, b).  Each triple must sum to one; the third is
 * given so that an impossible outcome has probability exactly 0.
 */
void oracle_law_trinomial(oracle_law_t law, slong n, const arb_t w0,
    const arb_t w1, const arb_t w2, const arb_t r0, const arb_t r1,
    const arb_t r2, slong prec);

/*
 * Feldman, McMillan, Talwar 2021, Theorem 3.1: C ~ Bin(n-1, 1/E),
 * A ~ Bin(C, 1/2), Delta ~ Bern(E/(E+1)); P is the law of
 * (A+Delta, C-A+1-Delta), Q that of (A+1-Delta, C-A+Delta).
 */
void oracle_law_clones(oracle_law_t law, slong n, const arb_t E, slong prec);

/* The same pair with C ~ Bin(n-1, 2/(E+1)), as in Feldman, McMillan, Talwar
   2023 (arXiv 2208.04591), Theorem 3.1. */
void oracle_law_clones_stronger(oracle_law_t law, slong n, const arb_t E,
    slong prec);

/* Binary randomised response that keeps the bit with probability E/(E+1):
   P is the law of the number of ones on data (0,...,0), Q on (1,0,...,0). */
void oracle_law_rr2(oracle_law_t law, slong n, const arb_t E, slong prec);

/*
 * k-ary randomised response (truth with probability E/(E+k-1), every other
 * value 1/(E+k-1)) on two datasets: user i holds x0[i] under P and x1[i]
 * under Q, values in [0, k).  The view is the histogram of the k counts.
 */
void oracle_law_krr_dataset(oracle_law_t law, slong n, slong k,
    const arb_t E, const slong * x0, const slong * x1, slong prec);

/* The previous function with one user holding 0 under P and 1 under Q, and
   the others as told by `others`. */
void oracle_law_krr(oracle_law_t law, slong n, slong k, const arb_t E,
    oracle_others_t others, slong prec);

/*
 * k-ary randomised response, each user reporting a uniform value in [k] with
 * probability gamma in [0, 1] and the truth otherwise, against the strong
 * adversary (Balle, Bell, Gascon, Nissim 2019; Koskela, Heikkila, Honkela
 * 2022, Definition 12): it knows the other users' values, sees which of them
 * told the truth and removes those reports, and sees whether user n was
 * random.  User n holds 0 under P, 1 under Q.  Tables are exact integers.
 */
void oracle_law_krr_strong(oracle_law_t law, slong n, slong k,
    const fmpq_t gamma);

/* The same, but the adversary does not see whether user n was random
   (Koskela, Heikkila, Honkela 2022, Definition 14): the view is the histogram
   of the others' random reports together with user n's report. */
void oracle_law_krr_weak(oracle_law_t law, slong n, slong k,
    const fmpq_t gamma);

/* Two independent outcomes, one of each law. */
void oracle_law_product(oracle_law_t law, const oracle_law_t x,
    const oracle_law_t y, slong prec);

void oracle_law_clear(oracle_law_t law);

/* ---- divergences of a law ----------------------------------------------- */

/*
 * At alpha = 0 the results are the total masses of P and Q.  A term whose
 * sign prec bits do not decide adds the interval [0, upper].
 */
void oracle_hockey(arb_t pq, arb_t qp, const oracle_law_t law,
    const arb_t alpha, slong prec);

/*
 * lambda > 1; the Renyi divergence is log(pq)/(lambda - 1).  Infinite when an
 * outcome is possible on the first side only; indeterminate when prec bits do
 * not tell a possible outcome from an impossible one.
 */
void oracle_renyi(arb_t pq, arb_t qp, const oracle_law_t law,
    const arb_t lambda, slong prec);

/* The limit of the Renyi divergence at lambda = 1; infinite likewise. */
void oracle_kl(arb_t pq, arb_t qp, const oracle_law_t law, slong prec);

/* ---- one hockey-stick divergence, law included -------------------------- */

void oracle_shuffle_finite(arb_t pq, arb_t qp, slong n, slong outputs,
    arb_srcptr rows0, arb_srcptr rows1, const arb_t alpha, slong prec);

void oracle_trinomial(arb_t pq, arb_t qp, slong n, const arb_t w0,
    const arb_t w1, const arb_t r0, const arb_t r1, const arb_t alpha,
    slong prec);

void oracle_clones(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

void oracle_clones_stronger(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

void oracle_rr2(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

void oracle_krr_dataset(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    const slong * x0, const slong * x1, const arb_t alpha, slong prec);

void oracle_krr(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    oracle_others_t others, const arb_t alpha, slong prec);

void oracle_krr_strong(arb_t pq, arb_t qp, slong n, slong k,
    const fmpq_t gamma, const arb_t alpha, slong prec);

void oracle_krr_weak(arb_t pq, arb_t qp, slong n, slong k,
    const fmpq_t gamma, const arb_t alpha, slong prec);

#ifdef __cplusplus
}
#endif

#endif
