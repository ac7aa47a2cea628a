/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* forms: the formulas and searches in the table of bound.c, one file a paper (internal). */
#ifndef SHUF_FORMS_H
#define SHUF_FORMS_H

#include "bound.h"

/* forms.c */
/* r encloses the value of the form's formula; the precision rises until the digits are reached. SHUF_DOMAIN: r unchanged. */
shuf_status form_refine(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options);
/*
 * q->point is a delta. The sign of the formula at eps, a delta, minus that: -1
 * (or equal), 1; 0 when undecided or outside the region.
 */
int form_compare(const shuf_bound_form *form, const shuf_bound_query_t q, const arf_t eps, slong digits);
/*
 * Encloses the eps at which the formula falls to q->point, given that it is
 * larger at lo and not larger at hi; the same is certain at the ends of r.
 * lo and hi are used up. Apart from inverse_find, because a formula's sign
 * costs little at any precision, and its slope may be anything.
 */
shuf_status form_bisect(shuf_enclosure_t r, arf_t lo, arf_t hi, const shuf_bound_form *form, const shuf_bound_query_t q,
                        const shuf_options *options);

/* What stands in the table: formulas with their variants, and searches. */
#define FORMULA(name) int name(arb_t value, const shuf_bound_query_struct *q, int variant, slong prec)
#define SOLVE(name) shuf_status name(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options)

/* feldman21.c */
enum
{
    FELDMAN21_31,
    FELDMAN21_31_AS_PRINTED,
    FELDMAN21_LEMMA_32,
    FELDMAN21_41,
    FELDMAN21_42,
    FELDMAN21_42_AS_PRINTED
};
FORMULA(form_feldman21_epsilon);
FORMULA(form_feldman21_delta);
FORMULA(form_feldman21_38_delta);
SOLVE(form_feldman21_38_solve);

/* balle19.c */
enum
{
    BALLE19_HOEFFDING,
    BALLE19_BENNETT,
    BALLE19_HOEFFDING_KRR,
    BALLE19_BENNETT_KRR
};
FORMULA(form_balle19_delta);
SOLVE(form_balle19_solve);

/* cheu19.c */
FORMULA(form_cheu19_epsilon);

/* erlingsson19.c */
FORMULA(form_erlingsson19_epsilon);
FORMULA(form_erlingsson19_delta);

/* girgis21.c */
enum
{
    GIRGIS21_31,
    GIRGIS21_31_SHARP,
    GIRGIS21_31_GAMMA,
    GIRGIS21_33,
    GIRGIS21_33_SHARP,
    GIRGIS21_37,
    GIRGIS21_71
};
FORMULA(form_girgis21_upper);
FORMULA(form_girgis21_alike);
SOLVE(form_girgis21_36_solve);
FORMULA(form_girgis21_32);
FORMULA(form_girgis21_34);
FORMULA(form_girgis21_35);
FORMULA(form_erlingsson19_renyi);

/* chen24.c */
FORMULA(form_chen24_renyi);
FORMULA(form_chen24_mu);
FORMULA(form_chen24_delta);
SOLVE(form_chen24_solve);

#endif
