/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A campaign's file. */
#include "campaign/campaign.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct campaign campaign;

	if (!memmem(data, size, "/", 1) && campaign_read(fuzz_file(data, size), &campaign) == EXIT_DONE)
		campaign_free(&campaign);
	return 0;
}
