/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program of live frames (bpf/tx.bpf.c) costs a frame: BPF_PROG_TEST_RUN on a frame of 64 octets, without the driver. The
 * kernel takes the time, in whole ns a frame over each run; shown are the least and the median of the runs. The rows take
 * turns. All paced frames are due when their run begins.
 *
 *	bench_transmitter [RUNS]
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dataplane/live_program.h"
#include "median.h"
#include "one_flow.h"

#define FRAMES_PER_RUN 2000 /* so few that nothing disturbs some of the runs */
#define RUNS_DEFAULT   501
#define RUNS_MAX       10001
#define LOAD_FPS       100e6
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

static struct row {
	const char *name;
	uint32_t batch;
	double load_fps; /* 0: not paced */
	double ns[RUNS_MAX];
} rows[] = {
	{ .name = "unpaced, one by one", .batch = 1 },
	{ .name = "unpaced, in bulks of 16", .batch = 16 },
	{ .name = "unpaced, in bulks of 64", .batch = LIVE_BATCH_MAX },
	{ .name = "paced, one by one", .batch = 1, .load_fps = LOAD_FPS },
	{ .name = "paced, in bulks of 16", .batch = 16, .load_fps = LOAD_FPS },
	{ .name = "paced, in bulks of 64", .batch = LIVE_BATCH_MAX, .load_fps = LOAD_FPS },
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench_transmitter: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(1);
}

static void start(struct live_program *program, const struct row *row)
{
	struct live_queue *queue = live_program_queue(program);
	const struct tx_trial trial = {
		.number = 1,
		.load_fps = row->load_fps,
		.frame_count = row->load_fps > 0 ? FRAMES_PER_RUN : TX_NO_LIMIT,
		.first_sequence = 1,
		.start_ns = clock_ns() - NS_PER_S,
		.deadline_ns = UINT64_MAX / 2,
	};
	int error;

	memset(live_program_schedule(program), 0, sizeof(struct tx_schedule));
	error = live_program_start(program, &trial);
	if (error)
		fail("cannot begin a trial", error);
	queue->batch = row->batch;
	queue->run = row->batch - 1;
}

static double run(struct live_program *program, const struct row *row)
{
	static uint8_t frame[4096];
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .repeat = FRAMES_PER_RUN);
	uint32_t octets;

	memcpy(frame, live_program_frame(program, &octets), MLR_FRAME_MIN_OCTETS);
	options.data_size_in = MLR_FRAME_MIN_OCTETS - MLR_FCS_OCTETS;
	start(program, row);
	if (bpf_prog_test_run_opts(live_program_fd(program), &options))
		fail(row->name, errno);
	if (live_program_queue(program)->handed != FRAMES_PER_RUN)
		fail("the program did not send each frame", EINVAL);
	return options.duration;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : RUNS_DEFAULT;
	struct mlr_queue_plan *plan;
	struct live_program *program;
	int error = one_flow_plan(MLR_FRAME_MIN_OCTETS, &plan);

	if (runs < 1 || runs > RUNS_MAX)
		fail("RUNS must lie from 1 to 10001", EINVAL);
	error = error ? error : live_program_load(plan, 1, NULL, &program);
	if (error)
		fail("the kernel refuses the program (root is needed)", error);
	for (int i = 0; i < runs; i++)
		for (size_t row = 0; row < COUNT(rows); row++)
			rows[row].ns[i] = run(program, &rows[row]);
	for (size_t row = 0; row < COUNT(rows); row++) {
		double ns = median(rows[row].ns, runs);

		printf("%-26s least %4.0f, median %4.0f ns a frame\n", rows[row].name, rows[row].ns[0], ns);
	}
	live_program_free(program);
	mlr_queue_plan_free(plan);
	return 0;
}
