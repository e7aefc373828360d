/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/hostile.h"

#include <net/ethernet.h>
#include <stdlib.h>

#include "base/cpulist.h"
#include "base/tx_cpu.h"
#include "netdev/ethtool.h"

#define FLOW_NS  (NS_PER_S / 50)  /* time for which hostile frames flow before the trial's first frame */
#define AFTER_NS (NS_PER_S / 200) /* and after its last one */

/* Beside as many transmitters as there are CPUs the kernel chooses. */
static int choose_cpu(const char *port, cpu_set_t *taken)
{
	cpu_set_t allowed, free_cpus;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	free_cpus = cpulist_without(&allowed, taken);
	return CPU_COUNT(&free_cpus) ? tx_cpu_take(port, true, taken) : -1;
}

/* Find out whether a port takes VLAN tags off what it receives. A veth passes tags on that are in the frame, and of a link on top
 * of another one the kernel takes them. */
static void find_taken_tags(struct measurer_xdp *xdp, unsigned int port)
{
	const struct link_info *link = &xdp->ports[port].link;
	struct endpoint *end = &xdp->ends[port];
	struct ethtool *ethtool;

	end->takes_tag = end->takes_outer_tag = *link->kind && strcmp(link->kind, "veth") != 0;
	if (*link->kind || ethtool_open(&ethtool))
		return;
	end->takes_tag = ethtool_is_active(ethtool, link->ifindex, "rx-vlan-hw-parse");
	end->takes_outer_tag = ethtool_is_active(ethtool, link->ifindex, "rx-vlan-stag-hw-parse");
	ethtool_close(ethtool);
}

enum exit_code hostile_open(struct measurer_xdp *xdp, unsigned int port, cpu_set_t *taken)
{
	if (!xdp->config->hostile)
		return EXIT_DONE;
	find_taken_tags(xdp, !port);
	return hostile_tx_open(&xdp->ports[port].link, choose_cpu(xdp->ports[port].link.name, taken),
			       &xdp->ends[port].hostile);
}

void hostile_close(struct measurer_xdp *xdp)
{
	for (unsigned int i = 0; i < xdp->port_count; i++)
		hostile_tx_close(xdp->ends[i].hostile);
}

/* The stream by which a port sends. */
static const struct mlr_stream *stream_from(const struct mlr_profile *profile, unsigned int port)
{
	const struct mlr_stream *stream = profile->streams;

	while (stream->from != port)
		stream++;
	return stream;
}

static enum exit_code start(struct measurer_xdp *xdp, unsigned int port, uint64_t sequences)
{
	const struct endpoint *end = &xdp->ends[port];
	const struct mlr_hostile what = {
		.profile = &xdp->profile,
		.stream = stream_from(&xdp->profile, end->number),
		.trial = xdp->trial,
		.earlier_trial = (uint16_t)(xdp->trial - 1),
		.unknown_trial = (uint16_t)(xdp->trial ^ 1u << 15),
		.first_sequence = xdp->next_sequence,
		.sequence_count = sequences < UINT32_MAX ? (uint32_t)sequences : UINT32_MAX,
		.most_octets = xdp->ports[port].link.mtu_octets + ETHER_HDR_LEN,
		.takes_tag = xdp->ends[!port].takes_tag,
		.takes_outer_tag = xdp->ends[!port].takes_outer_tag,
		.seed = xdp->config->seed,
	};

	rx_use_number(xdp->ends[!port].rx, what.earlier_trial);
	return hostile_tx_start(end->hostile, &what, xdp->steps->hostile_fps);
}

enum exit_code hostile_begin(struct measurer_xdp *xdp, uint64_t sequences)
{
	enum exit_code code = EXIT_DONE;

	if (!xdp->steps || xdp->steps->hostile_fps <= 0)
		return EXIT_DONE;
	for (unsigned int i = 0; i < xdp->port_count && !code; i++)
		if (xdp->ends[i].hostile)
			code = start(xdp, i, sequences);
	if (!code && stop_sleep_until(clock_ns() + FLOW_NS))
		code = EXIT_INTERRUPTED;
	return code;
}

static void add_sent(const struct hostile_sent *sent, struct hostile_summary *sum)
{
	sum->frames += sent->frames;
	sum->busy += sent->busy;
	sum->senders++;
	sum->duration_s += sent->duration_s;
	for (unsigned int kind = 0; kind < MLR_HOSTILE_KINDS; kind++)
		for (unsigned int count = 0; count < MLR_HOSTILE_COUNT_COUNT; count++)
			sum->by_kind[kind][count] += sent->by_kind[kind][count];
}

enum exit_code hostile_end(struct measurer_xdp *xdp, struct hostile_summary *ret)
{
	enum exit_code code = EXIT_DONE;

	*ret = (struct hostile_summary){ 0 };
	if (!xdp->steps || xdp->steps->hostile_fps <= 0)
		return EXIT_DONE;
	stop_sleep_until(clock_ns() + AFTER_NS);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct hostile_sent sent = { 0 };

		if (!xdp->ends[i].hostile)
			continue;
		hostile_tx_stop(xdp->ends[i].hostile, &sent);
		add_sent(&sent, ret);
		if (sent.error && !code)
			code = refuse(EXIT_INVALID, "port %s: hostile frames could not be sent: %s", xdp->ports[i].link.name,
				      strerror(-sent.error));
	}
	return code;
}
