/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads of options, once there is a measurer. */
#ifndef XDP_MLR_CONFIG_LOAD_H
#define XDP_MLR_CONFIG_LOAD_H

#include "config/config.h"

/* A load of the option of this name in frames/s, by the frame size and the measurer's line rate (0: not known). EXIT_USAGE_ERROR
 * for a share of a line rate that is not known. */
enum exit_code option_load_fps(const struct config *config, const char *option, const struct load_spec *load,
			       double line_rate_fps, double *ret_fps);

#endif
