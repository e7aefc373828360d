/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process of a part's measurer (apart.h). */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "config/options_suite.h"
#include "measurer/apart_private.h"

static int channel = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* Messages of several threads do not mix. */

/* --- what it says ----------------------------------------------------------------------------------------------------- */

/* Whether the suite hears it is found out when it asks for nothing more. */
static void say(const struct apart_block *block, const void *octets)
{
	pthread_mutex_lock(&lock);
	if (!apart_put(channel, block, sizeof(*block)))
		apart_put(channel, octets, block->length);
	pthread_mutex_unlock(&lock);
}

static void pass(enum message_kind kind, const char *text)
{
	const struct apart_block block = { .kind = BLOCK_MESSAGE, .message = kind, .length = (uint32_t)strlen(text) };

	say(&block, text);
}

static void answer(const struct apart_answer *with)
{
	const struct apart_block block = { .kind = BLOCK_ANSWER, .length = sizeof(*with) };

	say(&block, with);
}

/* --- its configuration ------------------------------------------------------------------------------------------------ */

static enum exit_code config_of_services(const struct config *all, const struct part_name *name, struct config *ret)
{
	static struct mlr_service_frames frames[SERVICES_MAX]; /* static, because the configuration points to it */
	struct service_rates rates[SERVICES_MAX];
	enum exit_code code = services_rates(all, name->link_bps, rates);
	double load_fps;

	return code ?: config_for_services(all, name->number, rates, frames, ret, &load_fps);
}

static enum exit_code config_of(const struct config *all, const struct part_name *name, struct config *ret)
{
	static char frame_size[FRAME_SIZE_TEXT]; /* likewise */

	if (name->kind == PART_FRAME_SIZE && frame_sizes_part(all->frame_size_text, name->number, frame_size))
		return config_for_frame_size(all, frame_size, ret);
	if (name->kind == PART_SERVICE && name->number < all->service_count)
		return config_for_service(all, &all->services[name->number], ret);
	if (name->kind == PART_SERVICES)
		return config_of_services(all, name, ret);
	return refuse(EXIT_INVALID, "the suite asks for a part that it does not have");
}

static void take_rest(const struct part_request *part, struct config *config)
{
	config->tx = part->tx;
	config->prepare = part->prepare;
	config->waits = part->waits;
	config->earlier = part->earlier;
	for (unsigned int i = 0; i < config->port_count; i++) {
		config->ports[i].destination_mac_given = part->facing[i].given;
		config->ports[i].destination_mac = part->facing[i].mac;
	}
}

/* --- trials ----------------------------------------------------------------------------------------------------------- */

/* The steps that are performed, and whether the suite knows their times. */
struct watched {
	struct load_steps *steps;
	bool said;
};

static void watch(void *context, uint64_t)
{
	const struct apart_block block = { .kind = BLOCK_BEGUN, .length = sizeof(struct load_steps) };
	struct watched *watched = context;

	if (watched->said || !watched->steps->ret_start_ns)
		return;
	watched->said = true;
	say(&block, watched->steps);
}

static void begin_again(void *context)
{
	const struct apart_block block = { .kind = BLOCK_AGAIN };
	struct watched *watched = context;

	watched->said = false;
	say(&block, NULL);
}

static enum exit_code perform_steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	struct watched watched = { .steps = steps };
	enum exit_code code;

	if (steps->watch)
		steps->watch = watch;
	if (steps->again)
		steps->again = begin_again;
	steps->context = &watched;
	code = measurer_xdp_measure_steps(measurer, steps, ret);
	steps->context = NULL;
	return code;
}

static int answer_trial(struct measurer *measurer, struct apart_request *request)
{
	struct apart_answer with = { 0 };
	measurement_auto_t measurement = { 0 };

	if (request->what == APART_STEPS)
		with.code = perform_steps(measurer, &request->steps, &measurement);
	else
		with.code = measurer->ops->measure(measurer, &request->input, &measurement);
	with.steps = request->steps;
	answer(&with);
	return with.code == EXIT_DONE ? apart_put_measurement(channel, &measurement) : 0;
}

/* --- texts ------------------------------------------------------------------------------------------------------------ */

static json_t *json_for(struct measurer *measurer, enum apart_what what)
{
	json_t *array;

	switch (what) {
	case APART_DESCRIBE:
		return measurer->ops->describe(measurer);
	case APART_PROFILE:
		return measurer->ops->traffic_profile(measurer);
	case APART_CONNECTION:
		return measurer_xdp_connection(measurer);
	default:
		array = json_array();
		if (measurer->ops->deviations)
			measurer->ops->deviations(measurer, array);
		return array;
	}
}

static int answer_text(struct measurer *measurer, enum apart_what what)
{
	json_auto_t *json = json_for(measurer, what);
	owned char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;

	answer(&(struct apart_answer){ .code = EXIT_DONE });
	return apart_put_text(channel, text);
}

/* --- the process ------------------------------------------------------------------------------------------------------ */

static int answer_request(struct measurer *measurer, struct apart_request *request)
{
	struct apart_answer with = { .code = EXIT_DONE };

	switch (request->what) {
	case APART_MEASURE:
	case APART_STEPS:
		return answer_trial(measurer, request);
	case APART_STOPS:
		with.has_stops = measurer_xdp_queue_stops(measurer, request->port, request->queue, &with.stops);
		break;
	case APART_WAY:
		with.way = measurer_xdp_way(measurer);
		break;
	case APART_FREE:
		return -EPIPE;
	default:
		return answer_text(measurer, request->what);
	}
	answer(&with);
	return 0;
}

static enum exit_code open_measurer(const struct config *config, struct measurer **ret)
{
	struct keeper_plan plan = { 0 };

	return measurer_new(config, ret) ?: measurer_divide(*ret, &plan);
}

/* The suite closes its end of `stop` to stop us, or when it dies; the kernel makes a signal of that. */
static int listen_for_stop(int stop)
{
	sigset_t none;
	int error = stop_install();

	if (!error && (fcntl(stop, F_SETOWN, getpid()) || fcntl(stop, F_SETSIG, SIGTERM) ||
		       fcntl(stop, F_SETFL, O_ASYNC | O_NONBLOCK)))
		error = -errno;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	return error;
}

/* All but the standard files and the two by which the suite speaks with us. */
static void close_others(int one, int other)
{
	unsigned int low = (unsigned int)(one < other ? one : other), high = (unsigned int)(one < other ? other : one);

	if (low > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

void apart_serve(const struct config *all, const struct part_request *part, int speaks, int stop)
{
	struct measurer *measurer = NULL;
	struct apart_request request;
	struct apart_answer opened = { 0 };
	struct config config;

	channel = speaks;
	close_others(speaks, stop);
	message_pass(pass);
	if (listen_for_stop(stop))
		_exit(EXIT_INCAPABLE);
	opened.code = config_of(all, &part->name, &config);
	if (opened.code == EXIT_DONE) {
		take_rest(part, &config);
		opened.code = open_measurer(&config, &measurer);
	}
	if (opened.code == EXIT_DONE) {
		opened.transmitters = measurer->transmitters;
		opened.line_rate_fps = measurer->line_rate_fps;
		opened.selftest = measurer->selftest;
	}
	answer(&opened);
	while (opened.code == EXIT_DONE && !apart_get(channel, &request, sizeof(request)))
		if (answer_request(measurer, &request))
			break;
	measurer_free(measurer);
	answer(&(struct apart_answer){ .code = keeper_check(EXIT_DONE) }); /* EXIT_DONE: the ports are as before */
	_exit(EXIT_DONE);
}
