/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * law: one round of a mechanism, or a pair of distributions (P, Q), by its privacy profile,
 *
 *   s >= 0  ->  H_{e^s}(P||Q) and H_{e^s}(Q||P).
 *
 * With the identity H_alpha(P||Q) = 1 - alpha + alpha H_{1/alpha}(Q||P) the two directions determine the profile at every
 * alpha >= 0, which is all that composition needs (proofs/pld.md).
 *
 * All of a law is on one side. It is exact, where it is that of a pair. From above, what is enclosed is at least the divergence of
 * a round on all neighbouring data. From below, it is at most that of a function of the reports on concrete neighbouring data:
 * `where` of a single point, and of the profile the same data at every point, in the order in which the direction has them.
 *
 * Pairs are made laws here, samples in sampled_law.h; described randomisers in shuffle, noisy SGD in batch.
 */
#ifndef SHUF_LAW_H
#define SHUF_LAW_H

#include "../enclosure/enclosure.h"
#include "../pair/pair.h"

/* The neighbouring data of a lower bound; of an upper one, the pair x, x1 where it is largest. */
typedef struct
{
    uint64_t x, x1;  /* user 1 holds x, or x1 */
    uint64_t others; /* what the other users hold; SHUF_BLANKET for upper bounds */
    uint64_t second; /* MIXED: `count` of the others hold this instead */
    uint64_t count;
    uint64_t event;  /* MIXED: so many outputs, by falling likelihood ratio of x to x1; of a sample of `second` to `others` */
    double at;       /* GROUPED: the sets are those that seem best at this eps */
    int has_threshold; /* of noisy SGD: the event is that the largest step is at least */
    int64_t threshold; /* so many millionths */
} shuf_datasets;

/*
 * How the transform of a loss follows from a sum over values that are not the loss's own: E e^{sL} is off from factor times the sum of mass e^{s value}
 * by at most |s (s+1)| e^log_error, Re s = theta > 0, |Im s| <= reach.
 */
typedef struct shuf_loss_filter_struct
{
    void (*factor)(acb_t factor, const struct shuf_loss_filter_struct *self, const acb_t s, slong prec);
    double (*log_error)(const struct shuf_loss_filter_struct *self, double theta, double reach); /* +inf: nothing is known */
    double spread; /* |E e^{(theta + it) L}| <= e^{-spread t^2/2} E e^{theta L} */
    /* For estimates alone, besides the values: they keep the lines away from where the error matters. */
    slong warnings;
    double *warning, *log_warning;
    /* Unless NULL: log of what |E e^{(theta + ix) L}| is at most for t <= |x| <= far, as part of E e^{theta L}; at most 0. */
    double (*log_fall)(const struct shuf_loss_filter_struct *self, double theta, double t);
    double far;
    const void *data;
} shuf_loss_filter;

/* What a privacy loss is the sum of: those of these independent numbers that are there. */
typedef struct
{
    arb_t variance; /* a normal number of that variance, and half of it as its mean; 0: none */
    arb_t largest;  /* the loss of Laplace noise, at most this; 0: none */
    slong count;    /* value[i] with the probability mass[i]; 0: none */
    arb_ptr value, mass;
    const shuf_loss_filter *filter; /* unless NULL: what makes the transform of these */
    void *owned;    /* by the filter, and freed with the loss */
    /* Of how many rounds, alike, and for about which logarithm of the divergence it is wanted; set before it is told: steer only. */
    double rounds, log_least;
    arb_t shift;    /* by which values may be off, at most; */
    arb_t infinite; /* the mass of an infinite loss, */
    arb_t lost;     /* and what is neither there nor among the values, at most */
} shuf_loss_struct;

typedef shuf_loss_struct shuf_loss_t[1];

/* The loss 0. */
void shuf_loss_init(shuf_loss_t loss);
void shuf_loss_clear(shuf_loss_t loss);
/* Makes room for so many values, all 0; there was none. */
void shuf_loss_set_count(shuf_loss_t loss, slong count);

typedef struct shuf_law_struct
{
    /*
     * lo[i] <= H_{e^s[i]} <= hi[i] in the direction PQ or QP, for
     * 0 <= s[0] <= s[1] <= ... <= SHUF_MAX_EPSILON, dyadic numbers; relative
     * accuracy 10^-digits is aimed at. Returns SHUF_OK or SHUF_ACCURACY (some
     * are wider); 0 <= lo <= hi <= 1 in any case. NULL where only single points are known.
     */
    shuf_status (*evaluate)(arf_ptr lo, arf_ptr hi, const struct shuf_law_struct *self, shuf_direction direction,
                            arf_srcptr s, slong count, const shuf_options *options);
    /*
     * infinite := a lower bound of the limit at s = infinity: the mass of P
     * that Q does not see (PQ), or the other way round.
     */
    void (*infinite)(arf_t infinite, const struct shuf_law_struct *self, shuf_direction direction);
    void *data;
    int symmetric; /* both directions are the same */
    /*
     * Unless NULL: loss := a number from which on the profile is 0 in both
     * directions, the largest loss if that is a shuf_real, else barely above
     * it. Returns 0 when none is known.
     */
    int (*max_loss)(shuf_real_t loss, const struct shuf_law_struct *self);
    /* Unless NULL: whether other, with the same `same`, is certainly the same profile. */
    int (*same)(const struct shuf_law_struct *self, const struct shuf_law_struct *other);
    /* Unless NULL: hi := an upper bound of the profile at that s in the direction PQ or QP, however small, at next to no cost; or 1. */
    void (*above)(arf_t hi, const struct shuf_law_struct *self, shuf_direction direction, const arf_t s);
    double (*log_estimate)(const struct shuf_law_struct *self, double s); /* unless NULL: about log of the profile at s > 0, no bound, at next to no cost */
    /*
     * Unless NULL: p[i] and q[i] enclose the masses under P and Q of the
     * outcomes of laws that have exactly this profile, one after the other; the last one is all those with P = Q, in
     * which p and q are the same number. Returns how many there are; with p = q = NULL for how
     * many there has to be room, or 0 when that is more than `most`.
     */
    slong (*outcomes)(arb_ptr p, arb_ptr q, const struct shuf_law_struct *self, slong most, slong prec);
    /*
     * Unless NULL: the loss log(dP/dQ) under P (PQ), or log(dQ/dP) under Q, of laws that have exactly this profile; loss is as initialised.
     * Returns 0 if it is not told.
     */
    int (*loss)(shuf_loss_t loss, const struct shuf_law_struct *self, shuf_direction direction, slong prec);
    /*
     * Unless NULL: r encloses H_{e^eps} of so many alike in that direction, PQ or QP, by a way of their own, for the two laws whose profile
     * this is exactly; 1 <= rounds <= SHUF_MAX_USERS. SHUF_OK or SHUF_ACCURACY.
     */
    shuf_status (*power)(shuf_enclosure_t r, const struct shuf_law_struct *self, uint64_t rounds, shuf_direction direction,
                         const shuf_real_t eps, const shuf_options *options);
    /* The loss is worth telling of so many rounds, or more: with fewer the profile does better; and whether more digits than it gives are not worth looking for there. Steer only. */
    double loss_rounds;
    int has_dear_nodes;
    /* Unless NULL: the work that `loss` needs instead of `prepare`; called before it is used, by one thread. Does it once. Returns whether it is told then. */
    int (*prepare_loss)(const struct shuf_law_struct *self, const shuf_options *options);
    double *start; /* unless NULL: where a search for eps begins; 0: not told. May be set; steers only */
    int has_single_points; /* evaluate takes its points one by one, so that each costs what its digits cost. Steers only */
    int has_cheap_points; /* delta says more than evaluate, and costs less than what points of the profile have in common. Steers only */
    int is_at_nodes; /* evaluate is that of a law near the one of delta, on the same side of the mechanism, or farther from it */
    int has_cheap_powers; /* what points of a power have in common is made once, and another point costs next to nothing */
    /*
     * Single points: r encloses delta at eps in that direction, or the smallest eps at delta, as shuf_hockey_delta and
     * shuf_hockey_epsilon do. A law that is not of a pair sets `where`. NULL (both): one round is a composition of one.
     */
    shuf_status (*delta)(shuf_enclosure_t r, shuf_datasets *where, const struct shuf_law_struct *self, const shuf_real_t eps,
                         shuf_direction direction, const shuf_options *options);
    shuf_status (*epsilon)(shuf_enclosure_t r, shuf_datasets *where, const struct shuf_law_struct *self, const shuf_real_t delta,
                           shuf_direction direction, const shuf_options *options);
    /* Unless NULL: the formula that evaluate, delta and epsilon are of (closed_law.h). */
    void (*value)(arb_t v, const struct shuf_law_struct *self, shuf_direction direction, const arb_t excess, slong prec);
    /* Unless NULL: the formula that renyi is of (closed_law.h). */
    void (*renyi_value)(arb_t v, const struct shuf_law_struct *self, const arb_t order, int is_one, slong prec);
    /* Unless NULL: r encloses the Renyi divergence of that order, as shuf_renyi_divergence does; and whether few digits come sooner from the profile. Steers only. */
    shuf_status (*renyi)(shuf_enclosure_t r, const struct shuf_law_struct *self, const shuf_real_t order, shuf_direction direction,
                         const shuf_options *options);
    int has_dear_renyi;
    /*
     * Unless 0: log E (dP/dQ)^order under Q, and with P and Q exchanged, is at most moment order (order-1), order > 1, of all data that the law is
     * about: far out, where no profile is looked at. log_moment, unless NULL: v := another such bound, which may be the better one.
     */
    fmpq_t moment;
    int moment_is_reached; /* and it is the limit of D_order/order, or its value at some order */
    int is_gaussian;       /* and the law is that of N(mu, 1) against N(0, 1), mu^2 = 2 moment */
    fmpq_t gaussian;       /* unless 0: no divergence is above those of N(mu, 1) against N(0, 1), mu^2 = gaussian */
    void (*log_moment)(arb_t v, const struct shuf_law_struct *self, const arb_t order, slong prec);
    /* Unless NULL: the work that all points of the profile have in common; called before it is used, by one thread. Does it once. */
    void (*prepare)(const struct shuf_law_struct *self, const shuf_options *options);
    const shuf_datasets *where; /* unless NULL: the data of the profile, after prepare */
    const struct shuf_law_struct *second; /* unless NULL: a round is the product of this law and the second, which are alike */
    const shuf_pair_struct *pair; /* unless NULL: the law is that of this pair, or of */
    const struct shuf_sampled_struct *sample; /* this sample of a pair's */
    void (*clear)(struct shuf_law_struct *self); /* NULL: nothing to free */
} shuf_law_struct;

typedef shuf_law_struct shuf_law_t[1];

/* A law of which nothing is known: no mass at infinity, no largest loss, two directions. */
void shuf_law_init(shuf_law_t law);
void shuf_law_clear(shuf_law_t law);

/* moment := factor shift/2, that of N(mu, 1) against N(0, 1), mu^2 = factor shift: of a record that moves what is seen by no more; shift = 1/noise^2. */
void shuf_law_set_moment(shuf_law_t law, const fmpq_t shift, ulong factor);
void shuf_law_set_moment_of_noise(shuf_law_t law, const fmpq_t noise, ulong factor);

/* Whether moments are bounded; v := the bound, if they are. */
int shuf_law_has_moments(const shuf_law_struct *law);
void shuf_law_log_moment(arb_t v, const shuf_law_struct *law, const arb_t order, slong prec);

/* Whether two laws certainly have the same profile. */
int shuf_law_equal(const shuf_law_struct *x, const shuf_law_struct *y);

/* Whether it is that of a pair, or of a sample of one. */
int shuf_law_is_of_pair(const shuf_law_t law);

/* As `loss` if it is worth telling, else by `outcomes`; loss is as initialised but for what steers, or to be cleared, if 0 is returned. */
int shuf_law_loss(shuf_loss_t loss, const shuf_law_struct *law, shuf_direction direction, slong prec);

/* The largest loss of a round, at most barely above it; as max_loss. */
int shuf_law_max_loss(shuf_real_t loss, const shuf_law_t law);

/* The smallest eps at delta, as `epsilon`, by a search on the law's own `delta` up to eps = most, [inf, inf] where `infinite` says so; for laws that know no better way. */
shuf_status shuf_law_invert(shuf_enclosure_t r, const shuf_law_struct *law, const shuf_real_t delta, shuf_direction direction, slong most,
                            const shuf_options *options);

/* The law `of`, which must outlive it, looked at point by point, with `delta` of it at each. */
void shuf_law_set_by_points(shuf_law_t law, const shuf_law_struct *of);

/* The law of a pair, which must outlive it. */
void shuf_law_set_pair(shuf_law_t law, const shuf_pair_t pair);

/* The single points and Renyi divergences of a pair's law are computed in doubles from here on, wherever these reach, with bounds of all errors. */
void shuf_law_hasten(shuf_law_t law);

#endif
