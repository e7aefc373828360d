/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ethtool answers by generic netlink. */
#include "netdev/ethtool.c"
#include "netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader readers[] = {
		{ read_family, sizeof(struct genlmsghdr) },   { read_numbers, sizeof(struct genlmsghdr) },
		{ find_feature, sizeof(struct genlmsghdr) },  { read_clock, sizeof(struct genlmsghdr) },
		{ read_standard, sizeof(struct genlmsghdr) },
	};
	uint16_t family = 0;
	struct numbers numbers = { 0 };
	struct feature_search feature = { .name = "rx-gro" };
	struct link_clock clock = { 0 };
	uint64_t values[STANDARD_COUNTERS];
	struct standard_reader standard = standard_sources[0].reader;
	void *const contexts[] = { &family, &numbers, &feature, &clock, &standard };

	standard.values = values;
	tell(readers, 5, contexts[size ? data[0] % 5 : 0], data, size);
	return 0;
}
