/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/rfc2544.h"

#include <math.h>

#define NS_PER_S           1e9
#define LOSS_FREE_IN_A_ROW 2    /* 26.3 */
#define FINER_STEPS        2    /* refinements of a step: tenths, hundredths */
#define OUTAGE_PARTS       3    /* least parts of an outage: fewer could be some lost frames */
#define OUTAGE_LOSS        0.5  /* least part lost of the frames due in a time as long as an outage */
#define RECOVERED_PARTS    50   /* A SUT has recovered if it loses nothing in the last of so many parts. */
#define RATIO_TOLERANCE    1e-9 /* rounding: ten steps of 10 % reach the maximum rate */

/* --- frame loss rate ---------------------------------------------------------------------------------------------- */

/* Below the lowest of the steps: the next multiple of a finer one, at most what the SUT forwarded. */
static double finer_ratio(const struct mlr_loss_steps *steps)
{
	double step = steps->step_ratio;

	for (int i = 0; i < FINER_STEPS; i++) {
		double most, count;

		step /= 10;
		most = fmin(steps->ratio - step, steps->forwarded_ratio);
		count = floor(most / step + RATIO_TOLERANCE);
		if (count >= 1)
			return count * step;
	}
	return 0;
}

double mlr_loss_steps_next(const struct mlr_loss_steps *steps)
{
	double ratio = 1.0 - steps->step_ratio * steps->taken;

	if (mlr_loss_steps_complete(steps))
		return 0;
	return ratio < RATIO_TOLERANCE ? finer_ratio(steps) : ratio;
}

void mlr_loss_steps_add(struct mlr_loss_steps *steps, double loss_ratio)
{
	steps->ratio = mlr_loss_steps_next(steps);
	steps->forwarded_ratio = steps->ratio * (1 - loss_ratio);
	steps->taken++;
	steps->loss_free_in_a_row = loss_ratio > 0 ? 0 : steps->loss_free_in_a_row + 1;
}

bool mlr_loss_steps_complete(const struct mlr_loss_steps *steps)
{
	return steps->loss_free_in_a_row >= LOSS_FREE_IN_A_ROW;
}

/* --- recovery and reset ------------------------------------------------------------------------------------------- */

uint64_t mlr_due_lost(const struct mlr_due_counts *counts, size_t from, size_t to)
{
	uint64_t sent = 0, received = 0;

	for (size_t i = from; i < to && i < counts->count; i++) {
		sent += counts->sent[i];
		received += counts->received[i];
	}
	return sent > received ? sent - received : 0;
}

/* Return the part behind the last one from which on frames were lost. A frame on the border of two parts may count as sent in one
 * of them and as received in the other, so single parts are not compared. */
static size_t end_of_losses(const struct mlr_due_counts *counts)
{
	int64_t lost = 0;
	size_t end = counts->count;

	for (; end > 0; end--) {
		lost += (int64_t)counts->sent[end - 1] - (int64_t)counts->received[end - 1];
		if (lost > 0)
			break;
	}
	return end;
}

struct mlr_recovery mlr_recovery_of(const struct mlr_due_counts *counts)
{
	size_t first = 0, last = counts->count, end = end_of_losses(counts);

	while (first < last && !counts->sent[first])
		first++;
	while (last > first && !counts->sent[last - 1])
		last--;
	if (end <= first)
		return (struct mlr_recovery){ .recovery_s = 0 };
	return (struct mlr_recovery){
		.lost_at_end = last - end < (last - first + RECOVERED_PARTS - 1) / RECOVERED_PARTS,
		.recovery_s = (double)(end - first) * counts->part_s,
		.resolution_s = counts->part_s,
		.lost = mlr_due_lost(counts, 0, counts->count),
	};
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

/* Return the part of a moment. What is before the start is in the first. */
static size_t part_at(const struct mlr_due_counts *counts, uint64_t start_ns, uint64_t moment_ns)
{
	return moment_ns > start_ns ? (size_t)((double)(moment_ns - start_ns) / NS_PER_S / counts->part_s) : 0;
}

/* Return how many frames are sent in a time, by the mean load. */
static double frames_in(const struct mlr_due_counts *counts, uint64_t time_ns)
{
	double sent = 0;

	for (size_t i = 0; i < counts->count; i++)
		sent += (double)counts->sent[i];
	return sent / ((double)counts->count * counts->part_s) * (double)time_ns / NS_PER_S;
}

/* Take the parts from `from` to before `to`, of which none arrived, and half of each part beside them. */
static struct mlr_reset outage_of(const struct mlr_due_counts *counts, uint64_t start_ns, uint64_t since_ns, size_t from,
				  size_t to)
{
	double part_ns = counts->part_s * NS_PER_S, from_ns = fmax(((double)from - 0.5) * part_ns, 0);
	uint64_t lost = mlr_due_lost(counts, from ? from - 1 : 0, to + 1), length_ns;
	struct mlr_reset reset = {
		.over = to < counts->count,
		.from_ns = later(start_ns + (uint64_t)from_ns, since_ns),
		.to_ns = later(start_ns + (uint64_t)(((double)to + 0.5) * part_ns), since_ns),
		.resolution_ns = (uint64_t)part_ns,
	};

	length_ns = reset.to_ns - reset.from_ns;
	reset.seen = length_ns > OUTAGE_PARTS * reset.resolution_ns && lost &&
		     (double)lost >= OUTAGE_LOSS * frames_in(counts, length_ns);
	return reset;
}

static uint64_t length_ns(const struct mlr_reset *outage)
{
	return outage->to_ns - outage->from_ns;
}

/* Return the moment so long after the end of a cause. */
static uint64_t after_cause_ns(const struct mlr_reset_cause *cause, double time_s)
{
	uint64_t time_ns = (uint64_t)(time_s * NS_PER_S);

	return cause->to_ns > UINT64_MAX - time_ns ? UINT64_MAX : cause->to_ns + time_ns;
}

/* What was found of a reset so far. */
struct found {
	struct mlr_reset soon, first,
		unrelated; /* the longest soon after the cause, the first after that, the longest other one */
	unsigned int outages;
};

static void add_outage(struct found *found, const struct mlr_reset_cause *cause, const struct mlr_reset *outage)
{
	bool is_soon = outage->from_ns <= after_cause_ns(cause, MLR_RESET_SOON_S);

	found->outages++;
	if (is_soon && (!found->soon.seen || length_ns(outage) > length_ns(&found->soon)))
		found->soon = *outage;
	else if (!is_soon && !found->soon.seen && !found->first.seen &&
		 outage->from_ns <= after_cause_ns(cause, MLR_RESET_LATEST_S))
		found->first = *outage;
	else if (!is_soon && length_ns(outage) > length_ns(&found->unrelated))
		found->unrelated = *outage;
}

struct mlr_reset mlr_reset_of(const struct mlr_due_counts *counts, uint64_t start_ns, const struct mlr_reset_cause *cause)
{
	size_t since = part_at(counts, start_ns, cause->from_ns), from = since;
	struct found found = { .outages = 0 };
	struct mlr_reset reset;

	for (size_t i = from; i <= counts->count; i++) {
		struct mlr_reset outage;

		if (i < counts->count && !counts->received[i])
			continue;
		outage = outage_of(counts, start_ns, cause->from_ns, from, i);
		if (outage.seen)
			add_outage(&found, cause, &outage);
		from = i + 1;
	}
	reset = found.soon.seen ? found.soon : found.first;
	reset.resolution_ns = (uint64_t)(counts->part_s * NS_PER_S);
	reset.lost = mlr_due_lost(counts, since, counts->count);
	reset.outages = found.outages;
	reset.unrelated_from_ns = found.unrelated.from_ns;
	reset.unrelated_to_ns = found.unrelated.to_ns;
	return reset;
}

/* Return how many frames more were sent than received in a part; fewer than 0 where some of a neighbour came. */
static int64_t missing_in(const struct mlr_due_counts *counts, size_t part)
{
	return part < counts->count ? (int64_t)(counts->sent[part] - counts->received[part]) : 0;
}

/* Add the frames that were lost of a part. */
static void block(struct mlr_blocked *blocked, const struct mlr_due_counts *counts, size_t part, uint64_t lost, double load_fps)
{
	blocked->lost += lost;
	blocked->blocked_s += (double)lost / load_fps;
	blocked->to_s = (double)(part + 1) * counts->part_s;
	blocked->from_s = fmin(blocked->from_s, blocked->to_s - fmax(counts->part_s, blocked->blocked_s));
	blocked->lasts = true;
}

struct mlr_blocked mlr_blocked_of(const struct mlr_due_counts *counts, double load_fps, double since_s)
{
	struct mlr_blocked blocked = { .from_s = NAN, .to_s = NAN };
	int64_t carried = 0; /* frames on the border of two parts, which may be sent in one and received in the other */

	for (size_t i = since_s > 0 ? (size_t)(since_s / counts->part_s) : 0; i < counts->count; i++) {
		int64_t missing = missing_in(counts, i) + carried, next = missing_in(counts, i + 1);

		carried = missing < 0 ? missing : 0;
		if (missing > 0 && next < 0)
			carried = missing < -next ? missing : -next;
		if (missing > 0 && missing > carried)
			block(&blocked, counts, i, (uint64_t)(missing - carried), load_fps);
		else if (counts->sent[i])
			blocked.lasts = false;
	}
	return blocked;
}
