/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many frames each second of a trial received, by looks at the counters while it runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measurer/measurer.h"

/* A second begins and ends as much later than it was sent as the first frame took to come. */
struct seconds {
	struct load_steps *steps; /* of the trial, whose watch this is */
	double load_fps;          /* of all ports */
	uint64_t *received;       /* of each second */
	size_t count, ended;
	bool begun;         /* a frame has come */
	uint64_t delay_ns;  /* that it took */
	uint64_t look_ns;   /* the last look at the counters, */
	double look_frames; /* and what had come then */
	double end_frames;  /* what had come at the end of the last second that ended */
};

/* Watch a trial of `steps`, in which so many frames/s are sent in all; 0 or -ENOMEM. */
int seconds_init(struct seconds *seconds, struct load_steps *steps, double load_fps, double duration_s);
/* The trial is over, and received so many: what comes after the last look belongs to the seconds that had not ended. */
void seconds_end(struct seconds *seconds, uint64_t received);
void seconds_free(struct seconds *seconds);
