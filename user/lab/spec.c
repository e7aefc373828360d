/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/sut.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text_stream.h"
#include "base/units.h"

#define POLICER_BURST_DEFAULT_S 100e-6
#define DELAY_MAX_US            100e3
/* Part of the critical load: only narrow curves of PLRsearch end at 1 - critical / load. */
#define SPREAD_MAX_RATIO 0.1
#define VLAN_MAX         4095
#define PRIORITY_MAX     7
#define QUEUE_MAX_S      3600.0
#define DEPTH_MAX        1000000
#define ANY              -1
#define BY_BURST         -1
#define SEED_MAX         0x1p53 /* the whole numbers that a double holds */

static bool read_rate(const char *text, double *ret_fps)
{
	struct load_spec load;

	if (!parse_load(text, &load) || load.unit != LOAD_FPS || load.value <= 0.0)
		return false;
	*ret_fps = load.value;
	return true;
}

static bool read_whole(const char *text, double *ret)
{
	return parse_number(text, ret) && *ret == floor(*ret);
}

/* 1 for the wall's. */
static bool read_clock(const char *text, double *ret)
{
	*ret = strcmp(text, "wall") == 0;
	return *ret > 0 || strcmp(text, "tag") == 0;
}

/* 1 for those of any generator. */
static bool read_frames(const char *text, double *ret)
{
	*ret = strcmp(text, "udp") == 0;
	return *ret > 0 || strcmp(text, "own") == 0;
}

struct parameter {
	const char *key;
	size_t offset; /* offset of a double in struct sut_spec; NAN until it is given */
	bool (*read)(const char *text, double *ret);
	double least, most;
	const char *range; /* range in words, for the message about a wrong value */
	double fallback;   /* NAN: it must be given */
};

#define FIELD(name) offsetof(struct sut_spec, name)
#define RATE_RANGE  "a rate above 0 in frames/s, as 200000 or 200kfps"
#define PARAMETERS  7

/* The kinds, in the order in which messages name them. */
static const struct {
	const char *name, *usage;
	struct parameter parameters[PARAMETERS]; /* the unused ones have no key */
} kinds[SUT_KINDS] = {
	[SUT_ROUTER] = { "router", "router", { { 0 } } },
	[SUT_BRIDGE] = { "bridge", "bridge", { { 0 } } },
	[SUT_XDP] = { "xdp", "xdp", { { 0 } } },
	[SUT_POLICER] = { "policer",
			  "policer:rate=FPS,burst=TIME,depth=N,clock=tag|wall,frames=own|udp,vlan=VID,priority=N",
			  { { "rate", FIELD(rate_fps), read_rate, 0, INFINITY, RATE_RANGE, NAN },
			    { "burst", FIELD(burst_s), parse_duration, 0, 1, "a time from 0 to 1 s, as 100us",
			      POLICER_BURST_DEFAULT_S },
			    { "depth", FIELD(depth_frames), read_whole, 0, DEPTH_MAX,
			      "a whole number of frames from 0 to 1000000", BY_BURST },
			    { "clock", FIELD(wall_clock), read_clock, 0, 1, "'tag' or 'wall'", 0 },
			    { "frames", FIELD(any_udp), read_frames, 0, 1, "'own' or 'udp'", 0 },
			    { "vlan", FIELD(vlan), read_whole, 0, VLAN_MAX, "a VLAN from 0 to 4095", ANY },
			    { "priority", FIELD(priority), read_whole, 0, PRIORITY_MAX, "a priority from 0 to 7", ANY } } },
	[SUT_STRETCH] = { "stretch",
			  "stretch:critical=FPS,spread=FPS",
			  { { "critical", FIELD(critical_fps), read_rate, 0, INFINITY, RATE_RANGE, NAN },
			    { "spread", FIELD(spread_fps), read_rate, 0, INFINITY, RATE_RANGE, NAN },
			    { "seed", FIELD(seed), read_whole, 0, SEED_MAX, "a whole number from 0 to 2^53", 1 } } },
	[SUT_DELAY] = { "delay",
			"delay:us=N",
			{ { "us", FIELD(delay_us), parse_number, 0, DELAY_MAX_US,
			    "a number of microseconds from 0 to 100000", NAN } } },
	[SUT_EXEC] = { "exec", "exec:COMMAND", { { 0 } } },
	[SUT_WIRE] = { "wire", "wire", { { 0 } } },
};

const char *sut_kind_name(enum sut_kind kind)
{
	return kinds[kind].name;
}

const char *sut_command(const struct sut_spec *sut)
{
	return strchr(sut->text, ':') + 1;
}

static double *field(struct sut_spec *sut, const struct parameter *parameter)
{
	return (double *)((char *)sut + parameter->offset);
}

static const struct parameter *find_parameter(enum sut_kind kind, const char *key)
{
	for (int i = 0; i < PARAMETERS; i++)
		if (kinds[kind].parameters[i].key && !strcmp(kinds[kind].parameters[i].key, key))
			return &kinds[kind].parameters[i];
	return NULL;
}

static enum exit_code read_parameter(char *text, struct sut_spec *sut)
{
	char *key = strsep(&text, "=");
	const struct parameter *parameter = find_parameter(sut->kind, key);
	double *value;

	if (!parameter)
		return refuse(EXIT_USAGE_ERROR, "--sut: a %s has no '%s'; it is %s", kinds[sut->kind].name, key,
			      kinds[sut->kind].usage);
	if (!text)
		return refuse(EXIT_USAGE_ERROR, "--sut: '%s' of a %s needs a value: %s=...", key, kinds[sut->kind].name,
			      key);
	value = field(sut, parameter);
	if (!parameter->read(text, value) || !(*value >= parameter->least && *value <= parameter->most))
		return refuse(EXIT_USAGE_ERROR, "--sut: %s=%s is not %s", key, text, parameter->range);
	return EXIT_DONE;
}

/* A value that is not given is NAN. */
static enum exit_code check_queue(const struct sut_spec *sut)
{
	if (!isnan(sut->burst_s) && !isnan(sut->depth_frames))
		return refuse(EXIT_USAGE_ERROR,
			      "--sut: burst and depth both say how much a policer queues; give one of them");
	if (sut->depth_frames / sut->rate_fps > QUEUE_MAX_S)
		return refuse(EXIT_USAGE_ERROR, "--sut: depth=%.0f is more than rate=%g serves in an hour; make it smaller",
			      sut->depth_frames, sut->rate_fps);
	if (sut->any_udp > 0 && !(sut->wall_clock > 0))
		return refuse(EXIT_USAGE_ERROR, "--sut: frames of other generators have no tag to go by; add clock=wall");
	return EXIT_DONE;
}

static enum exit_code check_given(struct sut_spec *sut)
{
	enum exit_code code = sut->kind == SUT_POLICER ? check_queue(sut) : EXIT_DONE;

	if (code)
		return code;
	for (int i = 0; i < PARAMETERS; i++) {
		const struct parameter *parameter = &kinds[sut->kind].parameters[i];

		if (!parameter->key || !isnan(*field(sut, parameter)))
			continue;
		if (isnan(parameter->fallback))
			return refuse(EXIT_USAGE_ERROR, "--sut: a %s needs its '%s': %s", kinds[sut->kind].name,
				      parameter->key, kinds[sut->kind].usage);
		*field(sut, parameter) = parameter->fallback;
	}
	if (sut->kind == SUT_STRETCH && sut->spread_fps > SPREAD_MAX_RATIO * sut->critical_fps)
		return refuse(EXIT_USAGE_ERROR,
			      "--sut: a spread of %g frames/s is more than a tenth of the critical %g; make it smaller",
			      sut->spread_fps, sut->critical_fps);
	return EXIT_DONE;
}

static enum exit_code read_parameters(char *parameters, struct sut_spec *sut)
{
	enum exit_code code = EXIT_DONE;

	if (parameters && !kinds[sut->kind].parameters[0].key)
		return refuse(EXIT_USAGE_ERROR, "--sut: a %s takes no parameters, '%s' was given", kinds[sut->kind].name,
			      parameters);
	for (int i = 0; i < PARAMETERS && kinds[sut->kind].parameters[i].key; i++)
		*field(sut, &kinds[sut->kind].parameters[i]) = NAN;
	for (char *parameter; !code && (parameter = strsep(&parameters, ","));)
		code = read_parameter(parameter, sut);
	return code ?: check_given(sut);
}

static enum exit_code unknown_kind(const char *kind)
{
	const char *names[SUT_KINDS];
	char known[256] = "";

	for (int i = 0; i < SUT_KINDS; i++) {
		names[i] = kinds[i].name;
		text_join(known, sizeof(known), ", ", "%s", kinds[i].usage);
	}
	return refuse(EXIT_USAGE_ERROR, "--sut: there is no SUT '%s'%s; there are %s", kind,
		      nearest_hint(kind, names, SUT_KINDS, HINT_ROOM), known);
}

enum exit_code sut_parse(const char *text, struct sut_spec *ret)
{
	struct sut_spec sut = { 0 };
	char copy[LAB_SUT_SIZE], *parameters = copy, *kind;
	enum exit_code code;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return refuse(EXIT_USAGE_ERROR, "--sut: more than %d characters", LAB_SUT_SIZE - 1);
	memcpy(sut.text, copy, sizeof(sut.text));
	kind = strsep(&parameters, ":");
	while (sut.kind < SUT_KINDS && strcmp(kind, kinds[sut.kind].name))
		sut.kind++;
	if (sut.kind == SUT_KINDS)
		return unknown_kind(kind);
	if (sut.kind == SUT_EXEC && (!parameters || !*parameters))
		return refuse(EXIT_USAGE_ERROR, "--sut: exec needs the command that is the SUT: exec:COMMAND");
	code = sut.kind == SUT_EXEC ? EXIT_DONE : read_parameters(parameters, &sut);
	if (!code)
		*ret = sut;
	return code;
}
