/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int cli_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    report_vfail(status, format, args);
    va_end(args);
    return status;
}

/* Every option: its place in cli_options, and whether it is a parameter of the result. */
typedef struct
{
    const char *name;
    size_t place;
    enum { PARAMETER, SETTING, FLAG } kind;
} option_entry;

#define ENTRY(name, field, kind) { name, offsetof(cli_options, field), kind }

static const option_entry entries[] = {
    ENTRY("pair", pair, PARAMETER),
    ENTRY("mechanism", mechanism, PARAMETER),
    ENTRY("n", n, PARAMETER),
    ENTRY("users", n, PARAMETER),
    ENTRY("at-least", at_least, FLAG),
    ENTRY("honest", honest, PARAMETER),
    ENTRY("reports-per-user", reports, PARAMETER),
    ENTRY("k", k, PARAMETER),
    ENTRY("eps0", eps0, PARAMETER),
    ENTRY("delta0", delta0, PARAMETER),
    ENTRY("gamma", gamma, PARAMETER),
    ENTRY("w0", w0, PARAMETER),
    ENTRY("w1", w1, PARAMETER),
    ENTRY("r0", r0, PARAMETER),
    ENTRY("r1", r1, PARAMETER),
    ENTRY("sigma", sigma, PARAMETER),
    ENTRY("eps", eps, PARAMETER),
    ENTRY("delta", delta, PARAMETER),
    ENTRY("order", order, PARAMETER),
    ENTRY("direction", direction, PARAMETER),
    ENTRY("rounds", rounds, PARAMETER),
    ENTRY("subsample", subsample, PARAMETER),
    ENTRY("scheme", scheme, PARAMETER),
    ENTRY("via", via, PARAMETER),
    ENTRY("compose", compose, PARAMETER),
    ENTRY("law", law, PARAMETER),
    ENTRY("type1", type1, PARAMETER),
    ENTRY("mu", mu, PARAMETER),
    ENTRY("sampler", sampler, PARAMETER),
    ENTRY("noise-multiplier", noise_multiplier, PARAMETER),
    ENTRY("steps", steps, PARAMETER),
    ENTRY("sampling-rate", sampling_rate, PARAMETER),
    ENTRY("epochs", epochs, PARAMETER),
    ENTRY("blocks", blocks, PARAMETER),
    ENTRY("noise-scale", noise_scale, PARAMETER),
    ENTRY("clip", clip, PARAMETER),
    ENTRY("dimension", dimension, PARAMETER),
    ENTRY("solve", solve, PARAMETER),
    ENTRY("others", others, SETTING),
    ENTRY("engine", engine, SETTING),
    ENTRY("digits", digits, SETTING),
    ENTRY("max-seconds", max_seconds, SETTING),
    ENTRY("jobs", jobs, SETTING),
    ENTRY("threads", threads, SETTING),
    ENTRY("effort", effort, SETTING),
    ENTRY("html", html, SETTING),
    ENTRY("plot", plot, SETTING),
    ENTRY("certificate", certificate, SETTING),
    ENTRY("output", output, SETTING),
    ENTRY("shard", shard, SETTING),
    ENTRY("sample", sample, SETTING),
    ENTRY("tolerance", tolerance, SETTING),
    ENTRY("json", json, FLAG),
    ENTRY("explain", explain, FLAG),
    ENTRY("fast", fast, FLAG),
    ENTRY("log", log, FLAG),
};

#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

const char *cli_option(size_t i)
{
    return i < ENTRIES ? entries[i].name : NULL;
}

int cli_option_is_flag(const char *name)
{
    size_t i;
    for (i = 0; i < ENTRIES && strcmp(entries[i].name, name) != 0; i++)
        ;
    return i < ENTRIES && entries[i].kind == FLAG;
}

/* The text or the flag of an option, as it was given. */
static const char *text_of(const cli_options *o, const option_entry *e)
{
    const char *text;
    memcpy(&text, (const char *) o + e->place, sizeof(text));
    return text;
}

static int is_given(const cli_options *o, const option_entry *e)
{
    int flag;
    if (e->kind != FLAG)
        return text_of(o, e) != NULL;
    memcpy(&flag, (const char *) o + e->place, sizeof(flag));
    return flag;
}

int cli_parse(cli_options *o, int argc, char **argv)
{
    struct option known[ENTRIES + 1];
    const int given = 1;
    size_t i;
    int c;
    memset(o, 0, sizeof(*o));
    memset(known, 0, sizeof(known));
    for (i = 0; i < ENTRIES; i++)
    {
        known[i].name = entries[i].name;
        known[i].has_arg = entries[i].kind == FLAG ? no_argument : required_argument;
        known[i].val = 256 + (int) i;
    }
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, ":", known, NULL)) != -1)
    {
        const option_entry *e;
        if (c == ':')
            return cli_fail(EXIT_USAGE, "option %s needs a value", argv[optind - 1]);
        if (c < 256)
            return cli_fail(EXIT_USAGE, "unknown option %s; see shufbound --help", argv[optind - 1]);
        e = &entries[c - 256];
        if (strcmp(e->name, "pair") == 0 && o->pair_count < CLI_MAX_PAIRS)
            o->pairs[o->pair_count++] = optarg;
        else if (is_given(o, e))
            return cli_fail(EXIT_USAGE, "--%s is given twice", e->name);
        if (e->kind == FLAG)
            memcpy((char *) o + e->place, &given, sizeof(given));
        else
            memcpy((char *) o + e->place, &optarg, sizeof(optarg));
    }
    if (o->pair_count > 1)
        o->pair = o->pairs[0];
    if (o->json && o->explain)
        return cli_fail(EXIT_USAGE, "--explain does not go with --json, which has everything");
    /* "--pair krr --others same|third" is another spelling of krr-same and krr-third */
    if (o->pair != NULL && strcmp(o->pair, "krr") == 0)
    {
        if (o->others != NULL && strcmp(o->others, "same") == 0)
            o->pair = "krr-same";
        else if (o->others != NULL && strcmp(o->others, "third") == 0)
            o->pair = "krr-third";
        else
            return cli_fail(EXIT_USAGE, "--pair krr needs --others same or --others third");
        o->pairs[0] = o->pair;
    }
    else if (o->others != NULL)
    {
        return cli_fail(EXIT_USAGE, "--others goes with --pair krr only");
    }
    o->operands = argc - optind;
    o->operand = argv + optind;
    return 0;
}

static int is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    const char *s;
    for (s = strstr(list, name); s != NULL; s = strstr(s + 1, name))
        if ((s == list || s[-1] == ' ') && (s[length] == ' ' || s[length] == '\0'))
            return 1;
    return 0;
}

int cli_allow(const cli_options *o, const char *command, const char *allowed)
{
    size_t i;
    for (i = 0; i < ENTRIES; i++)
        if (is_given(o, &entries[i]) && !is_listed(allowed, entries[i].name) && strcmp(entries[i].name, "users") != 0)
            return cli_fail(EXIT_USAGE, "--%s does not go with %s", entries[i].name, command);
    return 0;
}

const char *cli_parameter(const char **name, const cli_options *o, size_t i)
{
    size_t j;
    for (j = 0; j < ENTRIES; j++)
    {
        if (entries[j].kind == PARAMETER && is_given(o, &entries[j]) && strcmp(entries[j].name, "users") != 0 && i-- == 0)
        {
            *name = entries[j].name;
            return text_of(o, &entries[j]);
        }
    }
    return NULL;
}

int cli_real(shuf_real_t out, const char *option, const char *text)
{
    if (text == NULL)
        return cli_fail(EXIT_USAGE, "%s is missing", option);
    if (shuf_real_set_str(out, text) != 0)
        return cli_fail(EXIT_USAGE, "%s is \"%.80s\": a decimal, a fraction, a hexadecimal float or log(..) is allowed",
                        option, text);
    return 0;
}

int cli_epsilon(shuf_real_t out, const char *option, const char *text)
{
    int status = cli_real(out, option, text);
    if (status == 0 && (shuf_real_sgn(out) < 0 || shuf_real_cmp_si(out, SHUF_MAX_EPSILON) > 0))
        status = cli_fail(EXIT_USAGE, "%s is %.80s: between 0 and %d is allowed", option, text, SHUF_MAX_EPSILON);
    return status;
}

int cli_delta(shuf_real_t out, const char *option, const char *text)
{
    int status = cli_real(out, option, text);
    if (status == 0 && (shuf_real_sgn(out) < 0 || shuf_real_cmp_si(out, 1) > 0))
        status = cli_fail(EXIT_USAGE, "%s is %.80s: between 0 and 1 is allowed", option, text);
    return status;
}

int cli_order(shuf_real_t out, const char *option, const char *text)
{
    int status = cli_real(out, option, text);
    if (status == 0 && (shuf_real_cmp_si(out, 1) < 0 || shuf_real_cmp_si(out, (slong) SHUF_MAX_ORDER) > 0))
        status = cli_fail(EXIT_USAGE, "%s is %.80s: between 1 and 1e18 is allowed", option, text);
    return status;
}

int cli_probability(fmpq_t out, const char *option, const char *text)
{
    shuf_real_t x;
    int status;
    shuf_real_init(x);
    status = cli_delta(x, option, text);
    if (status == 0 && x->is_log)
        status = cli_fail(EXIT_USAGE, "%s is %.80s: a rational number is allowed, not a logarithm", option, text);
    if (status == 0)
        fmpq_set(out, x->q);
    shuf_real_clear(x);
    return status;
}

int cli_count(uint64_t *out, const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t value;
    if (text == NULL)
        return cli_fail(EXIT_USAGE, "%s is missing", option);
    if (shuf_users_set_str(&value, text) != 0 || value < least || value > most)
    {
        char limit[24] = "1e18";
        if (most != SHUF_MAX_USERS)
            snprintf(limit, sizeof(limit), "%llu", (unsigned long long) most);
        return cli_fail(EXIT_USAGE, "%s is \"%.80s\": a whole number from %llu to %s is allowed", option, text,
                        (unsigned long long) least, limit);
    }
    *out = value;
    return 0;
}

int cli_threads(int *out, const char *text)
{
    uint64_t threads = 1;
    int status = text != NULL ? cli_count(&threads, "--threads", text, 1, CLI_MAX_THREADS) : 0;
    *out = (int) threads;
    return status;
}

int cli_users(uint64_t *out, const char *text)
{
    return cli_count(out, "--n", text, 1, SHUF_MAX_USERS);
}

int cli_share(partial_share *out, const char *text)
{
    char index[16];
    const char *slash = text != NULL ? strchr(text, '/') : NULL;
    out->index = out->count = 1;
    if (text == NULL)
        return 0;
    if (slash == NULL || (size_t) (slash - text) >= sizeof(index))
        return cli_fail(EXIT_USAGE, "--shard is \"%.40s\": I/N with I from 1 to N is allowed", text);
    memcpy(index, text, (size_t) (slash - text));
    index[slash - text] = '\0';
    if (cli_count(&out->count, "--shard I/N: N", slash + 1, 1, PARTIAL_MAX_SHARES) != 0)
        return EXIT_USAGE;
    return cli_count(&out->index, "--shard I/N: I", index, 1, out->count);
}

int cli_budget(shuf_options *out, const cli_options *o)
{
    uint64_t value;
    int status;
    out->digits = 12;
    out->max_work = SHUF_EFFORT_NORMAL;
    if (o->digits != NULL)
    {
        if ((status = cli_count(&value, "--digits", o->digits, 1, SHUF_MAX_DIGITS)) != 0)
            return status;
        out->digits = (slong) value;
    }
    if (o->effort == NULL || strcmp(o->effort, "normal") == 0)
        return 0;
    if (strcmp(o->effort, "high") == 0)
    {
        out->max_work = SHUF_EFFORT_HIGH;
        return 0;
    }
    if (shuf_users_set_str(&value, o->effort) != 0 || value < 1000000 || value > UINT64_C(1000000000000000))
        return cli_fail(EXIT_USAGE, "--effort is \"%.40s\": normal, high, or a number of units from 1e6 to 1e15 is allowed", o->effort);
    out->max_work = (double) value;
    return 0;
}
