/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"

#define LABEL_COLUMNS 12
#define LOAD_COLUMNS  11
#define BAR_MOST      48
#define BAR_LEAST     8
#define LINE_SIZE     512

/* A text while it is written, line by line. */
struct page {
	FILE *stream;
	struct view_style style;
	unsigned int lines;
};

/* --- lines ---------------------------------------------------------------------------------------------------------- */

/* Return the octets of the first so many characters of UTF-8. */
static int octets_of(const char *text, unsigned int columns)
{
	const char *c = text;

	for (; *c; c++)
		if (((unsigned char)*c & 0xc0) != 0x80 && columns-- == 0)
			break;
	return (int)(c - text);
}

/* Start the next line; false where there is no room for it. */
static bool next_line(struct page *page)
{
	if (page->lines >= page->style.rows)
		return false;
	if (page->lines++)
		fputc('\n', page->stream);
	return true;
}

/* Write a line without colours, cut to the width. */
static void put_line(struct page *page, const char *text)
{
	if (next_line(page))
		fprintf(page->stream, "%.*s", octets_of(text, page->style.columns), text);
}

/* Write a run of one character, coloured. The character is ASCII. */
static void put_run(const struct page *page, const char *colour, char character, unsigned int count)
{
	if (!count)
		return;
	if (page->style.colours)
		fprintf(page->stream, "\033[%sm", colour);
	for (unsigned int i = 0; i < count; i++)
		fputc(character, page->stream);
	if (page->style.colours)
		fputs("\033[0m", page->stream);
}

const char *view_load(double load_fps, char buffer[UNIT_TEXT_SIZE])
{
	return isnan(load_fps) ? "?" : format_si(load_fps, "fps", buffer);
}

/* --- what they say -------------------------------------------------------------------------------------------------- */

static const char *format_time(const struct view *view, char text[LINE_SIZE])
{
	const char *elapsed = format_clock(view->elapsed_s, UNIT_ROOM);

	if (!isnan(view->remaining_s))
		snprintf(text, LINE_SIZE, "%s elapsed, about %s to go", elapsed, format_clock(view->remaining_s, UNIT_ROOM));
	else if (!isnan(view->limit_s))
		snprintf(text, LINE_SIZE, "%s of %s elapsed", elapsed, format_clock(view->limit_s, UNIT_ROOM));
	else
		snprintf(text, LINE_SIZE, "%s elapsed", elapsed);
	return text;
}

static void put_title(struct page *page, const struct view *view)
{
	char line[2 * LINE_SIZE], run[64] = "";

	if (view->runs > 1)
		snprintf(run, sizeof(run), " (search %u of %u)", view->run, view->runs);
	snprintf(line, sizeof(line), "%s%s%s%s: %s", view->title, run, *view->stage ? ", " : "", view->stage,
		 format_time(view, ROOM(LINE_SIZE)));
	put_line(page, line);
}

double view_place(const struct view *view, double load_fps)
{
	double part = log(load_fps / view->min_load_fps) / log(view->max_load_fps / view->min_load_fps);

	return fmin(fmax(part, 0), 1);
}

/* Write which loads are known to pass, which are not known yet, and which are known to fail. The part between
 * never vanishes, also where events of anybody say that more passes than fails. */
static void put_bar(struct page *page, const struct view *view, const struct view_goal *goal, unsigned int columns)
{
	unsigned int lower = isnan(goal->lower_fps) ? 0 : (unsigned int)lround(view_place(view, goal->lower_fps) * columns);
	unsigned int upper =
		isnan(goal->upper_fps) ? columns : (unsigned int)lround(view_place(view, goal->upper_fps) * columns);

	if (lower == columns)
		lower = columns - 1;
	if (upper <= lower)
		upper = lower + 1;
	fputc('[', page->stream);
	put_run(page, "32", '=', lower);
	put_run(page, "1", '?', upper - lower);
	put_run(page, "31", '-', columns - upper);
	fputc(']', page->stream);
}

static void put_goal(struct page *page, const struct view *view, const struct view_goal *goal)
{
	static const char done[] = " done";
	char line[LINE_SIZE], width[UNIT_TEXT_SIZE] = "";
	unsigned int used, columns = page->style.columns;

	if (!next_line(page))
		return;
	if (goal->lower_fps < goal->upper_fps)
		format_percent((goal->upper_fps - goal->lower_fps) / goal->upper_fps, width);
	snprintf(line, sizeof(line), "  %-*.*s%*s .. %-*s %9s   ", LABEL_COLUMNS - 2,
		 octets_of(goal->name, LABEL_COLUMNS - 3), goal->name, LOAD_COLUMNS, view_load(goal->lower_fps, UNIT_ROOM),
		 LOAD_COLUMNS, view_load(goal->upper_fps, UNIT_ROOM), width);
	used = (unsigned int)strlen(line) + 2 + sizeof(done) - 1;
	if (used + BAR_LEAST > columns || !(view->max_load_fps > view->min_load_fps)) {
		fprintf(page->stream, "%.*s", octets_of(line, columns), line);
		return;
	}
	fputs(line, page->stream);
	put_bar(page, view, goal, columns - used < BAR_MOST ? columns - used : BAR_MOST);
	fputs(goal->done ? done : "", page->stream);
}

static const char *colour_of(char mark)
{
	return mark == VIEW_GOOD ? "32" : mark == VIEW_BAD ? "31" : mark == VIEW_LIMITED ? "33" : "2";
}

/* Write what the marks mean. Rare ones are explained only where there is one. */
static int write_legend(const char *marks, char text[LINE_SIZE])
{
	return snprintf(text, LINE_SIZE, "   (. kept the loss ratio, x did not%s%s)",
			strchr(marks, VIEW_LIMITED) ? ", t was limited by the tester" : "",
			strchr(marks, VIEW_WARMUP) ? ", w warmed up" : "");
}

/* Write the marks of the last trials, as many as fit, and what they mean if there is room. */
static void put_marks(struct page *page, const struct view *view)
{
	unsigned int columns = page->style.columns, room = columns > LABEL_COLUMNS ? columns - LABEL_COLUMNS : 0;
	size_t count = strlen(view->marks), width;
	const char *mark = view->marks;
	char legend[LINE_SIZE];

	if (!count || !room || !next_line(page))
		return;
	if (count > room) {
		mark += count - room;
		count = room;
	}
	width = (size_t)write_legend(mark, legend);
	fprintf(page->stream, "  %-*s", LABEL_COLUMNS - 2, "trials");
	while (*mark) {
		unsigned int run = 1;

		while (mark[run] == *mark)
			run++;
		put_run(page, colour_of(*mark), *mark, run);
		mark += run;
	}
	if (!view->goal_count || (count + width > room && !next_line(page)))
		return;
	if (count + width > room)
		fprintf(page->stream, "%.*s", (int)columns, legend + 1);
	else
		fputs(legend, page->stream);
}

static void put_trial(struct page *page, const struct view *view)
{
	char line[2 * LINE_SIZE];

	snprintf(line, sizeof(line), "  %-*s%s for %g s", LABEL_COLUMNS - 2,
		 TEXT_OF(LINE_SIZE, "trial %zu", view->trial_count + 1),
		 isnan(view->load_fps) ? "as fast as it can" : format_si(view->load_fps, "fps", UNIT_ROOM),
		 view->duration_s);
	if (view->warmup)
		text_add(line, sizeof(line), ", to warm up");
	else if (view->goal[0])
		text_add(line, sizeof(line), ", for %s", view->goal);
	if (!isnan(view->last_loss_ratio))
		text_add(line, sizeof(line), "; the last lost %s", format_percent(view->last_loss_ratio, UNIT_ROOM));
	put_line(page, line);
}

static void put_estimate(struct page *page, const struct view *view)
{
	char line[LINE_SIZE];

	if (isnan(view->estimate_fps))
		return;
	snprintf(line, sizeof(line), "  %-*s%s, stdev %s", LABEL_COLUMNS - 2, "estimate",
		 format_si(view->estimate_fps, "fps", UNIT_ROOM), format_si(view->estimate_stdev_fps, "fps", UNIT_ROOM));
	put_line(page, line);
}

/* --- all of it ------------------------------------------------------------------------------------------------------ */

static double sum_of_known(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

void view_add_frames(struct view *view, double sent, double lost)
{
	view->sent_frames = sum_of_known(view->sent_frames, sent);
	view->lost_frames = sum_of_known(view->lost_frames, lost);
}

void view_add_mark(struct view *view, enum view_mark mark)
{
	size_t count = strlen(view->marks);

	if (count == VIEW_MARKS) {
		memmove(view->marks, view->marks + 1, VIEW_MARKS - 1);
		count--;
	}
	view->marks[count] = (char)mark;
	view->marks[count + 1] = '\0';
}

static void put_view(FILE *stream, const struct view *view, struct view_style style)
{
	struct page page = { .stream = stream, .style = style };

	put_title(&page, view);
	for (size_t i = 0; i < view->goal_count; i++)
		put_goal(&page, view, &view->goals[i]);
	put_estimate(&page, view);
	put_marks(&page, view);
	put_trial(&page, view);
}

char *view_render(const struct view *view, struct view_style style)
{
	return TEXT_WRITTEN(stream, NULL, put_view(stream, view, style));
}

static void put_summary(FILE *stream, const struct view *view)
{
	fprintf(stream, "%s%s%s, trial %zu at %s for %g s", view->stage, *view->stage ? ": " : "",
		format_time(view, ROOM(LINE_SIZE)), view->trial_count + 1, view_load(view->load_fps, UNIT_ROOM),
		view->duration_s);
	for (size_t i = 0; i < view->goal_count; i++)
		fprintf(stream, "; %s %s .. %s%s", view->goals[i].name, view_load(view->goals[i].lower_fps, UNIT_ROOM),
			view_load(view->goals[i].upper_fps, UNIT_ROOM), view->goals[i].done ? " done" : "");
	if (!isnan(view->estimate_fps))
		fprintf(stream, "; estimate %s, stdev %s", format_si(view->estimate_fps, "fps", UNIT_ROOM),
			format_si(view->estimate_stdev_fps, "fps", UNIT_ROOM));
}

char *view_line(const struct view *view)
{
	return TEXT_WRITTEN(stream, NULL, put_summary(stream, view));
}
