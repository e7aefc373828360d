/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tester limited is called so in every form, and never regular; it says why, with the advice that would help most first;
 * and how a trial was paced, and which performances the tester spoilt, is shown where a document says it.
 */
#include "../test.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "render/render.h"

#define BURST  "frames were lost in a burst of the tester's own"
#define UNSENT "frames stayed unsent"
#define MISSED "the receiving interface missed frames"
#define OFF    "the load was off by more than a tenth of the Goal Width"
#define QUEUES "give the transmitter CPUs of its own"
#define FORMS  4
#define EXCESS_DEFINITION                                                                                                   \
	"The longest queue that the departures would build in front of a server that takes frames at exactly the Trial "    \
	"Load."
#define BURST_DEFINITION "The longest run of frames that left less than half an interval after the one before."
#define GOLDENS          "tests/golden/"

/* --- documents and what is made of them --------------------------------------------------------------------------------- */

static json_t *golden(const char *name)
{
	char path[80];
	json_t *document;

	snprintf(path, sizeof(path), GOLDENS "%s.json", name);
	document = json_load_file(path, 0, NULL);
	assert_non_null(document);
	json_object_del(document, "checklist"); /* the words of earlier versions */
	return document;
}

/* With every blank as one space, so that lines may end anywhere. */
static char *in_one_line(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return text;
}

/* A page without the document that it carries, and its style. */
static void cut_element(char *page, const char *opening, const char *closing)
{
	char *from = strstr(page, opening), *end = from ? strstr(from, closing) : NULL;

	if (end)
		memmove(from, end, strlen(end) + 1);
}

static char *rendered(const json_t *document, enum document_form form)
{
	size_t length;
	char *text = render(document, form, (struct render_style){ .explain = true }, &length);

	assert_non_null(text);
	if (form == DOCUMENT_HTML) {
		cut_element(text, "<script", "</script>");
		cut_element(text, "<style", "</style>");
	}
	return form == DOCUMENT_CSV ? text : in_one_line(text);
}

static void assert_says(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no '%s' in: %s", what, text);
}

static void assert_says_not(const char *text, const char *what)
{
	const char *found = strstr(text, what);

	if (found)
		fail_msg("'%s' in: ...%.200s", what, found > text + 80 ? found - 80 : text);
}

/* "regular", but for "irregular" and the heading over all that is not. */
static void assert_called_regular_nowhere(const char *text)
{
	static const char heading[] = "without a regular result";

	for (const char *at = text; (at = strcasestr(at, "regular")); at++)
		if ((at == text || tolower((unsigned char)at[-1]) != 'r') &&
		    (at < text + 10 || strncasecmp(at - 10, heading, strlen(heading)) != 0))
			fail_msg("called regular: ...%.160s", at > text + 60 ? at - 60 : text);
}

/* Everything in it that may be limited is, and nothing is irregular. */
static void limit_all(json_t *value)
{
	json_each_member (name, member, value) {
		if (strcmp(name, "tester_limited") == 0)
			json_object_set_new(value, name, json_is_integer(member) ? json_integer(1) : json_true());
		else if (strcmp(name, "irregular") == 0 && json_is_integer(member))
			json_object_set_new(value, name, json_integer(0));
		else if (strcmp(name, "irregular_reason") == 0)
			json_object_set_new(value, name, json_null());
		else if (strcmp(name, "regular") == 0)
			json_object_set_new(value, name, json_true());
		else
			limit_all(member);
	}
	json_each (item, value)
		limit_all(item);
}

/* --- the word ----------------------------------------------------------------------------------------------------------- */

/* Text, page, Markdown, JUnit, with figures, legends and tooltips; and the cells of CSV. */
static void what_is_limited_is_called_regular_in_no_form(void **state)
{
	static const char *const names[] = { "search-1-xdp", "soak-1-xdp", "rfc2544-1-xdp", "trial-1-xdp",
					     "campaign-1",   "trend-1",    "compare-1" };
	static const enum document_form forms[FORMS] = { DOCUMENT_TEXT, DOCUMENT_HTML, DOCUMENT_MARKDOWN, DOCUMENT_JUNIT };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		json_t *document = golden(names[i]);

		limit_all(document);
		for (size_t j = 0; j < FORMS; j++) {
			char *text = rendered(document, forms[j]);

			if (forms[j] != DOCUMENT_JUNIT || strncmp(names[i], "trend", 5) != 0)
				if (forms[j] != DOCUMENT_JUNIT || strncmp(names[i], "compare", 7) != 0)
					assert_says(text, "limited");
			assert_says_not(text, "tester-limited");
			assert_says_not(text, "Tester-limited");
			assert_says_not(text, "IRREGULAR");
			assert_called_regular_nowhere(text);
			free(text);
		}
		json_decref(document);
	}
}

/* What follows a cell, which may be quoted; its separator is behind it. */
static const char *after_cell(const char *cell)
{
	bool quoted = false;

	while (quoted || !strchr(",\n", *cell))
		quoted ^= *cell++ == '"';
	return cell;
}

static const char *after_row(const char *row)
{
	while (*row != '\n')
		row = after_cell(row + (*row == ','));
	return row + 1;
}

/* The cell of a row in the column of this name. */
static const char *cell(const char *csv, size_t row, const char *column, char buffer[80])
{
	const char *heading = csv, *at = csv;
	size_t length = strlen(column);

	for (size_t i = 0; i < row; i++)
		at = after_row(at);
	while (after_cell(heading) != heading + length || strncmp(heading, column, length) != 0) {
		heading = after_cell(heading);
		at = after_cell(at) + 1;
		if (*heading++ != ',')
			fail_msg("no column '%s' in: %.*s", column, (int)strcspn(csv, "\n"), csv);
	}
	snprintf(buffer, 80, "%.*s", (int)(after_cell(at) - at), at);
	return buffer;
}

static void rows_have_the_word_too(void **state)
{
	json_t *search = golden("search-1-limited"), *campaign = golden("campaign-1"), *trend = golden("trend-1");
	char *text = rendered(search, DOCUMENT_CSV), buffer[80];

	(void)state;
	assert_string_equal(cell(text, 1, "ndr.regular", buffer), "true");
	assert_string_equal(cell(text, 1, "ndr.standing", buffer), "regular");
	assert_string_equal(cell(text, 1, "pdr.regular", buffer), "false");
	assert_string_equal(cell(text, 1, "pdr.standing", buffer), "limited");
	free(text);
	limit_all(campaign);
	text = rendered(campaign, DOCUMENT_CSV);
	assert_string_equal(cell(text, 1, "result.regular", buffer), "false");
	assert_string_equal(cell(text, 1, "result.standing", buffer), "limited");
	free(text);
	limit_all(trend);
	text = rendered(trend, DOCUMENT_CSV);
	assert_string_equal(cell(text, 1, "regular", buffer), "false");
	assert_string_equal(cell(text, 1, "standing", buffer), "limited");
	free(text);
	json_decref(search);
	json_decref(campaign);
	json_decref(trend);
}

static void legends_and_marks_have_the_word_where_it_is_needed(void **state)
{
	static const struct {
		const char *name, *legend;
	} documents[] = {
		{ "search-1-xdp", ">limited trial<" },
		{ "rfc2544-1-xdp", ">throughput, limited<" },
		{ "campaign-1", ">limited<" },
		{ "trend-1", ">limited<" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
		json_t *document = golden(documents[i].name);
		char *page = rendered(document, DOCUMENT_HTML);

		if (strcmp(documents[i].name, "campaign-1") != 0) /* whose results are limited */
			assert_says_not(page, documents[i].legend);
		free(page);
		limit_all(document);
		page = rendered(document, DOCUMENT_HTML);
		assert_says(page, documents[i].legend);
		assert_says(page, "class=\"mark limited\"");
		assert_says(page, "limited</title>");
		free(page);
		json_decref(document);
	}
}

/* Of the search that stands for all, no goal is limited, and of another one. */
static void a_repeated_search_that_is_limited_is_not_called_regular(void **state)
{
	json_t *document = golden("search-1-xdp"), *other = json_deep_copy(json_object_get(document, "search_result"));
	char *text = rendered(document, DOCUMENT_TEXT);

	(void)state;
	assert_says(text, "every result is regular");
	free(text);
	limit_all(other);
	json_object_set_new(document, "repeats",
			    json_pack("{s:i, s:i, s:i, s:[], s:[{s:i, s:O}, {s:i, s:o}]}", "asked", 2, "count", 2,
				      "median_run", 1, "statistics", "runs", "run", 1, "search_result",
				      json_object_get(document, "search_result"), "run", 2, "search_result", other));
	text = rendered(document, DOCUMENT_TEXT);
	assert_says(text, "One of the repeated searches has a result that is limited by the tester: the SUT may do more.");
	assert_says_not(text, "every result is regular");
	free(text);
	json_decref(document);
}

/* A suite names the tests that are limited, a search how many goals. */
static void banners_say_what_is_limited(void **state)
{
	json_t *suite = golden("rfc2544-1-xdp"), *search = golden("search-1-limited");
	json_t *throughput = json_object_get(json_array_get(json_object_get(suite, "frame_sizes"), 2), "throughput");
	char *text;

	(void)state;
	json_object_set_new(json_object_get(json_array_get(json_object_get(suite, "frame_sizes"), 1), "frame_loss"),
			    "tester_limited", json_true());
	json_object_set_new(throughput, "tester_limited", json_true());
	json_object_set(throughput, "trials", json_object_get(search, "trials"));
	json_object_set(throughput, "goal_result", json_array_get(json_object_get(search, "search_result"), 1));
	text = rendered(suite, DOCUMENT_TEXT);
	assert_says(text,
		    "Results are limited by the tester, and the SUT may do more: frame loss at 512 octets, throughput at "
		    "1518 octets.");
	assert_says(text, "1518 octets: Limited in 1 of 3 trials at this bound; in 1 " BURST);
	assert_says(text, "This machine stalls for up to 4.00 ms");
	assert_says_not(text, "Every test that was asked for has a regular result");
	free(text);
	text = rendered(search, DOCUMENT_TEXT);
	assert_says(text, "1 of 2 results is limited by the tester: the SUT may do more.");
	assert_says(text, "ndr: regular");
	assert_says(text, "pdr: limited");
	assert_says(text, "frames/s per interface, from a limited result");
	assert_says(text, "L1 203.6 Mbit/s (limited)");
	free(text);
	json_decref(suite);
	json_decref(search);
}

/* --- advice ------------------------------------------------------------------------------------------------------------- */

/* A trial that the tester limited for this reason, with so many frames missing by place, and members of its pacing. */
static char *trial_text(const char *reason, int unsent, int burst, int missed, int sut, const char *pacing)
{
	json_t *document = golden("trial-1-xdp"), *trial = json_object_get(document, "trial_result"),
	       *counts = json_object_get(trial, "counts"), *more = json_loads(pacing, 0, NULL);
	int lost = unsent + burst + missed + sut;
	char *text;

	assert_non_null(more);
	json_object_set_new(document, "tester_limited", json_true());
	json_object_set_new(trial, "tester_limited", json_true());
	json_object_set_new(trial, "tester_limited_reason", json_string(reason));
	json_object_set_new(trial, "loss_attribution",
			    json_pack("{s:i, s:i, s:i, s:i, s:i}", "sut", sut, "unsent", unsent, "dropped_before_wire", 0,
				      "receiver_missed", missed, "tester_burst", burst));
	json_object_set_new(counts, "received", json_integer(320000 - lost));
	json_object_update(json_object_get(document, "pacing"), more);
	text = rendered(document, DOCUMENT_TEXT);
	json_decref(more);
	json_decref(document);
	return text;
}

static void one_unsent_frame_beside_all_lost_is_no_matter_of_the_tester(void **state)
{
	char *text = trial_text(UNSENT, 1, 0, 0, 319999, "{}");

	(void)state;
	assert_says(text, UNSENT ": the SUT lost 319999 of the 320000 missing frames: look at its addresses");
	assert_says_not(text, QUEUES);
	free(text);
	text = trial_text(UNSENT, 1, 0, 0, 319999, "{\"stop_count\": 1, \"stop_max_ns\": 2000000}");
	assert_says_not(text, "This machine stalls");
	free(text);
	text = trial_text(UNSENT, 320000, 0, 0, 0, "{\"stop_count\": 1, \"stop_max_ns\": 2000000}");
	assert_says(text, "This machine stalls for up to 2.00 ms");
	free(text);
}

static void what_would_help_most_comes_first(void **state)
{
	char *text = trial_text(UNSENT, 2000, 0, 0, 30000, "{}");

	(void)state;
	assert_says(text, UNSENT ": the SUT lost 30000 of the 32000 missing frames: look at what it drops; " QUEUES);
	free(text);
	text = trial_text(UNSENT, 30000, 0, 0, 2000, "{}");
	assert_says(text, UNSENT ": " QUEUES);
	assert_says_not(text, "the SUT lost");
	free(text);
	text = trial_text(MISSED, 0, 0, 299, 29701, "{}"); /* less than a hundredth */
	assert_says_not(text, "make its receive rings longer");
	free(text);
	text = trial_text(MISSED, 0, 0, 301, 29699, "{}");
	assert_says(text, "look at what it drops; make its receive rings longer");
	free(text);
}

static void a_burst_says_how_the_machine_stalls_and_which_buffer_it_takes(void **state)
{
	char *text = trial_text(BURST, 0, 2600, 0, 40,
				"{\"stop_count\": 3, \"stop_max_ns\": 4000000, \"stop_total_ns\": 9000000, "
				"\"excess_frames_max\": 399.4}");

	(void)state;
	assert_says(text,
		    BURST ": isolate CPUs for the transmitter ('xdp-mlr probe' says how), give a smaller --burst, or the "
			  "SUT a buffer of 400 frames.");
	assert_says(text, "This machine stalls for up to 4.00 ms, about three times a second; a SUT with a buffer below 400 "
			  "frames will lose frames.");
	free(text);
	text = trial_text(BURST, 0, 2600, 0, 40,
			  "{\"stop_count\": 1, \"stop_max_ns\": 2000000, \"excess_frames_max\": null}");
	assert_says(text, "This machine stalls for up to 2.00 ms, about once a second.");
	free(text);
	text = trial_text(BURST, 0, 2600, 0, 40, "{}"); /* nothing is known of stops */
	assert_says(text, BURST ": this machine stalls: isolate CPUs");
	assert_says_not(text, "This machine stalls for");
	free(text);
}

static void a_load_that_was_off_says_by_how_much(void **state)
{
	char *text = trial_text(OFF, 0, 0, 0, 0,
				"{\"intended_fps\": 320000, \"achieved_fps\": 316800, \"stop_count\": 4, "
				"\"stop_max_ns\": 5000000, \"moved_ns\": 10000000}");

	(void)state;
	assert_says(text, OFF ": the load that was truly offered is 316800 frames/s, 1 % below the Trial Load; isolate "
			      "CPUs");
	assert_says(text, "This machine stalls for up to 5.00 ms, about four times a second.");
	free(text);
	text = trial_text(OFF, 0, 0, 0, 0, "{\"intended_fps\": 320000, \"achieved_fps\": 323200}");
	assert_says(text, "1 % above the Trial Load; make trials longer What was counted");
	free(text);
}

/* Where the goal would have been kept but for the tester's part, however small that is, it is said. */
static void what_decided_a_goal_is_said_whatever_its_share(void **state)
{
	json_t *document = golden("search-1-limited");
	json_t *trial = json_array_get(json_object_get(document, "trials"), 2);
	char *text;

	(void)state;
	json_object_set_new(trial, "loss_attribution",
			    json_pack("{s:i, s:i, s:i, s:i, s:i}", "unsent", 0, "dropped_before_wire", 0, "tester_burst", 2,
				      "receiver_missed", 0, "sut", 900)); /* 0.495 % by the SUT */
	text = rendered(document, DOCUMENT_TEXT);
	assert_says(text,
		    "Limited in 1 of 3 trials at this bound; in 1 " BURST ". The SUT may do more: the SUT lost 900 of the "
		    "902 missing frames: look at what it drops; isolate CPUs");
	free(text);
	json_decref(document);
}

/* At an upper bound the SUT loses frames anyway; that the load was lower than asked for is another matter. */
static void a_bound_whose_load_was_off_blames_nobody_for_its_loss(void **state)
{
	json_t *document = golden("search-1-limited");
	json_t *trial = json_array_get(json_object_get(document, "trials"), 2), *pacing = json_object_get(trial, "pacing");
	char *text;

	(void)state;
	json_object_set_new(trial, "tester_limited_reason", json_string(OFF));
	json_object_set_new(pacing, "intended_fps", json_real(300000));
	json_object_set_new(pacing, "achieved_fps", json_real(297000));
	json_object_update_new(json_object_get(trial, "loss_attribution"),
			       json_pack("{s:i, s:i}", "tester_burst", 0, "sut", 1742));
	text = rendered(document, DOCUMENT_TEXT);
	assert_says(text, "in 1 " OFF ". The load is known to be off by as much: the load that was truly offered is 297000 "
			  "frames/s, 1 % below the Trial Load; isolate CPUs");
	assert_says_not(text, "the SUT lost");
	free(text);
	json_decref(document);
}

/* --- pacing, places and repeats ------------------------------------------------------------------------------------------- */

static void places_of_missing_frames_are_in_the_order_of_their_way(void **state)
{
	json_t *document = golden("trial-1-limited");
	char *text;

	(void)state;
	/* in another order in the document */
	json_object_set_new(json_object_get(document, "trial_result"), "loss_attribution",
			    json_pack("{s:i, s:i, s:i, s:i, s:i}", "sut", 5, "receiver_missed", 4, "tester_burst", 3,
				      "dropped_before_wire", 2, "unsent", 1));
	text = rendered(document, DOCUMENT_MARKDOWN);
	assert_says(text, "| Unsent | 1 | | Dropped before the wire | 2 | | Lost in the tester's own burst | 3 | "
			  "| Missed by the receiver | 4 | | Lost in the SUT | 5 |");
	free(text);
	json_decref(document);
}

static void each_figure_of_pacing_has_its_definition(void **state)
{
	json_t *trial = golden("trial-1-limited"), *search = golden("search-1-limited"), *old = golden("trial-1-xdp");
	size_t length;
	char *text = rendered(trial, DOCUMENT_TEXT),
	     *brief = render(trial, DOCUMENT_TEXT, (struct render_style){ 0 }, &length);

	(void)state;
	assert_says(text, "Excess max: " EXCESS_DEFINITION);
	assert_says(text, "Burst max: " BURST_DEFINITION);
	assert_says(text,
		    "Burst max 387 Burst allowed (frames) 102 Excess max (frames) 400 Sent beyond the burst (frames) 1130 "
		    "Excess at (s) 0.713402 Beyond the burst for (s) 0.0041 Stops 3 All stops 9.10 ms Longest stop "
		    "4.00 ms Longest stop at (s) 0.712402");
	in_one_line(brief);
	assert_says(brief,
		    "burst max 387, burst allowed 102 frames, excess max 400 frames, sent beyond the burst 1130 frames, "
		    "excess at 0.713402 s, beyond the burst for 0.0041 s, stops 3, all stops 9.10 ms, longest stop 4.00 "
		    "ms, longest stop at 0.712402 s");
	assert_says(brief, EXCESS_DEFINITION);
	assert_says(brief, "lost in the tester's own burst 2603, lost in the SUT 40");
	free(text);
	free(brief);
	text = rendered(search, DOCUMENT_TEXT);
	assert_says(text, "Longest burst 391 frames, in all trials. " BURST_DEFINITION);
	assert_says(text, "Largest excess 399 frames, in all trials. " EXCESS_DEFINITION);
	assert_says(text, "Excess: " EXCESS_DEFINITION);
	free(text);
	text = rendered(old, DOCUMENT_TEXT); /* which has none of this, and another burst_max */
	assert_says(text, "A burst stands where a queue was held up.");
	assert_says_not(text, EXCESS_DEFINITION);
	assert_says_not(text, BURST_DEFINITION);
	assert_says_not(text, "tester's own burst");
	free(text);
	json_object_set_new(json_object_get(trial, "pacing"), "burst_max", json_null());
	text = rendered(trial, DOCUMENT_TEXT);
	assert_says_not(text, BURST_DEFINITION);
	free(text);
	json_decref(trial);
	json_decref(search);
	json_decref(old);
}

static void what_was_performed_again_is_listed(void **state)
{
	json_t *trial = golden("trial-1-limited"), *search = golden("search-1-limited");
	char *text = rendered(trial, DOCUMENT_MARKDOWN);

	(void)state;
	assert_says(text, "Performed again | twice, because the tester alone had spoilt it");
	assert_says(text, "| 1 | " BURST " | 0.958 % | 1.40062 | 0 | 0 | 3067 | 0 | 0 | 5.10 ms | 0 \u00b5s |");
	free(text);
	text = rendered(search, DOCUMENT_MARKDOWN);
	assert_says(text, "Performances that the tester alone spoilt");
	assert_says(text, "| 3 | " BURST " | 1.05 % | 0.360531 |");
	free(text);
	json_decref(trial);
	json_decref(search);
}

/* Old columns keep their places, and performances that do not count have none. */
static void new_columns_stand_behind_the_old_ones(void **state)
{
	static const char end[] = ",ndr.standing,pdr.standing,load_scope,aggregate_factor", last[] =
		",pacing.burst_allowed [frames],pacing.excess_frames_max [frames],pacing.marked_frames [frames],"
		"pacing.excess_at [s],pacing.excess_duration [s],pacing.stop_count,pacing.stop_total_ns,pacing.stop_max_ns,"
		"pacing.stop_max_at [s],pacing.moves,pacing.moved_ns,loss_attribution.tester_burst [frames],tester_repeats,"
		"ndr.standing,pdr.standing,load_scope,aggregate_factor";
	json_t *old = golden("search-1-xdp"), *new = golden("search-1-limited");
	char *before = rendered(old, DOCUMENT_CSV), *after = rendered(new, DOCUMENT_CSV), buffer[80];
	size_t common = strcspn(before, "\n") - strlen(end), heading = strcspn(after, "\n");

	(void)state;
	assert_true(common < heading);
	assert_memory_equal(before, after, common);
	assert_int_equal(heading - common, strlen(last));
	for (const char *name = last + 1; *name; name += strcspn(name, ",") + (name[strcspn(name, ",")] == ',')) {
		char column[80];

		snprintf(column, sizeof(column), "%.*s", (int)strcspn(name, ","), name);
		cell(after, 1, column, buffer); /* fails where there is none */
	}
	assert_string_equal(cell(after, 3, "loss_attribution.tester_burst [frames]", buffer), "1700");
	assert_string_equal(cell(after, 3, "pacing.excess_frames_max [frames]", buffer), "399");
	assert_string_equal(cell(after, 3, "tester_repeats", buffer), "5");
	assert_says_not(after, "spoilt_performances");
	free(before);
	free(after);
	json_decref(old);
	json_decref(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_limited_is_called_regular_in_no_form),
		cmocka_unit_test(rows_have_the_word_too),
		cmocka_unit_test(legends_and_marks_have_the_word_where_it_is_needed),
		cmocka_unit_test(a_repeated_search_that_is_limited_is_not_called_regular),
		cmocka_unit_test(banners_say_what_is_limited),
		cmocka_unit_test(one_unsent_frame_beside_all_lost_is_no_matter_of_the_tester),
		cmocka_unit_test(what_would_help_most_comes_first),
		cmocka_unit_test(a_burst_says_how_the_machine_stalls_and_which_buffer_it_takes),
		cmocka_unit_test(a_load_that_was_off_says_by_how_much),
		cmocka_unit_test(what_decided_a_goal_is_said_whatever_its_share),
		cmocka_unit_test(a_bound_whose_load_was_off_blames_nobody_for_its_loss),
		cmocka_unit_test(places_of_missing_frames_are_in_the_order_of_their_way),
		cmocka_unit_test(each_figure_of_pacing_has_its_definition),
		cmocka_unit_test(what_was_performed_again_is_listed),
		cmocka_unit_test(new_columns_stand_behind_the_old_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
