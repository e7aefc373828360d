/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The transmitting program: what it writes is what mlr_frame_write() writes, and when is what mlr/pacer.h says. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../test.h"
#include "base/clock.h"
#include "dataplane/live_program.h"
#include "mlr/imix.h"
#include "mlr/pacer.h"
#include "run.h"

#define LOOPBACK_IFINDEX 1 /* nothing is redirected to it: the program is only run */
#define TRIAL            7
#define FIRST_SEQUENCE   0xfffffff0u /* wraps soon */
#define FRAME_SIZE       4096
#define LOAD_FPS         312345.678 /* no whole number of ns between frames */
#define HOUR_NS          (3600 * NS_PER_S)
#define STOP_NS          (10 * NS_PER_S)

/* --- profiles --------------------------------------------------------------------------------------------------------- */

static struct mlr_profile profile_of(unsigned int size_octets, unsigned int vlan_count, uint32_t flow_count)
{
	struct mlr_profile profile = {
		.sizes = mlr_size_one(size_octets),
		.vlan_count = vlan_count,
		.vlans = { { 0x88a8, 0x6123 }, { 0x8100, 0xe456 } },
		.port_count = 2,
		.flow_count = flow_count,
		.source_port = MLR_UDP_SOURCE_PORT,
		.destination_port = MLR_UDP_DESTINATION_PORT,
	};

	/* every other profile is of signed frames with a pattern behind the tag */
	if (size_octets % 2 || flow_count % 2) {
		mlr_signature_key_init((const uint8_t *)"a key of forty octets, and not one more.", &profile.key);
		profile.payload = MLR_PAYLOAD_PRBS;
		mlr_payload_write(profile.payload, 0, profile.pattern, sizeof(profile.pattern));
	}
	for (unsigned int i = 0; i < 2; i++) {
		profile.ports[i] = (struct mlr_profile_port){
			.mac = { 2, 0, 0, 0, 0, (uint8_t)i },
			.address = 0xc6120002 + (i << 16),
			.address6 = { 0x20, 0x01, 0, 2, 0, 0, 0, (uint8_t)i, [15] = 2 },
		};
	}
	return profile;
}

static void add_stream(struct mlr_profile *profile, unsigned int ip_version)
{
	profile->streams[profile->stream_count++] =
		(struct mlr_stream){ .from = 0, .to = 1, .ip_version = ip_version, .destination_mac = { 2, 9, 9, 9, 9, 9 } };
}

/* --- running the program ------------------------------------------------------------------------------------------ */

static struct live_program *program;
static const struct mlr_queue_plan *plan;
static struct mlr_queue_plan *made; /* by open_queue(), to be freed; NULL: it was not */
static uint64_t start_ns;

/* One page: it comes back with every run, and may have been scribbled on. */
static uint8_t page[FRAME_SIZE], frame[FRAME_SIZE];

static void open_program(const struct mlr_queue_plan *of)
{
	uint32_t octets;

	plan = of;
	assert_int_equal(live_program_load(plan, LOOPBACK_IFINDEX, NULL, &program), 0);
	memcpy(page, live_program_frame(program, &octets), mlr_plan_memory_octets(plan));
}

/* The program of a queue of a profile's sending port. */
static void open_queue(struct mlr_profile *profile, uint32_t queue, uint32_t queue_count)
{
	assert_int_equal(mlr_profile_number(profile), 0);
	assert_int_equal(mlr_queue_plan_new(profile, 0, queue, queue_count, &made), 0);
	open_program(made);
}

static int close_program(void **state)
{
	(void)state;
	live_program_free(program);
	program = NULL;
	mlr_queue_plan_free(made);
	made = NULL;
	return 0;
}

/* Begin a trial whose frames are all long due: nobody waits. */
static void start(double load_fps, uint64_t frame_count)
{
	const struct tx_trial trial = {
		.number = TRIAL,
		.load_fps = load_fps,
		.frame_count = frame_count,
		.first_sequence = FIRST_SEQUENCE,
		.start_ns = start_ns = clock_ns() > HOUR_NS ? clock_ns() - HOUR_NS : 1,
		.deadline_ns = UINT64_MAX / 2,
	};

	assert_int_equal(live_program_start(program, &trial), 0);
}

/* The verdict of one run, and the frame that it made; the page is what the next run gets. */
static int run_once(unsigned int *ret_octets)
{
	uint32_t longest = mlr_plan_memory_octets(plan);
	struct xdp_md before = { .data_end = longest }, after = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = page, .data_size_in = longest, .data_out = frame,
		    .data_size_out = sizeof(frame), .ctx_in = &before, .ctx_size_in = sizeof(before), .ctx_out = &after,
		    .ctx_size_out = sizeof(after), .repeat = 1);

	assert_int_equal(bpf_prog_test_run_opts(live_program_fd(program), &options), 0);
	/* what comes out begins with the metadata, which there is on kernels before 6.3 */
	*ret_octets = options.data_size_out - after.data;
	memmove(frame, frame + after.data, *ret_octets);
	memcpy(page, frame, *ret_octets);
	return (int)options.retval;
}

static const struct mlr_tag *tag_of(const struct mlr_frame_template *template)
{
	return (const struct mlr_tag *)(frame + template->tag_offset);
}

static uint32_t big32(uint32_t value)
{
	return __builtin_bswap32(value);
}

/* What the frame should be, octet for octet; when it really left only the program knows. */
static void assert_frame(const struct mlr_frame_template *template, const struct mlr_flow *flow, uint32_t sequence,
			 uint64_t intended_ns, unsigned int octets)
{
	uint8_t expected[FRAME_SIZE] = { 0 };
	uint16_t lateness = __builtin_bswap16(tag_of(template)->lateness);

	assert_int_equal(octets, template->memory_octets);
	if (plan->payload)
		memcpy(expected + MLR_HEADER_MAX_OCTETS, plan->payload, plan->payload_octets);
	memcpy(expected, template->header, sizeof(template->header));
	mlr_frame_fill(expected, template, flow, TRIAL, sequence, intended_ns,
		       intended_ns + mlr_lateness_decode_ns(lateness));
	if (lateness == MLR_LATENESS_SATURATED) /* decodes to less than it stands for */
		mlr_frame_fill(expected, template, flow, TRIAL, sequence, intended_ns, intended_ns + MLR_LATENESS_MAX_NS);
	assert_memory_equal(frame, expected, octets);
}

/* So many frames of the plan, each compared. */
static void assert_follows_plan(unsigned int count, bool scribbled)
{
	struct mlr_plan_cursor cursor = mlr_plan_start(plan, FIRST_SEQUENCE);
	struct mlr_pacer pacer;
	unsigned int octets;

	start(LOAD_FPS, (uint64_t)count * plan->step);
	assert_int_equal(mlr_pacer_init(&pacer, LOAD_FPS, (uint64_t)count * plan->step, plan->first, plan->step), 0);
	for (unsigned int i = 0; i < count; i++) {
		uint64_t intended_ns = start_ns + mlr_pacer_next_ns(&pacer);

		if (scribbled)
			memset(page, 0xa5, mlr_plan_template(plan, &cursor)->header_octets);
		if (mlr_plan_extra_due(&cursor)) {
			assert_int_equal(run_once(&octets), XDP_REDIRECT);
			assert_int_equal(tag_of(plan->extra)->lateness, 0); /* it has no schedule to be late by */
			assert_frame(plan->extra, &plan->extra_flow, 0,
				     (uint64_t)tag_of(plan->extra)->departure_high << 32 |
					     big32(tag_of(plan->extra)->departure_ns),
				     octets);
			mlr_plan_take_extra(plan, &cursor);
		}
		assert_int_equal(run_once(&octets), XDP_REDIRECT);
		assert_frame(mlr_plan_template(plan, &cursor), mlr_plan_flow(plan, &cursor),
			     mlr_plan_sequence(&cursor, mlr_plan_flow(plan, &cursor)), intended_ns, octets);
		mlr_plan_take(plan, &cursor);
		mlr_pacer_take(&pacer);
	}
	assert_int_equal(run_once(&octets), XDP_DROP);
	assert_int_equal(live_program_queue(program)->handed - live_program_queue(program)->extra, count);
}

/* --- what it writes ----------------------------------------------------------------------------------------------- */

static void every_layout_in_every_size(void **state)
{
	static const unsigned int more_octets[] = { 0, 1, 2, 3, 7, 40, 64, 1000, 1454 };

	(void)state;
	for (unsigned int ip_version = 4; ip_version <= 6; ip_version += 2) {
		for (unsigned int vlans = 0; vlans <= 2; vlans++) {
			for (size_t i = 0; i < sizeof(more_octets) / sizeof(*more_octets); i++) {
				unsigned int least = mlr_frame_least_octets(
					&(struct mlr_frame_spec){ .ip_version = ip_version, .vlan_count = vlans });
				struct mlr_profile profile = profile_of(least + more_octets[i], vlans, 3);

				add_stream(&profile, ip_version);
				open_queue(&profile, 0, 1);
				assert_follows_plan(20, true);
				close_program(NULL);
			}
		}
	}
}

/* Both IP versions, so headers of different length, in sizes around the end of what a template holds. */
static void sizes_versions_and_flows_mixed(void **state)
{
	struct mlr_profile profile = profile_of(84, 0, 1000);
	static const uint16_t sizes_octets[] = { 84, 85, 130, 131, 132, 133, 594, 1518 };

	(void)state;
	profile.sizes.size_count = 8;
	profile.sizes.schedule_length = 1021;
	memcpy(profile.sizes.sizes_octets, sizes_octets, sizeof(sizes_octets));
	for (uint16_t i = 0; i < 1021; i++)
		profile.sizes.schedule[i] = (uint16_t)(i * 5 % 8);
	add_stream(&profile, 4);
	add_stream(&profile, 6);
	for (uint32_t queue = 0; queue < 3; queue++) {
		open_queue(&profile, queue, 3);
		assert_follows_plan(5000, true);
		close_program(NULL);
	}
}

static void every_small_size_after_every_other(void **state)
{
	struct mlr_profile profile = profile_of(84, 0, 2);

	(void)state;
	profile.sizes.size_count = 50;
	profile.sizes.schedule_length = 997;
	for (uint16_t i = 0; i < 50; i++)
		profile.sizes.sizes_octets[i] = (uint16_t)(84 + i);
	for (uint16_t i = 0; i < 997; i++)
		profile.sizes.schedule[i] = (uint16_t)(i * 37 % 50);
	add_stream(&profile, 4);
	add_stream(&profile, 6);
	open_queue(&profile, 0, 1);
	assert_follows_plan(4000, true);
}

static void a_million_flows(void **state)
{
	struct mlr_profile profile = profile_of(64, 0, MLR_FLOWS_MAX);
	unsigned int octets;

	(void)state;
	add_stream(&profile, 4);
	open_queue(&profile, 0, 1);
	assert_follows_plan(100, false);
	/* and the last ones, where the sequence goes on */
	start(1e6, 3);
	live_program_queue(program)->cursor.flow = plan->flow_count - 2;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t flow = (plan->flow_count - 2 + i) % plan->flow_count;

		assert_int_equal(run_once(&octets), XDP_REDIRECT);
		assert_frame(&plan->templates[0], &plan->flows[flow], FIRST_SEQUENCE + i / 2, start_ns + i * 1000, octets);
	}
}

/* A plan put together by hand: IPv4 options, a payload, extra frames of another layout. */
static void odd_headers_payload_and_extra_frames(void **state)
{
	static uint8_t payload[1400]; /* of which the frames have the first half, shorter than the longest frame */
	static const uint16_t schedule[] = { 0, 1, 2 };
	static const unsigned int sizes_octets[] = { 110, 200, 1500 };
	static const struct mlr_flow flows[] = { { .id = 3,
						   .source_address = 0x01020304,
						   .destination_address = 0xfffefdfc,
						   .source_port = 0xffff,
						   .destination_port = 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)(i * 7 + 1);
	for (unsigned int options_octets = 4; options_octets <= MLR_IP_OPTIONS_MAX_OCTETS; options_octets += 4) {
		struct mlr_frame_spec spec = {
			.source_mac = { 2, 1 },
			.destination_mac = { 2, 2 },
			.ip_version = 4,
			.hop_limit = MLR_TTL,
			.ip_options_octets = options_octets,
			.payload = payload,
			.payload_octets = sizeof(payload) / 2,
		};
		struct mlr_frame_template templates[3], extra;
		struct mlr_queue_plan odd = {
			.templates = templates,
			.template_count = 3,
			.size_count = 3,
			.schedule = schedule,
			.schedule_length = 3,
			.flows = flows,
			.flow_count = 1,
			.step = 1,
			.extra = &extra,
			.extra_flow = { .id = MLR_FLOW_EXTRA, .source_address = 1, .destination_address = 0xffffffff },
			.extra_every = 5,
		};
		unsigned int header_octets;

		memset(spec.ip_options, 1, sizeof(spec.ip_options));
		for (size_t i = 0; i < 3; i++) {
			spec.size_octets = sizes_octets[i];
			assert_int_equal(mlr_frame_template_init(&spec, &templates[i]), 0);
		}
		header_octets = templates[0].header_octets;
		odd.payload = payload + (MLR_HEADER_MAX_OCTETS - header_octets);
		odd.payload_octets = sizeof(payload) / 2 - (MLR_HEADER_MAX_OCTETS - header_octets);
		spec.ip_options_octets = 0;
		spec.size_octets = 64;
		memset(spec.destination_mac, 0xff, MLR_MAC_OCTETS);
		assert_int_equal(mlr_frame_template_init(&spec, &extra), 0);

		open_program(&odd);
		assert_follows_plan(100, true);
		assert_int_equal(live_program_queue(program)->extra, 19);
		close_program(NULL);
	}
}

/* Ethernet in GRE with a checksum, which follows the addresses of the flows; another tunnel of the length of VLAN tags; and frames beside them. The first has
 * half a word behind the last whole one. */
static void headers_of_tunnels(void **state)
{
	static const uint8_t gre[] = {
		0x08, 0, 0x45, 0,    0, 0, 0, 0, 0x40, 0, 64, 47, 0, 0, 192, 0, 2, 1, 192, 0, 2,    2,
		0x80, 0, 0x65, 0x58, 0, 0, 0, 0, 2,    0, 0,  0,  0, 3, 2,   0, 0, 0, 0,   4, 0x08, 0
	};
	static const uint8_t mpls[] = { 0x88, 0x47, 0, 6, 0x41, 255 };

	(void)state;
	for (int is_gre = 0; is_gre < 2; is_gre++) {
		struct mlr_profile profile = profile_of(is_gre ? 110 : 100, is_gre, 50);
		struct mlr_frame_spec like = {
			.outer_octets = is_gre ? sizeof(gre) : sizeof(mpls),
			.outer_field_count = is_gre ? 3 : 0,
			.outer_fields = { { MLR_OUTER_HEADER, 12, 2, 2 },
					  { MLR_OUTER_LENGTH, 4, 2, 2 },
					  { MLR_OUTER_ALL, 26, 22, 2 } },
			.hop_limit = 64,
		};

		memcpy(like.outer, is_gre ? gre : mpls, like.outer_octets);
		profile.like = &like;
		profile.broadcast_every = 7;
		profile.ranges[MLR_SOURCE_ADDRESS] = (struct mlr_range){ 50, 3 };
		add_stream(&profile, 4);
		open_queue(&profile, 0, 1);
		assert_int_equal(plan->templates[0].outer_checksum_offset, is_gre ? 12 + 4 + 26 : 0);
		assert_follows_plan(100, true);
		close_program(NULL);
	}
}

/* --- when --------------------------------------------------------------------------------------------------------- */

static void open_simple(void)
{
	struct mlr_profile profile = profile_of(64, 0, 1);

	add_stream(&profile, 4);
	open_queue(&profile, 0, 1);
}

/* Run it so many times in one call, on one page. */
static void run_many(uint32_t runs)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = page, .data_size_in = 60, .repeat = (int)runs);

	assert_int_equal(bpf_prog_test_run_opts(live_program_fd(program), &options), 0);
}

static void assert_schedule(const struct mlr_pacer *pacer, uint64_t n)
{
	const struct live_queue *queue = live_program_queue(program);
	unsigned __int128 due_q64 = pacer->first_q64 + pacer->interval_q64 * n;

	assert_int_equal(queue->due_ns, start_ns + (uint64_t)(due_q64 >> 64));
	assert_int_equal(queue->due_fraction, (uint64_t)due_q64);
}

static void the_schedule_is_exact(void **state)
{
	static const double loads_fps[] = { 1e6 / 3, 1488095.238095238, 148809523.8095238, 999999.999, 7.0, 14880952.38 };

	(void)state;
	open_simple();
	for (size_t i = 0; i < sizeof(loads_fps) / sizeof(*loads_fps); i++) {
		uint64_t count = loads_fps[i] > 1e3 ? 1000000 : 1000, due;
		struct mlr_pacer pacer;

		start(loads_fps[i], count + 1);
		/* a machine that has just been started has no hour behind it in which all could have been due */
		due = (uint64_t)((double)(clock_ns() - start_ns) / 1e9 * loads_fps[i]);
		mlr_pacer_init(&pacer, loads_fps[i], count + 1, 0, 1);
		count = count < due ? count : due;
		assert_schedule(&pacer, 0);
		run_many((uint32_t)count);
		assert_int_equal(live_program_queue(program)->handed, count);
		assert_schedule(&pacer, count);
	}
}

/* Tags by the clock of another host, five seconds ahead: the frames leave when they did, and say what that clock says. */
static void tags_are_by_another_clock(void **state)
{
	const uint64_t ahead_ns = 5 * NS_PER_S;
	unsigned int octets;
	uint64_t due_ns;

	(void)state;
	open_simple();
	start(1e6, 10);
	live_program_queue(program)->tag_offset_ns = ahead_ns;
	due_ns = live_program_queue(program)->due_ns;
	run_once(&octets);
	assert_int_equal(live_program_queue(program)->handed, 1);
	assert_int_equal(ntohl(tag_of(&plan->templates[0])->departure_ns), (uint32_t)(due_ns + ahead_ns));
	assert_true(live_program_queue(program)->burst_start_ns <= clock_ns());
}

/* After a day at 150 Mfps, 1.3e13 frames, the next thousand are still on the schedule of the pacer. */
static void the_schedule_holds_for_a_day(void **state)
{
	const uint64_t day = 24 * 3600ull * 150000000;
	struct live_queue *queue;
	struct mlr_pacer pacer;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(149999999.9, day + 1000);
	mlr_pacer_init(&pacer, 149999999.9, day + 1000, 0, 1);
	start_ns = queue->due_ns = 1; /* as if it had begun when the clock did */
	queue->due_ns += (uint64_t)(pacer.interval_q64 * day >> 64);
	queue->due_fraction = (uint64_t)(pacer.interval_q64 * day);
	queue->left = 1000;
	assert_schedule(&pacer, day);
	queue->unpaced = true; /* so that nothing waits for tomorrow */
	for (uint64_t n = 0; n < 1000; n++) {
		uint64_t due_ns = queue->due_ns;

		queue->due_ns = 1;
		run_many(1);
		queue->due_ns += due_ns - 1;
		assert_schedule(&pacer, day + n + 1);
	}
}

static void what_is_due_soon_is_waited_for(void **state)
{
	struct live_queue *queue;
	unsigned int octets;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(1000, 1000);
	for (int i = 0; i < 100000 && queue->handed < 90; i++) {
		uint64_t due_ns = queue->due_ns = clock_ns() + 50000;

		if (run_once(&octets) == XDP_DROP)
			continue; /* a busy machine took the CPU, and now it is neither near nor due */
		assert_true(clock_ns() >= due_ns);
		assert_true(queue->burst_start_ns >= due_ns);
	}
	assert_int_equal(queue->handed, 90);
}

static void what_is_not_due_is_dropped_and_stays(void **state)
{
	struct live_queue *queue, before;
	unsigned int octets, dropped = 0;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(1000, 1000);
	queue->due_ns = clock_ns() + HOUR_NS;
	before = *queue;
	assert_int_equal(run_once(&octets), XDP_DROP);
	before.pace = queue->pace; /* it knows when the clock was looked at */
	assert_memory_equal(queue, &before, sizeof(before));
	/* in a batch nobody waits, however near it is; unless a busy machine takes the CPU in between */
	queue->batch = 8;
	for (int i = 0; i < 20; i++) {
		queue->due_ns = clock_ns() + 90000;
		dropped += run_once(&octets) == XDP_DROP;
	}
	assert_true(dropped > 0);
}

static void nothing_leaves_after_the_deadline(void **state)
{
	struct live_queue *queue;
	unsigned int octets;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(1000, 1000);
	queue->deadline_ns = clock_ns() - NS_PER_S;
	assert_int_equal(run_once(&octets), XDP_DROP);
	assert_int_equal(queue->handed, 0);
	assert_int_equal(queue->left, 0);
}

/* Gaps and bursts are those between batches. */
static void bursts_are_counted(void **state)
{
	struct live_queue *queue;
	unsigned int octets;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(1e6, 23);
	queue->batch = 8;
	queue->run = 7;
	for (int i = 0; i < 30; i++)
		assert_int_equal(run_once(&octets), i < 23 ? XDP_REDIRECT : XDP_DROP);
	assert_int_equal(queue->gaps.count, 2);
	assert_int_equal(queue->handed, 23);
}

/* Begin a trial at this moment, with bursts of at most 32 frames. */
static void start_with_bursts(double load_fps, uint64_t frame_count, uint64_t begin_ns)
{
	const struct tx_trial trial = {
		.number = TRIAL,
		.load_fps = load_fps,
		.frame_count = frame_count,
		.first_sequence = FIRST_SEQUENCE,
		.start_ns = start_ns = begin_ns,
		.deadline_ns = UINT64_MAX / 2,
		.grant_most_ns = HOUR_NS,
		.burst = { 32, 32 },
	};

	*live_program_schedule(program) = (struct tx_schedule){ 0 };
	live_program_moves(program)->count = 0;
	assert_int_equal(live_program_start(program, &trial), 0);
	live_program_queue(program)->batch = 2; /* nobody waits */
}

/* Frames that leave before one is not due. */
static unsigned int run_until_drop(void)
{
	unsigned int octets, sent = 0;

	while (run_once(&octets) == XDP_REDIRECT)
		sent++;
	return sent;
}

/* The clock cannot be stopped, so the schedule is set back, as if the program had not run for ten seconds. */
static void a_stop_moves_the_schedule(void **state)
{
	struct tx_schedule *schedule;
	struct live_queue *queue;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	schedule = live_program_schedule(program);
	start_with_bursts(30, 100000, clock_ns());
	assert_true(run_until_drop() >= 1);
	assert_int_equal(schedule->has_begun, 1);
	queue->due_ns -= STOP_NS;                   /* 300 frames */
	assert_in_range(run_until_drop(), 28, 200); /* on a busy machine more become due meanwhile */
	assert_true(schedule->moves >= 1);
	assert_in_range(schedule->stopped_ns, STOP_NS - 2 * NS_PER_S, STOP_NS + NS_PER_S);
	/* an emulated CPU is too slow for a moment of the burst, too */
	assert_in_range(schedule->moved_ns - schedule->stopped_ns, 0, STOP_NS / 10);
	assert_int_equal(schedule->granted_ns, schedule->stopped_ns);
	assert_in_range(mlr_envelope_excess_frames(&queue->pace.envelope), 30, 33);
	assert_int_equal(mlr_moves_last_ns(live_program_moves(program)), schedule->moved_ns);
	assert_true(live_program_moves(program)->at[0].frame >= 1);
}

/* What is late before the first frame costs the load nothing. */
static void a_late_start_moves_the_schedule_for_nothing(void **state)
{
	struct tx_schedule *schedule;

	(void)state;
	open_simple();
	schedule = live_program_schedule(program);
	start_with_bursts(10, 100000, clock_ns() - STOP_NS);
	assert_true(run_until_drop() >= 1);
	assert_in_range(schedule->before_ns, STOP_NS / 2, 2 * STOP_NS);
	/* a slow or a busy machine is late after the first frame, too */
	assert_true(schedule->stopped_ns < STOP_NS / 2);
	assert_int_equal(schedule->granted_ns, schedule->before_ns + schedule->stopped_ns);
}

/* A transmitter without time to spare must not make the trial longer. */
static void a_slow_queue_is_granted_nothing(void **state)
{
	struct tx_schedule *schedule;
	struct live_queue *queue;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	schedule = live_program_schedule(program);
	start_with_bursts(30, 100000, clock_ns());
	assert_true(run_until_drop() >= 1);
	queue->pace.start_ns -= STOP_NS / 2; /* as if it had been busy since then */
	queue->due_ns -= STOP_NS;
	queue->pace.has_recovered = 0;
	queue->pace.looked_ns = 0; /* and looked at the clock all the time */
	run_until_drop();
	assert_true(schedule->moved_ns > 0);
	assert_int_equal(schedule->stopped_ns, 0);
	assert_int_equal(schedule->granted_ns, 0);
}

/* Frames beyond the asked burst are marked, and their tags are right. */
static void bursts_are_marked(void **state)
{
	struct live_queue *queue;
	unsigned int octets, marked = 0;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start_with_bursts(10, 1000, clock_ns());
	queue->pace.envelope.catch = UINT64_MAX / 2;
	queue->due_ns -= STOP_NS;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(run_once(&octets), XDP_REDIRECT);
		marked += (unsigned int)mlr_lateness_is_marked(__builtin_bswap16(tag_of(plan->templates)->lateness));
	}
	assert_int_equal(marked, 0); /* they are too late for a mark */
	assert_true(queue->pace.envelope.marked >= 60);
}

/* In the longest batches the clock is looked at once a bulk of 16, and still nothing leaves before it is due. */
static void a_bulk_leaves_at_one_time(void **state)
{
	struct live_queue *queue;
	unsigned int octets;
	uint64_t first_ns = 0;

	(void)state;
	open_simple();
	queue = live_program_queue(program);
	start(1e6, 1000);
	queue->batch = 64;
	queue->run = 63;
	for (int i = 0; i < 64; i++) {
		assert_int_equal(run_once(&octets), XDP_REDIRECT);
		if (i % 16 == 0) {
			assert_true(queue->now_ns > first_ns);
			first_ns = queue->now_ns;
		}
		assert_int_equal(queue->now_ns, first_ns);
	}
	queue->due_ns = clock_ns() + HOUR_NS;
	assert_int_equal(run_once(&octets), XDP_DROP);
	queue->due_ns = 1;
	assert_int_equal(run_once(&octets), XDP_REDIRECT);
	queue->due_ns = clock_ns() + HOUR_NS; /* in the middle of a bulk */
	assert_int_equal(run_once(&octets), XDP_DROP);
}

static void a_frame_shorter_than_the_header_is_not_sent(void **state)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = page, .data_size_in = 59, .repeat = 1);

	(void)state;
	open_simple();
	start(1000, 1000);
	assert_int_equal(bpf_prog_test_run_opts(live_program_fd(program), &options), 0);
	assert_int_equal(options.retval, XDP_DROP);
	assert_int_equal(live_program_queue(program)->handed, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, NULL, close_program)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_layout_in_every_size),
		TEST(headers_of_tunnels),
		TEST(sizes_versions_and_flows_mixed),
		TEST(every_small_size_after_every_other),
		TEST(a_million_flows),
		TEST(odd_headers_payload_and_extra_frames),
		TEST(the_schedule_is_exact),
		TEST(tags_are_by_another_clock),
		TEST(the_schedule_holds_for_a_day),
		TEST(what_is_due_soon_is_waited_for),
		TEST(what_is_not_due_is_dropped_and_stays),
		TEST(nothing_leaves_after_the_deadline),
		TEST(bursts_are_counted),
		TEST(a_stop_moves_the_schedule),
		TEST(a_late_start_moves_the_schedule_for_nothing),
		TEST(a_slow_queue_is_granted_nothing),
		TEST(bursts_are_marked),
		TEST(a_bulk_leaves_at_one_time),
		TEST(a_frame_shorter_than_the_header_is_not_sent),
	};

	return cmocka_run_group_tests_name("tx", tests, NULL, NULL);
}
