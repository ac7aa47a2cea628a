/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * sgd: noisy stochastic gradient descent over shuffled blocks of data,
 * proofs/sgd.md. The composition of the clones pairs is certified; what the
 * papers' formulas say is printed beside it.
 */
#include <string.h>

#include "cli/question.h"
#include "forms/kairouz15.h"

/* Relative accuracy of a solution for several epochs, unless --digits says otherwise. */
#define EPOCHS_DIGITS 4
#define DECIMAL_DIGITS 15

typedef struct
{
    uint64_t epochs, blocks;
    shuf_quantity quantity;
    shuf_real_t eps0, point;
    shuf_options budget;
    fmpq_t diameter; /* of the clipped updates, in the L1 norm; 0 unless --clip is given */
    char noise_note[200]; /* how eps0 comes from the noise, or "" */
} sgd_struct;

static void sgd_init(sgd_struct *s)
{
    memset(s, 0, sizeof(*s));
    shuf_real_init(s->eps0);
    shuf_real_init(s->point);
    fmpq_init(s->diameter);
}

static void sgd_clear(sgd_struct *s)
{
    shuf_real_clear(s->eps0);
    shuf_real_clear(s->point);
    fmpq_clear(s->diameter);
}

/* ---- eps0 from the noise ---- */

static int read_positive(fmpq_t out, const char *option, const char *text)
{
    shuf_real_t x;
    int status;
    shuf_real_init(x);
    status = cli_real(x, option, text);
    if (status == 0 && (x->is_log || shuf_real_sgn(x) <= 0))
        status = cli_fail(EXIT_USAGE, "%s is %.80s: a positive rational number is allowed", option, text);
    if (status == 0)
        fmpq_set(out, x->q);
    shuf_real_clear(x);
    return status;
}

/* root := sqrt(dimension), exactly if that is a whole number, else rounded up to a decimal. */
static void set_root(fmpq_t root, uint64_t dimension)
{
    fmpz_t d, s;
    shuf_real_t decimal;
    arb_t x;
    arf_t up;
    char *text;
    fmpz_init(d);
    fmpz_init(s);
    shuf_real_init(decimal);
    arb_init(x);
    arf_init(up);
    fmpz_set_ui(d, dimension);
    fmpz_sqrt(s, d);
    if (fmpz_is_square(d))
    {
        fmpq_set_fmpz(root, s);
    }
    else
    {
        arb_sqrt_fmpz(x, d, 128);
        arb_get_ubound_arf(up, x, 128);
        text = shuf_decimal(up, DECIMAL_DIGITS, 1);
        shuf_real_set_str(decimal, text);
        fmpq_set(root, decimal->q);
        flint_free(text);
    }
    fmpz_clear(d);
    fmpz_clear(s);
    shuf_real_clear(decimal);
    arb_clear(x);
    arf_clear(up);
}

/* The L1 diameter of the ball that updates are clipped to: 2 C, or 2 C sqrt(D) if they are clipped in the L2 norm. */
static int read_diameter(sgd_struct *s, const cli_options *o)
{
    uint64_t dimension = 1;
    fmpq_t root;
    int status;
    if ((status = read_positive(s->diameter, "--clip", o->clip)) != 0
        || (o->dimension != NULL && (status = cli_count(&dimension, "--dimension", o->dimension, 1, SHUF_MAX_USERS)) != 0))
        return status;
    fmpq_init(root);
    set_root(root, dimension);
    fmpq_mul(s->diameter, s->diameter, root);
    fmpq_mul_2exp(s->diameter, s->diameter, 1);
    fmpq_clear(root);
    return 0;
}

static void set_noise_note(sgd_struct *s, const cli_options *o)
{
    arb_t x;
    arf_t up;
    char *text;
    arb_init(x);
    arf_init(up);
    shuf_real_get_arb(x, s->eps0, 128);
    arb_get_ubound_arf(up, x, 128);
    text = shuf_decimal(up, DECIMAL_DIGITS, 1);
    snprintf(s->noise_note, sizeof(s->noise_note), "eps0 = 2 C%s/B <= %s: Laplace noise of scale B on each coordinate, updates clipped to C in "
             "the %s norm", o->dimension != NULL ? " sqrt(dimension)" : "", text, o->dimension != NULL ? "L2" : "L1");
    flint_free(text);
    arb_clear(x);
    arf_clear(up);
}

static int read_eps0(sgd_struct *s, const cli_options *o)
{
    fmpq_t scale;
    int status;
    if (o->eps0 != NULL && o->noise_scale != NULL)
        return cli_fail(EXIT_USAGE, "--eps0 and --noise-scale exclude each other");
    if ((o->noise_scale != NULL) != (o->clip != NULL))
        return cli_fail(EXIT_USAGE, "--noise-scale and --clip go together");
    if (o->eps0 != NULL)
    {
        status = cli_epsilon(s->eps0, "--eps0", o->eps0);
    }
    else
    {
        fmpq_init(scale);
        if ((status = read_positive(scale, "--noise-scale", o->noise_scale)) == 0)
        {
            fmpq_div(s->diameter, s->diameter, scale);
            shuf_real_set_fmpq(s->eps0, s->diameter);
            if (shuf_real_cmp_si(s->eps0, SHUF_MAX_EPSILON) > 0 || strlen(s->eps0->text) > SHUF_REAL_MAX_LENGTH)
                status = cli_fail(EXIT_USAGE, "--clip %.80s with --noise-scale %.80s: eps0 is too large or too long", o->clip,
                                  o->noise_scale);
            else
                set_noise_note(s, o);
        }
        fmpq_clear(scale);
    }
    return status;
}

/* ---- the certified composition ---- */

/* The question about that pair: the blocks are its users, the epochs its rounds. */
static int pair_question(json_t **question, const sgd_struct *s, const cli_options *o, const char *pair)
{
    cli_options as_pair = *o;
    as_pair.pair = pair;
    as_pair.n = o->blocks;
    as_pair.eps0 = o->solve == NULL ? s->eps0->text : NULL;
    as_pair.rounds = o->epochs;
    return cli_question(question, &as_pair);
}

/* The bound rests on the theorem on SGD first. */
static void put_first(shuf_answer_bound *b, const char *theorem)
{
    memmove(b->theorem + 1, b->theorem, (SHUF_MAX_CHAIN - 1) * sizeof(*b->theorem));
    b->theorem[0] = theorem;
    b->theorems++;
}

/* The value for the pair of that name. */
static int print_certified(sgd_struct *s, const cli_options *o, const char *pair)
{
    double start = shuf_seconds();
    shuf_question_t q;
    shuf_answer_t a;
    json_t *question;
    int status = pair_question(&question, s, o, pair);
    if (status != 0)
        return status;
    json_object_set_new(question, "ask", cli_ask(shuf_quantity_name(s->quantity), "eps", o->eps, "delta", o->delta, "order", o->order, NULL));
    shuf_question_init(q);
    if ((status = cli_read_question(q, question)) == 0)
    {
        shuf_real_set(s->point, s->quantity == SHUF_QUANTITY_DELTA ? q->eps : s->quantity == SHUF_QUANTITY_EPSILON ? q->delta : q->order);
        s->budget.digits = q->digits;
        s->budget.max_work = q->max_work;
        if ((status = cli_answer(a, q)) == 0)
        {
            put_first(&a->tried[0], "shuffled-sgd");
            a->tried[0].note = s->noise_note[0] != '\0' ? s->noise_note : NULL;
            status = cli_print_answer(a, o, shuf_seconds() - start);
        }
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return status;
}

/* ---- the papers' formulas ---- */

static shuf_status evaluate_form(shuf_enclosure_t r, const sgd_struct *s, const char *theorem, shuf_bound_quantity quantity,
                                 const shuf_real_t point, const shuf_options *options)
{
    shuf_bound_query_t q;
    shuf_status status;
    shuf_bound_query_init(q);
    q->n = s->blocks;
    shuf_real_set(q->eps0, s->eps0);
    shuf_real_set(q->point, point);
    status = shuf_bound_evaluate(r, shuf_bound_find(theorem, quantity), q, options);
    shuf_bound_query_clear(q);
    return status;
}

/* chen24-thm3: the epochs times the formula for one. */
static shuf_status evaluate_chen24(shuf_enclosure_t r, const shuf_renyi_curve *curve, const shuf_real_t order,
                                   const shuf_options *options)
{
    const sgd_struct *s = curve->data;
    slong prec = 4 * options->digits + 64;
    shuf_status status = evaluate_form(r, s, "chen24-thm3", SHUF_BOUND_RENYI, order, options);
    arb_t x;
    if (status == SHUF_DOMAIN)
        return status;
    arb_init(x);
    shuf_enclosure_get_arb(x, r, prec);
    arb_mul_ui(x, x, s->epochs, prec);
    shuf_enclosure_set_arb(r, x, prec);
    r->status = status;
    arb_clear(x);
    return status;
}

static const char *const quantity_names[] = { "delta", "epsilon", "renyi" };

static int print_chen24(const sgd_struct *s, const cli_options *o)
{
    const shuf_renyi_curve curve = { evaluate_chen24, s, 0 };
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t order;
    shuf_status found = SHUF_DOMAIN;
    int status = 0;
    memset(&result, 0, sizeof(result));
    result.quantity = quantity_names[s->quantity];
    result.theorem = "chen24-thm3";
    shuf_enclosure_init(r);
    shuf_real_init(order);
    switch (s->quantity)
    {
    case SHUF_QUANTITY_RENYI: found = evaluate_chen24(r, &curve, s->point, &s->budget); break;
    case SHUF_QUANTITY_EPSILON: found = shuf_renyi_to_epsilon(r, order, &curve, s->point, &s->budget); break;
    case SHUF_QUANTITY_DELTA: found = shuf_renyi_to_delta(r, order, &curve, s->point, &s->budget); break;
    default: break;
    }
    if (s->quantity != SHUF_QUANTITY_RENYI)
    {
        result.through[0] = "renyi-conversion";
        result.order = order->text;
    }
    if (found != SHUF_DOMAIN)
        status = cli_print_result(&result, r, o, s->budget.digits);
    shuf_enclosure_clear(r);
    shuf_real_clear(order);
    return status;
}

/*
 * One epoch by feldman21-3.1. For more, eps at delta: each epoch at
 * delta/(2 T), rounded down, and the T of them composed by kairouz15-optimal.
 */
static int print_feldman21(const sgd_struct *s, const cli_options *o)
{
    cli_result result;
    shuf_enclosure_t r;
    shuf_real_t eps, delta;
    shuf_status found = SHUF_DOMAIN;
    int status = 0, one = s->epochs == 1;
    char *eps_text, *delta_text;
    arb_t x;
    arf_t down;
    if (s->quantity == SHUF_QUANTITY_RENYI || (s->quantity == SHUF_QUANTITY_DELTA && !one))
        return 0;
    memset(&result, 0, sizeof(result));
    result.quantity = quantity_names[s->quantity];
    result.theorem = "feldman21-3.1";
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_init(delta);
    arb_init(x);
    arf_init(down);
    if (one)
    {
        found = evaluate_form(r, s, "feldman21-3.1", s->quantity == SHUF_QUANTITY_DELTA ? SHUF_BOUND_DELTA : SHUF_BOUND_EPSILON,
                              s->point, &s->budget);
    }
    else
    {
        shuf_real_get_arb(x, s->point, 128);
        arb_div_ui(x, x, s->epochs, 128);
        arb_mul_2exp_si(x, x, -1);
        arb_get_lbound_arf(down, x, 128);
        delta_text = shuf_decimal(down, DECIMAL_DIGITS, 0);
        if (shuf_real_set_str(delta, delta_text) == 0
            && evaluate_form(r, s, "feldman21-3.1", SHUF_BOUND_EPSILON, delta, &s->budget) != SHUF_DOMAIN)
        {
            eps_text = shuf_decimal(r->hi, DECIMAL_DIGITS, 1);
            if (shuf_real_set_str(eps, eps_text) == 0)
                found = shuf_kairouz15_epsilon(r, eps, delta, s->epochs, s->point, &s->budget);
            flint_free(eps_text);
        }
        flint_free(delta_text);
        result.through[0] = "kairouz15-optimal";
        result.round_eps = eps->text;
        result.round_delta = delta->text;
    }
    if (found != SHUF_DOMAIN)
        status = cli_print_result(&result, r, o, s->budget.digits);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    shuf_real_clear(delta);
    arb_clear(x);
    arf_clear(down);
    return status;
}

static int account_for(sgd_struct *s, const cli_options *o)
{
    int status, worst = 0, i;
    if ((o->eps != NULL) + (o->delta != NULL) + (o->order != NULL) > 1)
        return cli_fail(EXIT_USAGE, "--delta, --eps and --order exclude each other");
    s->quantity = o->eps != NULL ? SHUF_QUANTITY_DELTA : o->delta != NULL ? SHUF_QUANTITY_EPSILON : SHUF_QUANTITY_RENYI;
    if ((status = read_eps0(s, o)) != 0)
        return status;
    for (i = 0; i < 4; i++)
    {
        switch (i)
        {
        case 0: status = print_certified(s, o, "clones-stronger"); break;
        case 1: status = print_certified(s, o, "clones"); break;
        case 2: status = print_chen24(s, o); break;
        case 3: status = print_feldman21(s, o); break;
        }
        if (status >= EXIT_USAGE)
            return status;
        worst = FLINT_MAX(worst, status);
    }
    return worst;
}

/* ---- calibration ---- */

/* r := the enclosure [d/r->hi, d/r->lo]. */
static void divide_by(shuf_enclosure_t r, const fmpq_t d, slong prec)
{
    arb_t x, lo, hi;
    arb_init(x);
    arb_init(lo);
    arb_init(hi);
    arb_set_fmpq(x, d, prec);
    arb_set_arf(lo, r->lo);
    arb_set_arf(hi, r->hi);
    arb_div(hi, x, hi, prec);
    arb_div(lo, x, lo, prec);
    arb_get_lbound_arf(r->lo, hi, prec);
    arb_get_ubound_arf(r->hi, lo, prec);
    shuf_enclosure_width(r->ledger.discretisation, r);
    arb_clear(x);
    arb_clear(lo);
    arb_clear(hi);
}

/* The scale of Laplace noise that has that eps0. */
static int print_scale(const sgd_struct *s, shuf_enclosure_t r, const cli_options *o, slong digits)
{
    cli_result result;
    if (fmpq_is_zero(s->diameter) || arf_sgn(r->lo) <= 0 || !arf_is_finite(r->hi))
        return 0;
    memset(&result, 0, sizeof(result));
    result.quantity = "noise-scale";
    result.theorem = "shuffled-sgd";
    result.through[0] = "clones-stronger";
    if (s->epochs > 1)
        result.through[1] = "pld-composition";
    result.guarantee = "the upper end is certified, and so is every larger scale of Laplace noise on each coordinate";
    divide_by(r, s->diameter, 4 * digits + 64);
    return cli_print_result(&result, r, o, digits);
}

static int solve(const sgd_struct *s, const cli_options *o)
{
    double start = shuf_seconds();
    shuf_question_t q;
    shuf_answer_t a;
    json_t *question;
    int status, scale;
    if (strcmp(o->solve, "eps0") != 0)
        return cli_fail(EXIT_USAGE, "--solve is %.40s: eps0 is allowed with sgd", o->solve);
    if (o->eps0 != NULL || o->noise_scale != NULL || o->order != NULL || o->via != NULL)
        return cli_fail(EXIT_USAGE, "--solve eps0 takes --eps, --delta and perhaps --clip alone");
    if ((status = pair_question(&question, s, o, "clones-stronger")) != 0)
        return status;
    json_object_set_new(question, "ask", cli_ask("eps0", "eps", o->eps, "delta", o->delta, NULL));
    shuf_question_init(q);
    if ((status = cli_read_question(q, question)) == 0)
    {
        if ((status = cli_answer(a, q)) == 0)
        {
            put_first(&a->tried[0], "shuffled-sgd");
            status = cli_print_answer(a, o, shuf_seconds() - start);
            scale = status < EXIT_USAGE ? print_scale(s, a->tried[0].value, o, q->digits) : 0;
            status = FLINT_MAX(status, scale);
        }
        shuf_answer_clear(a);
    }
    shuf_question_clear(q);
    return status;
}

int cli_command_sgd(const cli_options *o)
{
    sgd_struct s;
    int status;
    sgd_init(&s);
    if ((status = cli_count(&s.epochs, "--epochs", o->epochs, 1, SHUF_PLD_MAX_ROUNDS)) == 0
        && (status = cli_count(&s.blocks, "--blocks", o->blocks, 1, SHUF_MAX_USERS)) == 0)
    {
        if (o->dimension != NULL && o->clip == NULL)
            status = cli_fail(EXIT_USAGE, "--dimension goes with --clip");
        else if (o->clip != NULL)
            status = read_diameter(&s, o);
        if (status == 0)
            status = o->solve != NULL ? solve(&s, o) : account_for(&s, o);
    }
    sgd_clear(&s);
    return status;
}
