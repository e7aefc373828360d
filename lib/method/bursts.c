/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "mlr/rfc2544.h"

#define LEAST_CHECK_S  2.0  /* least silence of a check: RFC 2544's trial length. It shows a frame of room in 2 s. */
#define LONGEST_S      10.0 /* longest silence before a burst, */
#define CHECK_MOST_S   24.0 /* and before one that is sent again */
#define LEAST_LONGER_S 1e-3 /* least difference of two silences */
#define LONGER_RATIO   1.5  /* least ratio of two silences of a check: a SUT that gains room forwards so much more */
#define MARGIN_RATIO   1.25 /* A silence is so much longer than what the SUT needs by the rate at which room came back. */
#define SCATTER_RATIO  0.1  /* Parts of a burst that differ by less are the SUT's scatter. Room that comes back doubles. */
#define EARLY_RATIO    0.9  /* A silence that is shorter than this part of what is enough was too short. */
#define PROVEN_RATIO   1.25 /* How much longer or shorter than the one that was proven another burst may be. */

/* --- silences --------------------------------------------------------------------------------------------------------- */

void mlr_burst_rest_init(struct mlr_burst_rest *ret, double throughput_fps)
{
	*ret = (struct mlr_burst_rest){ .forwarded_fps = throughput_fps, .refill_fps = throughput_fps };
}

/* Return how long the SUT is usually left alone after the last burst. After one that lost frames it has no room at all. */
static double usual_silence_s(const struct mlr_burst_rest *rest)
{
	double taken = (double)rest->taken_frames, full_s = rest->full_s;

	if (!rest->is_drained)
		full_s = fmin(full_s, MARGIN_RATIO * taken / rest->refill_fps);
	return fmin(LONGEST_S, fmax(full_s, taken / rest->forwarded_fps));
}

double mlr_burst_search_silence_s(const struct mlr_burst_search *search)
{
	double usual_s = usual_silence_s(search->rest);

	if (!search->check.is_running || !search->check.performed || !search->rest->is_drained)
		return usual_s;
	return fmax(usual_s, fmax(LEAST_CHECK_S, fmin(2 * search->check.silence_s, CHECK_MOST_S)));
}

/* From now on leave the SUT alone for so long. Room came back at `refill_fps` at least, which says how long is enough after a
 * burst that left room. */
static void lengthen_silences(struct mlr_burst_rest *rest, double silence_s, double refill_fps)
{
	rest->refill_fps = rest->full_s > 0 ? fmax(rest->refill_fps, refill_fps) : refill_fps;
	rest->full_s = fmin(LONGEST_S, fmax(rest->full_s, silence_s));
}

/* Return how long a silence is enough for what was received in a check, after so long a one. It would be proportional, were
 * there nothing that passes without room. So it is at least twice as long as the last one, unless what is more may be scatter. */
static double enough_s(const struct mlr_burst_check *check, uint64_t received_frames, double silence_s)
{
	double ratio = (double)received_frames / (double)check->received, enough_s = MARGIN_RATIO * ratio * check->silence_s;

	if (!check->performed)
		return 2 * silence_s;
	if (!check->received || ratio > 2)
		return silence_s;
	if (ratio > 1 + 2 * SCATTER_RATIO)
		enough_s = fmax(2 * check->silence_s, sqrt(check->silence_s * silence_s));
	return fmin(silence_s, enough_s);
}

/* Return the rate at which room came back between the last two silences of a check. */
static double refill_fps(const struct mlr_burst_check *check, uint64_t received_frames, double silence_s)
{
	return ((double)received_frames - (double)check->received) / fmax(silence_s - check->silence_s, LEAST_LONGER_S);
}

/* --- the search ------------------------------------------------------------------------------------------------------- */

void mlr_burst_search_init(struct mlr_burst_search *ret, struct mlr_burst_rest *rest, uint64_t first_frames,
			   uint64_t most_frames)
{
	*ret = (struct mlr_burst_search){
		.rest = rest,
		.most_frames = most_frames,
		.next_frames = first_frames < most_frames ? first_frames : most_frames,
	};
}

uint64_t mlr_burst_search_next(const struct mlr_burst_search *search)
{
	return search->next_frames;
}

/* Choose the next burst while nothing was lost. */
static uint64_t twice_kept(const struct mlr_burst_search *search)
{
	if (search->kept_frames == search->most_frames)
		return 0;
	return search->kept_frames < search->most_frames / 2 ? 2 * search->kept_frames : search->most_frames;
}

/* Choose the next burst between the longest without loss and the shortest with loss. */
static uint64_t between(struct mlr_burst_search *search, uint64_t received_frames)
{
	uint64_t more = search->kept_frames + 1;
	bool was_guess = search->is_guess;

	search->is_guess = false;
	if (more >= search->lossy_frames)
		return 0;
	if (search->is_slow || (!search->rest->is_drained && !was_guess))
		return search->kept_frames + (search->lossy_frames - search->kept_frames) / 2;
	search->is_guess = true;
	return search->rest->is_drained && received_frames > more ? received_frames : more;
}

/* Take what a burst came to as it is. */
static void believe(struct mlr_burst_search *search, uint64_t received_frames)
{
	uint64_t before = search->lossy_frames ? search->lossy_frames - search->kept_frames : 0;
	uint64_t missing = search->next_frames - received_frames;
	bool is_nearer = search->rest->is_drained && missing <= search->missing_frames / 2;

	if (search->rest->is_drained)
		search->lossy_frames = search->next_frames;
	else
		search->kept_frames = search->next_frames;
	search->is_slow = before && !is_nearer && search->lossy_frames - search->kept_frames > before / 2;
	search->missing_frames = missing;
	search->next_frames = search->lossy_frames ? between(search, received_frames) : twice_kept(search);
}

/* --- checks ----------------------------------------------------------------------------------------------------------- */

/* Whether silences as long as the usual ones were found long enough, for bursts as long as these. */
static bool is_proven(const struct mlr_burst_search *search)
{
	const struct mlr_burst_rest *rest = search->rest;

	return rest->is_unsettled ||
	       (rest->is_proven && (double)search->kept_frames <= PROVEN_RATIO * (double)rest->proven_frames);
}

/* Whether the search ends far below the bursts that proved the silences. */
static bool has_shrunk(const struct mlr_burst_search *search)
{
	const struct mlr_burst_rest *rest = search->rest;

	return !rest->is_unsettled && PROVEN_RATIO * (double)search->kept_frames < (double)rest->proven_frames;
}

static void begin_check(struct mlr_burst_search *search, uint64_t frames, bool is_last)
{
	search->next_frames = frames;
	search->check = (struct mlr_burst_check){ .is_running = true, .is_last = is_last };
}

/* Check the end of a search in which frames were lost. */
static void check_end(struct mlr_burst_search *search)
{
	if (!search->next_frames && search->lossy_frames && (!is_proven(search) || has_shrunk(search)))
		begin_check(search, search->lossy_frames, true);
}

/* The burst loses frames after any silence that is tried: what it came to is believed. */
static void end_check(struct mlr_burst_search *search, uint64_t received_frames)
{
	search->check.is_running = false;
	if (search->check.is_last)
		search->next_frames = 0;
	else
		believe(search, received_frames);
}

static void note_evidence(struct mlr_burst_search *search, uint64_t received_frames, double silence_s)
{
	search->rest->evidence = (struct mlr_burst_evidence){
		.frames = search->next_frames,
		.received = { received_frames, search->check.received },
		.silence_s = { silence_s, search->check.silence_s },
	};
}

/* The burst was kept after a longer silence. What lost frames before may be kept, too. */
static void go_on(struct mlr_burst_search *search, double silence_s)
{
	struct mlr_burst_rest *rest = search->rest;
	uint64_t frames = search->next_frames;
	double wanted_s = enough_s(&search->check, frames, silence_s);

	note_evidence(search, frames, silence_s);
	rest->is_unsettled = rest->full_s >= LONGEST_S && wanted_s > LONGEST_S;
	lengthen_silences(rest, wanted_s, refill_fps(&search->check, frames, silence_s));
	rest->is_proven = false;
	search->check.is_running = false;
	search->lossy_frames = 0;
	believe(search, frames);
}

/* Whether so many frames are fewer than the SUT kept of a burst before, beyond scatter. */
static bool is_less_than_kept(const struct mlr_burst_search *search, uint64_t received_frames, double scatter_ratio)
{
	return (double)received_frames < (1 - scatter_ratio) * (double)search->kept_frames;
}

/* Whether the SUT forwarded as much as it ever does, when no more came after a longer silence. */
static bool is_plausible(const struct mlr_burst_search *search)
{
	return search->check.most_received &&
	       !is_less_than_kept(search, search->check.most_received, 2 * SCATTER_RATIO);
}

/* Whether more frames came after a longer silence, beyond scatter. */
static bool has_grown(uint64_t before_frames, uint64_t received_frames)
{
	return (double)received_frames > (1 + SCATTER_RATIO) * (double)before_frames &&
	       (!before_frames || received_frames > before_frames + 1);
}

/* Whether a few more frames came after a longer silence, and still fewer than the SUT kept before. Its room may come back
 * slowly, beside many frames that need none. */
static bool may_grow(const struct mlr_burst_search *search, uint64_t received_frames, double silence_s)
{
	return is_less_than_kept(search, received_frames, SCATTER_RATIO) &&
	       received_frames > search->check.received + 1 && silence_s < CHECK_MOST_S / 2;
}

/* Conclude from the last two silences of a check. Return whether they are enough. Where fewer frames came than before, something
 * else than a want of room lost them, and nothing is known of the silence. */
static bool conclude(struct mlr_burst_search *search, uint64_t received_frames, double silence_s)
{
	const struct mlr_burst_check *check = &search->check;
	struct mlr_burst_rest *rest = search->rest;

	if (check->performed && has_grown(check->received, received_frames)) {
		lengthen_silences(rest, enough_s(check, received_frames, silence_s),
				  refill_fps(check, received_frames, silence_s));
	} else if (check->performed && is_plausible(search) && !may_grow(search, received_frames, silence_s) &&
		   !has_grown(received_frames, check->most_received)) {
		rest->is_proven = check->performed == 1 || rest->full_s >= check->silence_s;
		rest->proven_frames = search->kept_frames;
		if (rest->is_proven)
			rest->full_s = fmin(LONGEST_S, fmax(rest->full_s, check->silence_s));
		return true;
	}
	rest->is_unsettled = LONGER_RATIO * silence_s > CHECK_MOST_S && (check->performed || rest->full_s > 0);
	return rest->is_unsettled;
}

/* Judge a burst that lost frames, sent to a SUT that had no room after the one before. */
static void judge(struct mlr_burst_search *search, uint64_t received_frames, double silence_s)
{
	struct mlr_burst_check *check = &search->check;
	bool is_over;

	note_evidence(search, received_frames, silence_s);
	if (received_frames > check->most_received)
		check->most_received = received_frames;
	is_over = conclude(search, received_frames, silence_s);
	check->received = received_frames;
	check->silence_s = silence_s;
	check->performed++;
	if (is_over)
		end_check(search, received_frames);
}

void mlr_burst_search_spoil(struct mlr_burst_search *search, uint64_t received_frames)
{
	search->rest->taken_frames = received_frames;
	search->rest->is_drained = received_frames < search->next_frames;
}

/* Whether a burst that lost frames may have found the SUT with less room than a burst before it. */
static bool is_doubtful(const struct mlr_burst_search *search, uint64_t received_frames)
{
	if (!search->rest->is_drained || search->rest->is_unsettled)
		return false;
	return is_less_than_kept(search, received_frames, is_proven(search) ? 2 * SCATTER_RATIO : SCATTER_RATIO);
}

/* Whether a burst lost frames after a silence that was shorter than what is enough, because the burst before it had left room.
 * Room may come back more slowly than `refill_fps` says. */
static bool came_early(const struct mlr_burst_rest *rest, bool was_drained, double silence_s)
{
	return rest->is_drained && !was_drained && silence_s < EARLY_RATIO * rest->full_s;
}

void mlr_burst_search_add(struct mlr_burst_search *search, uint64_t received_frames, double silence_s)
{
	struct mlr_burst_rest *rest = search->rest;
	bool was_drained = rest->is_drained, was_checked = search->check.is_running;
	uint64_t frames = search->next_frames, taken_frames = rest->taken_frames;

	rest->taken_frames = received_frames;
	rest->is_drained = received_frames < frames;
	if (!was_checked && came_early(rest, was_drained, silence_s)) {
		/* The SUT has no room now. So the same burst comes after a silence that is long enough. */
		rest->refill_fps = fmin(rest->refill_fps, MARGIN_RATIO * (double)taken_frames / rest->full_s);
		return;
	}
	if (was_checked && !rest->is_drained)
		go_on(search, silence_s);
	else if (is_doubtful(search, received_frames) && !was_checked)
		begin_check(search, frames, false);
	else if (!was_checked)
		believe(search, received_frames);
	check_end(search);
	if (search->check.is_running && search->next_frames == frames && was_drained)
		judge(search, received_frames, silence_s);
}

/* --- the summary of several searches ---------------------------------------------------------------------------------- */

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
