/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tap device that has carrier for as long as this runs; what it sends goes nowhere: hold_tap NAME */
#include <err.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FRAME_MOST 16384

int main(int argc, char **argv)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR);
	char frame[FRAME_MOST];

	if (argc != 2)
		errx(2, "usage: hold_tap NAME");
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", argv[1]);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &request))
		err(1, "tap %s", argv[1]);
	while (read(fd, frame, sizeof(frame)) >= 0)
		;
	err(1, "tap %s", argv[1]);
}
