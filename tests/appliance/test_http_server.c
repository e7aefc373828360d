/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process that hears clients may call once it has confined itself. */
#include "../test.h"

#include <netinet/in.h>
#include <sys/wait.h>

#include "appliance/http_server.c"

#define FINE 42

static int socket_fd; /* of TCP, as an accepted one is after its end */

static const struct sockaddr_in somewhere = { .sin_family = AF_INET, .sin_port = 9 };

static int sends(void)
{
	return sendto(socket_fd, "", 0, MSG_NOSIGNAL, NULL, 0) < 0 && errno == EPIPE ? FINE : 1;
}

static int sends_a_message(void)
{
	return sendmsg(socket_fd, &(struct msghdr){ 0 }, MSG_NOSIGNAL) < 0 && errno == EPIPE ? FINE : 1;
}

static int connects_by_sending(void)
{
	sendto(socket_fd, "", 0, MSG_NOSIGNAL | MSG_FASTOPEN, (const struct sockaddr *)&somewhere, sizeof(somewhere));
	return FINE;
}

static int connects_by_a_message(void)
{
	sendmsg(socket_fd, &(struct msghdr){ .msg_name = (void *)&somewhere, .msg_namelen = sizeof(somewhere) },
		MSG_NOSIGNAL | MSG_FASTOPEN);
	return FINE;
}

static int connects_by_messages(void)
{
	sendmmsg(socket_fd, &(struct mmsghdr){ 0 }, 1, MSG_NOSIGNAL | MSG_FASTOPEN);
	return FINE;
}

static int connects(void)
{
	connect(socket_fd, (const struct sockaddr *)&somewhere, sizeof(somewhere));
	return FINE;
}

static int opens_a_socket(void)
{
	socket(AF_INET, SOCK_STREAM, 0);
	return FINE;
}

/* Whether a confined process lives to say FINE. */
static bool may(int (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(confine() ? 1 : act());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		assert_int_not_equal(WEXITSTATUS(status), 1);
	return WIFEXITED(status) && WEXITSTATUS(status) == FINE;
}

static void it_connects_to_nobody(void **state)
{
	static int (*const ways[])(void) = { connects_by_sending, connects_by_a_message, connects_by_messages, connects,
					     opens_a_socket };

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* sanitizers make calls of their own */
#endif
	socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(socket_fd >= 0);
	assert_true(may(sends));
	assert_true(may(sends_a_message));
	for (size_t i = 0; i < COUNT(ways); i++)
		assert_false(may(ways[i]));
	close(socket_fd);
}

static int signals_itself(void)
{
	return syscall(__NR_tgkill, getpid(), syscall(__NR_gettid), 0) ? 1 : FINE;
}

static int signals_another(void)
{
	syscall(__NR_tgkill, 1, 1, 0);
	return FINE;
}

static int starts_another(void)
{
	return fork() < 0 ? 1 : FINE;
}

static void it_has_nothing_to_do_with_other_processes(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_true(may(signals_itself));
	assert_false(may(signals_another));
	assert_false(may(starts_another));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_connects_to_nobody),
		cmocka_unit_test(it_has_nothing_to_do_with_other_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
