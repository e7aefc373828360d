/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lab/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "lab/counts.h"
#include "lab/sut.h"
#include "netdev/namespace.h"
#include "netdev/netlink.h"
#include "port/journal.h"

#define NAMESPACE_DIRECTORY "/run/netns"
#define PATH_SIZE           96
#define FORWARDER_END_MS    1000 /* a killed process has no reason to take longer */

static enum exit_code failed(const char *what, const char *which, int error)
{
	return refuse(EXIT_INCAPABLE, "lab: cannot %s %s: %s", what, which, why(-error));
}

/* --- the state file ------------------------------------------------------------------------------------------------- */

#define STATE_PATH(name) TEXT_OF(PATH_SIZE, STATE_DIRECTORY "/lab-%s.json", name)

static enum exit_code store(const struct lab *lab)
{
	const char *path = STATE_PATH(lab->name);
	json_auto_t *document =
		json_pack("{s:s, s:[s,s], s:s, s:s, s:b, s:i, s:i}", "name", lab->name, "ports", lab->ports[PORT_A],
			  lab->ports[PORT_B], "namespace", lab->namespace, "sut", lab->sut, "complete", (int)lab->complete,
			  "pid", (int)getpid(), "forwarder", (int)lab->forwarder);
	size_t length = 0;
	owned char *text = json_text(document, false, &length);
	int error = text ? file_replace(path, text, length, 0644, false) : -ENOMEM; /* whatever the umask is */

	return error ? refuse(EXIT_INCAPABLE, "lab: cannot write %s: %s", path, why(-error)) : EXIT_DONE;
}

bool lab_find(const char *name, struct lab *ret)
{
	const char *a, *b, *namespace, *sut;
	const char *path = STATE_PATH(name);
	json_auto_t *document = NULL;
	int complete;

	if (access(path, F_OK))
		return false;
	document = json_load_file(path, 0, NULL);
	*ret = (struct lab){ 0 };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	ret->maker = (pid_t)read_integer(document, "pid");
	if (!json_unpack(document, "{s:[s,s], s:s, s:s, s:b}", "ports", &a, &b, "namespace", &namespace, "sut", &sut,
			 "complete", &complete)) {
		snprintf(ret->ports[PORT_A], IF_NAMESIZE, "%s", a);
		snprintf(ret->ports[PORT_B], IF_NAMESIZE, "%s", b);
		snprintf(ret->namespace, sizeof(ret->namespace), "%s", namespace);
		snprintf(ret->sut, sizeof(ret->sut), "%s", sut);
		ret->complete = complete;
		ret->forwarder = (pid_t)read_integer(document, "forwarder");
	} /* otherwise it was cut short while it was written; `lab down` goes by the name */
	return true;
}

/* --- the namespace -------------------------------------------------------------------------------------------------- */

#define NAMESPACE_PATH(lab) TEXT_OF(PATH_SIZE, NAMESPACE_DIRECTORY "/%s", (lab)->namespace)

/* Create the namespace and give it its name as iproute2 does, so that `ip netns exec` finds it. */
static int namespace_add(const struct lab *lab, int own_namespace_fd)
{
	const char *path = NAMESPACE_PATH(lab);
	int fd, error = 0;

	if (mkdir(NAMESPACE_DIRECTORY, 0755) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	close(fd);
	if (unshare(CLONE_NEWNET))
		return -errno;
	if (mount("/proc/self/ns/net", path, "none", MS_BIND, NULL))
		error = -errno;
	namespace_return(own_namespace_fd);
	return error;
}

static void namespace_delete(const struct lab *lab)
{
	const char *path = NAMESPACE_PATH(lab);

	umount2(path, MNT_DETACH);
	unlink(path);
}

/* --- up ------------------------------------------------------------------------------------------------------------- */

/* Let links made from now on in the namespace get no address by themselves. */
static enum exit_code silence_namespace(void)
{
	return sysctl_write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1")
		       ?: sysctl_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

static enum exit_code raise_port(struct mnl_socket *netlink, const char *port)
{
	struct link_info link;
	enum exit_code code;
	int error;

	code = sysctl_write(TEXT_OF(PATH_SIZE, "/proc/sys/net/ipv6/conf/%s/disable_ipv6", port), "1");
	if (code)
		return code;
	error = netlink_link(netlink, port, &link) ?: netlink_set_up(netlink, link.ifindex);
	return error ? failed("bring up", port, error) : EXIT_DONE;
}

static enum exit_code raise_ports(struct mnl_socket *netlink, const struct lab *lab)
{
	enum exit_code code = EXIT_DONE;

	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = raise_port(netlink, lab->ports[i]);
	return code;
}

static enum exit_code link_wire(struct mnl_socket *netlink, const struct lab *lab, uint32_t queues)
{
	int error = netlink_add_veth(netlink, lab->ports[PORT_A], lab->ports[PORT_B], -1, queues);

	return error ? failed("add the veth pair of", lab->name, error) : raise_ports(netlink, lab);
}

static enum exit_code link_sut(struct mnl_socket *netlink, struct lab *lab, const struct sut_spec *sut, int own_namespace_fd,
			       int lab_namespace_fd)
{
	static const char *const inside[PORT_COUNT] = { SUT_PORT_A, SUT_PORT_B };
	enum exit_code code;

	if (setns(lab_namespace_fd, CLONE_NEWNET))
		return failed("enter the namespace", lab->namespace, -errno);
	code = silence_namespace();
	namespace_return(own_namespace_fd);
	for (int i = 0; i < PORT_COUNT && !code; i++) {
		int error = netlink_add_veth(netlink, lab->ports[i], inside[i], lab_namespace_fd, sut->queues);

		if (error)
			code = failed("add the veth pair of port", lab->ports[i], error);
	}
	if (!code)
		code = raise_ports(netlink, lab);
	if (code)
		return code;
	if (setns(lab_namespace_fd, CLONE_NEWNET))
		return failed("enter the namespace", lab->namespace, -errno);
	code = sut_build(sut, &lab->forwarder);
	namespace_return(own_namespace_fd);
	return code;
}

static enum exit_code build_in_namespace(struct mnl_socket *netlink, struct lab *lab, const struct sut_spec *sut)
{
	int own_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), lab_fd = -1, error = own_fd < 0 ? -errno : 0;
	enum exit_code code;

	if (!error)
		error = namespace_add(lab, own_fd);
	if (!error && (lab_fd = open(NAMESPACE_PATH(lab), O_RDONLY | O_CLOEXEC)) < 0)
		error = -errno;
	code = error ? failed("create the namespace", lab->namespace, error) : link_sut(netlink, lab, sut, own_fd, lab_fd);
	if (lab_fd >= 0)
		close(lab_fd);
	if (own_fd >= 0)
		close(own_fd);
	return code;
}

static enum exit_code build(struct lab *lab, const struct sut_spec *sut)
{
	struct mnl_socket *netlink;
	int error = netlink_open(&netlink);
	enum exit_code code;

	if (error)
		return failed("open a netlink socket for", lab->name, error);
	code = sut->kind == SUT_WIRE ? link_wire(netlink, lab, sut->queues) : build_in_namespace(netlink, lab, sut);
	netlink_close(netlink);
	return code;
}

/* Return how it is called, with a namespace. */
static struct lab names_of(const char *name)
{
	struct lab lab = { 0 };

	snprintf(lab.name, sizeof(lab.name), "%s", name);
	snprintf(lab.ports[PORT_A], IF_NAMESIZE, "%s-a", lab.name);
	snprintf(lab.ports[PORT_B], IF_NAMESIZE, "%s-b", lab.name);
	snprintf(lab.namespace, sizeof(lab.namespace), "xdp-mlr-%s", lab.name);
	return lab;
}

/* Something with one of our names that is not ours must not be touched, least of all when a failed start is undone. */
static enum exit_code check_names_free(const struct lab *lab)
{
	for (int i = 0; i < PORT_COUNT; i++)
		if (if_nametoindex(lab->ports[i]))
			return refuse(EXIT_USAGE_ERROR,
				      "lab: there is a link '%s' already, and it is not the lab's; choose another --name",
				      lab->ports[i]);
	if (*lab->namespace && !access(NAMESPACE_PATH(lab), F_OK))
		return refuse(EXIT_USAGE_ERROR,
			      "lab: there is a namespace '%s' already, and it is not the lab's; choose another --name",
			      lab->namespace);
	return EXIT_DONE;
}

enum exit_code lab_up(const char *name, const struct sut_spec *sut, struct lab *ret)
{
	struct lab lab = names_of(name), other;
	enum exit_code code = state_directory_make();
	bool exists = !code && lab_find(name, &other);

	if (code)
		return code;
	if (sut->kind == SUT_WIRE)
		*lab.namespace = '\0';
	snprintf(lab.sut, sizeof(lab.sut), "%s", sut->text);
	if (exists && other.complete)
		return refuse(EXIT_USAGE_ERROR, "lab: '%s' is up already (%s); 'xdp-mlr lab down --name %s' removes it",
			      name, other.sut, name);
	if ((exists && (code = lab_down(name))) || (code = check_names_free(&lab)) || (code = store(&lab)))
		return code;
	code = build(&lab, sut);
	if (!code) {
		lab.complete = true;
		code = store(&lab);
	}
	if (code)
		lab_down(name);
	else
		*ret = lab;
	return code;
}

/* --- the SUT's own process ------------------------------------------------------------------------------------------ */

/*
 * Open the lab's forwarder, -1 if it is gone. Its number may be another process's by now: ours is the one in the lab's
 * network namespace. Opened before that is checked, the file descriptor cannot change its process afterwards.
 */
static int open_forwarder(const struct lab *lab)
{
	int fd = lab->forwarder > 0 ? pidfd_open(lab->forwarder, 0) : -1;
	struct stat own, its;

	if (fd < 0)
		return -1;
	if (!stat(NAMESPACE_PATH(lab), &own) && !stat(TEXT_OF(PATH_SIZE, "/proc/%d/ns/net", (int)lab->forwarder), &its) &&
	    own.st_ino == its.st_ino && own.st_dev == its.st_dev)
		return fd;
	close(fd);
	return -1;
}

bool lab_has_lost(const struct lab *lab, char ret_what[LAB_LOST_SIZE])
{
	int fd = open_forwarder(lab);

	if (fd >= 0)
		close(fd);
	if (*lab->namespace && access(NAMESPACE_PATH(lab), F_OK)) {
		snprintf(ret_what, LAB_LOST_SIZE, "its namespace %s", lab->namespace);
		return true;
	}
	for (int i = 0; i < PORT_COUNT; i++) {
		if (if_nametoindex(lab->ports[i]))
			continue;
		snprintf(ret_what, LAB_LOST_SIZE, "its port %s", lab->ports[i]);
		return true;
	}
	snprintf(ret_what, LAB_LOST_SIZE, "process %d of its SUT", (int)lab->forwarder);
	return lab->forwarder && fd < 0;
}

/* End it, and wait until it is gone; without its number, it ends by itself when the links go. */
static void end_forwarder(const struct lab *lab)
{
	struct pollfd process = { .fd = open_forwarder(lab), .events = POLLIN };

	if (process.fd < 0)
		return;
	pidfd_send_signal(process.fd, SIGKILL, NULL, 0);
	poll(&process, 1, FORWARDER_END_MS);
	close(process.fd);
}

/* --- down ----------------------------------------------------------------------------------------------------------- */

static enum exit_code delete_port(struct mnl_socket *netlink, const char *port)
{
	int error = *port ? netlink_delete(netlink, port) : 0;

	return error && error != -ENODEV ? failed("delete port", port, error) : EXIT_DONE;
}

enum exit_code lab_down(const char *name)
{
	struct mnl_socket *netlink;
	struct lab found, lab = names_of(name); /* The name alone is used: the file may have been cut short. */
	enum exit_code code = state_directory_check();
	int error;

	if (code || !lab_find(name, &found))
		return code;
	lab.forwarder = found.forwarder;
	error = netlink_open(&netlink);
	if (error)
		return failed("open a netlink socket for", name, error);
	end_forwarder(&lab);
	for (int i = 0; i < PORT_COUNT && !code; i++)
		code = delete_port(netlink, lab.ports[i]);
	netlink_close(netlink);
	if (code)
		return code;
	namespace_delete(&lab);
	unlink(STATE_PATH(name));
	return EXIT_DONE;
}

json_t *lab_counts(const struct lab *lab)
{
	return policer_counts_json(NAMESPACE_PATH(lab), lab);
}

static bool maker_lives(const struct lab *lab)
{
	return lab->maker > 0 && !access(TEXT_OF(PATH_SIZE, "/proc/%d", (int)lab->maker), F_OK);
}

enum exit_code lab_each(enum exit_code (*visit)(const char *name, void *context), void *context)
{
	enum exit_code code = EXIT_DONE;
	glob_t found = { 0 };

	glob(STATE_DIRECTORY "/lab-*.json", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && !code; i++) {
		const char *base = found.gl_pathv[i] + strlen(STATE_DIRECTORY "/lab-");

		code = visit(TEXT_OF(LAB_NAME_SIZE, "%.*s", (int)strcspn(base, "."), base), context);
	}
	globfree(&found);
	return code;
}

static enum exit_code clean_one(const char *name, void *removed)
{
	struct lab lab;

	if (!lab_find(name, &lab) || lab.complete || maker_lives(&lab))
		return EXIT_DONE;
	++*(unsigned int *)removed;
	return lab_down(name);
}

enum exit_code lab_clean(unsigned int *ret_removed)
{
	*ret_removed = 0;
	return lab_each(clean_one, ret_removed);
}
