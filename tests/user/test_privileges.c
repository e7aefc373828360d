/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run can still do to other processes once it is divided. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/keeper.h"
#include "base/stop.h"
#include "port/privileges.h"

#define FINE 42

static int answer(const struct keeper_request *request, int *ret_fd)
{
	(void)request;
	(void)ret_fd;
	return -EPERM;
}

static void *nothing(void *argument)
{
	return argument;
}

static int starts_a_thread(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL) ? 1 : FINE;
}

static int has_files_of_its_own(void)
{
	return unshare(CLONE_FILES) ? 1 : FINE;
}

static int signals_itself(void)
{
	return raise(SIGURG) ? 1 : FINE;
}

static int asks_for_its_limits(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 1 : FINE;
}

/* Some C libraries block all signals in fork(), and the filter then ends the process by SIGSYS. */
static int starts_a_process(void)
{
	return syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) < 0 ? 1 : FINE;
}

static int has_a_namespace(void)
{
	unshare(CLONE_NEWUSER);
	return FINE;
}

static int signals_another(void)
{
	syscall(SYS_tgkill, getppid(), getppid(), 0);
	return FINE;
}

static int limits_another(void)
{
	struct rlimit limit;

	prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit);
	return FINE;
}

static int changes_permissions(void)
{
	chmod("/nonexistent", 0777);
	return FINE;
}

static int removes_a_file(void)
{
	unlink("/nonexistent");
	return FINE;
}

static int opens_a_socket(void)
{
	return socket(AF_UNIX, SOCK_DGRAM, 0) < 0 || socket(AF_NETLINK, SOCK_RAW, 0) < 0 ? 1 : FINE;
}

static int opens_one_of_the_internet(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) < 0 ? 1 : FINE;
}

static int opens_one_of_ipv6(void)
{
	socket(AF_INET6, SOCK_STREAM, 0);
	return FINE;
}

/* The family of sockets that send to any address of the Internet by UDP (rxrpc). */
static int opens_one_that_uses_the_internet(void)
{
	socket(AF_RXRPC, SOCK_DGRAM, 0);
	return FINE;
}

static int asks_for_the_size_of_the_terminal(void)
{
	struct winsize size;

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	return FINE;
}

/* On the terminal of a shell, this is a command of its user's. */
static int types(void)
{
	ioctl(STDIN_FILENO, TIOCSTI, "x");
	return FINE;
}

static int pastes(void)
{
	ioctl(STDIN_FILENO, TIOCLINUX, "\3");
	return FINE;
}

static int connects(void)
{
	connect(-1, NULL, 0);
	return FINE;
}

/* Whether a run that is divided lives to say FINE. */
static bool may_by(enum verb verb, int (*act)(void))
{
	const struct config config = { .verb = verb, .measurer = MEASURER_XDP };
	struct keeper_plan plan = { .answer = answer };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO); /* the line about the call */
		_exit(stop_install() || privileges_divide(&config, &plan) ? 1 : act());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 1);
	return WEXITSTATUS(status) == FINE;
}

static bool may(int (*act)(void))
{
	return may_by(VERB_SEARCH, act);
}

static void it_has_threads_and_what_is_its_own(void **state)
{
	(void)state;
	assert_true(may(starts_a_thread));
	assert_true(may(has_files_of_its_own));
	assert_true(may(signals_itself));
	assert_true(may(asks_for_its_limits));
	assert_true(may(opens_a_socket));
}

static void it_starts_signals_and_limits_no_other_process(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* sanitizers make calls of their own */
#endif
	assert_false(may(starts_a_process));
	assert_false(may(has_a_namespace));
	assert_false(may(signals_another));
	assert_false(may(limits_another));
}

static void it_changes_no_file_by_its_name(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_false(may(changes_permissions));
	assert_false(may(removes_a_file));
}

static void it_speaks_to_no_other_machine(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_false(may(opens_one_of_the_internet));
	assert_false(may(opens_one_of_ipv6));
	assert_false(may(opens_one_that_uses_the_internet));
	assert_false(may(connects));
}

static void it_gives_the_terminal_no_input(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_true(may(asks_for_the_size_of_the_terminal));
	assert_false(may(types));
	assert_false(may(pastes));
}

static void who_reads_results_opens_no_socket(void **state)
{
	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_false(may_by(VERB_REPORT, opens_a_socket));
	assert_false(may_by(VERB_COMPARE, opens_a_socket));
	assert_false(may_by(VERB_VERIFY, opens_a_socket));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_has_threads_and_what_is_its_own),
		cmocka_unit_test(it_starts_signals_and_limits_no_other_process),
		cmocka_unit_test(it_changes_no_file_by_its_name),
		cmocka_unit_test(it_speaks_to_no_other_machine),
		cmocka_unit_test(it_gives_the_terminal_no_input),
		cmocka_unit_test(who_reads_results_opens_no_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
