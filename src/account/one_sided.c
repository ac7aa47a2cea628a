/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/one_sided.h"

#include "account/evaluate.h"
#include "account/routes.h"
#include "randomiser/one_sided_outputs.h"

#define PREC 128 /* steers only */

/* mass := that of the outcomes of all rounds of the part that only one of the data sets has, d; 0 where none are known. */
static void part_mass(arb_t mass, shuf_neighbouring_data *d, const shuf_part_struct *part)
{
    fmpq_t p;
    fmpq_init(p);
    if (part->subject == SHUF_SUBJECT_RANDOMISER && part->eps0_is_infinite)
    {
        if (part->gamma_is_given) /* 0: every report is the value */
        {
            fmpq_one(p);
            d->first = 0;
            d->second = 1;
        }
        else
        {
            randomiser_one_sided(p, &d->first, &d->second, part->randomiser);
        }
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
}

/* Whether likelihood ratios have no bound although each outcome may come from both data: those of normal reports, if all others hold the second value. */
static int has_no_largest_loss(const shuf_part_struct *part)
{
    return part->subject == SHUF_SUBJECT_RANDOMISER && part->randomiser->kind == SHUF_RANDOMISER_GAUSSIAN && fmpq_sgn(part->rate) > 0;
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
    if (q->quantity != SHUF_QUANTITY_EPSILON && q->quantity != SHUF_QUANTITY_RENYI)
        return 0;
    arb_init(mass); arf_init(lo); arf_init(most);
    for (i = 0; i < q->count; i++)
    {
        part_mass(mass, &d, &q->parts[i]);
        arb_get_lbound_arf(lo, mass, PREC);
        if (arf_cmp(lo, most) <= 0 && (unbounded || arf_sgn(most) > 0 || !has_no_largest_loss(&q->parts[i])))
            continue;
        if (arf_cmp(lo, most) <= 0)
        {
            d.first = 0;
            d.second = d.others = 1;
            unbounded = 1;
        }
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
