/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* noise: releases with noise that a curator adds (proofs/additive-noise.md). */
#include <string.h>

#include "cli/catalogue.h"
#include "cli/options_question.h"

int cli_command_noise(const cli_options *o)
{
    json_t *question;
    int status;
    if (o->solve != NULL && strcmp(o->solve, "scale") != 0 && strcmp(o->solve, "coins") != 0 && strcmp(o->solve, "sensitivity") != 0 && strcmp(o->solve, "rounds") != 0)
        return report_fail(EXIT_USAGE, "--solve is %.40s: scale, coins, sensitivity or rounds is allowed", o->solve);
    if (o->solve != NULL && (status = cli_require(o, "eps delta")) != 0)
        return status;
    if ((status = cli_question(&question, o)) != 0)
        return status;
    cli_set_point(question, o, o->solve);
    return cli_ask_and_print(question, o);
}
