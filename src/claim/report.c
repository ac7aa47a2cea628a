/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* The audit as one self-contained HTML page. */
#include <math.h>
#include <string.h>

#include "claim/claim.h"
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

/* The plot's frame. delta is drawn on a logarithmic scale. */
typedef struct
{
    double eps_max, log_min; /* eps from 0, log10 delta up to 0 */
} frame;

#define WIDTH 640
#define HEIGHT 360
#define LEFT 70
#define BOTTOM 40
#define CURVE_POINTS 33

static double plot_x(const frame *f, double eps)
{
    return LEFT + (WIDTH - LEFT - 10) * eps / f->eps_max;
}

static double plot_y(const frame *f, double log_delta)
{
    double y = log_delta < f->log_min ? f->log_min : log_delta;
    return 10 + (HEIGHT - BOTTOM - 10) * y / f->log_min;
}

/* log10 of a positive arf, of any exponent; a large negative number for 0. */
static double log10_arf(const arf_t x)
{
    arb_t t;
    double value;
    if (arf_sgn(x) <= 0)
        return -1e300;
    arb_init(t);
    arb_set_arf(t, x);
    arb_log(t, t, 53);
    value = arf_get_d(arb_midref(t), ARF_RND_NEAR) / 2.302585092994046;
    arb_clear(t);
    return value;
}

/* One curve: the upper ends (upper = 1) or the lower ends of delta(eps). */
static void put_curve(FILE *out, const frame *f, const shuf_claim_bound *b, int upper, const char *colour)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_options o = SHUF_OPTIONS_DEFAULT;
    int i;
    o.digits = 3;
    o.max_seconds = 0.5;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (i = 0; i < CURVE_POINTS; i++)
    {
        double x = f->eps_max * i / (CURVE_POINTS - 1), y;
        shuf_real_set_d(eps, x);
        shuf_hockey_delta(r, b->pair, eps, SHUF_DIRECTION_BOTH, &o);
        y = log10_arf(upper ? r->hi : r->lo);
        fprintf(out, "%.1f,%.1f ", plot_x(f, x), plot_y(f, y));
        if (y < f->log_min)
            break; /* below the frame */
    }
    fputs("\"/>\n", out);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
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

static void put_plot(FILE *out, const shuf_claim_t c, const shuf_verdict_t v)
{
    frame f;
    double eps = real_to_double(c->eps), log_delta, tick;
    arf_t d;
    arb_t t;
    int i;

    arf_init(d);
    arb_init(t);
    shuf_real_get_arb(t, c->delta, 64);
    log_delta = log10_arf(arb_midref(t));
    f.eps_max = eps > 0 ? 2 * eps : 1;
    if (v->uppers > 0 && arf_is_finite(v->upper[v->best_upper].eps->hi))
        f.eps_max = fmax(f.eps_max, 1.2 * arf_get_d(v->upper[v->best_upper].eps->hi, ARF_RND_NEAR));
    /* a multiple of 4, so that every tick is a power of ten */
    f.log_min = log_delta < -1e299 ? -16 : -4 * ceil((1 - log_delta * 1.5) / 4);

    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"delta against epsilon\">\n", WIDTH, HEIGHT);
    fprintf(out, "<rect x=\"%d\" y=\"10\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n", LEFT, WIDTH - LEFT - 10,
            HEIGHT - BOTTOM - 10);
    for (i = 0; i <= 4; i++)
    {
        tick = f.eps_max * i / 4;
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n", plot_x(&f, tick), HEIGHT - 22, tick);
        tick = f.log_min * i / 4;
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%.0f</text>\n", LEFT - 6,
                plot_y(&f, tick) + 4, i > 0 ? "1e" : "", i > 0 ? tick : 1.0);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">epsilon</text>\n", (WIDTH + LEFT) / 2, HEIGHT - 6);
    fprintf(out, "<text x=\"14\" y=\"%d\" transform=\"rotate(-90 14 %d)\" text-anchor=\"middle\">delta</text>\n",
            HEIGHT / 2, HEIGHT / 2);
    if (v->uppers > 0)
        put_curve(out, &f, &v->upper[v->best_upper], 1, "#b03030");
    if (v->lowers > 0)
        put_curve(out, &f, &v->lower[v->best_lower], 0, "#2050a0");
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"claim\"/>\n", plot_x(&f, eps), plot_y(&f, log_delta));
    fprintf(out, "<text x=\"%d\" y=\"28\" text-anchor=\"end\" fill=\"#b03030\">upper bound (guarantee)</text>\n", WIDTH - 18);
    fprintf(out, "<text x=\"%d\" y=\"44\" text-anchor=\"end\" fill=\"#2050a0\">lower bound (attack)</text>\n", WIDTH - 18);
    fprintf(out, "<text x=\"%d\" y=\"60\" text-anchor=\"end\">claim: the dot</text>\n</svg>\n", WIDTH - 18);
    arf_clear(d);
    arb_clear(t);
}

static void put_bounds(FILE *out, const shuf_claim_bound *b, size_t count, const char *kind)
{
    size_t i;
    for (i = 0; i < count; i++)
    {
        const shuf_theorem *t = shuf_theorem_find(b[i].theorem);
        fprintf(out, "<tr><td>%s</td><td>%s (%s)</td><td>[", kind, b[i].theorem,
                t != NULL ? shuf_theorem_status_name(t->status) : "unknown");
        put_decimal(out, b[i].delta->lo, 0);
        fputs(", ", out);
        put_decimal(out, b[i].delta->hi, 1);
        fputs("]</td><td>", out);
        if (arf_is_finite(b[i].eps->hi))
        {
            fputs("[", out);
            put_decimal(out, b[i].eps->lo, 0);
            fputs(", ", out);
            put_decimal(out, b[i].eps->hi, 1);
            fputs("]", out);
        }
        else
        {
            fputs("none finite", out);
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
    "<p>CERTIFIED: a proved theorem gives the claimed (epsilon, delta). REFUTED: a concrete mechanism of the class "
    "on concrete neighbouring data exceeds it. UNDECIDED: neither. Every number is an interval rounded outward.</p>\n";

int shuf_report_html(FILE *out, const shuf_claim_struct *claims, const shuf_verdict_struct *verdicts, size_t count)
{
    size_t i;
    fputs(page_head, out);
    for (i = 0; i < count; i++)
    {
        const shuf_claim_struct *c = &claims[i];
        const shuf_verdict_struct *v = &verdicts[i];
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
        fprintf(out, "<p>n = %llu, eps0 = ", (unsigned long long) c->n);
        put_escaped(out, c->eps0_is_infinite ? "unbounded" : c->eps0->text);
        fputs("; claimed epsilon = ", out);
        put_escaped(out, c->eps->text);
        fputs(", delta = ", out);
        put_escaped(out, c->delta->text);
        fputs("</p>\n", out);
        if (v->reason[0] != '\0')
            fprintf(out, "<p>%s.</p>\n", v->reason);
        if (c->note[0] != '\0')
        {
            fputs("<p>Note: ", out);
            put_escaped(out, c->note);
            fputs("</p>\n", out);
        }
        put_plot(out, c, v);
        fputs("<table><tr><th>bound</th><th>theorem (status)</th><th>delta at the claimed epsilon</th>"
              "<th>epsilon at the claimed delta</th><th>proof</th></tr>\n", out);
        put_bounds(out, v->upper, v->uppers, "upper");
        put_bounds(out, v->lower, v->lowers, "lower");
        fputs("</table>\n", out);
    }
    fputs("</body></html>\n", out);
    return ferror(out) ? -1 : 0;
}
