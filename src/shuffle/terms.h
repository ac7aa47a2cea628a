/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * terms (internal): one round of a described randomiser, in which user 1 holds x or x1 and the reports of the others come from a
 * reference, as a sum of independent terms (proofs/blanket.md, Lemma 1); and the largest of such cases, in terms.c, cases.c,
 * line_cases.c, grouped.c and mixes.c.
 */
#ifndef SHUF_SHUFFLE_TERMS_H
#define SHUF_SHUFFLE_TERMS_H

#include "shuffled.h"

/* Bits of the laws; their sums need no more. Steers only. */
#define PREC 192

/* A round of n reports; the threshold at an eps (proofs/sampled-described.md). */
typedef struct
{
    uint64_t n;
    int everyone;
    fmpq_t rate;          /* fixed size: they are of a uniform subset that has this rate of the users */
    fmpq_t participation; /* Poisson: of users with this probability, else -(alpha-1) takes the place of their term */
    arb_t K, absent;
} round_struct;

/* An ordered pair of inputs, and where the other reports come from. */
typedef struct
{
    uint64_t x, x1, reference;
    double log_chernoff; /* of E(L_1 + .. + L_n - K)_+/n + alone, roughly */
    double theta;        /* that gives it */
} shuffled_case;

/* The terms (p - alpha q)/w with their masses w, and what lies outside w. */
typedef struct
{
    slong count, allocated;
    arb_ptr value, mass;
    arb_t alone;
} term_list;

/* r := [0, 1], all of it truncation, and SHUF_DOMAIN. */
void round_unknown(shuf_enclosure_t r);

/* K = n (alpha-1)(1-rate)/rate. */
void round_init(round_struct *round, const shuf_sampling *sampling, const shuf_real_t eps);
void round_clear(round_struct *round);

/* Makes them those of users who take part with the round's probability: there must be room for one more. */
void terms_thin(term_list *t, const round_struct *round);

/* The terms of a case. */
void terms_init(term_list *t, const shuf_randomiser_t randomiser, const shuffled_case *c, const round_struct *round, const shuf_real_t eps);
void terms_of_classes(term_list *t, const shuf_classes_t classes, int is_blanket, const round_struct *round, const shuf_real_t eps);
void terms_clear(term_list *t);

/* By their values. */
void terms_sort(term_list *t);

/* Whether two sorted lists certainly describe the same law: the same exact numbers give the same balls. */
int terms_equal(const term_list *s, const term_list *t);

/* Chernoff's bound of a case, at the theta that makes it smallest; an estimate. */
void terms_estimate(shuffled_case *c, const term_list *t, double users, double K);

/* sum encloses E e^{theta L}. */
void terms_moment(arb_t sum, const term_list *t, double theta);

/* bound >= rate (E(L_1 + .. + L_n - K)_+/n + alone): (s)_+ <= e^{theta s - 1}/theta. */
void terms_chernoff(arf_t bound, const term_list *t, double theta, const round_struct *round);

/* r := rate (r/n + alone), at most 1. */
void round_finish(shuf_enclosure_t r, const round_struct *round, const arb_t alone);

/* r encloses rate (E(L_1 + .. + L_n - K)_+/n + alone). */
void terms_evaluate(shuf_enclosure_t r, const term_list *t, const round_struct *round, const shuf_options *options);

/*
 * r encloses the largest of the cases: of all of them for an upper bound, of
 * those that promise most for a lower one.
 */
void largest_case(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                  shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options);

/*
 * log_moment := at most log E e^{theta (L_1 + .. + L_n - K)} of that case, or with NULL of every case of BLANKET, n at most SHUF_MAX_USERS, alone := at most
 * what lies outside w in any of them; *theta is what seems best for the largest one. Returns 0 if nothing is told.
 */
int largest_moment(arb_t log_moment, arb_t alone, double *theta, const shuf_randomiser_t randomiser, const shuffled_case *only, const round_struct *round,
                   const shuf_real_t eps);

/* The same of one case on the line. */
int line_moment(arb_t log_moment, double *theta, const shuf_randomiser_t randomiser, const shuffled_case *c, const round_struct *round, const shuf_real_t eps);

/* r encloses the divergence of these data, or its bound. */
void line_case(shuf_enclosure_t r, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference,
               const round_struct *round, const shuf_real_t eps, const shuf_options *options);

/* The largest of a kind, a randomiser on the line. */
void largest_line_case(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                       shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options);

/*
 * The terms of LOCAL_SWAP at eps < eps0, with the parameters that make it smallest, by estimates. Returns 0 where none say anything: the
 * bound is 1.
 */
int swap_terms_init(term_list *t, const shuf_randomiser_t randomiser, const round_struct *round, const shuf_real_t eps0, const shuf_real_t eps);

/* r encloses the largest GROUPED delta of the data and sets that promise most; group_of: that of data that are known, or with user 1's two values exchanged, in their sets. */
void largest_group(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                   const shuf_real_t eps, const shuf_options *options);
void group_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
              int exchanged, const shuf_real_t eps, const shuf_options *options);

/* Whether events of its reports are looked at, for MIXED. */
int has_events(const shuf_randomiser_t randomiser);

/* r encloses the delta of the mix that promises most. */
void largest_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                 const shuf_real_t eps, const shuf_options *options);

/* The same of a sampled round, the others holding x or x1: reports of one bit (proofs/binary-reports.md, Theorem 7). */
void largest_sampled_mix(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                         const shuf_real_t eps, const shuf_options *options);

/* That of the data at `where`. */
void mix_of(shuf_enclosure_t r, const shuf_randomiser_t randomiser, const shuf_sampling *sampling, const shuf_datasets *where,
            const shuf_real_t eps, const shuf_options *options);

#endif
