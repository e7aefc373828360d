/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rx.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rx.skel.h"

/* Sequence slots of all flows together: a flow alone remembers 65 536 frames, a million of them 16 each. */
#define WINDOW_SLOTS (1u << 24)
#define WINDOW_MAX   (1u << 16)
#define WINDOW_MIN   (1u << 4)

struct rx {
	struct rx_bpf *skeleton;
	int link_fd; /* -1: not attached */
	int cpu_count;
	void *values; /* one map value a CPU, of the larger kind */
	bool generic;
};

static uint32_t window_of(uint32_t flow_count)
{
	uint32_t window = WINDOW_MAX;

	while (window > WINDOW_MIN && (uint64_t)window * flow_count > WINDOW_SLOTS)
		window /= 2;
	return window;
}

static enum exit_code load_failed(int error)
{
	if (error == -EPERM)
		return refuse(EXIT_INCAPABLE,
			      "loading the XDP receiver needs CAP_BPF and CAP_NET_ADMIN: run it as root (sudo)");
	return refuse(EXIT_INCAPABLE, "the kernel refuses the XDP receiver: %s (Linux 6.1 or later with BPF is needed)",
		      strerror(-error));
}

enum exit_code rx_load(uint32_t first_flow, uint32_t flow_count, struct rx **ret)
{
	struct rx *rx = calloc(1, sizeof(*rx));
	uint32_t window = window_of(flow_count);
	int error = -ENOMEM;

	if (!rx)
		goto failed;
	rx->link_fd = -1;
	libbpf_set_print(NULL); /* our messages say what it would */
	rx->cpu_count = libbpf_num_possible_cpus();
	rx->values = calloc((size_t)rx->cpu_count, sizeof(struct mlr_histogram));
	rx->skeleton = rx_bpf__open();
	if (!rx->values || !rx->skeleton)
		goto failed;
	rx->skeleton->rodata->first_flow = first_flow;
	rx->skeleton->rodata->flow_count = flow_count;
	rx->skeleton->rodata->window_mask = window - 1;
	bpf_map__set_max_entries(rx->skeleton->maps.next_sequence, flow_count);
	bpf_map__set_max_entries(rx->skeleton->maps.seen, flow_count * window);
	error = rx_bpf__load(rx->skeleton);
	if (error)
		goto failed;
	*ret = rx;
	return EXIT_DONE;

failed:
	rx_close(rx);
	return load_failed(error);
}

void rx_close(struct rx *rx)
{
	if (!rx)
		return;
	if (rx->link_fd >= 0)
		close(rx->link_fd); /* detaches the program */
	rx_bpf__destroy(rx->skeleton);
	free(rx->values);
	free(rx);
}

/* Attach in one mode: the file descriptor of the link, or -errno. */
static int attach(const struct rx *rx, int ifindex, uint32_t mode)
{
	DECLARE_LIBBPF_OPTS(bpf_link_create_opts, options, .flags = mode);
	int fd = bpf_link_create(rx_program_fd(rx), ifindex, BPF_XDP, &options);

	return fd < 0 ? -errno : fd;
}

static enum exit_code attach_failed(const char *port, int error)
{
	if (error == -EBUSY || error == -EEXIST)
		return refuse(
			EXIT_UNSAFE,
			"port %s has an XDP program of somebody else's; detach it first ('ip link set dev %s xdp off')",
			port, port);
	return refuse(EXIT_INCAPABLE, "cannot attach the XDP receiver to port %s: %s", port, strerror(-error));
}

enum exit_code rx_open(int ifindex, const char *port, uint32_t first_flow, uint32_t flow_count, struct rx **ret)
{
	struct rx *rx;
	enum exit_code code = rx_load(first_flow, flow_count, &rx);
	int native_error;

	if (code)
		return code;
	rx->link_fd = native_error = attach(rx, ifindex, XDP_FLAGS_DRV_MODE);
	if (rx->link_fd < 0 && native_error != -EBUSY && native_error != -EEXIST) {
		rx->link_fd = attach(rx, ifindex, XDP_FLAGS_SKB_MODE);
		rx->generic = rx->link_fd >= 0;
	}
	if (rx->link_fd < 0) {
		code = attach_failed(port, rx->link_fd);
		rx_close(rx);
		return code;
	}
	if (rx->generic)
		warn("port %s: the driver has no native XDP (%s); receiving in generic mode, which is slower and may itself "
		     "lose frames",
		     port, strerror(-native_error));
	*ret = rx;
	return EXIT_DONE;
}

bool rx_is_generic(const struct rx *rx)
{
	return rx->generic;
}

int rx_program_fd(const struct rx *rx)
{
	return bpf_program__fd(rx->skeleton->progs.rx);
}

static enum exit_code map_failed(const char *what, int error)
{
	return refuse(EXIT_INVALID, "cannot %s the receiver's counters: %s", what, strerror(-error));
}

enum exit_code rx_accept_trial(struct rx *rx, uint16_t trial, uint32_t first_sequence, uint64_t sequence_count)
{
	uint32_t slot = trial % RX_LATENCY_SLOTS;
	int error;

	memset(rx->values, 0, (size_t)rx->cpu_count * sizeof(struct mlr_histogram));
	error = bpf_map_update_elem(bpf_map__fd(rx->skeleton->maps.latency), &slot, rx->values, BPF_ANY);
	if (error)
		return map_failed("clear", error);
	rx->skeleton->bss->first_sequence = first_sequence;
	rx->skeleton->bss->sequence_count = sequence_count < UINT32_MAX ? (uint32_t)sequence_count : UINT32_MAX;
	rx->skeleton->bss->accepted_trial = trial; /* last: until now all frames are late */
	return EXIT_DONE;
}

enum exit_code rx_snapshot(struct rx *rx, struct rx_counters *ret)
{
	const struct rx_counters *cpu = rx->values;
	uint64_t sum[RX_COUNTER_FIELDS] = { 0 };
	uint32_t key = 0;
	int error = bpf_map_lookup_elem(bpf_map__fd(rx->skeleton->maps.counters), &key, rx->values);

	if (error)
		return map_failed("read", error);
	for (int i = 0; i < rx->cpu_count; i++) {
		uint64_t fields[RX_COUNTER_FIELDS];

		memcpy(fields, &cpu[i], sizeof(fields));
		for (size_t field = 0; field < RX_COUNTER_FIELDS; field++)
			sum[field] += fields[field];
	}
	memcpy(ret, sum, sizeof(*ret));
	return EXIT_DONE;
}

struct rx_counters rx_subtract(const struct rx_counters *after, const struct rx_counters *before)
{
	uint64_t a[RX_COUNTER_FIELDS], b[RX_COUNTER_FIELDS];
	struct rx_counters difference;

	memcpy(a, after, sizeof(a));
	memcpy(b, before, sizeof(b));
	for (size_t field = 0; field < RX_COUNTER_FIELDS; field++)
		a[field] -= b[field];
	memcpy(&difference, a, sizeof(difference));
	return difference;
}

enum exit_code rx_latency(struct rx *rx, uint16_t trial, struct mlr_histogram *ret)
{
	const struct mlr_histogram *cpu = rx->values;
	uint32_t slot = trial % RX_LATENCY_SLOTS;
	int error = bpf_map_lookup_elem(bpf_map__fd(rx->skeleton->maps.latency), &slot, rx->values);

	if (error)
		return map_failed("read", error);
	*ret = (struct mlr_histogram){ 0 };
	for (int i = 0; i < rx->cpu_count; i++)
		mlr_histogram_merge(ret, &cpu[i]);
	return EXIT_DONE;
}
