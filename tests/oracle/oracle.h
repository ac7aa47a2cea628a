/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * Brute-force oracle for hockey-stick divergences
 *     H_alpha(P||Q) = sum over outcomes of max(0, P - alpha Q).
 *
 * Every function tabulates the law of the adversary's view straight from the
 * definition of the mechanism, one user after the other, and then adds up the
 * terms of the definition above.  No strata, tails, thresholds or symmetries:
 * it is slow on purpose and shares nothing with the library it checks.
 *
 * Common contract
 *   - pq receives an enclosure of H_alpha(P||Q), qp of H_alpha(Q||P).  They
 *     must not alias each other or an input.
 *   - E = exp(eps0) >= 1 and alpha = exp(eps) >= 0 are balls; the results
 *     enclose the divergences of every real parameter in them.
 *   - alpha = 0 is allowed: pq and qp are then the total masses of P and Q.
 *   - n >= 1 counts all users, the differing one included.
 *   - A term whose sign prec bits do not decide adds the interval [0, upper].
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

/*
 * Any finite local randomisers, shuffled: user i reports symbol y with
 * probability rows0[i*outputs + y] under P and rows1[i*outputs + y] under Q;
 * the view is the histogram of the n reports.  Rows must sum to one.
 */
void oracle_shuffle_finite(arb_t pq, arb_t qp, slong n, slong outputs,
    arb_srcptr rows0, arb_srcptr rows1, const arb_t alpha, slong prec);

/*
 * n-1 users each add one to counter a with probability r0, to b with r1, or
 * to neither; the differing user adds to a, b, neither with probabilities
 * (w0, w1, 1-w0-w1) under P and (w1, w0, 1-w0-w1) under Q.  The view is (a, b).
 */
void oracle_trinomial(arb_t pq, arb_t qp, slong n, const arb_t w0,
    const arb_t w1, const arb_t r0, const arb_t r1, const arb_t alpha,
    slong prec);

/*
 * Feldman, McMillan, Talwar 2021, Theorem 3.1: C ~ Bin(n-1, 1/E),
 * A ~ Bin(C, 1/2), Delta ~ Bern(E/(E+1)); P is the law of
 * (A+Delta, C-A+1-Delta), Q that of (A+1-Delta, C-A+Delta).
 */
void oracle_clones(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

/* The same pair with C ~ Bin(n-1, 2/(E+1)), as in Feldman, McMillan, Talwar
   2023 (arXiv 2208.04591), Theorem 3.1. */
void oracle_clones_stronger(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

/* Binary randomised response that keeps the bit with probability E/(E+1):
   P is the law of the number of ones on data (0,...,0), Q on (1,0,...,0). */
void oracle_rr2(arb_t pq, arb_t qp, slong n, const arb_t E,
    const arb_t alpha, slong prec);

/*
 * k-ary randomised response (truth with probability E/(E+k-1), every other
 * value 1/(E+k-1)) on two datasets: user i holds x0[i] under P and x1[i]
 * under Q, values in [0, k).  The view is the histogram of the k counts.
 */
void oracle_krr_dataset(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    const slong * x0, const slong * x1, const arb_t alpha, slong prec);

/* The previous function with one user holding 0 under P and 1 under Q, and
   the others as told by `others`. */
void oracle_krr(arb_t pq, arb_t qp, slong n, slong k, const arb_t E,
    oracle_others_t others, const arb_t alpha, slong prec);

/*
 * k-ary randomised response, each user reporting a uniform value in [k] with
 * probability gamma in [0, 1] and the truth otherwise, against the strong
 * adversary (Balle, Bell, Gascon, Nissim 2019; Koskela, Heikkila, Honkela
 * 2022, Definition 12): it knows the other users' values, sees which of them
 * told the truth and removes those reports, and sees whether user n was
 * random.  User n holds 0 under P, 1 under Q.  Tables are exact integers.
 */
void oracle_krr_strong(arb_t pq, arb_t qp, slong n, slong k,
    const fmpq_t gamma, const arb_t alpha, slong prec);

/* The same, but the adversary does not see whether user n was random
   (Koskela, Heikkila, Honkela 2022, Definition 14): the view is the histogram
   of the others' random reports together with user n's report. */
void oracle_krr_weak(arb_t pq, arb_t qp, slong n, slong k,
    const fmpq_t gamma, const arb_t alpha, slong prec);

#ifdef __cplusplus
}
#endif

#endif
