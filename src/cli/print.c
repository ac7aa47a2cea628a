/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "cli/cli.h"

static char *mag_text(const mag_t x)
{
    arf_t a;
    char *text;
    arf_init(a);
    arf_set_mag(a, x);
    text = shuf_decimal(a, 3, 1);
    arf_clear(a);
    return text;
}

/* object[key] := a ledger entry as a decimal rounded up. */
static void set_mag(json_t *object, const char *key, const mag_t x)
{
    char *text = mag_text(x);
    json_object_set_new(object, key, json_string(text));
    flint_free(text);
}

static json_t *parameters(const cli_options *o)
{
    json_t *object = json_object();
    const char *name, *value;
    size_t i;
    for (i = 0; (value = cli_parameter(&name, o, i)) != NULL; i++)
        json_object_set_new(object, name, json_string(value));
    return object;
}

/* The worst status of the theorems that a result rests on. */
static shuf_theorem_status result_status(const cli_result *result)
{
    shuf_theorem_status worst = shuf_theorem_find(result->theorem)->status, s;
    size_t i;
    for (i = 0; i < CLI_MAX_LINES && result->through[i] != NULL; i++)
    {
        s = shuf_theorem_find(result->through[i])->status;
        worst = FLINT_MAX(worst, s);
    }
    return worst;
}

static const char *kind_of(const cli_result *result)
{
    return result->kind != NULL ? result->kind : shuf_theorem_find(result->theorem)->kind;
}

/* Evaluated to compare with, and worth nothing else. */
static int is_no_bound(const cli_result *result)
{
    shuf_theorem_status status = result_status(result);
    return status == SHUF_UNPROVED || status == SHUF_ASYMPTOTIC || status == SHUF_REFUTED;
}

static json_t *lines(const char *const *line)
{
    json_t *array = json_array();
    size_t i;
    for (i = 0; i < CLI_MAX_LINES && line[i] != NULL; i++)
        json_array_append_new(array, json_string(line[i]));
    return array;
}

/* object[key] := the text, if there is one. */
static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

static json_t *ledger_json(const shuf_enclosure_t r)
{
    json_t *ledger = json_object();
    set_mag(ledger, "truncation", r->ledger.truncation);
    set_mag(ledger, "discretisation", r->ledger.discretisation);
    if (r->ledger.step > 0)
        set_mag(ledger, "aliasing", r->ledger.aliasing);
    set_mag(ledger, "rounding", r->ledger.rounding);
    if (r->ledger.step > 0)
        json_object_set_new(ledger, "step", json_real(r->ledger.step));
    json_object_set_new(ledger, "terms", json_integer((json_int_t) r->ledger.terms));
    json_object_set_new(ledger, "precision", json_integer((json_int_t) r->ledger.precision));
    return ledger;
}

/* lo and hi are NULL for an infinite value. */
static void print_json(const cli_result *result, const shuf_enclosure_t r, const char *lo, const char *hi, const cli_options *o)
{
    json_t *object = json_object(), *round;
    set_text(object, "quantity", result->quantity);
    if (lo == NULL)
    {
        json_object_set_new(object, "infinite", json_true());
    }
    else
    {
        char *lo_hex = shuf_hexfloat(r->lo, 0), *hi_hex = shuf_hexfloat(r->hi, 1);
        set_text(object, "lo", lo);
        set_text(object, "hi", hi);
        set_text(object, "lo_hex", lo_hex);
        set_text(object, "hi_hex", hi_hex);
        flint_free(lo_hex);
        flint_free(hi_hex);
    }
    set_text(object, "theorem", result->theorem);
    set_text(object, "status", shuf_theorem_status_name(result_status(result)));
    set_text(object, "kind", kind_of(result));
    if (is_no_bound(result))
        json_object_set_new(object, "not_a_bound", json_true());
    if (result->through[0] != NULL)
        json_object_set_new(object, "through", lines(result->through));
    if (result->note[0] != NULL)
        json_object_set_new(object, "notes", lines(result->note));
    set_text(object, "order", result->order);
    if (result->round_eps != NULL)
    {
        round = json_object();
        set_text(round, "eps", result->round_eps);
        set_text(round, "delta", result->round_delta);
        json_object_set_new(object, "per_round", round);
    }
    json_object_set_new(object, "accuracy_reached", json_boolean(r->status == SHUF_OK));
    json_object_set_new(object, "params", parameters(o));
    if (lo != NULL)
        json_object_set_new(object, "ledger", ledger_json(r));
    json_object_set_new(object, "elapsed_s", json_real(r->ledger.seconds));
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
}

static void print_ledger(const shuf_enclosure_t r)
{
    char *truncation = mag_text(r->ledger.truncation);
    char *discretisation = mag_text(r->ledger.discretisation);
    char *rounding = mag_text(r->ledger.rounding);
    printf("  ledger (upper bounds on each part of the width)\n");
    printf("    truncation      %s\n    discretisation  %s\n", truncation, discretisation);
    if (r->ledger.step > 0)
    {
        char *aliasing = mag_text(r->ledger.aliasing);
        printf("    aliasing        %s\n", aliasing);
        flint_free(aliasing);
    }
    printf("    rounding        %s\n", rounding);
    if (r->ledger.step > 0)
        printf("    grid step       %.6g\n", r->ledger.step);
    printf("    terms %lu, precision %ld bits, %.4f s\n", (unsigned long) r->ledger.terms, (long) r->ledger.precision,
           r->ledger.seconds);
    flint_free(truncation);
    flint_free(discretisation);
    flint_free(rounding);
}

static void print_theorem_line(const char *id, const char *kind, int explain)
{
    const shuf_theorem *t = shuf_theorem_find(id);
    printf("  theorem %s (%s, %s)\n", id, t->status == SHUF_PROVED ? "proved" : "does not certify", kind);
    if (explain)
        printf("    %s\n    validity: %s\n    source: %s\n", t->statement, t->validity, t->source);
    if (explain || t->status != SHUF_PROVED)
        printf("    proof: %s\n", t->proof);
}

static void print_text(const cli_result *result, const shuf_enclosure_t r, const char *lo, const char *hi, const cli_options *o)
{
    const shuf_theorem *theorem = shuf_theorem_find(result->theorem);
    size_t i;
    if (lo != NULL)
        printf("%s in [%s, %s]\n", result->quantity, lo, hi);
    else
        printf("%s: infinite (the largest privacy loss is infinite)\n", result->quantity);
    if (is_no_bound(result))
        printf("  not a bound: %s is %s\n", result->theorem, shuf_theorem_status_name(result_status(result)));
    if (lo != NULL && result->guarantee != NULL)
        printf("  %s\n", result->guarantee);
    if (lo != NULL && r->status != SHUF_OK)
        printf("  accuracy not reached, the interval is valid\n");
    if (result->order != NULL)
        printf("  order %s\n", result->order);
    if (result->round_eps != NULL)
        printf("  each round is (%s, %s)-DP\n", result->round_eps, result->round_delta);
    for (i = 0; i < CLI_MAX_LINES && result->note[i] != NULL; i++)
        printf("  %s\n", result->note[i]);
    print_theorem_line(theorem->id, theorem->kind, o->explain);
    for (i = 0; i < CLI_MAX_LINES && result->through[i] != NULL; i++)
        print_theorem_line(result->through[i], shuf_theorem_find(result->through[i])->kind, o->explain);
    if (o->explain && lo != NULL)
        print_ledger(r);
}

int cli_finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_fail(EXIT_CANNOT_WRITE, "cannot write to standard output: %s", strerror(errno));
    return status;
}

int cli_print_result(const cli_result *result, shuf_enclosure_t r, const cli_options *o, slong digits)
{
    char *lo = NULL, *hi = NULL;
    int infinite = arf_is_pos_inf(r->lo);

    if (!infinite && !arf_is_finite(r->hi))
        return cli_fail(EXIT_ACCURACY, "no finite upper end of %s was found within the budget", result->quantity);
    if (!infinite)
        shuf_enclosure_print(&lo, &hi, r, digits + 5);
    if (o->json)
        print_json(result, r, lo, hi, o);
    else
        print_text(result, r, lo, hi, o);
    flint_free(lo);
    flint_free(hi);
    return cli_finish(r->status == SHUF_OK ? EXIT_DONE : EXIT_ACCURACY);
}
