/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite's side, and the keeper's (apart.h). */
#include "measurer/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"
#include "config/requirement.h"
#include "measurer/apart_private.h"
#include "measurer/measurer_new.h"

#define WATCH_MS     1 /* period of calls of watch() */
#define MESSAGE_MOST 4096

/* --- the keeper's side ------------------------------------------------------------------------------------------------ */

static int stop_end = -1; /* pipe that stops the process started last, until the suite asks for it */

static int start(const struct config *config, const struct part_request *part, int *ret_fd)
{
	int speaks[2] = { -1, -1 }, stops[2] = { -1, -1 }, error = 0;
	pid_t pid = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, speaks) || pipe2(stops, O_CLOEXEC) || (pid = fork()) < 0)
		error = -errno;
	if (pid == 0)
		apart_serve(config, part, speaks[1], stops[0]);
	close(speaks[1]);
	close(stops[0]);
	if (error) {
		close(speaks[0]);
		close(stops[1]);
		return error;
	}
	stop_end = stops[1];
	*ret_fd = speaks[0];
	return 0;
}

/* The first request starts the process, and gets the stream; the second one gets what stops it. */
static int answer_part(void *context, const struct keeper_request *request, int *ret_fd)
{
	struct part_request part;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		; /* reaps processes of earlier parts */
	if (request->number) {
		*ret_fd = stop_end;
		stop_end = -1;
		return *ret_fd < 0 ? -ENOENT : 0;
	}
	if (stop_end >= 0)
		return -EALREADY;
	memcpy(&part, request->path, sizeof(part));
	return start(context, &part, ret_fd);
}

void measurer_hold_parts(const struct config *config, struct keeper_plan *plan)
{
	plan->part = answer_part;
	plan->context = (void *)config;
}

/* --- the suite's side ------------------------------------------------------------------------------------------------- */

struct apart {
	struct measurer measurer;
	int channel, stop;
	bool is_open; /* It has ports that it has to leave as they were. */
	bool said_dead;
};

static void show_message(enum message_kind kind, const char *text)
{
	if (kind == MESSAGE_WARNING)
		warn("%s", text);
	else if (kind == MESSAGE_NOTE)
		note("%s", text);
	else
		refuse(EXIT_INCAPABLE, "%s", text);
}

static int take_message(const struct apart *apart, const struct apart_block *block)
{
	char text[MESSAGE_MOST] = "";
	int error = block->length < sizeof(text) ? apart_get(apart->channel, text, block->length) : -EMSGSIZE;

	if (!error)
		show_message(block->message, text);
	return error;
}

static void take_steps(const struct load_steps *told, struct load_steps *steps)
{
	steps->ret_start_ns = told->ret_start_ns;
	steps->ret_change_ns = told->ret_change_ns;
	steps->ret_end_ns = told->ret_end_ns;
	steps->ret_is_part = told->ret_is_part;
}

/* The times of steps as they are known once frames are sent. */
static int get_steps(const struct apart *apart, struct load_steps *steps)
{
	struct load_steps told;
	int error = apart_get(apart->channel, &told, sizeof(told));

	if (!error && steps)
		take_steps(&told, steps);
	return error;
}

static void pass_stop(struct apart *apart)
{
	if (apart->stop >= 0)
		close(apart->stop);
	apart->stop = -1;
}

/* The next thing that the process says. A stop is passed on meanwhile, and steps are watched. */
static int await_block(struct apart *apart, const struct load_steps *steps, struct apart_block *ret)
{
	bool watches = steps && steps->watch && steps->ret_start_ns;

	for (;;) {
		struct pollfd files[] = { { .fd = apart->channel, .events = POLLIN },
					  { .fd = apart->stop < 0 ? -1 : stop_fd(), .events = POLLIN } };
		int ready = poll(files, COUNT(files), watches ? WATCH_MS : -1);

		if (stop_requested())
			pass_stop(apart);
		if (ready > 0 && files[0].revents)
			return apart_get(apart->channel, ret, sizeof(*ret));
		if (watches)
			steps->watch(steps->context, clock_ns());
	}
}

/* Wait until the process has answered. `steps` may be NULL. 0 or -errno. */
static int await_answer(struct apart *apart, struct load_steps *steps, struct apart_answer *ret)
{
	struct apart_block block;
	int error = 0;

	while (!error && !(error = await_block(apart, steps, &block)))
		switch (block.kind) {
		case BLOCK_ANSWER:
			return apart_get(apart->channel, ret, sizeof(*ret));
		case BLOCK_MESSAGE:
			error = take_message(apart, &block);
			break;
		case BLOCK_BEGUN:
			error = get_steps(apart, steps);
			break;
		case BLOCK_AGAIN:
			if (steps && steps->again)
				steps->again(steps->context);
			break;
		}
	return error;
}

/* Said once, whatever is asked afterwards. */
static enum exit_code refuse_dead(struct apart *apart, int error)
{
	if (apart->said_dead)
		return EXIT_INCAPABLE;
	apart->said_dead = true;
	return refuse(EXIT_INCAPABLE, "the process that measures has died: %s; 'xdp-mlr clean' restores the ports",
		      strerror(-error));
}

static int ask(struct apart *apart, const struct apart_request *request, struct load_steps *steps, struct apart_answer *ret)
{
	return apart_put(apart->channel, request, sizeof(*request)) ?: await_answer(apart, steps, ret);
}

static enum exit_code ask_trial(struct apart *apart, const struct apart_request *request, struct load_steps *steps,
				struct measurement *ret)
{
	struct apart_answer answer;
	int error = ask(apart, request, steps, &answer);

	if (!error && answer.code != EXIT_DONE)
		return answer.code;
	if (!error && steps)
		take_steps(&answer.steps, steps);
	if (!error)
		error = apart_get_measurement(apart->channel, &apart->measurer.selftest, ret);
	if (!error)
		apart->measurer.last_trial = ret->number;
	return error ? refuse_dead(apart, error) : EXIT_DONE;
}

static enum exit_code measure(struct measurer *measurer, const struct mlr_trial_input *input, struct measurement *ret)
{
	const struct apart_request request = { .what = APART_MEASURE, .input = *input };

	return ask_trial((struct apart *)measurer, &request, NULL, ret);
}

static enum exit_code measure_steps(struct measurer *measurer, struct load_steps *steps, struct measurement *ret)
{
	const struct apart_request request = { .what = APART_STEPS, .steps = *steps };

	return ask_trial((struct apart *)measurer, &request, steps, ret);
}

static json_t *ask_json(struct measurer *measurer, enum apart_what what)
{
	struct apart *apart = (struct apart *)measurer;
	const struct apart_request request = { .what = what };
	struct apart_answer answer;
	owned char *text = NULL;
	int error = ask(apart, &request, NULL, &answer) ?: apart_get_text(apart->channel, &text);

	if (error)
		refuse_dead(apart, error);
	return text ? json_loads(text, 0, NULL) : NULL;
}

static json_t *describe(struct measurer *measurer)
{
	return ask_json(measurer, APART_DESCRIBE) ?: json_object();
}

static json_t *traffic_profile(struct measurer *measurer)
{
	return ask_json(measurer, APART_PROFILE) ?: json_object();
}

static json_t *connection(struct measurer *measurer)
{
	return ask_json(measurer, APART_CONNECTION);
}

static void deviations(struct measurer *measurer, json_t *to)
{
	json_auto_t *sentences = ask_json(measurer, APART_DEVIATIONS);

	json_array_extend(to, sentences);
}

static bool queue_stops(struct measurer *measurer, unsigned int port, unsigned int queue, struct tx_stops *ret)
{
	const struct apart_request request = { .what = APART_STOPS, .port = port, .queue = queue };
	struct apart_answer answer;

	if (ask((struct apart *)measurer, &request, NULL, &answer) || !answer.has_stops)
		return false;
	*ret = answer.stops;
	return true;
}

static struct selftest_way way(struct measurer *measurer)
{
	const struct apart_request request = { .what = APART_WAY };
	struct apart_answer answer;

	if (ask((struct apart *)measurer, &request, NULL, &answer))
		return (struct selftest_way){ "", "", false, false };
	return answer.way;
}

/* Free the measurer. The process answers once its ports are as before. */
static void free_apart(struct measurer *measurer)
{
	struct apart *apart = (struct apart *)measurer;
	const struct apart_request request = { .what = APART_FREE };
	struct apart_answer answer = { .code = EXIT_DONE };
	int error = ask(apart, &request, NULL, &answer);

	if (error && apart->is_open)
		refuse_dead(apart, error);
	if (apart->is_open && (error || answer.code != EXIT_DONE))
		keeper_note_death();
	pass_stop(apart);
	close(apart->channel);
	free(apart);
}

static const struct measurer_ops ops = {
	.measure = measure,
	.steps = measure_steps,
	.describe = describe,
	.traffic_profile = traffic_profile,
	.connection = connection,
	.deviations = deviations,
	.queue_stops = queue_stops,
	.way = way,
	.free = free_apart,
};

/* --- opening ---------------------------------------------------------------------------------------------------------- */

static struct part_request request_of(const struct config *config, const struct part_name *name)
{
	struct part_request part = { .name = *name,
				     .tx = config->tx,
				     .prepare = config->prepare,
				     .waits = config->waits,
				     .earlier = config->earlier };

	for (unsigned int i = 0; i < config->port_count; i++) {
		part.facing[i].given = config->ports[i].destination_mac_given;
		part.facing[i].mac = config->ports[i].destination_mac;
	}
	return part;
}

/* Have the keeper start the process. 0 or -errno. */
static int have_started(const struct part_request *part, struct apart *ret)
{
	struct keeper_request request = { .what = KEEPER_PART };
	int error;

	_Static_assert(sizeof(*part) <= sizeof(request.path), "a part fits");
	memcpy(request.path, part, sizeof(*part));
	error = keeper_ask(&request, &ret->channel);
	request.number = 1;
	return error ?: keeper_ask(&request, &ret->stop);
}

/* Read how the opening of the process went. */
static enum exit_code open_apart(const struct config *config, struct apart *apart)
{
	struct apart_answer answer;
	int error = await_answer(apart, NULL, &answer);

	if (error)
		return refuse_dead(apart, error);
	apart->measurer.config = config;
	apart->measurer.transmitters = answer.transmitters;
	apart->measurer.line_rate_fps = answer.line_rate_fps;
	apart->measurer.selftest = answer.selftest;
	apart->is_open = answer.code == EXIT_DONE;
	return answer.code == EXIT_DONE ? require_resolve(config, answer.line_rate_fps) : answer.code;
}

static enum exit_code new_apart(const struct config *config, const struct part_name *name, struct measurer **ret)
{
	const struct part_request part = request_of(config, name);
	struct apart *apart = calloc(1, sizeof(*apart));
	enum exit_code code;
	int error;

	if (!apart)
		return out_of_memory();
	apart->measurer.ops = &ops;
	apart->channel = apart->stop = -1;
	error = have_started(&part, apart);
	code = error ? refuse(EXIT_INCAPABLE, "cannot start the process that measures: %s", strerror(-error))
		     : open_apart(config, apart);
	if (code == EXIT_DONE)
		*ret = &apart->measurer;
	else
		free_apart(&apart->measurer);
	return code;
}

/* Open the ports in this process, which no keeper serves. */
static enum exit_code new_here(const struct config *config, struct measurer **ret)
{
	struct measurer *measurer = NULL;
	enum exit_code code = measurer_new(config, &measurer) ?: measurer_connect(measurer);

	if (code == EXIT_DONE || code == EXIT_INTERRUPTED)
		*ret = measurer;
	else
		measurer_free(measurer);
	return code;
}

enum exit_code measurer_new_part(const struct config *config, const struct part_name *name, struct measurer **ret)
{
	enum exit_code code, stopped;

	if (!keeper_is_there())
		return new_here(config, ret);
	code = stop_requested() ? EXIT_INTERRUPTED : new_apart(config, name, ret);
	if (code != EXIT_INTERRUPTED)
		return code;
	stopped = measurer_stopped_new(config, ret);
	return stopped == EXIT_DONE ? code : stopped;
}
