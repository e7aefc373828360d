/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/standard.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int standard_open(void)
{
	for (int wanted = STDIN_FILENO; wanted <= STDERR_FILENO; wanted++) {
		int fd;

		if (fcntl(wanted, F_GETFD) >= 0)
			continue;
		fd = open("/dev/null", O_RDONLY); /* also the two for output: nobody believes that it arrived */
		if (fd != wanted)
			return fd < 0 ? -errno : -EBADF;
	}
	return 0;
}
