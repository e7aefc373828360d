/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/options_suite.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "config/options_read.h"
#include "config/traffic.h"
#include "mlr/imix.h"

#define LOSS_STEP_MOST 0.1  /* RFC 2544, 26.3 */
#define ROUNDING       1e-9 /* relative rounding of a link's rate that is a sum of its parts */

/* --- frame sizes -------------------------------------------------------------------------------------------------- */

/* Return the length of the first part: up to a comma that is not inside a mix ("imix:7:64,4:594", "genome:aaz,z=1518"). */
static size_t part_length(const char *list)
{
	size_t length = strcspn(list, ",");

	while (list[length]) {
		const char *next = list + length + 1;
		size_t next_length = strcspn(next, ",");

		if (!(isdigit((unsigned char)*next) && memchr(next, ':', next_length)) &&
		    !(isalpha((unsigned char)*next) && next[1] == '='))
			break;
		length += 1 + next_length;
	}
	return length;
}

bool frame_sizes_part(const char *list, unsigned int index, char buffer[FRAME_SIZE_TEXT])
{
	size_t length = part_length(list);

	while (index-- > 0) {
		if (!list[length])
			return false;
		list += length + 1;
		length = part_length(list);
	}
	snprintf(buffer, FRAME_SIZE_TEXT, "%.*s", (int)length, list);
	return true;
}

static enum exit_code read_part(const struct given *given, char *text, struct config *config)
{
	struct given part = *given;

	part.text = text;
	return read_frame_size(&part, config);
}

enum exit_code read_frame_sizes(const struct given *given, struct config *config)
{
	enum exit_code code = EXIT_DONE;
	char part[FRAME_SIZE_TEXT];
	unsigned int count = 0;

	config->frame_size_text = given->text;
	if (!frame_sizes_are_a_list(config->verb) && frame_sizes_part(given->text, 1, part) &&
	    isdigit((unsigned char)*given->text))
		return refuse_given(given,
				    "is a list, and %s is of one frame size; 'xdp-mlr rfc2544' takes a list, and so does "
				    "'xdp-mlr campaign', which makes a run of each",
				    verb_name(config->verb));
	if (!frame_sizes_are_a_list(config->verb))
		return read_frame_size(given, config);
	while (code == EXIT_DONE && frame_sizes_part(given->text, count, part)) {
		if (count++ == FRAME_SIZES_MAX)
			return refuse_given(given, "at most %d frame sizes at once", FRAME_SIZES_MAX);
		code = read_part(given, part, config);
	}
	return code;
}

enum exit_code config_find_mtu(struct config *config)
{
	const struct given *given = given_find(config->given, "frame-size");
	struct config one = *config;
	enum exit_code code = EXIT_DONE;
	char part[FRAME_SIZE_TEXT];

	for (unsigned int i = 0; !code && frame_sizes_part(given->text, i, part); i++) {
		code = read_part(given, part, &one);
		if (traffic_mtu(&one) > config->suite_mtu)
			config->suite_mtu = traffic_mtu(&one);
	}
	return code;
}

enum exit_code config_for_frame_size(const struct config *config, const char *text, struct config *ret)
{
	struct config one = *config;
	enum exit_code code = read_part(given_find(config->given, "frame-size"), (char *)text, &one);

	one.frame_size_text = text;
	if (code == EXIT_DONE)
		code = traffic_check(&one);
	if (code == EXIT_DONE)
		*ret = one;
	return code;
}

enum exit_code config_for_service(const struct config *config, const struct service *service, struct config *ret)
{
	struct config tagged = *config;

	if (service->has_vlan) {
		tagged.vlan_count = 1;
		tagged.vlans[0] = service->vlan;
	}
	tagged.traffic_class = (uint8_t)((unsigned int)service->dscp << 2); /* RFC 2474 */
	return config_for_frame_size(&tagged, *service->frame_size ? service->frame_size : config->frame_size_text, ret);
}

/* Give each service its weight. */
static void share(const uint32_t *weights, const double *octets, unsigned int count, struct mlr_service_frames *frames,
		  struct config *all)
{
	double octet_sum = 0, sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		frames[i].weight = weights[i];
		octet_sum += weights[i] * octets[i];
		sum += weights[i];
	}
	all->frame_size_octets = octet_sum / sum;
}

static enum exit_code refuse_rates(bool too_far)
{
	if (too_far)
		return refuse(EXIT_USAGE_ERROR,
			      "--service: the rates of these services are too far apart to be sent at once: "
			      "one is less than 1/32768 of all");
	return refuse(EXIT_USAGE_ERROR,
		      "--service: cannot send these at once: their flows, mixes of sizes and rates do not meet "
		      "again within 65536 frames; take fewer flows, or rates in simpler proportions");
}

/* Choose weights by which the lists of services repeat: those that they have, if any, or else as good ones as there are. If
 * their lists do not repeat, the weights have fewer places. */
static enum exit_code find_weights(struct config *all, const double *rates_fps, const double *octets,
				   struct mlr_service_frames *frames, uint32_t *weights, double *ret_load_fps)
{
	unsigned int count = all->at_once_count;
	enum exit_code code = EXIT_DONE;
	bool meet = false;

	if (weights[0]) {
		*ret_load_fps = mlr_service_load(rates_fps, weights, count);
		share(weights, octets, count, frames, all);
		code = traffic_check_services(all, &meet);
	}
	for (uint32_t most = MLR_ROUND_MAX / 2; code == EXIT_DONE && !meet; most /= 2) {
		*ret_load_fps = mlr_service_weights(rates_fps, count, most, weights);
		if (*ret_load_fps <= 0)
			return refuse_rates(most == MLR_ROUND_MAX / 2);
		share(weights, octets, count, frames, all);
		code = traffic_check_services(all, &meet);
	}
	return code;
}

/* Whether one of them has tags is what ports are prepared for, and the longest frames. */
enum exit_code config_for_services(const struct config *config, unsigned int which, struct service_rates *rates,
				   struct mlr_service_frames *frames, struct config *ret, double *ret_load_fps)
{
	struct config all = *config, one;
	double octets[SERVICES_MAX] = { 0 }, rates_fps[SERVICES_MAX] = { 0 }, sum = 0;
	struct service_rates *of[SERVICES_MAX];
	uint32_t weights[SERVICES_MAX] = { 0 };
	unsigned int count = 0;
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < config->service_count && code == EXIT_DONE; i++) {
		if (!(which >> i & 1))
			continue;
		code = config_for_service(config, &config->services[i], &one);
		if (code != EXIT_DONE)
			break;
		of[count] = &rates[i];
		frames[count] = traffic_service(&one);
		octets[count] = one.frame_size_octets;
		rates_fps[count] = rates[i].cir_fps;
		weights[count] = rates[i].weight;
		if (!count || one.vlan_count > all.vlan_count) {
			all.vlan_count = one.vlan_count;
			memcpy(all.vlans, one.vlans, sizeof(all.vlans));
		}
		if (!count || mlr_size_most_octets(&one.sizes) > mlr_size_most_octets(&all.sizes))
			all.sizes = one.sizes;
		if (config->template && one.vlan_count != frames[0].vlan_count)
			code = refuse(EXIT_USAGE_ERROR,
				      "--template: services that are sent at once need as many VLAN tags each: its payload "
				      "stands at one place");
		count++;
	}
	all.at_once = frames;
	all.at_once_count = count;
	if (code == EXIT_DONE)
		code = find_weights(&all, rates_fps, octets, frames, weights, ret_load_fps);
	if (code != EXIT_DONE)
		return code;
	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
	for (unsigned int i = 0; i < count; i++) {
		of[i]->weight = weights[i];
		of[i]->load_fps = *ret_load_fps * weights[i] / sum;
	}
	*ret = all;
	return EXIT_DONE;
}

/* Whether the rates are more than links carry, but for rounding. False if nobody knows how much that is. */
static bool is_too_much(double wanted_bps, double link_bps)
{
	return link_bps > 0 && wanted_bps > link_bps * (1 + ROUNDING);
}

static enum exit_code refuse_too_much(const char *what, double wanted_bps, double link_bps, const char *remedy)
{
	return refuse(EXIT_USAGE_ERROR, "--service: %s is %.10g Gbit/s on the link, which carries %.10g; %s", what,
		      wanted_bps / 1e9, link_bps / 1e9, remedy);
}

/* Check one service by itself, and add what its committed rate takes of the link. */
static enum exit_code find_rates(const struct config *config, const struct service *service, double link_bps,
				 struct service_rates *rates, double *sum_bps)
{
	struct config one;
	enum exit_code code = config_for_service(config, service, &one);
	char what[MLR_GOAL_NAME_SIZE + 32];
	double line_fps, all_bps;

	*rates = (struct service_rates){ 0 };
	if (code != EXIT_DONE)
		return code;
	rates->mtu = traffic_mtu(&one);
	line_fps = mlr_line_rate_fps(link_bps, one.frame_size_octets);
	code = option_load_fps(&one, "service", &service->cir, line_fps, &rates->cir_fps);
	if (code == EXIT_DONE && service->eir.value > 0)
		code = option_load_fps(&one, "service", &service->eir, line_fps, &rates->eir_fps);
	if (code != EXIT_DONE)
		return code;
	*sum_bps += l1_bps(rates->cir_fps, one.frame_size_octets);
	all_bps = l1_bps(rates->cir_fps + rates->eir_fps, one.frame_size_octets);
	snprintf(what, sizeof(what), "CIR%s of '%s'", rates->eir_fps > 0 ? " + EIR" : "", service->name);
	if (config->tests >> Y1564_CONFIGURATION & 1 && is_too_much(all_bps, link_bps))
		return refuse_too_much(what, all_bps, link_bps, "lower them");
	return EXIT_DONE;
}

enum exit_code services_rates(const struct config *config, double link_bps, struct service_rates *ret)
{
	unsigned int count = config->service_count;
	struct mlr_service_frames frames[SERVICES_MAX];
	double sum_bps = 0, load_fps;
	struct config together;
	enum exit_code code = EXIT_DONE;

	for (unsigned int i = 0; i < count && code == EXIT_DONE; i++)
		code = find_rates(config, &config->services[i], link_bps, &ret[i], &sum_bps);
	if (code != EXIT_DONE || !(config->tests >> Y1564_PERFORMANCE & 1))
		return code;
	if (is_too_much(sum_bps, link_bps))
		return refuse_too_much("CIR of all services, which are sent at once,", sum_bps, link_bps,
				       "lower them, or take fewer services, or --tests configuration alone");
	return isinf(sum_bps) ? EXIT_DONE
			      : config_for_services(config, (1u << count) - 1, ret, frames, &together, &load_fps);
}

/* --- rfc2544, y1564 ------------------------------------------------------------------------------------------------------ */

/* The names, in the order of enum rfc2544_test and of enum y1564_test. */
static const char *const rfc2544_tests[] = { "throughput", "latency", "frame-loss", "back-to-back",
					     "recovery",   "reset",   "reconf" };
static const char *const y1564_tests[] = { "configuration", "performance" };

static const char *const *test_names(enum verb verb, size_t *ret_count)
{
	*ret_count = verb == VERB_Y1564 ? COUNT(y1564_tests) : COUNT(rfc2544_tests);
	return verb == VERB_Y1564 ? y1564_tests : rfc2544_tests;
}

static enum exit_code read_test(const struct given *given, char *name, void *into)
{
	struct config *config = into;
	size_t count, test;
	const char *const *names = test_names(config->verb, &count);

	test = place_of_word(name, names, count);
	if (test < count) {
		config->tests |= 1u << test;
		return EXIT_DONE;
	}
	return refuse_given(
		given, "there is no test '%s'%s; there are %s", QUOTED(name), nearest_hint(name, names, count, HINT_ROOM),
		config->verb == VERB_Y1564 ? "configuration and performance"
					   : "throughput, latency, frame-loss, back-to-back, recovery, reset and reconf");
}

enum exit_code read_tests(const struct given *given, struct config *config)
{
	return read_list(given, given->text, read_test, config);
}

enum exit_code read_loss_step(const struct given *given, struct config *config)
{
	double ratio;

	if (!parse_ratio(given->text, &ratio) || ratio <= 0 || ratio > LOSS_STEP_MOST)
		return refuse_given(given, "must be a ratio above 0 and at most 10%% (RFC 2544, 26.3), as 5%%");
	config->rfc2544.loss_step_ratio = ratio;
	return EXIT_DONE;
}

void choose_tests(struct config *config)
{
	size_t count;

	if (config->tests)
		return;
	test_names(config->verb, &count);
	config->tests = (1u << count) - 1;
	if (config->verb == VERB_RFC2544 && !config->reset_command)
		config->tests &= ~(1u << TEST_RESET); /* an operator who does not know of it resets nothing */
	if (config->verb == VERB_RFC2544 && !config->reconf_command)
		config->tests &= ~(1u << TEST_RECONF);
}
