/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header has the common part of every search algorithm. An algorithm's structure has a struct mlr_controller as its
 * first member, and owns it together with the results in it. It is set up by mlr_controller_init() and freed by
 * mlr_controller_free(), which calls the algorithm's `free`.
 */
#ifndef MLR_CONTROLLER_PRIVATE_H
#define MLR_CONTROLLER_PRIVATE_H

#include "mlr/controller.h"

struct mlr_controller_ops {
	/* Free what the algorithm owns, and the controller itself. mlr_controller_free() frees the results. */
	void (*free)(struct mlr_controller *controller);

	/* The operations have the names of the functions in mlr/controller.h. `next` is called once for each decision. `add`
	 * gets results that are in range. The open decision that the result answers or follows is still set. */
	int (*next)(struct mlr_controller *controller, struct mlr_decision *ret_decision);
	int (*add)(struct mlr_controller *controller, const struct mlr_trial_result *result);
	bool (*goal_done)(const struct mlr_controller *controller, size_t goal);
	double (*remaining_s)(const struct mlr_controller *controller);

	/* NULL for an algorithm that does not test for it. */
	bool (*sut_remembers)(const struct mlr_controller *controller);

	/* NULL for an algorithm whose Goal Results are those of RFC 9971. */
	int (*goal_result)(const struct mlr_controller *controller, size_t goal, struct mlr_goal_result *ret);
};

struct mlr_controller {
	const struct mlr_controller_ops *ops;
	struct mlr_results *results;
	double min_load_fps;
	double max_load_fps;
	bool has_decision; /* a decision is open since the last result */
	struct mlr_decision decision;
};

/* Check an input and set up the common part. Returns 0, -EINVAL or -ENOMEM. */
int mlr_controller_init(struct mlr_controller *controller, const struct mlr_controller_ops *ops,
			const struct mlr_controller_input *input);

#endif
