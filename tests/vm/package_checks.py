# SPDX-License-Identifier: MIT
"""The checks of the guest that installs Debian packages, in the order in which they run: an installation, an upgrade and a removal
beside a loop. The packages lie in /opt/ali3/made, and as a later version in /opt/ali3/next."""
import glob
import os
import re
import subprocess
import time

from checks import _rig_of
from host import Instance, figure, four_bar, sh, show, wait_for

_bench = Instance("bench", four_bar("bench"))


def _dpkg(*words):
    """Output of dpkg, without a terminal and without questions."""
    return sh("dpkg", "--force-confold", *words, seconds=900, env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def _ours():
    """Files of ours outside the tests and the lists of dpkg."""
    found = subprocess.run(["find", "/", "-xdev", "(", "-path", "/opt/ali3", "-o", "-path", "/proc", "-o", "-path", "/var/lib/dpkg", "-o",
                            "-path", "/var/log/journal", ")", "-prune", "-o", "-name", "*ali3*", "-print"],
                           capture_output=True, text=True, check=True)
    return [name for name in found.stdout.split() if "ali3-vm" not in name]


def an_installation_starts_nothing():
    os.rename("/etc/ali3/bench.yaml", "/tmp/bench.yaml")  # of this test
    _dpkg("--install", *sorted(glob.glob("/opt/ali3/made/*.deb")))
    os.rename("/tmp/bench.yaml", "/etc/ali3/bench.yaml")
    units = sh("systemctl", "list-units", "--all", "--plain", "--no-legend", "ali3d@*", "ali3-view*", "ali3-exporter*", "ali3-record@*")
    assert not units.strip(), units
    states = dict(re.findall(r"^(ali3\S+) +(\w+)", sh("systemctl", "list-unit-files", "--no-legend", "ali3*"), re.M))
    states.pop("ali3-vm.service", None)
    assert len(states) == 4 and set(states.values()) == {"disabled"}, states


def an_upgrade_leaves_the_loop():
    """The loop runs on with the program that it has, a line says so, and the new tools show it."""
    _bench.start()
    _bench.in_state("RUNNING")
    sh("systemctl", "start", "ali3-exporter")
    pid, exporter = show(_bench.unit, "MainPID"), show("ali3-exporter", "MainPID")
    before = _bench.watch()
    said = _dpkg("--install", *sorted(glob.glob("/opt/ali3/next/*.deb")))
    assert re.search(r"ali3d: ali3d@bench\.service runs on with version \S+; when the bench is free: systemctl restart ali3d@bench", said), said
    assert show(_bench.unit, "MainPID") == pid, f"process {pid} before, now {show(_bench.unit)}"
    assert show("ali3-exporter", "MainPID") == exporter
    wait_for("more cycles, shown by the new ali3-top", lambda: _bench.watch()["cycle"] > before["cycle"] + 20)
    assert _bench.state()[0] == "RUNNING", _bench.state()
    figure(f"misses before {before['misses']}, after {_bench.watch()['misses']}")
    _bench.stop()
    _bench.start()
    _bench.in_state("RUNNING")


def a_removal_parks_the_platform():
    rig = Instance("rig", _rig_of("rig"))
    rig.start()
    rig.in_state("STOPPED")
    rig.to_running()
    wait_for(lambda: f"the platform in run; it is {rig.watch()['platform']}", lambda: rig.watch()["platform"]["state"] == "run", 60)
    begin = time.monotonic()
    _dpkg("--remove", "ali3d")
    figure(f"dpkg --remove took {time.monotonic() - begin:.1f} s")
    assert re.search(r"(?s)platform: \w+ -> parked.*stopped: ", rig.said()), rig.said()[-2000:]
    assert not sh("systemctl", "list-units", "--plain", "--no-legend", "--state=active", "ali3d@*").strip()


def a_purge_leaves_nothing():
    sh("systemctl", "stop", "ali3-exporter")
    names = sh("dpkg-query", "-W", "-f", "${Package}\\n").split()
    for name in glob.glob("/etc/ali3/*.yaml"):
        os.unlink(name)  # a person's files
    _dpkg("--purge", *[n for n in names if n.startswith(("ali3", "libali3", "python3-ali3"))])
    assert not _ours(), _ours()
