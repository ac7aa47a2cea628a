/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* A question as it was understood. */
#include "account/question_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/batch_part.h"
#include "account/vocabulary.h"
#include "account/members.h"
#include "account/noise_part.h"
#include "account/groups_part.h"
#include "account/renyi_part.h"

static void put_real(json_t *object, const char *key, const shuf_real_t x)
{
    json_object_set_new(object, key, json_string(x->text));
}

/* RAPPOR is described by half the parameter of replacement: q, or log(sqrt(q^2)). */
static void put_half(json_t *object, const shuf_real_t x)
{
    shuf_real_t half;
    shuf_real_init(half);
    shuf_real_undo_twice(half, x);
    put_real(object, "eps0", half);
    shuf_real_clear(half);
}

static json_t *rows_json(const shuf_randomiser_t m)
{
    json_t *rows = json_array();
    uint64_t x, y;
    for (x = 0; x < m->inputs; x++)
    {
        json_t *row = json_array();
        for (y = 0; y < m->outputs; y++)
            json_array_append_new(row, rational_json(&m->row[x * m->outputs + y]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static void put_parts(json_t *object, const shuf_randomiser_t m);

/* The members of a randomiser; a k-RR may be known by its gamma. */
static void put_randomiser(json_t *object, const shuf_randomiser_t m, const fmpq *gamma)
{
    if (m->parts > 0)
    {
        put_parts(object, m);
        return;
    }
    if (shuf_randomiser_is_line(m))
    {
        put_real(object, "scale", m->scale);
        if (m->inputs == SHUF_ANY_INPUTS)
            json_object_set_new(object, "inputs", json_string("interval"));
        return;
    }
    if (m->kind == SHUF_RANDOMISER_MATRIX)
    {
        json_object_set_new(object, "rows", rows_json(m));
        return;
    }
    if (m->inputs != SHUF_ANY_INPUTS)
        json_object_set_new(object, "k", count_json(m->inputs));
    if (m->kind == SHUF_RANDOMISER_SUBSET || m->kind == SHUF_RANDOMISER_LOCAL_HASHING)
        json_object_set_new(object, m->kind == SHUF_RANDOMISER_SUBSET ? "size" : "g", count_json(m->size));
    if (gamma != NULL)
        json_object_set_new(object, "gamma", rational_json(gamma));
    else if (m->kind == SHUF_RANDOMISER_UNARY)
    {
        json_object_set_new(object, "p", rational_json(m->one));
        json_object_set_new(object, "q", rational_json(m->zero));
    }
    else if (m->kind == SHUF_RANDOMISER_RAPPOR)
        put_half(object, m->eps0);
    else
        put_real(object, "eps0", m->eps0);
}

static void put_parts(json_t *object, const shuf_randomiser_t m)
{
    json_t *parts = json_array(), *weights = json_array();
    uint64_t i;
    for (i = 0; i < m->parts; i++)
    {
        json_t *part = json_pack("{s:s}", "type", shuf_randomiser_about(m->part[i].kind)->name);
        put_randomiser(part, &m->part[i], NULL);
        if (m->part[i].name != NULL)
            json_object_set_new(part, "name", json_string(m->part[i].name));
        json_array_append_new(parts, part);
        if (m->weight != NULL)
            json_array_append_new(weights, rational_json(m->weight + i));
    }
    json_object_set_new(object, "parts", parts);
    if (m->weight != NULL)
        json_object_set(object, "weights", weights);
    json_decref(weights);
}

static json_t *groups_json(const shuf_part_struct *p)
{
    json_t *object = json_pack("{s:s}", "type", GROUPS_TYPE), *list = json_array();
    size_t i;
    for (i = 0; i < p->groups; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "mechanism", mechanism_json(&p->group[i]), "users", count_json(p->group[i].users)));
    json_object_set_new(object, "groups", list);
    if (p->randomiser->name != NULL)
        json_object_set_new(object, "name", json_string(p->randomiser->name));
    return object;
}

json_t *mechanism_json(const shuf_part_struct *p)
{
    if (p->subject == SHUF_SUBJECT_GROUPS)
        return groups_json(p);
    const int is_renyi = renyi_part_has(p);
    json_t *object = json_object();
    json_object_set_new(object, "type", json_string(is_renyi ? RENYI_TYPE : p->subject == SHUF_SUBJECT_LDP ? "ldp" : shuf_randomiser_about(p->randomiser->kind)->name));
    if (is_renyi)
    {
        put_real(object, "order", p->order);
        put_real(object, "renyi", p->renyi);
    }
    else if (p->subject == SHUF_SUBJECT_LDP)
    {
        put_real(object, "eps0", p->is_deletion ? p->deletion_eps0 : p->eps0);
        if (shuf_real_sgn(p->delta0) > 0)
            put_real(object, "delta0", p->delta0);
    }
    else
        put_randomiser(object, p->randomiser, p->gamma_is_given ? p->gamma : NULL);
    /* where eps0 may be of either notion, which one it is */
    if (!is_renyi && (p->subject == SHUF_SUBJECT_LDP || p->randomiser->kind == SHUF_RANDOMISER_RAPPOR))
        json_object_set_new(object, "local", json_string(question_locals[p->subject != SHUF_SUBJECT_LDP || p->is_deletion]));
    if (p->randomiser->name != NULL)
        json_object_set_new(object, "name", json_string(p->randomiser->name));
    return object;
}

static json_t *pair_json(const shuf_pair_t pair)
{
    const shuf_pair_facts *facts = shuf_pair_about(pair->kind);
    json_t *object = json_pack("{s:s}", "type", facts->name);
    if (facts->takes & SHUF_TAKES_K)
        json_object_set_new(object, "k", count_json(pair->k));
    if (facts->takes & SHUF_TAKES_EPS0 || pair->gamma_is_of_eps0)
        put_real(object, "eps0", pair->eps0);
    else if (facts->takes & SHUF_TAKES_GAMMA)
        json_object_set_new(object, "gamma", rational_json(pair->gamma));
    if (facts->takes & SHUF_TAKES_SIGMA)
        put_real(object, "sigma", pair->sigma);
    if (facts->takes & SHUF_TAKES_WEIGHTS)
    {
        json_object_set_new(object, "w0", rational_json(pair->w0));
        json_object_set_new(object, "w1", rational_json(pair->w1));
        json_object_set_new(object, "r0", rational_json(pair->r0));
        json_object_set_new(object, "r1", rational_json(pair->r1));
    }
    return object;
}

static void put_part(json_t *object, const shuf_part_struct *p, const shuf_question_t q)
{
    if (p->subject == SHUF_SUBJECT_BATCH)
    {
        json_object_set_new(object, "mechanism", batch_part_json(p, q));
        json_object_set_new(object, "neighbours", json_string(question_neighbours[p->removes]));
        if (q->quantity != SHUF_QUANTITY_EPOCHS)
            json_object_set_new(object, "rounds", json_integer((json_int_t) p->rounds));
        return;
    }
    if (p->subject == SHUF_SUBJECT_NOISE)
    {
        noise_part_put(object, p, q);
        return;
    }
    if (p->subject == SHUF_SUBJECT_GROUPS)
    {
        json_object_set_new(object, "mechanism", mechanism_json(p));
        json_object_set_new(object, "neighbours", json_string("replace"));
        json_object_set_new(object, "rounds", json_integer((json_int_t) p->rounds));
        return;
    }
    int of_pair = p->subject == SHUF_SUBJECT_PAIR;
    json_t *what = of_pair ? pair_json(p->pair) : mechanism_json(p);
    if (q->quantity == SHUF_QUANTITY_EPS0 || q->quantity == SHUF_QUANTITY_SCALE)
        json_object_del(what, shuf_quantity_name(q->quantity));
    json_object_set_new(object, of_pair ? "pair" : "mechanism", what);
    if (q->quantity != SHUF_QUANTITY_USERS)
        json_object_set_new(object, "users", p->is_at_least ? json_pack("{s:o}", "at_least", count_json(p->everyone)) : count_json(p->everyone));
    if (!fmpq_is_zero(p->honest))
        json_object_set_new(object, "honest", rational_json(p->honest));
    if (p->reports > 1)
        json_object_set_new(object, "reports_per_user", count_json(p->reports));
    if (p->release_sum)
        json_object_set_new(object, "release", json_string("sum"));
    json_object_set_new(object, "neighbours", json_string("replace"));
    if (shuf_part_is_sampled(p))
    {
        json_t *sample = json_pack("{s:s}", "scheme", p->is_poisson ? "poisson" : "fixed");
        json_object_set_new(sample, "rate", rational_json(p->rate));
        json_object_set_new(object, "sample", sample);
    }
    json_object_set_new(object, "rounds", json_integer((json_int_t) p->rounds));
}

/* Of (eps, delta): what is given, not what is asked for. */
static void put_point(json_t *ask, const shuf_question_t q)
{
    if (q->is_claim || q->quantity != SHUF_QUANTITY_EPSILON)
        put_real(ask, "eps", q->eps);
    if (q->is_claim || q->quantity != SHUF_QUANTITY_DELTA)
        put_real(ask, "delta", q->delta);
}

/* What a claim says of a quantity that has no (eps, delta). */
static void put_claimed(json_t *ask, const shuf_question_t q)
{
    if (q->is_claim && q->quantity == SHUF_QUANTITY_GDP)
        put_real(ask, "mu", q->mu);
    else if (q->is_claim)
        put_real(ask, q->quantity == SHUF_QUANTITY_ZCDP ? "rho" : "renyi", q->renyi);
}

static json_t *ask_json(const shuf_question_t q)
{
    json_t *ask = json_object();
    if (!q->is_claim)
        json_object_set_new(ask, "quantity", json_string(shuf_quantity_name(q->quantity)));
    if (q->quantity == SHUF_QUANTITY_RENYI)
        json_object_set_new(ask, "order", json_string(q->order_is_infinite ? "inf" : q->order->text));
    if (q->quantity == SHUF_QUANTITY_TRADEOFF)
        put_real(ask, "type1", q->type1);
    else if (q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP || q->quantity == SHUF_QUANTITY_GDP)
        put_claimed(ask, q);
    else
        put_point(ask, q);
    if (q->quantity == SHUF_QUANTITY_GDP && q->form == NULL)
        json_object_set_new(ask, "eps", json_pack("[s, s]", q->eps->text, q->eps_to->text));
    return ask;
}

static void put_how(json_t *object, const shuf_question_t q)
{
    char units[32];
    if (q->selection != SHUF_SELECTION_NONE)
    {
        json_t *selection = json_pack("{s:s, s:s}", "mean", q->selection_mean->text, "runs", question_runs[q->selection - SHUF_SELECTION_GEOMETRIC]);
        if (q->selection == SHUF_SELECTION_NEGATIVE_BINOMIAL)
            json_object_set_new(selection, "shape", json_string(q->selection_shape->text));
        json_object_set_new(object, "selection", selection);
    }
    if (q->direction != SHUF_DIRECTION_BOTH)
        json_object_set_new(object, "direction", json_string(question_directions[q->direction]));
    if (q->via != SHUF_VIA_ANY)
        json_object_set_new(object, "via", json_string(question_vias[q->via]));
    if (q->fast)
        json_object_set_new(object, "fast", json_true());
    if (q->form != NULL)
    {
        json_t *form = json_pack("{s:s}", "theorem", q->form);
        if (shuf_real_sgn(q->form_delta0) > 0)
            put_real(form, "delta0", q->form_delta0);
        if (shuf_real_sgn(q->form_gamma) > 0)
            put_real(form, "gamma", q->form_gamma);
        json_object_set_new(object, "form", form);
    }
    json_object_set_new(object, "digits", json_integer(q->digits));
    snprintf(units, sizeof(units), "%.0f", q->max_work);
    json_object_set_new(object, "effort", json_string(q->max_work == SHUF_EFFORT_NORMAL ? "normal" : q->max_work == SHUF_EFFORT_HIGH ? "high" : units));
    if (shuf_real_sgn(q->max_seconds) > 0)
        put_real(object, "max_seconds", q->max_seconds);
}

json_t *question_json(const shuf_question_t q)
{
    const char *const text[] = { q->id, q->source, q->quote, q->note };
    json_t *object = json_object();
    size_t i;
    for (i = 0; i < 4; i++)
        if (text[i][0] != '\0')
            json_object_set_new(object, question_texts[i], json_string(text[i]));
    if (q->is_list)
    {
        json_t *rounds = json_array();
        for (i = 0; i < q->count; i++)
        {
            json_t *part = json_object();
            put_part(part, &q->parts[i], q);
            json_array_append_new(rounds, part);
        }
        json_object_set_new(object, "rounds", rounds);
    }
    else
    {
        put_part(object, &q->parts[0], q);
    }
    json_object_set_new(object, q->is_claim ? "claim" : "ask", ask_json(q));
    put_how(object, q);
    return object;
}

char *shuf_question_text(const shuf_question_t q)
{
    json_t *json = question_json(q);
    char *dumped = json_dumps(json, JSON_COMPACT), *text = flint_malloc(strlen(dumped) + 1);
    strcpy(text, dumped);
    free(dumped);
    json_decref(json);
    return text;
}
