#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# workflow/slurm.sh on a cluster of this machine alone: an array that is cancelled in the middle of a share and submitted again has
# lost nothing, and gives the bytes of a serial run.
. "${srcdir:-.}/tests/check.sh"
drawn 4 || { echo "the gate runs this at one commit in four"; exit 0; }
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || { echo "skipped: not root, which slurmd needs"; exit 77; }
for name in munged slurmctld slurmd sbatch; do
    command -v $name >/dev/null || { echo "skipped: there is no $name (slurm-wlm, munge)"; exit 77; }
done
chmod 755 "$work"
stop() {
    # shellcheck disable=SC2046
    set -- $(cat "$work"/*.pid 2>/dev/null)
    [ $# = 0 ] || { kill "$@"; wait_for 10 gone "$@"; }
    rm -rf "$work"
}
trap stop EXIT
# shellcheck source=tests/workflow/sweep.sh
. "${srcdir:-.}/tests/workflow/sweep.sh"

# Two ports that nothing listens at, by the kernel's choice.
ports=$(python3 -c '
import socket
both = [socket.socket() for _ in range(2)]
for s in both:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in both))') || { echo "skipped: there is no python3"; exit 77; }
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=1
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=localhost NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
dd if=/dev/urandom of="$work/munge.key" bs=128 count=1 2>/dev/null
chmod 600 "$work/munge.key"
no_cluster() {
    echo "skipped: $1: $(cat "$work"/*.log | tail -n 1)"
    exit 77
}
munged --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" --log-file="$work/munged.log" \
    --seed-file="$work/munged.seed" || no_cluster "munged does not start"
slurmctld || no_cluster "slurmctld does not start"
slurmd -N localhost || no_cluster "slurmd does not start"
wait_for 20 eval 'sinfo -h -o %t 2>/dev/null | grep -q idle' || no_cluster "the node does not come up"

cd "$source" || exit 1
submit() {
    sbatch --parsable --output="$work/job-%A-%a.log" "$@"
}
over() { # JOB: a busy controller gives no list, which is not an empty one
    queue=$(squeue -h -j "$1" 2>&1) || [ "${queue#*Invalid job id}" != "$queue" ] || return 1
    [ -z "$queue" ] || [ "${queue#*Invalid job id}" != "$queue" ]
}

touch "$work/hold"
shares=$(submit --array=1-2 workflow/slurm.sh "$work/sweep" 2) || fail "no array"
wait_for 60 [ -e "$work/held" ] || fail "no share was held"
scancel --full --signal=KILL "$shares"
wait_for 20 over "$shares" || fail "the array was not cancelled"
mark
shares=$(submit --array=1-2 workflow/slurm.sh "$work/sweep" 2) || fail "no second array"
collected=$(submit --dependency="afterok:$shares" workflow/slurm.sh "$work/sweep") || fail "no job that collects"
wait_for 120 over "$collected" || fail "the sweep does not end: $(squeue)"
[ -s "$work/sweep/vectors/krr.json" ] || cat "$work"/job-*.log >&2
compare
