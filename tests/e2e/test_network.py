#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Over a network of two namespaces: rights by address, and input frames that get lost, doubled, late and out of order. The
disorder comes from tc netem if the kernel has it, else from the sender; the test prints which."""
import contextlib
import ctypes
import os
import random
import re
import socket
import subprocess
import time
import unittest

import bench

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
HERE, THERE, STRANGER = "10.77.0.1", "10.77.0.2", "10.77.0.3"
VALUES = [k / 8 for k in range(1, 16)]  # exact in 32 bits


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)


class Network:
    """Two namespaces joined by a cable: the daemon's (HERE) and the bench's (THERE and STRANGER)."""

    def __enter__(self):
        self.own, self.bench = f"ali3-{os.getpid()}-a", f"ali3-{os.getpid()}-b"
        a, b = f"va{os.getpid()}", f"vb{os.getpid()}"
        steps = [("netns", "add", self.own), ("netns", "add", self.bench), ("link", "add", a, "type", "veth", "peer", "name", b),
                 ("link", "set", a, "netns", self.own), ("link", "set", b, "netns", self.bench),
                 ("-n", self.own, "addr", "add", f"{HERE}/24", "dev", a), ("-n", self.bench, "addr", "add", f"{THERE}/24", "dev", b),
                 ("-n", self.bench, "addr", "add", f"{STRANGER}/24", "dev", b),
                 ("-n", self.own, "link", "set", a, "up"), ("-n", self.bench, "link", "set", b, "up"),
                 ("-n", self.own, "link", "set", "lo", "up")]
        self.device = b
        for step in steps:
            done = ip(*step)
            if done.returncode != 0:
                self.__exit__()
                raise unittest.SkipTest(f"ip {' '.join(step)}: {done.stderr.strip()}")
        return self

    def __exit__(self, *_):
        for name in (self.own, self.bench):  # takes the cable along
            ip("netns", "del", name)

    def netem(self):
        """Disorder by the kernel; returns False if the kernel lacks netem."""
        done = ip("netns", "exec", self.bench, "tc", "qdisc", "add", "dev", self.device, "root", "netem", "loss", "10%",
                  "delay", "8ms", "6ms", "reorder", "20%", "duplicate", "5%")
        return done.returncode == 0

    @contextlib.contextmanager
    def inside(self, name):
        """Sockets made here stay in that namespace."""
        with open("/proc/self/ns/net", encoding="utf-8") as back, open(f"/run/netns/{name}", encoding="utf-8") as there:
            if LIBC.setns(there.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            try:
                yield
            finally:
                if LIBC.setns(back.fileno(), CLONE_NEWNET) != 0:
                    os._exit(1)  # nothing may continue in a namespace that disappears

    def socket(self, host, port):
        with self.inside(self.bench):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind((host, 0))
            s.connect((HERE, port))
            return s


class Disorder:
    """The effects of netem by the sender: loses, doubles and delays datagrams."""

    def __init__(self, send):
        self.send, self.choice, self.held = send, random.Random(5), []

    def __call__(self, packet):
        if self.choice.random() < 0.10:
            return
        if self.choice.random() < 0.20:
            self.held.append((self.choice.randrange(1, 4), packet))
            return
        self.send(packet)
        if self.choice.random() < 0.05:
            self.send(packet)
        self.held = [(after - 1, late) for after, late in self.held]
        for _, late in [h for h in self.held if h[0] <= 0]:
            self.send(late)
        self.held = [h for h in self.held if h[0] > 0]


def shown(sock, seconds):
    """All values of the input that the stream shows in this time: a list of lists of six."""
    out, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        sock.settimeout(max(0.001, end - time.monotonic()))
        with contextlib.suppress(TimeoutError, ConnectionError):
            messages = {address: values for address, _, values in bench.osc_decode(sock.recv(65536))}
            if "/ali3/input/push/force" in messages:
                out.append(messages["/ali3/input/push/force"] + messages["/ali3/input/push/torque"])
    return out


def answered(sock, packet, address, seconds):
    sock.send(packet)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sock.settimeout(max(0.001, end - time.monotonic()))
        with contextlib.suppress(TimeoutError, ConnectionError):
            for got, _, values in bench.osc_decode(sock.recv(65536)):
                if got == address:
                    return values
    return None


class NetworkTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("network namespaces take root")
        self.network = self.enterContext(Network()) if hasattr(self, "enterContext") else self.enter(Network())

    def enter(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def daemon(self, **changes):
        body = bench.four_bar()["model"]["bodies"][0]["name"]
        config = {"inputs": [{"name": "push", "body": body, "policy": "ramp", "hold": 3, "ramp": 0.1, "recover": 3, "blend": 0.05}],
                  "osc": {"bind": HERE, "peers": [{"host": THERE}, {"host": STRANGER, "access": "read"}]},
                  "modbus": {"bind": HERE, "peers": [{"host": THERE}]}}
        config.update(changes)
        return bench.Daemon(prefix=["ip", "netns", "exec", self.network.own], **config)

    def test_rights_by_address(self):
        with self.daemon() as daemon:
            friend, stranger = (self.network.socket(host, daemon.osc_port) for host in (THERE, STRANGER))
            pause, run = (bench.osc_message(f"/ali3/cmd/{name}", "i", k) for k, name in ((7, "pause"), (8, "run")))
            self.assertEqual(answered(friend, pause, "/ali3/ack", bench.PATIENCE), ["pause", 7, 0])
            self.assertEqual(answered(friend, run, "/ali3/ack", bench.PATIENCE), ["run", 8, 0])
            self.assertEqual(answered(stranger, pause, "/ali3/ack", bench.PATIENCE), ["pause", 7, 2])
            self.assertIsNotNone(answered(stranger, bench.osc_message("/ali3/ping", "ih", 1, 2), "/ali3/pong", bench.PATIENCE))
            with self.network.inside(self.network.bench):
                refused = socket.create_connection((HERE, daemon.modbus_port), bench.PATIENCE, (STRANGER, 0))
                served = socket.create_connection((HERE, daemon.modbus_port), bench.PATIENCE, (THERE, 0))
            with refused, served:
                request = bytes([0, 1, 0, 0, 0, 6, 1, 4, 0, 0, 0, 1])
                served.sendall(request)
                self.assertEqual(served.recv(64)[-2:], b"\x41\x33")
                with contextlib.suppress(ConnectionError):
                    refused.sendall(request)
                    self.assertEqual(refused.recv(64), b"")
            # every peer that is served may send an e-stop
            stranger.send(bench.osc_message("/ali3/cmd/estop"))
            bench.wait_for("SAFE", lambda: daemon.watch()["state"] == "SAFE")
            friend.close()
            stranger.close()
            bench.wait_for("who asked for it, in the log", lambda: re.search(rf"e-?stop.*{STRANGER}:\d+", daemon.said()))

    def link_local(self, namespace, device):
        """The link-local address of a device, once no other machine can have it."""
        def found():
            text = ip("-n", namespace, "-6", "addr", "show", "dev", device, "scope", "link", "-tentative").stdout
            match = re.search(r"inet6 (fe80::\S+)/64", text)
            return match and match.group(1)
        if not ip("-n", namespace, "-6", "addr", "show", "dev", device, "scope", "link").stdout:
            self.skipTest("the kernel has no IPv6")
        return bench.wait_for("a link-local address", found)

    def test_link_local_addresses(self):
        """OSC, Modbus and packets at fe80:: addresses, which need an interface; a peer is known by both."""
        net = self.network
        near, far = net.device.replace("vb", "va"), net.device
        here, there = self.link_local(net.own, near), self.link_local(net.bench, far)
        with net.inside(net.bench):
            rig = self.enter(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
            rig.bind(("::", 0))
            rig.settimeout(bench.PATIENCE)
        packet = {"name": "rig", "host": f"{there}%{near}", "port": rig.getsockname()[1],
                  "fields": [{"type": "f32", "signal": "time"}, {"type": "zeros", "count": 1448}]}
        peers = [{"host": f"{there}%{near}"}]
        config = bench.Daemon(prefix=["ip", "netns", "exec", net.own], osc={"bind": f"{here}%{near}", "peers": peers},
                              modbus={"bind": f"{here}%{near}", "peers": peers}, packets=[packet])
        with config as daemon:
            self.assertEqual(len(rig.recv(4096)), 1452)
            with net.inside(net.bench):
                scope = socket.if_nametoindex(far)
                osc = self.enter(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM))
                osc.connect((here, daemon.osc_port, 0, scope))
                modbus = self.enter(socket.socket(socket.AF_INET6, socket.SOCK_STREAM))
                modbus.settimeout(bench.PATIENCE)
                modbus.connect((here, daemon.modbus_port, 0, scope))
            self.assertEqual(answered(osc, bench.osc_message("/ali3/cmd/pause", "i", 7), "/ali3/ack", bench.PATIENCE), ["pause", 7, 0])
            modbus.sendall(bytes([0, 1, 0, 0, 0, 6, 1, 4, 0, 0, 0, 1]))
            self.assertEqual(modbus.recv(64)[-2:], b"\x41\x33")
            with net.inside(net.own):
                fragments = ip("netns", "exec", net.own, "cat", "/proc/net/snmp6").stdout
            self.assertRegex(fragments, r"Ip6FragCreates\s+0\n")
            self.assertEqual(daemon.stop()[0], 0, daemon.said())

    def test_lost_late_and_doubled_frames(self):
        by_kernel = self.network.netem()
        print("disorder by tc netem" if by_kernel else "disorder by the sender: the kernel has no netem")
        with self.daemon() as daemon:
            sender, watcher = (self.network.socket(THERE, daemon.osc_port) for _ in range(2))
            watcher.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            watcher.send(bench.osc_message("/ali3/sub", "siii", "input", 0, 1, 1))
            send = sender.send if by_kernel else Disorder(sender.send)
            choice, seen = random.Random(3), []
            for sequence in range(1, 401):
                send(bench.osc_message("/ali3/in/frame", "ihffffff", sequence, 0, *[choice.choice(VALUES)] * 6))
                seen += shown(watcher, 0.005)
            counters = daemon.watch()["counters"]
            self.assertEqual(daemon.watch()["state"], "RUNNING")
            seen = [six for six in seen if any(six)]
            self.assertGreater(len(seen), 50)
            for six in seen:
                self.assertEqual(len(set(six)), 1, "a frame was taken in pieces")
            self.assertLessEqual({six[0] for six in seen}, set(VALUES), "a value that nobody sent")
            self.assertGreater(counters["osc_late"], 0, counters)
            self.assertGreater(counters["osc_repeated"], 0, counters)
            # and silence ends as the policy says
            bench.wait_for("the ramp to 0", lambda: any(not any(six) for six in shown(watcher, 0.2)))
            self.assertEqual(daemon.watch()["state"], "RUNNING")
            sender.close()
            watcher.close()


if __name__ == "__main__":
    bench.main()
