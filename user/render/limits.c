/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/limits.h"

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/text_stream.h"
#include "render/values.h"

#define SHARE_LEAST      0.01 /* least part of the missing frames for which advice about the tester is given */
#define FORWARDS_NOTHING 0.99 /* a loss ratio from which the SUT forwards next to nothing */

const char *const loss_places[LOSS_PLACES] = {
	[LOSS_UNSENT] = "unsent",
	[LOSS_BEFORE_WIRE] = "dropped_before_wire",
	[LOSS_TESTER_BURST] = "tester_burst",
	[LOSS_DAMAGED] = "receiver_damaged",
	[LOSS_RECEIVER] = "receiver_missed",
	[LOSS_SUT] = "sut",
};

/* Why the tester may have limited a trial, as documents have it. */
enum reason {
	REASON_UNSENT,
	REASON_BEFORE_WIRE,
	REASON_RECEIVER,
	REASON_LOAD,
	REASON_BURST,
	REASON_DAMAGED,
	REASON_COUNTER,
	REASON_ADDRESS,
	REASONS
};

static const struct limit {
	const char *reason;
	enum loss_place place; /* place where this reason made frames missing; LOSS_PLACES: none is missing by it */
	const char *advice;    /* NULL: it depends on the trials */
} limits[REASONS] = {
	[REASON_UNSENT] = { "frames stayed unsent", LOSS_UNSENT,
			    "give the transmitter CPUs of its own and more of them (--queues), or another one (--tx)" },
	[REASON_BEFORE_WIRE] = { "the transmitting interface dropped frames", LOSS_BEFORE_WIRE,
				 "make its transmit ring longer (ethtool -G)" },
	[REASON_RECEIVER] = { "the receiving interface missed frames", LOSS_RECEIVER,
			      "make its receive rings longer (ethtool -G), and use more of them (--prepare channels=N)" },
	[REASON_LOAD] = { "the load was off by more than a tenth of the Goal Width", LOSS_PLACES, NULL },
	[REASON_BURST] = { "frames were lost in a burst of the tester's own", LOSS_TESTER_BURST, NULL },
	[REASON_ADDRESS] = { "nobody answered for the gateway, and nothing came of what was sent to the other port's MAC "
			     "address instead",
			     LOSS_PLACES,
			     "let the SUT answer ARP or neighbour discovery (see --gateway and --address), or say with "
			     "--dst-mac where frames are to go; 'xdp-mlr connect' shows what lies between" },
	[REASON_DAMAGED] = { "frames arrived damaged at the receiving interface", LOSS_DAMAGED,
			     "clean or replace the cable, fibre and transceivers between the SUT and the receiving port; "
			     "'ethtool -S' "
			     "has its error counters, 'ethtool -m' its transceiver" },
	[REASON_COUNTER] = { "the SUT's loss equals a counter of our own port", LOSS_PLACES, NULL },
};

/* --- what the trials say -------------------------------------------------------------------------------------------- */

/* The stops of the transmitter. */
struct stalls {
	double count, over_s; /* number of stops, and duration of the trials with them */
	double longest_ns;
	double excess_frames; /* largest excess; NAN: not known */
};

/* The trials that a result rests on. */
struct seen {
	size_t trials, limited;
	bool has_goal;                 /* They are of a search. */
	size_t counts[REASONS];        /* limited trials, by reason */
	bool stalled[REASONS];         /* A trial was limited for this reason by stalls. */
	double frames[LOSS_PLACES];    /* frames missing in the limited trials */
	double missing;                /* sum of these missing frames */
	double received, expected;     /* frames received and expected in the limited trials */
	size_t offered_less;           /* limited trials that offered less than their load */
	bool shows_less;               /* Such trials decided a Relevant Lower Bound. */
	bool decided;                  /* One of them would have kept the loss ratio without the tester's part. */
	const char *counter, *port;    /* loss counter of one of them, and its port; the trial owns both */
	double offered_fps, off_ratio; /* values of the trial whose load was off by most; NAN: none */
	struct stalls stalls;
};

static enum reason reason_of(const json_t *trial)
{
	const char *text = read_text(trial, "tester_limited_reason");
	enum reason reason = 0;

	while (reason < REASONS && strcmp(limits[reason].reason, text) != 0)
		reason++;
	return reason;
}

/* What the tester did to the SUT is stalls, where it stopped. */
static bool is_by_stalls(enum reason reason, const json_t *pacing)
{
	return reason == REASON_BURST ||
	       ((reason == REASON_LOAD || reason == REASON_UNSENT) && read_number(pacing, "stop_count") > 0);
}

/* Add the missing frames of a trial. Who lost frames to an address without an answer is not known. */
static void add_frames(struct seen *seen, const json_t *trial, double loss_ratio, bool misaddressed)
{
	const json_t *attribution = json_object_get(trial, "loss_attribution"), *counts = json_object_get(trial, "counts");
	double sut_ratio = fmax(read_number(attribution, "sut"), 0) / read_number(counts, "sent");

	for (size_t i = 0; i < (misaddressed ? LOSS_SUT : LOSS_PLACES); i++) {
		double frames = fmax(read_number(attribution, loss_places[i]), 0); /* 0 for NAN, too */

		seen->frames[i] += frames;
		seen->missing += frames;
	}
	seen->received += fmax(read_number(counts, "received"), 0);
	seen->expected += fmax(read_number(counts, "intended"), 0);
	seen->decided |= misaddressed || sut_ratio <= loss_ratio;
}

static void add_load(struct seen *seen, const json_t *pacing)
{
	double offered_fps = read_number(pacing, "achieved_fps"),
	       off_ratio = offered_fps / read_number(pacing, "intended_fps") - 1;

	if (isnan(off_ratio) || fabs(off_ratio) <= fabs(seen->off_ratio))
		return;
	seen->offered_fps = offered_fps;
	seen->off_ratio = off_ratio;
}

static void add_limited(struct seen *seen, const json_t *trial, double loss_ratio)
{
	const json_t *pacing = json_object_get(trial, "pacing"), *counter = json_object_get(trial, "loss_counter");
	enum reason reason = reason_of(trial);

	seen->limited++;
	seen->offered_less += read_truth(trial, "offered_less");
	add_frames(seen, trial, loss_ratio, reason == REASON_ADDRESS);
	if (reason == REASONS)
		return;
	seen->counts[reason]++;
	seen->stalled[reason] |= is_by_stalls(reason, pacing);
	if (reason == REASON_LOAD)
		add_load(seen, pacing);
	if (reason == REASON_COUNTER) {
		seen->counter = read_text(counter, "counter");
		seen->port = read_text(counter, "port");
	}
}

/* Add the stops of this machine, from all trials. The excess of departures counts where a result may depend on it. */
static void add_stops(struct stalls *stalls, const json_t *trial)
{
	const json_t *pacing = json_object_get(trial, "pacing");
	double count = read_number(pacing, "stop_count");

	if (isnan(count))
		return;
	stalls->count += count;
	stalls->over_s += fmax(read_number(trial, "trial_duration"), 0);
	stalls->longest_ns = fmax(stalls->longest_ns, read_number(pacing, "stop_max_ns"));
	if (!read_truth(trial, "warmup"))
		stalls->excess_frames = fmax(stalls->excess_frames, read_number(pacing, "excess_frames_max"));
}

static struct seen count_losses(const json_t *trials, double load_fps, double loss_ratio)
{
	struct seen seen = { .has_goal = !isnan(loss_ratio), .stalls.excess_frames = NAN };

	json_each (trial, trials) {
		add_stops(&seen.stalls, trial);
		if (read_truth(trial, "warmup") || (!isnan(load_fps) && read_number(trial, "trial_load") != load_fps))
			continue;
		seen.trials++;
		if (read_truth(trial, "tester_limited"))
			add_limited(&seen, trial, loss_ratio);
	}
	return seen;
}

/* --- advice --------------------------------------------------------------------------------------------------------- */

static bool is_mostly_sut(const struct seen *seen)
{
	for (size_t i = 0; i < LOSS_SUT; i++)
		if (seen->frames[i] >= seen->frames[LOSS_SUT])
			return false;
	return true;
}

/* Whether something would be other without it. */
static bool is_worth_saying(const struct seen *seen, enum reason reason)
{
	enum loss_place place = limits[reason].place;

	return seen->counts[reason] && (place == LOSS_PLACES || seen->decided || !is_mostly_sut(seen) ||
					seen->frames[place] >= SHARE_LEAST * seen->missing);
}

/* Frames that are missing for this reason. */
static double frames_by(const struct seen *seen, enum reason reason)
{
	return limits[reason].place == LOSS_PLACES ? 0 : seen->frames[limits[reason].place];
}

static bool comes_before(const struct seen *seen, enum reason a, enum reason b)
{
	if (frames_by(seen, a) != frames_by(seen, b))
		return frames_by(seen, a) > frames_by(seen, b);
	return seen->counts[a] > seen->counts[b];
}

/* The reasons that are worth advice, those that made most frames missing first; how many. */
static size_t sort_reasons(const struct seen *seen, enum reason reasons[REASONS])
{
	size_t count = 0;

	for (enum reason reason = 0; reason < REASONS; reason++) {
		size_t at = count;

		if (!is_worth_saying(seen, reason))
			continue;
		for (; at > 0 && comes_before(seen, reason, reasons[at - 1]); at--)
			reasons[at] = reasons[at - 1];
		reasons[at] = reason;
		count++;
	}
	return count;
}

/* Whether stalls are why something is worth saying. */
static bool is_by_any_stalls(const struct seen *seen)
{
	for (enum reason reason = 0; reason < REASONS; reason++)
		if (seen->stalled[reason] && is_worth_saying(seen, reason))
			return true;
	return false;
}

/* Whether a sentence of its own says how this machine stalls. */
static bool is_told(const struct seen *seen)
{
	return is_by_any_stalls(seen) && seen->stalls.count > 0 && seen->stalls.longest_ns > 0;
}

static const char *cause(const struct seen *seen)
{
	return is_told(seen) ? "" : "this machine stalls: ";
}

static void add_load_advice(const struct seen *seen, char buffer[LIMIT_TEXT_SIZE])
{
	if (!isnan(seen->off_ratio) && seen->off_ratio != 0)
		text_add(buffer, LIMIT_TEXT_SIZE, "the load that was truly offered is %s%s, %s %s the Trial Load; ",
			 seen->counts[REASON_LOAD] > 1 ? "at worst " : "", text_fps(seen->offered_fps, VALUE_ROOM),
			 text_percent(fabs(seen->off_ratio), VALUE_ROOM), seen->off_ratio < 0 ? "below" : "above");
	if (is_by_any_stalls(seen))
		text_add(buffer, LIMIT_TEXT_SIZE, "%sisolate CPUs for the transmitter ('xdp-mlr probe' says how), or ",
			 cause(seen));
	text_add(buffer, LIMIT_TEXT_SIZE, "make trials longer%s", seen->has_goal ? ", or the Goal Width greater" : "");
}

static void add_burst_advice(const struct seen *seen, char buffer[LIMIT_TEXT_SIZE])
{
	text_add(
		buffer, LIMIT_TEXT_SIZE,
		"%sisolate CPUs for the transmitter ('xdp-mlr probe' says how), give a smaller --burst, or the SUT a buffer",
		cause(seen));
	if (seen->stalls.excess_frames > 0)
		text_add(buffer, LIMIT_TEXT_SIZE, " of %s frames",
			 text_number(ceil(seen->stalls.excess_frames), 0, VALUE_ROOM));
	else
		text_add(buffer, LIMIT_TEXT_SIZE, " as large as the burst");
}

static void add_counter_advice(const struct seen *seen, char buffer[LIMIT_TEXT_SIZE])
{
	text_add(buffer, LIMIT_TEXT_SIZE,
		 "%s of port %s moved by as much as the SUT seems to have lost: look at that port, its cable and its driver "
		 "('ethtool -S %s') before you blame the SUT",
		 seen->counter, seen->port, seen->port);
}

static void add_sut_advice(const struct seen *seen, char buffer[LIMIT_TEXT_SIZE])
{
	bool forwards = seen->received > (1 - FORWARDS_NOTHING) * seen->expected;

	text_add(buffer, LIMIT_TEXT_SIZE, "the SUT lost %s of the %s missing frames: %s",
		 text_number(seen->frames[LOSS_SUT], 0, VALUE_ROOM), text_number(seen->missing, 0, VALUE_ROOM),
		 forwards ? "look at what it drops"
			  : "look at its addresses, routes, VLANs and firewall, for it forwards next to nothing");
}

/* What would help, in order; `with_sut`: also where the SUT lost most. */
static void add_advice(const struct seen *seen, bool with_sut, char buffer[LIMIT_TEXT_SIZE])
{
	enum reason reasons[REASONS];
	size_t count = sort_reasons(seen, reasons);
	const char *between = "";

	if (with_sut && is_mostly_sut(seen)) {
		add_sut_advice(seen, buffer);
		between = "; ";
	}
	for (size_t i = 0; i < count; i++, between = "; ") {
		text_add(buffer, LIMIT_TEXT_SIZE, "%s", between);
		if (reasons[i] == REASON_LOAD)
			add_load_advice(seen, buffer);
		else if (reasons[i] == REASON_BURST)
			add_burst_advice(seen, buffer);
		else if (reasons[i] == REASON_COUNTER)
			add_counter_advice(seen, buffer);
		else
			text_add(buffer, LIMIT_TEXT_SIZE, "%s", limits[reasons[i]].advice);
	}
}

/* "about three times a second" */
static void add_rate(double per_second, char buffer[LIMIT_TEXT_SIZE])
{
	static const char *const words[] = { "", "once", "twice", "three times", "four times", "five times" };
	double whole = round(per_second);

	if (whole < 1)
		text_add(buffer, LIMIT_TEXT_SIZE, ", about once in %s s", text_number(1 / per_second, 0, VALUE_ROOM));
	else if (whole < (double)COUNT(words))
		text_add(buffer, LIMIT_TEXT_SIZE, ", about %s a second", words[(size_t)whole]);
	else
		text_add(buffer, LIMIT_TEXT_SIZE, ", about %s times a second", text_number(whole, 0, VALUE_ROOM));
}

/* Nothing where it did not stall, or that limits nothing. */
static void add_stalls(const struct seen *seen, char buffer[LIMIT_TEXT_SIZE])
{
	const struct stalls *stalls = &seen->stalls;

	if (!is_told(seen))
		return;
	text_add(buffer, LIMIT_TEXT_SIZE, " This machine stalls for up to %s", text_ns(stalls->longest_ns, VALUE_ROOM));
	if (stalls->over_s > 0)
		add_rate(stalls->count / stalls->over_s, buffer);
	if (stalls->excess_frames > 0)
		text_add(buffer, LIMIT_TEXT_SIZE, "; a SUT with a buffer below %s frames will lose frames",
			 text_number(ceil(stalls->excess_frames), 0, VALUE_ROOM));
	text_add(buffer, LIMIT_TEXT_SIZE, ".");
}

/* Then the tester lost no frame, and what the SUT lost is what the load made it lose. */
static bool is_by_load_alone(const struct seen *seen)
{
	return seen->counts[REASON_LOAD] == seen->limited;
}

/* What follows for the result. */
static const char *consequence(const struct seen *seen)
{
	if (is_by_load_alone(seen))
		return "The load is known to be off by as much";
	if (seen->shows_less)
		return "Less than this load was offered, so the SUT may do less";
	return is_mostly_sut(seen) && !seen->decided ? "What the tester lost changes little" : "The SUT may do more";
}

/* --- the texts ------------------------------------------------------------------------------------------------------ */

static void put_text(const struct seen *seen, const char *where, char buffer[LIMIT_TEXT_SIZE])
{
	char advice[LIMIT_TEXT_SIZE] = "";

	if (!seen->limited) {
		snprintf(buffer, LIMIT_TEXT_SIZE, "Limited: by its self-test the tester does no more. The SUT may.");
		return;
	}
	snprintf(buffer, LIMIT_TEXT_SIZE, "Limited in %zu of %zu trials%s", seen->limited, seen->trials, where);
	for (enum reason reason = 0; reason < REASONS; reason++)
		if (seen->counts[reason])
			text_add(buffer, LIMIT_TEXT_SIZE, "; in %zu %s", seen->counts[reason], limits[reason].reason);
	add_advice(seen, !is_by_load_alone(seen), advice);
	text_add(buffer, LIMIT_TEXT_SIZE, ". %s%s%s.", consequence(seen), *advice ? ": " : "", advice);
	add_stalls(seen, buffer);
	text_add(buffer, LIMIT_TEXT_SIZE, " 'xdp-mlr selftest' says what the tester can.");
}

void limit_text(const json_t *trials, char buffer[LIMIT_TEXT_SIZE])
{
	struct seen seen = count_losses(trials, NAN, NAN);

	put_text(&seen, "", buffer);
}

/* The tester's limit decides at the Relevant Upper Bound, and without one at the lower. Where less than its load was offered, it also
 * decides at the lower. */
void limit_text_of_goal(const json_t *trials, const json_t *goal_result, char buffer[LIMIT_TEXT_SIZE])
{
	double loss_ratio = read_number(json_object_get(goal_result, "goal"), "loss_ratio");
	double lower_fps = read_number(goal_result, "relevant_lower_bound");
	double bound_fps = read_either(goal_result, "relevant_upper_bound", "relevant_lower_bound");
	struct seen seen = count_losses(trials, bound_fps, loss_ratio), lower = count_losses(trials, lower_fps, loss_ratio);

	lower.shows_less = !seen.limited && lower.offered_less && !isnan(lower_fps);
	if (lower.shows_less)
		put_text(&lower, " at the Relevant Lower Bound", buffer);
	else
		put_text(&seen, isnan(bound_fps) ? "" : " at this bound", buffer);
}

void limit_text_of_trial(const json_t *trial, const json_t *pacing, char buffer[LIMIT_TEXT_SIZE])
{
	json_auto_t *whole = json_copy((json_t *)trial), *trials = json_pack("[O]", whole);
	char advice[LIMIT_TEXT_SIZE] = "";
	struct seen seen;

	if (pacing)
		json_object_set(whole, "pacing", (json_t *)pacing);
	seen = count_losses(trials, NAN, NAN);
	add_advice(&seen, true, advice);
	snprintf(buffer, LIMIT_TEXT_SIZE, "%s%s%s", read_text(trial, "tester_limited_reason"), *advice ? ": " : "", advice);
	if (is_told(&seen))
		text_add(buffer, LIMIT_TEXT_SIZE, ".");
	add_stalls(&seen, buffer);
}
