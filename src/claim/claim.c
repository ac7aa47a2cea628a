/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "claim/bounds.h"

#include <stdio.h>
#include <string.h>

#include "mechanism/read.h"

static void mechanism_init(shuf_mechanism_t m)
{
    m->kind = SHUF_MECHANISM_LDP;
    m->k = 2;
    fmpq_init(m->gamma);
    shuf_real_init(m->eps0);
    m->eps0_is_infinite = 0;
    shuf_randomiser_init(m->randomiser);
    m->n = m->rounds = m->sampled = 1;
    fmpq_init(m->rate);
    fmpq_one(m->rate);
}

static void mechanism_clear(shuf_mechanism_t m)
{
    fmpq_clear(m->gamma);
    shuf_real_clear(m->eps0);
    shuf_randomiser_clear(m->randomiser);
    fmpq_clear(m->rate);
}

static void claim_init(shuf_claim_t c)
{
    c->id = c->source = c->quote = c->note = NULL;
    mechanism_init(c->mechanism);
    c->kind = SHUF_CLAIM_DP;
    shuf_real_init(c->eps);
    shuf_real_init(c->delta);
    shuf_real_init(c->order);
    shuf_real_init(c->renyi);
}

static void claim_clear(shuf_claim_t c)
{
    flint_free(c->id);
    flint_free(c->source);
    flint_free(c->quote);
    flint_free(c->note);
    mechanism_clear(c->mechanism);
    shuf_real_clear(c->eps);
    shuf_real_clear(c->delta);
    shuf_real_clear(c->order);
    shuf_real_clear(c->renyi);
}

void shuf_claims_clear(shuf_claim_list *list)
{
    size_t i;
    for (i = 0; i < list->count; i++)
        claim_clear(&list->items[i]);
    flint_free(list->items);
    list->items = NULL;
    list->count = 0;
}

static int read_member(shuf_real_t out, const json_t *object, const char *key, const reader *r)
{
    char what[32];
    snprintf(what, sizeof(what), "\"%s\"", key);
    return reader_real(out, json_object_get(object, key), what, r);
}

static int check_eps0(const shuf_real_t eps0, const reader *r)
{
    if (shuf_real_sgn(eps0) < 0 || shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0)
        return reader_fail(r, "\"eps0\" must be between 0 and %d", SHUF_MAX_EPSILON);
    return 0;
}

/* eps0 = log(1 + (1-gamma) k/gamma), gamma > 0. */
static void eps0_from_gamma(shuf_real_t eps0, const fmpq_t gamma, uint64_t k)
{
    fmpq_t E, t;
    fmpq_init(E);
    fmpq_init(t);
    fmpq_inv(E, gamma);
    fmpq_one(t);
    fmpq_sub(E, E, t);
    fmpz_set_ui(fmpq_numref(t), k);
    fmpq_mul(E, E, t);
    fmpq_one(t);
    fmpq_add(E, E, t);
    shuf_real_set_log_fmpq(eps0, E);
    fmpq_clear(E);
    fmpq_clear(t);
}

/* gamma := a rational at most k/(E+k-1), equal to it when E is rational. */
static void gamma_from_eps0(fmpq_t gamma, const shuf_real_t eps0, uint64_t k)
{
    if (eps0->is_log)
    {
        fmpq_t t;
        fmpq_init(t);
        fmpz_set_ui(fmpq_numref(t), k - 1);
        fmpq_add(gamma, eps0->q, t);
        fmpz_set_ui(fmpq_numref(t), k);
        fmpq_div(gamma, t, gamma);
        fmpq_clear(t);
    }
    else
    {
        arb_t E;
        arf_t low;
        arb_init(E);
        arf_init(low);
        shuf_real_exp(E, eps0, 192);
        arb_add_ui(E, E, k - 1, 192);
        arb_ui_div(E, k, E, 192);
        arb_get_lbound_arf(low, E, 192);
        /* rounding may leave 1 + tiny at eps0 = 0, and exp(-eps0) may be absurdly small */
        if (arf_cmp_si(low, 1) > 0)
            arf_one(low);
        if (arf_cmp_2exp_si(low, -4096) < 0)
            arf_zero(low);
        arf_get_fmpq(gamma, low);
        arb_clear(E);
        arf_clear(low);
    }
}

/* The member "mechanism". */
static int read_randomiser(shuf_mechanism_t m, const json_t *object, const reader *r)
{
    static const char *const members[] = { "type", "eps0", NULL }, *const krr_members[] = { "type", "k", "gamma", "eps0", NULL };
    json_t *json = json_object_get(object, "mechanism");
    const char *type = json_string_value(json_object_get(json, "type"));

    if (!json_is_object(json) || type == NULL)
        return reader_fail(r, "\"mechanism\" must be an object with a \"type\"");
    if (strcmp(type, "ldp") == 0)
        m->kind = SHUF_MECHANISM_LDP;
    else if (strcmp(type, "rr2") == 0)
        m->kind = SHUF_MECHANISM_RR2;
    else if (strcmp(type, "krr") == 0)
        m->kind = SHUF_MECHANISM_KRR;
    else if (strcmp(type, "rappor-sum") == 0)
        m->kind = SHUF_MECHANISM_RAPPOR_SUM;
    else if (strcmp(type, "rappor") == 0 && !reader_has(json, "k") && !reader_has(json, "flip"))
        m->kind = SHUF_MECHANISM_RAPPOR;
    else
        m->kind = SHUF_MECHANISM_RANDOMISER;
    if (m->kind == SHUF_MECHANISM_RANDOMISER)
    {
        if (randomiser_read(m->randomiser, json, r) != 0)
            return -1;
        m->eps0_is_infinite = !shuf_randomiser_eps0(m->eps0, m->randomiser);
        return 0;
    }
    if (reader_members(json, m->kind == SHUF_MECHANISM_KRR ? krr_members : members, r) != 0)
        return -1;

    if (m->kind == SHUF_MECHANISM_KRR)
    {
        if (reader_count(&m->k, json, "k", 1, SHUF_MAX_K, r) != 0)
            return -1;
        if (m->k < 2)
            return reader_fail(r, "\"k\" must be at least 2");
        if (reader_has(json, "gamma") == reader_has(json, "eps0"))
            return reader_fail(r, "a krr mechanism needs either \"gamma\" or \"eps0\"");
    }
    if (reader_has(json, "gamma"))
    {
        if (read_member(m->eps0, json, "gamma", r) != 0)
            return -1;
        if (m->eps0->is_log || fmpq_sgn(m->eps0->q) < 0
            || fmpz_cmp(fmpq_numref(m->eps0->q), fmpq_denref(m->eps0->q)) > 0)
            return reader_fail(r, "\"gamma\" must be a rational number between 0 and 1");
        fmpq_set(m->gamma, m->eps0->q);
        m->eps0_is_infinite = fmpq_is_zero(m->gamma);
        if (!m->eps0_is_infinite)
            eps0_from_gamma(m->eps0, m->gamma, m->k);
        return 0;
    }
    if (read_member(m->eps0, json, "eps0", r) != 0 || check_eps0(m->eps0, r) != 0)
        return -1;
    if (m->kind == SHUF_MECHANISM_RR2 || m->kind == SHUF_MECHANISM_KRR)
        gamma_from_eps0(m->gamma, m->eps0, m->k);
    if (m->kind == SHUF_MECHANISM_RAPPOR || m->kind == SHUF_MECHANISM_RAPPOR_SUM)
    {
        m->randomiser->kind = SHUF_RANDOMISER_RAPPOR;
        m->randomiser->inputs = SHUF_ANY_INPUTS;
        shuf_real_twice(m->randomiser->eps0, m->eps0);
    }
    return 0;
}

/* The optional member "subsample", n being known. */
static int read_subsample(shuf_mechanism_t m, const json_t *object, const reader *r)
{
    const json_t *value = json_object_get(object, "subsample");
    shuf_real_t rate;
    fmpz_t users;
    int result = 0;

    m->sampled = m->n;
    if (value == NULL || json_is_null(value))
        return 0;
    shuf_real_init(rate);
    fmpz_init(users);
    if (read_member(rate, object, "subsample", r) != 0)
    {
        result = -1;
    }
    else if (rate->is_log || fmpq_sgn(rate->q) <= 0 || fmpz_cmp(fmpq_numref(rate->q), fmpq_denref(rate->q)) > 0)
    {
        result = reader_fail(r, "\"subsample\" must be a rational number above 0 and at most 1");
    }
    else
    {
        fmpz_set_ui(users, m->n);
        fmpz_mul(users, users, fmpq_numref(rate->q));
        if (fmpz_divisible(users, fmpq_denref(rate->q)))
        {
            fmpz_divexact(users, users, fmpq_denref(rate->q));
            fmpq_set(m->rate, rate->q);
            m->sampled = fmpz_get_ui(users);
        }
        else
        {
            result = reader_fail(r, "\"subsample\" times \"n\" must be a whole number of users");
        }
    }
    shuf_real_clear(rate);
    fmpz_clear(users);
    return result;
}

/* What claims and the mechanisms of a composition have in common. */
static int read_mechanism(shuf_mechanism_t m, const json_t *object, const reader *r)
{
    const json_t *neighbours = json_object_get(object, "neighbours");
    if (read_randomiser(m, object, r) != 0 || reader_count(&m->n, object, "n", 1, SHUF_MAX_USERS, r) != 0
        || (reader_has(object, "rounds") && reader_count(&m->rounds, object, "rounds", 1, SHUF_MAX_ROUNDS, r) != 0)
        || read_subsample(m, object, r) != 0)
        return -1;
    if (m->kind == SHUF_MECHANISM_RAPPOR_SUM && (m->sampled < m->n || m->rounds > SHUF_MAX_ROUNDS / 2))
        return reader_fail(r, "a rappor-sum mechanism takes no \"subsample\", and at most %llu rounds",
                           (unsigned long long) (SHUF_MAX_ROUNDS / 2));
    if (neighbours != NULL
        && (!json_is_string(neighbours) || strcmp(json_string_value(neighbours), "replace") != 0))
        return reader_fail(r, "\"neighbours\" must be \"replace\": no other relation is supported");
    return 0;
}

/* The member "claim". */
static int read_point(shuf_claim_t c, const json_t *object, const reader *r)
{
    static const char *const members[] = { "eps", "delta", "order", "renyi", NULL };
    json_t *point = json_object_get(object, "claim");
    if (!json_is_object(point))
        return reader_fail(r, "\"claim\" must be an object with \"eps\" and \"delta\", or with \"order\" and \"renyi\"");
    if (reader_members(point, members, r) != 0)
        return -1;
    c->kind = reader_has(point, "order") || reader_has(point, "renyi") ? SHUF_CLAIM_RENYI : SHUF_CLAIM_DP;
    if (c->kind == SHUF_CLAIM_RENYI)
    {
        if (reader_has(point, "eps") || reader_has(point, "delta"))
            return reader_fail(r, "\"claim\" has either \"eps\" and \"delta\", or \"order\" and \"renyi\"");
        if (read_member(c->order, point, "order", r) != 0 || read_member(c->renyi, point, "renyi", r) != 0)
            return -1;
        if (shuf_real_cmp_si(c->order, 1) <= 0 || shuf_real_cmp_si(c->order, (slong) SHUF_MAX_ORDER) > 0)
            return reader_fail(r, "\"order\" must be above 1 and at most 1e18");
        if (shuf_real_sgn(c->renyi) < 0)
            return reader_fail(r, "\"renyi\" must be at least 0");
        return 0;
    }
    if (read_member(c->eps, point, "eps", r) != 0 || read_member(c->delta, point, "delta", r) != 0)
        return -1;
    if (shuf_real_sgn(c->eps) < 0 || shuf_real_cmp_si(c->eps, SHUF_MAX_EPSILON) > 0)
        return reader_fail(r, "\"eps\" must be between 0 and %d", SHUF_MAX_EPSILON);
    if (shuf_real_sgn(c->delta) < 0 || shuf_real_cmp_si(c->delta, 1) > 0)
        return reader_fail(r, "\"delta\" must be between 0 and 1");
    return 0;
}

static int read_claim(shuf_claim_t c, json_t *object, reader *r)
{
    static const char *const members[] = { "id", "source", "quote", "note", "mechanism", "n", "rounds", "subsample",
                                           "neighbours", "claim", NULL };
    const char *id = json_string_value(json_object_get(object, "id"));

    if (!json_is_object(object))
        return reader_fail(r, "a claim must be a JSON object");
    if (id == NULL || id[0] == '\0')
        return reader_fail(r, "a claim needs an \"id\"");
    snprintf(r->prefix, sizeof(r->prefix), "claim \"%.60s\": ", id);
    if (reader_members(object, members, r) != 0 || reader_text(&c->id, object, "id", r) != 0
        || reader_text(&c->source, object, "source", r) != 0 || reader_text(&c->quote, object, "quote", r) != 0
        || reader_text(&c->note, object, "note", r) != 0 || read_mechanism(c->mechanism, object, r) != 0)
        return -1;
    return read_point(c, object, r);
}

static int read_claims(shuf_claim_list *list, json_t *root, reader *r)
{
    size_t i, count = json_is_array(root) ? json_array_size(root) : 1;
    list->items = flint_malloc((count + 1) * sizeof(shuf_claim_struct));
    for (i = 0; i < count; i++)
    {
        claim_init(&list->items[list->count++]);
        r->prefix[0] = '\0';
        if (read_claim(&list->items[i], json_is_array(root) ? json_array_get(root, i) : root, r) != 0)
        {
            shuf_claims_clear(list);
            return -1;
        }
    }
    return 0;
}

int shuf_claims_parse(shuf_claim_list *list, const char *text, size_t length, char *error, size_t size)
{
    reader r = { error, size, "" };
    json_t *root = reader_parse(text, length, &r);
    int result;
    list->items = NULL;
    list->count = 0;
    if (root == NULL)
        return -1;
    result = read_claims(list, root, &r);
    json_decref(root);
    return result;
}

int shuf_claims_load(shuf_claim_list *list, const char *path, char *error, size_t size)
{
    reader r = { error, size, "" };
    char *text;
    size_t length;
    int result;
    list->items = NULL;
    list->count = 0;
    if (reader_file(&text, &length, path, &r) != 0)
        return -1;
    result = shuf_claims_parse(list, text, length, error, size);
    flint_free(text);
    return result;
}

static int read_composition(shuf_composition_t c, const json_t *root, reader *r)
{
    static const char *const members[] = { "id", "source", "quote", "note", "mechanism", "n", "rounds", "subsample",
                                           "neighbours", NULL };
    static const char *const texts[] = { "id", "source", "quote", "note" };
    size_t i, j, count = json_array_size(root);

    if (count == 0)
        return reader_fail(r, "a composition must be an array of at least one mechanism");
    c->mechanisms = flint_malloc(count * sizeof(shuf_mechanism_struct));
    for (i = 0; i < count; i++)
    {
        json_t *object = json_array_get(root, i);
        mechanism_init(&c->mechanisms[c->count++]);
        snprintf(r->prefix, sizeof(r->prefix), "mechanism %zu: ", i + 1);
        if (!json_is_object(object))
            return reader_fail(r, "must be a JSON object");
        if (reader_members(object, members, r) != 0)
            return -1;
        for (j = 0; j < 4; j++)
            if (reader_has(object, texts[j]) && !json_is_string(json_object_get(object, texts[j])))
                return reader_fail(r, "\"%s\" must be a string", texts[j]);
        if (read_mechanism(&c->mechanisms[i], object, r) != 0)
            return -1;
    }
    return 0;
}

void shuf_composition_clear(shuf_composition_t c)
{
    size_t i;
    composition_parts_clear(c->parts);
    for (i = 0; i < c->count; i++)
        mechanism_clear(&c->mechanisms[i]);
    flint_free(c->mechanisms);
    c->mechanisms = NULL;
    c->count = 0;
    c->parts = NULL;
}

int shuf_composition_parse(shuf_composition_t c, const char *text, size_t length, char *error, size_t size)
{
    reader r = { error, size, "" };
    json_t *root = reader_parse(text, length, &r);
    int result;
    c->mechanisms = NULL;
    c->count = 0;
    c->parts = NULL;
    if (root == NULL)
        return -1;
    result = read_composition(c, root, &r);
    json_decref(root);
    if (result == 0)
        c->parts = composition_parts_new(c->mechanisms, c->count);
    else
        shuf_composition_clear(c);
    return result;
}

int shuf_composition_load(shuf_composition_t c, const char *path, char *error, size_t size)
{
    reader r = { error, size, "" };
    char *text;
    size_t length;
    int result;
    c->mechanisms = NULL;
    c->count = 0;
    c->parts = NULL;
    if (reader_file(&text, &length, path, &r) != 0)
        return -1;
    result = shuf_composition_parse(c, text, length, error, size);
    flint_free(text);
    return result;
}
