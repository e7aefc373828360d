/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/live_program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "mlr/pacer.h"

#include "tx.skel.h" /* included after the types that it uses */

struct live_program {
	const struct mlr_queue_plan *plan;
	struct tx_bpf *skeleton;
	uint8_t *frame;
	uint32_t frame_octets;
	struct tx_schedule *schedule; /* schedule of the port, in the memory of the maps */
	struct mlr_moves *moves;
};

/* --- the maps --------------------------------------------------------------------------------------------------------- */

static int fill_templates(const struct mlr_queue_plan *plan, int fd)
{
	int error = 0;

	for (uint32_t i = 0; i < plan->template_count && !error; i++)
		error = bpf_map_update_elem(fd, &i, &plan->templates[i], BPF_ANY);
	if (!error && plan->extra_every)
		error = bpf_map_update_elem(fd, &plan->template_count, plan->extra, BPF_ANY);
	return error;
}

static int fill_schedule(const struct mlr_queue_plan *plan, int fd)
{
	int error = 0;

	for (uint32_t i = 0; i < plan->schedule_length && !error; i++)
		error = bpf_map_update_elem(fd, &i, &plan->schedule[i], BPF_ANY);
	return error;
}

/* There may be a million flows, so each cannot take a system call. */
static int fill_flows(const struct mlr_queue_plan *plan, int fd)
{
	size_t stride = (sizeof(struct mlr_flow) + 7) / 8 * 8; /* The kernel rounds sizes of values in this way. */
	size_t octets = stride * (plan->flow_count + 1);
	uint8_t *map = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -errno;
	for (uint32_t i = 0; i < plan->flow_count; i++)
		memcpy(map + stride * i, &plan->flows[i], sizeof(*plan->flows));
	memcpy(map + stride * plan->flow_count, &plan->extra_flow, sizeof(plan->extra_flow));
	munmap(map, octets);
	return 0;
}

/* Map the memory of a map with one value. Returns NULL and sets errno on failure. */
static void *map_value(const struct bpf_map *map, size_t octets)
{
	void *value = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return value == MAP_FAILED ? NULL : value;
}

static int map_pace(struct live_program *program)
{
	program->schedule = map_value(program->skeleton->maps.data_schedule, sizeof(*program->schedule));
	program->moves = map_value(program->skeleton->maps.queue_moves, sizeof(*program->moves));
	return program->schedule && program->moves ? 0 : -errno;
}

static void unmap_pace(struct live_program *program)
{
	if (program->schedule)
		munmap(program->schedule, sizeof(*program->schedule));
	if (program->moves)
		munmap(program->moves, sizeof(*program->moves));
}

static int load(struct live_program *program, int ifindex, const struct live_program *first)
{
	const struct mlr_queue_plan *plan = program->plan;
	uint32_t key = 0, port = (uint32_t)ifindex;
	struct tx_bpf *skeleton = program->skeleton = tx_bpf__open();
	int error;

	if (!skeleton)
		return -errno;
	bpf_map__set_max_entries(skeleton->maps.templates, plan->template_count + 1);
	bpf_map__set_max_entries(skeleton->maps.flows, plan->flow_count + 1);
	if ((error = first ? bpf_map__reuse_fd(skeleton->maps.data_schedule,
					       bpf_map__fd(first->skeleton->maps.data_schedule))
			   : 0) ||
	    (error = tx_bpf__load(skeleton)) || (error = map_pace(program)) || (error = skeleton->bss ? 0 : -ENOMEM) ||
	    (error = bpf_map_update_elem(bpf_map__fd(skeleton->maps.port), &key, &port, BPF_ANY)) ||
	    (error = fill_templates(plan, bpf_map__fd(skeleton->maps.templates))) ||
	    (error = fill_schedule(plan, bpf_map__fd(skeleton->maps.schedule))))
		return error;
	return fill_flows(plan, bpf_map__fd(skeleton->maps.flows));
}

/* The kernel copies it into each of its pages, once. The program writes the headers, and the payload stays. */
static int make_frame(struct live_program *program)
{
	const struct mlr_queue_plan *plan = program->plan;
	uint32_t octets = mlr_plan_memory_octets(plan), room = octets - MLR_HEADER_MAX_OCTETS;

	program->frame = calloc(1, octets < MLR_HEADER_MAX_OCTETS ? MLR_HEADER_MAX_OCTETS : octets);
	if (!program->frame)
		return -ENOMEM;
	program->frame_octets = octets;
	for (uint32_t i = 0; i < plan->template_count; i++)
		if (plan->templates[i].memory_octets == octets)
			memcpy(program->frame, plan->templates[i].header, MLR_HEADER_MAX_OCTETS);
	if (plan->payload && octets > MLR_HEADER_MAX_OCTETS)
		memcpy(program->frame + MLR_HEADER_MAX_OCTETS, plan->payload,
		       plan->payload_octets < room ? plan->payload_octets : room);
	return 0;
}

int live_program_load(const struct mlr_queue_plan *plan, int ifindex, const struct live_program *first,
		      struct live_program **ret)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	struct live_program *program = calloc(1, sizeof(*program));
	int error;

	if (!program)
		return -ENOMEM;
	program->plan = plan;
	libbpf_set_print(NULL);
	setrlimit(RLIMIT_MEMLOCK, &unlimited); /* If this is refused, loading fails and says why. */
	error = make_frame(program) ?: load(program, ifindex, first);
	if (error)
		live_program_free(program);
	else
		*ret = program;
	return error;
}

int live_program_renew(struct live_program *program)
{
	return fill_templates(program->plan, bpf_map__fd(program->skeleton->maps.templates));
}

void live_program_free(struct live_program *program)
{
	if (!program)
		return;
	unmap_pace(program);
	tx_bpf__destroy(program->skeleton);
	free(program->frame);
	free(program);
}

int live_program_fd(const struct live_program *program)
{
	return bpf_program__fd(program->skeleton->progs.tx);
}

struct live_queue *live_program_queue(struct live_program *program)
{
	return &program->skeleton->bss->queue;
}

struct tx_schedule *live_program_schedule(const struct live_program *program)
{
	return program->schedule;
}

struct mlr_moves *live_program_moves(const struct live_program *program)
{
	return program->moves;
}

const uint8_t *live_program_frame(const struct live_program *program, uint32_t *ret_octets)
{
	*ret_octets = program->frame_octets;
	return program->frame;
}

/* --- a trial ---------------------------------------------------------------------------------------------------------- */

/*
 * Return how many runs of the program make a batch, which leaves in one burst. A single frame leaves on time, but frames of
 * a batch cost less each. Every step is well below what its batch can do on the machine of docs/internals/data-plane.md,
 * which leaves room for slower machines and for SUTs that run on the sender's CPU.
 */
static uint32_t batch_of(double load_fps)
{
	static const struct {
		double most_fps;
		uint32_t batch;
	} steps[] = { { 0.5e6, 1 }, { 1e6, 2 }, { 1.5e6, 4 }, { 2e6, 8 }, { 2.5e6, 16 } };

	for (size_t i = 0; i < COUNT(steps); i++)
		if (load_fps <= steps[i].most_fps)
			return steps[i].batch;
	return LIVE_BATCH_MAX;
}

/* Return how many octets are written anew for each frame. */
static uint16_t written_octets(const struct mlr_frame_template *template)
{
	return template->header_octets + (template->is_signed ? MLR_SIGNATURE_OCTETS : 0);
}

/* Return the longest header of any template with its signature, if they differ: a shorter one may be written over it.
 * Otherwise return 0. */
static uint16_t mixed_headers(const struct mlr_queue_plan *plan)
{
	uint16_t least = written_octets(&plan->templates[0]), most = least;

	for (uint32_t i = 0; i < plan->template_count + (plan->extra_every != 0); i++) {
		uint16_t octets = written_octets(i < plan->template_count ? &plan->templates[i] : plan->extra);

		least = octets < least ? octets : least;
		most = octets > most ? octets : most;
	}
	return least == most ? 0 : most < MLR_HEADER_MAX_OCTETS ? most : MLR_HEADER_MAX_OCTETS;
}

/* Set the beginning of the plan, unpaced and without an end. */
static struct live_queue *reset(struct live_program *program, uint16_t trial, uint32_t first_sequence)
{
	struct live_queue *queue = live_program_queue(program);

	memset(queue, 0, sizeof(*queue));
	queue->plan = *program->plan;
	queue->cursor = mlr_plan_start(program->plan, first_sequence);
	queue->memory_octets = program->frame_octets;
	queue->mixed = mixed_headers(program->plan);
	queue->trial = trial;
	queue->unpaced = true;
	queue->batch = LIVE_BATCH_MAX;
	queue->left = UINT64_MAX;
	queue->deadline_ns = UINT64_MAX / 2;
	return queue;
}

void live_program_start_one(struct live_program *program)
{
	struct live_queue *queue = reset(program, 0, 0);

	queue->is_trial_frame = true;
	queue->batch = 1;
	queue->left = 1;
	queue->cursor.until_extra = UINT64_MAX;
}

int live_program_start(struct live_program *program, const struct tx_trial *trial)
{
	const struct mlr_queue_plan *plan = program->plan;
	struct live_queue *queue = reset(program, trial->number, trial->first_sequence);
	struct mlr_pacer pacer;
	int error;

	queue->due_ns = trial->start_ns;
	queue->deadline_ns = trial->deadline_ns;
	queue->tag_offset_ns = (uint64_t)trial->tag_offset_ns;
	if (trial->frame_count == TX_NO_LIMIT)
		return 0;
	error = mlr_pacer_init(&pacer, trial->load_fps, trial->frame_count, plan->first, plan->step);
	if (error)
		return error;
	queue->unpaced = false;
	queue->batch = batch_of(trial->load_fps / plan->step);
	if (trial->burst.catch_frames && trial->burst.catch_frames < queue->batch)
		queue->batch = (uint32_t)trial->burst.catch_frames;
	queue->pace = (struct tx_pace){ .start_ns = trial->start_ns, .grant_most_ns = trial->grant_most_ns };
	mlr_envelope_init(&queue->pace.envelope, trial->load_fps, plan->step, trial->burst);
	queue->left = pacer.count;
	queue->due_ns += (uint64_t)(pacer.first_q64 >> 64);
	queue->due_fraction = (uint64_t)pacer.first_q64;
	queue->interval_ns = (uint64_t)(pacer.interval_q64 >> 64);
	queue->interval_fraction = (uint64_t)pacer.interval_q64;
	return 0;
}

int live_program_run(struct live_program *program, uint32_t octets, uint32_t runs)
{
	struct live_queue *queue = live_program_queue(program);
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = program->frame, .data_size_in = octets, .repeat = (int)runs,
		    .batch_size = queue->batch, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	queue->run = queue->batch - 1; /* the first run begins a batch */
	return bpf_prog_test_run_opts(live_program_fd(program), &options);
}

/* --- watching --------------------------------------------------------------------------------------------------------- */

int live_program_watch(struct live_program *program)
{
	struct tx_bpf *skeleton = program->skeleton;

	skeleton->links.note_xmit = bpf_program__attach(skeleton->progs.note_xmit);
	if (!skeleton->links.note_xmit)
		return -errno;
	skeleton->links.note_error = bpf_program__attach(skeleton->progs.note_error);
	return skeleton->links.note_error ? 0 : -errno;
}

void live_program_unwatch(struct live_program *program)
{
	struct tx_bpf *skeleton = program->skeleton;

	bpf_link__destroy(skeleton->links.note_xmit);
	bpf_link__destroy(skeleton->links.note_error);
	skeleton->links.note_xmit = skeleton->links.note_error = NULL;
}
