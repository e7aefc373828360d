# SPDX-License-Identifier: GPL-2.0-or-later
# A Slurm of two nodes on this host, for tests: munged, slurmctld and two slurmd of its own, on ports, sockets and in directories of its
# own; without systemd, a database, cgroups or a network. It knows nothing of a Slurm that this host may have.
#
# cluster_up DIRECTORY; then sbatch, squeue, scontrol speak to it; cluster_down ends what was started, by its process ids.

cluster_up() { # DIRECTORY
  CLUSTER=$1 MUNGED= SLURMCTLD=
  declare -gA SLURMD=()
  local port=$((20000 + RANDOM % 20000)) node
  mkdir -p "$CLUSTER"/{munge,state,spool.tb1,spool.tb2}
  dd if=/dev/urandom of="$CLUSTER/munge/key" bs=1024 count=1 status=none
  chmod 700 "$CLUSTER/munge"
  chmod 400 "$CLUSTER/munge/key"
  cat >"$CLUSTER/slurm.conf" <<END
ClusterName=xdpmlr
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
# a job that is requeued may begin again once its credential has expired
AuthInfo=socket=$CLUSTER/munge/socket,cred_expire=5
StateSaveLocation=$CLUSTER/state
SlurmdSpoolDir=$CLUSTER/spool.%n
SlurmctldPidFile=$CLUSTER/slurmctld.pid
SlurmdPidFile=$CLUSTER/slurmd.%n.pid
SlurmctldLogFile=$CLUSTER/slurmctld.log
SlurmdLogFile=$CLUSTER/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=1
SlurmdParameters=config_overrides
SlurmdTimeout=30
KillWait=5
JobRequeue=1
GresTypes=testbed
NodeName=tb1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 Gres=testbed:1 State=UNKNOWN
NodeName=tb2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 Gres=testbed:1 State=UNKNOWN
PartitionName=lab Nodes=tb1,tb2 Default=YES MaxTime=10 State=UP
Licenses=sut1:1,sut2:1
END
  echo "NodeName=tb[1-2] Name=testbed Count=1" >"$CLUSTER/gres.conf"
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n' >"$CLUSTER/cgroup.conf"
  export SLURM_CONF=$CLUSTER/slurm.conf
  # as root, who owns the directory, --force lets it be
  munged --foreground --force --key-file="$CLUSTER/munge/key" --socket="$CLUSTER/munge/socket" --pid-file="$CLUSTER/munge/pid" \
    --log-file="$CLUSTER/munge/log" --seed-file="$CLUSTER/munge/seed" >"$CLUSTER/munged.out" 2>&1 3>&- 4>&- &
  MUNGED=$!
  cluster_wait test -S "$CLUSTER/munge/socket"
  slurmctld -D -i >"$CLUSTER/slurmctld.out" 2>&1 3>&- 4>&- &
  SLURMCTLD=$!
  for node in tb1 tb2; do node_up $node; done
  cluster_wait nodes_are idle
}

node_up() { # NODE
  slurmd -D -N "$1" >"$CLUSTER/slurmd.$1.out" 2>&1 3>&- 4>&- &
  SLURMD[$1]=$!
}

nodes_are() { # STATE
  [ "$(sinfo --noheader --Node --format='%N %T' 2>/dev/null | sort -u | grep -c " $1\$")" -eq 2 ]
}

# At most a minute, or LIMIT_S.
cluster_wait() { # command
  local i
  for ((i = 0; i < ${LIMIT_S:-60} * 10; i++)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  echo "never: $*"
  tail -n 20 "$CLUSTER"/*.out "$CLUSTER"/*.log 2>/dev/null
  return 1
}

# A node whose slurmd was gone for a while takes jobs again once somebody says so.
resume_nodes() {
  local node
  for node in $(sinfo --noheader --Node --format='%N %T' 2>/dev/null | awk '$2 ~ /down|drain/ { print $1 }' | sort -u); do
    scontrol update NodeName="$node" State=RESUME 2>/dev/null || true
  done
}

queue_is_empty() { [ -z "$(squeue --noheader 2>/dev/null)" ]; }

# All processes below one, the deepest last.
descendants() { # PID
  local child
  for child in $(pgrep -P "$1"); do
    echo "$child"
    descendants "$child"
  done
}

# The daemons of this Slurm, also those that outlived who started them: they know its slurm.conf.
daemons() {
  local name pid
  for pid in $(for name in slurmd slurmstepd slurmctld slurmscriptd munged; do pgrep -x $name; done); do
    grep -qzsxF "SLURM_CONF=$SLURM_CONF" "/proc/$pid/environ" && echo "$pid"
  done
}

no_daemon() { [ -z "$(daemons)" ]; }

cluster_down() {
  [ -n "${CLUSTER:-}" ] || return 0
  local i pid pids=
  scancel --user=root 2>/dev/null || true
  for i in {1..100}; do
    if queue_is_empty; then break; fi
    sleep 0.1
  done
  for pid in $(daemons); do pids+=" $pid $(descendants "$pid" | tr '\n' ' ')"; done
  kill $(daemons) 2>/dev/null || true
  for i in {1..50}; do
    if no_daemon; then break; fi
    sleep 0.1
  done
  for pid in $pids; do kill -9 "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  CLUSTER=
}
