/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least latency that AF_XDP can have on this machine: a transmitter that does nothing between the stamp and the kernel's call, in a
 * process of one thread, and a receiver that takes the time before all else. What xdp-mlr's own floor has beyond that is the tester's;
 * the rest is the kernel's, and the machine's.
 *
 *	bench_floor PORT PEER [FRAMES]
 *
 * sends frames of 64 octets from one port to the other at 100 kfps, and prints the median in ns. Nobody else may use the ports.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <xdp/libxdp.h>
#include <xdp/xsk.h>

#include "floor.h"
#include "mlr/histogram.h"

#include "base/clock.h"
#include "floor.skel.h" /* has a member of that type */

#define FRAMES_DEFAULT 100000
#define INTERVAL_NS    10000
#define START_NS       (NS_PER_S / 100)
#define RING_FRAMES    64
#define CHUNK_OCTETS   4096
#define AREA_OCTETS    (RING_FRAMES * CHUNK_OCTETS)

static void fail(const char *what, int error)
{
	fprintf(stderr, "bench_floor: %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(1);
}

struct socket {
	struct floor_frame *frame; /* the one that is sent, again and again; the UMEM begins with it */
	struct xsk_umem *umem;
	struct xsk_socket *xsk;
	struct xsk_ring_prod fill, ring;
	struct xsk_ring_cons completion;
	int fd;
};

/* The first CPU, which xdp-mlr's first transmitter has, too. */
static void take_cpu(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	setpriority(PRIO_PROCESS, 0, -20);
}

static struct floor_bpf *attach_receiver(const char *port)
{
	LIBBPF_OPTS(bpf_link_create_opts, options, .flags = XDP_FLAGS_DRV_MODE);
	struct floor_bpf *receiver = floor_bpf__open_and_load();

	if (!receiver)
		fail("cannot load the receiver (root is needed)", errno);
	if (bpf_link_create(bpf_program__fd(receiver->progs.floor_receive), (int)if_nametoindex(port), BPF_XDP, &options) <
	    0)
		fail(port, errno);
	return receiver;
}

static void open_socket(const char *port, struct socket *socket)
{
	const struct xsk_umem_config umem = { .fill_size = RING_FRAMES,
					      .comp_size = RING_FRAMES,
					      .frame_size = CHUNK_OCTETS };
	const struct xsk_socket_config config = { .tx_size = RING_FRAMES,
						  .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD };
	void *area = mmap(NULL, AREA_OCTETS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int error;

	if (area == MAP_FAILED)
		fail("no memory", errno);
	error = xsk_umem__create(&socket->umem, area, AREA_OCTETS, &socket->fill, &socket->completion, &umem);
	if (!error)
		error = xsk_socket__create(&socket->xsk, port, 0, socket->umem, NULL, &socket->ring, &config);
	if (error)
		fail(port, error);
	socket->fd = xsk_socket__fd(socket->xsk);
	socket->frame = area;
	memset(socket->frame->header, 2, 2 * ETH_ALEN);
	socket->frame->header[12] = 0x88; /* the EtherType for local experiments, 0x88b5 */
	socket->frame->header[13] = 0xb5;
	socket->frame->magic = FLOOR_MAGIC;
}

/* The descriptor is in the ring before its time comes: there remain the clock, the stamp and the call. */
static void send_at(struct socket *socket, uint64_t due_ns)
{
	uint64_t now_ns;
	uint32_t slot = 0, completed;

	if (!xsk_ring_prod__reserve(&socket->ring, 1, &slot))
		fail("the transmit ring is full", EBUSY);
	*xsk_ring_prod__tx_desc(&socket->ring, slot) = (struct xdp_desc){ .len = sizeof(*socket->frame) };
	xsk_ring_prod__submit(&socket->ring, 1);
	do
		now_ns = clock_ns();
	while (now_ns < due_ns);
	socket->frame->departure_ns = now_ns;
	sendto(socket->fd, NULL, 0, MSG_DONTWAIT, NULL, 0);
	completed = xsk_ring_cons__peek(&socket->completion, RING_FRAMES, &slot);
	xsk_ring_cons__release(&socket->completion, completed);
}

int main(int argc, char **argv)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	long count = argc > 3 ? strtol(argv[3], NULL, 10) : FRAMES_DEFAULT;
	struct floor_bpf *receiver;
	struct socket socket;
	uint64_t start_ns;

	if (argc < 3) {
		fprintf(stderr, "usage: bench_floor PORT PEER [FRAMES]\n");
		return 2;
	}
	libxdp_set_print(NULL);
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	take_cpu();
	receiver = attach_receiver(argv[2]);
	open_socket(argv[1], &socket);
	start_ns = clock_ns() + START_NS;
	for (long i = 0; i < count; i++)
		send_at(&socket, start_ns + (uint64_t)i * INTERVAL_NS);
	if (receiver->bss->latency.count < (uint64_t)count / 2)
		fail("frames are missing", ENODATA);
	printf("%.0f\n", mlr_histogram_quantile_ns(&receiver->bss->latency, 0.5));
	return 0;
}
