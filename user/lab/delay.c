/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/delay.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <xdp/libxdp.h>
#include <xdp/xsk.h>

#include "base/clock.h"
#include "base/message.h"
#include "bpf/shared.h"
#include "lab/forwarder.h"

#define QUEUE        0
#define CHUNK_OCTETS 4096 /* a page: the largest that AF_XDP takes */
#define CHUNK_MASK   (~(uint64_t)(CHUNK_OCTETS - 1))
#define UMEM_OCTETS  ((size_t)PORT_COUNT * DELAY_HELD_MAX * CHUNK_OCTETS)
#define BATCH_FRAMES 64
#define AWAKE_NS     NS_PER_S        /* time for which the process spins after the last frame */
#define LOOK_NS      (NS_PER_S / 50) /* time between two checks that the links still exist */
#define ASLEEP_MS    200             /* the same time while the process sleeps */

/* A frame that waits. */
struct held {
	uint64_t due_ns;
	uint64_t address; /* address in the UMEM */
	uint32_t octets;
};

/* One link: its socket, and the frames that came from it, oldest first. */
struct end {
	struct xsk_socket *socket;
	struct xsk_ring_prod fill, transmit;
	struct xsk_ring_cons completion, receive;
	struct held held[DELAY_HELD_MAX];
	uint32_t first, count; /* held frames: held[first], held[first + 1], ... modulo DELAY_HELD_MAX */
};

struct delay {
	uint64_t delay_ns;
	uint8_t *area;
	struct xsk_umem *umem;
	struct end ends[PORT_COUNT];
};

/* --- opening and closing -------------------------------------------------------------------------------------------- */

void delay_close(struct delay *delay)
{
	if (!delay)
		return;
	for (int i = PORT_COUNT; i-- > 0;)
		if (delay->ends[i].socket)
			xsk_socket__delete(delay->ends[i].socket);
	if (delay->umem)
		xsk_umem__delete(delay->umem);
	if (delay->area)
		munmap(delay->area, UMEM_OCTETS);
	free(delay);
}

/* Give the kernel chunks to receive into, back or for the first time. The fill ring has room for all. */
static void fill(struct end *end, const uint64_t addresses[], uint32_t count)
{
	uint32_t slot = 0;

	xsk_ring_prod__reserve(&end->fill, count, &slot);
	for (uint32_t i = 0; i < count; i++)
		*xsk_ring_prod__fill_addr(&end->fill, slot + i) = addresses[i] & CHUNK_MASK;
	xsk_ring_prod__submit(&end->fill, count);
}

/* The memory is shared with the process that is forked later, so it must not be copied on a write. */
static int create_umem(struct delay *delay)
{
	const struct xsk_umem_config config = {
		.fill_size = DELAY_HELD_MAX,
		.comp_size = DELAY_HELD_MAX,
		.frame_size = CHUNK_OCTETS,
	};
	void *area = mmap(NULL, UMEM_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (area == MAP_FAILED)
		return -errno;
	delay->area = area;
	return xsk_umem__create(&delay->umem, area, UMEM_OCTETS, &delay->ends[PORT_A].fill, &delay->ends[PORT_A].completion,
				&config);
}

static int create_socket(struct delay *delay, struct end *end, const char *link)
{
	const struct xsk_socket_config config = {
		.rx_size = DELAY_HELD_MAX,
		.tx_size = DELAY_HELD_MAX,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_COPY,
	};

	return xsk_socket__create_shared(&end->socket, link, QUEUE, delay->umem, &end->receive, &end->transmit, &end->fill,
					 &end->completion, &config);
}

static void fill_first(struct delay *delay)
{
	uint64_t address = 0;

	for (int i = 0; i < PORT_COUNT; i++)
		for (int n = 0; n < DELAY_HELD_MAX; n++, address += CHUNK_OCTETS)
			fill(&delay->ends[i], &address, 1);
}

int delay_open(const char *const links[PORT_COUNT], uint64_t delay_ns, struct delay **ret)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct delay *delay = calloc(1, sizeof(*delay));
	int error;

	if (!delay)
		return -ENOMEM;
	delay->delay_ns = delay_ns;
	libxdp_set_print(NULL);
	setrlimit(RLIMIT_MEMLOCK, &unlimited); /* If this is refused, creating the UMEM fails and says why. */
	error = create_umem(delay);
	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = create_socket(delay, &delay->ends[i], links[i]);
	if (error) {
		delay_close(delay);
		return error;
	}
	fill_first(delay);
	*ret = delay;
	return 0;
}

void delay_sockets(const struct delay *delay, int ret_fds[PORT_COUNT])
{
	for (int i = 0; i < PORT_COUNT; i++)
		ret_fds[i] = xsk_socket__fd(delay->ends[i].socket);
}

/* --- forwarding ----------------------------------------------------------------------------------------------------- */

/* Take what came from a link; how many frames. There are as many slots as chunks. */
static uint32_t read_frames(struct delay *delay, struct end *from)
{
	uint32_t slot, count = xsk_ring_cons__peek(&from->receive, BATCH_FRAMES, &slot);

	for (uint32_t i = 0; i < count; i++) {
		const struct xdp_desc *frame = xsk_ring_cons__rx_desc(&from->receive, slot + i);
		struct held *held = &from->held[(from->first + from->count++) % DELAY_HELD_MAX];
		struct delay_metadata metadata;

		memcpy(&metadata, delay->area + frame->addr - sizeof(metadata), sizeof(metadata));
		*held = (struct held){ metadata.arrival_ns + delay->delay_ns, frame->addr, frame->len };
	}
	xsk_ring_cons__release(&from->receive, count);
	return count;
}

/* Hand the frames that are due to the other link, up to a batch. Returns 0, or -errno of a link that is gone. */
static int send_due(struct end *from, struct end *to)
{
	uint64_t now_ns = clock_ns();
	uint32_t slot, count = 0;

	while (from->count > 0 && count < BATCH_FRAMES && from->held[from->first].due_ns <= now_ns &&
	       xsk_ring_prod__reserve(&to->transmit, 1, &slot) == 1) {
		const struct held *held = &from->held[from->first];

		*xsk_ring_prod__tx_desc(&to->transmit, slot) =
			(struct xdp_desc){ .addr = held->address, .len = held->octets };
		from->first = (from->first + 1) % DELAY_HELD_MAX;
		from->count--;
		count++;
	}
	if (count > 0)
		xsk_ring_prod__submit(&to->transmit, count);
	return (int)count;
}

/* Have the kernel send what is in the ring: in copy mode it sends in this call only. Returns 0, or -errno of a link that is
 * gone. */
static int transmit(struct end *to)
{
	if (sendto(xsk_socket__fd(to->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	return errno == EAGAIN || errno == EBUSY || errno == ENOBUFS || errno == EINTR ? 0 : -errno;
}

/* Give chunks that have been sent back to the link that they came from. Returns how many. */
static uint32_t give_back(struct end *from, struct end *to)
{
	uint64_t addresses[BATCH_FRAMES];
	uint32_t slot, count = xsk_ring_cons__peek(&to->completion, BATCH_FRAMES, &slot);

	for (uint32_t i = 0; i < count; i++)
		addresses[i] = *xsk_ring_cons__comp_addr(&to->completion, slot + i);
	xsk_ring_cons__release(&to->completion, count);
	if (count > 0)
		fill(from, addresses, count);
	return count;
}

/* Return how many descriptors the kernel has not sent yet. */
static uint32_t unsent(struct end *to)
{
	return to->transmit.size - xsk_prod_nb_free(&to->transmit, to->transmit.size);
}

/* Make one round of one direction. Returns 0, or -errno of a link that is gone. *ret_busy is set if a frame came, waits or
 * went. */
static int forward(struct delay *delay, int from, bool *ret_busy)
{
	struct end *in = &delay->ends[from], *out = &delay->ends[!from];
	uint32_t taken = read_frames(delay, in);
	int sent = send_due(in, out), error = 0;

	if (sent > 0 || unsent(out) > 0)
		error = transmit(out);
	if (give_back(in, out) > 0 || taken > 0 || in->count > 0 || sent > 0)
		*ret_busy = true;
	return error;
}

/* Wait until a frame comes, at most for this long. */
static void await_frame(const struct delay *delay, int timeout_ms)
{
	struct pollfd files[PORT_COUNT];

	for (int i = 0; i < PORT_COUNT; i++)
		files[i] = (struct pollfd){ .fd = xsk_socket__fd(delay->ends[i].socket), .events = POLLIN };
	poll(files, PORT_COUNT, timeout_ms);
}

/* A link that goes away leaves an error on its socket, which poll() does not report. */
static bool links_are_up(const struct delay *delay)
{
	for (int i = 0; i < PORT_COUNT; i++) {
		int error = 0;
		socklen_t size = sizeof(error);

		if (getsockopt(xsk_socket__fd(delay->ends[i].socket), SOL_SOCKET, SO_ERROR, &error, &size) || error)
			return false;
	}
	return true;
}

static void forward_until_gone(void *context)
{
	struct delay *delay = context;
	uint64_t last_frame_ns = clock_ns(), last_look_ns = last_frame_ns;

	for (;;) {
		uint64_t now_ns = clock_ns();
		bool busy = false;

		for (int i = 0; i < PORT_COUNT; i++)
			if (forward(delay, i, &busy))
				return;
		if (busy)
			last_frame_ns = now_ns;
		if (now_ns - last_look_ns < LOOK_NS)
			continue;
		if (!links_are_up(delay))
			return;
		if (now_ns - last_frame_ns > AWAKE_NS)
			await_frame(delay, ASLEEP_MS);
		last_look_ns = clock_ns();
	}
}

int delay_fork(struct delay *delay, pid_t *ret)
{
	struct forwarder_plan plan = {
		.name = "xdp-mlr-delay", .forward = forward_until_gone, .context = delay, .is_confined = true
	};

	delay_sockets(delay, plan.fds);
	return forwarder_fork(&plan, ret);
}
