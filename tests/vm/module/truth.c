// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A NIC of known truth: a pair of Ethernet devices, truth0 and truth1, joined to each other, that stamp what they send
 * and receive by clocks of which offset and drift are known, and hold frames for a time that is known. A test fixture for
 * what no emulated NIC has.
 *
 * Each has queues with AF_XDP's zero-copy, XDP's receive timestamps, AF_XDP's transmit timestamps and launch times (on
 * queues with an 'etf' qdisc that is offloaded), a PTP clock, rules that steer UDP to queues (ethtool -N), and VLAN tags that are
 * stripped (ethtool -K rxvlan).
 *
 * A frame that a queue takes at time t departs at t + tx_delay_ns, or at its launch time if that is later, and its first bit
 * arrives wire_ns later; its last one when the rate has let it. Both are stamped as they are, to the ns; what is done at these
 * times is done when a timer and NAPI get to it. One frame after the other: a queue's wire is first in, first out.
 *
 * Parameters make it worse: clocks that wander and are read late, counters that lag, launch times with jitter, and stamps that
 * are late, stale, lost or cut to 32 bits.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/filter.h>
#include <linux/hrtimer.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>
#include <linux/net_tstamp.h>
#include <linux/platform_device.h>
#include <linux/ptp_clock_kernel.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <net/pkt_sched.h>
#include <net/xdp_sock_drv.h>

#define DEVICES    2
#define QUEUES     4
#define RULES      64
#define ENTRIES    8 /* of the receive hash's table */
#define ADDRESSES  (RXH_IP_SRC | RXH_IP_DST)
#define PORTS      (RXH_L4_B_0_1 | RXH_L4_B_2_3)
#define IN_FLIGHT  2048 /* frames on the wire of a queue */
#define XDP_MTU    3000 /* a frame fits a page with all that XDP wants around it */
#define SEND_BURST 64

/* --- what is known ---------------------------------------------------------------------------------------------------- */

static long offset_ns[DEVICES] = { 1000000000000l, -500000000l };
module_param_array(offset_ns, long, NULL, 0444);
MODULE_PARM_DESC(offset_ns, "of each clock to CLOCK_MONOTONIC when it is made");
static int drift_ppb[DEVICES] = { 50000, -20000 };
module_param_array(drift_ppb, int, NULL, 0444);
MODULE_PARM_DESC(drift_ppb, "of each clock");
static unsigned int tx_delay_ns = 20000;
module_param(tx_delay_ns, uint, 0644);
MODULE_PARM_DESC(tx_delay_ns, "from when a queue takes a frame until it departs");
static unsigned int wire_ns = 100000;
module_param(wire_ns, uint, 0644);
MODULE_PARM_DESC(wire_ns, "from departure to arrival");
static int launch_error_ns;
module_param(launch_error_ns, int, 0644);
MODULE_PARM_DESC(launch_error_ns, "that frames depart after their launch times");
static unsigned int launch_jitter_ns;
module_param(launch_jitter_ns, uint, 0644);
MODULE_PARM_DESC(launch_jitter_ns, "that each frame departs after that, at most");
static unsigned int rate_mbps;
module_param(rate_mbps, uint, 0644);
MODULE_PARM_DESC(rate_mbps, "of the wire, which takes as long for a frame; 0: no time");
static bool stamp_last_bit;
module_param(stamp_last_bit, bool, 0644);
MODULE_PARM_DESC(stamp_last_bit, "an arrival is that of the frame's last bit, not of its first");
static unsigned int wander_ns;
module_param(wander_ns, uint, 0644);
MODULE_PARM_DESC(wander_ns, "that both clocks go ahead, and back, beside their drift, in");
static unsigned int wander_period_us = 1000000;
module_param(wander_period_us, uint, 0644);
MODULE_PARM_DESC(wander_period_us, "so long");
static unsigned int read_before_ns, read_after_ns;
module_param(read_before_ns, uint, 0644);
MODULE_PARM_DESC(read_before_ns, "that reading a clock takes before it is read,");
module_param(read_after_ns, uint, 0644);
MODULE_PARM_DESC(read_after_ns, "and after that");
static unsigned int counters_lag_ms;
module_param(counters_lag_ms, uint, 0644);
MODULE_PARM_DESC(counters_lag_ms, "that the interface's counters are old, at most");
enum fault { FAULT_NONE, FAULT_LATE, FAULT_STALE, FAULT_SHORT };
static unsigned int rx_fault, tx_fault;
module_param(rx_fault, uint, 0644);
MODULE_PARM_DESC(rx_fault, "arrivals are stamped 1: late, 2: as the frame before, 3: with 32 bits; 0: right");
module_param(tx_fault, uint, 0644);
MODULE_PARM_DESC(tx_fault, "the same of departures");
static unsigned int fault_every = 1;
module_param(fault_every, uint, 0644);
MODULE_PARM_DESC(fault_every, "one frame in so many is stamped so");
static unsigned int fault_ns;
module_param(fault_ns, uint, 0644);
MODULE_PARM_DESC(fault_ns, "how late");
static unsigned int stamp_every = 1;
module_param(stamp_every, uint, 0644);
MODULE_PARM_DESC(stamp_every, "one received frame in so many is stamped; 0: none");
static bool by_hash = true;
module_param(by_hash, bool, 0644);
MODULE_PARM_DESC(by_hash, "what no rule is for goes to the queue that it was sent by; else to queue 0");

static unsigned int crc_every;
module_param(crc_every, uint, 0644);
MODULE_PARM_DESC(crc_every, "one received frame in so many has a wrong CRC; 0: none");
static unsigned int hidden_every;
module_param(hidden_every, uint, 0644);
MODULE_PARM_DESC(hidden_every, "one received frame in so many is lost, and only ethtool -S tells it; 0: none");
static bool full_duplex = true;
module_param(full_duplex, bool, 0644);
MODULE_PARM_DESC(full_duplex, "what the link says of itself");

struct truth_clock {
	struct ptp_clock_info info;
	struct ptp_clock *ptp;
	spinlock_t lock;
	u64 base_ns; /* CLOCK_MONOTONIC, when it showed shown_ns */
	s64 shown_ns;
	s64 own_ppb, set_ppb;
};

struct truth;
struct queue;

/* A frame on the wire. */
struct frame {
	struct list_head list;
	u64 sent_ns, arrives_ns; /* the first bit leaves, the last one is there */
	u64 wire_ns;             /* from the first to the last */
	struct xsk_tx_metadata_compl stamp;
	bool zero_copy;
	struct queue *queue; /* that it was sent by */
	u32 octets;
	u16 tag; /* the VLAN tag that the receiving NIC stripped; 0: none */
	u8 data[];
};

/* Stamps of a queue in one direction. */
struct stamping {
	u64 count, last;
};

struct queue {
	struct truth *truth;
	unsigned int number;
	struct napi_struct napi;
	struct hrtimer timer;
	struct xsk_buff_pool *pool;
	struct xdp_rxq_info rxq;
	bool launches, asked;
	u64 launch_ns; /* what the frame that is taken now asks for */
	spinlock_t lock;
	struct list_head wire, arrived;
	unsigned int in_flight;
	u64 sent, sent_octets, received, received_octets, missed, launched, stamped, count;
	u64 came, crc_errors, hidden;
	struct stamping arrivals, departures;
};

struct truth {
	struct net_device *device;
	struct truth *peer;
	struct bpf_prog __rcu *program;
	struct truth_clock clock;
	struct kernel_hwtstamp_config stamps;
	struct ethtool_pauseparam pause;
	struct queue queues[QUEUES];
	struct ethtool_rx_flow_spec rules[RULES];
	bool has_rule[RULES];
	u64 hashed[2]; /* fields of UDP over IPv4 and IPv6 by which the receive hash tells flows apart */
	u32 table[ENTRIES];
	struct rtnl_link_stats64 told; /* of the interface's counters, */
	u64 told_ns;                   /* at that time */
};

/* A frame that is received, as metadata see it: the buffer and its stamp, which lies where AF_XDP's buffers have room. */
struct received {
	struct xdp_buff xdp;
	u64 stamp_ns; /* by the NIC's clock; 0: not stamped */
};

static struct platform_device *platform;
static struct truth *truths[DEVICES];

/* --- the clock -------------------------------------------------------------------------------------------------------- */

/* From 0 to wander_ns, and back, in a period. */
static s64 wander_of(u64 monotonic_ns)
{
	u64 period_ns = max(wander_period_us, 2u) * 1000ull, half_ns = period_ns / 2, at_ns;

	div64_u64_rem(monotonic_ns, period_ns, &at_ns);
	return div64_u64(wander_ns * (at_ns < half_ns ? at_ns : period_ns - at_ns), half_ns);
}

static s64 clock_of(struct truth_clock *clock, u64 monotonic_ns)
{
	s64 since_ns = monotonic_ns - clock->base_ns;

	return clock->shown_ns + since_ns + div_s64(since_ns / 1000 * (clock->own_ppb + clock->set_ppb), 1000000);
}

static u64 stamp_of(struct truth_clock *clock, u64 monotonic_ns)
{
	unsigned long flags;
	u64 stamp;

	spin_lock_irqsave(&clock->lock, flags);
	stamp = clock_of(clock, monotonic_ns) + wander_of(monotonic_ns);
	spin_unlock_irqrestore(&clock->lock, flags);
	return stamp;
}

/* A stamp of a frame, or what the NIC makes of it. */
static u64 falsify(struct stamping *stamping, unsigned int fault, u64 stamp_ns)
{
	u64 before_ns = stamping->last;

	stamping->last = stamp_ns;
	if (!fault_every || ++stamping->count % fault_every)
		return stamp_ns;
	switch (fault) {
	case FAULT_LATE:
		return stamp_ns + fault_ns;
	case FAULT_STALE:
		return before_ns ?: stamp_ns;
	case FAULT_SHORT:
		return (u32)stamp_ns;
	default:
		return stamp_ns;
	}
}

/* When it shows that. */
static u64 monotonic_of(struct truth_clock *clock, u64 shown_ns)
{
	unsigned long flags;
	s64 since_ns;
	u64 ns;

	spin_lock_irqsave(&clock->lock, flags);
	since_ns = shown_ns - clock->shown_ns;
	ns = clock->base_ns + since_ns -
	     div_s64(since_ns / 1000 * (clock->own_ppb + clock->set_ppb),
		     1000000 + (s32)(clock->own_ppb + clock->set_ppb) / 1000);
	spin_unlock_irqrestore(&clock->lock, flags);
	return ns;
}

/* From now on: another step, another rate. */
static void change_clock(struct truth_clock *clock, s64 step_ns, const s64 *set_ppb)
{
	unsigned long flags;
	u64 now_ns;

	spin_lock_irqsave(&clock->lock, flags);
	now_ns = ktime_get_ns();
	clock->shown_ns = clock_of(clock, now_ns) + step_ns;
	clock->base_ns = now_ns;
	if (set_ppb)
		clock->set_ppb = *set_ppb;
	spin_unlock_irqrestore(&clock->lock, flags);
}

static int step_clocks(const char *text, const struct kernel_param *parameter)
{
	long step_ns;
	int error = kstrtol(text, 0, &step_ns);

	for (int i = 0; i < DEVICES && !error; i++)
		change_clock(&truths[i]->clock, step_ns, NULL);
	return error;
}

static const struct kernel_param_ops step_ops = { .set = step_clocks };
module_param_cb(step_ns, &step_ops, NULL, 0200);
MODULE_PARM_DESC(step_ns, "written while it runs: both clocks are set by as much");

static int clock_gettime(struct ptp_clock_info *info, struct timespec64 *ret, struct ptp_system_timestamp *system)
{
	struct truth_clock *clock = container_of(info, struct truth_clock, info);
	u64 now_ns;

	ptp_read_system_prets(system);
	ndelay(read_before_ns);
	now_ns = ktime_get_ns();
	ndelay(read_after_ns);
	ptp_read_system_postts(system);
	*ret = ns_to_timespec64(stamp_of(clock, now_ns));
	return 0;
}

static int clock_adjtime(struct ptp_clock_info *info, s64 step_ns)
{
	change_clock(container_of(info, struct truth_clock, info), step_ns, NULL);
	return 0;
}

static int clock_adjfine(struct ptp_clock_info *info, long scaled_ppm)
{
	s64 ppb = scaled_ppm_to_ppb(scaled_ppm);

	change_clock(container_of(info, struct truth_clock, info), 0, &ppb);
	return 0;
}

static int clock_settime(struct ptp_clock_info *info, const struct timespec64 *time)
{
	struct truth_clock *clock = container_of(info, struct truth_clock, info);

	change_clock(clock, timespec64_to_ns(time) - (s64)stamp_of(clock, ktime_get_ns()), NULL);
	return 0;
}

static int make_clock(struct truth *truth, unsigned int number)
{
	struct truth_clock *clock = &truth->clock;

	clock->info = (struct ptp_clock_info){
		.owner = THIS_MODULE,
		.name = "truth",
		.max_adj = 1000000,
		.adjfine = clock_adjfine,
		.adjtime = clock_adjtime,
		.gettimex64 = clock_gettime,
		.settime64 = clock_settime,
	};
	spin_lock_init(&clock->lock);
	clock->base_ns = ktime_get_ns();
	clock->shown_ns = clock->base_ns + offset_ns[number];
	clock->own_ppb = drift_ppb[number];
	clock->ptp = ptp_clock_register(&clock->info, &platform->dev);
	return PTR_ERR_OR_ZERO(clock->ptp);
}

/* --- transmission ----------------------------------------------------------------------------------------------------- */

static void request_launch(u64 launch_ns, void *context)
{
	struct queue *queue = context;

	queue->asked = true;
	queue->launch_ns = launch_ns;
}

static void request_timestamp(void *context)
{
}

static u64 fill_timestamp(void *context)
{
	struct frame *frame = context;
	struct truth *truth = frame->queue->truth;

	if (truth->stamps.tx_type != HWTSTAMP_TX_ON)
		return 0;
	return falsify(&frame->queue->departures, tx_fault, stamp_of(&truth->clock, frame->sent_ns));
}

static const struct xsk_tx_metadata_ops transmit_metadata = {
	.tmo_request_timestamp = request_timestamp,
	.tmo_fill_timestamp = fill_timestamp,
	.tmo_request_launch_time = request_launch,
};

/* Put a frame on the wire; with the queue's lock. */
static struct frame *put(struct queue *queue, const void *data, u32 octets)
{
	struct frame *frame = kmalloc(sizeof(*frame) + max(octets, 64u), GFP_ATOMIC), *last; /* as long as steer() reads */
	u64 now_ns = ktime_get_ns(), launch_ns;

	if (!frame)
		return NULL;
	frame->sent_ns = now_ns + tx_delay_ns;
	if (queue->asked && queue->launches) {
		launch_ns = monotonic_of(&queue->truth->clock, queue->launch_ns) + launch_error_ns;
		if (launch_jitter_ns)
			launch_ns += get_random_u32_below(launch_jitter_ns + 1);
		queue->launched++;
		frame->sent_ns = max(launch_ns, now_ns);
	}
	if (!list_empty(&queue->wire)) {
		last = list_last_entry(&queue->wire, struct frame, list);
		frame->sent_ns = max(frame->sent_ns, last->sent_ns + last->wire_ns);
	}
	frame->wire_ns = rate_mbps ? (octets + ETH_FCS_LEN) * 8000ull / rate_mbps : 0;
	frame->arrives_ns = frame->sent_ns + wire_ns + frame->wire_ns;
	frame->stamp.tx_timestamp = NULL;
	frame->zero_copy = false;
	frame->queue = queue;
	frame->octets = octets;
	frame->tag = 0;
	memcpy(frame->data, data, octets);
	queue->asked = false;
	queue->in_flight++;
	queue->sent++;
	queue->sent_octets += octets;
	list_add_tail(&frame->list, &queue->wire);
	return frame;
}

/* What AF_XDP's socket has. */
static void take(struct queue *queue)
{
	struct xsk_tx_metadata *metadata;
	struct xdp_desc descriptor;
	struct frame *frame;

	if (!queue->pool)
		return;
	spin_lock(&queue->lock);
	for (int i = 0; i < SEND_BURST && queue->in_flight < IN_FLIGHT && xsk_tx_peek_desc(queue->pool, &descriptor); i++) {
		metadata = xsk_buff_get_metadata(queue->pool, descriptor.addr, descriptor.options);
		xsk_tx_metadata_request(queue->pool, &metadata, &transmit_metadata, queue);
		frame = put(queue, xsk_buff_raw_get_data(queue->pool, descriptor.addr), descriptor.len);
		if (!frame)
			break; /* a test that runs out of memory fails */
		frame->zero_copy = true;
		xsk_tx_metadata_to_compl(metadata, &frame->stamp);
	}
	xsk_tx_release(queue->pool);
	spin_unlock(&queue->lock);
}

static bool matches(const struct ethtool_rx_flow_spec *rule, const struct frame *frame)
{
	const struct ethhdr *ethernet = (const struct ethhdr *)frame->data;
	const struct iphdr *ip4 = (const struct iphdr *)(ethernet + 1);
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)(ethernet + 1);
	const struct udphdr *udp;

	if (rule->flow_type == UDP_V4_FLOW) {
		const struct ethtool_tcpip4_spec *value = &rule->h_u.udp_ip4_spec, *mask = &rule->m_u.udp_ip4_spec;

		udp = (const void *)ip4 + ip4->ihl * 4;
		return ethernet->h_proto == htons(ETH_P_IP) && ip4->protocol == IPPROTO_UDP &&
		       !((ip4->saddr ^ value->ip4src) & mask->ip4src) && !((ip4->daddr ^ value->ip4dst) & mask->ip4dst) &&
		       !((udp->source ^ value->psrc) & mask->psrc) && !((udp->dest ^ value->pdst) & mask->pdst);
	}
	if (ethernet->h_proto != htons(ETH_P_IPV6) || ip6->nexthdr != IPPROTO_UDP)
		return false;
	udp = (const void *)(ip6 + 1);
	for (int i = 0; i < 4; i++)
		if ((ip6->saddr.s6_addr32[i] ^ rule->h_u.udp_ip6_spec.ip6src[i]) & rule->m_u.udp_ip6_spec.ip6src[i] ||
		    (ip6->daddr.s6_addr32[i] ^ rule->h_u.udp_ip6_spec.ip6dst[i]) & rule->m_u.udp_ip6_spec.ip6dst[i])
			return false;
	return !((udp->source ^ rule->h_u.udp_ip6_spec.psrc) & rule->m_u.udp_ip6_spec.psrc) &&
	       !((udp->dest ^ rule->h_u.udp_ip6_spec.pdst) & rule->m_u.udp_ip6_spec.pdst);
}

static bool is_ip6(const struct frame *frame)
{
	return ((const struct ethhdr *)frame->data)->h_proto == htons(ETH_P_IPV6);
}

static struct queue *steer(struct truth *truth, const struct frame *frame)
{
	for (int i = 0; i < RULES; i++)
		if (truth->has_rule[i] && matches(&truth->rules[i], frame))
			return &truth->queues[truth->rules[i].ring_cookie % truth->device->real_num_rx_queues];
	/* by addresses alone all flows of a test are one */
	if (!by_hash || (truth->hashed[is_ip6(frame)] & PORTS) != PORTS)
		return &truth->queues[0];
	return &truth->queues[frame->queue->number % truth->device->real_num_rx_queues];
}

/* What is through the wire goes to the peer. */
static void arrive(struct queue *queue)
{
	u64 now_ns = ktime_get_ns();
	struct frame *frame, *next;
	u32 completed = 0;
	LIST_HEAD(list);

	spin_lock(&queue->lock);
	list_for_each_entry_safe(frame, next, &queue->wire, list)
	{
		if (frame->arrives_ns > now_ns)
			break;
		list_move_tail(&frame->list, &list);
		queue->in_flight--;
		if (!frame->zero_copy)
			continue;
		xsk_tx_metadata_complete(&frame->stamp, &transmit_metadata, frame);
		completed++;
	}
	spin_unlock(&queue->lock);
	if (completed && queue->pool)
		xsk_tx_completed(queue->pool, completed);
	list_for_each_entry_safe(frame, next, &list, list)
	{
		struct queue *to = steer(queue->truth->peer, frame);

		list_del(&frame->list);
		if (!netif_running(to->truth->device)) {
			kfree(frame);
			continue;
		}
		spin_lock(&to->lock);
		list_add_tail(&frame->list, &to->arrived);
		spin_unlock(&to->lock);
		napi_schedule(&to->napi);
	}
}

static enum hrtimer_restart timer_over(struct hrtimer *timer)
{
	napi_schedule(&container_of(timer, struct queue, timer)->napi);
	return HRTIMER_NORESTART;
}

static void set_timer(struct queue *queue)
{
	spin_lock_bh(&queue->lock);
	if (!list_empty(&queue->wire))
		hrtimer_start(&queue->timer, ns_to_ktime(list_first_entry(&queue->wire, struct frame, list)->arrives_ns),
			      HRTIMER_MODE_ABS);
	spin_unlock_bh(&queue->lock);
}

static netdev_tx_t start_xmit(struct sk_buff *skb, struct net_device *device)
{
	struct truth *truth = netdev_priv(device);
	struct queue *queue = &truth->queues[skb_get_queue_mapping(skb)];

	if (!skb_linearize(skb)) {
		spin_lock(&queue->lock);
		if (queue->in_flight < IN_FLIGHT)
			put(queue, skb->data, skb->len);
		spin_unlock(&queue->lock);
		set_timer(queue);
	}
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static int xdp_xmit(struct net_device *device, int count, struct xdp_frame **frames, u32 flags)
{
	struct truth *truth = netdev_priv(device);
	struct queue *queue = &truth->queues[smp_processor_id() % device->real_num_tx_queues];
	int sent = 0;

	spin_lock(&queue->lock);
	while (sent < count && queue->in_flight < IN_FLIGHT && put(queue, frames[sent]->data, frames[sent]->len))
		xdp_return_frame_rx_napi(frames[sent++]);
	spin_unlock(&queue->lock);
	set_timer(queue);
	return sent;
}

/* --- reception -------------------------------------------------------------------------------------------------------- */

static int receive_timestamp(const struct xdp_md *context, u64 *ret_ns)
{
	const struct received *received = (const void *)context;

	if (!received->stamp_ns)
		return -ENODATA;
	*ret_ns = received->stamp_ns;
	return 0;
}

static const struct xdp_metadata_ops receive_metadata = { .xmo_rx_timestamp = receive_timestamp };

static void pass_up(struct queue *queue, const struct frame *frame)
{
	struct sk_buff *skb = napi_alloc_skb(&queue->napi, frame->octets);

	if (!skb)
		return;
	skb_put_data(skb, frame->data, frame->octets);
	skb->protocol = eth_type_trans(skb, queue->truth->device);
	if (frame->tag)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), frame->tag);
	napi_gro_receive(&queue->napi, skb);
}

/* A buffer for it: AF_XDP's, or a page. */
static struct received *buffer_for(struct queue *queue, const struct frame *frame, struct received *on_stack)
{
	struct xdp_buff *xdp;
	void *page;

	if (queue->pool) {
		xdp = xsk_buff_alloc(queue->pool);
		if (!xdp || frame->octets > xsk_pool_get_rx_frame_size(queue->pool)) {
			if (xdp)
				xsk_buff_free(xdp);
			return NULL;
		}
		xsk_buff_set_size(xdp, frame->octets);
		memcpy(xdp->data, frame->data, frame->octets);
		return container_of(xdp, struct received, xdp);
	}
	page = (void *)__get_free_page(GFP_ATOMIC);
	if (!page || frame->octets > XDP_MTU + ETH_HLEN) {
		free_page((unsigned long)page);
		return NULL;
	}
	xdp_init_buff(&on_stack->xdp, PAGE_SIZE, &queue->rxq);
	xdp_prepare_buff(&on_stack->xdp, page, XDP_PACKET_HEADROOM, frame->octets, false);
	memcpy(on_stack->xdp.data, frame->data, frame->octets);
	return on_stack;
}

static void let_go(struct queue *queue, struct xdp_buff *xdp)
{
	if (queue->pool)
		xsk_buff_free(xdp);
	else
		free_page((unsigned long)xdp->data_hard_start);
}

/* True: frames were redirected. */
static bool run_program(struct queue *queue, struct bpf_prog *program, const struct frame *frame)
{
	struct received on_stack, *received = buffer_for(queue, frame, &on_stack);
	struct truth *truth = queue->truth;
	u32 verdict;

	if (!received) {
		queue->missed++;
		return false;
	}
	received->stamp_ns = 0;
	queue->count++;
	if (truth->stamps.rx_filter == HWTSTAMP_FILTER_ALL && stamp_every && queue->count % stamp_every == 0) {
		received->stamp_ns = falsify(&queue->arrivals, rx_fault,
					     stamp_of(&truth->clock, frame->arrives_ns - (stamp_last_bit ? 0 : frame->wire_ns)));
		queue->stamped++;
	}
	verdict = bpf_prog_run_xdp(program, &received->xdp);
	if (verdict == XDP_REDIRECT && !xdp_do_redirect(truth->device, &received->xdp, program))
		return true;
	if (verdict == XDP_PASS)
		pass_up(queue, frame);
	let_go(queue, &received->xdp);
	return false;
}

/* Whether a frame is lost in this NIC, which counts it. */
static bool is_lost(struct queue *queue)
{
	queue->came++;
	if (crc_every && queue->came % crc_every == 0) {
		queue->crc_errors++;
		return true;
	}
	if (hidden_every && queue->came % hidden_every == 0) {
		queue->hidden++;
		return true;
	}
	return false;
}

/* Put a VLAN tag beside its frame, where XDP does not see it, unless ethtool -K switched that off. */
static void strip(struct queue *queue, struct frame *frame)
{
	const struct vlan_ethhdr *header = (const void *)frame->data;

	if (!(queue->truth->device->features & NETIF_F_HW_VLAN_CTAG_RX) || header->h_vlan_proto != htons(ETH_P_8021Q))
		return;
	frame->tag = ntohs(header->h_vlan_TCI);
	frame->octets -= VLAN_HLEN;
	memmove(frame->data + 2 * ETH_ALEN, frame->data + 2 * ETH_ALEN + VLAN_HLEN, frame->octets - 2 * ETH_ALEN);
}

static int receive(struct queue *queue, int budget)
{
	struct bpf_prog *program = rcu_dereference_bh(queue->truth->program);
	struct frame *frame, *next;
	bool redirected = false;
	LIST_HEAD(list);
	int count = 0;

	spin_lock(&queue->lock);
	list_for_each_entry_safe(frame, next, &queue->arrived, list)
	{
		if (count++ == budget)
			break;
		list_move_tail(&frame->list, &list);
	}
	spin_unlock(&queue->lock);
	list_for_each_entry_safe(frame, next, &list, list)
	{
		if (is_lost(queue)) {
			kfree(frame);
			continue;
		}
		queue->received++;
		queue->received_octets += frame->octets;
		strip(queue, frame);
		if (program)
			redirected |= run_program(queue, program, frame);
		else
			pass_up(queue, frame);
		kfree(frame);
	}
	if (redirected)
		xdp_do_flush();
	return min(count, budget);
}

static int poll(struct napi_struct *napi, int budget)
{
	struct queue *queue = container_of(napi, struct queue, napi);
	int done;

	arrive(queue);
	take(queue);
	set_timer(queue);
	done = receive(queue, budget);
	if (done < budget)
		napi_complete_done(napi, done);
	return done;
}

static int xsk_wakeup(struct net_device *device, u32 number, u32 flags)
{
	struct truth *truth = netdev_priv(device);

	if (!netif_running(device) || !netif_carrier_ok(device))
		return -ENETDOWN;
	if (number >= QUEUES || !truth->queues[number].pool)
		return -EINVAL;
	local_bh_disable();
	napi_schedule(&truth->queues[number].napi);
	local_bh_enable();
	return 0;
}

/* --- opening and closing ---------------------------------------------------------------------------------------------- */

static void forget_frames(struct queue *queue)
{
	struct frame *frame, *next;

	spin_lock_bh(&queue->lock);
	list_splice_init(&queue->arrived, &queue->wire);
	list_for_each_entry_safe(frame, next, &queue->wire, list) kfree(frame);
	INIT_LIST_HEAD(&queue->wire);
	queue->in_flight = 0;
	spin_unlock_bh(&queue->lock);
}

static int start_queue(struct queue *queue)
{
	int error = xdp_rxq_info_reg(&queue->rxq, queue->truth->device, queue->number, queue->napi.napi_id);

	if (!error)
		error = xdp_rxq_info_reg_mem_model(&queue->rxq, queue->pool ? MEM_TYPE_XSK_BUFF_POOL : MEM_TYPE_PAGE_SHARED,
						   NULL);
	if (error)
		return error;
	if (queue->pool) {
		xsk_pool_set_rxq_info(queue->pool, &queue->rxq);
		if (xsk_uses_need_wakeup(queue->pool))
			xsk_set_tx_need_wakeup(queue->pool);
	}
	napi_enable(&queue->napi);
	return 0;
}

static void stop_queue(struct queue *queue)
{
	napi_disable(&queue->napi);
	hrtimer_cancel(&queue->timer);
	forget_frames(queue);
	xdp_rxq_info_unreg(&queue->rxq);
}

static void tell_carrier(struct truth *truth)
{
	bool both = netif_running(truth->device) && netif_running(truth->peer->device);

	for (int i = 0; i < DEVICES; i++) {
		if (both)
			netif_carrier_on(truths[i]->device);
		else
			netif_carrier_off(truths[i]->device);
	}
}

static int open_device(struct net_device *device)
{
	struct truth *truth = netdev_priv(device);
	int error = 0;

	for (int i = 0; i < QUEUES && !error; i++)
		error = start_queue(&truth->queues[i]);
	if (error)
		return error;
	truth->pause.rx_pause = truth->pause.tx_pause = true; /* what the link says, as e1000e, whatever it was told */
	netif_tx_start_all_queues(device);
	tell_carrier(truth);
	return 0;
}

static int stop_device(struct net_device *device)
{
	struct truth *truth = netdev_priv(device);

	for (int i = 0; i < DEVICES; i++)
		netif_carrier_off(truths[i]->device);
	netif_tx_disable(device);
	for (int i = 0; i < QUEUES; i++)
		stop_queue(&truth->queues[i]);
	return 0;
}

static int set_pool(struct truth *truth, struct xsk_buff_pool *pool, unsigned int number)
{
	bool running = netif_running(truth->device);
	struct queue *queue;
	int error;

	if (number >= QUEUES)
		return -EINVAL;
	queue = &truth->queues[number];
	error = pool ? xsk_pool_dma_map(pool, &platform->dev, 0) : 0;
	if (error)
		return error;
	if (running)
		stop_queue(queue);
	if (!pool && queue->pool)
		xsk_pool_dma_unmap(queue->pool, 0);
	queue->pool = pool;
	return running ? start_queue(queue) : 0;
}

static int set_program(struct truth *truth, struct bpf_prog *program, struct netlink_ext_ack *extack)
{
	struct bpf_prog *old;

	if (program && truth->device->mtu > XDP_MTU) {
		NL_SET_ERR_MSG_MOD(extack, "MTU too large for XDP");
		return -EINVAL;
	}
	old = rtnl_dereference(truth->program);
	rcu_assign_pointer(truth->program, program);
	if (old)
		bpf_prog_put(old);
	return 0;
}

static int bpf(struct net_device *device, struct netdev_bpf *command)
{
	struct truth *truth = netdev_priv(device);

	switch (command->command) {
	case XDP_SETUP_PROG:
		return set_program(truth, command->prog, command->extack);
	case XDP_SETUP_XSK_POOL:
		return set_pool(truth, command->xsk.pool, command->xsk.queue_id);
	default:
		return -EINVAL;
	}
}

static int setup_tc(struct net_device *device, enum tc_setup_type type, void *data)
{
	struct truth *truth = netdev_priv(device);
	struct tc_etf_qopt_offload *etf = data;

	if (type != TC_SETUP_QDISC_ETF)
		return -EOPNOTSUPP;
	if (etf->queue < 0 || etf->queue >= QUEUES)
		return -EINVAL;
	truth->queues[etf->queue].launches = etf->enable;
	return 0;
}

static int change_mtu(struct net_device *device, int mtu)
{
	struct truth *truth = netdev_priv(device);

	if (rtnl_dereference(truth->program) && mtu > XDP_MTU)
		return -EINVAL;
	WRITE_ONCE(device->mtu, mtu);
	return 0;
}

static int get_stamps(struct net_device *device, struct kernel_hwtstamp_config *config)
{
	*config = ((struct truth *)netdev_priv(device))->stamps;
	return 0;
}

static int set_stamps(struct net_device *device, struct kernel_hwtstamp_config *config, struct netlink_ext_ack *extack)
{
	if (config->tx_type > HWTSTAMP_TX_ON)
		return -ERANGE;
	if (config->rx_filter != HWTSTAMP_FILTER_NONE)
		config->rx_filter = HWTSTAMP_FILTER_ALL;
	((struct truth *)netdev_priv(device))->stamps = *config;
	return 0;
}

static void count_all(const struct truth *truth, struct rtnl_link_stats64 *ret)
{
	for (int i = 0; i < QUEUES; i++) {
		const struct queue *queue = &truth->queues[i];

		ret->tx_packets += queue->sent;
		ret->tx_bytes += queue->sent_octets;
		ret->rx_packets += queue->received;
		ret->rx_bytes += queue->received_octets;
		ret->rx_missed_errors += queue->missed;
		ret->rx_crc_errors += queue->crc_errors;
		ret->rx_errors += queue->crc_errors;
	}
}

/* As they were when the NIC last told them, where it does so now and then. */
static void get_stats(struct net_device *device, struct rtnl_link_stats64 *ret)
{
	struct truth *truth = netdev_priv(device);
	u64 now_ns = ktime_get_ns();

	if (now_ns - truth->told_ns >= counters_lag_ms * 1000000ull) {
		memset(&truth->told, 0, sizeof(truth->told));
		count_all(truth, &truth->told);
		truth->told_ns = now_ns;
	}
	*ret = truth->told;
}

/* The kernel wants both of a NIC that filters by VLAN. This one is promiscuous always. */
static int take_vlan(struct net_device *, __be16, u16)
{
	return 0;
}

static const struct net_device_ops device_ops = {
	.ndo_open = open_device,
	.ndo_stop = stop_device,
	.ndo_start_xmit = start_xmit,
	.ndo_xdp_xmit = xdp_xmit,
	.ndo_xsk_wakeup = xsk_wakeup,
	.ndo_bpf = bpf,
	.ndo_setup_tc = setup_tc,
	.ndo_change_mtu = change_mtu,
	.ndo_hwtstamp_get = get_stamps,
	.ndo_hwtstamp_set = set_stamps,
	.ndo_get_stats64 = get_stats,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_vlan_rx_add_vid = take_vlan,
	.ndo_vlan_rx_kill_vid = take_vlan,
};

/* --- ethtool ---------------------------------------------------------------------------------------------------------- */

static int get_timestamping(struct net_device *device, struct kernel_ethtool_ts_info *ret)
{
	struct truth *truth = netdev_priv(device);

	ret->so_timestamping = SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	ret->phc_index = ptp_clock_index(truth->clock.ptp);
	ret->tx_types = BIT(HWTSTAMP_TX_OFF) | BIT(HWTSTAMP_TX_ON);
	ret->rx_filters = BIT(HWTSTAMP_FILTER_NONE) | BIT(HWTSTAMP_FILTER_ALL);
	return 0;
}

static int get_settings(struct net_device *device, struct ethtool_link_ksettings *ret)
{
	ret->base.speed = SPEED_10000;
	ret->base.duplex = full_duplex ? DUPLEX_FULL : DUPLEX_HALF;
	ret->base.port = PORT_OTHER;
	return 0;
}

static void get_channels(struct net_device *device, struct ethtool_channels *ret)
{
	ret->max_combined = QUEUES;
	ret->combined_count = device->real_num_rx_queues;
}

static int set_channels(struct net_device *device, struct ethtool_channels *channels)
{
	return netif_set_real_num_queues(device, channels->combined_count, channels->combined_count);
}

static void get_pause(struct net_device *device, struct ethtool_pauseparam *ret)
{
	*ret = ((struct truth *)netdev_priv(device))->pause;
}

static int set_pause(struct net_device *device, struct ethtool_pauseparam *pause)
{
	((struct truth *)netdev_priv(device))->pause = *pause;
	return 0;
}

static int get_sset_count(struct net_device *device, int set)
{
	return set == ETH_SS_STATS ? QUEUES * 4 : -EOPNOTSUPP;
}

static void get_strings(struct net_device *device, u32 set, u8 *data)
{
	for (int i = 0; set == ETH_SS_STATS && i < QUEUES; i++) {
		ethtool_sprintf(&data, "rx_queue_%d_packets", i);
		ethtool_sprintf(&data, "rx_queue_%d_stamped", i);
		ethtool_sprintf(&data, "tx_queue_%d_launched", i);
		ethtool_sprintf(&data, "rx_queue_%d_overruns", i);
	}
}

static void get_counters(struct net_device *device, struct ethtool_stats *stats, u64 *ret)
{
	struct truth *truth = netdev_priv(device);

	for (int i = 0; i < QUEUES; i++) {
		*ret++ = truth->queues[i].received;
		*ret++ = truth->queues[i].stamped;
		*ret++ = truth->queues[i].launched;
		*ret++ = truth->queues[i].hidden;
	}
}

static u32 get_table_size(struct net_device *)
{
	return ENTRIES;
}

static int get_table(struct net_device *device, struct ethtool_rxfh_param *ret)
{
	struct truth *truth = netdev_priv(device);

	ret->hfunc = ETH_RSS_HASH_TOP;
	for (int i = 0; ret->indir && i < ENTRIES; i++)
		ret->indir[i] = truth->table[i];
	return 0;
}

static int set_table(struct net_device *device, struct ethtool_rxfh_param *table, struct netlink_ext_ack *)
{
	struct truth *truth = netdev_priv(device);

	for (int i = 0; table->indir && i < ENTRIES; i++)
		truth->table[i] = table->indir[i];
	return 0;
}

/* Which of the two that are kept; -1: none. */
static int hash_of(u32 flow_type)
{
	return flow_type == UDP_V4_FLOW ? 0 : flow_type == UDP_V6_FLOW ? 1 : -1;
}

static int get_hash_fields(struct net_device *device, struct ethtool_rxfh_fields *fields)
{
	int hash = hash_of(fields->flow_type);

	if (hash < 0)
		return -EOPNOTSUPP;
	fields->data = ((struct truth *)netdev_priv(device))->hashed[hash];
	return 0;
}

static int set_hash_fields(struct net_device *device, const struct ethtool_rxfh_fields *fields, struct netlink_ext_ack *)
{
	int hash = hash_of(fields->flow_type);

	if (hash < 0 || fields->data & ~(u64)(ADDRESSES | PORTS))
		return -EOPNOTSUPP;
	((struct truth *)netdev_priv(device))->hashed[hash] = fields->data;
	return 0;
}

static u32 get_ring_count(struct net_device *device)
{
	return device->real_num_rx_queues;
}

static int get_rules(struct net_device *device, struct ethtool_rxnfc *command, u32 *places)
{
	struct truth *truth = netdev_priv(device);
	u32 count = 0;

	switch (command->cmd) {
	case ETHTOOL_GRXCLSRLCNT:
	case ETHTOOL_GRXCLSRLALL:
		for (u32 i = 0; i < RULES; i++) {
			if (!truth->has_rule[i])
				continue;
			if (command->cmd == ETHTOOL_GRXCLSRLALL)
				places[count] = i;
			count++;
		}
		command->rule_cnt = count;
		command->data = RULES;
		return 0;
	case ETHTOOL_GRXCLSRULE:
		if (command->fs.location >= RULES || !truth->has_rule[command->fs.location])
			return -ENOENT;
		command->fs = truth->rules[command->fs.location];
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int set_rules(struct net_device *device, struct ethtool_rxnfc *command)
{
	struct truth *truth = netdev_priv(device);
	const struct ethtool_rx_flow_spec *rule = &command->fs;

	if (rule->location >= RULES)
		return -EINVAL;
	switch (command->cmd) {
	case ETHTOOL_SRXCLSRLINS:
		if ((rule->flow_type != UDP_V4_FLOW && rule->flow_type != UDP_V6_FLOW) ||
		    rule->ring_cookie >= device->real_num_rx_queues)
			return -EOPNOTSUPP;
		truth->rules[rule->location] = *rule;
		truth->has_rule[rule->location] = true;
		return 0;
	case ETHTOOL_SRXCLSRLDEL:
		truth->has_rule[rule->location] = false;
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static const struct ethtool_ops ethtool_ops = {
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_settings,
	.get_ts_info = get_timestamping,
	.get_channels = get_channels,
	.set_channels = set_channels,
	.get_pauseparam = get_pause,
	.set_pauseparam = set_pause,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = get_counters,
	.get_rx_ring_count = get_ring_count,
	.get_rxfh_indir_size = get_table_size,
	.get_rxfh = get_table,
	.set_rxfh = set_table,
	.get_rxfh_fields = get_hash_fields,
	.set_rxfh_fields = set_hash_fields,
	.get_rxnfc = get_rules,
	.set_rxnfc = set_rules,
};

/* --- the module ------------------------------------------------------------------------------------------------------- */

static int make_device(unsigned int number)
{
	struct net_device *device = alloc_etherdev_mqs(sizeof(struct truth), QUEUES, QUEUES);
	struct truth *truth;
	int error;

	if (!device)
		return -ENOMEM;
	truth = netdev_priv(device);
	truth->device = device;
	truth->pause.autoneg = AUTONEG_ENABLE;
	truth->hashed[0] = truth->hashed[1] = ADDRESSES | PORTS;
	for (u32 i = 0; i < ENTRIES; i++)
		truth->table[i] = i % QUEUES;
	SET_NETDEV_DEV(device, &platform->dev);
	strscpy(device->name, number ? "truth1" : "truth0", sizeof(device->name));
	device->netdev_ops = &device_ops;
	device->ethtool_ops = &ethtool_ops;
	device->xdp_metadata_ops = &receive_metadata;
	device->xsk_tx_metadata_ops = &transmit_metadata;
	device->xdp_features = NETDEV_XDP_ACT_XSK | NETDEV_XDP_ACT_NDO_XMIT;
	device->max_mtu = 9000;
	device->hw_features = NETIF_F_HW_VLAN_CTAG_RX;
	device->features = NETIF_F_HW_VLAN_CTAG_RX | NETIF_F_HW_VLAN_CTAG_FILTER; /* as igb's: the filter is always on */
	eth_hw_addr_random(device);
	for (unsigned int i = 0; i < QUEUES; i++) {
		struct queue *queue = &truth->queues[i];

		queue->truth = truth;
		queue->number = i;
		spin_lock_init(&queue->lock);
		INIT_LIST_HEAD(&queue->wire);
		INIT_LIST_HEAD(&queue->arrived);
		hrtimer_setup(&queue->timer, timer_over, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
		netif_napi_add(device, &queue->napi, poll);
	}
	error = make_clock(truth, number);
	if (error) {
		free_netdev(device);
		return error;
	}
	truths[number] = truth;
	return 0;
}

static void remove(void)
{
	for (int i = 0; i < DEVICES; i++)
		if (truths[i] && truths[i]->device->reg_state == NETREG_REGISTERED)
			unregister_netdev(truths[i]->device);
	for (int i = 0; i < DEVICES; i++) {
		if (!truths[i])
			continue;
		ptp_clock_unregister(truths[i]->clock.ptp);
		free_netdev(truths[i]->device);
	}
	platform_device_unregister(platform);
}

static int __init begin(void)
{
	int error = 0;

	XSK_CHECK_PRIV_TYPE(struct received);
	platform = platform_device_register_simple("truth", -1, NULL, 0);
	if (IS_ERR(platform))
		return PTR_ERR(platform);
	error = dma_coerce_mask_and_coherent(&platform->dev, DMA_BIT_MASK(64));
	for (unsigned int i = 0; i < DEVICES && !error; i++)
		error = make_device(i);
	for (unsigned int i = 0; i < DEVICES && !error; i++) {
		truths[i]->peer = truths[1 - i];
		netif_carrier_off(truths[i]->device);
	}
	for (unsigned int i = 0; i < DEVICES && !error; i++)
		error = register_netdev(truths[i]->device);
	if (error)
		remove();
	return error;
}

module_init(begin);
module_exit(remove);
MODULE_DESCRIPTION("A pair of NICs of known truth, for tests of xdp-mlr");
MODULE_LICENSE("GPL");
