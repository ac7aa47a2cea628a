/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * stratum: the value of one stratum, V(c, K) = E (X_{c+1} - K)_+ (internal).
 *
 * With u = w0 - alpha w1 > 0, v = w1 - alpha w0 <= 0 and m = c+1,
 * X_m = (u a/rho + v (m-a)/(1-rho))/m, a ~ Bin(m, rho): a mean of m i.i.d.
 * terms with expectation u + v. The delta of a trinomial pair is
 * E V(C, K_C), K_c = kappa (rest)/(c+1), kappa = (alpha-1) w2 odds, where
 * rest = n-1-c. V falls as c grows (X is a reverse martingale) and as K
 * grows. For an integer t,
 *   V_t(c, K) = (u - K rho) Pr[Bin(c,rho) = t-1] + (u + v - K) Pr[Bin(c,rho) >= t]
 * never exceeds V, with equality at t = ceil((c+1)(K + v')/d),
 * v' = -v/(1-rho), d = u/rho + v'. See proofs/trinomial-pair.md.
 */
#ifndef SHUF_STRATUM_H
#define SHUF_STRATUM_H

#include "../pair/pair.h"

typedef struct
{
    ulong others; /* n - 1 */
    arb_t u, sum; /* u, and u + v = -(w0+w1)(alpha-1) */
    arb_t kappa;
    arb_t slope;  /* v'/d */
    arb_t scaled_kappa; /* kappa/d */
    shuf_pair_weights_t weights;
    slong prec;
} stratum_context_struct;

typedef stratum_context_struct stratum_context_t[1];

/* Whether strata of the pair are mixtures over a random rest, and so many that balls take long. */
int hockey_is_wide_mixture(const shuf_pair_t pair);

void stratum_context_init(stratum_context_t s);
void stratum_context_clear(stratum_context_t s);

/*
 * Fills s for the pair at eps. Returns 0 if the precision is too low to see
 * that u > 0 (the caller has checked that eps is below the largest loss).
 */
int stratum_context_set(stratum_context_t s, const shuf_pair_t pair, const shuf_real_t eps,
                        shuf_direction direction, slong prec);

/* K = kappa rest/(c+1). */
void stratum_K(arb_t K, const stratum_context_t s, ulong c, ulong rest);

/* v encloses V(c, K), v >= 0. */
void stratum_value(arb_t v, const stratum_context_t s, ulong c, const arb_t K);

/* V_t from pmf = Pr[Bin(c,rho) = t-1] and tail = Pr[Bin(c,rho) >= t]. */
void stratum_value_at(arb_t v, const stratum_context_t s, const arb_t K, const arb_t pmf, const arb_t tail);

/*
 * bound >= the sum of Pr[C = c] V(c, K_c) over c + 1 >= edge, or over c + 1 <= edge, whatever tau > 0 is.
 * proofs/trinomial-pair.md, Lemma 4 (b).
 */
void stratum_beyond(arb_t bound, const stratum_context_t s, int above, ulong edge, double tau, slong prec);

/* A threshold in fixed point, with 64 fractional bits. */
__extension__ typedef __int128 stratum_fixed;

/*
 * f := x 2^64 within one unit, plus the ball's radius. Returns 0 (f unchanged)
 * unless that radius is below 2^radius and |x| below 2^62.
 */
int stratum_set_fixed(stratum_fixed *f, const arb_t x, slong radius);

/* Estimates of how much a stratum contributes, for steering (strata_estimate.c). */
typedef struct
{
    double others, count, count_complement, rho, rho_complement, slope, scaled_kappa, rest_factor, u, v, kappa;
} estimate_parameters;

void estimate_set(estimate_parameters *e, const stratum_context_t s);

/* About the c that contributes most. */
double estimate_peak(const estimate_parameters *e);

/* About the best tau of Lemma 4 (b) for what is above, or below, m = edge. */
double estimate_tilt(const estimate_parameters *e, int above, double edge);

/* first and last := about the strata that contribute e^-nats of what `top` does, or more. Returns whether V grows from first to last. */
int estimate_window(ulong *first, ulong *last, const estimate_parameters *e, ulong top, double nats);

#endif
