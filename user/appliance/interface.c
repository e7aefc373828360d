/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/interface.h"

#include <stdio.h>
#include <string.h>

const char *interface_address(const char *name, char address[INTERFACE_ADDRESS_SIZE])
{
	char path[64];
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/class/net/%.15s/address", name);
	address[0] = '\0';
	stream = fopen(path, "re");
	if (!stream)
		return address;
	if (fgets(address, INTERFACE_ADDRESS_SIZE, stream))
		address[strcspn(address, "\n")] = '\0';
	fclose(stream);
	return address;
}
