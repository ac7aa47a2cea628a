/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * account: delta(eps), eps(delta) or a Renyi divergence of what the command
 * line describes: a pair, its rounds, its subsampling, or a composition read
 * from a file (internal).
 */
#ifndef SHUF_CLI_ACCOUNT_H
#define SHUF_CLI_ACCOUNT_H

#include "cli/cli.h"

typedef enum
{
    ACCOUNT_DELTA,   /* at eps */
    ACCOUNT_EPSILON, /* at delta */
    ACCOUNT_RENYI    /* at the order */
} account_quantity;

typedef enum
{
    VIA_NOTHING, /* one round, exactly */
    VIA_PLD,
    VIA_RENYI,
    VIA_STRONG_COMPOSITION
} account_route;

/* A value of a curve. */
struct account_value
{
    shuf_real_t order;
    slong digits;
    shuf_enclosure_t value;
};

typedef struct account_struct
{
    account_quantity quantity;
    account_route route;
    shuf_direction direction;
    int fast;
    uint64_t rounds;
    int subsampled;
    shuf_pair_t pair;
    int gaussian; /* the shuffled Gaussian in place of the pair, one round */
    uint64_t users;
    shuf_real_t sigma;
    int composed; /* from a file: neither pair nor rounds */
    shuf_composition_t composition;
    shuf_options budget;

    shuf_profile profile, sampled_profile; /* of the pair, and after subsampling */
    shuf_sampled_t sample;
    shuf_pld_options pld;
    char progress[48]; /* what the line on progress begins with */

    shuf_renyi_curve one_round, kept, sampled, total; /* each made of the one before */
    struct account_struct *self; /* what evaluating `kept` and `sampled` writes to */
    struct account_value *values; /* values of one_round, for both subsampling theorems */
    size_t value_count;
    shuf_subsample_t dominated, wang;
    shuf_renyi_sum sum;

    /* how the last value was reached */
    shuf_real_t order, round_eps, round_delta;
    const char *sampling_theorem;
    char rounds_note[96], sampling_note[192];
} account_struct;

typedef account_struct account_t[1];

void account_init(account_t a);
void account_clear(account_t a);

/* Reads everything but the point. Returns 0, or an exit status after a message. */
int account_set(account_t a, const cli_options *o, account_quantity quantity);

/* Reads the point: --eps, --delta or --order. */
int account_point(shuf_real_t point, const account_t a, const char *text);

/*
 * r encloses the value at a point that account_point accepted: SHUF_OK or
 * SHUF_ACCURACY. An infinite divergence is [+inf, +inf]. SHUF_DOMAIN when a
 * delta or an epsilon has no finite value within the budget.
 */
shuf_status account_evaluate(shuf_enclosure_t r, account_t a, const shuf_real_t point);

/* The limit of the Renyi divergence as the order grows: the largest loss. */
shuf_status account_max_loss(shuf_enclosure_t r, const account_t a);

/* Says what the last value is and rests on; valid until the next evaluation. */
void account_describe(cli_result *result, account_t a);

/*
 * strong.c: r encloses the eps at delta = point, or the delta at eps = point,
 * of a->rounds rounds by the optimal composition of (eps, delta)-DP
 * mechanisms, at one (eps, delta) of the pair, chosen among a few and
 * certified. SHUF_DOMAIN when there is none.
 */
shuf_status account_strong_composition(shuf_enclosure_t r, account_t a, const shuf_real_t point);

#endif
