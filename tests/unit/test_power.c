/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "unit.h"

#include "mlr/power.h"

static void names_say_what_is_a_meter(void **state)
{
	static const struct {
		const char *name;
		enum mlr_power_kind kind;
		double factor;
	} names[] = {
		{ "watts", MLR_POWER_WATTS, 1 },
		{ "psu1/Watts", MLR_POWER_WATTS, 1 },
		{ "pdu_w", MLR_POWER_WATTS, 1 },
		{ "ipmi_power_watts{name=\"max\"}", MLR_POWER_WATTS, 1 },
		{ "node_rapl_package_joules_total{path=\"watts\"}", MLR_POWER_JOULES, 1 },
		{ "power/package-0/joules", MLR_POWER_JOULES, 1 },
		{ "psu1_milliwatts", MLR_POWER_WATTS, 1e-3 },
		{ "scaph_host_power_microwatts{node=\"a\"}", MLR_POWER_WATTS, 1e-6 },
		{ "outletMilliWatts", MLR_POWER_WATTS, 1e-3 },
		{ "rack_kilowatts", MLR_POWER_WATTS, 1e3 },
		{ "node_hwmon_power_average_watt{chip=\"x\"}", MLR_POWER_WATTS, 1 },
		{ "psu_deciwatts", MLR_POWER_WATTS, 0.1 },
		{ "power_mW", MLR_POWER_WATTS, 1e-3 },
		{ "psu_mWatts", MLR_POWER_WATTS, 1e-3 },
		{ "systemwatts", MLR_POWER_WATTS, 1 },
		{ "powerCapWatts", MLR_POWER_NONE, 0 },
		{ "board_uw", MLR_POWER_WATTS, 1e-6 },
		{ "energy_microjoules", MLR_POWER_JOULES, 1e-6 },
		{ "gpu_millijoules_total", MLR_POWER_JOULES, 1e-3 },
		{ "energy_joule", MLR_POWER_JOULES, 1 },
		{ "intel-rapl/energy_uj", MLR_POWER_JOULES, 1e-6 },
		{ "gpu_mj_total{gpu=\"0\"}", MLR_POWER_JOULES, 1e-3 },
		{ "pdu_watthours_total", MLR_POWER_JOULES, 3600 },
		{ "pdu_kilowatt_hours", MLR_POWER_JOULES, 3.6e6 },
		{ "pdu_kwh", MLR_POWER_JOULES, 3.6e6 },
		{ "node_hwmon_power_cap_watt", MLR_POWER_NONE, 0 },
		{ "joules_per_packet", MLR_POWER_NONE, 0 },
		{ "window", MLR_POWER_NONE, 0 },
		{ "power_limit_watts", MLR_POWER_NONE, 0 },
		{ "max_watts", MLR_POWER_NONE, 0 },
		{ "rx_packets{unit=\"watts\"}", MLR_POWER_NONE, 0 },
		{ "_w", MLR_POWER_NONE, 0 },
		{ "integrated_power_watts", MLR_POWER_WATTS, 1 },
		{ "generated_watts", MLR_POWER_WATTS, 1 },
		{ "maximal_psu_load_watts", MLR_POWER_WATTS, 1 },
		{ "dell_power_watts_now", MLR_POWER_WATTS, 1 },
		{ "psu1_w", MLR_POWER_WATTS, 1 },
		{ "psuMaxWatts", MLR_POWER_NONE, 0 },
		{ "psu_rated_watts", MLR_POWER_NONE, 0 },
		{ "queue_w", MLR_POWER_NONE, 0 },
		{ "cpu_energy_w", MLR_POWER_WATTS, 1 },
		{ "frames_j", MLR_POWER_NONE, 0 },
		{ "supersupply_w", MLR_POWER_NONE, 0 },
		{ "wattson_frames", MLR_POWER_NONE, 0 },
		{ "", MLR_POWER_NONE, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		double factor = mlr_power_si(names[i].name, 1);

		if (mlr_power_kind(names[i].name) != names[i].kind || !(fabs(factor - names[i].factor) <= 1e-9 * factor))
			fail_msg("%s: %g", names[i].name, factor);
	}
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
