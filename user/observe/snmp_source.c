/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This source has counters of interfaces by SNMPv2c (IF-MIB): "snmp:[COMMUNITY@]HOST[:PORT]". */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "observe/if_mib.h"
#include "observe/source.h"

#define INTERFACES_MOST 64
#define NAME_SIZE       128
#define ANSWER_WAIT_NS  (NS_PER_S / 4) /* time after which a request is repeated */

_Static_assert(INTERFACES_MOST == 64, "the reason of RECORDER_FAR_PORT");

static const struct if_mib_column names_column = { "ifName", true, 1 };
static const struct if_mib_column columns[] = {
	{ "ifInDiscards", false, 13 },  { "ifInErrors", false, 14 },   { "ifInUnknownProtos", false, 15 },
	{ "ifOutDiscards", false, 19 }, { "ifOutErrors", false, 20 },  { "ifHCInOctets", true, 6 },
	{ "ifHCInUcastPkts", true, 7 }, { "ifHCOutOctets", true, 10 }, { "ifHCOutUcastPkts", true, 11 },
};

struct interface {
	uint32_t index;
	char name[NAME_SIZE];
};

struct snmp_state {
	char community[65];
	int fd;
	uint32_t number; /* number of the last request */
	uint64_t deadline_ns;
	struct interface interfaces[INTERFACES_MOST];
	size_t count;
};

/* Parse [COMMUNITY@]HOST[:PORT]. HOST may be an IPv6 address in brackets. */
static bool read_target(const char *text, char community[65], char host[256], char port[8])
{
	const char *at = strrchr(text, '@');
	int length = 0;

	snprintf(community, 65, "%.*s", at ? (int)(at - text) : 6, at ? text : "public");
	text = at ? at + 1 : text;
	strcpy(port, "161");
	if ((sscanf(text, "[%255[0-9a-fA-F:.]]%n", host, &length) < 1 || !length) &&
	    (sscanf(text, "%255[^]:[]%n", host, &length) < 1 || !length))
		return false;
	text += length;
	length = 0;
	return !*text || (sscanf(text, ":%5[0-9]%n", port, &length) == 1 && !text[length]);
}

static const char *connect_to(struct source *source, const char *host, const char *port, int *ret_fd)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_DGRAM };
	struct addrinfo *address;
	int error = getaddrinfo(host, port, &hints, &address), fd;

	if (error)
		return source_refuse(source, "%.100s: %s", host, gai_strerror(error));
	fd = socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	error = fd < 0 || connect(fd, address->ai_addr, address->ai_addrlen) ? errno : 0;
	freeaddrinfo(address);
	if (!error) {
		*ret_fd = fd;
		return NULL;
	}
	if (fd >= 0)
		close(fd);
	return source_refuse(source, "%.100s: %s", host, strerror(error));
}

/* Read the answer to the last request. Returns 0 or an errno; *ret_count is how many rows it has. */
static int receive(struct snmp_state *state, const struct if_mib_column *column, uint64_t until_ns,
		   uint8_t message[IF_MIB_MESSAGE_MOST], struct if_mib_row rows[IF_MIB_ROWS], int *ret_count)
{
	for (;;) {
		uint64_t now_ns = clock_ns();
		struct pollfd file = { .fd = state->fd, .events = POLLIN };
		struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
		ssize_t octets = ppoll(&file, 1, &left, NULL) > 0 ? recv(state->fd, message, IF_MIB_MESSAGE_MOST, 0) : -1;

		if (octets < 0)
			return file.revents & POLLERR ? ECONNREFUSED : ETIMEDOUT;
		*ret_count = if_mib_answer(message, (size_t)octets, state->number, column, rows);
		if (*ret_count >= 0)
			return 0;
		if (now_ns >= until_ns)
			return ETIMEDOUT;
	}
}

static int ask(struct snmp_state *state, const struct if_mib_column *column, uint32_t after,
	       uint8_t message[IF_MIB_MESSAGE_MOST], struct if_mib_row rows[IF_MIB_ROWS], int *ret_count)
{
	int error = ETIMEDOUT;

	while (error == ETIMEDOUT && clock_ns() < state->deadline_ns) {
		size_t octets = if_mib_request(state->community, ++state->number, column, after, message);
		uint64_t until_ns = clock_ns() + ANSWER_WAIT_NS;

		if (!octets)
			return EINVAL;
		if (send(state->fd, message, octets, MSG_NOSIGNAL) < 0)
			return errno;
		error = receive(state, column, until_ns < state->deadline_ns ? until_ns : state->deadline_ns, message, rows,
				ret_count);
	}
	return error;
}

typedef void take_row(struct snmp_state *state, const struct if_mib_column *column, const struct if_mib_row *row,
		      struct recorder *recorder);

/* Read all rows of a column; indexes that do not grow end it. Returns 0 or an errno. */
static int walk(struct snmp_state *state, const struct if_mib_column *column, take_row *take, struct recorder *recorder)
{
	struct if_mib_row rows[IF_MIB_ROWS];
	uint8_t message[IF_MIB_MESSAGE_MOST];
	uint32_t after = 0;
	int count = IF_MIB_ROWS, error = 0;

	for (int asked = 0; count == IF_MIB_ROWS && !error && asked < INTERFACES_MOST / IF_MIB_ROWS; asked++) {
		error = ask(state, column, after, message, rows, &count);
		for (int i = 0; !error && i < count; i++) {
			if (rows[i].index <= after)
				return 0;
			after = rows[i].index;
			take(state, column, &rows[i], recorder);
		}
	}
	return error;
}

static void read_name(struct snmp_state *state, const struct if_mib_column *, const struct if_mib_row *row,
		      struct recorder *)
{
	struct interface *interface = &state->interfaces[state->count];

	if (state->count == INTERFACES_MOST)
		return;
	interface->index = row->index;
	quote((const char *)row->text, row->text_octets < NAME_SIZE ? row->text_octets : NAME_SIZE - 1, interface->name,
	      sizeof(interface->name));
	state->count++;
}

static void read_counter(struct snmp_state *state, const struct if_mib_column *column, const struct if_mib_row *row,
			 struct recorder *recorder)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->interfaces[i].index == row->index)
			recorder_add(recorder,
				     TEXT_OF(RECORDER_NAME_SIZE, "if/%s/%s", state->interfaces[i].name, column->name),
				     row->is_64 ? RECORDER_COUNTER_64 : RECORDER_COUNTER, (double)row->value);
}

static const char *refuse_answers(struct source *source, int error)
{
	return error ? source_refuse(source, "the agent does not answer: %s", strerror(error)) : NULL;
}

static const char *snmp_source_open(struct source *source)
{
	struct snmp_state *state = calloc(1, sizeof(*state));
	char host[256], port[8];
	const char *trouble;

	if (!state || !read_target(source->argument, state->community, host, port)) {
		free(state);
		return "its agent is not [COMMUNITY@]HOST[:PORT]";
	}
	trouble = connect_to(source, host, port, &state->fd);
	state->number = (uint32_t)clock_ns();
	if (trouble)
		free(state);
	else
		source->state = state;
	return trouble;
}

static void snmp_source_close(struct source *source)
{
	struct snmp_state *state = source->state;

	close(state->fd);
	free(state);
	source->state = NULL;
}

/* Count what is left out where an agent has more interfaces than are read: of as many as the next answer tells. */
static int omit_others(struct snmp_state *state, struct recorder *recorder)
{
	struct if_mib_row rows[IF_MIB_ROWS];
	uint8_t message[IF_MIB_MESSAGE_MOST];
	int count = 0, error = 0;

	if (state->count == INTERFACES_MOST)
		error = ask(state, &names_column, state->interfaces[INTERFACES_MOST - 1].index, message, rows, &count);
	recorder_omit(recorder, RECORDER_FAR_PORT, (size_t)count * COUNT(columns));
	return error;
}

/* An agent that starts again may number interfaces in another way (RFC 2863, 3.1.5): each sample has their names as well. */
static const char *snmp_source_take(struct source *source, struct recorder *recorder)
{
	struct snmp_state *state = source->state;
	int error;

	state->deadline_ns = clock_ns() + (uint64_t)(SOURCE_TAKE_S * NS_PER_S);
	state->count = 0;
	error = walk(state, &names_column, read_name, NULL) ?: omit_others(state, recorder);
	for (size_t i = 0; i < COUNT(columns) && !error; i++)
		error = walk(state, &columns[i], read_counter, recorder);
	return refuse_answers(source, error);
}

const struct source_ops source_snmp = {
	.prefix = "snmp:", .open = snmp_source_open, .take = snmp_source_take, .close = snmp_source_close
};
