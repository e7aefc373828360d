/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign: the points that a matrix expands to. An axis is a thing that varies (frame size, build of the SUT), its labels
 * are what it varies over; a point is one label of each axis, and which of its repeats it is.
 */
#ifndef MLR_CAMPAIGN_H
#define MLR_CAMPAIGN_H

#include <stddef.h>

#define MLR_AXES_MAX        8
#define MLR_POINTS_MAX      100000
#define MLR_POINT_NAME_SIZE 201 /* octets of a point's name, with the closing NUL: a file name, with room for an ending */
#define MLR_CAMPAIGN_ANY    ((size_t)-1)

struct mlr_axis {
	const char *name;
	const char *const *labels;
	size_t label_count;
	size_t product_count; /* the first so many are multiplied with the other axes; the others are for included combinations */
};

/* A label of each axis, by its index. In an exclusion MLR_CAMPAIGN_ANY stands for all labels of an axis. */
struct mlr_combination {
	size_t labels[MLR_AXES_MAX];
};

struct mlr_matrix {
	const struct mlr_axis *axes;
	size_t axis_count; /* at most MLR_AXES_MAX; without an axis there is one combination */
	const struct mlr_combination *excluded;
	size_t excluded_count;
	const struct mlr_combination *included; /* added, unless the product has them; exclusions do not touch them */
	size_t included_count;
	unsigned int repeats; /* of every combination, at least 1 */
};

struct mlr_campaign_point {
	struct mlr_combination combination;
	unsigned int run; /* from 1 */
};

/* Every point of a matrix, *ret_points to be freed by the caller: all combinations once, then all of them again. So a drift
 * of tester or SUT spreads over the combinations, and does not look like a difference between them. Within a run the last
 * axis varies fastest, and what is included comes last. Returns -EINVAL for a matrix that breaks what is said above, -E2BIG
 * above MLR_POINTS_MAX,
 * -ENOMEM. */
int mlr_campaign_points(const struct mlr_matrix *matrix, struct mlr_campaign_point **ret_points, size_t *ret_count);

/* "frame-size=64,build=v1,run=2": unique in its matrix, and the same whatever else the matrix holds. Fit for a file name:
 * another character than a letter, a digit, '.', '_' or '-' in a label becomes '_', and then, or where the name is too long,
 * a hash of the exact name stands at its end. */
const char *mlr_campaign_name(const struct mlr_matrix *matrix, const struct mlr_campaign_point *point,
			      char buffer[MLR_POINT_NAME_SIZE]);

#endif
