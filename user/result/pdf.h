/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A converter makes a PDF of a page of HTML by the program weasyprint. The caller owns the structure. The converter is started
 * before the measurement, while this process may still execute programs. It is a shell that waits, without privileges and
 * without a network, and becomes weasyprint once the page comes. It is used once, and ends when it is closed or we die.
 */
#pragma once

#include <stddef.h>

#include "base/exit_code.h"
#include "base/process.h"

struct pdf_converter {
	struct process process;
	int to_fd, from_fd; /* pipes; 0: it was not started */
};

/* Start one for this file of --certificate. EXIT_INCAPABLE if weasyprint is not there. */
enum exit_code pdf_start(const char *path, struct pdf_converter *ret);
/* Convert a page, within a minute. The caller frees the PDF. EXIT_INCAPABLE if there is none. */
enum exit_code pdf_convert(struct pdf_converter *converter, const char *path, const char *page, size_t length,
			   char **ret_pdf, size_t *ret_length);
void pdf_close(struct pdf_converter *converter);
