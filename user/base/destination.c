/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/destination.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/keeper.h"
#include "base/message.h"

#define LINKS_MOST  16 /* links to follow at most */
#define NAMES_MOST  16 /* random names to try */
#define BESIDE_SIZE 40

/* --- where a path leads --------------------------------------------------------------------------------------------- */

/* Read where a link leads that is open as `fd`. Returns 1; 0 where it stands for an open file; -ENOTDIR if it is no link, -EMLINK
 * if it is another user's; or -errno. */
static int read_link(int fd, char target[PATH_MAX])
{
	struct statfs filesystem;
	struct stat status;
	ssize_t length;

	if (fstatfs(fd, &filesystem) || fstat(fd, &status))
		return -errno;
	if (!S_ISLNK(status.st_mode))
		return -ENOTDIR;
	if (filesystem.f_type == PROC_SUPER_MAGIC)
		return 0;
	if (status.st_uid != 0 && status.st_uid != geteuid())
		return -EMLINK;
	length = readlinkat(fd, "", target, PATH_MAX);
	if (length < 0)
		return -errno;
	if (length == PATH_MAX)
		return -ENAMETOOLONG;
	target[length] = '\0';
	return 1;
}

static int go_along(int *folder_fd, const char *path, int *links);

/* Go along a link that a part of a path is, if it is ours. */
static int go_along_link(int *folder_fd, const char *part, int *links)
{
	int fd = openat(*folder_fd, part, O_PATH | O_NOFOLLOW | O_CLOEXEC), error, next_fd;
	char target[PATH_MAX];

	if (fd < 0)
		return -errno;
	error = read_link(fd, target);
	close(fd);
	if (error)
		return error < 0 ? error : ++*links > LINKS_MOST ? -ELOOP : go_along(folder_fd, target, links);
	next_fd = openat(*folder_fd, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (next_fd < 0)
		return -errno;
	close(*folder_fd);
	*folder_fd = next_fd;
	return 0;
}

/* Go one part further. */
static int go_to(int *folder_fd, const char *part, int *links)
{
	int fd = openat(*folder_fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOTDIR || errno == ELOOP ? go_along_link(folder_fd, part, links) : -errno;
	close(*folder_fd);
	*folder_fd = fd;
	return 0;
}

/* Go along the folders of a path, one by one: another user, to whom one of them belongs, may lay a link in it at any time. */
static int go_along(int *folder_fd, const char *path, int *links)
{
	char part[NAME_MAX + 1];
	int error = *path == '/' ? go_to(folder_fd, "/", links) : 0;

	while (!error && *(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/");

		if (length > NAME_MAX)
			return -ENAMETOOLONG;
		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		error = go_to(folder_fd, part, links);
		path += length;
	}
	return error;
}

/* Go to the directory of a path, seen from the current one. The last part of the path is the file's name. */
static int enter(struct destination *at, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char directory[PATH_MAX] = "";
	int fd, error, links = 0;

	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return *path ? -EISDIR : -ENOENT;
	if (strlen(path) >= sizeof(directory) || strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	if (slash)
		snprintf(directory, sizeof(directory), "%.*s", (int)(slash + 1 - path), path);
	fd = openat(at->directory_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = go_along(&fd, directory, &links);
	if (error) {
		close(fd);
		return error;
	}
	if (at->directory_fd >= 0)
		close(at->directory_fd);
	at->directory_fd = fd;
	memcpy(at->name, name, strlen(name) + 1);
	return 0;
}

/* Open what is written as it is. */
static int open_as_is(struct destination *at)
{
	at->fd = openat(at->directory_fd, at->name, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return at->fd < 0 ? -errno : 0;
}

/* Follow a link that is open as `fd`. Returns 1 after a step along it, 0 where it stands for an open file, or -errno. */
static int follow(struct destination *at, int fd)
{
	char target[PATH_MAX];
	int error = read_link(fd, target);

	if (error <= 0)
		return error;
	return enter(at, target) ?: 1;
}

/* Check a file that exists. It is refused if we may not write it, and if it is a mount, whose name nothing else can take. */
static int take_older(struct destination *at, const struct stat *status)
{
	struct statx mounted;

	if (faccessat(at->directory_fd, at->name, W_OK, AT_EACCESS))
		return -errno;
	if (!statx(at->directory_fd, at->name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &mounted) &&
	    mounted.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return -EBUSY;
	at->exists = true;
	at->older = *status;
	return 0;
}

/* Whether everybody may make files in the directory: others may have laid what is there for us. */
static bool is_shared(const struct destination *at)
{
	struct stat status;

	return fstatat(at->directory_fd, "", &status, AT_EMPTY_PATH) == 0 && status.st_mode & S_IWOTH;
}

static bool is_laid(const struct destination *at, const struct stat *status)
{
	if (S_ISREG(status->st_mode))
		return status->st_nlink > 1 && is_shared(at);
	return status->st_uid != 0 && status->st_uid != geteuid() && is_shared(at);
}

/* Check the last part once. Returns 1 if it was a link, and the search goes on elsewhere. */
static int follow_last_part(struct destination *at)
{
	int fd = openat(at->directory_fd, at->name, O_PATH | O_NOFOLLOW | O_CLOEXEC), error = 0;
	struct stat status;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (S_ISDIR(status.st_mode))
		error = -EISDIR;
	else if (!S_ISLNK(status.st_mode) && is_laid(at, &status))
		error = -ENOTUNIQ;
	else if (S_ISREG(status.st_mode))
		error = take_older(at, &status);
	else {
		if (S_ISLNK(status.st_mode))
			error = follow(at, fd);
		if (!error)
			error = open_as_is(at);
	}
	close(fd);
	return error;
}

/* Find where the path leads. Returns 0 or -errno. */
static int destination_open(const char *path, struct destination *ret)
{
	struct destination at = { .directory_fd = AT_FDCWD, .fd = -1 };
	int error = enter(&at, path), steps = 0;

	while (!error && (error = follow_last_part(&at)) > 0)
		error = steps++ < LINKS_MOST ? 0 : -ELOOP;
	if (error)
		destination_close(&at);
	else
		*ret = at;
	return error;
}

/* Do the same for a file that would be replaced, and for no other: opening and closing a FIFO ends what its reader reads. */
static bool is_replaced(const char *path, struct destination *ret)
{
	struct stat status;
	bool regular = stat(path, &status) ? errno == ENOENT : S_ISREG(status.st_mode);

	return regular && !destination_open(path, ret);
}

bool destination_same(const char *one, const char *other)
{
	struct destination a, b;
	struct stat at_a, at_b;
	bool same = false;

	if (!is_replaced(one, &a))
		return false;
	if (is_replaced(other, &b)) {
		same = strcmp(a.name, b.name) == 0 && !fstat(a.directory_fd, &at_a) && !fstat(b.directory_fd, &at_b) &&
		       at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
		destination_close(&b);
	}
	destination_close(&a);
	return same;
}

enum exit_code destination_refuse(const char *option, const char *path, int error)
{
	return refuse(EXIT_USAGE_ERROR, "--%s '%s': %s", option, path,
		      error == -EMLINK ? "a link that another user made; name the file itself"
		      : error == -ENOTUNIQ
			      ? "another user may have laid it in this shared folder; name a file in one of your own"
			      : strerror(-error));
}

/* --- a file beside -------------------------------------------------------------------------------------------------- */

/* Make a new, empty file with a name that nobody could know before. Returns the descriptor, or -errno. */
static int make_beside(const struct destination *destination, mode_t mode, char name[BESIDE_SIZE])
{
	for (int i = 0; i < NAMES_MOST; i++) {
		uint64_t random;
		int fd;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		snprintf(name, BESIDE_SIZE, ".xdp-mlr.%016" PRIx64 ".tmp", random);
		fd = openat(destination->directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int destination_ready(const char *path, struct destination *ret)
{
	char name[BESIDE_SIZE];
	int error = destination_open(path, ret), fd;

	if (error || ret->fd >= 0)
		return error;
	fd = make_beside(ret, 0600, name);
	error = fd < 0 ? fd : unlinkat(ret->directory_fd, name, 0) ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (error)
		destination_close(ret);
	return error;
}

/* Give a file permissions and owner of the older one. Only root can give it another owner. */
static int take_after(int fd, const struct stat *older)
{
	if (fchown(fd, older->st_uid, older->st_gid) && errno != EPERM)
		return -errno;
	return fchmod(fd, older->st_mode & 0777) ? -errno : 0;
}

static int fill(int fd, const char *text, size_t length, bool durable)
{
	int error = file_write_all(fd, text, length);

	if (!error && durable && fsync(fd))
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

/* Make what was renamed in the directory safe from a crash; where a file system cannot do it, nothing is lost that others
 * keep. */
static void sync_directory(const struct destination *destination)
{
	int fd = openat(destination->directory_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Make the new file beside, with the attributes of the older one where those are to be kept. Returns the descriptor, or
 * -errno. */
static int begin(const struct destination *destination, mode_t mode, bool keep_mode, char beside[BESIDE_SIZE])
{
	bool keep = keep_mode && destination->exists;
	int fd = make_beside(destination, keep ? 0600 : mode, beside), error;

	if (fd < 0 || !keep)
		return fd;
	error = take_after(fd, &destination->older);
	if (!error)
		return fd;
	close(fd);
	unlinkat(destination->directory_fd, beside, 0);
	return error;
}

/* Let the new file take the name, or remove it. Returns 0 or -errno. */
static int end(const struct destination *destination, const char *beside, bool is_whole, bool durable)
{
	int directory_fd = destination->directory_fd;
	int error = is_whole && renameat(directory_fd, beside, directory_fd, destination->name) ? -errno : 0;

	if (error || !is_whole)
		unlinkat(directory_fd, beside, 0);
	else if (durable)
		sync_directory(destination);
	return error;
}

/* --- by the keeper ---------------------------------------------------------------------------------------------------- */

#define HELD_MOST 24

enum keeper_flag { FLAG_KEEP_MODE = 1, FLAG_IS_WHOLE = 2, FLAG_DURABLE = 4 };

/* The destinations as the keeper knows them: as they were when the process was split. */
static struct held {
	struct destination destination;
	char beside[BESIDE_SIZE]; /* empty: no file is begun */
} held[HELD_MOST];
static unsigned int held_count;

void destination_hold(struct destination *destination, struct keeper_plan *plan)
{
	if (destination->fd >= 0 || destination->directory_fd < 0 || held_count == HELD_MOST)
		return;
	held[held_count].destination = *destination;
	destination->held = ++held_count;
	keeper_plan_keep(plan, destination->directory_fd);
}

/* The keeper gives no permissions that a usual file would not have. */
static int answer_begin(struct held *at, const struct keeper_request *request)
{
	int fd = *at->beside ? -EALREADY
			     : begin(&at->destination, request->mode & 0666, request->flags & FLAG_KEEP_MODE, at->beside);

	if (fd < 0 && fd != -EALREADY)
		at->beside[0] = '\0';
	return fd;
}

static int answer_end(struct held *at, const struct keeper_request *request)
{
	int error = *at->beside ? end(&at->destination, at->beside, request->flags & FLAG_IS_WHOLE,
				      request->flags & FLAG_DURABLE)
				: -ENOENT;

	at->beside[0] = '\0';
	return error;
}

int destination_answer(const struct keeper_request *request, int *ret_fd)
{
	struct held *at;
	int fd;

	if (!request->number || request->number > held_count)
		return -EINVAL;
	at = &held[request->number - 1];
	if (request->what == KEEPER_END)
		return answer_end(at, request);
	fd = answer_begin(at, request);
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

static int ask_begin(const struct destination *destination, mode_t mode, bool keep_mode)
{
	const struct keeper_request request = {
		.what = KEEPER_BEGIN, .number = destination->held, .mode = mode, .flags = keep_mode ? FLAG_KEEP_MODE : 0
	};
	int fd = -1, error = keeper_ask(&request, &fd);

	return error ?: fd >= 0 ? fd : -EPROTO;
}

static int ask_end(const struct destination *destination, bool is_whole, bool durable)
{
	const struct keeper_request request = { .what = KEEPER_END,
						.number = destination->held,
						.flags = (is_whole ? FLAG_IS_WHOLE : 0) | (durable ? FLAG_DURABLE : 0) };

	return keeper_ask(&request, NULL);
}

/* --- writing ---------------------------------------------------------------------------------------------------------- */

static int replace(const struct destination *destination, const char *text, size_t length, mode_t mode, bool keep_mode,
		   bool durable)
{
	bool by_keeper = destination->held && keeper_is_there();
	char beside[BESIDE_SIZE];
	int fd, error, ended;

	fd = by_keeper ? ask_begin(destination, mode, keep_mode) : begin(destination, mode, keep_mode, beside);
	if (fd < 0)
		return fd;
	error = fill(fd, text, length, durable);
	ended = by_keeper ? ask_end(destination, !error, durable) : end(destination, beside, !error, durable);
	return error ?: ended;
}

int destination_write(struct destination *destination, const char *text, size_t length, mode_t mode, bool keep_mode,
		      bool durable)
{
	sigset_t all, before;
	int error;

	if (destination->fd < 0) {
		/* A signal that ends us would leave the new file behind. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		error = replace(destination, text, length, mode, keep_mode, durable);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		return error;
	}
	error = file_write_all(destination->fd, text, length);
	if (close(destination->fd) && !error)
		error = -errno;
	destination->fd = -1;
	return error;
}

void destination_close(struct destination *destination)
{
	if (destination->directory_fd >= 0)
		close(destination->directory_fd);
	if (destination->fd >= 0)
		close(destination->fd);
	destination->directory_fd = destination->fd = -1;
}

int file_replace(const char *path, const char *text, size_t length, mode_t mode, bool durable)
{
	struct destination destination;
	int error = destination_open(path, &destination);

	if (error)
		return error;
	error = destination_write(&destination, text, length, mode, false, durable);
	destination_close(&destination);
	return error;
}
