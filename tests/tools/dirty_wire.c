/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wire from a link to a VXLAN device of this machine, on which some frames are damaged: dirty_wire LINK ADDRESS EVERY
 *
 * What arrives at LINK goes to port 4789 of ADDRESS, as VNI 1. One test frame in EVERY (0: none) says that it met congestion, around an IP
 * packet that cannot have. The device counts it in rx_errors and rx_frame_errors and nobody sees it, as a NIC does with a frame whose CRC
 * is wrong.
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define VXLAN_PORT   4789
#define VXLAN_OCTETS 8
#define FRAME_MOST   16384
#define BUFFER       (64 << 20)
#define CONGESTED    3 /* ECN: CE */

static int open_link(const char *name)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(name) };
	struct packet_mreq all = { .mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), size = BUFFER;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)))
		err(1, "link %s", name);
	return fd;
}

/* Open the tunnel to the device; `service` may tell of congestion. */
static int open_tunnel(const char *address, int service)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(VXLAN_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
	    setsockopt(fd, IPPROTO_IP, IP_TOS, &service, sizeof(service)) || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		err(1, "address %s", address);
	return fd;
}

/* Test frames alone are damaged, so that nothing that links say by themselves shifts which. */
static int is_test_frame(const unsigned char *frame, ssize_t octets)
{
	return octets > 42 && frame[12] == 8 && frame[13] == 0 && frame[23] == IPPROTO_UDP;
}

int main(int argc, char **argv)
{
	static unsigned char packet[VXLAN_OCTETS + FRAME_MOST] = { 8, [6] = 1 }; /* a VNI is there; it is 1 */
	unsigned char *frame = packet + VXLAN_OCTETS;
	unsigned long every, count = 0;
	int link, whole, damaged;
	ssize_t octets;

	if (argc != 4)
		errx(2, "usage: dirty_wire LINK ADDRESS EVERY");
	every = strtoul(argv[3], NULL, 10);
	link = open_link(argv[1]);
	whole = open_tunnel(argv[2], 0);
	damaged = open_tunnel(argv[2], CONGESTED);
	while ((octets = read(link, frame, FRAME_MOST)) > 0) {
		int is_hit = every && is_test_frame(frame, octets) && ++count % every == 0;

		(void)!write(is_hit ? damaged : whole, packet, VXLAN_OCTETS + (size_t)octets);
	}
	err(1, "link %s", argv[1]);
}
