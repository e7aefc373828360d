/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <microhttpd.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appliance/pages.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/text_stream.h"

#define NS_PER_MS        1000000ull
#define CONNECTIONS_MAX  32
#define PER_ADDRESS_MAX  8
#define HEAD_OCTETS      (16 * 1024)      /* of memory a connection, in which the request's head must have room */
#define IDLE_S           5                /* without a sign of life */
#define REQUEST_NS       (5 * NS_PER_S)   /* from the first octet to the end of the request's head */
#define CONNECTION_NS    (300 * NS_PER_S) /* to the last octet of the answer */
#define BACKLOG          16
#define ADDRESS_RETRY_NS (2 * NS_PER_S) /* the management port gets its address later, by DHCP */
#define LOOPBACK         "127.0.0.1"
#define TICK_NS          NS_PER_S

/* A connection, and since when. */
struct connection {
	int fd; /* -1: the place is free */
	uint64_t since_ns;
	bool asked; /* its request has come whole */
};

struct http {
	struct MHD_Daemon *daemon; /* NULL: not yet, for want of an address */
	struct connection connections[CONNECTIONS_MAX];
	uint64_t retry_ns;
	bool said;      /* why it does not listen yet */
	char shown[96]; /* "http://127.0.0.1:80" */
};

/* --- answers ---------------------------------------------------------------------------------------------------------- */

/* A page may have styles and nothing else: no script, nothing from elsewhere, and it is kept nowhere. */
static void add_headers(struct MHD_Response *response, const char *type)
{
	static const char *const headers[][2] = {
		{ "Content-Security-Policy",
		  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
		  "frame-ancestors 'none'" },
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

/* Takes the response over. */
static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response,
				     const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO; /* the connection is closed */
	add_headers(response, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
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

/* A text of ours, which it takes over. */
static enum MHD_Result send_text(struct MHD_Connection *connection, char *text, size_t length, const char *type)
{
	struct MHD_Response *response = text ? MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE) : NULL;

	if (!response)
		free(text);
	return send_response(connection, MHD_HTTP_OK, response, type);
}

/* A file of ours. It may be deleted meanwhile: who has it open reads it to its end. */
static enum MHD_Result send_file(struct MHD_Connection *connection, const char *path, const char *type)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct MHD_Response *response;
	struct stat status;

	if (fd < 0 || fstat(fd, &status)) {
		if (fd >= 0)
			close(fd);
		return send_sentence(connection, MHD_HTTP_NOT_FOUND, "there is none\n");
	}
	response = MHD_create_response_from_fd64((uint64_t)status.st_size, fd);
	if (!response)
		close(fd);
	return send_response(connection, MHD_HTTP_OK, response, type);
}

/* --- who may ask ------------------------------------------------------------------------------------------------------- */

/* Whether two texts are the same, in a time that tells nothing but the length of what was given. */
static bool same_secret(const char *given, const char *secret)
{
	size_t given_length = strlen(given), secret_length = strlen(secret);
	unsigned char difference = given_length != secret_length;

	for (size_t i = 0; i < given_length; i++)
		difference |= (unsigned char)given[i] ^ (unsigned char)secret[secret_length ? i % secret_length : 0];
	return difference == 0;
}

/* `Authorization: Bearer TOKEN`; or, because browsers ask for it, Basic with the token as password. */
static bool may_ask(const struct appliance *appliance, struct MHD_Connection *connection)
{
	static const char scheme[] = "Bearer ";
	const char *token = appliance->settings.http.token;
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

/* --- what is asked for ------------------------------------------------------------------------------------------------- */

/* "/results/N.json" and "/results/N.html", and nothing that only resembles them; 0 for what is neither. */
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

static enum MHD_Result answer_result(struct appliance *appliance, struct MHD_Connection *connection, const char *path,
				     void **state)
{
	enum results_form form;
	unsigned int number = parse_result(path, &form);
	const struct result *result = number ? results_find(&appliance->store, number) : NULL;
	char file[FILES_PATH_SIZE];

	if (!result || !result->has_document)
		return send_sentence(connection, MHD_HTTP_NOT_FOUND, "there is no such page; / lists what there is\n");
	*state = (void *)(uintptr_t)number;
	return send_file(connection, results_path(&appliance->store, number, form, file),
			 form == RESULTS_JSON ? "application/json" : html);
}

static enum MHD_Result answer_path(struct appliance *appliance, struct MHD_Connection *connection, const char *path,
				   void **state)
{
	static const struct {
		const char *path, *type;
		void (*put)(FILE *stream, const struct appliance *appliance);
	} pages[] = {
		{ "/", html, page_index },
		{ "/live", html, page_view },
		{ "/log", "text/plain; charset=utf-8", page_log },
		{ "/metrics", "application/openmetrics-text; version=1.0.0; charset=utf-8", page_metrics },
	};
	size_t length = 0;
	char *text = NULL;
	FILE *stream;

	for (size_t i = 0; i < COUNT(pages); i++) {
		if (strcmp(pages[i].path, path) != 0)
			continue;
		stream = open_memstream(&text, &length);
		if (stream)
			pages[i].put(stream, appliance);
		return send_text(connection, stream ? text_stream_end(stream, &text) : NULL, length, pages[i].type);
	}
	return answer_result(appliance, connection, path, state);
}

/* Paths are taken as they come: none of ours has an escape. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

static struct connection *find_connection(struct http *http, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	for (size_t i = 0; info && i < CONNECTIONS_MAX; i++)
		if (http->connections[i].fd == info->connect_fd)
			return &http->connections[i];
	return NULL;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *version, const char *upload, size_t *upload_length, void **state)
{
	struct appliance *appliance = context;
	struct connection *known = find_connection(appliance->http, connection);

	(void)version;
	(void)upload; /* the answer goes out before any body would come */
	(void)upload_length;
	if (known)
		known->asked = true;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return send_sentence(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	if (strcmp(path, "/healthz") == 0)
		return send_sentence(connection, MHD_HTTP_OK, "ok\n");
	if (!may_ask(appliance, connection))
		return send_sentence(connection, MHD_HTTP_UNAUTHORIZED, "a token is needed\n");
	if (strcmp(method, MHD_HTTP_METHOD_HEAD) == 0) {
		void *nothing = NULL; /* a head is no result fetched */

		return answer_path(appliance, connection, path, &nothing);
	}
	return answer_path(appliance, connection, path, state);
}

/* A result that left to its last octet has been fetched. */
static void on_completed(void *context, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode code)
{
	struct appliance *appliance = context;

	(void)connection;
	if (*state && code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
		results_set_fetched(&appliance->store, (unsigned int)(uintptr_t)*state);
	*state = NULL;
}

/* --- connections ------------------------------------------------------------------------------------------------------- */

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http *http = context;
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *known = find_connection(http, connection);

	(void)state;
	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (known)
			known->fd = -1;
		return;
	}
	for (size_t i = 0; info && i < CONNECTIONS_MAX; i++) {
		if (http->connections[i].fd >= 0)
			continue;
		http->connections[i] = (struct connection){ .fd = info->connect_fd, .since_ns = clock_ns() };
		return;
	}
}

/* Who sends or takes an octet now and then is never idle, so a connection has an end in any case. */
static void end_slow_ones(struct http *http)
{
	uint64_t now_ns = clock_ns();

	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *connection = &http->connections[i];

		if (connection->fd >= 0 && now_ns - connection->since_ns > (connection->asked ? CONNECTION_NS : REQUEST_NS))
			shutdown(connection->fd, SHUT_RDWR);
	}
}

/* --- listening ---------------------------------------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage storage;
};

static socklen_t size_of(const union address *address)
{
	return address->any.sa_family == AF_INET ? sizeof(address->v4) : sizeof(address->v6);
}

static bool parse_address(const char *text, union address *ret)
{
	union address address = { .v4 = { .sin_family = AF_INET } };

	if (inet_pton(AF_INET, text, &address.v4.sin_addr) != 1) {
		address = (union address){ .v6 = { .sin6_family = AF_INET6 } };
		if (inet_pton(AF_INET6, text, &address.v6.sin6_addr) != 1)
			return false;
	}
	*ret = address;
	return true;
}

static bool same_address(const union address *a, const struct sockaddr *b)
{
	const union address *other = (const union address *)b;

	if (!b || a->any.sa_family != b->sa_family)
		return false;
	return a->any.sa_family == AF_INET ? a->v4.sin_addr.s_addr == other->v4.sin_addr.s_addr
					   : memcmp(&a->v6.sin6_addr, &other->v6.sin6_addr, sizeof(a->v6.sin6_addr)) == 0;
}

static bool is_loopback(const union address *address)
{
	return address->any.sa_family == AF_INET ? ntohl(address->v4.sin_addr.s_addr) >> 24 == 127
						 : IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

/* An address of an interface that can be listened on, IPv4 first; link-local ones are left out. */
static bool address_of_interface(const struct ifaddrs *all, const char *interface, union address *ret)
{
	bool found = false;

	for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
		const union address *address = (const union address *)one->ifa_addr;

		if (!address || strcmp(one->ifa_name, interface) != 0)
			continue;
		if (address->any.sa_family == AF_INET) {
			ret->v4 = address->v4;
			return true;
		}
		if (address->any.sa_family == AF_INET6 && !found && !IN6_IS_ADDR_LINKLOCAL(&address->v6.sin6_addr)) {
			ret->v6 = address->v6;
			found = true;
		}
	}
	return found;
}

/* The interface that has this address; NULL: none. */
static const char *interface_of_address(const struct ifaddrs *all, const union address *address)
{
	for (const struct ifaddrs *one = all; one; one = one->ifa_next)
		if (same_address(address, one->ifa_addr))
			return one->ifa_name;
	return NULL;
}

/* Where to listen: an address and the interface that has it. NULL, or why it is not to be. */
static const char *choose_address(const struct appliance *appliance, union address *ret_address, char interface[IFNAMSIZ])
{
	const struct http_settings *http = &appliance->settings.http;
	const char *management = appliance->settings.management.port, *found, *reason = NULL;
	struct ifaddrs *all;

	if (getifaddrs(&all))
		return strerror(errno);
	if (*http->address)
		parse_address(http->address, ret_address);
	else if (!*management)
		parse_address(LOOPBACK, ret_address);
	else if (!address_of_interface(all, management, ret_address))
		reason = "the management port has no address yet";
	found = reason ? NULL : interface_of_address(all, ret_address);
	if (!reason && !found)
		reason = "no port has its address";
	else if (found && json_object_get(appliance->test_ports, found))
		reason = "its address is that of a test port, and nothing listens there";
	else if (found && !is_loopback(ret_address) && !http->unprotected && !(http->certificate && *http->token))
		reason = "beyond loopback it wants tls and a token, or `unprotected: true`";
	if (found)
		snprintf(interface, IFNAMSIZ, "%s", found);
	freeifaddrs(all);
	return reason;
}

static unsigned int port_of(const struct http_settings *http)
{
	return http->port ? http->port : http->certificate ? 443 : 80;
}

static void set_port(union address *address, unsigned int port)
{
	if (address->any.sa_family == AF_INET)
		address->v4.sin_port = htons((uint16_t)port);
	else
		address->v6.sin6_port = htons((uint16_t)port);
}

/* Bound to the address and to its interface: what comes in elsewhere for that address is not for us. */
static int open_socket(const union address *address, const char *interface)
{
	int on = 1, error;
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, interface, (socklen_t)strlen(interface) + 1) ||
	    bind(fd, &address->any, size_of(address)) || listen(fd, BACKLOG)) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

static struct MHD_Daemon *start_daemon(struct appliance *appliance, int fd)
{
	const struct http_settings *http = &appliance->settings.http;
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_MEM_CERT, 0, http->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, http->key },
		{ MHD_OPTION_HTTPS_PRIORITIES, 0, "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2" },
		{ MHD_OPTION_END, 0, NULL },
	};

	if (!http->certificate)
		tls[0] = (struct MHD_OptionItem){ MHD_OPTION_END, 0, NULL };
	return MHD_start_daemon(MHD_USE_EPOLL | (http->certificate ? MHD_USE_TLS : 0), 0, NULL, NULL, on_request, appliance,
				MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_ARRAY, tls, MHD_OPTION_CONNECTION_LIMIT,
				(unsigned int)CONNECTIONS_MAX, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
				(unsigned int)PER_ADDRESS_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_OCTETS,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S, MHD_OPTION_NOTIFY_COMPLETED,
				on_completed, appliance, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
				MHD_OPTION_NOTIFY_CONNECTION, on_connection, appliance->http, MHD_OPTION_END);
}

static const char *show_address(const struct http_settings *http, const union address *address, char *buffer, size_t size)
{
	char text[INET6_ADDRSTRLEN] = "";
	bool v4 = address->any.sa_family == AF_INET;

	inet_ntop(address->any.sa_family, v4 ? (const void *)&address->v4.sin_addr : &address->v6.sin6_addr, text,
		  sizeof(text));
	snprintf(buffer, size, "%s://%s%s%s:%u", http->certificate ? "https" : "http", v4 ? "" : "[", text, v4 ? "" : "]",
		 port_of(http));
	return buffer;
}

/* One line why it does not listen, as long as it is the same trouble. */
static void postpone(struct appliance *appliance, const char *reason)
{
	if (!appliance->http->said)
		appliance_say(appliance, "%s:%zu: http: %s", appliance->places.config, appliance->settings.http.line,
			      reason);
	appliance->http->said = true;
	appliance->http->retry_ns = clock_ns() + ADDRESS_RETRY_NS;
}

static void try_to_listen(struct appliance *appliance)
{
	struct http *http = appliance->http;
	union address address = { .storage = { .ss_family = AF_UNSPEC } };
	char interface[IFNAMSIZ] = "";
	const char *reason = choose_address(appliance, &address, interface);
	int fd;

	if (reason) {
		postpone(appliance, reason);
		return;
	}
	set_port(&address, port_of(&appliance->settings.http));
	fd = open_socket(&address, interface);
	if (fd < 0) {
		postpone(appliance, strerror(-fd));
		return;
	}
	http->daemon = start_daemon(appliance, fd);
	if (!http->daemon) {
		close(fd);
		postpone(appliance, "the server does not start; are certificate and key good?");
		return;
	}
	appliance_say(appliance, "results, live view and metrics: %s/",
		      show_address(&appliance->settings.http, &address, http->shown, sizeof(http->shown)));
}

void http_configure(struct appliance *appliance)
{
	http_stop(appliance);
	if (!appliance->settings.http.wanted)
		return;
	appliance->http = calloc(1, sizeof(*appliance->http));
	if (!appliance->http)
		return;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		appliance->http->connections[i].fd = -1;
	try_to_listen(appliance);
}

void http_stop(struct appliance *appliance)
{
	if (!appliance->http)
		return;
	if (appliance->http->daemon)
		MHD_stop_daemon(appliance->http->daemon);
	free(appliance->http);
	appliance->http = NULL;
}

int http_fd(const struct appliance *appliance)
{
	const union MHD_DaemonInfo *info;

	if (!appliance->http || !appliance->http->daemon)
		return -1;
	info = MHD_get_daemon_info(appliance->http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

uint64_t http_due_ns(const struct appliance *appliance)
{
	const struct http *http = appliance->http;
	MHD_UNSIGNED_LONG_LONG wait_ms;
	uint64_t due_ns = UINT64_MAX;

	if (!http)
		return UINT64_MAX;
	if (!http->daemon)
		return http->retry_ns;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (http->connections[i].fd >= 0)
			due_ns = clock_ns() + TICK_NS;
	if (MHD_get_timeout(http->daemon, &wait_ms) == MHD_YES && clock_ns() + wait_ms * NS_PER_MS < due_ns)
		due_ns = clock_ns() + wait_ms * NS_PER_MS;
	return due_ns;
}

void http_work(struct appliance *appliance)
{
	struct http *http = appliance->http;

	if (!http)
		return;
	if (!http->daemon) {
		if (clock_ns() >= http->retry_ns)
			try_to_listen(appliance);
		return;
	}
	end_slow_ones(http);
	MHD_run(http->daemon);
}
