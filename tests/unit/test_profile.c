/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile makes its queues send, against the definition in mlr/profile.h. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlr/imix.h"

static struct mlr_profile two_ports(uint32_t flow_count)
{
	return (struct mlr_profile){
		.sizes = { .sizes_octets = { 128, 594, 1518 },
			   .size_count = 3,
			   .schedule = { 0, 1, 0, 2, 0 },
			   .schedule_length = 5 },
		.port_count = 2,
		.ports = { { .mac = { 2, 0, 0, 0, 0, 1 }, .address = 0xc6120002, .address6 = { 0x20, 1, [15] = 2 } },
			   { .mac = { 2, 0, 0, 0, 0, 2 }, .address = 0xc6130002, .address6 = { 0x20, 2, [15] = 3 } } },
		.stream_count = 3,
		.streams = { { .from = 0, .to = 1, .ip_version = 6 },
			     { .from = 1, .to = 0, .ip_version = 4 },
			     { .from = 0, .to = 1, .ip_version = 4 } },
		.flow_count = flow_count,
		.ranges = { [MLR_SOURCE_PORT] = { .count = flow_count, .step = 1 } },
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
	};
}

static struct mlr_queue_plan *plan_of(const struct mlr_profile *profile, unsigned int port, uint32_t queue, uint32_t queues)
{
	struct mlr_queue_plan *plan = NULL;

	assert_int_equal(mlr_queue_plan_new(profile, port, queue, queues, &plan), 0);
	return plan;
}

/* Queues share the frames of a port equally, so flows have equal shares only if each queue has as many of them. */
static void flows_of_a_fuller_queue_have_less(void **state)
{
	struct mlr_profile profile = two_ports(6);
	unsigned int of_flow[6] = { 0 }, shares[3];

	(void)state;
	profile.streams[0] = profile.streams[2]; /* one stream from the first port */
	profile.stream_count = 2;
	profile.flow_count = 3;
	assert_int_equal(mlr_profile_number(&profile), 0);
	for (uint32_t queue = 0; queue < 2; queue++) {
		struct mlr_queue_plan *plan = plan_of(&profile, 0, queue, 2);
		struct mlr_plan_cursor cursor = mlr_plan_start(plan, 0);

		for (uint32_t i = 0; i < 60; i++) {
			of_flow[mlr_plan_flow(plan, &cursor)->id]++;
			mlr_plan_take(plan, &cursor);
		}
		mlr_queue_plan_free(plan);
	}
	memcpy(shares, of_flow + (of_flow[0] ? 0 : 3), sizeof(shares));
	assert_int_equal(shares[0], 30);
	assert_int_equal(shares[1], 60);
	assert_int_equal(shares[2], 30);
}

static void wire_ids_of_a_receiver_are_one_range(void **state)
{
	struct mlr_profile profile = { .sizes = mlr_size_one(128),
				       .port_count = 4,
				       .flow_count = 7,
				       .ranges = { [MLR_DESTINATION_PORT] = { .count = 3, .step = 1 } } };
	uint8_t sent[4 * 7] = { 0 };

	(void)state;
	/* fully meshed, in an order of no help */
	for (unsigned int from = 4; from-- > 0;)
		for (unsigned int to = 0; to < 4; to++)
			if (from != to)
				profile.streams[profile.stream_count++] =
					(struct mlr_stream){ .from = from, .to = to, .ip_version = 4 };
	assert_int_equal(mlr_profile_number(&profile), 0);
	for (unsigned int from = 0; from < 4; from++) {
		for (uint32_t queue = 0; queue < 3; queue++) {
			struct mlr_queue_plan *plan = plan_of(&profile, from, queue, 3);

			for (uint32_t i = 0; i < plan->flow_count; i++) {
				assert_true(plan->flows[i].id < sizeof(sent));
				sent[plan->flows[i].id]++;
			}
			mlr_queue_plan_free(plan);
		}
	}
	for (size_t id = 0; id < sizeof(sent); id++)
		assert_int_equal(sent[id], 1); /* each id once, and none left out */
	for (unsigned int to = 0, next = 0; to < 4; to++) {
		uint32_t first, count;

		mlr_profile_receives(&profile, to, &first, &count);
		assert_int_equal(first, next);
		next += count;
	}
}

/* Frame g of a port is the same whoever of its queues sends it; cursors and definition agree. */
static void queues_share_what_their_port_sends(void **state)
{
	(void)state;
	for (uint32_t queues = 1; queues <= 4; queues++) {
		struct mlr_profile profile = two_ports(queues * 3);

		assert_int_equal(mlr_profile_number(&profile), 0);
		for (uint32_t queue = 0; queue < queues; queue++) {
			struct mlr_queue_plan *plan = plan_of(&profile, 0, queue, queues);
			struct mlr_plan_cursor cursor = mlr_plan_start(plan, 1000);

			assert_int_equal(plan->flow_count, 3);
			assert_int_equal(plan->template_count, 6);
			for (uint32_t i = 0; i < 100; i++) {
				uint32_t g = queue + i * queues;
				const struct mlr_flow *flow = mlr_plan_flow(plan, &cursor);
				unsigned int size_octets = profile.sizes.sizes_octets[profile.sizes.schedule[g % 5]];

				assert_ptr_equal(flow, &plan->flows[i % 3]);
				assert_int_equal(mlr_plan_sequence(&cursor, flow), 1000 + i / 3);
				assert_int_equal(mlr_plan_template(plan, &cursor)->memory_octets, size_octets - 4);
				/* flow k of the port is of stream k % 2: IPv4, then IPv6 */
				assert_int_equal(mlr_plan_template(plan, &cursor)->ip_version, g % (queues * 3) % 2 ? 6 : 4);
				mlr_plan_take(plan, &cursor);
			}
			mlr_queue_plan_free(plan);
		}
	}
}

static void flows_have_the_addresses_of_their_ports(void **state)
{
	struct mlr_profile profile = two_ports(4);
	struct mlr_queue_plan *plan;
	const struct mlr_flow *flow;

	(void)state;
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 0, 1);
	flow = &plan->flows[0];
	assert_int_equal(flow->source_address, 0xc6120002);
	assert_int_equal(flow->destination_address, 0xc6130002);
	assert_int_equal(flow->source_port, MLR_UDP_SOURCE_PORT);
	assert_int_equal(plan->flows[1].source_address, 2);
	assert_int_equal(plan->flows[1].destination_address, 3);
	assert_int_equal(plan->templates[3].header[22], 0x20);
	assert_int_equal(plan->templates[3].header[39], 2);
	assert_memory_equal(plan->templates[0].header + 6, profile.ports[0].mac, 6);
	mlr_queue_plan_free(plan);
}

static void sequence_numbers_that_a_share_uses(void **state)
{
	struct mlr_profile profile = two_ports(5);
	struct mlr_queue_plan *plan;

	(void)state;
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 1, 2); /* flows 1 and 3 of the port */
	assert_int_equal(plan->flow_count, 2);
	assert_int_equal(mlr_plan_share(plan, 0), 0);
	assert_int_equal(mlr_plan_share(plan, 1), 0);
	assert_int_equal(mlr_plan_share(plan, 2), 1);
	assert_int_equal(mlr_plan_share(plan, 101), 50);
	assert_int_equal(mlr_plan_sequences(plan, 0), 0);
	assert_int_equal(mlr_plan_sequences(plan, 50), 25);
	assert_int_equal(mlr_plan_sequences(plan, 51), 26);
	mlr_queue_plan_free(plan);
}

static void extra_frames_come_at_their_distance(void **state)
{
	const struct mlr_frame_template extra = { .memory_octets = 60 };
	struct mlr_profile profile = two_ports(2);
	struct mlr_queue_plan *plan;
	struct mlr_plan_cursor cursor;
	unsigned int extras = 0;

	(void)state;
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 0, 1);
	plan->extra = &extra;
	plan->extra_every = 99;
	cursor = mlr_plan_start(plan, 1);
	for (unsigned int n = 1; n <= 1000; n++) {
		if (mlr_plan_extra_due(&cursor)) {
			assert_int_equal(n % 100, 0);
			mlr_plan_take_extra(plan, &cursor);
			extras++;
		} else {
			mlr_plan_take(plan, &cursor);
		}
	}
	assert_int_equal(extras, 10);
	assert_int_equal(mlr_plan_memory_octets(plan), 1514);
	mlr_queue_plan_free(plan);
}

/* All flows of a port, by what tells them apart; sorted. */
static int compare_flows(const void *left, const void *right)
{
	return memcmp(left, right, sizeof(struct mlr_flow));
}

static void assert_all_differ(const struct mlr_queue_plan *plan)
{
	struct mlr_flow *flows = calloc(plan->flow_count, sizeof(*flows));

	assert_non_null(flows);
	memcpy(flows, plan->flows, plan->flow_count * sizeof(*flows));
	for (uint32_t i = 0; i < plan->flow_count; i++)
		flows[i].id = 0;
	qsort(flows, plan->flow_count, sizeof(*flows), compare_flows);
	for (uint32_t i = 1; i < plan->flow_count; i++)
		assert_int_not_equal(compare_flows(&flows[i - 1], &flows[i]), 0);
	free(flows);
}

static void combinations_count_up(void **state)
{
	struct mlr_profile profile = two_ports(24);
	struct mlr_queue_plan *plan;

	(void)state;
	memset(profile.ranges, 0, sizeof(profile.ranges));
	profile.stream_count = 2; /* one from port 0: IPv6; one from port 1 */
	profile.ranges[MLR_SOURCE_ADDRESS] = (struct mlr_range){ 2, 10 };
	profile.ranges[MLR_DESTINATION_ADDRESS] = (struct mlr_range){ 3, 1 };
	profile.ranges[MLR_DESTINATION_PORT] = (struct mlr_range){ 4, 100 };
	assert_int_equal(mlr_ranges_combinations(profile.ranges), 24);
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 1, 0, 1);
	for (uint32_t k = 0; k < 24; k++) {
		const struct mlr_flow *flow = &plan->flows[k];

		assert_int_equal(flow->source_address, 0xc6130002 + k % 2 * 10);
		assert_int_equal(flow->destination_address, 0xc6120002 + k / 2 % 3);
		assert_int_equal(flow->source_port, MLR_UDP_SOURCE_PORT);
		assert_int_equal(flow->destination_port, 7 + k / 6 * 100);
	}
	assert_all_differ(plan);
	mlr_queue_plan_free(plan);
}

static void ports_wrap_within_their_range(void **state)
{
	struct mlr_profile profile = two_ports(MLR_SOURCE_PORT_COUNT * 2);
	struct mlr_queue_plan *plan;

	(void)state;
	profile.stream_count = 2;
	profile.ranges[MLR_SOURCE_PORT].count = MLR_SOURCE_PORT_COUNT;
	profile.ranges[MLR_DESTINATION_PORT] = (struct mlr_range){ 2, 1 };
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 0, 1);
	for (uint32_t k = 0; k < plan->flow_count; k++)
		assert_in_range(plan->flows[k].source_port, 1024, 65535);
	assert_all_differ(plan);
	mlr_queue_plan_free(plan);
}

/* Random flows are different ones out of all combinations; the seed chooses them, and nothing else does. */
static void random_flows_differ_and_are_repeatable(void **state)
{
	static const struct mlr_range ranges[][MLR_FIELD_COUNT] = {
		{ [MLR_SOURCE_PORT] = { 64512, 1 }, [MLR_DESTINATION_PORT] = { 49151, 1 } },
		{ [MLR_SOURCE_ADDRESS] = { 250, 1 }, [MLR_SOURCE_PORT] = { 400, 7 } },
		{ [MLR_SOURCE_ADDRESS] = { 100, 1 }, [MLR_DESTINATION_ADDRESS] = { 500, 3 } }, /* all combinations */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		struct mlr_profile profile = two_ports(50000);
		struct mlr_queue_plan *plan, *again, *other;
		uint32_t same = 0;

		memcpy(profile.ranges, ranges[i], sizeof(ranges[i]));
		profile.stream_count = 2;
		profile.random = true;
		profile.seed = 7 + i;
		assert_int_equal(mlr_profile_number(&profile), 0);
		plan = plan_of(&profile, 0, 0, 1);
		again = plan_of(&profile, 0, 0, 1);
		profile.seed++;
		other = plan_of(&profile, 0, 0, 1);
		assert_all_differ(plan);
		assert_memory_equal(plan->flows, again->flows, plan->flow_count * sizeof(struct mlr_flow));
		for (uint32_t k = 0; k < plan->flow_count; k++)
			same += !compare_flows(&plan->flows[k], &other->flows[k]);
		assert_true(same < 100);
		mlr_queue_plan_free(plan);
		mlr_queue_plan_free(again);
		mlr_queue_plan_free(other);
	}
}

/* Half of random ports are in each half of the range, within five standard deviations. */
static void random_ports_cover_their_range(void **state)
{
	struct mlr_profile profile = two_ports(10000);
	struct mlr_queue_plan *plan;
	int upper = 0, odd = 0;

	(void)state;
	profile.stream_count = 2;
	profile.random = true;
	profile.ranges[MLR_SOURCE_PORT] = (struct mlr_range){ MLR_SOURCE_PORT_COUNT, 1 };
	profile.ranges[MLR_DESTINATION_PORT] = (struct mlr_range){ MLR_DESTINATION_PORT_COUNT, 1 };
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 0, 1);
	for (uint32_t k = 0; k < plan->flow_count; k++) {
		assert_in_range(plan->flows[k].destination_port, 1, 49151);
		upper += plan->flows[k].destination_port > 49151 / 2;
		odd += plan->flows[k].source_port % 2;
	}
	assert_in_range(upper, 5000 - 250, 5000 + 250);
	assert_in_range(odd, 5000 - 250, 5000 + 250);
	mlr_queue_plan_free(plan);
}

static void a_million_flows(void **state)
{
	struct mlr_profile profile = two_ports(MLR_FLOWS_MAX);
	struct mlr_queue_plan *plan;
	uint32_t first, count;

	(void)state;
	profile.ranges[MLR_SOURCE_PORT] = (struct mlr_range){ 1000, 1 };
	profile.ranges[MLR_DESTINATION_ADDRESS] = (struct mlr_range){ 1000, 1 };
	assert_int_equal(mlr_profile_number(&profile), 0);
	mlr_profile_receives(&profile, 1, &first, &count);
	assert_int_equal(count, MLR_FLOWS_MAX);
	plan = plan_of(&profile, 1, 0, 1);
	assert_int_equal(plan->flow_count, MLR_FLOWS_MAX);
	assert_all_differ(plan);
	mlr_queue_plan_free(plan);
}

static void broadcast_frames_go_to_everybody(void **state)
{
	static const uint8_t everybody[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct mlr_profile profile = two_ports(2);
	struct mlr_queue_plan *plan;

	(void)state;
	profile.broadcast_every = 99;
	assert_int_equal(mlr_profile_number(&profile), 0);
	plan = plan_of(&profile, 0, 0, 1);
	assert_int_equal(plan->extra_every, 99);
	assert_int_equal(plan->extra->ip_version, 4);
	assert_int_equal(plan->extra->memory_octets, 60);
	assert_memory_equal(plan->extra->header, everybody, sizeof(everybody));
	assert_int_equal(plan->extra_flow.id, MLR_FLOW_EXTRA);
	assert_int_equal(plan->extra_flow.destination_address, 0xffffffff);
	mlr_queue_plan_free(plan);
}

/* What a transmitter makes of a plan is what mlr_frame_write() makes of the spec. */
static void payload_of_a_plan_goes_on_where_templates_end(void **state)
{
	uint8_t payload[600], whole[1600], sent[1600];
	struct mlr_frame_spec like = { .hop_limit = 9, .payload = payload, .payload_octets = sizeof(payload) };

	(void)state;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + 1);
	for (unsigned int size_octets = 100; size_octets <= 1518; size_octets += 23) {
		struct mlr_profile profile = two_ports(1);
		struct mlr_frame_spec spec;
		struct mlr_queue_plan *plan;

		profile.stream_count = 2; /* from port 1: IPv4 */
		profile.sizes = mlr_size_one(size_octets);
		profile.like = &like;
		assert_int_equal(mlr_profile_number(&profile), 0);
		plan = plan_of(&profile, 1, 0, 1);
		spec = mlr_profile_frame(&profile, &profile.streams[0], size_octets);
		mlr_frame_write(&spec, &plan->templates[0], &plan->flows[0], 1, 2, 3, 4, whole);
		memset(sent, 0, sizeof(sent));
		if (plan->payload)
			memcpy(sent + MLR_HEADER_MAX_OCTETS, plan->payload, plan->payload_octets);
		memcpy(sent, plan->templates[0].header, MLR_HEADER_MAX_OCTETS);
		mlr_frame_fill(sent, &plan->templates[0], &plan->flows[0], 1, 2, 3, 4);
		assert_memory_equal(sent, whole, size_octets - 4);
		mlr_queue_plan_free(plan);
	}
}

/* --- services --- */

/* Three at once, from one port; the last of two sizes. */
static const struct mlr_service_frames three_services[] = {
	{ .sizes = { .sizes_octets = { 128 }, .size_count = 1, .schedule_length = 1 },
	  .vlan_count = 1,
	  .vlans = { { 0x8100, 100 } },
	  .traffic_class = 0xb8,
	  .weight = 1 },
	{ .sizes = { .sizes_octets = { 256 }, .size_count = 1, .schedule_length = 1 }, .weight = 5 },
	{ .sizes = { .sizes_octets = { 512, 1024 }, .size_count = 2, .schedule = { 0, 0, 1 }, .schedule_length = 3 },
	  .weight = 4 },
};

static struct mlr_profile services_of(uint32_t flows_each)
{
	struct mlr_profile profile = two_ports(3 * flows_each);

	profile.service_count = 3;
	profile.services = three_services;
	for (unsigned int i = 0; i < 3; i++)
		profile.streams[i] = (struct mlr_stream){ .from = 0, .to = 1, .ip_version = 4, .service = 2 - i };
	return profile;
}

static void services_have_wire_ids_one_after_the_other(void **state)
{
	struct mlr_profile profile = services_of(4);
	uint32_t first, count;

	(void)state;
	assert_int_equal(mlr_profile_number(&profile), 0);
	mlr_profile_receives(&profile, 1, &first, &count);
	assert_int_equal(first, 0);
	assert_int_equal(count, 12);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(mlr_profile_service_end(&profile, 1, i), 4 * (i + 1));
}

/* Every frame of the port from its queues: each service has its share of any stretch, to the frame; flows have their numbers, each
 * once and in order; frames are those of their service. */
static void services_are_interleaved_by_weight(void **state)
{
	static const uint16_t sizes[] = { 512, 512, 1024 };
	enum { FRAMES = 3000 };

	(void)state;
	for (uint32_t queues = 1; queues <= 4; queues++) {
		struct mlr_profile profile = services_of(4);
		struct mlr_queue_plan *plans[4];
		struct mlr_plan_cursor cursors[4];
		uint32_t next[12] = { 0 }, sent[3] = { 0 }, counts[MLR_ROUND_MAX + 1];

		assert_int_equal(mlr_profile_number(&profile), 0);
		for (uint32_t queue = 0; queue < queues; queue++) {
			plans[queue] = plan_of(&profile, 0, queue, queues);
			cursors[queue] = mlr_plan_start(plans[queue], 1000);
		}
		for (uint32_t g = 0; g < FRAMES; g++) {
			struct mlr_queue_plan *plan = plans[g % queues];
			struct mlr_plan_cursor *cursor = &cursors[g % queues];
			const struct mlr_flow *flow = mlr_plan_flow(plan, cursor);
			const struct mlr_frame_template *template = mlr_plan_template(plan, cursor);
			unsigned int service = flow->service, octets = service ? 256 : 128;

			assert_int_equal(flow->id / 4, service);
			assert_int_equal(mlr_plan_sequence(cursor, flow), 1000 + next[flow->id]++);
			if (service == 2)
				octets = sizes[sent[2] % 3];
			sent[service]++;
			assert_int_equal(template->memory_octets, octets - 4);
			assert_int_equal(template->network_offset, service ? 14 : 18);
			assert_int_equal(template->header[template->network_offset + 1], service ? 0 : 0xb8);
			for (unsigned int i = 0; i < 3; i++)
				assert_true(fabs(sent[i] - three_services[i].weight * (g + 1) / 10.0) < 1);
			mlr_plan_take(plan, cursor);
		}
		for (uint32_t queue = 0, total = 0; queue < queues; queue++) {
			uint64_t share = mlr_plan_share(plans[queue], FRAMES);

			mlr_plan_flow_counts(plans[queue], 4, 8, counts);
			total += (uint32_t)(share / plans[queue]->flow_count) * counts[plans[queue]->flow_count] +
				 counts[share % plans[queue]->flow_count];
			for (uint32_t id = queue; id < 4; id += queues)
				assert_true(mlr_plan_sequences(plans[queue], share) >= next[4 + id]);
			if (queue + 1 == queues)
				assert_int_equal(total, sent[1]);
		}
		for (uint32_t queue = 0; queue < queues; queue++)
			mlr_queue_plan_free(plans[queue]);
	}
}

static void weights_are_the_shares_of_rates(void **state)
{
	static const struct {
		double rates_fps[3];
		uint32_t weights[3];
	} cases[] = {
		{ { 10000, 15000, 5000 }, { 2, 3, 1 } },
		{ { 97.65625, 97656.25, 195312.5 }, { 1, 1000, 2000 } },
		{ { 1, 1, 1 }, { 1, 1, 1 } },
	};
	double awkward_fps[] = { 1234.5, 98765.4, 777.7 }, sum = 0, load_fps;
	uint32_t weights[3];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const double *rates_fps = cases[i].rates_fps;

		load_fps = mlr_service_weights(rates_fps, 3, MLR_ROUND_MAX / 2, weights);
		assert_true(fabs(load_fps - rates_fps[0] - rates_fps[1] - rates_fps[2]) < 1e-4 * load_fps);
		for (int j = 1; j < 3; j++)
			assert_true(fabs((double)weights[j] / weights[0] * rates_fps[0] / rates_fps[j] - 1) < 1e-4);
	}
	assert_int_equal(mlr_service_weights(cases[0].rates_fps, 3, MLR_ROUND_MAX / 2, weights), 30000);
	assert_memory_equal(weights, cases[0].weights, sizeof(weights));
	load_fps = mlr_service_weights(awkward_fps, 3, MLR_ROUND_MAX / 2, weights);
	for (int j = 0; j < 3; j++)
		sum += weights[j];
	assert_true(sum <= MLR_ROUND_MAX);
	for (int j = 0; j < 3; j++) {
		/* never more than its rate, and hardly less */
		assert_true(load_fps * weights[j] / sum <= awkward_fps[j] * (1 + 1e-12));
		assert_true(load_fps * weights[j] / sum >= awkward_fps[j] * (1 - 1e-4));
	}
	/* fewer places, and still as near as they can be */
	load_fps = mlr_service_weights(awkward_fps, 3, 1000, weights);
	assert_true(load_fps > 0 && weights[0] + weights[1] + weights[2] <= 1003);
	assert_true(mlr_service_weights((const double[]){ 1, 1e6 }, 2, MLR_ROUND_MAX / 2, weights) == 0);
}

static void services_that_do_not_meet_again(void **state)
{
	struct mlr_profile profile = services_of(6553);
	struct mlr_queue_plan *plan = NULL;

	(void)state;
	profile.ranges[MLR_SOURCE_PORT].count = 6553;
	assert_int_equal(mlr_profile_number(&profile), 0);
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 0, 1, &plan), -E2BIG);
	assert_null(plan);
}

static void what_cannot_be_planned(void **state)
{
	struct mlr_profile profile = two_ports(1);
	struct mlr_queue_plan *plan = NULL;

	(void)state;
	assert_int_equal(mlr_profile_number(&profile), -EINVAL); /* two streams of one flow */
	profile = two_ports(2);
	profile.streams[0].to = 2;
	assert_int_equal(mlr_profile_number(&profile), -EINVAL);
	profile = two_ports(MLR_FLOWS_MAX + 1);
	assert_int_equal(mlr_profile_number(&profile), -EINVAL);
	profile = two_ports(6);
	profile.ranges[MLR_SOURCE_PORT].count = 2; /* three flows of a stream, and two of them the same */
	assert_int_equal(mlr_profile_number(&profile), -EINVAL);
	profile = two_ports(2);
	assert_int_equal(mlr_profile_number(&profile), 0);
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 2, 3, &plan), -EINVAL); /* a queue without a flow */
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 1, 1, &plan), -EINVAL);
	profile.sizes.sizes_octets[0] = 80; /* too small for IPv6 */
	assert_int_equal(mlr_queue_plan_new(&profile, 0, 0, 1, &plan), -EINVAL);
	assert_null(plan);
	mlr_queue_plan_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_ids_of_a_receiver_are_one_range),
		cmocka_unit_test(flows_of_a_fuller_queue_have_less),
		cmocka_unit_test(queues_share_what_their_port_sends),
		cmocka_unit_test(flows_have_the_addresses_of_their_ports),
		cmocka_unit_test(sequence_numbers_that_a_share_uses),
		cmocka_unit_test(extra_frames_come_at_their_distance),
		cmocka_unit_test(combinations_count_up),
		cmocka_unit_test(ports_wrap_within_their_range),
		cmocka_unit_test(random_flows_differ_and_are_repeatable),
		cmocka_unit_test(random_ports_cover_their_range),
		cmocka_unit_test(a_million_flows),
		cmocka_unit_test(broadcast_frames_go_to_everybody),
		cmocka_unit_test(payload_of_a_plan_goes_on_where_templates_end),
		cmocka_unit_test(services_have_wire_ids_one_after_the_other),
		cmocka_unit_test(services_are_interleaved_by_weight),
		cmocka_unit_test(weights_are_the_shares_of_rates),
		cmocka_unit_test(services_that_do_not_meet_again),
		cmocka_unit_test(what_cannot_be_planned),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
