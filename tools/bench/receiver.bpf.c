// SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause
/* The receiver as it is, run on one frame again and again by bench_receiver.c: before each run the frame gets the next
 * sequence number, which the receiver would otherwise call a duplicate. And a program that only drops, to compare with. */
#include "bpf/rx.bpf.c"

#define LENGTH_OFFSET    38 /* Ethernet, IPv4; ports */
#define TAG_OFFSET       42 /* Ethernet, IPv4, UDP */
#define SEQUENCE_OFFSET  50 /* magic, trial, flow */
#define SIGNATURE_OFFSET 60 /* and the rest of the tag */

const volatile __u64 payload_digest = 0; /* of what is behind the signature */

static __always_inline __u32 words_of(__u32 value)
{
	return (value >> 16) + (value & 0xffff);
}

/* The signature of a frame that has a new number, in it and in the checksum. */
static __always_inline int sign_frame(struct xdp_md *context)
{
	__u8 *data = (void *)(long)context->data;
	__u32 *signature = (void *)(data + SIGNATURE_OFFSET), now, sum;
	__u16 *checksum = (void *)(data + LENGTH_OFFSET + 2);

	if ((void *)(signature + 1) > (void *)(long)context->data_end)
		return -1;
	now = mlr_signature_of(mix_tag((__u16 *)(data + TAG_OFFSET - sizeof(struct udphdr))) + payload_digest,
			       signature_key.mixing);
	sum = words_of(~bpf_ntohl(*signature)) + words_of(now) + (__u16)~bpf_ntohs(*checksum);
	sum = words_of(words_of(sum));
	*signature = bpf_htonl(now);
	*checksum = sum == 0xffff ? 0xffff : bpf_htons((__u16)~sum);
	return 0;
}

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
	return signature_key.mixing ? sign_frame(context) : 0;
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
