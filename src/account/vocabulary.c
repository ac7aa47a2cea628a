/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* vocabulary: mechanisms, members and quantities of a question; pairs, randomisers and samplers have their rows beside their laws */
#include "account/vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "account/batch_part.h"
#include "account/noise_part.h"
#include "account/groups_part.h"
#include "account/renyi_part.h"

/* ---- choices ---- */

const char *const question_vias[] = { "any", "pld", "renyi", "strong-composition" };
const char *const question_directions[] = { "both", "pq", "qp" };
const char *const question_texts[4] = { "id", "source", "quote", "note" };
const char *const question_neighbours[] = { "replace", "remove" };
const char *const question_releases[] = { "reports", "sum" };
const char *const question_locals[] = { "replace", "delete" };
const char *const question_schemes[] = { "fixed", "poisson" };
const char *const question_runs[QUESTION_RUNS] = { "geometric", "logarithmic", "poisson", "negative-binomial" };
static const char *const inputs[] = { "ends", "interval" };

/* ---- mechanisms ---- */

static const shuf_randomiser_family own[] = {
    { "ldp", "eps0 delta0? local?", "Any eps0-LDP randomiser that all users run, or one for each place after the shuffle; (eps0, delta0)-LDP for delta and epsilon" },
    { RENYI_TYPE, "order renyi", "Any randomisers whose Renyi divergence of one order is at most a number for all pairs of values; for delta and epsilon" },
    { "rr2", "eps0", "Binary randomised response: krr with k = 2" },
    { BATCH_TYPE, "sampler noise_multiplier steps|sampling_rate records_per_user? max_batch_size? dataset_size? strategy? bands? every? separation? times?", "Noisy SGD by how its batches are drawn: each step releases the sum of the clipped gradients of a batch plus "
                  "normal noise; rounds are epochs, and there are no users" },
    { NOISE_TYPE, "noise scale|variance|eps0 gamma? sensitivity? dimension? threshold? shares? honest? sampler? steps? sampling_rate?", "Noise that a curator adds to a number or vector that one record changes by at most the sensitivity; rounds are "
                  "releases, each with noise of its own, or with a sampler (balls-and-bins or random-allocation) epochs of so many steps, and there are no users" },
    { COINS_TYPE, "coins sensitivity? shares? honest? sampler? steps? sampling_rate?", "The heads of fair coins added to a count that one record changes by at most the sensitivity; rounds are releases, each with "
                  "coins of its own, or with a sampler (balls-and-bins or random-allocation) epochs of so many steps, and there are no users" },
    { SAMPLE_TYPE, "sampling_rate threshold", "A histogram of the users' values: each report is kept with a probability, in secret, and a value is released with its count if the "
                   "count is at least the threshold; rounds are releases, and there are no users" },
    { GROUPS_TYPE, "groups", "Groups of users in one shuffle, each with a mechanism of its own: krr, whose values are the same numbers in all groups, or ldp and others, whose outputs may be any: in "
                   "the worst case they tell the group; whoever differs, and there are no users but the groups'" },
};

#define OWN (sizeof(own) / sizeof(own[0]))

const shuf_randomiser_family *vocabulary_mechanism_at(size_t i)
{
    return i < OWN ? &own[i] : shuf_randomiser_about((shuf_randomiser_kind) (i - OWN));
}

/* ---- quantities ---- */

static const vocabulary_quantity quantities[SHUF_QUANTITIES] = {
    [SHUF_QUANTITY_DELTA] = { "delta", "eps", "The smallest delta with (eps, delta) differential privacy" },
    [SHUF_QUANTITY_EPSILON] = { "epsilon", "delta", "The smallest eps with (eps, delta) differential privacy" },
    [SHUF_QUANTITY_RENYI] = { "renyi", "order", "The Renyi divergence of that order" },
    [SHUF_QUANTITY_TRADEOFF] = { "tradeoff", "type1", "The smallest type II error of a test with that type I error" },
    [SHUF_QUANTITY_GDP] = { "gdp", "eps?", "The smallest mu whose Gaussian curve is above delta(eps) for every eps of a range, which only a form may do without" },
    [SHUF_QUANTITY_ZCDP] = { "zcdp", "", "The smallest rho of zero-concentrated differential privacy: each Renyi divergence is at most rho times its order" },
    [SHUF_QUANTITY_USERS] = { "users", "eps delta", "A number of users that is certified; of mechanisms the smallest by the bound of their class" },
    [SHUF_QUANTITY_EPS0] = { "eps0", "eps delta", "The largest eps0 that is certified" },
    [SHUF_QUANTITY_SCALE] = { "scale", "eps delta", "The smallest scale of noise that is certified" },
    [SHUF_QUANTITY_NOISE_MULTIPLIER] = { "noise_multiplier", "eps delta", "The smallest noise multiplier of noisy SGD that is certified" },
    [SHUF_QUANTITY_EPOCHS] = { "epochs", "eps delta", "The most epochs of noisy SGD that are certified" },
    [SHUF_QUANTITY_ROUNDS] = { "rounds", "eps delta", "The most releases with noise that are certified" },
    [SHUF_QUANTITY_COINS] = { "coins", "eps delta", "The fewest coins of binomial noise that are certified" },
    [SHUF_QUANTITY_SENSITIVITY] = { "sensitivity", "eps delta", "The largest sensitivity of a release with noise that is certified" },
};

const vocabulary_quantity *vocabulary_quantity_about(shuf_quantity quantity)
{
    return &quantities[quantity];
}

/* ---- members ---- */

const char *const vocabulary_objects[VOCABULARY_OBJECTS] = { "question", "round", "users", "sample", "group", "mechanism", "pair", "form", "selection", "ask", "claim" };

#define IN_QUESTION (1u << OBJECT_QUESTION)
#define IN_PART (IN_QUESTION | 1u << OBJECT_ROUND)
#define IN_MECHANISM (1u << OBJECT_MECHANISM)
#define IN_PAIR (1u << OBJECT_PAIR)
#define IN_FORM (1u << OBJECT_FORM)
#define IN_SELECTION (1u << OBJECT_SELECTION)
#define IN_ASK (1u << OBJECT_ASK)
#define IN_CLAIM (1u << OBJECT_CLAIM)
#define CHOICES(names) NULL, names, sizeof(names) / sizeof((names)[0])

static const vocabulary_member members[] = {
    { IN_PART, "id", "text", NULL, 0, NULL, NULL, "A name, which messages and the answer repeat" },
    { IN_PART, "source", "text", NULL, 0, NULL, NULL, "Where a claim was found" },
    { IN_PART, "quote", "text", NULL, 0, NULL, NULL, "What it says there" },
    { IN_PART, "note", "text", NULL, 0, NULL, NULL, "Anything else" },
    { IN_PART, "mechanism", "mechanism", NULL, 0, NULL, NULL, "What each user runs" },
    { IN_PART, "pair", "pair", NULL, 0, NULL, NULL, "In place of a mechanism, a pair of laws: the question is then about the pair, and the answer says what the pair bounds" },
    { IN_PART, "users", "users", NULL, 0, "1 to 1e18", NULL, "Number of all users; with a sample, those it is drawn from" },
    { IN_PART, "honest", "number", NULL, 0, "a number of users, or a part below 1", "all users", "Users who follow the protocol; the others may report anything that depends neither "
      "on honest reports of the same round nor on the value that differs" },
    { IN_PART, "reports_per_user", "count", NULL, 0, "1 to 1000", "1", "Reports of each user through one shuffler; neighbours replace all of them" },
    { IN_PART, "release", CHOICES(question_releases), NULL, "reports", "What is seen: all reports, shuffled, or only the sum of the vectors (rappor, unary-encoding and oue)" },
    { IN_PART, "neighbours", CHOICES(question_neighbours), NULL, "replace; remove of noisy-sgd, but with the sampler without-replacement; of releases either", "One user's value is replaced by another; of noisy-sgd, one record's gradient is 0 in every step (remove, and the same data in the other order: add), or any other (replace)" },
    { IN_PART, "sample", "sample", NULL, 0, NULL, "all users", "The users who take part in a round, drawn anew for each" },
    { IN_PART, "rounds", "rounds", NULL, 0, "1 to 1e9, or up to 100000 objects", "1", "Rounds over the same users, composed adaptively; or an array of objects, each with members from id to rounds that override the question's" },
    { IN_QUESTION, "ask", "ask", NULL, 0, NULL, NULL, "What is asked: a quantity and its point" },
    { IN_QUESTION, "claim", "claim", NULL, 0, NULL, NULL, "In place of ask, a statement to be judged: eps and delta; order and renyi; rho; or mu and a range of eps" },
    { IN_QUESTION, "form", "form", NULL, 0, NULL, NULL, "A closed form of a paper, for ldp and some for krr, in place of the best bound" },
    { IN_QUESTION, "selection", "selection", NULL, 0, NULL, "one run, all of which is released", "Everything is run a random number of times, and only the run that did best, by what it released, is told" },
    { IN_SELECTION, "mean", "number", NULL, 0, "1 to 1e9; of poisson more than 0", NULL, "Number of runs in the mean" },
    { IN_SELECTION, "runs", CHOICES(question_runs), NULL, "geometric", "How their number is drawn: geometric (after each run it is the last one with probability 1/mean), logarithmic, poisson, which may be none, or negative-binomial, given that there is one" },
    { IN_SELECTION, "shape", "number", NULL, 0, "-1/2 to 1000", NULL, "Of negative-binomial, which needs it: runs without success before so many successes; 1 is geometric, near 0 logarithmic" },
    { IN_QUESTION, "direction", CHOICES(question_directions), NULL, "both", "Of a pair: the divergence of P from Q, of Q from P, or the larger one" },
    { IN_QUESTION, "via", NULL, question_vias + 1, 3, NULL, "all that apply", "How rounds are composed: by laws of the privacy loss, Renyi divergences, or (eps, delta)" },
    { IN_QUESTION, "fast", "flag", NULL, 0, NULL, "false", "Compute in double precision, with proved error bounds, to 9 digits at most" },
    { IN_QUESTION, "digits", "digits", NULL, 0, "1 to 1000", NULL, "Significant digits that the interval aims at" },
    { IN_QUESTION, "effort", "effort", NULL, 0, "normal, high, or units from 1e6 to 1e15", "normal", "Work that may be spent, counted the same on every machine: a unit is about a nanosecond" },
    { IN_QUESTION, "max_seconds", "number", NULL, 0, "more than 0, up to 1e9", "no limit", "Time after which the best interval so far is the answer, which then says \"complete\": false" },

    { 1u << OBJECT_USERS, "at_least", "count", NULL, 0, "1 to 1e18", NULL, "So many users or more: from above the bound of the fewest, from below theirs" },
    { 1u << OBJECT_GROUP, "mechanism", "mechanism", NULL, 0, NULL, NULL, "What each user of the group runs: krr, or another with a finite local eps0 of at most 300" },
    { 1u << OBJECT_GROUP, "users", "count", NULL, 0, "1 to 1e18", NULL, "Number of users of the group" },

    { 1u << OBJECT_SAMPLE, "scheme", CHOICES(question_schemes), NULL, NULL, "A uniform subset of that part of the users, or each user independently with that probability; how many took part is seen" },
    { 1u << OBJECT_SAMPLE, "rate", "number", NULL, 0, "more than 0, up to 1", NULL, "The part of the users, or the probability" },

    { IN_MECHANISM | IN_PAIR, "type", "type", NULL, 0, NULL, NULL, "Which mechanism, or which pair" },
    { IN_MECHANISM, "name", "text", NULL, 0, NULL, NULL, "What it is called" },
    { IN_MECHANISM | IN_PAIR, "k", "count", NULL, 0, "2 to 1e9", "of rappor, unary-encoding and oue: any number", "Number of values that a user may hold" },
    { IN_MECHANISM, "g", "count", NULL, 0, "2 to 1e9", NULL, "Number of values of the hash function" },
    { IN_MECHANISM, "size", "count", NULL, 0, "1 to k - 1", NULL, "Number of values in a report" },
    { IN_MECHANISM | IN_PAIR, "eps0", "number", NULL, 0, "0 to 1e6", NULL, "Local privacy parameter of each report: for replacing a value, but of rappor for deleting it" },
    { IN_MECHANISM | IN_FORM, "delta0", "number", NULL, 0, "0 to 1", "0", "Local delta of each report" },
    { IN_MECHANISM, "order", "number", NULL, 0, "more than 1, up to 1e18", NULL, "Order of the Renyi divergence that is known of each report" },
    { IN_MECHANISM, "renyi", "number", NULL, 0, "0 to 1e6", NULL, "Renyi divergence of a report's laws for any two values, at most" },
    { IN_MECHANISM, "local", CHOICES(question_locals), NULL, "replace; delete of rappor", "What eps0 is about: R(x) <= e^eps0 R(x') for all values, or every R(x) within the factor e^eps0, both ways, of one law" },
    { IN_MECHANISM | IN_PAIR | IN_FORM, "gamma", "number", NULL, 0, "0 to 1", NULL, "Probability that a report is drawn uniformly, or a free parameter of a closed form; of staircase noise the part of each step that is high" },
    { IN_MECHANISM, "flip", "number", NULL, 0, "more than 0, below 1/2", NULL, "Probability that a bit is flipped, in place of eps0" },
    { IN_MECHANISM, "p", "number", NULL, 0, "q < p < 1", NULL, "Probability that the bit that is set is reported as a one" },
    { IN_MECHANISM, "q", "number", NULL, 0, "0 < q < p", NULL, "Probability that another bit is reported as a one" },
    { IN_MECHANISM, "scale", "number", NULL, 0, "at least 1e-6; of additive-noise 1e-9 to 1e9 times the sensitivity", NULL, "Scale of the noise; of gaussian, discrete-gaussian and skellam its standard deviation" },
    { IN_MECHANISM, "noise", NULL, shuf_noise_names, SHUF_NOISE_KINDS, NULL, NULL, "Which noise" },
    { IN_MECHANISM, "variance", "number", NULL, 0, "the square of a scale", NULL, "In place of the scale of gaussian, discrete-gaussian (s^2) and skellam noise (the two means together)" },
    { IN_MECHANISM, "inputs", CHOICES(inputs), NULL, "ends", "What a user may hold: 0 and 1 and nothing else, or every number between them too" },
    { IN_MECHANISM, "records_per_user", "count", NULL, 0, "1 to 1000", "1", "Records of each user; neighbours remove or replace all records of one user, and other users' stay" },
    { IN_MECHANISM, "max_batch_size", "count", NULL, 0, "1 to 1e18", "no batch is cut", "With poisson and dataset_size: of a larger batch so many records are kept, drawn at random" },
    { IN_MECHANISM, "dataset_size", "count", NULL, 0, "2 to 1e18", NULL, "With max_batch_size: the number of records, of the larger of two neighbours; with records_per_user and without-replacement: of all records" },
    { IN_MECHANISM, "strategy", "strategy", NULL, 0, "square-root, tree, up to 1e6 numbers, or up to 512 rows", "noise of its own in each step", "The matrix C of a matrix mechanism, whose noise is C^-1 z: its first column, if all others are "
      "that one moved down, or its rows up to the diagonal; square-root is the first column 1, 1/2, 3/8, ..; tree, binary tree aggregation: the sum over each interval of the tree has noise of its own; steps are then all of a run, and rounds are runs" },
    { IN_MECHANISM, "bands", "count", NULL, 0, "1 to steps", "all", "Of square-root so many numbers are kept" },
    { IN_MECHANISM, "every", "count", NULL, 0, "1 to 1e6", NULL, "With strategy: a record takes part every so many steps; with poisson, its part of the data has its turn then" },
    { IN_MECHANISM, "separation", "count", NULL, 0, "1 to 1e6", NULL, "In place of every: any two steps in which a record takes part are at least so far apart" },
    { IN_MECHANISM, "times", "count", NULL, 0, "1 to 1e6", "any number", "With every or separation: in how many steps a record takes part at most" },
    { IN_MECHANISM, "sampler", "sampler", NULL, 0, NULL, NULL, "How the data loader draws batches; of noise on releases balls-and-bins or random-allocation" },
    { IN_MECHANISM, "noise_multiplier", "number", NULL, 0, "1/1000 to 1e6", NULL, "Standard deviation of the noise on the sum of gradients, over the clipping norm" },
    { IN_MECHANISM, "steps", "count", NULL, 0, "1 to 1e9", "one over sampling_rate", "Steps of an epoch" },
    { IN_MECHANISM, "sampling_rate", "number", NULL, 0, "more than 0, up to 1", "one over steps", "Probability that a record is in a batch, or that a report is kept; poisson may have it beside steps, and random-allocation must: their product is "
      "in how many steps of an epoch a record takes part, a whole number" },
    { IN_MECHANISM, "coins", "count", NULL, 0, "1 to 1e18", NULL, "Number of fair coins" },
    { IN_MECHANISM, "sensitivity", "number", NULL, 0, "more than 0; of noise on whole numbers a whole number, of vectors also sqrt(2) and the like", "1", "By how much one record changes what is released, at most: "
      "the L2 norm with gaussian, discrete-gaussian and skellam noise, the L1 norm with laplace and discrete-laplace, else of one number" },
    { IN_MECHANISM, "dimension", "count", NULL, 0, "1 to 1e18", "1", "Numbers that a release is a vector of, each with noise of its own; of discrete-gaussian and skellam noise more than one is "
      "bounded by Gaussian noise" },
    { IN_MECHANISM, "shares", "count", NULL, 0, "1 to 1e18", "1", "Users who each add a share of the noise, all alike and independent; scale, variance "
      "and coins are of all shares together" },
    { IN_MECHANISM, "honest", "count", NULL, 0, "1 to shares", "shares", "Users who add their share; the others leave it out, or tell what it was" },
    { IN_MECHANISM, "threshold", "number", NULL, 0, "more than 0; of whole numbers a whole number, up to 1e9", "none, of additive-noise", "Values whose count is less are dropped from what is released, and "
      "a value that nobody holds is not looked at; each user has one value" },
    { IN_MECHANISM, "groups", "groups", NULL, 0, "1 to 10000 objects", NULL, "The groups of users; which group a report is of is not seen, unless its values tell" },
    { IN_MECHANISM, "parts", "mechanisms", NULL, 0, "2 to 64 of them", NULL, "Matrices and families with a k; no noise, products or mixtures" },
    { IN_MECHANISM, "weights", "numbers", NULL, 0, "as many as parts, with sum 1", NULL, "Probability that a part is drawn" },
    { IN_MECHANISM, "rows", "rows", NULL, 0, "2 to 64 rows and columns, each row with sum 1", NULL, "Probabilities, a row for each value" },
    { IN_PAIR, "w0", "number", NULL, 0, "0 to 1", NULL, "Probability that the differing user adds to the first counter" },
    { IN_PAIR, "w1", "number", NULL, 0, "0 to 1", NULL, "Probability that the differing user adds to the second counter" },
    { IN_PAIR, "r0", "number", NULL, 0, "0 to 1", NULL, "Probability that another user adds to the first counter" },
    { IN_PAIR, "r1", "number", NULL, 0, "0 to 1", NULL, "Probability that another user adds to the second counter" },
    { IN_PAIR, "sigma", "number", NULL, 0, "1/1000 to 1e6", NULL, "Standard deviation of normal noise on a value that changes by 1" },

    { IN_FORM, "theorem", "theorem", NULL, 0, NULL, NULL, "Which closed form: shufbound bound lists them" },
    { IN_ASK, "quantity", "quantity", NULL, 0, NULL, NULL, "What is asked" },
    { IN_ASK, "eps", "point", NULL, 0, "0 to 1e6", NULL, "The eps of (eps, delta) differential privacy; of gdp two numbers, a range" },
    { IN_CLAIM, "eps", "point", NULL, 0, "0 to 1e6", NULL, "The eps that is claimed; with mu two numbers, the range" },
    { IN_ASK | IN_CLAIM, "delta", "number", NULL, 0, "0 to 1", NULL, "The delta of (eps, delta) differential privacy" },
    { IN_ASK | IN_CLAIM, "order", "order", NULL, 0, "1 to 1e18; to ask for, inf too", NULL, "Order of the Renyi divergence" },
    { IN_CLAIM, "renyi", "number", NULL, 0, "0 or more", NULL, "The Renyi divergence that is claimed" },
    { IN_CLAIM, "rho", "number", NULL, 0, "0 or more", NULL, "The parameter of zero-concentrated differential privacy that is claimed" },
    { IN_CLAIM, "mu", "number", NULL, 0, "more than 0, up to 1e6", NULL, "The parameter of Gaussian differential privacy that is claimed" },
    { IN_ASK, "type1", "number", NULL, 0, "0 to 1", NULL, "Type I error of the test" },
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

const vocabulary_member *vocabulary_member_at(size_t i)
{
    return i < MEMBERS ? &members[i] : NULL;
}

void vocabulary_pair_members(char list[VOCABULARY_PAIR_SIZE], const shuf_pair_facts *facts)
{
    static const struct { unsigned parameter; const char *names; } parameters[] = {
        { SHUF_TAKES_K, "k" }, { SHUF_TAKES_EPS0, "eps0" }, { SHUF_TAKES_GAMMA, "eps0|gamma" }, { SHUF_TAKES_WEIGHTS, "w0 w1 r0 r1" },
        { SHUF_TAKES_SIGMA, "sigma" }
    };
    size_t i;
    list[0] = '\0';
    for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
        if (facts->takes & parameters[i].parameter)
            snprintf(list + strlen(list), VOCABULARY_PAIR_SIZE - strlen(list), "%s%s", list[0] != '\0' ? " " : "", parameters[i].names);
}

int vocabulary_check(json_t *object, vocabulary_object which, const reader *r)
{
    char list[MEMBERS * 20] = "";
    size_t i;
    for (i = 0; i < MEMBERS; i++)
        if (members[i].in & 1u << which)
            snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s ", members[i].name);
    return reader_members(object, list, r);
}

/* NULL if there is none. */
static const shuf_randomiser_family *mechanism_named(const char *type)
{
    const shuf_randomiser_family *m;
    size_t i;
    for (i = 0; (m = vocabulary_mechanism_at(i)) != NULL && strcmp(m->name, type) != 0; i++)
        ;
    return m;
}

int vocabulary_mechanism_has(const char *type, const char *member)
{
    const shuf_randomiser_family *m = mechanism_named(type);
    return m == NULL || names_has(m->members, member);
}

int vocabulary_check_mechanism(json_t *object, const char *type, const reader *r)
{
    static const char all[] = "type name ";
    const char *names = mechanism_named(type)->members;
    char *list = flint_malloc(sizeof(all) + strlen(names));
    int result;
    strcpy(list, all);
    strcat(list, names);
    result = reader_members(object, list, r);
    flint_free(list);
    return result;
}

/* ---- all of it ---- */

static void put_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

static json_t *member_json(const vocabulary_member *m)
{
    json_t *object = json_pack("{s:s, s:[]}", "name", m->name, "in"), *choices = json_array();
    int i;
    for (i = 0; i < VOCABULARY_OBJECTS; i++)
        if (m->in & 1u << i)
            json_array_append_new(json_object_get(object, "in"), json_string(vocabulary_objects[i]));
    for (i = 0; i < m->count; i++)
        json_array_append_new(choices, json_string(m->choices[i]));
    put_text(object, "kind", m->kind);
    if (m->count > 0)
        json_object_set(object, "choices", choices);
    json_decref(choices);
    put_text(object, "range", m->range);
    put_text(object, "default", m->otherwise);
    put_text(object, "about", m->about);
    return object;
}

json_t *vocabulary_json(void)
{
    static const char *const sides[] = { [SHUF_SIDE_NONE] = "none", [SHUF_SIDE_UPPER] = "upper", [SHUF_SIDE_LOWER] = "lower" };
    json_t *mechanisms = json_array(), *pairs = json_array(), *samplers = json_array(), *quantities_asked = json_array(), *all = json_array();
    const shuf_randomiser_family *m;
    char list[VOCABULARY_PAIR_SIZE];
    size_t i;
    for (i = 0; (m = vocabulary_mechanism_at(i)) != NULL; i++)
        json_array_append_new(mechanisms, json_pack("{s:s, s:s, s:s}", "name", m->name, "members", m->members, "about", m->about));
    for (i = 0; i < SHUF_PAIR_KINDS; i++)
    {
        const shuf_pair_facts *facts = shuf_pair_about((shuf_pair_kind) i);
        vocabulary_pair_members(list, facts);
        json_array_append_new(pairs, json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", facts->name, "members", list, "side", sides[facts->side],
                                               "theorem", facts->theorem, "about", facts->about));
    }
    for (i = 0; i < SHUF_BATCH_SAMPLERS; i++)
    {
        const shuf_batch_facts *facts = shuf_batch_about((shuf_batch_sampler) i);
        json_array_append_new(samplers, json_pack("{s:s, s:s}", "name", facts->name, "about", facts->needs));
    }
    for (i = 0; i < SHUF_QUANTITIES; i++)
        json_array_append_new(quantities_asked, json_pack("{s:s, s:s, s:s}", "name", quantities[i].name, "point", quantities[i].point, "about", quantities[i].about));
    for (i = 0; i < MEMBERS; i++)
        json_array_append_new(all, member_json(&members[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "mechanisms", mechanisms, "pairs", pairs, "samplers", samplers, "quantities", quantities_asked,
                     "members", all);
}

const char *shuf_quantity_name(shuf_quantity quantity)
{
    return vocabulary_quantity_about(quantity)->name;
}
