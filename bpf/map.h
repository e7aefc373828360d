/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * These macros define the maps of a program, by which it speaks with user space. Their keys are numbers from 0. User space owns
 * the maps, and may set the number of entries of each before loading.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#define MAP(name, kind, flags, count, type_of_value)                                                                        \
	struct {                                                                                                            \
		__uint(type, kind);                                                                                         \
		__uint(map_flags, flags);                                                                                   \
		__uint(max_entries, count);                                                                                 \
		__type(key, __u32);                                                                                         \
		__type(value, type_of_value);                                                                               \
	} name SEC(".maps")
#define ARRAY(name, count, type)        MAP(name, BPF_MAP_TYPE_ARRAY, 0, count, type)
#define MAPPED_ARRAY(name, count, type) MAP(name, BPF_MAP_TYPE_ARRAY, BPF_F_MMAPABLE, count, type)
