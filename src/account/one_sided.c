/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/one_sided.h"

#include "account/evaluate.h"
#include "account/routes.h"
#include "randomiser/one_sided_outputs.h"

#define PREC 128 /* steers only */

/*
 * mass := that of the outcomes of all rounds of the part that only one of the data sets has, d; 0 where none are known. Returns whether
 * the likelihood ratios of these have no bound all the same: those of normal reports, if all others hold the second value.
 */
static int part_mass(arb_t mass, shuf_neighbouring_data *d, const shuf_part_struct *part)
{
    fmpq_t p;
    const int is_normal = part->subject == SHUF_SUBJECT_RANDOMISER && part->randomiser->kind == SHUF_RANDOMISER_GAUSSIAN;
    fmpq_init(p);
    d->first = 0;
    d->second = 1;
    if (part->subject == SHUF_SUBJECT_RANDOMISER && part->eps0_is_infinite && !is_normal)
    {
        if (part->gamma_is_given) /* 0: every report is the value */
            fmpq_one(p);
        else
            randomiser_one_sided(p, &d->first, &d->second, part->randomiser);
    }
    d->others = d->second;
    fmpq_mul(p, p, part->rate);
    arb_set_fmpq(mass, p, PREC);
    if (part->rounds > 1)
    {
        /* 1 - (1 - p)^rounds */
        arb_sub_si(mass, mass, 1, PREC);
        arb_neg(mass, mass);
        arb_pow_ui(mass, mass, part->rounds, PREC);
        arb_sub_si(mass, mass, 1, PREC);
        arb_neg(mass, mass);
    }
    fmpq_clear(p);
    return is_normal;
}

static void take_theorems(shuf_answer_bound *b, const shuf_question_struct *q)
{
    const shuf_part_struct *part = &q->parts[b->data.part];
    theorem_chain chain = { .count = 0 };
    chain_add(&chain, !shuf_part_is_sampled(part) ? "all-equal" : part->is_poisson ? "alike-poisson" : "alike-sampled");
    chain_add_users(&chain, part);
    if (part->rounds > 1)
        chain_add(&chain, "pld-composition");
    bound_set_chain(b, &chain);
}

int one_sided_bound(shuf_answer_bound *b, const shuf_question_struct *q)
{
    shuf_neighbouring_data d = { .k = 0 };
    arb_t mass;
    arf_t lo, most;
    size_t i;
    int infinite, unbounded = 0;
    if (q->quantity != SHUF_QUANTITY_EPSILON && q->quantity != SHUF_QUANTITY_RENYI && q->quantity != SHUF_QUANTITY_ZCDP)
        return 0;
    arb_init(mass); arf_init(lo); arf_init(most);
    for (i = 0; i < q->count; i++)
    {
        const int is_normal = part_mass(mass, &d, &q->parts[i]);
        arb_get_lbound_arf(lo, mass, PREC);
        if (arf_cmp(lo, most) <= 0 && !(is_normal && !unbounded && arf_is_zero(most)))
            continue;
        unbounded |= is_normal;
        arf_set(most, lo);
        d.part = i;
        b->data = d;
    }
    infinite = q->quantity == SHUF_QUANTITY_EPSILON ? shuf_real_cmp_arf(q->delta, most) < 0 || (unbounded && shuf_real_sgn(q->delta) == 0) : arf_sgn(most) > 0;
    if (infinite)
    {
        arf_pos_inf(b->value->lo);
        arf_pos_inf(b->value->hi);
        b->value->status = SHUF_OK;
        b->side = SHUF_SIDE_LOWER;
        b->sign = q->is_claim;
        b->has_data = 1;
        b->has_delta = arf_sgn(most) > 0; /* at every eps */
        arf_set(b->delta->lo, most);
        arf_one(b->delta->hi);
        take_theorems(b, q);
    }
    arb_clear(mass); arf_clear(lo); arf_clear(most);
    return infinite;
}
