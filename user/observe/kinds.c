/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file lists the kinds of sources, by the beginning of their text. */
#include <string.h>

#include "base/exit_code.h"
#include "observe/source.h"

const struct source_ops *source_of(const char *text)
{
	static const struct source_ops *const kinds[] = { &source_exec, &source_local, &source_prometheus, &source_snmp };

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strncmp(text, kinds[i]->prefix, strlen(kinds[i]->prefix)) == 0)
			return kinds[i];
	return NULL;
}
