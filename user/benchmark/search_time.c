/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "benchmark/search_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "benchmark/search.h"
#include "mlr/frame.h"
#include "mlr/sut.h"

#define PLACES              9    /* number of limits that simulated SUTs have */
#define USUAL_SCATTER_RATIO 0.01 /* relative scatter of a limit from trial to trial */
#define MOST_SCATTER_RATIO  0.05
#define MAX_LOAD_GUESS      1.5e6 /* frames/s: what a copy-mode port over veth can send; only for the estimate */
#define BPS_PER_MEGABIT     1e6

/* A search of a simulated SUT. */
struct simulated {
	double duration_s;
	size_t trials;
};

/* --- loads ---------------------------------------------------------------------------------------------------------- */

/* Return the speed of a link, as the kernel tells everybody; 0 if there is none (veth, no carrier). */
static double link_bps(const char *port)
{
	char path[128], line[32];
	double megabits;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", port);
	if (access(path, F_OK))
		return 0; /* no hardware behind it: what it tells of a speed is made up */
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", port);
	if (file_read_line(path, line, sizeof(line)) || sscanf(line, "%lf", &megabits) != 1 || megabits < 0)
		return 0;
	return megabits * BPS_PER_MEGABIT;
}

/* Return the speed of the slowest port; 0: not known. */
static double line_rate_fps(const struct config *config)
{
	double bps = link_bps(config->ports[0].name);

	for (unsigned int i = 1; i < config->port_count; i++)
		bps = fmin(bps, link_bps(config->ports[i].name));
	return config->measurer == MEASURER_XDP && bps > 0 ? mlr_line_rate_fps(bps, config->frame_size_octets) : 0;
}

struct expected_load search_time_max_load(const struct config *config)
{
	double line_fps = line_rate_fps(config);

	if (config->max_load.unit != LOAD_UNSET)
		return (struct expected_load){ "option", load_fps(&config->max_load, config->frame_size_octets, line_fps) };
	if (line_fps > 0)
		return (struct expected_load){ "line rate, or a fresh self-test", line_fps };
	return (struct expected_load){ "fresh self-test, or a short calibration", 0 };
}

double search_time_min_load_fps(const struct config *config)
{
	return load_fps(&config->min_load, config->frame_size_octets, line_rate_fps(config));
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

double search_time_waits_s(const struct config *config, unsigned int lossy)
{
	const struct waits *waits = &config->waits;
	double residual_s = lossy ? waits->residual_s / (lossy == 1 ? 1 : WAIT_QUIET_PART) : 0;

	if (!config_uses_ports(config))
		return 0;
	return waits_always_s(waits) + residual_s;
}

/* Perform one search of a simulated SUT. Returns EXIT_DONE, or another code after a message. */
static enum exit_code simulate(const struct config *config, const struct mlr_controller_input *input, struct mlr_sut *sut,
			       struct simulated *ret)
{
	struct mlr_controller *controller = NULL;
	struct mlr_decision decision;
	enum exit_code code = search_new_controller(config, input, &controller);
	struct simulated search = { 0 };
	unsigned int lossy = 0;

	if (code != EXIT_DONE)
		return code;
	while (mlr_controller_next(controller, &decision) > 0) {
		struct mlr_trial_result result = { .input = decision.input };
		uint64_t sent, lost;

		mlr_sut_trial(sut, &decision.input, &sent, &lost);
		result.output =
			mlr_trial_output(&decision.input, sent ? (double)lost / (double)sent : 1, decision.input.duration_s);
		search.duration_s += decision.input.duration_s + search_time_waits_s(config, lost ? ++lossy : 0);
		search.trials++;
		if (mlr_controller_add(controller, &result))
			break;
	}
	mlr_controller_free(controller);
	*ret = search;
	return EXIT_DONE;
}

static enum exit_code simulate_model(const struct config *config, const struct mlr_controller_input *input,
				     const char *model, struct simulated *ret)
{
	char error[128];
	struct mlr_sut *sut;
	enum exit_code code;

	if (mlr_sut_new(model, &sut, error, sizeof(error)))
		return refuse(EXIT_INCAPABLE, "cannot simulate %s: %s", model, error);
	code = simulate(config, input, sut, ret);
	mlr_sut_free(sut);
	return code;
}

static int by_duration(const void *a, const void *b)
{
	double x = ((const struct simulated *)a)->duration_s, y = ((const struct simulated *)b)->duration_s;

	return (x > y) - (x < y);
}

/* Search SUTs whose capacity scatters by this ratio, and sort by time. Their capacities are spread over the loads of the
 * search, evenly as logarithms. */
static enum exit_code simulate_places(const struct config *config, const struct mlr_controller_input *input,
				      double scatter_ratio, struct simulated searches[PLACES])
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i < PLACES && code == EXIT_DONE; i++) {
		double part = (i + 1.0) / (PLACES + 1);
		char model[128], capacity[UNIT_TEXT_SIZE], sigma[UNIT_TEXT_SIZE];

		format_number(input->min_load_fps * pow(input->max_load_fps / input->min_load_fps, part), capacity);
		format_number(scatter_ratio, sigma);
		if (scatter_ratio > 0)
			snprintf(model, sizeof(model), "jitter,capacity=%s,sigma=%s,seed=%d", capacity, sigma, i + 1);
		else
			snprintf(model, sizeof(model), "hard,capacity=%s", capacity);
		code = simulate_model(config, input, model, &searches[i]);
	}
	qsort(searches, PLACES, sizeof(*searches), by_duration);
	return code;
}

/* Estimate all searches of a run, within its time limit. */
static double whole_s(const struct config *config, double search_s)
{
	double limited_s = config->max_time_s > 0 ? fmin(config->max_time_s, search_s) : search_s;

	return config->repeats > 1 ? config->repeats * limited_s : limited_s;
}

enum exit_code search_time_estimate(const struct config *config, struct search_estimate *estimate)
{
	double max_fps = search_time_max_load(config).load_fps, min_fps = search_time_min_load_fps(config);
	struct mlr_controller_input input = { .goals = config->goals, .goal_count = config->goal_count };
	struct simulated sharp[PLACES], usual[PLACES], blurred[PLACES];
	enum exit_code code;

	input.min_load_fps = min_fps;
	input.max_load_fps = max_fps > 0 ? max_fps : fmax(MAX_LOAD_GUESS, 2 * min_fps);
	if (min_fps <= 0 || min_fps >= input.max_load_fps)
		return EXIT_DONE;
	code = simulate_places(config, &input, 0, sharp)
		       ?: simulate_places(config, &input, USUAL_SCATTER_RATIO, usual)
		       ?: simulate_places(config, &input, MOST_SCATTER_RATIO, blurred);
	if (code != EXIT_DONE)
		return code;
	estimate->least_s = whole_s(config, sharp[0].duration_s);
	estimate->likely_s = whole_s(config, usual[PLACES / 2].duration_s);
	estimate->most_s = fmax(estimate->likely_s, whole_s(config, blurred[PLACES - 1].duration_s));
	estimate->trials = usual[PLACES / 2].trials;
	estimate->assumption = "a SUT with a limit somewhere between Min Load and Max Load that scatters by 1 % (none, 5 %) "
			       "from trial to trial";
	return EXIT_DONE;
}

enum exit_code search_time_s(const struct config *config, double *ret_duration_s)
{
	struct search_estimate estimate = { .likely_s = NAN };
	enum exit_code code = search_time_estimate(config, &estimate);

	*ret_duration_s = estimate.likely_s;
	return code;
}
