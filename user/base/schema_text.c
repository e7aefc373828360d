/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/schema_text.h"

#include <string.h>

/* The file's octets, between two symbols. */
#define SCHEMA(symbol, file)                                                                                                \
	extern const char symbol##_begin[], symbol##_end[];                                                                 \
	__asm__(".section .rodata\n" #symbol "_begin:\n\t.incbin \"docs/schema/" file ".schema.json\"\n" #symbol            \
		"_end:\n\t.byte 0\n\t.previous\n")
#define ROW(symbol, name)                                                                                                   \
	{                                                                                                                   \
		name, symbol##_begin, symbol##_end                                                                          \
	}

SCHEMA(schema_campaign, "campaign");
SCHEMA(schema_campaign_status, "campaign-status");
SCHEMA(schema_common, "common");
SCHEMA(schema_compare, "compare");
SCHEMA(schema_events, "events");
SCHEMA(schema_lab, "lab");
SCHEMA(schema_plan, "plan");
SCHEMA(schema_probe, "probe");
SCHEMA(schema_profile, "profile");
SCHEMA(schema_rfc2544, "rfc2544");
SCHEMA(schema_search, "search");
SCHEMA(schema_selftest, "selftest");
SCHEMA(schema_soak, "soak");
SCHEMA(schema_trial, "trial");

const char *schema_text(const char *name, size_t *ret_length)
{
	static const struct {
		const char *name, *begin, *end;
	} schemas[] = {
		ROW(schema_campaign, "campaign"), ROW(schema_campaign_status, "campaign-status"),
		ROW(schema_common, "common"),     ROW(schema_compare, "compare"),
		ROW(schema_events, "events"),     ROW(schema_lab, "lab"),
		ROW(schema_plan, "plan"),         ROW(schema_probe, "probe"),
		ROW(schema_profile, "profile"),   ROW(schema_rfc2544, "rfc2544"),
		ROW(schema_search, "search"),     ROW(schema_selftest, "selftest"),
		ROW(schema_soak, "soak"),         ROW(schema_trial, "trial"),
	};

	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
		if (strcmp(schemas[i].name, name) != 0)
			continue;
		*ret_length = (size_t)(schemas[i].end - schemas[i].begin);
		return schemas[i].begin;
	}
	return NULL;
}
