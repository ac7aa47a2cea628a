/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/tasks.h"

#include "account/loosen.h"
#include "account/renyi_part.h"

#include <string.h>

/* Each route of one part on both sides, and two conversions, have a place. */
_Static_assert(SHUF_MAX_TRIED >= 2 * MAX_ROUTES + 2, "SHUF_MAX_TRIED is too small for MAX_ROUTES");

/* ---- one task ---- */

int task_has_nodes(const task *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (x->routes[i]->kind == ROUTE_NODES)
            return 1;
    return 0;
}

int task_takes_rest(const task *x)
{
    size_t i;
    for (i = 0; i < x->count; i++)
        if (x->routes[i]->needs_k)
            return 1;
    return 0;
}

int task_is_best(const task *x)
{
    return x->count == 1 && x->routes[0]->kind == ROUTE_BEST;
}

int task_is_seldom(const task *x)
{
    return x->count == 1 && x->routes[0]->kind == ROUTE_SELDOM;
}

static task *add(task_list *t, shuf_side side)
{
    task *x = &t->item[t->count];
    if (t->count++ >= SHUF_MAX_TRIED)
        flint_throw(FLINT_ERROR, "more than %d bounds of a question\n", SHUF_MAX_TRIED);
    memset(x, 0, sizeof(*x));
    x->side = side;
    x->unless = x->beyond = x->tried = -1;
    x->via = t->question->via;
    return x;
}

#define NO_ROUTE SIZE_MAX /* the part is left out: a post-processing */

/* The pair or law of every part with its chain of theorems, each theorem once. */
static void set_laws(task *x, const task_list *t, const route_list *lists, const size_t *choice)
{
    const shuf_question_struct *q = t->question;
    size_t i, j;
    x->routes = flint_malloc(2 * q->count * sizeof(*x->routes));
    for (i = 0; i < q->count; i++)
    {
        const round_route *route;
        if (lists[i].count == 0 || (choice == NULL ? lists[i].pairs == 0 : choice[i] == NO_ROUTE))
            continue;
        route = &lists[i].item[choice != NULL ? choice[i] : 0];
        x->routes[x->count++] = route;
        if (route->beside != NULL)
            x->routes[x->count++] = route->beside;
        for (j = 0; j < route->chain.count; j++)
            chain_add_once(&x->chain, route->chain.id[j]);
    }
}

static void set_data(task *x, const data_description *data)
{
    x->has_data = 1;
    x->data.first = data->x;
    x->data.second = data->x1;
    x->data.others = data->others;
    x->data.exceptions = data->count;
    x->data.exception = data->second;
    x->data.k = data->k;
    x->data.group = data->group;
    x->data.seen = data->seen;
}

/* The first part that is in it, and has users whose values are told; else how many parts there are. */
static size_t first_with_data(const task_list *t, const size_t *choice)
{
    const shuf_question_struct *q = t->question;
    size_t i;
    for (i = 0; i < q->count; i++)
        if (t->below[i].count > 0 && (choice == NULL || choice[i] != NO_ROUTE) && q->parts[i].subject != SHUF_SUBJECT_NOISE)
            break;
    return i;
}

static task *add_rounds(task_list *t, shuf_side side, const size_t *choice)
{
    task *x = add(t, side);
    set_laws(x, t, side == SHUF_SIDE_LOWER ? t->below : t->above, choice);
    if (side == SHUF_SIDE_UPPER && loosen_is_needed(t->question))
        loosen_chain(&x->chain, &(rounds_struct) { t->question, x->routes, x->count });
    if (side == SHUF_SIDE_LOWER)
    {
        const size_t part = first_with_data(t, choice);
        const round_route *route = part < t->question->count ? &t->below[part].item[choice != NULL ? choice[part] : 0] : NULL;
        if (route != NULL && (shuf_law_is_of_pair(route->law) || route->law->delta == NULL || route->law->where != NULL))
            set_data(x, &route->data);
        x->data.part = part;
    }
    return x;
}

/* ---- which ---- */

static int is_privacy(const shuf_question_struct *q)
{
    return q->quantity == SHUF_QUANTITY_DELTA || q->quantity == SHUF_QUANTITY_EPSILON;
}

/* Whether all that is asked for is one number of one round. */
static int is_one_point(const shuf_question_struct *q)
{
    return q->count == 1 && q->parts[0].rounds == 1 && is_privacy(q) && q->via == SHUF_VIA_ANY;
}

static int wants_largest_loss(const shuf_question_struct *q)
{
    return q->quantity == SHUF_QUANTITY_EPSILON && shuf_real_sgn(q->delta) == 0;
}

/*
 * Whether a law has what is asked for: one that is known at single points, one number of one round, or a divergence that
 * is positive in one of several; a profile, all else but the largest loss and divergences of other kinds, unless it has these. One that is known
 * at nodes only is nothing for one number of one round.
 */
static int law_answers(const shuf_question_struct *q, const round_route *route)
{
    int function = q->quantity == SHUF_QUANTITY_TRADEOFF || q->quantity == SHUF_QUANTITY_GDP;
    if (route_has_point(route) && route->kind != ROUTE_NODES && q->count == 1 && is_privacy(q) && q->via == SHUF_VIA_ANY)
        return is_one_point(q) || route->kind == ROUTE_BEST || route->kind == ROUTE_WHOLE || route->data.seen != NULL || wants_largest_loss(q);
    return route->law->evaluate != NULL && (function || (is_privacy(q) && !wants_largest_loss(q)) || (q->quantity == SHUF_QUANTITY_RENYI && !q->order_is_infinite) || q->quantity == SHUF_QUANTITY_ZCDP)
           && (q->via == SHUF_VIA_ANY || q->via == SHUF_VIA_PLD) && !(route->kind == ROUTE_NODES && is_one_point(q));
}

/* Conversions need less than a product of laws, `of`, that says as much: where `after` was not accurate. */
static void add_conversions(task_list *t, const size_t *choice, ptrdiff_t after, ptrdiff_t of)
{
    static const shuf_via roads[] = { SHUF_VIA_RENYI, SHUF_VIA_STRONG_COMPOSITION };
    const shuf_question_struct *q = t->question;
    size_t i;
    if (!is_privacy(q) || q->via != SHUF_VIA_ANY || wants_largest_loss(q))
        return;
    for (i = 0; i < (q->count == 1 ? 2 : 1); i++)
    {
        task *x = add_rounds(t, SHUF_SIDE_UPPER, choice);
        x->via = roads[i];
        x->unless = after;
        x->beyond = of;
    }
}

/* Beyond so many users a sum of independent terms is cheaper than a mixture over the random reports: the same number. Steers only. */
#define MIXTURE_USERS 20000

static int has_mixture(const route_list *list)
{
    return list->pairs > 0 && list->item[list->pairs - 1].kind == ROUTE_MIXTURE;
}

/* Whether it has a mixture, of so few users that it is the way to that number; for samples they differ. */
static int has_few(const shuf_part_struct *part, const route_list *list)
{
    return has_mixture(list) && part->users <= MIXTURE_USERS && !shuf_part_is_sampled(part);
}

/* The first route of a kind that answers, or the list's end. */
static size_t find_kind(const shuf_question_struct *q, const route_list *list, route_kind kind)
{
    size_t i = list->pairs;
    while (i < list->count && !(list->item[i].kind == kind && law_answers(q, &list->item[i])))
        i++;
    return i;
}

/* The blanket's sum where it answers: at a point, or at nodes. */
static size_t find_sum(const shuf_question_struct *q, const route_list *list)
{
    size_t i = list->pairs;
    if (!is_one_point(q))
        return find_kind(q, list, ROUTE_NODES);
    while (i < list->count && !(strcmp(list->item[i].chain.id[0], "blanket") == 0 && law_answers(q, &list->item[i])))
        i++;
    return i;
}

/* The task of the route that says the most, if there is one: the others are not needed where it was accurate. -1: there is none. */
static ptrdiff_t add_best(task_list *t, shuf_side side, const route_list *list, size_t *best)
{
    *best = find_kind(t->question, list, ROUTE_BEST);
    if (*best == list->count)
        return -1;
    add_rounds(t, side, best);
    return (ptrdiff_t) t->count - 1;
}

/* Whether its law says no less than any pair at each single point, or hardly less at its nodes, and what is asked for follows from points, of which it takes many. */
static int has_points_of_all(const shuf_question_struct *q, const round_route *route)
{
    return (q->quantity == SHUF_QUANTITY_TRADEOFF || q->quantity == SHUF_QUANTITY_GDP) && route->law->is_at_nodes && q->via == SHUF_VIA_ANY;
}

/*
 * One part: the route that says the most, which of a function may be the sum; then, unless that was accurate, the pairs, but for rounds
 * those that are there for their theorem's sake; the laws; and a mixture of many users and conversions where the sum, or else the last
 * pair, was not accurate.
 */
static void add_above_of_one(task_list *t)
{
    const shuf_question_struct *q = t->question;
    const route_list *list = &t->above[0];
    const int several = q->parts[0].rounds > 1, published = several ? q->quantity == SHUF_QUANTITY_RENYI : q->quantity != SHUF_QUANTITY_ZCDP, few = has_few(&q->parts[0], list);
    size_t i, best, last = 0, sum = find_sum(q, list);
    const int late = has_mixture(list) && !few && sum < list->count;
    ptrdiff_t best_task = add_best(t, SHUF_SIDE_UPPER, list, &best), before, last_task = -1;
    if (best_task < 0 && sum < list->count && has_points_of_all(q, &list->item[sum]))
    {
        best = sum;
        best_task = (ptrdiff_t) t->count;
        add_rounds(t, SHUF_SIDE_UPPER, &best);
    }
    for (i = 0; i < list->pairs; i++)
    {
        if ((list->item[i].kind == ROUTE_PUBLISHED && !published) || (late && list->item[i].kind == ROUTE_MIXTURE))
            continue;
        last = i;
        last_task = (ptrdiff_t) t->count;
        add_rounds(t, SHUF_SIDE_UPPER, &i)->unless = best_task;
    }
    before = best_task >= 0 ? best_task : (ptrdiff_t) t->count - 1;
    for (i = list->pairs; i < list->count; i++)
    {
        if (i == best || !law_answers(q, &list->item[i]) || (i == sum && few))
            continue;
        if (i == sum && best_task < 0)
            before = (ptrdiff_t) t->count;
        add_rounds(t, SHUF_SIDE_UPPER, &i)->unless = best_task;
    }
    if (late)
    {
        last = list->pairs - 1;
        last_task = (ptrdiff_t) t->count;
        add_rounds(t, SHUF_SIDE_UPPER, &last)->unless = before;
    }
    if (several && list->pairs > 0)
        add_conversions(t, &last, before, last_task);
}

/* Each of them takes some work, however little is left. Steers only. */
#define MOST_PROFILES 64

/* The law that says the most, or the profile at nodes; else the list's end. */
static size_t find_law(const shuf_question_struct *q, const route_list *list)
{
    const size_t best = find_kind(q, list, ROUTE_BEST);
    return best < list->count ? best : find_kind(q, list, ROUTE_NODES);
}

/* Every part by the profile of its law, if it has one that says more; else by its pair on that side. Returns whether there are some, not too many. */
static int choose_profiles(size_t *choice, const task_list *t)
{
    const shuf_question_struct *q = t->question;
    size_t i, found = 0;
    for (i = 0; i < q->count; i++)
    {
        size_t profile = find_law(q, &t->above[i]);
        if (profile == t->above[i].count)
            continue;
        choice[i] = profile;
        found++;
    }
    return found > 0 && found <= MOST_PROFILES;
}

/* Of parts that are classes of a Renyi divergence, each of the other classes around them in turn. */
static void add_above_of_classes(task_list *t, const size_t *smallest)
{
    const shuf_question_struct *q = t->question;
    size_t *choice = flint_malloc(q->count * sizeof(*choice)), i, j;
    int some = 1;
    for (j = 1; j + 1 < RENYI_CLASSES && some; j++)
    {
        for (i = 0, some = 0; i < q->count; i++)
        {
            choice[i] = renyi_part_has(&q->parts[i]) ? j : smallest[i];
            some |= renyi_part_has(&q->parts[i]);
        }
        if (some)
            add_rounds(t, SHUF_SIDE_UPPER, choice);
    }
    flint_free(choice);
}

/* Every part by its first pair, by its smallest, krr-weak where there is one, by reports that are seen by themselves, and by its law. */
static void add_above_of_many(task_list *t)
{
    const shuf_question_struct *q = t->question;
    size_t *smallest = flint_calloc(q->count, sizeof(*smallest)), *seen = flint_calloc(q->count, sizeof(*seen)), i;
    int differ = 0, pairs = 1, all = 1, some_seen = 0;
    for (i = 0; i < q->count; i++)
    {
        pairs &= t->above[i].pairs > 0;
        seen[i] = find_kind(q, &t->above[i], ROUTE_SEEN);
        some_seen |= seen[i] < t->above[i].count;
        seen[i] = seen[i] < t->above[i].count ? seen[i] : 0;
        all &= t->above[i].pairs > 0 || find_law(q, &t->above[i]) < t->above[i].count;
        if (has_mixture(&t->above[i]) || renyi_part_has(&q->parts[i]))
        {
            smallest[i] = t->above[i].pairs - 1;
            differ |= smallest[i] > 0;
        }
    }
    if (pairs)
    {
        add_rounds(t, SHUF_SIDE_UPPER, NULL);
        add_above_of_classes(t, smallest);
        if (differ)
            add_rounds(t, SHUF_SIDE_UPPER, smallest);
        add_conversions(t, smallest, (ptrdiff_t) t->count - 1, (ptrdiff_t) t->count - 1);
        if (some_seen)
            add_rounds(t, SHUF_SIDE_UPPER, seen);
    }
    if (all && choose_profiles(smallest, t))
        add_rounds(t, SHUF_SIDE_UPPER, smallest);
    flint_free(smallest);
    flint_free(seen);
}

static void add_below_of_one(task_list *t)
{
    const route_list *list = &t->below[0];
    size_t best, i;
    ptrdiff_t best_task = add_best(t, SHUF_SIDE_LOWER, list, &best);
    for (i = 0; i < list->count; i++)
        if (i != best && (i < list->pairs || law_answers(t->question, &list->item[i])))
            add_rounds(t, SHUF_SIDE_LOWER, &i)->unless = best_task;
}

/* The place in the list of the law with these data, if its profile is wanted and answers, or else of the pair; or NO_ROUTE. */
static size_t find_data(const shuf_question_struct *q, const route_list *list, uint64_t others, int profiles)
{
    size_t i;
    for (i = list->pairs; i < list->count && profiles; i++)
        if (list->item[i].kind == ROUTE_NODES && list->item[i].data.others == others && law_answers(q, &list->item[i]))
            return i;
    for (i = 0; i < list->pairs; i++)
        if (list->item[i].data.others == others)
            return i;
    return NO_ROUTE;
}

/*
 * The same data in all rounds of so many users, the others holding `others`; a part that has other users or no such bound is left out.
 * A third value is one of all these parts only if each has a bound with it. With profiles: only if there is one.
 */
static void add_below_of_data(task_list *t, uint64_t users, uint64_t others, int profiles)
{
    const shuf_question_struct *q = t->question;
    size_t *choice = flint_malloc(q->count * sizeof(*choice)), i, found = 0, laws = 0, left = 0;
    for (i = 0; i < q->count; i++)
    {
        if (q->parts[i].subject == SHUF_SUBJECT_NOISE)
        {
            choice[i] = 0; /* whatever the users hold */
            left++;
            continue;
        }
        if (q->parts[i].users != users)
        {
            choice[i] = NO_ROUTE;
            left++;
            continue;
        }
        choice[i] = find_data(q, &t->below[i], others, profiles);
        found += choice[i] != NO_ROUTE;
        laws += choice[i] != NO_ROUTE && !shuf_law_is_of_pair(t->below[i].item[choice[i]].law);
    }
    if (found > 0 && (others == 0 || found + left == q->count) && (profiles ? laws > 0 && laws <= MOST_PROFILES : 1))
        add_rounds(t, SHUF_SIDE_LOWER, choice);
    flint_free(choice);
}

/* Rounds of as many users are of the same ones. Of the numbers of users, in their order, at most so many: steers only. */
#define MOST_POPULATIONS 4

static void add_below_of_many(task_list *t)
{
    const shuf_question_struct *q = t->question;
    uint64_t users[MOST_POPULATIONS];
    size_t i, j, count = 0;
    int profiles;
    for (i = 0; i < q->count && count < MOST_POPULATIONS; i++)
    {
        for (j = 0; j < count && users[j] != q->parts[i].users; j++)
            ;
        if (q->parts[i].subject != SHUF_SUBJECT_NOISE && j == count)
            users[count++] = q->parts[i].users;
    }
    for (profiles = 0; profiles < 2; profiles++)
        for (j = 0; j < count; j++)
        {
            add_below_of_data(t, users[j], 0, profiles);
            add_below_of_data(t, users[j], 2, profiles);
        }
}

/* ---- what a curator adds noise to ---- */

/* What is seen of an epoch's steps, if not all of them. */
static const char seen_event[] = "whether the largest step of the epoch, plus the size of a batch, is at least the threshold";
static const char seen_bare_event[] = "whether the largest step of the epoch is at least the threshold";
static const char seen_maximum[] = "the largest step of each epoch, in cells";
static const char seen_sum[] = "the sum of the steps of all epochs with random allocation, the sum over the steps of each epoch of a whole number for each "
                               "step with shuffled batches";
static const char seen_numbers[] = "the sum over the steps of each epoch of a whole number for each step";
static const char seen_sum_alone[] = "the sum of all steps";
static const char seen_ratio[] = "whether the sum over all steps y of log(1 - c + c e^((2y - 1)/(2 s^2))), c near the sampling rate, is large";

/* The same where a record is replaced. */
static const char *what_is_seen_replaced(const shuf_question_struct *q, const theorem_chain *chain)
{
    if (q->count > 1)
        return NULL;
    if (chain_has(chain, "batches-replaced-sum"))
        return seen_sum_alone;
    if (chain_has(chain, "batches-replaced-numbers"))
        return seen_numbers;
    return !chain_has(chain, "batches-replaced-maximum") ? NULL : q->parts[0].rounds > 1 || !is_privacy(q) ? seen_maximum : seen_bare_event;
}

/* In a list, and where nothing is left out, all is seen. */
static const char *what_is_seen(const shuf_question_struct *q, const theorem_chain *chain)
{
    if (chain_has(chain, "batches-truncated-below") || chain_has(chain, "batches-matrix-below") || chain_has(chain, "batches-matrix-poisson-below")
        || chain_has(chain, "batches-user-subset-below"))
        return NULL;
    if (question_has_records(q))
        return q->count > 1 ? NULL : seen_sum_alone;
    if (!question_removes(q))
        return what_is_seen_replaced(q, chain);
    if (chain_has(chain, "batches-allocation-sum"))
        return q->count > 1 ? seen_sum : seen_sum_alone;
    if (chain_has(chain, "batches-allocation-ratio"))
        return seen_ratio;
    if (chain_has(chain, "batches-shuffle-sum"))
        return seen_numbers;
    if (q->count > 1 || q->parts[0].rounds > 1 || !is_privacy(q))
        return seen_maximum;
    return chain_has(chain, "batches-shuffle-below") ? seen_event : seen_bare_event;
}

/* The routes of all parts on that side; returns how many the part has that has the most. */
static size_t list_central(task_list *t, shuf_side side)
{
    const shuf_question_struct *q = t->question;
    route_list *lists = side == SHUF_SIDE_LOWER ? t->below : t->above;
    size_t i, most = 0;
    for (i = 0; i < q->count; i++)
    {
        if (lists[i].count == 0)
        {
            const int has_known = side != SHUF_SIDE_LOWER && q->count == 1 && q->parts[i].subject == SHUF_SUBJECT_BATCH;
            if (has_known && side == SHUF_SIDE_UPPER) /* cheap, and enough where the bound from below meets it */
                routes_add_known_steps(&lists[i], &q->parts[i]);
            routes_of_central(&lists[i], &q->parts[i], side);
            if (has_known && side == SHUF_SIDE_EXACT)
                routes_add_known_steps(&lists[i], &q->parts[i]);
            if (side != SHUF_SIDE_LOWER && q->count == 1 && q->parts[i].subject == SHUF_SUBJECT_NOISE)
                routes_add_compared(&lists[i], &q->parts[i]);
            if (side == SHUF_SIDE_LOWER && q->count == 1 && is_privacy(q) && q->via == SHUF_VIA_ANY && !wants_largest_loss(q) && q->parts[i].subject == SHUF_SUBJECT_BATCH)
                routes_add_ratio(&lists[i], &q->parts[i]);
            if (side == SHUF_SIDE_LOWER && q->count == 1 && q->parts[i].subject == SHUF_SUBJECT_NOISE && q->via == SHUF_VIA_ANY && !wants_largest_loss(q)
                && (is_privacy(q) || q->quantity == SHUF_QUANTITY_GDP)) /* which is found at single points */
                routes_add_some_round(&lists[i], &q->parts[i]);
        }
        most = FLINT_MAX(most, lists[i].count);
    }
    return most;
}

/* The route of every part at that place of its list, or its last one, with the gradients that have it. */
static task *add_central(task_list *t, shuf_side side, size_t which)
{
    const shuf_question_struct *q = t->question;
    const route_list *lists = side == SHUF_SIDE_LOWER ? t->below : t->above;
    size_t *choice = flint_calloc(q->count, sizeof(*choice)), i;
    task *x;
    for (i = 0; i < q->count; i++)
        choice[i] = lists[i].count > 0 ? FLINT_MIN(which, lists[i].count - 1) : NO_ROUTE; /* from below: the part is not looked at */
    x = add_rounds(t, side, choice);
    memset(&x->data, 0, sizeof(x->data));
    x->has_data = side != SHUF_SIDE_UPPER && !shuf_question_has(q, SHUF_SUBJECT_NOISE); /* else a note has them */
    for (i = 0; i < x->chain.count; i++)
        x->is_aside |= side == SHUF_SIDE_UPPER && !shuf_theorem_certifies(x->chain.id[i], SHUF_SIDE_UPPER);
    if (side == SHUF_SIDE_LOWER && x->has_data) /* else all is seen */
        x->data.seen = what_is_seen(q, &x->chain);
    flint_free(choice);
    return x;
}

/* zCDP where all parts have theirs at large orders: exactly. Others have it elsewhere, where training has less than known steps say. */
static int add_zcdp(task_list *t)
{
    const shuf_question_struct *q = t->question;
    size_t i;
    for (i = 0; i < q->count; i++)
    {
        route_list *list = &t->above[i];
        if (q->parts[i].subject == SHUF_SUBJECT_BATCH)
            route_of_zcdp(list, &q->parts[i]);
        else if (route_of_central_is_exact(&q->parts[i]))
            routes_of_central(list, &q->parts[i], SHUF_SIDE_EXACT);
        if (list->count == 0 || !list->item[0].law->moment_is_reached)
            break;
    }
    if (i == q->count)
    {
        add_central(t, SHUF_SIDE_EXACT, 0);
        return 1;
    }
    for (i = 0; i < q->count; i++)
        routes_clear(&t->above[i]);
    return 0;
}

/* What is exact, and where it does not come to an end what is not; else all there is, the aside last. */
static void add_all_central(task_list *t)
{
    const shuf_question_struct *q = t->question;
    size_t i, j, routes[2];
    const int is_converted = q->via == SHUF_VIA_RENYI; /* which is no bound from below */
    ptrdiff_t exact_task = -1;
    int exact = !is_converted, side;
    if (q->quantity == SHUF_QUANTITY_ZCDP && add_zcdp(t))
        return;
    for (i = 0; i < q->count; i++)
        exact &= route_of_central_is_exact(&q->parts[i]) || (is_one_point(q) && route_of_point_is_exact(&q->parts[i]));
    if (exact)
    {
        exact_task = (ptrdiff_t) t->count;
        list_central(t, SHUF_SIDE_EXACT);
        add_central(t, SHUF_SIDE_EXACT, 0);
    }
    for (side = 0; side < 2; side++)
        routes[side] = side == 1 && is_converted ? 0 : list_central(t, side == 0 ? SHUF_SIDE_UPPER : SHUF_SIDE_LOWER);
    for (j = 0; j < FLINT_MAX(routes[0], routes[1]); j++)
        for (side = 0; side < 2; side++)
            if (j < routes[side] && j >= (size_t) exact)
                add_central(t, side == 0 ? SHUF_SIDE_UPPER : SHUF_SIDE_LOWER, j)->unless = exact_task;
}

/* The side on which the theorems of all pairs are, if it is one. */
static shuf_side side_of_pairs(const shuf_question_struct *q)
{
    const shuf_side side = shuf_theorem_find(shuf_pair_theorem(q->parts[0].pair))->side;
    size_t i;
    for (i = 1; i < q->count; i++)
        if (shuf_theorem_find(shuf_pair_theorem(q->parts[i].pair))->side != side)
            return SHUF_SIDE_NONE;
    return side;
}

static void add_all(task_list *t, int of_class)
{
    const shuf_question_struct *q = t->question;
    size_t i;
    if (shuf_question_is_central(q))
    {
        add_all_central(t);
        return;
    }
    if (shuf_question_is_of_pair(q))
    {
        const shuf_side side = side_of_pairs(q);
        for (i = 0; i < q->count; i++)
            routes_of_pair(&t->above[i], &q->parts[i], side == SHUF_SIDE_LOWER ? SHUF_SAMPLED_REPLACED : SHUF_SAMPLED_FIXED_SIZE);
        add_rounds(t, SHUF_SIDE_UPPER, NULL)->side = side;
        return;
    }
    for (i = 0; i < q->count; i++)
    {
        if (q->parts[i].subject == SHUF_SUBJECT_NOISE)
        {
            routes_of_central(&t->above[i], &q->parts[i], SHUF_SIDE_UPPER);
            routes_of_central(&t->below[i], &q->parts[i], SHUF_SIDE_LOWER);
            continue;
        }
        routes_of_mechanism(&t->above[i], &q->parts[i], SHUF_SIDE_UPPER, 0, of_class);
        routes_of_mechanism(&t->below[i], &q->parts[i], SHUF_SIDE_LOWER, q->count > 1, of_class);
    }
    if (q->count == 1)
        add_above_of_one(t);
    else
        add_above_of_many(t);
    /* what a conversion gives is no bound from below */
    if (q->via == SHUF_VIA_RENYI || q->via == SHUF_VIA_STRONG_COMPOSITION)
        return;
    if (q->count == 1)
        add_below_of_one(t);
    else
        add_below_of_many(t);
}

void tasks_init(task_list *t, const shuf_question_struct *q, int of_class)
{
    size_t i;
    t->question = q;
    t->count = 0;
    t->above = flint_calloc(q->count, sizeof(*t->above));
    t->below = flint_calloc(q->count, sizeof(*t->below));
    add_all(t, of_class);
    for (i = 0; i < q->count && q->fast; i++)
    {
        routes_hasten(&t->above[i]);
        routes_hasten(&t->below[i]);
    }
}

void tasks_again(task_list *t)
{
    const shuf_question_struct *q = t->question;
    size_t i;
    if (shuf_question_is_central(q)) /* whose losses are told to the digits of their first use */
    {
        tasks_clear(t);
        tasks_init(t, q, 0);
    }
    for (i = 0; i < t->count; i++)
    {
        t->item[i].tried = -1;
        t->item[i].is_spared = 0;
        t->item[i].known = NULL;
    }
}

void tasks_clear(task_list *t)
{
    size_t i;
    for (i = 0; i < t->count; i++)
        flint_free(t->item[i].routes);
    for (i = 0; i < t->question->count; i++)
    {
        routes_clear(&t->above[i]);
        routes_clear(&t->below[i]);
    }
    flint_free(t->above);
    flint_free(t->below);
}
