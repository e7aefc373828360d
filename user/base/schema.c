/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/schema.h"

#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_value.h"
#include "base/message.h"
#include "base/units.h"

#define NAME_SIZE  64
#define DEPTH_MOST 200 /* depth of nested values at most; ours have some ten */

struct check {
	json_t *files;         /* schemas that were read so far, by their names */
	const char *directory; /* folder of the schemas; NULL: those in the program */
	enum schema_rigour rigour;
	size_t depth;
	bool quiet; /* inside a choice, where a branch that does not fit is no fault yet */
	char path[SCHEMA_PATH_SIZE];
	struct schema_fault *fault; /* the first fault; it has no text if there is none yet */
};

/* A schema, and the name of the file that it is in. */
struct rules {
	const json_t *schema;
	const char *file;
};

static bool fits(struct check *check, struct rules rules, const json_t *value);

/* Write what a message about a value of a configuration begins with: its key, and the value if it is no secret. */
static const char *subject_of(const struct check *check, struct rules rules, const json_t *value, char buffer[NAME_SIZE * 2])
{
	const char *step = strrchr(check->path, '/'), *text = json_string_value(value);

	step = step ? step + 1 : read_text(rules.schema, "title");
	buffer[0] = '\0';
	if (step[strspn(step, "0123456789")]) /* The step is not the number of an item. */
		text_add(buffer, NAME_SIZE * 2, "%.40s", step);
	if (text && !read_truth(rules.schema, "writeOnly"))
		text_add(buffer, NAME_SIZE * 2, "%s'%.60s'", *buffer ? " " : "", QUOTED(text));
	if (*buffer)
		text_add(buffer, NAME_SIZE * 2, ": ");
	return buffer;
}

/* Report a fault of a value, or of a key in it. For a configuration the description says what must stand there. */
__attribute__((format(printf, 5, 6))) static bool wrong(struct check *check, struct rules rules, const json_t *value,
							const char *key, const char *format, ...)
{
	struct schema_fault *fault = check->fault;
	char text[sizeof(fault->text)];
	va_list arguments;

	if (check->quiet || *fault->text)
		return false;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (check->rigour == SCHEMA_CONFIGURATION && !key)
		snprintf(fault->text, sizeof(fault->text), "%s%s", subject_of(check, rules, value, ROOM(NAME_SIZE * 2)),
			 read_string(rules.schema, "description") ?: text);
	else
		strcpy(fault->text, text);
	snprintf(fault->path, sizeof(fault->path), "%s", check->path);
	fault->value = value;
	fault->key = key;
	return false;
}

/* Report a fault of the schema itself. */
__attribute__((format(printf, 2, 3))) static void wrong_schema(struct check *check, const char *format, ...)
{
	va_list arguments;

	if (check->fault->of_schema || check->rigour == SCHEMA_LENIENT)
		return;
	va_start(arguments, format);
	vsnprintf(check->fault->text, sizeof(check->fault->text), format, arguments);
	va_end(arguments);
	check->fault->of_schema = true;
}

/* --- schemas -------------------------------------------------------------------------------------------------------- */

/* The schemas, each by its symbol and its name. */
/* clang-format off */
#define SCHEMAS(X) \
	X(schema_appliance_settings, "appliance-settings") X(schema_campaign, "campaign") \
	X(schema_campaign_file, "campaign-file") X(schema_campaign_status, "campaign-status") \
	X(schema_common, "common") X(schema_compare, "compare") \
	X(schema_connect, "connect") X(schema_events, "events") \
	X(schema_lab, "lab") X(schema_plan, "plan") X(schema_probe, "probe") \
	X(schema_profile, "profile") X(schema_rfc2544, "rfc2544") \
	X(schema_search, "search") X(schema_selftest, "selftest") \
	X(schema_soak, "soak") X(schema_sweep, "sweep") \
	X(schema_trend, "trend") X(schema_trial, "trial") \
	X(schema_y1564, "y1564")
/* clang-format on */

/* Declare the file's octets, which lie between two symbols. */
#define EMBED(symbol, name)                                                                                                 \
	extern const char symbol##_begin[], symbol##_end[];                                                                 \
	__asm__(".section .rodata\n" #symbol "_begin:\n\t.incbin \"docs/schema/" name ".schema.json\"\n" #symbol            \
		"_end:\n\t.byte 0\n\t.previous\n");
#define ROW(symbol, name) { name, symbol##_begin, symbol##_end },

SCHEMAS(EMBED)

/* Return the JSON text of NAME.schema.json ("search", "common", ...). NULL: there is none. */
static const char *schema_text(const char *name, size_t *ret_length)
{
	static const struct {
		const char *name, *begin, *end;
	} schemas[] = { SCHEMAS(ROW) };

	for (size_t i = 0; i < COUNT(schemas); i++) {
		if (strcmp(schemas[i].name, name) != 0)
			continue;
		*ret_length = (size_t)(schemas[i].end - schemas[i].begin);
		return schemas[i].begin;
	}
	return NULL;
}

/* Return the schema of this name, which is kept. NULL: there is none, or no memory for it. */
static const json_t *read_schema(struct check *check, const char *name)
{
	json_t *schema = json_object_get(check->files, name);
	json_error_t error = { 0 };
	const char *text;
	size_t length;

	if (schema)
		return schema;
	if (check->directory)
		schema = json_load_file(TEXT_OF(SCHEMA_PATH_SIZE, "%s/%s.schema.json", check->directory, name),
					JSON_REJECT_DUPLICATES, &error);
	else if ((text = schema_text(name, &length)))
		schema = json_loadb(text, length, 0, &error);
	if (schema)
		json_put(check->files, name, schema);
	else
		wrong_schema(check, "%s.schema.json:%d: %s", name, error.line, error.text);
	return schema;
}

/* Return where "NAME.schema.json#/a/b" or "#/a/b" leads. */
static struct rules follow(struct check *check, const char *reference, const char *file, char name[NAME_SIZE])
{
	const char *hash = strchrnul(reference, '#'), *dot = strchr(reference, '.');
	char steps[SCHEMA_PATH_SIZE], *rest = steps, *step;
	struct rules target = { .file = file };

	if (dot && dot < hash) {
		snprintf(name, NAME_SIZE, "%.*s", (int)(dot - reference), reference);
		target.file = name;
	}
	target.schema = read_schema(check, target.file);
	snprintf(steps, sizeof(steps), "%s", *hash && hash[1] ? hash + 2 : "");
	while (*steps && (step = strsep(&rest, "/")))
		target.schema = json_object_get(target.schema, step);
	if (!target.schema)
		wrong_schema(check, "$ref '%s' leads nowhere", reference);
	return target;
}

/* --- one value ------------------------------------------------------------------------------------------------------ */

/* Whether a text of a configuration reads as a value of this type. */
static bool reads_as(const char *text, const char *type)
{
	double number;

	if (strcmp(type, "boolean") == 0)
		return is_one_of(text, "true false yes no");
	if (!is_one_of(type, "integer number") || !parse_number(text, &number))
		return false;
	return strcmp(type, "number") == 0 || number == floor(number);
}

static bool is_type(const struct check *check, const json_t *value, const char *type)
{
	static const struct {
		const char *name;
		json_type type;
	} types[] = {
		{ "object", JSON_OBJECT },   { "array", JSON_ARRAY },  { "string", JSON_STRING },
		{ "null", JSON_NULL },       { "number", JSON_REAL },  { "number", JSON_INTEGER },
		{ "integer", JSON_INTEGER }, { "boolean", JSON_TRUE }, { "boolean", JSON_FALSE },
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (json_typeof(value) == types[i].type && strcmp(type, types[i].name) == 0)
			return true;
	if (check->rigour == SCHEMA_CONFIGURATION)
		return json_is_string(value) && reads_as(json_string_value(value), type);
	/* jq writes large integers so */
	return strcmp(type, "integer") == 0 && json_is_real(value) &&
	       json_real_value(value) == floor(json_real_value(value));
}

static bool is_any_type(const struct check *check, const json_t *value, const json_t *types)
{
	if (json_is_string(types))
		return is_type(check, value, json_string_value(types));
	json_each (type, types)
		if (is_type(check, value, json_string_value(type)))
			return true;
	return false;
}

static bool has_type(struct check *check, const json_t *types, struct rules rules, const json_t *value)
{
	owned char *wanted = NULL;

	if (is_any_type(check, value, types) || (check->rigour == SCHEMA_LENIENT && json_is_null(value)))
		return true;
	if (check->rigour == SCHEMA_CONFIGURATION)
		return wrong(check, rules, value, NULL, "%s must stand here",
			     !json_is_string(types) || !is_one_of(json_string_value(types), "object array") ? "a plain value"
			     : strcmp(json_string_value(types), "object") == 0 ? "settings and their values"
									       : "a list");
	wanted = json_dumps(types, JSON_ENCODE_ANY);
	return wrong(check, rules, value, NULL, "is no %s", wanted ? wanted : "value of its type");
}

/* What is no number passes, because its type is checked elsewhere. */
static bool in_range(struct check *check, const json_t *, struct rules rules, const json_t *value)
{
	double number = json_number_value(value), minimum = read_number(rules.schema, "minimum"),
	       above = read_number(rules.schema, "exclusiveMinimum"), maximum = read_number(rules.schema, "maximum");

	if (check->rigour == SCHEMA_CONFIGURATION && json_is_string(value)) {
		if (!parse_number(json_string_value(value), &number))
			return true;
	} else if (!json_is_number(value)) {
		return true;
	}
	if (number < minimum || number <= above || number > maximum)
		return wrong(check, rules, value, NULL, "%g is out of range", number);
	return true;
}

static bool is_listed(struct check *check, const json_t *allowed, struct rules rules, const json_t *value)
{
	char words[WORDS_SIZE] = "";

	json_each (item, allowed) {
		if (json_equal(item, value))
			return true;
		text_join(words, sizeof(words), item_at + 1 < json_array_size(allowed) ? ", " : " or ", "%s",
			  json_is_string(item) ? json_string_value(item) : "null");
	}
	return wrong(check, rules, value, NULL, "must be %s", words);
}

static bool is_only(struct check *check, const json_t *only, struct rules rules, const json_t *value)
{
	return json_equal(only, value) || wrong(check, rules, value, NULL, "is not the one value that is allowed");
}

static bool matches(struct check *check, const json_t *pattern, struct rules rules, const json_t *value)
{
	const char *text = json_string_value(value);
	regex_t expression;
	bool good;

	if (!text)
		return true;
	if (regcomp(&expression, json_string_value(pattern), REG_EXTENDED | REG_NOSUB)) {
		wrong_schema(check, "pattern '%s' cannot be read", json_string_value(pattern));
		return true;
	}
	good = regexec(&expression, text, 0, NULL, 0) == 0;
	regfree(&expression);
	return good || wrong(check, rules, value, NULL, "has another form than %s", json_string_value(pattern));
}

static bool is_not_too_long(struct check *check, const json_t *most, struct rules rules, const json_t *value)
{
	return (json_int_t)json_string_length(value) <= json_integer_value(most) ||
	       wrong(check, rules, value, NULL, "is too long");
}

/* --- values in values ----------------------------------------------------------------------------------------------- */

static bool member_fits(struct check *check, struct rules rules, const json_t *value, const char *step)
{
	size_t length = strlen(check->path);
	bool good;

	snprintf(check->path + length, sizeof(check->path) - length, "/%s", step);
	good = fits(check, rules, value);
	check->path[length] = '\0';
	return good;
}

static bool has_required(struct check *check, const json_t *names, struct rules rules, const json_t *value)
{
	json_each (name, names)
		if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
			return wrong(check, rules, value, NULL, "lacks '%s'", json_string_value(name));
	return true;
}

/* Report a key that may not be there, and name those that may: "a, b and c". */
static bool is_unknown(struct check *check, struct rules rules, const json_t *value, const char *key)
{
	const json_t *properties = json_object_get(rules.schema, "properties");
	size_t left = json_object_size(properties);
	char names[SCHEMA_PROBLEM_SIZE] = "";

	if (check->rigour != SCHEMA_CONFIGURATION)
		return wrong(check, rules, value, key, "has '%s', of which the schema says nothing", key);
	json_each_member (name, property, properties)
		text_join(names, sizeof(names), --left ? ", " : " and ", "%s", name);
	return wrong(check, rules, value, key, "no setting '%s' of the %s; there are %s", QUOTED(key),
		     read_text(rules.schema, "title"), names);
}

static bool named_fit(struct check *check, const json_t *properties, struct rules rules, const json_t *value)
{
	bool is_closed = check->rigour == SCHEMA_CLOSED && !json_object_get(rules.schema, "additionalProperties");

	json_each_member (name, member, value) {
		const json_t *schema = json_object_get(properties, name);

		if (schema ? !member_fits(check, (struct rules){ schema, rules.file }, member, name)
			   : is_closed && !is_unknown(check, rules, value, name))
			return false;
	}
	return true;
}

static bool others_fit(struct check *check, const json_t *schema, struct rules rules, const json_t *value)
{
	const json_t *properties = json_object_get(rules.schema, "properties");

	json_each_member (name, member, value) {
		if (json_object_get(properties, name))
			continue;
		if (json_is_false(schema) && check->rigour != SCHEMA_LENIENT)
			return is_unknown(check, rules, value, name);
		if (json_is_object(schema) && !member_fits(check, (struct rules){ schema, rules.file }, member, name))
			return false;
	}
	return true;
}

static bool has_enough(struct check *check, const json_t *least, struct rules rules, const json_t *value)
{
	return !json_is_array(value) || (json_int_t)json_array_size(value) >= json_integer_value(least) ||
	       wrong(check, rules, value, NULL, "has too few values");
}

/* The fault is reported for the first value that is too much. */
static bool has_not_too_many(struct check *check, const json_t *most, struct rules, const json_t *value)
{
	const json_t *beyond = json_array_get(value, (size_t)json_integer_value(most));

	return !beyond || wrong(check, (struct rules){ NULL }, beyond, NULL, "has more than %lld values",
				(long long)json_integer_value(most));
}

static bool items_fit(struct check *check, const json_t *schema, struct rules rules, const json_t *value)
{
	json_each (item, value)
		if (!member_fits(check, (struct rules){ schema, rules.file }, item, TEXT_OF(NAME_SIZE, "%zu", item_at)))
			return false;
	return true;
}

static size_t count_fitting(struct check *check, const json_t *branches, struct rules rules, const json_t *value)
{
	bool quiet = check->quiet;
	size_t count = 0;

	check->quiet = true;
	json_each (branch, branches)
		count += fits(check, (struct rules){ branch, rules.file }, value);
	check->quiet = quiet;
	return count;
}

/* Any branch may fit. If none does, report the fault of the one that has the type of the value. */
static bool any_fits(struct check *check, const json_t *branches, struct rules rules, const json_t *value)
{
	if (count_fitting(check, branches, rules, value))
		return true;
	json_each (branch, branches) {
		const json_t *type = json_object_get(branch, "type");

		/* In "something or null", report the fault of the something. */
		if (type ? is_any_type(check, value, type) : json_array_size(branches) == 2 && !json_is_null(value))
			return fits(check, (struct rules){ branch, rules.file }, value);
	}
	return wrong(check, rules, value, NULL, "is not what it may be");
}

static bool one_fits(struct check *check, const json_t *branches, struct rules rules, const json_t *value)
{
	size_t count = count_fitting(check, branches, rules, value);

	return count == 1 || (count && check->rigour == SCHEMA_LENIENT) ||
	       wrong(check, rules, value, NULL, "fits %zu of the alternatives, not one", count);
}

static bool reference_fits(struct check *check, const json_t *reference, struct rules rules, const json_t *value)
{
	char name[NAME_SIZE];
	struct rules target = follow(check, json_string_value(reference), rules.file, name);

	return !target.schema || fits(check, target, value);
}

/* --- keywords ------------------------------------------------------------------------------------------------------- */

/* Keywords, in the order in which they are checked. */
static const struct keyword {
	const char *name;
	bool is_lenient; /* The document is checked leniently, too. */
	/* NULL: the keyword is for readers only */
	bool (*check)(struct check *check, const json_t *keyword, struct rules rules, const json_t *value);
} keywords[] = {
	{ "type", true, has_type },
	{ "minimum", true, in_range },
	{ "exclusiveMinimum", true, in_range },
	{ "maximum", true, in_range },
	{ "enum", false, is_listed },
	{ "const", false, is_only },
	{ "pattern", false, matches },
	{ "maxLength", false, is_not_too_long },
	{ "properties", true, named_fit },
	{ "additionalProperties", true, others_fit },
	{ "required", false, has_required },
	{ "minItems", false, has_enough },
	{ "maxItems", true, has_not_too_many },
	{ "items", true, items_fit },
	{ "anyOf", true, any_fits },
	{ "oneOf", true, one_fits },
	{ "$ref", true, reference_fits },
	{ "$schema", false, NULL },
	{ "$defs", false, NULL },
	{ "$comment", false, NULL },
	{ "title", false, NULL },
	{ "description", false, NULL },
	{ "writeOnly", false, NULL },
};

static void check_keywords(struct check *check, struct rules rules)
{
	json_each_member (name, keyword, rules.schema) {
		size_t i = 0;

		while (i < COUNT(keywords) && strcmp(keywords[i].name, name) != 0)
			i++;
		if (i == COUNT(keywords))
			wrong_schema(check, "%s: no keyword '%s'", rules.file, name);
	}
}

static bool fits(struct check *check, struct rules rules, const json_t *value)
{
	bool good = true;

	if (check->depth == DEPTH_MOST)
		return wrong(check, rules, value, NULL, "is nested too deeply");
	if (json_is_number(value) && !(fabs(json_number_value(value)) <= SCHEMA_NUMBER_MOST))
		return wrong(check, rules, value, NULL, "%g is out of range", json_number_value(value));
	if (check->rigour != SCHEMA_LENIENT)
		check_keywords(check, rules);
	check->depth++;
	for (size_t i = 0; i < COUNT(keywords) && good; i++) {
		const json_t *keyword = keywords[i].check && (keywords[i].is_lenient || check->rigour != SCHEMA_LENIENT)
						? json_object_get(rules.schema, keywords[i].name)
						: NULL;

		if (keyword)
			good = keywords[i].check(check, keyword, rules, value);
	}
	check->depth--;
	return good;
}

/* --- a value -------------------------------------------------------------------------------------------------------- */

/* Schemas are read once: the documents of a folder have the same. */
static json_t *parsed;

bool schema_check(const char *directory, const char *name, enum schema_rigour rigour, const json_t *value,
		  struct schema_fault *ret)
{
	struct check check = {
		.files = parsed ?: (parsed = json_object()), .directory = directory, .rigour = rigour, .fault = ret
	};
	struct rules rules = { .file = name };

	*ret = (struct schema_fault){ 0 };
	rules.schema = read_schema(&check, name);
	return rules.schema && fits(&check, rules, value) && !ret->of_schema;
}

bool schema_fits(const json_t *document, char ret_problem[SCHEMA_PROBLEM_SIZE])
{
	/* without a schema, the limits of numbers are checked in every value */
	static const char anything[] = "{\"additionalProperties\": {\"$ref\": \"#\"}, \"items\": {\"$ref\": \"#\"}}";
	struct schema_fault fault;
	char name[NAME_SIZE];
	int version = 0;

	if (!parsed && (parsed = json_object()))
		json_put(parsed, "anything", json_loads(anything, 0, NULL));
	if (sscanf(read_text(document, "schema"), "xdp-mlr/%63[^/]/%d", name, &version) != 2 || version != 1 ||
	    !schema_text(name, &(size_t){ 0 }))
		snprintf(name, sizeof(name), "anything");
	*ret_problem = '\0';
	if (schema_check(NULL, name, SCHEMA_LENIENT, document, &fault))
		return true;
	snprintf(ret_problem, SCHEMA_PROBLEM_SIZE, "%s: %s", *fault.path ? QUOTED(fault.path) : "/", fault.text);
	return false;
}
