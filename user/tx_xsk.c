/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AF_XDP transmitter: one socket, one UMEM, one queue; zero-copy where the driver has it, else copy mode.
 *
 * The UMEM is cut into buffers, of one chunk, or for frames longer than a chunk of several, one after the other. Every buffer
 * holds the payload from the start; before a departure the header is copied from its template, unless the buffer held that
 * template already, and filled in. A buffer is free, or in the transmit ring, or in the kernel's hands until the completion ring
 * gives it back; `free_buffers` is a stack, because completions need not come in order. Behind the buffers lie chunks for what a
 * zero-copy driver receives on this queue.
 *
 * In copy mode the kernel sends only while we are in sendto(), at most a budget of frames a call; EAGAIN, EBUSY and ENOBUFS
 * mean "not all of it: call again", so the call is repeated until the ring has drained, also when nothing new is due and
 * when no buffer is free. With zero-copy the driver asks for a call by the need_wakeup flag.
 */
#include "tx.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xdp/libxdp.h>
#include <xdp/xsk.h>

#include "clock.h"
#include "mlr/pacer.h"
#include "stop.h"

#define RING_FRAMES        2048 /* descriptors, to be exact: a long frame takes several */
#define CHUNK_OCTETS       2048
#define LARGE_CHUNK_OCTETS 4096 /* the largest that every kernel takes */
#define HUGE_PAGE_OCTETS   (2u << 20)
#define BATCH_FRAMES       32
/* Copy mode charges each frame to the socket until the SUT has let go of it. The default of some 270 frames would make a
 * slow SUT hold the tester back, and hide its loss. */
#define SEND_BUFFER_OCTETS (64 << 20)
#define DRAIN_NS           NS_PER_S /* how long the kernel may take to complete the next of the last frames */
#define DRAIN_PAUSE_NS     50000

#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9 /* Linux 6.18; older kernels refuse it, and 32 frames a call it is */
#endif

#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4) /* Linux 6.6: a frame may take several descriptors */
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

struct tx_xsk {
	struct tx tx;
	uint8_t *area;
	size_t area_octets;
	uint32_t chunk_octets;
	uint32_t frame_chunks; /* that a buffer has: enough for the longest frame, one after the other */
	uint32_t buffer_count;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill, ring;
	struct xsk_ring_cons completion;
	const struct mlr_queue_plan *plan;
	const struct mlr_frame_template *held[RING_FRAMES]; /* whose header a buffer has; NULL: none yet */
	bool call_again;                                    /* the kernel did not take all of the ring */
	uint32_t free_count;
	uint32_t free_buffers[RING_FRAMES];
};

/* --- opening and closing -------------------------------------------------------------------------------------------- */

static void close_xsk(struct tx *tx)
{
	struct tx_xsk *xsk = (struct tx_xsk *)tx;

	if (xsk->socket)
		xsk_socket__delete(xsk->socket);
	if (xsk->umem)
		xsk_umem__delete(xsk->umem);
	if (xsk->area)
		munmap(xsk->area, xsk->area_octets);
	free(xsk);
}

static uint32_t buffer_octets(const struct tx_xsk *xsk)
{
	return xsk->frame_chunks * xsk->chunk_octets;
}

/* How to cut the UMEM for frames of this length. */
static void choose_buffers(struct tx_xsk *xsk, uint32_t memory_octets)
{
	xsk->chunk_octets = memory_octets > CHUNK_OCTETS ? LARGE_CHUNK_OCTETS : CHUNK_OCTETS;
	xsk->frame_chunks = (memory_octets + xsk->chunk_octets - 1) / xsk->chunk_octets;
	xsk->buffer_count = RING_FRAMES / xsk->frame_chunks;
}

static void write_payloads(struct tx_xsk *xsk)
{
	for (uint32_t i = 0; i < xsk->buffer_count; i++) {
		xsk->free_buffers[i] = i;
		if (xsk->plan->payload)
			memcpy(xsk->area + (size_t)i * buffer_octets(xsk) + MLR_HEADER_MAX_OCTETS, xsk->plan->payload,
			       xsk->plan->payload_octets);
	}
	xsk->free_count = xsk->buffer_count;
}

/* Where the chunks for receiving begin: behind the buffers. */
static size_t receive_offset(const struct tx_xsk *xsk)
{
	return (size_t)xsk->buffer_count * buffer_octets(xsk);
}

/* Huge pages where some are reserved: a frame then costs no TLB miss. 0 or -errno. */
static int map_area(struct tx_xsk *xsk)
{
	size_t octets = receive_offset(xsk) + (size_t)RING_FRAMES * xsk->chunk_octets;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
	void *area;

	octets = (octets + HUGE_PAGE_OCTETS - 1) / HUGE_PAGE_OCTETS * HUGE_PAGE_OCTETS;
	xsk->tx.memory = "huge pages";
	area = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
	if (area == MAP_FAILED) {
		xsk->tx.memory = "pages";
		area = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags, -1, 0);
	}
	if (area == MAP_FAILED)
		return -errno;
	xsk->area = area;
	xsk->area_octets = octets;
	return 0;
}

/* With zero-copy the receive queue of the same number takes its buffers from here, too. Its frames are for the XDP program, which
 * gives each buffer back when it drops the frame. */
static void give_receive_chunks(struct tx_xsk *xsk)
{
	uint32_t slot = 0;

	xsk_ring_prod__reserve(&xsk->fill, RING_FRAMES, &slot);
	for (uint32_t i = 0; i < RING_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&xsk->fill, slot + i) = receive_offset(xsk) + (size_t)i * xsk->chunk_octets;
	xsk_ring_prod__submit(&xsk->fill, RING_FRAMES);
}

static int create_umem(struct tx_xsk *xsk)
{
	const struct xsk_umem_config config = {
		.fill_size = RING_FRAMES,
		.comp_size = RING_FRAMES,
		.frame_size = xsk->chunk_octets,
	};
	int error = map_area(xsk);

	if (!error)
		error = xsk_umem__create(&xsk->umem, xsk->area, xsk->area_octets, &xsk->fill, &xsk->completion, &config);
	if (!error)
		give_receive_chunks(xsk);
	return error;
}

static int create_socket(struct tx_xsk *xsk, const char *port, uint32_t queue)
{
	const struct xsk_socket_config config = {
		.tx_size = RING_FRAMES,
		.libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
		.bind_flags = XDP_USE_NEED_WAKEUP | (xsk->frame_chunks > 1 ? XDP_USE_SG : 0),
	};
	struct xdp_options options = { 0 };
	socklen_t size = sizeof(options);
	int budget = RING_FRAMES, send_buffer = SEND_BUFFER_OCTETS, fd, error;

	error = xsk_socket__create(&xsk->socket, port, queue, xsk->umem, NULL, &xsk->ring, &config);
	if (error)
		return error;
	fd = xsk_socket__fd(xsk->socket);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof(send_buffer));
	setsockopt(fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
	if (getsockopt(fd, SOL_XDP, XDP_OPTIONS, &options, &size))
		return -errno;
	xsk->tx.mode = options.flags & XDP_OPTIONS_ZEROCOPY ? TX_MODE_ZERO_COPY : "copy";
	return 0;
}

static enum exit_code open_failed(const char *port, uint32_t queue, int error)
{
	switch (error) {
	case -EPERM:
		return refuse(EXIT_INCAPABLE, "port %s: an AF_XDP socket needs CAP_NET_RAW: run it as root", port);
	case -EBUSY:
		return refuse(EXIT_UNSAFE,
			      "port %s: another AF_XDP socket holds transmit queue %u; end the program that has it", port,
			      queue);
	default:
		return refuse(EXIT_INCAPABLE, "port %s: cannot open an AF_XDP socket on transmit queue %u: %s", port, queue,
			      strerror(-error));
	}
}

static enum exit_code too_long(const char *port)
{
	return refuse(EXIT_INCAPABLE,
		      "--frame-size: port %s cannot send frames in several buffers by AF_XDP (that needs Linux 6.6 and the "
		      "driver's support); use at most %d octets, or --tx live",
		      port, LARGE_CHUNK_OCTETS + MLR_FCS_OCTETS);
}

static void run_xsk(struct tx *tx, const struct tx_trial *trial, struct tx_report *report);

enum exit_code tx_xsk_open(const char *port, uint32_t queue, const struct mlr_queue_plan *plan, int cpu, struct tx **ret)
{
	static const struct tx_ops ops = { .name = "xsk", .burst_frames = BATCH_FRAMES, .run = run_xsk, .close = close_xsk };
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct tx_xsk *xsk;
	int error;

	xsk = calloc(1, sizeof(*xsk));
	if (!xsk)
		return refuse(EXIT_INCAPABLE, "out of memory");
	xsk->tx.ops = &ops;
	xsk->tx.cpu = cpu;
	xsk->plan = plan;
	choose_buffers(xsk, mlr_plan_memory_octets(plan));
	libxdp_set_print(NULL);
	setrlimit(RLIMIT_MEMLOCK, &unlimited); /* where it is refused, creating the UMEM fails and says why */
	error = create_umem(xsk);
	if (!error)
		error = create_socket(xsk, port, queue);
	if (error) {
		bool long_frames = xsk->frame_chunks > 1;

		close_xsk(&xsk->tx);
		return error == -EINVAL && long_frames ? too_long(port) : open_failed(port, queue, error);
	}
	write_payloads(xsk);
	*ret = &xsk->tx;
	return EXIT_DONE;
}

/* --- a trial -------------------------------------------------------------------------------------------------------- */

/* Give the kernel what is in the ring, if it waits for us. 0 or -errno of a lost port. */
static int kick(struct tx_xsk *xsk)
{
	xsk->call_again = false;
	if (!xsk_ring_prod__needs_wakeup(&xsk->ring))
		return 0;
	/* not sendto() of the C library, which makes it a cancellation point */
	if (syscall(SYS_sendto, xsk_socket__fd(xsk->socket), NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	if (errno != EAGAIN && errno != EBUSY && errno != ENOBUFS && errno != EINTR)
		return -errno;
	xsk->call_again = true;
	return 0;
}

/* Take back completed buffers; how many. The first chunk stands for its frame: the others are never written again. */
static uint32_t reap(struct tx_xsk *xsk)
{
	uint32_t first, completed = xsk_ring_cons__peek(&xsk->completion, RING_FRAMES, &first), frames = 0;

	for (uint32_t i = 0; i < completed; i++) {
		uint64_t address = *xsk_ring_cons__comp_addr(&xsk->completion, first + i);

		if (address % buffer_octets(xsk))
			continue;
		xsk->free_buffers[xsk->free_count++] = (uint32_t)(address / buffer_octets(xsk));
		frames++;
	}
	xsk_ring_cons__release(&xsk->completion, completed);
	return frames;
}

/* Whether another frame is due. */
static bool is_due(const struct mlr_pacer *pacer, const struct tx_trial *trial, uint64_t now_ns)
{
	return trial->frame_count == TX_NO_LIMIT || mlr_pacer_due(pacer, now_ns - trial->start_ns);
}

/* Descriptors that a frame takes. */
static uint32_t chunks_of(const struct tx_xsk *xsk, const struct mlr_frame_template *template)
{
	return xsk->frame_chunks == 1 ? 1 : (template->memory_octets + xsk->chunk_octets - 1u) / xsk->chunk_octets;
}

/* Write descriptors of a frame that starts here, in consecutive slots. */
static void put_descriptors(struct tx_xsk *xsk, uint32_t slot, uint64_t address, uint32_t octets)
{
	for (; octets > xsk->chunk_octets; octets -= xsk->chunk_octets, address += xsk->chunk_octets)
		*xsk_ring_prod__tx_desc(&xsk->ring, slot++) =
			(struct xdp_desc){ .addr = address, .len = xsk->chunk_octets, .options = XDP_PKT_CONTD };
	*xsk_ring_prod__tx_desc(&xsk->ring, slot) = (struct xdp_desc){ .addr = address, .len = octets };
}

/* Write a frame into a free buffer, and the buffer into slots of the ring. */
static void put_frame(struct tx_xsk *xsk, uint32_t slot, const struct mlr_frame_template *template,
		      const struct mlr_flow *flow, const struct tx_trial *trial, uint32_t sequence, uint64_t intended_ns,
		      uint64_t now_ns)
{
	uint32_t buffer = xsk->free_buffers[--xsk->free_count];
	uint64_t address = (uint64_t)buffer * buffer_octets(xsk);
	uint8_t *frame = xsk->area + address;

	if (xsk->held[buffer] != template) {
		xsk->held[buffer] = template;
		memcpy(frame, template->header, sizeof(template->header));
	}
	mlr_frame_fill(frame, template, flow, trial->number, sequence, intended_ns, now_ns);
	put_descriptors(xsk, slot, address, template->memory_octets);
}

/* Put what is due into the ring; how many frames. */
static uint32_t submit(struct tx_xsk *xsk, struct mlr_pacer *pacer, struct mlr_plan_cursor *cursor,
		       const struct tx_trial *trial, uint64_t now_ns)
{
	const struct mlr_queue_plan *plan = xsk->plan;
	uint64_t intended_ns = now_ns;
	uint32_t count = 0, descriptors = 0, slot;

	for (; count < BATCH_FRAMES && xsk->free_count && is_due(pacer, trial, now_ns); count++) {
		bool is_extra = mlr_plan_extra_due(plan, cursor);
		const struct mlr_frame_template *template = is_extra ? plan->extra : mlr_plan_template(plan, cursor);
		uint32_t chunks = chunks_of(xsk, template);

		if (!xsk_ring_prod__reserve(&xsk->ring, chunks, &slot))
			break;
		descriptors += chunks;
		if (trial->frame_count != TX_NO_LIMIT)
			intended_ns = trial->start_ns + mlr_pacer_next_ns(pacer);
		if (is_extra) {
			mlr_plan_take_extra(plan, cursor);
			put_frame(xsk, slot, template, &plan->extra_flow, trial, 0, intended_ns, now_ns);
			xsk->tx.report.extra++;
			continue;
		}
		if (trial->frame_count != TX_NO_LIMIT)
			mlr_pacer_take(pacer);
		put_frame(xsk, slot, template, mlr_plan_flow(plan, cursor), trial, cursor->sequence, intended_ns, now_ns);
		mlr_plan_take(plan, cursor);
	}
	if (count)
		xsk_ring_prod__submit(&xsk->ring, descriptors);
	return count;
}

static void note_departures(struct tx_report *report, uint64_t now_ns, uint32_t count)
{
	if (report->last_departure_ns)
		mlr_histogram_add(&report->gaps, now_ns - report->last_departure_ns);
	for (uint32_t i = 1; i < count; i++)
		mlr_histogram_add(&report->gaps, 0);
	if (count > report->burst_max)
		report->burst_max = count;
	report->last_departure_ns = now_ns;
}

/* Wait until the kernel has completed every frame. Where this CPU is the only one, it needs it for that. */
static void drain(struct tx_xsk *xsk, struct tx_report *report)
{
	const struct timespec pause = { .tv_nsec = DRAIN_PAUSE_NS };
	uint64_t deadline_ns = clock_ns() + DRAIN_NS;

	while (xsk->free_count < xsk->buffer_count && !report->error) {
		uint32_t completed;

		report->error = kick(xsk);
		completed = reap(xsk);
		report->sent += completed;
		if (completed)
			deadline_ns = clock_ns() + DRAIN_NS;
		else if (clock_ns() > deadline_ns)
			report->error = -ETIMEDOUT;
		else
			nanosleep(&pause, NULL);
	}
}

static void run_xsk(struct tx *tx, const struct tx_trial *trial, struct tx_report *report)
{
	struct tx_xsk *xsk = (struct tx_xsk *)tx;
	struct mlr_plan_cursor cursor = mlr_plan_start(xsk->plan, trial->first_sequence);
	struct mlr_pacer pacer = { 0 };
	uint64_t now_ns;
	uint32_t count;

	if (trial->frame_count != TX_NO_LIMIT)
		report->error =
			mlr_pacer_init(&pacer, trial->load_fps, trial->frame_count, xsk->plan->first, xsk->plan->step);
	while (clock_ns() < trial->start_ns)
		;
	while (!report->error && (trial->frame_count == TX_NO_LIMIT || pacer.next < pacer.count)) {
		now_ns = clock_ns();
		if (now_ns >= trial->deadline_ns || stop_requested())
			break;
		count = submit(xsk, &pacer, &cursor, trial, now_ns);
		if (count || xsk->call_again || !xsk->free_count)
			report->error = kick(xsk);
		if (count)
			note_departures(report, now_ns, count);
		report->sent += reap(xsk);
	}
	drain(xsk, report);
	if (!report->error)
		report->sent -= report->extra; /* all frames were completed */
}
