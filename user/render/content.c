/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "render/forms.h"
#include "render/kinds.h"
#include "render/page.h"

static const struct content *const kinds[] = { &content_search,   &content_trial,    &content_soak,
					       &content_suite,    &content_compare,  &content_probe,
					       &content_selftest, &content_campaign, &content_campaign_status,
					       &content_y1564,    &content_trend,    &content_sweep };

/* Members that every document may have, and which are shown here. */
static const char common[] =
	"schema measurer traffic_profile environment deviations configuration load_scope "
	"aggregate_factor irregular_reason warnings requirements changes units definitions sut checklist notes commission "
	"cause";

/* A document of a kind that has no content of its own is shown by the names of its members. */
static const struct content plain = { .kind = "", .title = "Result" };

static const struct content *kind_of(const json_t *document)
{
	char kind[KIND_SIZE];

	document_kind(document, kind);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i]->kind, kind) == 0)
			return kinds[i];
	return &plain;
}

const char *content_title(const json_t *document)
{
	return kind_of(document)->title;
}

const char *content_start(const json_t *document)
{
	return campaign_start(document) ?: read_string(json_object_get(document, "environment"), "start_time");
}

bool render_certifies(const json_t *document)
{
	return kind_of(document)->of_sut;
}

/* --- the top -------------------------------------------------------------------------------------------------------- */

/* "2026-11-21T12:59:48Z" as "2026-11-21 12:59 UTC"; anything else as it is. */
static void add_date(struct facts *facts, const char *start)
{
	size_t length = strlen(start);

	if (length == 20 && start[10] == 'T' && start[19] == 'Z')
		facts_add(facts, "Date", "%.10s %.5s UTC", start, start + 11);
	else
		facts_add(facts, "Date", "%s", start);
}

void content_add_commission(struct facts *facts, const json_t *document)
{
	static const struct fact names[] = {
		{ "Serial number", "{serials}" },
		{ "Customer", "{customer}" },
		{ "Site", "{site}" },
		{ "Operator", "{operator}" },
	};

	facts_say(facts, json_object_get(document, "commission"), names, COUNT(names));
}

void content_add_run(struct facts *facts, const json_t *document)
{
	static const struct fact sizes[] = { { "Frame sizes", "[frame_sizes? <frame_sizes|, |{frame_size}> octets]" } };
	const char *start = content_start(document);

	if (start)
		add_date(facts, start);
	facts_say(facts, document, sizes, COUNT(sizes));
	setting_add_conditions(facts, document);
}

static void put_masthead(struct writer *writer, const json_t *document)
{
	static const struct fact tester[] = {
		{ "Tester", "{environment/hostname}" },
		{ "Measured with", "[xdp-mlr {environment/version}]" },
		{ "Signed by", "[the key {signature/fingerprint}]" },
	};
	struct facts facts = { .count = 0 };
	double duration_s = read_number(document, "suite_duration");
	char transmitter[SETTING_TEXT_SIZE];

	facts_add_member(&facts, "System under test", document, "/sut/name", NULL);
	content_add_commission(&facts, document);
	content_add_run(&facts, document);
	facts_add_member(&facts, "Measurer", document, "/measurer/name", NULL);
	if (!isnan(duration_s))
		facts_add(&facts, "Duration", "%s", format_clock(duration_s, UNIT_ROOM));
	if (*setting_transmitter(document, transmitter))
		facts_add(&facts, "Transmitter", "%s", transmitter);
	facts_say(&facts, document, tester, COUNT(tester));
	writer->ops->masthead(writer, content_title(document), facts.list, facts.count);
	facts_free(&facts);
}

#define REASON_MOST 4000 /* octets */

static void put_irregular(struct writer *writer, const json_t *document)
{
	const char *reason = read_string(document, "irregular_reason");

	if (reason && standing_of(document) == STANDING_IRREGULAR)
		banner_put(writer, TONE_BAD, "%s: %.*s%s", standing_word(STANDING_IRREGULAR), (int)REASON_MOST, reason,
			   strlen(reason) > REASON_MOST ? "\xe2\x80\xa6" : "");
}

#define PERCENT_DIGITS 6

/* Return a value in such a unit, with more digits than usual. */
static const char *text_in(const void *context, double value, int more, char buffer[VALUE_SIZE])
{
	const char *unit = context;

	if (strcmp(unit, "ratio") == 0)
		return text_percent_within(value, PERCENT_DIGITS + more, buffer);
	if (strcmp(unit, "ns") == 0 && !more)
		return text_ns_within(value, 1, buffer);
	if (strcmp(unit, "fps") == 0)
		snprintf(buffer, VALUE_SIZE, "%.70s frames/s", text_number(value, more + 1, VALUE_ROOM));
	else
		snprintf(buffer, VALUE_SIZE, "%.60s %.30s", text_number(value, more, VALUE_ROOM), unit);
	return buffer;
}

/* Return what a requirement is about, as it was measured. It reads otherwise than what was required, unless it is that. */
static const char *text_measured(const json_t *requirement, char buffer[VALUE_SIZE])
{
	return text_unlike(read_number(requirement, "measured"), read_number(requirement, "required"), text_in,
			   read_text(requirement, "unit"), buffer);
}

static enum tone tone_of_requirement(const json_t *requirement)
{
	return read_truth(requirement, "met") ? TONE_GOOD : TONE_BAD;
}

#define UNMET_MOST 300 /* octets behind which no further one is named */

/* What --require asked for and did not get: the program ended with exit code 1 by it. */
static void put_unmet(struct writer *writer, const json_t *requirements)
{
	char text[640] = "NOT MET: ";
	size_t unmet = 0, untold = 0;

	json_each (one, requirements) {
		const char *reason = read_string(one, "reason");

		if (!read_truth(one, "met") && strlen(text) > UNMET_MOST)
			untold++;
		else if (!read_truth(one, "met"))
			text_add(text, sizeof(text), "%s%.120s (%s%.120s)", unmet++ ? ", " : "",
				 read_text(one, "requirement"), reason ? "" : "measured ",
				 reason ?: text_measured(one, VALUE_ROOM));
	}
	if (untold)
		text_add(text, sizeof(text), ", and %zu more", untold);
	if (unmet)
		writer->ops->banner(writer, TONE_BAD, text);
}

void content_put_requirements(struct writer *writer, const json_t *document)
{
	const json_t *requirements = json_object_get(document, "requirements");
	static const struct field fields[] = {
		{ "Requirement", "/requirement" },
		{ "Met", .phrase = "[met? yes][!met? NO][reason? : {reason}]" },
		{ "Measured", .write = text_measured, .numeric = true },
	};

	if (!json_array_size(requirements))
		return;
	writer->ops->section(writer, LEVEL_MAIN, "requirements", "Requirements");
	table_put(writer, "requirement-table", fields, COUNT(fields), requirements, tone_of_requirement);
}

void content_put_answers(struct writer *writer, const json_t *document)
{
	kind_of(document)->put_verdicts(writer, document);
}

/* --- below ---------------------------------------------------------------------------------------------------------- */

static void put_object(struct writer *writer, enum writer_level level, const char *id, const char *heading,
		       const json_t *object)
{
	struct facts facts = { .count = 0 };
	json_auto_t *rest = json_copy((json_t *)object);

	json_each_member (key, value, object)
		if (json_is_object(json_array_get(value, 0)))
			json_object_del(rest, key);
	facts_add_object(&facts, rest, NULL);
	if (json_object_size(object))
		writer->ops->section(writer, level, id, heading);
	facts_put(&facts, writer);
	json_each_member (key, value, object) {
		if (!json_is_object(json_array_get(value, 0)))
			continue;
		writer->ops->subsection(writer, text_label(key, VALUE_ROOM));
		objects_put(writer, TEXT_OF(80, "%s-%.40s", id, key), "", value);
	}
}

/* A list of sentences under a heading of its own; nothing where there are none. */
static void put_sentences(struct writer *writer, const char *heading, const json_t *array)
{
	json_each (item, array) {
		const char *text = json_string_value(item);

		if (item_at == 0)
			writer->ops->subsection(writer, heading);
		if (text)
			writer->ops->list(writer, &text, 1);
	}
}

/* What every load refers to, and what the quantities are. */
static void put_definitions(struct writer *writer, const json_t *document)
{
	static const struct fact scope[] = {
		{ "Loads are of", "[load_scope? a single {load_scope}]" },
		{ "Aggregate factor",
		  "[{aggregate_factor:plain}: a load times it is the total over all transmitting interfaces]" },
	};
	struct facts facts = { .count = 0 };

	facts_say(&facts, document, scope, COUNT(scope));
	facts_add_object(&facts, json_object_get(document, "definitions"), NULL);
	if (facts.count)
		writer->ops->section(writer, LEVEL_REFERENCE, "definitions", "What the quantities are");
	facts_put(&facts, writer);
}

static void put_deviations(struct writer *writer, const json_t *deviations)
{
	content_put_strings(writer, "deviations", "Deviations from RFC 2544", deviations);
	if (!deviations || json_array_size(deviations))
		return;
	writer->ops->section(writer, LEVEL_MAIN, "deviations", "Deviations from RFC 2544");
	writer->ops->paragraph(writer, "There are none.");
}

/* The unit of every kind of number, by their names in the document. */
static void put_units(struct writer *writer, const json_t *units)
{
	struct facts facts = { .count = 0 };

	json_each_member (name, unit, units)
		if (json_is_string(unit))
			facts_add(&facts, name, "%s", json_string_value(unit));
	if (!facts.count)
		return;
	writer->ops->fold(writer, LEVEL_REFERENCE, "units", "Units of the numbers in the result document");
	facts_put(&facts, writer);
	writer->ops->fold_end(writer);
}

/* The SUT as the user described it. */
static void put_sut(struct writer *writer, const json_t *sut)
{
	const json_t *configurations = json_object_get(sut, "configuration");

	writer->ops->section(writer, LEVEL_REFERENCE, "sut", "System under test");
	if (*read_text(sut, "name"))
		writer->ops->paragraph(writer, read_text(sut, "name"));
	put_sentences(writer, "Changed for this test", json_object_get(sut, "changes"));
	put_sentences(writer, "Notes", json_object_get(sut, "notes"));
	if (!json_array_size(configurations))
		writer->ops->paragraph(writer, "Its configuration was not given (--sut-config, --sut-config-command).");
	json_each (configuration, configurations) {
		const char *summary = TEXT_OF(200, "Default configuration, from %.24s %.120s%s",
					      read_text(configuration, "kind"), read_text(configuration, "source"),
					      read_truth(configuration, "truncated") ? " (its beginning)" : "");

		writer->ops->fold(writer, LEVEL_MAIN, TEXT_OF(40, "sut-configuration-%zu", configuration_at + 1), summary);
		writer->ops->code(writer, read_text(configuration, "text"));
		writer->ops->fold_end(writer);
	}
}

/* How much is met, and what is missing. */
static void put_tally(struct writer *writer, const json_t *checklist)
{
	size_t met = 0, missing = 0, count = json_array_size(checklist);
	char text[200];

	for (size_t i = 0; i < count; i++) {
		met += strcmp(read_text(json_array_get(checklist, i), "status"), "met") == 0;
		missing += strcmp(read_text(json_array_get(checklist, i), "status"), "missing") == 0;
	}
	snprintf(text, sizeof(text),
		 "Of %zu clauses about this report %zu are met, %zu are not applicable and %zu are missing.", count, met,
		 count - met - missing, missing);
	writer->ops->paragraph(writer, text);
}

#define DRAFT "draft-ietf-bmwg-mlrsearch-15"

static enum tone tone_of_clause(const json_t *item)
{
	const char *status = read_text(item, "status");

	return strcmp(status, "met") == 0 ? TONE_GOOD : strcmp(status, "missing") == 0 ? TONE_WARN : TONE_PLAIN;
}

static void put_checklist(struct writer *writer, const json_t *checklist)
{
	static const struct field fields[] = {
		/* documents of earlier versions name RFC 9971 by its last draft */
		{ "Document", .phrase = "[document=" DRAFT "? RFC 9971][!document=" DRAFT "? {document}]" },
		{ "Clause", "/clause" },
		{ "Level", "/level" },
		{ "What the report has to say", "/requirement" },
		{ "Status", "/status" },
		{ "Why", "/why" },
	};

	if (!json_array_size(checklist))
		return;
	writer->ops->section(writer, LEVEL_REFERENCE, "checklist", "What the drafts require of this report");
	put_tally(writer, checklist);
	writer->ops->fold(writer, LEVEL_REFERENCE, "checklist-fold", "Every clause");
	table_put(writer, "checklist-table", fields, COUNT(fields), checklist, tone_of_clause);
	writer->ops->fold_end(writer);
}

/* The echoed options as a file for --config. */
static char *yaml_of(const json_t *configuration)
{
	return memory_noticed(TEXT_WRITTEN(stream, NULL, yaml_put(stream, configuration, true)));
}

static void put_configuration(struct writer *writer, const json_t *document, const char *kind)
{
	const json_t *configuration = json_object_get(document, "configuration");
	owned char *yaml = json_object_size(configuration) ? yaml_of(configuration) : NULL;
	char text[160];

	if (!yaml)
		return;
	snprintf(text, sizeof(text), "Every option in force. Stored in a file, it repeats the run: xdp-mlr %s --config FILE",
		 kind);
	writer->ops->section(writer, LEVEL_REFERENCE, "configuration", "Configuration");
	writer->ops->paragraph(writer, text);
	writer->ops->code(writer, yaml);
}

/* What the program does not know: from a later version, or from the user's own measurer. */
static void put_rest(struct writer *writer, const json_t *document, const struct content *content)
{
	json_auto_t *rest = json_object();

	json_each_member (key, value, document)
		if (!is_one_of(key, common) && !is_one_of(key, content->known))
			json_object_set(rest, key, value);
	put_object(writer, *content->kind ? LEVEL_REFERENCE : LEVEL_MAIN, "further", "Further data", rest);
}

/* Over all trials: what --require unchanged is about. */
static void put_changes(struct writer *writer, const json_t *document)
{
	const char *text = text_changes(json_object_get(document, "changes"), ROOM(CHANGES_SIZE));

	if (*text)
		writer->ops->paragraph(writer, text);
}

void content_put(struct writer *writer, const json_t *document)
{
	const struct content *content = kind_of(document);

	put_masthead(writer, document);
	put_irregular(writer, document);
	put_unmet(writer, json_object_get(document, "requirements"));
	if (content->put_verdicts)
		content->put_verdicts(writer, document);
	content_put_cause(writer, document);
	content_put_requirements(writer, document);
	put_changes(writer, document);
	content_put_strings(writer, "notes", "Notes", json_object_get(document, "notes"));
	content_put_strings(writer, "warnings", "Warnings", json_object_get(document, "warnings"));
	page_put(writer, document, content->parts, content->part_count);
	content_put_power(writer, document);
	put_definitions(writer, document);
	if (content->of_sut)
		put_sut(writer, json_object_get(document, "sut"));
	if (json_object_get(document, "measurer"))
		setting_put(writer, document);
	put_object(writer, LEVEL_REFERENCE, "traffic-profile", "Traffic Profile",
		   json_object_get(document, "traffic_profile"));
	put_object(writer, LEVEL_REFERENCE, "measurer", "Measurer", json_object_get(document, "measurer"));
	put_object(writer, LEVEL_REFERENCE, "environment", "Tester", json_object_get(document, "environment"));
	put_deviations(writer, json_object_get(document, "deviations"));
	put_rest(writer, document, content);
	put_checklist(writer, json_object_get(document, "checklist"));
	put_configuration(writer, document, content->kind);
	put_units(writer, json_object_get(document, "units"));
}
