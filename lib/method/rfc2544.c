/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/rfc2544.h"

#include <math.h>

#define NS_PER_S           1e9
#define LOSS_FREE_IN_A_ROW 2    /* 26.3 */
#define FINER_STEPS        2    /* tenths, hundredths */
#define OUTAGE_LOOKS       3    /* an outage of fewer could be a look that was late */
#define RATIO_TOLERANCE    1e-9 /* ten steps of 10 % are all of it */

/* --- back-to-back frames ---------------------------------------------------------------------------------------------- */

void mlr_burst_search_init(struct mlr_burst_search *ret, uint64_t first_frames, uint64_t most_frames)
{
	*ret = (struct mlr_burst_search){ .most_frames = most_frames, .next_frames = first_frames };
	if (ret->next_frames > most_frames)
		ret->next_frames = most_frames;
}

uint64_t mlr_burst_search_next(const struct mlr_burst_search *search)
{
	return search->next_frames;
}

void mlr_burst_search_add(struct mlr_burst_search *search, bool lost)
{
	if (lost)
		search->lossy_frames = search->next_frames;
	else
		search->kept_frames = search->next_frames;
	if (search->lossy_frames)
		search->next_frames = search->kept_frames + (search->lossy_frames - search->kept_frames) / 2;
	else
		search->next_frames =
			search->kept_frames < search->most_frames / 2 ? 2 * search->kept_frames : search->most_frames;
	if (search->next_frames == search->kept_frames)
		search->next_frames = 0;
}

static double mean(const uint64_t *values, size_t count)
{
	double sum = 0.0;

	for (size_t i = 0; i < count; i++)
		sum += (double)values[i];
	return sum / (double)count;
}

static double sample_stdev(const uint64_t *values, size_t count, double average)
{
	double squares = 0.0;

	for (size_t i = 0; i < count; i++)
		squares += ((double)values[i] - average) * ((double)values[i] - average);
	return count < 2 ? NAN : sqrt(squares / (double)(count - 1));
}

struct mlr_burst_summary mlr_burst_summarize(const uint64_t *values_frames, size_t count, double burst_rate_fps,
					     double throughput_fps)
{
	struct mlr_burst_summary summary = { .min_frames = count ? UINT64_MAX : 0 };

	for (size_t i = 0; i < count; i++) {
		if (values_frames[i] < summary.min_frames)
			summary.min_frames = values_frames[i];
		if (values_frames[i] > summary.max_frames)
			summary.max_frames = values_frames[i];
	}
	summary.average_frames = count ? mean(values_frames, count) : NAN;
	summary.stdev_frames = sample_stdev(values_frames, count, summary.average_frames);
	summary.implied_buffer_time_s = summary.average_frames / burst_rate_fps;
	summary.corrected_buffer_time_s = summary.implied_buffer_time_s * (1.0 - throughput_fps / burst_rate_fps);
	return summary;
}

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

/* A frame has arrived since the look before. */
static void note_arrival(struct mlr_watch *watch, uint64_t now_ns)
{
	uint64_t resolution_ns = now_ns - watch->last_ns, before_ns = watch->arrival_ns - watch->arrival_from_ns;

	if (watch->arrival_ns && now_ns - watch->arrival_ns > watch->outage_to_ns - watch->outage_from_ns) {
		watch->outage_from_ns = watch->arrival_ns;
		watch->outage_to_ns = now_ns;
		watch->outage_resolution_ns = resolution_ns > before_ns ? resolution_ns : before_ns;
	}
	watch->arrival_from_ns = watch->last_ns;
	watch->arrival_ns = now_ns;
}

void mlr_watch_add(struct mlr_watch *watch, uint64_t now_ns, uint64_t received, uint64_t missing)
{
	if (missing != watch->missing) {
		watch->loss_from_ns = watch->last_ns;
		watch->loss_ns = now_ns;
	}
	if (received != watch->received)
		note_arrival(watch, now_ns);
	watch->last_ns = now_ns;
	watch->received = received;
	watch->missing = missing;
}

struct mlr_recovery mlr_watch_recovery(const struct mlr_watch *watch, uint64_t change_ns, uint64_t lost, uint64_t reordered)
{
	uint64_t missing = watch->missing > reordered ? watch->missing - reordered : 0;
	bool after = watch->loss_from_ns >= change_ns; /* else the last loss may have been before the change as well */

	return (struct mlr_recovery){
		.lost_at_end = lost > missing,
		.recovery_s = watch->loss_ns && after ? (double)(watch->loss_ns - change_ns) / NS_PER_S : 0.0,
		.resolution_s = (double)(watch->loss_ns - watch->loss_from_ns) / NS_PER_S,
	};
}

double mlr_watch_outage_s(const struct mlr_watch *watch, uint64_t end_ns)
{
	uint64_t longest_ns = watch->outage_to_ns - watch->outage_from_ns;

	if (!watch->arrival_ns || (watch->arrival_ns < end_ns && end_ns - watch->arrival_ns > longest_ns))
		return NAN;
	return (double)longest_ns / NS_PER_S;
}

bool mlr_watch_outage_seen(const struct mlr_watch *watch)
{
	return watch->outage_to_ns - watch->outage_from_ns > OUTAGE_LOOKS * watch->outage_resolution_ns;
}
