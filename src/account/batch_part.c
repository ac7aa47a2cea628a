/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/batch_part.h"

#include <string.h>

#include "account/vocabulary.h"
#include "account/members.h"
#include "account/strategy_part.h"

int batch_part_is(const json_t *mechanism)
{
    const char *type = json_string_value(json_object_get(mechanism, "type"));
    return type != NULL && strcmp(type, BATCH_TYPE) == 0;
}

static int read_noise(shuf_batch_t x, const json_t *object, const reader *r)
{
    char text[96];
    shuf_real_t noise, least;
    int result;
    shuf_real_init(noise);
    shuf_real_init(least);
    shuf_real_set_str(least, "1/1000");
    result = member_real(noise, object, "noise_multiplier", r);
    if (result == 0 && (noise->is_log || shuf_real_cmp(noise, least) < 0 || shuf_real_cmp_si(noise, 1000000) > 0))
        result = reader_fail(r, "\"noise_multiplier\" is %s: a rational number from 1/1000 to 1000000 is allowed",
                             member_shown(text, object, "noise_multiplier"));
    if (result == 0)
        fmpq_set(x->noise, noise->q);
    shuf_real_clear(noise);
    shuf_real_clear(least);
    return result;
}

/* steps := 1/rate, if that is a whole number. */
static int steps_of_rate(uint64_t *steps, const fmpq_t rate)
{
    if (!fmpz_is_one(fmpq_numref(rate)) || fmpz_cmp_ui(fmpq_denref(rate), SHUF_BATCH_MAX_STEPS) > 0)
        return 0;
    *steps = fmpz_get_ui(fmpq_denref(rate));
    return 1;
}

/* Which of "steps" and "sampling_rate" the sampler needs. */
static int check_given(const shuf_batch_t x, int has_steps, int has_rate, const reader *r)
{
    if (!has_rate && !has_steps)
        return reader_fail(r, "\"steps\" of an epoch, or the \"sampling_rate\" of a record in a step, is missing");
    if (x->sampler == SHUF_BATCH_ALLOCATION && !(has_rate && has_steps))
        return reader_fail(r, "\"steps\" and \"sampling_rate\" are both needed with random-allocation");
    if (has_rate && has_steps && !shuf_batch_has_free_rate(x->sampler) && x->sampler != SHUF_BATCH_ALLOCATION)
        return reader_fail(r, "\"sampling_rate\" is one over \"steps\" with this sampler: give one of the two");
    return 0;
}

int batch_part_read_steps(shuf_batch_t x, const json_t *object, const reader *r)
{
    char text[96];
    const int has_rate = reader_has(object, "sampling_rate"), has_steps = reader_has(object, "steps");
    if (check_given(x, has_steps, has_rate, r) != 0
        || (has_steps && member_count(&x->steps, object, "steps", 1, SHUF_BATCH_MAX_STEPS, r) != 0)
        || (has_rate && member_rational(x->rate, object, "sampling_rate", r) != 0))
        return -1;
    if (has_rate && fmpq_is_zero(x->rate))
        return reader_fail(r, "\"sampling_rate\" is %s: more than 0 and at most 1 is allowed", member_shown(text, object, "sampling_rate"));
    if (!has_steps && !steps_of_rate(&x->steps, x->rate))
        return reader_fail(r, "\"sampling_rate\" is %s: %s", member_shown(text, object, "sampling_rate"),
                           shuf_batch_has_free_rate(x->sampler) ? "it is not one over a number of steps, so \"steps\" is needed, too"
                                                            : "one over a whole number up to 1000000000 is allowed");
    if (x->sampler == SHUF_BATCH_ALLOCATION && shuf_batch_taking(x) == 0)
        return reader_fail(r, "\"sampling_rate\" is %s: with random-allocation it must give a whole number when multiplied by \"steps\"",
                           member_shown(text, object, "sampling_rate"));
    if (!has_rate)
    {
        fmpz_one(fmpq_numref(x->rate));
        fmpz_set_ui(fmpq_denref(x->rate), x->steps);
    }
    return 0;
}

/* Of a user with several records and batches of a fixed size, at random: how many records there are in all. */
static int read_all(shuf_batch_t x, const json_t *object, const reader *r)
{
    char text[96];
    fmpq_t size, others;
    int result = 0;
    if (!reader_has(object, "dataset_size"))
        return reader_fail(r, "\"dataset_size\" is missing: with \"records_per_user\" and the sampler without-replacement it is needed");
    if (member_count(&x->all, object, "dataset_size", 2, SHUF_MAX_USERS, r) != 0)
        return -1;
    fmpq_init(size);
    fmpq_init(others);
    fmpq_set_ui(size, x->all, 1);
    fmpq_mul(size, size, x->rate);
    fmpq_set_ui(others, x->records < x->all ? x->all - x->records : 0, 1);
    if (!fmpz_is_one(fmpq_denref(size)))
        result = reader_fail(r, "\"dataset_size\" is %s: it must give a whole number when multiplied by \"sampling_rate\"", member_shown(text, object, "dataset_size"));
    else if (!fmpq_is_one(x->rate) && fmpq_cmp(size, others) > 0)
        result = reader_fail(r, "\"records_per_user\" is %s: a batch must have room for other records alone, of which there are fewer", member_shown(text, object, "records_per_user"));
    fmpq_clear(size);
    fmpq_clear(others);
    return result;
}

/* Batches that are cut, the sampling rate being known. A batch that cannot be too large is not cut. */
static int read_cut(shuf_batch_t x, const json_t *object, const reader *r)
{
    if (x->records > 1 && x->sampler == SHUF_BATCH_WITHOUT_REPLACEMENT && !reader_has(object, "max_batch_size"))
        return read_all(x, object, r);
    if (!reader_has(object, "max_batch_size") && !reader_has(object, "dataset_size"))
        return 0;
    if (!reader_has(object, "max_batch_size") || !reader_has(object, "dataset_size"))
        return reader_fail(r, "\"max_batch_size\" and \"dataset_size\" go together");
    if (member_count(&x->most, object, "max_batch_size", 1, SHUF_MAX_USERS, r) != 0 || member_count(&x->all, object, "dataset_size", 2, SHUF_MAX_USERS, r) != 0)
        return -1;
    if (x->sampler != SHUF_BATCH_POISSON || x->records > 1)
        return reader_fail(r, "\"max_batch_size\" goes with the sampler poisson, and one record a user: no theorem here has it for others");
    if (fmpq_is_one(x->rate))
        return reader_fail(r, "\"sampling_rate\" is 1: with \"max_batch_size\" less than 1 is allowed; the sampler without-replacement has batches of one size");
    return 0;
}

int batch_part_read(shuf_part_struct *p, json_t *mechanism, const shuf_question_struct *q, const reader *r)
{
    const char *names[SHUF_BATCH_SAMPLERS];
    int i, sampler = -1;
    for (i = 0; i < SHUF_BATCH_SAMPLERS; i++)
        names[i] = shuf_batch_about((shuf_batch_sampler) i)->name;
    p->subject = SHUF_SUBJECT_BATCH;
    if (vocabulary_check_mechanism(mechanism, BATCH_TYPE, r) != 0
        || (reader_has(mechanism, "name") && reader_text(&p->randomiser->name, mechanism, "name", r) != 0))
        return -1;
    if (!reader_has(mechanism, "sampler"))
        return reader_fail(r, "\"sampler\" is missing");
    if (member_choice(&sampler, mechanism, "sampler", names, SHUF_BATCH_SAMPLERS, r) != 0)
        return -1;
    p->batch->sampler = (shuf_batch_sampler) sampler;
    if (reader_has(mechanism, "records_per_user") && member_count(&p->batch->records, mechanism, "records_per_user", 1, SHUF_BATCH_MAX_RECORDS, r) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_NOISE_MULTIPLIER && reader_has(mechanism, "noise_multiplier"))
        return reader_fail(r, "\"noise_multiplier\" is what the question asks for: leave it out");
    if (q->quantity != SHUF_QUANTITY_NOISE_MULTIPLIER && read_noise(p->batch, mechanism, r) != 0)
        return -1;
    if (batch_part_read_steps(p->batch, mechanism, r) != 0 || read_cut(p->batch, mechanism, r) != 0)
        return -1;
    return strategy_part_read(p->batch, mechanism, r);
}

/* Neighbours remove one record, unless it is said that they replace one, or batches are of a fixed size without replacement. */
static int read_neighbours(shuf_part_struct *p, const json_t *part, const reader *r)
{
    const shuf_batch_sampler sampler = p->batch->sampler;
    const int is_subset = sampler == SHUF_BATCH_WITHOUT_REPLACEMENT;
    p->removes = !is_subset;
    if (member_choice(&p->removes, part, "neighbours", question_neighbours, 2, r) != 0)
        return -1;
    if (is_subset && p->removes)
        return reader_fail(r, "\"neighbours\" is \"remove\": no theorem here has it for the sampler %s; replace is allowed", shuf_batch_about(sampler)->name);
    return 0;
}

int batch_part_read_rounds(shuf_part_struct *p, const json_t *part, const shuf_question_struct *q, const reader *r)
{
    if (member_barred(part, "users honest reports_per_user release sample", BATCH_TYPE, r) != 0)
        return -1;
    if (read_neighbours(p, part, r) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_EPOCHS && reader_has(part, "rounds"))
        return reader_fail(r, "\"rounds\" is what the question asks for: leave it out");
    if (reader_has(part, "rounds") && member_count(&p->rounds, part, "rounds", 1, SHUF_MAX_ROUNDS, r) != 0)
        return -1;
    if (p->rounds > SHUF_MAX_ROUNDS / p->batch->steps)
        return reader_fail(r, "\"rounds\" makes more than 1e9 steps");
    return 0;
}

void batch_part_put_steps(json_t *object, const shuf_batch_t x)
{
    json_object_set_new(object, "steps", json_integer((json_int_t) x->steps));
    if (shuf_batch_has_free_rate(x->sampler) || x->sampler == SHUF_BATCH_ALLOCATION)
        json_object_set_new(object, "sampling_rate", rational_json(x->rate));
}

json_t *batch_part_json(const shuf_part_struct *p, const shuf_question_struct *q)
{
    json_t *object = json_pack("{s:s, s:s}", "type", BATCH_TYPE, "sampler", shuf_batch_about(p->batch->sampler)->name);
    if (q->quantity != SHUF_QUANTITY_NOISE_MULTIPLIER)
        json_object_set_new(object, "noise_multiplier", rational_json(p->batch->noise));
    batch_part_put_steps(object, p->batch);
    if (p->batch->most > 0)
        json_object_set_new(object, "max_batch_size", json_integer((json_int_t) p->batch->most));
    if (p->batch->all > 0)
        json_object_set_new(object, "dataset_size", json_integer((json_int_t) p->batch->all));
    strategy_part_add(object, p->batch);
    if (p->batch->records > 1)
        json_object_set_new(object, "records_per_user", json_integer((json_int_t) p->batch->records));
    if (p->randomiser->name != NULL)
        json_object_set_new(object, "name", json_string(p->randomiser->name));
    return object;
}
