/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/standing.h"

#include "base/json_read.h"

/* Reasons by which soaks of earlier versions name a limit of the tester. They are no irregularity of their own. */
static bool is_of_tester(const char *reason)
{
	return strcmp(reason, "the tester was the limit in a trial") == 0;
}

static bool is_regular(const json_t *result)
{
	const json_t *regular = json_object_get(result, "regular");
	const char *reason = read_string(result, "irregular_reason");

	if (reason && !(read_truth(result, "tester_limited") && is_of_tester(reason)))
		return false;
	return regular ? json_is_true(regular) : read_string(result, "schema") != NULL;
}

enum standing standing_of(const json_t *result)
{
	if (!is_regular(result))
		return STANDING_IRREGULAR;
	return read_truth(result, "tester_limited") ? STANDING_LIMITED : STANDING_REGULAR;
}

static enum standing worse_of(enum standing a, enum standing b)
{
	return a > b ? a : b;
}

static enum standing worst_of(const json_t *results)
{
	enum standing worst = STANDING_REGULAR;

	json_each (result, results)
		worst = worse_of(worst, standing_of(result));
	return worst;
}

/* The tests of a suite at one frame size are those of its members that have a standing. */
static enum standing worst_test(const json_t *size)
{
	enum standing worst = STANDING_REGULAR;

	json_each_member (name, test, size)
		if (json_object_get(test, "regular"))
			worst = worse_of(worst, standing_of(test));
	return worst;
}

enum standing standing_of_point(const json_t *point)
{
	enum standing worst = worst_of(json_object_get(point, "results"));

	if (json_object_get(point, "regular"))
		return worse_of(worst, standing_of(point));
	return read_string(point, "irregular_reason") ? STANDING_IRREGULAR : worst;
}

enum standing standing_of_spread(const json_t *spread)
{
	if (read_number(spread, "irregular") > 0)
		return STANDING_IRREGULAR;
	return read_number(spread, "tester_limited") > 0 ? STANDING_LIMITED : STANDING_REGULAR;
}

enum standing standing_of_document(const json_t *document)
{
	enum standing worst = worse_of(standing_of(document), worst_of(json_object_get(document, "search_result")));
	const json_t *reset = json_object_get(document, "reset"), *reconf = json_object_get(document, "reconf");

	json_each (run, json_at(document, "/repeats/runs"))
		worst = worse_of(worst, worst_of(json_object_get(run, "search_result")));
	json_each (size, json_object_get(document, "frame_sizes"))
		worst = worse_of(worst, worst_test(size));
	json_each (point, json_object_get(document, "points"))
		if (json_object_get(point, "results"))
			worst = worse_of(worst, standing_of_point(point));
	worst = json_is_object(reset) ? worse_of(worst, standing_of(reset)) : worst;
	return json_is_object(reconf) ? worse_of(worst, standing_of(reconf)) : worst;
}

const char *standing_word(enum standing standing)
{
	static const char *const words[] = {
		[STANDING_REGULAR] = "regular",
		[STANDING_LIMITED] = LIMITED_WORD,
		[STANDING_IRREGULAR] = "IRREGULAR",
	};

	return words[standing];
}

const char *result_word(const json_t *result)
{
	return standing_word(standing_of(result));
}

size_t standing_count(const json_t *results, enum standing standing)
{
	size_t count = 0;

	json_each (result, results)
		count += standing_of(result) == standing;
	return count;
}
