/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"
#include "config.h"
#include "enclosure/memory.h"
#include "exact/names.h"
#include "theorem/papers.h"
#include "theorem/theorem_json.h"

#define MAX_THEOREMS 400 /* size of a buffer */
#define YEAR "2026" /* of the version: CITATION.cff has it, too */

/* Whether all operands are theorems; 0, or EXIT_USAGE after a message. */
static int check_names(const cli_options *o)
{
    char ids[MAX_THEOREMS * 32] = "", nearest[NAMES_SIZE];
    const shuf_theorem *all;
    size_t count, i;
    int j;
    all = shuf_theorems(&count);
    for (i = 0; i < count; i++)
        snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%s ", all[i].id);
    for (j = 0; j < o->operands && shuf_theorem_find(o->operand[j]) != NULL; j++)
        ;
    if (j == o->operands)
        return 0;
    if (names_nearest(nearest, o->operand[j], ids))
        return report_fail(EXIT_USAGE, "no theorem \"%.60s\": did you mean %s? shufbound theorems lists them", o->operand[j], nearest);
    return report_fail(EXIT_USAGE, "no theorem \"%.60s\"; shufbound theorems lists them", o->operand[j]);
}

static void print_theorem(const shuf_theorem *t)
{
    printf("%s\n  status     %s\n  side       %s\n  checked    %s%s%s\n", t->id, shuf_theorem_status_name(t->status),
           shuf_side_name(t->side), shuf_checked_name(t->checked), t->checked_in != NULL ? ": " : "",
           t->checked_in != NULL ? t->checked_in : "");
    printf("  statement  %s\n  validity   %s\n  source     %s\n  proof      %s\n", t->statement, t->validity, t->source, t->proof);
}

static void print_theorem_json(const shuf_theorem *t)
{
    json_t *object = theorem_json(t);
    memory_dump(stdout, object, JSON_COMPACT);
    json_decref(object);
}

int cli_command_theorems(const cli_options *o)
{
    const shuf_theorem *all;
    size_t count, i;
    int j;

    if (check_names(o) != 0)
        return EXIT_USAGE;
    all = shuf_theorems(&count);
    if (o->operands == 0 && !o->json)
    {
        for (i = 0; i < count; i++)
            printf("%-25s %-11s %-12s %-6s %.*s\n", all[i].id, shuf_theorem_status_name(all[i].status),
                   shuf_side_name(all[i].side), shuf_checked_name(all[i].checked), (int) strcspn(all[i].source, ";("), all[i].source);
        return report_finish(EXIT_DONE);
    }
    for (i = 0; o->operands == 0 && i < count; i++)
        print_theorem_json(&all[i]);
    for (j = 0; j < o->operands; j++)
    {
        if (o->json)
            print_theorem_json(shuf_theorem_find(o->operand[j]));
        else
            print_theorem(shuf_theorem_find(o->operand[j]));
    }
    return report_finish(EXIT_DONE);
}

/* ---- cite ---- */

/* Whether one of the operands names the paper, or if there is none any theorem. */
static int is_cited(const shuf_paper *p, const cli_options *o)
{
    int j;
    for (j = 0; j < o->operands; j++)
        if (shuf_paper_is_source(p, shuf_theorem_find(o->operand[j])))
            return 1;
    return o->operands == 0;
}

static void print_paper(const shuf_paper *p)
{
    printf("@%s{%s,\n  author = {%s},\n  title = {{%s}},\n", p->kind, p->key, p->authors, p->title);
    if (p->venue != NULL)
        printf("  %s = {%s},\n", strcmp(p->kind, "article") == 0 ? "journal" : "booktitle", p->venue);
    if (p->arxiv != NULL)
        printf("  eprint = {%s},\n  eprinttype = {arxiv},\n", p->arxiv);
    printf("  year = {%s}\n}\n", p->year);
}

/* The program, with the pages that have the proofs: for theorems of our own, and those that are proved here in another way. */
static void print_program(const cli_options *o)
{
    const char *before = "@misc{shufbound,\n  author = {{The shufbound maintainers}},\n"
                         "  title = {{shufbound: certified accounting for shuffle-model differential privacy}},\n  year = {" YEAR "},\n  note = {version " PACKAGE_VERSION "; ";
    char seen[2000] = "", page[80];
    int j;
    if (o->operands == 0)
        printf("%sproofs/README.md", before);
    for (j = 0; j < o->operands; j++)
    {
        const char *at = strstr(shuf_theorem_find(o->operand[j])->proof, "proofs/");
        if (at == NULL)
            continue;
        snprintf(page, sizeof(page), "%.*s ", (int) strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789-/."), at);
        if (strstr(seen, page) != NULL)
            continue;
        printf("%s%.*s", seen[0] != '\0' ? ", " : before, (int) strlen(page) - 1, page);
        snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s", page);
    }
    if (o->operands == 0 || seen[0] != '\0')
        puts("}\n}");
}

int cli_command_cite(const cli_options *o)
{
    const shuf_paper *all;
    size_t count, i;
    int j;
    if (check_names(o) != 0)
        return EXIT_USAGE;
    for (j = 0; j < o->operands; j++)
        printf("%% %s: %s\n", o->operand[j], shuf_theorem_find(o->operand[j])->source);
    all = shuf_papers(&count);
    for (i = 0; i < count; i++)
        if (is_cited(&all[i], o))
            print_paper(&all[i]);
    print_program(o);
    return report_finish(EXIT_DONE);
}
