/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/report.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json_value.h"
#include "base/units.h"

/* A library to look for among the loaded ones. */
struct wanted_library {
	const char *prefix; /* first part of its file name */
	char version[32];
};

/* The version of a loaded library is in the name of the file that its soname links to: libxdp.so.1 -> libxdp.so.1.3.1. */
static int find_version(struct dl_phdr_info *info, size_t, void *data)
{
	struct wanted_library *wanted = data;
	owned char *path = strstr(info->dlpi_name, wanted->prefix) ? realpath(info->dlpi_name, NULL) : NULL;
	const char *version = path ? strstr(path, wanted->prefix) : NULL;

	if (version)
		snprintf(wanted->version, sizeof(wanted->version), "%s", version + strlen(wanted->prefix));
	return version != NULL;
}

static json_t *library_version(const char *prefix)
{
	struct wanted_library wanted = { .prefix = prefix };

	return dl_iterate_phdr(find_version, &wanted) ? json_string(wanted.version) : json_null();
}

/* Get what a board's maker calls it, in the device tree. */
static json_t *board_model(void)
{
	closing FILE *stream = fopen("/sys/firmware/devicetree/base/model", "re");
	char text[200] = "";

	if (stream)
		text[fread(text, 1, sizeof(text) - 1, stream)] = '\0';
	return text[0] ? json_string(text) : json_null();
}

/* Get "model name" of the first processor, or the board if there are numbers only (arm64). */
static json_t *cpu_model(void)
{
	char line[256], text[200];

	file_find_line("/proc/cpuinfo", "model name", line, sizeof(line));
	return sscanf(line, "model name : %199[^\n]", text) == 1 ? json_string(text) : board_model();
}

static json_t *utc(time_t moment)
{
	return json_string(format_utc(moment, UNIT_ROOM));
}

json_t *environment_describe(time_t start)
{
	struct utsname machine;

	uname(&machine);
	return json_with("program", "xdp-mlr", "version", XDP_MLR_VERSION, "hostname", machine.nodename, "kernel",
			 machine.release, "machine", machine.machine, "cpu_model", cpu_model(), "cpu_count",
			 sysconf(_SC_NPROCESSORS_ONLN), "libbpf_version", library_version("libbpf.so."), "libxdp_version",
			 library_version("libxdp.so."), "start_time", utc(start));
}
