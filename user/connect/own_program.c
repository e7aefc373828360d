/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "connect/own_program.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/message.h"
#include "base/text_stream.h"

#define LINK_SIZE 64

/* --- whose socket it is --------------------------------------------------------------------------------------------- */

/* Get the file in /proc of a process that is this socket, or "". */
static bool has_socket(const char *pattern, const char *socket, char *ret_path, size_t size)
{
	char target[LINK_SIZE];
	glob_t found = { 0 };
	bool has = false;

	glob(pattern, GLOB_NOSORT, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !has; i++) {
		ssize_t length = readlink(found.gl_pathv[i], target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		has = strcmp(target, socket) == 0;
		if (has)
			snprintf(ret_path, size, "%s", found.gl_pathv[i]);
	}
	globfree(&found);
	return has;
}

/* Get the process that has the socket, unless it is ours. */
static void find_owner(unsigned long inode, struct own_program *ret)
{
	char path[PATH_MAX], socket[LINK_SIZE];

	snprintf(socket, sizeof(socket), "socket:[%lu]", inode);
	if (has_socket("/proc/self/fd/*", socket, path, sizeof(path)) ||
	    !has_socket("/proc/[1-9]*/fd/*", socket, path, sizeof(path)))
		return;
	ret->process = (pid_t)strtol(path + strlen("/proc/"), NULL, 10);
	if (file_read_line(TEXT_OF(LINK_SIZE, "/proc/%d/comm", (int)ret->process), ret->name, sizeof(ret->name)))
		ret->name[0] = '\0';
	ret->name[strcspn(ret->name, "\n")] = '\0';
}

void own_program_find(int ifindex, struct own_program *ret)
{
	closing FILE *file = fopen("/proc/net/packet", "re");
	unsigned long inode;
	int of;

	*ret = (struct own_program){ 0 };
	if (!file)
		return;
	/* the first line has the names of the columns: sk RefCnt Type Proto Iface R Rmem User Inode */
	while (fgetc(file) >= ' ')
		;
	while (!ret->process && fscanf(file, "%*s %*s %*s %*s %d %*s %*s %*s %lu", &of, &inode) == 2)
		if (of == ifindex)
			find_owner(inode, ret);
}

/* --- what stops it -------------------------------------------------------------------------------------------------- */

const char *own_program_remedy(const struct own_program *program, const char *port, char buffer[OWN_PROGRAM_REMEDY_SIZE])
{
	static const struct {
		const char *name, *before, *after;
	} commands[] = {
		{ "NetworkManager", "nmcli device set ", " managed no" },
		{ "dhcpcd", "dhcpcd --exit ", "" },
		{ "dhclient", "dhclient -x ", "" },
	};

	snprintf(buffer, OWN_PROGRAM_REMEDY_SIZE, "kill %d", (int)program->process);
	for (size_t i = 0; i < COUNT(commands); i++)
		if (strcmp(program->name, commands[i].name) == 0)
			snprintf(buffer, OWN_PROGRAM_REMEDY_SIZE, "%s%s%s", commands[i].before, port, commands[i].after);
	if (strcmp(program->name, "systemd-network") == 0) /* The kernel keeps only 15 octets of its name. */
		snprintf(buffer, OWN_PROGRAM_REMEDY_SIZE,
			 "printf '[Match]\\nName=%s\\n[Link]\\nUnmanaged=yes\\n' >/run/systemd/network/05-%s.network; "
			 "networkctl reload",
			 port, port);
	return buffer;
}
