/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <grp.h>
#include <inttypes.h>
#include <microhttpd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "appliance/results.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/exit_code.h"
#include "base/files.h"

#define NS_PER_MS       1000000ull
#define CONNECTIONS_MAX 32
#define PER_ADDRESS_MAX 8
#define PER_NETWORK_MAX 12             /* connections from an IPv4 /24 or an IPv6 /64, which may belong to one party */
#define KEPT            8              /* places for those who showed the token */
#define KNOWN_MAX       8              /* addresses that showed the token; the last ones are kept */
#define HEAD_OCTETS     (16 * 1024)    /* octets of memory of a connection, which the request's head must fit into */
#define IDLE_S          5              /* time without an octet after which a connection ends */
#define FIRST_LINE_NS   (3 * NS_PER_S) /* time from the connection to the end of the request's first line */
/* Mean period of TLS handshakes, which cost much, with peers that did not show the token. */
#define HANDSHAKE_NS    (NS_PER_S / 4)
#define HANDSHAKES_NS   (4 * NS_PER_S)   /* allowed excess over this mean */
#define REQUEST_NS      (5 * NS_PER_S)   /* time from the first octet to the end of the request's head */
#define CONNECTION_NS   (300 * NS_PER_S) /* time from the connection to the last octet of the answer */
#define TICK_MS         1000             /* period of the check for slow connections */
#define ATTEMPTS_MOST   20               /* wrong tokens of a network in ATTEMPTS_NS; after that, the network is not heard */
#define ATTEMPTS_NS     (60 * NS_PER_S)
#define ATTEMPTS_PLACES 64              /* networks that are counted; of more, the last ones are kept */
#define TURN_NS         (5 * NS_PER_MS) /* mean period of turns with a question; turns of answers are ten times as fast */
#define TURNS_NS        (NS_PER_S / 2)  /* allowed excess over this mean */
#define FILES_MAX       (8 + 2 * CONNECTIONS_MAX) /* descriptors: of each connection, its own and what it is answered from */
#define MEMORY_MAX      (256ul * 1024 * 1024)     /* octets that all clients together may take */
#define HOST_NAME_SIZE  256
#define NOBODY          65534
#define NICENESS_LEAST  19

/* Return an address without its port; an IPv4 one as IPv6 maps it. */
struct peer {
	uint8_t octets[PEER_OCTETS];
};

/* The wrong tokens of a network. */
struct attempts {
	struct peer peer;
	unsigned int count;
	uint64_t since_ns;
};

/* A connection, and since when there is one. */
struct connection {
	int fd; /* -1: the place is free */
	uint64_t since_ns;
	struct peer peer;
	bool has_line; /* the first line of its request has come */
	bool asked;    /* The whole request has arrived. */
};

static struct {
	const struct http_settings *settings;
	int channel; /* channel to the appliance */
	struct MHD_Daemon *daemon;
	struct connection connections[CONNECTIONS_MAX];
	struct peer known[KNOWN_MAX]; /* peers that showed the token; the last one is in the place before `next_known` */
	unsigned int known_count, next_known;
	struct attempts attempts[ATTEMPTS_PLACES];
	unsigned int next_attempts;
	uint64_t handshakes_ns; /* time of the mean schedule; it is ahead of now by handshakes that were begun at once */
	char host_name[HOST_NAME_SIZE];
	bool busy; /* A client was connected at the last check. */
	bool asks; /* A client has come since, or its request is incomplete. */
} server;

/* --- questions -------------------------------------------------------------------------------------------------------- */

static void send_question(const struct http_question *question)
{
	if (send(server.channel, question, sizeof(*question), MSG_NOSIGNAL) < 0)
		_exit(EXIT_FAILURE); /* the appliance is gone */
}

/* The answer, and a descriptor to read it from; -1: there is none. */
static enum http_answer ask_whole(const struct http_question *question, int *ret_fd)
{
	union {
		struct cmsghdr header;
		char octets[CMSG_SPACE(sizeof(int))];
	} control;
	char answer;
	struct iovec data = { &answer, sizeof(answer) };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	const struct cmsghdr *header;

	send_question(question);
	if (recvmsg(server.channel, &message, MSG_CMSG_CLOEXEC) <= 0)
		_exit(EXIT_FAILURE);
	header = CMSG_FIRSTHDR(&message);
	*ret_fd = -1;
	if (header)
		memcpy(ret_fd, CMSG_DATA(header), sizeof(*ret_fd));
	return (enum http_answer)answer;
}

static int ask(enum http_subject subject, unsigned int number, unsigned int form)
{
	int fd;

	ask_whole(&(struct http_question){ .subject = subject, .number = number, .form = form }, &fd);
	return fd;
}

/* Record what an address did. */
static void tell(enum http_subject subject, const struct peer *peer)
{
	struct http_question question = { .subject = subject };

	memcpy(question.peer, peer->octets, sizeof(question.peer));
	send_question(&question);
}

/* --- answers ---------------------------------------------------------------------------------------------------------- */

/* A page may have styles and nothing else: no script, nothing from elsewhere, and it is kept nowhere. */
static void add_headers(struct MHD_Response *response, const char *type)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri "
					     "'none'; form-action 'none'; frame-ancestors 'none'" },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cache-Control", "no-store" },
		{ "Connection", "close" },
	};

	MHD_add_response_header(response, "Content-Type", type);
	for (size_t i = 0; i < COUNT(headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

/* Send a response, and take it over. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response,
				     const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO; /* the connection is closed */
	add_headers(response, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow",
					*server.settings->control_token ? "GET, HEAD, POST" : "GET, HEAD");
	if (status == MHD_HTTP_UNAUTHORIZED) {
		MHD_add_response_header(response, "WWW-Authenticate", "Bearer realm=\"xdp-mlr\"");
		MHD_add_response_header(response, "WWW-Authenticate",
					"Basic realm=\"xdp-mlr: any name, the token as password\"");
	}
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result send_sentence(struct MHD_Connection *connection, unsigned int status, const char *sentence)
{
	return send_response(connection, status,
			     MHD_create_response_from_buffer(strlen(sentence), (void *)sentence, MHD_RESPMEM_PERSISTENT),
			     "text/plain; charset=utf-8");
}

/* Send the appliance's answer. */
static enum MHD_Result send_answer(struct MHD_Connection *connection, int fd, const char *type)
{
	struct MHD_Response *response = NULL;
	struct stat status;

	if (fd >= 0 && !fstat(fd, &status))
		response = MHD_create_response_from_fd64((uint64_t)status.st_size, fd);
	if (!response && fd >= 0)
		close(fd);
	return send_response(connection, MHD_HTTP_OK, response, type);
}

/* Send a part of a file (RFC 9110, 14.2). */
struct range {
	uint64_t first, last; /* octets */
};

static bool parse_octets(const char **text, uint64_t *ret)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*ret = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

/* "bytes=0-99", "bytes=100-" or "bytes=-100" of a file of so many octets. False: it is none of these, so the whole file is sent. A
 * range without an octet of the file has its first one behind its last. */
static bool parse_range(const char *text, uint64_t octets, struct range *ret)
{
	static const char unit[] = "bytes=";
	bool has_first, has_last;

	*ret = (struct range){ 0, octets - 1 };
	if (!text || !octets || strncmp(text, unit, sizeof(unit) - 1) != 0)
		return false;
	text += sizeof(unit) - 1;
	has_first = parse_octets(&text, &ret->first);
	if (*text++ != '-')
		return false;
	has_last = parse_octets(&text, &ret->last);
	if (*text || (!has_first && !has_last) || (has_first && has_last && ret->last < ret->first))
		return false;
	if (!has_first)
		ret->first = ret->last < octets ? octets - ret->last : 0;
	if (!has_first || ret->last >= octets)
		ret->last = octets - 1;
	return true;
}

static enum MHD_Result send_range(struct MHD_Connection *connection, int fd, const struct range *range, uint64_t octets,
				  const char *type)
{
	struct MHD_Response *response =
		MHD_create_response_from_fd_at_offset64(range->last - range->first + 1, fd, range->first);
	char text[80];

	if (!response) {
		close(fd);
		return MHD_NO;
	}
	snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, range->first, range->last, octets);
	MHD_add_response_header(response, "Content-Range", text);
	return send_response(connection, MHD_HTTP_PARTIAL_CONTENT, response, type);
}

/* --- who may ask ------------------------------------------------------------------------------------------------------- */

/* Find the token: `Authorization: Bearer TOKEN`, or, because browsers use it, Basic with the token as password. */
static bool may_ask(struct MHD_Connection *connection)
{
	static const char scheme[] = "Bearer ";
	const char *token = server.settings->token;
	const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
	char *password = NULL, *name;
	bool may;

	if (!*token)
		return true;
	if (given && strncasecmp(given, scheme, sizeof(scheme) - 1) == 0)
		return same_secret(given + sizeof(scheme) - 1, token);
	name = MHD_basic_auth_get_username_password(connection, &password);
	may = password && same_secret(password, token);
	MHD_free(name);
	MHD_free(password);
	return may;
}

/* Return the peer of a connection; zeros if it is not known. */
static struct peer peer_of(const struct sockaddr *address)
{
	struct peer peer = { { 0 } };

	if (address && address->sa_family == AF_INET) {
		memset(peer.octets + 10, 0xff, 2);
		memcpy(peer.octets + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
	} else if (address && address->sa_family == AF_INET6) {
		memcpy(peer.octets, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
	}
	return peer;
}

static bool same_peer(const struct peer *a, const struct peer *b)
{
	return memcmp(a->octets, b->octets, sizeof(a->octets)) == 0;
}

/* Whether both are in one IPv4 /24 or IPv6 /64. Each address of 127.0.0.0/8 is by itself: all of them are this machine. */
static bool same_network(const struct peer *a, const struct peer *b)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool is_ipv4 = memcmp(a->octets, mapped, sizeof(mapped)) == 0;

	if (is_ipv4 && a->octets[12] == 127)
		return same_peer(a, b);
	return memcmp(a->octets, b->octets, is_ipv4 ? 15 : 8) == 0;
}

/* Return the count of wrong tokens for the network of a peer; NULL: there is none. */
static struct attempts *attempts_of(const struct peer *peer)
{
	for (size_t i = 0; i < ATTEMPTS_PLACES; i++)
		if (server.attempts[i].count && same_network(&server.attempts[i].peer, peer))
			return &server.attempts[i];
	return NULL;
}

/* Whether a network guesses. Who showed the token before is heard all the same. */
static bool has_guessed(const struct peer *peer)
{
	struct attempts *attempts = attempts_of(peer);

	if (attempts && clock_ns() - attempts->since_ns > ATTEMPTS_NS)
		attempts->count = 0;
	return attempts && attempts->count >= ATTEMPTS_MOST;
}

static void count_attempt(const struct peer *peer)
{
	struct attempts *attempts = attempts_of(peer);

	if (!attempts) {
		attempts = &server.attempts[server.next_attempts];
		server.next_attempts = (server.next_attempts + 1) % ATTEMPTS_PLACES;
		*attempts = (struct attempts){ .peer = *peer, .since_ns = clock_ns() };
	}
	attempts->count++;
	tell(HTTP_DENIED, peer);
}

static bool is_known(const struct peer *peer)
{
	for (unsigned int i = 0; i < server.known_count; i++)
		if (same_peer(&server.known[i], peer))
			return true;
	return false;
}

static void remember(const struct peer *peer)
{
	if (is_known(peer))
		return;
	tell(HTTP_LOGIN, peer);
	server.known[server.next_known] = *peer;
	server.next_known = (server.next_known + 1) % KNOWN_MAX;
	if (server.known_count < KNOWN_MAX)
		server.known_count++;
}

/* Whether the name that a browser asked for is this machine's. A page of somebody else could let its own name lead here
 * (DNS rebinding), and read what comes. A token keeps it out as well; then any name will do. */
static bool is_our_name(const char *host)
{
	char name[HOST_NAME_SIZE], *end;
	struct in6_addr address;

	if (!host || *server.settings->token)
		return true;
	snprintf(name, sizeof(name), "%s", *host == '[' ? host + 1 : host);
	end = *host == '[' ? strchr(name, ']') : strrchr(name, ':');
	if (end)
		*end = '\0';
	return inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1 ||
	       strcasecmp(name, "localhost") == 0 || strcasecmp(name, server.host_name) == 0;
}

/* --- what is asked for ------------------------------------------------------------------------------------------------- */

/* Parse "/results/N.json" and "/results/N.html", and nothing that only resembles them; 0 for anything else. */
static unsigned int parse_result(const char *path, enum results_form *ret_form)
{
	static const char folder[] = "/results/";
	unsigned long number;
	char *end;

	if (strncmp(path, folder, sizeof(folder) - 1) != 0)
		return 0;
	path += sizeof(folder) - 1;
	if (*path < '1' || *path > '9' || strlen(path) > 16)
		return 0;
	number = strtoul(path, &end, 10);
	if (strcmp(end, ".json") == 0)
		*ret_form = RESULTS_JSON;
	else if (strcmp(end, ".html") == 0)
		*ret_form = RESULTS_HTML;
	else
		return 0;
	return number > 999999999 ? 0 : (unsigned int)number;
}

static const char html[] = "text/html; charset=utf-8";

static enum MHD_Result answer_result(struct MHD_Connection *connection, const char *path, void **state)
{
	enum results_form form = RESULTS_JSON;
	unsigned int number = parse_result(path, &form);
	int fd = number ? ask(HTTP_RESULT, number, form) : -1;

	const char *type = form == RESULTS_JSON ? "application/json" : html;
	struct range range;
	struct stat status;

	if (fd < 0)
		return send_sentence(connection, MHD_HTTP_NOT_FOUND, "there is no such page; / lists what there is\n");
	if (!fstat(fd, &status) && parse_range(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Range"),
					       (uint64_t)status.st_size, &range)) {
		if (range.first <= range.last) /* a part is no result fetched */
			return send_range(connection, fd, &range, (uint64_t)status.st_size, type);
		close(fd);
		return send_sentence(connection, MHD_HTTP_RANGE_NOT_SATISFIABLE, "the result is shorter than that\n");
	}
	*state = (void *)(uintptr_t)number;
	return send_answer(connection, fd, type);
}

static enum MHD_Result answer_path(struct MHD_Connection *connection, const char *path, void **state)
{
	static const struct {
		const char *path, *type;
		enum http_subject subject;
	} pages[] = {
		{ "/", html, HTTP_INDEX },
		{ "/live", html, HTTP_VIEW },
		{ "/log", "text/plain; charset=utf-8", HTTP_LOG },
		{ "/audit", "text/plain; charset=utf-8", HTTP_AUDIT },
		{ "/metrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", HTTP_METRICS },
	};

	for (size_t i = 0; i < COUNT(pages); i++)
		if (strcmp(pages[i].path, path) == 0)
			return send_answer(connection, ask(pages[i].subject, 0, 0), pages[i].type);
	return answer_result(connection, path, state);
}

/* Paths are compared as they come: none of ours has an escape. */
static size_t keep_escapes(void *, struct MHD_Connection *, char *text)
{
	return strlen(text);
}

/* Return the descriptor of a connection; -1: it has none. What libmicrohttpd returns is valid until it is asked the next
 * time. */
static int descriptor_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static struct connection *find_connection(struct MHD_Connection *connection)
{
	int fd = descriptor_of(connection);

	for (size_t i = 0; fd >= 0 && i < CONNECTIONS_MAX; i++)
		if (server.connections[i].fd == fd)
			return &server.connections[i];
	return NULL;
}

/* Whether one of those who may has signed the client's certificate, and it is valid now. */
static bool has_certificate(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	unsigned int status = 1;

	return info && info->tls_session && !gnutls_certificate_verify_peers2(info->tls_session, &status) && !status;
}

/* Do what a key of the console does. The token is one of its own, and no browser sends it by itself. */
static enum MHD_Result control(struct MHD_Connection *connection, const char *path, const struct peer *peer)
{
	static const char scheme[] = "Bearer ", text[] = "text/plain; charset=utf-8";
	const char *given = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
	struct http_question question = { .subject = strcmp(path, "/again") == 0 ? HTTP_AGAIN : HTTP_STOP };
	int fd;

	if (question.subject == HTTP_STOP && strcmp(path, "/stop") != 0)
		return send_sentence(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "POST is for /again and /stop\n");
	if (!given || strncasecmp(given, scheme, sizeof(scheme) - 1) != 0)
		return send_sentence(connection, MHD_HTTP_UNAUTHORIZED, "the control token is needed, as bearer\n");
	snprintf(question.token, sizeof(question.token), "%s", given + sizeof(scheme) - 1);
	memcpy(question.peer, peer->octets, sizeof(question.peer));
	if (ask_whole(&question, &fd) == HTTP_FINE)
		return send_answer(connection, fd, text);
	count_attempt(peer);
	return send_sentence(connection, MHD_HTTP_FORBIDDEN, "this is not the control token\n");
}

/* Whether somebody who asks is heard; else *ret_result is what the answer came to. */
static bool is_heard(struct MHD_Connection *connection, const struct peer *peer, enum MHD_Result *ret_result)
{
	if (!is_our_name(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
		*ret_result = send_sentence(connection, MHD_HTTP_MISDIRECTED_REQUEST,
					    "without a token, ask by the address or the host name of this machine\n");
	else if (!is_known(peer) && has_guessed(peer))
		*ret_result = send_sentence(connection, MHD_HTTP_TOO_MANY_REQUESTS,
					    "too many wrong tokens came from this network; wait a minute\n");
	else if (server.settings->clients && !has_certificate(connection))
		*ret_result = send_sentence(connection, MHD_HTTP_FORBIDDEN, "a client's certificate is needed\n");
	else
		return true;
	return false;
}

static enum MHD_Result read_path(struct MHD_Connection *connection, const char *path, bool is_head, const struct peer *peer,
				 void **state)
{
	void *nothing = NULL; /* a head is no result fetched */

	if (!may_ask(connection)) {
		if (MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"))
			count_attempt(peer);
		return send_sentence(connection, MHD_HTTP_UNAUTHORIZED, "a token is needed\n");
	}
	if (*server.settings->token || server.settings->clients)
		remember(peer);
	return answer_path(connection, path, is_head ? &nothing : state);
}

static enum MHD_Result on_request(void *, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *, const char *upload, size_t *, void **state)
{
	static const struct peer nobody;
	struct connection *known = find_connection(connection);
	const struct peer *peer = known ? &known->peer : &nobody;
	bool is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0, is_get = strcmp(method, MHD_HTTP_METHOD_GET) == 0;
	bool controls = *server.settings->control_token && strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	enum MHD_Result result;

	(void)upload; /* the answer goes out before any body would come */
	if (known)
		known->asked = true;
	if (!is_head && !is_get && !controls)
		return send_sentence(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(path, "/healthz") == 0)
		return send_sentence(connection, MHD_HTTP_OK, "ok\n");
	if (!is_heard(connection, peer, &result))
		return result;
	return controls ? control(connection, path, peer) : read_path(connection, path, is_head, peer, state);
}

/* Note that a result has been fetched: it left to its last octet. */
static void on_completed(void *, struct MHD_Connection *, void **state, enum MHD_RequestTerminationCode code)
{
	if (*state && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		send_question(&(struct http_question){ .subject = HTTP_FETCHED, .number = (unsigned int)(uintptr_t)*state });
	*state = NULL;
}

/* --- connections ------------------------------------------------------------------------------------------------------- */

static void on_connection(void *, struct MHD_Connection *connection, void **, enum MHD_ConnectionNotificationCode code)
{
	struct connection *known = find_connection(connection);
	const union MHD_ConnectionInfo *address;
	int fd = descriptor_of(connection);

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (known)
			known->fd = -1;
		return;
	}
	for (size_t i = 0; fd >= 0 && i < CONNECTIONS_MAX; i++) {
		if (server.connections[i].fd >= 0)
			continue;
		address = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
		server.connections[i] = (struct connection){ .fd = fd,
							     .since_ns = clock_ns(),
							     .peer = peer_of(address ? address->client_addr : NULL) };
		server.asks = true;
		return;
	}
}

/* Whether a connection is taken. Places are kept for those who showed the token, and a network has so many. */
static enum MHD_Result accept_peer(void *, const struct sockaddr *address, socklen_t)
{
	struct peer peer = peer_of(address);
	unsigned int strangers = 0, near = 0;
	uint64_t now_ns = clock_ns();

	if (is_known(&peer))
		return MHD_YES;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		const struct connection *other = &server.connections[i];

		strangers += other->fd >= 0 && !is_known(&other->peer);
		near += other->fd >= 0 && same_network(&peer, &other->peer);
	}
	if (near >= PER_NETWORK_MAX || (*server.settings->token && strangers >= CONNECTIONS_MAX - KEPT))
		return MHD_NO;
	if (!server.settings->certificate)
		return MHD_YES;
	if (server.handshakes_ns > now_ns + HANDSHAKES_NS - HANDSHAKE_NS)
		return MHD_NO;
	server.handshakes_ns = (server.handshakes_ns > now_ns ? server.handshakes_ns : now_ns) + HANDSHAKE_NS;
	return MHD_YES;
}

/* Note that the first line of a request has come. */
static void *on_first_line(void *, const char *, struct MHD_Connection *connection)
{
	struct connection *known = find_connection(connection);

	if (known)
		known->has_line = true;
	return NULL;
}

/* Return how long a connection may still exist. */
static uint64_t time_of(const struct connection *connection)
{
	if (connection->asked)
		return CONNECTION_NS;
	return connection->has_line ? REQUEST_NS : FIRST_LINE_NS;
}

/* End connections that are too old. A client that sends an octet now and then is never idle. */
static void end_slow_ones(void)
{
	uint64_t now_ns = clock_ns();

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &server.connections[i];

		server.asks |= connection->fd >= 0 && !connection->asked;
		if (connection->fd >= 0 && now_ns - connection->since_ns > time_of(connection))
			shutdown(connection->fd, SHUT_RDWR);
	}
}

/* --- listening ---------------------------------------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(int fd)
{
	const struct http_settings *http = server.settings;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, http->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, http->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ http->clients ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, http->clients },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (!http->certificate)
		tls[0] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	return MHD_start_daemon(MHD_USE_EPOLL | (http->certificate ? MHD_USE_TLS : 0), 0, accept_peer, NULL, on_request,
				NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_ARRAY, tls, MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)CONNECTIONS_MAX, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
				(unsigned int)PER_ADDRESS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_OCTETS,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S, MHD_OPTION_NOTIFY_COMPLETED,
				on_completed, NULL, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_URI_LOG_CALLBACK,
				on_first_line, NULL, MHD_OPTION_END);
}

/* --- the process ------------------------------------------------------------------------------------------------------ */

/* Keep nothing of the appliance's but a pipe for errors, and the channel and the listening socket as the next two
 * descriptors. */
static void keep_three(int *channel, int *listening_fd, int errors)
{
	int high_channel = fcntl(*channel, F_DUPFD, STDERR_FILENO + 3),
	    high_socket = fcntl(*listening_fd, F_DUPFD, STDERR_FILENO + 3);
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	*channel = dup2(high_channel, STDERR_FILENO + 1);
	*listening_fd = dup2(high_socket, STDERR_FILENO + 2);
	close_range(STDERR_FILENO + 3, ~0u, 0);
}

/* Use the last of the CPUs, because transmitters take the first ones, and let everything else on it go before. */
static void step_aside(void)
{
	cpu_set_t allowed, last;

	setpriority(PRIO_PROCESS, 0, NICENESS_LEAST);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&last);
		CPU_SET(cpu, &last);
	}
	sched_setaffinity(0, sizeof(last), &last);
}

/* A limit that is lower already stays. */
static int lower_limit(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return -errno;
	limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) ? -errno : 0;
}

static int lower_limits(void)
{
	int error = lower_limit(RLIMIT_NOFILE, FILES_MAX);

#ifndef __SANITIZE_ADDRESS__ /* sanitizers take terabytes of addresses */
	if (!error)
		error = lower_limit(RLIMIT_AS, MEMORY_MAX);
#endif
	return error;
}

/* Nobody, nowhere; and the first to go where memory runs out. Who is not root cannot, and need not be nobody. A socket that it
 * might open would be in a network without interfaces; where the kernel has no such networks, it opens none all the same. */
static int leave(const char *empty)
{
	int folder = -1; /* the path may be a relative one: removed before we are elsewhere */
	int error = lower_limits();

	if (error)
		return error;
	file_set("/proc/self/oom_score_adj", "1000");
	step_aside();
	if (!geteuid())
		unshare(CLONE_NEWNET);
	if (!geteuid() && (mkdir(empty, 0500) || (folder = open(empty, O_PATH | O_DIRECTORY)) < 0 || rmdir(empty) ||
			   fchdir(folder) || close(folder) || chroot(".") || setgroups(0, NULL) ||
			   setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		return -errno;
	return prctl(PR_SET_PDEATHSIG, SIGKILL) ? -errno : 0; /* This call is last, because a change of user resets it. */
}

static int confine(void)
{
	/* These are the calls of libmicrohttpd, GnuTLS below it, and the C library, by families. */
	static const int calls[] = {
#ifdef __x86_64__
		__NR_epoll_wait, __NR_poll, __NR_time, __NR_open, __NR_stat, __NR_access, __NR_readlink,
#endif
		/* sockets, and descriptors that are read from */
		__NR_epoll_pwait, __NR_epoll_ctl, __NR_ppoll, __NR_accept4, __NR_accept, __NR_recvfrom, __NR_recvmsg,
		__NR_sendto, __NR_sendmsg, __NR_read, __NR_readv, __NR_write, __NR_writev, __NR_pread64, __NR_sendfile,
		__NR_lseek, __NR_fstat, __NR_newfstatat, __NR_statx, __NR_fcntl, __NR_close, __NR_shutdown, __NR_getsockopt,
		__NR_setsockopt, __NR_getpeername, __NR_getsockname,
		/* memory, time; files, of which there are none */
		__NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, __NR_brk, __NR_openat, __NR_faccessat,
		__NR_readlinkat, __NR_clock_gettime, __NR_gettimeofday, __NR_getrandom, __NR_getrusage, __NR_futex,
		__NR_sysinfo, __NR_getpid, __NR_gettid, __NR_tgkill, __NR_rt_sigaction, __NR_rt_sigprocmask,
		__NR_rt_sigreturn, __NR_restart_syscall, __NR_exit, __NR_exit_group
	};
	/* An accepted socket must not be turned into a connection to an address of the caller's choice, and runs are nobody's,
	 * too: they get no signal. */
	const struct confine_rule rules[] = { { __NR_sendto, 3, MSG_FASTOPEN, 0 },
					      { __NR_sendmsg, 2, MSG_FASTOPEN, 0 },
					      { __NR_tgkill, 0, CONFINE_WHOLE, (uint32_t)getpid() } };

	return confine_keep(0)
		       ?: confine_no_new_privileges()
		       ?: confine_system_calls(calls, COUNT(calls), rules, COUNT(rules));
}

/* Return the time until something is due; -1: nothing is, so that the process does not wake during a measurement. It wakes
 * once more after the last client left: if all places were taken, the library accepts new clients in its next turn only. */
static int wait_ms(void)
{
	MHD_UNSIGNED_LONG_LONG due_ms;
	bool any = false, last_left;

	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		any |= server.connections[i].fd >= 0;
	last_left = server.busy && !any;
	server.busy = any;
	if (!any)
		return last_left ? 0 : -1;
	return MHD_get_timeout(server.daemon, &due_ms) == MHD_YES && due_ms < TICK_MS ? (int)due_ms : TICK_MS;
}

/* Clients that send octet by octet, or ask without end, get so many turns a second, and wait; each does a bounded work. */
static void take_turn(void)
{
	static uint64_t due_ns;
	uint64_t now_ns = clock_ns();

	due_ns = (due_ns > now_ns ? due_ns : now_ns) + (server.asks ? TURN_NS : TURN_NS / 10);
	server.asks = false;
	if (due_ns > now_ns + TURNS_NS)
		poll(NULL, 0, (int)((due_ns - now_ns - TURNS_NS) / NS_PER_MS) + 1);
}

static void serve(void)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(server.daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd files[] = { { .fd = info->epoll_fd, .events = POLLIN }, { .fd = server.channel } };

	while (!(files[1].revents & (POLLHUP | POLLERR))) {
		poll(files, 2, wait_ms());
		take_turn();
		end_slow_ones();
		MHD_run(server.daemon);
	}
}

/* Forget the token to control: of the settings the server knows only whether there is one. Copies may be left in memory. */
static const struct http_settings *forget_control(const struct http_settings *settings)
{
	/* Since the fork, only this process has this copy. */
	struct http_settings *own = (struct http_settings *)(uintptr_t)settings;

	if (*own->control_token) {
		explicit_bzero(own->control_token, sizeof(own->control_token));
		own->control_token[0] = '*';
	}
	return own;
}

static void be_server(const struct http_settings *settings, int listening_fd, const char *empty, int channel, int errors,
		      pid_t parent)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, i == SIGPIPE ? SIG_IGN : SIG_DFL);
	setsid();
	tzset(); /* dates need a file */
	prctl(PR_SET_NAME, "xdp-mlr-http");
	keep_three(&channel, &listening_fd, errors);
	server.settings = forget_control(settings);
	gethostname(server.host_name, sizeof(server.host_name) - 1);
	server.channel = channel;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		server.connections[i].fd = -1;
	server.daemon = start_daemon(listening_fd);
	if (!server.daemon || leave(empty) || getppid() != parent || confine())
		_exit(EXIT_FAILURE);
	send_question(&(struct http_question){ .subject = HTTP_READY });
	serve();
	_exit(EXIT_SUCCESS);
}

int http_server_start(const struct http_settings *settings, int listening_fd, const char *empty, struct http_server *ret)
{
	pid_t parent = getpid(), pid;
	int channel[2], errors[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel))
		return -errno;
	if (pipe2(errors, O_NONBLOCK | O_CLOEXEC)) {
		error = -errno;
		close(channel[0]);
		close(channel[1]);
		return error;
	}
	pid = fork();
	error = -errno;
	if (pid == 0)
		be_server(settings, listening_fd, empty, channel[1], errors[1], parent);
	close(channel[1]);
	close(errors[1]);
	*ret = (struct http_server){ pid, channel[0], errors[0] };
	if (pid > 0)
		return 0;
	close(channel[0]);
	close(errors[0]);
	return error;
}
