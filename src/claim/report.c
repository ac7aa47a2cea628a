/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The audit as one self-contained HTML page. */
#include <math.h>
#include <string.h>

#include "claim/bounds.h"
#include "theorem/theorem.h"

static void put_escaped(FILE *out, const char *s)
{
    for (; *s != '\0'; s++)
    {
        switch (*s)
        {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*s, out);
        }
    }
}

static void put_decimal(FILE *out, const arf_t x, int up)
{
    char *text = shuf_decimal(x, 6, up);
    fputs(text, out);
    flint_free(text);
}

/* The plot's frame: the axes' ends, as numbers or as decimal logarithms. */
typedef struct
{
    double left, right, bottom, top;
} frame;

#define WIDTH 640
#define HEIGHT 360
#define LEFT 70
#define BOTTOM 40
#define CURVE_POINTS 33
#define RENYI_POINTS 9
#define UPPER_COLOUR "#b03030"
#define LOWER_COLOUR "#2050a0"

static double plot_x(const frame *f, double x)
{
    return LEFT + (WIDTH - LEFT - 10) * (x - f->left) / (f->right - f->left);
}

static double plot_y(const frame *f, double y)
{
    y = fmin(fmax(y, f->bottom), f->top);
    return 10 + (HEIGHT - BOTTOM - 10) * (f->top - y) / (f->top - f->bottom);
}

/* log10 of a positive arf, of any exponent; a large negative number for 0, a large one for infinity. */
static double log10_arf(const arf_t x)
{
    arb_t t;
    double value;
    if (arf_sgn(x) <= 0)
        return -1e300;
    if (!arf_is_finite(x))
        return 1e300;
    arb_init(t);
    arb_set_arf(t, x);
    arb_log(t, t, 53);
    value = arf_get_d(arb_midref(t), ARF_RND_NEAR) / 2.302585092994046;
    arb_clear(t);
    return value;
}

static double log10_real(const shuf_real_t x)
{
    arb_t t;
    double value;
    arb_init(t);
    shuf_real_get_arb(t, x, 64);
    value = log10_arf(arb_midref(t));
    arb_clear(t);
    return value;
}

static double real_to_double(const shuf_real_t x)
{
    arb_t t;
    double d;
    arb_init(t);
    shuf_real_get_arb(t, x, 64);
    d = arf_get_d(arb_midref(t), ARF_RND_NEAR);
    arb_clear(t);
    return d;
}

static void put_dot(FILE *out, const frame *f, double x, double y, const char *attributes)
{
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" %s/>\n", plot_x(f, x), plot_y(f, y), attributes);
}

/* The frame, five ticks on each axis, names and legend. log_x, log_y: ticks are powers of ten. */
static void put_frame(FILE *out, const frame *f, const char *x_name, int log_x, const char *y_name, const char *upper)
{
    double tick;
    int i;
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s against %s\">\n", WIDTH, HEIGHT, y_name, x_name);
    fprintf(out, "<rect x=\"%d\" y=\"10\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n", LEFT, WIDTH - LEFT - 10,
            HEIGHT - BOTTOM - 10);
    for (i = 0; i <= 4; i++)
    {
        tick = f->left + (f->right - f->left) * i / 4;
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n", plot_x(f, tick), HEIGHT - 22,
                log_x ? pow(10, tick) : tick);
        tick = f->top + (f->bottom - f->top) * i / 4;
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, plot_y(f, tick) + 4);
        fprintf(out, tick == 0 ? "1</text>\n" : "1e%.4g</text>\n", tick);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (WIDTH + LEFT) / 2, HEIGHT - 6, x_name);
    fprintf(out, "<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" text-anchor=\"middle\">%s</text>\n",
            HEIGHT / 2, HEIGHT / 2, y_name);
    fprintf(out, "<text x=\"%d\" y=\"28\" text-anchor=\"end\" fill=\"" UPPER_COLOUR "\">%s</text>\n", WIDTH - 18, upper);
    fprintf(out, "<text x=\"%d\" y=\"44\" text-anchor=\"end\" fill=\"" LOWER_COLOUR "\">lower bound (attack)</text>\n", WIDTH - 18);
    fprintf(out, "<text x=\"%d\" y=\"60\" text-anchor=\"end\">claim: the dot</text>\n", WIDTH - 18);
}

static void begin_curve(FILE *out, int upper)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", upper ? UPPER_COLOUR : LOWER_COLOUR);
}

/* ---- (eps, delta) claims ---- */

/* One curve: the upper ends (upper = 1) or the lower ends of delta(eps) of one round. */
static void put_profile(FILE *out, const frame *f, const shuf_claim_bound *b, int upper)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int i;
    o.digits = 3;
    o.max_seconds = 0.5;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    begin_curve(out, upper);
    for (i = 0; i < CURVE_POINTS; i++)
    {
        double x = f->right * i / (CURVE_POINTS - 1), y;
        shuf_real_set_d(eps, x);
        shuf_hockey_delta(r, b->pair, eps, SHUF_DIRECTION_BOTH, &o);
        y = log10_arf(upper ? r->hi : r->lo);
        fprintf(out, "%.1f,%.1f ", plot_x(f, x), plot_y(f, y));
        if (y < f->bottom)
            break;
    }
    fputs("\"/>\n", out);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* Whether the bound is known at the claimed eps and the claimed delta only: it has no pair, or a curve of its own. */
static int is_derived(const shuf_claim_bound *b)
{
    return !b->has_pair || b->sampling[0] != '\0' || b->composition[0] != '\0';
}

/* Those two points, the upper ends (upper = 1) or the lower ends. */
static void put_points(FILE *out, const frame *f, const shuf_claim_bound *b, double eps, double log_delta, int upper)
{
    const char *attributes = upper ? "fill=\"" UPPER_COLOUR "\"" : "fill=\"" LOWER_COLOUR "\"";
    const arf_struct *end = upper ? b->eps->hi : b->eps->lo;
    if (arf_is_finite(end))
        put_dot(out, f, arf_get_d(end, ARF_RND_NEAR), log_delta, attributes);
    put_dot(out, f, eps, log10_arf(upper ? b->delta->hi : b->delta->lo), attributes);
}

static void put_dp_plot(FILE *out, const shuf_claim_t c, const shuf_verdict_t v)
{
    frame f;
    const shuf_claim_bound *best = v->uppers > 0 ? &v->upper[v->best_upper] : NULL;
    const shuf_claim_bound *lower = v->lowers > 0 ? &v->lower[v->best_lower] : NULL;
    double eps = real_to_double(c->eps), log_delta = log10_real(c->delta);

    f.left = f.top = 0;
    f.right = eps > 0 ? 2 * eps : 1;
    if (best != NULL && arf_is_finite(best->eps->hi))
        f.right = fmax(f.right, 1.2 * arf_get_d(best->eps->hi, ARF_RND_NEAR));
    if (lower != NULL && is_derived(lower) && arf_is_finite(lower->eps->lo))
        f.right = fmax(f.right, 1.2 * arf_get_d(lower->eps->lo, ARF_RND_NEAR));
    /* a multiple of 4, so that every tick is a power of ten */
    f.bottom = log_delta < -1e299 ? -16 : -4 * ceil((1 - log_delta * 1.5) / 4);
    put_frame(out, &f, "epsilon", 0, "delta",
              best != NULL && is_derived(best) ? "upper bound (guarantee): two points" : "upper bound (guarantee)");
    if (best != NULL && is_derived(best))
        put_points(out, &f, best, eps, log_delta, 1);
    else if (best != NULL)
        put_profile(out, &f, best, 1);
    if (lower != NULL && is_derived(lower))
        put_points(out, &f, lower, eps, log_delta, 0);
    else if (lower != NULL)
        put_profile(out, &f, lower, 0);
    put_dot(out, &f, eps, log_delta, "class=\"claim\"");
    fputs("</svg>\n", out);
}

/* ---- Renyi claims ---- */

/* y[i] := log10 of the upper or the lower end of the divergence at order[i]. */
static void renyi_points(double *y, const double *order, const shuf_claim_bound *b, const shuf_mechanism_t m, int upper)
{
    mechanism_curve_t curve;
    shuf_enclosure_t r;
    shuf_real_t a;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int i;
    o.digits = 2;
    o.max_seconds = 0.5;
    mechanism_curve_init(curve, b->pair, b->rounds, m);
    shuf_enclosure_init(r);
    shuf_real_init(a);
    for (i = 0; i < RENYI_POINTS; i++)
    {
        y[i] = upper ? 1e300 : -1e300;
        shuf_real_set_d(a, order[i]);
        if (mechanism_curve_evaluate(r, curve, a, &o) != SHUF_DOMAIN)
            y[i] = log10_arf(upper ? r->hi : r->lo);
    }
    mechanism_curve_clear(curve);
    shuf_enclosure_clear(r);
    shuf_real_clear(a);
}

static void put_renyi_curve(FILE *out, const frame *f, const double *order, const double *y, int upper)
{
    int i;
    begin_curve(out, upper);
    for (i = 0; i < RENYI_POINTS; i++)
        if (fabs(y[i]) < 1e299)
            fprintf(out, "%.1f,%.1f ", plot_x(f, log10(order[i])), plot_y(f, y[i]));
    fputs("\"/>\n", out);
}

static void put_renyi_plot(FILE *out, const shuf_claim_t c, const shuf_verdict_t v)
{
    double order[RENYI_POINTS], upper[RENYI_POINTS], lower[RENYI_POINTS];
    double at = real_to_double(c->order), claimed = log10_real(c->renyi), low = HUGE_VAL, high = -HUGE_VAL, first, last;
    frame f;
    int i;

    /* from an eighth to eight times the order, above 1 */
    first = fmax(at / 8, 1 + (at - 1) / 8);
    last = fmin(8 * at, (double) SHUF_MAX_ORDER);
    for (i = 0; i < RENYI_POINTS; i++)
    {
        order[i] = fmin(first * pow(last / first, (double) i / (RENYI_POINTS - 1)), last);
        order[i] = fmax(order[i], 1 + 1e-9);
    }
    for (i = 0; i < RENYI_POINTS; i++)
        upper[i] = lower[i] = -1e300;
    if (v->uppers > 0)
        renyi_points(upper, order, &v->upper[v->best_upper], c->mechanism, 1);
    if (v->lowers > 0)
        renyi_points(lower, order, &v->lower[v->best_lower], c->mechanism, 0);
    for (i = -1; i < 2 * RENYI_POINTS; i++)
    {
        double y = i < 0 ? claimed : i < RENYI_POINTS ? upper[i] : lower[i - RENYI_POINTS];
        if (fabs(y) < 1e299)
        {
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    f.left = log10(first);
    f.right = log10(last);
    f.bottom = low > high ? -1 : floor(low);
    f.top = low > high ? 0 : fmax(ceil(high), f.bottom + 1);
    put_frame(out, &f, "order", 1, "Renyi divergence", "upper bound (guarantee)");
    put_renyi_curve(out, &f, order, upper, 1);
    put_renyi_curve(out, &f, order, lower, 0);
    put_dot(out, &f, log10(at), claimed, "class=\"claim\"");
    fputs("</svg>\n", out);
}

/* ---- the table ---- */

static void put_interval(FILE *out, const shuf_enclosure_t r)
{
    if (arf_is_finite(r->lo) && arf_is_finite(r->hi))
    {
        fputs("[", out);
        put_decimal(out, r->lo, 0);
        fputs(", ", out);
        put_decimal(out, r->hi, 1);
        fputs("]", out);
    }
    else
    {
        fputs("none finite", out);
    }
}

static void put_theorem(FILE *out, const char *id, const char *separator)
{
    const shuf_theorem *t = shuf_theorem_find(id);
    if (id[0] != '\0')
        fprintf(out, "%s%s (%s)", separator, id, t != NULL ? shuf_theorem_status_name(t->status) : "unknown");
}

static void put_bounds(FILE *out, const shuf_claim_bound *b, size_t count, shuf_claim_kind claim, const char *kind)
{
    size_t i;
    for (i = 0; i < count; i++)
    {
        const shuf_theorem *t = shuf_theorem_find(b[i].theorem);
        fprintf(out, "<tr><td>%s</td><td>", kind);
        put_theorem(out, b[i].theorem, "");
        put_theorem(out, b[i].sampling, ", ");
        put_theorem(out, b[i].composition, ", ");
        fputs("</td><td>", out);
        if (claim == SHUF_CLAIM_RENYI)
        {
            put_interval(out, b[i].renyi);
        }
        else
        {
            put_interval(out, b[i].delta);
            fputs("</td><td>", out);
            put_interval(out, b[i].eps);
        }
        fprintf(out, "</td><td>%s</td></tr>\n", t != NULL ? t->proof : "");
    }
}

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>shufbound audit</title>\n<style>\n"
    "body{font:15px/1.45 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\n"
    "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left}\n"
    "svg{width:640px;max-width:100%}svg text{font:12px sans-serif}.frame{fill:none;stroke:#888}.claim{fill:#222}\n"
    ".CERTIFIED{color:#17692b}.REFUTED{color:#a01818}.UNDECIDED{color:#8a6100}blockquote{color:#555}\n"
    "</style></head><body>\n<h1>Privacy claims audited</h1>\n"
    "<p>CERTIFIED: a proved theorem gives what is claimed. REFUTED: a concrete mechanism of the class "
    "on concrete neighbouring data exceeds it. UNDECIDED: neither. Every number is an interval rounded outward.</p>\n";

int shuf_report_html(FILE *out, const shuf_claim_struct *claims, const shuf_verdict_struct *verdicts, size_t count)
{
    size_t i;
    fputs(page_head, out);
    for (i = 0; i < count; i++)
    {
        const shuf_claim_struct *c = &claims[i];
        const shuf_verdict_struct *v = &verdicts[i];
        const shuf_mechanism_struct *m = c->mechanism;
        const char *name = shuf_verdict_name(v->kind);
        fprintf(out, "<h2><span class=\"%s\">%s</span> ", name, name);
        put_escaped(out, c->id);
        fputs("</h2>\n<p>", out);
        put_escaped(out, c->source);
        fputs("</p>\n", out);
        if (c->quote[0] != '\0')
        {
            fputs("<blockquote>", out);
            put_escaped(out, c->quote);
            fputs("</blockquote>\n", out);
        }
        fprintf(out, "<p>n = %llu, eps0 = ", (unsigned long long) m->n);
        put_escaped(out, m->eps0_is_infinite ? "unbounded" : m->eps0->text);
        if (m->rounds > 1)
            fprintf(out, ", %llu rounds", (unsigned long long) m->rounds);
        if (m->sampled < m->n)
            fprintf(out, ", %llu users sampled in a round", (unsigned long long) m->sampled);
        fputs(c->kind == SHUF_CLAIM_RENYI ? "; claimed: (order " : "; claimed: (", out);
        put_escaped(out, c->kind == SHUF_CLAIM_RENYI ? c->order->text : c->eps->text);
        fputs(", ", out);
        put_escaped(out, c->kind == SHUF_CLAIM_RENYI ? c->renyi->text : c->delta->text);
        fputs(c->kind == SHUF_CLAIM_RENYI ? ")-RDP</p>\n" : ")-DP</p>\n", out);
        if (v->reason[0] != '\0')
            fprintf(out, "<p>%s.</p>\n", v->reason);
        if (c->note[0] != '\0')
        {
            fputs("<p>Note: ", out);
            put_escaped(out, c->note);
            fputs("</p>\n", out);
        }
        if (c->kind == SHUF_CLAIM_RENYI)
            put_renyi_plot(out, c, v);
        else
            put_dp_plot(out, c, v);
        fputs("<table><tr><th>bound</th><th>theorem (status)</th>", out);
        fputs(c->kind == SHUF_CLAIM_RENYI
                  ? "<th>divergence at the claimed order</th>"
                  : "<th>delta at the claimed epsilon</th><th>epsilon at the claimed delta</th>", out);
        fputs("<th>proof</th></tr>\n", out);
        put_bounds(out, v->upper, v->uppers, c->kind, "upper");
        put_bounds(out, v->lower, v->lowers, c->kind, "lower");
        fputs("</table>\n", out);
    }
    fputs("</body></html>\n", out);
    return ferror(out) ? -1 : 0;
}
