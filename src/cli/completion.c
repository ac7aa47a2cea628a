/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* completion: what bash, zsh and fish complete, made of the catalogue, the forms and the theorems */
#include <stdio.h>
#include <string.h>

#include "cli/catalogue.h"

/* ---- names ---- */

static void put_commands(const char *before)
{
    const cli_command *c;
    size_t i;
    for (i = 0; (c = cli_command_at(i)) != NULL; i++)
        printf("%s%s", i > 0 ? " " : before, c->name);
}

/* What a command takes that is no option and no file. Returns 0, nothing printed, if there is nothing. */
static int put_operands(const cli_command *command, const char *before)
{
    size_t count, i;
    if (command->run == cli_command_bound)
    {
        const shuf_bound_form *form = shuf_bound_forms(&count);
        fputs(before, stdout);
        for (i = 0; i < count; i++)
            if (i == 0 || strcmp(form[i].theorem, form[i - 1].theorem) != 0)
                printf("%s%s", i > 0 ? " " : "", form[i].theorem);
        return 1;
    }
    if (command->run == cli_command_theorems || command->run == cli_command_cite)
    {
        const shuf_theorem *theorem = shuf_theorems(&count);
        fputs(before, stdout);
        for (i = 0; i < count; i++)
            printf("%s%s", i > 0 ? " " : "", theorem[i].id);
        return 1;
    }
    if (command->run == cli_command_help)
    {
        put_commands(before);
        return 1;
    }
    return command->operands != NULL && cli_put_words(command->operands, before, " ");
}

static int put_options(const cli_command *command, const char *before)
{
    const char *options = command->options;
    char option[64];
    fputs(before, stdout);
    while (names_next(option, sizeof(option), &options, " "))
        printf("--%s ", option);
    return printf("--help");
}

/* ---- shells ---- */

/* "    COMMAND) " and a list of names, for each command that has one. */
static void put_cases(const char *subject, int (*put)(const cli_command *command, const char *before))
{
    const cli_command *c;
    char before[96];
    size_t i;
    printf("    case %s in\n", subject);
    for (i = 0; (c = cli_command_at(i)) != NULL; i++)
    {
        snprintf(before, sizeof(before), "    %s) values='", c->name);
        if (put(c, before))
            puts("' ;;");
    }
    puts("    esac");
}

/* values := what follows an option, or else the options if one has begun, or else the operands; for bash and zsh. */
static void put_all_cases(const char *previous, const char *command)
{
    const cli_option *e;
    char before[96];
    size_t i;
    printf("    case %s in\n", previous);
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
    {
        snprintf(before, sizeof(before), "    --%s) values='", e->name);
        if (cli_put_choices(e, before, " "))
            puts("' ;;");
    }
    puts("    esac\n    if [[ -z $values && $current == -* ]]; then");
    put_cases(command, put_options);
    puts("    elif [[ -z $values ]]; then");
    put_cases(command, put_operands);
    puts("    fi");
}

static void put_bash(void)
{
    puts("# bash completion of shufbound(1), by \"shufbound completion bash\"\n"
         "_shufbound()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} values=\n"
         "    if ((COMP_CWORD == 1)); then");
    put_commands("        values='");
    puts(" --help --version'\n    else");
    put_all_cases("${COMP_WORDS[COMP_CWORD - 1]}", "${COMP_WORDS[1]}");
    /* here-strings, which work without /dev/fd, are never without a line */
    puts("    fi\n"
         "    if [[ -n $values ]]; then\n"
         "        mapfile -t COMPREPLY <<<\"$(compgen -W \"$values\" -- \"$current\")\"\n"
         "    else\n"
         "        compopt -o filenames 2>/dev/null\n"
         "        mapfile -t COMPREPLY <<<\"$(compgen -f -- \"$current\")\"\n"
         "    fi\n"
         "    [[ -n ${COMPREPLY[0]} ]] || COMPREPLY=()\n"
         "}\n"
         "complete -F _shufbound shufbound");
}

static void put_zsh(void)
{
    puts("#compdef shufbound\n"
         "# zsh completion of shufbound(1), by \"shufbound completion zsh\"\n"
         "local values= current=$PREFIX\n"
         "if ((CURRENT == 2)); then");
    put_commands("    values='");
    puts(" --help --version'\nelse");
    put_all_cases("$words[CURRENT-1]", "$words[2]");
    puts("fi\n"
         "if [[ -n $values ]]; then\n"
         "    compadd -- ${=values}\n"
         "else\n"
         "    _files\n"
         "fi");
}

static void put_fish(void)
{
    const cli_command *c;
    size_t i;
    puts("# fish completion of shufbound(1), by \"shufbound completion fish\"");
    put_commands("complete -c shufbound -n __fish_use_subcommand -f -a '");
    puts("'\ncomplete -c shufbound -n __fish_use_subcommand -l help\ncomplete -c shufbound -n __fish_use_subcommand -l version");
    for (i = 0; (c = cli_command_at(i)) != NULL; i++)
    {
        const char *options = c->options;
        char before[128], option[64];
        snprintf(before, sizeof(before), "complete -c shufbound -n '__fish_seen_subcommand_from %s' -f -a '", c->name);
        if (put_operands(c, before))
            puts("'");
        while (names_next(option, sizeof(option), &options, " "))
        {
            const cli_option *e = cli_option_named(option);
            printf("complete -c shufbound -n '__fish_seen_subcommand_from %s' -l %s%s", c->name, option,
                   e->kind == CLI_FLAG ? "" : strcmp(e->argument, "FILE") == 0 ? " -r" : " -x");
            if (cli_put_choices(e, " -a '", " "))
                putchar('\'');
            printf(" -d '%s'\n", e->about);
        }
    }
}

int cli_command_completion(const cli_options *o)
{
    const char *shell = o->operand[0];
    if (strcmp(shell, "bash") == 0)
        put_bash();
    else if (strcmp(shell, "zsh") == 0)
        put_zsh();
    else if (strcmp(shell, "fish") == 0)
        put_fish();
    else
        return report_fail(EXIT_USAGE, "completion %.40s: bash, zsh or fish is allowed", shell);
    return report_finish(EXIT_DONE);
}
