/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/sut.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/files.h"
#include "bpf/shared.h"
#include "lab/command.h"
#include "lab/delay.h"
#include "mlr/plr.h"
#include "netdev/ethtool.h"
#include "netdev/netlink.h"

#include "lab.skel.h" /* included after the types that it uses */

#define GATEWAY_PREFIX_LENGTH 24
#define Q16                   65536.0
#define NS_PER_S_F            1e9
#define MFPS_PER_FPS          1000
#define QUEUED_MAX_Q16        0x1p62 /* 19 h; so that a sum of two fits */
#define VLAN_ID_MASK          0xfffu
#define VLAN_PRIORITY_SHIFT   13
#define CURVE_SPREADS         40.0 /* reach of the curve of a stretch SUT, each way: e^-40 is no loss */

/* The links inside the namespace. */
struct sut_links {
	struct mnl_socket *netlink;
	int ifindex[PORT_COUNT];
};

static const char *const link_names[PORT_COUNT] = { SUT_PORT_A, SUT_PORT_B };

/* --- inside the namespace ------------------------------------------------------------------------------------------- */

static enum exit_code failed(const char *what, int error)
{
	return refuse(EXIT_INCAPABLE, "lab: cannot %s: %s", what, why(-error));
}

enum exit_code sysctl_write(const char *path, const char *value)
{
	int error = file_set(path, value);

	if (!error || error == -ENOENT)
		return EXIT_DONE; /* a kernel without IPv6 has nothing to switch off */
	return refuse(EXIT_INCAPABLE, "lab: cannot set %s to %s: %s", path, value, why(-error));
}

/*
 * Give the SUT a core and a backlog of its own: received frames of sut-a go to the last CPU (receive packet steering), where
 * they queue, and where they are lost when that CPU does not keep up. Without it the SUT runs inside the sender's own system
 * call and slows the sender down instead. The file is in the sysfs of this namespace, mounted nowhere.
 */
static enum exit_code steer_to_last_cpu(const char *link)
{
	long cpu_count = sysconf(_SC_NPROCESSORS_ONLN);
	int context = fsopen("sysfs", FSOPEN_CLOEXEC), sysfs = -1, fd = -1, error = 0;
	char mask[64];

	/* This is a CPU mask: hexadecimal words of 32 bits, the highest first. */
	snprintf(mask, sizeof(mask), "%lx", 1ul << ((cpu_count - 1) % 32));
	for (long word = (cpu_count - 1) / 32; word > 0 && strlen(mask) + 10 < sizeof(mask); word--)
		strcat(mask, ",00000000");
	if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) ||
	    (sysfs = fsmount(context, FSMOUNT_CLOEXEC, 0)) < 0 ||
	    (fd = openat(sysfs, TEXT_OF(96, "class/net/%s/queues/rx-0/rps_cpus", link), O_WRONLY | O_CLOEXEC)) < 0 ||
	    write(fd, mask, strlen(mask)) < 0)
		error = -errno;
	if (fd >= 0)
		close(fd);
	if (sysfs >= 0)
		close(sysfs);
	if (context >= 0)
		close(context);
	if (cpu_count < 2)
		warn("lab: this machine has one CPU, which the SUT shares with the tester: overload shows as unsent frames");
	return error ? failed("steer the SUT's frames to a CPU of their own", error) : EXIT_DONE;
}

static enum exit_code build_router(const struct sut_links *links)
{
	static const char *const gateways[PORT_COUNT] = { "198.18.0.1", "198.19.0.1" };
	char path[96];
	enum exit_code code = sysctl_write("/proc/sys/net/ipv4/ip_forward", "1");

	for (int i = 0; i < PORT_COUNT && !code; i++) {
		struct in_addr address;
		int error;

		inet_pton(AF_INET, gateways[i], &address);
		error = netlink_add_address(links->netlink, links->ifindex[i], address, GATEWAY_PREFIX_LENGTH);
		if (error)
			return failed("give the router its addresses", error);
		/* Resolved neighbours stay so for an hour: a probe that is lost under overload must not stop forwarding. */
		snprintf(path, sizeof(path), "/proc/sys/net/ipv4/neigh/%s/base_reachable_time_ms", link_names[i]);
		code = sysctl_write(path, "3600000") ?: steer_to_last_cpu(link_names[i]);
	}
	return code;
}

static enum exit_code build_bridge(const struct sut_links *links)
{
	struct link_info bridge;
	enum exit_code code = EXIT_DONE;
	int error = netlink_add_bridge(links->netlink, "bridge") ?: netlink_link(links->netlink, "bridge", &bridge);

	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = netlink_set_master(links->netlink, links->ifindex[i], bridge.ifindex);
	if (!error)
		error = netlink_set_up(links->netlink, bridge.ifindex);
	if (error)
		return failed("build the bridge", error);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = steer_to_last_cpu(link_names[i]);
	return code;
}

/* --- SUTs that are XDP programs ------------------------------------------------------------------------------------- */

static uint64_t q16_ns(double span_s)
{
	return (uint64_t)fmin(span_s * NS_PER_S_F * Q16 + 0.5, QUEUED_MAX_Q16);
}

void sut_policer(const struct sut_spec *sut, struct policer_config *ret)
{
	*ret = (struct policer_config){ .interval_q16_ns = q16_ns(1.0 / sut->rate_fps),
					.wall_clock = sut->wall_clock > 0,
					.any_udp = sut->any_udp > 0 };
	ret->burst_q16_ns =
		sut->depth_frames < 0 ? q16_ns(sut->burst_s) : (uint64_t)sut->depth_frames * ret->interval_q16_ns;
	if (sut->vlan >= 0) {
		ret->control |= (uint32_t)sut->vlan;
		ret->control_mask |= VLAN_ID_MASK;
	}
	if (sut->priority >= 0) {
		ret->control |= (uint32_t)sut->priority << VLAN_PRIORITY_SHIFT;
		ret->control_mask |= 7u << VLAN_PRIORITY_SHIFT;
	}
}

/* Return the ratio that PLRsearch's stretch function gives at a load, 0.64 fixed point. */
static uint64_t loss_ratio_q64(const struct sut_spec *sut, uint64_t load_mfps)
{
	double load_fps = (double)load_mfps / MFPS_PER_FPS;
	double ratio = exp(mlr_plr_log_loss_rate(MLR_PLR_STRETCH, load_fps, sut->critical_fps, sut->spread_fps)) / load_fps;

	return ratio < 1.0 ? (uint64_t)(ratio * 0x1p64) : UINT64_MAX;
}

void sut_stretch_curve(const struct sut_spec *sut, unsigned int direction, struct stretch_config *ret)
{
	double low_fps = sut->critical_fps - CURVE_SPREADS * sut->spread_fps;
	double high_fps = sut->critical_fps + CURVE_SPREADS * sut->spread_fps;

	if (low_fps < 0.0)
		low_fps = 0.0;
	ret->low_mfps = (uint64_t)(low_fps * MFPS_PER_FPS);
	ret->step_mfps = (uint64_t)ceil((high_fps - low_fps) * MFPS_PER_FPS / STRETCH_STEPS);
	ret->critical_mfps = (uint64_t)(sut->critical_fps * MFPS_PER_FPS);
	ret->seed = (uint64_t)sut->seed << 1 | direction; /* the sequence of another direction is another one */
	for (uint64_t i = 0; i <= STRETCH_STEPS; i++) {
		uint64_t load_mfps = ret->low_mfps + i * ret->step_mfps;

		ret->loss_ratio_q64[i] = load_mfps ? loss_ratio_q64(sut, load_mfps) : 0;
	}
}

static const struct bpf_program *program_of(const struct lab_bpf *skeleton, enum sut_kind kind)
{
	switch (kind) {
	case SUT_POLICER:
		return skeleton->progs.police;
	case SUT_STRETCH:
		return skeleton->progs.stretch;
	case SUT_DELAY:
		return skeleton->progs.hand_over;
	default:
		return skeleton->progs.forward;
	}
}

/* The loaded programs of one direction: out of the link of port `from`, into the other one. */
static int load_programs(const struct sut_spec *sut, const int ifindex[PORT_COUNT], int from, struct lab_bpf **ret)
{
	struct lab_bpf *skeleton = lab_bpf__open();
	int error;

	if (!skeleton)
		return -errno;
	skeleton->rodata->out_ifindex = (uint32_t)ifindex[!from];
	if (sut->kind == SUT_POLICER)
		sut_policer(sut, &skeleton->rodata->policer);
	if (sut->kind == SUT_STRETCH)
		sut_stretch_curve(sut, (unsigned int)from, &skeleton->rodata->curve);
	error = lab_bpf__load(skeleton);
	if (error)
		lab_bpf__destroy(skeleton);
	else
		*ret = skeleton;
	return error;
}

/*
 * Attach a program to the link of port `from`, sending to the other one, or for SUT_DELAY into `socket_fd`. By netlink, not
 * by bpf_link: the lab outlives this process.
 */
static int attach_program(const struct sut_spec *sut, const struct sut_links *links, int from, int socket_fd)
{
	struct lab_bpf *skeleton;
	int error = load_programs(sut, links->ifindex, from, &skeleton);

	if (error)
		return error;
	if (socket_fd >= 0)
		error = bpf_map_update_elem(bpf_map__fd(skeleton->maps.forwarder), &(uint32_t){ 0 }, &socket_fd, BPF_ANY);
	if (!error)
		error = bpf_xdp_attach(links->ifindex[from], bpf_program__fd(program_of(skeleton, sut->kind)),
				       XDP_FLAGS_DRV_MODE, NULL);
	lab_bpf__destroy(skeleton); /* the link holds the program, the program its maps */
	return error;
}

static enum exit_code build_programs(const struct sut_spec *sut, const struct sut_links *links,
				     const int socket_fds[PORT_COUNT])
{
	int error = 0;

	libbpf_set_print(NULL);
	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = attach_program(sut, links, i, socket_fds ? socket_fds[i] : -1);
	return error ? failed("attach the XDP programs of the SUT", error) : EXIT_DONE;
}

struct sut_attachment {
	struct lab_bpf *skeletons[PORT_COUNT];
	struct bpf_link *links[PORT_COUNT];
};

bool sut_is_program(const struct sut_spec *sut)
{
	return sut->kind == SUT_XDP || sut->kind == SUT_POLICER || sut->kind == SUT_STRETCH;
}

/* Attach in native mode if the driver has it, otherwise in generic mode, as the kernel chooses. */
static int attach_link(const struct sut_spec *sut, const int ifindex[PORT_COUNT], int from,
		       struct sut_attachment *attachment)
{
	int error = load_programs(sut, ifindex, from, &attachment->skeletons[from]);

	if (error)
		return error;
	attachment->links[from] = bpf_program__attach_xdp(
		(struct bpf_program *)program_of(attachment->skeletons[from], sut->kind), ifindex[from]);
	return attachment->links[from] ? 0 : -errno;
}

enum exit_code sut_attach(const struct sut_spec *sut, const int ifindex[PORT_COUNT], struct sut_attachment **ret)
{
	struct sut_attachment *attachment = calloc(1, sizeof(*attachment));
	int error = attachment ? 0 : -ENOMEM;

	libbpf_set_print(NULL);
	for (int from = 0; from < PORT_COUNT && !error; from++)
		error = attach_link(sut, ifindex, from, attachment);
	if (error) {
		sut_detach(attachment);
		return failed("attach the XDP programs of the SUT", error);
	}
	*ret = attachment;
	return EXIT_DONE;
}

void sut_detach(struct sut_attachment *attachment)
{
	for (int i = 0; attachment && i < PORT_COUNT; i++) {
		bpf_link__destroy(attachment->links[i]);
		lab_bpf__destroy(attachment->skeletons[i]);
	}
	free(attachment);
}

static enum exit_code build_delay(const struct sut_spec *sut, const struct sut_links *links, pid_t *ret_forwarder)
{
	struct delay *delay;
	int socket_fds[PORT_COUNT];
	int error = delay_open(link_names, (uint64_t)(sut->delay_us * 1000.0 + 0.5), &delay);
	enum exit_code code;

	if (error)
		return refuse(EXIT_INCAPABLE, "lab: cannot open the AF_XDP sockets of the SUT: %s", why_not_locked(-error));
	delay_sockets(delay, socket_fds);
	code = build_programs(sut, links, socket_fds);
	if (!code && (error = delay_fork(delay, ret_forwarder)))
		code = failed("start the process of the SUT", error);
	delay_close(delay);
	return code;
}

/* --- any ------------------------------------------------------------------------------------------------------------ */

/* Without a program of its own, a veth takes redirected frames (--tx live) only with generic receive offload on. */
static int take_redirected_frames(const struct sut_links *links)
{
	struct ethtool *ethtool;
	int error = ethtool_open(&ethtool);

	if (error)
		return error;
	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = ethtool_set_feature(ethtool, links->ifindex[i], "rx-gro", true);
	ethtool_close(ethtool);
	return error;
}

static enum exit_code build_on(const struct sut_spec *sut, struct sut_links *links, pid_t *ret_forwarder)
{
	int error = 0;

	for (int i = 0; i < PORT_COUNT && !error; i++) {
		struct link_info link;

		error = netlink_link(links->netlink, link_names[i], &link);
		if (!error)
			error = netlink_set_up(links->netlink, links->ifindex[i] = link.ifindex);
	}
	if (!error)
		error = take_redirected_frames(links);
	if (error)
		return failed("bring up the SUT's links", error);
	switch (sut->kind) {
	case SUT_ROUTER:
		return build_router(links);
	case SUT_BRIDGE:
		return build_bridge(links);
	case SUT_XDP:
	case SUT_POLICER:
	case SUT_STRETCH:
		return build_programs(sut, links, NULL);
	case SUT_DELAY:
		return build_delay(sut, links, ret_forwarder);
	case SUT_EXEC:
		return command_start(sut_command(sut), ret_forwarder);
	case SUT_WIRE:
	case SUT_KINDS:
		break; /* a wire has no namespace */
	}
	return EXIT_DONE;
}

enum exit_code sut_build(const struct sut_spec *sut, pid_t *ret_forwarder)
{
	struct sut_links links;
	int error = netlink_open(&links.netlink);
	enum exit_code code;

	if (error)
		return failed("open a netlink socket", error);
	code = build_on(sut, &links, ret_forwarder);
	netlink_close(links.netlink);
	return code;
}
