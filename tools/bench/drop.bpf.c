// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/* The cheapest receiver there is: what other transmitters, and ours beside them, are measured against. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "Dual BSD/GPL";

SEC("xdp")
int drop(struct xdp_md *context)
{
	(void)context;
	return XDP_DROP;
}
