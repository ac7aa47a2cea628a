/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* help: what --help prints, made of the catalogue (internal). */
#ifndef SHUF_CLI_HELP_H
#define SHUF_CLI_HELP_H

#include "cli/catalogue.h"

/* One line a command. Returns EXIT_DONE on stdout, EXIT_USAGE elsewhere. */
int help_all(FILE *out);

/* One command with its options and examples. Returns an exit status. */
int help_command(const cli_command *command);

#endif
