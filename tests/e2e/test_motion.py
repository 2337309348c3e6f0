#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mechanism moves, every client sees one motion, and a force sent over OSC changes it."""
import csv
import math
import os
import struct
import subprocess
import time
import unittest

import bench

CRANK = bench.four_bar()["model"]["bodies"][0]["name"]
COLUMNS = ([f"body.{CRANK}.position.{c}" for c in "xyz"] + [f"body.{CRANK}.orientation.e{i}" for i in range(4)]
           + [f"body.{CRANK}.velocity.{c}" for c in "xyz"] + [f"body.{CRANK}.angular_velocity.{c}" for c in "xyz"])


def offline(config, seconds, folder):
    """The model by ali3-sim in one thread: {step: 13 values of the crank}."""
    file = os.path.join(folder, "sim.csv")
    subprocess.run([bench.program("ali3-sim"), config, "--duration", str(seconds), "--workers", "0", "--output", file],
                   check=True, timeout=bench.PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(file, encoding="utf-8") as f:
        return {round(float(row["time"]) / 0.01): [float(row[c]) for c in COLUMNS] for row in csv.DictReader(f)}


def depart(receiver, reference):
    """(time, state, values, distance) of the first frame in which the crank is a millimetre from the undisturbed run. In single frames
    the two runs may cross, or a busy host has not taken the push yet."""
    apart, t = 0.0, 0.0
    while apart <= 1e-3:
        _, t, state, values = receiver.frames(1, CRANK)[0]
        if round(t / 0.01) not in reference:
            raise AssertionError(f"at {t} s the crank is still in the undisturbed run")
        apart = max(abs(a - b) for a, b in zip(values[:3], reference[round(t / 0.01)][:3]))
    return t, state, values, apart


class Motion(unittest.TestCase):
    def test_mbpoll_sees_the_crank_move(self):
        mbpoll = bench.need("mbpoll")
        with bench.Daemon() as d:
            seen = []
            for _ in range(6):
                said = subprocess.run(
                    [mbpoll, "-o", "10", "-m", "tcp", "-p", str(d.modbus_port), "-a", "1", "-0", "-r", "1000", "-c", "3",
                     "-t", "3:float", "-B", "-1", "127.0.0.1"], capture_output=True, text=True, timeout=bench.PATIENCE, check=True).stdout
                pose = [float(line.split(":")[1]) for line in said.splitlines() if line.startswith("[")]
                self.assertEqual(len(pose), 3, said)
                # The crank is a bar of length 1 about the origin: its centre stays on a circle of radius 1/2.
                self.assertAlmostEqual(math.hypot(*pose), 0.5, places=4)
                seen.append(tuple(pose))
                bench.run_on(0.1)
            self.assertGreaterEqual(len(set(seen)), 4, f"the crank stands still: {seen}")

    def test_oscdump_sees_the_crank_move(self):
        oscdump = bench.need("oscdump")
        port = bench.free_port(bench.socket.SOCK_DGRAM)
        dump = subprocess.Popen([oscdump, "-L", str(port)], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            with bench.Daemon(osc={"targets": [{"host": "127.0.0.1", "port": port, "divisor": 5}]}):
                seen = set()
                for line in dump.stdout:  # the daemon sends for ever; ctest bounds a silence
                    word = line.split()
                    if len(word) == 16 and word[1] == f"/ali3/body/{CRANK}/state":
                        self.assertEqual(word[2], "f" * 13)
                        seen.add(tuple(word[3:6]))
                        if len(seen) == 10:
                            break
                self.assertEqual(len(seen), 10, "oscdump ended early")
        finally:
            bench.kill_client(dump)
            dump.stdout.close()

    def test_modbus_block_is_consistent(self):
        """Identification, and never a torn frame: pose, sequence and time of one block belong together."""
        with bench.Daemon() as d:
            c = bench.ModbusClient(d.modbus_port)
            self.assertEqual(c.inputs(0, 2), [0x4133, 0x0205])
            sequences, end = set(), time.monotonic() + 20
            while len(sequences) < 20:
                self.assertLess(time.monotonic(), end, "no new frames")
                block = c.inputs(0, 32)
                self.assertEqual(block[7], block[31])
                sequences.add(block[7])
                (t,) = struct.unpack(">f", struct.pack(">2H", *block[10:12]))
                self.assertGreaterEqual(t, 0)
                self.assertEqual(block[12], 10000)
            self.assertAlmostEqual(sum(e * e for e in c.floats(1006, 4)), 1.0, places=5)
            c.close()

    def test_undisturbed_is_the_offline_run_to_the_bit_and_a_force_changes_it(self):
        oscsendfile = bench.need("oscsendfile")  # it keeps one port: each oscsend is another sender, not the owner
        receiver = bench.OscReceiver()
        target = {"host": "127.0.0.1", "port": receiver.port, "profile": "d"}
        with bench.Daemon(osc={"targets": [target]}, realtime={"workers": 1}) as d:
            reference = offline(d.config, 20, d.dir)
            same = 0
            for _, t, state, values in receiver.frames(80, CRANK):
                if state == "RUNNING" and round(t / 0.01) in reference:
                    self.assertEqual(values, reference[round(t / 0.01)], f"at {t} s")
                    same += 1
            self.assertGreater(same, 50)

            # five times, a sixteenth of a second apart
            pushes = d.file("pushes", "".join(f"00000001.{k}0000000 /ali3/input/push/force fff 10 0 0\n" for k in range(5)))
            subprocess.run([oscsendfile, "127.0.0.1", str(d.osc_port), pushes], check=True, timeout=bench.PATIENCE)
            t, state, values, apart = depart(receiver, reference)
            print(f"10 N for about 0.3 s: at {t:.2f} s the crank is {apart:.3f} m from the undisturbed run")
            self.assertEqual(state, "RUNNING")
            self.assertAlmostEqual(math.hypot(*values[:3]), 0.5, places=9)
        receiver.close()

    def test_force_by_modbus_changes_it_too(self):
        receiver = bench.OscReceiver()
        target = {"host": "127.0.0.1", "port": receiver.port, "profile": "d"}
        with bench.Daemon(osc={"targets": [target]}) as d:
            reference = offline(d.config, 20, d.dir)
            c = bench.ModbusClient(d.modbus_port)
            push = list(struct.unpack(">2H", struct.pack(">f", 10.0)))
            for sequence in range(1, 6):
                c.write(100, push + [0] * 62 + [sequence])
                bench.pace(0.05)
            depart(receiver, reference)
            c.close()
        receiver.close()


if __name__ == "__main__":
    bench.main()
