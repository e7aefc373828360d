/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This source has the counters of a Prometheus exporter: node_exporter, VPP, OVS, FRR, SONiC and switches have one. It asks
 * by HTTP/1.0, so that the answer ends with the connection. For TLS, redirects and passwords use exec: with curl.
 */
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/message.h"
#include "observe/exposition.h"
#include "observe/source.h"

#define ANSWER_MOST (8u << 20)
#define HOST_OCTETS 256
#define PATH_OCTETS 512
#define OLD_MS      2000 /* age of a value that is not of now; headers have whole seconds */

struct prometheus_state {
	char host[HOST_OCTETS], port[8], path[PATH_OCTETS];
	struct addrinfo *addresses;
	char *answer;
	size_t octets;
	uint64_t deadline_ns;
};

/* Parse "//HOST[:PORT][/PATH]". HOST may be an IPv6 address in brackets. */
static bool read_url(const char *url, struct prometheus_state *ret)
{
	int length = 0;

	strcpy(ret->port, "80");
	strcpy(ret->path, "/metrics");
	if (sscanf(url, "http://[%255[0-9a-fA-F:.]]%n", ret->host, &length) < 1 || !length)
		if (sscanf(url, "http://%255[^]/:[]%n", ret->host, &length) < 1 || !length)
			return false;
	url += length;
	if (*url == ':') {
		if (sscanf(url, ":%5[0-9]%n", ret->port, &length) < 1)
			return false;
		url += length;
	}
	if (*url == '/' && url[1])
		snprintf(ret->path, sizeof(ret->path), "%s", url);
	return (!*url || *url == '/') && strlen(url) < sizeof(ret->path) && !strpbrk(ret->path, " \r\n");
}

static const char *prometheus_open(struct source *source)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct prometheus_state *state = calloc(1, sizeof(*state));
	int error;

	if (!state || !(state->answer = malloc(ANSWER_MOST + 1)) || !read_url(source->argument, state)) {
		if (state)
			free(state->answer);
		free(state);
		return "its URL is not http://HOST[:PORT][/PATH]";
	}
	error = getaddrinfo(state->host, state->port, &hints, &state->addresses);
	if (error) {
		source_refuse(source, "%.100s: %s", state->host, gai_strerror(error));
		free(state->answer);
		free(state);
		return source->trouble;
	}
	source->state = state;
	return NULL;
}

static void prometheus_close(struct source *source)
{
	struct prometheus_state *state = source->state;

	freeaddrinfo(state->addresses);
	free(state->answer);
	free(state);
	source->state = NULL;
}

/* Wait until the socket can be read or written: false at the deadline. */
static bool wait_for(const struct prometheus_state *state, int fd, short events)
{
	uint64_t now_ns = clock_ns();
	struct pollfd file = { .fd = fd, .events = events };
	struct timespec left = clock_timespec(state->deadline_ns > now_ns ? state->deadline_ns - now_ns : 0);

	return ppoll(&file, 1, &left, NULL) > 0;
}

/* Returns 0 or an errno. */
static int connect_to(const struct prometheus_state *state, const struct addrinfo *address, int fd)
{
	socklen_t size = sizeof(int);
	int error = connect(fd, address->ai_addr, address->ai_addrlen) ? errno : 0;

	if (error != EINPROGRESS)
		return error;
	if (!wait_for(state, fd, POLLOUT))
		return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) ? errno : error;
}

static int exchange_http(struct prometheus_state *state, int fd)
{
	const char *request = TEXT_OF(1024,
				      "GET %s HTTP/1.0\r\nHost: %s:%s\r\nAccept: text/plain;version=0.0.4\r\n"
				      "User-Agent: xdp-mlr\r\n\r\n",
				      state->path, state->host, state->port);
	ssize_t octets = send(fd, request, strlen(request), MSG_NOSIGNAL);

	if (octets != (ssize_t)strlen(request))
		return octets < 0 ? errno : EIO;
	for (state->octets = 0; state->octets < ANSWER_MOST; state->octets += (size_t)octets) {
		if (!wait_for(state, fd, POLLIN))
			return ETIMEDOUT;
		octets = recv(fd, state->answer + state->octets, ANSWER_MOST - state->octets, 0);
		if (octets == 0)
			return 0;
		if (octets < 0 && errno != EAGAIN && errno != EINTR)
			return errno;
		if (octets < 0)
			octets = 0;
	}
	return EFBIG;
}

static int ask(struct prometheus_state *state)
{
	int error = EHOSTUNREACH;

	for (const struct addrinfo *address = state->addresses; address && error; address = address->ai_next) {
		int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			return errno;
		error = connect_to(state, address, fd) ?: exchange_http(state, fd);
		close(fd);
	}
	return error;
}

/* --- what it answers ------------------------------------------------------------------------------------------------ */

/* Return the value of a header, which ends with its line. NULL: there is none. */
static const char *header_of(const char *head, const char *end, const char *name)
{
	size_t length = strlen(name);

	while (head < end && (head = memmem(head, (size_t)(end - head), "\r\n", 2)) && (head += 2) + length < end)
		if (strncasecmp(head, name, length) == 0 && head[length] == ':')
			return head + length + 1 + strspn(head + length + 1, " \t");
	return NULL;
}

/* Check that a body is whole, and as it was written. Returns NULL, or in words why not. `end` ends the headers. */
static const char *check_body(struct source *source, const char *end, size_t *octets)
{
	static const char *const codings[] = { "Transfer-Encoding", "Content-Encoding" };
	const struct prometheus_state *state = source->state;
	const char *length = header_of(state->answer, end, "Content-Length");
	unsigned long long said;

	for (size_t i = 0; i < COUNT(codings); i++)
		if (header_of(state->answer, end, codings[i]) &&
		    strncasecmp(header_of(state->answer, end, codings[i]), "identity", 8) != 0)
			return source_refuse(source, "%.100s:%s answers with a %s that was not asked for", state->host,
					     state->port, codings[i]);
	if (!length)
		return *octets && end[4 + *octets - 1] != '\n' ? "its answer ends within a line" : NULL;
	said = strtoull(length, NULL, 10);
	if (*octets < said)
		return source_refuse(source, "%.100s:%s ended its answer after %zu of %llu octets", state->host, state->port,
				     *octets, said);
	*octets = (size_t)said;
	return NULL;
}

/* Return the time of an answer by the clock of its server, as that of its values is; NAN: it has none. */
static double answered_ms(const struct prometheus_state *state, const char *end)
{
	const char *date = header_of(state->answer, end, "Date");
	struct tm time = { 0 };

	return date && strptime(date, "%a, %d %b %Y %H:%M:%S GMT", &time) ? (double)timegm(&time) * 1e3 : NAN;
}

/* Where the values go, and when the answer was written. */
struct taking {
	struct recorder *recorder;
	double answered_ms;
};

/* An exporter that tells what it, or another one, read before says so by a time. Such a value is none of now. */
static void add_value(const char *name, enum recorder_kind kind, double value, double at_ms, void *context)
{
	const struct taking *taking = context;

	if (taking->answered_ms - at_ms > OLD_MS)
		recorder_omit(taking->recorder, RECORDER_OLD, 1);
	else
		recorder_add(taking->recorder, name, kind, value);
}

static const char *prometheus_take(struct source *source, struct recorder *recorder)
{
	struct prometheus_state *state = source->state;
	const char *end, *trouble;
	struct taking taking;
	size_t octets, wrong;
	int error;

	state->deadline_ns = clock_ns() + (uint64_t)(SOURCE_TAKE_S * NS_PER_S);
	error = ask(state);
	if (error)
		return source_refuse(source, "%.100s:%s: %s", state->host, state->port, strerror(error));
	state->answer[state->octets] = '\0';
	end = memmem(state->answer, state->octets, "\r\n\r\n", 4);
	if (!end || state->octets < 12 || memcmp(state->answer, "HTTP/1.", 7) || memcmp(state->answer + 8, " 200", 4))
		return source_refuse(source, "%.100s:%s answers %s", state->host, state->port,
				     quote(state->answer, strcspn(state->answer, "\r\n"), ROOM(QUOTE_SIZE), QUOTE_SIZE));
	octets = state->octets - (size_t)(end + 4 - state->answer);
	trouble = check_body(source, end, &octets);
	if (trouble)
		return trouble;
	taking = (struct taking){ recorder, answered_ms(state, end) };
	if (exposition_read(end + 4, octets, add_value, &taking, &wrong) < 0)
		return "what it says is not the text format of Prometheus";
	recorder_omit(recorder, RECORDER_BAD_LINE, wrong);
	return NULL;
}

const struct source_ops source_prometheus = {
	.prefix = "prometheus:", .open = prometheus_open, .take = prometheus_take, .close = prometheus_close
};
