/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Results that are no answers to questions: closed forms with their own shape, errors of estimates, papers' values. */
#include "cli/options_question.h"

int cli_print_result(const cli_result *result, shuf_enclosure_t r, const cli_options *o, slong digits)
{
    shuf_question_t question;
    shuf_answer_bound b;
    json_t *answer, *bound;
    int status;
    if (!arf_is_pos_inf(r->lo) && !arf_is_finite(r->hi))
        return report_fail(EXIT_ACCURACY, "no finite upper end of %s was found within the effort", result->quantity);
    shuf_question_init(question);
    question->digits = digits;
    answer_bound_init(&b);
    shuf_enclosure_set(b.value, r);
    b.theorem[b.theorems++] = result->theorem;
    b.side = shuf_theorem_find(result->theorem)->side;
    if (!shuf_theorem_certifies(result->theorem, b.side))
        b.side = SHUF_SIDE_NONE;
    bound = answer_bound_json(&b, question);
    if (result->guarantee != NULL)
        json_object_set_new(bound, "guarantee", json_string(result->guarantee));
    if (result->note != NULL)
        json_object_set_new(bound, "notes", json_pack("[s]", result->note));
    answer = json_pack("{s:s, s:o, s:b, s:b}", "quantity", result->quantity, "value", bound, "complete", 1, "accuracy_reached",
                       r->status == SHUF_OK);
    status = cli_print_json(answer, o, 0);
    json_decref(answer);
    answer_bound_clear(&b);
    shuf_question_clear(question);
    return status != 0 ? status : r->status == SHUF_OK ? EXIT_DONE : EXIT_ACCURACY;
}
