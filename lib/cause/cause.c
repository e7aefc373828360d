/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/cause.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause/cause_names.h"
#include "cause/cause_private.h"

#define EXACT_RATIO       0.01  /* part of the lost frames by which a counter may differ from them in all */
#define PAIR_RATIO        0.001 /* the same for a pair of counters: there are many pairs, of which one may agree by chance */
#define PAIR_PARTS_MOST   8     /* counters of which pairs are looked at */
#define TRAFFIC_PARTS     8     /* equal parts of the frames: some of them may be lost as a whole */
#define APART_RATIO       0.2   /* part of the loss ratio by which counter and loss may differ at the Lower Bound */
#define QUIET_RATIO       0.05  /* A counter with less than this part of its growth is quiet at the Lower Bound. */
#define CHANCE_STDEVS     3.0   /* by which the events of a part may differ at the Lower Bound */
#define NEAR_RATIO        0.05  /* part of the lost frames by which a counter that is near them may differ */
#define GROWS_RATIO       0.05  /* part of the lost frames: a counter that grows by less says nothing */
#define EVENTS_ENOUGH     20.0  /* growth of a counter: less may be chance */
#define HALF_RATIO        0.5   /* part of the lost frames from which on a counter of loss holds most of them */
#define ALONE_RATIO       0.95  /* part of a family's growth from which on one of its counters stands for it */
#define FULL_RATIO        0.95
#define MOSTLY_RATIO      0.75 /* mean of a gauge that is called full where its maximum is */
#define CPU_FULL_RATIO    0.9  /* The time of a CPU is counted in ticks, and short trials have few. */
#define SHARED_RATIO      0.2  /* part of a CPU that programs take where the CPU is called shared */
#define SHARED_BUSY_RATIO 0.8  /* part of the accounted time from which a CPU with losses at its backlog is full */
#define STOLEN_RATIO      0.1  /* part of a CPU that a hypervisor takes where the CPU is called shared */
#define AT_CPU_RATIO      0.5  /* part of the lost frames that were lost at a CPU that is called shared */

/* A counter, or a family of counters, and what is found of it. */
struct judged {
	struct mlr_cause_candidate candidate;
	struct mlr_cause cause;
	bool is_told; /* It is a cause. */
};

struct judging {
	struct mlr_cause_evidence evidence;
	size_t *order;   /* all counters, the members of a family side by side */
	bool *is_member; /* of each counter: its family is told instead */
	struct judged *list;
	size_t count;
	size_t *alone; /* each counter by itself */
};

static struct mlr_cause_known known_of(const struct mlr_cause_trials *trials, const struct mlr_cause_candidate *candidate)
{
	return mlr_cause_known_of(trials, candidate, MLR_CAUSE_ALL);
}

static const char *name_of(const struct mlr_cause_evidence *evidence, size_t counter)
{
	return evidence->input->counters[counter].name;
}

static bool is_of_loss(const struct mlr_cause_evidence *evidence, size_t counter)
{
	return mlr_cause_name_is_of_loss(name_of(evidence, counter));
}

/* The place of a counter of the same source, or the number of counters. */
static size_t find(const struct mlr_cause_input *input, const char *source, const char *name)
{
	size_t i = 0;

	while (i < input->counter_count &&
	       (strcmp(input->counters[i].name, name) || strcmp(input->counters[i].source, source)))
		i++;
	return i;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static struct mlr_cause describe(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
				 enum mlr_cause_kind kind)
{
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, candidate);
	struct mlr_cause_known upper = known_of(&judges, candidate), lower = known_of(&evidence->lower, candidate);
	bool is_known = upper.lost >= MLR_CAUSE_KNOWN_RATIO * evidence->lost || judges.count > evidence->nearest.count;

	return (struct mlr_cause){
		.counter = candidate->counters[0],
		.kind = kind,
		.change = upper.change,
		.per_lost = is_known ? ratio(upper.change, upper.lost) : NAN,
		.lower_level = ratio(lower.level, (double)lower.count),
		.upper_level = ratio(upper.level, (double)upper.count),
		.lower_per_frame = ratio(lower.change, lower.sent),
		.upper_per_frame = ratio(upper.change, upper.sent),
		.trials = upper.count,
		.lost = upper.lost,
	};
}

/* --- the Lower Bound ------------------------------------------------------------------------------------------------ */

/* Whether a part of the loss is the same part of it at the Lower Bound, and does not grow where much less is lost. */
static bool keeps_its_part(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
			   const struct mlr_cause *cause)
{
	struct mlr_cause_known lower = known_of(&evidence->lower, candidate), calm = known_of(&evidence->calm, candidate);
	double expected = cause->per_lost * lower.lost;

	return cause->per_lost <= 1 / HALF_RATIO &&
	       fabs(lower.change - expected) <= APART_RATIO * expected + CHANCE_STDEVS * sqrt(expected) &&
	       !(calm.change - cause->per_lost * calm.lost > QUIET_RATIO * cause->upper_per_frame * calm.sent);
}

/* Whether it does so much less at the Lower Bound, beside what goes with the loss there, that load alone does not explain it.
 * Where nearly as much is lost there, growth with the load looks alike: the name decides, and whether it keeps its part. */
static bool is_quiet_below(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
			   const struct mlr_cause *cause)
{
	struct mlr_cause_known lower = known_of(&evidence->lower, candidate);
	double quiet = QUIET_RATIO * cause->upper_per_frame, lower_ratio = lower.lost / lower.sent;
	double upper_ratio = cause->upper_per_frame / cause->per_lost;

	if (!(cause->lower_per_frame > quiet))
		return true;
	if (lower_ratio <= MLR_CAUSE_CONTRAST_RATIO * upper_ratio)
		return cause->lower_per_frame - cause->per_lost * lower_ratio <= quiet;
	return is_of_loss(evidence, cause->counter) && keeps_its_part(evidence, candidate, cause);
}

/* --- agreement ------------------------------------------------------------------------------------------------------ */

/* Whether all frames were lost, or some of a few equal parts of them, as of directions: then as many came, or were passed on. */
static bool is_as_traffic(const struct mlr_cause_known *known)
{
	for (unsigned int parts = 1; parts <= TRAFFIC_PARTS; parts++) {
		double lost_parts = parts * known->lost / known->sent;

		if (round(lost_parts) >= 1 && fabs(lost_parts - round(lost_parts)) <= 2 * EXACT_RATIO)
			return true;
	}
	return false;
}

/* Whether it equals the lost frames, also at the Lower Bound. Where few are lost, unrelated events may have happened as often. */
static bool agrees(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
		   enum mlr_cause_scope scope, double most_ratio)
{
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, candidate);
	struct mlr_cause_known upper = mlr_cause_known_of(&judges, candidate, scope),
			       lower = mlr_cause_known_of(&evidence->lower, candidate, scope);

	return upper.difference <= (upper.lost < MLR_CAUSE_LOST_ENOUGH ? 0 : most_ratio * upper.lost) &&
	       lower.difference <= EXACT_RATIO * lower.sent &&
	       lower.difference * upper.sent <= APART_RATIO * upper.lost * lower.sent;
}

/* Without trials at the Lower Bound, a counter of traffic may equal the loss; its name decides. */
static bool is_exact(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate)
{
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, candidate);
	struct mlr_cause_known upper = known_of(&judges, candidate);

	if (!known_of(&evidence->lower, candidate).count && (candidate->count > 1 || is_as_traffic(&upper)) &&
	    !is_of_loss(evidence, candidate->counters[0]))
		return false;
	return agrees(evidence, candidate, MLR_CAUSE_ALL, EXACT_RATIO);
}

/* Whether it is called after a loss, and equals the frames lost in one of two directions that both lost some. Where both lost
 * nearly as many, only one of which it holds each frame is told. */
static bool is_of_direction(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
			    size_t *ret)
{
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, candidate);
	struct mlr_cause_known known[] = { mlr_cause_known_of(&judges, candidate, MLR_CAUSE_FIRST),
					   mlr_cause_known_of(&judges, candidate, MLR_CAUSE_SECOND) };
	bool fits[2];

	if (!is_of_loss(evidence, candidate->counters[0]))
		return false;
	for (size_t i = 0; i < 2; i++)
		fits[i] = known[i].lost >= MLR_CAUSE_LOST_ENOUGH && known[!i].lost > 0 &&
			  agrees(evidence, candidate, (enum mlr_cause_scope)i, EXACT_RATIO);
	if (fits[0] && fits[1])
		for (size_t i = 0; i < 2; i++)
			fits[i] = known[i].difference == 0;
	if (fits[0] == fits[1])
		return false;
	*ret = fits[1];
	return true;
}

/* Return the sum of what remains between growth and loss, without sign, if it always grows by so much a frame and a second. */
static double rest_of(const struct mlr_cause_trials *trials, const struct mlr_cause_candidate *candidate, double per_frame,
		      double per_s)
{
	double sum = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct mlr_cause_trial *trial = trials->list[i];
		double change = mlr_cause_sum_of(trial->changes, candidate),
		       background = per_frame * trial->sent + per_s * trial->sent / trial->load_fps;

		if (!isnan(change))
			sum += fabs(change - background - trial->lost);
	}
	return sum;
}

/* Subtract what it does at the Lower Bound beside the loss, a frame or a second, if that is less than half of the loss, and the rest
 * is near the loss. */
static bool subtract_background(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
				struct mlr_cause *cause)
{
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, candidate);
	struct mlr_cause_known upper = known_of(&judges, candidate), lower = known_of(&evidence->lower, candidate);
	double beside = lower.change - lower.lost;
	bool by_frame;
	double rests[2], background, rest;

	if (!(beside > 0) || !(upper.lost >= MLR_CAUSE_LOST_ENOUGH) || !is_of_loss(evidence, cause->counter))
		return false;
	rests[0] = rest_of(&judges, candidate, 0, beside / lower.seconds);
	rests[1] = rest_of(&judges, candidate, beside / lower.sent, 0);
	by_frame = rests[1] < rests[0];
	rest = rests[by_frame];
	background = beside * (by_frame ? upper.sent / lower.sent : upper.seconds / lower.seconds);
	if (!(background <= HALF_RATIO * upper.lost) || !(rest <= NEAR_RATIO * upper.lost))
		return false;
	cause->background = background;
	cause->per_lost = (upper.change - background) / upper.lost;
	if (rest <= EXACT_RATIO * upper.lost)
		cause->kind = MLR_CAUSE_EXACT;
	return true;
}

static bool is_near(const struct mlr_cause *cause)
{
	return fabs(cause->per_lost - 1) <= NEAR_RATIO;
}

/* --- the order ------------------------------------------------------------------------------------------------------ */

/* The smaller the likelier. A sum of places stands behind a place that agrees nearly: frames of others may be lost there, too. */
static unsigned int rank_of(const struct mlr_cause *cause, bool of_places)
{
	switch (cause->kind) {
	case MLR_CAUSE_SHARED:
		return 0;
	case MLR_CAUSE_EXACT:
		return of_places ? 4 : 1;
	case MLR_CAUSE_PART:
	case MLR_CAUSE_DIRECTION:
		return 2;
	case MLR_CAUSE_SATURATED:
		return 5 + of_places;
	case MLR_CAUSE_GROWS:
		break;
	}
	return !of_places && is_near(cause) ? 3 : 7 + of_places;
}

/* Whether one stands before another: by rank, then by what it is called, then by how well it fits. */
static bool is_before(const struct mlr_cause_input *input, const struct mlr_cause *a, const struct mlr_cause *b)
{
	const char *a_name = input->counters[a->counter].name, *b_name = input->counters[b->counter].name;
	unsigned int a_rank = rank_of(a, mlr_cause_name_is_sum(a_name)), b_rank = rank_of(b, mlr_cause_name_is_sum(b_name));

	if (a_rank != b_rank)
		return a_rank < b_rank;
	if (mlr_cause_name_is_of_loss(a_name) != mlr_cause_name_is_of_loss(b_name))
		return mlr_cause_name_is_of_loss(a_name);
	return (a->kind == MLR_CAUSE_GROWS || a->kind == MLR_CAUSE_PART) && fabs(log(a->per_lost)) < fabs(log(b->per_lost));
}

static void add(const struct mlr_cause_input *input, const struct mlr_cause *cause, struct mlr_causes *ret)
{
	size_t at = ret->count;

	while (at && is_before(input, cause, &ret->causes[at - 1]))
		at--;
	if (at == MLR_CAUSES_MAX)
		return;
	if (ret->count < MLR_CAUSES_MAX)
		ret->count++;
	memmove(&ret->causes[at + 1], &ret->causes[at], (ret->count - at - 1) * sizeof(*cause));
	ret->causes[at] = *cause;
}

/* --- CPUs and other limits ------------------------------------------------------------------------------------------ */

/* The seconds that a CPU accounts for in a second of these trials. It is 1 where its source does not tell. */
static double accounted_of(const struct mlr_cause_input *input, const char *source, unsigned int cpu,
			   const struct mlr_cause_trials *trials)
{
	struct mlr_cause_known known = { 0 };
	char name[64];
	size_t counter;

	snprintf(name, sizeof(name), "cpu%u/accounted", cpu);
	counter = find(input, source, name);
	if (counter < input->counter_count)
		known = known_of(trials, &(struct mlr_cause_candidate){ &counter, 1 });
	return known.level > 0 ? known.level / (double)known.count : 1;
}

/* Whether a counter, or gauge, was at a limit that it has in these trials: all the time, or most of it, since samples at the ends
 * of a short trial may be of a SUT without load. */
static bool is_full(const struct mlr_cause_input *input, size_t counter, const struct mlr_cause_trials *trials)
{
	const struct mlr_cause_counter *self = &input->counters[counter];
	struct mlr_cause_known known = known_of(trials, &(struct mlr_cause_candidate){ &counter, 1 });
	double level = ratio(known.level, (double)known.count), most = ratio(known.change, (double)known.count);
	unsigned int cpu;
	char rest;

	if (!self->is_gauge)
		return sscanf(self->name, "cpu%u/bus%c", &cpu, &rest) == 2 &&
		       level >= CPU_FULL_RATIO * accounted_of(input, self->source, cpu, trials);
	if (mlr_cause_ends_with_word(self->name, "percent")) {
		level /= 100;
		most /= 100;
	}
	return mlr_cause_name_is_use(self->name) && (level >= FULL_RATIO || (most >= FULL_RATIO && level >= MOSTLY_RATIO));
}

/* A backlog that overflows is named after the CPU; which worked for others, or is called so by who took it. */
static void add_shared(const struct mlr_cause_evidence *evidence, size_t counter, double per_lost, struct mlr_causes *ret)
{
	static const struct {
		const char *what;
		double least;
	} others[] = { { "programs", SHARED_RATIO }, { "steal", STOLEN_RATIO } };
	const struct mlr_cause_counter *backlog = &evidence->input->counters[counter];
	unsigned int cpu;
	int length = 0;
	double accounted;

	if (sscanf(backlog->name, "softnet/cpu%u/dropped%n", &cpu, &length) != 1 || !length || per_lost < AT_CPU_RATIO)
		return;
	accounted = accounted_of(evidence->input, backlog->source, cpu, &evidence->nearest);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct mlr_cause cause;
		char name[64];
		size_t other, busy;

		snprintf(name, sizeof(name), "cpu%u/busy", cpu);
		busy = find(evidence->input, backlog->source, name);
		snprintf(name, sizeof(name), "cpu%u/%s", cpu, others[i].what);
		other = find(evidence->input, backlog->source, name);
		if (busy == evidence->input->counter_count || other == evidence->input->counter_count)
			continue;
		cause = describe(evidence, &(struct mlr_cause_candidate){ &other, 1 }, MLR_CAUSE_SHARED);
		if (cause.upper_level >= others[i].least * accounted &&
		    describe(evidence, &(struct mlr_cause_candidate){ &busy, 1 }, MLR_CAUSE_SHARED).upper_level >=
			    SHARED_BUSY_RATIO * accounted)
			add(evidence->input, &cause, ret);
	}
}

/* --- one counter, or one family ------------------------------------------------------------------------------------- */

/* Whether a counter that grew is told, although it does not agree. Without trials at the Lower Bound, growth with the loss and
 * growth with the load look alike: only the name, and nearly the lost frames, speak for it. Few events may be chance. */
static bool grows_with_loss(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
			    const struct mlr_cause *cause)
{
	bool of_loss = is_of_loss(evidence, cause->counter);

	if (isnan(cause->lower_per_frame))
		return of_loss && is_near(cause) && cause->change >= EVENTS_ENOUGH;
	if (!is_quiet_below(evidence, candidate, cause))
		return false;
	return (evidence->lost >= MLR_CAUSE_LOST_ENOUGH && cause->change >= EVENTS_ENOUGH) ||
	       (of_loss && cause->per_lost >= HALF_RATIO && cause->per_lost <= 1 / HALF_RATIO);
}

/* Whether a counter's growth is a count of frames, for all that its name says. */
static bool counts_frames(const struct mlr_cause_counter *counter)
{
	return !counter->is_gauge && !mlr_cause_name_is_octets(counter->name) && !mlr_cause_name_is_of_cpu(counter->name);
}

/* Find of what kind it is. Returns false where it is no cause. */
static bool judge(const struct mlr_cause_evidence *evidence, const struct mlr_cause_candidate *candidate,
		  struct mlr_cause *cause)
{
	const struct mlr_cause_counter *self = &evidence->input->counters[candidate->counters[0]];

	if (candidate->count == 1 && is_full(evidence->input, candidate->counters[0], &evidence->nearest)) {
		cause->kind = MLR_CAUSE_SATURATED;
		return !isnan(cause->lower_level) && !is_full(evidence->input, candidate->counters[0], &evidence->lower);
	}
	if (!counts_frames(self) || !(cause->per_lost >= GROWS_RATIO))
		return false;
	if (is_exact(evidence, candidate))
		cause->kind = MLR_CAUSE_EXACT;
	else if (is_of_direction(evidence, candidate, &cause->direction))
		cause->kind = MLR_CAUSE_DIRECTION;
	else
		return subtract_background(evidence, candidate, cause) || grows_with_loss(evidence, candidate, cause);
	return true;
}

static struct judged *judge_next(struct judging *judging, const size_t *counters, size_t count)
{
	struct judged *judged = &judging->list[judging->count++];

	judged->candidate = (struct mlr_cause_candidate){ counters, count };
	judged->cause = describe(&judging->evidence, &judged->candidate, MLR_CAUSE_GROWS);
	judged->is_told = judge(&judging->evidence, &judged->candidate, &judged->cause);
	return judged;
}

/* Keep a member among those that grew most. */
static void add_member(struct mlr_cause *cause, size_t counter, double change)
{
	size_t at = cause->largest_count;

	while (at && change > cause->largest_changes[at - 1])
		at--;
	if (!(change > 0) || at == MLR_CAUSE_LARGEST)
		return;
	if (cause->largest_count < MLR_CAUSE_LARGEST)
		cause->largest_count++;
	for (size_t i = cause->largest_count - 1; i > at; i--) {
		cause->largest[i] = cause->largest[i - 1];
		cause->largest_changes[i] = cause->largest_changes[i - 1];
	}
	cause->largest[at] = counter;
	cause->largest_changes[at] = change;
}

/* Whether a family says more than its counters do: no single one agrees, also with a direction, or is nearly all of it. */
static bool is_more_than_members(const struct judging *judging, struct judged *family)
{
	const struct mlr_cause_evidence *evidence = &judging->evidence;
	struct mlr_cause_trials judges = mlr_cause_judges_of(evidence, &family->candidate);
	struct mlr_cause *cause = &family->cause;

	for (size_t i = 0; i < family->candidate.count; i++) {
		const struct mlr_cause_candidate member = { &family->candidate.counters[i], 1 };
		struct mlr_cause_known known = known_of(&judges, &member);

		if (known.change > 0 && (agrees(evidence, &member, MLR_CAUSE_ALL, EXACT_RATIO) ||
					 is_of_direction(evidence, &member, &cause->direction)))
			return false;
		add_member(cause, *member.counters, known.change);
	}
	return cause->largest_count > 1 && cause->largest_changes[0] < ALONE_RATIO * cause->change;
}

/* Judge counters whose names differ in numbers only by their sum. */
static void judge_family(struct judging *judging, const size_t *counters, size_t count)
{
	const struct mlr_cause_evidence *evidence = &judging->evidence;
	struct judged *family;

	if (count < 2 || !mlr_cause_name_has_number(name_of(evidence, *counters)))
		return;
	for (size_t i = 0; i < count; i++)
		if (!counts_frames(&evidence->input->counters[counters[i]]))
			return;
	family = judge_next(judging, counters, count);
	if (!family->is_told || !is_more_than_members(judging, family) ||
	    (family->cause.kind == MLR_CAUSE_GROWS &&
	     (!is_of_loss(evidence, *counters) || family->cause.per_lost > 1 / HALF_RATIO))) {
		judging->count--;
		return;
	}
	family->cause.members = count;
	family->cause.counter = family->cause.largest[0];
	for (size_t i = 0; i < count; i++)
		judging->is_member[counters[i]] = true;
}

static bool is_same_family(const struct mlr_cause_evidence *evidence, size_t a, size_t b)
{
	const struct mlr_cause_counter *counters = evidence->input->counters;

	return strcmp(counters[a].source, counters[b].source) == 0 &&
	       mlr_cause_name_compare(counters[a].name, counters[b].name) == 0;
}

static void judge_all(struct judging *judging)
{
	size_t count = judging->evidence.input->counter_count;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (!is_same_family(&judging->evidence, judging->order[i], judging->order[end]))
				break;
		judge_family(judging, judging->order + i, end - i);
	}
	for (size_t i = 0; i < count; i++)
		judging->alone[i] = i;
	for (size_t i = 0; i < count; i++)
		if (!judging->is_member[i])
			judge_next(judging, &judging->alone[i], 1);
}

/* --- splits --------------------------------------------------------------------------------------------------------- */

/* Whether it may be a part of the loss beside others: it is called after a loss, is no sum, and does less without. */
static bool is_part(const struct mlr_cause_evidence *evidence, const struct judged *judged)
{
	const struct mlr_cause_counter *self = &evidence->input->counters[judged->cause.counter];

	return counts_frames(self) && mlr_cause_name_is_of_loss(self->name) && !mlr_cause_name_is_sum(self->name) &&
	       judged->cause.change > 0 && judged->cause.trials == evidence->nearest.count && judged->cause.per_lost < 1 &&
	       is_quiet_below(evidence, &judged->candidate, &judged->cause);
}

static int by_change(const void *a, const void *b)
{
	const struct judged *const *left = a, *const *right = b;

	return ((*left)->cause.change < (*right)->cause.change) - ((*left)->cause.change > (*right)->cause.change);
}

/* Whether two of these, which stand by their growth, grew by the same: they may count the same frames. Few events may be chance. */
static bool has_twins(struct judged *const *parts, size_t count)
{
	for (size_t i = 1; i < count && parts[i]->cause.change >= EVENTS_ENOUGH; i++)
		if (parts[i]->cause.change == parts[i - 1]->cause.change)
			return true;
	return false;
}

/* Whether these counters together grew by the lost frames. */
static bool add_up(const struct mlr_cause_evidence *evidence, struct judged *const *parts, size_t count, double most_ratio,
		   size_t *together)
{
	struct mlr_cause_candidate all = { together, 0 };

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < parts[i]->candidate.count; j++)
			together[all.count++] = parts[i]->candidate.counters[j];
	return count > 1 && parts[1]->cause.change >= EVENTS_ENOUGH && !has_twins(parts, count) &&
	       agrees(evidence, &all, MLR_CAUSE_ALL, most_ratio);
}

/* Find the parts that add up, and put them first. Return how many they are: all, two, or none. */
static size_t find_split(const struct mlr_cause_evidence *evidence, struct judged **parts, size_t count, size_t *together)
{
	size_t most = count < PAIR_PARTS_MOST ? count : PAIR_PARTS_MOST;

	qsort(parts, count, sizeof(*parts), by_change);
	if (add_up(evidence, parts, count, EXACT_RATIO, together))
		return count;
	for (size_t i = 0; i < most; i++)
		for (size_t j = i + 1; j < most; j++) {
			struct judged *pair[] = { parts[i], parts[j] };

			if (pair[1]->cause.per_lost >= GROWS_RATIO && add_up(evidence, pair, 2, PAIR_RATIO, together)) {
				memcpy(parts, pair, sizeof(pair));
				return 2;
			}
		}
	return 0;
}

/* Whether the place is known without a split. */
static bool has_place(const struct judging *judging)
{
	for (size_t i = 0; i < judging->count; i++) {
		const struct mlr_cause *cause = &judging->list[i].cause;

		if (judging->list[i].is_told && (cause->kind == MLR_CAUSE_DIRECTION ||
						 (cause->kind == MLR_CAUSE_EXACT &&
						  !mlr_cause_name_is_sum(name_of(&judging->evidence, cause->counter)))))
			return true;
	}
	return false;
}

/* Returns false without memory. */
static bool split(struct judging *judging, struct mlr_causes *ret)
{
	struct judged **parts = calloc(judging->count + 1, sizeof(struct judged *));
	size_t *together = calloc(judging->evidence.input->counter_count + 1, sizeof(*together)), count = 0;
	bool complete = parts && together;

	for (size_t i = 0; complete && i < judging->count; i++)
		if (is_part(&judging->evidence, &judging->list[i]))
			parts[count++] = &judging->list[i];
	if (complete)
		ret->parts = find_split(&judging->evidence, parts, count, together);
	for (size_t i = 0; i < ret->parts; i++) {
		parts[i]->is_told = true;
		parts[i]->cause.kind = MLR_CAUSE_PART;
	}
	free(parts);
	free(together);
	return complete;
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

/* Whether it did nothing, as far as all trials tell. */
static bool is_idle(const struct mlr_cause_input *input, size_t counter)
{
	for (size_t i = 0; i < input->trial_count; i++)
		if (!(input->trials[i].changes[counter] <= 0))
			return false;
	return true;
}

/* A counter's place, to sort by its name. */
struct named {
	const struct mlr_cause_counter *counter;
	size_t at;
};

static int by_family(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int order = strcmp(left->counter->source, right->counter->source);

	order = order ? order : mlr_cause_name_compare(left->counter->name, right->counter->name);
	return order ? order : (left->at > right->at) - (left->at < right->at);
}

/* Returns false without memory. */
static bool sort_families(const struct mlr_cause_input *input, size_t *ret)
{
	struct named *named = calloc(input->counter_count + 1, sizeof(*named));

	for (size_t i = 0; named && i < input->counter_count; i++)
		named[i] = (struct named){ &input->counters[i], i };
	if (named)
		qsort(named, input->counter_count, sizeof(*named), by_family);
	for (size_t i = 0; named && i < input->counter_count; i++)
		ret[i] = named[i].at;
	free(named);
	return named;
}

/* Return the growth of one counter by lost frames: the largest of a family. */
static double most_per_lost(const struct mlr_cause *cause)
{
	return cause->members ? ratio(cause->largest_changes[0], cause->lost) : cause->per_lost;
}

/* Returns false without memory. */
static bool find_causes(struct judging *judging, struct mlr_causes *ret)
{
	const struct mlr_cause_input *input = judging->evidence.input;
	bool complete = judging->order && judging->is_member && judging->alone && judging->list &&
			sort_families(input, judging->order);

	if (!complete)
		return false;
	judge_all(judging);
	if (!has_place(judging))
		complete = split(judging, ret);
	for (size_t i = 0; i < judging->count; i++) {
		const struct judged *judged = &judging->list[i];

		if (judged->is_told && judged->cause.kind != MLR_CAUSE_SATURATED)
			add_shared(&judging->evidence, judged->cause.counter, most_per_lost(&judged->cause), ret);
		if (judged->is_told)
			add(input, &judged->cause, ret);
	}
	return complete;
}

int mlr_cause_find(const struct mlr_cause_input *input, struct mlr_causes *ret)
{
	struct judging judging = { 0 };
	struct mlr_causes causes = { 0 };
	int error = mlr_cause_open(input, &judging.evidence);

	if (error)
		return error;
	causes.trials = judging.evidence.nearest.count;
	causes.lost = judging.evidence.lost;
	for (size_t i = 0; i < input->counter_count; i++)
		causes.idle += is_idle(input, i);
	judging.order = calloc(input->counter_count + 1, sizeof(*judging.order));
	judging.is_member = calloc(input->counter_count + 1, sizeof(*judging.is_member));
	judging.alone = calloc(input->counter_count + 1, sizeof(*judging.alone));
	judging.list = calloc(2 * input->counter_count + 1, sizeof(*judging.list));
	if (causes.trials && !find_causes(&judging, &causes))
		error = -ENOMEM;
	if (!error)
		*ret = causes;
	free(judging.order);
	free(judging.is_member);
	free(judging.alone);
	free(judging.list);
	mlr_cause_close(&judging.evidence);
	return error;
}
