# SPDX-License-Identifier: GPL-2.0-or-later
# Three "hosts" for trials over MPI: network namespaces with host names of their own, on a control network, and a lab's SUT between
# their ports. Used by mpi.bats and tools/bench/kill_ranks. LAB names all of it.
MLR=${BUILD:-build}/xdp-mlr
MLR_MPI=$(realpath "${BUILD_MPI:-build-mpi}")/xdp-mlr
CONTROL=10.77.0.0/24

# A command on a host. Not `ip netns exec` nor `ip -n`: they remount /sys, which a chroot does not let them.
on() { # HOST command...
  local host=$1
  shift
  nsenter --net="/run/netns/$LAB-$host" "$@"
}

# A control bridge in a namespace of its own, h0 to h2 on it, and what mpirun needs to start ranks on them.
hosts_up() { # directory for files
  local number
  HOSTS=$1
  ip netns add "$LAB-net"
  on net ip link add control type bridge
  on net ip link set control up
  for number in 0 1 2; do
    ip netns add "$LAB-h$number"
    on net ip link add "c$number" type veth peer name control netns "$LAB-h$number"
    on net ip link set "c$number" master control up
    on "h$number" ip address add "10.77.0.$((number + 1))/24" dev control
    on "h$number" ip link set control up
    on "h$number" ip link set lo up
    echo "h$number slots=1" >>"$HOSTS/hostfile"
  done
  # mpirun runs AGENT HOST COMMAND..., as it would ssh; TIME_OF_h1="--time --monotonic 1000" gives h1 another clock
  cat >"$HOSTS/agent" <<END
#!/bin/bash
host=\$1 clock=TIME_OF_\$1
shift
exec nsenter --net=/run/netns/$LAB-\$host unshare --uts \${!clock:+--fork \${!clock}} sh -c "hostname \$host; \$*"
END
  # a CPU each, as far as there are some: they would be hosts
  cat >"$HOSTS/rank" <<END
#!/bin/bash
exec taskset -c \$((OMPI_COMM_WORLD_RANK % $(nproc))) $MLR_MPI "\$@"
END
  chmod +x "$HOSTS/agent" "$HOSTS/rank"
}

# Give a link to a host as a port.
give() { # link host
  ip link set "$1" netns "$LAB-$2"
  on "$2" ip link set "$1" up
}

# Several links as inputs of one SUT: t0 on h0 and t1 on h1, which see only what is behind `link`.
share() { # link
  local number
  on net ip link add shared type bridge mcast_snooping 0
  on net sysctl -qw net.ipv6.conf.all.disable_ipv6=1
  on net ip link set shared up
  give "$1" net
  on net ip link set "$1" master shared
  for number in 0 1; do
    on net ip link add "u$number" type veth peer name "t$number" netns "$LAB-h$number"
    on net ip link set "u$number" master shared up
    on net ip link set "u$number" type bridge_slave isolated on
    on "h$number" ip link set "t$number" up
  done
}

# mpirun on h0; what follows is the program, with its options. Open MPI 5 calls ssh what 4 calls rsh.
start_ranks() { # RANKS PROGRAM...
  local ranks=$1
  shift
  # shellcheck disable=SC2016
  nsenter --net="/run/netns/$LAB-h0" unshare --uts sh -c 'hostname h0; exec "$@"' sh \
    mpirun --allow-run-as-root --hostfile "$HOSTS/hostfile" -np "$ranks" --map-by node --bind-to none \
    --mca plm_rsh_agent "$HOSTS/agent" --mca plm_ssh_agent "$HOSTS/agent" --mca btl tcp,self --mca btl_tcp_if_include "$CONTROL" \
    --mca oob_tcp_if_include "$CONTROL" --mca mpi_yield_when_idle 1 "$@"
}

# The processes of the program on a host, supervisors first: a supervisor is the parent of its worker, which is that of its keeper.
processes_on() { # HOST
  local pid inode
  inode=$(stat -Lc %i "/run/netns/$LAB-$1")
  for pid in $(pgrep -f "^$MLR_MPI " | sort -n); do
    [ "$(readlink "/proc/$pid/ns/net")" = "net:[$inode]" ] && echo "$pid"
  done
  return 0
}

# The worker of a rank: it comes between its supervisor and its keeper.
worker_on() { # HOST
  processes_on "$1" | sed -n 2p
}

# All that a run may change on the ports of the hosts, a fact a line.
ports_state() {
  local host port option
  for host in h0 h1 h2; do
    for port in $(on "$host" ip -j link show | jq -r '.[].ifname | select(. != "lo" and . != "control")'); do
      on "$host" ip -d -j link show "$port" | jq -r --arg port "$port" '.[0] | del(.stats64, .stats) |
        paths(scalars) as $p | "\($port) ip link \($p | join(".")) = \(getpath($p))"'
      echo "$port disable_ipv6 = $(on "$host" cat "/proc/sys/net/ipv6/conf/$port/disable_ipv6")"
      for option in -k -c -l -a; do on "$host" ethtool "$option" "$port" 2>&1 | sed "s/^/$port ethtool $option /"; done
    done
  done
}

hosts_down() {
  local host pid
  for host in h0 h1 h2 net; do
    [ -e "/run/netns/$LAB-$host" ] || continue
    for pid in $(ip netns pids "$LAB-$host"); do kill -9 "$pid" 2>/dev/null || true; done
    ip netns delete "$LAB-$host"
  done
}
