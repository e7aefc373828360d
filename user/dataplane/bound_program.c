/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/bound_program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/files.h"
#include "base/text_stream.h"
#include "bpf/shared.h"

static size_t instructions_of_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE) / sizeof(struct bpf_insn);
}

/* Return how many instructions to add so that all of them fill pages, at least half of them room. With the kernel's header
 * before them they take one page more, and its rest is room, too. */
static size_t padded(size_t count)
{
	size_t page = instructions_of_page();

	return (2 * (count + 1) + page - 1) / page * page;
}

/* Jump over all of the room. The verifier knows that the jump is always taken. */
static void write_room(struct bpf_insn *to, size_t count)
{
	const struct bpf_insn zero = { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 };

	for (size_t i = 0; i < count; i++)
		to[i] = zero;
	to[1].code = BPF_JMP | BPF_JEQ | BPF_K;
	to[1].off = (int16_t)(count - 2);
}

/* What libbpf tells the kernel of functions and lines begins with where they are. The first of each stays the program's
 * beginning, all others come later by as much as was put before. */
static void move(const void *records, size_t record_octets, size_t count, size_t by)
{
	char *at = (char *)(uintptr_t)records; /* libbpf's own memory */

	for (size_t i = 1; i < count; i++)
		*(uint32_t *)(void *)(at + i * record_octets) += (uint32_t)by;
}

static int make_room(struct bpf_program *program, struct bpf_prog_load_opts *options, long)
{
	size_t count = bpf_program__insn_cnt(program), all = padded(count), room = all - count;
	owned struct bpf_insn *instructions = NULL;
	int error;

	if (room > INT16_MAX)
		return -E2BIG; /* beyond a jump */
	instructions = calloc(all, sizeof(*instructions));
	if (!instructions)
		return -ENOMEM;
	write_room(instructions, room);
	memcpy(instructions + room, bpf_program__insns(program), count * sizeof(*instructions));
	error = bpf_program__set_insns(program, instructions, all);
	if (error)
		return error;
	move(options->func_info, options->func_info_rec_size, options->func_info_cnt, room);
	move(options->line_info, options->line_info_rec_size, options->line_info_cnt, room);
	return 0;
}

int bound_program_expect(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .prog_prepare_load_fn = make_room);
	static int handler;

	if (handler <= 0)
		handler = libbpf_register_prog_handler(BOUND_SECTION, BPF_PROG_TYPE_XDP, BPF_XDP, &options);
	return handler < 0 ? handler : 0;
}

/* Return the octets that the kernel holds for a program; 0: it does not say. */
static size_t held_octets(const struct bpf_program *program)
{
	closing FILE *file = fopen(TEXT_OF(64, "/proc/self/fdinfo/%d", bpf_program__fd(program)), "re");
	size_t octets = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock: %zu", &octets) == 1)
			break;
	return octets;
}

bool bound_program_stayed(const struct bpf_program *program)
{
	size_t page_octets = (size_t)sysconf(_SC_PAGESIZE);

	/* With the header they take a page more than the instructions fill. */
	return held_octets(program) == bpf_program__insn_cnt(program) * sizeof(struct bpf_insn) + page_octets;
}
