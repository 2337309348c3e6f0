#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-view in a real browser: every model, pixels against positions, a daemon that stops and changes, a miss, a slider, and 128
bodies. Needs chromium, chromium-driver and python3-selenium, which tools/packages.sh lists as packages_browser.

ALI3_SHOTS=FOLDER keeps a picture of each model there. ALI3_SOAK_HOURS=H adds a run of H hours that watches the memory."""
import contextlib
import glob
import json
import os
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

import bench
import test_jog
import test_rig
from viewer import Viewer

sys.path.append("/usr/lib/python3/dist-packages")  # another Python than Debian's may run this test
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
except ImportError:
    webdriver = None

HARMLESS = ("GL Driver Message", "Automatic fallback to software WebGL")
COLORS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 0, 255))  # of the first bodies, with ?test=1


def browser(width=1200, height=800, network=True):
    """network: keeps the log of requests, for which the browser keeps all bytes that it receives."""
    if webdriver is None:
        raise unittest.SkipTest("python3-selenium is not installed")
    options = Options()
    options.binary_location = bench.need("chromium")
    for argument in ("--headless=new", "--disable-dev-shm-usage", f"--window-size={width},{height}", *(["--no-sandbox"] if os.geteuid() == 0 else [])):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", **({"performance": "ALL"} if network else {})})
    return webdriver.Chrome(service=Service(bench.need("chromedriver")), options=options)


def png(data):
    """(width, height, rows of RGB) of a PNG with 8 bits, without interlace."""
    at, parts, width, height, depth = 8, b"", 0, 0, 3
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, color = struct.unpack_from(">IIBB", body)
            assert bits == 8 and color in (2, 6), (bits, color)
            depth = 3 if color == 2 else 4
        elif kind == b"IDAT":
            parts += body
        at += 12 + size
    raw, stride, before, rows = zlib.decompress(parts), width * depth, bytearray(width * depth), []
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = row[i - depth] if i >= depth else 0, before[i], before[i - depth] if i >= depth else 0
            if kind == 1:
                row[i] = (row[i] + a) & 255
            elif kind == 2:
                row[i] = (row[i] + b) & 255
            elif kind == 3:
                row[i] = (row[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                row[i] = (row[i] + min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]) & 255
        rows.append(row)
        before = row
    return width, height, depth, rows


def middle_of(picture, color):
    """The mean place of the pixels of a colour."""
    _, _, depth, rows = picture
    found = [(x, y) for y, row in enumerate(rows) for x in range(0, len(row) // depth) if tuple(row[x * depth:x * depth + 3]) == color]
    assert len(found) > 20, f"{len(found)} pixels of {color}"
    return [sum(p[k] for p in found) / len(found) + 0.5 for k in (0, 1)]


def use_model(d, path):
    """Lets a daemon run a shipped file, with ports and a name of its own."""
    relative = os.path.relpath(path, d.dir)
    with open(d.config, "w", encoding="utf-8") as f:
        json.dump({"model": {"file": relative}, "cycle": {"period": 0.01, "autostart": True}, "telemetry": {"name": d.name},
                   "osc": {"port": d.osc_port}, "modbus": {"port": d.modbus_port}}, f)


def resident(pid):
    """kB of memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next((int(line.split()[1]) for line in f if line.startswith("VmRSS")), 0)


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as f:
        return f.read()


def children(pid):
    """All processes below this one."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as f:
            found += map(int, f.read().split())
    return found + [below for p in found for below in children(p)]


def line_through(x, y):
    """(slope, mean) of the straight line nearest to the points."""
    middle, level = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - level) for a, b in zip(x, y)) / sum((a - middle) ** 2 for a in x), level


class Browsed(unittest.TestCase):
    """A browser, and an ali3-view with the right to command."""

    @classmethod
    def setUpClass(cls):
        cls.browser = browser()
        cls.addClassCleanup(cls.browser.quit)
        cls.view = Viewer("--control")
        cls.addClassCleanup(cls.view.__exit__)

    def open(self, d, more=""):
        self.browser.get("about:blank")
        self.browser.get_log("browser")
        if "performance" in self.browser.log_types:
            self.browser.get_log("performance")
        self.browser.get(f"http://127.0.0.1:{self.view.port}/?name={d.name}{more}")
        bench.wait_for("pictures", lambda: (self.ask("window.ali3 && ali3.page && ali3.page.scene ? ali3.page.scene.pictures : 0") or 0) > 0, 30)

    def ask(self, expression):
        return self.browser.execute_script(f"return {expression}")

    def logs(self):
        """(messages of the console, addresses that were asked for)."""
        console = [e["message"] for e in self.browser.get_log("browser") if not any(h in e["message"] for h in HARMLESS)]
        asked = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return console, asked

    def text(self, name):
        return self.ask(f"document.getElementById('{name}').textContent")


class Page(Browsed):
    def test_every_model(self):
        shots = os.environ.get("ALI3_SHOTS")
        for path in sorted(glob.glob(os.path.join(bench.ROOT, "config", "models", "*.yaml"))):
            name = os.path.basename(path)[:-5]
            daemon = bench.Daemon()
            use_model(daemon, path)
            with self.subTest(name), daemon as d:
                self.open(d)
                time.sleep(2)
                console, asked = self.logs()
                self.assertEqual(console, [])
                self.assertGreater(len(asked), 12)
                self.assertEqual([a for a in asked if not a.startswith((f"http://127.0.0.1:{self.view.port}/", "data:,", "about:"))], [])
                self.assertGreater(self.ask("ali3.page.data.bodies.length"), 0)
                if shots:
                    self.browser.save_screenshot(os.path.join(shots, f"{name}.png"))

    def test_pixels(self):
        """Bodies in the picture where their positions are, at three times in lockstep."""
        with bench.Daemon(cycle={"clock": "lockstep"}) as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            # The page needs a first frame.
            osc.send(bench.osc_message("/ali3/step", "ii", 1, 1))
            osc.answer("/ali3/ack")
            self.open(d, "&test=1")
            for request, steps in enumerate((30, 55, 90), 2):
                osc.send(bench.osc_message("/ali3/step", "ii", steps, request))
                osc.answer("/ali3/ack")
                cycle = d.watch()["cycle"]
                bench.wait_for("the frame", lambda: self.ask("ali3.page.motion && ali3.page.motion.newest() && ali3.page.motion.newest().cycle") == cycle)
                time.sleep(0.5)
                camera = self.ask("[Array.from(ali3.page.scene.camera.matrixWorldInverse.elements), "
                                  "Array.from(ali3.page.scene.camera.projectionMatrix.elements), ali3.page.scene.width, ali3.page.scene.height]")
                values = self.frame(d)
                data = self.ask("document.getElementById('three').toDataURL('image/png')").split(",")[1]
                picture = png(__import__("base64").b64decode(data))
                for i in range(3):
                    place = self.project(camera, values[7 * i:7 * i + 3])
                    found = middle_of(picture, COLORS[i])
                    self.assertLess(max(abs(found[k] - place[k]) for k in (0, 1)), 2, (steps, i, found, place))

    def frame(self, d):
        with self.view.stream(f"name={d.name}&signals=pose") as s:
            return s.next("frame")["values"]

    @staticmethod
    def project(camera, point):
        view, projection, width, height = camera

        def through(m, p):  # by columns
            return [sum(m[4 * k + i] * p[k] for k in range(4)) for i in range(4)]
        clip = through(projection, through(view, [*point, 1]))
        return 0.5 * (clip[0] / clip[3] + 1) * width, 0.5 * (1 - clip[1] / clip[3]) * height

    def test_still_and_another_model(self):
        with bench.Daemon() as d:
            self.open(d)
            hidden = "document.getElementById('still').hidden"
            bench.wait_for("motion", lambda: self.ask(hidden))
            d.process.send_signal(signal.SIGSTOP)
            begin = time.monotonic()
            bench.wait_for("the page to say that it stands still", lambda: not self.ask(hidden), 4)
            self.assertLess(time.monotonic() - begin, 2.5)
            self.assertIn("stands still", self.text("still"))
            d.process.send_signal(signal.SIGCONT)
            bench.wait_for("motion again", lambda: self.ask(hidden), 4)
            d.stop()
            bench.wait_for("the reason", lambda: d.name in self.text("still"), 5)
            use_model(d, os.path.join(bench.ROOT, "config", "models", "slider_crank.yaml"))
            d.start_again()
            bench.wait_for("the other model, without a reload", lambda: self.ask("ali3.page.data.name") == "slider_crank" and self.ask(hidden), 15)

    def test_a_miss_and_its_cause(self):
        with bench.Daemon() as d:
            self.open(d)
            bench.wait_for("the stream", lambda: self.ask("ali3.page.head"))
            misses = "ali3.page.timeline.events.filter((e) => e.kind === 'miss')"
            before = self.ask(f"{misses}.length")
            d.process.send_signal(signal.SIGSTOP)
            time.sleep(0.15)
            d.process.send_signal(signal.SIGCONT)
            begin = time.monotonic()
            bench.wait_for("the miss", lambda: self.ask(f"{misses}.length") > before, 2)
            late = time.monotonic() - begin
            print(f"a miss is on the time line {1e3 * late:.0f} ms after the stop that caused it")
            self.assertLess(late, 1)
            miss = self.ask(f"{misses}.pop()")
            self.assertTrue(miss["cause"])
            self.browser.execute_script("const t = ali3.page.timeline; t.pick(t.x(t.events.filter((e) => e.kind === 'miss').pop().t))")
            self.assertIn(miss["text"][:20], self.text("record"))

    def test_slider_and_closed_tab(self):
        with bench.Daemon() as d:
            self.open(d, f"#token={self.view.token}")
            bench.wait_for("the slider", lambda: self.ask("document.querySelector('[data-signal=\"input.push.force.x\"]')"))
            self.browser.execute_script("const s = document.querySelector('[data-signal=\"input.push.force.x\"]'); s.value = 12.5; "
                                        "s.dispatchEvent(new Event('input'))")
            wanted = float(self.ask("document.querySelector('[data-signal=\"input.push.force.x\"]').value"))
            bench.wait_for("the input", lambda: d.watch()["inputs"][0]["channels"][0]["written"] == wanted)
            time.sleep(1)
            self.assertFalse(d.watch()["inputs"][0]["stale"])
            self.browser.get("about:blank")
            bench.wait_for("the stale input", lambda: d.watch()["inputs"][0]["stale"], 3)

    def test_command(self):
        with bench.Daemon() as d:
            self.open(d, f"#token={self.view.token}")
            self.browser.execute_script("document.querySelector('[data-command=pause]').click()")
            bench.wait_for("the state", lambda: d.watch()["state"] == "PAUSED")
            bench.wait_for("the answer", lambda: self.text("answer") == "pause: done")
            self.assertEqual(self.ask("location.hash"), "")  # the token has left the address bar

    def test_jog_button(self):
        with bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS[:1], platform=dict(test_rig.PLATFORM, jog=test_jog.JOG),
                          osc={"peers": test_jog.PEERS}) as d:
            bench.wait_for("ready", lambda: "warm-up cycles done" in d.said())
            self.open(d, f"#token={self.view.token}")
            bench.wait_for("the buttons", lambda: self.ask("!document.getElementById('jog').hidden"))
            self.browser.execute_script("document.getElementById('part').value = 'leg3'")
            button = self.browser.find_element("css selector", "[data-jog='1']")
            webdriver.ActionChains(self.browser).click_and_hold(button).perform()
            bench.wait_for("the motion", lambda: d.watch()["platform"]["state"] == "jog")
            time.sleep(2 * test_jog.JOG["timeout"])
            self.assertNotIn("jog of leg3 over", d.said())  # it goes on while the button is held
            webdriver.ActionChains(self.browser).release(button).perform()
            bench.wait_for("its end", lambda: "jog of leg3 over" in d.said())
            self.assertNotIn("not repeated in time", d.said())  # the release has ended it

    def test_128_bodies(self):
        """25 pictures a second and less than 3 % of a processor. The host decides the first figure: software draws."""
        with bench.Daemon(model={"file": os.path.join(bench.ROOT, "tests", "reference", "chain_128.json")}, inputs=[]) as d:
            self.open(d)
            time.sleep(3)
            before, begin, pictures = self.processor(), time.monotonic(), self.ask("ali3.page.scene.pictures")
            time.sleep(10)
            span = time.monotonic() - begin
            rate, load = (self.ask("ali3.page.scene.pictures") - pictures) / span, (self.processor() - before) / span
            print(f"128 bodies: {rate:.1f} pictures a second, server {100 * load:.2f} % of a processor")
            if os.environ.get("ALI3_SHOTS"):
                self.browser.save_screenshot(os.path.join(os.environ["ALI3_SHOTS"], "chain_128.png"))
            self.assertLess(load, 0.03)
            if rate < 25 and os.getloadavg()[0] > 2 * os.cpu_count():
                self.skipTest(f"{rate:.1f} pictures a second on a host with a load of {os.getloadavg()[0]:.0f}")
            self.assertGreater(rate, 25)

    def processor(self):
        with open(f"/proc/{self.view.process.pid}/stat", encoding="ascii") as f:
            return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def test_run_in_one_page(self):
        with bench.Daemon(wait=False) as d:
            page = os.path.join(d.dir, "run.html")
            subprocess.run([bench.program("ali3-sim"), os.path.join(bench.ROOT, "config", "models", "hexapod.yaml"), "--duration", "3", "--view", page],
                           check=True, capture_output=True, timeout=bench.PATIENCE)
            self.browser.get("about:blank")
            self.logs()
            self.browser.get(f"file://{page}")
            bench.wait_for("pictures", lambda: (self.ask("window.ali3 && ali3.page && ali3.page.scene ? ali3.page.scene.pictures : 0") or 0) > 0, 30)
            time.sleep(1)
            console, asked = self.logs()
            self.assertEqual(console, [])
            self.assertEqual([a for a in asked if not a.startswith(("file:", "data:", "about:"))], [])
            self.assertEqual(self.ask("ali3.page.data.bodies.length"), 13)

    @unittest.skipUnless(os.environ.get("ALI3_SOAK_HOURS"), "ALI3_SOAK_HOURS is not set")
    def test_memory(self):
        """Memory of the page, of its process and of the server stay flat, and pictures and frames keep coming.

        The page has plots, names and forces on, the daemon writes events, and every ten minutes a second page comes and goes."""
        self.browser = browser(network=False)
        self.addCleanup(self.browser.quit)
        with bench.Daemon() as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            self.open(d)
            bench.wait_for("the signals", lambda: self.ask("ali3.page.signals"))
            self.browser.execute_script("for (const id of ['names', 'forces']) document.getElementById(id).click(); ali3.page.addPlots('body.*,loop.*')")
            figures, begin, request = [], time.monotonic(), 0
            end = begin + 3600 * float(os.environ["ALI3_SOAK_HOURS"])
            while time.monotonic() < end:
                time.sleep(30)
                for command in ("pause", "run"):
                    request += 1
                    self.assertEqual(osc.command(command, request), 0)
                if len(figures) % 20 == 10:
                    self.second_page(d)
                self.browser.get_log("browser")
                figures.append((time.monotonic() - begin, *self.memory()))
                t, heap, page, server, pictures, cycle, events = figures[-1]
                print(f"{t:.0f} s: heap {heap} B, page {page} kB, server {server} kB, {pictures} pictures, cycle {cycle}, {events} events", flush=True)
            for before, after in zip(figures, figures[1:]):
                self.assertGreater(after[4], before[4], "pictures")
                self.assertGreater(after[5], before[5], "frames")
            kept = figures[len(figures) // 4:]
            hours = (kept[-1][0] - kept[0][0]) / 3600
            for k, what in ((1, "heap of the page, B"), (2, "memory of the page, kB"), (3, "memory of the server, kB")):
                lows = [min(kept[i:i + 5], key=lambda f: f[k]) for i in range(0, len(kept) - 4, 5)]  # without what is on its way
                slope, level = line_through([f[0] / 3600 for f in lows], [f[k] for f in lows])
                print(f"{what}: {level:.0f}, slope {slope:+.0f} an hour, {100 * slope * hours / level:+.2f} % over {hours:.2f} h")
                self.assertLess(slope * hours, 0.05 * level, what)

    def second_page(self, d):
        """A tab with the same page, for 5 s."""
        first = self.browser.current_window_handle
        self.browser.switch_to.new_window("tab")
        self.open(d)
        time.sleep(5)
        self.browser.close()
        self.browser.switch_to.window(first)

    def memory(self):
        """Heap and processes of page and server, pictures drawn, newest cycle, events on the time line."""
        self.browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        heap = self.browser.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
        pid = max((p for p in children(self.browser.service.process.pid) if "--type=renderer" in command_line(p)), key=resident)
        return (heap, resident(pid), resident(self.view.process.pid),
                *self.ask("[ali3.page.scene.pictures, ali3.page.motion.newest().cycle, ali3.page.timeline.events.length]"))


if __name__ == "__main__":
    bench.main()
