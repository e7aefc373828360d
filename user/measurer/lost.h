/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header lists the frames of the last trial that did not arrive. The caller owns the list, and frees it. It reads what
 * the receivers remember of each flow: the last so many sequence numbers (bpf/rx.bpf.c). If a later number has displaced an
 * earlier one, nobody knows whether the earlier one arrived. Only `xdp` has this.
 */
#pragma once

#include "measurer/measurer.h"

struct lost_frame {
	uint32_t port, flow, sequence; /* the port that sent it, by number; its flow's id on the wire; its number, from 0 */
	double due_s;                  /* time since the start of the trial; NAN: the trial had no schedule */
	uint64_t index;                /* its index among the frames of its port, from 0 */
};

struct lost_frames {
	struct lost_frame *frames; /* ordered by their due times; owned */
	size_t count;
	uint64_t lost;    /* frames known to be lost */
	uint64_t unknown; /* frames whose record a later frame displaced */
};

/* Find the first `most` lost frames. EXIT_DONE, and *ret is to be freed; else the reason was said. */
enum exit_code measurer_xdp_lost(struct measurer *measurer, size_t most, struct lost_frames *ret);
void lost_frames_free(struct lost_frames *lost);

/* Return them as CSV, a row for each frame; NULL without memory. */
char *lost_frames_csv(const struct lost_frames *lost, const struct config *config, size_t *ret_length);
