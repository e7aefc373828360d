// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/* The receiver as it is, run on one frame again and again by bench_receiver.c: before each run the frame gets the next
 * sequence number, which the receiver would otherwise call a duplicate. And a program that only drops, to compare with. */
#include "bpf/rx.bpf.c"

#define LENGTH_OFFSET   38 /* Ethernet, IPv4; ports */
#define SEQUENCE_OFFSET 50 /* Ethernet, IPv4, UDP; magic, trial, flow */

/* The next number, and the checksum that goes with it: one less (a word that overflows takes 0xffff away, which is none). It
 * is written as one word with the length before it, as the receiver reads it: a CPU that reads what it wrote in parts waits,
 * as it does not for a frame that a NIC wrote. */
static __always_inline int number_frame(struct xdp_md *context)
{
	__u8 *data = (void *)(long)context->data;
	__u32 *sequence = (void *)(data + SEQUENCE_OFFSET);
	__u32 *length = (void *)(data + LENGTH_OFFSET), sum;

	if ((void *)(sequence + 1) > (void *)(long)context->data_end)
		return -1;
	sum = bpf_ntohl(*length);
	*sequence = bpf_htonl(bpf_ntohl(*sequence) + 1);
	*length = bpf_htonl((sum & 0xffff) > 1 ? sum - 1 : sum | 0xffff);
	return 0;
}

SEC("xdp")
int drop_only(struct xdp_md *context)
{
	(void)context;
	return XDP_DROP;
}

SEC("xdp")
int number_and_drop(struct xdp_md *context)
{
	return number_frame(context) ? XDP_ABORTED : XDP_DROP;
}

SEC("xdp")
int count_only(struct xdp_md *context)
{
	struct rx_cpu *cpu = this_cpu();

	if (!cpu || number_frame(context))
		return XDP_ABORTED;
	cpu->counters.received++;
	return XDP_DROP;
}

SEC("xdp")
int number_and_receive(struct xdp_md *context)
{
	__u64 now_ns = with_latency ? bpf_ktime_get_ns() : 0;
	struct rx_cpu *cpu = this_cpu();

	if (!cpu || number_frame(context))
		return XDP_ABORTED;
	return receive(context, cpu, now_ns, 0);
}
