/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/audit.h"

#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "base/message.h"
#include "measurer/measurer.h"
#include "mlr/trial.h"

#define ROUNDING            1e-9
#define RATE_ROUNDING_RATIO 1e-4 /* rounding of an external measurer's rate, as a part of the load */

static struct mlr_trial_input input_of(const json_t *trial)
{
	return (struct mlr_trial_input){ .duration_s = read_number(trial, "trial_duration"),
					 .load_fps = read_number(trial, "trial_load") };
}

/* --- counts --------------------------------------------------------------------------------------------------------- */

static bool is_counted(const json_t *counts)
{
	return json_is_integer(json_object_get(counts, "intended")) && json_is_integer(json_object_get(counts, "sent")) &&
	       json_is_integer(json_object_get(counts, "received"));
}

static struct mlr_trial_counts counts_of(const json_t *counts)
{
	return (struct mlr_trial_counts){ .intended = (uint64_t)read_integer(counts, "intended"),
					  .sent = (uint64_t)read_integer(counts, "sent"),
					  .received = (uint64_t)read_integer(counts, "received") };
}

static bool is_load_max(const struct audit *audit)
{
	return strcmp(read_text(json_object_get(audit->document, "configuration"), "load"), "max") == 0;
}

/* Frames that the load does not ask for. Each interface rounds by itself. */
static void audit_intended(struct audit *audit, const struct place *place, const json_t *trial,
			   const struct mlr_trial_counts *counts)
{
	struct mlr_trial_input input = input_of(trial);
	double interfaces = audit->transmitters, follows = input.load_fps * input.duration_s * interfaces;

	if (!interfaces || is_load_max(audit) || fabs((double)counts->intended - follows) <= interfaces + 1e-9 * follows)
		return;
	contradict(audit, MEMBER(MEMBER(place, "counts"), "intended"),
		   "%llu is stated, about %.0f follows from Trial Load and Trial Duration",
		   (unsigned long long)counts->intended, follows);
}

static void audit_judged(struct audit *audit, const struct place *place, const json_t *trial, const json_t *counts_json)
{
	struct mlr_trial_counts counts = counts_of(counts_json);
	struct mlr_trial_verdict verdict =
		mlr_trial_judge(read_number(trial, "trial_load"), audit->transmitters ? audit->transmitters : 1, &counts);
	const struct place *counts_place = MEMBER(place, "counts");

	audit_intended(audit, place, trial, &counts);
	audit_number(audit, counts_place, counts_json, "unsent", (double)verdict.unsent);
	audit_number(audit, counts_place, counts_json, "lost", (double)verdict.lost);
	if (!audit->transmitters)
		return;
	audit_number(audit, place, trial, "trial_loss_ratio", verdict.loss_ratio);
	if (verdict.tester_limited && json_is_false(json_object_get(trial, "tester_limited")))
		contradict(audit, MEMBER(place, "tester_limited"), "false is stated, but %llu frames stayed unsent",
			   (unsigned long long)verdict.unsent);
	if (read_truth(trial, "negative_loss") && !verdict.negative_loss)
		contradict(audit, MEMBER(place, "negative_loss"), "true is stated, false follows");
}

/* Check an external measurer's own counts: sent, received and lost. */
static void audit_partial(struct audit *audit, const struct place *place, const json_t *trial, const json_t *counts)
{
	double sent = read_number(counts, "sent"), received = read_number(counts, "received");
	struct mlr_trial_input input = input_of(trial);
	double ratio = read_number(trial, "trial_loss_ratio");

	if (isnan(sent) || isnan(received))
		return;
	audit_number(audit, MEMBER(place, "counts"), counts, "lost", sent - received);
	if (received > sent)
		contradict(audit, MEMBER(place, "counts"), "%.0f frames received are more than the %.0f sent", received,
			   sent);
	if (!measurer_counts_agree(&input, ratio, measurer_ratio_rounding(ratio), sent, sent - received))
		contradict(audit, MEMBER(place, "trial_loss_ratio"), "%g is stated, but %.0f of %.0f frames were received",
			   ratio, received, sent);
}

/* Check what else an external measurer said of the loss. */
static void audit_external(struct audit *audit, const struct place *place, const json_t *trial, const json_t *counts)
{
	double ratio = read_number(trial, "trial_loss_ratio"), sut_ratio = read_number(trial, "sut_loss_ratio");
	struct mlr_trial_input input = input_of(trial);

	if (!isnan(sut_ratio) &&
	    !measurer_sut_loss_agrees(ratio, measurer_ratio_rounding(ratio), sut_ratio, measurer_ratio_rounding(sut_ratio)))
		contradict(audit, MEMBER(place, "sut_loss_ratio"), "%g is above the trial_loss_ratio of %g", sut_ratio,
			   ratio);
	if (measurer_has_latency(json_object_get(trial, "latency")) &&
	    measurer_nothing_came(&input, ratio, read_number(counts, "received")))
		contradict(audit, MEMBER(place, "latency"), "is stated beside a trial_loss_ratio of %g: no frame came back",
			   ratio);
}

/* --- places where frames were lost ---------------------------------------------------------------------------------- */

static void audit_attribution(struct audit *audit, const struct place *place, const json_t *trial, const json_t *counts)
{
	static const char *const places[] = { "unsent",           "dropped_before_wire", "receiver_missed",
					      "receiver_damaged", "tester_burst",        "sut" };
	const json_t *attribution = json_object_get(trial, "loss_attribution");
	double sum = 0, missing = read_number(counts, "unsent") + read_number(counts, "lost");

	for (size_t i = 0; i < COUNT(places); i++)
		sum += (double)read_integer(attribution, places[i]); /* older documents lack some of them */
	if (json_is_object(attribution) && !isnan(missing) && sum != missing)
		contradict(audit, MEMBER(place, "loss_attribution"), "its places sum to %.0f frames, but %.0f are missing",
			   sum, missing);
}

/* Check that the counts of all ports are those of the trial. */
static void audit_ports(struct audit *audit, const struct place *place, const json_t *trial, const json_t *counts)
{
	const json_t *ports = json_object_get(trial, "ports");

	if (!json_array_size(ports))
		return;
	json_each_member (name, count, counts) {
		double sum = 0;

		json_each (port, ports)
			sum += read_number(json_object_get(port, "counts"), name);
		if (!isnan(sum) && json_is_number(count))
			audit_number(audit, MEMBER(place, "counts"), counts, name, sum);
	}
}

/* --- the rest ------------------------------------------------------------------------------------------------------- */

static void audit_latency(struct audit *audit, const struct place *place, const json_t *latency)
{
	static const char *const rising[] = { "min_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns" };
	double mean = read_number(latency, "mean_ns"), before = NAN;

	if (mean < read_number(latency, "min_ns") * (1 - ROUNDING) || mean > read_number(latency, "max_ns") * (1 + ROUNDING))
		contradict(audit, MEMBER(place, "mean_ns"), "%g is not between the smallest and the largest", mean);
	for (size_t i = 0; i < COUNT(rising); i++) {
		double value = read_number(latency, rising[i]);

		if (value < before * (1 - ROUNDING))
			contradict(audit, MEMBER(place, rising[i]), "%g is below the percentile before it, %g", value,
				   before);
		before = isnan(value) ? before : value;
	}
}

static void audit_intervals(struct audit *audit, const struct place *place, const json_t *intervals)
{
	json_each (interval, intervals)
		audit_number(audit, ITEM(place, interval_at), interval, "lost",
			     read_number(interval, "sent") - read_number(interval, "received"));
}

static void audit_spoilt(struct audit *audit, const struct place *place, const json_t *trial)
{
	const json_t *spoilt = json_object_get(trial, "spoilt_performances");
	const struct place *list = MEMBER(place, "spoilt_performances");

	if (!spoilt)
		return;
	audit_number(audit, place, trial, "tester_repeats", (double)json_array_size(spoilt));
	json_each (one, spoilt)
		audit_attribution(audit, ITEM(list, one_at), one, json_object_get(one, "counts"));
}

static void audit_rate(struct audit *audit, const struct place *place, const json_t *trial)
{
	double load_fps = read_number(trial, "trial_load"), rate_fps = read_number(trial, "trial_forwarding_rate");
	double follows = load_fps * (1 - read_number(trial, "trial_loss_ratio"));

	if (audit->external && fabs(rate_fps - follows) <= 1 + RATE_ROUNDING_RATIO * load_fps)
		return;
	audit_number(audit, place, trial, "trial_forwarding_rate", follows);
}

/* Audit the effective duration of trials over ports: the Trial Duration, with --effective-duration wall also the waits. */
static void audit_effective(struct audit *audit, const struct place *place, const json_t *trial)
{
	const char *option = read_text(json_object_get(audit->document, "configuration"), "effective-duration");
	const char *measurer = read_text(json_object_get(audit->document, "measurer"), "name");

	if (is_one_of(measurer, "xdp mpi") && strcmp(option, "trial") == 0)
		audit_number(audit, place, trial, "trial_effective_duration", read_number(trial, "trial_duration"));
}

static void audit_limit(struct audit *audit, const struct place *place, const json_t *trial)
{
	const json_t *limited = json_object_get(trial, "tester_limited"),
		     *reason = json_object_get(trial, "tester_limited_reason");

	if (json_is_boolean(limited) && reason && json_is_true(limited) != json_is_string(reason))
		contradict(audit, MEMBER(place, "tester_limited"), "%s is stated %s a tester_limited_reason",
			   json_is_true(limited) ? "true" : "false", json_is_string(reason) ? "beside" : "without");
}

void audit_trial(struct audit *audit, const struct place *place, const json_t *trial)
{
	const json_t *counts = json_object_get(trial, "counts");

	if (is_counted(counts))
		audit_judged(audit, place, trial, counts);
	else if (json_is_object(counts))
		audit_partial(audit, place, trial, counts);
	if (audit->external)
		audit_external(audit, place, trial, counts);
	audit_attribution(audit, place, trial, counts);
	audit_ports(audit, place, trial, counts);
	audit_rate(audit, place, trial);
	audit_effective(audit, place, trial);
	audit_limit(audit, place, trial);
	audit_latency(audit, MEMBER(place, "latency"), json_object_get(trial, "latency"));
	audit_intervals(audit, MEMBER(place, "intervals"), json_object_get(trial, "intervals"));
	audit_spoilt(audit, place, trial);
	audit_bps(audit, place, trial, "trial_load");
	audit_bps(audit, place, trial, "trial_forwarding_rate");
}

void audit_trials(struct audit *audit, const struct place *place, const json_t *trials)
{
	json_each (trial, trials)
		audit_trial(audit, ITEM(place, trial_at), trial);
}
