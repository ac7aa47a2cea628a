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
    /* of those that Coq knows as a pair; krr-weak is a mixture, which mixture.c writes */
    static const char *const names[SHUF_PAIR_KINDS] = {
        [SHUF_PAIR_CLONES] = "Clones",
        [SHUF_PAIR_CLONES_STRONGER] = "ClonesStronger",
        [SHUF_PAIR_RR2] = "Rr2",
        [SHUF_PAIR_KRR_SAME] = "KrrSame",
        [SHUF_PAIR_KRR_THIRD] = "KrrThird",
        [SHUF_PAIR_KRR_STRONG] = "KrrStrong",
        [SHUF_PAIR_TRINOMIAL] = "TrinomialPair",
    };
    const unsigned takes = shuf_pair_about(pair->kind)->takes;
    fprintf(out, "(%s %llu", names[pair->kind], (unsigned long long) pair->n);
    if (takes & SHUF_TAKES_K)
        fprintf(out, " %llu", (unsigned long long) pair->k);
    fputc(' ', out);
    if (takes & SHUF_TAKES_EPS0)
    {
        term_number(out, pair->eps0);
    }
    else if (takes & SHUF_TAKES_GAMMA)
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
