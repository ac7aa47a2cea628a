/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * shuffled: what n users who all run a described randomiser get from a
 * shuffler: upper and lower bounds of
 *
 *   delta(eps) = sup over neighbouring data of H_{e^eps}(shuffled reports),
 *
 * neighbours replace one user's value. Every upper bound holds for all data,
 * every lower one is the exact divergence of named neighbouring data (or of a
 * function of the reports). See proofs/blanket.md, proofs/local-profile.md and
 * proofs/mixed.md.
 */
#ifndef SHUF_SHUFFLED_H
#define SHUF_SHUFFLED_H

#include "../law/law.h"
#include "../randomiser/randomiser.h"

typedef enum
{
    /* upper bounds */
    SHUF_SHUFFLED_CLONES,          /* from the local eps0 alone */
    SHUF_SHUFFLED_CLONES_STRONGER,
    SHUF_SHUFFLED_LOCAL_PROFILE,   /* from eps0 and the local profile at eps */
    SHUF_SHUFFLED_LOCAL_SWAP,      /* from eps0 and the local profile elsewhere: for an eps0 beyond log n */
    SHUF_SHUFFLED_BLANKET,         /* who answered from the blanket is revealed, the user in question excepted */
    /* lower bounds */
    SHUF_SHUFFLED_ALL_EQUAL,       /* the other users hold the value that is replaced, or the new one */
    SHUF_SHUFFLED_THIRD,           /* the other users hold a third value */
    SHUF_SHUFFLED_MIXED,           /* the other users hold two values; only an event of each report is seen */
    SHUF_SHUFFLED_GROUPED,         /* the other users hold one value; only in which of three sets each report is is seen */
    SHUF_SHUFFLED_KINDS
} shuf_shuffled_kind;

/* The theorem's id in the registry. */
const char *shuf_shuffled_theorem(shuf_shuffled_kind kind);
const char *shuf_shuffled_sampled_theorem(shuf_shuffled_kind kind, int is_poisson); /* of its form for samples; NULL: it has none */
int shuf_shuffled_is_upper(shuf_shuffled_kind kind);

/* Whether eps0 is so large that hardly any of n users' reports could be user 1's: e^eps0 >= n. LOCAL_SWAP is for these, and of use from so many users on, which steers only. */
#define SHUF_SWAP_USERS 64
int shuf_shuffled_is_far(const shuf_real_t eps0, uint64_t n);

/* The id of the theorem that this one rests on for this randomiser, its eps0 or its inputs, or NULL. */
const char *shuf_shuffled_premise(shuf_shuffled_kind kind, const shuf_randomiser_t randomiser);

/*
 * r encloses the bound of that kind at eps, 0 <= eps <= SHUF_MAX_EPSILON, the
 * larger of both directions; `where` may be NULL. Returns SHUF_OK,
 * SHUF_ACCURACY (valid, wider than asked), or SHUF_DOMAIN when there is none
 * ([0, 1]): no finite eps0 (the first four), one that is not far (LOCAL_SWAP), eps0 > SHUF_MAX_EPSILON, fewer than three inputs (THIRD),
 * n beyond SHUF_MIXED_MAX_USERS or a randomiser on the line or of tuples (MIXED), on the line (GROUPED), no time
 * for all the pairs of inputs (BLANKET).
 */
shuf_status shuf_shuffled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                uint64_t n, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options);

/* Who reports in a round, drawn anew in each (proofs/sampled-described.md). */
typedef struct
{
    uint64_t n;       /* so many, a uniform subset that is this rate of all users; */
    const fmpq *rate; /* 0 < rate <= 1 */
    int is_poisson;   /* or each of n users with this probability, and how many do is seen */
} shuf_sampling;

/*
 * The same for a sampled round: LOCAL_PROFILE, BLANKET, ALL_EQUAL and THIRD, and MIXED of a fixed size, the others some x
 * and some x1; of the others for rate = 1 only.
 * The smallest eps with bound(eps) <= delta, 0 <= delta <= 1: r->hi of an upper
 * bound is a guarantee, and below r->lo of a lower bound delta is exceeded by
 * the data at `where`, whose own eps is in r.
 * SHUF_DOMAIN ([lo, +inf]) also when no finite eps is found. start > 0 is where eps is about, if that is known; it steers only.
 * The blanket of normal reports has heavy tails, of whose sums all digits may be out of reach: with a budget one digit comes first,
 * then one more each time. delta_at_once: all that are asked for, for nodes of a profile, of which there are many.
 */
shuf_status shuf_shuffled_sampled_delta(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options);
shuf_status shuf_shuffled_delta_at_once(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options);
shuf_status shuf_shuffled_sampled_epsilon(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser,
                                        const shuf_sampling *sampling, shuf_shuffled_kind kind, const shuf_real_t delta, double start, const shuf_options *options);

/*
 * One direction of named data: r encloses H_{e^eps} of the round in which user
 * 1 holds x against that with x1, all others holding `others`, an input; with
 * SHUF_BLANKET the bound for all others. x, x1 as shuf_randomiser_pair has them or exchanged.
 */
shuf_status shuf_shuffled_named_delta(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling,
                                      uint64_t x, uint64_t x1, uint64_t others, const shuf_real_t eps, const shuf_options *options);

/*
 * Calibration: the randomiser's eps0 (k-RR, RAPPOR, SUBSET, HADAMARD,
 * LOCAL_HASHING), or its scale (LAPLACE, GAUSSIAN), for which an upper bound,
 * *kind, certifies (eps, delta) for n users. r encloses a boundary: at r->lo of
 * an eps0 or r->hi of a scale the bound is certified, at the other end it is
 * not. What the randomiser has for that parameter is ignored. SHUF_DOMAIN
 * when no boundary is found, and for a MATRIX.
 */
shuf_status shuf_shuffled_calibrate(shuf_enclosure_t r, shuf_shuffled_kind *kind, const shuf_randomiser_t randomiser,
                                    uint64_t n, const shuf_real_t eps, const shuf_real_t delta,
                                    const shuf_options *options);

#endif
