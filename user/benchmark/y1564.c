/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/y1564.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/units.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "measurer/apart.h"
#include "progress/progress.h"
#include "result/report.h"

#define UNSENT_RATIO 0.01 /* most unsent part of a trial that still says something of the SUT */
#define GRACE_S      1e-3 /* time after its end in which frames of a performance test may still be sent */

/* One service while it is tested. */
struct run {
	struct suite_part part;
	struct y1564 *suite;
	const struct service *options;
	double frame_size_octets; /* mean size of its frames, */
	bool has_mix;             /* which are of several sizes */
	struct mlr_y1564_service service;
	json_t *json;           /* JSON of the service */
	bool failed, undecided; /* outcome of the running test */
};

/* The services whose performance is tested at once. */
struct joint {
	struct suite_part part;
	unsigned int count;
	struct run *runs[SERVICES_MAX];
	json_t *results[SERVICES_MAX]; /* results of each service */
	double load_fps;               /* load of all services */
};

static bool is_wanted(const struct config *config, enum y1564_test test)
{
	return config->tests >> test & 1;
}

/* --- verdicts ----------------------------------------------------------------------------------------------------------- */

static json_t *faults_json(unsigned int faults)
{
	static const char *const names[MLR_Y1564_FAULTS] = { "loss",         "delay",      "delay_max", "variation",
							     "availability", "too_little", "too_much",  "unknown" };

	return json_list(i, MLR_Y1564_FAULTS, faults >> i & 1 ? json_string(names[i]) : NULL);
}

/* --- directions ----------------------------------------------------------------------------------------------------------- */

static const char *const figure_names[MLR_Y1564_FIGURES] = {
	[MLR_Y1564_RECEIVED_FPS] = "received_rate",      [MLR_Y1564_LOSS_RATIO] = "loss_ratio",
	[MLR_Y1564_DELAY_NS] = "delay_mean_ns",          [MLR_Y1564_DELAY_MAX_NS] = "delay_max_ns",
	[MLR_Y1564_VARIATION_NS] = "delay_variation_ns", [MLR_Y1564_AVAILABILITY_RATIO] = "availability_ratio",
};

/* The counts of a service in one direction, and the verdict on them. */
struct judged {
	struct mlr_y1564_availability found; /* availability in a performance test */
	struct mlr_y1564_outcome outcome;
	double came_octets; /* mean size of the frames that came; NAN: not known */
	unsigned int faults;
	enum mlr_y1564_verdict verdict;
	json_t *json;
};

/* Compute the outcome of a service in one direction. The received rate is that of a load per interface. If there was
 * unavailability, the loss is that of the other time. */
static struct mlr_y1564_outcome outcome_of(const struct measurement *measurement, const struct service_counts *counts,
					   const struct mlr_y1564_availability *found, double load_fps)
{
	uint64_t sent = found->unavailable ? found->available_sent : counts->sent;
	uint64_t lost = found->unavailable                ? found->available_lost
			: counts->sent > counts->received ? counts->sent - counts->received
							  : 0;
	uint64_t excused = measurement->tester_limited ? counts->tester_lost : 0;

	lost -= excused < lost ? excused : lost;
	return (struct mlr_y1564_outcome){
		.received_fps = counts->intended ? load_fps * (double)counts->received / (double)counts->intended : NAN,
		.loss_ratio = sent ? (double)lost / (double)sent : NAN,
		.delay_ns = counts->timed ? counts->latency_mean_ns : NAN,
		.delay_max_ns = counts->timed ? (double)counts->latency_max_ns : NAN,
		.variation_ns = counts->timed ? counts->pdv_p99_9_ns : NAN,
		.variation_error_ns = counts->timed ? counts->pdv_p99_9_error_ns : NAN,
		.availability_ratio = found->ratio,
	};
}

/* Whether the verdict is the SUT's: a trial in which the tester was the limit shows no fault of it, and none that it does not have
 * where much was left unsent. */
static enum mlr_y1564_verdict verdict_on(const struct measurement *measurement, const struct service_counts *counts,
					 unsigned int faults)
{
	double intended = (double)counts->intended;

	if (measurement->tester_limited && (faults || intended - (double)counts->sent > UNSENT_RATIO * intended))
		return MLR_Y1564_UNDECIDED;
	return faults ? MLR_Y1564_FAILED : MLR_Y1564_PASSED;
}

static json_t *passed_json(enum mlr_y1564_verdict verdict)
{
	return verdict == MLR_Y1564_UNDECIDED ? json_null() : json_boolean(verdict == MLR_Y1564_PASSED);
}

/* Return the mean size of the frames of a service that came in a direction. Of a mix of which some are lost, only those of a service
 * by itself are known. NAN: they are not. */
static double came_octets(const struct run *run, const struct measurement *measurement, size_t direction,
			  const struct service_counts *counts)
{
	const struct port_counts *port = &measurement->ports[measurement->directions[direction].to];

	if (!run->has_mix || !counts->received || counts->received == counts->sent)
		return run->frame_size_octets;
	return measurement->service_count == 1 ? (double)port->received_octets / (double)port->counts.received : NAN;
}

/* Put into an object what was measured, and the verdict. */
static void put_outcome(json_t *json, const struct mlr_y1564_outcome *outcome, double came_octets, unsigned int faults,
			enum mlr_y1564_verdict verdict, bool within_error)
{
	json_put(json, "received_rate", outcome->received_fps);
	json_put(json, "loss_ratio", outcome->loss_ratio);
	json_put(json, "delay_mean_ns", outcome->delay_ns);
	json_put(json, "delay_max_ns", outcome->delay_max_ns);
	json_put(json, "delay_variation_ns", outcome->variation_ns);
	json_put(json, "delay_variation_error_ns", outcome->variation_error_ns);
	json_put(json, "delay_variation_within_error", within_error);
	json_put(json, "passed", passed_json(verdict));
	json_put(json, "faults", faults_json(faults));
	report_add_bps(json, "received_rate", outcome->received_fps, came_octets);
}

static json_t *counts_json(const struct service_counts *counts)
{
	json_t *json = json_of_members(counts, sent, received);

	json_put(json, "lost", (int64_t)(counts->sent - counts->received));
	return json;
}

/* Return the direction of each figure, as an object. A figure that is the same in all directions has none. */
static json_t *worst_json(const struct measurement *measurement, const size_t which[MLR_Y1564_FIGURES])
{
	json_t *json = json_object();

	for (enum mlr_y1564_figure figure = 0; figure < MLR_Y1564_FIGURES; figure++)
		if (which[figure] < measurement->direction_count)
			json_put(json, figure_names[figure], report_direction(measurement, which[figure]));
	return json;
}

/* Warn of each direction whose variation may really be on the other side of what was agreed. */
static void warn_of_variation(const struct run *run, const struct measurement *measurement,
			      const struct mlr_y1564_outcome *outcomes, double agreed_ns)
{
	for (size_t i = 0; i < measurement->direction_count; i++) {
		const struct mlr_y1564_outcome *outcome = &outcomes[i];
		json_auto_t *direction = report_direction(measurement, i);

		if (mlr_y1564_variation_within_error(outcome, 1, agreed_ns))
			warn("service %s, from %s to %s: the delay variation of %s ns may be off by %s ns, and %s ns are "
			     "agreed: the verdict on it may be wrong",
			     run->options->name, read_text(direction, "from"), read_text(direction, "to"),
			     format_number(outcome->variation_ns, UNIT_ROOM),
			     format_number(outcome->variation_error_ns, UNIT_ROOM), format_number(agreed_ns, UNIT_ROOM));
	}
}

/* Put each direction into "directions", and beside it the worst figures, all faults and the verdict on all of them. It takes
 * over what is in the rows. The variation is compared with the agreed one (NAN: it is not). */
static void put_directions(struct run *run, const struct measurement *measurement, struct judged *rows, double agreed_ns,
			   json_t *json)
{
	struct mlr_y1564_outcome outcomes[MLR_PORTS_MAX], worst;
	enum mlr_y1564_verdict verdicts[MLR_PORTS_MAX], verdict;
	unsigned int faults[MLR_PORTS_MAX], all = 0;
	size_t count = measurement->direction_count, which[MLR_Y1564_FIGURES];
	json_t *list = json_array();
	bool within_error;

	for (size_t i = 0; i < count; i++) {
		outcomes[i] = rows[i].outcome;
		verdicts[i] = rows[i].verdict;
		all |= faults[i] = rows[i].faults;
		put_outcome(rows[i].json, &rows[i].outcome, rows[i].came_octets, rows[i].faults, rows[i].verdict,
			    mlr_y1564_variation_within_error(&rows[i].outcome, 1, agreed_ns));
		json_array_append_new(list, rows[i].json);
	}
	worst = mlr_y1564_worst(outcomes, faults, count, which);
	verdict = mlr_y1564_verdict(verdicts, count);
	within_error = mlr_y1564_variation_within_error(outcomes, count, agreed_ns);
	put_outcome(json, &worst, rows[which[MLR_Y1564_RECEIVED_FPS] % count].came_octets, all, verdict, within_error);
	if (within_error)
		warn_of_variation(run, measurement, outcomes, agreed_ns);
	json_put(json, "directions", list);
	json_put(json, "worst_direction", worst_json(measurement, which));
	run->failed |= verdict == MLR_Y1564_FAILED;
	run->undecided |= verdict == MLR_Y1564_UNDECIDED;
}

static json_t *direction_json(const struct measurement *measurement, size_t number, const struct service_counts *counts)
{
	json_t *json = report_direction(measurement, number);

	json_put(json, "counts", counts_json(counts));
	return json;
}

/* Return the verdict on a test. */
static json_t *verdict_json(const struct run *run, enum exit_code code)
{
	if (run->failed)
		return json_false();
	return code == EXIT_DONE && !run->undecided ? json_true() : json_null();
}

/* --- service configuration test ------------------------------------------------------------------------------------------- */

/* Return the outcome by which a service is judged whose CIR was agreed in bit/s: of a mix as much has to come as so many frames of
 * the mean size have. */
static struct mlr_y1564_outcome in_agreed_unit(const struct run *run, struct mlr_y1564_outcome outcome, double octets)
{
	double mean_octets = run->frame_size_octets;

	if (run->options->cir.unit == LOAD_BPS_L2)
		outcome.received_fps *= octets / mean_octets;
	else if (run->options->cir.unit == LOAD_BPS_L1)
		outcome.received_fps *= l1_bps(1, octets) / l1_bps(1, mean_octets);
	return outcome;
}

/* A step has no seconds, so its availability is not known. */
static void judge_step(struct run *run, const struct mlr_y1564_step *step, const struct measurement *measurement,
		       json_t *json)
{
	static const struct mlr_y1564_availability unknown = { .ratio = NAN };
	struct judged rows[MLR_PORTS_MAX];

	for (size_t i = 0; i < measurement->direction_count; i++) {
		const struct service_counts *counts = &measurement->services[i];
		struct mlr_y1564_outcome outcome = outcome_of(measurement, counts, &unknown, step->load_fps);
		double octets = came_octets(run, measurement, i, counts);
		struct mlr_y1564_outcome agreed = in_agreed_unit(run, outcome, octets);
		unsigned int faults = mlr_y1564_judge_step(&run->service, step, &agreed);

		rows[i] = (struct judged){ .outcome = outcome,
					   .came_octets = octets,
					   .faults = faults,
					   .verdict = verdict_on(measurement, counts, faults),
					   .json = direction_json(measurement, i, counts) };
	}
	/* Other steps go by how much comes through. */
	put_directions(run, measurement, rows, step->kind == MLR_Y1564_CIR ? run->service.sla.variation_ns : NAN, json);
}

static enum exit_code take_step(struct run *run, const struct mlr_y1564_step *step, json_t *steps, json_t *trials)
{
	static const char *const kinds[] = { "cir", "eir", "policing" };
	measurement_auto_t measurement = { 0 };
	json_t *json;
	enum exit_code code = suite_trial(&run->part, step->load_fps, run->part.config->step_duration_s, &measurement);

	if (code != EXIT_DONE)
		return code;
	json = json_with("step", kinds[step->kind], "load", step->load_fps, "load_ratio",
			 step->load_fps / run->service.cir_fps, "received_rate_min", step->least_fps, "received_rate_max",
			 step->most_fps, "tester_limited", measurement.tester_limited);
	report_add_bps(json, "load", step->load_fps, run->frame_size_octets);
	judge_step(run, step, &measurement, json);
	run->part.tester_limited |= measurement.tester_limited;
	json_array_append_new(steps, json);
	json_array_append_new(trials, report_trial(&measurement));
	return EXIT_DONE;
}

/* Say why a test has no verdict. */
static void note_undecided(struct suite_part *part, const struct run *run)
{
	if (run->undecided && !run->failed)
		part->reason = "the tester itself was the limit where this would have been decided";
}

/* Whether no link carries the load of a policing step. That it is left out is said. */
static bool is_beyond_link(const struct run *run, const struct mlr_y1564_step *policing)
{
	double line_fps = run->part.measurer->line_rate_fps;

	if (line_fps <= 0 || policing->load_fps <= line_fps)
		return false;
	append_sentence(json_object_get(run->suite->common.setting, "deviations"),
			"ITU-T Y.1564 8.1: no policing step for '%s': its %g frames/s are more than the link carries, %g.",
			run->options->name, policing->load_fps, line_fps);
	return true;
}

static enum exit_code test_configuration(void *context, json_t *json)
{
	struct run *run = context;
	const struct config *config = run->part.config;
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];
	size_t count = mlr_y1564_steps(&run->service, config->cir_steps, config->cir_step_count, steps);
	json_t *list = json_array(), *trials = json_array();
	enum exit_code code = EXIT_DONE;

	if (is_beyond_link(run, &steps[count - 1]))
		count--;
	for (size_t i = 0; i < count && code == EXIT_DONE; i++)
		code = take_step(run, &steps[i], list, trials);
	json_put(json, "step_duration", config->step_duration_s, "passed", verdict_json(run, code), "steps", list, "trials",
		 trials);
	note_undecided(&run->part, run);
	return code;
}

/* --- service performance test --------------------------------------------------------------------------------------------- */

static json_t *seconds_json(const uint64_t *frames, size_t count)
{
	return json_list(i, count, json_integer((json_int_t)frames[i]));
}

static void put_seconds(json_t *json, const struct service_counts *counts, size_t seconds)
{
	json_put(json, "due_by_second", seconds_json(counts->due_in, seconds));
	json_put(json, "received_by_second", seconds_json(counts->received_in, seconds));
}

static void put_availability(json_t *json, const struct mlr_y1564_availability *found)
{
	json_put(json, "seconds", found->seconds);
	json_put(json, "severely_errored_seconds", found->severely_errored);
	json_put(json, "unavailable_seconds", found->unavailable);
	json_put(json, "availability_ratio", found->ratio);
}

/* Add the frames of another direction. */
static void add_counts(struct service_counts *sum, const struct service_counts *more, size_t seconds)
{
	sum->sent += more->sent;
	sum->received += more->received;
	for (size_t i = 0; i < seconds; i++) {
		sum->due_in[i] += more->due_in[i];
		sum->received_in[i] += more->received_in[i];
	}
}

/* Put the sums of all directions into the object. Verdicts are on each direction by itself. It adds to the first row of counts, so
 * this comes last. */
static void put_sums(json_t *json, const struct measurement *measurement, struct service_counts *rows,
		     const struct judged *judged)
{
	struct mlr_y1564_availability worst = judged->found;

	for (size_t i = 1; i < measurement->direction_count; i++) {
		const struct mlr_y1564_availability *found = &judged[i].found;

		add_counts(rows, &rows[i], measurement->second_count);
		worst.severely_errored =
			found->severely_errored > worst.severely_errored ? found->severely_errored : worst.severely_errored;
		worst.unavailable = found->unavailable > worst.unavailable ? found->unavailable : worst.unavailable;
		worst.ratio = fmin(worst.ratio, found->ratio);
	}
	json_put(json, "counts", counts_json(rows));
	put_availability(json, &worst);
	put_seconds(json, rows, measurement->second_count);
}

static void judge_performance(struct joint *joint, unsigned int number, const struct measurement *measurement, bool is_whole)
{
	size_t count = measurement->direction_count, seconds = measurement->second_count;
	struct service_counts *rows = &measurement->services[number * count];
	struct run *run = joint->runs[number];
	json_t *json = joint->results[number];
	double load_fps = read_number(json, "load");
	struct judged judged[MLR_PORTS_MAX];

	for (size_t i = 0; i < count; i++) {
		struct judged *here = &judged[i];

		*here = (struct judged){ .found = mlr_y1564_availability(rows[i].due_in, rows[i].received_in, seconds),
					 .came_octets = came_octets(run, measurement, i, &rows[i]),
					 .json = direction_json(measurement, i, &rows[i]) };
		here->outcome = outcome_of(measurement, &rows[i], &here->found, load_fps);
		here->faults = mlr_y1564_judge_performance(&run->service, &here->outcome);
		here->verdict = is_whole ? verdict_on(measurement, &rows[i], here->faults) : MLR_Y1564_UNDECIDED;
		put_availability(here->json, &here->found);
		if (count > 1) /* The figures of a single direction stand beside the list. */
			put_seconds(here->json, &rows[i], seconds);
	}
	put_directions(run, measurement, judged, run->service.sla.variation_ns, json);
	put_sums(json, measurement, rows, judged);
}

static enum exit_code test_performance(void *context, json_t *json)
{
	struct joint *joint = context;
	double duration_s = joint->part.config->duration_s;
	struct load_steps steps = {
		.load_fps = joint->load_fps,
		.frame_count = (uint64_t)fmax(1, round(joint->load_fps * duration_s)),
		.grace_s = GRACE_S,
		.links_may_change = true, /* a link that is lost is no less unavailable */
		.keeps_part = true,       /* A performance test may have lasted for a day. */
	};
	measurement_auto_t measurement = { 0 };
	enum exit_code code;

	json_put(json, "load", joint->load_fps, "trial_duration", duration_s, "trials", json_array());
	code = suite_steps(&joint->part, &steps, &measurement);
	if (code != EXIT_DONE)
		return code;
	if (steps.ret_is_part)
		json_put(json, "trial_duration", measurement.result.input.duration_s);
	for (unsigned int i = 0; i < joint->count; i++) {
		judge_performance(joint, i, &measurement, !steps.ret_is_part);
		note_undecided(&joint->part, joint->runs[i]);
	}
	joint->part.tester_limited = measurement.tester_limited;
	json_array_append_new(json_object_get(json, "trials"), report_trial(&measurement));
	return steps.ret_is_part ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* --- time --------------------------------------------------------------------------------------------------------------------- */

/* Estimate the time of a configuration test. */
static double configuration_s(const struct config *config, const struct service *service)
{
	unsigned int steps = config->cir_step_count + (service->eir.value > 0) + 1;

	return is_wanted(config, Y1564_CONFIGURATION) ? steps * (config->step_duration_s + waits_always_s(&config->waits))
						      : 0;
}

static double performance_s(const struct config *config)
{
	return is_wanted(config, Y1564_PERFORMANCE) ? config->duration_s + waits_always_s(&config->waits) : 0;
}

/* Estimate the time of the services from this one on. */
static double services_s(const struct config *config, unsigned int first)
{
	double duration_s = performance_s(config);

	for (unsigned int i = first; i < config->service_count; i++)
		duration_s += configuration_s(config, &config->services[i]);
	return duration_s;
}

double y1564_duration_s(const struct config *config)
{
	double duration_s = services_s(config, 0);

	return config->max_time_s > 0 ? fmin(config->max_time_s, duration_s) : duration_s;
}

/* --- services --------------------------------------------------------------------------------------------------------------------- */

static double ns_of(double duration_s)
{
	return duration_s * (double)NS_PER_S;
}

static struct mlr_y1564_service agreement(const struct service *asked, const struct service_rates *rates)
{
	return (struct mlr_y1564_service){
		.cir_fps = rates->cir_fps,
		.eir_fps = rates->eir_fps,
		.margin_ratio = asked->margin_ratio,
		.sla = { .loss_ratio = asked->loss_ratio,
			 .delay_ns = ns_of(asked->delay_s),
			 .delay_max_ns = ns_of(asked->delay_max_s),
			 .variation_ns = ns_of(asked->variation_s),
			 .availability_ratio = asked->availability_ratio },
	};
}

static json_t *vlans_json(const struct config *config)
{
	return json_list(i, config->vlan_count,
			 json_with("id", config->vlans[i].control & 0xfff, "priority", config->vlans[i].control >> 13));
}

/* Write a rate as it was agreed, in its unit. */
static json_t *agreed_json(const struct load_spec *rate)
{
	static const char *const units[] = { [LOAD_FPS] = "frames/s",
					     [LOAD_BPS_L1] = "bit/s of the line",
					     [LOAD_BPS_L2] = "bit/s",
					     [LOAD_LINE_RATIO] = "of the line rate" };

	return json_with("value", rate->value, "unit", units[rate->unit]);
}

static json_t *service_json(const struct run *run, const struct config *config)
{
	const struct mlr_y1564_service *service = &run->service;
	const struct mlr_y1564_sla *sla = &service->sla;
	json_t *json =
		json_with("name", run->options->name, "frame_size", config->frame_size_text, "frame_size_octets",
			  config->frame_size_octets, "vlans", vlans_json(config), "dscp", (int)run->options->dscp, "cir",
			  service->cir_fps, "eir", service->eir_fps, "margin_ratio", service->margin_ratio, "sla",
			  json_with("loss_ratio", isnan(sla->loss_ratio) ? 0 : sla->loss_ratio, "delay_mean_ns",
				    sla->delay_ns, "delay_max_ns", sla->delay_max_ns, "delay_variation_ns",
				    sla->variation_ns, "availability_ratio", sla->availability_ratio),
			  "configuration", json_null(), "performance", json_null());

	report_add_bps(json, "cir", service->cir_fps, config->frame_size_octets);
	report_add_bps(json, "eir", service->eir_fps, config->frame_size_octets);
	json_put(json, "cir_agreed", agreed_json(&run->options->cir));
	json_put(json, "eir_agreed", agreed_json(&run->options->eir));
	return json;
}

/* Make the configuration test, and take its result over, whole or not. */
static enum exit_code configure_service(struct run *run)
{
	const struct config *config = run->suite->common.config;
	unsigned int number = (unsigned int)(run->options - config->services) + 1;
	json_t *json = json_object();
	char label[MLR_GOAL_NAME_SIZE + 32];
	enum exit_code code;
	const char *stage = TEXT_OF(VIEW_STAGE_SIZE, "service %u of %u, configuration", number, config->service_count);

	suite_stage(&run->part, stage, configuration_s(config, run->options), services_s(config, number));
	snprintf(label, sizeof(label), "%s: configuration", run->options->name);
	note("%s", label);
	code = suite_test(&run->part, label, test_configuration, run, json);
	run->suite->failed |= run->failed;
	run->suite->undecided |= run->undecided;
	json_put(run->json, "configuration", json);
	return code;
}

/* Put all services into the document once the first one's measurer is open, for then the link is known. */
static enum exit_code begin_services(struct run *first, struct service_rates *rates)
{
	struct y1564 *suite = first->suite;
	const struct config *all = suite->common.config;
	enum exit_code code;

	suite->link_bps = l1_bps(first->part.measurer->line_rate_fps, first->part.config->frame_size_octets);
	code = services_rates(all, suite->link_bps, rates);

	for (unsigned int i = 0; i < all->service_count && code == EXIT_DONE; i++) {
		struct run *run = &first[i];
		struct config config;

		code = config_for_service(all, run->options, &config);
		if (code != EXIT_DONE)
			break;
		run->service = agreement(run->options, &rates[i]);
		run->frame_size_octets = config.frame_size_octets;
		run->has_mix = config.sizes.size_count > 1;
		run->json = service_json(run, &config);
		json_array_append_new(suite->services, run->json);
	}
	return code;
}

/* Test a service with a measurer of its own. If the measurer would only be opened, the first one alone is. */
static enum exit_code measure_service(struct run *run, struct service_rates *rates)
{
	struct suite *suite = &run->suite->common;
	bool is_first = run->options == suite->config->services;
	const struct part_name part = { .kind = PART_SERVICE,
					.number = (unsigned int)(run->options - suite->config->services) };
	struct config config;
	enum exit_code code;

	if (!is_first && !is_wanted(suite->config, Y1564_CONFIGURATION))
		return EXIT_DONE;
	code = config_for_service(suite->config, run->options, &config);
	if (code != EXIT_DONE)
		return code;
	run->part = (struct suite_part){ .suite = suite, .config = &config };
	suite_take_earlier(suite, &config);
	code = measurer_new_part(&config, &part, &run->part.measurer);
	if (code == EXIT_DONE && is_first)
		code = begin_services(run, rates);
	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		suite_keep_setting(&run->part);
	if (code == EXIT_DONE && is_wanted(&config, Y1564_CONFIGURATION))
		code = configure_service(run);
	suite_end_part(&run->part);
	return code;
}

/* Add the performance of a service, once the test is over for all, whole or not. */
static void share_result(const struct joint *joint, const json_t *json, enum exit_code code)
{
	static const char *const members[] = { "trial_duration", "tester_limited", "duration", "repeated_trials" };

	for (unsigned int i = 0; i < joint->count; i++) {
		const struct run *run = joint->runs[i];
		json_t *result = joint->results[i];
		const char *reason = code != EXIT_DONE || (run->undecided && !run->failed) ? joint->part.reason : NULL;

		for (size_t j = 0; j < COUNT(members); j++)
			json_object_set(result, members[j], json_object_get(json, members[j]));
		json_put(result, "regular", json_boolean(!reason), "irregular_reason", reason);
		if (!json_object_get(result, "passed"))
			json_put(result, "passed", json_null());
		run->suite->failed |= run->failed;
		run->suite->undecided |= run->undecided;
		json_put(run->json, "performance", result);
	}
}

static enum exit_code measure_together(struct y1564 *suite, unsigned int which, struct joint *joint)
{
	const struct part_name part = { .kind = PART_SERVICES, .number = which, .link_bps = suite->link_bps };
	const struct config *config = suite->common.config;
	enum exit_code code = measurer_new_part(joint->part.config, &part, &joint->part.measurer);

	if (code == EXIT_DONE) {
		suite->performance = json_object();
		suite_stage(&joint->part, "performance", performance_s(config), 0);
		note("performance of %u service%s", joint->count, joint->count > 1 ? "s at once" : "");
		code = suite_test(&joint->part, "performance", test_performance, joint, suite->performance);
		share_result(joint, suite->performance, code);
	}
	suite_end_part(&joint->part);
	return code;
}

/* Test the performance of all services that are not known to be configured otherwise than agreed. */
static enum exit_code test_together(struct y1564 *suite, struct run *runs, struct service_rates *rates)
{
	const struct config *config = suite->common.config;
	struct mlr_service_frames frames[SERVICES_MAX];
	struct joint joint = { .part = { .suite = &suite->common } };
	struct config together;
	unsigned int which = 0;
	enum exit_code code;

	for (unsigned int i = 0; i < config->service_count; i++) {
		if (runs[i].failed) {
			note("%s: no performance test of a service that is not configured as agreed", runs[i].options->name);
			continue;
		}
		runs[i].failed = runs[i].undecided = false;
		which |= 1u << i;
		joint.runs[joint.count++] = &runs[i];
	}
	if (!joint.count)
		return EXIT_DONE;
	code = config_for_services(config, which, rates, frames, &together, &joint.load_fps);
	if (code != EXIT_DONE)
		return code;
	for (unsigned int i = 0; i < joint.count; i++) {
		double load_fps = rates[joint.runs[i] - runs].load_fps;

		joint.results[i] = json_with("load", load_fps);
		report_add_bps(joint.results[i], "load", load_fps, joint.runs[i]->frame_size_octets);
	}
	suite_take_earlier(&suite->common, &together);
	joint.part.config = &together;
	return measure_together(suite, which, &joint);
}

enum exit_code y1564_run(const struct config *config, struct y1564 *ret)
{
	struct run runs[SERVICES_MAX] = { 0 };
	struct service_rates rates[SERVICES_MAX];
	enum exit_code code = EXIT_DONE;

	*ret = (struct y1564){ .common = suite_begin(config), .services = json_array() };
	for (unsigned int i = 0; i < config->service_count; i++)
		runs[i] = (struct run){ .suite = ret, .options = &config->services[i] };
	for (unsigned int i = 0; i < config->service_count && code == EXIT_DONE; i++)
		code = measure_service(&runs[i], rates);
	if (code == EXIT_DONE && is_wanted(config, Y1564_PERFORMANCE))
		code = test_together(ret, runs, rates);
	code = suite_end(&ret->common, code);
	return code == EXIT_DONE && ret->failed ? EXIT_UNMET : code;
}

void y1564_free(struct y1564 *suite)
{
	json_decref(suite->services);
	json_decref(suite->performance);
	json_decref(suite->common.setting);
}
