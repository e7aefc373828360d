/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "manager.h"
#include "metrics.h"
#include "options.h"
#include "say.h"
#include "soak.h"
#include "terminal.h"
#include "view.h"

#define REDRAW_NS (NS_PER_S / 10) /* between drawings, where trials take no time */
#define TICK_NS   NS_PER_S        /* where they do */
#define LOOK_NS   (NS_PER_S / 4)  /* between looks at the size of the terminal */
#define LINE_NS   (10 * NS_PER_S) /* between plain lines */

enum manner { MANNER_UNDECIDED, MANNER_NOTHING, MANNER_VIEW, MANNER_LINES };

/* What the main thread and the ticking one share. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t ticker;
	bool ticking, ending;
	enum manner manner;
	bool colours;
	unsigned int columns, rows; /* as they were when it was drawn last */
	unsigned int run, runs;
	struct view view;
	uint64_t taken_ns; /* when the view was true; its times go on from there, if time passes */
	uint64_t drawn_ns;
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- drawing (with the lock held) ----------------------------------------------------------------------------------- */

static enum manner find_manner(const struct config *config)
{
	const char *terminal = getenv("TERM");

	if (say_quiet || (config->format == FORMAT_JSONL && isatty(STDOUT_FILENO)))
		return MANNER_NOTHING;
	if (!isatty(STDERR_FILENO) || !terminal || !*terminal || strcmp(terminal, "dumb") == 0)
		return MANNER_LINES;
	return MANNER_VIEW;
}

/* The view as it is now: while a trial runs, time goes on. */
static struct view view_now(bool time_passes)
{
	struct view view = progress.view;
	double since_s = (double)(clock_ns() - progress.taken_ns) / (double)NS_PER_S;

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
	char *text;

	terminal_size(&progress.columns, &progress.rows);
	/* one column stays free, so that the cursor never wraps */
	text = view_render(&view, (struct view_style){ progress.columns - 1, progress.rows, progress.colours });
	if (text)
		say_live(text);
	free(text);
	progress.drawn_ns = clock_ns();
}

static void put_line(void)
{
	struct view view = view_now(true);
	char *text = view_line(&view);

	if (text)
		note("%s", text);
	free(text);
	progress.drawn_ns = clock_ns();
}

/* --- the ticking thread --------------------------------------------------------------------------------------------- */

static bool size_changed(void)
{
	unsigned int columns, rows;

	terminal_size(&columns, &rows);
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

static void *keep_ticking(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&progress.lock);
	while (!progress.ending) {
		uint64_t next_ns = clock_ns() + LOOK_NS;
		struct timespec next = { .tv_sec = (time_t)(next_ns / NS_PER_S), .tv_nsec = (long)(next_ns % NS_PER_S) };

		pthread_cond_timedwait(&progress.changed, &progress.lock, &next);
		if (!progress.ending)
			tick();
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

/* Signals are the main thread's. Without the thread the view only changes with each trial. */
static void start_ticking(void)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress.ending = false;
	progress.ticking = pthread_create(&progress.ticker, NULL, keep_ticking, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* --- the main thread ------------------------------------------------------------------------------------------------ */

/* Show a new state. */
static void publish(const struct config *config, const struct view *view, bool time_passes)
{
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
	say_erase_live();
}

void progress_run(unsigned int run, unsigned int runs)
{
	progress.run = run;
	progress.runs = runs;
}

/* --- states --------------------------------------------------------------------------------------------------------- */

static struct view new_view(const struct config *config)
{
	struct view view = VIEW_UNKNOWN;
	const char *verb = verb_name(config->verb);

	view.run = progress.run;
	view.runs = progress.runs;
	if (config_uses_ports(config))
		snprintf(view.title, sizeof(view.title), "%s %.30s,%.30s", verb, config->ports[PORT_A].label,
			 config->ports[PORT_B].label);
	else
		snprintf(view.title, sizeof(view.title), "%s over %s", verb,
			 config->measurer_argument ? config->measurer_argument : "stored trials");
	return view;
}

static void take_trial(struct view *view, const struct mlr_trial_input *input)
{
	view->load_fps = input->load_fps;
	view->duration_s = input->duration_s;
}

/* What is known of a trial that has ended. */
static void take_measurement(struct view *view, const struct measurement *measurement)
{
	view->last_loss_ratio = measurement->result.output.loss_ratio;
	if (!measurement->has_counts)
		return;
	view->sent_frames += (double)measurement->counts.sent;
	view->lost_frames += (double)measurement->verdict.lost;
}

static enum view_mark mark_of(const struct search *search, const struct search_trial *trial)
{
	double loss_ratio = trial->measurement.result.output.loss_ratio;

	if (trial->decision.warmup)
		return VIEW_WARMUP;
	if (trial->measurement.tester_limited)
		return VIEW_LIMITED;
	return loss_ratio <= search->config->goals[trial->decision.goal].loss_ratio ? VIEW_GOOD : VIEW_BAD;
}

static void take_goal(struct view_goal *view, const struct search *search, size_t goal)
{
	snprintf(view->name, sizeof(view->name), "%s", search->config->goals[goal].name);
	search_bounds(search, goal, &view->lower_fps, &view->upper_fps);
	view->throughput_fps = NAN;
	view->done = mlr_controller_goal_done(search->controller, goal);
}

static struct view search_view(const struct search *search)
{
	struct view view = new_view(search->config);

	view.min_load_fps = search->input.min_load_fps;
	view.max_load_fps = search->input.max_load_fps;
	view.goal_count = search->input.goal_count;
	for (size_t goal = 0; goal < view.goal_count; goal++)
		take_goal(&view.goals[goal], search, goal);
	view.trial_count = search->trial_count;
	for (size_t i = 0; i < search->trial_count; i++) {
		take_measurement(&view, &search->trials[i].measurement);
		if (i + VIEW_MARKS >= search->trial_count)
			view_add_mark(&view, mark_of(search, &search->trials[i]));
	}
	view.elapsed_s = search_elapsed_s(search);
	view.remaining_s = mlr_controller_remaining_s(search->controller);
	if (search->config->max_time_s > 0)
		view.remaining_s = fmin(view.remaining_s, fmax(search->config->max_time_s - view.elapsed_s, 0));
	return view;
}

void progress_show(const struct search *search, const struct mlr_decision *decision)
{
	struct view view = search_view(search);

	take_trial(&view, &decision->input);
	view.warmup = decision->warmup;
	snprintf(view.goal, sizeof(view.goal), "%s", search->config->goals[decision->goal].name);
	publish(search->config, &view, !search->measurer->virtual_time);
}

void progress_end_search(const struct search *search)
{
	struct view view = search_view(search);

	for (size_t goal = 0; goal < view.goal_count; goal++)
		view.goals[goal].throughput_fps = search->outcomes[goal].result.conditional_throughput_fps;
	view.remaining_s = 0;
	metrics_update(&view);
	progress_end();
}

void progress_show_soak(const struct soak *soak, const struct mlr_trial_input *input)
{
	struct view view = new_view(soak->config);
	struct mlr_plr_estimate estimate;

	mlr_plr_estimate(soak->plr, &estimate);
	view.min_load_fps = soak->range.min_fps;
	view.max_load_fps = soak->range.max_fps;
	view.estimate_fps = estimate.together.mean_fps;
	view.estimate_stdev_fps = estimate.together.stdev_fps;
	view.trial_count = soak->trial_count;
	for (size_t i = 0; i < soak->trial_count; i++) {
		const struct measurement *trial = &soak->trials[i];

		take_measurement(&view, trial);
		if (i + VIEW_MARKS >= soak->trial_count)
			view_add_mark(&view, trial->tester_limited                 ? VIEW_LIMITED
					     : trial->result.output.loss_ratio > 0 ? VIEW_BAD
										   : VIEW_GOOD);
	}
	take_trial(&view, input);
	view.elapsed_s = soak_elapsed_s(soak);
	view.limit_s = soak->config->max_time_s;
	publish(soak->config, &view, !soak->measurer->virtual_time);
}

void progress_show_trial(const struct config *config, const struct mlr_trial_input *input)
{
	struct view view = new_view(config);
	const struct waits *waits = &config->waits;

	take_trial(&view, input);
	view.remaining_s = input->duration_s + waits->routing_s + waits->learning_s + waits->stabilize_s;
	publish(config, &view, true);
}
