/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* curve: many points of one quantity, of several pairs, mechanisms and closed forms beside each other */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/options_question.h"
#include "enclosure/elementary.h"
#include "exact/escape.h"
#include "report/buffer.h"
#include "report/curve.h"

#define MAX_POINTS 100000 /* more are refused */
#define MAX_SERIES (2 * CLI_MAX_PAIRS)

/* ---- the points ---- */

/* A number of the command line that may be swept. */
static const struct
{
    const char *name;
    size_t place;     /* in cli_options */
    int is_whole;
} members[] = {
    { "eps", offsetof(cli_options, eps), 0 }, { "delta", offsetof(cli_options, delta), 0 }, { "order", offsetof(cli_options, order), 0 },
    { "type1", offsetof(cli_options, type1), 0 }, { "n", offsetof(cli_options, n), 1 }, { "k", offsetof(cli_options, k), 1 },
    { "rounds", offsetof(cli_options, rounds), 1 }, { "eps0", offsetof(cli_options, eps0), 0 },
    { "gamma", offsetof(cli_options, gamma), 0 }, { "sigma", offsetof(cli_options, sigma), 0 },
    { "subsample", offsetof(cli_options, subsample), 0 }
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static const char *member_text(const cli_options *o, size_t i)
{
    const char *text;
    memcpy(&text, (const char *) o + members[i].place, sizeof(text));
    return text;
}

static void set_member(cli_options *o, size_t i, const char *text)
{
    memcpy((char *) o + members[i].place, &text, sizeof(text));
}

/* The points A:B:K of one member. */
typedef struct
{
    size_t member;
    shuf_real_t from, to;
    size_t count;
    char **text; /* each as it is asked */
} range;

static void range_init(range *g)
{
    memset(g, 0, sizeof(*g));
    shuf_real_init(g->from);
    shuf_real_init(g->to);
}

static void range_clear(range *g)
{
    size_t i;
    for (i = 0; g->text != NULL && i < g->count; i++)
        flint_free(g->text[i]);
    flint_free(g->text);
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
    arf_init(above); arb_init(a); arb_init(ratio);
    arb_set_fmpq(a, g->from->q, prec);
    arb_set_fmpq(ratio, g->to->q, prec);
    arb_div(ratio, ratio, a, prec);
    arb_log(ratio, ratio, prec);
    arb_div_ui(ratio, ratio, g->count - 1, prec);
    digits += (slong) fmax(0, ceil(-d_log10(arf_get_d(arb_midref(ratio), ARF_RND_NEAR))));
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
    arb_clear(a); arb_clear(ratio); arf_clear(above);
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

/* A whole number near the point: the largest that is not above it. */
static char *whole_text(const shuf_real_t x)
{
    fmpz_t n;
    char *text;
    fmpz_init(n);
    fmpz_fdiv_q(n, fmpq_numref(x->q), fmpq_denref(x->q));
    text = fmpz_get_str(NULL, 10, n);
    fmpz_clear(n);
    return text;
}

/* The texts of all points; of whole numbers each once. */
static void set_points(range *g, int is_log)
{
    shuf_real_t x;
    size_t i, used = 0;
    shuf_real_init(x);
    g->text = flint_calloc(g->count, sizeof(*g->text));
    for (i = 0; i < g->count; i++)
    {
        char *text;
        range_point(x, g, i, is_log);
        text = members[g->member].is_whole ? whole_text(x) : copy_text(x->text, strlen(x->text));
        if (used > 0 && strcmp(g->text[used - 1], text) == 0)
            flint_free(text);
        else
            g->text[used++] = text;
    }
    g->count = used;
    shuf_real_clear(x);
}

/* Reads A:B:K. */
static int range_set(range *g, const char *text, int is_log)
{
    const char *name = members[g->member].name, *first = strchr(text, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    uint64_t count = 0;
    int ok = second != NULL && shuf_users_set_str(&count, second + 1) == 0 && count >= 2 && count <= MAX_POINTS;
    if (ok)
    {
        char *from = copy_text(text, (size_t) (first - text)), *to = copy_text(first + 1, (size_t) (second - first - 1));
        ok = shuf_real_set_str(g->from, from) == 0 && shuf_real_set_str(g->to, to) == 0 && !g->from->is_log && !g->to->is_log
             && shuf_real_cmp(g->from, g->to) < 0;
        flint_free(from);
        flint_free(to);
    }
    if (!ok)
        return report_fail(EXIT_USAGE, "--%s is \"%.80s\": A:B:K with rational numbers A < B and K from 2 to %d points is allowed", name, text, MAX_POINTS);
    if (is_log && shuf_real_sgn(g->from) <= 0)
        return report_fail(EXIT_USAGE, "--%s is \"%.80s\": with --log A > 0 is allowed", name, text);
    g->count = (size_t) count;
    set_points(g, is_log);
    return 0;
}

/* A member with a few values, A,B,..: each has lines of its own. */
typedef struct
{
    size_t member; /* MEMBERS: none, and one value */
    size_t count;
    char *value[MAX_SERIES];
} list;

/* The one member that is a list; what its values say the questions tell. */
static int find_list(list *l, const cli_options *o)
{
    size_t i;
    l->member = MEMBERS;
    for (i = 0; i < MEMBERS; i++)
    {
        const char *text = member_text(o, i);
        if (text == NULL || strchr(text, ',') == NULL)
            continue;
        if (l->member != MEMBERS)
            return report_fail(EXIT_USAGE, "--%s and --%s are both lists: one is allowed", members[l->member].name, members[i].name);
        l->member = i;
        for (l->count = 0; text != NULL && l->count < MAX_SERIES; text = strchr(text, ','))
        {
            text += *text == ',';
            l->value[l->count++] = copy_text(text, strcspn(text, ","));
        }
        if (text != NULL)
            return report_fail(EXIT_USAGE, "--%s is a list of more than %d values", members[i].name, MAX_SERIES);
    }
    l->count = l->member == MEMBERS ? 1 : l->count;
    return 0;
}

/* The one member that is a range. */
static int find_range(range *g, const cli_options *o)
{
    size_t i;
    int found = 0;
    for (i = 0; i < MEMBERS; i++)
    {
        const char *text = member_text(o, i);
        if (text == NULL || strchr(text, ':') == NULL)
            continue;
        if (found)
            return report_fail(EXIT_USAGE, "--%s and --%s are both ranges: one is allowed", members[g->member].name, members[i].name);
        g->member = i;
        found = 1;
    }
    return found ? range_set(g, member_text(o, g->member), o->log)
                 : report_fail(EXIT_USAGE, "one of --eps, --delta, --order, --type1, --n, --k, --rounds, --eps0, --gamma, --sigma and --subsample "
                               "must be a range A:B:K");
}

/* ---- the questions ---- */

/* A pair, a described mechanism, a composition, or a closed form. */
typedef struct
{
    const char *label, *pair, *form;
    const char *value; /* of the list, or NULL */
    json_t *answers;
} line;

typedef struct
{
    const cli_options *options;
    range points;
    list family;
    const char *quantity;
    char *command;
    line lines[MAX_SERIES];
    size_t count;
    int status; /* the worst of all answers */
} curve;

static const char *quantity_of(const cli_options *o)
{
    if (o->order != NULL)
        return "renyi";
    if (o->type1 != NULL)
        return "tradeoff";
    return o->eps != NULL ? "delta" : "epsilon";
}

static int check_point(const cli_options *o)
{
    if ((o->eps != NULL) + (o->delta != NULL) + (o->order != NULL) + (o->type1 != NULL) != 1)
        return report_fail(EXIT_USAGE, "one of --eps (for delta), --delta (for epsilon), --order (for Renyi divergences) and --type1 is needed");
    return 0;
}

/* Of several pairs each takes its own parameters. */
static void drop_others(cli_options *o)
{
    shuf_pair_kind kind;
    unsigned takes;
    if (o->pair == NULL || !shuf_pair_find(&kind, o->pair))
        return;
    takes = shuf_pair_about(kind)->takes;
    if (!(takes & SHUF_TAKES_K))
        o->k = NULL;
    if (!(takes & SHUF_TAKES_EPS0) && !(takes & SHUF_TAKES_GAMMA && o->gamma == NULL))
        o->eps0 = NULL;
    if (!(takes & SHUF_TAKES_GAMMA))
        o->gamma = NULL;
    if (!(takes & SHUF_TAKES_SIGMA))
        o->sigma = NULL;
}

/* Closed forms are about ldp, or about krr where k or gamma is given. */
static json_t *form_mechanism(const cli_options *o, const char *form)
{
    const shuf_bound_form *forms;
    json_t *mechanism = json_object();
    size_t i, count;
    int takes_k = 0;
    forms = shuf_bound_forms(&count);
    for (i = 0; i < count; i++)
        takes_k |= strcmp(forms[i].theorem, form) == 0 && forms[i].takes_k;
    cli_set(mechanism, "type", takes_k || o->gamma != NULL ? "krr" : "ldp");
    if (takes_k || o->gamma != NULL)
        cli_set(mechanism, "k", o->k);
    if (o->gamma != NULL)
        cli_set(mechanism, "gamma", o->gamma);
    else
        cli_set(mechanism, "eps0", o->eps0);
    return mechanism;
}

static int question_of(json_t **question, const curve *c, const line *l, size_t i)
{
    cli_options o = *c->options;
    int status;
    set_member(&o, c->points.member, c->points.text[i]);
    if (l->value != NULL)
        set_member(&o, c->family.member, l->value);
    if (l->form != NULL)
    {
        json_t *q = json_pack("{s:o, s:{s:s}}", "mechanism", form_mechanism(&o, l->form), "form", "theorem", l->form);
        cli_set(q, "users", o.n);
        cli_set_options(q, &o, "rounds effort");
        *question = q;
        status = 0;
    }
    else
    {
        o.pair = l->pair;
        if (c->options->pair_count > 1)
            drop_others(&o);
        cli_options described = o;
        if (o.mechanism != NULL) /* what is swept is put into the description, and checked there */
        {
            described.eps0 = described.k = described.gamma = described.sigma = NULL;
            described.solve = c->quantity;
        }
        status = cli_question(question, &described);
        if (status == 0 && o.mechanism != NULL)
        {
            /* a number that is given beside a described mechanism, swept or not, stands in for that of its description */
            cli_set_options(json_object_get(*question, "mechanism"), &o, "eps0 k gamma");
            cli_set(json_object_get(*question, "mechanism"), "scale", o.sigma);
        }
    }
    if (status == 0)
        json_object_set_new(*question, "ask", cli_ask(&o, c->quantity, "eps delta order type1"));
    return status;
}

/* The questions of a row, parsed. Returns 0, or an exit status after a message; `count` of them are then to be cleared. */
static int row_questions(shuf_question_struct *q, size_t *count, const curve *c, size_t i)
{
    json_t *question;
    int status = 0;
    for (*count = 0; *count < c->count && status == 0;)
    {
        if ((status = question_of(&question, c, &c->lines[*count], i)) != 0)
            break;
        shuf_question_init(&q[*count]);
        status = cli_read_question(&q[*count], question);
        (*count)++;
    }
    return status;
}

/* The row's answers, null after a message. Returns the worst exit status. */
static int take_answers(curve *c, const shuf_answer_struct *a, const shuf_status *status)
{
    size_t j;
    int worst = 0, one;
    for (j = 0; j < c->count; j++)
    {
        /* what a form takes has been looked at before: a point that it refuses is outside its region */
        if (c->lines[j].form != NULL && status[j] == SHUF_DOMAIN)
        {
            json_array_append_new(c->lines[j].answers, json_null());
            continue;
        }
        one = cli_answered(a + j, status[j]);
        json_array_append_new(c->lines[j].answers, one == 0 ? answer_json(a + j) : json_null());
        if (one == 0 && !(a[j].accurate && a[j].complete))
            one = EXIT_ACCURACY;
        worst = FLINT_MAX(worst, one);
    }
    return worst;
}

/* ---- the lines ---- */

static int add_line(curve *c, const char *label, const char *pair, const char *form)
{
    line *l = &c->lines[c->count];
    if (c->count == MAX_SERIES)
        return report_fail(EXIT_USAGE, "at most %d lines are allowed", MAX_SERIES);
    l->label = label;
    l->pair = pair;
    l->form = form;
    l->answers = json_array();
    c->count++;
    return 0;
}

static int check_form(const curve *c, const char *name)
{
    const cli_options *o = c->options;
    const shuf_bound_form *form = strcmp(c->quantity, "delta") == 0     ? shuf_bound_find(name, SHUF_BOUND_DELTA)
                                  : strcmp(c->quantity, "epsilon") == 0 ? shuf_bound_find(name, SHUF_BOUND_EPSILON)
                                  : strcmp(c->quantity, "renyi") == 0   ? shuf_bound_find(name, SHUF_BOUND_RENYI)
                                                                        : NULL;
    const char *other = o->subsample != NULL ? "--subsample" : o->honest != NULL ? "--honest" : o->at_least ? "--at-least" : o->reports != NULL ? "--reports-per-user" : o->via != NULL ? "--via" : o->compose != NULL ? "--compose"
                        : o->mechanism != NULL ? "--mechanism" : o->rounds != NULL && strcmp(c->quantity, "renyi") != 0 ? "--rounds" : NULL;
    if (form == NULL)
        return report_fail(EXIT_USAGE, "\"%.60s\" is not a closed form for %s; shufbound bound lists them", name, c->quantity);
    if (other != NULL)
        return report_fail(EXIT_USAGE, "%s does not go with %s", name, other);
    if (form->takes_k && o->k == NULL)
        return report_fail(EXIT_USAGE, "--k is missing: %s takes --k", name);
    if (form->takes_delta0)
        return report_fail(EXIT_USAGE, "%s takes --delta0, which curve has not; bound has it", name);
    return o->eps0 == NULL && o->gamma == NULL ? report_fail(EXIT_USAGE, "--eps0 is missing: %s takes --eps0", name) : 0;
}

static int add_form(curve *c, const char *form)
{
    const shuf_theorem *theorem = shuf_theorem_find(form);
    int status = check_form(c, form);
    if (status != 0)
        return status;
    if (theorem->status != SHUF_PROVED)
        fprintf(stderr, "shufbound: note: %s is %s: not a bound\n", theorem->id, shuf_theorem_status_name(theorem->status));
    return add_line(c, form, NULL, form);
}

/* The lines of one value of the list. */
static int add_lines(curve *c, const cli_options *o)
{
    int i, status = 0;
    if (o->compose != NULL)
        status = add_line(c, "composition", NULL, NULL);
    else if (o->mechanism != NULL)
        status = add_line(c, "mechanism", NULL, NULL);
    for (i = 0; status == 0 && i < o->pair_count; i++)
        status = add_line(c, o->pairs[i], o->pairs[i], NULL);
    for (i = 0; status == 0 && i < o->operands; i++)
        status = add_form(c, o->operand[i]);
    if (status == 0 && c->count == 0)
        status = report_fail(EXIT_USAGE, "curve needs a --pair, a --mechanism, a --compose or a closed form");
    return status;
}

/* The lines of the first value, and the same again for each other one. */
static int add_families(curve *c, const cli_options *o)
{
    int status = add_lines(c, o);
    const size_t width = c->count;
    size_t i;
    for (i = 0; status == 0 && i < width * c->family.count; i++)
    {
        const line *l = &c->lines[i % width];
        if (i >= width)
            status = add_line(c, l->label, l->pair, l->form);
        if (status == 0)
            c->lines[i].value = c->family.value[i / width];
    }
    return status;
}

/* ---- the command ---- */

/* A word as a shell takes it, fit for a line. */
static void put_word(FILE *out, const char *word)
{
    const int plain = word[0] != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+=-")] == '\0';
    char text[ESCAPE_SIZE];
    fputs(plain ? " " : " '", out);
    while (escape_next(text, &word) > 0)
        fputs(strcmp(text, "'") == 0 ? "'\\''" : text, out);
    fputs(plain ? "" : "'", out);
}

/* The command without the options on which no number depends. */
static char *command_text(const cli_options *o)
{
    report_buffer b;
    const cli_option *e;
    size_t i;
    int j;
    report_buffer_open(&b);
    fputs("shufbound curve", b.out);
    for (j = 0; j < o->pair_count; j++)
        fprintf(b.out, " --pair %s", o->pairs[j]);
    for (i = 0; (e = cli_option_at(i)) != NULL; i++)
    {
        const char *text = cli_option_text(o, e);
        if (text == NULL || names_has("pair others users plot pgfplots threads json explain quiet", e->name))
            continue;
        fprintf(b.out, " --%s", e->name);
        if (e->kind != CLI_FLAG)
            put_word(b.out, text);
    }
    for (j = 0; j < o->operands; j++)
        put_word(b.out, o->operand[j]);
    return report_buffer_close(&b);
}

/* ---- rows ---- */

static void set_table(curve_table *table, curve_series *series, const curve *c)
{
    size_t j;
    for (j = 0; j < c->count; j++)
    {
        series[j].label = c->lines[j].label;
        series[j].answers = c->lines[j].answers;
    }
    table->x_name = members[c->points.member].name;
    table->quantity = c->quantity;
    table->points = c->points.count;
    table->x = (const char *const *) c->points.text;
    table->count = c->count;
    table->series = series;
    table->family = c->family.member != MEMBERS ? members[c->family.member].name : NULL;
    table->families = c->family.count;
    table->values = (const char *const *) c->family.value;
    table->command = c->command;
    table->named = json_object();
}

/* Whether no interrupt cut an answer of the row. */
static int is_complete(const shuf_answer_struct *a, size_t count)
{
    size_t j;
    for (j = 0; j < count; j++)
        if (!a[j].complete && cli_interrupted())
            return 0;
    return 1;
}

/*
 * The rows from i on, one a thread. Returns how many of them have all their
 * answers: fewer after an interrupt or a refusal.
 */
static size_t compute_rows(curve *c, size_t i)
{
    size_t rows = FLINT_MIN((size_t) flint_get_num_threads(), c->points.count - i), asked = 0, parsed, row;
    shuf_question_struct *q = flint_calloc(rows * c->count, sizeof(*q));
    shuf_answer_struct *a = flint_calloc(rows * c->count, sizeof(*a));
    shuf_status *status = flint_calloc(rows * c->count, sizeof(*status));
    int refused = 0;
    for (row = 0; row < rows && refused == 0; row++)
    {
        refused = row_questions(q + asked, &parsed, c, i + row);
        asked += parsed;
    }
    rows = refused != 0 ? row - 1 : rows;
    cli_answer_many(a, status, q, rows * c->count);
    for (row = 0; row < rows && is_complete(a + row * c->count, c->count); row++)
    {
        int worst = take_answers(c, a + row * c->count, status + row * c->count);
        c->status = FLINT_MAX(c->status, worst);
        if (worst == EXIT_USAGE)
            break; /* no row of the table */
    }
    for (parsed = 0; parsed < rows * c->count; parsed++)
        shuf_answer_clear(a + parsed);
    for (parsed = 0; parsed < asked; parsed++)
        shuf_question_clear(q + parsed);
    flint_free(q);
    flint_free(a);
    flint_free(status);
    if (refused != 0)
        c->status = refused;
    return row;
}

static void print_row(const curve *c, const curve_table *table, size_t i)
{
    if (c->options->json)
    {
        curve_json_row(stdout, table, i);
        return;
    }
    if (i == 0)
        curve_csv_begin(stdout, table);
    curve_csv_row(stdout, table, i);
}

static void run_rows(curve *c)
{
    curve_series series[MAX_SERIES];
    curve_table table;
    char place[48];
    size_t i = 0, j, done = 1;
    set_table(&table, series, c);
    while (i < c->points.count && done > 0 && !ferror(stdout) && !cli_interrupted() && c->status != EXIT_USAGE)
    {
        snprintf(place, sizeof(place), "%zu/%zu ", i + 1, c->points.count);
        cli_show_prefix(place);
        done = compute_rows(c, i);
        for (j = i; j < i + done; j++)
            print_row(c, &table, j);
        fflush(stdout);
        i += done;
    }
    if (cli_interrupted() && i < c->points.count)
        c->status = report_fail(EXIT_INTERRUPTED, "interrupted after %zu of %zu points", i, c->points.count);
    while (c->points.count > i) /* what was not reached is no point of the table */
        flint_free(c->points.text[--c->points.count]);
    json_decref(table.named);
}

/* A picture, if it was asked for: opened before the work begins, drawn after it. */
typedef struct
{
    const char *option, *path, *ending, *kind;
    void (*draw)(FILE *out, const curve_table *table, svg_scale x_scale);
    report_file file;
    int is_open;
} picture;

static int open_picture(picture *p)
{
    const size_t length = p->path != NULL ? strlen(p->path) : 0;
    int status;
    if (p->path == NULL)
        return 0;
    if (length < 4 || strcmp(p->path + length - 4, p->ending) != 0)
        return report_fail(EXIT_USAGE, "%s is %.80s: the name of %s file, NAME%s, is allowed", p->option, p->path, p->kind, p->ending);
    status = report_file_open(&p->file, p->option, p->path);
    p->is_open = status == 0;
    return status;
}

/* Draws what there is, or nothing after a question that was refused. */
static int close_picture(picture *p, const curve *c)
{
    curve_series series[MAX_SERIES];
    curve_table table;
    if (!p->is_open)
        return 0;
    if (c->status == EXIT_USAGE)
    {
        report_file_discard(&p->file);
        return 0;
    }
    set_table(&table, series, c);
    p->draw(p->file.out, &table, c->options->log ? SVG_LOG : SVG_LINEAR);
    json_decref(table.named);
    return report_file_close(&p->file);
}

static int run(curve *c)
{
    picture svg = { .option = "--plot", .path = c->options->plot, .ending = ".svg", .kind = "an SVG", .draw = curve_svg };
    picture tex = { .option = "--pgfplots", .path = c->options->pgfplots, .ending = ".tex", .kind = "a TeX", .draw = curve_pgfplots };
    int status = open_picture(&svg), failed;
    if (status == 0 && (status = open_picture(&tex)) != 0 && svg.is_open)
        report_file_discard(&svg.file);
    if (status != 0)
        return status;
    run_rows(c);
    status = close_picture(&svg, c);
    if ((failed = close_picture(&tex, c)) != 0)
        status = failed;
    return report_finish(status != 0 ? status : c->status);
}

int cli_command_curve(const cli_options *o)
{
    curve c;
    size_t i;
    int status;
    memset(&c, 0, sizeof(c));
    c.options = o;
    range_init(&c.points);
    c.quantity = quantity_of(o);
    if ((status = check_point(o)) == 0 && (status = find_list(&c.family, o)) == 0 && (status = find_range(&c.points, o)) == 0
        && (status = add_families(&c, o)) == 0)
    {
        c.command = command_text(o);
        status = run(&c);
    }
    range_clear(&c.points);
    for (i = 0; i < MAX_SERIES; i++)
        flint_free(c.family.value[i]);
    for (i = 0; i < c.count; i++)
        json_decref(c.lines[i].answers);
    free(c.command);
    return status;
}
