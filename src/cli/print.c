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
    const struct { const char *name, *value; } all[] = {
        { "pair", o->pair }, { "n", o->n }, { "k", o->k }, { "eps0", o->eps0 }, { "gamma", o->gamma },
        { "w0", o->w0 }, { "w1", o->w1 }, { "r0", o->r0 }, { "r1", o->r1 }, { "eps", o->eps }, { "delta", o->delta },
        { "direction", o->direction }, { "solve", o->solve }
    };
    json_t *object = json_object();
    size_t i;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].value != NULL)
            json_object_set_new(object, all[i].name, json_string(all[i].value));
    return object;
}

static int print_json(const char *quantity, const shuf_enclosure_t r, const char *lo, const char *hi,
                      const shuf_theorem *theorem, const cli_options *o)
{
    json_t *object = json_object(), *ledger = json_object();
    char *lo_hex = shuf_hexfloat(r->lo, 0), *hi_hex = shuf_hexfloat(r->hi, 1);
    int failed;
    json_object_set_new(object, "quantity", json_string(quantity));
    json_object_set_new(object, "lo", json_string(lo));
    json_object_set_new(object, "hi", json_string(hi));
    json_object_set_new(object, "lo_hex", json_string(lo_hex));
    json_object_set_new(object, "hi_hex", json_string(hi_hex));
    json_object_set_new(object, "theorem", json_string(theorem->id));
    json_object_set_new(object, "status", json_string(shuf_theorem_status_name(theorem->status)));
    json_object_set_new(object, "accuracy_reached", json_boolean(r->status == SHUF_OK));
    json_object_set_new(object, "params", parameters(o));
    set_mag(ledger, "truncation", r->ledger.truncation);
    set_mag(ledger, "discretisation", r->ledger.discretisation);
    set_mag(ledger, "rounding", r->ledger.rounding);
    json_object_set_new(ledger, "terms", json_integer((json_int_t) r->ledger.terms));
    json_object_set_new(ledger, "precision", json_integer((json_int_t) r->ledger.precision));
    json_object_set_new(object, "ledger", ledger);
    json_object_set_new(object, "elapsed_s", json_real(r->ledger.seconds));
    failed = json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(object);
    flint_free(lo_hex);
    flint_free(hi_hex);
    return failed;
}

static void print_ledger(const shuf_enclosure_t r)
{
    char *truncation = mag_text(r->ledger.truncation);
    char *discretisation = mag_text(r->ledger.discretisation);
    char *rounding = mag_text(r->ledger.rounding);
    printf("  ledger (upper bounds on each part of the width)\n");
    printf("    truncation      %s\n    discretisation  %s\n    rounding        %s\n", truncation, discretisation, rounding);
    printf("    terms %lu, precision %ld bits, %.4f s\n", (unsigned long) r->ledger.terms, (long) r->ledger.precision,
           r->ledger.seconds);
    flint_free(truncation);
    flint_free(discretisation);
    flint_free(rounding);
}

int cli_print_result(const char *quantity, shuf_enclosure_t r, const char *theorem_id, const cli_options *o, slong digits,
                     const char *guarantee)
{
    const shuf_theorem *theorem = shuf_theorem_find(theorem_id);
    char *lo, *hi;
    int failed = 0;

    shuf_enclosure_print(&lo, &hi, r, digits + 5);
    if (o->json)
    {
        failed = print_json(quantity, r, lo, hi, theorem, o);
    }
    else
    {
        printf("%s in [%s, %s]\n", quantity, lo, hi);
        if (guarantee != NULL)
            printf("  %s\n", guarantee);
        printf("  theorem %s (%s, %s)%s\n", theorem->id, theorem->status == SHUF_PROVED ? "proved" : "does not certify",
               theorem->kind, r->status == SHUF_OK ? "" : "; accuracy not reached, the interval is valid");
        if (theorem->status != SHUF_PROVED)
            printf("  status %s: %s\n", shuf_theorem_status_name(theorem->status), theorem->proof);
        if (o->explain)
        {
            printf("  %s\n  validity: %s\n  source: %s\n  proof: %s\n", theorem->statement, theorem->validity,
                   theorem->source, theorem->proof);
            print_ledger(r);
        }
    }
    flint_free(lo);
    flint_free(hi);
    if (failed || fflush(stdout) != 0)
        return cli_fail(EXIT_CANNOT_WRITE, "cannot write to standard output: %s", strerror(errno));
    return r->status == SHUF_OK ? EXIT_DONE : EXIT_ACCURACY;
}
