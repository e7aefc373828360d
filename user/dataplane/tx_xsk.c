/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The AF_XDP transmitter has one socket, one UMEM and one queue. It uses zero-copy if the driver has it, and copy mode
 * otherwise.
 *
 * The UMEM is cut into buffers of a power of two: of one chunk, or for frames longer than a chunk of several, one after the
 * other. Every buffer holds the payload from the start. The frame that departs next is prepared while the transmitter waits
 * for its time: the header is copied from its template, unless the buffer held that template already, and filled in. Between
 * the moment it is stamped with and the call of the kernel there remain the stamp, the checksum and the descriptor. A buffer
 * is free, or prepared, or in the transmit ring, or in the kernel's hands until the completion ring gives it back;
 * `free_buffers` is a stack, because completions need not come in order, and because the buffer used last is the one in the
 * cache. Behind the buffers lie chunks for what a zero-copy driver receives on this queue.
 *
 * In copy mode the kernel sends only while we are in sendto(), at most a budget of frames a call; EAGAIN, EBUSY and ENOBUFS
 * mean "not all of it: call again", so the call is repeated until the ring has drained, also when nothing new is due and
 * when no buffer is free. With zero-copy the driver asks for a call by the need_wakeup flag.
 */
#include "dataplane/tx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xdp/xsk.h>

#include "base/clock.h"
#include "base/stop.h"
#include "dataplane/xsk_rings.h"
#include "mlr/pacer.h"

#define RING_FRAMES        2048 /* descriptors, to be exact: a long frame takes several */
#define CHUNK_OCTETS       2048
#define LARGE_CHUNK_OCTETS 4096 /* the largest that every kernel takes */
#define HUGE_PAGE_OCTETS   (2u << 20)
#define BATCH_FRAMES       32
/* Where no schedule asks for short bursts, half the system calls. */
#define UNPACED_BATCH_FRAMES 64
/* Copy mode charges each frame to the socket until the SUT has let go of it. The default of some 270 frames would make a
 * slow SUT hold the tester back, and hide its loss. */
#define SEND_BUFFER_OCTETS (64 << 20)
#define DRAIN_NS           NS_PER_S        /* longest time for the kernel to complete the next of the last frames */
#define DOWN_TIMES         8               /* factor of DRAIN_NS while the port is down, as while it negotiates its speed */
#define RELEASE_NS         (10 * NS_PER_S) /* longest time for the kernel to release a queue */
#define METADATA_ROOM      64              /* octets before a frame, so that it begins a cache line as it does without */
#define SAMPLES_PER_S      1000            /* frames whose departure is stamped, about */
#define SAMPLE_UNPACED     1024            /* one frame of so many is stamped where there is no load */

#ifndef XDP_MAX_TX_SKB_BUDGET
#define XDP_MAX_TX_SKB_BUDGET 9 /* Linux 6.18; older kernels refuse it, and 32 frames a call it is */
#endif

#ifndef XDP_USE_SG
#define XDP_USE_SG (1 << 4) /* Linux 6.6: a frame may take several descriptors */
#endif
#ifndef XDP_PKT_CONTD
#define XDP_PKT_CONTD (1 << 0)
#endif

/* The frame that departs next. */
struct next_frame {
	const struct mlr_frame_template *template; /* NULL: it is not prepared */
	uint64_t address;                          /* address of its buffer, which is in use */
	uint64_t sum;                              /* checksum of all that it covers but the stamp */
	bool is_extra;
};

/* The content of a buffer from an earlier frame, which need not be written again. */
struct held {
	const struct mlr_frame_template *template; /* template whose header the buffer holds; NULL: none yet */
	const struct mlr_flow *flow;               /* flow whose addresses and ports the buffer holds */
	uint64_t sum;                              /* result of mlr_frame_flow() */
};

/* The trial under way. */
struct sending {
	const struct tx_trial *trial;
	struct tx_report *report;
	bool unpaced;
	struct mlr_pacer pacer;
	struct tx_pace pace;
	struct mlr_plan_cursor cursor;
	uint64_t lead_ns; /* so long before they are due frames are handed over, with a launch time; 0: when they are due */
	uint64_t
		drain_deadline_ns; /* when the kernel should have completed the next of the last frames; 0: there are more to send */
};

struct tx_xsk {
	struct tx tx;
	uint8_t *area;
	size_t area_octets;
	uint32_t chunk_octets;
	uint32_t frame_chunks; /* chunks of a buffer: enough for the longest frame, one after the other */
	uint32_t buffer_shift; /* log2 of a buffer's octets */
	uint32_t buffer_count;
	struct xsk_rings rings;
	struct xsk_ring_prod fill, ring;
	struct xsk_ring_cons completion;
	uint32_t room;                       /* octets of a buffer before its frame: for metadata */
	uint32_t sample_every, until_sample; /* frames */
	/* Stamp in the tag of a buffer's frame, if the frame is in the sample; else 0. */
	uint64_t stamped_ns[RING_FRAMES];
	const struct mlr_queue_plan *plan;
	struct held held[RING_FRAMES]; /* content of each buffer */
	struct sending sending;
	struct next_frame next;
	bool call_again; /* The kernel did not take all of the ring. */
	bool is_down;    /* The port was down. */
	uint32_t free_count;
	uint32_t free_buffers[RING_FRAMES];
};

/* --- opening and closing -------------------------------------------------------------------------------------------- */

static void close_xsk(struct tx *tx)
{
	struct tx_xsk *xsk = (struct tx_xsk *)tx;

	xsk_rings_close(&xsk->rings);
	if (xsk->area)
		munmap(xsk->area, xsk->area_octets);
	free(xsk->tx.moves);
	free(xsk);
}

static uint32_t buffer_octets(const struct tx_xsk *xsk)
{
	return 1u << xsk->buffer_shift;
}

/* Choose how to cut the UMEM for frames of this length: into buffers of a power of two, by which an address is divided at no
 * cost. */
static void choose_buffers(struct tx_xsk *xsk, uint32_t memory_octets)
{
	memory_octets += xsk->room;
	xsk->chunk_octets = memory_octets > CHUNK_OCTETS ? LARGE_CHUNK_OCTETS : CHUNK_OCTETS;
	xsk->buffer_shift = mlr_log2(xsk->chunk_octets);
	while (memory_octets > buffer_octets(xsk))
		xsk->buffer_shift++;
	xsk->frame_chunks = buffer_octets(xsk) / xsk->chunk_octets;
	xsk->buffer_count = RING_FRAMES / xsk->frame_chunks;
}

static void write_payloads(struct tx_xsk *xsk)
{
	for (uint32_t i = 0; i < xsk->buffer_count; i++) {
		xsk->free_buffers[i] = i;
		if (xsk->plan->payload)
			memcpy(xsk->area + ((size_t)i << xsk->buffer_shift) + xsk->room + MLR_HEADER_MAX_OCTETS,
			       xsk->plan->payload, xsk->plan->payload_octets);
	}
	xsk->free_count = xsk->buffer_count;
}

/* Return where the chunks for receiving begin: behind the buffers. */
static size_t receive_offset(const struct tx_xsk *xsk)
{
	return (size_t)xsk->buffer_count << xsk->buffer_shift;
}

/* Map memory, of huge pages if some are reserved: a frame then costs no TLB miss. Otherwise the kernel may make huge pages of
 * it, which are also filled sooner. Returns 0 or -errno. */
static int map_area(struct tx_xsk *xsk)
{
	size_t octets = receive_offset(xsk) + (size_t)RING_FRAMES * xsk->chunk_octets;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *area;

	octets = (octets + HUGE_PAGE_OCTETS - 1) / HUGE_PAGE_OCTETS * HUGE_PAGE_OCTETS;
	xsk->tx.memory = "huge pages";
	area = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags | MAP_POPULATE | MAP_HUGETLB, -1, 0);
	if (area == MAP_FAILED) {
		xsk->tx.memory = "pages";
		area = mmap(NULL, octets, PROT_READ | PROT_WRITE, flags, -1, 0);
	}
	if (area == MAP_FAILED)
		return -errno;
	madvise(area, octets, MADV_HUGEPAGE);
	madvise(area, octets, MADV_POPULATE_WRITE);
	madvise(area, octets, MADV_DONTFORK); /* no copy for a process that has no use for it */
	xsk->area = area;
	xsk->area_octets = octets;
	return 0;
}

/* Give buffers to the receive queue of the same number, which with zero-copy takes them from this memory. Its frames are for
 * the XDP program, which gives each buffer back when it drops the frame. */
static void give_receive_chunks(struct tx_xsk *xsk)
{
	uint32_t slot = 0;

	xsk_ring_prod__reserve(&xsk->fill, RING_FRAMES, &slot);
	for (uint32_t i = 0; i < RING_FRAMES; i++)
		*xsk_ring_prod__fill_addr(&xsk->fill, slot + i) = receive_offset(xsk) + (size_t)i * xsk->chunk_octets;
	xsk_ring_prod__submit(&xsk->fill, RING_FRAMES);
}

static int create_rings(struct tx_xsk *xsk)
{
	const struct xsk_rings_wish wish = {
		.area = xsk->area,
		.area_octets = xsk->area_octets,
		.chunk_octets = xsk->chunk_octets,
		.entries = RING_FRAMES,
		.metadata = xsk->room,
	};
	int error = xsk_rings_open(&wish, &xsk->rings, &xsk->fill, &xsk->ring, &xsk->completion);

	if (!error)
		give_receive_chunks(xsk);
	return error;
}

static int bind_socket(struct tx_xsk *xsk, const char *port, uint32_t queue)
{
	uint16_t flags = XDP_USE_NEED_WAKEUP | (xsk->frame_chunks > 1 ? XDP_USE_SG : 0);
	struct xdp_options options = { 0 };
	socklen_t size = sizeof(options);
	int budget = RING_FRAMES, send_buffer = SEND_BUFFER_OCTETS, error = xsk_rings_bind(&xsk->rings, port, queue, flags);

	if (error)
		return error;
	setsockopt(xsk->rings.fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof(send_buffer));
	setsockopt(xsk->rings.fd, SOL_XDP, XDP_MAX_TX_SKB_BUDGET, &budget, sizeof(budget));
	if (getsockopt(xsk->rings.fd, SOL_XDP, XDP_OPTIONS, &options, &size))
		return -errno;
	xsk->tx.mode = options.flags & XDP_OPTIONS_ZEROCOPY ? TX_MODE_ZERO_COPY : "copy";
	return 0;
}

static enum exit_code open_failed(const char *port, uint32_t queue, int error)
{
	switch (error) {
	case -EBUSY:
		return refuse(EXIT_UNSAFE,
			      "port %s: another AF_XDP socket holds transmit queue %u; end the program that has it", port,
			      queue);
	default:
		return refuse(EXIT_INCAPABLE, "port %s: cannot open an AF_XDP socket on transmit queue %u: %s", port, queue,
			      why_not_locked(-error));
	}
}

static enum exit_code too_long(const char *port)
{
	return refuse(EXIT_INCAPABLE,
		      "--frame-size: port %s cannot send frames in several buffers by AF_XDP (that needs Linux 6.6 and the "
		      "driver's support); use at most %d octets, or --tx live",
		      port, LARGE_CHUNK_OCTETS + MLR_FCS_OCTETS);
}

static void begin_xsk(struct tx *tx, const struct tx_trial *trial, struct tx_report *report);
static int renew_xsk(struct tx *tx);
static enum tx_step step_xsk(struct tx *tx);

/* Open it, with these metadata; NULL: without any. 0 or -errno. */
static int open_xsk(const char *port, uint32_t queue, const struct mlr_queue_plan *plan, const struct tx_metadata *metadata,
		    struct tx_xsk **ret)
{
	static const struct tx_ops ops = {
		.name = "xsk",
		.takes_turns = true,
		.begin = begin_xsk,
		.step = step_xsk,
		.renew = renew_xsk,
		.close = close_xsk,
	};
	struct tx_xsk *xsk = calloc(1, sizeof(*xsk));
	int error = 0;

	if (!xsk)
		return -ENOMEM;
	xsk->tx.ops = &ops;
	xsk->plan = plan;
	xsk->rings.fd = -1;
	if (metadata) {
		xsk->room = METADATA_ROOM;
		xsk->tx.metadata = *metadata;
	}
	choose_buffers(xsk, mlr_plan_memory_octets(plan));
	xsk->tx.moves = calloc(1, sizeof(*xsk->tx.moves));
	if (metadata && xsk->frame_chunks > 1)
		error = -EMSGSIZE; /* every chunk would need room */
	if (!error)
		error = xsk->tx.moves ? map_area(xsk) : -ENOMEM;
	if (!error)
		error = create_rings(xsk);
	if (!error)
		error = bind_socket(xsk, port, queue);
	if (error)
		close_xsk(&xsk->tx);
	else
		*ret = xsk;
	return error;
}

/* Bind the socket. The kernel releases a queue some time after its socket was closed, later if the machine is busy. So a
 * queue that was ours a moment ago, for another frame size, is awaited. If there can be no metadata, bind without. Returns 0
 * or -errno. */
static int open_when_free(const char *port, uint32_t queue, const struct mlr_queue_plan *plan,
			  const struct tx_metadata *metadata, struct tx_xsk **ret)
{
	uint64_t end_ns = clock_ns() + RELEASE_NS;
	int error;

	do {
		error = open_xsk(port, queue, plan, metadata, ret);
		if (error && error != -EBUSY && metadata)
			error = open_xsk(port, queue, plan, NULL, ret);
	} while (error == -EBUSY && clock_ns() < end_ns && !stop_sleep_until(clock_ns() + RELEASE_NS / 100));
	return error;
}

enum exit_code tx_xsk_open(const char *port, uint32_t queue, const struct mlr_queue_plan *plan,
			   const struct tx_metadata *metadata, int cpu, const struct tx *first, struct tx **ret)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	bool wants_any = metadata && (metadata->stamps || metadata->lead_ns);
	struct tx_xsk *xsk;
	int error;

	setrlimit(RLIMIT_MEMLOCK, &unlimited); /* If this is refused, creating the UMEM fails and says why. */
	error = open_when_free(port, queue, plan, wants_any ? metadata : NULL, &xsk);
	if (error == -EBUSY && stop_requested()) /* A stop ended the wait. */
		return EXIT_INTERRUPTED;
	if (error)
		return error == -EINVAL && mlr_plan_memory_octets(plan) > LARGE_CHUNK_OCTETS
			       ? too_long(port)
			       : open_failed(port, queue, error);
	xsk->tx.cpu = cpu;
	xsk->tx.schedule = first ? first->schedule : &xsk->tx.own_schedule;
	write_payloads(xsk);
	*ret = &xsk->tx;
	return EXIT_DONE;
}

/* --- a trial -------------------------------------------------------------------------------------------------------- */

/* Have the kernel take what is in the ring, if it waits for us. Returns 0, or -errno of a lost port. A port that is down may
 * come up again. */
static int kick(struct tx_xsk *xsk)
{
	xsk->call_again = xsk->is_down = false;
	if (!xsk_ring_prod__needs_wakeup(&xsk->ring))
		return 0;
	/* This is not sendto() of the C library, which is a cancellation point. */
	if (syscall(SYS_sendto, xsk->rings.fd, NULL, 0, MSG_DONTWAIT, NULL, 0) >= 0)
		return 0;
	xsk->is_down = errno == ENETDOWN;
	if (errno != EAGAIN && errno != EBUSY && errno != ENOBUFS && errno != EINTR && !xsk->is_down)
		return -errno;
	xsk->call_again = true;
	return 0;
}

/* --- metadata ------------------------------------------------------------------------------------------------------- */

/* The offset changes while frames are sent. */
static uint64_t clock_offset_ns(const struct tx_xsk *xsk)
{
	return (uint64_t)__atomic_load_n(&xsk->tx.clock_offset_ns, __ATOMIC_RELAXED);
}

static struct xsk_metadata *metadata_of(const struct tx_xsk *xsk, uint64_t address)
{
	return (struct xsk_metadata *)(void *)(xsk->area + address - XSK_METADATA_OCTETS);
}

/* Choose which frames of a trial are in the sample: one in so many. */
static void begin_sample(struct tx_xsk *xsk, const struct tx_trial *trial)
{
	double per_s = trial->load_fps / xsk->plan->step;

	xsk->sample_every = 0;
	if (!xsk->tx.metadata.stamps || trial->asks_nothing)
		return;
	xsk->sample_every = trial->frame_count == TX_NO_LIMIT ? SAMPLE_UNPACED : (uint32_t)(per_s / SAMPLES_PER_S) + 1;
	xsk->until_sample = xsk->sample_every;
}

/* Ask the NIC for what is wanted of a frame in this slot, whose tag says that it leaves at `actual_ns`. */
static void ask_nic(struct tx_xsk *xsk, uint32_t slot, uint64_t address, uint64_t now_ns, uint64_t actual_ns)
{
	struct xsk_metadata metadata = { 0 };

	if (xsk->sending.lead_ns && actual_ns > now_ns) {
		metadata.flags = XDP_TXMD_FLAGS_LAUNCH_TIME;
		metadata.request.launch_time_ns = actual_ns - clock_offset_ns(xsk);
	}
	if (xsk->sample_every && !--xsk->until_sample) {
		metadata.flags |= XDP_TXMD_FLAGS_TIMESTAMP;
		xsk->tx.departures.asked++;
		xsk->until_sample = xsk->sample_every;
		xsk->stamped_ns[address >> xsk->buffer_shift] = actual_ns;
	}
	if (!metadata.flags)
		return;
	*metadata_of(xsk, address) = metadata;
	xsk_ring_prod__tx_desc(&xsk->ring, slot)->options |= XDP_TX_METADATA;
}

/* Note the NIC's stamp of a completed frame in the sample. A stamp of 0 is none: a NIC has room for only so many at once. */
static void take_stamp(struct tx_xsk *xsk, uint64_t address)
{
	struct tx_departures *departures = &xsk->tx.departures;
	uint64_t sent_ns = metadata_of(xsk, address)->completion.sent_ns;
	uint64_t *stamped_ns = &xsk->stamped_ns[address >> xsk->buffer_shift];
	int64_t delay_ns = (int64_t)(sent_ns + clock_offset_ns(xsk) - *stamped_ns);

	if (!*stamped_ns)
		return;
	*stamped_ns = 0;
	if (!sent_ns)
		return;
	mlr_histogram_add(&departures->delays, delay_ns > 0 ? (uint64_t)delay_ns : 0);
	if (delay_ns >= 0)
		return;
	departures->early++;
	if ((uint64_t)-delay_ns > departures->earliest_ns)
		departures->earliest_ns = (uint64_t)-delay_ns;
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

/* Take back completed buffers; how many. The first chunk stands for its frame: the others are never written again. */
static uint32_t reap(struct tx_xsk *xsk)
{
	uint32_t first, completed = xsk_ring_cons__peek(&xsk->completion, RING_FRAMES, &first);
	uint32_t before = xsk->free_count, free_count = before;

	if (!completed)
		return 0;
	for (uint32_t i = 0; i < completed; i++) {
		uint64_t address = *xsk_ring_cons__comp_addr(&xsk->completion, first + i);

		if ((address & (buffer_octets(xsk) - 1)) != xsk->room)
			continue;
		if (xsk->room)
			take_stamp(xsk, address);
		xsk->free_buffers[free_count++] = (uint32_t)(address >> xsk->buffer_shift);
	}
	xsk_ring_cons__release(&xsk->completion, completed);
	xsk->free_count = free_count;
	return free_count - before;
}

/* Return the descriptors that a frame takes. */
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

static void note_departures(struct tx_report *report, uint64_t now_ns, uint32_t count)
{
	if (report->last_departure_ns)
		mlr_histogram_add(&report->gaps, now_ns - report->last_departure_ns);
	else
		report->first_departure_ns = now_ns;
	mlr_histogram_add_many(&report->gaps, 0, count - 1);
	report->last_departure_ns = now_ns;
}

/* Write into a buffer what it does not hold yet of this flow's frames. */
static __attribute__((noinline)) void hold(struct tx_xsk *xsk, struct held *held, const struct mlr_frame_template *template,
					   const struct mlr_flow *flow)
{
	uint8_t *frame = xsk->area + xsk->next.address;

	if (held->template != template)
		memcpy(frame, template->header, sizeof(template->header));
	*held = (struct held){ template, flow, mlr_frame_flow(frame, template, flow) };
}

/* Write the frame that departs next into a free buffer, all but its stamp. False: no buffer is free. */
static inline __attribute__((always_inline)) bool prepare(struct tx_xsk *xsk)
{
	const struct mlr_queue_plan *plan = xsk->plan;
	struct mlr_plan_cursor *cursor = &xsk->sending.cursor;
	struct next_frame *next = &xsk->next;
	const struct mlr_flow *flow;
	struct held *held;
	uint32_t buffer;

	if (next->template)
		return true;
	if (!xsk->free_count)
		return false;
	buffer = xsk->free_buffers[--xsk->free_count];
	next->address = ((uint64_t)buffer << xsk->buffer_shift) + xsk->room;
	next->is_extra = mlr_plan_extra_due(cursor);
	next->template = next->is_extra ? plan->extra : mlr_plan_template(plan, cursor);
	flow = next->is_extra ? &plan->extra_flow : mlr_plan_flow(plan, cursor);
	held = &xsk->held[buffer];
	if (held->flow != flow || held->template != next->template)
		hold(xsk, held, next->template, flow);
	next->sum = mlr_frame_number(xsk->area + next->address, next->template, held->sum, xsk->sending.trial->number,
				     next->is_extra ? 0 : mlr_plan_sequence(cursor, flow));
	if (next->is_extra)
		mlr_plan_take_extra(plan, cursor);
	else
		mlr_plan_take(plan, cursor);
	return true;
}

/* Take back the buffer of a frame that will not depart in this trial. */
static void forget(struct tx_xsk *xsk)
{
	if (!xsk->next.template)
		return;
	xsk->free_buffers[xsk->free_count++] = (uint32_t)(xsk->next.address >> xsk->buffer_shift);
	xsk->next.template = NULL;
}

/* Return the lateness of a frame that departs then, marked if it does so in a burst. Extra frames are beside the load. */
static inline uint16_t lateness_of(struct sending *sending, const struct next_frame *next, uint64_t intended_ns,
				   uint64_t actual_ns)
{
	uint16_t lateness = mlr_lateness_encode(actual_ns - intended_ns);

	if (sending->unpaced || next->is_extra)
		return lateness;
	return tx_pace_take(&sending->pace, actual_ns) ? mlr_lateness_mark(lateness) : lateness;
}

/* Sign the prepared frame, which is all there but for its stamp; returns what that adds to its sum. */
static __attribute__((noinline)) uint32_t sign(struct tx_xsk *xsk, uint64_t intended_ns, uint16_t lateness)
{
	const struct mlr_frame_template *template = xsk->next.template;
	uint8_t *tag = xsk->area + xsk->next.address + template->tag_offset;
	const struct mlr_tag *written = (const struct mlr_tag *)(const void *)tag;
	uint32_t flow = (uint32_t)written->flow[0] << 16 | (uint32_t)written->flow[1] << 8 | written->flow[2];

	return mlr_frame_sign(tag + sizeof(*written), template, flow, xsk->sending.trial->number, ntohl(written->sequence),
			      intended_ns, lateness);
}

/* Stamp the prepared frame, and put its buffer into slots of the ring. One that is not due yet departs when it is. */
static void depart(struct tx_xsk *xsk, uint32_t slot, uint64_t intended_ns, uint64_t now_ns)
{
	const struct tx_trial *trial = xsk->sending.trial;
	struct next_frame *next = &xsk->next;
	uint64_t actual_ns = intended_ns > now_ns ? intended_ns : now_ns;
	uint64_t tag_ns = intended_ns + (uint64_t)trial->tag_offset_ns;
	uint16_t lateness = lateness_of(&xsk->sending, next, intended_ns, actual_ns);
	uint64_t sum = next->sum;

	if (next->template->is_signed)
		sum += sign(xsk, tag_ns, lateness);
	mlr_frame_stamp(xsk->area + next->address, next->template, sum, tag_ns, lateness);
	put_descriptors(xsk, slot, next->address, next->template->memory_octets);
	next->template = NULL;
	if (xsk->room)
		ask_nic(xsk, slot, next->address, now_ns, actual_ns);
	if (xsk->sending.lead_ns)
		note_departures(xsk->sending.report, actual_ns, 1);
}

/* Put what is due into the ring. Returns how many frames. */
static uint32_t submit(struct tx_xsk *xsk, uint64_t now_ns, uint64_t moved_ns)
{
	struct sending *sending = &xsk->sending;
	bool unpaced = sending->unpaced;
	uint32_t most = unpaced ? UNPACED_BATCH_FRAMES : BATCH_FRAMES, count = 0, descriptors = 0, slot;
	uint64_t start_ns = sending->trial->start_ns + moved_ns, until_ns = now_ns + sending->lead_ns;
	uint64_t intended_ns = now_ns;

	if (until_ns < start_ns)
		return 0;
	if (moved_ns != mlr_moves_last_ns(xsk->tx.moves))
		mlr_moves_add(xsk->tx.moves, sending->pacer.next, moved_ns);
	for (; count < most && (unpaced || mlr_pacer_due(&sending->pacer, until_ns - start_ns)) && prepare(xsk); count++) {
		uint32_t chunks = chunks_of(xsk, xsk->next.template);

		if (!xsk_ring_prod__reserve(&xsk->ring, chunks, &slot))
			break;
		descriptors += chunks;
		if (!unpaced)
			intended_ns = start_ns + mlr_pacer_next_ns(&sending->pacer);
		if (xsk->next.is_extra)
			sending->report->extra++;
		else if (!unpaced)
			mlr_pacer_take(&sending->pacer);
		depart(xsk, slot, intended_ns, now_ns);
	}
	if (count) {
		xsk_ring_prod__submit(&xsk->ring, descriptors);
		tx_schedule_begin(xsk->tx.schedule);
	}
	return count;
}

static void begin_xsk(struct tx *tx, const struct tx_trial *trial, struct tx_report *report)
{
	struct tx_xsk *xsk = (struct tx_xsk *)tx;
	struct sending *sending = &xsk->sending;

	*sending = (struct sending){
		.trial = trial,
		.report = report,
		.unpaced = trial->frame_count == TX_NO_LIMIT,
		.cursor = mlr_plan_start(xsk->plan, trial->first_sequence),
		.pace = { .start_ns = trial->start_ns, .grant_most_ns = trial->grant_most_ns },
		.lead_ns = trial->asks_nothing ? 0 : xsk->tx.metadata.lead_ns,
	};
	if (!sending->unpaced) {
		report->error = mlr_pacer_init(&sending->pacer, trial->load_fps, trial->frame_count, xsk->plan->first,
					       xsk->plan->step);
		mlr_envelope_init(&sending->pace.envelope, trial->load_fps, xsk->plan->step, trial->burst);
	}
	begin_sample(xsk, trial);
	prepare(xsk);
}

/* Forget which headers of the plan the buffers hold. */
static int renew_xsk(struct tx *tx)
{
	memset(((struct tx_xsk *)tx)->held, 0, sizeof(((struct tx_xsk *)tx)->held));
	return 0;
}

/* Hand over what is due. Returns false if that was all, or there is no more time, or it was stopped. */
static bool send_due(struct tx_xsk *xsk)
{
	struct sending *sending = &xsk->sending;
	struct tx_report *report = sending->report;
	uint64_t now_ns = clock_ns(), moved_ns = 0;
	uint32_t count = 0;

	if (report->error || (!sending->unpaced && sending->pacer.next >= sending->pacer.count))
		return false;
	if (!sending->unpaced) {
		tx_pace_look(&sending->pace, now_ns, sending->pacer.next);
		moved_ns = tx_pace_keep(&sending->pace, xsk->tx.schedule, mlr_pacer_next_ns(&sending->pacer), now_ns);
	}
	if (now_ns >= tx_pace_deadline_ns(&sending->pace, xsk->tx.schedule, sending->trial->deadline_ns) || stop_requested())
		return false;
	/* Frames that the kernel did not take yet go first. Otherwise they would depart in one burst when it does. */
	if (sending->unpaced || !xsk->call_again)
		count = submit(xsk, now_ns, moved_ns);
	if (count || xsk->call_again || !xsk->free_count)
		report->error = kick(xsk);
	if (count && !sending->lead_ns)
		note_departures(report, now_ns, count);
	report->sent += reap(xsk);
	prepare(xsk); /* Prepare now, to save time between stamp and departure. */
	return true;
}

/* Let the kernel complete frames, as far as it can without waiting. Returns false if all came back, or it takes too long. */
static bool drain(struct tx_xsk *xsk)
{
	struct sending *sending = &xsk->sending;
	struct tx_report *report = sending->report;
	uint32_t completed = 1;
	uint64_t more_ns;

	while (xsk->free_count < xsk->buffer_count && !report->error && completed) {
		report->error = kick(xsk);
		completed = reap(xsk);
		report->sent += completed;
		if (completed)
			sending->drain_deadline_ns = clock_ns() + DRAIN_NS;
	}
	more_ns = xsk->is_down && !stop_requested() ? (DOWN_TIMES - 1) * DRAIN_NS : 0;
	if (!completed && clock_ns() > sending->drain_deadline_ns + more_ns)
		report->error = xsk->is_down ? -ENETDOWN : -ETIMEDOUT;
	return xsk->free_count < xsk->buffer_count && !report->error;
}

static enum tx_step step_xsk(struct tx *tx)
{
	struct tx_xsk *xsk = (struct tx_xsk *)tx;
	struct sending *sending = &xsk->sending;

	if (!sending->drain_deadline_ns) {
		if (send_due(xsk))
			return TX_SENDING;
		forget(xsk);
		sending->drain_deadline_ns = clock_ns() + DRAIN_NS;
	}
	if (drain(xsk))
		return TX_DRAINING;
	if (!sending->report->error)
		sending->report->sent -= sending->report->extra; /* Here all frames are completed. */
	tx_report_pace(sending->report, &sending->pace);
	return TX_ENDED;
}
