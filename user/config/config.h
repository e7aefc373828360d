/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration of one run has every option of the command line and of the YAML file, after parsing and range checks. It
 * owns what its members point to, unless they say otherwise. configure.h fills it in, the run reads it, echo.h writes it
 * into the result, and config_free() frees it.
 */
#pragma once

#include <jansson.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/message.h"
#include "base/output.h"
#include "base/units.h"
#include "config/verb.h"
#include "mlr/change.h"
#include "mlr/controller.h"
#include "mlr/goal.h"
#include "mlr/profile.h"
#include "mlr/y1564.h"

enum direction { DIRECTION_A_TO_B, DIRECTION_B_TO_A, DIRECTION_BOTH, DIRECTION_MESH };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL };
enum effective_duration { EFFECTIVE_TRIAL, EFFECTIVE_WALL };
enum tx_choice { TX_AUTO, TX_XSK, TX_LIVE };
enum verify_choice { VERIFY_AUTO, VERIFY_ALL, VERIFY_DOUBTS };
enum timestamps_choice { TIMESTAMPS_AUTO, TIMESTAMPS_SOFTWARE, TIMESTAMPS_HARDWARE };
enum switch_choice { SWITCH_AUTO, SWITCH_ON, SWITCH_OFF };
enum ip_choice { IP_4, IP_6, IP_MIXED };
enum vlan_outer { VLAN_OUTER_SERVICE, VLAN_OUTER_CUSTOMER };
enum flow_order { FLOWS_INCREMENTING, FLOWS_RANDOM };
enum engine { ENGINE_SLURM };
enum algorithm { ALGORITHM_MLR, ALGORITHM_PHASED, ALGORITHM_BINARY, ALGORITHM_TST009 };

#define VLAN_TYPE_CUSTOMER 0x8100 /* 802.1Q */
#define VLAN_TYPE_SERVICE  0x88a8 /* 802.1ad */

#define PORT_A     0
#define PORT_B     1
#define PORT_COUNT 2 /* ports of the lab, and of a run that names no others */

/* The waits of RFC 2544 section 23, by phase. */
struct waits {
	double routing_s;   /* a: after a routing update */
	double learning_s;  /* b: after learning frames */
	double residual_s;  /* d: for residual frames; the most: it ends early after these parts of it without a frame, */
	double stabilize_s; /* e: for the SUT to restabilise */
};
#define WAIT_QUIET_PART  5   /* part of phase d to wait in silence where frames are missing, but most have arrived */
#define WAIT_COPIES_PART 100 /* part of phase d to wait for copies where all frames have arrived */
#define RFC2544_WAITS    ((struct waits){ .routing_s = 2, .learning_s = 2, .residual_s = 2, .stabilize_s = 5 })

/* Return what every trial waits beyond its traffic, whatever becomes of its frames. */
static inline double waits_always_s(const struct waits *waits)
{
	return waits->routing_s + waits->learning_s + waits->stabilize_s;
}

#define HOST_SIZE       64
#define PORT_LABEL_SIZE (HOST_SIZE + IF_NAMESIZE) /* "host:name" */

/* The role of a port, if --ports says it. Otherwise --direction decides. */
enum port_role { ROLE_OPEN, ROLE_TRANSMIT, ROLE_RECEIVE };

/* The other end of a port's traffic: where it comes from and goes to. */
struct port_config {
	char name[IF_NAMESIZE];      /* empty: not given */
	char host[HOST_SIZE];        /* host of the port; empty: this host */
	char label[PORT_LABEL_SIZE]; /* name in results: after "host:" where a host was given */
	enum port_role role;
	struct in_addr address;      /* default 198.18.0.2, 198.19.0.2 */
	unsigned int prefix_length;  /* default 24 */
	struct in_addr gateway;      /* default 198.18.0.1, 198.19.0.1 */
	struct in6_addr address6;    /* default 2001:2:0:1::2, 2001:2:0:2::2 */
	unsigned int prefix6_length; /* default 64 */
	struct in6_addr gateway6;    /* default 2001:2:0:1::1, 2001:2:0:2::1 */
	bool destination_mac_given;  /* --dst-mac */
	struct ether_addr destination_mac;
};

/* What may be changed on a port for a run (port/prepare.c, docs/reference/safety.md). */
enum prepare_item {
	PREPARE_IPV6,       /* no automatic addresses */
	PREPARE_MERGE,      /* no offload that merges received frames: LRO, GRO in hardware, GRO of UDP */
	PREPARE_PAUSE,      /* no Ethernet flow control */
	PREPARE_IRQ,        /* interrupts away from the transmit threads' CPUs */
	PREPARE_VLAN,       /* VLAN tags stay in received frames */
	PREPARE_GRO,        /* no GRO at all */
	PREPARE_MTU,        /* MTU raised to the longest frame */
	PREPARE_QUEUES,     /* as many transmit queues as --queues says, if the port has fewer */
	PREPARE_CHANNELS,   /* this number of channels */
	PREPARE_RSS,        /* the receive hash spreads evenly over all queues */
	PREPARE_STEER,      /* rules that deal test frames out to the receive queues */
	PREPARE_COALESCE,   /* interrupts are put off by so many us */
	PREPARE_RINGS,      /* rings of this number of descriptors */
	PREPARE_EEE,        /* no energy-efficient Ethernet */
	PREPARE_LLDP,       /* no LLDP by the NIC's firmware */
	PREPARE_FLAGS,      /* no private flag of the driver that slows XDP down */
	PREPARE_AFFINITY,   /* each interrupt has a CPU of its own, away from those of transmit threads */
	PREPARE_ANY_CPU,    /* transmit threads take CPU 0, and two of one core, like any other CPU */
	PREPARE_WAKE,       /* the CPUs stay awake: no idle state that takes time to leave */
	PREPARE_TIMESTAMPS, /* the NIC stamps every received frame, where --timestamps has a use for it */
};
struct prepare {
	unsigned int automatic; /* bits of enum prepare_item: as far as the port has it, and a failure is a warning */
	unsigned int asked;     /* likewise, by name: a failure ends the run */
	unsigned int channels, coalesce_us, rings;
	bool try_items; /* selftest: find out which of the items for experts help */
};

/* Durations and repeats of rfc2544; 0: as --fast or the RFC says. */
struct rfc2544_options {
	double trial_duration_s;
	unsigned int latency_repeats;
	double latency_duration_s;
	double loss_step_ratio;
	unsigned int burst_tests;
	unsigned int recovery_repeats;
	double overload_duration_s;
	double reset_duration_s;
	double reconf_duration_s;
};

/* The tests, in the order in which they are performed. */
enum rfc2544_test {
	TEST_THROUGHPUT,
	TEST_LATENCY,
	TEST_FRAME_LOSS,
	TEST_BACK_TO_BACK,
	TEST_RECOVERY,
	TEST_RESET,
	TEST_RECONF, /* a test of CSIT; the RFC has none */
	TEST_COUNT
};

enum y1564_test { Y1564_CONFIGURATION, Y1564_PERFORMANCE };

#define PER_FLOW_MOST   1000
#define LATENCY_AT_MAX  16
#define SWEEP_PARTS_MAX 64
#define SWEEP_LOADS_MAX 1000

/* sweep: one load, or several that are evenly spaced, both ends included. */
struct sweep_part {
	struct load_spec from, to; /* range of loads; a single load is `from` */
	unsigned int count;
};

#define SERVICES_MAX      MLR_SERVICES_MAX
#define SERVICE_SIZE_TEXT 64

/* y1564: a service, and its service acceptance criteria. NAN: nothing is asked. */
struct service {
	char name[MLR_GOAL_NAME_SIZE];
	char frame_size[SERVICE_SIZE_TEXT]; /* empty: that of --frame-size */
	bool has_vlan;                      /* The service has its own tags; otherwise those of --vlan. */
	struct mlr_vlan vlan;
	double dscp; /* a whole number, 0 to 63 */
	struct load_spec cir, eir;
	double margin_ratio;
	double loss_ratio, delay_s, delay_max_s, variation_s, availability_ratio;
};

enum measurer_kind { MEASURER_XDP, MEASURER_EXEC, MEASURER_SIM, MEASURER_REPLAY, MEASURER_MPI };

#define REPEATS_MOST     1000
#define TX_QUEUES_MAX    64 /* transmit queues of a port */
#define REPORT_FILES_MAX 8  /* most options --report */

#define OBSERVED_MOST      8
#define OBSERVED_NAME_SIZE 32

/* A source of counters of the SUT (--observe). */
struct observed {
	char name[OBSERVED_NAME_SIZE];
	const char *source; /* "exec:COMMAND" and the like */
};

struct frame_file;
struct given_list;
struct requirement;
struct stored;

/* The trial numbers that a run has used before this part of it: `used` numbers after `base`, which is drawn at random. */
struct trial_numbers {
	bool given;    /* The numbers are given; otherwise a measurer draws its own base. */
	uint16_t base; /* base, as a number in tags */
	uint32_t used; /* count of numbers used after `base` */
};

struct config {
	enum verb verb;
	const char *files[FILES_MAX]; /* files of the command line, as many as the verb takes (verb_file()) */
	const char *const *all_files; /* all files, for a verb that takes any number; not owned */
	size_t file_count;
	const char *sign_path;       /* a private key that signs the result; NULL: none */
	const char *trust_path;      /* verify: public keys, of which one must have signed; NULL: any, or none */
	const char *vectors_command; /* verify: another implementation, which is asked; NULL: none */
	bool answers_vectors;        /* verify: the files are questions, which we answer */
	unsigned int port_count;     /* 2, or as many as --ports names */
	struct port_config ports[MLR_PORTS_MAX];
	const char *port_list; /* probe: names, "A,B,..."; NULL: all that may be meant */
	enum direction direction;
	struct trial_numbers earlier; /* trial numbers that earlier parts of the suite have used */
	struct mlr_size_mix sizes;
	double frame_size_octets;    /* mean size of a frame, with FCS */
	unsigned int suite_mtu;      /* MTU for the longest frames of a whole suite; else 0 */
	unsigned int padded_octets;  /* the smallest of a mix, where larger frames are sent in place of it; else 0 */
	const char *frame_size_text; /* text that was given: one size, or the list of a suite (options_suite.h) */
	enum ip_choice ip;
	unsigned int vlan_count;
	struct mlr_vlan vlans[MLR_VLANS_MAX]; /* the outer one first; its type follows vlan_outer where there are two */
	enum vlan_outer vlan_outer;
	uint8_t traffic_class;   /* IPv4's TOS, or IPv6's; 0: that of the template */
	unsigned int flow_count; /* 0: not given */
	struct mlr_range ranges[MLR_FIELD_COUNT];
	enum flow_order flow_order;
	unsigned int seed;
	uint32_t broadcast_every;      /* frames before a broadcast frame; 0: none */
	unsigned int queries_per_s;    /* SNMP queries to the SUT; 0: none */
	unsigned int expected_changes; /* changes of headers on the way, bits of enum mlr_change */
	enum mlr_payload payload;      /* zeros: or that of the template */
	const char *template_path;     /* NULL: plain frames */
	struct frame_file *template;   /* content of that file; NULL: plain frames. Owned */
	unsigned int learning_frames;  /* frames that a port sends before a trial */
	/* Most frames caught up back to back after a stop; 0: the load decides (mlr/envelope.h). */
	unsigned int burst_frames;
	unsigned int tester_repeats;   /* most repetitions of a trial that the tester spoilt */
	unsigned int show_count;       /* profile show: frames of each port */
	unsigned int queues;           /* transmit queues of each port, each with a thread; of a lab: of its links */
	bool fail_fast;                /* end a search once Min Load is an Upper Bound of a goal */
	bool no_seq;                   /* do not tell duplicates and reordering */
	bool no_latency;               /* do not measure latency */
	unsigned int per_flow;         /* flows to tell of by themselves, the worst ones; 0: none */
	bool ipdv;                     /* also from frame to frame */
	struct load_spec load;         /* trial; selftest: of the trial beside hostile frames */
	bool hostile;                  /* selftest: certify that counts are exact beside hostile frames */
	struct load_spec hostile_load; /* LOAD_UNSET or LOAD_MAX: as many as can be sent */
	unsigned int latency_at_count; /* search: parts of each Relevant Lower Bound to measure latency at */
	double latency_at[LATENCY_AT_MAX];
	struct sweep_part sweep_parts[SWEEP_PARTS_MAX]; /* sweep: its loads, in order */
	unsigned int sweep_part_count;
	double duration_s; /* Trial Duration of trial, sweep, selftest; for y1564 of the performance test */
	double interval_s; /* trials also by intervals of their schedule; 0: not */
	enum tx_choice tx;
	enum verify_choice verify;         /* received frames whose checksums are verified */
	enum timestamps_choice timestamps; /* timestamps of arrivals */
	enum switch_choice departure_delay, launch_time, connect;
	enum algorithm algorithm;
	double target_loss_ratio; /* soak */
	double stdev_ratio;       /* soak: end once the estimate is that sharp; 0: do not */
	double first_duration_s;  /* soak: of its first trial */
	double duration_step_s;   /* soak: how much longer each further one is */
	struct mlr_phased_parameters phased;
	unsigned int max_r; /* tst009: high-loss trials before a load has failed; 0: not given */
	enum measurer_kind measurer;
	const char *measurer_argument; /* the COMMAND of exec:, the MODEL of sim:; else NULL */
	double clock_budget_s;         /* mpi: how far clocks of hosts may be off, and latency still be told */
	const char *preset;
	struct mlr_goal goals[MLR_GOALS_MAX]; /* goals of the preset, or of --goal */
	size_t goal_count;
	struct load_spec min_load, max_load; /* max_load may be LOAD_UNSET */
	double max_time_s;                   /* 0: none */
	struct waits waits;
	enum effective_duration effective_duration;
	struct prepare prepare;
	const char *unsafe_reason; /* --allow-unsafe=REASON, NULL: refuse ports in use */
	enum format format;
	struct {
		const char *path;
		enum document_form form;
	} reports[REPORT_FILES_MAX];
	size_t report_count;
	const char *logo_path; /* logo of certificates; NULL: none */
	struct observed observed[OBSERVED_MOST];
	unsigned int observed_count;
	double idle_duration_s;     /* observed without load before the first trial; 0: not */
	const char *lost_path;      /* trial: --capture-lost; NULL: none */
	const char *foreign_path;   /* trial: --capture-foreign; NULL: none */
	unsigned int capture_count; /* most frames in either capture */
	const char *metrics_path;   /* NULL: none */
	bool quiet;
	bool dump_config;      /* print the configuration, and that is all */
	bool dry_run;          /* print the plan, and that is all */
	bool explain;          /* search: say of each trial why it was chosen */
	struct stored *stored; /* the search to resume or replay; NULL: none. Owned */
	unsigned int tests;    /* rfc2544: a bit an enum rfc2544_test; y1564: an enum y1564_test */
	bool fast;             /* rfc2544: shorter and fewer than the RFC says */
	struct rfc2544_options rfc2544;
	unsigned int service_count; /* y1564 */
	struct service services[SERVICES_MAX];
	const struct mlr_service_frames *at_once; /* y1564: services that are sent together, instead of frames as above */
	unsigned int at_once_count;               /* 0: they are not */
	unsigned int cir_step_count;
	double cir_steps[MLR_Y1564_CIR_STEPS_MAX]; /* parts of CIR */
	double step_duration_s;
	const char *reset_command;        /* rfc2544: NULL: the operator resets the SUT */
	const char *reconf_command;       /* rfc2544: NULL: nothing is reconfigured */
	const char *sut;                  /* lab up --sut KIND[:k=v,...] */
	const char *lab_name;             /* lab --name, so that several can be up at once */
	struct requirement *requirements; /* --require. Owned */
	size_t requirement_count;
	unsigned int repeats;      /* searches to make, at least 1 */
	double tolerance_ratio;    /* compare: a smaller change is none */
	double spread_ratio;       /* compare: the standard deviation between searches of an unchanged SUT; 0: not known */
	double significance_ratio; /* compare: p-value below which a change is believed */
	enum engine engine;        /* campaign submit */
	bool retry_failed;         /* campaign: also the points that have failed */
	/* Every value as it was given; what the strings above point into. Owned. */
	struct given_list *given;
};

/* Whether trials are of frames over ports: those of this machine, or of several. */
static inline bool config_uses_ports(const struct config *config)
{
	return config->measurer == MEASURER_XDP || config->measurer == MEASURER_MPI;
}
/* Whether frames of this IP version are sent, 4 or 6. */
static inline bool config_uses_ip(const struct config *config, unsigned int ip_version)
{
	return config->ip == IP_MIXED || (config->ip == IP_6) == (ip_version == 6);
}
/* Whether --ports says what each port is for. */
static inline bool config_has_roles(const struct config *config)
{
	return config->ports[PORT_A].role != ROLE_OPEN;
}
