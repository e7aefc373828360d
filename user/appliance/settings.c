/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/settings.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "base/yaml_read.h"

#define SECTION       "appliance"
#define PEM_MAX       (64 * 1024) /* octets of a certificate with its chain, or a key */
#define TOKEN_MIN     16
#define PAUSE_MOST_S  (31 * 86400.0)
#define EVERY_LEAST_S 1
#define KEEP_LEAST    1e6
#define KEEP_MOST     1e12

/* Where in the settings a key is read to. */
#define AT(member) offsetof(struct settings, member)

/* --- values --------------------------------------------------------------------------------------------------------- */

/* A word of harmless characters: nothing that a shell would take for its own. */
static enum exit_code read_word(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:_-";
	const char *text = node_plain(file, node);

	if (!text)
		return EXIT_USAGE_ERROR;
	if (!*text || strlen(text) >= SETTINGS_VALUE_SIZE || text[strspn(text, harmless)])
		return refuse_node(file, node, "a value of 1 to %d letters, digits and ,.:_- must stand here",
				   SETTINGS_VALUE_SIZE - 1);
	strcpy(target, text);
	return EXIT_DONE;
}

static enum exit_code read_choice(struct yaml_file *file, const yaml_node_t *node, const char *const words[], char *target)
{
	if (read_word(file, node, target))
		return EXIT_USAGE_ERROR;
	for (size_t i = 0; words[i]; i++)
		if (strcmp(words[i], target) == 0)
			return EXIT_DONE;
	return refuse_node(file, node, "'%s' is not %s", target, text_of_words(words, ROOM(WORDS_SIZE)));
}

static enum exit_code read_verb(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const char *const verbs[] = { "search", "trial",    "sweep", "soak", "rfc2544",
					     "y1564",  "selftest", "probe", "sut",  NULL };

	return read_choice(file, node, verbs, target);
}

static enum exit_code read_end(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const char *const ends[] = { "wait", "power-off", NULL };

	return read_choice(file, node, ends, target);
}

static enum exit_code read_truth(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	const char *text = node_plain(file, node);
	bool *truth = target;

	if (!text)
		return EXIT_USAGE_ERROR;
	*truth = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
	if (!*truth && strcmp(text, "false") != 0 && strcmp(text, "no") != 0)
		return refuse_node(file, node, "must be true or false");
	return EXIT_DONE;
}

/* A whole number up to a most; `rule` says what must stand there. */
static enum exit_code read_whole(struct yaml_file *file, const yaml_node_t *node, double most, const char *rule,
				 unsigned int *ret)
{
	const char *text = node_plain(file, node);
	double number;

	if (!text)
		return EXIT_USAGE_ERROR;
	if (!parse_number(text, &number) || number < 1 || number > most || number != (unsigned int)number)
		return refuse_node(file, node, "%s", rule);
	*ret = (unsigned int)number;
	return EXIT_DONE;
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

static enum exit_code read_time(struct yaml_file *file, const yaml_node_t *node, void *target, double least_s)
{
	const char *text = node_plain(file, node);
	char squeezed[SETTINGS_VALUE_SIZE];
	double time_s;

	if (!text)
		return EXIT_USAGE_ERROR;
	if (!parse_duration(squeeze(text, squeezed), &time_s) || time_s < least_s || time_s > PAUSE_MOST_S)
		return refuse_node(file, node, "must be a time of %g s to 31 days, as %s", least_s, DURATION_FORMS);
	*(double *)target = time_s;
	return EXIT_DONE;
}

static enum exit_code read_pause(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	return read_time(file, node, target, 0);
}

static enum exit_code read_every(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	return read_time(file, node, target, EVERY_LEAST_S);
}

/* Octets: "200 MB". */
static enum exit_code read_size(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const struct {
		const char *ending;
		double octets;
	} units[] = { { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 } };
	const char *text = node_plain(file, node);
	char squeezed[SETTINGS_VALUE_SIZE];
	double number;
	size_t length;

	if (!text)
		return EXIT_USAGE_ERROR;
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
		return EXIT_DONE;
	}
	return refuse_node(file, node, "must be a size of at least 1 MB, as 200 MB or 1 GB");
}

/* --- ports ---------------------------------------------------------------------------------------------------------- */

const char *interface_address(const char *name, char address[INTERFACE_ADDRESS_SIZE])
{
	file_read_line(TEXT_OF(64, "/sys/class/net/%.15s/address", name), address, INTERFACE_ADDRESS_SIZE);
	return address;
}

/* The name of the interface with this MAC address. */
static enum exit_code find_port(struct yaml_file *file, const yaml_node_t *node, const char *mac,
				char name[SETTINGS_VALUE_SIZE])
{
	DIR *directory = opendir("/sys/class/net");
	unsigned int found = 0;

	for (struct dirent *entry; directory && (entry = readdir(directory));) {
		if (strcasecmp(interface_address(entry->d_name, ROOM(INTERFACE_ADDRESS_SIZE)), mac) != 0)
			continue;
		snprintf(name, SETTINGS_VALUE_SIZE, "%.*s", SETTINGS_VALUE_SIZE - 1, entry->d_name);
		found++;
	}
	if (directory)
		closedir(directory);
	if (found > 1)
		return refuse_node(file, node, "%u ports have the MAC address %s; name the port instead", found, mac);
	return found == 1 ? EXIT_DONE : refuse_node(file, node, "no port has the MAC address %s", mac);
}

/* A name or a MAC address. */
static enum exit_code read_port(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	char text[SETTINGS_VALUE_SIZE];

	if (read_word(file, node, text))
		return EXIT_USAGE_ERROR;
	if (strchr(text, ':'))
		return find_port(file, node, text, target);
	strcpy(target, text);
	return EXIT_DONE;
}

/* Names or MAC addresses. */
static enum exit_code read_port_list(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct port_settings *ports = target;

	if (node->type != YAML_SEQUENCE_NODE)
		return refuse_node(file, node, "ports: a list of MAC addresses or names must stand here");
	ports->count = 0;
	for (size_t i = 0; i < item_count(node); i++) {
		const yaml_node_t *port = item_at(file, node, i);

		if (ports->count == SETTINGS_PORTS_MAX)
			return refuse_node(file, port, "more than %d ports", SETTINGS_PORTS_MAX);
		if (read_port(file, port, ports->names[ports->count]))
			return EXIT_USAGE_ERROR;
		ports->count++;
	}
	return EXIT_DONE;
}

/* --- schedule ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_run_name(struct yaml_file *file, const yaml_node_t *node, const struct settings *settings,
				    struct run_settings *run)
{
	if (read_word(file, node, run->name))
		return EXIT_USAGE_ERROR;
	if (!run->name[strspn(run->name, "0123456789")])
		return refuse_node(file, node, "a run's name must not be a number");
	for (unsigned int i = 0; i + 1 < settings->run_count; i++)
		if (strcmp(settings->runs[i].name, run->name) == 0)
			return refuse_node(file, node, "two runs have the name '%s'", run->name);
	return EXIT_DONE;
}

/* What we have to know of a run; its options are for xdp-mlr to read. */
static enum exit_code read_run(struct yaml_file *file, const yaml_node_t *node, struct settings *settings)
{
	struct run_settings *run = &settings->runs[settings->run_count];
	const yaml_node_t *name, *verb, *ports, *alone;
	enum exit_code code = EXIT_DONE;
	bool unused;

	if (settings->run_count == SETTINGS_RUNS_MAX)
		return refuse_node(file, node, "more than %d runs", SETTINGS_RUNS_MAX);
	if (node->type != YAML_MAPPING_NODE)
		return refuse_node(file, node, "a run: options and their values must stand here");
	*run = (struct run_settings){ .ports = settings->ports };
	strcpy(run->verb, settings->verb);
	snprintf(run->name, sizeof(run->name), "%u", ++settings->run_count);
	name = node_find(file, node, "name");
	verb = node_find(file, node, "verb");
	ports = node_find(file, node, "ports");
	alone = node_find(file, node, "alone");
	if (name)
		code = read_run_name(file, name, settings, run);
	if (verb && code == EXIT_DONE)
		code = read_verb(file, verb, run->verb);
	if (ports && code == EXIT_DONE)
		code = read_port_list(file, ports, &run->ports);
	return alone && code == EXIT_DONE ? read_truth(file, alone, &unused) : code;
}

static enum exit_code read_runs(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	struct settings *settings = target;
	enum exit_code code = EXIT_DONE;

	if (node->type != YAML_SEQUENCE_NODE || !item_count(node))
		return refuse_node(file, node, "a list of runs must stand here");
	settings->run_count = 0;
	for (size_t i = 0; i < item_count(node) && code == EXIT_DONE; i++)
		code = read_run(file, item_at(file, node, i), settings);
	return code;
}

static enum exit_code read_repeat(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	const char *text = node_text(node);

	if (!text || strcmp(text, "forever") != 0)
		return read_whole(file, node, 1e6, "must be forever, or a number of rounds from 1 to 1000000", target);
	*(unsigned int *)target = SETTINGS_FOREVER;
	return EXIT_DONE;
}

/* "02:00" */
static enum exit_code read_clock(struct yaml_file *file, const yaml_node_t *node, struct schedule_settings *schedule)
{
	const char *text = node_plain(file, node);
	unsigned int hours, minutes;
	int end = 0;

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strlen(text) != 5 || sscanf(text, "%2u:%2u%n", &hours, &minutes, &end) != 2 || end != 5 || hours > 23 ||
	    minutes > 59)
		return refuse_node(file, node, "must be a time of day in UTC, as \"02:00\"");
	if (schedule->at_count == SETTINGS_TIMES_MAX)
		return refuse_node(file, node, "more than %d times of day", SETTINGS_TIMES_MAX);
	schedule->at_minutes[schedule->at_count++] = 60 * hours + minutes;
	return EXIT_DONE;
}

static enum exit_code read_at(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	enum exit_code code = EXIT_DONE;

	if (node->type != YAML_SEQUENCE_NODE)
		return read_clock(file, node, target);
	for (size_t i = 0; i < item_count(node) && code == EXIT_DONE; i++)
		code = read_clock(file, item_at(file, node, i), target);
	return code;
}

/* The list of runs, or a mapping with it. At times of day, and in an interval, rounds go on for ever unless it says how
 * often. */
static enum exit_code read_schedule(struct yaml_file *file, const yaml_node_t *node, struct settings *settings)
{
	static const struct yaml_key keys[] = {
		{ "runs", read_runs, 0 },
		{ "repeat", read_repeat, AT(schedule.rounds) },
		{ "pause", read_pause, AT(schedule.pause_s) },
		{ "every", read_every, AT(schedule.every_s) },
		{ "at", read_at, AT(schedule) },
	};
	struct schedule_settings *schedule = &settings->schedule;
	enum exit_code code;

	if (node->type == YAML_SEQUENCE_NODE)
		return read_runs(file, node, settings);
	code = yaml_read_mapping(file, node, "schedule", keys, COUNT(keys), settings);
	if (code != EXIT_DONE)
		return code;
	if ((schedule->every_s > 0) + (schedule->pause_s > 0) + (schedule->at_count > 0) > 1)
		return refuse_node(file, node, "schedule: pause, every and at exclude each other");
	if ((schedule->every_s > 0 || schedule->at_count) && !node_find(file, node, "repeat"))
		schedule->rounds = SETTINGS_FOREVER;
	return EXIT_DONE;
}

/* --- HTTP ----------------------------------------------------------------------------------------------------------- */

static enum exit_code read_http_address(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	char *address = target;
	unsigned char octets[sizeof(struct in6_addr)];

	if (read_word(file, node, address))
		return EXIT_USAGE_ERROR;
	if (inet_pton(AF_INET, address, octets) != 1 && inet_pton(AF_INET6, address, octets) != 1)
		return refuse_node(file, node, "'%s' is no IP address", address);
	if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
		return refuse_node(file, node, "'%s' would listen on test ports; give the management port's own address",
				   address);
	return EXIT_DONE;
}

static enum exit_code read_http_port(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	return read_whole(file, node, 65535, "must be a port number from 1 to 65535", target);
}

static enum exit_code read_http_token(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	const char *text = node_plain(file, node);
	const size_t size = sizeof(((struct http_settings *)0)->token);

	if (!text)
		return EXIT_USAGE_ERROR;
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || *c > '~')
			return refuse_node(file, node, "token: visible ASCII characters only");
	if (strlen(text) < TOKEN_MIN || strlen(text) >= size)
		return refuse_node(file, node, "token: %d to %zu characters, so that nobody guesses it", TOKEN_MIN,
				   size - 1);
	strcpy(target, text);
	return EXIT_DONE;
}

static enum exit_code read_pem(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	const char *text = node_plain(file, node);

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strlen(text) > PEM_MAX || !strstr(text, "-----BEGIN "))
		return refuse_node(file, node, "PEM text must stand here, at most %d octets", PEM_MAX);
	*(char **)target = strdup(text);
	return *(char **)target ? EXIT_DONE : refuse_node(file, node, "out of memory");
}

static enum exit_code read_tls(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const struct yaml_key keys[] = { { "certificate", read_pem, AT(http.certificate) },
						{ "key", read_pem, AT(http.key) },
						{ "clients", read_pem, AT(http.clients) } };
	const struct http_settings *http = &((struct settings *)target)->http;
	enum exit_code code = yaml_read_mapping(file, node, "tls", keys, COUNT(keys), target);

	if (code == EXIT_DONE && !(http->certificate && http->key))
		return refuse_node(file, node, "tls: both a certificate and a key are needed");
	return code;
}

static enum exit_code read_http(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const struct yaml_key keys[] = {
		{ "address", read_http_address, AT(http.address) },
		{ "port", read_http_port, AT(http.port) },
		{ "tls", read_tls, 0 },
		{ "token", read_http_token, AT(http.token) },
		{ "control-token", read_http_token, AT(http.control_token) },
		{ "unprotected", read_truth, AT(http.unprotected) },
	};
	struct settings *settings = target;

	settings->http.wanted = true;
	settings->http.line = node_line(node);
	if (yaml_read_mapping(file, node, "http", keys, COUNT(keys), settings))
		return EXIT_USAGE_ERROR;
	if (*settings->http.control_token && strcmp(settings->http.control_token, settings->http.token) == 0)
		return refuse_node(file, node, "control-token: another one than the token, which is to read alone");
	return EXIT_DONE;
}

/* --- the management port -------------------------------------------------------------------------------------------- */

static bool is_ipv4(const char *text)
{
	struct in_addr address;

	return inet_pton(AF_INET, text, &address) == 1;
}

/* "192.0.2.5/24" */
static bool is_ipv4_with_length(const char *text)
{
	const char *slash = strchr(text, '/');
	double length;

	if (!slash || slash - text >= INET_ADDRSTRLEN)
		return false;
	return is_ipv4(TEXT_OF(INET_ADDRSTRLEN, "%.*s", (int)(slash - text), text)) && strlen(slash + 1) <= 2 &&
	       parse_number(slash + 1, &length) && length >= 1 && length <= 31 && length == (unsigned int)length &&
	       strspn(slash + 1, "0123456789") == strlen(slash + 1);
}

static enum exit_code read_management_address(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	const char *text = node_plain(file, node);

	if (!text)
		return EXIT_USAGE_ERROR;
	if (strcmp(text, "dhcp") != 0 && !is_ipv4_with_length(text))
		return refuse_node(file, node, "'%s' is neither dhcp nor an IPv4 address with its length, as 192.0.2.5/24",
				   QUOTED(text));
	strcpy(target, text);
	return EXIT_DONE;
}

static enum exit_code read_management_gateway(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	if (read_word(file, node, target))
		return EXIT_USAGE_ERROR;
	return is_ipv4(target) ? EXIT_DONE : refuse_node(file, node, "'%s' is no IPv4 address", (const char *)target);
}

static enum exit_code read_management(struct yaml_file *file, const yaml_node_t *node, void *target)
{
	static const struct yaml_key keys[] = {
		{ "port", read_port, AT(management.port) },
		{ "address", read_management_address, AT(management.address) },
		{ "gateway", read_management_gateway, AT(management.gateway) },
	};

	((struct settings *)target)->management.line = node_line(node);
	return yaml_read_mapping(file, node, "management", keys, COUNT(keys), target);
}

static bool has_port(const struct port_settings *ports, const char *name)
{
	for (unsigned int i = 0; i < ports->count; i++)
		if (strcmp(ports->names[i], name) == 0)
			return true;
	return false;
}

static bool is_test_port(const struct settings *settings, const char *name)
{
	bool found = has_port(&settings->ports, name);

	for (unsigned int run = 0; run < settings->run_count; run++)
		found |= has_port(&settings->runs[run].ports, name);
	return found;
}

/* Once all of it is known, wherever it stands. */
static enum exit_code check_management(struct yaml_file *file, const struct settings *settings)
{
	const struct management_settings *management = &settings->management;

	if (!management->line)
		return EXIT_DONE;
	if (!*management->port)
		return refuse_line(file, management->line, "management: its port is missing, a MAC address or name");
	if (is_test_port(settings, management->port))
		return refuse_line(file, management->line, "management: %s is a test port", management->port);
	if (*management->gateway && strcmp(management->address, "dhcp") == 0)
		return refuse_line(file, management->line,
				   "management: a gateway goes with an address of its own; DHCP brings one");
	return EXIT_DONE;
}

/* --- the section ---------------------------------------------------------------------------------------------------- */

/* The schedule is read in its turn: its runs take over what stands here. */
static const struct yaml_key section_keys[] = {
	{ "verb", read_verb, AT(verb) },    { "ports", read_port_list, AT(ports) }, { "at-end", read_end, AT(at_end) },
	{ "shell", read_truth, AT(shell) }, { "keep", read_size, AT(keep_octets) }, { "schedule", NULL, 0 },
	{ "http", read_http, 0 },           { "management", read_management, 0 },
};

static enum exit_code read_section(struct yaml_file *file, const yaml_node_t *section, struct settings *settings)
{
	return yaml_read_mapping(file, section, SECTION, section_keys, COUNT(section_keys), settings);
}

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

static enum exit_code read_override(const struct yaml_file *of, const char *line, struct settings *settings)
{
	struct yaml_file file = { .path = "kernel command line", .error = of->error, .error_size = of->error_size };
	const yaml_node_t *root;
	enum exit_code code;
	char text[1024];

	if (!write_override(line, text, sizeof(text)))
		return refuse_line(&file, 1, "a setting of the appliance is too long");
	if (yaml_file_read_text(&file, text))
		return refuse_line(&file, 1, SECTION ".%s: not a value in YAML", line);
	root = yaml_document_get_root_node(&file.document);
	code = root && !node_find(&file, root, "schedule") ? read_section(&file, root, settings)
							   : refuse_line(&file, 1, "a schedule must stand in a file");
	yaml_file_free(&file);
	return code;
}

/* The lines of a file; NULL: none. */
static enum exit_code read_overrides(const struct yaml_file *file, const char *path, struct settings *settings)
{
	static const char prefix[] = SECTION ".";
	FILE *stream = path ? fopen(path, "re") : NULL;
	enum exit_code code = EXIT_DONE;
	char line[4096];

	if (!stream)
		return EXIT_DONE;
	while (code == EXIT_DONE && fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			code = read_override(file, line + strlen(prefix), settings);
	}
	fclose(stream);
	return code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_document(struct yaml_file *file, const char *overrides, struct settings *settings)
{
	const yaml_node_t *root = yaml_document_get_root_node(&file->document), *section, *schedule;
	enum exit_code code = EXIT_DONE;

	if (!root || root->type != YAML_MAPPING_NODE)
		return refuse_line(file, root ? node_line(root) : 1, "must be a mapping of option names to values");
	section = node_find(file, root, SECTION);
	if (section)
		code = read_section(file, section, settings);
	if (code == EXIT_DONE)
		code = read_overrides(file, overrides, settings);
	schedule = section && code == EXIT_DONE ? node_find(file, section, "schedule") : NULL;
	if (schedule)
		code = read_schedule(file, schedule, settings);
	return code == EXIT_DONE ? check_management(file, settings) : code;
}

static enum exit_code read_stream(struct yaml_file *file, FILE *stream, const char *overrides, struct settings *settings)
{
	enum exit_code code;

	if (fseek(stream, 0, SEEK_END) || ftell(stream) > SETTINGS_FILE_MAX)
		return refuse_line(file, 1, "larger than %d octets: this is no configuration", SETTINGS_FILE_MAX);
	rewind(stream);
	code = yaml_file_read(file, stream);
	if (code != EXIT_DONE)
		return code;
	code = read_document(file, overrides, settings);
	yaml_file_free(file);
	return code;
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

bool settings_read(const char *path, const char *overrides, struct settings *ret, char error[SETTINGS_ERROR_SIZE])
{
	struct settings *settings = calloc(1, sizeof(*settings));
	struct yaml_file file = { .path = path, .error = error, .error_size = SETTINGS_ERROR_SIZE };
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
	good = read_stream(&file, stream, overrides, settings) == EXIT_DONE;
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
	free(settings->http.clients);
	settings->http.certificate = settings->http.key = settings->http.clients = NULL;
}

const char *settings_port_list(const struct port_settings *ports, char buffer[SETTINGS_PORT_LIST_SIZE])
{
	buffer[0] = '\0';
	for (unsigned int i = 0; i < ports->count; i++)
		text_join(buffer, SETTINGS_PORT_LIST_SIZE, ",", "%s", ports->names[i]);
	return buffer;
}

void settings_print(FILE *stream, const struct settings *settings)
{
	fprintf(stream, "verb=%s\nat_end=%s\nports=%s\n", settings->verb, settings->at_end,
		settings_port_list(&settings->ports, ROOM(SETTINGS_PORT_LIST_SIZE)));
	if (*settings->management.port)
		fprintf(stream, "management_port=%s\nmanagement_address=%s\nmanagement_gateway=%s\n",
			settings->management.port, settings->management.address, settings->management.gateway);
}
