/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header computes the power and energy of a SUT (draft-ietf-bmwg-powerbench) from readings of meters. The caller owns
 * all values. Every function is pure, is called once for a result, and keeps nothing. A figure that is not known is NAN.
 */
#ifndef MLR_POWER_H
#define MLR_POWER_H

#include <stdint.h>

enum mlr_power_kind {
	MLR_POWER_NONE,
	MLR_POWER_WATTS,  /* a gauge of power */
	MLR_POWER_JOULES, /* a counter of energy: its growth a second is watts */
};

/* Return what a value measures by its name, without labels behind a '{'. A word of a meter's name ends in "watts" or "joules",
 * perhaps with a prefix. Or the name speaks of power ("psu", "energy") and ends in "_w", "_mw", "_uj" and the like. A limit of
 * power is no meter. */
enum mlr_power_kind mlr_power_kind(const char *name);

/* Return the watts or joules of a value by the unit in its name: 0.002 of 2 "psu_milliwatts". 0: the name has none. */
double mlr_power_si(const char *name, double value);

/* Return the growth of an energy counter that begins again at 0 after `range`. Range 0: a smaller value is a reset. */
uint64_t mlr_power_growth(uint64_t before, uint64_t now, uint64_t range);

struct mlr_power {
	double joules_per_frame, joules_per_bit;
	/* energy of the power above that without load */
	double watts_above_idle, joules_per_frame_above_idle, joules_per_bit_above_idle;
};

/* The energy of a frame and a bit forwarded. The rate is that of all interfaces together, in frames/s; octets count the frame
 * check sequence. Without frames there is no energy of one. */
struct mlr_power mlr_power_of(double watts, double idle_watts, double rate_fps, double frame_octets);

#endif
