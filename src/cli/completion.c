/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* completion: what bash, zsh and fish complete, made of the tables of commands, options, pairs, forms and theorems */
#include <stdio.h>
#include <string.h>

#include "account/question_json.h"
#include "cli/cli.h"

/* ---- values ---- */

/* The values of options that are a choice of the command line alone. */
static const struct
{
    const char *option, *values;
} choices[] = {
    { "scheme", "fixed poisson" },
    { "effort", "normal high" },
    { "solve", "eps0 n scale noise-multiplier epochs" },
};

/* Those that are members of a question. */
static const struct
{
    const char *option, *const *values;
    int count;
} members[] = {
    { "direction", question_directions, 3 },
    { "via", question_vias + 1, 3 },
    { "engine", question_engines, 2 },
    { "law", question_laws, 2 },
};

/* Options that name a file. */
static const char files[] = " mechanism compose html plot certificate output ";

static int is_file(const char *option)
{
    char name[80];
    snprintf(name, sizeof(name), " %.64s ", option);
    return strstr(files, name) != NULL;
}

static const char *pair_name(int kind)
{
    return shuf_pair_about((shuf_pair_kind) kind)->name;
}

static const char *sampler_name(int sampler)
{
    return shuf_batch_sampler_name((shuf_batch_sampler) sampler);
}

static int put_names(const char *before, const char *(*name)(int), int count)
{
    int i;
    fputs(before, stdout);
    for (i = 0; i < count; i++)
        printf("%s%s", i > 0 ? " " : "", name(i));
    return 1;
}

/* The values of an option, blanks between them. Returns 0, nothing printed, if it is no choice. */
static int put_values(const char *option, const char *before)
{
    size_t i;
    int j;
    if (strcmp(option, "pair") == 0)
        return put_names(before, pair_name, SHUF_PAIR_KINDS);
    if (strcmp(option, "sampler") == 0)
        return put_names(before, sampler_name, SHUF_BATCH_SAMPLERS);
    for (i = 0; i < sizeof(choices) / sizeof(choices[0]); i++)
        if (strcmp(option, choices[i].option) == 0)
            return printf("%s%s", before, choices[i].values);
    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
        if (strcmp(option, members[i].option) == 0)
        {
            for (j = 0; j < members[i].count; j++)
                printf("%s%s", j > 0 ? " " : before, members[i].values[j]);
            return 1;
        }
    return 0;
}

/* What a command takes that is no option and no file. Returns 0, nothing printed, if there is nothing. */
static int put_operands(const char *command, const char *before)
{
    size_t count, i;
    if (strcmp(command, "bound") == 0)
    {
        const shuf_bound_form *form = shuf_bound_forms(&count);
        fputs(before, stdout);
        for (i = 0; i < count; i++)
            if (i == 0 || strcmp(form[i].theorem, form[i - 1].theorem) != 0)
                printf("%s%s", i > 0 ? " " : "", form[i].theorem);
        return 1;
    }
    if (strcmp(command, "theorems") == 0)
    {
        const shuf_theorem *theorem = shuf_theorems(&count);
        fputs(before, stdout);
        for (i = 0; i < count; i++)
            printf("%s%s", i > 0 ? " " : "", theorem[i].id);
        return 1;
    }
    return strcmp(command, "vectors") == 0     ? printf("%sgenerate check judge prompt", before)
           : strcmp(command, "completion") == 0 ? printf("%sbash zsh fish", before)
                                                : 0;
}

static void put_commands(void)
{
    const char *name, *options;
    size_t i;
    for (i = 0; (name = cli_command(&options, i)) != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", name);
}

/* Copies the next name of a list with blanks between names. Returns 0 at its end. */
static int next_name(char *name, size_t size, const char **list)
{
    size_t length;
    *list += strspn(*list, " ");
    length = strcspn(*list, " ");
    snprintf(name, size, "%.*s", (int) length, *list);
    *list += length;
    return length > 0;
}

/* ---- shells ---- */

/* "    WHAT) " and a list of each option with values, each command's options and each command's operands. */
static void put_cases(const char *subject, int (*put)(const char *name, const char *before), const char *prefix, int of_commands)
{
    const char *name, *options;
    char before[96];
    size_t i;
    printf("    case %s in\n", subject);
    for (i = 0; (name = of_commands ? cli_command(&options, i) : cli_option(i)) != NULL; i++)
    {
        snprintf(before, sizeof(before), "    %s%s) values='", prefix, name);
        if (put(name, before))
            puts("' ;;");
    }
    puts("    esac");
}

static int put_command_options(const char *command, const char *before)
{
    const char *name, *options = "";
    char option[64];
    size_t i;
    for (i = 0; (name = cli_command(&options, i)) != NULL && strcmp(name, command) != 0; i++)
        ;
    fputs(before, stdout);
    while (next_name(option, sizeof(option), &options))
        printf("--%s ", option);
    return printf("--help");
}

/* values := what follows an option, or else the options if one has begun, or else the operands; for bash and zsh. */
static void put_cases_of_both(const char *previous, const char *command)
{
    put_cases(previous, put_values, "--", 0);
    puts("    if [[ -z $values && $current == -* ]]; then");
    put_cases(command, put_command_options, "", 1);
    puts("    elif [[ -z $values ]]; then");
    put_cases(command, put_operands, "", 1);
    puts("    fi");
}

static void put_bash(void)
{
    puts("# bash completion of shufbound(1), by \"shufbound completion bash\"\n"
         "_shufbound()\n{\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} values=\n"
         "    if ((COMP_CWORD == 1)); then");
    fputs("        values='", stdout);
    put_commands();
    puts(" --help --version'\n    else");
    put_cases_of_both("${COMP_WORDS[COMP_CWORD - 1]}", "${COMP_WORDS[1]}");
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
    fputs("    values='", stdout);
    put_commands();
    puts(" --help --version'\nelse");
    put_cases_of_both("$words[CURRENT-1]", "$words[2]");
    puts("fi\n"
         "if [[ -n $values ]]; then\n"
         "    compadd -- ${=values}\n"
         "else\n"
         "    _files\n"
         "fi");
}

static void put_fish(void)
{
    const char *name, *options;
    char option[64];
    size_t i;
    puts("# fish completion of shufbound(1), by \"shufbound completion fish\"");
    fputs("complete -c shufbound -n __fish_use_subcommand -f -a '", stdout);
    put_commands();
    puts("'\ncomplete -c shufbound -n __fish_use_subcommand -l help\ncomplete -c shufbound -n __fish_use_subcommand -l version");
    for (i = 0; (name = cli_command(&options, i)) != NULL; i++)
    {
        char before[128];
        snprintf(before, sizeof(before), "complete -c shufbound -n '__fish_seen_subcommand_from %s' -f -a '", name);
        if (put_operands(name, before))
            puts("'");
        while (next_name(option, sizeof(option), &options))
        {
            printf("complete -c shufbound -n '__fish_seen_subcommand_from %s' -l %s%s", name, option,
                   cli_option_is_flag(option) ? "" : is_file(option) ? " -r" : " -x");
            if (put_values(option, " -a '"))
                putchar('\'');
            putchar('\n');
        }
    }
}

int cli_command_completion(const cli_options *o)
{
    const char *shell = o->operands == 1 ? o->operand[0] : "";
    if (strcmp(shell, "bash") == 0)
        put_bash();
    else if (strcmp(shell, "zsh") == 0)
        put_zsh();
    else if (strcmp(shell, "fish") == 0)
        put_fish();
    else
        return cli_fail(EXIT_USAGE, "completion %.40s: bash, zsh or fish is allowed", shell);
    return report_finish(EXIT_DONE);
}
