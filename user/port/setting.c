/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/message.h"

#include "base/text_stream.h"

#define PATH_SIZE  128
#define VALUE_SIZE 1024

const struct setting_flag setting_flags[SETTING_FLAGS] = {
	/* igb, igc, ixgbe, i40e, ice */
	{ "legacy-rx", false, "frames are received into small buffers, and each is copied" },
	/* mlx5 */
	{ "xdp_tx_mpwqe", true, "each frame that AF_XDP and XDP send is a request of its own to the NIC" },
};

/* A setting while it is read or written. */
struct access {
	const struct settings *settings;
	int ifindex;
	const char *key;           /* the part behind the colon */
	enum link_setting setting; /* a setting that is numbers */
};

int settings_open(struct settings *ret)
{
	struct settings settings;
	int error = netlink_open(&settings.netlink);

	if (error)
		return error;
	error = ethtool_open(&settings.ethtool);
	if (error)
		netlink_close(settings.netlink);
	else
		*ret = settings;
	return error;
}

void settings_close(struct settings *settings)
{
	ethtool_close(settings->ethtool);
	netlink_close(settings->netlink);
}

/* Convert a failure of asprintf() or strdup() to an error. */
static int printed(int octets)
{
	return octets < 0 ? -ENOMEM : 0;
}

static int copied(const char *text, char **ret_value)
{
	*ret_value = strdup(text);
	return *ret_value ? 0 : -ENOMEM;
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

/* The key is a path below /proc/sys, in which %s stands for the port's name. */
static int sysctl_path(const struct access *access, char path[PATH_SIZE])
{
	const char *mark = strstr(access->key, "%s");
	struct link_info link;
	int error = netlink_link_by_index(access->settings->netlink, access->ifindex, &link);

	if (error)
		return error;
	if (!mark || strstr(access->key, ".."))
		return -EINVAL;
	snprintf(path, PATH_SIZE, "/proc/sys/%.*s%s%s", (int)(mark - access->key), access->key, link.name, mark + 2);
	return 0;
}

static int irq_path(const struct access *access, char path[PATH_SIZE])
{
	if (!access->key[0] || access->key[strspn(access->key, "0123456789")])
		return -EINVAL;
	snprintf(path, PATH_SIZE, "/proc/irq/%s/smp_affinity_list", access->key);
	return 0;
}

/* --- ethtool -------------------------------------------------------------------------------------------------------- */

static const char *on_off(bool on)
{
	return on ? "on" : "off";
}

static int read_feature(const struct access *access, char **ret_value)
{
	struct link_feature feature;
	int error = ethtool_feature(access->settings->ethtool, access->ifindex, access->key, &feature);

	if (error)
		return error;
	return copied(on_off(feature.fixed ? feature.active : feature.wanted), ret_value);
}

static int write_feature(const struct access *access, const char *value)
{
	return ethtool_set_feature(access->settings->ethtool, access->ifindex, access->key, strcmp(value, "on") == 0);
}

/* The words of settings that are numbers, in their texts: "rx 2 tx 2 combined 0". */
static const struct words {
	const char *names[LINK_NUMBERS];
	bool are_switches; /* "on" and "off" stand for numbers */
	bool names_all;    /* also those that the driver does not have */
} words_of[LINK_SETTINGS] = {
	[LINK_CHANNELS] = { .names = { [CHANNELS_RX] = "rx", [CHANNELS_TX] = "tx", [CHANNELS_COMBINED] = "combined" },
			    .names_all = true },
	[LINK_RINGS] = { .names = { [RINGS_RX] = "rx", [RINGS_TX] = "tx" }, .names_all = true },
	[LINK_COALESCING] = { .names = { [COALESCE_ADAPTIVE_RX] = "adaptive-rx",
					 [COALESCE_ADAPTIVE_TX] = "adaptive-tx",
					 [COALESCE_RX_USECS] = "rx-usecs",
					 [COALESCE_RX_FRAMES] = "rx-frames",
					 [COALESCE_TX_USECS] = "tx-usecs",
					 [COALESCE_TX_FRAMES] = "tx-frames" } },
	[LINK_PAUSE] = { .names = { [PAUSE_AUTONEGOTIATED] = "autoneg", [PAUSE_RX] = "rx", [PAUSE_TX] = "tx" },
			 .are_switches = true,
			 .names_all = true },
};

int setting_numbers_text(enum link_setting setting, const struct link_numbers *numbers, char **ret_value)
{
	const struct words *words = &words_of[setting];
	char text[NUMBERS_TEXT_SIZE] = "";

	for (size_t i = 0; i < LINK_NUMBERS && words->names[i]; i++) {
		if (words->are_switches)
			text_join(text, sizeof(text), " ", "%s %s", words->names[i], on_off(numbers->value[i]));
		else if (words->names_all || numbers->has[i])
			text_join(text, sizeof(text), " ", "%s %u", words->names[i], numbers->value[i]);
	}
	return *text ? copied(text, ret_value) : -EOPNOTSUPP;
}

static bool parse_one(const struct words *words, const char *text, uint32_t *ret)
{
	int end = 0;

	if (words->are_switches) {
		*ret = strcmp(text, "on") == 0;
		return *ret || strcmp(text, "off") == 0;
	}
	return sscanf(text, "%u%n", ret, &end) == 1 && !text[end];
}

int setting_parse_numbers(enum link_setting setting, const char *value, struct link_numbers *ret)
{
	const struct words *words = &words_of[setting];
	struct link_numbers numbers = { .has = { false } };
	char name[16], text[16];
	int octets;

	for (; sscanf(value, " %15s %15s%n", name, text, &octets) == 2; value += octets) {
		size_t i = 0;

		while (i < LINK_NUMBERS && words->names[i] && strcmp(name, words->names[i]))
			i++;
		if (i == LINK_NUMBERS || !words->names[i] || !parse_one(words, text, &numbers.value[i]))
			return -EINVAL;
		numbers.has[i] = true;
	}
	for (size_t i = 0; i < LINK_NUMBERS && words->names_all; i++)
		if (words->names[i] && !numbers.has[i])
			return -EINVAL;
	if (value[strspn(value, " ")])
		return -EINVAL;
	*ret = numbers;
	return 0;
}

static int read_numbers(const struct access *access, char **ret_value)
{
	struct link_numbers numbers;

	return ethtool_numbers(access->settings->ethtool, access->ifindex, access->setting, &numbers)
		       ?: setting_numbers_text(access->setting, &numbers, ret_value);
}

static int write_numbers(const struct access *access, const char *value)
{
	struct link_numbers numbers;

	return setting_parse_numbers(access->setting, value, &numbers)
		       ?: ethtool_set_numbers(access->settings->ethtool, access->ifindex, access->setting, &numbers);
}

static int read_eee(const struct access *access, char **ret_value)
{
	struct link_numbers eee;

	return ethtool_numbers(access->settings->ethtool, access->ifindex, LINK_EEE, &eee)
		       ?: copied(on_off(eee.value[EEE_ON]), ret_value);
}

static int write_eee(const struct access *access, const char *value)
{
	const struct link_numbers eee = { .has[EEE_ON] = true, .value[EEE_ON] = strcmp(value, "on") == 0 };

	return ethtool_set_numbers(access->settings->ethtool, access->ifindex, LINK_EEE, &eee);
}

static int read_flag(const struct access *access, char **ret_value)
{
	bool on;

	return ethtool_flag(access->settings->ethtool, access->ifindex, access->key, &on) ?: copied(on_off(on), ret_value);
}

static int write_flag(const struct access *access, const char *value)
{
	return ethtool_set_flag(access->settings->ethtool, access->ifindex, access->key, strcmp(value, "on") == 0);
}

static void put_queues(FILE *stream, const struct link_rss *rss)
{
	for (uint32_t i = 0; i < rss->count; i++)
		fprintf(stream, "%s%u", i ? " " : "", rss->queue[i]);
}

char *setting_rss_text(const struct link_rss *rss)
{
	return TEXT_WRITTEN(stream, NULL, put_queues(stream, rss));
}

static int read_rss(const struct access *access, char **ret_value)
{
	struct link_rss rss;
	int error = ethtool_rss(access->settings->ethtool, access->ifindex, &rss);

	if (error)
		return error;
	if (!rss.count)
		return -EOPNOTSUPP;
	*ret_value = setting_rss_text(&rss);
	return *ret_value ? 0 : -ENOMEM;
}

int setting_parse_rss(const char *value, struct link_rss *ret)
{
	char *end;

	for (ret->count = 0; *value; value = end) {
		if (ret->count >= ETHTOOL_RSS_ENTRIES_MAX)
			return -E2BIG;
		ret->queue[ret->count++] = (uint32_t)strtoul(value, &end, 10);
		if (end == value)
			return -EINVAL;
	}
	return 0;
}

/* A table that was the driver's default must become the default again: a table once written is kept when the channels
 * change. */
static int write_rss(const struct access *access, const char *value)
{
	static const struct link_rss to_default = { 0 };
	struct link_rss rss;
	owned char *now = NULL;
	int error = setting_parse_rss(value, &rss);
	bool done;

	if (error)
		return error;
	done = !ethtool_set_rss(access->settings->ethtool, access->ifindex, &to_default) && !read_rss(access, &now) &&
	       strcmp(now, value) == 0;
	return done ? 0 : ethtool_set_rss(access->settings->ethtool, access->ifindex, &rss);
}

/* Bit n of the fields of a hash is the letter at n. The highest bit has no letter. */
static const char hash_letters[] = " mvtsdfn";

static int hash_ip_version(const struct access *access, unsigned int *ret)
{
	return sscanf(access->key, "udp%u", ret) == 1 && (*ret == 4 || *ret == 6) ? 0 : -EINVAL;
}

static int read_hash(const struct access *access, char **ret_value)
{
	char text[sizeof(hash_letters)] = "", *end = text;
	unsigned int ip_version = 0;
	uint64_t fields = 0;
	int error = hash_ip_version(access, &ip_version)
			    ?: ethtool_udp_hash(access->settings->ethtool, access->ifindex, ip_version, &fields);

	if (error)
		return error;
	if (fields & 1 || fields >> strlen(hash_letters))
		return -EPROTO; /* fields that this program cannot write */
	for (unsigned int bit = 1; bit < strlen(hash_letters); bit++)
		if (fields >> bit & 1)
			*end++ = hash_letters[bit];
	return copied(fields ? text : "none", ret_value);
}

static int write_hash(const struct access *access, const char *value)
{
	unsigned int ip_version = 0;
	uint64_t fields = 0;
	int error = hash_ip_version(access, &ip_version);

	for (; !error && strcmp(value, "none") && *value; value++) {
		const char *letter = strchr(hash_letters + 1, *value);

		if (letter)
			fields |= 1ull << (letter - hash_letters);
		else
			error = -EINVAL;
	}
	return error ?: ethtool_set_udp_hash(access->settings->ethtool, access->ifindex, ip_version, fields);
}

static const char *const rule_fields[] = {
	[RULE_SOURCE_ADDRESS] = "source-address",
	[RULE_DESTINATION_ADDRESS] = "destination-address",
	[RULE_SOURCE_PORT] = "source-port",
	[RULE_DESTINATION_PORT] = "destination-port",
};

int setting_rule_text(const struct link_rule *rule, char **ret_value)
{
	return printed(asprintf(ret_value, "udp%u %s 0x%x/0x%x queue %u", rule->ip_version, rule_fields[rule->field],
				rule->value, rule->mask, rule->queue));
}

static int parse_rule(const char *value, struct link_rule *ret)
{
	char field[32];
	size_t place;

	if (sscanf(value, "udp%u %31s 0x%x/0x%x queue %u", &ret->ip_version, field, &ret->value, &ret->mask, &ret->queue) !=
	    5)
		return -EINVAL;
	place = place_of_word(field, rule_fields, COUNT(rule_fields));
	ret->field = (enum link_rule_field)place;
	return place < COUNT(rule_fields) ? 0 : -EINVAL;
}

static int read_rule(const struct access *access, char **ret_value)
{
	struct link_rule rule;
	int error =
		ethtool_rule(access->settings->ethtool, access->ifindex, (uint32_t)strtoul(access->key, NULL, 10), &rule);

	if (!error)
		return setting_rule_text(&rule, ret_value);
	if (error != -ENOENT && error != -EPROTO)
		return error;
	return copied(error == -ENOENT ? "none" : "other", ret_value);
}

static int write_rule(const struct access *access, const char *value)
{
	uint32_t place = (uint32_t)strtoul(access->key, NULL, 10);
	struct link_rule rule;

	if (strcmp(value, "none") == 0)
		return ethtool_remove_rule(access->settings->ethtool, access->ifindex, place);
	return parse_rule(value, &rule) ?: ethtool_add_rule(access->settings->ethtool, access->ifindex, place, &rule);
}

static int read_timestamps(const struct access *access, char **ret_value)
{
	struct link_timestamps timestamps;

	return ethtool_timestamps(access->settings->ethtool, access->ifindex, &timestamps)
		       ?: printed(asprintf(ret_value, "tx %u rx %u", timestamps.tx_type, timestamps.rx_filter));
}

static int write_timestamps(const struct access *access, const char *value)
{
	struct link_timestamps timestamps;

	if (sscanf(value, "tx %u rx %u", &timestamps.tx_type, &timestamps.rx_filter) != 2)
		return -EINVAL;
	return ethtool_set_timestamps(access->settings->ethtool, access->ifindex, &timestamps);
}

/* --- links ---------------------------------------------------------------------------------------------------------- */

static int read_mtu(const struct access *access, char **ret_value)
{
	struct link_info link;

	return netlink_link_by_index(access->settings->netlink, access->ifindex, &link)
		       ?: printed(asprintf(ret_value, "%u", link.mtu_octets));
}

static int write_mtu(const struct access *access, const char *value)
{
	return netlink_set_mtu(access->settings->netlink, access->ifindex, (unsigned int)strtoul(value, NULL, 10));
}

/* --- all of them ---------------------------------------------------------------------------------------------------- */

static const struct setting_kind {
	const char *name; /* the name ends with a colon: a key follows */
	int (*read)(const struct access *access, char **ret_value);
	int (*write)(const struct access *access, const char *value);
	enum link_setting setting; /* which numbers read and write are of */
	/* Path of a setting that is a file, in place of read and write. */
	int (*path)(const struct access *access, char path[PATH_SIZE]);
} kinds[] = {
	{ "sysctl:", .path = sysctl_path },
	{ "feature:", read_feature, write_feature },
	{ "channels", read_numbers, write_numbers, LINK_CHANNELS },
	{ "pause", read_numbers, write_numbers, LINK_PAUSE },
	{ "mtu", read_mtu, write_mtu },
	{ "coalesce", read_numbers, write_numbers, LINK_COALESCING },
	{ "rings", read_numbers, write_numbers, LINK_RINGS },
	{ "eee", read_eee, write_eee },
	{ "flag:", read_flag, write_flag },
	{ "rss", read_rss, write_rss },
	{ "hash:", read_hash, write_hash },
	{ "timestamps", read_timestamps, write_timestamps },
	{ "irq:", .path = irq_path },
	{ "rule:", read_rule, write_rule },
};

/* Return the kind of a setting, and set what of it is for the access. */
static const struct setting_kind *find_kind(const char *setting, struct access *access)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		size_t length = strlen(kinds[i].name);

		if (strncmp(setting, kinds[i].name, length) || (kinds[i].name[length - 1] != ':' && setting[length]))
			continue;
		access->key = setting + length;
		access->setting = kinds[i].setting;
		return &kinds[i];
	}
	return NULL;
}

int setting_read(const struct settings *settings, int ifindex, const char *setting, char **ret_value)
{
	struct access access = { .settings = settings, .ifindex = ifindex };
	const struct setting_kind *kind = find_kind(setting, &access);
	char path[PATH_SIZE], value[VALUE_SIZE];

	if (!kind || !kind->path)
		return kind ? kind->read(&access, ret_value) : -EINVAL;
	return kind->path(&access, path) ?: file_read_line(path, value, sizeof(value)) ?: copied(value, ret_value);
}

int setting_write(const struct settings *settings, int ifindex, const char *setting, const char *value)
{
	struct access access = { .settings = settings, .ifindex = ifindex };
	const struct setting_kind *kind = find_kind(setting, &access);
	char path[PATH_SIZE];

	if (!kind || !kind->path)
		return kind ? kind->write(&access, value) : -EINVAL;
	return kind->path(&access, path) ?: file_set(path, value);
}
