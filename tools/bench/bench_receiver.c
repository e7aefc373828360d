/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the receiver costs a frame, by feature: BPF_PROG_TEST_RUN of the XDP program on a frame of 64 octets, beside a program
 * that only drops, in turns. The kernel takes the time, in whole ns a frame over each run; shown is the median of the runs.
 * The frame gets a new sequence number before each run of the program, and its signature where it has one; that is part of what
 * is shown.
 *
 *	bench_receiver [RUNS]
 */
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/shared.h"
#include "median.h"
#include "mlr/frame.h"
#include "receiver.skel.h"

#define FRAMES_PER_RUN 1000000
#define RUNS_DEFAULT   51
#define RUNS_MAX       1001
#define TRIAL          7
#define FRAME_OCTETS   1514
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

/* Programs are loaded with all switched on, but for what the row says. */
static struct row {
	const char *name;
	const char *program;
	bool no_order, no_latency, variation, verify, is_signed;
	unsigned int size_octets; /* of the frame; 0: 64 */
	struct receiver_bpf *skeleton;
	double ns[RUNS_MAX];
} rows[] = {
	{ .name = "only drop", .program = "drop_only" },
	{ .name = "number the frame, drop", .program = "number_and_drop" },
	{ .name = "+ count", .program = "count_only" },
	{ .name = "+ recognise, validate, flow, octets",
	  .program = "number_and_receive",
	  .no_order = true,
	  .no_latency = true },
	{ .name = "+ sequence (--no-latency)", .program = "number_and_receive", .no_latency = true },
	{ .name = "+ latency, no sequence (--no-seq)", .program = "number_and_receive", .no_order = true },
	{ .name = "the full receiver (--verify doubts)", .program = "number_and_receive" },
	{ .name = "+ variation (--ipdv)", .program = "number_and_receive", .variation = true },
	{ .name = "+ checksums of 64 octets", .program = "number_and_receive", .verify = true },
	{ .name = "+ checksums of 512 octets", .program = "number_and_receive", .verify = true, .size_octets = 512 },
	{ .name = "+ checksums of 1518 octets", .program = "number_and_receive", .verify = true, .size_octets = 1518 },
	{ .name = "+ and signatures of 512 octets",
	  .program = "number_and_receive",
	  .verify = true,
	  .is_signed = true,
	  .size_octets = 512 },
	{ .name = "+ and signatures of 1518 octets",
	  .program = "number_and_receive",
	  .verify = true,
	  .is_signed = true,
	  .size_octets = 1518 },
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench_receiver: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static unsigned int size_octets(const struct row *row)
{
	return row->size_octets ? row->size_octets : MLR_FRAME_MIN_OCTETS;
}

static unsigned int udp_octets(const struct row *row)
{
	return size_octets(row) - MLR_FRAME_MIN_OCTETS + 26;
}

/* The frame's departure stays while time goes on: as if there had been a larger latency before, or each would be a new maximum. Its difference
 * from the one before is what the clock went on: no frame is long enough away for a maximum of an hour, but the first ones are minima. */
static void expect_latency(const struct row *row)
{
	static struct rx_cpu one;

	one.trials[TRIAL % RX_TRIAL_SLOTS].variation.max_ns = one.trials[TRIAL % RX_TRIAL_SLOTS].latency.max_ns =
		UINT64_C(1) << MLR_HISTOGRAM_TOP_BIT;
	for (uint32_t cpu = 0; cpu < (uint32_t)libbpf_num_possible_cpus(); cpu++)
		if (bpf_map_update_elem(bpf_map__fd(row->skeleton->maps.cpus), &cpu, &one, BPF_ANY))
			fail("cannot write counters", errno);
}

static const struct mlr_signature_key *key(void)
{
	static struct mlr_signature_key key;

	mlr_signature_key_init((const uint8_t *)"a key of forty octets, and not one more.", &key);
	return &key;
}

static void sign(struct row *row)
{
	const struct mlr_signature_key *with = key();
	size_t octets = udp_octets(row) - sizeof(struct mlr_tag) - 8 - MLR_SIGNATURE_OCTETS;

	memcpy((void *)&row->skeleton->rodata->signature_key, with, sizeof(*with));
	row->skeleton->rodata->payload_digest = mlr_signature_digest(with, NULL, 0, octets);
}

static void load(struct row *row)
{
	const struct rx_sent as_sent = { .ports = htonl((uint32_t)MLR_UDP_SOURCE_PORT << 16), .hop_limit = MLR_TTL };
	struct bpf_program *program;
	int error;

	row->skeleton = receiver_bpf__open();
	if (!row->skeleton)
		fail("cannot open the programs", -ENOMEM);
	bpf_object__for_each_program(program, row->skeleton->obj)
		bpf_program__set_autoload(program, strcmp(bpf_program__name(program), row->program) == 0);
	row->skeleton->rodata->window_mask = RX_WINDOW_USUAL - 1;
	row->skeleton->rodata->with_order = !row->no_order;
	row->skeleton->rodata->with_latency = !row->no_latency;
	row->skeleton->rodata->with_variation = row->variation;
	row->skeleton->rodata->with_headers = !row->no_order;
	row->skeleton->rodata->with_lengths = !row->no_order || !row->no_latency;
	row->skeleton->rodata->lengths[0] = row->skeleton->rodata->lengths[udp_octets(row) / 64] = ~0ull;
	row->skeleton->rodata->usual_length = udp_octets(row);
	row->skeleton->rodata->verify_samples = row->verify;
	if (row->is_signed)
		sign(row);
	bpf_map__set_value_size(row->skeleton->maps.flows, (RX_WINDOW_USUAL + 10) * (uint32_t)sizeof(uint32_t));
	bpf_map__set_max_entries(row->skeleton->maps.cpus, (uint32_t)libbpf_num_possible_cpus());
	error = receiver_bpf__load(row->skeleton);
	if (error)
		fail("the kernel refuses the receiver (root is needed)", error);
	expect_latency(row);
	if (row->skeleton->rodata->with_headers &&
	    bpf_map_update_elem(bpf_map__fd(row->skeleton->maps.sent), &(uint32_t){ 0 }, &as_sent, BPF_ANY))
		fail("cannot write what is sent", errno);
	row->skeleton->bss->accepted_trial = TRIAL;
	row->skeleton->bss->generation = 1;
	row->skeleton->bss->sequence_count = UINT32_MAX - 1;
}

static void write_frame(const struct row *row, uint8_t *frame, uint32_t sequence)
{
	const struct mlr_frame_spec spec = {
		.ip_version = 4, .hop_limit = MLR_TTL, .size_octets = size_octets(row), .key = row->is_signed ? key() : NULL
	};
	const struct mlr_flow flow = { .source_port = MLR_UDP_SOURCE_PORT };
	struct mlr_frame_template template;
	uint64_t departure_ns = now_ns();

	mlr_frame_template_init(&spec, &template);
	mlr_frame_write(&spec, &template, &flow, TRIAL, sequence, departure_ns, departure_ns, frame);
}

static double run(const struct row *row, uint32_t first_sequence)
{
	uint8_t frame[FRAME_OCTETS] __attribute__((aligned(8)));
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = size_octets(row) - MLR_FCS_OCTETS,
		    .repeat = FRAMES_PER_RUN);
	struct bpf_program *program = bpf_object__find_program_by_name(row->skeleton->obj, row->program);
	int error;

	write_frame(row, frame, first_sequence);
	error = bpf_prog_test_run_opts(bpf_program__fd(program), &options);
	if (error)
		fail(row->name, error);
	if (options.retval != XDP_DROP)
		fail("the program did not take its frame", EINVAL);
	return options.duration;
}

/* Each frame must have gone the whole way. */
static void check_counts(const struct row *row, uint64_t expected)
{
	int cpu_count = libbpf_num_possible_cpus();
	uint64_t received = 0, timed = 0;

	for (uint32_t cpu = 0; cpu < (uint32_t)cpu_count; cpu++) {
		static struct rx_cpu one;

		if (bpf_map_lookup_elem(bpf_map__fd(row->skeleton->maps.cpus), &cpu, &one))
			fail("cannot read counters", errno);
		received += one.counters.received;
		timed += one.trials[TRIAL % RX_TRIAL_SLOTS].latency.count;
	}
	if (received != expected || timed != (row->no_latency ? 0 : expected))
		fail("frames were not received as they should", EINVAL);
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : RUNS_DEFAULT;
	double drop_ns = 0;

	if (runs < 1 || runs > RUNS_MAX)
		fail("RUNS must be 1 to 1001", EINVAL);
	libbpf_set_print(NULL);
	for (size_t i = 0; i < COUNT(rows); i++)
		load(&rows[i]);
	for (int i = 0; i < runs; i++)
		for (size_t row = 0; row < COUNT(rows); row++)
			rows[row].ns[i] = run(&rows[row], (uint32_t)i * FRAMES_PER_RUN);
	for (size_t row = 0; row < COUNT(rows); row++) {
		double ns = median(rows[row].ns, runs);

		if (row == 0)
			drop_ns = ns;
		if (strcmp(rows[row].program, "number_and_receive") == 0)
			check_counts(&rows[row], (uint64_t)runs * FRAMES_PER_RUN);
		printf("  %-40s %4.0f ns a frame   %.2f\n", rows[row].name, ns, ns / drop_ns);
		receiver_bpf__destroy(rows[row].skeleton);
	}
	return 0;
}
