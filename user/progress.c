/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "manager.h"
#include "say.h"
#include "soak.h"
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

/* Whether a line is to be drawn now. Where trials take no time, not one for each. */
static bool wanted(bool virtual_time, uint64_t *drawn_ns)
{
	uint64_t now_ns = clock_ns();

	if (say_quiet || !isatty(STDERR_FILENO) || (virtual_time && now_ns - *drawn_ns < REDRAW_NS))
		return false;
	*drawn_ns = now_ns;
	return true;
}

static void draw(const char *line)
{
	/* one column stays free, so that the cursor never wraps */
	fprintf(stderr, SAY_ERASE_LINE "%.*s", (int)terminal_columns() - 1, line);
	fflush(stderr);
}

void progress_show(struct search *search, const struct mlr_decision *decision)
{
	char line[LINE_SIZE];

	if (!wanted(search->measurer->virtual_time, &search->progress_ns))
		return;
	format_line(search, decision, line);
	draw(line);
}

void progress_show_soak(struct soak *soak, const struct mlr_trial_input *input)
{
	char line[LINE_SIZE], mean[UNIT_TEXT_SIZE], stdev[UNIT_TEXT_SIZE], load[UNIT_TEXT_SIZE], elapsed[UNIT_TEXT_SIZE],
		limit[UNIT_TEXT_SIZE];
	struct mlr_plr_estimate estimate;

	if (!wanted(soak->measurer->virtual_time, &soak->progress_ns))
		return;
	mlr_plr_estimate(soak->plr, &estimate);
	snprintf(line, sizeof(line), "critical load: %s, stdev %s | trial %zu: %s, %g s | %s of %s elapsed",
		 format_si(estimate.together.mean_fps, "fps", mean), format_si(estimate.together.stdev_fps, "fps", stdev),
		 soak->trial_count + 1, format_si(input->load_fps, "fps", load), input->duration_s,
		 format_clock(soak_elapsed_s(soak), elapsed), format_clock(soak->config->max_time_s, limit));
	draw(line);
}
