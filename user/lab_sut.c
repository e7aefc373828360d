/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab_sut.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "bpf/shared.h"
#include "netlink.h"
#include "units.h"

#include "lab.skel.h" /* after the types that it uses */

#define POLICER_BURST_DEFAULT_S 100e-6
#define GATEWAY_PREFIX_LENGTH   24
#define Q16                     65536.0
#define NS_PER_S_F              1e9

/* The links inside the namespace. */
struct sut_links {
	struct mnl_socket *netlink;
	int ifindex[PORT_COUNT];
};

static const char *const link_names[PORT_COUNT] = { SUT_PORT_A, SUT_PORT_B };

/* --- the specification ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum sut_kind kind;
	bool has_parameters;
} kinds[] = {
	{ "router", SUT_ROUTER, false },  { "bridge", SUT_BRIDGE, false }, { "xdp", SUT_XDP, false },
	{ "policer", SUT_POLICER, true }, { "wire", SUT_WIRE, false },
};

static enum exit_code read_parameter(const char *key, const char *value, struct sut_spec *sut)
{
	struct load_spec rate;

	if (!value)
		return refuse(EXIT_USAGE_ERROR, "--sut: '%s' of the policer needs a value: %s=...", key, key);
	if (!strcmp(key, "rate")) {
		if (!parse_load(value, &rate) || rate.unit != LOAD_FPS || rate.value <= 0.0)
			return refuse(EXIT_USAGE_ERROR,
				      "--sut: rate=%s is not a rate above 0 in frames/s; write rate=200000 or rate=200kfps",
				      value);
		sut->rate_fps = rate.value;
	} else if (!strcmp(key, "burst")) {
		if (!parse_duration(value, &sut->burst_s) || sut->burst_s < 0.0 || sut->burst_s > 1.0)
			return refuse(EXIT_USAGE_ERROR, "--sut: burst=%s is not a time from 0 to 1 s; write burst=100us",
				      value);
	} else {
		return refuse(EXIT_USAGE_ERROR, "--sut: the policer has no '%s'; it has rate=FPS and burst=TIME", key);
	}
	return EXIT_DONE;
}

static enum exit_code read_parameters(char *parameters, struct sut_spec *sut)
{
	char *rest = parameters, *parameter;

	sut->burst_s = POLICER_BURST_DEFAULT_S;
	while ((parameter = strsep(&rest, ","))) {
		char *value = strchr(parameter, '=');
		enum exit_code code;

		if (value)
			*value++ = '\0';
		code = read_parameter(parameter, value, sut);
		if (code)
			return code;
	}
	if (sut->rate_fps <= 0.0)
		return refuse(EXIT_USAGE_ERROR, "--sut: the policer needs its rate: policer:rate=200kfps");
	return EXIT_DONE;
}

enum exit_code sut_parse(const char *text, struct sut_spec *ret)
{
	struct sut_spec sut = { 0 };
	char copy[LAB_SUT_SIZE], *parameters = copy, *kind;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return refuse(EXIT_USAGE_ERROR, "--sut: more than %d characters", LAB_SUT_SIZE - 1);
	memcpy(sut.text, copy, sizeof(sut.text));
	kind = strsep(&parameters, ":");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		enum exit_code code = EXIT_DONE;

		if (strcmp(kind, kinds[i].name))
			continue;
		sut.kind = kinds[i].kind;
		if (parameters && !kinds[i].has_parameters)
			return refuse(EXIT_USAGE_ERROR, "--sut: a %s takes no parameters, '%s' was given", kind, parameters);
		if (kinds[i].has_parameters)
			code = read_parameters(parameters, &sut);
		if (!code)
			*ret = sut;
		return code;
	}
	return refuse(EXIT_USAGE_ERROR,
		      "--sut: there is no SUT '%s'; there are router, bridge, xdp, policer:rate=FPS,burst=TIME and wire",
		      kind);
}

/* --- inside the namespace ------------------------------------------------------------------------------------------- */

static enum exit_code failed(const char *what, int error)
{
	return refuse(EXIT_INCAPABLE, "lab: cannot %s: %s", what, why(-error));
}

enum exit_code sysctl_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0 && errno == ENOENT)
		return EXIT_DONE; /* a kernel without IPv6 has nothing to switch off */
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	return error ? refuse(EXIT_INCAPABLE, "lab: cannot set %s to %s: %s", path, value, why(error)) : EXIT_DONE;
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
	char path[96], mask[64];

	/* a CPU mask: hexadecimal words of 32 bits, highest first */
	snprintf(mask, sizeof(mask), "%lx", 1ul << ((cpu_count - 1) % 32));
	for (long word = (cpu_count - 1) / 32; word > 0 && strlen(mask) + 10 < sizeof(mask); word--)
		strcat(mask, ",00000000");
	snprintf(path, sizeof(path), "class/net/%s/queues/rx-0/rps_cpus", link);
	if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) ||
	    (sysfs = fsmount(context, FSMOUNT_CLOEXEC, 0)) < 0 || (fd = openat(sysfs, path, O_WRONLY | O_CLOEXEC)) < 0 ||
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
		/* what was resolved stays so for an hour: a probe that is lost under overload must not stop forwarding */
		snprintf(path, sizeof(path), "/proc/sys/net/ipv4/neigh/%s/base_reachable_time_ms", link_names[i]);
		code = sysctl_write(path, "3600000");
		if (!code)
			code = steer_to_last_cpu(link_names[i]);
	}
	return code;
}

static enum exit_code build_bridge(const struct sut_links *links)
{
	struct link_info bridge;
	enum exit_code code = EXIT_DONE;
	int error = netlink_add_bridge(links->netlink, "bridge");

	if (!error)
		error = netlink_link(links->netlink, "bridge", &bridge);
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

/* Attach a program to one link, sending to the other. By netlink, not by bpf_link: the lab outlives this process. */
static int attach_program(const struct sut_spec *sut, int in_ifindex, int out_ifindex)
{
	struct lab_bpf *skeleton = lab_bpf__open();
	const struct bpf_program *program;
	int error;

	if (!skeleton)
		return -errno;
	skeleton->rodata->out_ifindex = (uint32_t)out_ifindex;
	if (sut->kind == SUT_POLICER) {
		skeleton->rodata->policer.interval_q16_ns = (uint64_t)(NS_PER_S_F * Q16 / sut->rate_fps + 0.5);
		skeleton->rodata->policer.burst_ns = (uint64_t)(sut->burst_s * NS_PER_S_F + 0.5);
	}
	program = sut->kind == SUT_POLICER ? skeleton->progs.police : skeleton->progs.forward;
	error = lab_bpf__load(skeleton);
	if (!error)
		error = bpf_xdp_attach(in_ifindex, bpf_program__fd(program), XDP_FLAGS_DRV_MODE, NULL);
	lab_bpf__destroy(skeleton); /* the link holds the program, the program its maps */
	return error;
}

static enum exit_code build_programs(const struct sut_spec *sut, const struct sut_links *links)
{
	int error = 0;

	libbpf_set_print(NULL);
	for (int i = 0; i < PORT_COUNT && !error; i++)
		error = attach_program(sut, links->ifindex[i], links->ifindex[!i]);
	return error ? failed("attach the XDP programs of the SUT", error) : EXIT_DONE;
}

static enum exit_code build_on(const struct sut_spec *sut, struct sut_links *links)
{
	int error = 0;

	for (int i = 0; i < PORT_COUNT && !error; i++) {
		struct link_info link;

		error = netlink_link(links->netlink, link_names[i], &link);
		if (!error)
			error = netlink_set_up(links->netlink, links->ifindex[i] = link.ifindex);
	}
	if (error)
		return failed("bring up the SUT's links", error);
	switch (sut->kind) {
	case SUT_ROUTER:
		return build_router(links);
	case SUT_BRIDGE:
		return build_bridge(links);
	case SUT_XDP:
	case SUT_POLICER:
		return build_programs(sut, links);
	case SUT_WIRE:
		break; /* has no namespace */
	}
	return EXIT_DONE;
}

enum exit_code sut_build(const struct sut_spec *sut)
{
	struct sut_links links;
	int error = netlink_open(&links.netlink);
	enum exit_code code;

	if (error)
		return failed("open a netlink socket", error);
	code = build_on(sut, &links);
	netlink_close(links.netlink);
	return code;
}
