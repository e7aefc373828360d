/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/privileges.h"

#include <linux/capability.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/text_stream.h"

/* --- capabilities ---------------------------------------------------------------------------------------------------- */

/* The capabilities for links, sockets of frames, and BPF. */
static const struct {
	int capability;
	const char *name;
} needed[] = { { CAP_NET_ADMIN, "CAP_NET_ADMIN" }, { CAP_NET_RAW, "CAP_NET_RAW" }, { CAP_BPF, "CAP_BPF" } };

/* Capabilities that are not needed, but useful: for the verifier's freedoms, memory of AF_XDP, niceness, and a report in a
 * directory of another user. */
#define USEFUL                                                                                                              \
	(CONFINE_BIT(CAP_PERFMON) | CONFINE_BIT(CAP_IPC_LOCK) | CONFINE_BIT(CAP_SYS_RESOURCE) | CONFINE_BIT(CAP_SYS_NICE) | \
	 CONFINE_BIT(CAP_DAC_OVERRIDE))

const char *privileges_missing(char buffer[PRIVILEGES_TEXT_SIZE])
{
	uint64_t have = confine_capabilities();

	*buffer = '\0';
	for (size_t i = 0; i < COUNT(needed); i++)
		if (!(have & CONFINE_BIT(needed[i].capability)))
			text_join(buffer, PRIVILEGES_TEXT_SIZE, ", ", "%s", needed[i].name);
	return buffer;
}

enum exit_code privileges_check(void)
{
	char missing[PRIVILEGES_TEXT_SIZE];

	if (!*privileges_missing(missing))
		return EXIT_DONE;
	return refuse(
		EXIT_INCAPABLE,
		"a run needs %s, which this process does not have: run it as root, or grant it (xdp-mlr(8), PRIVILEGES)",
		missing);
}

/* Both. */
static uint64_t for_ports(void)
{
	uint64_t all = USEFUL;

	for (size_t i = 0; i < COUNT(needed); i++)
		all |= CONFINE_BIT(needed[i].capability);
	return all;
}

static int keep_useful(uint64_t beside)
{
	return confine_keep(for_ports() | beside);
}

#define TO_BE_NOBODY (CONFINE_BIT(CAP_SETUID) | CONFINE_BIT(CAP_SETGID))
/* The capabilities of the keeper, for files in folders of others, settings of ports, and the session's niceness. */
#define KEPT_FOR_FILES (CONFINE_BIT(CAP_DAC_OVERRIDE) | CONFINE_BIT(CAP_CHOWN) | CONFINE_BIT(CAP_FOWNER))
#define KEPT_FOR_PORTS (CONFINE_BIT(CAP_NET_ADMIN) | CONFINE_BIT(CAP_SYS_NICE))

/* Whether it has no ports at all. */
static bool reads_alone(const struct config *config)
{
	return config->verb == VERB_REPORT || config->verb == VERB_COMPARE || config->verb == VERB_VERIFY;
}

enum exit_code privileges_reduce(const struct config *config)
{
	/* Live frames open a network namespace. Every run but `lab on` is divided, and becomes nobody. */
	uint64_t beside = config->tx == TX_XSK ? 0 : CONFINE_BIT(CAP_SYS_ADMIN);
	int error = keep_useful(beside | (config->verb == VERB_LAB_ON ? 0 : TO_BE_NOBODY));

	return error ? refuse(EXIT_INCAPABLE, "cannot give up privileges: %s", strerror(-error)) : EXIT_DONE;
}

/* --- system calls ---------------------------------------------------------------------------------------------------- */

/* The calls of a run, by families, because another C library may use another call of a family. strace(1) shows them, for all
 * verbs over ports, on glibc 2.36 and later. */
static const int calls[] = {
	/* These are made while frames flow. They come first, because the kernel compares in this order. */
	__NR_sendto, __NR_bpf, __NR_ppoll, __NR_clock_nanosleep, __NR_clock_gettime, __NR_futex, __NR_recvmsg, __NR_recvfrom,
	__NR_sendmsg, __NR_recvmmsg, __NR_sendmmsg, __NR_getsockopt, __NR_setsockopt, __NR_socket, __NR_bind,
	__NR_getsockname, __NR_shutdown, __NR_ioctl, __NR_pselect6, __NR_epoll_create1, __NR_epoll_ctl, __NR_epoll_pwait,
	__NR_nanosleep, __NR_gettimeofday, __NR_clock_getres, __NR_clock_adjtime, __NR_adjtimex,
	/* These are for files. */
	__NR_read, __NR_write, __NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_lseek, __NR_openat, __NR_openat2,
	__NR_close, __NR_close_range, __NR_dup, __NR_dup3, __NR_fcntl, __NR_flock, __NR_fstat, __NR_newfstatat, __NR_statx,
	__NR_statfs, __NR_fstatfs, __NR_faccessat, __NR_faccessat2, __NR_readlinkat, __NR_getdents64, __NR_getcwd,
	__NR_renameat2, __NR_linkat, __NR_unlinkat, __NR_mkdirat, __NR_fsync, __NR_fdatasync, __NR_ftruncate, __NR_fallocate,
	__NR_fchmod, __NR_fchmodat, __NR_fchown, __NR_fchownat, __NR_umask, __NR_fadvise64, __NR_pipe2, __NR_eventfd2,
	__NR_renameat,
#ifdef __x86_64__
	/* Newer architectures have these by other names alone. */
	__NR_poll, __NR_select, __NR_epoll_wait, __NR_open, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_rename,
	__NR_link, __NR_unlink, __NR_mkdir, __NR_chmod, __NR_dup2, __NR_time, __NR_getrlimit, __NR_setrlimit,
	__NR_arch_prctl,
#endif
	/* These are for memory, threads and signals. */
	__NR_mmap, __NR_munmap, __NR_mremap, __NR_mprotect, __NR_madvise, __NR_brk, __NR_mlock, __NR_munlock,
	__NR_set_robust_list, __NR_rseq, __NR_futex_waitv, __NR_set_tid_address, __NR_exit, __NR_exit_group, __NR_gettid,
	__NR_getpid, __NR_getppid, __NR_tgkill, __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid, __NR_sched_yield,
	__NR_sched_setaffinity, __NR_sched_getaffinity, __NR_getcpu, __NR_setpriority, __NR_getpriority, __NR_prlimit64,
	__NR_getrusage, __NR_sysinfo, __NR_uname, __NR_prctl, __NR_capget, __NR_membarrier, __NR_getrandom,
	__NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_rt_sigtimedwait, __NR_sigaltstack,
	__NR_restart_syscall, __NR_clone, __NR_unshare
};

static bool is_among(const int *list, size_t count, int call)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == call)
			return true;
	return false;
}

/* Calls that only ports need. */
static bool is_of_ports(int call)
{
	static const int of_ports[] = { __NR_bpf,           __NR_socket,      __NR_bind,       __NR_setsockopt,
					__NR_getsockopt,    __NR_getsockname, __NR_recvmmsg,   __NR_sendmmsg,
					__NR_clock_adjtime, __NR_adjtimex,    __NR_setpriority };

	return is_among(of_ports, COUNT(of_ports), call);
}

/* Calls by which the keeper alone makes and changes files. */
static bool is_of_keepers(int call)
{
	static const int of_keepers[] = { __NR_renameat2, __NR_renameat, __NR_linkat, __NR_unlinkat, __NR_mkdirat,
					  __NR_fchmod,    __NR_fchmodat, __NR_fchown, __NR_fchownat,
#ifdef __x86_64__
					  __NR_rename,    __NR_link,     __NR_unlink, __NR_mkdir,    __NR_chmod
#endif
	};

	return is_among(of_keepers, COUNT(of_keepers), call);
}

#define RULES 7
/* A socket is of the families AF_UNIX, AF_NETLINK and AF_PACKET, and of no others. */
#define OTHER_FAMILIES (~(uint32_t)(AF_UNIX | AF_NETLINK))

/* A run that is divided starts threads alone, other processes of nobody's get no signal and no limit of it, and it has no
 * sockets of the Internet. The terminal may be that of a shell of root's: it gets no input of the run. */
static size_t write_rules(bool is_divided, struct confine_rule rules[RULES])
{
	const uint32_t threads = is_divided ? CLONE_THREAD : 0;

	rules[0] = (struct confine_rule){ __NR_unshare, 0, CONFINE_NEW_NAMESPACES, 0 };
	rules[1] = (struct confine_rule){ __NR_clone, 0, CONFINE_NEW_NAMESPACES | threads, threads };
	rules[2] = (struct confine_rule){ __NR_tgkill, 0, CONFINE_WHOLE, (uint32_t)getpid() };
	rules[3] = (struct confine_rule){ __NR_prlimit64, 0, CONFINE_WHOLE, 0 };
	rules[4] = (struct confine_rule){ __NR_socket, 0, OTHER_FAMILIES, 0 };
	rules[5] = (struct confine_rule){ __NR_ioctl, 1, CONFINE_WHOLE, TIOCSTI, .refuses = true };
	rules[6] = (struct confine_rule){ __NR_ioctl, 1, CONFINE_WHOLE, TIOCLINUX, .refuses = true };
	return is_divided ? RULES : 2;
}

/* A container may forbid this, or the kernel may lack it. The run then goes on without it. */
static void filter_calls(bool has_ports, bool is_divided, bool is_keeper)
{
	struct confine_rule rules[RULES];
	int error = confine_no_new_privileges(), allowed[COUNT(calls)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(calls); i++)
		if ((has_ports || !is_of_ports(calls[i])) && (!is_divided || is_keeper || !is_of_keepers(calls[i])))
			allowed[count++] = calls[i];
	if (!error)
		error = confine_system_calls(allowed, count, rules, write_rules(is_divided, rules));
	if (error)
		warn("this run is not confined to its system calls: %s", strerror(-error));
}

static void filter_keeper(void)
{
	filter_calls(true, true, true);
}

/* A process that starts others which open ports cannot have a list of calls. */
static void filter_nothing(void)
{
}

enum exit_code privileges_confine(void)
{
	int error = keep_useful(0);

	if (error)
		return refuse(EXIT_INCAPABLE, "cannot give up privileges: %s", strerror(-error));
	filter_calls(true, false, false);
	return EXIT_DONE;
}

enum exit_code privileges_divide(const struct config *config, struct keeper_plan *plan)
{
	bool is_mpi = config->measurer == MEASURER_MPI;
	int error;

	plan->leaves_inherited = is_mpi;
	plan->capabilities = KEPT_FOR_FILES | (plan->undo ? KEPT_FOR_PORTS : 0) |
			     (plan->part ? for_ports() | TO_BE_NOBODY | CONFINE_BIT(CAP_SYS_ADMIN) : 0);
	plan->confine = plan->part ? filter_nothing : filter_keeper;
	error = keeper_split(plan);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot give up privileges: %s", strerror(-error));
	if (!is_mpi) /* MPI makes calls of its own. */
		filter_calls(config->measurer == MEASURER_XDP && !reads_alone(config), true, false);
	return EXIT_DONE;
}
