/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "appliance/console.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/message.h"
#include "base/text_stream.h"
#include "base/units.h"

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24
#define WAITING_MOST    (256 * 1024) /* octets that a console has not taken; beyond, they are thrown away, aloud */
#define CONFIRM_NS      (10 * NS_PER_S)
#define LOG_LINES       20
#define PREFIX          "appliance: "
#define SHELL           "/bin/sh"

struct console {
	int in_fd, out_fd; /* -1: no keys come any more */
	bool terminal;     /* Its settings were changed, and have to be restored. */
	struct termios before;
	char *path;
	unsigned long read; /* number of lines of the log that the console has shown */
	bool draws;         /* The console draws the view. */
	bool held;          /* Other programs write to the terminal. */
	char *waiting;      /* octets that the terminal has not taken yet */
	size_t waiting_count, waiting_size;
	bool lost;          /* some of it was thrown away */
	unsigned int drawn; /* rows of the view that stand there */
	uint64_t draw_ns;   /* time of the next drawing */
	char asked;         /* the key that waits for a y; 0: none */
	uint64_t asked_ns;
	pid_t shell; /* 0: none */
	int shell_fd;
};

/* --- output ---------------------------------------------------------------------------------------------------------- */

/* Write what waits, as far as it is taken. */
static void flush(struct console *console)
{
	size_t written = 0;

	while (written < console->waiting_count) {
		ssize_t count = write(console->out_fd, console->waiting + written, console->waiting_count - written);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0 && errno != EAGAIN)
			written = console->waiting_count; /* The terminal will never take these octets. */
		if (count <= 0)
			break;
		written += (size_t)count;
	}
	if (!written)
		return;
	console->waiting_count -= written;
	memmove(console->waiting, console->waiting + written, console->waiting_count);
}

static bool make_room(struct console *console, size_t length)
{
	size_t size = console->waiting_count + length;
	char *grown;

	if (size > WAITING_MOST)
		return false;
	if (size <= console->waiting_size)
		return true;
	grown = realloc(console->waiting, size);
	if (!grown)
		return false;
	console->waiting = grown;
	console->waiting_size = size;
	return true;
}

static void put(struct console *console, const char *text, size_t length)
{
	static const char sentence[] = "\n[the console was too slow: something is missing here; key l shows the log]\n";

	if (console->lost && console->waiting_count == 0 && make_room(console, sizeof(sentence))) {
		memcpy(console->waiting, sentence, sizeof(sentence) - 1);
		console->waiting_count = sizeof(sentence) - 1;
		console->lost = false;
	}
	if (!make_room(console, length)) {
		console->lost = true;
		return;
	}
	memcpy(console->waiting + console->waiting_count, text, length);
	console->waiting_count += length;
	if (!console->held && !console->shell)
		flush(console);
}

static void put_text(struct console *console, const char *text)
{
	put(console, text, strlen(text));
}

/* Go to the first row of the view, and erase it. */
static void erase(struct console *console)
{
	char sequence[32];

	if (!console->drawn)
		return;
	if (console->drawn > 1)
		snprintf(sequence, sizeof(sequence), "\r\033[%uA\033[J", console->drawn - 1);
	else
		snprintf(sequence, sizeof(sequence), "\r\033[J");
	put_text(console, sequence);
	console->drawn = 0;
}

static void draw(const struct appliance *appliance, struct console *console)
{
	unsigned int columns, rows;
	struct view view = appliance_view(appliance);
	owned char *text = NULL;

	console->draw_ns = clock_ns() + NS_PER_S;
	if (console->waiting_count)
		return; /* The terminal is slow: write lines first. */
	terminal_size(console->out_fd, &columns, &rows);
	text = view_render(&view, (struct view_style){ columns - 1, rows - 1, true });
	if (!text)
		return;
	erase(console);
	put_text(console, text);
	console->drawn = terminal_rows(text, columns);
}

static bool shows_view(const struct appliance *appliance, const struct console *console)
{
	return console->draws && !console->held && !console->shell && appliance_measures(appliance);
}

/* Write lines. The view is drawn again below them. */
static void show(const struct appliance *appliance, struct console *console, const char *text, const char *end)
{
	erase(console);
	put_text(console, text);
	put_text(console, end);
	console->draw_ns = 0;
	if (shows_view(appliance, console))
		draw(appliance, console);
}

/* Write the lines that were logged since. */
static void catch_up(const struct appliance *appliance, struct console *console)
{
	char line[RECORD_LINE_MOST + sizeof(PREFIX)];
	const char *text;

	while ((text = record_next(&appliance->record, &console->read, &console->lost))) {
		snprintf(line, sizeof(line), PREFIX "%s", text);
		show(appliance, console, line, "\n");
	}
}

/* Draw the view on all of them, below the lines that are there. */
static void show_everywhere(struct appliance *appliance, const char *text, const char *end, bool but_below_a_view)
{
	for (unsigned int i = 0; i < appliance->console_count; i++) {
		struct console *console = appliance->consoles[i];

		catch_up(appliance, console);
		if (!but_below_a_view || !console->draws)
			show(appliance, console, text, end);
	}
}

void console_text(struct appliance *appliance, const char *text)
{
	show_everywhere(appliance, text, "", false);
}

void console_progress(struct appliance *appliance, const char *text)
{
	show_everywhere(appliance, text, "\n", true);
}

void console_refresh(struct appliance *appliance)
{
	for (unsigned int i = 0; i < appliance->console_count; i++) {
		struct console *console = appliance->consoles[i];

		catch_up(appliance, console);
		console->draw_ns = 0;
		if (!shows_view(appliance, console))
			erase(console);
	}
}

void console_hold(struct appliance *appliance, bool hold)
{
	for (unsigned int i = 0; i < appliance->console_count; i++) {
		struct console *console = appliance->consoles[i];

		catch_up(appliance, console);
		if (hold)
			erase(console);
		console->held = hold && console->waiting_count == 0;
		if (!hold)
			flush(console);
	}
}

bool console_drained(const struct appliance *appliance)
{
	for (unsigned int i = 0; i < appliance->console_count; i++)
		if (!appliance->consoles[i]->held && appliance->consoles[i]->waiting_count)
			return false;
	return true;
}

/* --- ports ----------------------------------------------------------------------------------------------------------- */

static void put_port(FILE *stream, const json_t *port)
{
	char speed[UNIT_TEXT_SIZE] = "speed not known";
	double link_bps = read_number(port, "link_bps");

	if (!isnan(link_bps))
		format_si(link_bps, "bit/s", speed);
	fprintf(stream, "  %-10s %-17s  %-12s %-8s %-15s  %s\n", read_text(port, "name"),
		interface_address(read_text(port, "name"), ROOM(INTERFACE_ADDRESS_SIZE)), read_text(port, "driver"),
		read_truth(port, "carrier") ? "link up" : "no link", speed, appliance_port_verdict(port));
}

static void put_ports(FILE *stream, const struct appliance *appliance)
{
	const json_t *ports = json_object_get(appliance->probe, "ports");

	if (!appliance->probe) {
		fputs("Ports: still being looked at\n", stream);
		return;
	}
	fprintf(stream, "Ports: %zu\n", json_array_size(ports));
	json_each (port, ports)
		put_port(stream, port);
}

static void put_how(FILE *stream)
{
	fputs("No configuration was found, and nothing will be sent. Give one\n"
	      "  as config.yaml on a FAT volume labelled XDPMLR, or user-data on one labelled CIDATA;\n"
	      "  by QEMU: -fw_cfg name=opt/org.xdp-mlr/config,file=FILE; docs/guide/appliance.md names all ways.\n"
	      "It is the file of `xdp-mlr VERB --config FILE`, with a section for the appliance:\n"
	      "  appliance: {verb: search, ports: [MAC, MAC]}\n"
	      "  max-load: 1Mfps\n"
	      "appliance: waiting for a volume with a configuration\n",
	      stream);
}

/* --- keys ------------------------------------------------------------------------------------------------------------ */

static void put_help(FILE *stream, const struct appliance *appliance)
{
	fputs("Keys: s status   p ports   l log   v progress view here, on or off   c stop this run   r run again\n"
	      "      q power off   h help",
	      stream);
	fputs(appliance->settings.shell ? "   ! shell\n" : "\n", stream);
}

static void put_results(FILE *stream, const struct appliance *appliance)
{
	const struct results *store = &appliance->store;
	size_t first = store->count > LOG_LINES ? store->count - LOG_LINES : 0;

	if (!store->count)
		fputs("Results: none yet\n", stream);
	else
		fprintf(stream, "Results: %zu kept, %u deleted\n", store->count, store->deleted);
	for (size_t i = first; i < store->count; i++) {
		const struct result *result = &store->results[i];

		fprintf(stream, "  %4u  %s  %-10s %-8s exit code %d  %s\n", result->number,
			format_utc(result->started, UNIT_ROOM), result->run, result->verb, result->exit_code,
			result->summary);
	}
}

static void put_status(FILE *stream, const struct appliance *appliance)
{
	struct view view;
	char *text;

	fprintf(stream, "Status: %s\n", appliance_status(appliance, ROOM(APPLIANCE_STATUS_SIZE)));
	if (appliance_measures(appliance)) {
		view = appliance_view(appliance);
		text = view_render(&view, (struct view_style){ COLUMNS_DEFAULT - 1, ROWS_DEFAULT, false });
		fprintf(stream, "%s\n", text ? text : "");
		free(text);
	}
	put_results(stream, appliance);
}

/* Write what a key shows. 0: the ports once they have been probed. */
static void put_page(FILE *stream, const struct appliance *appliance, char key)
{
	if (key == 's')
		put_status(stream, appliance);
	else if (key == 'l')
		record_put(&appliance->record, stream, LOG_LINES);
	else if (key == 'p' || !key)
		put_ports(stream, appliance);
	if (!key && appliance->phase == PHASE_UNCONFIGURED)
		put_how(stream);
	if (key == 'h' || (!key && appliance->phase == PHASE_UNCONFIGURED))
		put_help(stream, appliance);
}

static void show_page(const struct appliance *appliance, struct console *console, char key)
{
	owned char *text = TEXT_WRITTEN(stream, NULL, put_page(stream, appliance, key));

	if (text)
		show(appliance, console, text, "");
}

static void ask(const struct appliance *appliance, struct console *console, char key, const char *question)
{
	console->asked = key;
	console->asked_ns = clock_ns();
	show(appliance, console, question, "\n");
}

/* Become a shell that has this console for its own, in the child. Never returns. */
static void become_shell(const struct console *console)
{
	int fd;

	setsid();
	fd = open(console->path, O_RDWR);
	if (fd < 0 || ioctl(fd, TIOCSCTTY, 1) || tcsetattr(fd, TCSANOW, &console->before))
		_exit(EXIT_FAILURE);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0u, 0);
	execl(SHELL, "-sh", (char *)NULL);
	_exit(127);
}

static void open_shell(struct appliance *appliance, struct console *console)
{
	if (!appliance->settings.shell || !console->terminal) {
		show(appliance, console,
		     "There is no shell here: the configuration does not ask for one (appliance: shell: true).", "\n");
		return;
	}
	show(appliance, console, "A shell; `exit` comes back.", "\n");
	erase(console);
	console->shell = fork();
	if (console->shell == 0)
		become_shell(console);
	if (console->shell < 0) {
		console->shell = 0;
		return;
	}
	console->shell_fd = pidfd_open(console->shell, 0);
}

static void set_raw(struct console *console);

static void close_shell(struct appliance *appliance, struct console *console)
{
	if (!console->shell || waitpid(console->shell, NULL, WNOHANG) == 0)
		return;
	close(console->shell_fd);
	console->shell = 0;
	set_raw(console);
	flush(console);
	show(appliance, console, "The shell has ended.", "\n");
}

static void toggle_view(const struct appliance *appliance, struct console *console)
{
	erase(console);
	console->draws = !console->draws;
	show(appliance, console, console->draws ? "Live view: on" : "Live view: off", "\n");
}

/* Do what a key asks for after it was confirmed. */
static void confirmed(struct appliance *appliance, struct console *console, char key)
{
	if (key == 'q') {
		appliance_say(appliance, "switching off, as key q asked");
		appliance->requests.power_off = true;
	} else if (appliance_may_stop_run(appliance)) {
		appliance->requests.stop_run = true;
	} else {
		show(appliance, console, "No run is on.", "\n");
	}
}

static void take_key(struct appliance *appliance, struct console *console, char key)
{
	char asked = clock_ns() - console->asked_ns < CONFIRM_NS ? console->asked : 0;

	console->asked = 0;
	if (asked) {
		if (key == 'y' || key == 'Y')
			confirmed(appliance, console, asked);
		else
			show(appliance, console, "No.", "\n");
		return;
	}
	switch (tolower((unsigned char)key)) {
	case 's':
	case 'l':
	case 'h':
		show_page(appliance, console, (char)tolower((unsigned char)key));
		break;
	case '?':
		show_page(appliance, console, 'h');
		break;
	case 'p':
		if (appliance_may_probe(appliance))
			appliance->requests.probe = true;
		else
			show_page(appliance, console, 'p'); /* Show what is known: no port is tried while a run is on. */
		break;
	case 'v':
		toggle_view(appliance, console);
		break;
	case 'r':
		if (appliance_may_begin_again(appliance))
			appliance->requests.again = true;
		else
			show(appliance, console, "Not now: a run is on (key c stops it).", "\n");
		break;
	case 'c':
		ask(appliance, console, 'c', "Stop this run? Its result so far is kept. y: yes");
		break;
	case 'q':
	case 'o':
		ask(appliance, console, 'q', "Switch the machine off? Results are in memory only. y: yes");
		break;
	case '!':
		open_shell(appliance, console);
		break;
	default:
		break;
	}
}

static void take_keys(struct appliance *appliance, struct console *console)
{
	char keys[64];
	ssize_t count = read(console->in_fd, keys, sizeof(keys));

	if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
		console->in_fd = -1; /* nobody types here any more */
	for (ssize_t i = 0; i < count; i++)
		take_key(appliance, console, keys[i]);
}

void console_ports(struct appliance *appliance)
{
	owned char *text = TEXT_WRITTEN(stream, NULL, put_page(stream, appliance, 0));

	if (text)
		console_text(appliance, text);
}

/* --- its life -------------------------------------------------------------------------------------------------------- */

/* Keys come at once and are not echoed. A line end still becomes CR LF. */
static void set_raw(struct console *console)
{
	struct termios raw = console->before;

	if (!console->terminal)
		return;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
	raw.c_oflag |= OPOST | ONLCR;
	raw.c_cflag |= CLOCAL;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(console->out_fd, TCSANOW, &raw);
}

/* Whether it is a screen of this machine, and no serial line: /dev/tty, /dev/tty1. */
static bool is_screen(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && strncmp(name, "/tty", 4) == 0 && !name[4 + strspn(name + 4, "0123456789")];
}

int console_open(struct appliance *appliance, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct console *console;
	int error;

	if (appliance->console_count == CONSOLES_MAX)
		return -E2BIG;
	console = calloc(1, sizeof(*console));
	if (!console)
		return -ENOMEM;
	console->path = strdup(path);
	console->out_fd = standard ? STDOUT_FILENO : open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	console->in_fd = standard ? STDIN_FILENO : console->out_fd;
	if (console->out_fd < 0 || !console->path) {
		error = -errno;
		free(console->path);
		free(console);
		return error;
	}
	if (standard) {
		fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
		fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
	}
	console->draws = is_screen(path);
	console->terminal = tcgetattr(console->out_fd, &console->before) == 0;
	console->read = appliance->record.count;
	set_raw(console);
	appliance->consoles[appliance->console_count++] = console;
	return 0;
}

void console_close_all(struct appliance *appliance)
{
	for (unsigned int i = 0; i < appliance->console_count; i++) {
		struct console *console = appliance->consoles[i];

		catch_up(appliance, console);
		erase(console);
		flush(console);
		if (console->terminal)
			tcsetattr(console->out_fd, TCSADRAIN, &console->before);
		if (console->out_fd != STDOUT_FILENO)
			close(console->out_fd);
		free(console->waiting);
		free(console->path);
		free(console);
	}
	appliance->console_count = 0;
}

void console_files(const struct console *console, struct pollfd files[CONSOLE_FILES])
{
	bool writes = console->waiting_count && !console->held && !console->shell;

	files[0] = (struct pollfd){ .fd = console->shell ? console->shell_fd : console->in_fd, .events = POLLIN };
	files[1] = (struct pollfd){ .fd = writes ? console->out_fd : -1, .events = POLLOUT };
}

void console_work(struct appliance *appliance, struct console *console)
{
	close_shell(appliance, console);
	catch_up(appliance, console);
	if (console->shell)
		return;
	if (console->in_fd >= 0)
		take_keys(appliance, console);
	catch_up(appliance, console);
	if (!console->held)
		flush(console);
	if (shows_view(appliance, console) && clock_ns() >= console->draw_ns)
		draw(appliance, console);
}

uint64_t console_due_ns(const struct appliance *appliance)
{
	uint64_t due_ns = UINT64_MAX;

	for (unsigned int i = 0; i < appliance->console_count; i++) {
		const struct console *console = appliance->consoles[i];

		if (console->read < appliance->record.count)
			return 0;
		if (shows_view(appliance, console) && console->draw_ns < due_ns)
			due_ns = console->draw_ns;
	}
	return due_ns;
}
