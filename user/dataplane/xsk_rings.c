/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/xsk_rings.h"

#include <errno.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef XDP_UMEM_TX_METADATA_LEN
#define XDP_UMEM_TX_METADATA_LEN (1 << 2) /* Linux 6.11; those before look at the length without */
#endif

/* struct xdp_umem_reg as of Linux 6.8; what is the last member here is padding in older headers. */
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
		.flags = XDP_UMEM_TX_METADATA_LEN,
		.metadata_octets = XSK_METADATA_OCTETS,
	};

	if (!setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)))
		return 0;
	if (errno != EINVAL)
		return -errno;
	umem.flags = 0;
	return setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &umem, sizeof(umem)) ? -errno : 0;
}

static int size_rings(int fd, uint32_t entries)
{
	static const int rings[] = { XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_TX_RING };

	for (size_t i = 0; i < sizeof(rings) / sizeof(*rings); i++)
		if (setsockopt(fd, SOL_XDP, rings[i], &entries, sizeof(entries)))
			return -errno;
	return 0;
}

static int map_ring(int fd, size_t octets, off_t which, void **ret)
{
	void *map = mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, which);

	if (map == MAP_FAILED)
		return -errno;
	*ret = map;
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

static int map_rings(struct xsk_rings *rings, const struct xdp_mmap_offsets *offsets, uint32_t entries)
{
	int error;

	rings->fill_octets = offsets->fr.desc + entries * sizeof(uint64_t);
	rings->completion_octets = offsets->cr.desc + entries * sizeof(uint64_t);
	rings->transmit_octets = offsets->tx.desc + entries * sizeof(struct xdp_desc);
	error = map_ring(rings->fd, rings->fill_octets, (off_t)XDP_UMEM_PGOFF_FILL_RING, &rings->fill);
	if (!error)
		error = map_ring(rings->fd, rings->completion_octets, (off_t)XDP_UMEM_PGOFF_COMPLETION_RING,
				 &rings->completion);
	if (!error)
		error = map_ring(rings->fd, rings->transmit_octets, (off_t)XDP_PGOFF_TX_RING, &rings->transmit);
	return error;
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
	*ret_fill = producer_of(rings.fill, &offsets.fr, wish->entries);
	*ret_transmit = producer_of(rings.transmit, &offsets.tx, wish->entries);
	*ret_completion = consumer_of(rings.completion, &offsets.cr, wish->entries);
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
	if (rings->fill)
		munmap(rings->fill, rings->fill_octets);
	if (rings->completion)
		munmap(rings->completion, rings->completion_octets);
	if (rings->transmit)
		munmap(rings->transmit, rings->transmit_octets);
	if (rings->fd > 0)
		close(rings->fd);
	*rings = (struct xsk_rings){ .fd = -1 };
}
