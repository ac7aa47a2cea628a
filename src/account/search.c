/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* search: closed forms, and the users, eps0 or scale for which (eps, delta) is certified. */
#include <stdio.h>
#include <string.h>

#include "account/calibrate.h"
#include "account/evaluate.h"
#include "randomiser/estimation.h"
#include "shuffle/shuffled.h"

/* ---- closed forms ---- */

/* r := count times r. */
static void multiply(shuf_enclosure_t r, uint64_t count, slong digits)
{
    slong prec = 4 * digits + 128;
    shuf_ledger_struct ledger = r->ledger;
    shuf_status status = r->status;
    arb_t x;
    if (count == 1)
        return;
    arb_init(x);
    shuf_enclosure_get_arb(x, r, prec);
    arb_mul_ui(x, x, count, prec);
    shuf_enclosure_set_arb(r, x, prec);
    r->ledger.terms = ledger.terms;
    r->ledger.precision = ledger.precision;
    r->ledger.work = ledger.work;
    r->status = status;
    arb_clear(x);
}

static shuf_status refuse(char *error, size_t size, const char *form, const char *what)
{
    snprintf(error, size, "form %s: %s", form, what);
    return SHUF_DOMAIN;
}

static void set_query(shuf_bound_query_t query, const shuf_question_struct *q, const shuf_bound_form *form)
{
    const shuf_part_struct *p = &q->parts[0];
    query->n = p->users;
    query->k = p->randomiser->inputs;
    shuf_real_set(query->eps0, p->eps0);
    shuf_real_set(query->delta0, q->form_delta0);
    shuf_real_set(query->gamma, q->form_gamma);
    switch (form->quantity)
    {
    case SHUF_BOUND_EPSILON: shuf_real_set(query->point, q->delta); break;
    case SHUF_BOUND_DELTA: shuf_real_set(query->point, q->eps); break;
    case SHUF_BOUND_RENYI: shuf_real_set(query->point, q->order); break;
    case SHUF_BOUND_MU: break;
    }
}

/* Of another quantity than these there is no form like that: NULL. */
static const shuf_bound_form *find_form(const shuf_question_struct *q)
{
    return q->quantity == SHUF_QUANTITY_EPSILON ? shuf_bound_find(q->form, SHUF_BOUND_EPSILON)
           : q->quantity == SHUF_QUANTITY_DELTA ? shuf_bound_find(q->form, SHUF_BOUND_DELTA)
           : q->quantity == SHUF_QUANTITY_RENYI ? shuf_bound_find(q->form, SHUF_BOUND_RENYI)
           : q->quantity == SHUF_QUANTITY_GDP   ? shuf_bound_find(q->form, SHUF_BOUND_MU) : NULL;
}

/* Whether it asks for more than a form says, be it of one round or of several. */
static int asks_more(const shuf_question_struct *q)
{
    return q->count > 1 || shuf_part_is_sampled(&q->parts[0]) || q->via != SHUF_VIA_ANY || q->fast || q->direction != SHUF_DIRECTION_BOTH;
}

/* Whether the form takes what the question gives. */
static shuf_status check_form(char *error, size_t size, const shuf_question_struct *q, const shuf_bound_form *form)
{
    const shuf_part_struct *p = &q->parts[0];
    int has_k = p->subject == SHUF_SUBJECT_RANDOMISER && p->randomiser->kind == SHUF_RANDOMISER_KRR;
    if (form == NULL)
        return refuse(error, size, q->form, "it has no closed form for this quantity");
    if (q->is_claim || asks_more(q) || q->order_is_infinite || (p->rounds > 1 && form->quantity != SHUF_BOUND_RENYI))
        return refuse(error, size, q->form, "it covers one round of all users (several for Renyi divergences), and goes with \"ask\" alone");
    if (form->takes_k ? !has_k : p->subject != SHUF_SUBJECT_LDP && !has_k)
        return refuse(error, size, q->form, form->takes_k ? "it takes the mechanism krr" : "it takes the mechanism ldp or krr");
    if (p->eps0_is_infinite)
        return refuse(error, size, q->form, "it needs a finite eps0");
    if (!form->takes_delta0 && shuf_real_sgn(q->form_delta0) > 0)
        return refuse(error, size, q->form, "it takes no \"delta0\"");
    if (!form->takes_gamma && shuf_real_sgn(q->form_gamma) > 0)
        return refuse(error, size, q->form, "it takes no \"gamma\"");
    return SHUF_OK;
}

/* Feldman et al.'s eps0 for (eps, delta), another shape than the others. */
static shuf_status evaluate_eps0_form(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options)
{
    const shuf_part_struct *p = &q->parts[0];
    if (strcmp(q->form, "feldman21-5.2") != 0)
        return refuse(error, size, q->form, "it has no closed form for this quantity");
    if (p->subject != SHUF_SUBJECT_LDP || asks_more(q) || p->rounds > 1 || shuf_real_sgn(q->form_delta0) > 0 || shuf_real_sgn(q->form_gamma) > 0)
        return refuse(error, size, q->form, "it takes the mechanism ldp, and one round of all users");
    if (shuf_feldman21_52_eps0(b->value, q->parts[0].users, q->eps, q->delta, options) == SHUF_DOMAIN)
    {
        snprintf(error, size, "form %s: outside its region: %s", q->form, shuf_theorem_find(q->form)->validity);
        return SHUF_DOMAIN;
    }
    return SHUF_OK;
}

shuf_status form_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options)
{
    const shuf_bound_form *form = find_form(q);
    const shuf_theorem *theorem = shuf_theorem_find(q->form);
    shuf_bound_query_t query;
    shuf_status result = SHUF_OK;
    b->theorem[0] = theorem->id;
    b->theorems = 1;
    b->side = shuf_theorem_certifies(q->form, theorem->side) ? theorem->side : SHUF_SIDE_NONE;
    if (q->parts[0].is_at_least || !fmpq_is_zero(q->parts[0].honest))
        return refuse(error, size, q->form, "it needs an exact number of users, who all follow the protocol");
    if (q->parts[0].reports > 1 || shuf_real_sgn(q->parts[0].delta0) > 0)
        return refuse(error, size, q->form, "it covers one report per user of eps0-LDP randomisers, and a local delta is \"delta0\" in \"form\"");
    if (q->parts[0].is_deletion)
        return refuse(error, size, q->form, "it takes an eps0 of replacement");
    if (q->quantity == SHUF_QUANTITY_EPS0)
        return evaluate_eps0_form(b, error, size, q, options);
    if (check_form(error, size, q, form) != SHUF_OK)
        return SHUF_DOMAIN;
    shuf_bound_query_init(query);
    set_query(query, q, form);
    if (shuf_bound_evaluate(b->value, form, query, options) == SHUF_DOMAIN)
    {
        snprintf(error, size, "form %s: outside its region: %s", q->form, theorem->validity);
        result = SHUF_DOMAIN;
    }
    else
    {
        multiply(b->value, q->parts[0].rounds, options->digits);
        if (q->parts[0].rounds > 1)
            b->theorem[b->theorems++] = "renyi-composition";
    }
    shuf_bound_query_clear(query);
    return result;
}

/* ---- searches ---- */

/* r := d ceil(r/c), everyone, where r is the number of sampled users, rate = c/d. */
static void everyone(shuf_enclosure_t r, const fmpq_t rate)
{
    fmpz_t n, t;
    if (fmpq_is_one(rate) || !arf_is_int(r->hi))
        return;
    fmpz_init(n);
    fmpz_init(t);
    arf_get_fmpz(n, r->hi, ARF_RND_CEIL);
    fmpz_cdiv_q(t, n, fmpq_numref(rate));
    fmpz_mul(n, t, fmpq_denref(rate));
    arf_set_fmpz(r->hi, n);
    arf_get_fmpz(n, r->lo, ARF_RND_FLOOR);
    fmpz_fdiv_q(t, n, fmpq_numref(rate));
    fmpz_mul(n, t, fmpq_denref(rate));
    arf_set_fmpz(r->lo, n);
    shuf_enclosure_width(r->ledger.discretisation, r);
    fmpz_clear(n);
    fmpz_clear(t);
}

/* RAPPOR is described by half the parameter of replacement. */
static void halve(shuf_enclosure_t r)
{
    arf_mul_2exp_si(r->lo, r->lo, -1);
    arf_mul_2exp_si(r->hi, r->hi, -1);
    mag_mul_2exp_si(r->ledger.discretisation, r->ledger.discretisation, -1);
}

static shuf_status search_described(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options)
{
    const shuf_part_struct *p = &q->parts[0];
    theorem_chain chain = { .count = 0 };
    shuf_shuffled_kind kind;
    const char *premise;
    if (shuf_shuffled_calibrate(b->value, &kind, p->randomiser, p->users, q->eps, q->delta, options) == SHUF_DOMAIN)
    {
        snprintf(error, size, "no %s was found for which (eps, delta) is certified", shuf_quantity_name(q->quantity));
        return SHUF_ACCURACY;
    }
    premise = p->randomiser->kind == SHUF_RANDOMISER_RAPPOR && kind != SHUF_SHUFFLED_BLANKET ? "rappor-local"
                                                                                                : shuf_shuffled_premise(kind, p->randomiser);
    if (premise != NULL)
        chain_add(&chain, premise);
    chain_add(&chain, shuf_shuffled_theorem(kind));
    chain_add_users(&chain, p);
    bound_set_chain(b, &chain);
    b->side = bound_certifies(b, SHUF_SIDE_UPPER) ? SHUF_SIDE_UPPER : SHUF_SIDE_NONE;
    if (p->randomiser->kind == SHUF_RANDOMISER_RAPPOR)
        halve(b->value);
    b->note = q->quantity == SHUF_QUANTITY_SCALE ? "certified at the upper end, not certified at the lower end"
                                                 : "certified at the lower end, not certified at the upper end";
    return SHUF_OK;
}

static shuf_status search_rounds(shuf_enclosure_t r, const round_route *route, const shuf_question_struct *q, const shuf_options *options)
{
    shuf_solve solve = q->quantity == SHUF_QUANTITY_USERS ? SHUF_SOLVE_N : SHUF_SOLVE_EPS0;
    if (route->rounds == 1 && route->law->sample == NULL)
        return shuf_calibrate(r, route->pair, solve, q->eps, q->delta, options);
    return shuf_calibrate_rounds(r, route->pair, route->rounds, route->sample->gamma, solve, q->eps, q->delta, options);
}

shuf_status search_evaluate(shuf_answer_bound *b, char *error, size_t size, const shuf_question_struct *q, const shuf_options *options)
{
    const shuf_part_struct *p = &q->parts[0];
    theorem_chain chain;
    route_list routes;
    shuf_status status;
    if (p->subject == SHUF_SUBJECT_RANDOMISER && q->quantity != SHUF_QUANTITY_USERS)
        return search_described(b, error, size, q, options);
    if (shuf_question_is_of_pair(q))
        routes_of_pair(&routes, p, SHUF_SAMPLED_FIXED_SIZE);
    else
        routes_of_mechanism(&routes, p, SHUF_SIDE_UPPER, 0, 0);
    chain = routes.item[0].chain;
    if (routes.item[0].law->sample != NULL)
        chain_add(&chain, "subsample-profile");
    if (routes.item[0].rounds > 1)
        chain_add(&chain, "pld-composition");
    bound_set_chain(b, &chain);
    status = search_rounds(b->value, &routes.item[0], q, options);
    routes_clear(&routes);
    if (q->quantity == SHUF_QUANTITY_USERS && status != SHUF_DOMAIN && !p->is_poisson)
        everyone(b->value, p->rate);
    b->side = bound_certifies(b, SHUF_SIDE_UPPER) ? SHUF_SIDE_UPPER : SHUF_SIDE_NONE;
    b->note = b->side == SHUF_SIDE_NONE               ? "of the pair alone, which bounds no mechanism from above: nothing is certified"
              : p->subject == SHUF_SUBJECT_RANDOMISER ? "the upper end is certified by the bound of all eps0-LDP randomisers: bounds of the mechanism's own may certify fewer"
              : q->quantity == SHUF_QUANTITY_USERS    ? "the upper end is certified, the lower end is not"
              : arf_is_finite(b->value->hi)           ? "the lower end is certified, and so is every smaller eps0"
                                                      : "every eps0 up to the lower end, the largest that is tried, is certified";
    if (status == SHUF_DOMAIN && (q->quantity == SHUF_QUANTITY_USERS || arf_sgn(b->value->lo) <= 0))
    {
        snprintf(error, size, "no %s was found that is certified at (%.60s, %.60s)", shuf_quantity_name(q->quantity), q->eps->text, q->delta->text);
        return SHUF_ACCURACY;
    }
    return SHUF_OK;
}
