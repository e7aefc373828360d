/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speak PORT MS HEX: send a frame by a packet socket of a port every so many ms, until it is ended: as a switch that tells its
 * name, or a DHCP client, does. Where its source address is zeros, it
 * is the port's own. */
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_OCTETS 1514

static size_t read_hex(const char *text, uint8_t frame[FRAME_OCTETS])
{
	size_t octets = 0;
	unsigned int octet;

	for (; octets < FRAME_OCTETS && sscanf(text, "%2x", &octet) == 1; text += 2)
		frame[octets++] = (uint8_t)octet;
	return octets;
}

int main(int argc, char **argv)
{
	uint8_t frame[FRAME_OCTETS] = { 0 };
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct ifreq request = { 0 };
	size_t octets = 0;
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (argc == 4)
		octets = read_hex(argv[3], frame);
	if (fd < 0 || octets < ETH_HLEN || strlen(argv[1]) >= IF_NAMESIZE) {
		fprintf(stderr, "speak PORT MS HEX\n");
		return 2;
	}
	strcpy(request.ifr_name, argv[1]);
	address.sll_ifindex = (int)if_nametoindex(argv[1]);
	if (ioctl(fd, SIOCGIFHWADDR, &request) || bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		perror(argv[1]);
		return 1;
	}
	if (!memcmp(frame + ETH_ALEN, "\0\0\0\0\0", ETH_ALEN)) /* zeros: the port's own address */
		memcpy(frame + ETH_ALEN, request.ifr_hwaddr.sa_data, ETH_ALEN);
	for (;;) {
		const struct timespec gap = { .tv_nsec = strtol(argv[2], NULL, 10) % 1000 * 1000000 };

		(void)!write(fd, frame, octets);
		nanosleep(&gap, NULL);
	}
}
