/* SPDX-License-Identifier: LGPL-3.0-or-later */
/* Notation and proofs: proofs/product-line.md and proofs/pld.md. */
#include "pld/bracket.h"

#include <math.h>
#include <stdio.h>

#include "enclosure/doubles.h"
#include "enclosure/elementary.h"
#include "enclosure/parallel.h"
#include "enclosure/steer.h"
#include "pld/grid_nodes.h"
#include "pld/grid_rest.h"
#include "pld/kept.h"
#include "pld/product_line.h"
#include "pld/singles.h"

#define PREC 160 /* steers only */

/* Where no lemma is named: steer only. */
#define MOST_ATOMS 250000    /* of all parts that tell their losses */
#define MOST_NODES 200000.0  /* of all others */
#define COMPARISON_WORK 50.0 /* of two laws */
#define LEAST_WORK 4e6       /* with less left no line is begun */
#define USUAL_LOG (-60.0)    /* of a delta that is asked for */

/* ---- one direction ---- */

/* The composition in one direction: its parts, and lines of a sum above and one below. They are one if every part tells its loss. */
typedef struct
{
    line_part *told;
    grid_nodes_struct *nodes;
    size_t told_count, nodes_count;
    line_sum sum[2];   /* above, below: the told parts first */
    line_struct *line; /* of them */
    int lines;         /* how many there are: sums and lines */
    double gap;        /* between the values of both, as part of the upper one, where they were read last, */
    double log_least;  /* and about the log of what is below */
} side_struct;

/* Which losses that are worth telling are told: all, those with dear nodes, none. */
typedef enum { BY_LOSSES, BY_CHEAP_NODES, BY_NODES } by_what;

/* How many rounds have that profile, where its loss depends on it; 0 if the loss is left alone. */
static double rounds_alike(const shuf_pld_part *parts, size_t count, const shuf_law_struct *law, by_what by)
{
    double rounds = 0;
    size_t i;
    for (i = 0; i < count && law->loss_rounds > 0 && (by == BY_LOSSES || (by == BY_CHEAP_NODES && law->has_dear_nodes)); i++)
        if (shuf_law_equal(parts[i].law, law))
            rounds += (double) parts[i].rounds;
    return rounds;
}

/* The parts of one direction, those with the same profile as one. Returns 0, or -1 if it takes too much (to be cleared, too). */
static int side_init(side_struct *x, const shuf_pld_part *parts, size_t count, double log_least, by_what by, shuf_direction direction, double limit)
{
    size_t i, j, atoms = 0;
    *x = (side_struct) { .told = flint_malloc(count * sizeof(line_part)), .nodes = flint_malloc(count * sizeof(grid_nodes_struct)) };
    x->line = flint_malloc(2 * sizeof(line_struct));
    for (i = 0; i < count; i++)
    {
        uint64_t *same = NULL;
        for (j = 0; j < x->told_count && same == NULL; j++)
            same = shuf_law_equal(x->told[j].law, parts[i].law) ? &x->told[j].rounds : NULL;
        for (j = 0; j < x->nodes_count && same == NULL; j++)
            same = shuf_law_equal(x->nodes[j].law, parts[i].law) ? &x->nodes[j].rounds : NULL;
        shuf_charge(COMPARISON_WORK * (double) (x->told_count + x->nodes_count + 1));
        if (same != NULL)
            *same += parts[i].rounds;
        else if (line_part_of_law(&x->told[x->told_count], parts[i].law, parts[i].rounds, rounds_alike(parts, count, parts[i].law, by), log_least, direction) == 0)
            atoms += (size_t) x->told[x->told_count++].loss->count;
        else
            grid_nodes_init(&x->nodes[x->nodes_count++], parts[i].law, parts[i].rounds, direction);
        if (atoms > MOST_ATOMS || shuf_exhausted(limit))
            return -1;
    }
    return 0;
}

/* The sum of the last line, which stays. */
static void drop_sum(side_struct *x)
{
    size_t i;
    x->lines--;
    for (i = x->told_count; i < x->sum[x->lines].count; i++)
        line_part_clear(&x->sum[x->lines].parts[i]);
    flint_free(x->sum[x->lines].parts);
}

static void drop_lines(side_struct *x)
{
    while (x->lines > 0)
    {
        drop_sum(x);
        line_clear(&x->line[x->lines]);
    }
}

static void side_clear(side_struct *x)
{
    size_t i;
    drop_lines(x);
    for (i = 0; i < x->told_count; i++)
        line_part_clear(&x->told[i]);
    for (i = 0; i < x->nodes_count; i++)
        grid_nodes_clear(&x->nodes[i]);
    flint_free(x->told);
    flint_free(x->nodes);
    flint_free(x->line);
}

/* The told parts and the laws of the others, above or below. */
static void set_sum(line_sum *s, const side_struct *x, int below)
{
    size_t i;
    s->count = 0;
    s->parts = flint_malloc((x->told_count + x->nodes_count) * sizeof(line_part));
    for (i = 0; i < x->told_count; i++)
        s->parts[s->count++] = x->told[i];
    for (i = 0; i < x->nodes_count; i++)
        if (x->nodes[i].scale > 0)
            line_part_of_grid(&s->parts[s->count++], below ? x->nodes[i].lower : x->nodes[i].upper, x->nodes[i].rounds, below);
}

/* Lines where the goals are, one for that above and one for that below; 0 or -1 (no line to clear). */
static int set_lines(side_struct *x, const line_goal goal[2], double tolerance, double limit)
{
    size_t i;
    do
    {
        line_sum *s = &x->sum[x->lines];
        int failed;
        set_sum(s, x, x->lines);
        failed = line_init(&x->line[x->lines], s, &goal[x->lines], tolerance, limit) != 0;
        if (failed)
        {
            for (i = x->told_count; i < s->count; i++)
                line_part_clear(&s->parts[i]);
            flint_free(s->parts);
            drop_lines(x);
            return -1;
        }
        x->lines++;
    }
    while (x->lines < (x->nodes_count > 0 ? 2 : 1));
    return 0;
}

/* ---- nodes ---- */

/* Steer only. */
#define SURVEY_DIGITS 3.0
#define SURVEY_SHARE 0.25     /* of the budget */
#define LAWS_SHARE 0.6        /* of the budget left, at most, goes to the laws of a run */
#define SMALLEST_LOG (-600.0) /* as small as a profile need get, delta not being known */
#define FINE_BITS 36          /* of a standard deviation, */
#define MOST_BITS 52          /* and of the largest loss: places of nodes are whole numbers in doubles, too */
#define TOP_SHARE 0.01        /* what the cut at the top may add to delta, */
#define BOTTOM_SHARE 0.001    /* and the cut at the bottom to the lost mass, relative to the accuracy */

static shuf_options profile_options(double digits, double limit, double part)
{
    shuf_options o;
    o.digits = (slong) fmin(ceil(digits), 12);
    shuf_share(&o, limit, part);
    return o;
}

/* The first nodes of every part. */
static void place_nodes(side_struct *x, double digits, double log_delta, double limit)
{
    size_t k;
    for (k = 0; k < x->nodes_count; k++)
    {
        grid_nodes_struct *p = &x->nodes[k];
        const double rounds = (double) p->rounds, least = log_delta - d_log(rounds) - digits * d_log(10.0) - 7;
        shuf_options o = profile_options(SURVEY_DIGITS, limit, SURVEY_SHARE / (double) (x->nodes_count - k));
        if (!grid_nodes_survey(p, least, &o))
            continue;
        grid_nodes_place(p, (slong) fmax(floor(d_lb(p->scale)) - FINE_BITS, ceil(d_lb(fmax(p->top, p->bottom))) - MOST_BITS));
        o = profile_options(digits + d_log10(rounds), limit, SURVEY_SHARE / (double) (x->nodes_count - k));
        grid_nodes_follow(p, least, &o);
    }
}

static void set_laws(side_struct *x, double digits, double limit)
{
    size_t k;
    for (k = 0; k < x->nodes_count; k++)
        if (x->nodes[k].scale > 0)
        {
            const shuf_options o = profile_options(digits + d_log10((double) x->nodes[k].rounds), limit, LAWS_SHARE / (double) (x->nodes_count - k));
            grid_nodes_set_laws(&x->nodes[k], &o);
        }
}

/* Large losses that hardly ever happen would be all that tilted laws see. */
static void trim_told(side_struct *x, double log_delta, double digits)
{
    size_t k;
    for (k = 0; k < x->told_count; k++)
        line_part_trim(&x->told[k], log_delta - digits * d_log(10.0) - d_log((double) x->told[k].rounds * (double) x->told_count) + d_log(TOP_SHARE));
}

/* After lines about eps: what of the nodes mattered, and how much. */
static void look_back(side_struct *x, double eps, double log_delta, double digits, int anywhere)
{
    double mean[3];
    size_t k;
    if (x->line[0].count == 0)
        return;
    line_sum_cumulants(mean, &x->sum[0], x->line[0].theta);
    for (k = 0; k < x->nodes_count; k++)
    {
        const double log_accuracy = -digits * d_log(10.0) - d_log((double) x->nodes[k].rounds);
        if (!(x->nodes[k].scale > 0))
            continue;
        grid_rest_weigh(&x->nodes[k], &x->line[0], mean[1], eps, anywhere);
        grid_nodes_narrow(&x->nodes[k], log_accuracy + log_delta + d_log(TOP_SHARE), log_accuracy + d_log(BOTTOM_SHARE));
    }
}

/* Steer only. */
#define SAFETY 2.0         /* by how much more gaps are to be narrowed than they seem to need, */
#define MOST_AT_ONCE 50.0  /* and at most, as they are known roughly */
#define LEVELS 40          /* halvings of a search, */
#define LOWEST_LEVEL 60.0  /* in logarithms of the largest gap */

/* The nodes of all parts when all cells with a larger gap than e^level have been cut, and what the gaps are then. */
static double after(double *left, const side_struct *x, double level, double most)
{
    double nodes = 0;
    size_t k;
    *left = 0;
    for (k = 0; k < x->nodes_count; k++)
        if (x->nodes[k].scale > 0)
            nodes += grid_nodes_after(left, &x->nodes[k], level, most);
    return nodes;
}

/* Cuts cells until the gaps are `share` of what they were, or there are `most_nodes`. Returns 0 if none was cut. */
static int cut_nodes(side_struct *x, double share, double most_nodes)
{
    double low, high, most = -HUGE_VAL, all, left, nodes;
    size_t k;
    slong i;
    int step;
    for (k = 0; k < x->nodes_count; k++)
        for (i = 0; i + 1 < x->nodes[k].count; i++)
            most = fmax(most, x->nodes[k].gap[i]);
    if (!isfinite(most))
        return 0;
    nodes = after(&all, x, most, most);
    for (step = 0, low = most - LOWEST_LEVEL, high = most; step < LEVELS; step++)
    {
        const double level = (low + high) / 2, then = after(&left, x, level, most);
        if (left <= share * all || then > most_nodes)
            low = level;
        else
            high = level;
    }
    if (!(after(&left, x, low, most) > nodes))
        return 0;
    for (k = 0; k < x->nodes_count; k++)
        if (x->nodes[k].scale > 0)
            grid_nodes_cut(&x->nodes[k], low);
    return 1;
}

/* ---- questions ---- */

typedef struct
{
    const shuf_pld_part *parts;
    size_t parts_count;
    shuf_direction direction;
    side_struct side[2]; /* a direction each */
    int count;
    int has_floor;    /* single rounds were looked at, */
    double log_floor; /* and at least so much is log delta, as little else is known of it */
} composition;

static void composition_read(shuf_enclosure_t r, composition *x, const shuf_real_t eps)
{
    shuf_enclosure_t other;
    arb_t K;
    arb_init(K);
    shuf_real_get_arb(K, eps, PREC);
    lines_read(r, &x->side[0].gap, &x->side[0].log_least, x->side[0].line, x->side[0].lines, K);
    if (x->count == 2)
    {
        shuf_enclosure_init(other);
        lines_read(other, &x->side[1].gap, &x->side[1].log_least, x->side[1].line, x->side[1].lines, K);
        shuf_enclosure_max(r, r, other);
        shuf_enclosure_clear(other);
    }
    arb_clear(K);
}

/* Steps of the search, and widenings of an end until it is certain. Steer only. */
#define SEARCH_STEPS 12
#define SEARCH_ENDS 13
#define NEAR_ENDS 8     /* of them near where both laws may have it; */
#define FAR_SLACK 1e-9  /* then those from the laws below */
#define FAR_GROWTH 100.0
#define NEAR_ENOUGH 1e-11
#define END_SLACK 1e-14
#define END_WIDTHS 1.1

/* About where the divergence is delta, and how wide the values are there, over theta. */
static double crossing(double *width, composition *x, double log_delta)
{
    double at = fmax(arf_get_d(x->side[0].line[0].sum[0].centre, ARF_RND_NEAR), 0), slope = x->side[0].line[0].theta, last = NAN, last_excess = 0;
    shuf_enclosure_t r;
    shuf_real_t eps;
    int i;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    if (x->count == 2)
        at = fmax(at, arf_get_d(x->side[1].line[0].sum[0].centre, ARF_RND_NEAR));
    for (i = 0; i < SEARCH_STEPS; i++)
    {
        double excess;
        shuf_real_set_d(eps, at);
        composition_read(r, x, eps);
        excess = steer_log(r->hi) - log_delta;
        if ((last_excess - excess) / (at - last) > 0)
            slope = (last_excess - excess) / (at - last);
        *width = steer_relative_width(r) / slope;
        if (!isfinite(excess))
            break;
        last = at;
        last_excess = excess;
        at = fmax(at + excess / slope, 0);
        if (fabs(at - last) <= NEAR_ENOUGH * at)
            break;
    }
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
    return at;
}

/* Where the lines of the laws below have their delta, at most. */
static double centre_below(const composition *x)
{
    double at = 0;
    int i;
    for (i = 0; i < x->count; i++)
        if (x->side[i].lines == 2 && x->side[i].line[1].count > 0)
            at = fmax(at, arf_get_d(x->side[i].line[1].sum[0].centre, ARF_RND_NEAR));
    return at;
}

/* The ends that are tried, one after the other: about `at`, and if that fails from below, further and further below what the laws below say. */
static double next_end(const composition *x, int up, int i, double at, double width)
{
    double slack = END_SLACK * at + (up ? 0 : END_WIDTHS * width);
    int j;
    for (j = 0; j < i && (up || j < NEAR_ENDS); j++)
        slack = 2 * slack + 0.3 * width;
    if (up)
        return at + slack;
    return i < NEAR_ENDS ? at - slack : fmin(at - slack, centre_below(x)) * (1 - FAR_SLACK * d_pow(FAR_GROWTH, i - NEAR_ENDS));
}

/* r encloses the eps of delta; what is not found is 0, or infinite. */
static void find_epsilon(shuf_enclosure_t r, composition *x, const shuf_real_t delta, double log_delta)
{
    double width, at = crossing(&width, x, log_delta);
    shuf_enclosure_t e;
    shuf_real_t eps;
    int up, i;
    shuf_enclosure_init(e);
    shuf_real_init(eps);
    shuf_enclosure_zero(r);
    arf_pos_inf(r->hi);
    for (up = 1; up >= 0; up--)
        for (i = 0; i < SEARCH_ENDS; i++)
        {
            const double end = next_end(x, up, i, at, width);
            if (!isfinite(end) || (!up && end <= 0))
                break;
            shuf_real_set_d(eps, end);
            composition_read(e, x, eps);
            if (up ? shuf_real_cmp_arf(delta, e->hi) >= 0 : shuf_real_cmp_arf(delta, e->lo) < 0)
            {
                arf_set_d(up ? r->hi : r->lo, end);
                break;
            }
        }
    shuf_enclosure_width(r->ledger.discretisation, r);
    r->ledger.terms = e->ledger.terms;
    r->ledger.precision = e->ledger.precision;
    shuf_enclosure_clear(e);
    shuf_real_clear(eps);
}

/* The parts; 0 or -1 (nothing to clear). */
static int composition_init(composition *x, const shuf_pld_part *parts, size_t count, double log_least, by_what by, shuf_direction direction, double limit)
{
    int symmetric = 1, failed = limit > 0 && limit - shuf_work() < LEAST_WORK, i;
    size_t k;
    for (k = 0; k < count; k++)
        symmetric = symmetric && parts[k].law->symmetric;
    *x = (composition) { .parts = parts, .parts_count = count, .direction = direction, .log_floor = -HUGE_VAL };
    for (i = 0; i < (direction == SHUF_DIRECTION_BOTH && !symmetric ? 2 : 1) && !failed; i++)
    {
        const shuf_direction one = i == 1 || direction == SHUF_DIRECTION_QP ? SHUF_DIRECTION_QP : SHUF_DIRECTION_PQ;
        failed = side_init(&x->side[i], parts, count, log_least, by, one, limit) != 0;
        x->count++;
    }
    while (failed && x->count > 0)
        side_clear(&x->side[--x->count]);
    return failed ? -1 : 0;
}

/* Lines of all directions; 0 or -1 (no line to clear). */
static int composition_set_lines(composition *x, const line_goal goal[2], double tolerance, double digits, double limit)
{
    int i;
    for (i = 0; i < x->count; i++)
    {
        set_laws(&x->side[i], digits, limit);
        if (shuf_exhausted(limit) || set_lines(&x->side[i], goal, tolerance, limit) != 0)
        {
            while (i > 0)
                drop_lines(&x->side[--i]);
            return -1;
        }
    }
    return 0;
}

/* Steer only. */
#define MOST_RUNS 12
#define LARGEST_TOLERANCE 1e-2 /* of the first lines, which find the place */
#define TOLERANCE_SHARE 0.3    /* of what is asked that lines may be off by, */
#define FINER 0.2              /* what they may be off by next, as part of that, or of the gaps that are expected */
#define GAP_SHARE 0.25         /* of what is asked that the gaps may be */
#define LEAST_DIGITS 6         /* are aimed at in any case where lines cost less than */
#define CHEAP_WORK 2e7
#define FAIR_WORK 1.5e8        /* one more than was asked where they cost less than that */
#define COARSER 6.0            /* than that, where there is no work for it */
#define UNRESOLVED 0.5         /* width of a delta of which little is known, and what its logarithm may be smaller by */
#define FAR_SMALLER 30.0
#define LINE_WIDTHS 3.0        /* what lines may do to the width of an eps, in tolerances: the rest is a gap */
#define STUCK 0.8              /* of the last width: hardly anything was gained, */
#define MOST_STUCK 4           /* twice as often where that costs little */
#define MOVED 1e-3             /* unless the upper end fell by such a part */
#define MORE_WORK 0.8          /* of what is left for the next run */
#define UNDERFLOW_LOG (-690.0) /* of a delta that lines in doubles do not tell from less */

/* What one run tells the next. */
typedef struct
{
    double digits, tolerance, last_tolerance; /* aimed at, relative to the answer */
    double work, width, log_hi; /* of the last one, and of its upper end */
    double scale; /* how much wider delta may be than what is asked for */
    int count, stuck;
} runs_struct;

/* Cuts cells so that the gaps, now that part of the answer, are a `share` of it, if there is work enough. */
static void cut_all(composition *x, double share, double work, double limit)
{
    size_t k;
    int i;
    for (i = 0; i < x->count; i++)
    {
        double nodes = 0;
        for (k = 0; k < x->side[i].nodes_count; k++)
            nodes += (double) x->side[i].nodes[k].count;
        cut_nodes(&x->side[i], share, limit > 0 ? fmin(MOST_NODES, nodes * MORE_WORK * (limit - shuf_work()) / work) : MOST_NODES);
    }
}

/* Sets nodes and tolerance for the next run; the goal is where the last one was. */
static void prepare_next(composition *x, runs_struct *runs, const line_goal *goal, int to_delta, double limit)
{
    const double target = d_pow(10, -runs->digits), last = runs->tolerance;
    /* what is left out must be small beside delta */
    const double least = to_delta && runs->width > UNRESOLVED ? x->log_floor : goal->told;
    double gap = to_delta ? 0 : runs->width - LINE_WIDTHS * last, share = 1;
    int i;
    for (i = 0; i < x->count; i++)
    {
        gap = fmax(gap, x->side[i].gap / runs->scale);
        if (x->side[i].nodes_count > 0)
            look_back(&x->side[i], goal->point, least, runs->digits, runs->stuck > 0);
        trim_told(&x->side[i], least, runs->digits);
    }
    if (gap > GAP_SHARE * target)
    {
        share = fmax(GAP_SHARE * target / gap / SAFETY, 1 / MOST_AT_ONCE);
        cut_all(x, share, runs->work, limit);
    }
    runs->last_tolerance = last;
    /* where lines were made for another place, or for too large a delta, it is not their tolerance that is at fault */
    if (runs->width > UNRESOLVED)
    {
        runs->last_tolerance = HUGE_VAL;
        return;
    }
    runs->tolerance = fmax(TOLERANCE_SHARE * target, FINER * gap * share);
    if (runs->tolerance > last / 2)
        runs->tolerance = FINER * last;
    if (x->side[0].nodes_count > 0)
        runs->tolerance = fmax(runs->tolerance, last / MOST_AT_ONCE);
}

/* Lines of that tolerance, or of the next larger one that there is work for, as long as that is less than the last one. 0 or -1. */
static int affordable_lines(composition *x, const line_goal goal[2], runs_struct *runs, double limit)
{
    for (; runs->count == 0 || runs->tolerance < runs->last_tolerance; runs->tolerance *= COARSER)
    {
        if (composition_set_lines(x, goal, fmin(runs->tolerance * runs->scale, LARGEST_TOLERANCE), runs->digits, limit) == 0)
            return 0;
        if (runs->count == 0)
            break;
    }
    return -1;
}

/* Says how far it is. */
static void report(const composition *x, const runs_struct *runs, const shuf_enclosure_t best)
{
    double nodes = 0;
    char line[200];
    size_t k;
    for (k = 0; k < x->side[0].nodes_count; k++)
        nodes += (double) x->side[0].nodes[k].count;
    snprintf(line, sizeof(line), "run %d, %.0f nodes; so far between %.8g and %.8g", runs->count + 1, nodes, arf_get_d(best->lo, ARF_RND_FLOOR),
             arf_get_d(best->hi, ARF_RND_CEIL));
    shuf_progress(line);
}

/* Reads the gaps where eps may be. */
static void read_gaps(composition *x, const arf_t at)
{
    shuf_enclosure_t r;
    shuf_real_t eps;
    shuf_enclosure_init(r);
    shuf_real_init(eps);
    shuf_real_set_arf(eps, at);
    composition_read(r, x, eps);
    shuf_enclosure_clear(r);
    shuf_real_clear(eps);
}

/* About log delta, for the next lines: while little is known of it, it may be far smaller. */
static double told_delta(const shuf_enclosure_t r)
{
    return fmin(steer_log(r->hi), 0) - (steer_relative_width(r) > UNRESOLVED ? FAR_SMALLER : 0);
}

/* What a run that took so much work tells of those to come, and where these are to be read. */
static void learn(runs_struct *runs, line_goal goal[2], const composition *x, const line_goal first, const shuf_enclosure_t e, double work)
{
    const int to_delta = first.to_delta;
    const double width = steer_relative_width(e);
    runs->work = work;
    if (runs->count == 0 && runs->work < CHEAP_WORK)
        runs->digits = fmax(runs->digits, LEAST_DIGITS);
    runs->stuck = width > STUCK * runs->width && !(steer_log(e->hi) < runs->log_hi - MOVED) ? runs->stuck + 1 : 0;
    runs->width = width;
    runs->log_hi = steer_log(e->hi);
    goal[0] = (line_goal) { 1, to_delta ? first.point : arf_get_d(e->hi, ARF_RND_NEAR), to_delta ? told_delta(e) : first.point };
    goal[1] = goal[0];
    if (!to_delta && arf_sgn(e->lo) > 0)
        goal[1].point = arf_get_d(e->lo, ARF_RND_NEAR);
    else if (!to_delta && runs->count % 2 == 0) /* the laws below may not come so far */
        goal[1] = first;
    if (!to_delta) /* delta is known to so much where eps is to one part */
        runs->scale = fmax(x->side[0].line[0].theta * goal[0].point, 1);
}

/* The ends of a delta of which little is known are at least those of single rounds. */
static void look_at_singles(shuf_enclosure_t r, composition *x, const shuf_real_t eps, slong digits, double limit)
{
    if (x->has_floor)
        return;
    singles_narrow(r, x->parts, x->parts_count, x->direction, eps, digits, limit);
    x->log_floor = steer_log(r->lo);
    x->has_floor = 1;
}

/* Whether delta seems to be less than what lines, or the nodes before them, tell from less. */
static int is_too_small(const composition *x)
{
    int i, small = 1;
    for (i = 0; i < x->count; i++)
        small = small && x->side[i].log_least < UNDERFLOW_LOG;
    return small;
}

/* Lines where the goal is, one after the other, with ever more nodes; r is as good as it gets. The last lines that were made stay. */
static void search(shuf_enclosure_t r, composition *x, const line_goal first, const shuf_real_t point, const shuf_options *options, double limit)
{
    const int to_delta = first.to_delta;
    const double log_delta = first.point;
    line_goal goal[2] = { first, first };
    runs_struct runs = { .digits = (double) options->digits, .tolerance = LARGEST_TOLERANCE, .width = HUGE_VAL, .log_hi = HUGE_VAL, .scale = 1 };
    shuf_enclosure_t e;
    int i, done = 0;
    shuf_enclosure_init(e);
    for (; runs.count < MOST_RUNS && !done && runs.stuck < (runs.work < CHEAP_WORK ? MOST_STUCK : MOST_STUCK / 2) && !shuf_exhausted(limit); runs.count++)
    {
        const double start = shuf_work();
        for (i = 0; i < x->count; i++)
            drop_lines(&x->side[i]);
        report(x, &runs, r);
        if (affordable_lines(x, goal, &runs, limit) != 0)
            break;
        if (to_delta)
            composition_read(e, x, point);
        else
            find_epsilon(e, x, point, log_delta);
        if (arf_is_finite(e->hi))
        {
            if (!to_delta)
                read_gaps(x, e->hi);
            shuf_enclosure_intersect(r, e);
            learn(&runs, goal, x, first, e, shuf_work() - start);
            if (to_delta && runs.width > UNRESOLVED)
                look_at_singles(r, x, point, options->digits, limit);
            done = shuf_enclosure_accurate(r, options->digits)
                   && (runs.work >= FAIR_WORK || ((runs.count > 0 || runs.work >= CHEAP_WORK) && shuf_enclosure_accurate(r, options->digits + 1)));
            done |= to_delta && runs.width > UNRESOLVED && is_too_small(x);
            if (!done)
                prepare_next(x, &runs, &goal[0], to_delta, limit);
        }
        else
        {
            done = 1;
        }
    }
    shuf_enclosure_clear(e);
}

/* Whether all parts are P = Q. */
static int is_nothing(const composition *x)
{
    size_t k;
    int i, nothing = 1;
    for (i = 0; i < x->count; i++)
    {
        nothing = nothing && x->side[i].told_count == 0;
        for (k = 0; k < x->side[i].nodes_count; k++)
            nothing = nothing && !(x->side[i].nodes[k].scale > 0);
    }
    return nothing;
}

/* By what the next attempt is to be: nodes that might give more than the losses that were told; BY_LOSSES if there are none. */
static by_what next_attempt(const composition *x, const shuf_enclosure_t r)
{
    const int unresolved = steer_relative_width(r) > UNRESOLVED;
    by_what by = BY_LOSSES;
    size_t k;
    for (k = 0; k < x->side[0].told_count; k++)
    {
        const line_part *p = &x->side[0].told[k];
        if (p->law->loss_rounds > 0 && p->loss->filter != NULL && (unresolved || !p->law->has_dear_nodes))
            by = unresolved ? BY_NODES : BY_CHEAP_NODES;
    }
    return by;
}

/* The lines of the last run, if every side has some, go to kept. */
static void keep_lines(shuf_pld_kept_struct *kept, composition *x, shuf_direction direction, const shuf_real_t eps)
{
    line_struct *line[2];
    int lines[2], i;
    for (i = 0; i < x->count; i++)
        if (x->side[i].lines == 0)
            return;
    for (i = 0; i < x->count; i++)
    {
        line[i] = x->side[i].line;
        lines[i] = x->side[i].lines;
        while (x->side[i].lines > 0)
            drop_sum(&x->side[i]);
        x->side[i].line = NULL;
    }
    kept_add(kept, direction, eps, line, lines, x->count);
}

/* One attempt. Returns by what the next one is to be. */
static by_what attempt(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, const line_goal goal, by_what by, const shuf_real_t point, shuf_direction direction,
                       const shuf_options *options, double limit)
{
    composition x;
    int i;
    if (composition_init(&x, parts, count, goal.to_delta ? USUAL_LOG : goal.point, by, direction, limit) != 0)
        return BY_NODES;
    for (i = 0; i < x.count; i++)
    {
        place_nodes(&x.side[i], (double) options->digits, goal.to_delta ? SMALLEST_LOG : goal.point, limit);
        trim_told(&x.side[i], goal.to_delta ? SMALLEST_LOG : goal.point, fmax((double) options->digits, LEAST_DIGITS));
    }
    if (is_nothing(&x))
        shuf_enclosure_zero(r);
    else
        search(r, &x, goal, point, options, limit);
    by = next_attempt(&x, r);
    if (kept != NULL)
        keep_lines(kept, &x, direction, point);
    while (x.count > 0)
        side_clear(&x.side[--x.count]);
    return by;
}

void pld_bracket(shuf_enclosure_t r, shuf_pld_kept_struct *kept, const shuf_pld_part *parts, size_t count, int to_delta, const shuf_real_t point, shuf_direction direction,
                 const shuf_options *options)
{
    const double limit = shuf_limit(options);
    line_goal goal = { to_delta, 0, NAN };
    by_what by;
    arb_t t;
    shuf_enclosure_zero(r);
    if (to_delta)
    {
        arf_one(r->hi);
        mag_one(r->ledger.discretisation);
    }
    else
    {
        arf_pos_inf(r->hi);
    }
    arb_init(t);
    shuf_real_get_arb(t, point, PREC);
    goal.point = to_delta ? steer_midpoint(t) : steer_log(arb_midref(t));
    arb_clear(t);
    by = attempt(r, kept, parts, count, goal, BY_LOSSES, point, direction, options, limit);
    if (by != BY_LOSSES && !shuf_enclosure_accurate(r, options->digits) && !shuf_exhausted(limit))
        attempt(r, kept, parts, count, goal, by, point, direction, options, limit);
    if (to_delta && steer_relative_width(r) > UNRESOLVED)
        singles_narrow(r, parts, count, direction, point, options->digits, limit);
}
