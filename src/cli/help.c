/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/help.h"

#include <string.h>

#include "account/vocabulary.h"
#include "enclosure/memory.h"

/* Layout. */
#define COLUMNS 100
#define NAME_COLUMNS 28

/* ---- pieces ---- */

/* The words of a text, in lines that begin after `indent` blanks; the first of them has begun already. */
static void put_wrapped(size_t indent, const char *text)
{
    size_t column = indent;
    char word[160];
    while (names_next(word, sizeof(word), &text, " "))
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
static void describe(char *text, size_t size, const char *about, const char *range, const char *otherwise)
{
    const int is_ranged = range != NULL, has_default = otherwise != NULL;
    snprintf(text, size, "%s%s%s%s%s%s%s.", about, is_ranged || has_default ? " (" : "", is_ranged ? range : "", is_ranged && has_default ? "; " : "",
             has_default ? "default: " : "", has_default ? otherwise : "", is_ranged || has_default ? ")" : "");
}

static void put_option(const char *name, const char *before)
{
    const cli_option *e = cli_option_named(name);
    char text[400];
    int column = printf("  %s--%s%s%s", before, e->name, e->argument != NULL ? " " : "", e->argument != NULL ? e->argument : "");
    if (column > NAME_COLUMNS - 2)
        column = printf("\n") - 1;
    printf("%*s", NAME_COLUMNS - column, "");
    describe(text, sizeof(text), e->about, e->range, e->otherwise);
    put_wrapped(NAME_COLUMNS, text);
}

/* "--a A|--b B" for "a|b" */
static void put_synopsis(const char *names)
{
    char name[64];
    int i;
    for (i = 0; names_next(name, sizeof(name), &names, "|"); i++)
        printf("%s--%s %s", i > 0 ? "|" : " ", name, cli_option_named(name)->argument);
}

/* ---- tables ---- */

static void put_row(const char *name, const char *text)
{
    int column = printf("  %s", name);
    if (column > NAME_COLUMNS - 2)
        column = printf("\n") - 1;
    printf("%*s", NAME_COLUMNS - column, "");
    put_wrapped(NAME_COLUMNS, text);
}

static void put_pairs(void)
{
    static const char *const sides[] = {
        [SHUF_SIDE_NONE] = "the pair itself", [SHUF_SIDE_UPPER] = "bounds mechanisms from above", [SHUF_SIDE_LOWER] = "bounds them from below"
    };
    int kind;
    puts("\nPairs, and the options that each takes:");
    for (kind = 0; kind < SHUF_PAIR_KINDS; kind++)
    {
        const shuf_pair_facts *facts = shuf_pair_about((shuf_pair_kind) kind);
        const cli_option *e;
        char text[300];
        size_t i;
        snprintf(text, sizeof(text), "%s; %s: --n", facts->about, sides[facts->side]);
        for (i = 0; (e = cli_option_at(i)) != NULL; i++)
            if (e->takes & facts->takes)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s--%s", e->takes == SHUF_TAKES_GAMMA ? "|" : " ", e->name);
        put_row(facts->name, text);
    }
    puts("  krr --others same         The same as krr-same; krr --others third is krr-third.");
}

static void put_samplers(void)
{
    int i;
    puts("\nSamplers, and what each needs of the data loader:");
    for (i = 0; i < SHUF_BATCH_SAMPLERS; i++)
        put_row(shuf_batch_about((shuf_batch_sampler) i)->name, shuf_batch_about((shuf_batch_sampler) i)->needs);
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
            "shufbound COMMAND --help explains a command; shufbound help mechanisms, pairs, samplers, quantities or members\n"
            "what a question may say; shufbound --version prints the version. See shufbound(1).\n",
            cli_command_named("epsilon")->examples[0]);
    return out == stdout ? report_finish(EXIT_DONE) : EXIT_USAGE;
}

int help_command(const cli_command *c)
{
    const char *list = c->needs, *before;
    char names[80], name[64];
    size_t i;
    printf("usage: shufbound %s%s%s", c->name, c->operands != NULL ? " " : "", c->operands != NULL ? c->operands : "");
    while (names_next(names, sizeof(names), &list, " "))
        put_synopsis(names);
    printf("%s\n\n", c->options[0] != '\0' ? " [OPTIONS]" : "");
    put_wrapped(0, c->about);
    put_wrapped(0, c->more);
    if (c->needs[0] != '\0')
        puts("\nNeeded:");
    for (list = c->needs; names_next(names, sizeof(names), &list, " ");)
    {
        const char *rest = names;
        for (before = ""; names_next(name, sizeof(name), &rest, "|"); before = "or ")
            put_option(name, before);
    }
    if (c->options[0] != '\0')
        puts("\nOptions:");
    for (list = c->options; names_next(name, sizeof(name), &list, " ");)
        if (!names_has(c->needs, name))
            put_option(name, "");
    if (names_has(c->options, "pair"))
        put_pairs();
    if (names_has(c->options, "sampler"))
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
        while (names_next(word, sizeof(word), &list, "|"))
        {
            printf("%s %s %s", between, word[0] >= 'a' && word[0] <= 'z' ? "Cm" : "Ar", word);
            between = " Ns | Ns";
        }
        describe(text, sizeof(text), e->about, e->range, e->otherwise);
        printf("\n%s\n", text);
    }
    return report_finish(EXIT_DONE);
}

/* ---- the words of a question ---- */

static void put_mechanisms(void)
{
    const shuf_randomiser_family *m;
    char text[500];
    size_t i;
    puts("\nTypes of mechanisms, and their members; of a|b one is given, and a? may be left out:");
    for (i = 0; (m = vocabulary_mechanism_at(i)) != NULL; i++)
    {
        snprintf(text, sizeof(text), "%s: %s.", m->members, m->about);
        put_row(m->name, text);
    }
}

static void put_quantities(void)
{
    char text[300];
    int i;
    puts("\nQuantities, and the point of each:");
    for (i = 0; i < SHUF_QUANTITIES; i++)
    {
        const vocabulary_quantity *q = vocabulary_quantity_about((shuf_quantity) i);
        snprintf(text, sizeof(text), "%s%s%s.", q->point, q->point[0] != '\0' ? ": " : "", q->about);
        put_row(q->name, text);
    }
}

static void put_members(void)
{
    const vocabulary_member *m;
    char text[800];
    size_t i;
    int j, object;
    for (object = 0; object < VOCABULARY_OBJECTS; object++)
    {
        if (object == OBJECT_ROUND) /* some of the question's */
            continue;
        printf("\nMembers of %s%s:\n", object == OBJECT_QUESTION ? "a " : "", vocabulary_objects[object]);
        for (i = 0; (m = vocabulary_member_at(i)) != NULL; i++)
        {
            if (!(m->in & 1u << object))
                continue;
            text[0] = '\0';
            for (j = 0; j < m->count; j++)
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", m->choices[j], j + 1 < m->count ? "|" : ": ");
            describe(text + strlen(text), sizeof(text) - strlen(text), m->about, m->range, m->otherwise);
            put_row(m->name, text);
        }
    }
}

static const struct { const char *name; void (*put)(void); } topics[] = {
    { "mechanisms", put_mechanisms }, { "members", put_members }, { "pairs", put_pairs }, { "quantities", put_quantities }, { "samplers", put_samplers },
};

/* What doc/schema/schema.py makes the schema and the tables of. */
static int help_vocabulary(void)
{
    json_t *all = vocabulary_json();
    memory_dump(stdout, all, JSON_INDENT(1));
    json_decref(all);
    return report_finish(EXIT_DONE);
}

int cli_command_help(const cli_options *o)
{
    const cli_command *c;
    size_t i;
    if (o->operands == 0)
        return help_all(stdout);
    if (strcmp(o->operand[0], "mdoc") == 0)
        return help_mdoc();
    if (strcmp(o->operand[0], "vocabulary") == 0)
        return help_vocabulary();
    for (i = 0; i < sizeof(topics) / sizeof(topics[0]); i++)
        if (strcmp(o->operand[0], topics[i].name) == 0)
        {
            topics[i].put();
            return report_finish(EXIT_DONE);
        }
    return (c = cli_command_named(o->operand[0])) != NULL ? help_command(c) : EXIT_USAGE;
}
