/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A mutator that changes JSON documents, one or a line each, and leaves them JSON: bytes changed at random rarely do.
 * Include it once. */
#ifndef TESTS_FUZZ_JSON_H
#define TESTS_FUZZ_JSON_H

#include <jansson.h>

#include "fuzz.h"

static json_t *json_odd_value(unsigned int *seed)
{
	static const char *const texts[] = { "",        "-1",  "max", "80%",  "1e308", "xdp-mlr/search/1", "xdp-mlr/trial/1",
					     "\x1b[2J", "<b>", "a,b", "ndr=1" };
	static const double numbers[] = { 0, -1, 0.5, 1e-320, 1e18, 1e300, -1e300, 4294967296.0 };
	static const json_int_t integers[] = { 0, -1, 1, 255, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN };

	switch (fuzz_random(seed, 8)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(fuzz_random(seed, 2));
	case 2:
		return json_string(texts[fuzz_random(seed, sizeof(texts) / sizeof(*texts))]);
	case 3:
		return json_array();
	case 4:
		return json_object();
	case 5:
		return json_real(numbers[fuzz_random(seed, sizeof(numbers) / sizeof(*numbers))]);
	default:
		return json_integer(integers[fuzz_random(seed, sizeof(integers) / sizeof(*integers))]);
	}
}

static void json_change_in(json_t *value, unsigned int *seed);

static void json_change_array(json_t *array, unsigned int *seed)
{
	size_t count = json_array_size(array), at = count ? fuzz_random(seed, (uint32_t)count) : 0;

	switch (fuzz_random(seed, 8)) {
	case 0:
		json_array_append_new(array, json_odd_value(seed));
		break;
	case 1:
		json_array_remove(array, at);
		break;
	case 2:
		json_array_append_new(array, json_deep_copy(json_array_get(array, at)));
		break;
	case 3:
		json_array_set_new(array, at, json_odd_value(seed));
		break;
	default:
		json_change_in(json_array_get(array, at), seed);
	}
}

static void json_change_object(json_t *object, unsigned int *seed)
{
	size_t count = json_object_size(object), at = count ? fuzz_random(seed, (uint32_t)count) : 0;
	void *member = json_object_iter(object);
	json_t *value;
	char *key;

	for (; at && member; at--)
		member = json_object_iter_next(object, member);
	if (!member)
		return;
	key = strdup(json_object_iter_key(member));
	value = json_object_iter_value(member);
	switch (fuzz_random(seed, 8)) {
	case 0:
		json_object_del(object, key);
		break;
	case 1:
		json_object_set_new(object, key, json_odd_value(seed));
		break;
	case 2: /* the value of another member */
		member = json_object_iter_next(object, member);
		if (member)
			json_object_set_new(object, key, json_deep_copy(json_object_iter_value(member)));
		break;
	default:
		if (json_is_array(value) || json_is_object(value))
			json_change_in(value, seed);
		else
			json_object_set_new(object, key, json_odd_value(seed));
	}
	free(key);
}

static void json_change_in(json_t *value, unsigned int *seed)
{
	if (json_is_array(value))
		json_change_array(value, seed);
	else if (json_is_object(value))
		json_change_object(value, seed);
}

/* Changes one document of a stream of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	json_error_t error = { .position = 0 };
	json_t *document;
	size_t start = 0, octets;
	uint32_t skip = fuzz_random(&seed, 4);
	char *text;

	if (fuzz_random(&seed, 8) == 0)
		return LLVMFuzzerMutate(data, size, most);
	document = json_loadb((const char *)data, size, JSON_DISABLE_EOF_CHECK, &error);
	while (document && skip && (size_t)error.position < size - start) {
		json_t *next = json_loadb((const char *)data + start + error.position, size - start - (size_t)error.position,
					  JSON_DISABLE_EOF_CHECK, NULL);

		if (!next)
			break;
		json_decref(document);
		document = next;
		start += (size_t)error.position;
		json_decref(json_loadb((const char *)data + start, size - start, JSON_DISABLE_EOF_CHECK, &error));
		skip--;
	}
	if (!document)
		return LLVMFuzzerMutate(data, size, most);
	for (uint32_t changes = 1 + fuzz_random(&seed, 4); changes; changes--)
		json_change_in(document, &seed);
	text = json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(document);
	octets = text ? strlen(text) : 0;
	if (text && octets < most - start) {
		size_t rest = start + (size_t)error.position < size ? size - start - (size_t)error.position : 0;

		if (start + octets + rest > most)
			rest = most - start - octets;
		memmove(data + start + octets, data + size - rest, rest);
		memcpy(data + start, text, octets);
		size = start + octets + rest;
	}
	free(text);
	return size;
}

#endif
