/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "forms/bound.h"

#include <string.h>

#include "forms/forms.h"

/* theorem, quantity, takes k, delta0, gamma, formula, variant, search for the eps */
static const shuf_bound_form forms[] = {
    { "feldman21-3.1", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_epsilon, FELDMAN21_31, NULL },
    { "feldman21-3.1", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_delta, FELDMAN21_31, NULL },
    { "feldman21-3.1-as-printed", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_epsilon, FELDMAN21_31_AS_PRINTED, NULL },
    { "feldman21-3.1-as-printed", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_delta, FELDMAN21_31_AS_PRINTED, NULL },
    { "feldman21-lemma-3.2", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_epsilon, FELDMAN21_LEMMA_32, NULL },
    { "feldman21-lemma-3.2", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_delta, FELDMAN21_LEMMA_32, NULL },
    { "feldman21-3.8", SHUF_BOUND_EPSILON, 0, 1, 0, form_feldman21_38_delta, 0, form_feldman21_38_solve },
    { "feldman21-3.8", SHUF_BOUND_DELTA, 0, 1, 0, form_feldman21_38_delta, 0, NULL },
    { "feldman21-4.1", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_epsilon, FELDMAN21_41, NULL },
    { "feldman21-4.1", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_delta, FELDMAN21_41, NULL },
    { "feldman21-4.2", SHUF_BOUND_EPSILON, 1, 0, 0, form_feldman21_epsilon, FELDMAN21_42, NULL },
    { "feldman21-4.2", SHUF_BOUND_DELTA, 1, 0, 0, form_feldman21_delta, FELDMAN21_42, NULL },
    { "feldman21-4.2-as-printed", SHUF_BOUND_EPSILON, 1, 0, 0, form_feldman21_epsilon, FELDMAN21_42_AS_PRINTED, NULL },
    { "feldman21-4.2-as-printed", SHUF_BOUND_DELTA, 1, 0, 0, form_feldman21_delta, FELDMAN21_42_AS_PRINTED, NULL },
    { "balle19-hoeffding", SHUF_BOUND_EPSILON, 0, 0, 0, form_balle19_delta, BALLE19_HOEFFDING, form_balle19_solve },
    { "balle19-hoeffding", SHUF_BOUND_DELTA, 0, 0, 0, form_balle19_delta, BALLE19_HOEFFDING, NULL },
    { "balle19-bennett", SHUF_BOUND_EPSILON, 0, 0, 0, form_balle19_delta, BALLE19_BENNETT, form_balle19_solve },
    { "balle19-bennett", SHUF_BOUND_DELTA, 0, 0, 0, form_balle19_delta, BALLE19_BENNETT, NULL },
    { "balle19-hoeffding-krr", SHUF_BOUND_EPSILON, 1, 0, 0, form_balle19_delta, BALLE19_HOEFFDING_KRR, form_balle19_solve },
    { "balle19-hoeffding-krr", SHUF_BOUND_DELTA, 1, 0, 0, form_balle19_delta, BALLE19_HOEFFDING_KRR, NULL },
    { "balle19-bennett-krr", SHUF_BOUND_EPSILON, 1, 0, 0, form_balle19_delta, BALLE19_BENNETT_KRR, form_balle19_solve },
    { "balle19-bennett-krr", SHUF_BOUND_DELTA, 1, 0, 0, form_balle19_delta, BALLE19_BENNETT_KRR, NULL },
    { "cheu19-4.7", SHUF_BOUND_EPSILON, 1, 0, 0, form_cheu19_epsilon, 0, NULL },
    { "erlingsson19", SHUF_BOUND_EPSILON, 0, 0, 0, form_erlingsson19_epsilon, 0, NULL },
    { "erlingsson19", SHUF_BOUND_DELTA, 0, 0, 0, form_erlingsson19_delta, 0, NULL },
    { "girgis21-3.1", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_upper, GIRGIS21_31, NULL },
    { "girgis21-3.1-sharp", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_upper, GIRGIS21_31_SHARP, NULL },
    { "girgis21-3.1-gamma", SHUF_BOUND_RENYI, 0, 0, 1, form_girgis21_upper, GIRGIS21_31_GAMMA, NULL },
    { "girgis21-3.2", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_32, 0, NULL },
    { "girgis21-3.3", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_upper, GIRGIS21_33, NULL },
    { "girgis21-3.3-sharp", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_upper, GIRGIS21_33_SHARP, NULL },
    { "girgis21-3.4", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_34, 0, NULL },
    { "girgis21-3.5", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_35, 0, NULL },
    { "girgis21-3.6", SHUF_BOUND_RENYI, 0, 0, 0, NULL, 0, form_girgis21_36_solve },
    { "girgis21-3.7", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_alike, GIRGIS21_37, NULL },
    { "girgis21-7.1", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_alike, GIRGIS21_71, NULL },
    { "erlingsson19-renyi", SHUF_BOUND_RENYI, 0, 0, 0, form_erlingsson19_renyi, 0, NULL },
    { "chen24-thm2", SHUF_BOUND_DELTA, 0, 0, 0, form_chen24_delta, 0, NULL },
    { "chen24-thm2", SHUF_BOUND_EPSILON, 0, 0, 0, form_chen24_delta, 0, form_chen24_solve },
    { "chen24-thm2", SHUF_BOUND_MU, 0, 0, 0, form_chen24_mu, 0, NULL },
    { "chen24-cor2", SHUF_BOUND_RENYI, 0, 0, 0, form_chen24_renyi, 0, NULL },
    { "chen24-thm3", SHUF_BOUND_RENYI, 0, 0, 0, form_chen24_renyi, 0, NULL },
};

void shuf_bound_query_init(shuf_bound_query_t q)
{
    q->n = 1;
    q->k = 2;
    shuf_real_init(q->eps0); shuf_real_init(q->delta0); shuf_real_init(q->gamma); shuf_real_init(q->point);
}

void shuf_bound_query_clear(shuf_bound_query_t q)
{
    shuf_real_clear(q->eps0); shuf_real_clear(q->delta0); shuf_real_clear(q->gamma); shuf_real_clear(q->point);
}

const shuf_bound_form *shuf_bound_forms(size_t *count)
{
    *count = sizeof(forms) / sizeof(forms[0]);
    return forms;
}

const shuf_bound_form *shuf_bound_find(const char *theorem, shuf_bound_quantity quantity)
{
    size_t i;
    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (forms[i].quantity == quantity && strcmp(forms[i].theorem, theorem) == 0)
            return &forms[i];
    return NULL;
}

shuf_status shuf_bound_evaluate(shuf_enclosure_t r, const shuf_bound_form *form, const shuf_bound_query_t q, const shuf_options *options)
{
    return form->solve != NULL ? form->solve(r, form, q, options) : form_refine(r, form, q, options);
}
