/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process that hears clients gets from the appliance, and what it cannot do with it once it is taken over. */
#include "../test.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "appliance/http.c"

int http_server_start(const struct http_settings *settings, int listening_fd, const char *empty, pid_t *ret_pid,
		      int *ret_channel)
{
	(void)settings, (void)listening_fd, (void)empty, (void)ret_pid, (void)ret_channel;
	return -ENOSYS;
}

void page_index(FILE *stream, const struct appliance *appliance)
{
	(void)appliance;
	fputs("the index", stream);
}

void page_view(FILE *stream, const struct appliance *appliance)
{
	page_index(stream, appliance);
}

void page_log(FILE *stream, const struct appliance *appliance)
{
	page_index(stream, appliance);
}

void page_metrics(FILE *stream, const struct appliance *appliance)
{
	page_index(stream, appliance);
}

static void a_page_can_be_read_and_not_changed(void **state)
{
	static const enum http_subject subjects[] = { HTTP_INDEX, HTTP_VIEW, HTTP_LOG, HTTP_METRICS };
	static struct appliance appliance;

	(void)state;
	for (size_t i = 0; i < COUNT(subjects); i++) {
		const struct http_question question = { .subject = subjects[i] };
		int fd = open_answer(&appliance, &question);
		char text[32] = "";

		assert_true(fd >= 0);
		assert_int_equal(write(fd, "x", 1), -1);
		assert_int_equal(pwrite(fd, "x", 1, 0), -1);
		assert_int_equal(ftruncate(fd, 1 << 30), -1);
		assert_int_equal(ftruncate(fd, 0), -1);
		assert_int_equal(fallocate(fd, 0, 0, 1 << 30), -1);
		assert_ptr_equal(mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
		assert_int_equal(pread(fd, text, sizeof(text), 0), 9);
		assert_string_equal(text, "the index");
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_can_be_read_and_not_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
