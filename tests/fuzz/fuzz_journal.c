/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A journal of a port, whole or damaged. */
#include "json.h"
#include "port/journal.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = open(fuzz_file(data, size), O_RDWR | O_CLOEXEC);

	json_decref(load(fd, "/nonexistent/journal"));
	close(fd);
	return 0;
}
