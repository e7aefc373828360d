/* SPDX-License-Identifier: GPL-2.0-or-later */
/* These functions write a result document to standard output, as --format says, and into the file of --report. The caller
 * owns the delivery. It is prepared before the measurement, and used once after it. */
#pragma once

#include <jansson.h>

#include "base/destination.h"
#include "base/message.h"
#include "base/signing.h"
#include "config/config.h"
#include "render/render.h"
#include "result/logo.h"
#include "result/pdf.h"

struct report_file {
	/* Destination of each --report and --junit, in the configuration's order. */
	struct destination destinations[REPORT_FILES_MAX];
	struct pdf_converter converters[REPORT_FILES_MAX]; /* converter of each --certificate FILE.pdf */
	struct render_logo logo;
	json_t *sut;             /* description of the SUT by the user, or null; NULL: no SUT is measured */
	struct signing_key *key; /* key of --sign; NULL: the result is not signed */
};

/* Check before the measurement that each file of --report and --junit can be written, and read the SUT's description and the
 * key of --sign. So a bad path, file or command is known before the measurement, not after it. An older file stays until the
 * new one is whole. */
enum exit_code report_file_open(const struct config *config, struct report_file *ret);
void report_file_close(struct report_file *file);

/* Write the document to standard output as --format says. */
enum exit_code report_show(const json_t *document, const struct config *config);
/* Write a stored document into the files of --report, or else to standard output. */
enum exit_code report_show_or_write(const json_t *document, const struct config *config, struct report_file *file);
/* Deliver the document of a verb that measured or compared: to standard output and to the files of --report. The document
 * of a SUT becomes a Test Report: it gets the SUT, the warnings and the checklist. The document may be NULL if memory ran
 * out. Returns `code` if everything was written, else why not. It takes over the reference. */
enum exit_code report_deliver(json_t *document, const struct config *config, struct report_file *file, enum exit_code code);
