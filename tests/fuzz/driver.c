/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzz target where libFuzzer is not: every seed and every corpus file as it is, then so many of them changed at
 * random, always the same ones. By itself it takes BUILD/tests/fuzz/seeds/NAME and tests/fuzz/corpus/NAME.
 *
 *   fuzz_NAME [-runs=N] [-seed=N] [FILE...]
 *
 * The input on which it fails is left in ./crash-NAME.
 */
#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/time.h>

#include "fuzz.h"

#define INPUT_OCTETS_MOST 65536
#define INPUTS_MOST       4096
#define INPUT_CPU_S       5          /* of one input: more is a hang */
#define CHANGED_OCTETS    (3u << 20) /* of all changed inputs, where -runs does not say how many there are to be: seconds */

struct input {
	uint8_t *octets;
	size_t size;
};

#pragma weak LLVMFuzzerCustomMutator

/* With sanitizers a fault is a signal, too. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:detect_leaks=1";
}

static struct input inputs[INPUTS_MOST];
static size_t input_count;
static uint64_t state;
static const uint8_t *now; /* what runs */
static size_t now_size;
static char crash_path[256];
static int messages; /* standard error, which the target does not have */

static uint32_t below(uint32_t most)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 32) % most;
}

static void on_fault(int number)
{
	int fd = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, now, now_size) < 0)
		dprintf(messages, "could not write ");
	dprintf(messages, "%s: signal %d by this input\n", crash_path, number);
	signal(number, SIG_DFL);
	raise(number);
}

/* --- changing octets --------------------------------------------------------------------------------------------------- */

static size_t insert(uint8_t *data, size_t size, size_t most, const uint8_t *from, size_t count)
{
	size_t at = below((uint32_t)size + 1);

	if (count > most - size)
		count = most - size;
	memmove(data + at + count, data + at, size - at);
	memcpy(data + at, from, count);
	return size + count;
}

static size_t erase(uint8_t *data, size_t size)
{
	size_t at = below((uint32_t)size), count = 1 + below(size - at < 32 ? (uint32_t)(size - at) : 32);

	memmove(data + at, data + at + count, size - at - count);
	return size - count;
}

/* A part of another input, or octets that mean something to most parsers. */
static size_t put_in(uint8_t *data, size_t size, size_t most)
{
	static const char *const words[] = {
		"",  "\xff\xff\xff\xff",     "0",   "-1", "1e308", "{", "[", "\"", ":", ",", "\n",
		"%", "18446744073709551616", "null"
	};
	const struct input *other = &inputs[below((uint32_t)input_count)];
	const char *word = words[below(sizeof(words) / sizeof(*words))];
	size_t from;

	if (below(2) || !other->size)
		return insert(data, size, most, (const uint8_t *)word, strlen(word) + !*word);
	from = below((uint32_t)other->size);
	return insert(data, size, most, other->octets + from,
		      1 + below((uint32_t)(other->size - from < 64 ? other->size - from : 64)));
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
	static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xff, '0', '9', ' ' };

	for (uint32_t changes = 1 + below(4); changes; changes--) {
		uint32_t what = below(5);

		if (what == 0 || !size)
			size = put_in(data, size, most);
		else if (what == 1)
			size = erase(data, size);
		else if (what == 2)
			data[below((uint32_t)size)] ^= (uint8_t)(1 << below(8));
		else if (what == 3)
			data[below((uint32_t)size)] = extremes[below(sizeof(extremes))];
		else
			data[below((uint32_t)size)] = (uint8_t)below(256);
	}
	return size;
}

/* --- inputs ------------------------------------------------------------------------------------------------------------ */

static void run_input(const uint8_t *octets, size_t size)
{
	const struct itimerval limit = { .it_value.tv_sec = INPUT_CPU_S };
	uint8_t *copy = malloc(size ? size : 1); /* of exactly that size, for sanitizers */

	if (!copy)
		abort();
	memcpy(copy, octets, size);
	now = copy;
	now_size = size;
	setitimer(ITIMER_PROF, &limit, NULL);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void take_file(const char *path)
{
	static uint8_t octets[INPUT_OCTETS_MOST];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? -1 : read(fd, octets, sizeof(octets));

	if (fd >= 0)
		close(fd);
	if (size < 0 || input_count == INPUTS_MOST)
		return;
	inputs[input_count] = (struct input){ malloc((size_t)size + 1), (size_t)size };
	memcpy(inputs[input_count++].octets, octets, (size_t)size);
	run_input(octets, (size_t)size);
}

static void take_folder(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char file[1024];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			take_file(file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Returns how long it was. */
static size_t run_changed(void)
{
	static uint8_t octets[INPUT_OCTETS_MOST];
	const struct input *input = &inputs[below((uint32_t)input_count)];
	size_t size = input->size;

	memcpy(octets, input->octets, size);
	if (LLVMFuzzerCustomMutator)
		size = LLVMFuzzerCustomMutator(octets, size, sizeof(octets), below(UINT32_MAX));
	else
		size = LLVMFuzzerMutate(octets, size, sizeof(octets));
	run_input(octets, size);
	return size;
}

int main(int argc, char **argv)
{
	static const int faults[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF };
	unsigned long runs = 2000, seed = 1, done = 0;
	size_t octets = 0, octets_most = CHANGED_OCTETS;
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	bool given = false;
	char folder[512];

	messages = dup(STDERR_FILENO);
	snprintf(crash_path, sizeof(crash_path), "crash-%s", name + strlen("fuzz_"));
	if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
		return 1;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		signal(faults[i], on_fault);
	for (int i = 1; i < argc; i++) {
		if (sscanf(argv[i], "-seed=%lu", &seed) == 1)
			continue;
		if (sscanf(argv[i], "-runs=%lu", &runs) == 1) {
			octets_most = SIZE_MAX;
			continue;
		}
		take_file(argv[i]);
		given = true;
	}
	if (!given) {
		snprintf(folder, sizeof(folder), "%s/seeds/%s", dirname(strdupa(argv[0])), name + strlen("fuzz_"));
		take_folder(folder);
		snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", name + strlen("fuzz_"));
		take_folder(folder);
	}
	if (!input_count)
		inputs[input_count++] = (struct input){ malloc(1), 0 };
	state = seed * 0x9e3779b97f4a7c15u;
	for (; done < runs && octets < octets_most; done++)
		octets += run_changed();
	dprintf(messages, "%s: %zu files, %lu more by seed %lu\n", name, input_count, done, seed);
	for (size_t i = 0; i < input_count; i++)
		free(inputs[i].octets);
	return 0;
}
