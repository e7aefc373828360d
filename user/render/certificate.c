/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This form is a certificate as one page of HTML for a printer. What finds no room on the page is left out, and counted. */
#include <string.h>

#include "base/base64.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "render/forms.h"
#include "render/markup.h"
#include "render/parts.h"

#define TEXT_MOST  110 /* most octets of a sentence */
#define VALUE_MOST 78  /* most octets of a fact's value */
#define NAME_MOST  60
#define FACTS_MOST 9
#define WHY_MOST   150 /* octets of a reason: what follows it has room, too */

/* Millimetres of the sheet, as certificate.css has them, above the signatures. Letters are taken to be wide. */
#define ROOM_MM       242
#define HEAD_MM       9 /* height of the head without the name */
#define LOGO_MM       17
#define HEADING_MM    8.5
#define OUTCOME_MM    15 /* height of the outcome without its sentence */
#define REST_MM       8
#define FACT_MM       1.3 /* gap around each fact */
#define FACT_LINES    3   /* most lines of a fact */
#define LINE_MM       4.1
#define SMALL_LINE_MM 3.65

/* Characters in a line. */
enum width {
	WIDTH_TITLE = 30,
	WIDTH_PAGE = 90,
	WIDTH_FACT = 26,
	WIDTH_NAME = 17,
	WIDTH_VALUE = 34,
	WIDTH_DETAIL = 56,
	WIDTH_ASKED = 33
};

static const char style[] =
#include "certificate.inc"
	;

/* The page while it is written. */
struct certificate {
	struct writer writer; /* first: its functions get this */
	double room_mm;
	size_t requirements_left_out, results_left_out;
	size_t *left_out; /* which of them counts now */
};

static const char *const tones[] = {
	[TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_WARN] = "warn", [TONE_BAD] = "bad"
};

/* --- elements ------------------------------------------------------------------------------------------------------- */

/* Write at most so many octets of a text, whole characters, with a sign where it is cut. */
static void put_short(FILE *stream, const char *text, size_t most)
{
	char part[640];
	size_t length = strlen(text);

	if (length <= most) {
		markup_escape(stream, text);
		return;
	}
	length = most < sizeof(part) ? most : sizeof(part) - 1;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	memcpy(part, text, length);
	part[length] = '\0';
	markup_escape(stream, part);
	fputs("\xe2\x80\xa6", stream);
}

static void put(FILE *stream, const char *open, const char *text, size_t most, const char *close)
{
	fputs(open, stream);
	put_short(stream, text, most);
	fputs(close, stream);
}

/* Return characters by their width: a capital letter, or one from East Asia, is as wide as two others. */
static size_t width_of(unsigned char octet)
{
	if ((octet & 0xc0) == 0x80)
		return 0; /* A continuation octet belongs to a character that was counted. */
	return (octet >= 'A' && octet <= 'Z') || octet >= 0xe3 ? 2 : 1;
}

/* Return how many lines at most so many octets of a text take. */
static double lines_of(const char *text, size_t most, enum width width)
{
	size_t room = 0;

	for (size_t i = 0; text[i] && i < most; i++)
		room += width_of((unsigned char)text[i]);
	return (double)(1 + room / width);
}

/* Whether there is still so much room; it is taken. */
static bool take_room(struct writer *writer, double height_mm)
{
	struct certificate *certificate = (struct certificate *)writer;

	if (height_mm > certificate->room_mm) {
		certificate->room_mm = 0; /* What follows has no room either: the order is that of the report. */
		return false;
	}
	certificate->room_mm -= height_mm;
	return true;
}

/* Whether there is room for one of those that are counted where there is none. */
static bool take_room_or_count(struct writer *writer, double height_mm)
{
	bool taken = take_room(writer, height_mm);

	if (!taken)
		++*((struct certificate *)writer)->left_out;
	return taken;
}

/* --- answers -------------------------------------------------------------------------------------------------------- */

static void put_banner(struct writer *writer, enum tone, const char *text)
{
	if (take_room(writer, SMALL_LINE_MM * lines_of(text, 2 * TEXT_MOST, WIDTH_PAGE)))
		put(writer->stream, "<p class=\"say\">", text, 2 * TEXT_MOST, "</p>\n");
}

static double height_of_verdict(const struct writer_verdict *verdict)
{
	double name_mm = LINE_MM * (1 + 1.3 * lines_of(verdict->name, NAME_MOST, WIDTH_NAME));
	double value_mm = SMALL_LINE_MM * (2 + lines_of(verdict->exact, 2 * TEXT_MOST, WIDTH_VALUE) +
					   lines_of(verdict->quantity, TEXT_MOST, WIDTH_VALUE));
	char details[4096] = "";

	for (size_t i = 0; i < verdict->facts.count; i++)
		text_add(details, sizeof(details), "%.60s %.110s - ", verdict->facts.list[i].label,
			 verdict->facts.list[i].value);
	return FACT_MM +
	       fmax(fmax(name_mm, value_mm),
		    SMALL_LINE_MM * (lines_of(details, sizeof(details), WIDTH_DETAIL) +
				     (*verdict->warning ? lines_of(verdict->warning, TEXT_MOST, WIDTH_DETAIL) : 0)));
}

static void put_verdict(FILE *stream, const struct writer_verdict *verdict)
{
	fprintf(stream, "<tr class=\"%s\"><td>", tones[verdict->tone]);
	put(stream, "<b>", verdict->name, NAME_MOST, "</b><br>");
	put(stream, "<span class=\"state\">", verdict->state, NAME_MOST, "</span></td><td>");
	put(stream, "<span class=\"soft\">", verdict->quantity, TEXT_MOST, "</span><br>");
	put(stream, "<b>", verdict->value, NAME_MOST, " ");
	put(stream, "", verdict->unit, NAME_MOST, "</b>");
	put(stream, "<br><span class=\"soft\">", verdict->exact, 2 * TEXT_MOST, "</span></td><td class=\"facts-of\">");
	for (size_t i = 0; i < verdict->facts.count; i++) {
		put(stream, i ? " \xc2\xb7 " : "", verdict->facts.list[i].label, NAME_MOST, " ");
		put(stream, "<i>", verdict->facts.list[i].value, TEXT_MOST, "</i>");
	}
	if (*verdict->warning)
		put(stream, "<br><i>", verdict->warning, TEXT_MOST, "</i>");
	fputs("</td></tr>\n", stream);
}

static void put_verdicts(struct writer *writer, enum writer_level, const struct writer_verdict *verdicts, size_t count)
{
	fputs("<table class=\"answers\"><tbody>\n", writer->stream);
	for (size_t i = 0; i < count; i++)
		if (take_room_or_count(writer, height_of_verdict(&verdicts[i])))
			put_verdict(writer->stream, &verdicts[i]);
	fputs("</tbody></table>\n", writer->stream);
}

static void put_section(struct writer *writer, enum writer_level, const char *, const char *heading)
{
	if (take_room(writer, HEADING_MM))
		put(writer->stream, "<h2>", heading, NAME_MOST, "</h2>\n");
}

static void put_table(struct writer *writer, const char *, const struct writer_column *, size_t count)
{
	writer->columns = count;
	fputs("<table class=\"asked\"><tbody>\n", writer->stream);
}

static void put_row(struct writer *writer, enum tone tone, const char *const *cells)
{
	double lines = 1;

	for (size_t i = 0; i < writer->columns; i++)
		lines = fmax(lines, lines_of(cells[i], TEXT_MOST, WIDTH_ASKED));
	if (!take_room_or_count(writer, FACT_MM + SMALL_LINE_MM * lines))
		return;
	fprintf(writer->stream, "<tr class=\"%s\">", tones[tone]);
	for (size_t i = 0; i < writer->columns; i++)
		put(writer->stream, i == 1 ? "<td class=\"state\">" : "<td>", cells[i], TEXT_MOST, "</td>");
	fputs("</tr>\n", writer->stream);
}

static void end_table(struct writer *writer)
{
	fputs("</tbody></table>\n", writer->stream);
}

/* What content_put_requirements() and content_put_answers() have of a report. */
static const struct writer_ops ops = {
	.banner = put_banner,
	.verdicts = put_verdicts,
	.section = put_section,
	.table = put_table,
	.row = put_row,
	.table_end = end_table,
};

/* --- pass or fail --------------------------------------------------------------------------------------------------- */

struct outcome {
	enum tone tone;
	const char *word, *addition;  /* the addition says that no device was measured */
	char why[512], measurer[512]; /* the latter: who measured, if not this tester */
};

/* Return the first requirement that was not met; NULL: there is none. */
static const char *missed_requirement(const json_t *document)
{
	json_each (requirement, json_object_get(document, "requirements"))
		if (!read_truth(requirement, "met"))
			return read_text(requirement, "requirement");
	return NULL;
}

/* Return the reason for the outcome of a document without unmet requirements. */
static const char *judge(const json_t *document, enum standing standing, struct outcome *outcome)
{
	const json_t *passed = json_object_get(document, "passed");

	if (json_is_false(passed))
		return "A service is not as agreed";
	if (standing == STANDING_IRREGULAR || (passed && !json_is_true(passed)))
		return read_string(document, "irregular_reason") ?: "A result is missing";
	if (standing == STANDING_LIMITED) {
		*outcome = (struct outcome){ .tone = TONE_WARN, .word = "NO VERDICT" };
		return "The tester limited it: the SUT may do more";
	}
	if (!passed && !json_array_size(json_object_get(document, "requirements"))) {
		*outcome = (struct outcome){ .tone = TONE_PLAIN, .word = "MEASURED" };
		return "No requirement was set, so nothing is judged";
	}
	*outcome = (struct outcome){ .tone = TONE_GOOD, .word = "PASS" };
	return passed ? "Every service is as agreed" : "Every requirement is met";
}

static void add_measurer(struct outcome *outcome, const json_t *measurer)
{
	const char *name = read_text(measurer, "name");
	bool is_simulated = strcmp(name, "sim") == 0;

	outcome->addition = is_simulated ? ", SIMULATED" : "";
	if (is_simulated && outcome->tone == TONE_GOOD)
		outcome->tone = TONE_WARN; /* At a glance it is no device's PASS either. */
	if (is_simulated)
		snprintf(outcome->measurer, sizeof(outcome->measurer), "No device was measured: the model is %s",
			 read_text(measurer, "model"));
	else if (strcmp(name, "exec") == 0)
		snprintf(outcome->measurer, sizeof(outcome->measurer), "An external program measured: %s",
			 read_text(measurer, "command"));
}

/* Return the outcome, by the same order as the exit code: requirements and services first, then the standing of the
 * result. */
static struct outcome outcome_of(const json_t *document)
{
	const char *unmet = missed_requirement(document);
	enum standing standing = standing_of_document(document);
	struct outcome outcome = { .tone = TONE_BAD, .word = "FAIL" };
	const char *why = unmet ?: judge(document, standing, &outcome);

	snprintf(outcome.why, sizeof(outcome.why), "%s%s. The result is %s.", unmet ? "A requirement was not met: " : "",
		 SHORTENED(why, WHY_MOST), standing_word(standing));
	add_measurer(&outcome, document_measurer(document));
	return outcome;
}

/* --- the page ------------------------------------------------------------------------------------------------------- */

static void put_logo(FILE *stream, const struct render_logo *logo)
{
	if (!logo->type)
		return;
	fprintf(stream, "<img class=\"logo\" alt=\"\" src=\"data:%s;base64,", logo->type);
	base64_put(stream, (const uint8_t *)logo->octets, logo->length, 0);
	fputs("\">\n", stream);
}

static const char *title_of(const json_t *document)
{
	return read_string(json_object_get(document, "sut"), "name") ?: "System under test";
}

static void put_head(FILE *stream, const json_t *document, const struct render_logo *logo)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"generator\" content=\"xdp-mlr " XDP_MLR_VERSION "\">\n",
	      stream);
	put(stream, "<title>Test certificate: ", title_of(document), NAME_MOST, "</title>\n");
	fprintf(stream, "<style>\n%s</style>\n</head>\n<body>\n<div class=\"sheet\">\n", style);
	put_logo(stream, logo);
	fputs("<p class=\"brand\">Test certificate</p>\n", stream);
	put(stream, "<h1>", title_of(document), NAME_MOST, "</h1>\n");
	put(stream, "<p class=\"kind\">", content_title(document), NAME_MOST, "</p>\n");
}

static double height_of_outcome(const struct outcome *outcome)
{
	return OUTCOME_MM + LINE_MM * (lines_of(outcome->why, 2 * TEXT_MOST, WIDTH_PAGE) +
				       (*outcome->measurer ? lines_of(outcome->measurer, 2 * TEXT_MOST, WIDTH_PAGE) : 0));
}

static void put_outcome(FILE *stream, const struct outcome *outcome)
{
	fprintf(stream, "<div class=\"outcome %s\"><b>%s%s</b>", tones[outcome->tone], outcome->word, outcome->addition);
	put(stream, "", outcome->why, 2 * TEXT_MOST, "");
	if (*outcome->measurer)
		put(stream, "<br>", outcome->measurer, 2 * TEXT_MOST, "");
	fputs("</div>\n", stream);
}

static double height_of_facts(const struct facts *facts)
{
	double height_mm = HEADING_MM;

	for (size_t i = 0; i < facts->count && i < FACTS_MOST; i++)
		height_mm += FACT_MM + LINE_MM * fmin(FACT_LINES, lines_of(facts->list[i].value, VALUE_MOST, WIDTH_FACT));
	return height_mm;
}

static void put_facts(FILE *stream, const char *heading, struct facts *facts)
{
	put(stream, "<td><h2>", heading, NAME_MOST, "</h2>\n<table class=\"facts\"><tbody>\n");
	for (size_t i = 0; i < facts->count && i < FACTS_MOST; i++) {
		put(stream, "<tr><th>", facts->list[i].label, NAME_MOST, "</th>");
		put(stream, "<td><div>", facts->list[i].value, VALUE_MOST, "</div></td></tr>\n");
	}
	fputs("</tbody></table></td>\n", stream);
	facts_free(facts);
}

/* Return the longest of a duration and of the trials in a list that count. */
static double longest_s(double duration_s, const json_t *trials)
{
	json_each (trial, trials)
		if (!read_truth(trial, "warmup"))
			duration_s = fmax(duration_s, read_number(trial, "trial_duration"));
	return duration_s;
}

/* Add the length of the longest of the trials that count. */
static void add_duration(struct facts *facts, const json_t *document)
{
	const char *option = read_string(json_object_get(document, "configuration"), "trial-duration");
	double duration_s = fmax(read_number(document, "trial_duration"),
				 read_number(json_object_get(document, "trial_result"), "trial_duration"));

	duration_s = longest_s(duration_s, json_object_get(document, "trials"));
	json_each (size, json_object_get(document, "frame_sizes"))
		duration_s = longest_s(duration_s, json_at(size, "/throughput/trials"));
	duration_s = fmax(duration_s, read_number(json_object_get(document, "performance"), "trial_duration"));
	if (!isnan(duration_s))
		facts_add(facts, "Trials", "up to %g s", duration_s);
	else if (option)
		facts_add(facts, "Trials", "%s", option);
}

/* Write the first serial numbers, and how many more there are. Returns whether the text has room. */
static bool write_serials(const json_t *serials, size_t shown, char text[2 * VALUE_MOST])
{
	size_t more = json_array_size(serials) - shown;

	*text = '\0';
	for (size_t i = 0; i < shown; i++)
		text_add(text, 2 * VALUE_MOST, "%s%s", i ? ", " : "", json_string_value(json_array_get(serials, i)) ?: "");
	if (more)
		text_add(text, 2 * VALUE_MOST, shown ? " and %zu more in the Test Report" : "%zu, in the Test Report", more);
	return strlen(text) <= VALUE_MOST && lines_of(text, VALUE_MOST, WIDTH_FACT) <= FACT_LINES;
}

/* Return who tested for whom, with the serial numbers that have room. A new reference. */
static json_t *short_commission(const json_t *document)
{
	json_t *commission = json_copy(json_object_get(document, "commission"));
	const json_t *serials = json_object_get(commission, "serials");
	size_t count = json_array_size(serials), shown = count;
	char text[2 * VALUE_MOST];

	while (count > 1 && !write_serials(serials, shown, text))
		shown--; /* A text with none of them has room. */
	if (shown < count)
		json_put(commission, "serials", json_pack("[s]", text));
	return commission;
}

/* Return how high it is. */
static double put_tested(FILE *stream, const json_t *document)
{
	struct facts tested = { .count = 0 }, run = { .count = 0 };
	json_auto_t *commissioned = json_with("commission", short_commission(document) ?: json_null());
	double height_mm;

	content_add_commission(&tested, commissioned);
	facts_add_member(&tested, "Tester", document, "/environment/hostname", NULL);
	facts_add_member(&tested, "Ports", document, "/configuration/ports", NULL);
	facts_add_member(&tested, "Kernel", document, "/environment/kernel", NULL);
	if (read_string(json_object_get(document, "environment"), "version"))
		facts_add(&tested, "Measured with", "xdp-mlr %s",
			  read_text(json_object_get(document, "environment"), "version"));
	content_add_run(&run, document);
	add_duration(&run, document);
	height_mm = fmax(height_of_facts(&tested), height_of_facts(&run));
	fputs("<table class=\"halves\"><tbody><tr>", stream);
	put_facts(stream, "What was tested", &tested);
	put_facts(stream, "Conditions", &run);
	fputs("</tr></tbody></table>\n", stream);
	return height_mm;
}

/* Add "3 further results" to a sentence. */
static void add_further(char *text, size_t size, size_t count, const char *of_what)
{
	if (count)
		text_add(text, size, "%s%zu further %s%s", *text ? ", and " : "", count, of_what, count == 1 ? "" : "s");
}

/* Return how many of the last requirements were not met. */
static size_t count_unmet(const json_t *requirements, size_t last)
{
	size_t unmet = 0;

	json_each (requirement, requirements)
		unmet += requirement_at + last >= json_array_size(requirements) && !read_truth(requirement, "met");
	return unmet;
}

static void put_rest(FILE *stream, const json_t *document, const struct certificate *certificate)
{
	size_t deviations = json_array_size(json_object_get(document, "deviations"));
	size_t unmet = count_unmet(json_object_get(document, "requirements"), certificate->requirements_left_out);
	char further[2 * TEXT_MOST] = "";

	add_further(further, sizeof(further), certificate->requirements_left_out, "requirement");
	if (certificate->requirements_left_out)
		text_add(further, sizeof(further), unmet ? " (%zu not met)" : " (all met)", unmet);
	add_further(further, sizeof(further), certificate->results_left_out, "result");
	if (!deviations && !*further)
		return;
	fputs("<p class=\"say\">", stream);
	if (deviations)
		fprintf(stream, "The Test Report lists %zu deviation%s from RFC 2544. ", deviations,
			deviations == 1 ? "" : "s");
	if (*further)
		fprintf(stream, "The Test Report has %s, for which this page has no room.", further);
	fputs("</p>\n", stream);
}

static void put_foot(FILE *stream, const json_t *document)
{
	const json_t *commission = json_object_get(document, "commission");

	fputs("<div class=\"foot\"><table class=\"signatures\"><tbody><tr>\n<td><span>Operator", stream);
	put(stream, " <b>", read_text(commission, "operator"), NAME_MOST, "</b></span></td>\n<td><span>Customer");
	put(stream, " <b>", read_text(commission, "customer"), NAME_MOST, "</b></span></td>\n");
	fputs("<td><span>Place and date</span></td>\n</tr></tbody></table>\n"
	      "<p class=\"say\">Made by xdp-mlr " XDP_MLR_VERSION
	      " from the result document, which has every trial. Terms are those of RFC 9971 and RFC 2544.</p>\n</div>\n",
	      stream);
}

bool render_certificate(FILE *stream, const json_t *document, struct render_style render_style)
{
	struct certificate certificate = {
		.writer = { .ops = &ops, .stream = stream, .shown = LEVEL_REFERENCE },
		.room_mm = ROOM_MM - HEADING_MM - REST_MM,
	};
	struct outcome outcome = outcome_of(document);

	certificate.room_mm -= fmax(LOGO_MM, HEAD_MM + 1.8 * LINE_MM * lines_of(title_of(document), NAME_MOST, WIDTH_TITLE));
	certificate.room_mm -= height_of_outcome(&outcome);

	put_head(stream, document, &render_style.logo);
	put_outcome(stream, &outcome);
	certificate.room_mm -= put_tested(stream, document);
	certificate.left_out = &certificate.requirements_left_out;
	content_put_requirements(&certificate.writer, document); /* first, where room is short: the outcome rests on them */
	fputs("<h2>Results</h2>\n", stream);
	certificate.left_out = &certificate.results_left_out;
	content_put_answers(&certificate.writer, document);
	put_rest(stream, document, &certificate);
	put_foot(stream, document);
	fputs("</div>\n</body>\n</html>\n", stream);
	return true;
}
