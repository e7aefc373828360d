/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka, behind what it wants to be included before it. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
