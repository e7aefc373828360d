/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file reads --service and --cir-steps: what `xdp-mlr y1564` is to test. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/options_read.h"

#define MARGIN_RATIO 0.01
#define DSCP_MOST    63

/* A service while its keys are read, with the configuration that its size and tag are checked by. */
struct reading {
	struct service service;
	const struct config *config;
};

#define FIELD(member) offsetof(struct reading, service.member)

/* Read a value that is the whole of another option. */
static struct given as_option(const struct given *given, char *value)
{
	struct given part = *given;

	part.text = value;
	return part;
}

static enum exit_code store_vlan(const struct given *given, const struct key *, char *value, void *into)
{
	struct reading *reading = into;
	struct given part = as_option(given, value);
	struct config one = *reading->config;
	enum exit_code code = read_vlans(&part, &one);

	reading->service.has_vlan = code == EXIT_DONE;
	reading->service.vlan = one.vlans[0];
	return code;
}

static enum exit_code store_size(const struct given *given, const struct key *, char *value, void *into)
{
	struct reading *reading = into;
	struct given part = as_option(given, value);
	struct config one = *reading->config;

	if (strlen(value) >= sizeof(reading->service.frame_size))
		return refuse_given(given, "size: that is too long");
	strcpy(reading->service.frame_size, value);
	return read_frame_size(&part, &one);
}

static enum exit_code store_dscp(const struct given *given, const struct key *, char *value, void *into)
{
	struct reading *reading = into;
	double *dscp = &reading->service.dscp;

	if (!parse_number(value, dscp) || *dscp < 0 || *dscp > DSCP_MOST || *dscp != floor(*dscp))
		return refuse_given(given, "dscp '%s' is not a whole number from 0 to %d", value, DSCP_MOST);
	return EXIT_DONE;
}

static const struct key keys[] = {
	{ "name", FIELD(name), KEY_TEXT, 0, NULL },
	{ "vlan", 0, KEY_OWN, 0, store_vlan },
	{ "dscp", 0, KEY_OWN, 0, store_dscp },
	{ "size", 0, KEY_OWN, 0, store_size },
	{ "cir", FIELD(cir), KEY_INFORMATION_RATE, 0, NULL },
	{ "eir", FIELD(eir), KEY_INFORMATION_RATE, 0, NULL },
	{ "margin", FIELD(margin_ratio), KEY_RATIO, 0, NULL },
	{ "loss", FIELD(loss_ratio), KEY_RATIO, 0, NULL },
	{ "delay", FIELD(delay_s), KEY_DURATION, 0, NULL },
	{ "delay-max", FIELD(delay_max_s), KEY_DURATION, 0, NULL },
	{ "variation", FIELD(variation_s), KEY_DURATION, 0, NULL },
	{ "availability", FIELD(availability_ratio), KEY_RATIO, 0, NULL },
};
_Static_assert(COUNT(keys) <= KEYS_MAX, "keys of a service");

static enum exit_code check_ratios(const struct given *given, const struct service *service)
{
	const double ratios[] = { service->margin_ratio, service->loss_ratio, service->availability_ratio };

	for (size_t i = 0; i < COUNT(ratios); i++)
		if (ratios[i] < 0 || ratios[i] > 1)
			return refuse_given(given, "a ratio must be from 0 to 1, or from 0%% to 100%%");
	return EXIT_DONE;
}

static enum exit_code check_delays(const struct given *given, const struct service *service)
{
	if (service->delay_s <= 0 || service->delay_max_s <= 0)
		return refuse_given(given, "delay and delay-max must be above 0: no frame takes less time");
	if (service->delay_s > service->delay_max_s)
		return refuse_given(given, "delay, the mean, cannot be above delay-max, that of any frame");
	if (service->variation_s < 0)
		return refuse_given(given, "variation must not be below 0");
	return EXIT_DONE;
}

enum exit_code read_service(const struct given *given, struct config *config)
{
	struct reading reading = {
		.service = { .eir = { LOAD_FPS, 0 },
			     .margin_ratio = MARGIN_RATIO,
			     .loss_ratio = NAN,
			     .delay_s = NAN,
			     .delay_max_s = NAN,
			     .variation_s = NAN,
			     .availability_ratio = NAN },
		.config = config,
	};
	struct pairs pairs = { .keys = keys, .key_count = COUNT(keys), .into = &reading };
	enum exit_code code;

	if (config->service_count == SERVICES_MAX)
		return refuse_given(given, "at most %d services", SERVICES_MAX);
	snprintf(reading.service.name, sizeof(reading.service.name), "service%u", config->service_count + 1);
	code = pairs_read(given, &pairs) ?: check_ratios(given, &reading.service) ?: check_delays(given, &reading.service);
	if (code != EXIT_DONE)
		return code;
	if (!pairs_seen(&pairs, "cir") || reading.service.cir.value <= 0)
		return refuse_given(given, "needs its committed rate above 0: cir=%s", INFORMATION_RATE_FORMS);
	if (!reading.service.name[0])
		return refuse_given(given, "the name is empty");
	if (row_with(config->services, config->service_count, name, reading.service.name))
		return refuse_given(given, "another service is called '%s' already; give each a name of its own",
				    reading.service.name);
	config->services[config->service_count++] = reading.service;
	return EXIT_DONE;
}

static enum exit_code read_step(const struct given *given, char *part, void *into)
{
	struct config *config = into;
	double ratio, before = config->cir_step_count ? config->cir_steps[config->cir_step_count - 1] : 0;

	if (config->cir_step_count == MLR_Y1564_CIR_STEPS_MAX)
		return refuse_given(given, "at most %d steps", MLR_Y1564_CIR_STEPS_MAX);
	if (!parse_ratio(part, &ratio) || ratio <= before || ratio > 1)
		return refuse_given(given,
				    "must be growing parts of CIR, above 0 and at most 100%%, as 25%%,50%%,75%%,100%%");
	config->cir_steps[config->cir_step_count++] = ratio;
	return EXIT_DONE;
}

enum exit_code read_cir_steps(const struct given *given, struct config *config)
{
	enum exit_code code;

	config->cir_step_count = 0;
	code = read_list(given, given->text, read_step, config);
	if (code == EXIT_DONE && config->cir_steps[config->cir_step_count - 1] != 1)
		return refuse_given(given, "must end with all of CIR, 100%%");
	return code;
}
