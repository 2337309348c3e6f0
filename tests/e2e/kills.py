# SPDX-License-Identifier: MIT
"""Peers that set an input and are killed (SIGKILL) at any time, also within a frame. Each time the input must end
by its policy, and the daemon must never show a value that nobody sent. The six channels of a wrench are always
equal, so that a torn frame is visible. The test watches the acting values in every cycle, over the OSC stream "input"."""
import contextlib
import os
import random
import signal
import socket
import struct
import threading
import time

import bench

PROTOCOLS = ("osc", "modbus", "device")
POLICIES = ("hold", "ramp", "safe")
VALUES = [struct.unpack(">f", struct.pack(">f", 1.0 + k / 17.0))[0] for k in range(16)]
HOLD = RAMP = 0.05  # s
PERIOD = 0.005      # s
WAIT = 300.0  # s: a limit that only bounds a failure
ALIVE = 200         # register of the device that counts
# A wrench that nobody takes away must not lead to a fault: this pendulum comes to rest under it.
MODEL = {"name": "pendulum", "gravity": [0, 0, -9.81],
         "bodies": [{"name": "bob", "mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, -0.5]}],
         "joints": [{"name": "pivot", "type": "revolute", "body_a": "ground", "body_b": "bob", "at": [0, 0, 0], "axis": [0, 1, 0]}],
         "forces": [{"name": "friction", "type": "joint_spring", "joint": "pivot", "stiffness": 1.0, "damping": 1.0}]}


class Wrong(Exception):
    """A forbidden value or end."""


def configuration(protocol, policy, device_port):
    config = {
        "model": MODEL,
        "cycle": {"period": PERIOD, "autostart": True, "warmup": 20},
        "inputs": [{"name": "push", "body": "bob", "policy": policy, "hold": HOLD,
                    "ramp": RAMP, "recover": 3, "blend": 0.02, "limit_force": 100.0, "limit_torque": 100.0}],
    }
    if protocol == "device":
        config["devices"] = [{
            "name": "remote", "host": "127.0.0.1", "port": device_port, "period": 0.01, "timeout": 0.1, "alive": ALIVE,
            "map": [{"signal": "input.push.force", "table": "holding", "address": 100},
                    {"signal": "input.push.torque", "table": "holding", "address": 106}]}]
    return config


# ---- peers: each runs in a process of its own until it is killed

def send_in_pieces(connection, data, choice):
    cuts = sorted(choice.randrange(len(data)) for _ in range(choice.randrange(3)))
    for a, b in zip([0, *cuts], [*cuts, len(data)]):
        connection.sendall(data[a:b])
        if b < len(data):
            time.sleep(choice.random() * 1e-3)


def osc_peer(port, choice):
    client = bench.OscClient(port)
    for sequence in range(1, 1 << 30):
        value = choice.choice(VALUES)
        client.send(bench.osc_message("/ali3/in/frame", "ihffffff", sequence, 0, *[value] * 6))
        time.sleep(PERIOD * choice.random())


def modbus_peer(port, choice):
    """Input frames of one write each: twelve registers of values, the rest 0, the sequence last."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(WAIT)
    for sequence in range(1, 1 << 30):
        value = struct.pack(">f", choice.choice(VALUES))
        words = value * 6 + bytes(2 * 52) + struct.pack(">H", sequence & 0xFFFF)
        body = struct.pack(">BHHB", 16, 100, 65, 130) + words
        send_in_pieces(connection, struct.pack(">HHHB", sequence & 0xFFFF, 0, len(body) + 1, 1) + body, choice)
        connection.recv(64)
        time.sleep(0.02 * choice.random())  # others must be served, too


def device_peer(port, choice):
    """A Modbus server that lets its registers be read: function 3 only."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(4)
    count = 0
    while True:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(ConnectionError, struct.error):
            while True:
                head = connection.recv(12, socket.MSG_WAITALL)
                transaction, _, _, unit, function, first, registers = struct.unpack(">HHHBBHH", head)
                assert function == 3, f"asked for function {function}"
                count += 1
                data = struct.pack(">f", choice.choice(VALUES)) * (registers // 2) if first < ALIVE else struct.pack(">H", count & 0xFFFF)
                answer = struct.pack(">BBB", unit, 3, len(data)) + data
                send_in_pieces(connection, struct.pack(">HHH", transaction, 0, len(answer)) + answer, choice)


PEERS = {"osc": osc_peer, "modbus": modbus_peer, "device": device_peer}


class Peer:
    def __init__(self, protocol, port, choice):
        seed = choice.random()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                PEERS[protocol](port, random.Random(seed))
            finally:
                os._exit(1)

    def ended(self):
        return os.waitpid(self.pid, os.WNOHANG)[0] == self.pid

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


# ---- what the daemon shows

class Observer(threading.Thread):
    """Sees every cycle; keeps the last value, and the first thing that is wrong."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.client = bench.OscClient(port)
        self.client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.client.socket.settimeout(0.5)
        self.lock = threading.Lock()
        self.stopped = False
        self.wrong, self.value, self.state, self.cycles = None, 0.0, "", 0
        self.rose = 0.0  # when a value other than 0 came last
        self.cycle = self.changed = 0  # the newest, and that of the last change

    def run(self):
        leased = 0.0
        while not self.stopped:
            if time.monotonic() > leased + 3:
                leased = time.monotonic()
                self.client.send(bench.osc_message("/ali3/sub", "siii", "input", 0, 1, 1))
            with contextlib.suppress(TimeoutError):
                self.take({address: values for address, _, values in bench.osc_decode(self.client.socket.recv(65536))})

    def take(self, messages):
        if "/ali3/input/push/force" not in messages:
            return
        six = messages["/ali3/input/push/force"] + messages["/ali3/input/push/torque"]
        with self.lock:
            self.state = bench.STATES[messages["/ali3/hdr"][2]]
            self.cycles += 1
            self.cycle = messages["/ali3/hdr"][0]
            if six[0] != self.value:
                self.value, self.changed = six[0], self.cycle
                self.rose = time.monotonic() if self.value > 0.0 else self.rose
            if len(set(six)) != 1 or not 0.0 <= six[0] <= max(VALUES):
                self.wrong = self.wrong or f"the channels show {six} in state {self.state}"

    def look(self):
        with self.lock:
            if self.wrong:
                raise Wrong(self.wrong)
            return self.value, self.state, (self.cycle - self.changed) * PERIOD

    def close(self):
        self.stopped = True
        self.join()
        self.client.close()


def wait_until(what, condition, seconds=WAIT):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"{what} did not come within {seconds} s")
        time.sleep(0.002)


def ended_well(observer, policy):
    value, state, unchanged = observer.look()
    if policy == "safe":
        return state == "SAFE" and value == 0.0
    if state != "RUNNING":
        raise Wrong(f"policy {policy} led to {state}")
    if policy == "ramp":
        return value == 0.0
    if unchanged > 4 * HOLD and value not in VALUES:
        raise Wrong(f"held at {value}, which nobody sent")
    return unchanged > 4 * HOLD


def one_kill(daemon, observer, protocol, policy, device_port, choice):
    port = {"osc": daemon.osc_port, "modbus": daemon.modbus_port, "device": device_port}[protocol]
    started = time.monotonic()
    peer = Peer(protocol, port, choice)
    try:
        # A peer that is late ends its input by itself, which may show its value for a few cycles or none.
        wait_until("the value of the peer", lambda: observer.look()[1] == "SAFE" or observer.rose > started)
        time.sleep(choice.random() * 0.05)
        if peer.ended():
            raise Wrong("the peer ended by itself")
    finally:
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            peer.kill()
    wait_until(f"the end by policy {policy}", lambda: ended_well(observer, policy))
    if policy == "safe":
        control = bench.OscClient(daemon.osc_port)
        try:
            requests = iter(range(1, 10))
            bench.run_again(lambda name: control.command(name, next(requests)))
        finally:
            control.close()
        wait_until("RUNNING", lambda: observer.look()[1] == "RUNNING")


def kill_many(protocol, policy, count, seed, progress=lambda done: None):
    """{"kills": their number, "cycles": number watched, "misses": of the daemon}; raises Wrong on an error."""
    choice = random.Random(f"{protocol} {policy} {seed}")
    device_port = bench.free_port(socket.SOCK_STREAM)
    with bench.Daemon(**configuration(protocol, policy, device_port)) as daemon:
        observer = Observer(daemon.osc_port)
        observer.start()
        try:
            for done in range(count):
                one_kill(daemon, observer, protocol, policy, device_port, choice)
                progress(done + 1)
        except Wrong as wrong:
            raise Wrong(f"{wrong}; the end of the log:\n{daemon.said()[-1000:]}") from None
        finally:
            observer.close()
        observer.look()
        status, report = daemon.stop()
        if status != 0:
            raise Wrong(f"ali3d ended with {status}")
        return {"kills": count, "cycles": observer.cycles, "misses": report["misses"]}
