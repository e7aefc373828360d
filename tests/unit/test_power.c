/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "unit.h"

#include "mlr/power.h"

static void names_say_what_is_a_meter(void **state)
{
	static const struct {
		const char *name;
		enum mlr_power_kind kind;
	} names[] = {
		{ "watts", MLR_POWER_WATTS },
		{ "psu1/Watts", MLR_POWER_WATTS },
		{ "pdu_w", MLR_POWER_WATTS },
		{ "ipmi_power_watts{name=\"max\"}", MLR_POWER_WATTS },
		{ "node_rapl_package_joules_total{path=\"watts\"}", MLR_POWER_JOULES },
		{ "power/package-0/joules", MLR_POWER_JOULES },
		{ "power_limit_watts", MLR_POWER_NONE },
		{ "max_watts", MLR_POWER_NONE },
		{ "rx_packets{unit=\"watts\"}", MLR_POWER_NONE },
		{ "_w", MLR_POWER_NONE },
		{ "", MLR_POWER_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(mlr_power_kind(names[i].name), names[i].kind);
}

static void an_energy_counter_wraps_around(void **state)
{
	(void)state;
	assert_int_equal(mlr_power_growth(10, 25, 100), 15);
	assert_int_equal(mlr_power_growth(90, 5, 100), 15);
	assert_int_equal(mlr_power_growth(100, 0, 100), 0);
	assert_int_equal(mlr_power_growth(7, 7, 100), 0);
	assert_int_equal(mlr_power_growth(90, 5, 0), 5); /* it was reset */
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b);
}

static void energy_is_of_frames_and_bits_forwarded(void **state)
{
	/* watts, idle, frames/s, octets; then by hand: J/frame, J/bit, W above, J/frame above, J/bit above */
	static const double rows[][9] = {
		{ 150, 100, 1e6, 125, 150e-6, 150e-9, 50, 50e-6, 50e-9 },
		{ 100, 100, 5e4, 1250, 2e-3, 2e-7, 0, 0, 0 },
		{ 96, 100, 1000, 1000, 0.096, 12e-6, -4, -0.004, -0.5e-6 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct mlr_power power = mlr_power_of(rows[i][0], rows[i][1], rows[i][2], rows[i][3]);

		assert_true(is_near(power.joules_per_frame, rows[i][4]));
		assert_true(is_near(power.joules_per_bit, rows[i][5]));
		assert_true(is_near(power.watts_above_idle, rows[i][6]));
		assert_true(is_near(power.joules_per_frame_above_idle, rows[i][7]));
		assert_true(is_near(power.joules_per_bit_above_idle, rows[i][8]));
	}
}

static void what_is_not_known_gives_no_figure(void **state)
{
	struct mlr_power without_idle = mlr_power_of(150, NAN, 1e6, 125), without_frames = mlr_power_of(150, 100, 0, 125);
	struct mlr_power without_size = mlr_power_of(150, 100, 1e6, NAN);

	(void)state;
	assert_true(is_near(without_idle.joules_per_frame, 150e-6) && isnan(without_idle.joules_per_frame_above_idle));
	assert_true(isnan(without_idle.watts_above_idle) && isnan(without_idle.joules_per_bit_above_idle));
	assert_true(isnan(without_frames.joules_per_frame) && isnan(without_frames.joules_per_bit));
	assert_true(without_frames.watts_above_idle == 50);
	assert_true(is_near(without_size.joules_per_frame, 150e-6) && isnan(without_size.joules_per_bit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_say_what_is_a_meter),
		cmocka_unit_test(an_energy_counter_wraps_around),
		cmocka_unit_test(energy_is_of_frames_and_bits_forwarded),
		cmocka_unit_test(what_is_not_known_gives_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
