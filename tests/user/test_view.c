/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The progress view: what it says, that it keeps to the terminal's size, and that it can be read without colours. */
#include "../test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "progress/view.h"

static const struct view_style wide = { .columns = 110, .rows = 24 };

static struct view example(void)
{
	return (struct view){
		.title = "search eth1,eth2",
		.min_load_fps = 10e3,
		.max_load_fps = 10e6,
		.goals = { { .name = "ndr", .lower_fps = 100e3, .upper_fps = 1e6 },
			   { .name = "pdr", .lower_fps = 1e6, .upper_fps = 1.005e6, .done = true } },
		.goal_count = 2,
		.estimate_fps = NAN,
		.marks = "w.x.t",
		.trial_count = 5,
		.last_loss_ratio = 0.0002,
		.load_fps = 1.003e6,
		.duration_s = 1,
		.goal = "ndr",
		.elapsed_s = 63,
		.remaining_s = 40,
		.limit_s = NAN,
	};
}

/* Rendered, without its escape sequences. */
static char *plain(const struct view *view, struct view_style style)
{
	char *text = view_render(view, style), *to = text;

	assert_non_null(text);
	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			while (*from != 'm')
				from++;
		else
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length + (text[length] == '\n');
	}
	return longest;
}

static unsigned int count_lines(const char *text)
{
	unsigned int lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void it_says_how_far_the_search_is(void **state)
{
	struct view view = example();
	char *text = plain(&view, wide);

	(void)state;
	/* three decades in 48 columns: 100 kfps is one third, 1 Mfps two thirds */
	assert_string_equal(
		text,
		"search eth1,eth2: 1:03 elapsed, about 0:40 to go\n"
		"  ndr        100.0 kfps .. 1.000 Mfps       90 %   [================???????????????\?----------------]\n"
		"  pdr        1.000 Mfps .. 1.005 Mfps   0.4975 %   "
		"[================================?---------------] done\n"
		"  trials    w.x.t   (. kept the loss ratio, x did not, t was limited by the tester, w warmed up)\n"
		"  trial 6   1.003 Mfps for 1 s, for ndr; the last lost 0.02 %");
	free(text);
}

static void a_suite_says_how_far_it_is(void **state)
{
	struct view view = example();
	char *text, *line;

	(void)state;
	snprintf(view.stage, sizeof(view.stage), "size 2 of 7, test 3 of 5");
	text = plain(&view, wide);
	line = view_line(&view);
	assert_non_null(strstr(text, "search eth1,eth2, size 2 of 7, test 3 of 5: 1:03 elapsed, about 0:40 to go\n"));
	assert_true(strncmp(line, "size 2 of 7, test 3 of 5: 1:03 elapsed", 38) == 0);
	free(text);
	free(line);
}

static void marks_that_are_not_there_are_not_explained(void **state)
{
	struct view view = example();
	char *text;

	(void)state;
	snprintf(view.marks, sizeof(view.marks), "..x");
	text = plain(&view, wide);
	assert_non_null(strstr(text, "  trials    ..x   (. kept the loss ratio, x did not)\n"));
	free(text);
}

static void marks_are_explained_on_a_line_of_their_own_where_there_is_no_room(void **state)
{
	struct view view = example();
	char *text = plain(&view, (struct view_style){ 79, 30, false });

	(void)state;
	assert_non_null(strstr(text, "  trials    w.x.t\n"
				     "  (. kept the loss ratio, x did not, t was limited by the tester, w warmed up)\n"
				     "  trial 6 "));
	free(text);
}

static void colours_add_nothing_but_colour(void **state)
{
	struct view view = example();
	struct view_style coloured = wide;
	char *without = view_render(&view, wide), *with, *raw;

	(void)state;
	coloured.colours = true;
	with = plain(&view, coloured);
	raw = view_render(&view, coloured);
	assert_string_equal(with, without);
	assert_null(strchr(without, '\033'));
	assert_non_null(strstr(raw, "\033[31mx\033[0m"));
	free(with);
	free(without);
	free(raw);
}

static void bounds_that_do_not_exist_leave_everything_open(void **state)
{
	struct view view = example();
	char *text;

	(void)state;
	view.goal_count = 1;
	view.goals[0].lower_fps = view.goals[0].upper_fps = NAN;
	text = plain(&view, wide);
	assert_non_null(strstr(text, "? .. ?"));
	assert_non_null(strstr(text, "[????????????????????????????????????????????????]"));
	free(text);
	/* Max Load is a Lower Bound: what is open does not vanish */
	view.goals[0].lower_fps = view.max_load_fps;
	text = plain(&view, wide);
	assert_non_null(strstr(text, "=?]"));
	free(text);
	view.goals[0].lower_fps = NAN;
	view.goals[0].upper_fps = view.min_load_fps;
	text = plain(&view, wide);
	assert_non_null(strstr(text, "[?--"));
	free(text);
}

static void it_keeps_to_the_size_of_the_terminal(void **state)
{
	struct view view = example();

	(void)state;
	strcpy(view.goals[1].name, "a name that is far longer than its column");
	for (int i = 0; i < 300; i++)
		view_add_mark(&view, i % 3 ? VIEW_GOOD : VIEW_BAD);
	for (unsigned int columns = 1; columns < 130; columns++) {
		for (unsigned int rows = 1; rows < 8; rows++) {
			struct view_style style = { columns, rows, columns % 2 };
			char *text = plain(&view, style);

			assert_true(longest_line(text) <= columns);
			assert_true(count_lines(text) <= rows);
			free(text);
		}
	}
}

static void lines_are_cut_between_characters(void **state)
{
	struct view view = example();
	char *text;

	(void)state;
	strcpy(view.goals[0].name,
	       "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc");
	text = plain(&view, wide);
	assert_non_null(strstr(text, "\n  \xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc "));
	free(text);
	strcpy(view.goal, "\xc3\xbc\xc3\xbc\xc3\xbc");
	for (unsigned int columns = 1; columns < 60; columns++) {
		text = plain(&view, (struct view_style){ columns, 24, false });
		for (char *end = text; (end = strchr(end, '\n')); end++)
			assert_int_not_equal((unsigned char)end[-1], 0xc3);
		assert_int_not_equal((unsigned char)text[strlen(text) - 1], 0xc3);
		free(text);
	}
}

static void the_strip_shows_the_last_trials(void **state)
{
	struct view view = example();
	char *text;

	(void)state;
	for (int i = 0; i < VIEW_MARKS; i++)
		view_add_mark(&view, VIEW_GOOD);
	view_add_mark(&view, VIEW_BAD);
	assert_int_equal(strlen(view.marks), VIEW_MARKS);
	text = plain(&view, (struct view_style){ 40, 24, false });
	assert_non_null(strstr(text, "trials    ...........................x\n"));
	free(text);
}

static void a_soak_shows_its_estimate_and_limit(void **state)
{
	struct view view = example();
	char *text;

	(void)state;
	view.goal_count = 0;
	view.estimate_fps = 500e3;
	view.estimate_stdev_fps = 1e3;
	view.remaining_s = NAN;
	view.limit_s = 1800;
	view.run = 2;
	view.runs = 5;
	text = plain(&view, wide);
	assert_non_null(strstr(text, " (search 2 of 5): 1:03 of 30:00 elapsed\n"));
	assert_non_null(strstr(text, "\n  estimate  500.0 kfps, stdev 1.000 kfps\n"));
	free(text);
}

/* As events may say that were changed by somebody: the bar keeps its length. */
static void a_bar_whose_bounds_are_the_wrong_way_round_is_no_longer(void **state)
{
	struct view view = example();
	owned char *text = NULL;

	(void)state;
	view.goals[0].lower_fps = 20e6;
	view.goals[0].upper_fps = 5e3;
	text = plain(&view, wide);
	assert_true(longest_line(text) <= wide.columns);
}

static void a_line_for_logs_has_it_all(void **state)
{
	struct view view = example();
	char *text = view_line(&view);

	(void)state;
	assert_string_equal(text,
			    "1:03 elapsed, about 0:40 to go, trial 6 at 1.003 Mfps for 1 s; ndr 100.0 kfps .. 1.000 Mfps; "
			    "pdr 1.000 Mfps .. 1.005 Mfps done");
	free(text);
}

static void rows_count_what_a_narrower_terminal_wraps(void **state)
{
	(void)state;
	assert_int_equal(terminal_rows("", 10), 1);
	assert_int_equal(terminal_rows("0123456789", 10), 1);
	assert_int_equal(terminal_rows("0123456789a", 10), 2);
	assert_int_equal(terminal_rows("0123456789a\nb\n", 10), 4);
	assert_int_equal(terminal_rows("\033[31m0123456789\033[0m", 10), 1);
	assert_int_equal(terminal_rows("\xc3\xbc\xc3\xbc\xc3\xbc", 3), 1);
	assert_int_equal(terminal_rows("0123456789012345678901234567890", 10), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_how_far_the_search_is),
		cmocka_unit_test(a_suite_says_how_far_it_is),
		cmocka_unit_test(marks_that_are_not_there_are_not_explained),
		cmocka_unit_test(marks_are_explained_on_a_line_of_their_own_where_there_is_no_room),
		cmocka_unit_test(colours_add_nothing_but_colour),
		cmocka_unit_test(bounds_that_do_not_exist_leave_everything_open),
		cmocka_unit_test(it_keeps_to_the_size_of_the_terminal),
		cmocka_unit_test(lines_are_cut_between_characters),
		cmocka_unit_test(the_strip_shows_the_last_trials),
		cmocka_unit_test(a_soak_shows_its_estimate_and_limit),
		cmocka_unit_test(a_bar_whose_bounds_are_the_wrong_way_round_is_no_longer),
		cmocka_unit_test(a_line_for_logs_has_it_all),
		cmocka_unit_test(rows_count_what_a_narrower_terminal_wraps),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
