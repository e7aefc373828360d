/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/measurement.h"

#include <stdlib.h>

void measurement_free(struct measurement *measurement)
{
	free(measurement->intervals);
	measurement->intervals = NULL;
	measurement->interval_count = 0;
	free(measurement->services);
	free(measurement->seconds);
	measurement->services = NULL;
	measurement->seconds = NULL;
	json_decref(measurement->passed_through);
	measurement->passed_through = NULL;
}
