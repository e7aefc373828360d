/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which frames did not come, by a receiver that remembers eight numbers of each of two flows. */
#include "../test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measurer/lost.h"
#include "measurer/xdp_private.h"

#define WINDOW 8
#define FLOWS  2
#define FIRST  1000 /* the trial's first number */
#define LOAD   100.0

static uint32_t seen[FLOWS][WINDOW];
static bool came[FLOWS];

/* in place of the receiver */
uint32_t rx_window(const struct rx *rx)
{
	(void)rx;
	return WINDOW;
}

int rx_flow(const struct rx *rx, uint32_t flow, uint32_t *ret_seen, bool *ret_came)
{
	(void)rx;
	memcpy(ret_seen, seen[flow], sizeof(seen[flow]));
	*ret_came = came[flow];
	return 0;
}

static void arrive(uint32_t flow, uint32_t number)
{
	seen[flow][(FIRST + number) % WINDOW] = FIRST + number;
	came[flow] = true;
}

static const struct mlr_flow flows[FLOWS] = { { .id = 0 }, { .id = 1 } };
static struct mlr_queue_plan plan = { .flows = flows, .flow_count = FLOWS, .step = 1 };
static struct tx queue;
static struct tx_port port = { .queue_count = 1, .plans = { &plan }, .queues = { &queue } };
static struct measurer_xdp *xdp;

static int set_up(void **state)
{
	(void)state;
	xdp = calloc(1, sizeof(*xdp));
	xdp->port_count = 2;
	xdp->ends[0] = (struct endpoint){ .number = 0, .transmits = true, .tx = &port };
	xdp->ends[1] = (struct endpoint){ .number = 1, .receives = true, .rx = (struct rx *)&queue };
	xdp->profile.stream_count = 1;
	xdp->profile.streams[0] = (struct mlr_stream){ .from = 0, .to = 1, .flow_count = FLOWS };
	xdp->account.input.load_fps = LOAD;
	xdp->trial_first_sequence = FIRST;
	memset(seen, 0, sizeof(seen));
	memset(came, 0, sizeof(came));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(xdp);
	return 0;
}

static struct lost_frames lost_of(uint64_t sent, size_t most)
{
	struct lost_frames lost;

	queue.report.sent = sent;
	assert_int_equal(measurer_xdp_lost(&xdp->measurer, most, &lost), EXIT_DONE);
	return lost;
}

static void gaps_of_each_flow_are_found(void **state)
{
	struct lost_frames lost;

	(void)state;
	for (uint32_t number = 0; number < 8; number++) {
		if (number != 3)
			arrive(0, number);
		if (number != 0 && number != 7)
			arrive(1, number);
	}
	lost = lost_of(16, 10);
	assert_int_equal(lost.lost, 3);
	assert_int_equal(lost.unknown, 0);
	assert_int_equal(lost.count, 3);
	/* frames of two flows take turns */
	assert_int_equal(lost.frames[0].flow, 1);
	assert_int_equal(lost.frames[0].sequence, 0);
	assert_true(lost.frames[0].due_s == 1 / LOAD);
	assert_int_equal(lost.frames[1].flow, 0);
	assert_int_equal(lost.frames[1].sequence, 3);
	assert_true(lost.frames[1].due_s == 6 / LOAD);
	assert_int_equal(lost.frames[2].sequence, 7);
	lost_frames_free(&lost);
}

static void what_was_displaced_is_not_known(void **state)
{
	struct lost_frames lost;

	(void)state;
	for (uint32_t number = 0; number < 20; number++) {
		arrive(1, number);
		if (number != 5 && number != 13 && number != 17)
			arrive(0, number);
	}
	lost = lost_of(40, 10);
	/* of 5 and 13, at one place, neither came, and no later number stands there but that of an earlier trial */
	assert_int_equal(lost.lost, 3);
	assert_int_equal(lost.frames[0].sequence, 5);
	assert_int_equal(lost.frames[1].sequence, 13);
	assert_int_equal(lost.frames[2].sequence, 17);
	assert_int_equal(lost.unknown, 12 + 10);
	lost_frames_free(&lost);
}

static void a_flow_of_which_nothing_came_is_lost(void **state)
{
	struct lost_frames lost;

	(void)state;
	for (uint32_t number = 0; number < 8; number++)
		arrive(0, number);
	seen[1][FIRST % WINDOW] = FIRST; /* as an earlier run of numbers left it */
	lost = lost_of(16, 3);
	assert_int_equal(lost.lost, 8);
	assert_int_equal(lost.count, 3);
	assert_int_equal(lost.frames[2].sequence, 2);
	lost_frames_free(&lost);
}

static void the_first_are_kept_and_nothing_that_was_not_sent_is_lost(void **state)
{
	struct lost_frames lost;

	(void)state;
	lost = lost_of(15, 2);
	assert_int_equal(lost.lost, 15);
	assert_int_equal(lost.count, 2);
	assert_int_equal(lost.frames[0].index, 0);
	assert_int_equal(lost.frames[1].index, 1);
	lost_frames_free(&lost);
	lost = lost_of(0, 2);
	assert_int_equal(lost.lost, 0);
	lost_frames_free(&lost);
}

static void a_port_of_a_name_that_a_spreadsheet_would_compute_is_a_text(void **state)
{
	struct lost_frame frame = { .port = 1, .flow = 2, .sequence = 3, .due_s = 0.5 };
	const struct config config = { .ports[1].label = "=x" };
	size_t length;
	char *text = lost_frames_csv(&(struct lost_frames){ .frames = &frame, .count = 1 }, &config, &length);

	(void)state;
	assert_string_equal(text, "port,flow,sequence,due [s]\n'=x,2,3,0.5\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gaps_of_each_flow_are_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_displaced_is_not_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_flow_of_which_nothing_came_is_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_first_are_kept_and_nothing_that_was_not_sent_is_lost, set_up, tear_down),
		cmocka_unit_test(a_port_of_a_name_that_a_spreadsheet_would_compute_is_a_text),
	};

	return cmocka_run_group_tests_name("lost", tests, NULL, NULL);
}
