/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* curve: many points of one quantity, beside the closed forms of papers */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/account.h"
#include "cli/plot.h"

#define MAX_POINTS 100000
#define MAX_FORMS 16

/* ---- the points ---- */

/* The points A:B:K; `ends` are A, B as written. */
typedef struct
{
    const char *option;
    char *ends[2];
    shuf_real_t from, to;
    size_t count;
} range;

static void range_init(range *g)
{
    g->ends[0] = g->ends[1] = NULL;
    shuf_real_init(g->from);
    shuf_real_init(g->to);
}

static void range_clear(range *g)
{
    flint_free(g->ends[0]);
    flint_free(g->ends[1]);
    shuf_real_clear(g->from);
    shuf_real_clear(g->to);
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = flint_malloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* x gets a decimal as its text if it has one of at most 30 digits; otherwise it stays a fraction. */
static void prefer_decimal(shuf_real_t x)
{
    const slong digits = 30;
    shuf_real_t y;
    arf_t below;
    char *text;
    shuf_real_init(y);
    arf_init(below);
    arf_set_fmpq(below, x->q, 4 * digits, ARF_RND_DOWN);
    text = shuf_decimal(below, digits, 1);
    if (shuf_real_set_str(y, text) == 0 && shuf_real_cmp(x, y) == 0)
        shuf_real_set(x, y);
    flint_free(text);
    arf_clear(below);
    shuf_real_clear(y);
}

/* A + (B-A) i/(K-1), exactly. */
static void linear_point(shuf_real_t x, const range *g, size_t i)
{
    fmpq_t q, t;
    fmpq_init(q);
    fmpq_init(t);
    fmpq_sub(q, g->to->q, g->from->q);
    fmpq_set_si(t, (slong) i, g->count - 1);
    fmpq_mul(q, q, t);
    fmpq_add(q, q, g->from->q);
    shuf_real_set_fmpq(x, q);
    prefer_decimal(x);
    fmpq_clear(q);
    fmpq_clear(t);
}

/* A short decimal near A (B/A)^(i/(K-1)), with digits enough to tell the points apart. */
static void geometric_point(shuf_real_t x, const range *g, size_t i)
{
    const slong prec = 256;
    slong digits = 4;
    arb_t a, ratio;
    arf_t above;
    char *text;
    arf_init(above);
    arb_init(a);
    arb_init(ratio);
    arb_set_fmpq(a, g->from->q, prec);
    arb_set_fmpq(ratio, g->to->q, prec);
    arb_div(ratio, ratio, a, prec);
    arb_log(ratio, ratio, prec);
    arb_div_ui(ratio, ratio, g->count - 1, prec);
    digits += (slong) fmax(0, ceil(-log10(arf_get_d(arb_midref(ratio), ARF_RND_NEAR))));
    arb_mul_ui(ratio, ratio, i, prec);
    arb_exp(ratio, ratio, prec);
    arb_mul(a, a, ratio, prec);
    /* from above, so that a power of ten stays one */
    arb_get_ubound_arf(above, a, prec);
    text = shuf_decimal(above, digits, 0);
    shuf_real_set_str(x, text);
    if (shuf_real_cmp(x, g->from) < 0)
        shuf_real_set(x, g->from);
    flint_free(text);
    arb_clear(a);
    arb_clear(ratio);
    arf_clear(above);
}

static void range_point(shuf_real_t x, const range *g, size_t i, int is_log)
{
    if (i == 0)
        shuf_real_set(x, g->from);
    else if (i == g->count - 1)
        shuf_real_set(x, g->to);
    else if (is_log)
        geometric_point(x, g, i);
    else
        linear_point(x, g, i);
}

/* Subsampled curves exist at whole orders. */
static int check_whole(const range *g, const char *text, int is_log)
{
    shuf_real_t x;
    size_t i;
    int whole = 1;
    shuf_real_init(x);
    for (i = 0; i < g->count && whole; i++)
    {
        range_point(x, g, i, is_log);
        whole = fmpz_is_one(fmpq_denref(x->q));
    }
    shuf_real_clear(x);
    return whole ? 0 : cli_fail(EXIT_USAGE, "%s is \"%.80s\": with subsampling every order must be a whole number", g->option, text);
}

/* Reads A:B:K; both ends must be points that the quantity takes. */
static int range_set(range *g, const account_t a, const char *option, const char *text, int is_log)
{
    const char *first = strchr(text, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    uint64_t count = 0;
    int status, ok;
    g->option = option;
    if (second != NULL)
    {
        g->ends[0] = copy_text(text, (size_t) (first - text));
        g->ends[1] = copy_text(first + 1, (size_t) (second - first - 1));
        if ((status = account_point(g->from, a, g->ends[0])) != 0 || (status = account_point(g->to, a, g->ends[1])) != 0)
            return status;
    }
    ok = second != NULL && shuf_users_set_str(&count, second + 1) == 0 && count >= 2 && count <= MAX_POINTS
         && !g->from->is_log && !g->to->is_log && shuf_real_cmp(g->from, g->to) < 0;
    if (!ok)
        return cli_fail(EXIT_USAGE, "%s is \"%.80s\": A:B:K with rational numbers A < B and K from 2 to %d points is allowed", option,
                        text, MAX_POINTS);
    if (is_log && shuf_real_sgn(g->from) <= 0)
        return cli_fail(EXIT_USAGE, "%s is \"%.80s\": with --log A > 0 is allowed", option, text);
    g->count = (size_t) count;
    if (a->quantity == ACCOUNT_RENYI && a->total.integer_orders)
        return check_whole(g, text, is_log);
    return 0;
}

/* ---- the closed forms ---- */

static const shuf_bound_quantity bound_quantity[] = { SHUF_BOUND_DELTA, SHUF_BOUND_EPSILON, SHUF_BOUND_RENYI };

/* The parameters of the pair, for the forms. */
static int set_query(shuf_bound_query_t q, const account_t a, const char *name)
{
    const shuf_pair_struct *pair = a->pair;
    q->n = pair->n;
    q->k = pair->k;
    if (pair->kind == SHUF_PAIR_KRR_STRONG || pair->kind == SHUF_PAIR_KRR_WEAK)
    {
        /* e^eps0 = 1 + (1-gamma) k/gamma */
        fmpq_t e;
        fmpz_t k;
        if (fmpq_is_zero(pair->gamma))
            return cli_fail(EXIT_USAGE, "%s needs --gamma > 0: eps0 is infinite", name);
        fmpq_init(e);
        fmpz_init_set_ui(k, pair->k);
        fmpq_inv(e, pair->gamma);
        fmpq_sub_si(e, e, 1);
        fmpq_mul_fmpz(e, e, k);
        fmpq_add_si(e, e, 1);
        shuf_real_set_log_fmpq(q->eps0, e);
        fmpq_clear(e);
        fmpz_clear(k);
    }
    else if (pair->kind == SHUF_PAIR_TRINOMIAL)
    {
        return cli_fail(EXIT_USAGE, "%s does not go with --pair trinomial, which has no eps0", name);
    }
    else
    {
        shuf_real_set(q->eps0, pair->eps0);
    }
    return 0;
}

/* forms[i] := the form that the i-th operand names. */
static int find_forms(const shuf_bound_form **forms, shuf_bound_query_t query, const account_t a, const cli_options *o)
{
    int i, status;
    if (o->operands > MAX_FORMS)
        return cli_fail(EXIT_USAGE, "at most %d forms are allowed", MAX_FORMS);
    if (o->operands > 0 && (a->route != VIA_NOTHING || o->subsample != NULL || o->compose != NULL))
        return cli_fail(EXIT_USAGE, "%.60s does not go with %s", o->operand[0],
                        o->via != NULL ? "--via" : o->subsample != NULL ? "--subsample"
                        : o->compose != NULL ? "--compose" : "--rounds but for Renyi divergences");
    for (i = 0; i < o->operands; i++)
    {
        static const char *const quantities[] = { "delta (--eps)", "epsilon (--delta)", "Renyi divergences (--order)" };
        forms[i] = shuf_bound_find(o->operand[i], bound_quantity[a->quantity]);
        if (forms[i] == NULL)
            return cli_fail(EXIT_USAGE, "\"%.60s\" is not a closed form for %s; shufbound bound lists them", o->operand[i],
                            quantities[a->quantity]);
        if (forms[i]->takes_delta0)
            return cli_fail(EXIT_USAGE, "%s takes --delta0, which curve does not", forms[i]->theorem);
        if (forms[i]->takes_k && a->pair->kind != SHUF_PAIR_KRR_SAME && a->pair->kind != SHUF_PAIR_KRR_THIRD
            && a->pair->kind != SHUF_PAIR_KRR_STRONG && a->pair->kind != SHUF_PAIR_KRR_WEAK)
            return cli_fail(EXIT_USAGE, "%s takes --k: --pair krr-same, krr-third, krr-strong or krr-weak is allowed",
                            forms[i]->theorem);
        if ((status = set_query(query, a, forms[i]->theorem)) != 0)
            return status;
    }
    return 0;
}

/* r := rounds times r: Renyi divergences add. */
static void multiply(shuf_enclosure_t r, uint64_t rounds, slong digits)
{
    slong prec = 4 * digits + 128;
    arb_t x;
    shuf_ledger_struct ledger = r->ledger;
    shuf_status status = r->status;
    if (rounds == 1)
        return;
    arb_init(x);
    shuf_enclosure_get_arb(x, r, prec);
    arb_mul_ui(x, x, rounds, prec);
    shuf_enclosure_set_arb(r, x, prec);
    r->ledger.terms = ledger.terms;
    r->ledger.precision = ledger.precision;
    r->ledger.seconds = ledger.seconds;
    r->status = status;
    arb_clear(x);
}

/* ---- rows ---- */

typedef struct
{
    const cli_options *options;
    account_t account;
    range points;
    shuf_bound_query_t query;
    const shuf_bound_form *forms[MAX_FORMS];
    size_t form_count;
    plot_data plot;
    int short_of_digits; /* some value was */
} curve;

static void print_header(const curve *c)
{
    static const char *const names[] = { "eps", "delta", "order" };
    const char *pair = c->account->composed ? "composition" : c->options->pair;
    size_t i;
    printf("%s,%s_lo,%s_hi", names[c->account->quantity], pair, pair);
    for (i = 0; i < c->form_count; i++)
        printf(",%s_lo,%s_hi", c->forms[i]->theorem, c->forms[i]->theorem);
    putchar('\n');
}

/* What a reader of the columns must know. */
static void print_notes(const curve *c)
{
    size_t i;
    if (c->account->sampling_note[0] != '\0')
        fprintf(stderr, "shufbound: note: %s\n", c->account->sampling_note);
    for (i = 0; i < c->form_count; i++)
    {
        const shuf_theorem *t = shuf_theorem_find(c->forms[i]->theorem);
        if (t->status != SHUF_PROVED)
            fprintf(stderr, "shufbound: note: %s is %s: not a bound\n", t->id, shuf_theorem_status_name(t->status));
    }
}

/* One value of the row: two cells, or a JSON object of its own. */
static void put_value(curve *c, shuf_enclosure_t r, const cli_result *result, size_t series, size_t row, const cli_options *o)
{
    slong digits = c->account->budget.digits;
    int finite = arf_is_finite(r->lo) && arf_is_finite(r->hi);
    const char *kind = result->kind != NULL ? result->kind : shuf_theorem_find(result->theorem)->kind;
    char *lo, *hi;
    if (r->status != SHUF_OK)
        c->short_of_digits = 1;
    c->plot.series[series].y[row] = !finite ? NAN : plot_log10(strcmp(kind, "lower bound") == 0 ? r->lo : r->hi);
    if (o->json)
    {
        cli_print_result(result, r, o, digits);
        return;
    }
    if (!finite)
    {
        fputs(",,", stdout);
        return;
    }
    shuf_enclosure_print(&lo, &hi, r, digits + 5);
    printf(",%s,%s", lo, hi);
    flint_free(lo);
    flint_free(hi);
}

/* No value there. */
static void put_nothing(curve *c, size_t series, size_t row)
{
    c->plot.series[series].y[row] = NAN;
    if (!c->options->json)
        fputs(",,", stdout);
}

/* Returns 0, and prints nothing, when an interrupt came before the value was found. */
static int put_row(curve *c, size_t row)
{
    cli_options o = *c->options; /* with the point in place of the range */
    shuf_real_t x;
    shuf_enclosure_t r;
    cli_result result;
    shuf_status status;
    arb_t t;
    size_t i;
    int finished;

    shuf_real_init(x);
    shuf_enclosure_init(r);
    arb_init(t);
    range_point(x, &c->points, row, o.log);
    *(c->account->quantity == ACCOUNT_DELTA ? &o.eps : c->account->quantity == ACCOUNT_EPSILON ? &o.delta : &o.order) = x->text;
    shuf_real_get_arb(t, x, 64);
    c->plot.x[row] = plot_log10(arb_midref(t));
    status = account_evaluate(r, c->account, x);
    cli_show("");
    finished = status == SHUF_OK || c->account->route != VIA_PLD || !cli_interrupted();
    if (finished && !o.json)
        fputs(x->text, stdout);
    if (finished && status == SHUF_DOMAIN)
    {
        c->short_of_digits = 1;
        put_nothing(c, 0, row);
    }
    else if (finished)
    {
        account_describe(&result, c->account);
        put_value(c, r, &result, 0, row, &o);
    }
    for (i = 0; i < c->form_count; i++)
    {
        account_describe(&result, c->account);
        result.theorem = c->forms[i]->theorem;
        shuf_real_set(c->query->point, x);
        if (c->forms[i]->evaluate(r, c->query, &c->account->budget) == SHUF_DOMAIN)
        {
            put_nothing(c, i + 1, row);
            continue;
        }
        multiply(r, c->account->rounds, c->account->budget.digits);
        put_value(c, r, &result, i + 1, row, &o);
    }
    if (finished && !o.json)
        putchar('\n');
    fflush(stdout);
    shuf_real_clear(x);
    shuf_enclosure_clear(r);
    arb_clear(t);
    return finished;
}

static void plot_init(curve *c)
{
    static const char *const x_labels[] = { "epsilon", "delta", "order" };
    static const char *const y_labels[] = { "delta", "epsilon", "Renyi divergence" };
    static const char *const via[] = {
        [VIA_NOTHING] = "", [VIA_PLD] = " via pld", [VIA_RENYI] = " via renyi",
        [VIA_STRONG_COMPOSITION] = " via strong composition"
    };
    plot_data *p = &c->plot;
    size_t i;
    p->x_label = x_labels[c->account->quantity];
    p->y_label = y_labels[c->account->quantity];
    p->x_is_log = c->options->log;
    p->x = flint_malloc(c->points.count * sizeof(double));
    p->count = c->form_count + 1;
    p->series = flint_malloc(p->count * sizeof(plot_series));
    for (i = 0; i < p->count; i++)
    {
        const char *id = i > 0 ? c->forms[i - 1]->theorem : c->account->composed ? "composition" : c->options->pair;
        const shuf_theorem *t = shuf_theorem_find(id);
        p->series[i].y = flint_malloc(c->points.count * sizeof(double));
        snprintf(p->series[i].label, sizeof(p->series[i].label), "%s%s%s", id,
                 i == 0 ? via[c->account->route] : "", t != NULL && t->status != SHUF_PROVED ? " (not a bound)" : "");
    }
}

static void plot_clear(curve *c)
{
    size_t i;
    flint_free(c->plot.x);
    for (i = 0; i < c->plot.count; i++)
        flint_free(c->plot.series[i].y);
    flint_free(c->plot.series);
}

static int run_rows(curve *c)
{
    int status = EXIT_DONE, failed;
    cli_file file;
    size_t row;

    if (c->options->plot != NULL && (status = cli_file_open(&file, "--plot", c->options->plot)) != 0)
        return status;
    plot_init(c);
    cli_catch_interrupt();
    if (!c->options->json)
    {
        print_notes(c);
        print_header(c);
    }
    for (row = 0; row < c->points.count && !cli_interrupted() && !ferror(stdout); row++)
    {
        snprintf(c->account->progress, sizeof(c->account->progress), "%zu/%zu ", row + 1, c->points.count);
        cli_show(c->account->progress);
        if (!put_row(c, row))
            break;
    }
    c->plot.points = row;
    if (cli_interrupted() && row < c->points.count)
        status = cli_fail(130, "interrupted after %zu of %zu points", row, c->points.count);
    else if (c->short_of_digits)
        status = EXIT_ACCURACY;
    if (c->options->plot != NULL)
    {
        plot_draw(file.out, &c->plot);
        if ((failed = cli_file_close(&file)) != 0)
            status = failed;
    }
    plot_clear(c);
    return cli_finish(status);
}

int cli_command_curve(const cli_options *o)
{
    static const char *const options[] = { "--eps", "--delta", "--order" };
    curve c;
    const account_quantity quantity = o->eps != NULL ? ACCOUNT_DELTA : o->delta != NULL ? ACCOUNT_EPSILON : ACCOUNT_RENYI;
    const char *text = o->eps != NULL ? o->eps : o->delta != NULL ? o->delta : o->order;
    int status;

    if ((o->eps != NULL) + (o->delta != NULL) + (o->order != NULL) != 1)
        return cli_fail(EXIT_USAGE, "curve needs one of --eps A:B:K, --delta A:B:K and --order A:B:K");
    if (quantity == ACCOUNT_RENYI && o->via != NULL)
        return cli_fail(EXIT_USAGE, "--via does not go with --order");
    memset(&c, 0, sizeof(c));
    c.options = o;
    c.form_count = (size_t) o->operands;
    account_init(c.account);
    range_init(&c.points);
    shuf_bound_query_init(c.query);
    if ((status = account_set(c.account, o, quantity)) == 0
        && (status = range_set(&c.points, c.account, options[quantity], text, o->log)) == 0
        && (status = find_forms(c.forms, c.query, c.account, o)) == 0)
        status = run_rows(&c);
    account_clear(c.account);
    range_clear(&c.points);
    shuf_bound_query_clear(c.query);
    return status;
}
