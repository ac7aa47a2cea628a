/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* dpsgd: noisy stochastic gradient descent by how its batches are drawn (proofs/dpsgd.md). */
#include <string.h>

#include "cli/question.h"

/* --solve as a quantity; NULL without it or after a message. */
static const char *solved_quantity(const cli_options *o)
{
    static const char *const names[][2] = { { "noise-multiplier", "noise_multiplier" }, { "epochs", "epochs" } };
    size_t i;
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(o->solve, names[i][0]) == 0)
            return names[i][1];
    cli_fail(EXIT_USAGE, "--solve is %.40s: noise-multiplier or epochs is allowed", o->solve);
    return NULL;
}

/* What is asked: with both --eps and --delta whether that holds, unless something is solved for. */
static int set_what(json_t *question, const cli_options *o)
{
    const char *quantity;
    if (o->solve != NULL)
    {
        if ((quantity = solved_quantity(o)) == NULL)
            return EXIT_USAGE;
        json_object_set_new(question, "ask", cli_ask(quantity, "eps", o->eps, "delta", o->delta, NULL));
        return 0;
    }
    if (o->eps == NULL && o->delta == NULL)
        return cli_fail(EXIT_USAGE, "--eps or --delta is missing, or both for a verdict");
    if (o->eps != NULL && o->delta != NULL)
    {
        json_t *claim = json_object();
        cli_set(claim, "eps", o->eps);
        cli_set(claim, "delta", o->delta);
        json_object_set_new(question, "claim", claim);
        return 0;
    }
    json_object_set_new(question, "ask", o->eps != NULL ? cli_ask("delta", "eps", o->eps, NULL) : cli_ask("epsilon", "delta", o->delta, NULL));
    return 0;
}

int cli_command_dpsgd(const cli_options *o)
{
    json_t *question;
    uint64_t epochs;
    int status;
    if (o->sampler == NULL)
        return cli_fail(EXIT_USAGE, "--sampler is missing: poisson, balls-and-bins, shuffle, random-allocation or fixed is allowed");
    if (o->epochs != NULL && (status = cli_count(&epochs, "--epochs", o->epochs, 1, SHUF_MAX_ROUNDS)) != 0)
        return status;
    if (o->epochs != NULL && o->solve != NULL && strcmp(o->solve, "epochs") == 0)
        return cli_fail(EXIT_USAGE, "--epochs is asked for: it must not be given");
    if ((status = cli_question(&question, o)) != 0)
        return status;
    if ((status = set_what(question, o)) != 0)
    {
        json_decref(question);
        return status;
    }
    return cli_ask_and_print(question, o);
}
