/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process that hears clients gets from the appliance, and what it cannot do with it once it is taken over. */
#include "../test.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "appliance/http.c"

int http_server_start(const struct http_settings *settings, int listening_fd, const char *empty, struct http_server *ret)
{
	(void)settings, (void)listening_fd, (void)empty, (void)ret;
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

static void what_a_server_writes_is_bounded_and_forges_no_line(void **state)
{
	static struct http http;
	static struct appliance appliance;
	char text[4096];
	int pipe_fds[2];

	(void)state;
	appliance.http = &http;
	assert_int_equal(pipe2(pipe_fds, O_NONBLOCK), 0);
	http.server.errors = pipe_fds[0];
	memset(text, 'x', sizeof(text));
	memcpy(text, "one\n2026-01-01 result 1: forged", 31);
	assert_int_equal(write(pipe_fds[1], text, sizeof(text)), sizeof(text));
	hear_errors(&appliance);
	assert_int_equal(appliance.record.count, ERRORS_NS / ERROR_NS);
	assert_non_null(strstr(appliance.record.lines[0].text, "the HTTP server says: one\\x0a2026"));
	assert_null(strchr(appliance.record.lines[0].text, '\n'));
	hear_errors(&appliance);
	assert_int_equal(read(pipe_fds[0], text, 1), -1); /* all was taken, so a pipe never fills */
	record_free(&appliance.record);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_can_be_read_and_not_changed),
		cmocka_unit_test(what_a_server_writes_is_bounded_and_forges_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
