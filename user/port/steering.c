/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/steering.h"

#include <stdbool.h>

#define UDP_PORT_MASK 0xffff

static const enum link_rule_field fields[] = {
	[MLR_SOURCE_ADDRESS] = RULE_SOURCE_ADDRESS,
	[MLR_DESTINATION_ADDRESS] = RULE_DESTINATION_ADDRESS,
	[MLR_SOURCE_PORT] = RULE_SOURCE_PORT,
	[MLR_DESTINATION_PORT] = RULE_DESTINATION_PORT,
};

static bool receives(const struct mlr_profile *profile, unsigned int port, unsigned int ip_version)
{
	for (unsigned int i = 0; i < profile->stream_count; i++)
		if (profile->streams[i].to == port && profile->streams[i].ip_version == ip_version)
			return true;
	return false;
}

/* Return the field that has most values. Of several fields it is the last, so that ports come before addresses. */
static enum mlr_field widest_field(const struct mlr_profile *profile)
{
	enum mlr_field widest = MLR_DESTINATION_PORT;

	for (int i = MLR_DESTINATION_PORT; i >= MLR_SOURCE_ADDRESS; i--)
		if (profile->ranges[i].count > 1 && profile->ranges[i].count > profile->ranges[widest].count)
			widest = (enum mlr_field)i;
	return widest;
}

/* Return how many queues there are bits for. */
static uint32_t by_bits(unsigned int queues)
{
	uint32_t count = 1;

	while (2 * count <= queues && 2 * count <= STEERING_QUEUES_MAX)
		count *= 2;
	return count;
}

/* Make a rule for each value, or for each queue by the lowest bits that change. */
static size_t rules_of_version(const struct mlr_profile *profile, enum mlr_field field, bool by_value,
			       unsigned int ip_version, unsigned int queues, struct link_rule *ret)
{
	const struct mlr_range *range = &profile->ranges[field];
	uint32_t count = !by_value ? by_bits(queues) : range->count ? range->count : 1;
	int shift = __builtin_ctz(range->step ? range->step : 1);

	if (!by_value && count == 1)
		return 0; /* one queue gets all frames without a rule */
	for (uint32_t k = 0; k < count; k++)
		ret[k] = (struct link_rule){
			.ip_version = ip_version,
			.field = fields[field],
			.value = by_value ? mlr_profile_udp_port(profile, field, k) : k << shift,
			.mask = by_value ? UDP_PORT_MASK : (count - 1) << shift,
			.queue = k % queues,
		};
	return count;
}

size_t steering_rules(const struct mlr_profile *profile, unsigned int port, unsigned int queues,
		      struct link_rule ret[STEERING_RULES_MAX])
{
	enum mlr_field field = widest_field(profile);
	bool is_udp_port = field == MLR_SOURCE_PORT || field == MLR_DESTINATION_PORT;
	bool by_value = is_udp_port && profile->ranges[field].count <= STEERING_VALUES_MAX;
	size_t count = 0;

	for (unsigned int version = 4; version <= 6; version += 2)
		if (receives(profile, port, version))
			count += rules_of_version(profile, field, by_value, version, queues, &ret[count]);
	return count;
}
