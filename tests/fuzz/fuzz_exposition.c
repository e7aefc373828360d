// SPDX-License-Identifier: GPL-2.0-or-later
/* What an exporter says, and what an SNMP agent answers. */
#include <string.h>

#include "fuzz.h"
#include "observe/exposition.h"
#include "observe/if_mib.h"

static void use(const char *name, enum recorder_kind, double, double, void *context)
{
	*(size_t *)context += strlen(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct if_mib_column column = { "ifName", true, 1 };
	struct if_mib_row rows[IF_MIB_ROWS];
	size_t octets = 0, wrong;

	exposition_read((const char *)data, size, use, &octets, &wrong);
	if_mib_answer(data, size, 1, &column, rows);
	return 0;
}
