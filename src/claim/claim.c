/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "claim/claim.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <jansson.h>

/* Largest claim file read. */
#define MAX_FILE_SIZE ((size_t) 16 << 20)

static void claim_init(shuf_claim_t c)
{
    c->id = c->source = c->quote = c->note = NULL;
    c->mechanism = SHUF_MECHANISM_LDP;
    c->k = 2;
    c->eps0_is_infinite = 0;
    c->n = c->rounds = 1;
    c->subsampled = 0;
    fmpq_init(c->gamma);
    shuf_real_init(c->eps0);
    shuf_real_init(c->eps);
    shuf_real_init(c->delta);
}

static void claim_clear(shuf_claim_t c)
{
    flint_free(c->id);
    flint_free(c->source);
    flint_free(c->quote);
    flint_free(c->note);
    fmpq_clear(c->gamma);
    shuf_real_clear(c->eps0);
    shuf_real_clear(c->eps);
    shuf_real_clear(c->delta);
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

/* Where a message goes. */
typedef struct
{
    char *text;
    size_t size;
    const char *claim; /* id of the claim being read */
} reader;

static int fail(const reader *r, const char *format, ...)
{
    va_list args;
    int used = 0;
    if (r->claim != NULL)
        used = snprintf(r->text, r->size, "claim \"%.60s\": ", r->claim);
    if (used < 0 || (size_t) used >= r->size)
        return -1;
    va_start(args, format);
    vsnprintf(r->text + used, r->size - (size_t) used, format, args);
    va_end(args);
    return -1;
}

static char *copy_string(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(flint_malloc(size), s, size);
}

/* An optional string member. */
static int read_text(char **out, const json_t *object, const char *key, const reader *r)
{
    json_t *value = json_object_get(object, key);
    if (value != NULL && !json_is_string(value))
        return fail(r, "\"%s\" must be a string", key);
    *out = copy_string(value != NULL ? json_string_value(value) : "");
    return 0;
}

/* A real: a string, or a JSON integer; not a JSON real, whose decimal is lost. */
static int read_real(shuf_real_t out, const json_t *object, const char *key, const reader *r)
{
    json_t *value = json_object_get(object, key);
    char digits[32];
    const char *text;
    if (json_is_integer(value))
    {
        snprintf(digits, sizeof(digits), "%lld", (long long) json_integer_value(value));
        text = digits;
    }
    else if (json_is_string(value))
    {
        text = json_string_value(value);
    }
    else
    {
        return fail(r, "\"%s\" must be a number written as a string, such as \"0.1\"", key);
    }
    if (shuf_real_set_str(out, text) != 0)
        return fail(r, "\"%s\" is \"%.60s\", not a decimal, a fraction, a hexadecimal float or log(..)", key, text);
    return 0;
}

static int read_count(uint64_t *out, const json_t *object, const char *key, uint64_t limit, const reader *r)
{
    json_t *value = json_object_get(object, key);
    uint64_t n = 0;
    int ok = 0;
    if (json_is_integer(value) && json_integer_value(value) > 0)
    {
        n = (uint64_t) json_integer_value(value);
        ok = 1;
    }
    else if (json_is_string(value))
    {
        ok = shuf_users_set_str(&n, json_string_value(value)) == 0;
    }
    if (!ok || n > limit)
        return fail(r, "\"%s\" must be a whole number from 1 to %llu", key, (unsigned long long) limit);
    *out = n;
    return 0;
}

static int check_eps0(const shuf_real_t eps0, const reader *r)
{
    if (shuf_real_sgn(eps0) < 0 || shuf_real_cmp_si(eps0, SHUF_MAX_EPSILON) > 0)
        return fail(r, "\"eps0\" must be between 0 and %d", SHUF_MAX_EPSILON);
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

static int read_mechanism(shuf_claim_t c, const json_t *object, const reader *r)
{
    const json_t *m = json_object_get(object, "mechanism");
    const char *type = json_string_value(json_object_get(m, "type"));

    if (!json_is_object(m) || type == NULL)
        return fail(r, "\"mechanism\" must be an object with a \"type\"");
    if (strcmp(type, "ldp") == 0)
        c->mechanism = SHUF_MECHANISM_LDP;
    else if (strcmp(type, "rr2") == 0)
        c->mechanism = SHUF_MECHANISM_RR2;
    else if (strcmp(type, "krr") == 0)
        c->mechanism = SHUF_MECHANISM_KRR;
    else if (strcmp(type, "rappor") == 0)
        c->mechanism = SHUF_MECHANISM_RAPPOR;
    else
        return fail(r, "unknown mechanism type \"%.40s\"; known: ldp, rr2, krr, rappor", type);

    if (c->mechanism == SHUF_MECHANISM_KRR)
    {
        if (read_count(&c->k, m, "k", SHUF_MAX_K, r) != 0)
            return -1;
        if (c->k < 2)
            return fail(r, "\"k\" must be at least 2");
        if ((json_object_get(m, "gamma") != NULL) == (json_object_get(m, "eps0") != NULL))
            return fail(r, "a krr mechanism needs either \"gamma\" or \"eps0\"");
    }
    if (json_object_get(m, "gamma") != NULL && c->mechanism == SHUF_MECHANISM_KRR)
    {
        if (read_real(c->eps0, m, "gamma", r) != 0)
            return -1;
        if (c->eps0->is_log || fmpq_sgn(c->eps0->q) < 0
            || fmpz_cmp(fmpq_numref(c->eps0->q), fmpq_denref(c->eps0->q)) > 0)
            return fail(r, "\"gamma\" must be a rational number between 0 and 1");
        fmpq_set(c->gamma, c->eps0->q);
        c->eps0_is_infinite = fmpq_is_zero(c->gamma);
        if (!c->eps0_is_infinite)
            eps0_from_gamma(c->eps0, c->gamma, c->k);
        return 0;
    }
    if (read_real(c->eps0, m, "eps0", r) != 0 || check_eps0(c->eps0, r) != 0)
        return -1;
    if (c->mechanism == SHUF_MECHANISM_RR2)
        c->k = 2;
    if (c->mechanism == SHUF_MECHANISM_RR2 || c->mechanism == SHUF_MECHANISM_KRR)
        gamma_from_eps0(c->gamma, c->eps0, c->k);
    return 0;
}

static int read_claim(shuf_claim_t c, const json_t *object, reader *r)
{
    const json_t *point, *neighbours, *subsample;
    const char *id = json_string_value(json_object_get(object, "id"));

    if (!json_is_object(object))
        return fail(r, "a claim must be a JSON object");
    if (id == NULL || id[0] == '\0')
        return fail(r, "a claim needs an \"id\"");
    r->claim = id;
    if (read_text(&c->id, object, "id", r) != 0 || read_text(&c->source, object, "source", r) != 0
        || read_text(&c->quote, object, "quote", r) != 0 || read_text(&c->note, object, "note", r) != 0
        || read_mechanism(c, object, r) != 0 || read_count(&c->n, object, "n", SHUF_MAX_USERS, r) != 0)
        return -1;
    if (json_object_get(object, "rounds") != NULL
        && read_count(&c->rounds, object, "rounds", UINT64_C(1000000000), r) != 0)
        return -1;
    neighbours = json_object_get(object, "neighbours");
    if (neighbours != NULL
        && (!json_is_string(neighbours) || strcmp(json_string_value(neighbours), "replace") != 0))
        return fail(r, "\"neighbours\" must be \"replace\": no other relation is supported");
    subsample = json_object_get(object, "subsample");
    c->subsampled = subsample != NULL && !json_is_null(subsample);
    point = json_object_get(object, "claim");
    if (!json_is_object(point))
        return fail(r, "\"claim\" must be an object with \"eps\" and \"delta\"");
    if (read_real(c->eps, point, "eps", r) != 0 || read_real(c->delta, point, "delta", r) != 0)
        return -1;
    if (shuf_real_sgn(c->eps) < 0 || shuf_real_cmp_si(c->eps, SHUF_MAX_EPSILON) > 0)
        return fail(r, "\"eps\" must be between 0 and %d", SHUF_MAX_EPSILON);
    if (shuf_real_sgn(c->delta) < 0 || shuf_real_cmp_si(c->delta, 1) > 0)
        return fail(r, "\"delta\" must be between 0 and 1");
    return 0;
}

static int read_document(shuf_claim_list *list, const json_t *root, reader *r)
{
    size_t i, count = json_is_array(root) ? json_array_size(root) : 1;
    list->items = flint_malloc((count + 1) * sizeof(shuf_claim_struct));
    for (i = 0; i < count; i++)
    {
        claim_init(&list->items[list->count++]);
        r->claim = NULL;
        if (read_claim(&list->items[i], json_is_array(root) ? json_array_get(root, i) : root, r) != 0)
        {
            shuf_claims_clear(list);
            return -1;
        }
    }
    return 0;
}

static int finish(shuf_claim_list *list, json_t *root, const json_error_t *json_error, reader *r)
{
    int result;
    if (root == NULL)
        return fail(r, "not JSON: %s (line %d)", json_error->text, json_error->line);
    result = read_document(list, root, r);
    json_decref(root);
    return result;
}

int shuf_claims_parse(shuf_claim_list *list, const char *text, size_t length, char *error, size_t size)
{
    reader r = { error, size, NULL };
    json_error_t json_error;
    list->items = NULL;
    list->count = 0;
    return finish(list, json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error), &json_error, &r);
}

int shuf_claims_load(shuf_claim_list *list, const char *path, char *error, size_t size)
{
    reader r = { error, size, NULL };
    FILE *in = fopen(path, "rb");
    char *text;
    size_t length;
    int result;

    list->items = NULL;
    list->count = 0;
    if (in == NULL)
        return fail(&r, "cannot open: %s", strerror(errno));
    text = flint_malloc(MAX_FILE_SIZE + 1);
    length = fread(text, 1, MAX_FILE_SIZE + 1, in);
    if (ferror(in))
        result = fail(&r, "cannot read: %s", strerror(errno));
    else if (length > MAX_FILE_SIZE)
        result = fail(&r, "larger than 16 MiB");
    else
        result = shuf_claims_parse(list, text, length, error, size);
    flint_free(text);
    fclose(in);
    return result;
}
