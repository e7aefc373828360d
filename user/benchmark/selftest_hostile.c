/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/selftest_hostile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "config/given.h"
#include "progress/events.h"
#include "result/report.h"

#define TRIES        3   /* of a trial that says nothing */
#define MISSES       2   /* tries of a trial that misses frames at a load */
#define TRIALS_MOST  24  /* beside hostile frames */
#define CLOSE_RATIO  1.2 /* between a load that the receiver takes and one that it does not, where the search ends */
#define SEARCH_RATIO 2   /* from a load that it does not take to the next one */
#define GRACE_S      0.1 /* time in which the last frames of a trial may still be sent, for this is no test of pacing */

/* --- judging --------------------------------------------------------------------------------------------------------- */

/* Frames by the count in which they end, as they were sent and as they were counted. */
struct by_count {
	uint64_t sent[MLR_HOSTILE_COUNT_COUNT], counted[MLR_HOSTILE_COUNT_COUNT];
	uint64_t all_sent, all_counted;
};

static struct by_count sort(const struct measurement *measurement)
{
	const struct mlr_trial_counts *counts = &measurement->counts;
	struct by_count sorted = { .counted = {
#define X(name) [MLR_HOSTILE_##name] = counts->name,
					   MLR_HOSTILE_COUNTS(X)
#undef X
				   } };

	for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++) {
		for (unsigned int kind = 0; kind < MLR_HOSTILE_KINDS; kind++)
			sorted.sent[count] += measurement->hostile.by_kind[kind][count];
		sorted.all_sent += sorted.sent[count];
		sorted.all_counted += sorted.counted[count];
	}
	return sorted;
}

/* Frames that the tester's own interfaces say they had no room for, without those that were sent again. */
static uint64_t dropped_by_ports(const struct measurement *measurement)
{
	uint64_t dropped = 0, again = measurement->hostile.busy;

	for (size_t i = 0; i < measurement->port_count; i++)
		dropped += measurement->ports[i].nic_rx_missed + measurement->ports[i].nic_tx_dropped;
	return dropped > again ? dropped - again : 0;
}

/* Frames that they took for damaged. Hardware may refuse a frame whose length contradicts itself. */
static uint64_t refused_by_ports(const struct measurement *measurement)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < measurement->port_count; i++)
		refused += measurement->ports[i].nic_rx_damaged;
	return refused;
}

/* Frames whose destination MAC address alone is another one: it has no count of its own. */
static uint64_t readdressed(const struct mlr_trial_counts *counts)
{
	return counts->changed_vlan || counts->changed_priority || counts->changed_dscp || counts->changed_ecn ||
			       counts->changed_ttl || counts->changed_address || counts->changed_port
		       ? 0
		       : counts->changed;
}

/* Whether a count of the trial's own frames is none that the same trial alone could have. */
static bool has_wrong_frames(const struct measurement *measurement, char reason[HOSTILE_REASON_SIZE])
{
	const struct mlr_trial_counts *counts = &measurement->counts;
	const struct {
		uint64_t count;
		const char *what;
	} wrong[] = {
		{ counts->received > counts->sent ? counts->received - counts->sent : 0, "received that were never sent" },
		{ counts->duplicate, "received twice" },
		{ counts->reordered, "out of order" },
		{ counts->misdirected, "at a port that they were not sent to" },
		{ counts->received - counts->verified, "received that were not verified" },
		{ readdressed(counts), "received with another destination MAC address" },
		{ counts->changed, "received with changed headers" },
	};

	for (size_t i = 0; i < COUNT(wrong); i++) {
		if (!wrong[i].count)
			continue;
		snprintf(reason, HOSTILE_REASON_SIZE, "the counts are wrong: %llu frames %s",
			 (unsigned long long)wrong[i].count, wrong[i].what);
		return true;
	}
	return false;
}

/* Whether more frames stand in a count than hostile frames were sent that have to end there. */
static enum hostile_outcome judge_sorted(const struct by_count *sorted, char reason[HOSTILE_REASON_SIZE])
{
	for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++) {
		if (sorted->counted[count] <= sorted->sent[count])
			continue;
		snprintf(reason, HOSTILE_REASON_SIZE, "%llu frames are counted as %s, and %llu were sent that are",
			 (unsigned long long)sorted->counted[count], mlr_hostile_count_name(count),
			 (unsigned long long)sorted->sent[count]);
		/* A frame too many may be another's, unless another count lacks it. */
		return count == MLR_HOSTILE_foreign && sorted->all_counted > sorted->all_sent ? HOSTILE_SPOILT
											      : HOSTILE_WRONG;
	}
	return HOSTILE_EXACT;
}

static enum hostile_outcome judge_missed(const struct measurement *measurement, const struct by_count *sorted,
					 char reason[HOSTILE_REASON_SIZE])
{
	uint64_t lost = measurement->counts.sent - measurement->counts.received;
	uint64_t missed = sorted->all_sent - sorted->all_counted, dropped = dropped_by_ports(measurement);
	uint64_t refused = refused_by_ports(measurement);

	if (!lost && !missed)
		return HOSTILE_EXACT;
	if (dropped)
		snprintf(reason, HOSTILE_REASON_SIZE,
			 "the receiver could not keep up: %llu frames of the trial and %llu hostile ones did not come, and "
			 "the ports' own counters tell of %llu",
			 (unsigned long long)lost, (unsigned long long)missed, (unsigned long long)dropped);
	else if (refused)
		snprintf(reason, HOSTILE_REASON_SIZE,
			 "%llu frames of the trial and %llu hostile ones did not come, and the ports' interfaces took %llu "
			 "for "
			 "damaged",
			 (unsigned long long)lost, (unsigned long long)missed, (unsigned long long)refused);
	else
		snprintf(
			reason, HOSTILE_REASON_SIZE,
			"%llu frames of the trial and %llu hostile ones did not come, and no counter of the ports tells why",
			(unsigned long long)lost, (unsigned long long)missed);
	return dropped || refused ? HOSTILE_MISSED : HOSTILE_WRONG;
}

enum hostile_outcome hostile_judge(const struct measurement *measurement, char reason[HOSTILE_REASON_SIZE])
{
	struct by_count sorted = sort(measurement);
	enum hostile_outcome outcome;

	*reason = '\0';
	if (has_wrong_frames(measurement, reason))
		return HOSTILE_WRONG;
	outcome = judge_sorted(&sorted, reason);
	if (outcome != HOSTILE_EXACT)
		return outcome;
	if (measurement->verdict.unsent) {
		snprintf(reason, HOSTILE_REASON_SIZE, "%llu frames of the trial stayed unsent: this machine is too busy",
			 (unsigned long long)measurement->verdict.unsent);
		return HOSTILE_SPOILT;
	}
	return judge_missed(measurement, &sorted, reason);
}

/* --- describing ------------------------------------------------------------------------------------------------------ */

/* Hostile frames that each port sent, a second. */
static double rate_fps(const struct hostile_summary *hostile)
{
	return hostile->duration_s > 0 ? (double)hostile->frames / hostile->duration_s : 0;
}

/* Add the trial, as far as it tells of counts. */
static json_t *trial_json(const struct measurement *measurement, double asked_fps, enum hostile_outcome outcome,
			  const char *reason)
{
	json_auto_t *trial = report_trial(measurement);
	struct by_count sorted = sort(measurement);

	return json_with("hostile_load", isfinite(asked_fps) ? asked_fps : NAN, "hostile_rate",
			 rate_fps(&measurement->hostile), "hostile_sent", sorted.all_sent, "hostile_counted",
			 sorted.all_counted, "dropped_by_ports", dropped_by_ports(measurement), "sent_again",
			 measurement->hostile.busy, "exact", json_boolean(outcome == HOSTILE_EXACT), "reason",
			 *reason ? reason : NULL, "counts", json_incref(json_object_get(trial, "counts")));
}

/* Add what was sent of each kind, by the count in which it has to end. */
static json_t *kinds_json(const struct measurement *measurement)
{
	json_t *list = json_array();

	for (unsigned int kind = 0; kind < MLR_HOSTILE_KINDS; kind++) {
		json_t *ends = json_object();
		uint64_t sent = 0;

		for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++) {
			uint64_t frames = measurement->hostile.by_kind[kind][count];

			sent += frames;
			if (frames)
				json_put(ends, mlr_hostile_count_name(count), frames);
		}
		json_array_append_new(list, json_with("kind", mlr_hostile_kind_name(kind), "sent", sent, "ends", ends));
	}
	return list;
}

static json_t *counted_json(const struct measurement *measurement)
{
	struct by_count sorted = sort(measurement);
	json_t *list = json_array();

	for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++)
		json_array_append_new(list, json_with("count", mlr_hostile_count_name(count), "sent", sorted.sent[count],
						      "counted", sorted.counted[count]));
	return list;
}

/* --- trials ---------------------------------------------------------------------------------------------------------- */

/* One frame size while it is tested. */
struct hostile_run {
	const struct config *config;
	struct measurer *frames;
	struct mlr_trial_input input;
	json_t *json, *trials;
	size_t performed;
	char reason[HOSTILE_REASON_SIZE]; /* why the last trial that was not exact was not */
	double missed_fps;                /* the smallest rate of hostile frames that the receiver did not take; 0: none */
	bool is_unsent; /* Frames of the last trial that was not exact stayed unsent: nobody knows whether the receiver takes them. */
	bool was_full; /* The port had no room for some of the hostile frames that it then took. */
};

static enum exit_code perform(struct hostile_run *run, double hostile_fps, struct measurement *ret,
			      enum hostile_outcome *ret_outcome)
{
	struct load_steps steps = { .load_fps = run->input.load_fps,
				    .frame_count = mlr_trial_intended(&run->input),
				    .hostile_fps = hostile_fps,
				    .grace_s = GRACE_S };
	size_t number = ++run->performed;
	char reason[HOSTILE_REASON_SIZE];
	enum exit_code code = event_trial_started(run->config, number, &run->input, NULL)
				      ?: measurer_xdp_measure_steps(run->frames, &steps, ret)
				      ?: event_trial_finished(run->config, number, report_trial(ret));

	if (code != EXIT_DONE)
		return code;
	*ret_outcome = hostile_judge(ret, reason);
	if (*ret_outcome != HOSTILE_EXACT)
		memcpy(run->reason, reason, sizeof(reason));
	return EXIT_DONE;
}

/* A trial with fewer hostile frames than there are kinds certifies nothing. */
static void want_all_kinds(struct hostile_run *run, const struct measurement *measurement, enum hostile_outcome *outcome)
{
	if (*outcome != HOSTILE_EXACT || measurement->hostile.frames >= MLR_HOSTILE_KINDS)
		return;
	*outcome = HOSTILE_SPOILT;
	snprintf(run->reason, HOSTILE_REASON_SIZE,
		 "%llu hostile frames are fewer than their %u kinds: use a greater --hostile-load or --duration",
		 (unsigned long long)measurement->hostile.frames, MLR_HOSTILE_KINDS);
}

/* Perform the trial alone, until nothing spoils it. Where nobody asked for its load, it is halved if the machine cannot send it. */
static enum exit_code perform_alone(struct hostile_run *run, enum hostile_outcome *ret_outcome)
{
	enum exit_code code = EXIT_DONE;

	*ret_outcome = HOSTILE_SPOILT;
	for (int i = 0; i < TRIES && code == EXIT_DONE && *ret_outcome != HOSTILE_EXACT; i++) {
		measurement_auto_t measurement = { 0 };

		code = perform(run, 0, &measurement, ret_outcome);
		if (code == EXIT_DONE) {
			json_auto_t *trial = report_trial(&measurement);

			json_object_set(run->json, "alone", json_object_get(trial, "counts"));
		}
		if (*ret_outcome == HOSTILE_SPOILT && run->config->load.unit == LOAD_UNSET && i < TRIES - 1)
			run->input.load_fps /= 2;
	}
	return code;
}

/* The kinds stay with the trial until one is certified. */
static void keep(struct hostile_run *run, const struct measurement *measurement, double asked_fps,
		 enum hostile_outcome outcome)
{
	json_t *trial = trial_json(measurement, asked_fps, outcome, outcome == HOSTILE_EXACT ? "" : run->reason);

	json_put(trial, "kinds", kinds_json(measurement));
	json_put(trial, "counted", counted_json(measurement));
	json_array_append_new(run->trials, trial);
}

/* Return the exact trial of the largest rate that is below every rate that the receiver did not take; NULL: there is none. A
 * sender that stalls may miss frames at a small rate, and then no larger one is certified. */
static json_t *taken(const struct hostile_run *run)
{
	double most_fps = 0;
	json_t *found = NULL;

	json_each (trial, run->trials) {
		double fps = read_number(trial, "hostile_rate");

		if (!read_truth(trial, "exact") || fps <= most_fps || (run->missed_fps > 0 && fps >= run->missed_fps))
			continue;
		most_fps = fps;
		found = trial;
	}
	return found;
}

static double taken_fps(const struct hostile_run *run)
{
	const json_t *trial = taken(run);

	return trial ? read_number(trial, "hostile_rate") : 0;
}

/* Tell the kinds of the certified trial, or of the last one if none is. */
static void tell_kinds(struct hostile_run *run)
{
	static const char *const names[] = { "kinds", "counted" };
	size_t count = json_array_size(run->trials);
	json_t *told = taken(run) ?: json_array_get(run->trials, count - 1);

	for (size_t i = 0; i < COUNT(names) && told; i++)
		json_object_set(run->json, names[i], json_object_get(told, names[i]));
	json_each (trial, run->trials)
		for (size_t i = 0; i < COUNT(names); i++)
			json_object_del(trial, names[i]);
}

/* Perform the trial beside hostile frames, again where that says nothing. On a busy machine a receiver misses frames now and then,
 * so that is tried again, too. *ret_rate_fps is the rate of the exact trial, or else the largest one. */
static enum exit_code perform_beside(struct hostile_run *run, double hostile_fps, double *ret_rate_fps,
				     enum hostile_outcome *ret_outcome)
{
	/* An unpaced sender has to send less. */
	int misses = isfinite(hostile_fps) ? MISSES : 1, tries = TRIES;
	double fps;
	enum exit_code code;

	*ret_rate_fps = 0;
	do {
		measurement_auto_t measurement = { 0 };

		code = perform(run, hostile_fps, &measurement, ret_outcome);
		if (code != EXIT_DONE)
			break;
		want_all_kinds(run, &measurement, ret_outcome);
		if (*ret_outcome != HOSTILE_EXACT)
			run->is_unsent = measurement.verdict.unsent > 0;
		fps = rate_fps(&measurement.hostile);
		*ret_rate_fps = *ret_outcome == HOSTILE_EXACT ? fps : fmax(*ret_rate_fps, fps);
		run->was_full = measurement.hostile.busy > 0;
		keep(run, &measurement, hostile_fps, *ret_outcome);
		misses -= *ret_outcome == HOSTILE_MISSED;
		tries -= *ret_outcome == HOSTILE_SPOILT;
	} while (*ret_outcome != HOSTILE_EXACT && *ret_outcome != HOSTILE_WRONG && misses && tries);
	return code;
}

/* Whether the limit of the receiver is known well enough. */
static bool is_found(const struct hostile_run *run)
{
	double fps = taken_fps(run);

	return fps > 0 && (run->missed_fps <= 0 || run->missed_fps < fps * CLOSE_RATIO);
}

/* Find out how many hostile frames the receiver takes, from `hostile_fps` downwards if `may_fall`. */
static enum exit_code search(struct hostile_run *run, double hostile_fps, bool may_fall, enum hostile_outcome *ret_outcome)
{
	while (json_array_size(run->trials) < TRIALS_MOST) {
		double found_fps = 0;
		enum exit_code code = perform_beside(run, hostile_fps, &found_fps, ret_outcome);

		if (code != EXIT_DONE || *ret_outcome == HOSTILE_WRONG)
			return code;
		if (*ret_outcome != HOSTILE_EXACT)
			run->missed_fps = run->missed_fps > 0 ? fmin(run->missed_fps, found_fps) : found_fps;
		if (!may_fall || is_found(run))
			break;
		hostile_fps = taken(run) ? (taken_fps(run) + run->missed_fps) / 2 : run->missed_fps / SEARCH_RATIO;
	}
	if (taken(run))
		*ret_outcome = HOSTILE_EXACT;
	else if (*ret_outcome == HOSTILE_EXACT)
		*ret_outcome = HOSTILE_MISSED; /* Fewer frames were missed before. */
	return EXIT_DONE;
}

/* The load of hostile frames that was asked for; INFINITY: as many as can be. */
static enum exit_code asked_load(const struct config *config, double line_rate_fps, double *ret_fps)
{
	*ret_fps = INFINITY;
	if (config->hostile_load.unit == LOAD_UNSET || config->hostile_load.unit == LOAD_MAX)
		return EXIT_DONE;
	return option_load_fps(config, "hostile-load", &config->hostile_load, line_rate_fps, ret_fps);
}

/* What limits the rate that is certified, or because of what none is. */
static const char *limited_by(const struct hostile_run *run, double asked_fps, enum hostile_outcome outcome)
{
	bool is_asked = isfinite(asked_fps);

	if (outcome == HOSTILE_EXACT && is_asked)
		return "option";
	if (outcome == HOSTILE_WRONG || (outcome == HOSTILE_SPOILT && !run->is_unsent))
		return "counts";
	if (run->missed_fps > 0 || outcome != HOSTILE_EXACT)
		return run->is_unsent ? "transmitter" : "receiver";
	return run->was_full ? "port" : "sender";
}

static enum exit_code test_beside(struct hostile_run *run, enum hostile_outcome *ret_outcome)
{
	double hostile_fps;
	enum exit_code code = asked_load(run->config, run->frames->line_rate_fps, &hostile_fps)
				      ?: search(run, hostile_fps, !isfinite(hostile_fps), ret_outcome);

	if (code != EXIT_DONE)
		return code;
	json_put(run->json, "certified_rate", *ret_outcome == HOSTILE_EXACT ? taken_fps(run) : NAN, "missed_rate",
		 run->missed_fps > 0 ? run->missed_fps : NAN, "limited_by", limited_by(run, hostile_fps, *ret_outcome));
	return EXIT_DONE;
}

enum exit_code hostile_test(const struct config *config, struct measurer *frames, double load_fps, json_t *json,
			    bool *ret_certified)
{
	struct hostile_run run = { .config = config,
				   .frames = frames,
				   .input = { .duration_s = config->duration_s, .load_fps = load_fps },
				   .json = json,
				   .trials = json_array() };
	enum hostile_outcome outcome = HOSTILE_SPOILT;
	enum exit_code code = perform_alone(&run, &outcome);
	bool is_alone_exact = outcome == HOSTILE_EXACT;

	if (code == EXIT_DONE && is_alone_exact)
		code = test_beside(&run, &outcome);
	tell_kinds(&run);
	*ret_certified = is_alone_exact && outcome == HOSTILE_EXACT;
	json_put(json, "load", run.input.load_fps, "trial_duration", config->duration_s, "trials", run.trials, "regular",
		 *ret_certified, "irregular_reason",
		 *ret_certified   ? NULL
		 : is_alone_exact ? run.reason
				  : TEXT_OF(HOSTILE_REASON_SIZE + 64, "without hostile frames, too: %s", run.reason));
	return code;
}
