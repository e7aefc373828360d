/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/message.h"

#include <stdbool.h>
#include <sys/ioctl.h>

#define COLUMNS_DEFAULT 80
#define ROWS_DEFAULT    24

void terminal_size(int fd, unsigned int *ret_columns, unsigned int *ret_rows)
{
	struct winsize size;
	bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;

	*ret_columns = known ? size.ws_col : COLUMNS_DEFAULT;
	*ret_rows = known ? size.ws_row : ROWS_DEFAULT;
}

unsigned int terminal_rows(const char *text, unsigned int columns)
{
	unsigned int rows = 1, column = 0;

	for (const char *c = text; *c; c++) {
		if (*c == '\033') {
			while (*c && *c != 'm')
				c++;
			if (!*c)
				break;
		} else if (*c == '\n') {
			rows++;
			column = 0;
		} else if (((unsigned char)*c & 0xc0) != 0x80 && columns && column++ == columns) {
			rows++;
			column = 1;
		}
	}
	return rows;
}
