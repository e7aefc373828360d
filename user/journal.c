/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE  128
#define VALUE_SIZE 64

struct claim {
	int fd; /* locked */
	char path[PATH_SIZE];
	json_t *document; /* {"port", "pid", "changes": [{"sysctl", "was"}, ...]} */
};

unsigned long network_namespace_inode(void)
{
	struct stat status;

	return stat("/proc/self/ns/net", &status) ? 0 : (unsigned long)status.st_ino;
}

enum exit_code state_directory_make(void)
{
	if (mkdir(STATE_DIRECTORY, 0755) && errno != EEXIST)
		return refuse(EXIT_INCAPABLE, "cannot create %s: %s", STATE_DIRECTORY, why(errno));
	return EXIT_DONE;
}

/* --- settings ------------------------------------------------------------------------------------------------------- */

static int read_setting(const char *path, char value[VALUE_SIZE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t octets;

	if (fd < 0)
		return -errno;
	octets = read(fd, value, VALUE_SIZE - 1);
	close(fd);
	if (octets < 0)
		return -EIO;
	value[octets] = '\0';
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

static int write_setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		error = -errno;
	close(fd);
	return error;
}

/* --- the file ------------------------------------------------------------------------------------------------------- */

/* Open and lock a journal. -EBUSY: its owner lives; -EAGAIN: it was released meanwhile, try again. */
static int lock_file(const char *path, int flags)
{
	struct stat ours, current;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600), error;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB))
		error = errno == EWOULDBLOCK ? -EBUSY : -errno;
	else if (fstat(fd, &ours) || stat(path, &current) || ours.st_ino != current.st_ino)
		error = -EAGAIN; /* the file we locked has been unlinked */
	else
		return fd;
	close(fd);
	return error;
}

static int store(const struct claim *claim)
{
	if (lseek(claim->fd, 0, SEEK_SET) < 0 || ftruncate(claim->fd, 0) ||
	    json_dumpfd(claim->document, claim->fd, JSON_COMPACT))
		return -EIO;
	return 0;
}

/* Undo the changes that a journal lists, last first. A port that is gone needs nothing undone. */
static unsigned int undo(const json_t *document)
{
	const json_t *changes = json_object_get(document, "changes");
	unsigned int undone = 0;

	for (size_t i = json_array_size(changes); i-- > 0;) {
		const json_t *change = json_array_get(changes, i);
		const char *path = json_string_value(json_object_get(change, "sysctl"));
		const char *was = json_string_value(json_object_get(change, "was"));
		int error = path && was ? write_setting(path, was) : -EINVAL;

		if (error && error != -ENOENT)
			warn("cannot restore %s to %s: %s", path ? path : "(unreadable journal)", was ? was : "?",
			     strerror(-error));
		undone += !error;
	}
	return undone;
}

/* --- claims --------------------------------------------------------------------------------------------------------- */

static enum exit_code claim_failed(const char *port, const char *path, int error)
{
	json_t *owner;
	json_int_t pid;

	if (error != -EBUSY)
		return refuse(EXIT_INCAPABLE, "cannot claim port %s by %s: %s", port, path, why(-error));
	owner = json_load_file(path, 0, NULL);
	pid = json_integer_value(json_object_get(owner, "pid"));
	json_decref(owner);
	return refuse(EXIT_UNSAFE,
		      "port %s is in use by another run of this program (process %lld); wait for its end, or end it", port,
		      (long long)pid);
}

enum exit_code claim_port(const char *port, int ifindex, struct claim **ret)
{
	struct claim *claim = calloc(1, sizeof(*claim));
	enum exit_code code = state_directory_make();
	json_t *left;

	if (code || !claim) {
		free(claim);
		return code ? code : refuse(EXIT_INCAPABLE, "out of memory");
	}
	snprintf(claim->path, sizeof(claim->path), STATE_DIRECTORY "/port-%lu-%d.json", network_namespace_inode(), ifindex);
	do
		claim->fd = lock_file(claim->path, O_CREAT);
	while (claim->fd == -EAGAIN);
	if (claim->fd < 0) {
		code = claim_failed(port, claim->path, claim->fd);
		free(claim);
		return code;
	}
	left = json_loadfd(claim->fd, 0, NULL);
	if (undo(left))
		note("port %s: restored what an earlier run that died had changed", port);
	json_decref(left);
	claim->document = json_pack("{s:s, s:i, s:[]}", "port", port, "pid", (int)getpid(), "changes");
	if (!claim->document || store(claim)) {
		claim_release(claim);
		return refuse(EXIT_INCAPABLE, "cannot write the journal of port %s in %s", port, STATE_DIRECTORY);
	}
	*ret = claim;
	return EXIT_DONE;
}

void claim_release(struct claim *claim)
{
	if (!claim)
		return;
	undo(claim->document);
	unlink(claim->path); /* before the lock goes */
	close(claim->fd);
	json_decref(claim->document);
	free(claim);
}

enum exit_code claim_set_sysctl(struct claim *claim, const char *path, const char *value)
{
	char was[VALUE_SIZE];
	int error = read_setting(path, was);

	if (error == -ENOENT || (!error && !strcmp(was, value)))
		return EXIT_DONE;
	if (!error)
		error = json_array_append_new(json_object_get(claim->document, "changes"),
					      json_pack("{s:s, s:s}", "sysctl", path, "was", was))
				? -ENOMEM
				: store(claim);
	if (!error)
		error = write_setting(path, value);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot set %s to %s: %s", path, value, why(-error));
	return EXIT_DONE;
}

/* --- clean ---------------------------------------------------------------------------------------------------------- */

/* Whether a network namespace still exists: named, or some process's. */
static bool namespace_exists(unsigned long inode)
{
	glob_t found = { 0 };
	struct stat status;
	bool exists = false;

	glob("/run/netns/*", 0, NULL, &found);
	glob("/proc/[0-9]*/ns/net", found.gl_pathc ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !exists; i++)
		exists = !stat(found.gl_pathv[i], &status) && status.st_ino == inode;
	globfree(&found);
	return exists;
}

static enum exit_code clean_file(const char *path, unsigned int *undone)
{
	unsigned long inode = strtoul(path + strlen(STATE_DIRECTORY "/port-"), NULL, 10);
	bool here = inode == network_namespace_inode();
	json_t *document;
	int fd;

	if (!here && namespace_exists(inode)) {
		note("%s belongs to another network namespace: run 'xdp-mlr clean' in it", path);
		return EXIT_DONE;
	}
	fd = lock_file(path, 0);
	if (fd == -EBUSY) {
		note("%s belongs to a run that is alive", path);
		return EXIT_DONE;
	}
	if (fd == -EAGAIN || fd == -ENOENT)
		return EXIT_DONE;
	if (fd < 0)
		return refuse(EXIT_INCAPABLE, "cannot open %s: %s", path, why(-fd));
	document = json_loadfd(fd, 0, NULL);
	if (here)
		undo(document);
	++*undone;
	json_decref(document);
	unlink(path);
	close(fd);
	return EXIT_DONE;
}

enum exit_code journal_clean(unsigned int *ret_undone)
{
	enum exit_code code = EXIT_DONE;
	glob_t found = { 0 };
	unsigned int undone = 0;

	if (!glob(STATE_DIRECTORY "/port-*.json", 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !code; i++)
			code = clean_file(found.gl_pathv[i], &undone);
	globfree(&found);
	*ret_undone = undone;
	return code;
}
