/* SPDX-License-Identifier: LGPL-3.0-or-later */
/*
 * routes (internal): which theorems apply to a part of a question. A route
 * from above is a law that dominates one round of the part, one from
 * below a law that one round has on concrete neighbouring data. Those of
 * pairs come before the others; the cheapest comes first.
 */
#ifndef SHUF_ACCOUNT_ROUTES_H
#define SHUF_ACCOUNT_ROUTES_H

#include "../law/sampled_law.h"
#include "answer.h"

#define MAX_CHAIN SHUF_MAX_CHAIN
#define MAX_ROUTES 15 /* size of an array; routes.c checks it */

/* Theorem ids, the first one first. */
typedef struct
{
    const char *id[MAX_CHAIN];
    size_t count;
} theorem_chain;

void chain_add(theorem_chain *chain, const char *id);
int chain_has(const theorem_chain *chain, const char *id);
void chain_add_once(theorem_chain *chain, const char *id); /* unless it is NULL, or there */
void chain_append(theorem_chain *chain, const theorem_chain *other);

/* The theorems on the users of a part: those who do not follow the protocol, and those who may come. */
void chain_add_users(theorem_chain *chain, const shuf_part_struct *part);

/* Neighbouring data: how many users hold which input. */
typedef struct
{
    uint64_t x, x1;    /* user 1 holds x in one, x1 in the other */
    uint64_t others;   /* what the other users hold, but for */
    uint64_t count;    /* so many of them, who hold */
    uint64_t second;
    uint64_t k;        /* of the k-RR that has the bound, for a class of randomisers; 0: the mechanism's own */
    size_t group;      /* 1 + the place of the group that has them, alone; 0: the part itself, of groups those of k-RR */
    const char *seen;  /* the function of the reports that is looked at; NULL: all of them */
} data_description;

typedef enum
{
    ROUTE_PAIR,      /* the law is that of a pair, or of a sample of one; */
    ROUTE_MIXTURE,   /* of a mixture over the random reports: of many users a sum of terms is cheaper; */
    ROUTE_PUBLISHED, /* never better than another, and there for its theorem's sake */
    ROUTE_POINT,     /* known at single points */
    ROUTE_NODES,     /* a profile that is as good as its nodes */
    ROUTE_SEEN,      /* of the reports of one user, each seen to be theirs: loosen.h; */
    ROUTE_WHOLE,     /* of all reports of one user, likewise, at single points; */
    ROUTE_SELDOM,    /* a law than which another of its list says more, but seldom: few digits show it */
    ROUTE_LAW,       /* another law, */
    ROUTE_BEST       /* than which no other of its list says more */
} route_kind;

typedef struct round_route
{
    const shuf_part_struct *part;
    theorem_chain chain;
    shuf_law_t law;           /* of one round; ROUTE_SEEN: of one report if its delta0 is 0 */
    uint64_t rounds;          /* so many rounds of it make up the part */
    uint64_t one_of;          /* unless 0: it is one of so many rounds on the same data, of which no more is seen */
    struct round_route *beside; /* unless NULL: they make up the part together with this one's */
    route_kind kind;
    int needs_k;              /* who does not say k has no such route, and all others of this list */
    data_description data;    /* of a route from below; where a law says more at a single point, only what is seen */
    shuf_pair_t pair;         /* what the law is made of: a pair, */
    shuf_law_t whole;         /* its law, where */
    shuf_sampled_t sample;    /* a round takes a random subset of the users and the pair is about these; gamma = 1 if it takes all */
} round_route;

typedef struct
{
    round_route item[MAX_ROUTES];
    size_t count;
    size_t pairs; /* so many laws of pairs come first */
} route_list;

/* Whether it is one round, whose law has single points. */
int route_has_point(const round_route *route);

/* Whether the part is a described randomiser whose divergences can be computed. */
int route_is_described(const shuf_part_struct *part);

/*
 * r is initialised by these and to be cleared. Of a mechanism, on a side: if of_class, only what is true of all
 * mechanisms with its eps0, of RAPPOR of all numbers of values. If named, only routes whose data are the same whatever the mechanism:
 * user 1 holds 0 or 1, the others data.others. From below only pairs of all-equal data are sampled here: their first law is seen
 * too when the differing user is not in the sample.
 */
void routes_of_mechanism(route_list *r, const shuf_part_struct *part, shuf_side side, int named, int of_class);

/*
 * The routes of a part that is noisy SGD, after those that r has: the worst case exactly, if that is known, or else from above or from below. After one from
 * above comes what is no bound: shuffled batches as if they were Poisson's. Of several bounds the better one counts.
 */
int route_of_batch_is_exact(const shuf_part_struct *part);
void routes_of_batch(route_list *r, const shuf_part_struct *part, shuf_side side);

/* Of noisy SGD the one that has the zCDP of the part exactly (theorem zcdp-batches). Returns 0 if there is none. */
int route_of_zcdp(route_list *r, const shuf_part_struct *part);

/* One more for noisy SGD that is asked for alone: from above, where the others may not come to an end, and from below at a point. */
void routes_add_known_steps(route_list *r, const shuf_part_struct *part);
void routes_add_ratio(route_list *r, const shuf_part_struct *part);

/* The same for rounds of histograms from which small counts are dropped: from below at a point. */
void routes_add_some_round(route_list *r, const shuf_part_struct *part);

/* One more for one number with noise of a table, all records being in each release: from above the Gaussian noise that bounds it, for where the table does not reach far enough. */
void routes_add_compared(route_list *r, const shuf_part_struct *part);

/* The same of whatever a curator adds noise to: releases too. */
int route_of_central_is_exact(const shuf_part_struct *part);
/* Whether one release, and at one point, is exact: worst data of its own for every point. */
int route_of_point_is_exact(const shuf_part_struct *part);
void routes_of_central(route_list *r, const shuf_part_struct *part, shuf_side side);

/* The one route of a part that is about a pair, whose sample is of that kind, or of noise on a count, exactly. */
void routes_of_pair(route_list *r, const shuf_part_struct *part, shuf_sampled_kind kind);

/* A new route, whose law is to be set. */
round_route *routes_push_law(route_list *r, const shuf_part_struct *part, const char *theorem);

/* What stands beside it, without a theorem of its own; law and rounds are to be set. */
round_route *routes_add_beside(round_route *route, const shuf_part_struct *part);

/* What doubles reach is computed in doubles from here on (shuf_law_hasten). */
void routes_hasten(route_list *r);

void routes_clear(route_list *r);

#endif
