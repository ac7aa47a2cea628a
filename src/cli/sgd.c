/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* sgd: noisy stochastic gradient descent over shuffled blocks of data, proofs/sgd.md: its blocks are users, its epochs rounds. */
#include <string.h>

#include "cli/options_question.h"

/* The question about the pair clones-stronger. */
static int pair_question(json_t **question, const cli_options *o)
{
    cli_options as_pair = *o;
    uint64_t blocks;
    int status;
    if ((status = cli_count(&blocks, "--blocks", o->blocks, 1, SHUF_MAX_USERS)) != 0)
        return status;
    as_pair.pair = "clones-stronger";
    as_pair.n = o->blocks;
    as_pair.rounds = o->epochs;
    if ((status = cli_question(question, &as_pair)) != 0)
        return status;
    json_object_set_new(*question, "ask", cli_ask(o, o->solve != NULL ? "eps0" : o->eps != NULL ? "delta" : o->delta != NULL ? "epsilon" : "renyi",
                                                  "eps delta order"));
    return 0;
}

static int check_options(const cli_options *o)
{
    uint64_t epochs;
    if (o->solve != NULL && strcmp(o->solve, "eps0") != 0)
        return report_fail(EXIT_USAGE, "--solve is %.40s: eps0 is allowed with sgd", o->solve);
    if (o->solve != NULL && (o->eps0 != NULL || o->order != NULL || o->via != NULL))
        return report_fail(EXIT_USAGE, "--solve eps0 takes --eps and --delta alone");
    if (o->solve == NULL && (o->eps != NULL) + (o->delta != NULL) + (o->order != NULL) > 1)
        return report_fail(EXIT_USAGE, "--delta, --eps and --order exclude each other");
    return cli_count(&epochs, "--epochs", o->epochs, 1, SHUF_MAX_ROUNDS);
}

int cli_command_sgd(const cli_options *o)
{
    double start = shuf_seconds();
    shuf_question_t q;
    shuf_answer_t a;
    json_t *question;
    int status;
    if ((status = check_options(o)) != 0 || (status = pair_question(&question, o)) != 0)
        return status;
    shuf_question_init(q);
    if ((status = cli_read_question(q, question)) == 0)
    {
        if ((status = cli_answer(a, q)) == 0)
        {
            /* the bound rests on the theorem on SGD first */
            shuf_answer_bound *b = &a->tried[0];
            memmove(b->theorem + 1, b->theorem, (SHUF_MAX_CHAIN - 1) * sizeof(*b->theorem));
            b->theorem[0] = "shuffled-sgd";
            b->theorems++;
            status = cli_print_answer(a, o, shuf_seconds() - start);
        }
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return status;
}
