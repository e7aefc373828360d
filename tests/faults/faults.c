/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program asks for and may be refused, refused: memory, a write, a socket, BPF. Linked into the program by `make
 * FAULTS=1`, whose functions stand before those of the libraries, so that libraries' own calls come here, too.
 * tests/faults/run drives it:
 *
 *	FAULTS_LOG=FILE    one line a place that asks, the first time that it does: "KIND PLACE FUNCTION<-CALLER<-..."
 *	FAULTS_FAIL=PLACE  the first time that this place asks, it is refused; "refused KIND" is appended to FAULTS_LOG
 *
 * A place is a kind and a way: of memory the two innermost return addresses in the program, of system calls four, and the
 * functions of libraries.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define FRAMES_MOST 24
#define PLACES      65536 /* a power of two */
#define NO_PLACE    0

extern const char __executable_start[], etext[]; /* the linker's */

static _Atomic uint64_t places[PLACES]; /* those that asked */
static int log_fd = -1;
static uint64_t to_fail;
static atomic_bool ready, done;
static __thread bool inside;

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

static bool is_ours(const void *address)
{
	return (const char *)address >= __executable_start && (const char *)address < etext;
}

/* A library's function by its name: its address differs from run to run. */
static uint64_t of_library(uint64_t hash, const void *address)
{
	Dl_info info;

	if (!dladdr(address, &info))
		return hash;
	for (const char *name = info.dli_sname ? info.dli_sname : info.dli_fname; *name; name++)
		hash = mix(hash, (unsigned char)*name);
	return hash;
}

/* Frames of this file are skipped: `frames` begins with the caller of the function that was asked. */
static uint64_t place_of(const char *kind, bool with_libraries, void **frames, int count, char *text, size_t size)
{
	uint64_t hash = mix(0, (unsigned char)kind[0] | (uint64_t)(unsigned char)kind[1] << 8);
	size_t used = 0;
	int ours = 0;

	*text = '\0';
	for (int i = 0; i < count && ours < (with_libraries ? 4 : 2); i++) {
		if (!is_ours(frames[i])) {
			if (with_libraries)
				hash = of_library(hash, frames[i]);
			continue;
		}
		ours++;
		hash = mix(hash, (uint64_t)((const char *)frames[i] - __executable_start));
		used += (size_t)snprintf(text + used, size - used, " 0x%lx",
					 (unsigned long)((const char *)frames[i] - 1 - __executable_start));
	}
	return ours ? hash | 1 : NO_PLACE; /* before main(), and in threads of the sanitizer: nobody of ours asks */
}

static bool is_new(uint64_t place)
{
	for (uint64_t at = place;; at++) {
		uint64_t nothing = 0;

		if (atomic_compare_exchange_strong(&places[at % PLACES], &nothing, place))
			return true;
		if (nothing == place)
			return false;
	}
}

static void append(const char *format, ...)
{
	char line[256];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (log_fd >= 0 && syscall(SYS_write, log_fd, line, (size_t)length) < 0) {
		/* then the driver sees no line */
	}
}

/* Whether this request is to be refused. */
static __attribute__((noinline)) bool refused(const char *kind, bool with_libraries)
{
	void *frames[FRAMES_MOST];
	char text[96];
	uint64_t place;
	int count, error = errno;
	bool refuse = false;

	if (inside || !ready || done)
		return false;
	inside = true;
	count = backtrace(frames, FRAMES_MOST);
	place = place_of(kind, with_libraries, frames + 3,
			 count - 3 /* backtrace() of the sanitizer, this, and who called it */, text, sizeof(text));
	if (place != NO_PLACE && place == to_fail) {
		refuse = !atomic_exchange(&done, true);
		if (refuse)
			append("refused %s %016llx%s\n", kind, (unsigned long long)place, text);
	} else if (place != NO_PLACE && !to_fail && is_new(place)) {
		append("%s %016llx%s\n", kind, (unsigned long long)place, text);
	}
	inside = false;
	errno = error;
	return refuse;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULTS_LOG"), *fail = getenv("FAULTS_FAIL");
	void *frames[FRAMES_MOST];

	backtrace(frames, FRAMES_MOST); /* the first call loads a library */
	if (path)
		log_fd = fcntl(open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644), F_DUPFD_CLOEXEC, 500);
	if (fail)
		to_fail = strtoull(fail, NULL, 16);
	ready = path || fail;
}

/* --- memory ---------------------------------------------------------------------------------------------------------- */

void *__interceptor_malloc(size_t size);
void *__interceptor_calloc(size_t count, size_t size);
void *__interceptor_realloc(void *memory, size_t size);
void *__interceptor_reallocarray(void *memory, size_t count, size_t size);
int __interceptor_posix_memalign(void **ret, size_t alignment, size_t size);
char *__interceptor_strdup(const char *text);

#define NO_MEMORY(KIND)                                                                                                     \
	do {                                                                                                                \
		if (refused(KIND, false)) {                                                                                 \
			errno = ENOMEM;                                                                                     \
			return NULL;                                                                                        \
		}                                                                                                           \
	} while (0)

void *malloc(size_t size)
{
	NO_MEMORY("memory");
	return __interceptor_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	NO_MEMORY("memory");
	return __interceptor_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	NO_MEMORY("memory");
	return __interceptor_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
	NO_MEMORY("memory");
	return __interceptor_reallocarray(memory, count, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	return refused("memory", false) ? ENOMEM : __interceptor_posix_memalign(ret, alignment, size);
}

char *strdup(const char *text)
{
	NO_MEMORY("memory");
	return __interceptor_strdup(text);
}

char *strndup(const char *text, size_t most)
{
	size_t length = strnlen(text, most);
	char *copy;

	NO_MEMORY("memory");
	copy = __interceptor_malloc(length + 1);
	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	if (refused("mmap", true)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

/* --- system calls ---------------------------------------------------------------------------------------------------- */

/* What stands behind ours: libasan's, or libc's. */
#define NEXT(NAME)                                                                                                          \
	static __typeof__(&(NAME)) next;                                                                                    \
	if (!next)                                                                                                          \
	next = (__typeof__(&(NAME)))dlsym(RTLD_NEXT, #NAME)

#define FAIL(KIND, ERROR)                                                                                                   \
	do {                                                                                                                \
		if (refused(KIND, true)) {                                                                                  \
			errno = (ERROR);                                                                                    \
			return -1;                                                                                          \
		}                                                                                                           \
	} while (0)

#define REPLACE(KIND, ERROR, TYPE, NAME, PARAMETERS, ARGUMENTS)                                                             \
	TYPE NAME PARAMETERS                                                                                                \
	{                                                                                                                   \
		NEXT(NAME);                                                                                                 \
		FAIL(KIND, ERROR);                                                                                          \
		return next ARGUMENTS;                                                                                      \
	}

REPLACE("write", ENOSPC, ssize_t, write, (int fd, const void *data, size_t count), (fd, data, count))
REPLACE("write", ENOSPC, ssize_t, pwrite, (int fd, const void *data, size_t count, off_t at), (fd, data, count, at))
REPLACE("write", EIO, int, fsync, (int fd), (fd))
REPLACE("write", ENOSPC, int, ftruncate, (int fd, off_t length), (fd, length))
REPLACE("write", ENOSPC, int, rename, (const char *from, const char *to), (from, to))
REPLACE("write", ENOSPC, int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
REPLACE("write", ENOSPC, int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
REPLACE("write", ENOSPC, int, mkdir, (const char *path, mode_t mode), (path, mode))
REPLACE("write", EACCES, int, unlink, (const char *path), (path))
REPLACE("read", EIO, ssize_t, read, (int fd, void *data, size_t count), (fd, data, count))
REPLACE("read", EIO, ssize_t, pread, (int fd, void *data, size_t count, off_t at), (fd, data, count, at))
REPLACE("lock", ENOLCK, int, flock, (int fd, int operation), (fd, operation))
REPLACE("socket", EMFILE, int, socket, (int domain, int type, int protocol), (domain, type, protocol))
REPLACE("socket", ENOMEM, int, bind, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size))
REPLACE("socket", ENOMEM, int, setsockopt, (int fd, int level, int name, const void *value, socklen_t size),
	(fd, level, name, value, size))
REPLACE("socket", ENOBUFS, int, getsockopt, (int fd, int level, int name, void *value, socklen_t *size),
	(fd, level, name, value, size))
REPLACE("netlink", ENOBUFS, ssize_t, send, (int fd, const void *data, size_t count, int flags), (fd, data, count, flags))
REPLACE("netlink", ENOBUFS, ssize_t, sendto,
	(int fd, const void *data, size_t count, int flags, const struct sockaddr *to, socklen_t size),
	(fd, data, count, flags, to, size))
REPLACE("netlink", ENOBUFS, ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
REPLACE("netlink", ENOMEM, ssize_t, recv, (int fd, void *data, size_t count, int flags), (fd, data, count, flags))
REPLACE("netlink", ENOMEM, ssize_t, recvfrom,
	(int fd, void *data, size_t count, int flags, struct sockaddr *from, socklen_t *size),
	(fd, data, count, flags, from, size))
REPLACE("netlink", ENOMEM, ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
REPLACE("process", EAGAIN, pid_t, fork, (void), ())

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *context)
{
	NEXT(pthread_create);

	return refused("process", true) ? EAGAIN : next(thread, attributes, function, context);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list arguments;
	NEXT(open);

	va_start(arguments, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(arguments, mode_t);
	va_end(arguments);
	FAIL("open", EMFILE);
	return next(path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list arguments;
	NEXT(openat);

	va_start(arguments, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(arguments, mode_t);
	va_end(arguments);
	FAIL("open", EMFILE);
	return next(directory, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);

	if (refused("open", true)) {
		errno = EMFILE;
		return NULL;
	}
	return next(path, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;
	NEXT(ioctl);

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	FAIL("ioctl", ENODEV);
	return next(fd, request, argument);
}

/* libbpf calls bpf(2) by it. */
long syscall(long number, ...)
{
	long a[6];
	va_list arguments;
	NEXT(syscall);

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_bpf)
		FAIL("bpf", ENOMEM);
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
