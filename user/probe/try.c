/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file tests what only an attempt can show. Everything depends on file descriptors that are closed at once. */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/if_xdp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "probe/parts.h"

#define CHUNK_OCTETS 4096
#define CHUNK_COUNT  64

/* Load a program that passes every frame on. Returns its file descriptor or -errno. */
static int load(void)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "mlr_probe", "GPL", pass, COUNT(pass), NULL);

	return fd < 0 ? -errno : fd;
}

/* Load and attach a program. Returns the file descriptor of the link, or -errno. */
static int attach(int ifindex)
{
	DECLARE_LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	int program = load(), link;

	if (program < 0)
		return program;
	link = bpf_link_create(program, ifindex, BPF_XDP, &options);
	if (link < 0)
		link = -errno;
	close(program);
	return link;
}

int probe_try_load(void)
{
	int fd = load();

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int probe_try_native(int ifindex)
{
	int link = attach(ifindex);

	if (link >= 0)
		close(link);
	return link < 0 ? link : 0;
}

static int bind_zero_copy(int fd, void *area, int ifindex)
{
	const struct xdp_umem_reg umem = {
		.addr = (uint64_t)(uintptr_t)area,
		.len = (uint64_t)CHUNK_COUNT * CHUNK_OCTETS,
		.chunk_size = CHUNK_OCTETS,
	};
	static const int rings[] = { XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_TX_RING };
	const struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = XDP_ZEROCOPY,
		.sxdp_ifindex = (uint32_t)ifindex,
	};
	int frames = CHUNK_COUNT;

	if (setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)))
		return -errno;
	for (size_t i = 0; i < COUNT(rings); i++)
		if (setsockopt(fd, SOL_XDP, rings[i], &frames, sizeof(frames)))
			return -errno;
	return bind(fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

int probe_try_zero_copy(int ifindex)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	size_t octets = (size_t)CHUNK_COUNT * CHUNK_OCTETS;
	int link, fd, error;
	void *area;

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	link = attach(ifindex); /* some drivers take such a socket only then; without native XDP there is none anyway */
	if (link < 0)
		return link;
	area = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (area == MAP_FAILED || fd < 0)
		error = -errno;
	else
		error = bind_zero_copy(fd, area, ifindex);
	if (fd >= 0)
		close(fd);
	if (area != MAP_FAILED)
		munmap(area, octets);
	close(link);
	return error;
}
