/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cause/cause_names.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mlr/cause.h"

#define WORD_SIZE   24
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* --- words ---------------------------------------------------------------------------------------------------------- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
	return is_upper(c) || (c >= 'a' && c <= 'z');
}

/* Whether a word ends before this letter: "rxDrops", and "RXDrops" before the last capital. */
static bool begins_word(const char *at)
{
	return is_upper(*at) && (!is_upper(at[-1]) || (is_letter(at[1]) && !is_upper(at[1])));
}

/* Copy the first word, in small letters, cut where it is too long. Return what follows; NULL: there is none. */
static const char *next_word(const char *text, char ret[WORD_SIZE])
{
	size_t length = 0;

	while (*text && !is_letter(*text))
		text++;
	if (!*text)
		return NULL;
	do {
		if (length + 1 < WORD_SIZE)
			ret[length++] = (char)tolower((unsigned char)*text);
		text++;
	} while (is_letter(*text) && !begins_word(text));
	ret[length] = '\0';
	return text;
}

static bool is_one_of(const char *text, size_t length, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
			return true;
	return false;
}

/* Return the octets of the longest end, or beginning, of a word that is one of these; 0: none. */
static size_t glued(const char *word, bool at_end, const char *const *parts, size_t count)
{
	size_t length = strlen(word), longest = 0;

	for (size_t i = 0; i < count; i++) {
		size_t part = strlen(parts[i]);

		if (part < length && part > longest && memcmp(at_end ? word + length - part : word, parts[i], part) == 0)
			longest = part;
	}
	return longest;
}

/* Whether a word is one of these, or glued to words of traffic. */
static bool is_or_has(const char *word, const char *const *words, size_t count)
{
	static const char *const before[] = { "rx",  "tx",   "in",     "out",   "i",    "o",  "q",
					      "pkt", "pkts", "packet", "frame", "tail", "buf" };
	static const char *const after[] = { "pkt", "pkts", "packet", "packets", "frame", "frames", "cnt", "count" };
	size_t length = strlen(word), first = glued(word, false, before, COUNT(before)),
	       last = glued(word, true, after, COUNT(after));

	return is_one_of(word, length, words, count) || is_one_of(word + first, length - first, words, count) ||
	       is_one_of(word, length - last, words, count) ||
	       (first + last < length && is_one_of(word + first, length - first - last, words, count));
}

static bool has_word(const char *name, const char *const *words, size_t count)
{
	char word[WORD_SIZE];

	while ((name = next_word(name, word)))
		if (is_or_has(word, words, count))
			return true;
	return false;
}

/* Whether "no", or "out of", stands before a resource: "rx_no_buffer", "InNoRoutes", "rx_out_of_buffer". */
static bool lacks_resource(const char *name)
{
	static const char *const resources[] = { "buffer", "buffers", "buf",    "bufs",       "mbuf",        "mbufs",
						 "skb",    "desc",    "descs",  "descriptor", "descriptors", "memory",
						 "mem",    "room",    "space",  "resource",   "resources",   "dma",
						 "route",  "routes",  "socket", "port",       "ports",       "handler",
						 "credit", "credits" };
	char word[WORD_SIZE];
	unsigned int lacking = 0; /* words that are read: 1 "out", 2 "no" or "out of" */

	while ((name = next_word(name, word))) {
		if (lacking == 2 && is_one_of(word, strlen(word), resources, COUNT(resources)))
			return true;
		lacking =
			strcmp(word, "no") == 0 || (lacking == 1 && strcmp(word, "of") == 0) ? 2 : strcmp(word, "out") == 0;
	}
	return false;
}

/* --- what they count ------------------------------------------------------------------------------------------------ */

bool mlr_cause_name_is_of_loss(const char *name)
{
	static const char *const words[] = {
		"drop",      "drops",      "dropped",     "discard",      "discards",   "discarded",  "err",
		"errs",      "error",      "errors",      "lost",         "loss",       "losses",     "miss",
		"misses",    "missed",     "overflow",    "overflows",    "overflowed", "overrun",    "overruns",
		"overlimit", "overlimits", "full",        "fail",         "fails",      "failed",     "failure",
		"failures",  "reject",     "rejects",     "rejected",     "nobuf",      "nobufs",     "nombuf",
		"nobuffer",  "nobuffers",  "nodesc",      "noroute",      "noroutes",   "oob",        "timeout",
		"timeouts",  "truncated",  "bad",         "invalid",      "collision",  "collisions", "fifo",
		"starved",   "starvation", "exhaust",     "exhausted",    "exhaustion", "deny",       "denied",
		"refused",   "aborted",    "aborts",      "exceed",       "exceeded",   "policed",    "ignored",
		"runts",     "giants",     "unreachable", "unreachables",
	};

	return has_word(name, words, COUNT(words)) || lacks_resource(name);
}

bool mlr_cause_name_is_octets(const char *name)
{
	static const char *const words[] = { "byte", "bytes", "octet", "octets", "bit", "bits" };

	return has_word(name, words, COUNT(words));
}

bool mlr_cause_name_is_of_cpu(const char *name)
{
	return strstr(name, "interrupt/") == name || strstr(name, "softirq/") == name;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool mlr_cause_name_is_sum(const char *name)
{
	static const char *const ends[] = {
		"rx_dropped", "tx_dropped", "rx_errors", "tx_errors", "rx_missed", "overlimits"
	};
	static const char *const parts[] = { "network_receive_",
					     "network_transmit_",
					     "ifInDiscards",
					     "ifOutDiscards",
					     "ifInErrors",
					     "ifOutErrors",
					     "/ingress-",
					     "/clsact-",
					     "/htb-",
					     "/hfsc-",
					     "/prio-",
					     "/mq-",
					     "/mqprio-",
					     "/drr-" };

	for (size_t i = 0; i < COUNT(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	for (size_t i = 0; i < COUNT(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return false;
}

bool mlr_cause_ends_with_word(const char *name, const char *word)
{
	size_t length = strcspn(name, "{"), word_length = strlen(word);
	const char *last;

	if (length < word_length)
		return false;
	last = name + length - word_length;
	if (strncmp(last + 1, word + 1, word_length - 1) != 0)
		return false;
	return *last == *word ? last == name || !isalpha((unsigned char)last[-1]) : *last == toupper((unsigned char)*word);
}

bool mlr_cause_name_is_use(const char *name)
{
	static const char *const wholes[] = { "use", "ratio", "percent" };
	static const char *const rests[] = { "idle",      "free", "available", "avail",    "unused",
					     "remaining", "left", "spare",     "headroom", "success" };

	for (size_t i = 0; i < COUNT(wholes); i++)
		if (mlr_cause_ends_with_word(name, wholes[i]))
			return !has_word(name, rests, COUNT(rests));
	return false;
}

/* --- families ------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Take one character, or a whole number, which is a '*'. */
static char take(const char **at)
{
	char c = *(*at)++;

	if (!is_digit(c))
		return c;
	while (is_digit(**at))
		++*at;
	return '*';
}

int mlr_cause_name_compare(const char *a, const char *b)
{
	while (*a && *b) {
		int difference = take(&a) - take(&b);

		if (difference)
			return difference;
	}
	return *a - *b;
}

bool mlr_cause_name_has_number(const char *name)
{
	while (*name && !is_digit(*name))
		name++;
	return *name;
}

void mlr_cause_family_name(const char *name, size_t size, char *ret)
{
	size_t length = 0;

	while (*name && length + 1 < size)
		ret[length++] = take(&name);
	ret[length] = '\0';
}

double mlr_cause_appeared(const char *name, double first, double last, double lost)
{
	return mlr_cause_name_is_of_loss(name) && first <= lost ? last : NAN;
}
