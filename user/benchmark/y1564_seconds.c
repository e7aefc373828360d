/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/y1564_seconds.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

static uint64_t end_of(const struct seconds *seconds, size_t index)
{
	return seconds->steps->ret_start_ns + seconds->delay_ns + (index + 1) * NS_PER_S;
}

static void end_second(struct seconds *seconds, double frames)
{
	seconds->received[seconds->ended++] = (uint64_t)llround(fmax(frames - seconds->end_frames, 0));
	seconds->end_frames = fmax(frames, seconds->end_frames);
}

/* Looks may be late, then frames came evenly between two of them. */
static void look(void *context, uint64_t now_ns, uint64_t received, uint64_t missing)
{
	struct seconds *seconds = context;
	uint64_t start_ns = seconds->steps->ret_start_ns;
	double frames = (double)received;

	(void)missing;
	if (!seconds->begun && received && now_ns > start_ns) {
		double delay_ns = (double)(now_ns - start_ns) - frames / seconds->load_fps * NS_PER_S;

		seconds->begun = true;
		/* after a second without a frame that second counts */
		seconds->delay_ns = delay_ns > 0 && delay_ns < NS_PER_S ? (uint64_t)delay_ns : 0;
	}
	while (seconds->begun && seconds->ended < seconds->count && end_of(seconds, seconds->ended) <= now_ns) {
		uint64_t end_ns = end_of(seconds, seconds->ended);
		double part = end_ns <= seconds->look_ns
				      ? 0
				      : (double)(end_ns - seconds->look_ns) / (double)(now_ns - seconds->look_ns);

		end_second(seconds, seconds->look_frames + part * (frames - seconds->look_frames));
	}
	seconds->look_ns = now_ns;
	seconds->look_frames = frames;
}

static void forget(void *context)
{
	struct seconds *seconds = context;

	seconds->begun = false;
	seconds->ended = 0;
	seconds->delay_ns = seconds->look_ns = 0;
	seconds->look_frames = seconds->end_frames = 0;
}

int seconds_init(struct seconds *seconds, struct load_steps *steps, double load_fps, double duration_s)
{
	*seconds = (struct seconds){ .steps = steps, .load_fps = load_fps, .count = (size_t)duration_s };
	seconds->received = calloc(seconds->count + 1, sizeof(*seconds->received));
	if (!seconds->received)
		return -ENOMEM;
	steps->watch = look;
	steps->again = forget;
	steps->context = seconds;
	return 0;
}

void seconds_end(struct seconds *seconds, uint64_t received)
{
	size_t left = seconds->count - seconds->ended;

	for (size_t i = 1; i <= left; i++)
		end_second(seconds, i == left ? (double)received
					      : seconds->end_frames +
							((double)received - seconds->end_frames) / (double)(left - i + 1));
}

void seconds_free(struct seconds *seconds)
{
	free(seconds->received);
}
