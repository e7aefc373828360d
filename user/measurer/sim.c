/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A measurer over a simulated SUT of libmlr: no frames, no time. */
#include <errno.h>
#include <stdlib.h>

#include "base/json_value.h"
#include "measurer/measurer_new.h"
#include "mlr/sut.h"

struct measurer_sim {
	struct measurer base;
	struct mlr_sut *sut;
};

static enum exit_code sim_measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	struct measurer_sim *sim = (struct measurer_sim *)measurer;
	uint64_t sent, lost;

	mlr_sut_trial(sim->sut, input, &sent, &lost);
	*ret = (struct measurement){
		.has_counts = true,
		.counts = { .intended = sent, .sent = sent, .received = sent - lost },
		.has_attribution = true,
		.attribution = { .sut = (int64_t)lost },
	};
	ret->verdict = mlr_trial_judge(input->load_fps, measurer->transmitters, &ret->counts);
	ret->result.input = *input;
	ret->result.output = mlr_trial_output(input, ret->verdict.loss_ratio, input->duration_s);
	return EXIT_DONE;
}

static json_t *sim_describe(struct measurer *measurer)
{
	return json_with("name", "sim", "model", measurer->config->measurer_argument);
}

static json_t *sim_traffic_profile(struct measurer *)
{
	return json_with("description", "simulated frames");
}

static void sim_free(struct measurer *measurer)
{
	struct measurer_sim *sim = (struct measurer_sim *)measurer;

	mlr_sut_free(sim->sut);
	free(sim);
}

static const struct measurer_ops sim_ops = {
	.measure = sim_measure,
	.describe = sim_describe,
	.traffic_profile = sim_traffic_profile,
	.free = sim_free,
};

enum exit_code measurer_sim_new(const struct config *config, struct measurer **ret)
{
	struct measurer_sim *sim = calloc(1, sizeof(*sim));
	char reason[256];
	int error;

	if (!sim)
		return out_of_memory();
	error = mlr_sut_new(config->measurer_argument, &sim->sut, reason, sizeof(reason));
	if (error) {
		free(sim);
		if (error == -ENOMEM)
			return out_of_memory();
		return refuse(EXIT_USAGE_ERROR, "--measurer 'sim:%s': %s", config->measurer_argument, reason);
	}
	sim->base = (struct measurer){ .ops = &sim_ops, .virtual_time = true, .transmitters = 1 };
	*ret = &sim->base;
	return EXIT_DONE;
}
