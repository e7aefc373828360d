/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header makes an AF_XDP socket and its UMEM without libxdp's help, so that frames may carry transmit metadata (Linux
 * 6.8). The caller owns the rings; they are opened, bound to a queue, and closed.
 *
 * libxdp 1.3.1 of Debian 12 registers a UMEM without room for metadata. The rings are nevertheless those of its
 * <xdp/xsk.h>, and so are the functions that work on them.
 *
 * The metadata of a frame are the XSK_METADATA_OCTETS before its first octet, if its descriptor says so. They ask the NIC
 * for a departure stamp or a launch time, and hold its answer once the frame is completed.
 */
#pragma once

#include <linux/if_xdp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xdp/xsk.h>

#ifndef XDP_TX_METADATA
#define XDP_TX_METADATA (1 << 1) /* an option of a descriptor */
#endif
#ifndef XDP_TXMD_FLAGS_TIMESTAMP
#define XDP_TXMD_FLAGS_TIMESTAMP (1 << 0)
#endif
#ifndef XDP_TXMD_FLAGS_LAUNCH_TIME
#define XDP_TXMD_FLAGS_LAUNCH_TIME (1 << 2) /* Linux 6.15 */
#endif

/* The struct xsk_tx_metadata of <linux/if_xdp.h> in Linux 6.15. The headers of Debian 12 have none. */
struct xsk_metadata {
	uint64_t flags;
	union {
		struct {
			uint16_t checksum_start, checksum_offset;
			uint64_t launch_time_ns; /* launch time by the NIC's clock */
		} request;
		struct {
			/* Departure by the NIC's clock; by CLOCK_TAI where the kernel stamps in its place. */
			uint64_t sent_ns;
		} completion;
	};
};
#define XSK_METADATA_OCTETS sizeof(struct xsk_metadata)
_Static_assert(XSK_METADATA_OCTETS == 24, "as the kernel has it");

struct xsk_rings {
	int fd; /* the socket; -1: none */
	struct {
		void *at;
		size_t octets;
	} maps[3];
};

/* The sizes to make. */
struct xsk_rings_wish {
	void *area;
	size_t area_octets;
	uint32_t chunk_octets;
	uint32_t entries; /* entries of each ring */
	bool metadata;
};

/* Make a socket with these rings. It is bound to nothing yet. Returns 0 or -errno; -EINVAL if metadata are wanted and the
 * kernel has none. */
int xsk_rings_open(const struct xsk_rings_wish *wish, struct xsk_rings *ret, struct xsk_ring_prod *ret_fill,
		   struct xsk_ring_prod *ret_transmit, struct xsk_ring_cons *ret_completion);
/* Bind it to a queue. The kernel chooses zero-copy if there is any. */
int xsk_rings_bind(const struct xsk_rings *rings, const char *port, uint32_t queue, uint16_t flags);
/* Close the socket. Zeros and a descriptor of -1 are accepted. */
void xsk_rings_close(struct xsk_rings *rings);
