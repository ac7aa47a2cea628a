/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/answer_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/batch_part.h"
#include "account/groups_part.h"
#include "account/evaluate.h"
#include "account/members.h"
#include "account/part.h"
#include "config.h"
#include "enclosure/memory.h"
#include "randomiser/deletion.h"

/* Digits beyond those asked for that are printed. Steers only. */
#define GUARD_DIGITS 5

static json_t *take(char *text)
{
    json_t *json = text != NULL ? json_string(text) : json_null();
    flint_free(text);
    return json;
}

static json_t *mag_json(const mag_t x)
{
    arf_t t;
    json_t *json;
    arf_init_set_mag_shallow(t, x);
    json = take(shuf_decimal(t, 3, 1));
    return json;
}

/* ---- enclosures ---- */

/* The decimals of the two ends, null where there is no finite one; the ledger then speaks of what is printed. */
static void put_ends(json_t *object, shuf_enclosure_struct *r, slong digits)
{
    char *lo = NULL, *hi = NULL;
    if (arf_is_finite(r->lo) && arf_is_finite(r->hi))
        shuf_enclosure_print(&lo, &hi, r, digits + GUARD_DIGITS);
    else if (arf_is_finite(r->lo))
        lo = shuf_decimal(r->lo, digits + GUARD_DIGITS, 0);
    json_object_set_new(object, "lo", take(lo));
    json_object_set_new(object, "hi", take(hi));
}

static json_t *ledger_json(const shuf_ledger_struct *ledger)
{
    json_t *object = json_object();
    json_object_set_new(object, "truncation", mag_json(ledger->truncation));
    json_object_set_new(object, "discretisation", mag_json(ledger->discretisation));
    if (ledger->step > 0 || !mag_is_zero(ledger->aliasing))
        json_object_set_new(object, "aliasing", mag_json(ledger->aliasing));
    json_object_set_new(object, "rounding", mag_json(ledger->rounding));
    json_object_set_new(object, "terms", json_integer((json_int_t) ledger->terms));
    json_object_set_new(object, "precision", json_integer(ledger->precision));
    if (ledger->step > 0)
        json_object_set_new(object, "step", json_real(ledger->step));
    json_object_set_new(object, "work", json_integer((json_int_t) ledger->work));
    return object;
}

/* ---- theorems and data ---- */

/* Whether outputs have densities, which proofs/coq leaves to paper. */
static int part_is_continuous(const shuf_part_struct *p)
{
    return p->subject == SHUF_SUBJECT_BATCH || p->subject == SHUF_SUBJECT_NOISE || (p->subject == SHUF_SUBJECT_PAIR && p->pair->kind == SHUF_PAIR_GAUSSIAN)
           || (p->subject == SHUF_SUBJECT_RANDOMISER && shuf_randomiser_is_line(p->randomiser));
}

/* Whether the answer takes of a theorem what proofs/STATUS.md says that Coq leaves out. */
static int takes_the_rest(const char *id, const shuf_answer_bound *b, const shuf_part_struct *p)
{
    if (strcmp(id, "groups-apart") == 0) /* from above */
        return b->side == SHUF_SIDE_LOWER;
    if (strcmp(id, "rappor-bit") == 0) /* of all users */
        return p->is_poisson;
    if (strcmp(id, "users-at-least") == 0) /* of pairs */
        return shuf_part_is_sampled(p) || (p->subject != SHUF_SUBJECT_PAIR && p->subject != SHUF_SUBJECT_LDP);
    /* where a chord is largest; numbers of runs without a limit; that families exchange inputs */
    return strcmp(id, "zcdp") == 0 || strcmp(id, "selection-ties") == 0 || strcmp(id, "tuple-inputs") == 0;
}

/* Whether a theorem of Coq, used for that part of the question, goes beyond what Coq has of it (proofs/README.md, on paper only). */
static int is_beyond_coq(const char *id, const shuf_answer_bound *b, const shuf_question_struct *q, const shuf_part_struct *p)
{
    size_t i;
    if (part_is_continuous(p) || takes_the_rest(id, b, p))
        return 1;
    for (i = 0; i < p->groups; i++)
        if (is_beyond_coq(id, b, q, &p->group[i]))
            return 1;
    if (strcmp(id, "honest-users") == 0)
        return p->release_sum || p->rounds > 1 || q->count > 1 || b->side == SHUF_SIDE_LOWER;
    if (strcmp(id, "krr-weak") == 0 || strcmp(id, "krr-strong") == 0)
        return p->subject == SHUF_SUBJECT_PAIR ? !p->pair->gamma_is_of_eps0 && fmpq_is_zero(p->pair->gamma)
                                               : p->gamma_is_given && fmpq_is_zero(p->gamma);
    if (strcmp(id, "local-epsilon") == 0) /* of a table of probabilities */
        return p->subject == SHUF_SUBJECT_RANDOMISER && p->randomiser->kind != SHUF_RANDOMISER_MATRIX;
    return 0;
}

/* How far what the answer takes from the theorem is checked. */
static const char *checked_of(const shuf_theorem *t, const shuf_answer_bound *b, const shuf_question_struct *q)
{
    int is_class = 0;
    size_t i;
    if (t->checked != SHUF_CHECKED_COQ)
        return shuf_checked_name(t->checked);
    for (i = 0; i < q->count; i++)
    {
        const shuf_part_struct *p = &q->parts[i];
        if (is_beyond_coq(t->id, b, q, p))
            return shuf_checked_name(SHUF_CHECKED_PAPER);
        is_class |= p->subject == SHUF_SUBJECT_LDP || (p->subject == SHUF_SUBJECT_GROUPS && groups_part_worst(p, SHUF_SUBJECT_LDP) != NULL)
                    || (p->subject == SHUF_SUBJECT_PAIR && p->pair->kind != SHUF_PAIR_KRR_WEAK && p->pair->kind != SHUF_PAIR_KRR_STRONG);
    }
    /* of a class that has randomisers of any outputs: Coq has those of finitely many. From below one randomiser is enough, which is finite */
    return is_class && b->side != SHUF_SIDE_NONE && b->side != (q->quantity == SHUF_QUANTITY_TRADEOFF ? SHUF_SIDE_UPPER : SHUF_SIDE_LOWER)
               ? "coq-finite" : shuf_checked_name(SHUF_CHECKED_COQ);
}

static json_t *theorems_json(const shuf_answer_bound *b, const shuf_question_struct *q)
{
    json_t *array = json_array();
    size_t i;
    for (i = 0; i < b->theorems; i++)
    {
        const shuf_theorem *t = shuf_theorem_find(b->theorem[i]);
        if (t != NULL)
            json_array_append_new(array, json_pack("{s:s, s:s, s:s}", "id", t->id, "status", shuf_theorem_status_name(t->status), "checked",
                                                   checked_of(t, b, q)));
    }
    return array;
}

/* The number of the value, or the entries of a tuple. */
static void value_text(char *text, size_t size, const shuf_randomiser_t m, uint64_t value)
{
    size_t used = 0;
    uint64_t i;
    if (m->parts == 0)
        snprintf(text, size, "%llu", (unsigned long long) value);
    for (i = 0; i < m->parts && used < size; i++)
        used += (size_t) snprintf(text + used, size - used, "%s%llu%s", i == 0 ? "(" : ", ", (unsigned long long) shuf_randomiser_entry(m, value, i),
                                  i + 1 == m->parts ? ")" : "");
}

static void add_users(json_t *histogram, const shuf_randomiser_t m, uint64_t value, uint64_t users)
{
    char text[1024];
    size_t i;
    json_t *entry;
    if (users == 0)
        return;
    value_text(text, sizeof(text), m, value);
    for (i = 0; i < json_array_size(histogram); i++)
    {
        entry = json_array_get(histogram, i);
        if (strcmp(json_string_value(json_object_get(entry, "value")), text) == 0)
        {
            uint64_t before = 0;
            shuf_users_set_str(&before, json_string_value(json_object_get(entry, "users")));
            json_object_set_new(entry, "users", count_json(before + users));
            return;
        }
    }
    entry = json_pack("{s:s}", "value", text);
    json_object_set_new(entry, "users", count_json(users));
    json_array_append_new(histogram, entry);
}

static json_t *dataset_json(const shuf_neighbouring_data *d, const shuf_part_struct *part, uint64_t own)
{
    json_t *histogram = json_array();
    add_users(histogram, part->randomiser, own, 1);
    add_users(histogram, part->randomiser, d->others, part->users - 1 - d->exceptions);
    add_users(histogram, part->randomiser, d->exception, d->exceptions);
    return histogram;
}

static json_t *deletion_json(const shuf_part_struct *part)
{
    shuf_part_t own;
    json_t *object;
    part_init(own);
    own->subject = SHUF_SUBJECT_RANDOMISER;
    deletion_matrix(own->randomiser, part->deletion_eps0);
    object = mechanism_json(own);
    part_clear(own);
    return object;
}

/* The randomiser that has the bound: of a class one of its k-RR, or the matrix of deletion. */
static json_t *randomiser_json(const shuf_part_struct *part, const shuf_neighbouring_data *d)
{
    json_t *object;
    if (d->k == 0)
        return part->is_deletion ? deletion_json(part) : mechanism_json(part);
    object = json_pack("{s:s}", "type", "krr");
    json_object_set_new(object, "k", count_json(d->k));
    json_object_set_new(object, "eps0", json_string(part->eps0->text));
    return object;
}

/* The clipped gradients in every step, along one line: of the record that is removed, and of all others. */
static json_t *batch_data_json(const shuf_answer_bound *b, const shuf_question_struct *q)
{
    json_t *object = json_object();
    int kinds[2] = { 0, 0 }, is_signed = 0;
    size_t i;
    json_object_set_new(object, "mechanism", batch_part_json(&q->parts[0], q));
    for (i = 0; i < q->count; i++)
        is_signed |= q->parts[i].batch->strategy->kind == SHUF_STRATEGY_ROWS;
    json_object_set_new(object, "first", json_pack("[{s:s, s:s}]", "value", is_signed ? "1 or -1" : "1", "users", "1"));
    json_object_set_new(object, "second", json_pack("[{s:s, s:s}]", "value", question_removes(q) ? "0" : is_signed ? "its negative" : "-1", "users", "1"));
    for (i = 0; i < q->count; i++)
        kinds[(q->parts[i].batch->sampler == SHUF_BATCH_WITHOUT_REPLACEMENT || (q->parts[i].batch->sampler == SHUF_BATCH_SHUFFLE && q->parts[i].batch->records == 1))
              && !route_of_batch_is_exact(&q->parts[i])] = 1;
    json_object_set_new(object, "others", json_string(!kinds[1] ? "0" : !kinds[0] ? "-1" : question_removes(q) ? "-1 with shuffled batches, else 0" : "-1 with shuffled batches or without replacement, else 0"));
    if (b->data.seen != NULL)
        json_object_set_new(object, "seen", json_string(b->data.seen));
    return object;
}

/* What is seen of the reports. */
static void set_seen(json_t *object, const char *seen, int alone)
{
    static const char alone_text[] = "the reports of these users, whose outputs no other group has";
    if (alone && seen != NULL)
        json_object_set_new(object, "seen", json_sprintf("of %s: %s", alone_text, seen));
    else if (alone || seen != NULL)
        json_object_set_new(object, "seen", json_string(alone ? alone_text : seen));
}

/* The data of users of a part, or of some of its groups. */
static json_t *users_json(const shuf_part_struct *own, const shuf_neighbouring_data *d, int alone)
{
    json_t *object = json_object();
    json_object_set_new(object, "mechanism", randomiser_json(own, d));
    json_object_set_new(object, "first", dataset_json(d, own, d->first));
    json_object_set_new(object, "second", dataset_json(d, own, d->second));
    set_seen(object, d->seen, alone);
    return object;
}

static json_t *groups_data_json(const shuf_part_struct *part, const shuf_neighbouring_data *d)
{
    shuf_part_struct unit;
    json_t *object;
    if (d->group > 0)
        return users_json(&part->group[d->group - 1], d, part->groups > 1);
    groups_part_take_krr(&unit, part);
    object = users_json(&unit, d, unit.groups < part->groups);
    flint_free(unit.group);
    return object;
}

static json_t *data_json(const shuf_answer_bound *b, const shuf_question_struct *q)
{
    const shuf_part_struct *part = &q->parts[b->data.part];
    if (part->subject == SHUF_SUBJECT_BATCH)
        return batch_data_json(b, q);
    return part->subject == SHUF_SUBJECT_GROUPS ? groups_data_json(part, &b->data) : users_json(part, &b->data, 0);
}

/* ---- bounds ---- */

static json_t *at_json(const shuf_answer_bound *b)
{
    json_t *at = json_object();
    char text[48];
    if (b->has_order)
        json_object_set_new(at, "order", json_string(b->order->text));
    if (b->has_round)
    {
        json_object_set_new(at, "round_eps", json_string(b->round_eps->text));
        json_object_set_new(at, "round_delta", json_string(b->round_delta->text));
    }
    if (b->has_threshold)
    {
        snprintf(text, sizeof(text), "%s%lld.%06lld", b->threshold < 0 ? "-" : "", llabs((long long) (b->threshold / 1000000)),
                 llabs((long long) (b->threshold % 1000000)));
        json_object_set_new(at, "threshold", json_string(text));
    }
    if (b->has_witness)
        json_object_set_new(at, "witness", json_string(b->witness->text));
    return at;
}

static const char *const side_names[] = { [SHUF_SIDE_NONE] = "none", [SHUF_SIDE_UPPER] = "upper", [SHUF_SIDE_LOWER] = "lower",
                                          [SHUF_SIDE_EXACT] = "exact" };

/* What the ends of a pair's value mean, in words; NULL where the theorem says it. */
static const char *guarantee_of(const shuf_answer_bound *b, const shuf_question_struct *q)
{
    static const char *const upper[] = {
        "a certified upper bound on delta; the enclosure is of the bound's value",
        "a certified upper bound on epsilon; the enclosure is of the bound's value",
        "a certified upper bound on the Renyi divergence; the enclosure is of the bound's value"
    };
    static const char *const lower[] = {
        "a certified lower bound: a mechanism of the class has at least the lower end as its delta",
        "a certified lower bound: a mechanism of the class has at least the lower end as its epsilon",
        "a certified lower bound: a mechanism of the class has at least the lower end as its Renyi divergence"
    };
    if (q->count == 0 || !shuf_question_is_of_pair(q) || q->form != NULL || arf_is_pos_inf(b->value->lo))
        return NULL;
    if (q->quantity == SHUF_QUANTITY_TRADEOFF) /* privacy from above is a type II error from below */
        return b->side == SHUF_SIDE_LOWER   ? "no test has a type II error below the lower end; the enclosure is of the bound's value"
               : b->side == SHUF_SIDE_UPPER ? "against a mechanism of the class a test has a type II error of at most the upper end" : NULL;
    if (q->quantity == SHUF_QUANTITY_GDP)
        return b->side == SHUF_SIDE_UPPER   ? "at the upper end delta(eps) <= delta_mu(eps) is certain for a mechanism"
               : b->side == SHUF_SIDE_LOWER ? "below the lower end a mechanism of the class exceeds delta_mu at the witness"
                                            : "of the pair; no guarantee for a mechanism";
    if (q->quantity > SHUF_QUANTITY_RENYI)
        return NULL;
    if (b->theorems == 1)
        return q->quantity == SHUF_QUANTITY_EPSILON ? "delta(epsilon) <= delta is certain at the upper end" : NULL;
    return b->side == SHUF_SIDE_UPPER ? upper[q->quantity] : b->side == SHUF_SIDE_LOWER ? lower[q->quantity]
           : "a bound of the pair; no guarantee for a mechanism";
}

/* The two ends of a claim's delta. */
static json_t *delta_json(const shuf_enclosure_struct *delta, slong digits)
{
    json_t *object = json_object();
    shuf_enclosure_t printed;
    shuf_enclosure_init(printed);
    shuf_enclosure_set(printed, delta);
    put_ends(object, printed, digits);
    shuf_enclosure_clear(printed);
    return object;
}

/* Whether it is a decimal as the schema of answers has it. */
static int is_end(const char *text)
{
    const char *point = strchr(text, '.');
    return text[strspn(text, "0123456789.e+-")] == '\0' && text[0] >= '0' && text[0] <= '9'
           && (point == NULL || (point[1] >= '0' && point[1] <= '9'));
}

/* An end that decides a claim is the claim, where rounding outward made it a little more than that. */
static void put_claimed(json_t *object, const shuf_answer_bound *b, const shuf_question_struct *q)
{
    const char *key = b->sign < 0 ? "hi" : "lo", *text = json_string_value(json_object_get(object, key));
    const shuf_real_struct *claimed = question_claimed(q);
    shuf_real_t end;
    if (b->sign == 0 || text == NULL || !is_end(claimed->text))
        return;
    shuf_real_init(end);
    if (shuf_real_set_str(end, text) == 0 && (b->sign < 0 ? shuf_real_cmp(end, claimed) > 0 : shuf_real_cmp(end, claimed) < 0))
        json_object_set_new(object, key, json_string(claimed->text));
    shuf_real_clear(end);
}

json_t *answer_bound_json(const shuf_answer_bound *bound, const shuf_question_struct *q)
{
    json_t *object = json_object(), *at = at_json(bound);
    shuf_enclosure_t printed;
    shuf_enclosure_init(printed);
    shuf_enclosure_set(printed, bound->value);
    json_object_set_new(object, "side", json_string(side_names[bound->side]));
    put_ends(object, printed, q->digits);
    if (q->is_claim)
        put_claimed(object, bound, q);
    json_object_set_new(object, "lo_hex", take(arf_is_finite(bound->value->lo) ? shuf_hexfloat(bound->value->lo, 0) : NULL));
    json_object_set_new(object, "hi_hex", take(arf_is_finite(bound->value->hi) ? shuf_hexfloat(bound->value->hi, 1) : NULL));
    if (arf_is_pos_inf(bound->value->lo))
        json_object_set_new(object, "infinite", json_true());
    json_object_set_new(object, "theorems", theorems_json(bound, q));
    if (guarantee_of(bound, q) != NULL)
        json_object_set_new(object, "guarantee", json_string(guarantee_of(bound, q)));
    if (bound->note != NULL)
        json_object_set_new(object, "notes", json_pack("[s]", bound->note));
    if (json_object_size(at) > 0)
        json_object_set(object, "at", at);
    json_decref(at);
    if (bound->has_delta)
        json_object_set_new(object, "delta", delta_json(bound->delta, q->digits));
    json_object_set_new(object, "accuracy_reached", json_boolean(bound->value->status == SHUF_OK));
    if (q->is_claim)
        json_object_set_new(object, "decides", json_boolean(bound_decides(bound) != 0));
    if (bound->has_data)
        json_object_set_new(object, "data", data_json(bound, q));
    if (arf_is_finite(printed->lo) && arf_is_finite(printed->hi))
        json_object_set_new(object, "ledger", ledger_json(&printed->ledger));
    shuf_enclosure_clear(printed);
    return object;
}

/* ---- answers ---- */

json_t *answer_json(const shuf_answer_struct *a)
{
    const shuf_question_struct *q = a->question;
    json_t *object = json_object(), *tried;
    size_t i;
    if (q->id != NULL && q->id[0] != '\0')
        json_object_set_new(object, "id", json_string(q->id));
    if (a->error[0] != '\0')
    {
        json_object_set_new(object, "error", json_string(a->error));
        json_object_set_new(object, "version", json_string(PACKAGE_VERSION));
        return object;
    }
    json_object_set_new(object, "question", question_json(q));
    json_object_set_new(object, "quantity", json_string(shuf_quantity_name(q->quantity)));
    if (a->value != NULL)
        json_object_set_new(object, "value", answer_bound_json(a->value, q));
    if (a->upper != NULL)
        json_object_set_new(object, "upper", answer_bound_json(a->upper, q));
    if (a->lower != NULL)
        json_object_set_new(object, "lower", answer_bound_json(a->lower, q));
    if (a->verdict != SHUF_VERDICT_NONE)
        json_object_set_new(object, "verdict", json_string(shuf_verdict_name(a->verdict)));
    if (a->reason != NULL)
        json_object_set_new(object, "reason", json_string(a->reason));
    json_object_set_new(object, "complete", json_boolean(a->complete));
    json_object_set_new(object, "accuracy_reached", json_boolean(a->accurate));
    tried = json_array();
    for (i = 0; i < a->count && a->value == NULL; i++)
        json_array_append_new(tried, answer_bound_json(&a->tried[i], q));
    json_object_set_new(object, "tried", tried);
    json_object_set_new(object, "version", json_string(PACKAGE_VERSION));
    return object;
}

json_t *answer_error_json(const char *id, const char *error)
{
    json_t *object = json_object();
    if (id != NULL)
        json_object_set_new(object, "id", json_string(id));
    /* a message that is no UTF-8 is not repeated */
    if (json_object_set_new(object, "error", json_string(error)) != 0)
        json_object_set_new(object, "error", json_string("the question is not valid UTF-8"));
    json_object_set_new(object, "version", json_string(PACKAGE_VERSION));
    return object;
}

json_t *answer_find(json_t *object)
{
    char error[256] = "";
    reader r = { error, sizeof(error), "", "" };
    shuf_question_t q;
    shuf_answer_t a;
    json_t *answer;
    shuf_question_init(q);
    if (question_read(q, object, &r) != 0)
    {
        answer = answer_error_json(json_string_value(json_object_get(object, "id")), error);
    }
    else
    {
        shuf_answer(a, q);
        answer = answer_json(a);
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return answer;
}

typedef struct
{
    json_t *object, *answer;
} asked;

static void run_answer(void *data)
{
    asked *x = data;
    x->answer = answer_find(x->object);
}

json_t *answer_read(json_t *object)
{
    asked x = { object, NULL };
    return memory_try(run_answer, &x) == 0 ? x.answer : answer_error_json(json_string_value(json_object_get(object, "id")), OUT_OF_MEMORY);
}

char *answer_dump(json_t *object)
{
    char *dumped = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)), *text;
    json_decref(object);
    if (dumped == NULL)
        return NULL;
    text = flint_malloc(strlen(dumped) + 1);
    strcpy(text, dumped);
    free(dumped);
    return text;
}
