/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connect tells what lies between the ports, and whether frames pass. It measures nothing. */
#include <jansson.h>
#include <stdio.h>
#include <time.h>

#include "base/destination.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/output.h"
#include "cli/verbs.h"
#include "config/echo.h"
#include "measurer/measurer.h"
#include "result/report.h"

static void print_spanning(const json_t *spanning)
{
	const char *state = read_string(spanning, "state");

	if (spanning)
		printf("; spanning tree%s%s, bridge %s, root %s", state ? ": " : "", state ? state : "",
		       read_text(spanning, "bridge"), read_text(spanning, "root"));
}

static void print_port(const json_t *port)
{
	const json_t *heard = json_object_get(port, "heard"), *lldp = json_object_get(heard, "lldp"),
		     *cdp = json_object_get(heard, "cdp"), *program = json_object_get(port, "program");
	const char *gateway = read_string(port, "gateway");

	printf("  %-15s", read_text(port, "port"));
	if (json_object_get(port, "sent"))
		printf(" of %lld frames that it sent %lld came;", (long long)read_integer(port, "sent"),
		       (long long)read_integer(port, "came"));
	printf(" %s%s", gateway ? gateway : "no gateway", gateway ? " answers" : "");
	print_spanning(json_object_get(heard, "spanning_tree"));
	if (lldp)
		printf("; LLDP: %s of %s", read_text(lldp, "port"), read_text(lldp, "system"));
	if (cdp)
		printf("; CDP: %s of %s", read_text(cdp, "port"), read_text(cdp, "system"));
	if (program)
		printf("; %s (process %lld) has a packet socket there", read_text(program, "name"),
		       (long long)read_integer(program, "process"));
	printf("; heard %lld ARP, %lld DHCP, %lld foreign\n", (long long)read_integer(heard, "arp"),
	       (long long)read_integer(heard, "dhcp"), (long long)read_integer(heard, "foreign"));
}

static enum exit_code show(const struct config *config, struct measurer *measurer, time_t start_time)
{
	json_auto_t *connection = measurer_xdp_connection(measurer);

	if (config->format != FORMAT_TEXT)
		return output_json(json_with("schema", "xdp-mlr/connect/1", "connection", json_incref(connection),
					     "measurer", measurer->ops->describe(measurer), "traffic_profile",
					     measurer->ops->traffic_profile(measurer), "environment",
					     environment_describe(start_time), "configuration", config_describe(config)));
	printf("Between the ports: %s.\n", read_text(connection, "sentence"));
	json_each (port, json_object_get(connection, "ports"))
		print_port(port);
	if (read_truth(connection, "steady"))
		printf("%lld frames in a row have passed.\n", (long long)read_integer(connection, "in_a_row"));
	return EXIT_DONE;
}

enum exit_code verb_connect(const struct config *config)
{
	struct keeper_plan plan = { .answer = destination_answer };
	time_t start_time = time(NULL);
	struct measurer *measurer;
	enum exit_code code = measurer_new(config, &measurer), shown;

	if (code == EXIT_INTERRUPTED)
		measurer_free(measurer);
	if (code)
		return code;
	shown = measurer_divide(measurer, &plan);
	if (!shown)
		shown = show(config, measurer, start_time);
	if (!shown && !measurer_xdp_is_connected(measurer))
		shown = EXIT_UNMET;
	measurer_free(measurer);
	return shown;
}
