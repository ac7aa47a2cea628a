/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"
#include "theorem/theorem_json.h"
#include "enclosure/memory.h"

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
    putchar('\n');
    json_decref(object);
}

int cli_command_theorems(const cli_options *o)
{
    const shuf_theorem *all;
    size_t count, i;
    int j;

    all = shuf_theorems(&count);
    for (j = 0; j < o->operands; j++)
        if (shuf_theorem_find(o->operand[j]) == NULL)
            return cli_fail(EXIT_USAGE, "no theorem \"%.60s\"; shufbound theorems lists them", o->operand[j]);
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
