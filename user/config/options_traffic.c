/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This file reads options of the Traffic Profile: sizes, VLAN tags, flows, modifiers. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "config/options_read.h"
#include "mlr/imix.h"

#define VID_MOST       4094
#define PRIORITY_MOST  7
#define PRIORITY_SHIFT 13

/* Parse digits and nothing else, up to a limit. */
static bool parse_digits(const char *text, unsigned long most, unsigned int *ret)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || !*text || *end || text[strspn(text, "0123456789")] || number > most)
		return false;
	*ret = (unsigned int)number;
	return true;
}

/* --- frame sizes ---------------------------------------------------------------------------------------------------- */

static enum exit_code refuse_size(const struct given *given, const char *text)
{
	return refuse_given(given, "'%s' is no frame size; sizes are %d to %d octets, FCS included", text,
			    MLR_FRAME_MIN_OCTETS, MLR_FRAME_MAX_OCTETS);
}

static bool parse_size(const char *text, unsigned int *ret_octets)
{
	return parse_digits(text, MLR_FRAME_MAX_OCTETS, ret_octets) && *ret_octets >= MLR_FRAME_MIN_OCTETS;
}

struct weights {
	struct mlr_size_weight items[MLR_SIZES_MAX];
	unsigned int count;
};

/* "7:64" */
static enum exit_code read_weight(const struct given *given, char *part, void *into)
{
	struct weights *weights = into;
	struct mlr_size_weight *weight = &weights->items[weights->count];
	char *colon = strchr(part, ':');

	if (weights->count++ == MLR_SIZES_MAX)
		return refuse_given(given, "more than %d sizes", MLR_SIZES_MAX);
	if (!colon)
		return refuse_given(given, "'%s' lacks its weight; write WEIGHT:SIZE, as 7:64", part);
	*colon = '\0';
	if (!parse_digits(part, UINT_MAX, &weight->weight) || !weight->weight)
		return refuse_given(given, "'%s' is no weight; weights are whole numbers from 1", part);
	return parse_size(colon + 1, &weight->size_octets) ? EXIT_DONE : refuse_size(given, colon + 1);
}

static enum exit_code read_weights(const struct given *given, const char *text, struct mlr_size_mix *ret)
{
	struct weights weights = { .count = 0 };
	enum exit_code code = read_list(given, text, read_weight, &weights);
	int error = code ? 0 : mlr_size_from_weights(weights.items, weights.count, ret);

	if (error == -E2BIG)
		return refuse_given(given, "the weights, divided by what they have in common, add up to more than %d",
				    MLR_SCHEDULE_MAX);
	return error ? refuse_given(given, "not a list of WEIGHT:SIZE") : code;
}

struct genome {
	char letters[LIST_SIZE];
	unsigned int own_octets[MLR_GENOME_LETTERS];
	bool begun;
};

/* Read the genome, then "z=1518" behind it. */
static enum exit_code read_letter(const struct given *given, char *part, void *into)
{
	struct genome *genome = into;
	char letter = part[0];
	unsigned int octets;

	if (!genome->begun) {
		strcpy(genome->letters, part);
		genome->begun = true;
		return EXIT_DONE;
	}
	if (!letter || part[1] != '=')
		return refuse_given(given, "'%s' behind the genome must be LETTER=SIZE, as z=1518", part);
	if (mlr_genome_letter_octets(letter))
		return refuse_given(given, "the letter %c is %u octets by RFC 6985; use a capital for a size of your own",
				    letter, mlr_genome_letter_octets(letter));
	if (!parse_size(part + 2, &octets))
		return refuse_size(given, part + 2);
	if (letter == 'z')
		genome->own_octets['z' - 'a'] = octets;
	else if (letter >= 'A' && letter <= 'Z')
		genome->own_octets[26 + letter - 'A'] = octets;
	else
		return refuse_given(given,
				    "'%c' cannot have a size of your own; RFC 6985 has z (the MTU) and capitals for that",
				    letter);
	return EXIT_DONE;
}

static enum exit_code refuse_genome(const struct given *given, const char *genome, int error)
{
	unsigned int none[MLR_GENOME_LETTERS] = { 0 };
	struct mlr_size_mix mix;

	if (error == -E2BIG)
		return refuse_given(given, "a genome has at most %d letters of at most %d sizes", MLR_SCHEDULE_MAX,
				    MLR_SIZES_MAX);
	for (; *genome; genome++) {
		char one[] = { *genome, '\0' };

		if (mlr_genome_letter_octets(*genome) > MLR_FRAME_MAX_OCTETS)
			return refuse_given(given, "the letter %c is %u octets by RFC 6985; this tester sends at most %d",
					    *genome, mlr_genome_letter_octets(*genome), MLR_FRAME_MAX_OCTETS);
		if (mlr_size_from_genome(one, none, &mix))
			return refuse_given(given,
					    "RFC 6985 gives '%c' no size; a to i have one, and those of z and of capitals "
					    "are given behind the genome, as genome:aaz,z=1518",
					    *genome);
	}
	return refuse_given(given, "the genome has no letters");
}

/* "aaabz,z=1518" */
static enum exit_code read_genome(const struct given *given, const char *text, struct mlr_size_mix *ret)
{
	struct genome genome = { .begun = false };
	enum exit_code code = read_list(given, text, read_letter, &genome);
	int error;

	if (code)
		return code;
	error = mlr_size_from_genome(genome.letters, genome.own_octets, ret);
	for (char *letter = genome.letters; error && *letter;
	     letter++) /* name the one that is wrong, not one that was given */
		while ((*letter >= 'A' && *letter <= 'Z' && genome.own_octets[26 + *letter - 'A']) ||
		       (*letter >= 'a' && *letter <= 'z' && genome.own_octets[*letter - 'a']))
			memmove(letter, letter + 1, strlen(letter));
	return error ? refuse_genome(given, genome.letters, error) : EXIT_DONE;
}

static const struct named_mix {
	const char *name, *weights;
} named_mixes[] = {
	{ "imix", "7:64,4:594,1:1518" },        /* the simple IMIX */
	{ "imix:csit", "28:64,16:570,4:1518" }, /* IMIX_v4_1 of FD.io CSIT */
};

static const struct named_mix *find_mix(const char *name)
{
	return row_with(named_mixes, COUNT(named_mixes), name, name);
}

static enum exit_code read_mix(const struct given *given, struct mlr_size_mix *ret)
{
	const struct named_mix *mix = find_mix(given->text);
	const char *text = given->text;
	unsigned int octets;

	if (mix)
		return read_weights(given, mix->weights, ret);
	if (strncmp(text, "imix:", 5) == 0)
		return read_weights(given, text + 5, ret);
	if (strncmp(text, "genome:", 7) == 0)
		return read_genome(given, text + 7, ret);
	if (!parse_digits(text, ULONG_MAX, &octets))
		return refuse_given(
			given, "not a whole number of octets; give %d to %d, imix, imix:7:64,4:594,1:1518 or genome:aaabc",
			MLR_FRAME_MIN_OCTETS, MLR_FRAME_MAX_OCTETS);
	if (!parse_size(text, &octets))
		return refuse_given(given, "must be %d to %d octets, FCS included", MLR_FRAME_MIN_OCTETS,
				    MLR_FRAME_MAX_OCTETS);
	*ret = mlr_size_one(octets);
	return EXIT_DONE;
}

enum exit_code read_frame_size(const struct given *given, struct config *config)
{
	enum exit_code code = read_mix(given, &config->sizes);

	if (code == EXIT_DONE)
		config->frame_size_octets = mlr_size_mean_octets(&config->sizes);
	return code;
}

/* --- VLAN tags ------------------------------------------------------------------------------------------------------ */

/* "VID[:PRIORITY]" */
static enum exit_code read_tag(const struct given *given, char *part, void *into)
{
	struct config *config = into;
	char *colon = strchr(part, ':');
	unsigned int vid, priority = 0;

	if (config->vlan_count == MLR_VLANS_MAX)
		return refuse_given(given, "at most %d tags, the outer one first", MLR_VLANS_MAX);
	if (colon)
		*colon = '\0';
	if (!parse_digits(part, VID_MOST, &vid))
		return refuse_given(given, "'%s' is no VLAN; VLANs are 0 (priority only) to %d", part, VID_MOST);
	if (colon && !parse_digits(colon + 1, PRIORITY_MOST, &priority))
		return refuse_given(given, "'%s' is no priority; priorities are 0 to %d", colon + 1, PRIORITY_MOST);
	config->vlans[config->vlan_count++] =
		(struct mlr_vlan){ .type = VLAN_TYPE_CUSTOMER, .control = (uint16_t)(priority << PRIORITY_SHIFT | vid) };
	return EXIT_DONE;
}

enum exit_code read_vlans(const struct given *given, struct config *config)
{
	config->vlan_count = 0;
	return read_list(given, given->text, read_tag, config);
}

/* --- flows ---------------------------------------------------------------------------------------------------------- */

/* Return how many values of a field there are before one comes twice: ports wrap around. */
static unsigned int field_room(enum mlr_field field)
{
	return field == MLR_SOURCE_PORT        ? MLR_SOURCE_PORT_COUNT
	       : field == MLR_DESTINATION_PORT ? MLR_DESTINATION_PORT_COUNT
					       : UINT_MAX;
}

/* Read "COUNT[:STEP]" of a field, which is the key's tag. */
static enum exit_code store_range(const struct given *given, const struct key *key, char *value, void *into)
{
	struct mlr_range *ranges = into;
	char *count_text = strsep(&value, ":");
	unsigned int count, step = 1;

	if (!parse_digits(count_text, UINT_MAX, &count) || !count)
		return refuse_given(given, "'%s' is no count of %s; counts are whole numbers from 1", count_text, key->name);
	if (value && (!parse_digits(value, UINT_MAX, &step) || !step))
		return refuse_given(given, "'%s' is no step of %s; steps are whole numbers from 1", value, key->name);
	if ((uint64_t)(count - 1) * step >= field_room(key->tag))
		return refuse_given(given, "%u values of %s, %u apart, need more room than there is (%u)", count, key->name,
				    step, field_room(key->tag));
	ranges[key->tag] = (struct mlr_range){ .count = count, .step = step };
	return EXIT_DONE;
}

enum exit_code read_vary(const struct given *given, struct config *config)
{
	struct key keys[MLR_FIELD_COUNT];
	struct pairs pairs = { .keys = keys, .key_count = MLR_FIELD_COUNT, .into = config->ranges, .what = "field" };

	for (int i = 0; i < MLR_FIELD_COUNT; i++)
		keys[i] = (struct key){ .name = mlr_field_names[i], .kind = KEY_OWN, .tag = i, .store = store_range };
	memset(config->ranges, 0, sizeof(config->ranges));
	return pairs_read(given, &pairs);
}

/* --- modifiers ------------------------------------------------------------------------------------------------------ */

/* Read "1%" of all frames: one comes after 99 others. */
static enum exit_code store_broadcast(const struct given *given, const struct key *, char *value, void *into)
{
	struct config *config = into;
	double ratio;

	if (!parse_ratio(value, &ratio) || ratio < 1e-6 || ratio > 0.5)
		return refuse_given(given, "broadcast=%s: must be a share of the frames of at most 50%%, as 1%%", value);
	config->broadcast_every = (uint32_t)(1 / ratio - 1 + 0.5);
	return EXIT_DONE;
}

static enum exit_code store_management(const struct given *given, const struct key *, char *value, void *into)
{
	struct config *config = into;
	char *unit = strchr(value, '/');

	if (!unit || strcmp(unit, "/s") != 0)
		return refuse_given(given, "management=%s: must be queries a second, as 1/s", value);
	*unit = '\0';
	if (!parse_digits(value, 1000, &config->queries_per_s) || !config->queries_per_s)
		return refuse_given(given, "management=%s/s: must be 1/s to 1000/s", value);
	return EXIT_DONE;
}

enum exit_code read_modifiers(const struct given *given, struct config *config)
{
	static const struct key keys[] = {
		{ .name = "broadcast", .kind = KEY_OWN, .store = store_broadcast },
		{ .name = "management", .kind = KEY_OWN, .store = store_management },
	};
	struct pairs pairs = { .keys = keys, .key_count = COUNT(keys), .into = config, .what = "modifier" };

	return pairs_read(given, &pairs);
}

/* --- what the SUT may change ---------------------------------------------------------------------------------------- */

static enum exit_code read_expected_change(const struct given *given, char *part, void *into)
{
	static const struct kind {
		const char *name;
		unsigned int changes;
	} kinds[] = {
		{ "vlan", MLR_CHANGE_VLAN }, { "priority", MLR_CHANGE_PRIORITY },
		{ "dscp", MLR_CHANGE_DSCP }, { "ecn", MLR_CHANGE_ECN },
		{ "ttl", MLR_CHANGE_TTL },   { "address", MLR_CHANGE_ADDRESS },
		{ "port", MLR_CHANGE_PORT }, { "nat", MLR_CHANGE_ADDRESS | MLR_CHANGE_PORT },
	};
	const struct kind *kind = row_with(kinds, COUNT(kinds), name, part);
	struct config *config = into;

	if (!kind)
		return refuse_given(given, "no change '%s'; there are vlan, priority, dscp, ecn, ttl, address, port and nat",
				    part);
	config->expected_changes |= kind->changes;
	return EXIT_DONE;
}

enum exit_code read_expected(const struct given *given, struct config *config)
{
	config->expected_changes = 0;
	return read_list(given, given->text, read_expected_change, config);
}
