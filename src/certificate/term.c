/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "certificate/term.h"

#include <stdlib.h>
#include <string.h>

/* Longest decimal exponent that is written out in zeros. */
#define MAX_ZEROS 20000

void term_fraction(FILE *out, const fmpq_t q)
{
    fputc('(', out);
    fmpz_fprint(out, fmpq_numref(q));
    fputs(" # ", out);
    fmpz_fprint(out, fmpq_denref(q));
    fputc(')', out);
}

void term_number(FILE *out, const shuf_real_t x)
{
    fputs(x->is_log ? "(Logarithm " : "(Rational ", out);
    term_fraction(out, x->q);
    fputc(')', out);
}

int term_decimal(FILE *out, const char *text)
{
    long exponent = 0;
    int digits = 0;
    const char *s;
    for (s = text; *s != '\0' && *s != 'e'; s++)
        ;
    if (*s == 'e')
        exponent = strtol(s + 1, NULL, 10);
    if (exponent > MAX_ZEROS || exponent < -MAX_ZEROS)
        return -1;
    fputc('(', out);
    for (s = text; *s != '\0' && *s != 'e'; s++)
    {
        if (*s == '.')
        {
            exponent -= (long) strcspn(s + 1, "e");
        }
        else if (*s != '0' || digits > 0)
        {
            fputc(*s, out);
            digits++;
        }
    }
    if (digits == 0)
        fputc('0', out);
    for (; exponent > 0; exponent--)
        fputc('0', out);
    fputs(" # 1", out);
    for (; exponent < 0; exponent++)
        fputc('0', out);
    fputc(')', out);
    return 0;
}

void term_pair(FILE *out, const shuf_pair_t pair)
{
    static const struct
    {
        shuf_pair_kind kind;
        const char *name;
        int has_k, has_eps0;
    } names[] = {
        { SHUF_PAIR_CLONES, "Clones", 0, 1 },
        { SHUF_PAIR_CLONES_STRONGER, "ClonesStronger", 0, 1 },
        { SHUF_PAIR_RR2, "Rr2", 0, 1 },
        { SHUF_PAIR_KRR_SAME, "KrrSame", 1, 1 },
        { SHUF_PAIR_KRR_THIRD, "KrrThird", 1, 1 },
        { SHUF_PAIR_KRR_STRONG, "KrrStrong", 1, 0 },
        { SHUF_PAIR_TRINOMIAL, "TrinomialPair", 0, 0 },
    };
    size_t i = 0;
    while (names[i].kind != pair->kind)
        i++;
    fprintf(out, "(%s %llu", names[i].name, (unsigned long long) pair->n);
    if (names[i].has_k)
        fprintf(out, " %llu", (unsigned long long) pair->k);
    fputc(' ', out);
    if (names[i].has_eps0)
    {
        term_number(out, pair->eps0);
    }
    else if (pair->kind == SHUF_PAIR_KRR_STRONG)
    {
        term_fraction(out, pair->gamma);
    }
    else
    {
        term_fraction(out, pair->w0);
        fputc(' ', out);
        term_fraction(out, pair->w1);
        fputc(' ', out);
        term_fraction(out, pair->r0);
        fputc(' ', out);
        term_fraction(out, pair->r1);
    }
    fputc(')', out);
}

const char *term_direction(shuf_direction direction)
{
    return direction == SHUF_DIRECTION_BOTH ? "Both" : direction == SHUF_DIRECTION_PQ ? "PQ" : "QP";
}

void term_computation(FILE *out)
{
    fputs(".\n  vm_cast_no_check (eq_refl true).\nQed.\n", out);
}
