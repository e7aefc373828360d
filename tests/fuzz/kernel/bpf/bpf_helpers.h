/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of libbpf's: what an XDP program asks of the kernel, done by fuzz_receiver.c, so that it can be compiled for user space. */
#ifndef TESTS_FUZZ_KERNEL_BPF_HELPERS_H
#define TESTS_FUZZ_KERNEL_BPF_HELPERS_H

#include <linux/bpf.h>
#include <linux/types.h>

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline      __attribute__((noinline))
#define __weak          __attribute__((weak))
#define __ksym
#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) value *name
#define barrier_var(var)    __asm__ volatile("" : "+r"(var))

#define bpf_map_lookup_elem map_lookup_here /* libbpf has one for user space */
void *bpf_map_lookup_elem(void *map, const void *key);
__u64 bpf_ktime_get_ns(void);
__u32 bpf_get_smp_processor_id(void);
__u64 bpf_xdp_get_buff_len(struct xdp_md *context);
long bpf_xdp_load_bytes(struct xdp_md *context, __u32 offset, void *to, __u32 octets);
__s64 bpf_csum_diff(__be32 *from, __u32 from_octets, __be32 *to, __u32 to_octets, __wsum seed);
long bpf_loop(__u32 times, void *step, void *argument, __u64 flags);

#endif
