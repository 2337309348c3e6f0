# SPDX-License-Identifier: MIT
"""The checks of the guest, in the order in which they run. Each function that has no underscore is one. They share the
instance `bench`, which the first of them starts."""
import contextlib
import json
import os
import re
import signal
import time
import urllib.request

import sentences
from host import FAULT_ESTOP, Instance, Skip, cursor, figure, four_bar, of_process, processes, sh, show, wait_for

MOST_EXPOSED = 2.0
DYNAMIC_USERS = range(61184, 65520)  # of systemd
PLATFORM = {
    "mode": "external", "input": "lead", "height": 0.77, "leg_min": 0.70, "leg_max": 1.00, "leg_rate": 0.5,
    "base": [[0.587, -0.125, 0], [0.587, 0.125, 0], [-0.185, 0.571, 0], [-0.401, 0.446, 0], [-0.401, -0.446, 0],
             [-0.185, -0.571, 0]],
    "top": [[0.301, -0.334, 0], [0.301, 0.334, 0], [0.139, 0.428, 0], [-0.440, 0.094, 0], [-0.440, -0.094, 0],
            [0.139, -0.428, 0]],
    "engage_time": 2, "park_time": 2, "fault_time": 0.5, "blend": 0.1}
NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
WITHOUT_RIGHTS = [*NOBODY, "prlimit", "--rtprio=0:0", "--memlock=65536:65536"]
WAKE_ALARM = "/sys/class/rtc/rtc0/wakealarm"
FAULT_STUCK = 7
_bench = Instance("bench", four_bar("bench"))


def _fetched(path):
    """A page of the exporter; None while nobody listens."""
    with contextlib.suppress(OSError):
        with urllib.request.urlopen(f"http://127.0.0.1:9464{path}", timeout=10) as answer:
            return answer.read().decode()
    return None


def _asleep():
    """Seconds for which the machine has been suspended since it started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def _rig_of(name):
    return four_bar(name, cycle={"autostart": False}, inputs=[{"name": "lead", "platform": "pose", "policy": "hold"}], platform=PLATFORM)


def _says(instance, pattern):
    """The log of the instance since `instance.since` has the pattern."""
    assert re.search(pattern, instance.said()), f"not in the log: {pattern}"


def debian_has_booted():
    """systemd is the first process, the kernel is real-time, and no unit has failed."""
    with open("/proc/1/comm", encoding="utf-8") as f:
        first = f.read().strip()
    assert first == "systemd", f"the first process is {first}"
    version = os.uname().version
    assert "PREEMPT_RT" in version, f"the kernel is {version}"
    _, running = sh("systemctl", "is-system-running", "--wait", check=False)
    failed = sh("systemctl", "list-units", "--failed", "--plain", "--no-legend")
    assert running.strip() == "running", f"the system is {running.strip()}; failed: {failed.strip() or 'none'}"
    figure(f"Linux {os.uname().release}, {sh('systemctl', '--version').splitlines()[0]}")


def units_are_well_formed():
    """Installed, with the programs in place: the service manager has no message about any key."""
    said = sh("systemd-analyze", "verify", "--man=no", "ali3d@bench.service", "ali3-exporter.service")
    assert not said.strip(), f"systemd-analyze verify: {said.strip()}"


def start_waits_for_ready():
    """Type=notify: the unit is `activating` during the warm-up and `active` after READY=1."""
    sh("systemctl", "start", "--no-block", _bench.unit)
    seen = set()

    def active():
        state = show(_bench.unit, "ActiveState")
        seen.add(state)
        assert state != "failed", "the unit has failed"
        return state == "active"

    wait_for(lambda: f"active; seen {seen}", active, 60)
    assert "activating" in seen, f"the states seen were {seen}"
    now = show(_bench.unit)
    assert now["Type"] == "notify", now
    cycle = _bench.watch()["cycle"]
    assert cycle >= 20, f"READY=1 before the end of the warm-up, at cycle {cycle}"
    _bench.in_state("RUNNING")
    wait_for(lambda: f"RUNNING in the status text; it is {show(_bench.unit, 'StatusText')}",
             lambda: re.match(r"RUNNING at cycle \d+", show(_bench.unit, "StatusText")))


def real_time_is_granted():
    """As an unprivileged user of the service manager: SCHED_FIFO for the loop, all memory locked."""
    watched = _bench.watch()
    assert watched["realtime"] is True, watched
    (pid,) = processes(_bench.unit)
    status = of_process(pid)
    user = int(status["Uid"].split()[0])
    assert user in DYNAMIC_USERS, f"user {user}"
    assert int(status["CapEff"], 16) == 0 and status["NoNewPrivs"] == "1", status
    assert int(status["VmLck"].split()[0]) > 0, status
    threads = {t: os.sched_getscheduler(int(t)) for t in os.listdir(f"/proc/{pid}/task")}
    fifo = [t for t, policy in threads.items() if policy & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO]
    assert fifo, f"no thread is SCHED_FIFO: {threads}"
    figure(f"user {user}, {len(fifo)} of {len(threads)} threads SCHED_FIFO {os.sched_getparam(int(fifo[0])).sched_priority}, "
           f"{status['VmLck']} locked")


def any_user_may_watch():
    """The shared memory of the service, which belongs to a dynamic user, is readable and accepted."""
    said = sh(*NOBODY, "/usr/local/bin/ali3-top", "--json", "--once", "--instance", _bench.name)
    assert json.loads(said)["state"] == "RUNNING", said


def reload_rereads_the_file():
    """SIGHUP through the service manager: a change acts, a mistake changes nothing, and the unit stays active."""
    pid = _bench.begin()
    changed = four_bar("bench", cycle={"grace": 7})
    _bench.write(changed)
    sh("systemctl", "reload", _bench.unit)
    wait_for("'changed: cycle.grace' in the log", lambda: "changed: cycle.grace" in _bench.said())
    _bench.write(four_bar("bench", cycle={"grace": "many"}))
    sh("systemctl", "reload", _bench.unit)
    wait_for("the error in the log", lambda: re.search(r"bench\.yaml:\d+:\d+: error: .*grace", _bench.said()))
    _bench.write(changed)
    wait_for("active", lambda: show(_bench.unit, "ActiveState") == "active")
    assert (show(_bench.unit, "MainPID"), _bench.state()[0]) == (str(pid), "RUNNING"), (pid, show(_bench.unit))


def exporter_under_a_dynamic_user():
    """It shows the instance over HTTP, without rights, behind the loop, and to this machine only."""
    sh("systemctl", "start", "ali3-exporter")
    text = wait_for("metrics", lambda: _fetched("/metrics"))
    assert re.search(r'(?m)^ali3_up\{.*daemon="bench".*\} 1$', text), text[:2000]
    assert re.search(r'(?m)^ali3_state\{.*daemon="bench".*state="RUNNING".*\} 1$', text), text[:2000]
    assert _fetched("/healthz"), "no answer to /healthz"
    (pid,) = processes("ali3-exporter")
    status = of_process(pid)
    user = int(status["Uid"].split()[0])
    assert user in DYNAMIC_USERS, f"user {user}"
    assert int(status["CapEff"], 16) == 0 and status["NoNewPrivs"] == "1", status
    nice = os.getpriority(os.PRIO_PROCESS, pid)
    assert nice == 5, f"nice {nice}"
    assert show("ali3-exporter", "NRestarts") == "0"
    figure(f"user {user}, {status['VmRSS']} resident")
    sh("systemctl", "stop", "ali3-exporter")
    assert show("ali3-exporter", "Result") == "success", show("ali3-exporter")


def watchdog_after_sigstop():
    """A stopped daemon does not feed the watchdog: the service manager aborts it and starts another."""
    pid = _bench.begin()
    os.kill(pid, signal.SIGSTOP)
    _bench.restarted(pid)
    _says(_bench, "Watchdog timeout")
    _bench.to_running()


def restart_after_kill_in_running():
    """An end without an order: the mechanism does not move again before an arm, also with autostart."""
    pid = _bench.begin()
    _bench.in_state("RUNNING")
    os.kill(pid, signal.SIGKILL)
    _bench.restarted(pid)
    state, _ = _bench.state()
    assert state in ("STOPPED", "SAFE"), f"expected STOPPED or SAFE after kill -9 in RUNNING, found {state}"
    _bench.to_running()


def restart_after_kill_with_an_estop_latched():
    """The e-stop survives the process: SAFE with its fault, a line in the log, and an end by the commands of a person."""
    _bench.to_running()
    _bench.command("estop")
    state = _bench.in_state("SAFE")
    assert state == ("SAFE", FAULT_ESTOP), state
    time.sleep(0.5)
    pid = _bench.begin()
    os.kill(pid, signal.SIGKILL)
    _bench.restarted(pid)
    state = _bench.state()
    assert state == ("SAFE", FAULT_ESTOP), f"expected SAFE with fault 1 (e-stop) after kill -9, found {state}"
    _says(_bench, "e-stop")
    cycle = _bench.watch()["cycle"]
    wait_for("20 more cycles", lambda: _bench.watch()["cycle"] > cycle + 20)
    assert _bench.state() == ("SAFE", FAULT_ESTOP), _bench.state()


def restart_by_a_person_with_an_estop_latched():
    """`systemctl restart` is no reset."""
    if _bench.state() != ("SAFE", FAULT_ESTOP):
        _bench.to_running()
        _bench.command("estop")
        _bench.in_state("SAFE")
        time.sleep(0.5)
    _bench.begin()
    sh("systemctl", "restart", _bench.unit, seconds=200)
    state = _bench.in_state("SAFE", "STOPPED", "RUNNING", "READY")
    assert state == ("SAFE", FAULT_ESTOP), f"expected SAFE with fault 1 (e-stop) after systemctl restart, found {state}"
    _bench.to_running()


def clean_stop():
    """Exit status 0, the report written, nothing left in shared memory, no restart."""
    if _bench.state() is None:
        _bench.start()
    _bench.to_running()
    _bench.begin()
    _bench.stop()
    now = show(_bench.unit)
    assert (now["ActiveState"], now["Result"], now["ExecMainStatus"]) == ("inactive", "success", "0"), now
    _says(_bench, f"SIGTERM: {sentences.STOPPING}")
    with open("/var/log/ali3/bench/report.json", encoding="utf-8") as f:
        report = json.load(f)
    assert report["realtime"] is True, report
    left = [name for name in os.listdir("/dev/shm") if name.startswith("ali3-")]
    assert not left, f"left in /dev/shm: {left}"
    time.sleep(5)
    assert show(_bench.unit, "ActiveState") == "inactive", show(_bench.unit)


def platform_is_parked_before_the_end():
    """The service manager waits until the motion platform stands in its park pose."""
    rig = Instance("rig", _rig_of("rig"))
    rig.start()
    rig.in_state("STOPPED")
    rig.to_running()
    wait_for(lambda: f"the platform in run; it is {rig.watch()['platform']}",
             lambda: rig.watch()["platform"]["state"] == "run", 60)
    rig.since = cursor()
    begin = time.monotonic()
    rig.stop()
    took = time.monotonic() - begin
    now = show(rig.unit)
    assert (now["ActiveState"], now["Result"], now["ExecMainStatus"]) == ("inactive", "success", "0"), now
    _says(rig, rf"(?s)EXIT: {sentences.LOOP_ENDED}.*platform: \w+ -> parked.*stopped: ")
    assert took > 1, f"the platform cannot have been parked in {took:.1f} s"
    figure(f"systemctl stop took {took:.1f} s")


def suspension_is_a_stop():
    """The machine sleeps while the platform rides: the daemon is in SAFE afterwards, and goes on after reset and arm only."""
    with open("/sys/power/state", encoding="utf-8") as f:
        kinds = f.read().split()
    if "mem" not in kinds or not os.path.exists(WAKE_ALARM):
        raise Skip(f"the emulated machine cannot suspend: /sys/power/state has {kinds}, {WAKE_ALARM} "
                   f"{'exists' if os.path.exists(WAKE_ALARM) else 'is missing'}")
    rig = Instance("sleeper", _rig_of("sleeper"))
    rig.start()
    rig.in_state("STOPPED")
    rig.to_running()
    rig.since = cursor()
    before = _asleep()
    for text in ("0", "+10"):
        with open(WAKE_ALARM, "w", encoding="utf-8") as f:
            f.write(text)
    status, said = sh("systemctl", "suspend", check=False)
    try:
        wait_for("the machine asleep for seconds", lambda: _asleep() > before + 2, 60)
    except AssertionError:
        raise Skip(f"systemctl suspend ended with status {status} and the machine did not sleep: {said.strip()}") from None
    figure(f"asleep for {_asleep() - before:.1f} s")
    state = rig.in_state("SAFE", "RUNNING", "FAULT")
    assert state == ("SAFE", FAULT_STUCK), f"expected SAFE with fault {FAULT_STUCK} after the suspension, found {state}"
    _says(rig, r"RUNNING -> SAFE.*the machine was suspended for \d")
    time.sleep(1)
    assert rig.state()[0] == "SAFE", rig.state()
    rig.to_running()
    rig.stop()


def wrong_file_is_not_tried_again():
    """Exit status 2 with file, line and column; no restart helps, and none is tried."""
    wrong = Instance("wrong", four_bar("wrong", cycle={"period": "often"}))
    wrong.since = cursor()
    status, said = sh("systemctl", "start", wrong.unit, check=False)
    assert status != 0, f"it started: {said}"
    time.sleep(10)
    now = show(wrong.unit)
    assert (now["ActiveState"], now["ExecMainStatus"], now["NRestarts"]) == ("failed", "2", "0"), now
    _says(wrong, r"wrong\.yaml:\d+:\d+: error: .*period")
    sh("systemctl", "reset-failed", wrong.unit)


def user_without_rights():
    """No real-time priority and little memory to lock: NOT REAL-TIME with the reason; refused where real time is required."""
    config = Instance("nobody", four_bar("nobody"))
    words = [*WITHOUT_RIGHTS, "/usr/local/bin/ali3d", f"/etc/ali3/{config.name}.yaml"]
    status, said = sh(*words, "--duration", "1", check=False)
    assert status == 0, f"status {status}: {said}"
    reason = re.search(sentences.NOT_REALTIME + "(.*)", said)
    assert reason, said
    for word in ("SCHED_FIFO", "rtprio", "memlock"):
        assert word in reason.group(1), f"no {word} in the reason: {reason.group(1)}"
    figure(reason.group())
    status, said = sh(*words, "--require-realtime", check=False)
    assert status == 3, f"status {status}: {said}"
    assert sentences.REALTIME_REQUIRED in said, said


def doctor_on_a_real_time_kernel():
    """It reports PREEMPT_RT, its exit status is its verdict, and only latencies may make the host unfit."""
    status, said = sh("/usr/local/bin/ali3-doctor", "--json", "--seconds", "1", check=False)
    report = json.loads(said)
    assert (status, report["verdict"]) in ((0, "fit"), (1, "usable"), (2, "unfit")), (status, report["verdict"])
    checks = {check["id"]: check for check in report["checks"]}
    preempt = checks["preempt"]
    assert (preempt["state"], preempt["found"]) == ("ok", "PREEMPT_RT"), preempt
    for name in ("fifo", "locked"):
        assert checks[name]["state"] == "ok", checks[name]
    bad = [check for check in report["checks"] if check["state"] == "bad"]
    assert all(check["measured"] for check in bad), f"bad, and not by a latency: {bad}"
    figure(f"status {status}, {report['verdict']}: {', '.join(report['reasons']) or 'nothing to mend'}")
    status, said = sh("/usr/local/bin/ali3-doctor", "--seconds", "0", check=False)
    assert re.search(r"(?m)^ok +preempt +PREEMPT_RT", said), said


def doctor_for_a_user_without_rights():
    """It names each right that is missing, and exits with 2."""
    status, said = sh(*WITHOUT_RIGHTS, "/usr/local/bin/ali3-doctor", "--json", "--seconds", "0.2", check=False)
    checks = {check["id"]: check for check in json.loads(said)["checks"]}
    assert status == 2, (status, said)
    assert {checks[name]["state"] for name in ("rtprio", "memlock", "fifo", "locked")} == {"bad"}, checks
    assert checks["preempt"]["state"] == "ok", checks["preempt"]


def exposure():
    """systemd-analyze security of the loaded units with their drop-ins."""
    for unit in ("ali3d@bench.service", "ali3-exporter.service"):
        said = sh("systemd-analyze", "security", "--no-pager", unit)
        found = re.search(r"Overall exposure level for \S+: (\d+\.\d+) (\w+)", said)
        assert found, said[-300:]
        figure(f"{unit} {found.group(1)} {found.group(2)}")
        assert float(found.group(1)) <= MOST_EXPOSED, f"{unit}: exposure {found.group(1)}, above {MOST_EXPOSED}"

