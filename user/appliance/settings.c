/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/settings.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/json_read.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"
#include "base/yaml_read.h"

#define SECTION       "appliance"
#define PAUSE_MOST_S  (31 * 86400.0)
#define EVERY_LEAST_S 1
#define KEEP_LEAST    1e6
#define KEEP_MOST     1e12

/* --- values --------------------------------------------------------------------------------------------------------- */

/* Values have the forms that docs/schema/appliance-settings.schema.json requires. A member that is missing leaves its
 * default. */
static void set_text(const json_t *object, const char *name, char *target)
{
	const char *text = read_string(object, name);

	if (text)
		strcpy(target, text);
}

static void set_truth(const json_t *object, const char *name, bool *target)
{
	if (json_object_get(object, name))
		*target = is_one_of(read_text(object, name), "true yes");
}

static void set_count(const json_t *object, const char *name, unsigned int *target)
{
	parse_whole(read_text(object, name), 0, UINT_MAX, target);
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

static enum exit_code set_time(struct yaml_file *file, const json_t *object, const char *name, double least_s,
			       double *target)
{
	const json_t *value = json_object_get(object, name);
	double time_s;

	if (!value)
		return EXIT_DONE;
	if (!parse_duration(squeeze(json_string_value(value), ROOM(SETTINGS_VALUE_SIZE)), &time_s) || time_s < least_s ||
	    time_s > PAUSE_MOST_S)
		return refuse_value(file, value, "%s '%s': must be a time of %g s to 31 days, as %s", name,
				    QUOTED(json_string_value(value)), least_s, DURATION_FORMS);
	*target = time_s;
	return EXIT_DONE;
}

/* Octets: "200 MB". */
static enum exit_code set_size(struct yaml_file *file, const json_t *object, const char *name, double *target)
{
	const json_t *value = json_object_get(object, name);
	double octets = 0;
	char unit;

	if (!value)
		return EXIT_DONE;
	if (sscanf(json_string_value(value), "%lf %c", &octets, &unit) == 2)
		octets *= unit == 'G' ? 1e9 : unit == 'M' ? 1e6 : 1e3;
	if (!(octets >= KEEP_LEAST && octets <= KEEP_MOST))
		return refuse_value(file, value, "%s '%s': must be a size of at least 1 MB, as 200 MB or 1 GB", name,
				    json_string_value(value));
	*target = octets;
	return EXIT_DONE;
}

/* --- ports ---------------------------------------------------------------------------------------------------------- */

const char *interface_address(const char *name, char address[INTERFACE_ADDRESS_SIZE])
{
	file_read_line(TEXT_OF(64, "/sys/class/net/%.15s/address", name), address, INTERFACE_ADDRESS_SIZE);
	return address;
}

/* The name of the interface with this MAC address. */
static enum exit_code find_port(struct yaml_file *file, const json_t *value, const char *mac, char name[SETTINGS_VALUE_SIZE])
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
		return refuse_value(file, value, "%u ports have the MAC address %s; name the port instead", found, mac);
	return found == 1 ? EXIT_DONE : refuse_value(file, value, "no port has the MAC address %s", mac);
}

/* A name or a MAC address. */
static enum exit_code set_port(struct yaml_file *file, const json_t *value, char *target)
{
	const char *text = json_string_value(value);

	if (text && strchr(text, ':'))
		return find_port(file, value, text, target);
	if (text)
		strcpy(target, text);
	return EXIT_DONE;
}

static enum exit_code set_ports(struct yaml_file *file, const json_t *object, struct port_settings *target)
{
	const json_t *list = json_object_get(object, "ports");
	enum exit_code code = EXIT_DONE;

	if (list)
		target->count = 0;
	json_each (port, list)
		code = code ?: set_port(file, port, target->names[target->count++]);
	return code;
}

/* --- schedule ------------------------------------------------------------------------------------------------------- */

/* What we have to know of a run; its options are for xdp-mlr to read. */
static enum exit_code set_run(struct yaml_file *file, const json_t *object, struct settings *settings)
{
	struct run_settings *run = &settings->runs[settings->run_count];

	*run = (struct run_settings){ .ports = settings->ports };
	strcpy(run->verb, settings->verb);
	snprintf(run->name, sizeof(run->name), "%u", ++settings->run_count);
	set_text(object, "name", run->name);
	if (row_with(settings->runs, settings->run_count - 1, name, run->name))
		return refuse_value(file, json_object_get(object, "name"), "two runs have the name '%s'", run->name);
	set_text(object, "verb", run->verb);
	return set_ports(file, object, &run->ports);
}

/* "02:00", or a list of such times. */
static void set_clock(const json_t *value, struct schedule_settings *schedule)
{
	unsigned int hours, minutes;

	json_each (item, value)
		set_clock(item, schedule);
	if (json_is_string(value) && sscanf(json_string_value(value), "%2u:%2u", &hours, &minutes) == 2)
		schedule->at_minutes[schedule->at_count++] = 60 * hours + minutes;
}

/* The list of runs, or a mapping with it. At times of day, and in an interval, rounds go on for ever unless it says how
 * often. */
static enum exit_code set_schedule(struct yaml_file *file, const json_t *value, struct settings *settings)
{
	const json_t *runs = json_is_array(value) ? value : json_object_get(value, "runs");
	struct schedule_settings *schedule = &settings->schedule;
	enum exit_code code = EXIT_DONE;

	json_each (run, runs)
		code = code ?: set_run(file, run, settings);
	if (code == EXIT_DONE)
		code = set_time(file, value, "pause", 0, &schedule->pause_s);
	if (code == EXIT_DONE)
		code = set_time(file, value, "every", EVERY_LEAST_S, &schedule->every_s);
	if (code != EXIT_DONE)
		return code;
	set_clock(json_object_get(value, "at"), schedule);
	if ((schedule->every_s > 0) + (schedule->pause_s > 0) + (schedule->at_count > 0) > 1)
		return refuse_value(file, value, "schedule: pause, every and at exclude each other");
	if (schedule->pause_s > 0 && !json_object_get(value, "repeat"))
		return refuse_value(file, value,
				    "schedule: a pause is between rounds, and there is one; give repeat, a number or forever");
	if (schedule->every_s > 0 || schedule->at_count || strcmp(read_text(value, "repeat"), "forever") == 0)
		schedule->rounds = SETTINGS_FOREVER;
	set_count(value, "repeat", &schedule->rounds);
	return EXIT_DONE;
}

/* --- HTTP ----------------------------------------------------------------------------------------------------------- */

static enum exit_code check_http_address(struct yaml_file *file, const json_t *value)
{
	unsigned char octets[sizeof(struct in6_addr)];
	const char *address = json_string_value(value);

	if (!address)
		return EXIT_DONE;
	if (inet_pton(AF_INET, address, octets) != 1 && inet_pton(AF_INET6, address, octets) != 1)
		return refuse_value(file, value, "'%s' is no IP address", address);
	if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
		return refuse_value(file, value, "'%s' would listen on test ports; give the management port's own address",
				    address);
	return EXIT_DONE;
}

/* A later one takes the place of an earlier one. */
static enum exit_code set_pem(struct yaml_file *file, const json_t *object, const char *name, char **target)
{
	const char *text = read_string(object, name);

	if (!text)
		return EXIT_DONE;
	free(*target);
	*target = strdup(text);
	return *target ? EXIT_DONE : refuse_value(file, object, "out of memory");
}

static enum exit_code set_http(struct yaml_file *file, const json_t *value, struct http_settings *http)
{
	const json_t *tls = json_object_get(value, "tls");

	if (!value)
		return EXIT_DONE;
	http->wanted = true;
	http->line = yaml_line(file, value);
	set_text(value, "address", http->address);
	set_count(value, "port", &http->port);
	set_text(value, "token", http->token);
	set_text(value, "control-token", http->control_token);
	set_truth(value, "unprotected", &http->unprotected);
	if (check_http_address(file, json_object_get(value, "address")) ||
	    set_pem(file, tls, "certificate", &http->certificate) || set_pem(file, tls, "key", &http->key) ||
	    set_pem(file, tls, "clients", &http->clients))
		return EXIT_USAGE_ERROR;
	if (*http->control_token && strcmp(http->control_token, http->token) == 0)
		return refuse_value(file, value, "control-token: another one than the token, which is to read alone");
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
	unsigned int length;

	if (!slash || slash - text >= INET_ADDRSTRLEN)
		return false;
	return is_ipv4(TEXT_OF(INET_ADDRSTRLEN, "%.*s", (int)(slash - text), text)) && strlen(slash + 1) <= 2 &&
	       parse_whole(slash + 1, 1, 31, &length) && strspn(slash + 1, "0123456789") == strlen(slash + 1);
}

static enum exit_code set_management(struct yaml_file *file, const json_t *value, struct management_settings *management)
{
	const json_t *address = json_object_get(value, "address"), *gateway = json_object_get(value, "gateway");

	if (!value)
		return EXIT_DONE;
	management->line = yaml_line(file, value);
	set_text(value, "address", management->address);
	set_text(value, "gateway", management->gateway);
	if (address && strcmp(management->address, "dhcp") != 0 && !is_ipv4_with_length(management->address))
		return refuse_value(file, address,
				    "'%s' is neither dhcp nor an IPv4 address with its length, as 192.0.2.5/24",
				    management->address);
	if (gateway && !is_ipv4(management->gateway))
		return refuse_value(file, gateway, "'%s' is no IPv4 address", management->gateway);
	return set_port(file, json_object_get(value, "port"), management->port);
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

/* Read the section without its schedule, which is read later: its runs inherit these settings. */
static enum exit_code read_section(struct yaml_file *file, const json_t *section, struct settings *settings)
{
	if (yaml_check(file, section, "appliance-settings"))
		return EXIT_USAGE_ERROR;
	set_text(section, "verb", settings->verb);
	set_text(section, "at-end", settings->at_end);
	set_truth(section, "shell", &settings->shell);
	if (set_ports(file, section, &settings->ports) || set_size(file, section, "keep", &settings->keep_octets) ||
	    set_http(file, json_object_get(section, "http"), &settings->http))
		return EXIT_USAGE_ERROR;
	return set_management(file, json_object_get(section, "management"), &settings->management);
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
	enum exit_code code;
	char text[1024];

	if (!write_override(line, text, sizeof(text)))
		return refuse_line(&file, 1, "a setting of the appliance is too long");
	if (yaml_file_read_text(&file, text))
		return refuse_line(&file, 1, SECTION ".%s: not a value in YAML", line);
	code = json_object_get(file.root, "schedule") ? refuse_line(&file, 1, "a schedule must stand in a file")
						      : read_section(&file, file.root, settings);
	yaml_file_free(&file);
	return code;
}

/* The lines of a file; NULL: none. */
static enum exit_code read_overrides(const struct yaml_file *file, const char *path, struct settings *settings)
{
	static const char prefix[] = SECTION ".";
	closing FILE *stream = path ? fopen(path, "re") : NULL;
	enum exit_code code = EXIT_DONE;
	char line[4096];

	if (!stream)
		return EXIT_DONE;
	while (code == EXIT_DONE && fgets(line, sizeof(line), stream)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, prefix, strlen(prefix)) == 0)
			code = read_override(file, line + strlen(prefix), settings);
	}
	return code;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static enum exit_code read_document(struct yaml_file *file, const char *overrides, struct settings *settings)
{
	const json_t *section = json_object_get(file->root, SECTION), *schedule = json_object_get(section, "schedule");
	enum exit_code code = EXIT_DONE;

	if (!json_is_object(file->root))
		return refuse_line(file, yaml_line(file, file->root), "must be a mapping of option names to values");
	if (section)
		code = read_section(file, section, settings);
	if (code == EXIT_DONE)
		code = read_overrides(file, overrides, settings);
	if (code == EXIT_DONE && schedule)
		code = set_schedule(file, schedule, settings);
	return code ?: check_management(file, settings);
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

/* Without a schedule, add one run: the file as it is, once. */
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
