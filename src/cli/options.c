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
    fputs("shufbound: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
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
    ENTRY("n", n, PARAMETER),
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
    ENTRY("via", via, PARAMETER),
    ENTRY("compose", compose, PARAMETER),
    ENTRY("law", law, PARAMETER),
    ENTRY("type1", type1, PARAMETER),
    ENTRY("mu", mu, PARAMETER),
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
    ENTRY("html", html, SETTING),
    ENTRY("plot", plot, SETTING),
    ENTRY("certificate", certificate, SETTING),
    ENTRY("output", output, SETTING),
    ENTRY("shard", shard, SETTING),
    ENTRY("sample", sample, SETTING),
    ENTRY("json", json, FLAG),
    ENTRY("explain", explain, FLAG),
    ENTRY("fast", fast, FLAG),
    ENTRY("log", log, FLAG),
};

#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

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
        if (c == ':')
            return cli_fail(EXIT_USAGE, "option %s needs a value", argv[optind - 1]);
        if (c < 256)
            return cli_fail(EXIT_USAGE, "unknown option %s; see shufbound --help", argv[optind - 1]);
        if (entries[c - 256].kind == FLAG)
            memcpy((char *) o + entries[c - 256].place, &given, sizeof(given));
        else
            memcpy((char *) o + entries[c - 256].place, &optarg, sizeof(optarg));
    }
    /* "--pair krr --others same|third" is another spelling of krr-same and krr-third */
    if (o->pair != NULL && strcmp(o->pair, "krr") == 0)
    {
        if (o->others != NULL && strcmp(o->others, "same") == 0)
            o->pair = "krr-same";
        else if (o->others != NULL && strcmp(o->others, "third") == 0)
            o->pair = "krr-third";
        else
            return cli_fail(EXIT_USAGE, "--pair krr needs --others same or --others third");
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
        if (is_given(o, &entries[i]) && !is_listed(allowed, entries[i].name))
            return cli_fail(EXIT_USAGE, "--%s does not go with %s", entries[i].name, command);
    return 0;
}

const char *cli_parameter(const char **name, const cli_options *o, size_t i)
{
    size_t j;
    for (j = 0; j < ENTRIES; j++)
    {
        if (entries[j].kind == PARAMETER && is_given(o, &entries[j]) && i-- == 0)
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

int cli_users(uint64_t *out, const char *text)
{
    return cli_count(out, "--n", text, 1, SHUF_MAX_USERS);
}

/* Which options a pair takes. */
typedef struct
{
    const char *name;
    shuf_pair_kind kind;
    int eps0, gamma, k, weights;
} pair_form;

static const pair_form pair_forms[] = {
    { "clones", SHUF_PAIR_CLONES, 1, 0, 0, 0 },
    { "clones-stronger", SHUF_PAIR_CLONES_STRONGER, 1, 0, 0, 0 },
    { "rr2", SHUF_PAIR_RR2, 1, 0, 0, 0 },
    { "krr-same", SHUF_PAIR_KRR_SAME, 1, 0, 1, 0 },
    { "krr-third", SHUF_PAIR_KRR_THIRD, 1, 0, 1, 0 },
    { "krr-strong", SHUF_PAIR_KRR_STRONG, 0, 1, 1, 0 },
    { "krr-weak", SHUF_PAIR_KRR_WEAK, 0, 1, 1, 0 },
    { "trinomial", SHUF_PAIR_TRINOMIAL, 0, 0, 0, 1 },
};

static int refuse(const char *option, const char *value, int wanted, const char *pair)
{
    if (value != NULL && !wanted)
        return cli_fail(EXIT_USAGE, "%s does not go with --pair %s", option, pair);
    return 0;
}

int cli_pair(shuf_pair_t out, const cli_options *o, int need_n, int need_eps0)
{
    const pair_form *form = NULL;
    shuf_real_t eps0;
    fmpq_t q[4];
    uint64_t n = 1, k = 2;
    size_t i;
    int status = 0, bad = 0;

    for (i = 0; i < sizeof(pair_forms) / sizeof(pair_forms[0]); i++)
        if (o->pair != NULL && strcmp(o->pair, pair_forms[i].name) == 0)
            form = &pair_forms[i];
    if (form == NULL)
        return cli_fail(EXIT_USAGE, "--pair is %s%.40s: clones, clones-stronger, rr2, krr-same, krr-third, krr-strong, "
                        "krr-weak or trinomial is allowed (gaussian with delta, epsilon and curve)", o->pair ? "" : "missing", o->pair ? o->pair : "");
    if ((status = refuse("--eps0", o->eps0, form->eps0 && need_eps0, form->name)) != 0
        || (status = refuse("--gamma", o->gamma, form->gamma, form->name)) != 0
        || (status = refuse("--k", o->k, form->k, form->name)) != 0
        || (status = refuse("--w0", o->w0, form->weights, form->name)) != 0
        || (status = refuse("--w1", o->w1, form->weights, form->name)) != 0
        || (status = refuse("--r0", o->r0, form->weights, form->name)) != 0
        || (status = refuse("--r1", o->r1, form->weights, form->name)) != 0
        || (status = refuse("--sigma", o->sigma, 0, form->name)) != 0)
        return status;
    if (need_n && (status = cli_users(&n, o->n)) != 0)
        return status;
    if (form->k && (status = cli_count(&k, "--k", o->k, form->kind == SHUF_PAIR_KRR_THIRD ? 3 : 2, SHUF_MAX_K)) != 0)
        return status;

    shuf_real_init(eps0);
    for (i = 0; i < 4; i++)
        fmpq_init(q[i]);
    if (form->eps0)
    {
        if (need_eps0)
            status = cli_epsilon(eps0, "--eps0", o->eps0);
        if (status == 0)
            bad = form->k ? shuf_pair_set_krr(out, form->kind, n, k, eps0) : shuf_pair_set_eps0(out, form->kind, n, eps0);
    }
    else if (form->gamma)
    {
        status = cli_probability(q[0], "--gamma", o->gamma);
        if (status == 0)
            bad = shuf_pair_set_krr_blanket(out, form->kind, n, k, q[0]);
    }
    else
    {
        if ((status = cli_probability(q[0], "--w0", o->w0)) == 0 && (status = cli_probability(q[1], "--w1", o->w1)) == 0
            && (status = cli_probability(q[2], "--r0", o->r0)) == 0)
            status = cli_probability(q[3], "--r1", o->r1);
        if (status == 0 && (bad = shuf_pair_set_trinomial(out, n, q[0], q[1], q[2], q[3])) != 0)
            status = cli_fail(EXIT_USAGE, "--w0 + --w1 and --r0 + --r1 must not exceed 1, "
                              "and --r0, --r1 must be both positive or both zero");
    }
    if (status == 0 && bad)
        status = cli_fail(EXIT_USAGE, "--pair %s does not take these parameters", form->name);
    shuf_real_clear(eps0);
    for (i = 0; i < 4; i++)
        fmpq_clear(q[i]);
    return status;
}

int cli_direction(shuf_direction *out, const cli_options *o)
{
    *out = SHUF_DIRECTION_BOTH;
    if (o->direction == NULL || strcmp(o->direction, "both") == 0)
        return 0;
    if (strcmp(o->direction, "pq") == 0)
        *out = SHUF_DIRECTION_PQ;
    else if (strcmp(o->direction, "qp") == 0)
        *out = SHUF_DIRECTION_QP;
    else
        return cli_fail(EXIT_USAGE, "--direction is \"%.40s\": both, pq or qp is allowed", o->direction);
    return 0;
}

/* Enough for anything but a mistake. */
#define DEFAULT_MAX_SECONDS 60.0

int cli_budget(shuf_options *out, const cli_options *o)
{
    char *end;
    uint64_t digits;
    int status;
    out->digits = 12;
    out->max_seconds = DEFAULT_MAX_SECONDS;
    if (o->digits != NULL)
    {
        if ((status = cli_count(&digits, "--digits", o->digits, 1, SHUF_MAX_DIGITS)) != 0)
            return status;
        out->digits = (slong) digits;
    }
    if (o->max_seconds != NULL)
    {
        double s = strtod(o->max_seconds, &end);
        if (end == o->max_seconds || *end != '\0' || !(s > 0) || s > 1e9)
            return cli_fail(EXIT_USAGE, "--max-seconds is \"%.40s\": a positive number of seconds is allowed", o->max_seconds);
        out->max_seconds = s;
    }
    return 0;
}
