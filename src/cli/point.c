/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Commands that ask for one number: delta, epsilon, renyi, zcdp, tradeoff, gdp, calibrate, mechanism. */
#include <string.h>

#include "account/door.h"
#include "account/noise_part.h"
#include "cli/options_question.h"

/* The question of the options that asks for that. Returns 0 or a status. */
static int question_with(json_t **question, const cli_options *o, json_t *what)
{
    int status = cli_question(question, o);
    if (status == 0)
        json_object_set_new(*question, "ask", what);
    else
        json_decref(what);
    return status;
}

static int ask(const cli_options *o, json_t *what)
{
    json_t *question;
    int status = question_with(&question, o, what);
    return status != 0 ? status : cli_ask_and_print(question, o);
}

/* ---- certificates ---- */

/* Writes the certificate of the value, or removes what was opened. */
static int certificate_finish(report_file *file, const shuf_answer_t a)
{
    const char *refusal = door_certificate_write(file->out, a);
    if (refusal == NULL)
        return report_file_close(file);
    report_file_discard(file);
    return report_fail(EXIT_USAGE, "--certificate: %s", refusal);
}

static int answer_with_certificate(const shuf_question_t q, const cli_options *o)
{
    const char *refusal = door_certificate_refusal(q);
    double start = shuf_seconds();
    report_file file;
    shuf_answer_t a;
    int status;
    if (refusal != NULL)
        return report_fail(EXIT_USAGE, "--certificate: %s", refusal);
    if ((status = report_file_open(&file, "--certificate", o->certificate)) != 0)
        return status;
    if ((status = cli_answer(a, q)) != 0)
        report_file_discard(&file);
    else if ((status = certificate_finish(&file, a)) == 0)
        status = cli_print_answer(a, o, shuf_seconds() - start);
    shuf_answer_clear(a);
    return status;
}

static int ask_with_certificate(const cli_options *o, json_t *what)
{
    shuf_question_t q;
    json_t *question;
    int status = question_with(&question, o, what);
    if (status != 0)
        return status;
    shuf_question_init(q);
    if ((status = cli_read_question(q, question)) == 0)
        status = answer_with_certificate(q, o);
    shuf_question_clear(q);
    return status;
}

/* ---- the commands ---- */

int cli_command_delta(const cli_options *o)
{
    json_t *what = cli_ask(o, "delta", "eps");
    return o->certificate != NULL ? ask_with_certificate(o, what) : ask(o, what);
}

int cli_command_epsilon(const cli_options *o)
{
    json_t *what = cli_ask(o, "epsilon", "delta");
    return o->certificate != NULL ? ask_with_certificate(o, what) : ask(o, what);
}

int cli_command_renyi(const cli_options *o)
{
    return ask(o, cli_ask(o, "renyi", "order"));
}

int cli_command_tradeoff(const cli_options *o)
{
    if (o->type1 != NULL && strchr(o->type1, ':') != NULL)
        return cli_command_curve(o);
    return ask(o, cli_ask(o, "tradeoff", "type1"));
}

/* [A, B] of "A:B", or [E, E]. */
static json_t *range_of(const char *text)
{
    const char *colon = strchr(text, ':');
    if (colon == NULL)
        return json_pack("[s, s]", text, text);
    return json_pack("[s%, s]", text, (size_t) (colon - text), colon + 1);
}

int cli_command_gdp(const cli_options *o)
{
    json_t *question, *what;
    int status;
    if ((status = cli_question(&question, o)) != 0)
        return status;
    what = o->mu != NULL ? json_object() : cli_ask(o, "gdp", "");
    json_object_set_new(what, "eps", range_of(o->eps));
    cli_set(what, "mu", o->mu);
    json_object_set_new(question, o->mu != NULL ? "claim" : "ask", what);
    return cli_ask_and_print(question, o);
}

int cli_command_zcdp(const cli_options *o)
{
    json_t *question, *what;
    int status;
    if ((status = cli_question(&question, o)) != 0)
        return status;
    what = o->rho != NULL ? json_object() : cli_ask(o, "zcdp", "");
    cli_set(what, "rho", o->rho);
    json_object_set_new(question, o->rho != NULL ? "claim" : "ask", what);
    return cli_ask_and_print(question, o);
}

/* Whether a described mechanism has the parameter that is solved for. */
static int check_solved(const json_t *question, const char *quantity)
{
    const char *type = json_string_value(json_object_get(json_object_get(question, "mechanism"), "type"));
    int is_noise;
    if (type == NULL || strcmp(quantity, "users") == 0 || noise_part_is(json_object_get(question, "mechanism")))
        return 0; /* the question tells */
    is_noise = strcmp(type, "laplace") == 0 || strcmp(type, "gaussian") == 0;
    if (strcmp(type, "matrix") == 0)
        return report_fail(EXIT_USAGE, "--solve is %s: a matrix has no parameter; n is allowed", quantity);
    if (is_noise != (strcmp(quantity, "scale") == 0))
        return report_fail(EXIT_USAGE, "--solve is %s: %s is allowed with %.40s", quantity, is_noise ? "n or scale" : "n or eps0", type);
    return 0;
}

/* What is asked for is not to be in a description. */
static void open_mechanism(json_t *question, const char *quantity)
{
    json_t *mechanism = json_object_get(question, "mechanism");
    json_object_del(mechanism, quantity);
    if (strcmp(quantity, "scale") == 0)
    {
        json_object_del(mechanism, "variance");
        if (noise_part_is(mechanism))
            json_object_del(mechanism, "eps0");
    }
    if (strcmp(quantity, "eps0") == 0)
    {
        json_object_del(mechanism, "flip");
        json_object_del(mechanism, "gamma");
    }
}

int cli_command_calibrate(const cli_options *o)
{
    const char *quantity = cli_solved(o, "n users eps0 scale rounds coins sensitivity", "eps0, n, scale, coins, sensitivity or rounds");
    json_t *question;
    int status;
    if (quantity == NULL)
        return EXIT_USAGE;
    if ((status = cli_question(&question, o)) != 0)
        return status;
    if ((status = check_solved(question, quantity)) != 0)
    {
        json_decref(question);
        return status;
    }
    open_mechanism(question, quantity);
    cli_set_point(question, o, quantity);
    return cli_ask_and_print(question, o);
}

/* Without --n: what is true of the randomiser alone. */
static int print_local(const cli_options *o)
{
    const slong prec = 256;
    shuf_randomiser_t randomiser;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    cli_result result;
    char error[256];
    arb_t t;
    int status;
    shuf_randomiser_init(randomiser);
    shuf_enclosure_init(r); shuf_real_init(eps0); arb_init(t);
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "local-epsilon";
    result.guarantee = "the smallest local parameter of the randomiser, replacing one value by another";
    if (shuf_randomiser_load(randomiser, o->mechanism, error, sizeof(error)) != 0)
    {
        status = report_fail(EXIT_DATA, "%s: %s", o->mechanism, error);
    }
    else
    {
        if (shuf_randomiser_eps0(eps0, randomiser))
            shuf_real_get_arb(t, eps0, prec);
        else
            arb_pos_inf(t);
        if (shuf_randomiser_eps0_is_rounded(randomiser))
            arb_add_error_2exp_si(t, -SHUF_EPS0_BITS);
        shuf_enclosure_set_arb(r, t, prec);
        status = cli_print_result(&result, r, o, 12);
    }
    shuf_randomiser_clear(randomiser);
    shuf_enclosure_clear(r); shuf_real_clear(eps0); arb_clear(t);
    return status;
}

int cli_command_mechanism(const cli_options *o)
{
    cli_options given = *o;
    given.mechanism = o->operand[0];
    given.operands = 0;
    if (o->n == NULL && o->eps == NULL && o->delta == NULL && o->solve == NULL)
        return print_local(&given);
    if (o->solve != NULL)
        return cli_require(o, "eps delta") != 0 ? EXIT_USAGE : cli_command_calibrate(&given);
    if ((o->eps == NULL) == (o->delta == NULL))
        return report_fail(EXIT_USAGE, "mechanism with --n needs either --eps or --delta");
    return o->eps != NULL ? cli_command_delta(&given) : cli_command_epsilon(&given);
}
