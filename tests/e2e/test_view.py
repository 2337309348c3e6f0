#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-view against a real daemon, without a browser: pages, streams, rights, a daemon that stops, ends and starts again, and a
recording. soak_view.py has the tests with a browser."""
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import unittest

import bench
import test_jog
import test_rig
from viewer import KINDS, Viewer, decode


# A binary STL file of one triangle, and the bytes that a page gets.
TRIANGLE = b"\0" * 80 + struct.pack("<I12f2x", 1, 0, 0, 1, 0, 0, 0, 100, 0, 0, 0, 200, 0)
PACKED = struct.pack("<4I2i9f", 1, 1, 1, 0, 1, -1, 0, 0, 0, 100, 0, 0, 0, 200, 0)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = bench.Daemon()
        cls.daemon.__enter__()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.view = Viewer()
        cls.addClassCleanup(cls.view.__exit__)

    def named(self, path, more=""):
        return f"{path}?name={self.daemon.name}{more}"

    def test_files(self):
        status, headers, body = self.view.ask("/")
        self.assertEqual(status, 200)
        self.assertIn(b"ali3-view", body)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")
        self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
        for name in ("style.css", "main.js", "scene.js"):
            self.assertEqual(self.view.ask(f"/{name}")[0], 200, name)
        for name in ("/../main.c", "/page/main.js", "/etc/passwd", "//main.js", "/main.js/", "/..%2fmain.c"):
            self.assertEqual(self.view.ask(name)[0], 404, name)

    def test_scene(self):
        scene = self.view.json(self.named("/api/v1/scene"))
        case = bench.four_bar()["model"]
        self.assertEqual([b["name"] for b in scene["bodies"]], [b["name"] for b in case["bodies"]])
        self.assertEqual([j["name"] for j in scene["joints"]], [j["name"] for j in case["joints"]])
        self.assertEqual(scene["instance"], self.daemon.name)
        signals = dict(self.view.json(self.named("/api/v1/signals"))["signals"])
        self.assertEqual(signals[f"body.{case['bodies'][0]['name']}.position.x"], "m")

    def test_shapes_and_platform(self):
        shape = {"body": "A", "shape": "box", "size": [1, 0.1, 0.1], "color": "#102030"}
        with bench.Daemon(model={"visual": [shape]}) as d:
            scene = self.view.json(f"/api/v1/scene?name={d.name}")
        self.assertEqual(scene["visual"], [{**shape, "position": [0, 0, 0], "orientation": [1, 0, 0, 0]}])
        self.assertNotIn("platform", scene)
        with open(os.path.join(bench.ROOT, "config", "demo", "car.yaml"), encoding="utf-8") as f:
            text = f.read().replace("../models/", os.path.join(bench.ROOT, "config", "models", ""))
        daemon = bench.Daemon()
        with open(daemon.config, "w", encoding="utf-8") as f:
            f.write(re.sub(r"^(osc|modbus|telemetry):(.*\n)(^[ #].*\n|^\n)*", "", text, flags=re.M))
            f.write(f"telemetry: {{name: {daemon.name}}}\n")
        with daemon as d:
            platform = self.view.json(f"/api/v1/scene?name={d.name}")["platform"]
        self.assertEqual([len(platform[k]) for k in ("base", "top", "neutral")], [6, 6, 6])
        self.assertTrue(all(platform["leg_min"] < leg < platform["leg_max"] for leg in platform["neutral"]))

    def test_mesh(self):
        d = bench.Daemon(model={"visual": [{"body": "A", "shape": "capsule", "size": [0.1, 0.1, 1]}, *(
            {"body": body, "shape": "mesh", "file": "bar.stl", "scale": 0.001} for body in ("A", "B"))]})
        with open(os.path.join(d.dir, "bar.stl"), "wb") as f:
            f.write(TRIANGLE)
        with d:
            scene = self.view.json(f"/api/v1/scene?name={d.name}")
            self.assertEqual([v.get("mesh") for v in scene["visual"]], [None, 1, 1])
            self.assertNotIn(d.dir, json.dumps(scene))  # the page learns no path
            path = f"/api/v1/mesh?name={d.name}&shape="
            status, headers, body = self.view.ask(path + "1")
            self.assertEqual((status, headers["Content-Type"], body), (200, "application/octet-stream", PACKED))
            self.assertEqual([self.view.ask(path + s)[0] for s in ("0", "3", "-1", "1.5", "1e9", "../1", "")], [404, 404] + 5 * [400])
            # A file that vanishes, grows or becomes a link to another place is not served.
            for change in (lambda f: os.remove(f), lambda f: os.symlink("/etc/hostname", f)):
                change(os.path.join(d.dir, "bar.stl"))
                status, _, body = self.view.ask(path + "2")
                self.assertEqual(status, 404)
                self.assertIn("bar.stl: ", json.loads(body)["error"])

    def test_two_meshes_at_a_time(self):
        d = bench.Daemon(model={"visual": [{"body": "A", "shape": "mesh", "file": "large.stl"}]})
        with open(os.path.join(d.dir, "large.stl"), "wb") as f:
            f.write(b"\0" * 80 + struct.pack("<I", 400000) + 400000 * TRIANGLE[84:])
        path = f"/api/v1/mesh?name={d.name}&shape=0"
        with d, contextlib.ExitStack() as open_ones:
            for _ in range(2):  # clients that take their time
                s = open_ones.enter_context(socket.create_connection(("127.0.0.1", self.view.port), timeout=bench.PATIENCE))
                s.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                self.assertIn(b" 200 ", s.recv(64))
            self.assertEqual(self.view.ask(path)[0], 503)
            open_ones.close()
            bench.wait_for("the end of both", lambda: self.view.ask(path)[0] == 200)

    def test_a_bad_mesh_stops_nobody(self):
        """A file of 2 MB whose nodes name a mesh of points 2000 times, which cost minutes and all other answers."""
        points = {"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"children": [1] * 2000}, {"mesh": 0}],
                  "meshes": [{"primitives": [{"mode": 0}] * 160000}]}
        text = json.dumps(points, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        d = bench.Daemon(model={"visual": [{"body": "A", "shape": "mesh", "file": "points.glb"}]})
        with open(os.path.join(d.dir, "points.glb"), "wb") as f:
            f.write(struct.pack("<5I", 0x46546c67, 2, 20 + len(text), len(text), 0x4e4f534a) + text)
        with d:
            status, _, body = self.view.ask(f"/api/v1/mesh?name={d.name}&shape=0")
            self.assertEqual(status, 404)
            self.assertIn("at most 100000 primitives", json.loads(body)["error"])

    def test_stream(self):
        with self.view.stream(f"name={self.daemon.name}&signals=pose,loop&dense=energy.*&rate=20") as s:
            self.assertEqual(s.status, 200)
            head = s.next("head")
            self.assertEqual((head["instance"], head["rate"], head["period_s"]), (self.daemon.name, 20, 0.01))
            self.assertEqual(len(head["signals"]), 3 * 7)
            # Every cycle is in the dense records once; frames come at the rate.
            times, frames = [], []
            while len(frames) < 12:
                kind, got = s.record()
                if kind == "dense":
                    times += [row[1] for row in got]
                    self.assertEqual(len(got[0]), 3 + len(head["dense"]))
                elif kind == "frame":
                    frames.append(got)
        steps = {round((b - a) / 0.01) for a, b in zip(times, times[1:])}
        self.assertEqual(steps, {1})
        spans = sorted(b["t_ns"] - a["t_ns"] for a, b in zip(frames[1:], frames[2:]))
        bench.in_time(self, abs(spans[len(spans) // 2] * 1e-9 - 0.05), 0.021)
        self.assertEqual(frames[-1]["state"], "RUNNING")

    def test_history(self):
        """Values of the last seconds come first, with every cycle once and in order, and only then frames."""
        bench.wait_for("three seconds", lambda: self.daemon.watch()["cycle"] > 400)
        with self.view.stream(f"name={self.daemon.name}&signals=pose&dense=energy.total&history=3") as s:
            cycles, before = [], 0
            while True:
                kind, got = s.record()
                if kind == "dense":
                    cycles += [row[0] for row in got]
                elif kind == "frame":
                    before = before or len(cycles)
                    if got["cycle"] > cycles[0] + 310:
                        break
        self.assertGreaterEqual(before, 300)
        self.assertEqual(cycles, list(range(cycles[0], cycles[0] + len(cycles))))
        # More than the ring has.
        with self.view.stream(f"name={self.daemon.name}&dense=energy.total&history=3600") as s:
            first = s.next("dense")
            self.assertGreater(len(first), 100)

    def test_refusals(self):
        for query in ("history=-1", "history=x", "rate=0", "rate=x", "rate=1e9", "name=../x", "colour=red", "signals=" + "a" * 3000, "rate=30%00"):
            self.assertEqual(self.view.ask("/api/v1/stream?" + query)[0], 400, query[:40])
        self.assertEqual(self.view.ask("/api/v1/stream?name=nobody")[0], 404)
        self.assertEqual(self.view.ask("/", headers={"Host": "evil.example"})[0], 421)
        self.assertEqual(self.view.ask("/", method="PUT")[0], 405)
        self.assertEqual(self.view.ask("/", headers={"Content-Length": "5"}, method="GET", body=b"hello")[0], 413)

    def test_without_control_nothing_is_taken(self):
        self.assertIsNone(self.view.token)
        for path in ("/api/v1/command", "/api/v1/input", "/"):
            self.assertEqual(self.view.post(path, {"command": "pause"}, token="0" * 32)[0], 405)

    def test_a_reader_that_stalls_gets_the_newest_frame(self):
        query = f"name={self.daemon.name}&signals=pose,sensor.*&rate=100"
        with self.view.stream(query) as s, self.view.stream(query) as quick:
            s.next("frame")
            bench.run_on(1.5)
            # Frames that the sockets hold are old; there are far fewer of them than a queue would have.
            newest = quick.next("frame")["cycle"]
            for _ in range(1000):
                if s.next("frame")["cycle"] >= newest:
                    break
            else:
                self.fail("the stream lags behind")


class Contrast(unittest.TestCase):
    """WCAG 2: text has a contrast of 4.5 to 1 in the light and in the dark scheme."""

    TEXTS = ("ink", "faint", "good", "warn", "bad", "blue")

    @staticmethod
    def luminance(color):
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055)**2.4 for x in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    @classmethod
    def ratio(cls, a, b):
        low, high = sorted((cls.luminance(a), cls.luminance(b)))
        return (high + 0.05) / (low + 0.05)

    @classmethod
    def schemes(cls):
        """The variables of the style sheet as colours from 0 to 1: light, dark."""
        with open(os.path.join(bench.ROOT, "tools", "ali3-view", "page", "style.css"), encoding="utf-8") as f:
            roots = re.findall(r":root \{(.*?)\}", f.read(), re.S)
        light, dark = ({name: [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)] for name, digits in re.findall(r"--(\w+): #(\w{6})", root)}
                       for root in roots)
        return light, {**light, **dark}

    def test_texts(self):
        for scheme in self.schemes():
            pairs = [(text, behind) for text in self.TEXTS for behind in ("paper", "panel")] + [("ink", "notice")]
            least = min(pairs, key=lambda pair: self.ratio(scheme[pair[0]], scheme[pair[1]]))
            print(f"least contrast of a text: {self.ratio(scheme[least[0]], scheme[least[1]]):.2f}, {least[0]} on {least[1]}")
            self.assertGreaterEqual(self.ratio(scheme[least[0]], scheme[least[1]]), 4.5, least)
            self.assertGreaterEqual(self.ratio([1, 1, 1], scheme["stop"]), 4.5)
            # Texts on the picture have a veil, whatever is behind it; a picture that stands still is behind a grey one.
            for behind in ([0, 0, 0], [1, 1, 1]):
                veil = [0.85 * p + 0.15 * b for p, b in zip(scheme["paper"], behind)]
                self.assertGreaterEqual(self.ratio(scheme["ink"], veil), 4.5)
            still = [0.65 * p + 0.35 * 120 / 255 for p in scheme["paper"]]
            self.assertGreaterEqual(self.ratio(scheme["ink"], still), 4.5)


class Rights(unittest.TestCase):
    def test_posts(self):
        with bench.Daemon() as d, Viewer("--control") as view:
            path = f"/api/v1/command?name={d.name}"
            self.assertEqual(view.post(path, {"command": "pause"}), (200, {"code": 0, "text": "done"}))
            self.assertEqual(d.watch()["state"], "PAUSED")
            self.assertEqual(view.post(path, {"command": "run"})[1]["code"], 0)
            self.assertEqual(view.post(path, {"command": "run"})[1]["code"], 1)  # wrong state
            self.assertEqual(view.post(path, {"command": "step"})[0], 400)
            self.assertEqual(view.post(path, ["run"])[0], 400)
            self.assertEqual(view.post(path, {"command": "run"}, token=None)[0], 401)
            for headers, status in (({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Host": "evil.example"}, 421),
                                    ({"Content-Type": "text/plain"}, 415), ({"Origin": f"http://localhost:{view.port}"}, 200)):
                self.assertEqual(view.post(path, {"command": "clear"}, **headers)[0], status, headers)
            self.assertEqual(view.post(path, {"command": "x" * 5000})[0], 413)
            # The sixth wrong token in ten seconds is told to wait; the right token and the e-stop are not.
            self.assertEqual([view.post(path, {"command": "run"}, token="f" * 32)[0] for _ in range(6)], [401] * 5 + [429])
            self.assertEqual(view.post(path, {"command": "clear"})[0], 200)
            self.assertEqual(view.post(path, {"command": "estop"}, token="f" * 32), (200, {"code": 0, "text": "done"}))
            self.assertEqual(d.watch()["state"], "SAFE")

    def test_a_description_is_read_once(self):
        """A jog sends 20 commands a second: the viewer reads the description of a daemon for the first one, and then for another daemon."""
        with bench.Daemon() as d, bench.Daemon() as other, Viewer("--control") as view:
            path = f"/api/v1/command?name={d.name}"
            self.assertEqual(view.post(path, {"command": "pause"})[1]["code"], 0)
            os.remove(f"/dev/shm/ali3-{d.name}.osc")
            self.assertEqual(view.post(path, {"command": "run"})[1]["code"], 0)
            self.assertEqual(view.post(f"/api/v1/command?name={other.name}", {"command": "pause"})[1]["code"], 0)
            self.assertEqual((d.watch()["state"], other.watch()["state"]), ("RUNNING", "PAUSED"))
            self.assertEqual(view.post(path, {"command": "pause"})[0], 404)

    def test_an_estop_needs_no_token(self):
        for arguments in ((), ("--control",)):
            with self.subTest(arguments), bench.Daemon() as d, Viewer(*arguments) as view:
                path = f"/api/v1/command?name={d.name}"
                for headers, status in (({"Origin": "http://evil.example"}, 403), ({"Content-Type": "text/plain"}, 415),
                                        ({"Host": "evil.example"}, 421), ({"Sec-Fetch-Site": "cross-site"}, 403)):
                    self.assertEqual(view.post(path, {"command": "estop"}, token=None, **headers)[0], status, headers)
                for other in ("pause", "reset", "ESTOP", None):
                    self.assertEqual(view.post(path, {"command": other}, token=None)[0], 401 if arguments else 405)
                self.assertEqual(d.watch()["state"], "RUNNING")
                self.assertEqual(view.post(path, {"command": "estop"}, token=None), (200, {"code": 0, "text": "done"}))
                self.assertEqual(d.watch()["state"], "SAFE")

    def test_an_estop_is_the_daemons_right(self):
        with bench.Daemon(osc={"peers": [{"host": "192.0.2.1", "access": "jog"}]}) as d, Viewer("--control") as view:
            self.assertEqual(view.post(f"/api/v1/command?name={d.name}", {"command": "estop"}, token=None)[0], 504)
            self.assertEqual(d.watch()["state"], "RUNNING")

    def test_one_address_has_half_of_the_streams(self):
        with bench.Daemon() as d, Viewer() as view:
            query = f"name={d.name}&signals=pose"
            mine = [view.stream(query) for _ in range(5)]
            self.assertEqual([s.status for s in mine], [200] * 4 + [503])
            with view.stream(query, "127.0.0.7") as other:
                self.assertEqual(other.status, 200)
            for s in mine:
                s.__exit__()
            bench.wait_for("a free place", lambda: self.status_of_stream(view, query) == 200)
            with view.stream(query, headers="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n") as foreign:
                self.assertEqual(foreign.status, 403)

    @staticmethod
    def status_of_stream(view, query):
        with view.stream(query) as s:
            return s.status

    def test_heads(self):
        """A link from another site opens the page, but reads nothing. %00 does not end a path. HTTP/1.1 has a Host."""
        with Viewer() as view:
            link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
            self.assertEqual(view.ask("/", headers=link)[0], 200)
            self.assertEqual(view.ask("/api/v1/abilities", headers=link)[0], 403)
            self.assertEqual(view.ask("/index.html%00.js")[0], 404)
            self.assertEqual(view.ask("/%69ndex.html")[0], 200)
            self.assertEqual(self.raw(view, b"GET / HTTP/1.1\r\n\r\n"), 400)
            self.assertEqual(self.raw(view, b"GET / HTTP/1.0\r\n\r\n"), 200)

    @staticmethod
    def raw(view, head):
        with socket.create_connection(("127.0.0.1", view.port), bench.PATIENCE) as s:
            s.sendall(head)
            return int(s.makefile("rb").readline().split()[1])

    def test_input_lasts_while_it_is_asked_for(self):
        with bench.Daemon(inputs=[bench.push(policy="hold", hold=3)]) as d, Viewer("--control") as view:
            path = f"/api/v1/input?name={d.name}"
            self.assertEqual(view.post(path, {"name": "push", "values": [1, 2]})[0], 404)
            self.assertEqual(view.post(path, {"name": "nothing", "values": [1]})[0], 404)
            self.assertEqual(view.post(path, {"name": "push", "values": [1.5, 0, 0, 0, 0, 0]})[0], 200)
            seen = bench.wait_for("the force", lambda: (i := d.watch()["inputs"][0])["channels"][0]["written"] == 1.5 and i)
            self.assertFalse(seen["stale"])
            bench.wait_for("a stale input once nobody asks for it", lambda: d.watch()["inputs"][0]["stale"])

    def test_jog_lasts_while_it_is_asked_for(self):
        platform = dict(test_rig.PLATFORM, jog=test_jog.JOG)
        for access in ("jog", "write"):
            with self.subTest(access), bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS[:1], platform=platform,
                                                    osc={"peers": [{"host": "127.0.0.1", "access": access}]}) as d, Viewer("--control") as view:
                path = f"/api/v1/jog?name={d.name}"
                bench.wait_for("ready", lambda: "warm-up cycles done" in d.said())
                hand = {"hand": 5, "number": 1}
                for wrong in ({"part": "leg3"}, {"speed": 1}, {"part": "leg3", "speed": 1.1}, {"part": "leg3", "speed": "1"}, {"part": 3, "speed": 1}):
                    self.assertEqual(view.post(path, {**wrong, **hand})[0], 400, wrong)
                for wrong in ({}, {"hand": 5}, {"number": 1}, {"hand": 0, "number": 1}, {"hand": 5, "number": 1.5}, {"hand": 1 << 31, "number": 1}):
                    self.assertEqual(view.post(path, {"part": "leg3", "speed": 1, **wrong})[0], 400, wrong)
                if access == "write":
                    self.assertEqual(view.post(path, {"part": "leg3", "speed": 1, **hand})[1]["code"], 2)
                    self.assertEqual(d.watch()["platform"]["state"], "unknown")
                    continue
                self.assertEqual(view.post(path, {"part": "leg9", "speed": 1, **hand})[1], {"code": 7, "text": "no such name"})
                presser = test_jog.Presser("leg3", 1)
                button = test_jog.Button(lambda v=view, p=path, h=presser: v.post(p, h.body()))
                self.addCleanup(button.die)
                bench.wait_for("jog", lambda: d.watch()["platform"]["state"] == "jog")
                # A page that is open elsewhere, and a request of the first page that comes again.
                self.assertEqual(view.post(path, {"part": "leg3", "speed": 1, "hand": 6, "number": 1})[1]["code"], 4)
                self.assertEqual(view.post(path, {"part": "leg3", "speed": 1, "hand": presser.hand, "number": 1})[1]["code"], 4)
                button.die()
                bench.wait_for("its end", lambda: "its command was not repeated in time" in d.said())

    def test_a_late_byte_moves_nothing(self):
        """The head of a press comes in time, and its last byte after the bound of 0.3 s."""
        with bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS[:1], platform=dict(test_rig.PLATFORM, jog=test_jog.JOG),
                          osc={"peers": test_jog.PEERS}) as d, Viewer("--control") as view:
            path = f"/api/v1/jog?name={d.name}"
            hand = test_jog.Presser("heave", 1)
            self.assertEqual(view.post(path, hand.body())[1]["code"], 0)  # the release
            body = json.dumps(hand.body()).encode()
            with socket.create_connection(("127.0.0.1", view.port)) as s:
                s.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{view.port}\r\nAuthorization: Bearer {view.token}\r\n"
                          f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body[:-1])
                bench.run_on(0.6)
                s.sendall(body[-1:])
                self.assertIn(b" 408 ", s.recv(4096).split(b"\r\n")[0])
            self.assertEqual(d.watch()["platform"]["state"], "unknown")
            self.assertNotIn("jog of", d.said())

    def test_silent_daemon(self):
        with bench.Daemon() as d, Viewer("--control") as view:
            d.process.send_signal(signal.SIGSTOP)
            try:
                self.assertEqual(view.post(f"/api/v1/command?name={d.name}", {"command": "pause"})[0], 504)
            finally:
                d.process.send_signal(signal.SIGCONT)

    def test_token_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".token") as f, bench.Daemon() as d:
            f.write("a-token-of-the-bench\n")
            f.flush()
            with Viewer("--token-file", f.name) as view:
                self.assertIsNone(view.token)  # and it is not printed
                path = f"/api/v1/command?name={d.name}"
                self.assertEqual(view.post(path, {"command": "pause"}, token="a-token-of-the-bench")[0], 200)
                self.assertEqual(view.post(path, {"command": "run"}, token="a-token-of-the-benc")[0], 401)


class Ends(unittest.TestCase):
    def test_stop_and_restart(self):
        with bench.Daemon() as d, Viewer() as view, view.stream(f"name={d.name}&signals=pose,events") as s:
            s.next("frame")
            d.process.send_signal(signal.SIGSTOP)
            s.next("still", bench.PATIENCE)
            d.process.send_signal(signal.SIGCONT)
            s.next("frame", bench.PATIENCE)
            d.stop()
            self.assertIn(d.name, s.next("gone", bench.PATIENCE)["reason"])
            self.assertIsNone(s.record())
            self.assertEqual(view.ask(f"/api/v1/scene?name={d.name}")[0], 404)
            d.start_again()
            self.assertEqual(view.ask(f"/api/v1/scene?name={d.name}")[0], 200)

    def test_events_and_platform(self):
        with bench.Daemon() as d, Viewer() as view, view.stream(f"name={d.name}&signals=events") as s:
            state = s.next("event")
            self.assertEqual((state["kind"], state["to"]), ("state", "RUNNING"))
            d.process.send_signal(signal.SIGSTOP)
            bench.run_on(0.1)
            d.process.send_signal(signal.SIGCONT)
            miss = s.next("event")
            self.assertEqual(miss["kind"], "miss")
            self.assertTrue(miss["cause"] and miss["text"] and miss["cycle_us"] > 10000, miss)

    def test_signals_end_it(self):
        with Viewer() as view:
            self.assertEqual(view.stop(signal.SIGINT), 0)
        with Viewer("--control") as view, bench.Daemon() as d, view.stream(f"name={d.name}") as s:
            s.next("frame")
            self.assertEqual(view.stop(), 0)

    def test_usage(self):
        for arguments in (("--listen", "0.0.0.0:0"), ("--listen", "localhost:1"), ("--file", "x", "--control"), ("--name", "a/b"), ("x",)):
            done = subprocess.run([bench.program("ali3-view"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
            self.assertEqual(done.returncode, 2, arguments)
        done = subprocess.run([bench.program("ali3-view"), "--file", "/nowhere.h5"], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere.h5: cannot be read as an HDF5 file", done.stderr)


class OnePage(unittest.TestCase):
    def test_run(self):
        if not os.path.exists("/usr/share/javascript/three/three.min.js"):
            self.skipTest("libjs-three is not installed")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.html")
            subprocess.run([bench.program("ali3-sim"), os.path.join(bench.ROOT, "config", "models", "four_bar.yaml"), "--duration", "2",
                            "--view", path, "--signals", "energy.total"], check=True, capture_output=True, timeout=bench.PATIENCE)
            with open(path, encoding="utf-8") as f:
                page = f.read()
        self.assertNotRegex(page, r"<(script|link|img)[^>]*(src|href)=(?!\"data:)")
        run = json.loads(re.search(r'id="ali3-run">(.*?)</script>', page, re.S).group(1))
        self.assertEqual([b["name"] for b in run["scene"]["bodies"]], [b["name"] for b in bench.four_bar()["model"]["bodies"]])
        records, got = base64.b64decode(run["records"]), []
        while records:
            size, kind = struct.unpack_from("<IB", records)
            got.append((KINDS[kind], decode(KINDS[kind], records[8:size])))
            records = records[size:]
        self.assertEqual([k for k, _ in got], ["head"] + ["frame"] * 67 + ["dense"])
        self.assertEqual(len(got[-1][1]), 201)
        energies = [row[3] for row in got[-1][1]]
        self.assertLess(max(energies) - min(energies), 0.05)

    def test_refusals(self):
        model = os.path.join(bench.ROOT, "config", "models", "four_bar.yaml")
        for arguments in (("--view", "/nowhere/x.html"), ("--view", "/dev/null", "--signals", "nothing")):
            done = subprocess.run([bench.program("ali3-sim"), model, "--duration", "0.1", *arguments], capture_output=True, text=True, timeout=bench.PATIENCE,
                                  check=False)
            self.assertIn(done.returncode, (1, 2), arguments)
            self.assertIn("ali3-sim: ", done.stderr)


    def test_meshes_are_inside(self):
        if not os.path.exists("/usr/share/javascript/three/three.min.js"):
            self.skipTest("libjs-three is not installed")
        with tempfile.TemporaryDirectory() as folder:
            model, path = os.path.join(folder, "model.yaml"), os.path.join(folder, "run.html")
            visual = [{"body": body, "shape": "mesh", "file": "bar.stl"} for body in ("A", "B")]
            with open(model, "w", encoding="utf-8") as f:
                json.dump({"model": {**bench.four_bar()["model"], "visual": visual}}, f)
            with open(os.path.join(folder, "bar.stl"), "wb") as f:
                f.write(TRIANGLE)
            command = [bench.program("ali3-sim"), model, "--duration", "0.1", "--view", path]
            subprocess.run(command, check=True, capture_output=True, timeout=bench.PATIENCE)
            with open(path, encoding="utf-8") as f:
                run = json.loads(re.search(r'id="ali3-run">(.*?)</script>', f.read(), re.S).group(1))
            self.assertEqual([base64.b64decode(run["meshes"][k]) for k in run["meshes"]], [PACKED])
            self.assertEqual([run["meshes"].get(str(v["mesh"])) is None for v in run["scene"]["visual"]], [False, False])
            self.assertNotIn(folder, json.dumps(run["scene"]))
            # A file whose first bytes look right, and the rest does not.
            with open(os.path.join(folder, "bar.stl"), "w", encoding="utf-8") as f:
                f.write("solid x\nfacet normal 0 0 up\n")
            done = subprocess.run(command, capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("bar.stl: line 2: expected a number, found up", done.stderr)


class Recording(unittest.TestCase):
    def test_plays(self):
        folder = tempfile.mkdtemp(prefix="ali3-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "run.h5")
        with bench.Daemon() as d:
            subprocess.run([bench.program("ali3-record"), "--once", path, "--duration", "2", d.name], check=True,
                           capture_output=True, timeout=bench.PATIENCE)
        with Viewer("--file", path) as view:
            abilities = view.json("/api/v1/abilities")
            self.assertTrue(abilities["recorded"])
            self.assertGreater(abilities["length_s"], 1.5)
            self.assertEqual(len(view.json("/api/v1/scene")["bodies"]), 3)
            self.assertEqual(view.post("/api/v1/command", {"command": "run"}, token="0" * 32)[0], 405)
            with view.stream("signals=pose,events&rate=50") as s:
                self.assertTrue(s.next("head")["recorded"])
                first = s.next("frame")
                some = [s.next("frame") for _ in range(10)]
                self.assertEqual(sorted(f["cycle"] for f in some), [f["cycle"] for f in some])
                self.assertEqual(len(first["values"]), 21)
            with view.stream("signals=pose&seek=1.2&speed=0.5") as s:
                bench.in_time(self, abs((s.next("frame")["t_ns"] - first["t_ns"]) * 1e-9 - 1.2), 0.1)

    def test_meshes_of_another_machine(self):
        """The folder of the model file is gone; --meshes names another one."""
        folder = tempfile.mkdtemp(prefix="ali3-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, folder)
        path, meshes = os.path.join(folder, "run.h5"), os.path.join(folder, "meshes")
        d = bench.Daemon(model={"visual": [{"body": "A", "shape": "mesh", "file": "bar.stl"}]})
        with open(os.path.join(d.dir, "bar.stl"), "wb") as f:
            f.write(TRIANGLE)
        with d:
            subprocess.run([bench.program("ali3-record"), "--once", path, "--duration", "1", d.name], check=True, capture_output=True, timeout=bench.PATIENCE)
            os.mkdir(meshes)
            os.rename(os.path.join(d.dir, "bar.stl"), os.path.join(meshes, "bar.stl"))
        with Viewer("--file", path) as view:
            status, _, body = view.ask("/api/v1/mesh?shape=0")
            self.assertEqual(status, 404)
            self.assertIn("bar.stl: ", json.loads(body)["error"])
        with Viewer("--file", path, "--meshes", meshes) as view:
            self.assertEqual(view.ask("/api/v1/mesh?shape=0")[::2], (200, PACKED))
            self.assertNotIn(folder, json.dumps(view.json("/api/v1/scene")))
        for wrong, wanted in ((("--file", path, "--meshes", path + ".none"), "expected a folder"), (("--meshes", meshes), "expected --file beside it")):
            done = subprocess.run([bench.program("ali3-view"), *wrong], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(wanted, done.stderr)


if __name__ == "__main__":
    bench.main()
