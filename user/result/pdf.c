/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/pdf.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/stop.h"

#define CONVERTER "weasyprint"
#define GO        "go\n"
#define PDF_MOST  (8u << 20) /* octets */
#define CONVERT_S 60
#define STOPPED_S 10 /* wait for the converter after a stop */
#define INSTEAD   "write a certificate to FILE.html instead, and print that"
#define READY     "ready\n"
#define READY_S   10
#define COMMAND                                                                                                             \
	"command -v " CONVERTER " >/dev/null && echo ready && read -r go && ulimit -t 60 && "                               \
	"HOME=/nonexistent XDG_CACHE_HOME=/nonexistent exec " CONVERTER " -q - - 2>/dev/null"

/* --- start ---------------------------------------------------------------------------------------------------------- */

/* Whether the shell says that it finds the program. */
static bool is_ready(const struct pdf_converter *converter)
{
	struct pollfd file = { .fd = converter->from_fd, .events = POLLIN };
	char answer[sizeof(READY)];
	int count;

	while ((count = poll(&file, 1, 1000 * READY_S)) < 0 && errno == EINTR && !stop_requested())
		;
	return count > 0 && read(converter->from_fd, answer, strlen(READY)) == (ssize_t)strlen(READY);
}

enum exit_code pdf_start(const char *path, struct pdf_converter *ret)
{
	const char *const arguments[] = { "/bin/sh", "-c", COMMAND, NULL };
	struct process_plan plan = {
		.arguments = arguments, .errors_fd = -1, .death_signal = SIGKILL, .own_group = true, .is_nobody = true
	};
	struct process process;
	int fds[2], error;

	error = process_start_piped(&plan, (const int[]){ STDIN_FILENO, STDOUT_FILENO }, &process, fds);
	if (error)
		return refuse(EXIT_INCAPABLE, "--certificate %s: " CONVERTER " cannot be started: %s", path,
			      strerror(-error));
	*ret = (struct pdf_converter){ .process = process, .to_fd = fds[0], .from_fd = fds[1] };
	if (is_ready(ret))
		return EXIT_DONE;
	pdf_close(ret);
	return refuse(EXIT_INCAPABLE,
		      "--certificate %s: a PDF needs the program " CONVERTER
		      ", which is not there for the user nobody; install "
		      "the package '" CONVERTER "', or " INSTEAD,
		      path);
}

static void close_one(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = 0;
}

void pdf_close(struct pdf_converter *converter)
{
	close_one(&converter->to_fd);
	close_one(&converter->from_fd);
	close_one(&converter->process.fd);
}

/* --- conversion ----------------------------------------------------------------------------------------------------- */

struct exchange {
	const char *page;
	size_t left;
	char *pdf;
	size_t length;
};

/* Write as far as the pipe takes it; a converter that is gone is found out by reading. */
static void send_some(struct pdf_converter *converter, struct exchange *exchange)
{
	ssize_t count = write(converter->to_fd, exchange->page, exchange->left);

	if (count > 0) {
		exchange->page += count;
		exchange->left -= (size_t)count;
	} else if (count < 0 && errno != EAGAIN && errno != EINTR) {
		exchange->left = 0;
	}
	if (!exchange->left)
		close_one(&converter->to_fd);
}

/* Read what is there; false at the end, or once there is too much. */
static bool receive_some(struct pdf_converter *converter, struct exchange *exchange)
{
	ssize_t count = read(converter->from_fd, exchange->pdf + exchange->length, PDF_MOST - exchange->length);

	if (count < 0)
		return errno == EAGAIN || errno == EINTR;
	exchange->length += (size_t)count;
	return count > 0;
}

/* Wait until the converter has written all, or the time is up. */
static bool talk(struct pdf_converter *converter, struct exchange *exchange)
{
	uint64_t start_ns = clock_ns();
	struct pollfd files[] = { { .fd = converter->from_fd, .events = POLLIN },
				  { .fd = converter->to_fd, .events = POLLOUT } };

	do {
		if (clock_since_s(start_ns) > (stop_requested() ? STOPPED_S : CONVERT_S))
			return false;
		files[1].fd = converter->to_fd ?: -1;
		poll(files, COUNT(files), 1000);
		if (converter->to_fd && files[1].revents)
			send_some(converter, exchange);
	} while (receive_some(converter, exchange));
	return exchange->length < PDF_MOST;
}

enum exit_code pdf_convert(struct pdf_converter *converter, const char *path, const char *page, size_t length,
			   char **ret_pdf, size_t *ret_length)
{
	struct exchange exchange = { .page = page, .left = length, .pdf = malloc(PDF_MOST) };
	bool whole;

	if (!exchange.pdf)
		return out_of_memory();
	if (write(converter->to_fd, GO, strlen(GO)) != (ssize_t)strlen(GO))
		exchange.left = 0; /* The converter has ended. */
	whole = talk(converter, &exchange) && exchange.length > 8 && memcmp(exchange.pdf, "%PDF-", 5) == 0 &&
		memmem(exchange.pdf + exchange.length - 8, 8, "%%EOF", 5);
	pdf_close(converter);
	if (!whole) {
		free(exchange.pdf);
		return refuse(EXIT_INCAPABLE, "--certificate %s: " CONVERTER " made no PDF within %d s; " INSTEAD, path,
			      CONVERT_S);
	}
	*ret_pdf = exchange.pdf;
	*ret_length = exchange.length;
	return EXIT_DONE;
}
