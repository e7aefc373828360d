/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header reads the `appliance:` section of a configuration: what is to be run and when, where results are shown, what
 * happens at the end. The options of the runs themselves are xdp-mlr's own, and read by it. docs/guide/appliance.md
 * describes the section. The caller owns the settings. They are read once for each configuration, and then freed.
 *
 * Reading is strict: what is not known, stands twice, or is out of range is refused with file and line. Nothing of the
 * file is ever executed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SETTINGS_VALUE_SIZE 64        /* octets of a word: a verb, a name, a port */
#define SETTINGS_PORTS_MAX  8         /* most ports of a run, as many as xdp-mlr takes */
#define SETTINGS_RUNS_MAX   64        /* most runs of a schedule */
#define SETTINGS_TIMES_MAX  24        /* most times of `at` */
#define SETTINGS_FILE_MAX   (1 << 20) /* octets; a configuration is a page of text */
#define SETTINGS_ERROR_SIZE 512
#define SETTINGS_FOREVER    0 /* number of rounds that means: without end */

struct port_settings {
	char names[SETTINGS_PORTS_MAX][SETTINGS_VALUE_SIZE]; /* names of interfaces */
	unsigned int count;                                  /* number of names; 0: the options have the ports */
};

/* One run of a schedule; `name` is what --run of xdp-mlr takes. */
struct run_settings {
	char name[SETTINGS_VALUE_SIZE]; /* empty: the file as it is, without --run */
	char verb[SETTINGS_VALUE_SIZE];
	struct port_settings ports;
};

struct schedule_settings {
	unsigned int rounds;                         /* rounds of all runs, or SETTINGS_FOREVER */
	double pause_s;                              /* time from the end of a round to the beginning of the next */
	double every_s;                              /* time from one beginning to the next; 0: not set */
	unsigned int at_minutes[SETTINGS_TIMES_MAX]; /* minutes of the day, UTC */
	unsigned int at_count;
};

struct http_settings {
	bool wanted;
	bool unprotected;                            /* may listen beyond loopback without TLS and token */
	char address[SETTINGS_VALUE_SIZE];           /* empty: that of the management port, or loopback without one */
	unsigned int port;                           /* 0: 80, or 443 with TLS */
	char *certificate, *key;                     /* PEM; NULL: no TLS */
	char *clients;                               /* PEM of the issuer of clients' certificates; NULL: they need none */
	char token[SETTINGS_VALUE_SIZE + 1];         /* token to read; empty: none */
	char control_token[SETTINGS_VALUE_SIZE + 1]; /* token to begin and stop runs; empty: nobody can */
	size_t line;                                 /* line of the section in the file */
};

/* The port that no test uses; init sets it up. */
struct management_settings {
	char port[SETTINGS_VALUE_SIZE];    /* name of the port; empty: none */
	char address[SETTINGS_VALUE_SIZE]; /* dhcp, or 192.0.2.5/24 */
	char gateway[SETTINGS_VALUE_SIZE]; /* empty: none */
	size_t line;                       /* line of the section in the file */
};

struct settings {
	char verb[SETTINGS_VALUE_SIZE];
	char at_end[SETTINGS_VALUE_SIZE]; /* wait or power-off */
	struct port_settings ports;
	bool shell;         /* A key of the console opens a shell. */
	double keep_octets; /* most octets of results in memory; 0: a quarter of what is free */
	struct run_settings runs[SETTINGS_RUNS_MAX];
	unsigned int run_count; /* number of runs, at least 1 */
	struct schedule_settings schedule;
	struct http_settings http;
	struct management_settings management;
};

/* Read the settings. A setting that the file lacks has its default. `overrides` is a file of lines NAME=VALUE from the
 * kernel's command line, or NULL. Its names that begin with "appliance.", such as appliance.management.port=eth2, are
 * settings, and win over the file's. Its other names are options, which are not read here. Returns false if something is
 * wrong; `error` then has the reason, with file and line. */
bool settings_read(const char *path, const char *overrides, struct settings *ret, char error[SETTINGS_ERROR_SIZE]);
void settings_free(struct settings *settings);

/* Print the settings for a shell script: lines NAME=VALUE whose values consist of letters, digits and ,.:/_- only. */
void settings_print(FILE *stream, const struct settings *settings);

/* Write the MAC address of an interface, such as "02:00:00:00:00:01", into the buffer. The text is empty if no interface
 * has this name. An appliance has one network namespace only, and /sys shows that one. */
#define INTERFACE_ADDRESS_SIZE 64
const char *interface_address(const char *name, char address[INTERFACE_ADDRESS_SIZE]);

/* Write "eth1,eth2" into a buffer. */
#define SETTINGS_PORT_LIST_SIZE (SETTINGS_PORTS_MAX * SETTINGS_VALUE_SIZE)
const char *settings_port_list(const struct port_settings *ports, char buffer[SETTINGS_PORT_LIST_SIZE]);
