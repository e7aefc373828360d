/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_NAMESPACE "/proc/thread-self/ns/net"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

unsigned long network_namespace_inode(void)
{
	struct stat status;

	return stat(OWN_NAMESPACE, &status) ? 0 : (unsigned long)status.st_ino;
}

uint64_t network_namespace_cookie(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t size = sizeof(cookie);

	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &size))
		cookie = 0;
	close(fd);
	return cookie;
}

/* The namespaces that were visited. */
struct visited {
	unsigned long *inodes;
	size_t count;
};

static bool is_new(struct visited *visited, unsigned long inode)
{
	unsigned long *inodes;

	for (size_t i = 0; i < visited->count; i++)
		if (visited->inodes[i] == inode)
			return false;
	inodes = reallocarray(visited->inodes, visited->count + 1, sizeof(*inodes));
	if (!inodes)
		return false;
	visited->inodes = inodes;
	inodes[visited->count++] = inode;
	return true;
}

/* 1: found; 0: not there, or there is no such namespace; -EPERM: it may not be entered. */
static int visit_one(const char *path, struct visited *visited, bool (*visit)(void *context), void *context)
{
	struct stat status;
	int fd, result;

	if (stat(path, &status))
		return errno == EACCES ? -EPERM : 0;
	if (!is_new(visited, (unsigned long)status.st_ino))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? -EPERM : 0;
	result = !setns(fd, CLONE_NEWNET) ? visit(context) : errno == EPERM ? -EPERM : 0;
	close(fd);
	return result;
}

void namespace_return(int own_fd)
{
	if (setns(own_fd, CLONE_NEWNET)) {
		perror("xdp-mlr: cannot return to its own network namespace");
		abort();
	}
}

int namespaces_visit(bool (*visit)(void *context), void *context)
{
	int own_fd = open(OWN_NAMESPACE, O_RDONLY | O_CLOEXEC);
	unsigned long own_inode = network_namespace_inode();
	struct visited visited = { 0 };
	glob_t paths = { 0 };
	int result, one;

	is_new(&visited, own_inode);
	result = visit(context);
	if (!result && own_fd >= 0) {
		glob("/run/netns/*", 0, NULL, &paths);
		glob("/proc/[0-9]*/ns/net", paths.gl_pathc ? GLOB_APPEND : 0, NULL, &paths);
		for (size_t i = 0; i < paths.gl_pathc && result <= 0; i++) {
			one = visit_one(paths.gl_pathv[i], &visited, visit, context);
			result = one ? one : result;
		}
		globfree(&paths);
		if (network_namespace_inode() != own_inode)
			namespace_return(own_fd);
	}
	if (own_fd >= 0)
		close(own_fd);
	free(visited.inodes);
	return result;
}
