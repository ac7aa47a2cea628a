/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * gdp: Gaussian differential privacy,
 *
 *   G_mu = T(N(0,1), N(mu,1)),  G_mu(a) = Phi(Phi^-1(1-a) - mu),
 *
 * with the privacy profile, the same in both directions,
 *
 *   delta_mu(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)
 *
 * (Dong, Roth, Su, Gaussian Differential Privacy, JRSS-B 2022, Corollary
 * 2.13), and the smallest mu for which a pair's profile stays below it.
 *
 * A mechanism is mu-GDP if delta(eps) <= delta_mu(eps) in both directions at
 * every eps >= 0. On a range of eps it is less; but if the range reaches from
 * 0 to the largest privacy loss of the pair it is all: from there on delta = 0.
 */
#ifndef SHUF_GDP_H
#define SHUF_GDP_H

#include "../enclosure/enclosure.h"
#include "../exact/exact.h"
#include "../pair/pair.h"
#include "../law/law.h"

/* Largest mu; larger ones are refused. */
#define SHUF_GDP_MAX_MU 1000000

/* v encloses delta_mu(eps) of all positive mu and all eps >= 0 in the balls. */
void shuf_gdp_delta_arb(arb_t v, const arb_t mu, const arb_t eps, slong prec);

/*
 * r encloses delta_mu(eps), 0 <= mu <= SHUF_GDP_MAX_MU, 0 <= eps <=
 * SHUF_MAX_EPSILON; delta_0 = 0. Relative accuracy however small it is.
 * SHUF_OK, SHUF_ACCURACY or SHUF_DOMAIN (r = [0, 1]).
 */
shuf_status shuf_gdp_delta(shuf_enclosure_t r, const shuf_real_t mu, const shuf_real_t eps, const shuf_options *options);

/*
 * r encloses the smallest mu >= 0 with H_{e^eps} <= delta_mu(eps) for every
 * eps in [from, to], 0 <= from <= to <= SHUF_MAX_EPSILON; direction BOTH:
 * in both. At r->hi this is certain for the whole range, and below r->lo the
 * eps `witness` in the range certainly exceeds delta_mu (proofs/tradeoff.md).
 * most, unless NULL: a mu that is large enough for the range; the search for
 * hi ends where lo is as near to it as digits ask, and r is still the range's.
 * SHUF_OK, SHUF_ACCURACY (valid, wider than asked; hi = +inf at worst) or
 * SHUF_DOMAIN (range; r = [0, +inf]). [+inf, +inf] if H = 1 somewhere.
 */
shuf_status shuf_gdp_mu(shuf_enclosure_t r, shuf_real_t witness, const shuf_law_struct *profile, const shuf_real_t from,
                        const shuf_real_t to, shuf_direction direction, arf_srcptr most, const shuf_options *options);

typedef enum
{
    SHUF_GDP_CERTIFIED, /* H <= delta_mu on the whole range */
    SHUF_GDP_REFUTED,   /* H > delta_mu at the witness */
    SHUF_GDP_UNDECIDED  /* within the time and the profile's accuracy, or arguments outside their ranges */
} shuf_gdp_verdict;

/*
 * Whether the profile stays below delta_mu on [from, to], for the exact mu > 0.
 * REFUTED sets the witness, and delta and gaussian to enclosures of H and
 * delta_mu there. options->digits is the accuracy of the profile's values.
 */
shuf_gdp_verdict shuf_gdp_check(shuf_real_t witness, shuf_enclosure_t delta, shuf_enclosure_t gaussian,
                                const shuf_law_struct *profile, const shuf_real_t mu, const shuf_real_t from,
                                const shuf_real_t to, shuf_direction direction, const shuf_options *options);

#endif
