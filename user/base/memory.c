/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory.h"

#include <jansson.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_bool ran_out, bound_met;
static atomic_size_t used, most = SIZE_MAX;

void *memory_noticed(void *memory)
{
	if (!memory)
		ran_out = true;
	return memory;
}

static void *watched_malloc(size_t size)
{
	void *memory;

	if (size > most || used > most - size) {
		bound_met = true;
		return NULL;
	}
	memory = memory_noticed(malloc(size));
	used += malloc_usable_size(memory);
	return memory;
}

static void watched_free(void *memory)
{
	used -= malloc_usable_size(memory);
	free(memory);
}

void memory_watch(void)
{
	json_set_alloc_funcs(watched_malloc, watched_free);
}

bool memory_ran_out(void)
{
	return ran_out;
}

size_t memory_used(void)
{
	return used;
}

bool memory_bound(size_t octets_most)
{
	most = octets_most ? octets_most : SIZE_MAX;
	return atomic_exchange(&bound_met, false);
}
