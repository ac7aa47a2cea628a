/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/noise_part.h"

#include <string.h>

#include "account/batch_part.h"
#include "account/vocabulary.h"
#include "account/members.h"
#include "noise/lattice.h"
#include "noise/unit_change.h"

/* Of sample-and-threshold: the least probability is one over the first, the largest threshold the second: sizes that are refused beyond. */
#define MOST_ONE_IN 1000000
#define MOST_THRESHOLD 1000000000

/* Coins of releases that a sampler draws records for, whose rows are looked at: a size that is refused beyond. */
#define MOST_COINS 100000000

/* Sensitivity over scale may be from 1 over this to this: a size that is refused beyond. */
#define MOST_RATIO 1000000000

/* The norm of a change of whole numbers, whose square is a count: a size that is refused beyond. */
#define MOST_NORM 1000000000

/* Sizes of tables, for messages. */
#define TABLE_SIZES "1e8, or a sensitivity above 1e5"

static int is_type(const json_t *mechanism, const char *name)
{
    const char *type = json_string_value(json_object_get(mechanism, "type"));
    return type != NULL && strcmp(type, name) == 0;
}

int noise_part_is(const json_t *mechanism)
{
    return is_type(mechanism, NOISE_TYPE) || is_type(mechanism, COINS_TYPE) || is_type(mechanism, SAMPLE_TYPE);
}

const char *noise_part_type(const shuf_part_struct *p)
{
    return p->noise->kind == SHUF_NOISE_BINOMIAL ? COINS_TYPE : p->noise->kind == SHUF_NOISE_SAMPLE ? SAMPLE_TYPE : NOISE_TYPE;
}

int noise_part_has_threshold(const shuf_part_struct *p)
{
    return !fmpq_is_zero(p->noise->threshold);
}

/* Whether a release is of a sample. */
static int is_sampled(const shuf_part_struct *p)
{
    return !fmpq_is_one(p->rate);
}

int noise_part_is_allocated(const shuf_part_struct *p)
{
    return p->subject == SHUF_SUBJECT_NOISE && p->batch->sampler != SHUF_BATCH_FIXED;
}

int noise_part_is_of_pair(const shuf_part_struct *p)
{
    return p->noise->kind == SHUF_NOISE_BINOMIAL && p->noise->shares == 1 && fmpq_is_one(p->noise->sensitivity) && !is_sampled(p) && !noise_part_is_allocated(p);
}

void noise_part_set_scale(shuf_noise_struct *x, const fmpq_t scale)
{
    fmpq_t loss;
    if (shuf_noise_has_variance(x->kind))
    {
        fmpq_mul(x->variance, scale, scale);
        return;
    }
    fmpq_init(loss);
    fmpq_div(loss, x->sensitivity, scale);
    shuf_real_set_fmpq(x->loss, loss);
    fmpq_clear(loss);
}

/* The masses of these kinds are in a table. */
static int is_in_table(const shuf_noise_struct *x)
{
    return x->kind == SHUF_NOISE_DISCRETE_GAUSSIAN || x->kind == SHUF_NOISE_SKELLAM;
}

/* From this variance on several releases of one number, of which losses are added up, are compared with Gaussian noise, too, which is quicker, and to 7 digits the same. Steers only. */
#define LARGE_VARIANCE 1000000

/* Rows of the masses of the sum of all honest shares of discrete Gaussian noise, or shares: sizes that are not computed beyond. */
#define MOST_ROWS 20000

int noise_part_has_law(const shuf_part_struct *p)
{
    const shuf_noise_struct *x = p->noise;
    shuf_noise_t sum;
    int result;
    if (!is_in_table(x))
        return 1;
    shuf_noise_init(sum);
    shuf_noise_set_honest(sum, x);
    result = fmpq_cmp_ui(sum->variance, SHUF_NOISE_MAX_VARIANCE) <= 0 && fmpq_cmp_ui(sum->sensitivity, SHUF_NOISE_MAX_SHIFT) <= 0
             && (x->shares == 1 || x->kind != SHUF_NOISE_DISCRETE_GAUSSIAN || lattice_share_rows(sum) <= MOST_ROWS);
    shuf_noise_clear(sum);
    return result;
}

int noise_part_make_gaussian(shuf_noise_struct *sum, const shuf_part_struct *p)
{
    shuf_noise_set_honest(sum, p->noise);
    return noise_make_gaussian(sum, p->by_divergence && !is_sampled(p));
}

int noise_part_has_gaussian(const shuf_part_struct *p)
{
    shuf_noise_t sum;
    int result;
    if (!is_in_table(p->noise) || noise_part_has_threshold(p) || noise_part_is_allocated(p))
        return 0;
    shuf_noise_init(sum);
    result = noise_part_make_gaussian(sum, p);
    shuf_noise_clear(sum);
    return result;
}

int noise_part_is_compared(const shuf_part_struct *p)
{
    if (!is_in_table(p->noise))
        return 0;
    return p->noise->dimension > 1 || !noise_part_has_law(p)
           || ((p->rounds > 1 || p->is_one_of_many) && !p->by_divergence && fmpq_cmp_ui(p->noise->variance, LARGE_VARIANCE) > 0 && noise_part_has_gaussian(p));
}

int noise_part_is_possible(const shuf_part_struct *p)
{
    return !noise_part_is_compared(p) || noise_part_has_gaussian(p);
}

void noise_part_set_sensitivity(shuf_noise_struct *x, const fmpq_t sensitivity)
{
    const int has_loss = x->kind == SHUF_NOISE_LAPLACE || x->kind == SHUF_NOISE_DISCRETE_LAPLACE;
    fmpq_t scale;
    fmpq_init(scale);
    if (has_loss)
        fmpq_div(scale, x->sensitivity, x->loss->q);
    fmpq_set(x->sensitivity, sensitivity);
    if (is_in_table(x))
        fmpz_mul(x->square, fmpq_numref(sensitivity), fmpq_numref(sensitivity));
    if (has_loss)
        noise_part_set_scale(x, scale);
    fmpq_clear(scale);
}

uint64_t noise_part_most_sensitivity(const shuf_noise_struct *x)
{
    return is_in_table(x) ? MOST_NORM : SHUF_MAX_USERS;
}

/* One more coin against none: of coins + 1 reports of a fair bit one is surely a one, or surely a zero. */
void noise_part_set_coins(shuf_part_struct *p, uint64_t coins)
{
    fmpq_t zero, half;
    fmpq_init(zero); fmpq_init(half);
    fmpq_set_si(half, 1, 2);
    p->noise->coins = coins;
    shuf_pair_set_trinomial(p->pair, coins + 1, shuf_one, zero, half, half);
    fmpq_clear(zero); fmpq_clear(half);
}

/* ---- one number ---- */

/* out := a rational member above 0. */
static int read_positive(fmpq_t out, const json_t *object, const char *key, const reader *r)
{
    char text[96];
    shuf_real_t x;
    int result;
    shuf_real_init(x);
    result = member_real(x, object, key, r);
    if (result == 0 && (x->is_log || shuf_real_sgn(x) <= 0))
        result = reader_fail(r, "\"%s\" is %s: a rational number above 0 is allowed", key, member_shown(text, object, key));
    if (result == 0)
        fmpq_set(out, x->q);
    shuf_real_clear(x);
    return result;
}

/* The L2 norm of a vector of whole numbers: a whole number, or the square root of one. */
static int read_norm(shuf_noise_t x, const json_t *object, const reader *r)
{
    const json_t *member = json_object_get(object, "sensitivity");
    const char *given = json_is_string(member) ? json_string_value(member) : "";
    const size_t size = strlen(given);
    char text[96], square_text[64];
    uint64_t square = 0;
    if (strncmp(given, "sqrt(", 5) == 0 && given[size - 1] == ')' && size - 6 < sizeof(square_text))
    {
        memcpy(square_text, given + 5, size - 6);
        square_text[size - 6] = '\0';
        if (shuf_users_set_str(&square, square_text) != 0)
            square = 0;
    }
    else if (json_is_integer(member) ? json_integer_value(member) > 0 && (square = (uint64_t) json_integer_value(member)) <= MOST_NORM
                                     : shuf_users_set_str(&square, given) == 0 && square <= MOST_NORM)
    {
        square *= square;
    }
    else
    {
        square = 0;
    }
    if (square == 0)
        return reader_fail(r, "\"sensitivity\" is %s: of a vector of whole numbers it is a whole number up to 1e9, or the square root of one up to 1e18, like sqrt(2)",
                           member_shown(text, object, "sensitivity"));
    fmpz_set_ui(x->square, square);
    fmpz_sqrt(fmpq_numref(x->sensitivity), x->square);
    return 0;
}

/* The sensitivity, 1 if it is not there. */
static int read_sensitivity(shuf_noise_t x, const json_t *object, const shuf_question_struct *q, const reader *r)
{
    uint64_t whole = 1;
    if (!reader_has(object, "sensitivity"))
        return 0;
    if (q->quantity == SHUF_QUANTITY_SENSITIVITY)
        return reader_fail(r, "\"sensitivity\" is what the question asks for: leave it out");
    if (!shuf_noise_is_whole(x->kind))
        return read_positive(x->sensitivity, object, "sensitivity", r);
    if (x->dimension > 1 && is_in_table(x))
        return read_norm(x, object, r);
    if (member_count(&whole, object, "sensitivity", 1, is_in_table(x) ? MOST_NORM : SHUF_MAX_USERS, r) != 0)
        return -1;
    fmpz_set_ui(fmpq_numref(x->sensitivity), whole);
    fmpz_mul(x->square, fmpq_numref(x->sensitivity), fmpq_numref(x->sensitivity));
    return 0;
}

/* Whether sensitivity/scale is in its range; square: of their squares. */
static int is_in_range(const fmpq_t ratio, int square)
{
    fmpq_t most, inverse;
    int result;
    fmpq_init(most);
    fmpq_init(inverse);
    fmpq_set_si(most, MOST_RATIO, 1);
    if (square)
        fmpq_mul(most, most, most);
    fmpq_inv(inverse, most);
    result = fmpq_cmp(ratio, most) <= 0 && fmpq_cmp(ratio, inverse) >= 0;
    fmpq_clear(most);
    fmpq_clear(inverse);
    return result;
}

/* Staircase noise: the largest loss of a release, and the part of a step that is high. */
static int read_staircase(shuf_noise_t x, json_t *object, const reader *r)
{
    char name[NAMES_SIZE];
    if (reader_has_any(name, object, "scale variance threshold shares honest dimension"))
        return reader_fail(r, "\"%s\" does not go with staircase noise, which has \"eps0\" and \"gamma\": no theorem here has it", name);
    if (!reader_has(object, "eps0") || !reader_has(object, "gamma"))
        return reader_fail(r, "\"eps0\" and \"gamma\" are needed with staircase noise");
    if (member_between(x->loss, object, "eps0", 0, MOST_RATIO, r) != 0 || member_rational(x->gamma, object, "gamma", r) != 0)
        return -1;
    if (shuf_real_sgn(x->loss) == 0 || fmpq_is_zero(x->gamma))
        return reader_fail(r, "\"%s\" is 0: more than 0 is allowed", fmpq_is_zero(x->gamma) ? "gamma" : "eps0");
    return 0;
}

/* ratio := the square of the sensitivity over the variance, or the loss of Laplace noise. */
static void set_ratio(fmpq_t ratio, const shuf_noise_t x)
{
    if (!shuf_noise_has_variance(x->kind))
    {
        fmpq_set(ratio, x->loss->q);
        return;
    }
    if (is_in_table(x))
        fmpq_set_fmpz(ratio, x->square);
    else
        fmpq_mul(ratio, x->sensitivity, x->sensitivity);
    fmpq_div(ratio, ratio, x->variance);
}

/* Scale, variance or eps0 of a release, whichever is there; of a search for the sensitivity, that of 1 stands in for it. */
static int read_size(shuf_noise_t x, json_t *object, const shuf_question_struct *q, const reader *r)
{
    const int is_asked = q->quantity == SHUF_QUANTITY_SENSITIVITY;
    const int has_variance = shuf_noise_has_variance(x->kind);
    const char *const other = has_variance ? "variance" : "eps0";
    const char *const key = reader_has(object, "scale") ? "scale" : other;
    char text[96];
    fmpq_t given, ratio;
    int result, in_range;
    if (reader_has(object, "scale") == reader_has(object, other) || reader_has(object, has_variance ? "eps0" : "variance"))
        return reader_fail(r, "either \"scale\" or \"%s\" is needed with %s noise", other, shuf_noise_names[x->kind]);
    if (strcmp(key, "eps0") == 0 && is_asked)
        return reader_fail(r, "\"eps0\" does not go with a search for the sensitivity, which it has in it: \"scale\" does");
    if (strcmp(key, "eps0") == 0)
    {
        if (member_between(x->loss, object, "eps0", 0, MOST_RATIO, r) != 0)
            return -1;
        return shuf_real_sgn(x->loss) > 0 ? 0 : reader_fail(r, "\"eps0\" is 0: more than 0 is allowed");
    }
    fmpq_init(given);
    fmpq_init(ratio);
    result = read_positive(given, object, key, r);
    if (result == 0 && strcmp(key, "scale") == 0)
        noise_part_set_scale(x, given);
    else if (result == 0)
        fmpq_set(x->variance, given);
    if (result == 0)
        set_ratio(ratio, x);
    /* a sensitivity that is searched for is of the size of the scale, but for whole numbers at least 1 */
    in_range = result != 0 || (is_asked && !shuf_noise_is_whole(x->kind)) || is_in_range(ratio, has_variance);
    fmpq_clear(given);
    fmpq_clear(ratio);
    if (!in_range)
        return reader_fail(r, "\"%s\" is %s: the sensitivity over the scale may be from 1e-9 to 1e9", key, member_shown(text, object, key));
    return result;
}

/* Whether there is a theorem for honest shares of that noise. */
static int check_shares(const shuf_noise_t x, const reader *r)
{
    if (x->kind == SHUF_NOISE_BINOMIAL && x->coins % x->shares != 0)
        return reader_fail(r, "\"shares\" does not divide \"coins\"");
    if (!shuf_noise_has_variance(x->kind) && x->honest < x->shares)
        return reader_fail(r, "\"honest\" is less than \"shares\": there is no theorem for a part of %s noise, which is not log-concave", shuf_noise_names[x->kind]);
    return 0;
}

/* Shares of the users, of whom some are honest. */
static int read_shares(shuf_noise_t x, json_t *object, const reader *r)
{
    if (!reader_has(object, "shares"))
        return reader_has(object, "honest") ? reader_fail(r, "\"honest\" goes with \"shares\"") : 0;
    if (member_count(&x->shares, object, "shares", 1, SHUF_MAX_USERS, r) != 0)
        return -1;
    x->honest = x->shares;
    if (reader_has(object, "honest") && member_count(&x->honest, object, "honest", 1, x->shares, r) != 0)
        return -1;
    return check_shares(x, r);
}

/* In how many of the releases of an epoch a record takes part. */
static int read_allocation(shuf_part_struct *p, const json_t *object, const shuf_question_struct *q, const reader *r)
{
    static const shuf_batch_sampler samplers[] = { SHUF_BATCH_BALLS_AND_BINS, SHUF_BATCH_ALLOCATION };
    const char *const names[] = { shuf_batch_about(samplers[0])->name, shuf_batch_about(samplers[1])->name };
    char name[NAMES_SIZE];
    int which = 0;
    if (!reader_has(object, "sampler"))
        return reader_has_any(name, object, "steps sampling_rate") ? reader_fail(r, "\"%s\" goes with \"sampler\"; the sample of releases has a \"rate\"", name) : 0;
    if (member_choice(&which, object, "sampler", names, 2, r) != 0)
        return -1;
    if (p->noise->kind == SHUF_NOISE_GAUSSIAN || noise_part_has_threshold(p))
        return reader_fail(r, p->noise->kind == SHUF_NOISE_GAUSSIAN ? "\"sampler\" does not go with gaussian noise here: the mechanism " BATCH_TYPE " has it"
                                                                    : "\"sampler\" does not go with a threshold: there is no theorem for both");
    if (q->quantity == SHUF_QUANTITY_COINS || (q->quantity == SHUF_QUANTITY_SENSITIVITY && p->noise->kind == SHUF_NOISE_BINOMIAL))
        return reader_fail(r, "\"sampler\" does not go with a search for coins, or for their sensitivity");
    if (p->noise->kind == SHUF_NOISE_BINOMIAL && (p->noise->coins > MOST_COINS || fmpq_cmp_ui(p->noise->sensitivity, SHUF_NOISE_MAX_SHIFT) > 0))
        return reader_fail(r, "\"coins\": up to %d, and a sensitivity up to %d, are allowed with \"sampler\"", MOST_COINS, SHUF_NOISE_MAX_SHIFT);
    p->batch->sampler = samplers[which];
    return batch_part_read_steps(p->batch, object, r);
}

/* ---- mechanisms ---- */

static int read_coins(shuf_part_struct *p, json_t *object, const shuf_question_struct *q, const reader *r)
{
    const int is_asked = q->quantity == SHUF_QUANTITY_COINS;
    uint64_t coins = 1;
    p->noise->kind = SHUF_NOISE_BINOMIAL;
    if (vocabulary_check_mechanism(object, COINS_TYPE, r) != 0 || read_sensitivity(p->noise, object, q, r) != 0)
        return -1;
    if (is_asked && reader_has(object, "coins"))
        return reader_fail(r, "\"coins\" is what the question asks for: leave it out");
    if (is_asked && reader_has(object, "shares"))
        return reader_fail(r, "\"shares\" does not go with a search for coins");
    if (!is_asked && member_count(&coins, object, "coins", 1, SHUF_MAX_USERS - 1, r) != 0)
        return -1;
    noise_part_set_coins(p, coins);
    return read_shares(p->noise, object, r);
}

/* What is less is dropped; a whole number where the counts are. */
static int read_threshold(shuf_noise_t x, const json_t *object, const reader *r)
{
    uint64_t whole;
    if (!reader_has(object, "threshold"))
        return x->kind == SHUF_NOISE_SAMPLE ? reader_fail(r, "\"threshold\" is missing") : 0;
    if (!shuf_noise_is_whole(x->kind))
        return read_positive(x->threshold, object, "threshold", r);
    if (member_count(&whole, object, "threshold", 1, MOST_THRESHOLD, r) != 0)
        return -1;
    fmpz_set_ui(fmpq_numref(x->threshold), whole);
    return 0;
}

/* Reports that are kept with a probability, which are dropped where they are few. */
static int read_kept(shuf_part_struct *p, json_t *object, const reader *r)
{
    char text[96];
    fmpq_t least;
    int result;
    p->noise->kind = SHUF_NOISE_SAMPLE;
    if (vocabulary_check_mechanism(object, SAMPLE_TYPE, r) != 0 || read_threshold(p->noise, object, r) != 0)
        return -1;
    if (!reader_has(object, "sampling_rate"))
        return reader_fail(r, "\"sampling_rate\" is missing");
    if (member_rational(p->noise->kept, object, "sampling_rate", r) != 0)
        return -1;
    fmpq_init(least);
    fmpq_set_si(least, 1, MOST_ONE_IN);
    result = fmpq_cmp(p->noise->kept, least) >= 0 && !fmpq_is_one(p->noise->kept);
    fmpq_clear(least);
    return result ? 0 : reader_fail(r, "\"sampling_rate\" is %s: from 1e-6, and below 1, is allowed with %s", member_shown(text, object, "sampling_rate"), SAMPLE_TYPE);
}

static int read_noise(shuf_part_struct *p, json_t *object, const shuf_question_struct *q, const reader *r)
{
    int kind = -1;
    if (vocabulary_check_mechanism(object, NOISE_TYPE, r) != 0)
        return -1;
    if (!reader_has(object, "noise"))
        return reader_fail(r, "\"noise\" is missing");
    if (member_choice(&kind, object, "noise", shuf_noise_names, SHUF_NOISE_KINDS, r) != 0)
        return -1;
    p->noise->kind = (shuf_noise_kind) kind;
    if (kind != SHUF_NOISE_STAIRCASE && reader_has(object, "gamma"))
        return reader_fail(r, "\"gamma\" goes with staircase noise");
    if (reader_has(object, "dimension") && member_count(&p->noise->dimension, object, "dimension", 1, SHUF_MAX_USERS, r) != 0)
        return -1;
    if (read_sensitivity(p->noise, object, q, r) != 0 || read_threshold(p->noise, object, r) != 0)
        return -1;
    if (kind == SHUF_NOISE_STAIRCASE)
        return read_staircase(p->noise, object, r);
    if (q->quantity != SHUF_QUANTITY_SCALE)
        return read_size(p->noise, object, q, r) != 0 ? -1 : read_shares(p->noise, object, r);
    if (reader_has(object, "scale") || reader_has(object, "variance") || reader_has(object, "eps0"))
        return reader_fail(r, "\"scale\" is what the question asks for: leave it out, and \"variance\" and \"eps0\"");
    fmpq_one(p->noise->variance);
    return read_shares(p->noise, object, r);
}

/* What goes with noise on whole numbers that Gaussian noise bounds: of a vector, or beyond the tables. */
static int check_compared(const shuf_part_struct *p, const shuf_question_struct *q, const reader *r)
{
    const char *const why = p->noise->dimension > 1 ? "\"dimension\" above 1" : "a variance above " TABLE_SIZES;
    if (p->noise->dimension > 1 && noise_part_has_threshold(p))
        return reader_fail(r, "\"dimension\" does not go with \"threshold\", of which each value has a count of its own");
    if (!noise_part_is_compared(p) || q->quantity == SHUF_QUANTITY_SCALE)
        return 0;
    if (noise_part_has_threshold(p) || noise_part_is_allocated(p))
        return reader_fail(r, "\"%s\" does not go with %s, of %s noise", noise_part_has_threshold(p) ? "threshold" : "sampler", why, shuf_noise_names[p->noise->kind]);
    return noise_part_is_possible(p) ? 0 : reader_fail(r, "%s needs a variance above 1/3 of discrete-gaussian noise, and of each share about 1/4 or more", why);
}

int noise_part_read(shuf_part_struct *p, json_t *mechanism, const shuf_question_struct *q, const reader *r)
{
    p->subject = SHUF_SUBJECT_NOISE;
    if (reader_has(mechanism, "name") && reader_text(&p->randomiser->name, mechanism, "name", r) != 0)
        return -1;
    if (is_type(mechanism, SAMPLE_TYPE))
        return read_kept(p, mechanism, r);
    if ((is_type(mechanism, COINS_TYPE) ? read_coins : read_noise)(p, mechanism, q, r) != 0 || read_allocation(p, mechanism, q, r) != 0)
        return -1;
    return check_compared(p, q, r);
}

/* ---- parts ---- */

/* The records that a release takes: with poisson neighbours remove one, with fixed they replace one. */
static int read_sample(shuf_part_struct *p, json_t *part, const reader *r)
{
    json_t *sample = json_object_get(part, "sample");
    const reader inside = reader_inside(r, "sample", NO_PLACE);
    char text[96];
    int scheme = -1;
    if (!reader_has(part, "sample"))
        return 0;
    if (!json_is_object(sample))
        return reader_fail(r, "\"sample\" must be an object with \"scheme\" and \"rate\"");
    if (vocabulary_check(sample, OBJECT_SAMPLE, &inside) != 0 || member_rational(p->rate, sample, "rate", r) != 0)
        return -1;
    if (!reader_has(sample, "scheme"))
        return reader_fail(r, "\"scheme\" is missing");
    if (member_choice(&scheme, sample, "scheme", question_schemes, 2, r) != 0)
        return -1;
    if (fmpq_is_zero(p->rate))
        return reader_fail(r, "\"rate\" is %s: more than 0 and at most 1 is allowed", member_shown(text, sample, "rate"));
    p->is_poisson = is_sampled(p) && scheme == 1;
    return 0;
}

/* The neighbours, by their number in the list or -1 if nothing is said of them, and what goes with them. */
static int set_neighbours(shuf_part_struct *p, int neighbours, const reader *r)
{
    if (is_sampled(p) && neighbours >= 0 && neighbours != p->is_poisson)
        return reader_fail(r, "\"neighbours\" is \"%s\": there is a theorem for replace with a fixed sample, for remove with a poisson one",
                           question_neighbours[neighbours]);
    if (noise_part_is_allocated(p) && (is_sampled(p) || neighbours == 0))
        return reader_fail(r, is_sampled(p) ? "\"sample\" does not go with \"sampler\"" : "\"neighbours\" is \"replace\": with this sampler there is a theorem for remove alone");
    p->removes = is_sampled(p) ? p->is_poisson : noise_part_is_allocated(p) ? 1 : neighbours;
    if (noise_part_has_threshold(p))
        p->removes = neighbours != 0;
    if (is_sampled(p) && noise_part_has_threshold(p))
        return reader_fail(r, "\"sample\" does not go with a threshold: there is no theorem for both, but for the mechanism %s", SAMPLE_TYPE);
    return 0;
}

int noise_part_read_rounds(shuf_part_struct *p, json_t *part, const shuf_question_struct *q, const reader *r)
{
    int neighbours = -1;
    if (member_barred(part, "users honest reports_per_user release", noise_part_type(p), r) != 0
        || read_sample(p, part, r) != 0 || member_choice(&neighbours, part, "neighbours", question_neighbours, 2, r) != 0
        || set_neighbours(p, neighbours, r) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_ROUNDS && reader_has(part, "rounds"))
        return reader_fail(r, "\"rounds\" is what the question asks for: leave it out");
    p->by_divergence = q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP;
    if (reader_has(part, "rounds") && member_count(&p->rounds, part, "rounds", 1, SHUF_MAX_ROUNDS, r) != 0)
        return -1;
    return p->rounds > SHUF_MAX_ROUNDS / p->batch->steps ? reader_fail(r, "\"rounds\" makes more than 1e9 steps") : 0;
}

/* ---- and back ---- */

/* Of a vector of whole numbers its square root may be no whole number. */
static void put_sensitivity(json_t *object, const shuf_noise_struct *x)
{
    char *square;
    if (!is_in_table(x) || fmpz_is_square(x->square))
    {
        json_object_set_new(object, "sensitivity", rational_json(x->sensitivity));
        return;
    }
    square = fmpz_get_str(NULL, 10, x->square);
    json_object_set_new(object, "sensitivity", json_sprintf("sqrt(%s)", square));
    flint_free(square);
}

/* The scale, if it is a rational number. */
static void put_size(json_t *object, const shuf_noise_struct *x)
{
    const int has_variance = shuf_noise_has_variance(x->kind);
    fmpq_t scale;
    fmpq_init(scale);
    if (has_variance && fmpz_is_square(fmpq_numref(x->variance)) && fmpz_is_square(fmpq_denref(x->variance)))
    {
        fmpz_sqrt(fmpq_numref(scale), fmpq_numref(x->variance));
        fmpz_sqrt(fmpq_denref(scale), fmpq_denref(x->variance));
    }
    else if (!has_variance && !x->loss->is_log && x->kind != SHUF_NOISE_STAIRCASE)
    {
        fmpq_div(scale, x->sensitivity, x->loss->q);
    }
    if (!fmpq_is_zero(scale))
        json_object_set_new(object, "scale", rational_json(scale));
    else if (has_variance)
        json_object_set_new(object, "variance", rational_json(x->variance));
    else
        json_object_set_new(object, "eps0", json_string(x->loss->text));
    if (x->kind == SHUF_NOISE_STAIRCASE)
        json_object_set_new(object, "gamma", rational_json(x->gamma));
    fmpq_clear(scale);
}

static json_t *noise_json(const shuf_part_struct *p, const shuf_question_struct *q)
{
    const shuf_noise_struct *x = p->noise;
    json_t *object = json_object();
    if (x->kind == SHUF_NOISE_BINOMIAL)
    {
        json_object_set_new(object, "type", json_string(COINS_TYPE));
        if (q->quantity != SHUF_QUANTITY_COINS)
            json_object_set_new(object, "coins", json_integer((json_int_t) x->coins));
    }
    else if (x->kind == SHUF_NOISE_SAMPLE)
    {
        json_object_set_new(object, "type", json_string(SAMPLE_TYPE));
        json_object_set_new(object, "sampling_rate", rational_json(x->kept));
    }
    else
    {
        json_object_set_new(object, "type", json_string(NOISE_TYPE));
        json_object_set_new(object, "noise", json_string(shuf_noise_names[x->kind]));
        if (q->quantity != SHUF_QUANTITY_SCALE)
            put_size(object, x);
    }
    if (q->quantity != SHUF_QUANTITY_SENSITIVITY && (x->kind < SHUF_NOISE_KINDS || !fmpq_is_one(x->sensitivity)))
        put_sensitivity(object, x);
    if (x->dimension > 1)
        json_object_set_new(object, "dimension", json_integer((json_int_t) x->dimension));
    if (x->shares > 1)
    {
        json_object_set_new(object, "shares", json_integer((json_int_t) x->shares));
        json_object_set_new(object, "honest", json_integer((json_int_t) x->honest));
    }
    if (noise_part_has_threshold(p))
        json_object_set_new(object, "threshold", rational_json(x->threshold));
    if (noise_part_is_allocated(p))
    {
        json_object_set_new(object, "sampler", json_string(shuf_batch_about(p->batch->sampler)->name));
        batch_part_put_steps(object, p->batch);
    }
    if (p->randomiser->name != NULL)
        json_object_set_new(object, "name", json_string(p->randomiser->name));
    return object;
}

void noise_part_put(json_t *object, const shuf_part_struct *p, const shuf_question_struct *q)
{
    json_object_set_new(object, "mechanism", noise_json(p, q));
    if (p->removes >= 0)
        json_object_set_new(object, "neighbours", json_string(question_neighbours[p->removes]));
    if (is_sampled(p))
    {
        json_t *sample = json_pack("{s:s}", "scheme", question_schemes[p->is_poisson]);
        json_object_set_new(sample, "rate", rational_json(p->rate));
        json_object_set_new(object, "sample", sample);
    }
    if (q->quantity != SHUF_QUANTITY_ROUNDS)
        json_object_set_new(object, "rounds", json_integer((json_int_t) p->rounds));
}
