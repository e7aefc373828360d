/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of an external measurer. */
#include "json.h"
#include "measurer/exec.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mlr_trial_input input = { .duration_s = 1, .load_fps = 1000 };
	struct measurement measurement;

	reader_parse_here();
	if (read_answer((const char *)data, size, &input, &measurement) != EXIT_DONE)
		return 0;
	if (!mlr_trial_result_valid(&measurement.result))
		abort();
	json_decref(measurement.passed_through);
	return 0;
}
