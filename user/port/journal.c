/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "port/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/destination.h"
#include "base/directory.h"
#include "base/files.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "netdev/namespace.h"
#include "port/setting.h"

#define PATH_SIZE 128
#define TEXT_SIZE 32
#define ENDING    ".json"
/* A device may be busy for a while with what its last user left: the kernel takes AF_XDP sockets apart in the background. */
#define RETRY_NS     (1 * NS_PER_S)
#define RETRY_GAP_NS (NS_PER_S / 50)
#define DEATH_NS     (2 * NS_PER_S) /* longest time for a killed process to vanish */
#define LOCK_WAIT_S  0.25           /* time for the locks of a killed process to vanish, before it counts as alive */

struct claim {
	int fd; /* descriptor of the journal, locked */
	int ifindex;
	char path[PATH_SIZE];
	struct settings settings;
	json_t *document; /* {"port", "ifindex", "mac", "kind", "cookie", "pid", "changes"} */
};

enum exit_code state_directory_check(void)
{
	struct stat status;

	if (stat(STATE_DIRECTORY, &status) || directory_is_own(&status))
		return EXIT_DONE; /* there is none, or it is ours */
	return refuse(EXIT_INCAPABLE, "what stands in %s is not believed: other users can write there; remove it",
		      STATE_DIRECTORY);
}

enum exit_code state_directory_make(void)
{
	if (mkdir(STATE_DIRECTORY, 0755) && errno != EEXIST)
		return refuse(EXIT_INCAPABLE, "cannot create %s: %s", STATE_DIRECTORY, why(errno));
	return state_directory_check();
}

static void pause_ns(uint64_t ns)
{
	const struct timespec gap = { .tv_nsec = (long)ns };

	nanosleep(&gap, NULL);
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

static void journal_path(int ifindex, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, STATE_DIRECTORY "/port-%lu-%d" ENDING, network_namespace_inode(), ifindex);
}

static void new_path(const char *path, char ret_path[PATH_SIZE + 8])
{
	snprintf(ret_path, PATH_SIZE + 8, "%s.new", path);
}

/* Write the document where it is safe from a crash. */
static int store(struct claim *claim)
{
	json_t *changes = json_object_get(claim->document, "changes");
	char path[PATH_SIZE + 8], *text;
	int fd, error;

	json_each (change, changes)
		checksum_set(change);
	checksum_set(claim->document);
	new_path(claim->path, path);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		return -errno;
	text = json_dumps(claim->document, JSON_COMPACT); /* json_dumpfd() would write every token by itself */
	error = text ? 0 : -ENOMEM;
	if (!error && flock(fd, LOCK_EX | LOCK_NB))
		error = -errno;
	if (!error)
		error = file_write_all(fd, text, strlen(text));
	if (!error && (fsync(fd) || rename(path, claim->path)))
		error = -errno;
	free(text);
	if (error) {
		unlink(path);
		close(fd);
		return error;
	}
	close(claim->fd);
	claim->fd = fd;
	return 0;
}

/* Remove a journal that we have locked, with what a crash left beside it. */
static void discard(const char *path, int fd)
{
	char beside[PATH_SIZE + 8];

	new_path(path, beside);
	unlink(beside);
	if (unlink(path)) /* before the lock is released */
		warn("cannot remove %s: %s; 'xdp-mlr clean' does", path, strerror(errno));
	close(fd);
}

/* --- one that lost a part, by a crash of the machine or a write of somebody else ---------------------------------- */

/* Read the JSON value that begins here, whatever follows it. */
static json_t *value_at(const char *text)
{
	return json_loads(text, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
}

static void save_member(json_t *document, const char *text, const char *name)
{
	char begin[32];
	const char *at;
	size_t length = (size_t)snprintf(begin, sizeof(begin), "\"%s\":", name);
	json_t *value = (at = strstr(text, begin)) ? value_at(at + length) : NULL;

	if (value)
		json_put(document, name, value);
}

static bool is_change(const json_t *change)
{
	return read_string(change, "setting") && read_string(change, "was") && read_string(change, "now");
}

/* Read every change that is whole: one that has a setting and its old value, as they were written. */
static json_t *save_changes(const char *text)
{
	static const char begin[] = "{\"setting\":";
	json_t *changes = json_array();

	for (const char *at = text; (at = strstr(at, begin)); at++) {
		json_auto_t *change = value_at(at);

		if (is_change(change) && checksum_holds(change))
			json_array_append(changes, change);
	}
	return changes;
}

static json_t *save(const char *text)
{
	static const char *const names[] = { "port", "ifindex", "mac", "kind", "cookie", "pid" };
	json_t *document = json_object();

	for (size_t i = 0; i < COUNT(names); i++)
		save_member(document, text, names[i]);
	json_put(document, "changes", save_changes(text));
	return document;
}

static void keep_aside(const char *path, const char *text, size_t length, size_t changes)
{
	int error;
	const char *beside = TEXT_OF(FILES_PATH_SIZE, "%s.damaged", path);

	error = file_replace(beside, text, length, 0600, false);
	warn("the journal %s is damaged: %zu changes can be read in it; it is kept as %s%s%s; look at what it lists "
	     "('ethtool', 'ip -d link')",
	     path, changes, beside, error ? ", which failed: " : "", error ? strerror(-error) : "");
}

/* Whether all is there that a journal of ours has, as it was written. */
static bool is_whole(const json_t *document)
{
	const json_t *changes = json_object_get(document, "changes");

	json_each (change, changes)
		if (!is_change(change))
			return false;
	return checksum_holds(document) && json_is_array(changes) && read_string(document, "port") &&
	       read_string(document, "mac") && read_string(document, "kind") && read_string(document, "cookie") &&
	       json_is_integer(json_object_get(document, "ifindex")) && json_is_integer(json_object_get(document, "pid"));
}

/* Read the journal in an open file, from its beginning. If it is damaged, report that with `path` as its name, and keep a
 * copy at PATH.damaged. The document then has the members and changes that are whole. Returns NULL if the file is empty
 * (nothing was changed yet), or nothing in it is whole. */
static json_t *load(int fd, const char *path)
{
	owned char *text = NULL;
	size_t length;
	json_t *document;

	if (file_read_open(fd, SIZE_MAX, &text, &length) || !length)
		return NULL;
	document = json_loadb(text, length, 0, NULL);
	if (is_whole(document))
		return document;
	json_decref(document);
	document = save(text);
	keep_aside(path, text, length, json_array_size(json_object_get(document, "changes")));
	return document;
}

/* --- undoing -------------------------------------------------------------------------------------------------------- */

static int write_patiently(const struct settings *settings, int ifindex, const char *setting, const char *value)
{
	uint64_t deadline_ns = clock_ns() + RETRY_NS;
	int error;

	for (;;) {
		error = setting_write(settings, ifindex, setting, value);
		if ((error != -EBUSY && error != -EINVAL && error != -EAGAIN) || clock_ns() > deadline_ns)
			return error;
		pause_ns(RETRY_GAP_NS);
	}
}

/* The outcome of an attempt to undo one change, or all of them. Of several outcomes the last one in this list counts. */
enum undone { UNDONE_NOTHING, UNDONE_SOMETHING, UNDONE_NOT_ALL };

/* Whether a link that came back says so of flow control: e1000e then shows what both ends would negotiate, though it was told not
 * to, and nobody changed it. */
static bool link_made_it(const char *setting, const char *was, const char *now, const char *current)
{
	static const char negotiated[] = "autoneg on ", told[] = "autoneg off ";

	return strcmp(setting, "pause") == 0 && strncmp(was, negotiated, sizeof(negotiated) - 1) == 0 &&
	       strncmp(now, told, sizeof(told) - 1) == 0 && strncmp(current, told, sizeof(told) - 1) == 0;
}

/* Undo one change. What somebody else made of a setting is reported only if `*doubtful` was set before. Otherwise
 * `*doubtful` is set, and nothing else is done. */
static enum undone undo_change(const struct settings *settings, int ifindex, const char *port, const json_t *change,
			       bool *doubtful)
{
	const char *setting = read_text(change, "setting"), *was = read_text(change, "was"), *now = read_text(change, "now");
	owned char *current = NULL;
	int error = setting_read(settings, ifindex, setting, &current);
	bool ours;

	if (error == -ENODEV || error == -ENOENT || error == -EOPNOTSUPP)
		return UNDONE_NOTHING;
	if (error) {
		warn("port %s: cannot read %s, which was '%s': %s", port, setting, was, strerror(-error));
		return error == -EINVAL ? UNDONE_NOTHING : UNDONE_NOT_ALL; /* The setting is not known. */
	}
	ours = !json_is_true(json_object_get(change, "done")) || strcmp(current, now) == 0 ||
	       link_made_it(setting, was, now, current);
	if (strcmp(current, was) == 0)
		return UNDONE_NOTHING;
	if (!ours && *doubtful)
		warn("port %s: %s was '%s', we made it '%s', and somebody else '%s' meanwhile: left alone", port, setting,
		     was, now, current);
	if (!ours) {
		*doubtful = true;
		return UNDONE_NOTHING;
	}
	error = write_patiently(settings, ifindex, setting, was);
	if (error)
		warn("port %s: cannot restore %s to '%s': %s", port, setting, was, strerror(-error));
	return error ? UNDONE_NOT_ALL : UNDONE_SOMETHING;
}

/* Undo the changes that a journal lists, last first, on the port that has this number now. Sysctls stay with the namespace,
 * so there are none of a port that has been moved. */
static enum undone undo_once(const struct settings *settings, int ifindex, bool moved, const json_t *document,
			     bool *doubtful)
{
	const json_t *changes = json_object_get(document, "changes");
	enum undone undone = UNDONE_NOTHING, one;
	bool found = *doubtful;

	for (size_t i = json_array_size(changes); i-- > 0;) {
		const json_t *change = json_array_get(changes, i);
		bool was_found = *doubtful;

		if (moved && strncmp(read_text(change, "setting"), "sysctl:", 7) == 0)
			continue;
		one = undo_change(settings, ifindex, read_text(document, "port"), change, &was_found);
		found |= was_found;
		if (one > undone)
			undone = one;
	}
	*doubtful = found;
	return undone;
}

/* One setting may change another. igb reports that flow control is on, though nobody switched it on, until the MTU is as it
 * was. So what seems to be changed by somebody else is tested again once all else is undone. */
static enum undone undo(const struct settings *settings, int ifindex, bool moved, const json_t *document)
{
	bool doubtful = false;
	enum undone undone = undo_once(settings, ifindex, moved, document, &doubtful), again;

	if (!doubtful)
		return undone;
	again = undo_once(settings, ifindex, moved, document, &doubtful);
	return again > undone ? again : undone;
}

/* --- whose journal it is -------------------------------------------------------------------------------------------- */

#define OWN_COOKIE TEXT_OF(TEXT_SIZE, "%llu", (unsigned long long)network_namespace_cookie())

/* Whether a journal was written in this namespace: its inode, which is in the file's name, may have been used again. */
static bool is_of_this_namespace(const json_t *document)
{
	return strcmp(read_text(document, "cookie"), OWN_COOKIE) == 0;
}

static bool is_port(const struct link_info *link, const json_t *document)
{
	return strcmp(read_text(document, "kind"), link->kind) == 0 &&
	       (strcmp(read_text(document, "mac"), link_identity(link, ROOM(MAC_TEXT_SIZE))) == 0 ||
		strcmp(read_text(document, "port"), link->name) == 0);
}

static json_t *new_document(const struct link_info *link)
{
	return json_with("port", link->name, "ifindex", link->ifindex, "mac", link_identity(link, ROOM(MAC_TEXT_SIZE)),
			 "kind", link->kind, "cookie", OWN_COOKIE, "pid", getpid(), "changes", json_array());
}

/* --- the dead ------------------------------------------------------------------------------------------------------- */

/* Whether a process is gone: a zombie has closed all files once its other threads are gone, too. */
static bool is_dead(int pid)
{
	char path[PATH_SIZE], line[PATH_SIZE], state = 0;
	glob_t threads = { 0 };
	bool alone;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read_line(path, line, sizeof(line)))
		return true;
	if (sscanf(line, "%*d (%*[^)]) %c", &state) != 1 || (state != 'Z' && state != 'X'))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/*", pid);
	alone = glob(path, 0, NULL, &threads) || threads.gl_pathc <= 1;
	globfree(&threads);
	return alone;
}

/* The lock of a killed process may go before its XDP programs and sockets do. Wait for the end of it, within bounds: its
 * number may have a new owner. */
static void wait_for_death(const json_t *document)
{
	int pid = (int)read_integer(document, "pid");
	uint64_t deadline_ns = clock_ns() + DEATH_NS;

	while (pid > 0 && pid != getpid() && !is_dead(pid) && clock_ns() < deadline_ns)
		pause_ns(RETRY_GAP_NS);
}

/* --- claims --------------------------------------------------------------------------------------------------------- */

static enum exit_code claim_failed(const char *port, const char *path, int error)
{
	json_auto_t *owner = NULL;
	json_int_t pid;

	if (error != -EBUSY)
		return refuse(EXIT_INCAPABLE, "cannot claim port %s by %s: %s", port, path, why(-error));
	owner = json_load_file(path, 0, NULL);
	pid = read_integer(owner, "pid");
	return refuse(EXIT_UNSAFE,
		      "port %s is in use by another run of this program (process %lld); wait for its end, or end it", port,
		      (long long)pid);
}

/* Give the journal of another port, whose number this one has now, a name of its own: store() takes the present one. */
static int set_aside(const struct claim *claim, const json_t *left)
{
	const char *beside = TEXT_OF(PATH_SIZE, "%.*s-%llu-%lld" ENDING, (int)(strlen(claim->path) - strlen(ENDING)),
				     claim->path, strtoull(read_text(left, "cookie"), NULL, 10),
				     (long long)read_integer(left, "pid"));

	if (!json_array_size(json_object_get(left, "changes")))
		return 0;
	if (link(claim->path, beside) && errno != EEXIST)
		return -errno;
	note("port %s is elsewhere, or gone, with changes of a run that died: 'xdp-mlr clean' looks for it",
	     read_text(left, "port"));
	return 0;
}

/* Undo what a dead owner of this very port left. Changes that could not be undone are ours now. Returns 0, or -errno if the
 * journal of another port must stay where it is. */
static int undo_left(const struct claim *claim, const struct link_info *link)
{
	json_auto_t *left = load(claim->fd, claim->path);
	enum undone undone = UNDONE_NOTHING;

	if (left && !(is_of_this_namespace(left) && is_port(link, left)))
		return set_aside(claim, left);
	if (left) {
		wait_for_death(left);
		undone = undo(&claim->settings, link->ifindex, false, left);
	}
	if (undone == UNDONE_SOMETHING)
		note("port %s: restored what an earlier run that died had changed", link->name);
	if (undone == UNDONE_NOT_ALL)
		json_object_set(claim->document, "changes", json_object_get(left, "changes"));
	return 0;
}

static enum exit_code take_claim(struct claim *claim, const struct link_info *link)
{
	int error = settings_open(&claim->settings), kept;

	if (error)
		return refuse(EXIT_INCAPABLE, "port %s: cannot open a netlink socket: %s", link->name, strerror(-error));
	claim->fd = file_lock_patiently(claim->path, O_CREAT, 0600, LOCK_WAIT_S);
	if (claim->fd < 0) {
		settings_close(&claim->settings);
		return claim_failed(link->name, claim->path, claim->fd);
	}
	claim->document = new_document(link);
	kept = undo_left(claim, link);
	error = !claim->document ? -ENOMEM : kept ? kept : store(claim);
	if (!error)
		return EXIT_DONE;
	if (kept || json_array_size(json_object_get(claim->document, "changes")))
		close(claim->fd); /* The file lists what is still to be undone. */
	else
		discard(claim->path, claim->fd);
	settings_close(&claim->settings);
	json_decref(claim->document);
	return refuse(EXIT_INCAPABLE, "cannot write the journal of port %s in %s: %s", link->name, STATE_DIRECTORY,
		      why(-error));
}

/* Whether the port is elsewhere, or gone, with changes of ours on it. */
static bool is_missing(const struct claim *claim)
{
	struct link_info link;

	return json_array_size(json_object_get(claim->document, "changes")) &&
	       netlink_link_by_index(claim->settings.netlink, claim->ifindex, &link) == -ENODEV;
}

void claim_release(struct claim *claim)
{
	const char *port;

	if (!claim)
		return;
	port = read_text(claim->document, "port");
	if (is_missing(claim)) {
		warn("port %s is no longer in this network namespace; what was changed on it is not restored, and stays in "
		     "%s: 'xdp-mlr clean' looks for the port in all namespaces",
		     port, claim->path);
		close(claim->fd);
	} else if (undo(&claim->settings, claim->ifindex, false, claim->document) == UNDONE_NOT_ALL) {
		warn("port %s: %s keeps what is still to be restored: 'xdp-mlr clean' tries again", port, claim->path);
		close(claim->fd);
	} else {
		discard(claim->path, claim->fd);
	}
	settings_close(&claim->settings);
	json_decref(claim->document);
	free(claim);
}

void claim_hold(const struct claim *claim, struct keeper_plan *plan)
{
	keeper_plan_give(plan, claim->fd);
	netlink_hold(claim->settings.netlink, plan);
	ethtool_hold(claim->settings.ethtool, plan);
}

void claim_leave(struct claim *claim)
{
	if (!claim)
		return;
	close(claim->fd);
	settings_close(&claim->settings);
	json_decref(claim->document);
	free(claim);
}

/* --- changes -------------------------------------------------------------------------------------------------------- */

char *claim_read(const struct claim *claim, const char *setting, int *ret_error)
{
	char *value = NULL;

	*ret_error = setting_read(&claim->settings, claim->ifindex, setting, &value);
	return *ret_error ? NULL : value;
}

/* Make a journalled change, and note what became of it. */
static int make_change(struct claim *claim, json_t *change)
{
	const char *setting = read_text(change, "setting");
	owned char *now = NULL;
	int error = setting_write(&claim->settings, claim->ifindex, setting, read_text(change, "now")), ignored;

	if (error)
		return error;
	now = claim_read(claim, setting, &ignored);
	if (now)
		json_put(change, "now", now);
	json_put(change, "done", true);
	return store(claim);
}

int claim_change(struct claim *claim, const char *setting, const char *value)
{
	json_t *changes = json_object_get(claim->document, "changes"), *change;
	int error;
	owned char *was = claim_read(claim, setting, &error);

	if (error)
		return error;
	if (strcmp(was, value) == 0)
		return 0;
	change = json_with("setting", setting, "was", was, "now", value, "done", false);
	if (json_array_append_new(changes, change))
		return -ENOMEM;
	return store(claim) ?: make_change(claim, change);
}

/* Return the name of a setting for people, who know the port by its name. */
static json_t *setting_name(const char *setting, const char *port)
{
	const char *mark = strstr(setting, "%s");

	if (!mark)
		return json_string(setting);
	return json_sprintf("%.*s%s%s", (int)(mark - setting), setting, port, mark + 2);
}

json_t *claim_changes(const struct claim *claim)
{
	const json_t *changes = json_object_get(claim->document, "changes");
	json_t *list = json_array();

	json_each (change, changes)
		if (json_is_true(json_object_get(change, "done")))
			json_array_append_new(
				list,
				json_with("setting",
					  setting_name(read_text(change, "setting"), read_text(claim->document, "port")),
					  "was", read_text(change, "was"), "now", read_text(change, "now")));
	return list;
}

static int owner_of(const char *path)
{
	json_auto_t *document = json_load_file(path, 0, NULL);
	int pid = (int)read_integer(document, "pid"), fd;

	if (!pid)
		return 0;
	fd = file_lock(path, 0, 0600);
	if (fd < 0)
		return fd == -EBUSY ? pid : 0;
	close(fd);
	return -pid;
}

int journal_owner(int ifindex)
{
	char path[PATH_SIZE];

	journal_path(ifindex, path);
	return owner_of(path);
}

int journal_any_owner(void)
{
	glob_t found = { 0 };
	int owner = 0;

	glob(STATE_DIRECTORY "/port-*.json", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && owner <= 0; i++)
		owner = owner_of(found.gl_pathv[i]);
	globfree(&found);
	return owner > 0 ? owner : 0;
}

/* --- clean ---------------------------------------------------------------------------------------------------------- */

/* The search for the port of a journal, namespace by namespace. */
struct search {
	const json_t *document;
	bool moved; /* search by identity, because the port is not where it was */
	enum undone undone;
};

static bool undo_here(void *context)
{
	struct search *search = context;
	int ifindex = (int)read_integer(search->document, "ifindex");
	struct settings settings;
	struct link_info link;
	bool found;

	if (!search->moved && !is_of_this_namespace(search->document))
		return false;
	if (settings_open(&settings))
		return false;
	if (search->moved)
		found = !netlink_link_by_identity(settings.netlink, read_text(search->document, "mac"),
						  read_text(search->document, "kind"), ifindex, &link);
	else
		found = !netlink_link_by_index(settings.netlink, ifindex, &link) && is_port(&link, search->document);
	if (found && search->moved && journal_owner(link.ifindex) > 0)
		search->undone = UNDONE_NOT_ALL; /* It is the port of a run that is alive. */
	else if (found)
		search->undone = undo(&settings, link.ifindex, search->moved, search->document);
	settings_close(&settings);
	return found;
}

/* Whether nothing of it is left to be done, and counted; why it is, has been said. */
static bool clean_document(const json_t *document, struct journal_cleaned *cleaned)
{
	const char *port = read_text(document, "port");
	bool changed = json_array_size(json_object_get(document, "changes"));
	struct search search = { .document = document };
	int found;

	wait_for_death(document);
	found = namespaces_visit(undo_here, &search);
	if (found <= 0) {
		search.moved = true;
		found = namespaces_visit(undo_here, &search);
	}
	if (found < 0 && changed) {
		warn("port %s is not in this network namespace, and others cannot be entered without CAP_SYS_ADMIN", port);
		return false;
	}
	if (search.undone == UNDONE_NOT_ALL)
		return false;
	if (found > 0 || !changed) {
		cleaned->restored++;
	} else {
		cleaned->gone++;
		note("port %s is gone: there is nothing left to restore", port);
	}
	if (changed && found > 0 && search.moved)
		note("port %s was moved to another network namespace, and restored there", port);
	return true;
}

static enum exit_code clean_file(const char *path, struct journal_cleaned *cleaned)
{
	enum exit_code code = EXIT_DONE;
	json_auto_t *document = NULL;
	int fd = file_lock_patiently(path, 0, 0600, LOCK_WAIT_S);

	if (fd == -EBUSY) {
		note("%s belongs to a run that is alive", path);
		return EXIT_DONE;
	}
	if (fd == -ENOENT)
		return EXIT_DONE;
	if (fd < 0)
		return refuse(EXIT_INCAPABLE, "cannot open %s: %s", path, why(-fd));
	document = load(fd, path);
	if (!document || clean_document(document, cleaned)) {
		discard(path, fd);
	} else {
		code = refuse(EXIT_INCAPABLE,
			      "port %s: %s keeps what is still to be restored: 'xdp-mlr clean' as root tries again",
			      read_text(document, "port"), path);
		close(fd);
	}
	return code;
}

enum exit_code journal_clean(struct journal_cleaned *ret)
{
	enum exit_code code = EXIT_DONE, one;
	glob_t found = { 0 };

	*ret = (struct journal_cleaned){ 0 };
	if (!glob(STATE_DIRECTORY "/port-*.json", 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			one = clean_file(found.gl_pathv[i], ret);
			code = one ? one : code;
		}
	}
	globfree(&found);
	return code;
}

/* --- claiming ------------------------------------------------------------------------------------------------------- */

/* Whether a journal lists changes of this port, by what no move of it changes. */
static bool is_journal_of(const char *path, const struct link_info *link)
{
	json_auto_t *document = json_load_file(path, 0, NULL);

	return json_array_size(json_object_get(document, "changes")) &&
	       strcmp(read_text(document, "kind"), link->kind) == 0 &&
	       strcmp(read_text(document, "mac"), link_identity(link, ROOM(MAC_TEXT_SIZE))) == 0;
}

/* Undo what dead runs left on a port that has come from another network namespace since, before we take it for the port's
 * own. */
static void undo_elsewhere(const char *own_path, const struct link_info *link)
{
	struct journal_cleaned cleaned = { 0 };
	glob_t found = { 0 };

	glob(STATE_DIRECTORY "/port-*" ENDING, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (strcmp(found.gl_pathv[i], own_path) && is_journal_of(found.gl_pathv[i], link) &&
		    owner_of(found.gl_pathv[i]) < 0)
			clean_file(found.gl_pathv[i], &cleaned);
	globfree(&found);
}

enum exit_code claim_port(const struct link_info *link, struct claim **ret)
{
	struct claim *claim = calloc(1, sizeof(*claim));
	enum exit_code code = state_directory_make();

	if (!code && !claim)
		code = out_of_memory();
	if (!code) {
		claim->ifindex = link->ifindex;
		journal_path(link->ifindex, claim->path);
		undo_elsewhere(claim->path, link);
		code = take_claim(claim, link);
	}
	if (code)
		free(claim);
	else
		*ret = claim;
	return code;
}
