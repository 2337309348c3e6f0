# SPDX-License-Identifier: MIT
"""One measurement of tests/side_by_side: ali3d and cyclictest beside each other, each kept on a CPU of its own, and the
same load on both CPUs. Every process is the leader of a group that is ended by its id; signals only set a flag, so that
none comes between the start of a process and the note that it is to be ended."""
import contextlib
import ctypes
import dataclasses
import json
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import bench

SETTLE = 2.0       # s at most, and no longer than the measurement, between the start of the load and that of the programs
TICK = 0.2         # s, between looks at the processes
OVERFLOW = 10000   # us, from where on cyclictest only counts
LATENCY = "/dev/cpu_dma_latency"
LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1
FIGURES = ("max", "p9999", "median")
# A load for each of the two CPUs, so that both programs have equal neighbours. Sockets of the unix domain, because those of the
# ipv4 domain would listen on every network.
STRESS = ["--cpu", "1", "--vm", "1", "--vm-bytes", "256M", "--hdd", "1", "--hdd-bytes", "64M", "--timer", "1",
          "--switch", "1", "--sock", "1", "--sock-domain", "unix"]
# stress-ng told to end while it forks may leave a child behind: its whole group is killed at once, whoever tells it.
KEEPER = ["sh", "-c", 'trap "kill -KILL 0" TERM; "$@" & wait "$!"', "sh"]


class Failed(Exception):
    """A program failed."""


class Refused(Exception):
    """The host does not allow the measurement."""


class Stopped(Exception):
    """Stopped by a signal."""


@dataclasses.dataclass
class Plan:
    programs: str   # folder
    model: str      # file
    body: str       # of the model; the flood pushes it
    cpus: tuple
    priority: int
    interval_us: int

    def cycles(self, seconds):
        return max(1, round(seconds * 1e6 / self.interval_us))


class Signals:
    number = None

    def take(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, number, _):
        self.number = number

    def pause(self, seconds=TICK):
        end = time.monotonic() + seconds
        while self.number is None and time.monotonic() < end:
            time.sleep(min(TICK, max(0.0, end - time.monotonic())))
        if self.number is not None:
            raise Stopped(self.number)


class Process:
    """Leader of a group of its own. It is reaped when all is over, not before: until then nobody else can get the number
    by which its group is ended."""

    def __init__(self, name, command, folder, cpu=None, environment=None):
        self.name, self.log = name, os.path.join(folder, name + ".log")

        def before():  # in the child
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)  # should this script be killed
            if cpu is not None:
                os.sched_setaffinity(0, {cpu})

        with open(self.log, "w", encoding="utf-8") as log:
            self.popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=folder,
                env=dict(os.environ, **(environment or {})), start_new_session=True, preexec_fn=before)
        self.pid = self.popen.pid

    def status(self):
        """Exit status, or less than 0 for a signal; None while it runs."""
        info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None:
            return None
        return info.si_status if info.si_code == os.CLD_EXITED else -info.si_status

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read().strip()

    def failure(self):
        status = self.status()
        how = f"ended by signal {-status}" if status < 0 else f"ended with {status}"
        return Failed(f"{self.name} {how}: {self.said() or 'it said nothing'}")

    def end(self):
        limit = time.monotonic() + 5
        if self.status() is None:
            os.killpg(self.pid, signal.SIGTERM)
        while self.status() is None and time.monotonic() < limit:
            time.sleep(0.02)
        os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait()
        limit = time.monotonic() + 5
        with contextlib.suppress(OSError):  # none is left
            while time.monotonic() < limit:
                os.killpg(self.pid, 0)
                time.sleep(0.02)


class Processes:
    """Processes in a folder of their own. The end of the context ends them and removes the folder."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ali3-side-")
        self.started = []
        return self

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *arguments, **options):
        self.started.append(Process(*arguments, folder=self.folder, **options))
        return self.started[-1]

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def percentile(bins, total, largest, fraction):
    """The percentile of telemetry/book.c: upper edge of the 1 us bin, at most the maximum; entries without a bin are above all bins."""
    rank, below = math.ceil(fraction * total), 0
    for edge, count in bins:
        below += count
        if below >= rank:
            return min(edge + 1, largest)
    return largest


def ratio(a, b):
    return a / b if b else None


def holds_latency(pid):
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(os.path.join(folder, fd)) == LATENCY for fd in os.listdir(folder))
    except OSError:
        return False


def first_body(programs, model):
    """Name of a body of a model, from the head of the table that ali3-sim writes."""
    done = subprocess.run([os.path.join(programs, "ali3-sim"), model, "--duration", "1e-3", "--dt", "1e-3",
                           "--signals", "body.*.position.x", "--output", "-"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"ali3-sim: {done.stderr.strip()}")
    return next(name.split(".")[1] for name in done.stdout.splitlines()[0].split(",") if name.startswith("body."))


def configuration(plan, cpu, osc, modbus, target):
    """Only the model is taken from the file. No workers: they would run on the other CPU."""
    return {
        "model": {"file": os.path.abspath(plan.model)},
        "cycle": {"period": plan.interval_us * 1e-6},
        "realtime": {"priority": plan.priority, "cpu": cpu, "workers": 0},
        "inputs": [{"name": "push", "body": plan.body, "policy": "hold"}],
        "osc": {"port": osc, "targets": [{"host": "127.0.0.1", "port": target}]},
        "modbus": {"port": modbus, "max_clients": 16},
        "telemetry": {"name": f"side-{os.getpid()}-{random.randrange(1 << 30):x}"},
    }


class Measurement:
    """One part of a run: `load` and `flood` run beside the two programs."""

    def __init__(self, plan, signals, seconds, load, flood):
        self.plan, self.signals, self.seconds = plan, signals, seconds
        self.load, self.flood = load, flood
        self.osc, self.modbus = bench.free_port(socket.SOCK_DGRAM), bench.free_port(socket.SOCK_STREAM)

    def run(self, daemon_cpu, other_cpu, progress):
        """{"daemon": figures, "cyclictest": figures, "ratio": figures, "cpu_dma_latency_held": true or false}"""
        limit = self.seconds + SETTLE + 60  # s, by when the load ends by itself
        with Processes() as p, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target:
            target.bind(("127.0.0.1", 0))
            load = []
            if self.load:
                progress("load starts")
                load += [self.start_stress(p, cpu, limit) for cpu in self.plan.cpus]
                self.signals.pause(min(SETTLE, self.seconds))
            daemon = self.start_daemon(p, daemon_cpu, target.getsockname()[1])
            if self.flood:
                load += [self.start_flood(p, kind, cpu, limit) for cpu in self.plan.cpus for kind in ("osc", "modbus")]
            progress("warm-up")
            self.await_ready(daemon)
            held = holds_latency(daemon.pid)
            other = self.start_cyclictest(p, other_cpu, held)
            also_held = self.await_end(daemon, other, load, progress)
            if also_held != held:
                raise Failed(f"{LATENCY} held by ali3d: {held}, by cyclictest: {also_held}: both or neither would be fair")
            return self.result(p, held)

    def start_stress(self, p, cpu, limit):
        folder = p.path(f"stress-{cpu}")
        os.mkdir(folder)
        return p.start(f"stress-ng-{cpu}", [*KEEPER, "stress-ng", "--quiet", *STRESS, "--temp-path", folder,
                                            "--timeout", str(math.ceil(limit))], cpu=cpu)

    def start_flood(self, p, kind, cpu, limit):
        port = self.osc if kind == "osc" else self.modbus
        return p.start(f"flood-{kind}-{cpu}", [sys.executable, "-B", os.path.join(bench.ROOT, "tests", "e2e", "flood.py"),
                                               kind, str(port), str(limit)], cpu=cpu)

    def start_daemon(self, p, cpu, target):
        file = p.path("side.json")
        with open(file, "w", encoding="utf-8") as f:
            json.dump(configuration(self.plan, cpu, self.osc, self.modbus, target), f, indent=1)
        self.ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ready.bind(p.path("ready"))
        seconds = self.plan.cycles(self.seconds) * self.plan.interval_us * 1e-6
        return p.start("ali3d", [os.path.join(self.plan.programs, "ali3d"), file, "--require-realtime",
                                 "--duration", str(seconds), "--report", p.path("report.json")],
                       environment={"NOTIFY_SOCKET": p.path("ready")})

    def start_cyclictest(self, p, cpu, held):
        latency = ["--latency=0"] if held else ["--laptop"]
        return p.start("cyclictest", [
            "cyclictest", "-q", "-m", "--policy=fifo", f"-p{self.plan.priority}", f"-a{cpu}", "-t1",
            f"-i{self.plan.interval_us}", f"-l{self.plan.cycles(self.seconds)}", f"-h{OVERFLOW}",
            f"--json={p.path('cyclictest.json')}", *latency])

    def await_ready(self, daemon):
        """Closes the socket after the notification: a socket that nobody reads would block the daemon."""
        with self.ready as ready:
            ready.setblocking(False)
            while True:
                try:
                    if b"READY=1" in ready.recv(4096):
                        return
                except BlockingIOError:
                    if daemon.status() is not None:
                        raise (Refused(daemon.said()) if daemon.status() == 3 else daemon.failure()) from None
                    self.signals.pause(0.02)

    def await_end(self, daemon, other, load, progress):
        """Whether cyclictest held the power management while it ran."""
        start, held = time.monotonic(), False
        while daemon.status() != 0 or other.status() != 0:
            for process in (daemon, other):
                if process.status():
                    raise process.failure()
            for process in load:
                if process.status() is not None:
                    raise process.failure()
            held = held or holds_latency(other.pid)
            left = self.seconds - (time.monotonic() - start)
            if left < -30:
                raise Failed(f"ali3d and cyclictest did not end within 30 s after their {self.seconds:g} s")
            progress(f"{max(0, math.ceil(left))} s left")
            self.signals.pause()
        return held

    def result(self, p, held):
        with open(p.path("report.json"), encoding="utf-8") as f:
            report = json.load(f)
        with open(p.path("cyclictest.json"), encoding="utf-8") as f:
            (thread,) = json.load(f)["thread"].values()
        daemon = {key: report[key] for key in ("cycles", "misses", "skipped", "state", "version", "model", "wakeup_us",
                                               "step_us", "cycle_us")}
        daemon["miss_rate_below_95"] = report.get("miss_rate_below_95")
        daemon["osc_datagrams"] = sum(report["counters"][key] for key in ("osc_received", "osc_unknown", "osc_malformed"))
        daemon["modbus_requests"] = report["counters"]["modbus_requests"]
        daemon["histogram_us"] = report["histogram_us"]["wakeup"]
        bins = sorted([int(edge), count] for edge, count in thread["histogram"].items())
        total, largest = thread["cycles"], thread["max"]
        other = {"cycles": total, "histogram_us": bins, "overflow": total - sum(count for _, count in bins),
                 "wakeup_us": {"min": thread["min"], "max": largest,
                               **{name: percentile(bins, total, largest, fraction) for name, fraction in
                                  (("median", 0.5), ("p99", 0.99), ("p999", 0.999), ("p9999", 0.9999))}}}
        return {"daemon": daemon, "cyclictest": other, "cpu_dma_latency_held": held,
                "ratio": {key: ratio(daemon["wakeup_us"][key], other["wakeup_us"][key]) for key in FIGURES}}
