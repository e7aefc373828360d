/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What batches do to live frames: for each batch size the most frames/s, and at some loads the unsent frames, the gaps between
 * departures, and the latency at the other end. The two ports are the ends of one veth pair (`lab up --sut wire`).
 *
 *	bench_live PORT PEER [SECONDS]
 */
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "base/clock.h"
#include "dataplane/live_program.h"
#include "dataplane/rx.h"
#include "one_flow.h"

#define SETTLE_NS 100000000 /* without a spare veth, the kernel takes its time to begin */

static const uint32_t batches[] = { 1, 2, 4, 8, 16, 32, 64 };
static const double loads_fps[] = { 0, 100e3, 500e3, 1e6, 1.5e6, 2e6, 2.5e6, 3e6 };

static void on_time(int signal_number)
{
	(void)signal_number;
}

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench_live: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(1);
}

static void run(struct live_program *program, struct rx *rx, uint32_t batch, double load_fps, double seconds)
{
	struct live_queue *queue = live_program_queue(program);
	static uint16_t number;
	static uint32_t sequence = 1;
	struct tx_trial trial = {
		.number = ++number,
		.load_fps = load_fps,
		.frame_count = load_fps > 0 ? (uint64_t)(load_fps * seconds) : TX_NO_LIMIT,
		.first_sequence = sequence,
		.start_ns = clock_ns() + SETTLE_NS,
	};
	struct itimerval timer = { .it_interval.tv_usec = 1000 };
	uint64_t intended = trial.frame_count == TX_NO_LIMIT ? 0 : trial.frame_count, total_ns;
	struct rx_trial received;
	uint32_t octets;

	trial.deadline_ns = trial.start_ns + (uint64_t)(seconds * NS_PER_S);
	total_ns = SETTLE_NS + (uint64_t)(seconds * NS_PER_S) + NS_PER_S / 1000;
	timer.it_value = (struct timeval){ .tv_sec = (time_t)(total_ns / NS_PER_S),
					   .tv_usec = (suseconds_t)(total_ns % NS_PER_S / 1000) };
	rx_accept_trial(rx, trial.number, sequence, UINT32_MAX);
	live_program_frame(program, &octets);
	live_program_start(program, &trial);
	queue->batch = batch;
	setitimer(ITIMER_REAL, &timer, NULL);
	live_program_run(program, octets, UINT32_MAX);
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	sequence += (uint32_t)queue->handed;
	rx_trial(rx, trial.number, &received);
	printf("%8.0f %6u %10.0f %8llu %8llu %9.0f %9.0f %9.0f\n", load_fps / 1e3, batch,
	       (double)queue->handed / seconds / 1e3,
	       (unsigned long long)(intended > queue->handed ? intended - queue->handed : 0),
	       (unsigned long long)mlr_envelope_run_frames(&queue->pace.envelope),
	       mlr_histogram_quantile_ns(&queue->gaps, 0.99), mlr_histogram_quantile_ns(&received.latency, 0.5),
	       mlr_histogram_quantile_ns(&received.latency, 0.99));
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_time };
	double seconds = argc > 3 ? strtod(argv[3], NULL) : 0.5;
	struct mlr_queue_plan *plan;
	struct rx_plan receiver = { .options.flow_count = 1 };
	struct live_program *program;
	struct rx *rx;
	cpu_set_t cpus;
	int error;

	if (argc < 3 || !if_nametoindex(argv[1]) || !if_nametoindex(argv[2])) {
		fprintf(stderr, "usage: bench_live PORT PEER [SECONDS]\n");
		return 2;
	}
	receiver.ifindex = (int)if_nametoindex(argv[2]);
	receiver.port = argv[2];
	if (rx_open_all(&receiver, 1, &rx))
		return 3;
	error = one_flow_plan(MLR_FRAME_MIN_OCTETS, &plan);
	if (error)
		fail("cannot plan", error);
	error = live_program_load(plan, (int)if_nametoindex(argv[1]), NULL, &program);
	if (error)
		fail("cannot load the program", error);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	setpriority(PRIO_PROCESS, 0, -20);
	sigaction(SIGALRM, &action, NULL);
	printf("    kfps  batch  sent kfps   unsent    burst  gap p99   lat p50   lat p99  (ns)\n");
	for (size_t l = 0; l < sizeof(loads_fps) / sizeof(*loads_fps); l++)
		for (size_t b = 0; b < sizeof(batches) / sizeof(*batches); b++)
			run(program, rx, batches[b], loads_fps[l], seconds);
	live_program_free(program);
	rx_close(rx);
	mlr_queue_plan_free(plan);
	return 0;
}
