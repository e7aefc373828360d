/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/cause.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cause/cause_names.h"

#define LOST_ENOUGH       100.0 /* frames: fewer may agree with a counter by chance */
#define EXACT_RATIO       0.01  /* part of the lost frames by which a counter may differ from them in all */
#define APART_RATIO       0.2   /* part of the loss ratio by which counter and loss may differ at the Lower Bound */
#define QUIET_RATIO       0.05  /* A counter with less than this part of its growth is quiet at the Lower Bound. */
#define NEAR_RATIO        0.05  /* part of the lost frames by which a counter that is near them may differ */
#define GROWS_RATIO       0.05  /* part of the lost frames: a counter that grows by less says nothing */
#define EVENTS_ENOUGH     20.0  /* growth of a counter: less may be chance */
#define HALF_RATIO        0.5   /* part of the lost frames from which on a counter of loss holds most of them */
#define FULL_RATIO        0.95
#define CPU_FULL_RATIO    0.9 /* The time of a CPU is counted in ticks, and short trials have few. */
#define SHARED_RATIO      0.3 /* part of a CPU that programs take where the CPU is called shared */
#define SHARED_BUSY_RATIO 0.8 /* part of the accounted time from which a CPU with losses at its backlog is full */
#define STOLEN_RATIO      0.1 /* part of a CPU that a hypervisor takes where the CPU is called shared */
#define AT_CPU_RATIO      0.5 /* part of the lost frames that were lost at a CPU that is called shared */
#define KNOWN_RATIO       0.5 /* part of the lost frames for which a counter must be known to say anything */
#define SAME_LOAD_RATIO   1e-9

/* What is looked at: trials with loss, nearest to the Upper Bound first, and those at the Lower Bound. */
struct evidence {
	const struct mlr_cause_input *input;
	const struct mlr_cause_trial **lossy;
	const struct mlr_cause_trial **lower;
	size_t lossy_count, lower_count;
	double lost;
};

/* Two arguments: the trials, and their number. */
#define LOSSY(evidence) (const struct mlr_cause_trial *const *)(evidence)->lossy, (evidence)->lossy_count
#define LOWER(evidence) (const struct mlr_cause_trial *const *)(evidence)->lower, (evidence)->lower_count

/* --- which trials --------------------------------------------------------------------------------------------------- */

static int by_load(const void *a, const void *b)
{
	const struct mlr_cause_trial *const *left = a, *const *right = b;

	return ((*left)->load_fps > (*right)->load_fps) - ((*left)->load_fps < (*right)->load_fps);
}

static bool is_at(const struct mlr_cause_trial *trial, double load_fps)
{
	return fabs(trial->load_fps - load_fps) <= SAME_LOAD_RATIO * load_fps;
}

static bool is_above(const struct mlr_cause_trial *trial, double load_fps)
{
	return isnan(load_fps) || trial->load_fps > load_fps || is_at(trial, load_fps);
}

/* Keep the trials with loss at the Upper Bound, and those above it until enough frames are lost in them. */
static void keep_nearest(struct evidence *evidence)
{
	size_t count = 0;

	qsort(evidence->lossy, evidence->lossy_count, sizeof(*evidence->lossy), by_load);
	while (count < evidence->lossy_count &&
	       (evidence->lost < LOST_ENOUGH || is_at(evidence->lossy[count], evidence->lossy[count - 1]->load_fps)))
		evidence->lost += evidence->lossy[count++]->lost;
	evidence->lossy_count = count;
}

static int choose_trials(const struct mlr_cause_input *input, struct evidence *ret)
{
	*ret = (struct evidence){ .input = input };
	ret->lossy = calloc(input->trial_count + 1, sizeof(struct mlr_cause_trial *));
	ret->lower = calloc(input->trial_count + 1, sizeof(struct mlr_cause_trial *));
	if (!ret->lossy || !ret->lower)
		return -ENOMEM;
	for (size_t i = 0; i < input->trial_count; i++) {
		const struct mlr_cause_trial *trial = &input->trials[i];

		if (trial->lost > 0 && is_above(trial, input->upper_fps))
			ret->lossy[ret->lossy_count++] = trial;
		else if (is_at(trial, input->lower_fps))
			ret->lower[ret->lower_count++] = trial;
	}
	keep_nearest(ret);
	return 0;
}

/* --- what a counter did --------------------------------------------------------------------------------------------- */

/* What is known of a counter over some trials, as sums. */
struct known {
	size_t count;
	double sent, lost, change, level, difference; /* between its change and the lost frames, without sign */
};

static struct known known_of(const struct mlr_cause_trial *const *trials, size_t count, size_t counter)
{
	struct known known = { 0 };

	for (size_t i = 0; i < count; i++) {
		double change = trials[i]->changes[counter];

		if (isnan(change))
			continue;
		known.count++;
		known.sent += trials[i]->sent;
		known.lost += trials[i]->lost;
		known.change += change;
		known.level += trials[i]->levels[counter];
		known.difference += fabs(change - trials[i]->lost);
	}
	return known;
}

static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static struct mlr_cause describe(const struct evidence *evidence, size_t counter, enum mlr_cause_kind kind)
{
	struct known upper = known_of(LOSSY(evidence), counter), lower = known_of(LOWER(evidence), counter);

	return (struct mlr_cause){
		.counter = counter,
		.kind = kind,
		.change = upper.change,
		.per_lost = upper.lost >= KNOWN_RATIO * evidence->lost ? ratio(upper.change, upper.lost) : NAN,
		.lower_level = ratio(lower.level, (double)lower.count),
		.upper_level = ratio(upper.level, (double)upper.count),
		.lower_per_frame = ratio(lower.change, lower.sent),
		.upper_per_frame = ratio(upper.change, upper.sent),
	};
}

/* Whether it does so much less at the Lower Bound that load alone does not explain it. */
static bool is_quiet_below(const struct mlr_cause *cause)
{
	return !(cause->lower_per_frame > QUIET_RATIO * cause->upper_per_frame);
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* The place of a counter of the same source, or the number of counters. */
static size_t find(const struct mlr_cause_input *input, const char *source, const char *name)
{
	size_t i = 0;

	while (i < input->counter_count &&
	       (strcmp(input->counters[i].name, name) || strcmp(input->counters[i].source, source)))
		i++;
	return i;
}

/* --- causes --------------------------------------------------------------------------------------------------------- */

/* Whether all frames were lost, or half of them: then as many came, or were passed on, as were lost. */
static bool is_as_traffic(const struct known *known)
{
	return fabs(known->sent - known->lost) <= 2 * EXACT_RATIO * known->sent ||
	       fabs(known->sent - 2 * known->lost) <= 2 * EXACT_RATIO * known->sent;
}

/* Whether a counter equals the lost frames, also at the Lower Bound. Where few are lost, unrelated events may have happened as
 * often. Without trials at the Lower Bound, a counter of traffic may equal the loss; its name decides. */
static bool is_exact(const struct evidence *evidence, size_t counter)
{
	struct known upper = known_of(LOSSY(evidence), counter), lower = known_of(LOWER(evidence), counter);

	if (!lower.count && is_as_traffic(&upper) && !mlr_cause_name_is_of_loss(evidence->input->counters[counter].name))
		return false;
	return upper.difference <= (upper.lost < LOST_ENOUGH ? 0 : EXACT_RATIO * upper.lost) &&
	       lower.difference <= EXACT_RATIO * lower.sent &&
	       lower.difference * upper.sent <= APART_RATIO * upper.lost * lower.sent;
}

static bool is_near(const struct mlr_cause *cause)
{
	return fabs(cause->per_lost - 1) <= NEAR_RATIO;
}

/* The smaller the likelier. A sum of places stands behind a place that agrees nearly: frames of others may be lost there, too. */
static unsigned int rank_of(const struct mlr_cause *cause, bool of_places)
{
	switch (cause->kind) {
	case MLR_CAUSE_SHARED:
		return 0;
	case MLR_CAUSE_EXACT:
		return of_places ? 3 : 1;
	case MLR_CAUSE_SATURATED:
		return 4 + of_places;
	case MLR_CAUSE_GROWS:
		break;
	}
	return !of_places && is_near(cause) ? 2 : 6 + of_places;
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
	return a->kind == MLR_CAUSE_GROWS && fabs(log(a->per_lost)) < fabs(log(b->per_lost));
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

/* The seconds that a CPU accounts for in a second of these trials. It is 1 where its source does not tell. */
static double accounted_of(const struct mlr_cause_input *input, const char *source, unsigned int cpu,
			   const struct mlr_cause_trial *const *trials, size_t count)
{
	struct known known = { 0 };
	char name[64];
	size_t counter;

	snprintf(name, sizeof(name), "cpu%u/accounted", cpu);
	counter = find(input, source, name);
	if (counter < input->counter_count)
		known = known_of(trials, count, counter);
	return known.level > 0 ? known.level / (double)known.count : 1;
}

/* Whether a counter, or gauge, was at a limit that it has in these trials. */
static bool is_full(const struct mlr_cause_input *input, const struct mlr_cause_counter *counter, double level,
		    const struct mlr_cause_trial *const *trials, size_t count)
{
	unsigned int cpu;
	char rest;

	if (!counter->is_gauge)
		return sscanf(counter->name, "cpu%u/bus%c", &cpu, &rest) == 2 &&
		       level >= CPU_FULL_RATIO * accounted_of(input, counter->source, cpu, trials, count);
	if (mlr_cause_ends_with_word(counter->name, "percent"))
		level /= 100;
	return mlr_cause_name_is_use(counter->name) && level >= FULL_RATIO;
}

/* A backlog that overflows is named after the CPU; which worked for others, or is called so by who took it. */
static void add_shared(const struct evidence *evidence, size_t counter, double per_lost, struct mlr_causes *ret)
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
	accounted = accounted_of(evidence->input, backlog->source, cpu, LOSSY(evidence));
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
		cause = describe(evidence, other, MLR_CAUSE_SHARED);
		if (cause.upper_level >= others[i].least * accounted &&
		    describe(evidence, busy, MLR_CAUSE_SHARED).upper_level >= SHARED_BUSY_RATIO * accounted)
			add(evidence->input, &cause, ret);
	}
}

/* Whether a counter that grew is told, although it does not agree. Without trials at the Lower Bound, growth with the loss and
 * growth with the load look alike: only the name, and nearly the lost frames, speak for it. Few events may be chance. */
static bool grows_with_loss(const struct evidence *evidence, const struct mlr_cause *cause)
{
	bool of_loss = mlr_cause_name_is_of_loss(evidence->input->counters[cause->counter].name);

	if (isnan(cause->lower_per_frame))
		return of_loss && is_near(cause) && cause->change >= EVENTS_ENOUGH;
	if (!is_quiet_below(cause))
		return false;
	return (evidence->lost >= LOST_ENOUGH && cause->change >= EVENTS_ENOUGH) ||
	       (of_loss && cause->per_lost >= HALF_RATIO && cause->per_lost <= 1 / HALF_RATIO);
}

/* Judge one counter. */
static void judge(const struct evidence *evidence, size_t counter, struct mlr_causes *ret)
{
	const struct mlr_cause_counter *self = &evidence->input->counters[counter];
	struct mlr_cause cause = describe(evidence, counter, MLR_CAUSE_GROWS);

	if (is_full(evidence->input, self, cause.upper_level, LOSSY(evidence)))
		cause.kind = MLR_CAUSE_SATURATED;
	else if (self->is_gauge || mlr_cause_name_is_octets(self->name) || mlr_cause_name_is_of_cpu(self->name) ||
		 !(cause.per_lost >= GROWS_RATIO))
		return;
	else if (is_exact(evidence, counter))
		cause.kind = MLR_CAUSE_EXACT;
	if (cause.kind == MLR_CAUSE_SATURATED &&
	    (isnan(cause.lower_level) || is_full(evidence->input, self, cause.lower_level, LOWER(evidence))))
		return;
	if (cause.kind == MLR_CAUSE_GROWS && !grows_with_loss(evidence, &cause))
		return;
	add_shared(evidence, counter, cause.per_lost, ret);
	add(evidence->input, &cause, ret);
}

static bool is_idle(const struct mlr_cause_input *input, size_t counter)
{
	for (size_t i = 0; i < input->trial_count; i++)
		if (input->trials[i].changes[counter] > 0)
			return false;
	return true;
}

int mlr_cause_find(const struct mlr_cause_input *input, struct mlr_causes *ret)
{
	struct evidence evidence;
	int error = choose_trials(input, &evidence);

	if (!error) {
		*ret = (struct mlr_causes){ .trials = evidence.lossy_count, .lost = evidence.lost };
		for (size_t i = 0; i < input->counter_count; i++)
			ret->idle += is_idle(input, i);
		for (size_t i = 0; i < input->counter_count && evidence.lossy_count; i++)
			judge(&evidence, i, ret);
	}
	free(evidence.lossy);
	free(evidence.lower);
	return error;
}
