/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* delta, epsilon, renyi: one point */
#include <string.h>

#include "certificate/certificate.h"
#include "cli/account.h"

/* Before any work: whether there are certificates of what is asked. */
static int certificate_open(cli_file *file, const account_t a, const cli_options *o)
{
    const char *refusal = shuf_certificate_name_refusal(o->certificate);
    if (refusal == NULL)
        refusal = a->gaussian ? "--pair gaussian has no certificates"
                  : a->composed || a->subsampled || (a->route != VIA_NOTHING && a->route != VIA_PLD)
                      ? "only rounds of one pair, without subsampling, have certificates"
                  : a->fast ? "--fast has no certificates" : shuf_certificate_refusal(a->pair, a->rounds);
    if (refusal != NULL)
        return cli_fail(EXIT_USAGE, "--certificate: %s", refusal);
    return cli_file_open(file, "--certificate", o->certificate);
}

/* Writes the certificate of r, or removes what was opened. */
static int certificate_finish(cli_file *file, const account_t a, const shuf_real_t point, const shuf_enclosure_t r,
                              const cli_options *o)
{
    shuf_certificate c;
    char command[512];
    const char *name, *value, *refusal = "the value is not finite";
    size_t i, length;

    length = (size_t) snprintf(command, sizeof(command), "%s", a->quantity == ACCOUNT_DELTA ? "delta" : "epsilon");
    for (i = 0; (value = cli_parameter(&name, o, i)) != NULL && length < sizeof(command); i++)
        length += (size_t) snprintf(command + length, sizeof(command) - length, " --%s %.60s", name, value);
    c.pair = a->pair;
    c.direction = a->direction;
    c.rounds = a->rounds;
    c.of_epsilon = a->quantity == ACCOUNT_EPSILON;
    c.point = point;
    c.value = r;
    c.digits = a->budget.digits;
    c.command = command;
    if (arf_is_finite(r->lo) && arf_is_finite(r->hi))
        refusal = shuf_certificate_write(file->out, &c);
    if (refusal == NULL)
        return cli_file_close(file);
    cli_file_discard(file);
    return cli_fail(EXIT_USAGE, "--certificate: %s", refusal);
}

static int run_point(const cli_options *o, account_quantity quantity, const char *text)
{
    account_t a;
    shuf_real_t point;
    shuf_enclosure_t r;
    cli_result result;
    cli_file file;
    int status;

    account_init(a);
    shuf_real_init(point);
    shuf_enclosure_init(r);
    if ((status = account_set(a, o, quantity)) == 0 && (status = account_point(point, a, text)) == 0
        && (o->certificate == NULL || (status = certificate_open(&file, a, o)) == 0))
    {
        shuf_status s = account_evaluate(r, a, point);
        account_describe(&result, a);
        if (o->certificate == NULL || (status = certificate_finish(&file, a, point, r, o)) == 0)
            status = s == SHUF_DOMAIN
                     ? cli_fail(EXIT_ACCURACY, "no finite %s was found for %.80s: the largest privacy loss is infinite, or the "
                                "budget ran out", result.quantity, text)
                     : cli_print_result(&result, r, o, a->budget.digits);
    }
    account_clear(a);
    shuf_real_clear(point);
    shuf_enclosure_clear(r);
    return status;
}

/* renyi at the order infinity. */
static int run_max_loss(const cli_options *o)
{
    account_t a;
    shuf_enclosure_t r;
    cli_result result;
    int status;

    if (o->subsample != NULL || o->compose != NULL || o->fast)
        return cli_fail(EXIT_USAGE, "--order inf does not go with %s",
                        o->subsample != NULL ? "--subsample" : o->compose != NULL ? "--compose" : "--fast");
    account_init(a);
    shuf_enclosure_init(r);
    if ((status = account_set(a, o, ACCOUNT_RENYI)) == 0)
    {
        account_max_loss(r, a);
        account_describe(&result, a);
        status = cli_print_result(&result, r, o, a->budget.digits);
    }
    account_clear(a);
    shuf_enclosure_clear(r);
    return status;
}

int cli_command_delta(const cli_options *o)
{
    return run_point(o, ACCOUNT_DELTA, o->eps);
}

int cli_command_epsilon(const cli_options *o)
{
    return run_point(o, ACCOUNT_EPSILON, o->delta);
}

int cli_command_renyi(const cli_options *o)
{
    return o->order != NULL && strcmp(o->order, "inf") == 0 ? run_max_loss(o) : run_point(o, ACCOUNT_RENYI, o->order);
}
