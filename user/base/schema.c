/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/schema.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "base/message.h"

#define NAME_SIZE  64
#define PATH_SIZE  256
#define DEPTH_MOST 200 /* depth of nested values at most; ours have some ten */

struct check {
	json_t *files; /* schemas that were read so far, by their names */
	size_t depth;
	bool quiet; /* inside a choice, where a branch that does not fit is no fault yet */
	char path[PATH_SIZE];
	char *problem; /* the first one; empty: none */
};

static bool fits(struct check *check, const json_t *schema, const char *file, const json_t *value);

__attribute__((format(printf, 2, 3))) static bool wrong(struct check *check, const char *format, ...)
{
	const char *where = QUOTED(check->path);
	char text[PATH_SIZE];
	va_list arguments;

	if (check->quiet || *check->problem)
		return false;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	snprintf(check->problem, SCHEMA_PROBLEM_SIZE, "%s: %s", *where ? where : "/", text);
	return false;
}

/* --- schemas -------------------------------------------------------------------------------------------------------- */

/* The schemas, each by its symbol and its name. */
/* clang-format off */
#define SCHEMAS(X) \
	X(schema_campaign, "campaign") X(schema_campaign_status, "campaign-status") \
	X(schema_common, "common") X(schema_compare, "compare") \
	X(schema_events, "events") X(schema_lab, "lab") \
	X(schema_plan, "plan") X(schema_probe, "probe") \
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
	size_t length;
	const char *text = schema ? NULL : schema_text(name, &length);

	if (text && (schema = json_loadb(text, length, 0, NULL)))
		json_object_set_new(check->files, name, schema);
	return schema;
}

/* Return where "NAME.schema.json#/a/b" or "#/a/b" leads. *file becomes the name of the schema that it is in. */
static const json_t *follow(struct check *check, const char *reference, const char **file, char name[NAME_SIZE])
{
	const char *hash = strchr(reference, '#'), *dot = strchr(reference, '.');
	char steps[PATH_SIZE], *rest = steps, *step;
	const json_t *target;

	if (dot && dot < hash) {
		snprintf(name, NAME_SIZE, "%.*s", (int)(dot - reference), reference);
		*file = name;
	}
	target = read_schema(check, *file);
	snprintf(steps, sizeof(steps), "%s", hash[1] ? hash + 2 : "");
	while (*steps && (step = strsep(&rest, "/")))
		target = json_object_get(target, step);
	return target;
}

/* --- one value ------------------------------------------------------------------------------------------------------ */

static bool is_type(const json_t *value, const char *type)
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
	/* jq writes large integers so */
	return strcmp(type, "integer") == 0 && json_is_real(value) &&
	       json_real_value(value) == floor(json_real_value(value));
}

static bool has_type(struct check *check, const json_t *types, const json_t *value)
{
	owned char *wanted = NULL;

	if (!types || json_is_null(value) || (json_is_string(types) && is_type(value, json_string_value(types))))
		return true;
	for (size_t i = 0; i < json_array_size(types); i++)
		if (is_type(value, json_string_value(json_array_get(types, i))))
			return true;
	wanted = json_dumps(types, JSON_ENCODE_ANY);
	wrong(check, "is no %s", wanted ? wanted : "value of its type");
	return false;
}

static bool in_range(struct check *check, const json_t *schema, const json_t *value)
{
	double number = json_number_value(value), minimum = read_number(schema, "minimum"),
	       above = read_number(schema, "exclusiveMinimum"), maximum = read_number(schema, "maximum");

	if (!json_is_number(value))
		return true;
	if (number < minimum || number <= above || number > maximum || !(fabs(number) <= SCHEMA_NUMBER_MOST))
		return wrong(check, "%g is out of range", number);
	return true;
}

/* --- values in values ----------------------------------------------------------------------------------------------- */

static bool member_fits(struct check *check, const json_t *schema, const char *file, const json_t *value, const char *step)
{
	size_t length = strlen(check->path);
	bool good;

	snprintf(check->path + length, sizeof(check->path) - length, "/%s", step);
	good = fits(check, schema, file, value);
	check->path[length] = '\0';
	return good;
}

static bool members_fit(struct check *check, const json_t *schema, const char *file, const json_t *value)
{
	const json_t *properties = json_object_get(schema, "properties"),
		     *others = json_object_get(schema, "additionalProperties");

	json_each_member (name, member, value) {
		const json_t *of_member = json_object_get(properties, name);

		if (!of_member && json_is_object(others))
			of_member = others;
		if (of_member && !member_fits(check, of_member, file, member, name))
			return false;
	}
	return true;
}

static bool items_fit(struct check *check, const json_t *schema, const char *file, const json_t *value)
{
	const json_t *of_item = json_object_get(schema, "items");

	if ((double)json_array_size(value) > read_number(schema, "maxItems"))
		return wrong(check, "has more than %.0f values", read_number(schema, "maxItems"));
	for (size_t i = 0; of_item && i < json_array_size(value); i++) {
		if (!member_fits(check, of_item, file, json_array_get(value, i), TEXT_OF(NAME_SIZE, "%zu", i)))
			return false;
	}
	return true;
}

/* Any branch may be reported: of several that fit in part, nobody knows which one was meant. */
static bool branch_fits(struct check *check, const json_t *branches, const char *file, const json_t *value)
{
	bool quiet = check->quiet, good = !branches;

	check->quiet = true;
	for (size_t i = 0; !good && i < json_array_size(branches); i++)
		good = fits(check, json_array_get(branches, i), file, value);
	check->quiet = quiet;
	if (good)
		return true;
	/* In "something or null", report the fault of the something. */
	if (json_array_size(branches) == 2 && !json_is_null(value))
		fits(check, json_array_get(branches, 0), file, value);
	return wrong(check, "is not what it may be");
}

static bool reference_fits(struct check *check, const json_t *schema, const char *file, const json_t *value)
{
	const char *reference = read_string(schema, "$ref");
	char name[NAME_SIZE];
	const json_t *target = reference ? follow(check, reference, &file, name) : NULL;

	return !target || fits(check, target, file, value);
}

static bool fits(struct check *check, const json_t *schema, const char *file, const json_t *value)
{
	bool good;

	if (check->depth == DEPTH_MOST)
		return wrong(check, "is nested too deeply");
	check->depth++;
	good = has_type(check, json_object_get(schema, "type"), value) && in_range(check, schema, value) &&
	       members_fit(check, schema, file, value) && items_fit(check, schema, file, value) &&
	       branch_fits(check, json_object_get(schema, "anyOf"), file, value) &&
	       branch_fits(check, json_object_get(schema, "oneOf"), file, value) &&
	       reference_fits(check, schema, file, value);
	check->depth--;
	return good;
}

/* --- a document ----------------------------------------------------------------------------------------------------- */

/* Check every value of a document that no schema describes. */
static bool within_bounds(struct check *check, const json_t *document)
{
	static const char text[] = "{\"additionalProperties\": {\"$ref\": \"#\"}, \"items\": {\"$ref\": \"#\"}}";
	json_t *anything = json_loads(text, 0, NULL);

	json_object_set_new(check->files, "anything", anything);
	return fits(check, anything, "anything", document);
}

bool schema_fits(const json_t *document, char ret_problem[SCHEMA_PROBLEM_SIZE])
{
	static json_t *parsed; /* schemas are read once: the documents of a folder have the same */
	struct check check = { .files = parsed ?: (parsed = json_object()), .problem = ret_problem };
	const json_t *schema = NULL;
	char name[NAME_SIZE];
	int version = 0;

	*ret_problem = '\0';
	if (sscanf(read_text(document, "schema"), "xdp-mlr/%63[^/]/%d", name, &version) == 2 && version == 1)
		schema = read_schema(&check, name);
	return schema ? fits(&check, schema, name, document) : within_bounds(&check, document);
}
