/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/rapl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/message.h"
#include "mlr/power.h"

#define UJ_PER_J 1e6

/* Read a number. Returns false if it cannot be read; only root may read energy_uj. */
static bool read_uj(const struct rapl_zone *zone, const char *file, uint64_t *ret)
{
	char text[32];

	if (file_read_line(TEXT_OF(200, "%s/%s", zone->path, file), text, sizeof(text)))
		return false;
	*ret = strtoull(text, NULL, 10);
	return true;
}

/* "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it. */
static bool is_package(const char *entry)
{
	const char *colon = strchr(entry, ':');

	return colon && !strchr(colon + 1, ':') && strncmp(entry, "intel-rapl:", 11) == 0;
}

static void add_zone(struct rapl *rapl, const char *directory, const char *entry)
{
	struct rapl_zone *zone = &rapl->zones[rapl->count];

	*zone = (struct rapl_zone){ 0 };
	snprintf(zone->path, sizeof(zone->path), "%.80s/%.60s", directory, entry);
	if (!read_uj(zone, "energy_uj", &zone->last_uj))
		return;
	read_uj(zone, "max_energy_range_uj", &zone->range_uj);
	if (file_read_line(TEXT_OF(200, "%s/name", zone->path), zone->name, sizeof(zone->name)))
		snprintf(zone->name, sizeof(zone->name), "%.60s", entry);
	rapl->count++;
}

void rapl_open(struct rapl *rapl, const char *directory)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;

	rapl->count = 0;
	while (entries && rapl->count < COUNT(rapl->zones) && (entry = readdir(entries)))
		if (is_package(entry->d_name))
			add_zone(rapl, directory, entry->d_name);
	if (entries)
		closedir(entries);
}

void rapl_add(struct rapl *rapl, struct recorder *recorder)
{
	for (size_t i = 0; i < rapl->count; i++) {
		struct rapl_zone *zone = &rapl->zones[i];
		uint64_t now_uj;

		if (!read_uj(zone, "energy_uj", &now_uj))
			continue;
		zone->grown_uj += mlr_power_growth(zone->last_uj, now_uj, zone->range_uj);
		zone->last_uj = now_uj;
		recorder_add(recorder, TEXT_OF(RECORDER_NAME_SIZE, "power/%s/joules", zone->name), RECORDER_COUNTER,
			     (double)zone->grown_uj / UJ_PER_J);
	}
}
