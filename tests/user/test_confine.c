/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that gave up privileges can still do, tried in processes of their own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../test.h"
#include "base/confine.h"
#include "base/exit_code.h"

#define FINE 42

static const int few[] = { __NR_write, __NR_exit_group, __NR_futex, __NR_exit,   __NR_rt_sigreturn,
			   __NR_brk,   __NR_mmap,       __NR_close, __NR_unshare };

/* brk(2) may be asked where the heap ends, by 0. */
static const struct confine_rule rules[] = { { __NR_brk, 0, 1, 0 }, { __NR_unshare, 0, CONFINE_NEW_NAMESPACES, 0 } };

/* What a process says and how it ends that is confined to a few calls, and then does this. */
static int confined(int (*act)(void), char said[128])
{
	int pipe_fds[2], status;
	ssize_t length;
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(pipe_fds[1], STDERR_FILENO);
		if (confine_no_new_privileges() ||
		    confine_system_calls(few, sizeof(few) / sizeof(*few), rules, sizeof(rules) / sizeof(*rules)))
			_exit(1);
		_exit(act());
	}
	close(pipe_fds[1]);
	length = read(pipe_fds[0], said, 127);
	said[length > 0 ? length : 0] = '\0';
	close(pipe_fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int listed(void)
{
	return close(-1) == -1 && errno == EBADF ? FINE : 1;
}

static int not_listed(void)
{
	return (int)syscall(SYS_getppid) ? FINE : 1;
}

static int too_new(void)
{
	return syscall(1000) == -1 && errno == ENOSYS ? FINE : 1;
}

static int unseen_flags(void)
{
	return syscall(SYS_clone3, NULL, 0) == -1 && errno == ENOSYS ? FINE : 1;
}

static int asks(void)
{
	return syscall(SYS_brk, 0) > 0 && syscall(SYS_brk, 2) > 0 ? FINE : 1;
}

static int moves(void)
{
	return syscall(SYS_brk, 3) ? FINE : 1;
}

static int own_files(void)
{
	return unshare(CLONE_FILES) ? 1 : FINE;
}

static int own_namespace(void)
{
	return unshare(CLONE_NEWUSER) ? 1 : FINE;
}

/* Some C libraries block all signals in fork(), and the filter then ends the process without a word. */
static int another_process(void)
{
	if (!syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL))
		_exit(1);
	return FINE;
}

static void a_call_that_is_not_listed_ends_the_process_and_is_named(void **state)
{
	char said[128], number[32];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* sanitizers make calls of their own */
#endif
	assert_int_equal(confined(listed, said), FINE);
	assert_string_equal(said, "");
	snprintf(number, sizeof(number), "system call %3d ", SYS_getppid);
	assert_int_equal(confined(not_listed, said), EXIT_INCAPABLE);
	assert_non_null(strstr(said, number));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
}

static void a_rule_refuses_a_call_by_an_argument(void **state)
{
	char said[128];

	(void)state;
	assert_int_equal(confined(asks, said), FINE);
	assert_int_equal(confined(moves, said), EXIT_INCAPABLE);
	assert_non_null(strstr(said, "system call"));
}

static void what_is_newer_than_the_list_is_as_on_an_older_kernel(void **state)
{
	char said[128];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(confined(too_new, said), FINE);
	assert_int_equal(confined(unseen_flags, said), FINE);
}

static void no_namespace_is_opened(void **state)
{
	char said[128];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	assert_int_equal(confined(own_files, said), FINE);
	assert_int_equal(confined(own_namespace, said), EXIT_INCAPABLE);
}

static void no_process_is_started(void **state)
{
	char said[128], number[32];

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	snprintf(number, sizeof(number), "system call %3d ", SYS_clone);
	assert_int_equal(confined(another_process, said), EXIT_INCAPABLE);
	assert_non_null(strstr(said, number));
}

static void *look(void *capabilities)
{
	*(uint64_t *)capabilities = confine_capabilities();
	return NULL;
}

static void capabilities_are_gone_for_this_thread_and_those_it_starts(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (!(confine_capabilities() & CONFINE_BIT(CAP_SYS_ADMIN)))
		skip(); /* nothing to give up */
	pid = fork();
	if (pid == 0) {
		const uint64_t kept = CONFINE_BIT(CAP_NET_ADMIN) | CONFINE_BIT(CAP_BPF);
		uint64_t in_thread = 0;
		pthread_t thread;

		if (confine_keep(kept) || confine_capabilities() != kept || pthread_create(&thread, NULL, look, &in_thread))
			_exit(1);
		pthread_join(thread, NULL);
		_exit(in_thread == kept && confine_keep(~0ull) == 0 && confine_capabilities() == kept ? FINE : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), FINE);
}

/* What nobody could do with a file and a folder that are everybody's; 0, or the first thing that went otherwise. */
static int use_files(const char *folder, int open_fd)
{
	char *const arguments[] = { "true", NULL };
	char path[64];

	if (confine_to_nobody())
		return 1;
	snprintf(path, sizeof(path), "%s/file", folder);
	if (write(open_fd, "x", 1) != 1 || close(open(path, O_RDONLY)))
		return 2; /* what is open stays open, and what is readable can be read */
	if (open(path, O_WRONLY) >= 0 || errno != EACCES)
		return 3;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 3 &&
	    (open(path, O_RDONLY | O_TRUNC) >= 0 || errno != EACCES))
		return 7;
	snprintf(path, sizeof(path), "%s/new", folder);
	if (open(path, O_WRONLY | O_CREAT, 0666) >= 0 || errno != EACCES)
		return 4;
	if (!mkdir(path, 0777) || errno != EACCES)
		return 5;
	execv("/bin/true", arguments);
	return errno == EACCES ? FINE : 6;
}

static void where_there_is_landlock_nobody_changes_or_executes_no_file(void **state)
{
	char folder[] = "/tmp/test_confine.XXXXXX", path[64];
	int fd, status;
	pid_t pid;

	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
		skip();
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	pid = fork();
	if (pid == 0)
		_exit(use_files(folder, fd));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	unlink(path);
	snprintf(path, sizeof(path), "%s/new", folder);
	unlink(path);
	rmdir(path);
	assert_int_equal(rmdir(folder), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), FINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_is_not_listed_ends_the_process_and_is_named),
		cmocka_unit_test(a_rule_refuses_a_call_by_an_argument),
		cmocka_unit_test(what_is_newer_than_the_list_is_as_on_an_older_kernel),
		cmocka_unit_test(no_namespace_is_opened),
		cmocka_unit_test(no_process_is_started),
		cmocka_unit_test(capabilities_are_gone_for_this_thread_and_those_it_starts),
		cmocka_unit_test(where_there_is_landlock_nobody_changes_or_executes_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
