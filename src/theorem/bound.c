/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "theorem/bound.h"

#include <string.h>

#include "theorem/forms.h"

/* theorem, quantity, takes k, delta0, gamma, evaluator */
static const shuf_bound_form forms[] = {
    { "feldman21-3.1", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_31_epsilon },
    { "feldman21-3.1", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_31_delta },
    { "feldman21-3.1-as-printed", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_31_as_printed_epsilon },
    { "feldman21-3.1-as-printed", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_31_as_printed_delta },
    { "feldman21-lemma-3.2", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_lemma_32_epsilon },
    { "feldman21-lemma-3.2", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_lemma_32_delta },
    { "feldman21-3.8", SHUF_BOUND_EPSILON, 0, 1, 0, form_feldman21_38_epsilon },
    { "feldman21-3.8", SHUF_BOUND_DELTA, 0, 1, 0, form_feldman21_38_delta },
    { "feldman21-4.1", SHUF_BOUND_EPSILON, 0, 0, 0, form_feldman21_41_epsilon },
    { "feldman21-4.1", SHUF_BOUND_DELTA, 0, 0, 0, form_feldman21_41_delta },
    { "feldman21-4.2", SHUF_BOUND_EPSILON, 1, 0, 0, form_feldman21_42_epsilon },
    { "feldman21-4.2", SHUF_BOUND_DELTA, 1, 0, 0, form_feldman21_42_delta },
    { "feldman21-4.2-as-printed", SHUF_BOUND_EPSILON, 1, 0, 0, form_feldman21_42_as_printed_epsilon },
    { "feldman21-4.2-as-printed", SHUF_BOUND_DELTA, 1, 0, 0, form_feldman21_42_as_printed_delta },
    { "balle19-hoeffding", SHUF_BOUND_EPSILON, 0, 0, 0, form_balle19_hoeffding_epsilon },
    { "balle19-hoeffding", SHUF_BOUND_DELTA, 0, 0, 0, form_balle19_hoeffding_delta },
    { "balle19-bennett", SHUF_BOUND_EPSILON, 0, 0, 0, form_balle19_bennett_epsilon },
    { "balle19-bennett", SHUF_BOUND_DELTA, 0, 0, 0, form_balle19_bennett_delta },
    { "balle19-hoeffding-krr", SHUF_BOUND_EPSILON, 1, 0, 0, form_balle19_hoeffding_krr_epsilon },
    { "balle19-hoeffding-krr", SHUF_BOUND_DELTA, 1, 0, 0, form_balle19_hoeffding_krr_delta },
    { "balle19-bennett-krr", SHUF_BOUND_EPSILON, 1, 0, 0, form_balle19_bennett_krr_epsilon },
    { "balle19-bennett-krr", SHUF_BOUND_DELTA, 1, 0, 0, form_balle19_bennett_krr_delta },
    { "erlingsson19", SHUF_BOUND_EPSILON, 0, 0, 0, form_erlingsson19_epsilon },
    { "erlingsson19", SHUF_BOUND_DELTA, 0, 0, 0, form_erlingsson19_delta },
    { "girgis21-3.1", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_31 },
    { "girgis21-3.1-sharp", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_31_sharp },
    { "girgis21-3.1-gamma", SHUF_BOUND_RENYI, 0, 0, 1, form_girgis21_31_gamma },
    { "girgis21-3.2", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_32 },
    { "girgis21-3.3", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_33 },
    { "girgis21-3.3-sharp", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_33_sharp },
    { "girgis21-3.4", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_34 },
    { "girgis21-3.5", SHUF_BOUND_RENYI, 0, 0, 0, form_girgis21_35 },
    { "erlingsson19-renyi", SHUF_BOUND_RENYI, 0, 0, 0, form_erlingsson19_renyi },
    { "chen24-thm2", SHUF_BOUND_DELTA, 0, 0, 0, form_chen24_thm2_delta },
    { "chen24-thm2", SHUF_BOUND_EPSILON, 0, 0, 0, form_chen24_thm2_epsilon },
    { "chen24-thm2", SHUF_BOUND_MU, 0, 0, 0, form_chen24_thm2_mu },
    { "chen24-cor2", SHUF_BOUND_RENYI, 0, 0, 0, form_chen24_renyi },
    { "chen24-thm3", SHUF_BOUND_RENYI, 0, 0, 0, form_chen24_renyi },
};

void shuf_bound_query_init(shuf_bound_query_t q)
{
    q->n = 1;
    q->k = 2;
    shuf_real_init(q->eps0);
    shuf_real_init(q->delta0);
    shuf_real_init(q->gamma);
    shuf_real_init(q->point);
}

void shuf_bound_query_clear(shuf_bound_query_t q)
{
    shuf_real_clear(q->eps0);
    shuf_real_clear(q->delta0);
    shuf_real_clear(q->gamma);
    shuf_real_clear(q->point);
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
