/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Randomisers on the line: (0, 1) and (1, 0) give the same (proofs/line.md). */
#include "shuffle/terms.h"

#include "iidsum/iidsum.h"
#include "randomiser/line.h"
#include "shuffle/gaussian.h"

/* Digits that cost little there. Steers only. */
#define SPARE_DIGITS 2

#define MOST_SCALE 100 /* with more noise there is no heavy tail, and no lattice of doubles: steers only */

/* Whether normal reports of users who all hold the same, but one, are looked at with the heavy tail split off (gaussian.h): PQ is with him among them. */
static int has_split_tail(const shuf_randomiser_t randomiser, const round_struct *round)
{
    return randomiser->kind == SHUF_RANDOMISER_GAUSSIAN && round->everyone && shuf_real_cmp_si(randomiser->scale, MOST_SCALE) <= 0;
}

/* The law of a term: that of a user who is there, thinned. */
typedef struct
{
    shuf_summand whole, thinned;
    const shuf_summand *law;
} line_terms;

static void line_terms_init(line_terms *t, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference, const round_struct *round,
                            const shuf_real_t eps)
{
    line_law_init(&t->whole, randomiser, x, x1, reference, eps, PREC);
    t->law = &t->whole;
    if (!fmpq_is_one(round->participation))
    {
        shuf_summand_init_thinned(&t->thinned, &t->whole, round->participation, round->absent);
        t->law = &t->thinned;
    }
}

static void line_terms_clear(line_terms *t)
{
    if (t->law == &t->thinned)
        shuf_summand_clear_thinned(&t->thinned);
    line_law_clear(&t->whole);
}

void line_case(shuf_enclosure_t r, const shuf_randomiser_t randomiser, uint64_t x, uint64_t x1, uint64_t reference,
               const round_struct *round, const shuf_real_t eps, const shuf_options *options)
{
    line_terms t;
    arb_t zero;
    if (has_split_tail(randomiser, round) && (reference == x || reference == x1))
    {
        shuf_options o = *options;
        o.digits += SPARE_DIGITS;
        shuf_gaussian_delta(r, round->n, randomiser->scale, eps, reference == x ? SHUF_DIRECTION_PQ : SHUF_DIRECTION_QP, &o);
        r->status = shuf_enclosure_accurate(r, options->digits) ? SHUF_OK : SHUF_ACCURACY;
        return;
    }
    arb_init(zero);
    line_terms_init(&t, randomiser, x, x1, reference, round, eps);
    shuf_iidsum_excess(r, t.law, round->n, round->K, options);
    round_finish(r, round, zero);
    line_terms_clear(&t);
    arb_clear(zero);
}

int line_moment(arb_t log_moment, double *theta, const shuf_randomiser_t randomiser, const shuffled_case *c, const round_struct *round, const shuf_real_t eps)
{
    line_terms t;
    int known;
    line_terms_init(&t, randomiser, c->x, c->x1, c->reference, round, eps);
    known = shuf_iidsum_moment(log_moment, theta, t.law, round->n, round->K);
    line_terms_clear(&t);
    return known;
}

void largest_line_case(shuf_enclosure_t r, shuf_datasets *where, const shuf_randomiser_t randomiser, const round_struct *round,
                       shuf_shuffled_kind kind, const shuf_real_t eps, const shuf_options *options)
{
    const uint64_t references[2] = { 1, 0 };
    int count = kind == SHUF_SHUFFLED_BLANKET ? 1 : 2, i;
    double limit = shuf_limit(options);
    shuf_options o = *options;
    shuf_enclosure_t next;
    shuf_enclosure_init(next);
    where->x = 0;
    where->x1 = 1;
    if (has_split_tail(randomiser, round) && kind == SHUF_SHUFFLED_ALL_EQUAL)
    {
        shuf_gaussian_delta(r, round->n, randomiser->scale, eps, SHUF_DIRECTION_BOTH, options);
        where->others = 1;
        count = 0;
    }
    for (i = 0; i < count; i++)
    {
        uint64_t reference = kind == SHUF_SHUFFLED_BLANKET ? SHUF_BLANKET : references[i];
        shuf_share(&o, limit, 1.0 / (count - i));
        line_case(next, randomiser, 0, 1, reference, round, eps, &o);
        if (i == 0 || arf_cmp(next->lo, r->lo) > 0)
            where->others = reference;
        if (i == 0)
            shuf_enclosure_set(r, next);
        else
            shuf_enclosure_max(r, r, next);
    }
    shuf_enclosure_clear(next);
}
