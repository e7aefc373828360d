/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netdev/namespace.h"

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

static bool visit_one(const char *path, struct visited *visited, bool (*visit)(void *context), void *context)
{
	struct stat status;
	bool found = false;
	int fd;

	if (stat(path, &status) || !is_new(visited, (unsigned long)status.st_ino))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !setns(fd, CLONE_NEWNET))
		found = visit(context);
	if (fd >= 0)
		close(fd);
	return found;
}

void namespace_return(int own_fd)
{
	if (setns(own_fd, CLONE_NEWNET)) {
		perror("xdp-mlr: cannot return to its own network namespace");
		abort();
	}
}

bool namespaces_visit(bool (*visit)(void *context), void *context)
{
	int own_fd = open(OWN_NAMESPACE, O_RDONLY | O_CLOEXEC);
	struct visited visited = { 0 };
	glob_t paths = { 0 };
	bool found;

	is_new(&visited, network_namespace_inode());
	found = visit(context);
	if (!found && own_fd >= 0) {
		glob("/run/netns/*", 0, NULL, &paths);
		glob("/proc/[0-9]*/ns/net", paths.gl_pathc ? GLOB_APPEND : 0, NULL, &paths);
		for (size_t i = 0; i < paths.gl_pathc && !found; i++)
			found = visit_one(paths.gl_pathv[i], &visited, visit, context);
		globfree(&paths);
		namespace_return(own_fd);
	}
	if (own_fd >= 0)
		close(own_fd);
	free(visited.inodes);
	return found;
}
