/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/settings.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "appliance/interface.h"
#include "base/message.h"
#include "base/units.h"
#include "base/yaml_read.h"

#define SECTION       "appliance"
#define PEM_MAX       (64 * 1024) /* octets of a certificate with its chain, or a key */
#define TOKEN_MIN     16
#define DAY_MINUTES   (24 * 60)
#define PAUSE_MOST_S  (31 * 86400.0)
#define EVERY_LEAST_S 1
#define KEEP_LEAST    1e6
#define KEEP_MOST     1e12

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A file while it is read. */
struct reader {
	const char *path, *overrides;
	yaml_document_t document;
	struct settings *settings;
	char *error;
};

/* A key of a mapping, and who reads its value. */
struct key {
	const char *name;
	bool (*read)(struct reader *reader, const yaml_node_t *value, void *target);
};

__attribute__((format(printf, 3, 4))) static bool refuse_line(struct reader *reader, size_t line, const char *format, ...)
{
	int used = snprintf(reader->error, SETTINGS_ERROR_SIZE, "%s:%zu: ", reader->path, line);
	va_list arguments;

	va_start(arguments, format);
	if (used < SETTINGS_ERROR_SIZE)
		vsnprintf(reader->error + used, SETTINGS_ERROR_SIZE - (size_t)used, format, arguments);
	va_end(arguments);
	return false;
}

#define refuse_node(reader, node, ...) refuse_line(reader, node_line(node), __VA_ARGS__)

/* --- values --------------------------------------------------------------------------------------------------------- */

/* A scalar as text; NULL, and refused: anything else, or a NUL inside. */
static const char *read_plain(struct reader *reader, const yaml_node_t *node)
{
	const char *text = node_text(node);

	if (!text)
		refuse_node(reader, node, "a plain value must stand here");
	return text;
}

/* A word of harmless characters: nothing that a shell would take for its own. */
static bool read_word(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:_-";
	const char *text = read_plain(reader, node);

	if (!text)
		return false;
	if (!*text || strlen(text) >= SETTINGS_VALUE_SIZE || text[strspn(text, harmless)])
		return refuse_node(reader, node, "a value of 1 to %d letters, digits and ,.:_- must stand here",
				   SETTINGS_VALUE_SIZE - 1);
	strcpy(target, text);
	return true;
}

static bool read_choice(struct reader *reader, const yaml_node_t *node, const char *const words[], const char *choice,
			char *target)
{
	if (!read_word(reader, node, target))
		return false;
	for (; *words; words++)
		if (strcmp(*words, target) == 0)
			return true;
	return refuse_node(reader, node, "'%s' is not %s", target, choice);
}

static bool read_verb(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const char *const verbs[] = { "search", "trial", "soak", "rfc2544", "selftest", "probe", "sut", NULL };

	return read_choice(reader, node, verbs, "search, trial, soak, rfc2544, selftest, probe or sut", target);
}

static bool read_end(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const char *const ends[] = { "wait", "power-off", NULL };

	return read_choice(reader, node, ends, "wait or power-off", target);
}

static bool read_truth(struct reader *reader, const yaml_node_t *node, void *target)
{
	const char *text = read_plain(reader, node);

	if (!text)
		return false;
	*(bool *)target = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
	return *(bool *)target || strcmp(text, "false") == 0 || strcmp(text, "no") == 0 ||
	       refuse_node(reader, node, "must be true or false");
}

/* Text without its spaces: "10 min" as "10min". */
static const char *squeeze(const char *text, char buffer[SETTINGS_VALUE_SIZE])
{
	size_t used = 0;

	for (; *text && used < SETTINGS_VALUE_SIZE - 1; text++)
		if (*text != ' ')
			buffer[used++] = *text;
	buffer[used] = '\0';
	return buffer;
}

static bool read_time(struct reader *reader, const yaml_node_t *node, void *target, double least_s)
{
	const char *text = read_plain(reader, node);
	char squeezed[SETTINGS_VALUE_SIZE];
	double time_s;

	if (!text)
		return false;
	if (!parse_duration(squeeze(text, squeezed), &time_s) || time_s < least_s || time_s > PAUSE_MOST_S)
		return refuse_node(reader, node, "must be a time of %g s to 31 days, as %s", least_s, DURATION_FORMS);
	*(double *)target = time_s;
	return true;
}

static bool read_pause(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_time(reader, node, target, 0);
}

static bool read_every(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_time(reader, node, target, EVERY_LEAST_S);
}

/* Octets: "200 MB". */
static bool read_size(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const struct {
		const char *ending;
		double octets;
	} units[] = { { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 } };
	const char *text = read_plain(reader, node);
	char squeezed[SETTINGS_VALUE_SIZE];
	double number;
	size_t length;

	if (!text)
		return false;
	squeeze(text, squeezed);
	length = strlen(squeezed);
	for (size_t i = 0; i < COUNT(units) && length > 2; i++) {
		if (strcmp(squeezed + length - 2, units[i].ending) != 0)
			continue;
		squeezed[length - 2] = '\0';
		if (!parse_number(squeezed, &number) || number * units[i].octets < KEEP_LEAST ||
		    number * units[i].octets > KEEP_MOST)
			break;
		*(double *)target = number * units[i].octets;
		return true;
	}
	return refuse_node(reader, node, "must be a size of at least 1 MB, as 200 MB or 1 GB");
}

/* --- mappings ------------------------------------------------------------------------------------------------------- */

static const char *list_keys(const struct key *keys, size_t count, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s",
					 i == 0          ? ""
					 : i + 1 < count ? ", "
							 : " and ",
					 keys[i].name);
	return buffer;
}

static const struct key *find_key(const struct key *keys, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/* A mapping of these keys alone, each at most once; each is read into the target. */
static bool read_mapping(struct reader *reader, const yaml_node_t *node, const char *what, const struct key *keys,
			 size_t count, void *target)
{
	char list[256], quoted[QUOTE_SIZE];

	if (node->type != YAML_MAPPING_NODE)
		return refuse_node(reader, node, "%s: settings and their values must stand here", what);
	for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		const yaml_node_t *name_node = yaml_document_get_node(&reader->document, pair->key),
				  *value = yaml_document_get_node(&reader->document, pair->value);
		const char *name = read_plain(reader, name_node);
		const struct key *key = name ? find_key(keys, count, name) : NULL;

		if (!name)
			return false;
		if (!key)
			return refuse_node(reader, name_node, "no setting '%s' of the %s; there are %s",
					   quote(name, strlen(name), quoted, sizeof(quoted)), what,
					   list_keys(keys, count, list, sizeof(list)));
		if (node_find(&reader->document, node, name) != value)
			return refuse_node(reader, name_node, "'%s' stands in the %s twice", name, what);
		if (!key->read(reader, value, target))
			return false;
	}
	return true;
}

/* --- ports ---------------------------------------------------------------------------------------------------------- */

/* The name of the interface with this MAC address. */
static bool find_port(struct reader *reader, const yaml_node_t *node, const char *mac, char name[SETTINGS_VALUE_SIZE])
{
	DIR *directory = opendir("/sys/class/net");
	char address[INTERFACE_ADDRESS_SIZE];
	unsigned int found = 0;

	for (struct dirent *entry; directory && (entry = readdir(directory));) {
		if (strcasecmp(interface_address(entry->d_name, address), mac) != 0)
			continue;
		snprintf(name, SETTINGS_VALUE_SIZE, "%.*s", SETTINGS_VALUE_SIZE - 1, entry->d_name);
		found++;
	}
	if (directory)
		closedir(directory);
	if (found > 1)
		return refuse_node(reader, node, "%u ports have the MAC address %s; name the port instead", found, mac);
	return found == 1 || refuse_node(reader, node, "no port has the MAC address %s", mac);
}

/* A name or a MAC address. */
static bool read_port(struct reader *reader, const yaml_node_t *node, char name[SETTINGS_VALUE_SIZE])
{
	char text[SETTINGS_VALUE_SIZE];

	if (!read_word(reader, node, text))
		return false;
	if (strchr(text, ':'))
		return find_port(reader, node, text, name);
	strcpy(name, text);
	return true;
}

/* Names or MAC addresses. */
static bool read_port_list(struct reader *reader, const yaml_node_t *node, void *target)
{
	struct port_settings *ports = target;

	if (node->type != YAML_SEQUENCE_NODE)
		return refuse_node(reader, node, "ports: a list of MAC addresses or names must stand here");
	ports->count = 0;
	for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
		const yaml_node_t *port = yaml_document_get_node(&reader->document, *item);

		if (ports->count == SETTINGS_PORTS_MAX)
			return refuse_node(reader, port, "more than %d ports", SETTINGS_PORTS_MAX);
		if (!read_port(reader, port, ports->names[ports->count]))
			return false;
		ports->count++;
	}
	return true;
}

/* --- schedule ------------------------------------------------------------------------------------------------------- */

static bool name_is_taken(const struct settings *settings, const char *name)
{
	for (unsigned int i = 0; i + 1 < settings->run_count; i++)
		if (strcmp(settings->runs[i].name, name) == 0)
			return true;
	return false;
}

static bool read_run_name(struct reader *reader, const yaml_node_t *node, struct run_settings *run)
{
	if (!read_word(reader, node, run->name))
		return false;
	if (!run->name[strspn(run->name, "0123456789")])
		return refuse_node(reader, node, "a run's name must not be a number");
	return !name_is_taken(reader->settings, run->name) ||
	       refuse_node(reader, node, "two runs have the name '%s'", run->name);
}

/* What we have to know of a run; its options are for xdp-mlr to read. */
static bool read_run(struct reader *reader, const yaml_node_t *node)
{
	struct settings *settings = reader->settings;
	struct run_settings *run = &settings->runs[settings->run_count];
	const yaml_node_t *name, *verb, *ports, *alone;
	bool unused;

	if (settings->run_count == SETTINGS_RUNS_MAX)
		return refuse_node(reader, node, "more than %d runs", SETTINGS_RUNS_MAX);
	if (node->type != YAML_MAPPING_NODE)
		return refuse_node(reader, node, "a run: options and their values must stand here");
	*run = (struct run_settings){ .ports = settings->ports };
	strcpy(run->verb, settings->verb);
	snprintf(run->name, sizeof(run->name), "%u", ++settings->run_count);
	name = node_find(&reader->document, node, "name");
	verb = node_find(&reader->document, node, "verb");
	ports = node_find(&reader->document, node, "ports");
	alone = node_find(&reader->document, node, "alone");
	return (!name || read_run_name(reader, name, run)) && (!verb || read_verb(reader, verb, run->verb)) &&
	       (!ports || read_port_list(reader, ports, &run->ports)) && (!alone || read_truth(reader, alone, &unused));
}

static bool read_runs(struct reader *reader, const yaml_node_t *node, void *target)
{
	(void)target;
	if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.start == node->data.sequence.items.top)
		return refuse_node(reader, node, "a list of runs must stand here");
	reader->settings->run_count = 0;
	for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
		if (!read_run(reader, yaml_document_get_node(&reader->document, *item)))
			return false;
	return true;
}

static bool read_repeat(struct reader *reader, const yaml_node_t *node, void *target)
{
	const char *text = read_plain(reader, node);
	double rounds;

	if (!text)
		return false;
	if (strcmp(text, "forever") == 0) {
		*(unsigned int *)target = SETTINGS_FOREVER;
		return true;
	}
	if (!parse_number(text, &rounds) || rounds < 1 || rounds > 1e6 || rounds != (unsigned int)rounds)
		return refuse_node(reader, node, "must be forever, or a number of rounds from 1 to 1000000");
	*(unsigned int *)target = (unsigned int)rounds;
	return true;
}

/* "02:00" */
static bool read_clock(struct reader *reader, const yaml_node_t *node, struct schedule_settings *schedule)
{
	const char *text = read_plain(reader, node);
	unsigned int hours, minutes;
	int end = 0;

	if (!text)
		return false;
	if (strlen(text) != 5 || sscanf(text, "%2u:%2u%n", &hours, &minutes, &end) != 2 || end != 5 || hours > 23 ||
	    minutes > 59)
		return refuse_node(reader, node, "must be a time of day in UTC, as \"02:00\"");
	if (schedule->at_count == SETTINGS_TIMES_MAX)
		return refuse_node(reader, node, "more than %d times of day", SETTINGS_TIMES_MAX);
	schedule->at_minutes[schedule->at_count++] = 60 * hours + minutes;
	return true;
}

static bool read_at(struct reader *reader, const yaml_node_t *node, void *target)
{
	if (node->type != YAML_SEQUENCE_NODE)
		return read_clock(reader, node, target);
	for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
		if (!read_clock(reader, yaml_document_get_node(&reader->document, *item), target))
			return false;
	return true;
}

/* Each key of the schedule into its own member. */
static bool read_schedule_repeat(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_repeat(reader, node, &((struct schedule_settings *)target)->rounds);
}

static bool read_schedule_pause(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_pause(reader, node, &((struct schedule_settings *)target)->pause_s);
}

static bool read_schedule_every(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_every(reader, node, &((struct schedule_settings *)target)->every_s);
}

/* The list of runs, or a mapping with it. At times of day, and in an interval, rounds go on for ever unless it says how often. */
static bool read_schedule(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const struct key keys[] = {
		{ "runs", read_runs },
		{ "repeat", read_schedule_repeat },
		{ "pause", read_schedule_pause },
		{ "every", read_schedule_every },
		{ "at", read_at },
	};
	struct schedule_settings *schedule = &reader->settings->schedule;

	(void)target;
	if (node->type == YAML_SEQUENCE_NODE)
		return read_runs(reader, node, NULL);
	if (!read_mapping(reader, node, "schedule", keys, COUNT(keys), schedule))
		return false;
	if ((schedule->every_s > 0) + (schedule->pause_s > 0) + (schedule->at_count > 0) > 1)
		return refuse_node(reader, node, "schedule: pause, every and at exclude each other");
	if ((schedule->every_s > 0 || schedule->at_count) && !node_find(&reader->document, node, "repeat"))
		schedule->rounds = SETTINGS_FOREVER;
	return true;
}

/* --- HTTP ----------------------------------------------------------------------------------------------------------- */

static bool read_http_address(struct reader *reader, const yaml_node_t *node, void *target)
{
	char *address = ((struct http_settings *)target)->address;
	unsigned char octets[sizeof(struct in6_addr)];

	if (!read_word(reader, node, address))
		return false;
	if (inet_pton(AF_INET, address, octets) != 1 && inet_pton(AF_INET6, address, octets) != 1)
		return refuse_node(reader, node, "'%s' is no IP address", address);
	if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
		return refuse_node(reader, node, "'%s' would listen on test ports; give the management port's own address",
				   address);
	return true;
}

static bool read_http_port(struct reader *reader, const yaml_node_t *node, void *target)
{
	const char *text = read_plain(reader, node);
	double number;

	if (!text)
		return false;
	if (!parse_number(text, &number) || number < 1 || number > 65535 || number != (unsigned int)number)
		return refuse_node(reader, node, "must be a port number from 1 to 65535");
	((struct http_settings *)target)->port = (unsigned int)number;
	return true;
}

static bool read_http_token(struct reader *reader, const yaml_node_t *node, void *target)
{
	const char *text = read_plain(reader, node);
	struct http_settings *http = target;

	if (!text)
		return false;
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return refuse_node(reader, node, "token: visible ASCII characters only");
	if (strlen(text) < TOKEN_MIN || strlen(text) >= sizeof(http->token))
		return refuse_node(reader, node, "token: %d to %zu characters, so that nobody guesses it", TOKEN_MIN,
				   sizeof(http->token) - 1);
	strcpy(http->token, text);
	return true;
}

static bool read_http_unprotected(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_truth(reader, node, &((struct http_settings *)target)->unprotected);
}

static bool read_pem(struct reader *reader, const yaml_node_t *node, char **target)
{
	const char *text = read_plain(reader, node);

	if (!text)
		return false;
	if (strlen(text) > PEM_MAX || !strstr(text, "-----BEGIN "))
		return refuse_node(reader, node, "PEM text must stand here, at most %d octets", PEM_MAX);
	*target = strdup(text);
	return *target || refuse_node(reader, node, "out of memory");
}

static bool read_certificate(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_pem(reader, node, &((struct http_settings *)target)->certificate);
}

static bool read_private_key(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_pem(reader, node, &((struct http_settings *)target)->key);
}

static bool read_tls(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const struct key keys[] = { { "certificate", read_certificate }, { "key", read_private_key } };
	struct http_settings *http = target;

	if (!read_mapping(reader, node, "tls", keys, COUNT(keys), http))
		return false;
	return (http->certificate && http->key) || refuse_node(reader, node, "tls: both a certificate and a key are needed");
}

static bool read_http(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const struct key keys[] = {
		{ "address", read_http_address },
		{ "port", read_http_port },
		{ "tls", read_tls },
		{ "token", read_http_token },
		{ "unprotected", read_http_unprotected },
	};
	struct http_settings *http = &reader->settings->http;

	(void)target;
	http->wanted = true;
	http->line = node_line(node);
	return read_mapping(reader, node, "http", keys, COUNT(keys), http);
}

/* --- the management port -------------------------------------------------------------------------------------------- */

static bool read_management_port(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_port(reader, node, ((struct management_settings *)target)->port);
}

static bool is_ipv4(const char *text)
{
	struct in_addr address;

	return inet_pton(AF_INET, text, &address) == 1;
}

/* "192.0.2.5/24" */
static bool is_ipv4_with_length(const char *text)
{
	char address[INET_ADDRSTRLEN];
	const char *slash = strchr(text, '/');
	double length;

	if (!slash || slash - text >= INET_ADDRSTRLEN)
		return false;
	snprintf(address, sizeof(address), "%.*s", (int)(slash - text), text);
	return is_ipv4(address) && strlen(slash + 1) <= 2 && parse_number(slash + 1, &length) && length >= 1 &&
	       length <= 31 && length == (unsigned int)length && strspn(slash + 1, "0123456789") == strlen(slash + 1);
}

static bool read_management_address(struct reader *reader, const yaml_node_t *node, void *target)
{
	const char *text = read_plain(reader, node);
	char quoted[QUOTE_SIZE];

	if (!text)
		return false;
	if (strcmp(text, "dhcp") != 0 && !is_ipv4_with_length(text))
		return refuse_node(reader, node, "'%s' is neither dhcp nor an IPv4 address with its length, as 192.0.2.5/24",
				   quote(text, strlen(text), quoted, sizeof(quoted)));
	strcpy(((struct management_settings *)target)->address, text);
	return true;
}

static bool read_management_gateway(struct reader *reader, const yaml_node_t *node, void *target)
{
	char *gateway = ((struct management_settings *)target)->gateway;

	if (!read_word(reader, node, gateway))
		return false;
	return is_ipv4(gateway) || refuse_node(reader, node, "'%s' is no IPv4 address", gateway);
}

static bool read_management(struct reader *reader, const yaml_node_t *node, void *target)
{
	static const struct key keys[] = {
		{ "port", read_management_port },
		{ "address", read_management_address },
		{ "gateway", read_management_gateway },
	};
	struct management_settings *management = &reader->settings->management;

	(void)target;
	management->line = node_line(node);
	return read_mapping(reader, node, "management", keys, COUNT(keys), management);
}

static bool is_test_port(const struct settings *settings, const char *name)
{
	for (unsigned int i = 0; i < settings->ports.count; i++)
		if (strcmp(settings->ports.names[i], name) == 0)
			return true;
	for (unsigned int run = 0; run < settings->run_count; run++)
		for (unsigned int i = 0; i < settings->runs[run].ports.count; i++)
			if (strcmp(settings->runs[run].ports.names[i], name) == 0)
				return true;
	return false;
}

/* Once all of it is known, wherever it stands. */
static bool check_management(struct reader *reader)
{
	const struct management_settings *management = &reader->settings->management;

	if (!management->line)
		return true;
	if (!*management->port)
		return refuse_line(reader, management->line, "management: its port is missing, a MAC address or name");
	if (is_test_port(reader->settings, management->port))
		return refuse_line(reader, management->line, "management: %s is a test port", management->port);
	return !*management->gateway || strcmp(management->address, "dhcp") != 0 ||
	       refuse_line(reader, management->line,
			   "management: a gateway goes with an address of its own; DHCP brings one");
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

/* Runs of a schedule take these over, so they are read before it, wherever they stand. */
static bool read_section_verb(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_verb(reader, node, ((struct settings *)target)->verb);
}

static bool read_section_ports(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_port_list(reader, node, &((struct settings *)target)->ports);
}

static bool read_section_end(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_end(reader, node, ((struct settings *)target)->at_end);
}

static bool read_section_shell(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_truth(reader, node, &((struct settings *)target)->shell);
}

static bool read_section_keep(struct reader *reader, const yaml_node_t *node, void *target)
{
	return read_size(reader, node, &((struct settings *)target)->keep_octets);
}

/* Read in its turn, when what it takes over is known. */
static bool read_later(struct reader *reader, const yaml_node_t *node, void *target)
{
	(void)reader;
	(void)node;
	(void)target;
	return true;
}

static const struct key section_keys[] = {
	{ "verb", read_section_verb },   { "ports", read_section_ports },   { "at-end", read_section_end },
	{ "shell", read_section_shell }, { "keep", read_section_keep },     { "schedule", read_later },
	{ "http", read_http },           { "management", read_management },
};

/* --- the kernel's command line, on top ------------------------------------------------------------------------------- */

/* "management.port=eth2" as the YAML "{management: {port: eth2}}", for the readers above. */
static bool write_override(const char *line, char *text, size_t size)
{
	size_t used = 1, depth = 1;

	text[0] = '{';
	for (; *line && *line != '=' && used < size; line++) {
		if (*line == '.')
			depth++;
		used += (size_t)snprintf(text + used, size - used, *line == '.' ? ": {" : "%c", *line);
	}
	if (used < size)
		used += (size_t)snprintf(text + used, size - used, ": %s", *line ? line + 1 : "");
	while (depth-- && used < size)
		used += (size_t)snprintf(text + used, size - used, "}");
	return used < size;
}

static bool read_override(struct reader *reader, const char *line)
{
	struct reader own = { .path = "kernel command line", .settings = reader->settings, .error = reader->error };
	const yaml_node_t *root;
	char text[1024];
	yaml_parser_t parser;
	bool good = false;

	if (!write_override(line, text, sizeof(text)))
		return refuse_line(&own, 1, "a setting of the appliance is too long");
	if (!yaml_parser_initialize(&parser))
		return refuse_line(&own, 1, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, strlen(text));
	if (yaml_parser_load(&parser, &own.document)) {
		root = yaml_document_get_root_node(&own.document);
		good = root && !node_find(&own.document, root, "schedule")
			       ? read_mapping(&own, root, SECTION, section_keys, COUNT(section_keys), own.settings)
			       : refuse_line(&own, 1, "a schedule must stand in a file");
		yaml_document_delete(&own.document);
	} else {
		refuse_line(&own, 1, "appliance.%s: %s", line, parser.problem ? parser.problem : "it cannot be read");
	}
	yaml_parser_delete(&parser);
	return good;
}

static bool read_overrides(struct reader *reader)
{
	static const char prefix[] = SECTION ".";
	FILE *stream = reader->overrides ? fopen(reader->overrides, "re") : NULL;
	char line[4096];
	bool good = true;

	if (!stream)
		return true;
	while (good && fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			good = read_override(reader, line + strlen(prefix));
	}
	fclose(stream);
	return good;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

/* `section` may be NULL. */
static bool read_section(struct reader *reader, const yaml_node_t *section)
{
	const yaml_node_t *schedule;

	if (section && !read_mapping(reader, section, SECTION, section_keys, COUNT(section_keys), reader->settings))
		return false;
	if (!read_overrides(reader))
		return false;
	schedule = section ? node_find(&reader->document, section, "schedule") : NULL;
	return (!schedule || read_schedule(reader, schedule, NULL)) && check_management(reader);
}

static bool read_document(struct reader *reader)
{
	const yaml_node_t *root = yaml_document_get_root_node(&reader->document), *section;

	if (!root || root->type != YAML_MAPPING_NODE)
		return refuse_line(reader, root ? node_line(root) : 1, "must be a mapping of option names to values");
	section = node_find(&reader->document, root, SECTION);
	return read_section(reader, section);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static bool read_stream(struct reader *reader, FILE *stream)
{
	yaml_parser_t parser;
	bool good;

	if (fseek(stream, 0, SEEK_END) || ftell(stream) > SETTINGS_FILE_MAX)
		return refuse_line(reader, 1, "larger than %d octets: this is no configuration", SETTINGS_FILE_MAX);
	if (fseek(stream, 0, SEEK_SET) || !yaml_parser_initialize(&parser))
		return refuse_line(reader, 1, "out of memory");
	yaml_parser_set_input_file(&parser, stream);
	if (yaml_parser_load(&parser, &reader->document)) {
		good = read_document(reader);
		yaml_document_delete(&reader->document);
	} else {
		good = refuse_line(reader, parser.problem_mark.line + 1, "not YAML: %s",
				   parser.problem ? parser.problem : "it cannot be read");
	}
	yaml_parser_delete(&parser);
	return good;
}

/* Without a schedule: the file as it is, once. */
static void add_only_run(struct settings *settings)
{
	struct run_settings *run = &settings->runs[0];

	if (settings->run_count)
		return;
	*run = (struct run_settings){ .ports = settings->ports };
	strcpy(run->verb, settings->verb);
	settings->run_count = 1;
}

bool settings_read(const char *path, struct settings *ret, char error[SETTINGS_ERROR_SIZE])
{
	return settings_read_over(path, NULL, ret, error);
}

bool settings_read_over(const char *path, const char *overrides, struct settings *ret, char error[SETTINGS_ERROR_SIZE])
{
	struct settings *settings = calloc(1, sizeof(*settings));
	struct reader reader = { .path = path, .overrides = overrides, .settings = settings, .error = error };
	FILE *stream = settings ? fopen(path, "re") : NULL;
	bool good = false;

	if (!stream) {
		snprintf(error, SETTINGS_ERROR_SIZE, "%s: %s", path, strerror(errno));
		goto free_settings;
	}
	strcpy(settings->verb, "search");
	strcpy(settings->at_end, "wait");
	strcpy(settings->management.address, "dhcp");
	settings->schedule.rounds = 1;
	good = read_stream(&reader, stream);
	fclose(stream);
	if (good) {
		add_only_run(settings);
		*ret = *settings;
	} else {
		settings_free(settings);
	}
free_settings:
	free(settings);
	return good;
}

void settings_free(struct settings *settings)
{
	free(settings->http.certificate);
	free(settings->http.key);
	settings->http.certificate = settings->http.key = NULL;
}

const char *settings_port_list(const struct port_settings *ports, char buffer[SETTINGS_PORT_LIST_SIZE])
{
	size_t used = 0;

	buffer[0] = '\0';
	for (unsigned int i = 0; i < ports->count; i++)
		used += (size_t)snprintf(buffer + used, SETTINGS_PORT_LIST_SIZE - used, "%s%s", i ? "," : "",
					 ports->names[i]);
	return buffer;
}

void settings_print(FILE *stream, const struct settings *settings)
{
	char list[SETTINGS_PORT_LIST_SIZE];

	fprintf(stream, "verb=%s\nat_end=%s\nports=%s\n", settings->verb, settings->at_end,
		settings_port_list(&settings->ports, list));
	if (*settings->management.port)
		fprintf(stream, "management_port=%s\nmanagement_address=%s\nmanagement_gateway=%s\n",
			settings->management.port, settings->management.address, settings->management.gateway);
}
