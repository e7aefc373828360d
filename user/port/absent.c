/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/absent.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/message.h"
#include "base/text_stream.h"

#define DEVICES      "/sys/bus/pci/devices"
#define CLASS_SIZE   16
#define NETWORK      "0x02" /* prefix of the classes of network controllers */
#define REMEDY_SIZE  384
#define NAMED_MOST   3 /* devices that one sentence names at most */
#define DRIVERS_USER "vfio-pci igb_uio uio_pci_generic"

#define ABSENT_NAME_SIZE 64
#define ABSENT_MOST      16

/* One such device. */
struct absent {
	char address[ABSENT_NAME_SIZE]; /* PCI address, such as "0000:03:00.0" */
	char driver[ABSENT_NAME_SIZE];  /* driver of the device; empty: none */
	bool is_of_user_space;          /* The driver is one of user space, and makes no port. */
};

/* --- finding ---------------------------------------------------------------------------------------------------------- */

static bool matches(const char *pattern)
{
	glob_t found = { 0 };
	bool matched = !glob(pattern, 0, NULL, &found);

	globfree(&found);
	return matched;
}

/* A device of another bus above it may have the port, as virtio's does. */
static bool has_port(const char *device)
{
	return matches(TEXT_OF(FILES_PATH_SIZE, "%s/net/*", device)) ||
	       matches(TEXT_OF(FILES_PATH_SIZE, "%s/*/net/*", device));
}

static void read_driver(const char *device, struct absent *absent)
{
	char target[FILES_PATH_SIZE];
	ssize_t length = readlink(TEXT_OF(FILES_PATH_SIZE, "%s/driver", device), target, sizeof(target) - 1);
	const char *last;

	if (length <= 0)
		return;
	target[length] = '\0';
	last = strrchr(target, '/');
	snprintf(absent->driver, sizeof(absent->driver), "%.63s", last ? last + 1 : target);
	absent->is_of_user_space = is_one_of(absent->driver, DRIVERS_USER);
}

static bool is_absent(const char *device, struct absent *ret)
{
	char class[CLASS_SIZE];

	file_read_line(TEXT_OF(FILES_PATH_SIZE, "%s/class", device), class, sizeof(class));
	if (strncmp(class, NETWORK, strlen(NETWORK)) || has_port(device))
		return false;
	*ret = (struct absent){ "" };
	snprintf(ret->address, sizeof(ret->address), "%.63s", strrchr(device, '/') + 1);
	read_driver(device, ret);
	return true;
}

/* Find them; return their number, at most ABSENT_MOST. */
static unsigned int find_all(const char *root, struct absent ret[ABSENT_MOST])
{
	glob_t devices = { 0 };
	unsigned int count = 0;

	glob(TEXT_OF(FILES_PATH_SIZE, "%s" DEVICES "/*", root), 0, NULL, &devices);
	for (size_t i = 0; i < devices.gl_pathc && count < ABSENT_MOST; i++)
		count += is_absent(devices.gl_pathv[i], &ret[count]);
	globfree(&devices);
	return count;
}

/* --- saying ----------------------------------------------------------------------------------------------------------- */

/* Return the shell command that gives a device back to the kernel's own driver. */
static const char *remedy_of(const struct absent *absent, char *buffer, unsigned int size)
{
	buffer[0] = '\0';
	if (absent->is_of_user_space)
		snprintf(buffer, size,
			 "cd /sys/bus/pci && echo %s > drivers/%s/unbind && echo > devices/%s/driver_override && echo %s > "
			 "drivers_probe",
			 absent->address, absent->driver, absent->address, absent->address);
	else if (!*absent->driver)
		snprintf(buffer, size, "echo %s > /sys/bus/pci/drivers_probe", absent->address);
	return buffer;
}

/* "0000:03:00.0 belongs to vfio-pci" */
static void add_state(const struct absent *absent, char *buffer, unsigned int size)
{
	if (absent->is_of_user_space)
		text_join(buffer, size, ", ", "%s belongs to %s", absent->address, absent->driver);
	else if (!*absent->driver)
		text_join(buffer, size, ", ", "%s has no driver", absent->address);
	else
		text_join(buffer, size, ", ", "%s (driver %s) has no port in this network namespace", absent->address,
			  absent->driver);
}

/* Whether a name stands for a device: it is its address, or what udev calls its port by its place. */
static bool is_named(const struct absent *absent, const char *name)
{
	unsigned int domain, bus, slot, function, named_bus, named_slot, named_function = 0;

	if (strcmp(name, absent->address) == 0)
		return true;
	if (sscanf(absent->address, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return false;
	if (strcmp(name, TEXT_OF(ABSENT_NAME_SIZE, "%02x:%02x.%x", bus, slot, function)) == 0)
		return true;
	return sscanf(name, "enp%us%uf%u", &named_bus, &named_slot, &named_function) >= 2 && named_bus == bus &&
	       named_slot == slot && named_function == function;
}

const char *absent_explain(const char *root, const char *name, char *buffer, unsigned int size)
{
	struct absent found[ABSENT_MOST];
	unsigned int count = find_all(root, found), named = 0;
	char remedy[REMEDY_SIZE];

	buffer[0] = '\0';
	while (named < count && !is_named(&found[named], name))
		named++;
	if (named < count) {
		found[0] = found[named];
		count = 1;
	}
	for (unsigned int i = 0; i < count && i < NAMED_MOST; i++)
		add_state(&found[i], buffer, size);
	if (count > NAMED_MOST)
		text_add(buffer, size, " and %u more", count - NAMED_MOST);
	if (count == 1 && *remedy_of(&found[0], remedy, sizeof(remedy)))
		text_add(buffer, size, "; '%s' gives it to the kernel", remedy);
	return buffer;
}
