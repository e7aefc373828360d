/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/exit_code.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/units.h"

#define PAGE_OCTETS  4096 /* a file in memory takes whole ones */
#define KEEP_DEFAULT 64e6 /* octets to keep if the system does not tell how much memory is free */
#define KEEP_LEAST   16e6

static const char *const endings[] = {
	[RESULTS_JSON] = "json", [RESULTS_HTML] = "html", [RESULTS_TEXT] = "txt", [RESULTS_META] = "meta"
};

const char *results_path(const struct results *store, unsigned int number, enum results_form form,
			 char buffer[FILES_PATH_SIZE])
{
	snprintf(buffer, FILES_PATH_SIZE, "%s/%u.%s", store->directory, number, endings[form]);
	return buffer;
}

int results_open_file(const struct results *store, unsigned int number, enum results_form form)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "%u.%s", number, endings[form]);
	fd = directory_open_file(store->directory_fd, name);
	return fd < 0 ? -1 : fd;
}

/* --- what is said of a result ---------------------------------------------------------------------------------------- */

static int write_meta(const struct results *store, const struct result *result)
{
	json_auto_t *object =
		json_of_members(result, number, run, verb, started, ended, exit_code, has_document, fetched, summary);
	size_t length;
	owned char *text = json_text(object, false, &length);

	return text ? file_replace(results_path(store, result->number, RESULTS_META, ROOM(FILES_PATH_SIZE)), text, length,
				   0600, true)
		    : -ENOMEM;
}

/* Read the JSON value in an open file, and close the file. NULL: there is none. */
static json_t *load(int fd)
{
	json_t *value = fd < 0 ? NULL : json_loadfd(fd, 0, NULL);

	if (fd >= 0)
		close(fd);
	return value;
}

/* Read a text that terminals show as one line. */
static void read_line(const json_t *object, const char *name, char *line, size_t size)
{
	const char *text = read_text(object, name);

	quote(text, strlen(text), line, size);
}

static bool read_meta(const struct results *store, unsigned int number, struct result *ret)
{
	struct result result = { .number = number };
	json_auto_t *object = load(results_open_file(store, number, RESULTS_META));

	if (!object)
		return false;
	read_line(object, "run", result.run, sizeof(result.run));
	read_line(object, "verb", result.verb, sizeof(result.verb));
	read_line(object, "summary", result.summary, sizeof(result.summary));
	result.started = (time_t)read_integer(object, "started");
	result.ended = (time_t)read_integer(object, "ended");
	result.exit_code = (int)read_integer(object, "exit_code");
	result.has_document = read_truth(object, "has_document");
	result.fetched = read_truth(object, "fetched");
	*ret = result;
	return true;
}

/* --- the list ------------------------------------------------------------------------------------------------------- */

static int append(struct results *store, const struct result *result)
{
	struct result *grown = reallocarray(store->results, store->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	store->results = grown;
	grown[store->count++] = *result;
	if (result->number > store->last_number)
		store->last_number = result->number;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct result *first = a, *second = b;

	return first->number < second->number ? -1 : first->number > second->number;
}

static void measure(struct results *store)
{
	struct stat status;

	store->octets = 0;
	for (size_t i = 0; i < store->count; i++) {
		struct result *result = &store->results[i];

		result->octets = 0;
		for (enum results_form form = 0; form < RESULTS_FORMS; form++)
			if (stat(results_path(store, result->number, form, ROOM(FILES_PATH_SIZE)), &status) == 0)
				result->octets +=
					(double)(((size_t)status.st_size + PAGE_OCTETS) / PAGE_OCTETS * PAGE_OCTETS);
		store->octets += result->octets;
	}
}

/* Find what an earlier process of ours left. */
static int read_directory(struct results *store)
{
	int fd = openat(store->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct result result;

	if (!directory && fd >= 0)
		close(fd);
	if (!directory)
		return -errno;
	for (struct dirent *entry; !error && (entry = readdir(directory));) {
		unsigned int number;
		int end = 0;

		if (sscanf(entry->d_name, "%9u.meta%n", &number, &end) == 1 && end && !entry->d_name[end] &&
		    read_meta(store, number, &result))
			error = append(store, &result);
	}
	closedir(directory);
	return error;
}

double results_free_memory(void)
{
	double octets = KEEP_DEFAULT;
	char line[256];
	unsigned long kib;

	file_find_line("/proc/meminfo", "MemAvailable:", line, sizeof(line));
	if (sscanf(line, "MemAvailable: %lu", &kib) == 1)
		octets = 1024.0 * (double)kib / 4;
	return octets > KEEP_LEAST ? octets : KEEP_LEAST;
}

/* Open the directory of the state, and the one of the results in it. Returns the descriptor of the latter, or -errno. */
static int open_directories(const char *directory, char why[DIRECTORY_WHY_SIZE])
{
	int state_fd = directory_open_own(AT_FDCWD, directory, why), fd;

	if (state_fd < 0)
		return state_fd;
	fd = directory_open_own(state_fd, "results", why);
	close(state_fd);
	return fd;
}

int results_open(struct results *store, const char *directory, char why[DIRECTORY_WHY_SIZE])
{
	int error;

	*store = (struct results){ .keep_octets = results_free_memory(), .directory_fd = -1 };
	error = -ENAMETOOLONG;
	if (snprintf(store->directory, sizeof(store->directory), "%s/results", directory) < (int)sizeof(store->directory))
		error = store->directory_fd = open_directories(directory, why);
	else
		snprintf(why, DIRECTORY_WHY_SIZE, "%s", strerror(ENAMETOOLONG));
	if (error >= 0 && (error = read_directory(store)) < 0)
		snprintf(why, DIRECTORY_WHY_SIZE, "%s", strerror(-error));
	if (error < 0) {
		results_close(store);
		return error;
	}
	if (store->count)
		qsort(store->results, store->count, sizeof(*store->results), by_number);
	measure(store);
	return 0;
}

void results_close(struct results *store)
{
	free(store->results);
	if (store->directory_fd >= 0)
		close(store->directory_fd);
	*store = (struct results){ .directory_fd = -1 };
}

struct result *results_find(struct results *store, unsigned int number)
{
	for (size_t i = 0; i < store->count; i++)
		if (store->results[i].number == number)
			return &store->results[i];
	return NULL;
}

void results_set_fetched(struct results *store, unsigned int number)
{
	struct result *result = results_find(store, number);

	if (!result || result->fetched)
		return;
	result->fetched = true;
	write_meta(store, result);
}

/* --- the bound ------------------------------------------------------------------------------------------------------ */

/* Choose which to delete: the oldest that was fetched, or else the oldest, but never the newest. `count` if there is
 * none. */
static size_t find_victim(const struct results *store)
{
	for (size_t i = 0; i + 1 < store->count; i++)
		if (store->results[i].fetched)
			return i;
	return store->count > 1 ? 0 : store->count;
}

static void remove_files(const struct results *store, unsigned int number)
{
	for (enum results_form form = 0; form < RESULTS_FORMS; form++)
		unlink(results_path(store, number, form, ROOM(FILES_PATH_SIZE)));
}

static void delete_result(struct results *store, size_t index, results_told *told, void *context)
{
	const struct result result = store->results[index];
	char sentence[256];

	remove_files(store, result.number);
	store->octets -= result.octets;
	store->deleted++;
	store->deleted_unfetched += !result.fetched;
	memmove(&store->results[index], &store->results[index + 1], (store->count - index - 1) * sizeof(*store->results));
	store->count--;
	snprintf(sentence, sizeof(sentence), "result %u (%s) was deleted, %s: all results may take %s of memory",
		 result.number, format_si(result.octets, "octets", UNIT_ROOM),
		 result.fetched ? "it had been fetched" : "NOBODY HAD FETCHED IT",
		 format_si(store->keep_octets, "octets", UNIT_ROOM));
	told(context, sentence);
}

void results_settle(struct results *store, results_told *told, void *context)
{
	measure(store);
	while (store->octets > store->keep_octets) {
		size_t victim = find_victim(store);

		if (victim == store->count)
			break;
		delete_result(store, victim, told, context);
	}
}

static int write_document(const struct results *store, const struct result *result, const char *document, size_t length)
{
	return document ? file_replace(results_path(store, result->number, RESULTS_JSON, ROOM(FILES_PATH_SIZE)), document,
				       length, 0600, true)
			: 0;
}

int results_add(struct results *store, struct result *result, const char *document, size_t length, results_told *told,
		void *context)
{
	int error;

	result->number = store->last_number + 1;
	result->has_document = document;
	for (;;) {
		error = write_document(store, result, document, length) ?: write_meta(store, result);
		if (error != -ENOSPC || !store->count)
			break;
		delete_result(store, 0, told, context); /* The file system is full: older results make room. */
	}
	if (!error)
		error = append(store, result);
	if (error)
		remove_files(store, result->number);
	else
		results_settle(store, told, context);
	return error;
}
