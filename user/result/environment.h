/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine and the software a result was measured with. */
#ifndef XDP_MLR_RESULT_ENVIRONMENT_H
#define XDP_MLR_RESULT_ENVIRONMENT_H

#include <jansson.h>
#include <time.h>

/* The result document's "environment" of a run that started then. A new reference. */
json_t *environment_describe(time_t start);

#endif
