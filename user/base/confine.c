/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit_code.h"

/* The calls of Linux 6.1, the oldest kernel that we run on. Later calls may be missing there. Numbers are the same
 * everywhere. */
#define LAST_KNOWN_CALL 450

#define CALLS_MOST  220 /* a jump goes no further than 255 */
#define RULES_MOST  7
#define RULE_LENGTH 6 /* instructions */

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

uint64_t confine_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

int confine_keep(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(capabilities >> 32 * i);
		data[i].effective &= data[i].permitted;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int confine_no_new_privileges(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

/* --- nobody --------------------------------------------------------------------------------------------------------- */

#define NOBODY 65534

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE /* headers of Linux 6.1 */
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ull << 14)
#endif
#define TRUNCATE_VERSION 3 /* version of Landlock that knows this right */

/* All rights of the first version of Landlock that change a file system. */
#define CHANGES                                                                                                             \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                   \
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |                         \
	 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |                      \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_EXECUTE)

/* Change and execute no file. A kernel without Landlock leaves that to the permissions of files. */
static void write_no_file(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	const struct landlock_ruleset_attr rules = {
		.handled_access_fs = CHANGES | (version >= TRUNCATE_VERSION ? LANDLOCK_ACCESS_FS_TRUNCATE : 0)
	};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

	if (fd < 0)
		return;
	syscall(SYS_landlock_restrict_self, fd, 0);
	close(fd);
}

/* Lift the limits that only a privileged process may exceed. */
static void lift_limits(void)
{
	static const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &none);
	setrlimit(RLIMIT_NICE, &none);
	setrlimit(RLIMIT_NPROC, &none);
}

/* Who started us may want a signal when he dies. A change of the user takes that back. */
static void hear_of_death(int signal, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, signal);
	if (signal && getppid() != parent)
		raise(signal);
}

static int become_nobody(void)
{
	int error = 0, signal = 0;
	pid_t parent = getppid();

	prctl(PR_GET_PDEATHSIG, &signal);

	/* The C library changes the user in all threads. The kernel takes the capabilities with the user. A service without
	 * CAP_SETUID, and a container whose user namespace has no nobody, stays root without capabilities. */
	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)))
		error = errno == EPERM || errno == EINVAL ? 0 : -errno;
	hear_of_death(signal, parent);
	return error ?: confine_keep(0) ?: confine_no_new_privileges();
}

int confine_converter(void)
{
	/* A process that may not do that keeps its network, and can do nothing else with it. */
	if (unshare(CLONE_NEWNET) && errno != EPERM && errno != ENOSPC && errno != EINVAL)
		return -errno;
	return become_nobody();
}

int confine_to_nobody(void)
{
	int error;

	lift_limits();
	error = become_nobody();
	if (!error)
		write_no_file();
#ifdef __SANITIZE_ADDRESS__
	prctl(PR_SET_DUMPABLE, 1); /* a process that traces us looks for leaks */
#endif
	return error;
}

/* --- system calls --------------------------------------------------------------------------------------------------- */

/* The handler may only call what a signal handler may. */
static void on_refused_call(int, siginfo_t *info, void *)
{
	char text[] = "xdp-mlr: system call     is none that this process needs: not made, and the process ended\n";
	int number = info->si_syscall;

	for (char *digit = text + sizeof("xdp-mlr: system call ") + 1; number > 0; number /= 10)
		*digit-- = (char)('0' + number % 10);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
		/* The process ends in any case. */
	}
	_exit(EXIT_INCAPABLE);
}

/* Write the code of one rule. The number of the call is loaded when it begins, and again when it ends. */
static void write_rule(const struct confine_rule *rule, struct sock_filter *code)
{
	const struct sock_filter lines[RULE_LENGTH] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)rule->call, 0, RULE_LENGTH - 1),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned int)offsetof(struct seccomp_data, args[rule->argument])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, rule->bits),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, rule->value, !rule->refuses, rule->refuses),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};

	memcpy(code, lines, sizeof(lines));
}

int confine_system_calls(const int *allowed, size_t count, const struct confine_rule *rules, size_t rule_count)
{
#if !defined(OUR_ARCHITECTURE) || defined(__SANITIZE_ADDRESS__)
	(void)on_refused_call; /* sanitizers make calls of their own */
	(void)allowed;
	(void)count;
	(void)write_rule;
	(void)rules;
	(void)rule_count;
	return 0;
#else
	struct sigaction action = { .sa_sigaction = on_refused_call, .sa_flags = SA_SIGINFO };
	struct sock_filter code[CALLS_MOST + RULES_MOST * RULE_LENGTH + 13] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	const struct sock_filter rest[] = {
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 1, 0),
		/* The flags of clone3(2) cannot be seen, so the C library takes clone(2). */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const size_t rest_count = COUNT(rest);
	struct sock_fprog program = { .filter = code };
	size_t at = 4;
	long result;

	if (count > CALLS_MOST || rule_count > RULES_MOST)
		return -E2BIG;
	for (size_t i = 0; i < rule_count; i++, at += RULE_LENGTH)
		write_rule(&rules[i], code + at);
	for (size_t i = 0; i < count; i++)
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)allowed[i],
							  (unsigned char)(count - i + rest_count - 2), 0);
	memcpy(code + at, rest, sizeof(rest));
	program.len = (unsigned short)(at + rest_count);
	if (sigaction(SIGSYS, &action, NULL))
		return -errno;
	result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return result > 0 ? -EBUSY : result ? -errno : 0; /* a thread that has a filter of its own */
#endif
}
