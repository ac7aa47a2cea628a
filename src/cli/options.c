/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include <getopt.h>
#include <stdarg.h>
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

enum
{
    OPTION_PAIR = 256, OPTION_N, OPTION_EPS0, OPTION_GAMMA, OPTION_K, OPTION_W0, OPTION_W1, OPTION_R0, OPTION_R1,
    OPTION_EPS, OPTION_DELTA, OPTION_DIRECTION, OPTION_DIGITS, OPTION_MAX_SECONDS, OPTION_SOLVE, OPTION_HTML,
    OPTION_JSON, OPTION_EXPLAIN, OPTION_FAST, OPTION_OTHERS
};

static const struct option long_options[] = {
    { "pair", required_argument, NULL, OPTION_PAIR },
    { "n", required_argument, NULL, OPTION_N },
    { "eps0", required_argument, NULL, OPTION_EPS0 },
    { "gamma", required_argument, NULL, OPTION_GAMMA },
    { "k", required_argument, NULL, OPTION_K },
    { "w0", required_argument, NULL, OPTION_W0 },
    { "w1", required_argument, NULL, OPTION_W1 },
    { "r0", required_argument, NULL, OPTION_R0 },
    { "r1", required_argument, NULL, OPTION_R1 },
    { "others", required_argument, NULL, OPTION_OTHERS },
    { "eps", required_argument, NULL, OPTION_EPS },
    { "delta", required_argument, NULL, OPTION_DELTA },
    { "direction", required_argument, NULL, OPTION_DIRECTION },
    { "digits", required_argument, NULL, OPTION_DIGITS },
    { "max-seconds", required_argument, NULL, OPTION_MAX_SECONDS },
    { "solve", required_argument, NULL, OPTION_SOLVE },
    { "html", required_argument, NULL, OPTION_HTML },
    { "json", no_argument, NULL, OPTION_JSON },
    { "explain", no_argument, NULL, OPTION_EXPLAIN },
    { "fast", no_argument, NULL, OPTION_FAST },
    { NULL, 0, NULL, 0 }
};

int cli_parse(cli_options *o, int argc, char **argv)
{
    int c;
    const char *others = NULL;
    memset(o, 0, sizeof(*o));
    opterr = 0;
    optind = 1;
    while ((c = getopt_long(argc, argv, ":", long_options, NULL)) != -1)
    {
        switch (c)
        {
        case OPTION_PAIR: o->pair = optarg; break;
        case OPTION_N: o->n = optarg; break;
        case OPTION_EPS0: o->eps0 = optarg; break;
        case OPTION_GAMMA: o->gamma = optarg; break;
        case OPTION_K: o->k = optarg; break;
        case OPTION_W0: o->w0 = optarg; break;
        case OPTION_W1: o->w1 = optarg; break;
        case OPTION_R0: o->r0 = optarg; break;
        case OPTION_R1: o->r1 = optarg; break;
        case OPTION_OTHERS: others = optarg; break;
        case OPTION_EPS: o->eps = optarg; break;
        case OPTION_DELTA: o->delta = optarg; break;
        case OPTION_DIRECTION: o->direction = optarg; break;
        case OPTION_DIGITS: o->digits = optarg; break;
        case OPTION_MAX_SECONDS: o->max_seconds = optarg; break;
        case OPTION_SOLVE: o->solve = optarg; break;
        case OPTION_HTML: o->html = optarg; break;
        case OPTION_JSON: o->json = 1; break;
        case OPTION_EXPLAIN: o->explain = 1; break;
        case OPTION_FAST: o->fast = 1; break;
        case ':':
            return cli_fail(EXIT_USAGE, "option %s needs a value", argv[optind - 1]);
        default:
            return cli_fail(EXIT_USAGE, "unknown option %s; see shufbound --help", argv[optind - 1]);
        }
    }
    /* "--pair krr --others same|third" is another spelling of krr-same and krr-third */
    if (o->pair != NULL && strcmp(o->pair, "krr") == 0)
    {
        if (others != NULL && strcmp(others, "same") == 0)
            o->pair = "krr-same";
        else if (others != NULL && strcmp(others, "third") == 0)
            o->pair = "krr-third";
        else
            return cli_fail(EXIT_USAGE, "--pair krr needs --others same or --others third");
    }
    else if (others != NULL)
    {
        return cli_fail(EXIT_USAGE, "--others goes with --pair krr only");
    }
    o->operands = argc - optind;
    o->operand = argv + optind;
    return 0;
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

int cli_users(uint64_t *out, const char *text)
{
    if (text == NULL)
        return cli_fail(EXIT_USAGE, "--n is missing");
    if (shuf_users_set_str(out, text) != 0)
        return cli_fail(EXIT_USAGE, "--n is \"%.80s\": a whole number from 1 to 1e18 is allowed", text);
    return 0;
}

/* A probability given as a rational. */
static int read_probability(fmpq_t out, const char *option, const char *text)
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

/* Which options a pair takes: a refusal is better than an ignored option. */
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
                        "krr-weak or trinomial is allowed", o->pair ? "" : "missing", o->pair ? o->pair : "");
    if ((status = refuse("--eps0", o->eps0, form->eps0 && need_eps0, form->name)) != 0
        || (status = refuse("--gamma", o->gamma, form->gamma, form->name)) != 0
        || (status = refuse("--k", o->k, form->k, form->name)) != 0
        || (status = refuse("--w0", o->w0, form->weights, form->name)) != 0
        || (status = refuse("--w1", o->w1, form->weights, form->name)) != 0
        || (status = refuse("--r0", o->r0, form->weights, form->name)) != 0
        || (status = refuse("--r1", o->r1, form->weights, form->name)) != 0)
        return status;
    if (need_n && (status = cli_users(&n, o->n)) != 0)
        return status;
    if (form->k)
    {
        uint64_t least = form->kind == SHUF_PAIR_KRR_THIRD ? 3 : 2;
        if (o->k == NULL || shuf_users_set_str(&k, o->k) != 0 || k < least || k > SHUF_MAX_K)
            return cli_fail(EXIT_USAGE, "--k is %s%.40s: a whole number from %d to %llu is allowed", o->k ? "" : "missing",
                            o->k ? o->k : "", (int) least, (unsigned long long) SHUF_MAX_K);
    }

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
        status = read_probability(q[0], "--gamma", o->gamma);
        if (status == 0)
            bad = shuf_pair_set_krr_blanket(out, form->kind, n, k, q[0]);
    }
    else
    {
        if ((status = read_probability(q[0], "--w0", o->w0)) == 0 && (status = read_probability(q[1], "--w1", o->w1)) == 0
            && (status = read_probability(q[2], "--r0", o->r0)) == 0)
            status = read_probability(q[3], "--r1", o->r1);
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
    out->digits = 12;
    out->max_seconds = DEFAULT_MAX_SECONDS;
    if (o->digits != NULL)
    {
        if (shuf_users_set_str(&digits, o->digits) != 0 || digits > SHUF_MAX_DIGITS)
            return cli_fail(EXIT_USAGE, "--digits is \"%.40s\": a whole number from 1 to %d is allowed", o->digits, SHUF_MAX_DIGITS);
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
