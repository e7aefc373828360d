/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/xsk_rings.h"

#include <errno.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/exit_code.h"

#ifndef XDP_UMEM_TX_METADATA_LEN
#define XDP_UMEM_TX_METADATA_LEN (1 << 2) /* Linux 6.11; those before look at the length without */
#endif

/* The struct xdp_umem_reg of Linux 6.8. Its last member is padding in older headers. */
struct umem_registration {
	uint64_t address, octets;
	uint32_t chunk_octets, headroom_octets, flags, metadata_octets;
};

static int register_umem(int fd, const struct xsk_rings_wish *wish)
{
	struct umem_registration umem = {
		.address = (uintptr_t)wish->area,
		.octets = wish->area_octets,
		.chunk_octets = wish->chunk_octets,
		.flags = wish->metadata ? XDP_UMEM_TX_METADATA_LEN : 0,
		.metadata_octets = wish->metadata ? XSK_METADATA_OCTETS : 0,
	};

	if (!setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)))
		return 0;
	if (errno != EINVAL || !wish->metadata)
		return -errno;
	umem.flags = 0;
	return setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) ? -errno : 0;
}

enum { FILL, COMPLETION, TRANSMIT };

/* The number of each ring to the kernel, and where the kernel describes it. */
static const struct {
	int size_option;
	off_t place;
	size_t entry_octets, offset; /* the latter in struct xdp_mmap_offsets */
} kinds[] = {
	[FILL] = { XDP_UMEM_FILL_RING, (off_t)XDP_UMEM_PGOFF_FILL_RING, sizeof(uint64_t),
		   offsetof(struct xdp_mmap_offsets, fr) },
	[COMPLETION] = { XDP_UMEM_COMPLETION_RING, (off_t)XDP_UMEM_PGOFF_COMPLETION_RING, sizeof(uint64_t),
			 offsetof(struct xdp_mmap_offsets, cr) },
	[TRANSMIT] = { XDP_TX_RING, (off_t)XDP_PGOFF_TX_RING, sizeof(struct xdp_desc),
		       offsetof(struct xdp_mmap_offsets, tx) },
};

static int size_rings(int fd, uint32_t entries)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (setsockopt(fd, SOL_XDP, kinds[i].size_option, &entries, sizeof(entries)))
			return -errno;
	return 0;
}

static int map_rings(struct xsk_rings *rings, const struct xdp_mmap_offsets *offsets, uint32_t entries)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct xdp_ring_offset *offset = (const void *)((const char *)offsets + kinds[i].offset);
		size_t octets = offset->desc + entries * kinds[i].entry_octets;
		void *map = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, rings->fd, kinds[i].place);

		if (map == MAP_FAILED)
			return -errno;
		madvise(map, octets, MADV_DONTFORK); /* The mapping would keep the socket open in another process. */
		rings->maps[i].at = map;
		rings->maps[i].octets = octets;
	}
	return 0;
}

static struct xsk_ring_prod producer_of(char *map, const struct xdp_ring_offset *offset, uint32_t entries)
{
	return (struct xsk_ring_prod){
		.cached_cons = entries,
		.mask = entries - 1,
		.size = entries,
		.producer = (uint32_t *)(void *)(map + offset->producer),
		.consumer = (uint32_t *)(void *)(map + offset->consumer),
		.flags = (uint32_t *)(void *)(map + offset->flags),
		.ring = map + offset->desc,
	};
}

static struct xsk_ring_cons consumer_of(char *map, const struct xdp_ring_offset *offset, uint32_t entries)
{
	return (struct xsk_ring_cons){
		.mask = entries - 1,
		.size = entries,
		.producer = (uint32_t *)(void *)(map + offset->producer),
		.consumer = (uint32_t *)(void *)(map + offset->consumer),
		.flags = (uint32_t *)(void *)(map + offset->flags),
		.ring = map + offset->desc,
	};
}

int xsk_rings_open(const struct xsk_rings_wish *wish, struct xsk_rings *ret, struct xsk_ring_prod *ret_fill,
		   struct xsk_ring_prod *ret_transmit, struct xsk_ring_cons *ret_completion)
{
	struct xsk_rings rings = { .fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0) };
	struct xdp_mmap_offsets offsets;
	socklen_t size = sizeof(offsets);
	int error = rings.fd < 0 ? -errno : register_umem(rings.fd, wish);

	if (!error)
		error = size_rings(rings.fd, wish->entries);
	if (!error && getsockopt(rings.fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size))
		error = -errno;
	if (!error)
		error = map_rings(&rings, &offsets, wish->entries);
	if (error) {
		xsk_rings_close(&rings);
		return error;
	}
	*ret = rings;
	*ret_fill = producer_of(rings.maps[FILL].at, &offsets.fr, wish->entries);
	*ret_completion = consumer_of(rings.maps[COMPLETION].at, &offsets.cr, wish->entries);
	*ret_transmit = producer_of(rings.maps[TRANSMIT].at, &offsets.tx, wish->entries);
	return 0;
}

int xsk_rings_bind(const struct xsk_rings *rings, const char *port, uint32_t queue, uint16_t flags)
{
	const struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_ifindex = if_nametoindex(port),
		.sxdp_queue_id = queue,
	};

	return bind(rings->fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

void xsk_rings_close(struct xsk_rings *rings)
{
	for (size_t i = 0; i < COUNT(rings->maps); i++)
		if (rings->maps[i].at)
			munmap(rings->maps[i].at, rings->maps[i].octets);
	if (rings->fd > 0)
		close(rings->fd);
	*rings = (struct xsk_rings){ .fd = -1 };
}
