/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one value alone cannot show. */
#ifndef XDP_MLR_CONFIG_CHECK_H
#define XDP_MLR_CONFIG_CHECK_H

#include "config/config.h"

/* EXIT_USAGE_ERROR for values that do not go together, or lack another. Completes what follows from several: the goals of a preset, the
 * tests of a suite, the figures of requirements, what a template says of the traffic. */
enum exit_code config_check(struct config *config);

#endif
