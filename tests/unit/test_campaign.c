/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix expands to every combination that is meant, once a run, under a name of its own. */
#include <errno.h>

#include "mlr/campaign.h"
#include "unit.h"

static const char *const sizes[] = { "64", "512", "1518", "9000" };
static const char *const builds[] = { "v1", "v2" };

static const struct mlr_axis axes[] = {
	{ .name = "frame-size", .labels = sizes, .label_count = 4, .product_count = 3 },
	{ .name = "build", .labels = builds, .label_count = 2, .product_count = 2 },
};

static struct mlr_matrix matrix_of(unsigned int repeats)
{
	return (struct mlr_matrix){ .axes = axes, .axis_count = COUNT_OF(axes), .repeats = repeats };
}

/* The names of all points, joined by blanks; "-EXXX" where there are none. */
static char *names_of(const struct mlr_matrix *matrix)
{
	struct mlr_campaign_point *points = NULL;
	char name[MLR_POINT_NAME_SIZE], *text;
	size_t count = 0, length;
	int error = mlr_campaign_points(matrix, &points, &count);
	FILE *stream = open_memstream(&text, &length);

	assert_non_null(stream);
	assert_int_equal(error, 0);
	for (size_t i = 0; i < count; i++)
		fprintf(stream, "%s%s", i ? " " : "", mlr_campaign_name(matrix, &points[i], name));
	fclose(stream);
	free(points);
	return text;
}

static void assert_names(const struct mlr_matrix *matrix, const char *expected)
{
	char *names = names_of(matrix);

	assert_string_equal(names, expected);
	free(names);
}

static void every_combination_comes_once_a_run_the_last_axis_fastest(void **state)
{
	struct mlr_matrix matrix = matrix_of(2);

	(void)state;
	assert_names(&matrix, "frame-size=64,build=v1,run=1 frame-size=64,build=v2,run=1 frame-size=512,build=v1,run=1 "
			      "frame-size=512,build=v2,run=1 frame-size=1518,build=v1,run=1 frame-size=1518,build=v2,run=1 "
			      "frame-size=64,build=v1,run=2 frame-size=64,build=v2,run=2 frame-size=512,build=v1,run=2 "
			      "frame-size=512,build=v2,run=2 frame-size=1518,build=v1,run=2 frame-size=1518,build=v2,run=2");
}

static void without_an_axis_there_is_one_combination(void **state)
{
	struct mlr_matrix matrix = { .repeats = 3 };

	(void)state;
	assert_names(&matrix, "run=1 run=2 run=3");
}

static void exclusions_take_away_what_matches_all_of_them(void **state)
{
	static const struct mlr_combination excluded[] = { { { 0, 1 } }, { { 2, MLR_CAMPAIGN_ANY } } };
	struct mlr_matrix matrix = matrix_of(1);

	(void)state;
	matrix.excluded = excluded;
	matrix.excluded_count = 2;
	assert_names(&matrix, "frame-size=64,build=v1,run=1 frame-size=512,build=v1,run=1 frame-size=512,build=v2,run=1");
}

static void what_is_included_comes_last_and_once_and_is_not_excluded(void **state)
{
	static const struct mlr_combination excluded[] = { { { MLR_CAMPAIGN_ANY, 1 } } };
	static const struct mlr_combination included[] = { { { 3, 1 } }, { { 0, 0 } }, { { 3, 1 } } };
	struct mlr_matrix matrix = matrix_of(1);

	(void)state;
	matrix.excluded = excluded;
	matrix.excluded_count = 1;
	matrix.included = included;
	matrix.included_count = 3;
	assert_names(&matrix, "frame-size=64,build=v1,run=1 frame-size=512,build=v1,run=1 frame-size=1518,build=v1,run=1 "
			      "frame-size=9000,build=v2,run=1");
}

static int expand(const struct mlr_matrix *matrix)
{
	struct mlr_campaign_point *points = NULL;
	size_t count = 12345;
	int error = mlr_campaign_points(matrix, &points, &count);

	if (error) {
		assert_null(points);
		assert_int_equal(count, 12345);
	}
	free(points);
	return error;
}

static void a_matrix_that_is_none_is_refused(void **state)
{
	static const struct mlr_combination beyond[] = { { { 4, 0 } } }, any[] = { { { MLR_CAMPAIGN_ANY, 0 } } };
	struct mlr_axis broken[] = { axes[0], { .name = "empty" } };
	struct mlr_matrix matrix = matrix_of(0);

	(void)state;
	assert_int_equal(expand(&matrix), -EINVAL);
	matrix = matrix_of(1);
	matrix.excluded = matrix.included = beyond;
	matrix.excluded_count = 1;
	assert_int_equal(expand(&matrix), -EINVAL);
	matrix.excluded_count = 0;
	matrix.included_count = 1;
	assert_int_equal(expand(&matrix), -EINVAL);
	matrix.included = any;
	assert_int_equal(expand(&matrix), -EINVAL);
	matrix = matrix_of(1);
	matrix.axes = broken;
	assert_int_equal(expand(&matrix), -EINVAL);
	matrix.axis_count = MLR_AXES_MAX + 1;
	assert_int_equal(expand(&matrix), -EINVAL);
}

static void more_points_than_anybody_means_are_refused(void **state)
{
	static const char *labels[1000];
	struct mlr_axis large[MLR_AXES_MAX];
	struct mlr_matrix matrix = { .axes = large, .axis_count = 2, .repeats = 1 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(labels); i++)
		labels[i] = "x";
	for (size_t i = 0; i < MLR_AXES_MAX; i++)
		large[i] = (struct mlr_axis){ .name = "a", .labels = labels, .label_count = 1000, .product_count = 1000 };
	assert_int_equal(expand(&matrix), -E2BIG);
	matrix.axis_count = MLR_AXES_MAX; /* whose product is beyond any integer */
	assert_int_equal(expand(&matrix), -E2BIG);
	matrix.axis_count = 1;
	matrix.repeats = 100;
	assert_int_equal(expand(&matrix), 0);
	matrix.repeats = 101;
	assert_int_equal(expand(&matrix), -E2BIG);
}

static void names_are_fit_for_files_and_apart(void **state)
{
	static char long_label[500];
	static const char *const odd[] = { "a/b", "a_b", "a b", "sim:hard,capacity=1e6", "..", long_label, "\xc3\xa4" };
	static const struct mlr_axis axis = { .name = "sut", .labels = odd, .label_count = 7, .product_count = 7 };
	struct mlr_matrix matrix = { .axes = &axis, .axis_count = 1, .repeats = 1 };
	struct mlr_campaign_point *points;
	char names[7][MLR_POINT_NAME_SIZE];
	size_t count;

	(void)state;
	memset(long_label, 'x', sizeof(long_label) - 1);
	assert_int_equal(mlr_campaign_points(&matrix, &points, &count), 0);
	assert_int_equal(count, 7);
	for (size_t i = 0; i < count; i++) {
		mlr_campaign_name(&matrix, &points[i], names[i]);
		assert_true(strlen(names[i]) < MLR_POINT_NAME_SIZE);
		assert_int_equal(strspn(names[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,=~"),
				 strlen(names[i]));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
	}
	assert_string_equal(names[1], "sut=a_b,run=1");
	assert_memory_equal(names[0], "sut=a_b,run=1~", 14);
	assert_int_equal(strlen(names[5]), MLR_POINT_NAME_SIZE - 1);
	free(points);
}

static void long_names_that_begin_alike_differ(void **state)
{
	static char one[300], other[300];
	static const char *const labels[] = { one, other };
	static const struct mlr_axis axis = { .name = "a", .labels = labels, .label_count = 2, .product_count = 2 };
	struct mlr_matrix matrix = { .axes = &axis, .axis_count = 1, .repeats = 12 };
	struct mlr_campaign_point points[] = { { .run = 12 }, { .combination = { { 1 } }, .run = 12 }, { .run = 1 } };
	char names[3][MLR_POINT_NAME_SIZE];

	(void)state;
	memset(one, 'x', sizeof(one) - 1);
	memset(other, 'x', sizeof(other) - 1);
	other[298] = 'y';
	for (size_t i = 0; i < 3; i++)
		mlr_campaign_name(&matrix, &points[i], names[i]);
	assert_string_not_equal(names[0], names[1]);
	assert_string_not_equal(names[0], names[2]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_combination_comes_once_a_run_the_last_axis_fastest),
		cmocka_unit_test(without_an_axis_there_is_one_combination),
		cmocka_unit_test(exclusions_take_away_what_matches_all_of_them),
		cmocka_unit_test(what_is_included_comes_last_and_once_and_is_not_excluded),
		cmocka_unit_test(a_matrix_that_is_none_is_refused),
		cmocka_unit_test(more_points_than_anybody_means_are_refused),
		cmocka_unit_test(names_are_fit_for_files_and_apart),
		cmocka_unit_test(long_names_that_begin_alike_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
