/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a run that was stopped before its ports were ready says of its traffic what that of a whole run would have
 * said. */
#include <stdio.h>
#include <string.h>

#include "../test.h"
#include "base/json_read.h"
#include "config/configure.h"
#include "measurer/measurer_new.h"
#include "measurer/xdp_private.h"

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

/* The names of the ports that measurer and streams have, "a b; a>b ...". */
static void assert_names(const char *line, const char *measurer_name, const char *expected)
{
	struct measurer *stopped;
	struct config config;
	json_t *measurer, *profile, *item;
	char names[256] = "";
	size_t used = 0, i;

	read_line(line, &config);
	assert_int_equal(measurer_stopped_new(&config, &stopped), EXIT_DONE);
	measurer = stopped->ops->describe(stopped);
	profile = stopped->ops->traffic_profile(stopped);
	assert_string_equal(read_text(measurer, "name"), measurer_name);
	json_array_foreach (json_object_get(measurer, "ports"), i, item)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s ", read_text(item, "name"));
	json_array_foreach (json_object_get(profile, "streams"), i, item)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s>%s ", read_text(item, "from"),
					 read_text(item, "to"));
	assert_string_equal(names, expected);
	json_decref(profile);
	json_decref(measurer);
	measurer_free(stopped);
	config_free(&config);
}

static void measurer_and_ports_have_the_names_of_a_whole_run(void **state)
{
	(void)state;
	assert_names("search -p a,b --direction both", "xdp", "a b b>a a>b ");
	/* as measurer/mpi.c has them: several hosts may each have an "a" */
	assert_names("search --measurer mpi -p h1:a:transmit,h2:a:receive,h3:a:transmit", "mpi",
		     "h1:a h2:a h3:a h1:a>h2:a h3:a>h2:a ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_ports_transmit_as_in_a_whole_run),
		cmocka_unit_test(measurer_and_ports_have_the_names_of_a_whole_run),
	};

	return cmocka_run_group_tests_name("measurer_stopped", tests, NULL, NULL);
}
