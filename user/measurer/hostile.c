/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/hostile.h"

#include <net/ethernet.h>
#include <stdlib.h>

#include "base/cpulist.h"
#include "base/tx_cpu.h"

#define FLOW_NS  (NS_PER_S / 50)  /* time for which hostile frames flow before the trial's first frame */
#define AFTER_NS (NS_PER_S / 200) /* and after its last one */

#define TAGS_TRIES 2        /* frames that are sent to learn whether a port takes a tag off, while none arrives */
#define TAGS_NS    NS_PER_S /* wait for each, so that none comes after it */
#define POLL_NS    (NS_PER_S / 10000)

/* Beside as many transmitters as there are CPUs the kernel chooses. */
static int choose_cpu(const char *port, cpu_set_t *taken)
{
	cpu_set_t allowed, free_cpus;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	free_cpus = cpulist_without(&allowed, taken);
	return CPU_COUNT(&free_cpus) ? tx_cpu_take(port, true, taken) : -1;
}

enum exit_code hostile_open(struct measurer_xdp *xdp, unsigned int port, cpu_set_t *taken)
{
	if (!xdp->config->hostile)
		return EXIT_DONE;
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

/* What a port sends beside a trial. */
static struct mlr_hostile hostile_from(const struct measurer_xdp *xdp, unsigned int port, uint64_t sequences)
{
	return (struct mlr_hostile){
		.profile = &xdp->profile,
		.stream = stream_from(&xdp->profile, xdp->ends[port].number),
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
}

/* --- tags that a port takes off ---------------------------------------------------------------------------------------- */

/* Whether one more such frame is counted behind all its tags, or without the first one, than before; -1: it did not come. */
static int await_tags(const struct rx *rx, const struct rx_counters *before)
{
	uint64_t until_ns = clock_ns() + TAGS_NS;

	do {
		struct rx_counters now;

		rx_snapshot(rx, &now);
		if (now.overtagged > before->overtagged)
			return false;
		if (now.wrong_length > before->wrong_length || now.wrong_signature > before->wrong_signature)
			return true;
	} while (clock_ns() < until_ns && !stop_sleep_until(clock_ns() + POLL_NS));
	return -1;
}

/* Send frames behind a first tag of this type, until one has come. `taken` is where it is said whether the port took that off. */
static void learn_tag(struct measurer_xdp *xdp, unsigned int port, bool is_outer, const struct mlr_hostile *what, bool *taken,
		      struct hostile_summary *sum)
{
	uint8_t octets[MLR_HOSTILE_SIZE_MOST] __attribute__((aligned(2)));
	struct mlr_hostile_frame frame;
	uint64_t sent = 0;
	int is_taken = -1;

	if (!mlr_hostile_write_tags(what, is_outer, octets, &frame))
		return;
	for (int i = 0; i < TAGS_TRIES && is_taken < 0; i++) {
		struct rx_counters before;

		rx_snapshot(xdp->ends[!port].rx, &before);
		if (hostile_tx_send(xdp->ends[port].hostile, octets, frame.octets))
			continue;
		sent++;
		is_taken = await_tags(xdp->ends[!port].rx, &before);
	}
	*taken = is_taken > 0;
	mlr_hostile_write_tags(what, is_outer, octets, &frame);
	sum->by_kind[frame.kind][frame.count] += sent;
}

/* Find out once whether the port that receives takes VLAN tags off. Drivers, and links on top of others, do so, and no feature of a
 * port tells of all. These frames are of the trial. */
static void learn_tags(struct measurer_xdp *xdp, unsigned int port, uint64_t sequences, struct hostile_summary *sum)
{
	struct mlr_hostile what = hostile_from(xdp, port, sequences);
	struct endpoint *to = &xdp->ends[!port];

	if (to->knows_tags)
		return;
	to->knows_tags = true;
	learn_tag(xdp, port, false, &what, &what.takes_tag, sum);
	learn_tag(xdp, port, true, &what, &what.takes_outer_tag, sum);
	to->takes_tag = what.takes_tag;
	to->takes_outer_tag = what.takes_outer_tag;
}

/* --- a trial --------------------------------------------------------------------------------------------------------- */

static enum exit_code start(struct measurer_xdp *xdp, unsigned int port, uint64_t sequences)
{
	const struct mlr_hostile what = hostile_from(xdp, port, sequences);

	rx_use_number(xdp->ends[!port].rx, what.earlier_trial);
	return hostile_tx_start(xdp->ends[port].hostile, &what, xdp->steps->hostile_fps);
}

enum exit_code hostile_begin(struct measurer_xdp *xdp, uint64_t sequences, struct hostile_summary *ret)
{
	enum exit_code code = EXIT_DONE;

	*ret = (struct hostile_summary){ 0 };
	if (!xdp->steps || xdp->steps->hostile_fps <= 0)
		return EXIT_DONE;
	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (xdp->ends[i].hostile)
			learn_tags(xdp, i, sequences, ret);
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

enum exit_code hostile_end(struct measurer_xdp *xdp, struct hostile_summary *sum)
{
	enum exit_code code = EXIT_DONE;

	if (!xdp->steps || xdp->steps->hostile_fps <= 0)
		return EXIT_DONE;
	stop_sleep_until(clock_ns() + AFTER_NS);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		struct hostile_sent sent = { 0 };

		if (!xdp->ends[i].hostile)
			continue;
		hostile_tx_stop(xdp->ends[i].hostile, &sent);
		add_sent(&sent, sum);
		if (sent.error && !code)
			code = refuse(EXIT_INVALID, "port %s: hostile frames could not be sent: %s", xdp->ports[i].link.name,
				      strerror(-sent.error));
	}
	return code;
}
