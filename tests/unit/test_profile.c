/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile makes its queues send, against the definition in mlr/profile.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mlr/profile.h"

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

static void wire_ids_of_a_receiver_are_one_range(void **state)
{
	struct mlr_profile profile = { .sizes = mlr_size_one(128), .port_count = 4, .flow_count = 7 };
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
				assert_int_equal(cursor.sequence, 1000 + i / 3);
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
		if (mlr_plan_extra_due(plan, &cursor)) {
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

static void sizes_on_average(void **state)
{
	struct mlr_profile profile = two_ports(2);
	struct mlr_size_mix one = mlr_size_one(64);

	(void)state;
	assert_true(mlr_size_mean_octets(&profile.sizes) == (3 * 128 + 594 + 1518) / 5.0);
	assert_int_equal(mlr_size_least_octets(&profile.sizes), 128);
	assert_int_equal(mlr_size_most_octets(&profile.sizes), 1518);
	assert_true(mlr_size_mean_octets(&one) == 64.0);
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
		cmocka_unit_test(queues_share_what_their_port_sends),
		cmocka_unit_test(flows_have_the_addresses_of_their_ports),
		cmocka_unit_test(sequence_numbers_that_a_share_uses),
		cmocka_unit_test(extra_frames_come_at_their_distance),
		cmocka_unit_test(sizes_on_average),
		cmocka_unit_test(what_cannot_be_planned),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
