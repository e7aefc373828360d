/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A form writes a result document (render.h). Each form has a file of its own. This header also declares the content,
 * which is the same for all forms but CSV. The caller owns document and stream. */
#pragma once

#include "render/render.h"
#include "render/writer.h"

/* Each writes the document; the style is for text. False without memory. */
typedef bool render_form(FILE *stream, const json_t *document, struct render_style style);
/* One HTML page without scripts and without external content. */
render_form render_html;
/* Markdown for wikis, merge requests and mails. */
render_form render_markdown;
/* Text for files, and for a terminal, where it fits a screen. */
render_form render_text;
/* The trials of a document (RFC 4180), one row a trial; of a campaign its points, one row a point and goal. A column is a
 * member by its name in the document, with dots where it is nested, and its unit: "trial_load [frames/s]", "counts.sent
 * [frames]". */
render_form render_csv;
/* JUnit XML for CI. It has a test case for each requirement, goal, test of a suite, self-test and goal of a comparison. One
 * more test case is the whole run, which fails where the exit code says so. */
render_form render_junit;

/* One page (A4) of HTML for a printer: what was tested, the answers, and a block for signatures. */
render_form render_certificate;

/* Write the content of a Test Report, from the document alone. So a later version can show a stored result again. A member
 * that the program does not know is shown by its name. Each kind of document has a file (kinds.h). */
void content_put(struct writer *writer, const json_t *document);
/* Return the title of the report, by the kind of the document. */
const char *content_title(const json_t *document);
/* Return when the measurements of a document began, or NULL. */
const char *content_start(const json_t *document);

/* Parts of it that stand alone on a certificate. */
/* What --require asked for, then the verdicts. */
void content_put_requirements(struct writer *writer, const json_t *document);
void content_put_answers(struct writer *writer, const json_t *document);
/* Add who tested for whom and where, and serial numbers; then when it was tested, and what was sent. */
void content_add_commission(struct facts *facts, const json_t *document);
void content_add_run(struct facts *facts, const json_t *document);
