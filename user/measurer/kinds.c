/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/kinds.h"

#include <stdlib.h>

/* The memory of the receivers about the last flow that was read. */
struct memory {
	uint32_t *seen;
	const struct mlr_flow *flow;
	uint32_t window;
	bool is_known;
};

static struct between_kind_of_frame *find_kind(struct between *between, const struct mlr_frame_template *template)
{
	const uint8_t *type = template->header + (size_t)2 * MLR_MAC_OCTETS;
	bool is_tagged = (type[0] == 0x81 && !type[1]) || (type[0] == 0x88 && type[1] == 0xa8);
	struct between_kind_of_frame wanted = {
		.size_octets = (unsigned int)template->memory_octets + MLR_FCS_OCTETS,
		.is_tagged = is_tagged,
		.vlan = is_tagged ? (uint16_t)((type[2] & 0xf) << 8 | type[3]) : 0,
		.priority = is_tagged ? type[2] >> 5 : 0,
	};

	for (unsigned int i = 0; i < between->kind_count; i++) {
		struct between_kind_of_frame *kind = &between->kinds[i];

		if (kind->size_octets == wanted.size_octets && kind->is_tagged == is_tagged && kind->vlan == wanted.vlan &&
		    kind->priority == wanted.priority)
			return kind;
	}
	if (between->kind_count == BETWEEN_KINDS)
		return NULL;
	between->kinds[between->kind_count] = wanted;
	return &between->kinds[between->kind_count++];
}

static void recall(const struct measurer_xdp *xdp, const struct mlr_flow *flow, struct memory *memory)
{
	const struct rx *rx = xdp_receiver_of(xdp, flow->id);
	bool came;

	if (memory->flow == flow)
		return;
	free(memory->seen);
	*memory = (struct memory){ .flow = flow, .window = rx ? rx_window(rx) : 0 };
	memory->seen = calloc(memory->window + 1, sizeof(*memory->seen));
	memory->is_known = rx && memory->seen && !rx_flow(rx, flow->id, memory->seen, &came);
}

static void count_queue(struct measurer_xdp *xdp, const struct mlr_queue_plan *plan, uint32_t first_sequence, uint64_t count,
			struct memory *memory)
{
	struct mlr_plan_cursor cursor = mlr_plan_start(plan, first_sequence);

	for (uint64_t left = mlr_plan_share(plan, count); left; left--, mlr_plan_take(plan, &cursor)) {
		const struct mlr_flow *flow = mlr_plan_flow(plan, &cursor);
		struct between_kind_of_frame *kind = find_kind(&xdp->between, mlr_plan_template(plan, &cursor));
		uint32_t sequence = mlr_plan_sequence(&cursor, flow);

		recall(xdp, flow, memory);
		if (!kind || !memory->is_known)
			continue;
		kind->sent++;
		kind->came += memory->seen[sequence & (memory->window - 1)] == sequence;
	}
}

void kinds_count(struct measurer_xdp *xdp, uint32_t first_sequence, uint64_t count)
{
	struct memory memory = { 0 };

	for (struct xdp_queue at = { 0 }; !xdp->config->no_seq && xdp_next_queue(xdp, &at);)
		count_queue(xdp, at.plan, first_sequence, count, &memory);
	free(memory.seen);
}
