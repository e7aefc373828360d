/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "observe/source.h"

#include <stdarg.h>
#include <stdio.h>

const char *source_refuse(struct source *source, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(source->trouble, sizeof(source->trouble), format, values);
	va_end(values);
	return source->trouble;
}
