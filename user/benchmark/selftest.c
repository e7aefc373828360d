/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/units.h"
#include "benchmark/search.h"
#include "benchmark/selftest_hostile.h"
#include "benchmark/selftest_prepare.h"
#include "benchmark/suite.h"
#include "config/echo.h"
#include "config/given.h"
#include "config/options_suite.h"
#include "measurer/apart.h"
#include "measurer/selftest_store.h"
#include "netdev/netlink.h"
#include "progress/events.h"
#include "result/report.h"

#define FASTEST_TRIALS     3    /* unpaced trials that sent something */
#define FASTEST_IDLE       10   /* unpaced trials without a frame that end the self-test */
#define FASTEST_MARGIN     1.25 /* factor above the unpaced rate at which the search begins */
#define SEARCH_TRIALS      5    /* short trials a load, of which one may be unclean: this machine may stall */
#define SEARCH_EXCEED      0.2  /* Goal Exceed Ratio of the search: one trial in five */
#define SEARCH_DIVISOR     4    /* Short trials are shorter than those that confirm by this factor. */
#define SEARCH_WIDTH       0.02
#define RAISES_MAX         8    /* most raises of Max Load by FASTEST_MARGIN, while Max Load is clean */
#define SEARCH_LEAST_RATIO 1e-3 /* Min Load of the search, as a part of the fastest load */
#define CONFIRM_TRIALS     5
#define CONFIRM_CLEAN      4    /* clean trials that confirm a load */
#define CONFIRM_STEP       0.95 /* factor of the next load, where a load is not confirmed */
#define CONFIRM_LOADS      20
#define FLOOR_TRIALS       3
#define FLOOR_LOAD_FPS     100e3 /* load of the latency floor at most; else half of the clean load */
#define PACING_ERROR_PPM   500   /* a tenth of the Goal Width that searches have by default */
#define UNCLEAN_LOSS_RATIO 0.01  /* least loss ratio that an unclean trial counts for */
#define RESIDUAL_WAIT_S    0.5
#define HOSTILE_SHARE      0.1   /* load of a trial beside hostile frames, as a part of the fastest load, */
#define HOSTILE_LOAD_FPS   100e3 /* and at most */
#define PPM                1e6

/* --- clean or not --------------------------------------------------------------------------------------------------- */

/* Whether the load was not what was asked, beyond what a whole number of frames and stops of this machine make of it. The latter
 * are as many at any load, and are told apart. */
static bool is_mispaced(const struct measurement *measurement)
{
	const struct pacing_summary *pacing = &measurement->pacing;
	double duration_s = measurement->result.input.duration_s, frame_ppm = PPM / (pacing->intended_fps * duration_s);
	double stops_ppm = (double)pacing->moved_ns / NS_PER_S / duration_s * PPM;

	return measurement->has_pacing && fabs(pacing->error_ppm) > PACING_ERROR_PPM + frame_ppm + stops_ppm;
}

/* Return why a trial is not clean, NULL if it is. Nothing is between the ports, so the tester lost whatever is lost. */
static const char *unclean_reason(const struct measurement *measurement)
{
	const struct mlr_trial_counts *counts = &measurement->counts;

	if (measurement->tester_limited && (measurement->spoilt != SPOILT_BY_STOPS || measurement->verdict.unsent))
		return measurement->tester_limited_reason;
	if (measurement->verdict.unsent)
		return "frames stayed unsent";
	if (measurement->verdict.lost)
		return "frames were lost between the ports";
	if (counts->duplicate || counts->reordered || counts->malformed || counts->wrong_length || counts->damaged)
		return "frames came twice, damaged or out of order";
	return is_mispaced(measurement) ? "the load was not kept" : NULL;
}

/* The measurer of the search. It performs trials by another one, and gives a trial that is not clean a loss. */
struct clean_measurer {
	struct measurer measurer;
	struct measurer *frames;
	const char *reason; /* why the last unclean trial was unclean */
};

static enum exit_code measure_clean(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct clean_measurer *clean = (struct clean_measurer *)measurer;
	enum exit_code code = clean->frames->ops->measure(clean->frames, input, ret);
	struct mlr_trial_output *output = &ret->result.output;
	const char *reason;

	if (code != EXIT_DONE)
		return code;
	reason = unclean_reason(ret);
	if (reason) {
		clean->reason = reason;
		*output =
			mlr_trial_output(input, fmax(output->loss_ratio, UNCLEAN_LOSS_RATIO), output->effective_duration_s);
	}
	return EXIT_DONE;
}

static const struct measurer_ops clean_ops = { .measure = measure_clean };

/* --- one frame size with one backend -------------------------------------------------------------------------------- */

struct one_test {
	const struct config *config; /* configuration of this frame size */
	struct measurer *frames;
	const char *mode;
	double fastest_fps; /* fastest unpaced rate */
	double top_fps;     /* Max Load of the search */
	double load_fps;    /* the clean load, once it is found */
	const char *unclean_reason;
	const char *irregular_reason;
	json_t *json;
};

/* Raise the load at which the search begins from above: with a margin, but never beyond what the link takes. */
static void raise_top(struct one_test *test)
{
	double line_fps = test->frames->line_rate_fps;

	test->top_fps *= FASTEST_MARGIN;
	if (line_fps > 0 && test->top_fps > line_fps)
		test->top_fps = line_fps;
}

static enum exit_code find_fastest(struct one_test *test)
{
	int sending = 0, idle = 0;

	while (sending < FASTEST_TRIALS) {
		measurement_auto_t measurement = { 0 };
		enum exit_code code =
			measurer_xdp_measure_max(test->frames, test->config->duration_s / SEARCH_DIVISOR, &measurement);

		if (code != EXIT_DONE)
			return code;
		/* On a busy machine a transmitter may get no CPU for longer than such a trial lasts. */
		if (measurement.counts.sent)
			sending++;
		else if (++idle == FASTEST_IDLE)
			return refuse(EXIT_INVALID, "selftest: in %d trials no frame was sent; this machine is too busy",
				      idle);
		if (measurement.counts.sent && !measurement.counts.received)
			return refuse(
				EXIT_INVALID,
				"selftest: of %llu frames none came from one port to the other; cable the two to each other",
				(unsigned long long)measurement.counts.sent);
		test->fastest_fps = fmax(test->fastest_fps, measurement.pacing.achieved_fps);
	}
	test->top_fps = test->fastest_fps;
	raise_top(test);
	return EXIT_DONE;
}

/* Whether the tester was clean as far up as the search went, and the link takes more. The machine may have been slow for a
 * moment when its fastest load was measured. */
static bool can_go_higher(const struct one_test *test)
{
	double line_fps = test->frames->line_rate_fps;

	return test->load_fps >= test->top_fps && !(line_fps > 0 && test->top_fps >= line_fps);
}

/* Search for the highest clean load. */
static enum exit_code search_load(struct one_test *test)
{
	struct clean_measurer clean = { .measurer = *test->frames, .frames = test->frames };
	double duration_s = test->config->duration_s / SEARCH_DIVISOR;
	struct config config = *test->config;
	struct search search;
	enum exit_code code;

	clean.measurer.ops = &clean_ops;
	clean.measurer.selftest.state = SELFTEST_NOT_LOOKED_FOR;
	config.algorithm = ALGORITHM_MLR;
	config.min_load = (struct load_spec){ LOAD_FPS, test->top_fps * SEARCH_LEAST_RATIO };
	config.max_load = (struct load_spec){ LOAD_FPS, test->top_fps };
	config.goal_count = 1;
	config.goals[0] = (struct mlr_goal){
		.name = "clean",
		.exceed_ratio = SEARCH_EXCEED,
		.initial_trial_duration_s = duration_s,
		.final_trial_duration_s = duration_s,
		.duration_sum_s = duration_s * SEARCH_TRIALS,
		.width_ratio = SEARCH_WIDTH,
	};
	code = search_run(&config, &clean.measurer, &search);
	if (code == EXIT_DONE || code == EXIT_UNMET) {
		const struct mlr_goal_result *result = &search.outcomes[0].result;

		code = EXIT_DONE;
		test->load_fps = result->relevant_lower_bound_fps;
		json_put(test->json, "search",
			 json_with("trials", search.trial_count, "duration", search.duration_s, "lower_bound",
				   result->relevant_lower_bound_fps, "upper_bound", result->relevant_upper_bound_fps));
	}
	search_free(&search);
	test->unclean_reason = clean.reason;
	if (code == EXIT_DONE && isnan(test->load_fps))
		test->irregular_reason = "the tester is clean at no load";
	return code;
}

/* Perform one further trial, with its event. */
static enum exit_code perform(const struct one_test *test, double load_fps, size_t number, struct measurement *ret)
{
	const struct mlr_trial_input input = { .duration_s = test->config->duration_s, .load_fps = load_fps };

	return event_trial_started(test->config, number, &input, NULL)
		       ?: test->frames->ops->measure(test->frames, &input, ret)
		       ?: event_trial_finished(test->config, number, report_trial(ret));
}

/* Add latency and pacing of a trial, as every document has them. */
static void keep_trial(struct one_test *test, const struct measurement *measurement)
{
	json_auto_t *trial = report_trial(measurement);

	json_object_set(test->json, "latency", json_object_get(trial, "latency"));
	json_object_set(test->json, "pacing", json_object_get(trial, "pacing"));
}

/* Perform longer trials at a load. Returns whether enough of them are clean. */
static enum exit_code confirm_at(struct one_test *test, double load_fps, bool *ret_confirmed)
{
	int clean = 0;

	for (int i = 0; i < CONFIRM_TRIALS; i++) {
		measurement_auto_t measurement = { 0 };
		enum exit_code code = perform(test, load_fps, (size_t)i + 1, &measurement);
		const char *reason;

		if (code != EXIT_DONE)
			return code;
		reason = unclean_reason(&measurement);
		if (reason)
			test->unclean_reason = reason;
		else
			keep_trial(test, &measurement);
		clean += !reason;
		if (i - clean >= CONFIRM_TRIALS - CONFIRM_CLEAN)
			break; /* too many unclean ones already */
	}
	*ret_confirmed = clean >= CONFIRM_CLEAN;
	json_put(test->json, "confirmation",
		 json_with("trials", CONFIRM_TRIALS, "clean", clean, "trial_duration", test->config->duration_s));
	return EXIT_DONE;
}

/* Go down from the load that the search found until a load is confirmed. */
static enum exit_code confirm(struct one_test *test)
{
	bool confirmed = false;

	for (int i = 0; i < CONFIRM_LOADS; i++) {
		enum exit_code code = confirm_at(test, test->load_fps, &confirmed);

		if (code != EXIT_DONE || confirmed)
			return code;
		test->load_fps *= CONFIRM_STEP;
	}
	test->irregular_reason = "no load that the search found clean was so in longer trials";
	return EXIT_DONE;
}

/* --- stops of this machine ------------------------------------------------------------------------------------------------ */

/* The stops and bursts of the transmit queues in some trials. */
struct stalls {
	double observed_s;
	struct tx_stops queues[MLR_PORTS_MAX][TX_QUEUES_MAX];
	uint64_t catch_up_ns; /* the most that a trial needed */
};

static void add_stalls(const struct one_test *test, const struct measurement *measurement, struct stalls *stalls)
{
	struct tx_stops stops;

	stalls->observed_s += measurement->result.input.duration_s;
	if (measurement->pacing.catch_up_ns > stalls->catch_up_ns)
		stalls->catch_up_ns = measurement->pacing.catch_up_ns;
	for (unsigned int port = 0; port < test->config->port_count; port++)
		for (unsigned int queue = 0; measurer_xdp_queue_stops(test->frames, port, queue, &stops); queue++)
			tx_stops_merge(&stalls->queues[port][queue], &stops);
}

static json_t *stops_json(const struct tx_stops *stops, double observed_s)
{
	return json_with("count", stops->count, "per_second", (double)stops->count / observed_s, "total_ratio",
			 (double)stops->total_ns / NS_PER_S / observed_s, "longest_ns", stops->longest_ns, "spacing_mean",
			 stops->count ? observed_s / (double)stops->count : NAN);
}

/* Add the stops of each queue, and in *ret_sum those of all. */
static json_t *queues_json(const struct one_test *test, const struct stalls *stalls, struct tx_stops *ret_sum)
{
	json_t *list = json_array();
	struct tx_stops last;

	for (unsigned int port = 0; port < test->config->port_count; port++)
		for (unsigned int queue = 0; measurer_xdp_queue_stops(test->frames, port, queue, &last); queue++) {
			json_t *row = stops_json(&stalls->queues[port][queue], stalls->observed_s);

			json_put(row, "port", test->config->ports[port].label, "queue", queue);
			json_array_append_new(list, row);
			tx_stops_merge(ret_sum, &stalls->queues[port][queue]);
		}
	return list;
}

/* Add the smallest buffer of a SUT that this tester can measure at each load without repeats. It is a burst that is long
 * enough to keep the mean load. */
static json_t *buffers_json(const struct one_test *test, const struct stalls *stalls)
{
	const double loads_fps[] = { 10e3, 100e3, 500e3, test->load_fps, test->frames->line_rate_fps };
	json_t *list = json_array();

	for (size_t i = 0; i < COUNT(loads_fps); i++)
		if (loads_fps[i] > 0)
			json_array_append_new(list,
					      json_with("load", loads_fps[i], "frames",
							ceil(1 + (double)stalls->catch_up_ns / NS_PER_S * loads_fps[i])));
	return list;
}

static void put_stalls(struct one_test *test, const struct stalls *stalls)
{
	struct tx_stops sum = { 0 };
	json_t *queues = queues_json(test, stalls, &sum), *json = stops_json(&sum, stalls->observed_s);

	json_put(json, "observed", stalls->observed_s, "catch_up_ns", stalls->catch_up_ns, "queues", queues, "buffers",
		 buffers_json(test, stalls));
	json_put(test->json, "stalls", json);
}

/* Add the latency of a tester with little to do, from the trial with the lowest median, and its stops in all of them. */
static enum exit_code measure_floor(struct one_test *test)
{
	double load_fps = fmin(FLOOR_LOAD_FPS, test->load_fps / 2), best_ns = INFINITY;
	owned struct stalls *stalls = calloc(1, sizeof(*stalls));

	if (!stalls)
		return out_of_memory();
	for (int i = 0; i < FLOOR_TRIALS; i++) {
		measurement_auto_t measurement = { 0 };
		enum exit_code code = perform(test, load_fps, (size_t)i + 1, &measurement);
		const struct latency_summary *latency = &measurement.latency;

		if (code != EXIT_DONE)
			return code;
		add_stalls(test, &measurement, stalls);
		if (measurement.has_latency && latency->p50_ns < best_ns) {
			best_ns = latency->p50_ns;
			json_put(test->json, "floor",
				 json_with("load", load_fps, "trial_duration", test->config->duration_s, "min_ns",
					   latency->min_ns, "p50_ns", latency->p50_ns, "p99_ns", latency->p99_ns));
		}
	}
	put_stalls(test, stalls);
	return EXIT_DONE;
}

static enum exit_code measure_one(struct one_test *test)
{
	enum exit_code code = find_fastest(test) ?: search_load(test);

	for (int i = 0; i < RAISES_MAX && code == EXIT_DONE && can_go_higher(test); i++) {
		raise_top(test);
		code = search_load(test);
	}
	if (code == EXIT_DONE && !test->irregular_reason)
		code = confirm(test);
	if (code == EXIT_DONE)
		code = measure_floor(test); /* It also measures stops, which matter most where no load was clean. */
	return code;
}

/* Add the findings, beside what the steps noted already. */
static void finish_json(struct one_test *test)
{
	double line_fps = test->frames->line_rate_fps;
	bool line_limited = test->load_fps == line_fps, found = !test->irregular_reason;

	json_put(test->json, "clean_load", found ? test->load_fps : NAN, "regular", found, "irregular_reason",
		 test->irregular_reason, "limited_by", line_limited ? "line rate" : "tester", "limit",
		 line_limited ? NULL : test->unclean_reason, "fastest_load", test->fastest_fps, "line_rate",
		 line_fps > 0 ? line_fps : NAN, "time", format_utc(time(NULL), UNIT_ROOM));
}

/* --- no SUT --------------------------------------------------------------------------------------------------------- */

static const json_t *port_of(const json_t *measurer, size_t port)
{
	return json_array_get(json_object_get(measurer, "ports"), port);
}

/* Whether the ports are the two ends of one veth pair. EXIT_INVALID where a veth leads elsewhere. */
static enum exit_code check_veth(const struct config *config, bool *ret_are_pair)
{
	struct mnl_socket *netlink;
	struct link_info links[PORT_COUNT];
	int error = netlink_open(&netlink);

	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = netlink_link(netlink, config->ports[i].name, &links[i]);
	netlink_close(netlink);
	if (error)
		return refuse(EXIT_INVALID, "selftest: a port disappeared: %s", strerror(-error));
	*ret_are_pair = links[PORT_A].lower_ifindex == links[PORT_B].ifindex && !strcmp(links[PORT_A].kind, "veth");
	for (int i = 0; i < PORT_COUNT && !*ret_are_pair; i++)
		if (!strcmp(links[i].kind, "veth"))
			return refuse(EXIT_INVALID,
				      "selftest: the other end of port %s is not port %s, so there is a SUT between them; "
				      "connect the ports to each other ('xdp-mlr lab up --sut wire' makes such a pair)",
				      links[i].name, links[!i].name);
	return EXIT_DONE;
}

/* Check that nothing is between the ports, as far as that can be told. */
static enum exit_code check_no_sut(struct selftest *selftest, const struct config *config)
{
	bool are_pair;
	enum exit_code code = check_veth(config, &are_pair);

	if (code != EXIT_DONE)
		return code;
	for (size_t i = 0; i < PORT_COUNT; i++)
		if (!strcmp(read_text(port_of(selftest->measurer, i), "destination_mac_source"), "learned by ARP"))
			return refuse(EXIT_INVALID,
				      "selftest: a gateway (%s) answered on port %s, so there is a SUT between the ports; "
				      "cable the two to each other",
				      read_text(port_of(selftest->measurer, i), "destination_mac"), config->ports[i].name);
	selftest->sut_check = json_with("verified", are_pair, "evidence",
					are_pair ? "the ports are the two ends of one veth pair"
						 : "no gateway answered ARP on either port, and the frames arrived; that no "
						   "switch or bridge is between the ports is assumed");
	if (!are_pair)
		note("selftest: it is assumed that the ports are cabled to each other: a switch between them cannot be told "
		     "from a cable");
	return selftest->sut_check ? EXIT_DONE : out_of_memory();
}

/* --- all ------------------------------------------------------------------------------------------------------------ */

static void keep_result(struct selftest *selftest, struct one_test *test, const char *backend)
{
	struct selftest_way way = measurer_xdp_way(test->frames);
	char path[512] = "";

	way.mode = test->mode; /* "copy" where one port copies */
	finish_json(test);
	json_put(test->json, "frame_size", test->config->frame_size_text, "tx_backend", backend, "transmit_mode",
		 test->mode);
	selftest->irregular |= test->irregular_reason != NULL;
	if (!test->irregular_reason && selftest_keep(test->config, &way, test->json, path, sizeof(path)))
		json_put(test->json, "stored", path);
	json_array_append(selftest->self_tests, test->json);
}

/* Return the mode of the ports that transmit: "copy" if one of them copies. */
static const char *transmit_mode(const json_t *measurer)
{
	const char *mode = "";

	for (size_t i = 0; i < PORT_COUNT; i++) {
		const char *of_port = read_text(port_of(measurer, i), "transmit_mode");

		if (*of_port && (!*mode || !strcmp(of_port, "copy")))
			mode = of_port;
	}
	return mode;
}

/* --- beside hostile frames ------------------------------------------------------------------------------------------ */

/* The load of the trial: as asked for, or low enough for the machine to send hostile frames, too. */
static enum exit_code hostile_trial_load(struct one_test *test, double *ret_fps)
{
	const struct load_spec *asked = &test->config->load;
	enum exit_code code;

	if (asked->unit != LOAD_UNSET)
		return option_load_fps(test->config, "load", asked, test->frames->line_rate_fps, ret_fps);
	code = find_fastest(test);
	*ret_fps = fmin(HOSTILE_LOAD_FPS, test->fastest_fps * HOSTILE_SHARE);
	return code;
}

static enum exit_code test_hostile(struct selftest *selftest, struct one_test *test)
{
	bool is_certified = false;
	double load_fps = 0;
	enum exit_code code = hostile_trial_load(test, &load_fps)
				      ?: hostile_test(test->config, test->frames, load_fps, test->json, &is_certified);

	if (code != EXIT_DONE)
		return code;
	selftest->irregular |= !is_certified;
	if (is_certified)
		note("frames of %s octets: counts are exact beside %s of hostile frames", test->config->frame_size_text,
		     format_si(read_number(test->json, "certified_rate"), "fps", UNIT_ROOM));
	else
		warn("frames of %s octets: counts are not certified: %s", test->config->frame_size_text,
		     read_text(test->json, "irregular_reason"));
	json_put(test->json, "frame_size", test->config->frame_size_text, "tx_backend",
		 read_text(selftest->measurer, "tx_backend"), "transmit_mode", test->mode, "time",
		 format_utc(time(NULL), UNIT_ROOM));
	json_array_append(selftest->hostile_tests, test->json);
	return EXIT_DONE;
}

static enum exit_code test_with(struct selftest *selftest, const struct config *config, struct measurer *frames)
{
	struct one_test test = { .config = config, .frames = frames, .json = json_object() };
	enum exit_code code = EXIT_DONE;

	json_decref(selftest->measurer);
	selftest->measurer = frames->ops->describe(frames);
	if (config->tx == TX_AUTO && !config->hostile && !strcmp(read_text(selftest->measurer, "tx_backend"), "xsk")) {
		json_decref(test.json); /* AF_XDP was tested already */
		return EXIT_DONE;
	}
	test.mode = transmit_mode(selftest->measurer);
	if (!selftest->sut_check)
		code = check_no_sut(selftest, config);
	if (code == EXIT_DONE)
		code = config->hostile ? test_hostile(selftest, &test) : measure_one(&test);
	if (code == EXIT_DONE && !config->hostile) {
		keep_result(selftest, &test, read_text(selftest->measurer, "tx_backend"));
		code = event_self_test_finished(config, json_incref(test.json));
	}
	json_decref(test.json);
	return code;
}

/* Try the items once, with frames of the first size. An item that helps is in force from then on. */
static enum exit_code try_items(struct selftest *selftest, unsigned int number, struct config *config)
{
	const struct part_name part = { .kind = PART_FRAME_SIZE, .number = number };
	enum exit_code code = selftest_try_items(config, &part, &selftest->preparation);

	selftest->prepare = config->prepare;
	return code;
}

/* Test one frame size with one backend. With TX_AUTO that is live frames, if the port can and AF_XDP is not zero-copy. */
static enum exit_code test_frame_size(struct selftest *selftest, unsigned int number, const char *frame_size,
				      enum tx_choice tx)
{
	const struct part_name part = { .kind = PART_FRAME_SIZE, .number = number };
	struct measurer *frames = NULL;
	struct config config;
	enum exit_code code = config_for_frame_size(selftest->config, frame_size, &config);

	if (code != EXIT_DONE)
		return code;
	config.tx = tx;
	config.waits = (struct waits){ .residual_s = RESIDUAL_WAIT_S };
	suite_take_macs(selftest->measurer, &config);
	if (config.prepare.try_items && !selftest->preparation)
		code = try_items(selftest, number, &config);
	else if (selftest->preparation)
		config.prepare = selftest->prepare;
	if (code == EXIT_DONE)
		code = measurer_new_part(&config, &part, &frames);
	if (code == EXIT_DONE)
		code = test_with(selftest, &config, frames);
	measurer_free(frames);
	return code;
}

enum exit_code selftest_run(const struct config *config, struct selftest *ret)
{
	struct selftest *selftest = ret;
	char frame_size[FRAME_SIZE_TEXT];
	enum exit_code code = EXIT_DONE;

	*selftest = (struct selftest){ .config = config,
				       .start_time = time(NULL),
				       .start_ns = clock_ns(),
				       .self_tests = json_array(),
				       .hostile_tests = json_array() };
	if (config->port_count != PORT_COUNT)
		return refuse(EXIT_USAGE_ERROR, "--ports: a self-test is of two ports; give one pair after the other");
	for (unsigned int i = 0; code == EXIT_DONE && frame_sizes_part(config->frame_size_text, i, frame_size); i++) {
		if (config->tx == TX_AUTO && !config->hostile)
			code = test_frame_size(selftest, i, frame_size, TX_XSK);
		if (code == EXIT_DONE)
			code = test_frame_size(selftest, i, frame_size, config->tx);
	}
	message_erase_view();
	selftest->interrupted = code == EXIT_INTERRUPTED;
	return code == EXIT_DONE && selftest->irregular ? EXIT_UNMET : code;
}

void selftest_free(struct selftest *selftest)
{
	json_decref(selftest->self_tests);
	json_decref(selftest->hostile_tests);
	json_decref(selftest->sut_check);
	json_decref(selftest->preparation);
	json_decref(selftest->measurer);
}

static const char *irregular_reason(const struct selftest *selftest)
{
	if (selftest->interrupted)
		return "interrupted";
	if (selftest->irregular && selftest->config->hostile)
		return "counts are not certified beside hostile frames for a frame size";
	return selftest->irregular ? "no clean load was found for a frame size" : NULL;
}

json_t *report_selftest(const struct selftest *selftest)
{
	const struct config *config = selftest->config;
	json_t *document;

	document = json_with("schema", "xdp-mlr/selftest/1", "self_tests", json_incref(selftest->self_tests), "sut_check",
			     json_incref(selftest->sut_check) ?: json_null(), "measurer",
			     json_incref(selftest->measurer) ?: json_null(), "aggregate_factor",
			     config->direction == DIRECTION_BOTH ? PORT_COUNT : 1, "load_scope", "interface",
			     "irregular_reason", irregular_reason(selftest), "environment",
			     environment_describe(selftest->start_time), "configuration", config_describe(config));
	if (config->hostile)
		json_object_set(document, "hostile_tests", selftest->hostile_tests);
	if (selftest->preparation)
		json_object_set(document, "preparation", selftest->preparation);
	return document;
}
