/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/lost.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "measurer/xdp_private.h"

#define ROOM_FACTOR 4 /* The list grows to this multiple of the frames wanted; then the latest are dropped. */

/* The search through the frames of one queue. */
struct search {
	const struct measurer_xdp *xdp;
	const struct xdp_queue *queue;
	size_t most, room;
	uint32_t *seen; /* sequence numbers seen of one flow */
	struct lost_frames *found;
};

static int by_index(const void *a, const void *b)
{
	const struct lost_frame *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

static void keep_first(struct lost_frames *lost, size_t most)
{
	qsort(lost->frames, lost->count, sizeof(*lost->frames), by_index);
	if (lost->count > most)
		lost->count = most;
}

/* Note that frame i of the queue is lost. */
static void add(struct search *search, uint64_t i, const struct mlr_flow *flow, uint32_t number)
{
	uint64_t index = search->queue->plan->first + i * search->queue->plan->step;
	double load_fps = search->xdp->account.input.load_fps;

	search->found->lost++;
	if (search->found->count == search->room)
		keep_first(search->found, search->most);
	search->found->frames[search->found->count++] = (struct lost_frame){
		.port = search->queue->port,
		.flow = flow->id,
		.sequence = number,
		.due_s = load_fps > 0 ? (double)index / load_fps : NAN,
		.index = index,
	};
}

const struct rx *xdp_receiver_of(const struct measurer_xdp *xdp, uint32_t flow)
{
	for (unsigned int i = 0; i < xdp->port_count; i++) {
		uint32_t first, count;

		mlr_profile_receives(&xdp->profile, xdp->ends[i].number, &first, &count);
		if (flow >= first && flow - first < count)
			return xdp->ends[i].rx;
	}
	return NULL;
}

int xdp_recall_flow(const struct measurer_xdp *xdp, const struct mlr_queue_plan *plan, uint32_t k, uint64_t sent,
		    struct flow_memory *memory)
{
	const struct rx *rx = xdp_receiver_of(xdp, plan->flows[k].id);

	memory->sent = sent > k ? (sent - k - 1) / plan->flow_count + 1 : 0;
	memory->first_sequence = xdp->trial_first_sequence;
	memory->window = rx ? rx_window(rx) : 1;
	memory->came = false;
	return rx ? rx_flow(rx, plan->flows[k].id, memory->seen, &memory->came) : -ENOENT;
}

enum frame_fate flow_memory_fate(const struct flow_memory *memory, uint64_t number)
{
	uint32_t first = memory->first_sequence, sequence = first + (uint32_t)number, last;

	if (!memory->came)
		return FRAME_LOST;
	last = memory->seen[sequence & (memory->window - 1)];
	if (last == sequence)
		return FRAME_CAME;
	return last - first < memory->sent && last - sequence < memory->sent ? FRAME_UNKNOWN : FRAME_LOST;
}

/* Search flow number k of the queue. */
static int search_flow(struct search *search, uint32_t k)
{
	const struct mlr_queue_plan *plan = search->queue->plan;
	struct flow_memory memory = { .seen = search->seen };
	int error = xdp_recall_flow(search->xdp, plan, k, search->queue->tx->report.sent, &memory);

	for (uint64_t i = 0; i < memory.sent && !error; i++) {
		enum frame_fate fate = flow_memory_fate(&memory, i);

		if (fate == FRAME_UNKNOWN)
			search->found->unknown++;
		else if (fate == FRAME_LOST)
			add(search, i * plan->flow_count + k, &plan->flows[k], (uint32_t)i);
	}
	return error;
}

uint32_t xdp_largest_window(const struct measurer_xdp *xdp)
{
	uint32_t window = 1;

	for (unsigned int i = 0; i < xdp->port_count; i++)
		if (rx_window(xdp->ends[i].rx) > window)
			window = rx_window(xdp->ends[i].rx);
	return window;
}

enum exit_code measurer_xdp_lost(struct measurer *measurer, size_t most, struct lost_frames *ret)
{
	struct measurer_xdp *xdp = (struct measurer_xdp *)measurer;
	struct lost_frames lost = { .frames = calloc(most * ROOM_FACTOR, sizeof(*lost.frames)) };
	struct search search = { .xdp = xdp,
				 .most = most,
				 .room = most * ROOM_FACTOR,
				 .seen = calloc(xdp_largest_window(xdp), sizeof(uint32_t)),
				 .found = &lost };
	int error = lost.frames && search.seen ? 0 : -ENOMEM;

	for (struct xdp_queue at = { 0 }; !error && xdp_next_queue(xdp, &at);) {
		search.queue = &at;
		for (uint32_t k = 0; k < at.plan->flow_count && !error; k++)
			error = search_flow(&search, k);
	}
	free(search.seen);
	if (error) {
		lost_frames_free(&lost);
		return refuse(EXIT_INCAPABLE, "cannot read which frames came: %s", strerror(-error));
	}
	keep_first(&lost, most);
	*ret = lost;
	return EXIT_DONE;
}

void lost_frames_free(struct lost_frames *lost)
{
	free(lost->frames);
	lost->frames = NULL;
}

static void put_csv(FILE *stream, const struct lost_frames *lost, const struct config *config)
{
	fputs("port,flow,sequence,due [s]\n", stream);
	for (size_t i = 0; i < lost->count; i++) {
		const struct lost_frame *frame = &lost->frames[i];

		plain_put_cell(stream, config->ports[frame->port].label);
		fprintf(stream, ",%u,%u,%s\n", frame->flow, frame->sequence,
			isnan(frame->due_s) ? "" : format_number(frame->due_s, UNIT_ROOM));
	}
}

char *lost_frames_csv(const struct lost_frames *lost, const struct config *config, size_t *ret_length)
{
	return TEXT_WRITTEN(stream, ret_length, put_csv(stream, lost, config));
}
