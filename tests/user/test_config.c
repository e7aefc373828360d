/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From argv and a file to a configuration. Refusals in the words of the user are in tests/cli; here is what values become.
 */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../test.h"
#include "base/text_stream.h"
#include "config/config.h"
#include "config/configure.h"
#include "config/echo.h"
#include "config/options_suite.h"
#include "config/traffic.h"
#include "mlr/imix.h"

#define ARGUMENTS_MAX 32

/* A command line, split at spaces, and what came of it. */
struct reading {
	char text[1024];
	char *argv[ARGUMENTS_MAX + 1];
	struct config config;
	enum exit_code code;
};

static void read_line(struct reading *reading, const char *line)
{
	char *rest = reading->text, *word;
	int argc = 0;
	bool finished;

	memset(reading, 0, sizeof(*reading));
	snprintf(reading->text, sizeof(reading->text), "xdp-mlr %s", line);
	while ((word = strsep(&rest, " ")) && argc < ARGUMENTS_MAX)
		reading->argv[argc++] = word;
	reading->code = config_read(argc, reading->argv, &reading->config, &finished);
	assert_false(finished);
}

static void take(struct reading *reading, const char *line)
{
	read_line(reading, line);
	if (reading->code != EXIT_DONE)
		fail_msg("refused with %d: %s", reading->code, line);
}

/* A command line that is refused so. Nothing is to be freed then. */
static void refuse_with(enum exit_code code, const char *line)
{
	struct reading reading;

	read_line(&reading, line);
	if (reading.code != code)
		fail_msg("%d instead of %d: %s", reading.code, code, line);
}

static void search_has_the_contracts_defaults(void **state)
{
	struct reading reading;
	const struct config *config = &reading.config;
	struct in_addr address;

	(void)state;
	take(&reading, "search -p east,west");
	assert_int_equal(config->verb, VERB_SEARCH);
	assert_string_equal(config->ports[PORT_A].name, "east");
	assert_string_equal(config->ports[PORT_B].name, "west");
	assert_int_equal(config->direction, DIRECTION_A_TO_B);
	assert_int_equal(config->frame_size_octets, 64);
	assert_int_equal(config->measurer, MEASURER_XDP);
	assert_null(config->measurer_argument);
	assert_string_equal(config->preset, "csit");
	assert_int_equal(config->min_load.unit, LOAD_FPS);
	assert_true(config->min_load.value == 9001);
	assert_int_equal(config->max_load.unit, LOAD_UNSET);
	assert_true(config->max_time_s == 0);
	assert_int_equal(config->effective_duration, EFFECTIVE_TRIAL);
	assert_int_equal(config->format, FORMAT_TEXT);
	assert_int_equal(config->report_count, 0);
	assert_null(config->unsafe_reason);
	assert_false(config->quiet);
	inet_pton(AF_INET, "198.18.0.2", &address);
	assert_int_equal(config->ports[PORT_A].address.s_addr, address.s_addr);
	inet_pton(AF_INET, "198.19.0.1", &address);
	assert_int_equal(config->ports[PORT_B].gateway.s_addr, address.s_addr);
	assert_int_equal(config->ports[PORT_B].prefix_length, 24);
	config_free(&reading.config);
}

static void presets_bring_goals_and_waits(void **state)
{
	struct reading reading;
	const struct config *config = &reading.config;

	(void)state;
	take(&reading, "search -p a,b");
	assert_int_equal(config->goal_count, 2);
	assert_true(config->goals[1].loss_ratio == 0.005 && config->goals[1].duration_sum_s == 21);
	assert_true(config->waits.routing_s == 0 && config->waits.learning_s == 0);
	assert_true(config->waits.residual_s == 2 && config->waits.stabilize_s == 0);
	config_free(&reading.config);

	take(&reading, "search -p a,b --preset rfc2544");
	assert_int_equal(config->goal_count, 1);
	assert_true(config->goals[0].exceed_ratio == 0 && config->goals[0].final_trial_duration_s == 60);
	assert_true(config->waits.routing_s == 2 && config->waits.learning_s == 2);
	assert_true(config->waits.residual_s == 2 && config->waits.stabilize_s == 5);
	config_free(&reading.config);

	take(&reading, "search -p a,b --wait e=1,d=500ms --preset tst009");
	assert_true(config->goals[0].duration_sum_s == 120);
	assert_true(config->waits.learning_s == 2 && config->waits.residual_s == 0.5 && config->waits.stabilize_s == 1);
	config_free(&reading.config);
}

static void goals_replace_those_of_the_preset(void **state)
{
	struct reading reading;
	const struct mlr_goal *goals = reading.config.goals;

	(void)state;
	take(&reading,
	     "search -p a,b --goal final=30 --goal name=x,loss=0.5%,exceed=25%,initial=1,final=10,sum=21,width=1%");
	assert_int_equal(reading.config.goal_count, 2);
	assert_string_equal(goals[0].name, "goal1");
	assert_true(goals[0].loss_ratio == 0 && goals[0].exceed_ratio == 0.5 && goals[0].width_ratio == 0.005);
	assert_true(goals[0].initial_trial_duration_s == 30 && goals[0].duration_sum_s == 30);
	assert_string_equal(goals[1].name, "x");
	assert_true(goals[1].loss_ratio == 0.005 && goals[1].exceed_ratio == 0.25 && goals[1].width_ratio == 0.01);
	assert_true(goals[1].initial_trial_duration_s == 1 && goals[1].final_trial_duration_s == 10);
	assert_true(goals[1].duration_sum_s == 21);
	config_free(&reading.config);
}

static void assert_goal(const char *line, struct mlr_goal expected)
{
	const struct mlr_goal *goal;
	struct reading reading;

	take(&reading, TEXT_OF(256, "search -p a,b %s", line));
	goal = &reading.config.goals[reading.config.goal_count - 1];
	assert_true(goal->final_trial_duration_s == expected.final_trial_duration_s &&
		    goal->initial_trial_duration_s == expected.initial_trial_duration_s &&
		    goal->duration_sum_s == expected.duration_sum_s && goal->exceed_ratio == expected.exceed_ratio);
	config_free(&reading.config);
}

/* What a goal leaves out follows from what it has, and from the algorithm. */
static void goals_are_completed(void **state)
{
	(void)state;
	assert_goal("--goal loss=1%", (struct mlr_goal){ .final_trial_duration_s = 1,
							 .initial_trial_duration_s = 1,
							 .duration_sum_s = 1,
							 .exceed_ratio = 0.5 });
	assert_goal("--goal final=0.25", (struct mlr_goal){ .final_trial_duration_s = 0.25,
							    .initial_trial_duration_s = 0.25,
							    .duration_sum_s = 0.25,
							    .exceed_ratio = 0.5 });
	assert_goal("--goal final=4,initial=2,sum=9,exceed=0.25", (struct mlr_goal){ .final_trial_duration_s = 4,
										     .initial_trial_duration_s = 2,
										     .duration_sum_s = 9,
										     .exceed_ratio = 0.25 });
	assert_goal("--algorithm phased --goal loss=1%", (struct mlr_goal){ .final_trial_duration_s = 30,
									    .initial_trial_duration_s = 1,
									    .duration_sum_s = 30,
									    .exceed_ratio = 0 });
}

static void waits_are_of_their_phases(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "search -p a,b --preset rfc2544 --wait a=1,b=2,d=3,e=4");
	assert_true(reading.config.waits.routing_s == 1 && reading.config.waits.learning_s == 2);
	assert_true(reading.config.waits.residual_s == 3 && reading.config.waits.stabilize_s == 4);
	config_free(&reading.config);
	for (const char *phase = "abde"; *phase; phase++)
		refuse_with(EXIT_USAGE_ERROR, TEXT_OF(64, "search -p a,b --wait %c=-1", *phase));
}

static void options_take_gnu_forms(void **state)
{
	static const char *const lines[] = {
		"trial -p a,b --load 5kfps -q",       "trial -pa,b --load=5kfps --quiet", "trial --ports=a,b --loa 5kfps -q",
		"trial -qpa,b --load 9 --load 5kfps", "trial --load 5kfps -qp a,b",
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		take(&reading, lines[i]);
		assert_string_equal(reading.config.ports[PORT_A].name, "a");
		assert_string_equal(reading.config.ports[PORT_B].name, "b");
		assert_true(reading.config.load.value == 5000);
		assert_true(reading.config.quiet);
		config_free(&reading.config);
	}
}

static void ports_may_be_on_other_hosts(void **state)
{
	struct reading reading;
	const struct config *config = &reading.config;

	(void)state;
	take(&reading, "search --measurer mpi -p h1.lab:eth1,h2:eth1 --max-load 1Mfps");
	assert_int_equal(config->measurer, MEASURER_MPI);
	assert_true(config->clock_budget_s == 1e-6);
	assert_string_equal(config->ports[PORT_A].host, "h1.lab");
	assert_string_equal(config->ports[PORT_A].name, "eth1");
	assert_string_equal(config->ports[PORT_A].label, "h1.lab:eth1");
	assert_false(config_has_roles(config));
	config_free(&reading.config);
	take(&reading,
	     "soak --measurer mpi -p h1:a:transmit,h2:b:receive,h3:a:transmit --max-load 1Mfps --clock-budget 50us");
	assert_int_equal(config->port_count, 3);
	assert_int_equal(config->ports[PORT_A].role, ROLE_TRANSMIT);
	assert_int_equal(config->ports[PORT_B].role, ROLE_RECEIVE);
	assert_string_equal(config->ports[PORT_B].label, "h2:b");
	assert_true(config->clock_budget_s > 49.9e-6 && config->clock_budget_s < 50.1e-6);
	config_free(&reading.config);
	refuse_with(EXIT_USAGE_ERROR, "search -p h1:a,h2:b");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a:transmit,b:receive --load 5kfps");
	refuse_with(EXIT_USAGE_ERROR, "search -p a,b --clock-budget 1us");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a,h1:a");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a,h2:b,h3:c");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a:transmit,h2:b");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a:transmit,h2:b:transmit");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a:transmit,h2:b:receive --direction both");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p :a,h2:b");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:,h2:b");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a,h2:b --timestamps hardware");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi -p h1:a,h2:b --modifier management=1/s");
	refuse_with(EXIT_USAGE_ERROR, "search --measurer mpi");
}

/* From each port of a list to each: "from>to ...". */
static void assert_streams(const char *ports, const char *expected)
{
	struct mlr_profile profile;
	struct reading reading;
	char line[256], streams[128] = "";

	snprintf(line, sizeof(line), "search --measurer mpi --max-load 1Mfps -p %s", ports);
	take(&reading, line);
	assert_int_equal(traffic_profile_of(&reading.config, &profile), EXIT_DONE);
	for (unsigned int i = 0; i < profile.stream_count; i++)
		snprintf(streams + strlen(streams), sizeof(streams) - strlen(streams), "%u>%u ", profile.streams[i].from,
			 profile.streams[i].to);
	assert_string_equal(streams, expected);
	config_free(&reading.config);
}

static void roles_say_who_sends_to_whom(void **state)
{
	(void)state;
	assert_streams("h1:a,h2:b", "0>1 ");
	assert_streams("h1:a:transmit,h2:b:receive", "0>1 ");
	assert_streams("h2:b:receive,h1:a:transmit", "1>0 ");
	assert_streams("h1:a:transmit,h3:c:receive,h2:b:transmit", "0>1 2>1 ");
	assert_streams("h1:a:transmit,h2:b:receive,h3:c:receive", "0>1 0>2 ");
	assert_streams("h1:a:transmit,h2:b:transmit,h3:c:receive,h4:d:receive", "0>2 1>3 ");
	assert_streams("h1:a:transmit,h2:b:transmit,h3:c:transmit,h4:d:receive,h5:e:receive", "0>3 2>3 1>4 ");
}

static void ports_take_addresses_and_macs(void **state)
{
	struct reading reading;
	const struct port_config *ports = reading.config.ports;
	char text[INET_ADDRSTRLEN];

	(void)state;
	take(&reading,
	     "trial -p a,b --load max --address 10.1.2.3/16,10.9.0.1 --dst-mac 02:00:00:00:00:0A,02:00:00:00:00:0b");
	assert_int_equal(reading.config.load.unit, LOAD_MAX);
	assert_int_equal(ports[PORT_A].prefix_length, 16);
	assert_int_equal(ports[PORT_B].prefix_length, 24);
	assert_string_equal(inet_ntop(AF_INET, &ports[PORT_A].gateway, text, sizeof(text)), "10.1.0.1");
	assert_string_equal(inet_ntop(AF_INET, &ports[PORT_B].gateway, text, sizeof(text)), "10.9.0.2");
	assert_true(ports[PORT_A].destination_mac_given && ports[PORT_B].destination_mac_given);
	assert_int_equal(ports[PORT_A].destination_mac.ether_addr_octet[5], 0x0a);
	assert_int_equal(ports[PORT_B].destination_mac.ether_addr_octet[5], 0x0b);
	config_free(&reading.config);

	take(&reading, "trial -p a,b --load max --address 10.1.2.3,10.9.0.1 --gateway 10.1.2.9,10.9.0.9");
	assert_string_equal(inet_ntop(AF_INET, &ports[PORT_A].gateway, text, sizeof(text)), "10.1.2.9");
	assert_false(ports[PORT_A].destination_mac_given);
	config_free(&reading.config);
}

static void assert_gateways(const char *options, const char *a, const char *b, int family)
{
	struct reading reading;
	const struct port_config *ports = reading.config.ports;
	const char *expected[] = { a, b };
	char text[INET6_ADDRSTRLEN];

	take(&reading, TEXT_OF(256, "trial -p a,b --load max %s", options));
	for (unsigned int i = 0; i < 2; i++) {
		const void *gateway = family == AF_INET ? (const void *)&ports[i].gateway : &ports[i].gateway6;

		assert_string_equal(inet_ntop(family, gateway, text, sizeof(text)), expected[i]);
	}
	config_free(&reading.config);
}

/* The gateway is the first host of the network, whatever its length, or the second for the first one. */
static void gateways_follow_from_addresses(void **state)
{
	(void)state;
	assert_gateways("--address 10.1.39.3/20,10.2.255.77/21", "10.1.32.1", "10.2.248.1", AF_INET);
	assert_gateways("--address 10.1.2.130/25,10.1.3.1/24", "10.1.2.129", "10.1.3.2", AF_INET);
	assert_gateways("--address 223.255.255.1/30,1.0.0.2/8", "223.255.255.2", "1.0.0.1", AF_INET);
	assert_gateways("--ip 6 --frame-size 84 --address6 2001:db8:1:2::5/48,2001:db8::1", "2001:db8:1::1", "2001:db8::2",
			AF_INET6);
	assert_gateways("--ip 6 --frame-size 84 --address6 2001:db8:1:fff5::5/60,fd00::7/8", "2001:db8:1:fff0::1", "fd00::1",
			AF_INET6);
}

static void services_have_what_was_agreed(void **state)
{
	const struct service *service;
	struct reading reading;

	(void)state;
	take(&reading,
	     "y1564 -p a,b --service name=v,vlan=100:5,dscp=63,cir=1kfps,eir=1fps,margin=1,loss=0,delay=2ms,delay-max=2ms,"
	     "variation=0,availability=100% --service cir=0.5fps,dscp=0,loss=100%,margin=0 --cir-steps 1%,100%");
	service = &reading.config.services[0];
	assert_int_equal(reading.config.service_count, 2);
	assert_string_equal(service->name, "v");
	assert_true(service->has_vlan && service->vlan.control == (5 << 13 | 100) && service->vlan.type == 0x8100);
	assert_true(service->dscp == 63 && service->cir.value == 1000 && service->eir.value == 1);
	assert_true(service->margin_ratio == 1 && service->loss_ratio == 0 && service->availability_ratio == 1);
	assert_true(service->delay_s == 0.002 && service->delay_max_s == 0.002 && service->variation_s == 0);
	service++;
	assert_string_equal(service->name, "service2");
	assert_true(!service->has_vlan && service->dscp == 0 && service->cir.value == 0.5 && service->eir.value == 0);
	assert_true(service->loss_ratio == 1 && service->margin_ratio == 0);
	assert_true(isnan(service->delay_s) && isnan(service->delay_max_s) && isnan(service->variation_s) &&
		    isnan(service->availability_ratio));
	assert_int_equal(reading.config.cir_step_count, 2);
	assert_true(reading.config.cir_steps[0] == 0.01 && reading.config.cir_steps[1] == 1);
	config_free(&reading.config);
	take(&reading, "y1564 -p a,b --service cir=1kfps --cir-steps 100%");
	assert_int_equal(reading.config.cir_step_count, 1);
	config_free(&reading.config);
}

/* The sizes of a schedule, in their order. */
static void assert_sizes(const char *text, const char *expected)
{
	char line[256], sizes[256] = "";
	struct reading reading;

	snprintf(line, sizeof(line), "trial -p a,b --load 1kfps --frame-size %s", text);
	take(&reading, line);
	for (unsigned int i = 0; i < reading.config.sizes.schedule_length; i++)
		snprintf(sizes + strlen(sizes), sizeof(sizes) - strlen(sizes), "%u ",
			 reading.config.sizes.sizes_octets[reading.config.sizes.schedule[i]]);
	assert_string_equal(sizes, expected);
	config_free(&reading.config);
}

static void sizes_are_one_or_a_mix_or_a_genome(void **state)
{
	static const char *const wrong[] = { "+64",
					     "64x",
					     "1e3",
					     "99999999999999999999",
					     "63",
					     "16001",
					     "imix:7",
					     "imix:0:64",
					     "imix:1:63",
					     "genome:",
					     "genome:ak",
					     "genome:aA",
					     "genome:aB,A=64",
					     "genome:aA,A=63",
					     "genome:a,a=64",
					     "genome:aA,A",
					     "genome:az,z:64",
					     "genome:a,k=64" };

	(void)state;
	assert_sizes("64", "64 ");
	assert_sizes("9018", "9018 ");
	assert_sizes("imix:2:64,1:128", "64 64 128 ");
	assert_sizes("imix:4:64,2:128", "64 64 128 "); /* as often */
	assert_sizes("genome:abZzA,z=1518,A=99,Z=70", "64 128 70 1518 99 ");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuse_with(EXIT_USAGE_ERROR, TEXT_OF(128, "trial -p a,b --load 1kfps --frame-size %s", wrong[i]));
}

static void tags_have_a_priority_and_a_number(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "trial -p a,b --load 1kfps --frame-size 80 --vlan 4094:7,0");
	assert_int_equal(reading.config.vlan_count, 2);
	assert_int_equal(reading.config.vlans[0].control, 7 << 13 | 4094);
	assert_int_equal(reading.config.vlans[1].control, 0);
	config_free(&reading.config);
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vlan 4095");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vlan 1:8");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vlan 1:");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vlan 1,2,3");
}

static void fields_vary_as_far_as_there_is_room(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "trial -p a,b --load 1kfps --vary src-port=64512,dst-address=3:64");
	assert_int_equal(reading.config.ranges[MLR_SOURCE_PORT].count, 64512);
	assert_int_equal(reading.config.ranges[MLR_SOURCE_PORT].step, 1);
	assert_int_equal(reading.config.ranges[MLR_DESTINATION_ADDRESS].count, 3);
	assert_int_equal(reading.config.ranges[MLR_DESTINATION_ADDRESS].step, 64);
	assert_int_equal(reading.config.ranges[MLR_DESTINATION_PORT].count, 0);
	config_free(&reading.config);
	take(&reading, "trial -p a,b --load 1kfps --vary dst-port=24576:2"); /* 2 * 24575 is the last of 49151 */
	config_free(&reading.config);
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary src-port=64513");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=49152");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=24577:2");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=0");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=2:0");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=x");
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --vary dst-port=2:x");
}

static void modifiers_are_a_share_and_a_rate(void **state)
{
	static const struct {
		const char *text;
		uint32_t every, queries;
	} rows[] = { { "broadcast=1%", 99, 0 },
		     { "broadcast=50%", 1, 0 },
		     { "broadcast=0.000001", 999999, 0 },
		     { "management=1/s", 0, 1 },
		     { "broadcast=25%,management=1000/s", 3, 1000 } };
	static const char *const wrong[] = {
		"broadcast=50.1%", "broadcast=0.0000009", "broadcast=x",       "management=5",
		"management=5/m",  "management=0/s",      "management=1001/s", "management=/s"
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		take(&reading, TEXT_OF(128, "trial -p a,b --load 1kfps --modifier %s", rows[i].text));
		assert_int_equal(reading.config.broadcast_every, rows[i].every);
		assert_int_equal(reading.config.queries_per_s, rows[i].queries);
		config_free(&reading.config);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuse_with(EXIT_USAGE_ERROR, TEXT_OF(128, "trial -p a,b --load 1kfps --modifier %s", wrong[i]));
}

static void what_the_sut_may_change_is_a_set(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "trial -p a,b --load 1kfps --expect nat,vlan,ecn");
	assert_int_equal(reading.config.expected_changes,
			 MLR_CHANGE_ADDRESS | MLR_CHANGE_PORT | MLR_CHANGE_VLAN | MLR_CHANGE_ECN);
	config_free(&reading.config);
	refuse_with(EXIT_USAGE_ERROR, "trial -p a,b --load 1kfps --expect mac");
}

/* Ports are made ready once, for the longest frames of all, wherever these stand in the list. */
static void a_suite_needs_the_mtu_of_its_longest_frames(void **state)
{
	static const struct {
		const char *line;
		unsigned int mtu;
	} rows[] = {
		{ "y1564 -p a,b --service cir=1kfps,size=2000 --service cir=1kfps,size=64", 2000 - 18 },
		{ "y1564 -p a,b --service cir=1kfps,size=64 --service cir=1kfps,size=2000", 2000 - 18 },
		{ "rfc2544 -p a,b --frame-size 64,9018,512", 9018 - 18 },
		{ "selftest -p a,b --frame-size 512,64", 512 - 18 },
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		take(&reading, rows[i].line);
		assert_int_equal(reading.config.suite_mtu, rows[i].mtu);
		config_free(&reading.config);
	}
}

/* A command line with so many of a part, and whether it is taken. */
static enum exit_code read_many(const char *begin, const char *part, unsigned int count, const char *end)
{
	struct reading reading;
	char line[1024];
	size_t length = (size_t)snprintf(line, sizeof(line), "%s", begin);

	for (unsigned int i = 0; i < count; i++)
		length += (size_t)snprintf(line + length, sizeof(line) - length, "%s", part);
	snprintf(line + length, sizeof(line) - length, "%s", end);
	read_line(&reading, line);
	if (reading.code == EXIT_DONE)
		config_free(&reading.config);
	return reading.code;
}

static void services_and_their_steps_are_no_more_than_there_is_room_for(void **state)
{
	(void)state;
	assert_int_equal(read_many("y1564 -pa,b", " --service=cir=1kfps", SERVICES_MAX, ""), EXIT_DONE);
	assert_int_equal(read_many("y1564 -pa,b", " --service=cir=1kfps", SERVICES_MAX + 1, ""), EXIT_USAGE_ERROR);
	assert_int_equal(
		read_many("y1564 -p a,b --service cir=1kfps --cir-steps 1%,2%,3%,4%,5%,6%,7%,8%,9%,10%,11%,12%,13%,14%",
			  ",15%", 1, ",100%"),
		EXIT_DONE);
	assert_int_equal(
		read_many("y1564 -p a,b --service cir=1kfps --cir-steps 1%,2%,3%,4%,5%,6%,7%,8%,9%,10%,11%,12%,13%,14%",
			  ",15%", 1, ",16%,100%"),
		EXIT_USAGE_ERROR);
	assert_int_equal(read_many("y1564 -p a,b --service cir=1kfps,size=0", "0", SERVICE_SIZE_TEXT - 4, "64"), EXIT_DONE);
	assert_int_equal(read_many("y1564 -p a,b --service cir=1kfps,size=0", "0", SERVICE_SIZE_TEXT - 3, "64"),
			 EXIT_USAGE_ERROR);
}

static void measurers_have_arguments(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "search --measurer sim:hard,capacity=1e6 --max-load 10Mfps");
	assert_int_equal(reading.config.measurer, MEASURER_SIM);
	assert_string_equal(reading.config.measurer_argument, "hard,capacity=1e6");
	config_free(&reading.config);

	take(&reading, "search --measurer exec:./my-tester --max-load 5Gbps-l1 --max-time 2min");
	assert_int_equal(reading.config.measurer, MEASURER_EXEC);
	assert_string_equal(reading.config.measurer_argument, "./my-tester");
	assert_true(reading.config.max_time_s == 120);
	config_free(&reading.config);
}

static void lab_has_three_verbs(void **state)
{
	struct reading reading;

	(void)state;
	take(&reading, "lab up --sut policer:rate=200000,burst=100us");
	assert_int_equal(reading.config.verb, VERB_LAB_UP);
	assert_string_equal(reading.config.sut, "policer:rate=200000,burst=100us");
	config_free(&reading.config);
	take(&reading, "lab down");
	assert_int_equal(reading.config.verb, VERB_LAB_DOWN);
	config_free(&reading.config);
	take(&reading, "lab status --format json");
	assert_int_equal(reading.config.verb, VERB_LAB_STATUS);
	assert_int_equal(reading.config.format, FORMAT_JSON);
	config_free(&reading.config);
}

/* Every wrong number, once; the sentences are looked at in tests/cli. */
static void wrong_values_are_usage_errors(void **state)
{
	static const char *const lines[] = {
		"trial -p a,b --load 0",
		"trial -p a,b --load -5",
		"trial -p a,b --load 1e13",
		"trial -p a,b --load 101%",
		"trial -p a,b --load 5kfps --duration 0",
		"trial -p a,b --load 5kfps --duration -1",
		"trial -p a,b --load 5kfps --duration 1e9",
		"trial -p a,b --load 5kfps --frame-size 63",
		"trial -p a,b --load 5kfps --frame-size 9217",
		"trial -p a,b --load 5kfps --frame-size 64.5",
		"trial -p a,b --load 5kfps --frame-size -64",
		"trial -p a,b --load 5kfps --frame-size 18446744073709551680",
		"trial -p a,b --load 5kfps --frame-size imix:7:64,4:594,1:9999",
		"trial -p a,b --load 5kfps --wait d=-1",
		"trial -p a,b --load 5kfps --wait c=1",
		"trial -p a,b --load 5kfps --direction sideways",
		"trial -p a,b --load 5kfps --address 198.18.0.2/0,198.19.0.2",
		"trial -p a,b --load 5kfps --address 198.18.0.2/31,198.19.0.2",
		"trial -p a,b --load 5kfps --address 198.18.0.2,198.18.0.2",
		"trial -p a,b --load 5kfps --address 224.0.0.1,198.18.0.2",
		"trial -p a,b --load 5kfps --gateway 198.18.0.1",
		"trial -p a,b --load 5kfps --address 0.1.2.3,198.18.0.2",
		"trial -p a,b --load 5kfps --address 240.0.0.1,198.18.0.2",
		"trial -p a,b --load 5kfps --gateway 198.18.0.1,224.0.0.1",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 ::,2001:db8::2",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 ::1,2001:db8::2",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 ff02::1,2001:db8::2",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 fe80::1,2001:db8::2",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 ::ffff:1.2.3.4,2001:db8::2",
		"trial -p a,b --load 5kfps --frame-size 84 --ip 6 --address6 2001:db8::1/127,2001:db8:1::2",
		"y1564 -p a,b --service cir=0",
		"y1564 -p a,b --service cir=1kfps,dscp=-1",
		"y1564 -p a,b --service cir=1kfps,dscp=64",
		"y1564 -p a,b --service cir=1kfps,dscp=1.5",
		"y1564 -p a,b --service cir=1kfps,dscp=x",
		"y1564 -p a,b --service eir=1kfps",
		"y1564 -p a,b --service cir=1kfps,delay=0s",
		"y1564 -p a,b --service cir=1kfps,delay-max=0s",
		"y1564 -p a,b --service cir=1kfps,delay=2ms,delay-max=1ms",
		"y1564 -p a,b --service cir=1kfps,availability=101%",
		"y1564 -p a,b --service cir=1kfps,vlan=5000",
		"y1564 -p a,b --service cir=1kfps,size=63",
		"y1564 -p a,b --service cir=1kfps,name=",
		"y1564 -p a,b --service cir=1kfps,name=x --service cir=1kfps,name=x",
		"y1564 -p a,b --service cir=1kfps,name=service2 --service cir=1kfps",
		"y1564 -p a,b --service cir=1kfps,margin=-1%",
		"y1564 -p a,b --service cir=1kfps,loss=101%",
		"y1564 -p a,b --service cir=1kfps,variation=-1us",
		"y1564 -p a,b --service cir=1kfps --cir-steps 0,100%",
		"y1564 -p a,b --service cir=1kfps --cir-steps 50%,50%,100%",
		"y1564 -p a,b --service cir=1kfps --cir-steps 50%,75%",
		"trial -p a,b --load 5kfps --dst-mac 02:00:00:00:00:01,02:00:00:00:00:0g",
		"trial -p a,b --load 5kfps --allow-unsafe=",
		"trial -p a,b",
		"trial -p a,a --load 5",
		"trial -p a --load 5",
		"trial -p a,b,c --load 5",
		"trial -p ,b --load 5",
		"trial -p a,abcdefghijklmnop --load 5",
		"trial --load 5",
		"search -p a,b --load 5",
		"search -p a,b --max-load max",
		"search -p a,b --min-load 5kfps --max-load 5kfps",
		"search -p a,b --min-load 500Mbps-l2 --max-load 500Mbps-l1",
		"search -p a,b --max-time 0",
		"search -p a,b --preset ndr",
		"search -p a,b --algorithm simplex",
		"search -p a,b --goal loss=1",
		"search -p a,b --goal loss=-0.1",
		"search -p a,b --goal exceed=1",
		"search -p a,b --goal width=0",
		"search -p a,b --goal width=100%",
		"search -p a,b --goal final=0",
		"search -p a,b --goal final=nan",
		"search -p a,b --goal sum=0",
		"search -p a,b --goal sum=-21",
		"search -p a,b --goal initial=0",
		"search -p a,b --goal initial=2,final=1",
		"search -p a,b --goal name=",
		"search -p a,b --goal loss",
		"search -p a,b --goal loss=0,loss=0",
		"search -p a,b --goal name=x --goal name=x",
		"search -p a,b --goal name=goal2 --goal loss=0",
		"search --measurer sim:hard,capacity=1e6",
		"search --measurer sim: --max-load 1e6",
		"search --measurer exec: --max-load 1e6",
		"search --measurer trex --max-load 1e6",
		"search -p a,b --report out.xml",
		"search -p a,b --report out",
		"lab sideways",
		"lab",
		"clean now",
		"clean -p a,b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		refuse_with(EXIT_USAGE_ERROR, lines[i]);
}

static void what_may_be_changed_on_ports_is_a_set(void **state)
{
	const unsigned int automatic = 1u << PREPARE_IPV6 | 1u << PREPARE_MERGE | 1u << PREPARE_PAUSE | 1u << PREPARE_IRQ |
				       1u << PREPARE_VLAN | 1u << PREPARE_QUEUES | 1u << PREPARE_TIMESTAMPS;
	const struct {
		const char *text;
		unsigned int automatic, asked, channels;
	} cases[] = {
		{ "none", 0, 0, 0 },
		{ "auto", automatic, 0, 0 },
		{ "auto,no-irq,no-pause", automatic & ~(1u << PREPARE_IRQ | 1u << PREPARE_PAUSE), 0, 0 },
		{ "irq", 0, 1u << PREPARE_IRQ, 0 },
		{ "gro,mtu,rss,steer", 0, 1u << PREPARE_GRO | 1u << PREPARE_MTU | 1u << PREPARE_RSS | 1u << PREPARE_STEER,
		  0 },
		{ "auto,channels=1", automatic, 1u << PREPARE_CHANNELS, 1 },
		{ "channels=4096", 0, 1u << PREPARE_CHANNELS, 4096 },
		{ "no-channels", 0, 0, 0 },
	};
	static const char *const refused[] = { "channels=0", "channels=4097", "channels=1.5", "channels",
					       "channels=x", "irq=1",         "no-irq=1",     "no-channels=4",
					       "nothing",    "none,irq",      "no-",          "auto,,irq" };
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		take(&reading, TEXT_OF(128, "trial -p a,b --load 5 --prepare %s", cases[i].text));
		assert_int_equal(reading.config.prepare.automatic, cases[i].automatic);
		assert_int_equal(reading.config.prepare.asked, cases[i].asked);
		assert_int_equal(reading.config.prepare.channels, cases[i].channels);
		config_free(&reading.config);
	}
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse_with(EXIT_USAGE_ERROR, TEXT_OF(128, "trial -p a,b --load 5 --prepare %s", refused[i]));
}

/* One for each port, in any number of octets that there is room for. */
static void lists_of_ports_have_bounds(void **state)
{
	static const char *const refused[] = {
		"trial --load 5 -p a,b,c,d,e,f,g,h,i",
		"trial --load 5 -p a,b,c",
		"trial --load 5 -p a,b,",
		"trial --load 5 -p a,b,c,d --address 10.0.0.2,10.1.0.2,10.2.0.2",
		"trial --load 5 -p a,b --address 10.0.0.2,10.1.0.2,10.2.0.2",
		"trial --load 5 -p a,b --address 10.0.0.2,10.1.0.2/x",
		"trial --load 5 -p a,b --address 10.0.0.2,10.1.0.2/24.5",
		"trial --load 5 -p a,b --address 10.0.0.2,2001:db8::2",
		"trial --load 5 -p a,b --dst-mac 02:00:00:00:00:01",
		"trial --load 5 -p a,b --dst-mac 02:00:00:00:00:01,2:0:0:0:0:2",
		"trial --load 5 -p a,b --dst-mac 02:00:00:00:00:01,02-00-00-00-00-02",
		"trial --load 5 -p a,b --dst-mac 02:00:00:00:00:01,02:00:00:00:00:02x",
		"trial --load 5 -p a,b --gateway6 2001:db8::1,::1",
		"trial --load 5 -p h1:a:transmit,h2:b:transmit",
		"search --measurer mpi -p 12345678901234567890123456789012345678901234567890123456789012345:a,h2:b",
	};
	static const char *const taken[] = {
		"trial --load 5 -p a,b,c,d,e,f,g,h",
		"trial --load 5 -p 123456789012345,b",
		"trial --load 5 -p a,b --address 10.0.0.2/1,223.255.255.254/30",
		"trial --load 5 -p a,b --frame-size 84 --ip 6 --address6 2001:db8::2/1,2001:db9::2/126",
		"trial --load 5 -p a,b --frame-size 84 --ip 6 --gateway6 2001:db8::1,fec0::1",
	};
	struct reading reading;
	const struct port_config *ports = reading.config.ports;
	char text[INET6_ADDRSTRLEN];

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse_with(EXIT_USAGE_ERROR, refused[i]);
	for (size_t i = 0; i < COUNT(taken); i++) {
		take(&reading, taken[i]);
		config_free(&reading.config);
	}
	refuse_with(EXIT_USAGE_ERROR, TEXT_OF(256, "trial --load 5 -p a,b --address 10.0.0.2,%0128d", 1));
	assert_non_null(strstr(message_refused(), "number 2 is too long"));
	refuse_with(EXIT_USAGE_ERROR, TEXT_OF(256, "trial --load 5 -p a,b --address 10.0.0.2,%0127d", 1));
	assert_non_null(strstr(message_refused(), "is not the IPv4 address of a host"));
	/* the next networks of the same blocks */
	take(&reading, "trial --load 5 -p a,b,c,d");
	assert_string_equal(inet_ntop(AF_INET, &ports[2].address, text, sizeof(text)), "198.18.1.2");
	assert_string_equal(inet_ntop(AF_INET, &ports[3].address, text, sizeof(text)), "198.19.1.2");
	assert_string_equal(inet_ntop(AF_INET, &ports[3].gateway, text, sizeof(text)), "198.19.1.1");
	assert_string_equal(inet_ntop(AF_INET6, &ports[2].address6, text, sizeof(text)), "2001:2:0:3::2");
	assert_string_equal(inet_ntop(AF_INET6, &ports[3].address6, text, sizeof(text)), "2001:2:0:4::2");
	assert_true(ports[2].prefix_length == 24 && ports[3].prefix6_length == 64);
	assert_false(ports[0].destination_mac_given);
	config_free(&reading.config);
}

#define SIM "--measurer sim:hard,capacity=1e6 --max-load 1e6"
#define MPI "search --measurer mpi --max-load 1Mfps -p h1:a,h2:b"

/* What does not go together, and beside it what does, by a little. */
static void values_that_do_not_go_together_are_usage_errors(void **state)
{
	static const char *const refused[] = {
		"trial -p a,b --load 5 --no-seq --capture-lost l.csv",
		"trial -p a,b --load 5 --capture-foreign f.pcap --capture-count 100001",
		"y1564 -p a,b",
		"y1564 -p a,b --no-latency --service cir=1kfps,delay=1ms",
		"y1564 -p a,b --no-latency --service cir=1kfps --service cir=1kfps,delay-max=1ms",
		"y1564 -p a,b --no-latency --service cir=1kfps,variation=1ms",
		"search " SIM " --effective-duration wall",
		"search " SIM " --interval 1s",
		"trial -p a,b --load max --interval 1s",
		"trial -p a,b --load 5 --timestamps hardware --no-latency",
		"trial -p a,b --load 5 --ipdv --no-latency",
		"trial -p a,b --load 5 --ipdv --no-seq",
		"selftest -p a,b,c,d",
		"selftest -p a,b --direction mesh",
		"search -p a,b --report x.json --report x.json",
		"search -p a,b --report x.json --junit x.json",
		"search -p a,b --report x.json --metrics x.json",
		"trial -p a,b --load 5 --capture-lost x.csv --report x.csv",
		"trial -p a,b --load 5 --capture-foreign x.csv --report x.csv",
		"search -p a,b --report x.md --sut-config x.md",
		"search -p a,b --junit x.md --sut-config x.md",
		MPI " --prepare auto,timestamps",
		MPI " --timestamps hardware",
		MPI " --modifier management=1/s",
		"search --measurer mpi --max-load 1Mfps -p h1:a:transmit,h2:b:receive --direction both",
		"search -p a,b --clock-budget 1us",
	};
	static const char *const taken[] = {
		"trial -p a,b --load 5 --no-seq",
		"trial -p a,b --load 5 --capture-lost l.csv",
		"trial -p a,b --load 5 --capture-foreign f.pcap --capture-count 100000",
		"y1564 -p a,b --no-latency --service cir=1kfps,loss=1%",
		"y1564 -p a,b --service cir=1kfps,delay=1ms,variation=1ms",
		"search -p a,b --effective-duration wall",
		"search -p a,b --interval 1s",
		"trial -p a,b --load 5 --interval 1s",
		"trial -p a,b --load 5 --timestamps hardware",
		"trial -p a,b --load 5 --no-latency",
		"trial -p a,b --load 5 --ipdv",
		"selftest -p a,b",
		"selftest -p a,b --direction both",
		"search -p a,b --report x.json --report y.json --junit z.xml --metrics m.prom --sut-config s.txt",
		"search -p a,b --sut-config s.txt --sut-config s.txt --report x.json",
		MPI,
		MPI " --direction both --clock-budget 1us",
		"search " SIM,
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++)
		refuse_with(EXIT_USAGE_ERROR, refused[i]);
	for (size_t i = 0; i < COUNT(taken); i++) {
		take(&reading, taken[i]);
		config_free(&reading.config);
	}
}

static void each_backend_can_be_chosen(void **state)
{
	static const struct {
		const char *line;
		enum tx_choice tx;
	} cases[] = {
		{ "trial -p a,b --load 5", TX_AUTO },
		{ "trial -p a,b --load 5 --tx auto", TX_AUTO },
		{ "trial -p a,b --load 5 --tx xsk", TX_XSK },
		{ "trial -p a,b --load 5 --tx live", TX_LIVE },
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		take(&reading, cases[i].line);
		assert_int_equal(reading.config.tx, cases[i].tx);
		config_free(&reading.config);
	}
}

static void sixteen_goals_are_enough(void **state)
{
	char line[512] = "search -p a,b";
	struct reading reading;

	(void)state;
	for (int i = 0; i < MLR_GOALS_MAX; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " --goal=loss=%d%%", i);
	take(&reading, line);
	assert_int_equal(reading.config.goal_count, MLR_GOALS_MAX);
	config_free(&reading.config);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), " --goal=loss=0");
	refuse_with(EXIT_USAGE_ERROR, line);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static char file_path[] = "/tmp/xdp-mlr-test-config-XXXXXX";

static int make_file(void **state)
{
	int fd = mkstemp(file_path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(file_path);
}

/* The file with this text, and a command line before it. */
static void read_file(struct reading *reading, const char *line, const char *text)
{
	FILE *stream = fopen(file_path, "w");
	char whole[512];

	assert_non_null(stream);
	fputs(text, stream);
	assert_int_equal(fclose(stream), 0);
	snprintf(whole, sizeof(whole), "%s --config %s", line, file_path);
	read_line(reading, whole);
}

static void file_has_every_form_of_value(void **state)
{
	struct reading reading;
	const struct config *config = &reading.config;

	(void)state;
	read_file(&reading, "search",
		  "# a comment\n"
		  "ports: [east, west]\n"
		  "frame-size: 128\n"
		  "quiet: true\n"
		  "wait: {a: 1, e: 3}\n"
		  "goal:\n"
		  "  - name=x,loss=0.5%\n"
		  "  - {name: y, final: 2s}\n"
		  "max-load: '10Mfps'\n");
	assert_int_equal(reading.code, EXIT_DONE);
	assert_string_equal(config->ports[PORT_B].name, "west");
	assert_int_equal(config->frame_size_octets, 128);
	assert_true(config->quiet);
	assert_true(config->waits.routing_s == 1 && config->waits.residual_s == 2 && config->waits.stabilize_s == 3);
	assert_int_equal(config->goal_count, 2);
	assert_true(config->goals[0].loss_ratio == 0.005);
	assert_string_equal(config->goals[1].name, "y");
	assert_true(config->goals[1].final_trial_duration_s == 2);
	assert_true(config->max_load.value == 1e7);
	config_free(&reading.config);
}

static void command_line_wins_over_file(void **state)
{
	struct reading reading;

	(void)state;
	read_file(&reading, "search --goal name=mine --frame-size 64",
		  "ports: a,b\nframe-size: 128\ngoal: [name=x, name=y]\n");
	assert_int_equal(reading.code, EXIT_DONE);
	assert_int_equal(reading.config.frame_size_octets, 64);
	assert_int_equal(reading.config.goal_count, 1);
	assert_string_equal(reading.config.goals[0].name, "mine");
	config_free(&reading.config);
}

static void an_empty_file_says_nothing(void **state)
{
	struct reading reading;

	(void)state;
	read_file(&reading, "search -p a,b", "");
	assert_int_equal(reading.code, EXIT_DONE);
	config_free(&reading.config);
	read_file(&reading, "search -p a,b", "# nothing\n---\n");
	assert_int_equal(reading.code, EXIT_DONE);
	config_free(&reading.config);
}

static void bad_files_are_usage_errors(void **state)
{
	static const char *const texts[] = {
		"- a\n",
		"ports\n",
		"ports: [a, [b]]\n",
		"ports: [a, b\n",
		"frame-size: {a: {b: c}}\n",
		"frame-size: 64\nframe-size: 64\n",
		"config: other.yaml\n",
		"help: true\n",
		"duration: 5\n",
		"quiet: maybe\n",
		"quiet:\n",
		"? [a, b]\n: c\n",
		"frame-size: \"64\\0\"\n",
		"frame-size: 64\n---\nframe-size: 128\n",
		"frame-size: *nothing\n",
		"\xff\xfe\xfd\n",
		"goal: [name=x, {name: x}]\n",
	};
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		read_file(&reading, "search --measurer sim:hard,capacity=1 --max-load 1e6", texts[i]);
		if (reading.code != EXIT_USAGE_ERROR)
			fail_msg("%d for: %s", reading.code, texts[i]);
	}
}

/* What the result echoes, read back as a file, is the same configuration. */
static void echo_reads_back(void **state)
{
	struct reading reading, again;
	json_t *echo, *second;
	char *text;

	(void)state;
	take(&reading,
	     "search -p a,b --preset tst009 --wait e=0.25 --goal name=x,loss=0.1% --min-load 80% --frame-size 512 -q");
	echo = config_describe(&reading.config);
	text = json_dumps(echo, 0);
	read_file(&again, "search", text);
	assert_int_equal(again.code, EXIT_DONE);
	second = config_describe(&again.config);
	assert_true(json_equal(echo, second));
	assert_true(again.config.waits.stabilize_s == 0.25 && again.config.waits.learning_s == 2);
	assert_null(json_object_get(echo, "quiet"));
	free(text);
	json_decref(echo);
	json_decref(second);
	config_free(&reading.config);
	config_free(&again.config);
}

/* y1564: these can be sent at once, and so can those of them that their configuration tests leave; at CIR, and hardly less. */
static void services_are_sent_without_others_too(void **state)
{
	static const char *const lines[] = {
		"y1564 -p a,b --service cir=3910,size=1518 --service cir=118656,size=imix --service "
		"cir=5000,size=genome:aabbbcc "
		"--service cir=263,size=1518 --service cir=8284,size=imix",
		"y1564 -p a,b --flows 10 --service cir=103225,size=512 --service cir=4959,size=1518 --service "
		"cir=884,size=1518 "
		"--service cir=28802,size=128 --service cir=3523,size=genome:aabbbcc",
	};
	struct mlr_service_frames frames[SERVICES_MAX];
	struct config together;
	double load_fps;

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct service_rates rates[SERVICES_MAX];
		struct reading reading;

		take(&reading, lines[i]);
		assert_int_equal(services_rates(&reading.config, INFINITY, rates), EXIT_DONE);
		for (unsigned int which = 1; which < 1u << reading.config.service_count; which++) {
			assert_int_equal(config_for_services(&reading.config, which, rates, frames, &together, &load_fps),
					 EXIT_DONE);
			for (unsigned int j = 0; j < reading.config.service_count; j++) {
				assert_true(rates[j].load_fps <= rates[j].cir_fps * (1 + 1e-9));
				assert_true(rates[j].load_fps >= 0.99 * rates[j].cir_fps);
			}
		}
		config_free(&reading.config);
	}
}

static void assert_tests(const char *line, unsigned int expected)
{
	struct reading reading;

	take(&reading, line);
	assert_int_equal(reading.config.tests, expected);
	config_free(&reading.config);
}

static void tests_are_those_asked_for_or_all_that_can_be(void **state)
{
	const unsigned int all = (1u << (TEST_RECONF + 1)) - 1, reset = 1u << TEST_RESET, reconf = 1u << TEST_RECONF;

	(void)state;
	assert_tests("rfc2544 -p a,b", all & ~reset & ~reconf);
	assert_tests("rfc2544 -p a,b --reset-command x", all & ~reconf);
	assert_tests("rfc2544 -p a,b --reconf-command x", all & ~reset);
	assert_tests("rfc2544 -p a,b --reset-command x --reconf-command x", all);
	assert_tests("rfc2544 -p a,b --tests reconf,throughput --reconf-command x", reconf | 1u << TEST_THROUGHPUT);
	assert_tests("y1564 -p a,b --service cir=1kfps", 1u << Y1564_CONFIGURATION | 1u << Y1564_PERFORMANCE);
	assert_tests("y1564 -p a,b --service cir=1kfps --tests performance", 1u << Y1564_PERFORMANCE);
}

static void services_have_tags_and_classes_of_their_own(void **state)
{
	struct service_rates rates[SERVICES_MAX];
	struct mlr_service_frames frames[SERVICES_MAX];
	struct config one, together;
	struct reading reading;
	double load_fps;

	(void)state;
	take(&reading, "y1564 -p a,b --service cir=100,size=128,dscp=46 --service cir=200,size=256,vlan=100:5");
	assert_int_equal(config_for_service(&reading.config, &reading.config.services[0], &one), EXIT_DONE);
	assert_true(one.vlan_count == 0 && one.traffic_class == 46 << 2 && one.frame_size_octets == 128);
	assert_int_equal(config_for_service(&reading.config, &reading.config.services[1], &one), EXIT_DONE);
	assert_true(one.vlan_count == 1 && one.vlans[0].control == (5 << 13 | 100) && one.frame_size_octets == 256);
	assert_int_equal(services_rates(&reading.config, INFINITY, rates), EXIT_DONE);
	assert_int_equal(config_for_services(&reading.config, 2, rates, frames, &together, &load_fps), EXIT_DONE);
	assert_true(load_fps == 200 && together.vlan_count == 1 && frames[0].vlan_count == 1);
	assert_int_equal(config_for_services(&reading.config, 1, rates, frames, &together, &load_fps), EXIT_DONE);
	assert_true(load_fps == 100 && together.vlan_count == 0 && frames[0].traffic_class == 46 << 2);
	assert_int_equal(config_for_services(&reading.config, 3, rates, frames, &together, &load_fps), EXIT_DONE);
	assert_true(load_fps == 300 && together.vlan_count == 1 && frames[1].vlan_count == 1);
	assert_int_equal(mlr_size_most_octets(&together.sizes), 256);
	config_free(&reading.config);
}

/* A rate may be a share of the link, and all committed ones, and each with its excess, are no more than it carries. */
static void rates_of_services_fit_the_link(void **state)
{
	static const struct {
		const char *services;
		enum exit_code code;
	} rows[] = {
		{ "--service size=128,cir=50% --service size=128,cir=50%", EXIT_DONE },
		{ "--service size=128,cir=50% --service size=128,cir=51%", EXIT_USAGE_ERROR },
		{ "--service size=128,cir=50%,eir=50%", EXIT_DONE },
		{ "--service size=128,cir=50%,eir=51%", EXIT_USAGE_ERROR },
		{ "--tests performance --service size=128,cir=50%,eir=51%", EXIT_DONE },
	};
	struct service_rates rates[SERVICES_MAX];
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		take(&reading, TEXT_OF(128, "y1564 -p a,b %s", rows[i].services));
		assert_int_equal(services_rates(&reading.config, 1e9, rates), rows[i].code);
		if (rows[i].code == EXIT_DONE)
			assert_true(fabs(rates[0].cir_fps - 0.5e9 / 8 / 148) < 1e-6);
		config_free(&reading.config);
	}
}

/* y1564: bits are those of frames, FCS included, unless the line's are asked for; other verbs have those of the line. */
static void rates_of_services_are_information_rates(void **state)
{
	static const struct {
		const char *rate;
		double frame_octets; /* that a frame of 128 counts as */
	} cases[] = {
		{ "10Mbps", 128 }, { "10Mbit/s", 128 },  { "10Mb/s", 128 },    { "10Mbit", 128 },
		{ "10M", 128 },    { "10Mbps-l2", 128 }, { "10Mbps-l1", 148 },
	};
	struct service_rates rates[SERVICES_MAX];
	struct reading reading;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double expected_fps = 10e6 / 8 / cases[i].frame_octets;

		take(&reading, TEXT_OF(128, "y1564 -p a,b --service size=128,cir=%s,eir=%s", cases[i].rate, cases[i].rate));
		assert_int_equal(services_rates(&reading.config, 0, rates), EXIT_DONE);
		assert_true(fabs(rates[0].cir_fps - expected_fps) < 1e-6 && fabs(rates[0].eir_fps - expected_fps) < 1e-6);
		config_free(&reading.config);
	}
	take(&reading, "trial -p a,b --load 10Mbps");
	assert_int_equal(reading.config.load.unit, LOAD_BPS_L1);
	config_free(&reading.config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(search_has_the_contracts_defaults),
		cmocka_unit_test(ports_may_be_on_other_hosts),
		cmocka_unit_test(roles_say_who_sends_to_whom),
		cmocka_unit_test(presets_bring_goals_and_waits),
		cmocka_unit_test(goals_replace_those_of_the_preset),
		cmocka_unit_test(goals_are_completed),
		cmocka_unit_test(waits_are_of_their_phases),
		cmocka_unit_test(options_take_gnu_forms),
		cmocka_unit_test(ports_take_addresses_and_macs),
		cmocka_unit_test(gateways_follow_from_addresses),
		cmocka_unit_test(services_have_what_was_agreed),
		cmocka_unit_test(sizes_are_one_or_a_mix_or_a_genome),
		cmocka_unit_test(tags_have_a_priority_and_a_number),
		cmocka_unit_test(fields_vary_as_far_as_there_is_room),
		cmocka_unit_test(modifiers_are_a_share_and_a_rate),
		cmocka_unit_test(what_the_sut_may_change_is_a_set),
		cmocka_unit_test(a_suite_needs_the_mtu_of_its_longest_frames),
		cmocka_unit_test(services_and_their_steps_are_no_more_than_there_is_room_for),
		cmocka_unit_test(measurers_have_arguments),
		cmocka_unit_test(lab_has_three_verbs),
		cmocka_unit_test(wrong_values_are_usage_errors),
		cmocka_unit_test(what_may_be_changed_on_ports_is_a_set),
		cmocka_unit_test(lists_of_ports_have_bounds),
		cmocka_unit_test(values_that_do_not_go_together_are_usage_errors),
		cmocka_unit_test(each_backend_can_be_chosen),
		cmocka_unit_test(sixteen_goals_are_enough),
		cmocka_unit_test(file_has_every_form_of_value),
		cmocka_unit_test(command_line_wins_over_file),
		cmocka_unit_test(an_empty_file_says_nothing),
		cmocka_unit_test(bad_files_are_usage_errors),
		cmocka_unit_test(echo_reads_back),
		cmocka_unit_test(services_are_sent_without_others_too),
		cmocka_unit_test(tests_are_those_asked_for_or_all_that_can_be),
		cmocka_unit_test(services_have_tags_and_classes_of_their_own),
		cmocka_unit_test(rates_of_services_fit_the_link),
		cmocka_unit_test(rates_of_services_are_information_rates),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
