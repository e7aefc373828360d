/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Min Load and Max Load of a search or soak (draft-15, 4.6.8.1 and 4.6.8.2). */
#ifndef XDP_MLR_LOAD_RANGE_H
#define XDP_MLR_LOAD_RANGE_H

#include "config.h"
#include "measurer.h"

struct load_range {
	double min_fps, max_fps;
	const char *max_source; /* "option", "line rate" or "calibration" */
};

/* What the user says, else what the link can carry, else what the tester can send (found by a short calibration, which is
 * noted). Of a stored search: exactly its loads. */
enum exit_code load_range_find(const struct config *config, struct measurer *measurer, struct load_range *ret);

#endif
