/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A controller that is asked and answered trial by trial, by SUTs of every temper, and all that was said. */
#ifndef MLR_ANSWERED_SEARCH_H
#define MLR_ANSWERED_SEARCH_H

#include "mlr/controller.h"
#include "unit.h"

#define TRIALS_MAX 40000

/* Something that answers trials. */
struct answerer {
	double (*loss_ratio)(struct answerer *answerer, const struct mlr_trial_input *input);
	const double *list; /* answers in order */
	double capacity_fps;
	double effective_ratio; /* Trial Effective Duration by Trial Duration; 0: they are the same */
	uint64_t random;
};

/* Too large for the stack. */
struct search {
	struct mlr_controller_input input;
	struct mlr_controller *controller;
	struct mlr_decision decisions[TRIALS_MAX];
	struct mlr_trial_result trials[TRIALS_MAX];
	size_t count;
};

/* One trial. False if none is wanted. */
static inline bool search_step(struct search *search, struct answerer *answerer)
{
	struct mlr_decision *decision = &search->decisions[search->count];
	struct mlr_trial_result *trial = &search->trials[search->count];

	assert_true(search->count < TRIALS_MAX - 1);
	if (!mlr_controller_next(search->controller, decision))
		return false;
	*trial = make_trial(decision->input.load_fps, decision->input.duration_s,
			    answerer->loss_ratio(answerer, &decision->input));
	if (answerer->effective_ratio > 0)
		trial->output.effective_duration_s *= answerer->effective_ratio;
	assert_int_equal(mlr_controller_add(search->controller, trial), 0);
	search->count++;
	return true;
}

static inline struct mlr_goal_result search_result(const struct search *search, size_t goal)
{
	struct mlr_goal_result result;

	assert_int_equal(mlr_controller_goal_result(search->controller, goal, &result), 0);
	return result;
}

static inline double answer_from_list(struct answerer *answerer, const struct mlr_trial_input *input)
{
	(void)input;
	return *answerer->list++;
}

/* Loses all beyond a capacity. */
static inline double answer_hard(struct answerer *answerer, const struct mlr_trial_input *input)
{
	return fmax(0, 1 - answerer->capacity_fps / input->load_fps);
}

static inline double answer_jitter(struct answerer *answerer, const struct mlr_trial_input *input)
{
	double capacity_fps = answerer->capacity_fps * (1 + 0.04 * (random_unit(&answerer->random) - 0.5));

	return fmax(0, 1 - capacity_fps / input->load_fps);
}

/* Anything at any load. */
static inline double answer_nonsense(struct answerer *answerer, const struct mlr_trial_input *input)
{
	static const double often[] = { 0, 0, 0, 0.001, 0.005, 0.006, 0.02, 1 };
	uint64_t choice = random_below(&answerer->random, COUNT_OF(often) + 1);

	(void)input;
	return choice < COUNT_OF(often) ? often[choice] : random_unit(&answerer->random);
}

#endif
