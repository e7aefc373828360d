/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run an XDP program on one frame by BPF_PROG_TEST_RUN. Needs root; the tests say so and fail where it is missing. */
#ifndef TESTS_BPF_RUN_H
#define TESTS_BPF_RUN_H

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdint.h>

/* The program's verdict, e.g. XDP_DROP; a failed run is a negative errno. */
static inline int run_program(int program_fd, const void *frame, unsigned int octets)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = octets, .repeat = 1);
	int error = bpf_prog_test_run_opts(program_fd, &options);

	return error ? error : (int)options.retval;
}

/* The same, where only the first octets lie where a program can read them, and the rest in fragments. Linux before 6.18 refuses it. */
static inline int run_program_on_fragments(int program_fd, const void *frame, unsigned int octets,
					   unsigned int linear_octets)
{
	struct xdp_md context = { .data_end = linear_octets };
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame, .data_size_in = octets, .ctx_in = &context,
		    .ctx_size_in = sizeof(context), .repeat = 1);
	int error = bpf_prog_test_run_opts(program_fd, &options);

	return error ? error : (int)options.retval;
}

#endif
