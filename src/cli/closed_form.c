/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* bound: the closed forms of papers */
#include <stdio.h>
#include <string.h>

#include "cli/options_question.h"
#include "enclosure/memory.h"

/* SHUF_BOUND_MU has no point: it is taken when none is given. */
static const char *const quantity_names[] = { "epsilon", "delta", "renyi", "mu" };
static const char *const point_options[] = { "--delta", "--eps", "--order" };

/* The options that a theorem's forms take, for the list and for messages. */
static const char *usage_of(char *text, size_t size, const char *theorem)
{
    const shuf_bound_form *form = NULL;
    const char *points[3];
    int q, count = 0, mu = shuf_bound_find(theorem, SHUF_BOUND_MU) != NULL;
    for (q = SHUF_BOUND_EPSILON; q <= SHUF_BOUND_RENYI; q++)
    {
        const shuf_bound_form *f = shuf_bound_find(theorem, (shuf_bound_quantity) q);
        if (f != NULL)
        {
            form = f;
            points[count++] = point_options[q];
        }
    }
    snprintf(text, size, "--n --eps0%s%s%s %s%s%s%s%s", form->takes_k ? " --k" : "", form->takes_delta0 ? " --delta0" : "",
             form->takes_gamma ? " [--gamma]" : "", mu ? "[" : "", points[0], count > 1 ? "|" : "", count > 1 ? points[1] : "",
             mu ? "]" : "");
    return text;
}

static int list_forms(const cli_options *o)
{
    char usage[96];
    size_t count, i;
    const shuf_bound_form *forms = shuf_bound_forms(&count);
    if (cli_allow(o, "the list of forms", "json") != 0)
        return EXIT_USAGE;
    for (i = 0; i < count; i++)
    {
        const char *status = shuf_theorem_status_name(shuf_theorem_find(forms[i].theorem)->status);
        if (o->json)
        {
            json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:b}", "theorem", forms[i].theorem, "status", status,
                                       "quantity", quantity_names[forms[i].quantity], "point",
                                       forms[i].quantity == SHUF_BOUND_MU ? "" : point_options[forms[i].quantity] + 2, "takes_k", forms[i].takes_k, "takes_delta0",
                                       forms[i].takes_delta0, "takes_gamma", forms[i].takes_gamma);
            memory_dump(stdout, object, JSON_COMPACT);
            json_decref(object);
        }
        else if (i == 0 || strcmp(forms[i].theorem, forms[i - 1].theorem) != 0)
        {
            printf("%-25s %-11s %s\n", forms[i].theorem, status, usage_of(usage, sizeof(usage), forms[i].theorem));
        }
    }
    return report_finish(EXIT_DONE);
}

/* The theorem of the registry that has a closed form under that name, or NULL. */
static const shuf_theorem *find_theorem(const char *name)
{
    int q;
    for (q = SHUF_BOUND_EPSILON; q <= SHUF_BOUND_RENYI; q++)
        if (shuf_bound_find(name, (shuf_bound_quantity) q) != NULL)
            return shuf_theorem_find(name);
    return NULL;
}

/* A missing or a superfluous parameter. */
static int check_parameter(const char *option, const char *value, int wanted, int required, const char *theorem, const char *usage)
{
    if (value != NULL && !wanted)
        return report_fail(EXIT_USAGE, "%s does not go with %s, which takes %s", option, theorem, usage);
    if (value == NULL && wanted && required)
        return report_fail(EXIT_USAGE, "%s is missing: %s takes %s", option, theorem, usage);
    return 0;
}

/* form := the form for the point that is given. */
static int choose_form(const shuf_bound_form **form, const cli_options *o, const shuf_theorem *theorem)
{
    const char *point[] = { o->delta, o->eps, o->order };
    char usage[96];
    int q, chosen = -1, status;
    usage_of(usage, sizeof(usage), theorem->id);
    for (q = SHUF_BOUND_EPSILON; q <= SHUF_BOUND_RENYI; q++)
    {
        if (point[q] == NULL)
            continue;
        if (chosen >= 0)
            return report_fail(EXIT_USAGE, "%s and %s exclude each other: %s takes %s", point_options[chosen], point_options[q],
                               theorem->id, usage);
        chosen = q;
        *form = shuf_bound_find(theorem->id, (shuf_bound_quantity) q);
        if (*form == NULL)
            return report_fail(EXIT_USAGE, "%s does not go with %s, which takes %s", point_options[q], theorem->id, usage);
    }
    if (chosen < 0 && (*form = shuf_bound_find(theorem->id, SHUF_BOUND_MU)) == NULL)
        return report_fail(EXIT_USAGE, "%s takes %s", theorem->id, usage);
    if ((status = check_parameter("--n", o->n, 1, 1, theorem->id, usage)) != 0
        || (status = check_parameter("--eps0", o->eps0, 1, 1, theorem->id, usage)) != 0
        || (status = check_parameter("--k", o->k, (*form)->takes_k, 1, theorem->id, usage)) != 0
        || (status = check_parameter("--delta0", o->delta0, (*form)->takes_delta0, 1, theorem->id, usage)) != 0
        || (status = check_parameter("--gamma", o->gamma, (*form)->takes_gamma, 0, theorem->id, usage)) != 0)
        return status;
    return 0;
}

/* The question that has that value as its answer. */
static json_t *form_question(const shuf_bound_form *form, const cli_options *o)
{
    json_t *mechanism = json_pack("{s:s}", "type", form->takes_k ? "krr" : "ldp"), *theorem = json_pack("{s:s}", "theorem", form->theorem), *question;
    cli_set_options(mechanism, o, "k eps0");
    cli_set_options(theorem, o, "delta0 gamma");
    question = json_pack("{s:o, s:o, s:o}", "mechanism", mechanism, "form", theorem, "ask",
                         cli_ask(o, form->quantity == SHUF_BOUND_MU ? "gdp" : quantity_names[form->quantity], "delta eps order"));
    cli_set(question, "users", o->n);
    cli_set_how(question, o);
    return question;
}

int cli_command_bound(const cli_options *o)
{
    const shuf_theorem *theorem;
    const shuf_bound_form *form = NULL;
    int status;
    if (o->operands == 0)
        return list_forms(o);
    if (strcmp(o->operand[0], "feldman21-5.2") == 0)
        return cli_bound_feldman21_52(o);
    if ((theorem = find_theorem(o->operand[0])) == NULL)
        return report_fail(EXIT_USAGE, "bound \"%.60s\" is not a closed form; shufbound bound lists them", o->operand[0]);
    status = choose_form(&form, o, theorem);
    return status != 0 ? status : cli_ask_and_print(form_question(form, o), o);
}
