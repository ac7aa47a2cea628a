/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * iidsum: the expected positive part of a sum of independent copies of a real
 * random variable,
 *
 *   E (L_1 + ... + L_n - K)_+,
 *
 * enclosed. It is the shuffled delta on all-equal data, and the blanket's
 * upper bound (proofs/iidsum.md says how both become sums). A random number
 * M ~ Bin(n, gamma) of terms is the same sum with n terms that are 0 with
 * probability 1 - gamma.
 *
 * There are two ways. The n-th power of the transform E e^{sL} falls away from the
 * real axis, and the answer is read from some hundred values of it on a line
 * Re s = theta (proofs/iidsum.md, Lemmas 6 to 9). Where it falls too slowly a small
 * normal number is added, and one twice as large (Lemma 12). It is tried first.
 *
 * Where no line is good enough, which happens where the values are very far
 * apart, a sum of atoms that takes few values is added up value by value.
 */
#ifndef SHUF_IIDSUM_H
#define SHUF_IIDSUM_H

#include <stdint.h>

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"
#include "../flint_headers.h"

/*
 * Atoms in place of a law: for all s = theta + i t, |t| <= reach, E e^{s L} of
 * the law it was asked for differs by at most `error` from the sum of
 * mass[j] e^{s value[j]}, for numbers in these balls.
 */
typedef struct
{
    slong count, allocated;
    arb_ptr value, mass;
    double error;
} shuf_quadrature;

void shuf_quadrature_init(shuf_quadrature *q);
void shuf_quadrature_clear(shuf_quadrature *q);
void shuf_quadrature_add(shuf_quadrature *q, const arb_t value, const arb_t mass);

/*
 * Step functions below a law's density; their sum is below it. A step is an
 * interval of at least that width, without numbers less than low, on which the
 * density is at least height. Steps of the same group are neighbours, in order.
 */
typedef struct
{
    slong count, allocated;
    double *low, *width, *height;
    slong *group;
} shuf_steps;

void shuf_steps_init(shuf_steps *s);
void shuf_steps_clear(shuf_steps *s);
void shuf_steps_add(shuf_steps *s, double low, double width, double height, slong group);

/* The law of L: total mass at most 1 (a missing rest counts for nothing), finite mean. */
typedef struct shuf_summand_struct
{
    /* mass encloses Pr[L >= x] and excess E(L - x)_+ */
    void (*tail)(arb_t mass, arb_t excess, const struct shuf_summand_struct *self, const arf_t x, slong prec);
    /* The smallest and the largest value of L itself (not only to within shift), outward; infinite where there is none. */
    void (*support)(arf_t lowest, arf_t largest, const struct shuf_summand_struct *self);
    /*
     * An atom's value may be known only up to this: L and the law described
     * here are coupled with |L - L'| <= shift. 0 for a density.
     */
    mag_t shift;
    /* At most Pr[L = 0]. */
    double zero;
    /*
     * quadrature appends atoms to q
     * for the part L < top of the law, theta >= 0, and adds to q->error, which
     * should stay below tolerance; 0, or -1 if it has none (too many, say). A tolerance
     * of 0 asks for estimates, far out, and of the error nothing.
     * steps appends step functions below the density of that part; NULL for a law of atoms, which quadrature then gives exactly.
     * Both may be NULL.
     */
    int (*quadrature)(shuf_quadrature *q, const struct shuf_summand_struct *self, double theta, double reach, const arf_t top,
                      double tolerance, slong prec);
    void (*steps)(shuf_steps *s, const struct shuf_summand_struct *self, const arf_t top);
    const void *data;
} shuf_summand;

/* A law of which nothing is told yet. */
void shuf_summand_init(shuf_summand *law);

/*
 * r encloses E(L_1 + ... + L_n - K)_+ for every K in the ball, 1 <= n <=
 * SHUF_MAX_USERS. K should be at least about the mean of the sum (below it
 * the answer is wide). Returns SHUF_OK or SHUF_ACCURACY (valid, wider than
 * options->digits: no line does, or the time ran out). Ledger:
 * discretisation is what is added to the sum, truncation what lies beyond the
 * cut or the last frequency, aliasing and rounding those of the transform.
 */
shuf_status shuf_iidsum_excess(shuf_enclosure_t r, const shuf_summand *law, uint64_t n, const arb_t K,
                               const shuf_options *options);

/*
 * The same for `count` thresholds; a line of the transform serves as many as it
 * will do for, so that neighbours should follow each other. options->max_work is
 * for all; what no line serves within the work keeps simple bounds. Returns SHUF_OK if every r[i]->status is, else the first other one.
 */
shuf_status shuf_iidsum_excesses(shuf_enclosure_struct *r, const shuf_summand *law, uint64_t n, arb_srcptr K, slong count,
                                 const shuf_options *options);

/*
 * log_moment := at most log E e^{theta (L_1 + .. + L_n - K)} for the *theta, a double, that seems to make this and -log theta smallest together; 1 <= n <=
 * SHUF_MAX_USERS. Returns 0 if the law does not tell.
 */
int shuf_iidsum_moment(arb_t log_moment, double *theta, const shuf_summand *law, uint64_t n, const arb_t K);

/* A line of the transform, which serves points that are near each other. */
typedef struct shuf_line_struct shuf_line;

void shuf_line_free(shuf_line *line); /* may be NULL */

/*
 * r encloses E(1 - e^{eps - S})_+, S = L_1 + ... + L_n: H_{e^eps} of n steps alike when L is the privacy loss of one. By lines
 * of the transform alone (Lemma 11): of the law quadrature, steps and support are used, and it is not cut where tail is NULL. 1 <= n <=
 * SHUF_MAX_USERS; without a line that will do within the work r is [0, 1]. The line at *line, NULL at first, is tried before others, and the last one is there afterwards; `law`
must stay where it is. SHUF_OK or SHUF_ACCURACY.
 */
shuf_status shuf_iidsum_hockey(shuf_enclosure_t r, shuf_line **line, const shuf_summand *law, uint64_t n, const shuf_real_t eps, const shuf_options *options);

/*
 * The law of finitely many atoms, value[j] (known to a small radius) with mass
 * mass[j] >= 0; copies what it needs. Values may repeat and are in any order.
 */
void shuf_summand_init_finite(shuf_summand *law, arb_srcptr value, arb_srcptr mass, slong count);
void shuf_summand_clear_finite(shuf_summand *law);

/*
 * With that probability, 0 < rate < 1, a number of the law `whole`, which must outlive it and have the mass 1; else
 * `value` (known to a small radius).
 */
void shuf_summand_init_thinned(shuf_summand *law, const shuf_summand *whole, const fmpq_t rate, const arb_t value);
void shuf_summand_clear_thinned(shuf_summand *law);

#endif
