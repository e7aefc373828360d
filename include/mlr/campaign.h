/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A campaign is a matrix of runs, and this header expands the matrix to its points. The caller owns the matrix, and frees
 * the list of points. A matrix is filled in, expanded once, and each of its points is then named.
 *
 * An axis is something that varies, such as frame size or the build of the SUT, and its labels are the values. A point is
 * one label of each axis, with the number of its repeat.
 */
#ifndef MLR_CAMPAIGN_H
#define MLR_CAMPAIGN_H

#include <stddef.h>

#define MLR_AXES_MAX   8
#define MLR_POINTS_MAX 100000
#define MLR_POINT_NAME_SIZE                                                                                                 \
	201 /* octets of a point's name with the closing NUL; it is a file name and leaves room for an ending */
#define MLR_CAMPAIGN_ANY ((size_t)-1)

struct mlr_axis {
	const char *name;
	const char *const *labels;
	size_t label_count;
	size_t product_count; /* the first so many are multiplied with the other axes; others are for included combinations */
};

/* One label of each axis, by index. In an exclusion MLR_CAMPAIGN_ANY stands for all labels of an axis. */
struct mlr_combination {
	size_t labels[MLR_AXES_MAX];
};

struct mlr_matrix {
	const struct mlr_axis *axes;
	size_t axis_count; /* number of axes, at most MLR_AXES_MAX; without an axis there is one combination */
	const struct mlr_combination *excluded;
	size_t excluded_count;
	const struct mlr_combination
		*included; /* combinations that are added unless the product has them; exclusions do not apply to them */
	size_t included_count;
	unsigned int repeats; /* how often every combination is run, at least 1 */
};

struct mlr_campaign_point {
	struct mlr_combination combination;
	unsigned int run; /* the number of the repeat, from 1 */
};

/* Expand a matrix to its points: all combinations once, then all of them again for the next repeat. So a drift of tester or
 * SUT spreads over the combinations, and does not look like a difference between them. Within a repeat the last axis varies
 * fastest, and included combinations come last. The caller frees *ret_points. Returns -EINVAL if the matrix breaks a rule
 * above, -E2BIG above MLR_POINTS_MAX points, or -ENOMEM. */
int mlr_campaign_points(const struct mlr_matrix *matrix, struct mlr_campaign_point **ret_points, size_t *ret_count);

/* Return the name of a point, such as "frame-size=64,build=v1,run=2". It is unique in its matrix, and does not depend on
 * what else the matrix holds. It is fit for a file name: a character of a label that is no letter, digit, '.', '_' or '-'
 * becomes '_'. In that case, or where the name is too long, it ends with a hash of the exact name. */
const char *mlr_campaign_name(const struct mlr_matrix *matrix, const struct mlr_campaign_point *point,
			      char buffer[MLR_POINT_NAME_SIZE]);

#endif
