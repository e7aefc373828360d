/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "benchmark/rfc2544.h"
#include "config/given.h"
#include "config/options_suite.h"

#define REASON_SIZE   (16 * 1024)
#define SENTENCE_SIZE 400

/* --- deviations from the book ---------------------------------------------------------------------------------------- */

static bool has_frame_size(const struct config *config, const char *wanted)
{
	char frame_size[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; frame_sizes_part(config->frame_size_text, i, frame_size); i++)
		if (!strcmp(frame_size, wanted))
			return true;
	return false;
}

/* Report what of section 9.1 and section 26 was left out. */
static void add_omissions(const struct rfc2544 *suite, json_t *sentences)
{
	char missing[SENTENCE_SIZE] = "", wanted[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; frame_sizes_part(RFC2544_FRAME_SIZES, i, wanted); i++)
		if (!has_frame_size(suite->common.config, wanted))
			text_join(missing, sizeof(missing), ", ", "%s", wanted);
	if (*missing)
		append_sentence(sentences, "Frame sizes: RFC 2544 section 9.1 also has %s octets.", missing);
	for (int i = 0; i < TEST_COUNT; i++)
		if (!rfc2544_is_wanted(suite, i) && rfc2544_names[i].section)
			append_sentence(sentences, "Section %s: %s was not asked for.", rfc2544_names[i].section,
					rfc2544_names[i].name);
	if (suite->common.config->direction == DIRECTION_A_TO_B || suite->common.config->direction == DIRECTION_B_TO_A)
		append_sentence(sentences, "Section 14: one direction only; RFC 2544 says both.");
	append_sentence(sentences,
			"Section 11: every test is made once, %s; RFC 2544 says to make all without modifiers, and then "
			"with each of them (runs of their own with --modifier).",
			given_by_user(suite->common.config->given, "modifier") ? "with the modifiers of the traffic profile"
									       : "without modifiers");
	append_sentence(sentences, "Section 12: every test is made once, with the addresses of the traffic profile; RFC "
				   "2544 says to repeat it with destinations in 256 networks at random (a run of its own "
				   "with --vary dst-address=256 --flow-order random).");
	append_sentence(sentences,
			"Section 21: loads are constant; RFC 2544 says to make some tests with repeated bursts of "
			"16, 64, 256 and 1024 frames, too.");
}

static void add_deviations(const struct rfc2544 *suite, json_t *sentences)
{
	const struct rfc2544_plan *plan = &suite->plan, *book = &rfc2544_by_the_book;

	if (plan->trial_duration_s < book->trial_duration_s)
		append_sentence(sentences, "Throughput: trials of %g s, RFC 2544 section 24 says at least %g s.",
				plan->trial_duration_s, book->trial_duration_s);
	if (rfc2544_is_wanted(suite, TEST_LATENCY) && plan->latency_repeats < book->latency_repeats)
		append_sentence(sentences, "Latency: %u repeats, RFC 2544 section 26.2 says at least %u.",
				plan->latency_repeats, book->latency_repeats);
	if (rfc2544_is_wanted(suite, TEST_LATENCY) && plan->latency_duration_s < book->latency_duration_s)
		append_sentence(sentences, "Latency: streams of %g s, RFC 2544 section 26.2 says at least %g s.",
				plan->latency_duration_s, book->latency_duration_s);
	if (rfc2544_is_wanted(suite, TEST_LATENCY))
		append_sentence(sentences, "Latency: every frame is measured, RFC 2544 section 26.2 says one frame after 60 "
					   "s of each stream; the value of a repeat is the mean over its frames.");
	if (rfc2544_is_wanted(suite, TEST_FRAME_LOSS) && plan->trial_duration_s < book->trial_duration_s)
		append_sentence(sentences, "Frame loss rate: trials of %g s, RFC 2544 section 24 says at least %g s.",
				plan->trial_duration_s, book->trial_duration_s);
	if (rfc2544_is_wanted(suite, TEST_BACK_TO_BACK) && plan->burst_tests < book->burst_tests)
		append_sentence(sentences, "Back-to-back frames: %u tests, RFC 2544 section 26.4 says at least %u.",
				plan->burst_tests, book->burst_tests);
	if (rfc2544_is_wanted(suite, TEST_BACK_TO_BACK) && !plan->burst_pause)
		append_sentence(sentences,
				"Back-to-back frames: bursts of at most %g s, each followed by the time that the SUT needs "
				"to be empty, as far as is known; RFC 2544 section 26.4 says trials of at least %g s.",
				plan->burst_trial_s, book->burst_trial_s);
	if (rfc2544_is_wanted(suite, TEST_BACK_TO_BACK)) {
		append_sentence(sentences, "Back-to-back frames: measured for every frame size, RFC 9004 section 5.1 says "
					   "only for those whose throughput is below the maximum frame rate.");
		append_sentence(sentences,
				"Back-to-back frames: of the bursts that lost frames only the shortest one is sent "
				"again to verify the loss, and not in each test (RFC 9004 section 5.2).");
	}
	if (rfc2544_is_wanted(suite, TEST_RECOVERY) && plan->overload_duration_s < book->overload_duration_s)
		append_sentence(sentences, "System recovery: overload for %g s, RFC 2544 section 26.5 says at least %g s.",
				plan->overload_duration_s, book->overload_duration_s);
	if (rfc2544_is_wanted(suite, TEST_RECOVERY) && plan->recovery_repeats < 2)
		append_sentence(sentences,
				"System recovery: measured once, RFC 2544 section 26.5 says to repeat it a number "
				"of times (--recovery-repeats).");
}

/* Report that the maximum rate is not that of the medium. The line rate is known of all sizes, or of none. */
static void add_rate_deviations(const struct rfc2544 *suite, json_t *sentences)
{
	const json_t *first = json_array_get(suite->frame_sizes, 0);
	char below[SENTENCE_SIZE] = "";

	json_each (size, suite->frame_sizes)
		if (!is_line_rate(read_number(size, "max_rate"), read_number(size, "line_rate")))
			text_join(below, sizeof(below), ", ", "%s", read_text(size, "frame_size"));
	if (first && !(read_number(first, "line_rate") > 0))
		append_sentence(sentences,
				"Maximum rate: these ports have no known line rate; 100 %% of the frame loss rate, the rate "
				"of bursts, and the most for an overload, is Max Load (%s), not the maximum of the medium.",
				read_text(first, "max_load_source"));
	else if (*below)
		append_sentence(sentences,
				"Maximum rate: Max Load is below the line rate at %s octets; it is 100 %% of the frame loss "
				"rate, the rate of bursts, and the most for an overload.",
				below);
}

/* --- the document ----------------------------------------------------------------------------------------------------- */

static void add_reason(char text[REASON_SIZE], const json_t *of, const char *test, const json_t *json)
{
	const char *reason = read_string(json, "irregular_reason"), *frame_size = read_string(of, "frame_size");

	if (reason) /* A reset that was not performed has no frame size. */
		text_join(text, REASON_SIZE, "; ", "%s%s%s: %s", frame_size ?: "", frame_size ? ", " : "", test, reason);
}

/* Return how the suite ended, or else what is irregular of each frame size. */
static json_t *irregular_reason_json(const struct rfc2544 *suite)
{
	char text[REASON_SIZE] = "";

	if (suite->common.end_reason)
		return json_string(suite->common.end_reason);
	json_each (one, suite->frame_sizes)
		for (int test = 0; test < TEST_RESET; test++)
			add_reason(text, one, rfc2544_names[test].name, json_object_get(one, rfc2544_names[test].member));
	add_reason(text, suite->reset, "reset", suite->reset);
	add_reason(text, suite->reconf, "reconf", suite->reconf);
	return *text ? json_string(text) : json_null();
}

json_t *report_rfc2544(const struct rfc2544 *suite)
{
	json_t *document, *sentences;

	if (!suite->common.setting)
		return NULL;
	sentences = json_object_get(suite->common.setting, "deviations");
	add_omissions(suite, sentences);
	add_rate_deviations(suite, sentences);
	add_deviations(suite, sentences);
	document = json_pack(
		"{s:s, s:o, s:b, s:b, s:o, s:b, s:f, s:O, s:O?, s:O*, s:s, s:i}", "schema", "xdp-mlr/rfc2544/1", "tests",
		json_list(i, TEST_COUNT, rfc2544_is_wanted(suite, i) ? json_string(rfc2544_names[i].name) : NULL), "fast",
		(int)suite->common.config->fast, "regular", !suite->common.irregular && !suite->common.end_reason,
		"irregular_reason", irregular_reason_json(suite), "tester_limited", (int)suite->common.tester_limited,
		"suite_duration", suite->common.duration_s, "frame_sizes", suite->frame_sizes, "reset", suite->reset,
		"reconf", suite->reconf, "load_scope", "interface", "aggregate_factor", (int)suite->common.transmitters);
	if (document)
		json_object_update(document, suite->common.setting);
	return document;
}
