/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* catalogue: the commands and the options, one row each (internal). */
#ifndef SHUF_CLI_CATALOGUE_H
#define SHUF_CLI_CATALOGUE_H

#include "cli/cli.h"
#include "exact/names.h"

typedef struct
{
    const char *name;
    size_t place; /* in cli_options */
    enum { CLI_PARAMETER, CLI_SETTING, CLI_FLAG } kind; /* a parameter belongs to the result */
    unsigned takes;         /* the shuf_pair_parameter that it gives; 0: none */
    const char *argument;   /* in capitals, or the choices with | between; NULL: a flag */
    const char *range;      /* what is allowed, or NULL */
    const char *otherwise;  /* the default, or NULL */
    const char *about;      /* a sentence without its full stop */
} cli_option;

#define CLI_EXAMPLES 3 /* size of an array */

typedef struct
{
    const char *name;
    int (*run)(const cli_options *o);
    const char *group;      /* in the general help */
    const char *operands;   /* NULL: none */
    const char *needs;      /* options, blanks between; of a|b one is enough */
    const char *options;    /* all that go with it, blanks between */
    const char *about, *more; /* a sentence each */
    const char *examples[CLI_EXAMPLES]; /* without the name of the program; they end with status 0 in the source tree */
} cli_command;

#define CLI_MAX_OPTIONS 100 /* size of an array */

/* The i-th; NULL after the last. */
const cli_option *cli_option_at(size_t i);
const cli_command *cli_command_at(size_t i);

/* NULL if there is none; of a command, after a message. */
const cli_option *cli_option_named(const char *name);
const cli_command *cli_command_named(const char *name);

/* What was given for an option; "" for a flag, NULL if it was not given. */
const char *cli_option_text(const cli_options *o, const cli_option *e);

/* The choices of an option, `between` between them, after `before`. Returns 0, nothing printed, if it is no choice. */
int cli_put_choices(const cli_option *e, const char *before, const char *between);

/* The same of the choices that a text begins with. */
int cli_put_words(const char *words, const char *before, const char *between);

#endif
