/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/departure.h"

#include <string.h>

#include "base/json_value.h"
#include "netdev/ethtool.h"
#include "port/port.h"

#define LEAD_NS         200000 /* frames are handed over so long before their launch time; a busy machine may be late */
#define EARLY_ENOUGH_NS 1000   /* allowed earliness of a departure, beyond the error of the clocks */

/* The abilities of a port for this. */
struct ability {
	bool stamps, launches; /* the NIC */
	bool kernel_stamps;    /* the kernel says when it was done with a frame */
	int phc_index;
	const char *no_stamps, *no_launches; /* why not */
};

/* --- what there is -------------------------------------------------------------------------------------------------- */

/* Whether the driver was told, by a qdisc on each queue that is used, to heed launch times. */
static bool is_set_up(struct mnl_socket *netlink, int ifindex, unsigned int queues)
{
	struct link_queueing queueing;

	if (netlink_queueing(netlink, ifindex, &queueing))
		return false;
	for (unsigned int i = 0; i < queues; i++)
		if (!(queueing.launch_queues >> i & 1))
			return false;
	return true;
}

static struct ability find_ability(struct mnl_socket *netlink, const struct link_info *link, unsigned int queues)
{
	struct ability ability = { .phc_index = -1 };
	struct link_clock clock = { .phc_index = -1 };
	struct link_xdp features = { 0 };
	struct ethtool *ethtool;

	if (!ethtool_open(&ethtool)) {
		ethtool_xdp(ethtool, link->ifindex, &features); /* What cannot be told stays as it is. */
		ethtool_clock(ethtool, link->ifindex, &clock);
		ethtool_close(ethtool);
	}
	ability.phc_index = clock.phc_index;
	ability.kernel_stamps = features.tx_is_told;
	if (!features.tx_is_told)
		ability.no_stamps = "this kernel knows no transmit metadata (Linux 6.8 or later)";
	else if (!features.tx_timestamp)
		ability.no_stamps = "its driver does not stamp departures of AF_XDP";
	else if (clock.phc_index < 0)
		ability.no_stamps = "its driver has no hardware clock";
	if (ability.no_stamps)
		ability.no_launches = ability.no_stamps;
	else if (!features.tx_launch_time)
		ability.no_launches = "its driver has no launch time for AF_XDP";
	else if (!is_set_up(netlink, link->ifindex, queues))
		ability.no_launches = "its queues are not set up for it: each needs an 'etf' qdisc with 'offload', and "
				      "xdp-mlr probe -p says by which command";
	ability.stamps = !ability.no_stamps;
	ability.launches = !ability.no_launches;
	return ability;
}

static enum exit_code lacks(const struct measurer_xdp *xdp, unsigned int port, const char *option, const char *reason)
{
	return refuse(EXIT_INCAPABLE, "--%s on: port %s: %s; leave it at auto", option, xdp->ports[port].link.name, reason);
}

/* --- opening -------------------------------------------------------------------------------------------------------- */

/* Open the NIC's clock and have it stamp. */
static enum exit_code open_clock(struct measurer_xdp *xdp, unsigned int port, int index)
{
	struct departure *departure = &xdp->ends[port].departure;
	int error = nic_clock_open(index, &departure->clock) ?: port_stamp_sent(&xdp->ports[port], xdp->config);

	if (!error)
		return EXIT_DONE;
	nic_clock_close(&departure->clock);
	if (xdp->config->departure_delay == SWITCH_ON || xdp->config->launch_time == SWITCH_ON)
		return refuse(EXIT_INCAPABLE, "port %s: its clock, /dev/ptp%d, cannot be used for departures: %s",
			      xdp->ports[port].link.name, index, strerror(-error));
	return EXIT_DONE;
}

static bool may_stamp(const struct config *config)
{
	return config->departure_delay != SWITCH_OFF && !config->no_latency;
}

/* Whether to look at what the NIC can do: live frames have no metadata. */
static bool is_of_interest(const struct config *config)
{
	bool asked = config->departure_delay == SWITCH_ON || config->launch_time == SWITCH_ON;

	return asked || (config->tx != TX_LIVE && (may_stamp(config) || config->launch_time != SWITCH_OFF));
}

/* Whether the transmitter has the metadata that were asked for. */
static enum exit_code check_metadata(const struct measurer_xdp *xdp, unsigned int port, const struct tx_metadata *has)
{
	static const char reason[] = "there are no transmit metadata with this backend, or for frames this long";

	if (xdp->config->launch_time == SWITCH_ON && !has->lead_ns)
		return lacks(xdp, port, "launch-time", reason);
	if (xdp->config->departure_delay == SWITCH_ON && may_stamp(xdp->config) && !has->stamps)
		return lacks(xdp, port, "departure-delay", reason);
	return EXIT_DONE;
}

static enum exit_code ask(const struct measurer_xdp *xdp, unsigned int port, struct ability *ret)
{
	const struct config *config = xdp->config;

	*ret = (struct ability){ 0 };
	if (!is_of_interest(config))
		return EXIT_DONE;
	*ret = find_ability(xdp->netlink, &xdp->ports[port].link, config->queues);
	if (config->launch_time == SWITCH_ON && !ret->launches)
		return lacks(xdp, port, "launch-time", ret->no_launches);
	if (config->departure_delay == SWITCH_ON && !ret->stamps && !ret->kernel_stamps)
		return lacks(xdp, port, "departure-delay", ret->no_stamps);
	return config->tx == TX_LIVE ? check_metadata(xdp, port, &(struct tx_metadata){ 0 }) : EXIT_DONE;
}

enum exit_code departure_ask(const struct measurer_xdp *xdp, unsigned int port)
{
	struct ability ignored;

	return ask(xdp, port, &ignored);
}

enum exit_code departure_open(struct measurer_xdp *xdp, unsigned int port, struct tx_metadata *ret)
{
	const struct config *config = xdp->config;
	struct departure *departure = &xdp->ends[port].departure;
	struct ability ability;
	enum exit_code code = ask(xdp, port, &ability);
	bool launches = config->launch_time != SWITCH_OFF && ability.launches;

	*ret = (struct tx_metadata){ 0 };
	if (code)
		return code;
	if (ability.stamps && (may_stamp(config) || launches) && (code = open_clock(xdp, port, ability.phc_index)))
		return code;
	ret->lead_ns = departure->clock.fd && launches ? LEAD_NS : 0;
	ret->stamps = departure->clock.fd || (config->departure_delay == SWITCH_ON && may_stamp(config));
	return EXIT_DONE;
}

/* An item that is not in force is not followed either. */
enum exit_code departure_check(struct measurer_xdp *xdp, unsigned int port)
{
	const struct config *config = xdp->config;
	struct departure *departure = &xdp->ends[port].departure;
	const struct tx_metadata *has = &xdp->ends[port].tx->metadata;

	if (config->departure_delay == SWITCH_ON && may_stamp(config) && !departure->clock.fd && xdp_is_zero_copy(xdp, port))
		return lacks(xdp, port, "departure-delay",
			     "of zero-copy frames only a driver knows when they depart, and this one does not tell");
	departure->stamped = has->stamps;
	return check_metadata(xdp, port, has);
}

void departure_close(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		nic_clock_close(&xdp->ends[i].departure.clock);
		xdp->ends[i].departure = (struct departure){ 0 };
	}
}

uint64_t departure_lead_ns(const struct measurer_xdp *xdp)
{
	uint64_t lead_ns = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].tx && xdp->ends[i].tx->metadata.lead_ns > lead_ns)
			lead_ns = xdp->ends[i].tx->metadata.lead_ns;
	return lead_ns;
}

/* --- a trial -------------------------------------------------------------------------------------------------------- */

/* Do that with the clock of each port whose departures are stamped. */
static enum exit_code each_clock(struct measurer_xdp *xdp, int (*act)(struct measurer_xdp *xdp, unsigned int port))
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		int error = xdp->ends[i].departure.stamped ? act(xdp, i) : 0;

		if (error)
			return refuse(EXIT_INVALID, "port %s: cannot read its clock, by which frames depart: %s",
				      xdp->ports[i].link.name, strerror(-error));
	}
	return EXIT_DONE;
}

static void use_offset(void *context, int64_t offset_ns)
{
	tx_port_set_clock_offset(context, offset_ns);
}

static int begin(struct measurer_xdp *xdp, unsigned int port)
{
	struct nic_clock *clock = &xdp->ends[port].departure.clock;

	return nic_clock_begin(clock) ?: nic_clock_follow(clock, use_offset, xdp->ends[port].tx);
}

enum exit_code departure_begin(struct measurer_xdp *xdp)
{
	return each_clock(xdp, begin);
}

static int end(struct measurer_xdp *xdp, unsigned int port)
{
	return nic_clock_end(&xdp->ends[port].departure.clock);
}

enum exit_code departure_end(struct measurer_xdp *xdp)
{
	return each_clock(xdp, end);
}

static uint64_t bound_ns(const struct departure *departure)
{
	return phc_track_bound_ns(&departure->clock.track);
}

/* No frame may leave before its launch time: its tag says that it did not, and would be wrong. */
static enum exit_code check_launches(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct tx_port *tx = xdp->ends[port].tx;

	if (!xdp->ends[port].departure.stamped || !tx->metadata.lead_ns || !tx->departures.asked)
		return EXIT_DONE;
	if (!tx->departures.delays.count)
		return refuse(EXIT_INVALID,
			      "port %s: none of %llu departures was stamped, so that nobody knows whether launch times are "
			      "kept; use --launch-time off",
			      xdp->ports[port].link.name, (unsigned long long)tx->departures.asked);
	if (tx->departures.earliest_ns <= bound_ns(&xdp->ends[port].departure) + EARLY_ENOUGH_NS)
		return EXIT_DONE;
	return refuse(
		EXIT_INVALID,
		"port %s: frames left up to %llu ns before their launch times; see docs/guide/your-nic.md for how to set "
		"its queues up, or use --launch-time off",
		xdp->ports[port].link.name, (unsigned long long)tx->departures.earliest_ns);
}

enum exit_code departure_check_launches(const struct measurer_xdp *xdp)
{
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		code = check_launches(xdp, i);
	return code;
}

static void put_summary(const struct tx_departures *departures, bool by_kernel, uint64_t worst_ns,
			struct departure_summary *ret)
{
	*ret = (struct departure_summary){
		.source = by_kernel ? "the kernel, when it was done with a frame" : "hardware transmit timestamp",
		.by_kernel = by_kernel,
		.count = departures->delays.count,
		.early = departures->early,
		.p50_ns = mlr_histogram_quantile_ns(&departures->delays, 0.5),
		.p99_ns = mlr_histogram_quantile_ns(&departures->delays, 0.99),
		.max_ns = departures->delays.max_ns,
		.error_bound_ns = worst_ns,
	};
}

/* Some drivers take frames in a way in which the kernel loses the request. */
static void warn_of_none(struct measurer_xdp *xdp, const struct tx_departures *departures)
{
	if (xdp->config->departure_delay != SWITCH_ON || departures->delays.count || !departures->asked ||
	    xdp->said_no_departures)
		return;
	xdp->said_no_departures = true;
	warn("--departure-delay on: none of %llu departures was stamped: this kernel does not with this driver",
	     (unsigned long long)departures->asked);
}

/* A departure that the NIC knows bounds what the software's stamp leaves open. */
static void widen_bound(struct measurement *measurement)
{
	const struct departure_summary *departure = &measurement->departure;

	if (!departure->by_kernel && departure->count)
		measurement_add_latency_error(measurement, (double)(departure->max_ns + departure->error_bound_ns));
}

void departure_judge(struct measurer_xdp *xdp, struct measurement *measurement)
{
	struct tx_departures all = { 0 };
	uint64_t worst_ns = 0;
	bool any = false, by_kernel = false, launched = false;

	for (unsigned int i = 0; i < xdp->port_count; i++) {
		const struct departure *departure = &xdp->ends[i].departure;

		if (!departure->stamped)
			continue;
		tx_departures_add(&all, &xdp->ends[i].tx->departures);
		worst_ns = bound_ns(departure) > worst_ns ? bound_ns(departure) : worst_ns;
		launched |= xdp->ends[i].tx->metadata.lead_ns;
		by_kernel |= !departure->clock.fd;
		any = true;
	}
	measurement->has_departure = any && all.delays.count;
	warn_of_none(xdp, &all);
	put_summary(&all, by_kernel, worst_ns, &measurement->departure);
	if (measurement->has_departure)
		widen_bound(measurement);
	if (launched)
		measurement->latency.definition =
			xdp->by_nic_clock ? "from the launch time, at which the transmitting NIC lets the frame go, to the "
					    "receiving port's NIC, by its stamp of the frame's first bit or its last (RFC "
					    "1242, 3.8)"
					  : "from the launch time, at which the transmitting NIC lets the frame go, to the "
					    "XDP program of the receiving port (RFC 1242, 3.8)";
}

json_t *departure_describe(const struct measurer_xdp *xdp, unsigned int port)
{
	const struct endpoint *end = &xdp->ends[port];
	const char *stamps = !end->departure.stamped ? NULL : end->departure.clock.fd ? "hardware" : "kernel";

	return json_with("departure_stamps", stamps, "launch_time",
			 json_boolean(end->tx && end->tx->metadata.lead_ns ? 1 : 0));
}
