/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "appliance/http_server.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/files.h"
#include "base/message.h"
#include "base/text_stream.h"

#define BACKLOG 16
#define ADDRESS_RETRY_NS                                                                                                    \
	(2 * NS_PER_S) /* the management port gets its address later, by DHCP; a server that ended comes again */
#define QUESTION_NS    (NS_PER_S / 100) /* mean period of questions that a compromised server may ask */
#define QUESTIONS_NS   NS_PER_S         /* allowed excess over this mean */
#define ERROR_NS       (12 * NS_PER_S)  /* mean period of its error lines, for a compromised server could fill the records */
#define ERRORS_NS      (60 * NS_PER_S)  /* allowed excess over this mean */
#define ERROR_OCTETS   160
#define ERRORS_AT_ONCE 64
#define AUDIT_NS       NS_PER_S /* mean period of lines of the record */
#define AUDITS_NS      (60 * NS_PER_S)
#define TRY_NS         (5 * NS_PER_S) /* mean period of wrong tokens to control */
#define TRIES_NS       (100 * NS_PER_S)
#define LOOPBACK       "127.0.0.1"

struct http {
	struct http_server server; /* no process (0): not yet, for want of an address */
	uint64_t errors_ns;        /* ahead of now by what its errors said at once */
	bool ready;                /* The server listens. */
	uint64_t retry_ns;
	uint64_t asked_ns; /* ahead of now by what was asked at once */
	uint64_t held_ns;  /* end of the time in which the server is not heard, because it asked too much; 0: it is heard */
	bool said;         /* The reason why it does not listen yet was told. */
	uint64_t audited_ns, denied_ns,
		tried_ns;    /* ahead of now by what was at once: lines of the record, and tokens to control */
	struct record audit; /* record of who asked, and did what */
	char shown[96];      /* "http://127.0.0.1:80" */
};

/* --- listening ---------------------------------------------------------------------------------------------------- */

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

/* Get an address of an interface that can be listened on, IPv4 first, without link-local ones. */
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

/* Return the interface that has this address; NULL: none. */
static const char *interface_of_address(const struct ifaddrs *all, const union address *address)
{
	for (const struct ifaddrs *one = all; one; one = one->ifa_next)
		if (same_address(address, one->ifa_addr))
			return one->ifa_name;
	return NULL;
}

/* Choose where to listen: an address and the interface that has it. Returns NULL, or why it may not be. */
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
	else if (found && !is_loopback(ret_address) && !http->unprotected &&
		 !(http->certificate && (*http->token || http->clients)))
		reason = "beyond loopback it wants tls and a token or clients' certificates, or `unprotected: true`";
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

/* Bind to the address and to its interface. What comes in elsewhere for that address is not for us. */
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

/* Report once why it does not listen, as long as the trouble is the same. */
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
	char empty[FILES_PATH_SIZE];
	int fd, error;

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
	show_address(&appliance->settings.http, &address, http->shown, sizeof(http->shown));
	snprintf(empty, sizeof(empty), "%s/empty-%d", appliance->places.state, (int)getpid());
	error = http_server_start(&appliance->settings.http, fd, empty, &http->server);
	close(fd);
	if (error)
		postpone(appliance, strerror(-error));
}

void http_configure(struct appliance *appliance)
{
	http_stop(appliance);
	if (!appliance->settings.http.wanted)
		return;
	appliance->http = calloc(1, sizeof(*appliance->http));
	if (!appliance->http)
		return;
	try_to_listen(appliance);
}

/* Note that the server has ended, or end it. */
static void end_server(struct http *http)
{
	if (!http->server.pid)
		return;
	kill(http->server.pid, SIGKILL);
	waitpid(http->server.pid, NULL, 0);
	close(http->server.channel);
	close(http->server.errors);
	http->server.pid = 0;
	http->ready = false;
}

void http_stop(struct appliance *appliance)
{
	if (!appliance->http)
		return;
	end_server(appliance->http);
	record_free(&appliance->http->audit);
	free(appliance->http);
	appliance->http = NULL;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

/* Make a page a file without a name, which its reader cannot change or make longer. */
static int open_page(const struct appliance *appliance, void (*put)(FILE *stream, const struct appliance *appliance))
{
	size_t length;
	owned char *text = TEXT_WRITTEN(stream, &length, put(stream, appliance));
	int fd = -1;

	if (text && (fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING)) >= 0 &&
	    (file_write_all(fd, text, length) || fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Open a file of ours. It may be deleted meanwhile: a reader that has it open reads it to its end. */
static int open_result(struct appliance *appliance, const struct http_question *question)
{
	const struct result *result = results_find(&appliance->store, question->number);

	if (!result || !result->has_document || (question->form != RESULTS_JSON && question->form != RESULTS_HTML))
		return -1;
	return results_open_file(&appliance->store, question->number, (enum results_form)question->form);
}

/* --- the record of who asked ------------------------------------------------------------------------------------------ */

static void put_audit(FILE *stream, const struct appliance *appliance)
{
	record_put(&appliance->http->audit, stream, RECORD_LINES);
}

/* An IPv4 address is shown as one. */
static const char *show_peer(const uint8_t peer[PEER_OCTETS], char buffer[INET6_ADDRSTRLEN])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool is_ipv4 = memcmp(peer, mapped, sizeof(mapped)) == 0;

	return inet_ntop(is_ipv4 ? AF_INET : AF_INET6, is_ipv4 ? peer + sizeof(mapped) : peer, buffer, INET6_ADDRSTRLEN);
}

/* Record a line, at most so many of a kind in a minute. So a client that is refused without end does not displace the
 * lines of others. */
static void audit(struct http *http, const struct http_question *question, const char *what)
{
	bool is_denied = question->subject == HTTP_DENIED;
	uint64_t now_ns = clock_ns(), *ahead_ns = is_denied ? &http->denied_ns : &http->audited_ns;

	*ahead_ns = *ahead_ns > now_ns ? *ahead_ns : now_ns;
	if (*ahead_ns > now_ns + AUDITS_NS - AUDIT_NS)
		return;
	*ahead_ns += AUDIT_NS;
	record_add(&http->audit, TEXT_OF(160, "%s %s", show_peer(question->peer, ROOM(INET6_ADDRSTRLEN)), what), false);
}

/* --- control ----------------------------------------------------------------------------------------------------------- */

static void put_done(FILE *stream, const struct appliance *)
{
	fputs("it will be done\n", stream);
}

static void put_not_now(FILE *stream, const struct appliance *)
{
	fputs("not now\n", stream);
}

/* A server that was taken over could try tokens, but only some in a minute. */
static bool may_control(struct appliance *appliance, struct http_question *question)
{
	struct http *http = appliance->http;
	uint64_t now_ns = clock_ns();
	bool may;

	question->token[sizeof(question->token) - 1] = '\0';
	http->tried_ns = http->tried_ns > now_ns ? http->tried_ns : now_ns;
	if (!*appliance->settings.http.control_token || http->tried_ns > now_ns + TRIES_NS - TRY_NS)
		return false;
	may = same_secret(question->token, appliance->settings.http.control_token);
	if (!may)
		http->tried_ns += TRY_NS;
	return may;
}

static bool do_control(struct appliance *appliance, const struct http_question *question)
{
	bool is_stop = question->subject == HTTP_STOP;
	bool can = is_stop ? appliance_may_stop_run(appliance) : appliance_may_begin_again(appliance);

	if (can && is_stop)
		appliance->requests.stop_run = true;
	else if (can)
		appliance->requests.again = true;
	audit(appliance->http, question,
	      !can      ? "controls: not now"
	      : is_stop ? "controls: stops the run"
			: "controls: begins a round");
	if (can)
		appliance_say(appliance, "over HTTP, %s %s", show_peer(question->peer, ROOM(INET6_ADDRSTRLEN)),
			      is_stop ? "stops the run" : "begins a round");
	return can;
}

static int open_answer(struct appliance *appliance, const struct http_question *question)
{
	switch (question->subject) {
	case HTTP_INDEX:
		return open_page(appliance, page_index);
	case HTTP_VIEW:
		return open_page(appliance, page_view);
	case HTTP_LOG:
		return open_page(appliance, page_log);
	case HTTP_METRICS:
		return open_page(appliance, page_metrics);
	case HTTP_AUDIT:
		return open_page(appliance, put_audit);
	case HTTP_RESULT:
		return open_result(appliance, question);
	default:
		return -1;
	}
}

/* Hand a descriptor over, -1 for none. Returns false if the server does not take it. */
static bool answer(const struct http *http, enum http_answer how, int fd)
{
	union {
		struct cmsghdr header;
		char octets[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	char octet = (char)how;
	struct iovec data = { &octet, sizeof(octet) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	bool sent;

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	sent = sendmsg(http->server.channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
	if (fd >= 0)
		close(fd);
	return sent;
}

/* End the server, which would wait for an answer for ever or has ended; it starts again later. */
static void start_again(struct appliance *appliance, const char *reason)
{
	end_server(appliance->http);
	postpone(appliance, reason);
}

static bool answer_control(struct appliance *appliance, struct http_question *question)
{
	bool may = may_control(appliance, question);

	explicit_bzero(question->token, sizeof(question->token));
	if (!may)
		return answer(appliance->http, HTTP_WRONG_TOKEN, -1);
	return answer(appliance->http, HTTP_FINE,
		      open_page(appliance, do_control(appliance, question) ? put_done : put_not_now));
}

static void take_question(struct appliance *appliance, struct http_question *question)
{
	struct http *http = appliance->http;

	if (question->subject == HTTP_FETCHED) {
		results_set_fetched(&appliance->store, question->number);
	} else if (question->subject == HTTP_LOGIN || question->subject == HTTP_DENIED) {
		audit(http, question, question->subject == HTTP_LOGIN ? "reads" : "was denied: a wrong token");
	} else if (question->subject == HTTP_AGAIN || question->subject == HTTP_STOP) {
		if (!answer_control(appliance, question))
			start_again(appliance, "the server takes no answer, and is started again");
	} else if (question->subject != HTTP_READY) {
		if (!answer(http, HTTP_FINE, open_answer(appliance, question)))
			start_again(appliance, "the server takes no answer, and is started again");
	} else if (!http->ready) {
		http->ready = true;
		http->said = false;
		appliance_say(appliance, "results, progress view and metrics: %s/", http->shown);
	}
}

int http_fd(const struct appliance *appliance)
{
	const struct http *http = appliance->http;

	return http && http->server.pid && !http->held_ns ? http->server.channel : -1;
}

uint64_t http_due_ns(const struct appliance *appliance)
{
	const struct http *http = appliance->http;

	if (!http || (http->server.pid && !http->held_ns))
		return UINT64_MAX;
	return http->server.pid ? http->held_ns : http->retry_ns;
}

/* Clients that ask without end, or a server that was taken over, get no more time of the measuring thread than this. */
static void count_question(struct http *http)
{
	uint64_t now_ns = clock_ns();

	http->asked_ns = (http->asked_ns > now_ns ? http->asked_ns : now_ns) + QUESTION_NS;
	if (http->asked_ns > now_ns + QUESTIONS_NS)
		http->held_ns = http->asked_ns - QUESTIONS_NS;
}

/* Put what the server wrote to standard error into the record, some lines a minute. The rest is dropped. */
static void hear_errors(struct appliance *appliance)
{
	struct http *http = appliance->http;
	uint64_t now_ns = clock_ns();
	char text[ERROR_OCTETS];
	ssize_t length;

	for (int i = 0; i < ERRORS_AT_ONCE && (length = read(http->server.errors, text, sizeof(text))) > 0; i++) {
		http->errors_ns = http->errors_ns > now_ns ? http->errors_ns : now_ns;
		if (http->errors_ns > now_ns + ERRORS_NS - ERROR_NS)
			continue;
		http->errors_ns += ERROR_NS;
		appliance_say(appliance, "the HTTP server says: %s",
			      quote(text, (size_t)length, ROOM(QUOTE_SIZE), QUOTE_SIZE));
	}
}

void http_work(struct appliance *appliance)
{
	struct http *http = appliance->http;
	struct http_question question;
	ssize_t length;

	if (!http)
		return;
	if (!http->server.pid) {
		if (clock_ns() >= http->retry_ns)
			try_to_listen(appliance);
		return;
	}
	hear_errors(appliance);
	if (clock_ns() < http->held_ns)
		return;
	http->held_ns = 0;
	length = recv(http->server.channel, &question, sizeof(question), MSG_DONTWAIT);
	if (length == (ssize_t)sizeof(question)) {
		count_question(http);
		take_question(appliance, &question);
	} else if (length >= 0 || (errno != EAGAIN && errno != EINTR)) {
		start_again(appliance, http->ready ? "the server ended, and is started again"
						   : "the server does not start; are certificate and key good?");
	}
}
