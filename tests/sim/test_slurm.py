#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_slurm.py ALI3_SIM: a Slurm of one node in a network namespace of its own computes a sweep as an array job. A task is
killed and requeued, and the merged file equals that of one process. Skipped (77) without root, slurm-wlm or munge."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SWEEPS = os.path.join(ROOT, "config", "sweep")
SHARDS = 4
CONF = """
ClusterName=ali3
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
JobRequeue=1
RebootProgram=/bin/true
SchedulerParameters=bf_interval=1,sched_min_interval=100000
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Cluster:
    """munged, slurmctld and slurmd of a folder; ended by their ids."""

    def __init__(self, folder):
        self.dir, self.started = folder, []
        self.env = dict(os.environ, SLURM_CONF=self.path("slurm.conf"))

    def path(self, name):
        return os.path.join(self.dir, name)

    def start(self, *command):
        self.started.append(subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=open(self.path("daemons.log"), "a", encoding="utf-8")))

    def ask(self, *command):
        return subprocess.run(command, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.dir)

    def __enter__(self):
        host = os.uname().nodename.split(".")[0]
        for name in ("state", "spool"):
            os.mkdir(self.path(name))
        with open(self.path("slurm.conf"), "w", encoding="utf-8") as f:
            f.write(CONF.format(dir=self.dir, host=host, cpus=os.cpu_count()))
        with open(self.path("cgroup.conf"), "w", encoding="utf-8") as f:
            f.write("CgroupPlugin=cgroup/v1\n")
        with open(self.path("munge.key"), "wb") as f:
            f.write(os.urandom(1024))
        os.chmod(self.path("munge.key"), 0o400)
        os.chmod(self.dir, 0o755)
        self.start("munged", "--foreground", "--force", f"--key-file={self.path('munge.key')}", f"--socket={self.path('munge.socket')}",
                   f"--pid-file={self.path('munge.pid')}", f"--log-file={self.path('munge.log')}", f"--seed-file={self.path('munge.seed')}")
        wait("the socket of munged", lambda: os.path.exists(self.path("munge.socket")), self)
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D", "-N", host)
        wait("a node that is idle", lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T").stdout, self)
        return self

    def __exit__(self, *_):
        for p in reversed(self.started):
            p.terminate()
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()


def wait(what, condition, cluster, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            for name in ("daemons.log", "slurmctld.log", "slurmd.log", "munge.log"):
                if os.path.exists(cluster.path(name)):
                    with open(cluster.path(name), encoding="utf-8") as f:
                        print(f"--- {name}\n{f.read()[-1500:]}")
            sys.exit(f"after {seconds} s still not: {what}")
        time.sleep(0.1)


def lines(path):
    try:
        with open(path, encoding="utf-8") as f:
            return sum(1 for _ in f)
    except FileNotFoundError:
        return 0


def run(sim, folder):
    options = ("--duration", "5")
    car, sweep = (os.path.join(SWEEPS, name) for name in ("quarter_car.yaml", "sweep.yaml"))
    with Cluster(folder) as c:
        c.env["ALI3_SIM"] = sim
        parts = [c.path(f"parts/part-{k}.csv") for k in range(SHARDS)]
        done = c.ask("sbatch", "--parsable", f"--array=0-{SHARDS - 1}", os.path.join(SWEEPS, "slurm.sh"), car, sweep, "body.car.position.z",
                     c.path("parts"), *options)
        job = done.stdout.strip()
        if done.returncode != 0:
            sys.exit(done.stderr)
        # One task is killed and requeued while it runs.
        wait("rows of the first task", lambda: lines(parts[0]) > 20, c)
        before = lines(parts[0])
        requeued = c.ask("scontrol", "requeue", f"{job}_0")
        if requeued.returncode != 0:
            sys.exit(f"the task was not requeued: {requeued.stderr}")
        wait("the end of the job", lambda: not c.ask("squeue", "-h", "-j", job).stdout.strip(), c, 300)
        restarts = c.ask("scontrol", "show", "job", f"{job}_0").stdout
        one, merged = c.path("one.csv"), c.path("merged.csv")
        subprocess.run([sim, "merge", "--output", merged, *parts], check=True)
        subprocess.run([sim, car, "--batch", sweep, "--quantities", "body.car.position.z", "--output", one, *options], check=True)
        with open(one, "rb") as a, open(merged, "rb") as b:
            if a.read() != b.read():
                sys.exit("the merged file differs from that of one process")
        if "Restarts=0" in restarts:
            sys.exit(f"the task was not restarted: {restarts}")
        print(f"{lines(one) - 1} runs in {SHARDS} tasks; task 0 requeued after {before - 1} rows; equal files")


def main():
    sim = os.path.abspath(sys.argv[1])
    if os.geteuid() != 0:
        skip("Slurm needs root")
    for name in ("sbatch", "slurmctld", "slurmd", "munged", "unshare"):
        if not shutil.which(name):
            skip(f"{name} is not installed")
    if os.environ.get("ALI3_OWN_NETWORK") != "1":
        command = 'ip link set lo up && ip address add 192.0.2.1/32 dev lo && exec "$@"'  # getaddrinfo() asks for an address
        os.execvpe("unshare", ["unshare", "--net", "sh", "-c", command, "sh", sys.executable, "-B", os.path.abspath(__file__), sim],
                   dict(os.environ, ALI3_OWN_NETWORK="1"))
    with tempfile.TemporaryDirectory(prefix="ali3-slurm-") as folder:
        run(sim, folder)


main()
