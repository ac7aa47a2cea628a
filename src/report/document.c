/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "report/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/markup.h"
#include "report/svg.h"

#define WIDEST 3      /* layout: columns of a table that a narrow screen has place for */
#define SHORT_CELL 30 /* layout: is not broken, no line ends in 1e- */

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1c1c;--soft:#555;--line:#c8c8c8;--link:#1a4fa0;--certified:#17692b;--refuted:#a01818;"
    "--undecided:#7a5600}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#161616;--ink:#e4e4e4;--soft:#b0b0b0;--line:#4a4a4a;--link:#8ab4ff;"
    "--certified:#7fd694;--refuted:#ff8f80;--undecided:#e6c060}}\n"
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:0 auto;padding:1rem;background:var(--paper);color:var(--ink);"
    "overflow-wrap:anywhere}\n"
    "a{color:var(--link)}h1,h2,h3{line-height:1.2}section{border-top:1px solid var(--line);margin-top:2rem}\n"
    ".certified b{color:var(--certified)}.refuted b{color:var(--refuted)}.undecided b,.error b{color:var(--undecided)}\n"
    "dt{font-weight:bold}dd{margin:0 0 .4rem 1rem}figure{margin:1rem 0}figure .plot{display:block;width:100%;max-width:36rem;color:inherit}\n"
    "table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;color:var(--soft)}th,td{border:1px solid var(--line);"
    "padding:.25rem .6rem;text-align:left;vertical-align:top}td{overflow-wrap:break-word}\n"
    ".checks{list-style:none;padding:0}.checks li{padding-left:1.8rem;text-indent:-1.8rem}.checks input{width:1.1rem;height:1.1rem;"
    "margin:0 .7rem 0 0;vertical-align:-.15rem}\n"
    ".sign{display:flex;flex-wrap:wrap;gap:1.8rem 2rem;margin:2.2rem 0 1rem}.sign span{flex:1 1 14rem;border-top:1px solid var(--ink)}\n"
    "@media (min-width:40rem){dl{display:grid;grid-template-columns:minmax(9rem,max-content) 1fr;gap:.2rem 1rem}dt{max-width:14rem}dd{margin:0}}\n"
    "thead th{overflow-wrap:break-word}.cards tbody th{min-width:8rem}.n{display:inline-block;white-space:nowrap}\n"
    "@media screen and (max-width:40rem){.cards,.cards caption,.cards tbody,.cards tr,.cards th,.cards td{display:block}.cards thead{display:none}"
    ".cards tr{border:1px solid var(--line);border-radius:.4rem;margin:.6rem 0;padding:.3rem .6rem}.cards th,.cards td{border:0;padding:.1rem 0}"
    ".cards td:empty{display:none}.cards td::before{content:attr(data-label) \": \";color:var(--soft)}}\n"
    "@media print{body{max-width:none;padding:0;font-size:10.5pt}h2,h3{break-after:avoid}figure,tr,li,.sign{break-inside:avoid}a{color:inherit}"
    "figure .plot{max-width:28rem}}\n";

/* One of three, by the format. */
static void put(const document *d, const char *html, const char *markdown, const char *latex)
{
    fputs(d->format == DOCUMENT_HTML ? html : d->format == DOCUMENT_MARKDOWN ? markdown : latex, d->out);
}

static void put_escaped(const document *d, const char *text)
{
    (d->format == DOCUMENT_HTML ? put_html : d->format == DOCUMENT_MARKDOWN ? put_markdown : put_latex)(d->out, text);
}

void document_begin(const document *d, const char *title)
{
    put(d, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", "# ",
        "\\documentclass[a4paper]{article}\n\\usepackage[margin=25mm]{geometry}\n\\usepackage{array,longtable}\n"
        "\\setlength{\\parindent}{0pt}\\setlength{\\parskip}{4pt}\\emergencystretch=3em\n\\begin{document}\n{\\LARGE ");
    put_escaped(d, title);
    if (d->format == DOCUMENT_HTML)
    {
        fprintf(d->out, "</title>\n<style>\n%s", style);
        svg_style(d->out);
        fputs("</style>\n</head>\n<body>\n<h1>", d->out);
        put_escaped(d, title);
    }
    put(d, "</h1>\n", "\n", "}\n");
}

void document_end(const document *d)
{
    put(d, "</body>\n</html>\n", "", "\\end{document}\n");
}

static void put_status(const document *d, const char *status)
{
    for (; *status != '\0'; status++)
        fputc(toupper((unsigned char) *status), d->out);
}

void document_section(const document *d, const char *id, const char *status, const char *title)
{
    if (d->format == DOCUMENT_HTML)
        fprintf(d->out, "<section id=\"%s\" aria-labelledby=\"title-%s\">\n<h2 id=\"title-%s\" class=\"%s\">", id, id, id, status);
    put(d, "<b>", "\n## ", "\n\\section*{");
    put_status(d, status);
    put(d, "</b>", "", "");
    fputs(status[0] != '\0' ? " " : "", d->out);
    put_escaped(d, title);
    put(d, "</h2>\n", "\n", "}\n");
}

void document_section_end(const document *d)
{
    put(d, "</section>\n", "", "");
}

void document_heading(const document *d, const char *title)
{
    put(d, "<h3>", "\n### ", "\n\\subsection*{");
    put_escaped(d, title);
    put(d, "</h3>\n", "\n", "}\n");
}

void document_paragraph(const document *d, const char *text)
{
    put(d, "<p>", "\n", "\n");
    put_escaped(d, text);
    put(d, "</p>\n", "\n", "\n\n");
}

void document_warning(const document *d, const char *text)
{
    put(d, "<p><strong>INCOMPLETE: ", "\n**INCOMPLETE: ", "\n\\textbf{INCOMPLETE: ");
    put_escaped(d, text);
    put(d, "</strong></p>\n", "**\n", "}\n\n");
}

void document_facts(const document *d)
{
    put(d, "<dl>\n", "\n", "\\begin{description}\n");
}

void document_fact(const document *d, const char *name, char *text)
{
    if (text[0] != '\0')
    {
        put(d, "<dt>", "- **", "\\item[");
        put_escaped(d, name);
        put(d, "</dt><dd>", ":** ", ":] ");
        put_escaped(d, text);
        put(d, "</dd>\n", "\n", "\n");
    }
    free(text);
}

void document_facts_end(const document *d)
{
    put(d, "</dl>\n", "", "\\end{description}\n");
}

void document_table_begin(const document *d, const document_table *table)
{
    size_t i;
    put(d, table->count > WIDEST ? "<table class=\"cards\"><caption>" : "<table><caption>", "\n", "\n");
    put_escaped(d, table->caption);
    if (d->format == DOCUMENT_LATEX)
        fprintf(d->out, ":\n\\begin{longtable}{@{}*{%zu}{>{\\raggedright\\arraybackslash}p{\\dimexpr\\linewidth/%zu-2\\tabcolsep}}@{}}\n\\hline\n",
                table->count, table->count);
    put(d, "</caption>\n<thead><tr>", ":\n\n|", "");
    for (i = 0; i < table->count; i++)
    {
        put(d, "<th scope=\"col\">", " ", i > 0 ? " & " : "");
        put_escaped(d, table->heads[i]);
        put(d, "</th>", " |", "");
    }
    put(d, "</tr></thead>\n<tbody>\n", "\n|", "\\\\\n\\hline\n\\endhead\n");
    for (i = 0; i < table->count; i++)
        put(d, "", " --- |", "");
    put(d, "", "\n", "");
}

/* In HTML, the first cell of a row: link is NULL or where the row is explained. */
static void put_row_head(const document *d, const char *text, const char *link)
{
    fputs("<th scope=\"row\">", d->out);
    if (link != NULL)
        fprintf(d->out, "<a href=\"#%s\">", link);
    put_escaped(d, text);
    fputs(link != NULL ? "</a></th>" : "</th>", d->out);
}

/* In HTML, another cell: status is NULL in all but the one that says it. */
static void put_cell(const document *d, const char *head, const char *text, const char *status)
{
    const int is_short = text[0] != '\0' && strlen(text) <= SHORT_CELL;
    fputs("<td data-label=\"", d->out);
    put_escaped(d, head);
    if (status != NULL)
        fprintf(d->out, "\" class=\"%s\"><b>", status);
    else
        fputs(is_short ? "\"><span class=\"n\">" : "\">", d->out);
    put_escaped(d, text);
    fputs(status != NULL ? "</b></td>" : is_short ? "</span></td>" : "</td>", d->out);
}

void document_row(const document *d, const document_table *table, char *const *cells, const char *link, const char *status)
{
    size_t i;
    put(d, "<tr>", "|", "");
    for (i = 0; i < table->count; i++)
    {
        if (d->format != DOCUMENT_HTML)
        {
            put(d, "", " ", i > 0 ? " & " : "");
            put_escaped(d, cells[i]);
            put(d, "", " |", "");
        }
        else if (i == 0)
            put_row_head(d, cells[i], link);
        else
            put_cell(d, table->heads[i], cells[i], i == 1 ? status : NULL);
        free(cells[i]);
    }
    put(d, "</tr>\n", "\n", "\\\\\n\\hline\n");
}

void document_table_end(const document *d)
{
    put(d, "</tbody></table>\n", "", "\\end{longtable}\n");
}

void document_checks(const document *d)
{
    put(d, "<ul class=\"checks\">\n", "\n", "\\begin{itemize}\n");
}

void document_check(const document *d, const char *text)
{
    put(d, "<li><label><input type=\"checkbox\">", "- [ ] ", "\\item[\\fbox{\\rule{0pt}{1ex}\\rule{1ex}{0pt}}] ");
    put_escaped(d, text);
    put(d, "</label></li>\n", "\n", "\n");
}

void document_checks_end(const document *d)
{
    put(d, "</ul>\n<p class=\"sign\"><span>Name and signature</span><span>Date</span></p>\n",
        "\nName and signature: \\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_ Date: \\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\n",
        "\\end{itemize}\n\\bigskip Name and signature: \\hrulefill\\quad Date: \\rule{35mm}{0.4pt}\n\n");
}
