/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every controller is made of: a struct mlr_controller as its first member, and the operations of its algorithm.
 */
#ifndef MLR_CONTROLLER_PRIVATE_H
#define MLR_CONTROLLER_PRIVATE_H

#include "mlr/controller.h"

struct mlr_controller_ops {
	/* Free what the algorithm owns and the controller itself; the results are freed by mlr_controller_free(). */
	void (*free)(struct mlr_controller *controller);

	/* The operations of mlr/controller.h of the same name. `next` is asked once a decision; `add` gets results that are
	 * in range, with the decision still open that they answer, or at least follow, if there was one. */
	int (*next)(struct mlr_controller *controller, struct mlr_decision *ret_decision);
	int (*add)(struct mlr_controller *controller, const struct mlr_trial_result *result);
	bool (*goal_done)(const struct mlr_controller *controller, size_t goal);
	double (*remaining_s)(const struct mlr_controller *controller);

	/* Null for an algorithm that does not look for it. */
	bool (*sut_remembers)(const struct mlr_controller *controller);

	/* Null for an algorithm whose Goal Results are those of draft-15. */
	int (*goal_result)(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret);
};

struct mlr_controller {
	const struct mlr_controller_ops *ops;
	struct mlr_results *results;
	double min_load_fps;
	double max_load_fps;
	bool has_decision; /* open, since the last result */
	struct mlr_decision decision;
};

/* Check an input and set up the common part. 0, -EINVAL or -ENOMEM. */
int mlr_controller_init(struct mlr_controller *controller, const struct mlr_controller_ops *ops,
			const struct mlr_controller_input *input);

#endif
