/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build without MPI has no job. Beside it there may be a build with MPI, which is a package of its own. */
#include "base/files.h"
#include "measurer/mpi_job.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OTHER_NAME    "xdp-mlr-mpi"
#define COMMAND_MOST  65536
#define ARGUMENTS_MAX 512

/* The command line of this process, as the kernel has it. */
static char **read_arguments(void)
{
	static char command[COMMAND_MOST], *arguments[ARGUMENTS_MAX + 1];
	closing FILE *file = fopen("/proc/self/cmdline", "re");
	size_t octets = file ? fread(command, 1, sizeof(command) - 1, file) : 0, count = 0;

	for (char *at = command; at < command + octets && count < ARGUMENTS_MAX; at += strlen(at) + 1)
		arguments[count++] = at;
	return arguments;
}

enum exit_code job_find(void)
{
	char path[PATH_MAX] = "", *name;

	if (readlink("/proc/self/exe", path, sizeof(path) - sizeof(OTHER_NAME)) > 0 && (name = strrchr(path, '/'))) {
		strcpy(name + 1, OTHER_NAME);
		execv(path, read_arguments());
	}
	return refuse(EXIT_INCAPABLE, "--measurer mpi: this xdp-mlr was built without MPI; install the package xdp-mlr-mpi, "
				      "or build it with 'make MPI=1' (Open MPI: libopenmpi-dev, openmpi-bin)");
}

enum exit_code job_begin(void)
{
	return EXIT_INCAPABLE;
}

void job_end(enum exit_code)
{
}

unsigned int job_rank(void)
{
	return 0;
}

unsigned int job_size(void)
{
	return 1;
}

bool job_is_lost(void)
{
	return false;
}

const char *job_library(void)
{
	return "none";
}

void job_set_patience(uint64_t)
{
}

enum exit_code job_broadcast(unsigned int root, void *data, size_t octets)
{
	(void)root, (void)data, (void)octets;
	return EXIT_INCAPABLE;
}

enum exit_code job_share(const void *own, size_t octets, void *ret_all)
{
	(void)own, (void)octets, (void)ret_all;
	return EXIT_INCAPABLE;
}

enum exit_code job_read_clocks(unsigned int rank, unsigned int rounds, struct job_reading *ret)
{
	(void)rank, (void)rounds, (void)ret;
	return EXIT_INCAPABLE;
}
