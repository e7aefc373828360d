/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/parts.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"

static const char *const states[] = { [PROBE_OK] = "OK", [PROBE_WARN] = "WARN", [PROBE_FAIL] = "FAIL" };

const char *probe_state_name(enum probe_state state)
{
	return states[state];
}

json_t *probe_say(json_t *checks, enum probe_state state, const char *name, const char *format, ...)
{
	va_list arguments;
	json_t *check;

	va_start(arguments, format);
	check = json_with("name", name, "state", states[state], "value", json_vsprintf(format, arguments), "fix",
			  json_null());
	va_end(arguments);
	json_array_append_new(checks, check);
	return check;
}

void probe_fix(json_t *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	json_put(check, "fix", json_vsprintf(format, arguments));
	va_end(arguments);
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

bool probe_read_line(const char *root, char line[PROBE_LINE_SIZE], const char *format, ...)
{
	char path[FILES_PATH_SIZE];
	size_t used = (size_t)snprintf(path, sizeof(path), "%s", root);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path + used, sizeof(path) - used, format, arguments);
	va_end(arguments);
	return !file_read_line(path, line, PROBE_LINE_SIZE) && *line;
}

bool probe_read_cpus(const char *root, const char *path, cpu_set_t *ret)
{
	char line[PROBE_LINE_SIZE];

	CPU_ZERO(ret);
	if (file_read_line(TEXT_OF(FILES_PATH_SIZE, "%s%s", root, path), line, sizeof(line)))
		return false;
	return !strcmp(line, "(null)") || cpulist_parse(line, ret); /* Older kernels write "(null)" for an empty list. */
}

/* --- the worst ------------------------------------------------------------------------------------------------------ */

static enum probe_state worse(enum probe_state a, enum probe_state b)
{
	return a > b ? a : b;
}

static enum probe_state state_of(const json_t *check)
{
	size_t state = place_of_word(read_text(check, "state"), states, COUNT(states));

	return state < COUNT(states) ? (enum probe_state)state : PROBE_FAIL;
}

static enum probe_state worst_of_ports(const json_t *ports)
{
	enum probe_state worst = PROBE_OK;

	json_each (port, ports)
		worst = worse(worst, probe_worst(json_object_get(port, "checks")));
	return worst;
}

enum probe_state probe_worst(const json_t *checks)
{
	enum probe_state worst = PROBE_OK;

	if (json_is_object(checks))
		return worse(probe_worst(json_object_get(checks, "machine")),
			     worst_of_ports(json_object_get(checks, "ports")));
	json_each (check, checks)
		worst = worse(worst, state_of(check));
	return worst;
}
