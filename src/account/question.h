/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * question: what is asked, exactly.
 *
 * A question is about a mechanism (n users run a local randomiser, a shuffler
 * permutes the reports, perhaps for several rounds and on a random part of the
 * users) or about a pair of laws by name, and asks for one number or states a
 * claim. doc/schema/README.md has the members of the JSON object; these
 * structures have the same, with the defaults filled in. The member `users`
 * means everyone, always.
 */
#ifndef SHUF_QUESTION_H
#define SHUF_QUESTION_H

#include <stddef.h>
#include <stdint.h>

#include "../batch/batch.h"
#include "../enclosure/enclosure.h"
#include "../forms/bound.h"
#include "../noise/noise.h"
#include "../pair/pair.h"
#include "../pld/pld.h"
#include "../randomiser/randomiser.h"

/* Most parts of a composition; more are refused. */
#define SHUF_MAX_PARTS 100000

/* Most reports of a user through one shuffler; more are refused. */
#define SHUF_MAX_REPORTS UINT64_C(1000)

/* Units of work: the least and the most that may be asked for, and the efforts "normal" and "high". Steer only. */
#define SHUF_EFFORT_LEAST 1000000
#define SHUF_EFFORT_MOST UINT64_C(1000000000000000)
#define SHUF_EFFORT_NORMAL 30e9
#define SHUF_EFFORT_HIGH 3000e9

/* What a part is about. */
typedef enum
{
    SHUF_SUBJECT_LDP,        /* any pure eps0-LDP randomisers, adaptive */
    SHUF_SUBJECT_RANDOMISER, /* a described randomiser: its own kind says which */
    SHUF_SUBJECT_PAIR,       /* a pair of laws */
    SHUF_SUBJECT_BATCH,      /* noisy SGD; its rounds are epochs */
    SHUF_SUBJECT_NOISE,      /* noise that a curator adds; its rounds are releases */
    SHUF_SUBJECT_GROUPS      /* groups of users, each with its own mechanism, in one shuffle */
} shuf_subject;

/* Rounds that are alike: adaptively composed on the same users; neighbours replace one user's value, of BATCH and NOISE remove one record or replace it. */
typedef struct shuf_part_struct
{
    shuf_subject subject;
    /*
     * LDP: eps0. RANDOMISER: its local eps0 (replacement; of RAPPOR twice the
     * eps0 it is described by), unless eps0_is_infinite.
     */
    shuf_real_t eps0;
    int eps0_is_infinite;
    shuf_real_t deletion_eps0; /* LDP: where the class is that of deletion; eps0 is then twice it */
    int is_deletion;
    shuf_real_t delta0;        /* LDP: of the local randomisers */
    shuf_real_t order, renyi;  /* LDP: where the class is that of a Renyi divergence (renyi_part.h); order is 0 elsewhere */
    shuf_randomiser_t randomiser;
    fmpq_t gamma;         /* of a k-RR that is described by its blanket probability, */
    int gamma_is_given;
    int release_sum;      /* RAPPOR: nothing but the sum of the vectors is seen */
    shuf_pair_t pair;     /* PAIR: its users are the sampled ones; NOISE: that of coins, with and without one more */
    shuf_batch_t batch;   /* BATCH */
    shuf_noise_t noise;   /* NOISE */
    int is_one_of_many;   /* NOISE: it is composed with other parts */
    int by_divergence;    /* NOISE: a Renyi divergence or rho is asked for, which adds up over releases */
    int removes;          /* BATCH, NOISE: neighbours remove one record (1) or replace it (0), or it is not said which (-1) */
    struct shuf_part_struct *group; /* GROUPS: so many, each LDP or RANDOMISER with users of its own; eps0 is the largest. LDP: renyi_part.h */
    size_t groups;
    uint64_t everyone;    /* all users, or at least so many */
    int is_at_least;
    fmpq_t honest;        /* as given: an integer is a number of users, else a part of them; 0: all follow the protocol */
    uint64_t reports;     /* of each user, through one shuffler */
    uint64_t users;       /* reports of those who follow the protocol; all that is computed is about them */
    fmpq_t rate;          /* each round takes a new uniform subset of rate * users, without replacement; */
    int is_poisson;       /* or each user with this probability, and how many took part is seen */
    uint64_t sampled;     /* rate * users, a whole number; or all users */
    uint64_t rounds;
} shuf_part_struct;

typedef shuf_part_struct shuf_part_t[1];

typedef enum
{
    SHUF_QUANTITY_DELTA,    /* at eps */
    SHUF_QUANTITY_EPSILON,  /* at delta */
    SHUF_QUANTITY_RENYI,    /* at order; infinite: the largest loss */
    SHUF_QUANTITY_TRADEOFF, /* type II error at type1 */
    SHUF_QUANTITY_GDP,      /* smallest mu on eps .. eps_to */
    SHUF_QUANTITY_ZCDP,     /* smallest rho of zero-concentrated privacy; a claim's is in `renyi` */
    SHUF_QUANTITY_USERS,    /* smallest number certified at (eps, delta) */
    SHUF_QUANTITY_EPS0,     /* largest eps0 certified at (eps, delta) */
    SHUF_QUANTITY_SCALE,    /* smallest scale of noise certified at (eps, delta), of RANDOMISER or NOISE */
    SHUF_QUANTITY_NOISE_MULTIPLIER, /* of BATCH, likewise */
    SHUF_QUANTITY_EPOCHS,   /* of BATCH, the most certified at (eps, delta) */
    SHUF_QUANTITY_ROUNDS,   /* of NOISE, likewise */
    SHUF_QUANTITY_COINS,    /* of NOISE, the fewest certified at (eps, delta) */
    SHUF_QUANTITY_SENSITIVITY, /* of NOISE, the largest certified at (eps, delta) */
    SHUF_QUANTITIES
} shuf_quantity;

/* How several rounds, or an order, become (eps, delta). */
typedef enum
{
    SHUF_VIA_ANY, /* whatever is best */
    SHUF_VIA_PLD,
    SHUF_VIA_RENYI,
    SHUF_VIA_STRONG_COMPOSITION
} shuf_via;

/* How often everything is run, of which only the best result is released. */
typedef enum
{
    SHUF_SELECTION_NONE, /* once, or all results are released */
    SHUF_SELECTION_GEOMETRIC,
    SHUF_SELECTION_LOGARITHMIC,
    SHUF_SELECTION_POISSON,
    SHUF_SELECTION_NEGATIVE_BINOMIAL
} shuf_selection;

typedef struct
{
    char *id, *source, *quote, *note; /* "" where there is none */
    shuf_part_struct *parts;
    size_t count;
    int is_list;            /* the rounds were a list */
    shuf_quantity quantity;
    int is_claim;           /* eps and delta, order and renyi, or mu and a range of eps are claimed together */
    shuf_real_t eps, eps_to, delta, order, renyi, type1, mu;
    int order_is_infinite;
    shuf_direction direction;
    shuf_via via;
    int fast;
    const char *form;       /* a closed form of the registry, or NULL; what it takes besides: */
    shuf_real_t form_delta0, form_gamma;
    shuf_selection selection;
    shuf_real_t selection_mean, selection_shape; /* number of runs; of negative binomial ones */
    shuf_side only;         /* of a part of another question: the side that is sought; NONE: both */
    slong digits;
    double max_work;        /* units; what "effort" says */
    shuf_real_t max_seconds; /* of a clock; 0: none */
} shuf_question_struct;

typedef shuf_question_struct shuf_question_t[1];

void shuf_question_init(shuf_question_t q);
void shuf_question_clear(shuf_question_t q);

/*
 * Reads a JSON object. Returns 0, or -1 with a one-line message in error (at
 * most size bytes) that names the member, its value and what is allowed; q may
 * then only be cleared.
 */
int shuf_question_parse(shuf_question_t q, const char *text, size_t length, char *error, size_t size);

/* The members of q with its defaults, as a JSON object in one line. Free it with flint_free. */
char *shuf_question_text(const shuf_question_t q);

const char *shuf_quantity_name(shuf_quantity quantity);

/* Whether not everyone takes part in a round. */
int shuf_part_is_sampled(const shuf_part_struct *p);

/* Whether it is about a pair of laws, not about mechanisms. */
int shuf_question_is_of_pair(const shuf_question_t q);

/* Whether a curator adds all the noise: noisy SGD and releases; whether there is one of that kind. */
int shuf_question_is_central(const shuf_question_t q);

/* Whether neighbours remove a record, as far as noisy SGD says; whether some user has several; and what is said of them. */
int question_removes(const shuf_question_t q);
int question_has_records(const shuf_question_t q);
#define SHUF_NOTE_REMOVED "neighbours remove one record: its gradient is 0 in every step"
#define SHUF_NOTE_REPLACED "neighbours replace one record: its gradient is any other in every step"
#define SHUF_NOTE_USER_REMOVED "neighbours remove all records of one user: their gradients are 0 in every step"
#define SHUF_NOTE_USER_REPLACED "neighbours replace all records of one user: their gradients are any others in every step"

int shuf_question_has(const shuf_question_t q, shuf_subject subject);

#endif
