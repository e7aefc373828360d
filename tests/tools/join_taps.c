/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two tap devices that are joined for as long as this runs: join_taps NAME NAME [rewrite]. With `rewrite` the tester's frames, of IPv4
 * without options, come to another destination MAC address than they are sent to. */
#include <err.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mlr/frame.h"

#define FRAME_MOST 16384
#define TAG_AT     42 /* of the magic */

static int open_tap(const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK);

	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		err(1, "tap %s", name);
	return fd;
}

static void pass(int from, int to, bool rewrites)
{
	unsigned char frame[FRAME_MOST];
	ssize_t octets;

	while ((octets = read(from, frame, sizeof(frame))) > 0) {
		if (rewrites && octets > TAG_AT + 1 && (frame[TAG_AT] << 8 | frame[TAG_AT + 1]) == MLR_TAG_MAGIC)
			frame[5] ^= 1;
		(void)!write(to, frame, (size_t)octets);
	}
}

int main(int argc, char **argv)
{
	struct pollfd taps[2];
	bool rewrites = argc == 4 && !strcmp(argv[3], "rewrite");

	if (argc != 3 && !rewrites)
		errx(2, "usage: join_taps NAME NAME [rewrite]");
	for (int i = 0; i < 2; i++)
		taps[i] = (struct pollfd){ .fd = open_tap(argv[1 + i]), .events = POLLIN };
	while (poll(taps, 2, -1) > 0)
		for (int i = 0; i < 2; i++)
			pass(taps[i].fd, taps[!i].fd, rewrites);
	err(1, "poll");
}
