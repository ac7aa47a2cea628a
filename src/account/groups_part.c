/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "account/groups_part.h"

#include <math.h>
#include <string.h>

#include "account/members.h"
#include "account/renyi_part.h"
#include "account/vocabulary.h"
#include "enclosure/elementary.h"
#include "enclosure/steer.h"

int groups_part_is(const json_t *mechanism)
{
    const char *type = json_string_value(json_object_get(mechanism, "type"));
    return type != NULL && strcmp(type, GROUPS_TYPE) == 0;
}

/* ---- reading ---- */

int groups_part_check(const shuf_part_struct *own, const reader *r)
{
    if (own->subject != SHUF_SUBJECT_LDP && own->subject != SHUF_SUBJECT_RANDOMISER)
        return reader_fail(r, "a group follows ldp or a described randomiser");
    if (own->is_deletion || shuf_real_sgn(own->delta0) > 0)
        return reader_fail(r, "\"%s\" does not go with groups: no theorem here has it", own->is_deletion ? "local" : renyi_part_has(own) ? RENYI_TYPE : "delta0");
    if (own->eps0_is_infinite || shuf_real_cmp_si(own->eps0, GROUPS_MAX_EPSILON) > 0)
        return reader_fail(r, "the local eps0 of a group must be at most %d", GROUPS_MAX_EPSILON);
    return 0;
}

int groups_part_read(shuf_part_struct *p, size_t *count, json_t *mechanism, const shuf_question_t q, const reader *r)
{
    *count = json_array_size(json_object_get(mechanism, "groups"));
    p->subject = SHUF_SUBJECT_GROUPS;
    if (vocabulary_check_mechanism(mechanism, GROUPS_TYPE, r) != 0
        || (reader_has(mechanism, "name") && reader_text(&p->randomiser->name, mechanism, "name", r) != 0))
        return -1;
    if (q->quantity >= SHUF_QUANTITY_USERS && q->quantity < SHUF_QUANTITIES)
        return reader_fail(r, "\"quantity\" %s does not go with the mechanism groups", shuf_quantity_name(q->quantity));
    if (*count == 0 || *count > GROUPS_MOST)
        return reader_fail(r, "\"groups\" must be an array of 1 to %d objects", GROUPS_MOST);
    return 0;
}

int groups_part_total(shuf_part_struct *p, const reader *r)
{
    size_t i;
    p->users = 0;
    for (i = 0; i < p->groups; i++)
    {
        if (p->group[i].users > SHUF_MAX_USERS - p->users)
            return reader_fail(r, "\"groups\" have more than 1e18 users");
        p->users += p->group[i].users;
        if (i == 0 || shuf_real_cmp(p->group[i].eps0, p->eps0) > 0)
            shuf_real_set(p->eps0, p->group[i].eps0);
    }
    p->everyone = p->sampled = p->users;
    return 0;
}

int groups_part_read_rounds(shuf_part_struct *p, const json_t *part, const reader *r)
{
    size_t i;
    if (member_barred(part, "users honest reports_per_user release sample", GROUPS_TYPE, r) != 0)
        return -1;
    if (reader_has(part, "rounds") && member_count(&p->rounds, part, "rounds", 1, SHUF_MAX_ROUNDS, r) != 0)
        return -1;
    for (i = 0; i < p->groups; i++)
        p->group[i].rounds = p->rounds;
    return 0;
}

/* ---- what the theorems ask for ---- */

/* The k of k-RR, else 0. */
static uint64_t k_of(const shuf_part_struct *group)
{
    return group->subject == SHUF_SUBJECT_RANDOMISER && group->randomiser->kind == SHUF_RANDOMISER_KRR ? group->randomiser->inputs : 0;
}

size_t groups_part_krr(const shuf_part_struct *p)
{
    size_t i, found = 0;
    for (i = 0; i < p->groups; i++)
        found += k_of(&p->group[i]) != 0;
    return found;
}

void groups_part_take_krr(shuf_part_struct *unit, const shuf_part_struct *p)
{
    size_t i;
    *unit = *p;
    unit->group = flint_malloc(p->groups * sizeof(*unit->group));
    unit->groups = unit->users = 0;
    for (i = 0; i < p->groups; i++)
        if (k_of(&p->group[i]) != 0)
        {
            unit->group[unit->groups++] = p->group[i];
            unit->users += p->group[i].users;
        }
}

uint64_t groups_part_k(const shuf_part_struct *p)
{
    const uint64_t k = k_of(&p->group[0]);
    size_t i;
    for (i = 1; i < p->groups && k_of(&p->group[i]) == k; i++)
        ;
    return i == p->groups ? k : 0;
}

groups_entry *groups_part_entries(const shuf_part_struct *p)
{
    groups_entry *entry = flint_malloc(p->groups * sizeof(*entry));
    size_t i;
    for (i = 0; i < p->groups; i++)
        entry[i] = (groups_entry) { p->group[i].eps0, p->group[i].users, k_of(&p->group[i]) };
    return entry;
}

/* About how far apart the counts of a group are, at most its eps0. Steers only. */
static double spread(const shuf_part_struct *group)
{
    const double eps0 = steer_real(group->eps0, 64);
    return fmin(eps0, 2 * d_sinh(eps0 / 2) / sqrt((double) group->users));
}

const shuf_part_struct *groups_part_worst(const shuf_part_struct *p, shuf_subject subject)
{
    const shuf_part_struct *worst = NULL;
    size_t i;
    for (i = 0; i < p->groups; i++)
        if (p->group[i].subject == subject && k_of(&p->group[i]) == 0 && (worst == NULL || spread(&p->group[i]) > spread(worst)))
            worst = &p->group[i];
    return worst;
}
