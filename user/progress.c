/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "manager.h"
#include "say.h"
#include "units.h"

#define REDRAW_NS       (NS_PER_S / 10) /* between lines, where trials take no time */
#define COLUMNS_DEFAULT 80
#define LINE_SIZE       512

static size_t terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : COLUMNS_DEFAULT;
}

static const char *bound_text(double load_fps, char buffer[UNIT_TEXT_SIZE])
{
	return isnan(load_fps) ? "?" : format_si(load_fps, "fps", buffer);
}

static void format_line(const struct search *search, const struct mlr_decision *decision, char line[LINE_SIZE])
{
	char load[UNIT_TEXT_SIZE], lower[UNIT_TEXT_SIZE], upper[UNIT_TEXT_SIZE], elapsed[UNIT_TEXT_SIZE],
		left[UNIT_TEXT_SIZE];
	double lower_fps, upper_fps;

	search_bounds(search, decision->goal, &lower_fps, &upper_fps);
	snprintf(line, LINE_SIZE, "%s: %s .. %s | trial %zu%s: %s, %g s | %s elapsed, about %s to go",
		 search->config->goals[decision->goal].name, bound_text(lower_fps, lower), bound_text(upper_fps, upper),
		 search->trial_count + 1, decision->warmup ? " (warm-up)" : "",
		 format_si(decision->input.load_fps, "fps", load), decision->input.duration_s,
		 format_clock(search_elapsed_s(search), elapsed),
		 format_clock(mlr_controller_remaining_s(search->controller), left));
}

void progress_show(struct search *search, const struct mlr_decision *decision)
{
	uint64_t now_ns;
	char line[LINE_SIZE];

	if (say_quiet || !isatty(STDERR_FILENO))
		return;
	now_ns = clock_ns();
	if (search->measurer->virtual_time && now_ns - search->progress_ns < REDRAW_NS)
		return;
	search->progress_ns = now_ns;
	format_line(search, decision, line);
	/* one column stays free, so that the cursor never wraps */
	fprintf(stderr, SAY_ERASE_LINE "%.*s", (int)terminal_columns() - 1, line);
	fflush(stderr);
}
