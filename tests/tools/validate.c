/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Validate JSON against a schema (JSON Schema 2020-12, as much of it as docs/schema/ uses):
 *
 *   validate [--closed] SCHEMA FILE...
 *
 * A file holds one JSON value or several (a stream of events); each is validated. With --closed an object may only have the
 * members that its schema names, unless that says otherwise: so nothing is put out that is not documented. Published
 * schemas are open: a reader must accept what a later version adds.
 *
 * A keyword that is not known here is an error in the schema, and so is a reference that leads nowhere.
 */
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 512
#define WHITE     " \t\r\n"

/* A validation on its way. */
struct validation {
	const char *directory; /* of the schemas */
	json_t *schemas;       /* every file read so far, by its name */
	bool closed;
	bool quiet;           /* within a choice: that a branch does not fit is no error yet */
	char path[PATH_SIZE]; /* of the value, as a JSON pointer */
};

static bool valid(struct validation *validation, const json_t *schema, const char *file, const json_t *value);

/* --- saying what is wrong ------------------------------------------------------------------------------------------- */

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
	va_list arguments;

	fputs("validate: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

__attribute__((format(printf, 2, 3))) static bool wrong(const struct validation *validation, const char *format, ...)
{
	va_list arguments;

	if (validation->quiet)
		return false;
	printf("%s: ", *validation->path ? validation->path : "/");
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	return false;
}

/* --- schemas and references ----------------------------------------------------------------------------------------- */

static const json_t *schema_file(struct validation *validation, const char *name)
{
	json_t *schema = json_object_get(validation->schemas, name);
	char path[PATH_SIZE];
	json_error_t error;

	if (schema)
		return schema;
	snprintf(path, sizeof(path), "%s/%s", validation->directory, name);
	schema = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!schema)
		die("%s:%d: %s", path, error.line, error.text);
	json_object_set_new(validation->schemas, name, schema);
	return schema;
}

/* "file#/a/b" or "#/a/b"; *file becomes the file that it leads into. */
static const json_t *follow(struct validation *validation, const char *reference, const char **file)
{
	const char *hash = strchr(reference, '#');
	char name[PATH_SIZE], *rest, *step;
	const json_t *target;

	if (!hash)
		die("$ref '%s' has no '#'", reference);
	snprintf(name, sizeof(name), "%.*s", (int)(hash - reference), reference);
	target = schema_file(validation, *name ? name : *file);
	if (*name) {
		const char *key;
		json_t *ignored;

		json_object_foreach (validation->schemas, key, ignored)
			if (strcmp(key, name) == 0)
				*file = key;
	}
	snprintf(name, sizeof(name), "%s", hash + 1);
	rest = *name ? name + 1 : NULL;
	while (rest && (step = strsep(&rest, "/")))
		target = json_object_get(target, step);
	if (!target)
		die("$ref '%s' leads nowhere", reference);
	return target;
}

/* --- keywords ------------------------------------------------------------------------------------------------------- */

static bool is_type(const json_t *value, const char *type)
{
	if (strcmp(type, "integer") == 0)
		return json_is_integer(value) ||
		       (json_is_real(value) && json_real_value(value) == floor(json_real_value(value)));
	if (strcmp(type, "number") == 0)
		return json_is_number(value);
	if (strcmp(type, "string") == 0)
		return json_is_string(value);
	if (strcmp(type, "boolean") == 0)
		return json_is_boolean(value);
	if (strcmp(type, "null") == 0)
		return json_is_null(value);
	if (strcmp(type, "object") == 0)
		return json_is_object(value);
	if (strcmp(type, "array") == 0)
		return json_is_array(value);
	die("no type '%s'", type);
}

static bool check_type(struct validation *validation, const json_t *types, const char *file, const json_t *value)
{
	char *wanted;

	(void)file;
	if (json_is_string(types) && is_type(value, json_string_value(types)))
		return true;
	for (size_t i = 0; i < json_array_size(types); i++)
		if (is_type(value, json_string_value(json_array_get(types, i))))
			return true;
	wanted = json_dumps(types, JSON_ENCODE_ANY);
	wrong(validation, "is not of type %s", wanted);
	free(wanted);
	return false;
}

static bool check_enum(struct validation *validation, const json_t *allowed, const char *file, const json_t *value)
{
	(void)file;
	for (size_t i = 0; i < json_array_size(allowed); i++)
		if (json_equal(json_array_get(allowed, i), value))
			return true;
	return wrong(validation, "is none of the values allowed");
}

static bool check_const(struct validation *validation, const json_t *only, const char *file, const json_t *value)
{
	(void)file;
	return json_equal(only, value) || wrong(validation, "is not the one value allowed");
}

/* Numbers only: other types are not measured. */
static bool check_minimum(struct validation *validation, const json_t *limit, const char *file, const json_t *value)
{
	(void)file;
	return !json_is_number(value) || json_number_value(value) >= json_number_value(limit) ||
	       wrong(validation, "is below %g", json_number_value(limit));
}

static bool check_exclusive_minimum(struct validation *validation, const json_t *limit, const char *file,
				    const json_t *value)
{
	(void)file;
	return !json_is_number(value) || json_number_value(value) > json_number_value(limit) ||
	       wrong(validation, "is not above %g", json_number_value(limit));
}

static bool check_maximum(struct validation *validation, const json_t *limit, const char *file, const json_t *value)
{
	(void)file;
	return !json_is_number(value) || json_number_value(value) <= json_number_value(limit) ||
	       wrong(validation, "is above %g", json_number_value(limit));
}

static bool check_min_items(struct validation *validation, const json_t *limit, const char *file, const json_t *value)
{
	(void)file;
	return !json_is_array(value) || (json_int_t)json_array_size(value) >= json_integer_value(limit) ||
	       wrong(validation, "has too few items");
}

static bool check_max_items(struct validation *validation, const json_t *limit, const char *file, const json_t *value)
{
	(void)file;
	return !json_is_array(value) || (json_int_t)json_array_size(value) <= json_integer_value(limit) ||
	       wrong(validation, "has too many items");
}

static bool check_required(struct validation *validation, const json_t *names, const char *file, const json_t *value)
{
	bool good = true;

	(void)file;
	for (size_t i = 0; json_is_object(value) && i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (!json_object_get(value, name))
			good = wrong(validation, "lacks '%s'", name);
	}
	return good;
}

/* A value within the value. */
static bool valid_within(struct validation *validation, const json_t *schema, const char *file, const json_t *value,
			 const char *step)
{
	size_t length = strlen(validation->path);
	bool good;

	snprintf(validation->path + length, sizeof(validation->path) - length, "/%s", step);
	good = valid(validation, schema, file, value);
	validation->path[length] = '\0';
	return good;
}

static bool check_properties(struct validation *validation, const json_t *properties, const char *file, const json_t *value)
{
	const char *name;
	json_t *member;
	bool good = true;

	json_object_foreach ((json_t *)value, name, member) {
		const json_t *schema = json_object_get(properties, name);

		if (schema)
			good &= valid_within(validation, schema, file, member, name);
	}
	return good;
}

static bool check_items(struct validation *validation, const json_t *schema, const char *file, const json_t *value)
{
	bool good = true;

	for (size_t i = 0; i < json_array_size(value); i++) {
		char step[24];

		snprintf(step, sizeof(step), "%zu", i);
		good &= valid_within(validation, schema, file, json_array_get(value, i), step);
	}
	return good;
}

/* How many of the branches fit. */
static size_t fitting(struct validation *validation, const json_t *branches, const char *file, const json_t *value)
{
	bool quiet = validation->quiet;
	size_t count = 0;

	validation->quiet = true;
	for (size_t i = 0; i < json_array_size(branches); i++)
		count += valid(validation, json_array_get(branches, i), file, value);
	validation->quiet = quiet;
	return count;
}

static bool check_one_of(struct validation *validation, const json_t *branches, const char *file, const json_t *value)
{
	size_t count = fitting(validation, branches, file, value);

	return count == 1 || wrong(validation, "fits %zu of the alternatives, not one", count);
}

static bool check_any_of(struct validation *validation, const json_t *branches, const char *file, const json_t *value)
{
	if (fitting(validation, branches, file, value) > 0)
		return true;
	/* something or null: say what is wrong with something */
	if (json_is_object(value) && json_array_size(branches) == 2)
		return valid(validation, json_array_get(branches, 0), file, value) &&
		       valid(validation, json_array_get(branches, 1), file, value);
	return wrong(validation, "fits none of the alternatives");
}

static bool check_reference(struct validation *validation, const json_t *reference, const char *file, const json_t *value)
{
	const json_t *target = follow(validation, json_string_value(reference), &file);

	return valid(validation, target, file, value);
}

static bool check_nothing(struct validation *validation, const json_t *keyword, const char *file, const json_t *value)
{
	(void)validation;
	(void)keyword;
	(void)file;
	(void)value;
	return true;
}

static const struct keyword {
	const char *name;
	bool (*check)(struct validation *validation, const json_t *keyword, const char *file, const json_t *value);
} keywords[] = {
	{ "$schema", check_nothing },
	{ "$defs", check_nothing },
	{ "$comment", check_nothing },
	{ "title", check_nothing },
	{ "description", check_nothing },
	{ "additionalProperties", check_nothing }, /* in check_members */
	{ "$ref", check_reference },
	{ "type", check_type },
	{ "enum", check_enum },
	{ "const", check_const },
	{ "minimum", check_minimum },
	{ "exclusiveMinimum", check_exclusive_minimum },
	{ "maximum", check_maximum },
	{ "minItems", check_min_items },
	{ "maxItems", check_max_items },
	{ "required", check_required },
	{ "properties", check_properties },
	{ "items", check_items },
	{ "oneOf", check_one_of },
	{ "anyOf", check_any_of },
};

/* Members that "properties" does not name. */
static bool check_members(struct validation *validation, const json_t *schema, const char *file, const json_t *value)
{
	const json_t *properties = json_object_get(schema, "properties"),
		     *rule = json_object_get(schema, "additionalProperties");
	const char *name;
	json_t *member;
	bool good = true;

	json_object_foreach ((json_t *)value, name, member) {
		if (json_object_get(properties, name) || (!rule && !properties))
			continue;
		if (json_is_object(rule))
			good &= valid_within(validation, rule, file, member, name);
		else if (json_is_false(rule) || (!rule && validation->closed))
			good = wrong(validation, "has '%s', of which the schema says nothing", name);
	}
	return good;
}

static bool valid(struct validation *validation, const json_t *schema, const char *file, const json_t *value)
{
	const char *name;
	json_t *keyword;
	bool good = true;

	json_object_foreach ((json_t *)schema, name, keyword) {
		size_t i = 0;

		while (i < sizeof(keywords) / sizeof(*keywords) && strcmp(keywords[i].name, name) != 0)
			i++;
		if (i == sizeof(keywords) / sizeof(*keywords))
			die("%s: no keyword '%s'", file, name);
		good &= keywords[i].check(validation, keyword, file, value);
	}
	return check_members(validation, schema, file, value) && good;
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

/* The whole of a file; the caller frees it. */
static char *read_file(const char *path, size_t *ret_length)
{
	FILE *from = strcmp(path, "-") ? fopen(path, "re") : stdin, *to;
	char *text = NULL, block[65536];
	size_t count;

	to = open_memstream(&text, ret_length);
	if (!from || !to)
		die("cannot read %s", path);
	while ((count = fread(block, 1, sizeof(block), from)) > 0)
		fwrite(block, 1, count, to);
	fclose(from);
	fclose(to);
	return text;
}

static bool valid_file(struct validation *validation, const char *schema, const char *path)
{
	size_t length, at = 0, count = 0;
	char *text = read_file(path, &length);
	bool good = true;

	for (at = strspn(text, WHITE); at < length; at += strspn(text + at, WHITE)) {
		json_error_t error;
		json_t *value = json_loadb(text + at, length - at, JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, &error);

		if (!value)
			die("%s: value %zu: %s", path, count + 1, error.text);
		good &= valid(validation, schema_file(validation, schema), schema, value);
		json_decref(value);
		at += (size_t)error.position;
		count++;
	}
	if (!count)
		die("%s holds no JSON", path);
	if (!good)
		printf("%s does not fit %s\n", path, schema);
	free(text);
	return good;
}

int main(int argc, char **argv)
{
	struct validation validation = { .schemas = json_object() };
	int next = 1, good = true;
	char *directory, *name;

	if (next < argc && strcmp(argv[next], "--closed") == 0) {
		validation.closed = true;
		next++;
	}
	if (argc - next < 2)
		die("usage: validate [--closed] SCHEMA FILE...");
	directory = strdup(argv[next]);
	name = strdup(argv[next++]);
	validation.directory = dirname(directory);
	for (; next < argc; next++)
		good &= valid_file(&validation, basename(name), argv[next]);
	json_decref(validation.schemas);
	free(directory);
	free(name);
	return good ? 0 : 1;
}
