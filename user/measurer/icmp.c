/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/icmp.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"

/* --- what numbers mean ------------------------------------------------------------------------------------------------ */

#define ROUTES     "look at the SUT's routes"
#define NEIGHBOUR  "the SUT finds nobody with that address: look at its routes, and at --address and --address6"
#define FIREWALL   "look at the SUT's firewall"
#define MTU        "send smaller frames (--frame-size), or make the MTU of the SUT's link larger"
#define TTL        "look for a loop in the SUT's routes; a template may have a small TTL"
#define REASSEMBLY "the SUT puts fragments together, and some are missing"
#define HEADERS    "look at the options and headers that the frames have"
#define DELIVERY   "the SUT takes these frames for its own, or a firewall rejects them: look at addresses and rules"
#define REDIRECT   "the SUT sends frames back to where they came from: look at its routes, and at --gateway and --gateway6"
#define CONGESTED  "the SUT is overloaded"

#define ANY_CODE (-1)

/* The messages by type and code (RFC 792, 1122, 1812, 4443, 4861, IANA's lists). The first that fits counts, so ANY_CODE is
 * the last of its type. */
static const struct meaning {
	int ip_version, type, code;
	const char *message, *advice;
} meanings[] = {
	{ 4, 3, 0, "network unreachable", ROUTES },
	{ 4, 3, 1, "host unreachable", NEIGHBOUR },
	{ 4, 3, 2, "protocol unreachable", DELIVERY },
	{ 4, 3, 3, "port unreachable", DELIVERY },
	{ 4, 3, 4, "fragmentation needed", MTU },
	{ 4, 3, 5, "source route failed", HEADERS },
	{ 4, 3, 6, "network unknown", ROUTES },
	{ 4, 3, 7, "host unknown", NEIGHBOUR },
	{ 4, 3, 8, "source host isolated", ROUTES },
	{ 4, 3, 9, "network administratively prohibited", FIREWALL },
	{ 4, 3, 10, "host administratively prohibited", FIREWALL },
	{ 4, 3, 11, "network unreachable for this type of service", ROUTES },
	{ 4, 3, 12, "host unreachable for this type of service", ROUTES },
	{ 4, 3, 13, "communication administratively prohibited", FIREWALL },
	{ 4, 3, 14, "host precedence violation", FIREWALL },
	{ 4, 3, 15, "precedence cutoff", FIREWALL },
	{ 4, 3, ANY_CODE, "destination unreachable", ROUTES },
	{ 4, 4, ANY_CODE, "source quench", CONGESTED },
	{ 4, 5, ANY_CODE, "redirect", REDIRECT },
	{ 4, 11, 0, "time to live exceeded in transit", TTL },
	{ 4, 11, 1, "fragment reassembly time exceeded", REASSEMBLY },
	{ 4, 11, ANY_CODE, "time exceeded", TTL },
	{ 4, 12, ANY_CODE, "parameter problem", HEADERS },
	{ 6, 1, 0, "no route to destination", ROUTES },
	{ 6, 1, 1, "communication administratively prohibited", FIREWALL },
	{ 6, 1, 2, "beyond scope of source address", ROUTES },
	{ 6, 1, 3, "address unreachable", NEIGHBOUR },
	{ 6, 1, 4, "port unreachable", DELIVERY },
	{ 6, 1, 5, "source address failed ingress or egress policy", FIREWALL },
	{ 6, 1, 6, "reject route to destination", ROUTES },
	{ 6, 1, 7, "error in source routing header", HEADERS },
	{ 6, 1, ANY_CODE, "destination unreachable", ROUTES },
	{ 6, 2, ANY_CODE, "packet too big", MTU },
	{ 6, 3, 0, "hop limit exceeded in transit", TTL },
	{ 6, 3, 1, "fragment reassembly time exceeded", REASSEMBLY },
	{ 6, 3, ANY_CODE, "time exceeded", TTL },
	{ 6, 4, ANY_CODE, "parameter problem", HEADERS },
	{ 6, 137, ANY_CODE, "redirect", REDIRECT },
};

static const struct meaning *meaning_of(const struct rx_icmp_error *error)
{
	static const struct meaning unknown = { .message = "an error", .advice = ROUTES };

	for (size_t i = 0; i < COUNT(meanings); i++)
		if (meanings[i].ip_version == error->ip_version && meanings[i].type == error->type &&
		    (meanings[i].code == error->code || meanings[i].code == ANY_CODE))
			return &meanings[i];
	return &unknown;
}

/* --- reports ---------------------------------------------------------------------------------------------------------- */

static struct icmp_report report_of(unsigned int port, const struct rx_icmp_error *error)
{
	const struct meaning *meaning = meaning_of(error);
	int family = error->ip_version == 6 ? AF_INET6 : AF_INET;
	struct icmp_report report = {
		.port = port,
		.ip_version = error->ip_version,
		.type = error->type,
		.code = error->code,
		.message = meaning->message,
		.advice = meaning->advice,
		.flow = error->flow,
		.mtu_octets = error->mtu_octets,
		.frames = error->frames,
		.other_flows = error->other_flows,
	};

	inet_ntop(family, error->from, report.from, sizeof(report.from));
	inet_ntop(family, error->about, report.about, sizeof(report.about));
	return report;
}

/* CPUs that get it for the first time at one moment may have taken an entry each. */
static struct icmp_report *find_same(const struct measurement *measurement, const struct icmp_report *report)
{
	for (size_t i = 0; i < measurement->icmp_error_count; i++) {
		struct icmp_report *other = &measurement->icmp_errors[i];

		if (other->port == report->port && other->ip_version == report->ip_version && other->type == report->type &&
		    other->code == report->code && strcmp(other->from, report->from) == 0)
			return other;
	}
	return NULL;
}

static void add(struct measurement *measurement, const struct icmp_report *report)
{
	struct icmp_report *same = find_same(measurement, report);

	if (!same) {
		measurement->icmp_errors[measurement->icmp_error_count++] = *report;
		return;
	}
	same->frames += report->frames;
	same->other_flows += report->flow == same->flow ? report->other_flows : report->frames;
}

static int by_frames(const void *a, const void *b)
{
	const struct icmp_report *x = a, *y = b;

	return x->frames != y->frames ? (x->frames < y->frames ? 1 : -1) : (x->port > y->port) - (x->port < y->port);
}

static size_t count_errors(const struct account *account)
{
	size_t count = 0;

	for (unsigned int port = 0; port < account->port_count; port++)
		for (size_t i = 0; i < RX_ICMP_ERRORS; i++)
			count += account->ports[port].icmp_errors[i].frames > 0;
	return count;
}

enum exit_code icmp_summarize(const struct account *account, struct measurement *measurement)
{
	size_t count = count_errors(account);

	free(measurement->icmp_errors); /* Drop the errors of a spoilt performance. */
	measurement->icmp_errors = NULL;
	measurement->icmp_error_count = 0;
	if (!count)
		return EXIT_DONE;
	measurement->icmp_errors = calloc(count, sizeof(*measurement->icmp_errors));
	if (!measurement->icmp_errors)
		return out_of_memory();
	for (unsigned int port = 0; port < account->port_count; port++) {
		for (size_t i = 0; i < RX_ICMP_ERRORS; i++) {
			const struct rx_icmp_error *error = &account->ports[port].icmp_errors[i];
			const struct icmp_report report = report_of(port, error);

			if (error->frames)
				add(measurement, &report);
		}
	}
	qsort(measurement->icmp_errors, measurement->icmp_error_count, sizeof(*measurement->icmp_errors), by_frames);
	return EXIT_DONE;
}

const char *icmp_sentence(const struct icmp_report *report, char *room, size_t size)
{
	room[0] = '\0';
	text_add(room, size, "%s says: %s", report->from, report->message);
	if (report->mtu_octets)
		text_add(room, size, " (MTU %u)", report->mtu_octets);
	text_add(room, size, ", about frames to %s", report->about);
	if (report->flow != RX_NO_FLOW)
		text_add(room, size, " (flow %u)", report->flow);
	if (report->other_flows)
		text_add(room, size, " and of other flows");
	if (report->frames == 1)
		text_add(room, size, ", once");
	else
		text_add(room, size, ", %llu times", (unsigned long long)report->frames);
	return room;
}
