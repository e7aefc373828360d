/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ethtool answers by generic netlink. */
#include "netdev/ethtool.c"
#include "netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct reader readers[] = {
		{ read_family, sizeof(struct genlmsghdr) },   { read_numbers, sizeof(struct genlmsghdr) },
		{ find_feature, sizeof(struct genlmsghdr) },  { read_clock, sizeof(struct genlmsghdr) },
		{ read_standard, sizeof(struct genlmsghdr) }, { find_flag, sizeof(struct genlmsghdr) },
	};
	uint16_t family = 0;
	struct numbers numbers = { 0 };
	struct feature_search feature = { .name = "rx-gro" };
	struct link_clock clock = { 0 };
	struct flag_search flag = { .name = "disable-fw-lldp" };
	uint64_t values[STANDARD_COUNTERS];
	struct standard_reader standard = standard_sources[0].reader;
	void *const contexts[] = { &family, &numbers, &feature, &clock, &standard, &flag };

	standard.values = values;
	tell(readers, 6, contexts[size ? data[0] % 6 : 0], data, size);
	return 0;
}
