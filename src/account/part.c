/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* part: mechanisms, pairs, users and samples of a question. */
#include <stdio.h>
#include <string.h>

#include "account/batch_part.h"
#include "account/vocabulary.h"
#include "account/members.h"
#include "account/noise_part.h"
#include "account/groups_part.h"
#include "account/part.h"
#include "account/renyi_part.h"
#include "randomiser/read.h"

void part_init(shuf_part_t p)
{
    memset(p, 0, sizeof(*p));
    p->subject = SHUF_SUBJECT_LDP;
    shuf_real_init(p->eps0); shuf_real_init(p->deletion_eps0); shuf_real_init(p->delta0); shuf_real_init(p->order); shuf_real_init(p->renyi);
    shuf_randomiser_init(p->randomiser);
    fmpq_init(p->gamma);
    shuf_pair_init(p->pair);
    shuf_batch_init(p->batch);
    shuf_noise_init(p->noise);
    p->removes = -1;
    fmpq_init(p->rate);
    fmpq_one(p->rate);
    fmpq_init(p->honest);
    p->everyone = p->users = p->sampled = p->rounds = p->reports = 1;
}

int shuf_part_is_sampled(const shuf_part_struct *p)
{
    return !fmpq_is_one(p->rate);
}

void part_clear(shuf_part_t p)
{
    shuf_real_clear(p->eps0); shuf_real_clear(p->deletion_eps0); shuf_real_clear(p->delta0); shuf_real_clear(p->order); shuf_real_clear(p->renyi);
    shuf_randomiser_clear(p->randomiser);
    fmpq_clear(p->gamma);
    shuf_pair_clear(p->pair);
    shuf_batch_clear(p->batch);
    shuf_noise_clear(p->noise);
    while (p->groups > 0)
        part_clear(&p->group[--p->groups]);
    flint_free(p->group);
    fmpq_clear(p->rate);
    fmpq_clear(p->honest);
}

/* ---- mechanisms ---- */

static int read_name(shuf_randomiser_t m, const json_t *object, const reader *r)
{
    return reader_has(object, "name") ? reader_text(&m->name, object, "name", r) : 0;
}

/* The members of a k-RR that is described by gamma. */
static int read_gamma(shuf_part_t p, const json_t *object, const reader *r)
{
    shuf_randomiser_struct *m = p->randomiser;
    m->kind = SHUF_RANDOMISER_KRR;
    if (read_name(m, object, r) != 0 || member_count(&m->inputs, object, "k", 2, SHUF_MAX_K, r) != 0 || member_rational(p->gamma, object, "gamma", r) != 0)
        return -1;
    p->gamma_is_given = 1;
    p->eps0_is_infinite = fmpq_is_zero(p->gamma);
    if (!p->eps0_is_infinite)
        shuf_krr_loss(p->eps0, p->gamma, m->inputs);
    shuf_real_set(m->eps0, p->eps0);
    return 0;
}

/* A member that is asked for and so must not be given; the reader of randomisers gets 1 for it. */
static int leave_open(json_t **copy, json_t *object, const char *key, const reader *r)
{
    if (reader_has(object, key) || reader_has(object, "flip") || reader_has(object, "gamma"))
        return reader_fail(r, "\"%s\" is what the question asks for: leave it out", key);
    if (!vocabulary_mechanism_has(json_string_value(json_object_get(object, "type")), key))
        return reader_fail(r, "\"%s\" is asked for, but the mechanism has none", key);
    *copy = json_copy(object);
    json_object_set_new(*copy, key, json_string("1"));
    return 0;
}

/*
 * RAPPOR's eps0 is that of deletion. copy := the object without "local", and with half the eps0 if that is of replacement: a new reference.
 */
static int read_rappor_local(json_t **copy, const json_t *object, const reader *r)
{
    shuf_real_t eps0, half, twice;
    int local = 1, result = member_choice(&local, object, "local", question_locals, 2, r);
    *copy = json_copy((json_t *) object);
    json_object_del(*copy, "local");
    if (result != 0 || local == 1)
        return result;
    shuf_real_init(eps0); shuf_real_init(half); shuf_real_init(twice);
    result = member_epsilon(eps0, object, "eps0", r);
    if (result == 0)
    {
        shuf_real_undo_twice(half, eps0);
        shuf_real_twice(twice, half);
        if (shuf_real_cmp(twice, eps0) != 0)
            result = reader_fail(r, "\"eps0\" is %.80s: with \"local\" replace it must be a rational number, or the logarithm of the square of one", eps0->text);
    }
    json_object_set_new(*copy, "eps0", json_string(half->text));
    shuf_real_clear(eps0); shuf_real_clear(half); shuf_real_clear(twice);
    return result;
}

static int read_described(shuf_part_t p, json_t *object, const reader *r)
{
    if (reader_has(object, "gamma") && strcmp(json_string_value(json_object_get(object, "type")), "krr") == 0)
        return reader_members(object, "type name k gamma", r) != 0 || read_gamma(p, object, r) != 0 ? -1 : 0;
    json_t *copy = json_incref(object);
    int result = 0;
    if (reader_has(object, "local") && strcmp(json_string_value(json_object_get(object, "type")), "rappor") == 0)
    {
        json_decref(copy);
        result = read_rappor_local(&copy, object, r);
    }
    if (result == 0)
        result = randomiser_read(p->randomiser, copy, r);
    json_decref(copy);
    if (result != 0)
        return -1;
    p->eps0_is_infinite = !shuf_randomiser_eps0(p->eps0, p->randomiser);
    return 0;
}

/* Any eps0-LDP randomisers, or those of a Renyi divergence. Coq: Deployments.deletion_local. */
static int read_class(shuf_part_t p, json_t *object, const reader *r)
{
    if (vocabulary_check_mechanism(object, json_string_value(json_object_get(object, "type")), r) != 0 || read_name(p->randomiser, object, r) != 0)
        return -1;
    if (renyi_part_is(object))
        return renyi_part_read(p, object, r);
    if (member_choice(&p->is_deletion, object, "local", question_locals, 2, r) != 0
        || member_between(p->eps0, object, "eps0", 0, p->is_deletion ? SHUF_MAX_EPSILON / 2 : SHUF_MAX_EPSILON, r) != 0)
        return -1;
    if (reader_has(object, "delta0") && member_between(p->delta0, object, "delta0", 0, 1, r) != 0)
        return -1;
    if (p->is_deletion && shuf_real_sgn(p->delta0) > 0)
        return reader_fail(r, "\"delta0\" is %.80s: no theorem here has it with \"local\" delete", p->delta0->text);
    if (p->is_deletion)
    {
        shuf_real_set(p->deletion_eps0, p->eps0);
        shuf_real_twice(p->eps0, p->eps0);
    }
    return 0;
}

static int read_mechanism(shuf_part_t p, json_t *given, const shuf_question_t q, const reader *r);

static int read_group(shuf_part_struct *p, json_t *object, const shuf_question_t q, const reader *r)
{
    const reader inside = reader_inside(r, "mechanism", NO_PLACE);
    json_t *mechanism = json_object_get(object, "mechanism");
    if (!json_is_object(object))
        return reader_fail(r, "must be a JSON object with a \"mechanism\" and \"users\"");
    if (vocabulary_check(object, OBJECT_GROUP, r) != 0)
        return -1;
    if (groups_part_is(mechanism))
        return reader_fail(r, "a group cannot be made of groups");
    if (read_mechanism(p, mechanism, q, &inside) != 0 || groups_part_check(p, &inside) != 0)
        return -1;
    if (member_count(&p->users, object, "users", 1, SHUF_MAX_USERS, r) != 0)
        return -1;
    p->everyone = p->sampled = p->users;
    return 0;
}

/* So many kinds of groups are looked through for one that has the same randomiser. Steers only. */
#define MOST_KINDS 64

static int read_groups(shuf_part_struct *p, json_t *mechanism, const shuf_question_t q, const reader *r)
{
    json_t *list = json_object_get(mechanism, "groups"), *kind[MOST_KINDS];
    size_t count, kinds, i, j;
    if (groups_part_read(p, &count, mechanism, q, r) != 0)
        return -1;
    p->group = flint_malloc(count * sizeof(*p->group));
    for (i = 0; i < count; i++)
    {
        const reader inside = reader_inside(r, "groups", i);
        json_t *object = json_array_get(list, i);
        shuf_part_struct *own = &p->group[p->groups++];
        part_init(own);
        if (read_group(own, object, q, &inside) != 0)
            return -1;
        object = json_object_get(object, "mechanism");
        kinds = FLINT_MIN(p->groups - 1, MOST_KINDS);
        for (j = 0; j < kinds && !json_equal(kind[j], object); j++)
            ;
        /* of a class they may have randomisers that are not alike */
        if (j < kinds && own->subject == SHUF_SUBJECT_RANDOMISER && own->users <= SHUF_MAX_USERS - p->group[j].users)
        {
            p->group[j].users += own->users;
            p->group[j].everyone = p->group[j].sampled = p->group[j].users;
            part_clear(own);
            p->groups--;
        }
        else if (p->groups <= MOST_KINDS)
            kind[p->groups - 1] = object;
    }
    return groups_part_total(p, r);
}

/* The member "mechanism". */
static int read_mechanism(shuf_part_t p, json_t *given, const shuf_question_t q, const reader *r)
{
    const char *type = json_string_value(json_object_get(given, "type"));
    json_t *object = given;
    int result, is_class;
    if (!json_is_object(given) || type == NULL)
        return reader_fail(r, "\"mechanism\" must be an object with a \"type\"");
    if (batch_part_is(given))
        return batch_part_read(p, given, q, r);
    if (noise_part_is(given))
        return noise_part_read(p, given, q, r);
    if (groups_part_is(given))
        return read_groups(p, given, q, r);
    if (q->quantity == SHUF_QUANTITY_EPS0 || q->quantity == SHUF_QUANTITY_SCALE)
    {
        if (leave_open(&object, given, shuf_quantity_name(q->quantity), r) != 0)
            return -1;
    }
    else
    {
        json_incref(object);
    }
    is_class = strcmp(type, "ldp") == 0 || renyi_part_is(given);
    if (is_class)
    {
        p->subject = SHUF_SUBJECT_LDP;
        result = read_class(p, object, r);
    }
    else
    {
        p->subject = SHUF_SUBJECT_RANDOMISER;
        result = read_described(p, object, r);
    }
    json_decref(object);
    return result;
}

/* ---- pairs ---- */

static int read_trinomial(shuf_pair_t pair, const json_t *object, const reader *r)
{
    static const char *const keys[] = { "w0", "w1", "r0", "r1" };
    fmpq_t w[4];
    int i, result = 0;
    for (i = 0; i < 4; i++)
        fmpq_init(w[i]);
    for (i = 0; i < 4 && result == 0; i++)
        result = member_rational(w[i], object, keys[i], r);
    if (result == 0 && shuf_pair_set_trinomial(pair, 1, w[0], w[1], w[2], w[3]) != 0)
        result = reader_fail(r, "\"w0\" + \"w1\" and \"r0\" + \"r1\" must not exceed 1, and \"r0\", \"r1\" must be both positive or both zero");
    for (i = 0; i < 4; i++)
        fmpq_clear(w[i]);
    return result;
}

/* A pair that gamma makes, or the eps0 that gives it. */
static int read_blanket(shuf_pair_t pair, shuf_pair_kind kind, const json_t *object, uint64_t k, const reader *r)
{
    shuf_real_t eps0;
    fmpq_t gamma;
    int result;
    if (reader_has(object, "gamma") == reader_has(object, "eps0"))
        return reader_fail(r, "either \"gamma\" or \"eps0\" is needed");
    shuf_real_init(eps0);
    fmpq_init(gamma);
    if (reader_has(object, "gamma"))
        result = member_rational(gamma, object, "gamma", r) != 0 ? -1 : shuf_pair_set_krr_blanket(pair, kind, 1, k, gamma);
    else
        result = member_epsilon(eps0, object, "eps0", r) != 0 ? -1 : shuf_pair_set_krr_blanket_eps0(pair, kind, 1, k, eps0);
    shuf_real_clear(eps0);
    fmpq_clear(gamma);
    return result;
}

/* A pair that eps0 makes. */
static int read_eps0_pair(shuf_part_t p, shuf_pair_kind kind, const json_t *object, uint64_t k, const shuf_question_t q, const reader *r)
{
    const shuf_pair_facts *facts = shuf_pair_about(kind);
    shuf_real_t eps0;
    int result = 0;
    shuf_real_init(eps0);
    if (q->quantity == SHUF_QUANTITY_EPS0 && reader_has(object, "eps0"))
        result = reader_fail(r, "\"eps0\" is what the question asks for: leave it out");
    else if (q->quantity != SHUF_QUANTITY_EPS0)
        result = member_epsilon(eps0, object, "eps0", r);
    if (result == 0)
        result = shuf_pair_is_sampled(kind)    ? shuf_pair_set_sampled(p->pair, kind, 1, k, eps0, shuf_one)
                 : facts->takes & SHUF_TAKES_K ? shuf_pair_set_krr(p->pair, kind, 1, k, eps0) : shuf_pair_set_eps0(p->pair, kind, 1, eps0);
    shuf_real_clear(eps0);
    return result;
}

static int read_sigma_pair(shuf_part_t p, const json_t *object, const reader *r)
{
    char text[96];
    shuf_real_t sigma;
    int result;
    shuf_real_init(sigma);
    result = member_real(sigma, object, "sigma", r);
    if (result == 0 && shuf_pair_set_gaussian(p->pair, 1, sigma) != 0)
        result = reader_fail(r, "\"sigma\" is %s: between 1/1000 and 1000000 is allowed", member_shown(text, object, "sigma"));
    shuf_real_clear(sigma);
    return result;
}

/* "a, b or c": the names of the pairs that take that, or of all for 0. */
static void list_pairs(char *list, size_t size, unsigned parameter)
{
    const char *pending = NULL, *between = "";
    int i;
    list[0] = '\0';
    for (i = 0; i <= SHUF_PAIR_KINDS; i++)
    {
        const shuf_pair_facts *facts = shuf_pair_about((shuf_pair_kind) i);
        if (i < SHUF_PAIR_KINDS && (facts->takes & parameter) != parameter)
            continue;
        if (pending != NULL)
            snprintf(list + strlen(list), size - strlen(list), "%s%s", i < SHUF_PAIR_KINDS || *between == '\0' ? between : " or ", pending);
        between = pending != NULL ? ", " : "";
        pending = facts->name;
    }
}

/* The member "pair"; users are set later. */
static int read_pair(shuf_part_t p, json_t *object, const shuf_question_t q, const reader *r)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    const shuf_pair_facts *facts;
    shuf_pair_kind kind;
    char list[VOCABULARY_PAIR_SIZE], names[VOCABULARY_PAIR_SIZE + 8];
    uint64_t k = 2;
    if (!json_is_object(object) || type == NULL)
        return reader_fail(r, "\"pair\" must be an object with a \"type\"");
    if (!shuf_pair_find(&kind, type))
    {
        char all[400];
        list_pairs(all, sizeof(all), 0);
        return reader_fail(r, "\"pair\" is \"%.40s\": %s is allowed", type, all);
    }
    p->subject = SHUF_SUBJECT_PAIR;
    facts = shuf_pair_about(kind);
    vocabulary_pair_members(list, facts);
    snprintf(names, sizeof(names), "type %s", list);
    if (reader_members(object, names, r) != 0)
        return -1;
    if (facts->takes & SHUF_TAKES_K && member_count(&k, object, "k", facts->least_k, SHUF_MAX_K, r) != 0)
        return -1;
    if (facts->takes & SHUF_TAKES_WEIGHTS)
        return read_trinomial(p->pair, object, r);
    if (facts->takes & SHUF_TAKES_SIGMA)
        return read_sigma_pair(p, object, r);
    if (facts->takes & SHUF_TAKES_EPS0)
        return read_eps0_pair(p, kind, object, k, q, r);
    return read_blanket(p->pair, kind, object, k, r);
}

/* ---- parts ---- */

/* The member "users": a number, or {"at_least": ..}. */
static int read_everyone(shuf_part_t p, json_t *object, const reader *r)
{
    json_t *users = json_object_get(object, "users");
    p->is_at_least = json_is_object(users);
    if (!p->is_at_least)
        return member_count(&p->everyone, object, "users", 1, SHUF_MAX_USERS, r);
    if (p->subject == SHUF_SUBJECT_PAIR)
        return reader_fail(r, "\"at_least\" goes with a \"mechanism\"; a \"pair\" needs an exact number of \"users\"");
    const reader inside = reader_inside(r, "users", NO_PLACE);
    if (vocabulary_check(users, OBJECT_USERS, &inside) != 0)
        return -1;
    return member_count(&p->everyone, users, "at_least", 1, SHUF_MAX_USERS, r);
}

/*
 * The member "honest": how many of the users, or which part of them, follow the protocol; users being known.
 * Coq: HonestUsers.honest_users_joint, HonestUsers.honest_stronger.
 */
static int read_honest(shuf_part_t p, const json_t *object, const reader *r)
{
    char text[96];
    shuf_real_t honest;
    fmpq_t count;
    fmpz_t whole;
    int result;
    p->users = p->everyone;
    if (!reader_has(object, "honest"))
        return 0;
    if (p->subject == SHUF_SUBJECT_PAIR)
        return reader_fail(r, "\"honest\" goes with a \"mechanism\", not with a \"pair\"");
    if (reader_has(object, "sample"))
        return reader_fail(r, "\"honest\" does not go with \"sample\": no theorem here says how many of the honest users are in the sample");
    shuf_real_init(honest); fmpq_init(count); fmpz_init(whole);
    result = member_real(honest, object, "honest", r);
    if (result == 0 && !honest->is_log)
    {
        fmpq_set(p->honest, honest->q);
        fmpq_set(count, honest->q);
        if (!fmpz_is_one(fmpq_denref(count)))
        {
            /* a part of the users, below 1 */
            fmpz_set_ui(whole, fmpz_cmp(fmpq_numref(count), fmpq_denref(count)) < 0 ? p->everyone : 0);
            fmpq_mul_fmpz(count, count, whole);
        }
        fmpz_fdiv_q(whole, fmpq_numref(count), fmpq_denref(count));
    }
    if (result == 0 && (fmpz_sgn(whole) <= 0 || fmpz_cmp_ui(whole, p->everyone) > 0))
        result = reader_fail(r, "\"honest\" is %s: a number of users from 1 to %llu, or a part below 1 that gives at least one user, is allowed",
                             member_shown(text, object, "honest"), (unsigned long long) p->everyone);
    if (result == 0)
        p->users = fmpz_get_ui(whole);
    shuf_real_clear(honest); fmpq_clear(count); fmpz_clear(whole);
    return result;
}

/* sampled := rate * users. */
static int set_sampled(shuf_part_t p, const json_t *sample, const reader *r)
{
    char text[96];
    fmpz_t users;
    int result = 0;
    fmpz_init_set_ui(users, p->users);
    fmpz_mul(users, users, fmpq_numref(p->rate));
    if (fmpz_divisible(users, fmpq_denref(p->rate)))
    {
        fmpz_divexact(users, users, fmpq_denref(p->rate));
        p->sampled = fmpz_get_ui(users);
    }
    else
    {
        result = reader_fail(r, "\"rate\" is %s: rate times %llu users must be a whole number", member_shown(text, sample, "rate"),
                             (unsigned long long) p->users);
    }
    fmpz_clear(users);
    return result;
}

/* The member "reports_per_user", users being known: so many reports of each are counted. */
static int read_reports(shuf_part_t p, const json_t *object, const reader *r)
{
    if (!reader_has(object, "reports_per_user"))
        return 0;
    if (p->subject == SHUF_SUBJECT_PAIR)
        return reader_fail(r, "\"reports_per_user\" goes with a \"mechanism\", not with a \"pair\"");
    if (member_count(&p->reports, object, "reports_per_user", 1, SHUF_MAX_REPORTS, r) != 0)
        return -1;
    if (p->reports > 1 && (p->rounds > 1 || reader_has(object, "sample") || p->release_sum))
        return reader_fail(r, "\"reports_per_user\" above 1 goes with one round, without \"sample\" and the release sum; reports through separate shufflers are \"rounds\"");
    if (p->users > SHUF_MAX_USERS / p->reports)
        return reader_fail(r, "\"reports_per_user\" makes more than 1e18 reports");
    p->users *= p->reports;
    return 0;
}

/* What delta0 does not go with. */
static int check_delta0(const shuf_part_t p, const reader *r)
{
    const char *what = renyi_part_has(p) ? RENYI_TYPE : "delta0";
    if (shuf_real_sgn(p->delta0) == 0)
        return 0;
    if (shuf_part_is_sampled(p))
        return reader_fail(r, "\"%s\" does not go with \"sample\": no theorem here has both", what);
    return p->is_at_least ? reader_fail(r, "\"%s\" does not go with \"at_least\": its bound grows with the number of users", what) : 0;
}

/* The member "sample": {"scheme": "fixed" or "poisson", "rate": ..}; users being known. */
static int read_sample(shuf_part_t p, const json_t *object, const reader *r)
{
    json_t *sample = json_object_get(object, "sample");
    const char *scheme = json_string_value(json_object_get(sample, "scheme"));
    const reader inside = reader_inside(r, "sample", NO_PLACE);
    char text[96];
    p->sampled = p->users;
    if (sample == NULL)
        return 0;
    if (!json_is_object(sample) || scheme == NULL)
        return reader_fail(r, "\"sample\" must be an object with a \"scheme\" and a \"rate\"");
    if (strcmp(scheme, "fixed") != 0 && strcmp(scheme, "poisson") != 0)
        return reader_fail(r, "\"scheme\" is \"%.40s\": fixed (a uniform subset of fixed size) or poisson (each user with that probability) "
                           "is allowed", scheme);
    if (vocabulary_check(sample, OBJECT_SAMPLE, &inside) != 0 || member_rational(p->rate, sample, "rate", r) != 0)
        return -1;
    if (fmpq_is_zero(p->rate))
        return reader_fail(r, "\"rate\" is %s: more than 0 and at most 1 is allowed", member_shown(text, sample, "rate"));
    p->is_poisson = shuf_part_is_sampled(p) && strcmp(scheme, "poisson") == 0;
    if (p->is_poisson && p->is_deletion)
        return reader_fail(r, "\"scheme\" is poisson: no theorem here has it with \"local\" delete; fixed is allowed");
    return p->is_poisson ? 0 : set_sampled(p, sample, r);
}

/* A pair of a sample gets its rate, which must be of its scheme. */
static int set_pair_rate(shuf_part_t p, const reader *r)
{
    const shuf_pair_facts *facts = shuf_pair_about(p->pair->kind);
    p->pair->n = p->sampled;
    if (p->subject != SHUF_SUBJECT_PAIR || !shuf_part_is_sampled(p))
        return 0;
    if (p->is_poisson && !(facts->takes & SHUF_TAKES_PROBABILITY))
    {
        char poisson[200];
        list_pairs(poisson, sizeof(poisson), SHUF_TAKES_PROBABILITY);
        return reader_fail(r, "\"scheme\" is poisson: it goes with the pairs %s", poisson);
    }
    if (!p->is_poisson && facts->takes & SHUF_TAKES_PROBABILITY)
        return reader_fail(r, "\"scheme\" is fixed: \"pair\" %s takes poisson", facts->name);
    if (shuf_pair_is_sampled(p->pair->kind))
        fmpq_set(p->pair->rate, p->rate);
    return 0;
}

/* The subset's size follows from the users that are asked for: only the rate is read. */
static int read_open_users(shuf_part_t p, json_t *object, const reader *r)
{
    if (reader_has(object, "users"))
        return reader_fail(r, "\"users\" is what the question asks for: leave it out");
    if (reader_has(object, "honest") || reader_has(object, "reports_per_user"))
        return reader_fail(r, "\"%s\" does not go with the quantity users", reader_has(object, "honest") ? "honest" : "reports_per_user");
    if (!reader_has(object, "sample"))
        return 0;
    /* any multiple of the denominator will do for the checks */
    if (json_is_object(json_object_get(object, "sample"))
        && member_rational(p->rate, json_object_get(object, "sample"), "rate", r) != 0)
        return -1;
    if (!fmpz_abs_fits_ui(fmpq_denref(p->rate)) || fmpz_cmp_ui(fmpq_denref(p->rate), SHUF_MAX_USERS) > 0)
        return reader_fail(r, "\"rate\" needs more than 1e18 users to give a whole number");
    p->users = fmpz_get_ui(fmpq_denref(p->rate));
    return read_sample(p, object, r) != 0 ? -1 : set_pair_rate(p, r);
}

static int read_neighbours(const json_t *object, const reader *r)
{
    const char *neighbours = json_string_value(json_object_get(object, "neighbours"));
    int choice = 0;
    if (neighbours != NULL && strcmp(neighbours, "remove") == 0)
        return reader_fail(r, "\"neighbours\" is \"remove\": no theorem here has it, because the number of reports reveals that a user is missing; replace is allowed");
    return member_choice(&choice, object, "neighbours", question_neighbours, 1, r);
}

static int read_release(shuf_part_t p, const json_t *object, const reader *r)
{
    if (member_choice(&p->release_sum, object, "release", question_releases, 2, r) != 0)
        return -1;
    if (p->release_sum && (p->subject != SHUF_SUBJECT_RANDOMISER || !shuf_randomiser_is_unary(p->randomiser)))
        return reader_fail(r, "\"release\" is \"sum\": there is a theorem for the sum of rappor, unary-encoding and oue vectors only");
    return 0;
}

/* What is said once for the question, or by each part. */
static int read_part(shuf_part_t p, json_t *object, const shuf_question_t q, const reader *r)
{
    const char *subject = reader_has(object, "mechanism") ? "mechanism" : "pair";
    const reader inside = reader_inside(r, subject, NO_PLACE);
    if (reader_has(object, "mechanism") == reader_has(object, "pair"))
        return reader_fail(r, "either \"mechanism\" or \"pair\" is needed");
    if ((subject[0] == 'm' ? read_mechanism : read_pair)(p, json_object_get(object, subject), q, &inside) != 0)
        return -1;
    if (p->subject == SHUF_SUBJECT_BATCH)
        return batch_part_read_rounds(p, object, q, r);
    if (p->subject == SHUF_SUBJECT_NOISE)
        return noise_part_read_rounds(p, object, q, r);
    if (p->subject == SHUF_SUBJECT_GROUPS)
        return read_neighbours(object, r) != 0 ? -1 : groups_part_read_rounds(p, object, r);
    if (read_neighbours(object, r) != 0 || read_release(p, object, r) != 0)
        return -1;
    if (reader_has(object, "rounds") && member_count(&p->rounds, object, "rounds", 1, SHUF_MAX_ROUNDS, r) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_USERS)
        return read_open_users(p, object, r);
    if (read_everyone(p, object, r) != 0 || read_honest(p, object, r) != 0 || read_reports(p, object, r) != 0
        || read_sample(p, object, r) != 0 || set_pair_rate(p, r) != 0 || check_delta0(p, r) != 0)
        return -1;
    if (p->release_sum && (shuf_part_is_sampled(p) || p->rounds > SHUF_MAX_ROUNDS / 2))
        return reader_fail(r, "\"release\" is \"sum\": it does not go with \"sample\", and allows at most %llu rounds",
                           (unsigned long long) (SHUF_MAX_ROUNDS / 2));
    return 0;
}

/* Whether the texts of an object are texts: 0, or -1 after a message. */
static int texts_check(const json_t *object, const reader *r)
{
    size_t i;
    for (i = 0; i < 4; i++)
        if (reader_has(object, question_texts[i]) && !json_is_string(json_object_get(object, question_texts[i])))
            return reader_fail(r, "\"%s\" must be a text", question_texts[i]);
    return 0;
}

/* What is said of the users of all shuffles is not said of a release. */
static void leave_users(json_t *merged, json_t *own)
{
    static const char *const keys[] = { "users", "honest", "reports_per_user", "release" };
    size_t i;
    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!reader_has(own, keys[i]))
            json_object_del(merged, keys[i]);
}

/* One object of the list: its own members over the question's. */
static int read_listed(shuf_part_t p, json_t *question, json_t *own, const shuf_question_t q, const reader *r)
{
    json_t *merged;
    int result;
    if (!json_is_object(own))
        return reader_fail(r, "must be a JSON object");
    if (vocabulary_check(own, OBJECT_ROUND, r) != 0 || texts_check(own, r) != 0)
        return -1;
    merged = json_copy(question);
    json_object_del(merged, "rounds");
    if (reader_has(own, "mechanism"))
        json_object_del(merged, "pair");
    if (reader_has(own, "pair"))
        json_object_del(merged, "mechanism");
    json_object_update(merged, own);
    if (noise_part_is(json_object_get(merged, "mechanism")))
        leave_users(merged, own);
    result = read_part(p, merged, q, r);
    json_decref(merged);
    return result;
}

/* Whether neighbours remove a record, or -1 if it is not said. */
static int removes(const shuf_part_struct *p)
{
    return p->subject == SHUF_SUBJECT_BATCH || p->subject == SHUF_SUBJECT_NOISE ? p->removes : 0;
}

static int read_parts(shuf_question_t q, json_t *object, reader *r)
{
    int known = -1;
    json_t *rounds = json_object_get(object, "rounds");
    size_t length = strlen(r->prefix), i, count = json_is_array(rounds) ? json_array_size(rounds) : 1;
    q->is_list = json_is_array(rounds);
    if (count == 0 || count > SHUF_MAX_PARTS)
        return reader_fail(r, "\"rounds\" must be a whole number or an array of 1 to %d objects", SHUF_MAX_PARTS);
    q->parts = flint_malloc(count * sizeof(shuf_part_struct));
    for (i = 0; i < count; i++)
    {
        part_init(&q->parts[q->count++]);
        if (!q->is_list)
            return read_part(&q->parts[0], object, q, r);
        snprintf(r->prefix + length, sizeof(r->prefix) - length, "rounds %zu: ", i + 1);
        if (read_listed(&q->parts[i], object, json_array_get(rounds, i), q, r) != 0)
            return -1;
        r->prefix[length] = '\0';
        if ((q->parts[i].subject == SHUF_SUBJECT_PAIR) != (q->parts[0].subject == SHUF_SUBJECT_PAIR))
            return reader_fail(r, "\"rounds\" must be all mechanisms or all pairs");
        if (removes(&q->parts[i]) >= 0 && known >= 0 && removes(&q->parts[i]) != known)
            return reader_fail(r, "\"rounds\" cannot mix neighbours: those of noisy-sgd, unless they are said to be replace, and of releases with a poisson sample, remove a record, "
                               "those of shuffled reports, and of releases with a fixed sample, replace one");
        known = known >= 0 ? known : removes(&q->parts[i]);
        q->parts[i].is_one_of_many = count > 1;
    }
    return 0;
}

int parts_read(shuf_question_t q, json_t *object, reader *r)
{
    size_t i;
    if (read_parts(q, object, r) != 0)
        return -1;
    for (i = 0; i < q->count; i++)
    {
        shuf_part_struct *p = &q->parts[i];
        if (!renyi_part_has(p))
            continue;
        p->group = flint_malloc(RENYI_CLASSES * sizeof(*p->group));
        while (p->groups < RENYI_CLASSES)
            part_init(&p->group[p->groups++]);
        renyi_part_enclose(p, q);
    }
    return 0;
}
