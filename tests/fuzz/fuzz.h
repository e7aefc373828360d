/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzz targets share. A target is a file fuzz_NAME.c with LLVMFuzzerTestOneInput(), which hands octets to a parser of
 * the product and fails (by a sanitizer, a signal or abort()) where that does. `make fuzz` links it with libFuzzer, `make
 * check` with driver.c.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Of libFuzzer, or of driver.c: changes some octets, and returns how many there are. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/* A target may have one of its own, which knows what the octets mean. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

/* The octets as a file, by its path; the same file each time. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		reader_parse_here(); /* a process for each file would hide what a sanitizer finds, and take its time */
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return path;
}

/* The octets as a text, which ends at the first zero; to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = 0;
	return text;
}

/* A number below `most`, for mutators. */
static inline uint32_t fuzz_random(unsigned int *seed, uint32_t most)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 8) % most;
}

#endif
