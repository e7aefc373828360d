/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/measurement.h"

void measurement_free(struct measurement *measurement)
{
	json_decref(measurement->passed_through);
	measurement->passed_through = NULL;
}
