/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SUT on two ports of this machine, for another tester. */
#ifndef XDP_MLR_LAB_ON_H
#define XDP_MLR_LAB_ON_H

#include "config/config.h"
#include "lab/spec.h"

/* Be the SUT until a stop is requested. Nothing stays on the ports, however the process ends. */
enum exit_code lab_on(const struct config *config, const struct sut_spec *sut);

#endif
