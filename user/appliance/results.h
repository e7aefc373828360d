/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The appliance keeps results as files in one directory, numbered from 1. Result N is N.json (the document), N.html (the
 * report), N.txt (the same as text) and N.meta (what stands below). All of it is in memory, so there is a bound: beyond it
 * the oldest result that was fetched goes first, then the oldest; the newest one stays in any case. A run that gave no
 * result has a number, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "appliance/settings.h"
#include "appliance/watch.h"
#include "base/directory.h"
#include "base/files.h"

enum results_form { RESULTS_JSON, RESULTS_HTML, RESULTS_TEXT, RESULTS_META, RESULTS_FORMS };

struct result {
	unsigned int number;
	char run[SETTINGS_VALUE_SIZE]; /* name of the run in the schedule; may be empty */
	char verb[SETTINGS_VALUE_SIZE];
	time_t started, ended;
	int exit_code;
	bool has_document;
	bool fetched;                     /* Somebody has fetched it over HTTP. */
	char summary[WATCH_SUMMARY_SIZE]; /* summary of the result, or why there is none */
	double octets;                    /* octets of memory that its files take */
};

struct results {
	char directory[FILES_PATH_SIZE / 2];
	int directory_fd;
	double keep_octets;
	struct result *results; /* oldest first */
	size_t count;
	unsigned int last_number;
	unsigned int deleted, deleted_unfetched;
	double octets;
};

/* A function that is called for each result that is deleted to make room. */
typedef void results_told(void *context, const char *sentence);

/* Open the directory, which is made if it is not there, with the results in it. It must be one of our own (base/directory.h).
 * 0 or -errno; `why` is a sentence for the user then. */
int results_open(struct results *results, const char *directory, char why[DIRECTORY_WHY_SIZE]);
/* Return a default for keep_octets: a quarter of the memory that is free. */
double results_free_memory(void);
void results_close(struct results *results);

/* Add a result with its document (NULL: none); it gets its number. 0 or -errno. */
int results_add(struct results *results, struct result *result, const char *document, size_t length, results_told *told,
		void *context);
/* Measure its files again, which have changed, and keep the bound. */
void results_settle(struct results *results, results_told *told, void *context);

/* Returns NULL if there is none, or no more. */
struct result *results_find(struct results *results, unsigned int number);
void results_set_fetched(struct results *results, unsigned int number);
/* Open one of its files for reading: a regular file of ours, and no link. -1: there is none. */
int results_open_file(const struct results *results, unsigned int number, enum results_form form);
/* Return the path of one of its files. */
const char *results_path(const struct results *results, unsigned int number, enum results_form form,
			 char buffer[FILES_PATH_SIZE]);
