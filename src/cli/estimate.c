/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* estimate: the eps0 for frequency estimation at (eps, delta), the error that it leaves, and the size of a report */
#include <string.h>

#include "cli/options_question.h"
#include "randomiser/estimation.h"

#define EPS0_DIGITS 12 /* of the eps0 at which errors are evaluated: steers only */

typedef struct
{
    uint64_t n, k;
    shuf_options budget;
} estimation;

/* eps0 := the lower end as a decimal, rounded down. Returns 0 unless it is positive. */
static int set_eps0(shuf_real_t eps0, const shuf_enclosure_t r)
{
    char *text = shuf_decimal(r->lo, EPS0_DIGITS, 0);
    int ok = shuf_real_set_str(eps0, text) == 0 && shuf_real_sgn(eps0) > 0;
    flint_free(text);
    return ok;
}

static int print_errors(const estimation *e, const shuf_real_t eps0, const cli_options *o)
{
    static const char *const theorems[] = { [SHUF_ESTIMATE_KRR] = "estimation-krr", [SHUF_ESTIMATE_HADAMARD] = "estimation-hadamard" };
    static const shuf_estimator order[] = { SHUF_ESTIMATE_HADAMARD, SHUF_ESTIMATE_KRR };
    cli_result result;
    shuf_enclosure_t r;
    char note[80];
    int i, status = 0;
    shuf_enclosure_init(r);
    for (i = 0; i < 2 && status == 0; i++)
    {
        memset(&result, 0, sizeof(result));
        result.quantity = "squared-error";
        result.theorem = theorems[order[i]];
        snprintf(note, sizeof(note), "at eps0 = %.40s; bits of a report: %d", eps0->text, shuf_estimation_bits(order[i], e->k, eps0));
        result.note = note;
        shuf_estimation_error(r, order[i], e->n, e->k, eps0, &e->budget);
        status = cli_print_result(&result, r, o, e->budget.digits);
    }
    shuf_enclosure_clear(r);
    return status;
}

/* r := the eps0 for (eps, delta), by a closed form or else the largest that clones-stronger certifies. Returns 0, or an exit status after a message. */
static int find_eps0(shuf_enclosure_t r, const cli_options *o, const char *form)
{
    json_t *question = json_pack("{s:{s:s}, s:o}", "mechanism", "type", "ldp", "ask", cli_ask(o, "eps0", "eps delta"));
    shuf_question_t q;
    shuf_answer_t a;
    int status;
    cli_set(question, "users", o->n);
    if (form != NULL)
        json_object_set_new(question, "form", json_pack("{s:s}", "theorem", form));
    cli_set_how(question, o);
    shuf_question_init(q);
    if ((status = cli_read_question(q, question)) == 0)
    {
        status = cli_answer(a, q);
        if (status == 0)
            shuf_enclosure_set(r, a->value->value);
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return status;
}

/* The paper's choice, and whether it is certified. */
static int print_paper(const estimation *e, const shuf_enclosure_t certified, const cli_options *o, int with_errors)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t eps0;
    int status, usable;
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "feldman21-5.2";
    shuf_enclosure_init(r);
    shuf_real_init(eps0);
    if ((status = find_eps0(r, o, result.theorem)) == 0)
    {
        usable = set_eps0(eps0, r);
        result.note = !usable                                          ? "not positive: no eps0 at all"
                      : shuf_real_cmp_arf(eps0, certified->lo) <= 0 ? "the lower end is certified: clones-stronger certifies a larger eps0"
                                                                    : "not certified: clones-stronger certifies a smaller eps0 only";
        status = cli_print_result(&result, r, o, e->budget.digits);
        if (status == 0 && with_errors && usable)
            status = print_errors(e, eps0, o);
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps0);
    return status;
}

/* The largest eps0 that clones-stronger certifies. */
static int print_calibrated(const estimation *e, shuf_enclosure_t certified, const cli_options *o)
{
    cli_result result;
    shuf_real_t eps0;
    int status, errors = 0;
    memset(&result, 0, sizeof(result));
    result.quantity = "eps0";
    result.theorem = "clones-stronger";
    result.guarantee = "the lower end is certified, and so is every smaller eps0";
    shuf_real_init(eps0);
    status = cli_print_result(&result, certified, o, FLINT_MAX(e->budget.digits, 14));
    if (status < EXIT_USAGE && set_eps0(eps0, certified))
        errors = print_errors(e, eps0, o);
    shuf_real_clear(eps0);
    return FLINT_MAX(status, errors);
}

static int run(const cli_options *o, int with_errors)
{
    estimation e = { .k = 2 };
    shuf_enclosure_t certified;
    int status, calibrated;
    shuf_enclosure_init(certified);
    if ((status = cli_users(&e.n, o->n)) == 0 && (!with_errors || (status = cli_count(&e.k, "--k", o->k, 2, SHUF_MAX_K)) == 0)
        && (status = cli_budget(&e.budget, o)) == 0 && (status = find_eps0(certified, o, NULL)) == 0
        && (status = print_paper(&e, certified, o, with_errors)) < EXIT_USAGE && with_errors)
    {
        calibrated = print_calibrated(&e, certified, o);
        status = FLINT_MAX(status, calibrated);
    }
    shuf_enclosure_clear(certified);
    return status;
}

int cli_command_estimate(const cli_options *o)
{
    return run(o, 1);
}

int cli_bound_feldman21_52(const cli_options *o)
{
    if (cli_allow(o, "bound feldman21-5.2, which takes --n --eps --delta", "n eps delta digits max-seconds json explain quiet") != 0)
        return EXIT_USAGE;
    return run(o, 0);
}
