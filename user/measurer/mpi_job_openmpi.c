/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/stop.h"
#include "measurer/mpi_job.h"

#define LOOK_NS       100000              /* pause between two tests of an exchange */
#define STOP_GRACE_NS (3 * NS_PER_S / 10) /* time for other ranks to answer after a stop: SIGKILL may follow */
#define PATIENCE_NS   (10 * NS_PER_S)
#define TAG           1

static bool lost;
static int rank, size = 1;
static uint64_t patience_ns = PATIENCE_NS;

static struct sigaction stop_actions[2];
static const int stop_signals[2] = { SIGTERM, SIGINT };

/* Where MPI itself waits for others, nobody looks for a stop: let one end this process. No port is open then. */
static void let_stops_end(bool end)
{
	const struct sigaction ending = { .sa_handler = SIG_DFL };

	for (int i = 0; i < 2; i++)
		sigaction(stop_signals[i], end ? &ending : &stop_actions[i], end ? &stop_actions[i] : NULL);
}

/* --- begin and end -------------------------------------------------------------------------------------------------- */

enum exit_code job_find(void)
{
	return EXIT_DONE;
}

/* Unless it is to tell of lost processes, Open MPI 5 ends those that are left by itself, before their ports are restored. */
static int initialise(void)
{
	int provided, error;

	setenv("OMPI_MCA_mpi_ft_enable", "1", false);
	let_stops_end(true);
	error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
	let_stops_end(false);
	return error;
}

enum exit_code job_begin(void)
{
	if (initialise())
		return refuse(EXIT_INCAPABLE, "--measurer mpi: MPI cannot be initialised; start it by mpirun");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size <= JOB_RANKS_MAX)
		return EXIT_DONE;
	if (rank == 0)
		refuse(EXIT_USAGE_ERROR, "--measurer mpi: %d ranks are too many; start one a host, at most %d", size,
		       JOB_RANKS_MAX);
	return EXIT_USAGE_ERROR;
}

/* After a stop of a lost job mpirun is ending it already; and leaving in order would wait for who is lost. */
void job_end(enum exit_code code)
{
	fflush(stdout); /* the result */
	if (lost) {
		if (!stop_requested())
			MPI_Abort(MPI_COMM_WORLD, code);
		return;
	}
	let_stops_end(true);
	MPI_Finalize();
	let_stops_end(false);
}

unsigned int job_rank(void)
{
	return (unsigned int)rank;
}

unsigned int job_size(void)
{
	return (unsigned int)size;
}

bool job_is_lost(void)
{
	return lost;
}

const char *job_library(void)
{
	static char version[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;

	MPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = '\0';
	return version;
}

void job_set_patience(uint64_t new_patience_ns)
{
	patience_ns = new_patience_ns;
}

/* --- exchanges ------------------------------------------------------------------------------------------------------ */

static enum exit_code lose(const char *why)
{
	lost = true;
	return refuse(EXIT_INVALID, "--measurer mpi: %s: the trial is invalid, and the ports here are restored", why);
}

/* Return the deadline of an exchange that began at start_ns. */
static uint64_t last_moment_ns(uint64_t start_ns, uint64_t stopped_ns)
{
	uint64_t deadline_ns = patience_ns == JOB_NO_LIMIT ? UINT64_MAX : start_ns + patience_ns;

	return stopped_ns && stopped_ns + STOP_GRACE_NS < deadline_ns ? stopped_ns + STOP_GRACE_NS : deadline_ns;
}

/* Wait until an exchange is done; look all the time where `spin`. */
static enum exit_code finish(int error, MPI_Request *request, bool spin)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	uint64_t start_ns = clock_ns(), stopped_ns = 0;
	int done = 0;

	while (!error && !(error = MPI_Test(request, &done, MPI_STATUS_IGNORE)) && !done) {
		uint64_t now_ns = clock_ns();

		if (!stopped_ns && stop_requested())
			stopped_ns = now_ns;
		if (now_ns > last_moment_ns(start_ns, stopped_ns))
			return lose(stopped_ns ? "told to stop, and another rank does not answer (where one was lost, its "
						 "host says so)"
					       : "a rank has not answered in time");
		if (!spin)
			nanosleep(&pause, NULL);
	}
	return error ? lose("MPI has failed to reach a rank") : EXIT_DONE;
}

static enum exit_code check(size_t octets)
{
	if (lost)
		return EXIT_INVALID;
	return octets <= INT_MAX ? EXIT_DONE : refuse(EXIT_INCAPABLE, "--measurer mpi: too much to exchange");
}

enum exit_code job_broadcast(unsigned int root, void *data, size_t octets)
{
	enum exit_code code = check(octets);
	MPI_Request request;

	if (code)
		return code;
	return finish(MPI_Ibcast(data, (int)octets, MPI_BYTE, (int)root, MPI_COMM_WORLD, &request), &request, false);
}

enum exit_code job_share(const void *own, size_t octets, void *ret_all)
{
	enum exit_code code = check(octets);
	MPI_Request request;

	if (code)
		return code;
	return finish(MPI_Iallgather(own, (int)octets, MPI_BYTE, ret_all, (int)octets, MPI_BYTE, MPI_COMM_WORLD, &request),
		      &request, false);
}

/* --- clocks --------------------------------------------------------------------------------------------------------- */

static uint64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static enum exit_code send(int to, uint64_t *words)
{
	MPI_Request request;

	return finish(MPI_Isend(words, 2, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD, &request), &request, true);
}

static enum exit_code receive(int from, uint64_t *ret_words)
{
	MPI_Request request;

	return finish(MPI_Irecv(ret_words, 2, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD, &request), &request, true);
}

static enum exit_code ask(int other, struct job_reading *ret)
{
	struct job_reading reading = { .before_ns = clock_ns() };
	uint64_t words[2] = { 0, 0 };
	enum exit_code code;

	if ((code = send(other, words)) || (code = receive(other, words)))
		return code;
	reading.after_ns = clock_ns();
	reading.reference_realtime_ns = realtime_ns();
	reading.monotonic_ns = words[0];
	reading.realtime_ns = words[1];
	if (!ret->after_ns || reading.after_ns - reading.before_ns < ret->after_ns - ret->before_ns)
		*ret = reading;
	return EXIT_DONE;
}

static enum exit_code answer(void)
{
	uint64_t words[2];
	enum exit_code code = receive(0, words);

	if (code)
		return code;
	words[0] = clock_ns();
	words[1] = realtime_ns();
	return send(0, words);
}

enum exit_code job_read_clocks(unsigned int other, unsigned int rounds, struct job_reading *ret)
{
	struct job_reading reading = { .after_ns = 0 };
	enum exit_code code = check(0);

	for (unsigned int i = 0; i < rounds && !code; i++) {
		if (rank == 0)
			code = ask((int)other, &reading);
		else if (rank == (int)other)
			code = answer();
	}
	if (!code && rank == 0)
		*ret = reading;
	return code;
}
