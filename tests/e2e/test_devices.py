#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Devices that the daemon polls: devices of pymodbus, another ali3d, one on a serial line, and one that is killed, cuts its answers
short or hangs, again and again. A value that the daemon reads acts in the loop and is written to a device again, so that
the output shows the input."""
import json
import os
import random
import select
import socket
import struct
import subprocess
import tempfile
import threading
import tty
import unittest

import bench

PYTHON = "/usr/bin/python3"  # only this Python has the packages of the distribution
DEVICE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pymodbus_device.py")
MOTOR = {"forces": [{"name": "M", "type": "motor", "joint": "J1"}]}
READ = {"signal": "input.torque.value", "table": "holding", "address": 0}
WRITTEN = {"signal": "force.M.value", "table": "holding", "address": 100}


def need_pymodbus():
    found = subprocess.run([PYTHON, "-c", "import pymodbus.server"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise unittest.SkipTest(f"pymodbus is not there for {PYTHON}: {found.stderr.strip().splitlines()[-1]}")


class Pymodbus:
    """A device of pymodbus that can be killed and restarted."""

    def __init__(self):
        self.port = bench.free_port(socket.SOCK_STREAM)
        self.process = None

    def start(self, value):
        self.process = subprocess.Popen([PYTHON, DEVICE, str(self.port), str(value)], stdin=subprocess.DEVNULL)
        bench.wait_for("pymodbus to listen", self.listens)

    def listens(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        bench.kill_client(self.process)
        self.process = None

    def floats(self, first, count):
        """Over a separate connection."""
        client = bench.ModbusClient(self.port)
        try:
            words = client.read(3, first, 2 * count)
        finally:
            client.close()
        return struct.unpack(f">{count}f", struct.pack(f">{2 * count}H", *words))

    def set(self, value):
        client = bench.ModbusClient(self.port)
        client.write(0, struct.unpack(">2H", struct.pack(">f", value)))
        client.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.kill()


class Device:
    """A Modbus TCP device with consecutive registers. Keeps every float that is written to 100, and can cut
    its answers short or keep silent."""

    def __init__(self, value=0.0):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.value = value
        self.manner = "answer"
        self.written = []
        self.open = True
        self.threads = [threading.Thread(target=self.accept, daemon=True)]
        self.threads[0].start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection, bench.contextlib.suppress(OSError, EOFError):
            while self.open:
                self.answer(connection)

    def answer(self, connection):
        header = self.receive(connection, 6)
        body = self.receive(connection, struct.unpack(">H", header[4:])[0])
        unit, function, first, count = struct.unpack(">BBHH", body[:6])
        if function == 16:
            if first == 100:
                self.written.append(struct.unpack(">f", body[7:11])[0])
            pdu = struct.pack(">BBHH", unit, function, first, count)
        else:
            words = struct.pack(">f", self.value) + bytes(250)
            pdu = struct.pack(">BBB", unit, function, 2 * count) + words[2 * first:2 * (first + count)]
        packet = header[:4] + struct.pack(">H", len(pdu)) + pdu
        manner = self.manner
        if manner == "silent":
            return
        if manner == "cut":
            connection.sendall(packet[:random.randrange(1, len(packet))])
            connection.shutdown(socket.SHUT_RDWR)
            raise EOFError
        connection.sendall(packet)

    @staticmethod
    def receive(connection, n):
        data = b""
        while len(data) < n:
            more = connection.recv(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open = False
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def crc(data):
    """The CRC of Modbus RTU, from the specification."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return struct.pack("<H", value)


class LineDevice:
    """A Modbus RTU device, unit 1, with 200 holding registers at the end of a line."""

    def __init__(self, path):
        self.registers = [0] * 200
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd)
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        request = b""
        with bench.contextlib.suppress(OSError):  # the line has gone
            while not self.stop.is_set():
                if select.select([self.fd], [], [], 0.05)[0]:
                    request += os.read(self.fd, 300)
                    request = self.answer(request)
                else:
                    request = b""  # a pause ends a frame

    def answer(self, request):
        """The rest of the request: all of it, unless it was complete."""
        function = request[1] if len(request) > 6 else 0
        length = 9 + request[6] if function == 16 else 8
        if len(request) < length or request[0] != 1 or crc(request[:length - 2]) != request[length - 2:length]:
            return request
        first, count = struct.unpack(">HH", request[2:6])
        if function == 16:
            self.registers[first:first + count] = struct.unpack(f">{count}H", request[7:length - 2])
            answer = request[:6]
        else:
            answer = struct.pack(f">BBB{count}H", 1, function, 2 * count, *self.registers[first:first + count])
        os.write(self.fd, answer + crc(answer))
        return b""

    def set(self, value):
        self.registers[0:2] = struct.unpack(">2H", struct.pack(">f", value))

    def written(self):
        return struct.unpack(">f", struct.pack(">2H", *self.registers[100:102]))[0]

    def close(self):
        self.stop.set()
        self.thread.join()
        os.close(self.fd)


def daemon(devices, policy="hold", **more):
    inputs = [{"name": "torque", "force": "M", "policy": policy, "hold": 0.2, "ramp": 0, "recover": 1, "blend": 0}]
    return bench.Daemon(model=MOTOR, inputs=inputs, devices=devices, **more)


def polled(name, port, *entries, **more):
    return {"name": name, "host": "127.0.0.1", "port": port, "period": 0.01, "timeout": 0.5, "map": list(entries), **more}


def device(d, name):
    return next(v for v in d.watch()["devices"] if v["name"] == name)


def stale(d):
    return d.watch()["inputs"][0]["stale"]


class Devices(unittest.TestCase):
    def test_the_map_that_is_printed(self):
        with daemon([polled("plc", 1502, READ, WRITTEN, alive=77)]) as d:
            done = subprocess.run([bench.program("ali3d"), d.config, "--print-map=json"], capture_output=True, text=True, timeout=bench.PATIENCE,
                                  stdin=subprocess.DEVNULL, check=True)
        sheet = json.loads(done.stdout)
        (plc,) = [c for c in sheet["connections"] if c["text"] == "plc"]
        self.assertEqual((plc["listens"], plc["protocol"], plc["host"], plc["port"], plc["unit"]),
                         (False, "Modbus TCP", "127.0.0.1", 1502, 1))
        rows = [row for row in sheet["modbus"] if row["device"]]
        self.assertEqual({row["device"].split(" ")[0] for row in rows}, {"plc"})
        self.assertEqual([(row["signal"], row["address"]) for row in rows if row["address"] == 77], [("alive", 77)])
        self.assertEqual([(row["signal"], row["table"], row["address"], row["writable"]) for row in rows if row["address"] != 77],
                         [(READ["signal"], "holding", 0, False), (WRITTEN["signal"], "holding", 100, True)])

    def test_pymodbus_reads_and_writes(self):
        need_pymodbus()
        with Pymodbus() as plc:
            plc.start(0.25)
            safe = dict(WRITTEN, safe=-1)
            with daemon([polled("plc", plc.port, READ, safe, {"signal": "time", "table": "holding", "address": 102})]) as d:
                for value in [0.25, 0.5, -0.125]:
                    plc.set(value)
                    bench.wait_for(f"{value} to go around", lambda: plc.floats(100, 1)[0] == value)
                before = plc.floats(102, 1)[0]
                bench.wait_for("time to pass", lambda: plc.floats(102, 1)[0] > before)
                bench.wait_for("ali3-top to show it up", lambda: device(d, "plc")["state"] == "up")
                self.assertIsNotNone(device(d, "plc")["age_ms"])
                metrics = subprocess.run([bench.program("ali3-exporter"), "--once", "--name", d.name], capture_output=True,
                                         text=True, check=True).stdout
                self.assertIn(f'ali3_device_up{{daemon="{d.name}",device="plc"}} ', metrics)
                bench.wait_for("the log", lambda: "device plc: up\n" in d.said())
                self.assertIn(", 1 device;", d.said())
                status, _ = d.stop()
                self.assertEqual(status, 0)
                self.assertEqual(plc.floats(100, 1)[0], -1.0)  # the safe value is written last

    def test_a_device_that_is_not_there(self):
        port = bench.free_port(socket.SOCK_STREAM)
        with daemon([polled("plc", port, READ)]) as d:
            bench.wait_for("the refusal to be seen", lambda: device(d, "plc")["errors"]["unreachable"] > 1)
            self.assertEqual(d.watch()["status"], "degraded")
            self.assertIn("device plc connecting: Connection refused", d.watch()["reasons"])
            bench.wait_for("the log", lambda: "device plc: connecting: Connection refused\n" in d.said())
            self.assertEqual(d.stop()[0], 0)

    def test_killed_in_mid_poll(self):
        """The acting value is a value of the device, or 0 after the hold time; never any other."""
        need_pymodbus()
        values = [0.25, 0.5, 0.75, 1.0]
        with Pymodbus() as plc, Device() as out:
            plc.start(values[0])
            with daemon([polled("plc", plc.port, READ), polled("out", out.port, WRITTEN)], policy="ramp") as d:
                for i, value in enumerate(values):
                    bench.wait_for(f"{value} to come out", lambda: out.written and out.written[-1] == value)
                    bench.run_on(random.uniform(0, 0.02))
                    plc.kill()
                    bench.wait_for("the input to be stale", lambda: stale(d))
                    bench.wait_for("0 to come out", lambda: out.written[-1] == 0.0)
                    if i + 1 < len(values):
                        plc.start(values[i + 1])
                        bench.wait_for("the device to be up", lambda: device(d, "plc")["state"] == "up")
                self.assertLessEqual(set(out.written), {0.0, *values})
                self.assertGreaterEqual(device(d, "plc")["reconnects"], len(values) - 1)
                self.assertIn("device plc: up after ", d.said())

    def test_answers_cut_short(self):
        with Device(0.5) as plc, Device() as out:
            with daemon([polled("plc", plc.port, READ), polled("out", out.port, WRITTEN)]) as d:
                bench.wait_for("0.5 to come out", lambda: out.written and out.written[-1] == 0.5)
                for _ in range(8):
                    plc.manner = "cut"
                    lost = device(d, "plc")["errors"]["lost"]
                    bench.wait_for("an answer to be cut", lambda: device(d, "plc")["errors"]["lost"] > lost)
                    plc.manner = "answer"
                    bench.wait_for("the device to be up", lambda: device(d, "plc")["state"] == "up")
                plc.manner = "silent"
                bench.wait_for("an answer to be missed", lambda: device(d, "plc")["errors"]["timeout"] > 0)
                bench.wait_for("the input to be stale", lambda: stale(d))
                plc.manner = "answer"
                plc.value = 0.75
                bench.wait_for("0.75 to come out", lambda: out.written[-1] == 0.75)
                self.assertLessEqual(set(out.written), {0.0, 0.5, 0.75})

    def test_another_ali3d(self):
        """Its crank gives our torque, and our torque is its input."""
        numbered = {"signal": "time", "table": "holding", "address": 164, "type": "u16", "scale": 0.01}
        with bench.Daemon(inputs=[bench.push(policy="hold")]) as remote:
            crank = {"signal": "input.torque.value", "table": "input", "address": 1000}
            with daemon([polled("bench", remote.modbus_port, crank, WRITTEN, numbered)]) as d:
                bench.wait_for("the device to be up", lambda: device(d, "bench")["state"] == "up")
                client = bench.ModbusClient(remote.modbus_port)
                try:
                    bench.wait_for("its input to be set by us", lambda: remote.watch()["inputs"][0]["age_ms"] is not None)
                    client.command("pause", 1)
                    (x,) = client.floats(1000, 1)
                    self.assertNotEqual(x, 0.0)
                    bench.wait_for("the value to be back", lambda: client.read(3, 100, 2) == client.inputs(1000, 2))
                finally:
                    client.close()
                self.assertEqual(device(d, "bench")["errors"]["exception"], 0)
                bench.kill_client(remote.process)
                bench.wait_for("the input to be stale", lambda: stale(d))
                remote.start()
                bench.wait_for("the input to be fresh", lambda: not stale(d))

    def test_serial_line(self):
        socat = bench.need("socat")
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "ours"), os.path.join(folder, "theirs")

            def lay(value):
                process = subprocess.Popen([socat, f"pty,rawer,link={ours}", f"pty,rawer,link={theirs}"], stdin=subprocess.DEVNULL)
                bench.wait_for("the line", lambda: os.path.exists(ours) and os.path.exists(theirs))
                plc = LineDevice(theirs)
                plc.set(value)
                return process, plc

            entry = {"serial": ours, "period": 0.02, "timeout": 0.3}
            silent = dict(entry, name="silent", unit=2, map=[{"signal": "time", "table": "holding", "address": 0}])
            line, plc = lay(0.25)
            try:
                with daemon([dict(entry, name="plc", map=[READ, WRITTEN]), silent]) as d:
                    for value in [0.25, -0.5]:
                        plc.set(value)
                        bench.wait_for(f"{value} to go around", lambda: plc.written() == value)
                    bench.wait_for("unit 2 to be missed", lambda: device(d, "silent")["errors"]["timeout"] > 1)
                    bench.wait_for("unit 1 to be up", lambda: device(d, "plc")["state"] == "up")
                    for path in (ours, theirs):
                        os.unlink(path)  # before socat ends: its terminals may be another test's right after
                    bench.kill_client(line)
                    plc.close()
                    bench.wait_for("the line to be missed", lambda: device(d, "plc")["errors"]["unreachable"] > 0)
                    bench.wait_for("the input to be stale", lambda: stale(d))
                    line, plc = lay(0.75)
                    bench.wait_for("0.75 to go around", lambda: plc.written() == 0.75)
                    self.assertEqual(d.stop()[0], 0)
            finally:
                bench.kill_client(line)
                plc.close()


if __name__ == "__main__":
    bench.main()
