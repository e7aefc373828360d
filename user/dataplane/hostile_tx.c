/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dataplane/hostile_tx.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"

#define ROUNDS         24 /* of all kinds, before frames are sent again */
#define FRAMES         (ROUNDS * MLR_HOSTILE_KINDS)
#define BATCH          64
#define LINE_OCTETS    64u        /* of a cache line, at which frames begin */
#define SEND_BUFFER    (16 << 20) /* octets that the driver may hold */
#define PAUSE_FIRST_NS 5000000    /* behind the frames that go ahead */
#define PAUSE_MOST_NS  1000000    /* longest sleep, so that a stop is seen */

struct hostile_tx {
	int fd, cpu;
	uint8_t *memory; /* of all frames */
	struct mlr_hostile_frame frames[FRAMES];
	struct iovec octets[FRAMES];
	struct mmsghdr messages[FRAMES];
	unsigned int count; /* frames that are sent */
	double load_fps;
	pthread_t thread;
	bool runs;
	atomic_bool stops;
	/* The thread's, until it has ended. */
	uint64_t sent, busy, start_ns, end_ns;
	int error;
};

/* --- opening and closing --------------------------------------------------------------------------------------------- */

void hostile_tx_close(struct hostile_tx *hostile)
{
	if (!hostile)
		return;
	hostile_tx_stop(hostile, &(struct hostile_sent){ 0 });
	if (hostile->fd >= 0)
		close(hostile->fd);
	free(hostile->memory);
	free(hostile);
}

/* The socket receives nothing: it has no protocol. */
static int open_socket(int ifindex)
{
	const struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_ifindex = ifindex };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1, octets = SEND_BUFFER, error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &octets, sizeof(octets));
	if (!setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) &&
	    !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

enum exit_code hostile_tx_open(const struct link_info *link, int cpu, struct hostile_tx **ret)
{
	struct hostile_tx *hostile = calloc(1, sizeof(*hostile));

	if (hostile)
		hostile->memory = malloc((size_t)FRAMES * MLR_HOSTILE_SIZE_MOST);
	if (!hostile || !hostile->memory) {
		free(hostile);
		return out_of_memory();
	}
	hostile->cpu = cpu;
	hostile->fd = open_socket(link->ifindex);
	if (hostile->fd < 0) {
		enum exit_code code = refuse(EXIT_INCAPABLE, "port %s: cannot open a packet socket for hostile frames: %s",
					     link->name, strerror(-hostile->fd));

		hostile_tx_close(hostile);
		return code;
	}
	*ret = hostile;
	return EXIT_DONE;
}

/* --- sending --------------------------------------------------------------------------------------------------------- */

/* Return how many frames are due now. */
static unsigned int due(const struct hostile_tx *hostile)
{
	uint64_t most = BATCH;
	double due;

	if (hostile->sent < MLR_HOSTILE_FIRST)
		return MLR_HOSTILE_FIRST - (unsigned int)hostile->sent;
	if (isfinite(hostile->load_fps)) {
		due = clock_since_s(hostile->start_ns) * hostile->load_fps - (double)hostile->sent;
		most = due < 1 ? 0 : due < BATCH ? (uint64_t)due : BATCH;
	}
	return (unsigned int)most;
}

/* Sleep until the next frame is due. */
static void wait_for_next(const struct hostile_tx *hostile)
{
	double pause_ns = fmin(NS_PER_S / hostile->load_fps, PAUSE_MOST_NS);
	const struct timespec pause = clock_timespec((uint64_t)pause_ns);

	nanosleep(&pause, NULL);
}

/* The kernel refuses the frame at this place for good: it is sent no more. In later rounds it would have been sent before. */
static void leave_out(struct hostile_tx *hostile, unsigned int at, int error)
{
	if (hostile->sent >= hostile->count) {
		hostile->error = -error;
		return;
	}
	hostile->count--;
	memmove(&hostile->frames[at], &hostile->frames[at + 1], (hostile->count - at) * sizeof(hostile->frames[0]));
	memmove(&hostile->messages[at], &hostile->messages[at + 1], (hostile->count - at) * sizeof(hostile->messages[0]));
	if (!hostile->count)
		hostile->error = -error;
}

/* Send what is due. The kernel ends a call at the first frame that the driver has no room for, and drops that. */
static void send_batch(struct hostile_tx *hostile, unsigned int most)
{
	unsigned int at = (unsigned int)(hostile->sent % hostile->count), left = hostile->count - at;
	unsigned int wanted = most < left ? most : left;
	int sent = sendmmsg(hostile->fd, &hostile->messages[at], wanted, MSG_DONTWAIT);

	if (sent >= 0) {
		hostile->sent += (uint64_t)sent;
		hostile->busy += (unsigned int)sent < wanted;
	} else if (errno == ENOBUFS || errno == EAGAIN || errno == EINTR || errno == ENOMEM) {
		hostile->busy++;
	} else if (errno == EINVAL || errno == EMSGSIZE) {
		leave_out(hostile, at, errno);
	} else {
		hostile->error = -errno;
	}
}

static void *run(void *argument)
{
	const struct timespec pause = { .tv_nsec = PAUSE_FIRST_NS };
	struct hostile_tx *hostile = argument;
	bool is_ahead = false;

	hostile->start_ns = clock_ns();
	while (!hostile->error && !atomic_load_explicit(&hostile->stops, memory_order_relaxed)) {
		unsigned int most = due(hostile);

		if (!is_ahead && hostile->sent >= MLR_HOSTILE_FIRST) {
			nanosleep(&pause, NULL);
			is_ahead = true;
		}
		if (most)
			send_batch(hostile, most);
		else
			wait_for_next(hostile);
	}
	hostile->end_ns = clock_ns();
	return NULL;
}

/* --- a trial --------------------------------------------------------------------------------------------------------- */

/* Write the frames of kinds that there are here. */
static void load(struct hostile_tx *hostile, const struct mlr_hostile *what)
{
	uint8_t *at = hostile->memory;

	hostile->count = 0;
	for (uint64_t n = 0; n < FRAMES; n++) {
		unsigned int i = hostile->count;

		if (!mlr_hostile_write(what, n, at, &hostile->frames[i]))
			continue;
		hostile->octets[i] = (struct iovec){ at, hostile->frames[i].octets };
		hostile->messages[i] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &hostile->octets[i], .msg_iovlen = 1 } };
		at += (hostile->frames[i].octets + LINE_OCTETS - 1) / LINE_OCTETS * LINE_OCTETS;
		hostile->count++;
	}
}

enum exit_code hostile_tx_start(struct hostile_tx *hostile, const struct mlr_hostile *what, double load_fps)
{
	int error;

	load(hostile, what);
	hostile->load_fps = load_fps;
	hostile->sent = hostile->busy = 0;
	hostile->error = 0;
	atomic_store(&hostile->stops, false);
	error = thread_start(&hostile->thread, hostile->cpu, run, hostile);
	if (error)
		return refuse(EXIT_INCAPABLE, "cannot start the thread of hostile frames: %s", strerror(-error));
	hostile->runs = true;
	return EXIT_DONE;
}

int hostile_tx_send(struct hostile_tx *hostile, const uint8_t *frame, unsigned int octets)
{
	return send(hostile->fd, frame, octets, MSG_DONTWAIT) == (ssize_t)octets ? 0 : -errno;
}

void hostile_tx_stop(struct hostile_tx *hostile, struct hostile_sent *ret)
{
	if (!hostile->runs)
		return;
	atomic_store(&hostile->stops, true);
	pthread_join(hostile->thread, NULL);
	hostile->runs = false;
	*ret = (struct hostile_sent){ .frames = hostile->sent,
				      .busy = hostile->busy,
				      .duration_s = (double)(hostile->end_ns - hostile->start_ns) / (double)NS_PER_S,
				      .error = hostile->error };
	for (unsigned int i = 0; i < hostile->count; i++)
		ret->by_kind[hostile->frames[i].kind][hostile->frames[i].count] +=
			hostile->sent / hostile->count + (i < hostile->sent % hostile->count);
}
