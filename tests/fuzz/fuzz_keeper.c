/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper's requests, by a process that was taken over: nothing is opened but what was named. */
#include "base/destination.h"
#include "base/keeper.c"
#include "fuzz.h"

static const char *const paths[] = { "/nowhere/a.json", "/nowhere/folder" };
/* Said in another way than the keeper does. */
static bool may_be_opened(const char *path)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < 2; i++)
		if (strcmp(path, paths[i]) == 0)
			return true;
	if (!slash || !slash[1] || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
		return false;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
	return strcmp(parent, paths[0]) == 0 || strcmp(parent, paths[1]) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct keeper_plan plan = { .answer = destination_answer, .paths = paths, .path_count = 2 };
	struct keeper_request request = { 0 };
	int fd = -1, error;

	memcpy(&request, data, size < sizeof(request) ? size : sizeof(request));
	request.what %= KEEPER_READ + 2;
	error = serve_one(&plan, &request, &fd);
	if (fd >= 0)
		abort(); /* there is none of these files */
	if (request.what == KEEPER_READ &&
	    (error == -EPERM) != !(memchr(request.path, '\0', sizeof(request.path)) && may_be_opened(request.path)))
		abort();
	return 0;
}
