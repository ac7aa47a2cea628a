/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* forms: the evaluators behind the table of bound.c, one file a paper (internal). */
#ifndef SHUF_FORMS_H
#define SHUF_FORMS_H

#include "theorem/bound.h"

#define SHUF_FORM(name) shuf_status name(shuf_enclosure_t r, const shuf_bound_query_t q, const shuf_options *options)

/*
 * A formula at precision prec: returns 1 and sets value to an enclosure when
 * q is certainly inside the region, else 0.
 */
typedef int (*form_formula)(arb_t value, const shuf_bound_query_struct *q, slong prec);

/* forms.c */
/* r encloses the formula's value; the precision rises until the digits are reached. */
shuf_status form_refine(shuf_enclosure_t r, const shuf_bound_query_t q, const shuf_options *options,
                        form_formula formula);
/*
 * q->point is a delta. The sign of delta_of_eps(eps) - delta: -1 (or equal), 1;
 * 0 when undecided or outside the region.
 */
int form_compare(const shuf_bound_query_t q, const arf_t eps, form_formula delta_of_eps, slong digits);
/*
 * Encloses the eps at which delta_of_eps falls to delta, given that it is
 * larger at lo and not larger at hi; the same is certain at the ends of r.
 * lo and hi are used up.
 */
shuf_status form_bisect(shuf_enclosure_t r, arf_t lo, arf_t hi, const shuf_bound_query_t q,
                        form_formula delta_of_eps, const shuf_options *options);

/* feldman21.c */
SHUF_FORM(form_feldman21_31_epsilon);
SHUF_FORM(form_feldman21_31_delta);
SHUF_FORM(form_feldman21_31_as_printed_epsilon);
SHUF_FORM(form_feldman21_31_as_printed_delta);
SHUF_FORM(form_feldman21_lemma_32_epsilon);
SHUF_FORM(form_feldman21_lemma_32_delta);
SHUF_FORM(form_feldman21_38_epsilon);
SHUF_FORM(form_feldman21_38_delta);
SHUF_FORM(form_feldman21_41_epsilon);
SHUF_FORM(form_feldman21_41_delta);
SHUF_FORM(form_feldman21_42_epsilon);
SHUF_FORM(form_feldman21_42_delta);
SHUF_FORM(form_feldman21_42_as_printed_epsilon);
SHUF_FORM(form_feldman21_42_as_printed_delta);

/* balle19.c */
SHUF_FORM(form_balle19_hoeffding_epsilon);
SHUF_FORM(form_balle19_hoeffding_delta);
SHUF_FORM(form_balle19_bennett_epsilon);
SHUF_FORM(form_balle19_bennett_delta);
SHUF_FORM(form_balle19_hoeffding_krr_epsilon);
SHUF_FORM(form_balle19_hoeffding_krr_delta);
SHUF_FORM(form_balle19_bennett_krr_epsilon);
SHUF_FORM(form_balle19_bennett_krr_delta);

/* erlingsson19.c */
SHUF_FORM(form_erlingsson19_epsilon);
SHUF_FORM(form_erlingsson19_delta);

/* girgis21.c */
SHUF_FORM(form_girgis21_31);
SHUF_FORM(form_girgis21_31_sharp);
SHUF_FORM(form_girgis21_31_gamma);
SHUF_FORM(form_girgis21_32);
SHUF_FORM(form_girgis21_33);
SHUF_FORM(form_girgis21_33_sharp);
SHUF_FORM(form_girgis21_34);
SHUF_FORM(form_girgis21_35);
SHUF_FORM(form_erlingsson19_renyi);

/* chen24.c */
SHUF_FORM(form_chen24_renyi);
SHUF_FORM(form_chen24_thm2_delta);
SHUF_FORM(form_chen24_thm2_epsilon);
SHUF_FORM(form_chen24_thm2_mu);

#endif
