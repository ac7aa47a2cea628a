/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/catalogue.h"
#include "exact/reader.h"

static int unknown_option(const char *command, const char *given, const char *allowed)
{
    char name[NAMES_SIZE], nearest[NAMES_SIZE];
    snprintf(name, sizeof(name), "%.*s", (int) strcspn(given, "="), given);
    if (names_nearest(nearest, name + strspn(name, "-"), allowed))
        return report_fail(EXIT_USAGE, "unknown option %.60s: did you mean --%s? see shufbound %s --help", name, nearest, command);
    return report_fail(EXIT_USAGE, "unknown option %.60s; see shufbound %s --help", name, command);
}

/* Takes one option over. */
static int set_option(cli_options *o, const cli_option *e)
{
    const int given = 1;
    if (strcmp(e->name, "pair") == 0 && o->pair_count < CLI_MAX_PAIRS)
        o->pairs[o->pair_count++] = optarg;
    else if (cli_option_text(o, e) != NULL)
        return report_fail(EXIT_USAGE, "--%s is given twice", e->name);
    if (e->kind == CLI_FLAG)
        memcpy((char *) o + e->place, &given, sizeof(given));
    else
        memcpy((char *) o + e->place, &optarg, sizeof(optarg));
    return 0;
}

/* "--pair krr --others same|third" is another spelling of krr-same and krr-third. */
static int join_others(cli_options *o)
{
    if (o->pair == NULL || strcmp(o->pair, "krr") != 0)
        return o->others == NULL ? 0 : report_fail(EXIT_USAGE, "--others goes with --pair krr only");
    if (o->others != NULL && strcmp(o->others, "same") == 0)
        o->pair = "krr-same";
    else if (o->others != NULL && strcmp(o->others, "third") == 0)
        o->pair = "krr-third";
    else
        return report_fail(EXIT_USAGE, "--pair krr needs --others same or --others third");
    o->pairs[0] = o->pair;
    return 0;
}

int cli_parse(cli_options *o, int argc, char **argv, const char *allowed)
{
    struct option known[CLI_MAX_OPTIONS + 1]; /* the last is all 0 */
    const cli_option *e;
    size_t i;
    int c;
    memset(o, 0, sizeof(*o));
    memset(known, 0, sizeof(known));
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
    {
        known[i].name = e->name;
        known[i].has_arg = e->kind == CLI_FLAG ? no_argument : required_argument;
        known[i].val = 256 + (int) i;
    }
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, ":", known, NULL)) != -1)
    {
        if (c == ':')
            return report_fail(EXIT_USAGE, "option %s needs a value; see shufbound %s --help", argv[optind - 1], argv[0]);
        if (c < 256)
            return unknown_option(argv[0], argv[optind - 1], allowed);
        if (set_option(o, cli_option_at((size_t) c - 256)) != 0)
            return EXIT_USAGE;
    }
    if (o->pair_count > 1)
        o->pair = o->pairs[0];
    if (o->json && o->explain)
        return report_fail(EXIT_USAGE, "--explain does not go with --json, which has everything");
    if (o->quiet && (o->json || o->explain))
        return report_fail(EXIT_USAGE, "--quiet does not go with --%s", o->json ? "json" : "explain");
    if (join_others(o) != 0)
        return EXIT_USAGE;
    o->operands = argc - optind;
    o->operand = argv + optind;
    return 0;
}

int cli_allow(const cli_options *o, const char *command, const char *allowed)
{
    const cli_option *e;
    size_t i;
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
        if (cli_option_text(o, e) != NULL && !names_has(allowed, e->name) && strcmp(e->name, "users") != 0)
            return report_fail(EXIT_USAGE, "--%s does not go with %s", e->name, command);
    return 0;
}

/* Adds to the text what is missing if none of the names, | between, is given, nor solved for. */
static void add_missing(char *text, size_t size, const cli_options *o, const char *names)
{
    char name[64], options[160] = "", what[500] = "";
    const char *rest = names;
    while (names_next(name, sizeof(name), &rest, "|"))
    {
        const cli_option *e = cli_option_named(name);
        const int is_word = e->about[1] >= 'a' && e->about[1] <= 'z';
        if (cli_option_text(o, e) != NULL || (o->solve != NULL && strcmp(o->solve, name) == 0))
            return;
        snprintf(options + strlen(options), sizeof(options) - strlen(options), "%s--%s", options[0] != '\0' ? " or " : "", name);
        snprintf(what + strlen(what), sizeof(what) - strlen(what), "%s%c%s", what[0] != '\0' ? ", or " : "",
                 is_word ? e->about[0] + ('a' - 'A') : e->about[0], e->about + 1);
    }
    if (strstr(text, options) == NULL)
        snprintf(text + strlen(text), size - strlen(text), "%s%s is missing: %s", text[0] != '\0' ? "; " : "", options, what);
}

int cli_require(const cli_options *o, const char *needs)
{
    /* while it is not known what is solved for, neither is what a pair needs */
    const int is_open = o->solve == NULL && names_has(needs, "solve");
    char names[80], text[2000] = "";
    const shuf_pair_facts *facts;
    shuf_pair_kind kind;
    const cli_option *e;
    size_t i;
    int p;
    while (names_next(names, sizeof(names), &needs, " "))
        add_missing(text, sizeof(text), o, names);
    for (p = 0; p < o->pair_count; p++)
    {
        if (is_open || !shuf_pair_find(&kind, o->pairs[p]))
            continue;
        facts = shuf_pair_about(kind);
        add_missing(text, sizeof(text), o, "n");
        for (i = 0; (e = cli_option_at(i)) != NULL; i++)
            if (e->takes & facts->takes)
                add_missing(text, sizeof(text), o, e->takes & facts->takes & SHUF_TAKES_GAMMA ? "eps0|gamma" : e->name);
    }
    return text[0] == '\0' ? 0 : report_fail(EXIT_USAGE, "%s", text);
}

const char *cli_parameter(const char **name, const cli_options *o, size_t i)
{
    const cli_option *e;
    const char *text;
    size_t j;
    for (j = 0; (e = cli_option_at(j)) != NULL; j++)
    {
        text = cli_option_text(o, e);
        if (e->kind == CLI_PARAMETER && text != NULL && strcmp(e->name, "users") != 0 && i-- == 0)
        {
            *name = e->name;
            return text;
        }
    }
    return NULL;
}

static int cli_real(shuf_real_t out, const char *option, const char *text)
{
    if (text == NULL)
        return report_fail(EXIT_USAGE, "%s is missing", option);
    if (shuf_real_set_str(out, text) != 0)
        return report_fail(EXIT_USAGE, "%s is \"%.80s\": a decimal, a fraction, a hexadecimal float or log(..) is allowed",
                           option, text);
    return 0;
}

int cli_epsilon(shuf_real_t out, const char *option, const char *text)
{
    int status = cli_real(out, option, text);
    if (status == 0 && (shuf_real_sgn(out) < 0 || shuf_real_cmp_si(out, SHUF_MAX_EPSILON) > 0))
        status = report_fail(EXIT_USAGE, "%s is %.80s: between 0 and %d is allowed", option, text, SHUF_MAX_EPSILON);
    return status;
}

int cli_probability(fmpq_t out, const char *option, const char *text)
{
    shuf_real_t x;
    int status;
    shuf_real_init(x);
    status = cli_real(x, option, text);
    if (status == 0 && (shuf_real_sgn(x) < 0 || shuf_real_cmp_si(x, 1) > 0))
        status = report_fail(EXIT_USAGE, "%s is %.80s: between 0 and 1 is allowed", option, text);
    if (status == 0 && x->is_log)
        status = report_fail(EXIT_USAGE, "%s is %.80s: a rational number is allowed, not a logarithm", option, text);
    if (status == 0)
        fmpq_set(out, x->q);
    shuf_real_clear(x);
    return status;
}

int cli_count(uint64_t *out, const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t value;
    if (text == NULL)
        return report_fail(EXIT_USAGE, "%s is missing", option);
    if (shuf_users_set_str(&value, text) != 0 || value < least || value > most)
    {
        char limit[24] = "1e18";
        if (most != SHUF_MAX_USERS)
            snprintf(limit, sizeof(limit), "%llu", (unsigned long long) most);
        return report_fail(EXIT_USAGE, "%s is \"%.80s\": a whole number from %llu to %s is allowed", option, text,
                           (unsigned long long) least, limit);
    }
    *out = value;
    return 0;
}

int cli_threads(int *out, const char *text)
{
    uint64_t threads = 1;
    int status = text != NULL ? cli_count(&threads, "--threads", text, 1, SHUF_MAX_THREADS) : 0;
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
        return report_fail(EXIT_USAGE, "--shard is \"%.40s\": I/N with I from 1 to N is allowed", text);
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
    if (shuf_users_set_str(&value, o->effort) != 0 || value < SHUF_EFFORT_LEAST || value > SHUF_EFFORT_MOST)
        return report_fail(EXIT_USAGE, "--effort is \"%.40s\": normal, high, or a number of units from 1e6 to 1e15 is allowed", o->effort);
    out->max_work = (double) value;
    return 0;
}
