/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each figure of a trial stands in the document, under its own name: every number here is another one. */
#include "../test.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "config/configure.h"
#include "config/stored.h"
#include "measurer/selftest_store.h"
#include "result/report.h"

static struct measurement measurement;

static int set_up(void **state)
{
	(void)state;
	measurement = (struct measurement){
		.result = { .input = { .duration_s = 2.5, .load_fps = 1000.5 },
			    .output = { .loss_ratio = 0.25, .effective_duration_s = 3.5, .forwarding_rate_fps = 750.5 } },
	};
	return 0;
}

/* That this is what stands there; in the text, ' is ". Releases the document. */
static void assert_says(json_t *document, const char *pointer, const char *expected)
{
	char text[2048], *is;
	const json_t *at = *pointer ? json_at(document, pointer) : document;
	json_t *json;

	snprintf(text, sizeof(text), "%s", expected);
	for (char *quote = text; (quote = strchr(quote, '\''));)
		*quote = '"';
	json = json_loads(text, JSON_DECODE_ANY, NULL);
	assert_non_null(json);
	is = at ? json_dumps(at, JSON_ENCODE_ANY) : NULL;
	if (!json_equal(at, json))
		fail_msg("%s: %s", pointer, is ? is : "is not there");
	free(is);
	json_decref(json);
	json_decref(document);
}

static void assert_lacks(json_t *document, const char *pointer)
{
	assert_null(json_at(document, pointer));
	json_decref(document);
}

static void fill(struct mlr_trial_counts *counts, uint64_t first)
{
	uint64_t *fields = (uint64_t *)counts;

	for (size_t i = 0; i < sizeof(*counts) / sizeof(*fields); i++)
		fields[i] = first + i;
}

/* Whether a count is told, and which: -1 for null. */
static json_int_t told(const json_t *counts, const char *name)
{
	const json_t *value = json_object_get(counts, name);

	assert_non_null(value);
	return json_is_null(value) ? -1 : json_integer_value(value);
}

static void assert_counts(const json_t *json, const struct mlr_trial_counts *counts)
{
#define TX_COUNTER(name, figure, meaning)              assert_int_equal(told(json, #name), counts->name);
#define RX_COUNTER(name, figure, kind, known, meaning) assert_int_equal(told(json, #name), counts->name);
#define RX_DERIVED(name, figure, value, meaning)       assert_int_equal(told(json, #name), counts->name);
#include "mlr/counters.def"
}

static void a_trial_of_nothing_else_is_its_result(void **state)
{
	(void)state;
	assert_says(
		report_trial(&measurement), "",
		"{'trial_load': 1000.5, 'trial_duration': 2.5, 'trial_loss_ratio': 0.25, 'trial_effective_duration': 3.5, "
		"'trial_forwarding_rate': 750.5, 'counts': null, 'loss_attribution': null, 'tester_limited': false, "
		"'tester_limited_reason': null, 'tx_backend': null}");
}

static void counts_are_all_told(void **state)
{
	json_t *trial;

	(void)state;
	measurement.has_counts = true;
	fill(&measurement.counts, 101);
	measurement.verdict = (struct mlr_trial_verdict){ .unsent = 51, .lost = -52 };
	trial = report_trial(&measurement);
	assert_counts(json_at(trial, "/counts"), &measurement.counts);
	assert_int_equal(told(json_at(trial, "/counts"), "unsent"), 51);
	assert_int_equal(told(json_at(trial, "/counts"), "lost"), -52);
	json_decref(trial);
	assert_lacks(report_trial(&measurement), "/negative_loss");
	measurement.verdict.negative_loss = true;
	assert_says(report_trial(&measurement), "/negative_loss", "true");
}

/* What follows from numbers in sequence is not known without looking at them; the rest is. */
static void order_that_nobody_looked_at_is_not_known(void **state)
{
	static const char *const ordered[] = { "duplicate", "reordered" };
	json_t *trial;

	(void)state;
	measurement.has_counts = measurement.has_order = measurement.order_unknown = true;
	fill(&measurement.counts, 101);
	measurement.port_count = 1;
	fill(&measurement.ports[0].counts, 201);
	trial = report_trial(&measurement);
	for (size_t i = 0; i < COUNT(ordered); i++) {
		assert_int_equal(told(json_at(trial, "/counts"), ordered[i]), -1);
		assert_int_equal(told(json_at(trial, "/ports/0/counts"), ordered[i]), -1);
	}
	assert_int_equal(told(json_at(trial, "/counts"), "received"), measurement.counts.received);
	assert_int_equal(told(json_at(trial, "/counts"), "late"), measurement.counts.late);
	assert_int_equal(told(json_at(trial, "/ports/0/counts"), "received"), measurement.ports[0].counts.received);
	json_decref(trial);
	assert_says(report_trial(&measurement), "/order", "null");
	measurement.order_unknown = false;
	trial = report_trial(&measurement);
	assert_counts(json_at(trial, "/ports/0/counts"), &measurement.ports[0].counts);
	assert_true(json_is_object(json_at(trial, "/order")));
	json_decref(trial);
}

static void of_a_foreign_measurer_three_counts_are_known(void **state)
{
	json_t *trial;

	(void)state;
	measurement.has_counts = measurement.counts_are_partial = true;
	fill(&measurement.counts, 101);
	measurement.verdict.lost = 7;
	trial = report_trial(&measurement);
	json_each_member (name, value, json_at(trial, "/counts"))
		assert_int_equal(!json_is_null(value),
				 !strcmp(name, "sent") || !strcmp(name, "received") || !strcmp(name, "lost"));
	json_decref(trial);
}

static void order_has_depths_and_gaps(void **state)
{
	json_t *trial;

	(void)state;
	measurement.has_order = true;
	measurement.order =
		(struct order_summary){ 1, 2, 3.5, 4, { [0] = 8, [3] = 9, [RX_DEPTH_BUCKETS - 1] = 10 }, 5, 6, 7 };
	trial = report_trial(&measurement);
	assert_int_equal(json_array_size(json_at(trial, "/order/reorder_depths_by_power_of_2")), RX_DEPTH_BUCKETS);
	assert_int_equal(json_integer_value(json_at(trial, "/order/reorder_depths_by_power_of_2/3")), 9);
	assert_int_equal(json_integer_value(json_at(trial, "/order/reorder_depths_by_power_of_2/31")), 10);
	json_object_del((json_t *)json_at(trial, "/order"), "reorder_depths_by_power_of_2");
	assert_says(trial, "/order",
		    "{'window': 1, 'beyond_window': 2, 'reorder_depth_mean': 3.5, 'reorder_depth_max': 4, 'gaps': 5, "
		    "'gap_frames': 6, 'gap_max_frames': 7}");
	measurement.order.reorder_depth_mean = NAN;
	assert_says(report_trial(&measurement), "/order/reorder_depth_mean", "null");
}

static void lost_frames_have_places(void **state)
{
	(void)state;
	measurement.has_attribution = true;
	measurement.attribution = (struct loss_attribution){ 1, 2, 6, 3, 4, -5 };
	assert_says(
		report_trial(&measurement), "/loss_attribution",
		"{'unsent': 1, 'dropped_before_wire': 2, 'receiver_damaged': 6, 'receiver_missed': 3, 'tester_burst': 4, "
		"'sut': -5}");
	assert_says(report_trial(&measurement), "/tester_repeats", "0");
	measurement.tester_limited = true;
	measurement.tester_limited_reason = "why";
	measurement.tx_backend = "xsk";
	assert_says(report_trial(&measurement), "/tester_limited", "true");
	assert_says(report_trial(&measurement), "/tester_limited_reason", "'why'");
	assert_says(report_trial(&measurement), "/offered_less", "false");
	measurement.spoilt = SPOILT_BY_STOPS; /* even where the reason is another one */
	assert_says(report_trial(&measurement), "/offered_less", "true");
	assert_says(report_trial(&measurement), "/tx_backend", "'xsk'");
}

static void spoilt_performances_are_kept(void **state)
{
	struct spoilt_performance spoilt = {
		.reason = "stops",
		.verdict = { .unsent = 41, .lost = 42, .loss_ratio = 0.75 },
		.attribution = { 1, 2, 6, 3, 4, 5 },
		.stop_max_ns = 61,
		.moved_ns = 62,
		.wall_s = 6.5,
	};
	json_t *trial;

	(void)state;
	fill(&spoilt.counts, 301);
	measurement.has_attribution = true;
	measurement.spoilt_performances = &spoilt;
	measurement.tester_repeats = 1;
	measurement.link_repeats = 3;
	assert_says(report_trial(&measurement), "/tester_repeats", "1");
	assert_says(report_trial(&measurement), "/link_repeats", "3");
	trial = report_trial(&measurement);
	assert_int_equal(json_array_size(json_at(trial, "/spoilt_performances")), 1);
	assert_counts(json_at(trial, "/spoilt_performances/0/counts"), &spoilt.counts);
	assert_int_equal(told(json_at(trial, "/spoilt_performances/0/counts"), "unsent"), 41);
	json_object_del((json_t *)json_at(trial, "/spoilt_performances/0"), "counts");
	assert_says(trial, "/spoilt_performances/0",
		    "{'reason': 'stops', 'trial_loss_ratio': 0.75, 'wall_duration': 6.5, 'loss_attribution': {'unsent': 1, "
		    "'dropped_before_wire': 2, 'receiver_damaged': 6, 'receiver_missed': 3, 'tester_burst': 4, 'sut': 5}, "
		    "'stop_max_ns': 61, "
		    "'moved_ns': 62}");
}

#define LATENCY                                                                                                             \
	"'clock': 'c', 'definition': 'd', 'source': 's', 'error_bound_ns': 1.5, 'count': 2, 'min_ns': 300, 'mean_ns': "     \
	"5.5, "                                                                                                             \
	"'p50_ns': 6.5, 'p90_ns': 7.5, 'p99_ns': 8.5, 'p99_9_ns': 9.5, 'p99_99_ns': 10.5, 'max_ns': 400, "                  \
	"'pdv_p50_ns': 11.5, 'pdv_p99_ns': 12.5, 'pdv_p99_9_ns': 13.5, 'pdv_max_ns': 14, 'pdv_error_ns': 15.5"

static void latency_has_its_figures(void **state)
{
	struct selftest_figure floor = { .floor_p50_ns = 31.5, .floor_p99_ns = 32.5, .time = "now" };

	(void)state;
	measurement.has_latency = true;
	measurement.latency = (struct latency_summary){
		"c", "d", "s", 1.5, 2, 300, 400, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5,
	};
	assert_says(report_trial(&measurement), "/latency", "{" LATENCY "}");
	measurement.latency.has_variation = true;
	measurement.latency.variation = (struct variation_summary){ 21, 22.5, 23.5, 24.5, 25.5, 26.5 };
	measurement.latency.floor = &floor;
	measurement.has_departure = true;
	measurement.departure = (struct departure_summary){ "k", false, 41, 42, 43.5, 44.5, 45, 46 };
	assert_says(
		report_trial(&measurement), "/latency",
		"{" LATENCY ", 'ipdv_count': 21, 'ipdv_mean_ns': 22.5, 'ipdv_p50_ns': 23.5, 'ipdv_p99_ns': 24.5, "
		"'ipdv_p99_9_ns': 25.5, 'ipdv_max_ns': 26.5, 'departure_delay': {'source': 'k', 'count': 41, 'early': 42, "
		"'p50_ns': 43.5, 'p99_ns': 44.5, 'max_ns': 45, 'error_bound_ns': 46}, 'floor_p50_ns': 31.5, "
		"'floor_p99_ns': 32.5, 'floor_source': 'self-test of now'}");
	snprintf(measurement.latency_refused, REFUSED_SIZE, "because");
	assert_lacks(report_trial(&measurement), "/latency_refused"); /* there is one */
	measurement.has_latency = false;
	assert_says(report_trial(&measurement), "/latency", "null");
	assert_says(report_trial(&measurement), "/latency_refused", "'because'");
}

static void pacing_without_a_schedule_has_no_envelope(void **state)
{
	(void)state;
	measurement.has_pacing = true;
	measurement.pacing = (struct pacing_summary){
		1.5, 2.5, 3.5, 4, 5, 6, 7.5, false, 8, 9, 10, 11.5, 12.5, 13, { 14, 15, 16, 17500000000 }, 18, 19, 20
	};
	assert_says(report_trial(&measurement), "/pacing",
		    "{'intended_fps': 1.5, 'achieved_fps': 2.5, 'error_ppm': 3.5, 'gap_p50_ns': 4, 'gap_p99_ns': 5, "
		    "'gap_max_ns': 6, 'burst_max': null, 'transmit_duration': 7.5, 'burst_allowed': null, "
		    "'excess_frames_max': null, 'marked_frames': null}");
	measurement.pacing.is_paced = true;
	assert_says(
		report_trial(&measurement), "/pacing",
		"{'intended_fps': 1.5, 'achieved_fps': 2.5, 'error_ppm': 3.5, 'gap_p50_ns': 4, 'gap_p99_ns': 5, "
		"'gap_max_ns': 6, 'burst_max': 8, 'transmit_duration': 7.5, 'burst_allowed': 9, 'excess_frames_max': 10, "
		"'marked_frames': 13, 'excess_at': 11.5, 'excess_duration': 12.5, 'stop_count': 14, 'stop_total_ns': 15, "
		"'stop_max_ns': 16, 'stop_max_at': 17.5, 'catch_up_ns': 18, 'moves': 19, 'moved_ns': 20}");
}

static void ports_are_told_one_by_one(void **state)
{
	json_t *trial;

	(void)state;
	measurement.port_count = 2;
	measurement.ports[1] = (struct port_counts){
		.name = "b",
		.transmits = true,
		.extra_sent = 1,
		.extra_received = 2,
		.queries_sent = 3,
		.queries_answered = 4,
		.received_octets = 5,
		.nic_tx_frames = 6,
		.nic_tx_dropped = 7,
		.nic_rx_frames = 8,
		.nic_rx_missed = 9,
		.nic_rx_damaged = 10,
	};
	measurement.ports[0].receives = true;
	trial = report_trial(&measurement);
	assert_int_equal(json_array_size(json_at(trial, "/ports")), 2);
	assert_true(read_truth(json_at(trial, "/ports/0"), "receives") &&
		    !read_truth(json_at(trial, "/ports/0"), "transmits"));
	json_object_del((json_t *)json_at(trial, "/ports/1"), "counts");
	assert_says(trial, "/ports/1",
		    "{'name': 'b', 'transmits': true, 'receives': false, 'received_octets': 5, 'nic_tx_frames': 6, "
		    "'nic_tx_dropped': 7, 'nic_rx_frames': 8, 'nic_rx_missed': 9, 'nic_rx_damaged': 10, 'counters_moved': "
		    "[], 'extra_sent': 1, 'extra_received': 2, "
		    "'queries_sent': 3, 'queries_answered': 4}");
}

/* Two directions, of which one has frames of two ports; their intervals stand behind those of all. */
static void each_direction_has_figures_of_its_own(void **state)
{
	struct interval_counts intervals[] = { { .start_s = 0, .sent = 30, .received = 20 },
					       { .start_s = 0, .sent = 10, .received = 9 },
					       { .start_s = 0, .sent = 20, .received = 11 } };
	json_t *trial;

	(void)state;
	measurement.port_count = 3;
	for (unsigned int i = 0; i < 3; i++)
		measurement.ports[i].name[0] = (char)('a' + i);
	measurement.direction_count = 2;
	measurement.directions[0] = (struct trial_direction){ .to = 1, .from = 1 << 0 };
	measurement.directions[1] = (struct trial_direction){ .to = 0, .from = 1 << 1 | 1 << 2 };
	measurement.by_direction[0].verdict.loss_ratio = 0.1;
	measurement.by_direction[1].verdict.loss_ratio = 0.45;
	measurement.by_direction[0].latency = (struct latency_summary){ .mean_ns = 5, .p50_ns = 9, .p90_ns = 9 };
	measurement.by_direction[1].latency = (struct latency_summary){ .mean_ns = 7, .p50_ns = 8, .p90_ns = 9 };
	measurement.by_direction[1].has_latency = measurement.has_latency = true;
	measurement.latency = (struct latency_summary){ "c", "d", "s", .mean_ns = 7, .p50_ns = 9, .p90_ns = 9 };
	measurement.intervals = intervals;
	measurement.interval_count = 1;
	trial = report_trial(&measurement);
	assert_true(read_number(trial, "loss_ratio") == 0.45);
	assert_true(read_number(json_at(trial, "/directions/0"), "loss_ratio") == 0.1);
	assert_null(json_object_get(json_at(trial, "/directions/0/latency"), "mean_ns")); /* it has none */
	assert_true(read_number(json_at(trial, "/directions/1/latency"), "p50_ns") == 8);
	assert_int_equal(read_integer(json_at(trial, "/directions/0/intervals/0"), "received"), 9);
	assert_int_equal(read_integer(json_at(trial, "/directions/1/intervals/0"), "received"), 11);
	assert_says(json_incref(trial), "/worst_direction", "{'loss_ratio': {'from': 'b, c', 'to': 'a'}}");
	/* of what is the same in both, nobody is the worst */
	assert_says(trial, "/latency/worst_direction",
		    "{'mean_ns': {'from': 'b, c', 'to': 'a'}, 'p50_ns': {'from': 'a', 'to': 'b'}}");
	measurement.intervals = NULL;
}

/* That of the whole trials at the bound: the largest of each figure. */
static void latency_at_a_bound_is_of_its_trials(void **state)
{
	json_t *result = json_pack("{s:f, s:{s:f}}", "relevant_lower_bound", 100.0, "goal", "final_trial_duration", 2.0);
	json_t *trials = json_array();
	static const struct {
		double load_fps, duration_s, p50_ns, max_ns;
		bool is_warmup;
	} rows[] = { { 100, 2, 5, 80, false }, { 100, 3, 7, 70, false },  { 100, 1, 99, 99, false },
		     { 90, 2, 99, 99, false }, { 110, 2, 99, 99, false }, { 100, 2, 99, 99, true } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_array_append_new(trials, json_pack("{s:f, s:f, s:b, s:{s:f, s:f}}", "trial_load", rows[i].load_fps,
							"trial_duration", rows[i].duration_s, "warmup", rows[i].is_warmup,
							"latency", "p50_ns", rows[i].p50_ns, "max_ns", rows[i].max_ns));
	json_array_append_new(trials, json_pack("{s:f, s:f, s:n}", "trial_load", 100.0, "trial_duration", 2.0, "latency"));
	report_add_goal_latency(result, trials);
	assert_says(result, "/latency", "{'p50_ns': 7.0, 'max_ns': 80.0, 'trials': 2}");
	json_decref(trials);
}

/* More may come than was sent in an interval. */
static void intervals_have_what_was_due_in_them(void **state)
{
	struct interval_counts intervals[] = { { 0.5, 10, 13, 2, 100, 200, 150.5 }, { 1.5, 10, 4, 0, 1, 1, 1 } };

	(void)state;
	measurement.intervals = intervals;
	measurement.interval_count = 2;
	assert_says(report_trial(&measurement), "/intervals",
		    "[{'start': 0.5, 'sent': 10, 'received': 13, 'lost': -3, 'latency': {'min_ns': 100, 'mean_ns': 150.5, "
		    "'max_ns': 200}}, {'start': 1.5, 'sent': 10, 'received': 4, 'lost': 6}]");
	measurement.intervals = NULL;
	assert_lacks(report_trial(&measurement), "/intervals");
}

static void icmp_errors_say_who_said_what(void **state)
{
	struct icmp_report reports[] = {
		{ .port = 1,
		  .ip_version = 4,
		  .type = 3,
		  .code = 4,
		  .message = "m",
		  .from = "1.2.3.4",
		  .about = "5.6.7.8",
		  .flow = 9,
		  .mtu_octets = 1400,
		  .frames = 10,
		  .other_flows = 11 },
		{ .port = 0,
		  .ip_version = 6,
		  .type = 1,
		  .code = 0,
		  .message = "n",
		  .from = "::1",
		  .about = "::2",
		  .flow = RX_NO_FLOW,
		  .frames = 12 },
	};

	(void)state;
	measurement.port_count = 2;
	snprintf(measurement.ports[0].name, PORT_LABEL_SIZE, "a");
	snprintf(measurement.ports[1].name, PORT_LABEL_SIZE, "b");
	measurement.icmp_errors = reports;
	measurement.icmp_error_count = 2;
	assert_says(report_trial(&measurement), "/icmp_errors",
		    "[{'port': 'b', 'from': '1.2.3.4', 'ip_version': 4, 'type': 3, 'code': 4, 'message': 'm', "
		    "'about': '5.6.7.8', 'flow': 9, 'frames': 10, 'of_other_flows': 11, 'mtu_octets': 1400}, "
		    "{'port': 'a', 'from': '::1', 'ip_version': 6, 'type': 1, 'code': 0, 'message': 'n', 'about': '::2', "
		    "'flow': null, 'frames': 12, 'of_other_flows': 0}]");
}

static void a_trial_says_how_long_it_took(void **state)
{
	(void)state;
	assert_lacks(report_trial(&measurement), "/wall_duration");
	assert_lacks(report_trial(&measurement), "/residual_duration");
	assert_lacks(report_trial(&measurement), "/start_skew_ns");
	measurement.wall_s = 1.5;
	measurement.waits_s = 0.5;
	measurement.number = 7;
	measurement.residual = (struct residual_summary){ .waited_s = 2.5, .ended_by = "silence" };
	measurement.has_hosts = true;
	measurement.start_skew_ns = NAN;
	measurement.clock_bound_ns = 8.5;
	assert_says(report_trial(&measurement), "/wall_duration", "1.5");
	assert_says(report_trial(&measurement), "/waits_duration", "0.5");
	assert_says(report_trial(&measurement), "/trial_number", "7");
	assert_says(report_trial(&measurement), "/residual_duration", "2.5");
	assert_says(report_trial(&measurement), "/residual_ended_by", "'silence'");
	assert_says(report_trial(&measurement), "/start_skew_ns", "null");
	assert_says(report_trial(&measurement), "/clock_bound_ns", "8.5");
}

/* What an external measurer says beside is kept, and hides nothing of ours. */
static void members_of_others_are_passed_through(void **state)
{
	json_t *others = json_pack("{s:i, s:i}", "theirs", 5, "trial_load", 6);

	(void)state;
	measurement.passed_through = others;
	assert_says(report_trial(&measurement), "/theirs", "5");
	assert_says(report_trial(&measurement), "/trial_load", "1000.5");
	json_decref(others);
}

static void loads_have_bits(void **state)
{
	json_t *object = json_object();

	(void)state;
	report_add_bps(object, "load", 1000, 128);
	report_add_bps(object, "other", NAN, 64);
	assert_says(object, "",
		    "{'load_l1_bps': 1184000.0, 'load_l2_bps': 1024000.0, 'other_l1_bps': null, 'other_l2_bps': null}");
	assert_says(report_goal(&(struct mlr_goal){ .name = "g",
						    .loss_ratio = 0.5,
						    .exceed_ratio = 0.25,
						    .initial_trial_duration_s = 1.5,
						    .final_trial_duration_s = 2.5,
						    .duration_sum_s = 3.5,
						    .width_ratio = 0.125 }),
		    "",
		    "{'name': 'g', 'loss_ratio': 0.5, 'exceed_ratio': 0.25, 'initial_trial_duration': 1.5, "
		    "'final_trial_duration': 2.5, 'duration_sum': 3.5, 'width': 0.125}");
}

/* --- how it was measured ------------------------------------------------------------------------------------------------- */

static json_t *describe(struct measurer *)
{
	return json_pack("{s:s}", "name", "fake");
}

static json_t *traffic(struct measurer *)
{
	return json_string("traffic");
}

static void deviate(struct measurer *, json_t *sentences)
{
	json_array_append_new(sentences, json_string("its own"));
}

static const struct measurer_ops plain_ops = { .describe = describe, .traffic_profile = traffic };
static const struct measurer_ops deviating_ops = { .describe = describe, .traffic_profile = traffic, .deviations = deviate };

static void read_config(const char *line, struct config *ret)
{
	char text[256], *rest = text, *argv[32] = { NULL };
	bool finished;
	int argc = 0;

	snprintf(text, sizeof(text), "xdp-mlr %s", line);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	assert_int_equal(config_read(argc, argv, ret, &finished), EXIT_DONE);
}

/* The beginnings of the sentences, and nothing else. */
static void assert_deviations(const char *line, const struct measurer_ops *ops, const char *const *beginnings)
{
	struct measurer measurer = { .ops = ops };
	json_t *document = json_object();
	struct config config;
	size_t count = 0;

	read_config(line, &config);
	report_add_setting(document, &config, &measurer, 0);
	json_each (sentence, json_object_get(document, "deviations")) {
		if (!beginnings[count] || strncmp(json_string_value(sentence), beginnings[count], strlen(beginnings[count])))
			fail_msg("%s: %s", line, json_string_value(sentence));
		count++;
	}
	assert_null(beginnings[count]);
	assert_string_equal(read_text(json_object_get(document, "measurer"), "name"), "fake");
	assert_string_equal(read_text(document, "traffic_profile"), "traffic");
	assert_true(json_is_object(json_object_get(document, "units")));
	assert_true(json_is_object(json_object_get(document, "definitions")));
	assert_true(json_is_object(json_object_get(document, "environment")));
	assert_non_null(json_object_get(json_object_get(document, "configuration"), "frame-size"));
	config_free(&config);
	json_decref(document);
}

#define PHASE_D         "Phase d: at most 2 s for residual frames, 0.02 s after all of them have arrived, 0.4 s of silence"
#define PHASE_A(wait_s) "Phase a: no routing update is sent, so a router has its routes before the run; " wait_s " s pass"
#define RFC             "search -p a,b --preset rfc2544"

static void deviations_from_rfc2544_are_told(void **state)
{
	(void)state;
	assert_deviations(RFC, &plain_ops, (const char *const[]){ PHASE_A("2"), PHASE_D, NULL });
	assert_deviations(RFC, &deviating_ops, (const char *const[]){ PHASE_A("2"), PHASE_D, "its own", NULL });
	assert_deviations(RFC " --wait a=1,b=2,e=6", &plain_ops, (const char *const[]){ PHASE_A("1"), PHASE_D, NULL });
	assert_deviations(RFC " --wait a=2,b=3,e=4", &plain_ops,
			  (const char *const[]){ PHASE_A("2"), "Phase b: 3 s", PHASE_D, "Phase e: 4 s", NULL });
	assert_deviations(RFC " --goal name=g,final=60,exceed=0 --goal name=h,final=59,exceed=0", &plain_ops,
			  (const char *const[]){ PHASE_A("2"), PHASE_D, "Goal h: trials of 59 s", NULL });
	assert_deviations(RFC " --goal name=g,final=60,exceed=0,loss=0.5% --goal name=h,final=60,exceed=0.5", &plain_ops,
			  (const char *const[]){ PHASE_A("2"), PHASE_D,
						 "Goal g: Goal Loss Ratio 0.5 % and Goal Exceed Ratio 0 %",
						 "Goal h: Goal Loss Ratio 0 % and Goal Exceed Ratio 50 %", NULL });
	assert_deviations("search --measurer sim:hard,capacity=1e6 --max-load 1e7 --preset rfc2544", &plain_ops,
			  (const char *const[]){ NULL });
	assert_deviations("search --measurer sim:hard,capacity=1e6 --max-load 1e7 --preset rfc2544 --algorithm phased",
			  &plain_ops, (const char *const[]){ "Algorithm phased:", NULL });
}

/* What a replay does not know the stored search does. */
static void a_replay_takes_what_is_stored(void **state)
{
	struct measurer measurer = { .ops = &deviating_ops };
	struct config config;
	json_t *document = json_object();

	(void)state;
	read_config("search --replay tests/golden/search-1-sim.json", &config);
	json_object_set_new(config.stored->document, "deviations", json_string("stored"));
	json_object_set_new(config.stored->configuration, "beside", json_true());
	report_add_setting(document, &config, &measurer, 0);
	assert_string_equal(read_text(document, "deviations"), "stored");
	assert_true(json_is_object(json_object_get(document, "definitions"))); /* of which none are stored */
	assert_true(json_is_true(json_at(document, "/configuration/beside")));
	assert_non_null(json_at(document, "/configuration/frame-size"));
	config_free(&config);
	json_decref(document);
}

static void the_document_of_one_trial_has_it_in_bits_too(void **state)
{
	struct measurer measurer = { .ops = &plain_ops, .transmitters = 2 };
	struct config config;
	json_t *document;

	(void)state;
	read_config("trial -p a,b --load 5 --frame-size 128", &config);
	measurement.tester_limited = true;
	document = report_one_trial(&config, &measurer, &measurement, 0);
	assert_true(read_number(json_at(document, "/trial_result"), "trial_load_l1_bps") == 1000.5 * 148 * 8);
	assert_true(read_number(json_at(document, "/trial_result"), "trial_forwarding_rate_l2_bps") == 750.5 * 128 * 8);
	assert_true(read_truth(document, "tester_limited") && read_integer(document, "aggregate_factor") == 2);
	assert_true(json_is_null(json_object_get(document, "irregular_reason")));
	json_decref(document);
	document = report_one_trial(&config, &measurer, NULL, 0);
	assert_true(json_is_null(json_object_get(document, "trial_result")));
	assert_string_equal(read_text(document, "irregular_reason"), "interrupted");
	json_decref(document);
	config_free(&config);
}

/* The rows of the cause of a single trial of two directions, by one counter. The SUT lost 5000 frames. */
static json_t *rows_by(const char *counter, int change, int to_b, int to_a)
{
	json_t *observed = json_pack("{s:s, s:b, s:{s:{s:i, s:i}}}", "source", "dut", "whole", 1, "counters", counter,
				     "change", change, "per_second", change);
	json_t *directions = json_pack("[{s:s, s:s, s:{s:i}}, {s:s, s:s, s:{s:i}}]", "from", "a", "to", "b", "counts",
				       "lost", to_b, "from", "b", "to", "a", "counts", "lost", to_a);
	json_t *document = json_pack("{s:{s:i, s:i, s:{s:i, s:i}, s:{s:i}, s:o, s:[o]}}", "trial_result", "trial_load",
				     20000, "trial_duration", 1, "counts", "sent", 40000, "lost", to_b + to_a,
				     "loss_attribution", "sut", 5000, "directions", directions, "observed", observed);
	json_t *rows;

	assert_non_null(document);
	report_add_causes(document);
	rows = json_deep_copy(json_at(document, "/cause/rows"));
	json_decref(document);
	return rows;
}

/* What the tester's own port missed is no place in the SUT, although it is all that a direction lost. */
static void what_the_tester_lost_is_of_no_direction_of_the_sut(void **state)
{
	(void)state;
	assert_says(rows_by("eth1/rx_missed", 1000, 1000, 4000), "/0/kind", "'direction'");
	assert_says(rows_by("eth1/rx_missed", 1000, 1000, 5000), "", "[]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_trial_of_nothing_else_is_its_result, set_up),
		cmocka_unit_test_setup(counts_are_all_told, set_up),
		cmocka_unit_test_setup(order_that_nobody_looked_at_is_not_known, set_up),
		cmocka_unit_test_setup(of_a_foreign_measurer_three_counts_are_known, set_up),
		cmocka_unit_test_setup(order_has_depths_and_gaps, set_up),
		cmocka_unit_test_setup(lost_frames_have_places, set_up),
		cmocka_unit_test_setup(spoilt_performances_are_kept, set_up),
		cmocka_unit_test_setup(latency_has_its_figures, set_up),
		cmocka_unit_test_setup(pacing_without_a_schedule_has_no_envelope, set_up),
		cmocka_unit_test_setup(ports_are_told_one_by_one, set_up),
		cmocka_unit_test_setup(each_direction_has_figures_of_its_own, set_up),
		cmocka_unit_test_setup(latency_at_a_bound_is_of_its_trials, set_up),
		cmocka_unit_test_setup(intervals_have_what_was_due_in_them, set_up),
		cmocka_unit_test_setup(icmp_errors_say_who_said_what, set_up),
		cmocka_unit_test_setup(a_trial_says_how_long_it_took, set_up),
		cmocka_unit_test_setup(members_of_others_are_passed_through, set_up),
		cmocka_unit_test(loads_have_bits),
		cmocka_unit_test(deviations_from_rfc2544_are_told),
		cmocka_unit_test(a_replay_takes_what_is_stored),
		cmocka_unit_test_setup(the_document_of_one_trial_has_it_in_bits_too, set_up),
		cmocka_unit_test(what_the_tester_lost_is_of_no_direction_of_the_sut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
