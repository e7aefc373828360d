/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/timestamps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "netdev/ethtool.h"
#include "port/port.h"

#define REASON_SIZE 256

static bool is_demanded(const struct config *config)
{
	return config->timestamps == TIMESTAMPS_HARDWARE || config->prepare.asked & 1u << PREPARE_TIMESTAMPS;
}

/* Go on without, or end where hardware was asked for. */
static enum exit_code do_without(struct measurer_xdp *xdp, unsigned int port, const char *reason)
{
	xdp->by_nic_clock = false;
	if (!is_demanded(xdp->config))
		return EXIT_DONE;
	return refuse(EXIT_INCAPABLE,
		      "port %s: no hardware receive timestamps: %s; use --timestamps auto, and leave 'timestamps' out of "
		      "--prepare",
		      xdp->ports[port].link.name, reason);
}

/* --- what there is -------------------------------------------------------------------------------------------------- */

/* The number of the port's clock; or negative, with the reason why it is of no use. */
static int find_clock(int ifindex, const char **ret_reason)
{
	struct link_clock clock = { .phc_index = -1 };
	struct ethtool *ethtool;
	struct link_xdp features;

	*ret_reason = "its driver has no hardware clock";
	if (ethtool_open(&ethtool))
		return -1;
	ethtool_clock(ethtool, ifindex, &clock); /* What cannot be told stays as it is. */
	if (clock.phc_index >= 0 && !clock.stamps_every_received) {
		*ret_reason = "the NIC does not stamp every frame that it receives";
		clock.phc_index = -1;
	} else if (clock.phc_index >= 0 && (ethtool_xdp(ethtool, ifindex, &features) || !features.rx_timestamp)) {
		*ret_reason = "its driver, or this kernel, does not give XDP programs the time (Linux 6.3 or later)";
		clock.phc_index = -1;
	}
	ethtool_close(ethtool);
	return clock.phc_index;
}

/* Open a port's clock and have it stamp. 0 or negative, with the reason. */
static int open_clock(struct measurer_xdp *xdp, unsigned int port, char reason[REASON_SIZE])
{
	struct endpoint *end = &xdp->ends[port];
	const char *lack;
	int index = find_clock(xdp->ports[port].link.ifindex, &lack), error;

	if (index < 0) {
		snprintf(reason, REASON_SIZE, "%s", lack);
		return index;
	}
	error = nic_clock_open(index, &end->clock);
	if (error)
		snprintf(reason, REASON_SIZE, "cannot read its clock, /dev/ptp%d: %s", index, strerror(-error));
	else if ((error = port_stamp_received(&xdp->ports[port], xdp->config)))
		snprintf(reason, REASON_SIZE, "%s",
			 error == -EPERM ? "it has to be told to stamp frames, which --prepare does not allow (--prepare "
					   "auto,timestamps), or CAP_NET_ADMIN is missing"
					 : strerror(-error));
	if (error)
		nic_clock_close(&end->clock);
	return error;
}

enum exit_code timestamps_ask(struct measurer_xdp *xdp)
{
	const char *lack;

	if (xdp->config->no_latency || xdp->config->timestamps == TIMESTAMPS_SOFTWARE)
		return EXIT_DONE;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].receives && find_clock(xdp->ports[i].link.ifindex, &lack) < 0)
			return do_without(xdp, i, lack);
	xdp->by_nic_clock = true;
	return EXIT_DONE;
}

enum exit_code timestamps_open(struct measurer_xdp *xdp)
{
	char reason[REASON_SIZE];
	enum exit_code code = timestamps_ask(xdp);

	for (unsigned int i = 0; i < xdp->port_count && xdp->by_nic_clock; i++)
		if (xdp->ends[i].receives && open_clock(xdp, i, reason))
			return do_without(xdp, i, reason);
	return code;
}

enum exit_code timestamps_check(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count && xdp->by_nic_clock; i++)
		if (xdp->ends[i].clock.fd && !rx_has_hardware_clock(xdp->ends[i].rx))
			return do_without(xdp, i, "the kernel does not take the XDP program that asks for them");
	return EXIT_DONE;
}

void timestamps_close(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		nic_clock_close(&xdp->ends[i].clock);
}

/* --- a trial -------------------------------------------------------------------------------------------------------- */

/* Arrivals are by software from now on; or the run ends, where hardware was asked for. */
static enum exit_code fall_back(struct measurer_xdp *xdp, unsigned int port, const char *what, int error)
{
	const char *name = xdp->ports[port].link.name, *between = error ? ": " : "", *reason = error ? strerror(-error) : "";

	if (xdp->config->timestamps == TIMESTAMPS_HARDWARE)
		return refuse(EXIT_INVALID, "port %s: %s%s%s (--timestamps hardware)", name, what, between, reason);
	warn("port %s: %s%s%s; latency is by software timestamps from now on", name, what, between, reason);
	xdp->by_nic_clock = false;
	return EXIT_DONE;
}

/* Do that with each clock, as far as they are in use. */
static enum exit_code each_clock(struct measurer_xdp *xdp, int (*act)(struct nic_clock *clock))
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < xdp->port_count && xdp->by_nic_clock && !code; i++) {
		struct nic_clock *clock = &xdp->ends[i].clock;
		int error = clock->fd ? act(clock) : 0;

		if (error)
			code = fall_back(xdp, i, "cannot read its clock", error);
	}
	return code;
}

/* Set the offset. For the receiver, 0 means that it does not use the clock. */
static void use_offset(void *context, int64_t offset_ns)
{
	rx_set_clock_offset(context, offset_ns ? offset_ns : 1);
}

enum exit_code timestamps_begin(struct measurer_xdp *xdp)
{
	enum exit_code code = each_clock(xdp, nic_clock_begin);

	for (unsigned int i = 0; i < xdp->port_count && !code; i++) {
		struct endpoint *end = &xdp->ends[i];
		int error = 0;

		if (end->clock.fd && xdp->by_nic_clock)
			error = nic_clock_follow(&end->clock, use_offset, end->rx);
		if (error)
			code = fall_back(xdp, i, "cannot follow its clock", error);
	}
	for (unsigned int i = 0; i < xdp->port_count && !xdp->by_nic_clock; i++) {
		if (!xdp->ends[i].clock.fd)
			continue;
		nic_clock_leave(&xdp->ends[i].clock);
		rx_set_clock_offset(xdp->ends[i].rx, 0);
	}
	return code;
}

enum exit_code timestamps_end(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		nic_clock_leave(&xdp->ends[i].clock);
	return each_clock(xdp, nic_clock_end);
}

/* How far the clocks may have been from what they were taken for, the worst of them. */
static double clocks_bound_ns(const struct measurer_xdp *xdp)
{
	uint64_t most_ns = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		uint64_t bound_ns = xdp->ends[i].clock.fd ? phc_track_bound_ns(&xdp->ends[i].clock.track) : 0;

		if (bound_ns > most_ns)
			most_ns = bound_ns;
	}
	return (double)most_ns;
}

static unsigned int first_clock(const struct measurer_xdp *xdp)
{
	unsigned int port = 0;

	while (port + 1 < xdp->port_count && !xdp->ends[port].clock.fd)
		port++;
	return port;
}

/* Frames that arrived before they had left, and by more than clocks may be wrong: then no latency is as short as that. */
static bool is_beyond_bound(const struct rx_counters *received, const struct measurement *measurement, double bound_ns)
{
	return received->negative_latency && (!measurement->has_latency || (double)measurement->latency.min_ns > bound_ns);
}

enum exit_code timestamps_judge(struct measurer_xdp *xdp, const struct rx_counters *received, double clock_read_ns,
				struct measurement *measurement)
{
	struct latency_summary *latency = &measurement->latency;
	uint64_t timed = received->hardware_timed;
	double clocks_ns;

	if (!received->received || (!timed && !xdp->by_nic_clock))
		return EXIT_DONE;
	if (!timed)
		return fall_back(xdp, first_clock(xdp),
				 "the NIC stamped no frame of a trial, or all with times that cannot be", 0);
	if (timed < received->received || !xdp->by_nic_clock) {
		/* two clocks, or one of which it is not known where it ended: no latency of this trial */
		measurement->has_latency = false;
		return xdp->by_nic_clock ? fall_back(xdp, first_clock(xdp),
						     "the NIC stamped some frames of a trial and some not, or with times "
						     "that cannot be; "
						     "so it has no latency",
						     0)
					 : EXIT_DONE;
	}
	clocks_ns = clocks_bound_ns(xdp) - clock_read_ns; /* Only the departure was read from our clock. */
	if (is_beyond_bound(received, measurement, latency->error_bound_ns + clocks_ns)) {
		measurement->has_latency = false;
		return fall_back(
			xdp, first_clock(xdp),
			"the NIC stamped frames of a trial as if they had come before they left; so it has no latency", 0);
	}
	latency->clock = "CLOCK_MONOTONIC of the tester; arrivals by the receiving NIC's clock, converted to it";
	latency->definition = "from the actual departure, stamped before the frame is handed to the kernel, to the "
			      "receiving port's NIC, by its stamp of the frame's first bit or its last (RFC 1242, 3.8)";
	latency->source = "hardware receive timestamp, software departure";
	measurement_add_latency_error(measurement, clocks_ns);
	return EXIT_DONE;
}
