/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/json_value.h"
#include "bpf/shared.h"
#include "lab/sut.h"
#include "netdev/namespace.h"

#define MAP_NAME "policer_counts" /* name of the map in bpf/lab.bpf.c */
#define MAPS_MAX 16               /* most maps of that program */

static int open_program(const char *link)
{
	unsigned int ifindex = if_nametoindex(link);
	uint32_t id = 0;
	int error = ifindex ? bpf_xdp_query_id((int)ifindex, 0, &id) : -ENODEV, fd;

	if (error)
		return error;
	fd = id ? bpf_prog_get_fd_by_id(id) : -ENOENT;
	return fd;
}

/* Read the map if it is the one. -ENOENT: it is another. */
static int read_map(uint32_t id, struct policer_counts *ret)
{
	struct bpf_map_info info = { 0 };
	uint32_t size = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id), error;

	if (fd < 0)
		return fd;
	error = bpf_obj_get_info_by_fd(fd, &info, &size);
	if (!error && (strcmp(info.name, MAP_NAME) != 0 || info.value_size != sizeof(*ret)))
		error = -ENOENT;
	if (!error)
		error = bpf_map_lookup_elem(fd, &(uint32_t){ 0 }, ret);
	close(fd);
	return error;
}

static int read_counts(const char *link, struct policer_counts *ret)
{
	uint32_t maps[MAPS_MAX];
	struct bpf_prog_info info = { .nr_map_ids = MAPS_MAX, .map_ids = (uintptr_t)maps };
	uint32_t size = sizeof(info);
	int fd = open_program(link), error;

	if (fd < 0)
		return fd;
	error = bpf_obj_get_info_by_fd(fd, &info, &size);
	close(fd);
	if (error)
		return error;
	error = -ENOENT;
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS_MAX && error == -ENOENT; i++)
		error = read_map(maps[i], ret);
	return error;
}

/* Read both directions, inside the lab's namespace. */
static int read_both(const char *namespace, struct policer_counts ret[PORT_COUNT])
{
	static const char *const links[PORT_COUNT] = { SUT_PORT_A, SUT_PORT_B };
	int own_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int lab_fd = own_fd < 0 ? -1 : open(namespace, O_RDONLY | O_CLOEXEC);
	int error = lab_fd < 0 || setns(lab_fd, CLONE_NEWNET) ? -errno : 0;

	if (!error) {
		for (int i = 0; i < PORT_COUNT && !error; i++)
			error = read_counts(links[i], &ret[i]);
		namespace_return(own_fd);
	}
	if (lab_fd >= 0)
		close(lab_fd);
	if (own_fd >= 0)
		close(own_fd);
	return error;
}

json_t *policer_counts_json(const char *namespace, const struct lab *lab)
{
	const char *kind = sut_kind_name(SUT_POLICER);
	struct policer_counts counts[PORT_COUNT];
	json_t *both;
	int error;

	if (strncmp(lab->sut, kind, strlen(kind)) != 0)
		return NULL;
	error = read_both(namespace, counts);
	if (error) {
		warn("lab: the counts of '%s' cannot be read: %s", lab->name, why(-error));
		return NULL;
	}
	both = json_array();
	for (int i = 0; i < PORT_COUNT; i++) {
		json_t *json = json_with("from", lab->ports[i], "to", lab->ports[!i]);

		json_put_members(json, &counts[i], passed, dropped, queue_max_frames);
		json_array_append_new(both, json);
	}
	return both;
}
