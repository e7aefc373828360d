/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A witness is a SUT that writes down each test frame which it takes and each one which it gives. It forwards between the
 * lab's links and does several things at once, each to frames of its own. It shares no code with the tester: what it knows
 * of the tester's tag is written here. `lab up --sut exec:` runs it: witness LOG RULE...
 *
 * A rule is DIRECTION,WHAT[,KEY=N...]. DIRECTION is ab, ba or any. WHAT is drop, copy, hold (until `by` later frames of its
 * flow are sent), late (by `by` ms), police (a server of `by` frames/s by due times, behind which `depth` frames wait), dscp,
 * ecn, ttl, port, address, payload, or of a VLAN tag: vlan (its VID), priority or dei. It is done to frames of flows whose number modulo 10 is `flow`, of these to each
 * `every`-th, and only to frames due from `from` to before `to` ms after the first of their trial. Without a key it is done
 * to all.
 *
 * The log has lines of words, which are flushed once nothing comes:
 *	in DIRECTION TRIAL FLOW NUMBER DUE_NS
 *	out DIRECTION TRIAL FLOW NUMBER DUE_NS WHAT HELD_NS NOW_NS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#define FRAME_OCTETS  2048
#define BUFFER_OCTETS (64 << 20)
#define RULES_MAX     32
#define FLOWS         64
#define IDLE_MS       50
#define NETWORK       14
#define UDP           34
#define TAG           42
#define TAG_END       60
#define NO_FLOW       0xffffff
#define VLAN_TAG      12
#define VLAN_OCTETS   4

struct frame {
	struct frame *next;
	uint64_t due_ns, in_ns, out_ns; /* due by its tag; when it came, and when it is to go */
	uint32_t trial, flow, number;
	uint64_t until; /* a held one: so many frames of its flow were sent */
	const char *what;
	uint16_t vlan_type, vlan; /* the VLAN tag, which the kernel takes out of the frame; type 0: none */
	size_t octets;
	uint8_t data[FRAME_OCTETS];
};

struct queue {
	struct frame *first, **end;
};

struct rule {
	int from_link; /* -1: any */
	char what[16];
	long flow, every, from_ms, to_ms, by, depth;
	uint64_t seen[FLOWS], busy_until_ns;
};

struct link {
	int fd;
	const char *name;
	uint32_t trial;
	uint64_t first_due_ns;
	uint64_t sent[FLOWS]; /* by flow */
	struct queue held, late;
};

static struct rule rules[RULES_MAX];
static int rule_count;
static struct link links[2] = { { .name = "ab" }, { .name = "ba" } };
static FILE *out;

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint32_t get(const uint8_t *at, int octets)
{
	uint32_t value = 0;

	while (octets--)
		value = value << 8 | *at++;
	return value;
}

/* --- headers -------------------------------------------------------------------------------------------------------- */

static uint16_t folded(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)(sum + (sum >> 16));
}

/* Change one octet, and mend a checksum that covers it. */
static void change(uint8_t *data, int at, uint8_t bits, int checksum)
{
	uint32_t sum = (uint16_t)~get(data + checksum, 2) + (uint16_t)~get(data + (at & ~1), 2);

	data[at] ^= bits;
	sum = (uint16_t)~folded(sum + get(data + (at & ~1), 2));
	data[checksum] = (uint8_t)(sum >> 8);
	data[checksum + 1] = (uint8_t)sum;
}

/* Change the VLAN tag, which no checksum covers. */
static bool rewrite_vlan(struct frame *frame, const char *what)
{
	static const struct {
		const char *what;
		uint16_t bits;
	} changes[] = { { "vlan", 0x0003 }, { "priority", 0x4000 }, { "dei", 0x1000 } };

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		if (strcmp(what, changes[i].what) != 0)
			continue;
		frame->vlan ^= changes[i].bits;
		frame->what = changes[i].what;
		return true;
	}
	return false;
}

static bool rewrite(struct frame *frame, const char *what)
{
	static const struct {
		const char *what;
		int at;
		uint8_t bits;
		bool in_network, in_udp;
	} changes[] = { { "dscp", NETWORK + 1, 0x28, true, false }, { "ecn", NETWORK + 1, 0x01, true, false },
			{ "ttl", NETWORK + 8, 0x01, true, false },  { "address", NETWORK + 15, 0x10, true, true },
			{ "port", UDP + 1, 0x04, false, true },     { "payload", TAG_END + 6, 0x55, false, true } };

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		uint8_t before = frame->data[changes[i].at];

		if (strcmp(what, changes[i].what) != 0)
			continue;
		if (changes[i].in_network)
			change(frame->data, changes[i].at, changes[i].bits, NETWORK + 10);
		if (changes[i].in_network && changes[i].in_udp)
			frame->data[changes[i].at] = before;
		if (changes[i].in_udp)
			change(frame->data, changes[i].at, changes[i].bits, UDP + 6);
		frame->what = changes[i].what;
		return true;
	}
	return false;
}

/* --- forwarding ----------------------------------------------------------------------------------------------------- */

static void append(struct queue *queue, struct frame *frame)
{
	frame->next = NULL;
	if (!queue->first)
		queue->end = &queue->first;
	*queue->end = frame;
	queue->end = &frame->next;
}

/* Behind those that go earlier or at the same time. */
static void insert_late(struct queue *queue, struct frame *frame)
{
	struct frame **at = &queue->first;

	while (*at && (*at)->out_ns <= frame->out_ns)
		at = &(*at)->next;
	frame->next = *at;
	*at = frame;
}

static bool give(int from, const struct frame *frame)
{
	uint8_t vlan[VLAN_OCTETS] = { (uint8_t)(frame->vlan_type >> 8), (uint8_t)frame->vlan_type,
				      (uint8_t)(frame->vlan >> 8), (uint8_t)frame->vlan };
	size_t vlan_octets = frame->vlan_type ? VLAN_OCTETS : 0;
	struct iovec parts[] = { { (uint8_t *)frame->data, VLAN_TAG },
				 { vlan, vlan_octets },
				 { (uint8_t *)frame->data + VLAN_TAG, frame->octets - VLAN_TAG } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };

	return sendmsg(links[!from].fd, &message, 0) == (ssize_t)(frame->octets + vlan_octets);
}

static void send_now(int from, struct frame *frame)
{
	uint64_t now_ns = clock_ns();

	if (!give(from, frame))
		frame->what = "unsent";
	fprintf(out, "out %s %u %u %u %llu %s %llu %llu\n", links[from].name, frame->trial, frame->flow, frame->number,
		(unsigned long long)frame->due_ns, frame->what, (unsigned long long)(now_ns - frame->in_ns),
		(unsigned long long)now_ns);
	free(frame);
}

static void let_go(int from, struct frame *frame)
{
	uint64_t *sent = &links[from].sent[frame->flow % FLOWS];

	++*sent;
	if (frame->out_ns)
		insert_late(&links[from].late, frame);
	else
		send_now(from, frame);
}

/* Give what is held long enough; all of it where nothing comes any more. */
static void release(int from, bool all)
{
	for (struct frame **at = &links[from].held.first; *at;) {
		struct frame *frame = *at;

		if (all || links[from].sent[frame->flow % FLOWS] >= frame->until) {
			*at = frame->next;
			let_go(from, frame);
		} else {
			at = &frame->next;
		}
	}
	links[from].held.end = &links[from].held.first;
	while (*links[from].held.end)
		links[from].held.end = &(*links[from].held.end)->next;
}

static void send_due(int from)
{
	struct queue *late = &links[from].late;

	while (late->first && late->first->out_ns <= clock_ns()) {
		struct frame *frame = late->first;

		late->first = frame->next;
		send_now(from, frame);
	}
}

/* Whether a server of constant rate has no room for a frame that comes when it is due. */
static bool is_policed(struct rule *rule, const struct frame *frame)
{
	uint64_t interval_ns = 1000000000 / (uint64_t)rule->by;

	if (rule->busy_until_ns < frame->due_ns)
		rule->busy_until_ns = frame->due_ns;
	if (rule->busy_until_ns - frame->due_ns > (uint64_t)rule->depth * interval_ns)
		return true;
	rule->busy_until_ns += interval_ns;
	return false;
}

static bool applies(struct rule *rule, int from, const struct frame *frame)
{
	uint64_t after_ms = (frame->due_ns - links[from].first_due_ns) / 1000000;

	if (rule->from_link >= 0 && rule->from_link != from)
		return false;
	if (rule->flow >= 0 && frame->flow % 10 != (uint32_t)rule->flow)
		return false;
	if (after_ms < (uint64_t)rule->from_ms || (rule->to_ms && after_ms >= (uint64_t)rule->to_ms))
		return false;
	return ++rule->seen[frame->flow % FLOWS] % (uint64_t)rule->every == 0;
}

static void copy(int from, const struct frame *frame)
{
	struct frame *other = malloc(sizeof(*other));

	if (!other)
		exit(3);
	*other = *frame;
	other->what = "copy";
	let_go(from, other);
}

static void take(int from, struct frame *frame)
{
	bool is_copied = false, is_held = false, is_dropped = false;

	for (struct rule *rule = rules; rule < rules + rule_count; rule++) {
		if (!applies(rule, from, frame) || rewrite(frame, rule->what) || rewrite_vlan(frame, rule->what))
			continue;
		if (!strcmp(rule->what, "late"))
			frame->out_ns = frame->in_ns + (uint64_t)rule->by * 1000000;
		if (!strcmp(rule->what, "hold"))
			frame->until = links[from].sent[frame->flow % FLOWS] + (uint64_t)rule->by;
		is_held |= !strcmp(rule->what, "hold");
		is_copied |= !strcmp(rule->what, "copy");
		is_dropped |= !strcmp(rule->what, "drop") || (!strcmp(rule->what, "police") && is_policed(rule, frame));
	}
	if (is_dropped) {
		free(frame);
		return;
	}
	if (is_held) {
		append(&links[from].held, frame);
		return;
	}
	if (is_copied)
		copy(from, frame);
	let_go(from, frame);
	release(from, false);
}

static void note(int from, struct frame *frame)
{
	const uint8_t *tag = frame->data + TAG;

	frame->trial = get(tag + 2, 2);
	frame->due_ns = (uint64_t)tag[4] << 32 | get(tag + 12, 4);
	frame->flow = get(tag + 5, 3);
	frame->number = get(tag + 8, 4);
	frame->in_ns = clock_ns();
	if (frame->trial != links[from].trial) {
		links[from].trial = frame->trial;
		links[from].first_due_ns = frame->due_ns;
		for (int i = 0; i < rule_count; i++)
			memset(rules[i].seen, 0, sizeof(rules[i].seen));
	}
	fprintf(out, "in %s %u %u %u %llu\n", links[from].name, frame->trial, frame->flow, frame->number,
		(unsigned long long)frame->due_ns);
}

static bool is_test_frame(const struct frame *frame)
{
	return frame->octets >= TAG_END && get(frame->data + 12, 2) == ETHERTYPE_IP && get(frame->data + TAG, 2) == 0x584d &&
	       get(frame->data + TAG + 5, 3) != NO_FLOW;
}

/* Receive a frame without its outer VLAN tag, which the kernel tells beside it. */
static ssize_t receive(int fd, struct frame *frame)
{
	char control[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec part = { frame->data, FRAME_OCTETS };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	ssize_t octets = recvmsg(fd, &message, MSG_DONTWAIT);
	struct cmsghdr *header = octets > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	struct tpacket_auxdata beside;

	if (!header || header->cmsg_level != SOL_PACKET || header->cmsg_type != PACKET_AUXDATA)
		return octets;
	memcpy(&beside, CMSG_DATA(header), sizeof(beside));
	if (beside.tp_status & TP_STATUS_VLAN_VALID) {
		frame->vlan_type = beside.tp_vlan_tpid;
		frame->vlan = beside.tp_vlan_tci;
	}
	return octets;
}

/* Take a frame that waits at a link. False: none does. */
static bool take_one(int from)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	ssize_t octets = frame ? receive(links[from].fd, frame) : -1;

	if (octets <= 0) {
		free(frame);
		return false;
	}
	frame->octets = (size_t)octets;
	frame->what = "plain";
	if (is_test_frame(frame)) {
		note(from, frame);
		take(from, frame);
		return true;
	}
	(void)give(from, frame);
	free(frame);
	return true;
}

/* --- what it is asked for ------------------------------------------------------------------------------------------- */

static bool read_rule(char *text, struct rule *rule)
{
	const struct {
		const char *key;
		long *value;
	} keys[] = { { "flow=", &rule->flow }, { "every=", &rule->every }, { "from=", &rule->from_ms },
		     { "to=", &rule->to_ms },  { "by=", &rule->by },       { "depth=", &rule->depth } };
	const char *direction = strsep(&text, ","), *what = strsep(&text, ",");

	*rule = (struct rule){ .from_link = !strcmp(direction, "ab")   ? 0
					    : !strcmp(direction, "ba") ? 1
								       : -1,
			       .flow = -1,
			       .every = 1 };
	if (!what || strlen(what) >= sizeof(rule->what))
		return false;
	strcpy(rule->what, what);
	while (text) {
		const char *word = strsep(&text, ",");
		size_t i = 0;

		while (i < sizeof(keys) / sizeof(*keys) && strncmp(word, keys[i].key, strlen(keys[i].key)) != 0)
			i++;
		if (i == sizeof(keys) / sizeof(*keys))
			return false;
		*keys[i].value = strtol(word + strlen(keys[i].key), NULL, 10);
	}
	return rule->every > 0;
}

static int open_link(const char *name)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(name) };
	struct packet_mreq promiscuous = { .mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), octets = BUFFER_OCTETS, one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof(octets)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof(promiscuous)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror(name);
		exit(3);
	}
	return fd;
}

/* Until a frame comes, or a late one is due. 0: neither did for a while. */
static int wait_for_frames(void)
{
	struct pollfd files[2] = { { .fd = links[0].fd, .events = POLLIN }, { .fd = links[1].fd, .events = POLLIN } };
	uint64_t now_ns = clock_ns(), until_ns = now_ns + IDLE_MS * 1000000ull;
	struct timespec timeout = { 0 };

	for (int i = 0; i < 2; i++)
		if (links[i].late.first && links[i].late.first->out_ns < until_ns)
			until_ns = links[i].late.first->out_ns;
	timeout.tv_nsec = until_ns > now_ns ? (long)(until_ns - now_ns) : 0;
	return ppoll(files, 2, &timeout, NULL) || links[0].late.first || links[1].late.first;
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc && i - 2 < RULES_MAX; i++)
		if (!read_rule(argv[i], &rules[rule_count++])) {
			fprintf(stderr, "witness LOG DIRECTION,WHAT[,KEY=N...] ...\n");
			return 2;
		}
	out = argc > 1 ? fopen(argv[1], "we") : NULL;
	if (!out) {
		perror("witness: its log");
		return 2;
	}
	setvbuf(out, NULL, _IOFBF, 1 << 20);
	links[0].fd = open_link("sut-a");
	links[1].fd = open_link("sut-b");
	puts("ready");
	fflush(stdout);
	for (;;) {
		bool is_idle = !wait_for_frames();

		for (int i = 0; i < 2; i++) {
			while (take_one(i))
				send_due(i);
			if (is_idle)
				release(i, true);
			send_due(i);
		}
		if (is_idle)
			fflush(out);
	}
}
