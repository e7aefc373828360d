/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A transmit queue whose AF_XDP socket is being closed: the kernel lets go of it by and by, and who comes next waits. Needs root. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "../test.h"
#include "base/clock.h"
#include "base/stop.h"
#include "dataplane/tx.h"
#include "tools/bench/one_flow.h"

static bool has_port;
static struct mlr_queue_plan *plan;

static struct tx *open_queue(enum exit_code expected)
{
	struct tx *tx = NULL;

	assert_int_equal(tx_xsk_open("tester", 0, plan, NULL, -1, NULL, &tx), expected);
	return tx;
}

static void *close_later(void *tx)
{
	stop_sleep_until(clock_ns() + NS_PER_S / 2);
	tx_close(tx);
	return NULL;
}

static void one_that_is_let_go_of_is_taken(void **state)
{
	pthread_t thread;

	(void)state;
	if (!has_port)
		skip();
	assert_int_equal(pthread_create(&thread, NULL, close_later, open_queue(EXIT_DONE)), 0);
	tx_close(open_queue(EXIT_DONE));
	pthread_join(thread, NULL);
}

static void one_that_is_held_is_refused(void **state)
{
	struct tx *holder;

	(void)state;
	if (!has_port)
		skip();
	holder = open_queue(EXIT_DONE);
	assert_null(open_queue(EXIT_UNSAFE));
	tx_close(holder);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_let_go_of_is_taken),
		cmocka_unit_test(one_that_is_held_is_refused),
	};

	has_port = !unshare(CLONE_NEWNET) && !system("ip link add tester up type veth peer name sut");
	assert_int_equal(one_flow_plan(64, &plan), 0);
	return cmocka_run_group_tests_name("queue release", tests, NULL, NULL);
}
