/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A witness is a SUT that writes down each test frame which it takes and each one which it gives. It forwards between the
 * lab's links and does several things at once, each to frames of its own. It shares no code with the tester: what it knows
 * of the tester's tag is written here. `lab up --sut exec:` runs it: witness LOG RULE...
 *
 * A rule is DIRECTION,WHAT[,KEY=N...]. DIRECTION is ab, ba or any. WHAT is drop, copy, hold (until `by` later frames of its
 * flow are sent), late (by `by` ms), police (a server of `by` frames/s by due times, behind which `depth` frames wait, after
 * `free` frames/s that need no server), back (to where it came from), icmp (instead of it, an error about it goes back), or a
 * change. A frame with one of these changes is received: dscp, ecn, ttl, port, address, unsummed (no UDP checksum), of the
 * outer VLAN tag vlan (its VID), priority or dei, and of the inner one inner or inner-priority. A frame with one of these is
 * not: payload, due, trial, magic, damage (no new checksum), pad, fragment, length or tags (three more). Fragments and ICMP
 * errors are those of IPv4. A rule is about frames of flows whose number modulo 10 is `flow`, of these each `every`-th, and
 * only frames due from `from` to before `to`
 * ms after the first of their trial. Without a key it is about all.
 *
 * The log has lines of words, which are flushed once nothing comes. Whoever makes a file LOG.asked is told that all lines are
 * there when it is gone. DUE_NS is when a frame was due by its tag, and LATE_NS how
 * much later it departed; that may be up to ERROR_NS more, and MARKED is 1 for one that departed in the tester's burst. LEAST_NS
 * is its latency if it arrived when it was given to the kernel, and MOST_NS if it did when the kernel was done with it.
 *	in DIRECTION TRIAL FLOW NUMBER DUE_NS LATE_NS ERROR_NS MARKED
 *	out DIRECTION TRIAL FLOW NUMBER DUE_NS WHAT HELD_NS NOW_NS LEAST_NS MOST_NS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <limits.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FRAME_OCTETS  2048
#define BUFFER_OCTETS (64 << 20)
#define RULES_MAX     32
#define FLOWS         64
#define IDLE_MS       50
#define NETWORK       14
#define UDP           34
#define TAG           42
#define TAG_END       60
#define IPV6_MORE     20 /* octets of an IPv6 header beyond those of an IPv4 one: what follows is so much later */
#define NO_FLOW       0xffffff
#define VLAN_TAG      12
#define VLAN_OCTETS   4
#define VLANS         5  /* two of the tester's, and three more */
#define TIME_BITS     40 /* bits of a time in a tag */
#define GIVE_UP_NS    5000000000ull

struct frame {
	struct frame *next;
	uint64_t due_ns, in_ns, out_ns; /* times by this clock: when it was due, arrived, and departs */
	uint32_t trial, flow, number, late_ns;
	uint64_t until; /* for a held frame: it goes once so many frames of its flow were sent */
	const char *what;
	struct rule *late_by; /* rule that out_ns comes from; NULL: the frame goes at once */
	struct vlan {
		uint16_t type, id;
	} vlans[VLANS]; /* the tags that were in front, the outer one first */
	int vlan_count;
	int more;      /* IPV6_MORE, or 0 */
	size_t octets; /* without those */
	uint8_t data[FRAME_OCTETS];
};

struct queue {
	struct frame *first, **end;
};

struct rule {
	int from_link; /* -1: any */
	char what[16];
	long flow, every, from_ms, to_ms, by, depth, free;
	uint64_t seen[FLOWS], busy_until_ns, free_at_ns;
	struct queue late[2]; /* frames that the rule made late, by link, in the order of their arrival */
};

struct link {
	int fd;
	const char *name;
	uint32_t trial;
	uint64_t first_due_ns;
	uint64_t sent[FLOWS]; /* frames sent, by flow */
	struct queue held;
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

/* A tag has the lower bits of a time, and is back at 0 every 18 minutes. */
static unsigned long long in_tag(uint64_t time_ns)
{
	return time_ns & ((1ull << TIME_BITS) - 1);
}

/* Return the time nearest to another one that has these lower bits. */
static uint64_t of_tag(uint64_t bits, uint64_t near_ns)
{
	return near_ns + (uint64_t)((int64_t)((bits - near_ns) << (64 - TIME_BITS)) >> (64 - TIME_BITS));
}

/* --- headers -------------------------------------------------------------------------------------------------------- */

static void put(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

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
	put(data + checksum, (uint16_t)sum);
}

/* Change a VLAN tag, which no checksum covers. */
static bool rewrite_vlan(struct frame *frame, const char *what)
{
	static const struct {
		const char *what;
		int number;
		uint16_t bits;
	} changes[] = { { "vlan", 0, 0x0003 },
			{ "priority", 0, 0x4000 },
			{ "dei", 0, 0x1000 },
			{ "inner", 1, 0x0005 },
			{ "inner-priority", 1, 0x2000 } };

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		if (strcmp(what, changes[i].what) != 0)
			continue;
		frame->vlans[changes[i].number].id ^= changes[i].bits;
		frame->what = changes[i].what;
		return true;
	}
	return false;
}

struct change {
	const char *what;
	int at;
	uint8_t bits;
	bool in_network, in_udp; /* whose checksum covers it */
};

static const struct change changes[] = {
	{ "dscp", NETWORK + 1, 0x28, true, false },     { "ecn", NETWORK + 1, 0x01, true, false },
	{ "ttl", NETWORK + 8, 0x01, true, false },      { "address", NETWORK + 15, 0x10, true, true },
	{ "fragment", NETWORK + 6, 0x20, true, false }, { 0 }
};
static const struct change ipv6_changes[] = { { "dscp", NETWORK, 0x02, false, false },
					      { "ecn", NETWORK + 1, 0x10, false, false },
					      { "ttl", NETWORK + 7, 0x01, false, false },
					      { "address", NETWORK + 23, 0x10, false, true },
					      { 0 } };
static const struct change udp_changes[] = {
	{ "port", UDP + 1, 0x04, false, true },   { "payload", TAG_END + 6, 0x55, false, true },
	{ "due", TAG + 13, 0x01, false, true },   { "trial", TAG + 2, 0x40, false, true },
	{ "magic", TAG, 0x20, false, true },      { "damage", TAG_END + 7, 0x11, false, false },
	{ "length", UDP + 5, 0x08, false, true }, { 0 }
};

static const struct change *find_change(const struct change *list, const char *what)
{
	while (list->what && strcmp(what, list->what) != 0)
		list++;
	return list->what ? list : NULL;
}

static bool rewrite(struct frame *frame, const char *what)
{
	const struct change *found = find_change(frame->more ? ipv6_changes : changes, what);
	int at = found ? found->at : 0;
	uint8_t before;

	if (!found && (found = find_change(udp_changes, what)))
		at = found->at + frame->more;
	if (!found)
		return false;
	before = frame->data[at];
	if (found->in_network)
		change(frame->data, at, found->bits, NETWORK + 10);
	if (found->in_network && found->in_udp)
		frame->data[at] = before;
	if (found->in_udp)
		change(frame->data, at, found->bits, UDP + frame->more + 6);
	if (!found->in_network && !found->in_udp)
		frame->data[at] ^= found->bits;
	frame->what = found->what;
	return true;
}

/* Put the checksum of so many octets, an even number, into them. */
static void put_checksum(uint8_t *data, int octets, int at)
{
	uint32_t sum = 0;

	put(data + at, 0);
	for (int i = 0; i < octets; i += 2)
		sum += get(data + i, 2);
	put(data + at, (uint16_t)~folded(folded(sum)));
}

/* Make of a frame the ICMP error that its network is unreachable (RFC 792), which quotes its headers and its tag. */
static void complain(struct frame *frame)
{
	uint8_t *network = frame->data + NETWORK, *error = network + 20, sender[6];

	memmove(error + 8, network, TAG_END - NETWORK);
	memcpy(sender, frame->data + 6, sizeof(sender));
	memcpy(frame->data + 6, frame->data, sizeof(sender));
	memcpy(frame->data, sender, sizeof(sender));
	memcpy(network, (uint8_t[]){ 0x45, 0, 0, 28 + TAG_END - NETWORK, 0, 0, 0, 0, 64, 1, 0, 0, 192, 0, 2, 1 }, 16);
	memcpy(network + 16, error + 8 + 12, 4);
	put_checksum(network, 20, 10);
	memcpy(error, (uint8_t[8]){ 3, 0 }, 8);
	put_checksum(error, 8 + TAG_END - NETWORK, 2);
	frame->octets = NETWORK + 28 + TAG_END - NETWORK;
	frame->what = "icmp";
}

/* Change more than an octet. */
static bool rework(struct frame *frame, const char *what)
{
	if (!strcmp(what, "unsummed")) {
		memset(frame->data + UDP + frame->more + 6, 0, 2);
	} else if (!strcmp(what, "pad")) {
		frame->octets += 4;
	} else if (!strcmp(what, "tags")) {
		for (int i = 0; i < 3; i++)
			frame->vlans[frame->vlan_count++] = (struct vlan){ ETHERTYPE_VLAN, 7 };
	} else {
		return false;
	}
	return true;
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

static bool give(int to, const struct frame *frame)
{
	uint8_t tags[VLANS * VLAN_OCTETS];
	size_t tag_octets = (size_t)frame->vlan_count * VLAN_OCTETS;
	struct iovec parts[] = { { (uint8_t *)frame->data, VLAN_TAG },
				 { tags, tag_octets },
				 { (uint8_t *)frame->data + VLAN_TAG, frame->octets - VLAN_TAG } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };

	for (int i = 0; i < frame->vlan_count; i++) {
		put(tags + i * VLAN_OCTETS, frame->vlans[i].type);
		put(tags + i * VLAN_OCTETS + 2, frame->vlans[i].id);
	}
	return sendmsg(links[to].fd, &message, 0) == (ssize_t)(frame->octets + tag_octets);
}

/* Wait until the kernel is done with what was given; returns when it was. */
static uint64_t given_until_ns(int to)
{
	uint64_t begin_ns = clock_ns(), now_ns;
	int octets;

	for (;;) {
		bool is_done = ioctl(links[to].fd, SIOCOUTQ, &octets) || octets == 0;

		now_ns = clock_ns();
		if (is_done || now_ns - begin_ns > GIVE_UP_NS)
			return now_ns;
		sched_yield();
	}
}

/* Return by how much a time is behind the departure of a frame. */
static long long since_departure(const struct frame *frame, uint64_t now_ns)
{
	return (long long)(now_ns - frame->due_ns - frame->late_ns);
}

static void send_now(int from, struct frame *frame)
{
	int to = strcmp(frame->what, "back") == 0 || strcmp(frame->what, "icmp") == 0 ? from : !from;
	uint64_t now_ns = clock_ns(), done_ns;

	if (!give(to, frame))
		frame->what = "unsent";
	done_ns = given_until_ns(to);
	fprintf(out, "out %s %u %u %u %llu %s %llu %llu %lld %lld\n", links[from].name, frame->trial, frame->flow,
		frame->number, in_tag(frame->due_ns), frame->what, (unsigned long long)(now_ns - frame->in_ns),
		(unsigned long long)now_ns, since_departure(frame, now_ns), since_departure(frame, done_ns));
	free(frame);
}

static void let_go(int from, struct frame *frame)
{
	uint64_t *sent = &links[from].sent[frame->flow % FLOWS];

	++*sent;
	if (frame->late_by)
		append(&frame->late_by->late[from], frame);
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

/* Return the queue of which a late frame goes next; NULL: there is none. */
static struct queue *next_late(int from)
{
	struct queue *next = NULL;

	for (struct rule *rule = rules; rule < rules + rule_count; rule++)
		if (rule->late[from].first && (!next || rule->late[from].first->out_ns < next->first->out_ns))
			next = &rule->late[from];
	return next;
}

static void send_due(int from)
{
	struct queue *late;

	while ((late = next_late(from)) && late->first->out_ns <= clock_ns()) {
		struct frame *frame = late->first;

		late->first = frame->next;
		send_now(from, frame);
	}
}

/* Whether a server of constant rate has no room for a frame that comes when it is due. */
static bool is_policed(struct rule *rule, const struct frame *frame)
{
	uint64_t interval_ns = 1000000000 / (uint64_t)rule->by;

	if (rule->free && frame->due_ns >= rule->free_at_ns) {
		uint64_t apart_ns = 1000000000 / (uint64_t)rule->free;

		if (rule->free_at_ns + apart_ns < frame->due_ns)
			rule->free_at_ns = frame->due_ns - apart_ns;
		rule->free_at_ns += apart_ns;
		return false;
	}
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
		if (!applies(rule, from, frame))
			continue;
		if (rewrite(frame, rule->what) || rewrite_vlan(frame, rule->what))
			continue;
		if (rework(frame, rule->what) || !strcmp(rule->what, "back"))
			frame->what = rule->what;
		if (frame->more && !strcmp(frame->what, "unsummed"))
			frame->what = "damage"; /* no receiver takes UDP over IPv6 without a checksum (RFC 8200, 8.1) */
		if (!strcmp(rule->what, "icmp"))
			complain(frame);
		if (!strcmp(rule->what, "late")) {
			frame->late_by = rule;
			frame->out_ns = frame->in_ns + (uint64_t)rule->by * 1000000;
		}
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
	const uint8_t *tag = frame->data + TAG + frame->more;
	uint32_t exponent, mantissa;

	frame->trial = get(tag + 2, 2);
	frame->in_ns = clock_ns();
	frame->due_ns = of_tag((uint64_t)tag[4] << 32 | get(tag + 12, 4), frame->in_ns);
	frame->flow = get(tag + 5, 3);
	frame->number = get(tag + 8, 4);
	exponent = tag[16] >> 4;
	mantissa = get(tag + 16, 2) & 0xfff;
	frame->late_ns = mantissa << exponent;
	if (frame->trial != links[from].trial) {
		links[from].trial = frame->trial;
		links[from].first_due_ns = frame->due_ns;
		for (int i = 0; i < rule_count; i++)
			memset(rules[i].seen, 0, sizeof(rules[i].seen));
	}
	/* the mantissa of one that is not marked has its first bit, or no exponent */
	fprintf(out, "in %s %u %u %u %llu %u %u %d\n", links[from].name, frame->trial, frame->flow, frame->number,
		in_tag(frame->due_ns), frame->late_ns, (1u << exponent) - 1, exponent && mantissa < 0x800);
}

static bool is_test_frame(struct frame *frame)
{
	const uint8_t *tag;
	uint32_t type = get(frame->data + 12, 2);

	frame->more = type == ETHERTYPE_IPV6 ? IPV6_MORE : 0;
	tag = frame->data + TAG + frame->more;
	return frame->octets >= (size_t)(TAG_END + frame->more) && (type == ETHERTYPE_IP || type == ETHERTYPE_IPV6) &&
	       get(tag, 2) == 0x584d && get(tag + 5, 3) != NO_FLOW;
}

static void keep_tag(struct frame *frame, uint16_t type, uint16_t id)
{
	frame->vlans[frame->vlan_count++] = (struct vlan){ type, id };
}

/* Take the VLAN tags out of a frame that the kernel has left in it. */
static void take_tags(struct frame *frame)
{
	while (frame->vlan_count < 2 && frame->octets > VLAN_TAG + VLAN_OCTETS) {
		uint8_t *at = frame->data + VLAN_TAG;

		if (get(at, 2) != ETHERTYPE_VLAN && get(at, 2) != 0x88a8)
			return;
		keep_tag(frame, (uint16_t)get(at, 2), (uint16_t)get(at + 2, 2));
		frame->octets -= VLAN_OCTETS;
		memmove(at, at + VLAN_OCTETS, frame->octets - VLAN_TAG);
	}
}

/* Receive a frame. The kernel tells the outer VLAN tag beside it. */
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
	if (beside.tp_status & TP_STATUS_VLAN_VALID)
		keep_tag(frame, beside.tp_vlan_tpid, beside.tp_vlan_tci);
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
	take_tags(frame);
	frame->what = "plain";
	if (is_test_frame(frame)) {
		note(from, frame);
		take(from, frame);
		return true;
	}
	(void)give(!from, frame);
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
		     { "to=", &rule->to_ms },  { "by=", &rule->by },       { "depth=", &rule->depth },
		     { "free=", &rule->free } };
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

/* Wait until a frame arrives, or a late one is due. 0: neither happened for a while. */
static int wait_for_frames(void)
{
	struct pollfd files[2] = { { .fd = links[0].fd, .events = POLLIN }, { .fd = links[1].fd, .events = POLLIN } };
	uint64_t now_ns = clock_ns(), until_ns = now_ns + IDLE_MS * 1000000ull;
	struct timespec timeout = { 0 };
	struct queue *late[2];

	for (int i = 0; i < 2; i++) {
		late[i] = next_late(i);
		if (late[i] && late[i]->first->out_ns < until_ns)
			until_ns = late[i]->first->out_ns;
	}
	timeout.tv_nsec = until_ns > now_ns ? (long)(until_ns - now_ns) : 0;
	return ppoll(files, 2, &timeout, NULL) || late[0] || late[1];
}

int main(int argc, char **argv)
{
	char asked[PATH_MAX];

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
	snprintf(asked, sizeof(asked), "%s.asked", argv[1]);
	links[0].fd = open_link("sut-a");
	links[1].fd = open_link("sut-b");
	puts("ready");
	fflush(stdout);
	for (;;) {
		bool is_asked = access(asked, F_OK) == 0, is_idle = !wait_for_frames();

		for (int i = 0; i < 2; i++) {
			while (take_one(i))
				send_due(i);
			if (is_idle)
				release(i, true);
			send_due(i);
		}
		if (is_idle) {
			fflush(out);
			if (is_asked)
				unlink(asked);
		}
	}
}
