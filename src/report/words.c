/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/exact.h"
#include "report/buffer.h"
#include "report/decimal.h"

#define MAX_ROWS 4 /* of a matrix that is written out: layout */

const char *words_member(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void put_value(FILE *out, const json_t *value)
{
    if (json_is_integer(value))
        fprintf(out, "%lld", (long long) json_integer_value(value));
    else if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "yes" : "no", out);
}

char *words_value(const json_t *value)
{
    report_buffer b;
    report_buffer_open(&b);
    put_value(b.out, value);
    return report_buffer_close(&b);
}

/* [a, b, ..], of numbers or of such lists. */
static void put_list(FILE *out, const json_t *list)
{
    size_t i;
    fputc('[', out);
    for (i = 0; i < json_array_size(list); i++)
    {
        const json_t *item = json_array_get(list, i);
        fputs(i > 0 ? ", " : "", out);
        if (json_is_array(item))
            put_list(out, item);
        else
            put_value(out, item);
    }
    fputc(']', out);
}

/* What an eps0 that is given is of: that of deletion with what deletion-local makes of it for replacement, which RAPPOR attains. */
static void put_notion(FILE *out, const json_t *mechanism, const char *text)
{
    const char *type = words_member(mechanism, "type"), *local = words_member(mechanism, "local");
    const int is_rappor = strcmp(type, "rappor") == 0;
    shuf_real_t eps0;
    if (strcmp(type, "additive-noise") == 0)
        return; /* that of a release */
    shuf_real_init(eps0);
    if (strcmp(is_rappor && local[0] == '\0' ? "delete" : local, "delete") != 0 && strcmp(type, "clones-deletion") != 0)
        fputs(" (for replacing a value)", out);
    else if (text != NULL && shuf_real_set_str(eps0, text) == 0)
    {
        shuf_real_twice(eps0, eps0);
        fprintf(out, " (for deleting a value; %s%s for replacing one)", is_rappor ? "" : "at most ", eps0->text);
    }
    shuf_real_clear(eps0);
}

static void put_mechanism(FILE *out, const json_t *mechanism, int notion);

static void put_parts(FILE *out, const json_t *parts, int notion)
{
    size_t i, alike;
    for (i = 0; i < json_array_size(parts); i += alike)
    {
        const json_t *part = json_array_get(parts, i);
        for (alike = 1; i + alike < json_array_size(parts) && json_equal(part, json_array_get(parts, i + alike)); alike++)
            ;
        fputs(i > 0 ? ", " : "", out);
        if (alike > 1)
            fprintf(out, "%zu times ", alike);
        fputc('(', out);
        put_mechanism(out, part, notion);
        fputc(')', out);
    }
}

#define SHOWN_GROUPS 8 /* of many groups; layout */

static void put_groups(FILE *out, const json_t *groups, int notion)
{
    size_t i, count = json_array_size(groups), shown = count > SHOWN_GROUPS ? SHOWN_GROUPS / 2 : count;
    for (i = 0; i < shown; i++)
    {
        const json_t *group = json_array_get(groups, i);
        fputs(i > 0 ? ", (" : "(", out);
        put_value(out, json_object_get(group, "users"));
        fputs(" users of ", out);
        put_mechanism(out, json_object_get(group, "mechanism"), notion);
        fputc(')', out);
    }
    if (shown < count)
        fprintf(out, " and %zu more groups", count - shown);
}

/* An array that is too long to be written. */
static void put_size(FILE *out, const json_t *value)
{
    const size_t size = json_array_size(value);
    const json_t *last = json_array_get(value, size - 1); /* of a triangle the whole row */
    if (json_is_array(last))
        fprintf(out, "a matrix of %zu rows and %zu columns", size, json_array_size(last));
    else
        fprintf(out, "of %zu numbers", size);
}

/* notion: it is told which notion an eps0 is of. */
static void put_mechanism(FILE *out, const json_t *mechanism, int notion)
{
    const char *key;
    json_t *value;
    fputs(words_member(mechanism, "type"), out);
    json_object_foreach((json_t *) mechanism, key, value)
    {
        if (strcmp(key, "type") == 0 || strcmp(key, "local") == 0) /* the assumptions say in words what eps0 is of */
            continue;
        if (strcmp(key, "groups") == 0)
        {
            fputs(": ", out);
            put_groups(out, value, notion);
            continue;
        }
        fprintf(out, ", %s ", key);
        if (!json_is_array(value))
        {
            fputs("= ", out);
            put_value(out, value);
            if (notion && strcmp(key, "eps0") == 0)
                put_notion(out, mechanism, json_string_value(value));
        }
        else if (strcmp(key, "parts") == 0)
        {
            put_parts(out, value, notion);
        }
        else if (json_array_size(value) <= MAX_ROWS && json_array_size(json_array_get(value, 0)) <= MAX_ROWS)
        {
            fputs("= ", out);
            put_list(out, value);
        }
        else
        {
            put_size(out, value);
        }
    }
}

static void put_subject(FILE *out, const json_t *question, int notion)
{
    const json_t *mechanism = json_object_get(question, "mechanism"), *pair = json_object_get(question, "pair");
    fputs(mechanism == NULL && pair != NULL ? "pair " : "", out);
    put_mechanism(out, mechanism != NULL ? mechanism : pair, notion);
}

/* Adds a text, which it frees, to a list. */
static void add(json_t *list, char *text)
{
    if (text[0] != '\0')
        json_array_append_new(list, json_string(text));
    free(text);
}

/* before, the member, after; nothing if there is no such member. */
static void add_member(json_t *list, const json_t *object, const char *key, const char *before, const char *after)
{
    const json_t *value = json_object_get(object, key);
    report_buffer b;
    if (value == NULL)
        return;
    report_buffer_open(&b);
    fputs(before, b.out);
    put_value(b.out, value);
    fputs(after, b.out);
    add(list, report_buffer_close(&b));
}

/* The texts of a list, which it frees, with "; " between. */
static char *join(json_t *list)
{
    report_buffer b;
    size_t i;
    report_buffer_open(&b);
    for (i = 0; i < json_array_size(list); i++)
        fprintf(b.out, "%s%s", i > 0 ? "; " : "", json_string_value(json_array_get(list, i)));
    json_decref(list);
    return report_buffer_close(&b);
}

static void add_setting(json_t *list, const json_t *question)
{
    const char *sampler = words_member(json_object_get(question, "mechanism"), "sampler");
    const char *type = words_member(json_object_get(question, "mechanism"), "type");
    const json_t *rounds = json_object_get(question, "rounds"), *sample = json_object_get(question, "sample");
    const int is_noise = strcmp(type, "additive-noise") == 0 || strcmp(type, "binomial-noise") == 0 || strcmp(type, "sample-and-threshold") == 0;
    const int is_matrix = json_object_get(json_object_get(question, "mechanism"), "strategy") != NULL;
    char text[64];
    if (json_is_object(json_object_get(question, "users")))
        add_member(list, json_object_get(question, "users"), "at_least", "at least ", " users");
    else
        add_member(list, question, "users", "", " users");
    add_member(list, question, "honest", "of whom follow the protocol: ", "");
    add_member(list, question, "reports_per_user", "reports of each through one shuffler: ", "");
    if (json_is_array(rounds))
    {
        snprintf(text, sizeof(text), "%zu different parts", json_array_size(rounds));
        json_array_append_new(list, json_string(text));
    }
    else if (rounds != NULL && (sampler[0] == '\0' || json_integer_value(rounds) > 1))
    {
        const int is_one = json_integer_value(rounds) == 1;
        snprintf(text, sizeof(text), " %s%s%s", sampler[0] != '\0' ? is_matrix ? "run" : "epoch" : is_noise ? "release" : "round",
                 is_one ? "" : "s", is_one ? "" : ", each with fresh randomness");
        add_member(list, question, "rounds", "", text);
    }
    snprintf(text, sizeof(text), is_noise ? "each of a new secret sample (%.16s) of rate " : "in each round a new secret sample (%.16s) of rate ", words_member(sample, "scheme"));
    add_member(list, sample, "rate", text, "");
    if (sampler[0] != '\0' && strcmp(sampler, "fixed") != 0)
        json_array_append_new(list, json_string("batches are drawn in secret"));
    add_member(list, question, "release", "released: ", "");
    add_member(list, question, "neighbours", "neighbours ", is_noise || sampler[0] != '\0' || strcmp(words_member(question, "neighbours"), "remove") == 0
               ? json_object_get(json_object_get(question, "mechanism"), "records_per_user") != NULL ? " all records of one user" : " one record" : " one user's value");
    add_member(list, question, "direction", "direction: ", "");
    add_member(list, question, "via", "via ", "");
}

static void add_subject(json_t *list, const json_t *question, const char *before)
{
    report_buffer b;
    if (json_object_get(question, "mechanism") == NULL && json_object_get(question, "pair") == NULL)
        return;
    report_buffer_open(&b);
    fputs(before, b.out);
    put_subject(b.out, question, 1);
    add(list, report_buffer_close(&b));
}

static void add_selection(json_t *list, const json_t *selection)
{
    char text[160];
    snprintf(text, sizeof(text), "all of this is run a random number of times (%.20s) and nothing but the best result is seen; mean number of runs ",
             words_member(selection, "runs"));
    add_member(list, selection, "mean", text, "");
    add_member(list, selection, "shape", "shape of their number ", "");
}

json_t *words_assumed(const json_t *question)
{
    json_t *list = json_array();
    const json_t *parts = json_object_get(question, "rounds");
    size_t i;
    int shuffled = json_object_get(question, "users") != NULL || json_object_get(json_object_get(question, "mechanism"), "groups") != NULL;
    add_subject(list, question, "");
    add_setting(list, question);
    for (i = 0; i < json_array_size(parts); i++)
    {
        const json_t *part = json_array_get(parts, i);
        json_t *of_part = json_array();
        char before[32];
        snprintf(before, sizeof(before), "part %zu: ", i + 1);
        add_subject(of_part, part, before);
        add_setting(of_part, part);
        add(list, join(of_part));
        shuffled |= json_object_get(part, "users") != NULL;
    }
    if (shuffled)
        json_array_append_new(list, json_string("reports are independent and shuffled"));
    if (json_object_get(question, "selection") != NULL)
        add_selection(list, json_object_get(question, "selection"));
    return list;
}

char *words_assumptions(const json_t *question)
{
    return join(words_assumed(question));
}

char *words_claim(const json_t *question)
{
    const json_t *claim = json_object_get(question, "claim"), *range = json_object_get(claim, "eps");
    const int is_renyi = json_object_get(claim, "order") != NULL, is_gdp = json_object_get(claim, "mu") != NULL;
    report_buffer b;
    report_buffer_open(&b);
    if (is_gdp)
    {
        put_value(b.out, json_object_get(claim, "mu"));
        fputs("-GDP for eps from ", b.out);
        put_value(b.out, json_array_get(range, 0));
        fputs(" to ", b.out);
        put_value(b.out, json_array_get(range, 1));
    }
    else if (json_object_get(claim, "rho") != NULL)
    {
        put_value(b.out, json_object_get(claim, "rho"));
        fputs("-zCDP", b.out);
    }
    else if (claim != NULL)
    {
        fputs(is_renyi ? "(order " : "(", b.out);
        put_value(b.out, json_object_get(claim, is_renyi ? "order" : "eps"));
        fputs(", ", b.out);
        put_value(b.out, json_object_get(claim, is_renyi ? "renyi" : "delta"));
        fputs(is_renyi ? ")-RDP" : ")", b.out);
    }
    return report_buffer_close(&b);
}

char *words_limit(const json_t *question)
{
    json_t *list = json_array();
    if (json_object_get(question, "effort") == NULL)
        json_array_append_new(list, json_string("effort normal"));
    add_member(list, question, "effort", "effort ", "");
    add_member(list, question, "digits", "digits: ", "");
    add_member(list, question, "max_seconds", "a clock of ", " seconds");
    add_member(list, question, "fast", "double-precision path: ", "");
    return join(list);
}

char *words_theorems(const json_t *bound)
{
    const json_t *theorems = json_object_get(bound, "theorems");
    report_buffer b;
    size_t i;
    report_buffer_open(&b);
    for (i = 0; i < json_array_size(theorems); i++)
        fprintf(b.out, "%s%s", i > 0 ? ", " : "", words_member(json_array_get(theorems, i), "id"));
    return report_buffer_close(&b);
}

static void put_histogram(FILE *out, const json_t *histogram)
{
    size_t i;
    for (i = 0; i < json_array_size(histogram); i++)
    {
        const json_t *item = json_array_get(histogram, i);
        const char *users = words_member(item, "users");
        fprintf(out, "%s%s %s %s", i > 0 ? ", " : "", users, strcmp(users, "1") == 0 ? "user holds" : "users hold",
                words_member(item, "value"));
    }
}

char *words_data(const json_t *bound)
{
    const json_t *data = json_object_get(bound, "data");
    report_buffer b;
    report_buffer_open(&b);
    if (json_object_get(data, "others") != NULL)
    {
        fprintf(b.out, "gradient %s in every step, the others' %s; against: %s", words_member(json_array_get(json_object_get(data, "first"), 0), "value"),
                words_member(data, "others"), words_member(json_array_get(json_object_get(data, "second"), 0), "value"));
        if (words_member(data, "seen")[0] != '\0')
            fprintf(b.out, "; seen: %s", words_member(data, "seen"));
    }
    else if (data != NULL)
    {
        put_histogram(b.out, json_object_get(data, "first"));
        fputs("; against: ", b.out);
        put_histogram(b.out, json_object_get(data, "second"));
        fputs("; mechanism: ", b.out);
        put_mechanism(b.out, json_object_get(data, "mechanism"), 0);
        if (words_member(data, "seen")[0] != '\0')
            fprintf(b.out, "; seen: %s", words_member(data, "seen"));
    }
    return report_buffer_close(&b);
}

char *words_end(const json_t *bound, const char *which, size_t digits)
{
    const char *text = json_string_value(json_object_get(bound, which));
    char *shorter = digits > 0 ? decimal_round(text, digits, strcmp(which, "hi") == 0) : NULL;
    report_buffer b;
    report_buffer_open(&b);
    fputs(text == NULL ? "unbounded" : shorter != NULL ? shorter : text, b.out);
    flint_free(shorter);
    return report_buffer_close(&b);
}

char *words_interval(const json_t *bound, size_t digits)
{
    const int has_lo = json_is_string(json_object_get(bound, "lo")), has_hi = json_is_string(json_object_get(bound, "hi"));
    char *lo = words_end(bound, "lo", digits), *hi = words_end(bound, "hi", digits);
    report_buffer b;
    report_buffer_open(&b);
    if (has_lo && has_hi)
        fprintf(b.out, "in [%s, %s]", lo, hi);
    else if (has_lo || has_hi)
        fprintf(b.out, "at %s %s", has_lo ? "least" : "most", has_lo ? lo : hi);
    else
        fputs("without a bound", b.out);
    free(lo);
    free(hi);
    return report_buffer_close(&b);
}

int words_is_infinite(const json_t *bound)
{
    return json_is_true(json_object_get(bound, "infinite"));
}

const char *words_claimed(const json_t *question)
{
    const json_t *claim = json_object_get(question, "claim");
    const char *key = json_object_get(claim, "mu") != NULL ? "mu" : json_object_get(claim, "renyi") != NULL ? "renyi" : json_object_get(claim, "rho") != NULL ? "rho" : "eps";
    return json_string_value(json_object_get(claim, key));
}

/* -1, 0, 1: the first is smaller, equal, larger; 0 also where one is no decimal. */
static int compare(const char *x, const char *y)
{
    char *x_end, *y_end;
    const double a = strtod(x, &x_end), b = strtod(y, &y_end);
    return *x_end != '\0' || *y_end != '\0' ? 0 : (a > b) - (a < b);
}

char *words_end_beside(const json_t *bound, const char *which, size_t digits, const char *claimed)
{
    const char *full = json_string_value(json_object_get(bound, which));
    char *text;
    report_buffer b;
    if (words_is_infinite(bound))
    {
        report_buffer_open(&b);
        fputs(strcmp(which, "hi") == 0 ? "none" : "infinite", b.out);
        return report_buffer_close(&b);
    }
    text = words_end(bound, which, digits);
    while (full != NULL && claimed != NULL && digits < strlen(full) && compare(text, claimed) != compare(full, claimed))
    {
        free(text);
        text = words_end(bound, which, ++digits);
    }
    return text;
}

char *words_verdict(const json_t *answer)
{
    const char *s;
    report_buffer b;
    report_buffer_open(&b);
    for (s = words_member(answer, "verdict"); *s != '\0'; s++)
        fputc(toupper((unsigned char) *s), b.out);
    return report_buffer_close(&b);
}

int words_says_nothing(const json_t *bound, const char *quantity)
{
    const char *side = words_member(bound, "side"), *lo = json_string_value(json_object_get(bound, "lo")),
               *hi = json_string_value(json_object_get(bound, "hi"));
    int below = lo == NULL || strcmp(lo, "0") == 0;
    int is_probability = strcmp(quantity, "delta") == 0 || strcmp(quantity, "tradeoff") == 0;
    int above = hi == NULL || (is_probability && strcmp(hi, "1") == 0);
    if (json_is_true(json_object_get(bound, "infinite")))
        return strcmp(side, "upper") == 0;
    return strcmp(side, "upper") == 0 ? above : strcmp(side, "lower") == 0 ? below : above && below;
}

const char *words_theorem_of(const json_t *bound, const char *status)
{
    const json_t *theorems = json_object_get(bound, "theorems");
    size_t i;
    for (i = 0; i < json_array_size(theorems); i++)
        if (strcmp(words_member(json_array_get(theorems, i), "status"), status) == 0)
            return words_member(json_array_get(theorems, i), "id");
    return "";
}

int words_is_privacy(const char *quantity)
{
    static const char *const all[] = { "delta", "epsilon", "renyi", "tradeoff", "gdp", "zcdp" };
    size_t i;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(quantity, all[i]) == 0)
            return 1;
    return 0;
}

const char *words_proof(const json_t *bound)
{
    /* the least first */
    static const struct { const char *checked, *words; } all[] = {
        { "none", "proved" }, { "paper", "proved on paper" }, { "coq-finite", "proved, checked by Coq for finitely many outputs" },
        { "coq", "proved, checked by Coq" }
    };
    const json_t *theorems = json_object_get(bound, "theorems");
    const char *status = words_status(bound);
    size_t i, j;
    if (strcmp(status, "proved") != 0)
        return status;
    for (j = 0; j < sizeof(all) / sizeof(all[0]); j++)
        for (i = 0; i < json_array_size(theorems); i++)
            if (strcmp(words_member(json_array_get(theorems, i), "checked"), all[j].checked) == 0)
                return all[j].words;
    return status;
}

const char *words_status(const json_t *bound)
{
    static const char *const statuses[] = { "refuted", "asymptotic", "unproved", "conditional" };
    const json_t *theorems = json_object_get(bound, "theorems");
    size_t i, j;
    for (j = 0; j < sizeof(statuses) / sizeof(statuses[0]); j++)
        for (i = 0; i < json_array_size(theorems); i++)
            if (strcmp(words_member(json_array_get(theorems, i), "status"), statuses[j]) == 0)
                return statuses[j];
    return "proved";
}
