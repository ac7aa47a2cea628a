/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* tail: the probability of a privacy loss, which a paper takes for delta */
#include <string.h>

#include "cli/cli.h"

/* Digits for several rounds unless --digits says otherwise. */
#define GRID_DIGITS 3

static int read_law(shuf_tail_law *law, const cli_options *o, const shuf_pair_t pair)
{
    *law = pair->kind == SHUF_PAIR_KRR_STRONG ? SHUF_TAIL_TRUTHFUL : SHUF_TAIL_VIEW;
    if (o->law == NULL)
        return 0;
    if (pair->kind != SHUF_PAIR_KRR_STRONG)
        return cli_fail(EXIT_USAGE, "--law goes with --pair krr-strong");
    if (strcmp(o->law, "view") == 0)
        *law = SHUF_TAIL_VIEW;
    else if (strcmp(o->law, "truthful") != 0)
        return cli_fail(EXIT_USAGE, "--law is \"%.40s\": truthful or view is allowed", o->law);
    return 0;
}

int cli_command_tail(const cli_options *o)
{
    cli_result result;
    shuf_pair_t pair;
    shuf_real_t eps;
    shuf_enclosure_t r;
    shuf_options budget;
    shuf_tail_law law;
    uint64_t rounds = 1;
    int status;

    shuf_pair_init(pair);
    shuf_real_init(eps);
    shuf_enclosure_init(r);
    if ((status = cli_pair(pair, o, 1, 1)) == 0 && pair->kind != SHUF_PAIR_KRR_STRONG && pair->kind != SHUF_PAIR_KRR_WEAK)
        status = cli_fail(EXIT_USAGE, "--pair is %.40s: krr-strong or krr-weak is allowed with tail", o->pair);
    if (status == 0 && (status = read_law(&law, o, pair)) == 0 && (status = cli_epsilon(eps, "--eps", o->eps)) == 0
        && (o->rounds == NULL || (status = cli_count(&rounds, "--rounds", o->rounds, 1, SHUF_PLD_MAX_ROUNDS)) == 0)
        && (status = cli_budget(&budget, o)) == 0)
    {
        if (rounds > 1 && o->digits == NULL)
            budget.digits = GRID_DIGITS;
        memset(&result, 0, sizeof(result));
        result.quantity = "tail";
        result.theorem = pair->kind == SHUF_PAIR_KRR_WEAK ? "koskela22-thm16-tail"
                         : law == SHUF_TAIL_TRUTHFUL      ? "koskela22-thm13-tail"
                                                          : "loss-tail";
        result.note[0] = "Pr[L >= eps], L the privacy loss of all rounds: not delta, but at least delta";
        shuf_pld_tail(r, pair, rounds, eps, law, &budget);
        status = cli_print_result(&result, r, o, budget.digits);
    }
    shuf_pair_clear(pair);
    shuf_real_clear(eps);
    shuf_enclosure_clear(r);
    return status;
}
