/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LD_PRELOAD: each call of a parser of JSON, YAML, keys, or texts of others, and each frame that a packet socket hands over, is noted in the
 * file PARSERS_LOG, of 1 MiB of zeros, as a line:
 *
 *	nobody FUNCTION WHAT     the process is nobody's, without a capability
 *	root FUNCTION WHAT       it is not
 *
 * WHAT is a path, or the beginning of the text. A text that the program itself has, as a schema, is not noted. The file is
 * mapped: a process that may open nothing any more notes its calls, too. A process knows what it gave up by having seen it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG_OCTETS  (1u << 20)
#define WHAT_OCTETS 100
#define FDS_MOST    1024
#define NEXT(name)  ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

typedef struct yaml_parser_s yaml_parser_t;
typedef struct yaml_document_s yaml_document_t;
int yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document);
int setresuid(uid_t real, uid_t effective, uid_t saved);

static struct {
	atomic_uint used;
	char text[LOG_OCTETS - sizeof(unsigned int)];
} * notes;
static bool is_root, is_capable;
static _Thread_local bool inside; /* of a parser, which calls others */

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("PARSERS_LOG");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	is_root = is_capable = geteuid() == 0;
	if (fd < 0)
		return;
	notes = mmap(NULL, LOG_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (notes == MAP_FAILED)
		abort();
	close(fd);
}

static void note(const char *function, const char *what, size_t length)
{
	char line[WHAT_OCTETS + 64];
	int octets;
	unsigned int at;

	if (!notes || inside)
		return;
	octets = snprintf(line, sizeof(line), "%s %s %.*s\n", is_root || is_capable ? "root" : "nobody", function,
			  (int)(length < WHAT_OCTETS ? length : WHAT_OCTETS), what);
	for (int i = 0; i < octets - 1; i++)
		if (line[i] < ' ')
			line[i] = ' ';
	at = atomic_fetch_add(&notes->used, (unsigned int)octets);
	if (at + (unsigned int)octets <= sizeof(notes->text))
		memcpy(notes->text + at, line, (size_t)octets);
}

static void note_text(const char *function, const char *text, size_t length)
{
	Dl_info info;

	if (!dladdr(text, &info))
		note(function, text, length);
}

static void note_fd(const char *function, int fd)
{
	char link[32], path[WHAT_OCTETS];
	ssize_t length = 0;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (is_root) /* others may not be allowed to ask */
		length = readlink(link, path, sizeof(path));
	note(function, path, length > 0 ? (size_t)length : 0);
}

/* --- parsers -------------------------------------------------------------------------------------------------------- */

#define PARSED(noted, call)                                                                                                 \
	({                                                                                                                  \
		bool was_inside = inside;                                                                                   \
		noted;                                                                                                      \
		inside = true;                                                                                              \
		__typeof__(call) result = call;                                                                             \
		inside = was_inside;                                                                                        \
		result;                                                                                                     \
	})

json_t *json_loads(const char *text, size_t flags, json_error_t *error)
{
	return PARSED(note_text(__func__, text, strlen(text)), NEXT(json_loads)(text, flags, error));
}

json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error)
{
	return PARSED(note_text(__func__, text, length), NEXT(json_loadb)(text, length, flags, error));
}

json_t *json_loadf(FILE *stream, size_t flags, json_error_t *error)
{
	return PARSED(note(__func__, "a stream", 8), NEXT(json_loadf)(stream, flags, error));
}

json_t *json_load_callback(json_load_callback_t from, void *context, size_t flags, json_error_t *error)
{
	return PARSED(note(__func__, "a stream", 8), NEXT(json_load_callback)(from, context, flags, error));
}

json_t *json_loadfd(int fd, size_t flags, json_error_t *error)
{
	return PARSED(note_fd(__func__, fd), NEXT(json_loadfd)(fd, flags, error));
}

json_t *json_load_file(const char *path, size_t flags, json_error_t *error)
{
	return PARSED(note(__func__, path, strlen(path)), NEXT(json_load_file)(path, flags, error));
}

int yaml_parser_load(yaml_parser_t *parser, yaml_document_t *document)
{
	return PARSED(note(__func__, "a document", 10), NEXT(yaml_parser_load)(parser, document));
}

/* What makes a string of octets that may be no UTF-8. */
json_t *json_stringn(const char *text, size_t length)
{
	return PARSED(note_text(__func__, text, length), NEXT(json_stringn)(text, length));
}

/* What looks for words in a picture. */
char *strcasestr(const char *text, const char *word)
{
	return PARSED(note_text(__func__, text, strlen(text)), NEXT(strcasestr)(text, word));
}

/* --- frames --------------------------------------------------------------------------------------------------------- */

static bool is_packet_socket[FDS_MOST];

int socket(int domain, int type, int protocol)
{
	int fd = NEXT(socket)(domain, type, protocol);

	if (fd >= 0 && fd < FDS_MOST)
		is_packet_socket[fd] = domain == AF_PACKET;
	return fd;
}

int close(int fd)
{
	if (fd >= 0 && fd < FDS_MOST)
		is_packet_socket[fd] = false;
	return NEXT(close)(fd);
}

static ssize_t note_frame(const char *function, int fd, ssize_t octets)
{
	if (octets > 0 && fd < FDS_MOST && is_packet_socket[fd])
		note(function, "a frame", 7);
	return octets;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	return note_frame(__func__, fd, NEXT(read)(fd, buffer, size));
}

ssize_t recvfrom(int fd, void *buffer, size_t size, int flags, struct sockaddr *from, socklen_t *from_size)
{
	return note_frame(__func__, fd, NEXT(recvfrom)(fd, buffer, size, flags, from, from_size));
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

int gnutls_privkey_import_x509_raw(void *key, const void *pem, int format, const char *password, unsigned int flags);
int gnutls_pubkey_import(void *key, const void *octets, int format);

static void *gnutls; /* the library, once the program has loaded it */

/* The program looks functions up in what it gets from here: ours come first. */
void *dlopen(const char *name, int mode)
{
	if (!name || !strstr(name, "gnutls"))
		return NEXT(dlopen)(name, mode);
	gnutls = NEXT(dlopen)(name, mode | RTLD_GLOBAL);
	return gnutls ? NEXT(dlopen)(NULL, RTLD_NOW) : NULL;
}

int gnutls_privkey_import_x509_raw(void *key, const void *pem, int format, const char *password, unsigned int flags)
{
	__typeof__(&gnutls_privkey_import_x509_raw) real = dlsym(gnutls, __func__);

	return PARSED(note(__func__, "a key", 5), real(key, pem, format, password, flags));
}

int gnutls_pubkey_import(void *key, const void *octets, int format)
{
	__typeof__(&gnutls_pubkey_import) real = dlsym(gnutls, __func__);

	return PARSED(note(__func__, "a key", 5), real(key, octets, format));
}

/* --- what is given up ----------------------------------------------------------------------------------------------- */

/* From root, capabilities go with the user. */
int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	int result = NEXT(setresuid)(real, effective, saved);

	if (!result && real && effective && saved)
		is_root = is_capable = false;
	return result;
}

long syscall(long number, ...)
{
	long arguments[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	result = NEXT(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
	if (number == SYS_capset && !result) {
		const struct __user_cap_data_struct *data = (const void *)arguments[1];

		is_capable = data[0].effective || data[1].effective;
	}
	return result;
}
