/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/y1564.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/units.h"
#include "benchmark/y1564_seconds.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "progress/progress.h"
#include "result/report.h"

#define UNSENT_RATIO 0.01 /* of a trial in which the tester was the limit: with more it says nothing of the SUT */
#define GRACE_S      1e-3 /* how long after its time the last frame of a performance test may still be sent */

/* One service while it is tested. */
struct run {
	struct suite_part part;
	struct y1564 *suite;
	const struct service *options;
	struct mlr_y1564_service service;
	json_t *json;           /* of the service */
	bool failed, undecided; /* the test that runs */
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
	json_t *list = json_array();

	for (int i = 0; i < MLR_Y1564_FAULTS; i++)
		if (faults >> i & 1)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

/* What the SUT did to the frames that were sent. */
static struct mlr_y1564_outcome outcome_of(const struct run *run, const struct measurement *measurement)
{
	const struct latency_summary *latency = &measurement->latency;
	double duration_s = measurement->result.input.duration_s * run->part.measurer->transmitters;
	bool timed = measurement->has_latency && latency->count;

	return (struct mlr_y1564_outcome){
		.received_fps = (double)measurement->counts.received / duration_s,
		.loss_ratio =
			measurement->tester_limited ? measurement->sut_loss_ratio : measurement->result.output.loss_ratio,
		.delay_ns = timed ? latency->mean_ns : NAN,
		.delay_max_ns = timed ? (double)latency->max_ns : NAN,
		.variation_ns = timed ? latency->p99_9_ns - (double)latency->min_ns : NAN,
		.availability_ratio = NAN,
	};
}

/* Whether the verdict is the SUT's: a trial in which the tester was the limit shows no fault of it, and none that it does not have
 * where much was left unsent. */
static bool is_decided(const struct measurement *measurement, unsigned int faults)
{
	double intended = (double)measurement->counts.intended;

	return !measurement->tester_limited ||
	       (!faults && intended - (double)measurement->counts.sent <= UNSENT_RATIO * intended);
}

/* Put into a result what was measured of it, and the verdict. */
static void put_outcome(struct run *run, json_t *json, const struct measurement *measurement,
			const struct mlr_y1564_outcome *outcome, unsigned int faults)
{
	bool decided = is_decided(measurement, faults);

	json_object_update_new(json,
			       json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "received_rate", outcome->received_fps,
					 "loss_ratio", json_number_or_null(outcome->loss_ratio), "delay_mean_ns",
					 json_number_or_null(outcome->delay_ns), "delay_max_ns",
					 json_number_or_null(outcome->delay_max_ns), "delay_variation_ns",
					 json_number_or_null(outcome->variation_ns), "passed",
					 decided ? json_boolean(!faults) : json_null(), "faults", faults_json(faults)));
	run->part.tester_limited |= measurement->tester_limited;
	if (decided)
		run->failed |= faults != 0;
	else
		run->undecided = true;
}

/* The verdict on a test. */
static json_t *verdict_json(const struct run *run, enum exit_code code)
{
	if (run->failed)
		return json_false();
	return code == EXIT_DONE && !run->undecided ? json_true() : json_null();
}

/* --- service configuration test ------------------------------------------------------------------------------------------- */

static enum exit_code take_step(struct run *run, const struct mlr_y1564_step *step, json_t *steps, json_t *trials)
{
	static const char *const kinds[] = { "cir", "eir", "policing" };
	struct mlr_y1564_outcome outcome;
	struct measurement measurement;
	json_t *json;
	enum exit_code code = suite_trial(&run->part, step->load_fps, run->part.config->step_duration_s, &measurement);

	if (code != EXIT_DONE)
		return code;
	outcome = outcome_of(run, &measurement);
	json = json_pack("{s:s, s:f, s:f, s:o, s:o, s:b}", "step", kinds[step->kind], "load", step->load_fps, "load_ratio",
			 step->load_fps / run->service.cir_fps, "received_rate_min", json_number_or_null(step->least_fps),
			 "received_rate_max", json_number_or_null(step->most_fps), "tester_limited",
			 measurement.tester_limited);
	put_outcome(run, json, &measurement, &outcome, mlr_y1564_judge_step(&run->service, step, &outcome));
	json_array_append_new(steps, json);
	json_array_append_new(trials, report_trial(&measurement));
	measurement_free(&measurement);
	return EXIT_DONE;
}

/* What a test without verdict says. */
static void note_undecided(struct run *run)
{
	if (run->undecided && !run->failed)
		run->part.reason = "the tester itself was the limit where this would have been decided";
}

static enum exit_code test_configuration(void *context, json_t *json)
{
	struct run *run = context;
	const struct config *config = run->part.config;
	struct mlr_y1564_step steps[MLR_Y1564_STEPS_MAX];
	size_t count = mlr_y1564_steps(&run->service, config->cir_steps, config->cir_step_count, steps);
	json_t *list = json_array(), *trials = json_array();
	enum exit_code code = EXIT_DONE;

	for (size_t i = 0; i < count && code == EXIT_DONE; i++)
		code = take_step(run, &steps[i], list, trials);
	json_object_update_new(json, json_pack("{s:f, s:o, s:o, s:o}", "step_duration", config->step_duration_s, "passed",
					       verdict_json(run, code), "steps", list, "trials", trials));
	note_undecided(run);
	return code;
}

/* --- service performance test --------------------------------------------------------------------------------------------- */

static json_t *seconds_json(const struct seconds *seconds)
{
	json_t *list = json_array();

	for (size_t i = 0; i < seconds->count; i++)
		json_array_append_new(list, json_integer((json_int_t)seconds->received[i]));
	return list;
}

/* Once there was unavailability, loss is that of the other time. */
static void judge_performance(struct run *run, const struct seconds *seconds, const struct measurement *measurement,
			      json_t *json)
{
	double sent_fps = run->service.cir_fps * run->part.measurer->transmitters;
	struct mlr_y1564_availability found = mlr_y1564_availability(seconds->received, seconds->count, sent_fps);
	struct mlr_y1564_outcome outcome = outcome_of(run, measurement);

	outcome.availability_ratio = found.ratio;
	if (found.unavailable)
		outcome.loss_ratio =
			found.available_sent ? (double)found.available_lost / (double)found.available_sent : NAN;
	json_object_update_new(json,
			       json_pack("{s:I, s:I, s:I, s:o, s:o}", "seconds", (json_int_t)found.seconds,
					 "severely_errored_seconds", (json_int_t)found.severely_errored,
					 "unavailable_seconds", (json_int_t)found.unavailable, "availability_ratio",
					 json_number_or_null(found.ratio), "received_by_second", seconds_json(seconds)));
	put_outcome(run, json, measurement, &outcome, mlr_y1564_judge_performance(&run->service, &outcome));
}

static enum exit_code test_performance(void *context, json_t *json)
{
	struct run *run = context;
	const struct config *config = run->part.config;
	double load_fps = run->service.cir_fps;
	struct load_steps steps = {
		.load_fps = load_fps,
		.frame_count = (uint64_t)fmax(1, round(load_fps * config->duration_s)),
		.grace_s = GRACE_S,
		.links_may_change = true, /* a link that is lost is no less unavailable */
	};
	struct measurement measurement;
	struct seconds seconds;
	enum exit_code code;

	if (seconds_init(&seconds, &steps, load_fps * run->part.measurer->transmitters, config->duration_s))
		return refuse(EXIT_INCAPABLE, "out of memory");
	json_object_update_new(json, json_pack("{s:f, s:f, s:n, s:[]}", "load", load_fps, "trial_duration",
					       config->duration_s, "passed", "trials"));
	code = suite_steps(&run->part, &steps, &measurement);
	if (code == EXIT_DONE) {
		seconds_end(&seconds, measurement.counts.received);
		judge_performance(run, &seconds, &measurement, json);
		json_array_append_new(json_object_get(json, "trials"), report_trial(&measurement));
		measurement_free(&measurement);
		note_undecided(run);
	}
	seconds_free(&seconds);
	return code;
}

/* --- time --------------------------------------------------------------------------------------------------------------------- */

/* About how long a test of a service takes. */
static double test_s(const struct config *config, const struct service *service, enum y1564_test test)
{
	const struct waits *waits = &config->waits;
	double waits_s = waits->routing_s + waits->learning_s + waits->stabilize_s;
	unsigned int steps = config->cir_step_count + (service->eir.value > 0) + 1;

	if (!is_wanted(config, test))
		return 0;
	return test == Y1564_PERFORMANCE ? config->duration_s + waits_s : steps * (config->step_duration_s + waits_s);
}

/* Of the services from this one on. */
static double services_s(const struct config *config, unsigned int first)
{
	double duration_s = 0;

	for (unsigned int i = first; i < config->service_count; i++)
		duration_s += test_s(config, &config->services[i], Y1564_CONFIGURATION) +
			      test_s(config, &config->services[i], Y1564_PERFORMANCE);
	return duration_s;
}

double y1564_duration_s(const struct config *config)
{
	double duration_s = services_s(config, 0);

	return config->max_time_s > 0 ? fmin(config->max_time_s, duration_s) : duration_s;
}

static void show_stage(struct run *run, enum y1564_test test)
{
	const struct config *config = run->suite->common.config;
	unsigned int number = (unsigned int)(run->options - config->services) + 1;
	double after_s = services_s(config, number);
	char stage[VIEW_STAGE_SIZE];

	if (test == Y1564_CONFIGURATION)
		after_s += test_s(config, run->options, Y1564_PERFORMANCE);
	snprintf(stage, sizeof(stage), "service %u of %u, %s", number, config->service_count,
		 test == Y1564_CONFIGURATION ? "configuration" : "performance");
	run->part.test_s = test_s(config, run->options, test);
	run->part.test_start_ns = clock_ns();
	progress_stage(stage, run->suite->common.start_ns, after_s, config->max_time_s);
}

/* --- services --------------------------------------------------------------------------------------------------------------------- */

static double ns_of(double duration_s)
{
	return duration_s * (double)NS_PER_S;
}

/* Its rates in frames/s, once the line rate is known. */
static enum exit_code resolve(struct run *run)
{
	const struct service *asked = run->options;
	double line_fps = run->part.measurer->line_rate_fps;
	enum exit_code code;

	run->service = (struct mlr_y1564_service){
		.margin_ratio = asked->margin_ratio,
		.sla = { .loss_ratio = asked->loss_ratio,
			 .delay_ns = ns_of(asked->delay_s),
			 .delay_max_ns = ns_of(asked->delay_max_s),
			 .variation_ns = ns_of(asked->variation_s),
			 .availability_ratio = asked->availability_ratio },
	};
	code = option_load_fps(run->part.config, "service", &asked->cir, line_fps, &run->service.cir_fps);
	if (code == EXIT_DONE && asked->eir.value > 0)
		code = option_load_fps(run->part.config, "service", &asked->eir, line_fps, &run->service.eir_fps);
	return code;
}

static json_t *vlans_json(const struct config *config)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < config->vlan_count; i++)
		json_array_append_new(list, json_pack("{s:i, s:i}", "id", config->vlans[i].control & 0xfff, "priority",
						      config->vlans[i].control >> 13));
	return list;
}

static json_t *service_json(const struct run *run)
{
	const struct config *config = run->part.config;
	const struct mlr_y1564_service *service = &run->service;
	const struct mlr_y1564_sla *sla = &service->sla;
	json_t *json = json_pack("{s:s, s:s, s:f, s:o, s:f, s:f, s:f, s:{s:o, s:o, s:o, s:o, s:o}, s:n, s:n}", "name",
				 run->options->name, "frame_size", config->frame_size_text, "frame_size_octets",
				 config->frame_size_octets, "vlans", vlans_json(config), "cir", service->cir_fps, "eir",
				 service->eir_fps, "margin_ratio", service->margin_ratio, "sla", "loss_ratio",
				 json_number_or_null(isnan(sla->loss_ratio) ? 0 : sla->loss_ratio), "delay_mean_ns",
				 json_number_or_null(sla->delay_ns), "delay_max_ns", json_number_or_null(sla->delay_max_ns),
				 "delay_variation_ns", json_number_or_null(sla->variation_ns), "availability_ratio",
				 json_number_or_null(sla->availability_ratio), "configuration", "performance");

	report_add_bps(json, "cir", service->cir_fps, config);
	report_add_bps(json, "eir", service->eir_fps, config);
	return json;
}

/* Make a test, and take its result over, whole or not. */
static enum exit_code run_test(struct run *run, enum y1564_test test)
{
	static const char *const names[] = { "configuration", "performance" };
	json_t *json = json_object();
	char label[MLR_GOAL_NAME_SIZE + 32];
	enum exit_code code;

	show_stage(run, test);
	snprintf(label, sizeof(label), "%s: %s", run->options->name, names[test]);
	note("%s", label);
	run->failed = run->undecided = false;
	code = suite_test(&run->part, label, test == Y1564_CONFIGURATION ? test_configuration : test_performance, run, json);
	run->suite->failed |= run->failed;
	run->suite->undecided |= run->undecided;
	json_object_set_new(run->json, names[test], json);
	return code;
}

static enum exit_code make_tests(struct run *run)
{
	const struct config *config = run->part.config;
	enum exit_code code = EXIT_DONE;

	if (is_wanted(config, Y1564_CONFIGURATION))
		code = run_test(run, Y1564_CONFIGURATION);
	if (code != EXIT_DONE || !is_wanted(config, Y1564_PERFORMANCE))
		return code;
	if (!run->failed) /* what is not known to be wrong is worth it */
		return run_test(run, Y1564_PERFORMANCE);
	note("%s: no performance test of a service that is not configured as agreed", run->options->name);
	return EXIT_DONE;
}

static enum exit_code measure_service(struct y1564 *suite, const struct service *service)
{
	struct config config;
	struct run run = { .part = { .suite = &suite->common, .config = &config }, .suite = suite, .options = service };
	enum exit_code code = config_for_service(suite->common.config, service, &config);

	if (code != EXIT_DONE)
		return code;
	suite_take_macs(json_object_get(suite->common.setting, "measurer"), &config);
	code = measurer_new(&config, &run.part.measurer);
	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		suite_keep_setting(&run.part);
	if (code == EXIT_DONE)
		code = resolve(&run);
	if (code == EXIT_DONE) {
		run.json = service_json(&run);
		json_array_append_new(suite->services, run.json);
		code = make_tests(&run);
	}
	measurer_free(run.part.measurer);
	return code;
}

enum exit_code y1564_run(const struct config *config, struct y1564 *ret)
{
	enum exit_code code = EXIT_DONE;

	*ret = (struct y1564){ .common = suite_begin(config), .services = json_array() };
	for (unsigned int i = 0; i < config->service_count && code == EXIT_DONE; i++)
		code = measure_service(ret, &config->services[i]);
	code = suite_end(&ret->common, code);
	return code == EXIT_DONE && ret->failed ? EXIT_UNMET : code;
}

void y1564_free(struct y1564 *suite)
{
	json_decref(suite->services);
	json_decref(suite->common.setting);
}
