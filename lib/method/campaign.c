/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mlr/campaign.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define HASH_DIGITS 8
#define RUN_DIGITS  10

/* --- points --------------------------------------------------------------------------------------------------------- */

static bool axis_valid(const struct mlr_axis *axis)
{
	return axis->label_count > 0 && axis->product_count <= axis->label_count;
}

/* Whether every label of a combination exists on its axis. `any` allows MLR_CAMPAIGN_ANY. */
static bool combination_valid(const struct mlr_matrix *matrix, const struct mlr_combination *combination, bool any)
{
	for (size_t i = 0; i < matrix->axis_count; i++)
		if (combination->labels[i] >= matrix->axes[i].label_count &&
		    !(any && combination->labels[i] == MLR_CAMPAIGN_ANY))
			return false;
	return true;
}

static bool matrix_valid(const struct mlr_matrix *matrix)
{
	if (matrix->axis_count > MLR_AXES_MAX || matrix->repeats < 1)
		return false;
	for (size_t i = 0; i < matrix->axis_count; i++)
		if (!axis_valid(&matrix->axes[i]))
			return false;
	for (size_t i = 0; i < matrix->excluded_count; i++)
		if (!combination_valid(matrix, &matrix->excluded[i], true))
			return false;
	for (size_t i = 0; i < matrix->included_count; i++)
		if (!combination_valid(matrix, &matrix->included[i], false))
			return false;
	return true;
}

static bool matches(const struct mlr_matrix *matrix, const struct mlr_combination *rule,
		    const struct mlr_combination *combination)
{
	for (size_t i = 0; i < matrix->axis_count; i++)
		if (rule->labels[i] != MLR_CAMPAIGN_ANY && rule->labels[i] != combination->labels[i])
			return false;
	return true;
}

static bool matches_any(const struct mlr_matrix *matrix, const struct mlr_combination *rules, size_t count,
			const struct mlr_combination *combination)
{
	for (size_t i = 0; i < count; i++)
		if (matches(matrix, &rules[i], combination))
			return true;
	return false;
}

/* Count the combinations of the whole product. Any number above MLR_POINTS_MAX is returned as MLR_POINTS_MAX + 1. */
static size_t product_size(const struct mlr_matrix *matrix)
{
	size_t size = 1;

	for (size_t i = 0; i < matrix->axis_count; i++) {
		size *= matrix->axes[i].product_count;
		if (size > MLR_POINTS_MAX)
			return MLR_POINTS_MAX + 1;
	}
	return size;
}

/* Return combination `index` of the product. The last axis varies fastest. */
static struct mlr_combination product_combination(const struct mlr_matrix *matrix, size_t index)
{
	struct mlr_combination combination = { { 0 } };

	for (size_t i = matrix->axis_count; i-- > 0;) {
		combination.labels[i] = index % matrix->axes[i].product_count;
		index /= matrix->axes[i].product_count;
	}
	return combination;
}

/* Write the combinations of one run to `points`, and return their number. */
static size_t put_combinations(const struct mlr_matrix *matrix, size_t product, struct mlr_campaign_point *points)
{
	size_t count = 0;

	for (size_t i = 0; i < product; i++) {
		struct mlr_combination combination = product_combination(matrix, i);

		if (!matches_any(matrix, matrix->excluded, matrix->excluded_count, &combination))
			points[count++] = (struct mlr_campaign_point){ .combination = combination, .run = 1 };
	}
	for (size_t i = 0; i < matrix->included_count; i++) {
		bool there = false;

		for (size_t j = 0; j < count && !there; j++)
			there = matches(matrix, &matrix->included[i], &points[j].combination);
		if (!there)
			points[count++] = (struct mlr_campaign_point){ .combination = matrix->included[i], .run = 1 };
	}
	return count;
}

int mlr_campaign_points(const struct mlr_matrix *matrix, struct mlr_campaign_point **ret_points, size_t *ret_count)
{
	struct mlr_campaign_point *points, *grown;
	size_t product, count;

	if (!matrix_valid(matrix))
		return -EINVAL;
	product = product_size(matrix);
	if (product > MLR_POINTS_MAX || matrix->included_count > MLR_POINTS_MAX)
		return -E2BIG;
	points = calloc(product + matrix->included_count + 1, sizeof(*points));
	if (!points)
		return -ENOMEM;
	count = put_combinations(matrix, product, points);
	if (count > MLR_POINTS_MAX / matrix->repeats) {
		free(points);
		return -E2BIG;
	}
	grown = realloc(points, (count * matrix->repeats + 1) * sizeof(*points));
	if (!grown) {
		free(points);
		return -ENOMEM;
	}
	for (size_t i = count; i < count * matrix->repeats; i++) {
		grown[i] = grown[i - count];
		grown[i].run++;
	}
	*ret_points = grown;
	*ret_count = count * matrix->repeats;
	return 0;
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* A name that is being written: the text as far as it fits, and the hash of all of it. */
struct name {
	char *text;
	size_t length;
	uint32_t hash; /* FNV-1a */
	bool changed;  /* the text is not the exact name */
};

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
	       c == '-';
}

static void put_character(struct name *name, char c, bool plain)
{
	name->hash = (name->hash ^ (unsigned char)c) * 16777619u;
	if (name->length >= MLR_POINT_NAME_SIZE - 1) {
		name->changed = true;
		return;
	}
	name->text[name->length++] = plain ? c : '_';
	name->changed |= !plain;
}

static void put_word(struct name *name, const char *word)
{
	for (; *word; word++)
		put_character(name, *word, is_plain(*word));
}

static void put_mark(struct name *name, char mark)
{
	put_character(name, mark, true);
}

static void put_run(struct name *name, unsigned int run)
{
	char digits[RUN_DIGITS];
	size_t count = 0;

	put_word(name, "run");
	put_mark(name, '=');
	do {
		digits[count++] = (char)('0' + run % 10);
		run /= 10;
	} while (run);
	while (count)
		put_mark(name, digits[--count]);
}

/* Write '~' and the hash, over the end of the text if there is no room. */
static void put_hash(struct name *name)
{
	static const char digits[] = "0123456789abcdef";

	if (name->length > MLR_POINT_NAME_SIZE - 1 - HASH_DIGITS - 1)
		name->length = MLR_POINT_NAME_SIZE - 1 - HASH_DIGITS - 1;
	name->text[name->length++] = '~';
	for (int shift = 4 * (HASH_DIGITS - 1); shift >= 0; shift -= 4)
		name->text[name->length++] = digits[name->hash >> shift & 15];
}

const char *mlr_campaign_name(const struct mlr_matrix *matrix, const struct mlr_campaign_point *point,
			      char buffer[MLR_POINT_NAME_SIZE])
{
	struct name name = { .text = buffer, .hash = 2166136261u };

	for (size_t i = 0; i < matrix->axis_count; i++) {
		const struct mlr_axis *axis = &matrix->axes[i];

		put_word(&name, axis->name);
		put_mark(&name, '=');
		put_word(&name, axis->labels[point->combination.labels[i]]);
		put_mark(&name, ',');
	}
	put_run(&name, point->run);
	if (name.changed)
		put_hash(&name);
	buffer[name.length] = '\0';
	return buffer;
}
