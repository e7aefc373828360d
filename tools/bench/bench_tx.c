/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's own transmitters by themselves, without a receiver of ours, to be measured as others are (tools/bench/peers):
 *
 *	bench_tx PORT xsk|live SECONDS [FPS]
 *
 * sends stamped frames of 64 octets, at FPS or as fast as it can, and prints how many the kernel took. The port must be one that
 * nothing else uses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/tx_cpu.h"
#include "dataplane/tx.h"
#include "netdev/netlink.h"
#include "one_flow.h"

#define START_MARGIN_NS 1000000

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench_tx: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(EXIT_INCAPABLE);
}

static struct link_info find_port(const char *name)
{
	struct mnl_socket *netlink;
	struct link_info link;
	int error = netlink_open(&netlink);

	if (!error)
		error = netlink_link(netlink, name, &link);
	if (error)
		fail(name, error);
	netlink_close(netlink);
	return link;
}

static struct tx_trial make_trial(double seconds, double load_fps)
{
	uint64_t start_ns = clock_ns() + START_MARGIN_NS;

	return (struct tx_trial){
		.number = 1,
		.first_sequence = 1,
		.load_fps = load_fps,
		.frame_count = load_fps > 0 ? (uint64_t)(load_fps * seconds) : TX_NO_LIMIT,
		.start_ns = start_ns,
		.deadline_ns = start_ns + (uint64_t)(seconds * NS_PER_S),
	};
}

int main(int argc, char **argv)
{
	enum tx_choice choice;
	struct mlr_queue_plan *plan;
	const struct tx_report *report;
	struct tx_trial trial;
	struct link_info port;
	cpu_set_t taken;
	struct tx *tx;
	int error;

	if (argc < 4) {
		fprintf(stderr, "usage: bench_tx PORT xsk|live SECONDS [FPS]\n");
		return EXIT_USAGE_ERROR;
	}
	choice = strcmp(argv[2], "live") == 0 ? TX_LIVE : TX_XSK;
	port = find_port(argv[1]);
	error = one_flow_plan(MLR_FRAME_MIN_OCTETS, &plan);
	if (error)
		fail("cannot plan its frames", error);
	CPU_ZERO(&taken);
	if (tx_open(choice, false, &port, 0, plan, NULL, tx_cpu_take(argv[1], &taken), NULL, &tx))
		return EXIT_INCAPABLE;
	trial = make_trial(strtod(argv[3], NULL), argc > 4 ? strtod(argv[4], NULL) : 0);
	if (tx_start(tx, &trial))
		return EXIT_INCAPABLE;
	report = tx_wait(tx);
	if (report->error)
		fail("the transmitter failed", report->error);
	printf("%llu\n", (unsigned long long)report->sent);
	tx_close(tx);
	mlr_queue_plan_free(plan);
	return 0;
}
