/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers with units, and sets of CPUs: what is a value reads back as the same value. */
#include <math.h>

#include "base/cpulist.h"
#include "base/units.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), again[UNIT_TEXT_SIZE], list[4096];
	struct load_spec load;
	double number, same;
	cpu_set_t cpus, cpus_again;

	if (parse_number(text, &number) && (!parse_number(format_number(number, again), &same) || same != number))
		abort();
	parse_ratio(text, &number);
	if (parse_duration(text, &number) && !isfinite(number))
		abort();
	if (parse_load(text, &load) && load.unit != LOAD_MAX && !isfinite(load.value))
		abort();
	if (cpulist_parse(text, &cpus) &&
	    (!cpulist_parse(cpulist_format(&cpus, list, sizeof(list)), &cpus_again) || !CPU_EQUAL(&cpus, &cpus_again)))
		abort();
	free(text);
	return 0;
}
