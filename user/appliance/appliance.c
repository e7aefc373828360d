/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/appliance.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"

void appliance_say(struct appliance *appliance, const char *format, ...)
{
	char text[RECORD_LINE_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	record_add(&appliance->record, text, true);
}

const struct run_settings *appliance_run(const struct appliance *appliance)
{
	return &appliance->settings.runs[appliance->run];
}

bool appliance_measures(const struct appliance *appliance)
{
	return appliance->phase == PHASE_RUNNING;
}

struct view appliance_view(const struct appliance *appliance)
{
	struct view view = appliance->watch.view;
	uint64_t now_ns = clock_ns();

	if (!appliance_measures(appliance))
		return view;
	view.elapsed_s = (double)(now_ns - appliance->run_began_ns) / (double)NS_PER_S;
	if (!isnan(appliance->watch.remaining_s))
		view.remaining_s = fmax(
			appliance->watch.remaining_s - (double)(now_ns - appliance->metrics_read_ns) / (double)NS_PER_S, 0);
	return view;
}

/* Write "run 2 of 3 (night)", or nothing if there is only one run. */
static void describe_run(const struct appliance *appliance, char buffer[APPLIANCE_STATUS_SIZE / 2])
{
	const struct schedule_settings *schedule = &appliance->settings.schedule;
	const size_t size = APPLIANCE_STATUS_SIZE / 2;

	buffer[0] = '\0';
	if (appliance->settings.run_count > 1)
		text_add(buffer, size, ", run %u of %u (%.40s)", appliance->run + 1, appliance->settings.run_count,
			 appliance_run(appliance)->name);
	if (schedule->rounds == SETTINGS_FOREVER)
		text_add(buffer, size, ", round %u", appliance->rounds.begun);
	else if (schedule->rounds > 1)
		text_add(buffer, size, ", round %u of %u", appliance->rounds.begun, schedule->rounds);
}

const char *appliance_status(const struct appliance *appliance, char buffer[APPLIANCE_STATUS_SIZE])
{
	static const char *const phases[] = {
		[PHASE_UNCONFIGURED] = "no configuration; nothing will be sent",
		[PHASE_WRONG] = "the configuration is wrong; nothing will be sent",
		[PHASE_CHECKING] = "reading the configuration",
		[PHASE_WAITING] = "waiting for the next round",
		[PHASE_RUNNING] = "running",
		[PHASE_CLEANING] = "cleaning up after a crash",
		[PHASE_BACKING_OFF] = "waiting to try again after a crash",
		[PHASE_RENDERING] = "rendering the result",
		[PHASE_HANDING_OVER] = "handing the result over",
		[PHASE_DONE] = "done",
		[PHASE_ENDING] = "switching off",
	};
	char run[APPLIANCE_STATUS_SIZE / 2] = "", when[UNIT_TEXT_SIZE] = "";
	bool of_run = appliance->phase == PHASE_RUNNING || appliance->phase == PHASE_CLEANING ||
		      appliance->phase == PHASE_BACKING_OFF;

	if (of_run)
		describe_run(appliance, run);
	if (appliance->phase == PHASE_WAITING)
		format_utc(appliance->next_round, when);
	snprintf(buffer, APPLIANCE_STATUS_SIZE, "%s%s%s%s", phases[appliance->phase], run, *when ? ", at " : "", when);
	return buffer;
}

const char *appliance_port_verdict(const json_t *port)
{
	const json_t *native = json_object_get(port, "native_xdp"), *zero_copy = json_object_get(port, "zero_copy");

	if (!json_is_boolean(native))
		return "not known until it is tried (key p)";
	if (!json_is_true(native))
		return "generic XDP only: slow";
	if (!json_is_boolean(zero_copy))
		return "native XDP; zero-copy not known";
	return json_is_true(zero_copy) ? "native XDP, zero-copy" : "native XDP, AF_XDP copies";
}

bool appliance_may_begin_again(const struct appliance *appliance)
{
	return !job_runs(&appliance->job) && appliance->phase != PHASE_BACKING_OFF &&
	       appliance->phase != PHASE_HANDING_OVER && appliance->phase != PHASE_ENDING;
}

bool appliance_may_stop_run(const struct appliance *appliance)
{
	return appliance->phase == PHASE_RUNNING && job_runs(&appliance->job);
}

bool appliance_may_probe(const struct appliance *appliance)
{
	return appliance->phase != PHASE_RUNNING && !job_runs(&appliance->probe_job);
}
