/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/help.h"

#include <string.h>

#define COLUMNS 100
#define NAME_COLUMNS 28

/* ---- pieces ---- */

/* The words of a text, in lines that begin after `indent` blanks; the first of them has begun already. */
static void put_wrapped(size_t indent, const char *text)
{
    size_t column = indent;
    char word[160];
    while (cli_next_name(word, sizeof(word), &text, " "))
    {
        if (column > indent && column + 1 + strlen(word) > COLUMNS)
        {
            printf("\n%*s", (int) indent, "");
            column = indent;
        }
        column += (size_t) printf("%s%s", column > indent ? " " : "", word);
    }
    putchar('\n');
}

/* "About (range; default)." */
static void describe(char *text, size_t size, const cli_option *e)
{
    const int is_ranged = e->range != NULL, has_default = e->otherwise != NULL;
    snprintf(text, size, "%s%s%s%s%s%s%s.", e->about, is_ranged || has_default ? " (" : "", is_ranged ? e->range : "",
             is_ranged && has_default ? "; " : "", has_default ? "default: " : "", has_default ? e->otherwise : "",
             is_ranged || has_default ? ")" : "");
}

static void put_option(const char *name, const char *before)
{
    const cli_option *e = cli_option_named(name);
    char text[400];
    int column = printf("  %s--%s%s%s", before, e->name, e->argument != NULL ? " " : "", e->argument != NULL ? e->argument : "");
    if (column > NAME_COLUMNS - 2)
        column = printf("\n") - 1;
    printf("%*s", NAME_COLUMNS - column, "");
    describe(text, sizeof(text), e);
    put_wrapped(NAME_COLUMNS, text);
}

/* "--a A|--b B" for "a|b" */
static void put_synopsis(const char *names)
{
    char name[64];
    int i;
    for (i = 0; cli_next_name(name, sizeof(name), &names, "|"); i++)
        printf("%s--%s %s", i > 0 ? "|" : " ", name, cli_option_named(name)->argument);
}

/* ---- tables ---- */

static void put_pairs(void)
{
    static const char *const sides[] = {
        [SHUF_SIDE_UPPER] = "bounds mechanisms from above", [SHUF_SIDE_LOWER] = "bounds them from below"
    };
    int kind;
    puts("\nPairs, the options that each takes, and its side:");
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        const shuf_pair_facts *facts = shuf_pair_about((shuf_pair_kind) kind);
        const cli_option *e;
        size_t i;
        int column = printf("  %-20s --n", facts->name);
        for (i = 0; (e = cli_option_at(i)) != NULL; i++)
            if (e->takes & facts->takes)
                column += printf("%s--%s", e->takes == SHUF_TAKES_GAMMA ? "|" : " ", e->name);
        printf("%*s%s\n", FLINT_MAX(52 - column, 1), "", facts->side == SHUF_SIDE_NONE ? "the pair itself" : sides[facts->side]);
    }
    puts("  krr --others same    the same as krr-same; krr --others third is krr-third");
}

static void put_samplers(void)
{
    static const char *const needs[SHUF_BATCH_SAMPLERS] = {
        [SHUF_BATCH_FIXED] = "The loader puts each record into one batch of an epoch; which one may be known.",
        [SHUF_BATCH_POISSON] = "The loader puts each record into each batch with the sampling rate, independently; "
                                "batches vary in size.",
        [SHUF_BATCH_BALLS_AND_BINS] = "The loader puts each record into one batch of each epoch, drawn independently; "
                                       "batches vary in size.",
        [SHUF_BATCH_SHUFFLE] = "The loader permutes all records anew for each epoch and cuts them into batches of equal size, "
                               "with none left over.",
        [SHUF_BATCH_ALLOCATION] = "The loader puts each record into sampling rate times steps of the batches of each epoch, "
                                  "drawn independently; give both options."
    };
    int i;
    puts("\nSamplers, and what each needs of the data loader:");
    for (i = 0; i < SHUF_BATCH_SAMPLERS; i++)
    {
        printf("  %-*s", NAME_COLUMNS - 2, shuf_batch_sampler_name((shuf_batch_sampler) i));
        put_wrapped(NAME_COLUMNS, needs[i]);
    }
}

/* ---- pages ---- */

int help_all(FILE *out)
{
    const char *group = "";
    const cli_command *c;
    size_t i;
    fputs("usage: shufbound COMMAND [OPTIONS]\n\n"
          "Certified bounds on differential privacy: each answer is an interval that is proved to contain the value.\n", out);
    for (i = 0; (c = cli_command_at(i)) != NULL; i++)
    {
        if (strcmp(group, c->group) != 0)
            fprintf(out, "\n%s\n", group = c->group);
        fprintf(out, "  %-10s  %s\n", c->name, c->about);
    }
    fprintf(out, "\nFor example: shufbound %s\n"
            "shufbound COMMAND --help explains a command, shufbound --version prints the version; see shufbound(1).\n",
            cli_command_named("epsilon")->examples[0]);
    return out == stdout ? report_finish(EXIT_DONE) : EXIT_USAGE;
}

int help_command(const cli_command *c)
{
    const char *list = c->needs, *before;
    char names[80], name[64];
    size_t i;
    printf("usage: shufbound %s%s%s", c->name, c->operands != NULL ? " " : "", c->operands != NULL ? c->operands : "");
    while (cli_next_name(names, sizeof(names), &list, " "))
        put_synopsis(names);
    printf("%s\n\n", c->options[0] != '\0' ? " [OPTIONS]" : "");
    put_wrapped(0, c->about);
    put_wrapped(0, c->more);
    if (c->needs[0] != '\0')
        puts("\nNeeded:");
    for (list = c->needs; cli_next_name(names, sizeof(names), &list, " ");)
    {
        const char *rest = names;
        for (before = ""; cli_next_name(name, sizeof(name), &rest, "|"); before = "or ")
            put_option(name, before);
    }
    if (c->options[0] != '\0')
        puts("\nOptions:");
    for (list = c->options; cli_next_name(name, sizeof(name), &list, " ");)
        if (!cli_is_listed(c->needs, name, " |"))
            put_option(name, "");
    if (cli_is_listed(c->options, "pair", " "))
        put_pairs();
    if (cli_is_listed(c->options, "sampler", " "))
        put_samplers();
    puts("\nExamples:");
    for (i = 0; i < CLI_EXAMPLES; i++)
        printf("  shufbound %s\n", c->examples[i]);
    return report_finish(EXIT_DONE);
}

/* All options as the manual page has them. */
static int help_mdoc(void)
{
    const cli_option *e;
    char text[400], word[64];
    size_t i;
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
    {
        const char *list = e->argument != NULL ? e->argument : "", *between = "";
        printf(".It Fl -%s", e->name);
        while (cli_next_name(word, sizeof(word), &list, "|"))
        {
            printf("%s %s %s", between, word[0] >= 'a' && word[0] <= 'z' ? "Cm" : "Ar", word);
            between = " Ns | Ns";
        }
        describe(text, sizeof(text), e);
        printf("\n%s\n", text);
    }
    return report_finish(EXIT_DONE);
}

int cli_command_help(const cli_options *o)
{
    const cli_command *c;
    if (o->operands == 0)
        return help_all(stdout);
    if (strcmp(o->operand[0], "mdoc") == 0)
        return help_mdoc();
    return (c = cli_command_named(o->operand[0])) != NULL ? help_command(c) : EXIT_USAGE;
}
