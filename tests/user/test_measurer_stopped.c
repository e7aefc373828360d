/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a run that was stopped before its ports were ready says of its traffic what that of a whole run would have said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measurer_xdp.h"

#define ARGUMENTS_MAX 16

static void read_line(const char *line, struct config *ret)
{
	static char text[256];
	char *argv[ARGUMENTS_MAX + 1] = { "xdp-mlr" }, *rest = text, *word;
	int argc = 1;
	bool finished;

	snprintf(text, sizeof(text), "%s", line);
	while ((word = strsep(&rest, " ")) && argc < ARGUMENTS_MAX)
		argv[argc++] = word;
	assert_int_equal(config_read(argc, argv, ret, &finished), EXIT_DONE);
}

/* As it would be with ports: none is opened here. */
static unsigned int transmitters_of_a_whole_run(const struct config *config)
{
	static struct measurer_xdp xdp;

	xdp_init(config, &xdp);
	assert_int_equal(xdp_make_profile(&xdp, config), EXIT_DONE);
	return xdp.measurer.transmitters;
}

static void assert_transmitters(const char *line, unsigned int expected)
{
	struct measurer *stopped;
	struct config config;

	read_line(line, &config);
	assert_int_equal(measurer_stopped_new(&config, &stopped), EXIT_DONE);
	if (stopped->transmitters != expected || transmitters_of_a_whole_run(&config) != expected)
		fail_msg("%s: %u transmitters when stopped, %u when not, expected %u", line, stopped->transmitters,
			 transmitters_of_a_whole_run(&config), expected);
	measurer_free(stopped);
	config_free(&config);
}

static void as_many_ports_transmit_as_in_a_whole_run(void **state)
{
	(void)state;
	assert_transmitters("search -p a,b", 1);
	assert_transmitters("search -p a,b --direction b-to-a", 1);
	assert_transmitters("search -p a,b --direction both", 2);
	assert_transmitters("search -p a,b,c,d --ip mixed --frame-size 128", 2);
	assert_transmitters("search -p a,b,c,d --direction both", 4);
	assert_transmitters("search -p a,b,c,d --direction mesh", 4);
	assert_transmitters("search --measurer mpi -p h1:a:transmit,h2:b:receive,h3:c:transmit", 2);
	assert_transmitters("search --measurer mpi -p h1:a:receive,h2:b:receive,h3:c:transmit,h4:d:receive", 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_ports_transmit_as_in_a_whole_run),
	};

	return cmocka_run_group_tests_name("measurer_stopped", tests, NULL, NULL);
}
