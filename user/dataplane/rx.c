/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/rx.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dataplane/bound_program.h"
#include "rx.skel.h"
#include "rx_fragments.skel.h"
#include "rx_hardware.skel.h"

#ifndef BPF_F_XDP_DEV_BOUND_ONLY
#define BPF_F_XDP_DEV_BOUND_ONLY (1u << 6) /* Linux 6.3 */
#endif

/* The limit of sequence slots of all flows together: so many, or a part of the free memory. A million flows have 16 each. */
#define WINDOW_SLOTS       (1u << 24)
#define WINDOW_MIN         (1u << 4)
#define WINDOW_MEMORY_PART 8
/* Octets that a flow has before its slots in bpf/rx.bpf.c. */
#define FLOW_STATE_OCTETS 40
/* The tag's trial numbers have 16 bits. */
#define NO_TRIAL    (1u << 16)
#define LATE_OCTETS (RX_TRIAL_NUMBERS * sizeof(uint32_t))

/* Ways to attach the program, the best first. */
struct variant {
	bool hardware_clock; /* loaded for this device only, which lets it ask for the NIC's time */
	bool headers;   /* knows headers in fragments, too; for ports of long frames alone, as it takes longer to load */
	bool fragments; /* says that it knows frames in fragments */
	uint32_t mode;
};

static const struct variant variants[] = {
	{ .hardware_clock = true, .fragments = true, .mode = XDP_FLAGS_DRV_MODE },
	{ .hardware_clock = true, .fragments = false, .mode = XDP_FLAGS_DRV_MODE },
	{ .headers = true, .fragments = true, .mode = XDP_FLAGS_DRV_MODE },
	{ .hardware_clock = false, .fragments = true, .mode = XDP_FLAGS_DRV_MODE },
	{ .hardware_clock = false, .fragments = false, .mode = XDP_FLAGS_DRV_MODE },
	{ .hardware_clock = false, .fragments = true, .mode = XDP_FLAGS_SKB_MODE },
	{ .hardware_clock = false, .fragments = false, .mode = XDP_FLAGS_SKB_MODE },
};

#define VARIANTS       COUNT(variants)
#define FIRST_HEADERS  2
#define FIRST_SOFTWARE 3

struct rx {
	const struct variant *variant;
	struct rx_bpf *skeleton;
	int link_fd; /* -1: not attached */
	int cpu_count;
	uint32_t window; /* sequence numbers that a flow remembers */
	/* These are mapped. All but the first may be NULL: they are not counted then. */
	struct rx_cpu *cpus;                  /* one for each possible CPU */
	struct rx_interval *intervals;        /* RX_CPU_INTERVALS a possible CPU */
	struct rx_service *services;          /* service_count a possible CPU */
	struct rx_flow_figures *flow_figures; /* figures of each flow */
	uint64_t *parts;                      /* parts of each service, or of all frames, one after the other */
	uint32_t *late_before;                /* value of late_frames when a trial began, by trial number */
	/* Value when the trial number was first used: until then its frames were unknown. */
	uint32_t *unknown_before;
};

/* --- loading and attaching ------------------------------------------------------------------------------------------ */

static uint32_t window_of(const struct rx_options *options)
{
	uint64_t free_slots = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / WINDOW_MEMORY_PART /
			      sizeof(uint32_t);
	uint64_t slots = free_slots < WINDOW_SLOTS ? free_slots : WINDOW_SLOTS;
	uint32_t window = RX_WINDOW_USUAL;

	while (window < options->window && (uint64_t)window * 2 * options->flow_count <= slots)
		window *= 2;
	while (window > WINDOW_MIN && (uint64_t)window * options->flow_count > WINDOW_SLOTS)
		window /= 2;
	return window;
}

static uint32_t shortest(const struct rx_lengths *lengths)
{
	for (uint32_t octets = 0; octets < RX_LENGTHS_MAX; octets++)
		if (lengths->bits[octets / 64] >> octets % 64 & 1)
			return octets;
	return 0;
}

/* Get where the innermost packet is in a frame like this. */
static void configure_tunnels(struct rx_bpf__rodata *constants, const struct mlr_frame_spec *like)
{
	bool is_ipv6 = like->ip_version == 6;

	constants->inner_offset = like->outer_octets - (uint32_t)sizeof(uint16_t);
	constants->inner_type = htons(is_ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP);
	constants->inner_tag = constants->inner_offset +
			       (uint32_t)(is_ipv6 ? sizeof(struct ip6_hdr) : sizeof(struct ip) + like->ip_options_octets) +
			       (uint32_t)sizeof(struct udphdr);
}

static size_t flow_octets(const struct rx *rx)
{
	return FLOW_STATE_OCTETS + rx->window * sizeof(uint32_t);
}

/* Whether the frames of these options have signatures. */
static bool are_signed(const struct rx_options *options)
{
	return options->profile && mlr_profile_signed_octets(options->profile);
}

/* Keep a digest among those of its length; one too many is not kept, and a changed payload counts as a wrong signature then. */
static int keep_digest(int fd, uint32_t udp_octets, uint64_t digest)
{
	struct rx_digests digests;

	if (bpf_map_lookup_elem(fd, &udp_octets, &digests))
		return -errno;
	for (size_t i = 0; digest && i < RX_DIGESTS_MAX; i++) {
		if (digests.of[i] == digest)
			break;
		if (digests.of[i])
			continue;
		digests.of[i] = digest;
		break;
	}
	return bpf_map_update_elem(fd, &udp_octets, &digests, BPF_ANY) ? -errno : 0;
}

static int keep_digests(const struct rx *rx, const struct mlr_profile *profile)
{
	int fd = bpf_map__fd(rx->skeleton->maps.digests), error = 0;

	for (unsigned int i = 0; i < profile->stream_count; i++) {
		const struct mlr_stream *stream = &profile->streams[i];
		const struct mlr_size_mix *mix = mlr_profile_sizes(profile, stream);

		for (unsigned int size = 0; size < mix->size_count && !error; size++)
			error = keep_digest(fd, mlr_profile_udp_octets(profile, stream, mix->sizes_octets[size]),
					    mlr_profile_digest(profile, stream, mix->sizes_octets[size]));
	}
	return error;
}

static void configure(struct rx *rx, const struct rx_options *options)
{
	struct rx_bpf__rodata *constants = rx->skeleton->rodata;

	constants->first_flow = options->first_flow;
	constants->flow_count = options->flow_count;
	constants->window_mask = rx->window - 1;
	constants->with_order = !options->no_order;
	constants->with_latency = !options->no_latency;
	constants->with_variation = options->variation && !options->no_order && !options->no_latency;
	constants->verify_samples = options->verify != RX_VERIFY_DOUBTS;
	constants->verify_spacing = options->verify == RX_VERIFY_ALL ? 0 : RX_VERIFY_SPACING - 1;
	constants->interval_ns = options->interval_ns;
	constants->service_count = options->service_count;
	constants->part_count = options->part_count;
	constants->with_flow_figures = options->flow_figures;
	constants->counts_more =
		options->interval_ns || options->service_count || options->part_count || options->flow_figures;
	memset((void *)constants->service_ends, 0xff, sizeof(constants->service_ends));
	for (uint32_t i = 0; i < options->service_count; i++)
		constants->service_ends[i] = options->service_ends[i] - options->first_flow;
	constants->capture_most = options->capture_most;
	constants->with_lengths = options->lengths != NULL;
	if (options->lengths) {
		memcpy((void *)constants->lengths, options->lengths->bits, sizeof(options->lengths->bits));
		constants->usual_length = shortest(options->lengths);
	}
	if (options->like && options->like->outer_octets)
		configure_tunnels(constants, options->like);
	bpf_map__set_max_entries(rx->skeleton->maps.flows, options->no_order ? 1 : options->flow_count);
	bpf_map__set_value_size(rx->skeleton->maps.flows, (uint32_t)flow_octets(rx));
	bpf_map__set_max_entries(rx->skeleton->maps.cpus, (uint32_t)rx->cpu_count);
	if (are_signed(options)) {
		memcpy((void *)&constants->signature_key, &options->profile->key, sizeof(constants->signature_key));
		bpf_map__set_max_entries(rx->skeleton->maps.digests, RX_LENGTHS_MAX);
	}
	constants->with_headers = options->profile && !options->no_order;
	constants->tags_stay = options->tags_stay;
	constants->with_mac = options->mac != NULL;
	if (options->mac) {
		memcpy((void *)&constants->mac_begin, options->mac, sizeof(constants->mac_begin));
		memcpy((void *)&constants->mac_end, options->mac + sizeof(constants->mac_begin), sizeof(constants->mac_end));
	}
	if (constants->with_headers)
		bpf_map__set_max_entries(rx->skeleton->maps.sent, options->flow_count);
	if (options->capture_most)
		bpf_map__set_max_entries(rx->skeleton->maps.captured, options->capture_most);
	if (options->interval_ns)
		bpf_map__set_max_entries(rx->skeleton->maps.intervals, (uint32_t)rx->cpu_count * RX_CPU_INTERVALS);
	if (options->service_count)
		bpf_map__set_max_entries(rx->skeleton->maps.services, (uint32_t)rx->cpu_count * options->service_count);
	if (options->flow_figures)
		bpf_map__set_max_entries(rx->skeleton->maps.flow_figures, options->flow_count);
	if (options->part_count)
		bpf_map__set_max_entries(rx->skeleton->maps.parts, (options->service_count ?: 1) * options->part_count);
}

void rx_lengths_add(struct rx_lengths *lengths, unsigned int udp_octets)
{
	if (udp_octets < RX_LENGTHS_MAX)
		lengths->bits[udp_octets / 64] |= UINT64_C(1) << udp_octets % 64;
}

/* All skeletons are of one source, and so of one shape. */
#define SAME_SHAPE(other)                                                                                                   \
	(sizeof(struct rx_bpf) == sizeof(struct other) &&                                                                   \
	 offsetof(struct rx_bpf, maps.flows) == offsetof(struct other, maps.flows) &&                                       \
	 sizeof(struct rx_bpf__bss) == sizeof(struct other##__bss) &&                                                       \
	 sizeof(struct rx_bpf__rodata) == sizeof(struct other##__rodata))
_Static_assert(SAME_SHAPE(rx_hardware_bpf) && SAME_SHAPE(rx_fragments_bpf), "one source, one shape");

static struct rx_bpf *open_skeleton(const struct variant *variant)
{
	if (variant->headers)
		return (struct rx_bpf *)rx_fragments_bpf__open();
	if (!variant->hardware_clock)
		return rx_bpf__open();
	return bound_program_expect() ? NULL : (struct rx_bpf *)rx_hardware_bpf__open();
}

static void choose_device(struct rx *rx, int ifindex)
{
	const struct variant *variant = rx->variant;

	bpf_program__set_flags(rx->skeleton->progs.rx, (variant->fragments ? BPF_F_XDP_HAS_FRAGS : 0) |
							       (variant->hardware_clock ? BPF_F_XDP_DEV_BOUND_ONLY : 0));
	if (variant->hardware_clock)
		bpf_program__set_ifindex(rx->skeleton->progs.rx, (uint32_t)ifindex);
}

/* Return the octets of all values of a map, in whole pages. */
static size_t octets_of(const struct bpf_map *map)
{
	size_t octets = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	size_t page_octets = (size_t)sysconf(_SC_PAGESIZE);

	return (octets + page_octets - 1) / page_octets * page_octets;
}

/* NULL with errno set. */
static void *map_values(const struct bpf_map *map)
{
	void *values = mmap(NULL, octets_of(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return values == MAP_FAILED ? NULL : values;
}

static void unmap_values(const struct bpf_map *map, void *values)
{
	if (values)
		munmap(values, octets_of(map));
}

static int map_counters(struct rx *rx, const struct rx_options *options)
{
	const struct rx_bpf *skeleton = rx->skeleton;

	if (!(rx->cpus = map_values(skeleton->maps.cpus)) ||
	    (options->interval_ns && !(rx->intervals = map_values(skeleton->maps.intervals))) ||
	    (options->service_count && !(rx->services = map_values(skeleton->maps.services))) ||
	    (options->flow_figures && !(rx->flow_figures = map_values(skeleton->maps.flow_figures))) ||
	    (options->part_count && !(rx->parts = map_values(skeleton->maps.parts))))
		return -errno;
	return 0;
}

static void unmap_counters(struct rx *rx)
{
	unmap_values(rx->skeleton->maps.cpus, rx->cpus);
	unmap_values(rx->skeleton->maps.intervals, rx->intervals);
	unmap_values(rx->skeleton->maps.services, rx->services);
	unmap_values(rx->skeleton->maps.parts, rx->parts);
	unmap_values(rx->skeleton->maps.flow_figures, rx->flow_figures);
}

/* Set the addresses of IPv6, as the receiver compares them. Their ends are the flow's. */
static uint64_t folded(const struct mlr_frame_spec *spec, const struct mlr_flow *flow)
{
	const uint32_t ends[] = { htonl(flow->source_address), htonl(flow->destination_address) };
	uint8_t octets[2 * MLR_ADDRESS6_OCTETS];
	uint64_t words[4];

	memcpy(octets, spec->source_address6, MLR_ADDRESS6_OCTETS);
	memcpy(octets + MLR_ADDRESS6_OCTETS - sizeof(ends[0]), &ends[0], sizeof(ends[0]));
	memcpy(octets + MLR_ADDRESS6_OCTETS, spec->destination_address6, MLR_ADDRESS6_OCTETS);
	memcpy(octets + sizeof(octets) - sizeof(ends[1]), &ends[1], sizeof(ends[1]));
	memcpy(words, octets, sizeof(words));
	return RX_FOLD_ADDRESSES(words);
}

/* Set those of IPv4. */
static uint64_t both(const struct mlr_flow *flow)
{
	const uint32_t words[] = { htonl(flow->source_address), htonl(flow->destination_address) };
	uint64_t addresses;

	memcpy(&addresses, words, sizeof(addresses));
	return addresses;
}

struct rx_sent rx_sent_of(const struct mlr_profile *profile, const struct mlr_stream *stream, uint32_t number)
{
	struct mlr_frame_spec spec = mlr_profile_frame(profile, stream, 0);
	struct mlr_flow flow = mlr_profile_flow(profile, stream, number);
	struct rx_sent sent = {
		.addresses = spec.ip_version == 6 ? folded(&spec, &flow) : both(&flow),
		.ports = htonl((uint32_t)flow.source_port << 16 | flow.destination_port),
		.traffic_class = spec.traffic_class,
		.hop_limit = spec.hop_limit,
		.vlan_count = (uint8_t)spec.vlan_count,
	};

	for (unsigned int i = 0; i < spec.vlan_count; i++)
		sent.vlans[i] = spec.vlans[i].control;
	return sent;
}

/* Set the headers with which each flow that should arrive is sent. There may be a million flows, so each cannot take a
 * system call. */
static int keep_sent(const struct rx *rx, const struct rx_options *options)
{
	size_t stride = (sizeof(struct rx_sent) + 7) / 8 * 8; /* The kernel rounds sizes of values in this way. */
	size_t octets = stride * options->flow_count;
	uint8_t *map = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(rx->skeleton->maps.sent), 0);

	if (map == MAP_FAILED)
		return -errno;
	for (unsigned int i = 0; i < options->profile->stream_count; i++) {
		const struct mlr_stream *stream = &options->profile->streams[i];

		for (uint32_t number = 0; number < stream->flow_count; number++) {
			uint32_t place = stream->first_flow + number - options->first_flow;
			struct rx_sent sent;

			if (place >= options->flow_count)
				continue;
			sent = rx_sent_of(options->profile, stream, number);
			memcpy(map + stride * place, &sent, sizeof(sent));
		}
	}
	munmap(map, octets);
	return 0;
}

static void use_earlier(struct rx *rx, const struct rx_options *options)
{
	for (uint32_t i = 0; i < options->earlier.count && i < RX_TRIAL_NUMBERS; i++)
		rx_use_number(rx, (uint16_t)(options->earlier.first + i));
}

/* Load a variant with this window. Returns 0 or -errno, without a message. */
static int load_with(const struct rx_options *options, uint32_t window, const struct variant *variant, int ifindex,
		     struct rx **ret)
{
	struct rx *rx = calloc(1, sizeof(*rx));
	int error = -ENOMEM;

	if (!rx)
		return error;
	rx->variant = variant;
	rx->window = window;
	rx->link_fd = -1;
	rx->cpu_count = libbpf_num_possible_cpus();
	rx->late_before = calloc(1, LATE_OCTETS);
	rx->unknown_before = calloc(1, LATE_OCTETS);
	if (!rx->late_before || !rx->unknown_before)
		goto failed;
	libbpf_set_print(NULL); /* our messages say what it would */
	rx->skeleton = open_skeleton(variant);
	if (!rx->skeleton)
		goto failed;
	configure(rx, options);
	choose_device(rx, ifindex);
	error = rx_bpf__load(rx->skeleton);
	if (!error && variant->hardware_clock && !bound_program_stayed(rx->skeleton->progs.rx))
		error = -EFAULT; /* no way to keep it: by our own clock then */
	if (!error)
		error = rx->skeleton->bss ? map_counters(rx, options)
					  : -ENOMEM; /* libbpf goes on where it cannot map the variables */
	if (!error && are_signed(options))
		error = keep_digests(rx, options->profile);
	if (!error && rx->skeleton->rodata->with_headers)
		error = keep_sent(rx, options);
	if (error)
		goto failed;
	rx_end_trial(rx);
	use_earlier(rx, options); /* before it is attached: of what came first it would be too late */
	*ret = rx;
	return 0;

failed:
	rx_close(rx);
	return error;
}

/* Load it, with a smaller window if need be: kernels differ in how large a value they allow. */
static int load(const struct rx_options *options, const struct variant *variant, int ifindex, struct rx **ret)
{
	uint32_t window = window_of(options);
	int error;

	while ((error = load_with(options, window, variant, ifindex, ret)) && window > RX_WINDOW_USUAL &&
	       (error == -E2BIG || error == -ENOMEM))
		window /= 2;
	return error;
}

/* The first variant that is tried. */
static size_t first_variant(const struct rx_options *options)
{
	return options->hardware_clock ? 0 : options->long_frames ? FIRST_HEADERS : FIRST_SOFTWARE;
}

static enum exit_code load_failed(int error)
{
	if (error == -EPERM)
		return refuse(EXIT_INCAPABLE,
			      "loading the XDP receiver needs CAP_BPF and CAP_NET_ADMIN: run it as root (sudo)");
	return refuse(EXIT_INCAPABLE, "the kernel refuses the XDP receiver: %s (Linux 6.1 or later with BPF is needed)",
		      strerror(-error));
}

enum exit_code rx_load(const struct rx_options *options, struct rx **ret)
{
	int error = load(options, &variants[first_variant(options)], 0, ret);

	return error ? load_failed(error) : EXIT_DONE;
}

void rx_close(struct rx *rx)
{
	if (!rx)
		return;
	if (rx->link_fd >= 0)
		close(rx->link_fd); /* detaches the program */
	if (rx->skeleton)
		unmap_counters(rx);
	rx_bpf__destroy(rx->skeleton);
	free(rx->late_before);
	free(rx->unknown_before);
	free(rx);
}

/* 0 or -errno. */
static int attach(struct rx *rx, int ifindex)
{
	DECLARE_LIBBPF_OPTS(bpf_link_create_opts, options, .flags = rx->variant->mode);
	int fd = bpf_link_create(rx_program_fd(rx), ifindex, BPF_XDP, &options);

	if (fd < 0)
		return -errno;
	rx->link_fd = fd;
	return 0;
}

static bool is_taken(int error)
{
	return error == -EBUSY || error == -EEXIST;
}

static enum exit_code attach_failed(const char *port, int error)
{
	if (is_taken(error))
		return refuse(
			EXIT_UNSAFE,
			"port %s has an XDP program of somebody else's; detach it first ('ip link set dev %s xdp off')",
			port, port);
	return refuse(EXIT_INCAPABLE, "cannot attach the XDP receiver to port %s: %s", port, strerror(-error));
}

/* A receiver on its way to a port: its first variant is loaded, maybe by a thread of its own. */
struct loading {
	const struct rx_plan *plan;
	size_t variant;
	pthread_t thread;
	bool is_apart; /* The thread is running. */
	int error;     /* 0 or -errno, without a message */
	struct rx *rx;
};

static void *load_first(void *context)
{
	struct loading *loading = context;

	loading->error = load(&loading->plan->options, &variants[loading->variant], loading->plan->ifindex, &loading->rx);
	return NULL;
}

static void begin_loading(const struct rx_plan *plan, bool apart, struct loading *loading)
{
	*loading = (struct loading){ .plan = plan, .variant = first_variant(&plan->options) };
	loading->is_apart = apart && !pthread_create(&loading->thread, NULL, load_first, loading);
	if (!loading->is_apart)
		load_first(loading);
}

static void end_loading(struct loading *loading)
{
	if (loading->is_apart)
		pthread_join(loading->thread, NULL);
	loading->is_apart = false;
}

/* Attach what was loaded, or else the best of the variants behind it. */
static enum exit_code attach_best(struct loading *loading, struct rx **ret)
{
	int ifindex = loading->plan->ifindex, native_error = 0;
	const char *port = loading->plan->port;

	for (size_t i = loading->variant; i < VARIANTS; i++) {
		struct rx *rx = loading->rx;
		int error = variants[i].headers && !loading->plan->options.long_frames ? -EOPNOTSUPP
			    : i == loading->variant                                    ? loading->error
						    : load(&loading->plan->options, &variants[i], ifindex, &rx);

		loading->rx = NULL;
		if (error && i == VARIANTS - 1)
			return load_failed(error);
		if (error)
			continue;
		error = attach(rx, ifindex);
		if (!error) {
			if (rx_is_generic(rx))
				warn("port %s: the driver has no native XDP (%s); receiving in generic mode, which is "
				     "slower and may itself lose frames",
				     port, strerror(-native_error));
			*ret = rx;
			return EXIT_DONE;
		}
		rx_close(rx);
		if (is_taken(error) || i == VARIANTS - 1)
			return attach_failed(port, error);
		if (variants[i].mode == XDP_FLAGS_DRV_MODE)
			native_error = error;
	}
	return attach_failed(port, native_error);
}

enum exit_code rx_open_all(const struct rx_plan *plans, size_t count, struct rx *ret[])
{
	owned struct loading *loading = calloc(count, sizeof(*loading));
	enum exit_code code = EXIT_DONE;

	if (!loading)
		return out_of_memory();
	bound_program_expect(); /* before there are threads; whoever needs it asks again */
	for (size_t i = count; i-- > 0;)
		begin_loading(&plans[i], i > 0, &loading[i]);
	for (size_t i = 0; i < count; i++) {
		ret[i] = NULL;
		end_loading(&loading[i]);
		if (!code)
			code = attach_best(&loading[i], &ret[i]);
		rx_close(loading[i].rx);
	}
	return code;
}

bool rx_is_generic(const struct rx *rx)
{
	return rx->variant->mode == XDP_FLAGS_SKB_MODE;
}

bool rx_has_hardware_clock(const struct rx *rx)
{
	return rx->variant->hardware_clock;
}

uint32_t rx_window(const struct rx *rx)
{
	return rx->window;
}

int rx_flow(const struct rx *rx, uint32_t flow, uint32_t *ret_seen, bool *ret_came)
{
	size_t octets = flow_octets(rx), seen_octets = rx->window * sizeof(uint32_t);
	uint32_t key = flow - rx->skeleton->rodata->first_flow, *state = malloc(octets);
	int error = state ? bpf_map__lookup_elem(rx->skeleton->maps.flows, &key, sizeof(key), state, octets, 0) : -ENOMEM;

	if (!error) {
		*ret_came = state[0] == rx->skeleton->bss->generation;
		memcpy(ret_seen, (char *)state + octets - seen_octets, seen_octets);
	}
	free(state);
	return error;
}

int rx_program_fd(const struct rx *rx)
{
	return bpf_program__fd(rx->skeleton->progs.rx);
}

/* --- trials --------------------------------------------------------------------------------------------------------- */

void rx_set_clock_offset(struct rx *rx, int64_t offset_ns)
{
	rx->skeleton->bss->nic_clock_offset_ns = (uint64_t)offset_ns;
}

void rx_set_tag_offset(struct rx *rx, int64_t offset_ns)
{
	rx->skeleton->bss->tag_offset_ns = (uint64_t)offset_ns;
}

void rx_expect_changes(struct rx *rx, unsigned int changes)
{
	rx->skeleton->bss->expected_changes = changes;
}

void rx_end_trial(struct rx *rx)
{
	__atomic_store_n(&rx->skeleton->bss->accepted_trial, NO_TRIAL, __ATOMIC_SEQ_CST);
}

void rx_set_start(struct rx *rx, uint64_t start_ns)
{
	rx->skeleton->bss->start_ns = start_ns;
}

void rx_set_parts(struct rx *rx, uint64_t part_ns, uint64_t numbers_before)
{
	rx->skeleton->bss->part_ns = part_ns;
	rx->skeleton->bss->part_numbers_before = (uint32_t)numbers_before;
}

/* Return the figures of a trial on one CPU. */
static struct rx_interval *intervals_of(const struct rx *rx, uint16_t trial, int cpu)
{
	return rx->intervals + cpu * RX_CPU_INTERVALS + trial % RX_TRIAL_SLOTS * RX_INTERVALS_MAX;
}

static bool is_used(const struct rx *rx, uint32_t trial)
{
	return rx->skeleton->bss->used_trials[trial / 64] >> trial % 64 & 1;
}

/* From the first use of a number on its frames are those of a trial of this run. */
void rx_use_number(struct rx *rx, uint16_t trial)
{
	struct rx_bpf__bss *variables = rx->skeleton->bss;

	if (!is_used(rx, trial))
		rx->unknown_before[trial] = __atomic_load_n(&variables->late_frames[trial], __ATOMIC_RELAXED);
	variables->used_trials[trial / 64] |= UINT64_C(1) << trial % 64;
}

void rx_accept_trial(struct rx *rx, uint16_t trial, uint32_t first_sequence, uint64_t sequence_count)
{
	struct rx_bpf__bss *variables = rx->skeleton->bss;

	rx_end_trial(rx); /* Frames that arrive in between are late; half of the new numbers must not apply to them. */
	for (int i = 0; i < rx->cpu_count; i++) {
		memset(&rx->cpus[i].trials[trial % RX_TRIAL_SLOTS], 0, sizeof(struct rx_trial));
		if (rx->intervals)
			memset(intervals_of(rx, trial, i), 0, RX_INTERVALS_MAX * sizeof(struct rx_interval));
	}
	if (rx->services)
		memset(rx->services, 0, octets_of(rx->skeleton->maps.services));
	if (rx->flow_figures)
		memset(rx->flow_figures, 0, octets_of(rx->skeleton->maps.flow_figures));
	if (rx->parts)
		memset(rx->parts, 0, octets_of(rx->skeleton->maps.parts));
	variables->first_sequence = first_sequence;
	variables->sequence_count = sequence_count < UINT32_MAX ? (uint32_t)sequence_count : UINT32_MAX;
	rx_use_number(rx, trial);
	variables->generation++;
	__atomic_store_n(&variables->accepted_trial, trial, __ATOMIC_SEQ_CST);
}

void rx_capture_anew(struct rx *rx)
{
	rx->skeleton->bss->captured_count = 0;
	memset(rx->skeleton->bss->icmp_errors, 0, sizeof(rx->skeleton->bss->icmp_errors));
	memcpy(rx->late_before, rx->skeleton->bss->late_frames, LATE_OCTETS);
}

struct rx_captured *rx_captured(const struct rx *rx, size_t *ret_count)
{
	uint32_t count = rx->skeleton->bss->captured_count, most = rx->skeleton->rodata->capture_most;
	struct rx_captured *captured;

	count = count < most ? count : most;
	captured = calloc(count + 1, sizeof(*captured));
	for (uint32_t i = 0; captured && i < count; i++)
		bpf_map__lookup_elem(rx->skeleton->maps.captured, &i, sizeof(i), &captured[i], sizeof(*captured), 0);
	*ret_count = count;
	return captured;
}

/* Frames with this number that came when it was not the accepted one. */
static uint32_t stray_frames(const struct rx *rx, uint32_t trial)
{
	return __atomic_load_n(&rx->skeleton->bss->late_frames[trial], __ATOMIC_RELAXED);
}

uint32_t rx_late(const struct rx *rx, uint16_t trial)
{
	return is_used(rx, trial) ? stray_frames(rx, trial) - rx->unknown_before[trial] : 0;
}

/* Return the frames with this trial number that arrived before a trial of this run had it. */
static uint32_t unknown_frames(const struct rx *rx, uint32_t trial, bool in_trial)
{
	uint32_t frames = is_used(rx, trial) ? rx->unknown_before[trial] : stray_frames(rx, trial);
	uint32_t before = in_trial ? rx->late_before[trial] : 0;

	return frames > before ? frames - before : 0;
}

void rx_icmp_errors(const struct rx *rx, struct rx_icmp_error ret[RX_ICMP_ERRORS])
{
	memcpy(ret, rx->skeleton->bss->icmp_errors, sizeof(rx->skeleton->bss->icmp_errors));
}

struct rx_unknown rx_unknown_trials(const struct rx *rx, bool in_trial)
{
	struct rx_unknown unknown = { .frames = 0 };

	for (uint32_t trial = 0; trial < RX_TRIAL_NUMBERS; trial++) {
		uint32_t frames = unknown_frames(rx, trial, in_trial);

		if (!frames)
			continue;
		unknown.numbers++;
		unknown.frames += frames;
		if (frames <= unknown.most_frames)
			continue;
		unknown.most_frames = frames;
		unknown.most = (uint16_t)trial;
	}
	return unknown;
}

void rx_snapshot(const struct rx *rx, struct rx_counters *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < rx->cpu_count; i++) {
		const volatile uint64_t *fields = (const volatile uint64_t *)&rx->cpus[i].counters;

		for (size_t field = 0; field < RX_COUNTER_FIELDS; field++)
			((uint64_t *)ret)[field] += fields[field];
	}
}

void rx_add(struct rx_counters *sum, const struct rx_counters *more)
{
	for (size_t field = 0; field < RX_COUNTER_FIELDS; field++)
		((uint64_t *)sum)[field] += ((const uint64_t *)more)[field];
}

struct rx_counters rx_subtract(const struct rx_counters *after, const struct rx_counters *before)
{
	struct rx_counters difference = *after;

	for (size_t field = 0; field < RX_COUNTER_FIELDS; field++)
		((uint64_t *)&difference)[field] -= ((const uint64_t *)before)[field];
	return difference;
}

/* Return the sum of the counters of these kinds, a bit each. */
static uint64_t sum_of(const struct rx_counters *counters, unsigned int kinds)
{
	uint64_t sum = 0;

#define RX_COUNTER(name, figure, kind, known, meaning) sum += kinds & (kind) ? counters->name : 0;
#define RX_INTERNAL(name, kind, meaning)               sum += kinds & (kind) ? counters->name : 0;
#include "mlr/counters.def"
	return sum;
}

uint64_t rx_ours(const struct rx_counters *counters)
{
	return sum_of(counters, RX_OURS);
}

uint64_t rx_seen(const struct rx_counters *counters)
{
	return sum_of(counters, RX_OURS | RX_BESIDE);
}

uint64_t rx_latency_max_ns(const struct rx *rx, uint16_t trial)
{
	uint64_t max_ns = 0;

	for (int i = 0; i < rx->cpu_count; i++) {
		const volatile uint64_t *here_ns = &rx->cpus[i].trials[trial % RX_TRIAL_SLOTS].latency.max_ns;

		max_ns = *here_ns > max_ns ? *here_ns : max_ns;
	}
	return max_ns;
}

void rx_trial_merge(struct rx_trial *sum, const struct rx_trial *more)
{
	mlr_histogram_merge(&sum->latency, &more->latency);
	mlr_histogram_merge(&sum->variation, &more->variation);
	if (more->reorder_depth_max > sum->reorder_depth_max)
		sum->reorder_depth_max = more->reorder_depth_max;
	if (more->gap_max > sum->gap_max)
		sum->gap_max = more->gap_max;
	if (more->lateness_max > sum->lateness_max)
		sum->lateness_max = more->lateness_max;
	for (size_t i = 0; i < RX_DEPTH_BUCKETS; i++)
		sum->reorder_depths[i] += more->reorder_depths[i];
}

void rx_trial(const struct rx *rx, uint16_t trial, struct rx_trial *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < rx->cpu_count; i++)
		rx_trial_merge(ret, &rx->cpus[i].trials[trial % RX_TRIAL_SLOTS]);
}

/* Add what one CPU counted to delays whose minimum and maximum are set. */
static void add_delays(struct mlr_delays *delays, const struct rx_trial *trial)
{
	for (uint32_t i = 0; i < RX_BASES * MLR_HISTOGRAM_BUCKETS; i++) {
		uint64_t base_ns = trial->relative.bases_ns[i / MLR_HISTOGRAM_BUCKETS];
		uint32_t bucket = i % MLR_HISTOGRAM_BUCKETS;

		if (!trial->relative.buckets[i])
			continue;
		mlr_delays_add(delays, base_ns + mlr_histogram_bucket_start_ns(bucket),
			       base_ns + mlr_histogram_bucket_start_ns(bucket + 1) - 1, trial->relative.buckets[i]);
	}
	for (uint64_t i = 0; i < trial->relative.exact_count; i++)
		mlr_delays_add(delays, trial->relative.exact_ns[i], trial->relative.exact_ns[i], 1);
	for (uint32_t i = 0; i < MLR_HISTOGRAM_BUCKETS; i++)
		if (trial->latency.buckets[i])
			mlr_delays_add(delays, mlr_histogram_bucket_start_ns(i), mlr_histogram_bucket_start_ns(i + 1) - 1,
				       trial->latency.buckets[i]);
}

void rx_delays(const struct rx *rx, uint16_t trial, struct mlr_delays *ret)
{
	uint64_t inverted_min_ns = 0;

	mlr_delays_clear(ret);
	ret->max_ns = rx_latency_max_ns(rx, trial);
	for (int i = 0; i < rx->cpu_count; i++) {
		uint64_t here_ns = rx->cpus[i].trials[trial % RX_TRIAL_SLOTS].latency.inverted_min_ns;

		inverted_min_ns = here_ns > inverted_min_ns ? here_ns : inverted_min_ns;
	}
	ret->min_ns = ~inverted_min_ns;
	for (int i = 0; i < rx->cpu_count; i++)
		add_delays(ret, &rx->cpus[i].trials[trial % RX_TRIAL_SLOTS]);
}

void rx_interval_merge(struct rx_interval *sum, const struct rx_interval *more)
{
	sum->received += more->received;
	sum->timed += more->timed;
	sum->latency_sum_ns += more->latency_sum_ns;
	if (more->latency_max_ns > sum->latency_max_ns)
		sum->latency_max_ns = more->latency_max_ns;
	if (more->latency_inverted_min_ns > sum->latency_inverted_min_ns)
		sum->latency_inverted_min_ns = more->latency_inverted_min_ns;
}

struct rx_interval rx_interval(const struct rx *rx, uint16_t trial, unsigned int interval)
{
	struct rx_interval sum = { 0 };

	for (int i = 0; i < rx->cpu_count && rx->intervals; i++)
		rx_interval_merge(&sum, &intervals_of(rx, trial, i)[interval]);
	return sum;
}

void rx_service(const struct rx *rx, unsigned int service, struct rx_service *ret)
{
	uint32_t count = rx->skeleton->rodata->service_count;

	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < rx->cpu_count && rx->services; i++) {
		const struct rx_service *here = &rx->services[(uint32_t)i * count + service];

		ret->received += here->received;
		mlr_histogram_merge(&ret->latency, &here->latency);
	}
}

struct rx_flow_figures rx_flow_figures(const struct rx *rx, uint32_t flow)
{
	return rx->flow_figures ? rx->flow_figures[flow - rx->skeleton->rodata->first_flow] : (struct rx_flow_figures){ 0 };
}

uint64_t rx_part(const struct rx *rx, unsigned int service, uint32_t part)
{
	return rx->parts ? rx->parts[service * rx->skeleton->rodata->part_count + part] : 0;
}
