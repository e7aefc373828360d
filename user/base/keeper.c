/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/keeper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/directory.h"
#include "base/exit_code.h"
#include "base/files.h"
#include "base/message.h"
#include "base/process.h"
#include "base/stop.h"

#define KEPT_STANDARD 3

static int channel = -1;
static bool keeps_ports; /* It has to undo changes of ports. */
static bool death_noted; /* keeper_note_death() */

void keeper_plan_keep(struct keeper_plan *plan, int fd)
{
	if (fd >= KEPT_STANDARD && plan->kept_count < KEEPER_FILES_MOST)
		plan->kept_fds[plan->kept_count++] = fd;
}

void keeper_plan_give(struct keeper_plan *plan, int fd)
{
	keeper_plan_keep(plan, fd);
	if (plan->kept_count && plan->kept_fds[plan->kept_count - 1] == fd)
		plan->given[plan->kept_count - 1] = true;
}

bool keeper_is_there(void)
{
	return channel >= 0;
}

/* --- messages -------------------------------------------------------------------------------------------------------- */

/* The answer to a request: an error number, and perhaps a descriptor. */
union descriptor {
	struct cmsghdr header;
	char octets[CMSG_SPACE(sizeof(int))];
};

static bool send_answer(int to, int error, int fd)
{
	int32_t number = error;
	struct iovec part = { .iov_base = &number, .iov_len = sizeof(number) };
	union descriptor beside = {
		.header = { .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS }
	};
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&beside.header), &fd, sizeof(fd));
		message.msg_control = &beside;
		message.msg_controllen = sizeof(beside);
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) == sizeof(number);
}

static int receive_answer(int *ret_fd)
{
	int32_t number = -EPIPE;
	struct iovec part = { .iov_base = &number, .iov_len = sizeof(number) };
	union descriptor beside = { 0 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof(beside)
	};
	ssize_t length;

	while ((length = recvmsg(channel, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	if (length != sizeof(number))
		return -EPIPE;
	if (ret_fd && message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(&beside.header), sizeof(int));
	return number;
}

int keeper_ask(const struct keeper_request *request, int *ret_fd)
{
	if (send(channel, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request))
		return -EPIPE;
	return receive_answer(ret_fd);
}

int keeper_undo(uint32_t known)
{
	const struct keeper_request request = { .what = KEEPER_UNDO, .number = known, .flags = stop_requested() };

	return keeper_ask(&request, NULL);
}

/* The keeper waits for no one. So the run, which gets signals, waits for the writer of a FIFO. */
static int await_writer(int fd)
{
	struct pollfd file = { .fd = fd, .events = POLLIN };
	struct stat status;

	if (!fstat(fd, &status) && S_ISFIFO(status.st_mode))
		while (poll(&file, 1, -1) < 0 && errno == EINTR)
			;
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) < 0 ? -errno : fd;
}

int keeper_open(const char *path, bool waits)
{
	struct keeper_request request = { .what = KEEPER_READ };
	int fd = -1, error;

	if (!keeper_is_there())
		fd = open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));
	if (!keeper_is_there())
		return fd < 0 ? -errno : fd;
	if (strlen(path) >= sizeof(request.path))
		return -ENAMETOOLONG;
	memcpy(request.path, path, strlen(path) + 1);
	error = keeper_ask(&request, &fd);
	if (error || fd < 0)
		return error ?: -EPROTO;
	return waits ? await_writer(fd) : fd;
}

/* --- its death ------------------------------------------------------------------------------------------------------- */

void keeper_note_death(void)
{
	death_noted = true;
}

/* The other end of the channel is the keeper's alone, so it is closed when the keeper has ended. */
static bool has_ended(void)
{
	struct pollfd file = { .fd = channel };

	return channel >= 0 && poll(&file, 1, 0) > 0 && file.revents & POLLHUP;
}

enum exit_code keeper_check(enum exit_code code)
{
	bool ended = has_ended();

	if (ended)
		refuse(EXIT_INCAPABLE, "the process that keeps this run's privileges has died%s",
		       keeps_ports ? ": what the run changed on its ports may be left as it is; 'xdp-mlr clean' restores "
				     "the ports"
				   : "");
	return (ended || death_noted) && (code == EXIT_DONE || code == EXIT_UNMET) ? EXIT_INCAPABLE : code;
}

/* --- the keeper ------------------------------------------------------------------------------------------------------ */

static int compare_fds(const void *one, const void *other)
{
	return *(const int *)one - *(const int *)other;
}

/* Close all descriptors but the standard files, the keeper's channel, and those that the plan keeps. */
static void close_others(const struct keeper_plan *plan, int own)
{
	int kept[KEEPER_FILES_MOST + 2];
	size_t count = plan->kept_count;
	unsigned int from = KEPT_STANDARD;

	memcpy(kept, plan->kept_fds, count * sizeof(kept[0]));
	kept[count++] = own;
	kept[count++] = stop_fd();
	qsort(kept, count, sizeof(kept[0]), compare_fds);
	for (size_t i = 0; i < count; i++) {
		if ((unsigned int)kept[i] > from)
			close_range(from, (unsigned int)kept[i] - 1, 0);
		from = (unsigned int)kept[i] + 1;
	}
	close_range(from, ~0u, 0);
}

/* Return what was named of a path: it, or the folder that its file is in. NULL: nothing. */
static const char *named_of(const struct keeper_plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->path_count; i++) {
		size_t length = strlen(plan->paths[i]);

		if (strcmp(plan->paths[i], path) == 0)
			return plan->paths[i];
		if (length && strncmp(plan->paths[i], path, length) == 0 && path[length] == '/' && path[length + 1] &&
		    !strchr(path + length + 1, '/') && strcmp(path + length + 1, ".") && strcmp(path + length + 1, ".."))
			return plan->paths[i];
	}
	return NULL;
}

/* Whether others lay files in a folder. Nobody named those, so a link there leads to nothing that we open. */
static bool is_of_others(const char *folder)
{
	struct stat status;

	return stat(folder, &status) || !directory_is_own(&status);
}

static int open_named(const struct keeper_plan *plan, const struct keeper_request *request, int *ret_fd)
{
	const char *named = memchr(request->path, '\0', sizeof(request->path)) ? named_of(plan, request->path) : NULL;
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	if (!named)
		return -EPERM;
	if (strcmp(named, request->path) != 0 && is_of_others(named))
		flags |= O_NOFOLLOW;
	*ret_fd = open(request->path, flags);
	return *ret_fd < 0 ? -errno : 0;
}

static int serve_one(const struct keeper_plan *plan, const struct keeper_request *request, int *ret_fd)
{
	switch (request->what) {
	case KEEPER_BEGIN:
	case KEEPER_END:
		return plan->answer(request, ret_fd);
	case KEEPER_READ:
		return open_named(plan, request, ret_fd);
	case KEEPER_PART:
		return plan->part ? plan->part(plan->context, request, ret_fd) : -EPERM;
	case KEEPER_UNDO:
		if (request->flags)
			stop_set();
		if (plan->undo)
			plan->undo(plan->context, request->number);
		return 0;
	}
	return -EINVAL;
}

/* Our requests have one length. Whoever sends another one has been taken over. */
static void serve(const struct keeper_plan *plan, int own)
{
	struct keeper_request request;
	bool undone = false;

	while (recv(own, &request, sizeof(request), MSG_TRUNC) == sizeof(request)) {
		int fd = -1, error = -EALREADY;
		bool is_undo = request.what == KEEPER_UNDO;

		if (!is_undo || !undone)
			error = serve_one(plan, &request, &fd);
		undone = undone || is_undo;
		if (!send_answer(own, error, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
}

static void be_keeper(const struct keeper_plan *plan, int own)
{
	close_others(plan, own);
	if (!confine_keep(plan->capabilities) && !confine_no_new_privileges()) {
		plan->confine();
		serve(plan, own);
	}
	_exit(EXIT_DONE);
}

/* --- the split ------------------------------------------------------------------------------------------------------- */

/* Open standard files that are pipes or terminals anew for writing. The user nobody could not do that later. */
static void open_standard(void)
{
	file_write_all(STDOUT_FILENO, "", 0);
	file_write_all(STDERR_FILENO, "", 0);
}

/* Close what whoever started us left open beside the standard files: all that is ours would be closed by execve(2). */
static void close_inherited(void)
{
	DIR *all = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (all && (entry = readdir(all))) {
		int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFD);

		if (fd >= KEPT_STANDARD && flags >= 0 && !(flags & FD_CLOEXEC) && fd != process_kept_fd())
			close(fd);
	}
	if (all)
		closedir(all);
}

/* The number stays taken, so that closing it later closes nothing else. */
static int give_away(const struct keeper_plan *plan)
{
	for (size_t i = 0; i < plan->kept_count; i++)
		if (plan->given[i] && dup3(stop_fd(), plan->kept_fds[i], O_CLOEXEC) < 0)
			return -errno;
	return 0;
}

int keeper_split(const struct keeper_plan *plan)
{
	sigset_t all, before;
	int fds[2], error;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	open_standard();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		be_keeper(plan, fds[1]);
	error = pid < 0 ? -errno : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	if (!error)
		error = give_away(plan);
	if (!plan->leaves_inherited)
		close_inherited();
	if (!error)
		error = confine_to_nobody();
	if (error)
		close(fds[0]);
	else
		channel = fds[0];
	keeps_ports = plan->undo || plan->part;
	return error;
}
