/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How structures go from one process of this program to another one that was forked from it: constants are where they were. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "measurer/apart_private.h"

#define TEXT_MOST  (64u << 20)
#define NO_TEXT    UINT32_MAX
#define ARRAYS     6
#define COUNT_MOST (1u << 24)

int apart_put(int fd, const void *octets, size_t length)
{
	const char *from = octets;

	while (length) {
		ssize_t sent = send(fd, from, length, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return -errno;
		from += sent;
		length -= (size_t)sent;
	}
	return 0;
}

int apart_get(int fd, void *octets, size_t length)
{
	char *to = octets;

	while (length) {
		ssize_t got = recv(fd, to, length, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EPIPE;
		to += got;
		length -= (size_t)got;
	}
	return 0;
}

int apart_put_text(int fd, const char *text)
{
	uint32_t length = text ? (uint32_t)strlen(text) : NO_TEXT;
	int error = apart_put(fd, &length, sizeof(length));

	return error || !text ? error : apart_put(fd, text, length);
}

int apart_get_text(int fd, char **ret)
{
	uint32_t length;
	int error = apart_get(fd, &length, sizeof(length));
	char *text;

	*ret = NULL;
	if (error || length == NO_TEXT)
		return error;
	text = length <= TEXT_MOST ? calloc(1, (size_t)length + 1) : NULL;
	if (!text)
		return -ENOMEM;
	error = apart_get(fd, text, length);
	if (error)
		free(text);
	else
		*ret = text;
	return error;
}

/* --- a measurement ---------------------------------------------------------------------------------------------------- */

struct array {
	void **at;
	size_t count, size;
};

/* What a measurement of a suite owns beside texts. */
static void find_arrays(struct measurement *of, struct array ret[ARRAYS])
{
	size_t directions = of->direction_count, services = of->service_count * directions;
	const struct array arrays[ARRAYS] = {
		{ (void **)&of->intervals, of->interval_count * (directions + 1), sizeof(*of->intervals) },
		{ (void **)&of->services, services, sizeof(*of->services) },
		{ (void **)&of->seconds, 2 * services * of->second_count, sizeof(*of->seconds) },
		{ (void **)&of->parts, 2 * directions * of->due[0].count, sizeof(*of->parts) },
		{ (void **)&of->icmp_errors, of->icmp_error_count, sizeof(*of->icmp_errors) },
		{ (void **)&of->spoilt_performances, of->tester_repeats, sizeof(*of->spoilt_performances) },
	};

	memcpy(ret, arrays, sizeof(arrays));
}

static int put_json(int fd, const json_t *json)
{
	owned char *text = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;

	return json && !text ? -ENOMEM : apart_put_text(fd, text);
}

static int get_json(int fd, json_t **ret)
{
	owned char *text = NULL;
	int error = apart_get_text(fd, &text);

	*ret = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
	return error;
}

int apart_put_measurement(int fd, const struct measurement *measurement)
{
	struct measurement sent = *measurement;
	struct array arrays[ARRAYS];
	int error = apart_put(fd, &sent, sizeof(sent));

	find_arrays(&sent, arrays);
	for (size_t i = 0; i < ARRAYS && !error; i++)
		if (*arrays[i].at)
			error = apart_put(fd, *arrays[i].at, arrays[i].count * arrays[i].size);
	return error ?: put_json(fd, sent.observed) ?: put_json(fd, sent.passed_through);
}

/* What it does not own here, it does not have: nothing may be freed that is not ours. */
static void disown(struct measurement *measurement)
{
	struct array arrays[ARRAYS];

	find_arrays(measurement, arrays);
	for (size_t i = 0; i < ARRAYS; i++)
		*arrays[i].at = NULL;
	for (size_t i = 0; i < MLR_PORTS_MAX; i++)
		measurement->histograms[i] = NULL;
	measurement->worst_flows = NULL;
	measurement->worst_flow_count = 0;
	measurement->flow_intervals = NULL;
	measurement->observed = measurement->passed_through = NULL;
	measurement->stored = NULL;
}

static int get_array(int fd, struct array *array)
{
	if (array->count > COUNT_MOST)
		return -EMSGSIZE;
	*array->at = calloc(array->count + 1, array->size);
	return *array->at ? apart_get(fd, *array->at, array->count * array->size) : -ENOMEM;
}

/* What points into arrays, and to the measurer's own. */
static void set_pointers(struct measurement *at, const struct selftest_figure *floor)
{
	for (size_t i = 0; at->services && i < at->service_count * at->direction_count; i++) {
		at->services[i].due_in = at->seconds + 2 * i * at->second_count;
		at->services[i].received_in = at->services[i].due_in + at->second_count;
	}
	for (size_t i = 0; at->parts && i < at->direction_count; i++) {
		at->due[i].sent = at->parts + 2 * i * at->due[i].count;
		at->due[i].received = at->due[i].sent + at->due[i].count;
	}
	if (at->latency.floor)
		at->latency.floor = floor;
	for (size_t i = 0; i < at->direction_count; i++)
		if (at->by_direction[i].latency.floor)
			at->by_direction[i].latency.floor = floor;
}

int apart_get_measurement(int fd, const struct selftest_figure *floor, struct measurement *ret)
{
	struct array arrays[ARRAYS];
	bool has[ARRAYS];
	int error = apart_get(fd, ret, sizeof(*ret));

	if (error) {
		*ret = (struct measurement){ 0 };
		return error;
	}
	find_arrays(ret, arrays);
	for (size_t i = 0; i < ARRAYS; i++)
		has[i] = *arrays[i].at;
	disown(ret);
	for (size_t i = 0; i < ARRAYS && !error; i++)
		if (has[i])
			error = get_array(fd, &arrays[i]);
	if (!error)
		error = get_json(fd, &ret->observed);
	if (!error)
		error = get_json(fd, &ret->passed_through);
	set_pointers(ret, floor);
	return error;
}
