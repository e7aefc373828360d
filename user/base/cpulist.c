/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpulist.h"

#include <stdlib.h>

#include "base/message.h"
#include "base/text_stream.h"

bool cpulist_parse(const char *text, cpu_set_t *ret)
{
	cpu_set_t cpus;
	char *end;

	CPU_ZERO(&cpus);
	while (*text && *text != '\n') {
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (end == text)
			return false;
		if (*end == '-') {
			text = end + 1;
			last = strtoul(text, &end, 10);
			if (end == text)
				return false;
		}
		if (last >= CPU_SETSIZE || first > last || (*end && *end != ',' && *end != '\n'))
			return false;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, &cpus);
		text = end + (*end == ',');
	}
	*ret = cpus;
	return true;
}

const char *cpulist_format(const cpu_set_t *cpus, char *buffer, size_t size)
{
	buffer[0] = '\0';
	for (int first = 0, last; first < CPU_SETSIZE; first = last + 1) {
		last = first;
		if (!CPU_ISSET(first, cpus))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cpus))
			last++;
		text_join(buffer, size, ",", "%d", first);
		if (last > first)
			text_add(buffer, size, "-%d", last);
	}
	return buffer;
}

cpu_set_t cpulist_without(const cpu_set_t *cpus, const cpu_set_t *taken)
{
	cpu_set_t both, rest;

	CPU_AND(&both, cpus, taken);
	CPU_XOR(&rest, cpus, &both);
	return rest;
}
