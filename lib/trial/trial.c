/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/trial.h"

#include <math.h>

#define COUNT_MAX 0x1p63

uint64_t mlr_trial_intended(const struct mlr_trial_input *input)
{
	double count = input->load_fps * input->duration_s;

	if (!(input->load_fps > 0) || !(input->duration_s > 0) || !(count < COUNT_MAX))
		return 0;
	return count < 1 ? 1 : (uint64_t)round(count);
}

void mlr_trial_counts_add(struct mlr_trial_counts *sum, const struct mlr_trial_counts *more)
{
#define TX_COUNTER(name, figure, meaning)              sum->name += more->name;
#define RX_COUNTER(name, figure, kind, known, meaning) sum->name += more->name;
#define RX_DERIVED(name, figure, value, meaning)       sum->name += more->name;
#include "mlr/counters.def"
}

/* Whether more frames than tolerated stayed unsent. The 1e-9 keeps rounding from deciding. */
static bool too_much_unsent(double load_fps, unsigned int transmitters, uint64_t unsent)
{
	return (double)unsent > load_fps * transmitters * MLR_UNSENT_TOLERANCE_S * (1 + 1e-9);
}

struct mlr_trial_verdict mlr_trial_judge(double load_fps, unsigned int transmitters, const struct mlr_trial_counts *counts)
{
	struct mlr_trial_verdict verdict = {
		.unsent = counts->intended > counts->sent ? counts->intended - counts->sent : 0,
		.lost = (int64_t)(counts->sent - counts->received),
		.loss_ratio = 1,
	};
	uint64_t denominator;

	verdict.tester_limited = too_much_unsent(load_fps, transmitters, verdict.unsent);
	denominator = verdict.tester_limited ? counts->intended : counts->sent;
	verdict.negative_loss = counts->received > denominator;
	if (verdict.negative_loss)
		verdict.loss_ratio = 0;
	else if (denominator)
		verdict.loss_ratio = (double)(denominator - counts->received) / (double)denominator;
	return verdict;
}

struct mlr_trial_output mlr_trial_output(const struct mlr_trial_input *input, double loss_ratio, double effective_duration_s)
{
	return (struct mlr_trial_output){
		.loss_ratio = loss_ratio,
		.effective_duration_s = effective_duration_s,
		.forwarding_rate_fps = input->load_fps * (1 - loss_ratio),
	};
}

static bool is_positive(double value)
{
	return isfinite(value) && value > 0;
}

bool mlr_trial_result_valid(const struct mlr_trial_result *result)
{
	const struct mlr_trial_output *output = &result->output;

	return is_positive(result->input.duration_s) && is_positive(result->input.load_fps) && output->loss_ratio >= 0 &&
	       output->loss_ratio <= 1 && is_positive(output->effective_duration_s) &&
	       isfinite(output->forwarding_rate_fps) && output->forwarding_rate_fps >= 0;
}
