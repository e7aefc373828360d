/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool ran_out;

static void *watched_malloc(size_t size)
{
	void *memory = malloc(size);

	if (!memory)
		ran_out = true;
	return memory;
}

void memory_watch(void)
{
	json_set_alloc_funcs(watched_malloc, free);
}

bool memory_ran_out(void)
{
	return ran_out;
}
