/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "cli/cli.h"

/* 0 all certified, 1 some refuted, 2 some undecided and none refuted. */
static int exit_status(const shuf_verdict_struct *v, size_t count)
{
    size_t i;
    int undecided = 0;
    for (i = 0; i < count; i++)
    {
        if (v[i].kind == SHUF_REFUTED_CLAIM)
            return 1;
        undecided |= v[i].kind == SHUF_UNDECIDED;
    }
    return undecided ? 2 : 0;
}

/* A decimal in a rotating set of buffers, for printf. */
static const char *decimal(const arf_t x, slong digits, int up)
{
    static char buffers[8][48];
    static int next;
    char *text = arf_is_finite(x) ? shuf_decimal(x, digits, up) : NULL;
    char *out = buffers[next++ % 8];
    snprintf(out, sizeof(buffers[0]), "%s", text != NULL ? text : "none");
    flint_free(text);
    return out;
}

/* The number that decides: of the Renyi divergence, or of delta. */
static const shuf_enclosure_struct *value_of(const shuf_claim_struct *c, const shuf_claim_bound *b)
{
    return c->kind == SHUF_CLAIM_RENYI ? b->renyi : b->delta;
}

/* What the columns compare: the Renyi divergence, or eps. */
static const shuf_enclosure_struct *column_of(const shuf_claim_struct *c, const shuf_claim_bound *b)
{
    return c->kind == SHUF_CLAIM_RENYI ? b->renyi : b->eps;
}

static void print_theorem(const shuf_claim_bound *b)
{
    printf("%s", b->theorem);
    if (b->sampling[0] != '\0')
        printf(", %s", b->sampling);
    if (b->composition[0] != '\0')
        printf(", %s", b->composition);
}

/* What a bound that decides says, in delta or, where only eps shows it, in eps. */
static void print_upper(const shuf_claim_struct *c, const shuf_claim_bound *b)
{
    print_theorem(b);
    if (c->kind == SHUF_CLAIM_DP && shuf_real_cmp_arf(c->delta, b->delta->hi) < 0)
        printf(": eps <= %s", decimal(b->eps->hi, 6, 1));
    else
        printf(": %s <= %s", c->kind == SHUF_CLAIM_DP ? "delta" : "renyi", decimal(value_of(c, b)->hi, 4, 1));
}

static void print_lower(const shuf_claim_struct *c, const shuf_claim_bound *b)
{
    print_theorem(b);
    if (c->kind == SHUF_CLAIM_RENYI)
        printf(": renyi >= %s > %.30s", decimal(b->renyi->lo, 4, 0), c->renyi->text);
    else if (shuf_real_cmp_arf(c->delta, b->delta->lo) >= 0)
        printf(": eps >= %s > %.30s", decimal(b->eps->lo, 6, 0), c->eps->text);
    else
        printf(": delta >= %s > %.30s", decimal(b->delta->lo, 4, 0), c->delta->text);
}

/* Why the verdict is what it is, in one line. */
static void print_reason(const shuf_claim_struct *c, const shuf_verdict_struct *v)
{
    const char *name = c->kind == SHUF_CLAIM_RENYI ? "renyi" : "delta", *separator = "";
    const shuf_claim_bound *lower = &v->lower[v->best_lower], *upper = &v->upper[v->best_upper];
    size_t i;
    switch (v->kind)
    {
    case SHUF_CERTIFIED:
        for (i = 0; i < v->uppers; i++)
        {
            const shuf_claim_bound *b = &v->upper[i];
            if (b->sign >= 0)
                continue;
            fputs(separator, stdout);
            print_upper(c, b);
            separator = "; ";
        }
        break;
    case SHUF_REFUTED_CLAIM:
        print_lower(c, lower);
        break;
    case SHUF_UNDECIDED:
        printf("%s", v->reason);
        if (v->lowers > 0)
        {
            printf("; %s >= %s (", name, decimal(value_of(c, lower)->lo, 4, 0));
            print_theorem(lower);
            putchar(')');
        }
        if (v->uppers > 0)
        {
            printf("; %s <= %s (", name, decimal(value_of(c, upper)->hi, 4, 1));
            print_theorem(upper);
            putchar(')');
        }
    }
}

static void print_row(const shuf_claim_struct *c, const shuf_verdict_struct *v)
{
    char point[64];
    if (c->kind == SHUF_CLAIM_RENYI)
        snprintf(point, sizeof(point), "(order %.18s, %.18s)-RDP", c->order->text, c->renyi->text);
    else
        snprintf(point, sizeof(point), "(%.20s, %.20s)", c->eps->text, c->delta->text);
    printf("%-10s %-34.34s %-28s %12s %12s  ", shuf_verdict_name(v->kind), c->id, point,
           v->uppers > 0 ? decimal(column_of(c, &v->upper[v->best_upper])->hi, 5, 1) : "-",
           v->lowers > 0 ? decimal(column_of(c, &v->lower[v->best_lower])->lo, 5, 0) : "-");
    print_reason(c, v);
    putchar('\n');
}

static json_t *end_json(const arf_t x, int up)
{
    char *text = arf_is_finite(x) ? shuf_decimal(x, 12, up) : NULL;
    json_t *json = text != NULL ? json_string(text) : json_null();
    flint_free(text);
    return json;
}

/* An infinite end is null. */
static json_t *interval(const shuf_enclosure_t r)
{
    json_t *pair = json_object();
    json_object_set_new(pair, "lo", end_json(r->lo, 0));
    json_object_set_new(pair, "hi", end_json(r->hi, 1));
    return pair;
}

static json_t *bounds_json(const shuf_claim_struct *c, const shuf_claim_bound *b, size_t count)
{
    json_t *array = json_array();
    size_t i;
    for (i = 0; i < count; i++)
    {
        json_t *o = json_object();
        json_object_set_new(o, "theorem", json_string(b[i].theorem));
        json_object_set_new(o, "status", json_string(shuf_theorem_status_name(shuf_theorem_find(b[i].theorem)->status)));
        if (b[i].sampling[0] != '\0')
            json_object_set_new(o, "subsampling", json_string(b[i].sampling));
        if (b[i].composition[0] != '\0')
            json_object_set_new(o, "composition", json_string(b[i].composition));
        if (c->kind == SHUF_CLAIM_RENYI)
        {
            json_object_set_new(o, "renyi_at_order", interval(b[i].renyi));
        }
        else
        {
            json_object_set_new(o, "delta_at_eps", interval(b[i].delta));
            json_object_set_new(o, "eps_at_delta", interval(b[i].eps));
        }
        json_array_append_new(array, o);
    }
    return array;
}

static json_t *count_json(uint64_t n)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long) n);
    return json_string(text);
}

static void print_json(const shuf_claim_struct *c, const shuf_verdict_struct *v)
{
    const shuf_mechanism_struct *m = c->mechanism;
    json_t *o = json_object();
    json_object_set_new(o, "id", json_string(c->id));
    json_object_set_new(o, "verdict", json_string(shuf_verdict_name(v->kind)));
    json_object_set_new(o, "n", count_json(m->n));
    json_object_set_new(o, "eps0", m->eps0_is_infinite ? json_null() : json_string(m->eps0->text));
    json_object_set_new(o, "rounds", count_json(m->rounds));
    json_object_set_new(o, "sampled", count_json(m->sampled));
    if (c->kind == SHUF_CLAIM_RENYI)
    {
        json_object_set_new(o, "order", json_string(c->order->text));
        json_object_set_new(o, "renyi", json_string(c->renyi->text));
    }
    else
    {
        json_object_set_new(o, "eps", json_string(c->eps->text));
        json_object_set_new(o, "delta", json_string(c->delta->text));
    }
    json_object_set_new(o, "reason", json_string(v->reason));
    json_object_set_new(o, "upper", bounds_json(c, v->upper, v->uppers));
    json_object_set_new(o, "lower", bounds_json(c, v->lower, v->lowers));
    json_object_set_new(o, "source", json_string(c->source));
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

static int load_all(shuf_claim_list *all, const cli_options *o)
{
    char error[256];
    int i;
    all->items = NULL;
    all->count = 0;
    for (i = 0; i < o->operands; i++)
    {
        shuf_claim_list one;
        if (shuf_claims_load(&one, o->operand[i], error, sizeof(error)) != 0)
        {
            shuf_claims_clear(all);
            return cli_fail(EXIT_DATA, "%s: %s", o->operand[i], error);
        }
        all->items = flint_realloc(all->items, (all->count + one.count + 1) * sizeof(shuf_claim_struct));
        if (one.count > 0)
            memcpy(all->items + all->count, one.items, one.count * sizeof(shuf_claim_struct));
        all->count += one.count;
        flint_free(one.items);
    }
    return 0;
}

int cli_command_audit(const cli_options *o)
{
    shuf_claim_list claims;
    shuf_verdict_struct *verdicts;
    shuf_options budget;
    cli_file page;
    size_t i, done;
    int status, progress = !isatty(STDOUT_FILENO); /* the rows are progress enough */
    char line[80];

    if (o->operands == 0)
        return cli_fail(EXIT_USAGE, "audit needs one or more claim files");
    if (o->pair != NULL || o->n != NULL || o->eps0 != NULL || o->eps != NULL || o->delta != NULL || o->fast || o->solve != NULL)
        return cli_fail(EXIT_USAGE, "audit takes claim files, --json, --html, --explain and --max-seconds only");
    if ((status = cli_budget(&budget, o)) != 0 || (status = load_all(&claims, o)) != 0)
        return status;
    if (o->html != NULL && (status = cli_file_open(&page, "--html", o->html)) != 0)
    {
        shuf_claims_clear(&claims);
        return status;
    }
    verdicts = flint_calloc(claims.count + 1, sizeof(shuf_verdict_struct));
    cli_catch_interrupt();
    if (!o->json)
        printf("%-10s %-34s %-28s %12s %12s  %s\n", "VERDICT", "CLAIM", "CLAIMED", "CERTIFIED AT", "REFUTED TO", "BECAUSE");
    for (done = 0; done < claims.count && !cli_interrupted(); done++)
    {
        snprintf(line, sizeof(line), "%zu/%zu %.40s", done + 1, claims.count, claims.items[done].id);
        if (progress)
            cli_show(line);
        shuf_claim_audit(&verdicts[done], &claims.items[done], &budget);
        if (o->json)
            print_json(&claims.items[done], &verdicts[done]);
        else
            print_row(&claims.items[done], &verdicts[done]);
        if (!o->json && o->explain)
            printf("           %s\n", claims.items[done].source);
        fflush(stdout);
    }
    cli_show("");
    if (!o->json)
        printf("CERTIFIED AT: the smallest eps certified at the claimed delta. REFUTED TO: every eps below it is refuted at that delta.\n"
               "(order A, E)-RDP: the same of the Renyi divergence at the order A.\n");
    status = exit_status(verdicts, done);
    if (done < claims.count)
        status = cli_fail(130, "interrupted after %zu of %zu claims", done, claims.count);
    if (o->html != NULL)
    {
        int failed;
        shuf_report_html(page.out, claims.items, verdicts, done);
        if ((failed = cli_file_close(&page)) != 0)
            status = failed;
    }
    status = cli_finish(status);
    for (i = 0; i < done; i++)
        shuf_verdict_clear(&verdicts[i]);
    flint_free(verdicts);
    shuf_claims_clear(&claims);
    return status;
}
