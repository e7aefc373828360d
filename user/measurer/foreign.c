/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text_stream.h"
#include "measurer/xdp_private.h"

#define BLOCK_ROOM 1024 /* octets of a block beside its frame */

/* The blocks and options of pcapng (draft-ietf-opsawg-pcapng). */
enum { BLOCK_SECTION = 0x0a0d0d0a, BLOCK_INTERFACE = 1, BLOCK_PACKET = 6 };
enum { OPTION_COMMENT = 1, OPTION_NAME = 2, OPTION_RESOLUTION = 9, OPTION_FLAGS = 2 };
#define INBOUND 1u

static const char *const reasons[RX_WRONG_COUNT] = {
	[RX_FOREIGN] = "foreign: not the tester's",
	[RX_WRONG_CHECKSUM] = "damaged: a checksum, IPv4's or UDP's, is wrong",
	[RX_WRONG_HEADER] = "damaged: its headers do not lead to the tester's tag that is in it",
	[RX_WRONG_LENGTHS] = "malformed: the tester's, but its lengths contradict each other",
	[RX_WRONG_NUMBER] = "malformed: the tester's, but of a number that the trial has not",
	[RX_NOT_SENT_SO_LONG] = "wrong length: the tester's, but the trial sends none so long, or octets are behind it",
	[RX_WRONG_PORT] = "misdirected: of a flow of the tester that does not go to this port",
	[RX_FRAGMENT] = "fragmented: a fragment of a frame of the tester",
	[RX_UNKNOWN_TRIAL] = "unknown trial: a tester's, but with a trial number that this run has not used",
	[RX_ICMP_ERROR] = "ICMP error: about a frame of the tester",
	[RX_WRONG_SIGNATURE] = "wrong signature: checksums are right or absent, but the tag is not as this run sent it",
	[RX_WRONG_PAYLOAD] = "changed payload: the tag is as it was sent, but the payload behind it is not",
	[RX_MORE_TAGS] = "overtagged: the tester's, but behind VLAN tags that it does not send",
};

struct foreign_frame {
	unsigned int port;
	const struct rx_captured *captured;
};

/* A block while it grows. Each part is filled up to four octets. */
struct block {
	uint8_t octets[RX_CAPTURED_OCTETS + BLOCK_ROOM];
	uint32_t used;
};

static void put(struct block *block, const void *octets, size_t count)
{
	memcpy(block->octets + block->used, octets, count);
	block->used += (uint32_t)(count + 3) / 4 * 4;
}

static void put_option(struct block *block, uint16_t code, const void *octets, size_t count)
{
	put(block, (const uint16_t[]){ code, (uint16_t)count }, 4);
	put(block, octets, count);
}

static void end_block(struct block *block, uint32_t type, FILE *stream)
{
	const uint32_t octets = block->used + 12;

	fwrite((const uint32_t[]){ type, octets }, 8, 1, stream);
	fwrite(block->octets, block->used, 1, stream);
	fwrite(&octets, 4, 1, stream);
	memset(block, 0, sizeof(*block));
}

static void put_head(const struct measurer_xdp *xdp, struct block *block, FILE *stream)
{
	put(block, (const uint32_t[]){ 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX }, 16); /* version 1.0, of any length */
	end_block(block, BLOCK_SECTION, stream);
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		const char *name = xdp->ports[i].link.name;

		put(block, (const uint32_t[]){ 1, RX_CAPTURED_OCTETS }, 8); /* Ethernet */
		put_option(block, OPTION_NAME, name, strlen(name));
		put_option(block, OPTION_RESOLUTION, &(const uint8_t){ 9 }, 1); /* ns */
		put_option(block, 0, NULL, 0);
		end_block(block, BLOCK_INTERFACE, stream);
	}
}

static void put_frame(const struct foreign_frame *frame, uint64_t epoch_ns, struct block *block, FILE *stream)
{
	const struct rx_captured *captured = frame->captured;
	uint64_t time_ns = captured->arrival_ns + epoch_ns;
	uint32_t kept = captured->octets < RX_CAPTURED_OCTETS ? captured->octets : RX_CAPTURED_OCTETS;
	const char *reason = captured->why < RX_WRONG_COUNT ? reasons[captured->why] : "";

	put(block, (const uint32_t[]){ frame->port, (uint32_t)(time_ns >> 32), (uint32_t)time_ns, kept, captured->octets },
	    20);
	put(block, captured->frame, kept);
	put_option(block, OPTION_FLAGS, &(const uint32_t){ INBOUND }, 4);
	put_option(block, OPTION_COMMENT, reason, strlen(reason));
	put_option(block, 0, NULL, 0);
	end_block(block, BLOCK_PACKET, stream);
}

static int by_arrival(const void *a, const void *b)
{
	const struct foreign_frame *x = a, *y = b;

	return x->captured->arrival_ns < y->captured->arrival_ns ? -1 : x->captured->arrival_ns > y->captured->arrival_ns;
}

/* Return what to add to CLOCK_MONOTONIC for the time of day. */
static uint64_t epoch_of_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec - clock_ns();
}

static void put_pcapng(FILE *stream, const struct measurer_xdp *xdp, const struct foreign_frame *frames, size_t count)
{
	uint64_t epoch_ns = epoch_of_monotonic_ns();
	struct block block = { .used = 0 };

	put_head(xdp, &block, stream);
	for (size_t i = 0; i < count; i++)
		put_frame(&frames[i], epoch_ns, &block, stream);
}

char *measurer_xdp_foreign(struct measurer *measurer, size_t *ret_length, size_t *ret_count)
{
	const struct measurer_xdp *xdp = (const struct measurer_xdp *)measurer;
	owned struct foreign_frame *frames = calloc((size_t)xdp->port_count * xdp->config->capture_count, sizeof(*frames));
	struct rx_captured *captured[MLR_PORTS_MAX] = { NULL };
	bool complete = frames != NULL;
	size_t count = 0, here;
	char *text = NULL;

	for (unsigned int port = 0; port < xdp->port_count && complete; port++) {
		captured[port] = rx_captured(xdp->ends[port].rx, &here);
		complete = captured[port] != NULL;
		for (size_t i = 0; complete && i < here; i++)
			if (captured[port][i].octets)
				frames[count++] = (struct foreign_frame){ port, &captured[port][i] };
	}
	if (complete) {
		qsort(frames, count, sizeof(*frames), by_arrival);
		*ret_count = count < xdp->config->capture_count ? count : xdp->config->capture_count;
		text = TEXT_WRITTEN(stream, ret_length, put_pcapng(stream, xdp, frames, *ret_count));
	}
	for (unsigned int port = 0; port < xdp->port_count; port++)
		free(captured[port]);
	return text;
}
