/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile SUT forwards frames between the lab's links, and does one thing to some of the test frames. It is what
 * `lab up --sut exec:` runs: hostile WHAT[,every=N,by=N,seed=N] LOG. `hostile --log LOG` prints the log as JSON.
 *
 * The log counts what was done to how many frames. So a test can compare it with what a tester counts, to the frame. Frames
 * without the tester's tag are forwarded unchanged and not logged. It uses packet sockets and is made for some thousand
 * frames a second. Its log also counts the frames for which its sockets had no room.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "mlr/frame.h"

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define NS_PER_S        1000000000ull
#define NUMBER_MAX      65535
#define PAD_MAX         60u
#define TAGS_MAX        6u
#define FRAME_OCTETS    (MLR_FRAME_MAX_OCTETS + PAD_MAX + 4) /* octets of a frame with what is inserted or appended */
#define HELD_MAX        65536
#define LAST_MAX        64
#define FLOWS           256 /* flows whose order is logged, by the last octet of their number */
#define BUFFER_OCTETS   (64 << 20)
#define SILENCE_NS      (NS_PER_S / 20) /* After so long a silence, the trial counts as over, and held frames are sent. */
#define COPY_LATE_NS    NS_PER_S        /* After so long a silence, the trial is over even for the slowest tester. */
#define COPY_AFTER_NS   1000000
#define LOOK_MS         50
#define TAG_OCTETS      4
#define FRAGMENT        32 /* octets of IP payload in the first fragment: UDP header and tag, up to a multiple of 8 */
#define TAG_FIELD(name) (sizeof(uint64_t) + offsetof(struct mlr_tag, name)) /* offset from the UDP header */
#define TAG_END         (sizeof(uint64_t) + sizeof(struct mlr_tag))

enum { PORT_A, PORT_B, PORT_COUNT };
enum base { BASE_FRAME, BASE_NETWORK, BASE_IP4, BASE_UDP, BASE_END };

/* Frames of both directions since the lab is up. A test frame counts as one of `intact` to `late`, or as `dropped`. */
struct hostile_log {
	uint64_t seen;             /* test frames that arrived */
	uint64_t unheard;          /* frames that were lost in the kernel before the SUT saw them */
	uint64_t intact;           /* forwarded without a change that a tester verifies */
	uint64_t dropped;          /* not forwarded */
	uint64_t without_checksum; /* intact frames whose UDP checksum was removed, as IPv4 allows */
	uint64_t copies;           /* sent in addition to a forwarded frame */
	uint64_t reordered;        /* forwarded after a later frame */
	uint64_t damaged;          /* changed without a new checksum */
	uint64_t resized;          /* cut or padded */
	uint64_t malformed;        /* frames with contradictory headers and lengths, or with a number that no trial has */
	uint64_t fragmented;       /* fragments sent */
	uint64_t overtagged;       /* frames behind more than two VLAN tags */
	uint64_t misdirected;      /* frames sent to the wrong port, or with a flow that belongs to nobody */
	uint64_t late;             /* frames sent after the end of their trial */
	uint64_t unknown_trial;    /* given the number of a trial that the run does not have */
	uint64_t foreign;          /* changed to look like another sender's, and such frames added */
	uint64_t unsent;           /* frames that the kernel did not accept */
};

/* A frame on its way. */
struct frame {
	uint64_t due_ns;                   /* due time, if the frame is held */
	uint64_t number;                   /* its number in its direction: later frames have a larger one */
	unsigned int octets, network, udp; /* octets of the frame, offsets of its headers; udp 0: no test frame */
	unsigned int from;
	uint8_t data[FRAME_OCTETS];
};

struct end {
	int fd;
	uint64_t number;              /* number of the last test frame */
	uint16_t trial;               /* trial of the last test frame */
	uint64_t in_trial;            /* frames of this trial that arrived */
	uint64_t last_ns;             /* arrival of the last test frame */
	uint64_t silent;              /* value of `number` when silence was answered last */
	struct frame *held[HELD_MAX]; /* a ring */
	size_t first, count;
	struct frame *last[LAST_MAX]; /* the newest, by number */
	uint64_t newest[FLOWS];       /* the largest number that was sent on, by flow */
};

struct row;

struct hostile {
	const struct row *row;
	uint64_t period, amount, random;
	struct hostile_log *log; /* mapped from its file */
	struct end ends[PORT_COUNT];
};

/* What a kind does to each `every`-th test frame. */
struct row {
	const char *name;
	void (*act)(struct hostile *hostile, struct frame *frame);
	unsigned int period, amount; /* defaults */
	void (*on_silence)(struct hostile *hostile, struct end *end);
	void (*on_trial)(struct hostile *hostile, struct end *end); /* before the first frame of another trial */
	enum base base;                                             /* base of the octet that is flipped */
	int offset;                                                 /* offset of that octet from the base */
	size_t counter;                                             /* member of the log that counts the frame */
	unsigned int most;                                          /* the largest `by`; 0: whatever can be given */
};

#define COUNTS(member) offsetof(struct hostile_log, member)

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void count(struct hostile *hostile, size_t counter)
{
	++((uint64_t *)hostile->log)[counter / sizeof(uint64_t)];
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

static uint16_t get16(const struct frame *frame, unsigned int at)
{
	return (uint16_t)(frame->data[at] << 8 | frame->data[at + 1]);
}

/* Write two octets of what UDP's checksum covers, and mend that (RFC 1624). */
static void put16_mended(struct frame *frame, unsigned int at, uint16_t value)
{
	uint32_t sum = (uint16_t)~get16(frame, frame->udp + 6) + (uint16_t)~get16(frame, at) + (uint32_t)value;

	mlr_put16(frame->data + at, value);
	mlr_put16(frame->data + frame->udp + 6, mlr_checksum_fold(sum));
}

static bool is_ip4(const struct frame *frame)
{
	return frame->data[frame->network] >> 4 == 4;
}

/* Make the IPv4 header's checksum right. */
static void mend_header(struct frame *frame)
{
	uint32_t sum = 0;

	mlr_put16(frame->data + frame->network + 10, 0);
	for (unsigned int at = frame->network; at < frame->udp; at += 2)
		sum += get16(frame, at);
	mlr_put16(frame->data + frame->network + 10, mlr_checksum_fold(sum));
}

/* Find the headers of a test frame, however many VLAN tags it is behind. */
static void find_headers(struct frame *frame)
{
	unsigned int at = 12, udp;

	while (at + 20 < frame->octets && (get16(frame, at) == ETH_P_8021Q || get16(frame, at) == ETH_P_8021AD))
		at += TAG_OCTETS;
	frame->network = at + 2;
	frame->udp = 0;
	if (get16(frame, at) != ETH_P_IP && get16(frame, at) != ETH_P_IPV6)
		return;
	udp = frame->network + (get16(frame, at) == ETH_P_IP ? (frame->data[at + 2] & 0xfu) * 4 : 40);
	if (udp + TAG_FIELD(trial) <= frame->octets && get16(frame, udp + 8) == MLR_TAG_MAGIC)
		frame->udp = udp;
}

static uint64_t next_random(struct hostile *hostile)
{
	hostile->random = hostile->random * 6364136223846793005 + 1442695040888963407;
	return hostile->random >> 33;
}

static void transmit(struct hostile *hostile, const struct frame *frame, unsigned int to, size_t counter)
{
	if (send(hostile->ends[to].fd, frame->data, frame->octets, 0) == (ssize_t)frame->octets)
		count(hostile, counter);
	else
		hostile->log->unsent++;
}

static struct end *end_of(struct hostile *hostile, const struct frame *frame)
{
	return &hostile->ends[frame->from];
}

/* Send it on. An intact one is reordered if a later one of its flow was sent before. */
static void forward(struct hostile *hostile, const struct frame *frame, size_t counter)
{
	uint64_t *newest = &end_of(hostile, frame)->newest[frame->data[frame->udp + TAG_FIELD(flow) + 2]];

	transmit(hostile, frame, !frame->from, counter);
	if (counter != COUNTS(intact))
		return;
	if (frame->number < *newest)
		hostile->log->reordered++;
	else
		*newest = frame->number;
}

/* Keep a copy of a frame. One that does not fit is dropped, and said. */
static void hold(struct hostile *hostile, const struct frame *frame, uint64_t due_ns)
{
	struct end *end = end_of(hostile, frame);
	struct frame *copy = end->count < HELD_MAX ? malloc(offsetof(struct frame, data) + frame->octets) : NULL;

	if (!copy) {
		hostile->log->dropped++;
		return;
	}
	memcpy(copy, frame, offsetof(struct frame, data) + frame->octets);
	copy->due_ns = due_ns;
	end->held[(end->first + end->count++) % HELD_MAX] = copy;
}

/* The frame held longest, which is the caller's then. */
static struct frame *let_go(struct end *end)
{
	struct frame *frame = end->held[end->first];

	end->first = (end->first + 1) % HELD_MAX;
	end->count--;
	return frame;
}

static void forward_held(struct hostile *hostile, struct end *end, size_t counter)
{
	struct frame *frame = let_go(end);

	forward(hostile, frame, counter);
	free(frame);
}

/* --- what is done --------------------------------------------------------------------------------------------------- */

static void drop(struct hostile *hostile, struct frame *)
{
	hostile->log->dropped++;
}

static void drop_if(struct hostile *hostile, struct frame *frame, bool is_dropped)
{
	if (is_dropped)
		drop(hostile, frame);
	else
		forward(hostile, frame, COUNTS(intact));
}

static void drop_first(struct hostile *hostile, struct frame *frame)
{
	drop_if(hostile, frame, end_of(hostile, frame)->in_trial <= hostile->amount);
}

/* A run of `by` in 100. */
static void drop_burst(struct hostile *hostile, struct frame *frame)
{
	drop_if(hostile, frame, frame->number % 100 < hostile->amount);
}

/* Drop one frame in `by`. */
static void drop_random(struct hostile *hostile, struct frame *frame)
{
	drop_if(hostile, frame, next_random(hostile) % hostile->amount == 0);
}

/* Drop the frames of one flow in `by`. */
static void drop_flow(struct hostile *hostile, struct frame *frame)
{
	drop_if(hostile, frame, frame->data[frame->udp + TAG_FIELD(flow) + 2] % hostile->amount == 0);
}

/* What comes from port B, but not the first `by` frames of a trial. */
static void drop_one_way(struct hostile *hostile, struct frame *frame)
{
	drop_if(hostile, frame, frame->from == PORT_B && end_of(hostile, frame)->in_trial > hostile->amount);
}

/* Hold `by` frames, so that those which are the last can be dropped when it is known. */
static void hold_some(struct hostile *hostile, struct frame *frame)
{
	struct end *end = end_of(hostile, frame);

	hold(hostile, frame, UINT64_MAX);
	if (end->count > hostile->amount)
		forward_held(hostile, end, COUNTS(intact));
}

static void drop_held(struct hostile *hostile, struct end *end)
{
	for (; end->count; free(let_go(end)))
		hostile->log->dropped++;
}

static void copy(struct hostile *hostile, struct frame *frame)
{
	forward(hostile, frame, COUNTS(intact));
	for (uint64_t i = 0; i < hostile->amount; i++)
		forward(hostile, frame, COUNTS(copies));
}

/* `by` ms later than the frame; the log's member says what the copy is then. */
static void copy_later(struct hostile *hostile, struct frame *frame)
{
	forward(hostile, frame, COUNTS(intact));
	hold(hostile, frame, clock_ns() + hostile->amount * COPY_AFTER_NS);
}

static void send_last(struct hostile *hostile, struct end *end)
{
	for (size_t i = 0; i < hostile->amount; i++)
		if (end->last[i])
			forward(hostile, end->last[i], COUNTS(late));
}

/* Remember it, for send_last(). */
static void keep(struct hostile *hostile, struct frame *frame)
{
	struct frame **slot = &end_of(hostile, frame)->last[frame->number % hostile->amount];

	forward(hostile, frame, COUNTS(intact));
	if (*slot || (*slot = malloc(sizeof(**slot))))
		memcpy(*slot, frame, offsetof(struct frame, data) + frame->octets);
}

/* Hold a frame until `by` later ones are sent: see forward_due(). */
static void delay_by_frames(struct hostile *hostile, struct frame *frame)
{
	hold(hostile, frame, UINT64_MAX);
}

static void release_held(struct hostile *hostile, struct end *end)
{
	while (end->count)
		forward_held(hostile, end, COUNTS(intact));
}

static void delay_by_time(struct hostile *hostile, struct frame *frame)
{
	hold(hostile, frame, clock_ns() + hostile->amount * 1000000);
}

/* What comes from port B. */
static void delay_one_way(struct hostile *hostile, struct frame *frame)
{
	if (frame->from == PORT_B)
		delay_by_time(hostile, frame);
	else
		forward(hostile, frame, COUNTS(intact));
}

/* Each frame of a trial by `by` us more than the one before. */
static void delay_growing(struct hostile *hostile, struct frame *frame)
{
	hold(hostile, frame, clock_ns() + end_of(hostile, frame)->in_trial * hostile->amount * 1000);
}

/* One bit of the field that the row names; what IPv6 has no such protected field of passes. */
static void flip(struct hostile *hostile, struct frame *frame)
{
	const unsigned int bases[] = { [BASE_FRAME] = 0,
				       [BASE_NETWORK] = frame->network,
				       [BASE_IP4] = frame->network,
				       [BASE_UDP] = frame->udp,
				       [BASE_END] = frame->octets };

	if (hostile->row->base == BASE_IP4 && !is_ip4(frame)) {
		forward(hostile, frame, COUNTS(intact));
		return;
	}
	frame->data[(int)bases[hostile->row->base] + hostile->row->offset] ^= (uint8_t)hostile->amount;
	forward(hostile, frame, hostile->row->counter);
}

/* Off the end, as the headers say, too. */
static void cut(struct hostile *hostile, struct frame *frame)
{
	unsigned int at = frame->network + (is_ip4(frame) ? 2 : 4), payload = frame->octets - frame->udp;

	if (hostile->amount > payload - TAG_FIELD(trial)) {
		forward(hostile, frame, COUNTS(intact));
		return;
	}
	frame->octets -= (unsigned int)hostile->amount;
	mlr_put16(frame->data + at, (uint16_t)(get16(frame, at) - hostile->amount));
	mlr_put16(frame->data + frame->udp + 4, (uint16_t)(get16(frame, frame->udp + 4) - hostile->amount));
	mlr_put16(frame->data + frame->udp + 6, 0);
	if (is_ip4(frame))
		mend_header(frame);
	/* what ends within the tag has headers that cannot be */
	forward(hostile, frame, payload - hostile->amount < TAG_END ? COUNTS(malformed) : COUNTS(resized));
}

static void cut_end(struct hostile *hostile, struct frame *frame)
{
	unsigned int most = frame->octets - frame->udp - (unsigned int)TAG_FIELD(trial);

	frame->octets -= hostile->amount < most ? (unsigned int)hostile->amount : most;
	forward(hostile, frame, COUNTS(malformed));
}

static void pad(struct hostile *hostile, struct frame *frame)
{
	unsigned int octets = (unsigned int)hostile->amount;

	memset(frame->data + frame->octets, 0, octets);
	frame->octets += octets;
	forward(hostile, frame, COUNTS(resized));
}

static void fragment(struct hostile *hostile, struct frame *frame)
{
	unsigned int headers = frame->udp, payload = frame->octets - headers;
	static struct frame rest;

	if (!is_ip4(frame) || payload <= FRAGMENT) {
		forward(hostile, frame, COUNTS(intact));
		return;
	}
	rest = *frame;
	memmove(rest.data + headers, frame->data + headers + FRAGMENT, payload - FRAGMENT);
	rest.octets -= FRAGMENT;
	mlr_put16(rest.data + rest.network + 2, (uint16_t)(rest.octets - rest.network));
	mlr_put16(rest.data + rest.network + 6, FRAGMENT / 8);
	mend_header(&rest);
	frame->octets = headers + FRAGMENT;
	mlr_put16(frame->data + frame->network + 2, (uint16_t)(frame->octets - frame->network));
	mlr_put16(frame->data + frame->network + 6, 0x2000);
	mend_header(frame);
	forward(hostile, frame, COUNTS(fragmented));
	forward(hostile, &rest, COUNTS(fragmented));
}

static void put_tags(struct hostile *hostile, struct frame *frame)
{
	unsigned int octets = (unsigned int)hostile->amount * TAG_OCTETS;

	memmove(frame->data + 12 + octets, frame->data + 12, frame->octets - 12);
	for (unsigned int at = 12; at < 12 + octets; at += TAG_OCTETS) {
		mlr_put16(frame->data + at, ETH_P_8021Q);
		mlr_put16(frame->data + at + 2, 7);
	}
	frame->octets += octets;
	forward(hostile, frame, frame->network + octets > 14 + 2 * TAG_OCTETS ? COUNTS(overtagged) : COUNTS(intact));
}

static void take_tag(struct hostile *hostile, struct frame *frame)
{
	if (frame->network > 14) {
		memmove(frame->data + 12, frame->data + 12 + TAG_OCTETS, frame->octets - 12 - TAG_OCTETS);
		frame->octets -= TAG_OCTETS;
	}
	forward(hostile, frame, COUNTS(intact));
}

/* What routers may change, with the checksum that belongs to it. */
static void change_header(struct hostile *hostile, struct frame *frame)
{
	bool is_hop_limit = hostile->row->offset == 8 && !is_ip4(frame); /* it is an octet earlier */

	frame->data[(int)frame->network + hostile->row->offset - is_hop_limit] ^= (uint8_t)hostile->amount;
	if (is_ip4(frame))
		mend_header(frame);
	forward(hostile, frame, COUNTS(intact));
}

static void take_checksum(struct hostile *hostile, struct frame *frame)
{
	mlr_put16(frame->data + frame->udp + 6, 0);
	if (is_ip4(frame))
		count(hostile, COUNTS(without_checksum));
	forward(hostile, frame, is_ip4(frame) ? COUNTS(intact) : COUNTS(damaged)); /* IPv6 does not allow that */
}

/* All that is behind the magic. */
static void overwrite(struct hostile *hostile, struct frame *frame)
{
	memset(frame->data + frame->udp + TAG_FIELD(trial), (int)hostile->amount,
	       frame->octets - frame->udp - TAG_FIELD(trial));
	forward(hostile, frame, COUNTS(damaged));
}

static void give_back(struct hostile *hostile, struct frame *frame)
{
	uint8_t mac[MLR_MAC_OCTETS];

	memcpy(mac, frame->data, sizeof(mac));
	memcpy(frame->data, frame->data + sizeof(mac), sizeof(mac));
	memcpy(frame->data + sizeof(mac), mac, sizeof(mac));
	transmit(hostile, frame, frame->from, COUNTS(misdirected));
}

static void echo(struct hostile *hostile, struct frame *frame)
{
	forward(hostile, frame, COUNTS(intact));
	give_back(hostile, frame);
}

/* Two octets of the tag get other bits, and all checksums are right. */
static void forge(struct hostile *hostile, struct frame *frame)
{
	unsigned int at = (unsigned int)((int)frame->udp + hostile->row->offset);

	put16_mended(frame, at, get16(frame, at) ^ (uint16_t)hostile->amount);
	forward(hostile, frame, hostile->row->counter);
}

/* Forward the frame, then `by` foreign ones: with another magic, and with another port if the row has its offset. */
static void make_noise(struct hostile *hostile, struct frame *frame)
{
	forward(hostile, frame, COUNTS(intact));
	mlr_put16(frame->data + frame->udp + 8, 0);
	if (hostile->row->offset)
		mlr_put16(frame->data + (int)frame->udp + hostile->row->offset, 9);
	for (uint64_t i = 0; i < hostile->amount; i++)
		forward(hostile, frame, COUNTS(foreign));
}

#define FLIP(name, base, offset, bit, member)                                                                               \
	{                                                                                                                   \
		name, flip, 10, bit, NULL, NULL, base, offset, COUNTS(member), UINT8_MAX                                    \
	}
#define TAGGED(field) (int)TAG_FIELD(field)

static const struct row rows[] = {
	{ "drop", drop, 10, 0 },
	{ "drop-first", drop_first, 1, 10 },
	{ "drop-last", hold_some, 1, 10, drop_held },
	{ "drop-burst", drop_burst, 1, 10, .most = 100 },
	{ "drop-random", drop_random, 1, 10 },
	{ "drop-flow", drop_flow, 1, 4 },
	{ "half", drop, 2, 0 },
	{ "black-hole", drop, 1, 0 },
	{ "one-way", drop_one_way, 1, 0 },
	{ "duplicate", copy, 10, 1 },
	{ "triplicate", copy, 10, 2 },
	{ "copy-after", copy_later, 10, 3, .counter = COUNTS(copies) },
	{ "copy-late", keep, 1, 10, send_last, .most = LAST_MAX },
	{ "replay", keep, 1, 10, .on_trial = send_last, .most = LAST_MAX },
	{ "reorder", delay_by_frames, 10, 5, release_held },
	{ "delay", delay_by_time, 1, 1500 },
	{ "delay-one-way", delay_one_way, 1, 150 },
	{ "delay-growing", delay_growing, 1, 100 },
	FLIP("flip-mac", BASE_FRAME, 11, 1, intact),
	FLIP("flip-type", BASE_NETWORK, -2, 0x40, damaged),
	FLIP("flip-id", BASE_IP4, 5, 1, damaged),
	FLIP("flip-ttl", BASE_IP4, 8, 1, damaged),
	FLIP("flip-address", BASE_NETWORK, 15, 1, damaged),
	FLIP("flip-port", BASE_UDP, 1, 1, damaged),
	FLIP("flip-length", BASE_UDP, 5, 1, malformed),
	FLIP("flip-checksum", BASE_UDP, 7, 1, damaged),
	FLIP("flip-magic", BASE_UDP, TAGGED(magic), 1, foreign),
	FLIP("flip-trial", BASE_UDP, TAGGED(trial), 0x80, damaged),
	FLIP("flip-flow", BASE_UDP, TAGGED(flow) + 2, 1, damaged),
	FLIP("flip-sequence", BASE_UDP, TAGGED(sequence) + 3, 4, damaged),
	FLIP("flip-departure", BASE_UDP, TAGGED(departure_ns), 0x40, damaged),
	FLIP("flip-lateness", BASE_UDP, TAGGED(lateness), 0x10, damaged),
	FLIP("flip-payload", BASE_END, -1, 1, damaged),
	{ "overwrite", overwrite, 10, 0xff, .most = UINT8_MAX },
	{ "zero", overwrite, 10, 0, .most = UINT8_MAX },
	{ "cut", cut, 10, 8 },
	{ "cut-end", cut_end, 10, 8 },
	{ "pad", pad, 10, 20, .most = PAD_MAX },
	{ "fragment", fragment, 10, 0 },
	{ "tag", put_tags, 10, 3, .most = TAGS_MAX },
	{ "untag", take_tag, 10, 0 },
	{ "ttl", change_header, 10, 1, .offset = 8, .most = UINT8_MAX },
	{ "dscp", change_header, 10, 0x28, .offset = 1, .most = UINT8_MAX },
	{ "no-checksum", take_checksum, 10, 0 },
	{ "give-back", give_back, 10, 0 },
	{ "echo", echo, 10, 0 },
	{ "wrong-flow", forge, 10, 0x7f00, .offset = TAGGED(flow) + 1, .counter = COUNTS(misdirected) },
	{ "wrong-trial", forge, 10, 0x4000, .offset = TAGGED(trial), .counter = COUNTS(unknown_trial) },
	{ "wrong-sequence", forge, 10, 0x4000, .offset = TAGGED(sequence), .counter = COUNTS(malformed) },
	{ "storm", make_noise, 10, 5, .offset = 2 },
	{ "bad-magic", make_noise, 10, 1 },
};

#define ROWS (COUNT(rows))

/* --- the process ---------------------------------------------------------------------------------------------------- */

static void forward_due(struct hostile *hostile, struct end *end)
{
	const struct row *row = hostile->row;
	size_t counter = row->act == copy_later ? row->counter : COUNTS(intact);

	while (end->count) {
		const struct frame *oldest = end->held[end->first];
		bool is_passed = row->act == delay_by_frames && end->number - oldest->number >= hostile->amount;

		if (!is_passed && oldest->due_ns > clock_ns())
			return;
		forward_held(hostile, end, counter);
	}
}

static void take_test_frame(struct hostile *hostile, struct frame *frame)
{
	struct end *end = end_of(hostile, frame);
	uint16_t trial = get16(frame, frame->udp + TAG_FIELD(trial));

	if (trial != end->trial) {
		if (end->in_trial && hostile->row->on_trial)
			hostile->row->on_trial(hostile, end);
		end->trial = trial;
		end->in_trial = 0;
	}
	hostile->log->seen++;
	end->in_trial++;
	frame->number = ++end->number;
	end->last_ns = clock_ns();
	if (frame->number % hostile->period == 0)
		hostile->row->act(hostile, frame);
	else
		forward(hostile, frame, COUNTS(intact));
	forward_due(hostile, end);
}

/* The kernel took the outermost VLAN tag off: put it back. */
static void restore_tag(struct frame *frame, struct msghdr *message)
{
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
		struct tpacket_auxdata data;

		memcpy(&data, CMSG_DATA(part), sizeof(data));
		if (part->cmsg_level != SOL_PACKET || part->cmsg_type != PACKET_AUXDATA ||
		    !(data.tp_status & TP_STATUS_VLAN_VALID))
			continue;
		memmove(frame->data + 12 + TAG_OCTETS, frame->data + 12, frame->octets - 12);
		mlr_put16(frame->data + 12, data.tp_status & TP_STATUS_VLAN_TPID_VALID ? data.tp_vlan_tpid : ETH_P_8021Q);
		mlr_put16(frame->data + 14, data.tp_vlan_tci);
		frame->octets += TAG_OCTETS;
	}
}

/* Take what waits at a link. 0 or -errno of a link that is gone. */
static int read_frames(struct hostile *hostile, unsigned int from)
{
	static struct frame frame;

	for (;;) {
		char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
		struct iovec octets = { frame.data, MLR_FRAME_MAX_OCTETS };
		struct msghdr message = {
			.msg_iov = &octets, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
		};
		ssize_t length = recvmsg(hostile->ends[from].fd, &message, MSG_DONTWAIT);

		if (length < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		frame.octets = (unsigned int)length;
		frame.from = from;
		restore_tag(&frame, &message);
		find_headers(&frame);
		if (frame.udp)
			take_test_frame(hostile, &frame);
		else
			send(hostile->ends[!from].fd, frame.data, frame.octets, 0);
	}
}

/* What the kernel says it had no room for; it counts from zero each time. */
static void look_for_unheard(struct hostile *hostile, struct end *end)
{
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);

	if (!getsockopt(end->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size))
		hostile->log->unheard += stats.tp_drops;
}

static void answer_silence(struct hostile *hostile, struct end *end)
{
	uint64_t silence_ns = hostile->row->on_silence == send_last ? COPY_LATE_NS : SILENCE_NS;

	look_for_unheard(hostile, end);
	if (end->silent == end->number || clock_ns() - end->last_ns < silence_ns)
		return;
	end->silent = end->number;
	if (hostile->row->on_silence)
		hostile->row->on_silence(hostile, end);
}

/* Wait until a frame arrives or a held one is due. */
static int wait_for_frames(const struct hostile *hostile, struct pollfd files[PORT_COUNT])
{
	uint64_t now_ns = clock_ns(), wait_ns = LOOK_MS * (NS_PER_S / 1000);
	struct timespec timeout = { 0 };

	for (int i = 0; i < PORT_COUNT; i++) {
		const struct end *end = &hostile->ends[i];
		uint64_t due_ns = end->count ? end->held[end->first]->due_ns : UINT64_MAX;

		if (due_ns < now_ns + wait_ns)
			wait_ns = due_ns > now_ns ? due_ns - now_ns : 0;
		files[i] = (struct pollfd){ .fd = end->fd, .events = POLLIN };
	}
	timeout.tv_nsec = (long)wait_ns;
	return ppoll(files, PORT_COUNT, &timeout, NULL);
}

static void forward_until_gone(struct hostile *hostile)
{
	struct pollfd files[PORT_COUNT];

	for (;;) {
		wait_for_frames(hostile, files);
		for (unsigned int i = 0; i < PORT_COUNT; i++) {
			if (read_frames(hostile, i))
				return;
			forward_due(hostile, &hostile->ends[i]);
			answer_silence(hostile, &hostile->ends[i]);
		}
	}
}

/* --- what it is asked for ------------------------------------------------------------------------------------------- */

static int refuse_kind(const char *name)
{
	fprintf(stderr, "hostile: there is no '%s'; there are", name);
	for (size_t i = 0; i < ROWS; i++)
		fprintf(stderr, "%s %s", i ? "," : "", rows[i].name);
	fputc('\n', stderr);
	return 2;
}

/* "KEY=N" of a key that there is. */
static int read_value(struct hostile *hostile, const char *text)
{
	const struct {
		const char *key;
		uint64_t *value, least;
	} keys[] = { { "every=", &hostile->period, 1 }, { "by=", &hostile->amount, 1 }, { "seed=", &hostile->random, 0 } };
	char *end;

	for (size_t i = 0; i < COUNT(keys); i++) {
		size_t length = strlen(keys[i].key);

		if (strncmp(text, keys[i].key, length) != 0)
			continue;
		*keys[i].value = strtoull(text + length, &end, 10);
		if (!*end && end > text + length && *keys[i].value >= keys[i].least && *keys[i].value <= NUMBER_MAX)
			return 0;
	}
	fprintf(stderr, "hostile: %s: it is WHAT,every=N,by=N,seed=N, with whole numbers from 1 to %d\n", text, NUMBER_MAX);
	return 2;
}

/* 0, or the exit status of what was refused. */
static int read_kind(struct hostile *hostile, char *text)
{
	const char *name = strsep(&text, ",");
	const struct row *row = rows;
	int status = 0;

	while (row < rows + ROWS && strcmp(name, row->name) != 0)
		row++;
	if (row == rows + ROWS)
		return refuse_kind(name);
	hostile->row = row;
	hostile->period = row->period;
	hostile->amount = row->amount;
	hostile->random = 1;
	while (text && !status)
		status = read_value(hostile, strsep(&text, ","));
	if (!status && row->most && hostile->amount > row->most) {
		fprintf(stderr, "hostile: by=%llu is more than a %s can do; at most %u\n",
			(unsigned long long)hostile->amount, name, row->most);
		status = 2;
	}
	return status;
}

/* --- the log -------------------------------------------------------------------------------------------------------- */

static int map_log(const char *path, bool is_new, struct hostile_log **ret)
{
	int flags = is_new ? O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC : O_RDONLY | O_CLOEXEC;
	int fd = open(path, flags, 0644);
	void *log;

	if (fd < 0 || (is_new && ftruncate(fd, sizeof(**ret))))
		return -errno;
	log = mmap(NULL, sizeof(**ret), is_new ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (log == MAP_FAILED)
		return -errno;
	*ret = log;
	return 0;
}

static int print_log(const char *path)
{
	static const char *const names[] = { "seen",       "unheard",    "intact",      "dropped", "without_checksum",
					     "copies",     "reordered",  "damaged",     "resized", "malformed",
					     "fragmented", "overtagged", "misdirected", "late",    "unknown_trial",
					     "foreign",    "unsent" };
	struct hostile_log *log;
	int error = map_log(path, false, &log);

	_Static_assert(sizeof(*log) == COUNT(names) * sizeof(uint64_t), "a name each");
	if (error) {
		fprintf(stderr, "hostile: %s: %s\n", path, strerror(-error));
		return 3;
	}
	for (size_t i = 0; i < COUNT(names); i++)
		printf("%s\"%s\": %llu", i ? ", " : "{", names[i], (unsigned long long)((volatile uint64_t *)log)[i]);
	puts("}");
	return 0;
}

/* --- the SUT -------------------------------------------------------------------------------------------------------- */

static int open_link(const char *link)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(link) };
	struct packet_mreq promiscuous = { .mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1, octets = BUFFER_OCTETS;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof(octets)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) &&
	    !setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous)) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	one = -errno;
	close(fd);
	return one;
}

static const char help[] =
	"usage: hostile WHAT[,every=N,by=N,seed=N] LOG    forwards between sut-a and sut-b, until it is ended\n"
	"       hostile --log LOG                         prints the log as JSON\n"
	"\n"
	"What it does to every N-th frame (10 where no number stands in brackets), and what a tester counts:\n"
	"  drop [10], half [2], black-hole [1]     drops it                                           lost\n"
	"  drop-first, drop-last                   drops the first or last `by` (10) of a trial       lost\n"
	"  drop-burst, drop-random                 `by` (10) of 100 in a row; one in `by` (10)        lost\n"
	"  drop-flow                               drops one flow in `by` (4)                         lost\n"
	"  one-way                                 what comes from B, after the first `by` (0)        lost\n"
	"  duplicate, triplicate, copy-after       `by` (1, 2) copies; one `by` (3) ms later          duplicate\n"
	"  copy-late, replay                       the last `by` (10) again 1 s later; in the next    late\n"
	"  reorder                                 sends it after `by` (5) later ones                 reordered\n"
	"  delay, delay-one-way, delay-growing     by 1500 ms; B's by 150 ms; each by 100 us more     received\n"
	"  flip-type, -id, -ttl, -address, -port, -checksum, -trial, -flow, -sequence, -departure,\n"
	"  -lateness, -payload                     flips the bits `by` of one octet                   damaged\n"
	"  overwrite, zero                         all behind the magic becomes `by` (255), or 0      damaged\n"
	"  flip-length, cut-end                    flips UDP's length; cuts `by` (8) octets off       malformed\n"
	"  cut, pad                                the same, and pads by 20, with right headers       wrong_length\n"
	"  fragment                                sends it as two fragments, from 80 octets on       fragmented\n"
	"  tag                                     puts `by` (3) VLAN tags in                         overtagged above 2\n"
	"  give-back, echo                         sends it back; on and back                         misdirected\n"
	"  wrong-flow, wrong-trial, wrong-sequence misdirected, unknown_trial, malformed: another number\n"
	"  flip-magic                              flips a bit of the tag's magic                     foreign\n"
	"  storm, bad-magic                        `by` (5, 1) frames of another port, magic, beside  foreign\n"
	"  untag, ttl, dscp, flip-mac              changes the header, with its checksum              received\n"
	"  no-checksum                             UDP's checksum becomes 0      received, without_checksum; IPv6: damaged\n"
	"`reordered` is counted in each flow. What IPv6 has no such field of is forwarded as it came.\n";

int main(int argc, char **argv)
{
	static const char *const links[PORT_COUNT] = { "sut-a", "sut-b" };
	static struct hostile hostile;
	int error, status;

	if (argc == 3 && strcmp(argv[1], "--log") == 0)
		return print_log(argv[2]);
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(help, stdout) == EOF;
	if (argc != 3) {
		fprintf(stderr, "hostile: say WHAT[,every=N,by=N,seed=N] LOG, or --log LOG, or --help\n");
		return 2;
	}
	status = read_kind(&hostile, argv[1]);
	if (status)
		return status;
	error = map_log(argv[2], true, &hostile.log);
	for (int i = 0; i < PORT_COUNT && !error; i++)
		if ((hostile.ends[i].fd = open_link(links[i])) < 0)
			error = hostile.ends[i].fd;
	if (error) {
		fprintf(stderr, "hostile: cannot open the packet sockets and the log: %s\n", strerror(-error));
		return 3;
	}
	puts("ready");
	fflush(stdout);
	forward_until_gone(&hostile);
	return 0;
}
