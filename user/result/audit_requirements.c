/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This audit is of the verdicts of --require: each by the figure in the document that it is about. */
#include "result/audit.h"

#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "config/requirement.h"
#include "result/report.h"

static bool read_comparison(const char *text, enum comparison *ret)
{
	for (int i = COMPARISON_AT_LEAST; i <= COMPARISON_BELOW; i++)
		if (strcmp(comparison_text((enum comparison)i), text) == 0) {
			*ret = (enum comparison)i;
			return true;
		}
	return false;
}

/* Part of the document, and a figure in it. */
struct figure {
	const json_t *part;
	const char *name;
};

/* Find GOAL or GOAL.FIGURE by the longest name of a goal. */
static struct figure figure_of_goal(const json_t *document, const char *text)
{
	struct figure figure = { NULL, NULL };
	size_t longest = 0;

	json_each (result, json_object_get(document, "search_result")) {
		const char *name = read_text(json_object_get(result, "goal"), "name");
		size_t length = strlen(name);

		if (length <= longest || strncmp(text, name, length) != 0 || (text[length] && text[length] != '.'))
			continue;
		longest = length;
		figure = (struct figure){ result, text[length] ? text + length + 1 : "throughput" };
	}
	return figure;
}

/* FIGURE@SIZE. */
static struct figure figure_of_size(const json_t *document, const char *text, char name[FIGURE_NAME_SIZE])
{
	const char *at = strrchr(text, '@');

	json_each (size, json_object_get(document, "frame_sizes"))
		if (at && strcmp(read_text(size, "frame_size"), at + 1) == 0) {
			snprintf(name, FIGURE_NAME_SIZE, "%.*s", (int)(at - text), text);
			return (struct figure){ size, name };
		}
	return (struct figure){ document, text };
}

static void audit_one(struct audit *audit, const struct place *place, const json_t *one, enum verb verb)
{
	const json_t *document = audit->document;
	const char *text = read_text(one, "figure"), *path;
	char name[FIGURE_NAME_SIZE];
	struct figure figure = verb == VERB_SEARCH    ? figure_of_goal(document, text)
			       : verb == VERB_RFC2544 ? figure_of_size(document, text, name)
						      : (struct figure){ document, text };
	enum comparison comparison;
	enum quantity quantity;

	path = figure.name ? requirement_path(verb, figure.name, &quantity) : NULL;
	if (path) {
		const json_t *value = json_at(figure.part, path);
		double worst = judge_worst_direction(path, figure.part);

		if (value) /* a campaign leaves some of a result unread */
			audit_number(audit, place, one, "measured",
				     isnan(worst) ? (json_is_number(value) ? json_number_value(value) : NAN) *
							    requirement_scale(quantity)
						  : worst);
	}
	if (read_comparison(read_text(one, "comparison"), &comparison))
		audit_truth(audit, place, one, "met",
			    comparison_holds(comparison, read_number(one, "measured"), read_number(one, "required")));
}

void audit_changes(struct audit *audit, const json_t *document)
{
	const json_t *stated = json_object_get(document, "changes");
	json_auto_t *follows = report_changes(document);

	if (!json_is_object(stated) || !follows) /* a campaign leaves some of a result unread */
		return;
	json_each_member (name, value, follows)
		audit_number(audit, MEMBER(NULL, "changes"), stated, name, (double)json_integer_value(value));
}

void audit_requirements(struct audit *audit, const json_t *document)
{
	static const enum verb verbs[] = { VERB_SEARCH, VERB_TRIAL, VERB_SOAK, VERB_RFC2544, VERB_Y1564, VERB_SWEEP };
	char kind[KIND_SIZE];

	document_kind(document, kind);
	for (size_t i = 0; i < COUNT(verbs); i++)
		if (strcmp(kind, verb_name(verbs[i])) == 0)
			json_each (one, json_object_get(document, "requirements"))
				audit_one(audit, ITEM(MEMBER(NULL, "requirements"), one_at), one, verbs[i]);
}
