/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpulist.h"
#include "base/json_value.h"
#include "measurer/xdp_private.h"

#include "config/traffic.h"
#include "measurer/departure.h"
#include "measurer/destinations.h"
#include "mlr/imix.h"
#include "port/journal.h"

#define CPUS_SIZE 256

static json_t *mac_json(const uint8_t mac[MLR_MAC_OCTETS])
{
	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

/* The CPUs of its transmit threads; null: threads that are left alone, or none. */
static json_t *cpus_json(const struct tx_port *tx)
{
	char list[CPUS_SIZE];
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (tx)
		tx_port_add_cpus(tx, &cpus);
	return CPU_COUNT(&cpus) ? json_string(cpulist_format(&cpus, list, sizeof(list))) : json_null();
}

json_t *xdp_port_json(const struct measurer_xdp *xdp, unsigned int i)
{
	static const char *const sources[] = {
		[MAC_GIVEN] = "given",
		[MAC_ARP] = "learned by ARP",
		[MAC_DISCOVERY] = "learned by neighbour discovery",
		[MAC_OTHER_PORT] = "the other port's",
	};
	const struct endpoint *end = &xdp->ends[i];
	const struct port *port = &xdp->ports[i];
	const struct tx_port *tx = end->tx;
	json_t *json = json_with("name", port->link.name, "driver", port->driver, "mac", mac_json(port->link.mac),
				 "mtu_octets", port->link.mtu_octets, "transmits", end->transmits, "receive_mode",
				 rx_is_generic(end->rx) ? "generic" : "native", "destination_mac",
				 mac_json(end->destination_mac), "destination_mac_source", sources[end->mac_source],
				 "link_bps", port->link_bps > 0.0 ? json_real(port->link_bps) : json_null(), "changes",
				 claim_changes(port->claim), "transmit_queues",
				 tx ? json_integer(tx->queue_count) : json_null(), "transmit_cpus", cpus_json(tx),
				 "transmit_memory", tx ? tx->memory : NULL, "transmit_mode", tx ? tx->mode : NULL);

	json_object_update_new(json, departure_describe(xdp, i));
	return json;
}

bool xdp_queue_stops(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;
	const struct tx_port *tx = port < xdp->port_count ? xdp->ends[port].tx : NULL;

	if (!tx || queue >= tx->queue_count)
		return false;
	*ret = tx->queues[queue]->report.stops;
	return true;
}

struct selftest_way xdp_way(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;
	const struct tx_port *tx = xdp->ends[xdp_first_transmitter(xdp)].tx;

	return (struct selftest_way){ tx->backend, tx->mode, xdp->by_nic_clock, tx->metadata.lead_ns };
}

const char *xdp_backend(const struct measurer_xdp *xdp)
{
	return xdp->ends[xdp_first_transmitter(xdp)].tx->backend;
}

/* Return the late frames of this trial, on all ports. Trial 0 has the frames that connect sent. */
static uint64_t late_of(const struct measurer_xdp *xdp, uint64_t trial_number)
{
	uint64_t late = 0;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		late += rx_late(xdp->ends[i].rx, (uint16_t)(xdp->trial - xdp->trial_count + trial_number));
	return late;
}

/* What came with numbers of trials that the run has not used, port by port. */
static json_t *others_json(const struct measurer_xdp *xdp, unsigned int port, uint64_t *sum)
{
	struct rx_unknown unknown = rx_unknown_trials(xdp->ends[port].rx, false);

	if (!unknown.frames)
		return NULL;
	*sum += unknown.frames;
	return json_with("port", xdp->ports[port].link.name, "frames", unknown.frames, "numbers", unknown.numbers,
			 "most_frequent", unknown.most, "most_frequent_frames", unknown.most_frames);
}

/* What came after its trial, of all that ports received so far. Numbers of trials are those in tags while these do not begin
 * anew. */
static json_t *late_json(const struct measurer_xdp *xdp)
{
	uint64_t total = 0, of_others = 0;
	json_t *trials = json_array(), *others;

	for (uint64_t number = 0; number <= xdp->trial_count && xdp->trial_count < RX_TRIAL_NUMBERS; number++) {
		uint64_t late = late_of(xdp, number);

		if (late)
			json_array_append_new(trials, json_with("trial_number", number, "frames", late));
	}
	/* after them, as frames may come meanwhile */
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct rx_counters now;

		rx_snapshot(xdp->ends[i].rx, &now);
		total += now.late;
	}
	others = json_list(i, xdp->port_count, others_json(xdp, (unsigned int)i, &of_others));
	return json_with("total", total, "in_trials", xdp->late_in_trials, "between_trials", total - xdp->late_in_trials,
			 "of_trials", trials, "of_others", of_others, "others", others);
}

json_t *xdp_verification_json(const struct config *config)
{
	if (config->verify == VERIFY_ALL)
		return json_string("by software, every frame");
	if (config->verify == VERIFY_DOUBTS)
		return json_string("by software, doubtful frames only");
	return json_sprintf("by software, every frame of the smallest size, one in %d of a flow's others, and doubtful ones",
			    RX_VERIFY_SPACING);
}

json_t *xdp_describe(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;

	return json_with("name", "xdp", "tx_backend", xdp_backend(xdp), "ports",
			 json_list(i, xdp->port_count, xdp_port_json(xdp, (unsigned int)i)), "unsent_tolerance_s",
			 MLR_UNSENT_TOLERANCE_S, "allow_unsafe", xdp->config->unsafe_reason, "checksums_verified",
			 xdp_verification_json(xdp->config), "late_frames", late_json(xdp));
}

/* How far the load is from constant (4.5.2 of the draft asks for that). */
json_t *xdp_load_json(const struct tx_port *tx)
{
	if (tx->metadata.lead_ns)
		return json_string("constant: frame n is due at n / load after the start, and the NIC lets it go then "
				   "(launch time); one that is handed over late leaves at once. What was achieved is in "
				   "each trial's pacing and departure_delay");
	return json_sprintf("constant: frame n is due at n / load after the start, on a port as a whole (%u transmit "
			    "queue%s). After a stop "
			    "of the tester a bounded burst is caught up (--burst), and for the rest the schedule moves: "
			    "departures never "
			    "exceed the load by more than that burst. What was achieved is in each trial's pacing",
			    tx->queue_count, tx->queue_count == 1 ? "" : "s");
}

/* What the SUT may change, on any port. */
static json_t *expected_json(const struct measurer_xdp *xdp)
{
	static const char *const names[MLR_CHANGES] = { "vlan", "priority", "dscp", "ecn", "ttl", "address", "port" };
	unsigned int changes = 0;
	json_t *list = json_array();

	for (unsigned int i = 0; i < xdp->port_count; i++)
		changes |= destinations_expected_changes(xdp, i);
	for (unsigned int i = 0; i < MLR_CHANGES; i++)
		if (changes >> i & 1)
			json_array_append_new(list, json_string(names[i]));
	return list;
}

json_t *xdp_traffic_profile(struct measurer *measurer)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;
	const char *names[MLR_PORTS_MAX];
	json_t *json;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		names[i] = xdp->ports[i].link.name;
	json = traffic_describe(xdp->config, &xdp->profile, names);
	json_put(json, "expected_changes", expected_json(xdp));
	if (xdp->config->load.unit != LOAD_MAX) /* --load max has no schedule to keep. */
		json_put(json, "load", xdp_load_json(xdp->ends[xdp_first_transmitter(xdp)].tx));
	return json;
}

void xdp_deviations(struct measurer *measurer, json_t *list)
{
	const struct config *config = measurer->config;
	const char *protocol = config->ip == IP_4   ? "ARP"
			       : config->ip == IP_6 ? "neighbour discovery"
						    : "ARP and neighbour discovery";

	if (config->padded_octets)
		json_array_append_new(
			list,
			json_sprintf("The mix of sizes has frames of %u octets; in place of those that are too small for "
				     "the tester's tag, frames of %u are sent (--frame-size).",
				     config->padded_octets, mlr_size_least_octets(&config->sizes)));
	if (config->no_seq)
		json_array_append_new(
			list,
			json_string("Sequence numbers are not looked at (--no-seq): duplicates, reordering and gaps are not "
				    "told, and a duplicate counts as a frame received, so that it hides a loss."));
	if (config->verify == VERIFY_DOUBTS)
		json_array_append_new(
			list,
			json_string("Checksums are verified only of frames that are unlike the ones expected (--verify "
				    "doubts): RFC 2544 section 10 wants the content of every frame received verified."));
	else if (config->verify == VERIFY_AUTO)
		json_array_append_new(
			list, json_sprintf("Checksums are verified of every frame of the smallest size, and of those unlike "
					   "the ones expected, but of others of one in %d of a flow only; RFC 2544 section "
					   "10 wants all frames received verified (--verify all).",
					   RX_VERIFY_SPACING));
	if (!config->learning_frames)
		json_array_append_new(
			list, json_sprintf("Phase b: no learning frames are sent in a trial, but by a port that only "
					   "receives one before it and one every two seconds; addresses are "
					   "learned by %s before the first trial, and asked for again until "
					   "somebody answers.",
					   protocol));
}
