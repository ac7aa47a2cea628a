/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* What no theorem carries is refused, by a line that says so. */
#include "account/batch_part.h"
#include "account/check.h"
#include "account/loosen.h"
#include "account/noise_part.h"
#include "account/renyi_part.h"
#include "account/routes.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct
{
    char *text;
    size_t size;
} message;

static int refuse(const message *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(const message *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(m->text, m->size, format, args);
    va_end(args);
    return -1;
}

/* Whether some round is sampled, and its pair does not say so itself. */
static int is_sampled(const shuf_question_struct *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (shuf_part_is_sampled(&q->parts[i]) && (q->parts[i].subject != SHUF_SUBJECT_PAIR || !shuf_pair_is_sampled(q->parts[i].pair->kind)))
            return 1;
    return 0;
}

/* ---- pairs ---- */

/* Whether an engine for the quantity takes the pair of every part. */
static int check_engines(const shuf_question_struct *q, const message *m)
{
    int renyi = q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP || q->via == SHUF_VIA_RENYI;
    int one = q->count == 1 && q->parts[0].rounds == 1 && !is_sampled(q) && q->via == SHUF_VIA_ANY && q->quantity <= SHUF_QUANTITY_EPSILON;
    size_t i;
    for (i = 0; i < q->count; i++)
        if (shuf_pair_has_engine(q->parts[i].pair, SHUF_ENGINE_GAUSSIAN)
            ? !one || q->is_claim : !shuf_pair_has_engine(q->parts[i].pair, renyi ? SHUF_ENGINE_RENYI : one ? SHUF_ENGINE_HOCKEY : SHUF_ENGINE_PLD))
            return q->parts[i].pair->kind == SHUF_PAIR_GAUSSIAN
                   ? refuse(m, "\"pair\" is gaussian: only delta and epsilon of one round are computed, without \"sample\" and \"via\"")
                   : refuse(m, "\"pair\" is %s: no engine computes this quantity of it", shuf_pair_about(q->parts[i].pair->kind)->name);
    return 0;
}

static int check_sampled_pair(const shuf_question_struct *q, const message *m)
{
    size_t i;
    for (i = 0; i < q->count; i++)
    {
        const shuf_pair_facts *facts = shuf_pair_about(q->parts[i].pair->kind);
        if (facts->side == SHUF_SIDE_UPPER || shuf_pair_is_sampled(q->parts[i].pair->kind) || (facts->all_equal == SHUF_LAW_P && q->quantity != SHUF_QUANTITY_RENYI && q->via != SHUF_VIA_RENYI
                                        && q->via != SHUF_VIA_STRONG_COMPOSITION))
            continue;
        return refuse(m, "\"sample\" needs a pair that bounds a mechanism from above: clones-sampled, clones, clones-stronger, clones-deletion, krr-strong or "
                         "krr-weak; or krr-third-sampled, rr2 or krr-same, for a lower bound through \"via\" pld");
    }
    if (q->direction != SHUF_DIRECTION_BOTH && shuf_pair_about(q->parts[0].pair->kind)->side == SHUF_SIDE_UPPER)
        return refuse(m, "\"direction\" does not go with \"sample\": the bound holds for both directions");
    return 0;
}

static int check_pair(const shuf_question_struct *q, const message *m)
{
    if (check_engines(q, m) != 0)
        return -1;
    if (q->is_claim && q->quantity != SHUF_QUANTITY_GDP)
        return refuse(m, "a \"claim\" is about a \"mechanism\", not about a \"pair\"");
    if (is_sampled(q) && check_sampled_pair(q, m) != 0)
        return -1;
    if (q->direction != SHUF_DIRECTION_BOTH && (q->via == SHUF_VIA_RENYI || q->via == SHUF_VIA_STRONG_COMPOSITION))
        return refuse(m, "\"direction\" does not go with \"via\" renyi or strong-composition");
    return 0;
}

/* ---- searches ---- */

/* Whether its only parameter is the scale of its noise. */
static int is_scaled(const shuf_part_struct *p)
{
    return p->subject == SHUF_SUBJECT_RANDOMISER && shuf_randomiser_is_line(p->randomiser);
}

/* Whether its parameter is eps0: not if it is described by other numbers. */
static int has_eps0(const shuf_part_struct *p)
{
    return p->subject != SHUF_SUBJECT_RANDOMISER || (!is_scaled(p) && shuf_randomiser_has_parameter(p->randomiser));
}

static int check_search_of_pair(const shuf_question_struct *q, const message *m)
{
    const shuf_pair_struct *pair = q->parts[0].pair;
    if (q->quantity == SHUF_QUANTITY_EPS0 && !shuf_pair_bounds_eps0(pair->kind))
        return refuse(m, "\"quantity\" eps0 goes with the pairs clones, clones-stronger, clones-deletion, clones-sampled and clones-poisson, which bound every mechanism from above");
    if (is_sampled(q) && shuf_pair_about(pair->kind)->side != SHUF_SIDE_UPPER)
        return refuse(m, "\"sample\" needs a pair that bounds a mechanism from above: clones, clones-stronger, clones-deletion, krr-strong or krr-weak");
    if (shuf_pair_has_engine(pair, SHUF_ENGINE_GAUSSIAN))
        return refuse(m, "\"pair\" gaussian: only the quantities delta and epsilon are computed");
    return 0;
}

static int check_search(const shuf_question_struct *q, const message *m)
{
    const shuf_part_struct *p = &q->parts[0];
    if (q->count > 1 || q->direction != SHUF_DIRECTION_BOTH || q->via != SHUF_VIA_ANY || q->fast)
        return refuse(m, "a search for users, eps0 or scale takes one mechanism, and neither \"via\", \"direction\" nor \"fast\"");
    if (shuf_question_is_of_pair(q) && check_search_of_pair(q, m) != 0)
        return -1;
    if (q->quantity == SHUF_QUANTITY_SCALE && !is_scaled(p))
        return refuse(m, "\"quantity\" scale goes with the mechanisms laplace and gaussian");
    if (q->quantity == SHUF_QUANTITY_EPS0 && !has_eps0(p))
        return refuse(m, "\"quantity\" eps0 does not go with a mechanism that has no such parameter");
    if (p->subject == SHUF_SUBJECT_RANDOMISER && q->quantity != SHUF_QUANTITY_USERS && (p->rounds > 1 || is_sampled(q) || p->release_sum))
        return refuse(m, "the parameter of a described mechanism is searched for in one round of all users and reports only; ldp does not have this limit");
    if (q->quantity == SHUF_QUANTITY_USERS && p->eps0_is_infinite)
        return refuse(m, "\"quantity\" users needs a mechanism with a finite local eps0");
    return 0;
}

/* ---- what a curator adds noise to ---- */

/* Which search goes with the only part; NULL if this one does. */
static const char *searches_of(const shuf_question_struct *q)
{
    const shuf_part_struct *p = &q->parts[0];
    if (p->subject == SHUF_SUBJECT_BATCH)
        return q->quantity == SHUF_QUANTITY_NOISE_MULTIPLIER || q->quantity == SHUF_QUANTITY_EPOCHS ? NULL : "noise_multiplier and epochs go";
    if (p->noise->kind == SHUF_NOISE_BINOMIAL)
        return q->quantity == SHUF_QUANTITY_ROUNDS || q->quantity == SHUF_QUANTITY_COINS || q->quantity == SHUF_QUANTITY_SENSITIVITY ? NULL : "coins, sensitivity and rounds go";
    if (p->noise->kind == SHUF_NOISE_STAIRCASE || noise_part_has_threshold(p))
        return q->quantity == SHUF_QUANTITY_ROUNDS ? NULL : "rounds goes";
    if (q->quantity == SHUF_QUANTITY_ROUNDS || q->quantity == SHUF_QUANTITY_SENSITIVITY)
        return NULL;
    if (p->noise->kind == SHUF_NOISE_DISCRETE_GAUSSIAN && p->noise->dimension == 1)
        return "sensitivity and rounds go";
    return q->quantity == SHUF_QUANTITY_SCALE ? NULL : "scale, sensitivity and rounds go";
}

/* Whether every part has a largest loss. */
static int has_largest_loss(const shuf_question_struct *q)
{
    size_t i;
    for (i = 0; i < q->count; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_BATCH || shuf_noise_has_variance(q->parts[i].noise->kind) || noise_part_has_threshold(&q->parts[i]))
            return 0;
    return 1;
}

static int check_central(const shuf_question_struct *q, const message *m)
{
    const int search = q->quantity >= SHUF_QUANTITY_USERS;
    const char *type = q->parts[0].subject == SHUF_SUBJECT_BATCH ? BATCH_TYPE : noise_part_type(&q->parts[0]);
    if (search && q->count > 1)
        return refuse(m, "a search takes one part");
    if (search && searches_of(q) != NULL)
        return refuse(m, "\"quantity\" %s does not go with this mechanism %s: %s with it", shuf_quantity_name(q->quantity), type, searches_of(q));
    if (q->via == SHUF_VIA_STRONG_COMPOSITION || (q->via != SHUF_VIA_ANY && (q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP)) || (q->via == SHUF_VIA_RENYI && q->quantity > SHUF_QUANTITY_EPSILON))
        return refuse(m, "\"via\" does not go with the mechanism %s, but for pld, and for renyi where delta or epsilon are asked for", type);
    if (q->direction != SHUF_DIRECTION_BOTH)
        return refuse(m, "\"direction\" goes with a \"pair\"; a mechanism's bounds hold in both");
    if ((q->quantity == SHUF_QUANTITY_EPSILON || search) && shuf_real_sgn(q->delta) == 0 && (search || !has_largest_loss(q)))
        return refuse(m, "\"delta\" is 0: %s; more than 0 is allowed", search ? "a search is for a point of the curve" : "the largest loss of this noise is infinite");
    return 0;
}

/* ---- everything ---- */

static int check_groups(const shuf_question_struct *q, const message *m)
{
    size_t i;
    for (i = 0; i < q->count && q->count > 1; i++)
        if (q->parts[i].subject == SHUF_SUBJECT_GROUPS)
            return refuse(m, "\"rounds\" as a list do not go with the mechanism groups; a number of rounds does");
    return 0;
}

static int check_road(const shuf_question_struct *q, const message *m)
{
    int privacy = q->quantity == SHUF_QUANTITY_DELTA || q->quantity == SHUF_QUANTITY_EPSILON;
    if ((q->quantity == SHUF_QUANTITY_RENYI || q->quantity == SHUF_QUANTITY_ZCDP) && q->via != SHUF_VIA_ANY)
        return refuse(m, "\"via\" goes with delta and epsilon");
    if (q->via == SHUF_VIA_STRONG_COMPOSITION && (q->count > 1 || !privacy))
        return refuse(m, "\"via\" is strong-composition: it takes rounds of one mechanism, for delta and epsilon");
    if (q->via == SHUF_VIA_STRONG_COMPOSITION && q->quantity == SHUF_QUANTITY_EPSILON && q->delta->is_log)
        return refuse(m, "\"delta\" is a logarithm: strong-composition needs a rational number");
    if (q->via == SHUF_VIA_RENYI && privacy && q->quantity == SHUF_QUANTITY_EPSILON && shuf_real_sgn(q->delta) == 0)
        return refuse(m, "\"delta\" is 0: with \"via\" renyi more than 0 is allowed");
    return 0;
}

/* Several reports of a user, a local delta0, or a Renyi divergence. */
static int check_loosened(const shuf_question_struct *q, const message *m)
{
    size_t i;
    if (q->quantity != SHUF_QUANTITY_DELTA && q->quantity != SHUF_QUANTITY_EPSILON)
        return refuse(m, "\"reports_per_user\", \"delta0\" and " RENYI_TYPE " go with the quantities delta and epsilon only, and with claims about them");
    for (i = 0; i < q->count && q->count > 1; i++)
        if (q->parts[i].reports > 1)
            return refuse(m, "\"reports_per_user\" above 1 goes with a single round");
    return 0;
}

int question_check(char *error, size_t size, const shuf_question_struct *q)
{
    const message m = { error, size };
    size_t i;
    if (shuf_question_has(q, SHUF_SUBJECT_BATCH) && !shuf_question_is_central(q))
        return refuse(&m, "\"rounds\" cannot mix " BATCH_TYPE " and shuffled reports");
    if (q->form != NULL)
        return 0;
    if (shuf_question_is_central(q))
        return check_central(q, &m);
    if (check_groups(q, &m) != 0)
        return -1;
    if (loosen_is_needed(q) && check_loosened(q, &m) != 0)
        return -1;
    if (q->quantity >= SHUF_QUANTITY_NOISE_MULTIPLIER)
        return refuse(&m, "\"quantity\" %s goes with the mechanism %s", shuf_quantity_name(q->quantity), q->quantity == SHUF_QUANTITY_ROUNDS || q->quantity == SHUF_QUANTITY_SENSITIVITY ? NOISE_TYPE : q->quantity == SHUF_QUANTITY_COINS ? COINS_TYPE : BATCH_TYPE);
    if (q->quantity >= SHUF_QUANTITY_USERS)
        return check_search(q, &m);
    if (check_road(q, &m) != 0)
        return -1;
    if (shuf_question_is_of_pair(q))
        return check_pair(q, &m);
    for (i = 0; i < q->count; i++)
        if (q->parts[i].is_poisson && q->parts[i].eps0_is_infinite && !route_is_described(&q->parts[i]))
            return refuse(&m, "\"scheme\" is poisson: there is a theorem for mechanisms with a finite local eps0, or described ones");
    if (q->direction != SHUF_DIRECTION_BOTH)
        return refuse(&m, "\"direction\" goes with a \"pair\"; a mechanism's bounds hold in both");
    return 0;
}
