/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* tradeoff, gdp: type II errors, and Gaussian differential privacy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/account.h"
#include "tradeoff/gdp.h"
#include "tradeoff/tradeoff.h"

/* Digits unless --digits says otherwise: for one round, and through pld. */
#define TYPE2_DIGITS 8
#define TYPE2_PLD_DIGITS 3
#define MU_DIGITS 5
#define MU_PLD_DIGITS 3
/* Largest number of points of a curve. */
#define MAX_POINTS 100000

/* ---- the profile of an account ---- */

/* The account's delta, for the direction and the budget asked for. */
static shuf_status evaluate_account(arf_ptr lo, arf_ptr hi, const shuf_profile *self, shuf_direction direction,
                                    arf_srcptr s, slong count, const shuf_options *options)
{
    account_struct *const *account = self->data;
    account_struct *a = *account;
    double deadline = options->max_seconds > 0 ? shuf_seconds() + options->max_seconds : 0;
    shuf_status status = SHUF_OK, one;
    shuf_enclosure_t r;
    shuf_real_t eps;
    slong i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    a->direction = direction;
    a->pld.budget = *options;
    for (i = 0; i < count; i++)
    {
        if (deadline > 0)
            a->pld.budget.max_seconds = FLINT_MAX(deadline - shuf_seconds(), 1e-3);
        shuf_real_set_arf(eps, s + i);
        one = account_evaluate(r, a, eps);
        if (one == SHUF_DOMAIN)
        {
            /* nothing is known */
            arf_zero(r->lo);
            arf_one(r->hi);
            one = SHUF_ACCURACY;
        }
        status = FLINT_MAX(status, one);
        arf_set(lo + i, r->lo);
        arf_set(hi + i, r->hi);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return status;
}

static void nothing_unseen(arf_t infinite, const shuf_profile *self, shuf_direction direction)
{
    (void) self;
    (void) direction;
    arf_zero(infinite);
}

/* What both commands begin with. The profile refers to *self, which is set to the account. */
static int start(account_t a, account_struct **self, shuf_profile *profile, const cli_options *o, slong digits, slong pld_digits)
{
    int status;
    if (o->pair != NULL && strcmp(o->pair, "gaussian") == 0)
        return cli_fail(EXIT_USAGE, "--pair gaussian goes with delta, epsilon and curve");
    if ((status = account_set(a, o, ACCOUNT_DELTA)) != 0)
        return status;
    *self = a;
    if (a->route == VIA_NOTHING)
    {
        *profile = a->profile;
    }
    else
    {
        profile->evaluate = evaluate_account;
        profile->infinite = nothing_unseen;
        profile->data = self;
        profile->max_loss = NULL;
        /* subsampled bounds and compositions from a file have one profile for both directions */
        profile->symmetric = a->composed || (a->subsampled && a->sample->kind == SHUF_SAMPLED_FIXED_SIZE)
                             || (!a->subsampled && a->profile.symmetric);
        cli_catch_interrupt();
    }
    if (o->digits == NULL)
        a->budget.digits = a->route == VIA_NOTHING ? digits : pld_digits;
    return 0;
}

/* The kind of the account's delta. */
static int is_bound(const cli_result *result, const char *kind)
{
    return strcmp(result->kind != NULL ? result->kind : shuf_theorem_find(result->theorem)->kind, kind) == 0;
}

/* result->through := also the theorem. */
static void add_theorem(cli_result *result, const char *id)
{
    size_t i;
    for (i = 0; i + 1 < CLI_MAX_LINES && result->through[i] != NULL; i++)
        ;
    result->through[i] = id;
}

/* ---- tradeoff ---- */

/* T(P,Q), T(Q,P), or both: the smaller. */
typedef struct
{
    shuf_tradeoff_t one[2];
    int count;
} functions;

static void functions_init(functions *f, const shuf_profile *profile, shuf_direction direction)
{
    f->count = direction == SHUF_DIRECTION_BOTH && !profile->symmetric ? 2 : 1;
    shuf_tradeoff_init(f->one[0], profile, direction == SHUF_DIRECTION_QP ? direction : SHUF_DIRECTION_PQ);
    if (f->count == 2)
        shuf_tradeoff_init(f->one[1], profile, SHUF_DIRECTION_QP);
}

static void functions_clear(functions *f)
{
    int i;
    for (i = 0; i < f->count; i++)
        shuf_tradeoff_clear(f->one[i]);
}

static void functions_at(shuf_enclosure_t r, functions *f, const shuf_real_t type1, const shuf_options *budget)
{
    shuf_enclosure_t other;
    shuf_tradeoff_at(r, f->one[0], type1, budget);
    if (f->count == 1)
        return;
    shuf_enclosure_init(other);
    shuf_tradeoff_at(other, f->one[1], type1, budget);
    shuf_tradeoff_smaller(r, other);
    shuf_enclosure_clear(other);
}

static void describe(cli_result *result, account_t a)
{
    account_describe(result, a);
    result->quantity = "type2";
    add_theorem(result, "dong22-2.12");
    if (is_bound(result, "upper bound"))
    {
        result->kind = "lower bound";
        result->guarantee = "no test has a type II error below the lower end; the enclosure is of the bound's value";
    }
    else if (is_bound(result, "lower bound"))
    {
        result->kind = "upper bound";
        result->guarantee = "against a mechanism of the class a test has a type II error of at most the upper end";
    }
}

/* Reads A:B:K, rational numbers 0 <= A < B <= 1. */
static int read_range(fmpq_t from, fmpq_t step, uint64_t *count, const char *text)
{
    char copy[2 * SHUF_REAL_MAX_LENGTH + 32], *first, *second;
    int status;
    fmpq_t to;
    if (strlen(text) >= sizeof(copy))
        return cli_fail(EXIT_USAGE, "--type1 is too long");
    strcpy(copy, text);
    first = strchr(copy, ':');
    second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL)
        return cli_fail(EXIT_USAGE, "--type1 is \"%.80s\": a number or A:B:K is allowed", text);
    *first = *second = '\0';
    fmpq_init(to);
    if ((status = cli_probability(from, "--type1", copy)) == 0 && (status = cli_probability(to, "--type1", first + 1)) == 0
        && (shuf_users_set_str(count, second + 1) != 0 || *count < 2 || *count > MAX_POINTS || fmpq_cmp(from, to) >= 0))
        status = cli_fail(EXIT_USAGE, "--type1 is \"%.80s\": A:B:K with A < B and K from 2 to %d points is allowed", text,
                          MAX_POINTS);
    if (status == 0)
    {
        fmpz_t k;
        fmpz_init_set_ui(k, *count - 1);
        fmpq_sub(step, to, from);
        fmpq_div_fmpz(step, step, k);
        fmpz_clear(k);
    }
    fmpq_clear(to);
    return status;
}

/* The point as a short decimal, or a fraction. */
static char *point_text(const fmpq_t x)
{
    const slong digits = 30;
    shuf_real_t y;
    arf_t below;
    char *text;
    shuf_real_init(y);
    arf_init(below);
    arf_set_fmpq(below, x, 4 * digits, ARF_RND_DOWN);
    text = shuf_decimal(below, digits, 1);
    if (shuf_real_set_str(y, text) != 0 || !fmpq_equal(y->q, x))
    {
        flint_free(text);
        text = fmpq_get_str(NULL, 10, x);
    }
    shuf_real_clear(y);
    arf_clear(below);
    return text;
}

static int run_range(functions *f, account_t a, const cli_options *o)
{
    cli_options row = *o;
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t x;
    fmpq_t point, step;
    uint64_t count = 0, i;
    int status;
    fmpq_init(point);
    fmpq_init(step);
    shuf_enclosure_init(r);
    shuf_real_init(x);
    if ((status = read_range(point, step, &count, o->type1)) == 0 && !o->json)
        printf("type1,%s_lo,%s_hi\n", a->composed ? "composition" : o->pair, a->composed ? "composition" : o->pair);
    for (i = 0; i < count && (status == 0 || status == EXIT_ACCURACY) && !cli_interrupted() && !ferror(stdout); i++)
    {
        char *text = point_text(point), *lo, *hi;
        shuf_real_set_fmpq(x, point);
        functions_at(r, f, x, &a->budget);
        row.type1 = text;
        if (o->json)
        {
            describe(&result, a);
            if (cli_print_result(&result, r, &row, a->budget.digits) == EXIT_ACCURACY)
                status = EXIT_ACCURACY;
        }
        else
        {
            shuf_enclosure_print(&lo, &hi, r, a->budget.digits + 5);
            printf("%s,%s,%s\n", text, lo, hi);
            flint_free(lo);
            flint_free(hi);
            if (r->status != SHUF_OK)
                status = EXIT_ACCURACY;
        }
        fflush(stdout);
        flint_free(text);
        fmpq_add(point, point, step);
    }
    if (cli_interrupted() && i < count)
        status = cli_fail(130, "interrupted after %llu of %llu points", (unsigned long long) i, (unsigned long long) count);
    fmpq_clear(point);
    fmpq_clear(step);
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
    return cli_finish(status);
}

static int run_point(functions *f, account_t a, const cli_options *o)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t x;
    int status;
    shuf_enclosure_init(r);
    shuf_real_init(x);
    if ((status = cli_delta(x, "--type1", o->type1)) == 0)
    {
        functions_at(r, f, x, &a->budget);
        describe(&result, a);
        status = cli_print_result(&result, r, o, a->budget.digits);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(x);
    return status;
}

int cli_command_tradeoff(const cli_options *o)
{
    account_t a;
    account_struct *self;
    shuf_profile profile;
    functions f;
    int status;
    account_init(a);
    if ((status = start(a, &self, &profile, o, TYPE2_DIGITS, TYPE2_PLD_DIGITS)) == 0)
    {
        functions_init(&f, &profile, a->direction);
        status = o->type1 != NULL && strchr(o->type1, ':') != NULL ? run_range(&f, a, o) : run_point(&f, a, o);
        functions_clear(&f);
    }
    account_clear(a);
    return status;
}

/* ---- gdp ---- */

/* Reads E or A:B. */
static int read_eps(shuf_real_t from, shuf_real_t to, const char *text)
{
    char copy[2 * SHUF_REAL_MAX_LENGTH + 32], *colon;
    int status;
    if (text == NULL || strlen(text) >= sizeof(copy))
        return cli_fail(EXIT_USAGE, "--eps is %s: a number or a range A:B is allowed", text == NULL ? "missing" : "too long");
    strcpy(copy, text);
    if ((colon = strchr(copy, ':')) != NULL)
        *colon = '\0';
    if ((status = cli_epsilon(from, "--eps", copy)) != 0
        || (status = cli_epsilon(to, "--eps", colon != NULL ? colon + 1 : copy)) != 0)
        return status;
    if (shuf_real_cmp(from, to) > 0)
        return cli_fail(EXIT_USAGE, "--eps is \"%.80s\": A:B with A <= B is allowed", text);
    return 0;
}

/* The witness: as the user wrote it, or its decimal, which is short. */
static char *witness_text(const shuf_real_t x)
{
    char *text = x->is_log ? NULL : point_text(x->q);
    if (text == NULL)
    {
        text = flint_malloc(strlen(x->text) + 1);
        strcpy(text, x->text);
    }
    return text;
}

/* Whether [from, to] is all that matters: 0 to the largest loss, in both directions. */
static int is_everything(const account_t a, const shuf_real_t from, const shuf_real_t to)
{
    shuf_real_t loss;
    int all;
    shuf_real_init(loss);
    all = a->route == VIA_NOTHING && (a->direction == SHUF_DIRECTION_BOTH || a->profile.symmetric)
          && shuf_real_sgn(from) == 0 && shuf_pair_max_loss(loss, a->pair) && shuf_real_cmp(loss, to) <= 0;
    shuf_real_clear(loss);
    return all;
}

static const char *scope(int everything)
{
    return everything ? "the range reaches from 0 to the largest privacy loss: Gaussian DP in full"
                      : "on this range of eps only: Gaussian DP in full is every eps >= 0 in both directions";
}

static int print_mu(account_t a, shuf_profile *profile, const shuf_real_t from, const shuf_real_t to, const cli_options *o)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t witness;
    char *text, *note = NULL;
    size_t i, length;
    int status;
    shuf_enclosure_init(r);
    shuf_real_init(witness);
    shuf_gdp_mu(r, witness, profile, from, to, a->direction, &a->budget);
    account_describe(&result, a);
    result.quantity = "mu";
    add_theorem(&result, "dong22-2.13");
    if (is_bound(&result, "upper bound"))
        result.guarantee = "at the upper end delta(eps) <= delta_mu(eps) is certain for a mechanism";
    else if (is_bound(&result, "lower bound"))
        result.guarantee = "below the lower end a mechanism of the class exceeds delta_mu at the witness";
    else
        result.guarantee = "at the upper end delta(eps) <= delta_mu(eps) is certain, at the lower end the witness exceeds it";
    for (i = 0; i < CLI_MAX_LINES && result.note[i] != NULL; i++)
        ;
    text = witness_text(witness);
    if (i < CLI_MAX_LINES)
        result.note[i++] = scope(is_everything(a, from, to));
    if (i < CLI_MAX_LINES && arf_sgn(r->lo) > 0)
    {
        length = strlen(text) + 32;
        note = flint_malloc(length);
        snprintf(note, length, "witness eps = %s", text);
        result.note[i] = note;
    }
    status = cli_print_result(&result, r, o, a->budget.digits);
    flint_free(text);
    flint_free(note);
    shuf_enclosure_clear(r);
    shuf_real_clear(witness);
    return status;
}

/* The two values at the witness. */
static void print_values(const char *witness, shuf_enclosure_t delta, shuf_enclosure_t gaussian, slong digits, json_t *object)
{
    char *text[4];
    int i;
    shuf_enclosure_print(&text[0], &text[1], delta, digits + 5);
    shuf_enclosure_print(&text[2], &text[3], gaussian, digits + 5);
    if (object == NULL)
    {
        printf("  at eps = %s delta is in [%s, %s]\n  and delta_mu in [%s, %s]\n", witness, text[0], text[1], text[2], text[3]);
    }
    else
    {
        json_object_set_new(object, "witness", json_string(witness));
        json_object_set_new(object, "delta", json_pack("{s:s, s:s}", "lo", text[0], "hi", text[1]));
        json_object_set_new(object, "delta_mu", json_pack("{s:s, s:s}", "lo", text[2], "hi", text[3]));
    }
    for (i = 0; i < 4; i++)
        flint_free(text[i]);
}

/* What a verdict on the pair says of mechanisms. */
static const char *meaning(const cli_result *result, shuf_gdp_verdict verdict)
{
    if (is_bound(result, "upper bound") && verdict == SHUF_GDP_REFUTED)
        return "of the pair, which bounds mechanisms from above; a mechanism may still be mu-GDP";
    if (is_bound(result, "lower bound") && verdict == SHUF_GDP_CERTIFIED)
        return "of the pair, which bounds mechanisms from below; it certifies none";
    return NULL;
}

static int print_verdict(account_t a, shuf_profile *profile, const shuf_real_t from, const shuf_real_t to, const cli_options *o)
{
    static const char *const names[] = { "CERTIFIED", "REFUTED", "UNDECIDED" };
    static const int statuses[] = { EXIT_DONE, 1, 2 };
    cli_result result;
    shuf_gdp_verdict verdict;
    shuf_enclosure_t delta, gaussian;
    shuf_real_t mu, witness;
    char *text;
    const char *means;
    json_t *object = o->json ? json_object() : NULL;
    int status;
    shuf_enclosure_init(delta); shuf_enclosure_init(gaussian);
    shuf_real_init(mu); shuf_real_init(witness);
    if ((status = cli_real(mu, "--mu", o->mu)) == 0
        && (shuf_real_sgn(mu) <= 0 || shuf_real_cmp_si(mu, SHUF_GDP_MAX_MU) > 0))
        status = cli_fail(EXIT_USAGE, "--mu is %.80s: more than 0 and at most %d is allowed", o->mu, SHUF_GDP_MAX_MU);
    if (status == 0)
    {
        verdict = shuf_gdp_check(witness, delta, gaussian, profile, mu, from, to, a->direction, &a->budget);
        account_describe(&result, a);
        means = meaning(&result, verdict);
        text = witness_text(witness);
        if (object == NULL)
            printf("%s: mu = %s, eps = %s\n  %s\n", names[verdict], o->mu, o->eps, scope(is_everything(a, from, to)));
        else
        {
            json_object_set_new(object, "quantity", json_string("gdp"));
            json_object_set_new(object, "verdict", json_string(names[verdict]));
            json_object_set_new(object, "mu", json_string(o->mu));
            json_object_set_new(object, "eps", json_string(o->eps));
            json_object_set_new(object, "full", json_boolean(is_everything(a, from, to)));
        }
        if (verdict == SHUF_GDP_REFUTED)
            print_values(text, delta, gaussian, a->budget.digits, object);
        if (object == NULL)
        {
            if (means != NULL)
                printf("  %s\n", means);
            printf("  theorems %s, dong22-2.13\n", result.theorem);
        }
        else
        {
            if (means != NULL)
                json_object_set_new(object, "note", json_string(means));
            json_object_set_new(object, "theorem", json_string(result.theorem));
            json_dumpf(object, stdout, JSON_COMPACT);
            putchar('\n');
        }
        flint_free(text);
        status = cli_finish(statuses[verdict]);
    }
    json_decref(object);
    shuf_enclosure_clear(delta); shuf_enclosure_clear(gaussian);
    shuf_real_clear(mu); shuf_real_clear(witness);
    return status;
}

int cli_command_gdp(const cli_options *o)
{
    account_t a;
    account_struct *self;
    shuf_profile profile;
    shuf_real_t from, to;
    int status;
    account_init(a);
    shuf_real_init(from);
    shuf_real_init(to);
    if ((status = start(a, &self, &profile, o, MU_DIGITS, MU_PLD_DIGITS)) == 0 && (status = read_eps(from, to, o->eps)) == 0)
        status = o->mu != NULL ? print_verdict(a, &profile, from, to, o) : print_mu(a, &profile, from, to, o);
    account_clear(a);
    shuf_real_clear(from);
    shuf_real_clear(to);
    return status;
}
