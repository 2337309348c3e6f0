# SPDX-License-Identifier: MIT
"""Shared by the checks of the guest: service manager, journal, configurations, and the state of an instance.

While the guest computes, its clock counts instructions (tests/vm/run): no wait is too short because the machine outside is
busy."""
import json
import os
import re
import subprocess
import time

import bench

with open("/proc/cmdline", encoding="utf-8") as f:
    BOOT = f.read().split()
PACKAGES = "ali3.packages" in BOOT  # the guest installs Debian packages, in place of an unpacked build
BIN = bench.BIN = "/usr/bin" if PACKAGES else "/usr/local/bin"
FIGURES_SHOWN = "MainPID,NRestarts,ActiveState,SubState,Result,ExecMainStatus,ExecMainCode,StatusText,Type"
FAULT_ESTOP = 1
RESET_TO_ARM = 1.0  # s; an arm sooner than 0.5 s after the frame that showed STOPPED is refused
figures = []  # figures of the running check, printed with it


class Skip(Exception):
    pass


def figure(text):
    figures.append(text)


def sh(*words, check=True, seconds=120, **options):
    """Output of a command with its standard error."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=seconds, check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(words)}: status {done.returncode}: {done.stdout.strip()}")
    return done.stdout if check else (done.returncode, done.stdout)


def cursor():
    """A place in the journal: the end of it."""
    sh("journalctl", "--sync")
    return re.search(r"-- cursor: (.*)", sh("journalctl", "-n", "0", "--show-cursor")).group(1)


def journal(since):
    """The journal after that place, of all units: with a filter journalctl 252 loses the first line after a cursor."""
    sh("journalctl", "--sync")
    return sh("journalctl", "-q", "--no-pager", "-o", "short-monotonic", f"--after-cursor={since}")


def show(unit, key=None):
    """Properties of a unit; of one key, the text."""
    lines = sh("systemctl", "show", "-p", key or FIGURES_SHOWN, unit).splitlines()
    values = dict(line.split("=", 1) for line in lines)
    return values[key] if key else values


def wait_for(what, condition, seconds=30):
    """Waits until condition() is true and returns its result. `what` may be a function. Each look starts processes."""
    end = time.monotonic() + seconds
    while True:
        got = condition()
        if got:
            return got
        assert time.monotonic() < end, f"after {seconds} s still not: {what() if callable(what) else what}"
        time.sleep(0.2)


def processes(unit):
    with open(f"/sys/fs/cgroup{show(unit, 'ControlGroup')}/cgroup.procs", encoding="utf-8") as f:
        return [int(line) for line in f]


def of_process(pid):
    """/proc/PID/status: {key: text}."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return dict(line.strip().split(":\t", 1) for line in f if ":\t" in line)


# A period of 50 ms: after ten of them without a cycle the daemon reports a stuck loop, which must not happen here.
def four_bar(name, **changes):
    """Configuration of an instance for the YAML reader; ports and shared memory have the instance's name."""
    number = sum(name.encode()) % 100
    config = {
        "model": bench.four_bar()["model"],
        "cycle": {"period": 0.05, "autostart": True, "warmup": 20, "overrun": "skip", "max_misses": 0},
        "osc": {"port": 9200 + number},
        "modbus": {"port": 1600 + number},
        "telemetry": {"name": name},
    }
    for section, keys in changes.items():
        config.setdefault(section, {}).update(keys) if isinstance(keys, dict) else config.update({section: keys})
    return config


class Instance:
    """ali3d@NAME with a configuration of its own."""

    def __init__(self, name, config):
        self.name, self.unit, self.config = name, f"ali3d@{name}", config
        self.request = 0
        self.write(config)

    def write(self, config):
        os.makedirs("/etc/ali3", exist_ok=True)
        with open(f"/etc/ali3/{self.name}.yaml", "w", encoding="utf-8") as f:
            f.write(config if isinstance(config, str) else json.dumps(config, indent=1))

    def start(self):
        self.since = cursor()
        sh("systemctl", "start", self.unit)

    def watch(self):
        """The output of ali3-top --json; None while there is nothing to read."""
        _, said = sh(f"{BIN}/ali3-top", "--json", "--once", "--instance", self.name, check=False)
        try:
            watched = json.loads(said)
        except json.JSONDecodeError:
            return None
        return watched if "state" in watched else None

    def state(self):
        watched = self.watch()
        return (watched["state"], watched["fault"]) if watched else None

    def in_state(self, *states, seconds=30):
        """Waits for one of these states: it and the fault."""
        return wait_for(lambda: f"{self.unit} in {' or '.join(states)}; it is {self.state()}, {show(self.unit)}",
                        lambda: (lambda now: now if now and now[0] in states else None)(self.state()), seconds)

    def begin(self):
        """Before a restart: its place in the journal and its process. Resets both counters of starts, which have a limit."""
        sh("systemctl", "reset-failed", self.unit)
        self.since = cursor()
        return int(show(self.unit, "MainPID"))

    def restarted(self, pid, seconds=60):
        """Waits until the service manager has started it again, once, and it is ready."""
        def ready():
            now = show(self.unit)
            return now["ActiveState"] == "active" and int(now["MainPID"]) not in (0, pid)
        wait_for(lambda: f"{self.unit} started again after process {pid}; it is {show(self.unit)}", ready, seconds)
        wait_for(f"shared memory of {self.unit}", self.watch)
        assert show(self.unit, "NRestarts") == "1", show(self.unit)

    def command(self, name):
        osc = bench.OscClient(self.config["osc"]["port"])
        try:
            self.request += 1
            result = osc.command(name, self.request)
        finally:
            osc.close()
        assert result == 0, f"command {name} in {self.state()}: result {result}"

    def to_running(self):
        """Leads to motion by the commands that the state needs."""
        state, _ = self.state()
        if state in ("SAFE", "FAULT"):
            self.command("reset")
            self.in_state("STOPPED")
            state = "STOPPED"
        if state == "STOPPED":
            time.sleep(RESET_TO_ARM)
            self.command("arm")
            self.in_state("READY")
        if state != "RUNNING":
            self.command("run")
        self.in_state("RUNNING")

    def said(self):
        return journal(self.since)

    def stop(self):
        sh("systemctl", "stop", self.unit, seconds=200)
