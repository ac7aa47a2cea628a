/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* shufbound(1): certified accounting for shuffle-model differential privacy. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/help.h"
#include "config.h"
#include "enclosure/memory.h"

/* Each answer has been flushed: what stdio still holds is the beginning of one. */
void cli_out_of_memory(void)
{
    report_fail(EXIT_MEMORY, "out of memory");
    report_file_abandon();
    _exit(EXIT_MEMORY);
}

/* Whether one of the words asks for help. */
static int wants_help(int argc, char **argv)
{
    int i;
    for (i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return 1;
    return 0;
}

/* "[A]" may be left out, and of "A ..." there may be several. */
static int check_operands(const cli_command *command, const cli_options *o)
{
    const char *operands = command->operands;
    if (operands != NULL && operands[0] != '[' && o->operands == 0)
        return report_fail(EXIT_USAGE, "%s needs %s; see shufbound %s --help", command->name, operands, command->name);
    if ((operands == NULL || strstr(operands, "...") == NULL) && o->operands > (operands != NULL))
        return report_fail(EXIT_USAGE, "unexpected argument \"%.80s\"", o->operand[operands != NULL]);
    return 0;
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_options o;
    int threads, status = cli_parse(&o, argc, argv, command->options);
    if (status == 0)
        status = cli_allow(&o, command->name, command->options);
    if (status == 0 && o.pair_count > 1 && command->run != cli_command_curve)
        status = report_fail(EXIT_USAGE, "--pair is given twice");
    if (status == 0)
        status = cli_threads(&threads, o.threads);
    if (status == 0)
        status = check_operands(command, &o);
    if (status == 0)
        status = cli_require(&o, command->needs);
    /* The threads of a pool do not come along into a new process: ask starts one where it answers. */
    if (status == 0 && command->run != cli_command_ask)
        flint_set_num_threads(threads);
    if (status == 0)
        status = command->run(&o);
    if (!memory_is_spoilt())
        flint_cleanup();
    return status;
}

static int run_line(int argc, char **argv)
{
    const cli_command *command;
    if (argc < 2)
        return help_all(stderr);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help_all(stdout);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
    {
        printf("shufbound %s\n", PACKAGE_VERSION);
        return report_finish(EXIT_DONE);
    }
    if ((command = cli_command_named(argv[1])) == NULL)
        return EXIT_USAGE;
    return wants_help(argc, argv) ? help_command(command) : run_command(command, argc - 1, argv + 1);
}

typedef struct
{
    int argc, status;
    char **argv;
} command_line;

static void run(void *data)
{
    command_line *l = data;
    l->status = run_line(l->argc, l->argv);
}

int main(int argc, char **argv)
{
    command_line l = { argc, 0, argv };
    if (memory_try(run, &l) != 0)
        cli_out_of_memory();
    return l.status;
}
