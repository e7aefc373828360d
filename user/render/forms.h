/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A form writes a result document (render.h), a file each. This header also has what they write, which is the same for all
 * but CSV. The caller owns document and stream. */
#pragma once

#include "render/render.h"
#include "render/writer.h"

/* Each writes the document; the style is for text. False without memory. */
typedef bool render_form(FILE *stream, const json_t *document, struct render_style style);
/* One page: no script, nothing from elsewhere. */
render_form render_html;
/* For wikis, merge requests and mails. */
render_form render_markdown;
/* For a terminal, in a screenful, and for files. */
render_form render_text;
/* The trials of a document (RFC 4180), one row a trial; of a campaign its points, one row a point and goal. A column is a
 * member by its name in the document, with dots where it is nested, and its unit: "trial_load [frames/s]", "counts.sent
 * [frames]". */
render_form render_csv;
/* For CI: JUnit XML. A test case for each requirement, goal, test of a suite, self-test and goal of a comparison, and one for
 * the run as a whole; a failure where the program's exit code says so. */
render_form render_junit;

/* For a printer: one page (A4) of HTML with what was tested, the answers, and a block for signatures. */
render_form render_certificate;

/* What stands in a Test Report, read from the document alone: so a stored result can be shown again by a later version. What
 * the program does not know is shown all the same, by its name. A kind of document has a file (kinds.h). */
void content_put(struct writer *writer, const json_t *document);
/* What the report is called, by the kind of the document. */
const char *content_title(const json_t *document);

/* Parts of it that stand alone on a certificate. */
/* The answers: verdicts, and what --require asked for. */
void content_put_answers(struct writer *writer, const json_t *document);
/* Who tested for whom, where, and which serial numbers; when, and what was sent. */
void content_add_commission(struct facts *facts, const json_t *document);
void content_add_run(struct facts *facts, const json_t *document);
