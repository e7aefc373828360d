/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/thread.h"
#include "config/given.h"
#include "progress/metrics.h"

#define REDRAW_NS (NS_PER_S / 10) /* least time between two drawings, where trials take no time */
#define TICK_NS   NS_PER_S        /* period of drawing, where trials take time */
#define LOOK_NS   (NS_PER_S / 4)  /* period of reading the size of the terminal */
#define LINE_NS   (10 * NS_PER_S) /* period of plain lines */

enum manner { MANNER_UNDECIDED, MANNER_NOTHING, MANNER_VIEW, MANNER_LINES };

/* What the main thread and the ticking one share. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t ticker;
	bool ticking, ending;
	enum manner manner;
	bool colours;
	unsigned int columns, rows; /* size of the terminal at the last drawing */
	unsigned int run, runs;
	char stage[VIEW_STAGE_SIZE]; /* stage of a suite; "": none */
	uint64_t stage_start_ns;
	double stage_after_s, stage_limit_s;
	size_t trial_count; /* single ones that have ended, with those of searches of a suite, and of the last and of all: */
	double last_loss_ratio, sent_frames, lost_frames;
	struct view view;
	uint64_t taken_ns; /* time at which the view was true; its times continue from there, if time passes */
	uint64_t drawn_ns;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- drawing (with the lock held) ----------------------------------------------------------------------------------- */

static enum manner find_manner(const struct config *config)
{
	const char *terminal = getenv("TERM");

	if (message_quiet || (config->format == FORMAT_JSONL && isatty(STDOUT_FILENO)))
		return MANNER_NOTHING;
	if (!isatty(STDERR_FILENO) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0)
		return MANNER_LINES;
	return MANNER_VIEW;
}

/* Return the view as it is now: while a trial runs, time goes on. */
static struct view view_now(bool time_passes)
{
	struct view view = progress.view;
	double since_s = clock_since_s(progress.taken_ns);

	if (!time_passes)
		return view;
	view.elapsed_s += since_s;
	view.remaining_s = fmax(view.remaining_s - since_s, 0);
	if (isnan(progress.view.remaining_s))
		view.remaining_s = NAN;
	return view;
}

static void draw_view(bool time_passes)
{
	struct view view = view_now(time_passes);
	owned char *text = NULL;

	terminal_size(STDERR_FILENO, &progress.columns, &progress.rows);
	/* One column stays free, so that the cursor never wraps. */
	text = view_render(&view, (struct view_style){ progress.columns - 1, progress.rows, progress.colours });
	if (text)
		message_draw_view(text);
	progress.drawn_ns = clock_ns();
}

static void put_line(void)
{
	struct view view = view_now(true);
	owned char *text = view_line(&view);

	if (text)
		note("%s", text);
	progress.drawn_ns = clock_ns();
}

/* --- the ticking thread --------------------------------------------------------------------------------------------- */

static bool size_changed(void)
{
	unsigned int columns, rows;

	terminal_size(STDERR_FILENO, &columns, &rows);
	return columns != progress.columns || rows != progress.rows;
}

static void tick(void)
{
	uint64_t since_ns = clock_ns() - progress.drawn_ns;

	if (progress.manner == MANNER_VIEW && (since_ns >= TICK_NS || size_changed()))
		draw_view(true);
	else if (progress.manner == MANNER_LINES && since_ns >= LINE_NS)
		put_line();
}

static void *keep_ticking(void *)
{
	pthread_mutex_lock(&progress.lock);
	while (!progress.ending) {
		struct timespec next = clock_timespec(clock_ns() + LOOK_NS);

		pthread_cond_timedwait(&progress.changed, &progress.lock, &next);
		if (!progress.ending)
			tick();
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

/* Start the thread. Signals are the main thread's. Without the thread the view only changes with each trial. */
static void start_ticking(void)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	progress.ending = false;
	progress.ticking = thread_start(&progress.ticker, -1, keep_ticking, NULL) == 0;
}

/* --- the main thread ------------------------------------------------------------------------------------------------ */

/* Add what has ended before. */
static void take_ended(struct view *view)
{
	if (!progress.trial_count)
		return;
	view->trial_count += progress.trial_count;
	view_add_frames(view, progress.sent_frames, progress.lost_frames);
	if (isnan(view->last_loss_ratio))
		view->last_loss_ratio = progress.last_loss_ratio;
}

/* Count trials among those that have ended. */
static void add_ended(size_t trials, double sent, double lost, double last_loss_ratio)
{
	progress.trial_count += trials;
	progress.sent_frames += isnan(sent) ? 0 : sent;
	progress.lost_frames += isnan(lost) ? 0 : lost;
	progress.last_loss_ratio = last_loss_ratio;
}

/* Convert the times and trials of a part of a suite to those of the suite. */
static struct view within_stage(const struct view *part)
{
	struct view view = *part;

	if (!progress.stage[0])
		return view;
	take_ended(&view);
	view.elapsed_s = clock_since_s(progress.stage_start_ns);
	view.remaining_s += progress.stage_after_s;
	if (progress.stage_limit_s > 0)
		view.remaining_s = fmin(view.remaining_s, fmax(progress.stage_limit_s - view.elapsed_s, 0));
	return view;
}

void progress_show(const struct config *config, const struct view *part, bool time_passes)
{
	const struct view staged = within_stage(part), *view = &staged;
	bool due;

	metrics_update(view);
	pthread_mutex_lock(&progress.lock);
	if (progress.manner == MANNER_UNDECIDED) {
		progress.manner = find_manner(config);
		progress.colours = !getenv("NO_COLOR");
		if (time_passes && progress.manner != MANNER_NOTHING) {
			progress.drawn_ns = clock_ns();
			start_ticking();
		}
	}
	progress.view = *view;
	progress.taken_ns = clock_ns();
	due = time_passes || progress.taken_ns - progress.drawn_ns >= REDRAW_NS;
	if (progress.manner == MANNER_VIEW && due)
		draw_view(time_passes);
	pthread_mutex_unlock(&progress.lock);
}

void progress_end(void)
{
	bool ticking;

	pthread_mutex_lock(&progress.lock);
	ticking = progress.ticking;
	progress.ticking = false;
	progress.ending = true;
	progress.manner = MANNER_UNDECIDED;
	if (ticking)
		pthread_cond_signal(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
	if (ticking) {
		pthread_join(progress.ticker, NULL);
		pthread_cond_destroy(&progress.changed);
	}
	message_erase_view();
}

void progress_show_end(const struct view *part)
{
	struct view view = within_stage(part);

	if (progress.stage[0] && part->trial_count)
		add_ended(part->trial_count, part->sent_frames, part->lost_frames, part->last_loss_ratio);
	metrics_update(&view);
	progress_end();
}

void progress_run(unsigned int run, unsigned int runs)
{
	progress.run = run;
	progress.runs = runs;
}

void progress_stage(const char *stage, uint64_t start_ns, double after_s, double limit_s)
{
	snprintf(progress.stage, sizeof(progress.stage), "%s", stage);
	progress.stage_start_ns = start_ns;
	progress.stage_after_s = after_s;
	progress.stage_limit_s = limit_s;
}

/* --- states --------------------------------------------------------------------------------------------------------- */

struct view progress_view(const struct config *config)
{
	struct view view = VIEW_UNKNOWN;
	const char *verb = verb_name(config->verb);

	view.run = progress.run;
	view.runs = progress.runs;
	memcpy(view.stage, progress.stage, sizeof(view.stage));
	if (config_uses_ports(config))
		snprintf(view.title, sizeof(view.title), "%s %.30s,%.30s", verb, config->ports[PORT_A].label,
			 config->ports[PORT_B].label);
	else
		snprintf(view.title, sizeof(view.title), "%s over %s", verb,
			 config->measurer_argument ? config->measurer_argument : "stored trials");
	return view;
}

void progress_take_trial(struct view *view, const struct mlr_trial_input *input)
{
	view->load_fps = input->load_fps;
	view->duration_s = input->duration_s;
}

void progress_trial_ended(const struct mlr_trial_counts *counts, int64_t lost, double loss_ratio)
{
	struct view view = view_now(true);

	add_ended(1, (double)counts->sent, (double)lost, loss_ratio);
	view.trial_count = progress.trial_count;
	view.last_loss_ratio = loss_ratio;
	view.sent_frames = progress.sent_frames;
	view.lost_frames = progress.lost_frames;
	metrics_update(&view);
}

void progress_show_trial(const struct config *config, const struct mlr_trial_input *input, double remaining_s)
{
	struct view view = progress_view(config);

	progress_take_trial(&view, input);
	if (!progress.stage[0])
		take_ended(&view);
	view.remaining_s = fmax(input->duration_s + waits_always_s(&config->waits), remaining_s);
	progress_show(config, &view, true);
}
