/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receivers of several ports are opened at once: their programs are loaded side by side, and attached in their order. */
#include <dlfcn.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "base/text_stream.h"
#include "dataplane/rx.h"
#include "shell.h"

#define PORTS 3

static unsigned int thread_count;
static struct rx *receivers[PORTS];
static struct rx_plan plans[PORTS];
static char names[PORTS][IF_NAMESIZE];

/* What the receiver calls, instead of the library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *context)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	thread_count++;
	return real(thread, attributes, run, context);
}

static int setup(void **state)
{
	(void)state;
	thread_count = 0;
	for (unsigned int i = 0; i < PORTS; i++) {
		snprintf(names[i], IF_NAMESIZE, "ro%d%c", getpid(), 'a' + (int)i);
		shell("ip link add %s up type veth peer name %sp", names[i], names[i]);
		plans[i] = (struct rx_plan){ .ifindex = (int)if_nametoindex(names[i]),
					     .port = names[i],
					     .options = { .first_flow = 2 * i, .flow_count = 2 } };
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < PORTS; i++) {
		rx_close(receivers[i]);
		shell("ip link del %s", names[i]);
	}
	return 0;
}

static bool has_program(unsigned int port)
{
	return system(TEXT_OF(100, "ip -details link show %s | grep -q prog/xdp", names[port])) == 0;
}

static void the_kernel_verifies_the_programs_of_several_ports_side_by_side(void **state)
{
	(void)state;
	assert_int_equal(rx_open_all(plans, PORTS, receivers), EXIT_DONE);
	assert_int_equal(thread_count, PORTS - 1);
	for (unsigned int i = 0; i < PORTS; i++) {
		assert_non_null(receivers[i]);
		assert_true(has_program(i));
	}
}

static void one_port_needs_no_thread(void **state)
{
	(void)state;
	assert_int_equal(rx_open_all(plans, 1, receivers), EXIT_DONE);
	assert_int_equal(thread_count, 0);
	receivers[1] = receivers[2] = NULL;
}

/* What was loaded for ports behind a port that is taken is given back, and none of them has a program. */
static void a_port_that_is_taken_ends_it_and_ports_behind_it_stay_as_they_were(void **state)
{
	struct rx *other = NULL;

	(void)state;
	assert_int_equal(rx_open_all(&plans[1], 1, &other), EXIT_DONE);
	assert_int_equal(rx_open_all(plans, PORTS, receivers), EXIT_UNSAFE);
	assert_non_null(receivers[0]);
	assert_null(receivers[1]);
	assert_null(receivers[2]);
	assert_false(has_program(2));
	rx_close(other);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_kernel_verifies_the_programs_of_several_ports_side_by_side, setup,
						teardown),
		cmocka_unit_test_setup_teardown(one_port_needs_no_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(a_port_that_is_taken_ends_it_and_ports_behind_it_stay_as_they_were, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
