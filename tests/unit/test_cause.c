/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a SUT lost frames: counters of trials whose cause is known. */
#include "cause/cause_names.h"
#include "mlr/cause.h"
#include "unit.h"

#define COUNTERS_MOST 256

/* A case that is built row by row. */
struct scene {
	struct mlr_cause_counter counters[COUNTERS_MOST];
	size_t counter_count;
	struct mlr_cause_trial trials[3];
	double changes[3][COUNTERS_MOST], levels[3][COUNTERS_MOST];
};

/* Two trials without loss at 100 kfps, and one at 110 kfps that loses so many. */
static struct scene scene_of(double lost)
{
	struct scene scene = { .trials = { { 100e3, 100e3, 0 }, { 100e3, 100e3, 0 }, { 110e3, 110e3, lost } } };

	return scene;
}

/* Trials of a second: a counter's growth is its rate. */
static void put(struct scene *scene, const char *name, double below, double above)
{
	size_t at = scene->counter_count++;

	scene->counters[at] = (struct mlr_cause_counter){ .source = "sut", .name = name };
	for (size_t i = 0; i < 3; i++)
		scene->changes[i][at] = scene->levels[i][at] = i < 2 ? below : above;
}

static void put_gauge(struct scene *scene, const char *name, double below, double above)
{
	put(scene, name, below, above);
	scene->counters[scene->counter_count - 1].is_gauge = true;
}

/* What a SUT with many counters says beside what is looked for: counters of what came and what was passed on, of CPUs, and of
 * other links. */
static void put_world(struct scene *scene)
{
	static const char *const passed_on[] = { "frames_transferred", "successfully_sent", "overall_tx", "tx_interrupts" };
	static const char *const came[] = { "link/eth0/rx_packets", "Ip/InReceives", "overall_rx", "rx_interrupts" };
	static char names[100][32];
	double lost = scene->trials[2].lost;

	for (size_t i = 0; i < COUNT_OF(came); i++) {
		put(scene, came[i], 100e3, 110e3);
		put(scene, passed_on[i], 100e3 - scene->trials[0].lost, 110e3 - lost);
	}
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(names[i], sizeof(names[i]), i % 2 ? "world%zu_events" : "other%zu_drop", i);
		put(scene, names[i], i % 3 ? (double)i : 0, i % 3 ? (double)i * 1.1 : 0);
	}
}

/* Trials at the Lower Bound were not observed. */
static void forget_lower(struct scene *scene)
{
	for (size_t i = 0; i < scene->counter_count; i++)
		scene->changes[0][i] = scene->changes[1][i] = scene->levels[0][i] = scene->levels[1][i] = NAN;
}

static struct mlr_causes find(struct scene *scene)
{
	struct mlr_cause_input input = { scene->counters, scene->counter_count, scene->trials, 3, 100e3, 110e3 };
	struct mlr_causes causes;

	for (size_t i = 0; i < 3; i++) {
		scene->trials[i].changes = scene->changes[i];
		scene->trials[i].levels = scene->levels[i];
	}
	assert_int_equal(mlr_cause_find(&input, &causes), 0);
	return causes;
}

static const char *name_of(const struct scene *scene, const struct mlr_causes *causes, size_t at)
{
	return at < causes->count ? scene->counters[causes->causes[at].counter].name : "none";
}

static void what_grows_by_the_lost_frames_is_the_place(void **state)
{
	struct scene scene = scene_of(4812);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "link/eth0/rx_packets", 100e3, 110e3);
	put(&scene, "link/eth0/rx_dropped", 0, 4812);
	put(&scene, "softnet/cpu1/dropped", 0, 4812);
	put(&scene, "softnet/cpu1/time_squeeze", 0, 300);
	put(&scene, "Ip/ForwDatagrams", 100e3, 105188);
	put(&scene, "never", 0, 0);
	put(&scene, "link/eth0/rx_bytes", 0, 4812);
	causes = find(&scene);
	assert_int_equal(causes.count, 3);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
	assert_close(causes.causes[0].per_lost, 1, 1e-12);
	assert_close(causes.causes[0].upper_per_frame, 4812 / 110e3, 1e-12);
	assert_string_equal(name_of(&scene, &causes, 1), "link/eth0/rx_dropped"); /* the sum, after the place */
	assert_int_equal(causes.causes[2].kind, MLR_CAUSE_GROWS);
	assert_int_equal(causes.idle, 1);
	assert_int_equal(causes.trials, 1);
	assert_close(causes.lost, 4812, 0);
}

static void a_cpu_that_works_for_others_stands_before_its_backlog(void **state)
{
	struct scene scene = scene_of(4812);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "softnet/cpu1/dropped", 0, 4812);
	put(&scene, "cpu1/programs", 0.8, 0.75);
	put(&scene, "cpu1/busy", 1, 1);
	put(&scene, "cpu0/programs", 1, 1);
	put(&scene, "cpu0/busy", 1, 1);
	causes = find(&scene);
	assert_int_equal(causes.count, 2);
	assert_string_equal(name_of(&scene, &causes, 0), "cpu1/programs");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_SHARED);
	assert_close(causes.causes[0].upper_level, 0.75, 1e-12);
	/* not where it takes little, */
	scene.levels[2][1] = 0.15;
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	/* nor where time is left */
	scene.levels[2][1] = 0.75;
	scene.levels[2][2] = 0.7;
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	/* nor where nobody knows how busy it was; what stands behind the last counter is none */
	scene.counters[2].name = "cpu2/busy";
	scene.levels[2][scene.counter_count] = 1;
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
}

/* A virtual machine that is stopped counts less time than passed. */
static void shares_of_a_cpu_are_of_the_time_that_it_accounts_for(void **state)
{
	struct scene scene = scene_of(4812);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "softnet/cpu1/dropped", 0, 4812);
	put(&scene, "cpu1/programs", 0.8, 0.22);
	put(&scene, "cpu1/busy", 0.8, 0.7);
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	put(&scene, "cpu1/accounted", 1, 0.7);
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "cpu1/programs");
	assert_string_equal(name_of(&scene, &causes, 2), "cpu1/busy"); /* which was not full at the Lower Bound */
	assert_int_equal(causes.causes[2].kind, MLR_CAUSE_SATURATED);
	/* It was full there, too, where that is all the time that was accounted for. */
	scene.levels[0][3] = scene.levels[1][3] = 0.81;
	causes = find(&scene);
	for (size_t i = 0; i < causes.count; i++)
		assert_int_not_equal(causes.causes[i].kind, MLR_CAUSE_SATURATED);
}

/* A backlog that lost a few of the frames does not tell where the others were lost. */
static void a_backlog_that_lost_few_frames_names_no_cpu(void **state)
{
	struct scene scene = scene_of(10e3);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "softnet/cpu1/dropped", 0, 100);
	put(&scene, "cpu1/programs", 0.8, 0.75);
	put(&scene, "cpu1/busy", 1, 1);
	causes = find(&scene);
	for (size_t i = 0; i < causes.count; i++)
		assert_int_not_equal(causes.causes[i].kind, MLR_CAUSE_SHARED);
}

static void limits_are_told_where_they_were_reached_with_the_loss(void **state)
{
	struct scene scene = scene_of(5000);
	struct mlr_causes causes;

	(void)state;
	put_gauge(&scene, "conntrack/use", 0.5, 1);
	put_gauge(&scene, "pool_percent", 40, 99);
	put_gauge(&scene, "old/use", 1, 1);
	put(&scene, "cpu3/busy", 0.8, 1);
	put(&scene, "cpu2/busy", 1, 1);
	put(&scene, "conntrack/drop", 0, 2500);
	causes = find(&scene);
	assert_int_equal(causes.count, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(causes.causes[i].kind, MLR_CAUSE_SATURATED);
	assert_string_equal(name_of(&scene, &causes, 3), "conntrack/drop");
	assert_close(causes.causes[3].per_lost, 0.5, 1e-12);
}

static void what_comes_with_the_load_is_no_cause(void **state)
{
	struct scene scene = scene_of(55e3); /* half are lost, and so many are passed on */
	struct mlr_causes causes;

	(void)state;
	put(&scene, "link/eth1/tx_packets", 100e3, 55e3);
	put(&scene, "softirq/NET_RX", 20e3, 22e3);
	causes = find(&scene);
	assert_int_equal(causes.count, 0);
	assert_int_equal(causes.idle, 0);
}

static void few_lost_frames_must_agree_exactly(void **state)
{
	struct scene scene = scene_of(40);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "a/dropped", 0, 40);
	put(&scene, "b/dropped", 0, 41);
	causes = find(&scene);
	assert_int_equal(causes.count, 2);
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
	assert_string_equal(name_of(&scene, &causes, 0), "a/dropped");
	assert_int_equal(causes.causes[1].kind, MLR_CAUSE_GROWS);
}

static void what_happens_as_often_without_loss_is_no_place(void **state)
{
	struct scene scene = scene_of(45);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "softirq/RCU", 54, 45);
	put(&scene, "tc/eth0/tbf-1/drops", 0, 45);
	put(&scene, "other/drops", 1, 45); /* a few frames of others are no objection */
	causes = find(&scene);
	assert_int_equal(causes.count, 2);
	assert_string_equal(name_of(&scene, &causes, 0), "tc/eth0/tbf-1/drops");
	assert_int_equal(causes.causes[1].kind, MLR_CAUSE_EXACT);
}

static void a_place_that_others_use_too_stands_before_the_sum(void **state)
{
	struct scene scene = scene_of(7195);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "link/eth0/rx_dropped", 0, 7195);
	put(&scene, "softnet/cpu1/dropped", 0, 7380);
	put(&scene, "other/lost", 0, 9000);
	causes = find(&scene);
	assert_int_equal(causes.count, 3);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_GROWS);
	assert_string_equal(name_of(&scene, &causes, 1), "link/eth0/rx_dropped");
}

static void of_counters_that_agree_the_one_of_loss_is_first(void **state)
{
	struct scene scene = scene_of(33e3);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "some", NAN, 33e3);
	put(&scene, "conntrack/drop", NAN, 33e3);
	causes = find(&scene);
	assert_int_equal(causes.count, 2);
	assert_string_equal(name_of(&scene, &causes, 0), "conntrack/drop");
}

/* Half of the frames, or all of them: as many come, or are passed on, as are lost. */
static void what_counts_traffic_is_no_place_without_a_lower_bound(void **state)
{
	const double lost[] = { 55e3, 110e3, 109e3 };

	(void)state;
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		struct scene scene = scene_of(lost[i]);
		struct mlr_causes causes;

		put(&scene, "softnet/cpu1/processed", NAN, lost[i]);
		put(&scene, "link/eth1/tx_packets", NAN, lost[i]);
		put(&scene, "interrupt/CAL", NAN, lost[i]);
		put(&scene, "Ip/InReceives", NAN, lost[i]);
		assert_int_equal(find(&scene).count, 0);
		put(&scene, "Ip/InAddrErrors", NAN, lost[i]);
		causes = find(&scene);
		assert_int_equal(causes.count, 1);
		assert_string_equal(name_of(&scene, &causes, 0), "Ip/InAddrErrors");
	}
}

/* Of four directions one is dead, or all but one: those that live pass on as many frames as a dead one loses. */
static void traffic_of_several_directions_is_no_place_without_a_lower_bound(void **state)
{
	const double lost[] = { 110e3 / 4, 110e3 * 3 / 4, 110e3 / 3, 110e3 / 8 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lost); i++) {
		struct scene scene = scene_of(lost[i]);
		struct mlr_causes causes;

		put(&scene, "link/eth1/tx_packets", NAN, lost[i]);
		assert_int_equal(find(&scene).count, 0);
		put(&scene, "link/eth0/rx_crc_errors", NAN, lost[i]);
		causes = find(&scene);
		assert_int_equal(causes.count, 1);
		assert_string_equal(name_of(&scene, &causes, 0), "link/eth0/rx_crc_errors");
	}
}

/* A single trial: what is called after a loss, and holds nearly all of it, is told, but not as the place. */
static void nearly_all_of_the_loss_is_told_without_a_lower_bound(void **state)
{
	struct scene scene = scene_of(10e3);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "softnet/cpu1/dropped", NAN, 9800);
	put(&scene, "softnet/cpu1/received", NAN, 9800);
	put(&scene, "other/drops", NAN, 9000);
	put(&scene, "other/drops_bytes", NAN, 10e3);
	causes = find(&scene);
	assert_int_equal(causes.count, 1);
	assert_string_equal(name_of(&scene, &causes, 0), "softnet/cpu1/dropped");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_GROWS);
	assert_close(causes.causes[0].per_lost, 0.98, 1e-12);
	assert_true(isnan(causes.causes[0].lower_per_frame));
}

static void a_few_events_are_chance(void **state)
{
	struct scene scene = scene_of(200), few = scene_of(60);

	(void)state;
	put(&scene, "Icmp/OutMsgs", 0, 15);
	put(&scene, "other/drops", 0, 15);
	assert_int_equal(find(&scene).count, 0);
	put(&scene, "more/drops", 0, 25);
	assert_int_equal(find(&scene).count, 1);
	put(&few, "Icmp/OutMsgs", 0, 45); /* of 60 lost frames */
	assert_int_equal(find(&few).count, 0);
	put(&few, "some/drops", 0, 45);
	assert_int_equal(find(&few).count, 1);
}

static void a_word_of_a_name_is_no_part_of_another(void **state)
{
	struct scene scene = scene_of(4812);

	(void)state;
	assert_true(mlr_cause_ends_with_word("conntrack/use", "use"));
	assert_true(mlr_cause_ends_with_word("use", "use"));
	assert_true(mlr_cause_ends_with_word("pool_use{cpu=\"1\"}", "use"));
	assert_true(mlr_cause_ends_with_word("poolUse", "use"));
	assert_true(mlr_cause_ends_with_word("cpu0use", "use"));
	assert_false(mlr_cause_ends_with_word("tx_pause", "use"));
	assert_false(mlr_cause_ends_with_word("TX_PAUSE", "use"));
	assert_false(mlr_cause_ends_with_word("payload", "load"));
	assert_false(mlr_cause_ends_with_word("se", "use"));
	assert_false(mlr_cause_ends_with_word("", "use"));
	put_gauge(&scene, "tx_pause", 0, 300);
	assert_int_equal(find(&scene).count, 0);
}

static void a_counter_of_loss_has_a_word_of_loss(void **state)
{
	static const char *const of_loss[] = { "rxq3_drops",
					       "link/eth0/rx_dropped",
					       "Ip/InAddrErrors",
					       "IpInDiscards",
					       "TCPRcvQDrop",
					       "RXDropped",
					       "imissed",
					       "rxdrops",
					       "in-discards",
					       "Ip/InNoRoutes",
					       "rx_no_buffer_count",
					       "rx_out_of_buffer",
					       "queue_full",
					       "q_drop_total{n=\"1\"}",
					       "rx_fifo_errors",
					       "ListenOverflows",
					       "rx_over_errors",
					       "rx_nombuf",
					       "tail-drop",
					       "TX_ERR" };
	static const char *const of_traffic[] = {
		"frames_transferred", "rx_interrupts", "overall_rx",     "successfully_sent",
		"deferred",           "coverage",      "hoverboard",     "dropbear_logins",
		"flow_overview",      "terrace",       "no_vlan_frames", "transmissions",
		"fullness_of_moon",   "Ip/InReceives", "carrier",        ""
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(of_loss); i++)
		if (!mlr_cause_name_is_of_loss(of_loss[i]))
			fail_msg("%s is of loss", of_loss[i]);
	for (size_t i = 0; i < COUNT_OF(of_traffic); i++)
		if (mlr_cause_name_is_of_loss(of_traffic[i]))
			fail_msg("%s is of no loss", of_traffic[i]);
}

/* One trial that loses half, or all, of the frames: those that are passed on, or come, are as many. */
static void what_is_transferred_is_no_place(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct scene scene = scene_of(all ? 110e3 : 56e3);

		put_world(&scene);
		forget_lower(&scene);
		assert_int_equal(find(&scene).count, 0);
	}
}

/* The first and last samples of a short trial may be of a SUT without load. */
static void what_is_mostly_at_its_limit_is_at_it(void **state)
{
	struct scene scene = scene_of(5000);
	size_t at;

	(void)state;
	put_world(&scene);
	at = scene.counter_count;
	put_gauge(&scene, "worker_use", 0.8, 1);
	scene.levels[2][at] = 0.82;
	assert_int_equal(find(&scene).count, 1);
	/* not where it reaches the limit at the Lower Bound, too, or is there for a moment */
	scene.changes[1][at] = scene.changes[0][at] = 1;
	assert_int_equal(find(&scene).count, 0);
	scene.changes[1][at] = scene.changes[0][at] = 0.8;
	scene.levels[2][at] = 0.7;
	assert_int_equal(find(&scene).count, 0);
}

static void what_is_idle_is_not_at_its_limit(void **state)
{
	struct scene scene = scene_of(5000);
	struct mlr_causes causes;

	(void)state;
	put_world(&scene);
	put_gauge(&scene, "worker2_idle_percent", 60, 100);
	put_gauge(&scene, "buffersFreePercent", 60, 100);
	put_gauge(&scene, "pool/available_ratio", 0.6, 1);
	assert_int_equal(find(&scene).count, 0);
	put_gauge(&scene, "worker1_busy_percent", 60, 100);
	causes = find(&scene);
	assert_int_equal(causes.count, 1);
	assert_string_equal(name_of(&scene, &causes, 0), "worker1_busy_percent");
}

static void events_of_a_cpu_are_no_frames(void **state)
{
	struct scene scene = scene_of(4812);

	(void)state;
	put(&scene, "interrupt/36", 0, 4812);
	put(&scene, "softirq/BLOCK", 0, 300);
	assert_int_equal(find(&scene).count, 0);
}

static void an_error_of_one_place_is_no_sum(void **state)
{
	struct scene scene = scene_of(4812);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "ifInErrors/eth0", 0, 4812);
	put(&scene, "Ip/InAddrErrors", 0, 4812);
	causes = find(&scene);
	assert_string_equal(name_of(&scene, &causes, 0), "Ip/InAddrErrors");
}

static void at_most_five_are_told_the_best_of_many(void **state)
{
	struct scene scene = scene_of(1000);
	struct mlr_causes causes;

	(void)state;
	for (int i = 0; i < 8; i++)
		put(&scene, "some", 0, 100 + i);
	put(&scene, "exact", 0, 1000);
	causes = find(&scene);
	assert_int_equal(causes.count, MLR_CAUSES_MAX);
	assert_string_equal(name_of(&scene, &causes, 0), "exact");
	assert_close(causes.causes[1].per_lost, 0.107, 1e-12);
	assert_close(causes.causes[4].per_lost, 0.104, 1e-12);
	/* whatever the order in which they are listed */
	scene = scene_of(1000);
	for (int i = 8; i > 0; i--)
		put(&scene, "some", 0, 100 + i);
	causes = find(&scene);
	assert_int_equal(causes.count, MLR_CAUSES_MAX);
	assert_close(causes.causes[0].per_lost, 0.108, 1e-12);
	assert_close(causes.causes[4].per_lost, 0.104, 1e-12);
}

static void nothing_is_said_of_nothing(void **state)
{
	struct scene scene = scene_of(0);
	struct mlr_cause_trial alone = { 1e5, 1e5, 500, (double[]){ 500, NAN, 1e5 }, (double[]){ 500, NAN, 1e5 } };
	const struct mlr_cause_counter counters[] = { { "x", "d" }, { "x", "unknown" }, { "x", "packets" } };
	struct mlr_cause_input input = { counters, 3, &alone, 1, NAN, NAN };
	struct mlr_causes causes;

	(void)state;
	put(&scene, "a", 0, 5);
	causes = find(&scene);
	assert_int_equal(causes.count, 0);
	assert_int_equal(causes.trials, 0);
	/* one trial, without a Lower Bound: what is exact speaks for itself */
	assert_int_equal(mlr_cause_find(&input, &causes), 0);
	assert_int_equal(causes.count, 1);
	assert_int_equal(causes.causes[0].counter, 0);
}

/* Far above the Upper Bound frames are lost elsewhere, too. */
static void the_trials_nearest_to_the_upper_bound_decide(void **state)
{
	struct scene scene = scene_of(900);
	struct mlr_causes causes;

	(void)state;
	scene.trials[0] = (struct mlr_cause_trial){ 200e3, 200e3, 5000 };
	put(&scene, "far/drops", 0, 0);
	put(&scene, "near/drops", 0, 900);
	put(&scene, "link/near/rx_dropped", 0, 900);
	scene.changes[0][0] = 5000;
	causes = find(&scene);
	assert_int_equal(causes.trials, 1);
	assert_close(causes.lost, 900, 0);
	assert_int_equal(causes.count, 2);
	assert_string_equal(name_of(&scene, &causes, 0), "near/drops");
	/* in whatever order they were made */
	scene.trials[1] = scene.trials[2];
	scene.trials[2] = scene.trials[0];
	scene.trials[0] = (struct mlr_cause_trial){ 100e3, 100e3, 0 };
	scene.changes[0][0] = scene.changes[1][0] = 0;
	scene.changes[2][0] = 5000;
	scene.changes[1][1] = scene.changes[1][2] = 900;
	scene.changes[2][1] = scene.changes[2][2] = 0;
	causes = find(&scene);
	assert_int_equal(causes.trials, 1);
	assert_close(causes.lost, 900, 0);
	assert_string_equal(name_of(&scene, &causes, 0), "near/drops");
}

/* A source that was late in a trial says nothing of it. */
static void what_is_not_known_of_a_trial_is_left_out(void **state)
{
	struct scene scene = scene_of(900);
	struct mlr_causes causes;

	(void)state;
	scene.trials[1] = (struct mlr_cause_trial){ 110e3, 110e3, 700 };
	put(&scene, "qdisc/drops", 0, 900);
	put(&scene, "rarely/drops", 0, 0);
	scene.changes[1][0] = scene.levels[1][0] = NAN;
	scene.changes[2][1] = scene.levels[2][1] = NAN;
	scene.changes[1][1] = scene.levels[1][1] = 700;
	causes = find(&scene);
	assert_int_equal(causes.count, 1);
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
	assert_close(causes.causes[0].per_lost, 1, 1e-12);
	assert_close(causes.lost, 1600, 0);
}

/* Counters of which each has so many of the lost frames that no one says anything. */
static void put_queues(struct scene *scene, const char *begin, const char *end, size_t count, double below, double above)
{
	static char names[64][40];

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "%s%zu%s", begin, i, end);
		put(scene, names[i],
		    floor(below * (double)(i + 1) / (double)count) - floor(below * (double)i / (double)count),
		    floor(above * (double)(i + 1) / (double)count) - floor(above * (double)i / (double)count));
	}
}

static void counters_whose_names_differ_in_numbers_are_one(void **state)
{
	static const char *const begins[] = { "rxq", "softnet/cpu", "q_drop_total{queue=\"" };
	static const char *const ends[] = { "_drop", "/dropped", "\"}" };
	static const char *const names[] = { "rxq*_drop", "softnet/cpu*/dropped", "q_drop_total{queue=\"*\"}" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct scene scene = scene_of(546);
		struct mlr_causes causes;
		char name[40];

		put_world(&scene);
		put_queues(&scene, begins[i], ends[i], 32, 0, 546);
		causes = find(&scene);
		assert_int_equal(causes.count, 1);
		assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
		assert_int_equal(causes.causes[0].members, 32);
		assert_int_equal(causes.causes[0].largest_count, MLR_CAUSE_LARGEST);
		assert_close(causes.causes[0].largest_changes[0], 18, 0);
		assert_close(causes.causes[0].largest_changes[1], 18, 0);
		assert_close(causes.causes[0].change, 546, 0);
		mlr_cause_family_name(name_of(&scene, &causes, 0), sizeof(name), name);
		assert_string_equal(name, names[i]);
	}
	/* also where each of them is told by itself, but not where one of them is nearly all */
	for (int alone = 0; alone < 2; alone++) {
		struct scene scene = scene_of(4000);
		struct mlr_causes causes;

		put_world(&scene);
		put_queues(&scene, "q", "_drop", 8, 0, 4000);
		for (size_t i = 0; alone && i < 8; i++)
			scene.changes[2][scene.counter_count - 8 + i] = i == 3 ? 3990 : i ? 0 : 10;
		causes = find(&scene);
		assert_int_equal(causes.count, 1);
		assert_int_equal(causes.causes[0].members, alone ? 0 : 8);
		assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
		if (alone)
			assert_string_equal(name_of(&scene, &causes, 0), "q3_drop");
	}
}

/* Traffic of many queues is no place, whatever it comes to. */
static void a_family_of_traffic_is_no_place(void **state)
{
	struct scene scene = scene_of(55e3);

	(void)state;
	put_world(&scene);
	put_queues(&scene, "txq", "_packets", 16, 100e3, 55e3);
	assert_int_equal(find(&scene).count, 0);
	forget_lower(&scene);
	assert_int_equal(find(&scene).count, 0);
}

static void parts_that_add_up_to_the_loss_are_told_as_such(void **state)
{
	struct scene scene = scene_of(5000);
	struct mlr_causes causes;

	(void)state;
	put(&scene, "placeA_drop", 0, 3000);
	put(&scene, "placeB_drop", 0, 2000);
	put(&scene, "link/eth0/rx_dropped", 0, 5000); /* the sum stands behind */
	causes = find(&scene);
	assert_int_equal(causes.parts, 2);
	assert_int_equal(causes.count, 3);
	assert_string_equal(name_of(&scene, &causes, 0), "placeA_drop");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_PART);
	assert_string_equal(name_of(&scene, &causes, 1), "placeB_drop");
	assert_int_equal(causes.causes[1].kind, MLR_CAUSE_PART);
	/* beside others that lose frames of nobody */
	put(&scene, "others_drop", 0, 1234);
	assert_int_equal(find(&scene).parts, 2);
	/* a third and small one */
	scene.changes[2][0] = 2900;
	put(&scene, "placeC_miss", 0, 100);
	scene.changes[2][3] = 0;
	causes = find(&scene);
	assert_int_equal(causes.parts, 3);
	assert_string_equal(name_of(&scene, &causes, 2), "placeC_miss");
	/* not those that hardly do */
	scene.changes[2][1] = 2200;
	assert_int_equal(find(&scene).parts, 0);
	/* and none beside a place that is all of it */
	put(&scene, "all_drops", 0, 5000);
	scene.changes[2][1] = 2000;
	causes = find(&scene);
	assert_int_equal(causes.parts, 0);
	assert_string_equal(name_of(&scene, &causes, 0), "all_drops");
}

/* Drivers count a frame under several names. Half of the loss that is counted twice is not all of it. */
static void what_is_counted_twice_does_not_add_up(void **state)
{
	struct scene scene = scene_of(6000);
	struct mlr_causes causes;

	(void)state;
	scene.trials[2].lost_of_direction[0] = scene.trials[2].lost_of_direction[1] = 3000;
	put_world(&scene);
	put(&scene, "rx_no_dma_resources", 0, 3000);
	put(&scene, "rx_fifo_errors", 0, 3000);
	causes = find(&scene);
	assert_int_equal(causes.parts, 0);
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_GROWS);
	/* nor beside a third that adds up with both */
	put(&scene, "tx_fail", 0, 2000);
	for (size_t i = 0; i < 2; i++)
		scene.changes[2][scene.counter_count - 3 + i] = 2000;
	assert_int_equal(find(&scene).parts, 0);
}

/* A goal that allows a loss of 0.5 %: the Lower Bound loses nearly as much as the Upper Bound. */
static void a_part_of_the_loss_is_one_at_a_lower_bound_with_loss(void **state)
{
	struct scene scene = scene_of(600);
	struct mlr_causes causes;

	(void)state;
	scene.trials[0] = (struct mlr_cause_trial){ 90e3, 90e3, 0 }; /* a trial of the search */
	scene.trials[1].lost = 450;
	put_world(&scene);
	put(&scene, "placeA_drop", 0, 360);
	put(&scene, "placeB_drop", 0, 240);
	put(&scene, "of_load_drop", 400, 440); /* as many without loss */
	put(&scene, "of_load_events", 400, 440);
	for (size_t i = 0; i < 2; i++)
		scene.changes[1][scene.counter_count - 4 + i] = i ? 180 : 270;
	causes = find(&scene);
	assert_int_equal(causes.count, 2);
	assert_int_equal(causes.parts, 2);
	assert_string_equal(name_of(&scene, &causes, 0), "placeA_drop");
	assert_close(causes.causes[0].per_lost, 0.6, 1e-12);
	/* one that holds another part there is none of this loss */
	scene.changes[1][scene.counter_count - 4] = 450;
	assert_int_equal(find(&scene).parts, 0);
}

/* What a counter always does is none of the loss. */
static void a_constant_background_is_subtracted(void **state)
{
	(void)state;
	for (int by_second = 0; by_second < 2; by_second++) {
		struct scene scene = scene_of(2200);
		struct mlr_causes causes;

		put_world(&scene);
		put(&scene, "queue_drop", 200, 2200 + (by_second ? 200 : 220));
		causes = find(&scene);
		assert_int_equal(causes.count, 1);
		assert_string_equal(name_of(&scene, &causes, 0), "queue_drop");
		assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
		assert_close(causes.causes[0].background, by_second ? 200 : 220, 1e-9);
		assert_close(causes.causes[0].per_lost, 1, 1e-12);
		/* but not more than the loss */
		scene.counters[scene.counter_count - 1].name = "small_drop";
		scene.changes[0][scene.counter_count - 1] = scene.changes[1][scene.counter_count - 1] = 3000;
		scene.changes[2][scene.counter_count - 1] = 2200 + 3300;
		assert_int_equal(find(&scene).count, 0);
		/* nor of what is not called after a loss */
		scene.counters[scene.counter_count - 1].name = "events";
		scene.changes[0][scene.counter_count - 1] = scene.changes[1][scene.counter_count - 1] = 200;
		scene.changes[2][scene.counter_count - 1] = 2200 + 220;
		assert_int_equal(find(&scene).count, 0);
	}
}

static void a_counter_may_agree_with_one_direction(void **state)
{
	struct scene scene = scene_of(5000);
	struct mlr_causes causes;

	(void)state;
	scene.trials[2].lost_of_direction[0] = 4000;
	scene.trials[2].lost_of_direction[1] = 1000;
	put_world(&scene);
	put(&scene, "eth0_drop", 0, 1000);
	put(&scene, "eth1_drop", 0, 4000);
	put(&scene, "some_events", 0, 1000);
	causes = find(&scene);
	assert_int_equal(causes.count, 3);
	assert_int_equal(causes.parts, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(causes.causes[i].kind, MLR_CAUSE_DIRECTION);
		assert_int_equal(causes.causes[i].direction, strcmp(name_of(&scene, &causes, i), "eth0_drop") == 0 ? 1 : 0);
	}
	assert_int_equal(causes.causes[2].kind, MLR_CAUSE_GROWS);
}

/* A SUT that treats both directions alike loses nearly as many in each: only one that is exact tells which. */
static void directions_that_lose_alike_are_not_taken_for_each_other(void **state)
{
	struct scene scene = scene_of(5010);
	struct mlr_causes causes;

	(void)state;
	scene.trials[2].lost_of_direction[0] = 2500;
	scene.trials[2].lost_of_direction[1] = 2510;
	put_world(&scene);
	put(&scene, "left_drop", 0, 2510);
	causes = find(&scene);
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_DIRECTION);
	assert_int_equal(causes.causes[0].direction, 1);
	/* one that is between them may be of either, */
	scene.changes[2][scene.counter_count - 1] = 2504;
	causes = find(&scene);
	for (size_t i = 0; i < causes.count; i++)
		assert_int_not_equal(causes.causes[i].kind, MLR_CAUSE_DIRECTION);
	/* and any where as many are lost in both */
	scene.trials[2].lost_of_direction[0] = scene.trials[2].lost_of_direction[1] = 2505;
	scene.changes[2][scene.counter_count - 1] = 2505;
	causes = find(&scene);
	for (size_t i = 0; i < causes.count; i++)
		assert_int_not_equal(causes.causes[i].kind, MLR_CAUSE_DIRECTION);
}

/* Where a source has no first sample of the nearest trial, those above it tell. */
static void a_trial_that_is_known_judges(void **state)
{
	struct scene scene = scene_of(900);
	struct mlr_causes causes;

	(void)state;
	scene.trials[1] = (struct mlr_cause_trial){ 120e3, 120e3, 5000 };
	put_world(&scene);
	put(&scene, "q_drop", 0, NAN);
	scene.changes[1][scene.counter_count - 1] = 5000;
	causes = find(&scene);
	assert_int_equal(causes.count, 1);
	assert_string_equal(name_of(&scene, &causes, 0), "q_drop");
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
	assert_int_equal(causes.causes[0].trials, 1);
	assert_close(causes.causes[0].lost, 5000, 0);
	assert_close(causes.lost, 900, 0);
}

static void a_counter_that_appears_begins_at_zero_where_that_can_be(void **state)
{
	(void)state;
	assert_close(mlr_cause_appeared("q_drop{reason=\"full\"}", 40, 900, 900), 900, 0);
	assert_true(isnan(mlr_cause_appeared("q_drop{reason=\"full\"}", 901, 1500, 900)));
	assert_true(isnan(mlr_cause_appeared("rx_frames", 40, 900, 900)));
	assert_true(isnan(mlr_cause_appeared("q_drop", 40, 900, NAN)));
}

static void what_is_not_known_did_not_do_nothing(void **state)
{
	struct scene scene = scene_of(900);

	(void)state;
	put(&scene, "q_drop", 0, NAN);
	put(&scene, "never", 0, 0);
	assert_int_equal(find(&scene).idle, 1);
}

/* Goals that allow loss have it at the Lower Bound, too. */
static void loss_at_the_lower_bound_belongs_to_it(void **state)
{
	struct scene scene = scene_of(900);
	struct mlr_causes causes;

	(void)state;
	scene.trials[0].lost = scene.trials[1].lost = 400;
	put(&scene, "qdisc/drops", 400, 900);
	causes = find(&scene);
	assert_int_equal(causes.count, 1);
	assert_int_equal(causes.causes[0].kind, MLR_CAUSE_EXACT);
}

/* Sixty counters called after a loss, each of which has a burst of any size in every third trial. With one trial at each bound some
 * agree with the loss by chance; three trials at each leave none. */
static void what_comes_by_chance_is_seldom_the_place(void **state)
{
	enum { WORLDS = 1000, COUNTERS = 60, TRIALS_MOST = 6 };
	static char names[COUNTERS][16];
	struct mlr_cause_counter counters[COUNTERS];
	double values[TRIALS_MOST][COUNTERS];
	uint64_t random = 20261128;

	(void)state;
	for (size_t i = 0; i < COUNTERS; i++) {
		snprintf(names[i], sizeof(names[i]), "%c%zu_drop", (char)('a' + i / 10), i % 10);
		counters[i] = (struct mlr_cause_counter){ .source = "sut", .name = names[i] };
	}
	for (size_t trials = 1; trials <= 3; trials += 2) {
		size_t places = 0, parts = 0;

		for (int world = 0; world < WORLDS; world++) {
			struct mlr_cause_trial list[TRIALS_MOST];
			const struct mlr_cause_input input = { counters, COUNTERS, list, 2 * trials, 100e3, 110e3 };
			struct mlr_causes causes;

			for (size_t i = 0; i < 2 * trials; i++) {
				double load = i < trials ? 100e3 : 110e3;

				list[i] = (struct mlr_cause_trial){ load,      load,      i < trials ? 0 : 500,
								    values[i], values[i], { 0 } };
				for (size_t j = 0; j < COUNTERS; j++)
					values[i][j] =
						random_unit(&random) < 0.3 ? floor(pow(1e4, random_unit(&random))) : 0;
			}
			assert_int_equal(mlr_cause_find(&input, &causes), 0);
			places += causes.count && causes.causes[0].kind == MLR_CAUSE_EXACT;
			parts += causes.parts > 0;
		}
		if (places > (trials == 1 ? 60 : 0) || parts > (trials == 1 ? 30 : 0))
			fail_msg("of %d worlds %zu have a place and %zu parts, by %zu trials", WORLDS, places, parts,
				 trials);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_grows_by_the_lost_frames_is_the_place),
		cmocka_unit_test(a_cpu_that_works_for_others_stands_before_its_backlog),
		cmocka_unit_test(shares_of_a_cpu_are_of_the_time_that_it_accounts_for),
		cmocka_unit_test(a_backlog_that_lost_few_frames_names_no_cpu),
		cmocka_unit_test(limits_are_told_where_they_were_reached_with_the_loss),
		cmocka_unit_test(what_comes_with_the_load_is_no_cause),
		cmocka_unit_test(few_lost_frames_must_agree_exactly),
		cmocka_unit_test(what_happens_as_often_without_loss_is_no_place),
		cmocka_unit_test(a_place_that_others_use_too_stands_before_the_sum),
		cmocka_unit_test(of_counters_that_agree_the_one_of_loss_is_first),
		cmocka_unit_test(what_counts_traffic_is_no_place_without_a_lower_bound),
		cmocka_unit_test(traffic_of_several_directions_is_no_place_without_a_lower_bound),
		cmocka_unit_test(nearly_all_of_the_loss_is_told_without_a_lower_bound),
		cmocka_unit_test(a_few_events_are_chance),
		cmocka_unit_test(a_word_of_a_name_is_no_part_of_another),
		cmocka_unit_test(a_counter_of_loss_has_a_word_of_loss),
		cmocka_unit_test(what_is_transferred_is_no_place),
		cmocka_unit_test(what_is_mostly_at_its_limit_is_at_it),
		cmocka_unit_test(what_is_idle_is_not_at_its_limit),
		cmocka_unit_test(events_of_a_cpu_are_no_frames),
		cmocka_unit_test(an_error_of_one_place_is_no_sum),
		cmocka_unit_test(at_most_five_are_told_the_best_of_many),
		cmocka_unit_test(nothing_is_said_of_nothing),
		cmocka_unit_test(the_trials_nearest_to_the_upper_bound_decide),
		cmocka_unit_test(what_is_not_known_of_a_trial_is_left_out),
		cmocka_unit_test(loss_at_the_lower_bound_belongs_to_it),
		cmocka_unit_test(counters_whose_names_differ_in_numbers_are_one),
		cmocka_unit_test(a_family_of_traffic_is_no_place),
		cmocka_unit_test(parts_that_add_up_to_the_loss_are_told_as_such),
		cmocka_unit_test(what_is_counted_twice_does_not_add_up),
		cmocka_unit_test(a_part_of_the_loss_is_one_at_a_lower_bound_with_loss),
		cmocka_unit_test(a_constant_background_is_subtracted),
		cmocka_unit_test(a_counter_may_agree_with_one_direction),
		cmocka_unit_test(directions_that_lose_alike_are_not_taken_for_each_other),
		cmocka_unit_test(a_trial_that_is_known_judges),
		cmocka_unit_test(a_counter_that_appears_begins_at_zero_where_that_can_be),
		cmocka_unit_test(what_is_not_known_did_not_do_nothing),
		cmocka_unit_test(what_comes_by_chance_is_seldom_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
